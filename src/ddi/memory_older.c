/* ddi/memory_older.c: what WDDM 2.4 has for memory in the domain of the IOMMU: it stands for
 * MmAllocateContiguousMemory, MmAllocatePagesForMdlEx and an MDL of the driver's. */
#include "ddi/memory.h"

#include <stdlib.h>

static NTSTATUS NTAPI cb_allocate_contiguous(HANDLE handle,
                                             DXGKARGCB_ALLOCATECONTIGUOUSMEMORY *asked)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbAllocateContiguousMemory);
    struct ddi_callback callback;
    struct memory_object *object;

    if (!adapter || !asked) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbAllocateContiguousMemory, asked,
                       asked->NumberOfBytes);
    object = memory_object_new(adapter, 0, &callback);
    if (object) {
        const struct nt_given_request request = {
            .size = asked->NumberOfBytes,
            .low = (uint64_t)asked->LowestAcceptableAddress.QuadPart,
            .high = memory_highest(asked->HighestAcceptableAddress),
            .boundary = (uint64_t)asked->BoundaryAddressMultiple.QuadPart,
        };
        object->block = nt_contiguous_allocate(&request, callback.caller);
    }
    if (!object || !object->block) {
        free(object);
        return ddi_callback_leave(&callback, STATUS_NO_MEMORY);
    }
    asked->hMemoryHandle = memory_keep(object);
    asked->pMemory = object->block;
    return ddi_callback_leave(&callback, STATUS_SUCCESS);
}

static NTSTATUS NTAPI cb_allocate_pages(HANDLE handle, DXGKARGCB_ALLOCATEPAGESFORMDL *asked)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbAllocatePagesForMdl);
    struct ddi_callback callback;
    struct memory_object *object;

    if (!adapter || !asked) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbAllocatePagesForMdl, asked, asked->TotalBytes);
    object = nt_allocation_fails(asked->TotalBytes, callback.caller)
                 ? NULL
                 : memory_object_new(adapter, 0, &callback);
    if (object) {
        const struct nt_given_request request = {
            .size = asked->TotalBytes,
            .low = (uint64_t)asked->LowAddress.QuadPart,
            .high = memory_highest(asked->HighAddress),
            .skip = (uint64_t)asked->SkipBytes.QuadPart,
            .flags = asked->Flags,
        };
        object->pages = nt_pages_allocate(&request, callback.caller);
    }
    if (!object || !object->pages) {
        free(object);
        return ddi_callback_leave(&callback, STATUS_NO_MEMORY);
    }
    asked->hMemoryHandle = memory_keep(object);
    asked->pMdl = object->pages;
    return ddi_callback_leave(&callback, STATUS_SUCCESS);
}

static NTSTATUS NTAPI cb_map_mdl_to_iommu(HANDLE handle, DXGKARGCB_MAPMDLTOIOMMU *asked)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbMapMdlToIoMmu);
    struct ddi_callback callback;
    struct memory_object *object;

    if (!adapter || !asked || !asked->pMdl) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbMapMdlToIoMmu, asked, 0);
    object =
        nt_allocation_fails(0, callback.caller) ? NULL : memory_object_new(adapter, 0, &callback);
    if (!object) {
        return ddi_callback_leave(&callback, STATUS_NO_MEMORY);
    }
    asked->hMemoryHandle = memory_keep(object);
    return ddi_callback_leave(&callback, STATUS_SUCCESS);
}

/* ---- Given back ------------------------------------------------------------------------------ */

/* What `made_by` made, of which `caller` of the driver's gives the handle back. */
static NTSTATUS give_back(const struct ddi_callback *callback, HANDLE handle,
                          enum contract_point made_by)
{
    struct memory_object *object = memory_find_physical(handle, made_by);

    if (!object) {
        memory_complain_of_handle(callback, handle);
        return STATUS_INVALID_PARAMETER;
    }
    if (object->block) {
        nt_contiguous_free(object->block, callback->caller);
    }
    if (object->pages) {
        nt_pages_free(object->pages, callback->caller);
    }
    memory_object_drop(object, callback->caller);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI cb_free_contiguous(HANDLE handle, const DXGKARGCB_FREECONTIGUOUSMEMORY *asked)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbFreeContiguousMemory);
    struct ddi_callback callback;

    if (!adapter || !asked) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbFreeContiguousMemory, (void *)(uintptr_t)asked,
                       0);
    return ddi_callback_leave(
        &callback, give_back(&callback, asked->hMemoryHandle, POINT_CbAllocateContiguousMemory));
}

static NTSTATUS NTAPI cb_free_pages(HANDLE handle, const DXGKARGCB_FREEPAGESFROMMDL *asked)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbFreePagesFromMdl);
    struct ddi_callback callback;

    if (!adapter || !asked) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbFreePagesFromMdl, (void *)(uintptr_t)asked, 0);
    return ddi_callback_leave(
        &callback, give_back(&callback, asked->hMemoryHandle, POINT_CbAllocatePagesForMdl));
}

static void NTAPI cb_unmap_mdl_from_iommu(HANDLE handle, const DXGKARGCB_UNMAPMDLFROMIOMMU *asked)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbUnmapMdlFromIoMmu);
    struct ddi_callback callback;

    if (!adapter || !asked) {
        return;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbUnmapMdlFromIoMmu, (void *)(uintptr_t)asked, 0);
    (void)give_back(&callback, asked->hMemoryHandle, POINT_CbMapMdlToIoMmu);
    ddi_callback_leave(&callback, STATUS_SUCCESS);
}

void memory_fill_older(DXGKRNL_INTERFACE *interface)
{
    interface->DxgkCbAllocateContiguousMemory = cb_allocate_contiguous;
    interface->DxgkCbFreeContiguousMemory = cb_free_contiguous;
    interface->DxgkCbAllocatePagesForMdl = cb_allocate_pages;
    interface->DxgkCbFreePagesFromMdl = cb_free_pages;
    interface->DxgkCbMapMdlToIoMmu = cb_map_mdl_to_iommu;
    interface->DxgkCbUnmapMdlFromIoMmu = cb_unmap_mdl_from_iommu;
}
