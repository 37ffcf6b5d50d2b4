/* The kernel's own duties: updates of page tables, flushes, moves and fills by virtual address. */
#include "contract/paging_call.h"
#include "contract/tables.h"

#include <string.h>

#include "machine/machine.h"

typedef DXGKARG_BUILDPAGINGBUFFER arguments_type;
typedef DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE update_type;

#define PAGES_PER_64K 16

static const update_type *update_of(const struct contract_call *call)
{
    return &paging_of(call)->UpdatePageTable;
}

static bool is_leaf_update(const struct contract_call *call)
{
    return update_of(call)->PageTableLevel == 0;
}

static bool has_processes(const struct contract_call *call)
{
    return call->tracker->has[POINT_CreateProcess];
}

/* ---- UpdatePageTable ------------------------------------------------------------------------- */

static bool level_exists(struct contract_call *call)
{
    UINT count = call->tracker->mmu.caps.PageTableLevelCount;

    return KERNEL_KEEPS(call, update_of(call)->PageTableLevel < count, "a level that there is",
                        "level %u of %u", update_of(call)->PageTableLevel, count);
}

static bool allocation_of_leaves(struct contract_call *call)
{
    return KERNEL_KEEPS(call, update_of(call)->PageTableLevel == 0 || !update_of(call)->hAllocation,
                        "an allocation for leaves only", "level %u",
                        update_of(call)->PageTableLevel);
}

/* The member that the mode names is an address of the table. */
static bool table_is_somewhere(struct contract_call *call)
{
    const struct contract_tracker *tracker = call->tracker;
    const update_type *update = update_of(call);
    D3DGPU_PHYSICAL_ADDRESS place;

    if (update->UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) {
        return KERNEL_KEEPS(call, update->PageTableAddress.CpuVirtual != NULL,
                            "the CPU's address of the table", "NULL");
    }
    if (!contract_table_place(tracker, update, &place)) {
        return contract_say(call, "an address of the table in the paging process",
                            "0x%llX shows nothing there",
                            (unsigned long long)update->PageTableAddress.GpuVirtual);
    }
    uint64_t base = place.SegmentId > 0 && place.SegmentId <= tracker->segment_count
                        ? tracker->segments[place.SegmentId].base
                        : 0;
    return KERNEL_KEEPS(call,
                        place.SegmentOffset % MACHINE_PAGE_SIZE == 0 &&
                            contract_in_segment(tracker, place.SegmentId,
                                                base + place.SegmentOffset, MACHINE_PAGE_SIZE),
                        "a page in a segment, or of system memory", "segment %u, offset 0x%llX",
                        place.SegmentId, (unsigned long long)place.SegmentOffset);
}

static bool mode_of_driver(struct contract_call *call)
{
    const update_type *update = update_of(call);
    bool at_once = update->UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL &&
                   update->hProcess == call->tracker->system_process;

    return KERNEL_KEEPS(
        call, at_once || update->UpdateMode == call->tracker->mmu.caps.PageTableUpdateMode,
        "the driver's PageTableUpdateMode, or the CPU for the paging process", "mode %d",
        (int)update->UpdateMode);
}

static bool entries_exist(struct contract_call *call)
{
    const update_type *update = update_of(call);
    UINT length =
        contract_table_length(call->tracker, update->PageTableLevel, contract_is_leaf_64k(update));

    return KERNEL_KEEPS(call,
                        update->NumPageTableEntries > 0 && update->StartIndex < length &&
                            update->NumPageTableEntries <= length - update->StartIndex,
                        "entries that the table has", "%u from %u on, of %u",
                        update->NumPageTableEntries, update->StartIndex, length);
}

/* Nothing is read of a table before it was written: neither an entry that is changed alone, nor
 * what an entry above leads to. */
