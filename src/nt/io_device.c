/* nt/io_device.c: the physical device objects of PCI slots: their names, properties and keys. */
#include "nt/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENUM_KEY  "\\Registry\\Machine\\System\\CurrentControlSet\\Enum\\"
#define CLASS_KEY "\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class\\"
/* The setup class of display adapters. */
#define DISPLAY_CLASS "{4d36e968-e325-11ce-bfc1-08002be10318}"
#define PCI_BUS_GUID_TEXT                                  \
    {                                                      \
        0xc8ebdfb0, 0xb510, 0x11d0,                        \
        {                                                  \
            0x80, 0xe5, 0x00, 0xa0, 0xc9, 0x25, 0x42, 0xe3 \
        }                                                  \
    }

struct pdo {
    DEVICE_OBJECT object; /* first */
    struct list link;
    struct pci_slot *slot;
    DRIVER_OBJECT *driver; /* the function driver; NULL: none yet */
    unsigned number;
    char hardware_id[64]; /* PCI\VEN_...&DEV_...&SUBSYS_...&REV_..., or of ACPI */
    char hardware_key[192], parameters_key[224], software_key[160];
};

static struct list devices = {&devices, &devices};
static DRIVER_OBJECT *bus_driver; /* of all physical device objects */
static unsigned next_number;

struct pdo *pdo_of(DEVICE_OBJECT *device)
{
    list_for_each (link, &devices) {
        struct pdo *pdo = container_of(link, struct pdo, link);
        if (&pdo->object == device) {
            return pdo;
        }
    }
    return NULL;
}

static struct pdo *pdo_below(DEVICE_OBJECT *device)
{
    list_for_each (link, &devices) {
        struct pdo *pdo = container_of(link, struct pdo, link);
        for (DEVICE_OBJECT *at = &pdo->object; at; at = at->AttachedDevice) {
            if (at == device) {
                return pdo;
            }
        }
    }
    return NULL;
}

struct pci_slot *nt_device_slot(struct _DEVICE_OBJECT *device)
{
    struct pdo *pdo = pdo_below(device);

    return pdo ? pdo->slot : NULL;
}

/* The id of the device and its instance, with # for what separates keys. */
void nt_device_interface_name(const struct pci_slot *slot, const char *interface_class, char *name,
                              size_t size)
{
    name[0] = 0;
    list_for_each (link, &devices) {
        const struct pdo *pdo = container_of(link, struct pdo, link);
        if (pdo->slot == slot) {
            snprintf(name, size, "\\\\?\\%s#%s", pdo->hardware_key + sizeof ENUM_KEY - 1,
                     interface_class);
        }
    }
    for (char *at = name[0] ? name + 4 : name; *at; at++) {
        *at = *at == '\\' ? '#' : (char)(*at | (*at >= 'A' && *at <= 'Z' ? 0x20 : 0));
    }
}

struct pci_slot *device_slot_at(unsigned bus, unsigned slot_number, unsigned function)
{
    list_for_each (link, &devices) {
        struct pdo *pdo = container_of(link, struct pdo, link);
        const struct pci_resources *resources = pci_resources(pdo->slot);
        if (resources->bus == bus && resources->slot_number == slot_number &&
            resources->function == function) {
            return pdo->slot;
        }
    }
    return NULL;
}

