/* Page tables as UpdatePageTable described them: what each address shows, what it showed before,
 * and what a TLB may still know.
 *
 *     UpdatePageTable ─> entries are what it says; what was valid and is otherwise now is stale
 *     FlushTlb        ─> nothing in the range is stale
 *     a reset         ─> nothing is known
 *
 * A table is told from others by what it translates: the process, the level, the first page. Where
 * it lies is one of its properties, known where a place was named. */
#include "contract/tracker.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "contract/internal.h"
#include "contract/tables.h"
#include "machine/machine.h"

#define PAGES_64K_SHIFT 4
#define ENTRIES_MAX     (1u << 24) /* of a table: nobody's is longer */

/* ---- What translates what -------------------------------------------------------------------- */

unsigned contract_table_shift(const struct contract_tracker *tracker, UINT level, bool leaf_64k)
{
    unsigned shift = leaf_64k ? PAGES_64K_SHIFT : 0;

    for (UINT i = 0; i < level && i < CONTRACT_TABLE_LEVELS; i++) {
        shift += tracker->mmu.levels[i].PageTableIndexBitCount;
    }
    return shift < 63 ? shift : 63;
}

static bool is_dual(const struct contract_tracker *tracker)
{
    return tracker->mmu.caps.DualPteSupported;
}

bool contract_is_leaf_64k(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update)
{
    return update->PageTableLevel == 0 && update->Flags.Use64KBPages;
}

UINT contract_table_length(const struct contract_tracker *tracker, UINT level, bool leaf_64k)
{
    UINT bits =
        level < CONTRACT_TABLE_LEVELS ? tracker->mmu.levels[level].PageTableIndexBitCount : 0;

    if (level == 1 && tracker->mmu.caps.PageTableLevelCount == 2) {
        return tracker->mmu.root_entries;
    }
    return bits > 24 ? 0 : leaf_64k ? 1u << bits >> PAGES_64K_SHIFT : 1u << bits;
}

bool contract_table_key(const struct contract_tracker *tracker,
                        const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update,
                        struct contract_table_key *key)
{
    bool leaf_64k = contract_is_leaf_64k(update);
    unsigned shift = contract_table_shift(tracker, update->PageTableLevel, leaf_64k);
    uint64_t page = update->FirstPteVirtualAddress >> MACHINE_PAGE_SHIFT;
    uint64_t before = (uint64_t)update->StartIndex << shift;
    UINT length = contract_table_length(tracker, update->PageTableLevel, leaf_64k);
    bool is_root = update->PageTableLevel + 1 == tracker->mmu.caps.PageTableLevelCount;

    memset(key, 0, sizeof *key); /* it is compared whole */
    *key = (struct contract_table_key){.process = update->hProcess,
                                       .page = page - before,
                                       .level = update->PageTableLevel,
                                       .leaf_64k = leaf_64k};
    return update->FirstPteVirtualAddress % ((uint64_t)MACHINE_PAGE_SIZE << shift) == 0 &&
           before <= page && length > 0 &&
           (is_root ? key->page == 0 : key->page % ((uint64_t)length << shift) == 0);
}

struct contract_table *contract_table_find(const struct contract_tracker *tracker,
                                           const struct contract_table_key *key)
{
    struct contract_table *table = NULL;

    HASH_FIND(hh, tracker->tables, key, sizeof *key, table);
    return table;
}

static struct contract_table *find_at(const struct contract_tracker *tracker, HANDLE process,
                                      uint64_t page, UINT level, bool leaf_64k)
{
    uint64_t length = contract_table_length(tracker, level, leaf_64k);
    unsigned shift = contract_table_shift(tracker, level, leaf_64k);
    struct contract_table_key key;

    memset(&key, 0, sizeof key);
    key = (struct contract_table_key){.process = process, .level = level, .leaf_64k = leaf_64k};
    key.page = level + 1 == tracker->mmu.caps.PageTableLevelCount
                   ? 0
                   : page / (length << shift) * (length << shift);
    return length ? contract_table_find(tracker, &key) : NULL;
}

struct contract_table *contract_table_below(const struct contract_tracker *tracker,
                                            const struct contract_table_key *parent, UINT index,
                                            bool leaf_64k)
{
    uint64_t page =
        parent->page + ((uint64_t)index << contract_table_shift(tracker, parent->level, false));

    return find_at(tracker, parent->process, page, parent->level - 1, leaf_64k);
}

