/* A road of work by GPU virtual address is travelled again and again, and at the i-th point that
 * may switch, be it whosesoever, the adapter is reset; see reset_client.c, which does so for work
 * by patch lists. */
#include "reset_addresses.h"

#include <string.h>

#include <ntddk.h>

#include <d3dkmddi.h>

#include "addressed.h"
#include "dxgk/dxgk.h"

#define POINTS_MAX     20000
#define VISIT_YIELDS   500
#define BETWEEN_RESETS (13 * NS_PER_S) /* five within a minute are allowed [TDR-007] */
#define PAGE_BYTES     UINT64_C(4096)
#define BLOCK_BYTES    (16 * PAGE_BYTES) /* what a reservation is counted in */
#define FILL_BYTES     (4 * PAGE_BYTES)
#define PATTERN        0x0BADCAFEu
#define SIDE           16
#define FILLS          200 /* so that the client waits for them */

enum reset_addressed_road reset_addressed_road;
static const struct drydock_workload_host *host;

static struct {
    struct addressed client;
    struct memory_block commands, block;
    uint64_t range; /* reserved */
    /* Of RESET_QUEUED and RESET_DRAWN, which has a device of its own. */
    struct surface surface;
    struct gpu gdi;
    D3DKMT_HANDLE queue, fence;
} stage;

static struct {
    unsigned wanted, reached;
    bool fired, visiting;
} points;

static bool set_queue(void)
{
    D3DKMT_CREATEHWCONTEXT context = {.hDevice = stage.client.gpu.device,
                                      .NodeOrdinal = SOFTGPU_ENGINE_COMPUTE};

    if (!NT_SUCCESS(D3DKMTCreateHwContext(&context))) {
        return false;
    }
    D3DKMT_CREATEHWQUEUE queue = {.hHwContext = context.hHwContext};
    if (!NT_SUCCESS(D3DKMTCreateHwQueue(&queue))) {
        return false;
    }
    stage.queue = queue.hHwQueue;
    stage.fence = queue.hHwQueueProgressFence;
    return gpu_surface_create(&stage.client.gpu, DRYDOCK_SURFACE_SHADOW, SIDE, SIDE,
                              D3DDDIFMT_X8R8G8B8, false, &stage.surface);
}

static bool set_gdi(void)
{
    struct drydock_gdi_context made = {.hAdapter = stage.client.gpu.adapter,
                                       .virtual_addresses = TRUE};

    if (!NT_SUCCESS(drydock_create_gdi_context(&made))) {
        return false;
    }
    stage.gdi = (struct gpu){
        .host = host, .device = made.hDevice, .context = made.hContext, .may_be_lost = true};
    return gpu_surface_create(&stage.gdi, DRYDOCK_SURFACE_SHADOW, SIDE, SIDE, D3DDDIFMT_X8R8G8B8,
                              false, &stage.surface);
}

static bool set_stage(void)
{
    bool there;

    memset(&stage, 0, sizeof stage);
    bool good =
        addressed_open(&stage.client, host, SOFTGPU_ENGINE_COMPUTE, &there) &&
        addressed_block(&stage.client, PAGE_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &stage.commands) &&
        addressed_block(&stage.client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &stage.block) &&
        addressed_reserve(&stage.client, BLOCK_BYTES, &stage.range) &&
        (reset_addressed_road != RESET_QUEUED || set_queue()) &&
        (reset_addressed_road != RESET_DRAWN || set_gdi());
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

static void present_by_queue(void)
{
    const uint64_t id = 5;
    D3DKMT_SUBMITPRESENTBLTTOHWQUEUE fill = {
        .hHwQueue = stage.queue,
        .HwQueueProgressFenceId = id,
        .PrivatePresentData = {.hDestination = stage.surface.allocation,
                               .Color = PATTERN,
                               .Flags.ColorFill = 1},
    };
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {.hDevice = stage.client.gpu.device,
                                                             .ObjectCount = 1,
                                                             .ObjectHandleArray = &stage.fence,
                                                             .FenceValueArray = &id};

    if (NT_SUCCESS(D3DKMTSubmitPresentBltToHwQueue(&fill))) {
        (void)!D3DKMTWaitForSynchronizationObjectFromCpu(&wait);
    }
}

static void draw_for_gdi(void)
{
    struct drydock_gdi_command fills[FILLS];

    for (unsigned i = 0; i < FILLS; i++) {
        fills[i] = (struct drydock_gdi_command){.operation = DRYDOCK_GDI_COLORFILL,
                                                .hDestination = stage.surface.allocation,
                                                .to = {0, 0, SIDE, SIDE},
                                                .rop = DXGK_GDIROPCF_PATCOPY,
                                                .color = PATTERN};
    }
    if (NT_SUCCESS(drydock_draw_gdi(&(struct drydock_gdi_work){stage.gdi.context, FILLS, fills}))) {
        (void)!D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){stage.gdi.device});
    }
}

/* The work is done, or the device is lost. */
static void travel(void)
{
    if (reset_addressed_road == RESET_DRAWN) {
        draw_for_gdi();
        return;
    }
    if (reset_addressed_road == RESET_QUEUED) {
        present_by_queue();
        return;
    }
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

/* Who has the surface, if the road has one. */
static struct gpu *painter(void)
{
    return reset_addressed_road == RESET_QUEUED  ? &stage.client.gpu
           : reset_addressed_road == RESET_DRAWN ? &stage.gdi
                                                 : NULL;
}

static bool is_active(void)
{
    return gpu_state(painter() ? painter() : &stage.client.gpu) == D3DKMT_DEVICEEXECUTION_ACTIVE;
}

/* A row of the surface, whose colours have no alpha; or the block. */
static bool is_wrong(void)
{
    struct gpu *paints = painter();
    bool wrong = false;
    const uint32_t *words = !is_active() ? NULL
                            : paints     ? gpu_lock(paints, &stage.surface, true)
                                         : addressed_lock(&stage.client, &stage.block);
    uint32_t mask = paints ? 0xFFFFFF : UINT32_MAX;

    for (unsigned i = 0; words && i < (paints ? SIDE : FILL_BYTES / 4); i++) {
        wrong |= ((words[i] ^ PATTERN) & mask) != 0;
    }
    if (words && paints) {
        gpu_unlock(paints, &stage.surface);
    } else if (words) {
        addressed_unlock(&stage.client, &stage.block);
    }
    return wrong;
}

static void check(void)
{
    bool wrong = is_wrong();

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
    if (stage.gdi.device) {
        D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){stage.gdi.device});
    }
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
