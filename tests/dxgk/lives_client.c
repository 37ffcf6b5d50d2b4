/* For each call that uses the victim, again and again: everything is made anew, one thread makes
 * the call, and at its i-th point that may switch the other destroys the victim; until the call has
 * no such point. See lives_client.h. */
#include "lives_client.h"

#include <string.h>

#include <ntddk.h>

#include <d3dkmddi.h>
#include <d3dkmthk.h>

#include "../../drivers/softgpu/softgpu_umd.h"
#include "drydock/client.h"
#include "dxgk/dxgk.h"
#include "support.h"

#define POINTS_MAX 20000 /* of one call: more, and it never ends */

enum lives_victim lives_victim;
static const struct drydock_workload_host *host;

/* What the two threads share. Made anew for every point. */
static struct {
    D3DKMT_HANDLE adapter, device, second_device, context, fence;
    D3DKMT_CREATECONTEXT space;
    struct drydock_standard_allocation source, target, primary;
    D3DKMT_DISPLAYMODE mode;
    struct points points;
    NTSTATUS destroyed; /* what the victim's end said */
} stage;

static bool good(NTSTATUS status, int line)
{
    if (!NT_SUCCESS(status)) {
        host->fail(host, "lives_client.c:%d: 0x%08X", line, (unsigned)status);
    }
    return NT_SUCCESS(status);
}
#define GOOD(status) good(status, __LINE__)

/* ---- The stage ------------------------------------------------------------------------------- */

static struct drydock_standard_allocation make_surface(D3DKMT_HANDLE device)
{
    struct drydock_standard_allocation surface = {
        .hDevice = device,
        .kind = DRYDOCK_SURFACE_SHADOW,
        .width = 32,
        .height = 32,
        .format = D3DDDIFMT_X8R8G8B8,
        .shared = TRUE,
    };

    GOOD(drydock_create_standard_allocation(&surface));
    return surface;
}

static void make_primary(void)
{
    D3DKMT_CURRENTDISPLAYMODE current = {.VidPnSourceId = 0};

    GOOD(D3DKMTQueryAdapterInfo(&(D3DKMT_QUERYADAPTERINFO){
        stage.adapter, KMTQAITYPE_CURRENTDISPLAYMODE, &current, sizeof current}));
    stage.mode = current.DisplayMode;
    stage.primary = (struct drydock_standard_allocation){.hDevice = stage.device,
                                                         .kind = DRYDOCK_SURFACE_PRIMARY,
                                                         .width = stage.mode.Width,
                                                         .height = stage.mode.Height,
                                                         .format = stage.mode.Format,
                                                         .shared = TRUE};
    GOOD(drydock_create_standard_allocation(&stage.primary));
}

static D3DKMT_HANDLE make_device(void)
{
    D3DKMT_CREATEDEVICE device = {.hAdapter = stage.adapter};

    GOOD(D3DKMTCreateDevice(&device));
    return device.hDevice;
}

static void make_context(bool gdi)
{
    if (gdi) {
        struct drydock_gdi_context made = {.hAdapter = stage.adapter};
        GOOD(drydock_create_gdi_context(&made));
        stage.device = made.hDevice;
        stage.context = made.hContext;
        return;
    }
    stage.device = make_device();
    stage.space = (D3DKMT_CREATECONTEXT){.hDevice = stage.device, .EngineAffinity = 1};
    GOOD(D3DKMTCreateContext(&stage.space));
    stage.context = stage.space.hContext;
}

/* `alone`: what nobody else can open. */
static void set_stage(bool with_primary, bool alone, bool gdi)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}};
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.Info.Type = D3DDDI_FENCE};

    memset(&stage, 0, sizeof stage);
    GOOD(D3DKMTOpenAdapterFromLuid(&adapter));
    stage.adapter = adapter.hAdapter;
    make_context(gdi);
    stage.second_device = make_device();
    stage.source = make_surface(stage.device);
    stage.target = make_surface(stage.device);
    if (alone) {
        GOOD(D3DKMTDestroyAllocation(&(D3DKMT_DESTROYALLOCATION){
            .hDevice = stage.device, .hResource = stage.source.hResource}));
        stage.source.shared = FALSE;
        GOOD(drydock_create_standard_allocation(&stage.source));
    }
    if (with_primary) {
        make_primary();
    }
    fence.hDevice = stage.device;
    GOOD(D3DKMTCreateSynchronizationObject2(&fence));
    stage.fence = fence.hSyncObject;
}

