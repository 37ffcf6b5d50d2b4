/* Page tables that leave their place: others stand in for them, or nothing does for a while
 * [UPT-010, RES-007]. */
#include "base/check.h"
#include "vidmm/internal.h"

/* The new one stands in for the old one, of the same pages; its entries follow. */
void table_begin_replace_locked(struct vidmm *vidmm, struct vidmm_table *old,
                                struct vidmm_table *table)
{
    if (table->window != RANGE_NONE) {
        window_show_locked(vidmm, table);
        space_flush_locked(vidmm, vidmm->paging_space, &(struct page_span){0, 0}, NULL);
    }
    list_remove(&table->link);
    list_insert_before(&old->link, &table->link); /* before its children */
    table->fresh = false;
    table->used_count = old->used_count;
    table_clear_locked(vidmm, table);
    if (old->parent) {
        struct vidmm_table *parent = old->parent;
        uint32_t slot = old->slot;
        table_unlink_child(old);
        table_link_child(parent, slot, table);
    }
}

/* No context looks at the tables during the last operation queued, nor behind it. */
static void rest_locked(struct vidmm *vidmm, bool rests_on) HOLDS(vidmm->lock)
{
    struct vidmm_op *op = container_of(vidmm->queued.prev, struct vidmm_op, link);

    op->suspend = true;
    op->rests_on = rests_on;
}

void table_end_replace_locked(struct vidmm *vidmm, struct vidmm_table *old,
                              struct vidmm_table *table, bool moves)
{
    if (table->parent) {
        table_show_locked(vidmm, table->parent, table->slot);
        rest_locked(vidmm, moves);
    }
    if (moves || mmu_has(vidmm, VIDMM_MMU_EXPLICIT_INVALIDATION)) {
        struct vidmm_op *op = table_update_locked(vidmm, old, 0, old->entry_count, NULL);
        op->update.repeat = true;
        op->update.eviction = moves;
        if (moves) {
            rest_locked(vidmm, true);
        }
    }
    table_kill_locked(vidmm, old);
}

/* All children go over, to a table of as many entries or more. */
void table_adopt_locked(struct vidmm *vidmm, struct vidmm_table *old, struct vidmm_table *table)
{
    uint32_t halves = table->level == 1 && mmu_has(vidmm, VIDMM_MMU_DUAL) ? 2 : 1;

    for (uint32_t i = 0; i < old->entry_count; i++) {
        bool any = false;
        for (uint32_t half = 0; half < halves; half++) {
            struct vidmm_table *child = old->children[half * old->entry_count + i];
            table->children[half * table->entry_count + i] = child;
            if (child) {
                child->parent = table;
                any = true;
            }
        }
        if (any) {
            table_show_locked(vidmm, table, i);
        }
    }
}

void tables_evict_locked(struct vidmm *vidmm, struct vidmm_space *space)
{
    const struct vidmm_location root_place = table_place(vidmm, space->root);

    while (!list_empty(&space->tables)) {
        struct vidmm_table *table = container_of(space->tables.prev, struct vidmm_table, link);
        struct vidmm_op *op = table_update_locked(vidmm, table, 0, table->entry_count, NULL);
        op->update.repeat = true;
        op->update.eviction = op->update.away = true;
        rest_locked(vidmm, true);
        table_kill_locked(vidmm, table);
    }
    space_flush_locked(vidmm, space, &(struct page_span){0, 0}, NULL);
    struct vidmm_op *flush = container_of(vidmm->queued.prev, struct vidmm_op, link);
    flush->flush.root = root_place; /* by which the driver knows the space [TLB-001] */
    flush->suspend = true;
    if (vidmm->paging_space && vidmm->paging_space->window) {
        space_flush_locked(vidmm, vidmm->paging_space, &(struct page_span){0, 0}, NULL);
    }
    tables_flushed_locked(vidmm);
    space->root = NULL;
}

void tables_supersede_locked(struct vidmm *vidmm, struct vidmm_space *space, struct list *old)
{
    uint32_t count = space->table_count / 2;
    struct list *fresh = space->tables.next;

    CHECK_THAT(vidmm->paging_space == space && count * 2 == space->table_count);
    for (uint32_t i = 0; i < count; i++) {
        fresh = fresh->next;
    }
    space->root = container_of(fresh, struct vidmm_table, link);
    for (uint32_t i = 0; i < count; i++, fresh = fresh->next) {
        struct vidmm_table *from = container_of(space->tables.next, struct vidmm_table, link);
        struct vidmm_table *to = container_of(fresh, struct vidmm_table, link);
        if (from->parent) { /* which was superseded before */
            struct vidmm_table *parent = from->parent->heir;
            table_unlink_child(from);
            table_link_child(parent, from->slot, to);
        }
        if (to->level == 0) {
            to->used_count = from->used_count;
        }
        from->heir = to;
        list_remove(&from->link);
        list_push_back(old, &from->link);
    }
}

void tables_left_locked(struct vidmm *vidmm, struct vidmm_space *space, struct list *old)
{
    while (!list_empty(old)) {
        struct vidmm_table *table = container_of(old->prev, struct vidmm_table, link);
        struct vidmm_op *op = table_update_locked(vidmm, table, 0, table->entry_count, NULL);
        op->update.repeat = true;
        op->update.eviction = true;
        table_release_locked(vidmm, table);
        list_push_back(&vidmm->dead_tables, &table->link);
        space->dead_count++;
        table->dead_after = op->sequence;
    }
}

void windows_show_again_locked(struct vidmm *vidmm)
{
    list_for_each (outer, &vidmm->spaces) {
        struct vidmm_space *space = container_of(outer, struct vidmm_space, link);
        list_for_each (link, &space->tables) {
            if (space->kind != VIDMM_SPACE_PAGING) {
                window_show_locked(vidmm, container_of(link, struct vidmm_table, link));
            }
        }
    }
}

uint32_t tables_segments(const struct vidmm *vidmm)
{
    uint32_t set = 0;

    for (unsigned i = 0; i < vidmm->mmu.options.level_count; i++) {
        unsigned segment = vidmm->mmu.options.levels[i].segment;
        set |= segment != 0 ? VIDMM_SEGMENT_BIT(segment) : 0;
    }
    return set;
}
