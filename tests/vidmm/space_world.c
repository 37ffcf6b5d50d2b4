/* Work on GPU virtual addresses, drawn by chance or by a fuzzer, against a model that knows for
 * each page of each space what it must show. A GPU with page tables and a TLB that forgets only
 * what it is told to forget looks at any page at any time; whenever all paging has run, walks and
 * what the TLB still knows must be what the model says, and bytes must have come along wherever
 * allocations went. */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vidmm/space_model.h"

/* A choice takes a byte, or two where one is too few. Behind the last one all are 0. */
uint64_t below(struct world *world, uint64_t bound)
{
    uint64_t choice = 0;

    if (!world->choices) {
        return mock_below(&world->random, bound);
    }
    for (uint64_t left = bound - 1; left > 0 && world->choice_count > 0; left >>= 8) {
        choice = choice << 8 | *world->choices++;
        world->choice_count--;
    }
    return choice % bound;
}

/* ---- The world ------------------------------------------------------------------------------- */

/* Segment 1: tables and what is small. Segment 2: 64 KiB pages. Segment 3: system memory. */
static const struct vidmm_segment_options segments[] = {
    {.flags = VIDMM_SEGMENT_CPU_VISIBLE, .base_address = 0x100000, .size_bytes = 200 * PAGE},
    {.flags = VIDMM_SEGMENT_PAGES_64K, .base_address = 0x4000000, .size_bytes = 64 * PAGE},
    {.flags = VIDMM_SEGMENT_APERTURE | VIDMM_SEGMENT_CACHE_COHERENT,
     .base_address = 0x8000000,
     .size_bytes = 80 * PAGE,
     .group = VIDMM_GROUP_NON_LOCAL},
};

static void describe(struct world *world, const struct space_variant *variant)
{
    struct vidmm_mmu_options *mmu = &world->mmu;
    bool both = (variant->flags & VIDMM_MMU_DUAL) != 0;

    *mmu = (struct vidmm_mmu_options){.mode = variant->mode, .flags = variant->flags};
    for (unsigned i = 0; i < 4 && variant->levels[i] != 0; i++) {
        uint64_t bytes = (UINT64_C(1) << variant->levels[i]) * (i == 1 && both ? 16 : 8);
        mmu->levels[i] = (struct vidmm_level_options){
            .index_bits = variant->levels[i],
            .segment = variant->segment,
            .paging_segment = 1,
            .size_bytes = (bytes + PAGE - 1) / PAGE * PAGE,
            .alignment_bytes = PAGE,
        };
        mmu->level_count++;
    }
    mmu->leaf_64k_bytes = variant->leaf_64k ? PAGE : 0;
}

static void begin_space(struct world *world, struct vidmm_space *space,
                        const struct vidmm_space_options *options)
{
    struct vidmm_wait wait;

    assert_int_equal(vidmm_space_init(space, world->gpu.vidmm, options), STATUS_SUCCESS);
    assert_int_equal(vidmm_space_start(space, &wait), STATUS_SUCCESS);
    mock_gpu_run_all(&world->gpu);
    assert_true(vidmm_paging_reached(world->gpu.vidmm, wait.paging_sequence));
    mock_mmu_set_root(&world->gpu, space);
}

struct world *world_new(const struct space_variant *variant, uint64_t seed)
{
    struct world *world = calloc(1, sizeof *world);

    assert_non_null(world);
    world->variant = variant;
    describe(world, variant);
    struct vidmm_config config = {
        .segments = segments, .segment_count = 3, .mmu = &world->mmu, .fill_pattern = 0x51525354};
    mock_gpu_init(&world->gpu, &config, 24 << 20);
    mock_mmu_init(&world->gpu, &world->mmu);
    world->random = seed * 2 + 1;
    world->has_paging = variant->paging;
    vidmm_account_init(&world->account, world->gpu.vidmm);
    if (variant->paging) {
        begin_space(
            world, &world->paging,
            &(struct vidmm_space_options){.kind = VIDMM_SPACE_PAGING, .scratch_bytes = 40 * PAGE});
    }
    for (unsigned i = 0; i < SPACE_COUNT; i++) {
        begin_space(world, &world->spaces[i],
                    &(struct vidmm_space_options){.account = &world->account});
        vidmm_residency_init(&world->lists[i], world->gpu.vidmm, &world->account);
        vidmm_residency_sees(&world->lists[i], &world->spaces[i]);
    }
    vidmm_queue_init(&world->queue, world->gpu.vidmm, 0);
    vidmm_use_init(&world->use, world->gpu.vidmm);
    return world;
}

