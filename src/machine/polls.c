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
        machine_here.self->polls = (struct polls){.in_call = true};
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
        get_on(polls);
    }
}

void polls_read(unsigned bar, uint64_t offset, uint64_t value)
{
    struct polls *polls = polls_here();
    uint64_t place = ((uint64_t)bar << 56 | offset) + 1; /* 0: none yet */

    if (!polls) {
        return;
    }
    for (unsigned i = 0; i < POLLS_PLACES; i++) {
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
    polls->places[polls->next].place = place;
    polls->places[polls->next].value = value;
    polls->next = (polls->next + 1) % POLLS_PLACES;
    get_on(polls);
}

/* What a read costs him: the run's time limit tells of him then, and not after hours. */
uint64_t polls_ns(void)
{
    const struct polls *polls = polls_here();

    return polls && polls->fruitless >= FRUITLESS_MAX ? POLL_NS : 0;
}
