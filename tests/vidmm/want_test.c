/* Want of system memory: page tables that lie there make way for others, when that helps. */
#include "vidmm/internal.h"
#include "vidmm/space_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MEMORY = 1 << 1, APERTURE = 1 << 2 }; /* segments 2 and 3 */

static struct {
    uint64_t *frames;
    size_t count;
} taken;

/* All of the computer's memory but so many pages. */
static void leave_pages(size_t left)
{
    taken.count = ram_free_bytes() / PAGE - left;
    taken.frames = malloc(taken.count * sizeof *taken.frames);
    const struct ram_request request = {.page_count = taken.count};

    assert_non_null(taken.frames);
    assert_int_equal(ram_alloc_frames(&request, taken.frames), STATUS_SUCCESS);
}

static void give_back(void)
{
    ram_free_frames(taken.frames, taken.count);
    free(taken.frames);
}

/* An allocation with memory of the system, of no process's account. */
static struct vidmm_allocation *make_of_others(struct fixture *fixture, unsigned pages)
{
    struct vidmm_allocation *item = &fixture->items[fixture->count++];
    const struct vidmm_allocation_options options = {.size_bytes = pages * PAGE,
                                                     .read_segments = APERTURE,
                                                     .write_segments = APERTURE,
                                                     .flags = VIDMM_ALLOCATION_VIRTUAL};
    struct vidmm_prepare_result result;
    struct vidmm_pin pin = {0};

    assert_int_equal(vidmm_allocation_init(item, fixture->gpu.vidmm, &options), STATUS_SUCCESS);
    vidmm_pin(&pin, item, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    run(fixture);
    vidmm_unpin(&pin);
    return item;
}

/* The last one made goes. */
static void retire(struct fixture *fixture, struct vidmm_allocation *item)
{
    struct vidmm_wait wait;

    assert_ptr_equal(item, &fixture->items[--fixture->count]);
    do {
        assert_int_equal(vidmm_allocation_retire(item, &wait), STATUS_SUCCESS);
        run(fixture);
    } while (wait.paging_sequence != 0);
    vidmm_allocation_fini(item);
}

static int set_up_system(void **state)
{
    *state = make_fixture(VIDMM_UPDATE_GPU_PHYSICAL, VIDMM_MMU_READ_ONLY, 0, false);
    return 0;
}

static int set_up_cpu(void **state)
{
    *state = make_fixture(VIDMM_UPDATE_CPU, VIDMM_MMU_READ_ONLY, 0, false);
    return 0;
}

/* They go when nobody keeps them, and come back when there is memory again. */
static void tables_make_way_in_system_memory(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, APERTURE, 0);
    struct vidmm_allocation *late = make(fixture, 8, APERTURE, 0);
    struct vidmm_prepare_result result;
    struct vidmm_make_result made;
    struct vidmm_pin pin = {0};
    struct vidmm_wait wait;
    uint64_t page = map(fixture, item) / PAGE;

    assert_int_equal(list_one(fixture, item, 0, &made), STATUS_PENDING);
    run(fixture);
    leave_pages(late->size_bytes / PAGE - 1);
    assert_int_equal(vidmm_space_keep_tables(&fixture->space, &wait), STATUS_SUCCESS);
    vidmm_pin(&pin, late, &result);
    assert_int_equal(result.outcome, VIDMM_FAILED);
    assert_int_equal(result.status, STATUS_NO_MEMORY);
    assert_non_null(fixture->space.root);
    vidmm_space_let_tables_go(&fixture->space);
    uint64_t releases = vidmm_releases(fixture->gpu.vidmm);
    vidmm_pin(&pin, late, &result);
    assert_int_equal(result.outcome, VIDMM_WAIT);
    assert_int_equal(result.wait.kind, VIDMM_WAIT_PAGING);
    assert_null(fixture->space.root);
    run(fixture);
    assert_true(vidmm_paging_reached(fixture->gpu.vidmm, result.wait.paging_sequence));
    assert_true(vidmm_releases(fixture->gpu.vidmm) > releases);
    vidmm_pin(&pin, late, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    vidmm_unpin(&pin);
    give_back();
    assert_int_equal(vidmm_space_keep_tables(&fixture->space, &wait), STATUS_SUCCESS);
    run(fixture);
    assert_true(mock_mmu_walk(&fixture->gpu, &fixture->space, page + 2).valid);
    vidmm_space_let_tables_go(&fixture->space);
}

/* What they have is not enough. */
static void tables_stay_where_that_would_not_help(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, APERTURE, 0);
    struct vidmm_allocation *late = make(fixture, 20, APERTURE, 0);
    struct vidmm_prepare_result result;
    struct vidmm_pin pin = {0};

