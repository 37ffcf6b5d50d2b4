/* Where allocations are placed, who is evicted, and what prepare answers when there is no room. */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vidmm/mock_gpu.h"

enum { PAGE = 4096, ITEM_MAX = 16 };

struct fixture {
    struct mock_gpu gpu;
    struct vidmm_config config;
    struct vidmm_allocation items[ITEM_MAX];
    struct vidmm_use uses[4];
    unsigned count;
};

/* Segment 1: 16 pages of memory. Segment 2: 8 pages of memory. Segment 3: 8 pages of aperture. */
static const struct vidmm_segment_options segments[] = {
    {.flags = VIDMM_SEGMENT_CPU_VISIBLE, .base_address = 0x100000, .size_bytes = 16 * PAGE},
    {.base_address = 0x200000, .size_bytes = 8 * PAGE},
    {.flags = VIDMM_SEGMENT_APERTURE, .base_address = 0x300000, .size_bytes = 8 * PAGE},
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    fixture->config = (struct vidmm_config){
        .segments = segments, .segment_count = 3, .policy = &vidmm_policy_lru};
    mock_gpu_init(&fixture->gpu, &fixture->config, 16 << 20);
    for (unsigned i = 0; i < 4; i++) {
        vidmm_use_init(&fixture->uses[i], fixture->gpu.vidmm);
    }
    *state = fixture;
    return 0;
}

static void end_items(struct fixture *fixture)
{
    struct vidmm_wait wait;

    for (unsigned i = 0; i < fixture->count; i++) {
        NTSTATUS status = vidmm_allocation_retire(&fixture->items[i], &wait);
        assert_int_equal(status, STATUS_SUCCESS);
        mock_gpu_run_all(&fixture->gpu);
        vidmm_allocation_fini(&fixture->items[i]);
    }
    fixture->count = 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    for (unsigned i = 0; i < 4; i++) {
        vidmm_use_fini(&fixture->uses[i]);
    }
    end_items(fixture);
    mock_gpu_fini(&fixture->gpu);
    free(fixture);
    return 0;
}

static struct vidmm_allocation *make_with(struct fixture *fixture,
                                          struct vidmm_allocation_options options)
{
    struct vidmm_allocation *item = &fixture->items[fixture->count++];

    options.write_segments =
        options.write_segments ? options.write_segments : options.read_segments;
    assert_int_equal(vidmm_allocation_init(item, fixture->gpu.vidmm, &options), STATUS_SUCCESS);
    return item;
}

static struct vidmm_allocation *make(struct fixture *fixture, unsigned pages, uint32_t set)
{
    return make_with(fixture, (struct vidmm_allocation_options){.size_bytes = pages * PAGE,
                                                                .read_segments = set});
}

static struct vidmm_prepare_result prepare(struct fixture *fixture, unsigned use, bool may_split,
                                           size_t count, struct vidmm_allocation **items)
{
    struct vidmm_reference references[ITEM_MAX];
    struct vidmm_prepare_result result;

    for (size_t i = 0; i < count; i++) {
        references[i] =
            (struct vidmm_reference){.allocation = items[i], .write = true, .slot = VIDMM_NO_SLOT};
    }
    const struct vidmm_prepare_request request = {
        .references = references, .count = count, .may_split = may_split};
    vidmm_prepare(&fixture->uses[use], &request, &result);
    return result;
}

/* Used for a moment. */
static void touch(struct fixture *fixture, struct vidmm_allocation *item)
{
    struct vidmm_prepare_result result = prepare(fixture, 3, false, 1, &item);

    assert_int_equal(result.outcome, VIDMM_READY);
    mock_gpu_run_all(&fixture->gpu);
    vidmm_use_retire(&fixture->uses[3]);
}

static struct vidmm_location where(struct vidmm_allocation *item)
{
    struct vidmm_location location;

    vidmm_allocation_location(item, &location);
    return location;
}

static void preferences_choose_segment_and_end(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *low = make_with(
        fixture, (struct vidmm_allocation_options){.size_bytes = PAGE,
                                                   .read_segments = 7,
                                                   .preferences = {{2, false}, {1, false}}});
    struct vidmm_allocation *high =
        make_with(fixture, (struct vidmm_allocation_options){
                               .size_bytes = 1, .read_segments = 7, .preferences = {{2, true}}});

    assert_int_equal(where(low).segment, 0);
    touch(fixture, low);
    touch(fixture, high);
    assert_int_equal(where(low).segment, 2);
    assert_int_equal(where(low).address, 0x200000);
    assert_int_equal(where(high).segment, 2);
    assert_int_equal(where(high).address, 0x200000 + 7 * PAGE);
}

