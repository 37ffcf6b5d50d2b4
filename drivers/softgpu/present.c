/* present.c: DxgkDdiPresent: commands for a copy to the screen, a fill, or a flip.
 *
 *   Blt        source and destination; each destination sub-rectangle is one command
 *   ColorFill  destination only
 *   Flip       source only; by command, or by SetVidPnSourceAddress if pDmaBuffer is NULL
 *
 * SrcRect and DstRect give the stretch factor, the pixels to write are those of pDstSubRects and
 * no others (PRES-026, PRES-028). When buffer or patch list are full, MultipassOffset counts the
 * sub-rectangles that are done. */
#include "softgpu.h"

/* The longest command, so that room is asked for once for all kinds. */
#define COMMAND_BYTES_MAX sizeof(struct softgpu_command_stretch)
#define STRETCH_LIMIT     32767 /* what the device takes as a coordinate */

struct present {
    struct softgpu_adapter *adapter;
    DXGKARG_PRESENT *arguments;
    const struct softgpu_umd_allocation *source, *destination; /* NULL: not part of it */
    BOOLEAN same;                                              /* screen to screen */
    BOOLEAN stretched;
    BOOLEAN bilinear;    /* the client wants it blended */
    ULONG source_offset; /* of the image for the right eye, if that is copied */
    ULONG quarter_turns;
    RECT client; /* the destination as clients see it: not turned */
    struct softgpu_emitter emitter;
};

/* Which of the two lists it is, the context says. */
static const struct softgpu_umd_allocation *info_of(const struct softgpu_context *context,
                                                    const DXGKARG_PRESENT *arguments, ULONG index)
{
    const struct softgpu_open_allocation *open =
        context->space != 0 ? arguments->pAllocationInfo[index].hDeviceSpecificAllocation
                            : arguments->pAllocationList[index].hDeviceSpecificAllocation;

    return open != NULL ? &open->allocation->info : NULL;
}

/* ---- Colours --------------------------------------------------------------------------------- */

/* Color is A8R8G8B8; the device wants the format of the surface. */
static ULONG convert_color(ULONG color, ULONG format)
{
    switch (format) {
    case SOFTGPU_FORMAT_RGB565:
        return (color >> 8 & 0xF800) | (color >> 5 & 0x07E0) | (color >> 3 & 0x001F);
    case SOFTGPU_FORMAT_P8:
        return color & 0xFF; /* an index (PRES-025) */
    case SOFTGPU_FORMAT_RGBA8:
        return (color & 0xFF00FF00) | (color >> 16 & 0xFF) | (color & 0xFF) << 16;
    default:
        return color;
    }
}

/* Keys are compared without alpha. */
static ULONG convert_key(ULONG color, ULONG format)
{
    return convert_color(color, format) & (format == SOFTGPU_FORMAT_RGB565 ? 0xFFFF : 0x00FFFFFF);
}

/* ---- Commands -------------------------------------------------------------------------------- */

static void set_surface(struct softgpu_surface *surface, const struct softgpu_umd_allocation *info)
{
    surface->pitch_bytes = info->pitch_bytes;
    surface->format = info->format;
    surface->width = info->width;
    surface->height = info->height;
}

static struct softgpu_rect to_device(const RECT *rect)
{
    struct softgpu_rect result = {rect->left, rect->top, rect->right, rect->bottom};

    return result;
}

/* `destination` and `source` are offsets of the two addresses in the command. */
static void emit(struct present *present, const void *command, ULONG bytes, ULONG destination,
                 ULONG source)
{
    struct softgpu_reference references[2];
    ULONG count = 0;

    RtlZeroMemory(references, sizeof(references));
    if (present->destination != NULL) {
        references[count].offset = destination;
        references[count].allocation_index = DXGK_PRESENT_DESTINATION_INDEX;
        references[count].is_surface = TRUE;
        references[count++].slot = SOFTGPU_SLOT_DESTINATION;
    }
    if (present->source != NULL) {
        references[count].offset = source;
        references[count].allocation_index = DXGK_PRESENT_SOURCE_INDEX;
        references[count].allocation_offset = present->source_offset;
        references[count].is_surface = TRUE;
        references[count++].slot = SOFTGPU_SLOT_SOURCE;
    }
    RtlCopyMemory(present->emitter.buffer + present->emitter.used_bytes, command, bytes);
    softgpu_emit(&present->emitter, bytes, references, count);
}

