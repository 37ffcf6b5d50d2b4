/* pagetable.c: page tables, and paging by virtual addresses: some operations of
 * DxgkDdiBuildPagingBuffer.
 *
 * VidMm says what an entry means; here it becomes what the device reads. Three ways to write it, by
 * UpdateMode of each operation:
 *
 *   CPU_VIRTUAL    by the CPU, at once; the paging buffer, if any, stays as it is (UPT-005). The
 *                  paging process's first tables come so in any set-up
 *   GPU_VIRTUAL    by a command, under the table's address in the paging process
 *   GPU_PHYSICAL   by a command, under segment and offset
 *
 * Commands run in the address space of the paging buffer's context. How far an operation came when
 * a buffer was full is in MultipassOffset, in entries or ranges (PAGE-004). */
#include "softgpu.h"

#define PTE_BYTES  8u
#define PAIR_BYTES 16u

/* `room` counts down from DmaSize, which is dxgkrnl's. */
static NTSTATUS append(DXGKARG_BUILDPAGINGBUFFER *paging, ULONG *room, const void *command,
                       ULONG bytes)
{
    if (paging->pDmaBuffer == NULL) {
        return STATUS_INVALID_PARAMETER; /* dxgkrnl wants it at once, which it cannot be */
    }
    if (*room < bytes) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    RtlCopyMemory(paging->pDmaBuffer, command, bytes);
    paging->pDmaBuffer = (UCHAR *)paging->pDmaBuffer + bytes;
    *room -= bytes;
    return STATUS_SUCCESS;
}

/* ---- Entries --------------------------------------------------------------------------------- */

/* PageAddress counts pages from the beginning of the segment (UPT-021). */
static ULONGLONG hardware_entry(const struct softgpu_adapter *adapter, const DXGK_PTE *pte,
                                ULONG level)
{
    ULONGLONG entry = 0;

    if (pte->Zero) {
        entry |= SOFTGPU_PTE_ZERO;
    }
    if (!pte->Valid) {
        return entry; /* its address says nothing */
    }
    entry |= SOFTGPU_PTE_VALID;
    entry |= softgpu_segment_address(adapter, (ULONG)pte->Segment,
                                     pte->PageAddress << SOFTGPU_PAGE_SHIFT) &
             SOFTGPU_PTE_GPU_MASK;
    if (level != 0 && pte->LargePage) {
        entry |= SOFTGPU_PTE_LARGE;
    }
    if (level == 1 && !adapter->settings.dual_pte &&
        pte->PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB) {
        entry |= SOFTGPU_PTE_LEAF_64K;
    }
    if (level == 0 || pte->LargePage) {
        entry |= pte->ReadOnly ? SOFTGPU_PTE_READ_ONLY : 0;
        entry |= pte->NoExecute ? SOFTGPU_PTE_NO_EXECUTE : 0;
        entry |= pte->CacheCoherent ? SOFTGPU_PTE_COHERENT : 0;
    }
    return entry;
}

/* ---- UPDATE_PAGE_TABLE ----------------------------------------------------------------------- */

/* One row of entries: into a table, or into one half of a table of pairs. */
struct update {
    const struct softgpu_adapter *adapter;
    const DXGK_PTE *entries;
    ULONG level, count;
    BOOLEAN repeat;
    ULONG stride, offset; /* bytes, from one entry to the next and from the table to the first */
};

static ULONGLONG entry_at(const struct update *update, ULONG index)
{
    return hardware_entry(update->adapter, &update->entries[update->repeat ? 0 : index],
                          update->level);
}

/* Whole entries, one after the other: an engine may be reading the table. */
static void write_by_cpu(const struct update *update, void *table)
{
    UCHAR *place = (UCHAR *)table + update->offset;
    ULONG i;

    for (i = 0; i < update->count; i++) {
        *(volatile ULONGLONG *)(void *)(place + (SIZE_T)i * update->stride) = entry_at(update, i);
    }
    KeMemoryBarrier();
}

/* Where commands of one operation go. */
struct queue {
    DXGKARG_BUILDPAGINGBUFFER *paging;
    ULONGLONG table;
    ULONG room, done; /* bytes; entries */
};

