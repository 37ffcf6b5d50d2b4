/* A driver that registers as one linked with Microsoft's library does: through \Device\DxgKrnl. */
#include <dispmprt.h>

DRIVER_INITIALIZE DriverEntry;

NTSYSAPI NTSTATUS NTAPI ZwLoadDriver(PUNICODE_STRING DriverServiceName);
NTKERNELAPI NTSTATUS NTAPI IofCallDriver(PDEVICE_OBJECT DeviceObject, PIRP Irp);

typedef NTSTATUS NTAPI registration(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path,
                                    PVOID data);

static NTSTATUS ask(PDEVICE_OBJECT device, ULONG code, registration **routine)
{
    IO_STATUS_BLOCK answer = {0};
    KEVENT done;
    PIRP irp;
    NTSTATUS status;

    KeInitializeEvent(&done, NotificationEvent, FALSE);
    irp = IoBuildDeviceIoControlRequest(code, device, NULL, 0, routine, sizeof(*routine), TRUE,
                                        &done, &answer);
    if (!irp) {
        return STATUS_NO_MEMORY;
    }
    status = IofCallDriver(device, irp);
    if (status == STATUS_PENDING) {
        KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, NULL);
        status = answer.Status;
    }
    return status;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    DRIVER_INITIALIZATION_DATA data = {.Version = DXGKDDI_INTERFACE_VERSION};
    registration *routine = NULL, *display_only = NULL, *none = NULL;
    UNICODE_STRING name;
    PFILE_OBJECT file;
    PDEVICE_OBJECT device;

    RtlInitUnicodeString(&name,
                         L"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\DXGKrnl");
    if (ZwLoadDriver(&name) != STATUS_IMAGE_ALREADY_LOADED) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    RtlInitUnicodeString(&name, L"\\Device\\DxgKrnl");
    if (!NT_SUCCESS(IoGetDeviceObjectPointer(&name, FILE_ALL_ACCESS, &file, &device))) {
        return STATUS_NO_SUCH_DEVICE;
    }
    if (!NT_SUCCESS(ask(device, 0x23003F, &routine)) ||
        !NT_SUCCESS(ask(device, 0x230043, &display_only)) || routine == display_only ||
        NT_SUCCESS(ask(device, 0x230047, &none))) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    ObDereferenceObject(file);
    return routine(driver_object, registry_path, &data);
}
