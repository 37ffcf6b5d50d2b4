/* The callbacks of DXGKRNL_INTERFACE: the door in the other direction.
 *
 * Each checks its handle, passes the rules of its point and reaches ddi_kernel or the machine. What
 * this kernel does not offer yet answers STATUS_NOT_SUPPORTED; a note says which one it was, for a
 * driver may need it. */
#include "ddi/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/list.h"
#include "base/record.h"

#define ADAPTERS_MAX 8
static struct ddi_adapter *adapters[ADAPTERS_MAX];

struct ddi_adapter *ddi_adapter_of_handle(HANDLE device_handle)
{
    uint64_t index = ((uint64_t)device_handle - DDI_DEVICE_HANDLE_BASE) / 16;

    if ((uint64_t)device_handle % 16 != 0 || index >= ADAPTERS_MAX) {
        return NULL;
    }
    return adapters[index];
}

void ddi_callback_count(enum contract_point point)
{
    struct record *record = record_current();

    CHECK_THAT(point >= POINT_FIRST_CALLBACK && point < POINT_DriverEntry);
    if (record) {
        record_header(record)->callbacks[point - POINT_FIRST_CALLBACK].count++;
    }
}

struct ddi_adapter *ddi_adapter_called(HANDLE device_handle, enum contract_point point)
{
    struct ddi_adapter *adapter = ddi_adapter_of_handle(device_handle);

    ddi_callback_count(point);
    if (adapter) {
        contract_count(RULE_PNP_002);
        return adapter;
    }
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(PNP_002),
                                               .ddi = contract_point_info(point)->name},
                    "the DeviceHandle of DXGKRNL_INTERFACE",
                    "a handle that the kernel did not give");
    return NULL;
}

static NTSTATUS NTAPI cb_eval_acpi_method(HANDLE handle, ULONG device_uid,
                                          PACPI_EVAL_INPUT_BUFFER_COMPLEX input, ULONG input_size,
                                          PACPI_EVAL_OUTPUT_BUFFER output, ULONG output_size)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbEvalAcpiMethod);
    struct ddi_callback callback;

    if (!adapter) {
        return STATUS_INVALID_HANDLE;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbEvalAcpiMethod, NULL, device_uid);
    return ddi_callback_leave(
        &callback, ddi_acpi_evaluate(adapter, device_uid, input, input_size, output, output_size));
}

static NTSTATUS NTAPI cb_get_device_information(HANDLE handle, PDXGK_DEVICE_INFO info)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbGetDeviceInformation);
    struct ddi_callback callback;

    if (!adapter || !info) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbGetDeviceInformation, info, 0);
    NTSTATUS status = nt_allocation_fails(sizeof *info, __builtin_return_address(0))
                          ? STATUS_INSUFFICIENT_RESOURCES
                          : ddi_kernel->get_device_information(adapter, info);
    return ddi_callback_leave(&callback, status);
}

static NTSTATUS NTAPI cb_indicate_child_status(HANDLE handle, PDXGK_CHILD_STATUS status)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbIndicateChildStatus);
    struct ddi_callback callback;

    if (!adapter || !status) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbIndicateChildStatus, status, status->ChildUid);
    return ddi_callback_leave(&callback, ddi_kernel->indicate_child_status(adapter, status));
}

/* One answer of DxgkCbMapMemory. */
struct mapping {
    struct list link;
    void *view;
    uint64_t address, size;
    const void *caller;
};

/* Does one of the adapter's own ranges hold all of it? */
static bool is_own_resource(const struct ddi_adapter *adapter, uint64_t address, uint64_t length)
{
    const struct pci_resources *resources = pci_resources(adapter->slot);

    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        if (address >= resources->bars[i].base &&
            range_fits(address - resources->bars[i].base, length, resources->bars[i].size)) {
            return true;
        }
    }
    return false;
}

/* Clients and the kernel share one address space, so that a view for a client is like any other.
 * The parameters are DxgkCbMapMemory's. */
