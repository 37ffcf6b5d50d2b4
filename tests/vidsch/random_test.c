/* Random operations against a simple model of hardware and contract. Prints its seed when it fails
 * and takes one: VIDSCH_SEED. Checked all the way:
 *   - every packet is done exactly once, and those of a context in the order they were pushed,
 *     except flips, waits, failed preparations and those of contexts that were cancelled;
 *   - the hardware queue never exceeds its depth, nothing is submitted between a request to stop
 * and its answer, or while the adapter is frozen;
 *   - ids grow along the hardware queue; resubmitted paging keeps its id;
 *   - cancel() meets only hardware packets that were never submitted. */
#include "mock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 2, CONTEXTS = 7, PACKETS = 300, DEPTH = 3, STEPS = 100000, FENCES = 3 };

struct model_packet {
    struct vidsch_packet base;
    struct list link; /* in the model's free, pending, flip list */
    struct sync_item item;
    uint64_t order; /* of pushing, in its context */
    uint32_t first_id;
    bool submitted, cancelled, out_of_order;
};

struct model_node {
    struct model_packet *hardware[DEPTH];
    unsigned hardware_count;
    bool preempting;
    uint32_t preemption_id, completed;
};

struct model {
    struct vidsch vidsch;
    uint64_t now_ns, armed_ns, random;
    struct model_node nodes[NODES];
    struct vidsch_context contexts[CONTEXTS];
    uint64_t pushed[CONTEXTS], next_done[CONTEXTS];
    bool disordered[CONTEXTS];
    struct model_packet packets[PACKETS];
    struct list free, pending, flips;
    struct sync_domain domain;
    struct sync_object fences[FENCES];
    uint64_t fence_values[FENCES];
    bool frozen, may_step, needs_reset;
    uint64_t pushed_total, done_total, submitted_total, resubmitted_total, cancelled_total;
    uint64_t ordered_total; /* ends whose order was checked */
};

static struct model model;

static uint64_t draw(uint64_t bound)
{
    model.random ^= model.random << 13;
    model.random ^= model.random >> 7;
    model.random ^= model.random << 17;
    return model.random % bound;
}

static struct model_packet *packet_of(struct vidsch_packet *base)
{
    return container_of(base, struct model_packet, base);
}

static unsigned context_index(const struct vidsch_packet *base)
{
    return (unsigned)(base->context - model.contexts);
}

/* ---- The backend --------------------------------------------------------------------------- */

static enum vidsch_prepare model_prepare(struct vidsch *vidsch, struct vidsch_packet *base,
                                         NTSTATUS *status)
{
    struct model_packet *packet = packet_of(base);

    assert_false(model.frozen);
    switch (draw(16)) {
    case 0:
    case 1:
        list_push_back(&model.pending, &packet->link);
        return VIDSCH_PREPARE_PENDING;
    case 2:
        vidsch_prepared(base, STATUS_SUCCESS);
        return VIDSCH_PREPARE_PENDING;
    case 3:
        if (!packet->submitted) {
            packet->out_of_order = true; /* ends while earlier packets are still on the hardware */
            *status = STATUS_NO_MEMORY;
            return VIDSCH_PREPARE_FAILED;
        }
        break;
    default:
        break;
    }
    return VIDSCH_PREPARE_READY;
}

static enum vidsch_submit model_submit(struct vidsch *vidsch, struct vidsch_packet *base,
                                       NTSTATUS *status)
{
    struct model_packet *packet = packet_of(base);
    struct model_node *node = &model.nodes[base->context->node->index];

    assert_false(model.frozen);
    assert_false(node->preempting);
    assert_false(packet->cancelled);
    assert_true(node->hardware_count < DEPTH);
    switch (draw(24)) {
    case 0:
        return VIDSCH_SUBMIT_LATER;
    case 1:
        if (node->hardware_count == 0 && !packet->submitted) {
            *status = STATUS_INVALID_PARAMETER;
            return VIDSCH_SUBMIT_REJECTED;
        }
        break;
    default:
        break;
    }
    assert_true(vidsch_fence_after(base->fence_id, node->completed));
    if (node->hardware_count > 0) {
        const struct model_packet *newest = node->hardware[node->hardware_count - 1];
        assert_true(vidsch_fence_after(base->fence_id, newest->base.fence_id));
    }
    if (packet->submitted) {
        model.resubmitted_total++;
        assert_true(base->resubmission_count > 0);
        assert_int_equal(base->kind == VIDSCH_PACKET_PAGING, base->fence_id == packet->first_id);
    } else {
        assert_int_equal(base->resubmission_count, 0);
        packet->first_id = base->fence_id;
    }
    packet->submitted = true;
    model.submitted_total++;
    node->hardware[node->hardware_count++] = packet;
    return VIDSCH_SUBMIT_DONE;
}

