/* duty_tables.h: what a kernel that mistook page tables would have handed to the driver. A part of
 * duty_test.c, whose words it uses. */
#ifndef TESTS_CONTRACT_DUTY_TABLES_H
#define TESTS_CONTRACT_DUTY_TABLES_H

#define UPDATE (&a->UpdatePageTable)
#define MOVE   (&a->TransferVirtual)
#define TABLE(name, condition, change) \
    PAGING(name, a->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && (condition), change)
#define LEAF(name, condition, change) \
    TABLE(name, UPDATE->PageTableLevel == 0 && (condition), change)
/* Pages of an allocation. */
#define SHOWN(name, condition, change) LEAF(name, UPDATE->hAllocation && (condition), change)
#define VIRTUAL_MOVE(name, condition, change) \
    PAGING(name, a->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER && (condition), change)
#define VIRTUAL_FILL(name, condition, change) \
    PAGING(name, a->Operation == DXGK_OPERATION_VIRTUAL_FILL && (condition), change)
#define FLUSH(name, condition, change) \
    PAGING(name, a->Operation == DXGK_OPERATION_FLUSH_TLB && (condition), change)

TABLE(table_of_no_level, true, UPDATE->PageTableLevel = 9)
SHOWN(table_of_nobody, true, UPDATE->hAllocation = NOBODY)
TABLE(directory_of_an_allocation, UPDATE->PageTableLevel > 0,
      UPDATE->hAllocation = (HANDLE)(uintptr_t)8)
TABLE(table_nowhere, UPDATE->UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL,
      UPDATE->PageTableAddress.CpuVirtual = NULL)
SHOWN(table_far, UPDATE->UpdateMode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL,
      UPDATE->PageTableAddress.GpuPhysical.SegmentOffset = (UINT64)FAR)
/* A second time, another place. */
static bool table_that_moved(struct contract_call *call)
{
    DXGKARG_BUILDPAGINGBUFFER *a = call->arguments;
    static UINT64 first;

    if (a->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || !UPDATE->hAllocation) {
        return false;
    }
    if (first == 0) {
        first = UPDATE->PageTableAddress.GpuPhysical.SegmentOffset;
        return false;
    }
    UPDATE->PageTableAddress.GpuPhysical.SegmentOffset += MACHINE_PAGE_SIZE;
    return true;
}
SHOWN(table_in_another_mode, true, UPDATE->UpdateMode = DXGK_PAGETABLEUPDATE_GPU_VIRTUAL)
SHOWN(table_too_long, true, UPDATE->NumPageTableEntries = 1u << 20)
TABLE(table_not_first, UPDATE->Flags.InitialUpdate, UPDATE->Flags.InitialUpdate = 0)
/* A directory leads to what was written in part. */
LEAF(table_in_part, UPDATE->Flags.InitialUpdate, UPDATE->NumPageTableEntries--)
SHOWN(table_of_pairs, true, UPDATE->pPageTableEntries64KB = UPDATE->pPageTableEntries)
SHOWN(table_protected, true, UPDATE->DriverProtection = 1)
SHOWN(table_behind_its_allocation, true, UPDATE->AllocationOffsetInBytes = (UINT64)FAR)
SHOWN(table_with_a_gap,
      UPDATE->NumPageTableEntries > 2 && UPDATE->pPageTableEntries[0].Segment != 0,
      UPDATE->pPageTableEntries[1].PageAddress += 7)
TABLE(table_of_no_process, true, UPDATE->hProcess = NOBODY)
SHOWN(table_elsewhere, true, UPDATE->FirstPteVirtualAddress += 4096)
TABLE(table_reserved, true, UPDATE->Reserved0 = 1)
/* Said to be of 64 KiB pages: as many as a sixteenth, where they lie by chance. */
SHOWN(table_of_blocks, UPDATE->StartIndex == 0 && UPDATE->NumPageTableEntries >= 16,
      (UPDATE->Flags.Use64KBPages = UPDATE->Flags.InitialUpdate = 1,
       UPDATE->NumPageTableEntries = 1, UPDATE->pPageTableEntries[0].PageAddress |= 1))
