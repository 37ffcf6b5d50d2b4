/* A driver that drops one reference of its driver object more than it took. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    UNREFERENCED_PARAMETER(registry_path);
    ObReferenceObject(driver_object);
    ObDereferenceObject(driver_object);
    ObDereferenceObject(driver_object);
    return STATUS_UNSUCCESSFUL;
}
