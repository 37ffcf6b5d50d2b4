/* The CPU's access through a range of the hardware, at an address of its own.
 *
 *     vidmm_lock_in_place ──> held in its segment; the owner sets a range up
 *           │                        │ vidmm_show_alternate
 *           │                        v
 *           │                 [shown] the address leads into the segment's memory
 *           │                        │ evicted under lock: SPECIAL_LOCK
 *           v                        v
 *     locked again <────────── [holds] the address leads to pages of its own, which have the bytes
 *                                    │ comes back: SPECIAL_LOCK
 *                                    v
 *                                  gone
 *
 * These pages are not the backing store. Whoever wants the bytes there gets them by an exchange of
 * the two, which is not done under a lock. What is not locked loses its address when it is
 * evicted. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "vidmm/internal.h"

static size_t page_count(const struct vidmm_allocation *allocation)
{
    return allocation->size_bytes / VIDMM_PAGE_BYTES;
}

void alternate_end(struct vidmm_allocation *allocation)
{
    struct alternate *alternate = &allocation->alternate;

    if (alternate->view) {
        ram_unmap_frames(alternate->view, alternate->view_pages);
        ram_free_frames(alternate->frames, alternate->view_pages);
        free(alternate->frames);
    }
    *alternate = (struct alternate){0};
}

void alternate_settle(struct vidmm_allocation *allocation)
{
    struct alternate *alternate = &allocation->alternate;

    if (!alternate->holds) {
        return;
    }
    for (size_t i = 0; i < page_count(allocation); i++) {
        memcpy(ram_at(allocation->frames[i] << MACHINE_PAGE_SHIFT, MACHINE_PAGE_SIZE),
               ram_at(alternate->frames[i] << MACHINE_PAGE_SHIFT, MACHINE_PAGE_SIZE),
               MACHINE_PAGE_SIZE);
    }
    allocation->shadow_hash_valid = false;
    allocation->linear = true;
    alternate_end(allocation);
}

/* The address leads to the pages of its own from now on. */
static void show_frames(struct alternate *alternate)
{
    CHECK_THAT(ram_view_lead(alternate->view, alternate->frames, alternate->view_pages));
    alternate->shown = false;
}

void alternate_evicted(struct vidmm_allocation *allocation)
{
    struct alternate *alternate = &allocation->alternate;

    if (allocation->lock_count == 0 && !alternate->holds && !alternate->comes_back) {
        alternate_end(allocation);
    }
}

void alternate_moved(const struct vidmm_op *op)
{
    if (op->kind != VIDMM_OP_SPECIAL_LOCK || !op->move.end) {
        return;
    }
    if (op->move.source.segment != 0) {
        show_frames(&op->allocation->alternate);
    } else {
        CHECK_THAT(op->allocation->lock_count == 0);
        alternate_end(op->allocation);
    }
}

void alternate_reset(struct vidmm_allocation *allocation)
{
    struct alternate *alternate = &allocation->alternate;

    if (!alternate->view) {
        return;
    }
    alternate->holds =
        allocation->content == VIDMM_CONTENT_SYSTEM && (alternate->holds || alternate->comes_back);
    alternate->comes_back = false;
    if (alternate->shown) {
        show_frames(alternate);
    }
    alternate_evicted(allocation);
}

/* Pages for the bytes, in case that it is evicted under the lock: that must not fail then. */
static uint64_t *take_frames(size_t count)
{
    uint64_t *frames = malloc(count * sizeof *frames);

    if (frames &&
        !NT_SUCCESS(ram_alloc_frames(&(struct ram_request){.page_count = count}, frames))) {
        free(frames);
        frames = NULL;
    }
    return frames;
}

NTSTATUS vidmm_lock_in_place(struct vidmm_allocation *allocation, uint32_t flags, void **pointer,
                             struct vidmm_wait *wait)
{
    struct vidmm *vidmm = allocation->vidmm;
    NTSTATUS status = STATUS_SUCCESS;