static NTSTATUS map_memory(struct ddi_adapter *adapter, uint64_t address, ULONG length,
                           const void *caller, PVOID *view)
{
    struct mapping *mapping;

    if (!is_own_resource(adapter, address, length)) {
        nt_misuse(NT_MISUSE_ARGUMENT, "DxgkCbMapMemory", caller,
                  "0x%llx, %u bytes, is no resource of the adapter", (unsigned long long)address,
                  length);
        return STATUS_INVALID_PARAMETER;
    }
    mapping = nt_allocation_fails(length, caller) ? NULL : calloc(1, sizeof *mapping);
    if (!mapping) {
        return STATUS_NO_MEMORY;
    }
    mapping->address = address;
    mapping->size = length;
    mapping->caller = caller;
    mapping->view = io_map(address, length);
    if (!mapping->view) {
        free(mapping);
        return STATUS_INVALID_PARAMETER;
    }
    list_push_back(&adapter->mappings, &mapping->link);
    *view = mapping->view;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI cb_map_memory(HANDLE handle, PHYSICAL_ADDRESS address, ULONG length,
                                    BOOLEAN in_io_space, BOOLEAN to_user_mode,
                                    MEMORY_CACHING_TYPE cache_type, PVOID *virtual_address)
{
    const void *caller = __builtin_return_address(0);
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbMapMemory);
    struct ddi_callback callback;
    NTSTATUS status = STATUS_INVALID_PARAMETER;

    if (!adapter || !virtual_address || length == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbMapMemory, NULL, (uint64_t)address.QuadPart);
    *virtual_address = NULL;
    if (!in_io_space) {
        status = map_memory(adapter, (uint64_t)address.QuadPart, length, caller, virtual_address);
    } else if (!to_user_mode && port_exists((uint64_t)address.QuadPart, length)) {
        /* Ports need no mapping: a port's address is its number. */
        *virtual_address = (PVOID)(ULONG_PTR)address.QuadPart;
        status = STATUS_SUCCESS;
    }
    status = ddi_callback_leave(&callback, status);
    if (in_io_space && !NT_SUCCESS(status)) {
        ddi_callback_denied(&callback, "%s for InIoSpace TRUE, where it has no such ports",
                            status_name(status));
    }
    return status;
}

static void mapping_drop(struct mapping *mapping)
{
    CHECK_THAT(io_unmap(mapping->view, mapping->size));
    list_remove(&mapping->link);
    free(mapping);
}

static NTSTATUS NTAPI cb_unmap_memory(HANDLE handle, PVOID virtual_address)
{
    const void *caller = __builtin_return_address(0);
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbUnmapMemory);
    struct ddi_callback callback;
    NTSTATUS status = STATUS_INVALID_PARAMETER;

    if (!adapter) {
        return status;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbUnmapMemory, NULL, 0);
    if (virtual_address && port_exists((uintptr_t)virtual_address, 1)) {
        return ddi_callback_leave(&callback, STATUS_SUCCESS);
    }
    list_for_each_safe (link, &adapter->mappings) {
        struct mapping *mapping = container_of(link, struct mapping, link);
        if (mapping->view == virtual_address) {
            nt_mapping_gone(mapping->view, mapping->size, "device", mapping->address, caller);
            mapping_drop(mapping);
            status = STATUS_SUCCESS;
            break;
        }
    }
    return ddi_callback_leave(&callback, status);
}

/* What is mapped when the device is gone, nobody can unmap any more. */
static void tell_mappings_left(const struct ddi_adapter *adapter)
{
    list_for_each (link, &adapter->mappings) {
        const struct mapping *mapping = container_of(link, struct mapping, link);
        nt_misuse(NT_MISUSE_MAPPING, "DxgkCbMapMemory", mapping->caller,
                  "0x%llx, %llu bytes, is still mapped after the device was removed",
                  (unsigned long long)mapping->address, (unsigned long long)mapping->size);
    }
}

static BOOLEAN NTAPI cb_queue_dpc(HANDLE handle)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbQueueDpc);
    struct ddi_callback callback;

    if (!adapter) {
        return FALSE;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbQueueDpc, NULL, 0);
    bool queued = !adapter->dpc_wanted && dpc_queue(&adapter->dpc); /* one is pending [INT-023] */
    ddi_callback_leave(&callback, STATUS_SUCCESS);
    return queued;
}

static NTSTATUS NTAPI cb_query_services(HANDLE handle, DXGK_SERVICES services, PINTERFACE interface)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbQueryServices);
    struct ddi_callback callback;

    if (!adapter || !interface) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbQueryServices, NULL, services);
    return ddi_callback_leave(&callback, ddi_query_service(adapter, services, interface));
}

/* Its parameters are those of the two callbacks around it; inline, for the driver's place is where
 * these were called. */