/* Whatever is left of it goes; handles that are dead are answered so. */
static void strike_stage(void)
{
    D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){stage.device});
    GOOD(D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){stage.second_device}));
    D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){stage.adapter});
}

/* ---- The victims ----------------------------------------------------------------------------- */

static NTSTATUS destroy_victim(void)
{
    switch (lives_victim) {
    case LIVES_DEVICE:
        return D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){stage.device});
    case LIVES_CONTEXT:
        return D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){stage.context});
    case LIVES_ALLOCATION:
        return D3DKMTDestroyAllocation(
            &(D3DKMT_DESTROYALLOCATION){.hDevice = stage.device,
                                        .phAllocationList = &stage.source.hAllocation,
                                        .AllocationCount = 1});
    case LIVES_RESOURCE:
        return D3DKMTDestroyAllocation(&(D3DKMT_DESTROYALLOCATION){
            .hDevice = stage.device, .hResource = stage.source.hResource});
    case LIVES_SYNC:
        return D3DKMTDestroySynchronizationObject(
            &(D3DKMT_DESTROYSYNCHRONIZATIONOBJECT){stage.fence});
    case LIVES_ADAPTER:
        return D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){stage.adapter});
    default:
        return STATUS_SUCCESS; /* the process goes when its thread does */
    }
}

static void destroyer(void *argument)
{
    points_wait(&stage.points);
    stage.destroyed = destroy_victim();
    stage.points.over = true;
}

/* The other process: it shares a surface and leaves it open, as everything else. */
static void sharer(void *argument)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};

    if (GOOD(D3DKMTOpenAdapterFromLuid(&adapter))) {
        device.hAdapter = adapter.hAdapter;
        GOOD(D3DKMTCreateDevice(&device));
        stage.source = make_surface(device.hDevice);
    }
    points_wait(&stage.points);
}

/* ---- The calls ------------------------------------------------------------------------------- */

static NTSTATUS call_create_device(void)
{
    D3DKMT_CREATEDEVICE device = {.hAdapter = stage.adapter};
    NTSTATUS status = D3DKMTCreateDevice(&device);

    if (NT_SUCCESS(status)) {
        GOOD(D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){device.hDevice}));
    }
    return status;
}

static NTSTATUS call_query_adapter(void)
{
    struct softgpu_umd_adapter answer;

    return D3DKMTQueryAdapterInfo(&(D3DKMT_QUERYADAPTERINFO){
        stage.adapter, KMTQAITYPE_UMDRIVERPRIVATE, &answer, sizeof answer});
}

static NTSTATUS call_wait_vsync(void)
{
    return D3DKMTWaitForVerticalBlankEvent(
        &(D3DKMT_WAITFORVERTICALBLANKEVENT){.hAdapter = stage.adapter, .hDevice = stage.device});
}

static NTSTATUS call_destroy_device(void)
{
    return D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){stage.device});
}

static NTSTATUS call_device_state(void)
{
    D3DKMT_GETDEVICESTATE state = {.hDevice = stage.device,
                                   .StateType = D3DKMT_DEVICESTATE_EXECUTION};

    return D3DKMTGetDeviceState(&state);
}

static NTSTATUS call_create_context(void)
{
    D3DKMT_CREATECONTEXT context = {.hDevice = stage.device, .EngineAffinity = 1};

    return D3DKMTCreateContext(&context);
}

static NTSTATUS call_destroy_context(void)
{
    return D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){stage.context});
}

static NTSTATUS call_set_priority(void)
{
    return D3DKMTSetContextSchedulingPriority(
        &(D3DKMT_SETCONTEXTSCHEDULINGPRIORITY){stage.context, 3});
}

static NTSTATUS call_create_allocation(void)
{
    struct drydock_standard_allocation surface = stage.target;

    return drydock_create_standard_allocation(&surface);
}

/* It comes to a resource that is there. */
static NTSTATUS call_join(void)
{
    struct softgpu_umd_allocation data = {
        .magic = SOFTGPU_UMD_ALLOCATION_MAGIC, .version = SOFTGPU_UMD_VERSION, .size_bytes = 4096};
    D3DDDI_ALLOCATIONINFO2 info = {.pPrivateDriverData = &data,
                                   .PrivateDriverDataSize = sizeof data};
    D3DKMT_CREATEALLOCATION create = {.hDevice = stage.device,
                                      .hResource = stage.source.hResource,
                                      .NumAllocations = 1,
                                      .pAllocationInfo2 = &info};

    return D3DKMTCreateAllocation2(&create);
}