static bool tables_are_initialised(struct contract_call *call)
{
    const struct contract_tracker *tracker = call->tracker;
    const update_type *update = update_of(call);
    struct contract_table_key key;

    if (paging_comes_again(call) || !contract_table_key(tracker, update, &key)) {
        return contract_no_case(call);
    }
    const struct contract_table *table = contract_table_find(tracker, &key);
    for (UINT i = 0; i < update->NumPageTableEntries && !update->Flags.InitialUpdate; i++) {
        UINT index = update->StartIndex + i;
        if (!table || index >= table->count || !table->entries[index].known) {
            return contract_say(call, "InitialUpdate for what is written first",
                                "entry %u of a table of level %u", index, key.level);
        }
    }
    for (UINT i = 0; key.level > 0 && i < update->NumPageTableEntries; i++) {
        UINT from = update->Flags.Repeat ? 0 : i, index = update->StartIndex + i;
        bool single_64k =
            update->pPageTableEntries[from].PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB &&
            key.level == 1;
        if (!update->pPageTableEntries[from].Valid || update->pPageTableEntries[from].LargePage) {
            continue;
        }
        table = contract_table_below(tracker, &key, index, single_64k);
        if (!table || table->known_count < table->count) {
            return contract_say(call, "every entry of a table written before another leads to it",
                                "entry %u of level %u leads to one with %u of %u", index, key.level,
                                table ? table->known_count : 0, table ? table->count : 0);
        }
    }
    return true;
}

static bool pairs_where_there_are(struct contract_call *call)
{
    const update_type *update = update_of(call);
    bool dual = call->tracker->mmu.caps.DualPteSupported;

    return KERNEL_KEEPS(call,
                        (!update->pPageTableEntries64KB || (dual && update->PageTableLevel == 1)) &&
                            (!update->Flags.Use64KBPages || update->PageTableLevel == 0) &&
                            update->pPageTableEntries,
                        "a second array with DualPteSupported, above the leaves",
                        "level %u, %p, Use64KBPages %d", update->PageTableLevel,
                        (void *)update->pPageTableEntries64KB, update->Flags.Use64KBPages);
}

static bool protection_of_leaves(struct contract_call *call)
{
    const update_type *update = update_of(call);
    bool plain = update->PageTableLevel > 0 || update->hProcess == call->tracker->system_process;

    return KERNEL_KEEPS(call, !plain || update->DriverProtection == 0,
                        "no protection above the leaves, nor in the paging process", "0x%llX",
                        (unsigned long long)update->DriverProtection);
}

static UINT pages_of_entry(const update_type *update)
{
    return contract_is_leaf_64k(update) ? PAGES_PER_64K : 1;
}

static bool shows_allocation(const struct contract_call *call)
{
    return is_leaf_update(call) && update_of(call)->hAllocation;
}

/* Pages of the allocation, one after the other; in a segment they lie so. */
static bool pages_of_allocation(struct contract_call *call)
{
    const update_type *update = update_of(call);
    const struct contract_object *allocation =
        contract_object_find(call->tracker, TRACKED_ALLOCATION, update->hAllocation);
    UINT step = pages_of_entry(update);
    uint64_t bytes = (uint64_t)update->NumPageTableEntries * step * MACHINE_PAGE_SIZE;
    const DXGK_PTE *entries = update->pPageTableEntries;

    if (!allocation) {
        return contract_no_case(call); /* another rule looks */
    }
    uint64_t size = align_up(allocation->size, MACHINE_PAGE_SIZE);
    if (update->AllocationOffsetInBytes % MACHINE_PAGE_SIZE != 0 ||
        !range_fits(update->AllocationOffsetInBytes, bytes, align_up(size, 65536))) {
        return contract_say(call, "pages of the allocation", "%llu bytes at 0x%llX of 0x%llX",
                            (unsigned long long)bytes,
                            (unsigned long long)update->AllocationOffsetInBytes,
                            (unsigned long long)size);
    }
    for (UINT i = 1; i < update->NumPageTableEntries && !update->Flags.Repeat; i++) {
        if (entries[i].Segment != entries[0].Segment ||
            (entries[0].Segment != 0 &&
             entries[i].PageAddress != entries[0].PageAddress + (uint64_t)i * step)) {
            return contract_say(call, "pages that follow each other", "entry %u: page 0x%llX", i,
                                (unsigned long long)entries[i].PageAddress);
        }
    }
    return true;
}

