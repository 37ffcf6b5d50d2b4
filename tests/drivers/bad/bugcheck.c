/* A driver that stops the system. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    KeBugCheckEx(0xE2, 1, 2, 3, 4);
    return STATUS_SUCCESS;
}
