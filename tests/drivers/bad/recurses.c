/* A driver that calls itself without end. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

static __attribute__((noinline)) ULONG deeper(volatile ULONG *before)
{
    volatile ULONG room[8];

    room[0] = *before + 1;
    return *before == 0xFFFFFFFF ? 0 : deeper(room) + room[0];
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    volatile ULONG begin = 0;

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    return deeper(&begin) == 0 ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}
