/* Offers that are reclaimed by a paging queue, trimmed commitment, reservations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vidmm/space_fixture.h"

static void offer(struct vidmm_allocation *item)
{
    struct vidmm_wait wait;

    assert_int_equal(vidmm_offer(item, &wait), STATUS_SUCCESS);
}

static NTSTATUS reclaim(struct fixture *fixture, struct vidmm_allocation *item, bool *discarded,
                        uint64_t *value)
{
    const struct vidmm_reclaim_request request = {
        .allocations = &item, .count = 1, .discarded = discarded};

    return vidmm_reclaim_list(&fixture->queue, &fixture->list, &request, value);
}

static uint64_t trim(struct fixture *fixture, uint64_t bytes, bool only_out)
{
    const struct vidmm_trim what = {.wanted_bytes = bytes, .only_out = only_out};

    return vidmm_account_trim(&fixture->account, &what);
}

static struct vidmm_allocation *resident(struct fixture *fixture, unsigned pages, uint32_t set)
{
    struct vidmm_allocation *item = make(fixture, pages, set, 0);
    struct vidmm_make_result made;

    assert_true(NT_SUCCESS(list_one(fixture, item, 0, &made)));
    run(fixture);
    return item;
}

static void what_stayed_is_reclaimed_at_once(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = resident(fixture, 4, 2);
    uint64_t value = 7;
    bool discarded = true;

    offer(item);
    assert_int_equal(reclaim(fixture, item, &discarded, &value), STATUS_SUCCESS);
    assert_false(discarded);
    assert_int_equal(value, 0);
}

/* Until it is reclaimed its list does without. */
static void what_left_comes_back_when_it_is_reclaimed(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = resident(fixture, 10, 2), *other = resident(fixture, 4, 2);
    struct vidmm_prepare_result result;
    struct vidmm_wait wait;
    uint64_t value;
    bool discarded = false;

    offer(item);
    assert_int_equal(vidmm_evict(item, &wait), STATUS_SUCCESS);
    run(fixture);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_int_equal(item->segment, 0);
    assert_int_equal(other->segment, 2);
    vidmm_use_retire(&fixture->use);

    assert_int_equal(reclaim(fixture, item, &discarded, &value), STATUS_PENDING);
    assert_true(discarded);
    assert_int_not_equal(value, 0);
    run(fixture);
    assert_int_equal(fixture->queue.signalled, value);
    assert_int_equal(item->segment, 2);
}

/* Whoever is in the way of its return leaves first. */
static void a_return_waits_for_room(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = resident(fixture, 10, 2), *theirs = make(fixture, 10, 2, 0);
    const struct vidmm_make_request request = {.allocations = &theirs, .count = 1};
    struct vidmm_make_result made;
    struct vidmm_prepare_result result;
    uint64_t value;
    bool discarded = false;

    offer(item);
    assert_int_equal(vidmm_make_resident(&fixture->queue, &fixture->other_list, &request, &made),
                     STATUS_PENDING);
    run(fixture);
    assert_int_equal(item->segment, 0); /* what is offered goes first */
    vidmm_prepare_list(&fixture->use, &fixture->other_list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_int_equal(reclaim(fixture, item, &discarded, &value), STATUS_PENDING);
    assert_true(discarded);
    run(fixture);
    assert_int_equal(fixture->queue.signalled, value - 1);
    vidmm_use_retire(&fixture->use);
    assert_true(vidmm_queues_run(fixture->gpu.vidmm));
    run(fixture);
    assert_int_equal(fixture->queue.signalled, value);
    assert_int_equal(item->segment, 2);
}

/* A request of MakeResident and one that reclaims name the same: both let go of it. */
static void what_goes_while_its_return_waits_is_forgotten(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = resident(fixture, 10, 2);
    struct vidmm_make_result made;
    uint64_t value, trim_bytes;
    bool discarded = false;
    struct vidmm_wait wait;

    offer(item);
    assert_int_equal(vidmm_evict(item, &wait), STATUS_SUCCESS);
    run(fixture);
    assert_int_equal(reclaim(fixture, item, &discarded, &value), STATUS_PENDING);
    assert_int_equal(list_one(fixture, item, 0, &made), STATUS_PENDING);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(vidmm_evict_list(&fixture->list, &item, 1, &trim_bytes), STATUS_SUCCESS);
    }
    run(fixture);
    assert_int_equal(fixture->queue.signalled, made.fence_value);
}