/* The table that has the address there is the one that the entry above leads to. */
static bool address_of_first(struct contract_call *call)
{
    const update_type *update = update_of(call);
    struct contract_table_key key;

    return KERNEL_KEEPS(call, contract_table_key(call->tracker, update, &key),
                        "the address that the first entry translates", "0x%llX for entry %u",
                        (unsigned long long)update->FirstPteVirtualAddress, update->StartIndex);
}

static bool same_table_as_before(struct contract_call *call)
{
    const struct contract_tracker *tracker = call->tracker;
    const update_type *update = update_of(call);
    struct contract_table_key key;
    D3DGPU_PHYSICAL_ADDRESS place;

    if (update->Flags.InitialUpdate || update->Flags.NotifyEviction ||
        !contract_table_key(tracker, update, &key) ||
        !contract_table_place(tracker, update, &place)) {
        return contract_no_case(call);
    }
    const struct contract_table *table = contract_table_find(tracker, &key);
    bool is_old = table && table->replaced && table->replaced_place.SegmentId == place.SegmentId &&
                  table->replaced_place.SegmentOffset == place.SegmentOffset;
    return KERNEL_KEEPS(call, !table || is_old || !contract_table_lies_elsewhere(table, &place),
                        "the place where the table was initialised", "segment %u, 0x%llX",
                        place.SegmentId, (unsigned long long)place.SegmentOffset);
}

static bool blocks_of_64k(struct contract_call *call)
{
    const update_type *update = update_of(call);

    if (!contract_is_leaf_64k(update)) {
        return contract_no_case(call);
    }
    for (UINT i = 0; i < (update->Flags.Repeat ? 1 : update->NumPageTableEntries); i++) {
        const DXGK_PTE *entry = &update->pPageTableEntries[i];
        if (entry->Valid && !entry->Zero && entry->PageAddress % PAGES_PER_64K != 0) {
            return contract_say(call, "memory of 64 KiB pages", "entry %u: page 0x%llX", i,
                                (unsigned long long)entry->PageAddress);
        }
    }
    return true;
}

static bool entry_shows_memory(const struct contract_tracker *tracker, const DXGK_PTE *entry,
                               UINT pages)
{
    UINT segment = (UINT)entry->Segment;
    uint64_t base =
        segment > 0 && segment <= tracker->segment_count ? tracker->segments[segment].base : 0;

    return entry->PageAddress < UINT64_C(1) << 52 &&
           contract_in_segment(tracker, segment, base + (entry->PageAddress << MACHINE_PAGE_SHIFT),
                               (uint64_t)pages * MACHINE_PAGE_SIZE);
}

static bool entries_show_memory(struct contract_call *call)
{
    const update_type *update = update_of(call);
    UINT pages = pages_of_entry(update);

    for (UINT i = 0; i < (update->Flags.Repeat ? 1 : update->NumPageTableEntries); i++) {
        const DXGK_PTE *entry = &update->pPageTableEntries[i];
        if (entry->Valid && !entry->Zero && !entry_shows_memory(call->tracker, entry, pages)) {
            return contract_say(call, "a page of a segment by its offset, or of system memory",
                                "entry %u: segment %u, page 0x%llX", i, (UINT)entry->Segment,
                                (unsigned long long)entry->PageAddress);
        }
    }
    return true;
}

static bool large_pages_where_there_are(struct contract_call *call)
{
    const update_type *update = update_of(call);
    bool allowed = update->PageTableLevel > 0 && call->tracker->mmu.caps.LargePageSupported;

    for (UINT i = 0; i < (update->Flags.Repeat ? 1 : update->NumPageTableEntries); i++) {
        if (update->pPageTableEntries[i].LargePage && !allowed) {
            return contract_say(call, "LargePage above the leaves, where that is supported",
                                "entry %u of level %u", i, update->PageTableLevel);
        }
    }
    return true;
}

static bool is_begin_of_root(const struct contract_call *call)
{
    return update_of(call)->StartIndex == 0 &&
           update_of(call)->PageTableLevel + 1 == call->tracker->mmu.caps.PageTableLevelCount &&
           update_of(call)->hProcess != call->tracker->system_process;
}

