/* Physical memory: the allocator against a plain model, and views of frames. */
#include <stdlib.h>
#include <string.h>

#include "machine/support.h"

#define FRAMES (64u << 20 >> MACHINE_PAGE_SHIFT)
#define LIVE   64

static bool taken[FRAMES];

static struct {
    uint64_t frames[300];
    size_t count;
    bool contiguous;
} live[LIVE];

static void model_take(uint64_t frame, const struct ram_request *request)
{
    uint64_t high = request->high ? request->high : UINT64_MAX;

    assert_in_range(frame, 1, FRAMES - 1);
    assert_false(taken[frame]);
    assert_true(frame << 12 >= request->low && (frame << 12) + 4095 <= high);
    taken[frame] = true;
}

static uint64_t model_free_count(void)
{
    uint64_t count = 0;

    for (size_t i = 1; i < FRAMES; i++) {
        count += !taken[i];
    }
    return count;
}

static void random_request(struct ram_request *request)
{
    static const uint64_t highs[] = {0, 0, 0xFFFFFF, 0x2000000, 0x1FFFFFF};
    static const uint64_t lows[] = {0, 0, 0x100000, 0x1800000};
    static const uint64_t alignments[] = {0, 4096, 65536, 1 << 20};
    static const uint64_t boundaries[] = {0, 0, 1 << 20, 2 << 20};

    *request = (struct ram_request){
        .page_count = 1 + machine_random_below(RANDOM_SITE_WORKLOAD, 256),
        .low = lows[machine_random_below(RANDOM_SITE_WORKLOAD, 4)],
        .high = highs[machine_random_below(RANDOM_SITE_WORKLOAD, 5)],
        .alignment = alignments[machine_random_below(RANDOM_SITE_WORKLOAD, 4)],
        .boundary = boundaries[machine_random_below(RANDOM_SITE_WORKLOAD, 4)],
    };
}

static void check_block(const struct ram_request *request, uint64_t frame)
{
    uint64_t first = frame << 12;
    uint64_t last = first + request->page_count * 4096 - 1;

    assert_true(request->alignment == 0 || first % request->alignment == 0);
    assert_true(request->boundary == 0 || first / request->boundary == last / request->boundary);
}

static bool allocate(unsigned place)
{
    struct ram_request request;
    bool contiguous = machine_random(RANDOM_SITE_WORKLOAD) & 1;
    NTSTATUS status;

    random_request(&request);
    if (contiguous) {
        uint64_t first;
        status = ram_alloc_contiguous(&request, &first);
        if (NT_SUCCESS(status)) {
            check_block(&request, first);
            for (size_t i = 0; i < request.page_count; i++) {
                live[place].frames[i] = first + i;
            }
        }
    } else {
        status = ram_alloc_frames(&request, live[place].frames);
    }
    if (!NT_SUCCESS(status)) {
        return false;
    }
    for (size_t i = 0; i < request.page_count; i++) {
        model_take(live[place].frames[i], &request);
    }
    live[place].count = request.page_count;
    live[place].contiguous = contiguous;
    return true;
}

static void release(unsigned place)
{
    if (live[place].contiguous) {
        ram_free_contiguous(live[place].frames[0], live[place].count);
    } else {
        ram_free_frames(live[place].frames, live[place].count);
    }
    for (size_t i = 0; i < live[place].count; i++) {
        taken[live[place].frames[i]] = false;
    }
    live[place].count = 0;
}

static void the_allocator_agrees_with_a_model(void **state)
{
    unsigned successes = 0;

    machine_start(99, MACHINE_POLICY_RANDOM, 1);
    memset(taken, 0, sizeof(taken));
    assert_int_equal(ram_free_bytes(), (uint64_t)(FRAMES - 1) * 4096);
    for (unsigned round = 0; round < 4000; round++) {
        unsigned place = (unsigned)machine_random_below(RANDOM_SITE_WORKLOAD, LIVE);
        if (live[place].count) {
            release(place);
        } else {
            successes += allocate(place);
        }
        if (round % 64 == 0) {
            assert_int_equal(ram_free_bytes() / 4096, model_free_count());
        }
    }
    assert_true(successes > 1000);
    for (unsigned place = 0; place < LIVE; place++) {
        if (live[place].count) {
            release(place);
        }
    }
    assert_int_equal(ram_free_bytes(), (uint64_t)(FRAMES - 1) * 4096);
    machine_destroy();
}

static void all_memory_can_be_had_and_no_more(void **state)
{
    struct ram_request all = {.page_count = FRAMES - 1};
    struct ram_request one = {.page_count = 1};
    uint64_t *frames = malloc(FRAMES * sizeof(*frames));
    uint64_t frame;

    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    assert_int_equal(ram_alloc_frames(&all, frames), STATUS_SUCCESS);
    assert_int_equal(ram_free_bytes(), 0);
    assert_int_equal(ram_alloc_frames(&one, &frame), STATUS_NO_MEMORY);
    ram_free_frames(frames, FRAMES - 1);
    /* All or nothing: a request that fails leaves everything free. */
    all.page_count = 8192;
    all.high = (16u << 20) - 1;
    assert_int_equal(ram_alloc_frames(&all, frames), STATUS_NO_MEMORY);
    assert_int_equal(ram_free_bytes() / 4096, FRAMES - 1);
    machine_destroy();
    free(frames);
}

