/* Devices of processes, and the system's own. */
#include "dxgk/context_memory.h"
#include "dxgk/doorbell.h"
#include "dxgk/overlay.h"
#include "dxgk/resource.h"
#include "dxgk/submission.h"
#include "dxgk/work.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Devices --------------------------------------------------------------------------------- */

/* Flags and pInfo share their place: a driver with contexts is given flags, one without them a
 * structure to fill with the sizes that contexts would have [CTX-019]. */
static NTSTATUS create_driver_device(struct dxgk_device *device, bool system)
{
    struct dxgk_adapter *adapter = device->adapter;
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    DXGKARG_CREATEDEVICE arguments;
    DXGK_DEVICEINFO *info = nt_memory_hand(sizeof *info, "pInfo of CreateDevice");
    NTSTATUS status;

    if (!info) {
        return STATUS_NO_MEMORY;
    }
    do {
        arguments = (DXGKARG_CREATEDEVICE){
            .hDevice = (HANDLE)(uintptr_t)device->life.handle,
            .hKmdProcess =
                system ? adapter->system_space.driver_handle : device->process->space.driver_handle,
        };
        arguments.Pasid = system ? 0 : device->process->space.pasid;
        *info = (DXGK_DEVICEINFO){0};
        if (adapter->contexts) {
            arguments.Flags.SystemDevice = system;
            arguments.Flags.GdiDevice = device->gdi;
        } else {
            arguments.pInfo = info;
        }
        status = ddi_create_device(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                   device->object);
    } while (dxgk_tries_again(status, &attempt));
    if (NT_SUCCESS(status)) {
        device->driver_handle = arguments.hDevice;
        device->info = *info;
        status = arguments.hDevice ? status : STATUS_INVALID_HANDLE; /* [CTX-018] */
    }
    nt_memory_free(info);
    return status;
}

static void free_device(struct dxgk_life *life)
{
    struct dxgk_device *device = container_of(life, struct dxgk_device, life);

    CHECK_THAT(list_empty(&device->contexts) && list_empty(&device->openings) &&
               list_empty(&device->syncs) && list_empty(&device->overlays));
    record_object_dead(device->object, OBJECT_DEVICE);
    if (device->process) {
        life_put(&device->process->life);
    }
    life_put(&device->adapter->life);
    free(device);
}

static struct dxgk_device *new_device(struct dxgk_adapter *adapter, struct dxgk_process *process)
{
    struct dxgk_device *device = calloc(1, sizeof *device);

    if (!device) {
        return NULL;
    }
    life_init(&device->life, DXGK_KIND_DEVICE, free_device);
    life_get(&adapter->life);
    device->adapter = adapter;
    if (process) {
        life_get(&process->life);
    }
    device->process = process;
    device->state = D3DKMT_DEVICEEXECUTION_ACTIVE;
    list_init(&device->process_link);
    list_init(&device->contexts);
    list_init(&device->openings);
    list_init(&device->left);
    list_init(&device->syncs);
    list_init(&device->overlays);
    list_init(&device->allocations);
    dxgk_residency_begin(device);
    list_init(&device->memories);
    wait_queue_init(&device->child_gone);
    device->object = record_object_new(OBJECT_DEVICE, process ? process->object : adapter->object);
    return device;
}

/* What the driver knows a device by is there before the client can find it. */
static NTSTATUS make_device(struct dxgk_adapter *adapter, struct dxgk_process *process, bool gdi,
                            struct dxgk_device **out)
{
    struct dxgk_device *device = new_device(adapter, process);

    if (!device) {
        return STATUS_NO_MEMORY;
    }
    device->gdi = gdi;
    device->life.handle = dxgk_handle_new(DXGK_KIND_DEVICE, &device->life, process);
    NTSTATUS status =
        device->life.handle ? create_driver_device(device, process == NULL) : STATUS_NO_MEMORY;
    if (!NT_SUCCESS(status)) {
        dxgk_context_memory_drop(&device->memories);
        life_unlink(&device->life);
        life_put(&device->life);
        return status;
    }
    life_link(&adapter->devices, &device->life);
    life_begin(&device->life);
    *out = device;
    return STATUS_SUCCESS;
}

