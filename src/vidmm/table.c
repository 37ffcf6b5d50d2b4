/* Page tables: made, shown in their parents, moved out of the books, buried.
 *
 *     table_create ─> fresh ─ tables_tell ─> in use ─ table_drop ─> dead ─ tables_bury ─> gone
 *                       └─ tables_undo ─> gone
 *
 * What a table takes in a segment is free at once when it is dropped, as always in vidmm: who gets
 * it is queued behind. System memory and the CPU's view are given back when the flush that follows
 * the drop has ended, for neither the GPU's walks nor the CPU stand in that queue. */
#include <stdlib.h>

#include "base/check.h"
#include "vidmm/internal.h"

#define ROOM_FOR_TABLES (UINT64_C(32) << 20) /* no GPU with addresses has less */

/* ---- Finding --------------------------------------------------------------------------------- */

static uint32_t slot_of(const struct vidmm_table *table, uint64_t page)
{
    return (uint32_t)((page - table->page_first) >> table_shift(table));
}

/* The child's place among the children. */
static struct vidmm_table **child_at(const struct vidmm_table *table, uint32_t slot, bool leaf_64k)
{
    bool second = leaf_64k && mmu_has(table->space->vidmm, VIDMM_MMU_DUAL);

    return &table->children[slot + (second ? table->entry_count : 0)];
}

struct vidmm_table *table_find(struct vidmm_space *space, uint64_t page, unsigned level,
                               bool leaf_64k)
{
    struct vidmm_table *table = space->root;

    while (table && table->level > level) {
        if (page >= table_page_end(table)) {
            return NULL;
        }
        table = *child_at(table, slot_of(table, page), table->level == 1 && leaf_64k);
    }
    return table && table->leaf_64k == (level == 0 && leaf_64k) ? table : NULL;
}

