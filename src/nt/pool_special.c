/* nt/pool_special.c: special pool, where a block of the driver lies against a page without access.
 *
 *      | no access | redzone ... block | no access | redzone ... block | no access |     after
 *      | no access | block ... redzone | no access | block ... redzone | no access |     before
 *
 * The pages are a view of the machine's memory; the kernel and devices reach the same bytes without
 * it. Freeing shuts the view: its addresses come again when the whole window of views went by, so
 * that a late touch faults however late it comes. What a block was stays known while it is in
 * quarantine, and of the latest ones afterwards.
 *
 * Paged pool is special at all times, for it is shut above APC_LEVEL (pageable.h), as are the
 * commands of clients, and so is what the kernel hands to the driver with its size. Of each kind
 * of those the first ones are shut, and one in some afterwards, for each costs a flush of the TLB;
 * the pages of the others stay open for a later one of the same size, and who reads there finds the
 * freed pattern until then.
 *
 * Kernel memory has its alignment: what lies between a block and the page behind it is redzone. */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Each is two mappings of the process, which may have 65530; further blocks are ordinary ones. */
#define LIVE_MAX    8192u
#define RETIRED_MAX 8192u
#define ALIGNMENT   16u
#define HANDED      8u /* what a driver is handed: no structure of the headers wants more */
#define CACHE_LINE  64u
#define BLOCK_MAX   (16u << 20) /* larger ones lie on pages of their own anyhow */
/* Which of the handed ones are shut. */
#define SHUT_FIRST 32u
#define SHUT_EVERY 8u
#define KIND_MAX   256u /* a power of two, and more than there are */
#define KEPT_LISTS 64u
#define KEPT_AGE   8u /* so many others are kept before one is taken again */

struct kind {
    const char *name;
    uint64_t freed_count;
};

static struct {
    enum nt_special_pool where;
    unsigned live_count;
    struct pool_block *retired; /* a ring */
    uint64_t retired_count;     /* ever */
    struct kind kinds[KIND_MAX];
    struct list kept[KEPT_LISTS]; /* of pool_chunk.kept_link, by size, oldest first */
    uint64_t kept_count;          /* ever */
} special;

void nt_pool_set_special(enum nt_special_pool where)
{
    if (!special.retired) {
        special.retired = calloc(RETIRED_MAX, sizeof(struct pool_block));
        for (unsigned i = 0; i < KEPT_LISTS; i++) {
            list_init(&special.kept[i]);
        }
    }
    special.where = special.retired ? where : NT_SPECIAL_POOL_OFF;
}

