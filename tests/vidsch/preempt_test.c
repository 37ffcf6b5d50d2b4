/* Preemption: who asks for it, one request at a time, and how what was thrown out comes back. */
#include "mock.h"

#define RENDER VIDSCH_PACKET_RENDER
#define PAGING VIDSCH_PACKET_PAGING

/* A render packet between two paging packets, all thrown out. [SUBMIT-030] [SUBMIT-043] */
static void paging_comes_back_first_with_its_ids_and_the_rest_with_new_ones(void **state)
{
    struct mock mock;
    struct vidsch_context context, system;
    struct mock_packet packets[4];

    mock_init_with(&mock, &mock_backend,
                   &(struct vidsch_config){.node_count = 1, .hw_queue_depth = 4});
    mock_context(&mock, &context, 0, 1);
    mock_system_context(&mock, &system, 0);
    mock_push(&mock, &context, &packets[0], 0, RENDER);
    vidsch_run(&mock.vidsch, 0);
    mock_push(&mock, &system, &packets[1], 1, PAGING);
    vidsch_run(&mock.vidsch, 0);
    mock_push(&mock, &context, &packets[2], 2, RENDER);
    vidsch_run(&mock.vidsch, 0);
    mock_push(&mock, &system, &packets[3], 3, PAGING);
    vidsch_run(&mock.vidsch, 0);
    ASSERT_SUBMITTED(&mock, 0, 1, 2, 3);

    assert_true(vidsch_preempt(&mock.vidsch, 0));
    assert_int_equal(mock.preemption_id, 5); /* the counter is common */
    assert_int_equal(mock.preempt_reason, VIDSCH_PREEMPT_EXPLICIT);
    assert_true(vidsch_preempt(&mock.vidsch, 0));
    assert_int_equal(mock.preempt_count, 1); /* one at a time [PREEMPT-010] */
    assert_int_equal(vidsch_preempted(&mock.vidsch, 0, 4, 1), VIDSCH_REPORT_UNASKED);
    assert_int_equal(vidsch_preempted(&mock.vidsch, 0, 5, 5), VIDSCH_REPORT_BEYOND);
    assert_int_equal(vidsch_preempted(&mock.vidsch, 0, 5, 1), VIDSCH_REPORT_OK);
    ASSERT_DONE(&mock, 0); /* completed before the stop [PREEMPT-008] */
    ASSERT_SUBMITTED(&mock, 0, 1, 2, 3, 1, 3, 2);
    assert_int_equal(mock.submitted[4].fence_id, 2);
    assert_int_equal(mock.submitted[5].fence_id, 4);
    assert_int_equal(mock.submitted[6].fence_id, 6);
    assert_int_equal(mock.submitted[3].resubmission_count, 0);
    assert_int_equal(mock.submitted[4].resubmission_count, 1);
    assert_int_equal(mock.submitted[6].resubmission_count, 1);
    assert_int_equal(vidsch_preempted(&mock.vidsch, 0, 5, 1), VIDSCH_REPORT_UNASKED);
    assert_int_equal(vidsch_retire(&mock.vidsch, 0, 2), VIDSCH_REPORT_OK);
    assert_int_equal(vidsch_retire(&mock.vidsch, 0, 3), VIDSCH_REPORT_NO_PACKET);
    assert_int_equal(vidsch_retire(&mock.vidsch, 0, 6), VIDSCH_REPORT_OK);
    ASSERT_DONE(&mock, 0, 1, 3, 2);
    vidsch_context_fini(&context);
    vidsch_context_fini(&system);
    mock_fini(&mock);
}

