/* Synchronisation objects of clients: waited for and signalled on a context's time line. */
#include "dxgk/fence_memory.h"
#include "dxgk/native.h"
#include "dxgk/periodic.h"
#include "dxgk/share.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

static void notify_event(struct sync_object *object, uint64_t value)
{
    nt_event_signal(container_of(object, struct dxgk_sync_core, object)->event);
}

/* ---- What is shared -------------------------------------------------------------------------- */

static NTSTATUS init_object(struct dxgk_sync_core *core, const struct dxgk_process *process,
                            const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info)
{
    struct sync_domain *domain = &core->adapter->sync_domain;

    switch (info->Type) {
    case D3DDDI_SYNCHRONIZATION_MUTEX:
        sync_mutex_init(&core->object, domain, info->SynchronizationMutex.InitialState);
        return STATUS_SUCCESS;
    case D3DDDI_SEMAPHORE:
        if (info->Semaphore.InitialCount > info->Semaphore.MaxCount) {
            return STATUS_INVALID_PARAMETER;
        }
        sync_semaphore_init(&core->object, domain, info->Semaphore.InitialCount,
                            info->Semaphore.MaxCount);
        return STATUS_SUCCESS;
    case D3DDDI_FENCE:
        sync_fence_init(&core->object, domain, info->Fence.FenceValue);
        return STATUS_SUCCESS;
    case D3DDDI_MONITORED_FENCE:
    case D3DDDI_PERIODIC_MONITORED_FENCE:
    case D3DDDI_NATIVE_FENCE:
        if (!core->adapter->features.wddm2) {
            return STATUS_NOT_SUPPORTED;
        }
        core->memory = nt_memory_client(sizeof *core->memory, "the value of a fence");
        sync_fence_init(&core->object, domain, info->MonitoredFence.InitialFenceValue);
        if (core->memory) {
            sync_fence_attach(&core->object, core->memory);
        }
        return core->memory ? STATUS_SUCCESS : STATUS_NO_MEMORY;
    case D3DDDI_CPU_NOTIFICATION:
        if (!dxgk_event_find(process, info->CPUNotification.Event, &core->event)) {
            return STATUS_INVALID_HANDLE;
        }
        sync_notification_init(&core->object, domain, notify_event);
        return STATUS_SUCCESS;
    default:
        return STATUS_INVALID_PARAMETER;
    }
}

static void free_core(struct dxgk_life *life)
{
    struct dxgk_sync_core *core = container_of(life, struct dxgk_sync_core, life);

    sync_object_fini(&core->object, STATUS_INVALID_HANDLE); /* nobody waits */
    if (core->event) {
        nt_object_put(core->event);
    }
    nt_memory_free(core->memory);
    free(core);
}

static NTSTATUS new_core(struct dxgk_device *device, const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info,
                         struct dxgk_sync_core **out)
{
    struct dxgk_sync_core *core = calloc(1, sizeof *core);

    if (!core) {
        return STATUS_NO_MEMORY;
    }
    life_init(&core->life, DXGK_KIND_SHARED_SYNC, free_core);
    core->adapter = device->adapter;
    core->type = info->Type;
    core->flags = info->Flags;
    NTSTATUS status = init_object(core, device->process, info);
    if (NT_SUCCESS(status) && info->Flags.Shared && !info->Flags.NtSecuritySharing) {
        core->life.handle = dxgk_handle_new(DXGK_KIND_SHARED_SYNC, &core->life, NULL);
        status = core->life.handle ? STATUS_SUCCESS : STATUS_NO_MEMORY;
    }
    if (!NT_SUCCESS(status)) {
        life_put(&core->life);
        return status;
    }
    life_begin(&core->life);
    if (core->life.handle) {
        dxgk_handle_show(core->life.handle);
    }
    *out = core;
    return STATUS_SUCCESS;
}

bool dxgk_sync_core_open(struct dxgk_sync_core *core)
{
    return life_open(&core->life, &core->open_count);
}

void dxgk_sync_core_close(struct dxgk_sync_core *core)
{
    if (life_close(&core->life, &core->open_count)) {
        /* Contexts and tasks that wait for it are let go: it can no longer be signalled. */
        sync_object_lose(&core->object);
        dxgk_native_end(core);
        dxgk_periodic_end(core);
        if (core->page) {
            sync_fence_attach(&core->object, NULL);
            core->memory = NULL;
            dxgk_fence_memory_put(core->page);
            core->page = NULL;
        }
        life_put(&core->life); /* its maker's */
    }
    life_put(&core->life);
}

/* ---- Openings -------------------------------------------------------------------------------- */

static void free_sync(struct dxgk_life *life)
{
    struct dxgk_sync *sync = container_of(life, struct dxgk_sync, life);

    if (sync->core) {
        life_put(&sync->core->life);
    }
    if (sync->device) {
        life_put(&sync->device->life);
    }
    free(sync);
}

