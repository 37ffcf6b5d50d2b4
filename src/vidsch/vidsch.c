/* vidsch/vidsch.c: the life of scheduler, nodes and contexts; suspension; waiting for idleness. */
#include "vidsch/vidsch.h"

#include "base/record.h"
#include "vidsch/internal.h"

#include <limits.h>
#include <stdlib.h>

bool vidsch_can_step(struct vidsch *vidsch)
{
    if (vidsch->backend->can_step) {
        return vidsch->backend->can_step(vidsch);
    }
    return irql_current() == MACHINE_IRQL_PASSIVE;
}

/* ---- Scheduler and nodes ------------------------------------------------------------------- */

static void fill_defaults(struct vidsch_config *config)
{
    if (!config->hw_queue_depth) {
        config->hw_queue_depth = 2;
    }
    if (!config->policy) {
        config->policy = &vidsch_policy_priority;
    }
    if (!config->quantum_ns) {
        config->quantum_ns = 10 * NS_PER_MS;
    }
    if (!config->tdr_delay_ns) {
        config->tdr_delay_ns = 2 * NS_PER_S;
    }
    if (!config->packet_limit_ns) {
        config->packet_limit_ns = config->tdr_delay_ns;
    }
    if (!config->reset_limit) {
        config->reset_limit = 5;
    }
    if (!config->reset_window_ns) {
        config->reset_window_ns = 60 * NS_PER_S;
    }
    if (!config->first_fence_id) {
        config->first_fence_id = 1;
    }
}

static NTSTATUS node_init(struct vidsch_node *node, struct vidsch *vidsch, unsigned index)
{
    const struct vidsch_config *config = &vidsch->config;
    void *state = NULL;

    if (config->policy->state_size) {
        state = calloc(1, config->policy->state_size);
        if (!state) {
            return STATUS_NO_MEMORY;
        }
    }
    *node = (struct vidsch_node){
        .vidsch = vidsch,
        .index = index,
        .policy = config->policy,
        .policy_state = state,
        .next_id = config->first_fence_id,
        .leaps = config->wrap_after ? VIDSCH_LEAP_COUNT : 0,
        .last_submitted = config->first_fence_id - 1,
        .last_completed = config->first_fence_id - 1,
        .reported = config->first_fence_id - 1,
        .look_again_ns = MACHINE_NEVER,
        .stop_at_ns = MACHINE_NEVER,
        .deadline_ns = MACHINE_NEVER,
    };
    node->object = record_object_new(OBJECT_NODE, config->parent);
    mutex_init(&node->lock, LOCK_RANK_VIDSCH);
    list_init(&node->contexts);
    list_init(&node->software);
    list_init(&node->running);
    list_init(&node->resubmit);
    list_init(&node->ended);
    list_init(&node->queue_ready);
    wait_queue_init(&node->waiters);
    if (config->policy->init) {
        config->policy->init(state, node);
    }
    return STATUS_SUCCESS;
}

static void node_fini(struct vidsch_node *node)
{
    if (!node->vidsch) {
        return;
    }
    CHECK_THAT(list_empty(&node->contexts));
    CHECK_THAT(node->pending_count == 0);
    record_object_dead(node->object, OBJECT_NODE);
    mutex_fini(&node->lock);
    if (node->policy->fini) {
        node->policy->fini(node->policy_state);
    }
    free(node->policy_state);
}

