/* Rules of Present and of flips. */
#include "contract/internal.h"

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

static bool has_buffer(const struct contract_call *call)
{
    return asked(call)->pDmaBuffer != NULL;
}

/* A flip: only the source is to be validated. */
static bool has_no_buffer(const struct contract_call *call)
{
    return asked(call)->pDmaBuffer == NULL;
}

static bool produced_in_buffer(const struct contract_call *call)
{
    return produced(call) && has_buffer(call);
}

static bool produced_private(const struct contract_call *call)
{
    return produced(call) && asked(call)->pDmaBufferPrivateData;
}

/* ---- The patch list -------------------------------------------------------------------------- */

static bool references_are_right(struct contract_call *call)
{
    const DXGKARG_PRESENT *asked_for = asked(call);
    const D3DDDI_PATCHLOCATIONLIST *list = asked_for->pPatchLocationListOut;
    uint64_t bytes = contract_moved(list, answered(call)->pPatchLocationListOut);

    if (bytes == 0) {
        return contract_no_case(call);
    }
    for (UINT i = 0; i < bytes / sizeof *list && i < asked_for->PatchLocationListOutSize; i++) {
        if (list[i].AllocationIndex > DXGK_PRESENT_DESTINATION_INDEX ||
            (list[i].PatchOffset >= asked_for->DmaSize &&
             list[i].PatchOffset != UINT32_MAX /* a mere reference */)) {
            return contract_say(call, "references to source and destination, inside the buffer",
                                "element %u: allocation %u, patch offset 0x%X of 0x%X", i,
                                list[i].AllocationIndex, list[i].PatchOffset, asked_for->DmaSize);
        }
    }
    return true;
}

static bool one_rectangle_fits(struct contract_call *call)
{
    /* Without a patch list there is none of the size that it asked for [CTX-014]. */
    const struct contract_object *context = contract_presenter(call);

    if (asked(call)->SubRectCnt > 1 || asked(call)->MultipassOffset != 0 ||
        (context && context->info.Caps.NoPatchingRequired)) {
        return contract_no_case(call);
    }
    return call->status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ||
           contract_say(call, "room for one rectangle in a buffer of the size asked for",
                        "INSUFFICIENT_DMA_BUFFER at the first rectangle");
}

static bool has_rectangles(const struct contract_call *call)
{
    return asked(call)->pDstSubRects && asked(call)->SubRectCnt > 0;
}

/* The rectangles are the kernel's. */
static uint64_t rectangles(const struct contract_call *call)
{
    UINT count = asked(call)->pDstSubRects ? asked(call)->SubRectCnt : 0;

    return contract_hash(asked(call)->pDstSubRects, (count < 64 ? count : 64) * sizeof(RECT));
}

/* ---- Without a buffer -------------------------------------------------------------------------
 */

static bool asks_for_no_buffer(struct contract_call *call)
{
    return call->status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ||
           contract_say(call, "no commands without a DMA buffer", "the driver asked for a buffer");
}

/* ---- Flips ----------------------------------------------------------------------------------- */

static bool is_shared_primary_transition(const struct contract_call *call)
{
    return ((const DXGKARG_SETVIDPNSOURCEADDRESS *)call->before)->Flags.SharedPrimaryTransition;
}

static bool is_plain_flip(const struct contract_call *call)
{
    return !is_shared_primary_transition(call);
}

#define PATCH_SIZE sizeof(D3DDDI_PATCHLOCATIONLIST)

#define STATUSES                                                                                \
    STATUS_IN(STATUS_SUCCESS, STATUS_NO_MEMORY, STATUS_INSUFFICIENT_RESOURCES,                  \
              STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, STATUS_GRAPHICS_CANNOTCOLORCONVERT,      \
              STATUS_PRIVILEGED_INSTRUCTION, STATUS_ILLEGAL_INSTRUCTION, STATUS_INVALID_HANDLE, \
              STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE)

/* Of a context, and of a hardware queue, which is to be as that is [HWQ-012]. */
#define BOTH(rule, ...) \
    AFTER(rule, Present, __VA_ARGS__), AFTER(rule, PresentToHwQueue, __VA_ARGS__)

static const struct contract_row rows[] = {
    AFTER(PRES_002, Present, STATUSES, WHEN(has_device)),
    AFTER(HWQ_012, PresentToHwQueue, STATUSES, WHEN(has_device)),
    BOTH(PRES_009, POINTER_WITHIN(DXGKARG_PRESENT, pDmaBuffer, DmaSize, 1),
         WHEN(produced_in_buffer), STOPS(0x10E, 0x12)),
    BOTH(PRES_009, UNTOUCHED_BEHIND(DXGKARG_PRESENT, pDmaBuffer, DmaSize, 1), WHEN(has_buffer),
         STOPS(0x10E, 0x12)),
    BOTH(PRES_010, FIELD_UNCHANGED(DXGKARG_PRESENT, pDmaBuffer), WHEN(has_no_buffer)),
    BOTH(PRES_010, FIELD_UNCHANGED(DXGKARG_PRESENT, pPatchLocationListOut), WHEN(has_no_buffer)),
    BOTH(PRES_010, asks_for_no_buffer, WHEN(has_no_buffer)),
    BOTH(PRES_012,
         POINTER_WITHIN(DXGKARG_PRESENT, pDmaBufferPrivateData, DmaBufferPrivateDataSize, 1),
         WHEN(produced_private), STOPS(0x10E, 0x13)),
    BOTH(PRES_012,
         UNTOUCHED_BEHIND(DXGKARG_PRESENT, pDmaBufferPrivateData, DmaBufferPrivateDataSize, 1),
         STOPS(0x10E, 0x13)),
    BOTH(PRES_023, UNTOUCHED_BEHIND(DXGKARG_PRESENT, pPatchLocationListOut,
                                    PatchLocationListOutSize, PATCH_SIZE)),
    BOTH(GEN_009,
         UNTOUCHED_BEHIND(DXGKARG_PRESENT, pPatchLocationListOut, PatchLocationListOutSize,
                          PATCH_SIZE),
         STOPS(0x10E, 0x12)),
    BOTH(PRES_022,
         POINTER_WITHIN(DXGKARG_PRESENT, pPatchLocationListOut, PatchLocationListOutSize,
                        PATCH_SIZE),
         WHEN(produced_in_buffer)),
    BOTH(PRES_022, references_are_right, WHEN(produced_in_buffer),
         LEAVES_OUT("references that the commands hold and the list does not: only wrong pixels "
                    "show them")),
    AFTER(PRES_053, Present, one_rectangle_fits, WHEN(has_buffer)),
    BOTH(GEN_009,
         SAME_AFTER(rectangles, "no writes outside the buffers passed in",
                    "the list of sub-rectangles was changed"),
         WHEN(has_rectangles)),
    AFTER(FLIP_003, SetVidPnSourceAddress, STATUS_IN(STATUS_SUCCESS), WHEN(is_plain_flip)),
    AFTER(FLIP_003, SetVidPnSourceAddress, STATUS_IN(STATUS_SUCCESS, STATUS_INVALID_PARAMETER),
          WHEN(is_shared_primary_transition)),
};

const struct contract_family contract_family_present = FAMILY_OF(rows);
