/* Overlay planes, in the form of WDDM 2.1; older ones are in planes_old.c. Each is good for a
 * driver of any form. Post composition and HDR metadata are not carried on. */
#include "d3dkmt/planes.h"

#include <string.h>

/* The client's array of pointers, and then what each leads to. */
static NTSTATUS capture_each(struct client_call *call, const void CLIENT *pointers, UINT count,
                             size_t size, void *out)
{
    void CLIENT **list;
    NTSTATUS status = client_capture(call, pointers, count, sizeof *list, (void **)&list);

    for (UINT i = 0; i < count && NT_SUCCESS(status); i++) {
        status = client_read((char *)out + i * size, list[i], size);
    }
    return status;
}

bool client_planes_are_hidden(const struct dxgk_context *context, UINT source)
{
    return client_source_is_taken(source, dxgk_device_handle(dxgk_context_device(context)));
}

/* An empty one cuts nothing off. */
static bool is_rect(const RECT *rect)
{
    return rect->left <= rect->right && rect->top <= rect->bottom;
}

bool client_attributes_are_known(const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *attributes)
{
    return (attributes->Flags.Value & ~3u) == 0 &&
           attributes->Rotation >= D3DDDI_ROTATION_IDENTITY &&
           attributes->Rotation <= D3DDDI_ROTATION_270 && is_rect(&attributes->ClipRect) &&
           (int)attributes->ColorSpaceType >= D3DDDI_COLOR_SPACE_CUSTOM &&
           (int)attributes->ColorSpaceType <= D3DDDI_COLOR_SPACE_YCBCR_STUDIO_G24_TOPLEFT_P2020 &&
           attributes->ColorSpaceType != D3DDDI_COLOR_SPACE_RESERVED &&
           (unsigned)attributes->StretchQuality <= DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY_HIGH;
}

