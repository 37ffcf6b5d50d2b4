/* Hardware queues: packets go in order, as many at once as there is room for, and end with their
 * queue's progress. */
#include "mock.h"

static struct mock mock;
static struct vidsch_context queues[2];
static struct mock_packet packets[16];
static unsigned looks;

static void make_queues(unsigned in_flight_max)
{
    const struct vidsch_context_config config = {.priority = VIDSCH_PRIORITY_NORMAL,
                                                 .in_flight_max = in_flight_max};

    mock_init(&mock, 1);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(vidsch_context_init(&queues[i], &mock.vidsch, &config), STATUS_SUCCESS);
    }
}

static void end_queues(void)
{
    vidsch_context_fini(&queues[0]);
    vidsch_context_fini(&queues[1]);
    mock_fini(&mock);
}

static void push(unsigned queue, unsigned number, uint64_t id)
{
    mock_packet(&mock, &packets[number], number, VIDSCH_PACKET_HW_QUEUE);
    packets[number].base.progress_id = id;
    vidsch_push(&queues[queue], &packets[number].base);
}

static void several_are_in_flight_and_end_with_progress(void **state)
{
    make_queues(2);
    push(0, 1, 10);
    push(0, 2, 20);
    push(0, 3, 30);
    push(1, 4, 1);
    vidsch_run_all(&mock.vidsch);
    ASSERT_SUBMITTED(&mock, 1, 2, 4);
    assert_true(vidsch_has_running(&mock.vidsch));
    assert_false(vidsch_progress(&queues[0], 0));
    assert_true(vidsch_progress(&queues[0], 19)); /* between two ids */
    ASSERT_DONE(&mock, 1);
    ASSERT_SUBMITTED(&mock, 1, 2, 4, 3);
    assert_true(vidsch_progress(&queues[0], 40)); /* more than was given */
    ASSERT_DONE(&mock, 1, 2, 3);
    assert_false(vidsch_progress(&queues[0], 30)); /* back: nothing */
    assert_true(vidsch_progress(&queues[1], 1));
    ASSERT_DONE(&mock, 1, 2, 3, 4);
    assert_false(vidsch_has_running(&mock.vidsch));
    end_queues();
}

static void marks_wait_for_what_is_in_flight(void **state)
{
    make_queues(4);
    push(0, 1, 1);
    mock_push(&mock, &queues[0], &packets[2], 2, VIDSCH_PACKET_SIGNAL);
    push(0, 3, 2);
    vidsch_run_all(&mock.vidsch);
    ASSERT_SUBMITTED(&mock, 1);
    assert_true(vidsch_progress(&queues[0], 1));
    ASSERT_DONE(&mock, 1, 2);
    ASSERT_SUBMITTED(&mock, 1, 3);
    assert_true(vidsch_progress(&queues[0], 2));
    end_queues();
}

static void refused_ones_end_in_order(void **state)
{
    make_queues(4);
    push(0, 1, 1);
    push(0, 2, 2);
    packets[2].submit = VIDSCH_SUBMIT_REJECTED;
    packets[2].failure = STATUS_INVALID_PARAMETER;
    vidsch_run_all(&mock.vidsch);
    assert_int_equal(mock.done_count, 0);
    assert_true(vidsch_progress(&queues[0], 1));
    ASSERT_DONE(&mock, 1, 2);
    assert_int_equal(packets[2].status, STATUS_INVALID_PARAMETER);
    end_queues();
}

static void a_lost_queue_keeps_what_is_in_flight(void **state)
{
    make_queues(1);
    push(0, 1, 1);
    push(0, 2, 2);
    vidsch_run_all(&mock.vidsch);
    vidsch_context_lose(&queues[0]);
    ASSERT_DONE(&mock, 2);
    assert_int_equal(packets[2].status, VIDSCH_STATUS_CANCELLED);
    assert_true(vidsch_progress(&queues[0], 1));
    ASSERT_DONE(&mock, 2, 1);
    assert_int_equal(packets[1].status, STATUS_SUCCESS);
    end_queues();
}

static void look(struct vidsch *vidsch, unsigned node_index)
{
    looks++;
}

/* The other queue's progress is the node's; without any the node is given up, and not before
 * somebody has looked. */