/* Linked and shown. `how->device` may be NULL. */
static NTSTATUS open_core(const struct dxgk_sync_opening *how, struct dxgk_sync_core *core,
                          struct dxgk_sync **out)
{
    struct dxgk_device *device = how->device;
    struct dxgk_process *process = device ? device->process : how->process;
    struct dxgk_sync *sync;

    if ((device && device->life.state != LIFE_LIVING) || !dxgk_sync_core_open(core)) {
        return STATUS_INVALID_HANDLE;
    }
    sync = calloc(1, sizeof *sync);
    if (!sync) {
        dxgk_sync_core_close(core);
        return STATUS_NO_MEMORY;
    }
    life_init(&sync->life, DXGK_KIND_SYNC, free_sync);
    sync->device = device;
    if (device) {
        life_get(&device->life);
    }
    sync->core = core;
    life_get(&core->life);
    sync->flags = how->flags;
    sync->life.handle = dxgk_handle_new(DXGK_KIND_SYNC, &sync->life, process);
    if (!sync->life.handle) {
        dxgk_sync_core_close(core);
        life_put(&sync->life);
        return STATUS_NO_MEMORY;
    }
    life_link(device ? &device->syncs : &process->syncs, &sync->life);
    life_begin(&sync->life);
    dxgk_handle_show(sync->life.handle);
    bool nobody_signals = device ? device->lost : !dxgk_adapter_has_hardware(core->adapter);
    if (nobody_signals && core->type != D3DDDI_CPU_NOTIFICATION) {
        dxgk_sync_lose(sync);
    }
    *out = sync;
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_sync_create(struct dxgk_device *device, const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info,
                          struct dxgk_sync **out)
{
    const struct dxgk_sync_opening how = {.device = device, .flags = info->Flags};
    struct dxgk_sync_core *core;

