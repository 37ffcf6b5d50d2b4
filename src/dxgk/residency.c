/* What a device wants in place while it runs, and the paging queues by which it says so.
 *
 * A paging queue has a fence, which clients see as any other; vidmm says when its values are
 * reached. Requests that find no room at once are tried again by the worker, whenever something has
 * come free. */
#include "dxgk/work.h"

#include "machine/vary.h"

#include <stdlib.h>

/* ---- Devices --------------------------------------------------------------------------------- */

void dxgk_residency_begin(struct dxgk_device *device)
{
    struct dxgk_adapter *adapter = device->adapter;

    list_init(&device->residency.queues);
    list_init(&device->residency.submissions);
    if (device->process && adapter->mmu.present) {
        vidmm_residency_init(&device->residency.list, adapter->vidmm, &device->process->account);
        vidmm_residency_sees(&device->residency.list, &device->process->space.memory);
    }
}

void dxgk_residency_end_queues(struct dxgk_device *device)
{
    struct dxgk_life *life;

    while ((life = life_living(&device->residency.queues)) != NULL) {
        (void)dxgk_paging_queue_destroy(container_of(life, struct dxgk_paging_queue, life));
    }
}

void dxgk_residency_end(struct dxgk_device *device)
{
    vidmm_residency_fini(&device->residency.list);
}

void dxgk_residency_work(struct dxgk_adapter *adapter)
{
    uint64_t releases = vidmm_releases(adapter->vidmm);

    if (adapter->paging_queue_count > 0 && releases != adapter->paging_queue_releases) {
        adapter->paging_queue_releases = releases;
        (void)vidmm_queues_run(adapter->vidmm); /* what it queues is built next */
    }
}

/* ---- Paging queues --------------------------------------------------------------------------- */

/* Values come in order; after a loss the fence has reached every one already. */
void dxgk_signal_queue(struct vidmm *vidmm, struct vidmm_queue *base, uint64_t value)
{
    struct dxgk_paging_queue *queue = container_of(base, struct dxgk_paging_queue, queue);

    sync_signal(&queue->fence->core->object, value);
}

static void free_queue(struct dxgk_life *life)
{
    struct dxgk_paging_queue *queue = container_of(life, struct dxgk_paging_queue, life);

    if (queue->fence) {
        life_put(&queue->fence->life);
    }
    life_put(&queue->device->life);
    free(queue);
}

static NTSTATUS make_fence(struct dxgk_paging_queue *queue)
{
    const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info = {.Type = D3DDDI_MONITORED_FENCE};
    NTSTATUS status = dxgk_sync_create(queue->device, &info, &queue->fence);

    if (NT_SUCCESS(status)) {
        queue->fence->kernels_own = true;
        life_get(&queue->fence->life);
    }
    return status;
}

NTSTATUS dxgk_paging_queue_create(struct dxgk_device *device, int priority,
                                  struct dxgk_paging_queue **out)
{
    struct dxgk_adapter *adapter = device->adapter;

