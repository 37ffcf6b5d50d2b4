/* A workload that does to itself, and to its host, what the option `how` names: it leaves its
 * memory, ends what its threads are using, waits for what nobody does, and takes the answers to its
 * own mistakes for the driver's. */
#include <d3dkmthk.h>
#include <drydock/client.h>
#include <drydock/workload.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

static const struct drydock_workload_host *host;
static D3DKMT_HANDLE adapter, device, context;
static char *commands;
static UINT command_bytes;

static void open_device(void)
{
    D3DKMT_OPENADAPTERFROMLUID open = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}};
    D3DKMT_CREATEDEVICE create = {0};

    D3DKMTOpenAdapterFromLuid(&open);
    adapter = create.hAdapter = open.hAdapter;
    D3DKMTCreateDevice(&create);
    device = create.hDevice;
}

static void open_context(void)
{
    D3DKMT_CREATECONTEXT create = {.EngineAffinity = 1};

    open_device();
    create.hDevice = device;
    D3DKMTCreateContext(&create);
    context = create.hContext;
    commands = create.pCommandBuffer;
    command_bytes = create.CommandBufferSize;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void write_behind(void)
{
    open_context();
    commands[command_bytes] = 1;
}

static void write_before(void)
{
    open_context();
    commands[-1] = 1;
}

static void write_later(void)
{
    open_context();
    D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){context});
    commands[0] = 1;
}

/* A fence's value lies at the end of its page; what is before it is nobody's. */
static void write_beside_fence(void)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.Info.Type = D3DDDI_MONITORED_FENCE};

    open_device();
    fence.hDevice = device;
    if (D3DKMTCreateSynchronizationObject2(&fence) >= 0) {
        ((volatile UINT64 *)fence.Info.MonitoredFence.FenceValueCPUVirtualAddress)[-1] = 1;
        D3DKMTDestroySynchronizationObject(
            &(D3DKMT_DESTROYSYNCHRONIZATIONOBJECT){fence.hSyncObject});
    }
}

/* ---- Waits ----------------------------------------------------------------------------------- */

static struct drydock_event *event;
static int woken;

static void wait_on(void *argument)
{
    host->event_wait(host, event, argument ? DRYDOCK_NEVER : host->now_ns(host) + 1000000);
    woken++;
}

static void end_event(void)
{
    event = host->event_create(host);
    struct drydock_process *waiter = host->start_thread(host, "waiter", wait_on, NULL);
    host->sleep_until(host, host->now_ns(host) + 1000);
    host->event_destroy(host, event);
    host->join(host, waiter);
}

/* Each waiter is let go before; that they have not run yet is no mistake. */
static void end_signalled_event(void)
{
    struct drydock_process *waiters[2];

    event = host->event_create(host);
    for (int i = 0; i < 2; i++) {
        waiters[i] = host->start_thread(host, "waiter", wait_on, &event);
    }
    host->sleep_until(host, host->now_ns(host) + 1000);
    for (int i = 0; i < 2; i++) {
        host->event_signal(host, event);
    }
    host->event_destroy(host, event);
    for (int i = 0; i < 2; i++) {
        host->join(host, waiters[i]);
    }
    host->note(host, "%d were woken", woken);
}

static void wait_for_event(void)
{
    struct drydock_client_event create = {.automatic = TRUE};

    drydock_create_event(&create);
    struct drydock_event_wait wait = {create.hEvent, UINT64_MAX};
    drydock_wait_event(&wait);
}

static void set_later(void *argument)
{
    host->sleep_until(host, host->now_ns(host) + 5000000);
    drydock_set_event(&(struct drydock_handle){argument});
}

/* By another thread, and at no other time than that. */
static void wait_for_thread(void)
{
    struct drydock_client_event create = {.automatic = TRUE};
    uint64_t began_ns = host->now_ns(host);

    drydock_create_event(&create);
    struct drydock_process *setter = host->start_thread(host, "setter", set_later, create.hEvent);
    struct drydock_event_wait soon = {create.hEvent, 1000}, wait = {create.hEvent, UINT64_MAX};
    NTSTATUS early = drydock_wait_event(&soon), late = drydock_wait_event(&wait);
    host->note(host, "early %x late %x after %u us", (unsigned)early, (unsigned)late,
               (unsigned)((host->now_ns(host) - began_ns) / 1000));
    host->join(host, setter);
}

