/* planes.c: overlay planes, in the form that they have since WDDM 2.1; older ones are in
 * planes_old.c, and use what is here of the device.
 *
 *   CheckMultiPlaneOverlaySupport3    could these be shown? changes nothing (MPO-017)
 *   SetVidPnSourceAddressWithMultiPlaneOverlay3
 *       at device IRQL; the first planes of a source need more of the device than may be done
 *       there: the call comes again at PASSIVE_LEVEL (MPO-007)
 *   vsync                             tells each plane's PresentId (MPO-008)
 *   PostMultiPlaneOverlayPresent      asked for when planes went off (MPO-011)
 *
 * The device latches the planes of one call together (MPO-003) and leaves the others as they are
 * (MPO-001). Plane 0 is on top; it is the primary, which is left when the others go off. */
#include "softgpu.h"

#define STRETCH_MAX 4 /* times as wide and high, or as narrow and low */

/* ---- What can be shown ----------------------------------------------------------------------- */

static LONG width_of(const RECT *rect)
{
    return rect->right - rect->left;
}

static LONG height_of(const RECT *rect)
{
    return rect->bottom - rect->top;
}

static BOOLEAN is_within(LONG from, LONG to)
{
    return from > 0 && to > 0 && to <= STRETCH_MAX * from && from <= STRETCH_MAX * to;
}

static BOOLEAN is_turned(D3DDDI_ROTATION rotation)
{
    return rotation == D3DDDI_ROTATION_90 || rotation == D3DDDI_ROTATION_270;
}

static BOOLEAN is_inside(const RECT *source, const struct softgpu_allocation *allocation)
{
    return source->left >= 0 && source->top >= 0 && source->right <= (LONG)allocation->info.width &&
           source->bottom <= (LONG)allocation->info.height;
}

BOOLEAN softgpu_can_show(const struct softgpu_allocation *allocation,
                         const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *attributes)
{
    const RECT *source = &attributes->SrcRect, *target = &attributes->DstRect;
    LONG width = is_turned(attributes->Rotation) ? height_of(source) : width_of(source);
    LONG height = is_turned(attributes->Rotation) ? width_of(source) : height_of(source);

    return allocation != NULL && is_inside(source, allocation) && target->left >= -32768 &&
           target->top >= -32768 && target->right <= 32767 && target->bottom <= 32767 &&
           is_within(width, width_of(target)) && is_within(height, height_of(target));
}

