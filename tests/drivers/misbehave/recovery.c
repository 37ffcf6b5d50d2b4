/* recovery.c: resets, dumps and lost fences handled wrongly. */
#include "misbehave.h"

static NTSTATUS NTAPI reset_fails(const HANDLE adapter)
{
    (void)misbehave_driver.DxgkDdiResetFromTimeout(adapter);
    return STATUS_UNSUCCESSFUL;
}

static NTSTATUS NTAPI restart_fails(const HANDLE adapter)
{
    (void)misbehave_driver.DxgkDdiRestartFromTimeout(adapter);
    return STATUS_UNSUCCESSFUL;
}

/* The rings stay as they were before the reset: nothing that comes now is ever done. */
static NTSTATUS NTAPI restart_without_rings(const HANDLE adapter)
{
    struct softgpu_adapter *softgpu = adapter;

    softgpu->in_reset = FALSE;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI dump_too_long(const HANDLE adapter, const DXGKARG_COLLECTDBGINFO *collect)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCollectDbgInfo(adapter, collect);

    ((UCHAR *)collect->pBuffer)[collect->BufferSize] = 0;
    return status;
}

/* "It does not hold all of it." */
static NTSTATUS NTAPI dump_is_refused(const HANDLE adapter, const DXGKARG_COLLECTDBGINFO *collect)
{
    (void)misbehave_driver.DxgkDdiCollectDbgInfo(adapter, collect);
    return STATUS_BUFFER_TOO_SMALL;
}

static NTSTATUS NTAPI fence_reported_again(const HANDLE adapter, DXGKARG_QUERYCURRENTFENCE *query)
{
    if (misbehave_once()) {
        misbehave_repeat_report_synchronised(query->NodeOrdinal);
    }
    return misbehave_driver.DxgkDdiQueryCurrentFence(adapter, query);
}

static NTSTATUS NTAPI fence_never_submitted(const HANDLE adapter, DXGKARG_QUERYCURRENTFENCE *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryCurrentFence(adapter, query);

    query->CurrentFence += 1000;
    return status;
}

/* "Nothing was completed since I was asked last." */
static NTSTATUS NTAPI fence_of_before_the_reset(const HANDLE adapter,
                                                DXGKARG_QUERYCURRENTFENCE *query)
{
    static ULONG told[64];
    NTSTATUS status = misbehave_driver.DxgkDdiQueryCurrentFence(adapter, query);
    ULONG *before = &told[query->NodeOrdinal & 63];

    if (*before == 0) {
        *before = query->CurrentFence;
    }
    query->CurrentFence = *before;
    return status;
}

/* Left out although the caps promise it; never called. */
static NTSTATUS NTAPI engine_reset_missing(const HANDLE adapter, DXGKARG_RESETENGINE *reset)
{
    return misbehave_driver.DxgkDdiResetEngine(adapter, reset);
}

/* As if fences were counted from somewhere else. */
static NTSTATUS NTAPI aborted_is_strange(const HANDLE adapter, DXGKARG_RESETENGINE *reset)
{
    NTSTATUS status = misbehave_driver.DxgkDdiResetEngine(adapter, reset);

    reset->LastAbortedFenceId += 1000;
    return status;
}

static NTSTATUS NTAPI group_is_a_number(const HANDLE adapter,
                                        DXGKARG_QUERYDEPENDENTENGINEGROUP *group)
{
    UNREFERENCED_PARAMETER(adapter);
    group->DependentNodeOrdinalMask = group->NodeOrdinal;
    return STATUS_SUCCESS;
}

/* "No node depends on another." */
static NTSTATUS NTAPI group_is_refused(const HANDLE adapter,
                                       DXGKARG_QUERYDEPENDENTENGINEGROUP *group)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(group);
    return STATUS_NOT_IMPLEMENTED;
}

