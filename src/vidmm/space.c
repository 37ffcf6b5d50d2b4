/* Spaces of GPU virtual addresses: what the driver said of its MMU, their life, their root. */
#include <stdlib.h>

#include "base/check.h"
#include "vidmm/internal.h"

enum {
    INDEX_BITS_MAX = 24, /* of a level: tables are arrays */
    ADDRESS_BITS_MAX = 64 - 12,
    AREA_BITS = 48, /* bytes given out: what the range allocator counts in units of 64 KiB */
    /* Kept for a reset: the root is told, everything is flushed, and so is the paging space. */
    SPACE_OPERATIONS = 3,
};

/* ---- The MMU --------------------------------------------------------------------------------- */

static bool segment_takes_tables(const struct vidmm *vidmm, unsigned segment)
{
    return segment == 0 ||
           (segment <= vidmm->segment_count && !segment_is_aperture(&vidmm->segments[segment - 1]));
}

static bool level_valid(const struct vidmm *vidmm, const struct vidmm_mmu_options *options,
                        unsigned index)
{
    const struct vidmm_level_options *level = &options->levels[index];
    uint64_t alignment = level->alignment_bytes;
    bool resizable = options->level_count == 2 && index == 1;

    return (level->index_bits > 0 || resizable) && level->index_bits <= INDEX_BITS_MAX &&
           (level->size_bytes > 0 || resizable) && level->size_bytes <= UINT64_C(1) << 32 &&
           (alignment & (alignment - 1)) == 0 && alignment <= UINT64_C(1) << 32 &&
           segment_takes_tables(vidmm, level->segment) &&
           segment_takes_tables(vidmm, level->paging_segment);
}

