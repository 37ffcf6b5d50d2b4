/* A module that ends its process, past every function that runs at exit. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;
void _exit(int status) __attribute__((noreturn, sysv_abi));

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    _exit(0);
}
