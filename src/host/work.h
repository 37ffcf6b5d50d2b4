/* What a run of a workload consists of: for the files that serve it, and look at who waits. */
#ifndef HOST_WORK_H
#define HOST_WORK_H

#include "base/option.h"
#include "host/internal.h"

/* The host of one workload's run; `base` is what the workload sees. */
struct work {
    struct drydock_workload_host base;
    const struct drydock_workload *workload;
    unsigned index;
    unsigned frame_count;
    bool failed, failed_itself; /* the second: for its own mistake */
    unsigned still_losses; /* dxgk_adapter_still_losses() when it began */
    uint64_t resets;       /* of the adapter, when it began */
    struct list threads;   /* all that were started and not joined */
    struct option_values initial_values;
};

/* A client process: threads keep it alive. */
struct client {
    struct list link; /* in clients */
    struct work *work;
    struct dxgk_process *process;
    unsigned thread_count;
    bool ending; /* no further thread begins */
};

#define WORK_ALIVE UINT64_C(0x6B726F7779727244) /* the mark of what a client may name */

struct drydock_process {
    uint64_t mark;
    struct list link; /* in work's threads */
    const char *name;
    struct client *client;
    const char *waits_in;        /* a service of ours, without a deadline */
    struct dxgk_refusal refusal; /* what its last call was answered */
    drydock_process_entry *entry;
    void *argument;
    struct task *task;
    bool ended;
    struct wait_queue end;
};

struct drydock_event {
    uint64_t mark;
    uint64_t signals;
    unsigned waiting; /* threads that are in event_wait() */
    bool destroyed;   /* and all of those are let go */
    struct wait_queue waiters;
};

static inline struct work *host_work_of(const struct drydock_workload_host *base)
{
    return container_of((struct drydock_workload_host *)(uintptr_t)base, struct work, base);
}

/* client_event.c */
struct drydock_process *host_thread_now(struct work *work);
void host_say_waits(struct work *work, const char *service);
void host_judge_mark(const struct drydock_workload_host *base, uint64_t mark, const char *what);
struct drydock_event *host_event_create(const struct drydock_workload_host *base);
void host_event_destroy(const struct drydock_workload_host *base, struct drydock_event *event);
void host_event_signal(const struct drydock_workload_host *base, struct drydock_event *event);
bool host_event_wait(const struct drydock_workload_host *base, struct drydock_event *event,
                     uint64_t deadline_ns);

extern struct work *host_work_now; /* whose run() was called, or NULL */

#endif
