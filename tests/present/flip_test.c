/* The flip queue of a source: order, room, intervals, and flips that end while they are made. */
#include "mock.h"

static void a_flip_ends_with_the_sync_that_reports_its_address(void **state)
{
    struct mock mock;
    struct mock_flip flip;

    mock_init(&mock, 1);
    mock_push(&mock, &flip, 1, 1);
    ASSERT_PROGRAMMED(&mock, 1);
    assert_int_equal(present_source_pending(&mock.source), 1);
    mock_sync(&mock, 0); /* the old address: it comes one sync later */
    assert_int_equal(flip.done_count, 0);
    mock_sync(&mock, 1);
    ASSERT_DONE(&mock, 1);
    assert_int_equal(flip.status, STATUS_SUCCESS);
    assert_int_equal(present_source_pending(&mock.source), 0);
    mock_fini(&mock);
}

static void no_more_flips_are_programmed_than_the_hardware_holds(void **state)
{
    struct mock mock;
    struct mock_flip flips[4];

    mock_init(&mock, 2);
    for (unsigned i = 0; i < 4; i++) {
        mock_push(&mock, &flips[i], i + 1, 1);
    }
    ASSERT_PROGRAMMED(&mock, 1, 2); /* [FLIP-014] */
    mock_sync(&mock, 1);
    ASSERT_PROGRAMMED(&mock, 1, 2, 3);
    mock_sync(&mock, 2);
    mock_sync(&mock, 3);
    mock_sync(&mock, 4);
    ASSERT_DONE(&mock, 1, 2, 3, 4);
    assert_int_equal(mock.on_hardware_max, 2);
    mock_fini(&mock);
}

/* A sync that reports a later address tells that the earlier ones are past. */
static void a_sync_ends_every_flip_up_to_its_address(void **state)
{
    struct mock mock;
    struct mock_flip flips[3];

    mock_init(&mock, 3);
    for (unsigned i = 0; i < 3; i++) {
        mock_push(&mock, &flips[i], i + 1, 1);
    }
    mock_sync(&mock, 2);
    ASSERT_DONE(&mock, 1, 2);
    mock_sync(&mock, 2); /* again: nothing new */
    ASSERT_DONE(&mock, 1, 2);
    mock_sync(&mock, 3);
    ASSERT_DONE(&mock, 1, 2, 3);
    mock_fini(&mock);
}

static void a_flip_to_what_is_shown_still_takes_its_sync(void **state)
{
    struct mock mock;
    struct mock_flip flip;

    mock_init(&mock, 1);
    present_source_shown(&mock.source, 0x1000);
    mock_push(&mock, &flip, 1, 1);
    assert_int_equal(flip.done_count, 0); /* [PRES-036] */
    mock_sync(&mock, 1);
    ASSERT_DONE(&mock, 1);
    mock_fini(&mock);
}

static void mock_push_again(struct mock *mock, struct mock_flip *flip, unsigned number,
                            unsigned shows) /* its number, and that of an earlier one */
{
    mock_flip_init(mock, flip, number, 1);
    flip->base.address = shows * 0x1000ull;
    present_flip_push(&mock->source, &flip->base);
}

/* From surface 1 to 2 and back: the sync that tells 1 is the one of before. */
static void a_flip_back_does_not_end_before_the_one_that_led_away(void **state)
{
    struct mock mock;
    struct mock_flip first, away, back;

    mock_init(&mock, 2);
    mock_push(&mock, &first, 1, 1);
    mock_sync(&mock, 1);
    mock_push(&mock, &away, 2, 1);
    mock_push_again(&mock, &back, 3, 1);
    ASSERT_PROGRAMMED(&mock, 1, 2, 3);
    mock_sync(&mock, 1);
    ASSERT_DONE(&mock, 1);
    mock_sync(&mock, 2);
    ASSERT_DONE(&mock, 1, 2);
    mock_sync(&mock, 1);
    ASSERT_DONE(&mock, 1, 2, 3);
    mock_fini(&mock);
}

