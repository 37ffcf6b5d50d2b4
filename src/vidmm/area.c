/* Areas: the ranges of addresses that a space has given out.
 *
 * The range allocator counts units of 64 KiB from the first address on that is given out. Who names
 * an address or bounds is served by a walk from the area before; everybody else gets the smallest
 * hole, in constant time. */
#include <stdlib.h>

#include "base/check.h"
#include "base/record.h"
#include "vidmm/internal.h"

#define AREAS_MAX 65536u /* of a process, so that none takes the host's memory; ours */

static int compare_areas(const struct vidmm_area *a, const struct vidmm_area *b)
{
    return a->page_first < b->page_first ? -1 : a->page_first > b->page_first;
}

RB_GENERATE_INTERNAL(vidmm_area_tree, vidmm_area, entry, compare_areas,
                     __attribute__((unused)) static)

/* The last area that begins at or before the page. */
static struct vidmm_area *area_before(struct vidmm_space *space, uint64_t page)
{
    struct vidmm_area *area = RB_ROOT(&space->areas), *found = NULL;

    while (area) {
        if (area->page_first <= page) {
            found = area;
            area = RB_RIGHT(area, entry);
        } else {
            area = RB_LEFT(area, entry);
        }
    }
    return found;
}

struct vidmm_area *area_find(struct vidmm_space *space, uint64_t page)
{
    struct vidmm_area *area = area_before(space, page);

    return area && page - area->page_first < area->page_count ? area : NULL;
}

/* The first node of the range allocator that may have a hole at or behind the unit. */
static uint32_t node_near(struct vidmm_space *space, uint64_t unit)
{
    struct vidmm_area *area = area_before(space, space->page_start + unit * PAGES_PER_64K);

    return area ? area->range : space->ranges->first_node;
}

/* The first hole of so many units between bounds; a walk. */
static uint32_t take_between(struct vidmm_space *space, const struct area_request *request,
                             uint64_t minimum, uint64_t maximum, struct vidmm_area *area)
{
    struct range_allocator *ranges = space->ranges;
    uint64_t units = request->page_count / PAGES_PER_64K;
    uint64_t alignment = request->alignment_pages;

    for (uint32_t i = node_near(space, minimum); i != RANGE_NONE; i = ranges->nodes[i].next) {
        const struct range_node *node = &ranges->nodes[i];
        uint64_t first = node->page_first > minimum ? node->page_first : minimum;
        uint64_t end = (uint64_t)node->page_first + node->page_count;
        /* What is aligned is the address. */
        uint64_t page = align_up(space->page_start + first * PAGES_PER_64K, alignment);
        first = (page - space->page_start) / PAGES_PER_64K;
        end = end < maximum ? end : maximum;
        if (node->page_first >= maximum) {
            break;
        }
        if (!node->used && first <= end && units <= end - first) {
            return range_alloc_at(ranges, i, (uint32_t)first, (uint32_t)units, area);
        }
    }
    return RANGE_NONE;
}

/* In units, cut to what there is. */
static uint64_t unit_of(const struct vidmm_space *space, uint64_t page, bool up)
{
    uint64_t units = space->ranges->page_count;

    if (page <= space->page_start) {
        return 0;
    }
    page -= space->page_start;
    if (page / PAGES_PER_64K >= units) {
        return units;
    }
    return page / PAGES_PER_64K + (up && page % PAGES_PER_64K != 0);
}

static uint32_t take(struct vidmm_space *space, const struct area_request *request,
                     struct vidmm_area *area)
{
    uint64_t units = request->page_count / PAGES_PER_64K;
    uint64_t last = space->ranges->page_count;

    if (units > last) {
        return RANGE_NONE;
    }
    if (request->page_first != 0) {
        uint64_t first = unit_of(space, request->page_first, false);
        return units > last - first ? RANGE_NONE
                                    : take_between(space, request, first, first + units, area);
    }
    uint64_t minimum = unit_of(space, request->page_minimum, true);
    uint64_t maximum =
        request->page_maximum == 0 ? last : unit_of(space, request->page_maximum, false);
    bool anywhere = minimum == 0 && maximum == last && space->kind == VIDMM_SPACE_PROCESS;
    if (anywhere && vary_happens(VARY_FROM_END, 3)) {
        uint64_t first = vary_below(VARY_FROM_END, last - units + 1);
        uint32_t far = take_between(space, request, first, last, area);
        if (far != RANGE_NONE) {
            return far;
        }
    }
    if (minimum == 0 && maximum == last && request->alignment_pages <= PAGES_PER_64K) {
        return range_alloc(space->ranges, (uint32_t)units, 1, false, area);
    }
    return take_between(space, request, minimum, maximum, area);
}

static bool has_room(const struct vidmm_space *space)
{
    bool full = space->kind == VIDMM_SPACE_PROCESS && space->area_count >= AREAS_MAX;

    if (full) {
        record_count("client.bounds", 1);
    }
    return !full;
}

NTSTATUS area_make_locked(struct vidmm *vidmm, struct vidmm_space *space,
                          const struct area_request *request, struct vidmm_area **out)
{
    struct area_request whole = *request;
    struct vidmm_area *area = has_room(space) ? calloc(1, sizeof *area) : NULL;

    if (!area || (request->page_first != 0 && request->page_first < space->page_start)) {
        free(area);
        return STATUS_NO_MEMORY;
    }
    if (whole.alignment_pages < PAGES_PER_64K) {
        whole.alignment_pages = whole.page_first ? 1 : PAGES_PER_64K;
    }
    whole.page_first = align_down(request->page_first, PAGES_PER_64K);
    whole.page_count =
        align_up(request->page_first - whole.page_first + request->page_count, PAGES_PER_64K);
    area->range = take(space, &whole, area);
    if (area->range == RANGE_NONE) {
        free(area);
        return STATUS_NO_MEMORY;
    }
    area->page_first = space->page_start + range_page(space->ranges, area->range) * PAGES_PER_64K;
    area->page_count = whole.page_count;
    area->reserved = request->reserved;
    area->systems = request->systems;
    area->asked_first = request->page_first ? request->page_first : area->page_first;
    area->asked_count = request->page_count;
    CHECK_THAT(!RB_INSERT(vidmm_area_tree, &space->areas, area));
    space->area_count++;
    *out = area;
    return STATUS_SUCCESS;
}

void area_drop_locked(struct vidmm *vidmm, struct vidmm_space *space, struct vidmm_area *area)
{
    RB_REMOVE(vidmm_area_tree, &space->areas, area);
    space->area_count--;
    range_free(space->ranges, area->range);
    free(area);
}
