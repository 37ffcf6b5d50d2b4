/* The CPU's access to allocations.
 *
 * Where the CPU can see the bytes as they lie, it gets a pointer into the BAR; otherwise they go to
 * the backing store first, and it gets a view of that. What is locked through the BAR stays in its
 * segment. What is locked in the backing store stays there, but an aperture may show it to the GPU
 * at the same time. */
#include <string.h>

#include "base/check.h"
#include "vidmm/internal.h"

/* Can the CPU see it through the segment it lies in? */
static bool visible_in_place(const struct vidmm_allocation *allocation)
{
    struct vidmm *vidmm = allocation->vidmm;
    const struct segment *segment = segment_of(vidmm, allocation->segment);

    return (segment->options.flags & VIDMM_SEGMENT_SEEN) != 0 && !allocation->view_failed &&
           (allocation->flags & VIDMM_ALLOCATION_SWIZZLED) == 0 && vidmm->backend.map_segment;
}

static bool in_memory_segment(const struct vidmm_allocation *allocation)
{
    return allocation->segment != 0 &&
           !segment_is_aperture(segment_of(allocation->vidmm, allocation->segment));
}

static NTSTATUS pending(uint32_t flags)
{
    return flags & VIDMM_LOCK_DO_NOT_WAIT ? STATUS_GRAPHICS_ALLOCATION_BUSY : STATUS_PENDING;
}

/* May it be moved for a lock? SUCCESS: at once. */
static NTSTATUS may_move_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                uint32_t flags, struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    if (allocation->use_count > 0 || residency_holds(allocation)) {
        allocation_wait_locked(vidmm, allocation, NULL, wait);
        return pending(flags);
    }
    if ((flags & VIDMM_LOCK_DO_NOT_EVICT) != 0 || allocation_held(allocation)) {
        return STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION;
    }
    if ((flags & VIDMM_LOCK_DO_NOT_WAIT) != 0) {
        return STATUS_GRAPHICS_ALLOCATION_BUSY;
    }
    return STATUS_SUCCESS;
}

/* The bytes have to leave a segment that the CPU cannot look into. */
static NTSTATUS start_eviction_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                      uint32_t flags, struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    NTSTATUS status = may_move_locked(vidmm, allocation, flags, wait);

    if (status != STATUS_SUCCESS) {
        return status;
    }
    if ((flags & VIDMM_LOCK_DISCARD) != 0) {
        allocation->content = VIDMM_CONTENT_NONE;
    }
    status = evict_locked(vidmm, allocation, VIDMM_REASON_LOCK);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    allocation_wait_paging_locked(vidmm, allocation, wait);
    return STATUS_PENDING;
}

/* It is evicted as the GPU has it, or an aperture shows it so: the CPU is not to see that. */
static NTSTATUS start_unswizzling_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                         uint32_t flags, struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    NTSTATUS status = may_move_locked(vidmm, allocation, flags, wait);

    if (status != STATUS_SUCCESS) {
        return status;
    }
    status = swizzle_bring_locked(vidmm, allocation, wait);
    if (status == STATUS_SUCCESS) {
        allocation_wait_paging_locked(vidmm, allocation, wait);
        status = STATUS_PENDING;
    }
    return status;
}

/* What has to happen before there can be a view. SUCCESS: nothing. */
static NTSTATUS check_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                             uint32_t flags, struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    if (allocation->use_count > 0 && (flags & VIDMM_LOCK_IGNORE_SYNC) == 0) {
        allocation_wait_locked(vidmm, allocation, NULL, wait);
        return pending(flags);
    }
    if (in_memory_segment(allocation) && !visible_in_place(allocation)) {
        return start_eviction_locked(vidmm, allocation, flags, wait);
    }
    if (swizzle_hides(allocation)) {
        return start_unswizzling_locked(vidmm, allocation, flags, wait);
    }
    NTSTATUS status = touch_before_look_locked(vidmm, allocation);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    allocation_wait_paging_locked(vidmm, allocation, wait);
    return wait->kind == VIDMM_WAIT_NONE ? STATUS_SUCCESS : pending(flags);
}