static void the_next_preference_takes_what_the_first_cannot(void **state)
{
    struct fixture *fixture = *state;
    const struct vidmm_allocation_options options = {
        .size_bytes = 6 * PAGE, .read_segments = 3, .preferences = {{2, false}, {1, false}}};
    struct vidmm_allocation *first = make_with(fixture, options);
    struct vidmm_allocation *second = make_with(fixture, options);

    touch(fixture, first);
    touch(fixture, second);
    assert_int_equal(where(first).segment, 2);
    assert_int_equal(where(second).segment, 1);
}

static void alignment_is_kept(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *odd = make(fixture, 1, 1);
    struct vidmm_allocation *aligned = make_with(
        fixture, (struct vidmm_allocation_options){
                     .size_bytes = 2 * PAGE, .alignment_bytes = 8 * PAGE, .read_segments = 1});

    touch(fixture, odd);
    touch(fixture, aligned);
    assert_int_equal(where(aligned).offset % (8 * PAGE), 0);
}

static void an_alignment_need_not_be_a_power_of_two(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t alignments[] = {3 * PAGE, 3, 5 * PAGE / 2};

    touch(fixture, make(fixture, 1, 1));
    for (size_t i = 0; i < sizeof alignments / sizeof alignments[0]; i++) {
        struct vidmm_allocation *aligned = make_with(
            fixture, (struct vidmm_allocation_options){
                         .size_bytes = PAGE, .alignment_bytes = alignments[i], .read_segments = 1});
        touch(fixture, aligned);
        assert_int_equal(where(aligned).segment, 1);
        assert_int_equal(where(aligned).offset % alignments[i], 0);
        assert_int_equal(where(aligned).offset % PAGE, 0);
    }
}

static void bad_options_are_refused(void **state)
{
    struct fixture *fixture = *state;
    const struct vidmm_allocation_options bad[] = {
        {.size_bytes = 0, .read_segments = 1, .write_segments = 1},
        {.size_bytes = 1, .read_segments = 8, .write_segments = 1}, /* no segment 4 */
        {.size_bytes = 1, .read_segments = 1, .write_segments = 0},
        {.size_bytes = 1, .read_segments = 1, .write_segments = 1, .preferences = {{2, false}}},
        {.size_bytes = 1, .read_segments = 1, .write_segments = 1, .eviction_segments = 1},
        {.size_bytes = UINT64_MAX, .read_segments = 1, .write_segments = 1},
    };
    struct vidmm_allocation item;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(vidmm_allocation_init(&item, fixture->gpu.vidmm, &bad[i]),
                         STATUS_INVALID_PARAMETER);
        vidmm_allocation_fini(&item);
    }
}

static void the_least_recently_used_goes_first(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *a = make(fixture, 6, 1), *b = make(fixture, 6, 1);
    struct vidmm_allocation *c = make(fixture, 6, 1);

    touch(fixture, a);
    touch(fixture, b);
    touch(fixture, a);
    touch(fixture, c);
    assert_int_not_equal(where(a).segment, 0);
    assert_int_equal(where(b).segment, 0);
    assert_int_not_equal(where(c).segment, 0);
}

static void low_priority_goes_before_old(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *a = make(fixture, 6, 1), *b = make(fixture, 6, 1);
    struct vidmm_allocation *c = make(fixture, 6, 1);

    vidmm_allocation_set_priority(a, 5);
    vidmm_allocation_set_priority(b, 4);
    touch(fixture, a);
    touch(fixture, b);
    touch(fixture, c);
    assert_int_not_equal(where(a).segment, 0);
    assert_int_equal(where(b).segment, 0);
}

static void what_a_packet_uses_is_waited_for(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *a = make(fixture, 12, 1), *b = make(fixture, 12, 1);

    assert_int_equal(prepare(fixture, 0, false, 1, &a).outcome, VIDMM_READY);
    vidmm_use_submitted(&fixture->uses[0], 2, 77);
    struct vidmm_prepare_result result = prepare(fixture, 1, false, 1, &b);
    assert_int_equal(result.outcome, VIDMM_WAIT);
    assert_int_equal(result.wait.kind, VIDMM_WAIT_USE);
    assert_true(result.wait.submitted);
    assert_int_equal(result.wait.node, 2);
    assert_int_equal(result.wait.fence, 77);
    assert_ptr_equal(result.wait.use, &fixture->uses[0]);
    assert_int_not_equal(where(a).segment, 0);

    uint64_t progress = vidmm_progress(fixture->gpu.vidmm);
    vidmm_use_retire(&fixture->uses[0]);
    assert_int_not_equal(vidmm_progress(fixture->gpu.vidmm), progress);
    assert_int_equal(prepare(fixture, 1, false, 1, &b).outcome, VIDMM_READY);
    assert_int_equal(where(a).segment, 0);
}