/* Entries of the row from `first` on, as many as fit. */
static NTSTATUS write_by_command(const struct update *update, struct queue *queue, ULONG first)
{
    DXGKARG_BUILDPAGINGBUFFER *paging = queue->paging;
    struct softgpu_command_write_pte write;
    ULONG entries_max = (0xFFFFu - (ULONG)SOFTGPU_COMMAND_WORDS_OF(write)) / 2;
    ULONG count = update->count - first, sent, i;
    ULONGLONG entry;
    NTSTATUS status;

    if (queue->room < sizeof(write) + PTE_BYTES) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    if (!update->repeat) {
        ULONG room = (queue->room - (ULONG)sizeof(write)) / PTE_BYTES;

        count = count > room ? room : count;
        count = count > entries_max ? entries_max : count;
    }
    sent = update->repeat ? 1 : count;
    RtlZeroMemory(&write, sizeof(write));
    write.header =
        SOFTGPU_COMMAND(SOFTGPU_OP_WRITE_PTE, SOFTGPU_COMMAND_WORDS_OF(write) + sent * 2);
    write.flags = (update->repeat ? SOFTGPU_PTES_REPEAT : 0) |
                  (paging->UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL
                       ? SOFTGPU_PTES_PHYSICAL
                       : 0);
    write.address =
        softgpu_address_of(queue->table + update->offset + (ULONGLONG)first * update->stride);
    write.stride_bytes = update->stride;
    write.entry_count = count;
    status = append(paging, &queue->room, &write, sizeof(write));
    for (i = 0; i < sent && NT_SUCCESS(status); i++) {
        entry = entry_at(update, first + i);
        status = append(paging, &queue->room, &entry, sizeof(entry));
    }
    if (NT_SUCCESS(status)) {
        queue->done += count;
    }
    return status;
}

/* Both halves, one after the other; MultipassOffset counts through them. */
static NTSTATUS queue_rows(DXGKARG_BUILDPAGINGBUFFER *paging, const struct update *rows,
                           ULONG row_count, ULONGLONG table)
{
    struct queue queue = {paging, table, paging->DmaSize, paging->MultipassOffset};
    ULONG row, before = 0;
    NTSTATUS status = STATUS_SUCCESS;

    for (row = 0; row < row_count; row++) {
        while (NT_SUCCESS(status) && queue.done < before + rows[row].count) {
            status = write_by_command(&rows[row], &queue, queue.done - before);
        }
        before += rows[row].count;
    }
    paging->MultipassOffset = queue.done;
    return status;
}

/* An entry of level 1 is a pair if the device was set up so: the 4 KiB table first. */
static ULONG make_rows(const struct softgpu_adapter *adapter,
                       const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *operation,
                       struct update rows[2])
{
    static const DXGK_PTE no_entry;
    BOOLEAN pairs = operation->PageTableLevel == 1 && adapter->settings.dual_pte;
    struct update row;
    ULONG count = 0;

    RtlZeroMemory(&row, sizeof(row));
    row.adapter = adapter;
    row.level = operation->PageTableLevel;
    row.count = operation->NumPageTableEntries;
    row.repeat = operation->Flags.Repeat != 0;
    row.stride = pairs ? PAIR_BYTES : PTE_BYTES;
    if (operation->pPageTableEntries != NULL) {
        row.entries = operation->pPageTableEntries;
        row.offset = operation->StartIndex * row.stride;
        /* Without the second array the flag says which tables these entries lead to. */
        if (pairs && operation->pPageTableEntries64KB == NULL && operation->Flags.Use64KBPages) {
            row.offset += PTE_BYTES;
        }
        rows[count++] = row;
    }
    if (pairs && operation->pPageTableEntries64KB != NULL) {
        row.entries = operation->pPageTableEntries64KB;
        row.offset = operation->StartIndex * row.stride + PTE_BYTES;
        rows[count++] = row;
    } else if (pairs && operation->Flags.InitialUpdate && !operation->Flags.Use64KBPages) {
        /* The table's memory is arbitrary before (UPT-009): no half of it stays so. */
        row.entries = &no_entry;
        row.repeat = TRUE;
        row.offset = operation->StartIndex * row.stride + PTE_BYTES;
        rows[count++] = row;
    }
    return count;
}

/* A table of 64 KiB pages has one entry for each of them, and so has the array then (UPT-017). */
NTSTATUS softgpu_update_page_table(struct softgpu_adapter *adapter,
                                   DXGKARG_BUILDPAGINGBUFFER *paging)
{
    const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *operation = &paging->UpdatePageTable;
    struct update rows[2];
    ULONG row, count = make_rows(adapter, operation, rows);
    ULONGLONG table;

    switch (operation->UpdateMode) {
    case DXGK_PAGETABLEUPDATE_CPU_VIRTUAL:
        for (row = 0; row < count && !adapter->gone; row++) {
            write_by_cpu(&rows[row], operation->PageTableAddress.CpuVirtual);
        }
        return STATUS_SUCCESS;
    case DXGK_PAGETABLEUPDATE_GPU_VIRTUAL:
        table = operation->PageTableAddress.GpuVirtual;
        break;
    case DXGK_PAGETABLEUPDATE_GPU_PHYSICAL:
        table = softgpu_segment_address(adapter, operation->PageTableAddress.GpuPhysical.SegmentId,
                                        operation->PageTableAddress.GpuPhysical.SegmentOffset);
        break;
    default:
        return STATUS_INVALID_PARAMETER;
    }
    return queue_rows(paging, rows, count, table);
}

