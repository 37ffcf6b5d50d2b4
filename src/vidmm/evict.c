/* Eviction: who has to go, and how he goes.
 *
 * Victims go one at a time in the order of priority, then budget, then the policy's value, until
 * the room is there. Where that frees twice what is needed and still leaves no hole long enough,
 * the window that costs least is cleared instead. Before the first victim goes it is certain that
 * the room can be had at all, so nobody is evicted in vain. Page tables go last: all of a space
 * whose tables nobody keeps, when without that there is no room.
 *
 * Choosing looks at every resident of the segment. That is linear; a victim is at least a page that
 * has to be copied, which costs more. */
#include "base/check.h"
#include "base/record.h"
#include "vidmm/internal.h"

/* But for a lock at an alternate address, which goes on when it is evicted. */
static bool held_in_place(const struct vidmm_allocation *allocation)
{
    return allocation->use_count > 0 || allocation->pin_count > 0 ||
           (allocation->flags & VIDMM_ALLOCATION_PINNED) != 0 ||
           (allocation->lock_count > 0 && allocation->view_is_segment) ||
           residency_holds(allocation);
}

/* What the CPU writes meanwhile would be lost: who is locked there goes when his locker is not
 * running, and not for others' sake. */
bool allocation_held(const struct vidmm_allocation *allocation)
{
    return held_in_place(allocation) || alternate_in_use(allocation);
}

bool allocation_evictable(const struct vidmm_allocation *allocation)
{
    return !held_in_place(allocation);
}

void evict_unlink_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    struct segment *segment = segment_of(vidmm, allocation->segment);
    uint64_t bytes = segment_pages(segment, allocation->size_bytes) * VIDMM_PAGE_BYTES;

    if (allocation->range != RANGE_NONE) {
        range_free(&segment->ranges, allocation->range);
    }
    segment->committed_bytes -= bytes;
    segment->table_bytes -= allocation->flags & VIDMM_ALLOCATION_TABLE ? bytes : 0;
    segment->allocation_count--;
    if (allocation->account) {
        allocation->account->usage_bytes[segment->options.group] -= bytes;
    }
    list_remove(&allocation->resident_link);
    allocation->segment = 0;
    allocation->offset = 0;
    allocation->range = RANGE_NONE;
    residency_sort_locked(vidmm, allocation);
    vidmm->progress++;
}

/* An aperture with a free range to copy through, or RANGE_NONE. */
static uint32_t find_eviction_range_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                           struct segment **out) HOLDS(vidmm->lock)
{
    for (unsigned id = 1; id <= vidmm->segment_count; id++) {
        struct segment *segment = segment_of(vidmm, id);
        uint32_t pages = segment_pages(segment, allocation->size_bytes);
        uint64_t free_bytes = segment->options.commit_limit_bytes - segment->committed_bytes;
        if ((allocation->eviction_segments & VIDMM_SEGMENT_BIT(id)) == 0 ||
            pages * VIDMM_PAGE_BYTES > free_bytes) {
            continue;
        }
        uint32_t node =
            range_alloc(&segment->ranges, pages, segment_alignment_pages(segment, VIDMM_PAGE_BYTES),
                        false, NULL);
        if (node != RANGE_NONE) {
            *out = segment;
            return node;
        }
    }
    return RANGE_NONE;
}

/* The bytes go to the backing store, which is there. */
static void queue_copy_out_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                  enum vidmm_reason reason) HOLDS(vidmm->lock)
{
    struct paging_transfer transfer = {
        .reason = reason,
        .source = paging_side(vidmm, allocation->segment, allocation->offset),
    };
    struct segment *aperture = NULL;

    if (scratch_moves(vidmm, allocation)) {
        scratch_transfer_locked(vidmm, allocation, &transfer);
        return;
    }
    if (alternate_in_use(allocation)) {
        transfer.special = allocation->alternate.holds = true;
        paging_queue_transfer_locked(vidmm, allocation, &transfer);
        return;
    }
    uint32_t node = find_eviction_range_locked(vidmm, allocation, &aperture);

    if (node == RANGE_NONE) {
        paging_queue_transfer_locked(vidmm, allocation, &transfer);
        return;
    }
    /* The driver asked for an aperture between [ALLOC-008]. The range is free again at once: who
     * gets it maps it behind our UNMAP. */
    struct paging_range range = {
        .reason = reason,
        .segment = aperture->id,
        .offset = range_page(&aperture->ranges, node) * VIDMM_PAGE_BYTES,
        .temporary = true,
    };
    paging_queue_map_locked(vidmm, allocation, &range);
    range.map_sequence = vidmm->sequence_queued;
    transfer.destination = paging_side(vidmm, aperture->id, range.offset);
    paging_queue_transfer_locked(vidmm, allocation, &transfer);
    touch_queue_locked(vidmm, allocation, &range);
    paging_queue_unmap_locked(vidmm, allocation, &range);
    range_free(&aperture->ranges, node);
}

