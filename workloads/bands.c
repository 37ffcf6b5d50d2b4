/* Hardware contexts of two processes that want more of a node than there is; see bands.h.
 *
 *   equal      two contexts of a process, both with work for several quanta
 *   higher     one with long work, and one of a higher priority that comes in its middle
 *   shared     two processes, both with work for several quanta
 *   bands      a process with long work, and one of a higher band that comes in its middle
 *   starved    a process of the FOCUS band with work for long, and one of NORMAL
 *
 * Work is a command that lasts, so that the time is the device's. The second process is a thread of
 * its own that is told what to do. */
#include "bands.h"
#include "queue_client.h"

#include <string.h>

#define PAGE_BYTES   4096u
#define PIECE_NS     100000u /* of a command: a place to stop */
#define TASKS_MAX    16u
#define SLICE_BYTES  512u
#define SHORT_TASK   5u  /* pieces */
#define MIDDLE_TASK  20u /* about a quantum */
#define LONG_TASK    40u
#define ROUNDS       4u
#define TASKS_EACH   4u
#define INTRUSIONS   7u
#define INTO_TASK_NS UINT64_C(600000)

#define CLASS(name) D3DKMT_SCHEDULINGPRIORITYCLASS_##name

/* A client with two contexts. */
struct rival {
    const struct drydock_workload_host *host;
    struct addressed client;
    struct memory_block commands;
    struct queue_stream streams[2];
    unsigned used; /* tasks that were written and may not be done */
};

struct second {
    const struct drydock_workload_host *host;
    unsigned node;
    struct drydock_event *go, *done;
    bool good, ends;
    /* What is to be done: so many tasks of so many pieces. */
    D3DKMT_SCHEDULINGPRIORITYCLASS class;
    unsigned tasks, pieces;
};

static bool open_rival(struct rival *rival, const struct drydock_workload_host *host, unsigned node)
{
    bool there = false;

    *rival = (struct rival){.host = host};
    if (!addressed_open(&rival->client, host, node, &there)) {
        return false;
    }
    bool good =
        !rival->client.shared &&
        addressed_block(&rival->client, TASKS_MAX * SLICE_BYTES,
                        SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY, &rival->commands);
    for (unsigned i = 0; good && i < 2; i++) {
        good = stream_open(&rival->streams[i], &rival->client) && rival->streams[i].queue;
    }
    if (!good) {
        addressed_close(&rival->client);
    }
    return good;
}

static bool send(struct rival *rival, struct queue_stream *to, unsigned pieces)
{
    unsigned begin = rival->used++ % TASKS_MAX * SLICE_BYTES;
    struct command_writer writer;

    (void)stream_next(to, 1);
    writer_begin(&writer, &rival->client, &rival->commands);
    writer.used_bytes = begin;
    for (unsigned i = 0; i < pieces; i++) {
        writer_delay(&writer, PIECE_NS);
    }
    writer_fence(&writer, to->fence_address, to->value);
    unsigned size_bytes = writer.used_bytes - begin;
    return writer_close(&writer) && stream_submit(to, rival->commands.address + begin, size_bytes);
}

static bool send_several(struct rival *rival, struct queue_stream *to, unsigned tasks,
                         unsigned pieces)
{
    bool good = true;

    for (unsigned i = 0; good && i < tasks; i++) {
        good = send(rival, to, pieces);
    }
    return good;
}

static bool wait_for(struct rival *rival, const struct queue_stream *stream)
{
    return addressed_wait_fence(&rival->client, stream->fence, stream->value);
}

static bool set_class(struct rival *rival, D3DKMT_SCHEDULINGPRIORITYCLASS class)
{
    return gpu_check(&rival->client.gpu, D3DKMTSetProcessSchedulingPriorityClass(NULL, class),
                     "D3DKMTSetProcessSchedulingPriorityClass");
}

static void sleep_for(const struct drydock_workload_host *host, uint64_t ns)
{
    host->sleep_until(host, host->now_ns(host) + ns);
}

/* ---- Within a process ----------------------------------------------------------------------- */

static bool compete_as_equals(struct rival *rival)
{
    struct queue_stream *streams = rival->streams;

    for (unsigned i = 0; i < ROUNDS; i++) {
        if (!send_several(rival, &streams[0], TASKS_EACH, MIDDLE_TASK) ||
            !send_several(rival, &streams[1], TASKS_EACH, MIDDLE_TASK) ||
            !wait_for(rival, &streams[0]) || !wait_for(rival, &streams[1])) {
            return false;
        }
    }
    return true;
}

static bool order(struct rival *rival, const struct queue_stream *stream, int priority)
{
    const D3DKMT_SETCONTEXTINPROCESSSCHEDULINGPRIORITY set = {.hContext = stream->context,
                                                              .Priority = priority};

    return gpu_check(&rival->client.gpu, D3DKMTSetContextInProcessSchedulingPriority(&set),
                     "D3DKMTSetContextInProcessSchedulingPriority");
}

