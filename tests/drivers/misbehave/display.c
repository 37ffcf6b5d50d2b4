/* display.c: outputs, monitors, VidPNs. */
#include "misbehave.h"

/* ---- Children and monitors ------------------------------------------------------------------ */

/* The loop ends one too early. */
static NTSTATUS NTAPI last_child_missing(const PVOID context, PDXGK_CHILD_DESCRIPTOR children,
                                         ULONG size_bytes)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryChildRelations(context, children, size_bytes);
    ULONG count = size_bytes / sizeof(*children) - 1;

    RtlZeroMemory(&children[count - 1], sizeof(*children));
    return status;
}

static NTSTATUS NTAPI child_unknown(const PVOID context, PDXGK_CHILD_STATUS status,
                                    BOOLEAN non_destructive_only)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(status);
    UNREFERENCED_PARAMETER(non_destructive_only);
    return STATUS_INVALID_PARAMETER;
}

/* The bus to the connector is silent: nobody knows. */
static NTSTATUS NTAPI child_does_not_answer(const PVOID context, PDXGK_CHILD_STATUS status,
                                            BOOLEAN non_destructive_only)
{
    static ULONG calls;

    calls++;
    return calls == 2
               ? STATUS_IO_TIMEOUT
               : misbehave_driver.DxgkDdiQueryChildStatus(context, status, non_destructive_only);
}

static NTSTATUS NTAPI descriptor_of_nobody(const PVOID context, ULONG child,
                                           PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(child);
    UNREFERENCED_PARAMETER(descriptor);
    return STATUS_INVALID_PARAMETER;
}

/* Always the whole block, whatever was asked for. */
static NTSTATUS NTAPI descriptor_too_long(const PVOID context, ULONG child,
                                          PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    ULONG length = descriptor->DescriptorLength;
    NTSTATUS status = misbehave_driver.DxgkDdiQueryDeviceDescriptor(context, child, descriptor);

    if (NT_SUCCESS(status) && length < SOFTGPU_EDID_SIZE) {
        ((UCHAR *)descriptor->DescriptorBuffer)[length] = 0;
    }
    return status;
}

/* The first block comes for every question. */
static NTSTATUS NTAPI descriptor_without_end(const PVOID context, ULONG child,
                                             PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    return descriptor->DescriptorOffset < SOFTGPU_EDID_SIZE
               ? misbehave_driver.DxgkDdiQueryDeviceDescriptor(context, child, descriptor)
               : STATUS_SUCCESS;
}

static NTSTATUS NTAPI descriptor_from_its_beginning(const PVOID context, ULONG child,
                                                    PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    if (descriptor->DescriptorOffset < SOFTGPU_EDID_SIZE) {
        descriptor->DescriptorOffset = 0;
    }
    return misbehave_driver.DxgkDdiQueryDeviceDescriptor(context, child, descriptor);
}

/* A text is mended, and the checksum forgotten. */
static NTSTATUS NTAPI descriptor_changed(const PVOID context, ULONG child,
                                         PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryDeviceDescriptor(context, child, descriptor);

    if (NT_SUCCESS(status) && descriptor->DescriptorOffset == 0) {
        ((UCHAR *)descriptor->DescriptorBuffer)[30] += 1;
    }
    return status;
}

/* ---- IsSupportedVidPn ----------------------------------------------------------------------- */

static NTSTATUS NTAPI no_is_an_error(const HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN *question)
{
    NTSTATUS status = misbehave_driver.DxgkDdiIsSupportedVidPn(adapter, question);

    return question->IsVidPnSupported ? status : STATUS_GRAPHICS_INVALID_VIDPN;
}

static NTSTATUS NTAPI nothing_is_refused(const HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN *question)
{
    if (question->hDesiredVidPn == NULL) {
        question->IsVidPnSupported = FALSE;
        return STATUS_SUCCESS;
    }
    return misbehave_driver.DxgkDdiIsSupportedVidPn(adapter, question);
}

/* Whatever it is, it cannot be shown, says the status; the member says otherwise. */
static NTSTATUS NTAPI topology_wrong_and_supported(const HANDLE adapter,
                                                   DXGKARG_ISSUPPORTEDVIDPN *question)
{
    NTSTATUS status = misbehave_driver.DxgkDdiIsSupportedVidPn(adapter, question);

    if (question->hDesiredVidPn == NULL || question->IsVidPnSupported) {
        return status;
    }
    question->IsVidPnSupported = TRUE;
    return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
}

