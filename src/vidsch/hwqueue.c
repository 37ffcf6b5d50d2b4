/* vidsch/hwqueue.c: hardware queues: contexts whose packets the hardware schedules by itself.
 *
 * What the node does for them is to prepare packets and to hand them over; they end with the
 * progress of their queue. The clock of a node's queues runs while any of them has something in
 * flight, and begins anew with every progress of any:
 *
 *   nothing gets further ── limit / 2 ──> look: the notice may have been lost
 *           └────────── limit + tdr_delay ──> look; timed_out
 *
 * A queue that waits for its turn behind others is not late as long as those get further. One that
 * was asked to stop has tdr_delay to do so; what it has in flight then waits, and is not late. */
#include "base/record.h"
#include "vidsch/internal.h"

static void retire_locked(struct vidsch_node *node, struct vidsch_context *context)
    HOLDS(node->lock);

/* ---- Ready queues -------------------------------------------------------------------------- */

void vidsch_hwqueue_update_locked(struct vidsch_node *node, struct vidsch_context *context,
                                  bool head_is_ready)
{
    bool ready = head_is_ready && context->in_flight_count < context->in_flight_max &&
                 context->stop == VIDSCH_QUEUE_GOES;

    if (context->queue_ready == ready) {
        return;
    }
    context->queue_ready = ready;
    if (ready) {
        list_push_back(&node->queue_ready, &context->queue_link);
    } else {
        list_remove(&context->queue_link);
    }
}

struct vidsch_packet *vidsch_hwqueue_next_locked(struct vidsch_node *node)
{
    if (node->suspend_all) {
        return NULL;
    }
    list_for_each (link, &node->queue_ready) {
        struct vidsch_context *context = container_of(link, struct vidsch_context, queue_link);

        if (!node->suspend_contexts || context->system) {
            return vidsch_head(context);
        }
    }
    return NULL;
}

/* ---- On the hardware ----------------------------------------------------------------------- */

/* The clock begins anew. */
static void got_further_locked(struct vidsch_node *node) HOLDS(node->lock)
{
    node->progress_ns = vidsch_now_ns(node->vidsch);
    node->looked = false;
    vidsch_deadline_changed_locked(node);
}

static void enter_locked(struct vidsch_node *node, struct vidsch_packet *packet) HOLDS(node->lock)
{
    struct vidsch_context *context = packet->context;

    list_remove(&packet->link);
    list_push_back(&context->in_flight, &packet->link);
    context->in_flight_count++;
    packet->state = VIDSCH_STATE_SUBMITTING;
    packet->start_ns = vidsch_now_ns(node->vidsch);
    packet->counted = true;
    context->hardware_count++;
    if (node->in_flight_count++ == 0) {
        got_further_locked(node);
    }
    vidsch_context_update_locked(node, context);
}

/* Off the hardware; its context's hardware_count follows when it is done. */
static void leave_locked(struct vidsch_node *node, struct vidsch_packet *packet) HOLDS(node->lock)
{
    list_remove(&packet->link);
    packet->context->in_flight_count--;
    node->in_flight_count--;
}

/* As if it had not been tried. Later packets of its queue stand behind it. */
static void go_back_locked(struct vidsch_node *node, struct vidsch_packet *packet) HOLDS(node->lock)
{
    struct vidsch_context *context = packet->context;

    leave_locked(node, packet);
    packet->state = VIDSCH_STATE_READY;
    packet->counted = false;
    context->hardware_count--;
    list_push_front(&context->queued, &packet->link);
    vidsch_context_update_locked(node, context);
}

enum vidsch_step vidsch_hwqueue_append_locked(struct vidsch_node *node,
                                              struct vidsch_packet *packet)
{
    struct vidsch *vidsch = node->vidsch;
    NTSTATUS status = STATUS_SUCCESS;

    enter_locked(node, packet);
    vidsch_node_unlock(node);
    record_event(EVENT_PACKET_SUBMIT, packet->object, packet->progress_id, node->index);
    enum vidsch_submit result = vidsch->backend->submit(vidsch, packet, &status);
    mutex_lock(&node->lock);

