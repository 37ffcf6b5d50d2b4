/* What a client leaves behind ends with its objects: a lock that nobody gives back, work that waits
 * for that lock, a flip that no vertical sync will ever show. */
#include "ends_client.h"

#include <string.h>

#include <ntddk.h>

#include <d3dkmthk.h>

#include "../../drivers/softgpu/softgpu_umd.h"
#include "drydock/client.h"

#define YIELDS 200

static const struct drydock_workload_host *host;

static struct {
    D3DKMT_HANDLE adapter, device, allocation;
    D3DKMT_CREATECONTEXT space;
    bool evicted;
} stage;

static bool good(NTSTATUS status, int line)
{
    if (!NT_SUCCESS(status)) {
        host->fail(host, "ends_client.c:%d: 0x%08X", line, (unsigned)status);
    }
    return NT_SUCCESS(status);
}
#define GOOD(status) good(status, __LINE__)

static void set_stage(const struct drydock_workload_host *given)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {given->adapter_luid_low, given->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};

    host = given;
    memset(&stage, 0, sizeof stage);
    GOOD(D3DKMTOpenAdapterFromLuid(&adapter));
    stage.adapter = device.hAdapter = adapter.hAdapter;
    GOOD(D3DKMTCreateDevice(&device));
    stage.device = device.hDevice;
    stage.space = (D3DKMT_CREATECONTEXT){.hDevice = stage.device, .EngineAffinity = 1};
    GOOD(D3DKMTCreateContext(&stage.space));
}

static void strike_stage(void)
{
    GOOD(D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){stage.device}));
    GOOD(D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){stage.adapter}));
}

/* In video memory alone, where the CPU sees it: not placed yet, a lock keeps it out of there. */
static void make_allocation(void)
{
    struct softgpu_umd_allocation data = {
        .magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
        .version = SOFTGPU_UMD_VERSION,
        .flags = SOFTGPU_UMD_VRAM_ONLY | SOFTGPU_UMD_CPU_VISIBLE,
        .size_bytes = 4096,
    };
    D3DDDI_ALLOCATIONINFO info = {.pPrivateDriverData = &data,
                                  .PrivateDriverDataSize = sizeof data};

    GOOD(D3DKMTCreateAllocation(&(D3DKMT_CREATEALLOCATION){
        .hDevice = stage.device, .NumAllocations = 1, .pAllocationInfo = &info}));
    stage.allocation = info.hAllocation;
}

static void lock(void)
{
    D3DKMT_LOCK arguments = {.hDevice = stage.device, .hAllocation = stage.allocation};

    GOOD(D3DKMTLock(&arguments));
}

static void render(void)
{
    const struct softgpu_command_fill fill = {
        .header = SOFTGPU_COMMAND(SOFTGPU_OP_FILL, SOFTGPU_COMMAND_WORDS_OF(fill)),
        .pattern = 0x01020304,
        .size_low = 1024,
    };
    D3DKMT_RENDER arguments = {
        .hContext = stage.space.hContext, .CommandLength = sizeof fill, .AllocationCount = 1};

    memcpy(stage.space.pCommandBuffer, &fill, sizeof fill);
    stage.space.pAllocationList[0] = (D3DDDI_ALLOCATIONLIST){.hAllocation = stage.allocation};
    stage.space.pAllocationList[0].WriteOperation = 1;
    GOOD(D3DKMTRender(&arguments));
}

static void destroy_allocation(void)
{
    GOOD(D3DKMTDestroyAllocation(&(D3DKMT_DESTROYALLOCATION){
        .hDevice = stage.device, .phAllocationList = &stage.allocation, .AllocationCount = 1}));
}

static void yield(void)
{
    for (unsigned i = 0; i < YIELDS; i++) {
        host->yield(host);
    }
}

/* ---- Locked, with work behind the lock ------------------------------------------------------- */

static void run_allocation(const struct drydock_workload_host *given)
{
    set_stage(given);
    make_allocation();
    lock();
    render();
    yield();
    destroy_allocation();
    strike_stage();
}

static void run_context(const struct drydock_workload_host *given)
{
    set_stage(given);
    make_allocation();
    lock();
    render();
    yield();
    GOOD(D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){stage.space.hContext}));
    strike_stage();
}

/* ---- Locked, and another thread evicts it ---------------------------------------------------- */

static void evict(void *argument)
{
    D3DKMTEvict(&(D3DKMT_EVICT){
        .hDevice = stage.device, .NumAllocations = 1, .AllocationList = &stage.allocation});
    stage.evicted = true;
}