NTSTATUS vidsch_init(struct vidsch *vidsch, const struct vidsch_backend *backend,
                     const struct vidsch_config *config)
{
    NTSTATUS status = STATUS_NO_MEMORY;

    CHECK_THAT(backend->prepare && backend->submit && backend->timed_out && backend->kick &&
               backend->arm);
    *vidsch = (struct vidsch){0};
    if (config->node_count == 0 || config->node_count > VIDSCH_NODE_COUNT_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    vidsch->backend = backend;
    vidsch->config = *config;
    vidsch->armed_ns = MACHINE_NEVER;
    fill_defaults(&vidsch->config);
    mutex_init(&vidsch->arm_lock, LOCK_RANK_VIDSCH);
    vidsch->nodes = calloc(config->node_count, sizeof(*vidsch->nodes));
    vidsch->reset_times_ns =
        calloc((size_t)vidsch->config.reset_limit + 1, sizeof(*vidsch->reset_times_ns));
    if (!vidsch->nodes || !vidsch->reset_times_ns) {
        goto err_fini;
    }
    for (unsigned i = 0; i < config->node_count; i++) {
        status = node_init(&vidsch->nodes[i], vidsch, i);
        if (!NT_SUCCESS(status)) {
            goto err_fini;
        }
    }
    return STATUS_SUCCESS;

err_fini:
    vidsch_fini(vidsch);
    return status;
}

void vidsch_fini(struct vidsch *vidsch)
{
    if (!vidsch->backend) {
        return;
    }
    for (unsigned i = 0; vidsch->nodes && i < vidsch->config.node_count; i++) {
        node_fini(&vidsch->nodes[i]);
    }
    free(vidsch->nodes);
    free(vidsch->reset_times_ns);
    mutex_fini(&vidsch->arm_lock);
    *vidsch = (struct vidsch){0};
}

void vidsch_arm(struct vidsch *vidsch, uint64_t when_ns)
{
    mutex_lock(&vidsch->arm_lock);
    bool sooner = when_ns < vidsch->armed_ns;
    if (sooner) {
        vidsch->armed_ns = when_ns;
    }
    mutex_unlock(&vidsch->arm_lock);
    if (sooner) {
        vidsch->backend->arm(vidsch, when_ns);
    }
}

uint32_t vidsch_last_submitted(struct vidsch *vidsch, unsigned node_index)
{
    return __atomic_load_n(&vidsch_node_at(vidsch, node_index)->last_submitted, __ATOMIC_RELAXED);
}

uint32_t vidsch_last_completed(struct vidsch *vidsch, unsigned node_index)
{
    return __atomic_load_n(&vidsch_node_at(vidsch, node_index)->last_completed, __ATOMIC_RELAXED);
}

uint32_t vidsch_last_reported(struct vidsch *vidsch, unsigned node_index)
{
    return __atomic_load_n(&vidsch_node_at(vidsch, node_index)->reported, __ATOMIC_RELAXED);
}

bool vidsch_oldest_fence(struct vidsch *vidsch, unsigned node_index, uint32_t *fence_id)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);

    mutex_lock(&node->lock);
    const struct vidsch_packet *oldest = vidsch_oldest_locked(node);
    *fence_id = oldest ? oldest->fence_id : 0;
    mutex_unlock(&node->lock);
    return oldest;
}

bool vidsch_has_running(const struct vidsch *vidsch)
{
    for (unsigned i = 0; i < vidsch->config.node_count; i++) {
        if (__atomic_load_n(&vidsch->nodes[i].running_count, __ATOMIC_RELAXED) ||
            __atomic_load_n(&vidsch->nodes[i].in_flight_count, __ATOMIC_RELAXED)) {
            return true;
        }
    }
    return false;
}

bool vidsch_is_asked(struct vidsch *vidsch, unsigned node_index, uint32_t *preemption_id)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);

    mutex_lock(&node->lock);
    bool asked = node->preempting;
    *preemption_id = node->preemption_id;
    mutex_unlock(&node->lock);
    return asked;
}

uint64_t vidsch_asked_since(struct vidsch *vidsch, unsigned node_index)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);

    mutex_lock(&node->lock);
    uint64_t since_ns = node->preempting ? node->preempt_since_ns : MACHINE_NEVER;
    mutex_unlock(&node->lock);
    return since_ns;
}

/* ---- Contexts ------------------------------------------------------------------------------ */

NTSTATUS vidsch_context_init(struct vidsch_context *context, struct vidsch *vidsch,
                             const struct vidsch_context_config *config)
{
    *context = (struct vidsch_context){0};
    if (config->node_index >= vidsch->config.node_count ||
        config->priority >= VIDSCH_PRIORITY_COUNT) {
        return STATUS_INVALID_PARAMETER;
    }
    context->vidsch = vidsch;
    context->node = &vidsch->nodes[config->node_index];
    context->process = config->process;
    context->quantum_ns = config->quantum_ns ? config->quantum_ns : vidsch->config.quantum_ns;
    context->object = record_object_new(OBJECT_CONTEXT, config->parent);
    context->system = config->system;
    context->priority = config->priority;
    context->in_process_priority = config->in_process_priority;
    list_init(&context->queued);
    list_init(&context->software_link);
    list_init(&context->policy_link);
    context->in_flight_max = config->in_flight_max;
    list_init(&context->in_flight);
    list_init(&context->queue_link);
    wait_queue_init(&context->idle_waiters);
    mutex_lock(&context->node->lock);
    list_push_back(&context->node->contexts, &context->link);
    mutex_unlock(&context->node->lock);
    return STATUS_SUCCESS;
}

