/* tables.c: page tables, and paging by GPU virtual address, done wrong. */
#include "misbehave.h"

/* What the CPU should write at once is left for later. */
static NTSTATUS NTAPI table_not_written(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && paging->pDmaBuffer == NULL &&
        paging->UpdatePageTable.PageTableLevel == 0) {
        return STATUS_SUCCESS;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* What does not fit into the first command is forgotten. */
static NTSTATUS NTAPI second_half_is_lost(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
        paging->UpdatePageTable.hAllocation != NULL && !paging->UpdatePageTable.Flags.Repeat) {
        paging->UpdatePageTable.NumPageTableEntries =
            (paging->UpdatePageTable.NumPageTableEntries + 1) / 2;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static NTSTATUS NTAPI flush_is_forgotten(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_FLUSH_TLB) {
        return STATUS_SUCCESS;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* "The root has so many pages." GetRootPageTableSize counts in these. */
static void NTAPI root_is_counted_in_pages(const HANDLE adapter,
                                           const DXGKARG_SETROOTPAGETABLE *arguments)
{
    DXGKARG_SETROOTPAGETABLE root = *arguments;

    root.NumEntries = (root.NumEntries * 8 + PAGE_SIZE - 1) / PAGE_SIZE;
    misbehave_driver.DxgkDdiSetRootPageTable(adapter, &root);
}

static NTSTATUS NTAPI offset_is_added(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER) {
        paging->TransferVirtual.SourceVirtualAddress +=
            paging->TransferVirtual.AllocationOffsetInBytes;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static NTSTATUS NTAPI move_too_short(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER) {
        paging->TransferVirtual.TransferSizeInBytes = PAGE_SIZE;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static NTSTATUS NTAPI fill_with_another_pattern(const HANDLE adapter,
                                                DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_VIRTUAL_FILL) {
        paging->FillVirtual.FillPattern ^= 1;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* To what it says of the part, the offset is added. */
static NTSTATUS NTAPI offset_of_notice_is_added(const HANDLE adapter,
                                                DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_NOTIFY_ALLOC) {
        paging->NotifyAllocation.GpuVirtualAddressAtOffset +=
            paging->NotifyAllocation.OffsetInBytes;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* The whole allocation, as if no part were smaller. */
static NTSTATUS NTAPI notice_of_the_whole(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    const struct softgpu_allocation *allocation = paging->NotifyAllocation.hAllocation;

    if (paging->Operation == DXGK_OPERATION_NOTIFY_ALLOC) {
        paging->NotifyAllocation.SizeInBytes = allocation->info.size_bytes;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* "The IOMMU will tell our engines." */
static NTSTATUS NTAPI notice_is_empty(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return paging->Operation == DXGK_OPERATION_NOTIFY_ALLOC
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* Asked for, and not known. */
static NTSTATUS NTAPI notice_is_unknown(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_NOTIFY_ALLOC) {
        return STATUS_NOT_SUPPORTED;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* The two members of one union are taken for two, and what is reserved has to be 0. */
static NTSTATUS NTAPI notice_is_refused(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_NOTIFY_RESIDENCY &&
        paging->NotifyResidency.Reserved != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static NTSTATUS NTAPI paging_is_malformed(const HANDLE adapter,
                                          const DXGKARG_SUBMITCOMMANDVIRTUAL *submit)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSubmitCommandVirtual(adapter, submit);

    return submit->Flags.Paging ? STATUS_INVALID_PARAMETER : status;
}

/* "What nobody ever asks for." */
static NTSTATUS NTAPI copy_of_entries_is_a_stub(const HANDLE adapter,
                                                DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return paging->Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* The answer is what a driver gives that has never heard of it. */
static NTSTATUS NTAPI copy_of_entries_is_unknown(const HANDLE adapter,
                                                 DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return paging->Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES
               ? STATUS_NOT_SUPPORTED
               : misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* The ranges are a copy, for the kernel's own must not change. */
static NTSTATUS copy_otherwise(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging,
                               void (*spoil)(DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range))
{
    DXGK_BUILDPAGINGBUFFER_COPY_RANGE ranges[8], *given = paging->CopyPageTableEntries.pRanges;
    NTSTATUS status;
    UINT i;

    if (paging->Operation != DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES ||
        paging->CopyPageTableEntries.NumRanges > RTL_NUMBER_OF(ranges)) {
        return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
    }
    for (i = 0; i < paging->CopyPageTableEntries.NumRanges; i++) {
        ranges[i] = given[i];
        spoil(&ranges[i]);
    }
    paging->CopyPageTableEntries.pRanges = ranges;
    status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
    paging->CopyPageTableEntries.pRanges = given;
    return status;
}

static void forget_source_index(DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range)
{
    range->SrcStartPteIndex = 0;
}

static void exchange_indices(DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range)
{
    UINT index = range->SrcStartPteIndex;

    range->SrcStartPteIndex = range->DstStartPteIndex;
    range->DstStartPteIndex = index;
}

static void count_one_more(DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range)
{
    range->NumPageTableEntries++;
}

/* "The address is that of the first entry." */
static NTSTATUS NTAPI copy_begins_at_the_table(const HANDLE adapter,
                                               DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return copy_otherwise(adapter, paging, forget_source_index);
}

static NTSTATUS NTAPI copy_mixes_the_sides(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return copy_otherwise(adapter, paging, exchange_indices);
}

/* "With, not up to, the last." */
static NTSTATUS NTAPI copy_takes_one_more(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return copy_otherwise(adapter, paging, count_one_more);
}

/* "Room for a command first", where there is none and none is needed. */
static NTSTATUS NTAPI table_wants_a_buffer(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return paging->DmaBufferPrivateDataSize == 0 && !paging->pDmaBuffer
               ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER
               : misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(CPTE_003, IN_DDI(BuildPagingBuffer), copy_of_entries_is_a_stub,
                SCENE_COPIES | SCENE_CONTENT),
    BREAKS_RULE(CPTE_003, IN_DDI(BuildPagingBuffer), copy_begins_at_the_table,
                SCENE_COPIES | SCENE_CONTENT),
    BREAKS_RULE(CPTE_003, IN_DDI(BuildPagingBuffer), copy_mixes_the_sides,
                SCENE_COPIES | SCENE_CONTENT),
    BREAKS_RULE(CPTE_003, IN_DDI(BuildPagingBuffer), copy_takes_one_more,
                SCENE_COPIES | SCENE_CONTENT),
    BREAKS_RULE(PAGE_020, IN_DDI(BuildPagingBuffer), copy_of_entries_is_unknown,
                SCENE_COPIES | SCENE_MORE_RULES),
    BREAKS_RULE(UPT_005, IN_DDI(BuildPagingBuffer), table_not_written,
                SCENE_VIRTUAL | SCENE_MORE_RULES),
    BREAKS_RULE(UPT_005, IN_DDI(BuildPagingBuffer), table_wants_a_buffer, SCENE_VIRTUAL),
    BREAKS_RULE(UPT_006, IN_DDI(BuildPagingBuffer), second_half_is_lost,
                SCENE_VIRTUAL | SCENE_CONTENT),
    BREAKS_RULE(PT_016, IN_DDI(SetRootPageTable), root_is_counted_in_pages,
                SCENE_VIRTUAL | SCENE_CONTENT | SCENE_MORE_RULES),
    BREAKS_RULE(TLB_002, IN_DDI(BuildPagingBuffer), flush_is_forgotten,
                SCENE_VIRTUAL | SCENE_CONTENT | SCENE_MORE_RULES),
    BREAKS_RULE(VXFER_003, IN_DDI(BuildPagingBuffer), offset_is_added,
                SCENE_VIRTUAL | SCENE_CONTENT | SCENE_MORE_RULES),
    BREAKS_RULE(XFER_020, IN_DDI(BuildPagingBuffer), move_too_short, SCENE_VIRTUAL | SCENE_CONTENT),
    BREAKS_RULE(VFILL_003, IN_DDI(BuildPagingBuffer), fill_with_another_pattern,
                SCENE_VIRTUAL | SCENE_CONTENT),
    BREAKS_RULE(NALLOC_008, IN_DDI(BuildPagingBuffer), offset_of_notice_is_added, SCENE_VIRTUAL),
    BREAKS_RULE(NALLOC_008, IN_DDI(BuildPagingBuffer), notice_of_the_whole, SCENE_VIRTUAL),
    BREAKS_RULE(NALLOC_007, IN_DDI(BuildPagingBuffer), notice_is_empty,
                SCENE_GIVEN | SCENE_MORE_RULES),
    BREAKS_RULE(PAGE_020, IN_DDI(BuildPagingBuffer), notice_is_unknown,
                SCENE_VIRTUAL | SCENE_MORE_RULES),
    BREAKS_RULE(PAGE_002, IN_DDI(BuildPagingBuffer), notice_is_refused, SCENE_VIRTUAL),
    BREAKS_RULE(SUBV_001, IN_DDI(SubmitCommandVirtual), paging_is_malformed, SCENE_VIRTUAL),
};

MISBEHAVIOURS(tables);
