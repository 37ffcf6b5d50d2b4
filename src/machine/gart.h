/* The chipset's aperture (AGP): a window on the bus through which devices see scattered pages of
 * memory as one range. There is one where the variation agp-aperture is on.
 *
 *     gart_map ──> GART_BASE + page ... ──> frames        gart_unmap ──> nowhere
 *
 * Whoever maps pages owns the range and the frames; nobody else writes the table. */
#ifndef MACHINE_GART_H
#define MACHINE_GART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GART_BASE  UINT64_C(0x8000000000) /* above all memory and BARs */
#define GART_BYTES (UINT64_C(64) << 20)

/* MAP: to read, to write or nothing. LOOK: nobody's access, but to see what is there. */
enum gart_access { GART_READ, GART_WRITE, GART_MAP, GART_LOOK };

/* 0: the computer has none. */
uint64_t gart_bytes(void);
/* Pages [page_first, +page_count), which led nowhere; false: no memory, and nothing changed. */
bool gart_map(uint64_t page_first, const uint64_t *frames, size_t page_count);
/* ... which all led somewhere. */
void gart_unmap(uint64_t page_first, size_t page_count);
bool gart_holds(uint64_t address);
/* What a device's access finds at an address of the bus; NULL: nothing, or not one piece. */
void *gart_at(uint64_t address, size_t size, enum gart_access access);
/* How much of [address, +size) a device can be sure to have in one piece. */
size_t gart_run(uint64_t address, size_t size);

struct gart_touched {
    bool read, written; /* both, if it was mapped */
};

/* From now on accesses to [address, +size) are noted, and no others; until the end of it. */
void gart_watch(uint64_t address, size_t size);
struct gart_touched gart_watch_end(void);

#endif
