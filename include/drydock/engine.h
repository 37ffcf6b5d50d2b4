/* drydock/engine.h: what most models of an engine have in common, for those who want it: work that
 * waits its turn and takes its time, a status register behind the interrupt, and bytes in either
 * memory. Nothing is linked: all of it is here. `struct engine` goes into one's own device; a model
 * that needs something else takes what it can use and writes the rest.
 *
 *      engine_submit ─> the queue ── delay_ns ──> tick() ─> engine_running, engine_completed
 *                                                              └─> the next one begins */
#ifndef DRYDOCK_ENGINE_H
#define DRYDOCK_ENGINE_H

#include <string.h>

#include "drydock/device.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ENGINE_QUEUE_DEPTH 32u

struct engine_work {
    uint64_t address;
    uint32_t length, fence;
};

struct engine {
    struct device_bus *bus;
    uint8_t *memory; /* of a BAR, or NULL */
    uint64_t memory_bytes, delay_ns;
    uint32_t status; /* message 0 is up while any bit is set */
    struct engine_work queue[ENGINE_QUEUE_DEPTH];
    unsigned first, count; /* the first one runs */
};

/* After describe(). bar: of the engine's memory. */
static inline void engine_init(struct engine *engine, struct device_bus *bus, unsigned bar,
                               uint64_t memory_bytes)
{
    memset(engine, 0, sizeof *engine);
    engine->bus = bus;
    engine->memory = (uint8_t *)bus->operations->bar_memory(bus, bar);
    engine->memory_bytes = memory_bytes;
}

/* In reset(): times asked for and the interrupt are gone already. */
static inline void engine_reset(struct engine *engine)
{
    engine->status = 0;
    engine->first = engine->count = 0;
}

static inline void engine_raise(struct engine *engine, uint32_t bits)
{
    engine->status |= bits;
    engine->bus->operations->interrupt_set(engine->bus, 0, engine->status != 0);
}

static inline void engine_clear(struct engine *engine, uint32_t bits)
{
    engine->status &= ~bits;
    engine->bus->operations->interrupt_set(engine->bus, 0, engine->status != 0);
}

static inline void engine_begin(struct engine *engine)
{
    const struct device_bus_operations *bus = engine->bus->operations;

    if (engine->count) {
        bus->trace(engine->bus, true, 0, engine->queue[engine->first].fence);
        bus->call_at(engine->bus, bus->now_ns(engine->bus) + engine->delay_ns, 0);
    }
}

/* False: the queue is full. */
static inline bool engine_submit(struct engine *engine, struct engine_work work)
{
    if (engine->count == ENGINE_QUEUE_DEPTH) {
        return false;
    }
    engine->queue[(engine->first + engine->count) % ENGINE_QUEUE_DEPTH] = work;
    if (engine->count++ == 0) {
        engine_begin(engine);
    }
    return true;
}

/* In tick(): what is to be carried out now. Then engine_completed(), or the engine stands still. */
static inline struct engine_work engine_running(const struct engine *engine)
{
    engine->bus->operations->trace(engine->bus, false, 0, engine->queue[engine->first].fence);
    return engine->queue[engine->first];
}

static inline void engine_completed(struct engine *engine)
{
    engine->first = (engine->first + 1) % ENGINE_QUEUE_DEPTH;
    engine->count--;
    engine_begin(engine);
}

/* Drops what waits. True: nothing runs either. */
static inline bool engine_drop(struct engine *engine)
{
    engine->count = engine->count ? 1 : 0;
    return engine->count == 0;
}

/* Moves bytes of system memory; false: nothing is there. */
static inline bool engine_move_system(struct engine *engine, uint64_t address, void *bytes,
                                      size_t size, bool write)
{
    const struct device_bus_operations *bus = engine->bus->operations;

    return write ? bus->dma_write(engine->bus, address, bytes, size)
                 : bus->dma_read(engine->bus, address, bytes, size);
}

/* The same in the engine's own memory. */
static inline bool engine_move_own(struct engine *engine, uint64_t offset, void *bytes, size_t size,
                                   bool write)
{
    if (!engine->memory || size > engine->memory_bytes || offset > engine->memory_bytes - size) {
        return false;
    }
    memcpy(write ? engine->memory + offset : bytes, write ? bytes : engine->memory + offset, size);
    return true;
}

#ifdef __cplusplus
}
#endif

#endif
