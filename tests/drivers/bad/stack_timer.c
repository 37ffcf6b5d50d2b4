/* A driver that comes back while a timer on its stack is armed. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    LARGE_INTEGER due = {.QuadPart = -100000};
    KTIMER timer;

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    KeInitializeTimer(&timer);
    KeSetTimer(&timer, due, NULL);
    return STATUS_UNSUCCESSFUL;
}
