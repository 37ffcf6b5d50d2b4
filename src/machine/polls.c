/* Calls of the driver that read registers for ever; see polls.h.
 *
 * A read is fruitless when its register is one of those that were read last, and has the value that
 * it had then. What is got on with is counted against it and does not begin the count anew, for a
 * status has bits that change while nothing comes of them. What an interrupt or DPC does on the
 * task's stack is no progress of the call. */
#include "machine/internal.h"

#define FRUITLESS_MAX (UINT64_C(1) << 20) /* of a call; then a read takes ... */
#define POLL_NS       (100 * NS_PER_MS)
#define PROGRESS      64 /* fruitless reads that a write, or a new value, makes good */

void mmio_call_begins(void)
{
    if (in_task()) {
        struct polls *polls = &machine_here.self->polls;
        polls->in_call = true;
        polls->count = 0; /* the places are not cleared: that would cost each call */
        polls->fruitless = 0;
        polls->looks = 0;
        polls->writes = polls->writes_seen = 0;
    }
}

void mmio_call_ends(void)
{
    if (in_task()) {
        machine_here.self->polls.in_call = false;
    }
}

static struct polls *polls_here(void)
{
    return in_task() && machine_here.self->polls.in_call ? &machine_here.self->polls : NULL;
}

static void get_on(struct polls *polls)
{
    if (polls->fruitless > 0 && !interrupt_any_in_service_here() && task_may_block()) {
        polls->fruitless -= polls->fruitless < PROGRESS ? polls->fruitless : PROGRESS;
    }
}

void polls_wrote(void)
{
    struct polls *polls = polls_here();

    if (polls) {
        polls->writes++;
        get_on(polls);
    }
}

void polls_read(unsigned bar, uint64_t offset, uint64_t value)
{
    struct polls *polls = polls_here();
    uint64_t place = (uint64_t)bar << 56 | offset;

    if (!polls) {
        return;
    }
    for (unsigned i = 0; i < polls->count && i < POLLS_PLACES; i++) {
        if (polls->places[i].place == place) {
            bool same = polls->places[i].value == value;
            polls->places[i].value = value;
            if (same) {
                polls->fruitless++;
            } else {
                get_on(polls);
            }
            return;
        }
    }
    unsigned oldest = (unsigned)(polls->count++ % POLLS_PLACES);
    polls->places[oldest].place = place;
    polls->places[oldest].value = value;
    get_on(polls);
}

/* What a read costs him: the run's time limit tells of him then, and not after hours. */
uint64_t polls_ns(void)
{
    const struct polls *polls = polls_here();

    return polls && polls->fruitless >= FRUITLESS_MAX ? POLL_NS : 0;
}
