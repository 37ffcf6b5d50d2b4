/* A driver that keeps the pointer to its registry path, and looks there when a device comes. */
#include "table.h"

DRIVER_INITIALIZE DriverEntry;

static PUNICODE_STRING kept;

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT physical_device, PVOID *context)
{
    UNREFERENCED_PARAMETER(physical_device);
    UNREFERENCED_PARAMETER(context);
    DbgPrint("the path has %u bytes\n", kept->Length);
    return STATUS_UNSUCCESSFUL;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    DRIVER_INITIALIZATION_DATA table;

    kept = registry_path;
    fill_table(&table);
    table.DxgkDdiAddDevice = add_device;
    return DxgkInitialize(driver_object, registry_path, &table);
}
