/* The calls down: one function a DDI, all through the door. */
#include "ddi/internal.h"

#include <string.h>

#include "base/check.h"
#include "base/record.h"

bool ddi_has(const struct ddi_adapter *adapter, enum contract_point point)
{
    const struct ddi_driver *driver = adapter->driver;

    return point < POINT_DDI_COUNT && driver->has[point];
}

const char *ddi_refusal(const struct ddi_adapter *adapter)
{
    return contract_refusal(adapter->tracker);
}

/* A single value that the driver answers with. */
#define LEND_ANSWER(loan, value, what) \
    ddi_lend(loan, value, sizeof *(value), what, DDI_LEND_ANSWERS)

/* As the driver's version has it. */
static size_t size_for(const struct ddi_adapter *adapter, enum abi_structure structure,
                       size_t newest_bytes)
{
    size_t size_bytes = abi_size(structure, adapter->driver->version);

    return size_bytes > 0 && size_bytes < newest_bytes ? size_bytes : newest_bytes;
}

#define LEND(call, adapter, use, type, arguments) \
    ddi_lend(&(call)->lent, (void *)(arguments),  \
             size_for(adapter, ABI_SIZE_OF_##type, sizeof(type)), #type, DDI_LEND_##use)

#define DEFINE_UNIFORM(name, slot_name, use, type)                                              \
    NTSTATUS ddi_##name(struct ddi_adapter *adapter, HANDLE first, DDI_##use(type) * arguments, \
                        uint32_t object)                                                        \
    {                                                                                           \
        struct ddi_call call;                                                                   \
        if (!ddi_has(adapter, POINT_##slot_name)) {                                             \
            return STATUS_NOT_SUPPORTED;                                                        \
        }                                                                                       \
        ddi_enter_with(&call, adapter, POINT_##slot_name, first, (void *)arguments,             \
                       sizeof *arguments, object);                                              \
        type *lent = LEND(&call, adapter, use, type, arguments);                                \
        return ddi_leave(&call, DDI_CALL(adapter, slot_name, (first, lent)));                   \
    }
DDI_UNIFORM_CALLS(DEFINE_UNIFORM)

NTSTATUS ddi_set_vidpn_source_address_late(struct ddi_adapter *adapter, HANDLE first,
                                           const struct ddi_filler *filler, uint32_t object)
{
    DXGKARG_SETVIDPNSOURCEADDRESS arguments;
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_SetVidPnSourceAddress)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_approach(&call, adapter, POINT_SetVidPnSourceAddress, object);
    if (!filler->fill(filler->context, &arguments)) {
        ddi_turn_back(&call);
        return STATUS_DEVICE_REMOVED;
    }
    ddi_go_in(&call, first, &arguments, sizeof arguments);
    const DXGKARG_SETVIDPNSOURCEADDRESS *lent =
        LEND(&call, adapter, READS, DXGKARG_SETVIDPNSOURCEADDRESS, &arguments);
    return ddi_leave(&call, DDI_CALL(adapter, SetVidPnSourceAddress, (first, lent)));
}

/* Parameters: as of the others, and who fills the arguments in. */
#define DEFINE_LATE(name, slot_name, use, type)                                                 \
    NTSTATUS ddi_##name(struct ddi_adapter *adapter, HANDLE first, DDI_##use(type) * arguments, \
                        const struct ddi_late *late, uint32_t object)                           \
    {                                                                                           \
        struct ddi_call call;                                                                   \
        if (!ddi_has(adapter, POINT_##slot_name)) {                                             \
            return STATUS_NOT_SUPPORTED;                                                        \
        }                                                                                       \
        ddi_approach(&call, adapter, POINT_##slot_name, object);                                \
        if (!late->fill(late->context)) {                                                       \
            ddi_turn_back(&call);                                                               \
            return STATUS_DEVICE_REMOVED;                                                       \
        }                                                                                       \
        ddi_go_in(&call, first, (void *)arguments, sizeof *arguments);                          \
        type *lent = LEND(&call, adapter, use, type, arguments);                                \
        return ddi_leave(&call, DDI_CALL(adapter, slot_name, (first, lent)));                   \
    }
DDI_LATE_CALLS(DEFINE_LATE)

NTSTATUS ddi_escape_alone(struct ddi_adapter *adapter, const DXGKARG_ESCAPE *arguments,
                          const struct ddi_late *late)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_Escape)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_approach_alone(&call, adapter, POINT_Escape);
    if (!late->fill(late->context)) {
        ddi_turn_back(&call);
        return STATUS_CANCELLED;
    }
    ddi_go_in(&call, adapter->miniport_context, (void *)arguments, sizeof *arguments);
    const DXGKARG_ESCAPE *lent = LEND(&call, adapter, READS, DXGKARG_ESCAPE, arguments);
    return ddi_leave(&call, DDI_CALL(adapter, Escape, (adapter->miniport_context, lent)));
}

