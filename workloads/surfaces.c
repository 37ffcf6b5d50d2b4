/* surfaces: small pieces of work with standard allocations and presents, each with a result that
 * tells what was done wrong. It needs no knowledge of a driver's commands.
 *
 *   kinds      stretched presents of which a part is seen, moves within a surface, each way
 *   formats    surfaces of other formats than a screen's
 *   many       thousands of rectangles in one present, more than a DMA buffer has room for
 *   steps      rectangles that move within a surface while more urgent work comes: each once
 *   devices    several devices with contexts on every node, ended in another order than made
 *   left       a process that ends with work queued and everything open
 *   empty      command buffers without a command
 *   captured   buffers that video is captured into, and which go (the software GPU's driver)
 *   reset      the adapter is reset while it works; what comes after it must be right */
#include "canvas.h"
#include "results.h"
#include "softgpu_client.h"
#include "workloads.h"

#include <stdlib.h>
#include <string.h>

#define DEVICES    4
#define NODES_MAX  16
#define SIDE       64
#define CAPTURED   0x10000           /* bytes */
#define PATIENCE   UINT64_C(2000000) /* how long work goes on before it is disturbed, at most */
#define SITE_RESET 0

struct scene {
    const struct drydock_workload_host *host;
    unsigned node_count;
    struct drydock_event *busy; /* the process that is to be disturbed works */
    bool over;
};

/* ---- Devices --------------------------------------------------------------------------------- */

/* What a device made and shared stays when the device goes, as long as others have it open. */
static bool use_after_maker(struct gpu devices[DEVICES], struct surface opened[DEVICES],
                            const struct picture *picture)
{
    struct gpu *maker = &devices[0];
    struct surface made;
    struct box first;

    if (!gpu_surface_create(maker, DRYDOCK_SURFACE_SHADOW, SIDE, SIDE, D3DDDIFMT_X8R8G8B8, true,
                            &made)) {
        return false;
    }
    bool good = gpu_upload(maker, &made, picture);
    for (unsigned i = 1; i < DEVICES && good; i++) {
        good = gpu_surface_open(&devices[i], &made, &opened[i]);
    }
    gpu_surface_destroy(maker, &made);
    gpu_close(maker);
    uint64_t wrong = good ? gpu_compare(&devices[2], &opened[2], picture, &first) : 0;
    if (wrong > 0 && wrong < UINT64_MAX) {
        devices[2].host->fail(devices[2].host,
                              "%llu pixels of a shared surface are wrong after the device that "
                              "made it was destroyed",
                              (unsigned long long)wrong);
    }
    return good && wrong == 0;
}

static bool run_devices(const struct scene *scene)
{
    static const unsigned order[DEVICES] = {2, 0, 3, 1}; /* 0 is closed by then: that is nothing */
    struct gpu devices[DEVICES] = {0};
    struct surface opened[DEVICES] = {0};
    struct picture picture;
    bool good = picture_create(SIDE, SIDE, &picture);

    for (unsigned i = 0; i < DEVICES && good; i++) {
        good = gpu_open(&devices[i], scene->host, i % scene->node_count);
    }
    if (good) {
        picture_fill(&picture, picture_box(&picture), 0x406080);
        picture_fill(&picture, box_at(5, 9, 31, 17), 0xC0A020);
        good = use_after_maker(devices, opened, &picture);
    }
    for (unsigned i = 0; i < DEVICES; i++) {
        if (devices[order[i]].device) {
            gpu_surface_destroy(&devices[order[i]], &opened[order[i]]);
        }
        gpu_close(&devices[order[i]]);
    }
    picture_destroy(&picture);
    return good;
}

/* ---- A process that leaves ------------------------------------------------------------------- */

/* Neither waits nor closes anything: the kernel ends what a process leaves behind. */
static void leave_everything(void *argument)
{
    struct scene *scene = argument;
    struct surface surfaces[3] = {0};
    struct gpu gpu;
    bool good = gpu_open(&gpu, scene->host, 0);

    for (unsigned i = 0; i < 3 && good; i++) {
        good = gpu_surface_create(&gpu, DRYDOCK_SURFACE_SHADOW, SIDE << i, SIDE, D3DDDIFMT_X8R8G8B8,
                                  i == 2, &surfaces[i]) &&
               gpu_fill(&gpu, &surfaces[i], box_at(0, 0, SIDE, SIDE), 0x102030u * (i + 1));
    }
    good = good && gpu_lock(&gpu, &surfaces[0], false);
    for (unsigned i = 0; i < 8 && good; i++) {
        good = gpu_blt(&gpu, &surfaces[2], (int)i, 0, &surfaces[1], box_at(0, 0, SIDE, SIDE));
    }
}

