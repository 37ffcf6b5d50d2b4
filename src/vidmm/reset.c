/* When an adapter was reset: memory segments have lost their bytes, and nothing runs any more. */
#include "base/check.h"
#include "base/record.h"
#include "vidmm/internal.h"

/* Tells the driver to forget where it last saw the allocation. */
static void queue_forget_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock)
{
    unsigned segment = allocation->known_segment;
    struct vidmm_op *op;

    if (segment == 0) {
        return;
    }
    if (segment_is_aperture(segment_of(vidmm, segment))) {
        op = paging_queue_locked(vidmm, VIDMM_OP_UNMAP_APERTURE, VIDMM_REASON_RESET, allocation);
        op->aperture = (struct vidmm_aperture){
            .segment = segment,
            .page_first = allocation->known_offset / VIDMM_PAGE_BYTES,
            .page_count = allocation->known_pages,
            .dummy_frame = vidmm->dummy_frame,
        };
    } else {
        op = paging_queue_locked(vidmm, VIDMM_OP_TRANSFER, VIDMM_REASON_RESET, allocation);
        op->move = (struct vidmm_move){
            .source = paging_side(vidmm, segment, allocation->known_offset),
            .size_bytes = 0, /* [XFER-007] */
            .start = true,
            .end = true,
        };
        if (!op->frames) { /* public drivers look into the MDL, though nothing moves */
            op->frames = &vidmm->dummy_frame;
            op->frame_count = 1;
        }
    }
    op->reset = vidmm->reset_count;
}

static void lose_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation) HOLDS(vidmm->lock)
{
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
    if (allocation->content == VIDMM_CONTENT_NONE) {
        allocation->context_made = false;
    }
    allocation->untouched = allocation->view_known = allocation->linear_known = false;
    alternate_reset(allocation);
    device_mmu_forget_locked(vidmm, allocation);
    allocation->unseen = false; /* the device keeps nothing back any more */
    if (allocation->segment != 0) {
        record_event(EVENT_ALLOC_EVICTED, allocation->object, allocation->segment,
                     allocation->offset);
        evict_unlink_locked(vidmm, allocation);
    }
    allocation->pin_count = 0;
}

void vidmm_reset(struct vidmm *vidmm)
{
    mutex_lock(&vidmm->lock);
    released_locked(vidmm);
    vidmm->reset_count++;
    use_reset_locked(vidmm);
    paging_reset_locked(vidmm);
    list_for_each (link, &vidmm->allocations) {
        struct vidmm_allocation *allocation = container_of(link, struct vidmm_allocation, link);
        lose_locked(vidmm, allocation);
        queue_forget_locked(vidmm, allocation);
    }
    dma_forget_locked(vidmm);
    dma_restore_locked(vidmm);
    spaces_restore_locked(vidmm);
    /* What was kept for this reset is kept for the next; if that fails now, reserving fails later.
     */
    (void)paging_reserve_locked(vidmm, 0);
    mutex_unlock(&vidmm->lock);
    tables_bury(vidmm);
    queues_signal(vidmm);
}