/* Parameters: as of the others, and who corrects the arguments. */
NTSTATUS ddi_build_paging_buffer(struct ddi_adapter *adapter, HANDLE first,
                                 DXGKARG_BUILDPAGINGBUFFER *arguments,
                                 const struct ddi_corrector *corrector, uint32_t object)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_BuildPagingBuffer)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_approach(&call, adapter, POINT_BuildPagingBuffer, object);
    corrector->correct(corrector->context, arguments);
    ddi_go_in(&call, first, arguments, sizeof *arguments);
    DXGKARG_BUILDPAGINGBUFFER *lent =
        LEND(&call, adapter, ANSWERS, DXGKARG_BUILDPAGINGBUFFER, arguments);
    return ddi_leave(&call, DDI_CALL(adapter, BuildPagingBuffer, (first, lent)));
}

#define DEFINE_HANDLE(name, slot_name)                                              \
    NTSTATUS ddi_##name(struct ddi_adapter *adapter, HANDLE first, uint32_t object) \
    {                                                                               \
        struct ddi_call call;                                                       \
        if (!ddi_has(adapter, POINT_##slot_name)) {                                 \
            return STATUS_NOT_SUPPORTED;                                            \
        }                                                                           \
        ddi_enter_with(&call, adapter, POINT_##slot_name, first, NULL, 0, object);  \
        return ddi_leave(&call, DDI_CALL(adapter, slot_name, (first)));             \
    }
DDI_HANDLE_CALLS(DEFINE_HANDLE)

#define DEFINE_ALONE(name, slot_name, use, type)                                                   \
    NTSTATUS ddi_##name(struct ddi_adapter *adapter, DDI_##use(type) * arguments, uint32_t object) \
    {                                                                                              \
        struct ddi_call call;                                                                      \
        if (!ddi_has(adapter, POINT_##slot_name)) {                                                \
            return STATUS_NOT_SUPPORTED;                                                           \
        }                                                                                          \
        ddi_enter(&call, adapter, POINT_##slot_name, (void *)arguments, sizeof *arguments,         \
                  object);                                                                         \
        type *lent = LEND(&call, adapter, use, type, arguments);                                   \
        return ddi_leave(&call, DDI_CALL(adapter, slot_name, (lent)));                             \
    }
DEFINE_ALONE(create_periodic_frame_notification, CreatePeriodicFrameNotification, ANSWERS,
             DXGKARG_CREATEPERIODICFRAMENOTIFICATION)
DEFINE_ALONE(destroy_periodic_frame_notification, DestroyPeriodicFrameNotification, READS,
             DXGKARG_DESTROYPERIODICFRAMENOTIFICATION)
DEFINE_ALONE(destroy_native_fence, DestroyNativeFence, ANSWERS, DXGKARG_DESTROYNATIVEFENCE)
DEFINE_ALONE(update_monitored_values, UpdateMonitoredValues, READS, DXGKARG_UPDATEMONITOREDVALUES)
DEFINE_ALONE(update_current_values, UpdateCurrentValuesFromCpu, READS,
             DXGKARG_UPDATECURRENTVALUESFROMCPU)

DEFINE_ALONE(create_doorbell, CreateDoorbell, ANSWERS, DXGKARG_CREATEDOORBELL)
DEFINE_ALONE(connect_doorbell, ConnectDoorbell, ANSWERS, DXGKARG_CONNECTDOORBELL)
DEFINE_ALONE(disconnect_doorbell, DisconnectDoorbell, READS, DXGKARG_DISCONNECTDOORBELL)
DEFINE_ALONE(destroy_doorbell, DestroyDoorbell, READS, DXGKARG_DESTROYDOORBELL)
DEFINE_ALONE(notify_work_submission, NotifyWorkSubmission, READS, DXGKARG_NOTIFYWORKSUBMISSION)

NTSTATUS ddi_add_device(struct ddi_adapter *adapter, DEVICE_OBJECT *physical_device)
{
    struct ddi_call call;
    PVOID context = NULL;

    CHECK_THAT(!adapter->miniport_context); /* once in an adapter's life */
    ddi_enter(&call, adapter, POINT_AddDevice, NULL, 0, 0);
    call.contract.extra = &context;
    PVOID *lent = LEND_ANSWER(&call.lent, &context, "MiniportDeviceContext of AddDevice");
    NTSTATUS status = DDI_CALL(adapter, AddDevice, (physical_device, lent));
    ddi_take_back(&call.lent);
    adapter->miniport_context = context;
    return ddi_leave(&call, status);
}

void ddi_take_added(struct ddi_adapter *adapter, void *miniport_context)
{
    CHECK_THAT(!adapter->miniport_context);
    adapter->miniport_context = miniport_context;
    contract_is_added(adapter->tracker, miniport_context);
}

static const char interface_name[] = "DxgkInterface of StartDevice";

/* A copy that ends where the driver's version of it ends; it stays for who kept the pointer. */
static bool hand(void **handed, const void *from, size_t size_bytes, const char *what)
{
    CHECK_THAT(size_bytes > 0);
    if (!*handed) {
        *handed = nt_memory_hand(size_bytes, what);
    }
    if (*handed) {
        memcpy(*handed, from, size_bytes);
    }
    return *handed != NULL;
}

size_t ddi_handed_at_most(const char *what)
{
    return what && strcmp(what, interface_name) == 0 ? sizeof(DXGKRNL_INTERFACE) : 0;
}

NTSTATUS ddi_start_device(struct ddi_adapter *adapter, ULONG *source_count, ULONG *child_count)
{
    struct contract_counts counts;
    struct ddi_loan second;
    struct ddi_call call;

    if (!hand(&adapter->handed_interface, &adapter->interface, adapter->interface.Size,
              interface_name) ||
        !hand(&adapter->handed_info, &adapter->start_info, sizeof adapter->start_info,
              "DxgkStartInfo of StartDevice")) {
        return STATUS_NO_MEMORY;
    }
    /* A driver that leaves an output alone is seen [PNP-003]. */
    *source_count = *child_count = 0xFFFFFFFFu;
    ddi_enter(&call, adapter, POINT_StartDevice, NULL, 0, 0);
    ULONG *sources = LEND_ANSWER(&call.lent, source_count, "NumberOfVideoPresentSources");
    ULONG *children = LEND_ANSWER(&second, child_count, "NumberOfChildren");
    NTSTATUS status = DDI_CALL(adapter, StartDevice,
                               (adapter->miniport_context, adapter->handed_info,
                                adapter->handed_interface, sources, children));
    ddi_take_back(&call.lent);
    ddi_take_back(&second);
    counts = (struct contract_counts){*source_count, *child_count};
    call.contract.extra = &counts;
    return ddi_leave(&call, status);
}

NTSTATUS ddi_stop_device(struct ddi_adapter *adapter)
{
    struct ddi_call call;

    ddi_enter(&call, adapter, POINT_StopDevice, NULL, 0, 0);
    return ddi_leave(&call, DDI_CALL(adapter, StopDevice, (adapter->miniport_context)));
}

NTSTATUS ddi_remove_device(struct ddi_adapter *adapter)
{
    struct ddi_call call;

    ddi_enter(&call, adapter, POINT_RemoveDevice, NULL, 0, 0);
    NTSTATUS status =
        ddi_leave(&call, DDI_CALL(adapter, RemoveDevice, (adapter->miniport_context)));
    ddi_judge_services(adapter);
    return status;
}

NTSTATUS ddi_query_child_relations(struct ddi_adapter *adapter, DXGK_CHILD_DESCRIPTOR *children,
                                   ULONG size_bytes)
{
    const struct contract_children array = {children, size_bytes};
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_QueryChildRelations)) {
        return STATUS_NOT_SUPPORTED;
    }
    memset(children, 0, size_bytes);
    ddi_enter(&call, adapter, POINT_QueryChildRelations, NULL, 0, 0);
    call.contract.extra = &array;
    return ddi_leave(&call, DDI_CALL(adapter, QueryChildRelations,
                                     (adapter->miniport_context, children, size_bytes)));
}

NTSTATUS ddi_query_child_status(struct ddi_adapter *adapter, DXGK_CHILD_STATUS *status,
                                bool non_destructive_only)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_QueryChildStatus)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_enter(&call, adapter, POINT_QueryChildStatus, status, sizeof *status, 0);
    DXGK_CHILD_STATUS *lent = LEND(&call, adapter, ANSWERS, DXGK_CHILD_STATUS, status);
    return ddi_leave(&call, DDI_CALL(adapter, QueryChildStatus,
                                     (adapter->miniport_context, lent, non_destructive_only)));
}

