/* hang: one process hangs an engine; the others go on.
 *
 * A *culprit* queues good work, then a command that never ends, then more work behind it. The
 * time-out must find it: its device ends as hung, calls on it fail, and what was queued behind
 * never runs. *Neighbours* compute on the same and on another engine all the time and check their
 * results; those on another engine keep its ring from being empty, so that who resets the one and
 * harms the other shows. Where a whole adapter is reset, a neighbour whose work was on the hardware
 * loses its device as well, though not as hung: it makes a new one and goes on. Then the same in
 * hardware queues, where the compute engine has them (hang_queue.c).
 *
 * It knows the software GPU's commands. */
#include "doorbell_client.h"
#include "results.h"
#include "softgpu_client.h"
#include "workloads.h"

#include <stdlib.h>
#include <string.h>

#define NEIGHBOURS_MIN 2
#define NEIGHBOURS_MAX 6
#define ELEMENTS       2048u
#define BEHIND         4                 /* command buffers queued behind the one that hangs */
#define HANGS          2                 /* on two engines, one after the other */
#define PACE_NS        UINT64_C(1000000) /* from one result of the first neighbour to the next */
#define LASTS_NS       4000000u          /* of a neighbour's work behind which others wait */
#define LASTING        3
#define LOSSES_MAX     100 /* of one neighbour; more is no recovery */
#define SITE_NEIGHBOUR 10  /* plus the neighbour */

struct scene {
    const struct drydock_workload_host *host;
    unsigned node_count;
    bool over;
    struct drydock_event *warm; /* a neighbour has had its first result */
};

struct neighbour {
    struct scene *scene;
    unsigned index;
    unsigned results, losses;
};

/* ---- Neighbours ---------------------------------------------------------------------------- */

/* Sums i + start on the compute engine; fills and copies on the others. */
static bool compute_once(struct gpu *gpu, unsigned node, const struct surface *buffers,
                         uint32_t start, uint32_t *expected)
{
    struct commands commands;

    commands_begin(&commands, gpu);
    if (node == NODE_COMPUTE) {
        commands_compute(&commands, SOFTGPU_KERNEL_IOTA, &buffers[0], 0, NULL, NULL, ELEMENTS,
                         start);
        commands_compute(&commands, SOFTGPU_KERNEL_SUM, &buffers[1], 0, &buffers[0], NULL, ELEMENTS,
                         0);
        *expected = start * ELEMENTS + ELEMENTS / 2 * (ELEMENTS - 1);
    } else {
        commands_fill(&commands, &buffers[0], 0, ELEMENTS * 4, start);
        commands_copy(&commands, &buffers[1], 0, &buffers[0], 64, ELEMENTS * 4 - 64);
        *expected = start;
    }
    return commands_end(&commands);
}

/* The engine has something to do, and its ring something in it, for nearly all of the time until
 * the other one is reset. */
static bool keep_busy(struct gpu *gpu)
{
    bool good = true;

    for (unsigned i = 0; good && i < LASTING; i++) {
        struct commands commands;
        commands_begin(&commands, gpu);
        commands_delay(&commands, LASTS_NS);
        good = commands_end(&commands);
    }
    return good;
}

/* One result; false if the device is lost or the run has failed. */
static bool one_result(struct gpu *gpu, struct neighbour *self, unsigned node,
                       const struct surface *buffers)
{
    const struct drydock_workload_host *host = self->scene->host;
    uint32_t start = (uint32_t)host->random(host, SITE_NEIGHBOUR + self->index), expected;

    if ((self->index > 0 && node != NODE_3D && !keep_busy(gpu)) ||
        !compute_once(gpu, node, buffers, start, &expected)) {
        return false;
    }
    const uint32_t *result = gpu_lock(gpu, &buffers[1], true);
    if (!result) {
        return false;
    }
    uint32_t found = *result;
    bool right = found == expected;
    gpu_unlock(gpu, &buffers[1]);
    /* Work that the reset took away has no result; the device tells, and the work is done again. */
    if (!right && gpu_state(gpu) == D3DKMT_DEVICEEXECUTION_ACTIVE) {
        host->count(host, "hang.wrong_results", 1);
        host->fail(host, "a neighbour's result is wrong: 0x%08X, expected 0x%08X", found, expected);
    }
    if (right) {
        self->results++;
        host->count(host, "hang.neighbour_results", 1);
    }
    return right;
}

