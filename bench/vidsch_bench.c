/* What the scheduler costs per packet: push, submit and retire of empty work, against the least
 * that could be done: a ring of pointers.
 *
 *   vidsch_bench [options] */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "vidsch/vidsch.h"

enum { QUEUED = 2000, RING = 4096 };

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

static struct vidsch_packet packets[QUEUED];

static struct vidsch vidsch;
static struct vidsch_context context;

/* One packet at a time, by the submitter itself: the node is idle. */
static void one_by_one(void *unused, unsigned repeat)
{
    for (unsigned i = 0; i < repeat; i++) {
        struct vidsch_packet *packet = &packets[i % QUEUED];

        packet->done = done;
        vidsch_push(&context, packet);
        vidsch_run(&vidsch, 0);
        (void)vidsch_retire(&vidsch, 0, newest);
    }
}

/* Two thousand queued, then drained as the hardware reports. */
static void queued(void *unused, unsigned repeat)
{
    while (repeat-- > 0) {
        for (unsigned i = 0; i < QUEUED; i++) {
            packets[i].done = done;
            vidsch_push(&context, &packets[i]);
        }
        vidsch_run(&vidsch, 0);
        while (!vidsch_context_is_idle(&context)) {
            (void)vidsch_retire(&vidsch, 0, newest);
        }
    }
}

static void *volatile ring[RING];

static void bare_ring(void *unused, unsigned repeat)
{
    static unsigned head, tail;

    while (repeat-- > 0) {
        for (unsigned i = 0; i < QUEUED; i++) {
            ring[head++ % RING] = &packets[i];
            __atomic_thread_fence(__ATOMIC_RELEASE);
        }
        while (tail != head) {
            done_total += ring[tail++ % RING] != NULL;
        }
    }
}

int main(int argc, char **argv)
{
    if (!bench_options(&argc, argv) || argc != 1) {
        return 2;
    }
    if (!NT_SUCCESS(vidsch_init(&vidsch, &backend, &(struct vidsch_config){.node_count = 1})) ||
        !NT_SUCCESS(vidsch_context_init(&context, &vidsch,
                                        &(struct vidsch_context_config){.priority = 16}))) {
        return 3;
    }
    (void)bench_table("one empty packet through the scheduler");
    bench_row(&(struct bench_work){
        .name = "limit: a ring of pointers", .run = bare_ring, .items = QUEUED});
    bench_row(&(struct bench_work){.name = "submit to done, node idle", .run = one_by_one});
    bench_row(&(struct bench_work){
        .name = "submit to done, 2000 queued", .run = queued, .items = QUEUED});
    bench_run();
    vidsch_context_fini(&context);
    vidsch_fini(&vidsch);
    return 0;
}
