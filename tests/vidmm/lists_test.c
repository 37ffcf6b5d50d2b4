/* Residency lists and the fences of paging queues, one call at a time; and whose areas are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vidmm/space_fixture.h"

static void a_list_holds_what_is_on_it_while_it_runs(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *mine = make(fixture, 10, 2, 0), *other = make(fixture, 10, 2, 0);
    struct vidmm_make_result made;
    struct vidmm_prepare_result result;
    struct vidmm_wait wait;
    uint64_t trim;

    assert_int_equal(list_one(fixture, mine, 0, &made), STATUS_PENDING);
    run(fixture);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_int_equal(vidmm_evict(mine, &wait), STATUS_PENDING);
    assert_int_equal(wait.kind, VIDMM_WAIT_USE);

    /* There is no room for the other one until it has run. */
    assert_int_equal(list_one(fixture, other, VIDMM_MAKE_CANT_TRIM, &made), STATUS_NO_MEMORY);
    assert_true(made.trim_bytes > 0);
    const struct vidmm_make_request request = {.allocations = &other, .count = 1};
    assert_int_equal(vidmm_make_resident(&fixture->queue, &fixture->other_list, &request, &made),
                     STATUS_PENDING);
    assert_false(vidmm_queues_run(fixture->gpu.vidmm));
    run(fixture);
    assert_int_equal(fixture->queue.signalled, made.fence_value - 1);
    vidmm_use_retire(&fixture->use);
    assert_true(vidmm_queues_run(fixture->gpu.vidmm));
    run(fixture);
    assert_int_equal(fixture->queue.signalled, made.fence_value);

    /* Now the first is missing, and comes back before its device runs. */
    assert_int_equal(mine->segment, 0);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_int_not_equal(result.paging_sequence, 0);
    assert_int_equal(mine->segment, 2);
    assert_int_equal(vidmm_evict_list(&fixture->list, &mine, 1, &trim), STATUS_SUCCESS);
}

/* Work that finds no room is tried again when somebody has let go of some, and not because it made
 * others leave: several lists would make each other leave for ever. */
static void what_a_try_in_vain_evicts_is_no_release(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm *vidmm = fixture->gpu.vidmm;
    struct vidmm_allocation *mine = make(fixture, 6, 2, 0), *idle = make(fixture, 10, 2, 0),
                            *theirs[] = {make(fixture, 4, 2, 0), make(fixture, 8, 2, 0)};
    const struct vidmm_make_request request = {.allocations = theirs, .count = 2};
    struct vidmm_make_result made;
    struct vidmm_prepare_result result;
    struct vidmm_use use;
    uint64_t trim;

    vidmm_use_init(&use, vidmm);
    assert_int_equal(vidmm_make_resident(&fixture->queue, &fixture->other_list, &request, &made),
                     STATUS_PENDING);
    run(fixture);
    assert_int_equal(list_one(fixture, mine, 0, &made), STATUS_PENDING);
    assert_int_equal(list_one(fixture, idle, 0, &made), STATUS_PENDING);
    run(fixture);
    assert_int_equal(vidmm_evict_list(&fixture->list, &idle, 1, &trim), STATUS_SUCCESS);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);

    uint64_t releases = vidmm_releases(vidmm);
    vidmm_prepare_list(&use, &fixture->other_list, &result);
    assert_int_equal(result.outcome, VIDMM_WAIT);
    assert_int_equal(idle->segment, 0);
    run(fixture);
    assert_int_equal(vidmm_releases(vidmm), releases);
    vidmm_use_retire(&fixture->use);
    assert_int_not_equal(vidmm_releases(vidmm), releases);
    vidmm_prepare_list(&use, &fixture->other_list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    vidmm_use_fini(&use);
}

