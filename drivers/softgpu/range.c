/* range.c: swizzling ranges (WDDM 1.x).
 *
 * A client that locks with AcquireAperture wants to see an allocation while it lies in video
 * memory. On a device with tiled layouts a range would put the tiles in order; this one has the
 * linear layout alone and all of its memory in BAR 0, so a range is a name for the place, and needs
 * no register. What has to be known is where the allocation is: AcquireSwizzlingRange names the
 * segment only, and the place comes from paging.
 *
 * With UseAlternateVA the client's address outlives the place. VidMm may evict the allocation
 * under the lock, by SPECIAL_LOCK_TRANSFER (paging.c), and lets the address lead to system memory
 * then. */
#include "softgpu.h"

static struct softgpu_allocation *allocation_of(HANDLE handle)
{
    struct softgpu_allocation *allocation = handle;

    /* What paging names may be memory of a context, too. */
    return allocation != NULL && allocation->info.magic == SOFTGPU_UMD_ALLOCATION_MAGIC ? allocation
                                                                                        : NULL;
}

static void put(HANDLE handle, ULONGLONG address)
{
    struct softgpu_allocation *allocation = allocation_of(handle);

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

/* RangeSize stays: the allocation is as long here as there (SWZ-003). */
NTSTATUS NTAPI softgpu_acquire_range(const HANDLE adapter_handle,
                                     DXGKARG_ACQUIRESWIZZLINGRANGE *acquire)
{
    const struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_allocation *allocation = allocation_of(acquire->hAllocation);
    LONG64 place;

    PAGED_CODE();

    place = allocation != NULL ? InterlockedCompareExchange64(&allocation->place, 0, 0) : 0;
    if (place == 0 || acquire->RangeId >= adapter->settings.ranges) {
        return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED; /* no other failure (SWZ-002) */
    }
    acquire->CPUTranslatedAddress.QuadPart = adapter->vram_physical.QuadPart + place;
    return STATUS_SUCCESS;
}

/* Nothing was set up that others would have to leave alone (SWZ-004). */
NTSTATUS NTAPI softgpu_release_range(const HANDLE adapter_handle,
                                     const DXGKARG_RELEASESWIZZLINGRANGE *release)
{
    UNREFERENCED_PARAMETER(adapter_handle);
    UNREFERENCED_PARAMETER(release);
    PAGED_CODE();

    return STATUS_SUCCESS;
}