/* ---- Views that stay ------------------------------------------------------------------------- */

/* A view costs the computer a call for each run of pages, and a fault for each page: what is locked
 * again and again need not pay that each time. */
#define KEPT_VIEWS_MAX 64

static void *take_kept_view(struct vidmm_allocation *allocation)
{
    void *view = allocation->kept_view;

    if (view) {
        list_remove(&allocation->kept_link);
        allocation->vidmm->kept_view_count--;
        allocation->kept_view = NULL;
    }
    return view;
}

void lock_forget_view(struct vidmm_allocation *allocation)
{
    void *view = take_kept_view(allocation);

    if (view) {
        ram_unmap_frames(view, allocation->size_bytes / VIDMM_PAGE_BYTES);
    }
}

/* False: it is to go. */
static bool keep_view_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation, void *view)
    HOLDS(vidmm->lock)
{
    if (!vidmm->config.keep_views) {
        return false;
    }
    if (vidmm->kept_view_count == KEPT_VIEWS_MAX) {
        lock_forget_view(container_of(vidmm->kept_views.prev, struct vidmm_allocation, kept_link));
    }
    allocation->kept_view = view;
    list_push_front(&vidmm->kept_views, &allocation->kept_link);
    vidmm->kept_view_count++;
    return true;
}

/* ---- Locks ----------------------------------------------------------------------------------- */

static NTSTATUS view_frames_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock)
{
    NTSTATUS status = allocation_commit_locked(vidmm, allocation, true);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    alternate_settle(allocation);
    allocation->linear = true;
    size_t pages = allocation->size_bytes / VIDMM_PAGE_BYTES;
    allocation->view = take_kept_view(allocation);
    if (!allocation->view) {
        allocation->view = allocation->flags & VIDMM_ALLOCATION_SHARED_VIEW
                               ? ram_map_shared(allocation->frames, pages)
                               : ram_map_frames(allocation->frames, pages, true);
    }
    if (!allocation->view) {
        return STATUS_NO_MEMORY;
    }
    allocation->view_is_segment = false;
    allocation->shadow_hash_valid = false;
    return STATUS_SUCCESS;
}

/* The first lock. It is counted already, so that nobody moves the allocation while the backend maps
 * it without our lock. */
