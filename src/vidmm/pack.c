/* Would a residency list fit into memory together? Sizes alone do not say: what never moves cuts
 * segments into holes.
 *
 * A plan of each segment has what is pinned there and nothing else; the list goes into it as it
 * would when everything of it had left, the largest first (residency.c begins anew in that order).
 * That is looked for only under pressure, when something of the list had to leave for the rest. */
#include <stdlib.h>

#include "vidmm/internal.h"

struct plan {
    bool made;
    struct range_allocator ranges;
    uint64_t committed_bytes;
};

/* What the list is seen by stays beside it; other tables may leave, if not now. */
bool table_stays(const struct vidmm_allocation *allocation, const struct vidmm_residency *list)
{
    const struct vidmm_space *space = table_space_of(allocation);

    return space &&
           (space == list->space || space->kind == VIDMM_SPACE_PAGING || space->keep_count > 0);
}

static bool is_fixed(const struct vidmm_allocation *allocation, const struct vidmm_residency *list)
{
    return allocation->pin_count > 0 ||
           (table_space_of(allocation) ? table_stays(allocation, list)
                                       : (allocation->flags & VIDMM_ALLOCATION_PINNED) != 0);
}

/* ---- Plans ----------------------------------------------------------------------------------- */

/* The free range of the plan that has the page. Ranges are taken in the order of addresses: it is
 * the last one. */
static uint32_t free_at(const struct range_allocator *ranges, uint32_t page)
{
    uint32_t node = ranges->first_node;

    while (node != RANGE_NONE &&
           (ranges->nodes[node].used ||
            (uint64_t)ranges->nodes[node].page_first + ranges->nodes[node].page_count <= page)) {
        node = ranges->nodes[node].next;
    }
    return node;
}

/* What is pinned, and DMA buffers, where they are. */
static bool keep_fixed(const struct segment *segment, const struct vidmm_residency *list,
                       struct plan *plan)
{
    const struct range_allocator *ranges = &segment->ranges;

    for (uint32_t node = ranges->first_node; node != RANGE_NONE; node = ranges->nodes[node].next) {
        const struct range_node *range = &ranges->nodes[node];
        const struct vidmm_allocation *owner = ranges->nodes[node].owner;
        if (range->used && (!owner || is_fixed(owner, list)) &&
            range_alloc_at(&plan->ranges, free_at(&plan->ranges, range->page_first),
                           range->page_first, range->page_count, NULL) == RANGE_NONE) {
            return false;
        }
    }
    return true;
}

static bool make_plan(const struct segment *segment, const struct vidmm_residency *list,
                      struct plan *plan)
{
    plan->made = NT_SUCCESS(range_init(&plan->ranges, segment->ranges.page_count));
    plan->committed_bytes = segment->committed_bytes;
    list_for_each (link, &segment->residents) {
        const struct vidmm_allocation *resident =
            container_of(link, struct vidmm_allocation, resident_link);
        if (!is_fixed(resident, list)) {
            plan->committed_bytes -=
                segment_pages(segment, resident->size_bytes) * VIDMM_PAGE_BYTES;
        }
    }
    return plan->made && keep_fixed(segment, list, plan);
}

/* ---- Placing --------------------------------------------------------------------------------- */

static bool fits_into(const struct segment *segment, struct plan *plan,
                      const struct vidmm_allocation *allocation, bool from_end)
{
    uint32_t pages = segment_pages(segment, allocation->size_bytes);
    uint64_t bytes = pages * VIDMM_PAGE_BYTES;

    if (plan->committed_bytes + bytes > segment->options.commit_limit_bytes) {
        return false;
    }
    if (!place_is_plain(allocation, segment) &&
        range_alloc(&plan->ranges, pages,
                    segment_alignment_pages(segment, allocation->alignment_bytes), from_end,
                    NULL) == RANGE_NONE) {
        return false;
    }
    plan->committed_bytes += bytes;
    return true;
}

/* False: there is no memory to plan with. */
static bool goes_somewhere(const struct vidmm_residency *list, struct plan *plans,
                           const struct vidmm_allocation *allocation, bool *placed)
{
    struct vidmm *vidmm = list->vidmm;
    struct candidates candidates;

    *placed = allocation->segment != 0 && is_fixed(allocation, list);
    place_candidates(allocation, allocation->read_segments, &candidates);
    for (unsigned i = 0; i < candidates.count && !*placed; i++) {
        const struct segment *segment = segment_of(vidmm, candidates.list[i].segment);
        struct plan *plan = &plans[segment->id - 1];
        if (!plan->made && !make_plan(segment, list, plan)) {
            return false;
        }
        *placed = fits_into(segment, plan, allocation, candidates.list[i].from_end);
    }
    return true;
}

/* Everything of the list that is wanted. How many; NULL: no memory. */
static struct membership **members_of(const struct vidmm_residency *list, size_t *count)
{
    const struct list *const kinds[] = {&list->present, &list->missing, &list->joining};
    struct membership **members = NULL;
    size_t filled = 0;

    *count = 0;
    for (unsigned i = 0; i < 3; i++) {
        list_for_each (link, kinds[i]) {
            ++*count;
        }
    }
    members = malloc((*count + 1) * sizeof(struct membership *));
    for (unsigned i = 0; members && i < 3; i++) {
        list_for_each (link, kinds[i]) {
            struct membership *member = container_of(link, struct membership, list_link);
            if (!member->allocation->offered) {
                members[filled++] = member;
            }
        }
    }
    *count = filled;
    return members;
}

/* Does the list take more than half of any set of segments? Less finds its place. */
static bool is_crowded(const struct vidmm *vidmm, const struct vidmm_residency *list)
{
    for (unsigned i = 0; i < VIDMM_DEMAND_COUNT; i++) {
        uint64_t capacity = 0;
        for (unsigned j = 0; j < vidmm->segment_count; j++) {
            if ((list->demands[i].segments & 1u << j) != 0) {
                capacity += vidmm->segments[j].options.commit_limit_bytes;
            }
        }
        if (list->demands[i].bytes > capacity / 2) {
            return true;
        }
    }
    return false;
}

uint64_t pack_excess_locked(struct vidmm *vidmm, const struct vidmm_residency *list)
{
    struct plan plans[VIDMM_SEGMENT_COUNT_MAX] = {0};
    uint64_t over = 0;
    size_t count = 0;

    struct membership **members = is_crowded(vidmm, list) ? members_of(list, &count) : NULL;
    if (members) {
        qsort(members, count, sizeof(struct membership *), membership_compare);
    }
    for (size_t i = 0; members && i < count; i++) {
        bool placed;
        if (!goes_somewhere(list, plans, members[i]->allocation, &placed)) {
            over = 0; /* nothing is known */
            break;
        }
        over += placed ? 0 : members[i]->allocation->size_bytes;
    }
    for (unsigned i = 0; i < VIDMM_SEGMENT_COUNT_MAX; i++) {
        if (plans[i].made) {
            range_fini(&plans[i].ranges);
        }
    }
    free(members);
    return over;
}