static inline __attribute__((always_inline)) NTSTATUS
device_space(HANDLE handle, enum contract_point point, PVOID buffer, ULONG offset, ULONG length,
             PULONG done, bool write)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, point);
    struct ddi_callback callback;

    if (!adapter || !buffer || !done || !range_fits(offset, length, 4096)) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, point, NULL, offset);
    if (pci_resources(adapter->slot)->platform || nt_allocation_fails(length, callback.caller)) {
        *done = 0;
        return ddi_callback_leave(&callback, STATUS_UNSUCCESSFUL);
    }
    if (write) {
        pci_config_write(adapter->slot, offset, buffer, length);
    } else {
        pci_config_read(adapter->slot, offset, buffer, length);
    }
    *done = length;
    return ddi_callback_leave(&callback, STATUS_SUCCESS);
}

static NTSTATUS NTAPI cb_read_device_space(HANDLE handle, ULONG type, PVOID buffer, ULONG offset,
                                           ULONG length, PULONG read)
{
    if (type != DXGK_WHICHSPACE_CONFIG) {
        return STATUS_NOT_SUPPORTED; /* no expansion ROM, bridge or MCH of its own */
    }
    return device_space(handle, POINT_CbReadDeviceSpace, buffer, offset, length, read, false);
}

static NTSTATUS NTAPI cb_write_device_space(HANDLE handle, ULONG type, PVOID buffer, ULONG offset,
                                            ULONG length, PULONG written)
{
    if (type != DXGK_WHICHSPACE_CONFIG) {
        return STATUS_NOT_SUPPORTED;
    }
    return device_space(handle, POINT_CbWriteDeviceSpace, buffer, offset, length, written, true);
}

/* Does the device in the slot have what the parameters ask for? */
static bool device_matches(struct pci_slot *slot, const PCI_DEVICE_PRESENCE_PARAMETERS *wanted)
{
    uint8_t config[64];
    uint16_t vendor, device, sub_vendor, sub_system;

    pci_config_read(slot, 0, config, sizeof config);
    memcpy(&vendor, config, sizeof vendor);
    memcpy(&device, config + 2, sizeof device);
    memcpy(&sub_vendor, config + 0x2C, sizeof sub_vendor);
    memcpy(&sub_system, config + 0x2E, sizeof sub_system);
    return (!(wanted->Flags & PCI_USE_VENDEV_IDS) ||
            (wanted->VendorID == vendor && wanted->DeviceID == device)) &&
           (!(wanted->Flags & PCI_USE_SUBSYSTEM_IDS) ||
            (wanted->SubVendorID == sub_vendor && wanted->SubSystemID == sub_system)) &&
           (!(wanted->Flags & PCI_USE_REVISION) || wanted->RevisionID == config[8]) &&
           (!(wanted->Flags & PCI_USE_CLASS_SUBCLASS) ||
            (wanted->SubClass == config[10] && wanted->BaseClass == config[11])) &&
           (!(wanted->Flags & PCI_USE_PROGIF) || wanted->ProgIf == config[9]);
}

/* The simulated bus holds the adapter alone: there is one device to compare with. */
static NTSTATUS NTAPI cb_is_device_present(HANDLE handle,
                                           PPCI_DEVICE_PRESENCE_PARAMETERS parameters,
                                           PBOOLEAN present)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbIsDevicePresent);
    struct ddi_callback callback;

    if (!adapter || !parameters || !present || parameters->Size < sizeof *parameters) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbIsDevicePresent, NULL, parameters->Flags);
    *present = device_matches(adapter->slot, parameters);
    return ddi_callback_leave(&callback, STATUS_SUCCESS);
}

/* Inline, for the driver's place is where it was called. */
static inline __attribute__((always_inline)) VOID *
get_handle_data(const DXGKARGCB_GETHANDLEDATA *data)
{
    struct ddi_callback callback;

    ddi_callback_enter(&callback, ddi_current_adapter(), POINT_CbGetHandleData, (void *)data,
                       data->hObject);
    void *result = ddi_kernel->get_handle_data(data);
    if (!result) {
        ddi_callback_denied(&callback, "NULL for hObject 0x%X, Type %d, Flags 0x%X%s",
                            data->hObject, (int)data->Type, data->Flags.Value,
                            data->Flags.DeviceSpecific
                                ? " (DeviceSpecific: what OpenAllocation has answered for it)"
                                : "");
    }
    callback.contract.extra = &result;
    ddi_callback_leave(&callback, STATUS_SUCCESS);
    return result;
}