    if (device->life.state != LIFE_LIVING) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = new_core(device, info, &core);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    CHECK_THAT(dxgk_sync_core_open(core)); /* while it is opened */
    status = open_core(&how, core, out);
    dxgk_sync_core_close(core);
    return status;
}

NTSTATUS dxgk_sync_open(const struct dxgk_sync_opening *how, struct dxgk_sync_core *core,
                        struct dxgk_sync **out)
{
    if (how->device && how->device->adapter != core->adapter) {
        return STATUS_INVALID_PARAMETER;
    }
    if (how->device && how->device->lost) {
        return STATUS_DEVICE_REMOVED; /* others go on with it */
    }
    return open_core(how, core, out);
}

D3DKMT_HANDLE dxgk_sync_shared_handle(const struct dxgk_sync *sync)
{
    return sync->core->life.handle;
}

struct dxgk_sync_core *dxgk_sync_shared(const struct dxgk_sync *sync)
{
    return sync->core;
}

bool dxgk_sync_has_nt_security(const struct dxgk_sync *sync)
{
    return sync->core->flags.NtSecuritySharing;
}

void dxgk_sync_lose(struct dxgk_sync *sync)
{
    struct dxgk_sync_core *core = sync->core;
    bool spared = core->flags.NoSignalMaxValueOnTdr || sync->flags.NoSignalMaxValueOnTdr ||
                  sync->flags.NoSignal; /* who may not signal it leaves nobody waiting */

    if (!spared || !dxgk_sync_is_monitored(core)) {
        sync_object_lose(&core->object);
    }
    KERNEL_DUTY(FENCE_004, spared || core->object.kind != SYNC_FENCE ||
                               sync_fence_value(&core->object) == SYNC_VALUE_LOST);
}

bool dxgk_sync_is_of_queue(const struct dxgk_sync *sync)
{
    return sync->kernels_own;
}

bool dxgk_sync_may_signal(const struct dxgk_sync *sync)
{
    return !sync->kernels_own && sync->core->type != D3DDDI_PERIODIC_MONITORED_FENCE &&
           !(sync->flags.NoSignal && dxgk_sync_is_monitored(sync->core));
}

bool dxgk_sync_may_wait(const struct dxgk_sync *sync)
{
    return !(sync->flags.NoWait && dxgk_sync_is_monitored(sync->core));
}

UINT64 *dxgk_sync_memory(const struct dxgk_sync *sync)
{
    return sync->core->memory;
}

NTSTATUS dxgk_sync_destroy(struct dxgk_sync *sync)
{
    if (!life_end(&sync->life)) {
        return STATUS_INVALID_HANDLE;
    }
    life_unlink(&sync->life);
    dxgk_native_close(sync);
    if (sync->view) {
        dxgk_fence_view_close(sync->view);
        sync->view = NULL;
    }
    if (sync->device) {
        dxgk_device_child_gone(sync->device);
    }
    dxgk_sync_core_close(sync->core);
    life_put(&sync->life);
    return STATUS_SUCCESS;
}

/* ---- The roads: waits and signals on a context's time line --------------------------------- */

/* Nothing of them goes to the hardware: the scheduler ends them by itself when their turn comes. */

/* Those of a batch that the driver signals go to it together. */
static void signal_all(const struct dxgk_sync_batch *batch)
{
    for (UINT i = 0, taken; i < batch->count; i += taken) {
        taken = dxgk_natives_signal(batch, i);
        if (taken == 0) {
            sync_signal(&batch->objects[i]->core->object, batch->values[i]);
            taken = 1;
        }
    }
}

static void wait_done(struct dxgk_packet *packet, NTSTATUS status)
{
    life_put(&packet->sync.object->life);
    packet->sync.object = NULL;
}

static void signal_done(struct dxgk_packet *packet, NTSTATUS status)
{
    if (NT_SUCCESS(status)) {
        signal_all(&(struct dxgk_sync_batch){
            .objects = &packet->sync.object, .values = &packet->sync.value, .count = 1});
    }
    wait_done(packet, status);
}

static const struct dxgk_road wait_road = {
    .name = "wait",
    .kind = VIDSCH_PACKET_WAIT,
    .done = wait_done,
};

const struct dxgk_road dxgk_road_signal = {
    .name = "signal",
    .kind = VIDSCH_PACKET_SIGNAL,
    .done = signal_done,
};

/* One call's work: each object is waited for, or signalled, with the value. */
struct batch {
    const struct dxgk_road *road;
    struct dxgk_sync *const *objects;
    UINT count;
    UINT64 value;
    const UINT64 *values; /* of each its own, instead; or NULL */
};

static void fill_packet(struct dxgk_packet *packet, const struct batch *batch, UINT index)
{
    struct dxgk_sync *sync = batch->objects[index];
    UINT64 value = batch->values ? batch->values[index] : batch->value;

    life_get(&sync->life);
    packet->sync.object = sync;
    packet->sync.value = value;
    if (batch->road == &wait_road) {
        packet->sync.item = (struct sync_item){.object = &sync->core->object, .value = value};
        packet->vidsch.waits = &packet->sync.item;
        packet->vidsch.wait_count = 1;
    }
}

/* All of a call, or none: no context waits for half of what its client named. */
static NTSTATUS queue_packets(struct dxgk_context *context, const struct batch *batch)
{
    struct dxgk_packet *packets[D3DDDI_MAX_OBJECT_WAITED_ON];
    UINT count = 0;

    CHECK_THAT(batch->count <= D3DDDI_MAX_OBJECT_WAITED_ON);
    if (!dxgk_packet_has_room(context, batch->count)) {
        return STATUS_NO_MEMORY;
    }
    while (count < batch->count && (packets[count] = dxgk_packet_new(context, batch->road))) {
        count++;
    }
    if (count < batch->count) {
        while (count > 0) {
            dxgk_packet_free(packets[--count]);
        }
        return STATUS_NO_MEMORY;
    }
    for (UINT i = 0; i < count; i++) {
        fill_packet(packets[i], batch, i);
    }
    for (UINT i = 0; i < count; i++) {
        dxgk_packet_push(packets[i]);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS queue_all(struct dxgk_context *context, const struct batch *batch)
{
    if (context->device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    for (UINT i = 0; i < batch->count; i++) {
        if (batch->road == &wait_road && batch->objects[i]->core->type == D3DDDI_CPU_NOTIFICATION) {
            return STATUS_INVALID_PARAMETER;
        }
        if (batch->road == &wait_road ? !dxgk_sync_may_wait(batch->objects[i])
                                      : !dxgk_sync_may_signal(batch->objects[i])) {
            return STATUS_ACCESS_DENIED;
        }
    }
    if (!life_enter(&context->life)) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = queue_packets(context, batch);
    life_leave(&context->life);
    return status;
}

NTSTATUS dxgk_sync_wait_gpu(struct dxgk_context *context, struct dxgk_sync *const *objects,
                            UINT count, UINT64 fence_value)
{
    const struct batch batch = {&wait_road, objects, count, fence_value, NULL};

    return queue_all(context, &batch);
}

NTSTATUS dxgk_sync_signal_gpu(struct dxgk_context *context, struct dxgk_sync *const *objects,
                              UINT count, UINT64 fence_value)
{
    const struct batch batch = {&dxgk_road_signal, objects, count, fence_value, NULL};

    return queue_all(context, &batch);
}

NTSTATUS dxgk_sync_queue_each(struct dxgk_context *context, const struct dxgk_sync_batch *wanted)
{
    const struct batch batch = {.road = wanted->signal ? &dxgk_road_signal : &wait_road,
                                .objects = wanted->objects,
                                .count = wanted->count,
                                .values = wanted->values};

    return queue_all(context, &batch);
}

NTSTATUS dxgk_sync_signal_cpu(const struct dxgk_sync_batch *batch)
{
    for (UINT i = 0; i < batch->count; i++) {
        if (!dxgk_sync_may_signal(batch->objects[i])) {
            return STATUS_ACCESS_DENIED;
        }
    }
    signal_all(batch);
    return STATUS_SUCCESS;
}
