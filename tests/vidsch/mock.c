/* A backend whose clock and hardware the test moves by hand. */
#include "mock.h"

static struct mock *mock_of(struct vidsch *vidsch)
{
    return container_of(vidsch, struct mock, vidsch);
}

static struct mock_packet *packet_of(struct vidsch_packet *base)
{
    return container_of(base, struct mock_packet, base);
}

static enum vidsch_prepare mock_prepare(struct vidsch *vidsch, struct vidsch_packet *base,
                                        NTSTATUS *status)
{
    struct mock_packet *packet = packet_of(base);

    (void)vidsch;
    packet->prepare_count++;
    if (packet->rest) {
        vidsch_push_after(base, &packet->rest->base);
        packet->rest = NULL;
    }
    *status = packet->failure;
    return packet->prepare;
}

static enum vidsch_submit mock_submit(struct vidsch *vidsch, struct vidsch_packet *base,
                                      NTSTATUS *status)
{
    struct mock *mock = mock_of(vidsch);
    struct mock_packet *packet = packet_of(base);
    unsigned node_index = base->context->node->index;

    *status = packet->failure;
    if (packet->loses) {
        vidsch_queue_lose(packet->loses);
    }
    if (packet->submit == VIDSCH_SUBMIT_LATER) {
        return packet->submit;
    }
    assert_true(mock->submitted_count < MOCK_LOG_MAX);
    mock->submitted[mock->submitted_count++] = (struct mock_submission){
        node_index, packet->number, base->fence_id, base->resubmission_count};
    if (packet->complete_at_once) {
        assert_int_equal(vidsch_retire(vidsch, node_index, base->fence_id), VIDSCH_REPORT_OK);
        assert_int_equal(packet->done_count, 0); /* it stays ours until we return */
    }
    return packet->submit;
}

static void mock_execute(struct vidsch *vidsch, struct vidsch_packet *base)
{
    struct mock *mock = mock_of(vidsch);
    struct mock_packet *packet = packet_of(base);

    mock->submitted[mock->submitted_count++] =
        (struct mock_submission){base->context->node->index, packet->number, 0, 0};
    if (packet->complete_at_once) {
        vidsch_complete(base, STATUS_SUCCESS);
        assert_int_equal(packet->done_count, 0);
    }
}

static void mock_cancel(struct vidsch *vidsch, struct vidsch_packet *base)
{
    struct mock_packet *packet = packet_of(base);

    assert_true(mock_of(vidsch)->may_step);
    assert_int_equal(packet->done_count, 0);
    packet->cancel_count++;
}

static void mock_preempt(struct vidsch *vidsch, unsigned node_index, uint32_t preemption_id,
                         enum vidsch_preempt_reason reason)
{
    struct mock *mock = mock_of(vidsch);

    mock->preempted_node = node_index;
    mock->preemption_id = preemption_id;
    mock->preempt_reason = reason;
    mock->preempt_count++;
}

static bool mock_query(struct vidsch *vidsch, unsigned node_index, uint32_t *fence_id)
{
    struct mock *mock = mock_of(vidsch);

    (void)node_index;
    mock->queries++;
    *fence_id = mock->query_answer;
    return mock->answers_query;
}

static void mock_timed_out(struct vidsch *vidsch, unsigned node_index, struct vidsch_packet *packet)
{
    struct mock *mock = mock_of(vidsch);

    (void)node_index;
    mock->timed_out_count++;
    mock->timed_out_packet = packet;
    if (mock->reset_inside) {
        assert_int_equal(vidsch_reset_begin(vidsch, MACHINE_NEVER), STATUS_SUCCESS);
        vidsch_reset_answer(vidsch);
        vidsch_reset_end(vidsch);
    }
}

static void mock_context_hit(struct vidsch *vidsch, struct vidsch_context *context)
{
    struct mock *mock = mock_of(vidsch);

    mock->hit[mock->hit_count++ % 8] = context;
}

static bool mock_can_step(struct vidsch *vidsch)
{
    return mock_of(vidsch)->may_step;
}