NTSTATUS ddi_query_device_descriptor(struct ddi_adapter *adapter, ULONG child,
                                     DXGK_DEVICE_DESCRIPTOR *descriptor)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_QueryDeviceDescriptor)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_enter(&call, adapter, POINT_QueryDeviceDescriptor, descriptor, sizeof *descriptor, 0);
    call.contract.extra = &child;
    DXGK_DEVICE_DESCRIPTOR *lent =
        LEND(&call, adapter, ANSWERS, DXGK_DEVICE_DESCRIPTOR, descriptor);
    return ddi_leave(
        &call, DDI_CALL(adapter, QueryDeviceDescriptor, (adapter->miniport_context, child, lent)));
}

NTSTATUS ddi_get_child_container_id(struct ddi_adapter *adapter, ULONG child,
                                    DXGK_CHILD_CONTAINER_ID *container)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_GetChildContainerId)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_enter(&call, adapter, POINT_GetChildContainerId, container, sizeof *container, 0);
    call.contract.extra = &child;
    DXGK_CHILD_CONTAINER_ID *lent =
        LEND(&call, adapter, ANSWERS, DXGK_CHILD_CONTAINER_ID, container);
    return ddi_leave(
        &call, DDI_CALL(adapter, GetChildContainerId, (adapter->miniport_context, child, lent)));
}

