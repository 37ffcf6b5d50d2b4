/* vidpn.c: video present networks: which source is shown on which target, in which modes.
 *
 *   VidPN: sources ──paths──> targets; a set of modes at each end; at most one of a set "pinned"
 *
 * dxgkrnl proposes a topology and pins modes one after the other. After each step
 * EnumVidPnCofuncModality fills the sets that have no pinned mode with what still goes together;
 * IsSupportedVidPn judges; CommitVidPn makes it real. What goes together here is simple: any
 * source on any target, with the same size at both ends, or scaled (scale.c), and a picture that is
 * cloned on each of its targets. */
#include "softgpu.h"

static const D3DDDIFORMAT primary_formats[] = {D3DDDIFMT_A8R8G8B8, D3DDDIFMT_X8R8G8B8};

struct vidpn {
    struct softgpu_adapter *adapter;
    D3DKMDT_HVIDPN handle;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    const DXGK_VIDPNTOPOLOGY_INTERFACE *topology_interface;
};

static NTSTATUS open_vidpn(struct softgpu_adapter *adapter, D3DKMDT_HVIDPN handle,
                           struct vidpn *vidpn)
{
    NTSTATUS status;

    RtlZeroMemory(vidpn, sizeof(*vidpn));
    vidpn->adapter = adapter;
    vidpn->handle = handle;
    status = adapter->dxgk.DxgkCbQueryVidPnInterface(handle, DXGK_VIDPN_INTERFACE_VERSION_V1,
                                                     &vidpn->interface);
    if (NT_SUCCESS(status)) {
        status =
            vidpn->interface->pfnGetTopology(handle, &vidpn->topology, &vidpn->topology_interface);
    }
    return status;
}

/* Calls a function for each path until one fails. */
static NTSTATUS for_each_path(const struct vidpn *vidpn,
                              NTSTATUS (*call)(const struct vidpn *vidpn,
                                               const D3DKMDT_VIDPN_PRESENT_PATH *path,
                                               void *argument),
                              void *argument)
{
    const DXGK_VIDPNTOPOLOGY_INTERFACE *topology = vidpn->topology_interface;
    const D3DKMDT_VIDPN_PRESENT_PATH *path, *next;
    NTSTATUS status, step;

    step = topology->pfnAcquireFirstPathInfo(vidpn->topology, &path);
    if (step == STATUS_GRAPHICS_DATASET_IS_EMPTY) {
        return STATUS_SUCCESS;
    }
    if (!NT_SUCCESS(step)) {
        return step;
    }
    for (;;) {
        status = call(vidpn, path, argument);
        if (!NT_SUCCESS(status)) {
            (void)topology->pfnReleasePathInfo(vidpn->topology, path);
            return status;
        }
        step = topology->pfnAcquireNextPathInfo(vidpn->topology, path, &next);
        (void)topology->pfnReleasePathInfo(vidpn->topology, path);
        if (step != STATUS_SUCCESS) {
            /* The end of the list is not an error. */
            return step == STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET ? STATUS_SUCCESS : step;
        }
        path = next;
    }
}

static ULONG paths_of_source(const struct vidpn *vidpn, ULONG source)
{
    SIZE_T count = 0;

    if (!NT_SUCCESS(
            vidpn->topology_interface->pfnGetNumPathsFromSource(vidpn->topology, source, &count))) {
        return 0;
    }
    return (ULONG)count;
}

/* ---- Pinned modes ---------------------------------------------------------------------------- */

static BOOLEAN pinned_source_mode(const struct vidpn *vidpn, ULONG source,
                                  D3DKMDT_VIDPN_SOURCE_MODE *mode)
{
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *interface;
    const D3DKMDT_VIDPN_SOURCE_MODE *pinned = NULL;
    D3DKMDT_HVIDPNSOURCEMODESET set;
    NTSTATUS status;

    if (!NT_SUCCESS(
            vidpn->interface->pfnAcquireSourceModeSet(vidpn->handle, source, &set, &interface))) {
        return FALSE;
    }
    status = interface->pfnAcquirePinnedModeInfo(set, &pinned);
    if (status == STATUS_SUCCESS && pinned != NULL) {
        *mode = *pinned;
        (void)interface->pfnReleaseModeInfo(set, pinned);
    } else {
        pinned = NULL;
    }
    (void)vidpn->interface->pfnReleaseSourceModeSet(vidpn->handle, set);
    return pinned != NULL;
}

