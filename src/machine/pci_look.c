/* Questions to a device model: page tables that a driver writes for it, and where it goes itself.
 *
 * To answer it may read memory, as an engine would; that is no step of its own, and not counted. */
#include "machine/internal.h"

#include <stdio.h>
#include <string.h>

struct question {
    uint64_t activity, looks;
};

/* A model that has not all of them knows nothing. */
static bool tells_tables(const struct pci_slot *slot)
{
    return slot->operations.address_space && slot->operations.translate &&
           slot->operations.remembered && !slot->removed;
}

static struct question begin(struct pci_slot *slot)
{
    model_enter(slot);
    return (struct question){slot->activity, slot->looks};
}

static void end(struct pci_slot *slot, const struct question *question)
{
    model_leave();
    slot->activity = question->activity;
    slot->looks = question->looks;
}

bool pci_address_space(struct pci_slot *slot, unsigned *space, struct device_address_space *found)
{
    if (!tells_tables(slot)) {
        return false;
    }
    *found = (struct device_address_space){0};
    unsigned first = *space;
    struct question question = begin(slot);
    bool any = slot->operations.address_space(slot->device, space, found);
    end(slot, &question);
    return any && *space >= first; /* one that goes back has no end */
}

bool pci_translate(struct pci_slot *slot, unsigned space, uint64_t address,
                   struct device_translation *translation)
{
    if (!tells_tables(slot)) {
        return false;
    }
    *translation = (struct device_translation){0};
    struct question question = begin(slot);
    slot->operations.translate(slot->device, space, address, translation);
    end(slot, &question);
    return true;
}

bool pci_remembered(struct pci_slot *slot, unsigned space, uint64_t *cursor,
                    struct device_remembered *found)
{
    if (!tells_tables(slot)) {
        return false;
    }
    *found = (struct device_remembered){0};
    struct question question = begin(slot);
    bool any = slot->operations.remembered(slot->device, space, cursor, found);
    end(slot, &question);
    return any;
}

/* ---- Where it goes --------------------------------------------------------------------------- */

#define SAID_BYTES 128
#define NOWHERE    (UINT64_C(1) << 51) /* no computer here has memory there */

/* Behind what it may write it leaves everything alone, if it is sound. */
struct said {
    char text[SAID_BYTES];
    char behind[4096];
};

static bool ask_where(struct pci_slot *slot, uint64_t physical, uint64_t size, struct said *said)
{
    static const char untouched[sizeof said->behind];

    memset(said, 0, sizeof *said);
    struct question question = begin(slot);
    bool goes =
        slot->operations.goes_to(slot->device, physical, size, said->text, sizeof said->text);
    end(slot, &question);
    if (memcmp(said->behind, untouched, sizeof untouched) != 0) {
        model_wrong(slot, "goes_to() writes behind the %u bytes of its text", SAID_BYTES);
    }
    return goes;
}

/* A driver is blamed for what it says: one that is said to go where nobody could have sent it goes
 * by what no driver told it. */
bool pci_goes_to(struct pci_slot *slot, uint64_t physical, uint64_t size, char *text,
                 size_t text_size)
{
    static struct said said;

    if (!slot->operations.goes_to || slot->removed || slot->unpowered || !pci_may_master(slot) ||
        !ask_where(slot, physical, size, &said)) {
        return false;
    }
    said.text[SAID_BYTES - 1] = '\0';
    snprintf(text, text_size, "%s", said.text);
    if (ask_where(slot, NOWHERE, MACHINE_PAGE_SIZE, &said)) {
        model_wrong(slot, "goes_to() says that it goes to 0x%llX by itself, where no memory is",
                    (unsigned long long)NOWHERE);
    }
    return true;
}

/* ---- What it wrote --------------------------------------------------------------------------- */

bool pci_released(struct pci_slot *slot, uint64_t physical, uint64_t value)
{
    if (!slot->operations.released || slot->removed || slot->unpowered || !pci_may_master(slot)) {
        return false;
    }
    struct question question = begin(slot);
    bool did = slot->operations.released(slot->device, physical, value);
    end(slot, &question);
    return did;
}

/* ---- Monitors -------------------------------------------------------------------------------- */

#define PICTURE_SIDE_MAX 32768u

/* Others read all of it, and believe that it is there. */
static bool picture_is_sound(struct pci_slot *slot, const char *call, const struct pci_picture *out)
{
    const char *first = out->pixels;
    uint64_t row = (uint64_t)out->width * 4;
    char byte;
    bool fine = out->width > 0 && out->height > 0 && out->width <= PICTURE_SIDE_MAX &&
                out->height <= PICTURE_SIDE_MAX && out->stride_bytes >= row;

    fine =
        fine && machine_copy(&byte, first, 1) &&
        machine_copy(&byte, first + (uint64_t)out->stride_bytes * (out->height - 1) + row - 1, 1);
    if (!fine) {
        model_wrong(slot, "%s says that %u x %u pixels, %u bytes a row, are at %p: no picture is",
                    call, out->width, out->height, out->stride_bytes, out->pixels);
    }
    return fine;
}

bool pci_scanout(struct pci_slot *slot, unsigned output, struct pci_picture *out)
{
    bool shown = false;

    if (slot->operations.scanout) {
        model_enter(slot);
        shown = slot->operations.scanout(slot->device, output, &out->pixels, &out->width,
                                         &out->height, &out->stride_bytes);
        model_leave();
    }
    return shown && picture_is_sound(slot, "scanout()", out);
}

bool pci_scanout_eye(struct pci_slot *slot, unsigned output, bool right, struct pci_picture *out)
{
    bool shown = false;

    if (slot->operations.scanout_eye) {
        model_enter(slot);
        shown = slot->operations.scanout_eye(slot->device, output, right, &out->pixels, &out->width,
                                             &out->height, &out->stride_bytes);
        model_leave();
    }
    return shown && picture_is_sound(slot, "scanout_eye()", out);
}

bool pci_has_scanout(const struct pci_slot *slot)
{
    return slot->operations.scanout != NULL;
}

size_t pci_monitor_says(struct pci_slot *slot, unsigned output, uint8_t *bytes, size_t size)
{
    size_t length = 0;

    memset(bytes, 0, size); /* a model may say more bytes than it writes */
    if (slot->operations.monitor_says && !slot->removed) {
        model_enter(slot);
        length = slot->operations.monitor_says(slot->device, output, bytes, size);
        model_leave();
    }
    return length;
}

bool pci_acpi_method(struct pci_slot *slot, uint32_t unit, const char name[4],
                     const struct device_acpi_value *arguments, unsigned count,
                     struct device_acpi_value *result)
{
    const char *bytes;
    char byte;
    bool there = false;

    *result = (struct device_acpi_value){.kind = DEVICE_ACPI_INTEGER};
    if (slot->operations.acpi_method && !slot->removed) {
        model_enter(slot);
        there = slot->operations.acpi_method(slot->device, unit, name, arguments, count, result);
        model_leave();
    }
    bytes = result->bytes;
    if (there && result->kind != DEVICE_ACPI_INTEGER &&
        (result->kind > DEVICE_ACPI_BUFFER ||
         (result->size && (!bytes || !machine_copy(&byte, bytes, 1) ||
                           !machine_copy(&byte, bytes + result->size - 1, 1))))) {
        model_wrong(slot, "acpi_method() says that %.4s gives %u bytes at %p: there are none", name,
                    result->size, result->bytes);
        return false;
    }
    return there;
}

uint64_t pci_dma_count(const struct pci_slot *slot)
{
    return slot->dma_count;
}