/* Sizes are looked at in CommitVidPn alone. */
static NTSTATUS NTAPI everything_is_supported(const HANDLE adapter,
                                              DXGKARG_ISSUPPORTEDVIDPN *question)
{
    NTSTATUS status = misbehave_driver.DxgkDdiIsSupportedVidPn(adapter, question);

    question->IsVidPnSupported = TRUE;
    return status;
}

/* ---- EnumVidPnCofuncModality ---------------------------------------------------------------- */

static NTSTATUS vidpn_of(D3DKMDT_HVIDPN handle, const DXGK_VIDPN_INTERFACE **interface)
{
    return misbehave_kernel.DxgkCbQueryVidPnInterface(handle, DXGK_VIDPN_INTERFACE_VERSION_V1,
                                                      interface);
}

/* Says something else of what the first path can. */
static void change_first_path(D3DKMDT_HVIDPN handle,
                              void (*change)(D3DKMDT_VIDPN_PRESENT_PATH *path))
{
    const DXGK_VIDPNTOPOLOGY_INTERFACE *topology_interface;
    const DXGK_VIDPN_INTERFACE *interface;
    const D3DKMDT_VIDPN_PRESENT_PATH *path;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    D3DKMDT_VIDPN_PRESENT_PATH changed;

    if (NT_SUCCESS(vidpn_of(handle, &interface)) &&
        NT_SUCCESS(interface->pfnGetTopology(handle, &topology, &topology_interface)) &&
        topology_interface->pfnAcquireFirstPathInfo(topology, &path) == STATUS_SUCCESS) {
        changed = *path;
        change(&changed);
        (void)topology_interface->pfnUpdatePathSupportInfo(topology, &changed);
        (void)topology_interface->pfnReleasePathInfo(topology, path);
    }
}

static void centre(D3DKMDT_VIDPN_PRESENT_PATH *path)
{
    path->ContentTransformation.ScalingSupport.Centered = 1;
}

/* Any size can be centred on any other, it says. */
static NTSTATUS NTAPI scaling_is_offered(const HANDLE adapter,
                                         const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);

    if (arguments->EnumPivotType != D3DKMDT_EPT_SCALING) {
        change_first_path(arguments->hConstrainingVidPn, centre);
    }
    return status;
}

/* Whatever is wrong, it is the VidPN. */
static NTSTATUS NTAPI vidpn_is_invalid(const HANDLE adapter,
                                       const DXGKARG_COMMITVIDPN *const arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCommitVidPn(adapter, arguments);

    return NT_SUCCESS(status) ? status : STATUS_GRAPHICS_INVALID_VIDPN;
}

static void offer_scaling(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiEnumVidPnCofuncModality = scaling_is_offered;
    table->DxgkDdiCommitVidPn = vidpn_is_invalid;
}

/* At the commit at last it is found out that this path has no scaler: so says the driver. */
static void offer_scaling_in_vain(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiEnumVidPnCofuncModality = scaling_is_offered;
}

static UINT stride_unit = 4;
/* A new set of one source mode, which stands for all. */
static void offer_one(D3DKMDT_HVIDPN handle, UINT width, UINT height, UINT visible)
{
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *set_interface;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_HVIDPNSOURCEMODESET set;
    D3DKMDT_VIDPN_SOURCE_MODE *mode;

    if (!NT_SUCCESS(vidpn_of(handle, &interface)) ||
        !NT_SUCCESS(interface->pfnCreateNewSourceModeSet(handle, 0, &set, &set_interface)) ||
        !NT_SUCCESS(set_interface->pfnCreateNewModeInfo(set, &mode))) {
        return;
    }
    mode->Type = D3DKMDT_RMT_GRAPHICS;
    mode->Format.Graphics.PrimSurfSize.cx = width;
    mode->Format.Graphics.PrimSurfSize.cy = height;
    mode->Format.Graphics.VisibleRegionSize.cx = visible;
    mode->Format.Graphics.VisibleRegionSize.cy = height;
    mode->Format.Graphics.Stride = width * stride_unit;
    mode->Format.Graphics.PixelFormat = D3DDDIFMT_A8R8G8B8;
    mode->Format.Graphics.ColorBasis = D3DKMDT_CB_SRGB;
    mode->Format.Graphics.PixelValueAccessMode = D3DKMDT_PVAM_DIRECT;
    (void)set_interface->pfnAddMode(set, mode);
    (void)interface->pfnAssignSourceModeSet(handle, 0, set);
}

