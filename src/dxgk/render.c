/* Rendering: a client's commands through DxgkDdiRender into packets.
 *
 * Render may need several passes [RENDER-007]: each INSUFFICIENT_DMA_BUFFER turns what was produced
 * into a packet and calls again with a fresh buffer and the driver's MultipassOffset. */
#include "dxgk/internal.h"

#include <string.h>

#define PASSES_MAX 4096 /* of one call, against a driver that never ends */

/* One call at a time uses a context's lists. */
static void begin_rendering(struct dxgk_context *context)
{
    while (context->rendering) {
        wait_queue_wait(&context->changed, MACHINE_NEVER);
    }
    context->rendering = true;
}

static void end_rendering(struct dxgk_context *context)
{
    context->rendering = false;
    wait_queue_wake(&context->changed, UINT_MAX);
}

/* Converts the client's list: same indexes and write bits, device-specific handles, the address of
 * the present placement or 0 [RENDER-011]. */
static NTSTATUS convert_allocations(struct dxgk_context *context, UINT count)
{
    struct dxgk_process *process = context->device->process;

    for (UINT i = 0; i < count; i++) {
        D3DDDI_ALLOCATIONLIST from = context->space.allocations[i];
        DXGK_ALLOCATIONLIST *to = &context->allocation_list[i];
        *to = (DXGK_ALLOCATIONLIST){0};
        context->allocation_openings[i] = NULL;
        if (from.hAllocation == 0) {
            continue; /* an unused slot */
        }
        struct dxgk_opening *opening =
            dxgk_handle_get(from.hAllocation, DXGK_KIND_OPENING, process);
        if (!opening || opening->device != context->device) {
            return STATUS_INVALID_HANDLE;
        }
        context->allocation_openings[i] = opening;
        to->hDeviceSpecificAllocation = opening->driver_handle;
        to->WriteOperation = from.WriteOperation;
        dxgk_allocation_list_place(to, opening->allocation);
    }
    return STATUS_SUCCESS;
}

static void fill_arguments(struct dxgk_context *context, const struct dxgk_render_request *request,
                           struct dxgk_dma *dma, UINT multipass, DXGKARG_RENDER *arguments)
{
    struct vidmm_dma_buffer *buffer = dma->buffer;

    *arguments = (DXGKARG_RENDER){
        .pCommand = (const uint8_t *)context->space.commands + request->command_offset,
        .CommandLength = request->command_bytes,
        .pDmaBuffer = buffer->bytes,
        .DmaSize = dma->size,
        .pDmaBufferPrivateData = buffer->private_data,
        .DmaBufferPrivateDataSize = dma->private_size,
        .pAllocationList = context->allocation_list,
        .AllocationListSize = request->allocation_count,
        .pPatchLocationListIn = context->patch_in,
        .PatchLocationListInSize = request->patch_count,
        .pPatchLocationListOut = context->patch_out,
        .PatchLocationListOutSize = context->info.PatchLocationListSize,
        .MultipassOffset = multipass,
        .DmaBufferSegmentId = buffer->segment,
        .DmaBufferPhysicalAddress.QuadPart =
            (LONGLONG)(buffer->segment ? buffer->address : buffer->physical_address),
    };
}

static bool inside(const void *pointer, const void *begin, size_t size)
{
    return (uintptr_t)pointer >= (uintptr_t)begin && (uintptr_t)pointer - (uintptr_t)begin <= size;
}

