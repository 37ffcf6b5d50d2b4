/* careless_copies.h: entries of page tables, copied as they are while the buffer is built. A
 * part of careless_state.c, whose words it uses. */
#ifndef CARELESS_COPIES_H
#define CARELESS_COPIES_H

/* Where the paging process shows pages that are nobody's memory: page tables, among others. */
enum { WINDOWS_MAX = 1024 };
static struct {
    ULONGLONG page, physical; /* physical: in video memory */
} windows[WINDOWS_MAX];
static ULONG window_next;

static VOID note_window(const struct softgpu_adapter *adapter, ULONGLONG page,
                        const DXGK_PTE *entry)
{
    ULONG i;

    for (i = 0; i < WINDOWS_MAX && windows[i].page != page; i++) {
    }
    if (i == WINDOWS_MAX) {
        i = window_next++ % WINDOWS_MAX;
    }
    windows[i].page = page;
    windows[i].physical =
        softgpu_segment_address(adapter, 1, entry->PageAddress << PAGE_SHIFT) - SOFTGPU_VRAM_BASE;
}

static VOID note_windows(const struct softgpu_adapter *adapter,
                         const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update)
{
    ULONG i;

    if (update->PageTableLevel != 0 || update->hAllocation) {
        return;
    }
    for (i = 0; i < update->NumPageTableEntries; i++) {
        const DXGK_PTE *entry = &update->pPageTableEntries[update->Flags.Repeat ? 0 : i];
        if (entry->Valid && entry->Segment == 1) {
            note_window(adapter, (update->FirstPteVirtualAddress >> PAGE_SHIFT) + i, entry);
        }
    }
}

/* The entry as it is in memory now. */
static BOOLEAN read_entry(const struct softgpu_adapter *adapter, ULONGLONG address,
                          ULONGLONG *entry)
{
    ULONG i;

    for (i = 0; i < WINDOWS_MAX; i++) {
        if (windows[i].page == address >> PAGE_SHIFT) {
            *entry =
                *(const volatile ULONGLONG *)(const void *)(adapter->vram + windows[i].physical +
                                                            (address & (PAGE_SIZE - 1)));
            return TRUE;
        }
    }
    return FALSE;
}

/* The entries of one range, in the command. */
static NTSTATUS write_now(const struct softgpu_adapter *adapter, DXGKARG_BUILDPAGINGBUFFER *paging,
                          const DXGK_BUILDPAGINGBUFFER_COPY_RANGE *range, const UCHAR *begin)
{
    struct softgpu_command_write_pte *write = paging->pDmaBuffer;
    ULONG bytes = (ULONG)sizeof *write + range->NumPageTableEntries * (ULONG)sizeof(ULONGLONG), i;
    ULONGLONG entry,
        to = range->DstPageTableAddress + range->DstStartPteIndex * sizeof(ULONGLONG),
        from = range->SrcPageTableAddress + range->SrcStartPteIndex * sizeof(ULONGLONG);

    if (paging->DmaSize < bytes + (ULONG)((UCHAR *)paging->pDmaBuffer - begin)) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    RtlZeroMemory(write, sizeof *write);
    write->header = SOFTGPU_COMMAND(SOFTGPU_OP_WRITE_PTE, bytes / 4);
    write->address = softgpu_address_of(to);
    write->stride_bytes = sizeof(ULONGLONG);
    write->entry_count = range->NumPageTableEntries;
    for (i = 0; i < range->NumPageTableEntries; i++) {
        if (!read_entry(adapter, from + i * sizeof entry, &entry)) {
            return STATUS_NOT_FOUND;
        }
        RtlCopyMemory((UCHAR *)(write + 1) + i * sizeof entry, &entry, sizeof entry);
    }
    paging->pDmaBuffer = (UCHAR *)paging->pDmaBuffer + bytes;
    return STATUS_SUCCESS;
}

/* "What is to be copied I can read now", before the updates that wait in front of it. */
static NTSTATUS NTAPI copies_what_is_there(const HANDLE handle, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    const struct softgpu_adapter *adapter = handle;

    if (paging->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) {
        note_windows(adapter, &paging->UpdatePageTable);
    }
    if (paging->Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES && !adapter->gone &&
        paging->MultipassOffset == 0) {
        VOID *begin = paging->pDmaBuffer;
        NTSTATUS status = STATUS_SUCCESS;
        for (UINT i = 0; i < paging->CopyPageTableEntries.NumRanges && NT_SUCCESS(status); i++) {
            status = write_now(adapter, paging, &paging->CopyPageTableEntries.pRanges[i], begin);
        }
        if (NT_SUCCESS(status)) {
            return status;
        }
        paging->pDmaBuffer = begin; /* a table whose place is not known, or two without room */
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(handle, paging);
}

#endif