static void without_progress_the_node_is_given_up(void **state)
{
    struct vidsch_backend backend = mock_backend;
    struct vidsch_context_config config = {.priority = VIDSCH_PRIORITY_NORMAL, .in_flight_max = 8};

    backend.look = look;
    looks = 0;
    mock_init_with(&mock, &backend, &(struct vidsch_config){.node_count = 1});
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(vidsch_context_init(&queues[i], &mock.vidsch, &config), STATUS_SUCCESS);
    }
    push(0, 1, 1);
    push(1, 2, 1);
    push(1, 3, 2);
    vidsch_run_all(&mock.vidsch);
    mock_advance(&mock, UINT64_C(3500000000));
    assert_int_equal(looks, 1);
    assert_true(vidsch_progress(&queues[1], 1));
    mock_advance(&mock, UINT64_C(3900000000));
    assert_int_equal(mock.timed_out_count, 0);
    mock_advance(&mock, UINT64_C(200000000));
    assert_int_equal(mock.timed_out_count, 1);
    assert_ptr_equal(mock.timed_out_packet, &packets[1].base);
    assert_int_equal(vidsch_reset_begin(&mock.vidsch, MACHINE_NEVER), STATUS_SUCCESS);
    vidsch_reset_answer(&mock.vidsch);
    vidsch_reset_end(&mock.vidsch);
    assert_int_equal(mock.hit_count, 2);
    assert_int_equal(packets[1].status, VIDSCH_STATUS_LOST);
    assert_int_equal(packets[3].status, VIDSCH_STATUS_LOST);
    end_queues();
}

/* Beside the queues, a context: the engine is one. */
static void make_context(struct vidsch_context *context)
{
    make_queues(4);
    mock_context(&mock, context, 0, VIDSCH_PRIORITY_NORMAL);
    push(0, 1, 1);
    vidsch_run_all(&mock.vidsch);
}

/* It may hold the engine whoever came first: it is given up, and not who waits for the engine. */
static void a_packet_that_hangs_beside_queues_is_the_one(void **state)
{
    struct vidsch_context context;

    make_context(&context);
    mock_advance(&mock, 700);
    mock_push(&mock, &context, &packets[9], 9, VIDSCH_PACKET_RENDER);
    vidsch_run_all(&mock.vidsch);
    mock_advance(&mock, UINT64_C(3990000000));
    assert_int_equal(mock.timed_out_count, 0);
    mock_advance(&mock, UINT64_C(20000000));
    assert_int_equal(mock.timed_out_count, 1);
    assert_ptr_equal(mock.timed_out_packet, &packets[9].base);
    assert_int_equal(vidsch_reset_begin(&mock.vidsch, MACHINE_NEVER), STATUS_SUCCESS);
    vidsch_reset_answer(&mock.vidsch);
    vidsch_reset_end(&mock.vidsch);
    vidsch_context_fini(&context);
    end_queues();
}

/* Short packets, one behind the other, are no excuse. */
static void a_packet_that_came_late_excuses_no_queue(void **state)
{
    struct vidsch_context context;

    make_context(&context);
    mock_advance(&mock, UINT64_C(3900000000));
    mock_push(&mock, &context, &packets[9], 9, VIDSCH_PACKET_RENDER);
    vidsch_run_all(&mock.vidsch);
    mock_advance(&mock, UINT64_C(200000000));
    assert_int_equal(mock.timed_out_count, 1);
    assert_ptr_equal(mock.timed_out_packet, &packets[1].base);
    assert_int_equal(vidsch_reset_begin(&mock.vidsch, MACHINE_NEVER), STATUS_SUCCESS);
    vidsch_reset_answer(&mock.vidsch);
    vidsch_reset_end(&mock.vidsch);
    vidsch_context_fini(&context);
    end_queues();
}

/* Who waited behind the one that stood is not late at once. */
static void behind_a_reset_of_the_node_all_have_their_time_again(void **state)
{
    make_queues(4);
    push(0, 1, 1);
    push(1, 2, 1);
    vidsch_run_all(&mock.vidsch);
    mock_advance(&mock, UINT64_C(4100000000));
    assert_int_equal(mock.timed_out_count, 1);
    assert_ptr_equal(mock.timed_out_packet, &packets[1].base);
    vidsch_queue_lose(&queues[0]);
    vidsch_go_on(&mock.vidsch, 0);
    mock_advance(&mock, UINT64_C(3900000000));
    assert_int_equal(mock.timed_out_count, 1);
    mock_advance(&mock, UINT64_C(200000000));
    assert_int_equal(mock.timed_out_count, 2);
    assert_ptr_equal(mock.timed_out_packet, &packets[2].base);
    vidsch_queue_lose(&queues[1]);
    vidsch_go_on(&mock.vidsch, 0);
    end_queues();
}

