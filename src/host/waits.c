/* Clients that wait for each other: whose fault it is that nothing goes on. */
#include "host/work.h"

#include <stdio.h>
#include <string.h>

#define STUCK_NS (5 * NS_PER_S)

struct blocked {
    bool everything;               /* nobody in the whole computer can run */
    char why[RECORD_TEXT_MAX / 2]; /* what work waits for; or empty */
};

static void find_driver_call(void *ctx, struct task *task, const void *from, const void *to)
{
    bool *found = ctx;

    *found |= ddi_task_point(task) < POINT_COUNT;
}

/* Does anybody but a client have something to do, or is the driver to answer for something? */
static bool others_are_busy(void)
{
    bool in_driver = false;

    task_each_waiting(find_driver_call, &in_driver);
    return in_driver || !host.adapter || !dxgk_adapter_waits_for_clients(host.adapter);
}

/* Calls that wait for work, as long as that takes. Others may wait for what the display does. */
static bool waits_for_work(const char *call)
{
    static const char *const calls[] = {
        "D3DKMTWaitForIdle",    "D3DKMTLock",         "D3DKMTLock2",   "D3DKMTSetQueuedLimit",
        "D3DKMTSetDisplayMode", "D3DKMTRender",       "D3DKMTPresent", "D3DKMTSubmitCommand",
        "D3DKMTDestroyContext", "D3DKMTDestroyDevice"};

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (strcmp(call, calls[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* The call of D3DKMT that a thread is in, if nobody but a client can end it: at rest any is; else
 * one that has waited for long for work, of which there is none but what waits for clients. */
static const char *stuck_call(const struct drydock_process *thread, const struct blocked *blocked)
{
    const char *call = thread->refusal.inside;

    if (!call || !task_is_blocked(thread->task)) {
        return NULL;
    }
    bool stuck =
        blocked->everything || (blocked->why[0] && waits_for_work(call) &&
                                machine_now_ns() - thread->refusal.inside_since_ns >= STUCK_NS);
    return stuck ? call : NULL;
}

/* In what a thread waits that only a client can end; NULL if in nothing of that kind. */
static const char *waits_for_client(const struct drydock_process *thread,
                                    const struct blocked *blocked)
{
    if (thread->waits_in) {
        return task_is_blocked(thread->task) ? thread->waits_in : NULL;
    }
    if (dxgk_sync_task_waits(thread->task)) {
        return "D3DKMTWaitForSynchronizationObjectFromCpu";
    }
    if (nt_event_task_waits(thread->task)) {
        return "drydock_wait_event";
    }
    if (nt_event_task_waits_for_driver(thread->task)) {
        return NULL;
    }
    return dxgk_keyed_task_waits(thread->task) ? "D3DKMTAcquireKeyedMutex"
                                               : stuck_call(thread, blocked);
}

const char *host_task_is_in(const struct task *task)
{
    for (const struct list *link = host_work_now ? host_work_now->threads.next : NULL;
         link && link != &host_work_now->threads; link = link->next) {
        const struct drydock_process *thread = container_of(link, struct drydock_process, link);
        if (thread->task == task && !thread->ended) {
            return thread->waits_in ? thread->waits_in : thread->refusal.inside;
        }
    }
    return NULL;
}

void host_work_overdue(void)
{
    char text[RECORD_TEXT_MAX];

    for (const struct list *link = host_work_now ? host_work_now->threads.next : NULL;
         link && link != &host_work_now->threads; link = link->next) {
        const struct drydock_process *thread = container_of(link, struct drydock_process, link);
        const char *call = thread->ended ? NULL : thread->refusal.inside;
        uint64_t for_ns = machine_now_ns() - thread->refusal.inside_since_ns;
        if (call && for_ns >= STUCK_NS) {
            snprintf(text, sizeof text, "\"%s\" of workload %s had been in %s() for %llu ms",
                     thread->name, host_work_now->workload->name, call,
                     (unsigned long long)(for_ns / NS_PER_MS));
            record_note(text);
        }
    }
}

void host_work_deadlock(bool everything_waits)
{
    const struct drydock_process *first = NULL;
    struct blocked blocked = {.everything = everything_waits};
    const char *first_in = NULL;

    if (!host_work_now || others_are_busy() || dxgk_natives_judge(host.adapter, everything_waits)) {
        return;
    }
    if (!dxgk_adapter_explain_waits(host.adapter, blocked.why, sizeof blocked.why)) {
        blocked.why[0] = '\0';
    }
    list_for_each (link, &host_work_now->threads) {
        const struct drydock_process *thread = container_of(link, struct drydock_process, link);
        const char *in = thread->ended ? NULL : waits_for_client(thread, &blocked);
        if (!thread->ended && !in) {
            return;
        }
        /* Who waits for an event says more than who waits for him. */
        if (in && (!first || strcmp(first_in, "join") == 0)) {
            first = thread;
            first_in = in;
        }
    }
    if (first) {
        host_client_blame(host_work_now->index,
                          "deadlock: \"%s\" waits in %s() and nobody is left who could wake it%s%s",
                          first->name, first_in, blocked.why[0] ? ": " : "", blocked.why);
    }
}
