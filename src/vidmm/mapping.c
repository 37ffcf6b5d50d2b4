/* Mappings: which pages of a space show which pages of an allocation.
 *
 * A mapping is written by runs, at most one a leaf; where a driver has both kinds of leaves below
 * one entry, its 64 KiB blocks are written to the one kind when the memory lies so, the pages
 * before and behind them to the other. Tables count the pages of mappings that may need them, so
 * that none goes while one does, wherever memory is just then.
 *
 * Every change is one edit: what is mapped in a range goes, one mapping may come in its stead.
 * Mappings that reach over the ends of the range are split at blocks of 64 KiB, so that what is
 * farther away stays as it is written. */
#include <stdlib.h>

#include "base/check.h"
#include "vidmm/internal.h"

enum { SPLIT_MAX = 4 }; /* mappings that one edit makes at the ends of its range */

static int compare_mappings(const struct vidmm_mapping *a, const struct vidmm_mapping *b)
{
    return a->page_first < b->page_first ? -1 : a->page_first > b->page_first;
}

RB_GENERATE_INTERNAL(vidmm_mapping_tree, vidmm_mapping, entry, compare_mappings,
                     __attribute__((unused)) static)

struct vidmm_mapping *mapping_from(struct vidmm_space *space, uint64_t page)
{
    struct vidmm_mapping *mapping = RB_ROOT(&space->mappings), *found = NULL;

    while (mapping) {
        if (mapping_end(mapping) > page) {
            found = mapping;
            mapping = RB_LEFT(mapping, entry);
        } else {
            mapping = RB_RIGHT(mapping, entry);
        }
    }
    return found;
}

/* ---- Pages of both sizes --------------------------------------------------------------------- */

uint32_t segments_64k(const struct vidmm *vidmm)
{
    uint32_t set = 0;

    for (unsigned i = 0; i < vidmm->segment_count; i++) {
        uint32_t flags = vidmm->segments[i].options.flags;
        set |= (flags & VIDMM_SEGMENT_PAGES_64K) && !(flags & VIDMM_SEGMENT_APERTURE) ? 1u << i : 0;
    }
    return set;
}

/* May blocks of it be written as pages of 64 KiB, in some place? The low bits of address and
 * memory are the same then [PT-010]. */
static bool may_be_64k(const struct vidmm *vidmm, const struct vidmm_mapping *mapping)
{
    const struct vidmm_allocation *allocation = mapping->allocation;

    return vidmm->mmu.options.leaf_64k_bytes != 0 && allocation &&
           (mapping->page_first - mapping->allocation_page) % PAGES_PER_64K == 0 &&
           ((allocation->read_segments | allocation->write_segments) & segments_64k(vidmm)) != 0;
}

/* Is it nothing but blocks, in any place? Such a leaf has no pages of 4 KiB. */
static bool always_64k(const struct vidmm *vidmm, const struct vidmm_mapping *mapping)
{
    return may_be_64k(vidmm, mapping) && mapping->page_first % PAGES_PER_64K == 0 &&
           mapping->page_count % PAGES_PER_64K == 0 &&
           ((mapping->allocation->read_segments | mapping->allocation->write_segments) &
            ~segments_64k(vidmm)) == 0;
}

bool mappings_stand_locked(const struct vidmm *vidmm, const struct vidmm_allocation *allocation,
                           uint32_t segments)
{
    uint32_t now = allocation->read_segments | allocation->write_segments;
    uint32_t large = segments_64k(vidmm);

    return list_empty(&allocation->mappings) || vidmm->mmu.options.leaf_64k_bytes == 0 ||
           (((now & large) != 0) == ((segments & large) != 0) &&
            ((now & ~large) != 0) == ((segments & ~large) != 0));
}

static bool lies_in_64k(struct vidmm *vidmm, const struct vidmm_mapping *mapping)
{
    return may_be_64k(vidmm, mapping) && mapping->allocation->segment != 0 &&
           (VIDMM_SEGMENT_BIT(mapping->allocation->segment) & segments_64k(vidmm)) != 0;
}

