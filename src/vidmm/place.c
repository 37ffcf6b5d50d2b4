/* Placing one allocation: which segment, which range, and how its bytes get there. */
#include "base/check.h"
#include "base/record.h"
#include "vidmm/internal.h"

static void link_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                        struct segment *segment, uint32_t node) HOLDS(vidmm->lock)
{
    uint64_t bytes = segment_pages(segment, allocation->size_bytes) * VIDMM_PAGE_BYTES;

    allocation->segment = segment->id;
    allocation->range = node;
    allocation->offset =
        node == RANGE_NONE ? 0 : range_page(&segment->ranges, node) * VIDMM_PAGE_BYTES;
    segment->committed_bytes += bytes;
    segment->table_bytes += allocation->flags & VIDMM_ALLOCATION_TABLE ? bytes : 0;
    segment->allocation_count++;
    list_push_back(&segment->residents, &allocation->resident_link);
    allocation->history.placed_tick = vidmm->tick;
    vidmm->statistics.placements++;
    if (allocation->account) {
        allocation->account->usage_bytes[segment->options.group] += bytes;
    }
    if ((allocation->flags & VIDMM_ALLOCATION_TABLE) == 0) {
        record_event(EVENT_ALLOC_PLACED, allocation->object, segment->id, allocation->offset);
    }
}

static void queue_fill_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock)
{
    if (vidmm->config.skip_fill || (allocation->flags & VIDMM_ALLOCATION_NO_FILL) != 0) {
        return;
    }
    if (scratch_moves(vidmm, allocation)) {
        scratch_fill_locked(vidmm, allocation);
        return;
    }
    struct vidmm_op *op = paging_queue_locked(vidmm, VIDMM_OP_FILL, VIDMM_REASON_PLACE, allocation);
    op->fill = (struct vidmm_fill){
        .destination = paging_side(vidmm, allocation->segment, allocation->offset),
        .size_bytes = allocation->size_bytes,
        .pattern = vidmm->config.fill_pattern,
    };
}

/* The driver makes the content of a context's state itself [INITCTX-002]. */
static void queue_init_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock)
{
    allocation->context_made = true;
    if (scratch_moves(vidmm, allocation)) {
        scratch_init_locked(vidmm, allocation);
        return;
    }
    struct vidmm_op *op =
        paging_queue_locked(vidmm, VIDMM_OP_INIT_CONTEXT, VIDMM_REASON_PLACE, allocation);
    op->fill = (struct vidmm_fill){
        .destination = paging_side(vidmm, allocation->segment, allocation->offset),
        .size_bytes = allocation->size_bytes,
    };
}