LEAF(table_shows_nothing, !UPDATE->hAllocation && UPDATE->pPageTableEntries[0].Valid,
     UPDATE->pPageTableEntries[0].Segment = 30)
SHOWN(table_of_large_pages, true, UPDATE->pPageTableEntries[0].LargePage = 1)

#define COPY (&a->CopyPageTableEntries)
#define ENTRIES(name, condition, change) \
    PAGING(name, a->Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES && (condition), change)
ENTRIES(copy_of_nothing, true, COPY->NumRanges = 0)
ENTRIES(copy_beside_a_table, true, COPY->pRanges[0].SrcPageTableAddress += 4096)
ENTRIES(copy_behind_a_table, true, COPY->pRanges[0].DstStartPteIndex = 1u << 20)
/* Who writes the tables the driver answered before there was any paging, and one with the CPU's is
 * never handed a copy. */
ENTRIES(copy_below_the_cpu, true,
        tracker->mmu.caps.PageTableUpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)

SHOWN(table_evicted_in_use, true, UPDATE->Flags.NotifyEviction = 1)
TABLE(table_left_in_part, UPDATE->Flags.NotifyEviction, UPDATE->NumPageTableEntries--)
/* Where another one lies, that nobody said leaves. */
static bool table_over_another(struct contract_call *call)
{
    DXGKARG_BUILDPAGINGBUFFER *a = call->arguments;
    struct contract_table_key key;
    struct contract_table *table, *next;

    if (a->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || !UPDATE->Flags.InitialUpdate ||
        UPDATE->UpdateMode != DXGK_PAGETABLEUPDATE_GPU_PHYSICAL ||
        !contract_table_key(call->tracker, UPDATE, &key)) {
        return false;
    }
    HASH_ITER(hh, call->tracker->tables, table, next)
    {
        const struct contract_extent where = {table->place.SegmentId, table->place.SegmentOffset,
                                              MACHINE_PAGE_SIZE};
        if (contract_table_used_in(call->tracker, &where, &key)) {
            UPDATE->PageTableAddress.GpuPhysical = table->place;
            return true;
        }
    }
    return false;
}
/* Of a process, the place of a root that a context has. */
static bool find_root(struct contract_tracker *tracker, D3DGPU_PHYSICAL_ADDRESS *place)
{
    struct contract_object *object, *next;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        if (object->has_root && object->key.kind == TRACKED_CONTEXT) {
            *place = object->root;
            return true;
        }
    }
    return false;
}
TABLE(table_over_a_root,
      UPDATE->Flags.InitialUpdate && UPDATE->PageTableLevel == 0 &&
          UPDATE->UpdateMode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL,
      find_root(tracker, &UPDATE->PageTableAddress.GpuPhysical))
/* One page of it is where a root is. */
static bool memory_over_a_root(struct contract_call *call)
{
    DXGKARG_BUILDPAGINGBUFFER *a = call->arguments;
    D3DGPU_PHYSICAL_ADDRESS place;

    if (a->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || !UPDATE->hAllocation ||
        UPDATE->Flags.Use64KBPages || !find_root(call->tracker, &place)) {
        return false;
    }
    UPDATE->NumPageTableEntries = 1;
    UPDATE->pPageTableEntries[0].Segment = place.SegmentId;
    UPDATE->pPageTableEntries[0].PageAddress = place.SegmentOffset >> MACHINE_PAGE_SHIFT;
    return true;
}
LEAF(table_left_valid, UPDATE->Flags.NotifyEviction, UPDATE->pPageTableEntries[0].Valid = 1)
TABLE(root_from_its_first,
      UPDATE->PageTableLevel + 1 == tracker->mmu.caps.PageTableLevelCount &&
          UPDATE->StartIndex == 0 && UPDATE->hProcess != tracker->system_process,
      UPDATE->pPageTableEntries[0].Valid = 1)