/* Work that waits for a fence of its own, and a call that waits for the work. */
static void wait_for_work(void)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.Info.Type = D3DDDI_FENCE};

    open_context();
    fence.hDevice = device;
    D3DKMTCreateSynchronizationObject2(&fence);
    D3DKMTWaitForSynchronizationObject2(
        &(D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2){.hContext = context,
                                                .ObjectCount = 1,
                                                .ObjectHandleArray = {fence.hSyncObject},
                                                .Fence.FenceValue = 1});
    D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){device});
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void ask_for_unknown(void)
{
    char answer[64] = {0};
    D3DKMT_QUERYADAPTERINFO query = {.pPrivateDriverData = answer,
                                     .Type = KMTQAITYPE_WSAUMDIMAGENAME,
                                     .PrivateDriverDataSize = sizeof answer};

    open_device();
    query.hAdapter = adapter;
    if (D3DKMTQueryAdapterInfo(&query) < 0) {
        host->fail(host, "no answer");
    }
}

/* Room for no mode at all. */
static int list_is_refused(void)
{
    D3DKMT_DISPLAYMODE mode;
    D3DKMT_GETDISPLAYMODELIST list = {.hAdapter = adapter, .pModeList = &mode};

    return D3DKMTGetDisplayModeList(&list) < 0;
}

static void ask_with_little_room(void)
{
    open_device();
    if (list_is_refused()) {
        host->fail(host, "no list");
    }
}

/* Says so when it has ended what it had, and looked at it; `more`: behind a call that went well. */
static void fail_late(int more)
{
    D3DKMT_GETDEVICESTATE state = {.StateType = D3DKMT_DEVICESTATE_EXECUTION};

    open_device();
    state.hDevice = device;
    int failed = list_is_refused();
    if (more) {
        D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){device});
    } else {
        D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){0});
    }
    D3DKMTGetDeviceState(&state);
    D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){device});
    D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){adapter});
    if (failed) {
        host->fail(host, "no list");
    }
}

static void be_refused_late(void)
{
    fail_late(0);
}

static void be_refused_long_ago(void)
{
    fail_late(1);
}

/* The adapter is reset while the device has something in memory. */
static void reset_with_memory(void)
{
    struct drydock_standard_allocation surface = {.hDevice = device,
                                                  .kind = DRYDOCK_SURFACE_SHADOW,
                                                  .width = 512,
                                                  .height = 512,
                                                  .format = D3DDDIFMT_X8R8G8B8};
    D3DKMT_CREATECONTEXT context = {.hDevice = device, .EngineAffinity = 1};
    D3DKMT_TDRDBGCTRLTYPE control = D3DKMT_TDRDBGCTRLTYPE_FORCETDR;
    D3DKMT_ESCAPE force = {.hAdapter = adapter,
                           .Type = D3DKMT_ESCAPE_TDRDBGCTRL,
                           .pPrivateDriverData = &control,
                           .PrivateDriverDataSize = sizeof control};

    drydock_create_standard_allocation(&surface);
    D3DKMTCreateContext(&context);
    D3DKMT_PRESENT fill = {
        .hContext = context.hContext, .hDestination = surface.hAllocation, .Flags.ColorFill = 1};
    D3DKMTPresent(&fill);
    D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){device});
    D3DKMTEscape(&force);
    host->sleep_until(host, host->now_ns(host) + 50000000);
}

/* The software GPU spins until it is reset. */
static void hang(void)
{
    D3DKMT_CREATECONTEXT context = {.hDevice = device, .EngineAffinity = 1};

    if (D3DKMTCreateContext(&context) >= 0 && context.pCommandBuffer) {
        *(UINT *)context.pCommandBuffer = 0x07 << 16 | 1;
        D3DKMT_RENDER render = {.hContext = context.hContext, .CommandLength = 4};
        D3DKMTRender(&render);
        D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){device});
    }
}

