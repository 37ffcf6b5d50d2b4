/* drydock/policy.h: who is next on a node of the GPU, and for whom the running work is asked to
 * stop; for research on scheduling.
 *
 * A policy is a shared library that exports one object:
 *
 *     DRYDOCK_POLICY const struct drydock_policy drydock_policy = {
 *         .abi = DRYDOCK_POLICY_ABI, .name = "lottery", .pick = pick};
 *
 * and is plugged in with `drydock run --policy ./lottery.so`. examples/policy-lottery is one.
 *
 *     contexts with work that could go now ──> pick() ──> the node's hardware queue
 *                         │                                   │ runs, ends, or is preempted
 *                         └──> should_preempt() ──> stop       └──> ran()
 *
 * What orders itself never comes here: the packets of one context go in their order, waits are met
 * before a context is a candidate, paging that was preempted goes first, and a packet that overstays
 * is a time-out whatever the policy says. Hardware queues are scheduled by the device.
 *
 * All functions run in the middle of the scheduler: they call nobody but the C library, do not block,
 * and return the same for the same calls, so that one seed stays one run. Times are virtual
 * nanoseconds. */
#ifndef DRYDOCK_POLICY_H
#define DRYDOCK_POLICY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define DRYDOCK_POLICY extern "C" __attribute__((visibility("default")))
#else
#define DRYDOCK_POLICY __attribute__((visibility("default")))
#endif

#define DRYDOCK_POLICY_ABI    1u
#define DRYDOCK_POLICY_SYMBOL "drydock_policy"

#define DRYDOCK_NEVER UINT64_MAX

/* A context of the node. Valid during the call. */
struct drydock_context {
    uint32_t number;          /* in the report and the time line; never used again in a run */
    uint32_t process;         /* of whom; the same number for the same process. 0: the system */
    int32_t priority;         /* 0 lowest, 16 normal, 31 the system's */
    int32_t process_priority; /* orders the contexts of a process at one priority; 0 normal */
    uint64_t quantum_ns;      /* what it may run while others of its priority wait */
    /* In pick(), of its oldest packet that is queued: the one that would go. In should_preempt(), of
     * its oldest packet, on the hardware or queued. In ran(), of the one that left the hardware. It
     * grows in the order of submission to the node. */
    uint64_t packet;
    uint64_t ready_since_ns; /* since when that packet could go */
    /* Of the context so far, as the oldest on the hardware, with what its packet there has had. */
    uint64_t ran_ns;
    uint64_t *words;         /* two, the policy's own, 0 at first; they live with the context */
    uint32_t is_system;      /* paging: others may wait for what it does */
};

struct drydock_policy {
    uint32_t abi; /* DRYDOCK_POLICY_ABI of the header that it was built with */
    const char *name;
    size_t state_bytes; /* of one node's state, zeroed before init() */

    void (*init)(void *state, uint32_t node); /* NULL: zeros are fine */
    /* The index of the context whose oldest packet goes next, below count. There are one or more,
     * in the order in which they became ready. Its packet is looked at once more before it goes: the
     * same context may be asked for again. */
    uint32_t (*pick)(void *state, const struct drydock_context *ready, uint32_t count,
                     uint64_t now_ns);
    /* When should the node be asked to stop, for `next`, which pick() named? now_ns or before: now;
     * later: ask again then; DRYDOCK_NEVER: not at all. The packets of `running` have been the oldest
     * on the hardware since since_ns. NULL: never. Who stops everybody at once lets nothing be
     * done: that ends the run as the policy's fault. */
    uint64_t (*should_preempt)(void *state, const struct drydock_context *running,
                               uint64_t since_ns, const struct drydock_context *next,
                               uint64_t now_ns);
    /* A packet of the context left the hardware after ran_ns as the oldest there, complete or
     * stopped. NULL: no interest. */
    void (*ran)(void *state, const struct drydock_context *context, uint64_t ran_ns);
};

#ifdef __cplusplus
}
#endif

#endif