void special_stop(void)
{
    free(special.retired);
    memset(&special, 0, sizeof(special));
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

bool special_takes(const struct pool_request *request)
{
    bool wanted = request->internal ? request->kind != NULL && request->size > 0 && special.retired
                                    : special.where != NT_SPECIAL_POOL_OFF ||
                                          (request->type == POOL_TYPE_PAGED && special.retired);

    return wanted && request->size <= BLOCK_MAX && special.live_count < LIVE_MAX;
}

bool special_open(struct pool_chunk *chunk)
{
    uint64_t *frames = malloc(chunk->page_count * sizeof(*frames));

    if (!frames) {
        return false;
    }
    for (size_t i = 0; i < chunk->page_count; i++) {
        frames[i] = chunk->frame + i;
    }
    chunk->view = ram_map_frames(frames, chunk->page_count, true);
    free(frames);
    special.live_count += chunk->view != NULL;
    return chunk->view != NULL;
}

bool nt_memory_open_behind(const void *memory)
{
    const struct pool_block *block = pool_store_find(memory);

    if (!block || !block->kind || !block->chunk->view) {
        return false;
    }
    ram_view_open_behind(block->chunk->view);
    return true;
}

void special_shut(struct pool_chunk *chunk)
{
    pageable_unmapped(chunk->view);
    ram_unmap_frames(chunk->view, chunk->page_count);
    chunk->view = NULL;
    special.live_count--;
}

/* ---- Blocks that stay open ------------------------------------------------------------------- */

/* By what it is called, not where: that differs from build to build. NULL: there are too many. */
static struct kind *kind_of(const char *name)
{
    size_t at = XXH3_64bits(name, strlen(name)) % KIND_MAX;

    for (size_t i = 0; i < KIND_MAX; i++, at = (at + 1) % KIND_MAX) {
        struct kind *kind = &special.kinds[at];
        if (!kind->name || strcmp(kind->name, name) == 0) {
            kind->name = name;
            return kind;
        }
    }
    return NULL;
}

static struct list *kept_list(size_t size)
{
    return &special.kept[size / HANDED % KEPT_LISTS];
}

/* What clients had is shut: no driver's call comes soon to look at it. */
bool special_keeps(struct pool_block *block)
{
    bool known = block->kind && !block->of_client && block->chunk->view;
    struct kind *kind = known ? kind_of(block->kind) : NULL;
    uint64_t before = kind ? kind->freed_count++ : 0;

    if (before < SHUT_FIRST || before % SHUT_EVERY == 0) {
        return false;
    }
    block->chunk->kept_as = ++special.kept_count;
    list_push_back(kept_list(block->size), &block->chunk->kept_link);
    return true;
}

void special_let_go(struct pool_chunk *chunk)
{
    if (chunk->kept_as) {
        list_remove(&chunk->kept_link);
        chunk->kept_as = 0;
    }
}

struct pool_block *special_take_kept(const struct pool_request *request)
{
    if (!request->kind || !special.retired || request->pageable) {
        return NULL; /* they are not guarded */
    }
    list_for_each (link, kept_list(request->size)) {
        struct pool_chunk *chunk = container_of(link, struct pool_chunk, kept_link);
        if (special.kept_count - chunk->kept_as < KEPT_AGE) {
            return NULL; /* those behind it are younger */
        }
        if (chunk->blocks[0].size == request->size) {
            special_let_go(chunk);
            return &chunk->blocks[0];
        }
    }
    return NULL;
}

/* The driver's own that has a page or more begins with one. */
size_t special_offset(const struct pool_request *request, size_t page_count)
{
    size_t alignment = request->cache_aligned ? CACHE_LINE : request->internal ? HANDED : ALIGNMENT;
    size_t size = request->size ? request->size : 1;

    if (!request->internal &&
        (special.where == NT_SPECIAL_POOL_BEFORE || size >= MACHINE_PAGE_SIZE)) {
        return 0;
    }
    return align_down(page_count * MACHINE_PAGE_SIZE - size, alignment);
}

void special_retire(const struct pool_block *block)
{
    struct pool_block *slot = &special.retired[special.retired_count++ % RETIRED_MAX];

    *slot = *block;
    slot->chunk = NULL;
    /* As before: not to be had again. */
    slot->state = POOL_BLOCK_QUARANTINE;
}

/* ---- Looking back ---------------------------------------------------------------------------- */

/* The block nearest to an address. Of two at one place, the later. */
struct search {
    uintptr_t at;
    const struct pool_block *nearest;
    uintptr_t distance;
};

/* How far the address is from the block. */
static uintptr_t distance_to(const struct pool_block *block, uintptr_t at)
{
    uintptr_t begin = (uintptr_t)block->memory, end = begin + block->size;

    return at < begin ? begin - at : at >= end ? at - end + 1 : 0;
}

/* Is the address on the block's pages, on the one behind or on the one before them? */
static bool is_around(const struct pool_block *block, uintptr_t at)
{
    uintptr_t begin = align_down((uintptr_t)block->memory, MACHINE_PAGE_SIZE);
    uintptr_t end = align_up((uintptr_t)block->memory + block->size, MACHINE_PAGE_SIZE);

    return at >= begin - MACHINE_PAGE_SIZE && at < end + MACHINE_PAGE_SIZE;
}

static void consider(struct search *search, const struct pool_block *block)
{
    uintptr_t distance = distance_to(block, search->at);
    const struct pool_block *best = search->nearest;

    if (is_around(block, search->at) &&
        (!best || distance < search->distance ||
         (distance == search->distance && block->serial > best->serial))) {
        search->nearest = block;
        search->distance = distance;
    }
}

static void consider_present(void *ctx, const struct pool_block *block)
{
    if (block->chunk->special) {
        consider(ctx, block);
    }
}

static struct search search_for(const void *address)
{
    struct search search = {.at = (uintptr_t)address};
    uint64_t count = special.retired_count < RETIRED_MAX ? special.retired_count : RETIRED_MAX;

    if (special.retired) {
        pool_store_visit(consider_present, &search);
        for (uint64_t i = 0; i < count; i++) {
            consider(&search, &special.retired[i]);
        }
    }
    return search;
}

struct pool_block *special_find_freed(const void *address)
{
    struct search search = search_for(address);

    if (!search.nearest || search.nearest->memory != address ||
        search.nearest->state != POOL_BLOCK_QUARANTINE) {
        return NULL;
    }
    return (struct pool_block *)search.nearest;
}

/* From somewhere in the block on: what is locked of it opens all of it. */
void special_lock(const void *address)
{
    const struct pool_block *block = pool_store_find(address);
    uint64_t begin, size;

    pageable_window(&begin, &size);
    if (!block && (uintptr_t)address - begin < size) {
        block = search_for(address).nearest;
    }
    if (block && block->state == POOL_BLOCK_LIVE && block->chunk->view && block->pageable &&
        distance_to(block, (uintptr_t)address) == 0) {
        pageable_release(block->chunk->view, block->chunk->page_count * MACHINE_PAGE_SIZE);
    }
}

bool nt_pool_explain(const void *address, struct nt_pool_touch *out)
{
    const struct pool_block *block = search_for(address).nearest;

    if (!block) {
        return contiguous_explain(address, out);
    }
    pool_store_describe(block, &out->block);
    out->freed = block->state == POOL_BLOCK_QUARANTINE;
    out->freed_by = block->freed_by;
    out->offset = (int64_t)((uintptr_t)address - (uintptr_t)block->memory);
    out->pageable = !out->freed && block->pageable && distance_to(block, (uintptr_t)address) == 0;
    return true;
}
