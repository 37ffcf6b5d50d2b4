/* mmu.c: from virtual addresses of a packet's address space to GPU addresses.
 *
 *   address space n    registers: root table, its entries, tag
 *   tables             in video or system memory, SOFTGPU_LEVEL_MIN ... _MAX levels
 *   engine             a TLB, and the leaf table that was used last
 *
 *   virtual address  | index of the root | ... | index of level 1 | index of level 0 | offset |
 *
 * A TLB knows single translations of 4 KiB, whatever size the page has, under the tag of the space.
 * Nobody tells it when a table changes: it serves what it knows until it is flushed, or until
 * another translation has taken the place. What is not valid is never remembered, so that an entry
 * that becomes valid is seen without a flush.
 *
 * Where the computer's IOMMU translates there are no tables: each access asks it, or, with
 * SOFTGPU_MMU_REMEMBERS, the first to a page that no TLB knows. */
#include "internal.h"

#include <stddef.h>
#include <string.h>

#define NO_TAG       0u
#define LEAF_SHIFT   SOFTGPU_PAGE_SHIFT
#define PAGE_OFFSET  ((uint64_t)SOFTGPU_PAGE_SIZE - 1)
#define PAIR_BYTES   16u
#define SHARED_BITS  48u /* of addresses that the IOMMU translates */
#define SMALL_LEVEL0 4u  /* index bits of 64 KiB pages that level 0 leaves to the offset */

/* ---- Geometry -------------------------------------------------------------------------------- */

/* Reads the registers; an arrangement that is not allowed leaves the MMU off. */
static void arrange(struct mmu *mmu)
{
    unsigned levels = (mmu->control & SOFTGPU_MMU_LEVELS_MASK) >> SOFTGPU_MMU_LEVELS_SHIFT;
    unsigned shift = LEAF_SHIFT;
    mmu->enabled = mmu->shared = mmu->remembers = false;
    if ((mmu->control & SOFTGPU_MMU_ENABLE) && (mmu->control & SOFTGPU_MMU_PASID)) {
        mmu->enabled = mmu->shared = true;
        mmu->remembers = (mmu->control & SOFTGPU_MMU_REMEMBERS) != 0;
        mmu->address_bits = SHARED_BITS;
        return;
    }
    if (!(mmu->control & SOFTGPU_MMU_ENABLE) || levels < SOFTGPU_LEVEL_MIN ||
        levels > SOFTGPU_LEVEL_MAX)
        return;
    for (unsigned i = 0; i < levels; i++) {
        unsigned bits = (unsigned)(mmu->index_bits >> (i * 8)) & 0xFF;
        if (bits == 0 || bits > SOFTGPU_INDEX_BITS_MAX || (i == 0 && bits < SMALL_LEVEL0))
            return;
        mmu->shift[i] = shift;
        shift += bits;
    }
    if (shift > SOFTGPU_ADDRESS_BITS_MAX)
        return;
    mmu->levels = levels;
    mmu->address_bits = shift;
    mmu->enabled = true;
}

bool mmu_has_pasids(const struct softgpu *gpu)
{
    const struct device_bus_operations *bus = gpu->bus->operations;
    return bus->size_bytes >=
               offsetof(struct device_bus_operations, pasid_map) + sizeof(bus->pasid_map) &&
           bus->pasid_map;
}

bool mmu_may_remember(const struct softgpu *gpu)
{
    const struct device_bus_operations *bus = gpu->bus->operations;
    return bus->size_bytes >= offsetof(struct device_bus_operations, pasid_translate) +
                                  sizeof(bus->pasid_translate) &&
           bus->pasid_translate;
}

bool mmu_has_space(const struct softgpu *gpu, uint32_t space)
{
    return space == 0 || (gpu->mmu.enabled && space < SOFTGPU_SPACE_COUNT);
}

/* ---- TLB ------------------------------------------------------------------------------------- */

