/* Rules of BuildPagingBuffer: what the driver answers and writes. */
#include "contract/internal.h"
#include "machine/machine.h"

#include <stdio.h>

static const DXGKARG_BUILDPAGINGBUFFER *asked(const struct contract_call *call)
{
    return call->before;
}

static bool is_map_of_allocation(const struct contract_call *call)
{
    return asked(call)->MapApertureSegment.hAllocation != NULL;
}

/* Pages without an allocation are those of a DMA buffer. */
static bool is_map_of_dma_buffer(const struct contract_call *call)
{
    return asked(call)->MapApertureSegment.hAllocation == NULL;
}

/* "Never heard of it": of an adapter that asked for address lists. */
static bool is_unknown_unmap(const struct contract_call *call)
{
    return call->tracker->features.address_lists &&
           (call->status == STATUS_NOT_SUPPORTED || call->status == STATUS_NOT_IMPLEMENTED);
}

static bool uses_lists(const struct contract_call *call)
{
    return call->tracker->features.address_lists;
}

/* What no page describes a driver need not know. */
static bool is_documented(const struct contract_call *call)
{
    DXGK_BUILDPAGINGBUFFER_OPERATION operation = asked(call)->Operation;

    return (operation != DXGK_OPERATION_MAP_MMU && operation != DXGK_OPERATION_UNMAP_MMU &&
            operation != DXGK_OPERATION_NOTIFY_RESIDENCY2 &&
            operation != DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY) ||
           (call->status != STATUS_NOT_SUPPORTED && call->status != STATUS_NOT_IMPLEMENTED);
}

static bool is_other_unmap(const struct contract_call *call)
{
    return !is_unknown_unmap(call);
}

static bool says_busy(const struct contract_call *call)
{
    return call->status == STATUS_GRAPHICS_ALLOCATION_BUSY;
}

/* Was the driver told, or is there no way to tell, that the allocation is idle? */
static bool busy_only_if_it_may_be(struct contract_call *call)
{
    const DXGKARG_BUILDPAGINGBUFFER *asked_for = asked(call);

    switch (asked_for->Operation) {
    case DXGK_OPERATION_TRANSFER:
        return !asked_for->Transfer.Flags.AllocationIsIdle ||
               contract_say(call, "no BUSY for an idle allocation",
                            "STATUS_GRAPHICS_ALLOCATION_BUSY with AllocationIsIdle set");
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        return !asked_for->SpecialLockTransfer.Flags.AllocationIsIdle ||
               contract_say(call, "no BUSY for an idle allocation",
                            "STATUS_GRAPHICS_ALLOCATION_BUSY with AllocationIsIdle set");
    case DXGK_OPERATION_DISCARD_CONTENT:
        return !asked_for->DiscardContent.Flags.AllocationIsIdle ||
               contract_say(call, "no BUSY for an idle allocation",
                            "STATUS_GRAPHICS_ALLOCATION_BUSY with AllocationIsIdle set");
    default:
        return contract_say(call, "BUSY only for operations that have an idle flag",
                            "STATUS_GRAPHICS_ALLOCATION_BUSY for %s",
                            contract_operation_name(asked_for->Operation));
    }
}

/* ---- What was written ------------------------------------------------------------------------ */

#define LOOKED_AT_BYTES 64u /* a command begins with what tells it from others */

static uint64_t first_bytes(const struct contract_call *call)
{
    const DXGKARG_BUILDPAGINGBUFFER *given = asked(call);
    size_t size = given->DmaSize < LOOKED_AT_BYTES ? given->DmaSize : LOOKED_AT_BYTES;

    return given->pDmaBuffer ? contract_hash(given->pDmaBuffer, size) : 0;
}

static bool left_the_pointer(const struct contract_call *call)
{
    const DXGKARG_BUILDPAGINGBUFFER *answer = call->arguments;

    return call->status == STATUS_SUCCESS && asked(call)->pDmaBuffer &&
           answer->pDmaBuffer == asked(call)->pDmaBuffer;
}

static bool nothing_was_written(struct contract_call *call)
{
    return first_bytes(call) == call->scratch ||
           contract_say(call, "pDmaBuffer behind the last byte written",
                        "STATUS_SUCCESS for %s: the driver wrote at pDmaBuffer and did not move "
                        "it, so nothing of this is submitted",
                        contract_operation_name(asked(call)->Operation));
}

