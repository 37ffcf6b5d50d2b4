/* A client with a thread that guesses handles, and destroys what another one makes while the call
 * that makes it is under way. Each such call ends with what it made, by its handle, or is
 * refused. */
#include "race_client.h"

#include <string.h>

#include "hostile_support.h"
#include "softgpu_client.h"

#define ROUNDS      200
#define GUESS_AHEAD 4
#define GENERATIONS 3

static struct {
    struct hostile client;
    D3DKMT_HANDLE newest;                 /* the others come behind it */
    bool (*destroy)(D3DKMT_HANDLE guess); /* what is made now */
    bool over;
    unsigned destroyed, refused;
} race;

/* ---- The one that destroys ------------------------------------------------------------------- */

static bool destroy_allocation(D3DKMT_HANDLE guess)
{
    return D3DKMTDestroyAllocation2(&(D3DKMT_DESTROYALLOCATION2){
               .hDevice = race.client.device, .phAllocationList = &guess, .AllocationCount = 1}) ==
           STATUS_SUCCESS;
}

static bool destroy_sync(D3DKMT_HANDLE guess)
{
    return D3DKMTDestroySynchronizationObject(&(D3DKMT_DESTROYSYNCHRONIZATIONOBJECT){guess}) ==
           STATUS_SUCCESS;
}

static bool destroy_beside(D3DKMT_HANDLE guess)
{
    return D3DKMTDestroyKeyedMutex(&(D3DKMT_DESTROYKEYEDMUTEX){guess}) == STATUS_SUCCESS ||
           destroy_sync(guess);
}

/* A handle has its place above bit 6 and its generation above bit 30. */
static void guess_handles(void *argument)
{
    (void)argument;
    while (!race.over) {
        D3DKMT_HANDLE place = race.newest >> 6 & 0xFFFFFFu;
        for (D3DKMT_HANDLE i = 1; i <= GUESS_AHEAD && !race.over; i++) {
            for (D3DKMT_HANDLE generation = 1; generation <= GENERATIONS; generation++) {
                race.destroyed += race.destroy(generation << 30 | (place + i) << 6);
            }
        }
    }
}

/* ---- The one that makes ---------------------------------------------------------------------- */

/* Made, with a handle, or refused because it is gone. */
static void made(NTSTATUS status, D3DKMT_HANDLE handle, const char *what)
{
    host->count(host, "test.made", 1);
    if (status == STATUS_SUCCESS && handle) {
        race.newest = handle;
    } else if (status == STATUS_INVALID_HANDLE || status == STATUS_INVALID_PARAMETER) {
        race.refused++;
    } else {
        host->fail(host, "%s gave 0x%08X with handle 0x%08X", what, (unsigned)status,
                   (unsigned)handle);
    }
}

static void make_allocations(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct drydock_standard_allocation surface = hostile_surface(race.client.device);
        NTSTATUS status = drydock_create_standard_allocation(&surface);
        made(status, surface.hAllocation, "an allocation");
    }
}

static void make_fences(D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = race.client.device,
                                                      .Info.Type = type};
        if (type == D3DDDI_PERIODIC_MONITORED_FENCE) {
            create.Info.PeriodicMonitoredFence.hAdapter = race.client.adapter;
            create.Info.PeriodicMonitoredFence.Time = 1000;
        }
        NTSTATUS status = D3DKMTCreateSynchronizationObject2(&create);
        made(status, create.hSyncObject, "a fence");
        if (status == STATUS_SUCCESS) { /* unless the other was faster */
            (void)D3DKMTDestroySynchronizationObject(
                &(D3DKMT_DESTROYSYNCHRONIZATIONOBJECT){create.hSyncObject});
        }
    }
}

/* A handle of the system for a resource with a keyed mutex and a fence; all are opened at once. */
static HANDLE share_all(void)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.hDevice = race.client.device,
                                                 .Info.Type = D3DDDI_MONITORED_FENCE};
    D3DKMT_CREATEKEYEDMUTEX2 keyed = {.Flags.NtSecuritySharing = 1};
    struct softgpu_umd_allocation data = {
        .magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
        .version = SOFTGPU_UMD_VERSION,
        .flags = SOFTGPU_UMD_CPU_VISIBLE,
        .size_bytes = 8192,
    };
    D3DDDI_ALLOCATIONINFO2 info = {.pPrivateDriverData = &data,
                                   .PrivateDriverDataSize = sizeof data};
    HANDLE handle = NULL;
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = race.client.device, .NumAllocations = 1, .pAllocationInfo2 = &info};

    create.Flags.CreateResource = create.Flags.CreateShared = create.Flags.NtSecuritySharing = 1;
    fence.Info.Flags.Shared = fence.Info.Flags.NtSecuritySharing = 1;
    EXPECT(STATUS_SUCCESS, D3DKMTCreateAllocation2(&create));
    EXPECT(STATUS_SUCCESS, D3DKMTCreateSynchronizationObject2(&fence));
    EXPECT(STATUS_SUCCESS, D3DKMTCreateKeyedMutex2(&keyed));
    const D3DKMT_HANDLE all[3] = {create.hResource, keyed.hKeyedMutex, fence.hSyncObject};
    EXPECT(STATUS_SUCCESS, D3DKMTShareObjects(3, all, NULL, 0, &handle));
    race.newest = keyed.hKeyedMutex;
    return handle;
}

static void open_all(HANDLE handle)
{
    static uint8_t bytes[1024];

    for (unsigned i = 0; i < ROUNDS; i++) {
        D3DDDI_OPENALLOCATIONINFO2 info = {0};
        D3DKMT_OPENRESOURCEFROMNTHANDLE open = {
            .hDevice = race.client.device,
            .hNtHandle = handle,
            .NumAllocations = 1,
            .pOpenAllocationInfo2 = &info,
            .pTotalPrivateDriverDataBuffer = bytes,
            .TotalPrivateDriverDataBufferSize = sizeof bytes,
        };
        NTSTATUS status = D3DKMTOpenResourceFromNtHandle(&open);
        made(status, open.hKeyedMutex, "a keyed mutex beside a resource");
        made(status, open.hSyncObject, "a fence beside a resource");
    }
}

static void run_all(const struct drydock_workload_host *given, bool monitored)
{
    host = given;
    memset(&race, 0, sizeof race);
    race.client = hostile_open();
    race.destroy = destroy_allocation;
    HANDLE all = monitored ? share_all() : NULL;
    struct drydock_process *guesser = host->start_thread(host, "guesser", guess_handles, NULL);

    make_allocations();
    race.destroy = destroy_sync;
    if (monitored) {
        make_fences(D3DDDI_MONITORED_FENCE);
        make_fences(D3DDDI_PERIODIC_MONITORED_FENCE);
        race.destroy = destroy_beside;
        open_all(all);
    }
    race.over = true;
    host->join(host, guesser);
    host->count(host, "test.destroyed", race.destroyed);
    host->count(host, "test.refused", race.refused);
    hostile_close(&race.client);
}

static void run(const struct drydock_workload_host *given)
{
    run_all(given, true);
}

const struct drydock_workload races = {.abi = DRYDOCK_WORKLOAD_ABI,
                                       .name = "races",
                                       .description = "destroyed while it is made",
                                       .run = run};

/* Where there are no monitored fences. */
static void run_old(const struct drydock_workload_host *given)
{
    run_all(given, false);
}

const struct drydock_workload old_races = {.abi = DRYDOCK_WORKLOAD_ABI,
                                           .name = "old races",
                                           .description = "destroyed while it is made",
                                           .run = run_old};
