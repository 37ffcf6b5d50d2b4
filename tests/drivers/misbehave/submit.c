/* submit.c: SubmitCommand, Patch and CancelCommand done wrong. */
#include "misbehave.h"

static NTSTATUS NTAPI submit_fails(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *submit)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);

    return misbehave_at(3) ? STATUS_INSUFFICIENT_RESOURCES : status;
}

/* A registry function wants PASSIVE_LEVEL. */
static NTSTATUS NTAPI submit_uses_the_registry(const HANDLE adapter,
                                               const DXGKARG_SUBMITCOMMAND *submit)
{
    if (misbehave_once()) {
        (void)RtlCheckRegistryKey(RTL_REGISTRY_SERVICES, (PWSTR)(ULONG_PTR)L"misbehave");
    }
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

static NTSTATUS NTAPI submit_looks_at_a_handle(const HANDLE adapter,
                                               const DXGKARG_SUBMITCOMMAND *submit)
{
    DXGKARGCB_GETHANDLEDATA query;

    if (misbehave_once()) {
        RtlZeroMemory(&query, sizeof(query));
        query.Type = DXGK_HANDLE_ALLOCATION;
        (void)misbehave_kernel.DxgkCbGetHandleData(&query);
    }
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

/* Three milliseconds: the packet is done and reported meanwhile. */
/* Reads a register until the service routine has told of the fence. */
static NTSTATUS NTAPI submit_polls(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *submit)
{
    const struct softgpu_adapter *softgpu = adapter;
    NTSTATUS status = misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
    ULONG i;

    for (i = 0; i < 3000 && submit->Flags.Paging; i++) {
        (void)softgpu_read(softgpu, SOFTGPU_REG_ID);
        KeStallExecutionProcessor(1);
    }
    return status;
}

/* Writes commands into a register; the packet is done and reported meanwhile. */
static NTSTATUS NTAPI submit_writes_a_lot(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *submit)
{
    const struct softgpu_adapter *softgpu = adapter;
    NTSTATUS status = misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
    ULONG enabled = softgpu_read(softgpu, SOFTGPU_REG_INTERRUPT_ENABLE);

    for (ULONG i = 0; i < 3000 && submit->Flags.Paging; i++) {
        softgpu_write(softgpu, SOFTGPU_REG_INTERRUPT_ENABLE, enabled);
        KeStallExecutionProcessor(1);
    }
    return status;
}

/* Takes its time: whatever came meanwhile, came by itself. */
static NTSTATUS NTAPI submit_is_slow(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *submit)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);

    if (submit->Flags.Paging) {
        KeStallExecutionProcessor(3000);
    }
    return status;
}

static NTSTATUS NTAPI patch_fails(const HANDLE adapter, const DXGKARG_PATCH *patch)
{
    (void)misbehave_driver.DxgkDdiPatch(adapter, patch);
    return STATUS_INVALID_PARAMETER;
}

static NTSTATUS NTAPI patch_appends(const HANDLE adapter, const DXGKARG_PATCH *patch)
{
    if (patch->DmaBufferSubmissionEndOffset < patch->DmaBufferSize && misbehave_once()) {
        ((UCHAR *)patch->pDmaBuffer)[patch->DmaBufferSubmissionEndOffset] ^= 0xFF;
    }
    return misbehave_driver.DxgkDdiPatch(adapter, patch);
}

/* ---- Lists that are the kernel's --------------------------------------------------------------
 */

static void wipe(const void *list, SIZE_T bytes)
{
    RtlFillMemory((void *)(ULONG_PTR)list, bytes, 0xFF);
}

static NTSTATUS NTAPI patch_wipes_the_lists(const HANDLE adapter, const DXGKARG_PATCH *patch)
{
    NTSTATUS status = misbehave_driver.DxgkDdiPatch(adapter, patch);

    wipe(patch->pAllocationList, patch->AllocationListSize * sizeof(*patch->pAllocationList));
    wipe(patch->pPatchLocationList,
         patch->PatchLocationListSize * sizeof(*patch->pPatchLocationList));
    return status;
}

