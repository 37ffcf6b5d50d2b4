/* Pictures of GDI that the GPU draws. */
#include "d3dkmt/internal.h"

#include "drydock/client.h"

_Static_assert((int)DRYDOCK_GDI_BITBLT == (int)DXGK_GDIOP_BITBLT &&
                   (int)DRYDOCK_GDI_CLEARTYPEBLEND == (int)DXGK_GDIOP_CLEARTYPEBLEND &&
                   DRYDOCK_GDI_NO_GAMMA == D3DKM_INVALID_GAMMA_INDEX,
               "one numbering");

static NTSTATUS create_context(struct client_call *call, struct drydock_gdi_context *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    const struct dxgk_context_request request = {
        .node = arguments->node,
        .virtual_addresses = arguments->virtual_addresses,
        .gdi = true,
    };
    struct dxgk_device *device;
    struct dxgk_context *context;

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = dxgk_gdi_check(adapter, arguments->virtual_addresses, &arguments->caps);
    if (NT_SUCCESS(status)) {
        status = dxgk_gdi_device_create(adapter, call->process, &device);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    status = dxgk_context_create(device, &request, &context);
    if (!NT_SUCCESS(status)) {
        (void)dxgk_device_destroy(device);
        return status;
    }
    arguments->hDevice = dxgk_device_handle(device);
    arguments->hContext = dxgk_context_handle(context);
    return STATUS_SUCCESS;
}
CLIENT_ENTRY(drydock_create_gdi_context, CreateGdiContext, create_context,
             struct drydock_gdi_context, struct drydock_gdi_context, true)

/* ---- Work ---------------------------------------------------------------------------------- */

/* 0 is none; what names nothing is refused with it. */
static bool find(struct client_call *call, const struct dxgk_device *device, D3DKMT_HANDLE handle,
                 struct dxgk_opening **out)
{
    *out = handle ? opening_of(call, device, handle) : NULL;
    return !handle || *out;
}

static NTSTATUS decode(struct client_call *call, const struct dxgk_device *device,
                       const struct drydock_gdi_command *from, struct dxgk_gdi_command *to)
{
    void *rects;

    *to = (struct dxgk_gdi_command){
        .operation = (DXGK_RENDERKM_OPERATION)from->operation,
        .to = from->to,
        .from = from->from,
        .rop = (WORD)from->rop,
        .rop3 = (WORD)from->rop3,
        .color = from->color,
        .color2 = from->color2,
        .alpha = (BYTE)from->alpha,
        .has_alpha = from->has_alpha,
        .mirror_x = from->mirror_x,
        .mirror_y = from->mirror_y,
        .gamma = from->gamma,
        .offset_x = from->offset_x,
        .offset_y = from->offset_y,
        .rect_count = from->rect_count,
    };
    if (!find(call, device, from->hDestination, &to->destination) ||
        !find(call, device, from->hSource, &to->source) ||
        !find(call, device, from->hTable, &to->table) ||
        !find(call, device, from->hScratch, &to->scratch)) {
        return NO_SUCH_OBJECT;
    }
    if (from->rect_count > DXGK_GDI_RECTS_MAX || from->rop > 0xFF || from->rop3 > 0xFF ||
        from->alpha > 0xFF) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture(call, from->rects, from->rect_count, sizeof(RECT), &rects);
    if (NT_SUCCESS(status)) {
        to->rects = rects;
    }
    return status;
}

static NTSTATUS draw(struct client_call *call, const struct drydock_gdi_work *arguments)
{
    struct dxgk_context *context = exact_context_of(call, arguments->hContext);
    UINT count = arguments->command_count;
    void *theirs, *ours;

    if (!context) {
        return NO_SUCH_OBJECT;
    }
    if (count == 0 || count > DXGK_GDI_COMMANDS_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture(call, arguments->commands, count,
                                     sizeof(struct drydock_gdi_command), &theirs);
    if (NT_SUCCESS(status)) {
        status = client_room(call, count * sizeof(struct dxgk_gdi_command), &ours);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    const struct drydock_gdi_command *given = theirs;
    struct dxgk_gdi_command *commands = ours;
    for (UINT i = 0; i < count && NT_SUCCESS(status); i++) {
        status = decode(call, dxgk_context_device(context), &given[i], &commands[i]);
    }
    return NT_SUCCESS(status) ? dxgk_gdi_draw(context, commands, count) : status;
}
CLIENT_ENTRY(drydock_draw_gdi, DrawGdi, draw, struct drydock_gdi_work,
             const struct drydock_gdi_work, false)
