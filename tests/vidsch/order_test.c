/* The way of a packet: order, depth, priorities, preparation, waits, fence ids. */
#include "mock.h"

#define RENDER VIDSCH_PACKET_RENDER

static void packets_of_a_context_run_in_order_and_end_oldest_first(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet packets[4];

    mock_init(&mock, 1);
    mock_context(&mock, &context, 0, VIDSCH_PRIORITY_NORMAL);
    for (unsigned i = 0; i < 4; i++) {
        mock_push(&mock, &context, &packets[i], i, RENDER);
    }
    assert_int_equal(mock.submitted_count, 0); /* pushing runs nothing */
    vidsch_run(&mock.vidsch, 0);
    ASSERT_SUBMITTED(&mock, 0, 1); /* two in the hardware queue [SUBMIT-051] */
    assert_int_equal(mock.submitted[0].fence_id, 1);
    assert_int_equal(mock.submitted[1].fence_id, 2);

    assert_int_equal(vidsch_retire(&mock.vidsch, 0, 1), VIDSCH_REPORT_OK);
    ASSERT_DONE(&mock, 0);
    ASSERT_SUBMITTED(&mock, 0, 1, 2);
    assert_int_equal(vidsch_retire(&mock.vidsch, 0, 3), VIDSCH_REPORT_OK); /* several at once */
    ASSERT_DONE(&mock, 0, 1, 2);
    assert_int_equal(vidsch_retire(&mock.vidsch, 0, 4), VIDSCH_REPORT_OK);
    ASSERT_DONE(&mock, 0, 1, 2, 3);
    assert_int_equal(packets[3].status, STATUS_SUCCESS);
    assert_true(vidsch_context_is_idle(&context));
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

static void higher_priority_goes_first_and_equals_take_turns_by_quantum(void **state)
{
    struct mock mock;
    struct vidsch_context low, high, equal;
    struct mock_packet packets[6];
    struct vidsch_backend backend = mock_backend;

    backend.preempt = NULL;
    mock_init_with(&mock, &backend,
                   &(struct vidsch_config){
                       .node_count = 1, .hw_queue_depth = 1, .quantum_ns = 10 * NS_PER_MS});
    mock_context(&mock, &low, 0, 3);
    mock_context(&mock, &equal, 0, 3);
    mock_context(&mock, &high, 0, 4);
    mock_push(&mock, &low, &packets[0], 0, RENDER);
    mock_push(&mock, &low, &packets[1], 1, RENDER);
    mock_push(&mock, &low, &packets[2], 2, RENDER);
    mock_push(&mock, &equal, &packets[3], 3, RENDER);
    mock_push(&mock, &high, &packets[4], 4, RENDER);
    vidsch_run(&mock.vidsch, 0);
    ASSERT_SUBMITTED(&mock, 4);
    vidsch_retire(&mock.vidsch, 0, 1);
    ASSERT_SUBMITTED(&mock, 4, 0);
    mock_advance(&mock, 4 * NS_PER_MS); /* less than a quantum: low keeps the turn */
    vidsch_retire(&mock.vidsch, 0, 2);
    ASSERT_SUBMITTED(&mock, 4, 0, 1);
    mock_advance(&mock, 7 * NS_PER_MS);
    vidsch_retire(&mock.vidsch, 0, 3);
    ASSERT_SUBMITTED(&mock, 4, 0, 1, 3);
    vidsch_retire(&mock.vidsch, 0, 5);
    vidsch_retire(&mock.vidsch, 0, 4);
    ASSERT_SUBMITTED(&mock, 4, 0, 1, 3, 2);
    vidsch_retire(&mock.vidsch, 0, 5);
    vidsch_context_fini(&low);
    vidsch_context_fini(&equal);
    vidsch_context_fini(&high);
    mock_fini(&mock);
}

static void the_most_urgent_context_of_a_process_takes_its_turn(void **state)
{
    struct mock mock;
    struct vidsch_context contexts[3];
    struct mock_packet packets[3];
    static const int process_a, process_b;

    mock_init_with(&mock, &mock_backend,
                   &(struct vidsch_config){.node_count = 1, .hw_queue_depth = 1});
    for (unsigned i = 0; i < 3; i++) {
        struct vidsch_context_config config = {
            .priority = 5,
            .process = i == 1 ? &process_b : &process_a,
            .in_process_priority = (int)i - 1,
        };
        assert_int_equal(vidsch_context_init(&contexts[i], &mock.vidsch, &config), 0);
        mock_push(&mock, &contexts[i], &packets[i], i, RENDER);
    }
    vidsch_run(&mock.vidsch, 0);
    ASSERT_SUBMITTED(&mock, 2); /* the turn is process a's; 2 is more urgent than 0 */
    vidsch_retire(&mock.vidsch, 0, 1);
    vidsch_retire(&mock.vidsch, 0, 2);
    vidsch_retire(&mock.vidsch, 0, 3);
    ASSERT_SUBMITTED(&mock, 2, 0, 1);
    for (unsigned i = 0; i < 3; i++) {
        vidsch_context_fini(&contexts[i]);
    }
    mock_fini(&mock);
}

static void what_a_context_wanted_and_had_is_counted_once(void **state)
{
    struct mock mock;
    struct vidsch_context first, second;
    struct mock_packet packets[3];

    mock_init(&mock, 1);
    mock_context(&mock, &first, 0, 5);
    mock_context(&mock, &second, 0, 5);
    mock_push(&mock, &first, &packets[0], 0, RENDER);
    mock_push(&mock, &first, &packets[1], 1, RENDER);
    mock_push(&mock, &second, &packets[2], 2, RENDER);
    vidsch_run(&mock.vidsch, 0);
    ASSERT_SUBMITTED(&mock, 0, 1);
    mock_advance(&mock, 3 * NS_PER_MS);
    vidsch_retire(&mock.vidsch, 0, 1);
    mock_advance(&mock, 2 * NS_PER_MS);
    vidsch_retire(&mock.vidsch, 0, 2);
    mock_advance(&mock, 4 * NS_PER_MS);
    vidsch_retire(&mock.vidsch, 0, 3);
    assert_int_equal(first.ran_ns, 5 * NS_PER_MS); /* its two packets wanted the same five */
    assert_int_equal(first.wanted_ns, 5 * NS_PER_MS);
    assert_int_equal(second.ran_ns, 4 * NS_PER_MS);
    assert_int_equal(second.wanted_ns, 9 * NS_PER_MS);
    vidsch_context_fini(&first);
    vidsch_context_fini(&second);
    mock_fini(&mock);
}

static void fifo_follows_the_order_of_pushing_across_contexts(void **state)
{
    struct mock mock;
    struct vidsch_context low, high;
    struct mock_packet packets[4];

    mock_init_with(&mock, &mock_backend,
                   &(struct vidsch_config){
                       .node_count = 1, .hw_queue_depth = 8, .policy = &vidsch_policy_fifo});
    mock_context(&mock, &low, 0, 3);
    mock_context(&mock, &high, 0, 9);
    mock_push(&mock, &low, &packets[0], 0, RENDER);
    mock_push(&mock, &high, &packets[1], 1, RENDER);
    mock_push(&mock, &low, &packets[2], 2, RENDER);
    mock_push(&mock, &high, &packets[3], 3, RENDER);
    vidsch_run(&mock.vidsch, 0);
    ASSERT_SUBMITTED(&mock, 0, 1, 2, 3);
    vidsch_retire(&mock.vidsch, 0, 4);
    vidsch_context_fini(&low);
    vidsch_context_fini(&high);
    mock_fini(&mock);
}

static void fence_ids_wrap_and_leave_out_zero(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet packets[6];

    mock_init_with(&mock, &mock_backend,
                   &(struct vidsch_config){
                       .node_count = 1, .hw_queue_depth = 6, .first_fence_id = 0xFFFFFFFD});
    mock_context(&mock, &context, 0, 1);
    for (unsigned i = 0; i < 6; i++) {
        mock_push(&mock, &context, &packets[i], i, RENDER);
    }
    vidsch_run(&mock.vidsch, 0);
    assert_int_equal(mock.submitted[2].fence_id, 0xFFFFFFFF);
    assert_int_equal(mock.submitted[3].fence_id, 1);
    assert_int_equal(vidsch_retire(&mock.vidsch, 0, 0xFFFFFFFE), VIDSCH_REPORT_OK);
    ASSERT_DONE(&mock, 0, 1);
    assert_int_equal(vidsch_retire(&mock.vidsch, 0, 2), VIDSCH_REPORT_OK);
    ASSERT_DONE(&mock, 0, 1, 2, 3, 4);
    assert_int_equal(vidsch_retire(&mock.vidsch, 0, 0xFFFFFFFF), VIDSCH_REPORT_OLD);
    assert_int_equal(vidsch_retire(&mock.vidsch, 0, 4), VIDSCH_REPORT_BEYOND);
    ASSERT_DONE(&mock, 0, 1, 2, 3, 4);
    assert_int_equal(vidsch_retire(&mock.vidsch, 0, 3), VIDSCH_REPORT_OK);
    assert_int_equal(vidsch_retire(&mock.vidsch, 0, 3), VIDSCH_REPORT_OK); /* repeated: harmless */
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

/* No leap while one is outstanding; the first id is the usual one; none is 2^30 from the last. */
static void fence_ids_leap_to_the_wrap_from_one_that_is_over(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet packets[11];
    const uint32_t wrap_after = 4;

    mock_init_with(
        &mock, &mock_backend,
        &(struct vidsch_config){.node_count = 1, .hw_queue_depth = 6, .wrap_after = wrap_after});
    mock_context(&mock, &context, 0, 1);
    mock_push(&mock, &context, &packets[0], 0, RENDER);
    mock_push(&mock, &context, &packets[1], 1, RENDER);
    vidsch_run(&mock.vidsch, 0);
    assert_int_equal(mock.submitted[0].fence_id, 1);
    assert_int_equal(mock.submitted[1].fence_id, 2);
    for (unsigned i = 2; i < 11; i++) {
        uint32_t last = mock.submitted[i - 1].fence_id;
        assert_int_equal(vidsch_retire(&mock.vidsch, 0, last), VIDSCH_REPORT_OK);
        mock_push(&mock, &context, &packets[i], i, RENDER);
        vidsch_run(&mock.vidsch, 0);
        uint32_t id = mock.submitted[i].fence_id;
        assert_true(id != 0 && id - last < 1u << 30);
        assert_true(i > 6 ? id - last <= 2 : id - last > 1u << 29);
    }
    assert_int_equal(mock.submitted[6].fence_id, UINT32_MAX - wrap_after);
    assert_int_equal(mock.submitted[10].fence_id, UINT32_MAX);
    assert_int_equal(vidsch_retire(&mock.vidsch, 0, UINT32_MAX), VIDSCH_REPORT_OK);
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

/* Nobody reports them: to the last report the distance stays less than 2^31. */
static void fence_ids_do_not_leap_away_behind_refused_packets(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet packets[6];

    mock_init_with(&mock, &mock_backend, &(struct vidsch_config){.node_count = 1, .wrap_after = 4});
    mock_context(&mock, &context, 0, 1);
    for (unsigned i = 0; i < 6; i++) {
        mock_packet(&mock, &packets[i], i, RENDER);
        packets[i].submit = i < 5 ? VIDSCH_SUBMIT_REJECTED : VIDSCH_SUBMIT_DONE;
        vidsch_push(&context, &packets[i].base);
        vidsch_run(&mock.vidsch, 0);
    }
    ASSERT_DONE(&mock, 0, 1, 2, 3, 4);
    assert_true(packets[5].base.fence_id > 1u << 30 && packets[5].base.fence_id < 1u << 31);
    assert_int_equal(vidsch_retire(&mock.vidsch, 0, packets[5].base.fence_id), VIDSCH_REPORT_OK);
    ASSERT_DONE(&mock, 0, 1, 2, 3, 4, 5);
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

static void a_packet_that_needs_paging_waits_and_others_go_on(void **state)
{
    struct mock mock;
    struct vidsch_context first, other;
    struct mock_packet needs, behind, free;

    mock_init(&mock, 1);
    mock_context(&mock, &first, 0, 9);
    mock_context(&mock, &other, 0, 1);
    mock_packet(&mock, &needs, 0, RENDER);
    needs.prepare = VIDSCH_PREPARE_PENDING;
    vidsch_push(&first, &needs.base);
    mock_push(&mock, &first, &behind, 1, RENDER);
    mock_push(&mock, &other, &free, 2, RENDER);
    vidsch_run(&mock.vidsch, 0);
    ASSERT_SUBMITTED(&mock, 2);
    needs.prepare = VIDSCH_PREPARE_READY;
    vidsch_prepared(&needs.base, STATUS_SUCCESS);
    ASSERT_SUBMITTED(&mock,
                     2); /* not answered yet: the packet is submitted next, after a preempt */
    assert_int_equal(mock.preempt_reason, VIDSCH_PREEMPT_PRIORITY);
    vidsch_preempted(&mock.vidsch, 0, mock.preemption_id, 0);
    ASSERT_SUBMITTED(&mock, 2, 0, 1);
    assert_int_equal(needs.prepare_count, 2);
    vidsch_retire(&mock.vidsch, 0, 4);
    vidsch_retire(&mock.vidsch, 0, 5);
    ASSERT_DONE(&mock, 0, 1, 2);
    vidsch_context_fini(&first);
    vidsch_context_fini(&other);
    mock_fini(&mock);
}

static void a_failed_preparation_ends_the_packet_alone(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet bad, late, good;

    mock_init(&mock, 1);
    mock_context(&mock, &context, 0, 1);
    mock_packet(&mock, &bad, 0, RENDER);
    bad.prepare = VIDSCH_PREPARE_FAILED;
    bad.failure = STATUS_NO_MEMORY;
    vidsch_push(&context, &bad.base);
    mock_packet(&mock, &late, 1, RENDER);
    late.prepare = VIDSCH_PREPARE_PENDING;
    vidsch_push(&context, &late.base);
    mock_push(&mock, &context, &good, 2, RENDER);
    vidsch_run(&mock.vidsch, 0);
    assert_int_equal(bad.status, STATUS_NO_MEMORY);
    assert_int_equal(bad.cancel_count, 0);
    vidsch_prepared(&late.base, STATUS_INVALID_PARAMETER);
    assert_int_equal(late.status, STATUS_INVALID_PARAMETER);
    ASSERT_SUBMITTED(&mock, 2);
    vidsch_retire(&mock.vidsch, 0, 1);
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

static void a_split_packet_goes_on_with_its_rest(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet whole, rest, next;

    mock_init_with(&mock, &mock_backend,
                   &(struct vidsch_config){.node_count = 1, .hw_queue_depth = 4});
    mock_context(&mock, &context, 0, 1);
    mock_packet(&mock, &whole, 0, RENDER);
    mock_packet(&mock, &rest, 1, RENDER);
    whole.rest = &rest;
    vidsch_push(&context, &whole.base);
    mock_push(&mock, &context, &next, 2, RENDER);
    vidsch_run(&mock.vidsch, 0);
    ASSERT_SUBMITTED(&mock, 0, 1, 2);
    vidsch_retire(&mock.vidsch, 0, 3);
    ASSERT_DONE(&mock, 0, 1, 2);
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

static void a_packet_reported_inside_submit_stays_until_submit_returns(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet packets[3];

    mock_init(&mock, 1);
    mock_context(&mock, &context, 0, 1);
    for (unsigned i = 0; i < 3; i++) {
        mock_packet(&mock, &packets[i], i, RENDER);
        packets[i].complete_at_once = true;
        vidsch_push(&context, &packets[i].base);
    }
    vidsch_run(&mock.vidsch, 0);
    ASSERT_DONE(&mock, 0, 1, 2);
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

static void a_refused_packet_ends_in_its_turn(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet good, refused, last;

    mock_init_with(&mock, &mock_backend,
                   &(struct vidsch_config){.node_count = 1, .hw_queue_depth = 3});
    mock_context(&mock, &context, 0, 1);
    mock_push(&mock, &context, &good, 0, RENDER);
    mock_packet(&mock, &refused, 1, RENDER);
    refused.submit = VIDSCH_SUBMIT_REJECTED;
    refused.failure = STATUS_INVALID_PARAMETER;
    vidsch_push(&context, &refused.base);
    mock_push(&mock, &context, &last, 2, RENDER);
    vidsch_run(&mock.vidsch, 0);
    assert_int_equal(mock.done_count, 0);
    vidsch_retire(&mock.vidsch, 0, 1);
    ASSERT_DONE(&mock, 0, 1);
    assert_int_equal(refused.status, STATUS_INVALID_PARAMETER);
    assert_int_equal(vidsch_retire(&mock.vidsch, 0, 1), VIDSCH_REPORT_OK); /* the driver's view */
    vidsch_retire(&mock.vidsch, 0, 3);
    ASSERT_DONE(&mock, 0, 1, 2);
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

static void where_steps_are_not_allowed_somebody_is_kicked(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet packets[3];

    mock_init(&mock, 1);
    mock_context(&mock, &context, 0, 1);
    for (unsigned i = 0; i < 3; i++) {
        mock_push(&mock, &context, &packets[i], i, RENDER);
    }
    mock.may_step = false;
    assert_int_equal(vidsch_step(&mock.vidsch, 0), VIDSCH_STEP_KICKED);
    assert_int_equal(mock.kicks, 1);
    mock.may_step = true;
    vidsch_run(&mock.vidsch, 0);
    mock.may_step = false; /* a DPC */
    vidsch_retire(&mock.vidsch, 0, 1);
    ASSERT_DONE(&mock, 0);         /* ends are reported there, */
    ASSERT_SUBMITTED(&mock, 0, 1); /* but nothing is submitted */
    assert_int_equal(mock.kicks, 2);
    mock.may_step = true;
    packets[2].submit = VIDSCH_SUBMIT_LATER;
    assert_int_equal(vidsch_step(&mock.vidsch, 0), VIDSCH_STEP_KICKED);
    assert_int_equal(mock.kicks, 3);
    packets[2].submit = VIDSCH_SUBMIT_DONE;
    vidsch_run_all(&mock.vidsch);
    ASSERT_SUBMITTED(&mock, 0, 1, 2);
    assert_int_equal(mock.submitted[2].fence_id, 3); /* the id was not used up */
    assert_int_equal(vidsch_step(&mock.vidsch, 0), VIDSCH_STEP_IDLE);
    vidsch_retire(&mock.vidsch, 0, 3);
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

static void waits_and_signals_keep_their_place_across_nodes(void **state)
{
    struct mock mock;
    struct sync_domain domain;
    struct sync_object fence;
    struct sync_item item = {.object = &fence, .value = 7};
    struct vidsch_context producer, consumer;
    struct mock_packet draw, signal, wait, use;

    mock_init(&mock, 2);
    sync_domain_init(&domain);
    sync_fence_init(&fence, &domain, 0);
    mock_context(&mock, &producer, 0, 1);
    mock_context(&mock, &consumer, 1, 1);
    mock_packet(&mock, &wait, 2, VIDSCH_PACKET_WAIT);
    wait.base.waits = &item;
    wait.base.wait_count = 1;
    vidsch_push(&consumer, &wait.base);
    mock_push(&mock, &consumer, &use, 3, RENDER);
    mock_push(&mock, &producer, &draw, 0, RENDER);
    mock_packet(&mock, &signal, 1, VIDSCH_PACKET_SIGNAL);
    signal.signals = &fence;
    signal.signal_value = 7;
    vidsch_push(&producer, &signal.base);
    vidsch_run_all(&mock.vidsch);
    ASSERT_SUBMITTED(&mock, 0);
    assert_int_equal(mock.done_count, 0);
    vidsch_retire(&mock.vidsch, 0, 1);
    ASSERT_SUBMITTED(&mock, 0, 3); /* the signal ran the other node */
    ASSERT_DONE(&mock, 0, 1, 2);
    vidsch_retire(&mock.vidsch, 1, 1);
    sync_object_fini(&fence, STATUS_CANCELLED);
    sync_domain_fini(&domain);
    vidsch_context_fini(&producer);
    vidsch_context_fini(&consumer);
    mock_fini(&mock);
}

static void a_flip_waits_for_its_writers_and_does_not_hold_up_what_follows(void **state)
{
    struct mock mock;
    struct vidsch_context context;
    struct mock_packet draw, flip, next, quick;

    mock_init(&mock, 1);
    mock_context(&mock, &context, 0, 1);
    mock_push(&mock, &context, &draw, 0, RENDER);
    mock_push(&mock, &context, &flip, 1, VIDSCH_PACKET_SOFTWARE);
    mock_push(&mock, &context, &next, 2, RENDER);
    vidsch_run(&mock.vidsch, 0);
    ASSERT_SUBMITTED(&mock, 0); /* the flip keeps its place in the context */
    vidsch_retire(&mock.vidsch, 0, 1);
    ASSERT_SUBMITTED(&mock, 0, 1, 2);
    vidsch_retire(&mock.vidsch, 0, 2);
    ASSERT_DONE(&mock, 0, 2);
    vidsch_complete(&flip.base, STATUS_SUCCESS); /* at vsync */
    ASSERT_DONE(&mock, 0, 2, 1);
    mock_packet(&mock, &quick, 3, VIDSCH_PACKET_SOFTWARE);
    quick.complete_at_once = true;
    vidsch_push(&context, &quick.base);
    vidsch_run(&mock.vidsch, 0);
    ASSERT_DONE(&mock, 0, 2, 1, 3);
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

static void a_suspended_node_submits_nothing(void **state)
{
    struct mock mock;
    struct vidsch_context context, system;
    struct mock_packet draw, paging;

    mock_init(&mock, 1);
    mock_context(&mock, &context, 0, 1);
    mock_system_context(&mock, &system, 0);
    vidsch_suspend(&mock.vidsch, 0, VIDSCH_SUSPEND_ALL);
    vidsch_suspend(&mock.vidsch, 0, VIDSCH_SUSPEND_CONTEXTS);
    mock_push(&mock, &context, &draw, 0, RENDER);
    mock_push(&mock, &system, &paging, 1, VIDSCH_PACKET_PAGING);
    vidsch_run(&mock.vidsch, 0);
    assert_int_equal(mock.submitted_count, 0);
    vidsch_resume(&mock.vidsch, 0, VIDSCH_SUSPEND_ALL);
    ASSERT_SUBMITTED(&mock, 1); /* memory is being moved: only paging goes on */
    vidsch_resume(&mock.vidsch, 0, VIDSCH_SUSPEND_CONTEXTS);
    ASSERT_SUBMITTED(&mock, 1, 0);
    vidsch_retire(&mock.vidsch, 0, 2);
    assert_true(vidsch_node_wait_quiet(&mock.vidsch, 0, MACHINE_NEVER));
    vidsch_context_fini(&context);
    vidsch_context_fini(&system);
    mock_fini(&mock);
}

static void what_does_not_exist_is_refused(void **state)
{
    struct mock mock;
    struct vidsch none = {0};
    struct vidsch_context context = {0};

    assert_int_equal(vidsch_init(&none, &mock_backend, &(struct vidsch_config){.node_count = 0}),
                     STATUS_INVALID_PARAMETER);
    vidsch_fini(&none);
    vidsch_context_fini(&context);
    mock_init(&mock, 1);
    assert_int_equal(vidsch_context_init(&context, &mock.vidsch,
                                         &(struct vidsch_context_config){.node_index = 1}),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(vidsch_context_init(&context, &mock.vidsch,
                                         &(struct vidsch_context_config){.priority = 32}),
                     STATUS_INVALID_PARAMETER);
    vidsch_context_fini(&context);
    mock_fini(&mock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_of_a_context_run_in_order_and_end_oldest_first),
        cmocka_unit_test(higher_priority_goes_first_and_equals_take_turns_by_quantum),
        cmocka_unit_test(the_most_urgent_context_of_a_process_takes_its_turn),
        cmocka_unit_test(what_a_context_wanted_and_had_is_counted_once),
        cmocka_unit_test(fifo_follows_the_order_of_pushing_across_contexts),
        cmocka_unit_test(fence_ids_wrap_and_leave_out_zero),
        cmocka_unit_test(fence_ids_leap_to_the_wrap_from_one_that_is_over),
        cmocka_unit_test(fence_ids_do_not_leap_away_behind_refused_packets),
        cmocka_unit_test(a_packet_that_needs_paging_waits_and_others_go_on),
        cmocka_unit_test(a_failed_preparation_ends_the_packet_alone),
        cmocka_unit_test(a_split_packet_goes_on_with_its_rest),
        cmocka_unit_test(a_packet_reported_inside_submit_stays_until_submit_returns),
        cmocka_unit_test(a_refused_packet_ends_in_its_turn),
        cmocka_unit_test(where_steps_are_not_allowed_somebody_is_kicked),
        cmocka_unit_test(waits_and_signals_keep_their_place_across_nodes),
        cmocka_unit_test(a_flip_waits_for_its_writers_and_does_not_hold_up_what_follows),
        cmocka_unit_test(a_suspended_node_submits_nothing),
        cmocka_unit_test(what_does_not_exist_is_refused),
    };

    return cmocka_run_group_tests_name("vidsch/order", tests, NULL, NULL);
}