/* ---- Answers --------------------------------------------------------------------------------- */

static bool may_answer_paging(NTSTATUS status)
{
    return status == STATUS_SUCCESS || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ||
           status == STATUS_GRAPHICS_ALLOCATION_BUSY;
}

/* Which arm of the union counts is what SegmentId says. */
static void name_side(UINT segment, uint64_t address, char *text, size_t size)
{
    if (segment == 0) {
        snprintf(text, size, "pMdl (SegmentId 0)");
    } else {
        snprintf(text, size, "SegmentAddress 0x%llX of segment %u", (unsigned long long)address,
                 segment);
    }
}

static void name_arguments(const DXGKARG_BUILDPAGINGBUFFER *given, char *text, size_t size)
{
    char source[64], destination[64];

    text[0] = '\0';
    if (given->Operation == DXGK_OPERATION_TRANSFER) {
        name_side(given->Transfer.Source.SegmentId,
                  (uint64_t)given->Transfer.Source.SegmentAddress.QuadPart, source, sizeof source);
        name_side(given->Transfer.Destination.SegmentId,
                  (uint64_t)given->Transfer.Destination.SegmentAddress.QuadPart, destination,
                  sizeof destination);
        snprintf(text, size, ": 0x%llX bytes from %s to %s, TransferOffset 0x%X, MdlOffset %u",
                 (unsigned long long)given->Transfer.TransferSize, source, destination,
                 given->Transfer.TransferOffset, given->Transfer.MdlOffset);
    } else if (given->Operation == DXGK_OPERATION_FILL) {
        name_side(given->Fill.Destination.SegmentId,
                  (uint64_t)given->Fill.Destination.SegmentAddress.QuadPart, destination,
                  sizeof destination);
        snprintf(text, size, ": 0x%llX bytes with 0x%X at %s",
                 (unsigned long long)given->Fill.FillSize, given->Fill.FillPattern, destination);
    }
}

/* With what was asked for: which case it is that the driver refuses. */
static bool is_answered(struct contract_call *call)
{
    char arguments[256];

    if (may_answer_paging(call->status)) {
        return true;
    }
    name_arguments(asked(call), arguments, sizeof arguments);
    return contract_say(call,
                        "SUCCESS, GRAPHICS_INSUFFICIENT_DMA_BUFFER or GRAPHICS_ALLOCATION_BUSY",
                        "%s, with Operation %s%s", status_name(call->status),
                        contract_operation_name(asked(call)->Operation), arguments);
}

/* ---- Apertures ------------------------------------------------------------------------------- */

/* Which pages it was, of how many: what fails at one end alone is seen by it. */
static bool map_is_taken(struct contract_call *call)
{
    UINT segment = asked(call)->MapApertureSegment.SegmentId;
    SIZE_T first = asked(call)->MapApertureSegment.OffsetInPages;
    SIZE_T count = asked(call)->MapApertureSegment.NumberOfPages;
    uint64_t size = segment <= CONTRACT_SEGMENTS_MAX ? call->tracker->segments[segment].size : 0;

    return may_answer_paging(call->status) ||
           contract_say(call,
                        is_map_of_allocation(call)
                            ? "MapApertureSegment done: the driver reported an aperture"
                            : "MapApertureSegment done, with hAllocation NULL, too: it is a DMA "
                              "buffer",
                        "%s for MapApertureSegment of %llu pages from page %llu on; segment %u has "
                        "%llu",
                        status_name(call->status), (unsigned long long)count,
                        (unsigned long long)first, segment,
                        (unsigned long long)(size / MACHINE_PAGE_SIZE));
}

/* ---- After a reset --------------------------------------------------------------------------- */

static bool is_in_reset(const struct contract_call *call)
{
    return call->tracker->in_reset;
}

/* Mapping and unmapping have rules of their own. */
#define NO_MAPPING \
    OPERATIONS_BUT(MAP_APERTURE_SEGMENT, MAP_APERTURE_SEGMENT2, UNMAP_APERTURE_SEGMENT)

/* What an operation may be answered with. */
#define PAGING_STATUS                                                  \
    STATUS_IN(STATUS_SUCCESS, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, \
              STATUS_GRAPHICS_ALLOCATION_BUSY),                        \
        ABOUT(DXGKARG_BUILDPAGINGBUFFER, Operation), NAMED_BY(contract_operation_name)

