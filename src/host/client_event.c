/* What clients wait for by their host: events, and in which of its services a thread is. */
#include "host/work.h"

#include <stdlib.h>

/* The running thread of a client; NULL for one that nobody started by us. */
struct drydock_process *host_thread_now(struct work *work)
{
    list_for_each (link, &work->threads) {
        struct drydock_process *thread = container_of(link, struct drydock_process, link);
        if (thread->task == task_self()) {
            return thread;
        }
    }
    return NULL;
}

/* Says while a thread waits for no certain time in which service it does. */
void host_say_waits(struct work *work, const char *service)
{
    struct drydock_process *thread = host_thread_now(work);

    if (thread) {
        thread->waits_in = service;
    }
}

/* The client's pointers, which it may have made up: where nothing is, it is its own fault. */
void host_judge_mark(const struct drydock_workload_host *base, uint64_t mark, const char *what)
{
    if (mark != WORK_ALIVE) {
        host_client_blame(host_work_of(base)->index, "%s that is none, or is no more", what);
        machine_halt();
    }
}

struct drydock_event *host_event_create(const struct drydock_workload_host *base)
{
    struct drydock_event *event = calloc(1, sizeof *event);

    if (event) {
        event->mark = WORK_ALIVE;
        wait_queue_init(&event->waiters);
    }
    return event;
}

static void event_free(struct drydock_event *event)
{
    event->mark = 0;
    free(event);
}

void host_event_destroy(const struct drydock_workload_host *base, struct drydock_event *event)
{
    if (event) {
        host_judge_mark(base, event->mark, "it destroyed an event");
    }
    if (event && event->waiting > event->signals) {
        host_client_blame(host_work_of(base)->index,
                          "it destroyed an event that a thread waits for");
        machine_halt();
    }
    if (event && event->waiting > 0) {
        event->destroyed = true; /* whoever was let go frees it */
        event->mark = 0;
        return;
    }
    if (event) {
        event_free(event);
    }
}

void host_event_signal(const struct drydock_workload_host *base, struct drydock_event *event)
{
    host_judge_mark(base, event->mark, "it signalled an event");
    event->signals++;
    wait_queue_wake(&event->waiters, 1);
}

/* True: signalled. */
static bool wait_in(struct drydock_event *event, uint64_t deadline_ns)
{
    bool signalled = false;

    event->waiting++;
    while (!signalled && wait_queue_wait(&event->waiters, deadline_ns) != WAIT_TIMED_OUT) {
        signalled = event->signals > 0;
    }
    signalled = event->signals > 0;
    event->signals -= signalled;
    event->waiting--;
    if (event->destroyed && event->waiting == 0) {
        event_free(event);
    }
    return signalled;
}

bool host_event_wait(const struct drydock_workload_host *base, struct drydock_event *event,
                     uint64_t deadline_ns)
{
    host_judge_mark(base, event->mark, "it waited for an event");
    if (event->signals > 0) {
        event->signals--;
        return true;
    }
    host_serve(base);
    host_say_waits(host_work_of(base), deadline_ns == DRYDOCK_NEVER ? "event_wait" : NULL);
    bool signalled = wait_in(event, deadline_ns);
    host_say_waits(host_work_of(base), NULL);
    host_served();
    return signalled;
}
