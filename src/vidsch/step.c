/* vidsch/step.c: what a node does next, one thing at a time: preempt, execute, resubmit, submit. */
#include "base/record.h"
#include "vidsch/internal.h"

enum { GAP_MAX = 9 }; /* fence ids that are left out at once */
enum { IDLE_PREEMPT_ONE_IN = 16, SWITCH_PREEMPT_ONE_IN = 2, ODD_PREEMPT_ONE_IN = 24 };

enum action_kind { ACTION_NONE, ACTION_EXECUTE, ACTION_PREEMPT, ACTION_RESUBMIT, ACTION_SUBMIT };

struct action {
    enum action_kind kind;
    struct vidsch_packet *packet;
};

/* Everything called "_locked" holds the node's lock; what acts drops it meanwhile and retakes it.
 */
static bool policy_preempts_locked(struct vidsch_node *node, struct vidsch_context *candidate)
    HOLDS(node->lock);
static struct action choose_submit_locked(struct vidsch_node *node) HOLDS(node->lock);
static struct action choose_locked(struct vidsch_node *node) HOLDS(node->lock);
static void preempt_locked(struct vidsch_node *node) HOLDS(node->lock);
static void execute_locked(struct vidsch_node *node, struct vidsch_packet *packet)
    HOLDS(node->lock);
static void enter_hardware_locked(struct vidsch_node *node, struct vidsch_packet *packet)
    HOLDS(node->lock);
static void leave_hardware_locked(struct vidsch_node *node, struct vidsch_packet *packet,
                                  bool resubmitted) HOLDS(node->lock);
static enum vidsch_step hand_over_locked(struct vidsch_node *node, struct vidsch_packet *packet,
                                         bool resubmitted) HOLDS(node->lock);
static enum vidsch_step submit_locked(struct vidsch_node *node, struct vidsch_packet *packet)
    HOLDS(node->lock);
static enum vidsch_step act_locked(struct vidsch_node *node, struct action action)
    HOLDS(node->lock);

/* ---- Choosing ------------------------------------------------------------------------------ */

/* Who waits for the node: the policy's candidate, and whoever stands behind the oldest packet on
 * the hardware. When should it stop for the most pressing of them? */
static uint64_t preempt_time_locked(struct vidsch_node *node, struct vidsch_context *candidate,
                                    uint64_t now_ns) HOLDS(node->lock)
{
    const struct vidsch_policy *policy = node->policy;
    struct vidsch_packet *oldest = vidsch_oldest_locked(node);
    uint64_t when_ns = MACHINE_NEVER;

    list_for_each (link, &node->running) {
        struct vidsch_context *behind = vidsch_packet_of(link)->context;
        uint64_t its_ns = MACHINE_NEVER;

        if (behind != oldest->context) {
            its_ns = policy->should_preempt(node->policy_state, oldest, node->slice_since_ns,
                                            behind, now_ns);
        }
        when_ns = its_ns < when_ns ? its_ns : when_ns;
    }
    if (candidate) {
        uint64_t its_ns = policy->should_preempt(node->policy_state, oldest, node->slice_since_ns,
                                                 candidate, now_ns);

        when_ns = its_ns < when_ns ? its_ns : when_ns;
    }
    return when_ns;
}

/* An idle node only after it completed something: what was the last fence before the first one is a
 * question of its own. After a reset it is the last one that was submitted, or that ResetEngine
 * named [TDR-004, ENGRST-006], and what was refused counts, too, which nobody reports [SUBV-003]:
 * the next packet comes later, so it is asked for certain. Whom the GPU is to leave by the next
 * packet it has not left because it was stopped [SUBMIT-041]: that is asked for often. */
static bool idle_preempts_locked(struct vidsch_node *node, const struct vidsch_packet *next)
    HOLDS(node->lock)
{
    unsigned one_in =
        next->kind == VIDSCH_PACKET_CONTEXT_SWITCH ? SWITCH_PREEMPT_ONE_IN : IDLE_PREEMPT_ONE_IN;
    bool certain = (node->begun_anew || node->refused) && vary_happens(VARY_IDLE_PREEMPT, 1);

    node->begun_anew = node->refused = false;
    return certain || (node->has_completed && vary_happens(VARY_IDLE_PREEMPT, one_in));
}