NTSTATUS mmu_init(struct mmu *mmu, const struct vidmm *vidmm,
                  const struct vidmm_mmu_options *options)
{
    unsigned bits = 0;

    *mmu = (struct mmu){0};
    if (!options) {
        return STATUS_SUCCESS;
    }
    if (options->level_count < 2 || options->level_count > VIDMM_LEVEL_COUNT_MAX ||
        options->levels[0].index_bits < 4 || options->leaf_64k_bytes > UINT64_C(1) << 32) {
        return STATUS_INVALID_PARAMETER; /* a leaf is a whole number of areas */
    }
    for (unsigned i = 0; i < options->level_count; i++) {
        if (!level_valid(vidmm, options, i)) {
            return STATUS_INVALID_PARAMETER;
        }
        mmu->shift[i] = bits;
        bits += options->levels[i].index_bits;
    }
    if (bits > ADDRESS_BITS_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    mmu->shift[options->level_count] = bits;
    mmu->options = *options;
    if (options->leaf_64k_bytes == 0) {
        mmu->options.flags &= ~(uint32_t)VIDMM_MMU_DUAL;
    }
    mmu->exists = true;
    return STATUS_SUCCESS;
}

/* ---- Operations ------------------------------------------------------------------------------ */

struct vidmm_op *space_queue_locked(struct vidmm *vidmm, enum vidmm_op_kind kind,
                                    struct vidmm_allocation *allocation, struct vidmm_space *space)
{
    struct vidmm_op *op = paging_queue_locked(vidmm, kind, VIDMM_REASON_PLACE, allocation);

    op->space = space;
    op->suspend = mmu_has(vidmm, VIDMM_MMU_IDLE_UPDATES) && space->kind != VIDMM_SPACE_PAGING;
    space->operation_count++;
    space->paging_sequence = op->sequence;
    return op;
}

void space_flush_locked(struct vidmm *vidmm, struct vidmm_space *space,
                        const struct page_span *span, struct vidmm_allocation *allocation)
{
    struct vidmm_op *op = space_queue_locked(vidmm, VIDMM_OP_FLUSH_TLB, allocation, space);

    op->flush = (struct vidmm_flush){
        .space = space,
        .root = table_place(vidmm, space->root),
        .start = span->first * VIDMM_PAGE_BYTES,
        .end = span->end * VIDMM_PAGE_BYTES,
    };
}

static void queue_root_locked(struct vidmm *vidmm, struct vidmm_space *space) HOLDS(vidmm->lock)
{
    struct vidmm_op *op = space_queue_locked(vidmm, VIDMM_OP_SET_ROOT, NULL, space);

    op->suspend = true;
    op->after = op->sequence - 1;
    op->root = (struct vidmm_root_change){
        .space = space,
        .root = {.place = table_place(vidmm, space->root),
                 .entry_count = space->root->entry_count,
                 .paging_sequence = op->sequence},
    };
}

/* ---- Life ------------------------------------------------------------------------------------ */

static NTSTATUS init_ranges(struct vidmm_space *space)
{
    const struct mmu *mmu = &space->vidmm->mmu;
    unsigned levels = mmu->options.level_count;
    uint64_t page_end = UINT64_C(1) << mmu->shift[levels];
    uint64_t page_max = UINT64_C(1) << (AREA_BITS - 12);

    /* Entry 0 of a client's root is always invalid [PT-014]. */
    space->page_start = UINT64_C(1)
                        << mmu->shift[space->kind == VIDMM_SPACE_PAGING ? 1 : levels - 1];
    if (mmu->options.flags & VIDMM_MMU_ALL_ADDRESSES) {
        space->page_start = PAGES_PER_64K;
    }
    if (page_end - space->page_start > page_max - 2 * PAGES_PER_64K) {
        page_end = space->page_start + page_max - 2 * PAGES_PER_64K;
    }
    space->ranges = calloc(1, sizeof *space->ranges);
    return space->ranges ? range_init(space->ranges, (page_end - space->page_start) / PAGES_PER_64K)
                         : STATUS_NO_MEMORY;
}

NTSTATUS vidmm_space_init(struct vidmm_space *space, struct vidmm *vidmm,
                          const struct vidmm_space_options *options)
{
    *space = (struct vidmm_space){0};
    if (!vidmm->mmu.exists) {
        return STATUS_NOT_SUPPORTED;
    }
    *space =
        (struct vidmm_space){.vidmm = vidmm, .account = options->account, .kind = options->kind};
    space->scratch_bytes = options->scratch_bytes;
    space->buffer_bytes = options->buffer_bytes;
    RB_INIT(&space->areas);
    RB_INIT(&space->mappings);
    list_init(&space->tables);
    NTSTATUS status = init_ranges(space);
    if (!NT_SUCCESS(status)) {
        free(space->ranges);
        *space = (struct vidmm_space){0};
        return status;
    }
    mutex_lock(&vidmm->lock);
    bool kept = paging_keep_locked(vidmm, SPACE_OPERATIONS);
    if (kept && space->kind == VIDMM_SPACE_PAGING) {
        list_push_front(&vidmm->spaces, &space->link); /* others need it */
    } else if (kept) {
        list_push_back(&vidmm->spaces, &space->link);
    }
    mutex_unlock(&vidmm->lock);
    if (!kept) {
        range_fini(space->ranges);
        free(space->ranges);
        *space = (struct vidmm_space){0};
        return STATUS_NO_MEMORY;
    }
    return STATUS_SUCCESS;
}

/* Entries of a root that translates all pages below the end. */
static uint32_t root_entries(const struct vidmm *vidmm, uint64_t page_end)
{
    unsigned shift = vidmm->mmu.shift[vidmm->mmu.options.level_count - 1];

    return (uint32_t)((page_end + (UINT64_C(1) << shift) - 1) >> shift);
}

/* What the root is to be. Asks the driver, who is not called under our lock. */
static void describe_root(struct vidmm *vidmm, uint64_t page_end, struct table_request *out)
{
    const struct vidmm_mmu_options *options = &vidmm->mmu.options;
    const struct vidmm_level_options *level = &options->levels[options->level_count - 1];
    uint32_t entries = root_entries(vidmm, page_end);

    *out = (struct table_request){.level = options->level_count - 1};
    if (options->level_count != 2 || !vidmm->backend.root_bytes) {
        out->size_bytes = level->size_bytes ? level->size_bytes : 8ull << level->index_bits;
        return;
    }
    out->size_bytes = vidmm->backend.root_bytes(vidmm, &entries);
    out->entry_count =
        entries < UINT32_C(1) << level->index_bits ? entries : UINT32_C(1) << level->index_bits;
}

static NTSTATUS start_locked(struct vidmm *vidmm, struct vidmm_space *space,
                             const struct table_request *request, struct vidmm_wait *wait)
    HOLDS(vidmm->lock)
{
    struct vidmm_table *root;
    NTSTATUS status = table_create_locked(vidmm, space, request, wait, &root);

    if (status != STATUS_SUCCESS) {
        return status;
    }
    space->root = root;
    if (space->kind == VIDMM_SPACE_PAGING) {
        status = scratch_start_locked(vidmm, space, wait);
    }
    if (status == STATUS_SUCCESS &&
        !paging_reserve_locked(vidmm, tables_fresh_count(space) * TABLE_OPERATIONS + 1)) {
        status = STATUS_NO_MEMORY;
    }
    if (status != STATUS_SUCCESS) {
        if (space->kind == VIDMM_SPACE_PAGING) {
            scratch_stop_locked(vidmm, space);
        }
        tables_undo_locked(vidmm, space);
        space->root = NULL;
        return status;
    }
    tables_tell_locked(vidmm, space);
    if (space->kind == VIDMM_SPACE_PAGING) {
        vidmm->paging_space = space;
    }
    wait->paging_sequence = space->paging_sequence;
    return STATUS_SUCCESS;
}

NTSTATUS vidmm_space_start(struct vidmm_space *space, struct vidmm_wait *wait)
{
    struct vidmm *vidmm = space->vidmm;
    struct table_request request;

    *wait = (struct vidmm_wait){0};
    CHECK_THAT(!space->root);
    if (space->kind == VIDMM_SPACE_PAGING
            ? vidmm->paging_space != NULL
            : vidmm->mmu.options.mode == VIDMM_UPDATE_GPU_VIRTUAL && !vidmm->paging_space) {
        return STATUS_NOT_SUPPORTED;
    }
    mutex_lock(&vidmm->lock);
    NTSTATUS status = scratch_reserve_locked(vidmm, space);
    mutex_unlock(&vidmm->lock);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    uint64_t page_end = space->scratch ? space->scratch->page_first + space->scratch->page_count
                                       : space->page_start;
    describe_root(vidmm, page_end, &request);
    mutex_lock(&vidmm->lock);
    status = start_locked(vidmm, space, &request, wait);
    mutex_unlock(&vidmm->lock);
    return status;
}

/* ---- The root -------------------------------------------------------------------------------- */

void vidmm_space_root(struct vidmm_space *space, struct vidmm_root *out)
{
    struct vidmm *vidmm = space->vidmm;

    mutex_lock(&vidmm->lock);
    CHECK_THAT(space->root);
    *out = (struct vidmm_root){
        .place = table_place(vidmm, space->root),
        .entry_count = space->root->entry_count,
        .paging_sequence =
            space->paging_sequence > vidmm->sequence_completed ? space->paging_sequence : 0,
    };
    mutex_unlock(&vidmm->lock);
}

static bool root_reaches(const struct vidmm_space *space, uint64_t page_end)
{
    return page_end <= table_page_end(space->root);
}

/* Another root with what the old one has; contexts hear of it when it is written [PT-005]. */
static NTSTATUS grow_locked(struct vidmm *vidmm, struct vidmm_space *space,
                            const struct table_request *request, struct vidmm_wait *wait)
    HOLDS(vidmm->lock)
{
    struct vidmm_table *old = space->root, *root;
    NTSTATUS status = table_create_locked(vidmm, space, request, wait, &root);

    if (status != STATUS_SUCCESS) {
        return status;
    }
    if (root->entry_count <= old->entry_count ||
        !paging_reserve_locked(vidmm, TABLE_OPERATIONS + old->used_count + SPACE_OPERATIONS + 1)) {
        table_destroy_locked(vidmm, root);
        return STATUS_NO_MEMORY;
    }
    space->root = root;
    table_begin_replace_locked(vidmm, old, root);
    table_adopt_locked(vidmm, old, root);
    queue_root_locked(vidmm, space);
    table_end_replace_locked(vidmm, old, root, false);
    space_flush_locked(vidmm, space, &(struct page_span){0, 0}, NULL);
    tables_flushed_locked(vidmm);
    return STATUS_SUCCESS;
}

NTSTATUS space_reach(struct vidmm_space *space, uint64_t page_end, struct vidmm_wait *wait)
{
    struct vidmm *vidmm = space->vidmm;
    struct table_request request;

    mutex_lock(&vidmm->lock);
    bool reaches = root_reaches(space, page_end);
    mutex_unlock(&vidmm->lock);
    if (reaches) {
        return STATUS_SUCCESS;
    }
    describe_root(vidmm, page_end, &request);
    if (request.entry_count < root_entries(vidmm, page_end)) {
        return STATUS_NO_MEMORY; /* the driver gives no more */
    }
    mutex_lock(&vidmm->lock);
    NTSTATUS status =
        root_reaches(space, page_end) ? STATUS_SUCCESS : grow_locked(vidmm, space, &request, wait);
    mutex_unlock(&vidmm->lock);
    return status;
}

/* Writes one table somewhere else, and shows that one in its stead. */
static NTSTATUS move_table_locked(struct vidmm *vidmm, struct vidmm_table *old,
                                  struct vidmm_wait *wait, struct vidmm_table **out)
    HOLDS(vidmm->lock)
{
    struct vidmm_space *space = old->space;
    const struct table_request request = {.level = old->level,
                                          .leaf_64k = old->leaf_64k,
                                          .page = old->page_first,
                                          .entry_count = old->entry_count,
                                          .size_bytes = old->size_bytes};
    size_t entries = old->level > 0 ? old->used_count
                                    : 3 * mappings_in(space, old->page_first, table_page_end(old));
    struct vidmm_table *table;
    NTSTATUS status = table_create_locked(vidmm, space, &request, wait, &table);

    if (status != STATUS_SUCCESS) {
        return status;
    }
    if (!paging_reserve_locked(vidmm, 2 * TABLE_OPERATIONS + entries + SPACE_OPERATIONS + 2)) {
        table_destroy_locked(vidmm, table);
        return STATUS_NO_MEMORY;
    }
    table_begin_replace_locked(vidmm, old, table);
    if (old->level > 0) {
        table_adopt_locked(vidmm, old, table);
    } else {
        leaf_rewrite_locked(vidmm, table);
    }
    if (old == space->root) {
        space->root = table;
        queue_root_locked(vidmm, space);
        container_of(vidmm->queued.prev, struct vidmm_op, link)->rests_on = true;
    }
    table_end_replace_locked(vidmm, old, table, true);
    space_flush_locked(vidmm, space, &(struct page_span){0, 0}, NULL);
    container_of(vidmm->queued.prev, struct vidmm_op, link)->suspend = true;
    tables_flushed_locked(vidmm);
    *out = table;
    return STATUS_SUCCESS;
}

static NTSTATUS move_each_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                 struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    NTSTATUS status = STATUS_SUCCESS;

    space->keep_count++; /* the room for one is not to be had from the others */
    for (struct list *link = space->tables.next; link != &space->tables && status == STATUS_SUCCESS;
         link = link->next) {
        struct vidmm_table *table = container_of(link, struct vidmm_table, link);
        status = move_table_locked(vidmm, table, wait, &table);
        link = &table->link;
    }
    space->keep_count--;
    return status;
}

