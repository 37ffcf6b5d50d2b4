/* nt/io_pci.c: the PCI bus driver below every device stack, and the HAL's view of the bus.
 *
 * It answers what function drivers ask their bus: configuration space, BUS_INTERFACE_STANDARD,
 * capabilities, power. Everything else keeps the status the request came with, as a bus driver
 * must. */
#include "nt/internal.h"

#include <string.h>

#define CONFIG_SIZE 4096u

/* ---- Configuration space --------------------------------------------------------------------- */

/* Bytes moved: what lies inside the 4096. */
static ULONG config_move(struct pci_slot *slot, bool write, ULONG which, void *buffer, ULONG offset,
                         ULONG length)
{
    if (which != PCI_WHICHSPACE_CONFIG || offset >= CONFIG_SIZE || pci_resources(slot)->platform) {
        return 0;
    }
    if (length > CONFIG_SIZE - offset) {
        length = CONFIG_SIZE - offset;
    }
    if (write) {
        pci_config_write(slot, offset, buffer, length);
    } else {
        pci_config_read(slot, offset, buffer, length);
    }
    return length;
}

static NTSTATUS config_request(struct pci_slot *slot, IRP *irp, bool write)
{
    if (pci_resources(slot)->platform) {
        return irp->IoStatus.Status;
    }
    IO_STACK_LOCATION *location = IoGetCurrentIrpStackLocation(irp);
    ULONG moved = config_move(slot, write, location->Parameters.ReadWriteConfig.WhichSpace,
                              location->Parameters.ReadWriteConfig.Buffer,
                              location->Parameters.ReadWriteConfig.Offset,
                              location->Parameters.ReadWriteConfig.Length);

    irp->IoStatus.Information = moved;
    return moved == location->Parameters.ReadWriteConfig.Length ? STATUS_SUCCESS
                                                                : STATUS_INVALID_PARAMETER;
}

/* ---- BUS_INTERFACE_STANDARD ------------------------------------------------------------------ */

static const GUID bus_interface_standard = {
    0x496B8280, 0x6F25, 0x11D0, {0xBE, 0xAF, 0x08, 0x00, 0x2B, 0xE2, 0x09, 0x2F}};

typedef BOOLEAN NTAPI translate_routine(PVOID context, PHYSICAL_ADDRESS address, ULONG length,
                                        PULONG space, PPHYSICAL_ADDRESS translated);
typedef struct _DMA_ADAPTER *NTAPI adapter_routine(PVOID context, PVOID description,
                                                   PULONG registers);
typedef ULONG NTAPI data_routine(PVOID context, ULONG type, PVOID buffer, ULONG offset,
                                 ULONG length);

struct bus_interface {
    INTERFACE base;
    translate_routine *translate;
    adapter_routine *adapter;
    data_routine *set_data, *get_data;
};

static VOID NTAPI keep(PVOID context)
{
    object_get(context);
}

static VOID NTAPI drop(PVOID context)
{
    object_put(context);
}

static BOOLEAN NTAPI translate(PVOID context, PHYSICAL_ADDRESS address, ULONG length, PULONG space,
                               PPHYSICAL_ADDRESS translated)
{
    *translated = address; /* bus addresses are physical addresses */
    return TRUE;
}

static struct _DMA_ADAPTER *NTAPI no_adapter(PVOID context, PVOID description, PULONG registers)
{
    *registers = 0;
    return NULL;
}

static ULONG NTAPI set_data(PVOID context, ULONG type, PVOID buffer, ULONG offset, ULONG length)
{
    struct pci_slot *slot = nt_device_slot(context);

    return slot ? config_move(slot, true, type, buffer, offset, length) : 0;
}

static ULONG NTAPI get_data(PVOID context, ULONG type, PVOID buffer, ULONG offset, ULONG length)
{
    struct pci_slot *slot = nt_device_slot(context);

    return slot ? config_move(slot, false, type, buffer, offset, length) : 0;
}

