/* GDI's pictures: commands that the kernel writes itself, through DxgkDdiRenderKm or, in contexts
 * with GPU virtual addresses, DxgkDdiRenderGdi into packets.
 *
 *   commands ─> gdi_check.c: what GDI may ask for ─> one buffer in kernel memory, each command as
 *   long as its kind and its rectangles make it [GDI-007] ─> render.c, or passes.c
 *
 * The buffer ends at a page without access, so that who reads a command of one kind as the longest
 * is seen. */
#include "dxgk/gdi_parts.h"
#include "dxgk/present_virtual.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

#define COMMAND_ALIGNMENT 8

struct gdi_passes {
    struct dxgk_passes base;
    const uint8_t *commands;
    UINT bytes;
};

/* ---- The buffer ------------------------------------------------------------------------------ */

static size_t argument_bytes(DXGK_RENDERKM_OPERATION operation)
{
    switch (operation) {
    case DXGK_GDIOP_BITBLT:
        return sizeof(DXGK_GDIARG_BITBLT);
    case DXGK_GDIOP_COLORFILL:
        return sizeof(DXGK_GDIARG_COLORFILL);
    case DXGK_GDIOP_ALPHABLEND:
        return sizeof(DXGK_GDIARG_ALPHABLEND);
    case DXGK_GDIOP_STRETCHBLT:
        return sizeof(DXGK_GDIARG_STRETCHBLT);
    case DXGK_GDIOP_TRANSPARENTBLT:
        return sizeof(DXGK_GDIARG_TRANSPARENTBLT);
    case DXGK_GDIOP_CLEARTYPEBLEND:
        return sizeof(DXGK_GDIARG_CLEARTYPEBLEND);
    default:
        return 0; /* an escape: nothing that anybody knows */
    }
}

static size_t head_bytes(const struct dxgk_gdi_command *command)
{
    return offsetof(DXGK_RENDERKM_COMMAND, Command) + argument_bytes(command->operation);
}

static size_t command_bytes(const struct gdi_part *part)
{
    return align_up(head_bytes(part->command) + part->rect_count * sizeof(RECT), COMMAND_ALIGNMENT);
}

/* Where the opening is in the list; one that is not comes to its end. */
static UINT listed(struct dxgk_context *context, struct gdi_batch *batch,
                   struct dxgk_opening *opening, bool write)
{
    for (UINT i = 0; i < batch->allocation_count; i++) {
        if (batch->openings[i] == opening) {
            context->allocation_list[i].WriteOperation |= write;
            return i;
        }
    }
    batch->openings[batch->allocation_count] = opening;
    context->allocation_list[batch->allocation_count] = (DXGK_ALLOCATIONLIST){
        .hDeviceSpecificAllocation = opening->driver_handle, .WriteOperation = write};
    return batch->allocation_count++;
}

/* Pitches are for surfaces that the CPU sees; of others they say nothing [GDI-007]. */
static UINT pitch_of(const struct dxgk_opening *opening)
{
    return opening->allocation->info.Flags.CpuVisible ? opening->allocation->pitch : 0;
}

static void write_blt(const struct gdi_part *part, RECT *rects, DXGK_GDIARG_BITBLT *out)
{
    const struct dxgk_gdi_command *command = part->command;

    *out = (DXGK_GDIARG_BITBLT){
        .SrcRect = command->from,
        .DstRect = command->to,
        .SrcAllocationIndex = part->source,
        .DstAllocationIndex = part->destination,
        .NumSubRects = part->rect_count,
        .pSubRects = rects,
        .Rop = command->rop,
        .Rop3 = command->rop3,
        .SrcPitch = pitch_of(command->source),
        .DstPitch = pitch_of(command->destination),
    };
}

