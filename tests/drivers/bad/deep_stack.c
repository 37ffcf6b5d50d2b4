/* A driver that puts more on its stack than a kernel stack holds. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    volatile UCHAR table[64 << 10];

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    for (ULONG i = 0; i < sizeof(table); i++) {
        table[i] = (UCHAR)i;
    }
    DbgPrint("the last entry is %u\n", table[sizeof(table) - 1]);
    return STATUS_UNSUCCESSFUL;
}
