/* Rules of Render: status, bounds, and the patch list that it made. */
#include "contract/internal.h"

static const DXGKARG_RENDER *asked(const struct contract_call *call)
{
    return call->before;
}

static const DXGKARG_RENDER *answered(const struct contract_call *call)
{
    return call->arguments;
}

/* Only then is there something produced to look at. */
static bool produced(const struct contract_call *call)
{
    return has_succeeded(call) || call->status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

/* The driver said that a command buffer never needs more than one DMA buffer. Drivers with contexts
 * have no place to say so. */
static bool guarantees_the_buffer(const struct contract_call *call)
{
    const struct contract_object *context = contract_context_find(call->tracker, call->first);

    return context && context->guaranteed;
}

/* ---- What was written ------------------------------------------------------------------------ */

#define LOOKED_AT_BYTES 64u /* a command begins with what tells it from others */

static uint64_t first_bytes(const struct contract_call *call)
{
    const DXGKARG_RENDER *given = asked(call);
    size_t size = given->DmaSize < LOOKED_AT_BYTES ? given->DmaSize : LOOKED_AT_BYTES;

    return given->pDmaBuffer ? contract_hash(given->pDmaBuffer, size) : 0;
}

static bool left_the_pointer(const struct contract_call *call)
{
    return has_succeeded(call) && asked(call)->CommandLength > 0 && asked(call)->pDmaBuffer &&
           answered(call)->pDmaBuffer == asked(call)->pDmaBuffer;
}

static bool nothing_was_written(struct contract_call *call)
{
    return first_bytes(call) == call->scratch ||
           contract_say(call, "pDmaBuffer at the byte behind the last one written",
                        "STATUS_SUCCESS for %u bytes of commands: the driver wrote at pDmaBuffer "
                        "and did not move it, so nothing of this is submitted",
                        asked(call)->CommandLength);
}

/* ---- The patch list -------------------------------------------------------------------------- */

/* Number of elements, or 0 if the pointer left its list. */
static UINT patch_count(const struct contract_call *call)
{
    uint64_t bytes =
        contract_moved(asked(call)->pPatchLocationListOut, answered(call)->pPatchLocationListOut);
    uint64_t count = bytes / sizeof(D3DDDI_PATCHLOCATIONLIST);

    return produced(call) && count <= asked(call)->PatchLocationListOutSize ? (UINT)count : 0;
}

static bool split_offsets_ascend(struct contract_call *call)
{
    const D3DDDI_PATCHLOCATIONLIST *list = asked(call)->pPatchLocationListOut;
    UINT count = patch_count(call);

    if (count < 2) {
        return contract_no_case(call);
    }
    for (UINT i = 1; i < count; i++) {
        if (list[i].SplitOffset < list[i - 1].SplitOffset) {
            return contract_say(call, "SplitOffset values that never decrease",
                                "element %u has 0x%X after 0x%X", i, list[i].SplitOffset,
                                list[i - 1].SplitOffset);
        }
    }
    return true;
}

static bool slots_exist(struct contract_call *call)
{
    const D3DDDI_PATCHLOCATIONLIST *list = asked(call)->pPatchLocationListOut;
    UINT limit = call->tracker->caps.MaxAllocationListSlotId;

    for (UINT i = 0, count = patch_count(call); i < count; i++) {
        if (limit && list[i].SlotId >= limit) {
            return contract_say(call, "a SlotId below MaxAllocationListSlotId",
                                "element %u has slot %u of %u", i, list[i].SlotId, limit);
        }
    }
    return true;
}

static bool indexes_exist(struct contract_call *call)
{
    const D3DDDI_PATCHLOCATIONLIST *list = asked(call)->pPatchLocationListOut;

    for (UINT i = 0, count = patch_count(call); i < count; i++) {
        if (list[i].AllocationIndex >= asked(call)->AllocationListSize) {
            return contract_say(call, "an AllocationIndex below AllocationListSize",
                                "element %u has index %u of %u", i, list[i].AllocationIndex,
                                asked(call)->AllocationListSize);
        }
    }
    return true;
}

static bool offset_is_in_its_allocation(const struct contract_call *call,
                                        const D3DDDI_PATCHLOCATIONLIST *element)
{
    HANDLE handle = contract_listed(call, element->AllocationIndex);
    const struct contract_object *opening =
        handle ? contract_object_find(call->tracker, TRACKED_OPENING, handle) : NULL;
    const struct contract_object *allocation =
        opening && opening->target
            ? contract_object_find(call->tracker, TRACKED_ALLOCATION, opening->target)
            : NULL;

    return !allocation || element->AllocationOffset <= allocation->size;
}

static bool offsets_are_inside(struct contract_call *call)
{
    const D3DDDI_PATCHLOCATIONLIST *list = asked(call)->pPatchLocationListOut;

    for (UINT i = 0, count = patch_count(call); i < count; i++) {
        if (!contract_listed(call, list[i].AllocationIndex)) {
            continue; /* it unbinds a slot */
        }
        if (list[i].PatchOffset == UINT32_MAX) {
            continue; /* a mere reference, as a public driver marks it */
        }
        if (list[i].PatchOffset >= asked(call)->DmaSize) {
            return contract_say(call, "a PatchOffset inside the DMA buffer",
                                "element %u has 0x%X; the buffer has 0x%X bytes", i,
                                list[i].PatchOffset, asked(call)->DmaSize);
        }
        if (!offset_is_in_its_allocation(call, &list[i])) {
            return contract_say(call, "an AllocationOffset inside the allocation",
                                "element %u has 0x%X", i, list[i].AllocationOffset);
        }
    }
    return true;
}

static bool produced_references(const struct contract_call *call)
{
    return patch_count(call) > 0;
}

/* The driver said nothing of its slots otherwise: public drivers leave it out. */
static bool knows_its_slots(const struct contract_call *call)
{
    return call->tracker->caps.MaxAllocationListSlotId != 0 && patch_count(call) > 0;
}

#define PATCH_SIZE sizeof(D3DDDI_PATCHLOCATIONLIST)

/* Of Render, and of RenderKm, whose commands are the kernel's own. */
#define BUFFER_ROWS(point)                                                                        \
    AFTER(RENDER_009, point, POINTER_WITHIN(DXGKARG_RENDER, pDmaBuffer, DmaSize, 1),              \
          WHEN(produced), STOPS(0x10E, 0x12)),                                                    \
        AFTER(RENDER_009, point, nothing_was_written, REMEMBERS(first_bytes),                     \
              WHEN(left_the_pointer),                                                             \
              LEAVES_OUT(                                                                         \
                  "bytes behind a pointer that was moved: a driver may have changed its mind")),  \
        AFTER(RENDER_009, point, UNTOUCHED_BEHIND(DXGKARG_RENDER, pDmaBuffer, DmaSize, 1),        \
              STOPS(0x10E, 0x12)),                                                                \
        AFTER(RENDER_010, point,                                                                  \
              POINTER_WITHIN(DXGKARG_RENDER, pDmaBufferPrivateData, DmaBufferPrivateDataSize, 1), \
              WHEN(produced), STOPS(0x10E, 0x13)),                                                \
        AFTER(                                                                                    \
            RENDER_010, point,                                                                    \
            UNTOUCHED_BEHIND(DXGKARG_RENDER, pDmaBufferPrivateData, DmaBufferPrivateDataSize, 1), \
            STOPS(0x10E, 0x13)),                                                                  \
        AFTER(RENDER_013, point,                                                                  \
              POINTER_WITHIN(DXGKARG_RENDER, pPatchLocationListOut, PatchLocationListOutSize,     \
                             PATCH_SIZE),                                                         \
              WHEN(produced)),                                                                    \
        AFTER(GEN_009, point,                                                                     \
              UNTOUCHED_BEHIND(DXGKARG_RENDER, pPatchLocationListOut, PatchLocationListOutSize,   \
                               PATCH_SIZE),                                                       \
              STOPS(0x10E, 0x12)),                                                                \
        AFTER(RENDER_014, point, split_offsets_ascend, WHEN(produced)),                           \
        AFTER(RENDER_016, point, slots_exist, WHEN(knows_its_slots)),                             \
        AFTER(RENDER_017, point, indexes_exist, WHEN(produced_references)),                       \
        AFTER(RENDER_018, point, offsets_are_inside, WHEN(produced_references))

static const struct contract_row rows[] = {
    AFTER(RENDER_004, Render,
          STATUS_IN(STATUS_SUCCESS, STATUS_NO_MEMORY, STATUS_INSUFFICIENT_RESOURCES,
                    STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, STATUS_PRIVILEGED_INSTRUCTION,
                    STATUS_ILLEGAL_INSTRUCTION, STATUS_INVALID_PARAMETER,
                    STATUS_INVALID_USER_BUFFER, STATUS_INVALID_HANDLE,
                    STATUS_GRAPHICS_DRIVER_MISMATCH, STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE),
          WHEN(has_device)),
    /* What the kernel writes for GDI may be longer than any buffer. */
    AFTER(RENDER_006, Render, STATUS_NOT_IN(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER),
          SAYS("a command buffer that fits, or is refused as invalid: the driver set "
               "GuaranteedDmaBufferContract in DXGK_DEVICEINFO"),
          WHEN(guarantees_the_buffer), STOPS(0x10E, 0x16)),
    BUFFER_ROWS(Render),
    AFTER(GDI_002, RenderKm,
          STATUS_IN(STATUS_SUCCESS, STATUS_NO_MEMORY, STATUS_INSUFFICIENT_RESOURCES,
                    STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, STATUS_ILLEGAL_INSTRUCTION,
                    STATUS_INVALID_PARAMETER, STATUS_INVALID_USER_BUFFER, STATUS_INVALID_HANDLE,
                    STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE),
          WHEN(has_device)),
    BUFFER_ROWS(RenderKm),
};

const struct contract_family contract_family_render = FAMILY_OF(rows);
