/* A driver, only as a module of ours, that ends the process it runs in. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;
void exit(int status) __attribute__((noreturn, sysv_abi));

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    exit(0);
}
