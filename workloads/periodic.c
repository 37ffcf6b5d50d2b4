/* Periodic monitored fences of an output: two with different times before the vertical sync, of
 * which one ends first, and one of a second output that shows something, if there is one; half of
 * the times the adapter is reset in between, as a debugger does it.
 * What comes of them the kernel judges; here is only looked at that a client sees them go on, and
 * that nobody else signals them. */
#include "periodic.h"
#include "second.h"

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

/* Of the first output, and of the second one. */
struct followers {
    struct follower early, late, beside;
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

static void follow(struct gpu *gpu, struct followers *all, bool resets)
{
    const struct drydock_workload_host *host = gpu->host;

    let_pass(host, FRAMES);
    host->count(host, "fences.frames_followed", *all->early.value);
    if (*all->early.value == UINT64_MAX) {
        return; /* its device was lost */
    }
    leave(gpu, &all->early);
    let_pass(host, FRAMES_LEFT);
    leave(gpu, &all->beside);
    if (resets) {
        reset_now_and_then(gpu);
        let_pass(host, FRAMES_LEFT);
    }
    leave(gpu, &all->late);
    let_pass(host, 1); /* and of none */
}

/* The next that may be followed, from `*target` on. False: there is none. */
static bool find_target(struct gpu *gpu, UINT *target)
{
    NTSTATUS status = STATUS_INVALID_PARAMETER;
    struct follower follower = {0};

    for (; *target < TARGETS_MAX; ++*target) {
        status = try_follow(gpu, *target, EARLY_100NS, &follower);
        if (status != STATUS_INVALID_PARAMETER) {
            break;
        }
    }
    leave(gpu, &follower);
    return NT_SUCCESS(status);
}

/* Of an output that shows nothing no frames are counted. */
static bool show(struct gpu *gpu, struct surface *primary)
{
    D3DKMT_SETDISPLAYMODE mode = {.hDevice = gpu->device,
                                  .ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE,
                                  .DisplayOrientation = D3DDDI_ROTATION_IDENTITY};
    D3DKMT_DISPLAYMODE now;

    if (!gpu_display_mode(gpu->adapter, 0, &now) || !gpu_own(gpu) ||
        !gpu_surface_create(gpu, DRYDOCK_SURFACE_PRIMARY, now.Width, now.Height, now.Format, false,
                            primary)) {
        return false;
    }
    mode.hPrimaryAllocation = primary->allocation;
    return gpu_check_mode(gpu, D3DKMTSetDisplayMode(&mode),
                          "D3DKMTSetDisplayMode where frames are followed");
}

static void follow_shown(struct gpu *gpu, bool resets)
{
    struct followers all = {0};
    struct surface primary = {0};
    struct second second = {0};
    UINT first = 0;

    if (find_target(gpu, &first) && show(gpu, &primary) &&
        NT_SUCCESS(try_follow(gpu, first, EARLY_100NS, &all.early)) &&
        NT_SUCCESS(try_follow(gpu, first, LATE_100NS, &all.late)) && second_show(&second, gpu)) {
        UINT beside = first + 1;
        if (second.shown && find_target(gpu, &beside)) {
            (void)try_follow(gpu, beside, LATE_100NS, &all.beside);
        }
        follow(gpu, &all, resets);
    }
    leave(gpu, &all.early);
    leave(gpu, &all.late);
    leave(gpu, &all.beside);
    second_destroy(&second);
    gpu_surface_destroy(gpu, &primary);
}

void follow_frames(const struct drydock_workload_host *host, bool resets)
{
    struct gpu gpu;

    if (gpu_open(&gpu, host, 0)) {
        follow_shown(&gpu, resets);
        gpu_close(&gpu);
    }
}