/* ---- The paging space's own ------------------------------------------------------------------ */

/* Operations that write what other spaces and buffers need to be shown. */
static size_t shown_operations(struct vidmm *vidmm)
{
    size_t count = dma_show_operations(vidmm);

    list_for_each (link, &vidmm->spaces) {
        count += container_of(link, struct vidmm_space, link)->table_count;
    }
    return count;
}

/* Second tables for all pages: in the list behind those that are there, in the same order. */
static NTSTATUS double_tables_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                     struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    uint32_t count = space->table_count;
    struct list *link = space->tables.next;
    NTSTATUS status = STATUS_SUCCESS;

    for (uint32_t i = 0; i < count && status == STATUS_SUCCESS; i++, link = link->next) {
        const struct vidmm_table *old = container_of(link, struct vidmm_table, link);
        const struct table_request request = {.level = old->level,
                                              .leaf_64k = old->leaf_64k,
                                              .page = old->page_first,
                                              .entry_count = old->entry_count,
                                              .size_bytes = old->size_bytes};
        struct vidmm_table *table;
        status = table_create_locked(vidmm, space, &request, wait, &table);
    }
    if (status == STATUS_SUCCESS &&
        !paging_reserve_locked(vidmm, (size_t)count * (TABLE_OPERATIONS + 1) +
                                          shown_operations(vidmm) +
                                          mappings_return_operations(space) + SPACE_OPERATIONS)) {
        status = STATUS_NO_MEMORY;
    }
    if (status != STATUS_SUCCESS) {
        tables_undo_locked(vidmm, space);
    }
    return status;
}