static NTSTATUS query_interface(DEVICE_OBJECT *device, const IO_STACK_LOCATION *location,
                                NTSTATUS unknown)
{
    struct bus_interface *out =
        (struct bus_interface *)location->Parameters.QueryInterface.Interface;

    struct pci_slot *slot = nt_device_slot(device);

    if (memcmp(location->Parameters.QueryInterface.InterfaceType, &bus_interface_standard,
               sizeof(GUID)) != 0 ||
        (slot && pci_resources(slot)->platform)) {
        return unknown;
    }
    if (location->Parameters.QueryInterface.Size < sizeof(*out)) {
        return STATUS_INVALID_PARAMETER;
    }
    *out = (struct bus_interface){
        .base = {.Size = sizeof(*out),
                 .Version = 1,
                 .Context = device,
                 .InterfaceReference = keep,
                 .InterfaceDereference = drop},
        .translate = translate,
        .adapter = no_adapter,
        .set_data = set_data,
        .get_data = get_data,
    };
    keep(device); /* the caller has one reference */
    return STATUS_SUCCESS;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static NTSTATUS query_capabilities(const struct pci_slot *slot, const IO_STACK_LOCATION *location)
{
    DEVICE_CAPABILITIES *capabilities = location->Parameters.DeviceCapabilities.Capabilities;
    const struct pci_resources *resources = pci_resources(slot);

    if (!capabilities || capabilities->Size < sizeof(*capabilities)) {
        return STATUS_INVALID_PARAMETER;
    }
    capabilities->DeviceD1 = capabilities->DeviceD2 = 0;
    capabilities->UniqueID = 1;
    capabilities->SurpriseRemovalOK = 1;
    capabilities->Address = resources->platform
                                ? 0xFFFFFFFFu
                                : (ULONG)resources->slot_number << 16 | resources->function;
    capabilities->UINumber = resources->platform ? 0xFFFFFFFFu : resources->slot_number;
    for (unsigned i = 0; i < PowerSystemMaximum; i++) {
        capabilities->DeviceState[i] = i == PowerSystemWorking ? PowerDeviceD0 : PowerDeviceD3;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI dispatch_pnp(PDEVICE_OBJECT device, PIRP irp)
{
    IO_STACK_LOCATION *location = IoGetCurrentIrpStackLocation(irp);
    struct pci_slot *slot = nt_device_slot(device);
    NTSTATUS status = irp->IoStatus.Status;

    switch (location->MinorFunction) {
    case IRP_MN_START_DEVICE:
    case IRP_MN_STOP_DEVICE:
    case IRP_MN_QUERY_REMOVE_DEVICE:
    case IRP_MN_REMOVE_DEVICE:
    case IRP_MN_SURPRISE_REMOVAL:
        status = STATUS_SUCCESS;
        break;
    case IRP_MN_QUERY_INTERFACE:
        status = query_interface(device, location, status);
        break;
    case IRP_MN_QUERY_CAPABILITIES:
        status = query_capabilities(slot, location);
        break;
    case IRP_MN_READ_CONFIG:
        status = config_request(slot, irp, false);
        break;
    case IRP_MN_WRITE_CONFIG:
        status = config_request(slot, irp, true);
        break;
    default:
        break;
    }
    irp->IoStatus.Status = status;
    irp_complete(irp);
    return status;
}

static NTSTATUS NTAPI dispatch_power(PDEVICE_OBJECT device, PIRP irp)
{
    irp->IoStatus.Status = STATUS_SUCCESS;
    irp_complete(irp);
    return STATUS_SUCCESS;
}

void pci_driver_fill(DRIVER_OBJECT *driver)
{
    driver->MajorFunction[IRP_MJ_PNP] = dispatch_pnp;
    driver->MajorFunction[IRP_MJ_POWER] = dispatch_power;
}

/* ---- HAL ------------------------------------------------------------------------------------- */

static ULONG bus_data(BUS_DATA_TYPE type, ULONG bus, ULONG number, void *buffer, ULONG offset,
                      ULONG length, bool write)
{
    PCI_SLOT_NUMBER slot_number = {.u.AsULONG = number};
    struct pci_slot *slot =
        device_slot_at(bus, slot_number.u.bits.DeviceNumber, slot_number.u.bits.FunctionNumber);

    if (type != PCIConfiguration) {
        return 0;
    }
    if (slot) {
        return config_move(slot, write, PCI_WHICHSPACE_CONFIG, buffer, offset, length);
    }
    if (!write && length >= 2) { /* an empty slot reads PCI_INVALID_VENDORID */
        memset(buffer, 0xFF, 2);
        return 2;
    }
    return 0;
}

ULONG NTAPI HalGetBusData(BUS_DATA_TYPE BusDataType, ULONG BusNumber, ULONG SlotNumber,
                          PVOID Buffer, ULONG Length)
{
    NT_EXPORT_ENTER(HalGetBusData);
    return bus_data(BusDataType, BusNumber, SlotNumber, Buffer, 0, Length, false);
}

ULONG NTAPI HalGetBusDataByOffset(BUS_DATA_TYPE BusDataType, ULONG BusNumber, ULONG SlotNumber,
                                  PVOID Buffer, ULONG Offset, ULONG Length)
{
    NT_EXPORT_ENTER(HalGetBusDataByOffset);
    return bus_data(BusDataType, BusNumber, SlotNumber, Buffer, Offset, Length, false);
}

ULONG NTAPI HalSetBusDataByOffset(BUS_DATA_TYPE BusDataType, ULONG BusNumber, ULONG SlotNumber,
                                  PVOID Buffer, ULONG Offset, ULONG Length)
{
    NT_EXPORT_ENTER(HalSetBusDataByOffset);
    return bus_data(BusDataType, BusNumber, SlotNumber, Buffer, Offset, Length, true);
}

BOOLEAN NTAPI HalTranslateBusAddress(INTERFACE_TYPE InterfaceType, ULONG BusNumber,
                                     PHYSICAL_ADDRESS BusAddress, PULONG AddressSpace,
                                     PPHYSICAL_ADDRESS TranslatedAddress)
{
    NT_EXPORT_ENTER(HalTranslateBusAddress);
    *TranslatedAddress = BusAddress;
    return InterfaceType == PCIBus;
}
