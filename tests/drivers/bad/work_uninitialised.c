/* A driver that frees the memory of a work item of its own while it is queued. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

static IO_WORKITEM_ROUTINE_EX late;

static VOID NTAPI late(PVOID io_object, PVOID context, PIO_WORKITEM item)
{
    UNREFERENCED_PARAMETER(io_object);
    UNREFERENCED_PARAMETER(item);
    *(volatile ULONG *)context = 1;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    LARGE_INTEGER pause = {.QuadPart = -100000};
    PIO_WORKITEM item = ExAllocatePoolWithTag(NonPagedPoolNx, IoSizeofWorkItem(), 0x6B726F57);

    UNREFERENCED_PARAMETER(registry_path);
    if (!item) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    IoInitializeWorkItem(driver_object, item);
    IoQueueWorkItemEx(item, late, DelayedWorkQueue, item);
    IoUninitializeWorkItem(item);
    ExFreePoolWithTag(item, 0x6B726F57);
    KeDelayExecutionThread(KernelMode, FALSE, &pause);
    return STATUS_UNSUCCESSFUL;
}