static void a_flip_back_ends_though_the_notice_between_was_lost(void **state)
{
    struct mock mock;
    struct mock_flip first, away, back;
    unsigned syncs = 0;

    mock_init(&mock, 2);
    mock_push(&mock, &first, 1, 1);
    mock_sync(&mock, 1);
    mock_push(&mock, &away, 2, 1);
    mock_push_again(&mock, &back, 3, 1);
    while (back.done_count == 0) {
        assert_true(syncs < 4);
        mock_sync(&mock, 1);
        syncs++;
    }
    ASSERT_DONE(&mock, 1, 2, 3);
    assert_int_equal(syncs, 3);
    mock_fini(&mock);
}

static void an_interval_counts_syncs_from_the_flip_before(void **state)
{
    for (unsigned interval = 1; interval <= 4; interval++) {
        struct mock mock;
        struct mock_flip first, second;
        unsigned syncs = 0;

        mock_init(&mock, 2);
        mock_push(&mock, &first, 1, 1);
        mock_sync(&mock, 1);
        mock_push(&mock, &second, 2, interval);
        while (second.done_count == 0) {
            assert_true(syncs < 8);
            mock_sync(&mock, mock.programmed_count == 2 ? 2 : 1);
            syncs++;
        }
        assert_int_equal(syncs, interval);
        mock_fini(&mock);
    }
}

static void a_flip_with_an_interval_waits_for_the_one_before_it(void **state)
{
    struct mock mock;
    struct mock_flip first, second;

    mock_init(&mock, 4); /* there would be room */
    mock_push(&mock, &first, 1, 1);
    mock_push(&mock, &second, 2, 2);
    ASSERT_PROGRAMMED(&mock, 1);
    mock_sync(&mock, 1);
    ASSERT_PROGRAMMED(&mock, 1);
    mock_sync(&mock, 1);
    ASSERT_PROGRAMMED(&mock, 1, 2);
    mock_sync(&mock, 2);
    ASSERT_DONE(&mock, 1, 2);
    mock_fini(&mock);
}

static void a_refused_flip_ends_with_its_status_and_the_next_goes_on(void **state)
{
    struct mock mock;
    struct mock_flip first, second;

    mock_init(&mock, 1);
    mock_flip_init(&mock, &first, 1, 1);
    first.refusal = STATUS_UNSUCCESSFUL;
    present_flip_push(&mock.source, &first.base);
    ASSERT_DONE(&mock, 1);
    assert_int_equal(first.status, STATUS_UNSUCCESSFUL);
    mock_push(&mock, &second, 2, 1);
    ASSERT_PROGRAMMED(&mock, 1, 2);
    mock_sync(&mock, 2);
    ASSERT_DONE(&mock, 1, 2);
    mock_fini(&mock);
}

static void a_sync_may_come_while_a_flip_is_programmed(void **state)
{
    struct mock mock;
    struct mock_flip flip;

    for (unsigned i = 0; i < 2; i++) {
        mock_init(&mock, 1);
        mock_flip_init(&mock, &flip, 1, 1);
        flip.latched_inside = true;
        flip.refusal = i ? STATUS_UNSUCCESSFUL : STATUS_SUCCESS; /* too late to count */
        mock.on_hardware = i; /* the mock counts no refused flip, and this one was shown */
        present_flip_push(&mock.source, &flip.base);
        assert_int_equal(flip.done_count, 1);
        assert_int_equal(flip.status, STATUS_SUCCESS);
        assert_int_equal(present_source_pending(&mock.source), 0);
        mock_fini(&mock);
    }
}

/* A reset in the middle of SetVidPnSourceAddress: the flip ends once, whatever the driver answers.
 */