static void model_execute(struct vidsch *vidsch, struct vidsch_packet *base)
{
    packet_of(base)->out_of_order = true;
    if (draw(2)) {
        vidsch_complete(base, STATUS_SUCCESS);
    } else {
        list_push_back(&model.flips, &packet_of(base)->link);
    }
}

static void model_cancel(struct vidsch *vidsch, struct vidsch_packet *base)
{
    struct model_packet *packet = packet_of(base);

    assert_true(model.may_step);
    assert_true(vidsch_kind_is_hardware(base->kind));
    assert_false(packet->submitted);
    assert_false(packet->cancelled);
    packet->cancelled = true;
    model.cancelled_total++;
}

static void model_preempt(struct vidsch *vidsch, unsigned node_index, uint32_t preemption_id,
                          enum vidsch_preempt_reason reason)
{
    struct model_node *node = &model.nodes[node_index];

    assert_false(model.frozen);
    assert_false(node->preempting);
    node->preempting = true;
    node->preemption_id = preemption_id;
}

static bool model_query(struct vidsch *vidsch, unsigned node_index, uint32_t *fence_id)
{
    *fence_id = model.nodes[node_index].completed;
    return draw(2);
}

static void model_timed_out(struct vidsch *vidsch, unsigned node_index,
                            struct vidsch_packet *packet)
{
    model.needs_reset = true;
}

static void model_kick(struct vidsch *vidsch, unsigned node_index)
{
}

static bool model_can_step(struct vidsch *vidsch)
{
    return model.may_step;
}

static void model_arm(struct vidsch *vidsch, uint64_t when_ns)
{
    model.armed_ns = when_ns;
}

static uint64_t model_now(struct vidsch *vidsch)
{
    return model.now_ns;
}

static const struct vidsch_backend model_backend = {
    .prepare = model_prepare,
    .submit = model_submit,
    .execute = model_execute,
    .cancel = model_cancel,
    .preempt = model_preempt,
    .query_fence = model_query,
    .timed_out = model_timed_out,
    .can_step = model_can_step,
    .kick = model_kick,
    .arm = model_arm,
    .now_ns = model_now,
};

static void push_random(void);

static void model_done(struct vidsch_packet *base, NTSTATUS status)
{
    struct model_packet *packet = packet_of(base);
    unsigned index = context_index(base);

    /* Once: a packet that is free again would be found here. */
    assert_int_equal(base->state, VIDSCH_STATE_NEW);
    assert_true(packet->order != UINT64_MAX);
    assert_int_equal(packet->cancelled,
                     status == VIDSCH_STATUS_CANCELLED && vidsch_kind_is_hardware(base->kind));
    if (!packet->out_of_order && !model.disordered[index]) {
        assert_true(packet->order >= model.next_done[index]);
        model.next_done[index] = packet->order + 1;
        model.ordered_total++;
    }
    packet->order = UINT64_MAX;
    model.done_total++;
    list_push_back(&model.free, &packet->link);
    if (draw(8) == 0) {
        push_random(); /* done() may push */
    }
}

/* ---- Operations ---------------------------------------------------------------------------- */

static void push_random(void)
{
    struct list *link = list_pop_front(&model.free);
    unsigned index = (unsigned)draw(CONTEXTS);
    struct model_packet *packet;

    if (!link) {
        return;
    }
    packet = container_of(link, struct model_packet, link);
    *packet = (struct model_packet){.order = model.pushed[index]++};
    list_init(&packet->link);
    packet->base.done = model_done;
    packet->base.kind = (enum vidsch_packet_kind)draw(VIDSCH_PACKET_KIND_COUNT);
    if (model.contexts[index].system) {
        packet->base.kind = VIDSCH_PACKET_PAGING;
    } else if (packet->base.kind == VIDSCH_PACKET_PAGING ||
               packet->base.kind == VIDSCH_PACKET_HW_QUEUE) {
        packet->base.kind = VIDSCH_PACKET_RENDER;
    }
    packet->out_of_order = packet->base.kind == VIDSCH_PACKET_WAIT; /* ends at the head */
    if (packet->base.kind == VIDSCH_PACKET_WAIT || draw(8) == 0) {
        unsigned fence = (unsigned)draw(FENCES);
        packet->item.object = &model.fences[fence];
        packet->item.value = model.fence_values[fence] + draw(3);
        packet->base.waits = &packet->item;
        packet->base.wait_count = 1;
    }
    model.pushed_total++;
    vidsch_push(&model.contexts[index], &packet->base);
}

