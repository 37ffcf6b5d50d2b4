/* When memory loses its bytes: low power, and the reset of an adapter. */
#include "base/check.h"
#include "base/record.h"
#include "vidmm/internal.h"

/* Has it to go for this reason? */
static bool concerned(const struct vidmm_allocation *allocation, enum vidmm_reason reason)
{
    if (allocation->segment == 0) {
        return false;
    }
    const struct segment *segment = segment_of(allocation->vidmm, allocation->segment);
    bool keeps =
        segment_is_aperture(segment) || (segment->options.flags & VIDMM_SEGMENT_PRESERVED) != 0;
    return reason != VIDMM_REASON_POWER || !keeps;
}

NTSTATUS vidmm_evict_all(struct vidmm *vidmm, enum vidmm_reason reason, bool include_pinned,
                         struct vidmm_wait *wait)
{
    NTSTATUS status = STATUS_SUCCESS;

    *wait = (struct vidmm_wait){0};
    mutex_lock(&vidmm->lock);
    list_for_each (link, &vidmm->allocations) {
        struct vidmm_allocation *allocation = container_of(link, struct vidmm_allocation, link);
        if (!concerned(allocation, reason)) {
            continue;
        }
        bool locked = allocation->lock_count > 0 && allocation->view_is_segment;
        if (allocation->use_count > 0 || locked) {
            if (wait->kind == VIDMM_WAIT_NONE) {
                allocation_wait_locked(allocation, NULL, wait);
            }
            status = STATUS_PENDING;
            continue;
        }
        if (allocation_held(allocation)) {
            if (!include_pinned) {
                continue;
            }
            allocation->pin_count = 0;
        }
        NTSTATUS evicted = evict_locked(allocation, reason);
        if (!NT_SUCCESS(evicted)) {
            status = evicted;
            break;
        }
    }
    wait->paging_sequence = vidmm->sequence_queued;
    mutex_unlock(&vidmm->lock);
    return status;
}

/* Tells the driver to forget where it last saw the allocation. */
static void queue_forget_locked(struct vidmm_allocation *allocation)
{
    struct vidmm *vidmm = allocation->vidmm;
    unsigned segment = allocation->known_segment;

    if (segment == 0) {
        return;
    }
    if (segment_is_aperture(segment_of(vidmm, segment))) {
        paging_queue_unmap_locked(vidmm, allocation, VIDMM_REASON_RESET, segment,
                                  allocation->known_offset, 0);
        return;
    }
    struct vidmm_op *op =
        paging_queue_locked(vidmm, VIDMM_OP_TRANSFER, VIDMM_REASON_RESET, allocation);
    op->move = (struct vidmm_move){
        .source = paging_side(vidmm, segment, allocation->known_offset),
        .size_bytes = 0, /* [XFER-007] */
        .start = true,
        .end = true,
    };
}

static void lose_locked(struct vidmm_allocation *allocation)
{
    struct vidmm *vidmm = allocation->vidmm;

    if (allocation->aborted) {
        allocation->content = allocation->abort_content;
        allocation->aborted = false;
    } else if (allocation->content == VIDMM_CONTENT_LOCAL) {
        allocation->content = VIDMM_CONTENT_NONE;
        allocation->lost = true;
        vidmm->statistics.lost_bytes += allocation->size_bytes;
    } else if (allocation->content == VIDMM_CONTENT_BOTH) {
        allocation->content = VIDMM_CONTENT_SYSTEM;
    }
    if (allocation->segment != 0) {
        record_event(EVENT_ALLOC_EVICTED, allocation->object, allocation->segment,
                     allocation->offset);
        evict_unlink_locked(allocation);
    }
    allocation->pin_count = 0;
}

void vidmm_reset_lost(struct vidmm *vidmm)
{
    mutex_lock(&vidmm->lock);
    vidmm->progress++;
    CHECK_THAT(list_empty(&vidmm->uses) && list_empty(&vidmm->running));
    paging_drop_locked(vidmm);
    list_for_each (link, &vidmm->allocations) {
        struct vidmm_allocation *allocation = container_of(link, struct vidmm_allocation, link);
        lose_locked(allocation);
        /* An allocation that the driver is never told to forget would stay in its books: better
         * to stop than to go on with two truths. */
        CHECK_THAT(paging_reserve_locked(vidmm, 1));
        queue_forget_locked(allocation);
    }
    list_for_each (link, &vidmm->pools) {
        NTSTATUS status = dma_reset_locked(container_of(link, struct vidmm_dma_pool, link));
        CHECK_THAT(NT_SUCCESS(status));
    }
    mutex_unlock(&vidmm->lock);
}
