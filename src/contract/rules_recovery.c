/* Rules of recovery: lost fences, resets, dumps. */
#include "contract/internal.h"
#include "contract/old_fence.h"
#include "machine/machine.h"

#include <stdio.h>

/* ---- QueryCurrentFence ----------------------------------------------------------------------- */

static struct contract_node *node_of(const struct contract_call *call)
{
    UINT node = ((const DXGKARG_QUERYCURRENTFENCE *)call->before)->NodeOrdinal;

    return &call->tracker->nodes[node < CONTRACT_NODES_MAX ? node : 0];
}

/* No packet has id 0. Drivers that Windows never asks, for no fence of theirs is missing, answer it
 * or nothing; asked all the same, they are not to blame [QFENCE-001, QFENCE-003]. */
static bool never_answers(const struct contract_call *call)
{
    const DXGKARG_QUERYCURRENTFENCE *query = call->arguments;

    return query->CurrentFence == 0 &&
           (vary_on(VARY_ODD_QUESTIONS) || vary_on(VARY_LOST_INTERRUPTS));
}

/* Only then is there an answer, and something to hold it against. */
static bool has_answered(const struct contract_call *call)
{
    return has_succeeded(call) && node_of(call)->reported_any && !never_answers(call);
}

/* Its engine was reset alone, and was given nothing since. */
static bool rests_after_reset(const struct contract_call *call)
{
    const DXGKARG_QUERYCURRENTFENCE *query = call->arguments;

    return has_succeeded(call) && node_of(call)->rests && node_of(call)->any_aborted &&
           query->CurrentFence != 0;
}

static bool has_answered_at_work(const struct contract_call *call)
{
    return has_answered(call) && !node_of(call)->rests;
}

static bool aborted_is_complete(struct contract_call *call)
{
    const DXGKARG_QUERYCURRENTFENCE *query = call->arguments;
    uint32_t aborted = node_of(call)->aborted;

    return query->CurrentFence == aborted ||
           contract_say(call, "after ResetEngine LastAbortedFenceId as the newest completed fence",
                        "QueryCurrentFence told fence %u of node %u, whose engine was reset; "
                        "ResetEngine told LastAbortedFenceId %u",
                        query->CurrentFence, query->NodeOrdinal, aborted);
}

/* It may fail [QFENCE-005]; but not for one node and never for another, which is as good. */
static const struct contract_node *node_that_was_answered(const struct contract_call *call)
{
    for (unsigned i = 0; i < call->tracker->node_count && i < CONTRACT_NODES_MAX; i++) {
        if (call->tracker->nodes[i].answered) {
            return &call->tracker->nodes[i];
        }
    }
    return NULL;
}

static bool fails_for_one_node(const struct contract_call *call)
{
    UINT node = ((const DXGKARG_QUERYCURRENTFENCE *)call->before)->NodeOrdinal;

    return !has_succeeded(call) && has_device(call) && node < CONTRACT_NODES_MAX &&
           node < call->tracker->node_count && !node_of(call)->answered &&
           node_that_was_answered(call) != NULL;
}

static bool knows_each_node(struct contract_call *call)
{
    const DXGKARG_QUERYCURRENTFENCE *query = call->before;

    return contract_say(call, "the newest fence of each node that the driver has said it has",
                        "%s for node %u of %u, though it answered for node %u",
                        status_name(call->status), query->NodeOrdinal, call->tracker->node_count,
                        (unsigned)(node_that_was_answered(call) - call->tracker->nodes));
}

/* What was reported when the call began, and how many reports of the node there were. */
static uint64_t reports(const struct contract_call *call)
{
    return (uint64_t)node_of(call)->last_reported << 32 | node_of(call)->report_count;
}

/* A reset ended it, also where it had been preempted before, or it was told to have faulted
 * [INT-014], or refused [SUBV-003]: to a driver it may count as complete, and nobody waits for a
 * report of it. */
static bool is_settled(const struct contract_node *node, uint32_t fence)
{
    return (node->any_aborted && fence == node->aborted) ||
           (node->any_faulted && fence == node->faulted) ||
           (node->any_refused && fence == node->refused);
}

