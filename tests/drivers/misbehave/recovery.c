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

static const struct misbehaviour rows[] = {
    BREAKS_RULE(TDR_002, IN_DDI(ResetFromTimeout), reset_fails, SCENE_HANG),
    BREAKS_RULE(TDR_009, IN_DDI(RestartFromTimeout), restart_fails, SCENE_HANG),
    BREAKS_RULE(TDR_010, IN_DDI(CollectDbgInfo), dump_too_long, SCENE_HANG),
    BREAKS_RULE(QFENCE_002, IN_DDI(QueryCurrentFence), fence_reported_again, SCENE_HANG),
    BREAKS_RULE(QFENCE_003, IN_DDI(QueryCurrentFence), fence_never_submitted, SCENE_HANG),
};

MISBEHAVIOURS(recovery);
