/* The kernel's own duties: BuildPagingBuffer and its operations. */
#include "contract/paging_call.h"

#include <string.h>

#include "base/fill.h"
#include "nt/nt.h"

typedef DXGKARG_BUILDPAGINGBUFFER arguments_type;

/* Does this call go on where the one before left its buffer? */
static bool continues(const struct contract_call *call)
{
    const struct contract_tracker *tracker = call->tracker;

    return tracker->paging.open && paging_of(call)->pDmaBuffer == tracker->paging.next;
}

/* ---- The call -------------------------------------------------------------------------------- */

static bool by_the_manager(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->irql < MACHINE_IRQL_DISPATCH, "PASSIVE_LEVEL", "IRQL %u",
                        call->irql);
}

static bool has_buffer(const struct contract_call *call)
{
    return paging_of(call)->pDmaBuffer != NULL;
}

/* The signal stands behind what an operation wrote, whatever becomes of that. */
static bool moves_memory(const struct contract_call *call)
{
    return has_buffer(call) && !paging_is(call, DXGK_OPERATION_SIGNAL_MONITORED_FENCE);
}

/* What the CPU does at once needs none, and gets none; everything else does. */
static bool buffer_or_at_once(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    bool at_once = paging_is(call, DXGK_OPERATION_UPDATE_PAGE_TABLE) &&
                   paging->UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;

    return KERNEL_KEEPS(call,
                        at_once ? !paging->pDmaBuffer && paging->DmaSize == 0 &&
                                      !paging->pDmaBufferPrivateData &&
                                      paging->DmaBufferPrivateDataSize == 0
                                : paging->pDmaBuffer != NULL,
                        "a buffer for all but what the CPU writes at once",
                        "operation %d, pDmaBuffer %p", (int)paging->Operation, paging->pDmaBuffer);
}

/* Where paging has addresses of its own, the buffer has one. */
static bool address_of_buffer(struct contract_call *call)
{
    const struct contract_tracker *tracker = call->tracker;
    uint64_t address = paging_of(call)->DmaBufferGpuVirtualAddress;
    bool is_virtual = contract_pages_virtually(tracker);

    return KERNEL_KEEPS(call,
                        is_virtual ? address != 0 && address % MACHINE_PAGE_SIZE == 0 &&
                                         (!continues(call) || address == tracker->paging.address)
                                   : address == 0,
                        "the buffer's GPU virtual address where paging has such, else 0", "0x%llX",
                        (unsigned long long)address);
}

/* Behind the operation before, or from the start of an empty buffer [PAGE-003]. */
static bool next_place(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);

    return KERNEL_KEEPS(call,
                        continues(call) || paging->DmaSize == call->tracker->paging_buffer_size,
                        "room behind the last operation, or an empty buffer", "%u of %u bytes",
                        paging->DmaSize, call->tracker->paging_buffer_size);
}

static bool aligned_at_first(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);

    return KERNEL_KEEPS(
        call, continues(call) || (uintptr_t)paging->pDmaBuffer % MACHINE_PAGE_SIZE == 0,
        "4 KB alignment, or where the driver stopped", "pDmaBuffer %p", paging->pDmaBuffer);
}

static bool size_left(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    const struct contract_tracker *tracker = call->tracker;
    UINT wanted = continues(call) ? tracker->paging.left : call->tracker->paging_buffer_size;

    return KERNEL_KEEPS(call, paging->DmaSize == wanted, "what is left of the buffer",
                        "DmaSize %u, %u are left", paging->DmaSize, wanted);
}

static bool private_left(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    const struct contract_tracker *tracker = call->tracker;
    UINT wanted =
        continues(call) ? tracker->paging.private_left : call->tracker->paging_private_size;

    return KERNEL_KEEPS(call, paging->DmaBufferPrivateDataSize == wanted,
                        "what is left of the private data", "%u bytes, %u are left",
                        paging->DmaBufferPrivateDataSize, wanted);
}