/* Nothing was left before what was refused when the driver was asked, nor shortly before. */
static bool refusal_is_due(const struct contract_call *call)
{
    return has_answered(call) && !node_of(call)->rests &&
           contract_refusal_is_due(node_of(call), call->began_ns);
}

static bool refusal_is_counted(struct contract_call *call)
{
    const DXGKARG_QUERYCURRENTFENCE *query = call->arguments;
    uint32_t refused = node_of(call)->refused;

    return contract_fence_difference(query->CurrentFence, refused) >= 0 ||
           contract_say(call,
                        "a submission that was refused counted as complete, as soon as those "
                        "before it are",
                        "fence %u as the newest that is complete on node %u; "
                        "SubmitCommandVirtual refused the submission of fence %u, and all before "
                        "it is complete",
                        query->CurrentFence, query->NodeOrdinal, refused);
}

static bool loss_is_reported(struct contract_call *call)
{
    const DXGKARG_QUERYCURRENTFENCE *query = call->arguments;
    const struct contract_node *node = node_of(call);
    uint32_t reported = (uint32_t)(call->scratch >> 32);

    if (contract_fence_difference(query->CurrentFence, node->last_reported) > 0 &&
        contract_fence_difference(query->CurrentFence, node->last_submitted) <= 0 &&
        !is_settled(node, query->CurrentFence)) {
        return contract_say(call, "a report of the fence that was not reported yet",
                            "fence %u is told as the newest that is complete%s; the last report is "
                            "%u: it was not reported, or it is not complete [QFENCE-003]",
                            query->CurrentFence,
                            query->CurrentFence == node->last_submitted
                                ? ", which is the newest that was submitted"
                                : "",
                            node->last_reported);
    }
    if (reported != query->CurrentFence || node->last_reported != reported ||
        (uint32_t)call->scratch == node->report_count) {
        return true;
    }
    /* Often the books of a driver whose reset completes all and forgets what was reported. */
    return is_settled(node, reported)
               ? contract_say(
                     call, "no report of a fence that was reported or that a reset ended [TDR-004]",
                     "fence %u of node %u is reported after a reset of the adapter or the node, "
                     "which ended it",
                     reported, query->NodeOrdinal)
               : contract_say(call, "no report of a fence that was reported",
                              "fence %u of node %u is reported once more", reported,
                              query->NodeOrdinal);
}

/* As it was when the call began, and if anything had been: an interrupt that comes when the driver
 * has read its books does not make them wrong. */
static uint64_t newest_report(const struct contract_call *call)
{
    const struct contract_node *node = node_of(call);

    return (uint64_t)node->reported_any << 32 | node->last_reported;
}

/* What is cancelled was never submitted: who counts it as if it had been is as many behind. */
static void say_cancelled(const struct contract_node *node, uint32_t fence, char *text, size_t size)
{
    text[0] = '\0';
    if (node->slept) {
        snprintf(text, size, "%s", contract_reset_text(node, fence));
    } else if (node->any_aborted && *contract_reset_text(node, fence)) {
        snprintf(text, size,
                 "; the last reset ended what was submitted before it, which counts as complete "
                 "since, up to fence %u [TDR-004, ENGRST-006]",
                 node->aborted);
    } else if (node->cancels > 0) {
        snprintf(text, size,
                 "; since the newest submission DxgkDdiCancelCommand has been called %u times for "
                 "the node, of packets that were not submitted",
                 node->cancels);
    }
}

/* The node whose newest report or submission it is, if it is another; else the one asked about. */
static UINT node_with(const struct contract_call *call, uint32_t fence, UINT asked)
{
    for (UINT i = 0; i < call->tracker->node_count; i++) {
        const struct contract_node *node = &call->tracker->nodes[i];
        if (i != asked && ((node->reported_any && node->last_reported == fence) ||
                           (node->submitted_any && node->last_submitted == fence))) {
            return i;
        }
    }
    return asked;
}

