/* What operations are queued, in which order, with which arguments; CPU locks, DMA buffers, resets
 * and the shadow. */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vidmm/mock_gpu.h"

enum { PAGE = 4096, ITEM_MAX = 8 };

struct fixture {
    struct mock_gpu gpu;
    struct vidmm_allocation items[ITEM_MAX];
    struct vidmm_use use;
    unsigned count;
};

/* Segment 1: visible memory. Segment 2: hidden memory. Segment 3: a coherent aperture. Segment 4:
 * memory with a CPU host aperture. */
static const struct vidmm_segment_options segments[] = {
    {.flags = VIDMM_SEGMENT_CPU_VISIBLE, .base_address = 0x100000, .size_bytes = 16 * PAGE},
    {.base_address = 0x200000, .size_bytes = 8 * PAGE},
    {.flags = VIDMM_SEGMENT_APERTURE | VIDMM_SEGMENT_CACHE_COHERENT,
     .base_address = 0x300000,
     .size_bytes = 8 * PAGE},
    {.flags = VIDMM_SEGMENT_HOST_APERTURE, .base_address = 0x400000, .size_bytes = 4 * PAGE},
};

static int set_up_pieces(void **state, uint64_t transfer_bytes_max)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    struct vidmm_config config = {.segments = segments,
                                  .segment_count = 4,
                                  .transfer_bytes_max = transfer_bytes_max,
                                  .fill_pattern = 0xA1B2C3D4};

    mock_gpu_init(&fixture->gpu, &config, 16 << 20);
    vidmm_use_init(&fixture->use, fixture->gpu.vidmm);
    *state = fixture;
    return 0;
}

static int set_up(void **state)
{
    return set_up_pieces(state, 2 * PAGE);
}

#define RUN_BYTES (4 * PAGE) /* of a BAR; the shadow looks at no more at once */

static int set_up_runs(void **state)
{
    return set_up_pieces(state, 4 * RUN_BYTES);
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_wait wait;

    vidmm_use_fini(&fixture->use);
    for (unsigned i = 0; i < fixture->count; i++) {
        assert_int_equal(vidmm_allocation_retire(&fixture->items[i], &wait), STATUS_SUCCESS);
        mock_gpu_run_all(&fixture->gpu);
        vidmm_allocation_fini(&fixture->items[i]);
    }
    mock_gpu_fini(&fixture->gpu);
    free(fixture);
    return 0;
}

static struct vidmm_allocation *make(struct fixture *fixture, unsigned pages, uint32_t set,
                                     uint32_t flags, uint32_t eviction_segments)
{
    struct vidmm_allocation *item = &fixture->items[fixture->count++];
    const struct vidmm_allocation_options options = {.size_bytes = pages * PAGE,
                                                     .read_segments = set,
                                                     .write_segments = set,
                                                     .eviction_segments = eviction_segments,
                                                     .flags = flags};

    assert_int_equal(vidmm_allocation_init(item, fixture->gpu.vidmm, &options), STATUS_SUCCESS);
    return item;
}

static struct vidmm_prepare_result prepare(struct fixture *fixture, struct vidmm_allocation *item,
                                           uint32_t segments_wanted)
{
    const struct vidmm_reference reference = {
        .allocation = item, .write = true, .slot = VIDMM_NO_SLOT, .segments = segments_wanted};
    const struct vidmm_prepare_request request = {.references = &reference, .count = 1};
    struct vidmm_prepare_result result;

    vidmm_prepare(&fixture->use, &request, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    return result;
}

static void touch(struct fixture *fixture, struct vidmm_allocation *item, uint32_t segments_wanted)
{
    (void)prepare(fixture, item, segments_wanted);
    mock_gpu_run_all(&fixture->gpu);
    vidmm_use_retire(&fixture->use);
}

static void evict(struct fixture *fixture, struct vidmm_allocation *item)
{
    struct vidmm_wait wait;

    assert_int_equal(vidmm_evict(item, &wait), STATUS_SUCCESS);
    fixture->gpu.log_count = 0;
    mock_gpu_run_all(&fixture->gpu);
    assert_true(vidmm_paging_reached(fixture->gpu.vidmm, wait.paging_sequence));
}

static const struct vidmm_op *log_at(const struct fixture *fixture, size_t index)
{
    assert_true(index < fixture->gpu.log_count);
    return &fixture->gpu.log[index].op;
}

static void new_memory_is_filled(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 1, 0, 0);
    struct vidmm_prepare_result result = prepare(fixture, item, 0);

    assert_false(vidmm_paging_reached(fixture->gpu.vidmm, result.paging_sequence));
    mock_gpu_run_all(&fixture->gpu);
    assert_true(vidmm_paging_reached(fixture->gpu.vidmm, result.paging_sequence));
    const struct vidmm_op *op = log_at(fixture, 0);
    assert_int_equal(op->kind, VIDMM_OP_FILL);
    assert_int_equal(op->fill.destination.segment, 1);
    assert_int_equal(op->fill.destination.address, 0x100000 + item->offset);
    assert_int_equal(op->fill.size_bytes, 3 * PAGE);
    assert_int_equal(op->fill.pattern, 0xA1B2C3D4);
    assert_ptr_equal(op->allocation, item);
    vidmm_use_retire(&fixture->use);
    assert_int_equal(prepare(fixture, item, 0).paging_sequence, 0); /* nothing to wait for */
}

