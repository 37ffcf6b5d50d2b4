/* The kernel's own duties: what apertures are mapped to, by MDLs or by address lists; and where the
 * GPU is asked to read and write in one of the chipset's. */
#include "contract/paging_call.h"

#include "machine/machine.h"
#include "nt/nt.h"

typedef DXGKARG_BUILDPAGINGBUFFER arguments_type;

static bool map_segment(struct contract_call *call)
{
    const struct contract_segment *at =
        paging_segment(call, paging_of(call)->MapApertureSegment.SegmentId);
    return KERNEL_KEEPS(call, at && at->flags.Aperture, "an aperture segment", "segment %u",
                        paging_of(call)->MapApertureSegment.SegmentId);
}

static bool range_is_free(struct contract_call *call, UINT segment, uint64_t first, uint64_t count)
{
    const struct contract_segment *at = paging_segment(call, segment);
    if (!at || paging_repeats(call)) {
        return true;
    }
    const struct contract_aperture *aperture = &call->tracker->apertures[segment];
    uint64_t pages = at->size / MACHINE_PAGE_SIZE, limit = at->commit_limit / MACHINE_PAGE_SIZE;
    return KERNEL_KEEPS(call,
                        count != 0 && first <= pages && count <= pages - first &&
                            contract_pages_mapped(aperture, first, count, false) &&
                            (limit == 0 || aperture->mapped_count + count <= limit),
                        "free pages of the aperture, within its commit limit",
                        "%llu pages at %llu of %llu, %llu mapped", (unsigned long long)count,
                        (unsigned long long)first, (unsigned long long)pages,
                        (unsigned long long)aperture->mapped_count);
}

static bool map_range(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    return range_is_free(call, paging->MapApertureSegment.SegmentId,
                         paging->MapApertureSegment.OffsetInPages,
                         paging->MapApertureSegment.NumberOfPages);
}

static bool is_map2(const struct contract_call *call)
{
    return paging_is(call, DXGK_OPERATION_MAP_APERTURE_SEGMENT2);
}

/* The one with the cap, the other without it. */
static bool map_by_cap(struct contract_call *call)
{
    bool lists = call->tracker->features.address_lists;
    return KERNEL_KEEPS(call, is_map2(call) == lists,
                        "MAP_APERTURE_SEGMENT2 with MapAperture2Supported, and only then",
                        "operation %d, MapAperture2Supported %d", (int)paging_of(call)->Operation,
                        lists);
}

static bool map2_range(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    UINT segment = paging->MapApertureSegment2.SegmentId;
    const struct contract_segment *at = paging_segment(call, segment);
    return KERNEL_KEEPS(call, at && at->flags.Aperture, "an aperture segment", "segment %u",
                        segment) &&
           range_is_free(call, segment, paging->MapApertureSegment2.OffsetInPages,
                         paging->MapApertureSegment2.NumberOfPages);
}

static bool map2_list(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    const DXGK_ADL *list = &paging->MapApertureSegment2.Adl;
    uint64_t offset = paging->MapApertureSegment2.AdlOffset;
    return KERNEL_KEEPS(
        call,
        offset <= list->PageCount &&
            paging->MapApertureSegment2.NumberOfPages <= list->PageCount - offset &&
            list->Flags.Reserved == 0 && (list->Flags.Contiguous || list->Pages != NULL),
        "a list that has the pages from AdlOffset on", "AdlOffset %llu, %llu pages of %u",
        (unsigned long long)offset, (unsigned long long)paging->MapApertureSegment2.NumberOfPages,
        list->PageCount);
}

static bool map2_view(struct contract_call *call)
{
    HANDLE handle = paging_of(call)->MapApertureSegment2.hAllocation;
    const struct contract_object *allocation =
        handle ? contract_object_find(call->tracker, TRACKED_ALLOCATION, handle) : NULL;
    bool wanted = allocation && allocation->aperture_view;
    return KERNEL_KEEPS(call, wanted == !!paging_of(call)->MapApertureSegment2.CpuVisibleAddress,
                        "an address for what was created with MapApertureCpuVisible, else NULL",
                        "%p", paging_of(call)->MapApertureSegment2.CpuVisibleAddress);
}

static bool map_mdl(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    return paging_mdl_holds(call, paging->MapApertureSegment.pMdl,
                            paging->MapApertureSegment.MdlOffset,
                            (uint64_t)paging->MapApertureSegment.NumberOfPages * MACHINE_PAGE_SIZE);
}

static bool map_coherence(struct contract_call *call)
{
    const struct contract_segment *at =
        paging_segment(call, paging_of(call)->MapApertureSegment.SegmentId);
    return KERNEL_KEEPS(call,
                        !at || at->flags.CacheCoherent ||
                            !paging_of(call)->MapApertureSegment.Flags.CacheCoherent,
                        "CacheCoherent in coherent segments only", "segment %u",
                        paging_of(call)->MapApertureSegment.SegmentId);
}

static bool unmap_range(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    UINT segment = paging->UnmapApertureSegment.SegmentId;
    const struct contract_segment *at = paging_segment(call, segment);
    if (paging_repeats(call)) {
        return true;
    }
    return KERNEL_KEEPS(call,
                        at && paging->UnmapApertureSegment.NumberOfPages != 0 &&
                            contract_pages_mapped(&call->tracker->apertures[segment],
                                                  paging->UnmapApertureSegment.OffsetInPages,
                                                  paging->UnmapApertureSegment.NumberOfPages, true),
                        "pages that are mapped", "%llu pages at %llu of segment %u",
                        (unsigned long long)paging->UnmapApertureSegment.NumberOfPages,
                        (unsigned long long)paging->UnmapApertureSegment.OffsetInPages, segment);
}

