/* The kernel's own duties: what it maps into CPU host apertures. */
#include "contract/tracker.h"

#include "contract/internal.h"
#include "machine/machine.h"

static const DXGKARG_MAPCPUHOSTAPERTURE *map_of(const struct contract_call *call)
{
    return call->arguments;
}

static const DXGKARG_UNMAPCPUHOSTAPERTURE *unmap_of(const struct contract_call *call)
{
    return call->arguments;
}

/* NULL: there is no such segment, or it has no aperture. */
static const struct contract_segment *segment_of(const struct contract_call *call, UINT segment)
{
    const struct contract_tracker *tracker = call->tracker;

    return segment > 0 && segment <= tracker->segment_count &&
                   tracker->segments[segment].host_pages > 0
               ? &tracker->segments[segment]
               : NULL;
}

static bool has_aperture(struct contract_call *call, UINT segment, UINT adapter, UINT64 count)
{
    return KERNEL_KEEPS(call, segment_of(call, segment) && adapter == 0 && count > 0,
                        "pages of a segment with SupportsCpuHostAperture, of physical adapter 0",
                        "%llu pages of segment %u, adapter %u", (unsigned long long)count, segment,
                        adapter);
}

static bool map_segment(struct contract_call *call)
{
    return has_aperture(call, map_of(call)->SegmentId, map_of(call)->PhysicalAdapterIndex,
                        map_of(call)->NumberOfPages);
}

static bool unmap_segment(struct contract_call *call)
{
    return has_aperture(call, unmap_of(call)->SegmentId, unmap_of(call)->PhysicalAdapterIndex,
                        unmap_of(call)->NumberOfPages);
}

static bool is_mapped(const struct contract_call *call, UINT segment, UINT page)
{
    const struct contract_aperture *aperture = &call->tracker->host_apertures[segment];

    return page < aperture->page_count && contract_pages_mapped(aperture, page, 1, true);
}

/* Each below SizeInPages, and none that shows something. */
static bool map_pages(struct contract_call *call)
{
    const DXGKARG_MAPCPUHOSTAPERTURE *map = map_of(call);
    const struct contract_segment *segment = segment_of(call, map->SegmentId);

    for (UINT64 i = 0; segment && i < map->NumberOfPages; i++) {
        UINT page = map->pCpuHostAperturePages[i];
        if (page >= segment->host_pages || is_mapped(call, map->SegmentId, page) ||
            (i > 0 && page == map->pCpuHostAperturePages[i - 1])) {
            return contract_say(call, "pages of the aperture that show nothing",
                                "page %u of %u, %s", page, segment->host_pages,
                                page < segment->host_pages ? "which is mapped, or stands twice"
                                                           : "behind its end");
        }
    }
    return true;
}

static bool map_memory(struct contract_call *call)
{
    const DXGKARG_MAPCPUHOSTAPERTURE *map = map_of(call);
    const struct contract_segment *segment = segment_of(call, map->SegmentId);

    for (UINT64 i = 0; segment && i < map->NumberOfPages; i++) {
        UINT64 pages = segment->size / (segment->flags.Use64KBPages ? 0x10000 : MACHINE_PAGE_SIZE);
        if (map->pMemorySegmentPages[i] >= pages) {
            return contract_say(call, "pages of the segment", "page %llu of %llu",
                                (unsigned long long)map->pMemorySegmentPages[i],
                                (unsigned long long)pages);
        }
    }
    return true;
}

static bool unmap_pages(struct contract_call *call)
{
    const DXGKARG_UNMAPCPUHOSTAPERTURE *unmap = unmap_of(call);

    for (UINT64 i = 0; segment_of(call, unmap->SegmentId) && i < unmap->NumberOfPages; i++) {
        if (!is_mapped(call, unmap->SegmentId, unmap->pCpuHostAperturePages[i])) {
            return contract_say(call, "pages of the aperture that are mapped", "page %u",
                                unmap->pCpuHostAperturePages[i]);
        }
    }
    return true;
}

static const struct contract_row rows[] = {
    KERNEL(CHA_002, MapCpuHostAperture,
           FIELD_LIVES_OR_NULL(DXGKARG_MAPCPUHOSTAPERTURE, hAllocation, TRACKED_ALLOCATION)),
    KERNEL(CHA_005, MapCpuHostAperture, map_segment),
    KERNEL(CHA_005, UnmapCpuHostAperture, unmap_segment),
    KERNEL(CHA_006, MapCpuHostAperture, map_pages,
           LEAVES_OUT("pages that stand twice in one list, but not behind each other")),
    KERNEL(CHA_007, MapCpuHostAperture, map_memory,
           LEAVES_OUT("that they are the allocation's: the kernel maps no others")),
    KERNEL(CHA_008, UnmapCpuHostAperture, unmap_pages),
};

const struct contract_family contract_family_kernel_host = FAMILY_OF(rows);