    map(fixture, item);
    run(fixture);
    leave_pages(1);
    assert_true(fixture->space.table_count + 1 < 20);
    vidmm_pin(&pin, late, &result);
    assert_int_equal(result.outcome, VIDMM_FAILED);
    assert_int_equal(result.status, STATUS_NO_MEMORY);
    assert_non_null(fixture->space.root);
    give_back();
}

/* Whoever wants memory waits: a lock, a list, and a table of another space. */
static void who_wants_system_memory_waits_for_it(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, APERTURE, 0);
    struct vidmm_allocation *seen = make(fixture, 2, APERTURE, VIDMM_ALLOCATION_CPU_VISIBLE);
    struct vidmm_wait wait;
    void *bytes;

    map(fixture, item);
    run(fixture);
    leave_pages(1);
    assert_int_equal(vidmm_lock(seen, VIDMM_LOCK_DO_NOT_WAIT, &bytes, &wait),
                     STATUS_GRAPHICS_ALLOCATION_BUSY);
    assert_null(fixture->space.root);
    assert_int_equal(vidmm_lock(seen, 0, &bytes, &wait), STATUS_PENDING);
    assert_int_equal(wait.kind, VIDMM_WAIT_PAGING);
    run(fixture);
    assert_true(vidmm_paging_reached(fixture->gpu.vidmm, wait.paging_sequence));
    assert_int_equal(vidmm_lock(seen, 0, &bytes, &wait), STATUS_SUCCESS);
    assert_int_equal(vidmm_unlock(seen), STATUS_SUCCESS);
    give_back();
}

static void a_list_waits_for_system_memory(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, APERTURE, 0);
    struct vidmm_allocation *late = make(fixture, 3, APERTURE, 0);
    struct vidmm_make_result made;

    map(fixture, item);
    run(fixture);
    leave_pages(1);
    assert_int_equal(list_one(fixture, late, 0, &made), STATUS_PENDING);
    assert_int_equal(late->segment, 0);
    assert_null(fixture->space.root);
    run(fixture);
    vidmm_queues_run(fixture->gpu.vidmm);
    run(fixture);
    assert_int_equal(late->segment, 3);
    give_back();
}

static void a_table_waits_for_those_of_another_space(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, APERTURE, 0);
    const struct vidmm_map_request request = {.allocation = item, .page_count = 3};
    struct vidmm_space other;
    struct vidmm_wait wait;
    uint64_t address;

    begin(fixture, &other, &(struct vidmm_space_options){.account = &fixture->account});
    map(fixture, item);
    run(fixture);
    leave_pages(0);
    assert_int_equal(vidmm_space_map(&other, &request, &address, &wait), STATUS_PENDING);
    assert_int_equal(wait.kind, VIDMM_WAIT_PAGING);
    assert_null(fixture->space.root);
    assert_non_null(other.root);
    run(fixture);
    assert_int_equal(vidmm_space_map(&other, &request, &address, &wait), STATUS_SUCCESS);
    run(fixture);
    assert_int_equal(vidmm_space_free(&other, address, item->size_bytes, &wait), STATUS_SUCCESS);
    run(fixture);
    end(fixture, &other);
    give_back();
}

/* What a process's tables had belongs to others now: its list waits for them, and may go on when
 * they gave it back. */
static void a_list_waits_for_what_its_tables_had(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, APERTURE, 0);
    struct vidmm_prepare_result result;
    struct vidmm_make_result made;

    map(fixture, item);
    assert_int_equal(list_one(fixture, item, 0, &made), STATUS_PENDING);
    run(fixture);
    vidmm_residency_sees(&fixture->list, &fixture->space);
    assert_int_equal(vidmm_space_evict_tables(&fixture->space), STATUS_SUCCESS);
    run(fixture);
    struct vidmm_allocation *others = make_of_others(fixture, 8);
    leave_pages(0);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_WAIT);
    assert_int_equal(result.wait.kind, VIDMM_WAIT_OTHERS);
    assert_int_equal(result.status, STATUS_NO_MEMORY);
    uint64_t releases = vidmm_releases(fixture->gpu.vidmm);
    retire(fixture, others);
    assert_true(vidmm_releases(fixture->gpu.vidmm) > releases);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    run(fixture);
    vidmm_use_retire(&fixture->use);
    give_back();
}