NTSTATUS ddi_set_power_state(struct ddi_adapter *adapter, ULONG device, DEVICE_POWER_STATE state,
                             POWER_ACTION action)
{
    const struct contract_power asked = {device, state, action};
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_SetPowerState)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_approach(&call, adapter, POINT_SetPowerState, 0);
    call.contract.extra = &asked;
    ddi_go_in(&call, NULL, NULL, 0);
    return ddi_leave(&call, DDI_CALL(adapter, SetPowerState,
                                     (adapter->miniport_context, device, state, action)));
}

NTSTATUS ddi_set_power_component_f_state(struct ddi_adapter *adapter, UINT component, UINT state,
                                         const struct ddi_beginning *beginning)
{
    struct contract_component_call asked = {.component = component, .state = state};
    struct ddi_call call;

    ddi_approach(&call, adapter, POINT_SetPowerComponentFState, 0);
    if (!beginning->begin(beginning->context)) {
        ddi_turn_back(&call);
        return STATUS_CANCELLED;
    }
    ddi_go_in(&call, adapter->miniport_context, &asked, sizeof asked);
    return ddi_leave(&call, DDI_CALL(adapter, SetPowerComponentFState,
                                     (adapter->miniport_context, component, state)));
}

static const GUID *guid_of(enum contract_runtime told)
{
    static const GUID prepare = {
        0xcba549d4, 0xcf3a, 0x445c, {0x94, 0x68, 0x23, 0x83, 0xfd, 0x52, 0x31, 0x16}};
    static const GUID started = {
        0x6c929c1d, 0x7d76, 0x4538, {0x93, 0xad, 0x44, 0x9d, 0xc9, 0xfd, 0xc2, 0x39}};
    static const GUID stopped = {
        0x0a9d9621, 0xbc21, 0x4dd4, {0xa0, 0xfc, 0xd9, 0x76, 0xe4, 0x28, 0xf7, 0x38}};

    return told == CONTRACT_RUNTIME_PREPARED  ? &prepare
           : told == CONTRACT_RUNTIME_STARTED ? &started
                                              : &stopped;
}