static void paging_thrown_out_twice_keeps_its_order(void **state)
{
    struct mock mock;
    struct vidsch_context system;
    struct mock_packet packets[3];

    mock_init_with(&mock, &mock_backend,
                   &(struct vidsch_config){.node_count = 1, .hw_queue_depth = 3});
    mock_system_context(&mock, &system, 0);
    for (unsigned i = 0; i < 3; i++) {
        mock_push(&mock, &system, &packets[i], i, PAGING);
    }
    vidsch_run(&mock.vidsch, 0);
    vidsch_suspend(&mock.vidsch, 0, VIDSCH_SUSPEND_ALL);
    vidsch_preempt(&mock.vidsch, 0);
    vidsch_preempted(&mock.vidsch, 0, mock.preemption_id, 0);
    assert_true(vidsch_node_wait_quiet(&mock.vidsch, 0, MACHINE_NEVER));
    mock.submitted_count = 0;
    vidsch_resume(&mock.vidsch, 0, VIDSCH_SUSPEND_ALL);
    ASSERT_SUBMITTED(&mock, 0, 1, 2);
    vidsch_preempt(&mock.vidsch, 0);
    mock.submitted_count = 0;
    vidsch_preempted(&mock.vidsch, 0, mock.preemption_id, 1);
    ASSERT_SUBMITTED(&mock, 1, 2);
    assert_int_equal(mock.submitted[0].fence_id, 2);
    assert_int_equal(mock.submitted[1].resubmission_count, 2);
    vidsch_retire(&mock.vidsch, 0, 3);
    ASSERT_DONE(&mock, 0, 1, 2);
    vidsch_context_fini(&system);
    mock_fini(&mock);
}

static void a_more_urgent_packet_stops_the_node_but_paging_does_not(void **state)
{
    struct mock mock;
    struct vidsch_context low, high, system;
    struct mock_packet packets[4];

    mock_init(&mock, 1);
    mock_context(&mock, &low, 0, 1);
    mock_context(&mock, &high, 0, 2);
    mock_system_context(&mock, &system, 0);
    mock_push(&mock, &low, &packets[0], 0, RENDER);
    vidsch_run(&mock.vidsch, 0);
    mock_push(&mock, &system, &packets[1], 1, PAGING);
    vidsch_run(&mock.vidsch, 0);
    assert_int_equal(mock.preempt_count, 0);
    ASSERT_SUBMITTED(&mock, 0, 1);
    mock_push(&mock, &high, &packets[2], 2, RENDER);
    vidsch_run(&mock.vidsch, 0);
    assert_int_equal(mock.preempt_count, 1);
    assert_int_equal(mock.preempt_reason, VIDSCH_PREEMPT_PRIORITY);
    mock_push(&mock, &system, &packets[3], 3, PAGING);
    vidsch_run(&mock.vidsch, 0);
    ASSERT_SUBMITTED(&mock, 0, 1); /* nothing new until the answer */
    vidsch_preempted(&mock.vidsch, 0, mock.preemption_id, 0);
    ASSERT_SUBMITTED(&mock, 0, 1, 1, 3);
    vidsch_retire(&mock.vidsch, 0, 4);
    ASSERT_SUBMITTED(&mock, 0, 1, 1, 3, 2, 0);
    vidsch_retire(&mock.vidsch, 0, 6);
    ASSERT_DONE(&mock, 1, 3, 2, 0);
    vidsch_context_fini(&low);
    vidsch_context_fini(&high);
    vidsch_context_fini(&system);
    mock_fini(&mock);
}

