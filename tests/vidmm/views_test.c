/* The CPU's views of backing stores: gone with the lock, or kept until there are newer ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "machine/machine.h"
#include "vidmm/mock_gpu.h"

enum { PAGE = 4096, PAGES = 3, ITEMS = 65 }; /* one more than are kept */

struct fixture {
    struct mock_gpu gpu;
    struct vidmm_allocation items[ITEMS];
};

static const struct vidmm_segment_options segment = {.base_address = 0x100000,
                                                     .size_bytes = 8 * PAGE};

static void start(struct fixture *fixture, bool keep_views)
{
    struct vidmm_config config = {
        .segments = &segment, .segment_count = 1, .keep_views = keep_views};
    const struct vidmm_allocation_options options = {.size_bytes = PAGES * PAGE,
                                                     .read_segments = VIDMM_SEGMENT_BIT(1),
                                                     .write_segments = VIDMM_SEGMENT_BIT(1),
                                                     .flags = VIDMM_ALLOCATION_CPU_VISIBLE};

    mock_gpu_init(&fixture->gpu, &config, 16 << 20);
    for (unsigned i = 0; i < ITEMS; i++) {
        fixture->items[i] = (struct vidmm_allocation){0};
        assert_int_equal(vidmm_allocation_init(&fixture->items[i], fixture->gpu.vidmm, &options),
                         STATUS_SUCCESS);
    }
}

static void end_item(struct fixture *fixture, unsigned index)
{
    struct vidmm_wait wait;

    assert_int_equal(vidmm_allocation_retire(&fixture->items[index], &wait), STATUS_SUCCESS);
    vidmm_allocation_fini(&fixture->items[index]);
}

static void stop(struct fixture *fixture, unsigned first)
{
    for (unsigned i = first; i < ITEMS; i++) {
        end_item(fixture, i);
    }
    mock_gpu_fini(&fixture->gpu);
}

static uint8_t *lock(struct fixture *fixture, unsigned index)
{
    struct vidmm_wait wait;
    void *bytes;

    assert_int_equal(vidmm_lock(&fixture->items[index], 0, &bytes, &wait), STATUS_SUCCESS);
    return bytes;
}

static uint8_t *look(struct fixture *fixture, unsigned index)
{
    uint8_t *bytes = lock(fixture, index);

    assert_int_equal(vidmm_unlock(&fixture->items[index]), STATUS_SUCCESS);
    return bytes;
}

static bool is_there(const uint8_t *view)
{
    uint64_t physical;

    return ram_physical_of(view + (PAGES - 1) * PAGE, &physical);
}

static void a_view_goes_with_its_lock(void **state)
{
    struct fixture fixture;

    start(&fixture, false);
    uint8_t *bytes = lock(&fixture, 0);
    assert_true(is_there(bytes));
    assert_int_equal(vidmm_unlock(&fixture.items[0]), STATUS_SUCCESS);
    assert_false(is_there(bytes));
    stop(&fixture, 0);
}

static void a_kept_view_is_the_next_locks(void **state)
{
    struct fixture fixture;

    start(&fixture, true);
    uint8_t *bytes = look(&fixture, 0);
    assert_true(is_there(bytes));
    uint8_t *again = lock(&fixture, 0);
    assert_ptr_equal(again, bytes);
    again[PAGE] = 0x5A;
    assert_ptr_equal(lock(&fixture, 0), bytes); /* twice */
    assert_int_equal(vidmm_unlock(&fixture.items[0]), STATUS_SUCCESS);
    assert_int_equal(vidmm_unlock(&fixture.items[0]), STATUS_SUCCESS);
    assert_int_equal(look(&fixture, 0)[PAGE], 0x5A);
    stop(&fixture, 0);
}

static void a_kept_view_goes_with_its_allocation(void **state)
{
    struct fixture fixture;

    start(&fixture, true);
    uint8_t *bytes = look(&fixture, 0);
    end_item(&fixture, 0);
    assert_false(is_there(bytes));
    stop(&fixture, 1);
}

static void the_oldest_goes_when_there_are_many(void **state)
{
    struct fixture fixture;
    uint8_t *first, *second;

    start(&fixture, true);
    first = look(&fixture, 0);
    second = look(&fixture, 1);
    assert_ptr_equal(look(&fixture, 0), first); /* the second is the oldest now */
    for (unsigned i = 2; i < ITEMS; i++) {
        assert_true(is_there(second));
        (void)look(&fixture, i);
    }
    assert_true(is_there(first));
    assert_false(is_there(second));
    stop(&fixture, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_view_goes_with_its_lock),
        cmocka_unit_test(a_kept_view_is_the_next_locks),
        cmocka_unit_test(a_kept_view_goes_with_its_allocation),
        cmocka_unit_test(the_oldest_goes_when_there_are_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