NTSTATUS ddi_power_runtime_control_request(struct ddi_adapter *adapter, enum contract_runtime told,
                                           bool counts)
{
    struct contract_component_call asked = {.state = told};
    struct ddi_call call;
    SIZE_T returned = 0;

    ddi_approach(&call, adapter, POINT_PowerRuntimeControlRequest, 0);
    ddi_go_in(&call, adapter->miniport_context, &asked, sizeof asked);
    return ddi_leave(&call, DDI_CALL(adapter, PowerRuntimeControlRequest,
                                     (adapter->miniport_context, guid_of(told), NULL, 0, NULL, 0,
                                      counts ? &returned : NULL)));
}

void ddi_reset_device(struct ddi_adapter *adapter)
{
    struct ddi_call call;

    if (ddi_has(adapter, POINT_ResetDevice)) {
        ddi_enter(&call, adapter, POINT_ResetDevice, NULL, 0, 0);
        DDI_CALL(adapter, ResetDevice, (adapter->miniport_context));
        ddi_leave(&call, STATUS_SUCCESS);
    }
}

NTSTATUS ddi_stop_device_and_release(struct ddi_adapter *adapter, UINT target,
                                     DXGK_DISPLAY_INFORMATION *display)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_StopDeviceAndReleasePostDisplayOwnership)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_enter(&call, adapter, POINT_StopDeviceAndReleasePostDisplayOwnership, display,
              sizeof *display, 0);
    DXGK_DISPLAY_INFORMATION *lent =
        LEND(&call, adapter, ANSWERS, DXGK_DISPLAY_INFORMATION, display);
    return ddi_leave(&call, DDI_CALL(adapter, StopDeviceAndReleasePostDisplayOwnership,
                                     (adapter->miniport_context, target, lent)));
}

NTSTATUS ddi_system_display_enable(struct ddi_adapter *adapter, UINT target,
                                   struct ddi_system_display *display)
{
    DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS flags = {0};
    struct ddi_loan loans[3];
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_SystemDisplayEnable)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_enter(&call, adapter, POINT_SystemDisplayEnable, NULL, 0, 0);
    DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS *asked =
        LEND(&call, adapter, READS, DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS, &flags);
    UINT *width = LEND_ANSWER(&loans[0], &display->width, "Width of SystemDisplayEnable");
    UINT *height = LEND_ANSWER(&loans[1], &display->height, "Height of SystemDisplayEnable");
    D3DDDIFORMAT *format =
        LEND_ANSWER(&loans[2], &display->format, "ColorFormat of SystemDisplayEnable");
    NTSTATUS status = DDI_CALL(adapter, SystemDisplayEnable,
                               (adapter->miniport_context, target, asked, width, height, format));
    for (unsigned i = 0; i < 3; i++) {
        ddi_take_back(&loans[i]);
    }
    return ddi_leave(&call, status);
}

