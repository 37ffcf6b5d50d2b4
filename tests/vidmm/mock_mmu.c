/* The MMU of the GPU for the tests of vidmm. */
#include "vidmm/mock_mmu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRY_BYTES = 8, PAGES_64K = 16 };

void mock_mmu_init(struct mock_gpu *gpu, const struct vidmm_mmu_options *options)
{
    gpu->mmu = calloc(1, sizeof *gpu->mmu);
    assert(gpu->mmu);
    gpu->mmu->options = *options;
}

static bool dual(const struct mock_mmu *mmu)
{
    return (mmu->options.flags & VIDMM_MMU_DUAL) != 0;
}

static struct mock_root *root_of(struct mock_mmu *mmu, const struct vidmm_space *space)
{
    for (unsigned i = 0; i < MOCK_SPACE_MAX; i++) {
        if (mmu->roots[i].space == space) {
            return &mmu->roots[i];
        }
    }
    return NULL;
}

static struct mock_root *new_root_of(struct mock_mmu *mmu, const struct vidmm_space *space)
{
    struct mock_root *root = root_of(mmu, space);

    root = root ? root : root_of(mmu, NULL);
    assert(root);
    root->space = space;
    return root;
}

void mock_mmu_set_root(struct mock_gpu *gpu, struct vidmm_space *space)
{
    struct vidmm_root root;

    vidmm_space_root(space, &root);
    assert(root.paging_sequence == 0);
    new_root_of(gpu->mmu, space)->root = root;
    if (space->kind == VIDMM_SPACE_PAGING) {
        gpu->mmu->paging = space;
    }
}

