/* Allocations: their life, their backing store, what others wait for, offers. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/record.h"
#include "vidmm/internal.h"

/* ---- Life --------------------------------------------------------------------------------------
 */

static bool options_valid(const struct vidmm *vidmm, const struct vidmm_allocation_options *options)
{
    uint64_t known = (UINT64_C(1) << vidmm->segment_count) - 1, apertures = 0;
    uint64_t alignment = options->alignment_bytes;
    uint32_t both = options->read_segments | options->write_segments;

    for (unsigned i = 0; i < vidmm->segment_count; i++) {
        apertures |= segment_is_aperture(&vidmm->segments[i]) ? UINT64_C(1) << i : 0;
    }
    for (unsigned i = 0; i < VIDMM_PREFERENCE_COUNT; i++) {
        unsigned segment = options->preferences[i].segment;
        if (segment > vidmm->segment_count ||
            (segment != 0 && (both & VIDMM_SEGMENT_BIT(segment)) == 0)) {
            return false; /* [ALLOC-007] */
        }
    }
    return options->size_bytes != 0 && options->size_bytes <= UINT64_C(1) << 43 &&
           alignment <= UINT64_C(1) << 43 && device_mmu_fits(vidmm, options->device_mmus) &&
           options->read_segments != 0 && options->write_segments != 0 && (both & ~known) == 0 &&
           (options->eviction_segments & ~apertures) == 0; /* [ALLOC-008] */
}

static NTSTATUS borrow_frames(struct vidmm_allocation *allocation, const uint64_t *frames)
{
    size_t size = allocation->size_bytes / VIDMM_PAGE_BYTES * sizeof(*frames);

    allocation->frames = malloc(size);
    if (!allocation->frames) {
        return STATUS_NO_MEMORY;
    }
    memcpy(allocation->frames, frames, size);
    allocation->frames_borrowed = true;
    allocation->content = VIDMM_CONTENT_SYSTEM;
    return STATUS_SUCCESS;
}

/* Operations that make a driver forget it: the place, and a range it goes through on its way. */
static size_t kept_for_reset(const struct vidmm_allocation *allocation)
{
    return allocation->eviction_segments ? 2 : 1;
}

NTSTATUS vidmm_allocation_init(struct vidmm_allocation *allocation, struct vidmm *vidmm,
                               const struct vidmm_allocation_options *options)
{
    *allocation = (struct vidmm_allocation){0};
    if (!options_valid(vidmm, options)) {
        return STATUS_INVALID_PARAMETER;
    }
    *allocation = (struct vidmm_allocation){
        .vidmm = vidmm,
        .account = options->account,
        .size_bytes = align_up(options->size_bytes, VIDMM_PAGE_BYTES), /* [ALLOC-004] */
        .alignment_bytes = options->alignment_bytes,
        .read_segments = options->read_segments,
        .write_segments = options->write_segments,
        .eviction_segments = options->eviction_segments,
        .flags = swizzle_flags(vidmm, options),
        .device_mmus = options->device_mmus,
        .object = options->object,
        .priority = options->priority,
        .range = RANGE_NONE,
    };
    memcpy(allocation->preferences, options->preferences, sizeof(allocation->preferences));
    allocation->history.size_bytes = allocation->size_bytes;
    list_init(&allocation->resident_link);
    list_init(&allocation->mappings);
    list_init(&allocation->memberships);
    if (options->existing_frames) {
        NTSTATUS status = borrow_frames(allocation, options->existing_frames);
        if (!NT_SUCCESS(status)) {
            *allocation = (struct vidmm_allocation){0};
            return status;
        }
    }
    mutex_lock(&vidmm->lock);
    bool kept = paging_keep_locked(vidmm, kept_for_reset(allocation));
    if (kept) {
        allocation->number = ++vidmm->allocation_number;
        list_push_back(&vidmm->allocations, &allocation->link);
    }
    mutex_unlock(&vidmm->lock);
    if (!kept) {
        free(allocation->frames);
        *allocation = (struct vidmm_allocation){0};
        return STATUS_NO_MEMORY;
    }
    return STATUS_SUCCESS;
}

static bool wait_for_idle_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                 struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    allocation_wait_locked(vidmm, allocation, NULL, wait);
    return wait->kind != VIDMM_WAIT_NONE;
}

