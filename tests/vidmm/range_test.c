/* The range allocator against a model that knows each page. */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "vidmm/internal.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

struct model {
    uint32_t page_count;
    uint8_t *used;
    uint32_t *live;
    uint32_t live_count;
};

/* The smallest hole of the model that takes the block; 0: none. Also the total and the largest. */
static uint32_t best_hole(const struct model *model, uint32_t pages, uint32_t alignment,
                          uint32_t *total, uint32_t *largest)
{
    uint32_t best = 0;

    *total = *largest = 0;
    for (uint32_t at = 0; at < model->page_count;) {
        uint32_t end = at;
        while (end < model->page_count && !model->used[end]) {
            end++;
        }
        if (end > at) {
            uint64_t low = ((uint64_t)at + alignment - 1) / alignment * alignment;
            *total += end - at;
            *largest = end - at > *largest ? end - at : *largest;
            if (low + pages <= end && (best == 0 || end - at < best)) {
                best = end - at;
            }
            at = end;
        } else {
            at++;
        }
    }
    return best;
}

static uint32_t hole_around(const struct model *model, uint32_t first, uint32_t pages)
{
    uint32_t low = first, high = first + pages;

    while (low > 0 && !model->used[low - 1]) {
        low--;
    }
    while (high < model->page_count && !model->used[high]) {
        high++;
    }
    return high - low;
}

static void alloc_step(struct range_allocator *ranges, struct model *model, uint64_t *random)
{
    uint32_t scale = 1u << next_random(random) % 10;
    uint32_t pages = 1 + (uint32_t)(next_random(random) % scale);
    uint32_t alignment = next_random(random) % 3 ? 1 : 1u << next_random(random) % 8;
    bool from_end = next_random(random) % 2;
    uint32_t total, largest, best = best_hole(model, pages, alignment, &total, &largest);

    assert_int_equal(total, ranges->free_pages);
    assert_int_equal(largest, range_largest_free(ranges));
    uint32_t node = range_alloc(ranges, pages, alignment, from_end, model);
    assert_int_equal(node == RANGE_NONE, best == 0);
    if (node == RANGE_NONE) {
        return;
    }
    uint32_t first = range_page(ranges, node);
    assert_int_equal(first % alignment, 0);
    assert_true(first + pages <= model->page_count);
    for (uint32_t i = first; i < first + pages; i++) {
        assert_false(model->used[i]);
    }
    if (alignment == 1) {
        assert_int_equal(hole_around(model, first, pages), best);
    }
    for (uint32_t i = first; i < first + pages; i++) {
        model->used[i] = 1;
    }
    model->live[model->live_count++] = node;
}

static void free_step(struct range_allocator *ranges, struct model *model, uint64_t *random)
{
    if (model->live_count == 0) {
        return;
    }
    uint32_t i = (uint32_t)(next_random(random) % model->live_count), node = model->live[i];
    uint32_t first = range_page(ranges, node), pages = ranges->nodes[node].page_count;

    for (uint32_t page = first; page < first + pages; page++) {
        model->used[page] = 0;
    }
    range_free(ranges, node);
    model->live[i] = model->live[--model->live_count];
}

static void it_takes_the_smallest_hole_and_fails_only_without_one(void **state)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        uint64_t random = seed;
        struct model model = {.page_count = 500 + (uint32_t)(next_random(&random) % 3000)};
        struct range_allocator ranges;

        model.used = calloc(model.page_count, 1);
        model.live = calloc(model.page_count, sizeof(*model.live));
        assert_int_equal(range_init(&ranges, model.page_count), STATUS_SUCCESS);
        for (unsigned step = 0; step < 3000; step++) {
            bool filling = step / 200 % 2 == 0;
            if (next_random(&random) % 100 < (filling ? 65u : 40u)) {
                alloc_step(&ranges, &model, &random);
            } else {
                free_step(&ranges, &model, &random);
            }
            assert_true(range_consistent(&ranges));
        }
        while (model.live_count > 0) {
            free_step(&ranges, &model, &random);
        }
        assert_true(range_consistent(&ranges));
        assert_int_equal(range_largest_free(&ranges), model.page_count);
        range_fini(&ranges);
        free(model.used);
        free(model.live);
    }
}