void mock_mmu_forget(struct mock_gpu *gpu, const struct vidmm_space *space)
{
    struct mock_root *root = root_of(gpu->mmu, space);

    if (root) {
        *root = (struct mock_root){0};
    }
    for (unsigned i = 0; i < MOCK_TLB_SIZE; i++) {
        if (gpu->mmu->tlb[i].space == space) {
            gpu->mmu->tlb[i].space = NULL;
        }
    }
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static uint8_t *memory_at(struct mock_gpu *gpu, unsigned segment, uint64_t offset)
{
    if (segment != 0) {
        return mock_gpu_at(gpu, segment, offset);
    }
    uint8_t *bytes = ram_at(offset, 1);
    assert(bytes);
    return bytes;
}

static uint64_t encode(const struct vidmm_pte *pte)
{
    assert(pte->offset % VIDMM_PAGE_BYTES == 0 && pte->segment < 32);
    return pte->offset | (uint64_t)pte->segment << 5 | (pte->flags & 3) |
           (pte->flags & VIDMM_PTE_READ_ONLY ? 4 : 0) |
           (pte->flags & VIDMM_PTE_NO_EXECUTE ? 8 : 0) | (pte->flags & VIDMM_PTE_LEAF_64K ? 16 : 0);
}

static struct mock_entry decode(uint64_t word)
{
    return (struct mock_entry){
        .valid = (word & VIDMM_PTE_VALID) != 0,
        .zero = (word & VIDMM_PTE_ZERO) != 0,
        .read_only = (word & 4) != 0,
        .no_execute = (word & 8) != 0,
        .leaf_64k = (word & 16) != 0,
        .segment = word >> 5 & 31,
        .offset = word & ~(VIDMM_PAGE_BYTES - 1),
    };
}

static struct mock_entry read_entry(struct mock_gpu *gpu, const struct mock_entry *table,
                                    uint64_t index)
{
    uint64_t word;

    memcpy(&word, memory_at(gpu, table->segment, table->offset + index * ENTRY_BYTES), 8);
    return decode(word);
}

static unsigned shift_of(const struct mock_mmu *mmu, unsigned level)
{
    unsigned shift = 0;

    for (unsigned i = 0; i < level; i++) {
        shift += mmu->options.levels[i].index_bits;
    }
    return shift;
}

static uint64_t index_at(const struct mock_mmu *mmu, unsigned level, uint64_t page)
{
    uint64_t index = page >> shift_of(mmu, level);

    return index & ((UINT64_C(1) << mmu->options.levels[level].index_bits) - 1);
}

/* The last step, from the entries of level 1. */
static struct mock_entry walk_leaf(struct mock_gpu *gpu, const struct mock_entry *small,
                                   const struct mock_entry *large, uint64_t page)
{
    struct mock_entry found = {0}, other = {0};
    uint64_t index = index_at(gpu->mmu, 0, page);

    if (small->valid) {
        found = read_entry(gpu, small, index);
    }
    if (large->valid) {
        other = read_entry(gpu, large, index / PAGES_64K);
        assert(!(found.valid && other.valid)); /* [PT-010] */
        if (other.valid && !other.zero) {
            other.offset += page % PAGES_64K * VIDMM_PAGE_BYTES;
        }
    }
    return other.valid ? other : found;
}

struct mock_entry mock_mmu_walk(struct mock_gpu *gpu, const struct vidmm_space *space,
                                uint64_t page)
{
    struct mock_mmu *mmu = gpu->mmu;
    const struct mock_root *root = root_of(mmu, space);
    unsigned level = mmu->options.level_count - 1;
    const struct mock_entry none = {0};

    assert(root);
    struct mock_entry table = {
        .valid = true, .segment = root->root.place.segment, .offset = root->root.place.offset};
    if (page >> shift_of(mmu, level) >= root->root.entry_count) {
        return none; /* [PT-003] */
    }
    for (; level > 1; level--) {
        table = read_entry(gpu, &table, index_at(mmu, level, page));
        if (!table.valid) {
            return none;
        }
    }
    uint64_t index = index_at(mmu, 1, page);
    if (dual(mmu)) {
        struct mock_entry small = read_entry(gpu, &table, 2 * index);
        struct mock_entry large = read_entry(gpu, &table, 2 * index + 1);
        return walk_leaf(gpu, &small, &large, page);
    }
    struct mock_entry leaf = read_entry(gpu, &table, index);
    return leaf.leaf_64k ? walk_leaf(gpu, &none, &leaf, page) : walk_leaf(gpu, &leaf, &none, page);
}

struct mock_entry mock_mmu_look(struct mock_gpu *gpu, const struct vidmm_space *space,
                                uint64_t page)
{
    struct mock_mmu *mmu = gpu->mmu;
    struct mock_cached *cached = &mmu->tlb[(page * 31 + space->kind) % MOCK_TLB_SIZE];

    if (cached->space == space && cached->page == page) {
        return cached->entry;
    }
    struct mock_entry entry = mock_mmu_walk(gpu, space, page);
    if (entry.valid || (mmu->options.flags & VIDMM_MMU_INVALID_NOT_CACHED) == 0) {
        *cached = (struct mock_cached){space, page, entry};
    }
    return entry;
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* A byte by its address in the paging space. */
static uint8_t *paging_at(struct mock_gpu *gpu, uint64_t address, bool write)
{
    struct mock_entry entry = mock_mmu_look(gpu, gpu->mmu->paging, address / VIDMM_PAGE_BYTES);

    assert(entry.valid && !entry.zero && !(write && entry.read_only));
    return memory_at(gpu, entry.segment, entry.offset + address % VIDMM_PAGE_BYTES);
}

static uint8_t *entry_at(struct mock_gpu *gpu, struct vidmm_op *op, uint64_t index)
{
    const struct vidmm_update *update = &op->update;
    uint64_t at = index * ENTRY_BYTES;

    switch (update->mode) {
    case VIDMM_UPDATE_CPU: {
        uint8_t *view = vidmm_op_table_view(op);
        assert(view == memory_at(gpu, update->place.segment, update->place.offset));
        return view + at;
    }
    case VIDMM_UPDATE_GPU_VIRTUAL: {
        uint8_t *bytes = paging_at(gpu, update->table_address + at, true);
        assert(bytes == memory_at(gpu, update->place.segment, update->place.offset + at));
        return bytes;
    }
    default:
        return memory_at(gpu, update->place.segment, update->place.offset + at);
    }
}

static void update(struct mock_gpu *gpu, struct vidmm_op *op)
{
    const struct vidmm_update *update = &op->update;
    bool both = update->level == 1 && dual(gpu->mmu);
    struct vidmm_pte pte, large = {0};

    assert(update->space->kind != VIDMM_SPACE_PAGING || update->mode == VIDMM_UPDATE_CPU ||
           gpu->mmu->options.mode == update->mode);
    for (uint32_t i = 0; i < update->count; i++) {
        uint32_t from = update->repeat ? 0 : i;
        uint64_t index = update->first + i;
        uint64_t words[2];
        vidmm_op_entries(op, from, 1, false, &pte);
        if (both) {
            vidmm_op_entries(op, from, 1, true, &large);
        }
        words[0] = encode(&pte);
        words[1] = encode(&large);
        memcpy(entry_at(gpu, op, both ? 2 * index : index), &words[0], 8);
        if (both) {
            memcpy(entry_at(gpu, op, 2 * index + 1), &words[1], 8);
        }
    }
    gpu->mmu->updates++;
    gpu->mmu->written += update->count;
}

/* By the addresses at which the paging space shows the tables. */
static void copy_entries(struct mock_gpu *gpu, const struct vidmm_op *op)
{
    assert(gpu->mmu->options.mode == VIDMM_UPDATE_GPU_VIRTUAL);
    for (unsigned i = 0; i < op->copy.range_count; i++) {
        const struct vidmm_copy_range *range = &op->copy.ranges[i];
        assert(range->source_address % 65536 == 0 && range->destination_address % 65536 == 0);
        for (uint32_t j = 0; j < range->count; j++) {
            uint64_t from = (range->source_first + j) * ENTRY_BYTES;
            uint64_t to = (range->destination_first + j) * ENTRY_BYTES;
            const uint8_t *source = paging_at(gpu, range->source_address + from, false);
            uint8_t *entry = paging_at(gpu, range->destination_address + to, true);
            assert(source == memory_at(gpu, range->source.segment, range->source.offset + from));
            assert(entry ==
                   memory_at(gpu, range->destination.segment, range->destination.offset + to));
            memcpy(entry, source, ENTRY_BYTES);
        }
        gpu->mmu->written += range->count;
    }
    gpu->mmu->copies++;
}

static void flush(struct mock_gpu *gpu, const struct vidmm_op *op)
{
    bool all = op->flush.start == 0 && op->flush.end == 0;

    assert(all || op->flush.start < op->flush.end);
    for (unsigned i = 0; i < MOCK_TLB_SIZE; i++) {
        struct mock_cached *cached = &gpu->mmu->tlb[i];
        uint64_t address = cached->page * VIDMM_PAGE_BYTES;
        if (cached->space == op->flush.space &&
            (all || (address >= op->flush.start && address < op->flush.end))) {
            cached->space = NULL;
        }
    }
    gpu->mmu->flushes++;
}

static void move(struct mock_gpu *gpu, const struct vidmm_op *op)
{
    uint8_t bytes[VIDMM_PAGE_BYTES];

    for (uint64_t at = 0; at < op->move.size_bytes; at += VIDMM_PAGE_BYTES) {
        memcpy(bytes, paging_at(gpu, op->move.source_address + at, false), sizeof bytes);
        memcpy(paging_at(gpu, op->move.destination_address + at, true), bytes, sizeof bytes);
    }
    gpu->mmu->moves++;
}

static void fill(struct mock_gpu *gpu, const struct vidmm_op *op)
{
    for (uint64_t at = 0; at < op->fill.size_bytes; at += 4) {
        memcpy(paging_at(gpu, op->fill.destination_address + at, true), &op->fill.pattern, 4);
    }
}

void mock_mmu_run(struct mock_gpu *gpu, struct vidmm_op *op)
{
    switch (op->kind) {
    case VIDMM_OP_UPDATE_TABLE:
        update(gpu, op);
        break;
    case VIDMM_OP_COPY_ENTRIES:
        copy_entries(gpu, op);
        break;
    case VIDMM_OP_FLUSH_TLB:
        flush(gpu, op);
        break;
    case VIDMM_OP_SET_ROOT:
        new_root_of(gpu->mmu, op->root.space)->root = op->root.root;
        gpu->mmu->roots_set++;
        break;
    case VIDMM_OP_VIRTUAL_TRANSFER:
        move(gpu, op);
        break;
    case VIDMM_OP_VIRTUAL_FILL:
        fill(gpu, op);
        break;
    default:
        break;
    }
}