static BOOLEAN pinned_target_mode(const struct vidpn *vidpn, ULONG target,
                                  D3DKMDT_VIDPN_TARGET_MODE *mode)
{
    const DXGK_VIDPNTARGETMODESET_INTERFACE *interface;
    const D3DKMDT_VIDPN_TARGET_MODE *pinned = NULL;
    D3DKMDT_HVIDPNTARGETMODESET set;
    NTSTATUS status;

    if (!NT_SUCCESS(
            vidpn->interface->pfnAcquireTargetModeSet(vidpn->handle, target, &set, &interface))) {
        return FALSE;
    }
    status = interface->pfnAcquirePinnedModeInfo(set, &pinned);
    if (status == STATUS_SUCCESS && pinned != NULL) {
        *mode = *pinned;
        (void)interface->pfnReleaseModeInfo(set, pinned);
    } else {
        pinned = NULL;
    }
    (void)vidpn->interface->pfnReleaseTargetModeSet(vidpn->handle, set);
    return pinned != NULL;
}

static const struct softgpu_mode *find_mode(ULONG width, ULONG height)
{
    ULONG i;

    for (i = 0; i < softgpu_mode_count; i++) {
        if (softgpu_modes[i].width == width && softgpu_modes[i].height == height) {
            return &softgpu_modes[i];
        }
    }
    return NULL;
}

/* ---- Writing modes --------------------------------------------------------------------------- */

static void fill_in_signal(const struct softgpu_mode *mode, D3DKMDT_VIDEO_SIGNAL_INFO *signal)
{
    signal->VideoStandard = D3DKMDT_VSS_OTHER;
    signal->TotalSize.cx = mode->total_width;
    signal->TotalSize.cy = mode->total_height;
    signal->ActiveSize.cx = mode->width;
    signal->ActiveSize.cy = mode->height;
    signal->VSyncFreq.Numerator = mode->refresh_hz;
    signal->VSyncFreq.Denominator = 1;
    signal->HSyncFreq.Numerator = mode->refresh_hz * mode->total_height;
    signal->HSyncFreq.Denominator = 1;
    signal->PixelRate = (SIZE_T)mode->refresh_hz * mode->total_width * mode->total_height;
    signal->ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
}

static void describe_indices(D3DKMDT_VIDPN_SOURCE_MODE *info)
{
    D3DKMDT_GRAPHICS_RENDERING_FORMAT *format = &info->Format.Graphics;

    if (format->PixelFormat == D3DDDIFMT_P8) {
        format->Stride = format->PrimSurfSize.cx;
        format->PixelValueAccessMode = D3DKMDT_PVAM_SETTABLEPALETTE;
    }
}

static NTSTATUS add_source_mode(const DXGK_VIDPNSOURCEMODESET_INTERFACE *interface,
                                D3DKMDT_HVIDPNSOURCEMODESET set, const struct softgpu_mode *mode,
                                D3DKMDT_VIDPN_SOURCE_MODE_TYPE type, D3DDDIFORMAT format)
{
    D3DKMDT_VIDPN_SOURCE_MODE *info;
    NTSTATUS status = interface->pfnCreateNewModeInfo(set, &info);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    info->Type = type;
    info->Format.Graphics.PrimSurfSize.cx = mode->width;
    info->Format.Graphics.PrimSurfSize.cy = mode->height;
    info->Format.Graphics.VisibleRegionSize = info->Format.Graphics.PrimSurfSize;
    info->Format.Graphics.Stride = mode->width * 4;
    info->Format.Graphics.PixelFormat = format;
    info->Format.Graphics.ColorBasis = D3DKMDT_CB_SRGB;
    info->Format.Graphics.PixelValueAccessMode = D3DKMDT_PVAM_DIRECT;
    describe_indices(info);
    status = interface->pfnAddMode(set, info);
    if (!NT_SUCCESS(status)) {
        (void)interface->pfnReleaseModeInfo(set, info); /* it is ours until it is added */
    }
    return status == STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET ? STATUS_SUCCESS : status;
}