static void long_transfers_come_in_pieces(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 5, 1, 0, 0);

    touch(fixture, item, 0);
    evict(fixture, item);
    static const uint64_t sizes[] = {2 * PAGE, 2 * PAGE, PAGE};
    for (unsigned i = 0; i < 3; i++) {
        const struct vidmm_op *op = log_at(fixture, i);
        assert_int_equal(op->kind, VIDMM_OP_TRANSFER);
        assert_int_equal(op->move.source.segment, 1);
        assert_int_equal(op->move.destination.segment, 0);
        assert_int_equal(op->move.offset, i * 2 * PAGE);
        assert_int_equal(op->frame_first, i * 2);
        assert_int_equal(op->move.size_bytes, sizes[i]);
        assert_int_equal(op->move.start, i == 0);
        assert_int_equal(op->move.end, i == 2);
    }
    assert_int_equal(fixture->gpu.log_count, 3);
}

static void eviction_goes_through_an_aperture_if_asked(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item =
        make(fixture, 2, 2, VIDMM_ALLOCATION_CPU_VISIBLE, VIDMM_SEGMENT_BIT(3));
    struct vidmm_wait wait;

    touch(fixture, item, 0);
    *mock_gpu_at(&fixture->gpu, 2, item->offset + PAGE) = 0x42;
    assert_int_equal(vidmm_evict(item, &wait), STATUS_SUCCESS);
    fixture->gpu.log_count = 0;
    mock_gpu_pull(&fixture->gpu);
    assert_int_equal(fixture->gpu.log_count, 2); /* UNMAP waits for the transfer */
    assert_int_equal(log_at(fixture, 0)->kind, VIDMM_OP_MAP_APERTURE);
    assert_false(log_at(fixture, 0)->aperture.coherent); /* write combined */
    assert_int_equal(log_at(fixture, 1)->kind, VIDMM_OP_TRANSFER);
    assert_int_equal(log_at(fixture, 1)->move.destination.segment, 3);
    mock_gpu_run_all(&fixture->gpu);
    assert_int_equal(log_at(fixture, 2)->kind, VIDMM_OP_UNMAP_APERTURE);
    assert_int_not_equal(log_at(fixture, 2)->aperture.dummy_frame, 0);
    uint8_t byte;
    mock_gpu_read(&fixture->gpu, item, PAGE, &byte, 1);
    assert_int_equal(byte, 0x42);
}

static void apertures_are_mapped_and_unmapped(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 4, VIDMM_ALLOCATION_CACHED, 0);

    touch(fixture, item, 0);
    const struct vidmm_op *op = log_at(fixture, 0);
    assert_int_equal(op->kind, VIDMM_OP_MAP_APERTURE);
    assert_int_equal(op->aperture.segment, 3);
    assert_int_equal(op->aperture.page_count, 3);
    assert_true(op->aperture.coherent);
    uint32_t word;
    memcpy(&word, mock_gpu_at(&fixture->gpu, 3, item->offset), 4);
    assert_int_equal(word, 0xA1B2C3D4);
    evict(fixture, item);
    assert_int_equal(log_at(fixture, 0)->kind, VIDMM_OP_UNMAP_APERTURE);
    assert_int_equal(fixture->gpu.log_count, 1);
}

static void discarded_content_does_not_come_back(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 2, 5, 0, 0);
    struct vidmm_wait wait;
    uint32_t word;
    bool discarded;

    touch(fixture, item, 1);
    *mock_gpu_at(&fixture->gpu, 1, item->offset) = 0x66;
    /* Out, in and out again, with nothing run yet. */
    assert_int_equal(vidmm_evict(item, &wait), STATUS_SUCCESS);
    (void)prepare(fixture, item, 1);
    vidmm_use_retire(&fixture->use);
    assert_int_equal(vidmm_offer(item, &wait), STATUS_SUCCESS);
    assert_int_equal(vidmm_evict(item, &wait), STATUS_SUCCESS);
    vidmm_reclaim(item, &discarded);
    assert_true(discarded);
    touch(fixture, item, 4);
    memcpy(&word, mock_gpu_at(&fixture->gpu, 3, item->offset), 4);
    assert_int_equal(word, 0xA1B2C3D4);
}

/* ---- Locks --------------------------------------------------------------------------------------
 */

