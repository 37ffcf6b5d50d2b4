/* The queue of paging operations.
 *
 *     reserve, queue ──> [queued] ── vidmm_paging_next ──> [running] ── vidmm_paging_done ──> spare
 *                           │ vidmm_reset                       │ vidmm_reset                   ^
 *                           └──> spare                          └──> [revoked] ── _done ────────┘
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
        [VIDMM_OP_SPECIAL_LOCK] = "SpecialLockTransfer",
        [VIDMM_OP_FILL] = "Fill",
        [VIDMM_OP_DISCARD] = "DiscardContent",
        [VIDMM_OP_MAP_APERTURE] = "MapApertureSegment",
        [VIDMM_OP_UNMAP_APERTURE] = "UnmapApertureSegment",
        [VIDMM_OP_VIRTUAL_TRANSFER] = "VirtualTransfer",
        [VIDMM_OP_VIRTUAL_FILL] = "VirtualFill",
        [VIDMM_OP_INIT_CONTEXT] = "InitContextResource",
        [VIDMM_OP_UPDATE_TABLE] = "UpdatePageTable",
        [VIDMM_OP_FLUSH_TLB] = "FlushTlb",
        [VIDMM_OP_SET_ROOT] = "SetRootPageTable",
        [VIDMM_OP_NOTIFY_RESIDENCY] = "NotifyResidency",
        [VIDMM_OP_NOTIFY_EVICTION] = "NotifyAllocation",
        [VIDMM_OP_UPDATE_CONTEXT] = "UpdateContextAllocation",
        [VIDMM_OP_NOTIFY_FENCE] = "NotifyFenceResidency",
        [VIDMM_OP_COPY_ENTRIES] = "CopyPageTableEntries",
        [VIDMM_OP_READ_PHYSICAL] = "ReadPhysical",
        [VIDMM_OP_WRITE_PHYSICAL] = "WritePhysical",
        [VIDMM_OP_MAP_MMU] = "MapMmu",
        [VIDMM_OP_UNMAP_MMU] = "UnmapMmu",
        [VIDMM_OP_NOTIFY_PART] = "NotifyResidency2",
        [VIDMM_OP_NOTIFY_UNMAP] = "NotifyAllocation",
    };

    return (unsigned)kind < VIDMM_OP_KIND_COUNT ? names[kind] : "?";
}

bool paging_reserve_locked(struct vidmm *vidmm, size_t count)
{
    while (vidmm->spare_count < vidmm->spare_kept + count) {
        struct vidmm_op *op = calloc(1, sizeof(*op));
        if (!op) {
            return false;
        }
        list_push_front(&vidmm->spare, &op->link);
        vidmm->spare_count++;
    }
    return true;
}

bool paging_keep_locked(struct vidmm *vidmm, size_t more)
{
    if (!paging_reserve_locked(vidmm, more)) {
        return false;
    }
    vidmm->spare_kept += more;
    return true;
}

void paging_unkeep_locked(struct vidmm *vidmm, size_t less)
{
    CHECK_THAT(vidmm->spare_kept >= less);
    vidmm->spare_kept -= less;
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

    if (scratch_moves(vidmm, allocation)) {
        return scratch_operations(vidmm, allocation);
    }
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
                                  const struct paging_transfer *transfer)
{
    uint64_t piece = vidmm->config.transfer_bytes_max;
    uint64_t size = allocation->size_bytes;
    bool converts = swizzle_converts(allocation, transfer);

    if (piece == 0) {
        piece = size;
    }
    for (uint64_t offset = 0; offset < size; offset += piece) {
        struct vidmm_op *op = paging_queue_locked(
            vidmm, transfer->special ? VIDMM_OP_SPECIAL_LOCK : VIDMM_OP_TRANSFER, transfer->reason,
            allocation);
        uint64_t size_bytes = size - offset < piece ? size - offset : piece;
        if (transfer->special) {
            op->frames = allocation->alternate.frames;
            op->frame_count = allocation->alternate.view_pages;
        }
        op->frame_first = offset / VIDMM_PAGE_BYTES;
        op->move = (struct vidmm_move){
            .source = transfer->source,
            .destination = transfer->destination,
            .offset = offset,
            .size_bytes = size_bytes,
            .start = offset == 0,
            .end = offset + size_bytes == size,
            .swizzle = converts && transfer->source.segment == 0,
            .unswizzle = converts && transfer->source.segment != 0,
            .untouched = allocation->untouched,
        };
    }
    swizzle_moved_locked(vidmm, allocation, transfer);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static struct paging_part part_at(const struct vidmm *vidmm,
                                  const struct vidmm_allocation *allocation, uint64_t first)
{
    uint64_t left = allocation->size_bytes / VIDMM_PAGE_BYTES - first;
    uint64_t most = vidmm->config.transfer_bytes_max / VIDMM_PAGE_BYTES;

    return (struct paging_part){first, most == 0 || left < most ? left : most};
}

struct paging_part paging_first_part(const struct vidmm *vidmm,
                                     const struct vidmm_allocation *allocation)
{
    return part_at(vidmm, allocation, 0);
}

struct paging_part paging_next_part(const struct vidmm *vidmm,
                                    const struct vidmm_allocation *allocation,
                                    const struct paging_part *part)
{
    return part_at(vidmm, allocation, part->first + part->count);
}

size_t paging_part_count(const struct vidmm *vidmm, const struct vidmm_allocation *allocation)
{
    uint64_t piece = vidmm->config.transfer_bytes_max;

    return piece == 0 ? 1 : (allocation->size_bytes + piece - 1) / piece;
}

/* ---- Notices --------------------------------------------------------------------------------- */

