/* Rules of SubmitCommand, Patch, PreemptCommand and CancelCommand. */
#include "contract/internal.h"
#include "machine/machine.h"

static const DXGKARG_SUBMITCOMMAND *submit_of(const struct contract_call *call)
{
    return call->before;
}

/* Node of a submission: that of its context, for drivers that have some. */
static struct contract_node *node_of(const struct contract_call *call)
{
    UINT node = submit_of(call)->NodeOrdinal;

    return &call->tracker->nodes[node < CONTRACT_NODES_MAX ? node : 0];
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

#define GUARD_BYTES 64

/* The bytes before and behind the slice: other parts of a split buffer, or what was never used. */
static uint64_t guard_of(const struct contract_call *call)
{
    const DXGKARG_PATCH *patch = call->before;
    const char *bytes = patch->pDmaBuffer;
    UINT start = patch->DmaBufferSubmissionStartOffset;
    UINT before = start < GUARD_BYTES ? start : GUARD_BYTES;
    UINT left = patch->DmaBufferSize - patch->DmaBufferSubmissionEndOffset;

    return contract_hash(bytes + start - before, before) * 31 +
           contract_hash(bytes + patch->DmaBufferSubmissionEndOffset,
                         left < GUARD_BYTES ? left : GUARD_BYTES);
}

/* ---- CancelCommand --------------------------------------------------------------------------- */

/* A fence of a packet that never reached the hardware cannot come. */
static bool is_cancelling(const struct contract_call *call)
{
    return call->tracker->cancel_depth > 0 && !call->tracker->interrupt.service_depth;
}

static bool cancel_reports_nothing(struct contract_call *call)
{
    return contract_say(call, "no notice for a cancelled packet", "a notice inside CancelCommand");
}

static const struct contract_row rows[] = {
    AFTER(SUBMIT_003, SubmitCommand, SUCCEEDS, STOPS(0x119, 2)),
    AFTER(SUBMIT_003, SubmitCommand, STATUS_IN(STATUS_SUCCESS), WHEN(has_succeeded)),
    AFTER(SUBMIT_006, SubmitCommand, does_not_wait_for_the_fence,
          LEAVES_OUT("waits of less than 1 ms, and for anything but the packet's own fence")),

    AFTER(PATCH_002, Patch, STATUS_IN(STATUS_SUCCESS), STOPS(0x119, 3)),
    AFTER(PATCH_003, Patch,
          SAME_AFTER(guard_of, "writes inside [start, end) of the submission alone",
                     "bytes before DmaBufferSubmissionStartOffset or behind "
                     "DmaBufferSubmissionEndOffset were changed")),
    AFTER(PATCH_003, Patch, UNTOUCHED_BEHIND(DXGKARG_PATCH, pDmaBuffer, DmaBufferSize, 1)),

    AFTER(PREEMPT_002, PreemptCommand, STATUS_IN(STATUS_SUCCESS), STOPS(0x119, 2)),

    AFTER(CANCEL_003, CancelCommand, SUCCEEDS, STOPS(0x119, 9)),
    AFTER(CANCEL_003, CancelCommand, STATUS_IN(STATUS_SUCCESS), WHEN(has_succeeded)),
    BEFORE(CANCEL_005, CbNotifyInterrupt, cancel_reports_nothing, WHEN(is_cancelling)),
    AFTER(CANCEL_005, CancelCommand, NO_REGISTERS,
          SAYS("no access to the GPU for a packet that never reached it"),
          LEAVES_OUT("that all which was attached to the packet is freed: memory that is still "
                     "there at unload is reported as a leak, and not before")),
};

const struct contract_family contract_family_submit = FAMILY_OF(rows);