/* Neighbours have different places, and so have most addresses that are round numbers. */
static struct tlb_entry *tlb_slot(struct tlb *tlb, uint32_t tag, uint64_t page)
{
    uint64_t folded = page ^ page >> 10 ^ page >> 20 ^ page >> 30;
    return &tlb->entries[(folded + tag * 97u) % TLB_ENTRIES];
}

void mmu_forget_all(struct tlb *tlb)
{
    if (tlb->used)
        memset(tlb, 0, sizeof(*tlb));
}

/* Pages [first, first + count). The leaf table that was used last may not be the right one any more
 * either: which addresses it serves is not looked at. */
static void forget_range(struct tlb *tlb, uint32_t tag, uint64_t first, uint64_t count)
{
    if (tlb->leaf.tag == tag)
        tlb->leaf.tag = NO_TAG;
    if (count < TLB_ENTRIES) {
        for (uint64_t page = first; page < first + count; page++) {
            struct tlb_entry *entry = tlb_slot(tlb, tag, page);
            if (entry->tag == tag && entry->page == page)
                entry->tag = NO_TAG;
        }
        return;
    }
    for (unsigned i = 0; i < TLB_ENTRIES; i++) {
        struct tlb_entry *entry = &tlb->entries[i];
        if (entry->tag == tag && entry->page >= first && entry->page - first < count)
            entry->tag = NO_TAG;
    }
}

void mmu_flush(struct softgpu *gpu, uint32_t tag, uint64_t start, uint64_t end)
{
    uint64_t first = start >> LEAF_SHIFT, after = (end >> LEAF_SHIFT) + (end & PAGE_OFFSET ? 1 : 0);
    bool all = start == 0 && end == 0;
    for (unsigned i = 0; i < SOFTGPU_ENGINE_COUNT; i++) {
        struct tlb *tlb = &gpu->engines[i].tlb;
        if (!tlb->used)
            continue;
        if (all)
            forget_range(tlb, tag, 0, UINT64_MAX);
        else if (after > first)
            forget_range(tlb, tag, first, after - first);
    }
}

void mmu_flush_everything(struct softgpu *gpu)
{
    for (unsigned i = 0; i < SOFTGPU_ENGINE_COUNT; i++)
        mmu_forget_all(&gpu->engines[i].tlb);
}

/* ---- Walking the tables ---------------------------------------------------------------------- */

/* One walk: where it is, and what it found. */
struct walk {
    struct access *access;
    const struct mmu_space *space;
    uint64_t address;
    unsigned level;
    bool leaf_64k;  /* the table at hand, of level 0, has 64 KiB pages */
    uint64_t table; /* GPU address */
    uint64_t entry;
};

static bool refuse(struct access *access, uint32_t reason, uint64_t address, unsigned level)
{
    access->fault.reason = reason;
    access->fault.address = address;
    access->fault.level = level;
    return false;
}

static bool fail(const struct walk *walk, uint32_t reason)
{
    return refuse(walk->access, reason, walk->address, walk->level);
}

static uint64_t index_at(const struct mmu *mmu, uint64_t address, unsigned level)
{
    unsigned bits = (unsigned)(mmu->index_bits >> (level * 8)) & 0xFF;
    return address >> mmu->shift[level] & ((1ull << bits) - 1);
}

static bool read_entries(const struct walk *walk, uint64_t offset, uint64_t *entries,
                         unsigned count)
{
    const struct softgpu *gpu = walk->access->gpu;
    uint64_t place = walk->table + offset;
    if (place < gpu->vram_size && count * sizeof(*entries) <= gpu->vram_size - place) {
        memcpy(entries, gpu->vram + place, count * sizeof(*entries));
        return true;
    }
    struct access tables = {
        .gpu = walk->access->gpu, .privileged = true, .only_asks = walk->access->only_asks};
    return address_read(&tables, place, entries, count * sizeof(*entries)) ||
           fail(walk, SOFTGPU_FAULT_TABLE);
}

static bool answers(uint64_t entry)
{
    return entry & (SOFTGPU_PTE_VALID | SOFTGPU_PTE_ZERO);
}