static VOID *NTAPI cb_get_handle_data(const DXGKARGCB_GETHANDLEDATA *data)
{
    ddi_callback_count(POINT_CbGetHandleData);
    return get_handle_data(data);
}

static D3DKMT_HANDLE NTAPI cb_get_handle_parent(D3DKMT_HANDLE handle)
{
    struct ddi_callback callback;

    ddi_callback_count(POINT_CbGetHandleParent);
    ddi_callback_enter(&callback, NULL, POINT_CbGetHandleParent, NULL, handle);
    D3DKMT_HANDLE parent = ddi_kernel->get_handle_parent(handle);
    ddi_callback_leave(&callback, STATUS_SUCCESS);
    return parent;
}

static D3DKMT_HANDLE NTAPI cb_enum_handle_children(const DXGKARGCB_ENUMHANDLECHILDREN *data)
{
    struct ddi_callback callback;

    ddi_callback_count(POINT_CbEnumHandleChildren);
    ddi_callback_enter(&callback, NULL, POINT_CbEnumHandleChildren, (void *)data, data->hObject);
    D3DKMT_HANDLE child = ddi_kernel->enum_handle_children(data);
    ddi_callback_leave(&callback, STATUS_SUCCESS);
    return child;
}

static VOID *NTAPI cb_acquire_handle_data(const DXGKARGCB_GETHANDLEDATA *data,
                                          PDXGKARG_RELEASE_HANDLE release)
{
    void *result = get_handle_data(data);

    ddi_callback_count(POINT_CbAcquireHandleData);
    if (release) {
        *release = (DXGKARG_RELEASE_HANDLE)(uintptr_t)data->hObject;
    }
    return result;
}

static VOID NTAPI cb_release_handle_data(DXGKARGCB_RELEASEHANDLEDATA data)
{
    struct ddi_callback callback;

    ddi_callback_count(POINT_CbReleaseHandleData);
    ddi_callback_enter(&callback, NULL, POINT_CbReleaseHandleData, NULL, 0);
    ddi_callback_leave(&callback, STATUS_SUCCESS);
}

static VOID NTAPI cb_notify_interrupt(HANDLE handle, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbNotifyInterrupt);
    struct ddi_callback callback;

    if (!adapter || !data) {
        return;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbNotifyInterrupt, data, data->InterruptType);
    ddi_kernel->notify_interrupt(adapter, data);
    ddi_callback_leave(&callback, STATUS_SUCCESS);
}

static VOID NTAPI cb_notify_dpc(HANDLE handle)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbNotifyDpc);
    struct ddi_callback callback;

    if (!adapter) {
        return;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbNotifyDpc, NULL, 0);
    ddi_kernel->notify_dpc(adapter);
    ddi_callback_leave(&callback, STATUS_SUCCESS);
}

static NTSTATUS NTAPI cb_query_vidpn_interface(D3DKMDT_HVIDPN vidpn,
                                               DXGK_VIDPN_INTERFACE_VERSION version,
                                               const DXGK_VIDPN_INTERFACE **interface)
{
    struct ddi_callback callback;

    ddi_callback_count(POINT_CbQueryVidPnInterface);
    ddi_callback_enter(&callback, NULL, POINT_CbQueryVidPnInterface, NULL, version);
    return ddi_callback_leave(
        &callback, interface ? ddi_kernel->query_vidpn_interface(vidpn, version, interface)
                             : STATUS_INVALID_PARAMETER);
}

static NTSTATUS NTAPI cb_query_monitor_interface(HANDLE handle,
                                                 DXGK_MONITOR_INTERFACE_VERSION version,
                                                 const DXGK_MONITOR_INTERFACE **interface)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbQueryMonitorInterface);
    struct ddi_callback callback;

    if (!adapter || !interface) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbQueryMonitorInterface, NULL, version);
    return ddi_callback_leave(&callback,
                              ddi_kernel->query_monitor_interface(adapter, version, interface));
}

static VOID NTAPI cb_log_etw_event(LPCGUID guid, UCHAR type, USHORT size, PVOID buffer)
{
    struct ddi_callback callback;

    ddi_callback_count(POINT_CbLogEtwEvent);
    ddi_callback_enter(&callback, NULL, POINT_CbLogEtwEvent, NULL, size);
    record_count("callbacks.etw_events", 1);
    ddi_callback_leave(&callback, STATUS_SUCCESS);
}

