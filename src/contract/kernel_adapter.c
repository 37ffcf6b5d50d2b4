/* The kernel's own duties: starting and stopping an adapter, its questions, its resets. */
#include "contract/internal.h"

#include <string.h>

#include "machine/machine.h"

enum {
    REASON_ADAPTER_TIMEOUT = 0x117,
    REASON_ENGINE_TIMEOUT = 0x141,
    REASON_SCHEDULER = 0x119, /* of what stops the system, the one that is used here */
};

/* ---- Life -------------------------------------------------------------------------------------
 */

static bool adds_once(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->tracker->state == CONTRACT_DEVICE_ABSENT,
                        "AddDevice for a device that is not there", "state %d",
                        (int)call->tracker->state);
}

static bool starts_added(struct contract_call *call)
{
    return KERNEL_KEEPS(call,
                        call->tracker->state == CONTRACT_DEVICE_ADDED ||
                            call->tracker->state == CONTRACT_DEVICE_STOPPED,
                        "StartDevice after AddDevice or StopDevice", "state %d",
                        (int)call->tracker->state);
}

static bool stops_started(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->tracker->state == CONTRACT_DEVICE_STARTED,
                        "StopDevice after StartDevice", "state %d", (int)call->tracker->state);
}

static bool stops_once(struct contract_call *call)
{
    return KERNEL_KEEPS(call, !call->tracker->released,
                        "no StopDevice after StopDeviceAndReleasePostDisplayOwnership",
                        "it was released");
}

static bool removes_stopped(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->tracker->state != CONTRACT_DEVICE_STARTED,
                        "RemoveDevice after StopDevice", "state %d", (int)call->tracker->state);
}

static bool removal_supported(struct contract_call *call)
{
    const DXGK_DRIVERCAPS *caps = &call->tracker->caps;

    return KERNEL_KEEPS(call,
                        caps->SupportSurpriseRemovalInHibernation || caps->SupportSurpriseRemoval,
                        "a driver that supports surprise removal", "it does not");
}

/* The driver's own handle, on everything that is about the adapter. */
static bool adapter_handle(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->first == call->tracker->miniport_context,
                        "the context that AddDevice gave", "%p, not %p", call->first,
                        call->tracker->miniport_context);
}

static bool adapter_started(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->tracker->state == CONTRACT_DEVICE_STARTED,
                        "work between StartDevice and StopDevice", "state %d",
                        (int)call->tracker->state);
}

/* ---- Questions ---------------------------------------------------------------------------------
 */

static bool asks_twice(struct contract_call *call)
{
    const DXGKARG_QUERYADAPTERINFO *query = call->arguments;
    const void *descriptors;

    switch (query->Type) {
    case DXGKQAITYPE_QUERYSEGMENT:
        descriptors = ((const DXGK_QUERYSEGMENTOUT *)query->pOutputData)->pSegmentDescriptor;
        break;
    case DXGKQAITYPE_QUERYSEGMENT3:
        descriptors = ((const DXGK_QUERYSEGMENTOUT3 *)query->pOutputData)->pSegmentDescriptor;
        break;
    case DXGKQAITYPE_QUERYSEGMENT4:
        descriptors = ((const DXGK_QUERYSEGMENTOUT4 *)query->pOutputData)->pSegmentDescriptor;
        break;
    default:
        return true;
    }
    return KERNEL_KEEPS(
        call, (descriptors != NULL) == (call->tracker->segments_counted[query->Type] != 0),
        "the count first, then the descriptors", "descriptors at %p", descriptors);
}

/* A start that must fail ends with the caps: nothing is asked any more, no device is made. */
static bool reaches_memory(struct contract_call *call)
{
    return KERNEL_KEEPS(call, contract_reaches_memory(call->tracker),
                        "no work for a GPU that cannot reach all of memory",
                        "HighestAcceptableAddress 0x%llX",
                        (unsigned long long)call->tracker->caps.HighestAcceptableAddress.QuadPart);
}

/* ---- Resets -------------------------------------------------------------------------------------
 */

/* Before a reset at PASSIVE_LEVEL; where the system stops, at the highest. */
static bool reason_fits(const struct contract_call *call, ULONG reason)
{
    return (reason == REASON_SCHEDULER && call->irql == MACHINE_IRQL_HIGH) ||
           (call->irql < MACHINE_IRQL_DISPATCH && !call->tracker->in_reset &&
            (reason == REASON_ADAPTER_TIMEOUT || reason == REASON_ENGINE_TIMEOUT));
}