/* An entry of the leaf table at hand. */
static bool read_leaf(struct walk *walk)
{
    const struct mmu *mmu = &walk->access->gpu->mmu;
    uint64_t index = index_at(mmu, walk->address, 0);
    if (walk->leaf_64k)
        index >>= SMALL_LEVEL0;
    return read_entries(walk, index * sizeof(walk->entry), &walk->entry, 1);
}

/* A walk of no engine's leaves nothing behind, and goes by nothing but the tables. */
static void remember_leaf(const struct walk *walk)
{
    const struct mmu *mmu = &walk->access->gpu->mmu;
    if (!walk->access->engine)
        return;
    struct tlb *tlb = &walk->access->engine->tlb;
    tlb->used = true;
    tlb->leaf = (struct tlb_leaf){.tag = walk->space->tag,
                                  .first = walk->address >> mmu->shift[1],
                                  .table = walk->table,
                                  .is_64k = walk->leaf_64k};
}

static void enter_leaf(struct walk *walk, uint64_t pointer, bool is_64k)
{
    walk->level = 0;
    walk->table = pointer & SOFTGPU_PTE_GPU_MASK;
    walk->leaf_64k = is_64k;
}

/* A pair of level 1: what the table of 64 KiB pages does not answer, that of 4 KiB pages does. */
static bool walk_pair(struct walk *walk, const uint64_t pair[2])
{
    if (pair[1] & SOFTGPU_PTE_VALID) {
        enter_leaf(walk, pair[1], true);
        if (!read_leaf(walk))
            return false;
        if (answers(walk->entry))
            return true;
        walk->level = 1;
    }
    walk->entry = pair[0];
    if (!(pair[0] & SOFTGPU_PTE_VALID) || (pair[0] & (SOFTGPU_PTE_LARGE | SOFTGPU_PTE_ZERO)))
        return true;
    enter_leaf(walk, pair[0], false);
    return read_leaf(walk);
}

static bool walk_levels(struct walk *walk)
{
    const struct mmu *mmu = &walk->access->gpu->mmu;
    uint64_t pair[2];
    for (;; walk->level--) {
        uint64_t index = index_at(mmu, walk->address, walk->level);
        if (walk->level == mmu->levels - 1 && index >= walk->space->entry_count)
            return fail(walk, SOFTGPU_FAULT_RANGE);
        if (walk->level == 1 && (mmu->control & SOFTGPU_MMU_DUAL))
            return read_entries(walk, index * PAIR_BYTES, pair, 2) && walk_pair(walk, pair);
        if (!read_entries(walk, index * sizeof(walk->entry), &walk->entry, 1))
            return false;
        uint64_t entry = walk->entry;
        if (!(entry & SOFTGPU_PTE_VALID) || (entry & (SOFTGPU_PTE_LARGE | SOFTGPU_PTE_ZERO)))
            return true;
        if (walk->level == 1) {
            enter_leaf(walk, entry, entry & SOFTGPU_PTE_LEAF_64K);
            remember_leaf(walk);
            return read_leaf(walk);
        }
        walk->table = entry & SOFTGPU_PTE_GPU_MASK;
    }
}

/* By the leaf table that was used last, if the address is in it. */
static bool walk_remembered(struct walk *walk)
{
    const struct mmu *mmu = &walk->access->gpu->mmu;
    if (!walk->access->engine)
        return false;
    const struct tlb_leaf *leaf = &walk->access->engine->tlb.leaf;
    if (leaf->tag == NO_TAG || leaf->tag != walk->space->tag ||
        leaf->first != walk->address >> mmu->shift[1])
        return false;
    walk->level = 0;
    walk->table = leaf->table;
    walk->leaf_64k = leaf->is_64k;
    return true;
}

