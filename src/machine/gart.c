/* The chipset's aperture: a window on the bus whose pages a table leads to pages of memory (AGP).
 *
 *     a device's access at GART_BASE + x ──> table[x / page] ──> RAM
 *
 * The kernel writes the table, no driver does. A page that leads nowhere answers as any address
 * without memory. Who wants to know whether a device touched a few bytes of the window watches
 * them. */
#include <stdlib.h>

#include "machine/internal.h"

#define GART_PAGES (GART_BYTES >> MACHINE_PAGE_SHIFT)

static uint64_t *table; /* frames; 0: nowhere */

static struct {
    uint64_t begin, end;
    struct gart_touched touched;
} watched;

uint64_t gart_bytes(void)
{
    return vary_on(VARY_AGP_APERTURE) ? GART_BYTES : 0;
}

void gart_destroy(void)
{
    free(table);
    table = NULL;
    gart_watch_end();
}

bool gart_map(uint64_t page_first, const uint64_t *frames, size_t page_count)
{
    CHECK_THAT(gart_bytes() > 0 && range_fits(page_first, page_count, GART_PAGES));
    if (!table) {
        table = calloc(GART_PAGES, sizeof *table);
    }
    for (size_t i = 0; table && i < page_count; i++) {
        CHECK_THAT(frames[i] != 0 && table[page_first + i] == 0);
        table[page_first + i] = frames[i];
    }
    return table != NULL;
}

void gart_unmap(uint64_t page_first, size_t page_count)
{
    CHECK_THAT(table && range_fits(page_first, page_count, GART_PAGES));
    for (size_t i = 0; i < page_count; i++) {
        CHECK_THAT(table[page_first + i] != 0);
        table[page_first + i] = 0;
    }
}

bool gart_holds(uint64_t address)
{
    return address >= GART_BASE && address - GART_BASE < GART_BYTES;
}

/* ---- What devices do there ------------------------------------------------------------------- */

static bool lead(uint64_t address, uint64_t *physical)
{
    uint64_t frame =
        table && gart_holds(address) ? table[(address - GART_BASE) >> MACHINE_PAGE_SHIFT] : 0;

    *physical = frame << MACHINE_PAGE_SHIFT | address % MACHINE_PAGE_SIZE;
    return frame != 0;
}

/* Only what lies together in memory is one piece. */
static void *piece_at(uint64_t address, size_t size)
{
    uint64_t first, next;

    if (size == 0 || !range_fits(address - GART_BASE, size, GART_BYTES) || !lead(address, &first)) {
        return NULL;
    }
    for (size_t done = MACHINE_PAGE_SIZE - address % MACHINE_PAGE_SIZE; done < size;
         done += MACHINE_PAGE_SIZE) {
        if (!lead(address + done, &next) || next != first + done) {
            return NULL;
        }
    }
    return ram_at(first, size);
}

void *gart_at(uint64_t address, size_t size, enum gart_access access)
{
    void *piece = gart_holds(address) ? piece_at(address, size) : NULL;

    if (piece && access != GART_LOOK && address < watched.end && address + size > watched.begin) {
        watched.touched.read |= access != GART_WRITE;
        watched.touched.written |= access != GART_READ;
    }
    return piece;
}

size_t gart_run(uint64_t address, size_t size)
{
    size_t to_page_end = MACHINE_PAGE_SIZE - address % MACHINE_PAGE_SIZE;

    return gart_holds(address) && size > to_page_end ? to_page_end : size;
}

void gart_watch(uint64_t address, size_t size)
{
    watched.begin = address;
    watched.end = address + size;
    watched.touched = (struct gart_touched){0};
}

struct gart_touched gart_watch_end(void)
{
    struct gart_touched touched = watched.touched;

    gart_watch(0, 0);
    return touched;
}
