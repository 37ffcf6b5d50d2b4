/* A driver that writes one value more than there is place for. */
#include <dispmprt.h>
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

static NTSTATUS NTAPI never_called(void)
{
    return STATUS_UNSUCCESSFUL;
}

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT device, PVOID *context)
{
    UNREFERENCED_PARAMETER(device);
    context[0] = context[1] = &DriverEntry;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    DRIVER_INITIALIZATION_DATA table;

    RtlZeroMemory(&table, sizeof(table));
    table.Version = DXGKDDI_INTERFACE_VERSION_WIN8;
    table.DxgkDdiAddDevice = add_device;
    table.DxgkDdiStartDevice = (PDXGKDDI_START_DEVICE)(ULONG_PTR)never_called;
    table.DxgkDdiStopDevice = (PDXGKDDI_STOP_DEVICE)(ULONG_PTR)never_called;
    table.DxgkDdiRemoveDevice = (PDXGKDDI_REMOVE_DEVICE)(ULONG_PTR)never_called;
    table.DxgkDdiQueryAdapterInfo = (PDXGKDDI_QUERYADAPTERINFO)(ULONG_PTR)never_called;
    table.DxgkDdiUnload = (PDXGKDDI_UNLOAD)(ULONG_PTR)never_called;
    table.DxgkDdiCreateAllocation = (PDXGKDDI_CREATEALLOCATION)(ULONG_PTR)never_called;
    table.DxgkDdiDestroyAllocation = (PDXGKDDI_DESTROYALLOCATION)(ULONG_PTR)never_called;
    table.DxgkDdiOpenAllocation = (PDXGKDDI_OPENALLOCATIONINFO)(ULONG_PTR)never_called;
    table.DxgkDdiCloseAllocation = (PDXGKDDI_CLOSEALLOCATION)(ULONG_PTR)never_called;
    table.DxgkDdiBuildPagingBuffer = (PDXGKDDI_BUILDPAGINGBUFFER)(ULONG_PTR)never_called;
    table.DxgkDdiSubmitCommand = (PDXGKDDI_SUBMITCOMMAND)(ULONG_PTR)never_called;
    return DxgkInitialize(driver_object, registry_path, &table);
}
