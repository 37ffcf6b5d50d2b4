/* DMA buffers: pools of memory that drivers write commands into.
 *
 * A buffer is made when all others are busy and lives as long as its pool. It is contiguous system
 * memory (segment 0), or scattered memory that an aperture shows. It and its private data are seen
 * through views, behind each of which is a page without access: who writes too far faults there and
 * then. Under a variation nobody may touch the views of an idle one. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "vidmm/internal.h"

enum {
    BUFFER_COUNT_DEFAULT = 64,
    APERTURE_SHARE = 8, /* of the apertures, what one pool may take */
    BUFFER_COUNT_MIN = 2,
    PRIVATE_ALIGNMENT = 16, /* as memory of the kernel has */
    KEPT_FOR_RESET = 2,     /* operations for each buffer in an aperture: unmap it, map it again */
};

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
            .from_end = vary_happens(VARY_FROM_END, 2),
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

/* Does some packet's buffer lie in one of these apertures? */
static bool is_any_busy_locked(const struct vidmm *vidmm, uint32_t segments) HOLDS(vidmm->lock)
{
    list_for_each (pool_link, &vidmm->pools) {
        const struct vidmm_dma_pool *pool = container_of(pool_link, struct vidmm_dma_pool, link);
        if (pool->paging) {
            continue; /* they are kept */
        }
        list_for_each (link, &pool->busy) {
            const struct vidmm_dma_buffer *buffer =
                container_of(link, struct vidmm_dma_buffer, link);
            if (buffer->mapped && (VIDMM_SEGMENT_BIT(buffer->segment) & segments) != 0) {
                return true;
            }
        }
    }
    return false;
}

static void unlink_locked(struct vidmm *vidmm, struct vidmm_dma_buffer *buffer) HOLDS(vidmm->lock)
{
    struct segment *segment = segment_of(vidmm, buffer->segment);

    segment->committed_bytes -= segment_pages(segment, buffer->size_bytes) * VIDMM_PAGE_BYTES;
    range_free(&segment->ranges, buffer->range);
    buffer->range = RANGE_NONE;
    buffer->mapped = false;
    released_locked(vidmm);
}

