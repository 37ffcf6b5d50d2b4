/* Addresses of memory that a driver made for contexts, and what it writes there by the GPU.
 *
 *     DxgkCbUpdateContextAllocation ─> an update: a copy of the driver's data
 *        in place?  UPDATE_CONTEXT_ALLOCATION is queued ─> told ─> done: the update is freed
 *        not yet:   it waits for the next packet of the context
 *
 * The call waits for the end, but where nobody could come to it meanwhile: in SetRootPageTable,
 * which keeps BuildPagingBuffer out, and on the worker, which builds. */
#include "dxgk/context_memory.h"

#include <stdlib.h>
#include <string.h>

#include "dxgk/work.h"

struct update {
    struct list link;
    uint8_t *bytes; /* what BuildPagingBuffer is handed; NULL: none */
    UINT size;
    uint64_t sequence; /* 0: not queued yet */
};

/* ---- Addresses ------------------------------------------------------------------------------- */

static bool fits(const struct vidmm_allocation *memory, uint64_t first, uint64_t count)
{
    uint64_t pages = memory->size_bytes / MACHINE_PAGE_SIZE;

    return count > 0 && first < pages && count <= pages - first;
}

/* Inside it: another thread of the driver's may destroy it while this one waits. */
static struct dxgk_context_memory *enter(const struct dxgk_adapter *adapter, HANDLE handle,
                                         enum contract_point callback)
{
    struct dxgk_context_memory *memory = dxgk_context_memory_named(adapter, handle, callback);

    return memory && life_enter(&memory->life) ? memory : NULL;
}

static bool runs(const struct dxgk_adapter *adapter)
{
    return adapter->state == DXGK_ADAPTER_RUNNING;
}

static bool goes_on(const struct dxgk_context_memory *memory)
{
    return memory->life.state == LIFE_LIVING && runs(memory->device->adapter);
}

/* A reset that waits for the driver to come back takes nothing from who needs not wait. */
static bool is_there(const struct dxgk_context_memory *memory)
{
    enum dxgk_adapter_state state = memory->device->adapter->state;

    return memory->life.state == LIFE_LIVING && state != DXGK_ADAPTER_STARTING &&
           state != DXGK_ADAPTER_STOPPED;
}

/* For room, or whatever vidmm waits for; also until the memory is destroyed. In a task at
 * PASSIVE_LEVEL that is not the worker. */
static void wait_with(const struct dxgk_context_memory *memory)
{
    struct dxgk_adapter *adapter = memory->device->adapter;
    uint64_t progress = vidmm_progress(adapter->vidmm);

    dxgk_paging_kick(adapter);
    while (goes_on(memory) && vidmm_progress(adapter->vidmm) == progress) {
        wait_queue_wait(&adapter->idle_changed, MACHINE_NEVER);
    }
}

/* 0: not to be had. The caller is inside. May switch. */
static uint64_t map(struct dxgk_context_memory *memory,
                    const DXGKARGCB_MAPCONTEXTALLOCATION *request)
{
    struct dxgk_adapter *adapter = memory->device->adapter;
    struct vidmm_wait wait = {0};
    uint64_t address = 0;
    NTSTATUS status;
    bool waits;

    if (!NT_SUCCESS(dxgk_space_need_root(&memory->device->process->space))) {
        return 0;
    }
    const struct vidmm_map_request wanted = {
        .allocation = &memory->memory,
        .base = request->BaseAddress,
        .minimum = request->BaseAddress ? 0 : request->MinimumAddress,
        .maximum = request->BaseAddress ? 0 : request->MaximumAddress,
        .page_first = request->OffsetInPages,
        .page_count = request->SizeInPages,
        .protection = dxgk_protection(request->Protection),
        .driver_protection = request->DriverProtection,
        .systems = true,
    };
    struct vidmm_space *space = &memory->device->process->space.memory;
    do {
        status = is_there(memory) ? vidmm_space_map(space, &wanted, &address, &wait)
                                  : STATUS_INVALID_HANDLE;
        waits = status == STATUS_PENDING && task_self() != adapter->worker && goes_on(memory);
        if (waits) {
            wait_with(memory);
        }
    } while (waits);
    dxgk_paging_kick(adapter);
    return status == STATUS_SUCCESS ? address : 0;
}

D3DGPU_VIRTUAL_ADDRESS dxgk_context_memory_map(struct ddi_adapter *ddi,
                                               const DXGKARGCB_MAPCONTEXTALLOCATION *request)
{
    struct dxgk_context_memory *memory =
        enter(dxgk_adapter_of(ddi), request->hAllocation, POINT_CbMapContextAllocation);
    uint64_t address = 0;

    if (!memory) {
        return 0;
    }
    if (fits(&memory->memory, request->OffsetInPages, request->SizeInPages)) {
        address = map(memory, request);
    }
    life_leave(&memory->life);
    return address;
}

/* ---- Updates --------------------------------------------------------------------------------- */

static void free_update(struct update *update)
{
    list_remove(&update->link);
    nt_memory_free(update->bytes);
    free(update);
}

static struct update *make_update(const DXGKARGCB_UPDATECONTEXTALLOCATION *request)
{
    struct update *update = calloc(1, sizeof *update);

    if (update && request->PrivateDriverDataSize > 0) {
        update->size = request->PrivateDriverDataSize;
        update->bytes = nt_memory_hand(update->size, "pDriverPrivateData");
        if (!update->bytes) {
            free(update);
            return NULL;
        }
        memcpy(update->bytes, request->pPrivateDriverData, update->size);
    }
    return update;
}

