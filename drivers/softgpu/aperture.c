/* aperture.c: the aperture segment's page table.
 *
 * The aperture is a range of GPU addresses whose pages the table, in video memory, leads to pages
 * of system memory. VidMm says which: MAP_APERTURE_SEGMENT, UNMAP_APERTURE_SEGMENT. While it does,
 * the engines run; they use other pages of the aperture (MAPAP-010), and entries are written
 * whole, so nobody is disturbed.
 *
 * Two ways to write the table, by the setting ApertureQueued:
 *   0, the default: by the CPU, at once; the paging buffer stays as it is (PAGE-012). Right because
 *      VidMm unmaps nothing that the GPU still uses (UNMAPAP-002)
 *   1: by commands in the paging buffer, in order with everything else; then an unmap may have to
 *      ask for a fresh buffer, which is no failure (PAGE-004) */
#include "softgpu.h"

static ULONGLONG table_entry(ULONGLONG physical)
{
    return (physical & SOFTGPU_PTE_ADDRESS_MASK) | SOFTGPU_PTE_VALID;
}

static BOOLEAN is_range_valid(const struct softgpu_adapter *adapter, ULONG segment, SIZE_T first,
                              SIZE_T count)
{
    return segment == softgpu_aperture_segment(adapter) && first <= adapter->aperture_pages &&
           count <= adapter->aperture_pages - first;
}

/* What a range shall lead to, page by page. */
struct pages {
    const PFN_NUMBER *list; /* NULL: they follow one another */
    ULONGLONG first;
};

static ULONGLONG page_number(const struct pages *pages, SIZE_T index)
{
    return pages->list != NULL ? pages->list[index] : pages->first + index;
}

/* ---- By commands --------------------------------------------------------------------------------
 */

static NTSTATUS queue_map(DXGKARG_BUILDPAGINGBUFFER *paging, ULONG first, ULONG count,
                          const struct pages *frames)
{
    struct softgpu_command_map_aperture map;
    ULONG done = paging->MultipassOffset, pages, i, room = paging->DmaSize;
    ULONG pages_max = (0xFFFFu - (ULONG)SOFTGPU_COMMAND_WORDS_OF(map)) / 2;
    UCHAR *cursor = paging->pDmaBuffer;
    ULONGLONG frame;

    while (done < count) {
        if (room < sizeof(map) + sizeof(frame)) {
            return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        }
        pages = (room - (ULONG)sizeof(map)) / (ULONG)sizeof(frame);
        pages = pages < pages_max ? pages : pages_max;
        pages = pages < count - done ? pages : count - done;

        RtlZeroMemory(&map, sizeof(map));
        map.header =
            SOFTGPU_COMMAND(SOFTGPU_OP_MAP_APERTURE, SOFTGPU_COMMAND_WORDS_OF(map) + pages * 2);
        map.first_page = first + done;
        map.page_count = pages;
        RtlCopyMemory(cursor, &map, sizeof(map));
        cursor += sizeof(map);
        for (i = 0; i < pages; i++) {
            frame = page_number(frames, done + i);
            RtlCopyMemory(cursor, &frame, sizeof(frame));
            cursor += sizeof(frame);
        }
        room -= (ULONG)(sizeof(map) + pages * sizeof(frame));
        done += pages;
        paging->pDmaBuffer = cursor;
        paging->MultipassOffset = done;
    }
    return STATUS_SUCCESS;
}

/* One command, whatever the number of pages: all lead to the dummy page. */
static NTSTATUS queue_unmap(DXGKARG_BUILDPAGINGBUFFER *paging, ULONG first, ULONG count,
                            ULONGLONG dummy)
{
    struct softgpu_command_map_aperture map;
    UCHAR *cursor = paging->pDmaBuffer;

    if (paging->DmaSize < sizeof(map)) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    RtlZeroMemory(&map, sizeof(map));
    map.header = SOFTGPU_COMMAND(SOFTGPU_OP_MAP_APERTURE, SOFTGPU_COMMAND_WORDS_OF(map));
    map.flags = SOFTGPU_MAP_REPEAT;
    map.first_page = first;
    map.page_count = count;
    map.list_address = softgpu_address_of(dummy);
    RtlCopyMemory(cursor, &map, sizeof(map));
    paging->pDmaBuffer = cursor + sizeof(map);
    return STATUS_SUCCESS;
}

