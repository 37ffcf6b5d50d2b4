/* GPU virtual addresses of clients: given, mapped and freed in the space of their process. */
#include "dxgk/work.h"

bool dxgk_opening_is_listed(const struct dxgk_opening *opening)
{
    return !(opening->allocation->memory.flags & VIDMM_ALLOCATION_VIRTUAL);
}

/* Calls name the adapter that the process uses. Addresses that are the CPU's nobody gives out. */
static struct dxgk_space *space_on(struct dxgk_process *process, const struct dxgk_adapter *adapter)
{
    return process->memory_ready && process->space.adapter == adapter &&
                   process->space.has_addresses && !dxgk_mmu_is_the_cpus(&adapter->mmu)
               ? &process->space
               : NULL;
}

/* When the queue's fence says that a sequence is reached; *value is 0 if it is. */
static NTSTATUS tell_when(struct dxgk_paging_queue *queue, uint64_t sequence, UINT64 *value)
{
    uint64_t fence_value = 0;
    NTSTATUS status = vidmm_queue_after(&queue->queue, sequence, &fence_value);

    *value = fence_value;
    dxgk_paging_kick(queue->device->adapter);
    return status;
}

uint32_t dxgk_protection(D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE protection)
{
    return (protection.Write ? VIDMM_PROTECT_WRITE : 0u) |
           (protection.Execute ? VIDMM_PROTECT_EXECUTE : 0u) |
           (protection.Zero ? VIDMM_PROTECT_ZERO : 0u) |
           (protection.NoAccess ? VIDMM_PROTECT_NO_ACCESS : 0u);
}

/* An allocation, or one of the two that stand for none. */
static bool makes_sense(const struct dxgk_map_request *request)
{
    D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE protection = request->protection;
    bool nothing = protection.Zero || protection.NoAccess;

    return !protection.Reserved && !protection.SystemUseOnly &&
           !(protection.Zero && protection.NoAccess) && nothing == !request->opening;
}

static NTSTATUS map_inside(struct dxgk_paging_queue *queue, struct dxgk_map_request *request)
{
    struct dxgk_space *space = &queue->device->process->space;
    const struct vidmm_map_request wanted = {
        .allocation = request->opening ? &request->opening->allocation->memory : NULL,
        .base = request->base,
        .minimum = request->minimum,
        .maximum = request->maximum,
        .page_first = request->page_first,
        .page_count = request->page_count,
        .protection = dxgk_protection(request->protection),
        .driver_protection = request->driver_protection,
    };
    struct vidmm_wait wait = {0};
    uint64_t address = 0;
    NTSTATUS status = dxgk_space_need_root(space);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    while ((status = vidmm_space_map(&space->memory, &wanted, &address, &wait)) == STATUS_PENDING) {
        dxgk_wait_memory(space->adapter, &wait, MACHINE_NEVER);
    }
    if (NT_SUCCESS(status)) {
        request->address = address;
        status = tell_when(queue, wait.paging_sequence, &request->fence_value);
    }
    return status;
}

NTSTATUS dxgk_map_addresses(struct dxgk_paging_queue *queue, struct dxgk_map_request *request)
{
    dxgk_wait_awake();
    if (dxgk_mmu_is_the_cpus(&queue->device->adapter->mmu)) {
        return STATUS_NOT_SUPPORTED; /* addresses are the CPU's */
    }
    if (!makes_sense(request)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (queue->device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!life_enter(&queue->life)) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = STATUS_INVALID_HANDLE;
    if (!request->opening || life_enter(&request->opening->life)) {
        status = map_inside(queue, request);
        if (request->opening) {
            life_leave(&request->opening->life);
        }
    }
    life_leave(&queue->life);
    return status;
}

static NTSTATUS reserve_inside(struct dxgk_space *space, struct dxgk_paging_queue *queue,
                               struct dxgk_reserve_request *request)
{
    const struct vidmm_reserve_request wanted = {
        .base = request->base,
        .minimum = request->minimum,
        .maximum = request->maximum,
        .size_bytes = request->size_bytes,
        .protection = request->zero ? VIDMM_PROTECT_ZERO : VIDMM_PROTECT_NO_ACCESS,
        .driver_protection = request->driver_protection,
    };
    struct vidmm_wait wait = {0};
    uint64_t address = 0;
    NTSTATUS status = dxgk_space_need_root(space);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    while ((status = vidmm_space_reserve(&space->memory, &wanted, &address, &wait)) ==
           STATUS_PENDING) {
        dxgk_wait_memory(space->adapter, &wait, MACHINE_NEVER);
    }
    if (NT_SUCCESS(status)) {
        request->address = address;
        status = queue ? tell_when(queue, wait.paging_sequence, &request->fence_value)
                       : dxgk_wait_paging(space->adapter, wait.paging_sequence, MACHINE_NEVER);
    }
    return status;
}

NTSTATUS dxgk_reserve_addresses(struct dxgk_process *process, struct dxgk_adapter *adapter,
                                struct dxgk_paging_queue *queue,
                                struct dxgk_reserve_request *request)
{
    struct dxgk_space *space = space_on(process, adapter);

    dxgk_wait_awake();
    request->fence_value = 0;
    if (!space) {
        return STATUS_NOT_SUPPORTED;
    }
    if (queue && queue->device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (queue && !life_enter(&queue->life)) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = reserve_inside(space, queue, request);
    if (queue) {
        life_leave(&queue->life);
    }
    return status;
}

NTSTATUS dxgk_free_addresses(struct dxgk_process *process, struct dxgk_adapter *adapter,
                             D3DGPU_VIRTUAL_ADDRESS base, UINT64 size_bytes)
{
    struct dxgk_space *space = space_on(process, adapter);
    struct vidmm_wait wait = {0};
    NTSTATUS status;

    dxgk_wait_awake();
    if (!space) {
        return STATUS_NOT_SUPPORTED;
    }
    while ((status = vidmm_space_free(&space->memory, base, size_bytes, &wait)) == STATUS_PENDING) {
        dxgk_wait_memory(adapter, &wait, MACHINE_NEVER);
    }
    dxgk_paging_kick(adapter); /* the flush is ahead of whatever shows something there again */
    return status;
}