/* Once, where what is completed has a larger id than what is not. */
static bool wrap_preempts_locked(struct vidsch_node *node) HOLDS(node->lock)
{
    if (node->wrap_asked || !node->has_completed || node->last_submitted > node->last_completed ||
        !vary_happens(VARY_FENCE_WRAP, 1)) {
        return false;
    }
    node->wrap_asked = true;
    return true;
}

/* A kernel may ask at any time [PREEMPT-010]. */
static bool variation_preempts_locked(struct vidsch_node *node, struct vidsch_context *candidate)
    HOLDS(node->lock)
{
    bool all_told = node->last_completed == node->reported;

    if (!node->vidsch->backend->preempt || (!all_told && !node->refused)) {
        return false;
    }
    if (node->running_count > 0 && wrap_preempts_locked(node)) {
        return true;
    }
    return candidate &&
           (node->running_count == 0 ? idle_preempts_locked(node, vidsch_head(candidate))
                                     : vary_happens(VARY_ODD_PREEMPT, ODD_PREEMPT_ONE_IN));
}

/* True: the hardware is to stop now. Otherwise notes when to ask again. */
static bool policy_preempts_locked(struct vidsch_node *node, struct vidsch_context *candidate)
{
    struct vidsch_packet *oldest = vidsch_oldest_locked(node);
    uint64_t now_ns, when_ns;

    if (!oldest || !node->policy->should_preempt || !node->vidsch->backend->preempt) {
        return false;
    }
    now_ns = vidsch_now_ns(node->vidsch);
    when_ns = preempt_time_locked(node, candidate, now_ns);
    if (when_ns <= now_ns) {
        node->preempt_reason = candidate && candidate->priority > oldest->context->priority
                                   ? VIDSCH_PREEMPT_PRIORITY
                                   : VIDSCH_PREEMPT_QUANTUM;
        return true;
    }
    node->look_again_ns = when_ns;
    vidsch_deadline_changed_locked(node);
    return false;
}

static struct action choose_submit_locked(struct vidsch_node *node)
{
    bool room = node->running_count < node->vidsch->config.hw_queue_depth;
    struct vidsch_context *candidate;

    if (node->suspend_all) {
        return (struct action){ACTION_NONE};
    }
    if (!list_empty(&node->resubmit)) {
        return room ? (struct action){ACTION_RESUBMIT, vidsch_packet_of(node->resubmit.next)}
                    : (struct action){ACTION_NONE};
    }
    candidate = node->policy->pick(node->policy_state, node->suspend_contexts > 0);
    if (variation_preempts_locked(node, candidate)) {
        node->preempt_reason = VIDSCH_PREEMPT_EXPLICIT;
        return (struct action){ACTION_PREEMPT};
    }
    if (policy_preempts_locked(node, candidate)) {
        return (struct action){ACTION_PREEMPT};
    }
    return candidate && room ? (struct action){ACTION_SUBMIT, vidsch_head(candidate)}
                             : (struct action){ACTION_NONE};
}

static struct action choose_locked(struct vidsch_node *node)
{
    node->look_again_ns = MACHINE_NEVER;
    if (node->frozen || node->timed_out) {
        return (struct action){ACTION_NONE};
    }
    if (!list_empty(&node->software) && !node->suspend_all && !node->suspend_contexts) {
        struct list *link = node->software.next;

        return (struct action){
            ACTION_EXECUTE, vidsch_head(container_of(link, struct vidsch_context, software_link))};
    }
    struct vidsch_packet *next = vidsch_hwqueue_next_locked(node);
    if (next) {
        return (struct action){ACTION_SUBMIT, next};
    }
    /* One request at a time, and no new work until it is answered [PREEMPT-010]. */
    if (node->preempting) {
        return (struct action){ACTION_NONE};
    }
    if (node->preempt_wanted && node->running_count > 0 && node->vidsch->backend->preempt) {
        return (struct action){ACTION_PREEMPT};
    }
    node->preempt_wanted = false;
    return choose_submit_locked(node);
}

