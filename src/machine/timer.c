/* Timers: a binary heap by (due, order of arming), so that equal times fire in order. */
#include "machine/internal.h"

#include <stdlib.h>

static struct machine_timer **heap;
static size_t heap_count, heap_capacity;
static uint64_t sequence_next;

static bool earlier(const struct machine_timer *a, const struct machine_timer *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->sequence < b->sequence;
}

static void put(size_t place, struct machine_timer *timer)
{
    heap[place] = timer;
    timer->place = place;
    if (place == 0) {
        machine.due_ns = timer->due_ns;
    }
}

static void sift_up(size_t place, struct machine_timer *timer)
{
    while (place > 0 && earlier(timer, heap[(place - 1) / 2])) {
        put(place, heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(place, timer);
}

static void sift_down(size_t place, struct machine_timer *timer)
{
    for (;;) {
        size_t child = 2 * place + 1;
        if (child + 1 < heap_count && earlier(heap[child + 1], heap[child])) {
            child++;
        }
        if (child >= heap_count || !earlier(heap[child], timer)) {
            break;
        }
        put(place, heap[child]);
        place = child;
    }
    put(place, timer);
}

static void heap_remove(struct machine_timer *timer)
{
    size_t place = timer->place;
    struct machine_timer *last = heap[--heap_count];

    CHECK_THAT(place <= heap_count);
    timer->armed = false;
    if (heap_count == 0) {
        machine.due_ns = MACHINE_NEVER;
    }
    if (last == timer) {
        return;
    }
    if (place > 0 && earlier(last, heap[(place - 1) / 2])) {
        sift_up(place, last);
    } else {
        sift_down(place, last);
    }
}

void timers_reset(void)
{
    for (size_t i = 0; i < heap_count; i++) {
        heap[i]->armed = false;
    }
    free(heap);
    heap = NULL;
    heap_count = heap_capacity = 0;
    sequence_next = 0;
    machine.due_ns = MACHINE_NEVER;
}

struct machine_timer *timers_take_due(uint64_t now_ns)
{
    struct machine_timer *timer;

    if (heap_count == 0 || heap[0]->due_ns > now_ns) {
        return NULL;
    }
    timer = heap[0];
    heap_remove(timer);
    return timer;
}

void machine_timer_init(struct machine_timer *timer, void (*routine)(struct machine_timer *timer),
                        void *context)
{
    *timer = (struct machine_timer){.routine = routine, .context = context};
}

void machine_timer_set(struct machine_timer *timer, uint64_t due_ns)
{
    if (timer->armed) {
        heap_remove(timer);
    }
    if (heap_count == heap_capacity) {
        size_t capacity = heap_capacity ? heap_capacity * 2 : 64;
        struct machine_timer **grown = realloc(heap, capacity * sizeof(*grown));
        CHECK_THAT(grown);
        heap = grown;
        heap_capacity = capacity;
    }
    timer->due_ns = due_ns;
    timer->sequence = sequence_next++;
    timer->armed = true;
    sift_up(heap_count++, timer);
    executor_clock_changed();
}

bool machine_timer_cancel(struct machine_timer *timer)
{
    if (!timer->armed) {
        return false;
    }
    heap_remove(timer);
    executor_clock_changed();
    return true;
}