/* Two requests ask for it, and it is destroyed while the second one waits for room. */
static void a_request_forgets_what_is_destroyed(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *mine = make(fixture, 10, 2, 0), *other = make(fixture, 10, 2, 0);
    const struct vidmm_make_request request = {.allocations = &other, .count = 1};
    struct vidmm_make_result made;
    struct vidmm_prepare_result result;
    struct vidmm_wait wait;

    assert_int_equal(list_one(fixture, mine, 0, &made), STATUS_PENDING);
    run(fixture);
    assert_int_equal(vidmm_make_resident(&fixture->queue, &fixture->other_list, &request, &made),
                     STATUS_PENDING);
    run(fixture);
    assert_int_equal(mine->segment, 0);
    vidmm_prepare_list(&fixture->use, &fixture->other_list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_int_equal(list_one(fixture, mine, VIDMM_MAKE_MUST_SUCCEED, &made), STATUS_PENDING);

    do {
        assert_int_equal(vidmm_allocation_retire(mine, &wait), STATUS_SUCCESS);
        run(fixture);
    } while (wait.paging_sequence != 0);
    vidmm_use_retire(&fixture->use);
    (void)vidmm_queues_run(fixture->gpu.vidmm);
    run(fixture);
    assert_int_equal(mine->segment, 0);
    assert_int_equal(fixture->queue.signalled, made.fence_value);
}

/* It all fits, but not as it lies: the list's own memory moves. */
static void a_list_with_holes_between_is_placed_anew(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *large = make(fixture, 8, 2, 0), *first = make(fixture, 4, 2, 0),
                            *hole = make(fixture, 4, 2, 0), *last = make(fixture, 4, 2, 0);
    const struct vidmm_make_request request = {.allocations = &hole, .count = 1};
    struct vidmm_make_result made;
    struct vidmm_prepare_result result;
    struct vidmm_wait wait;

    assert_int_equal(list_one(fixture, large, 0, &made), STATUS_PENDING);
    run(fixture);
    assert_int_equal(vidmm_evict(large, &wait), STATUS_SUCCESS);
    assert_int_equal(list_one(fixture, first, 0, &made), STATUS_PENDING);
    assert_int_equal(vidmm_make_resident(&fixture->queue, &fixture->other_list, &request, &made),
                     STATUS_PENDING);
    assert_int_equal(list_one(fixture, last, 0, &made), STATUS_PENDING);
    run(fixture);
    assert_int_equal(last->offset - first->offset, 8 * PAGE);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_int_equal(large->segment, 2);
    assert_int_equal(first->segment, 2);
    assert_int_equal(last->segment, 2);
    run(fixture);
    vidmm_use_retire(&fixture->use);
}

/* Work that was submitted before it was told to be elsewhere runs behind that, and finds it. */
static void what_is_to_be_elsewhere_is_waited_for(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *mine = make(fixture, 10, 4, 0), *theirs = make(fixture, 10, 2, 0);
    const struct vidmm_make_request request = {.allocations = &theirs, .count = 1};
    const struct vidmm_properties elsewhere = {.set_segments = true, .segments = 2};
    struct vidmm_update_result updated;
    struct vidmm_make_result made;
    struct vidmm_prepare_result result;
    struct vidmm_use use;

    vidmm_use_init(&use, fixture->gpu.vidmm);
    assert_int_equal(vidmm_make_resident(&fixture->queue, &fixture->other_list, &request, &made),
                     STATUS_PENDING);
    run(fixture);
    vidmm_prepare_list(&use, &fixture->other_list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_true(NT_SUCCESS(list_one(fixture, mine, 0, &made)));
    run(fixture);
    assert_int_equal(mine->segment, 3);
    assert_int_equal(vidmm_update_allocation(&fixture->queue, &fixture->list, mine, &elsewhere,
                                             &updated),
                     STATUS_PENDING);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_WAIT); /* the other one runs */
    run(fixture);
    vidmm_use_retire(&use);
    vidmm_use_fini(&use);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_int_equal(mine->segment, 2);
    run(fixture);
    (void)vidmm_queues_run(fixture->gpu.vidmm);
    run(fixture);
    assert_int_equal(fixture->queue.signalled, updated.fence_value);
    vidmm_use_retire(&fixture->use);
}

/* So many bytes are there, but something that never moves lies between them. */
static void holes_are_no_room(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *before = make(fixture, 6, 2, 0), *pinned = make(fixture, 2, 2, 0),
                            *first = make(fixture, 7, 2, 0), *second = make(fixture, 7, 2, 0),
                            *small = make(fixture, 6, 2, 0);
    struct vidmm_prepare_result result;
    struct vidmm_make_result made;
    struct vidmm_pin pin = {0}, other = {0};
    struct vidmm_wait wait;

    vidmm_pin(&other, before, &result);
    vidmm_pin(&pin, pinned, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_int_equal(pinned->offset, 6 * PAGE);
    vidmm_unpin(&other);
    run(fixture);
    assert_int_equal(vidmm_evict(before, &wait), STATUS_SUCCESS);
    assert_int_equal(list_one(fixture, first, 0, &made), STATUS_PENDING);
    run(fixture);
    assert_int_equal(list_one(fixture, second, VIDMM_MAKE_CANT_TRIM, &made), STATUS_NO_MEMORY);
    assert_int_equal(made.trim_bytes, 7 * PAGE);
    assert_int_equal(fixture->list.size_bytes, 7 * PAGE);
    assert_true(NT_SUCCESS(list_one(fixture, small, VIDMM_MAKE_CANT_TRIM, &made)));
    run(fixture);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    run(fixture);
    vidmm_use_retire(&fixture->use);
    vidmm_unpin(&pin);
}

/* A client is told how much is too much for the computer, too; what is offered goes first. */
static void system_memory_has_an_end(void **state)
{
    enum { FRAMES_MAX = 4096 };
    struct fixture *fixture = *state;
    struct vidmm_allocation *offered = make(fixture, 4, 4, 0), *item = make(fixture, 4, 4, 0);
    static uint64_t frames[FRAMES_MAX];
    const struct ram_request one = {.page_count = 1};
    struct vidmm_make_result made;
    struct vidmm_wait wait;
    size_t count = 0;

    assert_true(NT_SUCCESS(list_one(fixture, offered, 0, &made)));
    run(fixture);
    while (count < FRAMES_MAX && NT_SUCCESS(ram_alloc_frames(&one, &frames[count]))) {
        count++;
    }
    assert_true(count < FRAMES_MAX);
    assert_int_equal(list_one(fixture, item, 0, &made), STATUS_NO_MEMORY);
    assert_int_equal(made.trim_bytes, 4 * PAGE);
    assert_int_equal(vidmm_offer(offered, &wait), STATUS_SUCCESS);
    assert_int_equal(vidmm_evict(offered, &wait), STATUS_SUCCESS);
    run(fixture);
    assert_true(NT_SUCCESS(list_one(fixture, item, 0, &made)));
    assert_true(offered->discarded);
    run(fixture);
    while (count > 0) {
        ram_free_frames(&frames[--count], 1);
    }
}

static void what_is_listed_is_counted(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 2, 2, 0);
    struct vidmm_allocation *const twice[] = {item, item}, *const thrice[] = {item, item, item};
    struct vidmm_make_result made;
    uint64_t trim;
    const struct vidmm_make_request request = {.allocations = twice, .count = 2};

    assert_int_equal(vidmm_make_resident(&fixture->queue, &fixture->list, &request, &made),
                     STATUS_PENDING);
    run(fixture);
    assert_int_equal(vidmm_evict_list(&fixture->list, thrice, 3, &trim), STATUS_INVALID_PARAMETER);
    assert_int_equal(vidmm_evict_list(&fixture->list, twice, 1, &trim), STATUS_SUCCESS);
    assert_int_equal(fixture->list.size_bytes, 2 * PAGE);
    assert_int_equal(vidmm_evict_list(&fixture->list, twice, 1, &trim), STATUS_SUCCESS);
    assert_int_equal(fixture->list.size_bytes, 0);
    assert_int_equal(vidmm_evict_list(&fixture->list, twice, 1, &trim), STATUS_INVALID_PARAMETER);
}

/* What never fits is refused with the bytes that it is too much. */
static void more_than_there_is_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *first = make(fixture, 10, 2, 0), *second = make(fixture, 70, 3, 0);
    struct vidmm_make_result made;

    assert_int_equal(list_one(fixture, first, 0, &made), STATUS_PENDING);
    assert_int_equal(list_one(fixture, second, VIDMM_MAKE_MUST_SUCCEED, &made), STATUS_NO_MEMORY);
    assert_int_equal(fixture->list.size_bytes, 10 * PAGE);
    run(fixture);
    assert_int_equal(fixture->queue.signalled, 1);
}