/* Nobody has it who could give it back. */
static void a_list_does_not_wait_for_what_nobody_has(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, APERTURE, 0);
    struct vidmm_prepare_result result;

    map(fixture, item);
    run(fixture);
    vidmm_residency_sees(&fixture->list, &fixture->space);
    assert_int_equal(vidmm_space_evict_tables(&fixture->space), STATUS_SUCCESS);
    run(fixture);
    leave_pages(0);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_FAILED);
    assert_int_equal(result.status, STATUS_NO_MEMORY);
    give_back();
}

/* Tables that work runs with make way when it has ended. */
static void a_list_waits_for_tables_that_work_runs_with(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, APERTURE, 0);
    const struct vidmm_map_request request = {.allocation = item, .page_count = 3};
    struct vidmm_prepare_result result;
    struct vidmm_space other;
    struct vidmm_use running;
    struct vidmm_wait wait;
    uint64_t address;

    begin(fixture, &other, &(struct vidmm_space_options){.account = &fixture->account});
    assert_int_equal(vidmm_space_map(&other, &request, &address, &wait), STATUS_SUCCESS);
    map(fixture, item);
    run(fixture);
    vidmm_residency_sees(&fixture->list, &fixture->space);
    vidmm_residency_sees(&fixture->other_list, &other);
    assert_int_equal(vidmm_space_evict_tables(&fixture->space), STATUS_SUCCESS);
    run(fixture);
    leave_pages(0);
    vidmm_use_init(&running, fixture->gpu.vidmm);
    vidmm_prepare_list(&running, &fixture->other_list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_WAIT);
    assert_int_equal(result.wait.kind, VIDMM_WAIT_USE);
    assert_ptr_equal(result.wait.use, &running);
    uint64_t releases = vidmm_releases(fixture->gpu.vidmm);
    vidmm_use_fini(&running);
    assert_true(vidmm_releases(fixture->gpu.vidmm) > releases);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_WAIT);
    assert_int_equal(result.wait.kind, VIDMM_WAIT_PAGING);
    assert_null(other.root);
    run(fixture);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    run(fixture);
    vidmm_use_retire(&fixture->use);
    give_back();
    assert_int_equal(vidmm_space_free(&other, address, item->size_bytes, &wait), STATUS_SUCCESS);
    run(fixture);
    end(fixture, &other);
}

/* What is offered has memory that tables can have. */
static void tables_take_what_was_offered(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, APERTURE, 0);
    struct vidmm_allocation *offered = make(fixture, 4, APERTURE, 0);
    struct vidmm_prepare_result result;
    struct vidmm_pin pin = {0};
    struct vidmm_wait wait;

    vidmm_pin(&pin, offered, &result);
    run(fixture);
    vidmm_unpin(&pin);
    assert_int_equal(vidmm_evict(offered, &wait), STATUS_SUCCESS);
    run(fixture);
    assert_int_equal(vidmm_offer(offered, &wait), STATUS_SUCCESS);
    leave_pages(0);
    assert_non_null(offered->frames);
    map(fixture, item);
    assert_null(offered->frames);
    run(fixture);
    give_back();
}

/* All is evicted, as before a sleep: what finds no room waits for tables, and goes then. */
static void all_that_is_evicted_waits_for_system_memory(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, APERTURE, 0);
    struct vidmm_allocation *local = make(fixture, 3, MEMORY, 0);
    const struct vidmm_reference reference = {
        .allocation = local, .write = true, .slot = VIDMM_NO_SLOT};
    const struct vidmm_prepare_request request = {.references = &reference, .count = 1};
    struct vidmm_prepare_result result;
    struct vidmm_wait wait;

    map(fixture, item);
    vidmm_prepare(&fixture->use, &request, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    run(fixture);
    vidmm_use_retire(&fixture->use);
    leave_pages(1);
    assert_int_equal(vidmm_evict_all(fixture->gpu.vidmm, &wait), STATUS_PENDING);
    assert_int_equal(wait.kind, VIDMM_WAIT_PAGING);
    assert_false(vidmm_is_empty(fixture->gpu.vidmm));
    assert_null(fixture->space.root);
    run(fixture);
    assert_true(vidmm_paging_reached(fixture->gpu.vidmm, wait.paging_sequence));
    assert_int_equal(vidmm_evict_all(fixture->gpu.vidmm, &wait), STATUS_SUCCESS);
    run(fixture);
    assert_true(vidmm_is_empty(fixture->gpu.vidmm));
    give_back();
}