NTSTATUS vidmm_allocation_retire(struct vidmm_allocation *allocation, struct vidmm_wait *wait)
{
    struct vidmm *vidmm = allocation->vidmm;
    NTSTATUS status = STATUS_SUCCESS;

    mutex_lock(&vidmm->lock);
    *wait = (struct vidmm_wait){0};
    allocation->dying = true;
    if (wait_for_idle_locked(vidmm, allocation, wait)) {
        status = STATUS_PENDING;
        goto out;
    }
    status = mappings_end_locked(vidmm, allocation);
    if (!NT_SUCCESS(status)) {
        goto out;
    }
    residency_end_locked(vidmm, allocation);
    if (allocation->segment != 0) {
        if (segment_is_aperture(segment_of(vidmm, allocation->segment))) {
            status = evict_locked(vidmm, allocation, VIDMM_REASON_DESTROY);
        } else if (!paging_reserve_locked(vidmm, device_mmu_operations(vidmm, allocation))) {
            status = STATUS_NO_MEMORY;
        } else {
            device_mmu_hide_locked(vidmm, allocation);
            evict_unlink_locked(vidmm, allocation); /* what comes there next does not mind */
            allocation->content = VIDMM_CONTENT_NONE;
            allocation->known_segment = 0;
        }
    }
    if (NT_SUCCESS(status) && allocation->paging_sequence > vidmm->sequence_completed) {
        wait->paging_sequence = allocation->paging_sequence;
    } else if (NT_SUCCESS(status) && allocation->operation_count > 0) {
        wait->kind = VIDMM_WAIT_OWNER;
        status = STATUS_PENDING;
    } else if (NT_SUCCESS(status)) {
        allocation->known_segment = 0; /* told since it left: a reset says nothing more of it */
    }
out:
    mutex_unlock(&vidmm->lock);
    return status;
}

static void free_frames(struct vidmm_allocation *allocation)
{
    if (!allocation->frames) {
        return;
    }
    lock_forget_view(allocation);
    if (!allocation->frames_borrowed) {
        uint64_t bytes = allocation->size_bytes;
        ram_free_frames(allocation->frames, bytes / VIDMM_PAGE_BYTES);
        allocation->vidmm->statistics.backing_bytes -= bytes;
    }
    free(allocation->frames);
    allocation->frames = NULL;
}

void vidmm_allocation_fini(struct vidmm_allocation *allocation)
{
    struct vidmm *vidmm = allocation->vidmm;

    if (!vidmm) {
        return;
    }
    mutex_lock(&vidmm->lock);
    CHECK_THAT(allocation->segment == 0 && allocation->operation_count == 0);
    CHECK_THAT(allocation->use_count == 0 && allocation->lock_count == 0);
    CHECK_THAT(allocation->pin_count == 0);
    CHECK_THAT(list_empty(&allocation->mappings) && list_empty(&allocation->memberships));
    list_remove(&allocation->link);
    paging_unkeep_locked(vidmm, kept_for_reset(allocation));
    alternate_end(allocation);
    if (allocation->frames && !allocation->frames_borrowed) {
        released_locked(vidmm); /* somebody may want them: want.c */
    }
    free_frames(allocation);
    mutex_unlock(&vidmm->lock);
    *allocation = (struct vidmm_allocation){0};
}

void vidmm_allocation_set_priority(struct vidmm_allocation *allocation, uint32_t priority)
{
    struct vidmm *vidmm = allocation->vidmm;

    mutex_lock(&vidmm->lock);
    allocation->priority = priority;
    mutex_unlock(&vidmm->lock);
}

void vidmm_allocation_location(struct vidmm_allocation *allocation, struct vidmm_location *out)
{
    struct vidmm *vidmm = allocation->vidmm;

    mutex_lock(&vidmm->lock);
    struct vidmm_side side = paging_side(vidmm, allocation->segment, allocation->offset);
    *out = (struct vidmm_location){side.segment, side.offset, side.address};
    mutex_unlock(&vidmm->lock);
}

/* ---- Backing store --------------------------------------------------------------------------- */

