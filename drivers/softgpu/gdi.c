/* gdi.c: DxgkDdiRenderKm and DxgkDdiRenderGdi: what GDI draws, as commands of the device.
 *
 * dxgkrnl hands down an array of commands of different length, each with rectangles of its
 * destination; every one of those is a command of the device. The buffer is the kernel's: it is not
 * guarded. MultipassOffset has the command in its upper half and the rectangle in the lower.
 *
 *   RenderKm    lists as Render has them       RenderGdi   addresses that stay, no patch list */
#include "gdi.h"

#include "../../devices/softgpu/softgpu_combine.h"

#define LIST_MAX 64u /* allocations that a call without a patch list names */

/* Of wingdi.h: P, S and D are 0xF0, 0xCC and 0xAA. */
#define CODE_SOURCE_COPY  0xCCu
#define NOT_A_CODE        0x100u
#define COMMAND_BYTES_MAX sizeof(struct softgpu_command_combine)

struct drawing {
    struct softgpu_emitter emitter;
    const DXGK_ALLOCATIONLIST *allocations;
    ULONG allocation_count;
    BOOLEAN leaves_out; /* a command that cannot be drawn, rather than to end with it */
};

/* One command, before its rectangles are dealt with. */
struct operation {
    const RECT *rects;
    ULONG rect_count;
    ULONG destination, source, table; /* in the list */
    BOOLEAN has_source, has_table;
    BOOLEAN overlaps; /* within one surface: in what order rectangles are drawn matters */
    RECT to, from;
    struct softgpu_command_combine combine;
};

static const struct softgpu_umd_allocation *info_of(const struct drawing *drawing, ULONG index)
{
    const struct softgpu_open_allocation *open;

    if (index >= drawing->allocation_count) {
        return NULL;
    }
    open = drawing->allocations[index].hDeviceSpecificAllocation;
    return open != NULL && open->allocation->info.format != 0 ? &open->allocation->info : NULL;
}

static struct softgpu_rect to_device(const RECT *rect)
{
    struct softgpu_rect result = {rect->left, rect->top, rect->right, rect->bottom};

    return result;
}

static BOOLEAN set_surface(const struct drawing *drawing, ULONG index,
                           struct softgpu_surface *surface)
{
    const struct softgpu_umd_allocation *info = info_of(drawing, index);

    if (info == NULL) {
        return FALSE;
    }
    surface->pitch_bytes = info->pitch_bytes;
    surface->format = info->format;
    surface->width = info->width;
    surface->height = info->height;
    return TRUE;
}

/* ---- The commands ---------------------------------------------------------------------------- */

/* NOT_A_CODE: none of these. */
static ULONG code_of_blt(ULONG rop, ULONG rop3)
{
    switch (rop) {
    case DXGK_GDIROP_SRCCOPY:
        return CODE_SOURCE_COPY;
    case DXGK_GDIROP_SRCINVERT:
        return 0x66;
    case DXGK_GDIROP_SRCAND:
        return 0x88;
    case DXGK_GDIROP_SRCOR:
        return 0xEE;
    case DXGK_GDIROP_ROP3:
        return rop3 & 0xFF;
    default:
        return NOT_A_CODE;
    }
}

static ULONG code_of_fill(ULONG rop, ULONG rop3)
{
    switch (rop) {
    case DXGK_GDIROPCF_PATCOPY:
        return 0xF0;
    case DXGK_GDIROPCF_PATINVERT:
        return 0x5A;
    case DXGK_GDIROPCF_PDXN:
        return 0xA5;
    case DXGK_GDIROPCF_DSTINVERT:
        return 0x55;
    case DXGK_GDIROPCF_PATAND:
        return 0xA0;
    case DXGK_GDIROPCF_PATOR:
        return 0xFA;
    case DXGK_GDIROPCF_ROP3:
        return rop3 & 0xFF;
    default:
        return NOT_A_CODE;
    }
}

static void set_rects(struct operation *operation, const RECT *rects, UINT count)
{
    operation->rects = count != 0 ? rects : &operation->to;
    operation->rect_count = count != 0 ? count : 1;
}

