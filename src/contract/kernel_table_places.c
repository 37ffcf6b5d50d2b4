/* The kernel's own duties: page tables that leave their place, and what comes to lie there. */
#include "contract/paging_call.h"
#include "contract/tables.h"

#include "machine/machine.h"

typedef DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE update_type;

#define PAGES_PER_64K 16

static const update_type *update_of(const struct contract_call *call)
{
    return &paging_of(call)->UpdatePageTable;
}

/* ---- Leaving --------------------------------------------------------------------------------- */

static bool is_last_of_a_table(const struct contract_call *call)
{
    return update_of(call)->Flags.NotifyEviction;
}

/* How many it has. Roots of two levels are as long as their process needs. */
static UINT entries_of(const struct contract_tracker *tracker, const update_type *update)
{
    bool grows = update->PageTableLevel == 1 && tracker->mmu.caps.PageTableLevelCount == 2;
    struct contract_table_key key;
    const struct contract_table *table = grows && contract_table_key(tracker, update, &key)
                                             ? contract_table_find(tracker, &key)
                                             : NULL;

    return table ? table->count
                 : contract_table_length(tracker, update->PageTableLevel,
                                         contract_is_leaf_64k(update));
}

/* It is about the place that the table has left: nothing there is valid any more. */
static bool eviction_ends_it(struct contract_call *call)
{
    const update_type *update = update_of(call);
    bool valid = false;

    for (UINT i = 0; i < (update->Flags.Repeat ? 1 : update->NumPageTableEntries); i++) {
        valid |= update->pPageTableEntries[i].Valid;
    }
    return KERNEL_KEEPS(call,
                        !valid && update->StartIndex == 0 && !update->Flags.InitialUpdate &&
                            update->NumPageTableEntries >= entries_of(call->tracker, update),
                        "NotifyEviction with all entries of the table, all invalid",
                        "%u entries from %u on%s", update->NumPageTableEntries, update->StartIndex,
                        valid ? ", some of them valid" : "");
}

/* Of hardware that is gone, or does not come back from a reset, nothing is written any more. */
static bool is_written_at_ends(const struct contract_call *call)
{
    return call->tracker->mmu.caps.ExplicitPageTableInvalidation && !call->tracker->removed &&
           !call->tracker->in_reset;
}

static bool wants_invalid_ends(const struct contract_call *call)
{
    return is_written_at_ends(call) && call->first != call->tracker->system_process;
}

/* All its tables go with the process, and some have gone before, for others in their stead. */
static bool tables_end_invalid(struct contract_call *call)
{
    const struct contract_table *table, *next;

    HASH_ITER(hh, call->tracker->tables, table, next)
    {
        if (table->key.process != call->first) {
            continue;
        }
        if (table->left_valid) {
            return contract_say(call, "every entry invalid before its table goes",
                                "one of level %u at page 0x%llX, in whose stead another was "
                                "written, has valid ones",
                                table->key.level, (unsigned long long)table->key.page);
        }
        for (UINT i = 0; i < table->count; i++) {
            if (table->entries[i].known && table->entries[i].now.Valid) {
                return contract_say(call, "every entry invalid before its table goes",
                                    "entry %u of level %u at page 0x%llX is valid", i,
                                    table->key.level, (unsigned long long)table->key.page);
            }
        }
    }
    return true;
}

/* ---- What comes there ------------------------------------------------------------------------ */

typedef const struct contract_table *finder(struct contract_tracker *tracker,
                                            const struct contract_extent *where,
                                            const struct contract_table_key *key);

static const struct contract_table *find_valid(struct contract_tracker *tracker,
                                               const struct contract_extent *where,
                                               const struct contract_table_key *key)
{
    return contract_table_valid_in(tracker, where, key);
}

/* Pages that follow each other are one extent. False: they do not, and it begins anew. */
static bool grows_by(struct contract_extent *where, UINT segment, uint64_t page)
{
    uint64_t offset = page << MACHINE_PAGE_SHIFT;

    if (where->bytes > 0 && where->segment == segment && offset == where->offset + where->bytes) {
        where->bytes += MACHINE_PAGE_SIZE;
        return true;
    }
    return false;
}

/* A search in pages that come one by one. */
struct search {
    struct contract_tracker *tracker;
    finder *find;
    struct contract_extent where; /* bytes 0: none yet */
    const struct contract_table *found;
};