static bool first_of_root_is_invalid(struct contract_call *call)
{
    const update_type *update = update_of(call);

    return KERNEL_KEEPS(
        call,
        !update->pPageTableEntries[0].Valid &&
            (!update->pPageTableEntries64KB || !update->pPageTableEntries64KB[0].Valid),
        "entry 0 of a root table invalid", "it is valid");
}

static bool is_leaf_of_two(const struct contract_call *call)
{
    return is_leaf_update(call) && call->tracker->mmu.caps.DualPteSupported;
}

/* Of a page that both kinds of leaves translate one says where it is. */
static bool one_leaf_shows_it(struct contract_call *call)
{
    const update_type *update = update_of(call);
    UINT step = pages_of_entry(update);
    struct contract_translation at;

    for (UINT i = 0; i < update->NumPageTableEntries; i++) {
        uint64_t page = (update->FirstPteVirtualAddress >> MACHINE_PAGE_SHIFT) + (uint64_t)i * step;
        if (!update->pPageTableEntries[update->Flags.Repeat ? 0 : i].Valid) {
            continue;
        }
        for (UINT j = 0; j < step; j++) {
            bool valid = contract_translate(call->tracker, update->hProcess, page + j, &at);
            if (valid && at.is_64k != contract_is_leaf_64k(update)) {
                return contract_say(call, "one kind of leaf that shows an address",
                                    "0x%llX is shown by a leaf of %s pages",
                                    (unsigned long long)((page + j) << MACHINE_PAGE_SHIFT),
                                    at.is_64k ? "64 KiB" : "4 KiB");
            }
        }
    }
    return true;
}

/* ---- FlushTlb -------------------------------------------------------------------------------- */

/* Where the root lies is known if a physical address named it. */
static bool root_of_process(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush = &paging_of(call)->FlushTlb;
    struct contract_table_key key;

    memset(&key, 0, sizeof key);
    key = (struct contract_table_key){.process = flush->hProcess,
                                      .level = call->tracker->mmu.caps.PageTableLevelCount - 1};
    const struct contract_table *root = contract_table_find(call->tracker, &key);
    if (!root || !root->placed || root->place.SegmentId == CONTRACT_BY_CPU) {
        return contract_no_case(call);
    }
    return KERNEL_KEEPS(call,
                        root->place.SegmentId == flush->RootPageTableAddress.SegmentId &&
                            root->place.SegmentOffset == flush->RootPageTableAddress.SegmentOffset,
                        "the root table of the process", "segment %u, 0x%llX",
                        flush->RootPageTableAddress.SegmentId,
                        (unsigned long long)flush->RootPageTableAddress.SegmentOffset);
}

/* Where a paging buffer is filled up, the paging process forgets everything now and then. */
static bool flush_says_a_range(const struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush = &paging_of(call)->FlushTlb;

    return call->tracker->mmu.caps.InvalidTlbEntriesNotCached && !vary_on(VARY_FULL_PAGING) &&
           (flush->StartVirtualAddress != 0 || flush->EndVirtualAddress != 0) &&
           !paging_comes_again(call) && !contract_flush_comes_again(call->tracker, flush);
}

static bool something_was_valid(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush = &paging_of(call)->FlushTlb;

    return KERNEL_KEEPS(call, contract_flush_is_wanted(call->tracker, flush),
                        "no flush where invalid entries became valid alone",
                        "nothing else changed in [0x%llX, 0x%llX)",
                        (unsigned long long)flush->StartVirtualAddress,
                        (unsigned long long)flush->EndVirtualAddress);
}

/* ---- VirtualTransfer and VirtualFill --------------------------------------------------------- */

/* A side of a move, or what is filled. */
struct side {
    uint64_t address, bytes;
    bool write;
};

