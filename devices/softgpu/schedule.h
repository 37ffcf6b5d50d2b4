/* schedule.h: hardware contexts and their queues, and what an engine knows of those it schedules.
 *
 *   queues.c     the registers of contexts and queues, and what a doorbell does
 *   schedule.c   which queue runs next, and leaving one in its middle
 *   log.c        what is written of that
 *
 *             chosen                  buffer done, fence written
 *   READY ────────────> in work ──────────────────────────────────> next entry, or nothing there
 *     ^                   │ a better one, quantum over, suspended: its place is kept (`begun`)
 *     └───────────────────┤
 *     ^  time has come    │ a WAIT whose condition does not hold
 *     └──── blocked <─────┘
 *
 * Packets of the engine's ring go before all queues, and are never left for one. */
#ifndef SOFTGPU_SCHEDULE_H
#define SOFTGPU_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "softgpu_queues.h"

struct engine;
struct fault;
struct softgpu;

/* Where an engine is in a buffer. */
struct work_place {
    struct softgpu_packet packet;
    uint32_t offset, progress, backoff_ns;
    bool started;
};

struct hw_queue {
    /* Registers. */
    uint32_t control, ring_size, head, tail, first;
    uint64_t ring_base, read;

    bool begun; /* the entry at the head was fetched, and left: `place` */
    struct softgpu_hwqueue_entry entry;
    struct work_place place;
    uint64_t look_ns; /* it waits, and looks again at this time; 0: it does not */
    uint64_t turn;    /* when it was in work last, counted in choices */
};

struct hw_context {
    /* Registers. */
    uint32_t control, space, band, quantum_ns, grace_same_ns, grace_lower_ns;
    int32_t priority;
    uint64_t id, suspend_fence, suspended_fence;

    bool suspending; /* asked for, while it is in work */
    bool suspended, lost;
    uint32_t logged; /* SOFTGPU_LOG_... */
    uint64_t turn;
};

static inline bool hw_is_clients(const struct hw_queue *queue)
{
    return queue->control & SOFTGPU_HWQUEUE_CLIENT;
}

struct hw_band {
    uint32_t grace_ns, process_quantum_ns, process_grace_ns;
};

/* A fence that an entry of a queue released: where, and what. The place is compared alone. */
struct hw_release {
    const void *place;
    uint64_t value;
};
#define HW_RELEASES 64u /* that are remembered */

/* All of it for the whole device. */
struct hw_queues {
    unsigned queue_limit; /* no queue from this number on was enabled since the reset */
    struct hw_context contexts[SOFTGPU_HWCONTEXT_COUNT];
    struct hw_queue queues[SOFTGPU_HWQUEUE_COUNT];
    struct hw_band bands[SOFTGPU_BAND_COUNT];
    uint32_t doorbells[SOFTGPU_DOORBELL_COUNT]; /* queue + 1 */
    uint32_t normal_share;
    uint64_t turns;
    struct hw_release releases[HW_RELEASES];
    unsigned release_count;
};

struct engine_schedule {
    bool enabled;
    struct hw_queue *running; /* whose entry is in work; NULL: the ring's packet, or nothing */
    /* Of the last choice. */
    struct hw_context *context;
    uint64_t context_since_ns, process_since_ns;
    uint64_t wanted_since_ns; /* a better one waits since then; 0: none */
    /* How long NORMAL has been kept waiting by FOCUS, of which it gets its share. */
    uint64_t counted_ns;
    int64_t credit_ns;
    bool boosted;

    struct {
        bool enabled, counted;
        uint32_t space, entries, interrupt_entry, next, wraparounds;
        uint64_t address;
    } log;
};

/* ---- queues.c ---- */

uint32_t hw_read(const struct softgpu *gpu, uint32_t offset);
void hw_write(struct softgpu *gpu, uint32_t offset, uint32_t value);
void hw_reset(struct softgpu *gpu);
/* As goes_to() of device.h. */
bool hw_goes_to(const struct softgpu *gpu, uint64_t physical, uint64_t size, char *text,
                size_t text_size);
/* As released() of device.h; place: where that is. */
bool hw_released(const struct softgpu *gpu, const void *place, uint64_t value);
/* A word of a doorbell's page was written. */
void hw_ring(struct softgpu *gpu, uint32_t offset, uint32_t value);
/* That of an enabled queue; NULL: it is not enabled. */
struct hw_context *hw_context_of(struct softgpu *gpu, const struct hw_queue *queue);
/* A context that was to be suspended has left the engine. */
void hw_suspended(struct engine *engine, struct hw_context *context);

/* ---- schedule.c ---- */

/* Between two pieces of work: leaves the queue in work for something better, and lets a queue begin
 * if nothing is in work. False: the engine faulted. */
bool schedule_turn(struct engine *engine, uint64_t *spent_ns);
/* The queue in work waits. False: nobody else has anything to do meanwhile. */
bool schedule_block(struct engine *engine);
/* The buffer of the queue in work has ended. False: the engine faulted. */
bool schedule_finish(struct engine *engine);
/* Nothing can run: the engine is called when a queue that waits is to look again. */
void schedule_sleep(struct engine *engine);
/* Something has changed for the engine's choice. */
void schedule_kick(struct engine *engine);
/* What the queue has begun is dropped, also in the middle of it. */
void schedule_drop(struct engine *engine, struct hw_queue *queue);
/* The engine is reset: what it had in work is lost, and nothing runs until it is enabled. */
void schedule_reset(struct engine *engine);
bool schedule_has_work(const struct softgpu *gpu, const struct hw_context *context);

uint32_t schedule_read(const struct engine *engine, uint32_t reg);
void schedule_write(struct engine *engine, uint32_t reg, uint32_t value);

/* ---- log.c ---- */

/* The context is in this state from now on. */
void log_state(struct engine *engine, struct hw_context *context, uint32_t state);
void log_begin(struct engine *engine, bool enabled);

#endif