/* "All do." */
static NTSTATUS NTAPI group_is_everybody(const HANDLE adapter,
                                         DXGKARG_QUERYDEPENDENTENGINEGROUP *group)
{
    UNREFERENCED_PARAMETER(adapter);
    group->DependentNodeOrdinalMask = ~0ull;
    return STATUS_SUCCESS;
}

/* Right of engines that have one reset between them: all there are, and no others. */
static NTSTATUS NTAPI group_is_all_there_are(const HANDLE adapter,
                                             DXGKARG_QUERYDEPENDENTENGINEGROUP *group)
{
    group->DependentNodeOrdinalMask = (1ull << softgpu_node_count(adapter)) - 1;
    return STATUS_SUCCESS;
}

/* A register as it is. */
static NTSTATUS NTAPI engine_status_is_a_register(const HANDLE adapter,
                                                  DXGKARG_QUERYENGINESTATUS *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryEngineStatus(adapter, query);

    query->EngineStatus.Value |= 0x80;
    return status;
}

static NTSTATUS NTAPI engine_status_is_a_stub(const HANDLE adapter,
                                              DXGKARG_QUERYENGINESTATUS *query)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(query);
    return STATUS_NOT_IMPLEMENTED;
}

static BOOLEAN NTAPI tell_of_preemption(PVOID argument)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;

    UNREFERENCED_PARAMETER(argument);
    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
    misbehave_kernel.DxgkCbNotifyInterrupt(misbehave_kernel.DeviceHandle, &data);
    return TRUE;
}

/* The engine was reset, and the answer to the request of before comes all the same: found when the
 * next client comes. */
static NTSTATUS NTAPI preemption_is_told_late(const HANDLE adapter, DXGKARG_CREATEDEVICE *create)
{
    struct softgpu_adapter *softgpu = adapter;
    BOOLEAN result;

    if (misbehave_at(4)) {
        (void)softgpu->dxgk.DxgkCbSynchronizeExecution(softgpu->dxgk.DeviceHandle,
                                                       tell_of_preemption, NULL, 0, &result);
    }
    return misbehave_driver.DxgkDdiCreateDevice(adapter, create);
}

/* Its author had one node. */
static NTSTATUS NTAPI fence_of_one_node(const HANDLE adapter, DXGKARG_QUERYCURRENTFENCE *query)
{
    return query->NodeOrdinal != 0 ? STATUS_INVALID_PARAMETER
                                   : misbehave_driver.DxgkDdiQueryCurrentFence(adapter, query);
}

/* Left out, by a driver whose GPU hangs; never called. */
static NTSTATUS NTAPI reset_missing(const HANDLE adapter)
{
    return misbehave_driver.DxgkDdiResetFromTimeout(adapter);
}

static NTSTATUS NTAPI restart_missing(const HANDLE adapter)
{
    return misbehave_driver.DxgkDdiRestartFromTimeout(adapter);
}

/* Waits for what nobody signals. */
static NTSTATUS NTAPI escape_never_returns(const HANDLE adapter, const DXGKARG_ESCAPE *escape)
{
    KEVENT never;

    KeInitializeEvent(&never, NotificationEvent, FALSE);
    (void)KeWaitForSingleObject(&never, Executive, KernelMode, FALSE, NULL);
    return misbehave_driver.DxgkDdiEscape(adapter, escape);
}

