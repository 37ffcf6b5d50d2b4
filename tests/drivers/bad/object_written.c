/* A driver that clears the driver object before it fills in what is its own. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    UNREFERENCED_PARAMETER(registry_path);
    RtlZeroMemory(driver_object, sizeof(*driver_object));
    return STATUS_UNSUCCESSFUL;
}
