/* What the page of compute-only drivers (mcdm-implementation-guidelines.md) asks for, as advice:
 * Microsoft's own sample of such a driver does otherwise in most of it, and runs. */
#include "contract/internal.h"

#include <stdio.h>
#include <string.h>

#define NAMES_SHOWN 6

/* The first names of several, and how many there are. */
struct names {
    char text[400];
    size_t length;
    unsigned count;
};

static void add_name(struct names *names, const char *format, const char *name, unsigned value)
{
    if (names->count++ < NAMES_SHOWN) {
        names->length +=
            (size_t)snprintf(names->text + names->length, sizeof names->text - names->length, "%s",
                             names->count > 1 ? ", " : "");
        names->length += (size_t)snprintf(names->text + names->length,
                                          sizeof names->text - names->length, format, name, value);
    }
}

/* None is what is right. */
static bool is_none(struct contract_call *call, const struct names *names, const char *expected,
                    const char *what)
{
    char more[40] = "";

    if (names->count > NAMES_SHOWN) {
        snprintf(more, sizeof more, " and %u more", names->count - NAMES_SHOWN);
    }
    return names->count == 0 || contract_say(call, expected, "%s %s%s", what, names->text, more);
}

static bool is_compute_only(const struct contract_call *call)
{
    DXGK_DRIVERCAPS caps;

    return contract_caps_answered(call, &caps) && caps.MiscCaps.ComputeOnly;
}

/* ---- Caps ------------------------------------------------------------------------------------ */

struct cap {
    const char *name;
    unsigned value;
};

static void add_those_with(struct names *names, const struct cap *list, size_t count, bool set)
{
    for (size_t i = 0; i < count; i++) {
        if ((list[i].value != 0) == set) {
            add_name(names, "%s %u", list[i].name, list[i].value);
        }
    }
}

static void add_those_clear(struct names *names, const DXGK_DRIVERCAPS *caps)
{
    const struct cap list[] = {
        {"SupportPerEngineTDR", caps->SupportPerEngineTDR},
        {"SchedulingCaps.MultiEngineAware", caps->SchedulingCaps.MultiEngineAware},
        {"SchedulingCaps.PreemptionAware", caps->SchedulingCaps.PreemptionAware},
        {"SchedulingCaps.LowIrqlPreemptCommand", caps->SchedulingCaps.LowIrqlPreemptCommand},
        {"PreemptionCaps.ComputePreemptionGranularity",
         caps->PreemptionCaps.ComputePreemptionGranularity != D3DKMDT_COMPUTE_PREEMPTION_NONE},
    };

    add_those_with(names, list, sizeof list / sizeof list[0], false);
}

static void add_those_set(struct names *names, const DXGK_DRIVERCAPS *caps)
{
    const struct cap list[] = {
        {"MaxAllocationListSlotId", caps->MaxAllocationListSlotId},
        {"ApertureSegmentCommitLimit", caps->ApertureSegmentCommitLimit != 0},
        {"MaxPointerWidth", caps->MaxPointerWidth},
        {"MaxPointerHeight", caps->MaxPointerHeight},
        {"PointerCaps", caps->PointerCaps.Value},
        {"NumberOfSwizzlingRanges", caps->NumberOfSwizzlingRanges},
        {"MaxOverlays", caps->MaxOverlays},
        {"GammaRampCaps", caps->GammaRampCaps.Value},
        {"PresentationCaps", caps->PresentationCaps.Value},
        {"MaxQueuedFlipOnVSync", caps->MaxQueuedFlipOnVSync},
        {"FlipCaps", caps->FlipCaps.Value},
        {"SchedulingCaps.VSyncPowerSaveAware", caps->SchedulingCaps.VSyncPowerSaveAware},
        {"SchedulingCaps.NoDmaPatching", caps->SchedulingCaps.NoDmaPatching},
        {"SchedulingCaps.HwQueuePacketCap", caps->SchedulingCaps.HwQueuePacketCap},
        {"MemoryManagementCaps.OutOfOrderLock", caps->MemoryManagementCaps.OutOfOrderLock},
        {"MemoryManagementCaps.DedicatedPagingEngine",
         caps->MemoryManagementCaps.DedicatedPagingEngine},
        {"MemoryManagementCaps.PagingEngineCanSwizzle",
         caps->MemoryManagementCaps.PagingEngineCanSwizzle},
        {"MemoryManagementCaps.SectionBackedPrimary",
         caps->MemoryManagementCaps.SectionBackedPrimary},
        {"MemoryManagementCaps.ReplicateGdiContent",
         caps->MemoryManagementCaps.ReplicateGdiContent},
        {"MemoryManagementCaps.NonCpuVisiblePrimary",
         caps->MemoryManagementCaps.NonCpuVisiblePrimary},
        {"SupportNonVGA", caps->SupportNonVGA},
        {"SupportSmoothRotation", caps->SupportSmoothRotation},
        {"SupportDirectFlip", caps->SupportDirectFlip},
        {"SupportMultiPlaneOverlay", caps->SupportMultiPlaneOverlay},
        {"MaxOverlayPlanes", caps->MaxOverlayPlanes},
        {"HybridDiscrete", caps->HybridDiscrete},
        {"HybridIntegrated", caps->HybridIntegrated},
        {"SupportMultiPlaneOverlayImmediateFlip", caps->SupportMultiPlaneOverlayImmediateFlip},
        {"CursorScaledWithMultiPlaneOverlayPlane0", caps->CursorScaledWithMultiPlaneOverlayPlane0},
        {"HybridAcpiChainingRequired", caps->HybridAcpiChainingRequired},
        {"MaxQueuedMultiPlaneOverlayFlipVSync", caps->MaxQueuedMultiPlaneOverlayFlipVSync},
        {"MiscCaps.SupportContextlessPresent", caps->MiscCaps.SupportContextlessPresent},
        {"MiscCaps.Detachable", caps->MiscCaps.Detachable},
    };

    add_those_with(names, list, sizeof list / sizeof list[0], true);
}

