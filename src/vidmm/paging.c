/* The queue of paging operations.
 *
 *     reserve, queue ──> [queued] ── vidmm_paging_next ──> [running] ── vidmm_paging_done ──> spare
 *
 * One order for all: an operation's sequence number is its place. Whatever a later operation
 * overwrites, earlier ones have read by then. The one exception is the aperture, for a driver may
 * program it with the CPU while it builds: an UNMAP waits (`after`) until the last operation that
 * went through the range has ended. */
#include <stdlib.h>

#include "base/check.h"
#include "base/record.h"
#include "vidmm/internal.h"

const char *vidmm_op_name(enum vidmm_op_kind kind)
{
    static const char *const names[VIDMM_OP_KIND_COUNT] = {
        [VIDMM_OP_TRANSFER] = "Transfer",
        [VIDMM_OP_FILL] = "Fill",
        [VIDMM_OP_DISCARD] = "DiscardContent",
        [VIDMM_OP_MAP_APERTURE] = "MapApertureSegment",
        [VIDMM_OP_UNMAP_APERTURE] = "UnmapApertureSegment",
        [VIDMM_OP_SPECIAL_LOCK] = "SpecialLockTransfer",
        [VIDMM_OP_OWNER] = "Owner",
    };

    return (unsigned)kind < VIDMM_OP_KIND_COUNT ? names[kind] : "?";
}

bool paging_reserve_locked(struct vidmm *vidmm, size_t count)
{
    while (vidmm->spare_count < count) {
        struct vidmm_op *op = calloc(1, sizeof(*op));
        if (!op) {
            return false;
        }
        list_push_back(&vidmm->spare, &op->link);
        vidmm->spare_count++;
    }
    return true;
}

struct vidmm_op *paging_queue_locked(struct vidmm *vidmm, enum vidmm_op_kind kind,
                                     enum vidmm_reason reason, struct vidmm_allocation *allocation)
{
    struct list *link = list_pop_front(&vidmm->spare);

    CHECK_THAT(link); /* reserved before */
    vidmm->spare_count--;
    struct vidmm_op *op = container_of(link, struct vidmm_op, link);
    *op = (struct vidmm_op){
        .kind = kind,
        .reason = reason,
        .vidmm = vidmm,
        .allocation = allocation,
        .sequence = ++vidmm->sequence_queued,
        .start = true,
        .end = true,
        .idle = true,
        .dummy_frame = vidmm->dummy_frame,
    };
    if (allocation) {
        op->size_bytes = allocation->size_bytes;
        op->frames = allocation->frames;
        op->frame_count = allocation->size_bytes / VIDMM_PAGE_BYTES;
        allocation->operation_count++;
        allocation->paging_sequence = op->sequence;
    }
    list_push_back(&vidmm->queued, &op->link);
    return op;
}

size_t paging_piece_count(const struct vidmm *vidmm, const struct vidmm_allocation *allocation)
{
    uint64_t piece = vidmm->config.transfer_bytes_max;

    return piece == 0 ? 1 : (allocation->size_bytes + piece - 1) / piece;
}

struct vidmm_side paging_side(struct vidmm *vidmm, unsigned segment, uint64_t offset)
{
    if (segment == 0) {
        return (struct vidmm_side){0};
    }
    return (struct vidmm_side){
        .segment = segment,
        .offset = offset,
        .address = segment_of(vidmm, segment)->options.base_address + offset,
    };
}

void paging_queue_transfer_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                  enum vidmm_reason reason, struct vidmm_side source,
                                  struct vidmm_side destination)
{
    uint64_t piece = vidmm->config.transfer_bytes_max;
    uint64_t size = allocation->size_bytes;

    if (piece == 0) {
        piece = size;
    }
    for (uint64_t offset = 0; offset < size; offset += piece) {
        struct vidmm_op *op = paging_queue_locked(vidmm, VIDMM_OP_TRANSFER, reason, allocation);
        op->source = source;
        op->destination = destination;
        op->offset = offset;
        op->frame_first = offset / VIDMM_PAGE_BYTES;
        op->size_bytes = size - offset < piece ? size - offset : piece;
        op->start = offset == 0;
        op->end = offset + op->size_bytes == size;
    }
}

void paging_queue_map_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                             enum vidmm_reason reason, unsigned segment, uint64_t offset,
                             bool temporary)
{
    bool fill_first = !temporary && allocation->content == VIDMM_CONTENT_NONE;
    uint64_t after = fill_first ? allocation->paging_sequence : 0;
    struct vidmm_op *op = paging_queue_locked(vidmm, VIDMM_OP_MAP_APERTURE, reason, allocation);
    uint32_t flags = segment_of(vidmm, segment)->options.flags;

    op->aperture = segment;
    op->page_first = offset / VIDMM_PAGE_BYTES;
    op->page_count = op->frame_count;
    op->temporary = temporary;
    op->after = after;
    op->fill_first = fill_first;
    /* Never for a segment that is not coherent, nor for write-combined memory [MAPAP-009]. */
    op->coherent = (flags & VIDMM_SEGMENT_CACHE_COHERENT) != 0 &&
                   (allocation->flags & VIDMM_ALLOCATION_CACHED) != 0;
}