static const struct contract_row rows[] = {
    AFTER(PAGE_009, BuildPagingBuffer,
          POINTER_WITHIN(DXGKARG_BUILDPAGINGBUFFER, pDmaBuffer, DmaSize, 1), STOPS(0x10E, 0x12)),
    AFTER(PAGE_009, BuildPagingBuffer, nothing_was_written, REMEMBERS(first_bytes),
          WHEN(left_the_pointer),
          LEAVES_OUT("bytes behind a pointer that was moved: a driver may have changed its mind")),
    AFTER(PAGE_014, BuildPagingBuffer,
          UNTOUCHED_BEHIND(DXGKARG_BUILDPAGINGBUFFER, pDmaBuffer, DmaSize, 1), STOPS(0x10E, 0x12)),
    AFTER(PAGE_017, BuildPagingBuffer,
          POINTER_WITHIN(DXGKARG_BUILDPAGINGBUFFER, pDmaBufferPrivateData, DmaBufferPrivateDataSize,
                         1),
          STOPS(0x10E, 0x13)),
    AFTER(PAGE_017, BuildPagingBuffer,
          UNTOUCHED_BEHIND(DXGKARG_BUILDPAGINGBUFFER, pDmaBufferPrivateData,
                           DmaBufferPrivateDataSize, 1),
          STOPS(0x10E, 0x13)),
    AFTER(PAGE_020, BuildPagingBuffer, STATUS_NOT_IN(STATUS_NOT_SUPPORTED, STATUS_NOT_IMPLEMENTED),
          ABOUT(DXGKARG_BUILDPAGINGBUFFER, Operation), NAMED_BY(contract_operation_name),
          NO_MAPPING, WHEN(is_documented),
          SAYS("every operation that version and caps imply is handled"),
          LEAVES_OUT("which members of the union the driver reads; what an operation that was "
                     "answered with success does is judged by the operation's own rules")),
    AFTER(PAGE_002, BuildPagingBuffer, is_answered, NO_MAPPING, WHEN(is_documented),
          STOPS(0x10E, 0xB)),
    AFTER(PAGE_006, BuildPagingBuffer, busy_only_if_it_may_be, WHEN(says_busy)),
    AFTER(MAPAP_001, BuildPagingBuffer, map_is_taken, OPERATION(MAP_APERTURE_SEGMENT),
          WHEN(is_map_of_allocation), STOPS(0x10E, 0xE)),
    AFTER(MAPAP_004, BuildPagingBuffer, map_is_taken, OPERATION(MAP_APERTURE_SEGMENT),
          WHEN(is_map_of_dma_buffer), STOPS(0x10E, 0xE)),
    AFTER(MAPAP2_004, BuildPagingBuffer, PAGING_STATUS, OPERATION(MAP_APERTURE_SEGMENT2),
          SAYS("MapApertureSegment2 done: the driver reported MapAperture2Supported and an "
               "aperture")),
    AFTER(UNMAPAP_005, BuildPagingBuffer, PAGING_STATUS, OPERATION(UNMAP_APERTURE_SEGMENT),
          WHEN(is_other_unmap), SAYS("an unmap does not fail"), STOPS(0x10E, 3)),
    AFTER(MAPAP2_011, BuildPagingBuffer,
          STATUS_NOT_IN(STATUS_NOT_SUPPORTED, STATUS_NOT_IMPLEMENTED),
          OPERATION(UNMAP_APERTURE_SEGMENT), WHEN(uses_lists),
          SAYS("UNMAP_APERTURE_SEGMENT ends what MAP_APERTURE_SEGMENT2 mapped: there is no other"),
          STOPS(0x10E, 3)),
    AFTER(SWZ_002, AcquireSwizzlingRange,
          STATUS_IN(STATUS_SUCCESS, STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED,
                    STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE),
          STOPS(0x10E, 0xF)),
    AFTER(SWZ_004, ReleaseSwizzlingRange, STATUS_IN(STATUS_SUCCESS),
          LEAVES_OUT("that other ranges of the allocation stay as they are")),
    AFTER(TDR_006, ReleaseSwizzlingRange, NO_REGISTERS, WHEN(is_in_reset),
          SAYS("no access to the GPU between reset and restart")),
    AFTER(TDR_006, BuildPagingBuffer, NO_REGISTERS, WHEN(is_in_reset),
          SAYS("no access to the GPU between reset and restart")),
};

const struct contract_family contract_family_paging = FAMILY_OF(rows);