static void look(struct search *search)
{
    if (!search->found && search->where.bytes > 0 &&
        contract_has_tables_in(search->tracker, search->where.segment)) {
        search->found = search->find(search->tracker, &search->where, NULL);
    }
}

static void look_on(struct search *search, UINT segment, uint64_t page)
{
    if (!grows_by(&search->where, segment, page)) {
        look(search);
        search->where =
            (struct contract_extent){segment, page << MACHINE_PAGE_SHIFT, MACHINE_PAGE_SIZE};
    }
}

/* Nothing need be looked at where no table can be. */
static void look_at_entries(struct search *search, const update_type *update)
{
    UINT count = update->Flags.Repeat ? 1 : update->NumPageTableEntries;
    UINT step = contract_is_leaf_64k(update) ? PAGES_PER_64K : 1;

    for (UINT i = 0; i < count && !search->found; i++) {
        const DXGK_PTE *entry = &update->pPageTableEntries[i];
        for (UINT j = 0; entry->Valid && !entry->Zero && j < step; j++) {
            look_on(search, (UINT)entry->Segment, entry->PageAddress + j);
        }
    }
    look(search);
}

static void look_at_list(struct search *search, const MDL *mdl, uint64_t first, uint64_t bytes)
{
    const PFN_NUMBER *pages = mdl ? MmGetMdlPfnArray(mdl) : NULL;

    if (!pages || !contract_has_tables_in(search->tracker, 0) ||
        !range_fits(first * MACHINE_PAGE_SIZE, bytes, mdl->ByteCount)) {
        return; /* another rule looks */
    }
    for (uint64_t i = 0; i < align_up(bytes, MACHINE_PAGE_SIZE) / MACHINE_PAGE_SIZE; i++) {
        look_on(search, 0, pages[first + i]);
    }
    look(search);
}

static void look_at_memory(struct search *search, UINT segment, uint64_t address, uint64_t bytes)
{
    const struct contract_tracker *tracker = search->tracker;

    if (bytes > 0 && contract_in_segment(tracker, segment, address, bytes) && segment != 0) {
        search->where =
            (struct contract_extent){segment, address - tracker->segments[segment].base, bytes};
        look(search);
    }
}

/* What the operation says that an allocation is at, from now on. */
static const struct contract_table *find_below(struct contract_call *call, finder *find)
{
    const DXGKARG_BUILDPAGINGBUFFER *paging = paging_of(call);
    struct search search = {.tracker = call->tracker, .find = find};

    switch (paging->Operation) {
    case DXGK_OPERATION_FILL:
        look_at_memory(&search, paging->Fill.Destination.SegmentId,
                       (uint64_t)paging->Fill.Destination.SegmentAddress.QuadPart,
                       paging->Fill.FillSize);
        break;
    case DXGK_OPERATION_TRANSFER:
        if (paging->Transfer.Destination.SegmentId == 0) {
            look_at_list(&search, paging->Transfer.Destination.pMdl, paging->Transfer.MdlOffset,
                         paging->Transfer.TransferSize);
        } else {
            look_at_memory(&search, paging->Transfer.Destination.SegmentId,
                           (uint64_t)paging->Transfer.Destination.SegmentAddress.QuadPart +
                               paging->Transfer.TransferOffset,
                           paging->Transfer.TransferSize);
        }
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        look_at_list(&search, paging->MapApertureSegment.pMdl, paging->MapApertureSegment.MdlOffset,
                     (uint64_t)paging->MapApertureSegment.NumberOfPages * MACHINE_PAGE_SIZE);
        break;
    default:
        look_at_entries(&search, &paging->UpdatePageTable);
        break;
    }
    return search.found;
}

static bool say_table(struct contract_call *call, const char *expected,
                      const struct contract_table *table)
{
    return KERNEL_KEEPS(call, !table, expected, "the table of level %u at 0x%llX of process %p",
                        table ? table->key.level : 0,
                        table ? (unsigned long long)table->key.page << MACHINE_PAGE_SHIFT : 0,
                        table ? table->key.process : NULL);
}

#define WANTS_EVICTION "NotifyEviction before, for the table that lies there"
#define WANTS_INVALID  "every entry invalid before, of the table that lay there"

