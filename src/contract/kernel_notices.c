/* The kernel's own duties: notices of residency, and before allocations leave system memory. */
#include "contract/paging_call.h"

/* ---- NotifyResidency ------------------------------------------------------------------------- */

static const DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY *notice_of(const struct contract_call *call)
{
    return &paging_of(call)->NotifyResidency;
}

/* Of an allocation that asked for it, and each time the other one. */
static bool notices_alternate(struct contract_call *call)
{
    const struct contract_object *allocation =
        paging_allocation(call, notice_of(call)->hAllocation);
    bool resident = notice_of(call)->Resident;

    if (!allocation) {
        return contract_no_case(call); /* another rule looks */
    }
    return KERNEL_KEEPS(call, allocation->wants_residency && allocation->told_resident != resident,
                        "one notice for each commit and one for each eviction of an allocation "
                        "with both flags",
                        "both flags %d, Resident %d after %d", allocation->wants_residency,
                        resident, allocation->told_resident);
}

static bool place_of_notice(struct contract_call *call)
{
    const D3DGPU_PHYSICAL_ADDRESS *place = &notice_of(call)->PhysicalAddress;
    const struct contract_object *allocation =
        paging_allocation(call, notice_of(call)->hAllocation);
    const struct contract_segment *at = paging_segment(call, place->SegmentId);

    if (!notice_of(call)->Resident) {
        return KERNEL_KEEPS(call, place->SegmentId == 0 && place->SegmentOffset == 0,
                            "place (0, 0) for what is evicted", "segment %u, 0x%llX",
                            place->SegmentId, (unsigned long long)place->SegmentOffset);
    }
    return KERNEL_KEEPS(call,
                        at && contract_in_segment(call->tracker, place->SegmentId,
                                                  at->base + place->SegmentOffset,
                                                  allocation ? allocation->size : 1),
                        "a place in a segment for what is committed", "segment %u, 0x%llX",
                        place->SegmentId, (unsigned long long)place->SegmentOffset);
}

static bool only_bit_zero(struct contract_call *call)
{
    return KERNEL_KEEPS(call, notice_of(call)->Reserved >> 1 == 0, "Resident and no other bit",
                        "0x%X", notice_of(call)->Reserved);
}

/* What brings it, or has mapped it, came before; what takes it away comes after. */
static bool between_its_moves(struct contract_call *call)
{
    const D3DGPU_PHYSICAL_ADDRESS *place = &notice_of(call)->PhysicalAddress;
    const struct contract_object *allocation =
        paging_allocation(call, notice_of(call)->hAllocation);

    if (!allocation) {
        return contract_no_case(call);
    }
    if (!notice_of(call)->Resident) {
        place = &allocation->told_place;
    }
    const struct contract_segment *at = paging_segment(call, place->SegmentId);
    if (!at) {
        return contract_no_case(call);
    }
    if (at->flags.Aperture) {
        return KERNEL_KEEPS(
            call,
            contract_pages_mapped(&call->tracker->apertures[place->SegmentId],
                                  place->SegmentOffset / MACHINE_PAGE_SIZE,
                                  align_up(allocation->size, MACHINE_PAGE_SIZE) / MACHINE_PAGE_SIZE,
                                  true),
            "a range of the aperture that is mapped", "segment %u, 0x%llX", place->SegmentId,
            (unsigned long long)place->SegmentOffset);
    }
    return KERNEL_KEEPS(call,
                        allocation->segment == place->SegmentId &&
                            allocation->address == at->base + place->SegmentOffset,
                        "a commit notice behind what moved it there, one of eviction before what "
                        "moves it away",
                        "it is in segment %u at 0x%llX; the notice is about segment %u, 0x%llX",
                        allocation->segment, (unsigned long long)allocation->address,
                        place->SegmentId, (unsigned long long)place->SegmentOffset);
}

/* ---- NotifyAllocation ------------------------------------------------------------------------ */