/* ---- Doing: called with the lock, node->stepping set; they drop and retake the lock ---------- */

/* To where ids wrap there are 2^32 of them: the first is the usual one, and each leap is shorter
 * than a quarter of them, from an id that is over. Who compares by distance sees only growth; what
 * was refused nobody reports, so that the last report may lie behind. */
static void leap_locked(struct vidsch_node *node) HOLDS(node->lock)
{
    const struct vidsch_config *config = &node->vidsch->config;

    if (node->leaps > 0 && node->next_id - node->reported < 1u << 30 &&
        node->next_id != config->first_fence_id && node->running_count == 0 &&
        list_empty(&node->resubmit)) {
        node->next_id += (UINT32_MAX - config->wrap_after - node->next_id) / node->leaps--;
    }
}

static uint32_t take_id_locked(struct vidsch_node *node) HOLDS(node->lock)
{
    leap_locked(node);
    /* A gap never ends at 0. */
    if (node->next_id < UINT32_MAX - GAP_MAX && vary_happens(VARY_FENCE_GAPS, 3)) {
        node->next_id += 1 + (uint32_t)vary_below(VARY_FENCE_GAPS, GAP_MAX);
    }
    uint32_t id = node->next_id++;

    if (node->next_id == 0) {
        node->next_id = 1; /* 0 is "no fence" in reports */
    }
    return id;
}

static void preempt_locked(struct vidsch_node *node)
{
    struct vidsch *vidsch = node->vidsch;
    enum vidsch_preempt_reason reason = node->preempt_reason;
    uint32_t id = take_id_locked(node);

    node->preempt_wanted = false;
    node->preempting = true;
    node->preemption_id = id;
    node->preempt_since_ns = vidsch_now_ns(vidsch);
    node->look_again_ns = MACHINE_NEVER;
    vidsch_deadline_changed_locked(node);
    vidsch_node_unlock(node);
    record_event(EVENT_PREEMPT_REQUEST, node->object, id, node->index);
    vidsch->backend->preempt(vidsch, node->index, id, reason);
    mutex_lock(&node->lock);
}

static void execute_locked(struct vidsch_node *node, struct vidsch_packet *packet)
{
    struct vidsch_context *context = packet->context;

    list_remove(&packet->link);
    packet->state = VIDSCH_STATE_EXECUTING;
    packet->in_backend = true;
    packet->answered_early = false;
    vidsch_context_update_locked(node, context);
    vidsch_node_unlock(node);
    record_event(EVENT_PACKET_SUBMIT, packet->object, 0, node->index);
    node->vidsch->backend->execute(node->vidsch, packet);
    mutex_lock(&node->lock);
    packet->in_backend = false;
    if (packet->answered_early) {
        vidsch_end_locked(node, packet, packet->status);
    }
}

static void enter_hardware_locked(struct vidsch_node *node, struct vidsch_packet *packet)
{
    list_remove(&packet->link);
    list_push_back(&node->running, &packet->link);
    node->running_count++;
    node->last_submitted = packet->fence_id;
    node->was_given = true;
    node->submitting = packet;
    packet->state = VIDSCH_STATE_SUBMITTING;
    if (!packet->counted) {
        packet->counted = true;
        packet->context->hardware_count++;
    }
    if (node->running_count == 1) {
        vidsch_oldest_changed_locked(node, vidsch_now_ns(node->vidsch));
    }
}

