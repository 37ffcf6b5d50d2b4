/* What an event of the record costs, against the least that could be done: a store of as many bytes
 * into a ring, bare and with the processor's time stamp.
 *
 * An event's time is the machine's own clock, a variable, so that a stamp costs nothing; on the
 * other hand every event goes into the digest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>
#include <xxhash.h>

#include "base/record.h"
#include "bench.h"

#define RING (1u << 16)

static struct event *ring;
static uint64_t head;

static inline void store(uint64_t time, uint32_t object)
{
    struct event *event = &ring[head++ & (RING - 1)];

    event->time_ns = time;
    event->kind = EVENT_USER;
    event->cpu = 1;
    event->irql = 2;
    event->object = object;
    event->a = object + 1;
    event->b = 3;
    __asm__ volatile("" : : : "memory");
}

static void run_store(void *context, unsigned repeat)
{
    for (unsigned i = 0; i < repeat; i++) {
        store(i, i);
    }
}

static void run_stamped(void *context, unsigned repeat)
{
    for (unsigned i = 0; i < repeat; i++) {
        store(__rdtsc(), i);
    }
}

static void run_digest(void *context, unsigned repeat)
{
    static XXH3_state_t *state;

    if (!state) {
        state = XXH3_createState();
        XXH3_64bits_reset(state);
    }
    for (unsigned i = 0; i < repeat; i++) {
        store(i, i);
        if (head % 1024 == 0) {
            XXH3_64bits_update(state, &ring[(head - 1024) & (RING - 1)], 1024 * sizeof(*ring));
        }
    }
}

static void run_event(void *context, unsigned repeat)
{
    for (unsigned i = 0; i < repeat; i++) {
        record_event(EVENT_USER, i, i + 1, 3);
    }
}

static void run_count(void *context, unsigned repeat)
{
    for (unsigned i = 0; i < repeat; i++) {
        record_count("bench.count", 1);
    }
}

static void run_detached(void *context, unsigned repeat)
{
    struct record *record = record_current();

    record_attach(NULL);
    run_event(context, repeat);
    record_attach(record);
}

int main(int argc, char **argv)
{
    struct record *record = record_create(RING, 0);

    if (!bench_options(&argc, argv) || argc != 1) {
        return 2;
    }
    ring = aligned_alloc(64, RING * sizeof(*ring));
    if (!record || !ring) {
        return 3;
    }
    memset(ring, 0, RING * sizeof(*ring));
    record_attach(record);
    (void)bench_table("one event of the record");
    bench_row(&(struct bench_work){.name = "limit: 32 bytes into a ring", .run = run_store});
    bench_row(&(struct bench_work){.name = "with the processor's time", .run = run_stamped});
    bench_row(&(struct bench_work){.name = "limit: ring and digest", .run = run_digest});
    bench_row(&(struct bench_work){.name = "record_event", .run = run_event});
    bench_row(&(struct bench_work){.name = "record_event without a record", .run = run_detached});
    bench_row(&(struct bench_work){.name = "record_count, a known name", .run = run_count});
    bench_run();
    record_destroy(record);
    free(ring);
    return 0;
}