/* The old call names no queue: its list has it back before its device runs. */
static void the_first_form_leaves_it_to_the_list(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = resident(fixture, 4, 2);
    struct vidmm_prepare_result result;
    struct vidmm_wait wait;
    bool discarded = false;

    offer(item);
    assert_int_equal(vidmm_evict(item, &wait), STATUS_SUCCESS);
    run(fixture);
    vidmm_reclaim(item, &discarded);
    assert_true(discarded);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_int_equal(item->segment, 2);
    run(fixture);
    vidmm_use_retire(&fixture->use);
}

/* Video memory, plain pages and what is nowhere; the oldest first, and no more than is wanted. */
static void trimming_throws_away_what_is_offered(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *local = resident(fixture, 4, 2), *shared = resident(fixture, 4, 4),
                            *kept = resident(fixture, 4, 2);
    struct vidmm_statistics before, after;

    assert_int_equal(trim(fixture, UINT64_MAX, false), 0);
    vidmm_statistics(fixture->gpu.vidmm, &before);
    offer(local);
    offer(shared);
    assert_int_equal(trim(fixture, UINT64_MAX, true), 0);
    assert_int_equal(trim(fixture, PAGE, false), 4 * PAGE);
    assert_int_equal(local->segment, 0);
    assert_int_not_equal(shared->segment, 0);
    run(fixture);
    assert_int_equal(trim(fixture, UINT64_MAX, false), 4 * PAGE);
    assert_int_equal(shared->segment, 0);
    assert_int_equal(kept->segment, 2);
    run(fixture);
    vidmm_statistics(fixture->gpu.vidmm, &after);
    assert_int_equal(after.backing_bytes, before.backing_bytes - 4 * PAGE);
    assert_int_equal(trim(fixture, UINT64_MAX, false), 0);
}

static void what_is_reserved_is_no_part_of_what_is_shared(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_account *mine = &fixture->account, other;
    struct vidmm_account_info info;

    vidmm_account_init(&other, fixture->gpu.vidmm);
    vidmm_account_info(mine, VIDMM_GROUP_LOCAL, &info);
    uint64_t share = info.budget_bytes, most = info.reservable_bytes;
    assert_int_equal(vidmm_account_reserve(mine, VIDMM_GROUP_LOCAL, most + 1),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(vidmm_account_reserve(mine, VIDMM_GROUP_LOCAL, most), STATUS_SUCCESS);
    vidmm_account_info(mine, VIDMM_GROUP_LOCAL, &info);
    assert_int_equal(info.budget_bytes, share + most / 2);
    assert_int_equal(info.reservation_bytes, most);
    assert_int_equal(info.reservable_bytes, most);
    vidmm_account_info(&other, VIDMM_GROUP_LOCAL, &info);
    assert_int_equal(info.budget_bytes, share - most / 2);
    assert_int_equal(info.reservable_bytes, 0);
    vidmm_account_fini(&other);
    assert_int_equal(vidmm_account_reserve(mine, VIDMM_GROUP_LOCAL, 0), STATUS_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPACE_TEST(what_stayed_is_reclaimed_at_once),
        SPACE_TEST(what_left_comes_back_when_it_is_reclaimed),
        SPACE_TEST(what_goes_while_its_return_waits_is_forgotten),
        SPACE_TEST(a_return_waits_for_room),
        SPACE_TEST(the_first_form_leaves_it_to_the_list),
        SPACE_TEST(trimming_throws_away_what_is_offered),
        SPACE_TEST(what_is_reserved_is_no_part_of_what_is_shared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