static void a_lock_in_visible_memory_points_into_it(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 1, 1, VIDMM_ALLOCATION_CPU_VISIBLE, 0);
    struct vidmm_wait wait;
    void *pointer;

    (void)prepare(fixture, item, 0);
    vidmm_use_retire(&fixture->use);
    assert_int_equal(vidmm_lock(item, 0, &pointer, &wait), STATUS_PENDING);
    assert_int_equal(wait.kind, VIDMM_WAIT_PAGING);
    assert_int_equal(vidmm_lock(item, VIDMM_LOCK_DO_NOT_WAIT, &pointer, &wait),
                     STATUS_GRAPHICS_ALLOCATION_BUSY);
    mock_gpu_run_all(&fixture->gpu);
    assert_int_equal(vidmm_lock(item, 0, &pointer, &wait), STATUS_SUCCESS);
    assert_ptr_equal(pointer, mock_gpu_at(&fixture->gpu, 1, item->offset));
    void *again;
    assert_int_equal(vidmm_lock(item, 0, &again, &wait), STATUS_SUCCESS);
    assert_ptr_equal(again, pointer);
    assert_int_equal(vidmm_evict(item, &wait), STATUS_PENDING);
    assert_int_equal(wait.kind, VIDMM_WAIT_LOCK);
    assert_int_equal(vidmm_unlock(item), STATUS_SUCCESS);
    assert_int_equal(vidmm_unlock(item), STATUS_SUCCESS);
    assert_int_equal(vidmm_unlock(item), STATUS_INVALID_PARAMETER);
}

static void a_lock_in_hidden_memory_evicts_first(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 2, 2, VIDMM_ALLOCATION_CPU_VISIBLE, 0);
    struct vidmm_wait wait;
    uint8_t *pointer;

    touch(fixture, item, 0);
    *mock_gpu_at(&fixture->gpu, 2, item->offset + PAGE + 1) = 0x31;
    assert_int_equal(vidmm_lock(item, VIDMM_LOCK_DO_NOT_EVICT, (void **)&pointer, &wait),
                     STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION);
    assert_int_equal(vidmm_lock(item, 0, (void **)&pointer, &wait), STATUS_PENDING);
    mock_gpu_run_all(&fixture->gpu);
    assert_int_equal(vidmm_lock(item, 0, (void **)&pointer, &wait), STATUS_SUCCESS);
    assert_int_equal(pointer[PAGE + 1], 0x31);
    pointer[PAGE + 1] = 0x32;

    /* The GPU may not copy it away below the CPU's pointer. */
    const struct vidmm_reference reference = {.allocation = item, .slot = VIDMM_NO_SLOT};
    const struct vidmm_prepare_request request = {.references = &reference, .count = 1};
    struct vidmm_prepare_result result;
    vidmm_prepare(&fixture->use, &request, &result);
    assert_int_equal(result.outcome, VIDMM_WAIT);
    assert_int_equal(result.wait.kind, VIDMM_WAIT_LOCK);
    assert_ptr_equal(result.wait.allocation, item);
    assert_int_equal(vidmm_unlock(item), STATUS_SUCCESS);
    touch(fixture, item, 0);
    assert_int_equal(*mock_gpu_at(&fixture->gpu, 2, item->offset + PAGE + 1), 0x32);
}

static void swizzled_memory_is_never_shown_in_place(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item =
        make(fixture, 1, 1, VIDMM_ALLOCATION_CPU_VISIBLE | VIDMM_ALLOCATION_SWIZZLED, 0);
    struct vidmm_allocation *hidden = make(fixture, 1, 1, 0, 0);
    struct vidmm_wait wait;
    void *pointer;

    touch(fixture, item, 0);
    assert_int_equal(vidmm_lock(item, 0, &pointer, &wait), STATUS_PENDING);
    assert_int_equal(item->segment, 0);
    assert_int_equal(vidmm_lock(hidden, 0, &pointer, &wait), STATUS_INVALID_PARAMETER);
}

/* Only the CPU needs the linear layout, and what it saw no aperture shows. */
static void swizzled_memory_is_converted_for_locks_alone(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item =
        make(fixture, 1, 1 | 4, VIDMM_ALLOCATION_CPU_VISIBLE | VIDMM_ALLOCATION_SWIZZLED, 0);
    struct vidmm_wait wait;
    uint8_t *pointer;

    touch(fixture, item, 0);
    *mock_gpu_at(&fixture->gpu, 1, item->offset) = 0x41;
    evict(fixture, item);
    assert_false(item->linear);
    fixture->gpu.log_count = 0;
    while (vidmm_lock(item, 0, (void **)&pointer, &wait) == STATUS_PENDING) {
        mock_gpu_run_all(&fixture->gpu);
    }
    assert_int_equal(fixture->gpu.log_count, 2);
    assert_false(fixture->gpu.log[0].op.move.swizzle);
    assert_true(fixture->gpu.log[1].op.move.unswizzle);
    assert_true(item->linear);
    assert_int_equal(*pointer, 0x41);
    assert_int_equal(vidmm_unlock(item), STATUS_SUCCESS);
    touch(fixture, item, 0);
    assert_int_equal(item->segment, 1);
    assert_true(fixture->gpu.log[2].op.move.swizzle);
    evict(fixture, item);
    assert_false(item->linear);
}

