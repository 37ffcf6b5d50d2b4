/* A driver that reads in front of a pool block. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

#define TAG ((ULONG)('B' | 'a' << 8 | 'd' << 16 | 'P' << 24))

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    volatile UCHAR *block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 96, TAG);

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    if (block != NULL) {
        DbgPrint("the byte is %u\n", *(block - 1));
        ExFreePoolWithTag((PVOID)block, TAG);
    }
    return STATUS_UNSUCCESSFUL;
}