static void a_flip_cancelled_while_it_is_programmed_ends_once(void **state)
{
    static const NTSTATUS answers[] = {STATUS_SUCCESS, STATUS_UNSUCCESSFUL};

    for (unsigned i = 0; i < 2; i++) {
        struct mock mock;
        struct mock_flip flip, next;

        mock_init(&mock, 1);
        mock_flip_init(&mock, &flip, 1, 1);
        flip.cancelled_inside = true;
        flip.refusal = answers[i];
        present_flip_push(&mock.source, &flip.base);
        assert_int_equal(flip.done_count, 1);
        assert_int_equal(flip.status, STATUS_CANCELLED);
        assert_int_equal(present_source_pending(&mock.source), 0);
        mock.on_hardware = 0;
        mock_push(&mock, &next, 2, 1);
        mock_sync(&mock, 2);
        ASSERT_DONE(&mock, 1, 2);
        mock_fini(&mock);
    }
}

/* Who is shown last is the newest: nobody ends before the one that is being programmed. */
static void what_waits_behind_a_flip_that_is_being_programmed_is_cancelled_behind_it(void **state)
{
    struct mock mock;
    struct mock_flip flips[3];

    mock_init(&mock, 1);
    mock_push(&mock, &flips[0], 1, 1);
    mock_flip_init(&mock, &flips[1], 2, 1);
    flips[1].cancelled_inside = true;
    present_flip_push(&mock.source, &flips[1].base);
    mock_push(&mock, &flips[2], 3, 1);
    assert_int_equal(present_source_pending(&mock.source), 3);
    mock_sync(&mock, 1);
    ASSERT_PROGRAMMED(&mock, 1, 2);
    ASSERT_DONE(&mock, 1, 2, 3);
    assert_int_equal(flips[2].status, STATUS_CANCELLED);
    assert_int_equal(present_source_pending(&mock.source), 0);
    mock_fini(&mock);
}

static void what_is_left_ends_with_the_source(void **state)
{
    struct mock mock;
    struct mock_flip flips[3];

    mock_init(&mock, 1);
    for (unsigned i = 0; i < 3; i++) {
        mock_push(&mock, &flips[i], i + 1, 1);
    }
    mock_fini(&mock);
    ASSERT_DONE(&mock, 1, 2, 3);
    assert_int_equal(flips[2].status, STATUS_CANCELLED);
    mock_fini(&(struct mock){0}); /* one that never started */
}

/* ---- Against a model ------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *random, unsigned bound)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random % bound;
}

#define RANDOM_FLIPS 96

/* Any mixture of pushes, syncs, refusals and cancellations: each flip ends once, in order among
 * those that were shown, and never more are on the hardware than it holds. */
static void random_flips_end_once_and_in_order(void **state)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t random = seed * 2654435769u + 1;
        unsigned depth = 1 + (unsigned)draw(&random, 3), pushed = 0, cancelled_to = 0;
        static struct mock_flip flips[RANDOM_FLIPS];
        struct mock mock;

        mock_init(&mock, depth);
        while (pushed < RANDOM_FLIPS) {
            switch (draw(&random, 8)) {
            case 0:
                present_source_cancel(&mock.source, STATUS_CANCELLED);
                cancelled_to = pushed;
                mock.on_hardware = 0;
                break;
            case 1:
            case 2:
            case 3: {
                unsigned last =
                    mock.programmed_count ? mock.programmed[mock.programmed_count - 1] : 0;
                mock_sync(&mock, draw(&random, 4) ? last : 0);
                break;
            }
            default:
                mock_flip_init(&mock, &flips[pushed], pushed + 1, (unsigned)draw(&random, 5));
                flips[pushed].refusal = draw(&random, 8) ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
                pushed++;
                present_flip_push(&mock.source, &flips[pushed - 1].base);
            }
            assert_int_equal(present_source_pending(&mock.source), pushed - mock.done_count);
            assert_true(mock.on_hardware_max <= depth);
            for (unsigned i = 0; i < cancelled_to; i++) {
                assert_int_equal(flips[i].done_count, 1);
            }
        }
        mock_fini(&mock);
        unsigned last_shown = 0;
        for (unsigned i = 0; i < mock.done_count; i++) {
            struct mock_flip *flip = &flips[mock.done[i] - 1];
            assert_int_equal(flip->done_count, 1);
            if (flip->status == STATUS_SUCCESS) {
                assert_true(flip->number > last_shown);
                last_shown = flip->number;
            }
        }
        assert_int_equal(mock.done_count, RANDOM_FLIPS);
    }
}