static bool is_no_place_of_a_table(struct contract_call *call)
{
    return say_table(call, WANTS_EVICTION, find_below(call, contract_table_used_in));
}

static bool table_there_ended_invalid(struct contract_call *call)
{
    return say_table(call, WANTS_INVALID, find_below(call, find_valid));
}

/* The table that is written first lies where another one was. */
static const struct contract_table *find_at_begin(struct contract_call *call, finder *find)
{
    struct contract_tracker *tracker = call->tracker;
    const update_type *update = update_of(call);
    struct contract_table_key key;
    D3DGPU_PHYSICAL_ADDRESS place;

    if (!contract_table_key(tracker, update, &key) ||
        !contract_table_place(tracker, update, &place) || place.SegmentId == CONTRACT_BY_CPU) {
        contract_no_case(call);
        return NULL;
    }
    const struct contract_extent where = {place.SegmentId, place.SegmentOffset,
                                          contract_table_bytes(tracker, &key)};
    return find(tracker, &where, &key);
}

static bool nobody_is_there(struct contract_call *call)
{
    return say_table(call, WANTS_EVICTION, find_at_begin(call, contract_table_used_in));
}

static bool nobody_left_valid(struct contract_call *call)
{
    return say_table(call, WANTS_INVALID, find_at_begin(call, find_valid));
}

static bool begins_a_table(const struct contract_call *call)
{
    return update_of(call)->Flags.InitialUpdate;
}

static bool begins_where_one_ended(const struct contract_call *call)
{
    return begins_a_table(call) && is_written_at_ends(call);
}

static bool shows_allocation(const struct contract_call *call)
{
    return update_of(call)->PageTableLevel == 0 && update_of(call)->hAllocation;
}

static bool shows_where_one_ended(const struct contract_call *call)
{
    return shows_allocation(call) && is_written_at_ends(call);
}

static bool has_tables(const struct contract_call *call)
{
    return call->tracker->tables != NULL;
}

static bool has_tables_with_ends(const struct contract_call *call)
{
    return has_tables(call) && is_written_at_ends(call);
}

#define IN_PARTS                                                          \
    "tables that the CPU writes through a CPU host aperture: where they " \
    "lie is not known"

static const struct contract_row rows[] = {
    KERNEL(UPT_010, BuildPagingBuffer, eviction_ends_it, OPERATION(UPDATE_PAGE_TABLE),
           WHEN(is_last_of_a_table)),
    KERNEL(UPT_010, BuildPagingBuffer, nobody_is_there, OPERATION(UPDATE_PAGE_TABLE),
           WHEN(begins_a_table), LEAVES_OUT(IN_PARTS)),
    KERNEL(UPT_010, BuildPagingBuffer, is_no_place_of_a_table, OPERATION(UPDATE_PAGE_TABLE),
           WHEN(shows_allocation), LEAVES_OUT(IN_PARTS)),
    KERNEL(UPT_010, BuildPagingBuffer, is_no_place_of_a_table, OPERATIONS(FILL, TRANSFER),
           WHEN(has_tables), LEAVES_OUT(IN_PARTS)),
    KERNEL(UPT_010, BuildPagingBuffer, is_no_place_of_a_table, OPERATION(MAP_APERTURE_SEGMENT),
           WHEN(has_tables), LEAVES_OUT(IN_PARTS)),
    KERNEL(UPT_019, DestroyProcess, tables_end_invalid, WHEN(wants_invalid_ends)),
    KERNEL(UPT_019, BuildPagingBuffer, nobody_left_valid, OPERATION(UPDATE_PAGE_TABLE),
           WHEN(begins_where_one_ended), LEAVES_OUT(IN_PARTS)),
    KERNEL(UPT_019, BuildPagingBuffer, table_there_ended_invalid, OPERATION(UPDATE_PAGE_TABLE),
           WHEN(shows_where_one_ended), LEAVES_OUT(IN_PARTS)),
    KERNEL(UPT_019, BuildPagingBuffer, table_there_ended_invalid, OPERATIONS(FILL, TRANSFER),
           WHEN(has_tables_with_ends), LEAVES_OUT(IN_PARTS)),
};

const struct contract_family contract_family_kernel_table_places = FAMILY_OF(rows);