/* The mode that is pinned at an end; FALSE: none is. */
static BOOLEAN pinned_target(D3DKMDT_HVIDPN handle, D3DKMDT_2DREGION *size)
{
    const DXGK_VIDPNTARGETMODESET_INTERFACE *set_interface;
    const D3DKMDT_VIDPN_TARGET_MODE *mode = NULL;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_HVIDPNTARGETMODESET set;

    if (!NT_SUCCESS(vidpn_of(handle, &interface)) ||
        interface->pfnAcquireTargetModeSet(handle, 0, &set, &set_interface) != STATUS_SUCCESS) {
        return FALSE;
    }
    if (set_interface->pfnAcquirePinnedModeInfo(set, &mode) == STATUS_SUCCESS) {
        *size = mode->VideoSignalInfo.ActiveSize;
        (void)set_interface->pfnReleaseModeInfo(set, mode);
    }
    (void)interface->pfnReleaseTargetModeSet(handle, set);
    return mode != NULL;
}

static BOOLEAN pinned_source(D3DKMDT_HVIDPN handle)
{
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *set_interface;
    const D3DKMDT_VIDPN_SOURCE_MODE *mode = NULL;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_HVIDPNSOURCEMODESET set;

    if (!NT_SUCCESS(vidpn_of(handle, &interface)) ||
        interface->pfnAcquireSourceModeSet(handle, 0, &set, &set_interface) != STATUS_SUCCESS) {
        return FALSE;
    }
    if (set_interface->pfnAcquirePinnedModeInfo(set, &mode) == STATUS_SUCCESS) {
        (void)set_interface->pfnReleaseModeInfo(set, mode);
    }
    (void)interface->pfnReleaseSourceModeSet(handle, set);
    return mode != NULL;
}

/* It fills every source set, also the one that is the pivot. */
static NTSTATUS NTAPI pivot_is_replaced(const HANDLE adapter,
                                        const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);

    if (arguments->EnumPivotType == D3DKMDT_EPT_VIDPNSOURCE) {
        offer_one(arguments->hConstrainingVidPn, 640, 480, 640);
    }
    return status;
}

/* The source's pin is not looked for. */
static NTSTATUS NTAPI pinned_is_replaced(const HANDLE adapter,
                                         const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);
    D3DKMDT_2DREGION size;

    if (pinned_source(arguments->hConstrainingVidPn) &&
        pinned_target(arguments->hConstrainingVidPn, &size)) {
        offer_one(arguments->hConstrainingVidPn, size.cx / 2, size.cy, size.cx / 2);
    }
    return status;
}

/* The source's set is made anew, with the pinned mode in it; the old one is released at last. */
static NTSTATUS NTAPI pinned_stays_in_new_set(
    const HANDLE adapter, const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *old_interface, *new_interface;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_HVIDPNSOURCEMODESET old_set, new_set;
    const D3DKMDT_VIDPN_SOURCE_MODE *pinned = NULL;
    D3DKMDT_VIDPN_SOURCE_MODE *mode;
    D3DKMDT_VIDEO_PRESENT_SOURCE_MODE_ID id;

    if (arguments->EnumPivotType != D3DKMDT_EPT_NOPIVOT ||
        !NT_SUCCESS(vidpn_of(arguments->hConstrainingVidPn, &interface)) ||
        interface->pfnAcquireSourceModeSet(arguments->hConstrainingVidPn, 0, &old_set,
                                           &old_interface) != STATUS_SUCCESS) {
        return status;
    }
    if (old_interface->pfnAcquirePinnedModeInfo(old_set, &pinned) == STATUS_SUCCESS &&
        NT_SUCCESS(interface->pfnCreateNewSourceModeSet(arguments->hConstrainingVidPn, 0, &new_set,
                                                        &new_interface)) &&
        NT_SUCCESS(new_interface->pfnCreateNewModeInfo(new_set, &mode))) {
        id = mode->Id;
        *mode = *pinned;
        mode->Id = id;
        (void)old_interface->pfnReleaseModeInfo(old_set, pinned);
        (void)new_interface->pfnAddMode(new_set, mode);
        status = interface->pfnAssignSourceModeSet(arguments->hConstrainingVidPn, 0, new_set);
    }
    return NT_SUCCESS(status)
               ? interface->pfnReleaseSourceModeSet(arguments->hConstrainingVidPn, old_set)
               : status;
}

