/* Periodic monitored fences of one output: two with different times before the vertical sync, of
 * which one ends first; half of the times the adapter is reset in between, as a debugger does it.
 * What comes of them the kernel judges; here is only looked at that a client sees them go on, and
 * that nobody else signals them. */
#include "periodic.h"

#define TARGETS_MAX 64u /* whatever the driver calls its children; most count them */
#define EARLY_100NS UINT64_C(50000)
#define LATE_100NS  UINT64_C(20000)
#define FRAME_NS    UINT64_C(16700000)
#define FRAMES      14u
#define FRAMES_LEFT 7u /* when one of the two is gone: more than a silence that is judged */
#define SITE_RESET  80

struct follower {
    D3DKMT_HANDLE fence; /* 0: none */
    const volatile uint64_t *value;
};

static NTSTATUS try_follow(struct gpu *gpu, UINT target, UINT64 time_100ns,
                           struct follower *follower)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = gpu->device,
                                                  .Info.Type = D3DDDI_PERIODIC_MONITORED_FENCE};

    create.Info.PeriodicMonitoredFence.hAdapter = gpu->adapter;
    create.Info.PeriodicMonitoredFence.VidPnTargetId = target;
    create.Info.PeriodicMonitoredFence.Time = time_100ns;
    NTSTATUS status = D3DKMTCreateSynchronizationObject2(&create);
    *follower = (struct follower){0};
    if (NT_SUCCESS(status)) {
        follower->fence = create.hSyncObject;
        follower->value = create.Info.PeriodicMonitoredFence.FenceValueCPUVirtualAddress;
    }
    return status;
}

static void leave(struct gpu *gpu, struct follower *follower)
{
    const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy = {follower->fence};

    if (follower->fence) {
        gpu_check(gpu, D3DKMTDestroySynchronizationObject(&destroy),
                  "D3DKMTDestroySynchronizationObject of a periodic fence");
    }
    *follower = (struct follower){0};
}

static void let_pass(const struct drydock_workload_host *host, unsigned frames)
{
    for (unsigned i = 0; i < frames && !host->failed(host); i++) {
        host->sleep_until(host, host->now_ns(host) + FRAME_NS);
    }
}

/* A driver that cannot be reset goes on as it was. */
static void reset_now_and_then(struct gpu *gpu)
{
    if (gpu->host->random(gpu->host, SITE_RESET) % 2) {
        (void)gpu_force_reset(gpu);
    }
}

static void follow(struct gpu *gpu, struct follower *early, struct follower *late, bool resets)
{
    const struct drydock_workload_host *host = gpu->host;

    let_pass(host, FRAMES);
    host->count(host, "fences.frames_followed", *early->value);
    if (*early->value == UINT64_MAX) {
        return; /* its device was lost */
    }
    leave(gpu, early);
    let_pass(host, FRAMES_LEFT);
    if (resets) {
        reset_now_and_then(gpu);
        let_pass(host, FRAMES_LEFT);
    }
    leave(gpu, late);
    let_pass(host, 1); /* and of none */
}

void follow_frames(struct gpu *gpu, bool resets)
{
    struct follower early = {0}, late = {0};
    NTSTATUS status = STATUS_INVALID_PARAMETER;
    UINT target = 0;

    for (; target < TARGETS_MAX && status == STATUS_INVALID_PARAMETER; target++) {
        status = try_follow(gpu, target, EARLY_100NS, &early);
    }
    if (!early.fence) {
        return;
    }
    status = try_follow(gpu, target - 1, LATE_100NS, &late);
    if (NT_SUCCESS(status)) {
        follow(gpu, &early, &late, resets);
    }
    leave(gpu, &early);
    leave(gpu, &late);
}

void follow_frames_once(const struct drydock_workload_host *host)
{
    struct gpu gpu;

    if (gpu_open(&gpu, host, 0)) {
        follow_frames(&gpu, false);
        gpu_close(&gpu);
    }
}
