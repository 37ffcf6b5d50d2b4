/* Synchronisation objects. */
#include "d3dkmt/internal.h"

#include <string.h>

/* An event is one process's. */
static bool is_known(const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info)
{
    D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS known = {.Value = 0};

    known.Shared = known.NtSecuritySharing = info->Type != D3DDDI_CPU_NOTIFICATION;
    if (info->Type == D3DDDI_MONITORED_FENCE || info->Type == D3DDDI_PERIODIC_MONITORED_FENCE) {
        known.NoSignal = known.NoWait = known.NoSignalMaxValueOnTdr = known.NoGPUAccess = 1;
    }
    return (info->Flags.Value & ~known.Value) == 0 && info->Type != D3DDDI_NATIVE_FENCE;
}

/* Counted up by the kernel, once in each frame of a target. */
static NTSTATUS create_periodic(struct client_call *call, struct dxgk_device *device,
                                const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info,
                                struct dxgk_sync **out)
{
    struct dxgk_adapter *adapter = adapter_of(call, info->PeriodicMonitoredFence.hAdapter);

    if (!adapter || adapter != dxgk_device_adapter(device) ||
        info->PeriodicMonitoredFence.EngineAffinity > 1) {
        return STATUS_INVALID_PARAMETER;
    }
    return dxgk_periodic_create(device, info, out);
}

static NTSTATUS create(struct client_call *call, D3DKMT_HANDLE device_handle,
                       D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info, D3DKMT_HANDLE *out)
{
    struct dxgk_device *device = device_of(call, device_handle);
    struct dxgk_sync *sync;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    if (info->Flags.NtSecuritySharing && !info->Flags.Shared) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!is_known(info)) {
        return STATUS_NOT_SUPPORTED;
    }
    NTSTATUS status = info->Type == D3DDDI_PERIODIC_MONITORED_FENCE
                          ? create_periodic(call, device, info, &sync)
                          : dxgk_fence_create(device, info, &sync);
    if (NT_SUCCESS(status)) {
        *out = dxgk_sync_handle(sync);
        info->SharedHandle = dxgk_sync_shared_handle(sync);
    }
    if (NT_SUCCESS(status) && info->Type == D3DDDI_MONITORED_FENCE) {
        info->MonitoredFence.FenceValueCPUVirtualAddress = dxgk_sync_memory(sync);
        info->MonitoredFence.FenceValueGPUVirtualAddress = dxgk_fence_address(sync);
    }
    if (NT_SUCCESS(status) && info->Type == D3DDDI_PERIODIC_MONITORED_FENCE) {
        info->PeriodicMonitoredFence.FenceValueCPUVirtualAddress = dxgk_sync_memory(sync);
        info->PeriodicMonitoredFence.FenceValueGPUVirtualAddress = dxgk_fence_address(sync);
    }
    return status;
}

static NTSTATUS create_second(struct client_call *call,
                              D3DKMT_CREATESYNCHRONIZATIONOBJECT2 *arguments)
{
    return create(call, arguments->hDevice, &arguments->Info, &arguments->hSyncObject);
}
CLIENT_CALL(CreateSynchronizationObject2, create_second, D3DKMT_CREATESYNCHRONIZATIONOBJECT2)

/* Knows mutexes and semaphores only. */
static NTSTATUS create_first(struct client_call *call,
                             D3DKMT_CREATESYNCHRONIZATIONOBJECT *arguments)
{
    D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info = {.Type = arguments->Info.Type};

    switch (info.Type) {
    case D3DDDI_SYNCHRONIZATION_MUTEX:
        info.SynchronizationMutex.InitialState = arguments->Info.SynchronizationMutex.InitialState;
        break;
    case D3DDDI_SEMAPHORE:
        info.Semaphore.MaxCount = arguments->Info.Semaphore.MaxCount;
        info.Semaphore.InitialCount = arguments->Info.Semaphore.InitialCount;
        break;
    default:
        return STATUS_INVALID_PARAMETER;
    }
    return create(call, arguments->hDevice, &info, &arguments->hSyncObject);
}
CLIENT_CALL(CreateSynchronizationObject, create_first, D3DKMT_CREATESYNCHRONIZATIONOBJECT)

static NTSTATUS destroy(struct client_call *call,
                        const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT *arguments)
{
    struct dxgk_sync *sync = sync_of(call, arguments->hSyncObject);

    if (!sync || dxgk_sync_is_of_queue(sync)) {
        return NO_SUCH_OBJECT; /* a queue's goes with it */
    }
    return dxgk_sync_destroy(sync);
}
CLIENT_CALL_IN(DestroySynchronizationObject, destroy, D3DKMT_DESTROYSYNCHRONIZATIONOBJECT)

/* ---- On the time line of a context --------------------------------------------------------- */

struct objects {
    struct dxgk_sync *list[D3DDDI_MAX_OBJECT_WAITED_ON];
    UINT count;
};

