/* What the scheduler costs per packet: push, submit and retire of empty work, against the least
 * that could be done: a ring of pointers.
 *
 *   vidsch_bench [packets]
 *
 * Prints nanoseconds per item, the median of eleven rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "vidsch/vidsch.h"

enum { ROUNDS = 11, QUEUED = 2000, RING = 4096 };

static uint64_t done_total;
static uint32_t newest;

static enum vidsch_prepare prepare(struct vidsch *vidsch, struct vidsch_packet *packet,
                                   NTSTATUS *status)
{
    return VIDSCH_PREPARE_READY;
}

static enum vidsch_submit submit(struct vidsch *vidsch, struct vidsch_packet *packet,
                                 NTSTATUS *status)
{
    newest = packet->fence_id;
    return VIDSCH_SUBMIT_DONE;
}

static void timed_out(struct vidsch *vidsch, unsigned node_index, struct vidsch_packet *packet)
{
}

static bool can_step(struct vidsch *vidsch)
{
    return true;
}

static void kick(struct vidsch *vidsch, unsigned node_index)
{
}

static void arm(struct vidsch *vidsch, uint64_t when_ns)
{
}

static uint64_t now_ns(struct vidsch *vidsch)
{
    return 1;
}

static const struct vidsch_backend backend = {
    .prepare = prepare,
    .submit = submit,
    .timed_out = timed_out,
    .can_step = can_step,
    .kick = kick,
    .arm = arm,
    .now_ns = now_ns,
};

static void done(struct vidsch_packet *packet, NTSTATUS status)
{
    done_total++;
}

static double real_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static struct vidsch_packet packets[QUEUED];

/* One packet at a time, by the submitter itself: the node is idle. */
static void one_by_one(struct vidsch *vidsch, struct vidsch_context *context, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct vidsch_packet *packet = &packets[i % QUEUED];

        packet->done = done;
        vidsch_push(context, packet);
        vidsch_run(vidsch, 0);
        (void)vidsch_retire(vidsch, 0, newest);
    }
}

/* Two thousand queued, then drained as the hardware reports. */
static void queued(struct vidsch *vidsch, struct vidsch_context *context, unsigned count)
{
    for (unsigned left = count; left >= QUEUED; left -= QUEUED) {
        for (unsigned i = 0; i < QUEUED; i++) {
            packets[i].done = done;
            vidsch_push(context, &packets[i]);
        }
        vidsch_run(vidsch, 0);
        while (!vidsch_context_is_idle(context)) {
            (void)vidsch_retire(vidsch, 0, newest);
        }
    }
}

static void *volatile ring[RING];

static void bare_ring(struct vidsch *vidsch, struct vidsch_context *context, unsigned count)
{
    static unsigned head, tail;

    for (unsigned left = count; left >= QUEUED; left -= QUEUED) {
        for (unsigned i = 0; i < QUEUED; i++) {
            ring[head++ % RING] = &packets[i];
            __atomic_thread_fence(__ATOMIC_RELEASE);
        }
        while (tail != head) {
            done_total += ring[tail++ % RING] != NULL;
        }
    }
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return left < right ? -1 : left > right;
}

static void measure(const char *name,
                    void (*work)(struct vidsch *vidsch, struct vidsch_context *context,
                                 unsigned count),
                    struct vidsch *vidsch, struct vidsch_context *context, unsigned count)
{
    double rounds[ROUNDS];

    for (unsigned i = 0; i < ROUNDS; i++) {
        double begin = real_ns();
        work(vidsch, context, count);
        rounds[i] = (real_ns() - begin) / count;
    }
    qsort(rounds, ROUNDS, sizeof(*rounds), compare);
    printf("%-40s %8.1f ns\n", name, rounds[ROUNDS / 2]);
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 200000;
    struct vidsch vidsch;
    struct vidsch_context context;

    count -= count % QUEUED;
    if (count == 0) {
        fprintf(stderr, "usage: vidsch_bench [packets, at least %d]\n", QUEUED);
        return 2;
    }
    if (!NT_SUCCESS(vidsch_init(&vidsch, &backend, &(struct vidsch_config){.node_count = 1})) ||
        !NT_SUCCESS(vidsch_context_init(&context, &vidsch,
                                        &(struct vidsch_context_config){.priority = 16}))) {
        return 3;
    }
    measure("bare ring, per item", bare_ring, &vidsch, &context, count);
    measure("submit to done, node idle, per packet", one_by_one, &vidsch, &context, count);
    measure("submit to done, 2000 queued, per packet", queued, &vidsch, &context, count);
    vidsch_context_fini(&context);
    vidsch_fini(&vidsch);
    return 0;
}