static bool debug_info(struct contract_call *call)
{
    const DXGKARG_COLLECTDBGINFO *collect = call->arguments;

    return KERNEL_KEEPS(
        call,
        collect->pBuffer && collect->BufferSize > 0 && collect->pExtension &&
            reason_fits(call, collect->Reason),
        "before the reset at PASSIVE_LEVEL, or where the system stops, with the reason, a buffer "
        "and an extension",
        "IRQL %u, reason 0x%X, %llu bytes", call->irql, collect->Reason,
        (unsigned long long)collect->BufferSize);
}

static bool restarts_reset(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->tracker->in_reset && call->irql < MACHINE_IRQL_DISPATCH,
                        "after ResetFromTimeout, at PASSIVE_LEVEL", "IRQL %u, reset %d", call->irql,
                        call->tracker->in_reset);
}

static bool resets_once(struct contract_call *call)
{
    return KERNEL_KEEPS(call, !call->tracker->in_reset && call->irql < MACHINE_IRQL_DISPATCH,
                        "one reset at a time, at PASSIVE_LEVEL", "IRQL %u, reset %d", call->irql,
                        call->tracker->in_reset);
}

/* Bytes 8 to 11 of an EDID. */
#define EDID_MAKER_AT 8u

static bool container_has_default(struct contract_call *call)
{
    static const GUID none;
    const DXGK_CHILD_CONTAINER_ID *given = call->before;
    const struct contract_child *child =
        contract_child_find(call->tracker, *(const ULONG *)call->extra);
    bool is_told = child && (!child->descriptor_known ||
                             memcmp(&given->EldInfo.ManufacturerName,
                                    child->descriptor + EDID_MAKER_AT, 2 * sizeof(USHORT)) == 0);

    return KERNEL_KEEPS(call, is_told && memcmp(&given->ContainerId, &none, sizeof none) != 0,
                        "a default of the descriptor, for a child that was listed", "ChildUid 0x%X",
                        (unsigned)*(const ULONG *)call->extra);
}

/* ---- Calls of any DDI: the exceptions ---------------------------------------------------- */

/* DDIs whose first handle is not the adapter's. All others are judged, those of later versions,
 * too: who adds a call of one that belongs here is told at once. */
static const bool of_another[POINT_DDI_COUNT] = {
    /* A device's or a context's. */
    [POINT_DestroyDevice] = true,
    [POINT_OpenAllocation] = true,
    [POINT_CloseAllocation] = true,
    [POINT_CreateContext] = true,
    [POINT_DestroyContext] = true,
    [POINT_CreateHwContext] = true,
    [POINT_DestroyHwContext] = true,
    [POINT_CreateHwQueue] = true,
    [POINT_SignalMonitoredFence] = true,
    [POINT_DestroyHwQueue] = true,
    [POINT_CreatePeriodicFrameNotification] = true,
    [POINT_DestroyPeriodicFrameNotification] = true,
    [POINT_DestroyNativeFence] = true,
    [POINT_CreateDoorbell] = true,
    [POINT_ConnectDoorbell] = true,
    [POINT_DisconnectDoorbell] = true,
    [POINT_DestroyDoorbell] = true,
    [POINT_NotifyWorkSubmission] = true,
    [POINT_UpdateMonitoredValues] = true,
    [POINT_UpdateCurrentValuesFromCpu] = true,
    [POINT_UpdateOverlay] = true,
    [POINT_FlipOverlay] = true,
    [POINT_DestroyOverlay] = true,
    [POINT_Render] = true,
    [POINT_RenderKm] = true,
    [POINT_RenderGdi] = true,
    [POINT_Present] = true,
    [POINT_PresentToHwQueue] = true,
    [POINT_FormatHistoryBuffer] = true,
    /* The adapter's, then the process's: the door hands on the first itself. */
    [POINT_DestroyProcess] = true,
    /* The door's own, which takes the adapter's from where it is kept: the call does not carry it
     * (ddi_enter in src/ddi/calls.c). */
    [POINT_AddDevice] = true, /* the answer is the handle */
    [POINT_StartDevice] = true,
    [POINT_StopDevice] = true,
    [POINT_StopDeviceAndReleasePostDisplayOwnership] = true,
    [POINT_RemoveDevice] = true,
    [POINT_Unload] = true,
    [POINT_QueryChildRelations] = true,
    [POINT_QueryChildStatus] = true,
    [POINT_QueryDeviceDescriptor] = true,
    [POINT_GetChildContainerId] = true,
    [POINT_SetPowerState] = true,
    [POINT_ResetDevice] = true,
    [POINT_SystemDisplayEnable] = true,
    [POINT_SystemDisplayWrite] = true,
    [POINT_NotifySurpriseRemoval] = true,
    [POINT_GetNodeMetadata] = true,
    [POINT_ControlInterrupt] = true,
    [POINT_ControlInterrupt2] = true,
    [POINT_ControlInterrupt3] = true,
    [POINT_PresentDisplayOnly] = true,
    [POINT_NotifyAcpiEvent] = true,
    [POINT_DispatchIoRequest] = true,
    [POINT_QueryInterface] = true,
    [POINT_FeatureInterfaceDereference] = true, /* its Context */
    [POINT_ControlEtwLogging] = true,
    [POINT_CalibrateGpuClock] = true,
    [POINT_SetStablePowerState] = true,
    [POINT_GetRootPageTableSize] = true,
    [POINT_SetRootPageTable] = true,
    [POINT_InterruptRoutine] = true,
    [POINT_DpcRoutine] = true,
};