static NTSTATUS create_device(struct dxgk_adapter *adapter, struct dxgk_process *process, bool gdi,
                              struct dxgk_device **out)
{
    if (!dxgk_adapter_has_hardware(adapter)) {
        return STATUS_DEVICE_REMOVED;
    }
    NTSTATUS status = dxgk_process_enter(process, adapter);
    if (NT_SUCCESS(status)) {
        dxgk_sent_device_begins();
        status = make_device(adapter, process, gdi, out);
        dxgk_sent_device_made();
    }
    if (NT_SUCCESS(status)) {
        list_push_back(&process->devices, &(*out)->process_link);
        dxgk_handle_show((*out)->life.handle);
        if (!dxgk_adapter_has_hardware(adapter)) {
            dxgk_device_lose(*out, D3DKMT_DEVICEEXECUTION_STOPPED); /* while the driver made it */
        }
    }
    return status;
}

NTSTATUS dxgk_device_create(struct dxgk_adapter *adapter, struct dxgk_process *process,
                            struct dxgk_device **out)
{
    return create_device(adapter, process, false, out);
}

NTSTATUS dxgk_gdi_device_create(struct dxgk_adapter *adapter, struct dxgk_process *process,
                                struct dxgk_device **out)
{
    return create_device(adapter, process, true, out);
}

void dxgk_device_child_gone(struct dxgk_device *device)
{
    wait_queue_wake(&device->child_gone, UINT_MAX);
}

/* Another thread may be inside the end of their queue: they go first, as the driver still has the
 * ring. No queue that lives has any. */
static void wait_for_doorbells(struct dxgk_device *device)
{
    for (bool held = true; held;) {
        held = false;
        list_for_each (link, &device->openings) {
            held |= container_of(link, struct dxgk_opening, life.link)->doorbell_count > 0;
        }
        if (held) {
            wait_queue_wait(&device->child_gone, MACHINE_NEVER);
        }
    }
}

/* Ends what lives; what somebody else ends, or is at making, is left. May switch. */
static void end_children(struct dxgk_device *device)
{
    struct dxgk_life *life;

    dxgk_trims_end(device);
    dxgk_overlays_close(device);
    while ((life = life_living(&device->contexts)) != NULL) {
        (void)dxgk_context_destroy(container_of(life, struct dxgk_context, life));
    }
    while ((life = life_living(&device->syncs)) != NULL) {
        (void)dxgk_sync_destroy(container_of(life, struct dxgk_sync, life));
    }
    dxgk_residency_end_queues(device);
    wait_for_doorbells(device);
    dxgk_openings_close_all(device);
}

static bool has_children(const struct dxgk_device *device)
{
    return !list_empty(&device->contexts) || !list_empty(&device->syncs) ||
           !list_empty(&device->openings) || !list_empty(&device->overlays) ||
           !list_empty(&device->residency.queues);
}

/* Allocations that others still have open outlive the device that made them [ALLOC-016]. */
static void disown(struct dxgk_device *device)
{
    struct list *link;

    while ((link = list_pop_front(&device->allocations)) != NULL) {
        container_of(link, struct dxgk_allocation, owner_link)->owner = NULL;
    }
}

NTSTATUS dxgk_device_destroy(struct dxgk_device *device)
{
    struct dxgk_adapter *adapter = device->adapter;

    if (device->ends) {
        return STATUS_INVALID_HANDLE; /* another thread is about it */
    }
    device->ends = true;
    dxgk_sent_spoil(device);
    if (!life_end(&device->life)) {
        return STATUS_INVALID_HANDLE;
    }
    dxgk_device_flips_take_back(device);
    end_children(device);
    life_wait_unused(&device->life);
    end_children(device); /* what those inside were making */
    while (has_children(device)) {
        wait_queue_wait(&device->child_gone, MACHINE_NEVER);
    }
    dxgk_holdings_drop_left(device);
    disown(device);
    dxgk_sent_free(device);
    dxgk_residency_end(device);
    while (device->paging_calls > 0) { /* none that begins now names it */
        wait_queue_wait(&device->child_gone, MACHINE_NEVER);
    }
    NTSTATUS status = ddi_destroy_device(&adapter->ddi, device->driver_handle, device->object);
    dxgk_context_memory_judge_left(&device->memories, "DxgkDdiDestroyDevice", false);
    dxgk_context_memory_drop(&device->memories);
    list_remove(&device->process_link);
    life_unlink(&device->life);
    life_put(&device->life);
    return status;
}

