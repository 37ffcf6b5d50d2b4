/* vidsch/queue.c: a context's packets, from the push to the head, and the end of every packet. */
#include "base/record.h"
#include "vidsch/internal.h"

#define CANCEL_PREEMPT_ONE_IN 2

/* ---- The head ------------------------------------------------------------------------------ */

/* The waits of the packet at the head are over; runs on whoever signalled. */
static void waits_ended(struct sync_wait *wait, NTSTATUS status)
{
    struct vidsch_packet *packet = container_of(wait, struct vidsch_packet, wait);
    struct vidsch_context *context = packet->context;
    struct vidsch_node *node = context->node;

    mutex_lock(&node->lock);
    CHECK_THAT(packet->state == VIDSCH_STATE_WAITING);
    if (packet->doomed || !NT_SUCCESS(status)) {
        list_remove(&packet->link);
        vidsch_end_locked(node, packet, packet->doomed ? VIDSCH_STATUS_CANCELLED : status);
    } else {
        packet->state = VIDSCH_STATE_READY;
        packet->ready_ns = vidsch_now_ns(node->vidsch);
    }
    vidsch_context_update_locked(node, context);
    vidsch_node_unlock(node);
    vidsch_run(node->vidsch, node->index);
}

static void begin_waits_locked(struct vidsch_node *node, struct vidsch_packet *packet)
    HOLDS(node->lock)
{
    bool met = packet->wait_count == 0;

    if (!met) {
        packet->state = VIDSCH_STATE_WAITING;
        packet->wait = (struct sync_wait){.items = packet->waits,
                                          .item_count = packet->wait_count,
                                          .any = packet->wait_any,
                                          .done = waits_ended};
        met = sync_wait_begin(&packet->wait);
    }
    if (met) {
        packet->state = VIDSCH_STATE_READY;
        packet->ready_ns = vidsch_now_ns(node->vidsch);
    }
}

static void set_ready_locked(struct vidsch_node *node, struct vidsch_context *context, bool ready)
    HOLDS(node->lock)
{
    if (context->ready == ready) {
        return;
    }
    context->ready = ready;
    if (ready) {
        node->policy->on_ready(node->policy_state, context);
    } else {
        node->policy->on_unready(node->policy_state, context);
    }
}

static void set_software_ready_locked(struct vidsch_node *node, struct vidsch_context *context,
                                      bool ready) HOLDS(node->lock)
{
    if (context->software_ready == ready) {
        return;
    }
    context->software_ready = ready;
    if (ready) {
        list_push_back(&context->node->software, &context->software_link);
    } else {
        list_remove(&context->software_link);
    }
}

/* Ends waits that are met and signals whose turn has come; returns the first packet that is more
 * than a mark, or one that must wait. */
static struct vidsch_packet *settle_head_locked(struct vidsch_node *node,
                                                struct vidsch_context *context) HOLDS(node->lock)
{
    struct vidsch_packet *head;

    while ((head = vidsch_head(context))) {
        if (head->state == VIDSCH_STATE_QUEUED) {
            begin_waits_locked(node, head);
        }
        if (head->state != VIDSCH_STATE_READY) {
            return head;
        }
        if (head->kind != VIDSCH_PACKET_WAIT &&
            (head->kind != VIDSCH_PACKET_SIGNAL || context->hardware_count > 0)) {
            return head;
        }
        list_remove(&head->link);
        vidsch_end_locked(node, head, STATUS_SUCCESS);
    }
    return NULL;
}

void vidsch_context_update_locked(struct vidsch_node *node, struct vidsch_context *context)
    HOLDS(node->lock)
{
    struct vidsch_packet *head = settle_head_locked(node, context);
    bool hardware = false, software = false, queue = false;

    if (head && head->state == VIDSCH_STATE_PREPARING) {
        return; /* whoever prepares it will look again; until then the policy keeps its place */
    }
    if (head && head->state == VIDSCH_STATE_READY) {
        queue = head->kind == VIDSCH_PACKET_HW_QUEUE;
        hardware = vidsch_kind_is_hardware(head->kind) && !queue;
        software = head->kind == VIDSCH_PACKET_SOFTWARE && context->hardware_count == 0;
    }
    vidsch_hwqueue_update_locked(node, context, queue);
    set_ready_locked(node, context, hardware);
    set_software_ready_locked(node, context, software);
}

/* ---- Pushing ------------------------------------------------------------------------------- */

