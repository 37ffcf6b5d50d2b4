/* A driver that never comes back, though it calls the kernel all the time. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

enum { TAG = 0x42646150 };

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    for (;;) {
        PVOID block = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);
        if (block) {
            ExFreePoolWithTag(block, TAG);
        }
    }
}
