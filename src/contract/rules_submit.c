/* Rules of SubmitCommand, Patch, PreemptCommand and CancelCommand. */
#include "contract/internal.h"
#include "machine/machine.h"

static const NTSTATUS success_only[] = {STATUS_SUCCESS};

static bool returns_success(struct contract_call *call)
{
    return contract_status_in(call, success_only, 1, "STATUS_SUCCESS");
}

static const DXGKARG_SUBMITCOMMAND *submit_of(const struct contract_call *call)
{
    return call->arguments;
}

/* Node of a submission: that of its context, for drivers that have some. */
static struct contract_node *node_of(const struct contract_call *call)
{
    UINT node = submit_of(call)->NodeOrdinal;

    return &call->shadow->nodes[node < CONTRACT_NODES_MAX ? node : 0];
}

/* ---- SubmitCommand ------------------------------------------------------------------------- */

#define SPIN_NS 1000000 /* so long a driver needs only when it waits for the GPU */

static bool does_not_wait_for_the_fence(struct contract_call *call)
{
    const struct contract_node *node = node_of(call);
    uint64_t took_ns = machine_now_ns() - call->began_ns;

    if (took_ns < SPIN_NS || !node->reported_any ||
        node->last_reported != submit_of(call)->SubmissionFenceId) {
        return true;
    }
    return contract_say(call, "the buffer is handed to the hardware and the call returns",
                        "it came back after %llu us, with fence %u reported",
                        (unsigned long long)took_ns / 1000, node->last_reported);
}

/* ---- Patch ----------------------------------------------------------------------------------- */

static const DXGKARG_PATCH *patch_arguments(const struct contract_call *call)
{
    return call->arguments;
}

#define GUARD_BYTES 64

/* The bytes behind the slice: other parts of a split buffer, or what was never used. */
static uint64_t guard_of(const DXGKARG_PATCH *patch)
{
    UINT left = patch->DmaBufferSize - patch->DmaBufferSubmissionEndOffset;

    return contract_hash((const char *)patch->pDmaBuffer + patch->DmaBufferSubmissionEndOffset,
                         left < GUARD_BYTES ? left : GUARD_BYTES);
}

static bool take_guard(struct contract_call *call)
{
    call->scratch = guard_of(patch_arguments(call));
    return true;
}

static bool patches_in_its_slice(struct contract_call *call)
{
    const DXGKARG_PATCH *patch = patch_arguments(call);

    if (call->scratch == guard_of(patch) &&
        contract_canary_intact((const char *)patch->pDmaBuffer + patch->DmaBufferSize)) {
        return true;
    }
    return contract_say(call, "addresses written in place, inside [start, end) of the submission",
                        "bytes behind offset 0x%X were changed",
                        patch->DmaBufferSubmissionEndOffset);
}

/* ---- CancelCommand --------------------------------------------------------------------------- */

static const DXGKARG_CANCELCOMMAND *cancel_of(const struct contract_call *call)
{
    return call->arguments;
}

static uint64_t cancelled_bytes(const struct contract_call *call)
{
    return contract_hash(cancel_of(call)->pDmaBuffer, cancel_of(call)->DmaBufferSize);
}

static bool remember_cancelled(struct contract_call *call)
{
    call->scratch = cancelled_bytes(call);
    return true;
}

static bool cancel_leaves_the_buffer(struct contract_call *call)
{
    return call->scratch == cancelled_bytes(call) ||
           contract_say(call, "a buffer that is not written any more",
                        "the DMA buffer's bytes were changed");
}

/* A fence of a packet that never reached the hardware cannot come. */
static bool cancel_reports_nothing(struct contract_call *call)
{
    return call->shadow->cancel_depth == 0 || call->shadow->interrupt.in_service ||
           contract_say(call, "no notice for a cancelled packet", "a notice inside CancelCommand");
}

static const struct contract_row rows[] = {
    /* An error from DxgkDdiSubmitCommand is bug check 0x119, from Patch 0x119/3. */
    AFTER_STOP(SUBMIT_003, SubmitCommand, returns_success, 0x119, 2),
    AFTER(SUBMIT_006, SubmitCommand, does_not_wait_for_the_fence),

    BEFORE(PATCH_003, Patch, take_guard),
    AFTER_STOP(PATCH_002, Patch, returns_success, 0x119, 3),
    AFTER(PATCH_003, Patch, patches_in_its_slice),

    AFTER_STOP(PREEMPT_002, PreemptCommand, returns_success, 0x119, 2),

    BEFORE(CANCEL_008, CancelCommand, remember_cancelled),
    AFTER_STOP(CANCEL_003, CancelCommand, returns_success, 0x119, 9),
    AFTER(CANCEL_008, CancelCommand, cancel_leaves_the_buffer),
    BEFORE(CANCEL_005, CbNotifyInterrupt, cancel_reports_nothing),
};

const struct contract_family contract_family_submit = FAMILY_OF(rows);
