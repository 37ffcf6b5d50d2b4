/* vidsch/reset.c: the way through an adapter's reset, and through the reset of one engine. */
#include "base/record.h"
#include "vidsch/internal.h"

static void empty_hardware_locked(struct vidsch_node *node) HOLDS(node->lock);
static enum vidsch_engine_reset engine_reset_locked(struct vidsch_node *node, uint32_t aborted_id)
    HOLDS(node->lock);

/* ---- Freezing ------------------------------------------------------------------------------ */

static bool wait_until_nobody_steps(struct vidsch_node *node, uint64_t deadline_ns)
{
    for (;;) {
        mutex_lock(&node->lock);
        bool stepping = node->stepping;
        mutex_unlock(&node->lock);
        if (!stepping) {
            return true;
        }
        if (wait_queue_wait(&node->waiters, deadline_ns) == WAIT_TIMED_OUT) {
            return false;
        }
    }
}

NTSTATUS vidsch_reset_wait(struct vidsch *vidsch, uint64_t deadline_ns)
{
    NTSTATUS status = STATUS_SUCCESS;

    for (unsigned i = 0; i < vidsch->config.node_count; i++) {
        if (!wait_until_nobody_steps(&vidsch->nodes[i], deadline_ns)) {
            status = STATUS_TIMEOUT;
        }
    }
    return status;
}

NTSTATUS vidsch_reset_begin(struct vidsch *vidsch, uint64_t deadline_ns)
{
    record_event(EVENT_RESET, 0, 0, 0);
    for (unsigned i = 0; i < vidsch->config.node_count; i++) {
        struct vidsch_node *node = &vidsch->nodes[i];

        mutex_lock(&node->lock);
        node->frozen++;
        node->look_again_ns = MACHINE_NEVER;
        vidsch_deadline_changed_locked(node);
        mutex_unlock(&node->lock);
    }
    return vidsch_reset_wait(vidsch, deadline_ns);
}

void vidsch_take_delay(struct vidsch *vidsch, uint64_t tdr_delay_ns)
{
    vidsch->config.tdr_delay_ns = tdr_delay_ns;
    vidsch->config.packet_limit_ns = tdr_delay_ns;
}

bool vidsch_reset_counts(struct vidsch *vidsch)
{
    unsigned slots = vidsch->config.reset_limit + 1;
    uint64_t newest_ns, oldest_ns;

    vidsch->reset_times_ns[vidsch->reset_count++ % slots] = vidsch_now_ns(vidsch);
    if (vidsch->reset_count < slots) {
        return false;
    }
    newest_ns = vidsch->reset_times_ns[(vidsch->reset_count - 1) % slots];
    oldest_ns = vidsch->reset_times_ns[vidsch->reset_count % slots];
    return newest_ns - oldest_ns <= vidsch->config.reset_window_ns;
}

/* ---- Answering ----------------------------------------------------------------------------- */

static void lose_packet_locked(struct vidsch_node *node, struct vidsch_packet *packet)
    HOLDS(node->lock)
{
    struct vidsch_context *context = packet->context;

    if (!context->system) {
        context->lost = true;
        context->hit = true;
    }
    vidsch_end_locked(node, packet, packet->rejected ? packet->status : VIDSCH_STATUS_LOST);
}

/* Everything the hardware had is over; the driver's last completed fence is the last one it was
 * given [TDR-004]. That may be one that was preempted since, so any id given so far is accepted,
 * also behind a further reset before which it was given nothing. */
static void empty_hardware_locked(struct vidsch_node *node)
{
    list_for_each_safe (link, &node->running) {
        struct vidsch_packet *packet = vidsch_packet_of(link);

        if (packet != node->submitting) { /* somebody is stuck with it: reset_begin said so */
            list_remove(&packet->link);
            node->running_count--;
            lose_packet_locked(node, packet);
        }
    }
    vidsch_hwqueue_empty_locked(node, lose_packet_locked);
    /* Paging that waited to be resubmitted under its old id cannot be: the driver has moved on. */
    while (!list_empty(&node->resubmit)) {
        struct vidsch_packet *packet = vidsch_packet_of(node->resubmit.next);

        list_remove(&packet->link);
        lose_packet_locked(node, packet);
    }
    if (node->was_given) {
        node->last_completed = node->last_submitted;
        node->reported = node->last_submitted;
    }
    node->was_given = false;
    node->begun_anew |= node->has_completed;
    node->has_completed = false;
    node->last_submitted = node->next_id - 1;
    node->preempting = false;
    node->preempt_wanted = false;
    vidsch_oldest_changed_locked(node, vidsch_now_ns(node->vidsch));
}

static struct vidsch_context *take_hit_context(struct vidsch_node *node)
{
    struct vidsch_context *found = NULL;

    mutex_lock(&node->lock);
    list_for_each (link, &node->contexts) {
        struct vidsch_context *context = container_of(link, struct vidsch_context, link);

        if (context->hit) {
            context->hit = false;
            found = context;
            break;
        }
    }
    mutex_unlock(&node->lock);
    return found;
}

/* Tells the owner of each context that was hit, then cancels what it has queued. The context lives:
 * its packets are not done before the node delivers. */
static void answer_hit_contexts(struct vidsch_node *node)
{
    struct vidsch_context *context;

    while ((context = take_hit_context(node))) {
        if (node->vidsch->backend->context_hit) {
            node->vidsch->backend->context_hit(node->vidsch, context);
        }
        mutex_lock(&node->lock);
        vidsch_cancel_queued_locked(node, context);
        mutex_unlock(&node->lock);
    }
}

