/* The paging space: its scratch area, by which bytes are moved, the window that shows tables, and
 * the buffers that paging commands run from.
 *
 *     page 0            one leaf           scratch            scratch_end           buffers_first
 *     │ invalid │ leaves of what follows │ source, destination │ tables of everybody │ buffers │
 *                                         └─────────────── the area, leaf by leaf ────────────┘
 *
 * Where memory is in pages of 64 KiB, the second half of the scratch has leaves of such pages: a
 * side that lies so is shown there.
 *
 * Each piece of a move is mapped, both sides next to each other, moved, and unmapped again. Pieces
 * go round in the area, so that a mapping that a slow TLB still knows is not the next one's. Where
 * tables are written by virtual address the first leaf shows the area's leaves, and the window all
 * tables of other spaces. What shows the buffers is written by the CPU: no command runs before. */
#include <stdlib.h>

#include "base/check.h"
#include "vidmm/internal.h"

enum { WINDOW_LEAVES = 16, PIECE_SHIFT_MIN = 2, PIECE_SHIFTS = 4 }; /* from 16 KiB on */

static bool by_address(const struct vidmm *vidmm)
{
    return vidmm->mmu.options.mode == VIDMM_UPDATE_GPU_VIRTUAL;
}

bool scratch_shows_leaves(const struct vidmm *vidmm)
{
    return by_address(vidmm) || mmu_has(vidmm, VIDMM_MMU_TABLES_IN_TRANSFER);
}

static bool has_64k(const struct vidmm *vidmm)
{
    return vidmm->mmu.options.leaf_64k_bytes != 0 && segments_64k(vidmm) != 0;
}

/* Pages by which the first leaf shows a leaf: a power of two. */
static uint64_t shown_pages(const struct vidmm *vidmm)
{
    uint64_t bytes = vidmm->mmu.options.levels[0].size_bytes, pages = 1;

    if (has_64k(vidmm) && vidmm->mmu.options.leaf_64k_bytes > bytes) {
        bytes = vidmm->mmu.options.leaf_64k_bytes;
    }

    while (pages * VIDMM_PAGE_BYTES < bytes) {
        pages *= 2;
    }
    return pages;
}

uint64_t scratch_leaf_page(const struct vidmm_table *table)
{
    const struct vidmm_space *space = table->space;
    uint64_t index = (table->page_first - space->scratch->page_first) / leaf_pages(space->vidmm);

    return (index + 1) * shown_pages(space->vidmm);
}

