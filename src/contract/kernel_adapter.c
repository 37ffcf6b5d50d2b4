/* The kernel's own duties: starting and stopping an adapter, its questions, its resets. */
#include "contract/internal.h"
#include "contract/kernel_shadow.h"

#include "machine/machine.h"

enum { REASON_ADAPTER_TIMEOUT = 0x117, REASON_ENGINE_TIMEOUT = 0x141 };

/* ---- Life -------------------------------------------------------------------------------------
 */

static bool adds_once(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->shadow->state == CONTRACT_DEVICE_ABSENT,
                        "AddDevice for a device that is not there", "state %d",
                        (int)call->shadow->state);
}

static bool starts_added(struct contract_call *call)
{
    return KERNEL_KEEPS(call,
                        call->shadow->state == CONTRACT_DEVICE_ADDED ||
                            call->shadow->state == CONTRACT_DEVICE_STOPPED,
                        "StartDevice after AddDevice or StopDevice", "state %d",
                        (int)call->shadow->state);
}

static bool stops_started(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->shadow->state == CONTRACT_DEVICE_STARTED,
                        "StopDevice after StartDevice", "state %d", (int)call->shadow->state);
}

static bool stops_once(struct contract_call *call)
{
    return KERNEL_KEEPS(call, !call->shadow->kernel->released,
                        "no StopDevice after StopDeviceAndReleasePostDisplayOwnership",
                        "it was released");
}

static bool removes_stopped(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->shadow->state != CONTRACT_DEVICE_STARTED,
                        "RemoveDevice after StopDevice", "state %d", (int)call->shadow->state);
}

static bool removal_supported(struct contract_call *call)
{
    const DXGK_DRIVERCAPS *caps = &call->shadow->caps;

    return KERNEL_KEEPS(call,
                        caps->SupportSurpriseRemovalInHibernation || caps->SupportSurpriseRemoval,
                        "a driver that supports surprise removal", "it does not");
}

/* The driver's own handle, on everything that is about the adapter. */
static bool adapter_handle(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->first == call->shadow->miniport_context,
                        "the context that AddDevice gave", "%p, not %p", call->first,
                        call->shadow->miniport_context);
}

static bool adapter_started(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->shadow->state == CONTRACT_DEVICE_STARTED,
                        "work between StartDevice and StopDevice", "state %d",
                        (int)call->shadow->state);
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
        call, (descriptors != NULL) == call->shadow->kernel->segments_counted[query->Type],
        "the count first, then the descriptors", "descriptors at %p", descriptors);
}

/* ---- Resets -------------------------------------------------------------------------------------
 */

static bool debug_info(struct contract_call *call)
{
    const DXGKARG_COLLECTDBGINFO *collect = call->arguments;

    return KERNEL_KEEPS(
        call,
        call->irql < MACHINE_IRQL_DISPATCH && collect->pBuffer && collect->BufferSize > 0 &&
            !call->shadow->in_reset &&
            (collect->Reason == REASON_ADAPTER_TIMEOUT || collect->Reason == REASON_ENGINE_TIMEOUT),
        "before the reset at PASSIVE_LEVEL, with its reason and a buffer",
        "IRQL %u, reason 0x%X, %llu bytes", call->irql, collect->Reason,
        (unsigned long long)collect->BufferSize);
}

static bool restarts_reset(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->shadow->in_reset && call->irql < MACHINE_IRQL_DISPATCH,
                        "after ResetFromTimeout, at PASSIVE_LEVEL", "IRQL %u, reset %d", call->irql,
                        call->shadow->in_reset);
}

static bool resets_once(struct contract_call *call)
{
    return KERNEL_KEEPS(call, !call->shadow->in_reset && call->irql < MACHINE_IRQL_DISPATCH,
                        "one reset at a time, at PASSIVE_LEVEL", "IRQL %u, reset %d", call->irql,
                        call->shadow->in_reset);
}

#define FOR_ADAPTER_CALLS(X)                                                             \
    X(QueryAdapterInfo)                                                                  \
    X(CreateDevice) X(CreateAllocation) X(DestroyAllocation) X(DescribeAllocation)       \
        X(GetStandardAllocationDriverData) X(Patch) X(SubmitCommand) X(PreemptCommand)   \
            X(CancelCommand) X(BuildPagingBuffer) X(QueryCurrentFence) X(CollectDbgInfo) \
                X(ResetFromTimeout) X(RestartFromTimeout) X(SetVidPnSourceAddress)       \
                    X(SetVidPnSourceVisibility) X(CommitVidPn) X(GetScanLine)

/* Those that need the hardware to be there. */
#define FOR_WORKING_CALLS(X)                                                                \
    X(CreateDevice)                                                                         \
    X(CreateAllocation) X(DestroyAllocation) X(Render) X(Present) X(Patch) X(SubmitCommand) \
        X(PreemptCommand) X(BuildPagingBuffer) X(ResetFromTimeout) X(SetVidPnSourceAddress) \
            X(CommitVidPn)

static const struct contract_row rows[] = {
    KERNEL(PNP_001, AddDevice, adds_once),
    KERNEL(PNP_004, StartDevice, starts_added),
    KERNEL(PNP_004, StopDevice, stops_started),
    KERNEL(PNP_005, StopDevice, stops_once),
    KERNEL(PNP_004, RemoveDevice, removes_stopped),
    KERNEL(PNP_009, NotifySurpriseRemoval, removal_supported),
#define ROW(name) KERNEL(PNP_001, name, adapter_handle),
    FOR_ADAPTER_CALLS(ROW)
#undef ROW
#define ROW(name) KERNEL(PNP_004, name, adapter_started),
        FOR_WORKING_CALLS(ROW)
#undef ROW
            KERNEL(CAPS_005, QueryAdapterInfo, asks_twice),
    KERNEL(TDR_010, CollectDbgInfo, debug_info),
    KERNEL(TDR_001, ResetFromTimeout, resets_once),
    KERNEL(TDR_009, RestartFromTimeout, restarts_reset),
};

const struct contract_family contract_family_kernel_adapter = FAMILY_OF(rows);