static void a_lock_waits_for_the_gpu_unless_told_not_to(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 1, 4, VIDMM_ALLOCATION_CPU_VISIBLE, 0);
    struct vidmm_wait wait;
    uint8_t *pointer;

    (void)prepare(fixture, item, 0);
    mock_gpu_run_all(&fixture->gpu);
    assert_int_equal(vidmm_lock(item, 0, (void **)&pointer, &wait), STATUS_PENDING);
    assert_int_equal(wait.kind, VIDMM_WAIT_USE);
    assert_ptr_equal(wait.use, &fixture->use);
    assert_int_equal(vidmm_lock(item, VIDMM_LOCK_IGNORE_SYNC, (void **)&pointer, &wait),
                     STATUS_SUCCESS);
    *pointer = 0x99;
    vidmm_use_retire(&fixture->use);
    evict(fixture, item); /* an aperture shows the same frames: no pointer breaks */
    touch(fixture, item, 0);
    assert_int_equal(vidmm_unlock(item), STATUS_SUCCESS);
    assert_int_equal(*mock_gpu_at(&fixture->gpu, 3, item->offset), 0x99);
}

static void a_bar_that_cannot_be_mapped_fails_the_lock_only(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 1, 1, VIDMM_ALLOCATION_CPU_VISIBLE, 0);
    struct vidmm_wait wait;
    void *pointer;

    touch(fixture, item, 0);
    fixture->gpu.no_map = true;
    assert_int_equal(vidmm_lock(item, 0, &pointer, &wait), STATUS_NO_MEMORY);
    assert_int_equal(item->lock_count, 0);
    evict(fixture, item);
}

static void without_room_in_the_host_aperture_a_lock_leads_to_the_backing_store(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 1, 8, VIDMM_ALLOCATION_CPU_VISIBLE, 0);
    struct vidmm_wait wait;
    uint8_t *pointer;

    touch(fixture, item, 0);
    *mock_gpu_at(&fixture->gpu, 4, item->offset + 1) = 0x41;
    assert_int_equal(vidmm_lock(item, 0, (void **)&pointer, &wait), STATUS_SUCCESS);
    assert_ptr_equal(pointer, mock_gpu_at(&fixture->gpu, 4, item->offset));
    assert_int_equal(vidmm_unlock(item), STATUS_SUCCESS);

    fixture->gpu.no_map = true;
    assert_int_equal(vidmm_lock(item, VIDMM_LOCK_DO_NOT_EVICT, (void **)&pointer, &wait),
                     STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION);
    assert_int_equal(vidmm_lock(item, 0, (void **)&pointer, &wait), STATUS_PENDING);
    mock_gpu_run_all(&fixture->gpu);
    assert_int_equal(vidmm_lock(item, 0, (void **)&pointer, &wait), STATUS_SUCCESS);
    assert_int_equal(item->segment, 0);
    assert_int_equal(pointer[1], 0x41);
    assert_int_equal(vidmm_unlock(item), STATUS_SUCCESS);
}

/* ---- DMA buffers ----------------------------------------------------------------------------- */

static void contiguous_dma_buffers_need_no_paging(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_dma_pool pool;
    struct vidmm_dma_buffer *buffers[3];
    struct vidmm_wait wait;
    const struct vidmm_dma_pool_options options = {
        .size_bytes = 5000, .private_bytes = 16, .buffer_count_max = 2};

    assert_int_equal(vidmm_dma_pool_init(&pool, fixture->gpu.vidmm, &options), STATUS_SUCCESS);
    assert_int_equal(vidmm_dma_acquire(&pool, &buffers[0]), STATUS_SUCCESS);
    assert_int_equal(vidmm_dma_acquire(&pool, &buffers[1]), STATUS_SUCCESS);
    assert_int_equal(vidmm_dma_acquire(&pool, &buffers[2]), STATUS_INSUFFICIENT_RESOURCES);
    assert_int_equal(buffers[0]->size_bytes, 2 * PAGE);
    assert_int_equal(buffers[0]->segment, 0);
    buffers[0]->bytes[2 * PAGE - 1] = 0x31;
    assert_int_equal(((uint8_t *)ram_at(buffers[0]->physical_address, 2 * PAGE))[2 * PAGE - 1],
                     0x31);
    assert_int_equal((uintptr_t)(buffers[0]->private_data + 16) % PAGE, 0);
    memset(buffers[0]->private_data, 0x55, 16);
    vidmm_dma_release(buffers[0]);
    assert_int_equal(vidmm_dma_acquire(&pool, &buffers[2]), STATUS_SUCCESS);
    assert_ptr_equal(buffers[2], buffers[0]);
    assert_int_equal(buffers[2]->private_data[15], 0);
    vidmm_dma_release(buffers[1]);
    vidmm_dma_release(buffers[2]);
    assert_int_equal(vidmm_dma_pool_retire(&pool, &wait), STATUS_SUCCESS);
    vidmm_dma_pool_fini(&pool);
    const struct vidmm_dma_pool_options bare = {.size_bytes = 5000};
    assert_int_equal(vidmm_dma_pool_init(&pool, fixture->gpu.vidmm, &bare), STATUS_SUCCESS);
    pool.shuts = true;
    assert_int_equal(vidmm_dma_acquire(&pool, &buffers[0]), STATUS_SUCCESS);
    assert_null(buffers[0]->private_data); /* none was asked for */
    vidmm_dma_release(buffers[0]);
    assert_int_equal(vidmm_dma_pool_retire(&pool, &wait), STATUS_SUCCESS);
    vidmm_dma_pool_fini(&pool);
}