static void write_stretch(const struct gdi_part *part, RECT *rects, DXGK_GDIARG_STRETCHBLT *out)
{
    const struct dxgk_gdi_command *command = part->command;

    *out = (DXGK_GDIARG_STRETCHBLT){
        .SrcRect = command->from,
        .DstRect = command->to,
        .DstAllocationIndex = part->destination,
        .SrcAllocationIndex = part->source,
        .NumSubRects = part->rect_count,
        .pSubRects = rects,
        .SrcPitch = pitch_of(command->source),
    };
    out->Mode = GDI_COLOR_ON_COLOR;
    out->MirrorX = command->mirror_x;
    out->MirrorY = command->mirror_y;
}

static void write_text(const struct gdi_part *part, RECT *rects, DXGK_GDIARG_CLEARTYPEBLEND *out)
{
    const struct dxgk_gdi_command *command = part->command;

    *out = (DXGK_GDIARG_CLEARTYPEBLEND){
        .DstRect = command->to,
        .TmpSurfAllocationIndex = part->scratch,
        .GammaSurfAllocationIndex = part->table,
        .AlphaSurfAllocationIndex = part->source,
        .DstAllocationIndex = part->destination,
        .DstToAlphaOffsetX = command->offset_x,
        .DstToAlphaOffsetY = command->offset_y,
        .Color = command->color,
        .Gamma = command->gamma,
        .NumSubRects = part->rect_count,
        .pSubRects = rects,
        .AlphaSurfPitch = pitch_of(command->source),
        .Color2 = command->color2,
    };
}

static void write_argument(const struct gdi_part *part, RECT *rects, DXGK_RENDERKM_COMMAND *out)
{
    const struct dxgk_gdi_command *command = part->command;

    switch (command->operation) {
    case DXGK_GDIOP_BITBLT:
        write_blt(part, rects, &out->Command.BitBlt);
        break;
    case DXGK_GDIOP_COLORFILL:
        out->Command.ColorFill =
            (DXGK_GDIARG_COLORFILL){command->to,    part->destination, part->rect_count, rects,
                                    command->color, command->rop,      command->rop3};
        break;
    case DXGK_GDIOP_ALPHABLEND:
        out->Command.AlphaBlend = (DXGK_GDIARG_ALPHABLEND){
            command->from,     command->to,        part->source,
            part->destination, part->rect_count,   rects,
            command->alpha,    command->has_alpha, pitch_of(command->source)};
        break;
    case DXGK_GDIOP_STRETCHBLT:
        write_stretch(part, rects, &out->Command.StretchBlt);
        break;
    case DXGK_GDIOP_TRANSPARENTBLT:
        out->Command.TransparentBlt = (DXGK_GDIARG_TRANSPARENTBLT){
            .SrcRect = command->from,
            .DstRect = command->to,
            .SrcAllocationIndex = part->source,
            .DstAllocationIndex = part->destination,
            .Color = command->has_alpha ? command->color : command->color & 0x00FFFFFF,
            .NumSubRects = part->rect_count,
            .pSubRects = rects,
            .Flags.HonorAlpha = command->has_alpha,
            .SrcPitch = pitch_of(command->source),
        };
        break;
    case DXGK_GDIOP_CLEARTYPEBLEND:
        write_text(part, rects, &out->Command.ClearTypeBlend);
        break;
    default:
        break;
    }
}

/* The longest structure is made here and as much of it copied as the command has. */
static void write_command(const struct gdi_part *part, uint8_t *to)
{
    size_t head = head_bytes(part->command);
    DXGK_RENDERKM_COMMAND made = {.OpCode = part->command->operation,
                                  .CommandSize = (UINT)command_bytes(part)};

    write_argument(part, (RECT *)(to + head), &made);
    memcpy(to, &made, head);
    if (part->rect_count > 0) {
        memcpy(to + head, part->rects, part->rect_count * sizeof(RECT));
    }
}

/* ---- The call -------------------------------------------------------------------------------- */

