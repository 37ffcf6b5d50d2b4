/* The kernel's own duties: swizzling ranges, and transfers of what is locked through them. */
#include "contract/paging_call.h"

static const struct contract_object *allocation_of(const struct contract_call *call)
{
    return paging_allocation(call, paging_of(call)->SpecialLockTransfer.hAllocation);
}

static const struct contract_range *range_of(const struct contract_call *call)
{
    UINT id = paging_of(call)->SpecialLockTransfer.SwizzlingRangeId;

    return id < CONTRACT_RANGES_MAX ? &call->tracker->ranges[id] : NULL;
}

static bool leaves(const struct contract_call *call)
{
    return paging_of(call)->SpecialLockTransfer.Destination.SegmentId == 0;
}

/* Out: it is seen through a range. In: it went out that way. */
static bool is_under_lock(struct contract_call *call)
{
    const struct contract_object *allocation = allocation_of(call);
    const struct contract_tracker *tracker = call->tracker;
    bool seen = false;

    for (unsigned i = 0; i < CONTRACT_RANGES_MAX; i++) {
        seen |= tracker->ranges[i].allocation == paging_of(call)->SpecialLockTransfer.hAllocation;
    }
    return KERNEL_KEEPS(call, !allocation || (leaves(call) ? seen : allocation->left_under_lock),
                        "an allocation that leaves under a lock through a range, or comes back",
                        "it is in segment %u, and %s", allocation->segment,
                        seen ? "has a range" : "has no range");
}

static bool offsets_fit(struct contract_call *call)
{
    const DXGKARG_BUILDPAGINGBUFFER *paging = paging_of(call);
    const struct contract_object *allocation = allocation_of(call);
    const struct contract_tracker *tracker = call->tracker;
    uint64_t size = paging->SpecialLockTransfer.TransferSize;
    uint64_t offset = paging->SpecialLockTransfer.TransferOffset;
    uint64_t from = tracker->paging.transferring ? tracker->paging.transfer_next : 0;

    return KERNEL_KEEPS(
        call,
        size != 0 && size % MACHINE_PAGE_SIZE == 0 &&
            (!allocation || offset + size <= paging_whole_pages(allocation->size)) &&
            (paging_repeats(call) || offset == from),
        "whole pages inside the allocation, each once", "%llu bytes at %llu",
        (unsigned long long)size, (unsigned long long)offset);
}

static bool source_is_right(struct contract_call *call)
{
    const DXGKARG_BUILDPAGINGBUFFER *paging = paging_of(call);
    const struct contract_object *allocation = allocation_of(call);
    UINT segment = paging->SpecialLockTransfer.Source.SegmentId;
    uint64_t address = (uint64_t)paging->SpecialLockTransfer.Source.SegmentAddress.QuadPart;

    if (segment == 0) {
        return paging_mdl_holds(call, paging->SpecialLockTransfer.Source.pMdl, 0,
                                paging->SpecialLockTransfer.TransferSize);
    }
    return KERNEL_KEEPS(
        call, !allocation || (allocation->segment == segment && allocation->address == address),
        "the place that the allocation has", "segment %u, 0x%llX", segment,
        (unsigned long long)address);
}

static bool destination_is_right(struct contract_call *call)
{
    const DXGKARG_BUILDPAGINGBUFFER *paging = paging_of(call);
    UINT segment = paging->SpecialLockTransfer.Destination.SegmentId;
    uint64_t address = (uint64_t)paging->SpecialLockTransfer.Destination.SegmentAddress.QuadPart;
    const struct contract_segment *at = paging_segment(call, segment);

    if (segment == 0) {
        return paging_mdl_holds(call, paging->SpecialLockTransfer.Destination.pMdl, 0,
                                paging->SpecialLockTransfer.TransferSize);
    }
    return KERNEL_KEEPS(
        call,
        at && !contract_is_aperture(at) && paging->SpecialLockTransfer.Source.SegmentId == 0 &&
            contract_in_segment(call->tracker, segment, address,
                                paging->SpecialLockTransfer.TransferOffset +
                                    paging->SpecialLockTransfer.TransferSize),
        "a place in a memory segment", "segment %u, 0x%llX", segment, (unsigned long long)address);
}

