/* DMA buffers as Render and Present left them, and what the kernel owes after a half answer. */
#include "contract/tracker.h"

#include <stdlib.h>

#include "base/check.h"
#include "contract/internal.h"

void track_buffers_fini(struct contract_tracker *tracker)
{
    struct contract_buffer *buffer, *next;

    HASH_ITER(hh, tracker->buffers, buffer, next)
    {
        HASH_DEL(tracker->buffers, buffer);
        free(buffer);
    }
}

struct contract_buffer *contract_buffer_find(const struct contract_tracker *tracker,
                                             const void *bytes)
{
    struct contract_buffer *found = NULL;

    HASH_FIND_PTR(tracker->buffers, &bytes, found);
    return found;
}

static struct contract_buffer *buffer_at(struct contract_tracker *tracker, const void *bytes)
{
    struct contract_buffer *buffer = contract_buffer_find(tracker, bytes);

    if (!buffer) {
        buffer = calloc(1, sizeof *buffer);
        CHECK_THAT(buffer);
        buffer->bytes = bytes;
        HASH_ADD_PTR(tracker->buffers, bytes, buffer);
    }
    return buffer;
}

/* ---- Hashes of what must be the same again -----------------------------------------------------
 */

uint64_t contract_hash_on(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < size; i++) {
        seed = (seed ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return seed;
}

/* Segments and addresses change with paging; handles and write marks do not. */
uint64_t contract_hash_handles(const DXGK_ALLOCATIONLIST *list, UINT count)
{
    uint64_t hash = count;

    for (UINT i = 0; i < count; i++) {
        const unsigned char write = list[i].WriteOperation;
        hash = contract_hash_on(hash, &list[i].hDeviceSpecificAllocation, sizeof(HANDLE));
        hash = contract_hash_on(hash, &write, 1);
    }
    return hash;
}

uint64_t contract_hash_request(const DXGKARG_RENDER *render)
{
    return contract_hash_on(render->CommandLength, &render->pCommand, sizeof render->pCommand);
}

uint64_t contract_hash_rectangles(const DXGKARG_PRESENT *present)
{
    return present->pDstSubRects ? contract_hash_on(present->SubRectCnt, present->pDstSubRects,
                                                    present->SubRectCnt * sizeof(RECT))
                                 : 0;
}

/* ---- Rendering and presenting ------------------------------------------------------------------
 */

/* The driver may have moved its pointers anywhere: then nothing is known of what it made. */
static UINT advance(const void *from, const void *to, UINT limit)
{
    uint64_t bytes = contract_moved(from, to);

    return bytes <= limit ? (UINT)bytes : limit;
}

static void keep_patches(struct contract_buffer *buffer, const D3DDDI_PATCHLOCATIONLIST *first,
                         const D3DDDI_PATCHLOCATIONLIST *end, UINT limit)
{
    UINT bytes = advance(first, end, limit * (UINT)sizeof *first);

    buffer->patch_count = bytes / (UINT)sizeof *first;
    buffer->patches_hash = contract_hash_on(0, first, buffer->patch_count * sizeof *first);
}

/* The list is in the driver's hands from now on. */
void track_begin_render(struct contract_call *call)
{
    const DXGKARG_RENDER *render = call->arguments;
    struct contract_object *context = contract_context_find(call->tracker, call->first);

    call->kept.hashes.request = contract_hash_request(render);
    call->kept.hashes.handles =
        contract_hash_handles(render->pAllocationList, render->AllocationListSize);
    if (!context) {
        return;
    }
    context->listed_count = render->AllocationListSize < context->listed_max
                                ? render->AllocationListSize
                                : context->listed_max;
    for (UINT i = 0; i < context->listed_count; i++) {
        context->listed[i] = render->pAllocationList[i].hDeviceSpecificAllocation;
    }
}

struct contract_object *contract_presenter(const struct contract_call *call)
{
    return call->point == POINT_PresentToHwQueue
               ? contract_object_find(call->tracker, TRACKED_HW_QUEUE, call->first)
               : contract_context_find(call->tracker, call->first);
}

bool contract_presents_by_address(const struct contract_call *call)
{
    const struct contract_object *context = contract_presenter(call);

    return call->point == POINT_PresentToHwQueue || (context && context->virtual_addresses);
}

void track_begin_present(struct contract_call *call)
{
    const DXGKARG_PRESENT *present = call->arguments;

    call->kept.hashes.request = contract_hash_rectangles(present);
    /* Planes stand in the list's place, or what Patch and CancelCommand are not given. */
    if (!present->Flags.FlipWithMultiPlaneOverlay && !contract_presents_by_address(call)) {
        call->kept.hashes.handles = contract_hash_handles(present->pAllocationList, 3);
    }
}

void track_render(struct contract_call *call)
{
    const DXGKARG_RENDER *before = call->before, *after = call->arguments;
    bool more = call->status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;

    struct contract_object *context = contract_context_find(call->tracker, call->first);
    if (context) {
        context->render = (struct contract_repeat){
            .wanted = more,
            .multipass = after->MultipassOffset,
            .request_hash = call->kept.hashes.request,
        };
    }
    if (!has_succeeded(call) && !more) {
        return;
    }
    struct contract_buffer *buffer = buffer_at(call->tracker, before->pDmaBuffer);
    buffer->context = call->first;
    buffer->present = buffer->flips = false;
    buffer->size = before->DmaSize;
    buffer->used = advance(before->pDmaBuffer, after->pDmaBuffer, before->DmaSize);
    buffer->private_data = before->pDmaBufferPrivateData;
    buffer->private_size = before->DmaBufferPrivateDataSize;
    buffer->private_used = advance(before->pDmaBufferPrivateData, after->pDmaBufferPrivateData,
                                   before->DmaBufferPrivateDataSize);
    buffer->segment = before->DmaBufferSegmentId;
    buffer->address = (uint64_t)before->DmaBufferPhysicalAddress.QuadPart;
    buffer->allocation_count = before->AllocationListSize;
    buffer->handles_hash = call->kept.hashes.handles;
    keep_patches(buffer, before->pPatchLocationListOut, after->pPatchLocationListOut,
                 before->PatchLocationListOutSize);
}

void contract_repeats_no_more(struct contract_tracker *tracker, HANDLE context)
{
    struct contract_object *object = contract_context_find(tracker, context);
    struct contract_object *queue = contract_object_find(tracker, TRACKED_HW_QUEUE, context);

    if (object) {
        object->render.wanted = object->present.wanted = false;
    }
    if (queue) {
        queue->present.wanted = false;
    }
}

void track_present(struct contract_call *call)
{
    const DXGKARG_PRESENT *before = call->before, *after = call->arguments;
    bool more = call->status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;

    struct contract_object *context = contract_presenter(call);
    if (context) {
        context->present = (struct contract_repeat){
            .wanted = more,
            .multipass = after->MultipassOffset,
            .count = before->SubRectCnt,
            .request_hash = call->kept.hashes.request,
        };
    }
    if (!before->pDmaBuffer || (!has_succeeded(call) && !more)) {
        return;
    }
    struct contract_buffer *buffer = buffer_at(call->tracker, before->pDmaBuffer);
    buffer->context = call->first;
    buffer->present = true;
    buffer->flips = before->Flags.Flip || before->Flags.FlipWithNoWait;
    buffer->size = before->DmaSize;
    buffer->used = advance(before->pDmaBuffer, after->pDmaBuffer, before->DmaSize);
    buffer->private_data = before->pDmaBufferPrivateData;
    buffer->private_size = before->DmaBufferPrivateDataSize;
    buffer->private_used = advance(before->pDmaBufferPrivateData, after->pDmaBufferPrivateData,
                                   before->DmaBufferPrivateDataSize);
    buffer->segment = before->DmaBufferSegmentId;
    buffer->address = (uint64_t)before->DmaBufferPhysicalAddress.QuadPart;
    buffer->virtual_address =
        contract_presents_by_address(call) ? before->DmaBufferGpuVirtualAddress : 0;
    buffer->allocation_count = 3;
    buffer->handles_hash = call->kept.hashes.handles;
    keep_patches(buffer, before->pPatchLocationListOut, after->pPatchLocationListOut,
                 before->PatchLocationListOutSize);
}
