/* Right: what is the driver's own in its object, each of it set. It fails, as if without memory. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD unload;
static DRIVER_DISPATCH dispatch;
static DRIVER_STARTIO start;

static ULONG fast[28];

static VOID NTAPI unload(PDRIVER_OBJECT object)
{
    UNREFERENCED_PARAMETER(object);
}

static NTSTATUS NTAPI dispatch(PDEVICE_OBJECT device, PIRP irp)
{
    UNREFERENCED_PARAMETER(device);
    UNREFERENCED_PARAMETER(irp);
    return STATUS_UNSUCCESSFUL;
}

static VOID NTAPI start(PDEVICE_OBJECT device, PIRP irp)
{
    UNREFERENCED_PARAMETER(device);
    UNREFERENCED_PARAMETER(irp);
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    PDEVICE_OBJECT first, second;

    UNREFERENCED_PARAMETER(registry_path);
    driver_object->DriverUnload = unload;
    driver_object->DriverStartIo = start;
    driver_object->MajorFunction[IRP_MJ_CREATE] = dispatch;
    driver_object->MajorFunction[IRP_MJ_CLOSE] = NULL;
    driver_object->FastIoDispatch = (struct _FAST_IO_DISPATCH *)(PVOID)fast;
    if (NT_SUCCESS(IoCreateDevice(driver_object, 0, NULL, FILE_DEVICE_VIDEO, 0, FALSE, &first)) &&
        NT_SUCCESS(IoCreateDevice(driver_object, 0, NULL, FILE_DEVICE_VIDEO, 0, FALSE, &second))) {
        IoDeleteDevice(second);
        IoDeleteDevice(first);
    }
    return STATUS_UNSUCCESSFUL;
}