/* Is the page of the paging space one of those that leaves of 64 KiB pages show? */
static bool is_large(const struct vidmm_space *space, uint64_t page)
{
    return page >= space->large_first && page < space->scratch_end;
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* Pages that are shown at once, however large the area is; 0: no limit [VXFER-009]. */
static uint64_t choose_piece(const struct vidmm *vidmm)
{
    uint64_t least = has_64k(vidmm) ? PAGES_PER_64K : UINT64_C(1) << PIECE_SHIFT_MIN;

    return vary_on(VARY_SPLIT_VIRTUAL) ? least << vary_below(VARY_SPLIT_VIRTUAL, PIECE_SHIFTS) : 0;
}

NTSTATUS scratch_reserve_locked(struct vidmm *vidmm, struct vidmm_space *space)
{
    uint64_t leaf = leaf_pages(vidmm);
    uint64_t leaves = align_up(space->scratch_bytes / VIDMM_PAGE_BYTES, leaf) / leaf;
    uint64_t buffers = align_up(space->buffer_bytes / VIDMM_PAGE_BYTES, leaf) / leaf;
    uint64_t window = by_address(vidmm) ? WINDOW_LEAVES : 0;

    if (space->kind != VIDMM_SPACE_PAGING || space->scratch) {
        return STATUS_SUCCESS;
    }
    leaves = leaves ? leaves : 1;
    leaves += leaves == 1 && has_64k(vidmm);
    if (scratch_shows_leaves(vidmm)) {
        uint64_t most = leaf / shown_pages(vidmm);
        if (most < 3 + buffers) {
            return STATUS_INVALID_PARAMETER;
        }
        most -= buffers;
        window = window < (most - 1) / 2 ? window : (most - 1) / 2;
        leaves = leaves < most - 1 - window ? leaves : most - 1 - window;
    }
    const struct area_request request = {.page_count = (leaves + window + buffers) * leaf,
                                         .alignment_pages = leaf,
                                         .reserved = true};
    NTSTATUS status = area_make_locked(vidmm, space, &request, &space->scratch);
    if (NT_SUCCESS(status)) {
        space->scratch_next = space->scratch->page_first;
        space->scratch_end = space->scratch->page_first + leaves * leaf;
        space->large_first = space->scratch_end - (has_64k(vidmm) ? leaves / 2 * leaf : 0);
        space->large_next = space->large_first;
        space->buffers_first = space->scratch_end + window * leaf;
        space->buffers_next = space->buffers_first;
        space->piece_max = choose_piece(vidmm);
    }
    return status;
}

NTSTATUS scratch_start_locked(struct vidmm *vidmm, struct vidmm_space *space,
                              struct vidmm_wait *wait)
{
    uint64_t end = space->scratch->page_first + space->scratch->page_count;
    NTSTATUS status = STATUS_SUCCESS;

    if (by_address(vidmm)) {
        space->window = calloc(1, sizeof *space->window);
        status = space->window
                     ? range_init(space->window, space->buffers_first - space->scratch_end)
                     : STATUS_NO_MEMORY;
    }
    if (NT_SUCCESS(status) && scratch_shows_leaves(vidmm)) {
        status = table_ensure_locked(vidmm, space, 0, false, wait);
    }
    for (uint64_t page = space->scratch->page_first; page < end && status == STATUS_SUCCESS;
         page += leaf_pages(vidmm)) {
        status = table_ensure_locked(vidmm, space, page, is_large(space, page), wait);
    }
    return status;
}

void scratch_stop_locked(struct vidmm *vidmm, struct vidmm_space *space)
{
    if (space->window) {
        range_fini(space->window);
        free(space->window);
        space->window = NULL;
    }
}

/* ---- The window ------------------------------------------------------------------------------ */

static struct vidmm_table *leaf_at(struct vidmm_space *space, uint64_t page)
{
    struct vidmm_table *leaf = table_find(space, page, 0, is_large(space, page));

    CHECK_THAT(leaf);
    return leaf;
}

/* The pages of the paging space that show the table; false: none do. */
static bool window_of(struct vidmm *vidmm, const struct vidmm_table *table, uint64_t *page)
{
    struct vidmm_space *space = table->space;

    if (space->kind == VIDMM_SPACE_PAGING) {
        *page = table->level == 0 && table->page_first != 0 ? scratch_leaf_page(table) : 0;
        return *page != 0;
    }
    *page = table->window == RANGE_NONE
                ? 0
                : vidmm->paging_space->scratch_end +
                      range_page(vidmm->paging_space->window, table->window);
    return *page != 0;
}

static struct vidmm_op *window_update_locked(struct vidmm *vidmm, struct vidmm_table *table,
                                             uint64_t page) HOLDS(vidmm->lock)
{
    struct vidmm_space *paging =
        table->space->kind == VIDMM_SPACE_PAGING ? table->space : vidmm->paging_space;
    struct vidmm_table *leaf = leaf_at(paging, page);

    return table_update_locked(vidmm, leaf, (uint32_t)(page - leaf->page_first),
                               (uint32_t)(table->size_bytes / VIDMM_PAGE_BYTES), NULL);
}

void window_show_locked(struct vidmm *vidmm, struct vidmm_table *table)
{
    struct vidmm_location place = table_place(vidmm, table);
    uint64_t page;

    if (!window_of(vidmm, table, &page)) {
        return;
    }
    struct vidmm_op *op = window_update_locked(vidmm, table, page);
    op->update.entries = VIDMM_ENTRIES_PAGES;
    op->update.contiguous = true;
    op->update.page = (struct vidmm_pte){
        .flags = VIDMM_PTE_VALID, .segment = place.segment, .offset = place.offset};
}

void window_hide_locked(struct vidmm *vidmm, struct vidmm_table *table)
{
    uint64_t page;

    if (window_of(vidmm, table, &page)) {
        window_update_locked(vidmm, table, page)->update.repeat = true;
    }
}

/* ---- Buffers --------------------------------------------------------------------------------- */

size_t buffer_show_operations(const struct vidmm_dma_pool *pool)
{
    return pool->size_bytes / VIDMM_PAGE_BYTES / leaf_pages(pool->vidmm) + 2;
}

NTSTATUS buffer_give_address_locked(struct vidmm *vidmm, struct vidmm_dma_buffer *buffer)
{
    struct vidmm_space *space = buffer->pool->space;
    uint64_t end = space->scratch->page_first + space->scratch->page_count;

    if (end - space->buffers_next < buffer->frame_count + 1 ||
        !paging_reserve_locked(vidmm, buffer_show_operations(buffer->pool))) {
        return STATUS_NO_MEMORY;
    }
    buffer->virtual_address = space->buffers_next * VIDMM_PAGE_BYTES;
    space->buffers_next += buffer->frame_count + 1; /* what runs over its end faults */
    buffer_show_locked(vidmm, buffer);
    return STATUS_SUCCESS;
}

void buffer_show_locked(struct vidmm *vidmm, struct vidmm_dma_buffer *buffer)
{
    struct vidmm_space *space = buffer->pool->space;
    uint64_t first = buffer->virtual_address / VIDMM_PAGE_BYTES;
    for (uint64_t at = 0, count; at < buffer->frame_count; at += count) {
        struct vidmm_table *leaf = leaf_at(space, first + at);
        uint64_t left = table_page_end(leaf) - (first + at);
        count = buffer->frame_count - at < left ? buffer->frame_count - at : left;
        struct vidmm_op *op = table_update_locked(
            vidmm, leaf, (uint32_t)(first + at - leaf->page_first), (uint32_t)count, NULL);
        op->update.mode = VIDMM_UPDATE_CPU;
        op->update.table_address = 0;
        op->after = op->sequence - 1;
        op->update.entries = VIDMM_ENTRIES_PAGES;
        op->update.contiguous = true;
        op->update.page = (struct vidmm_pte){
            .flags =
                (uint32_t)VIDMM_PTE_VALID |
                (mmu_has(vidmm, VIDMM_MMU_CACHE_COHERENT) ? (uint32_t)VIDMM_PTE_CACHE_COHERENT : 0),
            .offset = buffer->physical_address + at * VIDMM_PAGE_BYTES,
        };
        buffer->paging_sequence = op->sequence;
    }
}

/* ---- Moves ----------------------------------------------------------------------------------- */

bool scratch_moves(const struct vidmm *vidmm, const struct vidmm_allocation *allocation)
{
    return vidmm->paging_space && (allocation->flags & VIDMM_ALLOCATION_PHYSICAL) == 0;
}

/* Pages of a piece of which so many sides are shown by leaves of the one and of the other kind. */
static uint64_t piece_pages(const struct vidmm *vidmm, unsigned small, unsigned large)
{
    const struct vidmm_space *space = vidmm->paging_space;
    uint64_t most = vidmm->config.transfer_bytes_max / VIDMM_PAGE_BYTES;
    uint64_t room = UINT64_MAX;

    if (small > 0) {
        room = (space->large_first - space->scratch->page_first) / small;
    }
    if (large > 0 && (space->scratch_end - space->large_first) / large < room) {
        room = (space->scratch_end - space->large_first) / large;
    }
    room = most != 0 && most < room ? most : room;
    room = space->piece_max != 0 && space->piece_max < room ? space->piece_max : room;
    return large > 0 ? align_down(room, PAGES_PER_64K) : room;
}

/* Of so many pages that are left, those of the next piece. */
static uint64_t cut(const struct vidmm *vidmm, uint64_t pages, uint64_t most)
{
    if (pages <= most) {
        return pages;
    }
    if (most == vidmm->paging_space->piece_max) {
        vary_happened(VARY_SPLIT_VIRTUAL);
    }
    return most;
}

/* May blocks of what lies there be shown in pages of 64 KiB [PT-010]? */
static bool lies_large(const struct vidmm *vidmm, const struct vidmm_side *side)
{
    const struct vidmm_space *space = vidmm->paging_space;

    return space->large_first < space->scratch_end && side->segment != 0 &&
           (VIDMM_SEGMENT_BIT(side->segment) & segments_64k(vidmm)) != 0 &&
           side->offset % VIDMM_AREA_BYTES == 0 && piece_pages(vidmm, 1, 1) > 0 &&
           piece_pages(vidmm, 0, 2) > 0;
}

size_t scratch_operations(const struct vidmm *vidmm, const struct vidmm_allocation *allocation)
{
    uint64_t pages = allocation->size_bytes / VIDMM_PAGE_BYTES, piece = piece_pages(vidmm, 2, 0);
    uint64_t large = piece_pages(vidmm, 2, 2); /* no piece of any kind is smaller */

    piece = large > 0 && large < piece ? large : piece;
    uint64_t pieces = (pages + piece - 1) / piece + 1; /* what is no whole block goes by itself */

    piece = piece < pages ? piece : pages;
    return pieces * (4 * (piece / leaf_pages(vidmm)) + 18); /* each run may cross one leaf more */
}

static uint64_t take_scratch(struct vidmm_space *space, uint64_t pages)
{
    if (space->large_first - space->scratch_next < pages) {
        space->scratch_next = space->scratch->page_first;
    }
    space->scratch_next += pages;
    return space->scratch_next - pages;
}

/* The same of those with leaves of 64 KiB pages. */
static uint64_t take_large(struct vidmm_space *space, uint64_t pages)
{
    if (space->scratch_end - space->large_next < pages) {
        space->large_next = space->large_first;
    }
    space->large_next += pages;
    return space->large_next - pages;
}

/* One side of a piece, as the scratch area shows it. */
struct shown {
    uint64_t page, page_count; /* of the paging space */
    unsigned segment;          /* 0: the allocation's frames */
    uint64_t offset;           /* in the segment, of the allocation's first byte */
    uint64_t allocation_page;
    bool read_only;
};

static void show_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                        const struct shown *shown) HOLDS(vidmm->lock)
{
    for (uint64_t at = 0, count; at < shown->page_count; at += count) {
        struct vidmm_table *leaf = leaf_at(vidmm->paging_space, shown->page + at);
        uint64_t left = table_page_end(leaf) - (shown->page + at);
        uint64_t from = shown->allocation_page + at;
        count = shown->page_count - at < left ? shown->page_count - at : left;
        unsigned shift = table_shift(leaf);
        struct vidmm_op *op = table_update_locked(
            vidmm, leaf, (uint32_t)((shown->page + at - leaf->page_first) >> shift),
            (uint32_t)(count >> shift), allocation);
        op->update.entries = VIDMM_ENTRIES_PAGES;
        op->update.allocation_offset = from * VIDMM_PAGE_BYTES;
        op->update.frame_first = from;
        op->update.page = (struct vidmm_pte){
            .flags = pte_flags(allocation, shown->segment, shown->read_only),
            .segment = shown->segment,
            .offset = shown->offset + from * VIDMM_PAGE_BYTES,
        };
    }
}