NTSTATUS NTAPI softgpu_check_planes3(const HANDLE adapter_handle,
                                     DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3 *check)
{
    const struct softgpu_adapter *adapter = adapter_handle;
    UINT i;

    PAGED_CODE();

    check->Supported = FALSE;
    check->ReturnInfo.Value = 0;
    for (i = 0; i < check->PlaneCount; i++) {
        const DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2 *plane = check->ppPlanes[i];

        check->ReturnInfo.FailingPlane = i & 0xF;
        if (plane->VidPnSourceId >= adapter->settings.sources ||
            plane->LayerIndex >= adapter->settings.overlay_planes ||
            !softgpu_can_show(plane->hAllocation, &plane->PlaneAttributes)) {
            return STATUS_SUCCESS; /* the answer is no */
        }
    }
    check->ReturnInfo.Value = 0;
    check->Supported = check->PostCompositionCount == 0; /* the device has no such step */
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI softgpu_get_plane_caps(const HANDLE adapter_handle,
                                      DXGKARG_GETMULTIPLANEOVERLAYCAPS *caps)
{
    const struct softgpu_adapter *adapter = adapter_handle;

    PAGED_CODE();

    if (caps->VidPnSourceId >= adapter->settings.sources) {
        return STATUS_INVALID_PARAMETER;
    }
    caps->MaxPlanes = adapter->settings.overlay_planes;
    caps->MaxRGBPlanes = adapter->settings.overlay_planes;
    caps->MaxYUVPlanes = 0;
    caps->OverlayCaps.Value = 0;
    caps->OverlayCaps.Rotation = 1;
    caps->OverlayCaps.VerticalFlip = 1;
    caps->OverlayCaps.HorizontalFlip = 1;
    caps->OverlayCaps.StretchRGB = 1;
    caps->OverlayCaps.BilinearFilter = 1;
    caps->OverlayCaps.Immediate = adapter->settings.flip_at_once != 0;
    caps->MaxStretchFactor = STRETCH_MAX;
    caps->MaxShrinkFactor = 1.0F / STRETCH_MAX;
    return STATUS_SUCCESS;
}

/* What the planes give together is sent as it is. */
NTSTATUS NTAPI softgpu_get_post_caps(const HANDLE adapter_handle,
                                     DXGKARG_GETPOSTCOMPOSITIONCAPS *caps)
{
    const struct softgpu_adapter *adapter = adapter_handle;

    PAGED_CODE();

    if (caps->VidPnSourceId >= adapter->settings.sources) {
        return STATUS_INVALID_PARAMETER;
    }
    caps->MaxStretchFactor = 1.0F;
    caps->MaxShrinkFactor = 1.0F;
    return STATUS_SUCCESS;
}

/* Before they are shown: what they show must be there (PRES-010). */
NTSTATUS softgpu_validate_planes(const DXGK_PRESENTMULTIPLANEOVERLAYINFO *info)
{
    UINT i;

    for (i = 0; i < info->PlaneListCount; i++) {
        const DXGK_PRESENTMULTIPLANEOVERLAYLIST *plane = &info->pPlaneList[i];

        if (plane->LayerIndex >= softgpu_settings.overlay_planes ||
            (plane->Enabled && plane->hDeviceSpecificAllocation == NULL)) {
            return STATUS_INVALID_HANDLE;
        }
    }
    return STATUS_SUCCESS;
}

/* ---- Flips of planes ------------------------------------------------------------------------- */

static ULONG pack(LONG low, LONG high)
{
    return ((ULONG)low & 0xFFFF) | (ULONG)high << 16;
}

static void write_rect(struct softgpu_adapter *adapter, ULONG reg, const RECT *rect)
{
    softgpu_write(adapter, reg, pack(rect->left, rect->top));
    softgpu_write(adapter, reg + 4, pack(width_of(rect), height_of(rect)));
}

ULONG softgpu_plane_control(const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *attributes)
{
    ULONG control = SOFTGPU_PLANE_ENABLE;

    control |= attributes->Blend.AlphaBlend ? SOFTGPU_PLANE_BLEND : 0;
    control |= attributes->Flags.HorizontalFlip ? SOFTGPU_PLANE_MIRROR_X : 0;
    control |= attributes->Flags.VerticalFlip ? SOFTGPU_PLANE_MIRROR_Y : 0;
    switch (attributes->Rotation) {
    case D3DDDI_ROTATION_90:
        return control | SOFTGPU_PLANE_TURN(1);
    case D3DDDI_ROTATION_180:
        return control | SOFTGPU_PLANE_TURN(2);
    case D3DDDI_ROTATION_270:
        return control | SOFTGPU_PLANE_TURN(3);
    default:
        return control;
    }
}

/* The part of a rectangle that coordinates of 16 bits can say. */
static RECT narrowed(const RECT *rect)
{
    RECT part = *rect;

    part.left = part.left < -32768 ? -32768 : part.left;
    part.top = part.top < -32768 ? -32768 : part.top;
    part.right = part.right > 32767 ? 32767 : part.right;
    part.bottom = part.bottom > 32767 ? 32767 : part.bottom;
    return part;
}

/* A monitor in stereo is sent both images of a primary that has two, any other one of them. A GPU
 * address is an address in a segment: it is used as it is. */
static void stage_images(const struct softgpu_planes *planes, ULONG output,
                         const struct softgpu_plane *plane)
{
    struct softgpu_adapter *adapter = planes->adapter;
    ULONG base = SOFTGPU_PLANE_REG(output, plane->layer, 0);
    BOOLEAN both = adapter->output[output].stereo;
    ULONG skipped = !both && planes->prefer_right ? plane->right_offset : 0;

    softgpu_write_pair(adapter, base + SOFTGPU_PLANE_SURFACE, plane->address + skipped);
    if (both) {
        softgpu_write(adapter, base + SOFTGPU_PLANE_RIGHT_OFFSET, plane->right_offset);
    }
}

static void stage(const struct softgpu_planes *planes, ULONG output,
                  const struct softgpu_plane *plane)
{
    struct softgpu_adapter *adapter = planes->adapter;
    ULONG base = SOFTGPU_PLANE_REG(output, plane->layer, 0);
    RECT clip;

    softgpu_write_pair(adapter, base + SOFTGPU_PLANE_TAG, plane->tag);
    if (!plane->on) {
        softgpu_write(adapter, base + SOFTGPU_PLANE_CONTROL, 0);
        return;
    }
    clip = narrowed(&plane->attributes->ClipRect);
    stage_images(planes, output, plane);
    softgpu_write(adapter, base + SOFTGPU_PLANE_PITCH, plane->allocation->info.pitch_bytes);
    softgpu_write(adapter, base + SOFTGPU_PLANE_FORMAT, plane->allocation->info.format);
    write_rect(adapter, base + SOFTGPU_PLANE_SOURCE_POSITION, &plane->attributes->SrcRect);
    write_rect(adapter, base + SOFTGPU_PLANE_TARGET_POSITION, &plane->attributes->DstRect);
    write_rect(adapter, base + SOFTGPU_PLANE_CLIP_POSITION, &clip);
    softgpu_write(adapter, base + SOFTGPU_PLANE_CONTROL, softgpu_plane_control(plane->attributes));
}

/* What is left when the planes go off. */
static void remember(const struct softgpu_planes *planes, const struct softgpu_plane *plane)
{
    struct softgpu_source *source = &planes->adapter->source[planes->source];
    ULONG bit = 1u << plane->layer;

    if (!plane->on) {
        source->tidy |= (source->planes & bit) != 0;
        source->planes &= ~bit;
        return;
    }
    source->planes |= bit;
    if (plane->layer == 0) {
        source->address = plane->address;
        source->right_offset = plane->right_offset;
        source->prefer_right = planes->prefer_right;
        source->pitch_bytes = plane->allocation->info.pitch_bytes;
        source->format = plane->allocation->info.format;
    }
}

static void commit(const struct softgpu_planes *planes, ULONG output, ULONG what)
{
    struct softgpu_adapter *adapter = planes->adapter;

    if (!adapter->settings.flip_queue) {
        softgpu_write(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_PLANES_COMMIT), what);
        return;
    }
    softgpu_write_pair(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_QUEUE_TIME),
                       softgpu_flip_time(adapter, planes->target));
    softgpu_write(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_QUEUE_COMMIT), what);
}