/* "All is completed", and told of at the next occasion. */
static NTSTATUS NTAPI reset_is_told_later(const HANDLE adapter_handle)
{
    struct softgpu_adapter *adapter = adapter_handle;
    ULONG reported[SOFTGPU_ENGINE_COUNT], i;
    NTSTATUS status;

    for (i = 0; i < SOFTGPU_ENGINE_COUNT; i++) {
        reported[i] = adapter->engines[i].last_reported;
    }
    status = misbehave_driver.DxgkDdiResetFromTimeout(adapter_handle);
    for (i = 0; i < SOFTGPU_ENGINE_COUNT; i++) {
        adapter->engines[i].last_reported = reported[i];
    }
    return status;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(TDR_002, IN_DDI(ResetFromTimeout), reset_fails, SCENE_HANG),
    BREAKS_RULE(TDR_002, IN_DDI(ResetFromTimeout), reset_missing, SCENE_HANG | SCENE_LEFT_OUT),
    BREAKS_RULE(TDR_009, IN_DDI(RestartFromTimeout), restart_missing, SCENE_HANG | SCENE_LEFT_OUT),
    BREAKS_RULE(TDR_002, IN_DDI(ResetFromTimeout), reset_missing, SCENE_LEFT_OUT),
    BREAKS_RULE(TDR_009, IN_DDI(RestartFromTimeout), restart_missing, SCENE_LEFT_OUT),
    BREAKS_RULE(TDR_007, IN_DDI(RestartFromTimeout), restart_without_rings, SCENE_HANG),
    BREAKS_RULE(TDR_008, IN_DDI(Escape), escape_never_returns, SCENE_HANG | SCENE_STUCK),
    BREAKS_RULE(TDR_009, IN_DDI(RestartFromTimeout), restart_fails, SCENE_HANG),
    BREAKS_RULE(TDR_010, IN_DDI(CollectDbgInfo), dump_too_long, SCENE_HANG),
    BREAKS_RULE(GEN_011, IN_DDI(CollectDbgInfo), dump_is_refused, SCENE_HANG | SCENE_ADVICE),
    BREAKS_RULE(ENGRST_005, IN_DDI(ResetEngine), aborted_is_strange, SCENE_ENGINES | SCENE_HANG),
    BREAKS_RULE(ENGRST_006, IN_DDI(QueryCurrentFence), fence_of_before_the_reset,
                SCENE_ENGINES | SCENE_HANG),
    BREAKS_RULE(ENGRST_010, IN_DDI(CreateDevice), preemption_is_told_late,
                SCENE_ENGINES | SCENE_HANG),
    BREAKS_RULE(ENGRST_011, IN_DDI(QueryEngineStatus), engine_status_is_a_stub,
                SCENE_ENGINES | SCENE_HANG | SCENE_ADVICE),
    BREAKS_RULE(ENGRST_012, IN_DDI(QueryDependentEngineGroup), group_is_a_number,
                SCENE_ENGINES | SCENE_HANG),
    BREAKS_RULE(ENGRST_011, IN_DDI(QueryEngineStatus), engine_status_is_a_register,
                SCENE_ENGINES | SCENE_HANG | SCENE_ADVICE),
    BREAKS_RULE(ENGRST_012, IN_DDI(QueryDependentEngineGroup), group_is_refused,
                SCENE_ENGINES | SCENE_HANG),
    BREAKS_RULE(ENGRST_012, IN_DDI(QueryDependentEngineGroup), group_is_everybody,
                SCENE_ENGINES | SCENE_HANG | SCENE_ADVICE),
    BREAKS_NO_RULE(IN_DDI(QueryDependentEngineGroup), group_is_all_there_are,
                   SCENE_ENGINES | SCENE_HANG),
    BREAKS_RULE(ENGRST_001, IN_DDI(ResetEngine), engine_reset_missing,
                SCENE_LEFT_OUT | SCENE_ENGINES),
    BREAKS_RULE(QFENCE_002, IN_DDI(QueryCurrentFence), fence_reported_again, SCENE_HANG),
    BREAKS_RULE(QFENCE_002, IN_DDI(ResetFromTimeout), reset_is_told_later, SCENE_HANG),
    BREAKS_RULE(QFENCE_003, IN_DDI(QueryCurrentFence), fence_never_submitted, SCENE_HANG),
    BREAKS_RULE(QFENCE_003, IN_DDI(QueryCurrentFence), fence_of_one_node, SCENE_HANG),
};

MISBEHAVIOURS(recovery);
