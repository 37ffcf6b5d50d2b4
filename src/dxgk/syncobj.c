/* Synchronisation objects of clients: waited for and signalled on a context's time line. */
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

static void notify_event(struct sync_object *object, uint64_t value)
{
    struct dxgk_sync *sync = container_of(object, struct dxgk_sync, object);
    struct _KEVENT *event;

    if (nt_event_from_handle((uint64_t)(uintptr_t)sync->event, &event)) {
        nt_event_signal(event);
        nt_object_put(event);
    }
}

static NTSTATUS init_object(struct dxgk_sync *sync, const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info)
{
    struct sync_domain *domain = &sync->device->adapter->sync_domain;

    switch (info->Type) {
    case D3DDDI_SYNCHRONIZATION_MUTEX:
        sync_mutex_init(&sync->object, domain, info->SynchronizationMutex.InitialState);
        return STATUS_SUCCESS;
    case D3DDDI_SEMAPHORE:
        if (info->Semaphore.InitialCount > info->Semaphore.MaxCount) {
            return STATUS_INVALID_PARAMETER;
        }
        sync_semaphore_init(&sync->object, domain, info->Semaphore.InitialCount,
                            info->Semaphore.MaxCount);
        return STATUS_SUCCESS;
    case D3DDDI_FENCE:
        sync_fence_init(&sync->object, domain, info->Fence.FenceValue);
        return STATUS_SUCCESS;
    case D3DDDI_MONITORED_FENCE:
        if (!sync->device->adapter->features.wddm2) {
            return STATUS_NOT_SUPPORTED;
        }
        sync->memory = nt_memory_alloc(sizeof *sync->memory, 0);
        sync_fence_init(&sync->object, domain, info->MonitoredFence.InitialFenceValue);
        if (sync->memory) {
            sync_fence_attach(&sync->object, sync->memory);
        }
        return sync->memory ? STATUS_SUCCESS : STATUS_NO_MEMORY;
    case D3DDDI_CPU_NOTIFICATION:
        sync->event = info->CPUNotification.Event;
        sync_notification_init(&sync->object, domain, notify_event);
        return STATUS_SUCCESS;
    default:
        return STATUS_INVALID_PARAMETER;
    }
}

static void free_sync(struct dxgk_life *life)
{
    struct dxgk_sync *sync = container_of(life, struct dxgk_sync, life);

    sync_object_fini(&sync->object, STATUS_INVALID_HANDLE); /* nobody waits */
    nt_memory_free(sync->memory);
    life_put(&sync->device->life);
    free(sync);
}

NTSTATUS dxgk_sync_create(struct dxgk_device *device, const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info,
                          struct dxgk_sync **out)
{
    struct dxgk_sync *sync = calloc(1, sizeof *sync);
    NTSTATUS status;

    if (!sync) {
        return STATUS_NO_MEMORY;
    }
    life_init(&sync->life, DXGK_KIND_SYNC, free_sync);
    life_get(&device->life);
    sync->device = device;
    sync->type = info->Type;
    sync->flags = info->Flags;
    status = device->life.state == LIFE_LIVING ? init_object(sync, info) : STATUS_INVALID_HANDLE;
    if (NT_SUCCESS(status)) {
        sync->life.handle = dxgk_handle_new(DXGK_KIND_SYNC, &sync->life, device->process);
        status = sync->life.handle ? STATUS_SUCCESS : STATUS_NO_MEMORY;
    }
    if (!NT_SUCCESS(status)) {
        life_put(&sync->life);
        return status;
    }
    list_push_back(&device->syncs, &sync->life.link);
    life_begin(&sync->life);
    dxgk_handle_show(sync->life.handle);
    if (device->lost && info->Type != D3DDDI_CPU_NOTIFICATION) {
        dxgk_sync_lose(sync); /* nobody will signal it */
    }
    *out = sync;
    return STATUS_SUCCESS;
}

void dxgk_sync_lose(struct dxgk_sync *sync)
{
    if (!sync->flags.NoSignalMaxValueOnTdr || sync->type != D3DDDI_MONITORED_FENCE) {
        sync_object_lose(&sync->object); /* [FENCE-004] */
    }
}

bool dxgk_sync_is_of_queue(const struct dxgk_sync *sync)
{
    return sync->kernels_own;
}

/* What its maker ruled out [FENCE-005]; of a paging queue's, the kernel. */
static bool may_signal(const struct dxgk_sync *sync)
{
    return !sync->kernels_own && !(sync->flags.NoSignal && sync->type == D3DDDI_MONITORED_FENCE);
}

static bool may_wait(const struct dxgk_sync *sync)
{
    return !(sync->flags.NoWait && sync->type == D3DDDI_MONITORED_FENCE);
}

UINT64 *dxgk_sync_memory(const struct dxgk_sync *sync)
{
    return sync->memory;
}