static bool compute_caps_are_set(struct contract_call *call)
{
    struct names names = {.count = 0};
    DXGK_DRIVERCAPS caps;

    if (!contract_caps_answered(call, &caps)) {
        return true;
    }
    if (caps.WDDMVersion < DXGKDDI_WDDMv2_6) {
        return contract_say(call, "WDDMVersion DXGKDDI_WDDMv2_6 or later of a compute-only driver",
                            "WDDMVersion is 0x%X, with ComputeOnly", (unsigned)caps.WDDMVersion);
    }
    add_those_clear(&names, &caps);
    return is_none(call, &names, "the caps that the page of compute-only drivers wants to be set",
                   "with ComputeOnly:");
}

static bool display_caps_are_zero(struct contract_call *call)
{
    struct names names = {.count = 0};
    DXGK_DRIVERCAPS caps;

    if (!contract_caps_answered(call, &caps)) {
        return true;
    }
    add_those_set(&names, &caps);
    return is_none(call, &names, "0 in the caps that the page of compute-only drivers wants so",
                   "with ComputeOnly:");
}

/* ---- Functions ------------------------------------------------------------------------------- */

struct function {
    const char *name;
    enum contract_point point;
};

#define OF(name)                      \
    {                                 \
        "DxgkDdi" #name, POINT_##name \
    }

static const struct function needed[] = {
    OF(AddDevice),
    OF(BuildPagingBuffer),
    OF(CalibrateGpuClock),
    OF(CloseAllocation),
    OF(CollectDbgInfo),
    OF(CreateAllocation),
    OF(CreateContext),
    OF(CreateDevice),
    OF(DescribeAllocation),
    OF(DestroyAllocation),
    OF(DestroyContext),
    OF(DestroyDevice),
    OF(DpcRoutine),
    OF(FormatHistoryBuffer),
    OF(GetNodeMetadata),
    OF(GetStandardAllocationDriverData),
    OF(InterruptRoutine),
    OF(OpenAllocation),
    OF(PreemptCommand),
    OF(QueryAdapterInfo),
    OF(QueryDependentEngineGroup),
    OF(QueryDeviceDescriptor),
    OF(QueryEngineStatus),
    OF(RemoveDevice),
    OF(ResetDevice),
    OF(ResetEngine),
    OF(ResetFromTimeout),
    OF(RestartFromTimeout),
    OF(SetPowerState),
    OF(SetStablePowerState),
    OF(SetVirtualMachineData),
    OF(StartDevice),
    OF(StopDevice),
    OF(Unload),
    OF(QueryChildStatus),
    OF(QueryChildRelations),
};

