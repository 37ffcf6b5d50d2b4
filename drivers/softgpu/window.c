/* window.c: the windows of the device, as MMUs that dxgkrnl maps allocations in.
 *
 * Of these operations only names and layouts are public; what they mean here is Drydock's guess
 * (docs/choices.md), and nobody asks for it unless its user does. The setting DeviceMmus turns them
 * on:
 *
 *   QUERYMMUS   two MMUs, each a part of the device's window table: for primaries, and for what is
 *               none
 *   MAP_MMU     entries of the table lead to the pages; by the CPU, at once
 *   Patch       engines name an allocation by its address there
 *
 * Outputs read primaries where those lie. A reset clears the table; dxgkrnl maps everything again.
 */
#include "softgpu.h"

static const ULONG mmu_pages[SOFTGPU_DEVICE_MMU_COUNT] = {
    [SOFTGPU_MMU_PLAIN] = 0x20000,
    [SOFTGPU_MMU_PRIMARIES] = 0x8000,
};

static ULONG first_page(ULONG mmu)
{
    return mmu == SOFTGPU_MMU_PRIMARIES ? mmu_pages[SOFTGPU_MMU_PLAIN] : 0;
}

ULONG softgpu_window_pages(const struct softgpu_adapter *adapter)
{
    return adapter->settings.device_mmus
               ? mmu_pages[SOFTGPU_MMU_PLAIN] + mmu_pages[SOFTGPU_MMU_PRIMARIES]
               : 0;
}

void softgpu_windows_setup(struct softgpu_adapter *adapter)
{
    ULONG i, count = softgpu_window_pages(adapter);

    if (count == 0) {
        return;
    }
    adapter->window_table = (volatile ULONGLONG *)(void *)(adapter->vram + adapter->window_offset);
    for (i = 0; i < count && !adapter->gone; i++) {
        adapter->window_table[i] = 0;
    }
    InterlockedIncrement64(&adapter->windows_forgotten);
    softgpu_write_pair(adapter, SOFTGPU_REG_WINDOW_TABLE, adapter->window_offset);
    softgpu_write(adapter, SOFTGPU_REG_WINDOW_PAGES, count);
}

/* ---- Questions ------------------------------------------------------------------------------- */

NTSTATUS softgpu_query_mmu_count(const struct softgpu_adapter *adapter,
                                 const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_QUERYMMUCOUNTOUT *out = query->pOutputData;

    if (!adapter->settings.device_mmus || query->OutputDataSize < sizeof(*out)) {
        return STATUS_INVALID_PARAMETER;
    }
    out->MmuCount = SOFTGPU_DEVICE_MMU_COUNT;
    return STATUS_SUCCESS;
}