static void what_does_not_fit_at_once_is_split(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *items[3] = {make(fixture, 7, 1), make(fixture, 7, 1),
                                         make(fixture, 7, 1)};

    struct vidmm_prepare_result result = prepare(fixture, 0, true, 3, items);
    assert_int_equal(result.outcome, VIDMM_SPLIT);
    assert_int_equal(result.end, 2);
    mock_gpu_run_all(&fixture->gpu);
    vidmm_use_retire(&fixture->uses[0]);

    result = prepare(fixture, 0, false, 3, items);
    assert_int_equal(result.outcome, VIDMM_FAILED);
    assert_int_equal(result.status, STATUS_GRAPHICS_NO_VIDEO_MEMORY);
    assert_int_equal(fixture->uses[0].pinned_count, 0);
}

static void bindings_stay_where_they_are_over_a_split(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *a = make(fixture, 4, 1), *b = make(fixture, 8, 1);
    struct vidmm_allocation *c = make(fixture, 8, 1);
    const struct vidmm_reference references[] = {
        {.allocation = a, .slot = 0}, {.allocation = b, .slot = 1}, {.allocation = c, .slot = 1}};
    struct vidmm_prepare_request request = {
        .references = references, .count = 3, .bindings_stay = true, .may_split = true};
    struct vidmm_prepare_result result;

    vidmm_prepare(&fixture->uses[0], &request, &result);
    assert_int_equal(result.outcome, VIDMM_SPLIT);
    assert_int_equal(result.end, 2);
    struct vidmm_location before = where(a);
    request.first = 2;
    vidmm_prepare(&fixture->uses[1], &request, &result);
    assert_int_equal(result.outcome, VIDMM_WAIT); /* for the first part */
    assert_ptr_equal(result.wait.use, &fixture->uses[0]);
    vidmm_use_retire(&fixture->uses[0]);
    assert_int_equal(a->use_count, 1); /* carried on */
    vidmm_prepare(&fixture->uses[1], &request, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_int_equal(result.end, 3);
    assert_int_equal(where(a).offset, before.offset);
    assert_int_equal(where(b).segment, 0);
    vidmm_use_retire(&fixture->uses[1]);
    assert_int_equal(a->use_count, 0);
}

static void holes_between_pins_are_closed_when_splitting_is_not_allowed(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *a = make(fixture, 4, 1), *b = make(fixture, 4, 1);
    struct vidmm_allocation *c = make(fixture, 4, 1), *d = make(fixture, 8, 1);
    struct vidmm_wait wait;

    touch(fixture, a);
    touch(fixture, b);
    touch(fixture, c);
    assert_int_equal(vidmm_evict(b, &wait), STATUS_SUCCESS);
    struct vidmm_allocation *items[] = {a, c, d}; /* 4 used, 4 free, 4 used, 4 free */
    assert_int_equal(prepare(fixture, 0, false, 3, items).outcome, VIDMM_READY);
    mock_gpu_run_all(&fixture->gpu);
}

static void a_segment_change_moves_the_allocation(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *a = make(fixture, 2, 7);
    struct vidmm_reference reference = {.allocation = a, .slot = VIDMM_NO_SLOT, .write = true};
    const struct vidmm_prepare_request request = {.references = &reference, .count = 1};
    struct vidmm_prepare_result result;

    static const uint32_t tour[] = {1, 4, 2, 1, 4};
    uint64_t word = 0;
    for (unsigned i = 0; i < 5; i++) {
        reference.segments = tour[i];
        vidmm_prepare(&fixture->uses[0], &request, &result);
        assert_int_equal(result.outcome, VIDMM_READY);
        mock_gpu_run_all(&fixture->gpu);
        assert_true(vidmm_paging_reached(fixture->gpu.vidmm, result.paging_sequence));
        struct vidmm_location place = where(a);
        assert_int_equal(1u << (place.segment - 1), tour[i]);
        uint8_t *bytes = mock_gpu_at(&fixture->gpu, place.segment, place.offset + PAGE + 16);
        uint64_t found;
        memcpy(&found, bytes, 8);
        assert_int_equal(found, word);
        word = 0x1234567 + i;
        memcpy(bytes, &word, 8);
        vidmm_use_retire(&fixture->uses[0]);
    }
}

static void pins_hold_until_unpinned(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *a = make(fixture, 12, 1), *b = make(fixture, 12, 1);
    struct vidmm_prepare_result result;
    struct vidmm_pin pin = {0};
    struct vidmm_wait wait;

    vidmm_pin(&pin, a, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_int_equal(prepare(fixture, 0, true, 1, &b).outcome, VIDMM_FAILED);
    assert_int_equal(vidmm_evict(a, &wait), STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION);
    assert_true(vidmm_pin_holds(&pin));
    vidmm_unpin(&pin);
    assert_false(vidmm_pin_holds(&pin));
    vidmm_unpin(&pin); /* none by now */
    assert_int_equal(prepare(fixture, 0, true, 1, &b).outcome, VIDMM_READY);
}

/* One that a reset ended is let go of late, when another holds the allocation. */
static void unpinning_takes_nobody_elses_pin(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *a = make(fixture, 12, 1);
    struct vidmm_prepare_result result;
    struct vidmm_pin before = {0}, since = {0};
    struct vidmm_wait wait;

    vidmm_pin(&before, a, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    mock_gpu_reset(&fixture->gpu, false);
    mock_gpu_run_all(&fixture->gpu);
    assert_false(vidmm_pin_holds(&before));
    vidmm_pin(&since, a, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    vidmm_unpin(&before);
    assert_true(vidmm_pin_holds(&since));
    assert_int_equal(vidmm_evict(a, &wait), STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION);
    vidmm_unpin(&since);
    assert_int_equal(vidmm_evict(a, &wait), STATUS_SUCCESS);
}

static void read_and_write_sets_both_count(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *a =
        make_with(fixture, (struct vidmm_allocation_options){
                               .size_bytes = PAGE, .read_segments = 6, .write_segments = 3});
    struct vidmm_reference references[] = {{.allocation = a, .slot = 0},
                                           {.allocation = a, .slot = 1, .write = true}};
    const struct vidmm_prepare_request request = {.references = references, .count = 2};
    struct vidmm_prepare_result result;

    vidmm_prepare(&fixture->uses[0], &request, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_int_equal(where(a).segment, 2); /* the only one in both */
    assert_int_equal(a->use_count, 1);
}

static void clean_allocations_are_discarded_if_marks_are_trusted(void **state)
{
    struct mock_gpu gpu;
    struct vidmm_config config = {
        .segments = segments, .segment_count = 3, .evict_clean_by_discard = true};
    struct vidmm_statistics statistics;
    struct vidmm_allocation item;
    struct vidmm_use use;
    struct vidmm_wait wait;
    struct vidmm_prepare_result result;
    const struct vidmm_allocation_options options = {
        .size_bytes = PAGE, .read_segments = 1, .write_segments = 1};

    tear_down(state); /* one machine at a time */
    mock_gpu_init(&gpu, &config, 16 << 20);
    assert_int_equal(vidmm_allocation_init(&item, gpu.vidmm, &options), STATUS_SUCCESS);
    vidmm_use_init(&use, gpu.vidmm);
    /* Written; evicted; read; evicted. */
    for (unsigned i = 0; i < 2; i++) {
        const struct vidmm_reference reference = {.allocation = &item, .write = i == 0};
        const struct vidmm_prepare_request request = {.references = &reference, .count = 1};
        vidmm_prepare(&use, &request, &result);
        assert_int_equal(result.outcome, VIDMM_READY);
        mock_gpu_run_all(&gpu);
        uint8_t *byte = mock_gpu_at(&gpu, 1, where(&item).offset);
        assert_int_equal(*byte, i == 0 ? 0 : 0x77);
        *byte = 0x77;
        vidmm_use_retire(&use);
        assert_int_equal(vidmm_evict(&item, &wait), STATUS_SUCCESS);
        mock_gpu_run_all(&gpu);
    }
    vidmm_statistics(gpu.vidmm, &statistics);
    assert_int_equal(statistics.paged_out_bytes, PAGE);
    assert_int_equal(statistics.operations[VIDMM_OP_DISCARD], 1);
    uint8_t byte;
    mock_gpu_read(&gpu, &item, 0, &byte, 1);
    assert_int_equal(byte, 0x77);
    vidmm_use_fini(&use);
    vidmm_allocation_fini(&item);
    mock_gpu_fini(&gpu);
    set_up(state);
}

static void offered_content_may_vanish(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *a = make(fixture, 12, 1), *b = make(fixture, 12, 1);
    struct vidmm_wait wait;
    struct vidmm_statistics statistics;
    bool discarded;

    touch(fixture, a);
    assert_int_equal(vidmm_offer(a, &wait), STATUS_SUCCESS);
    vidmm_reclaim(a, &discarded);
    assert_false(discarded);
    assert_int_equal(vidmm_offer(a, &wait), STATUS_SUCCESS);
    touch(fixture, b);
    vidmm_statistics(fixture->gpu.vidmm, &statistics);
    assert_int_equal(statistics.operations[VIDMM_OP_DISCARD], 1);
    assert_int_equal(statistics.paged_out_bytes, 0);
    vidmm_reclaim(a, &discarded);
    assert_true(discarded);
}

/* Segments of 32 pages for two: who has more than 16 gives up first, however young. */
static void who_has_more_than_his_share_goes_first(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_account greedy, modest;

    vidmm_account_init(&greedy, fixture->gpu.vidmm);
    assert_int_equal(greedy.budget_bytes[VIDMM_GROUP_LOCAL], 32 * PAGE);
    vidmm_account_init(&modest, fixture->gpu.vidmm);
    assert_int_equal(greedy.budget_bytes[VIDMM_GROUP_LOCAL], 16 * PAGE);
    struct vidmm_allocation *old =
        make_with(fixture, (struct vidmm_allocation_options){
                               .size_bytes = 6 * PAGE, .read_segments = 1, .account = &modest});
    touch(fixture, old);
    struct vidmm_allocation *young =
        make_with(fixture, (struct vidmm_allocation_options){
                               .size_bytes = 6 * PAGE, .read_segments = 1, .account = &greedy});
    touch(fixture, young);
    touch(fixture,
          make_with(fixture, (struct vidmm_allocation_options){
                                 .size_bytes = 8 * PAGE, .read_segments = 2, .account = &greedy}));
    touch(fixture,
          make_with(fixture, (struct vidmm_allocation_options){
                                 .size_bytes = 4 * PAGE, .read_segments = 4, .account = &greedy}));
    assert_int_equal(greedy.usage_bytes[VIDMM_GROUP_LOCAL], 18 * PAGE);
    touch(fixture, make(fixture, 6, 1));
    assert_int_not_equal(where(old).segment, 0);
    assert_int_equal(where(young).segment, 0);
    assert_int_equal(greedy.usage_bytes[VIDMM_GROUP_LOCAL], 12 * PAGE);

    assert_int_equal(vidmm_account_over(&greedy), 0); /* nothing of it must be in place */
    greedy.group_demand_bytes[VIDMM_GROUP_LOCAL] = 18 * PAGE;
    assert_int_equal(vidmm_account_over(&greedy), 2 * PAGE);
    greedy.group_demand_bytes[VIDMM_GROUP_LOCAL] = 0;
    end_items(fixture);
    vidmm_account_fini(&greedy);
    assert_int_equal(modest.budget_bytes[VIDMM_GROUP_LOCAL], 32 * PAGE);
    vidmm_account_fini(&modest);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(preferences_choose_segment_and_end),
        CASE(the_next_preference_takes_what_the_first_cannot),
        CASE(alignment_is_kept),
        CASE(an_alignment_need_not_be_a_power_of_two),
        CASE(bad_options_are_refused),
        CASE(the_least_recently_used_goes_first),
        CASE(low_priority_goes_before_old),
        CASE(what_a_packet_uses_is_waited_for),
        CASE(what_does_not_fit_at_once_is_split),
        CASE(bindings_stay_where_they_are_over_a_split),
        CASE(holes_between_pins_are_closed_when_splitting_is_not_allowed),
        CASE(a_segment_change_moves_the_allocation),
        CASE(pins_hold_until_unpinned),
        CASE(unpinning_takes_nobody_elses_pin),
        CASE(read_and_write_sets_both_count),
        CASE(clean_allocations_are_discarded_if_marks_are_trusted),
        CASE(offered_content_may_vanish),
        CASE(who_has_more_than_his_share_goes_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