/* As if it had not been tried; nothing else was submitted meanwhile. */
static void leave_hardware_locked(struct vidsch_node *node, struct vidsch_packet *packet,
                                  bool resubmitted)
{
    list_remove(&packet->link);
    node->running_count--;
    node->last_submitted = list_empty(&node->running)
                               ? node->last_completed
                               : vidsch_packet_of(node->running.prev)->fence_id;
    if (vidsch_fence_after(node->reported, node->last_submitted)) {
        node->reported = node->last_submitted; /* a driver that reports what it refused */
    }
    packet->state = VIDSCH_STATE_READY;
    if (resubmitted) {
        list_push_front(&node->resubmit, &packet->link);
    } else {
        node->next_id = packet->fence_id;
        packet->counted = false;
        packet->context->hardware_count--;
        list_push_front(&packet->context->queued, &packet->link);
        vidsch_context_update_locked(node, packet->context);
    }
    if (node->running_count == 0) {
        vidsch_oldest_changed_locked(node, vidsch_now_ns(node->vidsch));
    }
}

/* The packet has its fence id and is ready for the hardware. */
static enum vidsch_step hand_over_locked(struct vidsch_node *node, struct vidsch_packet *packet,
                                         bool resubmitted)
{
    struct vidsch *vidsch = node->vidsch;
    NTSTATUS status = STATUS_SUCCESS;
    enum vidsch_submit result;

    enter_hardware_locked(node, packet);
    if (!resubmitted) {
        vidsch_context_update_locked(node, packet->context);
    }
    vidsch_node_unlock(node);
    record_event(EVENT_PACKET_SUBMIT, packet->object, packet->fence_id, node->index);
    result = vidsch->backend->submit(vidsch, packet, &status);
    mutex_lock(&node->lock);

    node->submitting = NULL;
    if (result == VIDSCH_SUBMIT_LATER) {
        leave_hardware_locked(node, packet, resubmitted);
        return VIDSCH_STEP_KICKED;
    }
    packet->state = VIDSCH_STATE_RUNNING;
    packet->submitted = true;
    if (result == VIDSCH_SUBMIT_REJECTED) {
        packet->rejected = true;
        packet->status = status;
        node->refused = true;
    }
    /* What was reported while submit() still ran, and a refused packet that is the oldest. */
    const struct vidsch_packet *oldest = vidsch_oldest_locked(node);
    if (oldest && (oldest->rejected || !vidsch_fence_after(oldest->fence_id, node->reported))) {
        vidsch_retire_locked(node, node->reported);
    }
    return VIDSCH_STEP_DONE;
}

static void remove_and_end_locked(struct vidsch_node *node, struct vidsch_packet *packet,
                                  NTSTATUS status, bool cancelled) HOLDS(node->lock)
{
    list_remove(&packet->link);
    packet->cancel = cancelled && !packet->submitted;
    vidsch_end_locked(node, packet, status);
}

/* True: the packet may go to the hardware now. */
static bool settle_prepared_locked(struct vidsch_node *node, struct vidsch_packet *packet,
                                   enum vidsch_prepare result, NTSTATUS status) HOLDS(node->lock)
{
    struct vidsch_context *context = packet->context;

    packet->in_backend = false;
    packet->state = VIDSCH_STATE_READY;
    if (result == VIDSCH_PREPARE_PENDING) {
        if (!packet->answered_early) {
            packet->state = VIDSCH_STATE_PENDING;
        } else if (!NT_SUCCESS(packet->status)) {
            status = packet->status;
            result = VIDSCH_PREPARE_FAILED;
        }
    }
    if (packet->state == VIDSCH_STATE_READY) {
        if (packet->doomed) {
            remove_and_end_locked(node, packet, VIDSCH_STATUS_CANCELLED, true);
        } else if (result == VIDSCH_PREPARE_FAILED) {
            remove_and_end_locked(node, packet, status, false);
        } else if (result == VIDSCH_PREPARE_READY && !node->frozen && !node->timed_out &&
                   !node->suspend_all && (!node->suspend_contexts || context->system)) {
            return true;
        }
    }
    vidsch_context_update_locked(node, context);
    return false;
}

static enum vidsch_step submit_locked(struct vidsch_node *node, struct vidsch_packet *packet)
{
    struct vidsch *vidsch = node->vidsch;
    NTSTATUS status = STATUS_SUCCESS;
    enum vidsch_prepare result;

