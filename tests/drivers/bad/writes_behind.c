/* A driver that writes one value more than there is place for. */
#include "table.h"

DRIVER_INITIALIZE DriverEntry;

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT device, PVOID *context)
{
    UNREFERENCED_PARAMETER(device);
    context[0] = context[1] = &DriverEntry;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    DRIVER_INITIALIZATION_DATA table;

    fill_table(&table);
    table.DxgkDdiAddDevice = add_device;
    return DxgkInitialize(driver_object, registry_path, &table);
}