BOOLEAN NTAPI softgpu_planes_show(PVOID argument)
{
    const struct softgpu_planes *planes = argument;
    struct softgpu_adapter *adapter = planes->adapter;
    struct softgpu_source *source = &adapter->source[planes->source];
    ULONG when = planes->immediate ? SOFTGPU_FLIP_IMMEDIATE : SOFTGPU_FLIP_VSYNC;
    ULONG mask = 0, i, output;

    softgpu_flips_given(source, planes);
    for (i = 0; i < planes->count; i++) {
        mask |= 1u << planes->plane[i].layer;
        remember(planes, &planes->plane[i]);
    }
    source->layered = TRUE;
    for (output = 0; output < adapter->output_count; output++) {
        if (adapter->output[output].source != planes->source) {
            continue;
        }
        for (i = 0; i < planes->count; i++) {
            stage(planes, output, &planes->plane[i]);
        }
        commit(planes, output, SOFTGPU_PLANES(mask, when));
        softgpu_output_control(adapter, output);
        /* Clones: one vsync is waited for (FLIP-012). What is queued waits on each output. */
        when = adapter->settings.flip_queue ? when : SOFTGPU_FLIP_IMMEDIATE;
    }
    return TRUE;
}

BOOLEAN softgpu_planes_possible(const struct softgpu_planes *planes)
{
    ULONG i;

    for (i = 0; i < planes->count; i++) {
        const struct softgpu_plane *plane = &planes->plane[i];

        if (plane->layer >= planes->adapter->settings.overlay_planes ||
            (plane->on && !softgpu_can_show(plane->allocation, plane->attributes))) {
            return FALSE;
        }
    }
    return planes->source < planes->adapter->settings.sources;
}