/* All of them at once, by the CPU, behind all paging that was queued: the paging engine looks
 * through them all the time, and what it runs next is shown by them. It is told of the root, and
 * forgets what it knows, before the old ones are written invalid. */
static NTSTATUS move_paging_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                   struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    NTSTATUS status = double_tables_locked(vidmm, space, wait);
    struct list old;

    if (status != STATUS_SUCCESS) {
        return status;
    }
    list_init(&old);
    space->by_cpu = true;
    tables_supersede_locked(vidmm, space, &old);
    tables_tell_locked(vidmm, space);
    windows_show_again_locked(vidmm);
    dma_show_again_locked(vidmm, space);
    mappings_rewrite_locked(vidmm, space);
    queue_root_locked(vidmm, space);
    space_flush_locked(vidmm, space, &(struct page_span){0, 0}, NULL);
    tables_left_locked(vidmm, space, &old);
    space->by_cpu = false;
    return STATUS_SUCCESS;
}

NTSTATUS vidmm_space_move_tables(struct vidmm_space *space, struct vidmm_wait *wait)
{
    struct vidmm *vidmm = space->vidmm;

    *wait = (struct vidmm_wait){0};
    mutex_lock(&vidmm->lock);
    CHECK_THAT(space->root);
    NTSTATUS status = space->kind == VIDMM_SPACE_PAGING ? move_paging_locked(vidmm, space, wait)
                                                        : move_each_locked(vidmm, space, wait);
    wait->paging_sequence = space->paging_sequence;
    mutex_unlock(&vidmm->lock);
    return status;
}