bool ddi_system_display_write(struct ddi_adapter *adapter, const struct ddi_system_picture *picture)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_SystemDisplayWrite)) {
        return false;
    }
    ddi_enter(&call, adapter, POINT_SystemDisplayWrite, NULL, 0, 0);
    DDI_CALL(adapter, SystemDisplayWrite,
             (adapter->miniport_context, picture->pixels, picture->width, picture->height,
              picture->stride_bytes, picture->x, picture->y));
    ddi_leave(&call, STATUS_SUCCESS);
    return true;
}

NTSTATUS ddi_notify_surprise_removal(struct ddi_adapter *adapter, DXGK_SURPRISE_REMOVAL_TYPE type)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_NotifySurpriseRemoval)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_enter(&call, adapter, POINT_NotifySurpriseRemoval, NULL, 0, 0);
    return ddi_leave(&call,
                     DDI_CALL(adapter, NotifySurpriseRemoval, (adapter->miniport_context, type)));
}

NTSTATUS ddi_get_node_metadata(struct ddi_adapter *adapter, UINT node,
                               DXGKARG_GETNODEMETADATA *metadata)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_GetNodeMetadata)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_enter(&call, adapter, POINT_GetNodeMetadata, metadata, sizeof *metadata, 0);
    call.contract.extra = &node;
    DXGKARG_GETNODEMETADATA *lent = LEND(&call, adapter, ANSWERS, DXGK_NODEMETADATA, metadata);
    return ddi_leave(&call,
                     DDI_CALL(adapter, GetNodeMetadata, (adapter->miniport_context, node, lent)));
}

NTSTATUS ddi_control_interrupt(struct ddi_adapter *adapter, DXGK_INTERRUPT_TYPE type, bool enable)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_ControlInterrupt)) {
        return STATUS_NOT_SUPPORTED;
    }
    struct contract_switch asked = {type, enable ? DXGK_VSYNC_ENABLE : DXGK_VSYNC_DISABLE_NO_PHASE};
    ddi_enter(&call, adapter, POINT_ControlInterrupt, NULL, 0, 0);
    call.contract.extra = &asked;
    return ddi_leave(
        &call, DDI_CALL(adapter, ControlInterrupt, (adapter->miniport_context, type, enable)));
}

NTSTATUS ddi_control_interrupt2(struct ddi_adapter *adapter,
                                const DXGKARG_CONTROLINTERRUPT2 *control)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_ControlInterrupt2)) {
        return STATUS_NOT_SUPPORTED;
    }
    struct contract_switch asked = {control->InterruptType, control->CrtcVsyncState};
    ddi_enter(&call, adapter, POINT_ControlInterrupt2, NULL, 0, 0);
    call.contract.extra = &asked;
    return ddi_leave(&call,
                     DDI_CALL(adapter, ControlInterrupt2, (adapter->miniport_context, *control)));
}

NTSTATUS ddi_control_interrupt3(struct ddi_adapter *adapter,
                                const DXGKARG_CONTROLINTERRUPT3 *control)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_ControlInterrupt3)) {
        return STATUS_NOT_SUPPORTED;
    }
    struct contract_switch asked = {control->InterruptType, control->CrtcVsyncState};
    ddi_enter(&call, adapter, POINT_ControlInterrupt3, (void *)control, sizeof *control, 0);
    call.contract.extra = &asked;
    const DXGKARG_CONTROLINTERRUPT3 *lent =
        LEND(&call, adapter, READS, DXGKARG_CONTROLINTERRUPT3, control);
    return ddi_leave(&call,
                     DDI_CALL(adapter, ControlInterrupt3, (adapter->miniport_context, lent)));
}

