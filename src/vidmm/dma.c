/* DMA buffers: pools of memory that drivers write commands into.
 *
 * A buffer is made when all others are busy and lives as long as its pool. It is contiguous system
 * memory (segment 0), or scattered memory that an aperture shows. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "vidmm/internal.h"

enum { BUFFER_COUNT_DEFAULT = 64 };

/* Operations that are kept for each buffer in an aperture: to unmap it, and to map it again. */
enum { KEPT_FOR_RESET = 2 };

/* Reserved before. */
static struct vidmm_op *queue_map_locked(struct vidmm *vidmm, struct vidmm_dma_buffer *buffer)
    HOLDS(vidmm->lock)
{
    struct vidmm_op *op =
        paging_queue_locked(vidmm, VIDMM_OP_MAP_APERTURE, VIDMM_REASON_OWNER, NULL);
    uint32_t flags = segment_of(vidmm, buffer->segment)->options.flags;

    op->dma_buffer = buffer;
    op->frames = buffer->frames;
    op->frame_count = buffer->frame_count;
    op->aperture = (struct vidmm_aperture){
        .segment = buffer->segment,
        .page_first = buffer->offset / VIDMM_PAGE_BYTES,
        .page_count = buffer->frame_count,
        .coherent = (flags & VIDMM_SEGMENT_CACHE_COHERENT) != 0,
    };
    buffer->operation_count++;
    buffer->paging_sequence = op->sequence;
    return op;
}

static struct vidmm_op *queue_unmap_locked(struct vidmm *vidmm, struct vidmm_dma_buffer *buffer,
                                           unsigned segment, uint64_t offset) HOLDS(vidmm->lock)
{
    struct vidmm_op *op =
        paging_queue_locked(vidmm, VIDMM_OP_UNMAP_APERTURE, VIDMM_REASON_OWNER, NULL);

    op->after = buffer->paging_sequence;
    op->dma_buffer = buffer;
    op->frames = buffer->frames;
    op->frame_count = buffer->frame_count;
    op->aperture = (struct vidmm_aperture){
        .segment = segment,
        .page_first = offset / VIDMM_PAGE_BYTES,
        .page_count = buffer->frame_count,
        .dummy_frame = vidmm->dummy_frame,
    };
    buffer->operation_count++;
    buffer->paging_sequence = op->sequence;
    return op;
}

/* A range for the buffer in one of its pool's apertures. PENDING: there may be one later. */
static NTSTATUS find_room_locked(struct vidmm *vidmm, struct vidmm_dma_buffer *buffer)
    HOLDS(vidmm->lock)
{
    for (unsigned id = 1; id <= vidmm->segment_count; id++) {
        struct segment *segment = segment_of(vidmm, id);
        if ((buffer->pool->segments & VIDMM_SEGMENT_BIT(id)) == 0 ||
            buffer->size_bytes > segment->options.commit_limit_bytes) {
            continue;
        }
        const struct room room = {
            .page_count = segment_pages(segment, buffer->size_bytes),
            .alignment_pages = segment_alignment_pages(segment, VIDMM_PAGE_BYTES),
        };
        uint32_t node;
        NTSTATUS status = make_room_locked(vidmm, segment, &room, &node);
        if (!NT_SUCCESS(status)) {
            return status;
        }
        if (node != RANGE_NONE) {
            segment->committed_bytes += room.page_count * VIDMM_PAGE_BYTES;
            buffer->segment = id;
            buffer->range = node;
            buffer->offset = range_page(&segment->ranges, node) * VIDMM_PAGE_BYTES;
            buffer->address = segment->options.base_address + buffer->offset;
            buffer->mapped = true;
            return STATUS_SUCCESS;
        }
    }
    /* What others hold there now, they let go of when they are done. */
    struct vidmm_wait wait;
    return find_blocker_locked(vidmm, NULL, buffer->pool->segments, &wait)
               ? STATUS_PENDING
               : STATUS_GRAPHICS_NO_VIDEO_MEMORY;
}

