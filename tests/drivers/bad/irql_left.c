/* A driver that comes back at another IRQL. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    KIRQL before;

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    KeRaiseIrql(DISPATCH_LEVEL, &before);
    return STATUS_UNSUCCESSFUL;
}
