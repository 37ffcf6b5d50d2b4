/* Processes, and what a driver knows of them on an adapter.
 *
 * From WDDM 2.0 on a driver may have objects of its own for processes: it is told of one before the
 * first device of the process, and of its end behind the last [PT-012]. The system process owns the
 * paging device; it is there as long as the adapter runs. */
#include "dxgk/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- On an adapter --------------------------------------------------------------------------- */

/* A number with a mark, as those of adapters: nobody takes it for a pointer. */
static HANDLE handle_of(const struct dxgk_space *space)
{
    return (HANDLE)(UINT64_C(0xE000000000000000) + space->object * 16);
}

NTSTATUS dxgk_space_begin(struct dxgk_space *space, struct dxgk_adapter *adapter, uint32_t object)
{
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    DXGKARG_CREATEPROCESS arguments;
    NTSTATUS status;

    *space = (struct dxgk_space){.adapter = adapter, .object = object};
    if (!adapter->features.wddm2 || !ddi_has(&adapter->ddi, POINT_CreateProcess)) {
        return STATUS_SUCCESS;
    }
    do {
        arguments = (DXGKARG_CREATEPROCESS){.hDxgkProcess = handle_of(space)};
        arguments.Flags.SystemProcess = space == &adapter->system_space;
        status =
            ddi_create_process(&adapter->ddi, adapter->ddi.miniport_context, &arguments, object);
    } while (dxgk_tries_again(status, &attempt));
    space->created = NT_SUCCESS(status);
    space->driver_handle = space->created ? arguments.hKmdProcess : NULL;
    return status;
}

void dxgk_space_end(struct dxgk_space *space)
{
    if (space->created) {
        ddi_destroy_process(&space->adapter->ddi, space->driver_handle, space->object);
    }
    *space = (struct dxgk_space){0};
}

NTSTATUS dxgk_reserve_gpu_virtual_address_range(struct ddi_adapter *ddi,
                                                DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *range)
{
    record_count("callbacks.unserved", 1);
    return STATUS_NOT_SUPPORTED; /* there are no GPU virtual addresses yet */
}

/* ---- Processes ------------------------------------------------------------------------------- */

static void free_process(struct dxgk_life *life)
{
    struct dxgk_process *process = container_of(life, struct dxgk_process, life);

    CHECK_THAT(list_empty(&process->devices));
    free(process);
}

NTSTATUS dxgk_process_create(const char *name, struct dxgk_process **out)
{
    struct dxgk_process *process = calloc(1, sizeof *process);

    if (!process) {
        return STATUS_NO_MEMORY;
    }
    life_init(&process->life, DXGK_KIND_PROCESS, free_process);
    list_init(&process->devices);
    wait_queue_init(&process->entered);
    process->nt = nt_process_create(name);
    if (!process->nt) {
        life_put(&process->life);
        return STATUS_NO_MEMORY;
    }
    snprintf(process->name, sizeof process->name, "%s", name);
    process->object = record_object_new(OBJECT_PROCESS, 0);
    life_begin(&process->life);
    *out = process;
    return STATUS_SUCCESS;
}

void dxgk_process_destroy(struct dxgk_process *process)
{
    CHECK_THAT(life_end(&process->life));
    while (!list_empty(&process->devices)) {
        dxgk_device_destroy(container_of(process->devices.next, struct dxgk_device, process_link));
    }
    dxgk_handles_close(process);
    if (process->memory_ready) {
        dxgk_space_end(&process->space);
        vidmm_account_fini(&process->account);
    }
    record_object_dead(process->object, OBJECT_PROCESS);
    nt_process_destroy(process->nt);
    process->nt = NULL;
    life_put(&process->life);
}

NTSTATUS dxgk_process_enter(struct dxgk_process *process, struct dxgk_adapter *adapter)
{
    NTSTATUS status;

    while (process->entering) {
        wait_queue_wait(&process->entered, MACHINE_NEVER);
    }
    if (process->memory_ready) {
        return STATUS_SUCCESS;
    }
    process->entering = true;
    status = dxgk_space_begin(&process->space, adapter, process->object);
    process->entering = false;
    wait_queue_wake(&process->entered, UINT_MAX);
    if (NT_SUCCESS(status)) {
        vidmm_account_init(&process->account, adapter->vidmm);
        process->memory_ready = true;
    }
    return status;
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

struct dxgk_refusal *dxgk_process_refusal(struct dxgk_process *process)
{
    return &process->refusal;
}

uint64_t dxgk_driver_calls(void)
{
    return ddi_call_count();
}

const char *dxgk_driver_refusal(uint64_t driver_calls, NTSTATUS status)
{
    enum contract_point point = ddi_failed_since(driver_calls, status);

    return point < POINT_COUNT ? contract_point_info(point)->name : NULL;
}
