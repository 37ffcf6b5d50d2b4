/* A driver that waits for what nobody will ever do. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path)
{
    KEVENT event;

    UNREFERENCED_PARAMETER(driver);
    UNREFERENCED_PARAMETER(path);
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL);
    return STATUS_UNSUCCESSFUL;
}
