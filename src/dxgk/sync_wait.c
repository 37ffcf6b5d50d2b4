/* Waits of CPUs for synchronisation objects: in a call of the client, or with an event that is
 * signalled when they are over; and events that contexts signal. */
#include "dxgk/work.h"

#include <stdlib.h>

/* ---- In a call ------------------------------------------------------------------------------- */

/* On the stack of his call. */
struct cpu_wait {
    struct list link;
    struct task *task;
    const struct dxgk_process *process;
    const struct sync_item *item; /* the first that it waits for */
};

static struct list cpu_waits = {&cpu_waits, &cpu_waits};

bool dxgk_sync_task_waits(const struct task *task)
{
    list_for_each (link, &cpu_waits) {
        if (container_of(link, struct cpu_wait, link)->task == task) {
            return task_is_blocked(task);
        }
    }
    return false;
}

const struct sync_item *dxgk_sync_cpu_wait_of(const struct dxgk_process *process)
{
    list_for_each (link, &cpu_waits) {
        const struct cpu_wait *wait = container_of(link, struct cpu_wait, link);
        if (wait->process == process) {
            return wait->item;
        }
    }
    return NULL;
}

static NTSTATUS make_items(const struct dxgk_sync_wait *wait, struct sync_item *items)
{
    for (UINT i = 0; i < wait->count; i++) {
        const struct dxgk_sync *sync = wait->objects[i];
        if (sync->life.state != LIFE_LIVING) {
            return STATUS_INVALID_HANDLE;
        }
        if (sync->core->type == D3DDDI_CPU_NOTIFICATION ||
            sync->core->adapter != wait->objects[0]->core->adapter) {
            return STATUS_INVALID_PARAMETER;
        }
        if (!dxgk_sync_may_wait(sync)) {
            return STATUS_ACCESS_DENIED;
        }
        items[i] = (struct sync_item){.object = &sync->core->object, .value = wait->values[i]};
    }
    return STATUS_SUCCESS;
}

/* Any object may end meanwhile: that lets its waits go, and its caller keeps its memory. */
NTSTATUS dxgk_syncs_wait_cpu(const struct dxgk_sync_wait *wait)
{
    struct sync_item items[D3DDDI_MAX_OBJECT_WAITED_ON];
    struct cpu_wait self = {.task = task_self(), .process = dxgk_process_current(), .item = items};
    NTSTATUS status = make_items(wait, items);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    list_push_back(&cpu_waits, &self.link);
    status = sync_wait_block(items, wait->count, wait->any, MACHINE_NEVER, NULL);
    list_remove(&self.link);
    return status;
}

NTSTATUS dxgk_sync_wait_cpu(struct dxgk_sync *sync, UINT64 value, uint64_t deadline_ns)
{
    const struct dxgk_sync_wait wait = {.objects = &sync, .values = &value, .count = 1};
    struct sync_item item;
    NTSTATUS status = make_items(&wait, &item);

    return NT_SUCCESS(status) ? sync_wait_block(&item, 1, false, deadline_ns, NULL) : status;
}

/* ---- With an event --------------------------------------------------------------------------- */

/* Of a process, so that none takes the host's memory; ours. */
#define EVENT_WAITS_MAX 4096u

struct event_wait {
    struct list link;             /* in its process's */
    struct dxgk_process *process; /* a reference */
    struct sync_wait wait;
    struct sync_item items[D3DDDI_MAX_OBJECT_WAITED_ON];
    struct dxgk_sync *objects[D3DDDI_MAX_OBJECT_WAITED_ON]; /* references */
    struct _KEVENT *event;                                  /* likewise */
};

static void free_event_wait(struct event_wait *wait)
{
    list_remove(&wait->link);
    for (unsigned i = 0; i < wait->wait.item_count; i++) {
        life_put(&wait->objects[i]->life);
    }
    nt_object_put(wait->event);
    wait->process->event_wait_count--;
    life_put(&wait->process->life);
    free(wait);
}

/* DISPATCH_LEVEL or below. */
static void event_wait_done(struct sync_wait *base, NTSTATUS status)
{
    struct event_wait *wait = container_of(base, struct event_wait, wait);

    nt_event_signal(wait->event);
    free_event_wait(wait);
}

static struct event_wait *new_event_wait(const struct dxgk_process *process)
{
    if (process->event_wait_count >= EVENT_WAITS_MAX) {
        record_count("client.bounds", 1);
        return NULL;
    }
    return calloc(1, sizeof(struct event_wait));
}

NTSTATUS dxgk_sync_wait_event(struct dxgk_process *process, const struct dxgk_sync_wait *wanted,
                              HANDLE event)
{
    struct event_wait *wait = new_event_wait(process);

    if (!wait) {
        return STATUS_NO_MEMORY;
    }
    NTSTATUS status = make_items(wanted, wait->items);
    if (NT_SUCCESS(status) && !dxgk_event_find(process, event, &wait->event)) {
        status = STATUS_INVALID_HANDLE;
    }
    if (!NT_SUCCESS(status)) {
        free(wait);
        return status;
    }
    wait->process = process;
    process->event_wait_count++;
    life_get(&process->life);
    for (UINT i = 0; i < wanted->count; i++) {
        wait->objects[i] = wanted->objects[i];
        life_get(&wait->objects[i]->life);
    }
    wait->wait = (struct sync_wait){.items = wait->items,
                                    .item_count = wanted->count,
                                    .any = wanted->any,
                                    .done = event_wait_done};
    list_push_back(&process->event_waits, &wait->link);
    struct sync_domain *domain = wait->items[0].object->domain;
    if (sync_wait_begin(&wait->wait)) {
        event_wait_done(&wait->wait, STATUS_SUCCESS);
    }
    sync_watches_tell(domain);
    return STATUS_SUCCESS;
}

/* One that is over, and whose event is about to be signalled, goes by itself. */
void dxgk_event_waits_end(struct dxgk_process *process)
{
    list_for_each_safe (link, &process->event_waits) {
        struct event_wait *wait = container_of(link, struct event_wait, link);
        if (sync_wait_cancel(&wait->wait)) {
            free_event_wait(wait);
        }
    }
}

/* ---- On a context's time line ---------------------------------------------------------------- */

/* Also where its work is lost: nobody waits for ever. */
static void event_done(struct dxgk_packet *packet, NTSTATUS status)
{
    nt_event_signal(packet->event);
    nt_object_put(packet->event);
    packet->event = NULL;
}

static const struct dxgk_road event_road = {
    .name = "event",
    .kind = VIDSCH_PACKET_SIGNAL,
    .done = event_done,
};

NTSTATUS dxgk_event_signal_gpu(struct dxgk_context *context, HANDLE handle)
{
    struct _KEVENT *event;

    if (!dxgk_event_find(context->device->process, handle, &event)) {
        return STATUS_INVALID_HANDLE;
    }
    if (!life_enter(&context->life)) {
        nt_object_put(event);
        return STATUS_INVALID_HANDLE;
    }
    struct dxgk_packet *packet =
        dxgk_packet_has_room(context, 1) ? dxgk_packet_new(context, &event_road) : NULL;
    if (packet) {
        packet->event = event;
        dxgk_packet_push(packet);
    } else {
        nt_object_put(event);
    }
    life_leave(&context->life);
    return packet ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}
