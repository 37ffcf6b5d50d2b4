/* The kernel's own duties: Patch. */
#include "contract/internal.h"

#include <string.h>

#include "machine/machine.h"

static const DXGKARG_PATCH *patch_of(const struct contract_call *call)
{
    return call->arguments;
}

static const struct contract_buffer *dma_of(const struct contract_call *call)
{
    const DXGKARG_PATCH *patch = patch_of(call);

    return patch->Flags.Paging ? NULL : contract_buffer_find(call->tracker, patch->pDmaBuffer);
}

static bool patch_handle(struct contract_call *call)
{
    const DXGKARG_PATCH *patch = patch_of(call);

    return KERNEL_KEEPS(call,
                        patch->hContext
                            ? contract_context_find(call->tracker, patch->hContext) != NULL
                            : patch->Flags.Paging,
                        "a context that lives; NULL for paging", "hContext %p, flags 0x%X",
                        patch->hContext, patch->Flags.Value);
}

static bool patch_buffer(struct contract_call *call)
{
    const DXGKARG_PATCH *patch = patch_of(call);
    const struct contract_buffer *dma = dma_of(call);
    uint64_t address = (uint64_t)patch->DmaBufferPhysicalAddress.QuadPart;

    if (patch->Flags.Paging) {
        return KERNEL_KEEPS(call, patch->DmaBufferSize == call->tracker->paging_buffer_size,
                            "the whole paging buffer", "DmaBufferSize %u", patch->DmaBufferSize);
    }
    return KERNEL_KEEPS(call,
                        dma && patch->DmaBufferSize == dma->size &&
                            contract_in_segment(call->tracker, patch->DmaBufferSegmentId, address,
                                                patch->DmaBufferSize),
                        "the whole buffer that Render or Present filled, where it is",
                        "%p, %u bytes, segment %u, address 0x%llX", patch->pDmaBuffer,
                        patch->DmaBufferSize, patch->DmaBufferSegmentId,
                        (unsigned long long)address);
}

static bool patch_range(struct contract_call *call)
{
    const DXGKARG_PATCH *patch = patch_of(call);
    const struct contract_buffer *dma = dma_of(call);

    return KERNEL_KEEPS(
        call,
        patch->DmaBufferSubmissionStartOffset <= patch->DmaBufferSubmissionEndOffset &&
            patch->DmaBufferSubmissionEndOffset <= (dma ? dma->used : patch->DmaBufferSize),
        "a range of what was produced", "[%u, %u)", patch->DmaBufferSubmissionStartOffset,
        patch->DmaBufferSubmissionEndOffset);
}

static bool patch_private(struct contract_call *call)
{
    const DXGKARG_PATCH *patch = patch_of(call);
    const struct contract_buffer *dma = dma_of(call);

    return KERNEL_KEEPS(
        call,
        (patch->Flags.Paging || patch->DmaBufferPrivateDataSubmissionStartOffset == 0) &&
            patch->DmaBufferPrivateDataSubmissionStartOffset <=
                patch->DmaBufferPrivateDataSubmissionEndOffset &&
            patch->DmaBufferPrivateDataSubmissionEndOffset <= patch->DmaBufferPrivateDataSize &&
            (!dma || (patch->pDmaBufferPrivateData == dma->private_data &&
                      patch->DmaBufferPrivateDataSize == dma->private_size &&
                      patch->DmaBufferPrivateDataSubmissionEndOffset == dma->private_used)),
        "the private data that Render or Present filled, from 0", "%p, [%u, %u) of %u",
        patch->pDmaBufferPrivateData, patch->DmaBufferPrivateDataSubmissionStartOffset,
        patch->DmaBufferPrivateDataSubmissionEndOffset, patch->DmaBufferPrivateDataSize);
}

/* Where is element i, and is that a place? */
static bool placed(struct contract_call *call, UINT i)
{
    const DXGK_ALLOCATIONLIST *element = &patch_of(call)->pAllocationList[i];
    uint64_t address = (uint64_t)element->PhysicalAddress.QuadPart;

    if (element->SegmentId == 0) {
        return KERNEL_KEEPS(call, address == 0, "no address without a segment",
                            "[%u] has address 0x%llX", i, (unsigned long long)address);
    }
    return KERNEL_KEEPS(call, contract_in_segment(call->tracker, element->SegmentId, address, 1),
                        "an address inside its segment", "[%u]: segment %u, 0x%llX", i,
                        element->SegmentId, (unsigned long long)address);
}

/* The element of the allocation list that entry i of the window names; too large: none. */
static UINT named_by(const DXGKARG_PATCH *patch, UINT i)
{
    uint64_t at = (uint64_t)patch->PatchLocationListSubmissionStart + i;

    return at < patch->PatchLocationListSize ? patch->pPatchLocationList[at].AllocationIndex
                                             : UINT32_MAX;
}