/* Flags that WDDM 2.1 has, of the two structures the same bits. */
static NTSTATUS decode_attributes(const D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 CLIENT *theirs,
                                  DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *out)
{
    D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes;
    NTSTATUS status = client_read(&attributes, theirs, sizeof attributes);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    *out = (DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3){
        .Flags.Value = attributes.Flags,
        .SrcRect = attributes.SrcRect,
        .DstRect = attributes.DstRect,
        .ClipRect = attributes.ClipRect,
        .Rotation = attributes.Rotation,
        .Blend.AlphaBlend = attributes.Blend == D3DKMT_MULTIPLANE_OVERLAY_BLEND_ALPHABLEND,
        .ColorSpaceType = attributes.ColorSpace,
        .StretchQuality = (DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY)attributes.StretchQuality,
        .SDRWhiteLevel = attributes.SDRWhiteLevel,
    };
    bool known = client_attributes_are_known(out) &&
                 (unsigned)attributes.Blend <= D3DKMT_MULTIPLANE_OVERLAY_BLEND_ALPHABLEND;
    return known ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

/* ---- Questions ------------------------------------------------------------------------------- */

struct dxgk_opening *client_first_opening(struct client_call *call,
                                          const struct dxgk_device *device, D3DKMT_HANDLE resource)
{
    const struct dxgk_holding *holding = holding_of(call, device, resource);
    struct dxgk_opening *opening = NULL;

    bool any = holding && dxgk_holding_openings(holding, &opening, 1) > 0;
    return any && client_hold(call, dxgk_opening_get(opening)) ? opening : NULL;
}

static NTSTATUS decode_asked(struct client_call *call, const struct dxgk_device *device,
                             const D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3 *plane,
                             struct dxgk_plane_request *out)
{
    *out = (struct dxgk_plane_request){
        .layer = plane->LayerIndex,
        .enabled = true,
        .opening = client_first_opening(call, device, plane->hResource),
    };
    return out->opening ? decode_attributes(plane->pPlaneAttributes, &out->attributes)
                        : NO_SUCH_OBJECT;
}

static NTSTATUS check(struct client_call *call, D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3 *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3 planes[DXGK_PLANES_MAX];
    struct dxgk_planes_request request = {.count = arguments->PlaneCount};
    struct dxgk_planes_answer answer = {.supported = false};

    if (!adapter || !device || dxgk_device_adapter(device) != adapter) {
        return NO_SUCH_OBJECT;
    }
    if (request.count == 0 || request.count > DXGK_PLANES_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = capture_each(call, (const void CLIENT *)arguments->ppOverlayPlanes,
                                   request.count, sizeof planes[0], planes);
    for (UINT i = 0; i < request.count && NT_SUCCESS(status); i++) {
        request.vidpn_source = planes[i].VidPnSourceId;
        status = planes[i].VidPnSourceId != planes[0].VidPnSourceId
                     ? STATUS_NOT_SUPPORTED /* of one source at a time */
                     : decode_asked(call, device, &planes[i], &request.planes[i]);
    }
    if (NT_SUCCESS(status) && arguments->PostCompositionCount == 0) {
        status = dxgk_planes_check(adapter, &request, &answer);
    }
    if (NT_SUCCESS(status)) {
        arguments->Supported = answer.supported;
        arguments->ReturnInfo.Value = answer.info.Value;
    }
    return status;
}
CLIENT_CALL(CheckMultiPlaneOverlaySupport3, check, D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3)

static NTSTATUS get_caps(struct client_call *call, D3DKMT_GET_MULTIPLANE_OVERLAY_CAPS *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    DXGKARG_GETMULTIPLANEOVERLAYCAPS caps = {.VidPnSourceId = arguments->VidPnSourceId};

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = dxgk_planes_caps(adapter, &caps);
    if (NT_SUCCESS(status)) {
        arguments->MaxPlanes = caps.MaxPlanes;
        arguments->MaxRGBPlanes = caps.MaxRGBPlanes;
        arguments->MaxYUVPlanes = caps.MaxYUVPlanes;
        arguments->OverlayCaps.Value = caps.OverlayCaps.Value;
        arguments->OverlayCaps.Reserved = 0;
        arguments->OverlayCaps.Version3DDISupport =
            dxgk_adapter_planes_form(adapter) == DXGK_PLANES_THIRD;
        arguments->MaxStretchFactor = caps.MaxStretchFactor;
        arguments->MaxShrinkFactor = caps.MaxShrinkFactor;
    }
    return status;
}
CLIENT_CALL(GetMultiPlaneOverlayCaps, get_caps, D3DKMT_GET_MULTIPLANE_OVERLAY_CAPS)

static NTSTATUS get_post_caps(struct client_call *call, D3DKMT_GET_POST_COMPOSITION_CAPS *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    DXGKARG_GETPOSTCOMPOSITIONCAPS caps = {.VidPnSourceId = arguments->VidPnSourceId};

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = dxgk_post_composition_caps(adapter, &caps);
    if (NT_SUCCESS(status)) {
        arguments->MaxStretchFactor = caps.MaxStretchFactor;
        arguments->MaxShrinkFactor = caps.MaxShrinkFactor;
    }
    return status;
}
CLIENT_CALL(GetPostCompositionCaps, get_post_caps, D3DKMT_GET_POST_COMPOSITION_CAPS)

/* ---- Present --------------------------------------------------------------------------------- */

static NTSTATUS decode_plane(struct client_call *call, const struct dxgk_device *device,
                             const D3DKMT_MULTIPLANE_OVERLAY3 *plane,
                             struct dxgk_plane_request *out)
{
    D3DKMT_HANDLE handle;

    *out = (struct dxgk_plane_request){
        .layer = plane->LayerIndex,
        .enabled = plane->InputFlags.Enabled,
        .immediate_line = plane->MaxImmediateFlipLine,
    };
    if (plane->InputFlags.Reserved || plane->DriverPrivateDataSize || plane->hFlipToFence ||
        plane->hFlipAwayFence ||
        (unsigned)plane->FlipInterval > (unsigned)D3DDDI_FLIPINTERVAL_FOUR) {
        return STATUS_NOT_SUPPORTED;
    }
    if (!out->enabled) {
        return STATUS_SUCCESS;
    }
    if (plane->AllocationCount != 1) {
        return plane->AllocationCount == 0 ? STATUS_INVALID_PARAMETER
                                           : STATUS_NOT_SUPPORTED; /* linked adapters */
    }
    NTSTATUS status = client_read(&handle, plane->pAllocationList, sizeof handle);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    out->opening = opening_of(call, device, handle);
    return out->opening ? decode_attributes(plane->pPlaneAttributes, &out->attributes)
                        : NO_SUCH_OBJECT;
}

static NTSTATUS decode_context(struct client_call *call,
                               const D3DKMT_PRESENT_MULTIPLANE_OVERLAY3 *arguments,
                               struct dxgk_context **out)
{
    D3DKMT_HANDLE handle;

    if (arguments->ContextCount != 1) {
        return arguments->ContextCount == 0 ? STATUS_INVALID_PARAMETER : STATUS_NOT_SUPPORTED;
    }
    NTSTATUS status = client_read(&handle, arguments->pContextList, sizeof handle);
    if (NT_SUCCESS(status)) {
        *out = context_of(call, handle);
        status = *out ? STATUS_SUCCESS : NO_SUCH_OBJECT;
    }
    return status;
}

static NTSTATUS present(struct client_call *call, D3DKMT_PRESENT_MULTIPLANE_OVERLAY3 *arguments)
{
    D3DKMT_MULTIPLANE_OVERLAY3 planes[DXGK_PLANES_MAX];
    struct dxgk_planes_request request = {
        .vidpn_source = arguments->VidPnSourceId,
        .count = arguments->PresentPlaneCount,
        .duration = arguments->Flags.DurationValid ? arguments->Duration : 0,
    };
    struct dxgk_context *context = NULL;
    NTSTATUS status = decode_context(call, arguments, &context);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (request.count == 0 || request.count > DXGK_PLANES_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    if (client_planes_are_hidden(context, request.vidpn_source)) {
        return STATUS_GRAPHICS_PRESENT_OCCLUDED;
    }
    D3DKMT_PRESENT_MULTIPLANE_OVERLAY_FLAGS flags = arguments->Flags;
    flags.DurationValid = 0;
    if (flags.Value != 0 || arguments->pPostComposition) {
        return STATUS_NOT_SUPPORTED;
    }
    status = capture_each(call, (const void CLIENT *)arguments->ppPresentPlanes, request.count,
                          sizeof planes[0], planes);
    if (NT_SUCCESS(status)) {
        request.interval = planes[0].FlipInterval;
    }
    for (UINT i = 0; i < request.count && NT_SUCCESS(status); i++) {
        status =
            planes[i].FlipInterval != request.interval
                ? STATUS_NOT_SUPPORTED /* they latch together [MPO-003] */
                : decode_plane(call, dxgk_context_device(context), &planes[i], &request.planes[i]);
    }
    return NT_SUCCESS(status) ? dxgk_planes_present(context, &request) : status;
}
CLIENT_CALL_IN(PresentMultiPlaneOverlay3, present, D3DKMT_PRESENT_MULTIPLANE_OVERLAY3)