/* The array of nodes moves several times, at last to large pages. */
static void owners_and_places_are_kept_when_the_nodes_move(void **state)
{
    enum { BLOCKS = 40000 };
    static uint32_t nodes[BLOCKS];
    struct range_allocator ranges;

    assert_int_equal(range_init(&ranges, 2 * BLOCKS), STATUS_SUCCESS);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        nodes[i] = range_alloc(&ranges, 1 + i % 2, 1, false, &nodes[i]);
        assert_int_not_equal(nodes[i], RANGE_NONE);
    }
    for (uint32_t i = 0; i < BLOCKS; i++) {
        assert_ptr_equal(ranges.nodes[nodes[i]].owner, &nodes[i]);
        assert_int_equal(ranges.nodes[nodes[i]].page_count, 1 + i % 2);
    }
    assert_true(range_consistent(&ranges));
    for (uint32_t i = 0; i < BLOCKS; i += 2) {
        range_free(&ranges, nodes[i]);
    }
    assert_true(range_consistent(&ranges));
    for (uint32_t i = 1; i < BLOCKS; i += 2) {
        assert_ptr_equal(ranges.nodes[nodes[i]].owner, &nodes[i]);
        range_free(&ranges, nodes[i]);
    }
    assert_int_equal(range_largest_free(&ranges), 2 * BLOCKS);
    range_fini(&ranges);
}

static void holes_beyond_the_exact_bins_fit_best_too(void **state)
{
    struct range_allocator ranges;
    uint32_t nodes[6];
    static const uint32_t sizes[] = {20000, 1, 19000, 1, 30000, 1};

    assert_int_equal(range_init(&ranges, 20000 + 19000 + 30000 + 3), STATUS_SUCCESS);
    for (unsigned i = 0; i < 6; i++) {
        nodes[i] = range_alloc(&ranges, sizes[i], 1, false, NULL);
        assert_int_not_equal(nodes[i], RANGE_NONE);
    }
    uint32_t place = range_page(&ranges, nodes[2]);
    range_free(&ranges, nodes[0]);
    range_free(&ranges, nodes[2]);
    range_free(&ranges, nodes[4]);
    uint32_t node = range_alloc(&ranges, 18999, 1, false, NULL);
    assert_int_equal(range_page(&ranges, node), place);
    assert_int_equal(range_alloc(&ranges, 30001, 1, false, NULL), RANGE_NONE);
    assert_int_not_equal(range_alloc(&ranges, 30000, 1, true, NULL), RANGE_NONE);
    range_fini(&ranges);
}

static void sizes_out_of_bounds_are_refused(void **state)
{
    struct range_allocator ranges;

    assert_int_equal(range_init(&ranges, 0), STATUS_INVALID_PARAMETER);
    assert_int_equal(range_init(&ranges, UINT64_C(1) << 32), STATUS_INVALID_PARAMETER);
    assert_int_equal(range_init(&ranges, UINT32_MAX - 1), STATUS_SUCCESS);
    assert_int_equal(range_alloc(&ranges, 0, 1, false, NULL), RANGE_NONE);
    uint32_t node = range_alloc(&ranges, 1u << 30, 1u << 31, true, NULL);
    assert_int_equal(range_page(&ranges, node), 1u << 31);
    range_free(&ranges, node);
    assert_true(range_consistent(&ranges));
    range_fini(&ranges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_takes_the_smallest_hole_and_fails_only_without_one),
        cmocka_unit_test(owners_and_places_are_kept_when_the_nodes_move),
        cmocka_unit_test(holes_beyond_the_exact_bins_fit_best_too),
        cmocka_unit_test(sizes_out_of_bounds_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
