/* A driver that reads a pool block that it has freed. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

#define TAG ((ULONG)('B' | 'a' << 8 | 'd' << 16 | 'P' << 24))

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    volatile UCHAR *block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 96, TAG);

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    if (block != NULL) {
        block[7] = 1;
        ExFreePoolWithTag((PVOID)block, TAG);
        DbgPrint("the byte is %u\n", block[7]);
    }
    return STATUS_UNSUCCESSFUL;
}
