/* Clients that ask for what makes no sense; see hostile_client.h. Each call has a status that it
 * must give, and none may end the run. Here: no arguments, handles, counts, sizes. */
#include "hostile_client.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../drivers/softgpu/softgpu_umd.h"
#include "hostile_support.h"

/* ---- No arguments --------------------------------------------------------------------------- */

static void pass_null_for_objects(void)
{
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenAdapterFromLuid(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTEnumAdapters(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTEnumAdapters2(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCloseAdapter(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryAdapterInfo(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateDevice(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyDevice(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetDeviceState(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateContext(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyContext(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSetContextSchedulingPriority(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetContextSchedulingPriority(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation2(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyAllocation(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyAllocation2(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryResourceInfo(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenResource(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenResource2(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTLock(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTLock2(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryResourceInfoFromNtHandle(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenResourceFromNtHandle(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenSynchronizationObject(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenSyncObjectFromNtHandle(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenSyncObjectFromNtHandle2(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTShareObjects(1, NULL, NULL, 0, NULL));
    EXPECT(STATUS_INVALID_PARAMETER, drydock_close_handle(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSetAllocationPriority(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTEvict(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOfferAllocations(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTReclaimAllocations2(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryAllocationResidency(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryVideoMemoryInfo(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTChangeVideoMemoryReservation(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTTrimProcessCommitment(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTInvalidateCache(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTReclaimAllocations(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTRegisterTrimNotification(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTUpdateAllocationProperty(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, drydock_allocate_memory(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, drydock_free_memory(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTUnregisterTrimNotification(NULL));
}

static void pass_null_for_work(void)
{
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTUnlock(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTUnlock2(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTRender(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTPresent(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTWaitForIdle(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTEscape(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateSynchronizationObject(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateSynchronizationObject2(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroySynchronizationObject(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTWaitForSynchronizationObject(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTWaitForSynchronizationObject2(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSignalSynchronizationObject(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSignalSynchronizationObject2(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTWaitForSynchronizationObjectFromCpu(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSignalSynchronizationObjectFromCpu(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSetVidPnSourceOwner(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCheckVidPnExclusiveOwnership(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSetDisplayMode(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetDisplayModeList(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTWaitForVerticalBlankEvent(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetScanLine(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, drydock_create_standard_allocation(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, drydock_query_allocation_size(NULL));
}

static void run_null(const struct drydock_workload_host *given)
{
    host = given;
    pass_null_for_objects();
    pass_null_for_work();
}

const struct drydock_workload hostile_null = {
    .abi = DRYDOCK_WORKLOAD_ABI, .name = "null", .description = "no arguments", .run = run_null};

/* ---- Handles --------------------------------------------------------------------------------- */

/* Every function that takes a handle, with one that is none of the caller's. */
static void use_handle_for_keys(D3DKMT_HANDLE bad)
{
    D3DKMT_OPENKEYEDMUTEX open = {.hSharedHandle = bad};
    D3DKMT_OPENKEYEDMUTEX2 open2 = {.hSharedHandle = bad};
    D3DKMT_ACQUIREKEYEDMUTEX acquire = {.hKeyedMutex = bad};
    D3DKMT_ACQUIREKEYEDMUTEX2 acquire2 = {.hKeyedMutex = bad};
    D3DKMT_RELEASEKEYEDMUTEX release = {.hKeyedMutex = bad};
    D3DKMT_RELEASEKEYEDMUTEX2 release2 = {.hKeyedMutex = bad};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenKeyedMutex(&open));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenKeyedMutex2(&open2));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTAcquireKeyedMutex(&acquire));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTAcquireKeyedMutex2(&acquire2));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTReleaseKeyedMutex(&release));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTReleaseKeyedMutex2(&release2));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyKeyedMutex(&(D3DKMT_DESTROYKEYEDMUTEX){bad}));
}

static void use_handle_for_objects(D3DKMT_HANDLE bad)
{
    D3DKMT_SEGMENTSIZEINFO sizes;
    D3DKMT_CREATEDEVICE device = {.hAdapter = bad};
    D3DKMT_CREATECONTEXT context = {.hDevice = bad};
    D3DKMT_GETDEVICESTATE state = {.hDevice = bad, .StateType = D3DKMT_DEVICESTATE_EXECUTION};
    D3DKMT_GETSCANLINE line = {.hAdapter = bad};
    D3DKMT_GETDISPLAYMODELIST modes = {.hAdapter = bad};
    D3DKMT_GETCONTEXTSCHEDULINGPRIORITY get = {.hContext = bad};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){bad}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryAdapterInfo(&(D3DKMT_QUERYADAPTERINFO){
                                         bad, KMTQAITYPE_GETSEGMENTSIZE, &sizes, sizeof sizes}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateDevice(&device));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){bad}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetDeviceState(&state));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateContext(&context));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){bad}));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTSetContextSchedulingPriority(&(D3DKMT_SETCONTEXTSCHEDULINGPRIORITY){bad, 0}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetContextSchedulingPriority(&get));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTSetVidPnSourceOwner(&(D3DKMT_SETVIDPNSOURCEOWNER){.hDevice = bad}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSetDisplayMode(&(D3DKMT_SETDISPLAYMODE){
                                         .hDevice = bad, .hPrimaryAllocation = bad}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetDisplayModeList(&modes));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTWaitForVerticalBlankEvent(&(D3DKMT_WAITFORVERTICALBLANKEVENT){.hAdapter = bad}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetScanLine(&line));
    use_handle_for_keys(bad);
}

static void use_handle_for_memory(D3DKMT_HANDLE bad)
{
    D3DDDI_ALLOCATIONINFO allocation = {0};
    const UINT priority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = bad, .NumAllocations = 1, .pAllocationInfo = &allocation};
    D3DKMT_LOCK lock = {.hDevice = bad, .hAllocation = bad};
    D3DKMT_LOCK2 lock2 = {.hDevice = bad, .hAllocation = bad};
    D3DKMT_EVICT evict = {.hDevice = bad, .NumAllocations = 1, .AllocationList = &bad};
    D3DKMT_QUERYRESOURCEINFO info = {.hDevice = bad, .hGlobalShare = bad};
    D3DKMT_OPENRESOURCE open = {.hDevice = bad, .hGlobalShare = bad};
    struct drydock_standard_allocation standard = hostile_surface(bad);

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation(&create));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTDestroyAllocation(&(D3DKMT_DESTROYALLOCATION){
               .hDevice = bad, .phAllocationList = &bad, .AllocationCount = 1}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryResourceInfo(&info));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenResource(&open));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenSynchronizationObject(&(
                                         D3DKMT_OPENSYNCHRONIZATIONOBJECT){.hSharedHandle = bad}));
    EXPECT(STATUS_INVALID_HANDLE,
           D3DKMTOpenSyncObjectFromNtHandle(
               &(D3DKMT_OPENSYNCOBJECTFROMNTHANDLE){.hNtHandle = (HANDLE)(uintptr_t)bad}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTLock(&lock));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTLock2(&lock2));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTUnlock(&(D3DKMT_UNLOCK){bad, 1, &bad}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTUnlock2(&(D3DKMT_UNLOCK2){bad, bad}));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTSetAllocationPriority(&(D3DKMT_SETALLOCATIONPRIORITY){.hDevice = bad,
                                                                       .phAllocationList = &bad,
                                                                       .AllocationCount = 1,
                                                                       .pPriorities = &priority}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTEvict(&evict));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOfferAllocations(&(D3DKMT_OFFERALLOCATIONS){
                                         .hDevice = bad, .HandleList = &bad, .NumAllocations = 1}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTReclaimAllocations(&(D3DKMT_RECLAIMALLOCATIONS){
                                         .hDevice = bad, .HandleList = &bad, .NumAllocations = 1}));
    EXPECT(STATUS_INVALID_PARAMETER, drydock_create_standard_allocation(&standard));
}

static void use_handle_for_work(D3DKMT_HANDLE bad)
{
    UINT64 value = 1;
    D3DKMT_RENDER render = {.hContext = bad, .CommandLength = 4};
    D3DKMT_PRESENT present = {.hContext = bad, .hDestination = bad, .Flags.ColorFill = 1};
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 sync = {.hDevice = bad, .Info.Type = D3DDDI_FENCE};
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 wait = {.hContext = bad, .ObjectCount = 1};
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 signal = {.hContext = bad, .ObjectCount = 1};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTRender(&render));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTPresent(&present));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){bad}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTEscape(&(D3DKMT_ESCAPE){.hAdapter = bad}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateSynchronizationObject2(&sync));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTDestroySynchronizationObject(&(D3DKMT_DESTROYSYNCHRONIZATIONOBJECT){bad}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTWaitForSynchronizationObject2(&wait));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSignalSynchronizationObject2(&signal));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTWaitForSynchronizationObjectFromCpu(
               &(D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU){.hDevice = bad,
                                                             .ObjectCount = 1,
                                                             .ObjectHandleArray = &bad,
                                                             .FenceValueArray = &value}));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTSignalSynchronizationObjectFromCpu(
               &(D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU){.hDevice = bad,
                                                            .ObjectCount = 1,
                                                            .ObjectHandleArray = &bad,
                                                            .FenceValueArray = &value}));
}

static void use_handle_for_screens(D3DKMT_HANDLE bad)
{
    D3DKMT_SETQUEUEDLIMIT limit = {.hDevice = bad, .Type = D3DKMT_GET_QUEUEDLIMIT_PRESENT};
    D3DKMT_GETSHAREDPRIMARYHANDLE primary = {.hAdapter = bad};
    D3DKMT_SETDISPLAYPRIVATEDRIVERFORMAT format = {.hDevice = bad};
    D3DKMT_GETRUNTIMEDATA word = {.hAdapter = bad, .hGlobalShare = bad};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSetQueuedLimit(&limit));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetSharedPrimaryHandle(&primary));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSetDisplayPrivateDriverFormat(&format));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetRuntimeData(&word));
}

static void use_handle_for_overlays(D3DKMT_HANDLE bad)
{
    D3DKMT_CREATEOVERLAY create = {.hDevice = bad, .OverlayInfo.hAllocation = bad};
    D3DKMT_UPDATEOVERLAY update = {.hDevice = bad, .hOverlay = bad};
    D3DKMT_FLIPOVERLAY flip = {.hDevice = bad, .hOverlay = bad, .hSource = bad};
    D3DKMT_DESTROYOVERLAY destroy = {.hDevice = bad, .hOverlay = bad};
    D3DKMT_GETOVERLAYSTATE state = {.hDevice = bad, .hOverlay = bad};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOverlay(&create));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTUpdateOverlay(&update));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTFlipOverlay(&flip));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyOverlay(&destroy));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetOverlayState(&state));
}

void hostile_use_handle(D3DKMT_HANDLE bad)
{
    use_handle_for_screens(bad);
    use_handle_for_overlays(bad);
    use_handle_for_objects(bad);
    use_handle_for_memory(bad);
    use_handle_for_work(bad);
}

/* The system's own objects have handles, too; and so has what other processes made. */
static void guess_handles(void)
{
    for (unsigned i = 0; i < 3 * 256; i++) {
        D3DKMT_HANDLE guess = (i % 3 + 1) << 30 | (i / 3) << 6;
        host->count(host, "test.calls", 1);
        if (D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){guess}) != STATUS_INVALID_PARAMETER ||
            D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){guess}) != STATUS_INVALID_PARAMETER ||
            D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){guess}) != STATUS_INVALID_PARAMETER) {
            host->fail(host, "0x%08X could be destroyed by guessing", guess);
        }
    }
}

static void neighbour(void *argument)
{
    const struct hostile *victim = argument;

    guess_handles();
    struct hostile own = hostile_open();
    D3DKMT_LOCK lock = {.hDevice = own.device, .hAllocation = victim->surface.hAllocation};
    D3DKMT_PRESENT present = {.hContext = own.context,
                              .hSource = victim->surface.hAllocation,
                              .hDestination = own.surface.hAllocation,
                              .Flags.Blt = 1};

    hostile_use_handle(victim->device);
    hostile_use_handle(victim->context);
    hostile_use_handle(victim->surface.hAllocation);
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTLock(&lock));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTPresent(&present));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTDestroyAllocation(&(D3DKMT_DESTROYALLOCATION){
               .hDevice = own.device, .hResource = victim->surface.hResource}));
    hostile_close(&own);
}

static void run_handles(const struct drydock_workload_host *given)
{
    host = given;
    struct hostile client = hostile_open(), twin = hostile_open();
    D3DKMT_LOCK mixed = {.hDevice = client.device, .hAllocation = twin.surface.hAllocation};
    D3DKMT_HANDLE twice[2] = {client.surface.hAllocation, client.surface.hAllocation};
    D3DKMT_DESTROYALLOCATION destroy = {
        .hDevice = client.device, .phAllocationList = twice, .AllocationCount = 2};

    /* Clients of Windows know handles by their low bits. */
    EXPECT(0, (NTSTATUS)(client.surface.hAllocation & 63));
    EXPECT(0, (NTSTATUS)(client.device & 63));
    EXPECT(2, (NTSTATUS)(client.surface.hGlobalShare & 63));
    hostile_use_handle(0);
    hostile_use_handle(1);
    hostile_use_handle(UINT_MAX);
    hostile_use_handle(0x40000000);
    hostile_use_handle(client.surface.hAllocation);
    hostile_use_handle(client.surface.hResource);
    hostile_use_handle(client.surface.hGlobalShare);
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTLock(&mixed)); /* of another device */
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyAllocation(&destroy));
    struct drydock_process *other = host->start_process(host, "neighbour", neighbour, &client);
    host->join(host, other);
    destroy.AllocationCount = 1;
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation(&destroy));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyAllocation(&destroy)); /* dead */
    hostile_close(&twin);
    hostile_use_handle(twin.device);
    hostile_use_handle(twin.context);
    hostile_close(&client);
}

const struct drydock_workload hostile_handles = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                 .name = "handles",
                                                 .description = "dead and foreign handles",
                                                 .run = run_handles};

/* ---- Counts, sizes, rectangles --------------------------------------------------------------- */

static void absurd_allocations(const struct hostile *client)
{
    uint8_t bytes[16] = {0};
    D3DDDI_ALLOCATIONINFO info = {.pPrivateDriverData = bytes, .PrivateDriverDataSize = 16};
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = client->device, .NumAllocations = 1, .pAllocationInfo = &info};
    struct drydock_standard_allocation standard = hostile_surface(client->device);

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation(&create)); /* the driver's answer */
    create.NumAllocations = 0;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation(&create));
    create.NumAllocations = UINT_MAX;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation(&create));
    create.NumAllocations = 1;
    create.pAllocationInfo = NULL;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation(&create));
    create.pAllocationInfo = &info;
    info.PrivateDriverDataSize = UINT_MAX;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation(&create));
    info.pPrivateDriverData = NULL;
    info.PrivateDriverDataSize = 16;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation(&create));
    info.PrivateDriverDataSize = 0;
    create.PrivateDriverDataSize = UINT_MAX;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation(&create));
    create.PrivateDriverDataSize = 0;
    create.Flags.CreateShared = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation(&create));
    standard.width = 0;
    EXPECT(STATUS_INVALID_PARAMETER, drydock_create_standard_allocation(&standard));
    standard.width = UINT_MAX;
    EXPECT(STATUS_INVALID_PARAMETER, drydock_create_standard_allocation(&standard));
    standard.width = 64;
    standard.kind = 77;
    EXPECT(STATUS_INVALID_PARAMETER, drydock_create_standard_allocation(&standard));
}

static void absurd_lists(const struct hostile *client)
{
    D3DKMT_HANDLE handle = client->surface.hAllocation;
    const UINT priorities[1] = {0};
    D3DKMT_DESTROYALLOCATION destroy = {.hDevice = client->device, .phAllocationList = &handle};
    D3DKMT_EVICT evict = {
        .hDevice = client->device, .NumAllocations = UINT_MAX, .AllocationList = &handle};
    D3DKMT_OFFERALLOCATIONS offer = {.hDevice = client->device,
                                     .NumAllocations = UINT_MAX,
                                     .HandleList = &handle,
                                     .Priority = D3DKMT_OFFER_PRIORITY_NORMAL};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOfferAllocations(&offer));
    offer.pResources = &handle;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOfferAllocations(&offer));
    offer.HandleList = NULL;
    EXPECT(STATUS_NOT_SUPPORTED, D3DKMTOfferAllocations(&offer));
    destroy.AllocationCount = UINT_MAX;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyAllocation(&destroy));
    destroy.AllocationCount = 1;
    destroy.phAllocationList = NULL;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyAllocation(&destroy));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTEvict(&evict));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTUnlock(&(D3DKMT_UNLOCK){client->device, 1, &handle}));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTSetAllocationPriority(&(D3DKMT_SETALLOCATIONPRIORITY){
               .hDevice = client->device, .phAllocationList = &handle, .AllocationCount = 1}));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTSetAllocationPriority(&(D3DKMT_SETALLOCATIONPRIORITY){.hDevice = client->device,
                                                                       .phAllocationList = &handle,
                                                                       .AllocationCount = 1,
                                                                       .pPriorities = priorities}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSetContextSchedulingPriority(&(
                                         D3DKMT_SETCONTEXTSCHEDULINGPRIORITY){client->context, 8}));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTSetContextSchedulingPriority(
               &(D3DKMT_SETCONTEXTSCHEDULINGPRIORITY){client->context, INT_MIN}));
}

