/* Rules of BuildPagingBuffer: what the driver answers and writes. */
#include "contract/internal.h"
#include "machine/machine.h"

static const DXGKARG_BUILDPAGINGBUFFER *asked(const struct contract_call *call)
{
    return call->before;
}

static const DXGKARG_BUILDPAGINGBUFFER *answered(const struct contract_call *call)
{
    return call->arguments;
}

static bool is_unsupported(NTSTATUS status)
{
    return status == STATUS_NOT_SUPPORTED || status == STATUS_NOT_IMPLEMENTED;
}

static bool is_map(const struct contract_call *call)
{
    return asked(call)->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT;
}

static bool is_unmap(const struct contract_call *call)
{
    return asked(call)->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
}

static bool is_allowed(NTSTATUS status)
{
    return status == STATUS_SUCCESS || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ||
           status == STATUS_GRAPHICS_ALLOCATION_BUSY;
}

#define ALLOWED_TEXT "SUCCESS, INSUFFICIENT_DMA_BUFFER or ALLOCATION_BUSY"

/* Mapping and unmapping have rules of their own below. */
static bool status_is_allowed(struct contract_call *call)
{
    return is_allowed(call->status) || is_unsupported(call->status) || is_map(call) ||
           is_unmap(call) || contract_say(call, ALLOWED_TEXT, "%s", status_name(call->status));
}

static bool operation_is_handled(struct contract_call *call)
{
    return !is_unsupported(call->status) || is_map(call) || is_unmap(call) ||
           contract_say(call, "every operation that version and caps imply", "%s for operation %d",
                        status_name(call->status), (int)asked(call)->Operation);
}

static bool map_does_not_fail(struct contract_call *call)
{
    return !is_map(call) || is_allowed(call->status) ||
           asked(call)->MapApertureSegment.hAllocation == NULL ||
           contract_say(call, "a mapping into the aperture that the driver reported", "%s",
                        status_name(call->status));
}

static bool map_takes_dma_buffers(struct contract_call *call)
{
    return !is_map(call) || is_allowed(call->status) ||
           asked(call)->MapApertureSegment.hAllocation != NULL ||
           contract_say(call, "a NULL allocation handle is mapped, too: it is a DMA buffer", "%s",
                        status_name(call->status));
}

static bool unmap_does_not_fail(struct contract_call *call)
{
    return !is_unmap(call) || is_allowed(call->status) ||
           contract_say(call, "an unmap that does not fail", "%s", status_name(call->status));
}