/* A part of a mapping in one leaf: pages [first, end), of these the blocks [block, block_end). */
struct part {
    uint64_t first, end, block, block_end;
};

static struct part part_at(const struct vidmm *vidmm, const struct vidmm_mapping *mapping,
                           uint64_t page, bool blocks)
{
    uint64_t leaf = leaf_pages(vidmm), end = align_down(page, leaf) + leaf;
    struct part part = {.first = page,
                        .end = end < mapping_end(mapping) ? end : mapping_end(mapping)};

    part.block = align_up(part.first, PAGES_PER_64K);
    part.block_end = align_down(part.end, PAGES_PER_64K);
    if (!blocks || part.block >= part.block_end) {
        part.block = part.block_end = part.end;
    }
    return part;
}

/* The leaf for pages of 4 KiB; of a driver with one kind a leaf, the one that is there. */
static struct vidmm_table *small_leaf(struct vidmm_space *space, uint64_t page)
{
    struct vidmm_table *leaf = table_find(space, page, 0, false);

    return leaf || mmu_has(space->vidmm, VIDMM_MMU_DUAL) ? leaf : table_find(space, page, 0, true);
}

/* Its pages count for the leaves that may have to show them, or no more. */
static void count_uses(struct vidmm *vidmm, const struct vidmm_mapping *mapping, bool more)
{
    bool both = mmu_has(vidmm, VIDMM_MMU_DUAL) && may_be_64k(vidmm, mapping);
    struct part part;

    for (uint64_t page = mapping->page_first; page < mapping_end(mapping); page = part.end) {
        part = part_at(vidmm, mapping, page, both);
        struct vidmm_table *leaf = small_leaf(mapping->space, page);
        leaf->used_count += more ? part.end - part.first : -(part.end - part.first);
        if (part.block < part.block_end) {
            leaf = table_find(mapping->space, page, 0, true);
            leaf->used_count += more ? part.block_end - part.block : -(part.block_end - part.block);
        }
    }
}

static uint64_t leaf_count(const struct vidmm *vidmm, uint64_t page_first, uint64_t page_end)
{
    return (page_end - 1) / leaf_pages(vidmm) - page_first / leaf_pages(vidmm) + 1;
}

/* Is somebody to hear of it before its entries go? */
static bool wants_notice(const struct vidmm_mapping *mapping)
{
    return mapping->allocation && (mapping->allocation->flags & VIDMM_ALLOCATION_NOTIFY_UNMAP);
}

/* The most operations that it takes to write or clear it. */
static uint32_t cost_of(const struct vidmm *vidmm, const struct vidmm_mapping *mapping)
{
    return (uint32_t)leaf_count(vidmm, mapping->page_first, mapping_end(mapping)) + 3 +
           wants_notice(mapping);
}

/* ---- Entries --------------------------------------------------------------------------------- */

uint32_t pte_flags(const struct vidmm_allocation *allocation, unsigned segment, bool read_only)
{
    const struct vidmm *vidmm = allocation->vidmm;
    uint32_t flags = VIDMM_PTE_VALID;

    if (segment == 0 && (allocation->flags & VIDMM_ALLOCATION_CACHED) != 0 &&
        mmu_has(vidmm, VIDMM_MMU_CACHE_COHERENT)) {
        flags |= VIDMM_PTE_CACHE_COHERENT;
    }
    if (read_only && mmu_has(vidmm, VIDMM_MMU_READ_ONLY)) {
        flags |= VIDMM_PTE_READ_ONLY;
    }
    return flags;
}

