/* nt/pool_store.c: where pool memory comes from and how its damage is found.
 *
 * Memory is taken from the machine's RAM in *chunks* of contiguous pages. A chunk holds either
 * equal *slots* for blocks below a page, never across a page's border, or one large block on its
 * own pages:
 *
 *      slot:  | 16 bytes redzone | block ... | redzone to the slot's end (16 bytes or more) |
 *             the front one is up to 48 bytes longer if the block begins with a cache line
 *      large: | a page, its last 256 bytes redzone | block ... | rest of the page + 256 bytes |
 *      special: | redzone | block ... | redzone |, on pages that the driver sees elsewhere, between
 *             pages without access (pool_special.c)
 *
 * What is known about a block stands outside the driver's reach (struct pool_block). Freed blocks
 * are filled with a pattern and wait in *quarantine*, so that a late write is seen before the
 * memory has a new owner. All addresses follow from the order of calls alone.
 *
 *      free ──pool_allocate──> live ──pool_free──> quarantine ──oldest, when full──> free
 *
 * Under VARY_REUSED_MEMORY slots of the driver leave quarantine out, and come first.
 */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/fill.h"

#define SMALL_CHUNK_PAGES  16u
#define SMALL_REDZONE      16u
#define CACHE_LINE         64u
#define LARGE_REDZONE      256u
#define QUARANTINE_BLOCKS  1024u
#define QUARANTINE_BYTES   (8u << 20)
#define REDZONE_BYTE       FILL_REDZONE
#define FREED_BYTE         FILL_FREED
#define UNINITIALIZED_BYTE FILL_UNINITIALIZED

static const uint16_t slot_sizes[] = {64, 96, 128, 192, 256, 384, 512, 768, 1024, 1344, 2048, 4096};
#define CLASS_COUNT (sizeof(slot_sizes) / sizeof(slot_sizes[0]))

static struct {
    struct pool_chunk **chunk_of_frame;
    uint64_t frame_count;
    struct list chunks;
    struct list free[CLASS_COUNT];
    struct list live;       /* oldest first */
    struct list quarantine; /* oldest first */
    size_t quarantine_blocks, quarantine_bytes;
    struct list *cursor; /* in live: where pool_store_check_some goes on */
    uint64_t serial;
    bool serves_driver; /* the block that is being made is not the kernel's own */
    bool reuse_seen;    /* VARY_REUSED_MEMORY has been counted */
    struct nt_pool_totals totals;
} pool;

