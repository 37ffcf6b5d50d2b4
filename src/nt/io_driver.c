/* nt/io_driver.c: driver and device objects, device stacks, symbolic links. */
#include "nt/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wdmsec.h>

#define IO_TYPE_DEVICE   3
#define IO_TYPE_DRIVER   4
#define SERVICE_NAME_MAX 256

struct driver_client_data {
    struct list link;
    void *identity;
    uint8_t bytes[] __attribute__((aligned(16)));
};

struct driver {
    DRIVER_OBJECT object; /* first */
    DRIVER_EXTENSION extension;
    UNICODE_STRING registry_path;
    char service[SERVICE_NAME_MAX];
    struct list link, client_data;
    /* What stands in the objects, too, where drivers can write. */
    UNICODE_STRING name, service_key;
    DRIVER_OBJECT kept; /* as the kernel filled it */
    char *image;
    size_t image_bytes;
};

/* Of each device object what its driver must leave as it is. */
struct device_shadow {
    struct list link;
    DEVICE_OBJECT *device;
    DRIVER_OBJECT *driver;
    void *extension;
};

static struct list drivers = {&drivers, &drivers};
static struct list devices = {&devices, &devices};

static void driver_destroy(void *body);
static void device_destroy(void *body);
static DEVICE_OBJECT *newest_device(const DRIVER_OBJECT *driver);
struct object_type object_type_driver = {.name = "Driver", .destroy = driver_destroy};
struct object_type object_type_device = {.name = "Device", .destroy = device_destroy};

static NTSTATUS NTAPI invalid_request(PDEVICE_OBJECT device, PIRP irp)
{
    irp->IoStatus.Status = STATUS_INVALID_DEVICE_REQUEST;
    irp_complete(irp);
    return STATUS_INVALID_DEVICE_REQUEST;
}

/* A string in memory that drivers can read; freed with nt_memory_free(string->Buffer). */
bool unicode_string_make(UNICODE_STRING *string, const char *text)
{
    size_t size;
    uint16_t *wide = text_to_wide(text, strlen(text), &size);

    *string = (UNICODE_STRING){0};
    if (!wide) {
        return false;
    }
    string->Buffer = nt_memory_alloc(size + sizeof(WCHAR), 0);
    if (string->Buffer) {
        memcpy(string->Buffer, wide, size + sizeof(WCHAR));
        string->Length = (USHORT)size;
        string->MaximumLength = (USHORT)(size + sizeof(WCHAR));
    }
    free(wide);
    return string->Buffer != NULL;
}

/* ---- Drivers --------------------------------------------------------------------------------- */

static void driver_destroy(void *body)
{
    struct driver *driver = body;

    list_remove(&driver->link);
    while (!list_empty(&driver->client_data)) {
        struct list *link = list_pop_front(&driver->client_data);
        nt_memory_free(container_of(link, struct driver_client_data, link));
    }
    nt_memory_free(driver->name.Buffer);
    nt_memory_free(driver->service_key.Buffer);
    nt_memory_free(driver->registry_path.Buffer);
}

static void driver_fill(struct driver *driver)
{
    DRIVER_OBJECT *object = &driver->object;

    object->Type = IO_TYPE_DRIVER;
    object->Size = sizeof(*object);
    object->DriverExtension = &driver->extension;
    driver->extension.DriverObject = object;
    for (unsigned i = 0; i <= IRP_MJ_MAXIMUM_FUNCTION; i++) {
        object->MajorFunction[i] = invalid_request;
    }
}

