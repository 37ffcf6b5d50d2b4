/* empty: command buffers without a command, many at once, for drivers whose commands nobody knows.
 * Two devices on each node, one of them more urgent, queue them faster than they end, so that a
 * node has packets running and waiting when it is asked to stop, stands still, or loses a device.
 * In a calm run they end with Render; the variation empty-work submits them.
 * Before that clients come and go, more of them than a byte counts: what a driver numbers, counts
 * or keeps in a table has room for the next one when the last was given back. The second device
 * of a node is made 256 after its first: a number of eight bits would be that of the first.
 * Where the run has resets the adapter is reset behind it, and each node has some more work then:
 * what a driver keeps of a node begins anew with the hardware. */
#include "gpu.h"
#include "workloads.h"

#include <stdio.h>
#include <string.h>

#define NODES_MAX 4
#define ROUNDS    4
#define BURST     12 /* of one device in a round */
#define PRIORITY  7
#define SIDE      40
#define NUMBERS   256u /* of eight bits */
#define CROWD     280u
#define RESET_NS  UINT64_C(100000000) /* for one, of an adapter that has nothing to do */

struct sender {
    struct gpu gpu;
    struct surface surface; /* what every other one of its buffers names */
};

struct empty {
    const struct drydock_workload_host *host;
    struct sender senders[NODES_MAX * 2];
    unsigned count;
    NTSTATUS refusal; /* the last one */
    bool taken;
};

static bool begin(struct empty *empty, unsigned node, bool urgent)
{
    struct sender *sender = &empty->senders[empty->count];

    if (!gpu_open(&sender->gpu, empty->host, node)) {
        return node > 0 && !empty->host->failed(empty->host); /* a node may have no clients */
    }
    empty->count++;
    const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY priority = {sender->gpu.context, PRIORITY};
    NTSTATUS status = urgent ? D3DKMTSetContextSchedulingPriority(&priority) : STATUS_SUCCESS;
    if (status < 0) {
        return gpu_check(&sender->gpu, status, "D3DKMTSetContextSchedulingPriority");
    }
    struct drydock_standard_allocation standard = {.kind = DRYDOCK_SURFACE_SHADOW,
                                                   .width = SIDE,
                                                   .height = SIDE,
                                                   .format = D3DDDIFMT_A8R8G8B8};
    /* Without one, as where the driver describes none, nothing is named. */
    status = gpu_surface_try_create(&sender->gpu, &standard, &sender->surface);
    return status != STATUS_DEVICE_REMOVED ||
           gpu_check(&sender->gpu, status, "creating a standard allocation");
}

/* One on each node. */
static bool begin_all(struct empty *empty, bool urgent)
{
    unsigned nodes = gpu_node_count(empty->host);
    bool good = true;

    for (unsigned node = 0; node < (nodes ? nodes : 1) && node < NODES_MAX && good; node++) {
        good = begin(empty, node, urgent);
    }
    return good;
}

static bool send(struct empty *empty, struct sender *sender, unsigned number)
{
    struct gpu *gpu = &sender->gpu;
    unsigned named = number % 2 && sender->surface.allocation && gpu->allocation_count > 0;

    if (named) {
        gpu->allocations[0] =
            (D3DDDI_ALLOCATIONLIST){.hAllocation = sender->surface.allocation, .WriteOperation = 1};
    }
    gpu->redirected = number % 4 == 3; /* which buffers of Render alone are */
    NTSTATUS status = gpu_try_render(gpu, 0, named);
    if (status == STATUS_DEVICE_REMOVED) {
        return gpu_check(gpu, status, "D3DKMTRender");
    }
    empty->host->count(empty->host, status < 0 ? "empty.refused" : "empty.taken", 1);
    empty->taken |= status >= 0;
    empty->refusal = status < 0 ? status : empty->refusal;
    return status >= 0;
}

static bool send_all(struct empty *empty)
{
    bool good = true;

    for (unsigned i = 0; i < BURST && good; i++) {
        for (unsigned j = 0; j < empty->count && good; j++) {
            good = send(empty, &empty->senders[j], i);
        }
    }
    return good;
}

static bool wait_for_all(struct empty *empty)
{
    bool good = true;

    for (unsigned i = 0; i < empty->count && good; i++) {
        good = gpu_wait_idle(&empty->senders[i].gpu);
    }
    return good;
}

/* The last round ends with everything queued: the kernel ends what devices leave behind. A driver
 * may refuse them; the contract judges how. */
static void work(struct empty *empty)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (!send_all(empty) || (round + 1 < ROUNDS && !wait_for_all(empty))) {
            return;
        }
        empty->host->progress(empty->host, round, ROUNDS);
    }
}

