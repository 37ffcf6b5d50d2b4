/* Processes, and what a driver knows of them on an adapter.
 *
 * From WDDM 2.0 on a driver may have objects of its own for processes: it is told of one before the
 * first device of the process, and of its end behind the last [PT-012]. The system process owns the
 * paging device; it is there as long as the adapter runs. */
#include "dxgk/fence_memory.h"
#include "dxgk/leads.h"
#include "dxgk/resource.h"
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

/* The system's has none where its context works with physical addresses. */
static NTSTATUS begin_addresses(struct dxgk_space *space)
{
    struct dxgk_adapter *adapter = space->adapter;
    bool system = space == &adapter->system_space;
    struct vidmm_space_options options = {.kind = VIDMM_SPACE_PAGING};

    if (!(system ? adapter->mmu.pages : adapter->mmu.present)) {
        return STATUS_SUCCESS;
    }
    if (system) {
        options.scratch_bytes = adapter->mmu.paging_bytes;
        options.buffer_bytes = dxgk_paging_buffer_addresses(adapter);
    } else {
        options.kind = VIDMM_SPACE_PROCESS;
        options.account = &container_of(space, struct dxgk_process, space)->account;
    }
    NTSTATUS status = vidmm_space_init(&space->memory, adapter->vidmm, &options);
    space->has_addresses = NT_SUCCESS(status);
    return status;
}

static NTSTATUS create_driver_process(struct dxgk_space *space)
{
    struct dxgk_adapter *adapter = space->adapter;
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    DXGKARG_CREATEPROCESS arguments;
    ULONG pasid = space->pasid;
    NTSTATUS status;

    if (!adapter->features.wddm2 || !ddi_has(&adapter->ddi, POINT_CreateProcess)) {
        return STATUS_SUCCESS;
    }
    space->creating = true;
    do {
        arguments = (DXGKARG_CREATEPROCESS){.hDxgkProcess = handle_of(space),
                                            .NumPasid = pasid != 0,
                                            .pPasid = pasid != 0 ? &pasid : NULL};
        arguments.Flags.SystemProcess = space == &adapter->system_space;
        status = ddi_create_process(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                    space->object);
    } while (dxgk_tries_again(status, &attempt));
    space->creating = false;
    space->created = NT_SUCCESS(status);
    space->driver_handle = space->created ? arguments.hKmdProcess : NULL;
    return status;
}

static void end_addresses(struct dxgk_space *space)
{
    struct vidmm_wait wait;

    if (!space->has_addresses) {
        return;
    }
    for (;;) {
        if (vidmm_space_retire(&space->memory, &wait) == STATUS_PENDING) {
            dxgk_wait_memory(space->adapter, &wait, MACHINE_NEVER);
        } else if (wait.paging_sequence == 0) {
            return;
        } else {
            dxgk_paging_kick(space->adapter);
            dxgk_wait_paging(space->adapter, wait.paging_sequence, MACHINE_NEVER);
        }
    }
}

NTSTATUS dxgk_space_begin(struct dxgk_space *space, struct dxgk_adapter *adapter, uint32_t object)
{
    *space = (struct dxgk_space){.adapter = adapter, .object = object};
    wait_queue_init(&space->rooted);
    list_init(&space->fences);
    dxgk_space_owed_init(space);
    NTSTATUS status = begin_addresses(space);
    if (NT_SUCCESS(status)) {
        status = dxgk_iommu_begin(space);
    }
    if (NT_SUCCESS(status)) {
        status = create_driver_process(space);
    }
    if (!NT_SUCCESS(status)) {
        dxgk_space_end(space);
    }
    return status;
}

void dxgk_space_end(struct dxgk_space *space)
{
    dxgk_fence_views_end(space);
    end_addresses(space); /* their operations name the process */
    dxgk_leads_forget(space);
    if (space->created) {
        ddi_destroy_process(&space->adapter->ddi, space->driver_handle, space->object);
    }
    if (space->has_addresses) {
        vidmm_space_fini(&space->memory);
    }
    iommu_pasid_free(space->pasid);
    machine_timer_cancel(&space->owed);
    *space = (struct dxgk_space){0};
}

/* ---- Root tables ----------------------------------------------------------------------------- */

static NTSTATUS write_root(struct dxgk_space *space)
{
    struct vidmm_wait wait;
    NTSTATUS status;

    while ((status = vidmm_space_start(&space->memory, &wait)) == STATUS_PENDING) {
        dxgk_paging_kick(space->adapter);
        dxgk_wait_memory(space->adapter, &wait, MACHINE_NEVER);
    }
    dxgk_paging_kick(space->adapter);
    return status;
}