NTSTATUS softgpu_query_mmus(struct softgpu_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_QUERYMMUSOUT *out = query->pOutputData;
    ULONG i;

    if (!adapter->settings.device_mmus || query->OutputDataSize < sizeof(*out) ||
        out->MmuDescriptors == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    for (i = 0; i < SOFTGPU_DEVICE_MMU_COUNT; i++) {
        out->MmuDescriptors[i].Flags.Value = 0;
        out->MmuDescriptors[i].Size = (UINT64)mmu_pages[i] << SOFTGPU_PAGE_SHIFT;
    }
    out->DisplayMmuId = DXGK_INVALID_MMU_ID;
    InterlockedExchange(&adapter->mmus_asked, 1);
    return STATUS_SUCCESS;
}

/* Once they are known, MmuSet stands where SupportedReadSegmentSet stood. */
void softgpu_choose_mmus(const struct softgpu_umd_allocation *info, DXGK_ALLOCATIONINFO *out)
{
    out->MmuSet = 0;
    if (!(info->flags & SOFTGPU_UMD_VIRTUAL_ONLY)) {
        out->MmuSet |= info->flags & SOFTGPU_UMD_PRIMARY ? 1u << SOFTGPU_MMU_PRIMARIES
                                                         : 1u << SOFTGPU_MMU_PLAIN;
    }
}

/* ---- Paging ---------------------------------------------------------------------------------- */

static BOOLEAN is_inside(const struct softgpu_adapter *adapter, ULONG mmu, ULONGLONG address,
                         ULONGLONG count)
{
    ULONGLONG first = address >> SOFTGPU_PAGE_SHIFT;

    return adapter->settings.device_mmus && mmu < SOFTGPU_DEVICE_MMU_COUNT &&
           first <= mmu_pages[mmu] && count <= mmu_pages[mmu] - first;
}

/* Written whole, one by one: engines and outputs use other pages meanwhile. */
static void write_entry(struct softgpu_adapter *adapter, ULONGLONG page, ULONGLONG entry)
{
    if (!adapter->gone) {
        adapter->window_table[page] = entry;
    }
}

NTSTATUS softgpu_map_window(struct softgpu_adapter *adapter,
                            const DXGKARG_BUILDPAGINGBUFFER *paging)
{
    const DXGK_BUILDPAGINGBUFFER_MAPMMU *map = &paging->MmapMmu;
    struct softgpu_allocation *allocation = map->hAllocation;
    ULONGLONG number, page, offset = (ULONGLONG)map->AllocationOffsetInPages << SOFTGPU_PAGE_SHIFT;
    ULONG i;

    if (allocation == NULL ||
        !is_inside(adapter, map->MmuId, map->VirtualAddress, map->Adl.PageCount)) {
        return STATUS_INVALID_PARAMETER;
    }
    page = first_page(map->MmuId) + (map->VirtualAddress >> SOFTGPU_PAGE_SHIFT);
    for (i = 0; i < map->Adl.PageCount; i++) {
        number = map->Adl.Flags.Contiguous ? map->Adl.BasePageNumber + i : map->Adl.Pages[i];
        write_entry(adapter, page + i,
                    softgpu_segment_address(adapter, map->SegmentId, number << SOFTGPU_PAGE_SHIFT) |
                        SOFTGPU_PTE_VALID);
    }
    KeMemoryBarrier();
    InterlockedExchange64(&allocation->window.forgotten, adapter->windows_forgotten);
    InterlockedExchange64(&allocation->window.address,
                          (LONG64)(SOFTGPU_WINDOW_BASE + (page << SOFTGPU_PAGE_SHIFT) - offset));
    return STATUS_SUCCESS;
}

NTSTATUS softgpu_unmap_window(struct softgpu_adapter *adapter,
                              const DXGKARG_BUILDPAGINGBUFFER *paging)
{
    const DXGK_BUILDPAGINGBUFFER_UNMAPMMU *unmap = &paging->UnmapMmu;
    struct softgpu_allocation *allocation = unmap->hAllocation;
    ULONGLONG page;
    ULONG i;

    if (allocation == NULL ||
        !is_inside(adapter, unmap->MmuId, unmap->VirtualAddress, unmap->NumberOfPages)) {
        return STATUS_INVALID_PARAMETER;
    }
    InterlockedExchange64(&allocation->window.address, 0);
    page = first_page(unmap->MmuId) + (unmap->VirtualAddress >> SOFTGPU_PAGE_SHIFT);
    for (i = 0; i < unmap->NumberOfPages; i++) {
        write_entry(adapter, page + i, 0);
    }
    KeMemoryBarrier();
    return STATUS_SUCCESS;
}

/* ---- Use ------------------------------------------------------------------------------------- */

ULONGLONG softgpu_engine_address(const struct softgpu_adapter *adapter,
                                 const DXGK_ALLOCATIONLIST *entry)
{
    const struct softgpu_open_allocation *open = entry->hDeviceSpecificAllocation;
    ULONGLONG address = (ULONGLONG)entry->PhysicalAddress.QuadPart;

    if (open != NULL && adapter->settings.device_mmus) {
        const struct softgpu_window *window = &open->allocation->window;

        if (window->address != 0 && window->forgotten == adapter->windows_forgotten) {
            address = (ULONGLONG)window->address;
        }
    }
    return address;
}