/* ---- What must be ---------------------------------------------------------------------------- */

uint64_t item_stamp(const struct item *item, uint64_t page)
{
    return (uint64_t)item->id << 32 | page << 4 | 9;
}

static uint8_t *page_of(struct world *world, const struct item *item, uint64_t page)
{
    const struct vidmm_allocation *allocation = &item->base;

    if (allocation->segment == 1 || allocation->segment == 2) {
        return mock_gpu_at(&world->gpu, allocation->segment, allocation->offset + page * PAGE);
    }
    return ram_at(allocation->frames[page] * PAGE, PAGE);
}

static uint64_t pages_of(const struct item *item)
{
    return item->base.size_bytes / PAGE;
}

/* New bytes are the fill pattern; then they are the item's own. Nothing is under way. */
static void check_bytes(struct world *world, struct item *item)
{
    for (uint64_t page = 0; page < pages_of(item); page++) {
        uint64_t word, expected = item->stamped ? item_stamp(item, page) : 0x5152535451525354;
        uint8_t *bytes = page_of(world, item, page);
        if (item->base.lost) {
            expected = item_stamp(item, page);
            memcpy(bytes, &expected, 8);
            continue;
        }
        memcpy(&word, bytes, 8);
        assert_int_equal(word, expected);
        memcpy(&word, bytes + PAGE - 8, 8);
        assert_int_equal(word, expected);
        expected = item_stamp(item, page);
        memcpy(bytes, &expected, 8);
        memcpy(bytes + PAGE - 8, &expected, 8);
    }
    for (uint64_t page = 0; item->base.lost && page < pages_of(item); page++) {
        uint64_t word = item_stamp(item, page);
        memcpy(page_of(world, item, page) + PAGE - 8, &word, 8);
    }
    item->base.lost = false;
    item->stamped = true;
}

static void check_entry(struct world *world, const struct shown *shown,
                        const struct mock_entry *entry)
{
    const struct item *item = shown->item;

    if (shown->zero) {
        assert_true(entry->valid && entry->zero);
        return;
    }
    if (!item || item->base.segment == 0) {
        assert_false(entry->valid);
        return;
    }
    assert_true(entry->valid && !entry->zero);
    assert_int_equal(entry->read_only,
                     shown->read_only && (world->mmu.flags & VIDMM_MMU_READ_ONLY) != 0);
    if (item->base.segment == 3) {
        assert_int_equal(entry->segment, 0);
        assert_int_equal(entry->offset, item->base.frames[shown->page] * PAGE);
    } else {
        assert_int_equal(entry->segment, item->base.segment);
        assert_int_equal(entry->offset, item->base.offset + (uint64_t)shown->page * PAGE);
    }
}

