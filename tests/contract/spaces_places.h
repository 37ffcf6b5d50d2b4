/* spaces_places.h: page tables in system memory, which the CPU writes, and what comes to lie where
 * they are. A part of spaces_test.c, whose words it uses.
 *
 *     root ─> [1] leaf of pages 512 to 1023, which shows one page
 */
#ifndef TESTS_CONTRACT_SPACES_PLACES_H
#define TESTS_CONTRACT_SPACES_PLACES_H

#include "contract/tables.h"

#define PLACES_LEAF   512u /* pages that a leaf translates */
#define PLACES_OWNED  ((HANDLE)(uintptr_t)0x6000)
#define PLACES_SYSTEM ((HANDLE)(uintptr_t)0x7000)

static struct {
    uint64_t root, leaf, spare, memory; /* frames */
    bool over_root, over_leaf, over_left;
    bool map_over_leaf, copy_over_leaf, show_leaf; /* an allocation comes there */
    bool copy_over_left, show_left;                /* the same when the leaf has gone */
    bool leaf_ends_valid, leaf_moves_valid;
    bool leaves;   /* the leaf does, as it should */
    bool by_views; /* leaves lie in memory that the CPU sees in parts, each time by another one */
    unsigned views;
} places;

static uint64_t places_frame(void)
{
    const struct ram_request request = {.page_count = 1};
    uint64_t frame;

    assert_int_equal(ram_alloc_contiguous(&request, &frame), STATUS_SUCCESS);
    return frame;
}

static DXGK_PTE places_entry(uint64_t frame)
{
    DXGK_PTE entry = {.Flags = 0};

    entry.Valid = frame != 0;
    entry.PageAddress = frame;
    return entry;
}

static void places_correct(void *context, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
}
static const struct ddi_corrector places_corrector = {.correct = places_correct};

static PVOID places_pointer(UINT level, uint64_t frame)
{
    static UCHAR views[2][MACHINE_PAGE_SIZE] __attribute__((aligned(4096)));

    return places.by_views && level == 0 ? views[places.views++ % 2]
                                         : ram_at(frame << MACHINE_PAGE_SHIFT, MACHINE_PAGE_SIZE);
}

/* Entries of a table: all of them alike, or the one with the index. */
struct places_update {
    UINT level;
    uint64_t table, shows;
    UINT page; /* that the table begins with */
    UINT first, count;
    bool initial, eviction;
    HANDLE allocation;
};

static void places_write(const struct places_update *wanted)
{
    DXGK_PTE entry = places_entry(wanted->shows);
    UINT step = wanted->level == 0 ? 1 : PLACES_LEAF;
    DXGKARG_BUILDPAGINGBUFFER paging = {
        .hSystemContext = PLACES_SYSTEM,
        .Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE,
        .UpdatePageTable = {
            .PageTableLevel = wanted->level,
            .hAllocation = wanted->allocation,
            .hProcess = PROCESS,
            .UpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL,
            .PageTableAddress.CpuVirtual = places_pointer(wanted->level, wanted->table),
            .pPageTableEntries = &entry,
            .StartIndex = wanted->first,
            .NumPageTableEntries = wanted->count,
            .FirstPteVirtualAddress = (uint64_t)(wanted->page + wanted->first * step)
                                      << MACHINE_PAGE_SHIFT,
            .Flags = {.Repeat = 1,
                      .InitialUpdate = wanted->initial,
                      .NotifyEviction = wanted->eviction}}};

    (void)ddi_build_paging_buffer(&adapter, ADAPTER, &paging, &places_corrector, 0);
}

static void places_make_leaf(uint64_t frame, UINT slot)
{
    places_write(&(struct places_update){
        .table = frame, .page = slot * PLACES_LEAF, .count = PLACES_LEAF, .initial = true});
}

static void places_lead(UINT slot, uint64_t frame)
{
    places_write(&(struct places_update){
        .level = 1, .table = places.root, .first = slot, .count = 1, .shows = frame});
}