/* The driver is, or is about to be, inside SetRootPageTable. */
struct root_call {
    struct list link;
    const struct task *task;
};
static struct list root_calls = {&root_calls, &root_calls};

/* Its engine is on. late: as of ddi_set_root_page_table(), as is the answer. */
static bool set_root(const struct dxgk_context *context, const struct vidmm_root *root,
                     const struct ddi_late *late)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    const DXGKARG_SETROOTPAGETABLE arguments = {
        .hContext = context->driver_handle,
        .Address.SegmentId = root->place.segment,
        .Address.SegmentOffset = root->place.offset,
        .NumEntries = root->entry_count,
    };

    struct root_call call = {.task = task_self()};
    list_push_back(&root_calls, &call.link);
    bool is_set = ddi_set_root_page_table(&adapter->ddi, &arguments, late, context->object);
    list_remove(&call.link);
    return is_set;
}

bool dxgk_space_tells_root(void)
{
    list_for_each (link, &root_calls) {
        if (container_of(link, struct root_call, link)->task == task_self()) {
            return true;
        }
    }
    return false;
}

static struct dxgk_space *space_of(const struct dxgk_context *context)
{
    struct dxgk_device *device = context->device;

    return device->process ? &device->process->space : &device->adapter->system_space;
}

NTSTATUS dxgk_space_need_root(struct dxgk_space *space)
{
    NTSTATUS status = STATUS_SUCCESS;

    if (!space->has_addresses) {
        return STATUS_NOT_SUPPORTED;
    }
    while (space->rooting) {
        wait_queue_wait(&space->rooted, MACHINE_NEVER);
    }
    bool binds = space->pasid != 0 && !space->bound; /* addresses are used before any context */
    if (!space->has_root || binds) {
        space->rooting = true;
        status = space->has_root ? STATUS_SUCCESS : write_root(space);
        space->has_root = NT_SUCCESS(status);
        if (space->has_root && binds) {
            status = dxgk_iommu_bind(space);
            space->bound = NT_SUCCESS(status);
        }
        space->rooting = false;
        wait_queue_wake(&space->rooted, UINT_MAX);
    }
    return status;
}

static bool same_root(const struct vidmm_root *a, const struct vidmm_root *b)
{
    return a->place.segment == b->place.segment && a->place.offset == b->place.offset &&
           a->entry_count == b->entry_count;
}

struct root_wish {
    struct dxgk_space *space;
    struct vidmm_root root;
};

/* Without hardware, what is queued ends and nothing is written. */
static bool is_lost(const struct dxgk_space *space)
{
    return space->adapter->state == DXGK_ADAPTER_LOST;
}

/* A reset ends what was waited for, and has the tables written anew. */
static bool is_written(void *context)
{
    const struct root_wish *wish = context;
    struct vidmm_root root;

    vidmm_space_root(&wish->space->memory, &root);
    return root.paging_sequence <= wish->root.paging_sequence && !is_lost(wish->space);
}

/* It may move before the context is on a list, where the worker would find it. */
NTSTATUS dxgk_space_give_root(const struct dxgk_context *context)
{
    struct dxgk_space *space = space_of(context);
    NTSTATUS status = dxgk_space_need_root(space);
    struct root_wish wish = {.space = space};
    const struct ddi_late late = {is_written, &wish};
    struct vidmm_root *root = &wish.root, given = {0};

    if (space->pasid != 0) {
        return NT_SUCCESS(status) ? dxgk_iommu_bind(space) : status;
    }
    status = NT_SUCCESS(status) ? dxgk_space_keep_tables(space) : status;
    if (!NT_SUCCESS(status)) {
        return status;
    }
    for (;;) {
        vidmm_space_root(&space->memory, root);
        if (same_root(root, &given)) {
            break;
        }
        status = dxgk_wait_paging(space->adapter, root->paging_sequence, MACHINE_NEVER);
        if (!NT_SUCCESS(status) || is_lost(space)) {
            break;
        }
        dxgk_components_take(space->adapter, context->node);
        if (set_root(context, root, &late)) {
            dxgk_leads_root(space);
            given = *root;
        }
        dxgk_components_give(space->adapter, context->node);
    }
    vidmm_space_let_tables_go(&space->memory);
    return status;
}

/* Contexts of the process have nothing on the hardware: rest.c. One that the driver is about to
 * forget stays for the call. */
void dxgk_space_tell_root(struct dxgk_adapter *adapter, const struct vidmm_op *op)
{
    const struct dxgk_space *space = container_of(op->root.space, struct dxgk_space, memory);

    for_each_life(outer, &adapter->devices)
    {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life);
        for_each_life(life, &device->contexts)
        {
            struct dxgk_context *context = container_of(life, struct dxgk_context, life);
            if (context->virtual_addresses && context->owns_handle && space_of(context) == space) {
                context->rooting = true;
                dxgk_components_take(adapter, context->node);
                (void)set_root(context, &op->root.root, NULL);
                dxgk_components_give(adapter, context->node);
                context->rooting = false;
                wait_queue_wake(&context->changed, UINT_MAX);
            }
        }
    }
}

