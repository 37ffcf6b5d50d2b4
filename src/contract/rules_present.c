/* Rules of Present and of flips. */
#include "contract/internal.h"

static const NTSTATUS allowed[] = {
    STATUS_SUCCESS,
    STATUS_NO_MEMORY,
    STATUS_INSUFFICIENT_RESOURCES,
    STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER,
    STATUS_GRAPHICS_CANNOTCOLORCONVERT,
    STATUS_PRIVILEGED_INSTRUCTION,
    STATUS_ILLEGAL_INSTRUCTION,
    STATUS_INVALID_HANDLE,
    STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE,
};

static const DXGKARG_PRESENT *asked(const struct contract_call *call)
{
    return call->before;
}

static const DXGKARG_PRESENT *answered(const struct contract_call *call)
{
    return call->arguments;
}

static bool produced(const struct contract_call *call)
{
    return has_succeeded(call) || call->status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

static bool status_is_allowed(struct contract_call *call)
{
    return contract_status_in(call, allowed, sizeof allowed / sizeof allowed[0],
                              "a status that Present may return");
}

static bool buffer_is_kept(struct contract_call *call)
{
    uint64_t used = contract_moved(asked(call)->pDmaBuffer, answered(call)->pDmaBuffer);

    if (!asked(call)->pDmaBuffer) {
        return true;
    }
    if (produced(call) && used > asked(call)->DmaSize) {
        return contract_say(call, "pDmaBuffer at the next free byte, inside the buffer",
                            "moved by %lld bytes; DmaSize was %u", (long long)used,
                            asked(call)->DmaSize);
    }
    return contract_canary_intact((const char *)asked(call)->pDmaBuffer + asked(call)->DmaSize) ||
           contract_say(call, "commands inside the DMA buffer",
                        "bytes behind its end were written");
}

static bool validates_only(struct contract_call *call)
{
    return asked(call)->pDmaBuffer ||
           (!answered(call)->pDmaBuffer &&
            answered(call)->pPatchLocationListOut == asked(call)->pPatchLocationListOut &&
            call->status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) ||
           contract_say(call, "no commands without a DMA buffer",
                        "the driver moved a pointer or asked for a buffer");
}

static bool private_data_is_kept(struct contract_call *call)
{
    const DXGKARG_PRESENT *asked_for = asked(call);
    uint64_t used =
        contract_moved(asked_for->pDmaBufferPrivateData, answered(call)->pDmaBufferPrivateData);

    if (!asked_for->pDmaBufferPrivateData) {
        return true;
    }
    if (produced(call) && used > asked_for->DmaBufferPrivateDataSize) {
        return contract_say(call, "pDmaBufferPrivateData inside its block",
                            "moved by %lld bytes of %u", (long long)used,
                            asked_for->DmaBufferPrivateDataSize);
    }
    return contract_canary_intact((const char *)asked_for->pDmaBufferPrivateData +
                                  asked_for->DmaBufferPrivateDataSize) ||
           contract_say(call, "private data inside its block",
                        "bytes behind the private data were written");
}

/* ---- The patch list -------------------------------------------------------------------------- */

static bool patch_list_is_right(struct contract_call *call)
{
    const DXGKARG_PRESENT *asked_for = asked(call);
    const D3DDDI_PATCHLOCATIONLIST *list = asked_for->pPatchLocationListOut;
    uint64_t bytes = contract_moved(list, answered(call)->pPatchLocationListOut);
    uint64_t used = contract_moved(asked_for->pDmaBuffer, answered(call)->pDmaBuffer);

    if (!produced(call) || !asked_for->pDmaBuffer) {
        return true;
    }
    if (bytes / sizeof *list > asked_for->PatchLocationListOutSize || bytes % sizeof *list != 0) {
        return contract_say(call, "pPatchLocationListOut one past the last element used",
                            "moved by %lld bytes of %u elements", (long long)bytes,
                            asked_for->PatchLocationListOutSize);
    }
    for (UINT i = 0; i < bytes / sizeof *list; i++) {
        if (list[i].AllocationIndex > DXGK_PRESENT_DESTINATION_INDEX ||
            list[i].PatchOffset >= used) {
            return contract_say(call, "references to source and destination, inside the buffer",
                                "element %u: allocation %u, patch offset 0x%X of 0x%llX", i,
                                list[i].AllocationIndex, list[i].PatchOffset,
                                (unsigned long long)used);
        }
    }
    return true;
}

static bool nothing_behind_the_patch_list(struct contract_call *call)
{
    return !asked(call)->pPatchLocationListOut ||
           contract_canary_intact(asked(call)->pPatchLocationListOut +
                                  asked(call)->PatchLocationListOutSize) ||
           contract_say(call, "at most PatchLocationListOutSize elements",
                        "bytes behind the patch location list were written");
}

static bool one_rectangle_fits(struct contract_call *call)
{
    return call->status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER || !asked(call)->pDmaBuffer ||
           asked(call)->SubRectCnt > 1 || asked(call)->MultipassOffset != 0 ||
           contract_say(call, "room for one rectangle in a buffer of the size asked for",
                        "INSUFFICIENT_DMA_BUFFER at the first rectangle");
}

/* The rectangles are the kernel's. */
static uint64_t rectangles(const struct contract_call *call)
{
    UINT count = asked(call)->pDstSubRects ? asked(call)->SubRectCnt : 0;

    return contract_hash(asked(call)->pDstSubRects, (count < 64 ? count : 64) * sizeof(RECT));
}

static bool remember_rectangles(struct contract_call *call)
{
    call->scratch = rectangles(call);
    return true;
}

static bool rectangles_are_kept(struct contract_call *call)
{
    return call->scratch == rectangles(call) ||
           contract_say(call, "no writes outside the buffers passed in",
                        "the list of sub-rectangles was changed");
}

/* ---- Flips ----------------------------------------------------------------------------------- */

static bool address_status_is_allowed(struct contract_call *call)
{
    const DXGKARG_SETVIDPNSOURCEADDRESS *address = call->before;

    return call->status == STATUS_SUCCESS ||
           (call->status == STATUS_INVALID_PARAMETER && address->Flags.SharedPrimaryTransition) ||
           contract_say(call, "STATUS_SUCCESS", "%s", status_name(call->status));
}

static const struct contract_row rows[] = {
    BEFORE(GEN_009, Present, remember_rectangles),
    AFTER(PRES_002, Present, status_is_allowed),
    AFTER_STOP(PRES_009, Present, buffer_is_kept, 0x10E, 0x12),
    AFTER(PRES_010, Present, validates_only),
    AFTER_STOP(PRES_012, Present, private_data_is_kept, 0x10E, 0x13),
    AFTER_STOP(PRES_023, Present, nothing_behind_the_patch_list, 0x10E, 0x12),
    AFTER_STOP(PRES_022, Present, patch_list_is_right, 0x10E, 8),
    AFTER(PRES_053, Present, one_rectangle_fits),
    AFTER(GEN_009, Present, rectangles_are_kept),
    AFTER(FLIP_003, SetVidPnSourceAddress, address_status_is_allowed),
};

const struct contract_family contract_family_present = FAMILY_OF(rows);