struct pci_slot *device_slot_of_vector(unsigned vector)
{
    list_for_each (link, &devices) {
        struct pdo *pdo = container_of(link, struct pdo, link);
        if (pci_resources(pdo->slot)->interrupt_vector == vector) {
            return pdo->slot;
        }
    }
    return NULL;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static bool is_of_acpi(const struct pdo *pdo)
{
    return pci_resources(pdo->slot)->platform;
}

static void name_in_slot(struct pdo *pdo)
{
    const struct pci_resources *resources = pci_resources(pdo->slot);
    PCI_COMMON_CONFIG config;

    pci_config_read(pdo->slot, 0, &config, sizeof(config));
    snprintf(pdo->hardware_id, sizeof(pdo->hardware_id),
             "PCI\\VEN_%04X&DEV_%04X&SUBSYS_%04X%04X&REV_%02X", config.VendorID, config.DeviceID,
             config.u.type0.SubSystemID, config.u.type0.SubVendorID, config.RevisionID);
    snprintf(pdo->hardware_key, sizeof(pdo->hardware_key), ENUM_KEY "%s\\%u&%u&%u",
             pdo->hardware_id, resources->bus, resources->slot_number, resources->function);
}

static void name_device(struct pdo *pdo)
{
    if (is_of_acpi(pdo)) {
        snprintf(pdo->hardware_id, sizeof(pdo->hardware_id), "ACPI\\%s",
                 pci_resources(pdo->slot)->firmware_id);
        snprintf(pdo->hardware_key, sizeof(pdo->hardware_key), ENUM_KEY "%s\\%u", pdo->hardware_id,
                 pdo->number);
    } else {
        name_in_slot(pdo);
    }
    snprintf(pdo->parameters_key, sizeof(pdo->parameters_key), "%s\\Device Parameters",
             pdo->hardware_key);
    snprintf(pdo->software_key, sizeof(pdo->software_key), CLASS_KEY DISPLAY_CLASS "\\%04u",
             pdo->number);
}

static bool fill_registry(const struct pdo *pdo)
{
    char driver_key[64];

    snprintf(driver_key, sizeof(driver_key), DISPLAY_CLASS "\\%04u", pdo->number);
    return NT_SUCCESS(nt_registry_create_key(pdo->parameters_key)) &&
           NT_SUCCESS(nt_registry_create_key(pdo->software_key)) &&
           NT_SUCCESS(nt_registry_set_string(pdo->hardware_key, "Driver", driver_key)) &&
           NT_SUCCESS(nt_registry_set_string(pdo->hardware_key, "ClassGUID", DISPLAY_CLASS));
}

NTSTATUS nt_device_create(struct pci_slot *slot, struct _DEVICE_OBJECT **out)
{
    struct pdo *pdo;
    NTSTATUS status;

    *out = NULL;
    if (!bus_driver) {
        status = nt_driver_object_create("pci", &bus_driver);
        if (!NT_SUCCESS(status)) {
            return status;
        }
        pci_driver_fill(bus_driver);
    }
    pdo = (struct pdo *)device_object_new(bus_driver, sizeof(*pdo), 0, FILE_DEVICE_UNKNOWN);
    if (!pdo) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    pdo->object.Flags &= ~(ULONG)DO_DEVICE_INITIALIZING;
    pdo->slot = slot;
    pdo->number = next_number++;
    list_push_back(&devices, &pdo->link);
    name_device(pdo);
    if (!fill_registry(pdo)) {
        nt_device_destroy(&pdo->object);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    *out = &pdo->object;
    return STATUS_SUCCESS;
}

NTSTATUS nt_device_set_driver(struct _DEVICE_OBJECT *device, struct _DRIVER_OBJECT *driver)
{
    struct pdo *pdo = pdo_of(device);
    NTSTATUS status;

    if (!pdo) {
        return STATUS_INVALID_PARAMETER;
    }
    pdo->driver = driver;
    status = nt_registry_set_string(pdo->hardware_key, "Service", driver_service(driver));
    if (NT_SUCCESS(status)) {
        status = nt_registry_set_string(pdo->software_key, "DriverDesc", driver_service(driver));
    }
    return status;
}

const char *nt_device_software_key(struct _DEVICE_OBJECT *device)
{
    struct pdo *pdo = pdo_of(device);

    return pdo ? pdo->software_key : NULL;
}

const char *nt_device_parameters_key(struct _DEVICE_OBJECT *device)
{
    struct pdo *pdo = pdo_of(device);

    return pdo ? pdo->parameters_key : NULL;
}

void nt_device_destroy(struct _DEVICE_OBJECT *device)
{
    struct pdo *pdo = device ? pdo_of(device) : NULL;

    if (pdo) {
        list_remove(&pdo->link);
        device_object_delete(&pdo->object, "the bus, which removes the device", NULL);
    }
}

void device_stop(void)
{
    list_for_each_safe (link, &devices) {
        nt_device_destroy(&container_of(link, struct pdo, link)->object);
    }
    if (bus_driver) {
        nt_driver_object_destroy(bus_driver);
        bus_driver = NULL;
    }
    next_number = 0;
}

/* ---- Properties ------------------------------------------------------------------------------ */

static NTSTATUS give(const void *bytes, size_t size, void *buffer, ULONG capacity, ULONG *result)
{
    *result = (ULONG)size;
    if (capacity < size) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    memcpy(buffer, bytes, size);
    return STATUS_SUCCESS;
}

/* count zeros at the end: 1 for a text, 2 for a list of one text. */
static NTSTATUS give_text(const char *text, unsigned zeros, void *buffer, ULONG capacity,
                          ULONG *result)
{
    size_t size;
    uint16_t *wide = text_to_wide(text, strlen(text), &size);
    NTSTATUS status;

    if (!wide) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    status = give(wide, size + sizeof(*wide), buffer, capacity, result);
    if (zeros == 2) {
        *result += sizeof(*wide);
        if (capacity < *result) {
            status = STATUS_BUFFER_TOO_SMALL;
        } else {
            memset((char *)buffer + size + sizeof(*wide), 0, sizeof(*wide));
        }
    }
    free(wide);
    return status;
}

static NTSTATUS give_number(ULONG number, void *buffer, ULONG capacity, ULONG *result)
{
    return give(&number, sizeof(number), buffer, capacity, result);
}

/* Where on its bus a device is. One of ACPI has no place, and an address only if firmware gives it
 * one. */
static NTSTATUS give_place(const struct pdo *pdo, DEVICE_REGISTRY_PROPERTY property, void *buffer,
                           ULONG capacity, ULONG *result)
{
    const struct pci_resources *resources = pci_resources(pdo->slot);
    char text[96];

    if (is_of_acpi(pdo)) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    switch (property) {
    case DevicePropertyLocationInformation:
        snprintf(text, sizeof(text), "PCI bus %u, device %u, function %u", resources->bus,
                 resources->slot_number, resources->function);
        return give_text(text, 1, buffer, capacity, result);
    case DevicePropertyBusNumber:
        return give_number(resources->bus, buffer, capacity, result);
    default:
        return give_number((ULONG)resources->slot_number << 16 | resources->function, buffer,
                           capacity, result);
    }
}

static NTSTATUS give_property(const struct pdo *pdo, DEVICE_REGISTRY_PROPERTY property,
                              void *buffer, ULONG capacity, ULONG *result)
{
    static const GUID pci_bus = PCI_BUS_GUID_TEXT;
    static const GUID acpi_bus = {
        0xd7b46895, 0x001a, 0x4942, {0x89, 0x1f, 0xa7, 0xd4, 0x66, 0x10, 0xa8, 0x43}};
    bool of_acpi = is_of_acpi(pdo);
    const char *service = pdo->driver ? driver_service(pdo->driver) : "PCI device";
    char text[96];

    switch (property) {
    case DevicePropertyHardwareID:
    case DevicePropertyCompatibleIDs:
        return give_text(pdo->hardware_id, 2, buffer, capacity, result);
    case DevicePropertyDeviceDescription:
    case DevicePropertyFriendlyName:
        return give_text(service, 1, buffer, capacity, result);
    case DevicePropertyClassName:
        return give_text("Display", 1, buffer, capacity, result);
    case DevicePropertyClassGuid:
        return give_text(DISPLAY_CLASS, 1, buffer, capacity, result);
    case DevicePropertyDriverKeyName:
        snprintf(text, sizeof(text), DISPLAY_CLASS "\\%04u", pdo->number);
        return give_text(text, 1, buffer, capacity, result);
    case DevicePropertyManufacturer:
        return give_text("Drydock", 1, buffer, capacity, result);
    case DevicePropertyLocationInformation:
    case DevicePropertyBusNumber:
    case DevicePropertyAddress:
        return give_place(pdo, property, buffer, capacity, result);
    case DevicePropertyPhysicalDeviceObjectName:
        snprintf(text, sizeof(text), of_acpi ? "\\Device\\%08x" : "\\Device\\NTPNP_PCI%04u",
                 pdo->number);
        return give_text(text, 1, buffer, capacity, result);
    case DevicePropertyEnumeratorName:
        return give_text(of_acpi ? "ACPI" : "PCI", 1, buffer, capacity, result);
    case DevicePropertyBusTypeGuid:
        return give(of_acpi ? &acpi_bus : &pci_bus, sizeof(GUID), buffer, capacity, result);
    case DevicePropertyLegacyBusType:
        return give_number(of_acpi ? ACPIBus : PCIBus, buffer, capacity, result);
    case DevicePropertyInstallState:
    case DevicePropertyRemovalPolicy:
        return give_number(property == DevicePropertyInstallState ? 0 : 1, buffer, capacity,
                           result);
    default:
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
}

NTSTATUS NTAPI IoGetDeviceProperty(PDEVICE_OBJECT DeviceObject,
                                   DEVICE_REGISTRY_PROPERTY DeviceProperty, ULONG BufferLength,
                                   PVOID PropertyBuffer, PULONG ResultLength)
{
    struct export_call call = NT_EXPORT_CALL(IoGetDeviceProperty);
    struct pdo *pdo = pdo_of(DeviceObject);

    if (!pdo) {
        misuse(NT_MISUSE_OBJECT, &call, "that is no physical device object");
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    return give_property(pdo, DeviceProperty, PropertyBuffer, BufferLength, ResultLength);
}

/* ---- Properties by key ----------------------------------------------------------------------- */

/* The set of properties that have the numbers of DEVICE_REGISTRY_PROPERTY, plus two. */
static const GUID device_properties = {
    0xa45c254e, 0xdf1c, 0x4efd, {0x80, 0x20, 0x67, 0xd1, 0x46, 0xa8, 0x50, 0xe0}};
static const GUID display_class = {
    0x4d36e968, 0xe325, 0x11ce, {0xbf, 0xc1, 0x08, 0x00, 0x2b, 0xe1, 0x03, 0x18}};

#define PID_SERVICE    6
#define PID_CLASS_GUID 10

static const struct key_row {
    DEVPROPID pid;
    DEVICE_REGISTRY_PROPERTY property;
    DEVPROPTYPE type;
} key_rows[] = {
    {2, DevicePropertyDeviceDescription, DEVPROP_TYPE_STRING},
    {3, DevicePropertyHardwareID, DEVPROP_TYPE_STRING_LIST},
    {4, DevicePropertyCompatibleIDs, DEVPROP_TYPE_STRING_LIST},
    {9, DevicePropertyClassName, DEVPROP_TYPE_STRING},
    {11, DevicePropertyDriverKeyName, DEVPROP_TYPE_STRING},
    {13, DevicePropertyManufacturer, DEVPROP_TYPE_STRING},
    {14, DevicePropertyFriendlyName, DEVPROP_TYPE_STRING},
    {15, DevicePropertyLocationInformation, DEVPROP_TYPE_STRING},
    {16, DevicePropertyPhysicalDeviceObjectName, DEVPROP_TYPE_STRING},
    {21, DevicePropertyBusTypeGuid, DEVPROP_TYPE_GUID},
    {22, DevicePropertyLegacyBusType, DEVPROP_TYPE_UINT32},
    {23, DevicePropertyBusNumber, DEVPROP_TYPE_UINT32},
    {24, DevicePropertyEnumeratorName, DEVPROP_TYPE_STRING},
    {30, DevicePropertyAddress, DEVPROP_TYPE_UINT32},
    {33, DevicePropertyRemovalPolicy, DEVPROP_TYPE_UINT32},
    {36, DevicePropertyInstallState, DEVPROP_TYPE_UINT32},
};

static NTSTATUS give_by_key(const struct pdo *pdo, DEVPROPID pid, void *buffer, ULONG capacity,
                            ULONG *result, DEVPROPTYPE *type)
{
    if (pid == PID_CLASS_GUID) {
        *type = DEVPROP_TYPE_GUID;
        return give(&display_class, sizeof(display_class), buffer, capacity, result);
    }
    if (pid == PID_SERVICE && pdo->driver) {
        *type = DEVPROP_TYPE_STRING;
        return give_text(driver_service(pdo->driver), 1, buffer, capacity, result);
    }
    for (size_t i = 0; i < sizeof(key_rows) / sizeof(key_rows[0]); i++) {
        if (key_rows[i].pid == pid) {
            *type = key_rows[i].type;
            return give_property(pdo, key_rows[i].property, buffer, capacity, result);
        }
    }
    return STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS NTAPI IoGetDevicePropertyData(PDEVICE_OBJECT Pdo, const DEVPROPKEY *PropertyKey, LCID Lcid,
                                       ULONG Flags, ULONG Size, PVOID Data, PULONG RequiredSize,
                                       PDEVPROPTYPE Type)
{
    struct export_call call = NT_EXPORT_CALL(IoGetDevicePropertyData);
    struct pdo *pdo = pdo_of(Pdo);

    *RequiredSize = 0;
    *Type = DEVPROP_TYPE_EMPTY;
    if (!pdo) {
        misuse(NT_MISUSE_OBJECT, &call, "that is no physical device object");
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    if (memcmp(&PropertyKey->fmtid, &device_properties, sizeof(GUID)) != 0) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    return give_by_key(pdo, PropertyKey->pid, Data, Size, RequiredSize, Type);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

NTSTATUS NTAPI IoOpenDeviceRegistryKey(PDEVICE_OBJECT DeviceObject, ULONG DevInstKeyType,
                                       ACCESS_MASK DesiredAccess, PHANDLE DeviceRegKey)
{
    struct export_call call = NT_EXPORT_CALL(IoOpenDeviceRegistryKey);
    struct pdo *pdo = pdo_of(DeviceObject);
    struct registry_key *key;
    const char *path;

    *DeviceRegKey = NULL;
    if (!pdo) {
        misuse(NT_MISUSE_OBJECT, &call, "that is no physical device object");
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    if (DevInstKeyType & PLUGPLAY_REGKEY_DRIVER) {
        path = pdo->software_key;
    } else if (DevInstKeyType & PLUGPLAY_REGKEY_DEVICE) {
        path = pdo->parameters_key;
    } else {
        return STATUS_INVALID_PARAMETER;
    }
    key = registry_key_make(NULL, path, NULL);
    const struct handle_request request = {DesiredAccess, OBJ_KERNEL_HANDLE, call.caller};
    return key ? key_handle_open(key, &request, DeviceRegKey) : STATUS_INSUFFICIENT_RESOURCES;
}

NTSTATUS NTAPI IoOpenDriverRegistryKey(PDRIVER_OBJECT DriverObject, ULONG RegKeyType,
                                       ACCESS_MASK DesiredAccess, ULONG Flags, PHANDLE DriverRegKey)
{
    struct export_call call = NT_EXPORT_CALL(IoOpenDriverRegistryKey);
    struct registry_key *key;
    char path[512];

    *DriverRegKey = NULL;
    snprintf(path, sizeof(path), "%s\\%s\\Parameters", NT_REGISTRY_SERVICES,
             driver_service(DriverObject));
    key = registry_key_make(NULL, path, NULL);
    const struct handle_request request = {DesiredAccess, OBJ_KERNEL_HANDLE, call.caller};
    return key ? key_handle_open(key, &request, DriverRegKey) : STATUS_INSUFFICIENT_RESOURCES;
}

/* ---- Interfaces for user mode: a name is made, nobody opens it ------------------------------- */

NTSTATUS NTAPI IoRegisterDeviceInterface(PDEVICE_OBJECT PhysicalDeviceObject,
                                         const GUID *InterfaceClassGuid,
                                         PUNICODE_STRING ReferenceString,
                                         PUNICODE_STRING SymbolicLinkName)
{
    struct export_call call = NT_EXPORT_CALL(IoRegisterDeviceInterface);
    struct pdo *pdo = pdo_of(PhysicalDeviceObject);
    struct pool_request request = {.tag = POOL_TAG('I', 'o', 'I', 'f'),
                                   .type = POOL_TYPE_PAGED,
                                   .zeroed = true,
                                   .caller = call.caller};
    char name[128];
    uint16_t *wide;
    size_t size;

    if (!pdo) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    snprintf(name, sizeof(name), "\\??\\%s#%04u#{%08x-%04x-%04x}", is_of_acpi(pdo) ? "ACPI" : "PCI",
             pdo->number, InterfaceClassGuid->Data1, InterfaceClassGuid->Data2,
             InterfaceClassGuid->Data3);
    wide = text_to_wide(name, strlen(name), &size);
    request.size = size + sizeof(WCHAR);
    SymbolicLinkName->Buffer = wide ? pool_allocate(&request) : NULL;
    if (SymbolicLinkName->Buffer) {
        memcpy(SymbolicLinkName->Buffer, wide, request.size);
        SymbolicLinkName->Length = (USHORT)size;
        SymbolicLinkName->MaximumLength = (USHORT)request.size;
    }
    free(wide);
    return SymbolicLinkName->Buffer ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

NTSTATUS NTAPI IoSetDeviceInterfaceState(PUNICODE_STRING SymbolicLinkName, BOOLEAN Enable)
{
    NT_EXPORT_ENTER(IoSetDeviceInterfaceState);
    return STATUS_SUCCESS;
}

/* No interface is ever found: an empty list, which the caller frees. */
NTSTATUS NTAPI IoGetDeviceInterfaces(const GUID *InterfaceClassGuid,
                                     PDEVICE_OBJECT PhysicalDeviceObject, ULONG Flags,
                                     PZPWSTR *SymbolicLinkList)
{
    struct export_call call = NT_EXPORT_CALL(IoGetDeviceInterfaces);
    struct pool_request request = {.size = sizeof(WCHAR),
                                   .tag = POOL_TAG('I', 'o', 'I', 'f'),
                                   .type = POOL_TYPE_PAGED,
                                   .zeroed = true,
                                   .caller = call.caller};

    *SymbolicLinkList = pool_allocate(&request);
    return *SymbolicLinkList ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

VOID NTAPI IoInvalidateDeviceRelations(PDEVICE_OBJECT DeviceObject, DEVICE_RELATION_TYPE Type)
{
    NT_EXPORT_ENTER(IoInvalidateDeviceRelations);
}

NTSTATUS NTAPI IoGetDeviceNumaNode(PDEVICE_OBJECT Pdo, PUSHORT NodeNumber)
{
    NT_EXPORT_ENTER(IoGetDeviceNumaNode);
    *NodeNumber = 0;
    return STATUS_SUCCESS;
}