static NTSTATUS decode_objects(struct client_call *call, const D3DKMT_HANDLE *handles, UINT count,
                               struct objects *out)
{
    if (count == 0 || count > D3DDDI_MAX_OBJECT_WAITED_ON || !handles) {
        return STATUS_INVALID_PARAMETER;
    }
    out->count = count;
    for (UINT i = 0; i < count; i++) {
        out->list[i] = sync_of(call, handles[i]);
        if (!out->list[i]) {
            return NO_SUCH_OBJECT;
        }
    }
    return STATUS_SUCCESS;
}

/* Objects of the context's adapter. */
static NTSTATUS decode_for(struct client_call *call, const struct dxgk_context *context,
                           const D3DKMT_HANDLE *handles, UINT count, struct objects *out)
{
    const struct dxgk_adapter *adapter = dxgk_device_adapter(dxgk_context_device(context));
    NTSTATUS status = decode_objects(call, handles, count, out);

    for (UINT i = 0; NT_SUCCESS(status) && i < count; i++) {
        status = dxgk_sync_adapter(out->list[i]) == adapter ? status : STATUS_INVALID_PARAMETER;
    }
    return status;
}

static NTSTATUS queue(struct client_call *call, D3DKMT_HANDLE context_handle,
                      const D3DKMT_HANDLE *handles, UINT count, bool signal, UINT64 value)
{
    struct dxgk_context *context = context_of(call, context_handle);
    struct objects objects;

    if (!context) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = decode_for(call, context, handles, count, &objects);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    return signal ? dxgk_sync_signal_gpu(context, objects.list, objects.count, value)
                  : dxgk_sync_wait_gpu(context, objects.list, objects.count, value);
}

static NTSTATUS wait_first(struct client_call *call,
                           const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT *arguments)
{
    return queue(call, arguments->hContext, arguments->ObjectHandleArray, arguments->ObjectCount,
                 false, 0);
}
CLIENT_CALL_IN(WaitForSynchronizationObject, wait_first, D3DKMT_WAITFORSYNCHRONIZATIONOBJECT)

static NTSTATUS wait_second(struct client_call *call,
                            const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 *arguments)
{
    return queue(call, arguments->hContext, arguments->ObjectHandleArray, arguments->ObjectCount,
                 false, arguments->Fence.FenceValue);
}
CLIENT_CALL_IN(WaitForSynchronizationObject2, wait_second, D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2)

static NTSTATUS signal_first(struct client_call *call,
                             const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT *arguments)
{
    if (arguments->Flags.Value) {
        return STATUS_NOT_SUPPORTED;
    }
    return queue(call, arguments->hContext, arguments->ObjectHandleArray, arguments->ObjectCount,
                 true, 0);
}
CLIENT_CALL_IN(SignalSynchronizationObject, signal_first, D3DKMT_SIGNALSYNCHRONIZATIONOBJECT)

/* In the place of objects: an event of the client's. */
static NTSTATUS enqueue_event(struct client_call *call, D3DKMT_HANDLE context_handle,
                              UINT object_count, HANDLE event)
{
    struct dxgk_context *context = context_of(call, context_handle);

    if (!context) {
        return NO_SUCH_OBJECT;
    }
    return object_count ? STATUS_INVALID_PARAMETER : dxgk_event_signal_gpu(context, event);
}

static NTSTATUS signal_second(struct client_call *call,
                              const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 *arguments)
{
    D3DDDICB_SIGNALFLAGS known = {.Value = 0};

    known.EnqueueCpuEvent = 1;
    if (arguments->Flags.Value & ~known.Value || arguments->BroadcastContextCount) {
        return STATUS_NOT_SUPPORTED;
    }
    if (arguments->Flags.EnqueueCpuEvent) {
        return enqueue_event(call, arguments->hContext, arguments->ObjectCount,
                             arguments->CpuEventHandle);
    }
    return queue(call, arguments->hContext, arguments->ObjectHandleArray, arguments->ObjectCount,
                 true, arguments->Fence.FenceValue);
}
CLIENT_CALL_IN(SignalSynchronizationObject2, signal_second, D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2)

/* ---- By values of their own ---------------------------------------------------------------- */

/* The client's two lists, one entry an object. */
struct fence_list {
    const D3DKMT_HANDLE *handles;
    const UINT64 *values;
};

static NTSTATUS decode_fences(struct client_call *call, const D3DKMT_HANDLE CLIENT *handles,
                              const UINT64 CLIENT *values, UINT count, struct fence_list *list)
{
    void *handle_copy, *value_copy = NULL;

    if (count > D3DDDI_MAX_OBJECT_WAITED_ON || !values) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture(call, handles, count, sizeof *list->handles, &handle_copy);
    if (NT_SUCCESS(status)) {
        status = client_capture(call, values, count, sizeof *list->values, &value_copy);
    }
    *list = (struct fence_list){handle_copy, value_copy};
    return status;
}