/* What the IOMMU says, as an entry. */
static bool ask_iommu(struct walk *walk)
{
    struct device_bus *bus = walk->access->gpu->bus;
    struct device_pasid_page page;
    if (walk->space->entry_count == 0 ||
        !bus->operations->pasid_translate(bus, walk->space->tag, walk->address, &page))
        return fail(walk, SOFTGPU_FAULT_PAGE);
    walk->entry = ((SOFTGPU_SYSTEM_BASE + page.physical) & SOFTGPU_PTE_GPU_MASK) |
                  SOFTGPU_PTE_VALID | (page.read_only ? SOFTGPU_PTE_READ_ONLY : 0) |
                  (page.no_execute ? SOFTGPU_PTE_NO_EXECUTE : 0);
    return true;
}

/* Leaves the answering entry in walk->entry, with the GPU address of the 4 KiB page itself. */
static bool find(struct walk *walk)
{
    const struct mmu *mmu = &walk->access->gpu->mmu;
    walk->level = 0;
    if (mmu->shared)
        return ask_iommu(walk);
    walk->level = mmu->levels - 1;
    walk->table = walk->space->root;
    walk->leaf_64k = false;
    if (!(walk_remembered(walk) ? read_leaf(walk) : walk_levels(walk)))
        return false;
    if (!answers(walk->entry))
        return fail(walk, SOFTGPU_FAULT_PAGE);
    unsigned shift = walk->leaf_64k ? SOFTGPU_LARGE_PAGE_SHIFT : mmu->shift[walk->level];
    uint64_t in_page = walk->address & ((1ull << shift) - 1) & ~PAGE_OFFSET;
    uint64_t page = walk->entry & SOFTGPU_PTE_GPU_MASK;
    if (walk->leaf_64k)
        page &= ~((1ull << SOFTGPU_LARGE_PAGE_SHIFT) - 1);
    walk->entry = (walk->entry & ~SOFTGPU_PTE_GPU_MASK) | ((page + in_page) & SOFTGPU_PTE_GPU_MASK);
    return true;
}

/* The entry for the page of `address`; false: a fault. */
static bool translate(struct access *access, uint64_t address, uint64_t *entry)
{
    const struct mmu_space *space = &access->gpu->mmu.spaces[access->space];
    uint64_t page = address >> LEAF_SHIFT;
    struct tlb_entry *slot = tlb_slot(&access->engine->tlb, space->tag, page);
    if (slot->tag != NO_TAG && slot->tag == space->tag && slot->page == page) {
        *entry = slot->entry;
        return true;
    }
    if (!access->gpu->mmu.enabled) /* switched off under a packet */
        return refuse(access, SOFTGPU_FAULT_RANGE, address, 0);
    struct walk walk = {.access = access, .space = space, .address = address};
    if (!find(&walk))
        return false;
    *entry = walk.entry;
    if (space->tag != NO_TAG) {
        access->engine->tlb.used = true;
        *slot = (struct tlb_entry){.page = page, .entry = walk.entry, .tag = space->tag};
    }
    return true;
}

static bool permits(struct access *access, uint64_t address, uint64_t entry, enum access_kind kind)
{
    if (access->executes && (entry & SOFTGPU_PTE_NO_EXECUTE))
        return refuse(access, SOFTGPU_FAULT_NO_EXECUTE, address, 0);
    if (kind == ACCESS_WRITE && (entry & SOFTGPU_PTE_READ_ONLY))
        return refuse(access, SOFTGPU_FAULT_READ_ONLY, address, 0);
    return true;
}

/* ---- For address.c --------------------------------------------------------------------------- */

bool mmu_check(struct access *access, uint64_t address, uint64_t size)
{
    const struct mmu *mmu = &access->gpu->mmu;
    uint64_t limit = 1ull << mmu->address_bits;
    return (mmu->enabled && address <= limit && size <= limit - address) ||
           refuse(access, SOFTGPU_FAULT_RANGE, address, 0);
}