/* The target's pin is not looked for: its size is no bound. */
static NTSTATUS NTAPI pin_does_not_bind(const HANDLE adapter,
                                        const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *set_interface;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_HVIDPNSOURCEMODESET set;
    D3DKMDT_VIDPN_SOURCE_MODE *mode;
    D3DKMDT_2DREGION size;

    if (pinned_target(arguments->hConstrainingVidPn, &size) &&
        !pinned_source(arguments->hConstrainingVidPn) &&
        NT_SUCCESS(vidpn_of(arguments->hConstrainingVidPn, &interface)) &&
        interface->pfnAcquireSourceModeSet(arguments->hConstrainingVidPn, 0, &set,
                                           &set_interface) == STATUS_SUCCESS) {
        if (NT_SUCCESS(set_interface->pfnCreateNewModeInfo(set, &mode))) {
            mode->Type = D3DKMDT_RMT_GRAPHICS;
            mode->Format.Graphics.PrimSurfSize.cx = size.cx / 2;
            mode->Format.Graphics.PrimSurfSize.cy = size.cy / 2;
            mode->Format.Graphics.VisibleRegionSize = mode->Format.Graphics.PrimSurfSize;
            mode->Format.Graphics.Stride = size.cx * 2;
            mode->Format.Graphics.PixelFormat = D3DDDIFMT_A8R8G8B8;
            mode->Format.Graphics.ColorBasis = D3DKMDT_CB_SRGB;
            mode->Format.Graphics.PixelValueAccessMode = D3DKMDT_PVAM_DIRECT;
            (void)set_interface->pfnAddMode(set, mode);
        }
        (void)interface->pfnReleaseSourceModeSet(arguments->hConstrainingVidPn, set);
    }
    return status;
}

static NTSTATUS offer_the_targets_size(HANDLE adapter,
                                       const DXGKARG_ENUMVIDPNCOFUNCMODALITY *arguments,
                                       BOOLEAN visible)
{
    NTSTATUS status = misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);
    D3DKMDT_2DREGION size;

    if (pinned_target(arguments->hConstrainingVidPn, &size) &&
        !pinned_source(arguments->hConstrainingVidPn)) {
        offer_one(arguments->hConstrainingVidPn, size.cx, size.cy, visible ? size.cx : 0);
    }
    return status;
}

/* What is visible of the first offer is left out. */
static NTSTATUS NTAPI nothing_is_visible(const HANDLE adapter,
                                         const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    return offer_the_targets_size(adapter, arguments, FALSE);
}

static NTSTATUS NTAPI stride_is_in_pixels(const HANDLE adapter,
                                          const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    stride_unit = 1;
    return offer_the_targets_size(adapter, arguments, TRUE);
}

static NTSTATUS NTAPI path_is_kept(const HANDLE adapter,
                                   const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    const DXGK_VIDPNTOPOLOGY_INTERFACE *topology_interface;
    const DXGK_VIDPN_INTERFACE *interface;
    const D3DKMDT_VIDPN_PRESENT_PATH *path;
    D3DKMDT_HVIDPNTOPOLOGY topology;

    if (NT_SUCCESS(vidpn_of(arguments->hConstrainingVidPn, &interface)) &&
        NT_SUCCESS(interface->pfnGetTopology(arguments->hConstrainingVidPn, &topology,
                                             &topology_interface))) {
        (void)topology_interface->pfnAcquireFirstPathInfo(topology, &path);
    }
    return misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);
}

/* Whoever creates, releases: but the set took the mode over. */
static NTSTATUS NTAPI added_mode_is_released(const HANDLE adapter,
                                             const DXGKARG_RECOMMENDMONITORMODES *const arguments)
{
    const DXGK_MONITORSOURCEMODESET_INTERFACE *set = arguments->pMonitorSourceModeSetInterface;
    const D3DKMDT_MONITOR_SOURCE_MODE *mode;

    if (set->pfnAcquireFirstModeInfo(arguments->hMonitorSourceModeSet, &mode) == STATUS_SUCCESS) {
        (void)set->pfnReleaseModeInfo(arguments->hMonitorSourceModeSet, mode);
        (void)set->pfnReleaseModeInfo(arguments->hMonitorSourceModeSet, mode);
    }
    return misbehave_driver.DxgkDdiRecommendMonitorModes(adapter, arguments);
}

static NTSTATUS NTAPI new_set_is_forgotten(const HANDLE adapter,
                                           const DXGKARG_COMMITVIDPN *const arguments)
{
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *set_interface;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_HVIDPNSOURCEMODESET set;

    if (NT_SUCCESS(vidpn_of(arguments->hFunctionalVidPn, &interface))) {
        (void)interface->pfnCreateNewSourceModeSet(arguments->hFunctionalVidPn, 0, &set,
                                                   &set_interface);
    }
    return misbehave_driver.DxgkDdiCommitVidPn(adapter, arguments);
}