/* What the driver produced, as a packet. Pointers outside were reported at the door (fatal). */
static NTSTATUS push_produced(struct dxgk_context *context, struct dxgk_dma *dma,
                              const DXGKARG_RENDER *arguments, UINT allocation_count,
                              DXGK_SUBMITCOMMANDFLAGS flags)
{
    size_t patch_bytes = context->info.PatchLocationListSize * sizeof(D3DDDI_PATCHLOCATIONLIST);
    struct vidmm_dma_buffer *buffer = dma->buffer;

    if (!inside(arguments->pDmaBuffer, buffer->bytes, dma->size) ||
        !inside(arguments->pPatchLocationListOut, context->patch_out, patch_bytes) ||
        !inside(arguments->pDmaBufferPrivateData, buffer->private_data, dma->private_size)) {
        vidmm_dma_release(buffer);
        return STATUS_INVALID_USER_BUFFER;
    }
    dma->used = (UINT)((uint8_t *)arguments->pDmaBuffer - buffer->bytes);
    dma->private_used = (UINT)((uint8_t *)arguments->pDmaBufferPrivateData - buffer->private_data);
    if (dma->used == 0) {
        vidmm_dma_release(buffer);
        return STATUS_SUCCESS; /* nothing to do */
    }
    struct dxgk_packet *packet =
        dxgk_packet_new(context, flags.Present ? VIDSCH_PACKET_PRESENT : VIDSCH_PACKET_RENDER);
    if (!packet) {
        vidmm_dma_release(buffer);
        return STATUS_NO_MEMORY;
    }
    dxgk_dma_set_lists(dma, context->allocation_list, context->allocation_openings,
                       allocation_count, context->patch_out,
                       (UINT)(arguments->pPatchLocationListOut - context->patch_out));
    dma->packet_count = 1;
    packet->dma = dma;
    packet->end = dma->used;
    packet->private_end = dma->private_used;
    packet->patch_count = dma->patch_count;
    packet->flags = flags;
    dxgk_packet_push(packet);
    return STATUS_SUCCESS;
}

/* Between two passes paging may have moved what the list names [RENDER-011]. */
static void place_again(struct dxgk_context *context, UINT count)
{
    for (UINT i = 0; i < count; i++) {
        if (context->allocation_openings[i]) {
            dxgk_allocation_list_place(&context->allocation_list[i],
                                       context->allocation_openings[i]->allocation);
        }
    }
}

