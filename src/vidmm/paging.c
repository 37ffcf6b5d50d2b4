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
        .idle = true,
    };
    if (allocation) {
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
        uint64_t size_bytes = size - offset < piece ? size - offset : piece;
        op->frame_first = offset / VIDMM_PAGE_BYTES;
        op->move = (struct vidmm_move){
            .source = source,
            .destination = destination,
            .offset = offset,
            .size_bytes = size_bytes,
            .start = offset == 0,
            .end = offset + size_bytes == size,
        };
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

    op->after = after;
    op->aperture = (struct vidmm_aperture){
        .segment = segment,
        .page_first = offset / VIDMM_PAGE_BYTES,
        .page_count = op->frame_count,
        /* Never for a segment that is not coherent, nor for write-combined memory [MAPAP-009]. */
        .coherent = (flags & VIDMM_SEGMENT_CACHE_COHERENT) != 0 &&
                    (allocation->flags & VIDMM_ALLOCATION_CACHED) != 0,
        .fill_first = fill_first,
        .temporary = temporary,
    };
}

void paging_queue_unmap_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                               enum vidmm_reason reason, unsigned segment, uint64_t offset,
                               uint64_t map_sequence)
{
    uint64_t after = allocation->paging_sequence;
    struct vidmm_op *op = paging_queue_locked(vidmm, VIDMM_OP_UNMAP_APERTURE, reason, allocation);

    op->after = after;
    op->aperture = (struct vidmm_aperture){
        .segment = segment,
        .page_first = offset / VIDMM_PAGE_BYTES,
        .page_count = op->frame_count,
        .dummy_frame = vidmm->dummy_frame,
        .temporary = map_sequence != 0,
        .map_sequence = map_sequence,
    };
}

/* The driver is about to be told: what it knows of the object's place from now on. */
static void note_known(struct vidmm_op *op)
{
    struct vidmm_allocation *allocation = op->allocation;
    bool out;

    if (op->dma_buffer) {
        op->dma_buffer->known_mapped = op->kind == VIDMM_OP_MAP_APERTURE;
        return;
    }
    switch (op->kind) {
    case VIDMM_OP_TRANSFER:
        /* A way out through an aperture ends in system memory too: its range is temporary. */
        out = op->move.destination.segment == 0 || op->move.source.segment != 0;
        allocation->known_segment = out ? 0 : op->move.destination.segment;
        allocation->known_offset = out ? 0 : op->move.destination.offset;
        break;
    case VIDMM_OP_FILL:
        allocation->known_segment = op->fill.destination.segment;
        allocation->known_offset = op->fill.destination.offset;
        break;
    case VIDMM_OP_MAP_APERTURE:
        if (!op->aperture.temporary) {
            CHECK_THAT(allocation->known_segment == 0);
            allocation->known_segment = op->aperture.segment;
            allocation->known_offset = op->aperture.page_first * VIDMM_PAGE_BYTES;
            allocation->shadow_hash_valid = false;
        }
        break;
    case VIDMM_OP_UNMAP_APERTURE:
        if (!op->aperture.temporary) {
            CHECK_THAT(allocation->known_segment == op->aperture.segment &&
                       allocation->known_offset ==
                           op->aperture.page_first * VIDMM_PAGE_BYTES); /* [UNMAPAP-002] */
            allocation->known_segment = 0;
        }
        break;
    default:
        allocation->known_segment = 0;
    }
}

/* What an operation says of itself to the record and the statistics. */
struct op_account {
    unsigned segment;
    uint64_t bytes;
};

static struct op_account account_of(const struct vidmm_op *op)
{
    switch (op->kind) {
    case VIDMM_OP_TRANSFER:
        return (struct op_account){op->move.destination.segment, op->move.size_bytes};
    case VIDMM_OP_FILL:
        return (struct op_account){op->fill.destination.segment, op->fill.size_bytes};
    case VIDMM_OP_DISCARD:
        return (struct op_account){op->discard.source.segment, op->allocation->size_bytes};
    default:
        return (struct op_account){op->aperture.segment,
                                   op->aperture.page_count * VIDMM_PAGE_BYTES};
    }
}

static void count_started_locked(struct vidmm *vidmm, const struct vidmm_op *op)
{
    struct vidmm_statistics *statistics = &vidmm->statistics;
    uint64_t bytes = account_of(op).bytes;

    statistics->operations[op->kind]++;
    switch (op->kind) {
    case VIDMM_OP_TRANSFER:
        if (op->move.source.segment == 0) {
            statistics->paged_in_bytes += bytes;
        } else {
            statistics->paged_out_bytes += bytes;
        }
        break;
    case VIDMM_OP_FILL:
        statistics->filled_bytes += bytes;
        break;
    case VIDMM_OP_DISCARD:
        statistics->discarded_bytes += bytes;
        break;
    case VIDMM_OP_MAP_APERTURE:
        statistics->mapped_bytes += bytes;
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
    };
    struct op_account account = account_of(op);

    record_count(counters[op->kind], 1);
    record_event(EVENT_PAGING_OP, op->allocation ? op->allocation->object : 0,
                 (uint64_t)op->kind | (uint64_t)account.segment << 16, account.bytes);
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
        if (op->kind == VIDMM_OP_MAP_APERTURE && op->aperture.fill_first) {
            allocation_fill(op->allocation);
            op->aperture.fill_first = false;
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
    bool out = false;

    if (!allocation || allocation->aborted) {
        return;
    }
    allocation->aborted = true;
    allocation->abort_content = VIDMM_CONTENT_SYSTEM;
    switch (op->kind) {
    case VIDMM_OP_TRANSFER:
        out = op->move.source.segment != 0;
        break;
    case VIDMM_OP_FILL:
        allocation->abort_content = VIDMM_CONTENT_NONE;
        break;
    case VIDMM_OP_DISCARD:
        allocation->abort_content = op->discard.left;
        break;
    case VIDMM_OP_MAP_APERTURE:
        out = op->aperture.temporary;
        if (op->aperture.fill_first) {
            allocation->abort_content = VIDMM_CONTENT_NONE;
        }
        break;
    default:
        break;
    }
    if (out) { /* the bytes were in the memory segment alone, or are so in part */
        allocation->abort_content = VIDMM_CONTENT_NONE;
        allocation->lost = true;
        op->vidmm->statistics.lost_bytes += allocation->size_bytes;
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
        if (op->kind == VIDMM_OP_UNMAP_APERTURE && op->aperture.temporary &&
            op->aperture.map_sequence <= vidmm->sequence_started) {
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