static NTSTATUS NTAPI cancel_wipes_the_lists(const HANDLE adapter,
                                             const DXGKARG_CANCELCOMMAND *cancel)
{
    wipe(cancel->pAllocationList, cancel->AllocationListSize * sizeof(*cancel->pAllocationList));
    wipe(cancel->pPatchLocationList,
         cancel->PatchLocationListSize * sizeof(*cancel->pPatchLocationList));
    return misbehave_driver.DxgkDdiCancelCommand(adapter, cancel);
}

/* ---- CancelCommand ----------------------------------------------------------------------------
 */

static NTSTATUS NTAPI cancel_fails(const HANDLE adapter, const DXGKARG_CANCELCOMMAND *cancel)
{
    (void)misbehave_driver.DxgkDdiCancelCommand(adapter, cancel);
    return STATUS_UNSUCCESSFUL;
}

static NTSTATUS NTAPI cancel_repeats_a_report(const HANDLE adapter,
                                              const DXGKARG_CANCELCOMMAND *cancel)
{
    if (misbehave_once()) {
        misbehave_repeat_report_synchronised(0);
    }
    return misbehave_driver.DxgkDdiCancelCommand(adapter, cancel);
}

static NTSTATUS NTAPI cancel_wipes_the_buffer(const HANDLE adapter,
                                              const DXGKARG_CANCELCOMMAND *cancel)
{
    if (misbehave_once()) {
        RtlFillMemory(cancel->pDmaBuffer, 16, 0xEE);
    }
    return misbehave_driver.DxgkDdiCancelCommand(adapter, cancel);
}

static NTSTATUS NTAPI cancel_touches_the_gpu(const HANDLE adapter,
                                             const DXGKARG_CANCELCOMMAND *cancel)
{
    if (misbehave_once()) {
        (void)softgpu_read((const struct softgpu_adapter *)adapter, SOFTGPU_REG_ID);
    }
    return misbehave_driver.DxgkDdiCancelCommand(adapter, cancel);
}

/* "Nobody measures that." */
static NTSTATUS NTAPI submit_runs_null_rendering(const HANDLE adapter,
                                                 const DXGKARG_SUBMITCOMMAND *submit)
{
    DXGKARG_SUBMITCOMMAND real = *submit;

    real.Flags.NullRendering = 0;
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, &real);
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(SUBMIT_002, IN_DDI(SubmitCommand), submit_uses_the_registry, SCENE_PLAIN),
    BREAKS_RULE(SUBMIT_003, IN_DDI(SubmitCommand), submit_fails, SCENE_PLAIN),
    BREAKS_RULE(SUBMIT_038, IN_DDI(SubmitCommand), submit_runs_null_rendering, SCENE_RESULTS),
    BREAKS_RULE(SUBMIT_006, IN_DDI(SubmitCommand), submit_polls, SCENE_PLAIN),
    BREAKS_NO_RULE(IN_DDI(SubmitCommand), submit_is_slow, SCENE_PLAIN),
    BREAKS_NO_RULE(IN_DDI(SubmitCommand), submit_writes_a_lot, SCENE_PLAIN),
    BREAKS_RULE(PNP_013, IN_DDI(SubmitCommand), submit_looks_at_a_handle, SCENE_PLAIN),
    BREAKS_RULE(PATCH_002, IN_DDI(Patch), patch_fails, SCENE_PLAIN),
    BREAKS_RULE(PATCH_003, IN_DDI(Patch), patch_appends, SCENE_PLAIN),
    BREAKS_NO_RULE(IN_DDI(Patch), patch_wipes_the_lists, SCENE_PREEMPT | SCENE_HANG),
    BREAKS_NO_RULE(IN_DDI(CancelCommand), cancel_wipes_the_lists, SCENE_HANG),
    BREAKS_RULE(CANCEL_003, IN_DDI(CancelCommand), cancel_fails, SCENE_HANG),
    BREAKS_NO_RULE(IN_DDI(CancelCommand), cancel_repeats_a_report, SCENE_HANG),
    BREAKS_NO_RULE(IN_DDI(CancelCommand), cancel_touches_the_gpu, SCENE_HANG),
    BREAKS_NO_RULE(IN_DDI(CancelCommand), cancel_wipes_the_buffer, SCENE_HANG),
};

MISBEHAVIOURS(submit);