/* Mapped from its first page to its last, and nothing else is known of it. */
static bool side_is_mapped(struct contract_call *call, const struct side *side, bool fresh)
{
    const struct contract_tracker *tracker = call->tracker;
    uint64_t first = side->address >> MACHINE_PAGE_SHIFT;
    uint64_t end = (side->address + side->bytes + MACHINE_PAGE_SIZE - 1) >> MACHINE_PAGE_SHIFT;
    struct contract_translation at;

    for (uint64_t page = first; page < end; page++) {
        bool valid = contract_translate(tracker, tracker->system_process, page, &at);
        if (!fresh && (!valid || at.now.Zero || (side->write && at.now.ReadOnly))) {
            return contract_say(call, "addresses that are mapped in the paging process",
                                "0x%llX: valid %d, ReadOnly %d",
                                (unsigned long long)(page << MACHINE_PAGE_SHIFT), valid,
                                (int)at.now.ReadOnly);
        }
        if (fresh && at.stale) {
            return contract_say(call, "FlushTlb between what an address showed and its next use",
                                "0x%llX showed page 0x%llX of segment %u",
                                (unsigned long long)(page << MACHINE_PAGE_SHIFT),
                                (unsigned long long)at.before.PageAddress, (UINT)at.before.Segment);
        }
    }
    return true;
}

static bool sides_are(struct contract_call *call, bool fresh)
{
    const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *move = &paging_of(call)->TransferVirtual;
    const struct side from = {move->SourceVirtualAddress, move->TransferSizeInBytes, false};
    const struct side to = {move->DestinationVirtualAddress, move->TransferSizeInBytes, true};

    return side_is_mapped(call, &from, fresh) && side_is_mapped(call, &to, fresh);
}

static bool sides_are_mapped(struct contract_call *call)
{
    return sides_are(call, false);
}

static bool sides_are_flushed(struct contract_call *call)
{
    return sides_are(call, true);
}

static struct side filled(const struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL *fill = &paging_of(call)->FillVirtual;

    return (struct side){fill->DestinationVirtualAddress, fill->FillSizeInBytes, true};
}

static bool fill_is_mapped(struct contract_call *call)
{
    const struct side side = filled(call);

    return side_is_mapped(call, &side, false);
}

static bool fill_is_flushed(struct contract_call *call)
{
    const struct side side = filled(call);

    return side_is_mapped(call, &side, true);
}

static bool moves_virtually(struct contract_call *call)
{
    return KERNEL_KEEPS(call, contract_pages_virtually(call->tracker),
                        "a paging node that works with GPU virtual addresses", "node %u",
                        call->tracker->paging_node);
}

/* The piece lies in the allocation, and its end in whole pages. */
static bool piece_fits(struct contract_call *call, HANDLE handle, uint64_t offset, uint64_t bytes)
{
    const struct contract_object *allocation =
        handle ? contract_object_find(call->tracker, TRACKED_ALLOCATION, handle) : NULL;

    return KERNEL_KEEPS(
        call,
        bytes != 0 && bytes % MACHINE_PAGE_SIZE == 0 &&
            (!allocation ||
             range_fits(offset, bytes, align_up(allocation->size, MACHINE_PAGE_SIZE))),
        "whole pages inside the allocation", "%llu bytes at 0x%llX", (unsigned long long)bytes,
        (unsigned long long)offset);
}

static bool move_fits(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *move = &paging_of(call)->TransferVirtual;

    return piece_fits(call, move->hAllocation, move->AllocationOffsetInBytes,
                      move->TransferSizeInBytes);
}

static bool fill_fits(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL *fill = &paging_of(call)->FillVirtual;

    return piece_fits(call, fill->hAllocation, fill->AllocationOffsetInBytes,
                      fill->FillSizeInBytes);
}

/* Does the one address of the paging process show the leaf that translates the other? What the CPU
 * alone wrote is no place to compare. */
static bool shows_leaf_of(const struct contract_tracker *tracker, D3DGPU_VIRTUAL_ADDRESS table,
                          D3DGPU_VIRTUAL_ADDRESS address)
{
    const struct contract_table *shown = contract_table_shown_at(tracker, table);
    uint64_t page = address >> MACHINE_PAGE_SHIFT;
    struct contract_translation at;

    if (!shown) {
        return tracker->mmu.caps.PageTableUpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL &&
               contract_translate(tracker, tracker->system_process, table >> MACHINE_PAGE_SHIFT,
                                  &at);
    }
    return shown->key.process == tracker->system_process && shown->key.level == 0 &&
           page >= shown->key.page &&
           (page - shown->key.page) >> contract_table_shift(tracker, 0, shown->key.leaf_64k) <
               shown->count;
}