static void read_blt(const DXGK_GDIARG_BITBLT *blt, struct operation *operation)
{
    operation->destination = blt->DstAllocationIndex;
    operation->source = blt->SrcAllocationIndex;
    operation->has_source = TRUE;
    operation->to = blt->DstRect;
    operation->from = blt->SrcRect;
    operation->overlaps = blt->DstAllocationIndex == blt->SrcAllocationIndex;
    operation->combine.flags = SOFTGPU_COMBINE_ROP;
    operation->combine.operand = code_of_blt(blt->Rop, blt->Rop3);
    set_rects(operation, blt->pSubRects, blt->NumSubRects);
}

static void read_fill(const DXGK_GDIARG_COLORFILL *fill, struct operation *operation)
{
    operation->destination = fill->DstAllocationIndex;
    operation->to = fill->DstRect;
    operation->combine.flags = SOFTGPU_COMBINE_ROP | SOFTGPU_COMBINE_NO_SOURCE;
    operation->combine.operand = code_of_fill(fill->Rop, fill->Rop3);
    operation->combine.colour = fill->Color;
    set_rects(operation, fill->pSubRects, fill->NumSubRects);
}

static void read_stretch(const DXGK_GDIARG_STRETCHBLT *stretch, struct operation *operation)
{
    operation->destination = stretch->DstAllocationIndex;
    operation->source = stretch->SrcAllocationIndex;
    operation->has_source = TRUE;
    operation->to = stretch->DstRect;
    operation->from = stretch->SrcRect;
    operation->combine.flags = SOFTGPU_COMBINE_ROP;
    operation->combine.flags |= stretch->MirrorX ? SOFTGPU_COMBINE_MIRROR_X : 0;
    operation->combine.flags |= stretch->MirrorY ? SOFTGPU_COMBINE_MIRROR_Y : 0;
    operation->combine.operand = CODE_SOURCE_COPY;
    set_rects(operation, stretch->pSubRects, stretch->NumSubRects);
}

static void read_blend(const DXGK_GDIARG_ALPHABLEND *blend, struct operation *operation)
{
    operation->destination = blend->DstAllocationIndex;
    operation->source = blend->SrcAllocationIndex;
    operation->has_source = TRUE;
    operation->to = blend->DstRect;
    operation->from = blend->SrcRect;
    operation->combine.flags = SOFTGPU_COMBINE_BLEND;
    operation->combine.flags |= blend->SourceHasAlpha ? SOFTGPU_COMBINE_SOURCE_ALPHA : 0;
    operation->combine.operand = blend->SourceConstantAlpha;
    set_rects(operation, blend->pSubRects, blend->NumSubRects);
}

static void read_transparent(const DXGK_GDIARG_TRANSPARENTBLT *blt, struct operation *operation)
{
    ULONG mask = blt->Flags.HonorAlpha ? 0xFFFFFFFF : 0x00FFFFFF;

    operation->destination = blt->DstAllocationIndex;
    operation->source = blt->SrcAllocationIndex;
    operation->has_source = TRUE;
    operation->to = blt->DstRect;
    operation->from = blt->SrcRect;
    operation->combine.flags = SOFTGPU_COMBINE_KEYED;
    operation->combine.operand = mask;
    operation->combine.colour = blt->Color;
    set_rects(operation, blt->pSubRects, blt->NumSubRects);
}

/* What says how much of the text there is has the destination's coordinates, moved. */
static void read_text(const DXGK_GDIARG_CLEARTYPEBLEND *text, struct operation *operation)
{
    operation->destination = text->DstAllocationIndex;
    operation->source = text->AlphaSurfAllocationIndex;
    operation->has_source = TRUE;
    operation->to = text->DstRect;
    operation->from =
        softgpu_rect_offset(&text->DstRect, text->DstToAlphaOffsetX, text->DstToAlphaOffsetY);
    operation->combine.flags = SOFTGPU_COMBINE_TEXT;
    operation->combine.colour = text->Color;
    operation->combine.colour2 = text->Color2;
    if (text->Gamma < SOFTGPU_GAMMA_ROWS) {
        operation->combine.flags |= SOFTGPU_COMBINE_GAMMA;
        operation->table = text->GammaSurfAllocationIndex;
        operation->has_table = TRUE;
        operation->combine.operand = text->Gamma;
    }
    set_rects(operation, text->pSubRects, text->NumSubRects);
}