static NTSTATUS NTAPI cb_acquire_post_display_ownership(HANDLE handle,
                                                        PDXGK_DISPLAY_INFORMATION information)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbAcquirePostDisplayOwnership);
    struct ddi_callback callback;

    if (!adapter || !information) {
        return STATUS_INVALID_PARAMETER;
    }
    bool starts = ddi_current_point() == POINT_StartDevice;
    ddi_callback_enter(&callback, adapter, POINT_CbAcquirePostDisplayOwnership, NULL, 0);
    if (nt_allocation_fails(0, callback.caller)) {
        return ddi_callback_leave(&callback, STATUS_UNSUCCESSFUL);
    }
    NTSTATUS status = ddi_kernel->acquire_post_display_ownership(adapter, information);
    if (starts && nt_allocation_fails(0, callback.caller)) { /* the system knows of no picture */
        *information = (DXGK_DISPLAY_INFORMATION){.TargetId = D3DDDI_ID_UNINITIALIZED};
    }
    return ddi_callback_leave(&callback, status);
}

static NTSTATUS NTAPI cb_reserve_gpu_virtual_address_range(
    const HANDLE handle, DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *range)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbReserveGpuVirtualAddressRange);
    struct ddi_callback callback;

    if (!adapter || !range) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbReserveGpuVirtualAddressRange, range, 0);
    return ddi_callback_leave(&callback,
                              ddi_kernel->reserve_gpu_virtual_address_range(adapter, range));
}

/* The structure names the adapter. */
static NTSTATUS NTAPI cb_invalidate_hw_context(const DXGKARGCB_INVALIDATEHWCONTEXT *request)
{
    struct ddi_adapter *adapter =
        request ? ddi_adapter_called(request->hAdapter, POINT_CbInvalidateHwContext) : NULL;
    struct ddi_callback callback;

    if (!adapter) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbInvalidateHwContext, (void *)request, 0);
    return ddi_callback_leave(&callback, ddi_kernel->invalidate_hw_context(adapter, request));
}

/* Nothing names the adapter but the queue; for one that is nobody's the first is as good. */
static struct ddi_adapter *adapter_of_queue(HANDLE queue)
{
    for (unsigned i = 0; i < ADAPTERS_MAX; i++) {
        if (adapters[i] && ddi_kernel->has_hw_queue(adapters[i], queue)) {
            return adapters[i];
        }
    }
    return adapters[0];
}

static NTSTATUS NTAPI cb_disconnect_doorbell(DXGKARGCB_DISCONNECTDOORBELL *request)
{
    struct ddi_adapter *adapter = request ? adapter_of_queue(request->hHwQueue) : NULL;
    struct ddi_callback callback;

    ddi_callback_count(POINT_CbDisconnectDoorbell);
    if (!adapter) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbDisconnectDoorbell, request, 0);
    return ddi_callback_leave(&callback, ddi_kernel->disconnect_doorbell(adapter, request));
}

/* The structure names the adapter. */
static NTSTATUS NTAPI cb_query_feature_support(DXGKARGCB_QUERYFEATURESUPPORT *asked)
{
    struct ddi_adapter *adapter =
        asked ? ddi_adapter_called(asked->DeviceHandle, POINT_CbQueryFeatureSupport) : NULL;
    struct ddi_callback callback;

    if (!adapter) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbQueryFeatureSupport, asked, 0);
    return ddi_callback_leave(&callback, ddi_query_feature_support(adapter, asked));
}

static NTSTATUS NTAPI cb_create_context_allocation(DXGKARGCB_CREATECONTEXTALLOCATION *request)
{
    struct ddi_adapter *adapter =
        request ? ddi_adapter_called(request->hAdapter, POINT_CbCreateContextAllocation) : NULL;
    struct ddi_callback callback;

    if (!adapter) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbCreateContextAllocation, request, 0);
    return ddi_callback_leave(&callback,
                              nt_allocation_fails(0, callback.caller)
                                  ? STATUS_NO_MEMORY
                                  : ddi_kernel->create_context_allocation(adapter, request));
}

static NTSTATUS NTAPI cb_destroy_context_allocation(HANDLE handle, HANDLE allocation)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbDestroyContextAllocation);
    struct ddi_callback callback;

    if (!adapter) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbDestroyContextAllocation, &allocation,
                       (uintptr_t)allocation);
    return ddi_callback_leave(&callback,
                              ddi_kernel->destroy_context_allocation(adapter, allocation));
}