static NTSTATUS run_passes(struct dxgk_context *context, const struct dxgk_render_request *request)
{
    struct dxgk_device *device = context->device;
    DXGK_SUBMITCOMMANDFLAGS flags = {.NullRendering = request->null_rendering};
    UINT multipass = 0;

    for (unsigned pass = 0; pass < PASSES_MAX; pass++) {
        DXGKARG_RENDER arguments;
        struct dxgk_dma *dma;
        NTSTATUS status = dxgk_dma_acquire(context, &dma);
        if (!NT_SUCCESS(status)) {
            return status;
        }
        place_again(context, pass ? request->allocation_count : 0);
        fill_arguments(context, request, dma, multipass, &arguments);
        memset((uint8_t *)context->patch_out +
                   context->info.PatchLocationListSize * sizeof(D3DDDI_PATCHLOCATIONLIST),
               CONTRACT_CANARY, CONTRACT_CANARY_BYTES);
        status =
            ddi_render(&device->adapter->ddi, context->driver_handle, &arguments, context->object);
        bool more = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        if (!NT_SUCCESS(status) && !more) {
            vidmm_dma_release(dma->buffer);
            if (status == STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE) {
                dxgk_device_lose(device, D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT); /* [RENDER-005] */
            }
            return status;
        }
        status = push_produced(context, dma, &arguments, request->allocation_count, flags);
        if (!more || !NT_SUCCESS(status)) {
            return status;
        }
        multipass = arguments.MultipassOffset;
    }
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

NTSTATUS dxgk_render(struct dxgk_context *context, const struct dxgk_render_request *request)
{
    const struct dxgk_command_space *space = &context->space;
    NTSTATUS status;

    if (!range_fits(request->command_offset, request->command_bytes, space->command_bytes) ||
        request->allocation_count > space->allocation_count ||
        request->patch_count > space->patch_count) {
        return STATUS_INVALID_PARAMETER;
    }
    if (context->device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    begin_rendering(context);
    status = convert_allocations(context, request->allocation_count);
    if (NT_SUCCESS(status)) {
        /* The client's list may change while the driver reads: it gets a copy. */
        memcpy(context->patch_in, space->patches,
               request->patch_count * sizeof(D3DDDI_PATCHLOCATIONLIST));
        status = run_passes(context, request);
    }
    end_rendering(context);
    return status;
}

/* ---- Present by copy ------------------------------------------------------------------------- */

/* The present list has fixed places: 1 source, 2 destination. */
static NTSTATUS place_present_list(struct dxgk_context *context,
                                   const struct dxgk_present_request *request)
{
    bool flip = request->flags.Flip || request->flags.FlipWithNoWait; /* has no destination */
    struct dxgk_opening *openings[DXGK_PRESENT_ALLOCATION_COUNT] = {
        NULL, request->source, flip ? NULL : request->destination};

    for (UINT i = 0; i < DXGK_PRESENT_ALLOCATION_COUNT; i++) {
        DXGK_ALLOCATIONLIST *element = &context->allocation_list[i];
        *element = (DXGK_ALLOCATIONLIST){0};
        context->allocation_openings[i] = openings[i];
        if (openings[i]) {
            if (openings[i]->device != context->device) {
                return STATUS_INVALID_HANDLE;
            }
            element->hDeviceSpecificAllocation = openings[i]->driver_handle;
            element->WriteOperation = i == DXGK_PRESENT_DESTINATION_INDEX;
            dxgk_allocation_list_place(element, openings[i]->allocation);
        }
    }
    return STATUS_SUCCESS;
}

static void fill_present(struct dxgk_context *context, const struct dxgk_present_request *request,
                         struct dxgk_dma *dma, const RECT *sub_rects, UINT sub_rect_count,
                         DXGKARG_PRESENT *arguments)
{
    const DXGK_FLIPCAPS *flips = &context->device->adapter->caps.FlipCaps;

    *arguments = (DXGKARG_PRESENT){
        .pAllocationList = context->allocation_list,
        .Color = request->color,
        .DstRect = request->destination_rect,
        .SrcRect = request->source_rect,
        .SubRectCnt = sub_rect_count,
        .pDstSubRects = sub_rects,
        .FlipInterval = request->interval,
        .Flags = request->flags,
    };
    /* The flip queue counts longer intervals itself [PRES-031], and waits anyway [PRES-037]. */
    if (request->interval > 1 && !flips->FlipInterval) {
        arguments->FlipInterval = (D3DDDI_FLIPINTERVAL_TYPE)1;
    }
    if (request->flags.FlipWithNoWait && !flips->FlipOnVSyncWithNoWait) {
        arguments->Flags.FlipWithNoWait = 0;
        arguments->Flags.Flip = 1;
    }
    if (dma) {
        struct vidmm_dma_buffer *buffer = dma->buffer;
        arguments->pDmaBuffer = buffer->bytes;
        arguments->DmaSize = dma->size;
        arguments->pDmaBufferPrivateData = buffer->private_data;
        arguments->DmaBufferPrivateDataSize = dma->private_size;
        arguments->pPatchLocationListOut = context->patch_out;
        arguments->PatchLocationListOutSize = context->info.PatchLocationListSize;
        arguments->DmaBufferSegmentId = buffer->segment;
        arguments->DmaBufferPhysicalAddress.QuadPart =
            (LONGLONG)(buffer->segment ? buffer->address : buffer->physical_address);
    }
    /* WDDM 2.0 counts the allocations of each side. */
    if (context->device->adapter->wddm_version >= 0x2000) {
        arguments->NumSrcAllocations = request->source != NULL;
        arguments->NumDstAllocations = request->destination != NULL;
    }
}

static NTSTATUS present_passes(struct dxgk_context *context,
                               const struct dxgk_present_request *request, const RECT *sub_rects,
                               UINT sub_rect_count)
{
    struct dxgk_device *device = context->device;
    DXGK_SUBMITCOMMANDFLAGS flags = {.Present = 1}; /* [PRES-055] */
    UINT multipass = 0;

    for (unsigned pass = 0; pass < PASSES_MAX; pass++) {
        DXGKARG_PRESENT arguments;
        DXGKARG_RENDER produced;
        struct dxgk_dma *dma;
        NTSTATUS status = dxgk_dma_acquire(context, &dma);
        if (!NT_SUCCESS(status)) {
            return status;
        }
        place_again(context, pass ? DXGK_PRESENT_ALLOCATION_COUNT : 0);
        fill_present(context, request, dma, sub_rects, sub_rect_count, &arguments);
        arguments.MultipassOffset = multipass;
        memset((uint8_t *)context->patch_out +
                   context->info.PatchLocationListSize * sizeof(D3DDDI_PATCHLOCATIONLIST),
               CONTRACT_CANARY, CONTRACT_CANARY_BYTES);
        status =
            ddi_present(&device->adapter->ddi, context->driver_handle, &arguments, context->object);
        bool more = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        if (!NT_SUCCESS(status) && !more) {
            vidmm_dma_release(dma->buffer);
            if (status == STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE) {
                dxgk_device_lose(device, D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT);
            }
            return status;
        }
        produced = (DXGKARG_RENDER){.pDmaBuffer = arguments.pDmaBuffer,
                                    .pDmaBufferPrivateData = arguments.pDmaBufferPrivateData,
                                    .pPatchLocationListOut = arguments.pPatchLocationListOut};
        status = push_produced(context, dma, &produced, DXGK_PRESENT_ALLOCATION_COUNT, flags);
        if (!more || !NT_SUCCESS(status)) {
            return status;
        }
        multipass = arguments.MultipassOffset;
    }
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

/* With MMIO flips the driver only validates; the flip itself waits its turn [PRES-010]. */
static NTSTATUS present_flip(struct dxgk_context *context,
                             const struct dxgk_present_request *request)
{
    DXGKARG_PRESENT arguments;

    if (!context->device->adapter->caps.FlipCaps.FlipOnVSyncMmIo) {
        return STATUS_NOT_SUPPORTED; /* no flips by command: such drivers present by copy */
    }
    fill_present(context, request, NULL, NULL, 0, &arguments);
    NTSTATUS status = ddi_present(&context->device->adapter->ddi, context->driver_handle,
                                  &arguments, context->object);
    return NT_SUCCESS(status) ? dxgk_flip_queue(context, request) : status;
}

static LONG at_least(LONG value, LONG limit)
{
    return value < limit ? limit : value;
}

static LONG at_most(LONG value, LONG limit)
{
    return value > limit ? limit : value;
}

/* Drivers do not clip: rectangles are inside DstRect, and none is empty [PRES-027]. Returns how
 * many are left. */
static UINT clip_sub_rects(const struct dxgk_present_request *request, RECT *out)
{
    const RECT *outer = &request->destination_rect;
    const RECT *in = request->sub_rect_count ? request->sub_rects : outer;
    UINT count = request->sub_rect_count ? request->sub_rect_count : 1, kept = 0;

    for (UINT i = 0; i < count; i++) {
        const RECT clipped = {at_least(in[i].left, outer->left), at_least(in[i].top, outer->top),
                              at_most(in[i].right, outer->right),
                              at_most(in[i].bottom, outer->bottom)};
        if (clipped.left < clipped.right && clipped.top < clipped.bottom) {
            out[kept++] = clipped;
        }
    }
    return kept;
}

static NTSTATUS present_one(struct dxgk_context *context,
                            const struct dxgk_present_request *request)
{
    UINT count = request->sub_rect_count ? request->sub_rect_count : 1;
    /* The driver reads the rectangles through every pass: they are ours, at a replaying address. */
    RECT *sub_rects = nt_memory_alloc(count * sizeof *sub_rects, 0);
    NTSTATUS status;

    if (!sub_rects) {
        return STATUS_NO_MEMORY;
    }
    count = clip_sub_rects(request, sub_rects);
    status = count ? present_passes(context, request, sub_rects, count) : STATUS_SUCCESS;
    nt_memory_free(sub_rects);
    return status;
}

NTSTATUS dxgk_present(struct dxgk_context *context, const struct dxgk_present_request *request)
{
    DXGK_PRESENTFLAGS flags = request->flags;
    NTSTATUS status;

    if (context->device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (flags.Blt + flags.ColorFill + flags.Flip + flags.FlipWithNoWait != 1 ||
        flags.ColorFill + flags.SrcColorKey + flags.DstColorKey > 1 || flags.Reserved ||
        flags.FlipWithMultiPlaneOverlay || (flags.FlipStereo && flags.FlipStereoTemporaryMono) ||
        (flags.FlipStereoTemporaryMono && flags.FlipStereoPreferRight) ||
        request->sub_rect_count > 1u << 16 || (flags.ColorFill && request->source) ||
        (!flags.ColorFill && !request->source) ||
        ((flags.Blt || flags.ColorFill) && !request->destination)) {
        return STATUS_INVALID_PARAMETER;
    }
    begin_rendering(context);
    status = place_present_list(context, request);
    if (NT_SUCCESS(status)) {
        record_event(EVENT_PRESENT, context->object, flags.Value, 0);
        status = flags.Flip || flags.FlipWithNoWait ? present_flip(context, request)
                                                    : present_one(context, request);
    }
    end_rendering(context);
    return status;
}
