/* A driver that keeps its driver object, and writes into it when a device comes. */
#include "table.h"

DRIVER_INITIALIZE DriverEntry;

static PDRIVER_OBJECT kept;

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT physical_device, PVOID *context)
{
    UNREFERENCED_PARAMETER(physical_device);
    UNREFERENCED_PARAMETER(context);
    kept->DriverSize = 0;
    return STATUS_UNSUCCESSFUL;
}

static VOID NTAPI unload(void)
{
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    DRIVER_INITIALIZATION_DATA table;

    kept = driver_object;
    fill_table(&table);
    table.DxgkDdiAddDevice = add_device;
    table.DxgkDdiUnload = unload;
    return DxgkInitialize(driver_object, registry_path, &table);
}