size_t paging_notice_count(const struct vidmm *vidmm, const struct vidmm_allocation *allocation)
{
    return (allocation->flags & VIDMM_ALLOCATION_NOTIFY) == 0 ? 0
           : vidmm->config.notices_in_parts                   ? paging_part_count(vidmm, allocation)
                                                              : 1;
}

/* In system memory it is where its pages are. */
static void queue_notice_parts_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                      bool resident) HOLDS(vidmm->lock)
{
    bool local = resident && !segment_is_aperture(segment_of(vidmm, allocation->segment));
    struct paging_part part;

    for (part = paging_first_part(vidmm, allocation); part.count > 0;
         part = paging_next_part(vidmm, allocation, &part)) {
        struct vidmm_op *op =
            paging_queue_locked(vidmm, VIDMM_OP_NOTIFY_PART, VIDMM_REASON_PLACE, allocation);
        uint64_t offset = part.first * VIDMM_PAGE_BYTES;
        op->frame_first = part.first;
        op->notice = (struct vidmm_notice){
            .resident = resident, .offset = offset, .size_bytes = part.count * VIDMM_PAGE_BYTES};
        if (local) {
            struct vidmm_side place =
                paging_side(vidmm, allocation->segment, allocation->offset + offset);
            op->notice.place = (struct vidmm_location){place.segment, place.offset, place.address};
        }
    }
}

void paging_queue_notice_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                bool resident)
{
    if ((allocation->flags & VIDMM_ALLOCATION_NOTIFY) == 0) {
        return;
    }
    if (vidmm->config.notices_in_parts) {
        queue_notice_parts_locked(vidmm, allocation, resident);
        return;
    }
    struct vidmm_op *op =
        paging_queue_locked(vidmm, VIDMM_OP_NOTIFY_RESIDENCY, VIDMM_REASON_PLACE, allocation);
    struct vidmm_side place = paging_side(vidmm, allocation->segment, allocation->offset);
    op->notice.resident = resident;
    if (resident && allocation->range != RANGE_NONE) {
        op->notice.place = (struct vidmm_location){place.segment, place.offset, place.address};
    }
}

