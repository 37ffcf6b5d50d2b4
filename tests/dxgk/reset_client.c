/* A road is travelled again and again, everything made anew, and at the i-th point that may switch,
 * be it the client's, the worker's or a service routine's, the adapter is reset; until the journey
 * has no such point. Whatever comes of it, the client hears of it: his work is done right, or his
 * device is lost. See reset_client.h. */
#include "reset_client.h"

#include <string.h>

#include <ntddk.h>

#include <d3dkmddi.h>
#include <d3dkmthk.h>

#include "../../drivers/softgpu/softgpu_umd.h"
#include "drydock/client.h"
#include "dxgk/dxgk.h"

#define POINTS_MAX       20000           /* of one journey: more, and it never ends */
#define VISIT_YIELDS     500             /* then the traveller goes on, reset or not */
#define BETWEEN_RESETS   (13 * NS_PER_S) /* five within a minute are allowed [TDR-007] */
#define WORK_NS          NS_PER_MS
#define READS            20
#define READ_YIELDS      5000 /* of each; then the reset is over */
#define SURFACE_COUNT    3
#define SURFACE_SIDE     1024 /* pixels: three of them do not fit */
#define SMALL_SIDE       32
#define PATTERN(surface) (0x01010101u * ((surface) + 3))

enum reset_road reset_road;
static const struct drydock_workload_host *host;

static struct {
    D3DKMT_HANDLE adapter, device, context, second_context, fence;
    D3DKMT_CREATECONTEXT space;
    struct drydock_standard_allocation surfaces[SURFACE_COUNT], primary;
} stage;

static struct {
    unsigned wanted, reached;
    bool fired, visiting;
} points;

static bool good(NTSTATUS status, int line)
{
    if (!NT_SUCCESS(status)) {
        host->fail(host, "reset_client.c:%d: 0x%08X at point %u", line, (unsigned)status,
                   points.wanted);
    }
    return NT_SUCCESS(status);
}
#define GOOD(status) good(status, __LINE__)

/* ---- The stage ------------------------------------------------------------------------------- */

static void make_surface(struct drydock_standard_allocation *surface, unsigned side)
{
    *surface = (struct drydock_standard_allocation){
        .hDevice = stage.device,
        .kind = DRYDOCK_SURFACE_SHADOW,
        .width = side,
        .height = side,
        .format = D3DDDIFMT_X8R8G8B8,
    };
    GOOD(drydock_create_standard_allocation(surface));
}

static void make_primary(void)
{
    D3DKMT_CURRENTDISPLAYMODE current = {.VidPnSourceId = 0};

    GOOD(D3DKMTQueryAdapterInfo(&(D3DKMT_QUERYADAPTERINFO){
        stage.adapter, KMTQAITYPE_CURRENTDISPLAYMODE, &current, sizeof current}));
    stage.primary = (struct drydock_standard_allocation){.hDevice = stage.device,
                                                         .kind = DRYDOCK_SURFACE_PRIMARY,
                                                         .width = current.DisplayMode.Width,
                                                         .height = current.DisplayMode.Height,
                                                         .format = current.DisplayMode.Format};
    GOOD(drydock_create_standard_allocation(&stage.primary));
}

static NTSTATUS show_primary(void)
{
    const D3DKMT_SETDISPLAYMODE show = {.hDevice = stage.device,
                                        .hPrimaryAllocation = stage.primary.hAllocation,
                                        .DisplayOrientation = D3DDDI_ROTATION_IDENTITY};

    return D3DKMTSetDisplayMode(&show);
}

/* A device of GDI's holds GDI's context and no other. */
static void make_device_of_gdi(void)
{
    struct drydock_gdi_context made = {.hAdapter = stage.adapter};

    GOOD(drydock_create_gdi_context(&made));
    stage.device = made.hDevice;
    stage.context = made.hContext;
}

static void make_device_of_client(void)
{
    D3DKMT_CREATEDEVICE device = {.hAdapter = stage.adapter};

    GOOD(D3DKMTCreateDevice(&device));
    stage.device = device.hDevice;
    D3DKMT_CREATECONTEXT second = {.hDevice = stage.device, .EngineAffinity = 1};
    GOOD(D3DKMTCreateContext(&second));
    stage.second_context = second.hContext;
    stage.space = (D3DKMT_CREATECONTEXT){.hDevice = stage.device, .EngineAffinity = 1};
    GOOD(D3DKMTCreateContext(&stage.space));
    stage.context = stage.space.hContext;
}