static NTSTATUS add_target_mode(const DXGK_VIDPNTARGETMODESET_INTERFACE *interface,
                                D3DKMDT_HVIDPNTARGETMODESET set, const struct softgpu_mode *mode,
                                BOOLEAN preferred)
{
    D3DKMDT_VIDPN_TARGET_MODE *info;
    NTSTATUS status = interface->pfnCreateNewModeInfo(set, &info);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    fill_in_signal(mode, &info->VideoSignalInfo);
    info->Preference = preferred ? D3DKMDT_MP_PREFERRED : D3DKMDT_MP_NOTPREFERRED;
    status = interface->pfnAddMode(set, info);
    if (!NT_SUCCESS(status)) {
        (void)interface->pfnReleaseModeInfo(set, info);
    }
    return status == STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET ? STATUS_SUCCESS : status;
}

/* ---- Stereo ---------------------------------------------------------------------------------- */

struct stereo_search {
    ULONG source;
    BOOLEAN found;
};

static NTSTATUS find_stereo(const struct vidpn *vidpn, const D3DKMDT_VIDPN_PRESENT_PATH *path,
                            void *argument)
{
    struct stereo_search *search = argument;

    if (path->VidPnSourceId == search->source &&
        path->VidPnTargetId < vidpn->adapter->output_count) {
        search->found |= softgpu_monitor_has_stereo(vidpn->adapter, path->VidPnTargetId);
    }
    return STATUS_SUCCESS;
}

/* D3DKMDT_RMT_UNINITIALIZED: no monitor of the source shows stereo. Others of it show one image. */
static D3DKMDT_VIDPN_SOURCE_MODE_TYPE stereo_type(const struct vidpn *vidpn, ULONG source)
{
    struct stereo_search search = {source, FALSE};

    if (vidpn->adapter->settings.stereo == 0 ||
        !NT_SUCCESS(for_each_path(vidpn, find_stereo, &search)) || !search.found) {
        return D3DKMDT_RMT_UNINITIALIZED;
    }
    return vidpn->adapter->settings.stereo == 1 ? D3DKMDT_RMT_GRAPHICS_STEREO
                                                : D3DKMDT_RMT_GRAPHICS_STEREO_ADVANCED_SCAN;
}

static NTSTATUS add_source_modes(const struct vidpn *vidpn,
                                 const DXGK_VIDPNSOURCEMODESET_INTERFACE *interface,
                                 D3DKMDT_HVIDPNSOURCEMODESET set, const struct softgpu_mode *mode,
                                 D3DKMDT_VIDPN_SOURCE_MODE_TYPE stereo)
{
    NTSTATUS status = STATUS_SUCCESS;
    ULONG format;

    for (format = 0; NT_SUCCESS(status) && format < RTL_NUMBER_OF(primary_formats); format++) {
        status =
            add_source_mode(interface, set, mode, D3DKMDT_RMT_GRAPHICS, primary_formats[format]);
    }
    if (NT_SUCCESS(status) && vidpn->adapter->settings.palette) {
        status = add_source_mode(interface, set, mode, D3DKMDT_RMT_GRAPHICS, D3DDDIFMT_P8);
    }
    if (NT_SUCCESS(status) && stereo != D3DKMDT_RMT_UNINITIALIZED) {
        status = add_source_mode(interface, set, mode, stereo, D3DDDIFMT_X8R8G8B8);
    }
    return status;
}

/* ---- Sets ------------------------------------------------------------------------------------ */

static BOOLEAN goes_together(const struct vidpn *vidpn, const D3DKMDT_VIDPN_PRESENT_PATH *path,
                             const struct softgpu_mode *source, const struct softgpu_mode *target)
{
    struct softgpu_scale scale = {.scaling = path->ContentTransformation.Scaling};

    scale.source = (struct softgpu_size){source->width, source->height};
    scale.target = (struct softgpu_size){target->width, target->height};
    return softgpu_can_scale(&vidpn->adapter->settings, &scale);
}

struct sharing {
    ULONG source;
    ULONG modes; /* bits: numbers of those that it can be in on all of its paths */
};

static NTSTATUS share(const struct vidpn *vidpn, const D3DKMDT_VIDPN_PRESENT_PATH *path,
                      void *argument)
{
    struct sharing *sharing = argument;
    D3DKMDT_VIDPN_TARGET_MODE target;
    const struct softgpu_mode *mode;
    ULONG i;

    if (path->VidPnSourceId == sharing->source &&
        pinned_target_mode(vidpn, path->VidPnTargetId, &target)) {
        mode =
            find_mode(target.VideoSignalInfo.ActiveSize.cx, target.VideoSignalInfo.ActiveSize.cy);
        for (i = 0; i < softgpu_mode_count; i++) {
            if (mode == NULL || !goes_together(vidpn, path, &softgpu_modes[i], mode)) {
                sharing->modes &= ~(1u << i);
            }
        }
    }
    return STATUS_SUCCESS;
}