static void unlink_locked(struct vidmm *vidmm, struct vidmm_dma_buffer *buffer) HOLDS(vidmm->lock)
{
    struct segment *segment = segment_of(vidmm, buffer->segment);

    segment->committed_bytes -= segment_pages(segment, buffer->size_bytes) * VIDMM_PAGE_BYTES;
    range_free(&segment->ranges, buffer->range);
    buffer->range = RANGE_NONE;
    buffer->mapped = false;
}

/* Maps it if it has to be and is not. */
static NTSTATUS map_locked(struct vidmm *vidmm, struct vidmm_dma_buffer *buffer) HOLDS(vidmm->lock)
{
    if (buffer->pool->segments == 0 || buffer->mapped || buffer->pool->retiring) {
        return STATUS_SUCCESS;
    }
    NTSTATUS status = find_room_locked(vidmm, buffer);
    if (status != STATUS_SUCCESS) {
        return status;
    }
    /* Behind find_room: evictions took operations from the reserve. */
    if (!paging_reserve_locked(vidmm, 1)) {
        unlink_locked(vidmm, buffer);
        return STATUS_NO_MEMORY;
    }
    (void)queue_map_locked(vidmm, buffer);
    return STATUS_SUCCESS;
}

/* ---- Buffers --------------------------------------------------------------------------------- */

static void buffer_free(struct vidmm_dma_buffer *buffer)
{
    if (buffer->frames) {
        if (buffer->bytes) {
            ram_unmap_frames(buffer->bytes, buffer->frame_count);
        }
        ram_free_frames(buffer->frames, buffer->frame_count);
        free(buffer->frames);
    } else if (buffer->bytes) {
        ram_free_contiguous(buffer->physical_address >> MACHINE_PAGE_SHIFT, buffer->frame_count);
    }
    free(buffer->private_data);
    free(buffer);
}

static NTSTATUS contiguous_memory(struct vidmm_dma_buffer *buffer)
{
    const struct ram_request request = {.page_count = buffer->frame_count};
    uint64_t frame;
    NTSTATUS status = ram_alloc_contiguous(&request, &frame);

    if (NT_SUCCESS(status)) {
        buffer->physical_address = buffer->address = frame << MACHINE_PAGE_SHIFT;
        buffer->bytes = ram_at(buffer->physical_address, buffer->size_bytes);
        CHECK_THAT(buffer->bytes);
    }
    return status;
}

