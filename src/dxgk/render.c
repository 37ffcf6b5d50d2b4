/* Rendering: a client's commands through DxgkDdiRender into packets, and GDI's, which the kernel
 * wrote, through DxgkDdiRenderKm. */
#include "dxgk/clue.h"
#include "dxgk/gdi_parts.h"
#include "dxgk/work.h"

#include <string.h>

/* Converts the client's list: same indexes and write bits, device-specific handles, the address of
 * the present placement or 0 [RENDER-011]. */
static NTSTATUS convert_allocations(struct dxgk_context *context, UINT count)
{
    struct dxgk_process *process = context->device->process;

    for (UINT i = 0; i < count; i++) {
        D3DDDI_ALLOCATIONLIST from = context->space.allocations[i];
        DXGK_ALLOCATIONLIST *to = &context->allocation_list[i];
        *to = (DXGK_ALLOCATIONLIST){0};
        CHECK_THAT(!context->allocation_openings[i]); /* the call before has left them */
        if (from.hAllocation == 0) {
            continue; /* an unused slot */
        }
        struct dxgk_life *life = dxgk_handle_peek(from.hAllocation, DXGK_KIND_OPENING, process);
        struct dxgk_opening *opening = life ? container_of(life, struct dxgk_opening, life) : NULL;
        if (!opening || opening->device != context->device || !dxgk_opening_is_listed(opening)) {
            if (opening && opening->device == context->device) {
                dxgk_clue_not_in_list(opening->allocation, i);
            }
            return STATUS_INVALID_PARAMETER;
        }
        if (!life_enter(life)) {
            return STATUS_INVALID_HANDLE;
        }
        context->allocation_openings[i] = opening;
        to->hDeviceSpecificAllocation = opening->driver_handle;
        to->WriteOperation = from.WriteOperation;
        dxgk_allocation_list_place(to, opening->allocation);
    }
    return STATUS_SUCCESS;
}

struct render_passes {
    struct dxgk_passes base;
    const struct dxgk_commands *commands;
};

/* As dxgk_passes_list(), of the patch list. */
static D3DDDI_PATCHLOCATIONLIST *give_patches(struct dxgk_context *context, UINT count)
{
    D3DDDI_PATCHLOCATIONLIST *given = context->patch_given + context->patch_in_room - count;

    return memcpy(given, context->patch_in, count * sizeof *given);
}

static void fill_arguments(const struct render_passes *passes, const struct dxgk_dma *dma,
                           UINT multipass, DXGKARG_RENDER *arguments)
{
    struct dxgk_context *context = passes->base.context;
    const struct dxgk_commands *commands = passes->commands;
    struct vidmm_dma_buffer *buffer = dma->buffer;

    *arguments = (DXGKARG_RENDER){
        .pCommand = commands->bytes,
        .CommandLength = commands->size,
        .pDmaBuffer = buffer->bytes,
        .DmaSize = dma->size,
        .pDmaBufferPrivateData = buffer->private_data,
        .DmaBufferPrivateDataSize = dma->private_size,
        .pAllocationList = dxgk_passes_list(context, commands->allocation_count),
        .AllocationListSize = commands->allocation_count,
        .pPatchLocationListIn =
            commands->of_gdi ? NULL : give_patches(context, commands->patch_count),
        .PatchLocationListInSize = commands->patch_count,
        .pPatchLocationListOut = dxgk_dma_patch_out(context, dma),
        .PatchLocationListOutSize = dma->patch_size,
        .MultipassOffset = multipass,
        .DmaBufferSegmentId = buffer->segment,
        .DmaBufferPhysicalAddress.QuadPart =
            (LONGLONG)(buffer->segment ? buffer->address : buffer->physical_address),
    };
}

static NTSTATUS ask_driver(const struct render_passes *passes, DXGKARG_RENDER *arguments)
{
    struct dxgk_context *context = passes->base.context;
    struct ddi_adapter *ddi = &context->device->adapter->ddi;

    return passes->commands->of_gdi
               ? ddi_render_km(ddi, context->driver_handle, arguments, context->object)
               : ddi_render(ddi, context->driver_handle, arguments, context->object);
}