/* Whether the bytes in the memory segment need not be kept, and what is left without them. */
static bool may_discard(const struct vidmm_allocation *allocation, enum vidmm_reason reason,
                        enum vidmm_content *left)
{
    *left = VIDMM_CONTENT_SYSTEM;
    if (alternate_in_use(allocation)) {
        return false; /* whoever locked it goes on looking */
    }
    *left = VIDMM_CONTENT_NONE;
    if (allocation->offered || allocation->content == VIDMM_CONTENT_NONE) {
        return true;
    }
    *left = VIDMM_CONTENT_SYSTEM;
    return allocation->content == VIDMM_CONTENT_BOTH &&
           !(reason == VIDMM_REASON_LOCK && swizzle_hides(allocation));
}

static void note_discard(struct vidmm_allocation *allocation)
{
    if (allocation->offered && allocation->content != VIDMM_CONTENT_NONE) {
        allocation->discarded = true;
    }
}

/* Everything that may fail, before anything is queued. */
static NTSTATUS prepare_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                               enum vidmm_reason reason) HOLDS(vidmm->lock)
{
    size_t hides = allocation->mapping_operations + paging_notice_count(vidmm, allocation) +
                   device_mmu_operations(vidmm, allocation);
    enum vidmm_content left;

    if (scratch_notifies(vidmm, allocation)) {
        hides += scratch_operations(vidmm, allocation);
    }
    if (segment_is_aperture(segment_of(vidmm, allocation->segment))) {
        return paging_reserve_locked(vidmm, hides + TOUCH_OPERATIONS + 1) ? STATUS_SUCCESS
                                                                          : STATUS_NO_MEMORY;
    }
    if (!paging_reserve_locked(vidmm, hides + paging_piece_count(vidmm, allocation) +
                                          TOUCH_OPERATIONS + 2)) {
        return STATUS_NO_MEMORY;
    }
    return may_discard(allocation, reason, &left)
               ? STATUS_SUCCESS
               : allocation_commit_locked(vidmm, allocation, false);
}

static void evict_memory_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                enum vidmm_reason reason) HOLDS(vidmm->lock)
{
    enum vidmm_content left;
    bool discard = may_discard(allocation, reason, &left);

    if (!discard) {
        queue_copy_out_locked(vidmm, allocation, reason);
    } else if (scratch_moves(vidmm, allocation)) {
        note_discard(allocation);
    } else {
        struct vidmm_op *op = paging_queue_locked(vidmm, VIDMM_OP_DISCARD, reason, allocation);
        op->discard.source = paging_side(vidmm, allocation->segment, allocation->offset);
        op->discard.left = left;
        note_discard(allocation);
    }
    alternate_evicted(allocation);
    allocation->content = left;
}

NTSTATUS evict_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                      enum vidmm_reason reason)
{
    unsigned segment = allocation->segment;
    uint64_t offset = allocation->offset;

    CHECK_THAT(segment != 0);
    NTSTATUS status = prepare_locked(vidmm, allocation, reason);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (scratch_notifies(vidmm, allocation)) {
        scratch_notify_locked(vidmm, allocation);
    }
    paging_queue_notice_locked(vidmm, allocation, false);
    device_mmu_hide_locked(vidmm, allocation);
    mappings_hide_locked(vidmm, allocation);
    if (!segment_is_aperture(segment_of(vidmm, segment))) {
        evict_memory_locked(vidmm, allocation, reason);
    } else if (allocation->range != RANGE_NONE) { /* otherwise plain pages */
        const struct paging_range range = {.reason = reason, .segment = segment, .offset = offset};
        if (allocation->unseen && reason != VIDMM_REASON_DESTROY) {
            touch_queue_locked(vidmm, allocation, &range);
        }
        allocation->unseen = false;
        paging_queue_unmap_locked(vidmm, allocation, &range);
    }
    evict_unlink_locked(vidmm, allocation);
    vidmm->statistics.evictions++;
    vidmm->pressure.evictions += reason == VIDMM_REASON_PRESSURE;
    record_event(EVENT_ALLOC_EVICTED, allocation->object, segment, offset);
    return STATUS_SUCCESS;
}