/* Two long packets of equal priority share the node in slices. */
static void equals_are_stopped_at_the_end_of_their_quantum(void **state)
{
    struct mock mock;
    struct vidsch_context a, b;
    struct mock_packet packets[2];

    mock_init_with(&mock, &mock_backend,
                   &(struct vidsch_config){.node_count = 1, .quantum_ns = 10 * NS_PER_MS});
    mock_context(&mock, &a, 0, 1);
    mock_context(&mock, &b, 0, 1);
    mock_push(&mock, &a, &packets[0], 0, RENDER);
    mock_push(&mock, &b, &packets[1], 1, RENDER);
    vidsch_run(&mock.vidsch, 0);
    ASSERT_SUBMITTED(&mock, 0, 1);
    mock_advance(&mock, 9 * NS_PER_MS);
    assert_int_equal(mock.preempt_count, 0);
    mock_advance(&mock, 2 * NS_PER_MS);
    assert_int_equal(mock.preempt_count, 1);
    assert_int_equal(mock.preempt_reason, VIDSCH_PREEMPT_QUANTUM);
    vidsch_preempted(&mock.vidsch, 0, mock.preemption_id, 0);
    ASSERT_SUBMITTED(&mock, 0, 1, 1, 0);
    mock_advance(&mock, 11 * NS_PER_MS);
    assert_int_equal(mock.preempt_count, 2);
    vidsch_preempted(&mock.vidsch, 0, mock.preemption_id, 0);
    ASSERT_SUBMITTED(&mock, 0, 1, 1, 0, 0, 1);
    vidsch_retire(&mock.vidsch, 0, mock.submitted[5].fence_id);
    ASSERT_DONE(&mock, 0, 1);
    vidsch_context_fini(&a);
    vidsch_context_fini(&b);
    mock_fini(&mock);
}

/* [PREEMPT-004]: the node had finished everything before it saw the request. */
static void a_request_that_finds_the_node_idle_is_answered_all_the_same(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet packets[2];

    mock_init(&mock, 1);
    mock_context(&mock, &context, 0, 1);
    assert_false(vidsch_preempt(&mock.vidsch, 0));
    mock_push(&mock, &context, &packets[0], 0, RENDER);
    vidsch_run(&mock.vidsch, 0);
    vidsch_preempt(&mock.vidsch, 0);
    vidsch_retire(&mock.vidsch, 0, 1);
    mock_push(&mock, &context, &packets[1], 1, RENDER);
    vidsch_run(&mock.vidsch, 0);
    ASSERT_SUBMITTED(&mock, 0);
    assert_int_equal(vidsch_preempted(&mock.vidsch, 0, mock.preemption_id, 1), VIDSCH_REPORT_OK);
    ASSERT_SUBMITTED(&mock, 0, 1);
    vidsch_retire(&mock.vidsch, 0, 3);
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

/* What was on the hardware once is lost, not cancelled [CANCEL-002]. */
static void thrown_out_packets_of_a_lost_context_do_not_come_back(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet packets[4];

    mock_init(&mock, 1);
    mock_context(&mock, &context, 0, 1);
    for (unsigned i = 0; i < 4; i++) {
        mock_push(&mock, &context, &packets[i], i, RENDER);
    }
    vidsch_run(&mock.vidsch, 0);
    vidsch_suspend(&mock.vidsch, 0, VIDSCH_SUSPEND_ALL);
    vidsch_preempt(&mock.vidsch, 0);
    vidsch_preempted(&mock.vidsch, 0, mock.preemption_id, 1); /* 1 waits to be resubmitted */
    vidsch_context_lose(&context);
    ASSERT_DONE(&mock, 0, 1, 2, 3);
    assert_int_equal(packets[0].status, STATUS_SUCCESS);
    assert_int_equal(packets[1].status, VIDSCH_STATUS_LOST);
    assert_int_equal(packets[1].cancel_count, 0);
    assert_int_equal(packets[2].status, VIDSCH_STATUS_CANCELLED);
    assert_int_equal(packets[2].cancel_count, 1);
    vidsch_resume(&mock.vidsch, 0, VIDSCH_SUSPEND_ALL);
    ASSERT_SUBMITTED(&mock, 0, 1);
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paging_comes_back_first_with_its_ids_and_the_rest_with_new_ones),
        cmocka_unit_test(paging_thrown_out_twice_keeps_its_order),
        cmocka_unit_test(a_more_urgent_packet_stops_the_node_but_paging_does_not),
        cmocka_unit_test(equals_are_stopped_at_the_end_of_their_quantum),
        cmocka_unit_test(a_request_that_finds_the_node_idle_is_answered_all_the_same),
        cmocka_unit_test(thrown_out_packets_of_a_lost_context_do_not_come_back),
    };

    return cmocka_run_group_tests_name("vidsch/preempt", tests, NULL, NULL);
}