    *pointer = NULL;
    *wait = (struct vidmm_wait){0};
    mutex_lock(&vidmm->lock);
    if (allocation->use_count > 0) {
        allocation_wait_locked(vidmm, allocation, NULL, wait);
        status = STATUS_PENDING;
    } else if ((allocation->flags & VIDMM_ALLOCATION_CPU_VISIBLE) == 0 ||
               allocation->lock_count > 0) {
        status = STATUS_INVALID_PARAMETER;
    } else {
        allocation_wait_paging_locked(vidmm, allocation, wait);
        status = wait->kind == VIDMM_WAIT_NONE ? STATUS_SUCCESS : STATUS_PENDING;
    }
    bool away =
        allocation->segment == 0 || segment_is_aperture(segment_of(vidmm, allocation->segment));
    if (status == STATUS_SUCCESS && away && !allocation->alternate.holds) {
        status = STATUS_NOT_SUPPORTED;
    }
    if (status == STATUS_SUCCESS) {
        allocation->lock_count = 1;
        allocation->view_is_segment = !allocation->alternate.holds;
        allocation->view_segment = allocation->segment;
        allocation->view_offset = allocation->offset;
        allocation->view = allocation->alternate.holds ? allocation->alternate.view : NULL;
        *pointer = allocation->view;
        allocation->view_known = allocation->view_is_segment && allocation->untouched;
        if ((flags & VIDMM_LOCK_READ_ONLY) == 0) {
            allocation->lost = allocation->untouched = false;
            allocation->content =
                allocation->view_is_segment ? VIDMM_CONTENT_LOCAL : allocation->content;
        }
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

NTSTATUS vidmm_show_alternate(struct vidmm_allocation *allocation, uint64_t physical,
                              uint64_t size_bytes, void **pointer)
{
    struct vidmm *vidmm = allocation->vidmm;
    struct alternate *alternate = &allocation->alternate;
    size_t count = align_up(size_bytes, VIDMM_PAGE_BYTES) / VIDMM_PAGE_BYTES;
    uint64_t *frames = take_frames(count);
    uint64_t *seen = malloc(count * sizeof *seen);
    void *view = NULL;

    for (size_t i = 0; seen && i < count; i++) {
        seen[i] = (physical >> MACHINE_PAGE_SHIFT) + i;
    }
    if (frames && seen && count >= page_count(allocation)) {
        view = ram_map_frames(seen, count, true);
    }
    free(seen);
    if (!view) {
        if (frames) {
            ram_free_frames(frames, count);
        }
        free(frames);
        return STATUS_NO_MEMORY;
    }
    mutex_lock(&vidmm->lock);
    CHECK_THAT(allocation->lock_count == 1 && !alternate->holds);
    alternate_end(allocation);
    *alternate =
        (struct alternate){.view = view, .view_pages = count, .frames = frames, .shown = true};
    if (allocation->segment == 0 || allocation->segment != allocation->view_segment) {
        show_frames(alternate); /* a reset came meanwhile */
    }
    allocation->view = *pointer = view;
    allocation->view_is_segment = false;
    mutex_unlock(&vidmm->lock);
    return STATUS_SUCCESS;
}

void *vidmm_alternate_again(struct vidmm_allocation *allocation)
{
    struct vidmm *vidmm = allocation->vidmm;
    void *view = NULL;

    mutex_lock(&vidmm->lock);
    if (allocation->alternate.shown) {
        view = allocation->view = allocation->alternate.view;
        allocation->view_is_segment = false;
    }
    mutex_unlock(&vidmm->lock);
    return view;
}

void vidmm_alternate_drop(struct vidmm_allocation *allocation)
{
    mutex_lock(&allocation->vidmm->lock);
    alternate_evicted(allocation);
    mutex_unlock(&allocation->vidmm->lock);
}