/* What it did to its device itself: it fails when that is looked at, and when it is gone. */
static void lose_by_itself(int late, int forced)
{
    D3DKMT_GETDEVICESTATE state = {.StateType = D3DKMT_DEVICESTATE_EXECUTION};

    open_device();
    state.hDevice = device;
    if (forced) {
        reset_with_memory();
    } else {
        D3DKMTMarkDeviceAsError(
            &(D3DKMT_MARKDEVICEASERROR){device, D3DKMT_DEVICE_ERROR_REASON_GENERIC});
    }
    host->sleep_until(host, host->now_ns(host) + 1000000);
    if (D3DKMTGetDeviceState(&state) >= 0 &&
        state.ExecutionState == D3DKMT_DEVICEEXECUTION_ACTIVE) {
        return;
    }
    if (late) {
        D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){device});
        D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){adapter});
    }
    host->fail(host, "the device is lost");
}

static void lose_marked(void)
{
    lose_by_itself(0, 0);
}

static void lose_marked_late(void)
{
    lose_by_itself(1, 0);
}

static void lose_forced(void)
{
    lose_by_itself(1, 1);
}

/* What happened to the device is why it fails, and not what it had asked for in vain before. */
static void lose_behind(int lacking)
{
    D3DKMT_GETDEVICESTATE state = {.StateType = D3DKMT_DEVICESTATE_EXECUTION};

    open_device();
    state.hDevice = device;
    hang();
    if (lacking) {
        D3DKMTPresentRedirected(&(D3DKMT_PRESENT_REDIRECTED){0});
    } else {
        list_is_refused();
    }
    if (D3DKMTGetDeviceState(&state) >= 0 &&
        state.ExecutionState != D3DKMT_DEVICEEXECUTION_ACTIVE) {
        host->fail(host, "the device is lost");
    }
}

static void lose_behind_refusal(void)
{
    lose_behind(0);
}

static void lose_behind_lack(void)
{
    lose_behind(1);
}

/* Work has no memory as long as it looks at that, and it waits for the work. */
static void wait_for_own_lock(void)
{
    struct drydock_standard_allocation from = {
        .kind = DRYDOCK_SURFACE_SHADOW, .width = 64, .height = 64, .format = D3DDDIFMT_X8R8G8B8};
    struct drydock_standard_allocation to = from;
    D3DKMT_CREATECONTEXT context = {.EngineAffinity = 1};

    open_device();
    from.hDevice = to.hDevice = context.hDevice = device;
    drydock_create_standard_allocation(&from);
    drydock_create_standard_allocation(&to);
    D3DKMTCreateContext(&context);
    D3DKMT_PRESENT copy = {.hContext = context.hContext,
                           .hSource = from.hAllocation,
                           .hDestination = to.hAllocation,
                           .Flags.Blt = 1};
    D3DKMT_LOCK locked = {.hDevice = device, .hAllocation = to.hAllocation};
    D3DKMT_LOCK waiting = {.hDevice = device, .hAllocation = from.hAllocation};
    D3DKMTLock(&locked);
    D3DKMTPresent(&copy);
    D3DKMTLock(&waiting);
    host->note(host, "it went on");
}

/* It has the mutex that it waits for. */
static void acquire_twice(void)
{
    D3DKMT_CREATEKEYEDMUTEX create = {0};
    LARGE_INTEGER soon = {.QuadPart = -10000};

    D3DKMTCreateKeyedMutex(&create);
    for (int i = 0; i < 2; i++) {
        D3DKMT_ACQUIREKEYEDMUTEX acquire = {.hKeyedMutex = create.hKeyedMutex, .pTimeout = &soon};
        if (D3DKMTAcquireKeyedMutex(&acquire) != 0) {
            host->fail(host, "no mutex");
        }
    }
}

/* The same, and it says so behind having ended what it had. */
static void acquire_twice_and_end(void)
{
    D3DKMT_CREATEKEYEDMUTEX create = {0};
    LARGE_INTEGER soon = {.QuadPart = -10000};
    NTSTATUS status = 0;

    open_device();
    D3DKMTCreateKeyedMutex(&create);
    for (int i = 0; i < 2; i++) {
        D3DKMT_ACQUIREKEYEDMUTEX acquire = {.hKeyedMutex = create.hKeyedMutex, .pTimeout = &soon};
        status = D3DKMTAcquireKeyedMutex(&acquire);
    }
    D3DKMTDestroyKeyedMutex(&(D3DKMT_DESTROYKEYEDMUTEX){create.hKeyedMutex});
    D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){device});
    if (status != 0) {
        host->fail(host, "no mutex");
    }
}