/* As hardware has it that takes some flips only when none waits in it. */
static void a_flip_that_is_refused_for_now_comes_again_when_no_other_is_programmed(void **state)
{
    struct mock mock;
    struct mock_flip flips[3];

    mock_init(&mock, 3);
    mock_push(&mock, &flips[0], 1, 1);
    mock_flip_init(&mock, &flips[1], 2, 1);
    flips[1].refusal = STATUS_RETRY;
    present_flip_push(&mock.source, &flips[1].base);
    mock_push(&mock, &flips[2], 3, 1);
    ASSERT_PROGRAMMED(&mock, 1, 2); /* and none behind it */
    assert_int_equal(present_source_waiting(&mock.source), 2);
    flips[1].refusal = STATUS_SUCCESS;
    mock_sync(&mock, 1);
    ASSERT_PROGRAMMED(&mock, 1, 2, 2, 3);
    mock_sync(&mock, 3);
    ASSERT_DONE(&mock, 1, 2, 3);
    mock_fini(&mock);
}

static bool is_above(const struct present_flip *flip, const void *limit)
{
    return flip->address > *(const uint64_t *)limit;
}

static void the_newest_flips_can_be_taken_back(void **state)
{
    struct mock mock;
    struct mock_flip flips[4];
    const uint64_t limit = 0x2000;

    mock_init(&mock, 3);
    for (unsigned i = 0; i < 4; i++) {
        mock_push(&mock, &flips[i], i + 1, 1);
    }
    assert_ptr_equal(present_source_last_of(&mock.source, is_above, &limit), &flips[2].base);
    assert_int_equal(present_source_end_those(&mock.source, is_above, &limit, STATUS_CANCELLED), 1);
    ASSERT_DONE(&mock, 3);
    assert_int_equal(flips[2].status, STATUS_CANCELLED);
    assert_null(present_source_last_of(&mock.source, is_above, &limit));
    mock_sync(&mock, 2);
    mock_sync(&mock, 4);
    ASSERT_DONE(&mock, 3, 1, 2, 4);
    mock_fini(&mock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flip_ends_with_the_sync_that_reports_its_address),
        cmocka_unit_test(no_more_flips_are_programmed_than_the_hardware_holds),
        cmocka_unit_test(a_sync_ends_every_flip_up_to_its_address),
        cmocka_unit_test(a_flip_to_what_is_shown_still_takes_its_sync),
        cmocka_unit_test(a_flip_back_does_not_end_before_the_one_that_led_away),
        cmocka_unit_test(a_flip_back_ends_though_the_notice_between_was_lost),
        cmocka_unit_test(an_interval_counts_syncs_from_the_flip_before),
        cmocka_unit_test(a_flip_with_an_interval_waits_for_the_one_before_it),
        cmocka_unit_test(a_refused_flip_ends_with_its_status_and_the_next_goes_on),
        cmocka_unit_test(a_sync_may_come_while_a_flip_is_programmed),
        cmocka_unit_test(a_flip_cancelled_while_it_is_programmed_ends_once),
        cmocka_unit_test(what_waits_behind_a_flip_that_is_being_programmed_is_cancelled_behind_it),
        cmocka_unit_test(what_is_left_ends_with_the_source),
        cmocka_unit_test(a_flip_that_is_refused_for_now_comes_again_when_no_other_is_programmed),
        cmocka_unit_test(the_newest_flips_can_be_taken_back),
        cmocka_unit_test(random_flips_end_once_and_in_order),
    };

    return cmocka_run_group_tests_name("present/flip", tests, NULL, NULL);
}
