/* vidpn.c: one source on one target, in the mode that the firmware left. The source may be smaller:
 * then it lies in the middle, or is scaled. */
#include "framebuffer.h"

static NTSTATUS open_vidpn(const struct framebuffer *framebuffer, D3DKMDT_HVIDPN handle,
                           const DXGK_VIDPN_INTERFACE **interface)
{
    return framebuffer->dxgk.DxgkCbQueryVidPnInterface(handle, DXGK_VIDPN_INTERFACE_VERSION_V1,
                                                       interface);
}

static void fill_in_signal(const struct framebuffer *framebuffer, D3DKMDT_VIDEO_SIGNAL_INFO *signal)
{
    signal->VideoStandard = D3DKMDT_VSS_OTHER;
    signal->TotalSize.cx = framebuffer->screen.Width;
    signal->TotalSize.cy = framebuffer->screen.Height;
    signal->ActiveSize = signal->TotalSize;
    signal->VSyncFreq.Numerator = D3DKMDT_FREQUENCY_NOTSPECIFIED;
    signal->VSyncFreq.Denominator = D3DKMDT_FREQUENCY_NOTSPECIFIED;
    signal->HSyncFreq = signal->VSyncFreq;
    signal->PixelRate = D3DKMDT_FREQUENCY_NOTSPECIFIED;
    signal->ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
}

/* ---- Topologies ------------------------------------------------------------------------------ */