/* The allocation has its range; its bytes follow. */
static void queue_in_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                            struct segment *segment) HOLDS(vidmm->lock)
{
    bool starts_context =
        (allocation->flags & VIDMM_ALLOCATION_CONTEXT) != 0 && !allocation->context_made;
    /* By virtual address anybody writes, and no reference says so. */
    bool keeps_copy =
        !vidmm->mmu.exists && (vidmm->config.evict_clean_by_discard ||
                               (allocation->flags & VIDMM_ALLOCATION_PERMANENT_SYSMEM) != 0);

    if (segment_is_aperture(segment)) {
        alternate_settle(allocation);
        allocation->linear = false; /* whatever it gets there, the GPU writes */
    }
    if (segment_is_aperture(segment) && allocation->range == RANGE_NONE) {
        if (allocation->content == VIDMM_CONTENT_NONE) {
            allocation_fill(allocation); /* whatever is still read of it, nobody wants */
        }
        if (starts_context) {
            queue_init_locked(vidmm, allocation);
        }
        allocation->content = VIDMM_CONTENT_SYSTEM;
        allocation->shadow_hash_valid = false; /* the GPU may write there, without an operation */
    } else if (segment_is_aperture(segment)) {
        const struct paging_range range = {
            .reason = VIDMM_REASON_PLACE, .segment = segment->id, .offset = allocation->offset};
        paging_queue_map_locked(vidmm, allocation, &range);
        if (starts_context) {
            queue_init_locked(vidmm, allocation);
        }
        allocation->content = VIDMM_CONTENT_SYSTEM;
    } else if (starts_context) {
        queue_init_locked(vidmm, allocation);
        allocation->content = VIDMM_CONTENT_LOCAL;
    } else if (allocation->content == VIDMM_CONTENT_NONE) {
        queue_fill_locked(vidmm, allocation);
        if (!keeps_copy) {
            allocation->content = VIDMM_CONTENT_LOCAL;
        }
    } else {
        const struct paging_transfer transfer = {
            .reason = VIDMM_REASON_PLACE,
            .destination = paging_side(vidmm, segment->id, allocation->offset),
            .special = allocation->alternate.holds};
        keeps_copy &= !transfer.special;
        allocation->alternate.comes_back |= transfer.special;
        allocation->alternate.holds = false;
        if (scratch_moves(vidmm, allocation)) {
            scratch_transfer_locked(vidmm, allocation, &transfer);
        } else {
            paging_queue_transfer_locked(vidmm, allocation, &transfer);
        }
        allocation->content = keeps_copy ? VIDMM_CONTENT_BOTH : VIDMM_CONTENT_LOCAL;
        allocation->untouched = true;
    }
}

bool place_is_plain(const struct vidmm_allocation *allocation, const struct segment *segment)
{
    const uint32_t ranged = VIDMM_ALLOCATION_PHYSICAL | VIDMM_ALLOCATION_PRIMARY;

    return segment_is_aperture(segment) && (allocation->flags & VIDMM_ALLOCATION_VIRTUAL) != 0 &&
           (allocation->flags & ranged) == 0;
}

/* *node, or for plain pages RANGE_NONE. False: there is no room now. */
static bool take_room_locked(struct vidmm *vidmm, struct segment *segment, const struct room *room,
                             const struct attempt *attempt, uint32_t *node, NTSTATUS *status)
    HOLDS(vidmm->lock)
{
    bool fits = segment->committed_bytes + room->page_count * VIDMM_PAGE_BYTES <=
                segment->options.commit_limit_bytes;

    *node = RANGE_NONE;
    *status = STATUS_SUCCESS;
    if (place_is_plain(room->owner, segment)) {
        if (attempt->evict) {
            *status = make_plain_room_locked(vidmm, segment, room->page_count, &fits);
        }
        return NT_SUCCESS(*status) && fits;
    }
    if (attempt->evict) {
        *status = make_room_locked(vidmm, segment, room, node);
    } else if (fits) {
        *node = range_alloc(&segment->ranges, room->page_count, room->alignment_pages,
                            room->from_end, room->owner);
    }
    return NT_SUCCESS(*status) && *node != RANGE_NONE;
}