static bool unmap_dummy(struct contract_call *call)
{
    uint64_t page = (uint64_t)paging_of(call)->UnmapApertureSegment.DummyPage.QuadPart;
    return KERNEL_KEEPS(call,
                        page != 0 && page % MACHINE_PAGE_SIZE == 0 &&
                            contract_in_segment(call->tracker, 0, page, MACHINE_PAGE_SIZE),
                        "one page of memory", "DummyPage 0x%llX", (unsigned long long)page);
}

/* 1 to 8 bytes from there on: all of them. */
#define TOUCHED_BYTES 8

/* Otherwise the operation itself is wrong [PAGE-019]. */
static bool has_chipset_segment(const struct contract_call *call)
{
    return contract_has_chipset_segment(call->tracker);
}

static bool in_chipset(struct contract_call *call, UINT segment, uint64_t address)
{
    const struct contract_segment *at = paging_segment(call, segment);
    return KERNEL_KEEPS(call,
                        at && at->flags.Agp &&
                            contract_in_segment(call->tracker, segment, address, TOUCHED_BYTES),
                        "an address inside the AGP-type segment", "segment %u, 0x%llX", segment,
                        (unsigned long long)address);
}

static bool read_in_segment(struct contract_call *call)
{
    return in_chipset(call, paging_of(call)->ReadPhysical.SegmentId,
                      (uint64_t)paging_of(call)->ReadPhysical.PhysicalAddress.QuadPart);
}

static bool write_in_segment(struct contract_call *call)
{
    return in_chipset(call, paging_of(call)->WritePhysical.SegmentId,
                      (uint64_t)paging_of(call)->WritePhysical.PhysicalAddress.QuadPart);
}

static const struct contract_row rows[] = {
    KERNEL(RDPHYS_002, BuildPagingBuffer, read_in_segment, OPERATION(READ_PHYSICAL),
           WHEN(has_chipset_segment)),
    KERNEL(WRPHYS_002, BuildPagingBuffer, write_in_segment, OPERATION(WRITE_PHYSICAL),
           WHEN(has_chipset_segment),
           LEAVES_OUT("that nobody's bytes are there; the kernel looks at it where it names the "
                      "address")),
    KERNEL(
        MAPAP_002, BuildPagingBuffer,
        FIELD_LIVES_OR_NULL(DXGKARG_BUILDPAGINGBUFFER, MapApertureSegment.hDevice, TRACKED_DEVICE),
        OPERATION(MAP_APERTURE_SEGMENT)),
    KERNEL(MAPAP_003, BuildPagingBuffer,
           FIELD_LIVES_OR_NULL(DXGKARG_BUILDPAGINGBUFFER, MapApertureSegment.hAllocation,
                               TRACKED_ALLOCATION),
           OPERATION(MAP_APERTURE_SEGMENT)),
    KERNEL(MAPAP_005, BuildPagingBuffer, map_segment, OPERATION(MAP_APERTURE_SEGMENT)),
    KERNEL(MAPAP_006, BuildPagingBuffer, map_range, OPERATION(MAP_APERTURE_SEGMENT)),
    KERNEL(MAPAP_006, BuildPagingBuffer, map_mdl, OPERATION(MAP_APERTURE_SEGMENT)),
    KERNEL(MAPAP_009, BuildPagingBuffer, map_coherence, OPERATION(MAP_APERTURE_SEGMENT)),
    KERNEL(MAPAP2_001, BuildPagingBuffer, map_by_cap,
           OPERATIONS(MAP_APERTURE_SEGMENT, MAP_APERTURE_SEGMENT2)),
    KERNEL(
        MAPAP2_002, BuildPagingBuffer,
        FIELD_LIVES_OR_NULL(DXGKARG_BUILDPAGINGBUFFER, MapApertureSegment2.hDevice, TRACKED_DEVICE),
        OPERATION(MAP_APERTURE_SEGMENT2)),
    KERNEL(MAPAP2_002, BuildPagingBuffer,
           FIELD_LIVES_OR_NULL(DXGKARG_BUILDPAGINGBUFFER, MapApertureSegment2.hAllocation,
                               TRACKED_ALLOCATION),
           OPERATION(MAP_APERTURE_SEGMENT2)),
    KERNEL(MAPAP2_003, BuildPagingBuffer, map2_range, OPERATION(MAP_APERTURE_SEGMENT2)),
    KERNEL(MAPAP2_003, BuildPagingBuffer, map2_list, OPERATION(MAP_APERTURE_SEGMENT2)),
    KERNEL(MAPAP2_009, BuildPagingBuffer, map2_view, OPERATION(MAP_APERTURE_SEGMENT2),
           LEAVES_OUT("that it shows the allocation's memory")),
    KERNEL(UNMAPAP_001, BuildPagingBuffer,
           FIELD_LIVES_OR_NULL(DXGKARG_BUILDPAGINGBUFFER, UnmapApertureSegment.hDevice,
                               TRACKED_DEVICE),
           OPERATION(UNMAP_APERTURE_SEGMENT)),
    KERNEL(UNMAPAP_001, BuildPagingBuffer,
           FIELD_LIVES_OR_NULL(DXGKARG_BUILDPAGINGBUFFER, UnmapApertureSegment.hAllocation,
                               TRACKED_ALLOCATION),
           OPERATION(UNMAP_APERTURE_SEGMENT)),
    KERNEL(UNMAPAP_002, BuildPagingBuffer, unmap_range, OPERATION(UNMAP_APERTURE_SEGMENT)),
    KERNEL(UNMAPAP_004, BuildPagingBuffer, unmap_dummy, OPERATION(UNMAP_APERTURE_SEGMENT)),
};

const struct contract_family contract_family_kernel_apertures = FAMILY_OF(rows);