/* A client with one device and one context. */
static NTSTATUS come_and_go(const struct gpu *gpu)
{
    D3DKMT_CREATEDEVICE device = {.hAdapter = gpu->adapter};
    NTSTATUS status = D3DKMTCreateDevice(&device);

    if (status < 0) {
        return status;
    }
    D3DKMT_CREATECONTEXT context = {.hDevice = device.hDevice, .EngineAffinity = 1};
    status = D3DKMTCreateContext(&context);
    if (gpu_refuses_lists(gpu->host, status)) {
        D3DKMT_CREATECONTEXTVIRTUAL create = {.hDevice = device.hDevice, .EngineAffinity = 1};
        NTSTATUS other = D3DKMTCreateContextVirtual(&create);
        context.hContext = create.hContext;
        status = other >= 0 ? other : status;
    }
    if (status >= 0) {
        const D3DKMT_DESTROYCONTEXT end = {.hContext = context.hContext};
        status = D3DKMTDestroyContext(&end);
    }
    const D3DKMT_DESTROYDEVICE end = {.hDevice = device.hDevice};
    NTSTATUS ended = D3DKMTDestroyDevice(&end);
    return status < 0 ? status : ended;
}

static bool crowd_comes_and_goes(struct gpu *gpu, unsigned count)
{
    char what[128];

    for (unsigned i = 0; i < count; i++) {
        NTSTATUS status = come_and_go(gpu);
        if (status < 0) {
            snprintf(what, sizeof what,
                     "a client's D3DKMTCreateDevice or D3DKMTCreateContext, when %u had come and "
                     "gone, each with a device and a context,",
                     i);
            return gpu_check(gpu, status, what);
        }
    }
    return true;
}

static void end_all(struct empty *empty)
{
    for (unsigned i = 0; i < empty->count; i++) {
        gpu_surface_destroy(&empty->senders[i].gpu, &empty->senders[i].surface);
        gpu_close(&empty->senders[i].gpu);
    }
    empty->count = 0;
}

/* Nobody has anything that a reset could take. */
static bool reset(struct empty *empty)
{
    const struct drydock_workload_host *host = empty->host;
    struct gpu gpu;

    if (!gpu_open(&gpu, host, 0)) {
        return false;
    }
    gpu.may_be_lost = true;
    bool good = gpu_wait_idle(&gpu) && gpu_force_reset(&gpu) >= 0;
    if (good) {
        host->sleep_until(host, host->now_ns(host) + RESET_NS);
        host->count(host, "empty.resets", 1);
    }
    gpu_close(&gpu);
    return good;
}

static void work_behind_a_reset(struct empty *empty)
{
    memset(empty->senders, 0, sizeof empty->senders);
    if (empty->taken && reset(empty) && begin_all(empty, false) && send_all(empty)) {
        (void)wait_for_all(empty);
    }
    end_all(empty);
}

/* For who measures how long they take. Not every driver has it. */
static void hold_clocks(struct empty *empty, bool hold)
{
    struct gpu *gpu = &empty->senders[0].gpu;
    const D3DKMT_SETSTABLEPOWERSTATE state = {.hAdapter = gpu->adapter, .Enabled = hold};
    NTSTATUS status = D3DKMTSetStablePowerState(&state);

    if (status != STATUS_NOT_SUPPORTED) {
        (void)gpu_check(gpu, status, "D3DKMTSetStablePowerState");
        empty->host->count(empty->host, "clocks.held", hold);
    }
}

/* Who refuses them all had little of this workload. */
static void tell_refusals(const struct empty *empty)
{
    const struct drydock_workload_host *host = empty->host;

    if (empty->count && !empty->senders[0].gpu.commands) {
        host->note(host, "no command buffers: the driver takes commands by address alone, which a "
                         "workload of yours submits, --workload FILE.so");
    } else if (empty->refusal) {
        host->note(host, "%s command buffers without a command were refused, with 0x%08X",
                   empty->taken ? "some" : "all", (unsigned)empty->refusal);
    }
}

static void run(const struct drydock_workload_host *host)
{
    struct empty empty = {.host = host};
    bool good = begin_all(&empty, false);

    if (good && crowd_comes_and_goes(&empty.senders[0].gpu, NUMBERS - empty.count) &&
        begin_all(&empty, true) && crowd_comes_and_goes(&empty.senders[0].gpu, CROWD - NUMBERS)) {
        hold_clocks(&empty, true);
        work(&empty);
        hold_clocks(&empty, false);
        tell_refusals(&empty);
    }
    end_all(&empty);
    if (host->capabilities & DRYDOCK_RUN_HAS_RESETS && !host->failed(host)) {
        work_behind_a_reset(&empty);
    }
    host->progress(host, 1, 1);
}

const struct drydock_workload workload_empty = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "empty",
    .description = "command buffers without a command, many at once",
    .run = run,
};