static void fences_of_a_queue_come_in_order(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 2, 2, 0);
    struct vidmm_make_result made;
    uint64_t value, sequence;

    assert_int_equal(vidmm_queue_after(&fixture->queue, 0, &value), STATUS_SUCCESS);
    assert_int_equal(value, 0);
    assert_int_equal(list_one(fixture, item, 0, &made), STATUS_PENDING);
    sequence = vidmm_paging_queued(fixture->gpu.vidmm);
    assert_int_equal(vidmm_queue_after(&fixture->queue, sequence - 1, &value), STATUS_PENDING);
    assert_int_equal(value, 2);
    mock_gpu_pull(&fixture->gpu);
    while (!vidmm_paging_reached(fixture->gpu.vidmm, sequence - 1)) {
        assert_int_equal(fixture->queue.signalled, 0);
        assert_true(mock_gpu_run_one(&fixture->gpu));
    }
    assert_int_equal(fixture->queue.signalled, 0); /* the first one's is not reached */
    run(fixture);
    assert_int_equal(fixture->queue.signalled, 2);
    assert_int_equal(fixture->gpu.signalled, 1);
}

/* Whoever runs with a list says nothing of what he writes: what is told to be kept in system memory
 * as well comes back with what was written since. */
static void what_the_gpu_wrote_by_address_leaves_with_it(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 4, 2, VIDMM_ALLOCATION_PERMANENT_SYSMEM);
    struct vidmm_make_result made;
    struct vidmm_wait wait;

    assert_int_equal(list_one(fixture, item, 0, &made), STATUS_PENDING);
    run(fixture);
    for (uint8_t turn = 1; turn <= 2; turn++) {
        *mock_gpu_at(&fixture->gpu, 2, item->offset) = turn;
        assert_int_equal(vidmm_evict(item, &wait), STATUS_SUCCESS);
        run(fixture);
        assert_int_equal(*(uint8_t *)ram_at(item->frames[0] * PAGE, PAGE), turn);
        struct vidmm_prepare_result result;
        vidmm_prepare_list(&fixture->use, &fixture->list, &result);
        assert_int_equal(result.outcome, VIDMM_READY);
        run(fixture);
        assert_int_equal(*mock_gpu_at(&fixture->gpu, 2, item->offset), turn);
        vidmm_use_retire(&fixture->use);
    }
}

