/* A driver that puts nearly as much on its stack as a kernel stack holds, and asks first. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

static __attribute__((noinline)) ULONG fill(void)
{
    volatile UCHAR table[20 << 10];

    for (ULONG i = 0; i < sizeof(table); i++) {
        table[i] = (UCHAR)i;
    }
    DbgPrint("the last entry is %u\n", table[sizeof(table) - 1]);
    return table[0];
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    if (IoGetRemainingStackSize() < (22 << 10)) {
        return STATUS_SUCCESS; /* no kernel stack is that small */
    }
    return fill() == 0 ? STATUS_UNSUCCESSFUL : STATUS_SUCCESS;
}
