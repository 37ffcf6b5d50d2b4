/* What firmware does with a display device at power-on: it has it show a picture, and remembers
 * where that lies. A driver may draw into it without setting a mode. */
#include "machine/firmware.h"

#include "machine/internal.h"

#include <stddef.h>
#include <string.h>

#define SIDE_MAX      16384u
#define GAP_UNIT      64u /* bytes: rows begin at cache lines */
#define GAP_UNITS_MAX 64u
#define ANOTHER_UNITS 3u

/* The same at each power-on: it is one computer. */
static uint32_t gap_of(struct pci_slot *slot)
{
    if (!slot->firmware_known) {
        slot->firmware_known = true;
        slot->firmware_gap =
            vary_on(VARY_WIDE_ROWS)
                ? GAP_UNIT * (1 + (uint32_t)vary_below(VARY_WIDE_ROWS, GAP_UNITS_MAX))
                : 0;
    }
    return slot->firmware_gap;
}

static bool is_sound(const struct pci_slot *slot, const struct device_firmware_picture *picture)
{
    if (picture->bar >= DEVICE_BAR_COUNT || picture->width == 0 || picture->height == 0 ||
        picture->width > SIDE_MAX || picture->height > SIDE_MAX ||
        picture->stride_bytes < picture->width * 4 || picture->stride_bytes > SIDE_MAX * 16 ||
        picture->offset % MACHINE_PAGE_SIZE) {
        return false;
    }
    uint64_t size = (uint64_t)picture->stride_bytes * picture->height;
    uint64_t room = slot->resources.bars[picture->bar].size;
    return slot->bars[picture->bar].fd >= 0 && picture->offset <= room &&
           size <= room - picture->offset;
}

void slot_light_up(struct pci_slot *slot)
{
    struct device_firmware_picture picture = {.stride_bytes = gap_of(slot)};

    slot->firmware = (struct pci_firmware_picture){0};
    if (!slot->operations.light_up) {
        return;
    }
    model_enter(slot);
    bool lit = slot->operations.light_up(slot->device, &picture);
    model_leave();
    if (lit && !is_sound(slot, &picture)) {
        model_wrong(slot,
                    "light_up() says that its picture of %u x %u pixels, %u bytes a row, begins at "
                    "offset 0x%llx of BAR %u, which is no memory of that size",
                    picture.width, picture.height, picture.stride_bytes,
                    (unsigned long long)picture.offset, picture.bar);
    } else if (lit) {
        slot->firmware =
            (struct pci_firmware_picture){slot->resources.bars[picture.bar].base + picture.offset,
                                          picture.width, picture.height, picture.stride_bytes};
    }
}

void pci_firmware_leave_another(struct pci_slot *slot)
{
    slot->firmware_gap = gap_of(slot) + GAP_UNIT * ANOTHER_UNITS;
    slot_light_up(slot);
}

bool pci_firmware_picture(const struct pci_slot *slot, struct pci_firmware_picture *out)
{
    *out = slot->firmware;
    return out->width != 0;
}
