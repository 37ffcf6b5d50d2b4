/* A driver that comes back while a work item on its stack is queued. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

static WORKER_THREAD_ROUTINE later;

static VOID NTAPI later(PVOID context)
{
    UNREFERENCED_PARAMETER(context);
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    WORK_QUEUE_ITEM item;

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    ExInitializeWorkItem(&item, later, NULL);
    ExQueueWorkItem(&item, DelayedWorkQueue);
    return STATUS_UNSUCCESSFUL;
}