/* There is no patch list: nothing moves but the entries of page tables. */
static NTSTATUS call_render_gdi(struct dxgk_passes *base, struct dxgk_dma *dma,
                                struct dxgk_pass *pass)
{
    struct gdi_passes *passes = container_of(base, struct gdi_passes, base);
    struct dxgk_context *context = base->context;
    const struct vidmm_dma_buffer *buffer = dma->buffer;
    struct dxgk_attempt attempt = dxgk_first_attempt(pass->multipass > 0);
    DXGKARG_RENDERGDI arguments;
    NTSTATUS status;

    do {
        dxgk_dma_begin(dma);
        arguments = (DXGKARG_RENDERGDI){
            .pCommand = passes->commands,
            .CommandLength = passes->bytes,
            .pDmaBuffer = buffer->bytes,
            .DmaBufferGpuVirtualAddress = buffer->virtual_address,
            .DmaSize = dma->size,
            .pDmaBufferPrivateData = buffer->private_data,
            .DmaBufferPrivateDataSize = dma->private_size,
            .pAllocationList = dxgk_passes_list(context, base->allocation_count),
            .AllocationListSize = base->allocation_count,
            .MultipassOffset = pass->multipass,
        };
        status = ddi_render_gdi(&context->device->adapter->ddi, context->driver_handle, &arguments,
                                context->object);
    } while (dxgk_tries_again(status, &attempt));
    *pass = (struct dxgk_pass){
        .end = arguments.pDmaBuffer,
        .private_end = arguments.pDmaBufferPrivateData,
        .patch_end = dxgk_dma_patch_out(context, dma),
        .multipass = arguments.MultipassOffset,
    };
    return status;
}

/* From now on the call is inside the openings, until the passes end. */
static NTSTATUS enter_openings(struct dxgk_context *context, const struct gdi_batch *batch)
{
    for (UINT i = 0; i < batch->allocation_count; i++) {
        struct dxgk_opening *opening = batch->openings[i];
        DXGK_ALLOCATIONLIST *element = &context->allocation_list[i];
        CHECK_THAT(!context->allocation_openings[i]);
        if (!life_enter(&opening->life)) {
            return STATUS_INVALID_HANDLE;
        }
        context->allocation_openings[i] = opening;
        if (context->virtual_addresses) {
            NTSTATUS status = dxgk_opening_need_address(opening);
            if (!NT_SUCCESS(status)) {
                return status;
            }
            element->VirtualAddress = opening->address;
        } else {
            dxgk_allocation_list_place(element, opening->allocation);
        }
    }
    return STATUS_SUCCESS;
}

static NTSTATUS run_physical(struct dxgk_context *context, const struct gdi_batch *batch,
                             const uint8_t *commands)
{
    return dxgk_render_run(context, &(struct dxgk_commands){
                                        .bytes = commands,
                                        .size = (UINT)batch->bytes,
                                        .allocation_count = batch->allocation_count,
                                        .of_gdi = true,
                                        .is_work = batch->draws,
                                    });
}

static NTSTATUS run_virtual(struct dxgk_context *context, const struct gdi_batch *batch,
                            const uint8_t *commands)
{
    struct gdi_passes passes = {
        .base = {.call = call_render_gdi,
                 .context = context,
                 .road = &dxgk_road_gdi_virtual,
                 .allocation_count = batch->allocation_count,
                 .is_work = batch->draws,
                 .command_bytes = (UINT)batch->bytes,
                 .going_on = CONTRACT_JUDGES(GDI_003)},
        .commands = commands,
        .bytes = (UINT)batch->bytes,
    };

    return dxgk_passes_run(&passes.base);
}

static NTSTATUS run_batch(struct dxgk_context *context, const struct gdi_batch *batch)
{
    uint8_t *commands = nt_memory_hand(batch->bytes, "pCommand of GDI");
    size_t offset = 0;

    if (!commands) {
        return STATUS_NO_MEMORY;
    }
    for (UINT i = 0; i < batch->part_count; i++) {
        write_command(&batch->parts[i], commands + offset);
        offset += command_bytes(&batch->parts[i]);
    }
    NTSTATUS status = enter_openings(context, batch);
    if (NT_SUCCESS(status)) {
        status = context->virtual_addresses ? run_virtual(context, batch, commands)
                                            : run_physical(context, batch, commands);
    }
    nt_memory_free(commands);
    for (UINT i = 0; i < batch->allocation_count; i++) {
        if (context->allocation_openings[i]) {
            life_leave(&context->allocation_openings[i]->life);
            context->allocation_openings[i] = NULL;
        }
    }
    return status;
}

