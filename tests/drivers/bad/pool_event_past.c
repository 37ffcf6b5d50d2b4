/* A driver that puts an event into the last bytes of a pool block, which are too few. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

#define TAG ((ULONG)('B' | 'a' << 8 | 'd' << 16 | 'P' << 24))

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    UCHAR *block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 96, TAG);

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    if (block != NULL) {
        KeInitializeEvent((PKEVENT)(block + 80), NotificationEvent, FALSE);
        ExFreePoolWithTag(block, TAG);
    }
    return STATUS_UNSUCCESSFUL;
}
