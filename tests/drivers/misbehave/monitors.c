/* monitors.c: modes that a driver adds to those of a monitor, and what it leaves on one. */
#include "misbehave.h"

struct written {
    D3DKMDT_MODE_PREFERENCE preference;
    UINT rows_a_second;
};

/* One more mode, of 640 x 480 pixels at 60 Hz. */
static NTSTATUS add_mode(const HANDLE adapter, const DXGKARG_RECOMMENDMONITORMODES *arguments,
                         const struct written *written)
{
    const DXGK_MONITORSOURCEMODESET_INTERFACE *set = arguments->pMonitorSourceModeSetInterface;
    D3DKMDT_MONITOR_SOURCE_MODE *mode;

    if (NT_SUCCESS(set->pfnCreateNewModeInfo(arguments->hMonitorSourceModeSet, &mode))) {
        D3DKMDT_VIDEO_SIGNAL_INFO *signal = &mode->VideoSignalInfo;

        signal->VideoStandard = D3DKMDT_VSS_OTHER;
        signal->ActiveSize.cx = 640;
        signal->ActiveSize.cy = 480;
        signal->TotalSize.cx = 800;
        signal->TotalSize.cy = 525;
        signal->VSyncFreq.Numerator = 60;
        signal->VSyncFreq.Denominator = 1;
        signal->HSyncFreq.Numerator = written->rows_a_second;
        signal->HSyncFreq.Denominator = 1;
        signal->PixelRate = 25200000;
        signal->ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
        mode->ColorBasis = D3DKMDT_CB_SRGB;
        mode->Origin = D3DKMDT_MCO_DRIVER;
        mode->Preference = written->preference;
        if (!NT_SUCCESS(set->pfnAddMode(arguments->hMonitorSourceModeSet, mode))) {
            (void)set->pfnReleaseModeInfo(arguments->hMonitorSourceModeSet, mode);
        }
    }
    return misbehave_driver.DxgkDdiRecommendMonitorModes(adapter, arguments);
}

/* "Not the preferred one: nothing to write." */
static NTSTATUS NTAPI preference_left_alone(const HANDLE adapter,
                                            const DXGKARG_RECOMMENDMONITORMODES *const arguments)
{
    return add_mode(
        adapter, arguments,
        &(struct written){.preference = D3DKMDT_MP_UNINITIALIZED, .rows_a_second = 31500});
}

/* "31.5 kHz, as the monitor's manual has it." */
static NTSTATUS NTAPI rows_in_kilohertz(const HANDLE adapter,
                                        const DXGKARG_RECOMMENDMONITORMODES *const arguments)
{
    return add_mode(adapter, arguments,
                    &(struct written){.preference = D3DKMDT_MP_NOTPREFERRED, .rows_a_second = 31});
}

/* A row for each column, as public drivers count, of a screen as wide as there are. */
static NTSTATUS NTAPI rows_are_columns(const HANDLE adapter,
                                       const DXGKARG_RECOMMENDMONITORMODES *const arguments)
{
    return add_mode(
        adapter, arguments,
        &(struct written){.preference = D3DKMDT_MP_NOTPREFERRED, .rows_a_second = 113400});
}

/* Those that are seen alone. */
static NTSTATUS NTAPI rows_without_blank(const HANDLE adapter,
                                         const DXGKARG_RECOMMENDMONITORMODES *const arguments)
{
    return add_mode(
        adapter, arguments,
        &(struct written){.preference = D3DKMDT_MP_NOTPREFERRED, .rows_a_second = 28800});
}

/* Two fields to a picture. */
static NTSTATUS NTAPI rows_of_fields(const HANDLE adapter,
                                     const DXGKARG_RECOMMENDMONITORMODES *const arguments)
{
    return add_mode(
        adapter, arguments,
        &(struct written){.preference = D3DKMDT_MP_NOTPREFERRED, .rows_a_second = 15750});
}

static NTSTATUS NTAPI draft_is_forgotten(const HANDLE adapter,
                                         const DXGKARG_RECOMMENDMONITORMODES *const arguments)
{
    D3DKMDT_MONITOR_SOURCE_MODE *mode;

    (void)arguments->pMonitorSourceModeSetInterface->pfnCreateNewModeInfo(
        arguments->hMonitorSourceModeSet, &mode);
    return misbehave_driver.DxgkDdiRecommendMonitorModes(adapter, arguments);
}