/* By the IOMMU, at the process's own address. */
static uint8_t *map_shared(struct access *access, uint64_t address, uint64_t size,
                           enum access_kind kind, uint64_t *mapped_size)
{
    struct softgpu *gpu = access->gpu;
    enum device_pasid_access wanted = kind == ACCESS_WRITE ? DEVICE_PASID_WRITE
                                      : access->executes   ? DEVICE_PASID_EXECUTE
                                                           : DEVICE_PASID_READ;
    const struct mmu_space *space = &gpu->mmu.spaces[access->space];
    size_t mapped = 0;
    uint8_t *bytes =
        space->entry_count == 0
            ? NULL
            : gpu->bus->operations->pasid_map(gpu->bus, space->tag, address, size, wanted, &mapped);
    if (!bytes)
        refuse(access, SOFTGPU_FAULT_PAGE, address, 0);
    *mapped_size = mapped;
    return bytes;
}

bool mmu_locate(struct access *access, uint64_t address, uint64_t *gpu_address)
{
    uint64_t entry;
    if (access->gpu->mmu.shared && !access->gpu->mmu.remembers) {
        *gpu_address = SOFTGPU_SYSTEM_BASE; /* somewhere there */
        return true;
    }
    if (!translate(access, address, &entry) || (entry & SOFTGPU_PTE_ZERO))
        return false;
    *gpu_address = (entry & SOFTGPU_PTE_GPU_MASK) | (address & PAGE_OFFSET);
    return true;
}

static bool lies_in(const uint8_t *page, const uint8_t *bytes)
{
    return (uintptr_t)bytes >= (uintptr_t)page &&
           (uintptr_t)bytes < (uintptr_t)page + SOFTGPU_PAGE_SIZE;
}

bool mmu_is_nothing(const struct softgpu *gpu, const uint8_t *bytes)
{
    return lies_in(gpu->mmu.zeros, bytes) || lies_in(gpu->mmu.dropped, bytes);
}

uint8_t *mmu_map(struct access *access, uint64_t address, uint64_t size, enum access_kind kind,
                 uint64_t *mapped_size)
{
    struct mmu *mmu = &access->gpu->mmu;
    uint64_t in_page = address & PAGE_OFFSET, run = SOFTGPU_PAGE_SIZE - in_page;
    uint64_t entry, next;
    access->fault.access = kind == ACCESS_WRITE ? SOFTGPU_ACCESS_WRITE
                           : access->executes   ? SOFTGPU_ACCESS_EXECUTE
                                                : SOFTGPU_ACCESS_READ;
    if (mmu->shared && !mmu->remembers)
        return map_shared(access, address, size, kind, mapped_size);
    if (!translate(access, address, &entry) || !permits(access, address, entry, kind))
        return NULL;
    if (entry & SOFTGPU_PTE_ZERO) {
        *mapped_size = run < size ? run : size;
        return (kind == ACCESS_WRITE ? mmu->dropped : mmu->zeros) + in_page;
    }
    uint64_t start = (entry & SOFTGPU_PTE_GPU_MASK) | in_page;
    struct access probe = *access; /* a fault further on belongs to whoever gets there */
    probe.only_asks = true;
    while (run < size && translate(&probe, address + run, &next) && !(next & SOFTGPU_PTE_ZERO) &&
           permits(&probe, address + run, next, kind) &&
           (next & SOFTGPU_PTE_GPU_MASK) == start + run)
        run += SOFTGPU_PAGE_SIZE;
    struct access memory = {.gpu = access->gpu, .privileged = true, .only_asks = access->only_asks};
    uint8_t *bytes = address_map(&memory, start, run < size ? run : size, kind, mapped_size);
    if (!bytes)
        refuse(access, memory.fault.reason, address, 0);
    return bytes;
}

/* ---- For the judge of the driver's tables ---------------------------------------------------- */

static struct device_place place_of(uint64_t gpu_address)
{
    bool system = gpu_address >= SOFTGPU_SYSTEM_BASE;
    return (struct device_place){system, system ? gpu_address - SOFTGPU_SYSTEM_BASE : gpu_address};
}