/* At most the one path that there is; an empty VidPN shows nothing and can always be. */
NTSTATUS NTAPI framebuffer_is_supported_vidpn(const HANDLE adapter,
                                              DXGKARG_ISSUPPORTEDVIDPN *arguments)
{
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    D3DDDI_VIDEO_PRESENT_TARGET_ID target;
    SIZE_T count = 0;
    NTSTATUS status;

    PAGED_CODE();

    arguments->IsVidPnSupported = FALSE;
    if (arguments->hDesiredVidPn == NULL) {
        arguments->IsVidPnSupported = TRUE;
        return STATUS_SUCCESS;
    }
    status = open_vidpn((struct framebuffer *)adapter, arguments->hDesiredVidPn, &interface);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    status = interface->pfnGetTopology(arguments->hDesiredVidPn, &topology, &paths);
    if (NT_SUCCESS(status)) {
        status = paths->pfnGetNumPaths(topology, &count);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    arguments->IsVidPnSupported = count == 0 || (count == 1 &&
                                                 NT_SUCCESS(paths->pfnEnumPathTargetsFromSource(
                                                     topology, FRAMEBUFFER_SOURCE, 0, &target)) &&
                                                 target == FRAMEBUFFER_TARGET);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI framebuffer_recommend_functional_vidpn(
    const HANDLE adapter, const DXGKARG_RECOMMENDFUNCTIONALVIDPN *const arguments)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(arguments);
    PAGED_CODE();

    return STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;
}

/* ---- Modes ----------------------------------------------------------------------------------- */

static NTSTATUS add_source_mode(const struct framebuffer *framebuffer,
                                const DXGK_VIDPNSOURCEMODESET_INTERFACE *modes,
                                D3DKMDT_HVIDPNSOURCEMODESET set, D3DKMDT_2DREGION size)
{
    D3DKMDT_VIDPN_SOURCE_MODE *mode;
    NTSTATUS status = modes->pfnCreateNewModeInfo(set, &mode);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    mode->Type = D3DKMDT_RMT_GRAPHICS;
    mode->Format.Graphics.PrimSurfSize = size;
    mode->Format.Graphics.VisibleRegionSize = size;
    mode->Format.Graphics.Stride = framebuffer->screen.Pitch;
    mode->Format.Graphics.PixelFormat = D3DDDIFMT_A8R8G8B8;
    mode->Format.Graphics.ColorBasis = D3DKMDT_CB_SCRGB;
    mode->Format.Graphics.PixelValueAccessMode = D3DKMDT_PVAM_DIRECT;
    status = modes->pfnAddMode(set, mode);
    if (!NT_SUCCESS(status)) {
        (void)modes->pfnReleaseModeInfo(set, mode);
    }
    return status;
}

/* The whole screen, and the usual sizes that have room in it. */
static NTSTATUS add_source_modes(const struct framebuffer *framebuffer,
                                 const DXGK_VIDPNSOURCEMODESET_INTERFACE *modes,
                                 D3DKMDT_HVIDPNSOURCEMODESET set)
{
    static const D3DKMDT_2DREGION usual[] = {{1024, 768}, {800, 600}, {640, 480}, {640, 400}};
    const D3DKMDT_2DREGION whole = {framebuffer->screen.Width, framebuffer->screen.Height};
    NTSTATUS status = add_source_mode(framebuffer, modes, set, whole);
    ULONG i;

    for (i = 0; i < ARRAYSIZE(usual) && NT_SUCCESS(status); i++) {
        if (usual[i].cx < whole.cx && usual[i].cy < whole.cy) {
            status = add_source_mode(framebuffer, modes, set, usual[i]);
        }
    }
    return status;
}

static NTSTATUS offer_source_modes(const struct framebuffer *framebuffer, D3DKMDT_HVIDPN vidpn,
                                   const DXGK_VIDPN_INTERFACE *interface)
{
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *modes;
    D3DKMDT_HVIDPNSOURCEMODESET set;
    NTSTATUS status = interface->pfnCreateNewSourceModeSet(vidpn, FRAMEBUFFER_SOURCE, &set, &modes);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    status = add_source_modes(framebuffer, modes, set);
    if (NT_SUCCESS(status)) {
        status = interface->pfnAssignSourceModeSet(vidpn, FRAMEBUFFER_SOURCE, set);
    }
    if (!NT_SUCCESS(status)) {
        (void)interface->pfnReleaseSourceModeSet(vidpn, set);
    }
    return status;
}

static NTSTATUS offer_target_mode(const struct framebuffer *framebuffer, D3DKMDT_HVIDPN vidpn,
                                  const DXGK_VIDPN_INTERFACE *interface)
{
    const DXGK_VIDPNTARGETMODESET_INTERFACE *modes;
    D3DKMDT_HVIDPNTARGETMODESET set;
    D3DKMDT_VIDPN_TARGET_MODE *mode;
    NTSTATUS status = interface->pfnCreateNewTargetModeSet(vidpn, FRAMEBUFFER_TARGET, &set, &modes);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    status = modes->pfnCreateNewModeInfo(set, &mode);
    if (NT_SUCCESS(status)) {
        fill_in_signal(framebuffer, &mode->VideoSignalInfo);
        mode->Preference = D3DKMDT_MP_PREFERRED;
        status = modes->pfnAddMode(set, mode);
        if (!NT_SUCCESS(status)) {
            (void)modes->pfnReleaseModeInfo(set, mode);
        }
    }
    if (NT_SUCCESS(status)) {
        status = interface->pfnAssignTargetModeSet(vidpn, FRAMEBUFFER_TARGET, set);
    }
    if (!NT_SUCCESS(status)) {
        (void)interface->pfnReleaseTargetModeSet(vidpn, set);
    }
    return status;
}

/* Is a mode of the source, or of the target, pinned? */
static BOOLEAN is_pinned(D3DKMDT_HVIDPN vidpn, const DXGK_VIDPN_INTERFACE *interface,
                         BOOLEAN of_source)
{
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *source_modes;
    const DXGK_VIDPNTARGETMODESET_INTERFACE *target_modes;
    const D3DKMDT_VIDPN_SOURCE_MODE *source = NULL;
    const D3DKMDT_VIDPN_TARGET_MODE *target = NULL;
    D3DKMDT_HVIDPNSOURCEMODESET source_set;
    D3DKMDT_HVIDPNTARGETMODESET target_set;

    if (of_source && interface->pfnAcquireSourceModeSet(vidpn, FRAMEBUFFER_SOURCE, &source_set,
                                                        &source_modes) == STATUS_SUCCESS) {
        if (source_modes->pfnAcquirePinnedModeInfo(source_set, &source) == STATUS_SUCCESS &&
            source != NULL) {
            (void)source_modes->pfnReleaseModeInfo(source_set, source);
        }
        (void)interface->pfnReleaseSourceModeSet(vidpn, source_set);
    }
    if (!of_source && interface->pfnAcquireTargetModeSet(vidpn, FRAMEBUFFER_TARGET, &target_set,
                                                         &target_modes) == STATUS_SUCCESS) {
        if (target_modes->pfnAcquirePinnedModeInfo(target_set, &target) == STATUS_SUCCESS &&
            target != NULL) {
            (void)target_modes->pfnReleaseModeInfo(target_set, target);
        }
        (void)interface->pfnReleaseTargetModeSet(vidpn, target_set);
    }
    return source != NULL || target != NULL;
}

static NTSTATUS offer_support(D3DKMDT_HVIDPN vidpn, const DXGK_VIDPN_INTERFACE *interface,
                              const DXGKARG_ENUMVIDPNCOFUNCMODALITY *arguments)
{
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths;
    const D3DKMDT_VIDPN_PRESENT_PATH *path;
    D3DKMDT_VIDPN_PRESENT_PATH changed;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    NTSTATUS status = interface->pfnGetTopology(vidpn, &topology, &paths);

    if (NT_SUCCESS(status)) {
        status = paths->pfnAcquirePathInfo(topology, FRAMEBUFFER_SOURCE, FRAMEBUFFER_TARGET, &path);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    changed = *path;
    if (arguments->EnumPivotType != D3DKMDT_EPT_SCALING &&
        path->ContentTransformation.Scaling == D3DKMDT_VPPS_UNPINNED) {
        RtlZeroMemory(&changed.ContentTransformation.ScalingSupport,
                      sizeof(changed.ContentTransformation.ScalingSupport));
        changed.ContentTransformation.ScalingSupport.Identity = 1;
        changed.ContentTransformation.ScalingSupport.Centered = 1;
        changed.ContentTransformation.ScalingSupport.Stretched = 1;
        changed.ContentTransformation.ScalingSupport.AspectRatioCenteredMax = 1;
        changed.ContentTransformation.ScalingSupport.Custom = 1;
    }
    if (arguments->EnumPivotType != D3DKMDT_EPT_ROTATION &&
        path->ContentTransformation.Rotation == D3DKMDT_VPPR_UNPINNED) {
        RtlZeroMemory(&changed.ContentTransformation.RotationSupport,
                      sizeof(changed.ContentTransformation.RotationSupport));
        changed.ContentTransformation.RotationSupport.Identity = 1;
        changed.ContentTransformation.RotationSupport.Rotate90 = 1;
        changed.ContentTransformation.RotationSupport.Rotate180 = 1;
        changed.ContentTransformation.RotationSupport.Rotate270 = 1;
    }
    status = paths->pfnUpdatePathSupportInfo(topology, &changed);
    (void)paths->pfnReleasePathInfo(topology, path);
    return status;
}

NTSTATUS NTAPI framebuffer_enum_vidpn_cofunc_modality(
    const HANDLE adapter, const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    struct framebuffer *framebuffer = (struct framebuffer *)adapter;
    D3DKMDT_HVIDPN vidpn = arguments->hConstrainingVidPn;
    const DXGK_VIDPN_INTERFACE *interface;
    NTSTATUS status = open_vidpn(framebuffer, vidpn, &interface);

    PAGED_CODE();

    if (NT_SUCCESS(status) && arguments->EnumPivotType != D3DKMDT_EPT_VIDPNSOURCE &&
        !is_pinned(vidpn, interface, TRUE)) {
        status = offer_source_modes(framebuffer, vidpn, interface);
    }
    if (NT_SUCCESS(status) && arguments->EnumPivotType != D3DKMDT_EPT_VIDPNTARGET &&
        !is_pinned(vidpn, interface, FALSE)) {
        status = offer_target_mode(framebuffer, vidpn, interface);
    }
    return NT_SUCCESS(status) ? offer_support(vidpn, interface, arguments) : status;
}

NTSTATUS NTAPI framebuffer_recommend_monitor_modes(
    const HANDLE adapter, const DXGKARG_RECOMMENDMONITORMODES *const arguments)
{
    const DXGK_MONITORSOURCEMODESET_INTERFACE *modes = arguments->pMonitorSourceModeSetInterface;
    struct framebuffer *framebuffer = (struct framebuffer *)adapter;
    D3DKMDT_MONITOR_SOURCE_MODE *mode;
    NTSTATUS status;

    PAGED_CODE();

    status = modes->pfnCreateNewModeInfo(arguments->hMonitorSourceModeSet, &mode);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    fill_in_signal(framebuffer, &mode->VideoSignalInfo);
    mode->ColorBasis = D3DKMDT_CB_SCRGB;
    mode->ColorCoeffDynamicRanges.FirstChannel = 8;
    mode->ColorCoeffDynamicRanges.SecondChannel = 8;
    mode->ColorCoeffDynamicRanges.ThirdChannel = 8;
    mode->Origin = D3DKMDT_MCO_DRIVER;
    mode->Preference = D3DKMDT_MP_PREFERRED;
    status = modes->pfnAddMode(arguments->hMonitorSourceModeSet, mode);
    if (!NT_SUCCESS(status)) {
        (void)modes->pfnReleaseModeInfo(arguments->hMonitorSourceModeSet, mode);
    }
    return status == STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET ? STATUS_SUCCESS : status;
}

/* ---- Commit ---------------------------------------------------------------------------------- */

/* How the path is turned and scaled; without one nothing is shown. */
static NTSTATUS read_path(struct framebuffer *framebuffer, D3DKMDT_HVIDPN vidpn,
                          D3DKMDT_VIDPN_PRESENT_PATH_ROTATION *rotation,
                          D3DKMDT_VIDPN_PRESENT_PATH_SCALING *scaling)
{
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths;
    const D3DKMDT_VIDPN_PRESENT_PATH *path;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    SIZE_T count = 0;
    NTSTATUS status = open_vidpn(framebuffer, vidpn, &interface);

    *rotation = D3DKMDT_VPPR_IDENTITY;
    *scaling = D3DKMDT_VPPS_IDENTITY;
    if (NT_SUCCESS(status)) {
        status = interface->pfnGetTopology(vidpn, &topology, &paths);
    }
    if (NT_SUCCESS(status)) {
        status = paths->pfnGetNumPaths(topology, &count);
    }
    if (NT_SUCCESS(status) && count > 0) {
        status = paths->pfnAcquirePathInfo(topology, FRAMEBUFFER_SOURCE, FRAMEBUFFER_TARGET, &path);
        if (NT_SUCCESS(status)) {
            *rotation = path->ContentTransformation.Rotation;
            *scaling = path->ContentTransformation.Scaling;
            (void)paths->pfnReleasePathInfo(topology, path);
        }
    }
    return status;
}

/* The size of the pinned source mode; what has none is shown as it was. */
static void read_shown(const struct framebuffer *framebuffer, D3DKMDT_HVIDPN vidpn,
                       D3DKMDT_2DREGION *shown)
{
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *modes;
    const D3DKMDT_VIDPN_SOURCE_MODE *mode = NULL;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_HVIDPNSOURCEMODESET set;

    if (!NT_SUCCESS(open_vidpn(framebuffer, vidpn, &interface)) ||
        interface->pfnAcquireSourceModeSet(vidpn, FRAMEBUFFER_SOURCE, &set, &modes) !=
            STATUS_SUCCESS) {
        return;
    }
    if (modes->pfnAcquirePinnedModeInfo(set, &mode) == STATUS_SUCCESS && mode != NULL) {
        if (mode->Format.Graphics.PrimSurfSize.cx <= framebuffer->screen.Width &&
            mode->Format.Graphics.PrimSurfSize.cy <= framebuffer->screen.Height) {
            *shown = mode->Format.Graphics.PrimSurfSize;
        }
        (void)modes->pfnReleaseModeInfo(set, mode);
    }
    (void)interface->pfnReleaseSourceModeSet(vidpn, set);
}

/* The one mode is set already; how large its pictures are, and how they are turned, may be new. */
NTSTATUS NTAPI framebuffer_commit_vidpn(const HANDLE adapter,
                                        const DXGKARG_COMMITVIDPN *const arguments)
{
    struct framebuffer *framebuffer = (struct framebuffer *)adapter;
    D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation;
    D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling;
    NTSTATUS status;

    PAGED_CODE();

    if (arguments->AffectedVidPnSourceId != FRAMEBUFFER_SOURCE &&
        arguments->AffectedVidPnSourceId != D3DDDI_ID_ALL) {
        return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
    }
    status = read_path(framebuffer, arguments->hFunctionalVidPn, &rotation, &scaling);
    if (NT_SUCCESS(status)) {
        framebuffer->rotation = rotation;
        framebuffer->scaling = scaling;
        read_shown(framebuffer, arguments->hFunctionalVidPn, &framebuffer->shown);
        framebuffer_blacken(framebuffer);
    }
    return status;
}

NTSTATUS NTAPI framebuffer_update_path(const HANDLE adapter,
                                       const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH *const arguments)
{
    struct framebuffer *framebuffer = (struct framebuffer *)adapter;

    PAGED_CODE();

    /* The next picture is turned so, and comes whole. */
    framebuffer->rotation = arguments->VidPnPresentPathInfo.ContentTransformation.Rotation;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI framebuffer_set_visibility(const HANDLE adapter,
                                          const DXGKARG_SETVIDPNSOURCEVISIBILITY *arguments)
{
    struct framebuffer *framebuffer = (struct framebuffer *)adapter;

    PAGED_CODE();

    if (arguments->VidPnSourceId != FRAMEBUFFER_SOURCE) {
        return STATUS_INVALID_PARAMETER;
    }
    framebuffer->visible = arguments->Visible != FALSE;
    framebuffer_blacken(framebuffer);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI framebuffer_query_vidpn_hw_capability(const HANDLE adapter,
                                                     DXGKARG_QUERYVIDPNHWCAPABILITY *arguments)
{
    UNREFERENCED_PARAMETER(adapter);
    PAGED_CODE();

    RtlZeroMemory(&arguments->VidPnHWCaps, sizeof(arguments->VidPnHWCaps));
    arguments->VidPnHWCaps.DriverRotation = 1;
    return STATUS_SUCCESS;
}