static void turn_nothing(D3DKMDT_VIDPN_PRESENT_PATH *path)
{
    RtlZeroMemory(&path->ContentTransformation.RotationSupport,
                  sizeof(path->ContentTransformation.RotationSupport));
}

/* What was reported is taken back. */
static NTSTATUS NTAPI nothing_turns(const HANDLE adapter,
                                    const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);

    change_first_path(arguments->hConstrainingVidPn, turn_nothing);
    return status;
}

static NTSTATUS NTAPI end_of_list_is_answered(
    const HANDLE adapter, const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    (void)misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);
    return STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET;
}

/* The first target mode is the preferred one, whatever the monitor says. */
static NTSTATUS NTAPI first_is_preferred(const HANDLE adapter,
                                         const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);
    const DXGK_VIDPNTARGETMODESET_INTERFACE *set_interface;
    const D3DKMDT_VIDPN_TARGET_MODE *mode, *next;
    D3DKMDT_VIDPN_TARGET_MODE *changed;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_MODE_PREFERENCE preference = D3DKMDT_MP_NOTPREFERRED;
    D3DKMDT_HVIDPNTARGETMODESET set;
    NTSTATUS step;

    if (!NT_SUCCESS(vidpn_of(arguments->hConstrainingVidPn, &interface)) ||
        interface->pfnAcquireTargetModeSet(arguments->hConstrainingVidPn, 0, &set,
                                           &set_interface) != STATUS_SUCCESS) {
        return status;
    }
    for (step = set_interface->pfnAcquireFirstModeInfo(set, &mode); step == STATUS_SUCCESS;
         mode = next) {
        changed = (D3DKMDT_VIDPN_TARGET_MODE *)(ULONG_PTR)mode;
        changed->Preference = preference;
        step = set_interface->pfnAcquireNextModeInfo(set, mode, &next);
        (void)set_interface->pfnReleaseModeInfo(set, mode);
    }
    (void)interface->pfnReleaseTargetModeSet(arguments->hConstrainingVidPn, set);
    return status;
}

static NTSTATUS NTAPI one_capability_is_set(const HANDLE adapter,
                                            DXGKARG_QUERYVIDPNHWCAPABILITY *query)
{
    UNREFERENCED_PARAMETER(adapter);
    query->VidPnHWCaps.DriverRotation = 1;
    return STATUS_SUCCESS;
}

/* ---- Monitors that come and go --------------------------------------------------------------- */

/* A level that is low when something is there. */
static NTSTATUS NTAPI told_the_wrong_way_round(HANDLE device, PDXGK_CHILD_STATUS status)
{
    DXGK_CHILD_STATUS changed = *status;

    changed.HotPlug.Connected = !changed.HotPlug.Connected;
    return misbehave_kernel.DxgkCbIndicateChildStatus(device, &changed);
}

static NTSTATUS NTAPI change_is_not_told(HANDLE device, PDXGK_CHILD_STATUS status)
{
    UNREFERENCED_PARAMETER(device);
    UNREFERENCED_PARAMETER(status);
    return STATUS_SUCCESS;
}

/* What was there when the device was started is always there. */
static NTSTATUS NTAPI always_connected(const PVOID context, PDXGK_CHILD_STATUS status,
                                       BOOLEAN non_destructive_only)
{
    NTSTATUS answer =
        misbehave_driver.DxgkDdiQueryChildStatus(context, status, non_destructive_only);

    status->HotPlug.Connected = TRUE;
    return answer;
}

static ULONG path_count(D3DKMDT_HVIDPN handle)
{
    const DXGK_VIDPNTOPOLOGY_INTERFACE *topology_interface;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    SIZE_T count = 0;

    if (!NT_SUCCESS(vidpn_of(handle, &interface)) ||
        !NT_SUCCESS(interface->pfnGetTopology(handle, &topology, &topology_interface)) ||
        !NT_SUCCESS(topology_interface->pfnGetNumPaths(topology, &count))) {
        return 0;
    }
    return (ULONG)count;
}

/* With one path less everything is dark. */
static NTSTATUS NTAPI others_go_dark(const HANDLE adapter, const DXGKARG_COMMITVIDPN *const commit)
{
    DXGKARG_COMMITVIDPN other = *commit;
    NTSTATUS status = misbehave_driver.DxgkDdiCommitVidPn(adapter, commit);

    if (NT_SUCCESS(status) && path_count(commit->hFunctionalVidPn) == 1) {
        other.AffectedVidPnSourceId = 1 - commit->AffectedVidPnSourceId;
        other.Flags.PathPoweredOff = 1;
        status = misbehave_driver.DxgkDdiCommitVidPn(adapter, &other);
    }
    return status;
}