static void emit_fill(struct present *present, const RECT *rect)
{
    struct softgpu_command_fill_rect fill;

    RtlZeroMemory(&fill, sizeof(fill));
    fill.header = SOFTGPU_COMMAND(SOFTGPU_OP_FILL_RECT, SOFTGPU_COMMAND_WORDS_OF(fill));
    fill.colour = convert_color(present->arguments->Color, present->destination->format);
    set_surface(&fill.destination, present->destination);
    fill.rect = to_device(rect);
    emit(present, &fill, sizeof(fill), FIELD_OFFSET(struct softgpu_command_fill_rect, destination),
         0);
}

static void emit_blt(struct present *present, const RECT *target, const RECT *source)
{
    const DXGKARG_PRESENT *arguments = present->arguments;
    struct softgpu_command_blt blt;

    RtlZeroMemory(&blt, sizeof(blt));
    blt.header = SOFTGPU_COMMAND(SOFTGPU_OP_BLT, SOFTGPU_COMMAND_WORDS_OF(blt));
    if (arguments->Flags.SrcColorKey) {
        blt.flags = SOFTGPU_BLT_SOURCE_KEY;
        blt.key = convert_key(arguments->Color, present->source->format);
    } else if (arguments->Flags.DstColorKey) {
        blt.flags = SOFTGPU_BLT_DESTINATION_KEY;
        blt.key = convert_key(arguments->Color, present->destination->format);
    }
    if (arguments->Flags.LinearToSrgb) {
        blt.flags |= SOFTGPU_BLT_LINEAR_TO_SRGB;
    }
    set_surface(&blt.destination, present->destination);
    set_surface(&blt.source, present->source);
    blt.x = target->left;
    blt.y = target->top;
    blt.source_rect = to_device(source);
    emit(present, &blt, sizeof(blt), FIELD_OFFSET(struct softgpu_command_blt, destination),
         FIELD_OFFSET(struct softgpu_command_blt, source));
}

static BOOLEAN are_both_bgr(const struct present *present)
{
    return (present->source->format == SOFTGPU_FORMAT_BGRX8 ||
            present->source->format == SOFTGPU_FORMAT_BGRA8) &&
           (present->destination->format == SOFTGPU_FORMAT_BGRX8 ||
            present->destination->format == SOFTGPU_FORMAT_BGRA8);
}

static void emit_rotate(struct present *present, const RECT *target, const RECT *source)
{
    struct softgpu_command_rotate rotate;

    RtlZeroMemory(&rotate, sizeof(rotate));
    rotate.header = SOFTGPU_COMMAND(SOFTGPU_OP_ROTATE, SOFTGPU_COMMAND_WORDS_OF(rotate));
    rotate.quarter_turns = present->quarter_turns;
    set_surface(&rotate.destination, present->destination);
    set_surface(&rotate.source, present->source);
    if (are_both_bgr(present)) { /* with alpha or without, the 32 bits are turned as they are */
        rotate.source.format = rotate.destination.format;
    }
    rotate.x = target->left;
    rotate.y = target->top;
    rotate.source_rect = to_device(source);
    emit(present, &rotate, sizeof(rotate), FIELD_OFFSET(struct softgpu_command_rotate, destination),
         FIELD_OFFSET(struct softgpu_command_rotate, source));
}