static bool tables_for_who_asked(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *move = &paging_of(call)->TransferVirtual;
    const struct contract_tracker *tracker = call->tracker;

    if (tracker->mmu.caps.LegacyBehaviors.SourcePageTableVaInTransfer &&
        move->TransferDirection == DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM) {
        return KERNEL_KEEPS(
            call,
            shows_leaf_of(tracker, move->SourcePageTable, move->SourceVirtualAddress) &&
                shows_leaf_of(tracker, move->DestinationPageTable, move->DestinationVirtualAddress),
            "addresses of the leaves that show both sides", "0x%llX, 0x%llX",
            (unsigned long long)move->SourcePageTable,
            (unsigned long long)move->DestinationPageTable);
    }
    return KERNEL_KEEPS(call, move->SourcePageTable == 0 && move->DestinationPageTable == 0,
                        "addresses of page tables for SourcePageTableVaInTransfer only",
                        "0x%llX, 0x%llX", (unsigned long long)move->SourcePageTable,
                        (unsigned long long)move->DestinationPageTable);
}

static bool direction_of_pages(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *move = &paging_of(call)->TransferVirtual;
    const struct contract_tracker *tracker = call->tracker;
    struct contract_translation from, to;

    if (!contract_translate(tracker, tracker->system_process,
                            move->SourceVirtualAddress >> MACHINE_PAGE_SHIFT, &from) ||
        !contract_translate(tracker, tracker->system_process,
                            move->DestinationVirtualAddress >> MACHINE_PAGE_SHIFT, &to)) {
        return contract_no_case(call); /* another rule looks */
    }
    bool from_local = from.now.Segment != 0, to_local = to.now.Segment != 0;
    DXGK_MEMORY_TRANSFER_DIRECTION wanted = from_local && to_local
                                                ? DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL
                                            : from_local ? DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM
                                                         : DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL;
    return KERNEL_KEEPS(call, move->TransferDirection == wanted, "the direction that the pages say",
                        "direction %d, segments %u to %u", (int)move->TransferDirection,
                        (UINT)from.now.Segment, (UINT)to.now.Segment);
}

static bool sizes_of_pages(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *move = &paging_of(call)->TransferVirtual;
    const struct contract_tracker *tracker = call->tracker;
    struct contract_translation from, to;

    (void)contract_translate(tracker, tracker->system_process,
                             move->SourceVirtualAddress >> MACHINE_PAGE_SHIFT, &from);
    (void)contract_translate(tracker, tracker->system_process,
                             move->DestinationVirtualAddress >> MACHINE_PAGE_SHIFT, &to);
    return KERNEL_KEEPS(call,
                        move->Flags.Src64KBPages == from.is_64k &&
                            move->Flags.Dst64KBPages == to.is_64k && move->Flags.Reserved == 0,
                        "flags as the leaves of both sides are", "flags 0x%X", move->Flags.Flags);
}

/* ---- CopyPageTableEntries -------------------------------------------------------------------- */

static bool ranges_exist(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy =
        &paging_of(call)->CopyPageTableEntries;

    return KERNEL_KEEPS(call, copy->NumRanges > 0 && copy->pRanges != NULL, "ranges, at least one",
                        "NumRanges %u, pRanges %p", copy->NumRanges, (void *)copy->pRanges);
}

/* Seen whole, at an address that is a multiple of 64 KiB, and as long as the range wants it. */
static bool leaf_is_shown(struct contract_call *call, uint64_t address, UINT first, UINT count)
{
    const struct contract_table *table = contract_table_shown_at(call->tracker, address);

    return KERNEL_KEEPS(call,
                        address % (PAGES_PER_64K * MACHINE_PAGE_SIZE) == 0 && table &&
                            table->key.level == 0 && count > 0 &&
                            range_fits(first, count, table->count),
                        "entries of a leaf table, at an address that is a multiple of 64 KiB and "
                        "shows it",
                        "0x%llX, %u entries from %u on: %s", (unsigned long long)address, count,
                        first, table ? "a table is there" : "no table is there");
}