void vidsch_node_ran(struct vidsch *vidsch, unsigned index, uint64_t *ran_ns,
                     uint64_t *system_ran_ns)
{
    struct vidsch_node *node = &vidsch->nodes[index];

    mutex_lock(&node->lock);
    *ran_ns = node->ran_ns;
    *system_ran_ns = node->system_ran_ns;
    mutex_unlock(&node->lock);
}

#define SHARE_ALL 1000 /* a context had the node whenever it wanted it */

/* For the fairness of the run: how evenly clients were served of what they wanted. */
static void count_share(const struct vidsch_context *context)
{
    if (context->system || context->wanted_ns == 0) {
        return;
    }
    uint64_t share = context->ran_ns * SHARE_ALL / context->wanted_ns;

    record_count("scheduling.contexts", 1);
    record_count("scheduling.ran_us", context->ran_ns / 1000);
    record_count("scheduling.wanted_us", context->wanted_ns / 1000);
    record_count("scheduling.shares", share);
    record_count("scheduling.squared_shares", share * share);
}

void vidsch_context_fini(struct vidsch_context *context)
{
    if (!context->vidsch) {
        return;
    }
    count_share(context);
    mutex_lock(&context->node->lock);
    CHECK_THAT(context->pending_count == 0);
    CHECK_THAT(!context->ready && !context->queue_ready);
    context->node->asked_count -= context->stop == VIDSCH_QUEUE_ASKED;
    list_remove(&context->link);
    mutex_unlock(&context->node->lock);
    record_object_dead(context->object, OBJECT_CONTEXT);
    *context = (struct vidsch_context){0};
}

void vidsch_context_set_priority(struct vidsch_context *context, unsigned priority,
                                 int in_process_priority)
{
    struct vidsch_node *node = context->node;

    CHECK_THAT(priority < VIDSCH_PRIORITY_COUNT);
    mutex_lock(&node->lock);
    if (context->ready) {
        node->policy->on_unready(node->policy_state, context);
    }
    context->priority = priority;
    context->in_process_priority = in_process_priority;
    if (context->ready) {
        node->policy->on_ready(node->policy_state, context);
    }
    vidsch_node_unlock(node);
    vidsch_run(context->vidsch, node->index);
}

bool vidsch_context_is_lost(struct vidsch_context *context)
{
    mutex_lock(&context->node->lock);
    bool lost = context->lost;
    mutex_unlock(&context->node->lock);
    return lost;
}

/* ---- Suspension ---------------------------------------------------------------------------- */

static unsigned *suspend_counter(struct vidsch_node *node, enum vidsch_suspend kind)
{
    return kind == VIDSCH_SUSPEND_ALL ? &node->suspend_all : &node->suspend_contexts;
}

void vidsch_suspend(struct vidsch *vidsch, unsigned node_index, enum vidsch_suspend kind)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);

    mutex_lock(&node->lock);
    ++*suspend_counter(node, kind);
    vidsch_node_unlock(node);
}

void vidsch_resume(struct vidsch *vidsch, unsigned node_index, enum vidsch_suspend kind)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);

    mutex_lock(&node->lock);
    CHECK_THAT(*suspend_counter(node, kind) > 0);
    --*suspend_counter(node, kind);
    vidsch_node_unlock(node);
    vidsch_run(vidsch, node_index);
}

/* ---- Waiting ------------------------------------------------------------------------------- */

bool vidsch_context_is_idle(struct vidsch_context *context)
{
    mutex_lock(&context->node->lock);
    bool idle = context->pending_count == 0;
    mutex_unlock(&context->node->lock);
    return idle;
}