static NTSTATUS call_destroy_allocations(void)
{
    const D3DKMT_HANDLE both[2] = {stage.source.hAllocation, stage.target.hAllocation};

    return D3DKMTDestroyAllocation(&(D3DKMT_DESTROYALLOCATION){
        .hDevice = stage.device, .phAllocationList = both, .AllocationCount = 2});
}

static NTSTATUS call_destroy_resource(void)
{
    return D3DKMTDestroyAllocation(
        &(D3DKMT_DESTROYALLOCATION){.hDevice = stage.device, .hResource = stage.source.hResource});
}

static NTSTATUS open_in(D3DKMT_HANDLE device)
{
    D3DKMT_QUERYRESOURCEINFO info = {.hDevice = device, .hGlobalShare = stage.source.hGlobalShare};
    D3DDDI_OPENALLOCATIONINFO allocation;
    uint8_t bytes[2][4096];
    NTSTATUS status = D3DKMTQueryResourceInfo(&info);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    D3DKMT_OPENRESOURCE open = {
        .hDevice = device,
        .hGlobalShare = stage.source.hGlobalShare,
        .NumAllocations = 1,
        .pOpenAllocationInfo = &allocation,
        .pTotalPrivateDriverDataBuffer = bytes[0],
        .TotalPrivateDriverDataBufferSize = info.TotalPrivateDriverDataSize,
        .pResourcePrivateDriverData = bytes[1],
        .ResourcePrivateDriverDataSize = info.ResourcePrivateDriverDataSize,
    };
    status = D3DKMTOpenResource(&open);
    if (NT_SUCCESS(status)) {
        D3DKMT_LOCK lock = {.hDevice = device, .hAllocation = allocation.hAllocation};
        if (GOOD(D3DKMTLock(&lock))) {
            memset(lock.pData, 0x5A, 64);
        }
        GOOD(D3DKMTDestroyAllocation(
            &(D3DKMT_DESTROYALLOCATION){.hDevice = device, .hResource = open.hResource}));
    }
    return status;
}

/* By a second device of this process; of what another process shares, it may be the last. */
static NTSTATUS call_open_resource(void)
{
    return open_in(stage.second_device);
}

/* By the device that made it. */
static NTSTATUS call_open_again(void)
{
    return open_in(stage.device);
}

static NTSTATUS call_lock(void)
{
    D3DKMT_LOCK lock = {.hDevice = stage.device, .hAllocation = stage.source.hAllocation};

    return D3DKMTLock(&lock);
}

static NTSTATUS call_unlock(void)
{
    const D3DKMT_HANDLE handle = stage.source.hAllocation;
    D3DKMT_LOCK lock = {.hDevice = stage.device, .hAllocation = handle};
    NTSTATUS status = D3DKMTLock(&lock);

    return NT_SUCCESS(status) ? D3DKMTUnlock(&(D3DKMT_UNLOCK){stage.device, 1, &handle}) : status;
}

static NTSTATUS call_residency(void)
{
    const D3DKMT_HANDLE handle = stage.source.hAllocation;
    const UINT priority = D3DDDI_ALLOCATIONPRIORITY_HIGH;
    BOOL discarded;
    NTSTATUS status = D3DKMTSetAllocationPriority(&(D3DKMT_SETALLOCATIONPRIORITY){
        .hDevice = stage.device, .hResource = stage.source.hResource, .pPriorities = &priority});

    if (NT_SUCCESS(status)) {
        UINT found = 0;
        status =
            D3DKMTGetAllocationPriority(&(D3DKMT_GETALLOCATIONPRIORITY){.hDevice = stage.device,
                                                                        .phAllocationList = &handle,
                                                                        .AllocationCount = 1,
                                                                        .pPriorities = &found});
        status = NT_SUCCESS(status) && found != priority ? STATUS_UNSUCCESSFUL : status;
    }
    if (NT_SUCCESS(status)) {
        status = D3DKMTOfferAllocations(
            &(D3DKMT_OFFERALLOCATIONS){.hDevice = stage.device,
                                       .HandleList = &handle,
                                       .NumAllocations = 1,
                                       .Priority = D3DKMT_OFFER_PRIORITY_NORMAL});
    }
    return NT_SUCCESS(status)
               ? D3DKMTReclaimAllocations(&(D3DKMT_RECLAIMALLOCATIONS){.hDevice = stage.device,
                                                                       .HandleList = &handle,
                                                                       .pDiscarded = &discarded,
                                                                       .NumAllocations = 1})
               : status;
}