/* Whichever source is meant, the other one is switched off. */
static NTSTATUS NTAPI mode_of_one_alone(const HANDLE adapter,
                                        const DXGKARG_COMMITVIDPN *const commit)
{
    DXGKARG_COMMITVIDPN other = *commit;
    NTSTATUS status = misbehave_driver.DxgkDdiCommitVidPn(adapter, commit);

    if (NT_SUCCESS(status) && commit->hPrimaryAllocation != NULL) {
        other.AffectedVidPnSourceId = 1 - commit->AffectedVidPnSourceId;
        other.Flags.PathPoweredOff = 1;
        status = misbehave_driver.DxgkDdiCommitVidPn(adapter, &other);
    }
    return status;
}

/* The path that is there is supported; a new one beside it is not. */
static NTSTATUS NTAPI no_path_comes_back(const HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN *question)
{
    static BOOLEAN had_one;
    NTSTATUS status = misbehave_driver.DxgkDdiIsSupportedVidPn(adapter, question);
    D3DKMDT_2DREGION size;

    if (question->hDesiredVidPn == NULL) {
        return status;
    }
    if (path_count(question->hDesiredVidPn) == 1 &&
        !pinned_target(question->hDesiredVidPn, &size)) {
        had_one = TRUE; /* the first target's path is gone */
    } else if (had_one) {
        question->IsVidPnSupported = FALSE;
    }
    return status;
}

/* ---- The screen ----------------------------------------------------------------------------- */

static NTSTATUS NTAPI nothing_is_hidden(const HANDLE adapter,
                                        const DXGKARG_SETVIDPNSOURCEVISIBILITY *arguments)
{
    return arguments->Visible ? misbehave_driver.DxgkDdiSetVidPnSourceVisibility(adapter, arguments)
                              : STATUS_SUCCESS;
}

static NTSTATUS NTAPI stays_hidden(const HANDLE adapter,
                                   const DXGKARG_SETVIDPNSOURCEVISIBILITY *arguments)
{
    static BOOLEAN was_hidden;

    if (arguments->Visible && was_hidden) {
        return STATUS_SUCCESS;
    }
    was_hidden = !arguments->Visible;
    return misbehave_driver.DxgkDdiSetVidPnSourceVisibility(adapter, arguments);
}

static NTSTATUS NTAPI position_exchanged(const HANDLE adapter,
                                         const DXGKARG_SETPOINTERPOSITION *position)
{
    DXGKARG_SETPOINTERPOSITION changed = *position;

    changed.X = position->Y;
    changed.Y = position->X;
    return misbehave_driver.DxgkDdiSetPointerPosition(adapter, &changed);
}

/* At the left edge it stops. */
static NTSTATUS NTAPI position_not_negative(const HANDLE adapter,
                                            const DXGKARG_SETPOINTERPOSITION *position)
{
    DXGKARG_SETPOINTERPOSITION changed = *position;

    changed.X = position->X < 0 ? 0 : position->X;
    return misbehave_driver.DxgkDdiSetPointerPosition(adapter, &changed);
}

static NTSTATUS NTAPI pointer_stays(const HANDLE adapter,
                                    const DXGKARG_SETPOINTERPOSITION *position)
{
    return position->Flags.Visible ? misbehave_driver.DxgkDdiSetPointerPosition(adapter, position)
                                   : STATUS_SUCCESS;
}

static NTSTATUS NTAPI always_in_blank(const HANDLE adapter, DXGKARG_GETSCANLINE *arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiGetScanLine(adapter, arguments);

    arguments->InVerticalBlank = TRUE;
    return status;
}

static NTSTATUS NTAPI never_in_blank(const HANDLE adapter, DXGKARG_GETSCANLINE *arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiGetScanLine(adapter, arguments);

    arguments->InVerticalBlank = FALSE;
    return status;
}

static NTSTATUS NTAPI line_stands_still(const HANDLE adapter, DXGKARG_GETSCANLINE *arguments)
{
    UNREFERENCED_PARAMETER(adapter);
    arguments->InVerticalBlank = FALSE;
    arguments->ScanLine = 0;
    return STATUS_SUCCESS;
}

/* The register is written at once, whatever was asked for. */
static NTSTATUS NTAPI flips_tear(const HANDLE adapter,
                                 const DXGKARG_SETVIDPNSOURCEADDRESS *arguments)
{
    /* Too large for a stack at device level. */
    static DXGKARG_SETVIDPNSOURCEADDRESS changed;

    changed = *arguments;
    changed.Flags.FlipOnNextVSync = 0;
    changed.Flags.FlipImmediate = 1;
    return misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter, &changed);
}