static void emit_stretch(struct present *present, const RECT *clip)
{
    struct softgpu_command_stretch stretch;

    RtlZeroMemory(&stretch, sizeof(stretch));
    stretch.header = SOFTGPU_COMMAND(SOFTGPU_OP_STRETCH, SOFTGPU_COMMAND_WORDS_OF(stretch));
    stretch.flags = present->bilinear ? SOFTGPU_STRETCH_BILINEAR : 0;
    set_surface(&stretch.destination, present->destination);
    set_surface(&stretch.source, present->source);
    stretch.destination_rect = to_device(&present->arguments->DstRect);
    stretch.source_rect = to_device(&present->arguments->SrcRect);
    stretch.clip = to_device(clip);
    emit(present, &stretch, sizeof(stretch),
         FIELD_OFFSET(struct softgpu_command_stretch, destination),
         FIELD_OFFSET(struct softgpu_command_stretch, source));
}

/* ---- Sub-rectangles -------------------------------------------------------------------------- */

/* One sub-rectangle, in client space. dxgkrnl has clipped it to the destination already; what
 * would leave a surface is cut off all the same, since the device faults on it. */
static void emit_sub_rect(struct present *present, const RECT *sub_rect)
{
    const DXGKARG_PRESENT *arguments = present->arguments;
    LONG dx = arguments->DstRect.left - arguments->SrcRect.left;
    LONG dy = arguments->DstRect.top - arguments->SrcRect.top;
    RECT surface, target, source;

    if (!softgpu_rect_intersect(sub_rect, &present->client, &target)) {
        return;
    }
    if (present->source == NULL) {
        target =
            softgpu_rect_turn(&target, present->quarter_turns, (LONG)present->destination->width,
                              (LONG)present->destination->height);
        emit_fill(present, &target);
        return;
    }
    if (present->stretched) {
        emit_stretch(present, &target);
        return;
    }
    source = softgpu_rect_offset(&target, -dx, -dy);
    surface.left = 0;
    surface.top = 0;
    surface.right = (LONG)present->source->width;
    surface.bottom = (LONG)present->source->height;
    if (!softgpu_rect_intersect(&source, &surface, &source)) {
        return;
    }
    target = softgpu_rect_offset(&source, dx, dy);
    if (present->quarter_turns != 0) {
        target =
            softgpu_rect_turn(&target, present->quarter_turns, (LONG)present->destination->width,
                              (LONG)present->destination->height);
        emit_rotate(present, &target, &source);
    } else {
        emit_blt(present, &target, &source);
    }
}

static NTSTATUS emit_sub_rects(struct present *present)
{
    DXGKARG_PRESENT *arguments = present->arguments;
    const RECT *rects = arguments->pDstSubRects;
    ULONG count = arguments->SubRectCnt, done = arguments->MultipassOffset;
    ULONG *order = NULL;
    NTSTATUS status = STATUS_SUCCESS;

    if (count == 0) {
        rects = &arguments->DstRect; /* no list: all of it */
        count = 1;
    }
    /* Within one surface a rectangle must not be overwritten before it is read (PRES-015). */
    if (present->same && count > 1) {
        order = softgpu_rects_order(rects, count, arguments->DstRect.left - arguments->SrcRect.left,
                                    arguments->DstRect.top - arguments->SrcRect.top);
        if (order == NULL) {
            return STATUS_NO_MEMORY;
        }
    }
    while (done < count) {
        if (!softgpu_emitter_has_room(&present->emitter, COMMAND_BYTES_MAX, 2)) {
            status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
            break;
        }
        emit_sub_rect(present, &rects[order != NULL ? order[done] : done]);
        done++;
    }
    arguments->MultipassOffset = done;
    if (order != NULL) {
        ExFreePoolWithTag(order, SOFTGPU_TAG_TEMP);
    }
    return status;
}

/* ---- The kinds of present -------------------------------------------------------------------- */

static LONG width_of(const RECT *rect)
{
    return rect->right - rect->left;
}

static LONG height_of(const RECT *rect)
{
    return rect->bottom - rect->top;
}

static BOOLEAN is_stretch_target(const RECT *rect)
{
    return !softgpu_rect_is_empty(rect) && rect->left >= -STRETCH_LIMIT &&
           rect->top >= -STRETCH_LIMIT && rect->right <= STRETCH_LIMIT &&
           rect->bottom <= STRETCH_LIMIT;
}

