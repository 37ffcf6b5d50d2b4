/* An aperture of the chipset's: before the CPU looks at what the GPU wrote there, the GPU reads and
 * writes there once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "vidmm/mock_gpu.h"

enum { PAGE = 4096, MEMORY = 1, CHIPSET = 2, PAGES = 3 };

struct fixture {
    struct mock_gpu gpu;
    struct vidmm_allocation item;
    struct vidmm_use use;
};

static const struct vidmm_segment_options segments[] = {
    {.base_address = 0x100000, .size_bytes = 8 * PAGE},
    {.flags = VIDMM_SEGMENT_APERTURE | VIDMM_SEGMENT_CHIPSET,
     .base_address = 0x8000000000,
     .size_bytes = 8 * PAGE},
};

static void start(struct fixture *fixture, uint32_t segment_set, uint32_t eviction_segments)
{
    struct vidmm_config config = {.segments = segments, .segment_count = 2};
    const struct vidmm_allocation_options options = {.size_bytes = PAGES * PAGE,
                                                     .read_segments = segment_set,
                                                     .write_segments = segment_set,
                                                     .eviction_segments = eviction_segments,
                                                     .flags = VIDMM_ALLOCATION_CPU_VISIBLE};

    mock_gpu_init(&fixture->gpu, &config, 16 << 20);
    vidmm_use_init(&fixture->use, fixture->gpu.vidmm);
    assert_int_equal(vidmm_allocation_init(&fixture->item, fixture->gpu.vidmm, &options),
                     STATUS_SUCCESS);
}

static void stop(struct fixture *fixture)
{
    struct vidmm_wait wait;

    vidmm_use_fini(&fixture->use);
    assert_int_equal(vidmm_allocation_retire(&fixture->item, &wait), STATUS_SUCCESS);
    mock_gpu_run_all(&fixture->gpu);
    vidmm_allocation_fini(&fixture->item);
    mock_gpu_fini(&fixture->gpu);
}

/* The GPU reads it, or writes it. What came of that is not logged. */
static void use(struct fixture *fixture, bool write)
{
    const struct vidmm_reference reference = {
        .allocation = &fixture->item, .write = write, .slot = VIDMM_NO_SLOT};
    const struct vidmm_prepare_request request = {.references = &reference, .count = 1};
    struct vidmm_prepare_result result;

    vidmm_prepare(&fixture->use, &request, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    mock_gpu_run_all(&fixture->gpu);
    vidmm_use_retire(&fixture->use);
    fixture->gpu.log_count = 0;
}

static enum vidmm_op_kind kind_at(const struct fixture *fixture, size_t index)
{
    assert_true(index < fixture->gpu.log_count);
    return fixture->gpu.log[index].op.kind;
}

static void a_look_at_what_was_written_waits_for_both(void **state)
{
    struct fixture fixture;
    struct vidmm_wait wait;
    void *bytes;

    start(&fixture, VIDMM_SEGMENT_BIT(CHIPSET), 0);
    use(&fixture, true);
    assert_int_equal(vidmm_lock(&fixture.item, 0, &bytes, &wait), STATUS_PENDING);
    assert_int_equal(wait.kind, VIDMM_WAIT_PAGING);
    mock_gpu_run_all(&fixture.gpu);
    assert_int_equal(fixture.gpu.log_count, 2);
    assert_int_equal(kind_at(&fixture, 0), VIDMM_OP_READ_PHYSICAL);
    assert_int_equal(kind_at(&fixture, 1), VIDMM_OP_WRITE_PHYSICAL);
    assert_int_equal(fixture.gpu.log[0].op.touch.address,
                     segments[1].base_address + fixture.item.offset + PAGES * PAGE - 8);
    assert_int_equal(vidmm_lock(&fixture.item, 0, &bytes, &wait), STATUS_SUCCESS);
    assert_int_equal(vidmm_unlock(&fixture.item), STATUS_SUCCESS);
    /* Nothing was written since. */
    assert_int_equal(vidmm_lock(&fixture.item, 0, &bytes, &wait), STATUS_SUCCESS);
    assert_int_equal(vidmm_unlock(&fixture.item), STATUS_SUCCESS);
    assert_int_equal(fixture.gpu.log_count, 2);
    stop(&fixture);
}

static void what_was_read_alone_is_seen_at_once(void **state)
{
    struct fixture fixture;
    struct vidmm_wait wait;
    void *bytes;

    start(&fixture, VIDMM_SEGMENT_BIT(CHIPSET), 0);
    use(&fixture, false);
    assert_int_equal(vidmm_lock(&fixture.item, 0, &bytes, &wait), STATUS_SUCCESS);
    assert_int_equal(vidmm_unlock(&fixture.item), STATUS_SUCCESS);
    stop(&fixture);
}

/* The next one may not wait, and finds it done. */
static void a_look_that_may_not_wait_starts_both(void **state)
{
    struct fixture fixture;
    struct vidmm_wait wait;
    void *bytes;

    start(&fixture, VIDMM_SEGMENT_BIT(CHIPSET), 0);
    use(&fixture, true);
    assert_int_equal(vidmm_lock(&fixture.item, VIDMM_LOCK_DO_NOT_WAIT, &bytes, &wait),
                     STATUS_GRAPHICS_ALLOCATION_BUSY);
    mock_gpu_run_all(&fixture.gpu);
    assert_int_equal(fixture.gpu.log_count, 2);
    assert_int_equal(vidmm_lock(&fixture.item, VIDMM_LOCK_DO_NOT_WAIT, &bytes, &wait),
                     STATUS_SUCCESS);
    assert_int_equal(vidmm_unlock(&fixture.item), STATUS_SUCCESS);
    stop(&fixture);
}

static void what_leaves_is_read_before_it_is_unmapped(void **state)
{
    struct fixture fixture;
    struct vidmm_wait wait;

    start(&fixture, VIDMM_SEGMENT_BIT(CHIPSET), 0);
    use(&fixture, true);
    assert_int_equal(vidmm_evict(&fixture.item, &wait), STATUS_SUCCESS);
    mock_gpu_run_all(&fixture.gpu);
    assert_int_equal(fixture.gpu.log_count, 3);
    assert_int_equal(kind_at(&fixture, 0), VIDMM_OP_READ_PHYSICAL);
    assert_int_equal(kind_at(&fixture, 1), VIDMM_OP_WRITE_PHYSICAL);
    assert_int_equal(kind_at(&fixture, 2), VIDMM_OP_UNMAP_APERTURE);
    stop(&fixture);
}

static void what_leaves_memory_through_it_is_read_there(void **state)
{
    struct fixture fixture;
    struct vidmm_wait wait;

    start(&fixture, VIDMM_SEGMENT_BIT(MEMORY), VIDMM_SEGMENT_BIT(CHIPSET));
    use(&fixture, true);
    assert_int_equal(vidmm_evict(&fixture.item, &wait), STATUS_SUCCESS);
    mock_gpu_run_all(&fixture.gpu);
    assert_int_equal(fixture.gpu.log_count, 5);
    assert_int_equal(kind_at(&fixture, 0), VIDMM_OP_MAP_APERTURE);
    assert_int_equal(kind_at(&fixture, 1), VIDMM_OP_TRANSFER);
    assert_int_equal(kind_at(&fixture, 2), VIDMM_OP_READ_PHYSICAL);
    assert_int_equal(kind_at(&fixture, 3), VIDMM_OP_WRITE_PHYSICAL);
    assert_int_equal(kind_at(&fixture, 4), VIDMM_OP_UNMAP_APERTURE);
    stop(&fixture);
}

static void a_reset_leaves_nothing_to_be_read(void **state)
{
    struct fixture fixture;
    struct vidmm_wait wait;
    void *bytes;

    start(&fixture, VIDMM_SEGMENT_BIT(CHIPSET), 0);
    use(&fixture, true);
    assert_int_equal(vidmm_lock(&fixture.item, 0, &bytes, &wait), STATUS_PENDING);
    mock_gpu_pull(&fixture.gpu);
    mock_gpu_reset(&fixture.gpu, false);
    mock_gpu_run_all(&fixture.gpu);
    assert_int_equal(vidmm_lock(&fixture.item, 0, &bytes, &wait), STATUS_SUCCESS);
    assert_int_equal(vidmm_unlock(&fixture.item), STATUS_SUCCESS);
    stop(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_at_what_was_written_waits_for_both),
        cmocka_unit_test(what_was_read_alone_is_seen_at_once),
        cmocka_unit_test(a_look_that_may_not_wait_starts_both),
        cmocka_unit_test(what_leaves_is_read_before_it_is_unmapped),
        cmocka_unit_test(what_leaves_memory_through_it_is_read_there),
        cmocka_unit_test(a_reset_leaves_nothing_to_be_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