void paging_queue_unmap_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                               enum vidmm_reason reason, unsigned segment, uint64_t offset,
                               uint64_t map_sequence)
{
    uint64_t after = allocation->paging_sequence;
    struct vidmm_op *op = paging_queue_locked(vidmm, VIDMM_OP_UNMAP_APERTURE, reason, allocation);

    op->after = after;
    op->aperture = segment;
    op->page_first = offset / VIDMM_PAGE_BYTES;
    op->page_count = op->frame_count;
    op->temporary = map_sequence != 0;
    op->map_sequence = map_sequence;
}

/* The driver is about to be told: what it knows of the object's place from now on. */
static void note_known(struct vidmm_op *op)
{
    bool map = op->kind == VIDMM_OP_MAP_APERTURE;

    if (op->dma_buffer) {
        op->dma_buffer->known_mapped = map;
        return;
    }
    struct vidmm_allocation *allocation = op->allocation;
    if (!allocation || op->temporary || op->kind == VIDMM_OP_OWNER) {
        return;
    }
    allocation->shadow_hash_valid &= !map;
    if (op->kind == VIDMM_OP_UNMAP_APERTURE) {
        CHECK_THAT(allocation->known_segment == op->aperture &&
                   allocation->known_offset ==
                       op->page_first * VIDMM_PAGE_BYTES); /* [UNMAPAP-002] */
    }
    if (map) {
        CHECK_THAT(allocation->known_segment == 0);
        allocation->known_segment = op->aperture;
        allocation->known_offset = op->page_first * VIDMM_PAGE_BYTES;
    } else if (op->kind == VIDMM_OP_TRANSFER || op->kind == VIDMM_OP_FILL) {
        /* A way out through an aperture ends in system memory too: its range is temporary. */
        bool out = op->destination.segment == 0 || op->source.segment != 0;
        allocation->known_segment = out ? 0 : op->destination.segment;
        allocation->known_offset = out ? 0 : op->destination.offset;
    } else {
        allocation->known_segment = 0;
    }
}

static void count_started_locked(struct vidmm *vidmm, const struct vidmm_op *op)
{
    struct vidmm_statistics *statistics = &vidmm->statistics;

    statistics->operations[op->kind]++;
    switch (op->kind) {
    case VIDMM_OP_TRANSFER:
        if (op->source.segment == 0) {
            statistics->paged_in_bytes += op->size_bytes;
        } else {
            statistics->paged_out_bytes += op->size_bytes;
        }
        break;
    case VIDMM_OP_FILL:
        statistics->filled_bytes += op->size_bytes;
        break;
    case VIDMM_OP_DISCARD:
        statistics->discarded_bytes += op->size_bytes;
        break;
    case VIDMM_OP_MAP_APERTURE:
        statistics->mapped_bytes += op->page_count * VIDMM_PAGE_BYTES;
        break;
    default:
        break;
    }
}

static void record_started(const struct vidmm_op *op)
{
    static const char *const counters[VIDMM_OP_KIND_COUNT] = {
        [VIDMM_OP_TRANSFER] = "paging.Transfer",
        [VIDMM_OP_FILL] = "paging.Fill",
        [VIDMM_OP_DISCARD] = "paging.DiscardContent",
        [VIDMM_OP_MAP_APERTURE] = "paging.MapApertureSegment",
        [VIDMM_OP_UNMAP_APERTURE] = "paging.UnmapApertureSegment",
        [VIDMM_OP_SPECIAL_LOCK] = "paging.SpecialLockTransfer",
        [VIDMM_OP_OWNER] = "paging.other",
    };
    unsigned segment = op->aperture;
    uint64_t bytes = op->size_bytes;

    if (op->kind == VIDMM_OP_TRANSFER || op->kind == VIDMM_OP_FILL) {
        segment = op->destination.segment;
    } else if (op->kind == VIDMM_OP_DISCARD) {
        segment = op->source.segment;
    } else if (op->page_count > 0) {
        bytes = op->page_count * VIDMM_PAGE_BYTES;
    }
    record_count(counters[op->kind], 1);
    record_event(EVENT_PAGING_OP, op->allocation ? op->allocation->object : 0,
                 (uint64_t)op->kind | (uint64_t)segment << 16, bytes);
}

struct vidmm_op *vidmm_paging_next(struct vidmm *vidmm)
{
    struct vidmm_op *op = NULL;

    mutex_lock(&vidmm->lock);
    bool shadow = vidmm->shadow;
    if (!list_empty(&vidmm->queued)) {
        op = container_of(vidmm->queued.next, struct vidmm_op, link);
        uint64_t after = shadow ? op->sequence - 1 : op->after;
        if (vidmm->sequence_completed < after && !list_empty(&vidmm->running)) {
            op = NULL;
        }
    }
    if (op) {
        list_remove(&op->link);
        list_push_back(&vidmm->running, &op->link);
        vidmm->sequence_started = op->sequence;
        if (op->fill_first) {
            allocation_fill(op->allocation);
            op->fill_first = false;
        }
        note_known(op);
        count_started_locked(vidmm, op);
    }
    mutex_unlock(&vidmm->lock);
    if (op) {
        record_started(op);
        if (shadow) {
            shadow_before(op);
        }
    }
    return op;
}