/* It is asked for before any other, of a monitor that says nothing of itself. */
static NTSTATUS NTAPI nothing_is_preferred(const HANDLE adapter,
                                           const DXGKARG_RECOMMENDMONITORMODES *const arguments)
{
    const DXGK_MONITORSOURCEMODESET_INTERFACE *set = arguments->pMonitorSourceModeSetInterface;
    const D3DKMDT_MONITOR_SOURCE_MODE *mode;
    NTSTATUS status = set->pfnAcquirePreferredModeInfo(arguments->hMonitorSourceModeSet, &mode);

    if (NT_SUCCESS(status) && status != STATUS_GRAPHICS_NO_PREFERRED_MODE) {
        (void)set->pfnReleaseModeInfo(arguments->hMonitorSourceModeSet, mode);
    }
    return misbehave_driver.DxgkDdiRecommendMonitorModes(adapter, arguments);
}

static NTSTATUS NTAPI monitor_is_silent(const PVOID context, ULONG child,
                                        PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(child);
    UNREFERENCED_PARAMETER(descriptor);
    return STATUS_MONITOR_NO_DESCRIPTOR;
}

static void silence_monitors(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiQueryDeviceDescriptor = monitor_is_silent;
}

/* One mode more, as a display-only driver tells it. */
static NTSTATUS NTAPI rate_is_left_out(const HANDLE adapter,
                                       const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);
    const DXGK_VIDPNTARGETMODESET_INTERFACE *set_interface;
    const D3DKMDT_VIDPN_TARGET_MODE *first;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_VIDPN_TARGET_MODE *mode;
    D3DKMDT_HVIDPNTARGETMODESET set;

    if (!NT_SUCCESS(misbehave_kernel.DxgkCbQueryVidPnInterface(
            arguments->hConstrainingVidPn, DXGK_VIDPN_INTERFACE_VERSION_V1, &interface)) ||
        interface->pfnAcquireTargetModeSet(arguments->hConstrainingVidPn, 0, &set,
                                           &set_interface) != STATUS_SUCCESS) {
        return status;
    }
    if (set_interface->pfnAcquireFirstModeInfo(set, &first) == STATUS_SUCCESS) {
        if (NT_SUCCESS(set_interface->pfnCreateNewModeInfo(set, &mode))) {
            mode->VideoSignalInfo = first->VideoSignalInfo;
            mode->VideoSignalInfo.VSyncFreq.Numerator = D3DKMDT_FREQUENCY_NOTSPECIFIED;
            mode->VideoSignalInfo.VSyncFreq.Denominator = D3DKMDT_FREQUENCY_NOTSPECIFIED;
            mode->Preference = D3DKMDT_MP_NOTPREFERRED;
            if (!NT_SUCCESS(set_interface->pfnAddMode(set, mode))) {
                (void)set_interface->pfnReleaseModeInfo(set, mode);
            }
        }
        (void)set_interface->pfnReleaseModeInfo(set, first);
    }
    (void)interface->pfnReleaseTargetModeSet(arguments->hConstrainingVidPn, set);
    return status;
}

/* ---- Sources and targets --------------------------------------------------------------------- */

static BOOLEAN is_source_pinned(D3DKMDT_HVIDPN vidpn, const DXGK_VIDPN_INTERFACE *interface)
{
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *modes;
    const D3DKMDT_VIDPN_SOURCE_MODE *mode = NULL;
    D3DKMDT_HVIDPNSOURCEMODESET set;

    if (interface->pfnAcquireSourceModeSet(vidpn, 0, &set, &modes) != STATUS_SUCCESS) {
        return FALSE;
    }
    if (modes->pfnAcquirePinnedModeInfo(set, &mode) == STATUS_SUCCESS && mode != NULL) {
        (void)modes->pfnReleaseModeInfo(set, mode);
    }
    (void)interface->pfnReleaseSourceModeSet(vidpn, set);
    return mode != NULL;
}

/* One more mode like the first, of half the size. */
static void add_half(D3DKMDT_HVIDPNTARGETMODESET set,
                     const DXGK_VIDPNTARGETMODESET_INTERFACE *modes)
{
    const D3DKMDT_VIDPN_TARGET_MODE *first;
    D3DKMDT_VIDPN_TARGET_MODE *mode;

    if (modes->pfnAcquireFirstModeInfo(set, &first) != STATUS_SUCCESS) {
        return;
    }
    if (NT_SUCCESS(modes->pfnCreateNewModeInfo(set, &mode))) {
        mode->VideoSignalInfo = first->VideoSignalInfo;
        mode->VideoSignalInfo.ActiveSize.cx /= 2;
        mode->VideoSignalInfo.ActiveSize.cy /= 2;
        mode->Preference = D3DKMDT_MP_NOTPREFERRED;
        if (!NT_SUCCESS(modes->pfnAddMode(set, mode))) {
            (void)modes->pfnReleaseModeInfo(set, mode);
        }
    }
    (void)modes->pfnReleaseModeInfo(set, first);
}