static void absurd_queries(const struct hostile *client)
{
    D3DKMT_SEGMENTSIZEINFO sizes;
    D3DKMT_NODEMETADATA node = {.NodeOrdinalAndAdapterIndex = 99};
    D3DKMT_CURRENTDISPLAYMODE mode = {.VidPnSourceId = UINT_MAX};
    D3DKMT_QUERYADAPTERINFO query = {client->adapter, KMTQAITYPE_GETSEGMENTSIZE, &sizes, 3};
    D3DKMT_QUERYRESOURCEINFO info = {.hDevice = client->device,
                                     .hGlobalShare = client->surface.hGlobalShare};
    D3DKMT_OPENRESOURCE open = {.hDevice = client->device,
                                .hGlobalShare = client->surface.hGlobalShare,
                                .NumAllocations = 5};
    D3DKMT_CREATECONTEXT context = {.hDevice = client->device, .NodeOrdinal = UINT_MAX};
    D3DKMT_GETSCANLINE line = {.hAdapter = client->adapter, .VidPnSourceId = UINT_MAX};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryAdapterInfo(&query));
    query.pPrivateDriverData = NULL;
    query.PrivateDriverDataSize = sizeof sizes;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryAdapterInfo(&query));
    query = (D3DKMT_QUERYADAPTERINFO){client->adapter, 12345, &sizes, sizeof sizes};
    EXPECT(STATUS_NOT_SUPPORTED, D3DKMTQueryAdapterInfo(&query));
    query = (D3DKMT_QUERYADAPTERINFO){client->adapter, KMTQAITYPE_NODEMETADATA, &node, sizeof node};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryAdapterInfo(&query));
    query = (D3DKMT_QUERYADAPTERINFO){client->adapter, KMTQAITYPE_CURRENTDISPLAYMODE, &mode,
                                      sizeof mode};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryAdapterInfo(&query));
    query = (D3DKMT_QUERYADAPTERINFO){client->adapter, KMTQAITYPE_UMDRIVERPRIVATE, &mode, UINT_MAX};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryAdapterInfo(&query));
    EXPECT(STATUS_SUCCESS, D3DKMTQueryResourceInfo(&info));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenResource(&open));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateContext(&context));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetScanLine(&line));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTCheckVidPnExclusiveOwnership(
               &(D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP){client->adapter, UINT_MAX}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSetVidPnSourceOwner(&(D3DKMT_SETVIDPNSOURCEOWNER){
                                         .hDevice = client->device, .VidPnSourceCount = UINT_MAX}));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTSetDisplayMode(&(D3DKMT_SETDISPLAYMODE){
               .hDevice = client->device, .hPrimaryAllocation = client->surface.hAllocation}));
    EXPECT(STATUS_NOT_SUPPORTED,
           D3DKMTEscape(&(D3DKMT_ESCAPE){.hAdapter = client->adapter, .Type = 4711}));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTEscape(
               &(D3DKMT_ESCAPE){.hAdapter = client->adapter, .PrivateDriverDataSize = UINT_MAX}));
}