static const DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC *eviction_of(const struct contract_call *call)
{
    return &paging_of(call)->NotifyAllocation;
}

/* Does the IOMMU translate addresses that the kernel gave out? */
static bool has_iommu(const struct contract_call *call)
{
    return contract_shares_addresses(call->tracker) && call->tracker->gives_iommu_addresses;
}

static bool of_eviction(const struct contract_call *call)
{
    return paging_of(call)->Operation == DXGK_OPERATION_NOTIFY_ALLOC &&
           eviction_of(call)->Flags.Eviction;
}

static bool of_iommu(const struct contract_call *call)
{
    return paging_of(call)->Operation == DXGK_OPERATION_NOTIFY_ALLOC &&
           eviction_of(call)->Flags.IoMmuUnmap && !eviction_of(call)->Flags.Eviction;
}

static bool asked_for_it(struct contract_call *call)
{
    const struct contract_object *allocation =
        paging_allocation(call, eviction_of(call)->hAllocation);
    bool leaves = of_iommu(call);

    if (leaves && !has_iommu(call)) {
        return contract_no_case(call); /* another rule looks */
    }
    return KERNEL_KEEPS(
        call, allocation && (leaves ? allocation->wants_unmap : allocation->wants_eviction),
        leaves ? "an allocation that was created with NotifyIoMmuUnmap"
               : "an allocation that was created with NotifyEviction",
        "hAllocation %p", eviction_of(call)->hAllocation);
}

static bool only_with_iommu(struct contract_call *call)
{
    return KERNEL_KEEPS(call, has_iommu(call),
                        "IoMmuUnmap where PHYSICALADAPTERCAPS have GpuVaIommuRequired",
                        "flags 0x%X", eviction_of(call)->Flags.Value);
}

static bool parts_follow(struct contract_call *call)
{
    const struct contract_object *allocation =
        paging_allocation(call, eviction_of(call)->hAllocation);

    if (!allocation) {
        return contract_no_case(call);
    }
    return KERNEL_KEEPS(call, eviction_of(call)->OffsetInBytes == allocation->notice_next,
                        "parts from the begin of the allocation to its end", "0x%llX, not 0x%llX",
                        (unsigned long long)eviction_of(call)->OffsetInBytes,
                        (unsigned long long)allocation->notice_next);
}

/* By the last notice of residency: what leaves video memory to be discarded does so without a word.
 */
static bool leaves_system_memory(struct contract_call *call)
{
    const struct contract_object *allocation =
        paging_allocation(call, eviction_of(call)->hAllocation);

    if (!allocation || !allocation->told_resident) {
        return contract_no_case(call);
    }
    const struct contract_segment *at = paging_segment(call, allocation->told_place.SegmentId);
    return KERNEL_KEEPS(call, !at || at->flags.Aperture,
                        "an allocation in an aperture, or in system memory", "segment %u",
                        allocation->told_place.SegmentId);
}

static const struct contract_object *process_of(const struct contract_call *call)
{
    HANDLE handle = eviction_of(call)->hKmdProcessHandle;

    return handle ? contract_object_find(call->tracker, TRACKED_PROCESS, handle) : NULL;
}

static bool one_flag_and_its_process(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC *notice = eviction_of(call);
    bool fits = notice->Flags.Eviction ? !notice->hKmdProcessHandle
                                       : process_of(call) && notice->hKmdProcessHandle !=
                                                                 call->tracker->system_process;

    return KERNEL_KEEPS(call,
                        notice->Flags.Eviction + notice->Flags.IoMmuUnmap == 1 &&
                            notice->Flags.Reserved == 0 && fits,
                        "Eviction alone, and no process; or IoMmuUnmap alone, and a client's",
                        "flags 0x%X, process %p", notice->Flags.Value, notice->hKmdProcessHandle);
}

