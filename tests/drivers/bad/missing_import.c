/* A driver that calls a kernel function that Drydock does not have. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

NTSTATUS NTAPI KeUnheardOfFunction(ULONG argument);

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    KeUnheardOfFunction(1);
    return STATUS_UNSUCCESSFUL;
}