static bool run_left(struct scene *scene)
{
    const struct drydock_workload_host *host = scene->host;
    struct drydock_process *process =
        host->start_process(host, "surfaces-leaver", leave_everything, scene);

    if (!process) {
        host->fail(host, "a client process cannot be started");
        return false;
    }
    host->join(host, process);
    return !host->failed(host);
}

/* ---- Command buffers without a command ------------------------------------------------------- */

/* A driver may refuse them; the contract judges how. */
static bool run_empty(const struct scene *scene)
{
    const struct drydock_workload_host *host = scene->host;
    struct surface surface = {0};
    struct gpu gpu;

    for (unsigned node = 0; node < scene->node_count && node < NODES_MAX; node++) {
        if (!gpu_open(&gpu, host, node)) {
            return false;
        }
        bool good = gpu_surface_create(&gpu, DRYDOCK_SURFACE_SHADOW, SIDE, SIDE, D3DDDIFMT_X8R8G8B8,
                                       false, &surface);
        for (unsigned named = 0; named < 2 && good; named++) {
            if (gpu.allocation_count > 0) {
                gpu.allocations[0] =
                    (D3DDDI_ALLOCATIONLIST){.hAllocation = surface.allocation, .WriteOperation = 1};
            }
            bool taken = gpu.allocation_count >= named && gpu_try_render(&gpu, 0, named) >= 0;
            host->count(host, taken ? "surfaces.empty_taken" : "surfaces.empty_refused", 1);
        }
        good = good && gpu_wait_idle(&gpu);
        gpu_surface_destroy(&gpu, &surface);
        gpu_close(&gpu);
        if (!good) {
            return false;
        }
    }
    return true;
}

/* ---- A reset under work ---------------------------------------------------------------------- */

/* Its device may be lost at any moment; it works until then. */
static void be_disturbed(void *argument)
{
    struct scene *scene = argument;
    const struct drydock_workload_host *host = scene->host;
    struct surface from = {0}, to = {0};
    struct gpu gpu;

    if (gpu_open(&gpu, host, 0)) {
        gpu.may_be_lost = true;
        bool good = gpu_surface_create(&gpu, DRYDOCK_SURFACE_SHADOW, SIDE * 4, SIDE * 4,
                                       D3DDDIFMT_X8R8G8B8, false, &from) &&
                    gpu_surface_create(&gpu, DRYDOCK_SURFACE_SHADOW, SIDE * 4, SIDE * 4,
                                       D3DDDIFMT_X8R8G8B8, false, &to);
        host->event_signal(host, scene->busy);
        while (good && !scene->over && !host->failed(host)) {
            good = gpu_blt(&gpu, &to, 0, 0, &from, box_at(0, 0, SIDE * 4, SIDE * 4));
            host->yield(host);
        }
        gpu_surface_destroy(&gpu, &from);
        gpu_surface_destroy(&gpu, &to);
        gpu_close(&gpu);
    }
    host->event_signal(host, scene->busy);
}

static bool disturb(struct scene *scene, struct gpu *gpu)
{
    const struct drydock_workload_host *host = scene->host;
    struct drydock_process *process =
        host->start_process(host, "surfaces-disturbed", be_disturbed, scene);

    if (!process) {
        host->fail(host, "a client process cannot be started");
        return false;
    }
    host->event_wait(host, scene->busy, DRYDOCK_NEVER);
    host->sleep_until(host, host->now_ns(host) + host->random(host, SITE_RESET) % PATIENCE);
    if (gpu_force_reset(gpu) >= 0) {
        host->count(host, "surfaces.resets", 1);
    } else {
        host->note(host, "no reset: the driver has no part in it");
    }
    host->sleep_until(host, host->now_ns(host) + PATIENCE);
    scene->over = true;
    host->join(host, process);
    return !host->failed(host);
}

static bool run_reset(struct scene *scene)
{
    const struct drydock_workload_host *host = scene->host;
    struct gpu gpu;
    bool good = gpu_open(&gpu, host, 0);

    if (good) {
        good = disturb(scene, &gpu);
        gpu_close(&gpu);
    }
    /* Whoever begins now finds an adapter as good as before. */
    if (good && gpu_open(&gpu, host, 0)) {
        good = result_of_many_rects(&gpu);
        gpu_close(&gpu);
    }
    return good;
}

