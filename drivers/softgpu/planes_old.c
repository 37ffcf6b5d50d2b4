/* planes_old.c: overlay planes in the forms of WDDM 1.3 and 2.0, which differ in a few attributes.
 *
 * A call says the address of each plane, and vsync tells the address that each shows (MPO-020). The
 * device tells tags: they are numbers of calls here, by which is found what was given. */
#include "softgpu.h"

/* In the newest form; what the older ones do not have is not used. */
static DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3
newest_form(const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES *first)
{
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 newest;

    RtlZeroMemory(&newest, sizeof(newest));
    newest.Flags = first->Flags;
    newest.SrcRect = first->SrcRect;
    newest.DstRect = first->DstRect;
    newest.ClipRect = first->ClipRect;
    newest.Rotation = first->Rotation;
    newest.Blend = first->Blend;
    newest.StretchQuality = first->StretchQuality;
    return newest;
}

static BOOLEAN is_plain(const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES *attributes)
{
    return attributes->StereoFormat == DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_MONO &&
           attributes->VideoFrameFormat == DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT_PROGRESSIVE;
}

/* The form of WDDM 2.0 in that of 1.3, which vsync tells in both. */
static DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES
first_form(const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES2 *second)
{
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES first;

    RtlZeroMemory(&first, sizeof(first));
    first.Flags = second->Flags;
    first.SrcRect = second->SrcRect;
    first.DstRect = second->DstRect;
    first.ClipRect = second->ClipRect;
    first.Rotation = second->Rotation;
    first.Blend = second->Blend;
    first.VideoFrameFormat = second->VideoFrameFormat;
    first.StereoFormat = second->StereoFormat;
    first.StereoFlipMode = second->StereoFlipMode;
    first.StretchQuality = second->StretchQuality;
    return first;
}

static BOOLEAN can_show(const struct softgpu_adapter *adapter, ULONG source, HANDLE allocation,
                        const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES *attributes)
{
    const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 wanted = newest_form(attributes);

    return source < adapter->settings.sources && is_plain(attributes) &&
           softgpu_can_show(allocation, &wanted);
}

