/* Drivers that need what Drydock does not have: a function of the kernel, or the hardware. */
#include <ntddk.h>
#include <dispmprt.h>

DRIVER_INITIALIZE DriverEntry;
NTKERNELAPI NTSTATUS NTAPI IoNobodyHasThisFunction(void);

#ifdef LACKING_FUNCTION
NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path)
{
    UNREFERENCED_PARAMETER(driver);
    UNREFERENCED_PARAMETER(path);
    IoNobodyHasThisFunction();
    return STATUS_UNSUCCESSFUL;
}
#else
static NTSTATUS add_device(PDEVICE_OBJECT device, PVOID *context)
{
    UNREFERENCED_PARAMETER(device);
    *context = NULL;
    return STATUS_SUCCESS;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path)
{
    KMDDOD_INITIALIZATION_DATA data = {.Version = DXGKDDI_INTERFACE_VERSION_WIN8,
                                       .DxgkDdiAddDevice = add_device};

    return DxgkInitializeDisplayOnlyDriver(driver, path, &data);
}
#endif