/* What the device cannot do between two formats has one answer: CANNOTCOLORCONVERT (PRES-004).
 * That it is also the answer for a stretch with a key or a turn is our reading: no other status of
 * the list says "not with this hardware". */
static NTSTATUS check_blt(const struct present *present)
{
    const DXGKARG_PRESENT *arguments = present->arguments;
    const RECT *source = &arguments->SrcRect;
    BOOLEAN plain = !arguments->Flags.SrcColorKey && !arguments->Flags.DstColorKey &&
                    !arguments->Flags.LinearToSrgb;

    /* No table leads from colours to indices, nor back. */
    if ((present->source->format == SOFTGPU_FORMAT_P8 ||
         present->destination->format == SOFTGPU_FORMAT_P8) &&
        (present->source->format != present->destination->format || present->stretched ||
         present->quarter_turns != 0 || arguments->Flags.LinearToSrgb)) {
        return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
    }
    if (present->stretched) {
        if (source->left < 0 || source->top < 0 || softgpu_rect_is_empty(source) ||
            !is_stretch_target(&arguments->DstRect) ||
            source->right > (LONG)present->source->width ||
            source->bottom > (LONG)present->source->height) {
            return STATUS_ILLEGAL_INSTRUCTION;
        }
        return plain && present->quarter_turns == 0 ? STATUS_SUCCESS
                                                    : STATUS_GRAPHICS_CANNOTCOLORCONVERT;
    }
    return plain || present->quarter_turns == 0 ? STATUS_SUCCESS
                                                : STATUS_GRAPHICS_CANNOTCOLORCONVERT;
}

/* What the client says to the driver; FALSE: it says what nobody understands. */
static BOOLEAN read_private_data(struct present *present)
{
    const DXGKARG_PRESENT *arguments = present->arguments;
    struct softgpu_umd_present data;

    /* Older versions have a shorter structure. */
    if (present->adapter->settings.wddm_version < 0x2000 || arguments->PrivateDriverDataSize == 0) {
        return TRUE;
    }
    if (arguments->PrivateDriverDataSize != sizeof(data) || arguments->pPrivateDriverData == NULL) {
        return FALSE;
    }
    RtlCopyMemory(&data, arguments->pPrivateDriverData, sizeof(data));
    if (data.magic != SOFTGPU_UMD_PRESENT_MAGIC || data.version != SOFTGPU_UMD_VERSION ||
        (data.flags & ~SOFTGPU_UMD_PRESENT_BILINEAR) != 0) {
        return FALSE;
    }
    present->bilinear = (data.flags & SOFTGPU_UMD_PRESENT_BILINEAR) != 0;
    return TRUE;
}

static BOOLEAN is_picture(const struct softgpu_umd_allocation *info)
{
    return info != NULL && info->format != 0;
}

static NTSTATUS present_copy(struct present *present)
{
    DXGKARG_PRESENT *arguments = present->arguments;
    const struct softgpu_umd_allocation *destination = present->destination;
    NTSTATUS status;

    if (!is_picture(destination) || (arguments->Flags.Blt && !is_picture(present->source))) {
        return STATUS_INVALID_HANDLE;
    }
    if (arguments->Flags.ColorFill) {
        present->source = NULL;
    }
    if (arguments->Flags.BltStereoUseRight) {
        if (present->source == NULL || !(present->source->flags & SOFTGPU_UMD_STEREO)) {
            return STATUS_INVALID_HANDLE;
        }
        present->source_offset = softgpu_umd_right_offset(present->source);
    }
    /* Turned only if told so (PRES-041); rectangles are in the space before the turn. */
    if (arguments->Flags.Rotate && (destination->flags & SOFTGPU_UMD_PRIMARY)) {
        present->quarter_turns = present->adapter->source[destination->source].quarter_turns;
    }
    present->client.right = (LONG)destination->width;
    present->client.bottom = (LONG)destination->height;
    if (present->quarter_turns % 2 != 0) {
        present->client.right = (LONG)destination->height;
        present->client.bottom = (LONG)destination->width;
    }
    if (present->source != NULL) {
        present->stretched = width_of(&arguments->SrcRect) != width_of(&arguments->DstRect) ||
                             height_of(&arguments->SrcRect) != height_of(&arguments->DstRect);
        present->same = present->source == destination;
        status = check_blt(present);
        if (!NT_SUCCESS(status)) {
            return status;
        }
    }
    return emit_sub_rects(present);
}