/* The run [first, end) of a leaf as the mapping is, or invalid. */
static void write_run_locked(struct vidmm *vidmm, struct vidmm_mapping *mapping,
                             struct vidmm_table *leaf, const struct page_span *run, bool show)
    HOLDS(vidmm->lock)
{
    struct vidmm_allocation *allocation = mapping->allocation;
    uint64_t shift = table_shift(leaf);

    if (show && mapping->copied_from != 0 && mapping_copy_run_locked(vidmm, mapping, leaf, run)) {
        return;
    }
    struct vidmm_op *op =
        table_update_locked(vidmm, leaf, (uint32_t)((run->first - leaf->page_first) >> shift),
                            (uint32_t)((run->end - run->first) >> shift), allocation);
    struct vidmm_update *update = &op->update;
    uint64_t page = mapping->allocation_page + (run->first - mapping->page_first);

    update->repeat = !show || !allocation;
    if (!show) {
        /* The CPU would write below running work. */
        op->suspend |= update->mode == VIDMM_UPDATE_CPU;
        return;
    }
    update->driver_protection = mapping->driver_protection;
    if (!allocation) {
        update->entries = VIDMM_ENTRIES_ZERO;
        update->page.flags = (uint32_t)VIDMM_PTE_VALID | (uint32_t)VIDMM_PTE_ZERO;
        return;
    }
    bool system = segment_is_aperture(segment_of(vidmm, allocation->segment));
    update->entries = VIDMM_ENTRIES_PAGES;
    update->allocation_offset = page * VIDMM_PAGE_BYTES;
    update->frame_first = page;
    update->page.segment = system ? 0 : allocation->segment;
    update->page.offset = allocation->offset + page * VIDMM_PAGE_BYTES;
    update->page.flags = pte_flags(allocation, update->page.segment,
                                   (mapping->protection & VIDMM_PROTECT_WRITE) == 0);
    if ((mapping->protection & VIDMM_PROTECT_EXECUTE) == 0 &&
        mmu_has(vidmm, VIDMM_MMU_NO_EXECUTE)) {
        update->page.flags |= VIDMM_PTE_NO_EXECUTE;
    }
}

static void write_part_locked(struct vidmm *vidmm, struct vidmm_mapping *mapping,
                              const struct part *part, bool show) HOLDS(vidmm->lock)
{
    struct vidmm_space *space = mapping->space;
    const struct page_span before = {part->first, part->block};
    const struct page_span blocks = {part->block, part->block_end};
    const struct page_span behind = {part->block_end, part->end};

    if (before.first < before.end) {
        write_run_locked(vidmm, mapping, small_leaf(space, before.first), &before, show);
    }
    if (blocks.first < blocks.end) {
        struct vidmm_table *leaf = table_find(space, blocks.first, 0, true);
        write_run_locked(vidmm, mapping, leaf, &blocks, show);
    }
    if (behind.first < behind.end) {
        write_run_locked(vidmm, mapping, small_leaf(space, behind.first), &behind, show);
    }
}

/* All its entries; invalid, or what is there now. */
static void write_locked(struct vidmm *vidmm, struct vidmm_mapping *mapping, bool show)
    HOLDS(vidmm->lock)
{
    bool blocks =
        show ? mmu_has(vidmm, VIDMM_MMU_DUAL) && lies_in_64k(vidmm, mapping) : mapping->valid_64k;
    struct part part;

    for (uint64_t page = mapping->page_first; page < mapping_end(mapping); page = part.end) {
        part = part_at(vidmm, mapping, page, blocks);
        write_part_locked(vidmm, mapping, &part, show);
    }
    mapping->valid = show;
    mapping->valid_64k = show && blocks;
}

/* Behind all work that may use it so, and before the entries go: the CPU writes those when this has
 * ended [NALLOC-006]. */
static void tell_locked(struct vidmm *vidmm, const struct vidmm_mapping *mapping) HOLDS(vidmm->lock)
{
    if (mapping->valid && wants_notice(mapping)) {
        struct vidmm_op *op =
            space_queue_locked(vidmm, VIDMM_OP_NOTIFY_UNMAP, mapping->allocation, mapping->space);
        op->notice = (struct vidmm_notice){.offset = mapping->allocation_page * VIDMM_PAGE_BYTES,
                                           .size_bytes = mapping->page_count * VIDMM_PAGE_BYTES,
                                           .address = mapping->page_first * VIDMM_PAGE_BYTES};
    }
}

static bool has_pages(const struct vidmm_mapping *mapping)
{
    return !mapping->allocation || mapping->allocation->segment != 0;
}