static void dma_buffers_in_apertures_are_mapped(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_dma_pool pool;
    struct vidmm_dma_buffer *buffer;
    struct vidmm_wait wait;
    const struct vidmm_dma_pool_options options = {.size_bytes = 3 * PAGE,
                                                   .segments = VIDMM_SEGMENT_BIT(3)};

    assert_int_equal(vidmm_dma_pool_init(&pool, fixture->gpu.vidmm, &options), STATUS_SUCCESS);
    assert_int_equal(vidmm_dma_acquire(&pool, &buffer), STATUS_SUCCESS);
    assert_int_equal(buffer->segment, 3);
    buffer->bytes[PAGE + 3] = 0x17;
    mock_gpu_run_all(&fixture->gpu);
    assert_true(vidmm_paging_reached(fixture->gpu.vidmm, buffer->paging_sequence));
    assert_null(log_at(fixture, 0)->allocation);
    assert_ptr_equal(log_at(fixture, 0)->dma_buffer, buffer);
    assert_int_equal(*mock_gpu_at(&fixture->gpu, 3, buffer->address - 0x300000 + PAGE + 3), 0x17);

    /* A reset unmaps it; the next use maps it again. */
    mock_gpu_reset(&fixture->gpu, false);
    vidmm_dma_release(buffer);
    mock_gpu_run_all(&fixture->gpu);
    assert_int_equal(log_at(fixture, 1)->kind, VIDMM_OP_UNMAP_APERTURE);
    assert_int_equal(vidmm_dma_acquire(&pool, &buffer), STATUS_SUCCESS);
    mock_gpu_run_all(&fixture->gpu);
    assert_int_equal(log_at(fixture, 2)->kind, VIDMM_OP_MAP_APERTURE);
    vidmm_dma_release(buffer);

    assert_int_equal(vidmm_dma_pool_retire(&pool, &wait), STATUS_PENDING);
    assert_int_equal(wait.kind, VIDMM_WAIT_PAGING);
    mock_gpu_run_all(&fixture->gpu);
    assert_int_equal(vidmm_dma_pool_retire(&pool, &wait), STATUS_SUCCESS);
    vidmm_dma_pool_fini(&pool);
}

static void idle_dma_buffers_leave_what_is_emptied_and_come_back(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm *vidmm = fixture->gpu.vidmm;
    struct vidmm_dma_pool pool;
    struct vidmm_dma_buffer *idle, *busy;
    struct vidmm_wait wait;
    const struct vidmm_dma_pool_options options = {.size_bytes = 3 * PAGE,
                                                   .segments = VIDMM_SEGMENT_BIT(3)};

    assert_int_equal(vidmm_dma_pool_init(&pool, vidmm, &options), STATUS_SUCCESS);
    assert_int_equal(vidmm_dma_acquire(&pool, &idle), STATUS_SUCCESS);
    assert_int_equal(vidmm_dma_acquire(&pool, &busy), STATUS_SUCCESS);
    mock_gpu_run_all(&fixture->gpu);
    vidmm_dma_release(idle);
    assert_int_equal(vidmm_evict_all(vidmm, &wait), STATUS_SUCCESS);
    mock_gpu_run_all(&fixture->gpu);
    assert_int_equal(log_at(fixture, 2)->kind, VIDMM_OP_UNMAP_APERTURE);
    assert_ptr_equal(log_at(fixture, 2)->dma_buffer, idle);
    assert_false(vidmm_is_empty(vidmm)); /* somebody works with the other one */

    vidmm_dma_release(busy);
    assert_int_equal(vidmm_evict_all(vidmm, &wait), STATUS_SUCCESS);
    mock_gpu_run_all(&fixture->gpu);
    assert_true(vidmm_is_empty(vidmm));

    assert_int_equal(vidmm_dma_acquire(&pool, &busy), STATUS_SUCCESS);
    mock_gpu_run_all(&fixture->gpu);
    assert_int_equal(log_at(fixture, 4)->kind, VIDMM_OP_MAP_APERTURE);
    vidmm_dma_release(busy);
    assert_int_equal(vidmm_dma_pool_retire(&pool, &wait), STATUS_PENDING);
    mock_gpu_run_all(&fixture->gpu);
    assert_int_equal(vidmm_dma_pool_retire(&pool, &wait), STATUS_SUCCESS);
    vidmm_dma_pool_fini(&pool);
}