static NTSTATUS NTAPI source_does_not_bind(const HANDLE adapter,
                                           const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);
    const DXGK_VIDPNTARGETMODESET_INTERFACE *modes;
    const D3DKMDT_VIDPN_TARGET_MODE *pinned = NULL;
    D3DKMDT_HVIDPN vidpn = arguments->hConstrainingVidPn;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_HVIDPNTARGETMODESET set;

    if (!NT_SUCCESS(status) || arguments->EnumPivotType != D3DKMDT_EPT_NOPIVOT ||
        !NT_SUCCESS(misbehave_kernel.DxgkCbQueryVidPnInterface(
            vidpn, DXGK_VIDPN_INTERFACE_VERSION_V1, &interface)) ||
        !is_source_pinned(vidpn, interface) ||
        interface->pfnAcquireTargetModeSet(vidpn, 0, &set, &modes) != STATUS_SUCCESS) {
        return status;
    }
    if (modes->pfnAcquirePinnedModeInfo(set, &pinned) == STATUS_SUCCESS && pinned != NULL) {
        (void)modes->pfnReleaseModeInfo(set, pinned);
    } else {
        add_half(set, modes);
    }
    (void)interface->pfnReleaseTargetModeSet(vidpn, set);
    return status;
}

/* "Who commits a mode wants to see it." */
static NTSTATUS NTAPI commit_shows(const HANDLE adapter, const DXGKARG_COMMITVIDPN *const arguments)
{
    DXGKARG_SETVIDPNSOURCEVISIBILITY visibility;
    NTSTATUS status = misbehave_driver.DxgkDdiCommitVidPn(adapter, arguments);

    if (NT_SUCCESS(status) && arguments->AffectedVidPnSourceId == 0) {
        RtlZeroMemory(&visibility, sizeof(visibility));
        visibility.VidPnSourceId = arguments->AffectedVidPnSourceId;
        visibility.Visible = TRUE;
        (void)misbehave_driver.DxgkDdiSetVidPnSourceVisibility(adapter, &visibility);
    }
    return status;
}

/* Hardware that goes dark at its next vertical sync, or takes that from a queue. */
static DXGKARG_SETVIDPNSOURCEVISIBILITY late_hiding;
static WORK_QUEUE_ITEM hides;
static HANDLE hidden_of;
static BOOLEAN hides_soon, hides_still;

static VOID NTAPI hide(PVOID context)
{
    LARGE_INTEGER time;

    UNREFERENCED_PARAMETER(context);
    time.QuadPart = -100000; /* 10 ms */
    (void)KeDelayExecutionThread(KernelMode, FALSE, &time);
    hides_soon = FALSE;
    if (hides_still) {
        (void)misbehave_driver.DxgkDdiSetVidPnSourceVisibility(hidden_of, &late_hiding);
    }
}