/* A reset ended the flush that they died with, and operations that name them are in hand still. */
static void dead_tables_are_waited_for_after_a_reset(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, APERTURE, 0);
    struct vidmm_prepare_result result;
    struct vidmm_pin pin = {0};

    map(fixture, item);
    run(fixture);
    leave_pages(0);
    assert_int_equal(vidmm_space_evict_tables(&fixture->space), STATUS_SUCCESS);
    mock_gpu_pull(&fixture->gpu);
    mock_gpu_reset(&fixture->gpu, true);
    assert_true(fixture->gpu.held_count > 0);
    assert_false(list_empty(&fixture->gpu.vidmm->dead_tables));
    struct vidmm_allocation *late =
        make(fixture, (unsigned)(ram_free_bytes() / PAGE) + 1, APERTURE, 0);
    vidmm_pin(&pin, late, &result);
    assert_int_equal(result.outcome, VIDMM_WAIT);
    assert_int_equal(result.wait.kind, VIDMM_WAIT_OWNER);
    uint64_t releases = vidmm_releases(fixture->gpu.vidmm);
    while (fixture->gpu.held_count > 0) {
        mock_gpu_let_go(&fixture->gpu);
    }
    assert_true(vidmm_releases(fixture->gpu.vidmm) > releases);
    vidmm_pin(&pin, late, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    run(fixture);
    vidmm_unpin(&pin);
    give_back();
}

/* ---- Any order ------------------------------------------------------------------------------- */

enum { SPACES = 3, ROUNDS = 400, SEEDS = 12 };

struct any {
    struct fixture *fixture;
    struct vidmm_space spaces[SPACES];
    uint64_t random, waits, fails;
};

static uint64_t pages_of_tables(const struct list *tables)
{
    uint64_t pages = 0;

    list_for_each (link, tables) {
        const struct vidmm_table *table = container_of(link, struct vidmm_table, link);
        pages += table->frame != 0 ? table->size_bytes / PAGE : 0;
    }
    return pages;
}

/* What whoever wants memory may have, now or when something has ended. */
static uint64_t to_be_had(struct any *any)
{
    uint64_t pages = ram_free_bytes() / PAGE;

    pages += pages_of_tables(&any->fixture->gpu.vidmm->dead_tables);
    for (unsigned i = 0; i < SPACES; i++) {
        pages += any->spaces[i].keep_count == 0 ? pages_of_tables(&any->spaces[i].tables) : 0;
    }
    return pages;
}

/* Somebody wants so many pages. */
static void want(struct any *any, unsigned count)
{
    struct fixture *fixture = any->fixture;
    struct vidmm_allocation *late = make(fixture, count, APERTURE, 0);
    struct vidmm_prepare_result result;
    struct vidmm_pin pin = {0};

    for (vidmm_pin(&pin, late, &result); result.outcome == VIDMM_WAIT;
         vidmm_pin(&pin, late, &result)) {
        uint64_t releases = vidmm_releases(fixture->gpu.vidmm);
        while (fixture->gpu.held_count > 0) {
            mock_gpu_let_go(&fixture->gpu);
        }
        run(fixture);
        assert_true(vidmm_releases(fixture->gpu.vidmm) > releases);
        any->waits++;
    }
    if (result.outcome == VIDMM_FAILED) {
        assert_int_equal(result.status, STATUS_NO_MEMORY);
        assert_true(to_be_had(any) < count);
        any->fails++;
    }
    vidmm_unpin(&pin);
    retire(fixture, late);
}