static bool flags_make_sense(struct contract_call *call)
{
    DXGK_TRANSFERFLAGS flags = paging_of(call)->SpecialLockTransfer.Flags;

    return KERNEL_KEEPS(
        call,
        flags.Reserved == 0 &&
            (paging_repeats(call) || flags.TransferStart == !call->tracker->paging.transferring),
        "TransferStart at the first piece, and reserved bits 0", "flags 0x%X", flags.Value);
}

static bool names_range(struct contract_call *call)
{
    const DXGKARG_BUILDPAGINGBUFFER *paging = paging_of(call);
    const struct contract_range *range = range_of(call);

    return KERNEL_KEEPS(call,
                        range && range->allocation == paging->SpecialLockTransfer.hAllocation &&
                            range->data == paging->SpecialLockTransfer.SwizzlingRangeData,
                        "the range through which it is seen, and its private data",
                        "range %u, data 0x%X", paging->SpecialLockTransfer.SwizzlingRangeId,
                        paging->SpecialLockTransfer.SwizzlingRangeData);
}

/* A range of the driver's that nobody has. */
static bool is_free_range(struct contract_call *call)
{
    const DXGKARG_ACQUIRESWIZZLINGRANGE *asked = call->arguments;
    const struct contract_tracker *tracker = call->tracker;

    return KERNEL_KEEPS(
        call,
        !tracker->features.wddm2 && asked->RangeId < tracker->caps.NumberOfSwizzlingRanges &&
            (asked->RangeId >= CONTRACT_RANGES_MAX || !tracker->ranges[asked->RangeId].allocation),
        "a free range below NumberOfSwizzlingRanges, before WDDM 2.0", "range %u of %u",
        asked->RangeId, tracker->caps.NumberOfSwizzlingRanges);
}

static bool is_its_range(struct contract_call *call)
{
    const DXGKARG_RELEASESWIZZLINGRANGE *asked = call->arguments;
    const struct contract_tracker *tracker = call->tracker;
    const struct contract_range *range =
        asked->RangeId < CONTRACT_RANGES_MAX ? &tracker->ranges[asked->RangeId] : NULL;

    return KERNEL_KEEPS(call,
                        range && range->allocation == asked->hAllocation &&
                            range->data == asked->PrivateDriverData,
                        "a range that was acquired for the allocation with these private data",
                        "range %u", asked->RangeId);
}

static const struct contract_row rows[] = {
    KERNEL(SPLOCK_001, BuildPagingBuffer, is_under_lock, OPERATION(SPECIAL_LOCK_TRANSFER)),
    KERNEL(
        SPLOCK_002, BuildPagingBuffer,
        FIELD_LIVES(DXGKARG_BUILDPAGINGBUFFER, SpecialLockTransfer.hAllocation, TRACKED_ALLOCATION),
        OPERATION(SPECIAL_LOCK_TRANSFER)),
    KERNEL(SPLOCK_003, BuildPagingBuffer, offsets_fit, OPERATION(SPECIAL_LOCK_TRANSFER)),
    KERNEL(SPLOCK_004, BuildPagingBuffer, source_is_right, OPERATION(SPECIAL_LOCK_TRANSFER),
           LEAVES_OUT("that the MDL's pages are those behind the alternate address")),
    KERNEL(SPLOCK_005, BuildPagingBuffer, destination_is_right, OPERATION(SPECIAL_LOCK_TRANSFER),
           LEAVES_OUT("that the MDL's pages are those behind the alternate address")),
    KERNEL(SPLOCK_006, BuildPagingBuffer, flags_make_sense, OPERATION(SPECIAL_LOCK_TRANSFER),
           LEAVES_OUT("the answer BUSY, which PAGE-006 judges")),
    KERNEL(SPLOCK_008, BuildPagingBuffer, names_range, OPERATION(SPECIAL_LOCK_TRANSFER),
           WHEN(leaves)),
    KERNEL(SWZ_001, AcquireSwizzlingRange, is_free_range),
    KERNEL(SWZ_001, ReleaseSwizzlingRange, is_its_range),
};

const struct contract_family contract_family_kernel_ranges = FAMILY_OF(rows);