/* For a vertical sync, where it shows nothing, nor anybody else. */
static void wait_for_dark(int second)
{
    open_device();
    NTSTATUS status = second ? D3DKMTWaitForVerticalBlankEvent2(
                                   &(D3DKMT_WAITFORVERTICALBLANKEVENT2){.hAdapter = adapter})
                             : D3DKMTWaitForVerticalBlankEvent(
                                   &(D3DKMT_WAITFORVERTICALBLANKEVENT){.hAdapter = adapter});
    D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){device});
    if (status != 0) {
        host->fail(host, "it is dark");
    }
}

static void wait_for_vsync(void)
{
    wait_for_dark(0);
}

static void wait_for_vsync2(void)
{
    wait_for_dark(1);
}

/* A surface that no source can show, where nothing is shown. */
static void flip_to_shadow(void)
{
    struct drydock_standard_allocation surface = {
        .kind = DRYDOCK_SURFACE_SHADOW, .width = 64, .height = 64, .format = D3DDDIFMT_X8R8G8B8};
    D3DKMT_CREATECONTEXT context = {.EngineAffinity = 1};

    open_device();
    surface.hDevice = context.hDevice = device;
    drydock_create_standard_allocation(&surface);
    D3DKMTCreateContext(&context);
    D3DKMT_PRESENT flip = {.hContext = context.hContext,
                           .hSource = surface.hAllocation,
                           .FlipInterval = D3DDDI_FLIPINTERVAL_ONE,
                           .Flags.Flip = 1};
    if (D3DKMTPresent(&flip) < 0) {
        host->fail(host, "no flip");
    }
}

/* Shows something, and waits for one vertical sync behind the other. */
static void wait_lit(void)
{
    const D3DKMT_VIDPNSOURCEOWNER_TYPE type = D3DKMT_VIDPNSOURCEOWNER_SHARED;
    const D3DDDI_VIDEO_PRESENT_SOURCE_ID source = 0;
    struct drydock_standard_allocation primary = {
        .kind = DRYDOCK_SURFACE_PRIMARY, .width = 640, .height = 480, .format = D3DDDIFMT_X8R8G8B8};
    D3DKMT_PTR_TYPE sync = 0;

    open_device();
    primary.hDevice = device;
    D3DKMTSetVidPnSourceOwner(
        &(D3DKMT_SETVIDPNSOURCEOWNER){device, &type, &source, .VidPnSourceCount = 1});
    drydock_create_standard_allocation(&primary);
    D3DKMT_SETDISPLAYMODE mode = {.hDevice = device,
                                  .hPrimaryAllocation = primary.hAllocation,
                                  .ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE,
                                  .DisplayOrientation = D3DDDI_ROTATION_IDENTITY};
    D3DKMT_GETVERTICALBLANKEVENT wanted = {.hAdapter = adapter, .phEvent = &sync};
    if (D3DKMTSetDisplayMode(&mode) < 0 || D3DKMTGetDWMVerticalBlankEvent(&wanted) < 0) {
        host->note(host, "no picture");
        return;
    }
    for (int i = 0; i < 100; i++) {
        drydock_wait_event(&(struct drydock_event_wait){(HANDLE)(UINT_PTR)sync, UINT64_MAX});
    }
    host->note(host, "100 came");
}

/* What it finds behind its own mistake comes of that. */
static void go_on_behind_failure(void)
{
    open_device();
    if (list_is_refused()) {
        host->fail(host, "no list");
    }
    D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){adapter});
    D3DKMT_ENUMADAPTERS2 enumeration = {0};
    D3DKMTEnumAdapters2(&enumeration);
    host->fail(host, "nothing is as it should be");
}