bool dma_unmap_idle_locked(struct vidmm *vidmm, const struct segment *segment)
{
    list_for_each (pool_link, &vidmm->pools) {
        struct vidmm_dma_pool *pool = container_of(pool_link, struct vidmm_dma_pool, link);
        list_for_each (link, &pool->idle) {
            struct vidmm_dma_buffer *buffer = container_of(link, struct vidmm_dma_buffer, link);
            if (pool->paging || !buffer->mapped || buffer->segment != segment->id) {
                continue;
            }
            if (!paging_reserve_locked(vidmm, 1)) {
                return false;
            }
            (void)queue_unmap_locked(vidmm, buffer, buffer->segment, buffer->offset);
            unlink_locked(vidmm, buffer);
            return true;
        }
    }
    return false;
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

/* ---- Idle buffers ---------------------------------------------------------------------------- */

/* From its last packet's end until it is used again, a buffer is not the driver's. What the GPU
 * sees of it stays as it is. */
void vidmm_dma_rest(struct vidmm_dma_buffer *buffer)
{
    if (buffer->pool->shuts) {
        ram_view_shut(buffer->bytes);
        if (buffer->private_view) {
            ram_view_shut(buffer->private_view);
        }
    }
}

void vidmm_dma_wake(struct vidmm_dma_buffer *buffer)
{
    if (buffer->pool->shuts) {
        ram_view_open(buffer->bytes);
        if (buffer->private_view) {
            ram_view_open(buffer->private_view);
        }
    }
}

/* ---- Buffers --------------------------------------------------------------------------------- */

static void private_free(struct vidmm_dma_buffer *buffer)
{
    if (buffer->private_view) {
        ram_unmap_frames(buffer->private_view, buffer->private_frame_count);
    }
    if (buffer->private_frames) {
        ram_free_frames(buffer->private_frames, buffer->private_frame_count);
        free(buffer->private_frames);
    }
}

static void buffer_free(struct vidmm_dma_buffer *buffer)
{
    if (buffer->bytes) {
        ram_unmap_frames(buffer->bytes, buffer->frame_count);
    }
    if (buffer->frames) {
        ram_free_frames(buffer->frames, buffer->frame_count);
        free(buffer->frames);
    } else if (buffer->physical_address) {
        ram_free_contiguous(buffer->physical_address >> MACHINE_PAGE_SHIFT, buffer->frame_count);
    }
    private_free(buffer);
    free(buffer);
}

/* A view of a contiguous piece. NULL: no memory. */
static void *view_of_contiguous(uint64_t frame, size_t count)
{
    uint64_t *frames = malloc(count * sizeof(*frames));
    void *view = NULL;

    for (size_t i = 0; frames && i < count; i++) {
        frames[i] = frame + i;
    }
    if (frames) {
        view = ram_map_frames(frames, count, true);
    }
    free(frames);
    return view;
}

static NTSTATUS contiguous_memory(struct vidmm_dma_buffer *buffer)
{
    const struct ram_request request = {.page_count = buffer->frame_count};
    uint64_t frame;
    NTSTATUS status = ram_alloc_contiguous(&request, &frame);

    if (NT_SUCCESS(status)) {
        buffer->physical_address = buffer->address = frame << MACHINE_PAGE_SHIFT;
        buffer->bytes = view_of_contiguous(frame, buffer->frame_count);
    }
    return !NT_SUCCESS(status) || buffer->bytes ? status : STATUS_NO_MEMORY;
}

/* Pages from anywhere, in a view. NULL: no memory. */
static void *scattered_pages(size_t count, uint64_t **out)
{
    const struct ram_request request = {.page_count = count};
    uint64_t *frames = malloc(count * sizeof(*frames));

    if (!frames || !NT_SUCCESS(ram_alloc_frames(&request, frames))) {
        free(frames);
        return NULL;
    }
    *out = frames; /* the caller's, whatever comes of the view */
    return ram_map_frames(frames, count, true);
}

static NTSTATUS scattered_memory(struct vidmm_dma_buffer *buffer)
{
    buffer->bytes = scattered_pages(buffer->frame_count, &buffer->frames);
    if (!buffer->bytes) {
        return STATUS_NO_MEMORY;
    }
    buffer->physical_address = buffer->frames[0] << MACHINE_PAGE_SHIFT;
    return STATUS_SUCCESS;
}

/* It begins as late in its pages as its alignment lets it. Who wants none has none: a driver may
 * follow any pointer [PAGE-016, SUBMIT-022]. */
static bool private_memory(struct vidmm_dma_buffer *buffer)
{
    size_t size = buffer->pool->private_bytes;
    size_t bytes = align_up(size, VIDMM_PAGE_BYTES);

    if (size == 0) {
        return true;
    }
    buffer->private_frame_count = bytes / VIDMM_PAGE_BYTES;
    buffer->private_view = scattered_pages(buffer->private_frame_count, &buffer->private_frames);
    if (!buffer->private_view) {
        return false;
    }
    memset(buffer->private_view, 0, bytes);
    buffer->private_data =
        (uint8_t *)buffer->private_view + align_down(bytes - size, PRIVATE_ALIGNMENT);
    ram_view_name(buffer->private_view, "the private data of a DMA buffer",
                  (size_t)(buffer->private_data - (uint8_t *)buffer->private_view), size);
    return true;
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
    NTSTATUS status = !private_memory(buffer) ? STATUS_NO_MEMORY
                      : pool->segments == 0   ? contiguous_memory(buffer)
                                              : scattered_memory(buffer);
    if (!NT_SUCCESS(status)) {
        buffer_free(buffer);
        return status;
    }
    ram_view_name(buffer->bytes, "a DMA buffer", 0, buffer->size_bytes);
    *out = buffer;
    return STATUS_SUCCESS;
}

/* ---- Pools ----------------------------------------------------------------------------------- */

static size_t kept_for(const struct vidmm_dma_pool *pool)
{
    return pool->segments ? KEPT_FOR_RESET : pool->space ? buffer_show_operations(pool) : 0;
}

/* Contexts share what there is of apertures, and each is to have some. */
static uint32_t buffers_max(const struct vidmm *vidmm, const struct vidmm_dma_pool_options *options)
{
    uint32_t wanted = options->buffer_count_max ? options->buffer_count_max : BUFFER_COUNT_DEFAULT;
    uint64_t bytes = 0;

    for (unsigned i = 0; i < vidmm->segment_count; i++) {
        const struct segment *segment = &vidmm->segments[i];
        bytes += (options->segments & 1u << i) != 0 ? segment->options.commit_limit_bytes : 0;
    }
    uint64_t fair = bytes / APERTURE_SHARE / options->size_bytes;
    if (options->segments == 0 || options->paging || fair >= wanted) {
        return wanted;
    }
    return fair < BUFFER_COUNT_MIN ? BUFFER_COUNT_MIN : (uint32_t)fair;
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
        (options->segments & ~apertures) != 0 || (options->segments != 0 && options->space)) {
        return STATUS_INVALID_PARAMETER;
    }
    *pool = (struct vidmm_dma_pool){
        .vidmm = vidmm,
        .size_bytes = align_up(options->size_bytes, VIDMM_PAGE_BYTES),
        .segments = options->segments,
        .private_bytes = options->private_bytes,
        .paging = options->paging,
        .space = options->space,
        .shuts = vary_happens(VARY_SHUT_BUFFERS, 1),
        .buffer_count_max = buffers_max(vidmm, options),
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
    free(pool->old_private);
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
        status = pool->space && buffer->virtual_address == 0
                     ? buffer_give_address_locked(vidmm, buffer)
                     : map_locked(vidmm, buffer);
        if (status == STATUS_GRAPHICS_NO_VIDEO_MEMORY &&
            is_any_busy_locked(vidmm, pool->segments)) {
            status = STATUS_PENDING;
        }
        if (status != STATUS_SUCCESS) {
            list_push_front(&pool->idle, &buffer->link);
        }
    }
    if (status == STATUS_SUCCESS) {
        vidmm_dma_wake(buffer);
        if (buffer->private_data && !vary_happens(VARY_OLD_PRIVATE_DATA, 1)) {
            memset(buffer->private_data, 0, pool->private_bytes);
        } else if (buffer->private_data && link && pool->old_private) {
            memcpy(buffer->private_data, pool->old_private, pool->private_bytes);
        }
        list_push_back(&pool->busy, &buffer->link);
        pool->busy_count++;
        *out = buffer;
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

void vidmm_dma_keep_private(struct vidmm_dma_buffer *buffer)
{
    struct vidmm_dma_pool *pool = buffer->pool;
    struct vidmm *vidmm = pool->vidmm;

    if (!buffer->private_data || !vary_on(VARY_OLD_PRIVATE_DATA)) {
        return;
    }
    mutex_lock(&vidmm->lock);
    if (!pool->old_private) {
        pool->old_private = malloc(pool->private_bytes);
    }
    if (pool->old_private) {
        memcpy(pool->old_private, buffer->private_data, pool->private_bytes);
    }
    mutex_unlock(&vidmm->lock);
}

void vidmm_dma_release(struct vidmm_dma_buffer *buffer)
{
    struct vidmm_dma_pool *pool = buffer->pool;
    struct vidmm *vidmm = pool->vidmm;

    mutex_lock(&vidmm->lock);
    list_remove(&buffer->link);
    list_push_back(&pool->idle, &buffer->link);
    pool->busy_count--;
    vidmm_dma_rest(buffer);
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

static void show_list_locked(struct vidmm *vidmm, struct list *buffers) HOLDS(vidmm->lock)
{
    list_for_each (link, buffers) {
        struct vidmm_dma_buffer *buffer = container_of(link, struct vidmm_dma_buffer, link);
        if (buffer->virtual_address != 0) { /* operations are kept */
            buffer_show_locked(vidmm, buffer);
        }
    }
}

size_t dma_show_operations(struct vidmm *vidmm)
{
    size_t count = 0;

    list_for_each (link, &vidmm->pools) {
        const struct vidmm_dma_pool *pool = container_of(link, struct vidmm_dma_pool, link);
        count += pool->space ? buffer_show_operations(pool) * pool->buffer_count : 0;
    }
    return count;
}

void dma_show_again_locked(struct vidmm *vidmm, const struct vidmm_space *space)
{
    list_for_each (link, &vidmm->pools) {
        struct vidmm_dma_pool *pool = container_of(link, struct vidmm_dma_pool, link);
        if (pool->space == space) {
            show_list_locked(vidmm, &pool->idle);
            show_list_locked(vidmm, &pool->busy);
        }
    }
}

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