/* What comes back is an address: rules find it in `extra`. */
static D3DGPU_VIRTUAL_ADDRESS NTAPI
cb_map_context_allocation(HANDLE handle, const DXGKARGCB_MAPCONTEXTALLOCATION *request)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbMapContextAllocation);
    D3DGPU_VIRTUAL_ADDRESS address;
    struct ddi_callback callback;

    if (!adapter || !request) {
        return 0;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbMapContextAllocation, (void *)(uintptr_t)request,
                       0);
    address = nt_allocation_fails(0, callback.caller)
                  ? 0
                  : ddi_kernel->map_context_allocation(adapter, request);
    callback.contract.extra = &address;
    (void)ddi_callback_leave(&callback, address ? STATUS_SUCCESS : STATUS_NO_MEMORY);
    return address;
}

static NTSTATUS NTAPI cb_update_context_allocation(HANDLE handle,
                                                   const DXGKARGCB_UPDATECONTEXTALLOCATION *request)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbUpdateContextAllocation);
    struct ddi_callback callback;

    if (!adapter || !request) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbUpdateContextAllocation,
                       (void *)(uintptr_t)request, (uintptr_t)request->hAllocation);
    return ddi_callback_leave(&callback, ddi_kernel->update_context_allocation(adapter, request));
}

/* What the driver says of a power component. */
static void component_call(HANDLE handle, enum contract_point point, UINT component)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, point);
    struct ddi_callback callback;
    struct contract_component_call said = {
        .component = component, .inside = ddi_current_point() == POINT_SetPowerComponentFState};

    if (!adapter) {
        return;
    }
    ddi_callback_enter(&callback, adapter, point, &said, component);
    if (point == POINT_CbSetPowerComponentActive) {
        ddi_kernel->component_active(adapter, component, said.inside);
    } else if (point == POINT_CbSetPowerComponentIdle) {
        ddi_kernel->component_idle(adapter, component);
    } else if (point == POINT_CbCompleteFStateTransition) {
        ddi_kernel->component_completed(adapter, component);
    }
    ddi_callback_leave(&callback, STATUS_SUCCESS);
}

static VOID NTAPI cb_set_power_component_active(HANDLE handle, UINT component)
{
    component_call(handle, POINT_CbSetPowerComponentActive, component);
}

static VOID NTAPI cb_set_power_component_idle(HANDLE handle, UINT component)
{
    component_call(handle, POINT_CbSetPowerComponentIdle, component);
}

static VOID NTAPI cb_complete_f_state_transition(HANDLE handle, UINT component)
{
    component_call(handle, POINT_CbCompleteFStateTransition, component);
}

/* Hints for the choice of an idle state, which here is the seed's. */
static VOID NTAPI cb_set_power_component_latency(HANDLE handle, UINT component, ULONGLONG value)
{
    component_call(handle, POINT_CbSetPowerComponentLatency, component);
}

static VOID NTAPI cb_set_power_component_residency(HANDLE handle, UINT component, ULONGLONG value)
{
    component_call(handle, POINT_CbSetPowerComponentResidency, component);
}

/* A slot that has no function of its own: any number of arguments, one answer, and a note that
 * names it. Most take a handle first, some a structure: it is not looked at. */
static NTSTATUS answer_unserved(enum contract_point point)
{
    struct ddi_callback callback;
    char note[160];

    ddi_callback_count(point);
    ddi_callback_enter(&callback, ddi_current_adapter(), point, NULL, 0);
    record_count("callbacks.unserved", 1);
    snprintf(note, sizeof note, "%s is not served: the driver is answered STATUS_NOT_SUPPORTED",
             contract_point_info(point)->name);
    record_note(note);
    return ddi_callback_leave(&callback, STATUS_NOT_SUPPORTED);
}

