/* Again and again everything is made anew; one thread changes what the screen shows, and at the
 * i-th point of it that may switch another does, too, until the first has no such point. Whoever
 * was last: the kernel knows what is on the screen, and it is there. See screen_client.h. */
#include "screen_client.h"

#include <ntddk.h>

#include <d3dkmthk.h>

#include "drydock/client.h"
#include "dxgk/internal.h"
#include "support.h"

#define POINTS_MAX 20000
#define SETTLE_NS  (60 * NS_PER_MS) /* three vertical syncs */

enum screen_call screen_caller, screen_visitor;
static const struct drydock_workload_host *host;

/* Surface 0 is shown at first; the caller's is 1, the visitor's 2. */
static struct {
    D3DKMT_HANDLE adapter, device, context[3];
    struct drydock_standard_allocation surface[3];
    D3DKMT_DISPLAYMODE home, smaller;
    struct points points;
} stage;

static bool good(NTSTATUS status, int line)
{
    if (!NT_SUCCESS(status)) {
        host->fail(host, "screen_client.c:%d: 0x%08X at point %u", line, (unsigned)status,
                   stage.points.wanted);
    }
    return NT_SUCCESS(status);
}
#define GOOD(status) good(status, __LINE__)

static NTSTATUS show(unsigned surface, D3DDDI_ROTATION rotation)
{
    return D3DKMTSetDisplayMode(
        &(D3DKMT_SETDISPLAYMODE){.hDevice = stage.device,
                                 .hPrimaryAllocation = stage.surface[surface].hAllocation,
                                 .DisplayOrientation = rotation});
}

static NTSTATUS flip_to(unsigned surface)
{
    return D3DKMTPresent(&(D3DKMT_PRESENT){.hContext = stage.context[surface],
                                           .hSource = stage.surface[surface].hAllocation,
                                           .FlipInterval = D3DDDI_FLIPINTERVAL_ONE,
                                           .Flags.Flip = 1});
}

static NTSTATUS destroy_first(void)
{
    return D3DKMTDestroyAllocation(
        &(D3DKMT_DESTROYALLOCATION){.hDevice = stage.device,
                                    .phAllocationList = &stage.surface[0].hAllocation,
                                    .AllocationCount = 1});
}

static NTSTATUS call(enum screen_call what, unsigned surface)
{
    switch (what) {
    case SCREEN_SHOW:
    case SCREEN_SMALLER:
        return show(surface, D3DDDI_ROTATION_IDENTITY);
    case SCREEN_TURN:
        return show(0, D3DDDI_ROTATION_180);
    case SCREEN_FLIP:
        return flip_to(surface);
    default:
        return destroy_first();
    }
}

static void visitor(void *argument)
{
    points_wait(&stage.points);
    GOOD(call(screen_visitor, 2));
    stage.points.over = true;
}

/* The smallest that there is, for who goes there. */
static D3DKMT_DISPLAYMODE smallest(void)
{
    D3DKMT_DISPLAYMODE modes[DXGK_MODES_MAX];
    D3DKMT_GETDISPLAYMODELIST list = {
        .hAdapter = stage.adapter, .pModeList = modes, .ModeCount = DXGK_MODES_MAX};
    unsigned best = 0;

    GOOD(D3DKMTGetDisplayModeList(&list));
    for (unsigned i = 1; i < list.ModeCount; i++) {
        best = modes[i].Width < modes[best].Width ? i : best;
    }
    return modes[best];
}

/* Its owner's call shows another mode. */
static bool is_smaller(unsigned surface)
{
    return surface > 0 && (surface == 1 ? screen_caller : screen_visitor) == SCREEN_SMALLER;
}

static void set_stage(void)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};
    D3DKMT_CURRENTDISPLAYMODE current = {.VidPnSourceId = 0};

    GOOD(D3DKMTOpenAdapterFromLuid(&adapter));
    stage.adapter = device.hAdapter = adapter.hAdapter;
    GOOD(D3DKMTCreateDevice(&device));
    stage.device = device.hDevice;
    GOOD(D3DKMTQueryAdapterInfo(&(D3DKMT_QUERYADAPTERINFO){
        stage.adapter, KMTQAITYPE_CURRENTDISPLAYMODE, &current, sizeof current}));
    if (!stage.home.Width) {
        stage.home = current.DisplayMode; /* the mode that a round leaves may be the smaller one */
        stage.smaller = smallest();
    }
    for (unsigned i = 0; i < 3; i++) {
        const D3DKMT_DISPLAYMODE *mode = is_smaller(i) ? &stage.smaller : &stage.home;
        D3DKMT_CREATECONTEXT context = {.hDevice = stage.device, .EngineAffinity = 1};
        GOOD(D3DKMTCreateContext(&context));
        stage.context[i] = context.hContext;
        stage.surface[i] = (struct drydock_standard_allocation){.hDevice = stage.device,
                                                                .kind = DRYDOCK_SURFACE_PRIMARY,
                                                                .width = mode->Width,
                                                                .height = mode->Height,
                                                                .format = stage.home.Format};
        GOOD(drydock_create_standard_allocation(&stage.surface[i]));
    }
    GOOD(show(0, D3DDDI_ROTATION_IDENTITY));
}

/* What the kernel takes for shown is visible, kept in place, and what the hardware reports. */
static void check(void)
{
    const struct dxgk_source *source = &dxgk_adapter_first()->sources[0];
    struct vidmm_location location = {0};

    host->sleep_until(host, host->now_ns(host) + SETTLE_NS);
    if (present_source_pending((struct present_source *)&source->present) > 0) {
        host->fail(host, "a flip never ended after point %u", stage.points.wanted);
    }
    if (!source->shown || !source->visible || !vidmm_pin_holds(&source->pin)) {
        host->fail(host, "after point %u: shown %d, visible %d, pinned %d", stage.points.wanted,
                   source->shown != NULL, source->visible, vidmm_pin_holds(&source->pin));
        return;
    }
    if (!dxgk_source_fits(source, source->shown)) {
        host->fail(host, "a surface of %u x %u is shown in a mode of %u x %u after point %u",
                   source->shown->width, source->shown->height, source->mode.width,
                   source->mode.height, stage.points.wanted);
    }
    vidmm_allocation_location(&source->shown->memory, &location);
    if (source->present.latched_address != location.address) {
        host->fail(host, "the screen shows 0x%llX and not 0x%llX after point %u",
                   (unsigned long long)source->present.latched_address,
                   (unsigned long long)location.address, stage.points.wanted);
    }
}

/* False: the caller has no such point. */
static bool change(unsigned point)
{
    struct drydock_process *thread;

    set_stage();
    stage.points = (struct points){.wanted = point};
    thread = host->start_thread(host, "visitor", visitor, NULL);
    while (!stage.points.visitor) {
        host->yield(host);
    }
    points_begin(&stage.points);
    GOOD(call(screen_caller, 1));
    bool had = points_end(&stage.points);
    host->join(host, thread);
    GOOD(D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){stage.device}));
    check();
    GOOD(D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){stage.device}));
    GOOD(D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){stage.adapter}));
    return had;
}

static void run(const struct drydock_workload_host *given)
{
    unsigned point = 0;

    host = given;
    while (!host->failed(host) && point < POINTS_MAX && change(point)) {
        point++;
    }
    host->count(host, "screen.points", point);
    if (point == POINTS_MAX) {
        host->fail(host, "the call never ends");
    }
}

const struct drydock_workload screen_client = {.abi = DRYDOCK_WORKLOAD_ABI,
                                               .name = "screen",
                                               .description = "two change what is shown",
                                               .run = run};