static NTSTATUS scattered_memory(struct vidmm_dma_buffer *buffer)
{
    const struct ram_request request = {.page_count = buffer->frame_count};
    uint64_t *frames = malloc(buffer->frame_count * sizeof(*frames));

    if (!frames) {
        return STATUS_NO_MEMORY;
    }
    NTSTATUS status = ram_alloc_frames(&request, frames);
    if (!NT_SUCCESS(status)) {
        free(frames);
        return status;
    }
    buffer->frames = frames;
    buffer->physical_address = frames[0] << MACHINE_PAGE_SHIFT;
    buffer->bytes = ram_map_frames(frames, buffer->frame_count, true);
    return buffer->bytes ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS buffer_create(struct vidmm_dma_pool *pool, struct vidmm_dma_buffer **out)
{
    struct vidmm_dma_buffer *buffer = calloc(1, sizeof(*buffer));

    if (!buffer) {
        return STATUS_NO_MEMORY;
    }
    buffer->pool = pool;
    buffer->size_bytes = pool->size_bytes;
    buffer->frame_count = pool->size_bytes / VIDMM_PAGE_BYTES;
    buffer->range = RANGE_NONE;
    buffer->private_data = calloc(1, pool->private_bytes ? pool->private_bytes : 1);
    NTSTATUS status = !buffer->private_data ? STATUS_NO_MEMORY
                      : pool->segments == 0 ? contiguous_memory(buffer)
                                            : scattered_memory(buffer);
    if (!NT_SUCCESS(status)) {
        buffer_free(buffer);
        return status;
    }
    *out = buffer;
    return STATUS_SUCCESS;
}

/* ---- Pools ----------------------------------------------------------------------------------- */

static size_t kept_for(const struct vidmm_dma_pool *pool)
{
    return pool->segments ? KEPT_FOR_RESET : 0;
}

NTSTATUS vidmm_dma_pool_init(struct vidmm_dma_pool *pool, struct vidmm *vidmm,
                             const struct vidmm_dma_pool_options *options)
{
    uint32_t apertures = 0;

    *pool = (struct vidmm_dma_pool){0};
    for (unsigned i = 0; i < vidmm->segment_count; i++) {
        apertures |= segment_is_aperture(&vidmm->segments[i]) ? 1u << i : 0;
    }
    if (options->size_bytes == 0 || options->size_bytes > UINT32_MAX ||
        (options->segments & ~apertures) != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    *pool = (struct vidmm_dma_pool){
        .vidmm = vidmm,
        .size_bytes = align_up(options->size_bytes, VIDMM_PAGE_BYTES),
        .segments = options->segments,
        .private_bytes = options->private_bytes,
        .paging = options->paging,
        .buffer_count_max =
            options->buffer_count_max ? options->buffer_count_max : BUFFER_COUNT_DEFAULT,
    };
    list_init(&pool->idle);
    list_init(&pool->busy);
    mutex_lock(&vidmm->lock);
    list_push_back(&vidmm->pools, &pool->link);
    mutex_unlock(&vidmm->lock);
    return STATUS_SUCCESS;
}

/* For its last operation; or, if all that count are over, for a revoked one to come back. */
static void wait_for_buffer_locked(struct vidmm *vidmm, const struct vidmm_dma_buffer *buffer,
                                   struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    if (buffer->paging_sequence > vidmm->sequence_completed) {
        wait->kind = VIDMM_WAIT_PAGING;
        wait->paging_sequence = buffer->paging_sequence > wait->paging_sequence
                                    ? buffer->paging_sequence
                                    : wait->paging_sequence;
    } else if (wait->kind == VIDMM_WAIT_NONE) {
        wait->kind = VIDMM_WAIT_OWNER;
    }
}

NTSTATUS vidmm_dma_pool_retire(struct vidmm_dma_pool *pool, struct vidmm_wait *wait)
{
    struct vidmm *vidmm = pool->vidmm;
    NTSTATUS status = STATUS_SUCCESS;

    *wait = (struct vidmm_wait){0};
    if (!vidmm) {
        return STATUS_SUCCESS;
    }
    CHECK_THAT(list_empty(&pool->busy));
    mutex_lock(&vidmm->lock);
    pool->retiring = true;
    list_for_each (link, &pool->idle) {
        struct vidmm_dma_buffer *buffer = container_of(link, struct vidmm_dma_buffer, link);
        if (buffer->mapped) {
            if (!paging_reserve_locked(vidmm, 1)) {
                status = STATUS_NO_MEMORY;
                break;
            }
            (void)queue_unmap_locked(vidmm, buffer, buffer->segment, buffer->offset);
            unlink_locked(vidmm, buffer);
        }
        if (buffer->operation_count > 0) {
            wait_for_buffer_locked(vidmm, buffer, wait);
            status = STATUS_PENDING;
        }
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

void vidmm_dma_pool_fini(struct vidmm_dma_pool *pool)
{
    struct vidmm *vidmm = pool->vidmm;

    if (!vidmm) {
        return;
    }
    mutex_lock(&vidmm->lock);
    CHECK_THAT(list_empty(&pool->busy));
    list_remove(&pool->link);
    paging_unkeep_locked(vidmm, kept_for(pool) * pool->buffer_count);
    mutex_unlock(&vidmm->lock);
    for (struct list *link; (link = list_pop_front(&pool->idle)) != NULL;) {
        struct vidmm_dma_buffer *buffer = container_of(link, struct vidmm_dma_buffer, link);
        CHECK_THAT(!buffer->mapped && buffer->operation_count == 0);
        buffer_free(buffer);
    }
    *pool = (struct vidmm_dma_pool){0};
}

NTSTATUS vidmm_dma_acquire(struct vidmm_dma_pool *pool, struct vidmm_dma_buffer **out)
{
    struct vidmm *vidmm = pool->vidmm;
    struct vidmm_dma_buffer *buffer = NULL;
    NTSTATUS status = STATUS_SUCCESS;

    mutex_lock(&vidmm->lock);
    struct list *link = list_pop_front(&pool->idle);
    if (link) {
        buffer = container_of(link, struct vidmm_dma_buffer, link);
    } else if (pool->buffer_count == pool->buffer_count_max) {
        status = STATUS_INSUFFICIENT_RESOURCES;
    } else if (!paging_keep_locked(vidmm, kept_for(pool))) {
        status = STATUS_NO_MEMORY;
    } else {
        status = buffer_create(pool, &buffer);
        pool->buffer_count += NT_SUCCESS(status);
        if (!NT_SUCCESS(status)) {
            paging_unkeep_locked(vidmm, kept_for(pool));
        }
    }
    if (NT_SUCCESS(status)) {
        status = map_locked(vidmm, buffer);
        if (status != STATUS_SUCCESS) {
            list_push_front(&pool->idle, &buffer->link);
        }
    }
    if (status == STATUS_SUCCESS) {
        if (!vary_happens(VARY_OLD_PRIVATE_DATA, 1)) {
            memset(buffer->private_data, 0, pool->private_bytes);
        }
        list_push_back(&pool->busy, &buffer->link);
        pool->busy_count++;
        *out = buffer;
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

void vidmm_dma_release(struct vidmm_dma_buffer *buffer)
{
    struct vidmm_dma_pool *pool = buffer->pool;
    struct vidmm *vidmm = pool->vidmm;

    mutex_lock(&vidmm->lock);
    list_remove(&buffer->link);
    list_push_back(&pool->idle, &buffer->link);
    pool->busy_count--;
    mutex_unlock(&vidmm->lock);
}

NTSTATUS vidmm_dma_map(struct vidmm_dma_buffer *buffer)
{
    struct vidmm *vidmm = buffer->pool->vidmm;

    mutex_lock(&vidmm->lock);
    NTSTATUS status = map_locked(vidmm, buffer);
    mutex_unlock(&vidmm->lock);
    return status;
}

/* ---- Reset ----------------------------------------------------------------------------------- */

static void forget_list_locked(struct vidmm *vidmm, struct list *buffers) HOLDS(vidmm->lock)
{
    list_for_each (link, buffers) {
        struct vidmm_dma_buffer *buffer = container_of(link, struct vidmm_dma_buffer, link);
        if (buffer->known_segment != 0) {
            struct vidmm_op *op =
                queue_unmap_locked(vidmm, buffer, buffer->known_segment, buffer->known_offset);
            op->reason = VIDMM_REASON_RESET;
            op->reset = vidmm->reset_count;
        }
        if (buffer->mapped) {
            unlink_locked(vidmm, buffer);
        }
    }
}

void dma_forget_locked(struct vidmm *vidmm)
{
    list_for_each (link, &vidmm->pools) {
        struct vidmm_dma_pool *pool = container_of(link, struct vidmm_dma_pool, link);
        forget_list_locked(vidmm, &pool->idle);
        forget_list_locked(vidmm, &pool->busy);
    }
}

static void restore_list_locked(struct vidmm *vidmm, struct list *buffers) HOLDS(vidmm->lock)
{
    list_for_each (link, buffers) {
        struct vidmm_dma_buffer *buffer = container_of(link, struct vidmm_dma_buffer, link);
        /* Nothing is placed anywhere now, so nobody has to make room for it. */
        if (find_room_locked(vidmm, buffer) == STATUS_SUCCESS) {
            (void)queue_map_locked(vidmm, buffer);
        }
    }
}

void dma_restore_locked(struct vidmm *vidmm)
{
    list_for_each (link, &vidmm->pools) {
        struct vidmm_dma_pool *pool = container_of(link, struct vidmm_dma_pool, link);
        if (pool->paging && pool->segments != 0 && !pool->retiring) {
            restore_list_locked(vidmm, &pool->idle);
            restore_list_locked(vidmm, &pool->busy);
        }
    }
}
