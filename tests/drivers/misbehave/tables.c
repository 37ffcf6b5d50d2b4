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

static const struct misbehaviour rows[] = {
    BREAKS_RULE(UPT_005, IN_DDI(BuildPagingBuffer), table_not_written,
                SCENE_VIRTUAL | SCENE_MORE_RULES),
    BREAKS_RULE(UPT_006, IN_DDI(BuildPagingBuffer), second_half_is_lost,
                SCENE_VIRTUAL | SCENE_CONTENT),
    BREAKS_RULE(TLB_002, IN_DDI(BuildPagingBuffer), flush_is_forgotten,
                SCENE_VIRTUAL | SCENE_CONTENT | SCENE_MORE_RULES),
    BREAKS_RULE(VXFER_003, IN_DDI(BuildPagingBuffer), offset_is_added,
                SCENE_VIRTUAL | SCENE_CONTENT | SCENE_MORE_RULES),
    BREAKS_RULE(XFER_020, IN_DDI(BuildPagingBuffer), move_too_short, SCENE_VIRTUAL | SCENE_CONTENT),
    BREAKS_RULE(VFILL_003, IN_DDI(BuildPagingBuffer), fill_with_another_pattern,
                SCENE_VIRTUAL | SCENE_CONTENT),
    BREAKS_RULE(NALLOC_008, IN_DDI(BuildPagingBuffer), offset_of_notice_is_added, SCENE_VIRTUAL),
    BREAKS_RULE(NALLOC_008, IN_DDI(BuildPagingBuffer), notice_of_the_whole, SCENE_VIRTUAL),
    BREAKS_RULE(PAGE_020, IN_DDI(BuildPagingBuffer), notice_is_unknown,
                SCENE_VIRTUAL | SCENE_MORE_RULES),
    BREAKS_RULE(PAGE_002, IN_DDI(BuildPagingBuffer), notice_is_refused, SCENE_VIRTUAL),
    BREAKS_RULE(SUBV_001, IN_DDI(SubmitCommandVirtual), paging_is_malformed, SCENE_VIRTUAL),
};

MISBEHAVIOURS(tables);