/* The other way: every flip waits. */
static NTSTATUS NTAPI flips_wait(const HANDLE adapter,
                                 const DXGKARG_SETVIDPNSOURCEADDRESS *arguments)
{
    static DXGKARG_SETVIDPNSOURCEADDRESS changed;

    changed = *arguments;
    changed.Flags.FlipImmediate = 0;
    changed.Flags.FlipOnNextVSync = !arguments->Flags.ModeChange;
    return misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter, &changed);
}

static NTSTATUS NTAPI described_sideways(const HANDLE adapter,
                                         DXGKARG_DESCRIBEALLOCATION *description)
{
    NTSTATUS status = misbehave_driver.DxgkDdiDescribeAllocation(adapter, description);
    UINT width = description->Width;

    description->Width = description->Height;
    description->Height = width;
    return status;
}

/* ---- The last screen ------------------------------------------------------------------------- */

/* Told as it would be set, and not set. */
static NTSTATUS NTAPI another_mode_is_told(PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                           PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS flags, UINT *width,
                                           UINT *height, D3DDDIFORMAT *format)
{
    NTSTATUS status =
        misbehave_driver.DxgkDdiSystemDisplayEnable(context, target, flags, width, height, format);

    *width = 640;
    *height = 480;
    return status;
}

/* Rows follow each other. */
static VOID NTAPI stride_is_ignored(PVOID context, PVOID picture, UINT width, UINT height,
                                    UINT stride, UINT x, UINT y)
{
    UNREFERENCED_PARAMETER(stride);
    misbehave_driver.DxgkDdiSystemDisplayWrite(context, picture, width, height, width * 4, x, y);
}

static NTSTATUS NTAPI address_is_another(PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                         PDXGK_DISPLAY_INFORMATION display)
{
    NTSTATUS status =
        misbehave_driver.DxgkDdiStopDeviceAndReleasePostDisplayOwnership(context, target, display);

    display->PhysicAddress.QuadPart += display->Pitch;
    return status;
}

static NTSTATUS NTAPI shape_is_not_liked(const HANDLE adapter, const DXGKARG_SETPOINTERSHAPE *shape)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(shape);
    return STATUS_NOT_SUPPORTED;
}