static NTSTATUS show_page(struct fixture *fixture, struct vidmm_allocation *item, uint64_t page,
                          uint64_t address, bool systems)
{
    const struct vidmm_map_request request = {.allocation = item,
                                              .base = address,
                                              .page_first = page,
                                              .page_count = 1,
                                              .systems = systems};
    struct vidmm_wait wait;
    uint64_t got;

    return vidmm_space_map(&fixture->space, &request, &got, &wait);
}

/* Context memory, page by page, in what is one area; and beside something else of the kernel's. */
static void what_is_free_beside_the_kernels_is_its_drivers(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *kernels = make(fixture, 1, 2, 0), *drivers = make(fixture, 2, 2, 0);
    uint64_t first = fixture->space.page_start * PAGE;
    struct vidmm_wait wait;

    assert_int_equal(show_page(fixture, kernels, 0, first, true), STATUS_SUCCESS);
    assert_int_equal(show_page(fixture, drivers, 0, first, true), STATUS_INVALID_PARAMETER);
    assert_int_equal(show_page(fixture, drivers, 0, first + PAGE, true), STATUS_SUCCESS);
    assert_int_equal(show_page(fixture, drivers, 1, first + 2 * PAGE, true), STATUS_SUCCESS);
    assert_int_equal(show_page(fixture, drivers, 1, first + 3 * PAGE, false),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(vidmm_space_free(&fixture->space, first, PAGE, &wait),
                     STATUS_INVALID_PARAMETER);
    run(fixture);
    /* The driver's stays when the kernel's goes. */
    assert_int_equal(vidmm_space_free_systems(&fixture->space, first, PAGE, &wait), STATUS_SUCCESS);
    assert_int_equal(show_page(fixture, drivers, 0, first + PAGE, true), STATUS_INVALID_PARAMETER);
    assert_int_equal(show_page(fixture, kernels, 0, first, true), STATUS_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPACE_TEST(a_list_holds_what_is_on_it_while_it_runs),
        SPACE_TEST(what_a_try_in_vain_evicts_is_no_release),
        SPACE_TEST(a_request_forgets_what_is_destroyed),
        SPACE_TEST(a_list_with_holes_between_is_placed_anew),
        SPACE_TEST(what_is_to_be_elsewhere_is_waited_for),
        SPACE_TEST(holes_are_no_room),
        SPACE_TEST(system_memory_has_an_end),
        SPACE_TEST(what_is_listed_is_counted),
        SPACE_TEST(more_than_there_is_is_refused),
        SPACE_TEST(fences_of_a_queue_come_in_order),
        SPACE_TEST(what_the_gpu_wrote_by_address_leaves_with_it),
        SPACE_TEST(what_is_free_beside_the_kernels_is_its_drivers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