NTSTATUS ddi_present_display_only(struct ddi_adapter *adapter,
                                  DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_PresentDisplayOnly)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_enter(&call, adapter, POINT_PresentDisplayOnly, arguments, sizeof *arguments, 0);
    DXGKARG_PRESENT_DISPLAYONLY *lent =
        LEND(&call, adapter, READS, DXGKARG_PRESENT_DISPLAYONLY, arguments);
    return ddi_leave(&call, NT_CALL_DRIVER(NULL, adapter->driver->present_display_only,
                                           (adapter->miniport_context, lent)));
}

/* ---- What the system tells and asks besides -------------------------------------------------- */

NTSTATUS ddi_notify_acpi_event(struct ddi_adapter *adapter, const struct contract_event *event,
                               ULONG *flags)
{
    struct ddi_call call;

    *flags = CONTRACT_ACPI_UNTOUCHED;
    if (!ddi_has(adapter, POINT_NotifyAcpiEvent)) {
        *flags = 0;
        return STATUS_NOT_SUPPORTED;
    }
    ddi_enter(&call, adapter, POINT_NotifyAcpiEvent, (void *)(uintptr_t)event, sizeof *event, 0);
    call.contract.extra = flags;
    ULONG *lent = LEND_ANSWER(&call.lent, flags, "AcpiFlags of NotifyAcpiEvent");
    NTSTATUS status = ddi_leave(&call, DDI_CALL(adapter, NotifyAcpiEvent,
                                                (adapter->miniport_context, event->type,
                                                 event->number, event->argument, lent)));
    *flags = *flags == CONTRACT_ACPI_UNTOUCHED ? 0 : *flags;
    return status;
}

NTSTATUS ddi_dispatch_io_request(struct ddi_adapter *adapter, ULONG source,
                                 VIDEO_REQUEST_PACKET *packet)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_DispatchIoRequest)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_enter(&call, adapter, POINT_DispatchIoRequest, packet, sizeof *packet, 0);
    VIDEO_REQUEST_PACKET *lent = LEND_ANSWER(&call.lent, packet, "VIDEO_REQUEST_PACKET");
    return ddi_leave(
        &call, DDI_CALL(adapter, DispatchIoRequest, (adapter->miniport_context, source, lent)));
}

NTSTATUS ddi_query_interface(struct ddi_adapter *adapter, QUERY_INTERFACE *query)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_QueryInterface)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_enter(&call, adapter, POINT_QueryInterface, query, sizeof *query, 0);
    QUERY_INTERFACE *lent = LEND_ANSWER(&call.lent, query, "QUERY_INTERFACE");
    return ddi_leave(&call, DDI_CALL(adapter, QueryInterface, (adapter->miniport_context, lent)));
}

void ddi_control_etw_logging(struct ddi_adapter *adapter, bool enable, UCHAR level)
{
    struct ddi_call call;

    if (ddi_has(adapter, POINT_ControlEtwLogging)) {
        ddi_enter(&call, adapter, POINT_ControlEtwLogging, NULL, 0, 0);
        DDI_CALL(adapter, ControlEtwLogging, (enable, 0, level));
        ddi_leave(&call, STATUS_SUCCESS);
    }
}

void ddi_set_stable_power_state(struct ddi_adapter *adapter, bool enabled)
{
    const DXGKARG_SETSTABLEPOWERSTATE arguments = {.Enabled = enabled};
    struct ddi_call call;

    if (ddi_has(adapter, POINT_SetStablePowerState)) {
        ddi_enter(&call, adapter, POINT_SetStablePowerState, (void *)&arguments, sizeof arguments,
                  0);
        DXGKARG_SETSTABLEPOWERSTATE *lent =
            LEND(&call, adapter, READS, DXGKARG_SETSTABLEPOWERSTATE, &arguments);
        DDI_CALL(adapter, SetStablePowerState, (adapter->miniport_context, lent));
        ddi_leave(&call, STATUS_SUCCESS);
    }
}