static void places_show(uint64_t frame, HANDLE allocation)
{
    places_write(&(struct places_update){.table = places.leaf,
                                         .page = PLACES_LEAF,
                                         .first = 3,
                                         .count = 1,
                                         .shows = frame,
                                         .allocation = allocation});
}

/* An allocation's page is there, for the aperture or as where a copy ends. */
static void places_move(DXGK_BUILDPAGINGBUFFER_OPERATION operation, uint64_t frame)
{
    static UCHAR buffer[MACHINE_PAGE_SIZE] __attribute__((aligned(4096)));
    struct {
        MDL head;
        PFN_NUMBER page;
    } list = {.head = {.MdlFlags = MDL_PAGES_LOCKED, .ByteCount = MACHINE_PAGE_SIZE},
              .page = frame};
    DXGKARG_BUILDPAGINGBUFFER paging = {.pDmaBuffer = buffer,
                                        .DmaSize = sizeof buffer,
                                        .hSystemContext = PLACES_SYSTEM,
                                        .Operation = operation};

    if (operation == DXGK_OPERATION_TRANSFER) {
        paging.Transfer.hAllocation = PLACES_OWNED;
        paging.Transfer.TransferSize = MACHINE_PAGE_SIZE;
        paging.Transfer.Source.SegmentId = 1;
        paging.Transfer.Destination.pMdl = &list.head;
        paging.Transfer.Flags.TransferStart = paging.Transfer.Flags.TransferEnd = 1;
    } else {
        paging.MapApertureSegment.hAllocation = PLACES_OWNED;
        paging.MapApertureSegment.SegmentId = 2;
        paging.MapApertureSegment.NumberOfPages = 1;
        paging.MapApertureSegment.pMdl = &list.head;
    }
    (void)ddi_build_paging_buffer(&adapter, ADAPTER, &paging, &places_corrector, 0);
}

/* The leaf goes: nothing leads to it, and its entries are invalid if they are to be. */
static void places_end_leaf(bool valid)
{
    if (!valid) {
        places_write(&(struct places_update){
            .table = places.leaf, .page = PLACES_LEAF, .count = PLACES_LEAF});
    }
    places_lead(1, 0);
}

static void places_begin(void)
{
    places.root = places_frame();
    places.leaf = places_frame();
    places.spare = places_frame();
    places.memory = places_frame();
    asks.root.Address.SegmentId = 0;
    asks.root.Address.SegmentOffset = places.root << MACHINE_PAGE_SHIFT;
    start();
    ask_all();
    begin_work();
    contract_object_add(adapter.tracker, TRACKED_CONTEXT, PLACES_SYSTEM, NULL)->system = true;
    struct contract_object *owned =
        contract_object_add(adapter.tracker, TRACKED_ALLOCATION, PLACES_OWNED, NULL);
    owned->size = MACHINE_PAGE_SIZE;
    owned->segment = 1; /* at its begin */
    places_write(&(struct places_update){
        .level = 1, .table = places.root, .count = asks.root.NumEntries, .initial = true});
    (void)ddi_set_root_page_table(&adapter, &asks.root, NULL, 0);
    places_make_leaf(places.leaf, 1);
    places_lead(1, places.leaf);
    places_show(places.memory, PLACES_OWNED);
}

static void places_come(void)
{
    if (places.over_root || places.over_leaf) {
        places_make_leaf(places.over_root ? places.root : places.leaf, 2);
    }
    if (places.map_over_leaf) {
        places_move(DXGK_OPERATION_MAP_APERTURE_SEGMENT, places.leaf);
    }
    if (places.copy_over_leaf) {
        places_move(DXGK_OPERATION_TRANSFER, places.leaf);
    }
    if (places.show_leaf) {
        places_show(places.leaf, PLACES_OWNED);
    }
    if (places.leaf_moves_valid) {
        places_make_leaf(places.spare, 1);
        places_lead(1, places.spare);
        places_lead(1, 0);
    } else if (places.leaves) {
        places_end_leaf(places.leaf_ends_valid);
    }
    if (places.copy_over_left) {
        places_move(DXGK_OPERATION_TRANSFER, places.leaf);
    }
    if (places.show_left) {
        places_make_leaf(places.spare, 2);
        places_write(&(struct places_update){.table = places.spare,
                                             .page = 2 * PLACES_LEAF,
                                             .count = 1,
                                             .shows = places.leaf,
                                             .allocation = PLACES_OWNED});
    }
    if (places.over_left) {
        places_make_leaf(places.leaf, 2);
        places_lead(2, places.leaf);
        places_lead(2, 0);
    }
}