/* Where such a number may come from: what its author looks for. */
static void say_whence(const struct contract_call *call, char *text, size_t size)
{
    const DXGKARG_QUERYCURRENTFENCE *query = call->arguments;
    const struct contract_node *node = node_of(call);
    UINT of = node_with(call, query->CurrentFence, query->NodeOrdinal);

    if (query->CurrentFence == 0) {
        snprintf(text, size, "; 0 is a word that nobody has written yet, or that was cleared");
    } else if (node->preempt_ns && query->CurrentFence == node->preempt_id) {
        snprintf(text, size,
                 "; it is the PreemptionFenceId that PreemptCommand was given last, which no "
                 "packet has");
    } else if (of != query->NodeOrdinal) {
        snprintf(text, size, "; it is the newest of node %u", of);
    } else if (contract_fence_difference(query->CurrentFence, node->last_submitted) > 0) {
        snprintf(text, size, "; no packet of the node had that id yet");
    } else {
        snprintf(text, size,
                 "; it is older than that report: a word that is not written with it, "
                 "or was read before");
    }
}

static bool fence_is_plausible(struct contract_call *call)
{
    char clue[200];

    const DXGKARG_QUERYCURRENTFENCE *query = call->arguments;
    const struct contract_node *node = node_of(call);
    uint32_t reported = (uint32_t)call->scratch;
    /* On the way from that report to the newest submission, however long it became meanwhile. */
    bool reported_any = call->scratch >> 32 != 0;
    bool is_new =
        !reported_any || query->CurrentFence - reported <= node->last_submitted - reported;

    say_cancelled(node, query->CurrentFence, clue, sizeof clue);
    if (is_new || !*clue ||
        node_with(call, query->CurrentFence, query->NodeOrdinal) != query->NodeOrdinal) {
        say_whence(call, clue, sizeof clue);
    }
    return (is_new && (reported_any || contract_fence_difference(query->CurrentFence,
                                                                 node->last_submitted) <= 0)) ||
           is_settled(node, query->CurrentFence) ||
           contract_say(call, "the newest completed fence of the node",
                        "fence %u for node %u; the newest report before the call was %u, submitted "
                        "was %u%s",
                        query->CurrentFence, query->NodeOrdinal, reported, node->last_submitted,
                        clue);
}

static uint64_t claim(const struct contract_call *call)
{
    const struct contract_node *node = node_of(call);

    return (uint64_t)node->any_claimed << 32 | node->claimed;
}

/* A preemption told of a fence as complete before the question, and no other report did; nothing
 * has ended it since, or another one reported it. */
static bool is_behind_a_claim(const struct contract_call *call)
{
    const struct contract_node *node = node_of(call);

    return has_succeeded(call) && node->any_claimed && call->scratch == claim(call) &&
           !node->rests && !never_answers(call) &&
           !(node->reported_any &&
             contract_fence_difference(node->last_reported, node->claimed) >= 0) &&
           !(node->any_aborted && contract_fence_difference(node->aborted, node->claimed) >= 0) &&
           !is_settled(node, node->claimed);
}

static bool claim_is_true(struct contract_call *call)
{
    const DXGKARG_QUERYCURRENTFENCE *query = call->arguments;
    struct contract_node *node = node_of(call);
    uint32_t claimed = node->claimed;
    bool is_true = contract_fence_difference(query->CurrentFence, claimed) >= 0;

    node->any_claimed = false;
    return is_true ||
           contract_say(
               call, "the last fence that the node completed, in the notice of a preemption",
               "DXGK_INTERRUPT_DMA_PREEMPTED told LastCompletedFenceId %u of node %u; asked "
               "since, QueryCurrentFence told %u: what was between had been submitted, "
               "and was not complete",
               claimed, query->NodeOrdinal, query->CurrentFence);
}

/* ---- One engine ------------------------------------------------------------------------------ */

