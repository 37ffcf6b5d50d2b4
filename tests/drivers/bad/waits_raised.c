/* A driver that waits where no thread can be switched away from. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    LARGE_INTEGER pause = {.QuadPart = -10000};
    KEVENT never;
    KIRQL before;

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    KeInitializeEvent(&never, NotificationEvent, FALSE);
    KeRaiseIrql(DISPATCH_LEVEL, &before);
    KeWaitForSingleObject(&never, Executive, KernelMode, FALSE, &pause);
    KeLowerIrql(before);
    return STATUS_UNSUCCESSFUL;
}
