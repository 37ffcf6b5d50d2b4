/* Want of system memory: page tables that lie there make way, when nothing else does.
 *
 * Unlike those in a segment they give their memory back when the flush behind them has ended, for
 * who gets it stands in no queue. Whoever wants it waits for that, and tries again; or, where those
 * that are left are run with, until that has ended.
 *
 * A space whose tables made way is owed them: as long as others have the memory that they take,
 * whoever wants to run with them waits for it. */
#include "base/check.h"
#include "machine/vary.h"
#include "vidmm/internal.h"

uint64_t want_system_pages(const struct vidmm_space *space)
{
    uint64_t pages = 0;

    list_for_each (link, &space->tables) {
        const struct vidmm_table *table = container_of(link, struct vidmm_table, link);
        pages += table->frame != 0 ? table->size_bytes / VIDMM_PAGE_BYTES : 0;
    }
    return pages;
}

/* Of the spaces with tables in system memory that may leave the one whose tables were wanted
 * longest ago, or NULL; and how much all of them would give. */
static struct vidmm_space *oldest_space_locked(struct vidmm *vidmm, uint64_t *pages)
    HOLDS(vidmm->lock)
{
    struct vidmm_space *oldest = NULL;

    *pages = 0;
    list_for_each (link, &vidmm->spaces) {
        struct vidmm_space *space = container_of(link, struct vidmm_space, link);
        uint64_t own = space_may_leave(space) ? want_system_pages(space) : 0;
        *pages += own;
        if (own > 0 && (!oldest || space->kept_tick < oldest->kept_tick)) {
            oldest = space;
        }
    }
    return oldest;
}

/* What dead tables have; and the flush behind which the last of them gives it back, or 0: a reset
 * came, and they wait for operations that their owner is to give back. */
static uint64_t coming_pages_locked(struct vidmm *vidmm, uint64_t *after) HOLDS(vidmm->lock)
{
    uint64_t pages = 0;

    *after = 0;
    list_for_each (link, &vidmm->dead_tables) {
        const struct vidmm_table *table = container_of(link, struct vidmm_table, link);
        uint64_t flush =
            table->dead_after == UINT64_MAX ? vidmm->sequence_queued : table->dead_after;
        if (table->frame != 0) {
            pages += table->size_bytes / VIDMM_PAGE_BYTES;
            *after = flush > vidmm->sequence_completed && flush > *after ? flush : *after;
        }
    }
    return pages;
}

/* Are they in place for work that runs, or is about to? Then they may leave when that has ended. */
static bool is_run_with(const struct vidmm *vidmm, const struct vidmm_space *space)
{
    return space->kind != VIDMM_SPACE_PAGING && space->run_count > 0 && space->keep_count == 0 &&
           !mmu_has(vidmm, VIDMM_MMU_TABLES_STAY) &&
           !(vidmm->preparing && vidmm->preparing->space == space);
}

static uint64_t busy_pages_locked(struct vidmm *vidmm) HOLDS(vidmm->lock)
{
    uint64_t pages = 0;

    list_for_each (link, &vidmm->spaces) {
        const struct vidmm_space *space = container_of(link, struct vidmm_space, link);
        pages += is_run_with(vidmm, space) ? want_system_pages(space) : 0;
    }
    return pages;
}

/* The oldest use that runs with tables in system memory, where what all such have is enough. */
static bool want_waits_for_use_locked(struct vidmm *vidmm, uint64_t pages, struct vidmm_wait *wait)
    HOLDS(vidmm->lock)
{
    uint64_t leaving;

    (void)oldest_space_locked(vidmm, &leaving);
    if (pages == 0 ||
        ram_free_bytes() / VIDMM_PAGE_BYTES + leaving + busy_pages_locked(vidmm) < pages) {
        return false;
    }
    list_for_each (link, &vidmm->uses) {
        struct vidmm_use *use = container_of(link, struct vidmm_use, link);
        const struct vidmm_space *space = use->list ? use->list->space : NULL;
        if (space && !use->waiting && is_run_with(vidmm, space) && want_system_pages(space) > 0) {
            *wait = (struct vidmm_wait){.kind = VIDMM_WAIT_USE,
                                        .submitted = use->submitted,
                                        .node = use->node,
                                        .fence = use->fence,
                                        .use = use};
            return true;
        }
    }
    return false;
}