static bool private_fresh(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    const unsigned char *bytes = paging->pDmaBufferPrivateData;

    if (continues(call)) {
        return KERNEL_KEEPS(call, bytes == call->tracker->paging.private_next,
                            "the private data behind the last operation's", "%p",
                            paging->pDmaBufferPrivateData);
    }
    if (paging->DmaBufferPrivateDataSize == 0) {
        return KERNEL_KEEPS(call, !bytes, "no private data where none was asked for", "%p",
                            paging->pDmaBufferPrivateData);
    }
    if (vary_on(VARY_OLD_PRIVATE_DATA)) {
        return true; /* which buffers are new the call does not say */
    }
    UINT size = bytes ? paging->DmaBufferPrivateDataSize : 0;
    size_t zeros = fill_first_other(bytes, 0, size);
    return zeros == size || contract_say(call, "private data of zeros in a new buffer",
                                         "byte %zu is 0x%02X", zeros, bytes[zeros]);
}

static bool known_operation(struct contract_call *call)
{
    switch (paging_of(call)->Operation) {
    case DXGK_OPERATION_TRANSFER:
    case DXGK_OPERATION_FILL:
    case DXGK_OPERATION_DISCARD_CONTENT:
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
        return true;
    case DXGK_OPERATION_READ_PHYSICAL:
    case DXGK_OPERATION_WRITE_PHYSICAL:
        return contract_has_chipset_segment(call->tracker) ||
               contract_say(call, "an operation of the driver's version and capabilities",
                            "READ_PHYSICAL or WRITE_PHYSICAL without an AGP-type segment");
    case DXGK_OPERATION_MAP_MMU:
    case DXGK_OPERATION_UNMAP_MMU:
        return call->tracker->device_mmus.count > 0 ||
               contract_say(call, "an operation of the driver's version and capabilities",
                            "MAP_MMU or UNMAP_MMU without an answer to QUERYMMUS");
    case DXGK_OPERATION_NOTIFY_RESIDENCY2:
        return call->tracker->device_mmus.asked ||
               contract_say(call, "an operation of the driver's version and capabilities",
                            "NOTIFY_RESIDENCY2, and nobody asked for it");
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        if (!call->tracker->features.wddm2 && call->tracker->caps.NumberOfSwizzlingRanges > 0) {
            return true;
        }
        return contract_say(call, "an operation of the driver's version and capabilities",
                            "SPECIAL_LOCK_TRANSFER without swizzling ranges");
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
    case DXGK_OPERATION_VIRTUAL_FILL:
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
    case DXGK_OPERATION_FLUSH_TLB:
    case DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION:
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
        if (call->tracker->features.virtual_addressing) {
            return true;
        }
        __attribute__((fallthrough));
    case DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY:
        if (paging_is(call, DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY) &&
            call->tracker->features.native_fences) {
            return true;
        }
        __attribute__((fallthrough));
    case DXGK_OPERATION_NOTIFY_ALLOC:
        if (paging_is(call, DXGK_OPERATION_NOTIFY_ALLOC) &&
            call->tracker->features.eviction_notices &&
            call->tracker->features.virtual_addressing) {
            return true;
        }
        __attribute__((fallthrough));
    case DXGK_OPERATION_SIGNAL_MONITORED_FENCE:
        return call->tracker->features.hardware_queues ||
               contract_say(call, "an operation of the driver's version and capabilities",
                            "SIGNAL_MONITORED_FENCE without hardware queues");
    default: /* the others go with capabilities that no adapter here is started with */
        return contract_say(call, "an operation of the driver's version and capabilities",
                            "operation %d", (int)paging_of(call)->Operation);
    }
}