static void mock_kick(struct vidsch *vidsch, unsigned node_index)
{
    (void)node_index;
    mock_of(vidsch)->kicks++;
}

static void mock_arm(struct vidsch *vidsch, uint64_t when_ns)
{
    struct mock *mock = mock_of(vidsch);

    assert_true(when_ns < mock->armed_ns);
    mock->armed_ns = when_ns;
}

static uint64_t mock_now(struct vidsch *vidsch)
{
    return mock_of(vidsch)->now_ns;
}

struct vidsch_backend mock_backend = {
    .prepare = mock_prepare,
    .submit = mock_submit,
    .execute = mock_execute,
    .cancel = mock_cancel,
    .preempt = mock_preempt,
    .query_fence = mock_query,
    .timed_out = mock_timed_out,
    .context_hit = mock_context_hit,
    .can_step = mock_can_step,
    .kick = mock_kick,
    .arm = mock_arm,
    .now_ns = mock_now,
};

void mock_init_with(struct mock *mock, const struct vidsch_backend *backend,
                    const struct vidsch_config *config)
{
    *mock = (struct mock){.may_step = true, .now_ns = 1000, .armed_ns = MACHINE_NEVER};
    assert_int_equal(vidsch_init(&mock->vidsch, backend, config), STATUS_SUCCESS);
}

void mock_init(struct mock *mock, unsigned node_count)
{
    mock_init_with(mock, &mock_backend, &(struct vidsch_config){.node_count = node_count});
}

void mock_fini(struct mock *mock)
{
    vidsch_fini(&mock->vidsch);
}

void mock_context(struct mock *mock, struct vidsch_context *context, unsigned node_index,
                  unsigned priority)
{
    struct vidsch_context_config config = {.node_index = node_index, .priority = priority};

    assert_int_equal(vidsch_context_init(context, &mock->vidsch, &config), STATUS_SUCCESS);
}

void mock_system_context(struct mock *mock, struct vidsch_context *context, unsigned node_index)
{
    struct vidsch_context_config config = {
        .node_index = node_index, .priority = VIDSCH_PRIORITY_SYSTEM, .system = true};

    assert_int_equal(vidsch_context_init(context, &mock->vidsch, &config), STATUS_SUCCESS);
}

static void mock_done(struct vidsch_packet *base, NTSTATUS status)
{
    struct mock_packet *packet = packet_of(base);
    struct mock *mock = packet->mock;

    assert_int_equal(packet->done_count, 0);
    packet->done_count++;
    packet->status = status;
    mock->done[mock->done_count++ % MOCK_LOG_MAX] = packet->number;
    if (packet->signals) {
        sync_signal(packet->signals, packet->signal_value);
    }
}

void mock_packet(struct mock *mock, struct mock_packet *packet, unsigned number,
                 enum vidsch_packet_kind kind)
{
    *packet = (struct mock_packet){
        .mock = mock, .number = number, .base.kind = kind, .base.done = mock_done};
}

void mock_push(struct mock *mock, struct vidsch_context *context, struct mock_packet *packet,
               unsigned number, enum vidsch_packet_kind kind)
{
    mock_packet(mock, packet, number, kind);
    vidsch_push(context, &packet->base);
}

void mock_advance(struct mock *mock, uint64_t ns)
{
    uint64_t end_ns = mock->now_ns + ns;

    while (mock->armed_ns <= end_ns) {
        if (mock->armed_ns > mock->now_ns) {
            mock->now_ns = mock->armed_ns;
        }
        mock->armed_ns = MACHINE_NEVER;
        vidsch_tick(&mock->vidsch);
    }
    mock->now_ns = end_ns;
}

void mock_assert_submitted(const struct mock *mock, unsigned count, const unsigned *numbers)
{
    assert_int_equal(mock->submitted_count, count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(mock->submitted[i].number, numbers[i]);
    }
}

void mock_assert_done(const struct mock *mock, unsigned count, const unsigned *numbers)
{
    assert_int_equal(mock->done_count, count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(mock->done[i], numbers[i]);
    }
}