struct contract_entry *contract_entry_at(const struct contract_tracker *tracker, HANDLE process,
                                         uint64_t page, const struct contract_table_kind *level)
{
    struct contract_table *table = find_at(tracker, process, page, level->level, level->leaf_64k);

    if (!table) {
        return NULL;
    }
    unsigned shift = contract_table_shift(tracker, level->level, level->leaf_64k);
    uint64_t index = (page - table->key.page) >> shift;
    return index < table->count ? &table->entries[index] : NULL;
}

/* ---- Updates --------------------------------------------------------------------------------- */

static struct contract_table *make_table(struct contract_tracker *tracker,
                                         const struct contract_table_key *key, UINT count)
{
    struct contract_table *table = contract_table_find(tracker, key);

    if (!table) {
        table = calloc(1, sizeof *table);
        CHECK_THAT(table);
        table->key = *key;
        HASH_ADD(hh, tracker->tables, key, sizeof table->key, table);
    }
    if (table->count < count) {
        table->entries = realloc(table->entries, count * sizeof *table->entries);
        CHECK_THAT(table->entries);
        memset(table->entries + table->count, 0, (count - table->count) * sizeof *table->entries);
        table->count = count;
    }
    return table;
}

static bool same_entry(const DXGK_PTE *a, const DXGK_PTE *b)
{
    return a->Flags == b->Flags && a->PageAddress == b->PageAddress;
}

/* Flushes look at no other tables. */
static void count_stale(struct contract_tracker *tracker, struct contract_table *table, int step)
{
    if (table->stale_count == 0) {
        list_push_back(&tracker->stale_tables, &table->stale_link);
    }
    table->stale_count += (UINT)step;
    if (table->stale_count == 0) {
        list_remove(&table->stale_link);
    }
}

static bool loses(const DXGK_PTE *before, const DXGK_PTE *now)
{
    return before->Valid && !same_entry(before, now);
}

/* What an entry becomes. half: the other one of a pair. */
struct change {
    DXGK_PTE now, half;
    struct contract_writer by;
};

static void set_entry(struct contract_tracker *tracker, struct contract_table *table, UINT index,
                      const struct change *change)
{
    struct contract_entry *entry = &table->entries[index];
    const DXGK_PTE *now = &change->now, *half = &change->half;

    table->known_count += !entry->known;
    entry->known = true;
    if (loses(&entry->now, now) || loses(&entry->half, half)) {
        entry->before = entry->now;
        if (!entry->stale) {
            count_stale(tracker, table, 1);
        }
        entry->stale = true;
    }
    entry->now = *now;
    entry->half = *half;
    entry->by = change->by;
}

/* Its memory is another, or has lost what it held. */
static void begin_anew(struct contract_table *table)
{
    for (UINT i = 0; i < table->count; i++) {
        table->entries[i].known = false;
    }
    table->known_count = 0;
}

bool contract_table_lies_elsewhere(const struct contract_table *table,
                                   const D3DGPU_PHYSICAL_ADDRESS *place)
{
    /* Views of a segment that the CPU sees in parts come and go: another one says nothing. */
    bool by_view = place->SegmentId == CONTRACT_BY_CPU || table->place.SegmentId == CONTRACT_BY_CPU;

    return table->placed && !by_view && !contract_is_at(&table->place, place);
}

/* It is written first: where, and what it stands in for. */
static void note_begin(struct contract_tracker *tracker, struct contract_table *table,
                       const D3DGPU_PHYSICAL_ADDRESS *place, bool had_valid)
{
    if (contract_table_lies_elsewhere(table, place)) {
        table->replaced = true;
        table->unannounced = contract_table_is_used(tracker, table);
        table->replaced_place = table->place;
        table->left_valid |= had_valid;
    } else if (!table->placed) {
        table->replaced = table->unannounced = table->succeeds = false;
    }
    table->succeeds |= table->placed && !contract_is_at(&table->place, place);
}

/* A root of two levels is as long as its process needs: that it begins at the first is all that is
 * looked at. */