static void run_evicting(const struct drydock_workload_host *given)
{
    set_stage(given);
    make_allocation();
    render();
    GOOD(D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){stage.device}));
    lock();
    struct drydock_process *other = given->start_thread(given, "evict", evict, NULL);
    yield();
    if (stage.evicted) {
        given->fail(given, "what is locked was evicted");
    }
    destroy_allocation();
    given->join(given, other);
    strike_stage();
}

/* ---- Locked, and the same thread evicts or offers it ----------------------------------------- */

static void run_own_lock(const struct drydock_workload_host *given)
{
    set_stage(given);
    make_allocation();
    render();
    GOOD(D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){stage.device}));
    lock();
    NTSTATUS evicted = D3DKMTEvict(&(D3DKMT_EVICT){
        .hDevice = stage.device, .NumAllocations = 1, .AllocationList = &stage.allocation});
    NTSTATUS offered =
        D3DKMTOfferAllocations(&(D3DKMT_OFFERALLOCATIONS){.hDevice = stage.device,
                                                          .NumAllocations = 1,
                                                          .Priority = D3DKMT_OFFER_PRIORITY_NORMAL,
                                                          .HandleList = &stage.allocation});
    if (evicted != STATUS_INVALID_PARAMETER || offered != STATUS_INVALID_PARAMETER) {
        given->fail(given, "Evict 0x%08X, Offer 0x%08X", (unsigned)evicted, (unsigned)offered);
    }
    GOOD(D3DKMTUnlock(&(D3DKMT_UNLOCK){stage.device, 1, &stage.allocation}));
    GOOD(D3DKMTEvict(&(D3DKMT_EVICT){
        .hDevice = stage.device, .NumAllocations = 1, .AllocationList = &stage.allocation}));
    destroy_allocation();
    strike_stage();
}

/* ---- A flip on a dark screen ----------------------------------------------------------------- */

static struct drydock_standard_allocation make_primary(void)
{
    D3DKMT_CURRENTDISPLAYMODE current = {.VidPnSourceId = 0};

    GOOD(D3DKMTQueryAdapterInfo(&(D3DKMT_QUERYADAPTERINFO){
        stage.adapter, KMTQAITYPE_CURRENTDISPLAYMODE, &current, sizeof current}));
    struct drydock_standard_allocation primary = {.hDevice = stage.device,
                                                  .kind = DRYDOCK_SURFACE_PRIMARY,
                                                  .width = current.DisplayMode.Width,
                                                  .height = current.DisplayMode.Height,
                                                  .format = current.DisplayMode.Format};
    GOOD(drydock_create_standard_allocation(&primary));
    return primary;
}

/* The screen goes dark before its turn comes. */
static void run_flip(const struct drydock_workload_host *given)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.Info.Type = D3DDDI_FENCE};

    set_stage(given);
    struct drydock_standard_allocation shown = make_primary(), next = make_primary();
    GOOD(D3DKMTSetDisplayMode(&(D3DKMT_SETDISPLAYMODE){.hDevice = stage.device,
                                                       .hPrimaryAllocation = shown.hAllocation}));
    fence.hDevice = stage.device;
    GOOD(D3DKMTCreateSynchronizationObject2(&fence));
    GOOD(D3DKMTWaitForSynchronizationObject2(
        &(D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2){.hContext = stage.space.hContext,
                                                .ObjectCount = 1,
                                                .ObjectHandleArray = {fence.hSyncObject},
                                                .Fence.FenceValue = 1}));
    GOOD(D3DKMTPresent(&(D3DKMT_PRESENT){.hContext = stage.space.hContext,
                                         .hSource = next.hAllocation,
                                         .FlipInterval = D3DDDI_FLIPINTERVAL_ONE,
                                         .Flags.Flip = 1}));
    GOOD(D3DKMTDestroyAllocation2(
        &(D3DKMT_DESTROYALLOCATION2){.hDevice = stage.device, .hResource = shown.hResource}));
    const UINT64 value = 1;
    GOOD(D3DKMTSignalSynchronizationObjectFromCpu(
        &(D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU){.hDevice = stage.device,
                                                     .ObjectCount = 1,
                                                     .ObjectHandleArray = &fence.hSyncObject,
                                                     .FenceValueArray = &value}));
    strike_stage();
}

#define CLIENT(what, says)                                 \
    const struct drydock_workload ends_##what##_client = { \
        .abi = DRYDOCK_WORKLOAD_ABI,                       \
        .name = "ends_" #what,                             \
        .description = says,                               \
        .run = run_##what,                                 \
    }

CLIENT(allocation, "destroys what is locked and waited for");
CLIENT(context, "destroys a context whose work waits for a lock");
CLIENT(evicting, "destroys what is locked while another evicts it");
CLIENT(own_lock, "evicts and offers what it has locked");
CLIENT(flip, "destroys a context whose flip is never shown");