void world_check(struct world *world)
{
    mock_gpu_run_all(&world->gpu);
    for (unsigned i = 0; i < ITEM_MAX; i++) {
        if (world->items[i].live && world->items[i].base.segment != 0 &&
            !world->items[i].base.discarded) {
            check_bytes(world, &world->items[i]);
        }
    }
    for (unsigned s = 0; s < SPACE_COUNT; s++) {
        struct vidmm_space *space = &world->spaces[s];
        for (uint64_t i = 0; i < MODEL_PAGES && space->root; i++) {
            struct mock_entry walked = mock_mmu_walk(&world->gpu, space, space->page_start + i);
            struct mock_entry known = mock_mmu_look(&world->gpu, space, space->page_start + i);
            check_entry(world, &world->model[s][i], &walked);
            check_entry(world, &world->model[s][i], &known);
        }
    }
    world->checks++;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static void create(struct world *world, struct item *item)
{
    static const uint32_t sets[] = {1, 2, 4, 5, 6, 3, 7};
    uint32_t set = sets[below(world, 7)];
    uint64_t page_count = 1 + below(world, below(world, 3) ? 12 : 60);
    struct vidmm_allocation_options options = {
        .size_bytes = page_count * PAGE,
        .read_segments = set,
        .write_segments = set,
        .account = &world->account,
        .priority = VIDMM_PRIORITY_NORMAL,
        .flags = VIDMM_ALLOCATION_VIRTUAL | (below(world, 3) ? 0 : VIDMM_ALLOCATION_NOTIFY) |
                 (below(world, 3) ? 0 : VIDMM_ALLOCATION_NOTIFY_EVICTION),
    };

    *item = (struct item){.live = true, .id = ++world->next_id};
    options.existing_frames = client_memory(world, item, page_count);
    if (options.existing_frames) {
        options.flags |= VIDMM_ALLOCATION_PERMANENT_SYSMEM;
    }
    assert_int_equal(vidmm_allocation_init(&item->base, world->gpu.vidmm, &options),
                     STATUS_SUCCESS);
}

void forget_area(struct world *world, unsigned s, const struct area *area)
{
    uint64_t first = area->address / PAGE - world->spaces[s].page_start;

    memset(&world->model[s][first], 0, area->size_bytes / PAGE * sizeof(struct shown));
}

/* Areas that were made by a mapping of it go with it, if nothing else is mapped there. */
static void destroy(struct world *world, struct item *item)
{
    struct vidmm_wait wait;

    if (world->running) {
        return;
    }
    do {
        NTSTATUS status = vidmm_allocation_retire(&item->base, &wait);
        assert_int_equal(status, STATUS_SUCCESS);
        mock_gpu_run_all(&world->gpu);
    } while (wait.paging_sequence != 0);
    for (unsigned s = 0; s < SPACE_COUNT; s++) {
        for (unsigned i = 0; i < AREA_MAX; i++) {
            struct area *area = &world->areas[s][i];
            uint64_t first = area->address / PAGE - world->spaces[s].page_start;
            bool had = false, has = false;
            for (uint64_t p = first; area->size_bytes && p < first + area->size_bytes / PAGE; p++) {
                struct shown *shown = &world->model[s][p];
                had |= shown->item == item;
                has |= shown->zero || (shown->item && shown->item != item);
                if (shown->item == item) {
                    *shown = (struct shown){0};
                }
            }
            if (had && !has && !area->reserved) {
                *area = (struct area){0};
            }
        }
    }
    vidmm_allocation_fini(&item->base);
    client_memory_end(item);
    item->live = false;
}

struct item *any_item(struct world *world)
{
    struct item *item = &world->items[below(world, ITEM_MAX)];

    return item->live ? item : NULL;
}

static struct area *free_area(struct world *world, unsigned s)
{
    for (unsigned i = 0; i < AREA_MAX; i++) {
        if (world->areas[s][i].size_bytes == 0) {
            return &world->areas[s][i];
        }
    }
    return NULL;
}

/* Statuses that a full GPU may give. */
static bool went_well(struct world *world, NTSTATUS status)
{
    if (status == STATUS_SUCCESS) {
        return true;
    }
    assert_true(status == STATUS_PENDING || status == STATUS_NO_MEMORY ||
                status == STATUS_GRAPHICS_NO_VIDEO_MEMORY);
    world->denied++;
    return false;
}

void show(struct world *world, unsigned s, uint64_t page, const struct shown *first, uint64_t count)
{
    uint64_t at = page - world->spaces[s].page_start;

    assert_true(at + count <= MODEL_PAGES);
    for (uint64_t i = 0; i < count; i++) {
        world->model[s][at + i] = *first;
        world->model[s][at + i].page += first->item ? (uint32_t)i : 0;
    }
}

static void step_map(struct world *world, unsigned s)
{
    struct vidmm_space *space = &world->spaces[s];
    struct item *item = any_item(world);
    struct area *area = free_area(world, s);
    struct vidmm_wait wait;
    uint64_t address;

    if (!item || !area) {
        return;
    }
    uint64_t first = below(world, 2) ? 0 : below(world, pages_of(item));
    bool writes = below(world, 2);
    const struct vidmm_map_request request = {
        .allocation = &item->base,
        .page_first = first,
        .page_count = 1 + below(world, pages_of(item) - first),
        .protection = writes ? VIDMM_PROTECT_WRITE : 0,
        .minimum = below(world, 8) ? 0 : (space->page_start + below(world, 512)) * PAGE,
    };
    if (!went_well(world, vidmm_space_map(space, &request, &address, &wait))) {
        return;
    }
    assert_true(address >= request.minimum && address % VIDMM_AREA_BYTES == 0);
    *area = (struct area){.address = address, .size_bytes = request.page_count * PAGE};
    const struct shown shown = {.item = item, .page = (uint32_t)first, .read_only = !writes};
    show(world, s, address / PAGE, &shown, request.page_count);
    world->maps++;
}

static void step_reserve(struct world *world, unsigned s)
{
    struct area *area = free_area(world, s);
    struct vidmm_wait wait;
    uint64_t address;
    bool zero = (world->mmu.flags & VIDMM_MMU_ZERO) != 0 && below(world, 2);

    if (!area) {
        return;
    }
    const struct vidmm_reserve_request request = {
        .size_bytes = (1 + below(world, 5)) * VIDMM_AREA_BYTES,
        .protection = zero ? VIDMM_PROTECT_ZERO : 0,
    };
    if (!went_well(world, vidmm_space_reserve(&world->spaces[s], &request, &address, &wait))) {
        return;
    }
    *area = (struct area){.address = address, .size_bytes = request.size_bytes, .reserved = true};
    show(world, s, address / PAGE, &(struct shown){.zero = zero}, request.size_bytes / PAGE);
}

static struct area *any_area(struct world *world, unsigned s)
{
    struct area *area = &world->areas[s][below(world, AREA_MAX)];

    return area->size_bytes != 0 ? area : NULL;
}

static void step_free(struct world *world, unsigned s)
{
    struct area *area = any_area(world, s);
    struct vidmm_wait wait;

    if (area && went_well(world, vidmm_space_free(&world->spaces[s], area->address,
                                                  area->size_bytes, &wait))) {
        forget_area(world, s, area);
        *area = (struct area){0};
    }
}

/* Some pages of an area show something else. */
static void step_change(struct world *world, unsigned s)
{
    struct area *area = any_area(world, s), *source = any_area(world, s);
    struct item *item = any_item(world);
    struct vidmm_wait wait;
    size_t done;

    if (!area || !source || !item) {
        return;
    }
    uint64_t pages = area->size_bytes / PAGE, first = below(world, pages);
    uint64_t count = 1 + below(world, pages - first);
    struct vidmm_change change = {.kind = (enum vidmm_change_kind)below(world, 3),
                                  .address = area->address + first * PAGE,
                                  .size_bytes = count * PAGE};
    struct shown shown = {0};
    if (change.kind == VIDMM_CHANGE_MAP) {
        uint64_t from = below(world, pages_of(item));
        count = count < pages_of(item) - from ? count : pages_of(item) - from;
        change.size_bytes = count * PAGE;
        change.allocation = &item->base;
        change.allocation_offset = from * PAGE;
        change.protection = VIDMM_PROTECT_WRITE;
        shown = (struct shown){.item = item, .page = (uint32_t)from};
    } else if (change.kind == VIDMM_CHANGE_UNMAP) {
        shown.zero = (world->mmu.flags & VIDMM_MMU_ZERO) != 0 && below(world, 2);
        change.protection = shown.zero ? VIDMM_PROTECT_ZERO : VIDMM_PROTECT_NO_ACCESS;
    } else {
        uint64_t most = source->size_bytes / PAGE;
        count = count < most ? count : most;
        change.size_bytes = count * PAGE;
        change.source_address = source->address;
    }
    NTSTATUS status = vidmm_space_update(&world->spaces[s], &change, 1, &done, &wait);
    if (change.kind == VIDMM_CHANGE_COPY && source == area && first < count) {
        assert_int_equal(status, STATUS_INVALID_PARAMETER); /* they overlap */
        return;
    }
    if (!went_well(world, status)) {
        /* Only copies have several parts; do the rest when it can be done. */
        for (unsigned i = 0; status != STATUS_SUCCESS && change.kind == VIDMM_CHANGE_COPY; i++) {
            assert_true(i < 100);
            mock_gpu_run_all(&world->gpu);
            vidmm_use_retire(&world->use);
            world->running = false;
            status = vidmm_space_update(&world->spaces[s], &change, 1, &done, &wait);
        }
        if (status != STATUS_SUCCESS) {
            return;
        }
    }
    uint64_t page = change.address / PAGE;
    if (change.kind != VIDMM_CHANGE_COPY) {
        show(world, s, page, &shown, count);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t from = source->address / PAGE - world->spaces[s].page_start + i;
        show(world, s, page + i, &world->model[s][from], 1);
    }
}

static void step_resident(struct world *world, unsigned s)
{
    struct item *item = any_item(world);
    struct vidmm_make_result result;
    uint64_t trim;

    if (!item) {
        return;
    }
    struct vidmm_allocation *one = &item->base;
    if (item->listed[s] > 0 && below(world, 2)) {
        assert_int_equal(vidmm_evict_list(&world->lists[s], &one, 1, &trim), STATUS_SUCCESS);
        item->listed[s]--;
        return;
    }
    const struct vidmm_make_request request = {
        .allocations = &one, .count = 1, .flags = below(world, 2) ? VIDMM_MAKE_CANT_TRIM : 0};
    NTSTATUS status = vidmm_make_resident(&world->queue, &world->lists[s], &request, &result);
    if (status == STATUS_NO_MEMORY) {
        world->trims++;
        return;
    }
    assert_true(status == STATUS_SUCCESS || status == STATUS_PENDING);
    assert_int_equal(status == STATUS_PENDING, result.fence_value != 0);
    item->listed[s]++;
    world->residents++;
}

/* All that is listed and has joined is in place, and stays there while it runs. */
static void step_run(struct world *world, unsigned s)
{
    struct vidmm_prepare_result result;

    if (world->running) {
        vidmm_use_retire(&world->use);
        world->running = false;
        (void)vidmm_queues_run(world->gpu.vidmm);
        return;
    }
    vidmm_prepare_list(&world->use, &world->lists[s], &result);
    if (result.outcome != VIDMM_READY) {
        assert_int_equal(result.outcome, VIDMM_FAILED); /* nobody else runs */
        return;
    }
    assert_true(list_empty(&world->lists[s].missing));
    assert_non_null(world->spaces[s].root);
    world->running = true;
    world->runner = s;
    world->runs++;
}

/* It may be elsewhere from now on, or is seen otherwise. */
static void step_update(struct world *world, unsigned s)
{
    struct item *item = any_item(world);
    struct vidmm_update_result result;
    struct vidmm_properties wanted = {
        .set_segments = below(world, 3) != 0,
        .set_preferences = below(world, 2),
        .set_virtual = below(world, 3) == 0,
        .segments = (uint32_t)(below(world, 4) ? below(world, 8) : below(world, UINT32_MAX)),
        .is_virtual = below(world, 2),
    };

    for (unsigned i = 0; i < VIDMM_PREFERENCE_COUNT; i++) {
        wanted.preferences[i].segment = (unsigned)below(world, below(world, 3) ? 4 : 32);
        wanted.preferences[i].from_end = below(world, 2);
    }
    if (!item) {
        return;
    }
    NTSTATUS status =
        vidmm_update_allocation(&world->queue, &world->lists[s], &item->base, &wanted, &result);
    bool waits = status == STATUS_PENDING && result.fence_value == 0;
    assert_true(status == STATUS_SUCCESS || status == STATUS_PENDING ||
                status == STATUS_NO_MEMORY || status == STATUS_NOT_SUPPORTED ||
                status == STATUS_INVALID_PARAMETER);
    assert_int_equal(waits, result.wait.kind != VIDMM_WAIT_NONE);
    if ((status == STATUS_SUCCESS || status == STATUS_PENDING) && !waits) {
        const struct vidmm_allocation *base = &item->base;
        assert_true(!wanted.set_segments || base->read_segments == wanted.segments);
        assert_true(base->segment == 0 || (base->read_segments >> (base->segment - 1) & 1));
        world->updates++;
    }
}

/* May anybody walk its tables? Not while they are away, nor before contexts heard of the new root.
 */
static bool is_there(struct world *world, unsigned s)
{
    struct vidmm_root root;

    if (!world->spaces[s].root) {
        world->was_away[s] = true; /* it may have gone by itself */
        return false;
    }
    vidmm_space_root(&world->spaces[s], &root);
    world->was_away[s] &= root.paging_sequence != 0;
    return !world->was_away[s];
}

static void step_evict_tables(struct world *world, unsigned s)
{
    if (world->running && world->runner == s) {
        assert_int_equal(vidmm_space_evict_tables(&world->spaces[s]), STATUS_DEVICE_BUSY);
    } else if (world->spaces[s].root) {
        (void)went_well(world, vidmm_space_evict_tables(&world->spaces[s]));
        world->was_away[s] = true;
        world->tables_away++;
    }
}

static void step_move_tables(struct world *world, unsigned s)
{
    struct vidmm_wait wait;

    if (!world->running && is_there(world, s)) {
        struct vidmm_space *space = &world->spaces[s];
        if (world->has_paging && below(world, 3) == 0) {
            space = &world->paging;
            world->paging_moves++;
        }
        (void)went_well(world, vidmm_space_move_tables(space, &wait));
        mock_gpu_run_all(&world->gpu); /* nobody looks before */
    }
}

static void step_item(struct world *world)
{
    struct item *item = &world->items[below(world, ITEM_MAX)];
    struct vidmm_wait wait;

    if (!item->live) {
        create(world, item);
    } else if (below(world, 4) == 0) {
        destroy(world, item);
    } else {
        NTSTATUS status = vidmm_evict(&item->base, &wait);
        assert_true(status == STATUS_SUCCESS || status == STATUS_PENDING);
    }
}

static void reset(struct world *world)
{
    mock_gpu_reset(&world->gpu, below(world, 2));
    world->restored = vidmm_paging_queued(world->gpu.vidmm);
    world->running = false;
    vidmm_use_retire(&world->use);
    while (world->gpu.held_count > 0) {
        mock_gpu_let_go(&world->gpu);
    }
    (void)vidmm_queues_run(world->gpu.vidmm);
    world->resets++;
}

void world_step(struct world *world)
{
    unsigned s = (unsigned)below(world, SPACE_COUNT);

    switch (below(world, 12)) {
    case 0:
    case 1:
        step_map(world, s);
        break;
    case 2:
        step_reserve(world, s);
        break;
    case 3:
        step_free(world, s);
        break;
    case 4:
    case 5:
        step_change(world, s);
        break;
    case 6:
    case 7:
        step_resident(world, s);
        break;
    case 8:
        step_run(world, s);
        break;
    case 9:
        step_item(world);
        break;
    case 10:
        mock_gpu_pull(&world->gpu);
        (void)mock_gpu_run_one(&world->gpu);
        break;
    default:
        if (vidmm_paging_reached(world->gpu.vidmm, world->restored)) {
            if (world->has_paging) { /* the paging engine looks ahead */
                (void)mock_mmu_look(&world->gpu, &world->paging,
                                    world->paging.page_start + below(world, 128));
            }
            if (is_there(world, s)) {
                (void)mock_mmu_look(&world->gpu, &world->spaces[s],
                                    world->spaces[s].page_start + below(world, MODEL_PAGES));
            }
        }
        break;
    }
    if (below(world, 8) == 0) {
        step_anything(world, s);
    }
    if (below(world, 10) == 0) {
        step_client(world, s);
    }
    if (below(world, 60) == 0) {
        step_move_tables(world, s);
    }
    if (below(world, 60) == 0) {
        step_evict_tables(world, s);
    }
    if (below(world, 16) == 0) {
        step_update(world, s);
    }
    if (world->variant->resets && below(world, 120) == 0) {
        reset(world);
    }
}

static void end_space(struct world *world, struct vidmm_space *space)
{
    struct vidmm_wait wait;

    do {
        assert_int_equal(vidmm_space_retire(space, &wait), STATUS_SUCCESS);
        mock_gpu_run_all(&world->gpu);
    } while (wait.paging_sequence != 0);
    mock_mmu_forget(&world->gpu, space);
    vidmm_space_fini(space);
}

void world_end(struct world *world)
{
    vidmm_use_fini(&world->use);
    world->running = false;
    for (unsigned i = 0; i < ITEM_MAX; i++) {
        if (world->items[i].live) {
            destroy(world, &world->items[i]);
        }
    }
    for (unsigned s = 0; s < SPACE_COUNT; s++) {
        for (unsigned i = 0; i < AREA_MAX; i++) {
            const struct area *area = &world->areas[s][i];
            struct vidmm_wait wait;
            assert_true(area->size_bytes == 0 ||
                        vidmm_space_free(&world->spaces[s], area->address, area->size_bytes,
                                         &wait) == STATUS_SUCCESS);
        }
        /* The root is left, if it is not away with nothing to bring it back for. */
        assert_int_equal(world->spaces[s].table_count, world->spaces[s].root ? 1 : 0);
        assert_true(world->spaces[s].root || world->spaces[s].away_entries > 0);
    }
    (void)vidmm_queues_run(world->gpu.vidmm); /* for what waited for the last one that ran */
    mock_gpu_run_all(&world->gpu);
    assert_int_equal(world->queue.signalled, world->queue.value);
    vidmm_queue_fini(&world->queue);
    for (unsigned i = 0; i < SPACE_COUNT; i++) {
        vidmm_residency_fini(&world->lists[i]);
        end_space(world, &world->spaces[i]);
    }
    assert_true(vidmm_is_empty(world->gpu.vidmm));
    if (world->has_paging) {
        end_space(world, &world->paging);
    }
    vidmm_account_fini(&world->account);
    mock_gpu_fini(&world->gpu);
    free(world);
}

void world_choices(struct world *world, const uint8_t *bytes, size_t count)
{
    world->choices = bytes;
    world->choice_count = count;
}

bool world_is_over(const struct world *world)
{
    return world->choices && world->choice_count == 0;
}

void world_tell(const struct world *world, uint64_t seed)
{
    print_message("%s %lu: %u maps, %u denied, %u resident, %u trims, %u runs, %u resets, %lu "
                  "updates, %lu flushes, %lu moves\n",
                  world->variant->name, (unsigned long)seed, world->maps, world->denied,
                  world->residents, world->trims, world->runs, world->resets,
                  (unsigned long)world->gpu.mmu->updates, (unsigned long)world->gpu.mmu->flushes,
                  (unsigned long)world->gpu.mmu->moves);
    assert_true(world->maps > 20 && world->residents > 20 && world->runs > 10);
    assert_true(world->updates > 5 && world->offers > 5 && world->tables_away > 2);
}

enum {
    PLAIN = VIDMM_MMU_READ_ONLY | VIDMM_MMU_ZERO,
    LAZY = PLAIN | VIDMM_MMU_INVALID_NOT_CACHED,
};

const struct space_variant space_variants[SPACE_VARIANT_COUNT] = {
    {"three levels, physical", {5, 4, 3}, 1, VIDMM_UPDATE_GPU_PHYSICAL, PLAIN, false, true, false},
    {"three levels, by address", {5, 4, 3}, 1, VIDMM_UPDATE_GPU_VIRTUAL, PLAIN, false, true, false},
    {"tables in system memory, by the CPU",
     {5, 4, 3},
     0,
     VIDMM_UPDATE_CPU,
     LAZY,
     false,
     true,
     false},
    {"no paging space", {5, 4, 3}, 0, VIDMM_UPDATE_CPU, PLAIN, false, false, false},
    {"both leaves",
     {5, 4, 3},
     1,
     VIDMM_UPDATE_GPU_PHYSICAL,
     PLAIN | VIDMM_MMU_DUAL,
     true,
     true,
     false},
    {"both leaves, by address",
     {5, 4, 3},
     1,
     VIDMM_UPDATE_GPU_VIRTUAL,
     LAZY | VIDMM_MMU_DUAL | VIDMM_MMU_TABLES_IN_TRANSFER,
     true,
     true,
     true},
    {"one leaf or the other",
     {5, 4, 3},
     1,
     VIDMM_UPDATE_GPU_PHYSICAL,
     PLAIN | VIDMM_MMU_EXPLICIT_INVALIDATION,
     true,
     true,
     false},
    {"two levels", {5, 10}, 1, VIDMM_UPDATE_GPU_PHYSICAL, PLAIN, false, true, true},
    {"resets", {5, 4, 3}, 1, VIDMM_UPDATE_GPU_PHYSICAL, PLAIN, false, true, true},
    {"resets, by the CPU",
     {5, 4, 3},
     0,
     VIDMM_UPDATE_CPU,
     PLAIN | VIDMM_MMU_DUAL,
     true,
     true,
     true},
};