/* Of one command, as many as it can name. */
#define OPENINGS_PER_COMMAND 4u

static void add_part(struct dxgk_context *context, struct gdi_batch *batch,
                     const struct gdi_part *part)
{
    const struct dxgk_gdi_command *command = part->command;
    struct gdi_part *to = &batch->parts[batch->part_count++];

    *to = *part;
    if (command->destination) {
        to->destination = listed(context, batch, command->destination, true);
        to->source = to->table = to->scratch = to->destination;
        batch->draws = true;
    }
    if (command->source) {
        to->source = listed(context, batch, command->source, false);
    }
    if (command->table) {
        to->table = listed(context, batch, command->table, false);
    }
    if (command->scratch) {
        to->scratch = listed(context, batch, command->scratch, true);
    }
    batch->bytes += command_bytes(to);
}

static void clear_batch(struct gdi_batch *batch)
{
    batch->part_count = batch->allocation_count = 0;
    batch->bytes = 0;
    batch->draws = false;
}

/* One behind the other, as many in a call as the lists have room for. */
static NTSTATUS draw_all(struct dxgk_context *context, struct gdi_batch *batch,
                         const struct gdi_part *parts, UINT count)
{
    UINT room = context->list_room < GDI_LIST_MAX ? context->list_room : GDI_LIST_MAX;
    NTSTATUS status = STATUS_SUCCESS;

    clear_batch(batch);
    for (UINT i = 0; i < count && NT_SUCCESS(status); i++) {
        if (batch->part_count > 0 &&
            (batch->allocation_count + OPENINGS_PER_COMMAND > room ||
             batch->bytes + command_bytes(&parts[i]) > GDI_BATCH_BYTES_MAX)) {
            status = run_batch(context, batch);
            clear_batch(batch);
        }
        if (NT_SUCCESS(status)) {
            add_part(context, batch, &parts[i]);
        }
    }
    return NT_SUCCESS(status) && batch->part_count > 0 ? run_batch(context, batch) : status;
}

static NTSTATUS draw_in(struct dxgk_context *context, const struct gdi_part *parts, UINT count)
{
    struct gdi_batch *batch = malloc(sizeof *batch);
    NTSTATUS status = batch ? STATUS_SUCCESS : STATUS_NO_MEMORY;

    if (NT_SUCCESS(status) && context->virtual_addresses) {
        status = dxgk_presents_begin(context);
    }
    if (NT_SUCCESS(status) && context->list_room < OPENINGS_PER_COMMAND) {
        status = STATUS_NOT_SUPPORTED; /* no command that has all of them has room */
    }
    if (NT_SUCCESS(status)) {
        status = draw_all(context, batch, parts, count);
    }
    free(batch);
    return status;
}

NTSTATUS dxgk_gdi_draw(struct dxgk_context *context, const struct dxgk_gdi_command *commands,
                       UINT count)
{
    struct gdi_part *parts;
    NTSTATUS status;

    dxgk_wait_awake();
    if (!context->gdi || count == 0 || count > DXGK_GDI_COMMANDS_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    if (context->device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    status = dxgk_gdi_parts(context, commands, &count, &parts);
    if (!NT_SUCCESS(status) || count == 0) {
        return status;
    }
    if (dxgk_passes_begin(context)) {
        status = draw_in(context, parts, count);
        dxgk_passes_end(context, 0);
    } else {
        status = STATUS_INVALID_HANDLE;
    }
    dxgk_gdi_parts_free(parts, count);
    return status;
}