/* What has stopped is not late; what was asked to and has not, is soon. */
static void stopped_queues_are_given_nothing_and_not_late(void **state)
{
    make_queues(4);
    push(0, 1, 1);
    vidsch_run_all(&mock.vidsch);
    vidsch_queue_set_stop(&queues[0], VIDSCH_QUEUE_ASKED);
    push(0, 2, 2);
    vidsch_run_all(&mock.vidsch);
    ASSERT_SUBMITTED(&mock, 1);
    vidsch_queue_set_stop(&queues[0], VIDSCH_QUEUE_STOPPED);
    mock_advance(&mock, UINT64_C(10000000000));
    assert_int_equal(mock.timed_out_count, 0);
    vidsch_queue_set_stop(&queues[0], VIDSCH_QUEUE_GOES);
    ASSERT_SUBMITTED(&mock, 1, 2);
    assert_true(vidsch_progress(&queues[0], 2));
    vidsch_queue_set_stop(&queues[0], VIDSCH_QUEUE_ASKED); /* with nothing in flight */
    mock_advance(&mock, UINT64_C(1900000000));
    assert_int_equal(mock.timed_out_count, 0);
    mock_advance(&mock, UINT64_C(200000000));
    assert_int_equal(mock.timed_out_count, 1);
    assert_null(mock.timed_out_packet);
    vidsch_queue_set_stop(&queues[0], VIDSCH_QUEUE_GOES);
    vidsch_go_on(&mock.vidsch, 0);
    end_queues();
}

/* Looked at again and again, and late only when it had something to do for all its time. */
static void a_session_is_late_only_with_work(void **state)
{
    make_queues(1);
    vidsch_queue_set_idle(&queues[0], true);
    push(0, 1, VIDSCH_SESSION_ID);
    vidsch_run_all(&mock.vidsch);
    ASSERT_SUBMITTED(&mock, 1);
    assert_true(vidsch_only_waits(&mock.vidsch));
    mock_advance(&mock, UINT64_C(20000000000));
    assert_int_equal(mock.timed_out_count, 0);
    assert_true(vidsch_progress(&queues[0], 7));
    assert_int_equal(mock.done_count, 0);
    vidsch_queue_set_idle(&queues[0], false);
    assert_false(vidsch_only_waits(&mock.vidsch));
    mock_advance(&mock, UINT64_C(3900000000));
    assert_int_equal(mock.timed_out_count, 0);
    vidsch_queue_set_idle(&queues[0], true);
    mock_advance(&mock, UINT64_C(200000000));
    assert_int_equal(mock.timed_out_count, 0);
    vidsch_queue_set_idle(&queues[0], false);
    mock_advance(&mock, UINT64_C(4100000000));
    assert_int_equal(mock.timed_out_count, 1);
    assert_ptr_equal(mock.timed_out_packet, &packets[1].base);
    vidsch_session_end(&packets[1].base);
    ASSERT_DONE(&mock, 1);
    assert_int_equal(packets[1].status, STATUS_SUCCESS);
    vidsch_go_on(&mock.vidsch, 0);
    end_queues();
}

static void one_queue_is_lost_alone(void **state)
{
    make_queues(1);
    push(0, 1, 1);
    push(0, 2, 2);
    push(1, 3, 1);
    vidsch_run_all(&mock.vidsch);
    vidsch_queue_lose(&queues[0]);
    ASSERT_DONE(&mock, 1, 2);
    assert_int_equal(packets[1].status, VIDSCH_STATUS_LOST);
    assert_int_equal(packets[2].status, VIDSCH_STATUS_CANCELLED);
    assert_true(vidsch_progress(&queues[1], 1));
    ASSERT_DONE(&mock, 1, 2, 3);
    end_queues();
}

/* Whoever hands a packet over may wait for a reset that loses its queue: nobody will tell of it. */
static void what_is_handed_to_a_lost_queue_ends(void **state)
{
    make_queues(2);
    push(0, 1, 1);
    push(0, 2, 2);
    packets[2].loses = &queues[0];
    push(1, 3, 1);
    vidsch_run_all(&mock.vidsch);
    assert_int_equal(packets[1].status, VIDSCH_STATUS_LOST);
    assert_int_equal(packets[2].status, VIDSCH_STATUS_LOST);
    assert_int_equal(queues[0].in_flight_count, 0);
    assert_true(vidsch_progress(&queues[1], 1));
    ASSERT_DONE(&mock, 1, 2, 3);
    end_queues();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_are_in_flight_and_end_with_progress),
        cmocka_unit_test(marks_wait_for_what_is_in_flight),
        cmocka_unit_test(refused_ones_end_in_order),
        cmocka_unit_test(a_lost_queue_keeps_what_is_in_flight),
        cmocka_unit_test(stopped_queues_are_given_nothing_and_not_late),
        cmocka_unit_test(a_session_is_late_only_with_work),
        cmocka_unit_test(one_queue_is_lost_alone),
        cmocka_unit_test(what_is_handed_to_a_lost_queue_ends),
        cmocka_unit_test(a_packet_that_hangs_beside_queues_is_the_one),
        cmocka_unit_test(a_packet_that_came_late_excuses_no_queue),
        cmocka_unit_test(behind_a_reset_of_the_node_all_have_their_time_again),
        cmocka_unit_test(without_progress_the_node_is_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