/* FALSE: nothing to draw. Escapes are to be skipped; so is what this driver does not know. */
static BOOLEAN read_command(const DXGK_RENDERKM_COMMAND *command, struct operation *operation)
{
    RtlZeroMemory(operation, sizeof(*operation));
    switch (command->OpCode) {
    case DXGK_GDIOP_BITBLT:
        read_blt(&command->Command.BitBlt, operation);
        return TRUE;
    case DXGK_GDIOP_COLORFILL:
        read_fill(&command->Command.ColorFill, operation);
        return TRUE;
    case DXGK_GDIOP_STRETCHBLT:
        read_stretch(&command->Command.StretchBlt, operation);
        return TRUE;
    case DXGK_GDIOP_ALPHABLEND:
        read_blend(&command->Command.AlphaBlend, operation);
        return TRUE;
    case DXGK_GDIOP_TRANSPARENTBLT:
        read_transparent(&command->Command.TransparentBlt, operation);
        return TRUE;
    case DXGK_GDIOP_CLEARTYPEBLEND:
        read_text(&command->Command.ClearTypeBlend, operation);
        return TRUE;
    default:
        return FALSE;
    }
}

/* ---- The device's commands ------------------------------------------------------------------- */

static void refer(struct softgpu_reference *reference, ULONG offset, ULONG index,
                  enum softgpu_slot slot)
{
    RtlZeroMemory(reference, sizeof(*reference));
    reference->offset = offset;
    reference->allocation_index = index;
    reference->slot = slot;
    reference->is_surface = TRUE;
}

static void emit(struct drawing *drawing, const void *command, ULONG bytes,
                 const struct softgpu_reference *references, ULONG count)
{
    RtlCopyMemory(drawing->emitter.buffer + drawing->emitter.used_bytes, command, bytes);
    softgpu_emit(&drawing->emitter, bytes, references, count);
}

/* A copy of any format: the table of gammas is brought by one, too. */
static void emit_copy(struct drawing *drawing, const struct operation *operation, const RECT *rect)
{
    RECT source = softgpu_rect_offset(rect, operation->from.left - operation->to.left,
                                      operation->from.top - operation->to.top);
    struct softgpu_reference references[2];
    struct softgpu_command_blt blt;

    RtlZeroMemory(&blt, sizeof(blt));
    blt.header = SOFTGPU_COMMAND(SOFTGPU_OP_BLT, SOFTGPU_COMMAND_WORDS_OF(blt));
    set_surface(drawing, operation->destination, &blt.destination);
    set_surface(drawing, operation->source, &blt.source);
    blt.x = rect->left;
    blt.y = rect->top;
    blt.source_rect = to_device(&source);
    refer(&references[0], FIELD_OFFSET(struct softgpu_command_blt, destination),
          operation->destination, SOFTGPU_SLOT_DESTINATION);
    refer(&references[1], FIELD_OFFSET(struct softgpu_command_blt, source), operation->source,
          SOFTGPU_SLOT_SOURCE);
    emit(drawing, &blt, sizeof(blt), references, 2);
}

static void emit_combine(struct drawing *drawing, const struct operation *operation,
                         const RECT *rect)
{
    struct softgpu_command_combine combine = operation->combine;
    struct softgpu_reference references[SOFTGPU_REFERENCE_MAX];
    ULONG count = 0, row = combine.operand;

    combine.header = SOFTGPU_COMMAND(SOFTGPU_OP_COMBINE, SOFTGPU_COMMAND_WORDS_OF(combine));
    combine.destination_rect = to_device(&operation->to);
    combine.clip = to_device(rect);
    set_surface(drawing, operation->destination, &combine.destination);
    refer(&references[count++], FIELD_OFFSET(struct softgpu_command_combine, destination),
          operation->destination, SOFTGPU_SLOT_DESTINATION);
    if (operation->has_source) {
        combine.source_rect = to_device(&operation->from);
        set_surface(drawing, operation->source, &combine.source);
        refer(&references[count++], FIELD_OFFSET(struct softgpu_command_combine, source),
              operation->source, SOFTGPU_SLOT_SOURCE);
    }
    if (operation->has_table) {
        combine.operand = 0;
        refer(&references[count], FIELD_OFFSET(struct softgpu_command_combine, table),
              operation->table, SOFTGPU_SLOT_SOURCE_B);
        references[count].is_surface = FALSE;
        references[count++].allocation_offset =
            row * info_of(drawing, operation->table)->pitch_bytes;
    }
    emit(drawing, &combine, sizeof(combine), references, count);
}