/* Frames of others that hold nothing: their bytes are in VRAM. True if any were given back. */
static bool release_stale_frames_locked(struct vidmm *vidmm) HOLDS(vidmm->lock)
{
    bool released = false;

    list_for_each (link, &vidmm->allocations) {
        struct vidmm_allocation *allocation = container_of(link, struct vidmm_allocation, link);
        bool stale = allocation->segment != 0 ? allocation->content == VIDMM_CONTENT_LOCAL
                                              : allocation->content == VIDMM_CONTENT_NONE;
        if (allocation->frames && !allocation->frames_borrowed && stale &&
            allocation->operation_count == 0 && allocation->lock_count == 0) {
            free_frames(allocation);
            released = true;
        }
    }
    return released;
}

void allocation_discard_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    CHECK_THAT(allocation->segment == 0 && allocation->lock_count == 0);
    allocation->discarded = true;
    allocation->content = VIDMM_CONTENT_NONE;
    allocation->shadow_hash_valid = false;
    if (allocation->operation_count == 0 && !allocation->frames_borrowed) {
        free_frames(allocation);
    }
}

void allocation_fill(struct vidmm_allocation *allocation)
{
    uint32_t pattern = allocation->vidmm->config.fill_pattern;

    allocation->shadow_hash_valid = false;
    for (size_t i = 0; i < allocation->size_bytes / VIDMM_PAGE_BYTES; i++) {
        uint32_t *words = ram_at(allocation->frames[i] << MACHINE_PAGE_SHIFT, MACHINE_PAGE_SIZE);
        CHECK_THAT(words);
        for (unsigned j = 0; j < MACHINE_PAGE_SIZE / sizeof(*words); j++) {
            words[j] = pattern;
        }
    }
}

/* What is offered and in no segment is what system memory can do without. True: any was. */
static bool discard_offered_locked(struct vidmm *vidmm) HOLDS(vidmm->lock)
{
    bool any = false;

    list_for_each (link, &vidmm->allocations) {
        struct vidmm_allocation *allocation = container_of(link, struct vidmm_allocation, link);
        if (allocation->offered && allocation->segment == 0 && allocation->frames &&
            !allocation->frames_borrowed && allocation->operation_count == 0 &&
            allocation->lock_count == 0 && !allocation->dying) {
            allocation_discard_locked(vidmm, allocation);
            any = true;
        }
    }
    return any;
}

bool allocations_spare_locked(struct vidmm *vidmm)
{
    return release_stale_frames_locked(vidmm) || discard_offered_locked(vidmm);
}

/* A choice that leaves the variation's own ones alone: every second of them. */
static bool goes_by_parts_locked(const struct vidmm *vidmm) HOLDS(vidmm->lock)
{
    return vary_on(VARY_TRIED_MAPPINGS) && vidmm->commits % 2 == 1;
}

/* They follow each other now and then, as address lists may say [MAPAP2-004], and always do where
 * addresses are remapped: a part of such a list begins at AdlOffset like any other. */
static NTSTATUS take_frames_locked(struct vidmm *vidmm, const struct ram_request *request,
                                   uint64_t *frames) HOLDS(vidmm->lock)
{
    uint64_t first;

    vidmm->commits++;
    if (request->page_count < 2 ||
        (!vary_happens(VARY_SPLIT_MAPPINGS, 4) && !goes_by_parts_locked(vidmm)) ||
        !NT_SUCCESS(ram_alloc_contiguous(request, &first))) {
        return ram_alloc_frames(request, frames);
    }
    for (size_t i = 0; i < request->page_count; i++) {
        frames[i] = first + i;
    }
    return STATUS_SUCCESS;
}

NTSTATUS allocation_commit_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                  bool with_fill)
{
    const struct ram_request request = {.page_count = allocation->size_bytes / VIDMM_PAGE_BYTES};

    if (!allocation->frames) {
        if (request.page_count > ram_bytes() / VIDMM_PAGE_BYTES) {
            return STATUS_NO_MEMORY;
        }
        uint64_t *frames = malloc(request.page_count * sizeof(*frames));
        if (!frames) {
            return STATUS_NO_MEMORY;
        }
        NTSTATUS status = take_frames_locked(vidmm, &request, frames);
        if (!NT_SUCCESS(status) && release_stale_frames_locked(vidmm)) {
            status = take_frames_locked(vidmm, &request, frames);
        }
        if (!NT_SUCCESS(status) && discard_offered_locked(vidmm)) {
            status = take_frames_locked(vidmm, &request, frames);
        }
        if (!NT_SUCCESS(status)) {
            want_pages_locked(vidmm, request.page_count); /* who can wait for it does */
            free(frames);
            return status;
        }
        ram_expect(frames, request.page_count);
        allocation->frames = frames;
        vidmm->statistics.backing_bytes += allocation->size_bytes;
    }
    if (with_fill && allocation->content == VIDMM_CONTENT_NONE && allocation->segment == 0 &&
        allocation->paging_sequence <= vidmm->sequence_completed) {
        allocation_fill(allocation);
        allocation->content = VIDMM_CONTENT_SYSTEM;
    }
    return STATUS_SUCCESS;
}