NTSTATUS client_queue_fences(struct client_call *call, struct dxgk_context *context,
                             const struct client_fences *fences)
{
    struct fence_list list;
    struct objects objects;

    if (fences->count == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = decode_fences(call, fences->handles, fences->values, fences->count, &list);
    if (NT_SUCCESS(status)) {
        status = decode_for(call, context, list.handles, fences->count, &objects);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    const struct dxgk_sync_batch batch = {objects.list, list.values, objects.count, fences->signal};
    return dxgk_sync_queue_each(context, &batch);
}

static NTSTATUS queue_each(struct client_call *call, D3DKMT_HANDLE handle,
                           const struct client_fences *fences)
{
    struct dxgk_context *context = context_of(call, handle);

    return context ? client_queue_fences(call, context, fences) : NO_SUCH_OBJECT;
}

static NTSTATUS wait_gpu(struct client_call *call,
                         const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU *arguments)
{
    const struct client_fences fences = {
        .handles = arguments->ObjectHandleArray,
        .values = arguments->MonitoredFenceValueArray,
        .count = arguments->ObjectCount,
    };

    return queue_each(call, arguments->hContext, &fences);
}
CLIENT_CALL_IN(WaitForSynchronizationObjectFromGpu, wait_gpu,
               D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU)

static NTSTATUS signal_gpu(struct client_call *call,
                           const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU *arguments)
{
    const struct client_fences fences = {
        .handles = arguments->ObjectHandleArray,
        .values = arguments->MonitoredFenceValueArray,
        .count = arguments->ObjectCount,
        .signal = true,
    };

    return queue_each(call, arguments->hContext, &fences);
}
CLIENT_CALL_IN(SignalSynchronizationObjectFromGpu, signal_gpu,
               D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU)

static NTSTATUS signal_gpu_second(struct client_call *call,
                                  const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 *arguments)
{
    void *contexts;

    D3DDDICB_SIGNALFLAGS known = {.Value = 0};

    known.EnqueueCpuEvent = 1;
    if (arguments->Flags.Value & ~known.Value || arguments->BroadcastContextCount > 1) {
        return STATUS_NOT_SUPPORTED; /* linked adapters */
    }
    if (arguments->BroadcastContextCount == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status =
        client_capture(call, arguments->BroadcastContextArray, 1, sizeof(D3DKMT_HANDLE), &contexts);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (arguments->Flags.EnqueueCpuEvent) {
        return enqueue_event(call, *(const D3DKMT_HANDLE *)contexts, arguments->ObjectCount,
                             arguments->CpuEventHandle);
    }
    const struct client_fences fences = {
        .handles = arguments->ObjectHandleArray,
        .values = arguments->MonitoredFenceValueArray,
        .count = arguments->ObjectCount,
        .signal = true,
    };
    return queue_each(call, *(const D3DKMT_HANDLE *)contexts, &fences);
}
CLIENT_CALL_IN(SignalSynchronizationObjectFromGpu2, signal_gpu_second,
               D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2)

/* ---- From the CPU -------------------------------------------------------------------------- */

struct cpu_fences {
    D3DKMT_HANDLE device;
    const D3DKMT_HANDLE CLIENT *handles;
    const UINT64 CLIENT *values;
    UINT count;
};

static NTSTATUS decode_cpu_fences(struct client_call *call, const struct cpu_fences *given,
                                  struct fence_list *list, struct objects *objects)
{
    if (!device_of(call, given->device)) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = decode_fences(call, given->handles, given->values, given->count, list);
    return NT_SUCCESS(status) ? decode_objects(call, list->handles, given->count, objects) : status;
}

/* For all or for any; in the call, or by an event of the client's. One destroyed meanwhile ends its
 * wait. */
static NTSTATUS wait_cpu(struct client_call *call,
                         const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU *arguments)
{
    struct fence_list list;
    struct objects objects;

    if (arguments->Flags.Reserved) {
        return STATUS_NOT_SUPPORTED;
    }
    const struct cpu_fences given = {arguments->hDevice, arguments->ObjectHandleArray,
                                     arguments->FenceValueArray, arguments->ObjectCount};
    NTSTATUS status = decode_cpu_fences(call, &given, &list, &objects);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    const struct dxgk_sync_wait wait = {.objects = objects.list,
                                        .values = list.values,
                                        .count = objects.count,
                                        .any = arguments->Flags.WaitAny};
    return arguments->hAsyncEvent
               ? dxgk_sync_wait_event(call->process, &wait, arguments->hAsyncEvent)
               : dxgk_syncs_wait_cpu(&wait);
}
CLIENT_CALL_IN(WaitForSynchronizationObjectFromCpu, wait_cpu,
               D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU)

static NTSTATUS signal_cpu(struct client_call *call,
                           const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU *arguments)
{
    struct fence_list list;
    struct objects objects;

    if (arguments->Flags.Value) {
        return STATUS_NOT_SUPPORTED;
    }
    const struct cpu_fences given = {arguments->hDevice, arguments->ObjectHandleArray,
                                     arguments->FenceValueArray, arguments->ObjectCount};
    NTSTATUS status = decode_cpu_fences(call, &given, &list, &objects);
    const struct dxgk_sync_batch batch = {objects.list, list.values, objects.count, true};
    return NT_SUCCESS(status) ? dxgk_sync_signal_cpu(&batch) : status;
}
CLIENT_CALL_IN(SignalSynchronizationObjectFromCpu, signal_cpu,
               D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU)
