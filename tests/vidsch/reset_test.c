/* Silence of the hardware: lost interrupts, time-outs, resets, and what happens to every packet. */
#include "mock.h"

#define RENDER VIDSCH_PACKET_RENDER
#define PAGING VIDSCH_PACKET_PAGING

static void a_lost_interrupt_is_found_by_asking(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet packets[2];

    mock_init(&mock, 1);
    mock_context(&mock, &context, 0, 1);
    mock_push(&mock, &context, &packets[0], 0, RENDER);
    mock_push(&mock, &context, &packets[1], 1, RENDER);
    vidsch_run(&mock.vidsch, 0);
    mock.answers_query = true;
    mock.query_answer = 1;
    mock_advance(&mock, 999 * NS_PER_MS);
    assert_int_equal(mock.queries, 0);
    mock_advance(&mock, 1 * NS_PER_MS);
    assert_int_equal(mock.queries, 1);
    ASSERT_DONE(&mock, 0);
    mock.query_answer = 2;
    mock_advance(&mock, 1000 * NS_PER_MS);
    ASSERT_DONE(&mock, 0, 1);
    assert_int_equal(mock.preempt_count, 0);
    mock_advance(&mock, 10 * NS_PER_S);
    assert_int_equal(mock.queries, 2); /* an idle node is left alone */
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

/* [PREEMPT-011]: a packet that overstays is asked to stop first, and goes on if it does. */
static void a_long_packet_that_can_be_stopped_does_not_time_out(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet packet;

    mock_init(&mock, 1);
    mock_context(&mock, &context, 0, 1);
    mock_push(&mock, &context, &packet, 0, RENDER);
    vidsch_run(&mock.vidsch, 0);
    for (unsigned i = 1; i <= 5; i++) {
        mock_advance(&mock, 2 * NS_PER_S);
        assert_int_equal(mock.preempt_count, i);
        assert_int_equal(mock.preempt_reason, VIDSCH_PREEMPT_TIMEOUT);
        vidsch_preempted(&mock.vidsch, 0, mock.preemption_id, 0);
    }
    assert_int_equal(mock.timed_out_count, 0);
    assert_int_equal(packet.base.ran_ns, 10 * NS_PER_S);
    vidsch_retire(&mock.vidsch, 0, mock.submitted[5].fence_id);
    ASSERT_DONE(&mock, 0);
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

static bool ends_for_certain(struct vidsch *vidsch, const struct vidsch_packet *packet)
{
    (void)vidsch;
    (void)packet;
    return true;
}

/* Each request to stop is answered, and the packet comes back as it was. */
static void stop_until_it_is_a_time_out(int kind, unsigned limits)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet packet;
    struct vidsch_backend backend = mock_backend;
    uint32_t request;

    backend.is_finite = ends_for_certain;
    mock_init_with(&mock, &backend, &(struct vidsch_config){.node_count = 1});
    mock.reset_inside = true;
    mock_context(&mock, &context, 0, 1);
    mock_push(&mock, &context, &packet, 0, kind);
    vidsch_run(&mock.vidsch, 0);
    for (unsigned i = 1; i <= limits; i++) {
        assert_false(vidsch_is_asked(&mock.vidsch, 0, &request));
        mock_advance(&mock, 2 * NS_PER_S);
        assert_int_equal(mock.preempt_count, i);
        assert_true(vidsch_is_asked(&mock.vidsch, 0, &request));
        assert_int_equal(request, mock.preemption_id);
        assert_int_equal(packet.base.endless, false);
        vidsch_preempted(&mock.vidsch, 0, mock.preemption_id, 0);
    }
    assert_true(packet.base.endless);
    mock_advance(&mock, 1);
    assert_int_equal(mock.timed_out_count, 1);
    assert_ptr_equal(mock.timed_out_packet, &packet.base);
    assert_int_equal(packet.status, VIDSCH_STATUS_LOST);
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

static void finite_work_that_never_ends_is_a_time_out(void **state)
{
    stop_until_it_is_a_time_out(PAGING, 4);
}

/* The ids of this node begin where they are about to wrap: 0 lies behind them. */
static void a_node_that_completed_nothing_may_say_0(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet packet;

    mock_init_with(&mock, &mock_backend,
                   &(struct vidsch_config){.node_count = 1, .first_fence_id = 0xF0000000u});
    mock_context(&mock, &context, 0, 1);
    mock_push(&mock, &context, &packet, 0, RENDER);
    vidsch_run(&mock.vidsch, 0);
    mock_advance(&mock, 2 * NS_PER_S);
    assert_int_equal(vidsch_preempted(&mock.vidsch, 0, mock.preemption_id, 0), VIDSCH_REPORT_OK);
    assert_int_equal(packet.base.resubmission_count, 1);
    assert_int_equal(vidsch_last_completed(&mock.vidsch, 0), 0xF0000000u - 1);
    vidsch_retire(&mock.vidsch, 0, vidsch_last_submitted(&mock.vidsch, 0));
    assert_int_equal(packet.status, STATUS_SUCCESS);
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

static void work_of_a_client_may_take_its_time(void **state)
{
    stop_until_it_is_a_time_out(RENDER, 40);
}

/* On the hardware: guilty and one behind it. Queued: one more of the guilty, an innocent, paging.
 */
static void a_hung_node_is_reset_and_every_packet_answered_once(void **state)
{
    struct mock mock;
    struct vidsch_context guilty, innocent, system, elsewhere;
    struct mock_packet packets[8];

    mock_init(&mock, 2);
    mock_context(&mock, &guilty, 0, 2);
    mock_context(&mock, &innocent, 0, 1);
    mock_context(&mock, &elsewhere, 1, 1);
    mock_system_context(&mock, &system, 0);
    for (unsigned i = 0; i < 4; i++) {
        mock_push(&mock, &guilty, &packets[i], i, RENDER);
    }
    mock_push(&mock, &innocent, &packets[4], 4, RENDER);
    vidsch_run_all(&mock.vidsch);
    mock_push(&mock, &system, &packets[5], 5, PAGING);
    ASSERT_SUBMITTED(&mock, 0, 1);
    mock_advance(&mock, 2 * NS_PER_S);
    assert_int_equal(mock.preempt_count, 1);
    mock_advance(&mock, 2 * NS_PER_S - 1);
    assert_int_equal(mock.timed_out_count, 0);
    mock_advance(&mock, 1);
    assert_int_equal(mock.timed_out_count, 1);
    assert_ptr_equal(mock.timed_out_packet, &packets[0].base);
    mock_push(&mock, &elsewhere, &packets[6], 6, RENDER);
    vidsch_run_all(&mock.vidsch);
    ASSERT_SUBMITTED(&mock, 0, 1, 6); /* the other node works until the reset begins */
    vidsch_retire(&mock.vidsch, 1, 1);
    ASSERT_DONE(&mock, 6);

    assert_int_equal(vidsch_reset_begin(&mock.vidsch, MACHINE_NEVER), STATUS_SUCCESS);
    mock_push(&mock, &elsewhere, &packets[7], 7, RENDER);
    vidsch_run_all(&mock.vidsch);
    ASSERT_SUBMITTED(&mock, 0, 1, 6);
    vidsch_reset_answer(&mock.vidsch);
    ASSERT_DONE(&mock, 6, 0, 1, 2, 3);
    assert_int_equal(packets[1].status, VIDSCH_STATUS_LOST);
    assert_int_equal(packets[1].cancel_count, 0);
    assert_int_equal(packets[2].status, VIDSCH_STATUS_CANCELLED);
    assert_int_equal(packets[2].cancel_count, 1);
    assert_int_equal(mock.hit_count, 1);
    assert_ptr_equal(mock.hit[0], &guilty);
    assert_true(vidsch_context_is_lost(&guilty));
    assert_false(vidsch_context_is_lost(&innocent));
    assert_int_equal(vidsch_last_completed(&mock.vidsch, 0), 2); /* [TDR-004] */
    assert_int_equal(vidsch_retire(&mock.vidsch, 0, 1), VIDSCH_REPORT_OLD);

    vidsch_reset_end(&mock.vidsch);
    ASSERT_SUBMITTED(&mock, 0, 1, 6, 5, 4, 7);
    assert_int_equal(mock.submitted[3].fence_id, 4); /* 3 was the preemption's */
    vidsch_retire(&mock.vidsch, 0, 5);
    vidsch_retire(&mock.vidsch, 1, 2);
    ASSERT_DONE(&mock, 6, 0, 1, 2, 3, 5, 4, 7);
    mock_push(&mock, &guilty, &packets[0], 0, RENDER);
    vidsch_run_all(&mock.vidsch);
    assert_int_equal(packets[0].status, VIDSCH_STATUS_CANCELLED);
    assert_int_equal(packets[0].cancel_count, 1);
    vidsch_context_fini(&guilty);
    vidsch_context_fini(&innocent);
    vidsch_context_fini(&elsewhere);
    vidsch_context_fini(&system);
    mock_fini(&mock);
}

static void the_whole_reset_may_happen_inside_timed_out(void **state)
{
    struct mock mock;
    struct vidsch_context context, other;
    struct mock_packet packets[2];
    struct vidsch_backend backend = mock_backend;

    backend.preempt = NULL; /* hardware that cannot stop is given up at once */
    backend.query_fence = NULL;
    mock_init_with(&mock, &backend, &(struct vidsch_config){.node_count = 1, .hw_queue_depth = 1});
    mock.reset_inside = true;
    mock_context(&mock, &context, 0, 2);
    mock_context(&mock, &other, 0, 1);
    mock_push(&mock, &context, &packets[0], 0, RENDER);
    mock_push(&mock, &other, &packets[1], 1, RENDER);
    vidsch_run(&mock.vidsch, 0);
    mock_advance(&mock, 2 * NS_PER_S);
    assert_int_equal(mock.timed_out_count, 1);
    ASSERT_SUBMITTED(&mock, 0, 1);
    assert_int_equal(packets[0].status, VIDSCH_STATUS_LOST);
    mock_advance(&mock, 2 * NS_PER_S);
    assert_int_equal(mock.timed_out_count, 2); /* the next one hangs too */
    ASSERT_DONE(&mock, 0, 1);
    vidsch_context_fini(&context);
    vidsch_context_fini(&other);
    mock_fini(&mock);
}

/* [TDR-007] */
static void more_than_five_resets_in_a_minute_are_too_many(void **state)
{
    struct mock mock;

    mock_init(&mock, 1);
    for (unsigned i = 1; i <= 12; i++) {
        assert_int_equal(vidsch_reset_begin(&mock.vidsch, MACHINE_NEVER), STATUS_SUCCESS);
        /* Every 13 s: five in a minute. Every 9 s from the eighth on. */
        assert_int_equal(vidsch_reset_counts(&mock.vidsch), i >= 10);
        vidsch_reset_answer(&mock.vidsch);
        vidsch_reset_end(&mock.vidsch);
        mock.now_ns += (i < 8 ? 13 : 9) * NS_PER_S;
    }
    mock_fini(&mock);
}

static void packets_in_other_hands_are_cancelled_when_they_come_back(void **state)
{
    struct mock mock;
    struct sync_domain domain;
    struct sync_object fence;
    struct sync_item item = {.object = &fence, .value = 1};
    struct vidsch_context paging_context, waiting_context;
    struct mock_packet pending, waiting, queued;

    mock_init(&mock, 1);
    sync_domain_init(&domain);
    sync_fence_init(&fence, &domain, 0);
    mock_context(&mock, &paging_context, 0, 1);
    mock_context(&mock, &waiting_context, 0, 1);
    mock_packet(&mock, &pending, 0, RENDER);
    pending.prepare = VIDSCH_PREPARE_PENDING;
    vidsch_push(&paging_context, &pending.base);
    mock_push(&mock, &paging_context, &queued, 1, RENDER);
    mock_packet(&mock, &waiting, 2, RENDER);
    waiting.base.waits = &item;
    waiting.base.wait_count = 1;
    vidsch_push(&waiting_context, &waiting.base);
    vidsch_run(&mock.vidsch, 0);

    vidsch_context_lose(&paging_context);
    ASSERT_DONE(&mock, 1);
    mock.may_step = false; /* paging completes in a DPC: the driver is not told there */
    vidsch_prepared(&pending.base, STATUS_SUCCESS);
    ASSERT_DONE(&mock, 1);
    assert_int_equal(mock.kicks, 1);
    mock.may_step = true;
    vidsch_run(&mock.vidsch, 0);
    ASSERT_DONE(&mock, 1, 0);
    assert_int_equal(pending.cancel_count, 1);

    vidsch_context_cancel(&waiting_context);
    ASSERT_DONE(&mock, 1, 0, 2);
    assert_int_equal(waiting.status, VIDSCH_STATUS_CANCELLED);
    sync_signal(&fence, 1); /* nobody waits any more */
    mock_push(&mock, &waiting_context, &queued, 3, RENDER);
    vidsch_run(&mock.vidsch, 0);
    ASSERT_SUBMITTED(&mock, 3); /* cancelled work, not a lost context */
    vidsch_retire(&mock.vidsch, 0, 1);
    sync_object_fini(&fence, STATUS_CANCELLED);
    sync_domain_fini(&domain);
    vidsch_context_fini(&paging_context);
    vidsch_context_fini(&waiting_context);
    mock_fini(&mock);
}

/* [ENGRST-005] [ENGRST-006] [ENGRST-007] */
static void an_engine_reset_loses_the_aborted_packet_alone(void **state)
{
    struct mock mock;
    struct vidsch_context guilty, innocent, system;
    struct mock_packet packets[5];

    mock_init_with(&mock, &mock_backend,
                   &(struct vidsch_config){
                       .node_count = 1, .hw_queue_depth = 4, .policy = &vidsch_policy_fifo});
    mock_context(&mock, &guilty, 0, 1);
    mock_context(&mock, &innocent, 0, 1);
    mock_system_context(&mock, &system, 0);
    mock_push(&mock, &innocent, &packets[0], 0, RENDER);
    mock_push(&mock, &guilty, &packets[1], 1, RENDER);
    mock_push(&mock, &innocent, &packets[2], 2, RENDER);
    mock_push(&mock, &system, &packets[3], 3, PAGING);
    mock_push(&mock, &guilty, &packets[4], 4, RENDER);
    vidsch_run(&mock.vidsch, 0);
    ASSERT_SUBMITTED(&mock, 0, 1, 2, 3);
    mock_advance(&mock, 4 * NS_PER_S);
    assert_int_equal(mock.timed_out_count, 1);
    assert_int_equal(vidsch_engine_reset(&mock.vidsch, 0, 6), VIDSCH_ENGINE_RESET_BAD_ID);
    assert_int_equal(vidsch_engine_reset(&mock.vidsch, 0, 4), VIDSCH_ENGINE_RESET_PAGING);
    assert_int_equal(mock.done_count, 0);
    assert_int_equal(vidsch_engine_reset(&mock.vidsch, 0, 2), VIDSCH_ENGINE_RESET_OK);
    ASSERT_DONE(&mock, 0, 1, 4);
    assert_int_equal(packets[0].status, STATUS_SUCCESS);
    assert_int_equal(packets[1].status, VIDSCH_STATUS_LOST);
    assert_int_equal(packets[4].cancel_count, 1);
    assert_int_equal(mock.hit_count, 1);
    ASSERT_SUBMITTED(&mock, 0, 1, 2, 3, 3, 2);
    assert_int_equal(mock.submitted[4].fence_id, 4);
    assert_int_equal(mock.submitted[5].fence_id, 6);
    vidsch_retire(&mock.vidsch, 0, 6);
    ASSERT_DONE(&mock, 0, 1, 4, 3, 2);
    vidsch_context_fini(&guilty);
    vidsch_context_fini(&innocent);
    vidsch_context_fini(&system);
    mock_fini(&mock);
}

static void reset_all(struct mock *mock)
{
    assert_int_equal(vidsch_reset_begin(&mock->vidsch, MACHINE_NEVER), STATUS_SUCCESS);
    vidsch_reset_answer(&mock->vidsch);
    vidsch_reset_end(&mock->vidsch);
}

/* The driver stands at what was preempted before the first, and says so behind the second. */
static void two_resets_in_a_row_leave_the_last_fence_as_it_was(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet packet;

    mock_init(&mock, 1);
    mock_context(&mock, &context, 0, 1);
    mock_push(&mock, &context, &packet, 0, RENDER);
    vidsch_run(&mock.vidsch, 0); /* fence 1 */
    mock.may_step = false;
    assert_true(vidsch_preempt(&mock.vidsch, 0));
    mock.may_step = true;
    vidsch_run(&mock.vidsch, 0);
    mock.may_step = false; /* what comes back is not submitted again */
    assert_int_equal(vidsch_preempted(&mock.vidsch, 0, mock.preemption_id, 0), VIDSCH_REPORT_OK);
    reset_all(&mock);
    reset_all(&mock);
    assert_int_equal(vidsch_report_check(&mock.vidsch, 0, 1), VIDSCH_REPORT_OK);
    mock.may_step = true;
    vidsch_run(&mock.vidsch, 0);
    ASSERT_SUBMITTED(&mock, 0, 0);
    vidsch_retire(&mock.vidsch, 0, mock.submitted[1].fence_id);
    assert_int_equal(vidsch_report_check(&mock.vidsch, 0, 1), VIDSCH_REPORT_OLD);
    ASSERT_DONE(&mock, 0);
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

/* It had reset its engine, the kernel resets the adapter for a paging packet was hit, and what was
 * behind that the driver has no count of any more [ENGRST-006, ENGRST-008]. */
static void
an_engine_reset_before_that_of_the_adapter_may_be_the_last_that_a_driver_knows(void **state)
{
    struct mock mock;
    struct vidsch_context system;
    struct mock_packet packets[3];

    mock_init_with(&mock, &mock_backend,
                   &(struct vidsch_config){
                       .node_count = 1, .hw_queue_depth = 4, .policy = &vidsch_policy_fifo});
    mock_system_context(&mock, &system, 0);
    mock_push(&mock, &system, &packets[0], 0, PAGING);
    mock_push(&mock, &system, &packets[1], 1, PAGING);
    vidsch_run(&mock.vidsch, 0); /* fences 1 and 2 */
    assert_int_equal(vidsch_engine_reset(&mock.vidsch, 0, 1), VIDSCH_ENGINE_RESET_PAGING);
    reset_all(&mock);
    mock_push(&mock, &system, &packets[2], 2, PAGING);
    vidsch_run(&mock.vidsch, 0);
    mock.may_step = false;
    assert_true(vidsch_preempt(&mock.vidsch, 0));
    mock.may_step = true;
    vidsch_run(&mock.vidsch, 0);
    assert_int_equal(vidsch_preempted(&mock.vidsch, 0, mock.preemption_id, 1), VIDSCH_REPORT_OK);
    vidsch_retire(&mock.vidsch, 0, mock.submitted[mock.submitted_count - 1].fence_id);
    ASSERT_DONE(&mock, 0, 1, 2);
    vidsch_context_fini(&system);
    mock_fini(&mock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_interrupt_is_found_by_asking),
        cmocka_unit_test(a_long_packet_that_can_be_stopped_does_not_time_out),
        cmocka_unit_test(finite_work_that_never_ends_is_a_time_out),
        cmocka_unit_test(a_node_that_completed_nothing_may_say_0),
        cmocka_unit_test(work_of_a_client_may_take_its_time),
        cmocka_unit_test(a_hung_node_is_reset_and_every_packet_answered_once),
        cmocka_unit_test(the_whole_reset_may_happen_inside_timed_out),
        cmocka_unit_test(more_than_five_resets_in_a_minute_are_too_many),
        cmocka_unit_test(packets_in_other_hands_are_cancelled_when_they_come_back),
        cmocka_unit_test(an_engine_reset_loses_the_aborted_packet_alone),
        cmocka_unit_test(two_resets_in_a_row_leave_the_last_fence_as_it_was),
        cmocka_unit_test(
            an_engine_reset_before_that_of_the_adapter_may_be_the_last_that_a_driver_knows),
    };

    return cmocka_run_group_tests_name("vidsch/reset", tests, NULL, NULL);
}
