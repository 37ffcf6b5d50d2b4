/* A driver without DriverEntry. */
#include <ntddk.h>

NTSTATUS NTAPI AnotherEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path);

NTSTATUS NTAPI AnotherEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    return STATUS_SUCCESS;
}
