/* Overlays, as they have been since WDDM 1.0. */
#include "d3dkmt/internal.h"

static struct dxgk_overlay *overlay_of(struct client_call *call, D3DKMT_HANDLE device,
                                       D3DKMT_HANDLE handle)
{
    const struct dxgk_device *of = device_of(call, device);
    struct dxgk_overlay *overlay = client_object(call, handle, DXGK_KIND_OVERLAY, call->process);

    return of && overlay && dxgk_overlay_device(overlay) == of ? overlay : NULL;
}

static bool is_part(const RECT *rect)
{
    return rect->left < rect->right && rect->top < rect->bottom;
}

/* Where on the screen is for the driver to judge, and whether the surface is so large. */
static NTSTATUS take_info(struct client_call *call, const struct dxgk_device *device,
                          const D3DDDI_KERNELOVERLAYINFO *info,
                          struct dxgk_overlay_request *request)
{
    *request = (struct dxgk_overlay_request){
        .opening = opening_of(call, device, info->hAllocation),
        .to = {info->DstRect.left, info->DstRect.top, info->DstRect.right, info->DstRect.bottom},
        .from = {info->SrcRect.left, info->SrcRect.top, info->SrcRect.right, info->SrcRect.bottom},
        .private_size = info->PrivateDriverDataSize,
    };
    if (!request->opening) {
        return NO_SUCH_OBJECT;
    }
    if (!is_part(&request->to) || !is_part(&request->from) || request->from.left < 0 ||
        request->from.top < 0) {
        return STATUS_INVALID_PARAMETER;
    }
    return client_capture_private(call, info->pPrivateDriverData, info->PrivateDriverDataSize,
                                  &request->private_data);
}

static NTSTATUS create(struct client_call *call, D3DKMT_CREATEOVERLAY *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct dxgk_overlay_request request;
    struct dxgk_overlay *overlay;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->VidPnSourceId >= D3DKMDT_MAX_VIDPN_SOURCES ||
        client_source_is_taken(arguments->VidPnSourceId, arguments->hDevice)) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = take_info(call, device, &arguments->OverlayInfo, &request);
    if (NT_SUCCESS(status)) {
        status = dxgk_overlay_create(device, arguments->VidPnSourceId, &request, &overlay);
    }
    if (NT_SUCCESS(status)) {
        arguments->hOverlay = dxgk_overlay_handle(overlay);
    }
    return status;
}
CLIENT_CALL(CreateOverlay, create, D3DKMT_CREATEOVERLAY)

static NTSTATUS update(struct client_call *call, const D3DKMT_UPDATEOVERLAY *arguments)
{
    struct dxgk_overlay *overlay = overlay_of(call, arguments->hDevice, arguments->hOverlay);
    struct dxgk_overlay_request request;

    if (!overlay) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status =
        take_info(call, dxgk_overlay_device(overlay), &arguments->OverlayInfo, &request);
    return NT_SUCCESS(status) ? dxgk_overlay_update(overlay, &request) : status;
}
CLIENT_CALL_IN(UpdateOverlay, update, D3DKMT_UPDATEOVERLAY)

static NTSTATUS flip(struct client_call *call, const D3DKMT_FLIPOVERLAY *arguments)
{
    struct dxgk_overlay *overlay = overlay_of(call, arguments->hDevice, arguments->hOverlay);
    struct dxgk_overlay_request request = {.private_size = arguments->PrivateDriverDataSize};

    if (!overlay) {
        return NO_SUCH_OBJECT;
    }
    request.opening = opening_of(call, dxgk_overlay_device(overlay), arguments->hSource);
    if (!request.opening) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status =
        client_capture_private(call, arguments->pPrivateDriverData,
                               arguments->PrivateDriverDataSize, &request.private_data);
    return NT_SUCCESS(status) ? dxgk_overlay_flip(overlay, &request) : status;
}
CLIENT_CALL_IN(FlipOverlay, flip, D3DKMT_FLIPOVERLAY)

static NTSTATUS destroy(struct client_call *call, const D3DKMT_DESTROYOVERLAY *arguments)
{
    struct dxgk_overlay *overlay = overlay_of(call, arguments->hDevice, arguments->hOverlay);

    return overlay ? dxgk_overlay_destroy(overlay) : NO_SUCH_OBJECT;
}
CLIENT_CALL_IN(DestroyOverlay, destroy, D3DKMT_DESTROYOVERLAY)

static NTSTATUS get_state(struct client_call *call, D3DKMT_GETOVERLAYSTATE *arguments)
{
    const struct dxgk_overlay *overlay = overlay_of(call, arguments->hDevice, arguments->hOverlay);

    if (!overlay) {
        return NO_SUCH_OBJECT;
    }
    arguments->OverlayEnabled = dxgk_overlay_is_on(overlay);
    return STATUS_SUCCESS;
}
CLIENT_CALL(GetOverlayState, get_state, D3DKMT_GETOVERLAYSTATE)
