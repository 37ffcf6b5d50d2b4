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

/* Nothing, if all were shown. */
static const char *how_many_more(const struct names *names, char *text, size_t size)
{
    text[0] = '\0';
    if (names->count > NAMES_SHOWN) {
        snprintf(text, size, " and %u more", names->count - NAMES_SHOWN);
    }
    return text;
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
    char more[40];

    if (!contract_caps_answered(call, &caps)) {
        return true;
    }
    if (caps.WDDMVersion < DXGKDDI_WDDMv2_6) {
        return contract_say(call, "WDDMVersion DXGKDDI_WDDMv2_6 or later of a compute-only driver",
                            "WDDMVersion is 0x%X, with ComputeOnly", (unsigned)caps.WDDMVersion);
    }
    add_those_clear(&names, &caps);
    return names.count == 0 ||
           contract_say(call, "the caps that the page of compute-only drivers wants to be set",
                        "with ComputeOnly: %s%s", names.text,
                        how_many_more(&names, more, sizeof more));
}

static bool display_caps_are_zero(struct contract_call *call)
{
    struct names names = {.count = 0};
    DXGK_DRIVERCAPS caps;
    char more[40];

    if (!contract_caps_answered(call, &caps)) {
        return true;
    }
    add_those_set(&names, &caps);
    return names.count == 0 ||
           contract_say(call, "0 in the caps that the page of compute-only drivers wants so",
                        "with ComputeOnly: %s%s", names.text,
                        how_many_more(&names, more, sizeof more));
}

/* ---- Functions ------------------------------------------------------------------------------- */

#define NEEDED(X)                                                                                  \
    X(AddDevice)                                                                                   \
    X(BuildPagingBuffer) X(CalibrateGpuClock) X(CloseAllocation) X(CollectDbgInfo)                 \
        X(CreateAllocation) X(CreateContext) X(CreateDevice) X(DescribeAllocation)                 \
            X(DestroyAllocation) X(DestroyContext) X(DestroyDevice) X(DpcRoutine)                  \
                X(FormatHistoryBuffer) X(GetNodeMetadata) X(GetStandardAllocationDriverData)       \
                    X(InterruptRoutine) X(OpenAllocation) X(PreemptCommand) X(QueryAdapterInfo)    \
                        X(QueryDependentEngineGroup) X(QueryDeviceDescriptor) X(QueryEngineStatus) \
                            X(RemoveDevice) X(ResetDevice) X(ResetEngine) X(ResetFromTimeout)      \
                                X(RestartFromTimeout) X(SetPowerState) X(SetStablePowerState)      \
                                    X(SetVirtualMachineData) X(StartDevice) X(StopDevice)          \
                                        X(Unload) X(QueryChildStatus) X(QueryChildRelations)

/* QueryConnectionChange stands in both lists of the page, and is in neither here. */
#define UNWANTED(X)                                                                                \
    X(AcquireSwizzlingRange)                                                                       \
    X(CheckMultiPlaneOverlaySupport) X(CheckMultiPlaneOverlaySupport2) X(                          \
        CheckMultiPlaneOverlaySupport3) X(CommitVidPn) X(ControlDiagnosticReporting)               \
        X(ControlInterrupt) X(ControlInterrupt2) X(ControlModeBehavior) X(CreateOverlay) X(        \
            CreatePeriodicFrameNotification) X(CreateProtectedSession) X(DestroyOverlay)           \
            X(DestroyPeriodicFrameNotification) X(DestroyProtectedSession) X(DisplayDetectControl) \
                X(EnumVidPnCofuncModality) X(ExchangePreStartInfo) X(FlipOverlay) X(               \
                    GetMultiPlaneOverlayCaps) X(GetPostCompositionCaps) X(GetScanLine)             \
                    X(IsSupportedVidPn) X(NotifyAcpiEvent) X(NotifyFocusPresent) X(                \
                        PostMultiPlaneOverlayPresent) X(Present) X(QueryCurrentFence)              \
                        X(QueryDiagnosticTypesSupport) X(QueryVidPnHWCapability) X(                \
                            RecommendFunctionalVidPn) X(RecommendMonitorModes)                     \
                            X(RecommendVidPnTopology) X(ReleaseSwizzlingRange) X(RenderGdi) X(     \
                                RenderKm) X(SetDisplayPrivateDriverFormat) X(SetPalette)           \
                                X(SetPointerPosition) X(SetPointerShape) X(SetPowerPState) X(      \
                                    SetTargetAdjustedColorimetry) X(SetTargetAdjustedColorimetry2) \
                                    X(SetTargetAnalogCopyProtection) X(SetTargetContentType)       \
                                        X(SetTargetGamma) X(SetTimingsFromVidPn)                   \
                                            X(SetVideoProtectedRegion) X(SetVidPnSourceAddress) X( \
                                                SetVidPnSourceAddressWithMultiPlaneOverlay)        \
                                                X(SetVidPnSourceAddressWithMultiPlaneOverlay2) X(  \
                                                    SetVidPnSourceAddressWithMultiPlaneOverlay3)   \
                                                    X(SetVidPnSourceVisibility) X(StopCapture) X(  \
                                                        StopDeviceAndReleasePostDisplayOwnership)  \
                                                        X(SubmitRender) X(SystemDisplayEnable)     \
                                                            X(SystemDisplayWrite)                  \
                                                                X(UpdateActiveVidPnPresentPath)    \
                                                                    X(UpdateMonitorLinkInfo)       \
                                                                        X(UpdateOverlay)

struct function {
    const char *name;
    enum contract_point point;
};

#define X(name) {"DxgkDdi" #name, POINT_##name},
static const struct function needed[] = {NEEDED(X)};
static const struct function unwanted[] = {UNWANTED(X)};
#undef X

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
    char more[40];

    add_functions(&names, call, needed, sizeof needed / sizeof needed[0], false);
    return names.count == 0 ||
           contract_say(call, "the functions that a compute-only driver has at least",
                        "DRIVER_INITIALIZATION_DATA has no %s%s", names.text,
                        how_many_more(&names, more, sizeof more));
}

static bool unwanted_functions_are_not(struct contract_call *call)
{
    struct names names = {.count = 0};
    char more[40];

    add_functions(&names, call, unwanted, sizeof unwanted / sizeof unwanted[0], true);
    return names.count == 0 ||
           contract_say(call, "none of the functions that a compute-only driver must not provide",
                        "DRIVER_INITIALIZATION_DATA has %s%s", names.text,
                        how_many_more(&names, more, sizeof more));
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