static void hide_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation, uint64_t page,
                        uint64_t page_count) HOLDS(vidmm->lock)
{
    const struct page_span span = {page, page + page_count};

    for (uint64_t at = page, count; at < span.end; at += count) {
        struct vidmm_table *leaf = leaf_at(vidmm->paging_space, at);
        uint64_t left = table_page_end(leaf) - at;
        count = span.end - at < left ? span.end - at : left;
        unsigned shift = table_shift(leaf);
        struct vidmm_op *op =
            table_update_locked(vidmm, leaf, (uint32_t)((at - leaf->page_first) >> shift),
                                (uint32_t)(count >> shift), allocation);
        op->update.repeat = true;
    }
    space_flush_locked(vidmm, vidmm->paging_space, &span, allocation);
}

static void flush_new_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                             uint64_t page, uint64_t page_count) HOLDS(vidmm->lock)
{
    if (!mmu_has(vidmm, VIDMM_MMU_INVALID_NOT_CACHED)) { /* [TLB-004] */
        const struct page_span span = {page, page + page_count};
        space_flush_locked(vidmm, vidmm->paging_space, &span, allocation);
    }
}

/* Where both sides of a piece are shown. */
struct sides {
    bool source_large, destination_large;
    uint64_t source, destination; /* pages of the paging space */
};

