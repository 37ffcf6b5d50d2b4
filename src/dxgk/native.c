/* Native fences: made, opened, and ended. See native.h; their values are in native_values.c. */
#include "dxgk/native_parts.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

/* ---- What the driver says of them ------------------------------------------------------------ */

bool dxgk_has_natives(const struct dxgk_adapter *adapter)
{
    const struct ddi_adapter *ddi = &adapter->ddi;

    return adapter->features.native_fences && adapter->mmu.present &&
           ddi_has(ddi, POINT_CreateNativeFence) && ddi_has(ddi, POINT_DestroyNativeFence) &&
           ddi_has(ddi, POINT_OpenNativeFence) && ddi_has(ddi, POINT_CloseNativeFence) &&
           ddi_has(ddi, POINT_UpdateMonitoredValues) &&
           ddi_has(ddi, POINT_UpdateCurrentValuesFromCpu);
}

/* The caps may be said only by who asked whether the system has the feature [FENCE-008]. */
void dxgk_natives_ask(struct dxgk_adapter *adapter)
{
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(FENCE_008),
                                             .object = adapter->object};
    DXGK_NATIVE_FENCE_CAPS caps = {0};

    if (!adapter->features.native_fences) {
        return;
    }
    contract_count(RULE_FENCE_008);
    if (!adapter->ddi.told_of_native_fences) {
        contract_breach(&finding,
                        "SchedulingCaps.NativeGpuFence of a driver that asked before, by "
                        "IsFeatureEnabled of DxgkServicesFeature, for DXGK_FEATURE_NATIVE_FENCE",
                        "NativeGpuFence is set, and the driver %s",
                        adapter->ddi.asked_for_native_fences
                            ? "was told that the feature is not enabled"
                            : "has not asked");
    }
    if (NT_SUCCESS(dxgk_query_adapter(adapter, DXGKQAITYPE_NATIVE_FENCE_CAPS, NULL, 0, &caps,
                                      sizeof caps))) {
        adapter->natives.in_system_process = caps.MapToGpuSystemProcess && adapter->mmu.pages;
    }
}

/* ---- Ending ---------------------------------------------------------------------------------- */

/* A number with a mark, as those of processes: nobody takes it for a pointer. */
HANDLE dxgk_native_handle(const struct dxgk_native *native)
{
    return (HANDLE)(UINT64_C(0xE100000000000000) + native->core->object.number * UINT64_C(16));
}

void dxgk_native_close(struct dxgk_sync *sync)
{
    struct dxgk_adapter *adapter = sync->core->adapter;
    DXGKARG_CLOSENATIVEFENCE arguments = {.hLocalNativeFence = sync->native_handle};

    if (sync->native_opened) {
        sync->native_opened = false;
        (void)ddi_close_native_fence(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                     sync->core->object.number);
    }
    if (sync->monitored_view) {
        dxgk_fence_view_close(sync->monitored_view);
        sync->monitored_view = NULL;
    }
}