#define X(name, since)                          \
    static NTSTATUS NTAPI unserved_##name(void) \
    {                                           \
        return answer_unserved(POINT_Cb##name); \
    }
ABI_CALLBACK_SLOTS(X)
#undef X

/* Every callback that is served, of any version. */
static void fill_served(DXGKRNL_INTERFACE *interface)
{
    interface->DxgkCbEvalAcpiMethod = cb_eval_acpi_method;
    interface->DxgkCbGetDeviceInformation = cb_get_device_information;
    interface->DxgkCbIndicateChildStatus = cb_indicate_child_status;
    interface->DxgkCbMapMemory = cb_map_memory;
    interface->DxgkCbQueueDpc = cb_queue_dpc;
    interface->DxgkCbQueryServices = cb_query_services;
    interface->DxgkCbReadDeviceSpace = cb_read_device_space;
    ddi_fill_interrupts(interface);
    interface->DxgkCbUnmapMemory = cb_unmap_memory;
    interface->DxgkCbWriteDeviceSpace = cb_write_device_space;
    interface->DxgkCbIsDevicePresent = cb_is_device_present;
    interface->DxgkCbGetHandleData = cb_get_handle_data;
    interface->DxgkCbGetHandleParent = cb_get_handle_parent;
    interface->DxgkCbEnumHandleChildren = cb_enum_handle_children;
    interface->DxgkCbNotifyInterrupt = cb_notify_interrupt;
    interface->DxgkCbNotifyDpc = cb_notify_dpc;
    interface->DxgkCbQueryVidPnInterface = cb_query_vidpn_interface;
    interface->DxgkCbQueryMonitorInterface = cb_query_monitor_interface;
    interface->DxgkCbLogEtwEvent = cb_log_etw_event;
    interface->DxgkCbInvalidateHwContext = cb_invalidate_hw_context;
    interface->DxgkCbDisconnectDoorbell = cb_disconnect_doorbell;
    interface->DxgkCbCreateContextAllocation = cb_create_context_allocation;
    interface->DxgkCbDestroyContextAllocation = cb_destroy_context_allocation;
    interface->DxgkCbMapContextAllocation = cb_map_context_allocation;
    interface->DxgkCbUpdateContextAllocation = cb_update_context_allocation;
    interface->DxgkCbReserveGpuVirtualAddressRange = cb_reserve_gpu_virtual_address_range;
    interface->DxgkCbSetPowerComponentActive = cb_set_power_component_active;
    interface->DxgkCbSetPowerComponentIdle = cb_set_power_component_idle;
    interface->DxgkCbSetPowerComponentLatency = cb_set_power_component_latency;
    interface->DxgkCbSetPowerComponentResidency = cb_set_power_component_residency;
    interface->DxgkCbCompleteFStateTransition = cb_complete_f_state_transition;
    interface->DxgkCbAcquirePostDisplayOwnership = cb_acquire_post_display_ownership;
    interface->DxgkCbAcquireHandleData = cb_acquire_handle_data;
    interface->DxgkCbReleaseHandleData = cb_release_handle_data;
    interface->DxgkCbQueryFeatureSupport = cb_query_feature_support;
    ddi_fill_memory(interface);
}

/* Slots of later versions stay empty; those of the version's that are not served say so. */
static void fit_to_version(DXGKRNL_INTERFACE *interface, enum abi_version version)
{
#define X(name, since)                                                \
    if (ABI_##since > version) {                                      \
        interface->DxgkCb##name = NULL;                               \
    } else if (!interface->DxgkCb##name) {                            \
        *(void **)&interface->DxgkCb##name = (void *)unserved_##name; \
    }
    ABI_CALLBACK_SLOTS(X)
#undef X
    interface->Size = (ULONG)abi_size(ABI_SIZE_OF_DXGKRNL_INTERFACE, version);
    CHECK_THAT(interface->Size > 0 && interface->Size <= sizeof *interface);
    interface->Version = abi_version_info(version)->interface_version;
}

void ddi_fill_interface(struct ddi_adapter *adapter)
{
    unsigned index = 0;

    while (index < ADAPTERS_MAX && adapters[index]) {
        index++;
    }
    CHECK_THAT(index < ADAPTERS_MAX);
    adapters[index] = adapter;
    fill_served(&adapter->interface);
    fit_to_version(&adapter->interface, adapter->driver->version);
    adapter->interface.DeviceHandle = (HANDLE)(DDI_DEVICE_HANDLE_BASE + index * 16u);
}

void ddi_forget_adapter(struct ddi_adapter *adapter)
{
    tell_mappings_left(adapter);
    ddi_forget_reports(adapter);
    list_for_each_safe (link, &adapter->mappings) {
        mapping_drop(container_of(link, struct mapping, link));
    }
    uint64_t index = ((uint64_t)adapter->interface.DeviceHandle - DDI_DEVICE_HANDLE_BASE) / 16;
    CHECK_THAT(index < ADAPTERS_MAX && adapters[index] == adapter);
    adapters[index] = NULL;
}
