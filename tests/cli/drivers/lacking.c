/* A driver that calls a function of the kernel that Drydock does not have. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;
NTKERNELAPI NTSTATUS NTAPI IoNobodyHasThisFunction(void);

NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path)
{
    UNREFERENCED_PARAMETER(driver);
    UNREFERENCED_PARAMETER(path);
    return IoNobodyHasThisFunction();
}
