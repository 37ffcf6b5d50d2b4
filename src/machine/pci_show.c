/* What the pages of a memory BAR show of the memory behind them.
 *
 * At first each page shows itself. A device with a table of its own for that leads pages elsewhere
 * by bar_show(); whoever has a view of them sees the other memory from then on. */
#include "machine/internal.h"

#include <stdlib.h>

static uint32_t page_count(const struct pci_slot *slot, unsigned bar)
{
    return (uint32_t)(slot->resources.bars[bar].size >> MACHINE_PAGE_SHIFT);
}

/* The page of the memory that a page of the BAR shows; behind the last one: nothing. */
static uint32_t shown_by(const struct bar_hit *hit, uint32_t page)
{
    const struct pci_bar *bar = &hit->slot->bars[hit->bar];

    return bar->shown ? bar->shown[page] : page;
}

bool pci_bar_backing(const struct bar_hit *hit, int *fd, uint64_t *offset, uint64_t *run)
{
    uint32_t page = (uint32_t)(hit->offset >> MACHINE_PAGE_SHIFT), next = page + 1;
    uint32_t count = page_count(hit->slot, hit->bar), first = shown_by(hit, page);

    *fd = hit->slot->bars[hit->bar].fd;
    *offset = ((uint64_t)first << MACHINE_PAGE_SHIFT) + hit->offset % MACHINE_PAGE_SIZE;
    if (hit->slot->bars[hit->bar].shown) {
        while (next < count && first < count && shown_by(hit, next) == first + (next - page)) {
            next++;
        }
    } else {
        next = count;
    }
    *run = ((uint64_t)next << MACHINE_PAGE_SHIFT) - hit->offset;
    return *fd >= 0;
}

void *pci_bar_view(const struct bar_hit *hit, uint64_t size)
{
    uint64_t offset, run;
    int fd;

    return pci_bar_backing(hit, &fd, &offset, &run) && run >= size &&
                   offset < hit->slot->resources.bars[hit->bar].size
               ? hit->slot->bars[hit->bar].view + offset
               : NULL;
}

static bool is_usual(const struct pci_slot *slot, unsigned bar)
{
    for (uint32_t i = 0; i < page_count(slot, bar); i++) {
        if (slot->bars[bar].shown[i] != i) {
            return false;
        }
    }
    return true;
}

bool pci_bar_show(struct device_bus *bus, unsigned bar, uint64_t offset, uint64_t size,
                  uint64_t from)
{
    struct pci_slot *slot = container_of(bus, struct pci_slot, bus);
    struct pci_bar *at = bar < DEVICE_BAR_COUNT ? &slot->bars[bar] : NULL;
    uint64_t all = at ? slot->resources.bars[bar].size : 0;
    bool nothing = from == DEVICE_BAR_NOTHING;

    if (!at || !at->view || (offset | size) % MACHINE_PAGE_SIZE != 0 ||
        !range_fits(offset, size, all) ||
        (!nothing && (from % MACHINE_PAGE_SIZE != 0 || !range_fits(from, size, all)))) {
        return false;
    }
    if (!at->shown) {
        at->shown = malloc(page_count(slot, bar) * sizeof *at->shown);
        if (!at->shown) {
            return false;
        }
        for (uint32_t i = 0; i < page_count(slot, bar); i++) {
            at->shown[i] = i;
        }
    }
    for (uint64_t i = 0; i < size >> MACHINE_PAGE_SHIFT; i++) {
        at->shown[(offset >> MACHINE_PAGE_SHIFT) + i] =
            nothing ? page_count(slot, bar) : (uint32_t)((from >> MACHINE_PAGE_SHIFT) + i);
    }
    if (from == offset && is_usual(slot, bar)) {
        free(at->shown);
        at->shown = NULL;
    }
    if (!slot->removed) { /* nobody sees anything of it then */
        io_views_follow(slot, bar, offset, size);
        ram_views_follow(slot->resources.bars[bar].base + offset, size);
    }
    return true;
}

bool pci_bar_shows(uint64_t physical, uint64_t *offset)
{
    struct bar_hit hit;
    uint64_t run;
    int fd;

    return pci_find_bar(physical, 1, &hit) && !hit.registers &&
           pci_bar_backing(&hit, &fd, offset, &run) &&
           *offset < hit.slot->resources.bars[hit.bar].size;
}

const void *pci_bar_behind(uint64_t physical, uint64_t offset, size_t size)
{
    struct bar_hit hit;

    return pci_find_bar(physical, 1, &hit) && !hit.registers && hit.slot->bars[hit.bar].view &&
                   range_fits(offset, size, hit.slot->resources.bars[hit.bar].size)
               ? hit.slot->bars[hit.bar].view + offset
               : NULL;
}

bool pci_is_memory(uint64_t physical, uint64_t size)
{
    struct bar_hit hit;

    return pci_find_bar(physical, size, &hit) && !hit.registers &&
           hit.slot->bars[hit.bar].view != NULL;
}