static NTSTATUS render_to(D3DKMT_HANDLE target)
{
    const struct softgpu_command_fill fill = {
        .header = SOFTGPU_COMMAND(SOFTGPU_OP_FILL, SOFTGPU_COMMAND_WORDS_OF(fill)),
        .pattern = 0x01020304,
        .size_low = 1024,
    };
    D3DKMT_RENDER render = {
        .hContext = stage.context, .CommandLength = sizeof fill, .AllocationCount = 1};

    memcpy(stage.space.pCommandBuffer, &fill, sizeof fill);
    stage.space.pAllocationList[0] = (D3DDDI_ALLOCATIONLIST){.hAllocation = target};
    stage.space.pAllocationList[0].WriteOperation = 1;
    return D3DKMTRender(&render);
}

static NTSTATUS call_render(void)
{
    return render_to(stage.source.hAllocation);
}

/* Of what is in video memory by now, with work behind it. */
static NTSTATUS call_evict(void)
{
    const D3DKMT_HANDLE handle = stage.source.hAllocation;
    NTSTATUS status = render_to(handle);

    return NT_SUCCESS(status)
               ? D3DKMTEvict(&(D3DKMT_EVICT){
                     .hDevice = stage.device, .NumAllocations = 1, .AllocationList = &handle})
               : status;
}

static NTSTATUS call_wait_idle(void)
{
    NTSTATUS status = render_to(stage.target.hAllocation);

    return NT_SUCCESS(status) ? D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){stage.device}) : status;
}

static NTSTATUS call_present(void)
{
    D3DKMT_PRESENT present = {.hContext = stage.context,
                              .hSource = stage.source.hAllocation,
                              .hDestination = stage.target.hAllocation,
                              .Flags.Blt = 1};

    return D3DKMTPresent(&present);
}

static NTSTATUS call_create_gdi(void)
{
    struct drydock_gdi_context made = {.hAdapter = stage.adapter};
    NTSTATUS status = drydock_create_gdi_context(&made);

    if (NT_SUCCESS(status)) {
        GOOD(D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){made.hDevice}));
    }
    return status;
}

/* More than goes down in one call of the driver. */
static NTSTATUS call_draw_gdi(void)
{
    struct drydock_gdi_command commands[3] = {
        {.operation = DRYDOCK_GDI_COLORFILL, .rop = DXGK_GDIROPCF_PATCOPY},
        {.operation = DRYDOCK_GDI_BITBLT, .rop = DXGK_GDIROP_SRCINVERT},
        {.operation = DRYDOCK_GDI_ALPHABLEND, .alpha = 128}};
    const RECT whole = {0, 0, 32, 32};
    RECT rects[1024];

    for (unsigned i = 0; i < 1024; i++) {
        LONG x = (LONG)(i % 32), y = (LONG)(i / 32);
        rects[i] = (RECT){x, y, x + 1, y + 1};
    }
    for (unsigned i = 0; i < 3; i++) {
        commands[i].hDestination = stage.target.hAllocation;
        commands[i].hSource = i > 0 ? stage.source.hAllocation : 0;
        commands[i].to = commands[i].from = whole;
        commands[i].rects = rects;
        commands[i].rect_count = 1024;
    }
    return drydock_draw_gdi(&(struct drydock_gdi_work){stage.context, 3, commands});
}

static NTSTATUS call_show(void)
{
    const D3DKMT_SETDISPLAYMODE show = {.hDevice = stage.device,
                                        .hPrimaryAllocation = stage.primary.hAllocation,
                                        .DisplayOrientation = D3DDDI_ROTATION_IDENTITY};

    return D3DKMTSetDisplayMode(&show);
}

static NTSTATUS call_flip(void)
{
    D3DKMT_PRESENT present = {.hContext = stage.context,
                              .hSource = stage.primary.hAllocation,
                              .FlipInterval = D3DDDI_FLIPINTERVAL_ONE,
                              .Flags.Flip = 1};
    NTSTATUS status = call_show();

    if (NT_SUCCESS(status)) {
        status = D3DKMTPresent(&present);
    }
    return NT_SUCCESS(status) ? D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){stage.device}) : status;
}