static bool same_operation(const arguments_type *a, const arguments_type *b)
{
    if (a->Operation != b->Operation) {
        return false;
    }
    switch (a->Operation) {
    case DXGK_OPERATION_TRANSFER:
        return a->Transfer.hAllocation == b->Transfer.hAllocation &&
               a->Transfer.TransferSize == b->Transfer.TransferSize &&
               a->Transfer.MdlOffset == b->Transfer.MdlOffset &&
               memcmp(&a->Transfer.Source, &b->Transfer.Source, sizeof a->Transfer.Source) == 0 &&
               memcmp(&a->Transfer.Destination, &b->Transfer.Destination,
                      sizeof a->Transfer.Destination) == 0;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        return a->SpecialLockTransfer.hAllocation == b->SpecialLockTransfer.hAllocation &&
               a->SpecialLockTransfer.TransferOffset == b->SpecialLockTransfer.TransferOffset &&
               a->SpecialLockTransfer.TransferSize == b->SpecialLockTransfer.TransferSize &&
               memcmp(&a->SpecialLockTransfer.Source, &b->SpecialLockTransfer.Source,
                      sizeof a->SpecialLockTransfer.Source) == 0 &&
               memcmp(&a->SpecialLockTransfer.Destination, &b->SpecialLockTransfer.Destination,
                      sizeof a->SpecialLockTransfer.Destination) == 0;
    case DXGK_OPERATION_FILL:
        return memcmp(&a->Fill, &b->Fill, sizeof a->Fill) == 0;
    case DXGK_OPERATION_READ_PHYSICAL:
        return memcmp(&a->ReadPhysical, &b->ReadPhysical, sizeof a->ReadPhysical) == 0;
    case DXGK_OPERATION_WRITE_PHYSICAL:
        return memcmp(&a->WritePhysical, &b->WritePhysical, sizeof a->WritePhysical) == 0;
    case DXGK_OPERATION_DISCARD_CONTENT:
        return a->DiscardContent.hAllocation == b->DiscardContent.hAllocation;
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
        return memcmp(&a->InitContextResource, &b->InitContextResource,
                      sizeof a->InitContextResource) == 0;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        return memcmp(&a->MapApertureSegment, &b->MapApertureSegment,
                      sizeof a->MapApertureSegment) == 0;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
        return memcmp(&a->MapApertureSegment2, &b->MapApertureSegment2,
                      sizeof a->MapApertureSegment2) == 0;
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
        return memcmp(&a->CopyPageTableEntries, &b->CopyPageTableEntries,
                      sizeof a->CopyPageTableEntries) == 0;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        return memcmp(&a->UnmapApertureSegment, &b->UnmapApertureSegment,
                      sizeof a->UnmapApertureSegment) == 0;
    default:
        return true;
    }
}

/* What was destroyed between two calls is named no more. */
static void forget_gone(struct contract_tracker *tracker, enum contract_object_kind kind,
                        const HANDLE *now, HANDLE *before)
{
    if (!*now && *before && !contract_object_find(tracker, kind, *before)) {
        *before = NULL;
    }
}

static void forget_names(struct contract_tracker *tracker, const arguments_type *now,
                         arguments_type *before)
{
    switch (now->Operation) {
    case DXGK_OPERATION_TRANSFER:
        forget_gone(tracker, TRACKED_ALLOCATION, &now->Transfer.hAllocation,
                    &before->Transfer.hAllocation);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
        forget_gone(tracker, TRACKED_ALLOCATION, &now->MapApertureSegment2.hAllocation,
                    &before->MapApertureSegment2.hAllocation);
        forget_gone(tracker, TRACKED_DEVICE, &now->MapApertureSegment2.hDevice,
                    &before->MapApertureSegment2.hDevice);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        forget_gone(tracker, TRACKED_ALLOCATION, &now->MapApertureSegment.hAllocation,
                    &before->MapApertureSegment.hAllocation);
        forget_gone(tracker, TRACKED_DEVICE, &now->MapApertureSegment.hDevice,
                    &before->MapApertureSegment.hDevice);
        break;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        forget_gone(tracker, TRACKED_ALLOCATION, &now->UnmapApertureSegment.hAllocation,
                    &before->UnmapApertureSegment.hAllocation);
        forget_gone(tracker, TRACKED_DEVICE, &now->UnmapApertureSegment.hDevice,
                    &before->UnmapApertureSegment.hDevice);
        break;
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
        forget_gone(tracker, TRACKED_ALLOCATION, &now->InitContextResource.hAllocation,
                    &before->InitContextResource.hAllocation);
        break;
    default:
        break;
    }
}

static bool repeats_the_same(struct contract_call *call)
{
    struct contract_tracker *tracker = call->tracker;

    if (!tracker->paging.repeat) {
        return true;
    }
    arguments_type before = tracker->paging.last;
    forget_names(tracker, paging_of(call), &before);
    return KERNEL_KEEPS(call,
                        same_operation(paging_of(call), &before) &&
                            paging_of(call)->DmaSize == call->tracker->paging_buffer_size,
                        "the same operation again in a fresh buffer", "operation %d with %u bytes",
                        (int)paging_of(call)->Operation, paging_of(call)->DmaSize);
}

static bool multipass_kept(struct contract_call *call)
{
    const struct contract_tracker *tracker = call->tracker;
    UINT wanted = paging_repeats(call) ? tracker->paging.multipass : 0;

    return KERNEL_KEEPS(call, paging_of(call)->MultipassOffset == wanted,
                        "0, or what the driver left for a repeat", "%u, not %u",
                        paging_of(call)->MultipassOffset, wanted);
}

