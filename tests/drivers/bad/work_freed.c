/* A driver that frees a work item, allocated for it, that is queued. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

static IO_WORKITEM_ROUTINE late;

static VOID NTAPI late(PDEVICE_OBJECT device, PVOID context)
{
    UNREFERENCED_PARAMETER(device);
    UNREFERENCED_PARAMETER(context);
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    PIO_WORKITEM item = IoAllocateWorkItem((PDEVICE_OBJECT)(PVOID)driver_object);

    UNREFERENCED_PARAMETER(registry_path);
    if (!item) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    IoQueueWorkItem(item, late, DelayedWorkQueue, NULL);
    IoFreeWorkItem(item);
    return STATUS_UNSUCCESSFUL;
}
