/* A driver that comes back owning a mutex, inside a critical region. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

static KMUTEX mutex;

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    KeInitializeMutex(&mutex, 0);
    KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, NULL);
    KeEnterCriticalRegion();
    return STATUS_UNSUCCESSFUL;
}
