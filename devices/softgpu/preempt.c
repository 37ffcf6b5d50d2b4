/* preempt.c: stopping an engine between two pieces of work.
 *
 *   PREEMPT written ──> requested ──> at the next allowed place: ring emptied, PREEMPTED
 *
 * The driver keeps the packets that were dropped and puts them in the ring again; the first of them
 * with `start` and `progress` of the state if it was broken. An engine that hangs or has faulted
 * does not answer. An atomic packet, and a packet whose buffer has ended, is finished first. */
#include "internal.h"

#define PREEMPT_NS 200

bool preempt_is_place(const struct engine *engine)
{
    switch (engine->phase) {
    case ENGINE_IDLE:
        return true;
    case ENGINE_ENDING:
        return false; /* the work is done: only its fence is missing */
    case ENGINE_BUFFER:
        break;
    }
    if (engine->packet.type_flags & SOFTGPU_PACKET_FLAG_ATOMIC)
        return false;
    if (engine->offset >= engine->packet.size_bytes)
        return false; /* done but for the ending */
    switch (engine->control & SOFTGPU_CONTROL_GRANULARITY_MASK) {
    case SOFTGPU_CONTROL_GRANULARITY_SLICE:
        return true;
    case SOFTGPU_CONTROL_GRANULARITY_COMMAND:
        return engine->progress == 0;
    default:
        return !engine->started;
    }
}

/* It is the ring that is asked; an entry of a hardware queue is none of it. */
bool preempt_possible(const struct engine *engine)
{
    return engine->schedule.running || preempt_is_place(engine);
}

void preempt_request(struct engine *engine, uint32_t id)
{
    if (engine->faulted)
        return;
    if (engine->gpu->test_unlocked && engine->test_ignore_preempt) {
        engine->test_ignore_preempt--;
        return;
    }
    engine->preempt_requested = true;
    engine->preempt_id = id;
    if (!engine->busy || engine->waiting)
        engine_schedule(engine, PREEMPT_NS);
}

static bool save_block(struct engine *engine)
{
    struct access access = {.gpu = engine->gpu, .privileged = true};
    if (!engine->preempt_address)
        return true;
    if (address_write(&access, engine->preempt_address, &engine->preempted,
                      sizeof(engine->preempted)))
        return true;
    engine_fail(engine, &access.fault, 0);
    return false;
}

void preempt_complete(struct engine *engine)
{
    bool own = !engine->schedule.running;
    bool broken = own && engine->phase == ENGINE_BUFFER && engine->started;
    bool queued = (own && engine->phase == ENGINE_BUFFER) || engine->head != engine->tail;
    engine->preempted = (struct softgpu_preempt_block){
        .done = engine->preempt_id,
        .state = broken   ? SOFTGPU_PREEMPT_BROKEN
                 : queued ? SOFTGPU_PREEMPT_QUEUED
                          : SOFTGPU_PREEMPT_IDLE,
        .head = engine->head,
        .offset = broken ? engine->offset : 0,
        .progress = broken ? engine->progress : 0,
        .fence_low = (uint32_t)engine->fence,
        .fence_high = (uint32_t)(engine->fence >> 32),
    };
    if (own && engine->in_packet) {
        struct device_bus *bus = engine->gpu->bus;
        engine->in_packet = false;
        bus->operations->trace(bus, false, engine->index,
                               pair(engine->packet.fence_low, engine->packet.fence_high));
    }
    engine->preempt_requested = false;
    if (own)
        engine->phase = ENGINE_IDLE;
    engine->head = engine->tail;
    if (save_block(engine)) {
        interrupt_raise(engine->gpu, SOFTGPU_INTERRUPT_PREEMPTED(engine->index));
        schedule_kick(engine);
    }
}