/* A text's rectangle may leave the surface that says where text is, where nothing is drawn. */
static BOOLEAN cut_to_source(const struct drawing *drawing, const struct operation *operation,
                             RECT *to, RECT *from)
{
    const struct softgpu_umd_allocation *info = info_of(drawing, operation->source);
    LONG dx = operation->to.left - operation->from.left;
    LONG dy = operation->to.top - operation->from.top;
    RECT surface = {0, 0, (LONG)info->width, (LONG)info->height};

    if (!softgpu_rect_intersect(&operation->from, &surface, from)) {
        return FALSE;
    }
    *to = softgpu_rect_offset(from, dx, dy);
    return TRUE;
}

/* Neither stretched nor mirrored: a source that is as large as where it goes. */
static BOOLEAN has_one_size(const struct operation *operation)
{
    return operation->has_source &&
           operation->to.right - operation->to.left ==
               operation->from.right - operation->from.left &&
           operation->to.bottom - operation->to.top == operation->from.bottom - operation->from.top;
}

static BOOLEAN is_plain_copy(const struct operation *operation)
{
    return operation->combine.flags == SOFTGPU_COMBINE_ROP &&
           operation->combine.operand == CODE_SOURCE_COPY && has_one_size(operation);
}

static void emit_rect(struct drawing *drawing, const struct operation *operation, const RECT *rect)
{
    struct operation cut = *operation;

    if (is_plain_copy(operation)) {
        emit_copy(drawing, operation, rect);
        return;
    }
    /* Corners may lie outside of both surfaces; the device wants the source's inside. */
    if (has_one_size(operation) && !cut_to_source(drawing, operation, &cut.to, &cut.from)) {
        return;
    }
    emit_combine(drawing, &cut, rect);
}

static BOOLEAN has_colours(const struct drawing *drawing, ULONG index)
{
    ULONG format = info_of(drawing, index)->format;

    return format == SOFTGPU_FORMAT_BGRX8 || format == SOFTGPU_FORMAT_BGRA8;
}

/* STATUS_ILLEGAL_INSTRUCTION: what dxgkrnl does not ask for where the caps do not offer it. */
static NTSTATUS check(const struct drawing *drawing, const struct operation *operation)
{
    if (info_of(drawing, operation->destination) == NULL ||
        (operation->has_source && info_of(drawing, operation->source) == NULL) ||
        (operation->has_table && info_of(drawing, operation->table) == NULL)) {
        return STATUS_INVALID_HANDLE;
    }
    if (operation->combine.operand == NOT_A_CODE ||
        (!is_plain_copy(operation) &&
         (!has_colours(drawing, operation->destination) ||
          (operation->has_source && !has_colours(drawing, operation->source))))) {
        return STATUS_ILLEGAL_INSTRUCTION;
    }
    return STATUS_SUCCESS;
}

/* From rectangle *done on. INSUFFICIENT_DMA_BUFFER: *done says how far it came. */
static NTSTATUS draw(struct drawing *drawing, const struct operation *operation, ULONG *done)
{
    ULONG *order = NULL;
    NTSTATUS status = check(drawing, operation);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (operation->overlaps && operation->rect_count > 1) {
        order = softgpu_rects_order(operation->rects, operation->rect_count,
                                    operation->to.left - operation->from.left,
                                    operation->to.top - operation->from.top);
        if (order == NULL) {
            return STATUS_NO_MEMORY;
        }
    }
    for (; *done < operation->rect_count; (*done)++) {
        if (!softgpu_emitter_has_room(&drawing->emitter, COMMAND_BYTES_MAX,
                                      SOFTGPU_REFERENCE_MAX)) {
            status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
            break;
        }
        emit_rect(drawing, operation, &operation->rects[order != NULL ? order[*done] : *done]);
    }
    if (order != NULL) {
        ExFreePoolWithTag(order, SOFTGPU_TAG_TEMP);
    }
    return status;
}

static NTSTATUS draw_all(struct drawing *drawing, const void *commands, UINT bytes, UINT *multipass)
{
    ULONG first = *multipass >> 16, done = *multipass & 0xFFFF, number = 0, offset = 0;
    const DXGK_RENDERKM_COMMAND *command;
    struct operation operation;
    NTSTATUS status;

    for (; offset < bytes; offset += command->CommandSize, number++) {
        command = (const void *)((const UCHAR *)commands + offset);
        if (command->CommandSize == 0 || command->CommandSize > bytes - offset) {
            return STATUS_INVALID_USER_BUFFER;
        }
        if (number < first || !read_command(command, &operation)) {
            continue;
        }
        status = draw(drawing, &operation, &done);
        *multipass = number << 16 | done;
        if (!NT_SUCCESS(status) &&
            (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER || !drawing->leaves_out)) {
            return status;
        }
        done = 0;
    }
    return STATUS_SUCCESS;
}