NTSTATUS vidmm_evict_all(struct vidmm *vidmm, struct vidmm_wait *wait)
{
    NTSTATUS status = STATUS_SUCCESS;

    *wait = (struct vidmm_wait){0};
    mutex_lock(&vidmm->lock);
    list_for_each (link, &vidmm->allocations) {
        struct vidmm_allocation *allocation = container_of(link, struct vidmm_allocation, link);
        if (NT_SUCCESS(status) && allocation->segment != 0 && !allocation->dying &&
            allocation_evictable(allocation)) {
            status = evict_locked(vidmm, allocation, VIDMM_REASON_OWNER);
        }
    }
    for (unsigned id = 1; id <= vidmm->segment_count && NT_SUCCESS(status); id++) {
        while (dma_unmap_idle_locked(vidmm, segment_of(vidmm, id))) {
            /* one after the other; each is mapped again when it is used */
        }
    }
    if (status == STATUS_NO_MEMORY && want_waits_locked(vidmm, wait)) {
        status = STATUS_PENDING;
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

bool vidmm_is_empty(struct vidmm *vidmm)
{
    bool empty = true;

    mutex_lock(&vidmm->lock);
    for (unsigned id = 1; id <= vidmm->segment_count; id++) {
        empty &= segment_of(vidmm, id)->committed_bytes == segment_of(vidmm, id)->table_bytes;
    }
    empty &= vidmm->sequence_completed == vidmm->sequence_queued;
    mutex_unlock(&vidmm->lock);
    return empty;
}

/* ---- The order of victims -------------------------------------------------------------------- */

static bool over_budget(const struct vidmm_allocation *allocation, enum vidmm_group group)
{
    const struct vidmm_account *account = allocation->account;

    return account && account->usage_bytes[group] > account->budget_bytes[group];
}

/* Does a go before b? Equal values leave the order of placement, for b came first. */
static bool goes_before(const struct vidmm_allocation *a, const struct vidmm_allocation *b,
                        enum vidmm_group group)
{
    const struct vidmm *vidmm = a->vidmm;
    bool a_over = over_budget(a, group), b_over = over_budget(b, group);

    if (a->offered != b->offered) {
        return a->offered;
    }
    if (list_empty(&a->memberships) != list_empty(&b->memberships)) {
        return list_empty(&a->memberships); /* nobody wants it now */
    }
    if (a->priority != b->priority) {
        return a->priority < b->priority;
    }
    if (a_over != b_over) {
        return a_over;
    }
    return vidmm->policy->value(&a->history, vidmm->tick) >
           vidmm->policy->value(&b->history, vidmm->tick);
}

static struct vidmm_allocation *choose_victim(struct segment *segment)
{
    struct vidmm_allocation *best = NULL;

    list_for_each (link, &segment->residents) {
        struct vidmm_allocation *allocation =
            container_of(link, struct vidmm_allocation, resident_link);
        residency_used(allocation);
        if (!allocation_held(allocation) &&
            (!best || goes_before(allocation, best, segment->options.group))) {
            best = allocation;
        }
    }
    return best;
}

/* ---- Windows -----------------------------------------------------------------------------------
 */

struct window {
    uint32_t first_node, page_first;
    uint64_t evict_bytes;
};

/* May this node of the segment be part of the window? */
static bool passable(const struct vidmm *vidmm, const struct range_allocator *ranges, uint32_t node,
                     enum obstacle obstacle)
{
    if (!ranges->nodes[node].used) {
        return true;
    }
    const struct vidmm_allocation *allocation = ranges->nodes[node].owner;
    if (!allocation) {
        return false; /* a DMA buffer */
    }
    if (obstacle == OBSTACLE_TABLES && (allocation->flags & VIDMM_ALLOCATION_TABLE) != 0) {
        return space_may_leave(table_space_of(allocation));
    }
    if (obstacle == OBSTACLE_HELD || obstacle == OBSTACLE_TABLES) {
        return !allocation_held(allocation);
    }
    bool own = (allocation->use_count > 0 && allocation->prepare_mark == vidmm->tick) ||
               (vidmm->preparing && membership_find(vidmm->preparing, allocation));
    bool pinned = allocation->pin_count > 0 || (allocation->flags & VIDMM_ALLOCATION_PINNED) != 0;
    bool locked = allocation->lock_count > 0 && allocation->view_is_segment;
    return !own && !pinned && (!locked || obstacle == OBSTACLE_OWN_PINS);
}

static uint64_t node_cost(const struct range_node *node)
{
    return node->used ? node->page_count * VIDMM_PAGE_BYTES : 0;
}

/* The window of a segment that costs the fewest bytes to clear. False: there is none. */
static bool window_find(struct vidmm *vidmm, struct segment *segment, const struct room *room,
                        enum obstacle obstacle, struct window *out)
{
    const struct range_allocator *ranges = &segment->ranges;
    uint32_t first = ranges->first_node, last = first; /* the window is [first, last) */
    uint64_t cost = 0;
    bool found = false;

    while (first != RANGE_NONE) {
        uint64_t unit = room->alignment_pages;
        uint64_t start = (ranges->nodes[first].page_first + unit - 1) / unit * unit;
        uint64_t reach = last == RANGE_NONE ? ranges->page_count : ranges->nodes[last].page_first;
        if (start + room->page_count <= reach) {
            if (!found || cost < out->evict_bytes) {
                *out = (struct window){first, (uint32_t)start, cost};
                found = true;
            }
        } else if (last == RANGE_NONE) {
            break;
        } else if (passable(vidmm, ranges, last, obstacle)) {
            cost += node_cost(&ranges->nodes[last]);
            last = ranges->nodes[last].next;
            continue;
        } else {
            first = last = ranges->nodes[last].next;
            cost = 0;
            continue;
        }
        cost -= node_cost(&ranges->nodes[first]);
        first = ranges->nodes[first].next;
    }
    return found;
}

bool window_exists_locked(struct vidmm *vidmm, struct segment *segment, const struct room *room,
                          enum obstacle obstacle)
{
    struct window window;

    return window_find(vidmm, segment, room, obstacle, &window);
}

/* The first resident with a page in [first, end). */
static struct vidmm_allocation *resident_within(const struct segment *segment, uint64_t first,
                                                uint64_t end)
{
    list_for_each (link, &segment->residents) {
        struct vidmm_allocation *allocation =
            container_of(link, struct vidmm_allocation, resident_link);
        if (allocation->range == RANGE_NONE) {
            continue;
        }
        const struct range_node *node = &segment->ranges.nodes[allocation->range];
        if (node->page_first < end && (uint64_t)node->page_first + node->page_count > first) {
            return allocation;
        }
    }
    return NULL;
}

/* Evicts what lies in the cheapest window and takes it. */
static NTSTATUS clear_window_locked(struct vidmm *vidmm, struct segment *segment,
                                    const struct room *room, uint32_t *out) HOLDS(vidmm->lock)
{
    struct range_allocator *ranges = &segment->ranges;
    struct window found;

    if (!window_find(vidmm, segment, room, OBSTACLE_HELD, &found)) {
        return STATUS_NO_MEMORY;
    }
    uint64_t end = (uint64_t)found.page_first + room->page_count;
    for (struct vidmm_allocation *inside;
         (inside = resident_within(segment, found.page_first, end)) != NULL;) {
        NTSTATUS status = evict_locked(vidmm, inside, VIDMM_REASON_PRESSURE);
        if (!NT_SUCCESS(status)) {
            return status;
        }
    }
    uint32_t node = ranges->first_node;
    while ((uint64_t)ranges->nodes[node].page_first + ranges->nodes[node].page_count <=
           found.page_first) {
        node = ranges->nodes[node].next;
    }
    *out = range_alloc_at(ranges, node, found.page_first, room->page_count, room->owner);
    return *out == RANGE_NONE ? STATUS_NO_MEMORY : STATUS_SUCCESS;
}

static bool commit_allows(const struct segment *segment, uint32_t page_count)
{
    return page_count * VIDMM_PAGE_BYTES + segment->committed_bytes <=
           segment->options.commit_limit_bytes;
}

/* Whether evicting all that can go would bring it under the commit limit. */
static bool commit_reachable(const struct segment *segment, uint32_t page_count, bool with_tables)
{
    uint64_t held_bytes = segment->committed_bytes;

    list_for_each (link, &segment->residents) {
        const struct vidmm_allocation *allocation =
            container_of(link, struct vidmm_allocation, resident_link);
        const struct vidmm_space *space = table_space_of(allocation);
        if (space ? with_tables && space_may_leave(space) : !allocation_held(allocation)) {
            held_bytes -= segment_pages(segment, allocation->size_bytes) * VIDMM_PAGE_BYTES;
        }
    }
    return held_bytes + page_count * VIDMM_PAGE_BYTES <= segment->options.commit_limit_bytes;
}

NTSTATUS make_plain_room_locked(struct vidmm *vidmm, struct segment *segment, uint32_t page_count,
                                bool *room)
{
    *room = commit_allows(segment, page_count);
    while (!*room && !commit_reachable(segment, page_count, false)) {
        if (!dma_unmap_idle_locked(vidmm, segment)) {
            return STATUS_SUCCESS;
        }
    }
    while (!commit_allows(segment, page_count)) {
        struct vidmm_allocation *victim = choose_victim(segment);
        if (!victim) {
            return STATUS_SUCCESS;
        }
        NTSTATUS status = evict_locked(vidmm, victim, VIDMM_REASON_PRESSURE);
        if (!NT_SUCCESS(status)) {
            return status;
        }
    }
    *room = true;
    return STATUS_SUCCESS;
}

/* Of the spaces with tables in pages [first, end) of the segment that may leave, the one whose
 * tables were wanted longest ago; or NULL. */
static struct vidmm_space *space_within(const struct segment *segment, uint64_t first, uint64_t end)
{
    struct vidmm_space *oldest = NULL;

    list_for_each (link, &segment->residents) {
        const struct vidmm_allocation *allocation =
            container_of(link, struct vidmm_allocation, resident_link);
        struct vidmm_space *space = table_space_of(allocation);
        const struct range_node *node = &segment->ranges.nodes[allocation->range];
        if (space && space_may_leave(space) && node->page_first < end &&
            (uint64_t)node->page_first + node->page_count > first &&
            (!oldest || space->kept_tick < oldest->kept_tick)) {
            oldest = space;
        }
    }
    return oldest;
}

/* Nothing but page tables is left that could make the room: those in the cheapest window go, and
 * as many as the commit limit wants. */
static NTSTATUS tables_make_way_locked(struct vidmm *vidmm, struct segment *segment,
                                       const struct room *room) HOLDS(vidmm->lock)
{
    NTSTATUS status = STATUS_SUCCESS;
    struct vidmm_space *space;
    struct window found;

    while (!window_exists_locked(vidmm, segment, room, OBSTACLE_HELD) && NT_SUCCESS(status) &&
           window_find(vidmm, segment, room, OBSTACLE_TABLES, &found) &&
           (space = space_within(segment, found.page_first,
                                 (uint64_t)found.page_first + room->page_count)) != NULL) {
        status = space_leave_locked(vidmm, space);
    }
    while (!commit_reachable(segment, room->page_count, false) && NT_SUCCESS(status) &&
           (space = space_within(segment, 0, UINT64_MAX)) != NULL) {
        status = space_leave_locked(vidmm, space);
    }
    return status;
}

/* Can the room be had at all? Page tables make way for it, if nothing else can. */
static NTSTATUS clear_way_locked(struct vidmm *vidmm, struct segment *segment,
                                 const struct room *room, bool *clear) HOLDS(vidmm->lock)
{
    *clear = true;
    while (!window_exists_locked(vidmm, segment, room, OBSTACLE_HELD) ||
           !commit_reachable(segment, room->page_count, false)) {
        if (dma_unmap_idle_locked(vidmm, segment)) {
            continue;
        }
        *clear = window_exists_locked(vidmm, segment, room, OBSTACLE_TABLES) &&
                 commit_reachable(segment, room->page_count, true);
        return *clear ? tables_make_way_locked(vidmm, segment, room) : STATUS_SUCCESS;
    }
    return STATUS_SUCCESS;
}

NTSTATUS make_room_locked(struct vidmm *vidmm, struct segment *segment, const struct room *room,
                          uint32_t *node)
{
    uint32_t pages = room->page_count, alignment = room->alignment_pages;
    uint64_t freed_pages = 0;
    bool clear;
    NTSTATUS cleared = clear_way_locked(vidmm, segment, room, &clear);

    *node = RANGE_NONE;
    if (!NT_SUCCESS(cleared) || !clear) {
        return cleared;
    }
    for (;;) {
        if (commit_allows(segment, pages)) {
            *node = range_alloc(&segment->ranges, pages, alignment, room->from_end, room->owner);
            if (*node != RANGE_NONE) {
                return STATUS_SUCCESS;
            }
        }
        struct vidmm_allocation *victim = choose_victim(segment);
        if (!victim || (freed_pages >= 2ull * pages && commit_allows(segment, pages))) {
            break;
        }
        freed_pages += segment_pages(segment, victim->size_bytes);
        NTSTATUS status = evict_locked(vidmm, victim, VIDMM_REASON_PRESSURE);
        if (!NT_SUCCESS(status)) {
            return status;
        }
    }
    return clear_window_locked(vidmm, segment, room, node);
}
