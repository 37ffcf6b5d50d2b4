/* A driver that writes behind a pool block. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

#define TAG ((ULONG)('B' | 'a' << 8 | 'd' << 16 | 'P' << 24))

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    UCHAR *block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 100, TAG);

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    if (block != NULL) {
        block[100] = 1;
        ExFreePoolWithTag(block, TAG);
    }
    return STATUS_UNSUCCESSFUL;
}