NTSTATUS vidmm_notify_fence(struct vidmm_allocation *allocation, const void *about,
                            uint64_t *sequence)
{
    struct vidmm *vidmm = allocation->vidmm;
    NTSTATUS status = STATUS_NO_MEMORY;

    mutex_lock(&vidmm->lock);
    if (paging_reserve_locked(vidmm, 1)) {
        struct vidmm_op *op =
            paging_queue_locked(vidmm, VIDMM_OP_NOTIFY_FENCE, VIDMM_REASON_OWNER, allocation);
        op->context.private_data = about;
        op->context.size_bytes = allocation->size_bytes;
        *sequence = vidmm->sequence_queued;
        status = STATUS_SUCCESS;
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

/* A mapping that comes in parts grows. */
static void note_mapped(struct vidmm_allocation *allocation, const struct vidmm_op *op)
{
    if (op->frame_first == 0) {
        CHECK_THAT(allocation->known_segment == 0);
        allocation->known_segment = op->aperture.segment;
        allocation->known_offset = op->aperture.page_first * VIDMM_PAGE_BYTES;
        allocation->known_pages = 0;
    }
    CHECK_THAT(allocation->known_segment == op->aperture.segment &&
               allocation->known_pages == op->frame_first);
    allocation->known_pages += op->aperture.page_count;
}

/* What the driver knows of the object's place from now on. */
static void note_known(struct vidmm_op *op)
{
    struct vidmm_allocation *allocation = op->allocation;
    bool out;

    if (op->dma_buffer) {
        bool map = op->kind == VIDMM_OP_MAP_APERTURE;
        op->dma_buffer->known_segment = map ? op->aperture.segment : 0;
        op->dma_buffer->known_offset = op->aperture.page_first * VIDMM_PAGE_BYTES;
        return;
    }
    if (!allocation) {
        return;
    }
    switch (op->kind) {
    case VIDMM_OP_TRANSFER:
    case VIDMM_OP_SPECIAL_LOCK:
        /* A way out through an aperture ends in system memory too: its range is temporary. */
        out = op->move.destination.segment == 0 || op->move.source.segment != 0;
        if (out && !op->move.end) {
            break; /* the rest is still there, and a reset has that forgotten */
        }
        allocation->known_segment = out ? 0 : op->move.destination.segment;
        allocation->known_offset = out ? 0 : op->move.destination.offset;
        break;
    case VIDMM_OP_INIT_CONTEXT: /* in an aperture, where it was mapped before */
        if (op->fill.destination_address != 0) {
            break;
        }
        __attribute__((fallthrough));
    case VIDMM_OP_FILL:
        allocation->known_segment = op->fill.destination.segment;
        allocation->known_offset = op->fill.destination.offset;
        break;
    case VIDMM_OP_MAP_APERTURE:
        if (!op->aperture.temporary) {
            note_mapped(allocation, op);
            allocation->shadow_hash_valid = false;
        }
        break;
    case VIDMM_OP_UNMAP_APERTURE:
        if (!op->aperture.temporary) {
            CHECK_THAT(allocation->known_segment == op->aperture.segment &&
                       allocation->known_offset == op->aperture.page_first * VIDMM_PAGE_BYTES &&
                       allocation->known_pages == op->aperture.page_count); /* [UNMAPAP-002] */
            allocation->known_segment = 0;
        }
        break;
    case VIDMM_OP_DISCARD:
        allocation->known_segment = 0;
        break;
    default: /* by virtual address it hears of no place that it would have to forget */
        break;
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
    case VIDMM_OP_SPECIAL_LOCK:
    case VIDMM_OP_VIRTUAL_TRANSFER:
        return (struct op_account){op->move.destination.segment, op->move.size_bytes};
    case VIDMM_OP_FILL:
    case VIDMM_OP_VIRTUAL_FILL:
    case VIDMM_OP_INIT_CONTEXT:
        return (struct op_account){op->fill.destination.segment, op->fill.size_bytes};
    case VIDMM_OP_DISCARD:
        return (struct op_account){op->discard.source.segment, op->allocation->size_bytes};
    case VIDMM_OP_UPDATE_TABLE:
        return (struct op_account){op->update.place.segment, op->update.count};
    case VIDMM_OP_FLUSH_TLB:
        return (struct op_account){0, op->flush.end - op->flush.start};
    case VIDMM_OP_SET_ROOT:
        return (struct op_account){op->root.root.place.segment, op->root.root.entry_count};
    case VIDMM_OP_NOTIFY_RESIDENCY:
        return (struct op_account){op->notice.place.segment, op->notice.resident};
    case VIDMM_OP_NOTIFY_EVICTION:
    case VIDMM_OP_NOTIFY_PART:
    case VIDMM_OP_NOTIFY_UNMAP:
        return (struct op_account){op->notice.place.segment, op->notice.size_bytes};
    case VIDMM_OP_MAP_MMU:
    case VIDMM_OP_UNMAP_MMU:
        return (struct op_account){op->device.segment, op->device.page_count * VIDMM_PAGE_BYTES};
    case VIDMM_OP_UPDATE_CONTEXT:
    case VIDMM_OP_NOTIFY_FENCE:
        return (struct op_account){0, op->context.size_bytes};
    case VIDMM_OP_COPY_ENTRIES:
        return (struct op_account){0, op->copy.ranges[0].count};
    case VIDMM_OP_READ_PHYSICAL:
    case VIDMM_OP_WRITE_PHYSICAL:
        return (struct op_account){op->touch.segment, VIDMM_TOUCH_BYTES};
    default:
        return (struct op_account){op->aperture.segment,
                                   op->aperture.page_count * VIDMM_PAGE_BYTES};
    }
}

static void count_started_locked(struct vidmm *vidmm, const struct vidmm_op *op) HOLDS(vidmm->lock)
{
    struct vidmm_statistics *statistics = &vidmm->statistics;
    uint64_t bytes = account_of(op).bytes;

    statistics->operations[op->kind]++;
    switch (op->kind) {
    case VIDMM_OP_TRANSFER:
    case VIDMM_OP_SPECIAL_LOCK:
    case VIDMM_OP_VIRTUAL_TRANSFER:
        if (op->move.source.segment == 0) {
            statistics->paged_in_bytes += bytes;
        } else {
            statistics->paged_out_bytes += bytes;
        }
        break;
    case VIDMM_OP_FILL:
    case VIDMM_OP_VIRTUAL_FILL:
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
        [VIDMM_OP_SPECIAL_LOCK] = "paging.SpecialLockTransfer",
        [VIDMM_OP_FILL] = "paging.Fill",
        [VIDMM_OP_DISCARD] = "paging.DiscardContent",
        [VIDMM_OP_MAP_APERTURE] = "paging.MapApertureSegment",
        [VIDMM_OP_UNMAP_APERTURE] = "paging.UnmapApertureSegment",
        [VIDMM_OP_VIRTUAL_TRANSFER] = "paging.VirtualTransfer",
        [VIDMM_OP_VIRTUAL_FILL] = "paging.VirtualFill",
        [VIDMM_OP_INIT_CONTEXT] = "paging.InitContextResource",
        [VIDMM_OP_UPDATE_TABLE] = "paging.UpdatePageTable",
        [VIDMM_OP_FLUSH_TLB] = "paging.FlushTlb",
        [VIDMM_OP_SET_ROOT] = "paging.SetRootPageTable",
        [VIDMM_OP_NOTIFY_RESIDENCY] = "paging.NotifyResidency",
        [VIDMM_OP_NOTIFY_EVICTION] = "paging.NotifyAllocation",
        [VIDMM_OP_UPDATE_CONTEXT] = "paging.UpdateContextAllocation",
        [VIDMM_OP_NOTIFY_FENCE] = "paging.NotifyFenceResidency",
        [VIDMM_OP_COPY_ENTRIES] = "paging.CopyPageTableEntries",
        [VIDMM_OP_READ_PHYSICAL] = "paging.ReadPhysical",
        [VIDMM_OP_WRITE_PHYSICAL] = "paging.WritePhysical",
        [VIDMM_OP_MAP_MMU] = "paging.MapMmu",
        [VIDMM_OP_UNMAP_MMU] = "paging.UnmapMmu",
        [VIDMM_OP_NOTIFY_PART] = "paging.NotifyResidency2",
        [VIDMM_OP_NOTIFY_UNMAP] = "paging.NotifyAllocation",
    };
    struct op_account account = account_of(op);

    record_count(counters[op->kind], 1);
    record_event(EVENT_PAGING_OP, op->allocation ? op->allocation->object : 0,
                 (uint64_t)op->kind | (uint64_t)account.segment << 16, account.bytes);
}

static void tell_locked(struct vidmm *vidmm, struct vidmm_op *op) HOLDS(vidmm->lock)
{
    CHECK_THAT(!op->revoked);
    if (!op->told) {
        op->told = true;
        vidmm->sequence_told = op->sequence;
        note_known(op);
    }
}

void vidmm_paging_told(struct vidmm_op *op)
{
    struct vidmm *vidmm = op->vidmm;

    mutex_lock(&vidmm->lock);
    tell_locked(vidmm, op);
    mutex_unlock(&vidmm->lock);
}

/* While bytes are followed: can they be, if others run beside it? What these kinds leave is looked
 * at when nothing else has changed it. */
static bool is_followed_beside(const struct vidmm_op *op)
{
    if (op->allocation && (op->allocation->flags & VIDMM_ALLOCATION_SWIZZLED) != 0) {
        return false;
    }
    switch (op->kind) {
    case VIDMM_OP_SPECIAL_LOCK:
    case VIDMM_OP_INIT_CONTEXT:
    case VIDMM_OP_UPDATE_CONTEXT:
    case VIDMM_OP_READ_PHYSICAL:
    case VIDMM_OP_WRITE_PHYSICAL:
        return false;
    default:
        return true;
    }
}

/* Operations that run beside each other while bytes are followed: each keeps a copy. */
#define FOLLOWED_MAX 8

/* The sequence that the operation waits for. */
static uint64_t waits_for_locked(struct vidmm *vidmm, const struct vidmm_op *op) HOLDS(vidmm->lock)
{
    unsigned running = 0;

    if (!vidmm->shadow) {
        return op->after;
    }
    bool beside = vary_on(VARY_PAGING_OVERLAPS) && is_followed_beside(op);
    list_for_each (link, &vidmm->running) {
        beside = beside && ++running < FOLLOWED_MAX &&
                 is_followed_beside(container_of(link, struct vidmm_op, link));
    }
    return beside ? op->after : op->sequence - 1;
}

/* May the oldest operation of the queue be handed out now? Those of a reset need not wait for each
 * other: they move no bytes, and what one has written for the hardware runs when all are out. */
static struct vidmm_op *first_ready_locked(struct vidmm *vidmm, bool of_reset) HOLDS(vidmm->lock)
{
    if (list_empty(&vidmm->queued)) {
        return NULL;
    }
    struct vidmm_op *op = container_of(vidmm->queued.next, struct vidmm_op, link);
    if (of_reset) {
        return op->reset != 0 ? op : NULL;
    }
    uint64_t after = waits_for_locked(vidmm, op);
    return vidmm->sequence_completed < after && !list_empty(&vidmm->running) ? NULL : op;
}

/* Hands out the next one; those of resets only, if asked. */
static struct vidmm_op *next(struct vidmm *vidmm, bool of_reset)
{
    mutex_lock(&vidmm->lock);
    bool shadow = vidmm->shadow;
    struct vidmm_op *op = first_ready_locked(vidmm, of_reset);
    if (op) {
        if (shadow && !of_reset && !list_empty(&vidmm->running)) {
            vary_happened(VARY_PAGING_OVERLAPS);
        }
        list_remove(&op->link);
        list_push_back(&vidmm->running, &op->link);
        if (op->kind == VIDMM_OP_MAP_APERTURE && op->aperture.fill_first) {
            allocation_fill(op->allocation);
            op->aperture.fill_first = false;
        }
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

const struct vidmm_op *vidmm_paging_peek(struct vidmm *vidmm)
{
    mutex_lock(&vidmm->lock);
    const struct vidmm_op *op = first_ready_locked(vidmm, false);
    mutex_unlock(&vidmm->lock);
    return op;
}

struct vidmm_op *vidmm_paging_next(struct vidmm *vidmm)
{
    return next(vidmm, false);
}

struct vidmm_op *vidmm_reset_next(struct vidmm *vidmm)
{
    return next(vidmm, true);
}

/* Does it move bytes, or decide where they are? */
static bool touches_content(enum vidmm_op_kind kind)
{
    return kind < VIDMM_OP_UPDATE_TABLE;
}

/* What is left of the content when the first operation in a row is given up. */
static void note_abort_locked(struct vidmm *vidmm, const struct vidmm_op *op) HOLDS(vidmm->lock)
{
    struct vidmm_allocation *allocation = op->allocation;
    bool out = false;

    if (op->kind == VIDMM_OP_INIT_CONTEXT) {
        allocation->context_made = false; /* whatever came before it: it has to come again */
    }
    if (!allocation || allocation->aborted || !touches_content(op->kind)) {
        return;
    }
    allocation->aborted = true;
    allocation->abort_content = VIDMM_CONTENT_SYSTEM;
    switch (op->kind) {
    case VIDMM_OP_TRANSFER:
    case VIDMM_OP_SPECIAL_LOCK:
    case VIDMM_OP_VIRTUAL_TRANSFER:
        out = op->move.source.segment != 0;
        break;
    case VIDMM_OP_FILL:
    case VIDMM_OP_VIRTUAL_FILL:
    case VIDMM_OP_INIT_CONTEXT:
        allocation->abort_content = VIDMM_CONTENT_NONE;
        break;
    case VIDMM_OP_DISCARD:
        allocation->abort_content = op->discard.left;
        break;
    case VIDMM_OP_MAP_APERTURE:
        out = op->aperture.temporary && !op->aperture.trial;
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
        vidmm->statistics.lost_bytes += allocation->size_bytes;
    }
}

/* Back to the spare ones. */
static void op_end_locked(struct vidmm *vidmm, struct vidmm_op *op) HOLDS(vidmm->lock)
{
    if (op->allocation) {
        op->allocation->operation_count--;
    }
    if (op->dma_buffer) {
        op->dma_buffer->operation_count--;
    }
    if (op->space) {
        op->space->operation_count--;
    }
    if (op->kind == VIDMM_OP_UPDATE_TABLE) {
        op->update.table->operation_count--;
    }
    for (unsigned i = 0; op->kind == VIDMM_OP_COPY_ENTRIES && i <= op->copy.range_count; i++) {
        op->copy.tables[i]->operation_count--;
    }
    shadow_forget(op);
    list_remove(&op->link);
    list_push_front(&vidmm->spare, &op->link);
    vidmm->spare_count++;
    vidmm->progress++;
}

void vidmm_paging_done(struct vidmm_op *op, NTSTATUS status)
{
    struct vidmm *vidmm = op->vidmm;

    if (vidmm->shadow && NT_SUCCESS(status) && !op->revoked) {
        shadow_after(op);
    }
    mutex_lock(&vidmm->lock);
    if (!op->revoked) {
        CHECK_THAT(vidmm->running.next == &op->link); /* they end in the order of handing out */
        if (NT_SUCCESS(status)) {
            tell_locked(vidmm, op);
            alternate_moved(op);
        } else {
            note_abort_locked(vidmm, op);
        }
        vidmm->sequence_completed = op->sequence;
    }
    op_end_locked(vidmm, op);
    mutex_unlock(&vidmm->lock);
    if (vidmm->mmu.exists) {
        tables_bury(vidmm);
    }
    if (!list_empty(&vidmm->queues)) {
        queues_signal(vidmm);
    }
}

/* ---- Reset ----------------------------------------------------------------------------------- */

/* Is this the end of a mapping that was only for a transfer, and does the driver have it now? */
static bool leaves_mapping_locked(struct vidmm *vidmm, const struct vidmm_op *op) HOLDS(vidmm->lock)
{
    return op->kind == VIDMM_OP_UNMAP_APERTURE && op->aperture.temporary && !op->told &&
           op->aperture.map_sequence <= vidmm->sequence_told;
}

/* The old operation does not run. Ones in hand come before those that are queued: the first in a
 * row says what is left of the content. */
static void give_up_locked(struct vidmm *vidmm, const struct vidmm_op *old) HOLDS(vidmm->lock)
{
    note_abort_locked(vidmm, old);
    if (leaves_mapping_locked(vidmm, old)) {
        struct vidmm_op *op = paging_queue_locked(vidmm, VIDMM_OP_UNMAP_APERTURE,
                                                  VIDMM_REASON_RESET, old->allocation);
        op->reset = vidmm->reset_count;
        op->aperture = old->aperture;
        op->frame_first = old->frame_first;
    }
}

void paging_reset_locked(struct vidmm *vidmm)
{
    struct list dropped;

    list_init(&dropped);
    for (struct list *link; (link = list_pop_front(&vidmm->queued)) != NULL;) {
        list_push_back(&dropped, link);
    }
    vidmm->sequence_completed = vidmm->sequence_queued;
    for (struct list *link; (link = list_pop_front(&vidmm->running)) != NULL;) {
        struct vidmm_op *op = container_of(link, struct vidmm_op, link);
        give_up_locked(vidmm, op);
        op->revoked = true;
        list_push_back(&vidmm->revoked, link);
    }
    list_for_each_safe (link, &dropped) {
        struct vidmm_op *op = container_of(link, struct vidmm_op, link);
        give_up_locked(vidmm, op);
        op_end_locked(vidmm, op);
    }
}

bool vidmm_paging_reached(struct vidmm *vidmm, uint64_t sequence)
{
    mutex_lock(&vidmm->lock);
    bool reached = sequence <= vidmm->sequence_completed;
    mutex_unlock(&vidmm->lock);
    return reached;
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