static bool busy_is_idle_next(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);

    if (!call->tracker->paging.busy) {
        return true;
    }
    bool idle = paging_is(call, DXGK_OPERATION_TRANSFER) ? paging->Transfer.Flags.AllocationIsIdle
                : paging_is(call, DXGK_OPERATION_SPECIAL_LOCK_TRANSFER)
                    ? paging->SpecialLockTransfer.Flags.AllocationIsIdle
                    : paging->DiscardContent.Flags.AllocationIsIdle;
    return KERNEL_KEEPS(call, paging->Operation == call->tracker->paging.last.Operation && idle,
                        "the same operation with AllocationIsIdle after ALLOCATION_BUSY",
                        "operation %d, idle %d", (int)paging->Operation, idle);
}

static bool system_context(struct contract_call *call)
{
    HANDLE context = paging_of(call)->hSystemContext;
    const struct contract_object *entry =
        context ? contract_object_find(call->tracker, TRACKED_CONTEXT, context) : NULL;
    bool has_one = contract_is_wddm2(call->tracker) &&
                   call->tracker->caps.SchedulingCaps.MultiEngineAware &&
                   call->tracker->has[POINT_CreateContext];

    return KERNEL_KEEPS(call, has_one ? entry && entry->system : context == NULL,
                        "the system context since WDDM 2.0, before it, and for a driver without "
                        "contexts, NULL",
                        "hSystemContext %p", context);
}

static bool write_offset(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    UINT wanted =
        contract_is_wddm2(call->tracker) ? call->tracker->paging_buffer_size - paging->DmaSize : 0;

    return KERNEL_KEEPS(call, paging->DmaBufferWriteOffset == wanted,
                        "the offset in the paging buffer since WDDM 2.0", "%u, not %u",
                        (UINT)paging->DmaBufferWriteOffset, wanted);
}

/* In a reset only what makes the driver forget [TDR-005]. */
static bool clean_up_only(struct contract_call *call)
{
    return KERNEL_KEEPS(call,
                        !call->tracker->in_reset ||
                            paging_is(call, DXGK_OPERATION_UNMAP_APERTURE_SEGMENT) ||
                            paging_is(call, DXGK_OPERATION_SIGNAL_MONITORED_FENCE) ||
                            (paging_is(call, DXGK_OPERATION_TRANSFER) &&
                             paging_of(call)->Transfer.TransferSize == 0),
                        "empty transfers and unmappings between reset and restart", "operation %d",
                        (int)paging_of(call)->Operation);
}

/* ---- Transfers ------------------------------------------------------------------------------- */

static bool transfer_by_segments(struct contract_call *call)
{
    return KERNEL_KEEPS(call, !contract_pages_virtually(call->tracker),
                        "a paging node that works with segment addresses",
                        "node %u, of GPU virtual addresses", call->tracker->paging_node);
}

static bool transfer_offset_kept(struct contract_call *call)
{
    const struct contract_tracker *tracker = call->tracker;
    return KERNEL_KEEPS(call,
                        !tracker->paging.repeat || paging_of(call)->Transfer.TransferOffset ==
                                                       tracker->paging.last.Transfer.TransferOffset,
                        "the same TransferOffset again", "%u",
                        paging_of(call)->Transfer.TransferOffset);
}

static bool transfer_size(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    const struct contract_object *allocation =
        paging_allocation(call, paging->Transfer.hAllocation);
    uint64_t size = paging->Transfer.TransferSize;
    return KERNEL_KEEPS(call,
                        size % MACHINE_PAGE_SIZE == 0 &&
                            (!allocation || paging->Transfer.TransferOffset + size <=
                                                paging_whole_pages(allocation->size)),
                        "whole pages inside the allocation", "%llu bytes at %u",
                        (unsigned long long)size, paging->Transfer.TransferOffset);
}

static bool transfer_of_nothing(struct contract_call *call)
{
    return KERNEL_KEEPS(call,
                        (paging_of(call)->Transfer.TransferSize == 0) == call->tracker->in_reset,
                        "size 0 after a reset, and only then", "%llu bytes",
                        (unsigned long long)paging_of(call)->Transfer.TransferSize);
}