static void set_stage(void)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}};
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.Info.Type = D3DDDI_FENCE};

    memset(&stage, 0, sizeof stage);
    GOOD(D3DKMTOpenAdapterFromLuid(&adapter));
    stage.adapter = adapter.hAdapter;
    if (reset_road == RESET_GDI) {
        make_device_of_gdi();
    } else {
        make_device_of_client();
    }
    fence.hDevice = stage.device;
    GOOD(D3DKMTCreateSynchronizationObject2(&fence));
    stage.fence = fence.hSyncObject;
    for (unsigned i = 0; i < SURFACE_COUNT; i++) {
        make_surface(&stage.surfaces[i], reset_road == RESET_PAGING ? SURFACE_SIDE : SMALL_SIDE);
    }
    if (reset_road == RESET_FLIP || reset_road == RESET_SHOW || reset_road == RESET_OVERLAY) {
        make_primary();
    }
    if (reset_road == RESET_FLIP || reset_road == RESET_OVERLAY) {
        GOOD(show_primary());
    }
}

static void strike_stage(void)
{
    GOOD(D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){stage.device}));
    GOOD(D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){stage.adapter}));
}

/* ---- The roads: each step may come too late ----------------------------------------------------
 */

/* Takes so long that the client waits for it: then is the time to find it on the hardware. */
static NTSTATUS fill(unsigned surface)
{
    const struct {
        struct softgpu_command_delay delay;
        struct softgpu_command_fill fill;
    } commands = {
        {.header = SOFTGPU_COMMAND(SOFTGPU_OP_DELAY, SOFTGPU_COMMAND_WORDS_OF(commands.delay)),
         .nanoseconds = WORK_NS},
        {.header = SOFTGPU_COMMAND(SOFTGPU_OP_FILL, SOFTGPU_COMMAND_WORDS_OF(commands.fill)),
         .pattern = PATTERN(surface),
         .size_low = 1024},
    };
    D3DKMT_RENDER render = {
        .hContext = stage.context, .CommandLength = sizeof commands, .AllocationCount = 1};

    memcpy(stage.space.pCommandBuffer, &commands, sizeof commands);
    stage.space.pAllocationList[0] =
        (D3DDDI_ALLOCATIONLIST){.hAllocation = stage.surfaces[surface].hAllocation};
    stage.space.pAllocationList[0].WriteOperation = 1;
    return D3DKMTRender(&render);
}

static NTSTATUS wait_idle(NTSTATUS status)
{
    return NT_SUCCESS(status) ? D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){stage.device}) : status;
}

static NTSTATUS travel_render(void)
{
    NTSTATUS status = fill(0);

    return wait_idle(NT_SUCCESS(status) ? fill(1) : status);
}

static NTSTATUS travel_present(void)
{
    D3DKMT_PRESENT present = {.hContext = stage.context,
                              .hSource = stage.surfaces[0].hAllocation,
                              .hDestination = stage.surfaces[1].hAllocation,
                              .Flags.Blt = 1};
    NTSTATUS status = fill(0);

    return wait_idle(NT_SUCCESS(status) ? D3DKMTPresent(&present) : status);
}

/* Filled in small pieces, which take several buffers. */
static NTSTATUS travel_gdi(void)
{
    const RECT whole = {0, 0, SMALL_SIDE, SMALL_SIDE};
    struct drydock_gdi_command fills[SURFACE_COUNT];
    RECT rects[SMALL_SIDE * SMALL_SIDE / 4];

    for (LONG i = 0; i < SMALL_SIDE * SMALL_SIDE / 4; i++) {
        LONG x = i % (SMALL_SIDE / 4) * 4, y = i / (SMALL_SIDE / 4);
        rects[i] = (RECT){x, y, x + 4, y + 1};
    }
    for (unsigned i = 0; i < SURFACE_COUNT; i++) {
        fills[i] = (struct drydock_gdi_command){.operation = DRYDOCK_GDI_COLORFILL,
                                                .hDestination = stage.surfaces[i].hAllocation,
                                                .to = whole,
                                                .rop = DXGK_GDIROPCF_PATCOPY,
                                                .color = PATTERN(i),
                                                .rect_count = sizeof rects / sizeof *rects,
                                                .rects = rects};
    }
    return wait_idle(
        drydock_draw_gdi(&(struct drydock_gdi_work){stage.context, SURFACE_COUNT, fills}));
}

static NTSTATUS travel_paging(void)
{
    NTSTATUS status = STATUS_SUCCESS;

    for (unsigned i = 0; i < 2 * SURFACE_COUNT && NT_SUCCESS(status); i++) {
        status = fill(i % SURFACE_COUNT);
    }
    status = wait_idle(status);
    return NT_SUCCESS(status)
               ? D3DKMTEvict(&(D3DKMT_EVICT){.hDevice = stage.device,
                                             .NumAllocations = 1,
                                             .AllocationList = &stage.surfaces[0].hAllocation})
               : status;
}