/* ---- Away ------------------------------------------------------------------------------------ */

bool space_may_leave(const struct vidmm_space *space)
{
    return space->kind != VIDMM_SPACE_PAGING && space->root && space->keep_count == 0 &&
           space->run_count == 0 && !mmu_has(space->vidmm, VIDMM_MMU_TABLES_STAY);
}

NTSTATUS space_leave_locked(struct vidmm *vidmm, struct vidmm_space *space)
{
    CHECK_THAT(space_may_leave(space));
    if (!paging_reserve_locked(vidmm, 2 * (size_t)space->table_count + 2)) {
        return STATUS_NO_MEMORY;
    }
    space->away_entries = space->root->entry_count;
    space->away_bytes = space->root->size_bytes;
    space->away_pages = want_system_pages(space);
    tables_evict_locked(vidmm, space);
    mappings_away_locked(vidmm, space);
    vidmm->statistics.spaces_evicted++;
    return STATUS_SUCCESS;
}

NTSTATUS vidmm_space_evict_tables(struct vidmm_space *space)
{
    struct vidmm *vidmm = space->vidmm;
    NTSTATUS status = STATUS_SUCCESS;

    CHECK_THAT(space->kind != VIDMM_SPACE_PAGING);
    mutex_lock(&vidmm->lock);
    if (space->root) {
        status = space_may_leave(space) ? space_leave_locked(vidmm, space) : STATUS_DEVICE_BUSY;
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

static NTSTATUS bring_locked(struct vidmm *vidmm, struct vidmm_space *space,
                             struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    const struct table_request request = {.level = vidmm->mmu.options.level_count - 1,
                                          .entry_count = space->away_entries,
                                          .size_bytes = space->away_bytes};
    NTSTATUS status = table_create_locked(vidmm, space, &request, wait, &space->root);

    if (status == STATUS_SUCCESS) {
        status = mappings_ensure_locked(vidmm, space, wait);
    }
    if (status == STATUS_SUCCESS &&
        !paging_reserve_locked(vidmm, tables_fresh_count(space) * TABLE_OPERATIONS +
                                          mappings_return_operations(space) + SPACE_OPERATIONS +
                                          1)) {
        status = STATUS_NO_MEMORY;
    }
    if (status != STATUS_SUCCESS) {
        tables_undo_locked(vidmm, space);
        space->root = NULL;
        return status;
    }
    space->away_entries = 0;
    tables_tell_locked(vidmm, space);
    mappings_return_locked(vidmm, space);
    queue_root_locked(vidmm, space);
    space_flush_locked(vidmm, space, &(struct page_span){0, 0}, NULL);
    return STATUS_SUCCESS;
}

NTSTATUS space_keep_locked(struct vidmm *vidmm, struct vidmm_space *space, struct vidmm_wait *wait)
{
    NTSTATUS status = STATUS_SUCCESS;

    space->keep_count++; /* while they come back the first stay for the last */
    space->kept_tick = ++vidmm->tick;
    space->kept_since = space->keep_count == 1 ? vidmm->tick : space->kept_since;
    if (space->away_entries != 0) {
        status = bring_locked(vidmm, space, wait);
        if (!NT_SUCCESS(status) && want_may_return_locked(vidmm, space, status)) {
            *wait = (struct vidmm_wait){.kind = VIDMM_WAIT_OTHERS};
        }
    }
    space->keep_count -= status != STATUS_SUCCESS;
    return status;
}

void space_let_go_locked(struct vidmm *vidmm, struct vidmm_space *space)
{
    CHECK_THAT(space->keep_count > 0 && space->vidmm == vidmm);
    space->keep_count--;
}

NTSTATUS vidmm_space_keep_tables(struct vidmm_space *space, struct vidmm_wait *wait)
{
    struct vidmm *vidmm = space->vidmm;

    *wait = (struct vidmm_wait){0};
    mutex_lock(&vidmm->lock);
    bool away = space->away_entries != 0;
    NTSTATUS status = space_keep_locked(vidmm, space, wait);
    wait->paging_sequence = away && status == STATUS_SUCCESS ? space->paging_sequence : 0;
    mutex_unlock(&vidmm->lock);
    return status;
}

void vidmm_space_let_tables_go(struct vidmm_space *space)
{
    struct vidmm *vidmm = space->vidmm;

    mutex_lock(&vidmm->lock);
    space_let_go_locked(vidmm, space);
    /* Who kept them for a try alone, in which nobody else wanted room, has released nothing. */
    if (space_may_leave(space) && tables_segments(vidmm) != 0 &&
        vidmm->tick != space->kept_since) {
        released_locked(vidmm);
    }
    mutex_unlock(&vidmm->lock);
}

/* ---- The end --------------------------------------------------------------------------------- */

static bool is_over_locked(struct vidmm *vidmm, struct vidmm_space *space, struct vidmm_wait *wait)
    HOLDS(vidmm->lock)
{
    if (space->operation_count == 0 && space->dead_count == 0) {
        return true;
    }
    if (space->paging_sequence > vidmm->sequence_completed) {
        wait->paging_sequence = space->paging_sequence;
    } else {
        wait->kind = VIDMM_WAIT_OWNER;
    }
    return false;
}

NTSTATUS vidmm_space_retire(struct vidmm_space *space, struct vidmm_wait *wait)
{
    struct vidmm *vidmm = space->vidmm;

    *wait = (struct vidmm_wait){0};
    if (!vidmm) {
        return STATUS_SUCCESS;
    }
    mutex_lock(&vidmm->lock);
    CHECK_THAT(space->keep_count == 0 && space->run_count == 0);
    CHECK_THAT(space->kind != VIDMM_SPACE_PAGING || vidmm->spaces.prev == &space->link);
    if (vidmm->paging_space == space) {
        vidmm->paging_space = NULL; /* moves go by physical address from here on */
    }
    mappings_forget_locked(vidmm, space);
    if (space->kind != VIDMM_SPACE_PAGING || space->operation_count == 0) {
        tables_end_locked(vidmm, space);
    }
    mutex_unlock(&vidmm->lock);
    tables_bury(vidmm);
    mutex_lock(&vidmm->lock);
    bool waits = !is_over_locked(vidmm, space, wait) && wait->kind != VIDMM_WAIT_NONE;
    mutex_unlock(&vidmm->lock);
    return waits ? STATUS_PENDING : STATUS_SUCCESS;
}

void vidmm_space_fini(struct vidmm_space *space)
{
    struct vidmm *vidmm = space->vidmm;

    if (!vidmm) {
        return;
    }
    mutex_lock(&vidmm->lock);
    CHECK_THAT(!space->root && space->operation_count == 0 && space->dead_count == 0);
    scratch_stop_locked(vidmm, space);
    for (struct vidmm_area *area; (area = RB_ROOT(&space->areas)) != NULL;) {
        area_drop_locked(vidmm, space, area);
    }
    paging_unkeep_locked(vidmm, SPACE_OPERATIONS);
    list_remove(&space->link);
    mutex_unlock(&vidmm->lock);
    range_fini(space->ranges);
    free(space->ranges);
    *space = (struct vidmm_space){0};
}

/* ---- After a reset --------------------------------------------------------------------------- */

void spaces_restore_locked(struct vidmm *vidmm)
{
    list_for_each (link, &vidmm->spaces) {
        struct vidmm_space *space = container_of(link, struct vidmm_space, link);
        if (!space->root) {
            continue;
        }
        list_for_each (table, &space->tables) {
            container_of(table, struct vidmm_table, link)->fresh = true;
        }
        tables_tell_locked(vidmm, space);
        dma_show_again_locked(vidmm, space);
        mappings_restore_locked(vidmm, space);
        queue_root_locked(vidmm, space);
        space_flush_locked(vidmm, space, &(struct page_span){0, 0}, NULL);
    }
}

void vidmm_restore_tables(struct vidmm *vidmm)
{
    mutex_lock(&vidmm->lock);
    spaces_restore_locked(vidmm);
    (void)paging_reserve_locked(vidmm, 0); /* what was kept is kept again; or reserving fails */
    mutex_unlock(&vidmm->lock);
}
