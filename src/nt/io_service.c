/* nt/io_service.c: named devices of the kernel's own, which drivers ask for by control codes.
 *
 *      ZwLoadDriver ──> is loaded already
 *      IoGetDeviceObjectPointer ──> file and device object
 *      IoCallDriver ──> dispatch() ──> the routine of the layer above ──> the request completes
 */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct service {
    struct list link;
    char *device_name, *service_name;
    DRIVER_OBJECT *driver;
    DEVICE_OBJECT *device;
    nt_control_routine *routine;
};

static struct list services = {&services, &services};

static struct service *service_of(const DEVICE_OBJECT *device)
{
    list_for_each (link, &services) {
        struct service *service = container_of(link, struct service, link);
        if (service->device == device) {
            return service;
        }
    }
    return NULL;
}

static NTSTATUS NTAPI dispatch(PDEVICE_OBJECT device, PIRP irp)
{
    const struct service *service = service_of(device);
    const IO_STACK_LOCATION *here = IoGetCurrentIrpStackLocation(irp);
    NTSTATUS status = STATUS_INVALID_DEVICE_REQUEST;
    size_t written = 0;

    /* Only codes whose buffers are taken as they are (METHOD_NEITHER). */
    if (service && here->MajorFunction == IRP_MJ_INTERNAL_DEVICE_CONTROL &&
        (here->Parameters.DeviceIoControl.IoControlCode & 3) == METHOD_NEITHER) {
        status = service->routine(here->Parameters.DeviceIoControl.IoControlCode, irp->UserBuffer,
                                  here->Parameters.DeviceIoControl.OutputBufferLength, &written);
    }
    irp->IoStatus.Status = status;
    irp->IoStatus.Information = written;
    irp_complete(irp);
    return status;
}

static void service_free(struct service *service)
{
    if (service->device) {
        device_object_delete(service->device, "the end of a service", NULL);
    }
    nt_driver_object_destroy(service->driver);
    free(service->device_name);
    free(service->service_name);
    free(service);
}

NTSTATUS nt_control_device_create(const char *service_name, const char *device_name,
                                  nt_control_routine *routine)
{
    struct service *service = calloc(1, sizeof(*service));
    NTSTATUS status;

    if (!service) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    service->routine = routine;
    service->service_name = strdup(service_name);
    service->device_name = strdup(device_name);
    status = service->service_name && service->device_name
                 ? nt_driver_object_create(service_name, &service->driver)
                 : STATUS_INSUFFICIENT_RESOURCES;
    if (NT_SUCCESS(status)) {
        service->device =
            device_object_new(service->driver, sizeof(DEVICE_OBJECT), 0, FILE_DEVICE_VIDEO);
        status = service->device ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
    }
    if (!NT_SUCCESS(status)) {
        service_free(service);
        return status;
    }
    service->driver->MajorFunction[IRP_MJ_INTERNAL_DEVICE_CONTROL] = dispatch;
    service->driver->MajorFunction[IRP_MJ_DEVICE_CONTROL] = dispatch;
    service->device->Flags &= ~(ULONG)DO_DEVICE_INITIALIZING;
    list_push_back(&services, &service->link);
    return STATUS_SUCCESS;
}

void service_stop(void)
{
    list_for_each_safe (link, &services) {
        struct service *service = container_of(link, struct service, link);
        list_remove(&service->link);
        service_free(service);
    }
}

NTSTATUS NTAPI IoGetDeviceObjectPointer(PUNICODE_STRING ObjectName, ACCESS_MASK DesiredAccess,
                                        PFILE_OBJECT *FileObject, PDEVICE_OBJECT *DeviceObject)
{
    char name[256];

    NT_EXPORT_ENTER(IoGetDeviceObjectPointer);
    *FileObject = NULL;
    *DeviceObject = NULL;
    nt_text_from_unicode_string(ObjectName, name, sizeof(name));
    list_for_each (link, &services) {
        const struct service *service = container_of(link, struct service, link);
        FILE_OBJECT *file;
        if (strcasecmp(service->device_name, name) != 0) {
            continue;
        }
        file = object_create(&object_type_file, sizeof(*file));
        if (!file) {
            return STATUS_INSUFFICIENT_RESOURCES;
        }
        file->DeviceObject = service->device;
        object_give(file, __builtin_return_address(0));
        *FileObject = file; /* the caller's reference */
        *DeviceObject = service->device;
        return STATUS_SUCCESS;
    }
    return STATUS_OBJECT_NAME_NOT_FOUND;
}

/* The service whose registry key the name is; NULL: none that this kernel runs. */
static const struct service *service_named(PUNICODE_STRING key)
{
    char path[512];
    const char *last;

    nt_text_from_unicode_string(key, path, sizeof(path));
    last = strrchr(path, '\\');
    list_for_each (link, &services) {
        const struct service *service = container_of(link, struct service, link);
        if (last && strcasecmp(last + 1, service->service_name) == 0) {
            return service;
        }
    }
    return NULL;
}

NTSTATUS NTAPI ZwLoadDriver(PUNICODE_STRING DriverServiceName)
{
    NT_EXPORT_ENTER(ZwLoadDriver);
    return service_named(DriverServiceName) ? STATUS_IMAGE_ALREADY_LOADED
                                            : STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS NTAPI ZwUnloadDriver(PUNICODE_STRING DriverServiceName)
{
    NT_EXPORT_ENTER(ZwUnloadDriver);
    /* It is in use: by the driver that asks, if by nobody else. */
    return service_named(DriverServiceName) ? STATUS_INVALID_DEVICE_REQUEST
                                            : STATUS_OBJECT_NAME_NOT_FOUND;
}