/* Of so many pages that are left, those of the next piece. */
static uint64_t next_piece(struct vidmm *vidmm, const struct paging_transfer *transfer,
                           uint64_t pages, struct sides *sides)
{
    bool blocks = pages >= PAGES_PER_64K;

    sides->source_large = blocks && lies_large(vidmm, &transfer->source);
    sides->destination_large = blocks && lies_large(vidmm, &transfer->destination);
    unsigned large = (unsigned)sides->source_large + (unsigned)sides->destination_large;
    uint64_t most = piece_pages(vidmm, 2 - large, large);

    pages = large > 0 ? align_down(pages, PAGES_PER_64K) : pages;
    return cut(vidmm, pages, most);
}

/* Next to each other, if leaves of one kind show both. */
static void take_sides(struct vidmm_space *space, struct sides *sides, uint64_t count)
{
    if (sides->source_large != sides->destination_large) {
        uint64_t small = take_scratch(space, count), large = take_large(space, count);
        sides->source = sides->source_large ? large : small;
        sides->destination = sides->source_large ? small : large;
        return;
    }
    sides->source =
        sides->source_large ? take_large(space, 2 * count) : take_scratch(space, 2 * count);
    sides->destination = sides->source + count;
}

/* What hides or flushes does it at once where the sides are neighbours. */
static void each_side(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                      const struct sides *sides, uint64_t count,
                      void (*act)(struct vidmm *, struct vidmm_allocation *, uint64_t, uint64_t))
    HOLDS(vidmm->lock)
{
    if (sides->destination == sides->source + count) {
        act(vidmm, allocation, sides->source, 2 * count);
        return;
    }
    act(vidmm, allocation, sides->source, count);
    act(vidmm, allocation, sides->destination, count);
}