/* That entries are valid when the process goes is said of it by itself. */
static void go_places(void *argument)
{
    places_begin();
    places_come();
    if (places.copy_over_left + places.show_left + places.over_left == 1) {
        return;
    }
    ddi_destroy_context(&adapter, CONTEXT, 0);
    ddi_destroy_device(&adapter, DEVICE, 0);
    ddi_destroy_process(&adapter, PROCESS, 0);
}

static void tables_in_system_memory(void)
{
    memset(&places, 0, sizeof places);
    asks.process.Flags.SystemProcess = 0;
    says.mmu.PageTableUpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    for (unsigned i = 0; i < LEVELS; i++) {
        says.levels[i].PageTableSegmentId = says.levels[i].PagingProcessPageTableSegmentId = 0;
    }
}

static void tables_with_ends(void)
{
    tables_in_system_memory();
    says.mmu.ExplicitPageTableInvalidation = 1;
    places.leaves = true;
}

static void leaf_that_goes(void)
{
    tables_with_ends();
    places.over_left = places.copy_over_left = true;
}

static void leaf_that_goes_valid(void)
{
    tables_with_ends();
    places.leaf_ends_valid = true;
}

#define PLACES_CASE(name, begin, member) \
    static void name(void)               \
    {                                    \
        begin();                         \
        places.member = true;            \
    }
PLACES_CASE(table_over_a_root, tables_in_system_memory, over_root)
PLACES_CASE(table_over_a_leaf, tables_in_system_memory, over_leaf)
PLACES_CASE(pages_over_a_leaf, tables_in_system_memory, map_over_leaf)
PLACES_CASE(copy_over_a_leaf, tables_in_system_memory, copy_over_leaf)
PLACES_CASE(entry_that_shows_its_leaf, tables_in_system_memory, show_leaf)
PLACES_CASE(table_over_valid_entries, leaf_that_goes_valid, over_left)
PLACES_CASE(copy_over_valid_entries, leaf_that_goes_valid, copy_over_left)
PLACES_CASE(entry_that_shows_valid_entries, leaf_that_goes_valid, show_left)
PLACES_CASE(table_replaced_with_valid_entries, tables_with_ends, leaf_moves_valid)

static const struct mistake places_mistakes[] = {
    KERNELS(table_over_a_root, "UPT-010"),
    KERNELS(table_over_a_leaf, "UPT-010"),
    KERNELS(pages_over_a_leaf, "UPT-010"),
    KERNELS(copy_over_a_leaf, "UPT-010"),
    KERNELS(entry_that_shows_its_leaf, "UPT-010"),
    KERNELS(table_over_valid_entries, "UPT-019"),
    KERNELS(copy_over_valid_entries, "UPT-019"),
    KERNELS(entry_that_shows_valid_entries, "UPT-019"),
    KERNELS(table_replaced_with_valid_entries, "UPT-019"),
};

static void is_named_in_its_place(void **state)
{
    is_named_by(*state, go_places);
}

PLACES_CASE(leaf_by_views, tables_in_system_memory, by_views)

static void is_fine_in_its_place(const struct mistake *fine)
{
    run(fine, go_places);
    const struct record_breach *breach = record_breach_at(record, 0);
    if (breach) {
        fail_msg("%s: %s", breach->rule, breach->actual);
    }
    record_destroy(record);
}

static void a_table_may_lie_where_one_ended(void **state)
{
    is_fine_in_its_place(&(struct mistake){.make = leaf_that_goes, .who = CONTRACT_DRIVER});
}

static void a_view_of_a_table_may_be_another(void **state)
{
    is_fine_in_its_place(&(struct mistake){.make = leaf_by_views, .who = CONTRACT_DRIVER});
}

#endif