/* QueryConnectionChange stands in both lists of the page, and is in neither here. */
static const struct function unwanted[] = {
    OF(AcquireSwizzlingRange),
    OF(CheckMultiPlaneOverlaySupport),
    OF(CheckMultiPlaneOverlaySupport2),
    OF(CheckMultiPlaneOverlaySupport3),
    OF(CommitVidPn),
    OF(ControlDiagnosticReporting),
    OF(ControlInterrupt),
    OF(ControlInterrupt2),
    OF(ControlModeBehavior),
    OF(CreateOverlay),
    OF(CreatePeriodicFrameNotification),
    OF(CreateProtectedSession),
    OF(DestroyOverlay),
    OF(DestroyPeriodicFrameNotification),
    OF(DestroyProtectedSession),
    OF(DisplayDetectControl),
    OF(EnumVidPnCofuncModality),
    OF(ExchangePreStartInfo),
    OF(FlipOverlay),
    OF(GetMultiPlaneOverlayCaps),
    OF(GetPostCompositionCaps),
    OF(GetScanLine),
    OF(IsSupportedVidPn),
    OF(NotifyAcpiEvent),
    OF(NotifyFocusPresent),
    OF(PostMultiPlaneOverlayPresent),
    OF(Present),
    OF(QueryCurrentFence),
    OF(QueryDiagnosticTypesSupport),
    OF(QueryVidPnHWCapability),
    OF(RecommendFunctionalVidPn),
    OF(RecommendMonitorModes),
    OF(RecommendVidPnTopology),
    OF(ReleaseSwizzlingRange),
    OF(RenderGdi),
    OF(RenderKm),
    OF(SetDisplayPrivateDriverFormat),
    OF(SetPalette),
    OF(SetPointerPosition),
    OF(SetPointerShape),
    OF(SetPowerPState),
    OF(SetTargetAdjustedColorimetry),
    OF(SetTargetAdjustedColorimetry2),
    OF(SetTargetAnalogCopyProtection),
    OF(SetTargetContentType),
    OF(SetTargetGamma),
    OF(SetTimingsFromVidPn),
    OF(SetVideoProtectedRegion),
    OF(SetVidPnSourceAddress),
    OF(SetVidPnSourceAddressWithMultiPlaneOverlay),
    OF(SetVidPnSourceAddressWithMultiPlaneOverlay2),
    OF(SetVidPnSourceAddressWithMultiPlaneOverlay3),
    OF(SetVidPnSourceVisibility),
    OF(StopCapture),
    OF(StopDeviceAndReleasePostDisplayOwnership),
    OF(SubmitRender),
    OF(SystemDisplayEnable),
    OF(SystemDisplayWrite),
    OF(UpdateActiveVidPnPresentPath),
    OF(UpdateMonitorLinkInfo),
    OF(UpdateOverlay),
};

static void add_functions(struct names *names, const struct contract_call *call,
                          const struct function *list, size_t count, bool there)
{
    for (size_t i = 0; i < count; i++) {
        if (call->tracker->has[list[i].point] == there) {
            add_name(names, "%s", list[i].name, 0);
        }
    }
}

static bool needed_functions_are_there(struct contract_call *call)
{
    struct names names = {.count = 0};

    add_functions(&names, call, needed, sizeof needed / sizeof needed[0], false);
    return is_none(call, &names, "the functions that a compute-only driver has at least",
                   "DRIVER_INITIALIZATION_DATA has no");
}

static bool unwanted_functions_are_not(struct contract_call *call)
{
    struct names names = {.count = 0};

    add_functions(&names, call, unwanted, sizeof unwanted / sizeof unwanted[0], true);
    return is_none(call, &names,
                   "none of the functions that a compute-only driver must not provide",
                   "DRIVER_INITIALIZATION_DATA has");
}

static const struct contract_row rows[] = {
    AFTER(CAPS_016, QueryAdapterInfo, compute_caps_are_set, WHEN(is_compute_only), ADVISES,
          LEAVES_OUT("VirtualAddressingSupported, ParavirtualizationSupported: the page says that "
                     "each is needed, and how it is without it")),
    AFTER(CAPS_016, QueryAdapterInfo, display_caps_are_zero, WHEN(is_compute_only), ADVISES),
    AFTER(CAPS_017, QueryAdapterInfo, needed_functions_are_there, WHEN(is_compute_only), ADVISES,
          LEAVES_OUT("what is asked for together with a feature, which other rows look at")),
    AFTER(CAPS_017, QueryAdapterInfo, unwanted_functions_are_not, WHEN(is_compute_only), ADVISES),
};

const struct contract_family contract_family_compute = FAMILY_OF(rows);