static void complete_some(unsigned index)
{
    struct model_node *node = &model.nodes[index];
    unsigned count = (unsigned)draw(node->hardware_count + 1);
    bool reports = draw(8) != 0; /* now and then the interrupt is lost */

    if (count == 0) {
        return;
    }
    node->completed = node->hardware[count - 1]->base.fence_id;
    node->hardware_count -= count;
    memmove(node->hardware, node->hardware + count, node->hardware_count * sizeof(*node->hardware));
    if (reports) {
        assert_int_equal(vidsch_retire(&model.vidsch, index, node->completed), VIDSCH_REPORT_OK);
    }
}

static void answer_preemption(unsigned index)
{
    struct model_node *node = &model.nodes[index];

    if (node->preempting) {
        node->preempting = false;
        node->hardware_count = 0;
        assert_int_equal(
            vidsch_preempted(&model.vidsch, index, node->preemption_id, node->completed),
            VIDSCH_REPORT_OK);
    }
}

static void answer_one(struct list *list, bool flip)
{
    struct list *link = list_pop_front(list);
    struct model_packet *packet;

    if (!link) {
        return;
    }
    packet = container_of(link, struct model_packet, link);
    if (flip) {
        vidsch_complete(&packet->base, STATUS_SUCCESS);
    } else {
        NTSTATUS status = draw(8) ? STATUS_SUCCESS : STATUS_NO_MEMORY;

        packet->out_of_order |= !NT_SUCCESS(status);
        vidsch_prepared(&packet->base, status);
    }
}

static void reset(void)
{
    /* Contexts of other hands lose their order: what is pending ends after what was queued. */
    memset(model.disordered, 1, sizeof(model.disordered));
    assert_int_equal(vidsch_reset_begin(&model.vidsch, MACHINE_NEVER), STATUS_SUCCESS);
    model.frozen = true;
    for (unsigned i = 0; i < NODES; i++) {
        struct model_node *node = &model.nodes[i];
        if (node->hardware_count > 0) {
            node->completed = node->hardware[node->hardware_count - 1]->base.fence_id;
        }
        node->hardware_count = 0;
        node->preempting = false;
    }
    vidsch_reset_answer(&model.vidsch);
    model.frozen = false;
    model.needs_reset = false;
    vidsch_reset_end(&model.vidsch);
}

/* A lost context that is idle is replaced by a new one. */
static void renew_context(unsigned index)
{
    struct vidsch_context *context = &model.contexts[index];
    bool system = index < NODES;
    struct vidsch_context_config config = {
        .node_index = index % NODES,
        .priority = system ? VIDSCH_PRIORITY_SYSTEM : (unsigned)draw(4),
        .in_process_priority = (int)draw(3),
        .process = index % 2 ? &model : NULL,
        .system = system,
    };

    vidsch_context_fini(context);
    assert_int_equal(vidsch_context_init(context, &model.vidsch, &config), STATUS_SUCCESS);
    model.pushed[index] = model.next_done[index] = 0;
    model.disordered[index] = false;
}

static void advance(uint64_t ns)
{
    model.now_ns += ns;
    if (model.now_ns >= model.armed_ns && model.may_step) {
        model.armed_ns = MACHINE_NEVER;
        vidsch_tick(&model.vidsch);
    }
}

static void signal_one(void)
{
    unsigned fence = (unsigned)draw(FENCES);

    model.fence_values[fence] += draw(3);
    sync_signal(&model.fences[fence], model.fence_values[fence]);
}

static void one_operation(void)
{
    unsigned node = (unsigned)draw(NODES), context = (unsigned)draw(CONTEXTS);

    switch (draw(40)) {
    case 0:
        vidsch_preempt(&model.vidsch, node);
        break;
    case 1:
    case 2:
        signal_one();
        break;
    case 3:
        if (draw(20) == 0) {
            model.disordered[context] = true;
            vidsch_context_lose(&model.contexts[context]);
        }
        break;
    case 4:
        if (vidsch_context_is_idle(&model.contexts[context])) {
            renew_context(context);
        }
        break;
    case 5:
        vidsch_context_set_priority(&model.contexts[context], (unsigned)draw(4), (int)draw(3));
        break;
    case 6:
        advance(draw(100) == 0 ? 3 * NS_PER_S : draw(NS_PER_MS * 30));
        break;
    case 7:
        if (draw(300) == 0) {
            reset();
        }
        break;
    case 8:
        model.may_step = draw(4) != 0;
        break;
    case 9:
        if (draw(20) == 0) {
            model.disordered[context] = true;
            vidsch_context_cancel(&model.contexts[context]);
        }
        break;
    case 10:
    case 11:
    case 12:
        answer_preemption(node);
        break;
    case 13:
    case 14:
    case 15:
        answer_one(&model.pending, false);
        break;
    case 16:
        answer_one(&model.flips, true);
        break;
    case 17:
        vidsch_step(&model.vidsch, node);
        break;
    default:
        if (draw(2)) {
            push_random();
        } else {
            complete_some(node);
        }
        break;
    }
    if (model.needs_reset) {
        reset();
    }
}