/* Works with one device until it is lost or all is over. */
static void work_with_device(struct neighbour *self, unsigned node)
{
    struct scene *scene = self->scene;
    const struct drydock_workload_host *host = scene->host;
    struct surface buffers[2] = {0};
    struct gpu gpu;

    if (!gpu_open(&gpu, host, node)) {
        return;
    }
    gpu.may_be_lost = true;
    bool good = softgpu_buffers(&gpu, ELEMENTS * 4, 0, buffers, 2);
    while (good && !scene->over && !host->failed(host)) {
        /* The first has work in every millisecond; of the others less will do. */
        uint64_t next = host->now_ns(host) + (1 + 3 * self->index) * PACE_NS;
        good = one_result(&gpu, self, node, buffers);
        if (self->results == 1 && good) {
            host->event_signal(host, scene->warm);
        }
        host->sleep_until(host, next);
    }
    D3DKMT_DEVICEEXECUTION_STATE state = gpu_state(&gpu);
    if (state == D3DKMT_DEVICEEXECUTION_HUNG) {
        host->fail(host, "a neighbour's device is called hung, and its work did not hang; only the "
                         "culprit's device is to be called so");
    } else if (state != D3DKMT_DEVICEEXECUTION_ACTIVE) {
        self->losses++;
        host->count(host, "hang.neighbour_devices_lost", 1);
    }
    gpu_surface_destroy(&gpu, &buffers[0]);
    gpu_surface_destroy(&gpu, &buffers[1]);
    gpu_close(&gpu);
}

static void neighbour_run(void *argument)
{
    struct neighbour *self = argument;
    struct scene *scene = self->scene;
    unsigned node = self->index % scene->node_count;

    while (!scene->over && !scene->host->failed(scene->host)) {
        work_with_device(self, node);
        if (self->losses > LOSSES_MAX) {
            scene->host->fail(scene->host, "a neighbour lost its device again and again");
        }
    }
    scene->host->event_signal(scene->host, scene->warm); /* nobody waits for us any more */
}

/* ---- The culprit --------------------------------------------------------------------------- */

static bool submit_all(struct gpu *gpu, const struct surface *buffers)
{
    struct commands commands;

    commands_begin(&commands, gpu);
    commands_fill(&commands, &buffers[0], 0, 4096, 0x600D600Du);
    bool good = commands_end(&commands) && gpu_wait_idle(gpu);
    commands_begin(&commands, gpu);
    commands_hang(&commands);
    good = good && commands_end(&commands);
    for (unsigned i = 0; i < BEHIND && good; i++) {
        commands_begin(&commands, gpu);
        commands_fill(&commands, &buffers[1], 0, 4096, 0xBAD0BAD0u);
        good = commands_end(&commands);
    }
    return good;
}

/* After the reset. */
static void check_verdict(struct gpu *gpu)
{
    const struct drydock_workload_host *host = gpu->host;
    D3DKMT_DEVICEEXECUTION_STATE state = gpu_state(gpu);
    NTSTATUS status = gpu_try_render(gpu, 0, 0);

    if (state != D3DKMT_DEVICEEXECUTION_HUNG) {
        host->fail(host,
                   "the device of the client whose commands never end is told to be %s, and not "
                   "HUNG: interrupts, or LastAbortedFenceId, said of another fence that it was "
                   "in work when the reset came",
                   gpu_state_name(state));
    }
    if (status != STATUS_DEVICE_REMOVED) {
        host->fail(host, "D3DKMTRender on a lost device gives %s, not STATUS_DEVICE_REMOVED",
                   host->status_name(host, status));
    }
    host->count(host, "hang.engines_hung", 1);
}

static void hang_engine(const struct drydock_workload_host *host, unsigned node)
{
    struct surface buffers[2] = {0};
    struct gpu gpu;

    if (!gpu_open(&gpu, host, node)) {
        return;
    }
    bool good = softgpu_buffers(&gpu, 4096, 0, buffers, 2) && submit_all(&gpu, buffers);
    gpu.may_be_lost = true;
    if (good && gpu_wait_idle(&gpu)) {
        check_verdict(&gpu);
    }
    gpu_surface_destroy(&gpu, &buffers[0]);
    gpu_surface_destroy(&gpu, &buffers[1]);
    gpu_close(&gpu);
}