void dxgk_native_end(struct dxgk_sync_core *core)
{
    struct dxgk_native *native = core->native;
    struct dxgk_adapter *adapter = core->adapter;

    if (!native) {
        return;
    }
    sync_fence_watch(&core->object, NULL);
    life_wait_unused(&core->life); /* who tells the driver of it is still inside */
    list_remove(&native->link);
    if (native->created) {
        DXGKARG_DESTROYNATIVEFENCE arguments = {.hGlobalNativeFence = native->driver_handle};
        (void)ddi_destroy_native_fence(&adapter->ddi, &arguments, core->object.number);
    }
    for (unsigned i = 0; i < NATIVE_WORDS; i++) {
        vidmm_unpin(&native->pins[i]);
        if (native->system_views[i]) {
            dxgk_fence_view_close(native->system_views[i]);
        }
    }
    if (native->monitored) {
        dxgk_fence_memory_put(native->monitored);
    }
    nt_memory_free(native->information);
    core->native = NULL;
    free(native);
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* It keeps its place for the fence's life. */
static NTSTATUS place(struct dxgk_adapter *adapter, struct vidmm_pin *pin,
                      struct dxgk_fence_memory *memory)
{
    struct vidmm_prepare_result result;

    for (;;) {
        vidmm_pin(pin, &memory->word.memory, &result);
        dxgk_paging_kick(adapter);
        if (result.outcome == VIDMM_READY) {
            return dxgk_wait_paging(adapter, result.paging_sequence, MACHINE_NEVER);
        }
        if (result.outcome == VIDMM_FAILED) {
            return result.status;
        }
        dxgk_wait_memory(adapter, &result.wait, MACHINE_NEVER);
    }
}

static bool has_place(const struct dxgk_native *native)
{
    return native->created && native->placed;
}

/* One operation tells of several: of some others it says again what they were told. They stay until
 * it is done: an end would take them from the driver that still reads of them. */
static void hold_others(struct dxgk_native *native)
{
    list_for_each (link, &native->core->adapter->natives.all) {
        const struct dxgk_native *other = container_of(link, struct dxgk_native, link);
        if (other != native && native->other_count < NATIVE_OTHERS_MAX && has_place(other) &&
            dxgk_sync_core_open(other->core)) {
            native->others[native->other_count++] = other->core;
        }
    }
}

static void release_others(struct dxgk_native *native)
{
    while (native->other_count > 0) {
        dxgk_sync_core_close(native->others[--native->other_count]);
    }
}

static NTSTATUS make_memory(struct dxgk_sync_core *core)
{
    struct dxgk_native *native = core->native;
    struct dxgk_adapter *adapter = core->adapter;
    uint32_t number = core->object.number;
    struct dxgk_fence_memory *current =
        dxgk_fence_memory_new(adapter, number, VIDMM_ALLOCATION_NATIVE_FENCE);

    native->monitored = dxgk_fence_memory_new(adapter, number, VIDMM_ALLOCATION_NATIVE_FENCE);
    if (!current || !native->monitored) {
        if (current) {
            dxgk_fence_memory_put(current);
        }
        return STATUS_NO_MEMORY;
    }
    sync_fence_attach(&core->object, (uint64_t *)current->word.view);
    nt_memory_free(core->memory);
    core->memory = (uint64_t *)current->word.view;
    core->page = current;
    *(uint64_t *)native->monitored->word.view = UINT64_MAX;
    NTSTATUS status = place(adapter, &native->pins[0], current);
    return NT_SUCCESS(status) ? place(adapter, &native->pins[1], native->monitored) : status;
}

static NTSTATUS show_to_system(struct dxgk_sync_core *core)
{
    struct dxgk_native *native = core->native;
    struct dxgk_space *space = &core->adapter->system_space;
    NTSTATUS status = STATUS_SUCCESS;

    if (core->adapter->natives.in_system_process) {
        status = dxgk_fence_view_new(space, core->page, true, &native->system_views[0]);
    }
    if (NT_SUCCESS(status) && core->adapter->natives.in_system_process) {
        status = dxgk_fence_view_new(space, native->monitored, true, &native->system_views[1]);
    }
    return status;
}

static NTSTATUS create_driver_fence(struct dxgk_sync_core *core, void *private_data)
{
    struct dxgk_native *native = core->native;
    struct dxgk_adapter *adapter = core->adapter;
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    DXGKARG_CREATENATIVEFENCE arguments;
    NTSTATUS status;

    do {
        arguments = (DXGKARG_CREATENATIVEFENCE){
            .hGlobalNativeFence = dxgk_native_handle(native),
            .Type = D3DDDI_NATIVEFENCE_TYPE_DEFAULT,
            .CurrentValueSystemProcessGpuVa =
                native->system_views[0] ? native->system_views[0]->address : 0,
            .MonitoredValueSystemProcessGpuVa =
                native->system_views[1] ? native->system_views[1]->address : 0,
        };
        memcpy(arguments.pPrivateDriverData, private_data, sizeof arguments.pPrivateDriverData);
        status = ddi_create_native_fence(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                         core->object.number);
    } while (dxgk_tries_again(status, &attempt));
    native->created = NT_SUCCESS(status) && arguments.hGlobalNativeFence;
    native->driver_handle = native->created ? arguments.hGlobalNativeFence : NULL;
    memcpy(private_data, arguments.pPrivateDriverData, sizeof arguments.pPrivateDriverData);
    return NT_SUCCESS(status) && !native->created ? STATUS_INVALID_HANDLE : status;
}

/* Where its values are, behind all that put them there. The array is the operation's: who keeps a
 * pointer into it reads what is gone. */
static NTSTATUS tell_places(struct dxgk_sync_core *core)
{
    struct dxgk_native *native = core->native;
    uint64_t sequence = 0;
    NTSTATUS status = STATUS_NO_MEMORY;

    hold_others(native);
    native->information = nt_memory_hand((native->other_count + 1) * sizeof *native->information,
                                         "FenceResidencyInfo");
    if (native->information) {
        status = vidmm_notify_fence(&core->page->word.memory, native, &sequence);
        dxgk_paging_kick(core->adapter);
    }
    if (NT_SUCCESS(status)) {
        status = dxgk_wait_paging(core->adapter, sequence, MACHINE_NEVER);
    }
    release_others(native);
    if (NT_SUCCESS(status)) {
        native->placed = true;
        nt_memory_free(native->information);
        native->information = NULL;
    }
    return status;
}

static DXGK_FENCE_RESIDENCY_INFO place_of(const struct dxgk_native *native)
{
    const struct dxgk_fence_memory *current = native->core->page, *monitored = native->monitored;

    return (DXGK_FENCE_RESIDENCY_INFO){
        .hGlobalNativeFence = native->driver_handle,
        .CurrentValuePhysicalAddress.SegmentOffset = current->word.frame << MACHINE_PAGE_SHIFT,
        .MonitoredValuePhysicalAddress.SegmentOffset = monitored->word.frame << MACHINE_PAGE_SHIFT,
        .CurrentValueKernelCpuVa = current->word.view,
        .MonitoredValueKernelCpuVa = monitored->word.view,
    };
}

/* Its own come last. */
void dxgk_native_fill(const struct vidmm_op *op, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    const struct dxgk_native *native = op->context.private_data;
    for (UINT i = 0; i < native->other_count; i++) {
        native->information[i] = place_of(native->others[i]->native);
    }
    native->information[native->other_count] = place_of(native);
    arguments->Operation = DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY;
    arguments->NotifyFenceResidency.NumFences = native->other_count + 1;
    arguments->NotifyFenceResidency.FenceResidencyInfo = native->information;
}

static NTSTATUS furnish(struct dxgk_sync_core *core, void *private_data)
{
    struct dxgk_native *native = calloc(1, sizeof *native);

    if (!native) {
        return STATUS_NO_MEMORY;
    }
    native->core = core;
    core->native = native;
    list_push_back(&core->adapter->natives.all, &native->link);
    NTSTATUS status = make_memory(core);
    if (NT_SUCCESS(status)) {
        status = show_to_system(core);
    }
    if (NT_SUCCESS(status)) {
        status = create_driver_fence(core, private_data);
    }
    if (NT_SUCCESS(status)) {
        status = tell_places(core);
    }
    if (NT_SUCCESS(status)) {
        sync_fence_watch(&core->object, dxgk_native_monitor);
    }
    return status;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static NTSTATUS open_driver_fence(struct dxgk_sync *sync, void *private_data)
{
    struct dxgk_adapter *adapter = sync->core->adapter;
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    DXGKARG_OPENNATIVEFENCE arguments;
    NTSTATUS status;

    do {
        arguments = (DXGKARG_OPENNATIVEFENCE){
            .hGlobalNativeFence = sync->core->native->driver_handle,
            .hLocalNativeFence = (HANDLE)(uintptr_t)sync->life.handle,
            .hDevice = sync->device->driver_handle,
            .CurrentValueGpuVa = sync->view->address,
            .MonitoredValueGpuVa = sync->monitored_view->address,
        };
        memcpy(arguments.pPrivateDriverData, private_data, sizeof arguments.pPrivateDriverData);
        status = ddi_open_native_fence(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                       sync->core->object.number);
    } while (dxgk_tries_again(status, &attempt));
    sync->native_opened = NT_SUCCESS(status) && arguments.hLocalNativeFence;
    sync->native_handle = sync->native_opened ? arguments.hLocalNativeFence : NULL;
    memcpy(private_data, arguments.pPrivateDriverData, sizeof arguments.pPrivateDriverData);
    return NT_SUCCESS(status) && !sync->native_opened ? STATUS_INVALID_HANDLE : status;
}

/* What the GPU writes there is looked at when the driver tells of it, and not behind each work of
 * the process, as other fences are. The opening is shown already, so that another thread may end it
 * meanwhile: then what was made goes again. */
static NTSTATUS open_native(struct dxgk_sync *sync, void *private_data)
{
    struct dxgk_space *space = &sync->device->process->space;

    NTSTATUS status = dxgk_fence_view_new(space, sync->core->page, true, &sync->view);
    if (NT_SUCCESS(status)) {
        status =
            dxgk_fence_view_new(space, sync->core->native->monitored, false, &sync->monitored_view);
    }
    if (NT_SUCCESS(status)) {
        status = open_driver_fence(sync, private_data);
    }
    if (sync->life.state != LIFE_LIVING) {
        dxgk_native_close(sync);
        if (sync->view) {
            dxgk_fence_view_close(sync->view);
            sync->view = NULL;
        }
        status = NT_SUCCESS(status) ? STATUS_INVALID_HANDLE : status;
    }
    return status;
}

/* The core stays for the call, whoever closes the opening. */
static NTSTATUS finish(struct dxgk_sync *sync, bool made, void *private_data)
{
    struct dxgk_sync_core *core = sync->core;

    if (!dxgk_sync_core_open(core)) {
        return STATUS_INVALID_HANDLE;
    }
    life_get(&sync->life);
    NTSTATUS status = made ? furnish(core, private_data) : STATUS_SUCCESS;
    if (NT_SUCCESS(status)) {
        status = sync->life.state == LIFE_LIVING ? open_native(sync, private_data)
                                                 : STATUS_INVALID_HANDLE;
    }
    if (!NT_SUCCESS(status)) {
        (void)dxgk_sync_destroy(sync); /* unless another thread has */
    }
    dxgk_sync_core_close(core);
    life_put(&sync->life);
    return status;
}

NTSTATUS dxgk_native_create(struct dxgk_device *device, const struct dxgk_native_request *request,
                            struct dxgk_sync **out)
{
    const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info = {
        .Type = D3DDDI_NATIVE_FENCE,
        .Flags = request->flags,
        .MonitoredFence.InitialFenceValue = request->initial_value,
    };

    dxgk_wait_awake();
    if (!dxgk_has_natives(device->adapter)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    NTSTATUS status = dxgk_sync_create(device, &info, out);
    return NT_SUCCESS(status) ? finish(*out, true, request->private_data) : status;
}

bool dxgk_sync_core_is_native(const struct dxgk_sync_core *core)
{
    return core->type == D3DDDI_NATIVE_FENCE;
}

NTSTATUS dxgk_native_open(const struct dxgk_sync_opening *how, struct dxgk_sync_core *core,
                          void *private_data, struct dxgk_sync **out)
{
    dxgk_wait_awake();
    if (core->type != D3DDDI_NATIVE_FENCE || !core->native || !core->native->created) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = dxgk_sync_open(how, core, out);
    return NT_SUCCESS(status) ? finish(*out, false, private_data) : status;
}

D3DGPU_VIRTUAL_ADDRESS dxgk_native_monitored_address(const struct dxgk_sync *sync)
{
    return sync->monitored_view ? sync->monitored_view->address : 0;
}