NTSTATUS dxgk_sync_destroy(struct dxgk_sync *sync)
{
    if (!life_end(&sync->life)) {
        return STATUS_INVALID_HANDLE;
    }
    life_unlink(&sync->life);
    dxgk_device_child_gone(sync->device);
    /* Contexts and tasks that wait for it are let go: it can no longer be signalled. */
    sync_object_lose(&sync->object);
    life_put(&sync->life);
    return STATUS_SUCCESS;
}

/* ---- The roads: waits and signals on a context's time line --------------------------------- */

/* Nothing of them goes to the hardware: the scheduler ends them by itself when their turn comes. */

static void wait_done(struct dxgk_packet *packet, NTSTATUS status)
{
    life_put(&packet->sync.object->life);
    packet->sync.object = NULL;
}

static void signal_done(struct dxgk_packet *packet, NTSTATUS status)
{
    if (NT_SUCCESS(status)) {
        sync_signal(&packet->sync.object->object, packet->sync.value);
    }
    wait_done(packet, status);
}

static const struct dxgk_road wait_road = {
    .name = "wait",
    .kind = VIDSCH_PACKET_WAIT,
    .done = wait_done,
};

static const struct dxgk_road signal_road = {
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
};

static NTSTATUS queue_one(struct dxgk_context *context, const struct batch *batch, UINT index)
{
    struct dxgk_sync *sync = batch->objects[index];
    struct dxgk_packet *packet = dxgk_packet_new(context, batch->road);

    if (!packet) {
        return STATUS_NO_MEMORY;
    }
    life_get(&sync->life);
    packet->sync.object = sync;
    packet->sync.value = batch->value;
    if (batch->road == &wait_road) {
        packet->sync.item = (struct sync_item){.object = &sync->object, .value = batch->value};
        packet->vidsch.waits = &packet->sync.item;
        packet->vidsch.wait_count = 1;
    }
    dxgk_packet_push(packet);
    return STATUS_SUCCESS;
}

static NTSTATUS queue_all(struct dxgk_context *context, const struct batch *batch)
{
    NTSTATUS status = STATUS_SUCCESS;

    if (context->device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    for (UINT i = 0; i < batch->count; i++) {
        if (batch->road == &wait_road && batch->objects[i]->type == D3DDDI_CPU_NOTIFICATION) {
            return STATUS_INVALID_PARAMETER;
        }
        if (batch->road == &wait_road ? !may_wait(batch->objects[i])
                                      : !may_signal(batch->objects[i])) {
            return STATUS_ACCESS_DENIED;
        }
    }
    if (!life_enter(&context->life)) {
        return STATUS_INVALID_HANDLE;
    }
    for (UINT i = 0; i < batch->count && NT_SUCCESS(status); i++) {
        status = queue_one(context, batch, i);
    }
    life_leave(&context->life);
    return status;
}

NTSTATUS dxgk_sync_wait_gpu(struct dxgk_context *context, struct dxgk_sync *const *objects,
                            UINT count, UINT64 fence_value)
{
    const struct batch batch = {&wait_road, objects, count, fence_value};

    return queue_all(context, &batch);
}

NTSTATUS dxgk_sync_signal_gpu(struct dxgk_context *context, struct dxgk_sync *const *objects,
                              UINT count, UINT64 fence_value)
{
    const struct batch batch = {&signal_road, objects, count, fence_value};

    return queue_all(context, &batch);
}

/* Who waits on a CPU for as long as it takes, on the stack of his call. */
struct cpu_wait {
    struct list link;
    struct task *task;
};

static struct list cpu_waits = {&cpu_waits, &cpu_waits};

bool dxgk_sync_task_waits(const struct task *task)
{
    list_for_each (link, &cpu_waits) {
        if (container_of(link, struct cpu_wait, link)->task == task) {
            return task_is_blocked(task);
        }
    }
    return false;
}

static NTSTATUS wait_for_ever(struct sync_item *item)
{
    struct cpu_wait wait = {.task = task_self()};

    list_push_back(&cpu_waits, &wait.link);
    NTSTATUS status = sync_wait_block(item, 1, false, MACHINE_NEVER, NULL);
    list_remove(&wait.link);
    return status;
}

NTSTATUS dxgk_sync_wait_cpu(struct dxgk_sync *sync, UINT64 value, uint64_t deadline_ns)
{
    struct sync_item item = {.object = &sync->object, .value = value};

    if (sync->life.state != LIFE_LIVING) {
        return STATUS_INVALID_HANDLE;
    }
    if (sync->type == D3DDDI_CPU_NOTIFICATION) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!may_wait(sync)) {
        return STATUS_ACCESS_DENIED;
    }
    return deadline_ns == MACHINE_NEVER ? wait_for_ever(&item)
                                        : sync_wait_block(&item, 1, false, deadline_ns, NULL);
}

NTSTATUS dxgk_sync_signal_cpu(struct dxgk_sync *sync, UINT64 value)
{
    if (!may_signal(sync)) {
        return STATUS_ACCESS_DENIED;
    }
    sync_signal(&sync->object, value);
    return STATUS_SUCCESS;
}
