/* Rules of SubmitCommand, Patch, PreemptCommand and CancelCommand. */
#include "contract/internal.h"

static const NTSTATUS success_only[] = {STATUS_SUCCESS};

static bool returns_success(struct contract_call *call)
{
    return contract_status_in(call, success_only, 1, "STATUS_SUCCESS");
}

static const struct contract_row rows[] = {
    /* An error from DxgkDdiSubmitCommand is bug check 0x119, from Patch 0x119/3. */
    AFTER_STOP(SUBMIT_003, SubmitCommand, returns_success, 0x119, 2),
    AFTER_STOP(PATCH_002, Patch, returns_success, 0x119, 3),
    AFTER_STOP(PREEMPT_002, PreemptCommand, returns_success, 0x119, 2),
    AFTER_STOP(CANCEL_003, CancelCommand, returns_success, 0x119, 9),
};

const struct contract_family contract_family_submit = FAMILY_OF(rows);