bool vidsch_context_wait_idle(struct vidsch_context *context, uint64_t deadline_ns)
{
    while (!vidsch_context_is_idle(context)) {
        if (wait_queue_wait(&context->idle_waiters, deadline_ns) == WAIT_TIMED_OUT) {
            return vidsch_context_is_idle(context);
        }
    }
    return true;
}

static bool node_is_idle(struct vidsch_node *node)
{
    mutex_lock(&node->lock);
    bool idle = node->pending_count == 0;
    mutex_unlock(&node->lock);
    return idle;
}

static bool node_is_quiet(struct vidsch_node *node)
{
    mutex_lock(&node->lock);
    bool quiet = node->running_count == 0 && node->in_flight_count == 0 && !node->stepping;
    mutex_unlock(&node->lock);
    return quiet;
}

/* What executes or is on the hardware stands in no context's queue. */
static bool context_only_waits_locked(const struct vidsch_node *node,
                                      struct vidsch_context *context) HOLDS(node->lock)
{
    const struct vidsch_packet *head = vidsch_head(context);
    unsigned queued = 0;

    list_for_each (link, &context->queued) {
        queued++;
    }
    queued += context->idle ? context->in_flight_count : 0;
    return queued == context->pending_count && (!head || head->state == VIDSCH_STATE_WAITING);
}

static bool node_only_waits(struct vidsch_node *node)
{
    mutex_lock(&node->lock);
    bool waits = node->running_count == 0 && list_empty(&node->resubmit) && !node->stepping &&
                 !node->preempting && list_empty(&node->software) && list_empty(&node->ended);
    list_for_each (link, &node->contexts) { /* in flight is no more than sessions that idle */
        waits &= context_only_waits_locked(node, container_of(link, struct vidsch_context, link));
    }
    mutex_unlock(&node->lock);
    return waits;
}

bool vidsch_only_waits(struct vidsch *vidsch)
{
    bool waits = true;

    for (unsigned i = 0; i < vidsch->config.node_count; i++) {
        waits &= node_only_waits(&vidsch->nodes[i]);
    }
    return waits;
}

static bool node_wait(struct vidsch_node *node, bool (*reached)(struct vidsch_node *node),
                      uint64_t deadline_ns)
{
    while (!reached(node)) {
        if (wait_queue_wait(&node->waiters, deadline_ns) == WAIT_TIMED_OUT) {
            return reached(node);
        }
    }
    return true;
}

bool vidsch_node_wait_idle(struct vidsch *vidsch, unsigned node_index, uint64_t deadline_ns)
{
    return node_wait(vidsch_node_at(vidsch, node_index), node_is_idle, deadline_ns);
}

bool vidsch_node_wait_quiet(struct vidsch *vidsch, unsigned node_index, uint64_t deadline_ns)
{
    return node_wait(vidsch_node_at(vidsch, node_index), node_is_quiet, deadline_ns);
}

bool vidsch_is_idle(struct vidsch *vidsch)
{
    bool idle = true;

    for (unsigned i = 0; i < vidsch->config.node_count; i++) {
        idle &= node_is_idle(&vidsch->nodes[i]);
    }
    return idle;
}

/* Work of one node may make work for another: begin again until one pass found all of them idle. */
bool vidsch_wait_idle(struct vidsch *vidsch, uint64_t deadline_ns)
{
    bool waited;

    do {
        waited = false;
        for (unsigned i = 0; i < vidsch->config.node_count; i++) {
            waited |= !node_is_idle(&vidsch->nodes[i]);
            if (!vidsch_node_wait_idle(vidsch, i, deadline_ns)) {
                return false;
            }
        }
    } while (waited);
    return true;
}

/* ---- Rest ---------------------------------------------------------------------------------- */

bool vidsch_node_rests(struct vidsch *vidsch, unsigned node_index)
{
    struct vidsch_node *node = vidsch_node_at(vidsch, node_index);

    mutex_lock(&node->lock);
    bool rests = node->running_count == 0 && node->in_flight_count == 0 &&
                 list_empty(&node->resubmit) && !node->stepping && !node->submitting &&
                 !node->preempting && !node->preempt_wanted && !node->timed_out;
    list_for_each (link, &node->contexts) {
        rests &= container_of(link, struct vidsch_context, link)->in_flight_max == 0;
    }
    mutex_unlock(&node->lock);
    return rests;
}