NTSTATUS ddi_calibrate_gpu_clock(struct ddi_adapter *adapter, UINT node,
                                 DXGKARG_CALIBRATEGPUCLOCK *clock)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_CalibrateGpuClock)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_enter(&call, adapter, POINT_CalibrateGpuClock, clock, sizeof *clock, 0);
    call.contract.extra = &node;
    DXGKARG_CALIBRATEGPUCLOCK *lent = LEND_ANSWER(&call.lent, clock, "DXGKARG_CALIBRATEGPUCLOCK");
    return ddi_leave(
        &call, DDI_CALL(adapter, CalibrateGpuClock, (adapter->miniport_context, node, 0, lent)));
}

/* ---- Address spaces ---------------------------------------------------------------------- */

NTSTATUS ddi_destroy_process(struct ddi_adapter *adapter, HANDLE process, uint32_t object)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_DestroyProcess)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_enter_with(&call, adapter, POINT_DestroyProcess, process, NULL, 0, object);
    return ddi_leave(&call,
                     DDI_CALL(adapter, DestroyProcess, (adapter->miniport_context, process)));
}

SIZE_T ddi_get_root_page_table_size(struct ddi_adapter *adapter,
                                    DXGKARG_GETROOTPAGETABLESIZE *arguments)
{
    struct ddi_call call;
    SIZE_T size;

    if (!ddi_has(adapter, POINT_GetRootPageTableSize)) {
        return 0;
    }
    ddi_enter(&call, adapter, POINT_GetRootPageTableSize, arguments, sizeof *arguments, 0);
    DXGKARG_GETROOTPAGETABLESIZE *lent =
        LEND(&call, adapter, ANSWERS, DXGKARG_GETROOTPAGETABLESIZE, arguments);
    size = DDI_CALL(adapter, GetRootPageTableSize, (adapter->miniport_context, lent));
    call.contract.extra = &size;
    ddi_leave(&call, STATUS_SUCCESS);
    return size;
}

bool ddi_set_root_page_table(struct ddi_adapter *adapter, const DXGKARG_SETROOTPAGETABLE *root,
                             const struct ddi_late *late, uint32_t object)
{
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_SetRootPageTable)) {
        return true;
    }
    ddi_approach(&call, adapter, POINT_SetRootPageTable, object);
    if (late && !late->fill(late->context)) {
        ddi_turn_back(&call);
        return false;
    }
    ddi_go_in(&call, adapter->miniport_context, (void *)root, sizeof *root);
    const DXGKARG_SETROOTPAGETABLE *lent =
        LEND(&call, adapter, READS, DXGKARG_SETROOTPAGETABLE, root);
    DDI_CALL(adapter, SetRootPageTable, (adapter->miniport_context, lent));
    ddi_leave(&call, STATUS_SUCCESS);
    return true;
}

/* ---- Life -------------------------------------------------------------------------------- */

void ddi_adapter_init(struct ddi_adapter *adapter, struct ddi_driver *driver, struct pci_slot *slot,
                      uint32_t object)
{
    *adapter = (struct ddi_adapter){.driver = driver, .slot = slot, .object = object};
    adapter->tracker = contract_tracker_create(object, driver->interface_version, driver->has);
    gate_init(&adapter->adapter_gate);
    for (unsigned i = 0; i < CONTRACT_LEVEL_COUNT; i++) {
        gate_init(&adapter->class_gate[i]);
    }
    wait_queue_init(&adapter->drained);
    wait_queue_init(&adapter->opened);
    list_init(&adapter->mappings);
    list_init(&adapter->reports);
    ddi_init_interrupts(adapter);
    ddi_fill_interface(adapter);
}

void ddi_adapter_fini(struct ddi_adapter *adapter)
{
    CHECK_THAT(adapter->threads_inside == 0 && !adapter->closed_for);
    ddi_disconnect_interrupt(adapter);
    dpc_remove(&adapter->dpc);
    ddi_forget_memory(adapter);
    ddi_forget_adapter(adapter);
    nt_memory_free(adapter->handed_interface);
    nt_memory_free(adapter->handed_info);
    contract_tracker_destroy(adapter->tracker);
}