static NTSTATUS NTAPI hides_a_moment_later(const HANDLE adapter,
                                           const DXGKARG_SETVIDPNSOURCEVISIBILITY *arguments)
{
    if (arguments->VidPnSourceId != 0 || arguments->Visible) {
        hides_still = hides_still && arguments->VidPnSourceId != 0;
        return misbehave_driver.DxgkDdiSetVidPnSourceVisibility(adapter, arguments);
    }
    late_hiding = *arguments;
    hidden_of = adapter;
    hides_still = TRUE;
    if (!hides_soon) {
        hides_soon = TRUE;
        ExInitializeWorkItem(&hides, hide, NULL);
        ExQueueWorkItem(&hides, DelayedWorkQueue);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI stops_hiding(const PVOID context)
{
    hides_still = FALSE;
    return misbehave_driver.DxgkDdiStopDevice(context);
}

static NTSTATUS NTAPI hands_over(const PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                 PDXGK_DISPLAY_INFORMATION display)
{
    hides_still = FALSE;
    return misbehave_driver.DxgkDdiStopDeviceAndReleasePostDisplayOwnership(context, target,
                                                                            display);
}

static void hide_while_started(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiStopDevice = stops_hiding;
    table->DxgkDdiStopDeviceAndReleasePostDisplayOwnership = hands_over;
}

/* The desktop's picture is handed on. */
static NTSTATUS NTAPI picture_is_left(PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                      PDXGK_DISPLAY_INFORMATION display)
{
    NTSTATUS status =
        misbehave_driver.DxgkDdiStopDeviceAndReleasePostDisplayOwnership(context, target, display);
    void *row = NT_SUCCESS(status) && display->Width != 0
                    ? MmMapIoSpace(display->PhysicAddress, display->Pitch, MmNonCached)
                    : NULL;

    if (row != NULL) {
        RtlFillMemory((UCHAR *)row + 16 * 4, 4, 0x5A);
        MmUnmapIoSpace(row, display->Pitch);
    }
    return status;
}

/* "Nothing hangs on the scaling, which is always the same." */
static NTSTATUS NTAPI scaling_changes_nothing(
    const HANDLE adapter, const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    return arguments->EnumPivotType == D3DKMDT_EPT_SCALING
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);
}

/* What the first path supports, as it is told last. */
static void tell_support(D3DKMDT_HVIDPN vidpn, BOOLEAN scales, BOOLEAN turns)
{
    const DXGK_VIDPNTOPOLOGY_INTERFACE *paths;
    const DXGK_VIDPN_INTERFACE *interface;
    const D3DKMDT_VIDPN_PRESENT_PATH *path;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    D3DKMDT_VIDPN_PRESENT_PATH changed;

    if (NT_SUCCESS(misbehave_kernel.DxgkCbQueryVidPnInterface(
            vidpn, DXGK_VIDPN_INTERFACE_VERSION_V1, &interface)) &&
        NT_SUCCESS(interface->pfnGetTopology(vidpn, &topology, &paths)) &&
        paths->pfnAcquireFirstPathInfo(topology, &path) == STATUS_SUCCESS) {
        changed = *path;
        RtlZeroMemory(&changed.ContentTransformation.RotationSupport,
                      sizeof(changed.ContentTransformation.RotationSupport));
        changed.ContentTransformation.RotationSupport.Identity = turns;
        changed.ContentTransformation.RotationSupport.Rotate180 = turns;
        if (!scales) {
            RtlZeroMemory(&changed.ContentTransformation.ScalingSupport,
                          sizeof(changed.ContentTransformation.ScalingSupport));
        }
        (void)paths->pfnUpdatePathSupportInfo(topology, &changed);
        (void)paths->pfnReleasePathInfo(topology, path);
    }
}

/* The call with this pivot ends with a word on what is supported. */
static NTSTATUS tell_after(const HANDLE adapter, const DXGKARG_ENUMVIDPNCOFUNCMODALITY *arguments,
                           D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE pivot, BOOLEAN scales,
                           BOOLEAN turns)
{
    NTSTATUS status = misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);

    if (arguments->EnumPivotType == pivot) {
        tell_support(arguments->hConstrainingVidPn, scales, turns);
    }
    return status;
}

/* As of a driver that never calls pfnUpdatePathSupportInfo: one is shipped. */
static NTSTATUS NTAPI nothing_is_told(const HANDLE adapter,
                                      const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    return tell_after(adapter, arguments, D3DKMDT_EPT_NOPIVOT, FALSE, FALSE);
}

/* "With a pivot the paths are those of the call before." */
static NTSTATUS NTAPI supports_what_it_said(const HANDLE adapter,
                                            const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    return tell_after(adapter, arguments, D3DKMDT_EPT_VIDPNSOURCE, TRUE, FALSE);
}

/* "A path turns as it turns, whoever asks." */
static NTSTATUS NTAPI pivot_turns_anew(const HANDLE adapter,
                                       const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    return tell_after(adapter, arguments, D3DKMDT_EPT_ROTATION, TRUE, TRUE);
}

/* "It is drawn with the next position." */
static NTSTATUS NTAPI shape_waits(const HANDLE adapter, const DXGKARG_SETPOINTERSHAPE *shape)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSetPointerShape(adapter, shape);
    DXGKARG_SETPOINTERPOSITION hidden;

    RtlZeroMemory(&hidden, sizeof(hidden));
    hidden.VidPnSourceId = shape->VidPnSourceId;
    (void)misbehave_driver.DxgkDdiSetPointerPosition(adapter, &hidden);
    return status;
}

static DXGKARG_SETPOINTERPOSITION last_position;