bool want_waits_locked(struct vidmm *vidmm, struct vidmm_wait *wait)
{
    uint64_t after, pages = vidmm->wanted_pages;

    vidmm->wanted_pages = 0;
    if (!vidmm->mmu.exists) {
        return false;
    }
    if (coming_pages_locked(vidmm, &after) == 0) {
        return want_waits_for_use_locked(vidmm, pages, wait);
    }
    *wait = (struct vidmm_wait){.kind = after ? VIDMM_WAIT_PAGING : VIDMM_WAIT_OWNER,
                                .paging_sequence = after};
    return true;
}

void want_pages_locked(struct vidmm *vidmm, uint64_t pages)
{
    uint64_t after, leaving, have = ram_free_bytes() / VIDMM_PAGE_BYTES;
    struct vidmm_space *space = oldest_space_locked(vidmm, &leaving);

    vidmm->wanted_pages = pages;
    have += vidmm->mmu.exists ? coming_pages_locked(vidmm, &after) : 0;
    if (have + leaving < pages) {
        return; /* in vain */
    }
    while (have < pages && space) {
        have += want_system_pages(space);
        if (!NT_SUCCESS(space_leave_locked(vidmm, space))) {
            return;
        }
        space = oldest_space_locked(vidmm, &leaving);
    }
}

void want_judge_locked(struct vidmm *vidmm, struct vidmm_prepare_result *result)
{
    if (result->outcome == VIDMM_FAILED && result->status == STATUS_NO_MEMORY &&
        want_waits_locked(vidmm, &result->wait)) {
        result->outcome = VIDMM_WAIT;
    }
}

/* ---- What is owed ---------------------------------------------------------------------------- */

/* Pages of system memory that somebody else's allocations and tables have. */
static uint64_t pages_of_others_locked(struct vidmm *vidmm, const struct vidmm_space *space)
    HOLDS(vidmm->lock)
{
    uint64_t pages = 0;

    list_for_each (link, &vidmm->allocations) {
        const struct vidmm_allocation *allocation =
            container_of(link, struct vidmm_allocation, link);
        if (allocation->account != space->account && allocation->frames &&
            !allocation->frames_borrowed) {
            pages += allocation->size_bytes / VIDMM_PAGE_BYTES;
        }
    }
    list_for_each (link, &vidmm->spaces) {
        const struct vidmm_space *other = container_of(link, struct vidmm_space, link);
        pages += other != space && other->kind != VIDMM_SPACE_PAGING ? want_system_pages(other) : 0;
    }
    return pages;
}

/* Does somebody else keep anything in the segments of tables that he may let go of? */
static bool others_keep_locked(struct vidmm *vidmm, const struct vidmm_space *space)
    HOLDS(vidmm->lock)
{
    uint32_t set = tables_segments(vidmm);

    list_for_each (link, &vidmm->allocations) {
        const struct vidmm_allocation *allocation =
            container_of(link, struct vidmm_allocation, link);
        if (allocation->account != space->account && allocation->pin_count > 0 &&
            allocation->segment != 0 && (set & VIDMM_SEGMENT_BIT(allocation->segment)) != 0) {
            return true;
        }
    }
    list_for_each (link, &vidmm->spaces) {
        const struct vidmm_space *other = container_of(link, struct vidmm_space, link);
        if (other != space && other->kind != VIDMM_SPACE_PAGING && other->keep_count > 0 &&
            other->root) {
            return set != 0;
        }
    }
    return false;
}

bool want_may_return_locked(struct vidmm *vidmm, const struct vidmm_space *space, NTSTATUS status)
{
    if (space->away_entries == 0) {
        return false;
    }
    if (status == STATUS_GRAPHICS_NO_VIDEO_MEMORY) {
        return others_keep_locked(vidmm, space);
    }
    return status == STATUS_NO_MEMORY && space->away_pages > 0 &&
           ram_free_bytes() / VIDMM_PAGE_BYTES + pages_of_others_locked(vidmm, space) >=
               space->away_pages;
}

/* ---- Without want ---------------------------------------------------------------------------- */

bool want_happens_locked(struct vidmm *vidmm, const struct vidmm_allocation *allocation)
{
    struct vidmm_space *space;
    uint64_t pages;

    if (allocation->frames || !vary_on(VARY_MOVED_TABLES) ||
        !(space = oldest_space_locked(vidmm, &pages)) || !vary_happens(VARY_MOVED_TABLES, 8)) {
        return false;
    }
    return NT_SUCCESS(space_leave_locked(vidmm, space));
}