/* The driver would take the one's context for the other's. */
static void escape_of_two_devices(const struct hostile *client)
{
    struct softgpu_umd_escape data = {.magic = SOFTGPU_UMD_ADAPTER_MAGIC,
                                      .code = SOFTGPU_ESCAPE_COUNTERS};
    D3DKMT_CREATEDEVICE second = {.hAdapter = client->adapter};
    D3DKMT_ESCAPE escape = {.hAdapter = client->adapter,
                            .hDevice = client->device,
                            .hContext = client->context,
                            .pPrivateDriverData = &data,
                            .PrivateDriverDataSize = sizeof data};

    EXPECT(STATUS_SUCCESS, D3DKMTCreateDevice(&second));
    EXPECT(STATUS_SUCCESS, D3DKMTEscape(&escape));
    escape.hDevice = second.hDevice;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTEscape(&escape));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){second.hDevice}));
}

static void absurd_renders(const struct hostile *client)
{
    D3DKMT_RENDER render = {
        .hContext = client->context, .CommandOffset = UINT_MAX - 1, .CommandLength = 4};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTRender(&render));
    render = (D3DKMT_RENDER){.hContext = client->context,
                             .CommandLength = client->space.CommandBufferSize + 1};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTRender(&render));
    render = (D3DKMT_RENDER){.hContext = client->context, .AllocationCount = UINT_MAX};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTRender(&render));
    render = (D3DKMT_RENDER){.hContext = client->context, .PatchLocationCount = UINT_MAX};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTRender(&render));
    render = (D3DKMT_RENDER){.hContext = client->context, .BroadcastContextCount = UINT_MAX};
    EXPECT(STATUS_NOT_SUPPORTED, D3DKMTRender(&render));
    client->space.pAllocationList[0].hAllocation = 0x1234;
    render = (D3DKMT_RENDER){.hContext = client->context, .CommandLength = 4, .AllocationCount = 1};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTRender(&render));
}

