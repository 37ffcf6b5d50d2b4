/* A driver that is registered for an older version than it was compiled for, and copies the
 * table of the kernel's routines in the size that it knows, not in the size that the table says. */
#include <ntddk.h>

#include <dispmprt.h>

DRIVER_INITIALIZE DriverEntry;

static DXGKRNL_INTERFACE kernel;

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT device, PVOID *context)
{
    *context = device;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO start,
                                   PDXGKRNL_INTERFACE interface, PULONG sources, PULONG children)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(start);
    kernel = *interface;
    *sources = *children = 1;
    return STATUS_UNSUCCESSFUL;
}

static VOID NTAPI unload(void)
{
}

static NTSTATUS NTAPI never_called(void)
{
    return STATUS_UNSUCCESSFUL;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    static DRIVER_INITIALIZATION_DATA table;
    PVOID *routines = (PVOID *)(PVOID)&table;

    for (ULONG i = 1; i < FIELD_OFFSET(DRIVER_INITIALIZATION_DATA, DxgkDdiLinkDevice) / 8; i++) {
        routines[i] = (PVOID)(ULONG_PTR)never_called;
    }
    table.Version = DXGKDDI_INTERFACE_VERSION_VISTA;
    table.DxgkDdiAddDevice = add_device;
    table.DxgkDdiStartDevice = start_device;
    table.DxgkDdiUnload = unload;
    return DxgkInitialize(driver_object, registry_path, &table);
}