static void show_sides_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                              const struct paging_transfer *transfer, const struct sides *sides,
                              const struct page_span *part) HOLDS(vidmm->lock)
{
    struct shown side = {.page = sides->source,
                         .page_count = part->end - part->first,
                         .segment = transfer->source.segment,
                         .offset = transfer->source.offset,
                         .allocation_page = part->first,
                         .read_only = true};

    show_locked(vidmm, allocation, &side);
    side.page = sides->destination;
    side.segment = transfer->destination.segment;
    side.offset = transfer->destination.offset;
    side.read_only = false;
    show_locked(vidmm, allocation, &side);
}

/* The leaf that shows the page, as a driver that asked for it is told. */
static uint64_t told_table(struct vidmm *vidmm, uint64_t page)
{
    return scratch_leaf_page(leaf_at(vidmm->paging_space, page)) * VIDMM_PAGE_BYTES;
}

void scratch_transfer_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                             const struct paging_transfer *transfer)
{
    uint64_t pages = allocation->size_bytes / VIDMM_PAGE_BYTES;
    struct sides sides;
    bool leaves = transfer->destination.segment == 0;

    for (uint64_t first = 0, count; first < pages; first += count) {
        count = next_piece(vidmm, transfer, pages - first, &sides);
        const struct page_span part = {first, first + count};
        take_sides(vidmm->paging_space, &sides, count);
        show_sides_locked(vidmm, allocation, transfer, &sides, &part);
        each_side(vidmm, allocation, &sides, count, flush_new_locked);
        struct vidmm_op *op =
            paging_queue_locked(vidmm, VIDMM_OP_VIRTUAL_TRANSFER, transfer->reason, allocation);
        op->frame_first = first;
        op->move = (struct vidmm_move){
            .source = transfer->source,
            .destination = transfer->destination,
            .offset = first * VIDMM_PAGE_BYTES,
            .size_bytes = count * VIDMM_PAGE_BYTES,
            .start = first == 0,
            .end = first + count == pages,
            .source_address = sides.source * VIDMM_PAGE_BYTES,
            .destination_address = sides.destination * VIDMM_PAGE_BYTES,
            .source_64k = sides.source_large,
            .destination_64k = sides.destination_large,
        };
        if (leaves && mmu_has(vidmm, VIDMM_MMU_TABLES_IN_TRANSFER)) { /* [VXFER-006] */
            op->move.source_table = told_table(vidmm, sides.source);
            op->move.destination_table = told_table(vidmm, sides.destination);
        }
        each_side(vidmm, allocation, &sides, count, hide_locked);
    }
}

void scratch_fill_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    uint64_t pages = allocation->size_bytes / VIDMM_PAGE_BYTES, most = piece_pages(vidmm, 1, 0);

    for (uint64_t first = 0, count; first < pages; first += count) {
        count = cut(vidmm, pages - first, most);
        uint64_t at = take_scratch(vidmm->paging_space, count);
        const struct shown side = {.page = at,
                                   .page_count = count,
                                   .segment = allocation->segment,
                                   .offset = allocation->offset,
                                   .allocation_page = first};
        show_locked(vidmm, allocation, &side);
        flush_new_locked(vidmm, allocation, at, count);
        struct vidmm_op *op =
            paging_queue_locked(vidmm, VIDMM_OP_VIRTUAL_FILL, VIDMM_REASON_PLACE, allocation);
        op->fill = (struct vidmm_fill){
            .destination = paging_side(vidmm, allocation->segment, allocation->offset),
            .offset = first * VIDMM_PAGE_BYTES,
            .destination_address = at * VIDMM_PAGE_BYTES,
            .size_bytes = count * VIDMM_PAGE_BYTES,
            .pattern = vidmm->config.fill_pattern,
        };
        hide_locked(vidmm, allocation, at, count);
    }
}

/* ---- What a driver is to look at ------------------------------------------------------------- */