static void adopt_locked(struct vidsch_node *node, struct vidsch_context *context,
                         struct vidsch_packet *packet) HOLDS(node->lock)
{
    CHECK_THAT(packet->state == VIDSCH_STATE_NEW && packet->done);
    CHECK_THAT(packet->kind < VIDSCH_PACKET_KIND_COUNT);
    CHECK_THAT(packet->kind != VIDSCH_PACKET_SOFTWARE || node->vidsch->backend->execute);
    CHECK_THAT(!vidsch_kind_is_hardware(packet->kind) ||
               (packet->kind == VIDSCH_PACKET_HW_QUEUE) == (context->in_flight_max > 0));
    packet->context = context;
    packet->object = record_object_new(OBJECT_PACKET, context->object);
    packet->sequence = node->next_sequence++;
    packet->fence_id = 0;
    packet->resubmission_count = 0;
    packet->ran_ns = packet->first_ns = 0;
    packet->submitted = packet->rejected = packet->doomed = packet->cancel = false;
    packet->counted = packet->in_backend = packet->answered_early = packet->endless = false;
    packet->state = VIDSCH_STATE_QUEUED;
    context->pending_count++;
    node->pending_count++;
    record_event(EVENT_PACKET_QUEUED, packet->object, context->object,
                 (uint64_t)packet->kind | (uint64_t)node->index << 8);
    if (node->policy->on_push) {
        node->policy->on_push(node->policy_state, packet);
    }
}

static void end_cancelled_locked(struct vidsch_node *node, struct vidsch_packet *packet)
    HOLDS(node->lock)
{
    /* What was on the hardware once is not cancelled: the driver has seen it. */
    packet->cancel = vidsch_kind_is_hardware(packet->kind) && !packet->submitted;
    vidsch_end_locked(node, packet,
                      packet->submitted ? VIDSCH_STATUS_LOST : VIDSCH_STATUS_CANCELLED);
}

void vidsch_push(struct vidsch_context *context, struct vidsch_packet *packet)
{
    struct vidsch_node *node = context->node;

    mutex_lock(&node->lock);
    adopt_locked(node, context, packet);
    if (context->lost) {
        end_cancelled_locked(node, packet);
    } else {
        bool is_head = list_empty(&context->queued);

        list_push_back(&context->queued, &packet->link);
        if (is_head) {
            vidsch_context_update_locked(node, context);
        }
    }
    vidsch_node_unlock(node);
}

void vidsch_push_after(struct vidsch_packet *packet, struct vidsch_packet *rest)
{
    struct vidsch_context *context = packet->context;
    struct vidsch_node *node = context->node;

    mutex_lock(&node->lock);
    CHECK_THAT(packet->state == VIDSCH_STATE_PREPARING);
    adopt_locked(node, context, rest);
    if (context->lost) {
        end_cancelled_locked(node, rest);
    } else {
        list_insert_before(packet->link.next, &rest->link);
    }
    vidsch_node_unlock(node);
}

/* ---- Answers of the owner ------------------------------------------------------------------ */

void vidsch_prepared(struct vidsch_packet *packet, NTSTATUS status)
{
    struct vidsch_context *context = packet->context;
    struct vidsch_node *node = context->node;

    mutex_lock(&node->lock);
    if (packet->in_backend) {
        packet->answered_early = true;
        packet->status = status;
        vidsch_node_unlock(node);
        return;
    }
    CHECK_THAT(packet->state == VIDSCH_STATE_PENDING);
    packet->state = VIDSCH_STATE_READY;
    if (packet->doomed) {
        list_remove(&packet->link);
        end_cancelled_locked(node, packet);
    } else if (!NT_SUCCESS(status)) {
        list_remove(&packet->link);
        vidsch_end_locked(node, packet, status);
    }
    vidsch_context_update_locked(node, context);
    vidsch_node_unlock(node);
    vidsch_run(node->vidsch, node->index);
}

bool vidsch_packet_is_head(const struct vidsch_packet *packet)
{
    return packet->context->queued.next == &packet->link;
}

void vidsch_complete(struct vidsch_packet *packet, NTSTATUS status)
{
    struct vidsch_node *node = packet->context->node;

    mutex_lock(&node->lock);
    CHECK_THAT(packet->state == VIDSCH_STATE_EXECUTING);
    if (packet->in_backend) {
        packet->answered_early = true;
        packet->status = status;
        vidsch_node_unlock(node);
        return;
    }
    vidsch_end_locked(node, packet, status);
    vidsch_node_unlock(node);
    vidsch_run(node->vidsch, node->index);
}

/* ---- Losing and cancelling ----------------------------------------------------------------- */