/* Made, changed and ended, over a primary that is shown. */
static NTSTATUS call_overlay(void)
{
    D3DKMT_CREATEOVERLAY create = {.hDevice = stage.device,
                                   .OverlayInfo = {.hAllocation = stage.source.hAllocation,
                                                   .DstRect = {8, 8, 40, 40},
                                                   .SrcRect = {0, 0, 32, 32}}};
    NTSTATUS status = call_show();

    if (NT_SUCCESS(status)) {
        status = D3DKMTCreateOverlay(&create);
    }
    const D3DKMT_UPDATEOVERLAY update = {stage.device, create.hOverlay, create.OverlayInfo};
    const D3DKMT_FLIPOVERLAY flip = {
        .hDevice = stage.device, .hOverlay = create.hOverlay, .hSource = stage.source.hAllocation};
    if (NT_SUCCESS(status)) {
        status = D3DKMTUpdateOverlay(&update);
    }
    if (NT_SUCCESS(status)) {
        status = D3DKMTFlipOverlay(&flip);
    }
    return NT_SUCCESS(status)
               ? D3DKMTDestroyOverlay(&(D3DKMT_DESTROYOVERLAY){stage.device, create.hOverlay})
               : status;
}

static NTSTATUS call_escape(void)
{
    struct softgpu_umd_escape data = {.magic = SOFTGPU_UMD_ADAPTER_MAGIC,
                                      .code = SOFTGPU_ESCAPE_COUNTERS};

    return D3DKMTEscape(&(D3DKMT_ESCAPE){.hAdapter = stage.adapter,
                                         .hDevice = stage.device,
                                         .hContext = stage.context,
                                         .Type = D3DKMT_ESCAPE_DRIVERPRIVATE,
                                         .pPrivateDriverData = &data,
                                         .PrivateDriverDataSize = sizeof data});
}

static NTSTATUS call_create_sync(void)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.hDevice = stage.device,
                                                 .Info.Type = D3DDDI_FENCE};

    return D3DKMTCreateSynchronizationObject2(&fence);
}

static NTSTATUS call_sync_gpu(void)
{
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 signal = {.hContext = stage.context,
                                                  .ObjectCount = 1,
                                                  .ObjectHandleArray = {stage.fence},
                                                  .Fence.FenceValue = 5};
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 wait = {.hContext = stage.context,
                                                 .ObjectCount = 1,
                                                 .ObjectHandleArray = {stage.fence},
                                                 .Fence.FenceValue = 5};
    NTSTATUS status = D3DKMTSignalSynchronizationObject2(&signal);

    return NT_SUCCESS(status) ? D3DKMTWaitForSynchronizationObject2(&wait) : status;
}

/* For what nobody signals: the end of the object lets it go. */
static NTSTATUS call_wait_sync(void)
{
    const UINT64 value = 7;

    return D3DKMTWaitForSynchronizationObjectFromCpu(
        &(D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU){.hDevice = stage.device,
                                                      .ObjectCount = 1,
                                                      .ObjectHandleArray = &stage.fence,
                                                      .FenceValueArray = &value});
}

#define USES(victim) (1u << LIVES_##victim)
#define OWN          (USES(DEVICE) | USES(ALLOCATION) | USES(RESOURCE))