bool scratch_notifies(struct vidmm *vidmm, const struct vidmm_allocation *allocation)
{
    return vidmm->paging_space && (allocation->flags & VIDMM_ALLOCATION_NOTIFY_EVICTION) != 0 &&
           allocation->segment != 0 &&
           segment_is_aperture(segment_of(vidmm, allocation->segment)); /* [NALLOC-003] */
}

void scratch_notify_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    uint64_t pages = allocation->size_bytes / VIDMM_PAGE_BYTES, most = piece_pages(vidmm, 1, 0);

    for (uint64_t first = 0, count; first < pages; first += count) {
        count = cut(vidmm, pages - first, most);
        uint64_t at = take_scratch(vidmm->paging_space, count);
        const struct shown side = {.page = at, .page_count = count, .allocation_page = first};
        show_locked(vidmm, allocation, &side);
        flush_new_locked(vidmm, allocation, at, count);
        struct vidmm_op *op =
            paging_queue_locked(vidmm, VIDMM_OP_NOTIFY_EVICTION, VIDMM_REASON_PRESSURE, allocation);
        op->notice = (struct vidmm_notice){.offset = first * VIDMM_PAGE_BYTES,
                                           .size_bytes = count * VIDMM_PAGE_BYTES,
                                           .address = at * VIDMM_PAGE_BYTES};
        hide_locked(vidmm, allocation, at, count);
    }
}

/* ---- What a driver writes for a context ------------------------------------------------------ */

bool vidmm_scratch_shows(const struct vidmm *vidmm, uint64_t size_bytes)
{
    const struct vidmm_space *space = vidmm->paging_space;

    return !space || align_up(size_bytes, VIDMM_PAGE_BYTES) / VIDMM_PAGE_BYTES <=
                         space->large_first - space->scratch->page_first;
}

/* All of it, where it is now. */
static struct shown show_whole_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock)
{
    bool system = segment_is_aperture(segment_of(vidmm, allocation->segment));
    uint64_t pages = allocation->size_bytes / VIDMM_PAGE_BYTES;
    const struct shown side = {.page = take_scratch(vidmm->paging_space, pages),
                               .page_count = pages,
                               .segment = system ? 0 : allocation->segment,
                               .offset = system ? 0 : allocation->offset};

    show_locked(vidmm, allocation, &side);
    flush_new_locked(vidmm, allocation, side.page, pages);
    return side;
}

void scratch_init_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    struct shown side = show_whole_locked(vidmm, allocation);
    struct vidmm_op *op =
        paging_queue_locked(vidmm, VIDMM_OP_INIT_CONTEXT, VIDMM_REASON_PLACE, allocation);

    op->fill = (struct vidmm_fill){
        .destination = paging_side(vidmm, side.segment, side.offset),
        .destination_address = side.page * VIDMM_PAGE_BYTES,
        .size_bytes = allocation->size_bytes,
    };
    hide_locked(vidmm, allocation, side.page, side.page_count);
}

static NTSTATUS update_context_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                      const struct vidmm_context_work *work, uint64_t *sequence)
    HOLDS(vidmm->lock)
{
    if (allocation->segment == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!vidmm->paging_space || !vidmm_scratch_shows(vidmm, allocation->size_bytes)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (!paging_reserve_locked(vidmm, scratch_operations(vidmm, allocation))) {
        return STATUS_NO_MEMORY;
    }
    struct shown side = show_whole_locked(vidmm, allocation);
    struct vidmm_op *op =
        paging_queue_locked(vidmm, VIDMM_OP_UPDATE_CONTEXT, VIDMM_REASON_OWNER, allocation);
    op->context = *work;
    op->context.address = side.page * VIDMM_PAGE_BYTES;
    op->context.size_bytes = allocation->size_bytes;
    hide_locked(vidmm, allocation, side.page, side.page_count);
    if (side.segment != 0) {
        allocation->content = VIDMM_CONTENT_LOCAL;
    }
    *sequence = vidmm->sequence_queued;
    return STATUS_SUCCESS;
}

NTSTATUS vidmm_update_context(struct vidmm_allocation *allocation, const void *private_data,
                              size_t private_bytes, uint64_t *sequence)
{
    struct vidmm *vidmm = allocation->vidmm;
    const struct vidmm_context_work work = {.private_data = private_data,
                                            .private_bytes = private_bytes};

    mutex_lock(&vidmm->lock);
    NTSTATUS status = update_context_locked(vidmm, allocation, &work, sequence);
    mutex_unlock(&vidmm->lock);
    return status;
}