/* ---- Waits ----------------------------------------------------------------------------------- */

static bool use_pins(const struct vidmm_use *use, const struct vidmm_allocation *allocation)
{
    for (size_t i = 0; i < use->pinned_count; i++) {
        if (use->pinned[i] == allocation) {
            return true;
        }
    }
    const struct membership *membership = use->list ? membership_find(use->list, allocation) : NULL;
    return membership && !membership->request;
}

/* Who holds the allocation: the oldest use first. kind NONE: nobody does. */
void allocation_wait_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                            const struct vidmm_use *except, struct vidmm_wait *wait)
{
    *wait = (struct vidmm_wait){.allocation = allocation};
    if (allocation->use_count > 0 || residency_holds(allocation)) {
        list_for_each (link, &vidmm->uses) {
            struct vidmm_use *use = container_of(link, struct vidmm_use, link);
            if (use != except && use_pins(use, allocation)) {
                wait->kind = VIDMM_WAIT_USE;
                wait->use = use;
                wait->submitted = use->submitted;
                wait->node = use->node;
                wait->fence = use->fence;
                return;
            }
        }
    }
    if (allocation->lock_count > 0) {
        wait->kind = VIDMM_WAIT_LOCK;
    }
}

void allocation_wait_paging_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                   struct vidmm_wait *wait)
{
    *wait = (struct vidmm_wait){0};
    if (allocation->paging_sequence > vidmm->sequence_completed) {
        wait->kind = VIDMM_WAIT_PAGING;
        wait->allocation = allocation;
        wait->paging_sequence = allocation->paging_sequence;
    }
}

/* ---- One allocation out, offers -------------------------------------------------------------- */

NTSTATUS vidmm_evict(struct vidmm_allocation *allocation, struct vidmm_wait *wait)
{
    struct vidmm *vidmm = allocation->vidmm;
    NTSTATUS status = STATUS_SUCCESS;

    mutex_lock(&vidmm->lock);
    *wait = (struct vidmm_wait){0};
    if (allocation->segment != 0) {
        if (allocation->use_count > 0 || residency_holds(allocation) ||
            (allocation->lock_count > 0 && allocation->view_is_segment)) {
            allocation_wait_locked(vidmm, allocation, NULL, wait);
            status = STATUS_PENDING;
        } else if (!allocation_evictable(allocation)) {
            status = STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION;
        } else {
            status = evict_locked(vidmm, allocation, VIDMM_REASON_OWNER);
            wait->paging_sequence = allocation->paging_sequence;
            if (status == STATUS_NO_MEMORY && want_waits_locked(vidmm, wait)) {
                status = STATUS_PENDING;
            }
        }
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

NTSTATUS vidmm_offer(struct vidmm_allocation *allocation, struct vidmm_wait *wait)
{
    struct vidmm *vidmm = allocation->vidmm;
    NTSTATUS status = STATUS_SUCCESS;

    mutex_lock(&vidmm->lock);
    if (wait_for_idle_locked(vidmm, allocation, wait)) {
        status = STATUS_PENDING;
    } else {
        allocation->offered = true;
        residency_sort_locked(vidmm, allocation);
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

void vidmm_reclaim(struct vidmm_allocation *allocation, bool *discarded)
{
    struct vidmm *vidmm = allocation->vidmm;

    mutex_lock(&vidmm->lock);
    *discarded = allocation->discarded;
    allocation->offered = false;
    allocation->discarded = false;
    residency_sort_locked(vidmm, allocation);
    mutex_unlock(&vidmm->lock);
}
