/* vidsch/watch.c: deadlines. A node that is silent for long is asked for its fence, then to stop,
 * then given up:
 *
 *   oldest packet starts ── limit / 2 ──> query_fence: the interrupt may have been lost
 *          └──────────────── limit ─────> preempt; no answer for tdr_delay ──> timed_out
 *
 * Hardware that cannot preempt is given up at the limit. Any preemption that goes unanswered for
 * tdr_delay, whatever it was for, ends the same way. So does a packet that comes back from each
 * preemption as it was: one whose work is known to end, and that ran for several limits. Hardware
 * queues have a clock of their own: hwqueue.c. */
#include "base/record.h"
#include "vidsch/internal.h"

static uint64_t poll_time(const struct vidsch_node *node, const struct vidsch_packet *oldest)
{
    return vidsch_after_ns(oldest->start_ns, node->vidsch->config.packet_limit_ns / 2);
}

/* When the node must have answered; MACHINE_NEVER while nothing is owed. */
static uint64_t answer_time_locked(struct vidsch_node *node) HOLDS(node->lock)
{
    struct vidsch_packet *oldest = vidsch_oldest_locked(node);

    if (node->frozen || node->timed_out) {
        return MACHINE_NEVER;
    }
    if (node->preempting) {
        return vidsch_after_ns(node->preempt_since_ns, node->vidsch->config.tdr_delay_ns);
    }
    if (!oldest || node->preempt_wanted) {
        return MACHINE_NEVER; /* idle, or the request is about to leave */
    }
    if (oldest->endless) {
        return oldest->start_ns;
    }
    return vidsch_after_ns(oldest->start_ns, node->vidsch->config.packet_limit_ns);
}

void vidsch_deadline_changed_locked(struct vidsch_node *node)
{
    struct vidsch_packet *oldest = vidsch_oldest_locked(node);
    uint64_t deadline_ns = answer_time_locked(node);

    if (oldest && node->vidsch->backend->query_fence && !node->polled && !node->frozen &&
        !node->timed_out && poll_time(node, oldest) < deadline_ns) {
        deadline_ns = poll_time(node, oldest);
    }
    if (node->look_again_ns < deadline_ns) {
        deadline_ns = node->look_again_ns;
    }
    if (oldest && node->stop_at_ns < deadline_ns) {
        deadline_ns = node->stop_at_ns;
    }
    if (vidsch_hwqueue_deadline_locked(node) < deadline_ns) {
        deadline_ns = vidsch_hwqueue_deadline_locked(node);
    }
    node->deadline_ns = deadline_ns;
}

/* A lost interrupt: what the driver knows counts as reported [QFENCE-002]. */
static void poll_fence(struct vidsch_node *node)
{
    struct vidsch *vidsch = node->vidsch;
    uint32_t fence_id;

    if (vidsch->backend->query_fence &&
        vidsch->backend->query_fence(vidsch, node->index, &fence_id) &&
        vidsch_report_check(vidsch, node->index, fence_id) == VIDSCH_REPORT_OK &&
        vidsch_fence_after(fence_id, vidsch_last_completed(vidsch, node->index))) {
        vidsch_retire(vidsch, node->index, fence_id);
    }
}

static void poll_if_due(struct vidsch_node *node, uint64_t now_ns)
{
    struct vidsch_packet *oldest;
    bool due;

    mutex_lock(&node->lock);
    oldest = vidsch_oldest_locked(node);
    due = oldest && !node->polled && !node->frozen && !node->timed_out &&
          now_ns >= poll_time(node, oldest);
    node->polled |= due;
    vidsch_deadline_changed_locked(node);
    mutex_unlock(&node->lock);
    if (due) {
        poll_fence(node);
    }
}

/* The oldest packet, wherever it is in its work. */
static void vary_stop_locked(struct vidsch_node *node, uint64_t now_ns) HOLDS(node->lock)
{
    if (now_ns < node->stop_at_ns) {
        return;
    }
    node->stop_at_ns = MACHINE_NEVER;
    if (node->running_count > 0 && !node->preempting && !node->preempt_wanted && !node->frozen &&
        !node->timed_out) {
        vary_happened(VARY_MID_PREEMPT);
        node->preempt_wanted = true;
        node->preempt_reason = VIDSCH_PREEMPT_EXPLICIT;
    }
}

/* True: the node is past saving. */
static bool ask_to_stop_locked(struct vidsch_node *node, uint64_t now_ns) HOLDS(node->lock)
{
    if (now_ns < answer_time_locked(node)) {
        return false;
    }
    if (node->preempting || !node->vidsch->backend->preempt ||
        vidsch_oldest_locked(node)->endless) {
        return true;
    }
    node->preempt_wanted = true; /* always tried before a time-out [PREEMPT-011] */
    node->preempt_reason = VIDSCH_PREEMPT_TIMEOUT;
    return false;
}

static bool overdue(struct vidsch_node *node, uint64_t now_ns)
{
    bool lost;

    mutex_lock(&node->lock);
    vary_stop_locked(node, now_ns);
    lost = ask_to_stop_locked(node, now_ns);
    if (node->look_again_ns <= now_ns) {
        node->look_again_ns = MACHINE_NEVER; /* the run below asks the policy anew */
    }
    vidsch_deadline_changed_locked(node);
    mutex_unlock(&node->lock);
    return lost;
}

static void give_up(struct vidsch_node *node, uint64_t now_ns)
{
    struct vidsch *vidsch = node->vidsch;
    struct vidsch_packet *oldest;
    bool lost;

    mutex_lock(&node->lock);
    oldest = vidsch_oldest_locked(node);
    lost = now_ns >= answer_time_locked(node); /* polling may have brought an answer */
    if (lost) {
        node->timed_out = true;
        vidsch_deadline_changed_locked(node);
    }
    mutex_unlock(&node->lock);
    if (lost) {
        record_event(EVENT_TIMEOUT, oldest ? oldest->object : 0, 0, node->index);
        vidsch->backend->timed_out(vidsch, node->index, oldest);
    }
}

static void watch_node(struct vidsch_node *node, uint64_t now_ns)
{
    poll_if_due(node, now_ns);
    if (overdue(node, now_ns)) {
        poll_fence(node);
        give_up(node, now_ns);
    }
    vidsch_hwqueue_watch(node, now_ns);
    vidsch_run(node->vidsch, node->index);
}

void vidsch_tick(struct vidsch *vidsch)
{
    uint64_t now_ns = vidsch_now_ns(vidsch);

    mutex_lock(&vidsch->arm_lock);
    vidsch->armed_ns = MACHINE_NEVER;
    mutex_unlock(&vidsch->arm_lock);
    for (unsigned i = 0; i < vidsch->config.node_count; i++) {
        watch_node(&vidsch->nodes[i], now_ns);
    }
    for (unsigned i = 0; i < vidsch->config.node_count; i++) {
        mutex_lock(&vidsch->nodes[i].lock);
        vidsch_node_unlock(&vidsch->nodes[i]); /* arms again */
    }
}
