/* range.c: swizzling ranges (WDDM 1.x).
 *
 * A client that locks with AcquireAperture wants to see an allocation while it lies in video
 * memory. A linear one it sees where it is: all video memory is in BAR 0, so the range is a name
 * for the place, and needs no register. The pages of a swizzled surface stand in another order
 * there; they are shown in theirs by pages at the end of BAR 0, through the table of the host
 * aperture. These are ours to share out; when they run out, VidMm releases a range and asks again.
 * What has to be known is where the allocation is: AcquireSwizzlingRange names the segment only,
 * and the place comes from paging.
 *
 * With UseAlternateVA the client's address outlives the place. VidMm may evict the allocation
 * under the lock, by SPECIAL_LOCK_TRANSFER (paging.c), and lets the address lead to system memory
 * then. */
#include "softgpu.h"

struct softgpu_allocation *softgpu_allocation_of(HANDLE handle)
{
    struct softgpu_allocation *allocation = handle;

    /* What paging names may be memory of a context, too. */
    return allocation != NULL && allocation->info.magic == SOFTGPU_UMD_ALLOCATION_MAGIC ? allocation
                                                                                        : NULL;
}

static void put(HANDLE handle, ULONGLONG address)
{
    struct softgpu_allocation *allocation = softgpu_allocation_of(handle);

    if (allocation != NULL) {
        InterlockedExchange64(&allocation->place, (LONG64)address);
    }
}

static ULONGLONG vram_address(const struct softgpu_adapter *adapter, ULONG segment,
                              LARGE_INTEGER address)
{
    return segment != 0 && segment < softgpu_aperture_segment(adapter) ? (ULONGLONG)address.QuadPart
                                                                       : 0;
}

void softgpu_range_moved(const struct softgpu_adapter *adapter,
                         const DXGKARG_BUILDPAGINGBUFFER *paging)
{
    switch (paging->Operation) {
    case DXGK_OPERATION_TRANSFER:
        put(paging->Transfer.hAllocation,
            paging->Transfer.TransferSize == 0
                ? 0
                : vram_address(adapter, paging->Transfer.Destination.SegmentId,
                               paging->Transfer.Destination.SegmentAddress));
        break;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        put(paging->SpecialLockTransfer.hAllocation,
            vram_address(adapter, paging->SpecialLockTransfer.Destination.SegmentId,
                         paging->SpecialLockTransfer.Destination.SegmentAddress));
        break;
    case DXGK_OPERATION_FILL:
        put(paging->Fill.hAllocation, vram_address(adapter, paging->Fill.Destination.SegmentId,
                                                   paging->Fill.Destination.SegmentAddress));
        break;
    case DXGK_OPERATION_DISCARD_CONTENT:
        put(paging->DiscardContent.hAllocation, 0);
        break;
    default:
        break;
    }
}

/* ---- Swizzled surfaces ----------------------------------------------------------------------- */

/* The first of so many pages in a row that show nothing. FALSE: there are none. */
static BOOLEAN find_pages(const struct softgpu_adapter *adapter, ULONG count, ULONG *first)
{
    ULONG i, run = 0;

    for (i = 0; i < adapter->host_pages && run < count; i++) {
        run = adapter->host_table[i] == 0 ? run + 1 : 0;
    }
    *first = i - run;
    return count > 0 && run == count;
}

static void hide(struct softgpu_adapter *adapter, struct softgpu_range *range)
{
    softgpu_host_aperture_show(adapter, range->first_page, range->page_count, NULL);
    range->page_count = 0;
}

/* `place` is where the surface is in video memory. */
static NTSTATUS show_in_order(struct softgpu_adapter *adapter, struct softgpu_range *range,
                              const struct softgpu_allocation *allocation, ULONGLONG place)
{
    ULONG pages = allocation->bank_pages * SOFTGPU_BANK_COUNT, first, i;
    ULONGLONG *addresses;

    if (adapter->range_bytes == 0 || pages > adapter->host_pages) {
        return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED;
    }
    if (!find_pages(adapter, pages, &first)) {
        return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE;
    }
    addresses = ExAllocatePool2(POOL_FLAG_PAGED, pages * sizeof(*addresses), SOFTGPU_TAG_TEMP);
    if (addresses == NULL) {
        return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED; /* no other failure (SWZ-002) */
    }
    for (i = 0; i < pages; i++) {
        addresses[i] = place + ((ULONGLONG)SOFTGPU_BANK_PLACE(i, allocation->bank_pages)
                                << SOFTGPU_PAGE_SHIFT);
    }
    softgpu_host_aperture_show(adapter, first, pages, addresses);
    range->first_page = first;
    range->page_count = pages;
    ExFreePoolWithTag(addresses, SOFTGPU_TAG_TEMP);
    return STATUS_SUCCESS;
}

/* ---- The DDIs -------------------------------------------------------------------------------- */

/* RangeSize stays: the allocation is as long here as there (SWZ-003). */
NTSTATUS NTAPI softgpu_acquire_range(const HANDLE adapter_handle,
                                     DXGKARG_ACQUIRESWIZZLINGRANGE *acquire)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_allocation *allocation = softgpu_allocation_of(acquire->hAllocation);
    NTSTATUS status = STATUS_SUCCESS;
    LONG64 place;

    PAGED_CODE();

    place = allocation != NULL ? InterlockedCompareExchange64(&allocation->place, 0, 0) : 0;
    if (place == 0 || acquire->RangeId >= adapter->settings.ranges) {
        return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED; /* no other failure (SWZ-002) */
    }
    if (allocation->bank_pages != 0) {
        struct softgpu_range *range = &adapter->ranges[acquire->RangeId];

        status = show_in_order(adapter, range, allocation, (ULONGLONG)place);
        place = (LONG64)(adapter->vram_bytes - adapter->range_bytes +
                         ((ULONGLONG)range->first_page << SOFTGPU_PAGE_SHIFT));
    }
    if (NT_SUCCESS(status)) {
        acquire->CPUTranslatedAddress.QuadPart = adapter->vram_physical.QuadPart + place;
    }
    return status;
}

/* Others of the allocation stay as they are (SWZ-004). */
NTSTATUS NTAPI softgpu_release_range(const HANDLE adapter_handle,
                                     const DXGKARG_RELEASESWIZZLINGRANGE *release)
{
    struct softgpu_adapter *adapter = adapter_handle;

    PAGED_CODE();

    if (release->RangeId < adapter->settings.ranges &&
        adapter->ranges[release->RangeId].page_count != 0) {
        hide(adapter, &adapter->ranges[release->RangeId]);
    }
    return STATUS_SUCCESS;
}