/* Ends whatever is outstanding: nothing may be left behind. */
static void settle(void)
{
    model.may_step = true;
    for (unsigned i = 0; i < FENCES; i++) {
        sync_object_lose(&model.fences[i]);
    }
    for (unsigned round = 0; model.done_total < model.pushed_total; round++) {
        assert_true(round < 100000);
        for (unsigned i = 0; i < NODES; i++) {
            answer_preemption(i);
            complete_some(i);
        }
        answer_one(&model.pending, false);
        answer_one(&model.flips, true);
        advance(round % 64 ? NS_PER_MS : 3 * NS_PER_S);
        vidsch_run_all(&model.vidsch);
        if (model.needs_reset) {
            reset();
        }
    }
}

static void play(uint64_t seed, const struct vidsch_policy *policy)
{
    struct vidsch_config config = {
        .node_count = NODES,
        .hw_queue_depth = DEPTH,
        .policy = policy,
        .first_fence_id = 0xFFFFF800u, /* the ids wrap on the way */
    };

    memset(&model, 0, sizeof(model));
    model.random = seed * 2654435769u + 1;
    model.armed_ns = MACHINE_NEVER;
    model.may_step = true;
    list_init(&model.free);
    list_init(&model.pending);
    list_init(&model.flips);
    assert_int_equal(vidsch_init(&model.vidsch, &model_backend, &config), STATUS_SUCCESS);
    sync_domain_init(&model.domain);
    for (unsigned i = 0; i < FENCES; i++) {
        sync_fence_init(&model.fences[i], &model.domain, 0);
    }
    for (unsigned i = 0; i < NODES; i++) {
        model.nodes[i].completed = config.first_fence_id - 1;
    }
    for (unsigned i = 0; i < CONTEXTS; i++) {
        renew_context(i);
    }
    for (unsigned i = 0; i < PACKETS; i++) {
        model.packets[i].order = UINT64_MAX;
        list_push_back(&model.free, &model.packets[i].link);
    }
    for (unsigned i = 0; i < STEPS; i++) {
        one_operation();
    }
    settle();
    for (unsigned i = 0; i < CONTEXTS; i++) {
        assert_true(vidsch_context_is_idle(&model.contexts[i]));
        vidsch_context_fini(&model.contexts[i]);
    }
    for (unsigned i = 0; i < FENCES; i++) {
        sync_object_fini(&model.fences[i], STATUS_CANCELLED);
    }
    sync_domain_fini(&model.domain);
    vidsch_fini(&model.vidsch);
    print_message(
        "seed %llu, %s: %llu pushed, %llu submitted, %llu of them again, %llu cancelled\n",
        (unsigned long long)seed, policy->name, (unsigned long long)model.pushed_total,
        (unsigned long long)model.submitted_total, (unsigned long long)model.resubmitted_total,
        (unsigned long long)model.cancelled_total);
    assert_true(model.submitted_total > 1000);
    assert_true(model.cancelled_total > 10);
    assert_true(model.resubmitted_total > 100);
    assert_true(model.ordered_total > 1000);
}

static uint64_t first_seed(void)
{
    const char *text = getenv("VIDSCH_SEED");

    return text ? strtoull(text, NULL, 0) : 1;
}

static void every_packet_ends_once_whatever_happens(void **state)
{
    for (uint64_t seed = first_seed(); seed < first_seed() + 3; seed++) {
        fprintf(stderr, "random_test: VIDSCH_SEED=%llu\n", (unsigned long long)seed);
        play(seed, &vidsch_policy_priority);
    }
    play(first_seed(), &vidsch_policy_fifo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_packet_ends_once_whatever_happens),
    };

    return cmocka_run_group_tests_name("vidsch/random", tests, NULL, NULL);
}
