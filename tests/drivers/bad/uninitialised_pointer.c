/* A driver that follows a pointer which it never set. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

#define TAG ((ULONG)('B' | 'a' << 8 | 'd' << 16 | 'U' << 24))

struct record {
    ULONG size;
    const UCHAR *bytes; /* at any address, so that a sanitizer has nothing to say first */
};

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    struct record *first =
        ExAllocatePool2(POOL_FLAG_NON_PAGED | POOL_FLAG_UNINITIALIZED, sizeof(*first), TAG);

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    if (first != NULL) {
        first->size = sizeof(*first);
        DbgPrint("it begins with %u\n", *((volatile struct record *)first)->bytes);
        ExFreePoolWithTag(first, TAG);
    }
    return STATUS_UNSUCCESSFUL;
}