/* The turn is taken over with the next commit. */
static NTSTATUS NTAPI turn_is_not_made(const HANDLE adapter,
                                       const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH *update)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(update);
    return STATUS_SUCCESS;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(CHILD_001, IN_DDI(QueryChildRelations), last_child_missing, SCENE_PLAIN),
    BREAKS_RULE(CHILD_002, IN_DDI(QueryChildStatus), child_unknown, SCENE_PLAIN),
    BREAKS_NO_RULE(IN_DDI(QueryChildStatus), child_does_not_answer, SCENE_PLAIN),
    BREAKS_RULE(CHILD_003, IN_DDI(QueryDeviceDescriptor), descriptor_of_nobody, SCENE_PLAIN),
    BREAKS_RULE(CHILD_003, IN_DDI(QueryDeviceDescriptor), descriptor_too_long, SCENE_PLAIN),
    BREAKS_RULE(CHILD_003, IN_DDI(QueryDeviceDescriptor), descriptor_without_end, SCENE_PLAIN),
    BREAKS_RULE(CHILD_004, IN_DDI(QueryDeviceDescriptor), descriptor_from_its_beginning,
                SCENE_PLAIN),
    BREAKS_RULE(CHILD_005, IN_DDI(QueryDeviceDescriptor), descriptor_changed, SCENE_PLAIN),
    BREAKS_RULE(CHILD_006, IN_CALLBACK(IndicateChildStatus), told_the_wrong_way_round,
                SCENE_REPLUG),
    BREAKS_RULE(CHILD_006, IN_CALLBACK(IndicateChildStatus), change_is_not_told, SCENE_REPLUG),
    BREAKS_RULE(CHILD_007, IN_DDI(QueryChildStatus), always_connected, SCENE_REPLUG),
    BREAKS_RULE(VIDPN_011, IN_DDI(CommitVidPn), others_go_dark, SCENE_REPLUG),
    BREAKS_RULE(VIDPN_011, IN_DDI(CommitVidPn), mode_of_one_alone, SCENE_MODES | SCENE_MORE_RULES),
    BREAKS_RULE(PRES_041, IN_DDI(UpdateActiveVidPnPresentPath), turn_is_not_made, SCENE_MODES),
    BREAKS_RULE(VIDPN_012, IN_DDI(IsSupportedVidPn), no_path_comes_back,
                SCENE_REPLUG | SCENE_MORE_RULES),
    BREAKS_RULE(VIDPN_001, IN_DDI(IsSupportedVidPn), no_is_an_error, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_001, IN_DDI(IsSupportedVidPn), nothing_is_refused, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_001, IN_DDI(IsSupportedVidPn), topology_wrong_and_supported, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_002, IN_DDI(EnumVidPnCofuncModality), pivot_is_replaced, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_002, IN_DDI(EnumVidPnCofuncModality), pinned_is_replaced, SCENE_MORE_RULES),
    BREAKS_NO_RULE(IN_DDI(EnumVidPnCofuncModality), pinned_stays_in_new_set, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_003, IN_DDI(EnumVidPnCofuncModality), pin_does_not_bind, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_004, IN_DDI(EnumVidPnCofuncModality), nothing_is_visible, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_004, IN_DDI(EnumVidPnCofuncModality), stride_is_in_pixels, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_005, IN_DDI(EnumVidPnCofuncModality), path_is_kept, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_005, IN_DDI(CommitVidPn), new_set_is_forgotten, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_015, IN_DDI(RecommendMonitorModes), added_mode_is_released, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_006, IN_DDI(IsSupportedVidPn), everything_is_supported, SCENE_PLAIN),
    BREAKS_RULE_BESIDE(VIDPN_006, IN_DDI(IsSupportedVidPn), everything_is_supported, SCENE_PLAIN,
                       offer_scaling),
    BREAKS_NO_RULE_BESIDE(IN_DDI(IsSupportedVidPn), everything_is_supported, SCENE_PLAIN,
                          offer_scaling_in_vain),
    BREAKS_RULE(VIDPN_007, IN_DDI(EnumVidPnCofuncModality), nothing_turns, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_007, IN_DDI(EnumVidPnCofuncModality), scaling_is_offered, SCENE_ADVICE),
    BREAKS_RULE(VIDPN_008, IN_DDI(QueryVidPnHWCapability), one_capability_is_set, SCENE_WIN8),
    BREAKS_RULE(VIDPN_009, IN_DDI(EnumVidPnCofuncModality), end_of_list_is_answered, SCENE_PLAIN),
    BREAKS_RULE(SHOW_001, IN_DDI(SetVidPnSourceVisibility), nothing_is_hidden, SCENE_PLAIN),
    BREAKS_RULE(SHOW_001, IN_DDI(SetVidPnSourceVisibility), stays_hidden, SCENE_PLAIN),
    BREAKS_RULE(SHOW_002, IN_DDI(SetPointerPosition), position_exchanged, SCENE_PLAIN),
    BREAKS_RULE(SHOW_002, IN_DDI(SetPointerPosition), position_not_negative, SCENE_PLAIN),
    BREAKS_RULE(SHOW_002, IN_DDI(SetPointerPosition), pointer_stays, SCENE_PLAIN),
    BREAKS_RULE(SHOW_008, IN_DDI(SetPointerShape), shape_is_not_liked, SCENE_PLAIN),
    BREAKS_RULE(SHOW_003, IN_DDI(GetScanLine), always_in_blank, SCENE_PLAIN),
    BREAKS_RULE(SHOW_003, IN_DDI(GetScanLine), never_in_blank, SCENE_PLAIN),
    BREAKS_RULE(SHOW_003, IN_DDI(GetScanLine), line_stands_still, SCENE_PLAIN),
    BREAKS_RULE(SHOW_004, IN_DDI(SystemDisplayEnable), another_mode_is_told, SCENE_STOP_SCREEN),
    BREAKS_RULE(SHOW_005, IN_DDI(SystemDisplayWrite), stride_is_ignored, SCENE_STOP_SCREEN),
    BREAKS_RULE(SHOW_006, IN_DDI(StopDeviceAndReleasePostDisplayOwnership), address_is_another,
                SCENE_RELEASE),
    BREAKS_RULE(FLIP_004, IN_DDI(SetVidPnSourceAddress), flips_tear, SCENE_PLAIN),
    BREAKS_RULE(FLIP_004, IN_DDI(SetVidPnSourceAddress), flips_wait, SCENE_FLIPS),
    BREAKS_RULE(ALLOC_024, IN_DDI(DescribeAllocation), described_sideways, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_010, IN_DDI(EnumVidPnCofuncModality), first_is_preferred, SCENE_ADVICE),
};

MISBEHAVIOURS(display);
