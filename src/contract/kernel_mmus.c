/* The kernel's own duties in operations that documents leave open: MAP_MMU, UNMAP_MMU,
 * NOTIFY_RESIDENCY2. They come only where the user asks for them, and mean what docs/choices.md
 * says; the driver is not judged by that. */
#include "contract/paging_call.h"

/* How many pages it has. */
static uint64_t pages_of(const struct contract_object *allocation)
{
    return paging_whole_pages(allocation->size) / MACHINE_PAGE_SIZE;
}

/* The allocation is in this segment, and begins there. Of system memory nobody says so: what was
 * discarded by virtual address has left without a word. */
static bool is_at(const struct contract_call *call, const struct contract_object *allocation,
                  UINT segment, uint64_t begin)
{
    const struct contract_segment *at = paging_segment(call, segment);

    if (segment == 0) {
        return true;
    }
    return at && !contract_is_aperture(at) && allocation->segment == segment &&
           allocation->address == begin;
}

/* ---- MAP_MMU, UNMAP_MMU ---------------------------------------------------------------------- */

/* Pages at an address of an MMU that there is. */
struct mmu_range {
    HANDLE allocation;
    UINT mmu;
    uint64_t address, page_first, page_count;
};

static bool range_is_there(struct contract_call *call, const struct mmu_range *range)
{
    const struct contract_device_mmus *mmus = &call->tracker->device_mmus;
    const struct contract_object *allocation = paging_allocation(call, range->allocation);

    return KERNEL_KEEPS(call,
                        allocation && range->mmu < mmus->count &&
                            range->address % MACHINE_PAGE_SIZE == 0 && range->page_count > 0 &&
                            range_fits(range->address, range->page_count * MACHINE_PAGE_SIZE,
                                       mmus->bytes[range->mmu]) &&
                            range_fits(range->page_first, range->page_count, pages_of(allocation)),
                        "pages of an allocation, at addresses of one of the driver's MMUs",
                        "allocation %p, pages from %llu, %llu of them, at 0x%llX of MMU %u",
                        range->allocation, (unsigned long long)range->page_first,
                        (unsigned long long)range->page_count, (unsigned long long)range->address,
                        range->mmu);
}

static bool maps_what_is_there(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_MAPMMU *map = &paging_of(call)->MmapMmu;
    const struct contract_object *allocation = paging_allocation(call, map->hAllocation);
    const struct contract_segment *at = paging_segment(call, map->SegmentId);
    const struct mmu_range range = {map->hAllocation, map->MmuId, map->VirtualAddress,
                                    map->AllocationOffsetInPages, map->Adl.PageCount};

    if (!range_is_there(call, &range)) {
        return false;
    }
    uint64_t page = map->Adl.Flags.Contiguous ? map->Adl.BasePageNumber : map->Adl.Pages[0];
    uint64_t first = (page - map->AllocationOffsetInPages) * MACHINE_PAGE_SIZE;
    return KERNEL_KEEPS(call,
                        is_at(call, allocation, map->SegmentId, at ? at->base + first : 0) &&
                            (map->SegmentId == 0 || map->Adl.Flags.Contiguous),
                        "the pages where the allocation is", "segment %u, page 0x%llX of it",
                        map->SegmentId, (unsigned long long)page);
}

static bool unmaps_what_is_mapped(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_UNMAPMMU *unmap = &paging_of(call)->UnmapMmu;
    const struct contract_object *allocation = paging_allocation(call, unmap->hAllocation);
    const struct mmu_range range = {unmap->hAllocation, unmap->MmuId, unmap->VirtualAddress,
                                    unmap->AllocationOffset, unmap->NumberOfPages};

    return range_is_there(call, &range) &&
           KERNEL_KEEPS(call,
                        unmap->Reserved0 == 0 &&
                            (paging_repeats(call) || unmap->NumberOfPages <= allocation->mmu_pages),
                        "as much as was mapped, and Reserved0 0", "%u pages of %llu, 0x%X",
                        unmap->NumberOfPages, (unsigned long long)allocation->mmu_pages,
                        unmap->Reserved0);
}

/* ---- NOTIFY_RESIDENCY2 ----------------------------------------------------------------------- */

static const DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2 *notice_of(const struct contract_call *call)
{
    return &paging_of(call)->NotifyResidency2;
}

static bool parts_follow(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2 *notice = notice_of(call);
    const struct contract_object *allocation = paging_allocation(call, notice->hAllocation);

    return KERNEL_KEEPS(call,
                        allocation && allocation->wants_residency && notice->SizeInPages > 0 &&
                            notice->AllocationOffsetInPages * (uint64_t)MACHINE_PAGE_SIZE ==
                                allocation->part_next &&
                            range_fits(notice->AllocationOffsetInPages, notice->SizeInPages,
                                       pages_of(allocation)) &&
                            allocation->told_resident != notice->Resident,
                        "the parts of an allocation with both flags, one after the other",
                        "allocation %p, %u pages from %u, Resident %u", notice->hAllocation,
                        notice->SizeInPages, notice->AllocationOffsetInPages, notice->Resident);
}

static bool place_of_part(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2 *notice = notice_of(call);
    const struct contract_object *allocation = paging_allocation(call, notice->hAllocation);
    const struct contract_segment *at = paging_segment(call, notice->SegmentId);
    uint64_t bytes = notice->SizeInPages * (uint64_t)MACHINE_PAGE_SIZE;

    if (!allocation) {
        return contract_no_case(call);
    }
    if (notice->Resident && notice->SegmentId == 0) {
        return paging_mdl_holds(call, notice->Mdl, 0, bytes);
    }
    uint64_t first = at ? at->base + notice->PhysicalAddress.SegmentOffset -
                              notice->AllocationOffsetInPages * (uint64_t)MACHINE_PAGE_SIZE
                        : 0;
    bool right = notice->Resident
                     ? is_at(call, allocation, notice->SegmentId, first)
                     : notice->SegmentId == 0 && notice->PhysicalAddress.SegmentId == 0 &&
                           notice->PhysicalAddress.SegmentOffset == 0;
    return KERNEL_KEEPS(call, right && notice->Reserved == 0,
                        "where the part is, or nothing for one that goes",
                        "Resident %u, segment %u, 0x%llX", notice->Resident, notice->SegmentId,
                        (unsigned long long)notice->PhysicalAddress.SegmentOffset);
}

static const struct contract_row rows[] = {
    KERNEL(MAPMMU_001, BuildPagingBuffer, maps_what_is_there, OPERATION(MAP_MMU)),
    KERNEL(UNMAPMMU_001, BuildPagingBuffer, unmaps_what_is_mapped, OPERATION(UNMAP_MMU)),
    KERNEL(NRES2_001, BuildPagingBuffer, parts_follow, OPERATION(NOTIFY_RESIDENCY2)),
    KERNEL(NRES2_002, BuildPagingBuffer, place_of_part, OPERATION(NOTIFY_RESIDENCY2)),
};

const struct contract_family contract_family_kernel_mmus = FAMILY_OF(rows);