/* Was the driver told, or is there no way to tell, that the allocation is idle? */
static bool busy_only_if_it_may_be(struct contract_call *call)
{
    const DXGKARG_BUILDPAGINGBUFFER *asked_for = asked(call);

    if (call->status != STATUS_GRAPHICS_ALLOCATION_BUSY) {
        return true;
    }
    switch (asked_for->Operation) {
    case DXGK_OPERATION_TRANSFER:
        return !asked_for->Transfer.Flags.AllocationIsIdle ||
               contract_say(call, "no BUSY for an idle allocation",
                            "BUSY with AllocationIsIdle set");
    case DXGK_OPERATION_DISCARD_CONTENT:
        return !asked_for->DiscardContent.Flags.AllocationIsIdle ||
               contract_say(call, "no BUSY for an idle allocation",
                            "BUSY with AllocationIsIdle set");
    default:
        return contract_say(call, "BUSY only for operations that have an idle flag",
                            "BUSY for operation %d", (int)asked_for->Operation);
    }
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

static bool buffer_pointer_is_inside(struct contract_call *call)
{
    uint64_t used = contract_moved(asked(call)->pDmaBuffer, answered(call)->pDmaBuffer);

    return used <= asked(call)->DmaSize || contract_say(call, "pDmaBuffer at most DmaSize further",
                                                        "moved by %lld bytes; DmaSize was %u",
                                                        (long long)used, asked(call)->DmaSize);
}

static bool nothing_behind_the_buffer(struct contract_call *call)
{
    const DXGKARG_BUILDPAGINGBUFFER *asked_for = asked(call);

    return contract_moved(asked_for->pDmaBuffer, answered(call)->pDmaBuffer) > asked_for->DmaSize ||
           contract_canary_intact((const char *)asked_for->pDmaBuffer + asked_for->DmaSize) ||
           contract_say(call, "a look at DmaSize before each write",
                        "bytes behind the end of the paging buffer were written");
}

static bool private_data_is_inside(struct contract_call *call)
{
    const DXGKARG_BUILDPAGINGBUFFER *asked_for = asked(call);
    uint64_t used =
        contract_moved(asked_for->pDmaBufferPrivateData, answered(call)->pDmaBufferPrivateData);

    if (used > asked_for->DmaBufferPrivateDataSize) {
        return contract_say(call, "pDmaBufferPrivateData at most its size further",
                            "moved by %lld bytes of %u", (long long)used,
                            asked_for->DmaBufferPrivateDataSize);
    }
    return !asked_for->pDmaBufferPrivateData ||
           contract_canary_intact((const char *)asked_for->pDmaBufferPrivateData +
                                  asked_for->DmaBufferPrivateDataSize) ||
           contract_say(call, "private data inside its block",
                        "bytes behind the private data were written");
}

/* ---- After a reset --------------------------------------------------------------------------- */

static bool empty_transfer_copies_nothing(struct contract_call *call)
{
    const DXGKARG_BUILDPAGINGBUFFER *asked_for = asked(call);

    return asked_for->Operation != DXGK_OPERATION_TRANSFER ||
           asked_for->Transfer.TransferSize != 0 ||
           answered(call)->pDmaBuffer == asked_for->pDmaBuffer ||
           contract_say(call, "no commands for a transfer of 0 bytes", "%llu bytes of commands",
                        (unsigned long long)contract_moved(asked_for->pDmaBuffer,
                                                           answered(call)->pDmaBuffer));
}

static bool remember_registers(struct contract_call *call)
{
    call->scratch = mmio_access_count();
    return true;
}

static bool leaves_the_gpu_alone(struct contract_call *call)
{
    uint64_t count = mmio_access_count() - call->scratch;

    return !call->shadow->in_reset || count == 0 ||
           contract_say(call, "no access to the GPU between reset and restart",
                        "%llu register accesses in a clean-up call", (unsigned long long)count);
}

static const struct contract_row rows[] = {
    BEFORE(TDR_006, BuildPagingBuffer, remember_registers),
    AFTER_STOP(PAGE_009, BuildPagingBuffer, buffer_pointer_is_inside, 0x10E, 0x12),
    AFTER_STOP(PAGE_014, BuildPagingBuffer, nothing_behind_the_buffer, 0x10E, 0x12),
    AFTER_STOP(PAGE_017, BuildPagingBuffer, private_data_is_inside, 0x10E, 0x13),
    AFTER_STOP(PAGE_002, BuildPagingBuffer, status_is_allowed, 0x10E, 0xB),
    AFTER_STOP(PAGE_020, BuildPagingBuffer, operation_is_handled, 0x10E, 0xB),
    AFTER_STOP(PAGE_006, BuildPagingBuffer, busy_only_if_it_may_be, 0x10E, 0xB),
    AFTER_STOP(MAPAP_001, BuildPagingBuffer, map_does_not_fail, 0x10E, 0xE),
    AFTER_STOP(MAPAP_004, BuildPagingBuffer, map_takes_dma_buffers, 0x10E, 0xE),
    AFTER_STOP(UNMAPAP_005, BuildPagingBuffer, unmap_does_not_fail, 0x10E, 3),
    AFTER(XFER_007, BuildPagingBuffer, empty_transfer_copies_nothing),
    AFTER(TDR_006, BuildPagingBuffer, leaves_the_gpu_alone),
};

const struct contract_family contract_family_paging = FAMILY_OF(rows);