static void hold_delivery(struct vidsch_node *node, bool hold)
{
    for (;;) {
        mutex_lock(&node->lock);
        if (!hold || !node->delivering) {
            node->delivering = hold;
            vidsch_wake_all(&node->waiters);
            mutex_unlock(&node->lock);
            return;
        }
        mutex_unlock(&node->lock);
        wait_queue_wait(&node->waiters, MACHINE_NEVER);
    }
}

void vidsch_reset_answer(struct vidsch *vidsch)
{
    unsigned node_count = vidsch->config.node_count;

    for (unsigned i = 0; i < node_count; i++) {
        struct vidsch_node *node = &vidsch->nodes[i];

        hold_delivery(node, true); /* the owner hears of lost contexts before their packets end */
        mutex_lock(&node->lock);
        CHECK_THAT(node->frozen > 0);
        empty_hardware_locked(node);
        mutex_unlock(&node->lock);
    }
    for (unsigned i = 0; i < node_count; i++) {
        answer_hit_contexts(&vidsch->nodes[i]);
    }
    for (unsigned i = 0; i < node_count; i++) {
        hold_delivery(&vidsch->nodes[i], false);
        mutex_lock(&vidsch->nodes[i].lock);
        vidsch_deliver_locked(&vidsch->nodes[i]);
        mutex_unlock(&vidsch->nodes[i].lock);
    }
}

void vidsch_reset_end(struct vidsch *vidsch)
{
    for (unsigned i = 0; i < vidsch->config.node_count; i++) {
        struct vidsch_node *node = &vidsch->nodes[i];

        mutex_lock(&node->lock);
        CHECK_THAT(node->frozen > 0);
        node->frozen--;
        node->timed_out = false;
        vidsch_deadline_changed_locked(node);
        vidsch_node_unlock(node);
    }
    record_event(EVENT_RESET, 0, 1, 0);
    vidsch_run_all(vidsch);
}

/* ---- One engine ---------------------------------------------------------------------------- */

void vidsch_stand_still(struct vidsch *vidsch, unsigned node_index)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);

    mutex_lock(&node->lock);
    node->timed_out = true;
    vidsch_deadline_changed_locked(node);
    mutex_unlock(&node->lock);
    wait_until_nobody_steps(node, MACHINE_NEVER);
}

bool vidsch_node_wait_step(struct vidsch *vidsch, unsigned node_index, uint64_t deadline_ns)
{
    return wait_until_nobody_steps(vidsch_node_at(vidsch, node_index), deadline_ns);
}

bool vidsch_is_overdue(struct vidsch *vidsch, unsigned node_index)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);

    mutex_lock(&node->lock);
    bool overdue = node->running_count > 0 || node->preempting || node->in_flight_count > 0 ||
                   node->asked_count > 0;
    mutex_unlock(&node->lock);
    return overdue;
}

void vidsch_go_on(struct vidsch *vidsch, unsigned node_index)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);

    mutex_lock(&node->lock);
    node->timed_out = false;
    vidsch_hwqueue_begin_anew_locked(node);
    vidsch_node_unlock(node);
    vidsch_run(vidsch, node_index);
}

static struct vidsch_packet *find_running_locked(struct vidsch_node *node, uint32_t fence_id)
    HOLDS(node->lock)
{
    list_for_each (link, &node->running) {
        if (vidsch_packet_of(link)->fence_id == fence_id) {
            return vidsch_packet_of(link);
        }
    }
    return NULL;
}

static enum vidsch_engine_reset engine_reset_locked(struct vidsch_node *node, uint32_t aborted_id)
{
    struct vidsch_packet *aborted = find_running_locked(node, aborted_id);

    if (vidsch_fence_after(node->last_completed, aborted_id) ||
        vidsch_fence_after(aborted_id, node->last_submitted)) {
        return VIDSCH_ENGINE_RESET_BAD_ID;
    }
    if (aborted && aborted->kind == VIDSCH_PACKET_PAGING) {
        node->aborted = aborted_id; /* what was behind it the driver has dropped [ENGRST-006] */
        return VIDSCH_ENGINE_RESET_PAGING;
    }
    if (aborted) {
        vidsch_retire_locked(node, aborted_id - 1);
        list_remove(&aborted->link);
        node->running_count--;
        lose_packet_locked(node, aborted);
    }
    node->last_completed = aborted_id;
    node->reported = aborted_id;
    node->aborted = 0;
    node->preempting = false;
    node->preempt_wanted = false;
    node->timed_out = false;
    node->begun_anew = true;
    vidsch_requeue_running_locked(node);
    return VIDSCH_ENGINE_RESET_OK;
}

enum vidsch_engine_reset vidsch_engine_reset(struct vidsch *vidsch, unsigned node_index,
                                             uint32_t aborted_id)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);
    enum vidsch_engine_reset result;

    wait_until_nobody_steps(node, MACHINE_NEVER);
    hold_delivery(node, true);
    mutex_lock(&node->lock);
    result = engine_reset_locked(node, aborted_id);
    vidsch_node_unlock(node);
    answer_hit_contexts(node);
    hold_delivery(node, false);
    if (result == VIDSCH_ENGINE_RESET_OK) {
        vidsch_run(vidsch, node_index);
    }
    return result;
}