static void describe(uint64_t entry, uint64_t address, struct device_translation *translation)
{
    translation->leads = entry & SOFTGPU_PTE_ZERO ? DEVICE_LEADS_TO_ZEROS : DEVICE_LEADS_TO_MEMORY;
    translation->place = place_of((entry & SOFTGPU_PTE_GPU_MASK) | (address & PAGE_OFFSET));
    translation->read_only = entry & SOFTGPU_PTE_READ_ONLY;
    translation->no_execute = entry & SOFTGPU_PTE_NO_EXECUTE;
    translation->stale = translation->place.in_system_memory && !(entry & SOFTGPU_PTE_COHERENT);
}

/* Those of an IOMMU have the numbers of their PASIDs. What a TLB knows it knows longer than there
 * is a space for it. */
static bool next_pasid(const struct softgpu *gpu, unsigned *space,
                       struct device_address_space *found)
{
    uint32_t least = UINT32_MAX;
    for (unsigned i = 0; i < SOFTGPU_ENGINE_COUNT; i++) {
        const struct tlb *tlb = &gpu->engines[i].tlb;
        for (unsigned k = 0; tlb->used && k < TLB_ENTRIES; k++) {
            uint32_t tag = tlb->entries[k].tag;
            least = tag != NO_TAG && tag >= *space && tag < least ? tag : least;
        }
    }
    *space = found->pasid = least;
    return least != UINT32_MAX;
}

bool mmu_next_space(const struct softgpu *gpu, unsigned *space, struct device_address_space *found)
{
    const struct mmu *mmu = &gpu->mmu;
    if (!mmu->enabled || mmu->shared)
        return mmu->remembers && next_pasid(gpu, space, found);
    for (unsigned i = *space > 0 ? *space : 1; i < SOFTGPU_SPACE_COUNT; i++) {
        if (mmu->spaces[i].entry_count > 0) {
            *space = i;
            found->root = place_of(mmu->spaces[i].root);
            found->entry_count = mmu->spaces[i].entry_count;
            return true;
        }
    }
    return false;
}

void mmu_look_up(struct softgpu *gpu, unsigned space, uint64_t address,
                 struct device_translation *translation)
{
    struct access access = {.gpu = gpu, .only_asks = true, .space = space};
    struct walk walk = {.access = &access, .space = &gpu->mmu.spaces[space], .address = address};
    if (mmu_check(&access, address, 1) && find(&walk))
        describe(walk.entry, address, translation);
}

bool mmu_next_remembered(const struct softgpu *gpu, unsigned space, uint64_t *cursor,
                         struct device_remembered *found)
{
    uint32_t tag = gpu->mmu.shared               ? space
                   : space < SOFTGPU_SPACE_COUNT ? gpu->mmu.spaces[space].tag
                                                 : NO_TAG;
    for (; tag != NO_TAG && *cursor < (uint64_t)SOFTGPU_ENGINE_COUNT * TLB_ENTRIES; ++*cursor) {
        const struct tlb *tlb = &gpu->engines[*cursor / TLB_ENTRIES].tlb;
        const struct tlb_entry *entry = &tlb->entries[*cursor % TLB_ENTRIES];
        if (!tlb->used) {
            *cursor |= TLB_ENTRIES - 1;
        } else if (entry->tag == tag) {
            found->engine = (unsigned)(*cursor / TLB_ENTRIES);
            found->address = entry->page << LEAF_SHIFT;
            describe(entry->entry, found->address, &found->translation);
            ++*cursor;
            return true;
        }
    }
    return false;
}

/* A write that has them forget comes from outside of what they run: engines that fetch ahead know
 * at once again what the IOMMU still shows. False: there is no such page any more. */
static bool fetch_again(struct softgpu *gpu, struct tlb_entry *entry)
{
    struct mmu_space space = {.tag = entry->tag, .entry_count = 1};
    struct access access = {.gpu = gpu, .only_asks = true};
    struct walk walk = {.access = &access, .space = &space, .address = entry->page << LEAF_SHIFT};
    if (!ask_iommu(&walk))
        return false;
    entry->entry = walk.entry;
    return true;
}