/* Its planes are in order from the top. */
NTSTATUS NTAPI softgpu_check_planes(const HANDLE adapter_handle,
                                    DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT *check)
{
    const struct softgpu_adapter *adapter = adapter_handle;
    UINT i;

    PAGED_CODE();

    check->Supported = FALSE;
    check->ReturnInfo.Value = 0;
    for (i = 0; i < check->PlaneCount; i++) {
        const DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_PLANE *plane = &check->pPlanes[i];

        check->ReturnInfo.FailingPlane = i & 0xF;
        if (i >= adapter->settings.overlay_planes ||
            !can_show(adapter, plane->VidPnSourceId, plane->hAllocation, &plane->PlaneAttributes)) {
            return STATUS_SUCCESS; /* the answer is no */
        }
    }
    check->ReturnInfo.Value = 0;
    check->Supported = TRUE;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI softgpu_check_planes2(const HANDLE adapter_handle,
                                     DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2 *check)
{
    const struct softgpu_adapter *adapter = adapter_handle;
    UINT i;

    PAGED_CODE();

    check->Supported = FALSE;
    check->ReturnInfo.Value = 0;
    for (i = 0; i < check->PlaneCount; i++) {
        const DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE *plane = &check->pPlanes[i];
        DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES attributes = first_form(&plane->PlaneAttributes);

        check->ReturnInfo.FailingPlane = i & 0xF;
        if (plane->LayerIndex >= adapter->settings.overlay_planes ||
            !can_show(adapter, plane->VidPnSourceId, plane->hAllocation, &attributes)) {
            return STATUS_SUCCESS;
        }
    }
    check->ReturnInfo.Value = 0;
    check->Supported = TRUE;
    return STATUS_SUCCESS;
}

/* ---- Flips of planes ------------------------------------------------------------------------- */

/* A call of either form; nonpaged, at device IRQL. */
struct old_call {
    struct softgpu_planes planes;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes[SOFTGPU_PLANE_MAX];
};

static void add(struct old_call *call, const DXGK_MULTIPLANE_OVERLAY_PLANE *plane)
{
    struct softgpu_planes *planes = &call->planes;
    struct softgpu_source *source = &planes->adapter->source[planes->source];
    struct softgpu_plane *out = &planes->plane[planes->count];
    ULONG layer = plane->LayerIndex < SOFTGPU_PLANE_MAX ? plane->LayerIndex : 0;

    call->attributes[planes->count] = newest_form(&plane->PlaneAttributes);
    out->layer = plane->LayerIndex;
    out->on = plane->Enabled != FALSE;
    out->tag = source->given.calls;
    out->allocation = plane->hAllocation;
    out->address = (ULONGLONG)plane->AllocationAddress.QuadPart;
    out->right_offset = 0;
    out->attributes = &call->attributes[planes->count++];
    source->given.last[layer][0] = source->given.last[layer][1];
    source->given.last[layer][1].tag = source->given.calls;
    source->given.last[layer][1].on = out->on;
    source->given.last[layer][1].address = out->address;
    source->given.last[layer][1].attributes = plane->PlaneAttributes;
}

static BOOLEAN begin(struct old_call *call, ULONG source, ULONG count, BOOLEAN immediate)
{
    call->planes.source = source;
    call->planes.count = 0;
    call->planes.immediate = immediate;
    call->planes.prefer_right = FALSE;
    if (source >= call->planes.adapter->settings.sources || count > SOFTGPU_PLANE_MAX) {
        return FALSE;
    }
    call->planes.adapter->source[source].given.calls++;
    return TRUE;
}

static NTSTATUS show(struct old_call *call)
{
    if (!softgpu_planes_possible(&call->planes)) {
        return STATUS_INVALID_PARAMETER;
    }
    (void)softgpu_planes_show(&call->planes);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI
softgpu_set_planes(const HANDLE adapter_handle,
                   const DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY *arguments)
{
    struct old_call call;
    UINT i;

    call.planes.adapter = adapter_handle;
    if (!begin(&call, arguments->VidPnSourceId, arguments->PlaneCount,
               arguments->Flags.FlipImmediate)) {
        return STATUS_INVALID_PARAMETER;
    }
    for (i = 0; i < arguments->PlaneCount; i++) {
        add(&call, &arguments->pPlanes[i]);
    }
    return show(&call);
}

/* What it cannot show it was asked about before, and said so; the rest it shows (MPO-006). */
NTSTATUS NTAPI
softgpu_set_planes2(const HANDLE adapter_handle,
                    const DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2 *arguments)
{
    struct old_call call;
    UINT i;

    call.planes.adapter = adapter_handle;
    if (!begin(&call, arguments->VidPnSourceId, arguments->PlaneCount,
               arguments->Flags.FlipImmediate)) {
        return STATUS_SUCCESS;
    }
    for (i = 0; i < arguments->PlaneCount; i++) {
        const DXGK_MULTIPLANE_OVERLAY_PLANE2 *plane = &arguments->pPlanes[i];
        DXGK_MULTIPLANE_OVERLAY_PLANE first = {
            plane->LayerIndex,        plane->Enabled,     plane->AllocationSegment,
            plane->AllocationAddress, plane->hAllocation, first_form(&plane->PlaneAttributes)};
        add(&call, &first);
    }
    (void)show(&call);
    return STATUS_SUCCESS;
}

/* ---- Vsync ----------------------------------------------------------------------------------- */

void softgpu_report_old_planes(struct softgpu_adapter *adapter, ULONG output, ULONG source)
{
    const struct softgpu_planes_given *given = &adapter->source[source].given;
    DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO planes[SOFTGPU_PLANE_MAX];
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
    ULONG i, k, count = 0;

    RtlZeroMemory(planes, sizeof(planes));
    for (i = 0; i < adapter->settings.overlay_planes; i++) {
        ULONG reg = SOFTGPU_PLANE_REG(output, i, SOFTGPU_PLANE_CURRENT_TAG);
        ULONG tag = (ULONG)softgpu_read_pair(adapter, reg);

        for (k = 0; k < 2 && tag != 0; k++) {
            if (given->last[i][k].tag == tag) {
                planes[count].LayerIndex = i;
                planes[count].Enabled = given->last[i][k].on;
                planes[count].PhysicalAddress.QuadPart = (LONGLONG)given->last[i][k].address;
                planes[count].PlaneAttributes = given->last[i][k].attributes;
                count++;
                break;
            }
        }
    }
    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY;
    data.CrtcVsyncWithMultiPlaneOverlay.VidPnTargetId = output;
    data.CrtcVsyncWithMultiPlaneOverlay.MultiPlaneOverlayVsyncInfoCount = count;
    data.CrtcVsyncWithMultiPlaneOverlay.pMultiPlaneOverlayVsyncInfo = planes;
    softgpu_notify(adapter, &data);
}
