/* Two devices have work on a node each that faults at the same time, and about then a third has
 * urgent work for one of the nodes: in some of the rounds its fault comes while the other's is
 * answered. See the header. */
#include "faults_client.h"

#include <string.h>

#include <ntddk.h>

#include "addressed.h"

#define DEVICES     2 /* whose work faults; behind them is the one with urgent work */
#define PRIORITY    7
#define PAGE_BYTES  UINT64_C(4096)
#define BLOCK_BYTES (16 * PAGE_BYTES)     /* what a reservation is counted in */
#define WORK_NS     2000000               /* until it faults: longer than it takes to submit both */
#define ROUND_NS    1000                  /* so much later in each the urgent work comes, */
#define BEFORE_NS   8000                  /* in the first so long before the faults */
#define REST_NS     UINT64_C(13000000000) /* five resets within a minute are allowed [TDR-007] */

static const unsigned nodes[DEVICES + 1] = {SOFTGPU_ENGINE_3D, SOFTGPU_ENGINE_COMPUTE,
                                            SOFTGPU_ENGINE_COMPUTE};

struct faulting {
    struct addressed client;
    struct memory_block commands;
    struct command_writer writer;
    uint64_t nowhere;
};

static bool prepare(struct faulting *one, const struct drydock_workload_host *host, unsigned node,
                    bool faults)
{
    bool there;

    if (!addressed_open(&one->client, host, node, &there) || !there ||
        !addressed_block(&one->client, PAGE_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &one->commands) ||
        !addressed_reserve(&one->client, BLOCK_BYTES, &one->nowhere)) {
        return false;
    }
    one->client.gpu.may_be_lost = true;
    writer_begin(&one->writer, &one->client, &one->commands);
    writer_delay(&one->writer, WORK_NS);
    if (faults) {
        writer_fill(&one->writer, one->nowhere, PAGE_BYTES, 0);
    }
    return writer_close(&one->writer);
}

static bool hurry(const struct addressed *client)
{
    const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY priority = {client->context, PRIORITY};

    return NT_SUCCESS(D3DKMTSetContextSchedulingPriority(&priority));
}

static void go_round(const struct drydock_workload_host *host, unsigned round)
{
    struct faulting all[DEVICES + 1];
    bool good = true;

    memset(all, 0, sizeof all);
    for (unsigned i = 0; i <= DEVICES; i++) {
        good = good && prepare(&all[i], host, nodes[i], i < DEVICES);
    }
    good = good && hurry(&all[DEVICES].client);
    for (unsigned i = 0; i < DEVICES; i++) {
        good = good && writer_again(&all[i].writer);
    }
    host->sleep_until(host, host->now_ns(host) + WORK_NS - BEFORE_NS + round * ROUND_NS);
    (void)(good && writer_again(&all[DEVICES].writer)); /* it may be lost by then */
    for (unsigned i = 0; i <= DEVICES; i++) {
        (void)addressed_wait(&all[i].client);
        D3DKMT_DEVICEEXECUTION_STATE state = gpu_state(&all[i].client.gpu);
        if (i < DEVICES && state != D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT) {
            host->fail(host, "device %u faulted in round %u, and its state is %s", i, round,
                       gpu_state_name(state));
        }
        addressed_close(&all[i].client);
    }
    host->count(host, "faults.rounds", good ? 1 : 0);
}

static void run(const struct drydock_workload_host *host)
{
    for (unsigned i = 0; i < FAULTS_ROUNDS && !host->failed(host); i++) {
        go_round(host, i);
        host->sleep_until(host, host->now_ns(host) + REST_NS);
    }
}

const struct drydock_workload faults_client = {.abi = DRYDOCK_WORKLOAD_ABI,
                                               .name = "faults",
                                               .description = "two nodes fault at once",
                                               .run = run};
