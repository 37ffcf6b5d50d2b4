/* What is mapped into apertures, and unmapped there. */
#include "machine/vary.h"
#include "vidmm/internal.h"

/* Pages [first, end) of the allocation, in their places of its range. */
static struct vidmm_op *queue_map_part_locked(struct vidmm *vidmm,
                                              struct vidmm_allocation *allocation,
                                              const struct paging_range *range,
                                              const size_t pages[2]) HOLDS(vidmm->lock)
{
    struct vidmm_op *op =
        paging_queue_locked(vidmm, VIDMM_OP_MAP_APERTURE, range->reason, allocation);
    uint32_t flags = segment_of(vidmm, range->segment)->options.flags;

    op->frame_first = pages[0];
    op->aperture = (struct vidmm_aperture){
        .segment = range->segment,
        .page_first = range->offset / VIDMM_PAGE_BYTES + pages[0],
        .page_count = pages[1] - pages[0],
        /* Never for a segment that is not coherent, nor for write-combined memory [MAPAP-009]. */
        .coherent = (flags & VIDMM_SEGMENT_CACHE_COHERENT) != 0 &&
                    (allocation->flags & VIDMM_ALLOCATION_CACHED) != 0,
        .temporary = range->temporary,
    };
    return op;
}

/* All of them, or those of a trial. */
static void queue_unmap_part_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                    const struct paging_range *range, const size_t pages[2])
    HOLDS(vidmm->lock)
{
    uint64_t after = allocation->paging_sequence;
    struct vidmm_op *op =
        paging_queue_locked(vidmm, VIDMM_OP_UNMAP_APERTURE, range->reason, allocation);

    op->after = after;
    op->frame_first = pages[0];
    op->aperture = (struct vidmm_aperture){
        .segment = range->segment,
        .page_first = range->offset / VIDMM_PAGE_BYTES + pages[0],
        .page_count = pages[1] - pages[0],
        .dummy_frame = vidmm->dummy_frame,
        .temporary = range->temporary,
        .map_sequence = range->map_sequence,
    };
}

/* What comes of the list's offset is seen where a part is mapped for itself. It is gone before the
 * whole comes: who keeps one place and one list of an allocation has the right ones then. Not where
 * nothing is in the pages yet: a reset would not know. */
static bool queue_trial_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                               const struct paging_range *range) HOLDS(vidmm->lock)
{
    size_t count = allocation->size_bytes / VIDMM_PAGE_BYTES;

    if (range->temporary || count < 2 || allocation->content == VIDMM_CONTENT_NONE ||
        !vary_happens(VARY_TRIED_MAPPINGS, 4)) {
        return false;
    }
    const size_t pages[] = {1 + vary_below(VARY_TRIED_MAPPINGS, count - 1), count};
    struct paging_range trial = *range;
    trial.temporary = true;
    queue_map_part_locked(vidmm, allocation, &trial, pages)->aperture.trial = true;
    trial.map_sequence = vidmm->sequence_queued;
    queue_unmap_part_locked(vidmm, allocation, &trial, pages);
    return true;
}

void paging_queue_map_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                             const struct paging_range *range)
{
    bool fill_first = !range->temporary && allocation->content == VIDMM_CONTENT_NONE;
    size_t count = allocation->size_bytes / VIDMM_PAGE_BYTES, cut = count;
    bool tried = queue_trial_locked(vidmm, allocation, range);
    uint64_t after = fill_first || tried ? allocation->paging_sequence : 0;

    /* Of a range that is there for a transfer alone a reset knows the whole, or nothing. */
    if (!range->temporary && count > 1 && vary_happens(VARY_SPLIT_MAPPINGS, 1)) {
        cut = 1 + vary_below(VARY_SPLIT_MAPPINGS, count - 1);
    }
    struct vidmm_op *op = queue_map_part_locked(vidmm, allocation, range, (const size_t[]){0, cut});
    op->after = after;
    op->aperture.fill_first = fill_first;
    if (cut < count) {
        op = queue_map_part_locked(vidmm, allocation, range, (const size_t[]){cut, count});
        op->after = after;
    }
}

void paging_queue_unmap_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                               const struct paging_range *range)
{
    const size_t pages[] = {0, allocation->size_bytes / VIDMM_PAGE_BYTES};

    queue_unmap_part_locked(vidmm, allocation, range, pages);
}