/* What is left of the content when the first operation in a row is given up. */
static void note_abort_locked(struct vidmm_op *op)
{
    struct vidmm_allocation *allocation = op->allocation;

    if (!allocation || allocation->aborted || op->kind == VIDMM_OP_OWNER) {
        return;
    }
    allocation->aborted = true;
    bool out = (op->kind == VIDMM_OP_TRANSFER && op->source.segment != 0) ||
               (op->kind == VIDMM_OP_MAP_APERTURE && op->temporary);
    if (out) { /* the bytes were in the memory segment alone, or are so in part */
        allocation->abort_content = VIDMM_CONTENT_NONE;
        allocation->lost = true;
        op->vidmm->statistics.lost_bytes += allocation->size_bytes;
    } else if (op->kind == VIDMM_OP_FILL) {
        allocation->abort_content = VIDMM_CONTENT_NONE;
    } else if (op->kind == VIDMM_OP_DISCARD) {
        allocation->abort_content = op->left;
    } else {
        allocation->abort_content = op->fill_first ? VIDMM_CONTENT_NONE : VIDMM_CONTENT_SYSTEM;
    }
}

/* Back to the spare ones. */
static void op_end_locked(struct vidmm_op *op)
{
    struct vidmm *vidmm = op->vidmm;

    if (op->allocation) {
        op->allocation->operation_count--;
    }
    if (op->dma_buffer) {
        op->dma_buffer->operation_count--;
    }
    free(op->shadow_bytes);
    op->shadow_bytes = NULL;
    list_remove(&op->link);
    list_push_back(&vidmm->spare, &op->link);
    vidmm->spare_count++;
}

void vidmm_paging_done(struct vidmm_op *op, NTSTATUS status)
{
    struct vidmm *vidmm = op->vidmm;

    if (vidmm->shadow && NT_SUCCESS(status)) {
        shadow_after(op);
    }
    mutex_lock(&vidmm->lock);
    CHECK_THAT(vidmm->running.next == &op->link); /* they end in the order they were handed out */
    if (!NT_SUCCESS(status)) {
        note_abort_locked(op);
    }
    vidmm->sequence_completed = op->sequence;
    vidmm->progress++;
    op_end_locked(op);
    mutex_unlock(&vidmm->lock);
}

void paging_drop_locked(struct vidmm *vidmm)
{
    CHECK_THAT(list_empty(&vidmm->running));
    list_for_each_safe (link, &vidmm->queued) {
        struct vidmm_op *op = container_of(link, struct vidmm_op, link);
        /* A range that the driver has mapped for a transfer is unmapped all the same. */
        if (op->temporary && op->kind == VIDMM_OP_UNMAP_APERTURE &&
            op->map_sequence <= vidmm->sequence_started) {
            op->after = 0;
            continue;
        }
        note_abort_locked(op);
        op_end_locked(op);
    }
    if (list_empty(&vidmm->queued)) {
        vidmm->sequence_completed = vidmm->sequence_queued;
    }
}

bool vidmm_paging_reached(struct vidmm *vidmm, uint64_t sequence)
{
    mutex_lock(&vidmm->lock);
    bool reached = sequence <= vidmm->sequence_completed;
    mutex_unlock(&vidmm->lock);
    return reached;
}

uint64_t vidmm_paging_completed(struct vidmm *vidmm)
{
    mutex_lock(&vidmm->lock);
    uint64_t sequence = vidmm->sequence_completed;
    mutex_unlock(&vidmm->lock);
    return sequence;
}

uint64_t vidmm_paging_queued(struct vidmm *vidmm)
{
    mutex_lock(&vidmm->lock);
    uint64_t sequence = vidmm->sequence_queued;
    mutex_unlock(&vidmm->lock);
    return sequence;
}

bool vidmm_paging_waiting(struct vidmm *vidmm)
{
    mutex_lock(&vidmm->lock);
    bool waiting = !list_empty(&vidmm->queued);
    mutex_unlock(&vidmm->lock);
    return waiting;
}

NTSTATUS vidmm_paging_inject(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                             void *injected, uint64_t *sequence)
{
    NTSTATUS status = STATUS_NO_MEMORY;

    mutex_lock(&vidmm->lock);
    if (paging_reserve_locked(vidmm, 1)) {
        struct vidmm_op *op =
            paging_queue_locked(vidmm, VIDMM_OP_OWNER, VIDMM_REASON_OWNER, allocation);
        op->injected = injected;
        *sequence = op->sequence;
        status = STATUS_SUCCESS;
    }
    mutex_unlock(&vidmm->lock);
    return status;
}