static NTSTATUS call_render(struct dxgk_passes *base, struct dxgk_dma *dma, struct dxgk_pass *pass)
{
    struct render_passes *passes = container_of(base, struct render_passes, base);
    DXGKARG_RENDER arguments;

    /* Between two passes nothing stands for the first one any more. */
    struct dxgk_attempt attempt = dxgk_first_attempt(pass->multipass > 0);
    NTSTATUS status;

    do {
        dxgk_dma_begin(dma);
        fill_arguments(passes, dma, pass->multipass, &arguments);
        status = ask_driver(passes, &arguments);
    } while (dxgk_tries_again(status, &attempt));
    *pass = (struct dxgk_pass){
        .end = arguments.pDmaBuffer,
        .private_end = arguments.pDmaBufferPrivateData,
        .patch_end = arguments.pPatchLocationListOut,
        .multipass = arguments.MultipassOffset,
    };
    return status;
}

static struct render_passes passes_of(struct dxgk_context *context,
                                      const struct dxgk_commands *commands)
{
    return (struct render_passes){
        .base = {.call = call_render,
                 .context = context,
                 .road = commands->of_gdi ? &dxgk_road_gdi : &dxgk_road_render,
                 .flags.NullRendering = commands->null_rendering,
                 .flags.RedirectedPresent = commands->redirected, /* [SUBMIT-037] */
                 .allocation_count = commands->allocation_count,
                 .going_on =
                     commands->of_gdi ? CONTRACT_JUDGES(GDI_003) : CONTRACT_JUDGES(RENDER_019)},
        .commands = commands,
    };
}

/* Between begin and end of the context's passes, whose lists are filled. */
NTSTATUS dxgk_render_run(struct dxgk_context *context, const struct dxgk_commands *commands)
{
    struct render_passes passes = passes_of(context, commands);

    passes.base.is_work = commands->is_work;
    passes.base.command_bytes = (UINT)commands->size;
    return dxgk_passes_run(&passes.base);
}

NTSTATUS dxgk_render_try(struct dxgk_context *context, const struct dxgk_commands *commands,
                         uint64_t *produced)
{
    struct render_passes passes = passes_of(context, commands);

    passes.base.dropped = true;
    NTSTATUS status = dxgk_passes_run(&passes.base);
    *produced = passes.base.produced;
    return status;
}

NTSTATUS dxgk_render_collect(struct dxgk_context *context, const struct dxgk_commands *commands,
                             struct dxgk_collected *collected)
{
    struct render_passes passes = passes_of(context, commands);

    passes.base.dropped = true;
    passes.base.collected = collected;
    return dxgk_passes_run(&passes.base);
}

NTSTATUS dxgk_render(struct dxgk_context *context, const struct dxgk_render_request *request)
{
    const struct dxgk_command_space *space = &context->space;
    NTSTATUS status;

    dxgk_wait_awake();
    if (context->virtual_addresses || context->gdi ||
        !range_fits(request->command_offset, request->command_bytes, space->command_bytes) ||
        request->allocation_count > space->allocation_count ||
        request->patch_count > space->patch_count) {
        return STATUS_INVALID_PARAMETER;
    }
    if (context->device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!dxgk_passes_begin(context)) {
        return STATUS_INVALID_HANDLE;
    }
    status = convert_allocations(context, request->allocation_count);
    if (NT_SUCCESS(status)) {
        /* The client's list may change while the driver reads: it gets a copy. */
        memcpy(context->patch_in, space->patches,
               request->patch_count * sizeof(D3DDDI_PATCHLOCATIONLIST));
        const struct dxgk_commands commands = {
            .bytes = (const uint8_t *)space->commands + request->command_offset,
            .size = request->command_bytes,
            .allocation_count = request->allocation_count,
            .patch_count = request->patch_count,
            .null_rendering = request->null_rendering || context->null_rendering,
            .redirected = request->redirected,
            .is_work = request->command_bytes > 0,
        };
        if (vary_happens(VARY_BAD_COMMANDS, 4)) {
            dxgk_render_spoiled(context, &commands);
        }
        status = dxgk_render_run(context, &commands);
    }
    dxgk_passes_end(context, request->allocation_count);
    return status;
}