void mappings_show_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    list_for_each (link, &allocation->mappings) {
        struct vidmm_mapping *mapping = container_of(link, struct vidmm_mapping, link);
        if (!mapping->space->root) {
            continue; /* its tables are away; they come back with it */
        }
        write_locked(vidmm, mapping, true);
        if (!mmu_has(vidmm, VIDMM_MMU_INVALID_NOT_CACHED)) { /* [TLB-004] */
            const struct page_span span = {mapping->page_first, mapping_end(mapping)};
            space_flush_locked(vidmm, mapping->space, &span, allocation);
        }
    }
}

void mappings_hide_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    list_for_each (link, &allocation->mappings) {
        tell_locked(vidmm, container_of(link, struct vidmm_mapping, link));
    }
    list_for_each (link, &allocation->mappings) {
        struct vidmm_mapping *mapping = container_of(link, struct vidmm_mapping, link);
        if (mapping->valid) {
            const struct page_span span = {mapping->page_first, mapping_end(mapping)};
            write_locked(vidmm, mapping, false);
            space_flush_locked(vidmm, mapping->space, &span, allocation); /* [TLB-003] */
        }
    }
}

/* ---- The books ------------------------------------------------------------------------------- */

static void book(struct vidmm *vidmm, struct vidmm_mapping *mapping)
{
    uint32_t cost = cost_of(vidmm, mapping);

    CHECK_THAT(!RB_INSERT(vidmm_mapping_tree, &mapping->space->mappings, mapping));
    mapping->space->mapping_count++;
    if (mapping->allocation) {
        list_push_back(&mapping->allocation->mappings, &mapping->link);
        mapping->allocation->mapping_operations += cost;
    } else {
        vidmm->spare_kept += cost; /* a reset writes zeros again; reserved before */
    }
}

static void unbook(struct vidmm *vidmm, struct vidmm_mapping *mapping)
{
    RB_REMOVE(vidmm_mapping_tree, &mapping->space->mappings, mapping);
    mapping->space->mapping_count--;
    if (mapping->allocation) {
        list_remove(&mapping->link);
        mapping->allocation->mapping_operations -= cost_of(vidmm, mapping);
    } else {
        vidmm->spare_kept -= cost_of(vidmm, mapping);
    }
}

void mappings_forget_locked(struct vidmm *vidmm, struct vidmm_space *space)
{
    for (struct vidmm_mapping *mapping; (mapping = RB_ROOT(&space->mappings)) != NULL;) {
        unbook(vidmm, mapping);
        free(mapping);
    }
}

void mappings_restore_locked(struct vidmm *vidmm, struct vidmm_space *space)
{
    struct vidmm_mapping *mapping;

    RB_FOREACH(mapping, vidmm_mapping_tree, &space->mappings)
    {
        mapping->valid = mapping->valid_64k = false;
        if (!mapping->allocation) {
            write_locked(vidmm, mapping, true);
        }
    }
}

void mappings_away_locked(struct vidmm *vidmm, struct vidmm_space *space)
{
    struct vidmm_mapping *mapping;

    RB_FOREACH(mapping, vidmm_mapping_tree, &space->mappings)
    {
        mapping->valid = mapping->valid_64k = false;
    }
}

size_t mappings_return_operations(struct vidmm_space *space)
{
    struct vidmm_mapping *mapping;
    size_t count = 0;

    RB_FOREACH(mapping, vidmm_mapping_tree, &space->mappings)
    {
        count += cost_of(space->vidmm, mapping);
    }
    return count;
}

void mappings_return_locked(struct vidmm *vidmm, struct vidmm_space *space)
{
    struct vidmm_mapping *mapping;

    RB_FOREACH(mapping, vidmm_mapping_tree, &space->mappings)
    {
        count_uses(vidmm, mapping, true);
        if (has_pages(mapping)) {
            write_locked(vidmm, mapping, true);
        }
    }
}

void mappings_rewrite_locked(struct vidmm *vidmm, struct vidmm_space *space)
{
    struct vidmm_mapping *mapping;

    RB_FOREACH(mapping, vidmm_mapping_tree, &space->mappings)
    {
        if (mapping->valid) {
            write_locked(vidmm, mapping, true);
        }
    }
}

/* ---- Edits ----------------------------------------------------------------------------------- */

