/* vidsch/retire.c: what the hardware reports: completion and preemption. */
#include "base/record.h"
#include "vidsch/internal.h"

enum {
    MID_PREEMPT_ONE_IN = 5,
    MID_PREEMPT_AGAIN_ONE_IN = 2, /* where one that was stopped goes on */
    MID_PREEMPT_TIMES = 4,        /* of one packet: it shall end */
    MID_PREEMPT_STEP_NS = 500,    /* from so much ... */
    MID_PREEMPT_DOUBLINGS = 12,   /* ... to 2^12 times as much after a packet's begin */
    MID_PREEMPT_AGAIN_DOUBLINGS = 6,
    ENDLESS_LIMITS = 4, /* of run time, in as many submissions */
    ENDLESS_LIMITS_RENDER = 40,
};

/* ---- Leaving the hardware ------------------------------------------------------------------ */

/* Is one that was stopped on the hardware again, and not at its end yet? */
static bool one_goes_on_locked(struct vidsch_node *node) HOLDS(node->lock)
{
    list_for_each (link, &node->running) {
        if (vidsch_packet_of(link)->resubmission_count > 0) {
            return true;
        }
    }
    return false;
}

/* A kernel may ask at any time [PREEMPT-010]; not before the node completed something, for what was
 * the last fence before the first one is a question of its own. What goes on where it stopped is
 * stopped again before it has begun, too. */
static void vary_stop_at_locked(struct vidsch_node *node, const struct vidsch_packet *oldest,
                                uint64_t now_ns) HOLDS(node->lock)
{
    node->stop_at_ns = MACHINE_NEVER;
    if (!oldest || !node->has_completed || !node->vidsch->backend->preempt ||
        oldest->resubmission_count >= MID_PREEMPT_TIMES || !vary_on(VARY_MID_PREEMPT)) {
        return;
    }
    bool again = one_goes_on_locked(node);
    if (vary_below(VARY_MID_PREEMPT, again ? MID_PREEMPT_AGAIN_ONE_IN : MID_PREEMPT_ONE_IN) == 0) {
        unsigned doublings = again ? MID_PREEMPT_AGAIN_DOUBLINGS : MID_PREEMPT_DOUBLINGS;
        uint64_t scale = MID_PREEMPT_STEP_NS << vary_below(VARY_MID_PREEMPT, doublings + 1);

        node->stop_at_ns = now_ns + 1 + vary_below(VARY_MID_PREEMPT, scale);
    }
}

void vidsch_oldest_changed_locked(struct vidsch_node *node, uint64_t now_ns)
{
    struct vidsch_packet *oldest = vidsch_oldest_locked(node);

    node->polled = false;
    if (oldest) {
        oldest->start_ns = now_ns;
        oldest->first_ns = oldest->first_ns ? oldest->first_ns : now_ns;
        if (oldest->context != node->slice_context) {
            node->slice_since_ns = now_ns;
        }
    }
    node->slice_context = oldest ? oldest->context : NULL;
    vary_stop_at_locked(node, oldest, now_ns);
    vidsch_deadline_changed_locked(node);
}

/* Off the running list. Only the oldest has used the hardware since it became the oldest. */
static void leave_running_locked(struct vidsch_node *node, struct vidsch_packet *packet,
                                 bool was_oldest, uint64_t now_ns) HOLDS(node->lock)
{
    uint64_t ran_ns = was_oldest ? now_ns - packet->start_ns : 0;

    list_remove(&packet->link);
    node->running_count--;
    packet->ran_ns += ran_ns;
    if (node->policy->on_done) {
        node->policy->on_done(node->policy_state, packet, ran_ns);
    }
}

/* The packet completed. What it wanted begins where the one before it ended, if it was ready by
 * then: nothing is counted twice. */
static void count_served_locked(struct vidsch_node *node, struct vidsch_packet *packet,
                                uint64_t now_ns) HOLDS(node->lock)
{
    struct vidsch_context *context = packet->context;
    uint64_t from_ns =
        packet->ready_ns > context->served_until_ns ? packet->ready_ns : context->served_until_ns;

    context->ran_ns += packet->ran_ns;
    node->ran_ns += packet->ran_ns;
    node->system_ran_ns += context->system ? packet->ran_ns : 0;
    context->wanted_ns += now_ns - from_ns;
    context->served_until_ns = now_ns;
}

bool vidsch_retire_locked(struct vidsch_node *node, uint32_t fence_id)
{
    bool matched = node->submitting && node->submitting->fence_id == fence_id;
    bool first = true;
    struct vidsch_packet *packet;
    uint64_t now_ns = 0;

    while ((packet = vidsch_oldest_locked(node)) && packet != node->submitting) {
        bool reported = !vidsch_fence_after(packet->fence_id, fence_id);

        if (!reported && !packet->rejected) {
            break;
        }
        if (first) {
            now_ns = vidsch_now_ns(node->vidsch);
        }
        matched |= packet->fence_id == fence_id;
        leave_running_locked(node, packet, first, now_ns);
        count_served_locked(node, packet, now_ns);
        node->last_completed = packet->fence_id;
        vidsch_end_locked(node, packet, packet->rejected ? packet->status : STATUS_SUCCESS);
        first = false;
    }
    if (!first) {
        vidsch_oldest_changed_locked(node, now_ns);
    }
    return matched;
}

/* ---- Completion ---------------------------------------------------------------------------- */