    if (!adapter->mmu.present) {
        return STATUS_NOT_SUPPORTED;
    }
    if (device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (device->life.state != LIFE_LIVING) {
        return STATUS_INVALID_HANDLE;
    }
    struct dxgk_paging_queue *queue = calloc(1, sizeof *queue);
    if (!queue) {
        return STATUS_NO_MEMORY;
    }
    life_init(&queue->life, DXGK_KIND_PAGING_QUEUE, free_queue);
    life_get(&device->life);
    queue->device = device;
    NTSTATUS status = make_fence(queue);
    if (NT_SUCCESS(status)) {
        queue->life.handle = dxgk_handle_new(DXGK_KIND_PAGING_QUEUE, &queue->life, device->process);
        if (!queue->life.handle) {
            (void)dxgk_sync_destroy(queue->fence);
            status = STATUS_NO_MEMORY;
        }
    }
    if (!NT_SUCCESS(status)) {
        life_put(&queue->life);
        return status;
    }
    vidmm_queue_init(&queue->queue, adapter->vidmm, priority);
    adapter->paging_queue_count++;
    list_push_back(&device->residency.queues, &queue->life.link);
    life_begin(&queue->life);
    dxgk_handle_show(queue->life.handle);
    *out = queue;
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_paging_queue_destroy(struct dxgk_paging_queue *queue)
{
    struct dxgk_device *device = queue->device;

    if (!life_end(&queue->life)) {
        return STATUS_INVALID_HANDLE;
    }
    life_wait_unused(&queue->life);
    vidmm_queue_fini(&queue->queue);
    device->adapter->paging_queue_count--;
    (void)dxgk_sync_destroy(queue->fence); /* the device may have ended it before */
    life_unlink(&queue->life);
    dxgk_device_child_gone(device);
    life_put(&queue->life);
    return STATUS_SUCCESS;
}

D3DKMT_HANDLE dxgk_paging_queue_handle(const struct dxgk_paging_queue *queue)
{
    return queue->life.handle;
}

struct dxgk_device *dxgk_paging_queue_device(const struct dxgk_paging_queue *queue)
{
    return queue->device;
}

struct dxgk_sync *dxgk_paging_queue_fence(const struct dxgk_paging_queue *queue)
{
    return queue->fence;
}

/* ---- Making resident ------------------------------------------------------------------------- */

/* As vidmm names them; free() it. NULL: no memory. */
static struct vidmm_allocation **allocations_of(struct dxgk_opening *const *openings, UINT count)
{
    struct vidmm_allocation **allocations = calloc(count, sizeof *allocations);

    for (UINT i = 0; allocations && i < count; i++) {
        allocations[i] = &openings[i]->allocation->memory;
    }
    return allocations;
}

static bool all_live(struct dxgk_opening *const *openings, UINT count)
{
    for (UINT i = 0; i < count; i++) {
        if (openings[i]->life.state != LIFE_LIVING) {
            return false;
        }
    }
    return true;
}

static NTSTATUS make_resident(struct dxgk_paging_queue *queue,
                              struct dxgk_residency_request *request)
{
    struct dxgk_device *device = queue->device;
    struct vidmm_allocation **allocations = allocations_of(request->openings, request->count);
    struct vidmm_make_result result = {0};

    if (!allocations) {
        return STATUS_NO_MEMORY;
    }
    const struct vidmm_make_request wanted = {
        .allocations = allocations,
        .count = request->count,
        .flags = (request->cant_trim ? VIDMM_MAKE_CANT_TRIM : 0u) |
                 (request->must_succeed ? VIDMM_MAKE_MUST_SUCCEED : 0u),
    };
    NTSTATUS status = vidmm_make_resident(&queue->queue, &device->residency.list, &wanted, &result);
    free(allocations);
    KERNEL_DUTY(RES_004, (status == STATUS_PENDING) == (result.fence_value != 0));
    request->fence_value = result.fence_value;
    request->trim_bytes = result.trim_bytes;
    dxgk_paging_kick(device->adapter);
    return status;
}

/* Between the look at the openings and the list nothing switches. */
NTSTATUS dxgk_make_resident(struct dxgk_paging_queue *queue, struct dxgk_residency_request *request)
{
    struct dxgk_device *device = queue->device;

    dxgk_wait_awake();
    if (device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (queue->life.state != LIFE_LIVING || !all_live(request->openings, request->count)) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = make_resident(queue, request);
    if (!NT_SUCCESS(status) && request->must_succeed) {
        dxgk_device_lose_soon(device, D3DKMT_DEVICEEXECUTION_ERROR_OUTOFMEMORY);
    }
    return status;
}

/* As if its room were wanted; where another device has it, or work uses it, it stays. */
static void let_go_at_once(struct vidmm_allocation *allocation)
{
    struct vidmm_wait wait;

    if (vary_happens(VARY_EVICTED_AT_ONCE, 2)) {
        NTSTATUS status = vidmm_evict(allocation, &wait);
        record_count("residency.evicted_at_once", status == STATUS_SUCCESS);
    }
}

NTSTATUS dxgk_evict_list(struct dxgk_device *device, struct dxgk_opening *const *openings,
                         UINT count, UINT64 *trim_bytes)
{
    uint64_t trim = 0;

    if (!device->adapter->mmu.present || device->residency.list.size_bytes == 0) {
        return STATUS_NOT_SUPPORTED;
    }
    if (device->life.state != LIFE_LIVING || !all_live(openings, count)) {
        return STATUS_INVALID_HANDLE;
    }
    struct vidmm_allocation **allocations = allocations_of(openings, count);
    NTSTATUS status = allocations
                          ? vidmm_evict_list(&device->residency.list, allocations, count, &trim)
                          : STATUS_NO_MEMORY;
    for (UINT i = 0; i < count && NT_SUCCESS(status); i++) {
        let_go_at_once(allocations[i]);
    }
    free(allocations);
    dxgk_paging_kick(device->adapter);
    *trim_bytes = trim;
    dxgk_memory_changed(device->adapter); /* somebody may have waited for the room */
    return status;
}

/* ---- Reclaiming ------------------------------------------------------------------------------ */

NTSTATUS dxgk_reclaim_list(struct dxgk_paging_queue *queue, struct dxgk_reclaim_request *request)
{
    struct dxgk_device *device = queue->device;

    dxgk_wait_awake();
    if (device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (queue->life.state != LIFE_LIVING || !all_live(request->openings, request->count)) {
        return STATUS_INVALID_HANDLE;
    }
    struct vidmm_allocation **allocations = allocations_of(request->openings, request->count);
    if (!allocations) {
        return STATUS_NO_MEMORY;
    }
    const struct vidmm_reclaim_request wanted = {
        .allocations = allocations, .count = request->count, .discarded = request->discarded};
    NTSTATUS status =
        vidmm_reclaim_list(&queue->queue, &device->residency.list, &wanted, &request->fence_value);
    free(allocations);
    dxgk_paging_kick(device->adapter);
    return status;
}

/* ---- What a process has ---------------------------------------------------------------------- */

NTSTATUS dxgk_process_memory(struct dxgk_process *process, struct dxgk_adapter *adapter,
                             unsigned group, struct dxgk_memory_info *info)
{
    struct vidmm_account_info account;
    struct vidmm_account passing;

    if (!adapter->vidmm) {
        return STATUS_NOT_SUPPORTED;
    }
    if (process->memory_ready) {
        vidmm_account_info(&process->account, (enum vidmm_group)group, &account);
    } else { /* what it would have */
        vidmm_account_init(&passing, adapter->vidmm);
        vidmm_account_info(&passing, (enum vidmm_group)group, &account);
        vidmm_account_fini(&passing);
    }
    *info = (struct dxgk_memory_info){account.budget_bytes, account.usage_bytes,
                                      account.reservation_bytes, account.reservable_bytes};
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_process_reserve(struct dxgk_process *process, struct dxgk_adapter *adapter,
                              unsigned group, UINT64 bytes)
{
    if (!adapter->vidmm) {
        return STATUS_NOT_SUPPORTED;
    }
    NTSTATUS status = dxgk_process_enter(process, adapter);
    if (NT_SUCCESS(status)) {
        status = vidmm_account_reserve(&process->account, (enum vidmm_group)group, bytes);
        dxgk_memory_changed(adapter);
    }
    return status;
}

UINT64 dxgk_process_trim(struct dxgk_process *process, UINT64 wanted_bytes, bool only_out)
{
    const struct vidmm_trim trim = {.wanted_bytes = wanted_bytes, .only_out = only_out};
    struct dxgk_adapter *adapter = dxgk_adapter_first();

    if (!process->memory_ready || !adapter) {
        return 0;
    }
    dxgk_wait_awake();
    UINT64 bytes = vidmm_account_trim(&process->account, &trim);
    dxgk_memory_changed(adapter);
    dxgk_paging_kick(adapter);
    return bytes;
}