NTSTATUS pool_start(void)
{
    memset(&pool, 0, sizeof(pool));
    pool.frame_count = ram_end() >> MACHINE_PAGE_SHIFT;
    pool.chunk_of_frame = calloc(pool.frame_count, sizeof(struct pool_chunk *));
    if (!pool.chunk_of_frame) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    list_init(&pool.chunks);
    for (size_t i = 0; i < CLASS_COUNT; i++) {
        list_init(&pool.free[i]);
    }
    list_init(&pool.live);
    list_init(&pool.quarantine);
    pool.cursor = &pool.live;
    return STATUS_SUCCESS;
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

static struct pool_chunk *chunk_new(size_t page_count, unsigned block_count)
{
    struct ram_request request = {.page_count = page_count, .leaves_rest = pool.serves_driver};
    struct pool_chunk *chunk = calloc(1, sizeof(*chunk) + block_count * sizeof(struct pool_block));

    if (!chunk) {
        return NULL;
    }
    chunk->blocks = (struct pool_block *)(chunk + 1);
    if (!NT_SUCCESS(ram_alloc_contiguous(&request, &chunk->frame))) {
        free(chunk);
        return NULL;
    }
    chunk->page_count = page_count;
    chunk->block_count = block_count;
    chunk->base = ram_at(chunk->frame << MACHINE_PAGE_SHIFT, page_count * MACHINE_PAGE_SIZE);
    CHECK_THAT(chunk->base && chunk->frame + page_count <= pool.frame_count);
    for (size_t i = 0; i < page_count; i++) {
        pool.chunk_of_frame[chunk->frame + i] = chunk;
    }
    list_push_back(&pool.chunks, &chunk->link);
    return chunk;
}

static void chunk_free(struct pool_chunk *chunk)
{
    special_let_go(chunk);
    if (chunk->view) {
        special_shut(chunk);
    }
    for (size_t i = 0; i < chunk->page_count; i++) {
        pool.chunk_of_frame[chunk->frame + i] = NULL;
    }
    list_remove(&chunk->link);
    ram_free_contiguous(chunk->frame, chunk->page_count);
    for (size_t i = 0; i < chunk->block_count; i++) {
        free(chunk->blocks[i].object);
    }
    free(chunk);
}

void pool_stop(void)
{
    list_for_each_safe (link, &pool.chunks) {
        chunk_free(container_of(link, struct pool_chunk, link));
    }
    free(pool.chunk_of_frame);
    memset(&pool, 0, sizeof(pool));
    special_stop();
}

static bool small_chunk_add(size_t class)
{
    size_t slot_size = slot_sizes[class];
    unsigned per_page = (unsigned)(MACHINE_PAGE_SIZE / slot_size);
    struct pool_chunk *chunk = chunk_new(SMALL_CHUNK_PAGES, per_page * SMALL_CHUNK_PAGES);

    if (!chunk) {
        return false;
    }
    chunk->slot_size = slot_size;
    chunk->slots_per_page = per_page;
    for (unsigned i = 0; i < chunk->block_count; i++) {
        struct pool_block *block = &chunk->blocks[i];
        block->chunk = chunk;
        block->class = (uint8_t) class;
        block->front_size = SMALL_REDZONE;
        block->memory = chunk->base + i / per_page * MACHINE_PAGE_SIZE + i % per_page * slot_size +
                        SMALL_REDZONE;
        list_push_back(&pool.free[class], &block->link);
    }
    return true;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static struct pool_block *small_block_new(size_t size)
{
    size_t class = 0;

    while (slot_sizes[class] < size + 2 * SMALL_REDZONE) {
        class ++;
    }
    if (list_empty(&pool.free[class]) && !small_chunk_add(class)) {
        return NULL;
    }
    return container_of(list_pop_front(&pool.free[class]), struct pool_block, link);
}

static struct pool_block *large_block_new(size_t size)
{
    size_t pages = (size + MACHINE_PAGE_SIZE - 1) / MACHINE_PAGE_SIZE;
    struct pool_chunk *chunk = chunk_new(pages + 2, 1);
    struct pool_block *block;

    if (!chunk) {
        return NULL;
    }
    block = &chunk->blocks[0];
    block->chunk = chunk;
    block->front_size = LARGE_REDZONE;
    block->memory = chunk->base + MACHINE_PAGE_SIZE;
    list_init(&block->link);
    return block;
}

static void quarantine_leave(struct pool_block *block)
{
    list_remove(&block->link);
    pool.quarantine_blocks--;
    pool.quarantine_bytes -= block->size;
    block->state = POOL_BLOCK_FREE;
}

/* NULL, too, if another kind of block has to do. */
static struct pool_block *special_block_new(const struct pool_request *request)
{
    size_t pages = request->size / MACHINE_PAGE_SIZE + (request->size % MACHINE_PAGE_SIZE != 0);
    struct pool_chunk *chunk;
    struct pool_block *block;
    size_t offset;

    if (!special_takes(request)) {
        return NULL;
    }
    block = special_take_kept(request);
    if (block) {
        pool_store_check(block);
        quarantine_leave(block);
        list_init(&block->link);
        return block;
    }
    pages = pages ? pages : 1;
    chunk = chunk_new(pages, 1);
    if (!chunk) {
        return NULL;
    }
    chunk->special = true;
    if (!special_open(chunk)) {
        chunk_free(chunk);
        return NULL;
    }
    if (request->type == POOL_TYPE_PAGED || request->pageable) {
        pageable_guard(chunk->view, pages * MACHINE_PAGE_SIZE);
    }
    offset = special_offset(request, pages);
    block = &chunk->blocks[0];
    block->chunk = chunk;
    block->front_size = (uint16_t)offset;
    block->memory = chunk->view + offset;
    list_init(&block->link);
    return block;
}

static size_t back_size(const struct pool_block *block)
{
    const struct pool_chunk *chunk = block->chunk;

    if (chunk->slot_size) {
        return chunk->slot_size - block->front_size - block->size;
    }
    if (chunk->special) {
        return chunk->page_count * MACHINE_PAGE_SIZE - block->front_size - block->size;
    }
    return align_up(block->size, MACHINE_PAGE_SIZE) - block->size + LARGE_REDZONE;
}

static void redzones_write(struct pool_block *block)
{
    memset(block->bytes - block->front_size, REDZONE_BYTE, block->front_size);
    memset(block->bytes + block->size, REDZONE_BYTE, back_size(block));
}

/* The front redzone of a slot is as long as the block's alignment asks for. */
static void place_in_slot(struct pool_block *block, bool cache_aligned)
{
    uint8_t *slot = block->memory - block->front_size;
    uintptr_t first = (uintptr_t)slot + SMALL_REDZONE;

    block->front_size = SMALL_REDZONE;
    if (cache_aligned) {
        block->front_size += (uint16_t)(align_up(first, CACHE_LINE) - first);
    }
    block->memory = slot + block->front_size;
}

static struct pool_block *block_new(const struct pool_request *request)
{
    size_t spare = request->cache_aligned ? CACHE_LINE - SMALL_REDZONE : 0;
    struct pool_block *block;

    if (request->size > ram_bytes()) {
        return NULL;
    }
    block = special_block_new(request);
    if (block) {
        block->bytes = block->chunk->base + block->front_size;
        return block;
    }
    if (request->size > MACHINE_PAGE_SIZE - 2 * SMALL_REDZONE - spare) {
        block = large_block_new(request->size);
    } else {
        block = small_block_new(request->size + spare);
        if (block) {
            place_in_slot(block, request->cache_aligned);
        }
    }
    if (block) {
        block->bytes = block->memory;
    }
    return block;
}

struct pool_block *pool_store_new(const struct pool_request *request)
{
    struct pool_block *block;

    pool.serves_driver = !request->internal;
    block = block_new(request);
    if (!block) {
        pool.totals.failures++;
        return NULL;
    }
    block->size = request->size;
    block->tag = request->tag;
    block->type = request->type;
    block->internal = request->internal;
    block->kind = request->kind;
    block->of_client = request->of_client;
    block->pageable = request->pageable || request->type == POOL_TYPE_PAGED;
    block->damaged = false;
    block->from = origin_of(request->caller);
    block->freed_by = (struct nt_origin){0};
    block->object = NULL;
    block->serial = request->internal ? 0 : ++pool.serial;
    block->state = POOL_BLOCK_LIVE;
    redzones_write(block);
    if (request->zeroed || request->internal || !machine_old_bytes(block->bytes, block->size)) {
        memset(block->bytes, request->zeroed ? 0 : UNINITIALIZED_BYTE, block->size);
    }
    list_push_back(&pool.live, &block->link);
    if (!block->internal) {
        pool.totals.allocations++;
        pool.totals.blocks++;
        pool.totals.bytes += block->size;
        if (pool.totals.bytes > pool.totals.peak_bytes) {
            pool.totals.peak_bytes = pool.totals.bytes;
        }
    }
    return block;
}

static void quarantine_release(struct pool_block *block)
{
    quarantine_leave(block);
    if (block->chunk->slot_size) {
        list_push_back(&pool.free[block->class], &block->link);
    } else {
        if (block->chunk->special) {
            special_retire(block);
        }
        chunk_free(block->chunk);
    }
}

/* The next request of this class gets it. */
static bool reuse(struct pool_block *block)
{
    if (!vary_on(VARY_REUSED_MEMORY) || block->internal || !block->chunk->slot_size) {
        return false;
    }
    if (!pool.reuse_seen) {
        pool.reuse_seen = true; /* once: it holds from then on */
        vary_happened(VARY_REUSED_MEMORY);
    }
    block->state = POOL_BLOCK_FREE;
    list_push_front(&pool.free[block->class], &block->link);
    return true;
}

void pool_store_free(struct pool_block *block, const void *caller)
{
    pool_store_check(block);
    if (pool.cursor == &block->link) {
        pool.cursor = block->link.next;
    }
    list_remove(&block->link);
    if (!block->internal) {
        pool.totals.frees++;
        pool.totals.blocks--;
        pool.totals.bytes -= block->size;
    }
    block->state = POOL_BLOCK_QUARANTINE;
    block->freed_by = origin_of(caller);
    memset(block->bytes, FREED_BYTE, block->size);
    if (block->chunk->view && !special_keeps(block)) {
        special_shut(block->chunk);
    }
    if (reuse(block)) {
        return;
    }
    list_push_back(&pool.quarantine, &block->link);
    pool.quarantine_blocks++;
    pool.quarantine_bytes += block->size;
    while (pool.quarantine_blocks > QUARANTINE_BLOCKS || pool.quarantine_bytes > QUARANTINE_BYTES) {
        struct pool_block *oldest = container_of(pool.quarantine.next, struct pool_block, link);
        pool_store_check(oldest);
        quarantine_release(oldest);
    }
}

/* The block whose slot or pages hold the address, in any state; NULL for other memory. */
struct pool_block *pool_store_find(const void *address)
{
    struct pool_chunk *chunk;
    uint64_t physical;
    size_t offset, page, slot;

    if (!pool.chunk_of_frame || !ram_physical_of(address, &physical) ||
        physical >> MACHINE_PAGE_SHIFT >= pool.frame_count) {
        return NULL;
    }
    chunk = pool.chunk_of_frame[physical >> MACHINE_PAGE_SHIFT];
    if (!chunk) {
        return NULL;
    }
    if (!chunk->slot_size) {
        return &chunk->blocks[0];
    }
    offset = physical - (chunk->frame << MACHINE_PAGE_SHIFT);
    page = offset / MACHINE_PAGE_SIZE;
    slot = offset % MACHINE_PAGE_SIZE / chunk->slot_size;
    if (slot >= chunk->slots_per_page) {
        return NULL;
    }
    return &chunk->blocks[page * chunk->slots_per_page + slot];
}

bool pool_store_is_owners(const struct pool_block *block, const void *address)
{
    const struct pool_chunk *chunk = block->chunk;
    const uint8_t *begin = chunk->view ? chunk->view : chunk->base;

    return (uintptr_t)address - (uintptr_t)begin < chunk->page_count * MACHINE_PAGE_SIZE;
}

void pool_store_visit(void (*visit)(void *ctx, const struct pool_block *block), void *ctx)
{
    if (!pool.chunk_of_frame) {
        return;
    }
    list_for_each (link, &pool.live) {
        visit(ctx, container_of(link, struct pool_block, link));
    }
    list_for_each (link, &pool.quarantine) {
        visit(ctx, container_of(link, struct pool_block, link));
    }
}

/* ---- Finding damage -------------------------------------------------------------------------- */

void pool_store_describe(const struct pool_block *block, struct nt_pool_block *out)
{
    static const char *const types[] = {
        [POOL_TYPE_NONPAGED] = "nonpaged",
        [POOL_TYPE_PAGED] = "paged",
        [POOL_TYPE_EXECUTABLE] = "executable nonpaged",
    };

    *out = (struct nt_pool_block){
        .address = block->memory,
        .size = block->size,
        .tag = block->tag,
        .kind = block->kind,
        .handed = block->kind != NULL,
        .of_client = block->of_client,
        .type = types[block->type],
        .from = block->from,
        .serial = block->serial,
    };
}

static void report(struct pool_block *block, enum nt_pool_damage damage, int64_t offset,
                   uint8_t expected)
{
    struct nt_pool_corruption corruption = {
        .damage = damage,
        .freed_by = block->freed_by,
        .offset = offset,
        .expected = expected,
        .found = block->bytes[offset],
    };

    block->damaged = true;
    if (nt_hooks.pool_corruption) {
        pool_store_describe(block, &corruption.block);
        nt_hooks.pool_corruption(nt_hooks.ctx, &corruption);
    }
}

/* True if the block is whole. Damage is reported once, then the pattern is put back. Of a freed
 * block only the first `freed_limit` bytes are looked at. */
static bool check_block(struct pool_block *block, size_t freed_limit)
{
    size_t front = block->front_size, back = back_size(block), at;
    size_t freed = block->size < freed_limit ? block->size : freed_limit;
    bool whole = true;

    at = fill_first_other(block->bytes - front, REDZONE_BYTE, front);
    if (at < front) {
        whole = false;
        report(block, NT_POOL_UNDERRUN, (int64_t)at - (int64_t)front, REDZONE_BYTE);
    }
    at = fill_first_other(block->bytes + block->size, REDZONE_BYTE, back);
    if (at < back) {
        whole = false;
        report(block, NT_POOL_OVERRUN, (int64_t)(block->size + at), REDZONE_BYTE);
    }
    if (block->state == POOL_BLOCK_QUARANTINE) {
        at = fill_first_other(block->bytes, FREED_BYTE, freed);
        if (at < freed) {
            whole = false;
            report(block, NT_POOL_USE_AFTER_FREE, (int64_t)at, FREED_BYTE);
            memset(block->bytes, FREED_BYTE, block->size);
        }
    }
    if (!whole) {
        redzones_write(block);
    }
    return whole;
}

bool pool_store_check(struct pool_block *block)
{
    return check_block(block, SIZE_MAX);
}

size_t nt_pool_check(void)
{
    size_t damaged = contiguous_check();

    if (!pool.chunk_of_frame) {
        return 0;
    }
    list_for_each (link, &pool.live) {
        damaged += !pool_store_check(container_of(link, struct pool_block, link));
    }
    list_for_each (link, &pool.quarantine) {
        damaged += !pool_store_check(container_of(link, struct pool_block, link));
    }
    return damaged;
}

size_t nt_pool_check_some(void)
{
    size_t damaged = contiguous_check_some();

    if (!pool.chunk_of_frame) {
        return 0;
    }
    if (!list_empty(&pool.live)) {
        damaged += !pool_store_check(container_of(pool.live.prev, struct pool_block, link));
    }
    if (!list_empty(&pool.quarantine)) {
        damaged += !check_block(container_of(pool.quarantine.prev, struct pool_block, link),
                                MACHINE_PAGE_SIZE);
    }
    for (unsigned i = 0; i < 4 && !list_empty(&pool.live); i++) {
        if (pool.cursor == &pool.live) {
            pool.cursor = pool.live.next;
        }
        damaged += !pool_store_check(container_of(pool.cursor, struct pool_block, link));
        pool.cursor = pool.cursor->next;
    }
    return damaged;
}

/* ---- Reports --------------------------------------------------------------------------------- */

void nt_pool_report(void (*visit)(void *ctx, const struct nt_pool_block *block), void *ctx)
{
    if (!pool.chunk_of_frame) {
        return;
    }
    list_for_each (link, &pool.live) {
        const struct pool_block *block = container_of(link, struct pool_block, link);
        struct nt_pool_block out;
        if (!block->internal) {
            pool_store_describe(block, &out);
            visit(ctx, &out);
        }
    }
}

void nt_pool_totals(struct nt_pool_totals *totals)
{
    *totals = pool.totals;
}

bool nt_pool_find(const void *address, struct nt_pool_block *out)
{
    const struct pool_block *block = pool_store_find(address);
    const uint8_t *byte = address;

    if (!block || block->state != POOL_BLOCK_LIVE || byte < block->memory ||
        byte >= block->memory + block->size) {
        return false;
    }
    pool_store_describe(block, out);
    return true;
}

void nt_pool_tag_text(uint32_t tag, char text[5])
{
    for (unsigned i = 0; i < 4; i++) {
        uint8_t c = (uint8_t)(tag >> i * 8);
        text[i] = c >= 0x20 && c < 0x7F ? (char)c : '.';
    }
    text[4] = 0;
}