    packet->state = VIDSCH_STATE_PREPARING;
    packet->in_backend = true;
    packet->answered_early = false;
    vidsch_node_unlock(node);
    result = vidsch->backend->prepare(vidsch, packet, &status);
    mutex_lock(&node->lock);
    if (!settle_prepared_locked(node, packet, result, status)) {
        return VIDSCH_STEP_DONE;
    }
    if (packet->kind == VIDSCH_PACKET_HW_QUEUE) {
        return vidsch_hwqueue_append_locked(node, packet);
    }
    packet->fence_id = take_id_locked(node);
    return hand_over_locked(node, packet, false);
}

static enum vidsch_step act_locked(struct vidsch_node *node, struct action action)
{
    switch (action.kind) {
    case ACTION_PREEMPT:
        preempt_locked(node);
        return VIDSCH_STEP_DONE;
    case ACTION_EXECUTE:
        execute_locked(node, action.packet);
        return VIDSCH_STEP_DONE;
    case ACTION_RESUBMIT:
        return hand_over_locked(node, action.packet, true);
    case ACTION_SUBMIT:
        return submit_locked(node, action.packet);
    case ACTION_NONE:
        break;
    }
    return VIDSCH_STEP_IDLE;
}

/* ---- Stepping ------------------------------------------------------------------------------ */

static enum vidsch_step step_locked(struct vidsch_node *node) HOLDS(node->lock)
{
    if (node->stepping) {
        return VIDSCH_STEP_BUSY;
    }
    struct action action = choose_locked(node);
    if (action.kind == ACTION_NONE) {
        return VIDSCH_STEP_IDLE;
    }
    if (!vidsch_can_step(node->vidsch)) {
        return VIDSCH_STEP_KICKED;
    }
    node->stepping = true;
    enum vidsch_step result = act_locked(node, action);
    node->stepping = false;
    vidsch_wake_all(&node->waiters);
    vidsch_node_arm_locked(node);
    vidsch_deliver_locked(node);
    return result;
}

/* Nothing to do, and nothing to look at: whoever pushes runs the node after his push. */
static bool is_at_rest(struct vidsch_node *node)
{
    return list_empty(&node->ended) && __atomic_load_n(&node->pending_count, __ATOMIC_RELAXED) == 0;
}

/* Until one step has another result than DONE, or `once`. */
static enum vidsch_step steps_and_unlock(struct vidsch_node *node, bool once) DROPS(node->lock)
{
    enum vidsch_step result;

    vidsch_deliver_locked(node);
    do {
        if (node->pending_count == 0) {
            mutex_unlock(&node->lock);
            return VIDSCH_STEP_IDLE;
        }
        result = step_locked(node);
    } while (result == VIDSCH_STEP_DONE && !once);
    if (result == VIDSCH_STEP_BUSY) {
        mutex_unlock(&node->lock); /* who is at it asks to be ticked */
        return result;
    }
    vidsch_node_unlock(node);
    if (result == VIDSCH_STEP_KICKED) {
        node->vidsch->backend->kick(node->vidsch, node->index);
    }
    return result;
}

enum vidsch_step vidsch_step(struct vidsch *vidsch, unsigned node_index)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);

    if (is_at_rest(node)) {
        return VIDSCH_STEP_IDLE;
    }
    mutex_lock(&node->lock);
    return steps_and_unlock(node, true);
}

void vidsch_run_and_unlock(struct vidsch_node *node)
{
    (void)steps_and_unlock(node, false);
}

void vidsch_run(struct vidsch *vidsch, unsigned node_index)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);

    if (!is_at_rest(node)) {
        mutex_lock(&node->lock);
        vidsch_run_and_unlock(node);
    }
}

void vidsch_run_all(struct vidsch *vidsch)
{
    for (unsigned i = 0; i < vidsch->config.node_count; i++) {
        vidsch_run(vidsch, i);
    }
}