static void pages_come_scattered(void **state)
{
    struct ram_request request = {.page_count = 256};
    uint64_t frames[256];
    unsigned breaks = 0;

    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    assert_int_equal(ram_alloc_frames(&request, frames), STATUS_SUCCESS);
    for (unsigned i = 1; i < 256; i++) {
        breaks += frames[i] != frames[i - 1] + 1;
    }
    assert_in_range(breaks, 32, 200);
    ram_free_frames(frames, 256);
    machine_destroy();
}

static void a_view_shows_scattered_frames_in_a_row(void **state)
{
    struct ram_request request = {.page_count = 40};
    uint64_t frames[40];
    uint64_t physical;
    char *view;

    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    assert_int_equal(ram_alloc_frames(&request, frames), STATUS_SUCCESS);
    view = ram_map_frames(frames, 40, true);
    assert_non_null(view);
    for (unsigned i = 0; i < 40; i++) {
        view[i * 4096 + i] = (char)(i + 1);
        assert_int_equal(((char *)ram_at(frames[i] << 12, 4096))[i], i + 1);
        assert_true(ram_physical_of(view + i * 4096 + i, &physical));
        assert_true(physical == (frames[i] << 12) + i);
    }
    assert_true(ram_physical_of(ram_at(0x12345, 1), &physical));
    assert_true(physical == 0x12345);
    assert_false(ram_physical_of(&physical, &physical));
    ram_unmap_frames(view, 40);
    assert_false(ram_physical_of(view, &physical));
    ram_free_frames(frames, 40);
    machine_destroy();
}

static void a_view_that_is_shut_says_what_it_is(void **state)
{
    struct ram_request request = {.page_count = 3};
    uint64_t frames[3];
    struct ram_thing thing;
    char *view;

    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    assert_int_equal(ram_alloc_frames(&request, frames), STATUS_SUCCESS);
    view = ram_map_frames(frames, 3, true);
    assert_non_null(view);
    view[5000] = 7;
    assert_true(ram_thing_near(view + 5000, &thing));
    assert_null(thing.what); /* it has no name */
    ram_view_name(view, "a thing", 16, 3 * 4096 - 32);
    ram_view_shut(view);
    assert_true(ram_thing_near(view + 5000, &thing));
    assert_string_equal(thing.what, "a thing");
    assert_int_equal(thing.offset, 5000 - 16);
    assert_int_equal(thing.size, 3 * 4096 - 32);
    assert_true(thing.shut);
    assert_false(ram_thing_near(ram_at(frames[1] << 12, 1), &thing)); /* the memory itself */
    ram_view_open(view);
    assert_true(ram_thing_near(view, &thing));
    assert_false(thing.shut);
    assert_int_equal(thing.offset, -16);
    assert_int_equal(view[5000], 7);
    ram_view_shut(view);
    ram_unmap_frames(view, 3);
    assert_false(ram_thing_near(view, &thing));
    ram_free_frames(frames, 3);
    machine_destroy();
}

/* Behind a view as many pages are empty as it has, and one more before the next. */
static void the_page_between_two_views_belongs_to_the_nearer_thing(void **state)
{
    struct ram_request request = {.page_count = 2};
    uint64_t frames[2];
    struct ram_thing thing;
    char *first, *second;

    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    assert_int_equal(ram_alloc_frames(&request, frames), STATUS_SUCCESS);
    first = ram_map_frames(&frames[0], 1, true);
    second = ram_map_frames(&frames[1], 1, true);
    assert_int_equal(ram_empty_behind(1), 2);
    assert_ptr_equal(second, first + 3 * 4096);
    ram_view_name(first, "the first", 96, 4000);
    /* What nobody named is a neighbour, too: who runs past it means no other. */
    assert_true(ram_thing_near(second - 1, &thing));
    assert_null(thing.what);
    assert_int_equal(thing.offset, -1);
    assert_int_equal(thing.size, 4096);
    assert_true(ram_thing_near(second - 4100, &thing));
    assert_string_equal(thing.what, "the first");
    ram_view_name(second, "the second", 0, 4000);
    assert_true(ram_thing_near(first + 4096, &thing));
    assert_string_equal(thing.what, "the first");
    assert_int_equal(thing.offset, 4000);
    assert_true(ram_thing_near(second - 1, &thing));
    assert_string_equal(thing.what, "the second");
    assert_int_equal(thing.offset, -1);
    ram_unmap_frames(second, 1);
    assert_true(ram_thing_near(second - 1, &thing));
    assert_string_equal(thing.what, "the first");
    assert_false(ram_thing_near(second, &thing));
    ram_unmap_frames(first, 1);
    ram_free_frames(frames, 2);
    machine_destroy();
}