/* What Drydock lacks, and behind that what is something else. */
static void go_on_behind_lack(void)
{
    D3DKMT_ENUMADAPTERS2 enumeration = {0};

    if (D3DKMTPresentRedirected(&(D3DKMT_PRESENT_REDIRECTED){0}) < 0) {
        host->fail(host, "nothing is redirected");
    }
    D3DKMTEnumAdapters2(&enumeration);
    host->fail(host, "a picture is wrong");
}

/* Of GPU virtual addresses: commands where it never mapped anything. */
static void submit_from_nowhere(void)
{
    D3DKMT_CREATECONTEXTVIRTUAL context = {.EngineAffinity = 1};
    D3DKMT_GETDEVICESTATE state = {.StateType = D3DKMT_DEVICESTATE_EXECUTION};

    open_device();
    context.hDevice = state.hDevice = device;
    if (D3DKMTCreateContextVirtual(&context) < 0) {
        return;
    }
    D3DKMT_SUBMITCOMMAND submit = {.Commands = 0x12345000,
                                   .CommandLength = 64,
                                   .BroadcastContextCount = 1,
                                   .BroadcastContext = {context.hContext}};
    D3DKMTSubmitCommand(&submit);
    D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){device});
    if (D3DKMTGetDeviceState(&state) >= 0 &&
        state.ExecutionState != D3DKMT_DEVICEEXECUTION_ACTIVE) {
        host->fail(host, "the device is lost");
    }
}

/* Memory with one command. */
static D3DKMT_HANDLE make_commands(const UINT *words, UINT count)
{
    struct drydock_standard_allocation surface = {.hDevice = device,
                                                  .kind = DRYDOCK_SURFACE_SHADOW,
                                                  .width = 64,
                                                  .height = 64,
                                                  .format = D3DDDIFMT_X8R8G8B8};

    drydock_create_standard_allocation(&surface);
    D3DKMT_LOCK2 lock = {.hDevice = device, .hAllocation = surface.hAllocation};
    D3DKMTLock2(&lock);
    memcpy(lock.pData, words, count * sizeof *words);
    D3DKMTUnlock2(&(D3DKMT_UNLOCK2){device, surface.hAllocation});
    return surface.hAllocation;
}

static bool make_context(D3DKMT_HANDLE *made)
{
    D3DKMT_CREATECONTEXTVIRTUAL create = {.hDevice = device, .EngineAffinity = 1};

    *made = D3DKMTCreateContextVirtual(&create) < 0 ? 0 : create.hContext;
    return *made != 0;
}

/* On the first node that has hardware queues. */
static bool make_queue(D3DKMT_HANDLE *made)
{
    D3DKMT_CREATEHWCONTEXT create = {.hDevice = device, .EngineAffinity = 1};

    while (D3DKMTCreateHwContext(&create) < 0) {
        if (++create.NodeOrdinal > 3) {
            return false;
        }
    }
    D3DKMT_CREATEHWQUEUE queue = {.hHwContext = create.hHwContext};
    *made = D3DKMTCreateHwQueue(&queue) < 0 ? 0 : queue.hHwQueue;
    return *made != 0;
}

#define COMMANDS_AT 0x8040000000

