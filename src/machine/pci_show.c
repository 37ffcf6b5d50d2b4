/* What the pages of a memory BAR show of the memory behind them.
 *
 * At first each page shows itself. A device with a table of its own for that leads pages elsewhere
 * by bar_show(); whoever has a view of them sees the other memory from then on. */
#include "machine/internal.h"

#include <stdlib.h>
#include <string.h>

static uint32_t page_count(const struct pci_slot *slot, unsigned bar)
{
    return (uint32_t)(slot->resources.bars[bar].size >> MACHINE_PAGE_SHIFT);
}

/* The page of the file that a page of the BAR shows; behind the last one of the memory: nothing. */
static uint32_t shown_by(const struct bar_hit *hit, uint32_t page)
{
    const struct pci_bar *bar = &hit->slot->bars[hit->bar];

    return bar->shown ? bar->shown[page] : page;
}

bool pci_bar_backing(const struct bar_hit *hit, uint64_t wanted, int *fd, uint64_t *offset,
                     uint64_t *run)
{
    uint32_t page = (uint32_t)(hit->offset >> MACHINE_PAGE_SHIFT), next = page + 1;
    uint32_t count = page_count(hit->slot, hit->bar), first = shown_by(hit, page);

    *fd = hit->slot->bars[hit->bar].fd;
    *offset = ((uint64_t)first << MACHINE_PAGE_SHIFT) + hit->offset % MACHINE_PAGE_SIZE;
    if (hit->slot->bars[hit->bar].shown) {
        uint64_t end = (hit->offset + wanted + MACHINE_PAGE_SIZE - 1) >> MACHINE_PAGE_SHIFT;
        count = end < count ? (uint32_t)end : count;
        while (next < count && shown_by(hit, next) == first + (next - page)) {
            next++;
        }
    } else {
        next = count;
    }
    *run = ((uint64_t)next << MACHINE_PAGE_SHIFT) - hit->offset;
    return *fd >= 0;
}

#define CHUNK_BYTES (UINT64_C(128) << 10)

/* Who looks at a page of it looks at those around it, too. */
static void expect_chunks(struct pci_slot *slot, unsigned bar, uint64_t offset, uint64_t size)
{
    uint64_t whole = slot->resources.bars[bar].size;
    struct pci_bar *memory = &slot->bars[bar];

    for (uint64_t chunk = offset / CHUNK_BYTES; chunk <= (offset + size - 1) / CHUNK_BYTES;
         chunk++) {
        uint64_t bit = UINT64_C(1) << chunk % 64, at = chunk * CHUNK_BYTES;
        if (!(memory->expected[chunk / 64] & bit)) {
            memory->expected[chunk / 64] |= bit;
            address_expect(memory->view + at, whole - at < CHUNK_BYTES ? whole - at : CHUNK_BYTES);
        }
    }
}

bool pci_bar_expects(struct pci_bar *bar, uint64_t size)
{
    size_t words = size / CHUNK_BYTES / 64 + 1;

    if (!bar->expected) {
        bar->expected = malloc(words * sizeof *bar->expected);
    }
    if (bar->expected) {
        memset(bar->expected, 0, words * sizeof *bar->expected);
    }
    return bar->expected != NULL;
}

static bool lies_together(const struct bar_hit *hit, uint64_t size, uint64_t *offset)
{
    uint64_t run;
    int fd;

    return size > 0 && pci_bar_backing(hit, size, &fd, offset, &run) && run >= size &&
           range_fits(*offset, size, hit->slot->resources.bars[hit->bar].size);
}

void *pci_bar_view(const struct bar_hit *hit, uint64_t size)
{
    uint64_t offset;

    if (!lies_together(hit, size, &offset)) {
        return NULL;
    }
    expect_chunks(hit->slot, hit->bar, offset, size);
    return hit->slot->bars[hit->bar].view + offset;
}

bool pci_bar_can_be_viewed(const struct bar_hit *hit, uint64_t size)
{
    uint64_t offset;

    return lies_together(hit, size, &offset);
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

static bool show_usual(struct pci_bar *bar, uint32_t count)
{
    bar->shown = malloc(count * sizeof *bar->shown);
    for (uint32_t i = 0; bar->shown && i < count; i++) {
        bar->shown[i] = i;
    }
    return bar->shown != NULL;
}

/* Neighbours that show nothing have neighbours in the file, so that few mappings hold many. */
static uint32_t nothing_of(uint32_t page, uint32_t count)
{
    return count + page % PCI_BAR_NOTHING_PAGES;
}

/* Which of the pages show another now: the first, and how many from there to the last. */
struct change {
    uint32_t first, count;
};

static struct change lead(struct pci_bar *bar, struct change asked, uint64_t from, uint32_t count)
{
    struct change changed = {0};

    for (uint32_t i = 0; i < asked.count; i++) {
        uint32_t page = asked.first + i;
        uint32_t now = from == DEVICE_BAR_NOTHING ? nothing_of(page, count)
                                                  : (uint32_t)(from >> MACHINE_PAGE_SHIFT) + i;
        if (bar->shown[page] != now) {
            changed.first = changed.count ? changed.first : page;
            changed.count = page + 1 - changed.first;
            bar->shown[page] = now;
        }
    }
    return changed;
}

bool pci_bar_show(struct device_bus *bus, unsigned bar, uint64_t offset, uint64_t size,
                  uint64_t from)
{
    struct pci_slot *slot = container_of(bus, struct pci_slot, bus);
    struct pci_bar *at = bar < DEVICE_BAR_COUNT ? &slot->bars[bar] : NULL;
    uint64_t all = at ? slot->resources.bars[bar].size : 0;

    if (!at || !at->view || (offset | size) % MACHINE_PAGE_SIZE != 0 ||
        !range_fits(offset, size, all) ||
        (from != DEVICE_BAR_NOTHING &&
         (from % MACHINE_PAGE_SIZE != 0 || !range_fits(from, size, all)))) {
        return false;
    }
    if (!at->shown && !show_usual(at, page_count(slot, bar))) {
        return false;
    }
    struct change changed = lead(at,
                                 (struct change){(uint32_t)(offset >> MACHINE_PAGE_SHIFT),
                                                 (uint32_t)(size >> MACHINE_PAGE_SHIFT)},
                                 from, page_count(slot, bar));
    if (from == offset && is_usual(slot, bar)) {
        free(at->shown);
        at->shown = NULL;
    }
    if (changed.count && !slot->removed) { /* nobody sees anything of it then */
        uint64_t begin = (uint64_t)changed.first << MACHINE_PAGE_SHIFT;
        uint64_t bytes = (uint64_t)changed.count << MACHINE_PAGE_SHIFT;
        io_views_follow(slot, bar, begin, bytes);
        ram_views_follow(slot->resources.bars[bar].base + begin, bytes);
    }
    return true;
}

bool pci_bar_shows(uint64_t physical, uint64_t *offset)
{
    struct bar_hit hit;
    uint64_t run;
    int fd;

    return pci_find_bar(physical, 1, &hit) && !hit.registers &&
           pci_bar_backing(&hit, 1, &fd, offset, &run) &&
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
