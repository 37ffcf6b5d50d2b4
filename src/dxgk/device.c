/* Processes, devices and contexts. */
#include "dxgk/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Processes ------------------------------------------------------------------------------- */

NTSTATUS dxgk_process_create(const char *name, struct dxgk_process **out)
{
    struct dxgk_process *process = calloc(1, sizeof *process);

    if (!process) {
        return STATUS_NO_MEMORY;
    }
    process->nt = nt_process_create(name);
    if (!process->nt) {
        free(process);
        return STATUS_NO_MEMORY;
    }
    snprintf(process->name, sizeof process->name, "%s", name);
    process->object = record_object_new(OBJECT_PROCESS, 0);
    list_init(&process->devices);
    wait_queue_init(&process->hold_changed);
    *out = process;
    return STATUS_SUCCESS;
}

void dxgk_process_destroy(struct dxgk_process *process)
{
    while (!list_empty(&process->devices)) {
        dxgk_device_destroy(container_of(process->devices.next, struct dxgk_device, process_link));
    }
    dxgk_handles_close(process);
    if (process->memory_ready) {
        vidmm_process_fini(&process->memory);
    }
    record_object_dead(process->object, OBJECT_PROCESS);
    nt_process_destroy(process->nt);
    free(process);
}

struct dxgk_process *dxgk_process_current(void)
{
    return task_self() ? task_slot(task_self(), TASK_SLOT_CLIENT) : NULL;
}

void dxgk_process_set_current(struct dxgk_process *process)
{
    task_set_slot(task_self(), TASK_SLOT_CLIENT, process);
    nt_process_set_current(process ? process->nt : NULL);
}

/* ---- Devices --------------------------------------------------------------------------------- */

/* Flags and pInfo share their place: a driver with contexts is given flags, one without them a
 * structure to fill with the sizes that contexts would have [CTX-019]. */
static NTSTATUS create_driver_device(struct dxgk_device *device, bool system)
{
    struct dxgk_adapter *adapter = device->adapter;
    DXGKARG_CREATEDEVICE arguments = {.hDevice = (HANDLE)(uintptr_t)device->handle};
    DXGK_DEVICEINFO info = {0};

    if (adapter->contexts) {
        arguments.Flags.SystemDevice = system;
    } else {
        arguments.pInfo = &info;
    }
    NTSTATUS status =
        ddi_create_device(&adapter->ddi, adapter->ddi.miniport_context, &arguments, device->object);
    if (NT_SUCCESS(status)) {
        device->driver_handle = arguments.hDevice;
        device->info = info;
        status = arguments.hDevice ? status : STATUS_INVALID_HANDLE; /* [CTX-018] */
    }
    return status;
}

static NTSTATUS make_device(struct dxgk_adapter *adapter, struct dxgk_process *process,
                            struct dxgk_device **out)
{
    struct dxgk_device *device = calloc(1, sizeof *device);

