/* What the GPU wrote in an aperture of the chipset's, and the CPU: the GPU has to read and to write
 * there before the CPU may look. It does so before a lock, and before the pages leave the aperture.
 *
 *     a use writes ──> unseen ── the CPU wants to look, or it is evicted ──> READ, WRITE ──> seen
 */
#include "base/check.h"
#include "vidmm/internal.h"

static bool is_of_chipset(const struct segment *segment)
{
    return (segment->options.flags & VIDMM_SEGMENT_CHIPSET) != 0;
}

void touch_queue_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                        const struct paging_range *range)
{
    const struct segment *segment = segment_of(vidmm, range->segment);
    uint64_t base = segment->options.base_address;

    if (!is_of_chipset(segment)) {
        return;
    }
    struct vidmm_op *op =
        paging_queue_locked(vidmm, VIDMM_OP_READ_PHYSICAL, range->reason, allocation);
    op->touch = (struct vidmm_touch){range->segment, base + range->offset + allocation->size_bytes -
                                                         VIDMM_TOUCH_BYTES};
    op = paging_queue_locked(vidmm, VIDMM_OP_WRITE_PHYSICAL, range->reason, allocation);
    /* Each time elsewhere in the page: who keeps the address of the last one is found. */
    uint64_t place = op->sequence * VIDMM_TOUCH_BYTES % VIDMM_PAGE_BYTES;
    op->touch = (struct vidmm_touch){range->segment, base + segment->options.size_bytes + place};
    allocation->unseen = false;
}

void touch_note_write_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    allocation->unseen |= is_of_chipset(segment_of(vidmm, allocation->segment));
}

NTSTATUS touch_before_look_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    const struct paging_range range = {
        .reason = VIDMM_REASON_LOCK, .segment = allocation->segment, .offset = allocation->offset};

    if (!allocation->unseen || allocation->use_count > 0 || allocation->segment == 0) {
        return STATUS_SUCCESS; /* whoever looks while the GPU writes does not wait for it */
    }
    if (!paging_reserve_locked(vidmm, TOUCH_OPERATIONS)) {
        return STATUS_NO_MEMORY;
    }
    touch_queue_locked(vidmm, allocation, &range);
    return STATUS_SUCCESS;
}