static enum vidsch_report check_report(const struct vidsch_node *node, uint32_t fence_id)
{
    /* Not last_completed: refused packets move it past what the driver reported. */
    if (vidsch_fence_after(node->reported, fence_id)) {
        return VIDSCH_REPORT_OLD;
    }
    if (vidsch_fence_after(fence_id, node->last_submitted)) {
        return VIDSCH_REPORT_BEYOND;
    }
    return VIDSCH_REPORT_OK;
}

enum vidsch_report vidsch_report_check(struct vidsch *vidsch, unsigned node_index,
                                       uint32_t fence_id)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);

    /* Without the lock: an interrupt may look while its CPU holds it. Each value is one word. */
    return check_report(node, fence_id);
}

enum vidsch_report vidsch_retire(struct vidsch *vidsch, unsigned node_index, uint32_t fence_id)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);
    enum vidsch_report report;

    mutex_lock(&node->lock);
    report = check_report(node, fence_id);
    if (report == VIDSCH_REPORT_OK) {
        bool repeated = fence_id == node->reported || fence_id == node->last_completed;

        record_event(EVENT_FENCE_REPORTED, node->object, fence_id, node->index);
        node->reported = fence_id;
        if (vidsch_retire_locked(node, fence_id)) {
            node->has_completed = true;
            node->aborted = 0;
        } else if (!repeated) {
            report = VIDSCH_REPORT_NO_PACKET;
        }
    }
    vidsch_node_arm_locked(node);
    vidsch_run_and_unlock(node);
    return report;
}

/* ---- Preemption ---------------------------------------------------------------------------- */

/* What it did when it ran is not there when it runs again. A driver may hold a client's work back
 * for long, as long as it stops when asked: a public one does for a minute, to see just that. */
static bool is_endless(struct vidsch *vidsch, const struct vidsch_packet *packet)
{
    uint64_t limits = packet->kind == VIDSCH_PACKET_RENDER ? ENDLESS_LIMITS_RENDER : ENDLESS_LIMITS;

    return packet->resubmission_count >= limits &&
           packet->ran_ns / limits >= vidsch->config.packet_limit_ns &&
           vidsch->backend->is_finite && vidsch->backend->is_finite(vidsch, packet);
}

static void requeue_locked(struct vidsch_node *node, struct vidsch_packet *packet,
                           struct list *paging, struct list *others) HOLDS(node->lock)
{
    record_event(EVENT_PACKET_PREEMPTED, packet->object, packet->fence_id, node->index);
    if (packet->rejected) {
        vidsch_end_locked(node, packet, packet->status);
    } else if (packet->context->lost) {
        vidsch_end_locked(node, packet, VIDSCH_STATUS_LOST);
    } else {
        packet->resubmission_count++;
        packet->endless = is_endless(node->vidsch, packet);
        packet->state = VIDSCH_STATE_READY;
        list_push_back(packet->kind == VIDSCH_PACKET_PAGING ? paging : others, &packet->link);
    }
}

/* Paging packets come back first, in order, with their ids; the others go to the front of their
 * contexts and get new ones [SUBMIT-030]. */
void vidsch_requeue_running_locked(struct vidsch_node *node)
{
    struct list paging, others;
    struct vidsch_packet *packet;
    uint64_t now_ns = vidsch_now_ns(node->vidsch);
    bool first = true;

    list_init(&paging);
    list_init(&others);
    while ((packet = vidsch_oldest_locked(node))) {
        leave_running_locked(node, packet, first, now_ns);
        requeue_locked(node, packet, &paging, &others);
        first = false;
    }
    list_splice_back(&paging, &node->resubmit); /* those that were not resubmitted yet are newer */
    list_splice_back(&node->resubmit, &paging);
    while (!list_empty(&others)) {
        packet = vidsch_packet_of(others.prev);
        list_remove(&packet->link);
        packet->counted = false;
        packet->context->hardware_count--;
        list_push_front(&packet->context->queued, &packet->link);
        vidsch_context_update_locked(node, packet->context);
    }
    node->last_submitted = node->last_completed;
    vidsch_oldest_changed_locked(node, now_ns);
}

enum vidsch_report vidsch_preempted(struct vidsch *vidsch, unsigned node_index,
                                    uint32_t preemption_id, uint32_t last_completed_id)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);
    enum vidsch_report report = VIDSCH_REPORT_UNASKED;

    mutex_lock(&node->lock);
    if (node->preempting && preemption_id == node->preemption_id) {
        report = check_report(node, last_completed_id);
        if (report != VIDSCH_REPORT_OK && !node->has_completed &&
            (last_completed_id == 0 || last_completed_id == node->aborted)) {
            last_completed_id = node->last_completed; /* the driver has none to tell yet */
            report = VIDSCH_REPORT_OK;
        }
    }
    if (report == VIDSCH_REPORT_OK) {
        record_event(EVENT_FENCE_REPORTED, node->object, last_completed_id, node->index);
        vidsch_retire_locked(node, last_completed_id);
        if (vidsch_fence_after(last_completed_id, node->last_completed)) {
            node->last_completed = last_completed_id;
        }
        node->reported = last_completed_id;
        node->preempting = false;
        vidsch_requeue_running_locked(node);
    }
    vidsch_node_unlock(node);
    vidsch_run(vidsch, node_index);
    return report;
}

bool vidsch_preempt(struct vidsch *vidsch, unsigned node_index)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);
    bool asked;

    mutex_lock(&node->lock);
    asked = vidsch->backend->preempt && node->running_count > 0;
    if (asked && !node->preempting && !node->preempt_wanted) {
        node->preempt_wanted = true;
        node->preempt_reason = VIDSCH_PREEMPT_EXPLICIT;
    }
    vidsch_node_unlock(node);
    vidsch_run(vidsch, node_index);
    return asked;
}