uint64_t table_next_leaf(struct vidmm_space *space, uint64_t page, uint64_t end)
{
    struct vidmm_table *table = space->root;

    while (page < end && page < table_page_end(space->root)) {
        uint32_t slot = slot_of(table, page);
        struct vidmm_table *child = *child_at(table, slot, false);
        child = child || table->level > 1 ? child : *child_at(table, slot, true);
        if (!child) { /* nothing below this entry */
            page = table->page_first + ((uint64_t)(slot + 1) << table_shift(table));
            table = space->root;
        } else if (child->level == 0) {
            return page;
        } else {
            table = child;
        }
    }
    return end;
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* What nobody needs goes first; then those of others make way for it. */
static NTSTATUS place_in_system_locked(struct vidmm *vidmm, struct vidmm_table *table,
                                       uint64_t alignment, struct vidmm_wait *wait)
    HOLDS(vidmm->lock)
{
    size_t pages = table->size_bytes / VIDMM_PAGE_BYTES;
    const struct ram_request request = {.page_count = pages, .alignment = alignment};
    NTSTATUS status = ram_alloc_contiguous(&request, &table->frame);

    while (!NT_SUCCESS(status) && allocations_spare_locked(vidmm)) {
        status = ram_alloc_contiguous(&request, &table->frame);
    }
    if (NT_SUCCESS(status) || table->space->kind == VIDMM_SPACE_PAGING) {
        return status;
    }
    table->space->keep_count++;
    want_pages_locked(vidmm, pages);
    table->space->keep_count--;
    return want_waits_locked(vidmm, wait) ? STATUS_PENDING : status;
}

static NTSTATUS place_in_segment_locked(struct vidmm *vidmm, struct vidmm_table *table,
                                        unsigned segment, struct vidmm_wait *wait)
    HOLDS(vidmm->lock)
{
    uint32_t set = VIDMM_SEGMENT_BIT(segment);
    bool placed;

    table->memory.read_segments = table->memory.write_segments = set;
    /* They never move: at the end of the segment they leave the rest in one piece. */
    table->memory.preferences[0] = (struct vidmm_preference){segment, true};
    NTSTATUS status = place_locked(vidmm, &table->memory, set, &placed);
    if (!NT_SUCCESS(status) || placed) {
        return status;
    }
    if (find_blocker_locked(vidmm, NULL, set, wait)) {
        return STATUS_PENDING;
    }
    vidmm->statistics.tables_refused +=
        segment_of(vidmm, segment)->options.size_bytes < ROOM_FOR_TABLES;
    return STATUS_GRAPHICS_NO_VIDEO_MEMORY;
}

static NTSTATUS place_table_locked(struct vidmm *vidmm, struct vidmm_table *table,
                                   struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    struct vidmm_space *space = table->space;
    const struct vidmm_level_options *level = &vidmm->mmu.options.levels[table->level];
    bool paging = space->kind == VIDMM_SPACE_PAGING;
    unsigned segment = paging ? level->paging_segment : level->segment;

    table->memory = (struct vidmm_allocation){
        .vidmm = vidmm,
        .account = space->account,
        .size_bytes = table->size_bytes,
        .alignment_bytes = level->alignment_bytes,
        .flags = VIDMM_ALLOCATION_PINNED | VIDMM_ALLOCATION_NO_FILL | VIDMM_ALLOCATION_PHYSICAL |
                 VIDMM_ALLOCATION_TABLE,
        .priority = VIDMM_PRIORITY_NORMAL,
        .range = RANGE_NONE,
    };
    list_init(&table->memory.resident_link);
    list_init(&table->memory.mappings);
    list_init(&table->memory.memberships);
    return segment == 0 ? place_in_system_locked(vidmm, table, level->alignment_bytes, wait)
                        : place_in_segment_locked(vidmm, table, segment, wait);
}

static uint32_t count_entries(const struct vidmm *vidmm, const struct table_request *request)
{
    unsigned bits = vidmm->mmu.options.levels[request->level].index_bits;

    return request->entry_count ? request->entry_count
                                : UINT32_C(1) << (request->leaf_64k ? bits - 4 : bits);
}

static uint64_t count_bytes(const struct vidmm *vidmm, const struct table_request *request)
{
    const struct vidmm_mmu_options *options = &vidmm->mmu.options;
    uint64_t bytes = request->size_bytes ? request->size_bytes
                     : request->leaf_64k ? options->leaf_64k_bytes
                                         : options->levels[request->level].size_bytes;

    return align_up(bytes, VIDMM_PAGE_BYTES);
}

/* Without memory of its own yet. NULL: no memory for the books. */
static struct vidmm_table *table_new(struct vidmm_space *space, const struct table_request *request)
{
    struct vidmm *vidmm = space->vidmm;
    struct vidmm_table *table = calloc(1, sizeof *table);

    if (!table) {
        return NULL;
    }
    *table = (struct vidmm_table){
        .space = space,
        .level = request->level,
        .leaf_64k = request->leaf_64k,
        .entry_count = count_entries(vidmm, request),
        .size_bytes = count_bytes(vidmm, request),
        .window = RANGE_NONE,
        .fresh = true,
    };
    list_init(&table->link);
    unsigned shift = vidmm->mmu.shift[request->level + 1];
    bool is_root = request->level + 1 == vidmm->mmu.options.level_count;
    table->page_first = is_root ? 0 : align_down(request->page, UINT64_C(1) << shift);
    if (table->level > 0) {
        bool both = table->level == 1 && mmu_has(vidmm, VIDMM_MMU_DUAL);
        table->children =
            calloc((size_t)table->entry_count * (both ? 2 : 1), sizeof(struct vidmm_table *));
        if (!table->children) {
            free(table);
            return NULL;
        }
    }
    return table;
}

static void table_free(struct vidmm_table *table)
{
    if (table->frame != 0) {
        ram_free_contiguous(table->frame, table->size_bytes / VIDMM_PAGE_BYTES);
    }
    free(table->children);
    free(table);
}

/* The pages in the window that it is seen through, where tables are written by virtual address. */
static bool take_window(struct vidmm *vidmm, struct vidmm_table *table)
{
    struct vidmm_space *paging = vidmm->paging_space;
    uint32_t pages = (uint32_t)(table->size_bytes / VIDMM_PAGE_BYTES), alignment = 1;

    if (vidmm->mmu.options.mode != VIDMM_UPDATE_GPU_VIRTUAL || !paging || table->space == paging) {
        return true;
    }
    while (alignment < pages) {
        alignment *= 2; /* so that it never crosses a leaf */
    }
    if (table->level == 0 && alignment < PAGES_PER_64K) { /* entries are copied there [CPTE-002] */
        table->window = range_alloc(paging->window, pages, PAGES_PER_64K, false, table);
    }
    if (table->window == RANGE_NONE) {
        table->window = range_alloc(paging->window, pages, alignment, false, table);
    }
    return table->window != RANGE_NONE;
}

NTSTATUS table_create_locked(struct vidmm *vidmm, struct vidmm_space *space,
                             const struct table_request *request, struct vidmm_wait *wait,
                             struct vidmm_table **out)
{
    struct vidmm_table *table = table_new(space, request);

    if (!table) {
        return STATUS_NO_MEMORY;
    }
    NTSTATUS status = place_table_locked(vidmm, table, wait);
    if (status != STATUS_SUCCESS) {
        goto err_free;
    }
    status = STATUS_NO_MEMORY;
    if (!take_window(vidmm, table)) {
        goto err_unplace;
    }
    if (!paging_keep_locked(vidmm, TABLE_OPERATIONS)) {
        goto err_window;
    }
    list_push_back(&space->tables, &table->link);
    space->table_count++;
    *out = table;
    return STATUS_SUCCESS;

err_window:
    if (table->window != RANGE_NONE) {
        range_free(vidmm->paging_space->window, table->window);
    }
err_unplace:
    if (table->memory.segment != 0) {
        evict_unlink_locked(vidmm, &table->memory);
    }
err_free:
    table_free(table);
    return status;
}

void table_release_locked(struct vidmm *vidmm, struct vidmm_table *table)
{
    list_remove(&table->link);
    table->space->table_count--;
    paging_unkeep_locked(vidmm, TABLE_OPERATIONS);
    if (table->window != RANGE_NONE) {
        range_free(vidmm->paging_space->window, table->window);
        table->window = RANGE_NONE;
    }
    if (table->memory.segment != 0) {
        evict_unlink_locked(vidmm, &table->memory);
    }
}

void table_destroy_locked(struct vidmm *vidmm, struct vidmm_table *table)
{
    table_release_locked(vidmm, table);
    CHECK_THAT(table->operation_count == 0 && !table->view);
    table_free(table);
}

void table_link_child(struct vidmm_table *parent, uint32_t slot, struct vidmm_table *child)
{
    struct vidmm_table **place = child_at(parent, slot, child->leaf_64k);

    CHECK_THAT(!*place);
    *place = child;
    child->parent = parent;
    child->slot = slot;
    parent->used_count++;
}

void table_unlink_child(struct vidmm_table *child)
{
    struct vidmm_table **place = child_at(child->parent, child->slot, child->leaf_64k);

    CHECK_THAT(*place == child);
    *place = NULL;
    child->parent->used_count--;
}

NTSTATUS table_ensure_locked(struct vidmm *vidmm, struct vidmm_space *space, uint64_t page,
                             bool leaf_64k, struct vidmm_wait *wait)
{
    struct vidmm_table *table = space->root;

    while (table->level > 0) {
        bool below_64k = leaf_64k && table->level == 1;
        uint32_t slot = slot_of(table, page);
        struct vidmm_table *child = *child_at(table, slot, below_64k);
        if (!child) {
            const struct table_request request = {
                .level = table->level - 1, .leaf_64k = below_64k, .page = page};
            NTSTATUS status = table_create_locked(vidmm, space, &request, wait, &child);
            if (status != STATUS_SUCCESS) {
                return status;
            }
            table_link_child(table, slot, child);
        }
        table = child;
    }
    return STATUS_SUCCESS;
}

void tables_undo_locked(struct vidmm *vidmm, struct vidmm_space *space)
{
    while (!list_empty(&space->tables)) {
        struct vidmm_table *table = container_of(space->tables.prev, struct vidmm_table, link);
        if (!table->fresh) {
            break;
        }
        if (table->parent) {
            table_unlink_child(table);
        }
        table_destroy_locked(vidmm, table);
    }
}

/* The first fresh one; they are the last in the list. */
static struct list *first_fresh(struct vidmm_space *space)
{
    struct list *link = &space->tables;

    while (link->prev != &space->tables &&
           container_of(link->prev, struct vidmm_table, link)->fresh) {
        link = link->prev;
    }
    return link;
}

size_t tables_fresh_count(struct vidmm_space *space)
{
    size_t count = 0;

    for (struct list *link = first_fresh(space); link != &space->tables; link = link->next) {
        count++;
    }
    return count;
}

/* ---- What is said of them -------------------------------------------------------------------- */

struct vidmm_location table_place(struct vidmm *vidmm, const struct vidmm_table *table)
{
    if (table->memory.segment == 0) {
        uint64_t address = table->frame * VIDMM_PAGE_BYTES;
        return (struct vidmm_location){.offset = address, .address = address};
    }
    struct vidmm_side side = paging_side(vidmm, table->memory.segment, table->memory.offset);
    return (struct vidmm_location){side.segment, side.offset, side.address};
}

/* How it is written. The tables of the paging space above its scratch are for the CPU: nothing
 * shows them. */
static enum vidmm_update_mode mode_of(const struct vidmm *vidmm, const struct vidmm_table *table)
{
    const struct vidmm_space *space = table->space;
    bool by_cpu = space->kind == VIDMM_SPACE_PAGING &&
                  (table->level > 0 || table->page_first == 0 || table->fresh || space->by_cpu);

    return by_cpu ? VIDMM_UPDATE_CPU : vidmm->mmu.options.mode;
}

/* The table in the paging space. */
static uint64_t address_of(struct vidmm *vidmm, const struct vidmm_table *table)
{
    const struct vidmm_space *paging = vidmm->paging_space;

    if (table->space->kind == VIDMM_SPACE_PAGING) {
        return scratch_leaf_page(table) * VIDMM_PAGE_BYTES;
    }
    CHECK_THAT(paging && table->window != RANGE_NONE);
    return (paging->scratch_end + range_page(paging->window, table->window)) * VIDMM_PAGE_BYTES;
}

struct vidmm_op *table_update_locked(struct vidmm *vidmm, struct vidmm_table *table, uint32_t first,
                                     uint32_t count, struct vidmm_allocation *allocation)
{
    struct vidmm_space *space = table->space;
    struct vidmm_op *op = space_queue_locked(vidmm, VIDMM_OP_UPDATE_TABLE, allocation, space);
    enum vidmm_update_mode mode = mode_of(vidmm, table);

    CHECK_THAT(count > 0 && (uint64_t)first + count <= table->entry_count);
    op->update = (struct vidmm_update){
        .space = space,
        .table = table,
        .place = table_place(vidmm, table),
        .table_address = mode == VIDMM_UPDATE_GPU_VIRTUAL ? address_of(vidmm, table) : 0,
        .mode = mode,
        .level = table->level,
        .first = first,
        .count = count,
        .leaf_64k = table->leaf_64k,
        .address = (table->page_first + ((uint64_t)first << table_shift(table))) * VIDMM_PAGE_BYTES,
    };
    table->operation_count++;
    if (mode == VIDMM_UPDATE_CPU) {
        op->after = op->sequence - 1; /* the CPU does not stand in the GPU's queue */
    }
    return op;
}

/* May its entries be copied from or to, by commands? Where they are seen for that alone: the
 * addresses are multiples of 64 KiB [CPTE-002, CPTE-004]. */
bool table_is_copied(struct vidmm *vidmm, const struct vidmm_table *table)
{
    return vidmm->mmu.options.mode == VIDMM_UPDATE_GPU_VIRTUAL && vidmm->paging_space &&
           table->space->kind != VIDMM_SPACE_PAGING && table->level == 0 && !table->leaf_64k &&
           !table->fresh && table->window != RANGE_NONE &&
           address_of(vidmm, table) % VIDMM_AREA_BYTES == 0;
}

struct vidmm_op *table_copy_locked(struct vidmm *vidmm, struct vidmm_table *table,
                                   struct vidmm_allocation *allocation)
{
    struct vidmm_op *op =
        space_queue_locked(vidmm, VIDMM_OP_COPY_ENTRIES, allocation, table->space);

    op->copy = (struct vidmm_copy){.space = table->space,
                                   .address = table->page_first * VIDMM_PAGE_BYTES,
                                   .table_bytes = table->size_bytes,
                                   .entry_count = table->entry_count,
                                   .owner = table->space->copies_for,
                                   .tables = {table}};
    table->operation_count++;
    return op;
}

void table_copy_range_locked(struct vidmm *vidmm, struct vidmm_op *op, struct vidmm_table *source,
                             const struct vidmm_copy_range *entries)
{
    struct vidmm_table *table = op->copy.tables[0];
    struct vidmm_copy_range *range = &op->copy.ranges[op->copy.range_count++];

    CHECK_THAT(op->copy.range_count <= VIDMM_COPY_RANGES);
    *range = *entries;
    range->source_address = address_of(vidmm, source);
    range->source = table_place(vidmm, source);
    range->destination_address = address_of(vidmm, table);
    range->destination = table_place(vidmm, table);
    op->copy.tables[op->copy.range_count] = source;
    source->operation_count++;
}

void table_clear_locked(struct vidmm *vidmm, struct vidmm_table *table)
{
    struct vidmm_op *op = table_update_locked(vidmm, table, 0, table->entry_count, NULL);

    op->update.initial = true;
    op->update.repeat = true;
}

static struct vidmm_pte entry_for(struct vidmm *vidmm, const struct vidmm_table *child)
{
    if (!child) {
        return (struct vidmm_pte){0};
    }
    struct vidmm_location place = table_place(vidmm, child);
    bool single = child->leaf_64k && !mmu_has(vidmm, VIDMM_MMU_DUAL);
    return (struct vidmm_pte){
        .flags = (uint32_t)VIDMM_PTE_VALID | (single ? (uint32_t)VIDMM_PTE_LEAF_64K : 0),
        .segment = place.segment,
        .offset = place.offset,
    };
}

void table_show_locked(struct vidmm *vidmm, struct vidmm_table *parent, uint32_t slot)
{
    struct vidmm_op *op = table_update_locked(vidmm, parent, slot, 1, NULL);
    bool both = parent->level == 1 && mmu_has(vidmm, VIDMM_MMU_DUAL);

    op->update.entries = VIDMM_ENTRIES_TABLE;
    op->update.child = entry_for(vidmm, parent->children[slot]);
    if (both) {
        op->update.child_64k = entry_for(vidmm, parent->children[parent->entry_count + slot]);
    }
    if (op->update.child.flags == 0 && op->update.child_64k.flags == 0) {
        op->update.entries = VIDMM_ENTRIES_INVALID;
    }
}

/* They are seen where they are written from. */
static void show_windows_locked(struct vidmm *vidmm, struct list *first, struct vidmm_space *space)
    HOLDS(vidmm->lock)
{
    bool shown = space->kind == VIDMM_SPACE_PAGING
                     ? scratch_shows_leaves(vidmm)
                     : vidmm->mmu.options.mode == VIDMM_UPDATE_GPU_VIRTUAL;

    if (!shown || first == &space->tables) {
        return;
    }
    for (struct list *link = first; link != &space->tables; link = link->next) {
        window_show_locked(vidmm, container_of(link, struct vidmm_table, link));
    }
    if (space->kind != VIDMM_SPACE_PAGING) {
        space_flush_locked(vidmm, vidmm->paging_space, &(struct page_span){0, 0}, NULL);
    }
}

void tables_tell_locked(struct vidmm *vidmm, struct vidmm_space *space)
{
    struct list *first = first_fresh(space);

    if (space->kind != VIDMM_SPACE_PAGING) {
        show_windows_locked(vidmm, first, space);
    }
    for (struct list *link = first; link != &space->tables; link = link->next) {
        struct vidmm_table *table = container_of(link, struct vidmm_table, link);
        table_clear_locked(vidmm, table);
        if (table->parent) {
            table_show_locked(vidmm, table->parent, table->slot);
        }
    }
    if (space->kind == VIDMM_SPACE_PAGING) {
        show_windows_locked(vidmm, first, space);
    }
    for (struct list *link = first; link != &space->tables; link = link->next) {
        container_of(link, struct vidmm_table, link)->fresh = false;
    }
}

/* ---- Gone ------------------------------------------------------------------------------------ */

void table_kill_locked(struct vidmm *vidmm, struct vidmm_table *table)
{
    if (table->window != RANGE_NONE) {
        window_hide_locked(vidmm, table);
    }
    table_release_locked(vidmm, table);
    list_push_back(&vidmm->dead_tables, &table->link);
    table->space->dead_count++;
    table->dead_after = UINT64_MAX;
}

void tables_end_locked(struct vidmm *vidmm, struct vidmm_space *space)
{
    bool paging = space->kind == VIDMM_SPACE_PAGING;
    struct vidmm_table *root = space->root;

    if (!root) {
        return;
    }
    const struct vidmm_location root_place = table_place(vidmm, root);
    while (!list_empty(&space->tables)) {
        struct vidmm_table *table = container_of(space->tables.prev, struct vidmm_table, link);
        if (paging) {
            table_release_locked(vidmm, table); /* the last space; nothing works any more */
            list_push_back(&vidmm->dead_tables, &table->link);
            space->dead_count++;
            continue;
        }
        if (mmu_has(vidmm, VIDMM_MMU_EXPLICIT_INVALIDATION)) {
            table_update_locked(vidmm, table, 0, table->entry_count, NULL)->update.repeat = true;
        }
        table_kill_locked(vidmm, table);
    }
    if (!paging) {
        space_flush_locked(vidmm, space, &(struct page_span){0, 0}, NULL);
        /* Off the books it has no place; the driver knows the space by the one it had [TLB-001]. */
        container_of(vidmm->queued.prev, struct vidmm_op, link)->flush.root = root_place;
        if (vidmm->paging_space && vidmm->paging_space->window) {
            space_flush_locked(vidmm, vidmm->paging_space, &(struct page_span){0, 0}, NULL);
        }
        tables_flushed_locked(vidmm);
    }
    space->root = NULL;
}

void table_drop_locked(struct vidmm *vidmm, struct vidmm_table *table, struct page_span *flush)
{
    while (table->parent && table->used_count == 0) {
        struct vidmm_table *parent = table->parent;
        uint32_t slot = table->slot;
        uint64_t first = parent->page_first + ((uint64_t)slot << table_shift(parent));
        uint64_t end = first + (UINT64_C(1) << table_shift(parent));
        if (flush->end == 0 || first < flush->first) {
            flush->first = first;
        }
        flush->end = end > flush->end ? end : flush->end;
        table_unlink_child(table);
        table_show_locked(vidmm, parent, slot);
        table_kill_locked(vidmm, table);
        table = parent;
    }
}

void tables_flushed_locked(struct vidmm *vidmm)
{
    for (struct list *link = vidmm->dead_tables.prev; link != &vidmm->dead_tables;
         link = link->prev) {
        struct vidmm_table *table = container_of(link, struct vidmm_table, link);
        if (table->dead_after != UINT64_MAX) {
            break;
        }
        table->dead_after = vidmm->sequence_queued;
    }
}

/* The oldest dead one whose time has come, off the list; or NULL. */
static struct vidmm_table *next_to_bury(struct vidmm *vidmm)
{
    struct vidmm_table *table = NULL;

    mutex_lock(&vidmm->lock);
    if (!list_empty(&vidmm->dead_tables)) {
        table = container_of(vidmm->dead_tables.next, struct vidmm_table, link);
        if (table->dead_after > vidmm->sequence_completed || table->operation_count > 0) {
            table = NULL;
        }
    }
    if (table) {
        list_remove(&table->link);
        table->space->dead_count--;
        vidmm->progress++;
        vidmm->releases += table->frame != 0; /* somebody may want what it has: want.c */
    }
    mutex_unlock(&vidmm->lock);
    return table;
}

void tables_bury(struct vidmm *vidmm)
{
    for (struct vidmm_table *table; (table = next_to_bury(vidmm)) != NULL;) {
        table_drop_view(vidmm, table);
        table_free(table);
    }
}

/* ---- Entries --------------------------------------------------------------------------------- */

bool vidmm_op_is_immediate(const struct vidmm_op *op)
{
    return op->kind == VIDMM_OP_SET_ROOT ||
           (op->kind == VIDMM_OP_UPDATE_TABLE && op->update.mode == VIDMM_UPDATE_CPU);
}

void vidmm_op_entries(const struct vidmm_op *op, uint32_t first, uint32_t count, bool leaf_64k,
                      struct vidmm_pte *out)
{
    const struct vidmm_update *update = &op->update;
    uint64_t pages = update->leaf_64k ? PAGES_PER_64K : 1;

    CHECK_THAT(op->kind == VIDMM_OP_UPDATE_TABLE);
    CHECK_THAT(range_fits(first, count, update->repeat ? 1 : update->count));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t page = (first + i) * pages;
        switch (update->entries) {
        case VIDMM_ENTRIES_TABLE:
            out[i] = leaf_64k ? update->child_64k : update->child;
            break;
        case VIDMM_ENTRIES_PAGES:
            out[i] = update->page;
            out[i].offset = update->page.segment == 0 && !update->contiguous
                                ? op->frames[update->frame_first + page] * VIDMM_PAGE_BYTES
                                : update->page.offset + page * VIDMM_PAGE_BYTES;
            break;
        default:
            out[i] = (struct vidmm_pte){.flags = update->page.flags};
            break;
        }
    }
}
