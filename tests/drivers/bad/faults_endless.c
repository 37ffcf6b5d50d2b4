/* A driver that never comes back: its handler mends nothing, and the same access faults again. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    volatile ULONG *volatile nothing = NULL;

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    __try {
        *nothing = 1;
    } __except (EXCEPTION_CONTINUE_EXECUTION) {
        return STATUS_UNSUCCESSFUL;
    }
    return STATUS_SUCCESS;
}