/* ---- The calls ------------------------------------------------------------------------------- */

NTSTATUS NTAPI softgpu_render_km(const HANDLE context_handle, DXGKARG_RENDER *render)
{
    const struct softgpu_context *context =
        softgpu_settings.multi_engine_aware ? context_handle
                                            : &((struct softgpu_device *)context_handle)->context;
    struct softgpu_dma_private *private_data = render->pDmaBufferPrivateData;
    struct drawing drawing;
    NTSTATUS status;

    PAGED_CODE();

    if (context->node == SOFTGPU_ENGINE_COPY) {
        return STATUS_ILLEGAL_INSTRUCTION;
    }
    if (render->DmaBufferPrivateDataSize < softgpu_private_bytes(&softgpu_settings)) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    RtlZeroMemory(&drawing, sizeof(drawing));
    drawing.allocations = render->pAllocationList;
    drawing.allocation_count = render->AllocationListSize;
    drawing.emitter.buffer = render->pDmaBuffer;
    drawing.emitter.size_bytes = render->DmaSize;
    drawing.emitter.patches = render->pPatchLocationListOut;
    drawing.emitter.patch_capacity = render->PatchLocationListOutSize;
    drawing.emitter.allocations = render->pAllocationList;
    drawing.emitter.allocation_count = render->AllocationListSize;
    status = draw_all(&drawing, render->pCommand, render->CommandLength, &render->MultipassOffset);
    if (!NT_SUCCESS(status) && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
        return status;
    }
    if (private_data != NULL) {
        RtlZeroMemory(private_data, sizeof(*private_data));
        private_data->magic = SOFTGPU_DMA_MAGIC;
        render->pDmaBufferPrivateData = private_data + 1;
    }
    render->pDmaBuffer = drawing.emitter.buffer + drawing.emitter.used_bytes;
    render->pPatchLocationListOut = drawing.emitter.patches + drawing.emitter.patch_count;
    return status;
}

/* Whatever it answers but success stops the system: a command that cannot be drawn is left out, on
 * a node that draws nothing, or for want of memory, too. */
NTSTATUS NTAPI softgpu_render_gdi(const HANDLE context_handle, DXGKARG_RENDERGDI *render)
{
    const struct softgpu_context *context = context_handle;
    DXGK_PRESENTALLOCATIONINFO placed[LIST_MAX];
    struct drawing drawing;
    NTSTATUS status;
    ULONG i;

    PAGED_CODE();

    if (context->node == SOFTGPU_ENGINE_COPY) {
        return STATUS_SUCCESS;
    }
    RtlZeroMemory(&drawing, sizeof(drawing));
    RtlZeroMemory(placed, sizeof(placed));
    drawing.allocations = render->pAllocationList;
    drawing.allocation_count =
        render->AllocationListSize < LIST_MAX ? render->AllocationListSize : LIST_MAX;
    for (i = 0; i < drawing.allocation_count; i++) {
        placed[i].hDeviceSpecificAllocation = render->pAllocationList[i].hDeviceSpecificAllocation;
        placed[i].AllocationVirtualAddress = render->pAllocationList[i].VirtualAddress;
    }
    drawing.emitter.buffer = render->pDmaBuffer;
    drawing.emitter.size_bytes = render->DmaSize;
    drawing.emitter.placed = placed;
    drawing.leaves_out = TRUE;
    status = draw_all(&drawing, render->pCommand, render->CommandLength, &render->MultipassOffset);
    if (render->pDmaBufferPrivateData != NULL &&
        render->DmaBufferPrivateDataSize >= SOFTGPU_PRIVATE_BYTES_VIRTUAL) {
        RtlZeroMemory(render->pDmaBufferPrivateData, SOFTGPU_PRIVATE_BYTES_VIRTUAL);
        render->pDmaBufferPrivateData =
            (UCHAR *)render->pDmaBufferPrivateData + SOFTGPU_PRIVATE_BYTES_VIRTUAL;
    }
    render->pDmaBuffer = drawing.emitter.buffer + drawing.emitter.used_bytes;
    return status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ? status : STATUS_SUCCESS;
}