/* After a reset others were first: what a use holds goes with it, what is pinned may stay. */
static void a_dma_buffer_waits_for_room_that_a_use_holds(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 6, VIDMM_SEGMENT_BIT(3), 0, 0);
    struct vidmm_dma_pool pool;
    struct vidmm_dma_buffer *buffer, *other;
    struct vidmm_prepare_result result;
    struct vidmm_pin pin = {0};
    struct vidmm_wait wait;
    const struct vidmm_dma_pool_options options = {.size_bytes = 3 * PAGE,
                                                   .segments = VIDMM_SEGMENT_BIT(3)};

    assert_int_equal(vidmm_dma_pool_init(&pool, fixture->gpu.vidmm, &options), STATUS_SUCCESS);
    assert_int_equal(vidmm_dma_acquire(&pool, &buffer), STATUS_SUCCESS);
    mock_gpu_run_all(&fixture->gpu);
    mock_gpu_reset(&fixture->gpu, false);
    (void)prepare(fixture, item, 0);
    assert_int_equal(vidmm_dma_map(buffer), STATUS_PENDING);
    assert_int_equal(vidmm_dma_acquire(&pool, &other), STATUS_PENDING);
    vidmm_use_retire(&fixture->use);
    vidmm_pin(&pin, item, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_int_equal(vidmm_dma_map(buffer), STATUS_GRAPHICS_NO_VIDEO_MEMORY);
    vidmm_unpin(&pin);
    assert_int_equal(vidmm_dma_map(buffer), STATUS_SUCCESS);
    mock_gpu_run_all(&fixture->gpu);
    assert_true(vidmm_paging_reached(fixture->gpu.vidmm, buffer->paging_sequence));
    vidmm_dma_release(buffer);
    assert_int_equal(vidmm_dma_pool_retire(&pool, &wait), STATUS_PENDING);
    mock_gpu_run_all(&fixture->gpu);
    assert_int_equal(vidmm_dma_pool_retire(&pool, &wait), STATUS_SUCCESS);
    vidmm_dma_pool_fini(&pool);
}

/* Idle ones leave for whoever needs their room; those of packets are waited for. */
static void dma_buffers_share_an_aperture(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 5, VIDMM_SEGMENT_BIT(3), 0, 0);
    struct vidmm_dma_pool pools[2];
    struct vidmm_dma_buffer *held, *given, *other;
    struct vidmm_wait wait;
    const struct vidmm_dma_pool_options options = {.size_bytes = 3 * PAGE,
                                                   .segments = VIDMM_SEGMENT_BIT(3)};

    assert_int_equal(vidmm_dma_pool_init(&pools[0], fixture->gpu.vidmm, &options), STATUS_SUCCESS);
    assert_int_equal(vidmm_dma_pool_init(&pools[1], fixture->gpu.vidmm, &options), STATUS_SUCCESS);
    assert_int_equal(vidmm_dma_acquire(&pools[0], &held), STATUS_SUCCESS);
    assert_int_equal(vidmm_dma_acquire(&pools[0], &given), STATUS_SUCCESS);
    assert_int_equal(vidmm_dma_acquire(&pools[1], &other), STATUS_PENDING);
    vidmm_dma_release(given);
    assert_int_equal(vidmm_dma_acquire(&pools[1], &other), STATUS_SUCCESS);
    assert_false(given->mapped);
    mock_gpu_run_all(&fixture->gpu);
    assert_int_equal(log_at(fixture, 2)->kind, VIDMM_OP_UNMAP_APERTURE);
    assert_ptr_equal(log_at(fixture, 2)->dma_buffer, given);
    assert_ptr_equal(log_at(fixture, 3)->dma_buffer, other);

    vidmm_dma_release(other);
    (void)prepare(fixture, item, 0);
    assert_false(other->mapped);
    assert_true(held->mapped);
    vidmm_use_retire(&fixture->use);
    vidmm_dma_release(held);
    for (unsigned i = 0; i < 2; i++) {
        while (vidmm_dma_pool_retire(&pools[i], &wait) == STATUS_PENDING) {
            mock_gpu_run_all(&fixture->gpu);
        }
        vidmm_dma_pool_fini(&pools[i]);
    }
}