static NTSTATUS travel_flip(void)
{
    D3DKMT_PRESENT present = {.hContext = stage.context,
                              .hSource = stage.primary.hAllocation,
                              .FlipInterval = D3DDDI_FLIPINTERVAL_ONE,
                              .Flags.Flip = 1};
    NTSTATUS status = fill(0);

    return wait_idle(NT_SUCCESS(status) ? D3DKMTPresent(&present) : status);
}

static NTSTATUS travel_show(void)
{
    NTSTATUS status = fill(0);

    return wait_idle(NT_SUCCESS(status) ? show_primary() : status);
}

/* One that a reset put off may be changed no more; that is no failure. */
static NTSTATUS unless_off(D3DKMT_HANDLE overlay, NTSTATUS status)
{
    D3DKMT_GETOVERLAYSTATE state = {.hDevice = stage.device, .hOverlay = overlay};

    GOOD(D3DKMTGetOverlayState(&state));
    return state.OverlayEnabled ? status : STATUS_SUCCESS;
}

/* Over the primary, of the primary. */
static NTSTATUS travel_overlay(void)
{
    D3DKMT_CREATEOVERLAY create = {.hDevice = stage.device,
                                   .OverlayInfo = {.hAllocation = stage.primary.hAllocation,
                                                   .DstRect = {8, 8, 40, 40},
                                                   .SrcRect = {0, 0, 32, 32}}};
    NTSTATUS status = fill(0);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    status = D3DKMTCreateOverlay(&create);
    if (!NT_SUCCESS(status)) { /* the surface lost its place, or the screen is dark still */
        bool reset =
            points.fired && (status == STATUS_DEVICE_REMOVED || status == STATUS_INVALID_PARAMETER);
        return wait_idle(reset ? STATUS_SUCCESS : status);
    }
    const D3DKMT_UPDATEOVERLAY update = {stage.device, create.hOverlay, create.OverlayInfo};
    const D3DKMT_FLIPOVERLAY flip = {
        .hDevice = stage.device, .hOverlay = create.hOverlay, .hSource = stage.primary.hAllocation};
    status = unless_off(create.hOverlay, D3DKMTUpdateOverlay(&update));
    if (NT_SUCCESS(status)) {
        status = unless_off(create.hOverlay, D3DKMTFlipOverlay(&flip));
    }
    GOOD(D3DKMTDestroyOverlay(&(D3DKMT_DESTROYOVERLAY){stage.device, create.hOverlay}));
    return wait_idle(status);
}

/* One context waits for what the other signals behind its work. */
static NTSTATUS travel_sync(void)
{
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 wait = {.hContext = stage.second_context,
                                                 .ObjectCount = 1,
                                                 .ObjectHandleArray = {stage.fence},
                                                 .Fence.FenceValue = 5};
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 signal = {.hContext = stage.context,
                                                  .ObjectCount = 1,
                                                  .ObjectHandleArray = {stage.fence},
                                                  .Fence.FenceValue = 5};
    NTSTATUS status = D3DKMTWaitForSynchronizationObject2(&wait);

    if (NT_SUCCESS(status)) {
        status = fill(0);
    }
    return wait_idle(NT_SUCCESS(status) ? D3DKMTSignalSynchronizationObject2(&signal) : status);
}

static const struct road {
    NTSTATUS (*travel)(void);
    unsigned filled; /* surfaces that hold their pattern then, one bit each */
} roads[RESET_ROAD_COUNT] = {
    [RESET_RENDER] = {travel_render, 3}, [RESET_PRESENT] = {travel_present, 1},
    [RESET_GDI] = {travel_gdi, 7},       [RESET_PAGING] = {travel_paging, 7},
    [RESET_FLIP] = {travel_flip, 1},     [RESET_SHOW] = {travel_show, 1},
    [RESET_SYNC] = {travel_sync, 1},     [RESET_OVERLAY] = {travel_overlay, 1},
};

/* ---- Point by point -------------------------------------------------------------------------- */

static void at_point(void *context, bool blocks)
{
    if (points.visiting || points.fired || points.reached++ != points.wanted) {
        return;
    }
    points.fired = true;
    dxgk_adapter_force_reset(dxgk_adapter_first());
    /* Here and now, as far as it gets without this task; the worker itself goes on to it. */
    points.visiting = true;
    for (unsigned i = 0; !blocks && i < VISIT_YIELDS; i++) {
        machine_yield();
    }
    points.visiting = false;
}

