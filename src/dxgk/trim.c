/* Trimming: clients are told when they should let go of memory themselves.
 *
 *     shares change, somebody had to make room ──> worker ──> the process's trimmer, a task
 *         ──> each registered routine, one after the other, in that task
 *
 * A client is over its budget when it wants more in place than its share. While memory is short it
 * is told from time to time, too, to let go what it has not used for a while. Nobody has to. */
#include "dxgk/work.h"

#include <stdlib.h>

/* Between two periodic notices; after a longer pause the first one begins anew. */
#define PERIOD_NS (UINT64_C(20) * 1000 * 1000)
#define PAUSE_NS  (5 * PERIOD_NS)
/* As much as a thread of the client's own has. */
#define STACK_BYTES (1u << 20)

struct dxgk_trimming {
    struct dxgk_life life; /* in its process's trimmer; inside: the task that tells it */
    struct dxgk_device *device;
    struct dxgk_trim_client client;
};
ASSERT_BEGINS_WITH_LIFE(dxgk_trimming);

/* ---- Telling --------------------------------------------------------------------------------- */

static bool tells_periodic(const struct dxgk_trimmer *trimmer, const struct dxgk_adapter *adapter)
{
    return adapter->trims.pressure.evictions != trimmer->evictions;
}

/* When somebody is to be told next; MACHINE_NEVER: nobody knows. */
static uint64_t next_ns(const struct dxgk_trimmer *trimmer, const struct dxgk_adapter *adapter)
{
    return tells_periodic(trimmer, adapter) ? trimmer->periodic_ns + PERIOD_NS : MACHINE_NEVER;
}

static void fill_periodic(struct dxgk_trimmer *trimmer, const struct dxgk_adapter *adapter,
                          struct dxgk_trim_notice *notice)
{
    uint64_t now = machine_now_ns();

    if (!tells_periodic(trimmer, adapter) ||
        (trimmer->periodic_ns > 0 && now < next_ns(trimmer, adapter))) {
        return;
    }
    notice->restart = trimmer->periodic_ns == 0 || now - trimmer->periodic_ns > PAUSE_NS;
    notice->periodic = !notice->restart;
    trimmer->periodic_ns = now;
    trimmer->evictions = adapter->trims.pressure.evictions;
}

static void tell_all(struct dxgk_process *process, struct dxgk_trim_notice notice)
{
    for_each_life(life, &process->trimmer.all)
    {
        struct dxgk_trimming *trimming = container_of(life, struct dxgk_trimming, life);
        if (!life_enter(life)) {
            continue;
        }
        bool wants = trimming->device->residency.list.size_bytes > 0;
        notice.bytes = wants ? vidmm_account_over(&process->account) : 0;
        if (notice.bytes > 0 || notice.periodic || notice.restart) {
            record_count("memory.trims", 1);
            trimming->client.tell(&trimming->client, &notice);
        }
        life_leave(life);
    }
}

/* A client's task: it is served by us, but while a routine of its own runs. */
static void trim(void *argument)
{
    struct dxgk_process *process = argument;
    struct dxgk_trimmer *trimmer = &process->trimmer;
    struct dxgk_adapter *adapter = process->space.adapter;

    dxgk_process_set_current(process);
    task_serve(process);
    while (!trimmer->stop) {
        struct dxgk_trim_notice notice = {0};
        bool wanted = trimmer->wanted;
        trimmer->wanted = false;
        fill_periodic(trimmer, adapter, &notice);
        if (wanted || notice.periodic || notice.restart) {
            tell_all(process, notice);
        } else {
            task_block(next_ns(trimmer, adapter));
        }
    }
    dxgk_process_set_current(NULL);
    trimmer->ended = true;
    wait_queue_wake(&trimmer->end, UINT_MAX);
}

void dxgk_trims_wanted(struct dxgk_adapter *adapter)
{
    if (adapter->trims.count > 0) {
        dxgk_worker_kick(adapter);
    }
}