static bool ranges_are_of_leaves(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES *copy =
        &paging_of(call)->CopyPageTableEntries;

    for (UINT i = 0; copy->pRanges && i < copy->NumRanges; i++) {
        const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range = &copy->pRanges[i];
        if (!leaf_is_shown(call, range->SrcPageTableAddress, range->SrcStartPteIndex,
                           range->NumPageTableEntries) ||
            !leaf_is_shown(call, range->DstPageTableAddress, range->DstStartPteIndex,
                           range->NumPageTableEntries)) {
            return false;
        }
    }
    return true;
}

static bool tables_are_for_the_gpu(struct contract_call *call)
{
    return KERNEL_KEEPS(
        call, call->tracker->mmu.caps.PageTableUpdateMode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL,
        "no copy of entries where the CPU writes tables", "mode %d",
        (int)call->tracker->mmu.caps.PageTableUpdateMode);
}

static const struct contract_row rows[] = {
    KERNEL(PT_014, BuildPagingBuffer, first_of_root_is_invalid, OPERATION(UPDATE_PAGE_TABLE),
           WHEN(is_begin_of_root), LEAVES_OUT("entries that the driver reserved")),
    KERNEL(CPTE_001, BuildPagingBuffer, ranges_exist, OPERATION(COPY_PAGE_TABLE_ENTRIES)),
    KERNEL(CPTE_002, BuildPagingBuffer, ranges_are_of_leaves, OPERATION(COPY_PAGE_TABLE_ENTRIES)),
    KERNEL(CPTE_004, BuildPagingBuffer, tables_are_for_the_gpu, OPERATION(COPY_PAGE_TABLE_ENTRIES)),
    KERNEL(UPT_001, BuildPagingBuffer, level_exists, OPERATION(UPDATE_PAGE_TABLE)),
    KERNEL(UPT_002, BuildPagingBuffer,
           FIELD_LIVES_OR_NULL(DXGKARG_BUILDPAGINGBUFFER, UpdatePageTable.hAllocation,
                               TRACKED_ALLOCATION),
           OPERATION(UPDATE_PAGE_TABLE)),
    KERNEL(UPT_002, BuildPagingBuffer, allocation_of_leaves, OPERATION(UPDATE_PAGE_TABLE)),
    KERNEL(UPT_014, BuildPagingBuffer,
           FIELD_LIVES(DXGKARG_BUILDPAGINGBUFFER, UpdatePageTable.hProcess, TRACKED_PROCESS),
           OPERATION(UPDATE_PAGE_TABLE), WHEN(has_processes)),
    KERNEL(UPT_004, BuildPagingBuffer, mode_of_driver, OPERATION(UPDATE_PAGE_TABLE)),
    KERNEL(UPT_003, BuildPagingBuffer, table_is_somewhere, OPERATION(UPDATE_PAGE_TABLE)),
    KERNEL(UPT_003, BuildPagingBuffer, same_table_as_before, OPERATION(UPDATE_PAGE_TABLE),
           LEAVES_OUT("tables that the CPU writes through a CPU host aperture: views of one come "
                      "and go")),
    KERNEL(UPT_007, BuildPagingBuffer, entries_exist, OPERATION(UPDATE_PAGE_TABLE)),
    KERNEL(UPT_009, BuildPagingBuffer, tables_are_initialised, OPERATION(UPDATE_PAGE_TABLE)),
    KERNEL(UPT_011, BuildPagingBuffer, pairs_where_there_are, OPERATION(UPDATE_PAGE_TABLE)),
    KERNEL(UPT_012, BuildPagingBuffer, protection_of_leaves, OPERATION(UPDATE_PAGE_TABLE),
           LEAVES_OUT("that it is what the client gave for the address")),
    KERNEL(UPT_013, BuildPagingBuffer, pages_of_allocation, OPERATION(UPDATE_PAGE_TABLE),
           WHEN(shows_allocation)),
    KERNEL(UPT_015, BuildPagingBuffer, address_of_first, OPERATION(UPDATE_PAGE_TABLE)),
    KERNEL(UPT_016, BuildPagingBuffer,
           FIELD_ZERO(DXGKARG_BUILDPAGINGBUFFER, UpdatePageTable.Reserved0),
           OPERATION(UPDATE_PAGE_TABLE)),
    KERNEL(UPT_017, BuildPagingBuffer, blocks_of_64k, OPERATION(UPDATE_PAGE_TABLE),
           WHEN(is_leaf_update)),
    KERNEL(PT_010, BuildPagingBuffer, one_leaf_shows_it, OPERATION(UPDATE_PAGE_TABLE),
           WHEN(is_leaf_of_two),
           LEAVES_OUT("address and memory that have the low 16 bits in common: UPT-017")),
    KERNEL(UPT_021, BuildPagingBuffer, entries_show_memory, OPERATION(UPDATE_PAGE_TABLE)),
    KERNEL(UPT_022, BuildPagingBuffer, large_pages_where_there_are, OPERATION(UPDATE_PAGE_TABLE)),

    KERNEL(TLB_001, BuildPagingBuffer,
           FIELD_LIVES(DXGKARG_BUILDPAGINGBUFFER, FlushTlb.hProcess, TRACKED_PROCESS),
           OPERATION(FLUSH_TLB), WHEN(has_processes)),
    KERNEL(TLB_001, BuildPagingBuffer, root_of_process, OPERATION(FLUSH_TLB)),
    KERNEL(TLB_003, BuildPagingBuffer, sides_are_flushed, OPERATION(VIRTUAL_TRANSFER),
           LEAVES_OUT("pages of clients: only what the paging process reuses is followed")),
    KERNEL(TLB_003, BuildPagingBuffer, fill_is_flushed, OPERATION(VIRTUAL_FILL)),
    KERNEL(TLB_004, BuildPagingBuffer, something_was_valid, OPERATION(FLUSH_TLB),
           WHEN(flush_says_a_range)),

    KERNEL(VXFER_001, BuildPagingBuffer, moves_virtually, OPERATION(VIRTUAL_TRANSFER)),
    KERNEL(VXFER_002, BuildPagingBuffer,
           FIELD_LIVES_OR_NULL(DXGKARG_BUILDPAGINGBUFFER, TransferVirtual.hAllocation,
                               TRACKED_ALLOCATION),
           OPERATION(VIRTUAL_TRANSFER)),
    KERNEL(VXFER_004, BuildPagingBuffer, move_fits, OPERATION(VIRTUAL_TRANSFER)),
    KERNEL(VXFER_005, BuildPagingBuffer, sides_are_mapped, OPERATION(VIRTUAL_TRANSFER),
           LEAVES_OUT("that they stay so until the copy has ended")),
    KERNEL(VXFER_006, BuildPagingBuffer, tables_for_who_asked, OPERATION(VIRTUAL_TRANSFER)),
    KERNEL(VXFER_007, BuildPagingBuffer, direction_of_pages, OPERATION(VIRTUAL_TRANSFER)),
    KERNEL(VXFER_008, BuildPagingBuffer, sizes_of_pages, OPERATION(VIRTUAL_TRANSFER)),
    KERNEL(VFILL_001, BuildPagingBuffer,
           FIELD_LIVES(DXGKARG_BUILDPAGINGBUFFER, FillVirtual.hAllocation, TRACKED_ALLOCATION),
           OPERATION(VIRTUAL_FILL)),
    KERNEL(VFILL_002, BuildPagingBuffer, fill_fits, OPERATION(VIRTUAL_FILL)),
    KERNEL(VFILL_004, BuildPagingBuffer, fill_is_mapped, OPERATION(VIRTUAL_FILL)),
};

const struct contract_family contract_family_kernel_tables = FAMILY_OF(rows);