static void any_step(struct any *any, const struct vidmm_allocation *item)
{
    struct vidmm_space *space = &any->spaces[mock_below(&any->random, SPACES)];
    struct mock_gpu *gpu = &any->fixture->gpu;
    struct vidmm_wait wait;
    NTSTATUS status;

    switch (mock_below(&any->random, 8)) {
    case 0:
        want(any, 1 + (unsigned)mock_below(&any->random, 14));
        break;
    case 1:
        mock_gpu_reset(gpu, true);
        break;
    case 2:
        mock_gpu_pull(gpu);
        break;
    case 3:
        (void)mock_gpu_run_one(gpu);
        break;
    case 4:
        if (gpu->held_count > 0) {
            mock_gpu_let_go(gpu);
        }
        break;
    case 5:
    case 6:
        status = vidmm_space_keep_tables(space, &wait);
        assert_true(status == STATUS_SUCCESS || status == STATUS_PENDING ||
                    to_be_had(any) < (uint64_t)space->away_pages);
        if (status == STATUS_SUCCESS) {
            vidmm_space_let_tables_go(space);
        }
        break;
    default:
        assert_int_equal(vidmm_space_evict_tables(space), STATUS_SUCCESS);
        break;
    }
}

static void want_one_seed(struct any *any, uint64_t seed)
{
    struct fixture *fixture = any->fixture;
    struct vidmm_allocation *item = make(fixture, 3, APERTURE, 0);
    const struct vidmm_map_request request = {.allocation = item, .page_count = 3};
    struct vidmm_wait wait;
    uint64_t addresses[SPACES];

    any->random = seed;
    for (unsigned i = 0; i < SPACES; i++) {
        begin(fixture, &any->spaces[i],
              &(struct vidmm_space_options){.account = &fixture->account});
        assert_int_equal(vidmm_space_map(&any->spaces[i], &request, &addresses[i], &wait),
                         STATUS_SUCCESS);
    }
    run(fixture);
    leave_pages(3);
    for (unsigned i = 0; i < ROUNDS; i++) {
        any_step(any, item);
    }
    while (fixture->gpu.held_count > 0) {
        mock_gpu_let_go(&fixture->gpu);
    }
    run(fixture);
    give_back();
    for (unsigned i = 0; i < SPACES; i++) {
        assert_int_equal(vidmm_space_free(&any->spaces[i], addresses[i], item->size_bytes, &wait),
                         STATUS_SUCCESS);
        run(fixture);
        end(fixture, &any->spaces[i]);
    }
}

/* Whatever is under way, nobody is told that there is no memory while enough of it comes. */
static void nobody_is_refused_what_comes(void **state)
{
    uint64_t waits = 0, fails = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct any any = {.fixture = *state};
        print_message("seed %lu\n", (unsigned long)seed);
        want_one_seed(&any, seed);
        waits += any.waits;
        fails += any.fails;
        tear_down(state);
        set_up_system(state);
    }
    assert_true(waits > SEEDS && fails > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPACE_TEST_OF(tables_make_way_in_system_memory, set_up_system),
        SPACE_TEST_OF(tables_make_way_in_system_memory, set_up_cpu),
        SPACE_TEST_OF(tables_stay_where_that_would_not_help, set_up_system),
        SPACE_TEST_OF(who_wants_system_memory_waits_for_it, set_up_system),
        SPACE_TEST_OF(who_wants_system_memory_waits_for_it, set_up_cpu),
        SPACE_TEST_OF(a_list_waits_for_system_memory, set_up_system),
        SPACE_TEST_OF(a_table_waits_for_those_of_another_space, set_up_system),
        SPACE_TEST_OF(a_table_waits_for_those_of_another_space, set_up_cpu),
        SPACE_TEST_OF(a_list_waits_for_what_its_tables_had, set_up_system),
        SPACE_TEST_OF(a_list_waits_for_what_its_tables_had, set_up_cpu),
        SPACE_TEST_OF(a_list_does_not_wait_for_what_nobody_has, set_up_system),
        SPACE_TEST_OF(a_list_waits_for_tables_that_work_runs_with, set_up_system),
        SPACE_TEST_OF(a_list_waits_for_tables_that_work_runs_with, set_up_cpu),
        SPACE_TEST_OF(tables_take_what_was_offered, set_up_system),
        SPACE_TEST_OF(dead_tables_are_waited_for_after_a_reset, set_up_system),
        SPACE_TEST_OF(nobody_is_refused_what_comes, set_up_system),
        SPACE_TEST_OF(all_that_is_evicted_waits_for_system_memory, set_up_system),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
