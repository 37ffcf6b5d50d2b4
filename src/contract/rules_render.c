/* Rules of Render: status, bounds, and the patch list that it made. */
#include "contract/internal.h"

static const NTSTATUS allowed[] = {
    STATUS_SUCCESS,
    STATUS_NO_MEMORY,
    STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER,
    STATUS_PRIVILEGED_INSTRUCTION,
    STATUS_ILLEGAL_INSTRUCTION,
    STATUS_INVALID_PARAMETER,
    STATUS_INVALID_USER_BUFFER,
    STATUS_INVALID_HANDLE,
    STATUS_GRAPHICS_DRIVER_MISMATCH,
    STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE,
};

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

static bool status_is_allowed(struct contract_call *call)
{
    return contract_status_in(call, allowed, sizeof allowed / sizeof allowed[0],
                              "a status that Render may return");
}

static bool buffer_is_kept(struct contract_call *call)
{
    uint64_t used = contract_moved(asked(call)->pDmaBuffer, answered(call)->pDmaBuffer);

    if (produced(call) && used > asked(call)->DmaSize) {
        return contract_say(call, "pDmaBuffer one past the last byte written, inside the buffer",
                            "moved by %lld bytes; DmaSize was %u", (long long)used,
                            asked(call)->DmaSize);
    }
    return contract_canary_intact((const char *)asked(call)->pDmaBuffer + asked(call)->DmaSize) ||
           contract_say(call, "commands inside the DMA buffer",
                        "bytes behind its end were written");
}

static bool private_data_is_kept(struct contract_call *call)
{
    const DXGKARG_RENDER *asked_for = asked(call);
    uint64_t used =
        contract_moved(asked_for->pDmaBufferPrivateData, answered(call)->pDmaBufferPrivateData);

    if (produced(call) && used > asked_for->DmaBufferPrivateDataSize) {
        return contract_say(call, "pDmaBufferPrivateData inside its block",
                            "moved by %lld bytes of %u", (long long)used,
                            asked_for->DmaBufferPrivateDataSize);
    }
    return !asked_for->pDmaBufferPrivateData ||
           contract_canary_intact((const char *)asked_for->pDmaBufferPrivateData +
                                  asked_for->DmaBufferPrivateDataSize) ||
           contract_say(call, "private data inside its block",
                        "bytes behind the private data were written");
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

static bool patch_pointer_is_inside(struct contract_call *call)
{
    uint64_t bytes =
        contract_moved(asked(call)->pPatchLocationListOut, answered(call)->pPatchLocationListOut);

    return !produced(call) ||
           (bytes / sizeof(D3DDDI_PATCHLOCATIONLIST) <= asked(call)->PatchLocationListOutSize &&
            bytes % sizeof(D3DDDI_PATCHLOCATIONLIST) == 0) ||
           contract_say(call, "pPatchLocationListOut one past the last element used",
                        "moved by %lld bytes; there are %u elements of %zu", (long long)bytes,
                        asked(call)->PatchLocationListOutSize, sizeof(D3DDDI_PATCHLOCATIONLIST));
}

static bool nothing_behind_the_patch_list(struct contract_call *call)
{
    return !asked(call)->pPatchLocationListOut ||
           contract_canary_intact(asked(call)->pPatchLocationListOut +
                                  asked(call)->PatchLocationListOutSize) ||
           contract_say(call, "no writes outside the buffers passed in",
                        "bytes behind the patch location list were written");
}

static bool split_offsets_ascend(struct contract_call *call)
{
    const D3DDDI_PATCHLOCATIONLIST *list = asked(call)->pPatchLocationListOut;

    for (UINT i = 1, count = patch_count(call); i < count; i++) {
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
    UINT limit = call->shadow->caps.MaxAllocationListSlotId;

    if (limit == 0) {
        return true; /* the driver said nothing of its slots: public drivers leave it out */
    }
    for (UINT i = 0, count = patch_count(call); i < count; i++) {
        if (list[i].SlotId >= limit) {
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
    const DXGKARG_RENDER *asked_for = asked(call);
    HANDLE handle =
        element->AllocationIndex < asked_for->AllocationListSize
            ? asked_for->pAllocationList[element->AllocationIndex].hDeviceSpecificAllocation
            : NULL;
    const struct contract_object *opening =
        handle ? contract_object_find(call->shadow, CONTRACT_OBJECT_OPENING, handle) : NULL;
    const struct contract_allocation *allocation =
        opening && opening->target ? contract_allocation_find(call->shadow, opening->target) : NULL;

    return !allocation || element->AllocationOffset < allocation->size ||
           (element->AllocationOffset == 0 && allocation->size == 0);
}

static bool offsets_are_inside(struct contract_call *call)
{
    const D3DDDI_PATCHLOCATIONLIST *list = asked(call)->pPatchLocationListOut;
    uint64_t used = contract_moved(asked(call)->pDmaBuffer, answered(call)->pDmaBuffer);

    for (UINT i = 0, count = patch_count(call); i < count; i++) {
        if (list[i].PatchOffset >= used) {
            return contract_say(call, "a PatchOffset inside what was produced",
                                "element %u has 0x%X; 0x%llX bytes were produced", i,
                                list[i].PatchOffset, (unsigned long long)used);
        }
        if (!offset_is_in_its_allocation(call, &list[i])) {
            return contract_say(call, "an AllocationOffset inside the allocation",
                                "element %u has 0x%X", i, list[i].AllocationOffset);
        }
    }
    return true;
}

static const struct contract_row rows[] = {
    AFTER(RENDER_004, Render, status_is_allowed),
    AFTER_STOP(RENDER_009, Render, buffer_is_kept, 0x10E, 0x12),
    AFTER_STOP(RENDER_010, Render, private_data_is_kept, 0x10E, 0x13),
    AFTER_STOP(RENDER_013, Render, patch_pointer_is_inside, 0x10E, 0x12),
    AFTER_STOP(GEN_009, Render, nothing_behind_the_patch_list, 0x10E, 0x12),
    AFTER(RENDER_014, Render, split_offsets_ascend),
    AFTER(RENDER_016, Render, slots_exist),
    AFTER_STOP(RENDER_017, Render, indexes_exist, 0x10E, 8),
    AFTER_STOP(RENDER_018, Render, offsets_are_inside, 0x10E, 8),
};

const struct contract_family contract_family_render = FAMILY_OF(rows);
