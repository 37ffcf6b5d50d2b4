/* A driver of whose calls a run comes to start_device() alone; who includes this defines it. */
#ifndef BAD_STARTED_H
#define BAD_STARTED_H

#include "table.h"

DRIVER_INITIALIZE DriverEntry;

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO info,
                                   PDXGKRNL_INTERFACE kernel, PULONG sources, PULONG children);

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT device, PVOID *context)
{
    UNREFERENCED_PARAMETER(device);
    *context = &DriverEntry;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI remove_device(const PVOID context)
{
    UNREFERENCED_PARAMETER(context);
    return STATUS_SUCCESS;
}

static VOID NTAPI unload(void)
{
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    DRIVER_INITIALIZATION_DATA table;

    fill_table(&table);
    table.DxgkDdiAddDevice = add_device;
    table.DxgkDdiStartDevice = start_device;
    table.DxgkDdiRemoveDevice = remove_device;
    table.DxgkDdiUnload = unload;
    return DxgkInitialize(driver_object, registry_path, &table);
}

#endif