static bool writes_all_invalid(const struct contract_tracker *tracker,
                               const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update)
{
    UINT length =
        contract_table_length(tracker, update->PageTableLevel, contract_is_leaf_64k(update));
    bool grows = update->PageTableLevel == 1 && tracker->mmu.caps.PageTableLevelCount == 2;

    for (UINT i = 0; i < (update->Flags.Repeat ? 1 : update->NumPageTableEntries); i++) {
        if (update->pPageTableEntries[i].Valid) {
            return false;
        }
    }
    return update->StartIndex == 0 && (grows || update->NumPageTableEntries >= length);
}

/* False: it is about the one that this table stands in for. A new one may lie where that was. */
static bool note_place(struct contract_tracker *tracker, struct contract_table *table,
                       const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update, bool had_valid)
{
    D3DGPU_PHYSICAL_ADDRESS place;

    if (!contract_table_place(tracker, update, &place)) {
        return true;
    }
    if (update->Flags.NotifyEviction && table->succeeds && !contract_is_at(&table->place, &place)) {
        table->succeeds = table->replaced = table->unannounced = false;
        table->left_valid &= !writes_all_invalid(tracker, update);
        return false;
    }
    if (table->replaced && !update->Flags.InitialUpdate &&
        contract_is_at(&table->replaced_place, &place)) {
        table->left_valid &= !writes_all_invalid(tracker, update);
        return false;
    }
    if (update->Flags.InitialUpdate) {
        note_begin(tracker, table, &place, had_valid);
    }
    if (update->Flags.InitialUpdate || !table->placed) {
        table->placed_number = ++tracker->tables_placed;
    }
    table->placed = !update->Flags.NotifyEviction; /* its memory may be anybody's from now on */
    table->place = place;
    return true;
}

static void follow_update(struct contract_tracker *tracker,
                          const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update)
{
    UINT end = update->StartIndex + update->NumPageTableEntries;
    struct contract_table_key key;

    if (!contract_table_key(tracker, update, &key) || end < update->StartIndex ||
        end > ENTRIES_MAX || !update->pPageTableEntries) {
        return; /* that was said */
    }
    bool grows = key.level == 1 && tracker->mmu.caps.PageTableLevelCount == 2;
    UINT length = grows ? end : contract_table_length(tracker, key.level, key.leaf_64k);
    struct contract_table *table = contract_table_find(tracker, &key);
    bool had_valid = false;
    if (table && update->Flags.InitialUpdate) {
        had_valid = contract_table_has_valid(table);
        if (table->known_count == table->count) {
            begin_anew(table);
        }
    }
    table = make_table(tracker, &key, end > length ? end : length);
    if (!note_place(tracker, table, update, had_valid)) {
        return;
    }
    struct change change = {.by = {.first = update->StartIndex,
                                   .count = update->NumPageTableEntries,
                                   .mode = (uint8_t)update->UpdateMode,
                                   .repeat = update->Flags.Repeat}};
    for (UINT i = 0; i < update->NumPageTableEntries; i++) {
        UINT from = update->Flags.Repeat ? 0 : i;
        change.now = update->pPageTableEntries[from];
        if (key.level == 1 && is_dual(tracker) && update->pPageTableEntries64KB) {
            change.half = update->pPageTableEntries64KB[from];
        }
        /* Of a pair one half may be there: it is what makes the entry valid. */
        change.by.small = change.now.Valid;
        change.now = change.now.Valid ? change.now : change.half;
        set_entry(tracker, table, update->StartIndex + i, &change);
    }
}

/* What the CPU sees there: a page of the computer's memory, or of a segment that it sees all of. Of
 * one that it sees in parts, where they were mapped, the pointer is all that is known. */
static D3DGPU_PHYSICAL_ADDRESS place_behind(const struct contract_tracker *tracker,
                                            const void *pointer)
{
    uint64_t physical;

    if (ram_physical_of(pointer, &physical)) {
        for (UINT i = 1; i <= tracker->segment_count; i++) {
            const struct contract_segment *at = &tracker->segments[i];
            if (at->flags.CpuVisible && at->host_pages == 0 && !contract_is_aperture(at) &&
                physical >= at->cpu_base && physical - at->cpu_base < at->size) {
                return (D3DGPU_PHYSICAL_ADDRESS){.SegmentId = i,
                                                 .SegmentOffset = physical - at->cpu_base};
            }
        }
        if (ram_at(physical, 1)) {
            return (D3DGPU_PHYSICAL_ADDRESS){.SegmentOffset = physical};
        }
    }
    return (D3DGPU_PHYSICAL_ADDRESS){.SegmentId = CONTRACT_BY_CPU,
                                     .SegmentOffset = (UINT64)(uintptr_t)pointer};
}

