/* Overlay planes, in the forms of WDDM 1.3 and 2.0: all planes of a call in one array. They differ
 * in a few attributes, and the first has no layers in its questions: its planes stand from the top
 * down. Pictures in stereo and in fields are not shown. */
#include "d3dkmt/planes.h"

#include <string.h>

/* Members that both forms have. */
#define COMMON_ATTRIBUTES(from)                                                               \
    (DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3)                                                     \
    {                                                                                         \
        .Flags.Value = (from)->Flags, .SrcRect = (from)->SrcRect, .DstRect = (from)->DstRect, \
        .ClipRect = (from)->ClipRect, .Rotation = (from)->Rotation,                           \
        .Blend.AlphaBlend = (from)->Blend == D3DKMT_MULTIPLANE_OVERLAY_BLEND_ALPHABLEND,      \
        .StretchQuality = (DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY)(from)->StretchQuality     \
    }

#define IS_PLAIN(from)                                                       \
    ((from)->StereoFormat == DXGKMT_MULTIPLANE_OVERLAY_STEREO_FORMAT_MONO && \
     (from)->StereoFlipMode == DXGKMT_MULTIPLANE_OVERLAY_STEREO_FLIP_NONE && \
     (from)->VideoFrameFormat == D3DKMT_MULIIPLANE_OVERLAY_VIDEO_FRAME_FORMAT_PROGRESSIVE)

static NTSTATUS check_attributes(const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *attributes,
                                 D3DKMT_MULTIPLANE_OVERLAY_BLEND blend, bool plain)
{
    bool known = client_attributes_are_known(attributes) &&
                 (unsigned)blend <= D3DKMT_MULTIPLANE_OVERLAY_BLEND_ALPHABLEND;

    return !known ? STATUS_INVALID_PARAMETER : plain ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED;
}

static NTSTATUS take_first(const D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES *from,
                           DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *out)
{
    *out = COMMON_ATTRIBUTES(from);
    return check_attributes(out, from->Blend, IS_PLAIN(from) && from->YCbCrFlags == 0);
}

static NTSTATUS take_second(const D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES2 *from,
                            DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *out)
{
    *out = COMMON_ATTRIBUTES(from);
    out->ColorSpaceType = from->ColorSpace;
    return check_attributes(out, from->Blend, IS_PLAIN(from));
}

/* ---- Questions ------------------------------------------------------------------------------- */

/* One plane of a question. */
struct asked {
    UINT layer;
    D3DKMT_HANDLE resource;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID source;
};

static NTSTATUS add_asked(struct client_call *call, const struct dxgk_device *device,
                          const struct asked *asked, struct dxgk_planes_request *request)
{
    struct dxgk_plane_request *plane = &request->planes[request->count];

    if (request->count > 0 && asked->source != request->vidpn_source) {
        return STATUS_NOT_SUPPORTED; /* of one source at a time */
    }
    request->vidpn_source = asked->source;
    *plane = (struct dxgk_plane_request){
        .layer = asked->layer,
        .enabled = true,
        .opening = client_first_opening(call, device, asked->resource),
    };
    request->count++;
    return plane->opening ? STATUS_SUCCESS : NO_SUCH_OBJECT;
}

static bool is_count(UINT count)
{
    return count > 0 && count <= DXGK_PLANES_MAX;
}

static NTSTATUS check_first(struct client_call *call,
                            D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE *planes;
    struct dxgk_planes_request request = {.count = 0};
    struct dxgk_planes_answer answer = {.supported = false};

    if (!device || !is_count(arguments->PlaneCount)) {
        return device ? STATUS_INVALID_PARAMETER : NO_SUCH_OBJECT;
    }
    NTSTATUS status = client_capture(call, arguments->pOverlayPlanes, arguments->PlaneCount,
                                     sizeof *planes, (void **)&planes);
    for (UINT i = 0; i < arguments->PlaneCount && NT_SUCCESS(status); i++) {
        const struct asked asked = {i, planes[i].hResource, planes[i].VidPnSourceId};
        status = add_asked(call, device, &asked, &request);
        if (NT_SUCCESS(status)) {
            status = take_first(&planes[i].PlaneAttributes, &request.planes[i].attributes);
        }
    }
    if (NT_SUCCESS(status)) {
        status = dxgk_planes_check(dxgk_device_adapter(device), &request, &answer);
    }
    if (NT_SUCCESS(status)) {
        arguments->Supported = answer.supported;
        arguments->ReturnInfo.Value = answer.info.Value;
    }
    return status;
}
CLIENT_CALL(CheckMultiPlaneOverlaySupport, check_first, D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT)

static NTSTATUS check_second(struct client_call *call,
                             D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT2 *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE2 *planes;
    struct dxgk_planes_request request = {.count = 0};
    struct dxgk_planes_answer answer = {.supported = false};

    if (!adapter || !device || dxgk_device_adapter(device) != adapter) {
        return NO_SUCH_OBJECT;
    }
    if (!is_count(arguments->PlaneCount)) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture(call, arguments->pOverlayPlanes, arguments->PlaneCount,
                                     sizeof *planes, (void **)&planes);
    for (UINT i = 0; i < arguments->PlaneCount && NT_SUCCESS(status); i++) {
        const struct asked asked = {planes[i].LayerIndex, planes[i].hResource,
                                    planes[i].VidPnSourceId};
        status = add_asked(call, device, &asked, &request);
        if (NT_SUCCESS(status)) {
            status = take_second(&planes[i].PlaneAttributes, &request.planes[i].attributes);
        }
    }
    if (NT_SUCCESS(status)) {
        status = dxgk_planes_check(adapter, &request, &answer);
    }
    if (NT_SUCCESS(status)) {
        arguments->Supported = answer.supported;
        arguments->ReturnInfo.Value = answer.info.Value;
    }
    return status;
}
CLIENT_CALL(CheckMultiPlaneOverlaySupport2, check_second, D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT2)