struct edit {
    struct vidmm_space *space;
    uint64_t first, end;            /* pages whose mappings go */
    struct vidmm_mapping *added;    /* takes their place, or part of it; or NULL */
    struct vidmm_allocation *waits; /* whose bytes the flush belongs to, or NULL */
    struct vidmm_mapping *spare[SPLIT_MAX];
    unsigned spare_count;
    struct page_span flush;
};

static void edit_free(struct edit *edit)
{
    while (edit->spare_count > 0) {
        free(edit->spare[--edit->spare_count]);
    }
}

static bool edit_reserve_spare(struct edit *edit)
{
    while (edit->spare_count < SPLIT_MAX) {
        struct vidmm_mapping *mapping = calloc(1, sizeof *mapping);
        if (!mapping) {
            edit_free(edit);
            return false;
        }
        edit->spare[edit->spare_count++] = mapping;
    }
    return true;
}

static NTSTATUS ensure_leaves_locked(struct vidmm *vidmm, const struct vidmm_mapping *mapping,
                                     struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    bool dual = mmu_has(vidmm, VIDMM_MMU_DUAL);
    bool blocks = dual && may_be_64k(vidmm, mapping);
    bool large = !dual && always_64k(vidmm, mapping);
    NTSTATUS status = STATUS_SUCCESS;
    struct part part;

    for (uint64_t page = mapping->page_first;
         page < mapping_end(mapping) && status == STATUS_SUCCESS; page = part.end) {
        part = part_at(vidmm, mapping, page, blocks);
        status = table_ensure_locked(vidmm, mapping->space, page, large, wait);
        if (status == STATUS_SUCCESS && part.block < part.block_end) {
            status = table_ensure_locked(vidmm, mapping->space, page, true, wait);
        }
    }
    return status;
}

/* Where a leaf has pages of one size, those that need the small ones come first. */
NTSTATUS mappings_ensure_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                struct vidmm_wait *wait)
{
    struct vidmm_mapping *mapping;
    NTSTATUS status = STATUS_SUCCESS;

    for (int large = 0; large <= 1; large++) {
        RB_FOREACH(mapping, vidmm_mapping_tree, &space->mappings)
        {
            if (status == STATUS_SUCCESS && always_64k(vidmm, mapping) == (large == 1)) {
                status = ensure_leaves_locked(vidmm, mapping, wait);
            }
        }
    }
    return status;
}

struct vidmm_mapping *mapping_next(struct vidmm_space *space, struct vidmm_mapping *mapping)
{
    return RB_NEXT(vidmm_mapping_tree, &space->mappings, mapping);
}

size_t mappings_in(struct vidmm_space *space, uint64_t first, uint64_t end)
{
    struct vidmm_mapping *mapping = mapping_from(space, first);
    size_t count = 0;

    for (; mapping && mapping->page_first < end;
         mapping = RB_NEXT(vidmm_mapping_tree, &space->mappings, mapping)) {
        count++;
    }
    return count;
}

void leaf_rewrite_locked(struct vidmm *vidmm, struct vidmm_table *leaf)
{
    struct vidmm_space *space = leaf->space;
    uint64_t end = table_page_end(leaf);
    struct vidmm_mapping *mapping = mapping_from(space, leaf->page_first);

    for (; mapping && mapping->page_first < end; mapping = mapping_next(space, mapping)) {
        uint64_t page =
            mapping->page_first > leaf->page_first ? mapping->page_first : leaf->page_first;
        if (!mapping->valid) {
            continue;
        }
        const struct part part = part_at(vidmm, mapping, page, mapping->valid_64k);
        const struct page_span runs[] = {
            {part.first, part.block}, {part.block, part.block_end}, {part.block_end, part.end}};
        for (unsigned i = 0; i < 3; i++) {
            bool large = mmu_has(vidmm, VIDMM_MMU_DUAL) ? i == 1 : leaf->leaf_64k;
            if (runs[i].first < runs[i].end && large == leaf->leaf_64k) {
                write_run_locked(vidmm, mapping, leaf, &runs[i], true);
            }
        }
    }
}