bool contract_table_place(const struct contract_tracker *tracker,
                          const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update,
                          D3DGPU_PHYSICAL_ADDRESS *place)
{
    struct contract_translation at;

    switch (update->UpdateMode) {
    case DXGK_PAGETABLEUPDATE_GPU_PHYSICAL:
        *place = update->PageTableAddress.GpuPhysical;
        return true;
    case DXGK_PAGETABLEUPDATE_GPU_VIRTUAL:
        if (!contract_translate(tracker, tracker->system_process,
                                update->PageTableAddress.GpuVirtual >> MACHINE_PAGE_SHIFT, &at)) {
            return false;
        }
        *place =
            (D3DGPU_PHYSICAL_ADDRESS){.SegmentId = (UINT)at.now.Segment,
                                      .SegmentOffset = at.now.PageAddress << MACHINE_PAGE_SHIFT};
        return true;
    default:
        *place = place_behind(tracker, update->PageTableAddress.CpuVirtual);
        return true;
    }
}

/* ---- Copies ---------------------------------------------------------------------------------- */

struct contract_table *contract_table_shown_at(const struct contract_tracker *tracker,
                                               uint64_t address)
{
    const uint64_t page = address >> MACHINE_PAGE_SHIFT;
    struct contract_translation at;
    struct contract_table *table, *next, *newest = NULL;

    if (!contract_translate(tracker, tracker->system_process, page, &at)) {
        return NULL;
    }
    const D3DGPU_PHYSICAL_ADDRESS place = {.SegmentId = (UINT)at.now.Segment,
                                           .SegmentOffset = at.now.PageAddress
                                                            << MACHINE_PAGE_SHIFT};
    HASH_ITER(hh, tracker->tables, table, next)
    {
        if (table->placed && table->known_count > 0 && contract_is_at(&table->place, &place) &&
            (!newest || table->placed_number > newest->placed_number)) {
            newest = table; /* one that is gone may have been there before */
        }
    }
    return newest;
}

static void follow_copy(struct contract_tracker *tracker,
                        const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy)
{
    for (UINT i = 0; copy->pRanges && i < copy->NumRanges; i++) {
        const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range = &copy->pRanges[i];
        struct contract_table *to = contract_table_shown_at(tracker, range->DstPageTableAddress);
        const struct contract_table *from =
            contract_table_shown_at(tracker, range->SrcPageTableAddress);
        if (!from || !to ||
            !range_fits(range->SrcStartPteIndex, range->NumPageTableEntries, from->count) ||
            !range_fits(range->DstStartPteIndex, range->NumPageTableEntries, to->count)) {
            continue; /* that was said */
        }
        for (UINT j = 0; j < range->NumPageTableEntries; j++) {
            const struct contract_entry entry = from->entries[range->SrcStartPteIndex + j];
            const struct change change = {.now = entry.now,
                                          .half = entry.half,
                                          .by = {.first = range->DstStartPteIndex,
                                                 .count = range->NumPageTableEntries,
                                                 .small = entry.by.small,
                                                 .copied = true}};
            set_entry(tracker, to, range->DstStartPteIndex + j, &change);
        }
    }
}

/* ---- Flushes --------------------------------------------------------------------------------- */

static void freshen(struct contract_tracker *tracker, struct contract_table *table, UINT first,
                    UINT end)
{
    for (UINT i = first; i < end && i < table->count; i++) {
        if (table->entries[i].stale) {
            table->entries[i].stale = false;
            count_stale(tracker, table, -1);
        }
    }
}

/* The entries of the table that translate pages [first, end). */
static bool part_of(const struct contract_tracker *tracker, const struct contract_table *table,
                    const struct contract_pages *pages, UINT *first, UINT *end)
{
    unsigned shift = contract_table_shift(tracker, table->key.level, table->key.leaf_64k);
    uint64_t last = table->key.page + ((uint64_t)table->count << shift);

    if (pages->end <= table->key.page || pages->first >= last) {
        return false;
    }
    *first = pages->first > table->key.page ? (UINT)((pages->first - table->key.page) >> shift) : 0;
    *end = pages->end < last
               ? (UINT)((pages->end - table->key.page + (UINT64_C(1) << shift) - 1) >> shift)
               : table->count;
    return true;
}