static void fetch_all_again(struct softgpu *gpu, uint32_t tag)
{
    for (unsigned i = 0; i < SOFTGPU_ENGINE_COUNT; i++) {
        struct tlb *tlb = &gpu->engines[i].tlb;
        for (unsigned k = 0; tlb->used && k < TLB_ENTRIES; k++) {
            struct tlb_entry *entry = &tlb->entries[k];
            if (entry->tag != NO_TAG && (tag == ~0u || entry->tag == tag) &&
                !fetch_again(gpu, entry))
                entry->tag = NO_TAG;
        }
    }
}

/* ---- Registers ------------------------------------------------------------------------------- */

void mmu_reset(struct softgpu *gpu)
{
    struct mmu *mmu = &gpu->mmu;
    mmu->control = 0;
    mmu->index_bits = 0;
    mmu->enabled = mmu->shared = mmu->remembers = false;
    if (mmu->spaces_used)
        memset(mmu->spaces, 0, sizeof(mmu->spaces));
    mmu->spaces_used = false;
}

uint32_t mmu_read(const struct softgpu *gpu, uint32_t reg)
{
    switch (reg) {
    case SOFTGPU_REG_MMU_CONTROL:
        return gpu->mmu.control;
    case SOFTGPU_REG_MMU_INDEX_BITS:
        return (uint32_t)gpu->mmu.index_bits;
    case SOFTGPU_REG_MMU_INDEX_BITS + 4:
        return (uint32_t)(gpu->mmu.index_bits >> 32);
    default:
        return 0;
    }
}

static void write_half(uint64_t *value, bool high, uint32_t bits)
{
    *value = high ? (uint32_t)*value | (uint64_t)bits << 32 : (*value & ~0xFFFFFFFFull) | bits;
}

void mmu_write(struct softgpu *gpu, uint32_t reg, uint32_t value)
{
    struct mmu *mmu = &gpu->mmu;
    switch (reg) {
    case SOFTGPU_REG_MMU_CONTROL:
        mmu->control = value & (SOFTGPU_MMU_ENABLE | SOFTGPU_MMU_DUAL | SOFTGPU_MMU_LEVELS_MASK |
                                (mmu_has_pasids(gpu) ? SOFTGPU_MMU_PASID : 0) |
                                (mmu_may_remember(gpu) ? SOFTGPU_MMU_REMEMBERS : 0));
        break;
    case SOFTGPU_REG_MMU_INDEX_BITS:
    case SOFTGPU_REG_MMU_INDEX_BITS + 4:
        write_half(&mmu->index_bits, reg & 4, value);
        break;
    case SOFTGPU_REG_MMU_FLUSH:
        if (mmu->remembers)
            fetch_all_again(gpu, value);
        else if (value == ~0u)
            mmu_flush_everything(gpu);
        else
            mmu_flush(gpu, value, 0, 0);
        return;
    default:
        return;
    }
    arrange(mmu);
}

uint32_t mmu_space_read(const struct softgpu *gpu, uint32_t space, uint32_t reg)
{
    const struct mmu_space *place = &gpu->mmu.spaces[space];
    switch (reg) {
    case SOFTGPU_SPACE_ROOT:
        return (uint32_t)place->root;
    case SOFTGPU_SPACE_ROOT + 4:
        return (uint32_t)(place->root >> 32);
    case SOFTGPU_SPACE_ENTRIES:
        return place->entry_count;
    default:
        return place->tag;
    }
}

void mmu_space_write(struct softgpu *gpu, uint32_t space, uint32_t reg, uint32_t value)
{
    struct mmu_space *place = &gpu->mmu.spaces[space];
    gpu->mmu.spaces_used = true;
    switch (reg) {
    case SOFTGPU_SPACE_ROOT:
    case SOFTGPU_SPACE_ROOT + 4:
        write_half(&place->root, reg & 4, value);
        place->root &= SOFTGPU_PTE_GPU_MASK;
        break;
    case SOFTGPU_SPACE_ENTRIES:
        place->entry_count = value;
        break;
    default:
        place->tag = value;
        break;
    }
}