/* ---- Reserved ranges ------------------------------------------------------------------------- */

/* Nobody's task makes the system's. */
static struct dxgk_space *being_created(struct dxgk_adapter *adapter, HANDLE handle)
{
    struct dxgk_process *process = dxgk_process_current();
    struct dxgk_space *space = process ? &process->space : &adapter->system_space;

    return space->creating && handle_of(space) == handle ? space : NULL;
}

/* Only while the process is made [PT-013]. */
NTSTATUS dxgk_reserve_gpu_virtual_address_range(struct ddi_adapter *ddi,
                                                DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *range)
{
    struct dxgk_space *space = being_created(dxgk_adapter_of(ddi), range->hDxgkProcess);
    struct vidmm_wait wait;

    if (!space || !space->has_addresses) {
        return STATUS_INVALID_PARAMETER;
    }
    const struct vidmm_reserve_request request = {
        .base = range->BaseAddress,
        .alignment_bytes = range->Alignment,
        .size_bytes = range->SizeInBytes,
        .protection = VIDMM_PROTECT_NO_ACCESS,
    };
    return vidmm_space_reserve(&space->memory, &request, &range->StartVirtualAddress, &wait);
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
    list_init(&process->syncs);
    list_init(&process->keyeds);
    list_init(&process->shares);
    list_init(&process->sections);
    list_init(&process->events);
    list_init(&process->event_waits);
    wait_queue_init(&process->entered);
    dxgk_trimmer_init(&process->trimmer);
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
    dxgk_trimmer_end(process);
    CHECK_THAT(life_end(&process->life));
    while (!list_empty(&process->devices)) {
        dxgk_device_destroy(container_of(process->devices.next, struct dxgk_device, process_link));
    }
    dxgk_event_waits_end(process);
    for (struct dxgk_life *life; (life = life_living(&process->syncs)) != NULL;) {
        (void)dxgk_sync_destroy(container_of(life, struct dxgk_sync, life));
    }
    dxgk_keyeds_close(process);
    dxgk_shares_close(process);
    dxgk_events_close(process);
    dxgk_sections_close(process);
    dxgk_handles_close(process);
    if (process->memory_ready) {
        struct dxgk_adapter *adapter = process->space.adapter;
        dxgk_space_end(&process->space);
        vidmm_account_fini(&process->account);
        dxgk_trims_wanted(adapter);
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
    vidmm_account_init(&process->account, adapter->vidmm);
    status = dxgk_space_begin(&process->space, adapter, process->object);
    process->memory_ready = NT_SUCCESS(status);
    if (!process->memory_ready) {
        vidmm_account_fini(&process->account);
    }
    process->entering = false;
    wait_queue_wake(&process->entered, UINT_MAX);
    dxgk_trims_wanted(adapter);
    return status;
}

struct dxgk_process *dxgk_process_current(void)
{
    return task_self() ? task_slot(task_self(), TASK_SLOT_CLIENT) : NULL;
}

void dxgk_process_set_current(struct dxgk_process *process)
{
    task_set_slot(task_self(), TASK_SLOT_CLIENT, process);
    task_set_slot(task_self(), TASK_SLOT_AUTHOR,
                  process ? (void *)(uintptr_t)process->author : NULL);
    nt_process_set_current(process ? process->nt : NULL);
}

void dxgk_process_set_author(struct dxgk_process *process, unsigned author)
{
    process->author = author;
}

uint32_t dxgk_process_number(const struct dxgk_process *process)
{
    return process ? process->object : 0;
}

struct dxgk_refusal *dxgk_refusal_here(void)
{
    struct dxgk_process *process = dxgk_process_current();
    struct dxgk_refusal *kept = process ? task_slot(task_self(), TASK_SLOT_REFUSAL) : NULL;

    return kept || !process ? kept : &process->answers.last;
}

void dxgk_refusal_keep(struct dxgk_refusal *refusal)
{
    task_set_slot(task_self(), TASK_SLOT_REFUSAL, refusal);
}

uint64_t dxgk_driver_calls(void)
{
    return ddi_call_count();
}

uint64_t dxgk_driver_task_calls(void)
{
    return ddi_task_call_count();
}

const char *dxgk_driver_refusal(uint64_t driver_calls, NTSTATUS status)
{
    enum contract_point point = ddi_failed_since(driver_calls, status);

    return point < POINT_COUNT ? contract_point_info(point)->name : NULL;
}