static void dma_pools_refuse_memory_segments(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_dma_pool pool;
    const struct vidmm_dma_pool_options memory = {.size_bytes = PAGE, .segments = 1};
    const struct vidmm_dma_pool_options empty = {.size_bytes = 0};

    assert_int_equal(vidmm_dma_pool_init(&pool, fixture->gpu.vidmm, &memory),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(vidmm_dma_pool_init(&pool, fixture->gpu.vidmm, &empty),
                     STATUS_INVALID_PARAMETER);
    vidmm_dma_pool_fini(&pool);
}

/* ---- Reset, shadow ------------------------------------------------------------------------- */

static void a_reset_forgets_memory_and_unmaps_apertures(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *local = make(fixture, 2, 1, 0, 0);
    struct vidmm_allocation *mapped = make(fixture, 2, 4, 0, 0);
    struct vidmm_allocation *away = make(fixture, 2, 2, 0, 0);
    struct vidmm_statistics statistics;

    touch(fixture, local, 0);
    touch(fixture, mapped, 0);
    touch(fixture, away, 0);
    evict(fixture, away);
    (void)prepare(fixture, away, 0); /* still queued when the reset comes */
    vidmm_use_retire(&fixture->use);
    fixture->gpu.log_count = 0;
    mock_gpu_reset(&fixture->gpu, false);
    mock_gpu_run_all(&fixture->gpu);

    assert_int_equal(fixture->gpu.log_count, 2);
    assert_int_equal(log_at(fixture, 0)->reset, 1);
    assert_int_equal(log_at(fixture, 0)->kind, VIDMM_OP_TRANSFER);
    assert_int_equal(log_at(fixture, 0)->move.size_bytes, 0);
    assert_int_equal(log_at(fixture, 0)->move.source.segment, 1);
    assert_ptr_equal(log_at(fixture, 0)->allocation, local);
    assert_int_equal(log_at(fixture, 1)->kind, VIDMM_OP_UNMAP_APERTURE);
    assert_true(local->lost);
    assert_false(mapped->lost);
    assert_false(away->lost);
    assert_int_equal(away->content, VIDMM_CONTENT_SYSTEM);
    vidmm_statistics(fixture->gpu.vidmm, &statistics);
    assert_int_equal(statistics.lost_bytes, 2 * PAGE);
    touch(fixture, local, 0);
}

/* What a driver writes for the hardware in one of them ends when all of them are out. */
static void what_a_reset_forgets_comes_out_before_it_has_ended(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm *vidmm = fixture->gpu.vidmm;

    vidmm_shadow_enable(vidmm, true);
    touch(fixture, make(fixture, 2, 4, 0, 0), 0);
    touch(fixture, make(fixture, 2, 1, 0, 0), 0);
    vidmm_reset(vidmm);
    struct vidmm_op *unmap = vidmm_reset_next(vidmm), *transfer = vidmm_reset_next(vidmm);
    assert_non_null(unmap);
    assert_non_null(transfer);
    assert_int_equal(unmap->kind, VIDMM_OP_UNMAP_APERTURE);
    assert_int_equal(transfer->move.size_bytes, 0);
    assert_null(vidmm_reset_next(vidmm));
    vidmm_paging_done(unmap, STATUS_SUCCESS);
    vidmm_paging_done(transfer, STATUS_SUCCESS);
}

/* Its driver's handle may be gone by then. */
static void a_reset_forgets_what_was_on_its_way_out(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 5, 2, 0, 0);
    struct vidmm_wait wait;

    touch(fixture, item, 0);
    assert_int_equal(vidmm_evict(item, &wait), STATUS_SUCCESS);
    struct vidmm_op *first = vidmm_paging_next(fixture->gpu.vidmm);
    assert_true(first->move.start && !first->move.end);
    vidmm_paging_told(first);
    vidmm_paging_done(first, STATUS_SUCCESS);
    fixture->gpu.log_count = 0;
    mock_gpu_reset(&fixture->gpu, false);
    assert_int_equal(fixture->gpu.log_count, 1);
    assert_int_equal(log_at(fixture, 0)->kind, VIDMM_OP_TRANSFER);
    assert_int_equal(log_at(fixture, 0)->move.source.segment, 2);
    assert_int_equal(log_at(fixture, 0)->move.size_bytes, 0);
}

static void a_reset_says_nothing_of_what_was_retired(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 2, 1, 0, 0);
    struct vidmm_wait wait;

    (void)prepare(fixture, item, 0);
    vidmm_use_retire(&fixture->use); /* cancelled, its fill is still to come */
    assert_int_equal(vidmm_allocation_retire(item, &wait), STATUS_SUCCESS);
    assert_int_not_equal(wait.paging_sequence, 0);
    mock_gpu_run_all(&fixture->gpu);
    assert_int_equal(vidmm_allocation_retire(item, &wait), STATUS_SUCCESS);
    assert_int_equal(wait.paging_sequence, 0);
    fixture->gpu.log_count = 0;
    mock_gpu_reset(&fixture->gpu, false);
    mock_gpu_run_all(&fixture->gpu);
    assert_int_equal(fixture->gpu.log_count, 0);
}