void dxgk_trims_work(struct dxgk_adapter *adapter)
{
    struct vidmm_pressure now;

    if (adapter->trims.count == 0) {
        return;
    }
    vidmm_pressure(adapter->vidmm, &now);
    bool shares = now.share_changes != adapter->trims.pressure.share_changes;
    if (!shares && now.evictions == adapter->trims.pressure.evictions) {
        return;
    }
    adapter->trims.pressure = now;
    list_for_each (link, &adapter->devices) {
        struct dxgk_device *device = container_of(link, struct dxgk_device, life.link);
        if (device->process && device->process->trimmer.task) {
            device->process->trimmer.wanted |= shares;
            task_wake(device->process->trimmer.task);
        }
    }
}

/* ---- Registrations --------------------------------------------------------------------------- */

void dxgk_trimmer_init(struct dxgk_trimmer *trimmer)
{
    list_init(&trimmer->all);
    wait_queue_init(&trimmer->end);
}

static NTSTATUS start_trimmer(struct dxgk_process *process, const struct dxgk_adapter *adapter)
{
    const struct task_options options = {
        .name = "trimmer", .stack_bytes = STACK_BYTES, .daemon = true};
    struct dxgk_trimmer *trimmer = &process->trimmer;

    if (trimmer->task) {
        return STATUS_SUCCESS;
    }
    trimmer->evictions = adapter->trims.pressure.evictions;
    return task_create(&options, trim, process, &trimmer->task);
}

void dxgk_trimmer_end(struct dxgk_process *process)
{
    struct dxgk_trimmer *trimmer = &process->trimmer;

    if (!trimmer->task) {
        return;
    }
    trimmer->stop = true;
    task_wake(trimmer->task);
    while (!trimmer->ended) {
        wait_queue_wait(&trimmer->end, MACHINE_NEVER);
    }
    task_put(trimmer->task);
    trimmer->task = NULL;
}

static void free_trimming(struct dxgk_life *life)
{
    struct dxgk_trimming *trimming = container_of(life, struct dxgk_trimming, life);

    life_put(&trimming->device->life);
    free(trimming);
}

static struct dxgk_trimming *new_trimming(struct dxgk_device *device,
                                          const struct dxgk_trim_client *client)
{
    struct dxgk_trimming *trimming = calloc(1, sizeof *trimming);

    if (!trimming) {
        return NULL;
    }
    life_init(&trimming->life, DXGK_KIND_TRIMMING, free_trimming);
    life_get(&device->life);
    trimming->device = device;
    trimming->client = *client;
    trimming->life.handle = dxgk_handle_new(DXGK_KIND_TRIMMING, &trimming->life, device->process);
    if (!trimming->life.handle) {
        life_put(&trimming->life);
        return NULL;
    }
    return trimming;
}

NTSTATUS dxgk_trim_register(struct dxgk_device *device, const struct dxgk_trim_client *client,
                            D3DKMT_HANDLE *handle)
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
    if (adapter->trims.count == 0) {
        vidmm_pressure(adapter->vidmm, &adapter->trims.pressure); /* what was before is no news */
    }
    NTSTATUS status = start_trimmer(device->process, adapter);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    struct dxgk_trimming *trimming = new_trimming(device, client);
    if (!trimming) {
        return STATUS_NO_MEMORY;
    }
    adapter->trims.count++;
    life_link(&device->process->trimmer.all, &trimming->life);
    life_begin(&trimming->life);
    dxgk_handle_show(trimming->life.handle);
    *handle = trimming->life.handle;
    return STATUS_SUCCESS;
}

static NTSTATUS end_trimming(struct dxgk_trimming *trimming)
{
    struct dxgk_device *device = trimming->device;

    if (!life_end(&trimming->life)) {
        return STATUS_INVALID_HANDLE;
    }
    if (task_self() != device->process->trimmer.task) {
        life_wait_unused(&trimming->life);
    }
    device->adapter->trims.count--;
    life_unlink(&trimming->life);
    life_put(&trimming->life);
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_trim_unregister(struct dxgk_trimming *trimming, uintptr_t routine)
{
    return trimming->client.routine == routine ? end_trimming(trimming) : STATUS_INVALID_PARAMETER;
}

void dxgk_trims_end(struct dxgk_device *device)
{
    if (!device->process) {
        return;
    }
    for_each_life(life, &device->process->trimmer.all)
    {
        struct dxgk_trimming *trimming = container_of(life, struct dxgk_trimming, life);
        if (trimming->device == device) {
            (void)end_trimming(trimming);
        }
    }
}