/* A leaf of 64 KiB pages becomes one of 4 KiB: that never goes back [PT-011]. */
static NTSTATUS leaf_split_locked(struct vidmm *vidmm, struct vidmm_table *old,
                                  struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    struct vidmm_space *space = old->space;
    const struct page_span span = {old->page_first, table_page_end(old)};
    const struct table_request request = {.page = old->page_first};
    struct vidmm_table *leaf;
    NTSTATUS status = table_create_locked(vidmm, space, &request, wait, &leaf);

    if (status != STATUS_SUCCESS) {
        return status;
    }
    if (!paging_reserve_locked(vidmm, mappings_in(space, span.first, span.end) +
                                          2 * TABLE_OPERATIONS + 4)) {
        table_destroy_locked(vidmm, leaf);
        return STATUS_NO_MEMORY;
    }
    table_begin_replace_locked(vidmm, old, leaf);
    leaf_rewrite_locked(vidmm, leaf);
    table_end_replace_locked(vidmm, old, leaf, false);
    space_flush_locked(vidmm, space, &span, NULL);
    tables_flushed_locked(vidmm);
    return STATUS_SUCCESS;
}

/* Where a leaf has pages of one size, and those of 64 KiB are too large for what comes or stays. */
static NTSTATUS leaves_split_locked(struct vidmm *vidmm, const struct edit *edit,
                                    struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    bool too_large = edit->first % PAGES_PER_64K != 0 || edit->end % PAGES_PER_64K != 0 ||
                     (edit->added && !always_64k(vidmm, edit->added));
    uint64_t leaf = leaf_pages(vidmm);
    NTSTATUS status = STATUS_SUCCESS;

    for (uint64_t page = align_down(edit->first, leaf);
         too_large && status == STATUS_SUCCESS &&
         (page = table_next_leaf(edit->space, page, edit->end)) < edit->end;
         page = align_down(page, leaf) + leaf) {
        struct vidmm_table *table = table_find(edit->space, page, 0, true);
        if (table) {
            status = leaf_split_locked(vidmm, table, wait);
        }
    }
    return status;
}

/* The most operations that it takes to take away what is mapped in the range. */
static size_t count_operations(const struct edit *edit)
{
    struct vidmm *vidmm = edit->space->vidmm;
    struct vidmm_mapping *mapping = mapping_from(edit->space, edit->first);
    size_t count = 4; /* flushes: of this space and of the paging space, for what is new and gone */

    for (; mapping && mapping->page_first < edit->end;
         mapping = RB_NEXT(vidmm_mapping_tree, &edit->space->mappings, mapping)) {
        uint64_t first = mapping->page_first > edit->first ? mapping->page_first : edit->first;
        uint64_t end = mapping_end(mapping) < edit->end ? mapping_end(mapping) : edit->end;
        /* Cleared by runs, two pieces written again; zeros are kept for anew. */
        count += leaf_count(vidmm, first, end) + 2 + 2 + 8 + wants_notice(mapping);
    }
    if (edit->added) {
        count += 2 * cost_of(vidmm, edit->added); /* written, or kept, or both */
    }
    return count + tables_fresh_count(edit->space) * TABLE_OPERATIONS;
}

/* Everything that can fail. */
static NTSTATUS edit_prepare_locked(struct vidmm *vidmm, struct edit *edit, struct vidmm_wait *wait)
    HOLDS(vidmm->lock)
{
    NTSTATUS status = STATUS_SUCCESS;

    if (!edit_reserve_spare(edit)) {
        return STATUS_NO_MEMORY;
    }
    if (!mmu_has(vidmm, VIDMM_MMU_DUAL) && vidmm->mmu.options.leaf_64k_bytes != 0) {
        status = leaves_split_locked(vidmm, edit, wait);
    }
    if (status == STATUS_SUCCESS && edit->added) {
        status = ensure_leaves_locked(vidmm, edit->added, wait);
    }
    if (status == STATUS_SUCCESS && !paging_reserve_locked(vidmm, count_operations(edit))) {
        status = STATUS_NO_MEMORY;
    }
    if (status != STATUS_SUCCESS) {
        tables_undo_locked(vidmm, edit->space);
        edit_free(edit);
    }
    return status;
}