    if (packet->doomed) {
        packet->submitted = result != VIDSCH_SUBMIT_LATER;
        leave_locked(node, packet);
        vidsch_end_locked(node, packet, VIDSCH_STATUS_LOST);
        vidsch_context_update_locked(node, packet->context);
        return VIDSCH_STEP_DONE;
    }
    if (result == VIDSCH_SUBMIT_LATER) {
        go_back_locked(node, packet);
        return VIDSCH_STEP_KICKED;
    }
    packet->state = VIDSCH_STATE_RUNNING;
    packet->submitted = true;
    if (result == VIDSCH_SUBMIT_REJECTED) {
        packet->rejected = true;
        packet->status = status;
    }
    retire_locked(node, packet->context); /* it may have been done before submit() returned */
    return VIDSCH_STEP_DONE;
}

/* ---- Progress ------------------------------------------------------------------------------ */

/* In order; one that was refused ends behind those before it. */
static void retire_locked(struct vidsch_node *node, struct vidsch_context *context)
{
    while (!list_empty(&context->in_flight)) {
        struct vidsch_packet *packet = vidsch_packet_of(context->in_flight.next);

        bool over =
            packet->progress_id != VIDSCH_SESSION_ID && packet->progress_id <= context->progress;
        if (packet->state != VIDSCH_STATE_RUNNING || (!over && !packet->rejected)) {
            break;
        }
        leave_locked(node, packet);
        vidsch_end_locked(node, packet, packet->rejected ? packet->status : STATUS_SUCCESS);
        got_further_locked(node);
    }
    vidsch_context_update_locked(node, context);
}

/* Has some queue that goes on anything in flight that it has to do? *answer_ns: when the first that
 * was asked to stop must have done so. */
static bool any_goes_on_locked(const struct vidsch_node *node, uint64_t *answer_ns)
    HOLDS(node->lock)
{
    bool any = false;

    *answer_ns = MACHINE_NEVER;
    list_for_each (link, &node->contexts) {
        const struct vidsch_context *context = container_of(link, struct vidsch_context, link);
        uint64_t its_ns =
            vidsch_after_ns(context->stop_since_ns, node->vidsch->config.tdr_delay_ns);
        any |=
            context->in_flight_count > 0 && context->stop != VIDSCH_QUEUE_STOPPED && !context->idle;
        if (context->stop == VIDSCH_QUEUE_ASKED && its_ns < *answer_ns) {
            *answer_ns = its_ns;
        }
    }
    return any;
}

static struct vidsch_packet *first_of(struct vidsch_context *context)
{
    return list_empty(&context->in_flight) ? NULL : vidsch_packet_of(context->in_flight.next);
}

/* A session is as old as what its client queued: it may have been open for long. */
static void session_begins_anew_locked(const struct vidsch_node *node,
                                       struct vidsch_context *context) HOLDS(node->lock)
{
    struct vidsch_packet *first = first_of(context);

    if (first && first->progress_id == VIDSCH_SESSION_ID) {
        first->start_ns = vidsch_now_ns(node->vidsch);
    }
}

bool vidsch_progress(struct vidsch_context *context, uint64_t value)
{
    struct vidsch_node *node = context->node;

    mutex_lock(&node->lock);
    bool further = value > context->progress;
    if (further) {
        context->progress = value;
        session_begins_anew_locked(node, context);
        got_further_locked(node);
        retire_locked(node, context);
    }
    vidsch_node_unlock(node);
    if (further) {
        vidsch_run(node->vidsch, node->index);
    }
    return further;
}

void vidsch_queue_set_stop(struct vidsch_context *context, enum vidsch_queue_stop stop)
{
    struct vidsch_node *node = context->node;

    mutex_lock(&node->lock);
    if (stop == VIDSCH_QUEUE_ASKED && context->stop != stop) {
        context->stop_since_ns = vidsch_now_ns(node->vidsch);
    }
    node->asked_count += (stop == VIDSCH_QUEUE_ASKED) - (context->stop == VIDSCH_QUEUE_ASKED);
    context->stop = stop;
    if (stop == VIDSCH_QUEUE_GOES) {
        got_further_locked(node);
    }
    vidsch_context_update_locked(node, context);
    vidsch_deadline_changed_locked(node);
    vidsch_node_unlock(node);
    vidsch_run(node->vidsch, node->index);
}

