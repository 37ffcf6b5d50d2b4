/* vidsch/internal.h: what the files of the scheduler share. "_locked": the node's lock is held. */
#ifndef VIDSCH_INTERNAL_H
#define VIDSCH_INTERNAL_H

#include "vidsch/vidsch.h"

#include <limits.h>

/* Of fence ids on their way to where they wrap: each shorter than 2^30 [GEN-008]. */
enum { VIDSCH_LEAP_COUNT = 5 };

static inline struct vidsch_packet *vidsch_packet_of(struct list *link)
{
    return container_of(link, struct vidsch_packet, link);
}

static inline struct vidsch_packet *vidsch_head(struct vidsch_context *context)
{
    return list_empty(&context->queued) ? NULL : vidsch_packet_of(context->queued.next);
}

static inline struct vidsch_packet *vidsch_oldest_locked(const struct vidsch_node *node)
    HOLDS(node->lock)
{
    return list_empty(&node->running) ? NULL : vidsch_packet_of(node->running.next);
}

static inline uint64_t vidsch_after_ns(uint64_t from_ns, uint64_t span_ns)
{
    return span_ns > MACHINE_NEVER - from_ns ? MACHINE_NEVER : from_ns + span_ns;
}

/* Mostly nobody waits. */
static inline void vidsch_wake_all(struct wait_queue *queue)
{
    if (!list_empty(&queue->waiters)) {
        wait_queue_wake(queue, UINT_MAX);
    }
}

static inline struct vidsch_node *vidsch_node_at(struct vidsch *vidsch, unsigned node_index)
{
    CHECK_THAT(node_index < vidsch->config.node_count);
    return &vidsch->nodes[node_index];
}

static inline uint64_t vidsch_now_ns(struct vidsch *vidsch)
{
    return vidsch->backend->now_ns ? vidsch->backend->now_ns(vidsch) : machine_now_ns();
}

bool vidsch_can_step(struct vidsch *vidsch);

/* Asks to be ticked in time for the node's deadline. */
void vidsch_arm(struct vidsch *vidsch, uint64_t when_ns);

/* Mostly an earlier tick will look again. */
static inline bool vidsch_must_arm_locked(const struct vidsch_node *node) HOLDS(node->lock)
{
    return node->deadline_ns < __atomic_load_n(&node->vidsch->armed_ns, __ATOMIC_RELAXED);
}

/* Unlocks, and asks to be ticked in time for the node's deadline. */
static inline void vidsch_node_unlock(struct vidsch_node *node) DROPS(node->lock)
{
    uint64_t when_ns = node->deadline_ns;
    bool must_arm = vidsch_must_arm_locked(node);

    mutex_unlock(&node->lock);
    if (__builtin_expect(must_arm, 0)) {
        vidsch_arm(node->vidsch, when_ns);
    }
}

/* The same with the lock afterwards; it is dropped meanwhile if there is something to ask for. */
static inline void vidsch_node_arm_locked(struct vidsch_node *node) HOLDS(node->lock)
{
    if (__builtin_expect(vidsch_must_arm_locked(node), 0)) {
        vidsch_node_unlock(node);
        mutex_lock(&node->lock);
    }
}

/* ---- queue.c ------------------------------------------------------------------------------ */

/* Looks at the context's head: begins its waits, ends it if it is only a mark, tells the policy. */
void vidsch_context_update_locked(struct vidsch_node *node, struct vidsch_context *context)
    HOLDS(node->lock);
/* The packet, which is in no list, is over. */
void vidsch_end_locked(struct vidsch_node *node, struct vidsch_packet *packet, NTSTATUS status)
    HOLDS(node->lock);
/* Ends what is queued, or marks it to be ended. */
void vidsch_cancel_queued_locked(struct vidsch_node *node, struct vidsch_context *context)
    HOLDS(node->lock);
/* Calls done() for what has ended, without the lock. */
void vidsch_deliver_locked(struct vidsch_node *node) HOLDS(node->lock);

/* ---- step.c ------------------------------------------------------------------------------- */

/* vidsch_run() for who has the lock, which is dropped. */
void vidsch_run_and_unlock(struct vidsch_node *node) DROPS(node->lock);

/* ---- retire.c ----------------------------------------------------------------------------- */

/* Ends the oldest packets up to fence_id and refused ones behind them; true if one had that id. */
bool vidsch_retire_locked(struct vidsch_node *node, uint32_t fence_id) HOLDS(node->lock);
/* Takes everything off the hardware: paging to the resubmit list, the rest back to its contexts. */
void vidsch_requeue_running_locked(struct vidsch_node *node) HOLDS(node->lock);
/* Another packet is the oldest now, or none. */
void vidsch_oldest_changed_locked(struct vidsch_node *node, uint64_t now_ns) HOLDS(node->lock);

/* ---- hwqueue.c ---------------------------------------------------------------------------- */

/* The head of a hardware queue that may go now, or NULL. */
struct vidsch_packet *vidsch_hwqueue_next_locked(struct vidsch_node *node) HOLDS(node->lock);
/* Its head may go, or may not any more. */
void vidsch_hwqueue_update_locked(struct vidsch_node *node, struct vidsch_context *context,
                                  bool head_is_ready) HOLDS(node->lock);
/* Hands over a packet that was prepared. */
enum vidsch_step vidsch_hwqueue_append_locked(struct vidsch_node *node,
                                              struct vidsch_packet *packet) HOLDS(node->lock);
/* The node was reset alone: those that go on have all their time again. */
void vidsch_hwqueue_begin_anew_locked(struct vidsch_node *node) HOLDS(node->lock);
/* A reset: takes everything off the hardware; `lose` ends each of them. */
void vidsch_hwqueue_empty_locked(struct vidsch_node *node,
                                 void (*lose)(struct vidsch_node *node,
                                              struct vidsch_packet *packet)) HOLDS(node->lock);
/* When somebody must look at the node's hardware queues; MACHINE_NEVER: nothing is in flight. */
uint64_t vidsch_hwqueue_in_flight_deadline_locked(const struct vidsch_node *node) HOLDS(node->lock);
static inline uint64_t vidsch_hwqueue_deadline_locked(const struct vidsch_node *node)
    HOLDS(node->lock)
{
    return node->in_flight_count == 0 && node->asked_count == 0
               ? MACHINE_NEVER
               : vidsch_hwqueue_in_flight_deadline_locked(node);
}
/* The tick's part: looks, or gives the node up. */
void vidsch_hwqueue_watch(struct vidsch_node *node, uint64_t now_ns) NOT_HELD(node->lock);

/* ---- watch.c ------------------------------------------------------------------------------ */

void vidsch_deadline_changed_locked(struct vidsch_node *node) HOLDS(node->lock);

#endif