/* Of a process with a context; its work is not done. */
static bool work_of_process(struct contract_tracker *tracker, HANDLE process)
{
    struct contract_object *object, *next;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        const struct contract_object *device =
            object->key.kind == TRACKED_CONTEXT
                ? contract_object_find(tracker, TRACKED_DEVICE, object->parent)
                : NULL;
        if (device && device->process == process && object->virtual_addresses && !object->system) {
            object->used_node = true;
            object->last_position = UINT64_MAX;
            return true;
        }
    }
    return false;
}
TABLE(table_below_running_work, work_of_process(tracker, UPDATE->hProcess),
      tracker->mmu.caps.PageTableUpdateRequireAddressSpaceIdle = 1)
TABLE(table_left_below_work,
      UPDATE->Flags.NotifyEviction &&work_of_process(tracker, UPDATE->hProcess), (void)0)
static bool table_moved_below_work(struct contract_call *call)
{
    DXGKARG_BUILDPAGINGBUFFER *a = call->arguments;
    struct contract_table_key key;

    if (a->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || UPDATE->PageTableLevel == 0 ||
        UPDATE->Flags.InitialUpdate || !UPDATE->pPageTableEntries[0].Valid ||
        !contract_table_key(call->tracker, UPDATE, &key)) {
        return false;
    }
    const struct contract_table *table = contract_table_find(call->tracker, &key);
    return table && table->entries[UPDATE->StartIndex].now.Valid &&
           table->entries[UPDATE->StartIndex].now.PageAddress !=
               UPDATE->pPageTableEntries[0].PageAddress &&
           work_of_process(call->tracker, UPDATE->hProcess);
}
SPOIL(root_not_written, DXGKARG_SETROOTPAGETABLE, true, a->NumEntries++)

#define CONTEXT_UPDATE (&a->UpdateContextAllocation)
#define OF_CONTEXT(name, change) \
    PAGING(name, a->Operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION, change)
OF_CONTEXT(update_nowhere, CONTEXT_UPDATE->ContextAllocation += (UINT64)1 << 30)
OF_CONTEXT(update_of_a_part, CONTEXT_UPDATE->ContextAllocationSize /= 2)
OF_CONTEXT(update_with_other_data, *(UCHAR *)CONTEXT_UPDATE->pDriverPrivateData ^= 1)
VIRTUAL_FILL(update_of_its_own, true, a->Operation = DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION)
PAGING(init_at_an_address, a->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE,
       a->InitContextResource.Destination.GpuVirtualAddress += 4096)

FLUSH(flush_of_nobody, true, a->FlushTlb.hProcess = NOBODY)
/* What a flush should have reached is used. */
static bool move_without_its_flush(struct contract_call *call)
{
    DXGKARG_BUILDPAGINGBUFFER *a = call->arguments;
    static UINT64 last;

    if (a->Operation == DXGK_OPERATION_FLUSH_TLB && a->FlushTlb.EndVirtualAddress != 0 &&
        last == 0) {
        last = a->FlushTlb.EndVirtualAddress -= MACHINE_PAGE_SIZE;
    }
    if (a->Operation != DXGK_OPERATION_VIRTUAL_TRANSFER || last == 0) {
        return false;
    }
    MOVE->SourceVirtualAddress = last;
    return true;
}
FLUSH(flush_of_nothing, a->FlushTlb.EndVirtualAddress,
      a->FlushTlb.StartVirtualAddress = (a->FlushTlb.EndVirtualAddress += 1u << 20) - 4096)

/* Whether paging goes by addresses is what the driver answered to GetNodeMetadata, before there was
 * any paging: no argument of this call holds it, and a driver that said no gets no such call. */
VIRTUAL_MOVE(move_with_segments, true, (tracker->mmu_nodes = 0, a->DmaBufferGpuVirtualAddress = 0))
VIRTUAL_MOVE(move_of_nobody, true, MOVE->hAllocation = NOBODY)
VIRTUAL_MOVE(move_too_much, true, MOVE->TransferSizeInBytes += 100)
VIRTUAL_MOVE(move_unmapped, true, MOVE->SourceVirtualAddress += 1u << 22)
VIRTUAL_MOVE(move_with_tables, true, MOVE->SourcePageTable = 4096)
VIRTUAL_MOVE(move_backwards, true, MOVE->TransferDirection = DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL)
VIRTUAL_MOVE(move_in_blocks, true, MOVE->Flags.Src64KBPages = 1)
VIRTUAL_FILL(fill_virtually_of_nobody, true, a->FillVirtual.hAllocation = NOBODY)
VIRTUAL_FILL(fill_virtually_nothing, true, a->FillVirtual.FillSizeInBytes = 0)
VIRTUAL_FILL(fill_virtually_nowhere, true, a->FillVirtual.DestinationVirtualAddress += 1u << 22)