static NTSTATUS make_view(struct vidmm_allocation *allocation)
{
    struct vidmm *vidmm = allocation->vidmm;
    const struct vidmm_location place = {.segment = allocation->view_segment,
                                         .offset = allocation->view_offset};
    NTSTATUS status = STATUS_SUCCESS;
    void *view = NULL;

    if (allocation->view_is_segment) {
        view = vidmm->backend.map_segment(vidmm, allocation, &place, allocation->size_bytes);
    }
    mutex_lock(&vidmm->lock);
    allocation->view_comes = false;
    vidmm->progress++; /* somebody may wait for the view */
    if (allocation->view_is_segment) {
        allocation->view = view;
        status = view ? STATUS_SUCCESS : STATUS_NO_MEMORY;
    } else {
        status = view_frames_locked(vidmm, allocation);
    }
    if (!NT_SUCCESS(status)) {
        allocation->lock_count--;
        allocation->view_is_segment = false;
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

static NTSTATUS lock_once(struct vidmm_allocation *allocation, uint32_t flags,
                          struct vidmm_wait *wait)
{
    struct vidmm *vidmm = allocation->vidmm;
    NTSTATUS status = STATUS_SUCCESS;
    bool first = false;

    mutex_lock(&vidmm->lock);
    if (alternate_in_use(allocation)) {
        status = STATUS_INVALID_PARAMETER; /* once, at that address */
    } else if (allocation->view_comes) {
        *wait = (struct vidmm_wait){.kind = VIDMM_WAIT_LOCK, .allocation = allocation};
        status = pending(flags);
    } else if (allocation->lock_count == 0 ||
               (allocation->use_count > 0 && (flags & VIDMM_LOCK_IGNORE_SYNC) == 0)) {
        status = check_locked(vidmm, allocation, flags, wait);
    }
    if (NT_SUCCESS(status) && status != STATUS_PENDING) {
        first = allocation->lock_count++ == 0;
        if (first) {
            allocation->view_is_segment = in_memory_segment(allocation);
            allocation->view_segment = allocation->segment;
            allocation->view_offset = allocation->offset;
            allocation->view_comes = true;
            /* By virtual address anybody writes. */
            allocation->view_known =
                allocation->view_is_segment && allocation->untouched && !vidmm->mmu.exists;
        }
        if ((flags & VIDMM_LOCK_READ_ONLY) == 0) {
            allocation->lost = allocation->untouched = false;
            allocation->content =
                allocation->view_is_segment ? VIDMM_CONTENT_LOCAL : allocation->content;
        }
    }
    mutex_unlock(&vidmm->lock);
    return first ? make_view(allocation) : status;
}

/* The view that just came to nothing was to be one through an aperture: until `out` is taken back,
 * the allocation is seen in its backing store. False: it was another. */
static bool set_out_of_aperture(struct vidmm_allocation *allocation, bool out)
{
    struct vidmm *vidmm = allocation->vidmm;

    mutex_lock(&vidmm->lock);
    allocation->view_failed =
        out && in_memory_segment(allocation) &&
        (segment_of(vidmm, allocation->segment)->options.flags & VIDMM_SEGMENT_HOST_APERTURE) != 0;
    bool is_out = allocation->view_failed;
    mutex_unlock(&vidmm->lock);
    return is_out;
}

NTSTATUS vidmm_lock(struct vidmm_allocation *allocation, uint32_t flags, void **pointer,
                    struct vidmm_wait *wait)
{
    *wait = (struct vidmm_wait){0};
    if ((allocation->flags & VIDMM_ALLOCATION_CPU_VISIBLE) == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = lock_once(allocation, flags, wait);
    if (status == STATUS_NO_MEMORY && set_out_of_aperture(allocation, true)) {
        status = lock_once(allocation, flags, wait);
        set_out_of_aperture(allocation, false);
    }
    if (status == STATUS_NO_MEMORY) {
        mutex_lock(&allocation->vidmm->lock);
        status = want_waits_locked(allocation->vidmm, wait) ? pending(flags) : status;
        mutex_unlock(&allocation->vidmm->lock);
    }
    if (status == STATUS_SUCCESS) {
        *pointer = allocation->view;
    }
    return status;
}

NTSTATUS vidmm_unlock(struct vidmm_allocation *allocation)
{
    struct vidmm *vidmm = allocation->vidmm;
    void *view = NULL;
    bool is_segment = false;

    mutex_lock(&vidmm->lock);
    if (allocation->lock_count == 0) {
        mutex_unlock(&vidmm->lock);
        return STATUS_INVALID_PARAMETER;
    }
    const struct vidmm_location place = {.segment = allocation->view_segment,
                                         .offset = allocation->view_offset}; /* before a reset */
    const uint64_t size_bytes = allocation->size_bytes;
    released_locked(vidmm);
    bool alternate = alternate_in_use(allocation);
    if (--allocation->lock_count == 0) {
        view = alternate ? NULL : allocation->view;
        is_segment = allocation->view_is_segment;
        allocation->view = NULL;
        allocation->view_is_segment = false;
        if (view && !is_segment && keep_view_locked(vidmm, allocation, view)) {
            view = NULL;
        }
        if (!allocation->alternate.shown) {
            alternate_evicted(allocation); /* a reset came: it keeps nothing */
        }
    }
    mutex_unlock(&vidmm->lock);
    if (view && !is_segment) {
        ram_unmap_frames(view, size_bytes / VIDMM_PAGE_BYTES);
    } else if (view && vidmm->backend.unmap_segment) {
        vidmm->backend.unmap_segment(vidmm, &place, view, size_bytes);
    }
    return STATUS_SUCCESS;
}