static uint64_t all_nodes(const struct contract_call *call)
{
    unsigned count = call->tracker->node_count;

    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

static bool group_has_the_node(struct contract_call *call)
{
    const DXGKARG_QUERYDEPENDENTENGINEGROUP *before = call->before, *group = call->arguments;
    uint64_t mask = group->DependentNodeOrdinalMask, own = UINT64_C(1)
                                                           << (before->NodeOrdinal & 63);

    return (mask & own) != 0 ||
           contract_say(call, "a bit mask of nodes, the one asked about among them",
                        "DependentNodeOrdinalMask 0x%llX for node %u, whose bit is 0x%llX",
                        (unsigned long long)mask, before->NodeOrdinal, (unsigned long long)own);
}

static bool group_has_no_others(struct contract_call *call)
{
    uint64_t mask =
        ((const DXGKARG_QUERYDEPENDENTENGINEGROUP *)call->arguments)->DependentNodeOrdinalMask;

    return !(mask & ~all_nodes(call)) ||
           contract_say(call, "nodes that the adapter has",
                        "DependentNodeOrdinalMask 0x%llX of an adapter with %u nodes",
                        (unsigned long long)mask, call->tracker->node_count);
}

static bool reserved_bits_are_zero(struct contract_call *call)
{
    const DXGKARG_QUERYENGINESTATUS *query = call->arguments;

    return (query->EngineStatus.Value & ~1u) == 0 ||
           contract_say(call, "in EngineStatus Responsive alone, and Reserved zero",
                        "EngineStatus.Value is 0x%X", query->EngineStatus.Value);
}

/* As it was when the call began: what the driver tells meanwhile is not heard. */
static uint64_t last_report(const struct contract_call *call)
{
    UINT node = ((const DXGKARG_RESETENGINE *)call->before)->NodeOrdinal;
    const struct contract_node *of = &call->tracker->nodes[node < CONTRACT_NODES_MAX ? node : 0];

    return (uint64_t)of->reported_any << 32 | of->last_reported;
}

/* Where a reset ended what was preempted before, that is the last completed fence [TDR-004]. The
 * limit is what was submitted, also where a preemption took it back: a fault that met one is of
 * what the driver counts as taken back. */
/* Of a device that is gone registers read as ones. */
static bool has_reset_engine(const struct contract_call *call)
{
    return has_succeeded(call) && !call->tracker->missing;
}

static bool aborted_was_on_the_node(struct contract_call *call)
{
    const DXGKARG_RESETENGINE *before = call->before, *reset = call->arguments;
    UINT index = before->NodeOrdinal < CONTRACT_NODES_MAX ? before->NodeOrdinal : 0;
    const struct contract_node *node = &call->tracker->nodes[index];
    uint32_t completed = (uint32_t)call->scratch, aborted = reset->LastAbortedFenceId;

    if (!node->submitted_any) {
        return contract_no_case(call);
    }
    if ((!(call->scratch >> 32) || contract_fence_difference(aborted, completed) >= 0) &&
        (contract_fence_difference(aborted, node->newest_submitted) <= 0 ||
         (node->any_aborted && aborted == node->aborted))) {
        return true;
    }
    return contract_say(call,
                        "LastAbortedFenceId of a packet on the node, or the last completed fence",
                        "LastAbortedFenceId %u for node %u; completed was %u, submitted %u",
                        aborted, before->NodeOrdinal, completed, node->newest_submitted);
}

/* Of a node that the driver has told to have nothing on it any more, while the kernel did not hear
 * of it; 0: there is something. What faulted or was refused may count as complete untold. */
static uint64_t last_of_empty_node(const struct contract_call *call)
{
    UINT index = ((const DXGKARG_RESETENGINE *)call->before)->NodeOrdinal;
    const struct contract_node *node =
        &call->tracker->nodes[index < CONTRACT_NODES_MAX ? index : 0];
    bool empty = node->reported_any && node->outstanding_count == 0 && !node->preempt_pending &&
                 !node->any_faulted && !node->any_refused;
    bool claims =
        node->any_claimed && contract_fence_difference(node->claimed, node->last_reported) > 0;

    return empty ? UINT64_C(1) << 32 | (claims ? node->claimed : node->last_reported) : 0;
}

/* Not on the hardware any more, for a preemption took it back or an earlier reset ended it, and
 * never complete by a report: a driver that had it there may be at it all the same. */
static bool was_taken_off(const struct contract_node *node, uint32_t fence)
{
    bool taken = contract_fence_difference(fence, node->last_submitted) > 0 &&
                 contract_fence_difference(fence, node->newest_submitted) <= 0;

    for (unsigned i = 0; i < node->preempted_count; i++) {
        taken |= node->preempted[i].fence == fence;
    }
    return taken || (node->any_aborted && fence == node->aborted);
}

/* "The driver should set LastAbortedFenceId to the fence ID of the last completed packet." */
static bool nothing_was_aborted(struct contract_call *call)
{
    const DXGKARG_RESETENGINE *before = call->before, *reset = call->arguments;
    UINT index = before->NodeOrdinal < CONTRACT_NODES_MAX ? before->NodeOrdinal : 0;

    if (call->scratch == 0 ||
        was_taken_off(&call->tracker->nodes[index], reset->LastAbortedFenceId)) {
        return contract_no_case(call);
    }
    return reset->LastAbortedFenceId == (uint32_t)call->scratch ||
           contract_say(call,
                        "LastAbortedFenceId of the last completed packet, where nothing is on "
                        "the node any more",
                        "LastAbortedFenceId %u for node %u; the driver had told of all that was on "
                        "it, and that %u was completed last",
                        reset->LastAbortedFenceId, before->NodeOrdinal, (uint32_t)call->scratch);
}

static const struct contract_row rows[] = {
    AFTER(GEN_010, QueryCurrentFence, FILLED(DXGKARG_QUERYCURRENTFENCE, CurrentFence),
          WHEN(has_succeeded), LEAVES_OUT("members of one bit, and what a pointer leads to")),
    /* 0x119 with 8 is of the node's own bit alone. */
    AFTER(ENGRST_012, QueryDependentEngineGroup, group_has_the_node, WHEN(has_succeeded),
          STOPS(0x119, 8)),
    AFTER(ENGRST_012, QueryDependentEngineGroup, STATUS_IN(STATUS_SUCCESS)),
    AFTER(ENGRST_012, QueryDependentEngineGroup, group_has_no_others, WHEN(has_succeeded), ADVISES),
    AFTER(ENGRST_011, QueryEngineStatus, STATUS_IN(STATUS_SUCCESS),
          LEAVES_OUT("Responsive of a device that may get on: it is looked at under still-device")),
    AFTER(ENGRST_011, QueryEngineStatus, reserved_bits_are_zero, WHEN(has_succeeded)),
    AFTER(ENGRST_005, ResetEngine, aborted_was_on_the_node, WHEN(has_reset_engine),
          REMEMBERS(last_report), STOPS(0x119, 0xA),
          LEAVES_OUT("which of the packets on the node it is: that is known under still-device")),
    AFTER(ENGRST_005, ResetEngine, nothing_was_aborted, WHEN(has_reset_engine),
          REMEMBERS(last_of_empty_node), ADVISES),
    AFTER(ENGRST_006, QueryCurrentFence, aborted_is_complete, WHEN(rests_after_reset),
          LEAVES_OUT("LastCompletedFenceId of a preemption: INT-008 is judged there")),
    AFTER(QFENCE_003, QueryCurrentFence, fence_is_plausible, WHEN(has_answered_at_work),
          REMEMBERS(newest_report),
          LEAVES_OUT("that it is the newest, unless an interrupt of the device was on its way that "
                     "tells of a newer one; 0 under odd-questions and lost-interrupts, where none "
                     "may be missing")),
    AFTER(QFENCE_003, QueryCurrentFence, knows_each_node, WHEN(fails_for_one_node)),
    AFTER(QFENCE_002, QueryCurrentFence, loss_is_reported, WHEN(has_answered), REMEMBERS(reports)),
    AFTER(INT_008, QueryCurrentFence, claim_is_true, WHEN(is_behind_a_claim), REMEMBERS(claim)),
    AFTER(SUBV_003, QueryCurrentFence, refusal_is_counted, WHEN(refusal_is_due)),
    AFTER(TDR_002, ResetFromTimeout, STATUS_IN(STATUS_SUCCESS), STOPS(0x116, 0)),
    AFTER(TDR_009, RestartFromTimeout, STATUS_IN(STATUS_SUCCESS), STOPS(0x116, 0)),
    AFTER(TDR_010, CollectDbgInfo,
          UNTOUCHED_BEHIND(DXGKARG_COLLECTDBGINFO, pBuffer, BufferSize, 1)),
    AFTER(GEN_011, CollectDbgInfo,
          STATUS_IN(STATUS_SUCCESS, STATUS_NO_MEMORY, STATUS_INSUFFICIENT_RESOURCES,
                    STATUS_UNSUCCESSFUL),
          ADVISES, LEAVES_OUT("other DDIs, whose lists are judged by their own rules")),
};

const struct contract_family contract_family_recovery = FAMILY_OF(rows);
