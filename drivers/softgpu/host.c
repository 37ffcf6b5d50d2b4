/* host.c: the CPU host aperture (WDDM 2.x), and the table that swizzling ranges use (range.c).
 *
 * With the setting CpuHostAperture the end of BAR 0 is an aperture of the CPU's: each of its pages
 * shows the page of video memory that a table says, which the device reads when it is told to.
 * VidMm sees video memory through it alone, as it would on a device whose BAR is small: it says
 * which pages, by MapCpuHostAperture and UnmapCpuHostAperture (CHA-003), from the enumeration of
 * segments on (CHA-001). Every segment has its share.
 *
 * The table in video memory is the device's. What it has to hold stands in host_table, too: a reset
 * or low power may take the memory, and VidMm is not going to say it again. */
#include "softgpu.h"

#define PAGES_PER_64K 16u

/* Pages of BAR 0 that a page of the segment has. */
static ULONG unit(const struct softgpu_adapter *adapter)
{
    return adapter->settings.gpu_mmu && adapter->settings.vram_64k ? PAGES_PER_64K : 1;
}

static ULONG share(const struct softgpu_adapter *adapter)
{
    ULONG pages = adapter->host_pages / adapter->settings.vram_segments;

    return pages - pages % PAGES_PER_64K;
}

ULONGLONG softgpu_host_aperture_of(const struct softgpu_adapter *adapter, ULONG segment,
                                   ULONG *pages)
{
    ULONG first = (segment - 1) * share(adapter);

    *pages = share(adapter) / unit(adapter);
    return adapter->vram_bytes - ((ULONGLONG)(adapter->host_pages - first) << SOFTGPU_PAGE_SHIFT);
}

/* An entry of the table; the device has not read it yet. */
static void write_entry(const struct softgpu_adapter *adapter, ULONG page, ULONGLONG entry)
{
    volatile ULONGLONG *table =
        (volatile ULONGLONG *)(void *)(adapter->vram + adapter->host_table_offset);

    adapter->host_table[page] = entry;
    if (!adapter->gone) {
        table[page] = entry;
    }
}

/* One register, so that calls from several threads do not get in each other's way. */
static void tell_device(const struct softgpu_adapter *adapter, ULONG first, ULONG count)
{
    ULONG part;

    KeMemoryBarrier();
    for (; count > 0; first += part, count -= part) {
        part = count < SOFTGPU_HOST_COUNT_MAX ? count : SOFTGPU_HOST_COUNT_MAX;
        softgpu_write(adapter, SOFTGPU_REG_HOST_UPDATE, SOFTGPU_HOST_PAGES(first, part));
    }
}

void softgpu_host_aperture_show(const struct softgpu_adapter *adapter, ULONG first, ULONG count,
                                const ULONGLONG *addresses)
{
    ULONG i;

    for (i = 0; i < count; i++) {
        ULONGLONG entry = addresses != NULL ? addresses[i] | SOFTGPU_PTE_VALID : 0;

        if (adapter->in_reset) {
            adapter->host_table[first + i] = entry; /* the device is told afterwards */
        } else {
            write_entry(adapter, first + i, entry);
        }
    }
    if (!adapter->in_reset) {
        tell_device(adapter, first, count);
    }
}

/* Before any page is led anywhere: a call that fails has changed nothing. */
static BOOLEAN are_in_reach(const struct softgpu_adapter *adapter, ULONG segment,
                            const UINT32 *pages, const UINT64 *shown, UINT64 count)
{
    ULONG own = unit(adapter);
    ULONGLONG base, size;
    UINT64 i;

    if (segment == 0 || segment >= softgpu_aperture_segment(adapter)) {
        return FALSE;
    }
    softgpu_vram_segment(adapter, segment, &base, &size);
    for (i = 0; i < count; i++) {
        if (pages[i] >= share(adapter) / own ||
            (shown != NULL && shown[i] >= size / own >> SOFTGPU_PAGE_SHIFT)) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Pages of the aperture, in the order of dxgkrnl's list, and what they show: pages of the segment,
 * or with NULL nothing. Neighbours in the list that are neighbours in BAR 0 go together. */
static NTSTATUS lead(const struct softgpu_adapter *adapter, ULONG segment, const UINT32 *pages,
                     const UINT64 *shown, UINT64 count)
{
    ULONG own = unit(adapter), first = (segment - 1) * share(adapter), run = 0, begin = 0, j;
    ULONGLONG base = 0, size = 0, address;
    UINT64 i;

    if (!are_in_reach(adapter, segment, pages, shown, count)) {
        return STATUS_INVALID_PARAMETER; /* dxgkrnl's mistake */
    }
    softgpu_vram_segment(adapter, segment, &base, &size);
    for (i = 0; i < count; i++) {
        if (run > 0 && begin + run != first + pages[i] * own) {
            tell_device(adapter, begin, run);
            run = 0;
        }
        if (run == 0) {
            begin = first + pages[i] * own;
        }
        run += own;
        for (j = 0; j < own; j++) {
            address = shown != NULL ? base + ((shown[i] * own + j) << SOFTGPU_PAGE_SHIFT) : 0;
            write_entry(adapter, first + pages[i] * own + j,
                        shown != NULL ? address | SOFTGPU_PTE_VALID : 0);
        }
    }
    if (run > 0) {
        tell_device(adapter, begin, run);
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI softgpu_map_host_aperture(const HANDLE adapter_handle,
                                         const DXGKARG_MAPCPUHOSTAPERTURE *map)
{
    PAGED_CODE();

    return lead(adapter_handle, map->SegmentId, map->pCpuHostAperturePages,
                map->pMemorySegmentPages, map->NumberOfPages);
}

NTSTATUS NTAPI softgpu_unmap_host_aperture(const HANDLE adapter_handle,
                                           const DXGKARG_UNMAPCPUHOSTAPERTURE *unmap)
{
    PAGED_CODE();

    return lead(adapter_handle, unmap->SegmentId, unmap->pCpuHostAperturePages, NULL,
                unmap->NumberOfPages);
}

void softgpu_host_aperture_resume(const struct softgpu_adapter *adapter)
{
    ULONGLONG base;
    ULONG i;

    if (adapter->host_table == NULL) {
        return;
    }
    for (i = 0; i < adapter->host_pages; i++) {
        write_entry(adapter, i, adapter->host_table[i]);
    }
    KeMemoryBarrier();
    base = adapter->vram_bytes - ((ULONGLONG)adapter->host_pages << SOFTGPU_PAGE_SHIFT);
    softgpu_write_pair(adapter, SOFTGPU_REG_HOST_BASE, base);
    softgpu_write_pair(adapter, SOFTGPU_REG_HOST_SIZE,
                       (ULONGLONG)adapter->host_pages << SOFTGPU_PAGE_SHIFT);
    softgpu_write_pair(adapter, SOFTGPU_REG_HOST_TABLE, adapter->host_table_offset);
    softgpu_write(adapter, SOFTGPU_REG_HOST_CONTROL, SOFTGPU_HOST_ENABLE);
}

void softgpu_host_aperture_off(const struct softgpu_adapter *adapter)
{
    softgpu_write(adapter, SOFTGPU_REG_HOST_CONTROL, 0);
}
