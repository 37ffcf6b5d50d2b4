/* A driver that registers all that takes memory, and nothing that takes work. */
#include <dispmprt.h>
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

static NTSTATUS NTAPI never_called(void)
{
    return STATUS_UNSUCCESSFUL;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    DRIVER_INITIALIZATION_DATA table;

    RtlZeroMemory(&table, sizeof(table));
    table.Version = DXGKDDI_INTERFACE_VERSION_WIN8;
    table.DxgkDdiAddDevice = (PDXGKDDI_ADD_DEVICE)(ULONG_PTR)never_called;
    table.DxgkDdiStartDevice = (PDXGKDDI_START_DEVICE)(ULONG_PTR)never_called;
    table.DxgkDdiStopDevice = (PDXGKDDI_STOP_DEVICE)(ULONG_PTR)never_called;
    table.DxgkDdiRemoveDevice = (PDXGKDDI_REMOVE_DEVICE)(ULONG_PTR)never_called;
    table.DxgkDdiQueryAdapterInfo = (PDXGKDDI_QUERYADAPTERINFO)(ULONG_PTR)never_called;
    table.DxgkDdiUnload = (PDXGKDDI_UNLOAD)(ULONG_PTR)never_called;
    table.DxgkDdiCreateAllocation = (PDXGKDDI_CREATEALLOCATION)(ULONG_PTR)never_called;
    table.DxgkDdiDestroyAllocation = (PDXGKDDI_DESTROYALLOCATION)(ULONG_PTR)never_called;
    table.DxgkDdiBuildPagingBuffer = (PDXGKDDI_BUILDPAGINGBUFFER)(ULONG_PTR)never_called;
    return DxgkInitialize(driver_object, registry_path, &table);
}