static void absurd_presents(const struct hostile *client)
{
    const RECT far_away = {INT_MAX - 5, INT_MAX - 5, INT_MAX, INT_MAX};
    const RECT wide = {INT_MIN, INT_MIN, INT_MAX, INT_MAX};
    D3DKMT_PRESENT present = hostile_blt(client);

    EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
    present.FlipInterval = D3DDDI_FLIPINTERVAL_FOUR; /* of a flip alone */
    EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
    present.Flags.ColorFill = 1; /* two kinds */
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTPresent(&present));
    present.Flags.Value = 0; /* none */
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTPresent(&present));
    present.Flags.Value = UINT_MAX;
    EXPECT(STATUS_NOT_SUPPORTED, D3DKMTPresent(&present));
    present = hostile_blt(client);
    present.Flags.SrcColorKey = present.Flags.DstColorKey = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTPresent(&present));
    present = hostile_blt(client);
    present.Flags.DstRectValid = 1; /* an empty one */
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTPresent(&present));
    present.DstRect = wide; /* stretched beyond all screens */
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTPresent(&present));
    present.Flags.SrcRectValid = 1;
    present.SrcRect = wide; /* unstretched, far beyond both */
    EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
    present.SrcRect = far_away;
    present.DstRect = (RECT){INT_MIN, INT_MIN, INT_MIN + 5, INT_MIN + 5};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTPresent(&present));
    present = hostile_blt(client);
    present.SubRectCnt = UINT_MAX;
    present.pSrcSubRects = &far_away;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTPresent(&present));
    present.SubRectCnt = 1;
    present.pSrcSubRects = NULL;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTPresent(&present));
    present.pSrcSubRects = &far_away; /* nothing is left of it */
    EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
    present = hostile_blt(client);
    present.Flags.Value = 0;
    present.Flags.Flip = 1; /* no primary */
    present.VidPnSourceId = UINT_MAX;
    if (D3DKMTPresent(&present) >= 0) {
        host->fail(host, "a flip to a shadow surface");
    }
    present.FlipInterval = 99;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTPresent(&present));
}