static bool names_adapter(const struct contract_call *call)
{
    return !of_another[call->point];
}

/* DDIs that may be called when the adapter is not started. */
static const bool of_any_state[POINT_DDI_COUNT] = {
    /* They make the states, and have rows of their own. */
    [POINT_AddDevice] = true,
    [POINT_StartDevice] = true,
    [POINT_StopDevice] = true,
    [POINT_RemoveDevice] = true,
    [POINT_Unload] = true,
    /* The line is connected before StartDevice, until behind StopDevice. */
    [POINT_InterruptRoutine] = true,
    [POINT_DpcRoutine] = true,
    /* Where the system stops, whatever it was doing. */
    [POINT_ResetDevice] = true,
    [POINT_SystemDisplayEnable] = true,
    [POINT_SystemDisplayWrite] = true,
    [POINT_CollectDbgInfo] = true,
    /* Of the driver, and of the device object that AddDevice was given. */
    [POINT_ControlEtwLogging] = true,
    [POINT_QueryInterface] = true,
    [POINT_DispatchIoRequest] = true,
    /* The driver asks the kernel, in StartDevice. */
    [POINT_QueryFeatureSupport] = true,
    [POINT_FeatureInterfaceDereference] = true,
};

static bool needs_start(const struct contract_call *call)
{
    return !of_any_state[call->point];
}

static const struct contract_row rows[] = {
    KERNEL(PNP_001, AddDevice, adds_once),
    KERNEL(PNP_004, StartDevice, starts_added),
    KERNEL(PNP_005, StopDevice, stops_once), /* first: who released is stopped, too [PNP-004] */
    KERNEL(PNP_004, StopDevice, stops_started),
    KERNEL(PNP_004, RemoveDevice, removes_stopped),
    KERNEL(PNP_009, NotifySurpriseRemoval, removal_supported),
#define DDI(name, irql, level) KERNEL(PNP_001, name, adapter_handle, WHEN(names_adapter)),
#include "contract/ddis.def"
#undef DDI
#define DDI(name, irql, level) KERNEL(PNP_004, name, adapter_started, WHEN(needs_start)),
#include "contract/ddis.def"
#undef DDI
    KERNEL(CAPS_005, QueryAdapterInfo, asks_twice),
    KERNEL(CAPS_009, QueryAdapterInfo, reaches_memory),
    KERNEL(CAPS_009, GetNodeMetadata, reaches_memory),
    KERNEL(CAPS_009, QueryChildRelations, reaches_memory),
    KERNEL(CAPS_009, CreateDevice, reaches_memory),
    KERNEL_AFTER(CHILD_010, GetChildContainerId, container_has_default),
    KERNEL(TDR_010, CollectDbgInfo, debug_info),
    KERNEL(TDR_001, ResetFromTimeout, resets_once),
    KERNEL(TDR_009, RestartFromTimeout, restarts_reset),
};

const struct contract_family contract_family_kernel_adapter = FAMILY_OF(rows);
