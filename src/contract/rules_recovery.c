/* Rules of recovery: lost fences, resets, dumps. */
#include "contract/internal.h"

static bool succeeds(struct contract_call *call)
{
    return call->status == STATUS_SUCCESS ||
           contract_say(call, "STATUS_SUCCESS", "%s", status_name(call->status));
}

/* ---- QueryCurrentFence ----------------------------------------------------------------------- */

static struct contract_node *node_of(const struct contract_call *call)
{
    UINT node = ((const DXGKARG_QUERYCURRENTFENCE *)call->before)->NodeOrdinal;

    return &call->shadow->nodes[node < CONTRACT_NODES_MAX ? node : 0];
}

/* What was reported when the call began, and how many reports of the node there were. */
static bool remember_reports(struct contract_call *call)
{
    call->scratch = (uint64_t)node_of(call)->last_reported << 32 | node_of(call)->report_count;
    return true;
}

static bool loss_is_reported(struct contract_call *call)
{
    const DXGKARG_QUERYCURRENTFENCE *query = call->arguments;
    const struct contract_node *node = node_of(call);
    uint32_t reported = (uint32_t)(call->scratch >> 32);

    if (!has_succeeded(call) || !node->reported_any) {
        return true;
    }
    if (contract_fence_difference(query->CurrentFence, node->last_reported) > 0 &&
        contract_fence_difference(query->CurrentFence, node->last_submitted) <= 0) {
        return contract_say(call, "a report of the fence that was not reported yet",
                            "fence %u is complete; the last report is %u", query->CurrentFence,
                            node->last_reported);
    }
    return reported != query->CurrentFence || node->last_reported != reported ||
           (uint32_t)call->scratch == node->report_count ||
           contract_say(call, "no report of a fence that was reported", "fence %u once more",
                        query->CurrentFence);
}

static bool fence_is_plausible(struct contract_call *call)
{
    const DXGKARG_QUERYCURRENTFENCE *query = call->arguments;
    const struct contract_node *node = node_of(call);

    return !has_succeeded(call) || !node->reported_any ||
           (contract_fence_difference(query->CurrentFence, node->last_reported) >= 0 &&
            contract_fence_difference(query->CurrentFence, node->last_submitted) <= 0) ||
           contract_say(call, "the newest completed fence of the node",
                        "fence %u; reported was %u, submitted %u", query->CurrentFence,
                        node->last_reported, node->last_submitted);
}

/* ---- Resets ---------------------------------------------------------------------------------- */

/* A node that has nothing to do owes the acknowledgement all the same. */
static bool idle_nodes_acknowledged(struct contract_call *call)
{
    for (unsigned i = 0; i < call->shadow->node_count && i < CONTRACT_NODES_MAX; i++) {
        const struct contract_node *node = &call->shadow->nodes[i];
        if (node->preempt_pending && node->outstanding_count == 0) {
            return contract_say(call, "one DMA_PREEMPTED for each request, before the timeout",
                                "node %u is idle and request %u was never acknowledged", i,
                                node->preempt_id);
        }
    }
    return true;
}

static bool dump_is_inside(struct contract_call *call)
{
    const DXGKARG_COLLECTDBGINFO *collect = call->before;

    return !collect->pBuffer ||
           contract_canary_intact((const char *)collect->pBuffer + collect->BufferSize) ||
           contract_say(call, "at most BufferSize bytes", "bytes behind the buffer were written");
}

static const struct contract_row rows[] = {
    BEFORE(QFENCE_002, QueryCurrentFence, remember_reports),
    AFTER(QFENCE_003, QueryCurrentFence, fence_is_plausible),
    AFTER(QFENCE_002, QueryCurrentFence, loss_is_reported),
    BEFORE(PREEMPT_004, ResetFromTimeout, idle_nodes_acknowledged),
    AFTER_STOP(TDR_002, ResetFromTimeout, succeeds, 0x116, 0),
    AFTER_STOP(TDR_009, RestartFromTimeout, succeeds, 0x116, 0),
    AFTER(TDR_010, CollectDbgInfo, dump_is_inside),
};

const struct contract_family contract_family_recovery = FAMILY_OF(rows);