static void the_shadow_names_the_operation_that_lost_a_byte(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 1, 0, 0);
    struct vidmm_statistics statistics;

    vidmm_shadow_enable(fixture->gpu.vidmm, true);
    touch(fixture, item, 0);
    evict(fixture, item);
    assert_int_equal(fixture->gpu.mismatch_count, 0);
    touch(fixture, item, 0);
    fixture->gpu.corrupt_next = true;
    evict(fixture, item);
    assert_int_equal(fixture->gpu.mismatch_count, 1);
    assert_int_equal(fixture->gpu.mismatch.offset, 5);
    assert_int_equal(fixture->gpu.mismatch.wrong_bytes, 1);
    assert_int_equal(fixture->gpu.mismatch.actual, fixture->gpu.mismatch.expected ^ 0x40);
    assert_false(fixture->gpu.mismatch.at_rest);

    /* Of what ended before a reset, and is heard of behind it, the bytes may be lost. */
    touch(fixture, item, 0);
    fixture->gpu.corrupt_next = fixture->gpu.ends_unseen = true;
    evict(fixture, item);
    fixture->gpu.ends_unseen = false;
    touch(fixture, item, 0);
    evict(fixture, item);

    /* A stray write into the backing store shows when it comes back. */
    *(uint8_t *)ram_at(item->frames[1] * PAGE + 9, 1) ^= 1;
    touch(fixture, item, 0);
    assert_int_equal(fixture->gpu.mismatch_count, 2);
    assert_true(fixture->gpu.mismatch.at_rest);
    vidmm_statistics(fixture->gpu.vidmm, &statistics);
    assert_int_equal(statistics.shadow_mismatches, 2);
    assert_true(statistics.shadow_checks >= 7);
    /* All of what was looked at, but for the lost byte. */
    assert_int_equal(fixture->gpu.match_count, statistics.shadow_checks - 1);
}

/* Neither side is seen as a whole, and of the wrong one the last part is not seen at all. */
static void the_shadow_sees_what_no_bar_shows_in_one_run(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 10, 1, 0, 0);

    fixture->gpu.run_bytes = RUN_BYTES;
    vidmm_shadow_enable(fixture->gpu.vidmm, true);
    touch(fixture, item, 0);
    evict(fixture, item);
    assert_int_equal(fixture->gpu.mismatch_count, 0);
    fixture->gpu.corrupt_next = true;
    fixture->gpu.seen_end = 2 * RUN_BYTES;
    touch(fixture, item, 0);
    assert_int_equal(fixture->gpu.mismatch_count, 1);
    assert_int_equal(fixture->gpu.mismatch.wrong_bytes, 1);
    assert_int_equal(fixture->gpu.mismatch.offset, 5);
    assert_int_equal(fixture->gpu.mismatch.size_bytes, 2 * RUN_BYTES);
}

static void writes_to_the_dummy_page_are_seen(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 1, 4, 0, 0);

    touch(fixture, item, 0);
    evict(fixture, item);
    uint8_t *page = ram_at(log_at(fixture, 0)->aperture.dummy_frame * PAGE, PAGE);
    assert_true(vidmm_dummy_intact(fixture->gpu.vidmm));
    page[77] = 1;
    assert_false(vidmm_dummy_intact(fixture->gpu.vidmm));
    page[77] = 0;
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(new_memory_is_filled),
        CASE(long_transfers_come_in_pieces),
        CASE(eviction_goes_through_an_aperture_if_asked),
        CASE(apertures_are_mapped_and_unmapped),
        CASE(discarded_content_does_not_come_back),
        CASE(a_lock_in_visible_memory_points_into_it),
        CASE(a_lock_in_hidden_memory_evicts_first),
        CASE(swizzled_memory_is_never_shown_in_place),
        CASE(swizzled_memory_is_converted_for_locks_alone),
        CASE(a_lock_waits_for_the_gpu_unless_told_not_to),
        CASE(a_bar_that_cannot_be_mapped_fails_the_lock_only),
        CASE(without_room_in_the_host_aperture_a_lock_leads_to_the_backing_store),
        CASE(contiguous_dma_buffers_need_no_paging),
        CASE(dma_buffers_in_apertures_are_mapped),
        CASE(a_dma_buffer_waits_for_room_that_a_use_holds),
        CASE(dma_buffers_share_an_aperture),
        CASE(idle_dma_buffers_leave_what_is_emptied_and_come_back),
        CASE(dma_pools_refuse_memory_segments),
        CASE(a_reset_forgets_memory_and_unmaps_apertures),
        CASE(what_a_reset_forgets_comes_out_before_it_has_ended),
        CASE(a_reset_forgets_what_was_on_its_way_out),
        CASE(a_reset_says_nothing_of_what_was_retired),
        CASE(the_shadow_names_the_operation_that_lost_a_byte),
        cmocka_unit_test_setup_teardown(the_shadow_sees_what_no_bar_shows_in_one_run, set_up_runs,
                                        tear_down),
        CASE(writes_to_the_dummy_page_are_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