/* Both images, or the left one twice, of a primary that has both (PRES-044). */
static BOOLEAN is_stereo_good(const struct present *present)
{
    DXGK_PRESENTFLAGS flags = present->arguments->Flags;
    BOOLEAN asked = flags.FlipStereo || flags.FlipStereoTemporaryMono;

    return asked ? (present->source->flags & SOFTGPU_UMD_STEREO) != 0
                 : !flags.FlipStereoPreferRight;
}

static BOOLEAN can_be_shown(const struct present *present)
{
    return is_picture(present->source) && (present->source->flags & SOFTGPU_UMD_PRIMARY) &&
           present->source->source < present->adapter->settings.sources && is_stereo_good(present);
}

/* A flip by command, for adapters without flips by register. The flip is shown on every output of
 * the source; the engine waits for the first of them unless it is told not to (SUBMIT-040). */
static NTSTATUS emit_flips(struct present *present)
{
    const DXGKARG_PRESENT *arguments = present->arguments;
    struct softgpu_command_flip flip;
    BOOLEAN first = TRUE;
    ULONG i;

    present->destination = NULL;
    for (i = 0; i < present->adapter->output_count; i++) {
        if (present->adapter->output[i].source != present->source->source) {
            continue;
        }
        if (!softgpu_emitter_has_room(&present->emitter, sizeof(flip), 1)) {
            return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        }
        RtlZeroMemory(&flip, sizeof(flip));
        flip.header = SOFTGPU_COMMAND(SOFTGPU_OP_FLIP, SOFTGPU_COMMAND_WORDS_OF(flip));
        if (!first || arguments->FlipInterval == D3DDDI_FLIPINTERVAL_IMMEDIATE) {
            flip.flags = SOFTGPU_FLIP_IMMEDIATE;
        } else {
            flip.flags = SOFTGPU_FLIP_VSYNC;
            flip.flags |= arguments->Flags.FlipWithNoWait ? 0 : SOFTGPU_FLIP_WAIT;
        }
        flip.output = i;
        flip.pitch_bytes = present->source->pitch_bytes;
        flip.format = present->source->format;
        emit(present, &flip, sizeof(flip), 0, FIELD_OFFSET(struct softgpu_command_flip, address));
        first = FALSE;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS present_any(struct present *present)
{
    DXGK_PRESENTFLAGS flags = present->arguments->Flags;

    if (flags.FlipWithMultiPlaneOverlay || flags.FlipStereo || flags.FlipStereoTemporaryMono ||
        flags.FlipStereoPreferRight) {
        return STATUS_ILLEGAL_INSTRUCTION; /* none of them goes by commands */
    }
    if (flags.Flip || flags.FlipWithNoWait) {
        return can_be_shown(present) ? emit_flips(present) : STATUS_INVALID_HANDLE;
    }
    if (flags.Blt || flags.ColorFill) {
        return present_copy(present);
    }
    return STATUS_ILLEGAL_INSTRUCTION;
}

static ULONG private_bytes(const struct softgpu_context *context)
{
    return context->space != 0 ? SOFTGPU_PRIVATE_BYTES_VIRTUAL
                               : softgpu_private_bytes(&softgpu_settings);
}

/* In a context with virtual addresses no client has a part of it, and SubmitCommandVirtual begins
 * it. */
static void write_private_data(const struct present *present, const struct softgpu_context *context)
{
    DXGKARG_PRESENT *arguments = present->arguments;
    struct softgpu_dma_private *private_data = arguments->pDmaBufferPrivateData;

    if (private_data == NULL) {
        return;
    }
    RtlZeroMemory(private_data, private_bytes(context));
    if (context->space == 0) {
        private_data->magic = SOFTGPU_DMA_MAGIC;
        if (arguments->Flags.Flip || arguments->Flags.FlipWithNoWait) {
            private_data->flags = SOFTGPU_DMA_PRIVILEGED;
            private_data->flip_pitch_bytes = present->source->pitch_bytes;
            private_data->flip_format = present->source->format;
        }
    }
    arguments->pDmaBufferPrivateData = (UCHAR *)private_data + private_bytes(context);
}

/* In hardware queues the compute engine is asked, too, which knows the commands of pictures. */
static BOOLEAN can_draw(const struct softgpu_context *context, BOOLEAN queued)
{
    return context->node == SOFTGPU_ENGINE_3D ||
           (queued && context->node == SOFTGPU_ENGINE_COMPUTE);
}

/* A hardware queue's submission has nothing in its private data that anybody reads. */
static NTSTATUS present_in(const struct softgpu_context *context, DXGKARG_PRESENT *arguments,
                           BOOLEAN queued)
{
    struct present present;
    NTSTATUS status;

    RtlZeroMemory(&present, sizeof(present));
    present.adapter = context->device->adapter;
    present.arguments = arguments;
    present.source = info_of(context, arguments, DXGK_PRESENT_SOURCE_INDEX);
    present.destination = info_of(context, arguments, DXGK_PRESENT_DESTINATION_INDEX);

    if (!read_private_data(&present)) {
        return STATUS_ILLEGAL_INSTRUCTION;
    }
    /* A flip by register: only look whether the source can be shown (PRES-010). */
    if (arguments->pDmaBuffer == NULL) {
        return can_be_shown(&present) ? STATUS_SUCCESS : STATUS_INVALID_HANDLE;
    }
    if (!can_draw(context, queued)) {
        return STATUS_ILLEGAL_INSTRUCTION;
    }
    if (!queued && arguments->DmaBufferPrivateDataSize < private_bytes(context)) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    present.emitter.buffer = arguments->pDmaBuffer;
    present.emitter.size_bytes = arguments->DmaSize;
    present.emitter.patches = arguments->pPatchLocationListOut;
    present.emitter.patch_capacity = arguments->PatchLocationListOutSize;
    present.emitter.allocation_count = DXGK_PRESENT_DESTINATION_INDEX + 1;
    if (context->space != 0) {
        present.emitter.placed = arguments->pAllocationInfo;
    } else {
        present.emitter.allocations = arguments->pAllocationList;
    }

    status = present_any(&present);
    if (!NT_SUCCESS(status) && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
        return status;
    }

    if (!queued) {
        write_private_data(&present, context);
    }
    arguments->pDmaBuffer = present.emitter.buffer + present.emitter.used_bytes;
    arguments->pPatchLocationListOut = present.emitter.patches + present.emitter.patch_count;
    return status;
}

NTSTATUS NTAPI softgpu_present(const HANDLE context_handle, DXGKARG_PRESENT *arguments)
{
    const struct softgpu_context *context =
        softgpu_settings.multi_engine_aware ? context_handle
                                            : &((struct softgpu_device *)context_handle)->context;

    PAGED_CODE();

    if (arguments->Flags.FlipWithMultiPlaneOverlay) {
        return softgpu_validate_planes(arguments->pPresentMultiPlaneOverlayInfo);
    }
    return present_in(context, arguments, FALSE);
}

/* As Present, in the context of the queue (HWQ-012). The fence is written behind what is written
 * here: by SignalMonitoredFence, or by the device. */
NTSTATUS NTAPI softgpu_present_to_hw_queue(const HANDLE queue_handle, DXGKARG_PRESENT *arguments)
{
    const struct softgpu_hw_queue *queue = queue_handle;

    PAGED_CODE();

    if (arguments->Flags.FlipWithMultiPlaneOverlay) {
        return softgpu_validate_planes(arguments->pPresentMultiPlaneOverlayInfo);
    }
    return present_in(&queue->context->base, arguments, TRUE);
}