static bool patch_allocations(struct contract_call *call)
{
    const DXGKARG_PATCH *patch = patch_of(call);
    const struct contract_buffer *dma = dma_of(call);

    if (patch->Flags.Paging) {
        return KERNEL_KEEPS(call, !patch->pAllocationList && patch->AllocationListSize == 0,
                            "no allocation list for paging", "%u elements",
                            patch->AllocationListSize);
    }
    if (dma && (patch->AllocationListSize != dma->allocation_count ||
                contract_hash_handles(patch->pAllocationList, patch->AllocationListSize) !=
                    dma->handles_hash)) {
        return contract_say(call, "the full list, with the handles it had before",
                            "%u elements, %u before", patch->AllocationListSize,
                            dma->allocation_count);
    }
    /* What the window does not name may be where it was, or nowhere. */
    for (UINT i = 0; i < patch->PatchLocationListSubmissionLength; i++) {
        UINT index = named_by(patch, i);
        if (index < patch->AllocationListSize && !placed(call, index)) {
            return false;
        }
    }
    return true;
}

/* What is patched is there: every allocation that the window names has a place [SUBMIT-007]. */
static bool patch_resident(struct contract_call *call)
{
    const DXGKARG_PATCH *patch = patch_of(call);

    for (UINT i = 0; !patch->Flags.Paging && i < patch->PatchLocationListSubmissionLength; i++) {
        UINT index = named_by(patch, i);
        if (index < patch->AllocationListSize &&
            patch->pAllocationList[index].hDeviceSpecificAllocation &&
            patch->pAllocationList[index].SegmentId == 0) {
            return contract_say(call, "allocations that are resident", "[%u] is not", index);
        }
    }
    return true;
}

static bool patch_locations(struct contract_call *call)
{
    const DXGKARG_PATCH *patch = patch_of(call);
    const struct contract_buffer *dma = dma_of(call);

    if (patch->Flags.Paging) {
        return KERNEL_KEEPS(call,
                            !patch->pPatchLocationList && patch->PatchLocationListSize == 0 &&
                                patch->PatchLocationListSubmissionStart == 0 &&
                                patch->PatchLocationListSubmissionLength == 0,
                            "no patch list for paging", "%u elements",
                            patch->PatchLocationListSize);
    }
    if ((uint64_t)patch->PatchLocationListSubmissionStart +
            patch->PatchLocationListSubmissionLength >
        patch->PatchLocationListSize) {
        return contract_say(call, "start + length <= size", "%u + %u of %u",
                            patch->PatchLocationListSubmissionStart,
                            patch->PatchLocationListSubmissionLength, patch->PatchLocationListSize);
    }
    return KERNEL_KEEPS(
        call,
        !dma || (patch->PatchLocationListSize == dma->patch_count &&
                 contract_hash_on(0, patch->pPatchLocationList,
                                  dma->patch_count * sizeof *patch->pPatchLocationList) ==
                     dma->patches_hash),
        "the full list as the driver made it", "%u elements, %u before",
        patch->PatchLocationListSize, dma->patch_count);
}

/* The id that SubmitCommand will have: later than all before it on the node. */
static bool patch_fence(struct contract_call *call)
{
    const DXGKARG_PATCH *patch = patch_of(call);
    struct contract_tracker *tracker = call->tracker;
    const struct contract_object *context = contract_context_find(tracker, patch->hContext);
    const struct contract_node *node =
        context && context->node < CONTRACT_NODES_MAX ? &tracker->nodes[context->node] : NULL;

    if (patch->Flags.Paging || !node || !node->any_id) {
        return true;
    }
    return KERNEL_KEEPS(call,
                        contract_fence_difference(patch->SubmissionFenceId, node->last_id) > 0,
                        "the fence of the packet that follows", "fence %u, the node is at %u",
                        patch->SubmissionFenceId, node->last_id);
}

static bool patch_flags(struct contract_call *call)
{
    const DXGKARG_PATCH *patch = patch_of(call);
    const struct contract_buffer *dma = dma_of(call);

    return KERNEL_KEEPS(call,
                        (!patch->Flags.Present || !patch->Flags.Paging) &&
                            (!dma || patch->Flags.Present == dma->present),
                        "Present for what DxgkDdiPresent made", "flags 0x%X", patch->Flags.Value);
}

static bool patch_reserved(struct contract_call *call)
{
    const DXGKARG_PATCH *patch = patch_of(call);

    return KERNEL_KEEPS(call, patch->Flags.Reserved == 0, "reserved bits 0", "flags 0x%X",
                        patch->Flags.Value);
}

static const struct contract_row rows[] = {
    KERNEL(PATCH_001, Patch, IRQL_AT_MOST(MACHINE_IRQL_APC)),
    KERNEL(PATCH_006, Patch, patch_handle),
    KERNEL(PATCH_007, Patch, patch_buffer),
    KERNEL(PATCH_008, Patch, patch_range),
    KERNEL(PATCH_009, Patch, patch_private),
    KERNEL(PATCH_010, Patch, patch_allocations),
    KERNEL(SUBMIT_007, Patch, patch_resident),
    KERNEL(PATCH_011, Patch, patch_locations),
    KERNEL(PATCH_012, Patch, patch_fence),
    KERNEL(PATCH_013, Patch, patch_flags,
           LEAVES_OUT("flags other than Present; SubmitCommand judges its own")),
    KERNEL(PATCH_014, Patch, FIELD_ZERO(DXGKARG_PATCH, EngineOrdinal)),
    KERNEL(PATCH_014, Patch, patch_reserved),
};

const struct contract_family contract_family_kernel_patch = FAMILY_OF(rows);
