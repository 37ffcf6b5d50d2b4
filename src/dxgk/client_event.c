/* Events that clients have by handle, as CreateEvent() of Windows gives them: see share.h. */
#include "dxgk/flip_queue.h"
#include "dxgk/resource.h"
#include "dxgk/share.h"
#include "dxgk/work.h"

#include <stdlib.h>

#define EVENTS_MAX 4096u /* of a process, so that none takes all handles of the table */

struct client_event {
    struct list link; /* in its process's */
    uint64_t handle;
    struct list ticking;          /* among those that vertical syncs set */
    struct dxgk_adapter *adapter; /* whose, a reference; NULL: those of none */
    unsigned source;
};

static struct list all_ticking = {&all_ticking, &all_ticking};

static struct client_event *find(const struct dxgk_process *process, uint64_t handle)
{
    list_for_each (link, &process->events) {
        struct client_event *event = container_of(link, struct client_event, link);
        if (event->handle == handle) {
            return event;
        }
    }
    return NULL;
}

static bool is_full(const struct dxgk_process *process)
{
    unsigned count = 0;

    list_for_each (link, &process->events) {
        count++;
    }
    return count >= EVENTS_MAX;
}

NTSTATUS dxgk_event_create(struct dxgk_process *process, bool automatic, uint64_t *handle)
{
    struct client_event *event = is_full(process) ? NULL : calloc(1, sizeof *event);

    if (!event) {
        return STATUS_NO_MEMORY;
    }
    NTSTATUS status = nt_event_create(automatic, &event->handle);
    if (!NT_SUCCESS(status)) {
        free(event);
        return status;
    }
    list_push_back(&process->events, &event->link);
    *handle = event->handle;
    return STATUS_SUCCESS;
}

bool dxgk_event_find(const struct dxgk_process *process, HANDLE handle, struct _KEVENT **event)
{
    uint64_t number = (uint64_t)(uintptr_t)handle;

    return find(process, number) && nt_event_from_handle(number, event);
}

static void close_event(struct client_event *event)
{
    (void)nt_handle_close(event->handle); /* a driver may have closed it */
    list_remove(&event->link);
    if (event->adapter) {
        list_remove(&event->ticking);
        event->adapter->sources[event->source].present.listeners--;
        life_put(&event->adapter->life);
    }
    free(event);
}

/* ---- Vertical syncs -------------------------------------------------------------------------- */

static struct client_event *find_ticking(const struct dxgk_process *process,
                                         const struct dxgk_adapter *adapter, unsigned source)
{
    list_for_each (link, &process->events) {
        struct client_event *event = container_of(link, struct client_event, link);
        if (event->adapter == adapter && event->source == source) {
            return event;
        }
    }
    return NULL;
}

NTSTATUS dxgk_vsync_event_open(struct dxgk_process *process, struct dxgk_adapter *adapter,
                               unsigned source, uint64_t *handle)
{
    struct client_event *event = find_ticking(process, adapter, source);

    if (source >= adapter->source_count || !adapter->sources[source].active) {
        return STATUS_INVALID_PARAMETER;
    }
    if (event) {
        *handle = event->handle;
        return STATUS_SUCCESS;
    }
    NTSTATUS status = dxgk_event_create(process, true, handle);
    if (NT_SUCCESS(status)) {
        event = find(process, *handle);
        event->adapter = adapter;
        event->source = source;
        life_get(&adapter->life);
        list_push_back(&all_ticking, &event->ticking);
        adapter->sources[source].present.listeners++;
        dxgk_flip_queue_set_interrupts(&adapter->sources[source]);
    }
    return status;
}

void dxgk_vsync_events_set(struct present_source *present)
{
    const struct dxgk_source *source = container_of(present, struct dxgk_source, present);

    list_for_each (link, &all_ticking) {
        const struct client_event *event = container_of(link, struct client_event, ticking);
        struct _KEVENT *object;
        if (event->adapter == source->adapter && event->source == source->index &&
            nt_event_from_handle(event->handle, &object)) {
            nt_event_signal(object);
            nt_object_put(object);
        }
    }
}

NTSTATUS dxgk_event_close(struct dxgk_process *process, uint64_t handle)
{
    struct client_event *event = find(process, handle);

    if (!event) {
        return STATUS_INVALID_HANDLE;
    }
    close_event(event);
    return STATUS_SUCCESS;
}

void dxgk_events_close(struct dxgk_process *process)
{
    while (!list_empty(&process->events)) {
        close_event(container_of(process->events.next, struct client_event, link));
    }
}
