/* A driver that writes through a null pointer. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

static ULONG *where;

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    volatile ULONG *nothing = *(ULONG *volatile *)&where;

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    *nothing = 1;
    return STATUS_SUCCESS;
}
