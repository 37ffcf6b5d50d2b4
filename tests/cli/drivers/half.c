/* A driver that starts, tells its caps, and does not know its segments. */
#include <ntddk.h>

#include <dispmprt.h>

DRIVER_INITIALIZE DriverEntry;

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
    UNREFERENCED_PARAMETER(interface);
    *sources = *children = 1;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI query_adapter_info(const HANDLE context,
                                         const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS *caps = query->pOutputData;

    UNREFERENCED_PARAMETER(context);
    if (query->Type != DXGKQAITYPE_DRIVERCAPS) {
        return STATUS_UNSUCCESSFUL;
    }
    RtlZeroMemory(caps, query->OutputDataSize);
    caps->HighestAcceptableAddress.QuadPart = 0xFFFFFFFFFF;
    caps->MaxPointerWidth = caps->MaxPointerHeight = 77;
    caps->FlipCaps.FlipOnVSyncMmIo = 1;
    caps->WDDMVersion = DXGKDDI_WDDMv1_2;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI no_more(const PVOID context)
{
    UNREFERENCED_PARAMETER(context);
    return STATUS_SUCCESS;
}

static void NTAPI unload(void)
{
}

static NTSTATUS NTAPI never_called(void)
{
    return STATUS_UNSUCCESSFUL;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    DRIVER_INITIALIZATION_DATA table;

    RtlZeroMemory(&table, sizeof(table));
    table.Version = DXGKDDI_INTERFACE_VERSION_WIN8;
    table.DxgkDdiAddDevice = add_device;
    table.DxgkDdiStartDevice = start_device;
    table.DxgkDdiStopDevice = no_more;
    table.DxgkDdiRemoveDevice = no_more;
    table.DxgkDdiUnload = unload;
    table.DxgkDdiQueryAdapterInfo = query_adapter_info;
    table.DxgkDdiCreateAllocation = (PDXGKDDI_CREATEALLOCATION)(ULONG_PTR)never_called;
    table.DxgkDdiDestroyAllocation = (PDXGKDDI_DESTROYALLOCATION)(ULONG_PTR)never_called;
    table.DxgkDdiBuildPagingBuffer = (PDXGKDDI_BUILDPAGINGBUFFER)(ULONG_PTR)never_called;
    table.DxgkDdiSubmitCommand = (PDXGKDDI_SUBMITCOMMAND)(ULONG_PTR)never_called;
    table.DxgkDdiPatch = (PDXGKDDI_PATCH)(ULONG_PTR)never_called;
    return DxgkInitialize(driver_object, registry_path, &table);
}
