/* Processes, their devices, and the system's own device. */
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
    status = dxgk_context_make(adapter->system_device, adapter->paging_node, 1,
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