D3DKMT_DEVICEEXECUTION_STATE dxgk_device_state(const struct dxgk_device *device)
{
    struct dxgk_adapter *adapter = device->adapter;

    CHECK_THAT(task_self() != adapter->worker);
    /* What memory holds may be gone by now, and whose it was is found out at the reset's end. */
    while (adapter->state == DXGK_ADAPTER_RESETTING) {
        wait_queue_wait(&adapter->idle_changed, MACHINE_NEVER);
    }
    /* One that is to be lost is not believed any more: work of it failed, and what is behind that
     * in its contexts may go on until the worker comes. */
    return device->loss_wanted && !device->lost ? device->loss_wanted : device->state;
}

void dxgk_device_lose(struct dxgk_device *device, D3DKMT_DEVICEEXECUTION_STATE state)
{
    if (device->lost || !device->process) {
        return; /* the system device outlives every reset */
    }
    dxgk_bystander_note(device, state);
    if (!device->loss_wanted) {
        dxgk_device_judge_loss(device);
    }
    device->lost = true;
    device->state = state;
    record_count("devices.lost", 1);
    dxgk_still_lost(device->adapter);
    dxgk_device_doorbells_abort(device);
    for_each_life(life, &device->contexts)
    {
        struct dxgk_context *context = container_of(life, struct dxgk_context, life);
        vidsch_context_lose(&context->vidsch);
        wait_queue_wake(&context->changed, UINT_MAX);
    }
    for_each_life(life, &device->syncs)
    {
        dxgk_sync_lose(container_of(life, struct dxgk_sync, life));
    }
    if (!dxgk_adapter_has_hardware(device->adapter)) {
        for_each_life(life, &device->process->syncs)
        {
            dxgk_sync_lose(container_of(life, struct dxgk_sync, life));
        }
    }
    dxgk_memory_changed(device->adapter); /* packets that wait in our hands are asked: they end */
}

NTSTATUS dxgk_device_wait_idle(struct dxgk_device *device, uint64_t deadline_ns)
{
    NTSTATUS status = STATUS_SUCCESS;

    for_each_life(life, &device->contexts)
    {
        if (status == STATUS_SUCCESS) {
            status =
                dxgk_context_wait_idle(container_of(life, struct dxgk_context, life), deadline_ns);
        }
    }
    if (status == STATUS_SUCCESS && !dxgk_flip_commands_wait(device, deadline_ns)) {
        status = STATUS_TIMEOUT;
    }
    return status;
}

/* Asked again, the driver finds what its client had written. */
#define ALONE_NS (2 * NS_PER_S) /* guess */

struct resting {
    struct dxgk_adapter *adapter;
    bool rests; /* when it was asked last */
    bool long_enough;
};

static bool rests(void *context)
{
    struct resting *resting = context;

    return resting->rests = resting->long_enough || vidsch_is_idle(&resting->adapter->vidsch);
}

/* Others may submit while the caller waits at the gates: then it waits again. What waits for the
 * caller itself is waited for as long as that alone. */
static NTSTATUS ask(struct dxgk_adapter *adapter, const DXGKARG_ESCAPE *arguments)
{
    struct resting resting = {.adapter = adapter, .rests = true};
    uint64_t deadline_ns = machine_now_ns() + ALONE_NS;
    const struct ddi_late late = {rests, &resting};
    NTSTATUS status;

    if (!arguments->Flags.HardwareAccess) {
        return ddi_escape(&adapter->ddi, adapter->ddi.miniport_context, arguments, 0);
    }
    do {
        resting.long_enough = !dxgk_adapter_wait_idle(adapter, deadline_ns);
        status = ddi_escape_alone(&adapter->ddi, arguments, &late);
    } while (!resting.rests);
    return status;
}