SPOIL(paging_at_another_address, DXGKARG_SUBMITCOMMANDVIRTUAL, a->Flags.Paging,
      a->DmaBufferVirtualAddress += 4)
PAGING(paging_at_no_address, a->pDmaBuffer, a->DmaBufferGpuVirtualAddress = 0)

#define SCENE_VIRTUAL_STATES (SCENE_VIRTUAL | SCENE_STATES | SCENE_WDDM2)
#define TABLE_ROWS                                                                            \
    TESTS_RULE(UPT_001, BuildPagingBuffer, table_of_no_level, SCENE_VIRTUAL),                 \
        TESTS_RULE(UPT_002, BuildPagingBuffer, table_of_nobody, SCENE_VIRTUAL),               \
        TESTS_RULE(UPT_002, BuildPagingBuffer, directory_of_an_allocation, SCENE_VIRTUAL),    \
        TESTS_RULE(UPT_003, BuildPagingBuffer, table_nowhere, SCENE_VIRTUAL),                 \
        TESTS_RULE(UPT_003, BuildPagingBuffer, table_far, SCENE_VIRTUAL),                     \
        TESTS_RULE(UPT_003, BuildPagingBuffer, table_that_moved, SCENE_VIRTUAL),              \
        TESTS_RULE(UPT_004, BuildPagingBuffer, table_in_another_mode, SCENE_VIRTUAL),         \
        TESTS_RULE(UPT_007, BuildPagingBuffer, table_too_long, SCENE_VIRTUAL),                \
        TESTS_RULE(UPT_009, BuildPagingBuffer, table_not_first, SCENE_VIRTUAL),               \
        TESTS_RULE(UPT_009, BuildPagingBuffer, table_in_part, SCENE_VIRTUAL),                 \
        TESTS_RULE(UPT_011, BuildPagingBuffer, table_of_pairs, SCENE_VIRTUAL),                \
        TESTS_RULE(UPT_012, BuildPagingBuffer, table_protected, SCENE_VIRTUAL),               \
        TESTS_RULE(UPT_013, BuildPagingBuffer, table_behind_its_allocation, SCENE_VIRTUAL),   \
        TESTS_RULE(UPT_013, BuildPagingBuffer, table_with_a_gap, SCENE_VIRTUAL),              \
        TESTS_RULE(UPT_014, BuildPagingBuffer, table_of_no_process, SCENE_VIRTUAL),           \
        TESTS_RULE(UPT_015, BuildPagingBuffer, table_elsewhere, SCENE_VIRTUAL),               \
        TESTS_RULE(UPT_016, BuildPagingBuffer, table_reserved, SCENE_VIRTUAL),                \
        TESTS_RULE(UPT_021, BuildPagingBuffer, table_shows_nothing, SCENE_VIRTUAL),           \
        TESTS_RULE(UPT_022, BuildPagingBuffer, table_of_large_pages, SCENE_VIRTUAL),          \
        TESTS_RULE(CPTE_001, BuildPagingBuffer, copy_of_nothing, SCENE_COPIES),               \
        TESTS_RULE(CPTE_002, BuildPagingBuffer, copy_beside_a_table, SCENE_COPIES),           \
        TESTS_RULE(CPTE_002, BuildPagingBuffer, copy_behind_a_table, SCENE_COPIES),           \
        TESTS_RULE(CPTE_004, BuildPagingBuffer, copy_below_the_cpu, SCENE_COPIES),            \
        TESTS_RULE(UPT_010, BuildPagingBuffer, table_evicted_in_use, SCENE_VIRTUAL),          \
        TESTS_RULE(UPT_010, BuildPagingBuffer, table_left_in_part, SCENE_VIRTUAL),            \
        TESTS_RULE(UPT_010, BuildPagingBuffer, table_over_another, SCENE_VIRTUAL),            \
        TESTS_RULE(UPT_010, BuildPagingBuffer, table_left_valid, SCENE_VIRTUAL),              \
        TESTS_RULE(UPT_010, BuildPagingBuffer, table_over_a_root, SCENE_VIRTUAL),             \
        TESTS_RULE(UPT_010, BuildPagingBuffer, memory_over_a_root, SCENE_VIRTUAL),            \
        TESTS_RULE(RES_007, BuildPagingBuffer, table_left_below_work, SCENE_VIRTUAL),         \
        TESTS_RULE(RES_007, BuildPagingBuffer, table_moved_below_work, SCENE_VIRTUAL),        \
        TESTS_RULE(UPT_018, BuildPagingBuffer, table_below_running_work, SCENE_VIRTUAL),      \
        TESTS_RULE(PT_014, BuildPagingBuffer, root_from_its_first, SCENE_VIRTUAL),            \
        TESTS_RULE(PT_005, SetRootPageTable, root_not_written, SCENE_VIRTUAL),                \
        TESTS_RULE(UCA_001, BuildPagingBuffer, update_nowhere, SCENE_VIRTUAL_STATES),         \
        TESTS_RULE(UCA_002, BuildPagingBuffer, update_of_a_part, SCENE_VIRTUAL_STATES),       \
        TESTS_RULE(UCA_003, BuildPagingBuffer, update_with_other_data, SCENE_VIRTUAL_STATES), \
        TESTS_RULE(UCA_004, BuildPagingBuffer, update_of_its_own, SCENE_VIRTUAL_STATES),      \
        TESTS_RULE(INITCTX_007, BuildPagingBuffer, init_at_an_address, SCENE_STATES),         \
        TESTS_RULE(TLB_001, BuildPagingBuffer, flush_of_nobody, SCENE_VIRTUAL),               \
        TESTS_RULE(TLB_004, BuildPagingBuffer, flush_of_nothing, SCENE_VIRTUAL),              \
        TESTS_RULE(VXFER_001, BuildPagingBuffer, move_with_segments, SCENE_VIRTUAL),          \
        TESTS_RULE(VXFER_002, BuildPagingBuffer, move_of_nobody, SCENE_VIRTUAL),              \
        TESTS_RULE(VXFER_004, BuildPagingBuffer, move_too_much, SCENE_VIRTUAL),               \
        TESTS_RULE(VXFER_005, BuildPagingBuffer, move_unmapped, SCENE_VIRTUAL),               \
        TESTS_RULE(VXFER_006, BuildPagingBuffer, move_with_tables, SCENE_VIRTUAL),            \
        TESTS_RULE(VXFER_007, BuildPagingBuffer, move_backwards, SCENE_VIRTUAL),              \
        TESTS_RULE(VXFER_008, BuildPagingBuffer, move_in_blocks, SCENE_VIRTUAL),              \
        TESTS_RULE(VFILL_001, BuildPagingBuffer, fill_virtually_of_nobody, SCENE_VIRTUAL),    \
        TESTS_RULE(VFILL_002, BuildPagingBuffer, fill_virtually_nothing, SCENE_VIRTUAL),      \
        TESTS_RULE(VFILL_004, BuildPagingBuffer, fill_virtually_nowhere, SCENE_VIRTUAL),      \
        TESTS_RULE(SUBV_006, SubmitCommandVirtual, paging_at_another_address, SCENE_VIRTUAL), \
        TESTS_RULE(PAGE_024, BuildPagingBuffer, paging_at_no_address, SCENE_VIRTUAL),         \
        TESTS_RULE(UPT_017, BuildPagingBuffer, table_of_blocks, SCENE_VIRTUAL),               \
        TESTS_RULE(TLB_003, BuildPagingBuffer, move_without_its_flush, SCENE_VIRTUAL)

#endif
