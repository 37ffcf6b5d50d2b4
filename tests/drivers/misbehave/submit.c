/* submit.c: wrong answers to SubmitCommand, Patch, PreemptCommand and CancelCommand. */
#include "misbehave.h"

static NTSTATUS NTAPI submit_fails(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *submit)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);

    return misbehave_at(3) ? STATUS_INSUFFICIENT_RESOURCES : status;
}

static NTSTATUS NTAPI patch_fails(const HANDLE adapter, const DXGKARG_PATCH *patch)
{
    (void)misbehave_driver.DxgkDdiPatch(adapter, patch);
    return STATUS_INVALID_PARAMETER;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(SUBMIT_003, IN_DDI(SubmitCommand), submit_fails, SCENE_PLAIN),
    BREAKS_RULE(PATCH_002, IN_DDI(Patch), patch_fails, SCENE_PLAIN),
};

MISBEHAVIOURS(submit);