void vidsch_cancel_queued_locked(struct vidsch_node *node, struct vidsch_context *context)
    HOLDS(node->lock)
{
    list_for_each_safe (link, &context->queued) {
        struct vidsch_packet *packet = vidsch_packet_of(link);

        if (packet->state == VIDSCH_STATE_PREPARING || packet->state == VIDSCH_STATE_PENDING ||
            (packet->state == VIDSCH_STATE_WAITING && !sync_wait_cancel(&packet->wait))) {
            packet->doomed = true; /* somebody else holds it and will bring it back */
            continue;
        }
        list_remove(&packet->link);
        end_cancelled_locked(node, packet);
    }
    vidsch_context_update_locked(node, context);
}

void vidsch_context_lose(struct vidsch_context *context)
{
    struct vidsch_node *node = context->node;

    mutex_lock(&node->lock);
    context->lost = true;
    vidsch_cancel_queued_locked(node, context);
    vidsch_node_unlock(node);
    vidsch_run(node->vidsch, node->index);
}

void vidsch_context_cancel(struct vidsch_context *context)
{
    struct vidsch_node *node = context->node;

    mutex_lock(&node->lock);
    vidsch_cancel_queued_locked(node, context);
    vidsch_node_unlock(node);
    vidsch_run(node->vidsch, node->index);
}

/* ---- The end ------------------------------------------------------------------------------- */

void vidsch_end_locked(struct vidsch_node *node, struct vidsch_packet *packet, NTSTATUS status)
    HOLDS(node->lock)
{
    packet->state = VIDSCH_STATE_ENDED;
    packet->status = status;
    list_push_back(&packet->context->node->ended, &packet->link);
}

/* Whoever was cancelled, others go on; and may be asked to stop as at any other time
 * [PREEMPT-010]. */
static void preempt_behind_cancel(struct vidsch_node *node)
{
    mutex_lock(&node->lock);
    if (node->running_count > 0 && node->vidsch->backend->preempt && !node->preempting &&
        !node->preempt_wanted && vary_happens(VARY_ODD_PREEMPT, CANCEL_PREEMPT_ONE_IN)) {
        node->preempt_wanted = true;
        node->preempt_reason = VIDSCH_PREEMPT_EXPLICIT;
    }
    vidsch_node_unlock(node);
}

/* No lock is held. The packet may be gone afterwards. */
static void finish(struct vidsch *vidsch, struct vidsch_node *node, struct vidsch_packet *packet)
{
    NTSTATUS status = packet->status;

    if (packet->cancel) {
        packet->cancel = false;
        record_event(EVENT_PACKET_CANCELLED, packet->object, 0, node->index);
        if (vidsch->backend->cancel) {
            vidsch->backend->cancel(vidsch, packet);
            preempt_behind_cancel(node);
        }
    }
    record_event(EVENT_PACKET_DONE, packet->object, (uint32_t)status, packet->fence_id);
    packet->state = VIDSCH_STATE_NEW;
    packet->done(packet, status);
}

/* The packet of the context is done. A context is its owner's again when nothing is pending. */
static void count_done_locked(struct vidsch_node *node, struct vidsch_context *context,
                              bool counted) HOLDS(node->lock)
{
    if (counted && --context->hardware_count == 0) {
        vidsch_context_update_locked(node, context); /* marks and flips wait for it */
    }
    if (--node->pending_count == 0) {
        vidsch_wake_all(&node->waiters);
    }
    if (--context->pending_count == 0) {
        vidsch_wake_all(&context->idle_waiters);
    }
}

/* One at a time, so that done() comes in order even if it calls back or another CPU retires. */
void vidsch_deliver_locked(struct vidsch_node *node)
{
    struct vidsch *vidsch = node->vidsch;
    bool kick = false;

    if (list_empty(&node->ended) || node->delivering) {
        return;
    }
    node->delivering = true;
    while (!list_empty(&node->ended)) {
        struct vidsch_packet *packet = vidsch_packet_of(node->ended.next);
        struct vidsch_context *context = packet->context;
        bool counted = packet->counted;

        /* Drivers are told of cancelled packets where steps are allowed, and nowhere else. */
        if (packet->cancel && vidsch->backend->cancel && !vidsch_can_step(vidsch)) {
            kick = true;
            break;
        }
        list_remove(&packet->link);
        packet->counted = false;
        mutex_unlock(&node->lock);
        finish(vidsch, node, packet);
        mutex_lock(&node->lock);
        count_done_locked(node, context, counted);
    }
    node->delivering = false;
    vidsch_wake_all(&node->waiters);
    vidsch_node_arm_locked(node);
    if (kick) {
        mutex_unlock(&node->lock);
        vidsch->backend->kick(vidsch, node->index);
        mutex_lock(&node->lock);
    }
}