/* ---- Present --------------------------------------------------------------------------------- */

/* What the two calls have in common. */
struct presented {
    ULONG broadcast_count;
    D3DKMT_PRESENTFLAGS flags;
    D3DDDI_FLIPINTERVAL_TYPE interval;
    UINT duration;
    const void CLIENT *planes;
    UINT count;
    size_t plane_bytes;
};

/* planes: as the client has them. */
static NTSTATUS begin_present(struct client_call *call, struct dxgk_context *context,
                              const struct presented *presented,
                              struct dxgk_planes_request *request, void **planes)
{
    D3DKMT_PRESENTFLAGS flags = presented->flags;

    flags.Flip = flags.DurationValid = flags.PresentCountValid = 0;
    if (flags.Value != 0 || presented->broadcast_count != 0 ||
        (unsigned)presented->interval > (unsigned)D3DDDI_FLIPINTERVAL_FOUR) {
        return STATUS_NOT_SUPPORTED;
    }
    if (!is_count(presented->count)) {
        return STATUS_INVALID_PARAMETER;
    }
    request->interval = presented->interval;
    request->duration = presented->flags.DurationValid ? presented->duration : 0;
    request->count = presented->count;
    return client_planes_are_hidden(context, request->vidpn_source)
               ? STATUS_GRAPHICS_PRESENT_OCCLUDED
               : client_capture(call, presented->planes, presented->count, presented->plane_bytes,
                                planes);
}

/* False: there is no such allocation. */
static bool add_plane(struct client_call *call, const struct dxgk_context *context,
                      D3DKMT_HANDLE allocation, struct dxgk_plane_request *plane)
{
    plane->immediate_line = ~0u; /* nobody said that it may be shown in the middle of a picture */
    plane->opening =
        plane->enabled ? opening_of(call, dxgk_context_device(context), allocation) : NULL;
    return !plane->enabled || plane->opening;
}

static NTSTATUS present_first(struct client_call *call,
                              D3DKMT_PRESENT_MULTIPLANE_OVERLAY *arguments)
{
    D3DKMT_MULTIPLANE_OVERLAY *planes;
    const struct presented presented = {arguments->BroadcastContextCount,
                                        arguments->Flags,
                                        arguments->FlipInterval,
                                        arguments->Duration,
                                        arguments->pPresentPlanes,
                                        arguments->PresentPlaneCount,
                                        sizeof *planes};
    struct dxgk_planes_request request = {.vidpn_source = arguments->VidPnSourceId};
    struct dxgk_context *context = context_of(call, arguments->hContext);

    if (!context) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = begin_present(call, context, &presented, &request, (void **)&planes);
    for (UINT i = 0; i < request.count && NT_SUCCESS(status); i++) {
        struct dxgk_plane_request *plane = &request.planes[i];
        *plane = (struct dxgk_plane_request){.layer = planes[i].LayerIndex,
                                             .enabled = planes[i].Enabled != 0};
        status = !add_plane(call, context, planes[i].hAllocation, plane) ? NO_SUCH_OBJECT
                 : plane->enabled ? take_first(&planes[i].PlaneAttributes, &plane->attributes)
                                  : STATUS_SUCCESS;
    }
    return NT_SUCCESS(status) ? dxgk_planes_present(context, &request) : status;
}
CLIENT_CALL_IN(PresentMultiPlaneOverlay, present_first, D3DKMT_PRESENT_MULTIPLANE_OVERLAY)

static NTSTATUS present_second(struct client_call *call,
                               D3DKMT_PRESENT_MULTIPLANE_OVERLAY2 *arguments)
{
    D3DKMT_MULTIPLANE_OVERLAY2 *planes;
    const struct presented presented = {arguments->BroadcastContextCount,
                                        arguments->Flags,
                                        arguments->FlipInterval,
                                        arguments->Duration,
                                        arguments->pPresentPlanes,
                                        arguments->PresentPlaneCount,
                                        sizeof *planes};
    struct dxgk_planes_request request = {.vidpn_source = arguments->VidPnSourceId};
    struct dxgk_context *context = context_of(call, arguments->hContext);
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);

    if (!context || !adapter || dxgk_device_adapter(dxgk_context_device(context)) != adapter) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = begin_present(call, context, &presented, &request, (void **)&planes);
    for (UINT i = 0; i < request.count && NT_SUCCESS(status); i++) {
        struct dxgk_plane_request *plane = &request.planes[i];
        *plane = (struct dxgk_plane_request){.layer = planes[i].LayerIndex,
                                             .enabled = planes[i].Enabled != 0};
        status = !add_plane(call, context, planes[i].hAllocation, plane) ? NO_SUCH_OBJECT
                 : plane->enabled ? take_second(&planes[i].PlaneAttributes, &plane->attributes)
                                  : STATUS_SUCCESS;
    }
    return NT_SUCCESS(status) ? dxgk_planes_present(context, &request) : status;
}
CLIENT_CALL_IN(PresentMultiPlaneOverlay2, present_second, D3DKMT_PRESENT_MULTIPLANE_OVERLAY2)
