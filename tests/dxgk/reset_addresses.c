/* A road of work by GPU virtual address is travelled again and again, and at the i-th point that
 * may switch, be it whosesoever, the adapter is reset; see reset_client.c, which does so for work
 * by patch lists. */
#include "reset_addresses.h"

#include <string.h>

#include <ntddk.h>

#include "addressed.h"
#include "dxgk/dxgk.h"

#define POINTS_MAX     20000
#define VISIT_YIELDS   500
#define BETWEEN_RESETS (13 * NS_PER_S) /* five within a minute are allowed [TDR-007] */
#define PAGE_BYTES     UINT64_C(4096)
#define BLOCK_BYTES    (16 * PAGE_BYTES) /* what a reservation is counted in */
#define FILL_BYTES     (4 * PAGE_BYTES)
#define PATTERN        0x0BADCAFEu

enum reset_addressed_road reset_addressed_road;
static const struct drydock_workload_host *host;

static struct {
    struct addressed client;
    struct memory_block commands, block;
    uint64_t range; /* reserved */
} stage;

static struct {
    unsigned wanted, reached;
    bool fired, visiting;
} points;

static bool set_stage(void)
{
    bool there;

    memset(&stage, 0, sizeof stage);
    bool good =
        addressed_open(&stage.client, host, SOFTGPU_ENGINE_COMPUTE, &there) &&
        addressed_block(&stage.client, PAGE_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &stage.commands) &&
        addressed_block(&stage.client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &stage.block) &&
        addressed_reserve(&stage.client, BLOCK_BYTES, &stage.range);
    stage.client.gpu.may_be_lost = true;
    return good;
}

/* ---- The roads: each step may come too late -------------------------------------------------- */

static bool fill(uint64_t address)
{
    struct command_writer writer;

    writer_begin(&writer, &stage.client, &stage.commands);
    writer_fill(&writer, address, FILL_BYTES, PATTERN);
    return writer_end(&writer);
}

/* The work is done, or the device is lost. */
static void travel(void)
{
    static const unsigned pages[] = {0, 1, 2, 3};
    bool good = reset_addressed_road != RESET_UPDATE ||
                addressed_update(&stage.client, &stage.block, stage.range, pages, 4);

    good = good && fill(reset_addressed_road == RESET_UPDATE ? stage.range : stage.block.address) &&
           addressed_wait(&stage.client);
    if (good && reset_addressed_road == RESET_SWITCH) {
        D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){stage.client.context});
    }
}

/* ---- Point by point -------------------------------------------------------------------------- */

static void at_point(void *context, bool blocks)
{
    if (points.visiting || points.fired || points.reached++ != points.wanted) {
        return;
    }
    points.fired = true;
    dxgk_adapter_force_reset(dxgk_adapter_first());
    points.visiting = true;
    for (unsigned i = 0; !blocks && i < VISIT_YIELDS; i++) {
        machine_yield();
    }
    points.visiting = false;
}

static bool is_active(void)
{
    return gpu_state(&stage.client.gpu) == D3DKMT_DEVICEEXECUTION_ACTIVE;
}

static void check(void)
{
    const uint32_t *words = is_active() ? addressed_lock(&stage.client, &stage.block) : NULL;
    bool wrong = false;

    for (unsigned i = 0; words && i < FILL_BYTES / 4; i++) {
        wrong |= words[i] != PATTERN;
    }
    if (words) {
        addressed_unlock(&stage.client, &stage.block);
    }
    if (wrong && is_active()) {
        host->fail(host, "the memory is wrong after a reset at point %u", points.wanted);
    }
    host->count(host, is_active() ? "reset.survived" : "reset.lost", 1);
}

/* False: the journey has no such point. */
static bool travel_to(unsigned point)
{
    if (!set_stage()) {
        return false;
    }
    points.wanted = point;
    points.reached = 0;
    points.fired = points.visiting = false;
    machine_set_point_hook(at_point, NULL);
    travel();
    machine_set_point_hook(NULL, NULL);
    host->sleep_until(host, host->now_ns(host) + BETWEEN_RESETS);
    check();
    D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){stage.client.gpu.device});
    D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){stage.client.gpu.adapter});
    return points.fired;
}

static void run(const struct drydock_workload_host *given)
{
    unsigned point = 0;

    host = given;
    while (!host->failed(host) && point < POINTS_MAX && travel_to(point)) {
        point++;
    }
    host->count(host, "reset.points", point);
    if (point == POINTS_MAX) {
        host->fail(host, "the journey never ends");
    }
}

const struct drydock_workload reset_addresses = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                 .name = "reset of work by address",
                                                 .description = "reset at every point",
                                                 .run = run};