/* Those that are done are given back. False: the oldest that waits has to wait on. */
static bool queue_updates(struct dxgk_context_memory *memory, uint64_t *sequence)
{
    struct vidmm *vidmm = memory->device->adapter->vidmm;

    list_for_each_safe (link, &memory->updates) {
        struct update *update = container_of(link, struct update, link);
        if (update->sequence != 0 && vidmm_paging_reached(vidmm, update->sequence)) {
            free_update(update);
        } else if (update->sequence == 0) {
            if (vidmm_update_context(&memory->memory, update->bytes, update->size,
                                     &update->sequence) != STATUS_SUCCESS) {
                update->sequence = 0;
                return false;
            }
            *sequence = update->sequence;
        }
    }
    return true;
}

void dxgk_context_updates_queue(const struct list *owned, struct vidmm_prepare_result *result)
{
    list_for_each (link, owned) {
        struct dxgk_context_memory *memory =
            container_of(link, struct dxgk_context_memory, life.link);
        uint64_t sequence = 0;
        (void)queue_updates(memory, &sequence); /* want of memory: before the next packet, then */
        if (sequence > result->paging_sequence) {
            result->paging_sequence = sequence;
        }
    }
}

bool dxgk_context_updates_done(const struct list *owned)
{
    list_for_each (outer, owned) {
        const struct dxgk_context_memory *memory =
            container_of(outer, struct dxgk_context_memory, life.link);
        list_for_each (link, &memory->updates) {
            if (!vidmm_paging_reached(memory->device->adapter->vidmm,
                                      container_of(link, struct update, link)->sequence)) {
                return false;
            }
        }
    }
    return true;
}

void dxgk_context_updates_drop(struct dxgk_context_memory *memory)
{
    list_for_each_safe (link, &memory->updates) {
        free_update(container_of(link, struct update, link));
    }
}

static bool may_wait(const struct dxgk_adapter *adapter)
{
    return task_self() != adapter->worker && !dxgk_space_tells_root();
}

/* In its place, and kept there: what waits for it can be queued. False: it is not to be had, or was
 * destroyed meanwhile. */
static bool bring(struct dxgk_context_memory *memory, struct vidmm_use *use)
{
    const struct vidmm_reference reference = {
        .allocation = &memory->memory, .write = true, .slot = VIDMM_NO_SLOT};
    const struct vidmm_prepare_request request = {.references = &reference, .count = 1};
    struct vidmm_prepare_result result = {.outcome = VIDMM_WAIT};

    while (result.outcome == VIDMM_WAIT && goes_on(memory)) {
        vidmm_prepare(use, &request, &result);
        if (result.outcome == VIDMM_WAIT) {
            wait_with(memory);
        }
    }
    return result.outcome == VIDMM_READY;
}

static NTSTATUS wait_for_end(struct dxgk_adapter *adapter, uint64_t sequence)
{
    dxgk_paging_kick(adapter);
    while (runs(adapter) && !vidmm_paging_reached(adapter->vidmm, sequence)) {
        wait_queue_wait(&adapter->idle_changed, MACHINE_NEVER);
    }
    return runs(adapter) ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}

static NTSTATUS update_now(struct dxgk_context_memory *memory)
{
    struct dxgk_adapter *adapter = memory->device->adapter;
    NTSTATUS status = STATUS_NO_MEMORY;
    uint64_t sequence = 0;
    struct vidmm_use use;

    vidmm_use_init(&use, adapter->vidmm);
    if (bring(memory, &use) && queue_updates(memory, &sequence)) {
        status = wait_for_end(adapter, sequence);
        KERNEL_DUTY(CCA_008, !NT_SUCCESS(status) || vidmm_paging_reached(adapter->vidmm, sequence));
    }
    vidmm_use_retire(&use);
    vidmm_use_fini(&use);
    return memory->life.state == LIFE_LIVING || NT_SUCCESS(status) ? status : STATUS_INVALID_HANDLE;
}

/* The caller is inside. May switch. */
static NTSTATUS update_inside(struct dxgk_context_memory *memory,
                              const DXGKARGCB_UPDATECONTEXTALLOCATION *request)
{
    struct dxgk_adapter *adapter = memory->device->adapter;
    struct update *update = make_update(request);
    uint64_t sequence = 0;

    if (!update) {
        return STATUS_NO_MEMORY;
    }
    list_push_back(&memory->updates, &update->link);
    if (may_wait(adapter)) {
        return update_now(memory);
    }
    (void)queue_updates(memory, &sequence);
    dxgk_paging_kick(adapter);
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_context_memory_update(struct ddi_adapter *ddi,
                                    const DXGKARGCB_UPDATECONTEXTALLOCATION *request)
{
    struct dxgk_adapter *adapter = dxgk_adapter_of(ddi);

    if (request->PrivateDriverDataSize > CONTRACT_UPDATE_BYTES_MAX ||
        (request->PrivateDriverDataSize > 0 && !request->pPrivateDriverData)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!adapter->mmu.pages) { /* nothing sees it by an address */
        return dxgk_context_memory_named(adapter, request->hAllocation,
                                         POINT_CbUpdateContextAllocation)
                   ? STATUS_NOT_SUPPORTED
                   : STATUS_INVALID_PARAMETER;
    }
    struct dxgk_context_memory *memory =
        enter(adapter, request->hAllocation, POINT_CbUpdateContextAllocation);
    if (!memory) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = update_inside(memory, request);
    life_leave(&memory->life);
    return status;
}