static const struct call {
    const char *name;
    NTSTATUS (*make)(void);
    unsigned uses;
    bool destroys; /* so that the other may come too late */
    bool primary;  /* needs one */
    bool blocks;   /* until the victim is gone */
    bool alone;    /* needs a resource that nobody shares */
    bool gdi;      /* needs a context for GDI */
} calls[] = {
    {"CreateDevice", call_create_device, USES(ADAPTER)},
    {"QueryAdapterInfo", call_query_adapter, USES(ADAPTER)},
    {"WaitForVerticalBlankEvent", call_wait_vsync, USES(ADAPTER) | USES(DEVICE), .primary = true},
    {"DestroyDevice", call_destroy_device, OWN | USES(ADAPTER) | USES(CONTEXT) | USES(SYNC),
     .destroys = true},
    {"GetDeviceState", call_device_state, USES(DEVICE)},
    {"CreateContext", call_create_context, USES(DEVICE)},
    {"DestroyContext", call_destroy_context, USES(DEVICE) | USES(CONTEXT), .destroys = true},
    {"SetContextSchedulingPriority", call_set_priority, USES(DEVICE) | USES(CONTEXT)},
    {"CreateAllocation", call_create_allocation, USES(DEVICE)},
    {"CreateAllocation, for a resource", call_join, OWN, .alone = true},
    {"DestroyAllocation, a list", call_destroy_allocations, OWN, .destroys = true},
    {"DestroyAllocation, a resource", call_destroy_resource, OWN, .destroys = true},
    {"OpenResource", call_open_resource, OWN | USES(PROCESS)},
    {"OpenResource, its own", call_open_again, USES(ALLOCATION) | USES(RESOURCE)},
    {"Lock", call_lock, OWN},
    {"Unlock", call_unlock, OWN},
    {"Set/GetAllocationPriority, Offer, Reclaim", call_residency, OWN},
    {"Render", call_render, OWN | USES(CONTEXT)},
    {"Evict", call_evict, OWN | USES(CONTEXT)},
    {"WaitForIdle", call_wait_idle, USES(DEVICE) | USES(CONTEXT)},
    {"Present", call_present, OWN | USES(CONTEXT)},
    {"drydock_create_gdi_context", call_create_gdi, USES(ADAPTER)},
    {"drydock_draw_gdi", call_draw_gdi, OWN | USES(CONTEXT), .gdi = true},
    {"SetDisplayMode", call_show, USES(DEVICE), .primary = true},
    {"Present, a flip", call_flip, USES(DEVICE) | USES(CONTEXT), .primary = true},
    {"Overlays", call_overlay, OWN, .primary = true},
    {"Escape", call_escape, USES(ADAPTER) | USES(DEVICE) | USES(CONTEXT)},
    {"CreateSynchronizationObject", call_create_sync, USES(DEVICE)},
    {"Signal and Wait on the GPU", call_sync_gpu, USES(DEVICE) | USES(CONTEXT) | USES(SYNC)},
    {"Wait on the CPU", call_wait_sync, USES(DEVICE) | USES(SYNC), .blocks = true},
};

/* ---- Point by point -------------------------------------------------------------------------- */

/* Its handle named nothing any more, or it ended during the call. */
static bool is_gone(NTSTATUS status)
{
    return status == STATUS_INVALID_PARAMETER || status == STATUS_INVALID_HANDLE;
}

static void check(const struct call *call, unsigned point, NTSTATUS status, size_t handles)
{
    bool destroyed = NT_SUCCESS(stage.destroyed) || (call->destroys && is_gone(stage.destroyed));

    host->count(host, NT_SUCCESS(status) ? "lives.done" : "lives.refused", 1);
    if (!NT_SUCCESS(status) && !is_gone(status)) {
        host->fail(host, "%s gave 0x%08X at point %u", call->name, (unsigned)status, point);
    }
    if (!destroyed) {
        host->fail(host, "the end of the victim gave 0x%08X at point %u of %s",
                   (unsigned)stage.destroyed, point, call->name);
    }
    if (lives_victim != LIVES_PROCESS && destroy_victim() != STATUS_INVALID_PARAMETER) {
        host->fail(host, "the victim lives on after point %u of %s", point, call->name);
    }
    strike_stage();
    if (dxgk_handle_count() != handles) {
        host->fail(host, "%zu handles, %zu before, point %u of %s", dxgk_handle_count(), handles,
                   point, call->name);
    }
}

/* False: the call has no such point. */
static bool at_point(const struct call *call, unsigned point)
{
    size_t handles = dxgk_handle_count();
    struct drydock_process *other;

    set_stage(call->primary, call->alone, call->gdi);
    stage.points = (struct points){.wanted = point, .at_block = call->blocks};
    other = lives_victim == LIVES_PROCESS ? host->start_process(host, "sharer", sharer, NULL)
                                          : host->start_thread(host, "destroyer", destroyer, NULL);
    while (!stage.points.visitor) {
        host->yield(host);
    }
    points_begin(&stage.points);
    NTSTATUS status = call->make();
    bool had = points_end(&stage.points);
    host->join(host, other);
    check(call, point, status, handles);
    return had;
}

static void run(const struct drydock_workload_host *given)
{
    host = given;
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        unsigned point = 0;
        if (!(calls[i].uses & 1u << lives_victim)) {
            continue;
        }
        while (!host->failed(host) && point < POINTS_MAX && at_point(&calls[i], point)) {
            point++;
        }
        host->count(host, "lives.calls", 1);
        host->count(host, "lives.points", point);
        if (point == 0 || point == POINTS_MAX) {
            host->fail(host, "%s has %u points", calls[i].name, point);
        }
    }
}

const struct drydock_workload lives_client = {.abi = DRYDOCK_WORKLOAD_ABI,
                                              .name = "lives",
                                              .description = "destroyed while in use",
                                              .run = run};
