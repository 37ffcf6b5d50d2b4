/* The CPU host aperture: the CPU's way into a memory segment that it does not see whole.
 *
 *     a lock, or a table of the paging process ── dxgk_host_aperture_map ── free pages
 *         ─> MapCpuHostAperture ─> a view of these pages, one behind the other
 *     unlocked, or the table is gone ── dxgk_host_aperture_unmap ── UnmapCpuHostAperture ─> the
 *         pages are free
 *
 * Pages are the segment's, 4 KiB or 64. What is mapped stays mapped through resets and sleep: the
 * driver's table is its own. All of it is the adapter's, from make_engines() on; under no lock,
 * between two calls that may switch. */
#ifndef DXGK_HOST_APERTURE_H
#define DXGK_HOST_APERTURE_H

#include "dxgk/work.h"

/* The aperture's pages are as large as the segment's. */
static inline uint64_t dxgk_host_aperture_page_bytes(DXGK_SEGMENTFLAGS flags)
{
    return flags.Use64KBPages ? 0x10000 : MACHINE_PAGE_SIZE;
}

/* Nothing, where no segment has one. */
NTSTATUS MUST_CHECK dxgk_host_aperture_start(struct dxgk_adapter *adapter);
void dxgk_host_aperture_stop(struct dxgk_adapter *adapter);
/* NULL: there is no room, or the device was pulled out. Of an allocation; NULL: of a page table,
 * for which some pages are kept. Both may switch. */
void *dxgk_host_aperture_map(struct dxgk_adapter *adapter,
                             const struct vidmm_allocation *allocation,
                             const struct vidmm_location *place, size_t size_bytes);
void dxgk_host_aperture_unmap(struct dxgk_adapter *adapter, const struct vidmm_location *place,
                              void *view);
/* The device was without power, or was reset, and the driver has brought it back by `call`: do the
 * pages that are mapped show what they did? */
void dxgk_host_aperture_look_again(const struct dxgk_adapter *adapter, const char *call);
/* Tells the driver what was unmapped above PASSIVE_LEVEL. May switch. */
void dxgk_host_aperture_work(struct dxgk_adapter *adapter);
/* For who compares: bytes of such a segment where the device has them, once it was seen that its
 * addresses are the device's own. NULL: nobody knows. */
const void *dxgk_host_aperture_behind(const struct dxgk_adapter *adapter, unsigned segment,
                                      uint64_t offset, size_t size_bytes);

#endif
