/* Swizzled allocations (WDDM 1.x): which layout their bytes have, and whether they come back.
 *
 *                    in a memory segment, as the GPU has them
 *           TRANSFER │ ^ TRANSFER            Unswizzle │ ^ Swizzle
 *                    v │                               v │
 *   an aperture ── evicted, swizzled          evicted, linear ── the CPU
 *
 * Only a lock needs the linear layout: what goes for other reasons goes as it is. A lock of what
 * is evicted so, or shown in an aperture, brings it into a memory segment first. What the CPU saw
 * no aperture shows before it was swizzled again.
 *
 * How the GPU has them only the driver knows. So what is compared is the linear bytes: those that
 * were swizzled with those of the next unswizzling, unless somebody could write in between. */
#include "vidmm/internal.h"

static bool is_swizzled(const struct vidmm_allocation *allocation)
{
    return (allocation->flags & VIDMM_ALLOCATION_SWIZZLED) != 0;
}

uint32_t swizzle_flags(const struct vidmm *vidmm, const struct vidmm_allocation_options *options)
{
    uint32_t memory = options->read_segments & options->write_segments & ~aperture_set(vidmm);

    return memory != 0 ? options->flags : options->flags & ~(uint32_t)VIDMM_ALLOCATION_SWIZZLED;
}

/* ---- The layout ------------------------------------------------------------------------------ */

bool swizzle_is_linear(const struct vidmm_allocation *allocation)
{
    return is_swizzled(allocation) && allocation->linear &&
           allocation->content != VIDMM_CONTENT_NONE;
}

bool swizzle_hides(const struct vidmm_allocation *allocation)
{
    return is_swizzled(allocation) && !allocation->linear && !allocation->alternate.holds &&
           allocation->content != VIDMM_CONTENT_NONE;
}

bool swizzle_converts(const struct vidmm_allocation *allocation,
                      const struct paging_transfer *transfer)
{
    bool in = transfer->source.segment == 0;

    if (!is_swizzled(allocation)) {
        return false;
    }
    return transfer->special || (in ? allocation->linear : transfer->reason == VIDMM_REASON_LOCK);
}

void swizzle_moved_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                          const struct paging_transfer *transfer)
{
    if (transfer->source.segment != 0 && !transfer->special) {
        allocation->linear = swizzle_converts(allocation, transfer);
    }
}

NTSTATUS swizzle_bring_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                              struct vidmm_wait *wait)
{
    struct vidmm_prepare_result result = {.outcome = VIDMM_READY};
    NTSTATUS status = STATUS_SUCCESS;

    if (allocation->segment != 0) { /* an aperture */
        status = evict_locked(vidmm, allocation, VIDMM_REASON_LOCK);
    }
    if (NT_SUCCESS(status)) {
        use_place_in_memory_locked(vidmm, allocation, &result);
        status = result.outcome == VIDMM_FAILED ? result.status : STATUS_SUCCESS;
    }
    if (result.outcome == VIDMM_WAIT) {
        *wait = result.wait;
        return STATUS_PENDING;
    }
    return NT_SUCCESS(status) ? evict_locked(vidmm, allocation, VIDMM_REASON_LOCK) : status;
}

/* ---- The bytes ------------------------------------------------------------------------------- */

static bool is_move(const struct vidmm_op *op)
{
    return op->kind == VIDMM_OP_TRANSFER || op->kind == VIDMM_OP_SPECIAL_LOCK;
}

void swizzle_shadow_before(struct vidmm_op *op)
{
    struct vidmm_allocation *allocation = op->allocation;

    if (is_move(op) && op->move.swizzle && op->move.start) {
        allocation->linear_known = shadow_hash(op, &allocation->linear_hash);
    }
}

bool swizzle_shadow_after(struct vidmm_op *op, bool *compared)
{
    struct vidmm_allocation *allocation = op->allocation;
    bool same = true;
    uint64_t hash;

    *compared = false;
    if (!is_move(op)) {
        bool shown = op->kind == VIDMM_OP_MAP_APERTURE && !op->aperture.temporary;
        bool lost = op->kind == VIDMM_OP_DISCARD && op->discard.left == VIDMM_CONTENT_NONE;
        allocation->linear_known &= !shown && !lost && op->kind != VIDMM_OP_FILL;
    } else if (op->move.source.segment != 0 && op->move.end) {
        allocation->linear_known &= op->move.untouched;
        if (op->move.unswizzle && allocation->linear_known && shadow_hash(op, &hash)) {
            same = hash == allocation->linear_hash;
            *compared = true;
        }
    }
    return same;
}

bool vidmm_linear_hash(const struct vidmm_allocation *allocation, uint64_t *hash)
{
    *hash = allocation->linear_hash;
    return is_swizzled(allocation) && allocation->linear_known && allocation->view_known;
}