/* FALSE: more planes than there are. */
static BOOLEAN take(struct softgpu_planes *planes,
                    const DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 *arguments)
{
    ULONG i;

    if (arguments->PlaneCount > SOFTGPU_PLANE_MAX) {
        return FALSE;
    }
    planes->source = arguments->VidPnSourceId;
    planes->count = arguments->PlaneCount;
    planes->immediate = TRUE;
    planes->prefer_right = arguments->InputFlags.FlipStereoPreferRight;
    planes->target = 0;
    for (i = 0; i < planes->count; i++) {
        DXGK_MULTIPLANE_OVERLAY_PLANE3 *plane = arguments->ppPlanes[i];
        struct softgpu_plane *out = &planes->plane[i];

        plane->OutputFlags.Value = 0;
        planes->immediate = planes->immediate && plane->InputFlags.FlipImmediate;
        out->layer = plane->LayerIndex;
        out->on = plane->InputFlags.Enabled;
        out->tag = plane->PresentId;
        out->allocation = NULL;
        out->right_offset = 0;
        if (out->on && plane->ContextCount != 0) {
            out->allocation = plane->ppContextData[0]->hAllocation;
            out->right_offset = arguments->InputFlags.FlipStereo && out->allocation != NULL
                                    ? softgpu_umd_right_offset(&out->allocation->info)
                                    : 0;
            out->address = (ULONGLONG)plane->ppContextData[0]->SegmentAddress.QuadPart;
            out->attributes = &plane->PlaneAttributes;
        }
    }
    return TRUE;
}

/* At device IRQL, or at PASSIVE_LEVEL when that was asked for. Nonpaged code and data only. */
NTSTATUS NTAPI softgpu_set_planes3(const HANDLE adapter_handle,
                                   DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 *arguments)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_planes planes;

    planes.adapter = adapter;
    arguments->OutputFlags.Value = 0;
    if (!take(&planes, arguments) || !softgpu_planes_possible(&planes)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (adapter->settings.flip_queue) { /* else the structure may end before it */
        planes.target = arguments->TargetFlipTime;
        if (!softgpu_flips_may_queue(&planes)) {
            arguments->OutputFlags.HwFlipQueueDrainNeeded = 1;
            return STATUS_RETRY;
        }
    }
    if (KeGetCurrentIrql() <= DISPATCH_LEVEL) {
        softgpu_synchronize(adapter, softgpu_planes_show, &planes);
        return STATUS_SUCCESS;
    }
    if (!adapter->source[arguments->VidPnSourceId].layered) {
        /* Fetching for several planes takes clocks that are raised elsewhere. */
        arguments->OutputFlags.PrePresentNeeded = 1;
        return STATUS_RETRY;
    }
    (void)softgpu_planes_show(&planes);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI softgpu_post_planes(const HANDLE adapter_handle,
                                   const DXGKARG_POSTMULTIPLANEOVERLAYPRESENT *post)
{
    UNREFERENCED_PARAMETER(adapter_handle);
    UNREFERENCED_PARAMETER(post);
    PAGED_CODE();

    return STATUS_SUCCESS; /* where a device with clocks would lower them */
}

/* ---- Vsync ----------------------------------------------------------------------------------- */

BOOLEAN softgpu_report_planes(struct softgpu_adapter *adapter, ULONG output)
{
    ULONG index = adapter->output[output].source;
    struct softgpu_source *source = &adapter->source[index < SOFTGPU_OUTPUT_MAX ? index : 0];
    DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2 planes[SOFTGPU_PLANE_MAX];
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
    ULONG i, count = 0;

    if (index >= adapter->settings.sources || !source->layered) {
        return FALSE;
    }
    if (adapter->settings.wddm_version < SOFTGPU_PLANES_OLD) {
        softgpu_report_old_planes(adapter, output, index);
        return TRUE;
    }
    if (adapter->settings.flip_queue) {
        softgpu_report_flips(adapter, output, index);
        return TRUE;
    }
    RtlZeroMemory(planes, sizeof(planes));
    for (i = 0; i < adapter->settings.overlay_planes; i++) {
        ULONG reg = SOFTGPU_PLANE_REG(output, i, SOFTGPU_PLANE_CURRENT_TAG);
        ULONGLONG tag = softgpu_read_pair(adapter, reg);

        if (tag != 0) { /* else it was never given anything */
            planes[count].LayerIndex = i;
            planes[count].PresentId = tag;
            planes[count].Flags.PostPresentNeeded = source->tidy && !(source->planes & 1u << i);
            source->tidy = source->tidy && !planes[count].Flags.PostPresentNeeded;
            count++;
        }
    }
    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2;
    data.CrtcVsyncWithMultiPlaneOverlay2.VidPnTargetId = output;
    data.CrtcVsyncWithMultiPlaneOverlay2.MultiPlaneOverlayVsyncInfoCount = count;
    data.CrtcVsyncWithMultiPlaneOverlay2.pMultiPlaneOverlayVsyncInfo = planes;
    softgpu_notify(adapter, &data);
    return TRUE;
}