static NTSTATUS call_escape(struct dxgk_adapter *adapter, const struct dxgk_escape_request *request)
{
    UINT size = vary_on(VARY_SHORT_MEMORY) ? request->private_size : 0;
    void *copy = size > 0 ? malloc(size) : NULL;
    struct dxgk_attempt attempt = dxgk_first_attempt(size > 0 && !copy);
    NTSTATUS status;
    const DXGKARG_ESCAPE arguments = {
        .hDevice = request->device ? request->device->driver_handle : NULL,
        .Flags = request->flags,
        .pPrivateDriverData = request->private_data,
        .PrivateDriverDataSize = request->private_size,
        .hContext = request->context ? request->context->driver_handle : NULL,
    };

    if (copy) {
        memcpy(copy, request->private_data, size);
    }
    while (status = ask(adapter, &arguments), dxgk_tries_again(status, &attempt)) {
        if (copy) {
            memcpy(request->private_data, copy, size);
        }
    }
    free(copy);
    return status;
}

/* What a client may say of it to a driver of the version. What the runtime answers by itself does
 * not come here, and that a virtual machine asks the kernel says. */
static bool knows_flags(const struct dxgk_adapter *adapter, D3DDDI_ESCAPEFLAGS flags)
{
    D3DDDI_ESCAPEFLAGS known = {.Value = 0};

    known.HardwareAccess = 1;
    known.NoAdapterSynchronization = adapter->features.loose_escapes;
    known.DriverKnownEscape = known.DriverCommonEscape = adapter->features.known_escapes;
    return (flags.Value & ~known.Value) == 0;
}

NTSTATUS dxgk_escape(struct dxgk_adapter *adapter, const struct dxgk_escape_request *request)
{
    struct dxgk_device *device = request->device;
    struct dxgk_context *context = request->context;
    NTSTATUS status = STATUS_INVALID_HANDLE;

    if (!knows_flags(adapter, request->flags)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (device && !life_enter(&device->life)) {
        return status;
    }
    if (!context || life_enter(&context->life)) {
        status = call_escape(adapter, request);
        if (context) {
            life_leave(&context->life);
        }
    }
    if (device) {
        life_leave(&device->life);
    }
    return status;
}

/* ---- The system's own ------------------------------------------------------------------------ */

NTSTATUS dxgk_system_context_create(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    dxgk_hwqueues_start(adapter);
    NTSTATUS status = dxgk_space_begin(&adapter->system_space, adapter, adapter->object);

    if (!NT_SUCCESS(status)) {
        snprintf(failure->text, sizeof failure->text,
                 "DxgkDdiCreateProcess for the system process failed with %s", status_name(status));
        return status;
    }
    status = make_device(adapter, NULL, false, &adapter->system_device);
    if (!NT_SUCCESS(status)) {
        dxgk_space_end(&adapter->system_space);
        snprintf(failure->text, sizeof failure->text,
                 "DxgkDdiCreateDevice for the system device failed with %s", status_name(status));
        return status;
    }
    const struct dxgk_context_request request = {.node = adapter->paging_node,
                                                 .virtual_addresses = adapter->mmu.pages};
    uint64_t calls = dxgk_driver_calls();
    status = dxgk_context_make(adapter->system_device, &request, true, &adapter->system_context);
    if (!NT_SUCCESS(status)) {
        failure->ours = status == STATUS_GRAPHICS_NO_VIDEO_MEMORY &&
                        !dxgk_driver_refusal(calls, status) && dxgk_adapter_lacks_tables(adapter);
        snprintf(failure->text, sizeof failure->text,
                 "DxgkDdiCreateContext for the system context on node %u failed with %s%s",
                 adapter->paging_node, status_name(status),
                 failure->ours ? ", for video memory has no room for page tables" : "");
        adapter->system_context = NULL;
        (void)dxgk_device_destroy(adapter->system_device);
        adapter->system_device = NULL;
        dxgk_space_end(&adapter->system_space);
    } else if (!adapter->contexts) {
        /* A driver without contexts gets NULL for paging [SUBMIT-010]. */
        adapter->system_context->driver_handle = NULL;
    }
    return status;
}

void dxgk_system_context_destroy(struct dxgk_adapter *adapter)
{
    if (adapter->system_device) {
        (void)dxgk_device_destroy(adapter->system_device);
        adapter->system_device = NULL;
        adapter->system_context = NULL;
        for (unsigned i = 0; i < adapter->node_count; i++) {
            adapter->engines[i].null = NULL;
        }
        dxgk_space_end(&adapter->system_space);
    }
}