static struct contract_pages pages_of(const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush)
{
    if (flush->StartVirtualAddress == 0 && flush->EndVirtualAddress == 0) {
        return (struct contract_pages){0, UINT64_MAX};
    }
    return (struct contract_pages){flush->StartVirtualAddress >> MACHINE_PAGE_SHIFT,
                                   (flush->EndVirtualAddress + MACHINE_PAGE_SIZE - 1) >>
                                       MACHINE_PAGE_SHIFT};
}

static void follow_flush(struct contract_tracker *tracker,
                         const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush)
{
    const struct contract_pages pages = pages_of(flush);
    UINT first, end;

    tracker->mmu.flushed = *flush;
    list_for_each_safe (link, &tracker->stale_tables) {
        struct contract_table *table = container_of(link, struct contract_table, stale_link);
        if (table->key.process == flush->hProcess &&
            part_of(tracker, table, &pages, &first, &end)) {
            freshen(tracker, table, first, end);
        }
    }
}

bool contract_flush_is_wanted(const struct contract_tracker *tracker,
                              const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush)
{
    const struct contract_pages pages = pages_of(flush);
    UINT first, end;

    list_for_each (link, &tracker->stale_tables) {
        struct contract_table *table = container_of(link, struct contract_table, stale_link);
        if (table->key.process != flush->hProcess ||
            !part_of(tracker, table, &pages, &first, &end)) {
            continue;
        }
        for (UINT i = first; i < end; i++) {
            if (table->entries[i].stale) {
                return true;
            }
        }
    }
    return false;
}

/* ---- Following ------------------------------------------------------------------------------- */

bool contract_flush_comes_again(const struct contract_tracker *tracker,
                                const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush)
{
    const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *last = &tracker->mmu.flushed;

    return last->hProcess == flush->hProcess &&
           last->StartVirtualAddress == flush->StartVirtualAddress &&
           last->EndVirtualAddress == flush->EndVirtualAddress;
}

void track_tables(struct contract_tracker *tracker, const DXGKARG_BUILDPAGINGBUFFER *operation)
{
    if (operation->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE ||
        operation->Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES) {
        tracker->mmu.flushed = (DXGK_BUILDPAGINGBUFFER_FLUSHTLB){0};
    }
    if (operation->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) {
        follow_update(tracker, &operation->UpdatePageTable);
    } else if (operation->Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES) {
        follow_copy(tracker, &operation->CopyPageTableEntries);
    } else if (operation->Operation == DXGK_OPERATION_FLUSH_TLB) {
        follow_flush(tracker, &operation->FlushTlb);
    }
}

void track_root_size(struct contract_call *call)
{
    const DXGKARG_GETROOTPAGETABLESIZE *answer = call->arguments;
    struct contract_mmu *mmu = &call->tracker->mmu;

    if (answer->NumberOfPte > mmu->root_entries) {
        mmu->root_entries = answer->NumberOfPte;
    }
}

static void drop_table(struct contract_tracker *tracker, struct contract_table *table)
{
    if (table->stale_count > 0) {
        list_remove(&table->stale_link);
    }
    HASH_DEL(tracker->tables, table);
    free(table->entries);
    free(table);
}

/* TLBs have forgotten everything, and memory may have. */
void track_reset_tables(struct contract_tracker *tracker)
{
    struct contract_table *table, *next;

    HASH_ITER(hh, tracker->tables, table, next)
    {
        freshen(tracker, table, 0, table->count);
        memset(table->entries, 0, table->count * sizeof *table->entries);
        table->known_count = 0;
        /* Where it will lie an InitialUpdate says: until then its memory may be anybody's. */
        table->placed = table->replaced = false;
        table->unannounced = table->succeeds = table->left_valid = false;
    }
}

void track_end_tables(struct contract_tracker *tracker, HANDLE process)
{
    struct contract_table *table, *next;

    HASH_ITER(hh, tracker->tables, table, next)
    {
        if (table->key.process == process) {
            drop_table(tracker, table);
        }
    }
}

void track_tables_fini(struct contract_tracker *tracker)
{
    struct contract_table *table, *next;

    HASH_ITER(hh, tracker->tables, table, next)
    {
        drop_table(tracker, table);
    }
}