NTSTATUS nt_driver_object_create(const char *service_name, struct _DRIVER_OBJECT **out)
{
    char path[SERVICE_NAME_MAX + 64], name[SERVICE_NAME_MAX + 16];
    struct driver *driver;

    *out = NULL;
    if (!*service_name || strlen(service_name) >= SERVICE_NAME_MAX || strchr(service_name, '\\')) {
        return STATUS_INVALID_PARAMETER;
    }
    driver = object_create(&object_type_driver, sizeof(*driver));
    if (!driver) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    list_init(&driver->client_data);
    list_push_back(&drivers, &driver->link);
    driver_fill(driver);
    snprintf(driver->service, sizeof(driver->service), "%s", service_name);
    snprintf(path, sizeof(path), "%s\\%s", NT_REGISTRY_SERVICES, service_name);
    snprintf(name, sizeof(name), "\\Driver\\%s", service_name);
    if (!unicode_string_make(&driver->registry_path, path) ||
        !unicode_string_make(&driver->name, name) ||
        !unicode_string_make(&driver->service_key, service_name) ||
        !NT_SUCCESS(nt_registry_create_key(path))) {
        object_put(driver);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    driver->object.DriverName = driver->name;
    driver->extension.ServiceKeyName = driver->service_key;
    driver->kept = driver->object;
    *out = &driver->object;
    return STATUS_SUCCESS;
}

struct _UNICODE_STRING *nt_driver_registry_path(struct _DRIVER_OBJECT *driver)
{
    return &((struct driver *)driver)->registry_path;
}

const char *driver_service(const DRIVER_OBJECT *driver)
{
    return ((const struct driver *)driver)->service;
}

void nt_driver_object_set_image(struct _DRIVER_OBJECT *object, void *base, size_t size)
{
    struct driver *driver = (struct driver *)object;

    object->DriverStart = driver->image = base;
    object->DriverSize = (ULONG)size;
    driver->image_bytes = size;
    driver->kept = *object;
}

void nt_driver_object_destroy(struct _DRIVER_OBJECT *object)
{
    const struct driver *driver = (const struct driver *)object;

    if (driver) {
        nt_driver_object_judge(object, "the driver's end");
        ram_disown(driver->image, driver->image_bytes);
        nt_object_put(object);
    }
}

void *driver_image_at(const void *address)
{
    list_for_each (link, &drivers) {
        const struct driver *driver = container_of(link, struct driver, link);
        if (driver->image && (uintptr_t)address - (uintptr_t)driver->image < driver->image_bytes) {
            return driver->image;
        }
    }
    return NULL;
}

/* ---- What a driver object says that is not the driver's to say ------------------------------- */

#define KEPT(field)                                                                 \
    {                                                                               \
#field, offsetof(DRIVER_OBJECT, field), sizeof(((DRIVER_OBJECT *)0)->field) \
    }

static const struct kept {
    const char *name;
    size_t offset, bytes;
} kept_fields[] = {
    KEPT(Type),
    KEPT(Size),
    KEPT(DeviceObject),
    KEPT(DriverStart),
    KEPT(DriverSize),
    KEPT(DriverSection),
    KEPT(DriverExtension),
    KEPT(DriverName.Length),
    KEPT(DriverName.Buffer),
};

#define NOTHING_BELOW 0x10000u /* is ever mapped */

/* Code may be another image's, or the kernel's own: what cannot be a routine is told. */
static bool is_no_routine(const void *address)
{
    uint64_t upper = (uintptr_t)address >> 47;
    struct nt_pool_block block;
    bool writable;

    return address &&
           ((uintptr_t)address < NOTHING_BELOW || (upper != 0 && upper != 0x1FFFF) ||
            nt_pool_find(address, &block) ||
            (nt_hooks.image_data && nt_hooks.image_data(nt_hooks.ctx, address, &writable)));
}

/* A table may be constant data of any image. */
static bool is_no_table(const void *address)
{
    uint64_t upper = (uintptr_t)address >> 47;

    return address && ((uintptr_t)address < NOTHING_BELOW || (upper != 0 && upper != 0x1FFFF));
}

/* The name of a pointer that is the driver's to set, and leads nowhere; it is forgotten. */
static const char *lost_pointer(DRIVER_OBJECT *object)
{
    const char *name = NULL;

    for (unsigned i = 0; i <= IRP_MJ_MAXIMUM_FUNCTION; i++) {
        if (is_no_routine((const void *)object->MajorFunction[i])) {
            object->MajorFunction[i] = invalid_request;
            name = "MajorFunction";
        }
    }
    if (is_no_routine((const void *)object->DriverUnload)) {
        object->DriverUnload = NULL;
        name = "DriverUnload";
    }
    if (is_no_routine((const void *)object->DriverStartIo)) {
        object->DriverStartIo = NULL;
        name = "DriverStartIo";
    }
    if (is_no_table(object->FastIoDispatch)) {
        object->FastIoDispatch = NULL;
        name = "FastIoDispatch";
    }
    return name;
}

/* Set right where it is told, so that it is told once, and the kernel goes on. */
static const char *written_over(struct driver *driver)
{
    const char *name = NULL;

    driver->kept.DeviceObject = newest_device(&driver->object);
    for (size_t i = 0; i < sizeof kept_fields / sizeof kept_fields[0]; i++) {
        const struct kept *field = &kept_fields[i];
        char *is = (char *)&driver->object + field->offset;
        const char *was = (const char *)&driver->kept + field->offset;
        if (memcmp(is, was, field->bytes) != 0) {
            name = name ? name : field->name;
            memcpy(is, was, field->bytes);
        }
    }
    return name;
}

void nt_driver_object_judge(struct _DRIVER_OBJECT *object, const char *service)
{
    struct driver *driver = (struct driver *)object;

    if (!object) { /* some tests enter without one */
        return;
    }
    const char *over = written_over(driver), *lost = driver->image ? lost_pointer(object) : NULL;

    if (over) {
        nt_misuse(NT_MISUSE_OBJECT, service, NULL,
                  "the driver has written over %s of a driver object, which is not its own", over);
    }
    if (lost) {
        nt_misuse(NT_MISUSE_OBJECT, service, NULL,
                  "%s of the driver object leads to nothing that it could be", lost);
    }
}

NTSTATUS NTAPI IoAllocateDriverObjectExtension(PDRIVER_OBJECT DriverObject,
                                               PVOID ClientIdentificationAddress,
                                               ULONG DriverObjectExtensionSize,
                                               PVOID *DriverObjectExtension)
{
    struct driver *driver = (struct driver *)DriverObject;
    struct driver_client_data *data;

    NT_EXPORT_ENTER(IoAllocateDriverObjectExtension);
    *DriverObjectExtension = NULL;
    list_for_each (link, &driver->client_data) {
        data = container_of(link, struct driver_client_data, link);
        if (data->identity == ClientIdentificationAddress) {
            return STATUS_OBJECT_NAME_COLLISION;
        }
    }
    data = nt_memory_alloc(sizeof(*data) + DriverObjectExtensionSize, 0);
    if (!data) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    data->identity = ClientIdentificationAddress;
    list_push_back(&driver->client_data, &data->link);
    *DriverObjectExtension = data->bytes;
    return STATUS_SUCCESS;
}

PVOID NTAPI IoGetDriverObjectExtension(PDRIVER_OBJECT DriverObject,
                                       PVOID ClientIdentificationAddress)
{
    struct driver *driver = (struct driver *)DriverObject;

    NT_EXPORT_ENTER(IoGetDriverObjectExtension);
    list_for_each (link, &driver->client_data) {
        struct driver_client_data *data = container_of(link, struct driver_client_data, link);
        if (data->identity == ClientIdentificationAddress) {
            return data->bytes;
        }
    }
    return NULL;
}

/* ---- Devices --------------------------------------------------------------------------------- */

static struct device_shadow *shadow_of(const DEVICE_OBJECT *device)
{
    list_for_each (link, &devices) {
        struct device_shadow *shadow = container_of(link, struct device_shadow, link);
        if (shadow->device == device) {
            return shadow;
        }
    }
    return NULL;
}

static void device_destroy(void *body)
{
    struct device_shadow *shadow = shadow_of(body);

    if (shadow) {
        nt_memory_free(shadow->extension);
        list_remove(&shadow->link);
        free(shadow);
    }
}

/* size is that of the structure that begins with the DEVICE_OBJECT. */
DEVICE_OBJECT *device_object_new(DRIVER_OBJECT *driver, size_t size, ULONG extension_size,
                                 DEVICE_TYPE type)
{
    DEVICE_OBJECT *device = object_create(&object_type_device, size);
    struct device_shadow *shadow = device ? calloc(1, sizeof(*shadow)) : NULL;

    if (!shadow) {
        object_put(device);
        return NULL;
    }
    *shadow = (struct device_shadow){.device = device, .driver = driver};
    list_push_back(&devices, &shadow->link);
    if (extension_size) {
        shadow->extension = nt_memory_alloc(extension_size, 0);
        if (!shadow->extension) {
            object_put(device);
            return NULL;
        }
    }
    device->DeviceExtension = shadow->extension;
    device->Type = IO_TYPE_DEVICE;
    device->Size = (USHORT)(sizeof(*device) + extension_size);
    device->ReferenceCount = 1;
    device->DriverObject = driver;
    device->DeviceType = type;
    device->StackSize = 1;
    device->Flags = DO_DEVICE_INITIALIZING;
    dispatcher_init(&device->DeviceLock.Header, DISPATCHER_EVENT_SYNCHRONIZATION,
                    sizeof(device->DeviceLock), 1);
    device->NextDevice = driver->DeviceObject;
    driver->DeviceObject = device;
    return device;
}

static DEVICE_OBJECT *newest_device(const DRIVER_OBJECT *driver)
{
    DEVICE_OBJECT *newest = NULL;

    list_for_each (link, &devices) {
        const struct device_shadow *shadow = container_of(link, struct device_shadow, link);
        newest = shadow->driver == driver ? shadow->device : newest;
    }
    return newest;
}

/* The driver's list of its devices, made anew of what is left: drivers can write there. */
static void link_devices(DRIVER_OBJECT *driver, const DEVICE_OBJECT *except)
{
    driver->DeviceObject = NULL;
    list_for_each (link, &devices) {
        const struct device_shadow *shadow = container_of(link, struct device_shadow, link);
        if (shadow->driver == driver && shadow->device != except) {
            shadow->device->NextDevice = driver->DeviceObject;
            driver->DeviceObject = shadow->device;
        }
    }
}

/* What its driver wrote over is told once, at its end, by the name of who begins that. */
static void judge_kept(const struct device_shadow *shadow, const char *service, const void *caller)
{
    const char *what = shadow->device->DeviceExtension != shadow->extension ? "DeviceExtension"
                       : shadow->device->DriverObject != shadow->driver     ? "DriverObject"
                                                                            : NULL;

    if (what) {
        nt_misuse(NT_MISUSE_OBJECT, service, caller,
                  "the driver has written over %s of a device object, which is not its own", what);
    }
}

void device_object_delete(DEVICE_OBJECT *device, const char *service, const void *caller)
{
    struct device_shadow *shadow = shadow_of(device);

    if (shadow) {
        judge_kept(shadow, service, caller);
        link_devices(shadow->driver, device);
        shadow->driver = NULL; /* who still has a reference keeps the memory alone */
    }
    object_put(device);
}

static NTSTATUS create_device(PDRIVER_OBJECT driver, ULONG extension_size, DEVICE_TYPE type,
                              ULONG characteristics, BOOLEAN exclusive, PDEVICE_OBJECT *device)
{
    *device = device_object_new(driver, sizeof(DEVICE_OBJECT), extension_size, type);
    if (!*device) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    (*device)->Characteristics = characteristics;
    if (exclusive) {
        (*device)->Flags |= DO_EXCLUSIVE;
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI IoCreateDevice(PDRIVER_OBJECT DriverObject, ULONG DeviceExtensionSize,
                              PUNICODE_STRING DeviceName, DEVICE_TYPE DeviceType,
                              ULONG DeviceCharacteristics, BOOLEAN Exclusive,
                              PDEVICE_OBJECT *DeviceObject)
{
    NT_EXPORT_ENTER(IoCreateDevice);
    return create_device(DriverObject, DeviceExtensionSize, DeviceType, DeviceCharacteristics,
                         Exclusive, DeviceObject);
}

/* Who may open it, nobody asks: all clients are one user, the administrator. */
NTSTATUS NTAPI WdmlibIoCreateDeviceSecure(PDRIVER_OBJECT DriverObject, ULONG DeviceExtensionSize,
                                          PUNICODE_STRING DeviceName, DEVICE_TYPE DeviceType,
                                          ULONG DeviceCharacteristics, BOOLEAN Exclusive,
                                          PCUNICODE_STRING DefaultSDDLString,
                                          LPCGUID DeviceClassGuid, PDEVICE_OBJECT *DeviceObject)
{
    NT_EXPORT_ENTER(WdmlibIoCreateDeviceSecure);
    if (!DefaultSDDLString || DefaultSDDLString->Length < 2 * sizeof(WCHAR) ||
        DefaultSDDLString->Buffer[0] != 'D' || DefaultSDDLString->Buffer[1] != ':') {
        return STATUS_INVALID_PARAMETER;
    }
    return create_device(DriverObject, DeviceExtensionSize, DeviceType, DeviceCharacteristics,
                         Exclusive, DeviceObject);
}

NTSTATUS NTAPI WdmlibIoValidateDeviceIoControlAccess(PIRP Irp, ULONG RequiredAccess)
{
    NT_EXPORT_ENTER(WdmlibIoValidateDeviceIoControlAccess);
    UCHAR major = IoGetCurrentIrpStackLocation(Irp)->MajorFunction;

    if ((major != IRP_MJ_DEVICE_CONTROL && major != IRP_MJ_FILE_SYSTEM_CONTROL) ||
        RequiredAccess & ~(ULONG)(FILE_READ_ACCESS | FILE_WRITE_ACCESS)) {
        return STATUS_INVALID_PARAMETER;
    }
    return STATUS_SUCCESS; /* a handle of a client's is open for reading and writing */
}

static bool is_device(const void *device, const struct export_call *call)
{
    if (object_type_of(device) == &object_type_device) {
        return true;
    }
    misuse(NT_MISUSE_OBJECT, call, "that is no device object");
    return false;
}

VOID NTAPI IoDeleteDevice(PDEVICE_OBJECT DeviceObject)
{
    struct export_call call = NT_EXPORT_CALL(IoDeleteDevice);

    if (is_device(DeviceObject, &call)) {
        if (pdo_of(DeviceObject)) {
            misuse(NT_MISUSE_OBJECT, &call, "that is the bus's device object, not the driver's");
            return;
        }
        device_object_delete(DeviceObject, export_name(call.id), call.caller);
    }
}

static DEVICE_OBJECT *top_of(DEVICE_OBJECT *device)
{
    while (device->AttachedDevice) {
        device = device->AttachedDevice;
    }
    return device;
}

PDEVICE_OBJECT NTAPI IoAttachDeviceToDeviceStack(PDEVICE_OBJECT SourceDevice,
                                                 PDEVICE_OBJECT TargetDevice)
{
    struct export_call call = NT_EXPORT_CALL(IoAttachDeviceToDeviceStack);
    DEVICE_OBJECT *below;

    if (!is_device(SourceDevice, &call) || !is_device(TargetDevice, &call)) {
        return NULL;
    }
    below = top_of(TargetDevice);
    below->AttachedDevice = SourceDevice;
    SourceDevice->StackSize = (CCHAR)(below->StackSize + 1);
    SourceDevice->AlignmentRequirement = below->AlignmentRequirement;
    return below;
}

VOID NTAPI IoDetachDevice(PDEVICE_OBJECT TargetDevice)
{
    struct export_call call = NT_EXPORT_CALL(IoDetachDevice);

    if (is_device(TargetDevice, &call)) {
        TargetDevice->AttachedDevice = NULL;
    }
}

PDEVICE_OBJECT NTAPI IoGetAttachedDevice(PDEVICE_OBJECT DeviceObject)
{
    NT_EXPORT_ENTER(IoGetAttachedDevice);
    return top_of(DeviceObject);
}

PDEVICE_OBJECT NTAPI IoGetAttachedDeviceReference(PDEVICE_OBJECT DeviceObject)
{
    NT_EXPORT_ENTER(IoGetAttachedDeviceReference);
    DeviceObject = top_of(DeviceObject);
    object_get(DeviceObject);
    object_give(DeviceObject, __builtin_return_address(0));
    return DeviceObject;
}

/* There is no name space of devices for clients to open: names and links are accepted and unused.
 */
NTSTATUS NTAPI IoCreateSymbolicLink(PUNICODE_STRING SymbolicLinkName, PUNICODE_STRING DeviceName)
{
    NT_EXPORT_ENTER(IoCreateSymbolicLink);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI IoDeleteSymbolicLink(PUNICODE_STRING SymbolicLinkName)
{
    NT_EXPORT_ENTER(IoDeleteSymbolicLink);
    return STATUS_SUCCESS;
}

PDEVICE_OBJECT NTAPI IoGetRelatedDeviceObject(PFILE_OBJECT FileObject)
{
    NT_EXPORT_ENTER(IoGetRelatedDeviceObject);
    return FileObject->DeviceObject ? top_of(FileObject->DeviceObject) : NULL;
}