static void culprit_run(void *argument)
{
    const struct scene *scene = argument;

    hang_engine(scene->host, NODE_3D);
}

static void second_culprit_run(void *argument)
{
    const struct scene *scene = argument;

    hang_engine(scene->host, NODE_COMPUTE);
}

/* ---- The whole ----------------------------------------------------------------------------- */

static void run_culprits(struct scene *scene)
{
    static drydock_process_entry *const entries[HANGS] = {culprit_run, second_culprit_run};
    const struct drydock_workload_host *host = scene->host;

    unsigned hangs = scene->node_count > NODE_COMPUTE ? HANGS : 1;
    for (unsigned i = 0; i < hangs && !host->failed(host); i++) {
        struct drydock_process *culprit =
            host->start_process(host, "hang-culprit", entries[i], scene);
        if (!culprit) {
            host->fail(host, "a client process cannot be started");
            return;
        }
        host->join(host, culprit);
        host->progress(host, i + 1, HANGS + 1);
    }
}

/* Everybody must have had results before the hangs, and again after them. */
static void judge(struct scene *scene, struct neighbour *neighbours, const unsigned *before,
                  unsigned count)
{
    const struct drydock_workload_host *host = scene->host;
    uint64_t deadline = host->now_ns(host) + UINT64_C(5000000000);

    for (unsigned i = 0; i < count && !host->failed(host); i++) {
        while (neighbours[i].results < before[i] + 2 && !host->failed(host)) {
            if (host->now_ns(host) > deadline) {
                host->fail(host, "a neighbour had no result for 5 s after the resets");
                break;
            }
            host->sleep_until(host, host->now_ns(host) + 1000000);
        }
    }
}

static void run_scene(struct scene *scene, unsigned count)
{
    const struct drydock_workload_host *host = scene->host;
    struct neighbour neighbours[NEIGHBOURS_MAX] = {0};
    struct drydock_process *processes[NEIGHBOURS_MAX];
    unsigned before[NEIGHBOURS_MAX], started = 0;

    for (; started < count; started++) {
        neighbours[started] = (struct neighbour){.scene = scene, .index = started};
        processes[started] =
            host->start_process(host, "hang-neighbour", neighbour_run, &neighbours[started]);
        if (!processes[started]) {
            host->fail(host, "a client process cannot be started");
            break;
        }
    }
    for (unsigned i = 0; i < started; i++) {
        host->event_wait(host, scene->warm, DRYDOCK_NEVER);
    }
    run_culprits(scene);
    for (unsigned i = 0; i < started; i++) {
        before[i] = neighbours[i].results;
    }
    judge(scene, neighbours, before, started);
    scene->over = true;
    for (unsigned i = 0; i < started; i++) {
        host->join(host, processes[i]);
    }
}

static void run(const struct drydock_workload_host *host)
{
    struct scene scene = {.host = host};
    unsigned count = host->process_count < NEIGHBOURS_MIN   ? NEIGHBOURS_MIN
                     : host->process_count > NEIGHBOURS_MAX ? NEIGHBOURS_MAX
                                                            : host->process_count;

    if (!(host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU)) {
        host->note(host, "left out: it knows the commands of the built-in driver only");
        return;
    }
    host->count(host, "hang.wrong_results", 0);
    scene.node_count = gpu_node_count(host);
    if (scene.node_count == 0) {
        host->fail(host, "the adapter has no nodes");
        return;
    }
    scene.warm = host->event_create(host);
    if (!scene.warm) {
        host->fail(host, "no memory");
        return;
    }
    run_scene(&scene, count);
    host->event_destroy(host, scene.warm);
    if (!host->failed(host) && scene.node_count > NODE_COMPUTE) {
        result_of_a_hung_queue(host, NODE_COMPUTE);
    }
    if (!host->failed(host)) {
        hang_by_doorbell(host);
    }
    host->progress(host, 1, 1);
}

const struct drydock_workload workload_hang = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "hang",
    .description = "one process hangs an engine, the others go on",
    .run = run,
};