static bool transfer_sides(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    UINT from = paging->Transfer.Source.SegmentId, to = paging->Transfer.Destination.SegmentId;
    uint64_t source = (uint64_t)paging->Transfer.Source.SegmentAddress.QuadPart;
    uint64_t target = (uint64_t)paging->Transfer.Destination.SegmentAddress.QuadPart;
    uint64_t apart = source < target ? target - source : source - target;
    bool same = from == to && (from == 0 || apart < paging->Transfer.TransferSize);
    if (paging->Transfer.TransferSize == 0) {
        return true; /* nothing moves */
    }
    return KERNEL_KEEPS(call,
                        !same && from <= call->tracker->segment_count &&
                            to <= call->tracker->segment_count &&
                            (from != 0 || paging->Transfer.Source.pMdl) &&
                            (to != 0 || paging->Transfer.Destination.pMdl),
                        "two places apart, a segment or an MDL each, and not two MDLs",
                        "segments %u and %u, 0x%llX and 0x%llX", from, to,
                        (unsigned long long)source, (unsigned long long)target);
}

/* A memory side is where paging put the allocation; an aperture side is mapped. */
static bool side_is_right(struct contract_call *call, UINT segment, uint64_t address, bool source)
{
    const arguments_type *paging = paging_of(call);
    const struct contract_segment *at = paging_segment(call, segment);
    const struct contract_object *allocation =
        paging_allocation(call, paging->Transfer.hAllocation);
    uint64_t size = paging->Transfer.TransferSize + paging->Transfer.TransferOffset;

    if (segment == 0 || paging->Transfer.TransferSize == 0) {
        return true;
    }
    if (!at || !contract_in_segment(call->tracker, segment, address, size)) {
        return contract_say(call, "segment base plus offset, inside the segment",
                            "segment %u, 0x%llX, %llu bytes", segment, (unsigned long long)address,
                            (unsigned long long)size);
    }
    if (at->flags.Agp) {
        return true; /* what is mapped there the driver is not told */
    }
    if (at->flags.Aperture) {
        return KERNEL_KEEPS(
            call,
            contract_pages_mapped(
                &call->tracker->apertures[segment], (address - at->base) / MACHINE_PAGE_SIZE,
                paging_whole_pages(paging->Transfer.TransferSize) / MACHINE_PAGE_SIZE, true),
            "a range of the aperture that is mapped", "segment %u, 0x%llX", segment,
            (unsigned long long)address);
    }
    return KERNEL_KEEPS(call,
                        !source || !allocation ||
                            (allocation->segment == segment && allocation->address == address),
                        "the place that the allocation has", "segment %u, 0x%llX, not %u, 0x%llX",
                        segment, (unsigned long long)address, allocation->segment,
                        (unsigned long long)allocation->address);
}

static bool transfer_places(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    return side_is_right(call, paging->Transfer.Source.SegmentId,
                         (uint64_t)paging->Transfer.Source.SegmentAddress.QuadPart, true) &&
           side_is_right(call, paging->Transfer.Destination.SegmentId,
                         (uint64_t)paging->Transfer.Destination.SegmentAddress.QuadPart, false);
}

bool paging_mdl_holds(struct contract_call *call, const MDL *mdl, uint64_t first, uint64_t bytes)
{
    return KERNEL_KEEPS(call,
                        mdl && (mdl->MdlFlags & MDL_PAGES_LOCKED) &&
                            first * MACHINE_PAGE_SIZE + bytes <= mdl->ByteCount,
                        "an MDL of locked pages that holds the part",
                        "page %llu, %llu bytes, of %u bytes, flags 0x%X", (unsigned long long)first,
                        (unsigned long long)bytes, mdl ? mdl->ByteCount : 0,
                        mdl ? mdl->MdlFlags : 0);
}

static bool transfer_mdl(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    const MDL *mdl = paging->Transfer.Source.SegmentId == 0 ? paging->Transfer.Source.pMdl
                     : paging->Transfer.Destination.SegmentId == 0
                         ? paging->Transfer.Destination.pMdl
                         : NULL;
    return paging->Transfer.TransferSize == 0 ||
           (paging->Transfer.Source.SegmentId && paging->Transfer.Destination.SegmentId) ||
           paging_mdl_holds(call, mdl, paging->Transfer.MdlOffset, paging->Transfer.TransferSize);
}

