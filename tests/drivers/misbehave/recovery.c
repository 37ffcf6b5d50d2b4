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

static NTSTATUS NTAPI fence_reported_again(const HANDLE adapter, DXGKARG_QUERYCURRENTFENCE *query)
{
    misbehave_repeat_report_synchronised(query->NodeOrdinal);
    return misbehave_driver.DxgkDdiQueryCurrentFence(adapter, query);
}

static NTSTATUS NTAPI fence_never_submitted(const HANDLE adapter, DXGKARG_QUERYCURRENTFENCE *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryCurrentFence(adapter, query);

    query->CurrentFence += 1000;
    return status;
}

/* Left out although the caps promise it; never called. */
static NTSTATUS NTAPI engine_reset_missing(const HANDLE adapter, DXGKARG_RESETENGINE *reset)
{
    return misbehave_driver.DxgkDdiResetEngine(adapter, reset);
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

static const struct misbehaviour rows[] = {
    BREAKS_RULE(TDR_002, IN_DDI(ResetFromTimeout), reset_fails, SCENE_HANG),
    BREAKS_RULE(TDR_002, IN_DDI(ResetFromTimeout), reset_missing, SCENE_HANG | SCENE_LEFT_OUT),
    BREAKS_RULE(TDR_009, IN_DDI(RestartFromTimeout), restart_missing, SCENE_HANG | SCENE_LEFT_OUT),
    BREAKS_RULE(TDR_007, IN_DDI(RestartFromTimeout), restart_without_rings, SCENE_HANG),
    BREAKS_RULE(TDR_008, IN_DDI(Escape), escape_never_returns, SCENE_HANG | SCENE_STUCK),
    BREAKS_RULE(TDR_009, IN_DDI(RestartFromTimeout), restart_fails, SCENE_HANG),
    BREAKS_RULE(TDR_010, IN_DDI(CollectDbgInfo), dump_too_long, SCENE_HANG),
    BREAKS_RULE(ENGRST_001, IN_DDI(ResetEngine), engine_reset_missing, SCENE_LEFT_OUT),
    BREAKS_RULE(QFENCE_002, IN_DDI(QueryCurrentFence), fence_reported_again, SCENE_HANG),
    BREAKS_RULE(QFENCE_003, IN_DDI(QueryCurrentFence), fence_never_submitted, SCENE_HANG),
};

MISBEHAVIOURS(recovery);