static void addresses_beyond_memory_are_refused(void **state)
{
    uint64_t bad[] = {1, UINT64_MAX >> 12, UINT64_MAX};

    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    assert_null(ram_at(64u << 20, 1));
    assert_null(ram_at((64u << 20) - 1, 2));
    assert_null(ram_at(UINT64_MAX, 2));
    assert_null(ram_at(0, UINT64_MAX));
    assert_null(ram_at(0, 0));
    assert_non_null(ram_at((64u << 20) - 1, 1));
    assert_null(ram_map_frames(bad, 3, true));
    assert_null(ram_map_frames(bad, 0, true));
    assert_null(bus_memory_at(UINT64_C(1) << 50, 16));
    assert_false(bus_has_memory_at(UINT64_C(1) << 50, 16));
    machine_destroy();
}

static void large_memory_has_a_hole_for_devices(void **state)
{
    struct machine_config config = {.seed = 1, .ram_bytes = UINT64_C(6) << 30, .cpu_count = 1};
    struct ram_request above = {.page_count = 1000, .low = UINT64_C(4) << 30};
    struct ram_request below = {.page_count = 1000, .high = UINT32_MAX};
    uint64_t frames[1000], frame;

    assert_int_equal(machine_create(&config), STATUS_SUCCESS);
    assert_null(ram_at(UINT64_C(3) << 30, 1));
    assert_null(ram_at((UINT64_C(3) << 30) - 1, 2));
    assert_non_null(ram_at(UINT64_C(4) << 30, 4096));
    assert_non_null(ram_at((UINT64_C(7) << 30) - 1, 1));
    assert_null(ram_at(UINT64_C(7) << 30, 1));
    *(char *)ram_at(UINT64_C(4) << 30, 1) = 77;
    frame = UINT64_C(4) << 30 >> 12;
    assert_int_equal(*(char *)ram_map_frames(&frame, 1, false), 77);
    assert_int_equal(ram_alloc_frames(&above, frames), STATUS_SUCCESS);
    for (unsigned i = 0; i < 1000; i++) {
        assert_true(frames[i] << 12 >= UINT64_C(4) << 30);
    }
    assert_int_equal(ram_alloc_frames(&below, frames), STATUS_SUCCESS);
    for (unsigned i = 0; i < 1000; i++) {
        assert_true(frames[i] << 12 < UINT64_C(3) << 30);
    }
    assert_int_equal(ram_alloc_contiguous(&below, &frame), STATUS_SUCCESS);
    assert_true(frame << 12 < UINT64_C(3) << 30);
    machine_destroy();
}

static void with_high_memory_pages_come_from_above_4_gb(void **state)
{
    const struct ram_request any = {.page_count = 1000};
    const struct ram_request below = {.page_count = 1000, .high = UINT32_MAX};
    struct machine_config config = {
        .seed = 1, .ram_bytes = UINT64_C(1) << 30, .policy = MACHINE_POLICY_RANDOM};
    uint64_t frames[1000];

    config.variations.on[VARY_HIGH_MEMORY] = true;
    assert_int_equal(machine_create(&config), STATUS_SUCCESS);
    assert_true(ram_bytes() == UINT64_C(1) << 30 && ram_low_bytes() == UINT64_C(1) << 29);
    assert_true(ram_end() == (UINT64_C(4) << 30) + ram_low_bytes());
    assert_int_equal(ram_alloc_frames(&any, frames), STATUS_SUCCESS);
    for (unsigned i = 0; i < 1000; i++) {
        assert_true(frames[i] >> 20);
        *(char *)ram_at(frames[i] << 12, 1) = 1;
    }
    assert_int_equal(ram_alloc_frames(&below, frames), STATUS_SUCCESS);
    for (unsigned i = 0; i < 1000; i++) {
        assert_false(frames[i] >> 20);
    }
    /* A device that reaches no further. */
    ram_limit(UINT32_MAX);
    assert_int_equal(ram_alloc_frames(&any, frames), STATUS_SUCCESS);
    for (unsigned i = 0; i < 1000; i++) {
        assert_false(frames[i] >> 20);
    }
    machine_destroy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_allocator_agrees_with_a_model),
        cmocka_unit_test(all_memory_can_be_had_and_no_more),
        cmocka_unit_test(pages_come_scattered),
        cmocka_unit_test(a_view_shows_scattered_frames_in_a_row),
        cmocka_unit_test(a_view_that_is_shut_says_what_it_is),
        cmocka_unit_test(the_page_between_two_views_belongs_to_the_nearer_thing),
        cmocka_unit_test(addresses_beyond_memory_are_refused),
        cmocka_unit_test(large_memory_has_a_hole_for_devices),
        cmocka_unit_test(with_high_memory_pages_come_from_above_4_gb),
    };
    return cmocka_run_group_tests_name("ram", tests, NULL, NULL);
}