/* One segment. *placed is false if there is no room now. */
static NTSTATUS try_segment_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                   const struct attempt *attempt, bool *placed) HOLDS(vidmm->lock)
{
    struct segment *segment = segment_of(vidmm, attempt->segment);
    uint32_t node;
    NTSTATUS status;

    *placed = false;
    if (allocation->size_bytes > segment->options.commit_limit_bytes ||
        allocation->alignment_bytes > segment->options.size_bytes) {
        return STATUS_SUCCESS;
    }
    const struct room room = {
        .page_count = segment_pages(segment, allocation->size_bytes),
        .alignment_pages = segment_alignment_pages(segment, allocation->alignment_bytes),
        .from_end = attempt->from_end,
        .owner = allocation,
    };
    if (!take_room_locked(vidmm, segment, &room, attempt, &node, &status)) {
        return status;
    }
    if (segment_is_aperture(segment)) {
        status = allocation_commit_locked(vidmm, allocation, true);
    }
    /* After make_room: evictions took operations from the reserve. */
    if (NT_SUCCESS(status) &&
        !paging_reserve_locked(vidmm, paging_piece_count(vidmm, allocation) +
                                          allocation->mapping_operations +
                                          paging_notice_count(vidmm, allocation) +
                                          device_mmu_operations(vidmm, allocation) + 4)) {
        status = STATUS_NO_MEMORY;
    }
    if (!NT_SUCCESS(status) || !device_mmu_take_locked(vidmm, allocation)) {
        if (node != RANGE_NONE) {
            range_free(&segment->ranges, node);
        }
        return status;
    }
    link_locked(vidmm, allocation, segment, node);
    queue_in_locked(vidmm, allocation, segment);
    device_mmu_show_locked(vidmm, allocation);
    paging_queue_notice_locked(vidmm, allocation, true);
    mappings_show_locked(vidmm, allocation);
    residency_came_locked(vidmm, allocation);
    *placed = true;
    return STATUS_SUCCESS;
}

void place_candidates(const struct vidmm_allocation *allocation, uint32_t allowed,
                      struct candidates *out)
{
    struct vidmm *vidmm = allocation->vidmm;

    out->count = 0;
    for (unsigned i = 0; i < VIDMM_PREFERENCE_COUNT; i++) {
        unsigned segment = allocation->preferences[i].segment;
        if (segment == 0) {
            break;
        }
        if ((allowed & VIDMM_SEGMENT_BIT(segment)) != 0) {
            out->list[out->count].segment = segment;
            out->list[out->count++].from_end = allocation->preferences[i].from_end;
            allowed &= ~VIDMM_SEGMENT_BIT(segment);
        }
    }
    out->preferred_count = out->count;
    for (int aperture = 0; aperture <= 1; aperture++) {
        for (unsigned id = 1; id <= vidmm->segment_count; id++) {
            if ((allowed & VIDMM_SEGMENT_BIT(id)) != 0 &&
                segment_is_aperture(segment_of(vidmm, id)) == (aperture == 1)) {
                out->list[out->count].segment = id;
                out->list[out->count++].from_end = false;
            }
        }
    }
    if (out->preferred_count == 0) {
        out->preferred_count = out->count;
    }
}

/* The first of what is preferred is as full as it may be: another comes first [ALLOC-007]. */
static void vary_order(struct candidates *candidates)
{
    if (candidates->count < 2 || !vary_happens(VARY_OTHER_SEGMENT, 3)) {
        return;
    }
    unsigned other = 1 + (unsigned)vary_below(VARY_OTHER_SEGMENT, candidates->count - 1);
    struct attempt first = candidates->list[other];
    candidates->list[other] = candidates->list[0];
    candidates->list[0] = first;
}

/* Some of the candidates, with eviction or without. */
struct round {
    unsigned first, end;
    bool evict;
};

NTSTATUS place_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation, uint32_t allowed,
                      bool *placed)
{
    struct candidates candidates;
    NTSTATUS status = STATUS_SUCCESS;

    place_candidates(allocation, allowed, &candidates);
    vary_order(&candidates);
    bool from_other_end = vary_happens(VARY_FROM_END, 2);
    const struct round rounds[] = {
        {0, vidmm->config.evict_before_spill ? 0 : candidates.preferred_count, false},
        {0, candidates.preferred_count, true},
        {candidates.preferred_count, candidates.count, false},
        {candidates.preferred_count, candidates.count, true},
    };
    *placed = false;
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned j = rounds[i].first; j < rounds[i].end; j++) {
            struct attempt attempt = candidates.list[j];
            attempt.evict = rounds[i].evict;
            attempt.from_end ^= from_other_end;
            status = try_segment_locked(vidmm, allocation, &attempt, placed);
            if (*placed || !NT_SUCCESS(status)) {
                return status;
            }
        }
    }
    return status;
}