static bool device_is_active(void)
{
    D3DKMT_GETDEVICESTATE state = {.hDevice = stage.device,
                                   .StateType = D3DKMT_DEVICESTATE_EXECUTION};

    return GOOD(D3DKMTGetDeviceState(&state)) &&
           state.ExecutionState == D3DKMT_DEVICEEXECUTION_ACTIVE;
}

static bool holds_pattern(unsigned surface)
{
    D3DKMT_LOCK lock = {.hDevice = stage.device,
                        .hAllocation = stage.surfaces[surface].hAllocation,
                        .Flags.ReadOnly = 1};
    bool right = true;

    if (!NT_SUCCESS(D3DKMTLock(&lock))) {
        return !device_is_active();
    }
    for (unsigned i = 0; i < 1024 / 4; i++) {
        right &= ((const uint32_t *)lock.pData)[i] == PATTERN(surface);
    }
    GOOD(D3DKMTUnlock(&(D3DKMT_UNLOCK){stage.device, 1, &lock.hAllocation}));
    return right;
}

/* What is on the screen is kept in its place. */
static bool is_shown(void)
{
    return D3DKMTEvict(&(D3DKMT_EVICT){.hDevice = stage.device,
                                       .NumAllocations = 1,
                                       .AllocationList = &stage.primary.hAllocation}) ==
           STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION;
}

static void check(NTSTATUS status)
{
    bool active = device_is_active();

    host->count(host, active ? "reset.survived" : "reset.lost", 1);
    if (active && !NT_SUCCESS(status)) {
        host->fail(host, "0x%08X at point %u, and the device is active", (unsigned)status,
                   points.wanted);
    }
    if (active && reset_road == RESET_SHOW && !is_shown()) {
        host->fail(host, "nothing is shown after a reset at point %u", points.wanted);
    }
    for (unsigned i = 0; active && i < SURFACE_COUNT; i++) {
        if (roads[reset_road].filled & 1u << i && !holds_pattern(i) && device_is_active()) {
            host->fail(host, "surface %u is wrong after a reset at point %u", i, points.wanted);
        }
    }
}

/* False: the journey has no such point. */
static bool travel(unsigned point)
{
    set_stage();
    points.wanted = point;
    points.reached = 0;
    points.fired = points.visiting = false;
    machine_set_point_hook(at_point, NULL);
    NTSTATUS status = roads[reset_road].travel();
    machine_set_point_hook(NULL, NULL);
    host->sleep_until(host, host->now_ns(host) + BETWEEN_RESETS);
    check(status);
    strike_stage();
    return points.fired;
}

/* A client reads memory of the device while that is reset. What is gone is gone with his own
 * device, and he hears so as soon as he asks. */
static void read_over_reset(void)
{
    D3DKMT_LOCK lock = {.Flags.ReadOnly = 1};
    unsigned yields = 0;

    set_stage();
    make_primary();
    stage.surfaces[0] = stage.primary; /* in video memory, and the CPU reads it there */
    GOOD(wait_idle(fill(0)));
    lock.hDevice = stage.device;
    lock.hAllocation = stage.surfaces[0].hAllocation;
    GOOD(D3DKMTLock(&lock));
    GOOD(dxgk_adapter_force_reset(dxgk_adapter_first()));
    const uint32_t volatile *read = lock.pData;
    while (*read == PATTERN(0) && yields++ < READ_YIELDS) {
        machine_yield();
    }
    if (*read != PATTERN(0)) {
        host->count(host, "reset.read", 1);
        if (device_is_active()) {
            host->fail(host, "the surface is wrong, and the device is active");
        }
    }
    host->sleep_until(host, host->now_ns(host) + BETWEEN_RESETS);
    GOOD(D3DKMTUnlock(&(D3DKMT_UNLOCK){stage.device, 1, &lock.hAllocation}));
    strike_stage();
}

static void run(const struct drydock_workload_host *given)
{
    unsigned point = 0;

    host = given;
    for (; reset_road == RESET_READ && point < READS && !host->failed(host); point++) {
        read_over_reset();
    }
    if (reset_road == RESET_READ) {
        return;
    }
    while (!host->failed(host) && point < POINTS_MAX && travel(point)) {
        point++;
    }
    host->count(host, "reset.points", point);
    if (point == POINTS_MAX) {
        host->fail(host, "the journey never ends");
    }
}

const struct drydock_workload reset_client = {.abi = DRYDOCK_WORKLOAD_ABI,
                                              .name = "reset",
                                              .description = "reset at every point",
                                              .run = run};
