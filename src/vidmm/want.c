/* Want of system memory: page tables that lie there make way, when nothing else does.
 *
 * Unlike those in a segment they give their memory back when the flush behind them has ended, for
 * who gets it stands in no queue. Whoever wants it waits for that, and tries again. */
#include "base/check.h"
#include "machine/vary.h"
#include "vidmm/internal.h"

static uint64_t system_pages_of(const struct vidmm_space *space)
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
        uint64_t own = space_may_leave(space) ? system_pages_of(space) : 0;
        *pages += own;
        if (own > 0 && (!oldest || space->kept_tick < oldest->kept_tick)) {
            oldest = space;
        }
    }
    return oldest;
}

/* What dead tables have, and when the last of them gives it back; 0: nothing. */
static uint64_t coming_pages_locked(struct vidmm *vidmm, uint64_t *after) HOLDS(vidmm->lock)
{
    uint64_t pages = 0;

    *after = 0;
    list_for_each (link, &vidmm->dead_tables) {
        const struct vidmm_table *table = container_of(link, struct vidmm_table, link);
        uint64_t flush =
            table->dead_after == UINT64_MAX ? vidmm->sequence_queued : table->dead_after;
        if (table->frame != 0 && flush > vidmm->sequence_completed) {
            pages += table->size_bytes / VIDMM_PAGE_BYTES;
            *after = flush > *after ? flush : *after;
        }
    }
    return pages;
}

bool want_waits_locked(struct vidmm *vidmm, struct vidmm_wait *wait)
{
    uint64_t after;

    if (coming_pages_locked(vidmm, &after) == 0) {
        return false;
    }
    *wait = (struct vidmm_wait){.kind = VIDMM_WAIT_PAGING, .paging_sequence = after};
    return true;
}

void want_pages_locked(struct vidmm *vidmm, uint64_t pages)
{
    uint64_t after, leaving, have = ram_free_bytes() / VIDMM_PAGE_BYTES;
    struct vidmm_space *space = oldest_space_locked(vidmm, &leaving);

    have += vidmm->mmu.exists ? coming_pages_locked(vidmm, &after) : 0;
    if (have + leaving < pages) {
        return; /* in vain */
    }
    while (have < pages && space) {
        have += system_pages_of(space);
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