    if (!device) {
        return STATUS_NO_MEMORY;
    }
    device->adapter = adapter;
    device->process = process;
    device->state = D3DKMT_DEVICEEXECUTION_ACTIVE;
    list_init(&device->contexts);
    list_init(&device->openings);
    list_init(&device->syncs);
    device->handle = dxgk_handle_new(DXGK_KIND_DEVICE, device, process);
    if (!device->handle) {
        free(device);
        return STATUS_NO_MEMORY;
    }
    device->object = record_object_new(OBJECT_DEVICE, process ? process->object : adapter->object);
    NTSTATUS status = create_driver_device(device, process == NULL);
    if (!NT_SUCCESS(status)) {
        dxgk_handle_free(device->handle);
        record_object_dead(device->object, OBJECT_DEVICE);
        free(device);
        return status;
    }
    list_push_back(&adapter->devices, &device->link);
    list_init(&device->process_link);
    *out = device;
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_device_create(struct dxgk_adapter *adapter, struct dxgk_process *process,
                            struct dxgk_device **out)
{
    if (adapter->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!process->memory_ready) {
        vidmm_process_init(&process->memory, adapter->vidmm);
        process->memory.budget_bytes[0] = process->memory.budget_bytes[1] = UINT64_MAX;
        process->memory_ready = true;
    }
    NTSTATUS status = make_device(adapter, process, out);
    if (NT_SUCCESS(status)) {
        list_push_back(&process->devices, &(*out)->process_link);
    }
    return status;
}

NTSTATUS dxgk_device_destroy(struct dxgk_device *device)
{
    struct dxgk_adapter *adapter = device->adapter;

    while (!list_empty(&device->contexts)) {
        dxgk_context_destroy(container_of(device->contexts.next, struct dxgk_context, link));
    }
    while (!list_empty(&device->syncs)) {
        dxgk_sync_destroy(container_of(device->syncs.next, struct dxgk_sync, link));
    }
    dxgk_openings_close_all(device);
    NTSTATUS status = ddi_destroy_device(&adapter->ddi, device->driver_handle, device->object);
    list_remove(&device->link);
    list_remove(&device->process_link);
    dxgk_handle_free(device->handle);
    record_object_dead(device->object, OBJECT_DEVICE);
    free(device);
    return status;
}

D3DKMT_DEVICEEXECUTION_STATE dxgk_device_state(const struct dxgk_device *device)
{
    return device->state;
}

void dxgk_device_lose(struct dxgk_device *device, D3DKMT_DEVICEEXECUTION_STATE state)
{
    if (device->lost || !device->process) {
        return; /* the system device outlives every reset */
    }
    device->lost = true;
    device->state = state;
    record_count("devices.lost", 1);
    list_for_each (link, &device->contexts) {
        struct dxgk_context *context = container_of(link, struct dxgk_context, link);
        vidsch_context_lose(&context->vidsch);
        wait_queue_wake(&context->changed, UINT_MAX);
    }
    list_for_each (link, &device->syncs) {
        sync_object_lose(&container_of(link, struct dxgk_sync, link)->object); /* [FENCE-004] */
    }
}

/* ---- Contexts -------------------------------------------------------------------------------- */

/* Work that waits for what never comes would keep its context for ever: after this time it is
 * cancelled. Longer than a reset takes. The documents do not say what Windows does. */
#define DESTROY_WAIT_NS (10 * NS_PER_S)

static NTSTATUS create_driver_context(struct dxgk_context *context, unsigned affinity,
                                      DXGK_CREATECONTEXTFLAGS flags, const void *private_data,
                                      UINT private_size)
{
    struct dxgk_device *device = context->device;
    struct dxgk_adapter *adapter = device->adapter;

    if (!adapter->contexts) {
        /* Drivers without contexts: the device is the context, with the sizes it gave. */
        context->driver_handle = device->driver_handle;
        context->info = (DXGK_CONTEXTINFO){
            .DmaBufferSize = device->info.DmaBufferSize,
            .DmaBufferSegmentSet = device->info.DmaBufferSegmentSet,
            .DmaBufferPrivateDataSize = device->info.DmaBufferPrivateDataSize,
            .AllocationListSize = device->info.AllocationListSize,
            .PatchLocationListSize = device->info.PatchLocationListSize,
        };
        return STATUS_SUCCESS;
    }
    DXGKARG_CREATECONTEXT arguments = {
        .hContext = (HANDLE)(uintptr_t)context->handle,
        .NodeOrdinal = context->node,
        .EngineAffinity = affinity ? affinity : 1,
        .Flags = flags,
        .pPrivateDriverData = (void *)private_data,
        .PrivateDriverDataSize = private_size,
    };
    KERNEL_DUTY(CTX_005, !flags.SystemContext || context->node == adapter->paging_node);
    NTSTATUS status =
        ddi_create_context(&adapter->ddi, device->driver_handle, &arguments, context->object);
    if (NT_SUCCESS(status) && !arguments.hContext) {
        return STATUS_INVALID_HANDLE; /* [CTX-003] */
    }
    if (NT_SUCCESS(status)) {
        context->driver_handle = arguments.hContext;
        context->info = arguments.ContextInfo;
        context->owns_handle = true;
    }
    return status;
}

static bool sizes_make_sense(const struct dxgk_context *context)
{
    const DXGK_CONTEXTINFO *info = &context->info;
    unsigned segments = context->device->adapter->segment_count;

    for (unsigned id = 1; id <= 32; id++) {
        if (info->DmaBufferSegmentSet & VIDMM_SEGMENT_BIT(id) &&
            (id > segments ||
             !(context->device->adapter->segments[id - 1].flags & VIDMM_SEGMENT_APERTURE))) {
            return false; /* [CTX-012] */
        }
    }
    return info->DmaBufferSize > 0 && info->DmaBufferSize <= 64u << 20 &&
           info->DmaBufferPrivateDataSize <= 16u << 20 && info->AllocationListSize <= 1u << 16 &&
           info->PatchLocationListSize <= 1u << 20;
}

static void free_space(struct dxgk_context *context)
{
    nt_memory_free(context->space.commands);
    nt_memory_free(context->space.allocations);
    nt_memory_free(context->space.patches);
    nt_memory_free(context->allocation_list);
    nt_memory_free(context->patch_in);
    nt_memory_free(context->patch_out);
    free(context->allocation_openings);
}

/* The client's memory, and ours that Render gets: all at addresses that replay. */
static bool make_space(struct dxgk_context *context)
{
    UINT allocations = context->info.AllocationListSize;
    UINT patches = context->info.PatchLocationListSize;
    UINT list =
        allocations < DXGK_PRESENT_ALLOCATION_COUNT ? DXGK_PRESENT_ALLOCATION_COUNT : allocations;

    context->space = (struct dxgk_command_space){
        .commands = nt_memory_alloc(context->info.DmaBufferSize, 0),
        .command_bytes = context->info.DmaBufferSize,
        .allocations = nt_memory_alloc((list + 1) * sizeof(D3DDDI_ALLOCATIONLIST), 0),
        .allocation_count = allocations,
        .patches = nt_memory_alloc((patches + 1) * sizeof(D3DDDI_PATCHLOCATIONLIST), 0),
        .patch_count = patches,
    };
    context->allocation_list =
        nt_memory_alloc(list * sizeof(DXGK_ALLOCATIONLIST) + CONTRACT_CANARY_BYTES, 0);
    context->patch_in =
        nt_memory_alloc(patches * sizeof(D3DDDI_PATCHLOCATIONLIST) + CONTRACT_CANARY_BYTES, 0);
    context->patch_out =
        nt_memory_alloc(patches * sizeof(D3DDDI_PATCHLOCATIONLIST) + CONTRACT_CANARY_BYTES, 0);
    context->allocation_openings = calloc(list, sizeof(struct dxgk_opening *));
    return context->space.commands && context->space.allocations && context->space.patches &&
           context->allocation_list && context->patch_in && context->patch_out &&
           context->allocation_openings;
}

static NTSTATUS make_pool(struct dxgk_context *context)
{
    const struct vidmm_dma_pool_options options = {
        .size_bytes =
            align_up(context->info.DmaBufferSize + CONTRACT_CANARY_BYTES, MACHINE_PAGE_SIZE),
        .segments = context->info.DmaBufferSegmentSet,
        .private_bytes = context->info.DmaBufferPrivateDataSize + CONTRACT_CANARY_BYTES,
        .buffer_count_max = 32,
    };

    return vidmm_dma_pool_init(&context->pool, context->device->adapter->vidmm, &options);
}

static NTSTATUS make_vidsch_context(struct dxgk_context *context, bool system)
{
    struct dxgk_device *device = context->device;
    const struct vidsch_context_config config = {
        .node_index = context->node,
        .priority = system ? VIDSCH_PRIORITY_SYSTEM : VIDSCH_PRIORITY_NORMAL,
        .process = device->process,
        .parent = context->object,
        .system = system,
    };

    return vidsch_context_init(&context->vidsch, &device->adapter->vidsch, &config);
}

/* Frees the DMA buffers with what hangs on them; all are idle. */
static void drop_pool(struct dxgk_context *context)
{
    struct vidmm_wait wait;

    list_for_each (link, &context->pool.idle) {
        struct vidmm_dma_buffer *buffer = container_of(link, struct vidmm_dma_buffer, link);
        dxgk_dma_free(buffer->owner_data);
        buffer->owner_data = NULL;
    }
    while (vidmm_dma_pool_retire(&context->pool, &wait) == STATUS_PENDING) {
        dxgk_wait_memory(context->device->adapter, &wait, MACHINE_NEVER);
    }
    vidmm_dma_pool_fini(&context->pool);
}

static void free_context(struct dxgk_context *context)
{
    struct dxgk_adapter *adapter = context->device->adapter;

    if (context->vidsch_ready) {
        vidsch_context_fini(&context->vidsch);
    }
    if (context->pool_ready) {
        drop_pool(context);
    }
    if (context->owns_handle) {
        ddi_destroy_context(&adapter->ddi, context->driver_handle, context->object);
    }
    free_space(context);
    dxgk_handle_free(context->handle);
    record_object_dead(context->object, OBJECT_CONTEXT);
    free(context);
}

static NTSTATUS make_context(struct dxgk_device *device, unsigned node, unsigned affinity,
                             DXGK_CREATECONTEXTFLAGS flags, const void *private_data,
                             UINT private_size, struct dxgk_context **out)
{
    struct dxgk_context *context = calloc(1, sizeof *context);
    NTSTATUS status;

    if (!context) {
        return STATUS_NO_MEMORY;
    }
    context->device = device;
    context->node = node;
    wait_queue_init(&context->changed);
    context->handle = dxgk_handle_new(DXGK_KIND_CONTEXT, context, device->process);
    context->object = record_object_new(OBJECT_CONTEXT, device->object);
    status = context->handle
                 ? create_driver_context(context, affinity, flags, private_data, private_size)
                 : STATUS_NO_MEMORY;
    if (NT_SUCCESS(status) && !flags.SystemContext && !sizes_make_sense(context)) {
        status = STATUS_INVALID_PARAMETER;
    }
    if (NT_SUCCESS(status) && !flags.SystemContext) {
        status = make_space(context) ? make_pool(context) : STATUS_NO_MEMORY;
        context->pool_ready = NT_SUCCESS(status);
    }
    if (NT_SUCCESS(status)) {
        status = make_vidsch_context(context, flags.SystemContext);
        context->vidsch_ready = NT_SUCCESS(status);
    }
    if (!NT_SUCCESS(status)) {
        free_context(context);
        return status;
    }
    list_push_back(&device->contexts, &context->link);
    *out = context;
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_context_create(struct dxgk_device *device, unsigned node, unsigned engine_affinity,
                             D3DDDI_CREATECONTEXTFLAGS flags, const void *private_data,
                             UINT private_size, struct dxgk_context **out)
{
    if (node >= device->adapter->node_count || engine_affinity > 1) {
        return STATUS_INVALID_PARAMETER;
    }
    if (device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    return make_context(device, node, engine_affinity, (DXGK_CREATECONTEXTFLAGS){0}, private_data,
                        private_size, out);
}

NTSTATUS dxgk_context_destroy(struct dxgk_context *context)
{
    if (!vidsch_context_wait_idle(&context->vidsch, machine_now_ns() + DESTROY_WAIT_NS)) {
        vidsch_context_lose(&context->vidsch);
        vidsch_context_wait_idle(&context->vidsch, MACHINE_NEVER);
    }
    while (context->rendering) {
        wait_queue_wait(&context->changed, MACHINE_NEVER);
    }
    list_remove(&context->link);
    free_context(context);
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_context_set_priority(struct dxgk_context *context, int priority)
{
    if (priority < -7 || priority > 7) {
        return STATUS_INVALID_PARAMETER;
    }
    context->priority = priority;
    vidsch_context_set_priority(&context->vidsch,
                                (unsigned)((int)VIDSCH_PRIORITY_NORMAL + 2 * priority), 0);
    return STATUS_SUCCESS;
}

int dxgk_context_priority(const struct dxgk_context *context)
{
    return context->priority;
}

void dxgk_context_command_space(struct dxgk_context *context, struct dxgk_command_space *out)
{
    *out = context->space;
}

NTSTATUS dxgk_context_wait_idle(struct dxgk_context *context, uint64_t deadline_ns)
{
    return vidsch_context_wait_idle(&context->vidsch, deadline_ns) ? STATUS_SUCCESS
                                                                   : STATUS_TIMEOUT;
}

NTSTATUS dxgk_device_wait_idle(struct dxgk_device *device, uint64_t deadline_ns)
{
    list_for_each (link, &device->contexts) {
        NTSTATUS status =
            dxgk_context_wait_idle(container_of(link, struct dxgk_context, link), deadline_ns);
        if (status != STATUS_SUCCESS) {
            return status;
        }
    }
    return STATUS_SUCCESS;
}

bool dxgk_device_is_idle(struct dxgk_device *device)
{
    list_for_each (link, &device->contexts) {
        if (!vidsch_context_is_idle(&container_of(link, struct dxgk_context, link)->vidsch)) {
            return false;
        }
    }
    return true;
}

NTSTATUS dxgk_escape(struct dxgk_device *device, struct dxgk_context *context,
                     struct dxgk_adapter *adapter, D3DDDI_ESCAPEFLAGS flags, void *private_data,
                     UINT private_size)
{
    const DXGKARG_ESCAPE arguments = {
        .hDevice = device ? device->driver_handle : NULL,
        .Flags = flags,
        .pPrivateDriverData = private_data,
        .PrivateDriverDataSize = private_size,
        .hContext = context ? context->driver_handle : NULL,
    };

    return ddi_escape(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
}

/* ---- The system's own ------------------------------------------------------------------------ */

NTSTATUS dxgk_system_context_create(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    NTSTATUS status = make_device(adapter, NULL, &adapter->system_device);

    if (!NT_SUCCESS(status)) {
        snprintf(failure->text, sizeof failure->text,
                 "DxgkDdiCreateDevice for the system device failed with %s", status_name(status));
        return status;
    }
    status = make_context(adapter->system_device, adapter->paging_node, 1,
                          (DXGK_CREATECONTEXTFLAGS){.SystemContext = 1}, NULL, 0,
                          &adapter->system_context);
    if (!NT_SUCCESS(status)) {
        snprintf(failure->text, sizeof failure->text,
                 "DxgkDdiCreateContext for the system context on node %u failed with %s",
                 adapter->paging_node, status_name(status));
        dxgk_device_destroy(adapter->system_device);
        adapter->system_device = NULL;
    } else if (!adapter->contexts) {
        /* A driver without contexts gets NULL for paging [SUBMIT-010]. */
        adapter->system_context->driver_handle = NULL;
    }
    return status;
}

void dxgk_system_context_destroy(struct dxgk_adapter *adapter)
{
    if (adapter->system_device) {
        dxgk_device_destroy(adapter->system_device);
        adapter->system_device = NULL;
        adapter->system_context = NULL;
    }
}
