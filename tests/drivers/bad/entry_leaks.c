/* A driver whose DriverEntry fails and keeps what it allocated. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

static PVOID kept;

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    kept = ExAllocatePoolWithTag(NonPagedPoolNx, 64, 0x6B61654C);
    return STATUS_UNSUCCESSFUL;
}