static void grow_span(struct page_span *span, uint64_t first, uint64_t end)
{
    if (span->end == 0 || first < span->first) {
        span->first = first;
    }
    span->end = end > span->end ? end : span->end;
}

/* A piece of a mapping; valid as the whole was, or not written yet. */
static void add_piece_locked(struct vidmm *vidmm, struct edit *edit,
                             const struct vidmm_mapping *whole, const struct page_span *pages,
                             bool written) HOLDS(vidmm->lock)
{
    if (pages->first >= pages->end) {
        return;
    }
    CHECK_THAT(edit->spare_count > 0);
    struct vidmm_mapping *piece = edit->spare[--edit->spare_count];
    *piece = *whole;
    list_init(&piece->link);
    piece->page_first = pages->first;
    piece->page_count = pages->end - pages->first;
    piece->allocation_page += pages->first - whole->page_first;
    book(vidmm, piece);
    if (written) {
        return;
    }
    piece->valid = piece->valid_64k = false;
    count_uses(vidmm, piece, true);
    if (has_pages(piece)) {
        write_locked(vidmm, piece, true);
    }
}

/* Takes what lies in the range out of a mapping, which is unbooked and given back. */
static void cut_locked(struct vidmm *vidmm, struct edit *edit, struct vidmm_mapping *mapping)
    HOLDS(vidmm->lock)
{
    uint64_t first = mapping->page_first > edit->first ? mapping->page_first : edit->first;
    uint64_t end = mapping_end(mapping) < edit->end ? mapping_end(mapping) : edit->end;
    struct page_span out = {first, end}; /* what is cleared: whole blocks, if it has such */

    if (may_be_64k(vidmm, mapping)) {
        out.first = align_down(first, PAGES_PER_64K);
        out.end = align_up(end, PAGES_PER_64K);
        out.first = out.first < mapping->page_first ? mapping->page_first : out.first;
        out.end = out.end > mapping_end(mapping) ? mapping_end(mapping) : out.end;
    }
    struct vidmm_mapping gone = *mapping;
    gone.page_first = out.first;
    gone.page_count = out.end - out.first;
    gone.allocation_page += out.first - mapping->page_first;
    unbook(vidmm, mapping);
    if (gone.valid) {
        tell_locked(vidmm, &gone);
        write_locked(vidmm, &gone, false);
        grow_span(&edit->flush, out.first, out.end);
    }
    add_piece_locked(vidmm, edit, mapping, &(struct page_span){mapping->page_first, out.first},
                     true);
    add_piece_locked(vidmm, edit, mapping, &(struct page_span){out.end, mapping_end(mapping)},
                     true);
    add_piece_locked(vidmm, edit, mapping, &(struct page_span){out.first, first}, false);
    add_piece_locked(vidmm, edit, mapping, &(struct page_span){end, out.end}, false);
    count_uses(vidmm, &gone, false);
    free(mapping);
}

static void drop_leaves_locked(struct vidmm *vidmm, struct edit *edit) HOLDS(vidmm->lock)
{
    uint64_t leaf = leaf_pages(vidmm);

    for (uint64_t page = align_down(edit->first, leaf);
         (page = table_next_leaf(edit->space, page, edit->end)) < edit->end; page += leaf) {
        for (int large = 0; large <= 1; large++) {
            struct vidmm_table *table = table_find(edit->space, page, 0, large == 1);
            if (table && table->used_count == 0) {
                table_drop_locked(vidmm, table, &edit->flush);
            }
        }
    }
}