/* Commands that are where it says, and store a value there. */
static void store_at(UINT64 address, bool queued)
{
    const UINT store[] = {0x01 << 16 | 6, 0, (UINT)address, (UINT)(address >> 32), 1, 0};
    D3DKMT_CREATEPAGINGQUEUE queue = {0};
    D3DKMT_GETDEVICESTATE state = {.StateType = D3DKMT_DEVICESTATE_EXECUTION};
    D3DKMT_HANDLE stream;

    open_device();
    queue.hDevice = state.hDevice = device;
    if (!(queued ? make_queue(&stream) : make_context(&stream)) ||
        D3DKMTCreatePagingQueue(&queue) < 0) {
        return;
    }
    D3DKMT_HANDLE memory = make_commands(store, 6);
    D3DDDI_MAPGPUVIRTUALADDRESS map = {.hPagingQueue = queue.hPagingQueue,
                                       .BaseAddress = COMMANDS_AT,
                                       .hAllocation = memory,
                                       .SizeInPages = 4,
                                       .Protection = {.Write = 1, .Execute = 1}};
    D3DDDI_MAKERESIDENT resident = {
        .hPagingQueue = queue.hPagingQueue, .NumAllocations = 1, .AllocationList = &memory};
    D3DKMTMapGpuVirtualAddress(&map);
    D3DKMTMakeResident(&resident);
    D3DKMTWaitForSynchronizationObjectFromCpu(&(D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU){
        .hDevice = device,
        .ObjectCount = 1,
        .ObjectHandleArray = &queue.hSyncObject,
        .FenceValueArray = &resident.PagingFenceValue});
    if (queued) {
        D3DKMTSubmitCommandToHwQueue(
            &(D3DKMT_SUBMITCOMMANDTOHWQUEUE){.hHwQueue = stream,
                                             .HwQueueProgressFenceId = 1,
                                             .CommandBuffer = map.BaseAddress,
                                             .CommandLength = sizeof store});
        host->sleep_until(host, host->now_ns(host) + 5000000);
    } else {
        D3DKMTSubmitCommand(&(D3DKMT_SUBMITCOMMAND){.Commands = map.BaseAddress,
                                                    .CommandLength = sizeof store,
                                                    .BroadcastContextCount = 1,
                                                    .BroadcastContext = {stream}});
    }
    D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){device});
    D3DKMTGetDeviceState(&state);
    if (state.ExecutionState > D3DKMT_DEVICEEXECUTION_ACTIVE) {
        host->fail(host, "the device is lost, state %d", (int)state.ExecutionState);
    }
}

/* Where it never mapped anything. */
static void store_nowhere(void)
{
    store_at(0x12345000, false);
}

static void store_nowhere_queued(void)
{
    store_at(0x12345000, true);
}

static void store_well(void)
{
    store_at(COMMANDS_AT + 0x1000, false);
}

static void store_well_queued(void)
{
    store_at(COMMANDS_AT + 0x1000, true);
}

/* Its context waits, and what it will run then comes where it said before that goes on. */
static void map_behind_submission(void)
{
    static const UINT spin[] = {0x07 << 16 | 1}; /* until there is a reset */
    D3DKMT_CREATECONTEXTVIRTUAL create = {.EngineAffinity = 1};
    D3DKMT_CREATEPAGINGQUEUE queue = {0};
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.Info.Type = D3DDDI_MONITORED_FENCE};
    D3DKMT_GETDEVICESTATE state = {.StateType = D3DKMT_DEVICESTATE_EXECUTION};
    const UINT64 one = 1;

    open_device();
    create.hDevice = queue.hDevice = fence.hDevice = state.hDevice = device;
    if (D3DKMTCreateContextVirtual(&create) < 0 || D3DKMTCreatePagingQueue(&queue) < 0 ||
        D3DKMTCreateSynchronizationObject2(&fence) < 0) {
        return;
    }
    D3DKMT_HANDLE memory = make_commands(spin, 1);
    D3DDDI_MAKERESIDENT resident = {
        .hPagingQueue = queue.hPagingQueue, .NumAllocations = 1, .AllocationList = &memory};
    D3DDDI_MAPGPUVIRTUALADDRESS map = {.hPagingQueue = queue.hPagingQueue,
                                       .BaseAddress = 0x8040000000,
                                       .hAllocation = memory,
                                       .SizeInPages = 4,
                                       .Protection = {.Write = 1, .Execute = 1}};
    D3DKMTWaitForSynchronizationObjectFromGpu(
        &(D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU){.hContext = create.hContext,
                                                      .ObjectCount = 1,
                                                      .ObjectHandleArray = &fence.hSyncObject,
                                                      .MonitoredFenceValueArray = &one});
    D3DKMTSubmitCommand(&(D3DKMT_SUBMITCOMMAND){.Commands = map.BaseAddress,
                                                .CommandLength = 4,
                                                .BroadcastContextCount = 1,
                                                .BroadcastContext = {create.hContext}});
    D3DKMTMapGpuVirtualAddress(&map);
    D3DKMTMakeResident(&resident);
    UINT64 paged = map.PagingFenceValue > resident.PagingFenceValue ? map.PagingFenceValue
                                                                    : resident.PagingFenceValue;
    D3DKMTWaitForSynchronizationObjectFromCpu(
        &(D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU){.hDevice = device,
                                                      .ObjectCount = 1,
                                                      .ObjectHandleArray = &queue.hSyncObject,
                                                      .FenceValueArray = &paged});
    D3DKMTSignalSynchronizationObjectFromCpu(
        &(D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU){.hDevice = device,
                                                     .ObjectCount = 1,
                                                     .ObjectHandleArray = &fence.hSyncObject,
                                                     .FenceValueArray = &one});
    D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){device});
    if (D3DKMTGetDeviceState(&state) >= 0) {
        host->note(host, "state %d", (int)state.ExecutionState);
        host->fail(host, "the device is lost");
    }
}