static NTSTATUS NTAPI position_is_noted(const HANDLE adapter,
                                        const DXGKARG_SETPOINTERPOSITION *position)
{
    last_position = *position;
    return misbehave_driver.DxgkDdiSetPointerPosition(adapter, position);
}

static void note_positions(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSetPointerPosition = position_is_noted;
}

/* "Who gives a shape wants to see it." */
static NTSTATUS NTAPI shape_shows(const HANDLE adapter, const DXGKARG_SETPOINTERSHAPE *shape)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSetPointerShape(adapter, shape);
    DXGKARG_SETPOINTERPOSITION shown = last_position;

    if (shown.VidPnSourceId == shape->VidPnSourceId && !shown.Flags.Visible) {
        shown.X = shown.Y = 16;
        shown.Flags.Visible = 1;
        (void)misbehave_driver.DxgkDdiSetPointerPosition(adapter, &shown);
    }
    return status;
}

/* Masks are promised, and what was seen before stays. */
static NTSTATUS NTAPI promises_masks(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (NT_SUCCESS(status) && query->Type == DXGKQAITYPE_DRIVERCAPS) {
        ((DXGK_DRIVERCAPS *)query->pOutputData)->PointerCaps.Monochrome = 1;
    }
    return status;
}

static void promise_masks(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiQueryAdapterInfo = promises_masks;
}

static NTSTATUS NTAPI masks_are_ignored(const HANDLE adapter, const DXGKARG_SETPOINTERSHAPE *shape)
{
    return shape->Flags.Monochrome ? STATUS_SUCCESS
                                   : misbehave_driver.DxgkDdiSetPointerShape(adapter, shape);
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(VIDPN_003, IN_DDI(EnumVidPnCofuncModality), scaling_changes_nothing, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_007, IN_DDI(EnumVidPnCofuncModality), nothing_is_told, SCENE_ADVICE),
    BREAKS_RULE(VIDPN_007, IN_DDI(EnumVidPnCofuncModality), supports_what_it_said, SCENE_ADVICE),
    BREAKS_RULE(VIDPN_002, IN_DDI(EnumVidPnCofuncModality), pivot_turns_anew, SCENE_ADVICE),
    BREAKS_RULE(SHOW_002, IN_DDI(SetPointerShape), shape_waits, SCENE_PLAIN),
    BREAKS_RULE_BESIDE(SHOW_002, IN_DDI(SetPointerShape), shape_shows, SCENE_ADVICE,
                       note_positions),
    BREAKS_RULE_BESIDE(SHOW_002, IN_DDI(SetPointerShape), masks_are_ignored, SCENE_PLAIN,
                       promise_masks),
    BREAKS_RULE(VIDPN_003, IN_DDI(EnumVidPnCofuncModality), source_does_not_bind, SCENE_PLAIN),
    BREAKS_RULE(SHOW_001, IN_DDI(CommitVidPn), commit_shows, SCENE_REPLUG),
    BREAKS_NO_RULE_BESIDE(IN_DDI(SetVidPnSourceVisibility), hides_a_moment_later, SCENE_MODES,
                          hide_while_started),
    BREAKS_NO_RULE_BESIDE(IN_DDI(SetVidPnSourceVisibility), hides_a_moment_later, SCENE_REPLUG,
                          hide_while_started),
    BREAKS_RULE(SHOW_009, IN_DDI(StopDeviceAndReleasePostDisplayOwnership), picture_is_left,
                SCENE_RELEASE),
    BREAKS_RULE(VIDPN_005, IN_DDI(RecommendMonitorModes), draft_is_forgotten, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_004, IN_DDI(RecommendMonitorModes), preference_left_alone, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_004, IN_DDI(RecommendMonitorModes), rows_in_kilohertz, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_004, IN_DDI(RecommendMonitorModes), rows_are_columns, SCENE_ADVICE),
    BREAKS_RULE(VIDPN_004, IN_DDI(RecommendMonitorModes), rows_without_blank, SCENE_ADVICE),
    BREAKS_NO_RULE(IN_DDI(RecommendMonitorModes), rows_of_fields, SCENE_PLAIN),
    BREAKS_NO_RULE_BESIDE(IN_DDI(RecommendMonitorModes), nothing_is_preferred, SCENE_PLAIN,
                          silence_monitors),
    BREAKS_RULE(VIDPN_004, IN_DDI(EnumVidPnCofuncModality), rate_is_left_out, SCENE_ADVICE),
};

MISBEHAVIOURS(monitors);
