/* Rules of SubmitCommand, Patch, PreemptCommand and CancelCommand. */
#include "contract/internal.h"

#include <stdio.h>

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

/* There is no soft failure: who has no room, or lost count of it, reads how little he was given. */
static bool is_taken(struct contract_call *call)
{
    const struct contract_node *node = node_of(call);
    uint32_t fence = submit_of(call)->SubmissionFenceId;
    unsigned others = 0;
    char asked[96] = "";

    if (call->status == STATUS_SUCCESS) {
        return true;
    }
    for (unsigned i = 0; i < node->outstanding_count; i++) {
        others += node->outstanding[i].fence != fence;
    }
    if (node->preempt_ns > 0) {
        snprintf(asked, sizeof asked, "; the last preemption request, %u, %s", node->preempt_id,
                 node->preempt_pending ? "is not answered yet" : "was answered before");
    }
    return contract_say(call, "STATUS_SUCCESS",
                        "%s for fence %u of node %u, where %u other packets are on the hardware "
                        "and not completed%s",
                        status_name(call->status), fence, submit_of(call)->NodeOrdinal, others,
                        asked);
}

static bool is_not_refused(struct contract_call *call)
{
    return has_succeeded(call) || is_taken(call);
}

/* Reads, more than programming a submission takes: who writes commands into registers asks nothing.
 * An interrupt that comes meanwhile is not counted, so that a fast GPU alone blames nobody. */
#define POLLS_MIN 64

static bool does_not_poll_for_the_fence(struct contract_call *call)
{
    const struct contract_node *node = node_of(call);
    uint64_t reads = call->register_accesses - call->register_writes;

    return reads < POLLS_MIN || !node->reported_any ||
           node->last_reported != submit_of(call)->SubmissionFenceId ||
           contract_say(call, "the buffer is handed to the hardware and the call returns",
                        "%llu register reads in the call, until fence %u was reported",
                        (unsigned long long)reads, node->last_reported);
}

/* ---- Patch ----------------------------------------------------------------------------------- */

#define GUARD_BYTES 64

/* The bytes before and behind the slice: all other parts of a split buffer, and the begin of what
 * was never used. */
static uint64_t guard_of(const struct contract_call *call)
{
    const DXGKARG_PATCH *patch = call->before;
    const struct contract_buffer *dma =
        patch->Flags.Paging ? NULL : contract_buffer_find(call->tracker, patch->pDmaBuffer);
    const char *bytes = patch->pDmaBuffer;
    UINT start = patch->DmaBufferSubmissionStartOffset;
    UINT end = patch->DmaBufferSubmissionEndOffset;
    UINT first = dma || start < GUARD_BYTES ? 0 : start - GUARD_BYTES;
    UINT last = (dma && dma->used > end ? dma->used : end) + GUARD_BYTES;

    if (last > patch->DmaBufferSize) {
        last = patch->DmaBufferSize > end ? patch->DmaBufferSize : end;
    }
    return contract_hash(bytes + first, start - first) * 31 +
           contract_hash(bytes + end, last - end);
}

static const struct contract_row rows[] = {
    AFTER(SUBMIT_003, SubmitCommand, is_not_refused, STOPS(0x119, 2)),
    AFTER(SUBMIT_003, SubmitCommand, is_taken, WHEN(has_succeeded)),
    AFTER(SUBMIT_006, SubmitCommand, does_not_poll_for_the_fence),

    AFTER(PATCH_002, Patch, STATUS_IN(STATUS_SUCCESS), STOPS(0x119, 3)),
    AFTER(PATCH_003, Patch,
          SAME_AFTER(guard_of, "writes inside [start, end) of the submission alone",
                     "bytes before DmaBufferSubmissionStartOffset or behind "
                     "DmaBufferSubmissionEndOffset were changed: of another submission of the "
                     "buffer, or of none")),
    AFTER(PATCH_003, Patch, UNTOUCHED_BEHIND(DXGKARG_PATCH, pDmaBuffer, DmaBufferSize, 1)),

    AFTER(PREEMPT_002, PreemptCommand, STATUS_IN(STATUS_SUCCESS), STOPS(0x119, 2)),

    AFTER(CANCEL_003, CancelCommand, SUCCEEDS, STOPS(0x119, 9)),
    AFTER(CANCEL_003, CancelCommand, STATUS_IN(STATUS_SUCCESS), WHEN(has_succeeded)),
};

const struct contract_family contract_family_submit = FAMILY_OF(rows);