static bool interrupt_by_higher(struct rival *rival)
{
    struct queue_stream *lower = &rival->streams[0], *higher = &rival->streams[1];
    bool good = order(rival, lower, -2) && order(rival, higher, 3);

    for (unsigned i = 0; good && i < INTRUSIONS; i++) {
        good = send(rival, lower, LONG_TASK);
        sleep_for(rival->host, INTO_TASK_NS);
        good = good && send(rival, higher, SHORT_TASK) && wait_for(rival, higher) &&
               wait_for(rival, lower);
    }
    return order(rival, lower, 0) && order(rival, higher, 0) && good;
}

/* ---- Between processes ---------------------------------------------------------------------- */

static void other_process(void *argument)
{
    struct second *second = argument;
    const struct drydock_workload_host *host = second->host;
    struct rival rival;
    bool opened = open_rival(&rival, host, second->node);

    second->good = opened;
    host->event_signal(host, second->done);
    while (host->event_wait(host, second->go, DRYDOCK_NEVER), !second->ends) {
        second->good = second->good && set_class(&rival, second->class) &&
                       send_several(&rival, &rival.streams[0], second->tasks, second->pieces) &&
                       wait_for(&rival, &rival.streams[0]);
        host->event_signal(host, second->done);
    }
    if (opened) {
        addressed_close(&rival.client);
    }
}

static void let_go(struct second *second, unsigned tasks, unsigned pieces)
{
    second->tasks = tasks;
    second->pieces = pieces;
    second->host->event_signal(second->host, second->go);
}

static bool wait_done(struct second *second)
{
    second->host->event_wait(second->host, second->done, DRYDOCK_NEVER);
    return second->good;
}

static bool share_a_band(struct rival *rival, struct second *second)
{
    bool good = true;

    second->class = CLASS(NORMAL);
    for (unsigned i = 0; good && i < ROUNDS; i++) {
        let_go(second, TASKS_EACH, LONG_TASK);
        good = send_several(rival, &rival->streams[0], TASKS_EACH, LONG_TASK) &&
               wait_for(rival, &rival->streams[0]);
        good = wait_done(second) && good;
    }
    return good;
}

static bool interrupt_from_above(struct rival *rival, struct second *second,
                                 D3DKMT_SCHEDULINGPRIORITYCLASS lower)
{
    bool good = set_class(rival, lower);

    for (unsigned i = 0; good && i < INTRUSIONS; i++) {
        good = send(rival, &rival->streams[0], LONG_TASK) &&
               send(rival, &rival->streams[1], MIDDLE_TASK);
        sleep_for(rival->host, INTO_TASK_NS);
        let_go(second, 1, SHORT_TASK);
        good = wait_done(second) && good && wait_for(rival, &rival->streams[0]) &&
               wait_for(rival, &rival->streams[1]);
    }
    return set_class(rival, CLASS(NORMAL)) && good;
}

static bool starve(struct rival *rival, struct second *second)
{
    second->class = CLASS(HIGH);
    let_go(second, TASKS_MAX, LONG_TASK);
    bool good = send_several(rival, &rival->streams[0], TASKS_MAX / 2, MIDDLE_TASK) &&
                wait_for(rival, &rival->streams[0]);
    return wait_done(second) && good;
}

static bool compete_with(struct rival *rival, struct second *second)
{
    bool good = share_a_band(rival, second) && interrupt_from_above(rival, second, CLASS(IDLE));

    second->class = CLASS(HIGH);
    good = good && interrupt_from_above(rival, second, CLASS(NORMAL));
    second->class = CLASS(REALTIME);
    return good && interrupt_from_above(rival, second, CLASS(NORMAL)) && starve(rival, second);
}

static bool compete_with_another(struct rival *rival, unsigned node)
{
    const struct drydock_workload_host *host = rival->host;
    struct second second = {.host = host,
                            .node = node,
                            .go = host->event_create(host),
                            .done = host->event_create(host)};
    struct drydock_process *process =
        second.go && second.done ? host->start_process(host, "bands", other_process, &second)
                                 : NULL;
    bool good = process && wait_done(&second) && compete_with(rival, &second);

    if (process) {
        second.ends = true;
        host->event_signal(host, second.go);
        host->join(host, process);
    }
    if (second.go) {
        host->event_destroy(host, second.go);
    }
    if (second.done) {
        host->event_destroy(host, second.done);
    }
    return good;
}

void compete_in_bands(const struct drydock_workload_host *host, unsigned node)
{
    struct rival rival;

    if (open_rival(&rival, host, node)) {
        bool good = compete_as_equals(&rival) && interrupt_by_higher(&rival) &&
                    compete_with_another(&rival, node);
        host->count(host, "queues.competitions", good);
        addressed_close(&rival.client);
    }
}