/* A new set replaces the one that is there. `pinned`: they go with it; NULL: all. */
static NTSTATUS replace_source_set(const struct vidpn *vidpn,
                                   const D3DKMDT_VIDPN_PRESENT_PATH *path,
                                   const struct softgpu_mode *pinned)
{
    ULONG source = path->VidPnSourceId;
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *interface;
    D3DKMDT_VIDPN_SOURCE_MODE_TYPE stereo = stereo_type(vidpn, source);
    struct sharing sharing = {source, ~0u};
    D3DKMDT_HVIDPNSOURCEMODESET set;
    NTSTATUS status = pinned == NULL ? STATUS_SUCCESS : for_each_path(vidpn, share, &sharing);
    ULONG i;

    if (NT_SUCCESS(status)) {
        status =
            vidpn->interface->pfnCreateNewSourceModeSet(vidpn->handle, source, &set, &interface);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    for (i = 0; NT_SUCCESS(status) && i < softgpu_mode_count; i++) {
        if (sharing.modes & 1u << i) {
            status = add_source_modes(vidpn, interface, set, &softgpu_modes[i], stereo);
        }
    }
    if (NT_SUCCESS(status)) {
        status = vidpn->interface->pfnAssignSourceModeSet(vidpn->handle, source, set);
    }
    if (!NT_SUCCESS(status)) {
        (void)vidpn->interface->pfnReleaseSourceModeSet(vidpn->handle, set);
    }
    return status;
}

static NTSTATUS replace_target_set(const struct vidpn *vidpn,
                                   const D3DKMDT_VIDPN_PRESENT_PATH *path,
                                   const struct softgpu_mode *pinned)
{
    ULONG target = path->VidPnTargetId;
    const DXGK_VIDPNTARGETMODESET_INTERFACE *interface;
    D3DKMDT_HVIDPNTARGETMODESET set;
    NTSTATUS status;
    ULONG i;

    status = vidpn->interface->pfnCreateNewTargetModeSet(vidpn->handle, target, &set, &interface);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    for (i = 0; NT_SUCCESS(status) && i < softgpu_mode_count; i++) {
        if (pinned == NULL || goes_together(vidpn, path, pinned, &softgpu_modes[i])) {
            status = add_target_mode(interface, set, &softgpu_modes[i],
                                     softgpu_is_native(vidpn->adapter, target, &softgpu_modes[i]));
        }
    }
    if (NT_SUCCESS(status)) {
        status = vidpn->interface->pfnAssignTargetModeSet(vidpn->handle, target, set);
    }
    if (!NT_SUCCESS(status)) {
        (void)vidpn->interface->pfnReleaseTargetModeSet(vidpn->handle, set);
    }
    return status;
}

/* ---- Cofunctional modes ---------------------------------------------------------------------- */

/* What is pinned anywhere around a source decides what goes with it. */
struct constraint {
    ULONG source;
    const struct softgpu_mode *mode; /* NULL: nothing is pinned */
};

static NTSTATUS find_constraint(const struct vidpn *vidpn, const D3DKMDT_VIDPN_PRESENT_PATH *path,
                                void *argument)
{
    struct constraint *constraint = argument;
    D3DKMDT_VIDPN_SOURCE_MODE source;
    D3DKMDT_VIDPN_TARGET_MODE target;

    if (path->VidPnSourceId != constraint->source || constraint->mode != NULL) {
        return STATUS_SUCCESS;
    }
    if (pinned_source_mode(vidpn, path->VidPnSourceId, &source)) {
        constraint->mode = find_mode(source.Format.Graphics.PrimSurfSize.cx,
                                     source.Format.Graphics.PrimSurfSize.cy);
    } else if (pinned_target_mode(vidpn, path->VidPnTargetId, &target)) {
        constraint->mode =
            find_mode(target.VideoSignalInfo.ActiveSize.cx, target.VideoSignalInfo.ActiveSize.cy);
    }
    return STATUS_SUCCESS;
}

/* Sizes that are not pinned stay open. */
static struct softgpu_scale scale_of_pinned(const struct vidpn *vidpn,
                                            const D3DKMDT_VIDPN_PRESENT_PATH *path)
{
    struct softgpu_scale scale = {.scaling = path->ContentTransformation.Scaling};
    D3DKMDT_VIDPN_SOURCE_MODE source;
    D3DKMDT_VIDPN_TARGET_MODE target;

    if (pinned_source_mode(vidpn, path->VidPnSourceId, &source)) {
        scale.source.width = source.Format.Graphics.PrimSurfSize.cx;
        scale.source.height = source.Format.Graphics.PrimSurfSize.cy;
    }
    if (pinned_target_mode(vidpn, path->VidPnTargetId, &target)) {
        scale.target.width = target.VideoSignalInfo.ActiveSize.cx;
        scale.target.height = target.VideoSignalInfo.ActiveSize.cy;
    }
    return scale;
}

static NTSTATUS offer_support(const struct vidpn *vidpn, const D3DKMDT_VIDPN_PRESENT_PATH *path,
                              const DXGKARG_ENUMVIDPNCOFUNCMODALITY *enumeration)
{
    BOOLEAN pivot = enumeration->EnumPivot.VidPnSourceId == path->VidPnSourceId &&
                    enumeration->EnumPivot.VidPnTargetId == path->VidPnTargetId;
    D3DKMDT_VIDPN_PRESENT_PATH changed = *path;
    D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION *content = &changed.ContentTransformation;
    /* A clone is one picture on several targets: it cannot be turned for one of them (PRES-042),
     * so turning is offered to single paths only. */
    BOOLEAN single = paths_of_source(vidpn, path->VidPnSourceId) == 1;

    if (!(pivot && enumeration->EnumPivotType == D3DKMDT_EPT_SCALING) &&
        path->ContentTransformation.Scaling == D3DKMDT_VPPS_UNPINNED) {
        struct softgpu_scale scale = scale_of_pinned(vidpn, path);

        softgpu_tell_scaling(&vidpn->adapter->settings, &scale, &content->ScalingSupport);
    }
    if (!(pivot && enumeration->EnumPivotType == D3DKMDT_EPT_ROTATION) &&
        path->ContentTransformation.Rotation == D3DKMDT_VPPR_UNPINNED) {
        RtlZeroMemory(&content->RotationSupport, sizeof(content->RotationSupport));
        content->RotationSupport.Identity = 1;
        content->RotationSupport.Rotate90 = single;
        content->RotationSupport.Rotate180 = single;
        content->RotationSupport.Rotate270 = single;
    }
    return vidpn->topology_interface->pfnUpdatePathSupportInfo(vidpn->topology, &changed);
}

static NTSTATUS make_cofunctional(const struct vidpn *vidpn, const D3DKMDT_VIDPN_PRESENT_PATH *path,
                                  void *argument)
{
    const DXGKARG_ENUMVIDPNCOFUNCMODALITY *enumeration = argument;
    struct constraint constraint = {path->VidPnSourceId, NULL};
    D3DKMDT_VIDPN_SOURCE_MODE source;
    D3DKMDT_VIDPN_TARGET_MODE target;
    NTSTATUS status;

    if (path->VidPnSourceId >= vidpn->adapter->settings.sources ||
        path->VidPnTargetId >= vidpn->adapter->output_count) {
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    status = for_each_path(vidpn, find_constraint, &constraint);

    /* The pivot's set and sets with a pinned mode stay as they are. */
    if (NT_SUCCESS(status) && !pinned_source_mode(vidpn, path->VidPnSourceId, &source) &&
        !(enumeration->EnumPivotType == D3DKMDT_EPT_VIDPNSOURCE &&
          enumeration->EnumPivot.VidPnSourceId == path->VidPnSourceId)) {
        status = replace_source_set(vidpn, path, constraint.mode);
    }
    if (NT_SUCCESS(status) && !pinned_target_mode(vidpn, path->VidPnTargetId, &target) &&
        !(enumeration->EnumPivotType == D3DKMDT_EPT_VIDPNTARGET &&
          enumeration->EnumPivot.VidPnTargetId == path->VidPnTargetId)) {
        status = replace_target_set(vidpn, path, constraint.mode);
    }
    return NT_SUCCESS(status) ? offer_support(vidpn, path, enumeration) : status;
}

NTSTATUS NTAPI softgpu_enum_vidpn_cofunc_modality(
    const HANDLE adapter_handle, const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const enumeration)
{
    struct vidpn vidpn;
    NTSTATUS status;

    PAGED_CODE();

    status = open_vidpn(adapter_handle, enumeration->hConstrainingVidPn, &vidpn);
    return NT_SUCCESS(status) ? for_each_path(&vidpn, make_cofunctional, (void *)enumeration)
                              : status;
}

/* ---- IsSupportedVidPn ------------------------------------------------------------------------ */

static BOOLEAN is_source_supported(const struct vidpn *vidpn, ULONG id,
                                   const D3DKMDT_VIDPN_SOURCE_MODE *source)
{
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT *format = &source->Format.Graphics;
    BOOLEAN indices = format->PixelFormat == D3DDDIFMT_P8;

    if (indices && (!vidpn->adapter->settings.palette || source->Type != D3DKMDT_RMT_GRAPHICS)) {
        return FALSE;
    }
    return (source->Type == D3DKMDT_RMT_GRAPHICS || source->Type == stereo_type(vidpn, id)) &&
           softgpu_format_from_d3d(format->PixelFormat) != 0 &&
           find_mode(format->PrimSurfSize.cx, format->PrimSurfSize.cy) != NULL;
}

static BOOLEAN is_rotation_supported(const struct vidpn *vidpn,
                                     const D3DKMDT_VIDPN_PRESENT_PATH *path)
{
    switch (path->ContentTransformation.Rotation) {
    case D3DKMDT_VPPR_IDENTITY:
    case D3DKMDT_VPPR_UNPINNED:
    case D3DKMDT_VPPR_NOTSPECIFIED:
    case D3DKMDT_VPPR_UNINITIALIZED:
        return TRUE;
    case D3DKMDT_VPPR_ROTATE90:
    case D3DKMDT_VPPR_ROTATE180:
    case D3DKMDT_VPPR_ROTATE270:
        return paths_of_source(vidpn, path->VidPnSourceId) == 1;
    default:
        return FALSE;
    }
}

static NTSTATUS judge_path(const struct vidpn *vidpn, const D3DKMDT_VIDPN_PRESENT_PATH *path,
                           void *argument)
{
    BOOLEAN *supported = argument;
    D3DKMDT_VIDPN_SOURCE_MODE source;
    D3DKMDT_VIDPN_TARGET_MODE target;
    BOOLEAN has_source, has_target;
    struct softgpu_scale scale;

    if (path->VidPnSourceId >= vidpn->adapter->settings.sources ||
        path->VidPnTargetId >= vidpn->adapter->output_count ||
        !is_rotation_supported(vidpn, path)) {
        *supported = FALSE;
        return STATUS_SUCCESS;
    }
    has_source = pinned_source_mode(vidpn, path->VidPnSourceId, &source);
    has_target = pinned_target_mode(vidpn, path->VidPnTargetId, &target);
    if (has_source && !is_source_supported(vidpn, path->VidPnSourceId, &source)) {
        *supported = FALSE;
    }
    if (has_target && find_mode(target.VideoSignalInfo.ActiveSize.cx,
                                target.VideoSignalInfo.ActiveSize.cy) == NULL) {
        *supported = FALSE;
    }
    scale = scale_of_pinned(vidpn, path);
    if (!softgpu_can_scale(&vidpn->adapter->settings, &scale)) {
        *supported = FALSE;
    }
    return STATUS_SUCCESS;
}

/* "Not supported" is an answer, not an error. */
NTSTATUS NTAPI softgpu_is_supported_vidpn(const HANDLE adapter_handle,
                                          DXGKARG_ISSUPPORTEDVIDPN *question)
{
    BOOLEAN supported = TRUE;
    struct vidpn vidpn;
    NTSTATUS status;

    PAGED_CODE();

    if (question->hDesiredVidPn == NULL) {
        question->IsVidPnSupported = TRUE; /* nothing is shown anywhere: always possible */
        return STATUS_SUCCESS;
    }
    question->IsVidPnSupported = FALSE;
    status = open_vidpn(adapter_handle, question->hDesiredVidPn, &vidpn);
    if (NT_SUCCESS(status)) {
        status = for_each_path(&vidpn, judge_path, &supported);
    }
    if (NT_SUCCESS(status)) {
        question->IsVidPnSupported = supported;
    }
    return status;
}

/* ---- Monitors -------------------------------------------------------------------------------- */

/* Adds what the output can do to what the monitor's EDID says. */
NTSTATUS NTAPI softgpu_recommend_monitor_modes(const HANDLE adapter_handle,
                                               const DXGKARG_RECOMMENDMONITORMODES *const arguments)
{
    const struct softgpu_adapter *adapter = adapter_handle;
    const DXGK_MONITORSOURCEMODESET_INTERFACE *interface =
        arguments->pMonitorSourceModeSetInterface;
    D3DKMDT_MONITOR_SOURCE_MODE *mode;
    NTSTATUS status;
    ULONG i;

    PAGED_CODE();

    for (i = 0; i < softgpu_mode_count; i++) {
        status = interface->pfnCreateNewModeInfo(arguments->hMonitorSourceModeSet, &mode);
        if (!NT_SUCCESS(status)) {
            return status;
        }
        fill_in_signal(&softgpu_modes[i], &mode->VideoSignalInfo);
        mode->ColorBasis = D3DKMDT_CB_SRGB;
        mode->ColorCoeffDynamicRanges.FirstChannel = 8;
        mode->ColorCoeffDynamicRanges.SecondChannel = 8;
        mode->ColorCoeffDynamicRanges.ThirdChannel = 8;
        mode->ColorCoeffDynamicRanges.FourthChannel = 0;
        mode->Origin = D3DKMDT_MCO_DRIVER;
        mode->Preference =
            softgpu_is_native(adapter, arguments->VideoPresentTargetId, &softgpu_modes[i])
                ? D3DKMDT_MP_PREFERRED
                : D3DKMDT_MP_NOTPREFERRED;
        status = interface->pfnAddMode(arguments->hMonitorSourceModeSet, mode);
        if (!NT_SUCCESS(status)) {
            (void)interface->pfnReleaseModeInfo(arguments->hMonitorSourceModeSet, mode);
            if (status != STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET) {
                return status;
            }
        }
    }
    return STATUS_SUCCESS;
}

/* ---- Commit ---------------------------------------------------------------------------------- */

/* Built in full before anything changes, then taken over at once. */
struct commit {
    struct softgpu_adapter *adapter;
    ULONG affected; /* a source, or D3DDDI_ID_ALL */
    struct softgpu_source source[SOFTGPU_OUTPUT_MAX];
    struct softgpu_output output[SOFTGPU_OUTPUT_MAX];
};

static BOOLEAN is_affected(const struct commit *commit, ULONG source)
{
    return commit->affected == D3DDDI_ID_ALL || commit->affected == source;
}

/* A path's angle is counter-clockwise; the device turns clockwise. */
static ULONG quarter_turns_of(D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation)
{
    switch (rotation) {
    case D3DKMDT_VPPR_ROTATE90:
        return 3;
    case D3DKMDT_VPPR_ROTATE180:
        return 2;
    case D3DKMDT_VPPR_ROTATE270:
        return 1;
    default:
        return 0;
    }
}

static NTSTATUS commit_path(const struct vidpn *vidpn, const D3DKMDT_VIDPN_PRESENT_PATH *path,
                            void *argument)
{
    struct commit *commit = argument;
    D3DKMDT_VIDPN_SOURCE_MODE source_mode;
    D3DKMDT_VIDPN_TARGET_MODE target_mode;
    const struct softgpu_mode *mode;
    struct softgpu_source *source;
    struct softgpu_output *output;
    struct softgpu_scale scale;
    BOOLEAN stereo;
    ULONG format;

    if (path->VidPnSourceId >= vidpn->adapter->settings.sources ||
        path->VidPnTargetId >= vidpn->adapter->output_count) {
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    if (!is_affected(commit, path->VidPnSourceId)) {
        return STATUS_SUCCESS;
    }
    if (!pinned_source_mode(vidpn, path->VidPnSourceId, &source_mode) ||
        !pinned_target_mode(vidpn, path->VidPnTargetId, &target_mode)) {
        return STATUS_GRAPHICS_INVALID_VIDPN;
    }
    mode = find_mode(target_mode.VideoSignalInfo.ActiveSize.cx,
                     target_mode.VideoSignalInfo.ActiveSize.cy);
    format = softgpu_format_from_d3d(source_mode.Format.Graphics.PixelFormat);
    if (mode == NULL || format == 0) {
        return STATUS_GRAPHICS_INVALID_VIDPN;
    }
    scale = scale_of_pinned(vidpn, path);
    if (!softgpu_can_commit(&vidpn->adapter->settings, &scale)) {
        return STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED;
    }

    stereo = source_mode.Type != D3DKMDT_RMT_GRAPHICS;
    source = &commit->source[path->VidPnSourceId];
    if (source->width != scale.source.width || source->height != scale.source.height) {
        source->address = 0; /* no primary of this mode yet */
        source->pitch_bytes = scale.source.width * 4;
        source->format = format;
    }
    if (source->stereo != stereo) {
        source->address = 0;
        source->stereo = stereo;
    }
    source->width = scale.source.width;
    source->height = scale.source.height;
    source->quarter_turns = quarter_turns_of(path->ContentTransformation.Rotation);

    output = &commit->output[path->VidPnTargetId];
    output->source = path->VidPnSourceId;
    output->stereo = stereo && softgpu_monitor_has_stereo(vidpn->adapter, path->VidPnTargetId);
    output->width = mode->width;
    output->height = mode->height;
    output->total_width = mode->total_width;
    output->total_height = mode->total_height;
    output->period_ns = 1000000000u / mode->refresh_hz;
    softgpu_place_window(&scale, &output->scaler);
    return STATUS_SUCCESS;
}

static BOOLEAN shows_planes(const struct softgpu_adapter *adapter, ULONG output)
{
    ULONG source = adapter->output[output].source;

    return source < adapter->settings.sources && adapter->source[source].layered;
}

static BOOLEAN NTAPI take_over(PVOID argument)
{
    const struct commit *commit = argument;
    struct softgpu_adapter *adapter = commit->adapter;
    ULONG i;

    for (i = 0; i < SOFTGPU_OUTPUT_MAX; i++) {
        struct softgpu_planes_given given = adapter->source[i].given; /* vsync still tells them */

        adapter->source[i] = commit->source[i];
        adapter->source[i].given = given;
        if (is_affected(commit, i)) {
            softgpu_planes_off(&adapter->source[i]);
        }
        adapter->output[i] = commit->output[i];
    }
    for (i = 0; i < adapter->output_count; i++) {
        if (!shows_planes(adapter, i)) { /* what they show stays (VIDPN-011) */
            softgpu_output_program(adapter, i);
        }
    }
    return TRUE;
}

/* Makes a VidPN the one that is shown, for one source or for all. Outputs that have no path any
 * more go dark. dxgkrnl then sets the primary's address and makes the source visible. */
NTSTATUS NTAPI softgpu_commit_vidpn(const HANDLE adapter_handle,
                                    const DXGKARG_COMMITVIDPN *const arguments)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct commit commit;
    struct vidpn vidpn;
    NTSTATUS status;
    ULONG i;

    PAGED_CODE();

    RtlZeroMemory(&commit, sizeof(commit));
    commit.adapter = adapter;
    commit.affected = arguments->AffectedVidPnSourceId;
    for (i = 0; i < SOFTGPU_OUTPUT_MAX; i++) {
        commit.source[i] = adapter->source[i];
        commit.output[i] = adapter->output[i];
        if (is_affected(&commit, commit.output[i].source)) {
            commit.output[i].source = SOFTGPU_INFINITE_TARGET;
        }
    }
    if (!arguments->Flags.PathPoweredOff) {
        status = open_vidpn(adapter, arguments->hFunctionalVidPn, &vidpn);
        if (NT_SUCCESS(status)) {
            status = for_each_path(&vidpn, commit_path, &commit);
        }
        if (!NT_SUCCESS(status)) {
            return status;
        }
    }
    softgpu_synchronize(adapter, take_over, &commit);
    return STATUS_SUCCESS;
}

/* A change to a path that is shown, without a mode change: how its content is turned and scaled. */
NTSTATUS NTAPI softgpu_update_active_vidpn_present_path(
    const HANDLE adapter_handle, const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH *const arguments)
{
    struct softgpu_adapter *adapter = adapter_handle;
    const D3DKMDT_VIDPN_PRESENT_PATH *path = &arguments->VidPnPresentPathInfo;
    NTSTATUS status;

    PAGED_CODE();
    if (path->VidPnSourceId >= adapter->settings.sources ||
        path->VidPnTargetId >= adapter->output_count ||
        adapter->output[path->VidPnTargetId].source != path->VidPnSourceId) {
        return STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH;
    }
    status = softgpu_rescale(adapter, path);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    adapter->source[path->VidPnSourceId].quarter_turns =
        quarter_turns_of(path->ContentTransformation.Rotation);
    return STATUS_SUCCESS;
}