/* ---- The operations -------------------------------------------------------------------------- */

static NTSTATUS map_pages(struct softgpu_adapter *adapter, DXGKARG_BUILDPAGINGBUFFER *paging,
                          SIZE_T first, SIZE_T count, const struct pages *pages)
{
    SIZE_T i;

    if (adapter->settings.aperture_queued) {
        return queue_map(paging, (ULONG)first, (ULONG)count, pages);
    }
    for (i = 0; i < count && !adapter->gone; i++) {
        adapter->aperture_table[first + i] =
            table_entry(page_number(pages, i) << SOFTGPU_PAGE_SHIFT);
    }
    KeMemoryBarrier();
    return STATUS_SUCCESS;
}

/* Page i of the range leads to frame MdlOffset + i of the MDL (MAPAP-007). The device snoops the
 * CPU's caches always, so CacheCoherent asks for nothing more. hAllocation may be NULL, for a DMA
 * buffer (MAPAP-004); it is not needed. */
NTSTATUS softgpu_map_aperture(struct softgpu_adapter *adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    SIZE_T first = paging->MapApertureSegment.OffsetInPages;
    SIZE_T count = paging->MapApertureSegment.NumberOfPages;
    struct pages pages = {NULL, 0};

    if (!is_range_valid(adapter, paging->MapApertureSegment.SegmentId, first, count)) {
        return STATUS_INVALID_PARAMETER; /* dxgkrnl's mistake; there is no answer for it */
    }
    pages.list =
        MmGetMdlPfnArray(paging->MapApertureSegment.pMdl) + paging->MapApertureSegment.MdlOffset;
    return map_pages(adapter, paging, first, count, &pages);
}

/* From the mapping to the end of it. What is no client's has no view. */
static void note_view(HANDLE handle, const void *view)
{
    struct softgpu_allocation *allocation = handle;

    if (allocation != NULL && allocation->info.magic == SOFTGPU_UMD_ALLOCATION_MAGIC) {
        allocation->aperture_view = view;
    }
}

/* The same with an address list, of either form (MAPAP2-004); AdlOffset counts its pages
 * (MAPAP2-007). These are what the device has to say on the bus, and need not be the CPU's. */
NTSTATUS softgpu_map_aperture2(struct softgpu_adapter *adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    SIZE_T first = paging->MapApertureSegment2.OffsetInPages;
    SIZE_T count = paging->MapApertureSegment2.NumberOfPages;
    const DXGK_ADL *adl = &paging->MapApertureSegment2.Adl;
    struct pages pages = {NULL, 0};

    if (!is_range_valid(adapter, paging->MapApertureSegment2.SegmentId, first, count)) {
        return STATUS_INVALID_PARAMETER;
    }
    note_view(paging->MapApertureSegment2.hAllocation,
              paging->MapApertureSegment2.CpuVisibleAddress);
    if (adl->Flags.Contiguous) {
        pages.first = adl->BasePageNumber + paging->MapApertureSegment2.AdlOffset;
    } else {
        pages.list = adl->Pages + paging->MapApertureSegment2.AdlOffset;
    }
    return map_pages(adapter, paging, first, count, &pages);
}

/* The range stays accessible, on the dummy page (UNMAPAP-003), and this never fails (UNMAPAP-005).
 * While the device is being reset nothing is queued for it (TDR-006). */
NTSTATUS softgpu_unmap_aperture(struct softgpu_adapter *adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    SIZE_T first = paging->UnmapApertureSegment.OffsetInPages;
    SIZE_T count = paging->UnmapApertureSegment.NumberOfPages;
    ULONGLONG dummy = (ULONGLONG)paging->UnmapApertureSegment.DummyPage.QuadPart;
    SIZE_T i;

    if (!is_range_valid(adapter, paging->UnmapApertureSegment.SegmentId, first, count)) {
        return STATUS_INVALID_PARAMETER;
    }
    note_view(paging->UnmapApertureSegment.hAllocation, NULL);
    if (adapter->settings.aperture_queued && !adapter->in_reset) {
        return queue_unmap(paging, (ULONG)first, (ULONG)count, dummy);
    }
    for (i = 0; i < count && !adapter->gone; i++) {
        adapter->aperture_table[first + i] = table_entry(dummy);
    }
    KeMemoryBarrier();
    return STATUS_SUCCESS;
}
