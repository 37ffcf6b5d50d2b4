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
    bool failed;
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

struct drydock_process {
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
    uint64_t signals;
    unsigned waiting; /* threads that are in event_wait() */
    bool destroyed;   /* and all of those are let go */
    struct wait_queue waiters;
};

extern struct work *host_work_now; /* whose run() was called, or NULL */

#endif