void vidsch_queue_set_idle(struct vidsch_context *context, bool idle)
{
    struct vidsch_node *node = context->node;

    mutex_lock(&node->lock);
    if (context->idle != idle) {
        uint64_t answer_ns;
        bool alone = !any_goes_on_locked(node, &answer_ns); /* else what others have may be late */
        context->idle = idle;
        if (!idle) {
            session_begins_anew_locked(node, context);
        }
        if (!idle && alone) {
            got_further_locked(node);
        }
        vidsch_deadline_changed_locked(node);
    }
    vidsch_node_unlock(node);
}

void vidsch_session_end(struct vidsch_packet *packet)
{
    struct vidsch_node *node = packet->context->node;

    mutex_lock(&node->lock);
    CHECK_THAT(packet->progress_id == VIDSCH_SESSION_ID || packet->progress_id == 0);
    packet->progress_id = 0;
    retire_locked(node, packet->context);
    vidsch_deadline_changed_locked(node);
    vidsch_node_unlock(node);
    vidsch_run(node->vidsch, node->index);
}

void vidsch_queue_lose(struct vidsch_context *context)
{
    struct vidsch_node *node = context->node;

    mutex_lock(&node->lock);
    context->lost = true;
    list_for_each_safe (link, &context->in_flight) {
        struct vidsch_packet *packet = vidsch_packet_of(link);
        if (packet->state == VIDSCH_STATE_RUNNING) {
            leave_locked(node, packet);
            vidsch_end_locked(node, packet, VIDSCH_STATUS_LOST);
        } else {
            packet->doomed = true; /* whoever waits to hand it over comes too late */
        }
    }
    vidsch_cancel_queued_locked(node, context);
    vidsch_deadline_changed_locked(node);
    vidsch_node_unlock(node);
    vidsch_run(node->vidsch, node->index);
}

void vidsch_hwqueue_begin_anew_locked(struct vidsch_node *node)
{
    got_further_locked(node);
}

void vidsch_hwqueue_empty_locked(struct vidsch_node *node,
                                 void (*lose)(struct vidsch_node *node,
                                              struct vidsch_packet *packet))
{
    list_for_each (outer, &node->contexts) {
        struct vidsch_context *context = container_of(outer, struct vidsch_context, link);

        list_for_each_safe (link, &context->in_flight) {
            struct vidsch_packet *packet = vidsch_packet_of(link);
            if (packet->state == VIDSCH_STATE_RUNNING) { /* else somebody is stuck with it */
                leave_locked(node, packet);
                lose(node, packet);
            }
        }
        vidsch_context_update_locked(node, context);
    }
}

/* ---- The clock ----------------------------------------------------------------------------- */

static uint64_t limit_ns(const struct vidsch_node *node)
{
    const struct vidsch_config *config = &node->vidsch->config;

    return vidsch_after_ns(config->packet_limit_ns, config->tdr_delay_ns);
}

/* Sessions whose work nobody tells of: they are looked at. */
static bool any_idles_locked(const struct vidsch_node *node) HOLDS(node->lock)
{
    list_for_each (link, &node->contexts) {
        const struct vidsch_context *context = container_of(link, struct vidsch_context, link);
        if (context->in_flight_count > 0 && context->idle &&
            context->stop != VIDSCH_QUEUE_STOPPED) {
            return true;
        }
    }
    return false;
}

/* When a packet of a context that has had the engine for most of their silence is given up itself:
 * what waits for the engine is not late before that. 0: there is none. One that came later is no
 * excuse, or queues would be followed no more where one short packet follows the other. */