static void absurd_sync(const struct hostile *client)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = client->device};
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.hDevice = client->device,
                                                 .Info.Type = D3DDDI_FENCE};
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 wait = {.hContext = client->context};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateSynchronizationObject2(&create));
    create.Info.Type = D3DDDI_SEMAPHORE;
    create.Info.Semaphore.InitialCount = 5;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateSynchronizationObject2(&create));
    create.Info = (D3DDDI_SYNCHRONIZATIONOBJECTINFO2){.Type = D3DDDI_CPU_NOTIFICATION};
    EXPECT(STATUS_INVALID_HANDLE, D3DKMTCreateSynchronizationObject2(&create));
    EXPECT(STATUS_SUCCESS, D3DKMTCreateSynchronizationObject2(&fence));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTWaitForSynchronizationObject2(&wait));
    wait.ObjectCount = UINT_MAX;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTWaitForSynchronizationObject2(&wait));
    wait.ObjectCount = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTWaitForSynchronizationObject2(&wait));
    /* A wait that nothing ends: the context goes nevertheless (close_client). */
    wait.ObjectHandleArray[0] = fence.hSyncObject;
    wait.Fence.FenceValue = 1000;
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForSynchronizationObject2(&wait));
}

static void run_sizes(const struct drydock_workload_host *given)
{
    host = given;
    struct hostile client = hostile_open();

    absurd_allocations(&client);
    absurd_lists(&client);
    absurd_queries(&client);
    escape_of_two_devices(&client);
    absurd_renders(&client);
    absurd_presents(&client);
    absurd_sync(&client);
    hostile_close(&client);
}

const struct drydock_workload hostile_sizes = {.abi = DRYDOCK_WORKLOAD_ABI,
                                               .name = "sizes",
                                               .description = "absurd counts and rectangles",
                                               .run = run_sizes};
