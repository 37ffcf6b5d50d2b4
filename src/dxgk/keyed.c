/* Keyed mutexes: made, opened, acquired and released; see the header. */
#include "dxgk/keyed.h"
#include "dxgk/internal.h"
#include "dxgk/life.h"

#include <stdlib.h>
#include <string.h>

/* What all who have it open know of it; it ends with the last of them. */
struct dxgk_keyed_core {
    struct dxgk_life life; /* with a handle that every process can open, or with none */
    unsigned open_count;   /* openings that live, and handles of the system */
    struct dxgk_keyed *owner;
    bool abandoned, nt_security;
    UINT64 key; /* of the last release */
    UINT64 fence_value;
    void *runtime_data;
    UINT runtime_size;
    uint32_t number;
    struct wait_queue changed;
};

struct dxgk_keyed {
    struct dxgk_life life; /* linked in its process's */
    struct dxgk_keyed_core *core;
    struct dxgk_process *process; /* outlives it */
};

/* ---- What is shared -------------------------------------------------------------------------- */

static void free_core(struct dxgk_life *life)
{
    struct dxgk_keyed_core *core = container_of(life, struct dxgk_keyed_core, life);

    if (core->number) {
        record_object_dead(core->number, OBJECT_FENCE);
    }
    free(core->runtime_data);
    free(core);
}