static uint64_t engine_is_taken_until_locked(const struct vidsch_node *node) HOLDS(node->lock)
{
    const struct vidsch_config *config = &node->vidsch->config;
    const struct vidsch_packet *oldest = vidsch_oldest_locked(node);

    if (!oldest ||
        oldest->start_ns > vidsch_after_ns(node->progress_ns, config->packet_limit_ns / 2)) {
        return 0;
    }
    return node->preempting ? vidsch_after_ns(node->preempt_since_ns, config->tdr_delay_ns)
                            : vidsch_after_ns(oldest->start_ns, limit_ns(node));
}

uint64_t vidsch_hwqueue_in_flight_deadline_locked(const struct vidsch_node *node)
{
    uint64_t half_ns = node->vidsch->config.packet_limit_ns / 2, answer_ns, late_ns, taken_ns;

    if (node->frozen || node->timed_out) {
        return MACHINE_NEVER;
    }
    if (any_goes_on_locked(node, &answer_ns)) {
        late_ns = vidsch_after_ns(node->progress_ns, node->looked ? limit_ns(node) : half_ns);
    } else {
        late_ns =
            any_idles_locked(node) ? vidsch_after_ns(node->progress_ns, half_ns) : MACHINE_NEVER;
    }
    taken_ns = engine_is_taken_until_locked(node);
    late_ns = node->looked && taken_ns > late_ns ? taken_ns : late_ns;
    return answer_ns < late_ns ? answer_ns : late_ns;
}

/* Of those that are the next of their queue, the one that has been on the hardware for longest; of
 * a queue that was asked to stop in vain first. */
static struct vidsch_packet *oldest_locked(struct vidsch_node *node, uint64_t now_ns)
    HOLDS(node->lock)
{
    struct vidsch_packet *oldest = NULL;

    list_for_each (link, &node->contexts) {
        struct vidsch_context *context = container_of(link, struct vidsch_context, link);
        struct vidsch_packet *first = first_of(context);
        uint64_t tdr_ns = node->vidsch->config.tdr_delay_ns;
        if (!first || context->stop == VIDSCH_QUEUE_STOPPED) {
            continue;
        }
        if (context->stop == VIDSCH_QUEUE_ASKED &&
            now_ns >= vidsch_after_ns(context->stop_since_ns, tdr_ns)) {
            return first;
        }
        if (context->idle) {
            continue;
        }
        if (!oldest || first->start_ns < oldest->start_ns) {
            oldest = first;
        }
    }
    return oldest;
}

static void look(struct vidsch_node *node)
{
    mutex_lock(&node->lock);
    node->looked = true;
    vidsch_deadline_changed_locked(node);
    mutex_unlock(&node->lock);
    if (node->vidsch->backend->look) {
        node->vidsch->backend->look(node->vidsch, node->index);
    }
    mutex_lock(&node->lock);
    uint64_t answer_ns;
    if (!any_goes_on_locked(node, &answer_ns) && any_idles_locked(node)) {
        got_further_locked(node); /* until the next look */
    }
    mutex_unlock(&node->lock);
}

static void give_up(struct vidsch_node *node, uint64_t now_ns)
{
    struct vidsch *vidsch = node->vidsch;
    struct vidsch_packet *oldest = NULL;

    mutex_lock(&node->lock);
    bool late = now_ns >= vidsch_hwqueue_deadline_locked(node);
    if (late) {
        oldest = oldest_locked(node, now_ns);
        node->timed_out = true;
        vidsch_deadline_changed_locked(node);
    }
    mutex_unlock(&node->lock);
    if (late) {
        record_event(EVENT_TIMEOUT, oldest ? oldest->object : 0, 0, node->index);
        vidsch->backend->timed_out(vidsch, node->index, oldest);
    }
}

void vidsch_hwqueue_watch(struct vidsch_node *node, uint64_t now_ns)
{
    mutex_lock(&node->lock);
    bool late = now_ns >= vidsch_hwqueue_deadline_locked(node);
    mutex_unlock(&node->lock);
    if (late) {
        look(node);
        give_up(node, now_ns);
    }
}