/* ---- FLUSH_TLB ------------------------------------------------------------------------------- */

/* In order with the updates that it belongs to: by a command, or at once if they were (TLB-002). */
NTSTATUS softgpu_flush_tlb(struct softgpu_adapter *adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    const struct softgpu_process *process = paging->FlushTlb.hProcess;
    struct softgpu_command_flush_tlb flush;
    ULONG room = paging->DmaSize;

    if (process == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    if (paging->pDmaBuffer == NULL) {
        softgpu_write(adapter, SOFTGPU_REG_MMU_FLUSH, process->tag);
        return STATUS_SUCCESS;
    }
    RtlZeroMemory(&flush, sizeof(flush));
    flush.header = SOFTGPU_COMMAND(SOFTGPU_OP_FLUSH_TLB, SOFTGPU_COMMAND_WORDS_OF(flush));
    flush.tag = process->tag;
    flush.start = softgpu_address_of(paging->FlushTlb.StartVirtualAddress);
    flush.end = softgpu_address_of(paging->FlushTlb.EndVirtualAddress);
    return append(paging, &room, &flush, sizeof(flush));
}

/* ---- COPY_PAGE_TABLE_ENTRIES ----------------------------------------------------------------- */

/* Entries as they are when the engine gets there (CPTE-003). */
NTSTATUS softgpu_copy_page_table_entries(DXGKARG_BUILDPAGINGBUFFER *paging)
{
    struct softgpu_command_copy_pte copy;
    ULONG room = paging->DmaSize;
    NTSTATUS status = STATUS_SUCCESS;

    while (paging->MultipassOffset < paging->CopyPageTableEntries.NumRanges) {
        const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range =
            &paging->CopyPageTableEntries.pRanges[paging->MultipassOffset];

        RtlZeroMemory(&copy, sizeof(copy));
        copy.header = SOFTGPU_COMMAND(SOFTGPU_OP_COPY_PTE, SOFTGPU_COMMAND_WORDS_OF(copy));
        copy.destination = softgpu_address_of(range->DstPageTableAddress +
                                              (ULONGLONG)range->DstStartPteIndex * PTE_BYTES);
        copy.source = softgpu_address_of(range->SrcPageTableAddress +
                                         (ULONGLONG)range->SrcStartPteIndex * PTE_BYTES);
        copy.entry_count = range->NumPageTableEntries;
        status = append(paging, &room, &copy, sizeof(copy));
        if (!NT_SUCCESS(status)) {
            break;
        }
        paging->MultipassOffset++;
    }
    return status;
}

/* ---- Bytes by virtual address ---------------------------------------------------------------- */

/* The addresses hold the offset in the allocation already (VXFER-003). There is no layout but the
 * linear one, so the allocation is not looked at. */
NTSTATUS softgpu_virtual_transfer(DXGKARG_BUILDPAGINGBUFFER *paging)
{
    struct softgpu_command_copy copy;
    ULONG room = paging->DmaSize;
    ULONGLONG bytes = paging->TransferVirtual.TransferSizeInBytes;

    if (bytes == 0) {
        return STATUS_SUCCESS;
    }
    RtlZeroMemory(&copy, sizeof(copy));
    copy.header = SOFTGPU_COMMAND(SOFTGPU_OP_COPY, SOFTGPU_COMMAND_WORDS_OF(copy));
    copy.destination = softgpu_address_of(paging->TransferVirtual.DestinationVirtualAddress);
    copy.source = softgpu_address_of(paging->TransferVirtual.SourceVirtualAddress);
    copy.size_low = (ULONG)bytes;
    copy.size_high = (ULONG)(bytes >> 32);
    return append(paging, &room, &copy, sizeof(copy));
}

NTSTATUS softgpu_virtual_fill(DXGKARG_BUILDPAGINGBUFFER *paging)
{
    struct softgpu_command_fill fill;
    ULONG room = paging->DmaSize;
    ULONGLONG bytes = paging->FillVirtual.FillSizeInBytes;

    if (bytes == 0) {
        return STATUS_SUCCESS;
    }
    RtlZeroMemory(&fill, sizeof(fill));
    fill.header = SOFTGPU_COMMAND(SOFTGPU_OP_FILL, SOFTGPU_COMMAND_WORDS_OF(fill));
    fill.pattern = paging->FillVirtual.FillPattern;
    fill.address = softgpu_address_of(paging->FillVirtual.DestinationVirtualAddress);
    fill.size_low = (ULONG)bytes;
    fill.size_high = (ULONG)(bytes >> 32);
    return append(paging, &room, &fill, sizeof(fill));
}

/* ---- Notices and fences ---------------------------------------------------------------------- */

/* The engines learn of it by page tables; the driver keeps it for whoever looks at a dump. */
NTSTATUS softgpu_notify_residency(const struct softgpu_adapter *adapter,
                                  const DXGKARG_BUILDPAGINGBUFFER *paging)
{
    struct softgpu_allocation *allocation = paging->NotifyResidency.hAllocation;

    if (allocation == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    allocation->resident_address =
        paging->NotifyResidency.Resident
            ? softgpu_segment_address(adapter, paging->NotifyResidency.PhysicalAddress.SegmentId,
                                      paging->NotifyResidency.PhysicalAddress.SegmentOffset)
            : 0;
    return STATUS_SUCCESS;
}

/* The same of a part: where the first byte is, as far as it is in video memory (gsc). */
NTSTATUS softgpu_notify_residency2(const struct softgpu_adapter *adapter,
                                   const DXGKARG_BUILDPAGINGBUFFER *paging)
{
    struct softgpu_allocation *allocation = paging->NotifyResidency2.hAllocation;
    ULONG segment = paging->NotifyResidency2.SegmentId;
    ULONGLONG place = 0;

    if (allocation == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    if (paging->NotifyResidency2.AllocationOffsetInPages != 0) {
        return STATUS_SUCCESS;
    }
    if (paging->NotifyResidency2.Resident) {
        place = segment != 0
                    ? softgpu_segment_address(
                          adapter, segment, paging->NotifyResidency2.PhysicalAddress.SegmentOffset)
                    : softgpu_segment_address(
                          adapter, 0,
                          (ULONGLONG)*MmGetMdlPfnArray(paging->NotifyResidency2.Mdl) << PAGE_SHIFT);
    }
    allocation->resident_address = place;
    return STATUS_SUCCESS;
}

/* It is about to leave the IOMMU, which tells our TLBs nothing (NALLOC-007). */
static NTSTATUS notify_unmap(DXGKARG_BUILDPAGINGBUFFER *paging)
{
    const DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC *notice = &paging->NotifyAllocation;
    const struct softgpu_process *process = notice->hKmdProcessHandle;
    struct softgpu_command_flush_tlb flush;
    ULONG room = paging->DmaSize;

    if (process == NULL || notice->SizeInBytes == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    RtlZeroMemory(&flush, sizeof(flush));
    flush.header = SOFTGPU_COMMAND(SOFTGPU_OP_FLUSH_TLB, SOFTGPU_COMMAND_WORDS_OF(flush));
    flush.tag = process->tag;
    flush.start = softgpu_address_of(notice->GpuVirtualAddressAtOffset);
    flush.end = softgpu_address_of(notice->GpuVirtualAddressAtOffset + notice->SizeInBytes);
    return append(paging, &room, &flush, sizeof(flush));
}

/* Here a driver brings back into plain form what its engines keep otherwise. These keep nothing so;
 * the part is gone through all the same, and stays what it is. */
NTSTATUS softgpu_notify_allocation(DXGKARG_BUILDPAGINGBUFFER *paging)
{
    struct softgpu_command_copy copy;
    ULONG room = paging->DmaSize;
    ULONGLONG bytes = paging->NotifyAllocation.SizeInBytes;

    if (paging->NotifyAllocation.Flags.IoMmuUnmap) {
        return notify_unmap(paging);
    }
    if (!paging->NotifyAllocation.Flags.Eviction || bytes == 0) {
        return STATUS_SUCCESS;
    }
    RtlZeroMemory(&copy, sizeof(copy));
    copy.header = SOFTGPU_COMMAND(SOFTGPU_OP_COPY, SOFTGPU_COMMAND_WORDS_OF(copy));
    copy.destination = softgpu_address_of(paging->NotifyAllocation.GpuVirtualAddressAtOffset);
    copy.source = copy.destination; /* the offset is in it already (NALLOC-008) */
    copy.size_low = (ULONG)bytes;
    copy.size_high = (ULONG)(bytes >> 32);
    return append(paging, &room, &copy, sizeof(copy));
}

NTSTATUS softgpu_signal_monitored_fence(DXGKARG_BUILDPAGINGBUFFER *paging)
{
    struct softgpu_command_fence64 fence;
    ULONG room = paging->DmaSize;

    RtlZeroMemory(&fence, sizeof(fence));
    fence.header = SOFTGPU_COMMAND(SOFTGPU_OP_FENCE64, SOFTGPU_COMMAND_WORDS_OF(fence));
    fence.address = softgpu_address_of(paging->SignalMonitoredFence.MonitoredFenceGpuVa);
    fence.value_low = (ULONG)paging->SignalMonitoredFence.MonitoredFenceValue;
    fence.value_high = (ULONG)(paging->SignalMonitoredFence.MonitoredFenceValue >> 32);
    return append(paging, &room, &fence, sizeof(fence));
}