/* ---- Captured -------------------------------------------------------------------------------- */

/* Which allocations those are the driver says: its client asks for some, one beside another. */
static bool run_captured(const struct scene *scene)
{
    const struct drydock_workload_host *host = scene->host;
    struct surface buffers[3];
    struct gpu gpu;

    if (!(host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU) || !gpu_open(&gpu, host, 0)) {
        return !host->failed(host);
    }
    bool good = softgpu_buffer(&gpu, CAPTURED, SOFTGPU_UMD_VRAM_ONLY, &buffers[0]) &&
                softgpu_buffers(&gpu, CAPTURED, SOFTGPU_UMD_VRAM_ONLY | SOFTGPU_UMD_CAPTURE,
                                &buffers[1], 2);
    if (good) {
        gpu_surface_destroy(&gpu, &buffers[1]);
        gpu_surface_destroy(&gpu, &buffers[0]);
        host->count(host, "surfaces.captures_ended", 1);
    }
    gpu_close(&gpu); /* the last one goes with it */
    return good;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static NTSTATUS try_surface(struct gpu *gpu, struct surface *out)
{
    struct drydock_standard_allocation standard = {.hDevice = gpu->device,
                                                   .kind = DRYDOCK_SURFACE_SHADOW,
                                                   .width = SIDE,
                                                   .height = SIDE,
                                                   .format = D3DDDIFMT_X8R8G8B8};
    NTSTATUS status = drydock_create_standard_allocation(&standard);

    *out = (struct surface){.allocation = standard.hAllocation,
                            .resource = standard.hResource,
                            .width = SIDE,
                            .height = SIDE};
    return status;
}

/* Within a surface some copy nothing (NoScreenToScreenBlt): they are asked to do so between two. */
static NTSTATUS try_copy(struct gpu *gpu, const struct surface *surface)
{
    struct box left = box_at(0, 0, SIDE / 2, SIDE), right = box_at(SIDE / 2, 0, SIDE / 2, SIDE);
    NTSTATUS status = gpu_try_blt(gpu, surface, left, surface, right, NULL);
    struct surface other;

    if (status == STATUS_NOT_SUPPORTED && try_surface(gpu, &other) >= 0) {
        status = gpu_try_blt(gpu, surface, left, &other, right, NULL);
        gpu_surface_destroy(gpu, &other);
    }
    return status;
}

bool work_can_copy(const struct drydock_workload_host *host)
{
    struct surface surface;
    struct gpu gpu;
    bool good = false;

    if (!gpu_open(&gpu, host, 0)) {
        return false;
    }
    NTSTATUS status = try_surface(&gpu, &surface);
    if (status >= 0) {
        status = try_copy(&gpu, &surface);
        good = status >= 0 && gpu_wait_idle(&gpu);
        gpu_surface_destroy(&gpu, &surface);
    }
    if (!good) {
        host->note(host, "left out: no surfaces that can be copied to (%s)",
                   host->status_name(host, status));
    }
    gpu_close(&gpu);
    return good;
}

static bool run_steps(const struct scene *scene)
{
    struct gpu gpu;
    bool good = gpu_open(&gpu, scene->host, 0);

    if (good) {
        good = result_of_kinds(&gpu) && result_of_formats(&gpu) && result_of_many_rects(&gpu) &&
               result_of_moved_rects(&gpu) && result_of_ranges(&gpu);
        gpu_close(&gpu);
    }
    return good;
}

static void run(const struct drydock_workload_host *host)
{
    struct scene scene = {.host = host, .node_count = gpu_node_count(host)};

    scene.node_count = scene.node_count ? scene.node_count : 1;
    scene.busy = host->event_create(host);
    if (!scene.busy) {
        host->fail(host, "no memory");
        return;
    }
    if (work_can_copy(host) && run_steps(&scene)) {
        host->progress(host, 1, 2);
        if (run_devices(&scene) && run_left(&scene) && run_empty(&scene) && run_captured(&scene)) {
            run_reset(&scene);
        }
    }
    host->event_destroy(host, scene.busy);
    host->progress(host, 1, 1);
}

const struct drydock_workload workload_surfaces = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "surfaces",
    .description = "many rectangles, moved ones, several devices, resets under work",
    .run = run,
};