static NTSTATUS furnish(struct dxgk_keyed_core *core, const struct dxgk_keyed_request *request)
{
    core->key = request->key;
    core->nt_security = request->nt_security;
    core->number = record_object_new(OBJECT_FENCE, 0);
    wait_queue_init(&core->changed);
    if (request->runtime_size > 0) {
        core->runtime_data = malloc(request->runtime_size);
        if (!core->runtime_data) {
            return STATUS_NO_MEMORY;
        }
        memcpy(core->runtime_data, request->runtime_data, request->runtime_size);
        core->runtime_size = request->runtime_size;
    }
    if (!core->nt_security) {
        core->life.handle = dxgk_handle_new(DXGK_KIND_SHARED_KEYED, &core->life, NULL);
        return core->life.handle ? STATUS_SUCCESS : STATUS_NO_MEMORY;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS new_core(const struct dxgk_keyed_request *request, struct dxgk_keyed_core **out)
{
    struct dxgk_keyed_core *core = calloc(1, sizeof *core);

    if (!core) {
        return STATUS_NO_MEMORY;
    }
    life_init(&core->life, DXGK_KIND_SHARED_KEYED, free_core);
    NTSTATUS status = furnish(core, request);
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

bool dxgk_keyed_core_open(struct dxgk_keyed_core *core)
{
    return life_open(&core->life, &core->open_count);
}

void dxgk_keyed_core_close(struct dxgk_keyed_core *core)
{
    if (life_close(&core->life, &core->open_count)) {
        life_put(&core->life); /* its maker's */
    }
    life_put(&core->life);
}

struct dxgk_life *dxgk_keyed_core_life(struct dxgk_keyed_core *core)
{
    return &core->life;
}

/* ---- Openings -------------------------------------------------------------------------------- */

static void free_keyed(struct dxgk_life *life)
{
    struct dxgk_keyed *keyed = container_of(life, struct dxgk_keyed, life);

    life_put(&keyed->core->life);
    life_put(&keyed->process->life);
    free(keyed);
}

NTSTATUS dxgk_keyed_open(struct dxgk_process *process, struct dxgk_keyed_core *core,
                         struct dxgk_keyed **out)
{
    struct dxgk_keyed *keyed = calloc(1, sizeof *keyed);

    if (!keyed) {
        return STATUS_NO_MEMORY;
    }
    if (!dxgk_keyed_core_open(core)) {
        free(keyed);
        return STATUS_INVALID_HANDLE;
    }
    life_init(&keyed->life, DXGK_KIND_KEYED, free_keyed);
    keyed->core = core;
    life_get(&core->life);
    keyed->process = process;
    life_get(&process->life);
    keyed->life.handle = dxgk_handle_new(DXGK_KIND_KEYED, &keyed->life, process);
    if (!keyed->life.handle) {
        dxgk_keyed_core_close(core);
        life_put(&keyed->life);
        return STATUS_NO_MEMORY;
    }
    list_push_back(&process->keyeds, &keyed->life.link);
    life_begin(&keyed->life);
    dxgk_handle_show(keyed->life.handle);
    *out = keyed;
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_keyed_create(struct dxgk_process *process, const struct dxgk_keyed_request *request,
                           struct dxgk_keyed **out)
{
    struct dxgk_keyed_core *core;
    NTSTATUS status = new_core(request, &core);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    CHECK_THAT(dxgk_keyed_core_open(core)); /* while it is opened */
    status = dxgk_keyed_open(process, core, out);
    dxgk_keyed_core_close(core);
    return status;
}

NTSTATUS dxgk_keyed_destroy(struct dxgk_keyed *keyed)
{
    struct dxgk_keyed_core *core = keyed->core;

    if (!life_end(&keyed->life)) {
        return STATUS_INVALID_HANDLE;
    }
    life_unlink(&keyed->life);
    if (core->owner == keyed) {
        core->owner = NULL;
        core->abandoned = true;
    }
    wait_queue_wake(&core->changed, UINT_MAX); /* who waits by this opening, too */
    dxgk_keyed_core_close(core);
    life_put(&keyed->life);
    return STATUS_SUCCESS;
}

void dxgk_keyeds_close(struct dxgk_process *process)
{
    for (struct dxgk_life *life; (life = life_living(&process->keyeds)) != NULL;) {
        (void)dxgk_keyed_destroy(container_of(life, struct dxgk_keyed, life));
    }
}

/* ---- Acquiring and releasing ----------------------------------------------------------------- */

/* On the stack of the call. */
struct waiter {
    struct list link;
    struct task *task;
    const struct dxgk_keyed *keyed;
    UINT64 key;
    bool endless;
};

static struct list waiters = {&waiters, &waiters};

static bool is_free_for(const struct dxgk_keyed_core *core, UINT64 key)
{
    return !core->owner && core->key == key;
}

/* Whom a release wakes tries again: of several with one key any may be the first. */
NTSTATUS dxgk_keyed_acquire(struct dxgk_keyed *keyed, UINT64 key, uint64_t deadline_ns)
{
    struct dxgk_keyed_core *core = keyed->core;
    struct waiter self = {
        .task = task_self(), .keyed = keyed, .key = key, .endless = deadline_ns == MACHINE_NEVER};
    bool late = false;

    list_push_back(&waiters, &self.link);
    while (keyed->life.state == LIFE_LIVING && !core->abandoned && !is_free_for(core, key) &&
           !late) {
        late = machine_now_ns() >= deadline_ns ||
               (wait_queue_wait(&core->changed, deadline_ns) == WAIT_TIMED_OUT &&
                !is_free_for(core, key));
    }
    list_remove(&self.link);
    if (keyed->life.state != LIFE_LIVING) {
        return STATUS_INVALID_HANDLE;
    }
    if (core->abandoned) {
        return STATUS_ABANDONED;
    }
    if (!is_free_for(core, key)) {
        return STATUS_TIMEOUT;
    }
    core->owner = keyed;
    return STATUS_SUCCESS;
}

bool dxgk_keyed_has(const struct dxgk_keyed *keyed)
{
    return keyed->core->owner == keyed;
}

NTSTATUS dxgk_keyed_release(struct dxgk_keyed *keyed, const struct dxgk_keyed_release *release)
{
    struct dxgk_keyed_core *core = keyed->core;

    if (keyed->life.state != LIFE_LIVING) {
        return STATUS_INVALID_HANDLE;
    }
    if (core->owner != keyed ||
        (release->runtime_size != 0 && release->runtime_size != core->runtime_size)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (release->runtime_size > 0) {
        memcpy(core->runtime_data, release->runtime_data, release->runtime_size);
    }
    core->owner = NULL;
    core->key = release->key;
    core->fence_value = release->fence_value;
    wait_queue_wake(&core->changed, UINT_MAX);
    return STATUS_SUCCESS;
}

/* ---- Looking --------------------------------------------------------------------------------- */

D3DKMT_HANDLE dxgk_keyed_handle(const struct dxgk_keyed *keyed)
{
    return keyed->life.handle;
}

D3DKMT_HANDLE dxgk_keyed_shared_handle(const struct dxgk_keyed *keyed)
{
    return keyed->core->life.handle;
}

struct dxgk_keyed_core *dxgk_keyed_shared(const struct dxgk_keyed *keyed)
{
    return keyed->core;
}

bool dxgk_keyed_has_nt_security(const struct dxgk_keyed *keyed)
{
    return keyed->core->nt_security;
}

UINT64 dxgk_keyed_fence_value(const struct dxgk_keyed *keyed)
{
    return keyed->core->fence_value;
}

const void *dxgk_keyed_runtime_data(const struct dxgk_keyed_core *core, UINT *size)
{
    *size = core->runtime_size;
    return core->runtime_data;
}

static const struct waiter *waiter_of(const struct dxgk_process *process)
{
    list_for_each (link, &waiters) {
        const struct waiter *waiter = container_of(link, struct waiter, link);
        if (waiter->endless && waiter->keyed->process == process) {
            return waiter;
        }
    }
    return NULL;
}

bool dxgk_keyed_wait_of(const struct dxgk_process *process, struct dxgk_keyed_wait *out)
{
    const struct waiter *waiter = waiter_of(process);

    if (waiter) {
        const struct dxgk_keyed_core *core = waiter->keyed->core;
        *out = (struct dxgk_keyed_wait){.owner = core->owner ? core->owner->process : NULL,
                                        .number = core->number,
                                        .key = waiter->key,
                                        .released = core->key};
    }
    return waiter != NULL;
}

const struct dxgk_process *dxgk_keyed_waiter_at(unsigned index)
{
    list_for_each (link, &waiters) {
        const struct waiter *waiter = container_of(link, struct waiter, link);
        if (waiter->endless && index-- == 0) {
            return waiter->keyed->process;
        }
    }
    return NULL;
}

bool dxgk_keyed_task_waits(const struct task *task)
{
    list_for_each (link, &waiters) {
        const struct waiter *waiter = container_of(link, struct waiter, link);
        if (waiter->task == task) {
            return waiter->endless && task_is_blocked(task);
        }
    }
    return false;
}