static void edit_commit_locked(struct vidmm *vidmm, struct edit *edit) HOLDS(vidmm->lock)
{
    struct vidmm_space *space = edit->space;
    struct vidmm_mapping *mapping;

    tables_tell_locked(vidmm, space);
    while ((mapping = mapping_from(space, edit->first)) != NULL &&
           mapping->page_first < edit->end) {
        cut_locked(vidmm, edit, mapping);
    }
    if (edit->added) {
        book(vidmm, edit->added);
        count_uses(vidmm, edit->added, true);
        if (has_pages(edit->added)) {
            write_locked(vidmm, edit->added, true);
            if (!mmu_has(vidmm, VIDMM_MMU_INVALID_NOT_CACHED)) {
                grow_span(&edit->flush, edit->added->page_first, mapping_end(edit->added));
            }
        }
        edit->added->copied_from = 0;
    }
    drop_leaves_locked(vidmm, edit);
    if (edit->flush.end != 0) {
        space_flush_locked(vidmm, space, &edit->flush, edit->waits);
        if (!list_empty(&vidmm->dead_tables) && vidmm->paging_space &&
            vidmm->paging_space->window) {
            space_flush_locked(vidmm, vidmm->paging_space, &(struct page_span){0, 0}, NULL);
        }
        tables_flushed_locked(vidmm);
    }
    edit_free(edit);
}

NTSTATUS mapping_replace_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                const struct vidmm_mapping *wanted, struct vidmm_wait *wait)
{
    struct edit edit = {.space = space, .first = wanted->page_first, .end = mapping_end(wanted)};
    bool shows = wanted->allocation || (wanted->protection & VIDMM_PROTECT_ZERO) != 0;

    if (shows && !(edit.added = malloc(sizeof *edit.added))) {
        return STATUS_NO_MEMORY;
    }
    if (shows) {
        *edit.added = *wanted;
        edit.added->space = space;
        list_init(&edit.added->link);
    }
    NTSTATUS status = edit_prepare_locked(vidmm, &edit, wait);
    if (status != STATUS_SUCCESS) {
        free(edit.added);
        return status;
    }
    edit.waits = wanted->allocation;
    edit_commit_locked(vidmm, &edit);
    return STATUS_SUCCESS;
}

/* The area that a mapping made goes with the last of it. */
static void drop_area_locked(struct vidmm *vidmm, struct vidmm_space *space, uint64_t page)
    HOLDS(vidmm->lock)
{
    struct vidmm_area *area = area_find(space, page);

    if (area && !area->reserved && !area->busy &&
        mappings_in(space, area->page_first, area->page_first + area->page_count) == 0) {
        area_drop_locked(vidmm, space, area);
    }
}

NTSTATUS mappings_end_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    while (!list_empty(&allocation->mappings)) {
        struct vidmm_mapping *mapping =
            container_of(allocation->mappings.next, struct vidmm_mapping, link);
        struct vidmm_space *space = mapping->space;
        uint64_t page = mapping->page_first;
        struct vidmm_wait wait;
        if (!space->root) { /* nothing is written anywhere */
            unbook(vidmm, mapping);
            free(mapping);
            drop_area_locked(vidmm, space, page);
            continue;
        }
        struct edit edit = {
            .space = space, .first = page, .end = mapping_end(mapping), .waits = allocation};
        /* Whole mappings go: no leaf is split for that. */
        NTSTATUS status = edit_prepare_locked(vidmm, &edit, &wait);
        if (status != STATUS_SUCCESS) {
            return status;
        }
        edit_commit_locked(vidmm, &edit);
        drop_area_locked(vidmm, space, page);
    }
    return STATUS_SUCCESS;
}

void vidmm_space_translate(struct vidmm_space *space, uint64_t address,
                           struct vidmm_translation *out)
{
    struct vidmm *vidmm = space->vidmm;
    uint64_t page = address / VIDMM_PAGE_BYTES;

    *out = (struct vidmm_translation){0};
    mutex_lock(&vidmm->lock);
    const struct vidmm_mapping *mapping = mapping_from(space, page);
    if (mapping && mapping->page_first <= page) {
        *out = (struct vidmm_translation){
            .allocation = mapping->allocation,
            .allocation_offset =
                (mapping->allocation_page + page - mapping->page_first) * VIDMM_PAGE_BYTES +
                address % VIDMM_PAGE_BYTES,
            .protection = mapping->protection,
            .mapped = true,
            .resident = has_pages(mapping),
            .bytes = mapping_end(mapping) * VIDMM_PAGE_BYTES - address,
        };
    } else if (mapping) {
        out->next = mapping->page_first * VIDMM_PAGE_BYTES;
    }
    mutex_unlock(&vidmm->lock);
}