static bool transfer_brackets(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    const struct contract_tracker *tracker = call->tracker;
    if (paging->Transfer.TransferSize == 0 || paging_repeats(call)) {
        return true;
    }
    return KERNEL_KEEPS(call,
                        paging->Transfer.Flags.TransferStart == !tracker->paging.transferring &&
                            (!tracker->paging.transferring ||
                             tracker->paging.transfer_allocation == paging->Transfer.hAllocation),
                        "TransferStart, and TransferEnd before another one",
                        "start %d, under way %d", paging->Transfer.Flags.TransferStart,
                        tracker->paging.transferring);
}

static bool transfer_reserved(struct contract_call *call)
{
    return KERNEL_KEEPS(call, paging_of(call)->Transfer.Flags.Reserved == 0, "reserved bits 0",
                        "flags 0x%X", paging_of(call)->Transfer.Flags.Value);
}

static bool transfer_covers(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    const struct contract_tracker *tracker = call->tracker;
    const struct contract_object *allocation =
        paging_allocation(call, paging->Transfer.hAllocation);
    uint64_t from = tracker->paging.transferring ? tracker->paging.transfer_next : 0;
    uint64_t to = paging->Transfer.TransferOffset + paging->Transfer.TransferSize;
    if (paging->Transfer.TransferSize == 0 || paging_repeats(call) || !allocation) {
        return true;
    }
    return KERNEL_KEEPS(
        call,
        paging->Transfer.TransferOffset == from &&
            (!paging->Transfer.Flags.TransferEnd || to == paging_whole_pages(allocation->size)),
        "the whole allocation, each byte once", "[%u, %llu) of %llu, from %llu",
        paging->Transfer.TransferOffset, (unsigned long long)to,
        (unsigned long long)allocation->size, (unsigned long long)from);
}

/* ---- Fill and discard --------------------------------------------------------------------------
 */

static bool fill_size(struct contract_call *call)
{
    const struct contract_object *allocation =
        paging_allocation(call, paging_of(call)->Fill.hAllocation);
    uint64_t size = paging_of(call)->Fill.FillSize;
    return KERNEL_KEEPS(call,
                        size != 0 && size % 4 == 0 &&
                            (!allocation || size <= paging_whole_pages(allocation->size)),
                        "words inside the allocation", "%llu bytes", (unsigned long long)size);
}

static bool fill_memory(struct contract_call *call)
{
    const struct contract_segment *at =
        paging_segment(call, paging_of(call)->Fill.Destination.SegmentId);
    return KERNEL_KEEPS(call, at && !contract_is_aperture(at), "a memory segment", "segment %u",
                        paging_of(call)->Fill.Destination.SegmentId);
}

/* There is no content yet that a fill could destroy: it has no other place. */
static bool fill_first(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    const struct contract_object *allocation = paging_allocation(call, paging->Fill.hAllocation);
    return KERNEL_KEEPS(call,
                        !allocation || allocation->segment == 0 ||
                            allocation->segment == paging->Fill.Destination.SegmentId,
                        "an allocation that comes in", "it is in segment %u", allocation->segment);
}

static bool discard_place(struct contract_call *call)
{
    const struct contract_segment *at =
        paging_segment(call, paging_of(call)->DiscardContent.SegmentId);
    return KERNEL_KEEPS(call, at && !contract_is_aperture(at), "a place in a memory segment",
                        "segment %u", paging_of(call)->DiscardContent.SegmentId);
}

static bool discard_address(struct contract_call *call)
{
    const arguments_type *paging = paging_of(call);
    const struct contract_object *allocation =
        paging_allocation(call, paging->DiscardContent.hAllocation);
    return KERNEL_KEEPS(
        call,
        !allocation ||
            (allocation->segment == paging->DiscardContent.SegmentId &&
             allocation->address == (uint64_t)paging->DiscardContent.SegmentAddress.QuadPart),
        "the place that the allocation has", "segment %u, 0x%llX", paging->DiscardContent.SegmentId,
        (unsigned long long)paging->DiscardContent.SegmentAddress.QuadPart);
}