/* The page of the process's address space, as the one who translates for it has it. */
static bool is_shown(const struct contract_call *call, uint64_t page)
{
    struct contract_translation at;
    uint64_t physical;
    unsigned permitted;

    if (of_iommu(call)) {
        return iommu_translate(process_of(call)->pasid, page << MACHINE_PAGE_SHIFT, &physical,
                               &permitted);
    }
    return contract_translate(call->tracker, call->tracker->system_process, page, &at) &&
           !at.now.Zero && !at.now.ReadOnly && at.now.Segment == 0 && !at.stale;
}

static bool part_is_mapped(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC *notice = eviction_of(call);
    const struct contract_object *allocation = paging_allocation(call, notice->hAllocation);
    bool leaves = of_iommu(call);
    uint64_t first = notice->GpuVirtualAddressAtOffset >> MACHINE_PAGE_SHIFT;
    uint64_t count = notice->SizeInBytes >> MACHINE_PAGE_SHIFT;

    if (leaves && (!has_iommu(call) || !process_of(call))) {
        return contract_no_case(call); /* other rules look */
    }
    if (notice->SizeInBytes == 0 ||
        (notice->SizeInBytes | notice->OffsetInBytes | notice->GpuVirtualAddressAtOffset) %
                MACHINE_PAGE_SIZE !=
            0 ||
        (allocation && !range_fits(notice->OffsetInBytes, notice->SizeInBytes,
                                   align_up(allocation->size, MACHINE_PAGE_SIZE)))) {
        return contract_say(
            call, "pages of the allocation", "0x%llX bytes at 0x%llX, shown at 0x%llX",
            (unsigned long long)notice->SizeInBytes, (unsigned long long)notice->OffsetInBytes,
            (unsigned long long)notice->GpuVirtualAddressAtOffset);
    }
    for (uint64_t page = first; page < first + count; page++) {
        if (!is_shown(call, page)) {
            return contract_say(call,
                                leaves ? "addresses that show the part in the process"
                                       : "addresses that show the part in the paging process, to "
                                         "be written, too",
                                "0x%llX", (unsigned long long)(page << MACHINE_PAGE_SHIFT));
        }
    }
    return true;
}

static const struct contract_row rows[] = {
    KERNEL(NRES_001, BuildPagingBuffer, notices_alternate, OPERATION(NOTIFY_RESIDENCY)),
    KERNEL(NRES_002, BuildPagingBuffer,
           FIELD_LIVES(DXGKARG_BUILDPAGINGBUFFER, NotifyResidency.hAllocation, TRACKED_ALLOCATION),
           OPERATION(NOTIFY_RESIDENCY)),
    KERNEL(NRES_003, BuildPagingBuffer, place_of_notice, OPERATION(NOTIFY_RESIDENCY)),
    KERNEL(NRES_004, BuildPagingBuffer, only_bit_zero, OPERATION(NOTIFY_RESIDENCY)),
    KERNEL(NRES_005, BuildPagingBuffer, between_its_moves, OPERATION(NOTIFY_RESIDENCY)),

    KERNEL(NALLOC_001, BuildPagingBuffer, asked_for_it, OPERATION(NOTIFY_ALLOC)),
    KERNEL(NALLOC_002, BuildPagingBuffer, parts_follow, WHEN(of_eviction),
           LEAVES_OUT("that it stays mapped until the commands have run: a fault would tell")),
    KERNEL(NALLOC_003, BuildPagingBuffer, leaves_system_memory, WHEN(of_eviction)),
    KERNEL(NALLOC_004, BuildPagingBuffer, one_flag_and_its_process, OPERATION(NOTIFY_ALLOC)),
    KERNEL(NALLOC_005, BuildPagingBuffer, part_is_mapped, OPERATION(NOTIFY_ALLOC),
           LEAVES_OUT("of IoMmuUnmap, that these pages are the allocation's")),
    KERNEL(NALLOC_006, BuildPagingBuffer, only_with_iommu, WHEN(of_iommu)),
};

const struct contract_family contract_family_kernel_notices = FAMILY_OF(rows);