static int over;

static void call_on(void *unused)
{
    (void)unused;
    while (!over) {
        D3DKMT_ENUMADAPTERS2 enumeration = {0};
        D3DKMTEnumAdapters2(&enumeration);
    }
}

/* Another thread's calls succeed, before and after. */
static void be_refused_beside(void)
{
    struct drydock_process *other = host->start_thread(host, "other", call_on, NULL);

    for (int i = 0; i < 50 && !host->failed(host); i++) {
        if (D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){0x12345}) < 0) {
            host->fail(host, "no context");
        }
    }
    over = 1;
    host->join(host, other);
}

static void call_driver(void *unused)
{
    (void)unused;
    open_context();
}

/* The call that it waits for may never return. */
static void wait_for_driver(void)
{
    host->join(host, host->start_thread(host, "caller", call_driver, NULL));
}

/* ---- Signals --------------------------------------------------------------------------------- */

/* A call of a 32-bit machine, by which the system ends the process without a word. */
static void call_foreign(void)
{
    int result = 20;

    __asm__ volatile("int $0x80" : "+a"(result) : : "memory");
}

#ifdef BLOCKS_SIGNALS
static __attribute__((constructor)) void block_signals(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}
#endif

static const struct {
    const char *how;
    void (*function)(void);
} deeds[] = {
    {"behind", write_behind},
    {"before", write_before},
    {"later", write_later},
    {"beside-fence", write_beside_fence},
    {"end-event", end_event},
    {"end-signalled", end_signalled_event},
    {"wait-event", wait_for_event},
    {"wait-thread", wait_for_thread},
    {"wait-work", wait_for_work},
    {"wait-own-lock", wait_for_own_lock},
    {"unknown", ask_for_unknown},
    {"room", ask_with_little_room},
    {"beside", be_refused_beside},
    {"wait-driver", wait_for_driver},
    {"foreign", call_foreign},
    {"late", be_refused_late},
    {"long-ago", be_refused_long_ago},
    {"own-mutex", acquire_twice},
    {"own-mutex-late", acquire_twice_and_end},
    {"dark", wait_for_vsync},
    {"dark2", wait_for_vsync2},
    {"flip-shadow", flip_to_shadow},
    {"goes-on", go_on_behind_failure},
    {"goes-on-lacking", go_on_behind_lack},
    {"nowhere", submit_from_nowhere},
    {"wait-lit", wait_lit},
    {"stores-nowhere", store_nowhere},
    {"stores-nowhere-queued", store_nowhere_queued},
    {"stores", store_well},
    {"stores-queued", store_well_queued},
    {"mapped-late", map_behind_submission},
    {"lost-marked", lose_marked},
    {"lost-marked-late", lose_marked_late},
    {"lost-forced", lose_forced},
    {"lost-refused", lose_behind_refusal},
    {"lost-lacking", lose_behind_lack},
};

static void run(const struct drydock_workload_host *the_host)
{
    host = the_host;
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
        if (host->values[0].text && strcmp(host->values[0].text, deeds[i].how) == 0) {
            deeds[i].function();
        }
    }
    if (host->values[0].text && strcmp(host->values[0].text, "sleep") == 0) {
        host->sleep_until(host, DRYDOCK_NEVER);
    }
}

static const struct drydock_option options[] = {{"how", "what it does", 0, 0, 0}, {0}};

DRYDOCK_WORKLOAD_EXPORT const struct drydock_workload drydock_workload;
const struct drydock_workload drydock_workload = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "rude",
    .description = "does harm to itself",
    .run = run,
    .options = options,
};