static const struct contract_row rows[] = {
    KERNEL(PAGE_001, BuildPagingBuffer, by_the_manager),
    KERNEL(PAGE_003, BuildPagingBuffer, next_place, WHEN(moves_memory)),
    KERNEL(PAGE_004, BuildPagingBuffer, repeats_the_same, WHEN(moves_memory)),
    KERNEL(PAGE_005, BuildPagingBuffer, busy_is_idle_next, WHEN(moves_memory),
           LEAVES_OUT("that no packet which uses the allocation is outstanding")),
    KERNEL(PAGE_008, BuildPagingBuffer, aligned_at_first, WHEN(moves_memory)),
    KERNEL(PAGE_011, BuildPagingBuffer, buffer_or_at_once),
    KERNEL(PAGE_013, BuildPagingBuffer, size_left, WHEN(moves_memory)),
    KERNEL(PAGE_016, BuildPagingBuffer, private_fresh, WHEN(moves_memory)),
    KERNEL(PAGE_018, BuildPagingBuffer, private_left, WHEN(moves_memory)),
    KERNEL(PAGE_019, BuildPagingBuffer, known_operation),
    KERNEL(PAGE_021, BuildPagingBuffer, multipass_kept, WHEN(moves_memory)),
    KERNEL(PAGE_023, BuildPagingBuffer, system_context),
    KERNEL(PAGE_024, BuildPagingBuffer, address_of_buffer, WHEN(has_buffer)),
    KERNEL(PAGE_025, BuildPagingBuffer, write_offset, WHEN(moves_memory)),
    KERNEL(TDR_005, BuildPagingBuffer, clean_up_only),

    KERNEL(XFER_001, BuildPagingBuffer, transfer_by_segments, OPERATION(TRANSFER)),
    KERNEL(XFER_002, BuildPagingBuffer,
           FIELD_LIVES_OR_NULL(DXGKARG_BUILDPAGINGBUFFER, Transfer.hAllocation, TRACKED_ALLOCATION),
           OPERATION(TRANSFER)),
    KERNEL(XFER_005, BuildPagingBuffer, transfer_offset_kept, OPERATION(TRANSFER)),
    KERNEL(XFER_006, BuildPagingBuffer, transfer_size, OPERATION(TRANSFER)),
    KERNEL(XFER_007, BuildPagingBuffer, transfer_of_nothing, OPERATION(TRANSFER),
           LEAVES_OUT(
               "that the driver copies nothing: commands of it that move no byte are no breach")),
    KERNEL(XFER_008, BuildPagingBuffer, transfer_sides, OPERATION(TRANSFER)),
    KERNEL(XFER_009, BuildPagingBuffer, transfer_places, OPERATION(TRANSFER)),
    KERNEL(XFER_010, BuildPagingBuffer, transfer_mdl, OPERATION(TRANSFER)),
    KERNEL(XFER_016, BuildPagingBuffer, transfer_brackets, OPERATION(TRANSFER)),
    KERNEL(XFER_018, BuildPagingBuffer, transfer_reserved, OPERATION(TRANSFER)),
    KERNEL(XFER_019, BuildPagingBuffer, transfer_covers, OPERATION(TRANSFER)),

    KERNEL(FILL_001, BuildPagingBuffer,
           FIELD_LIVES(DXGKARG_BUILDPAGINGBUFFER, Fill.hAllocation, TRACKED_ALLOCATION),
           OPERATION(FILL)),
    KERNEL(FILL_002, BuildPagingBuffer, fill_size, OPERATION(FILL)),
    KERNEL(FILL_004, BuildPagingBuffer, fill_memory, OPERATION(FILL)),
    KERNEL(FILL_005, BuildPagingBuffer,
           FIELD_IN_SEGMENT(DXGKARG_BUILDPAGINGBUFFER, Fill.Destination.SegmentAddress.QuadPart,
                            Fill.Destination.SegmentId, Fill.FillSize),
           OPERATION(FILL),
           LEAVES_OUT("that it is the place which the memory manager chose; FILL-007 judges that "
                      "the allocation has no other")),
    KERNEL(FILL_007, BuildPagingBuffer, fill_first, OPERATION(FILL)),
    KERNEL(DISC_001, BuildPagingBuffer, discard_place, OPERATION(DISCARD_CONTENT)),
    KERNEL(DISC_002, BuildPagingBuffer,
           FIELD_LIVES(DXGKARG_BUILDPAGINGBUFFER, DiscardContent.hAllocation, TRACKED_ALLOCATION),
           OPERATION(DISCARD_CONTENT)),
    KERNEL(DISC_004, BuildPagingBuffer, discard_address, OPERATION(DISCARD_CONTENT)),
};

const struct contract_family contract_family_kernel_paging = FAMILY_OF(rows);
