/* A client that asks what programs have asked Windows, and wants the recorded answers. */
#include "recorded_client.h"

#include "hostile_support.h"

#define NOBODY 0x1EADBEEDu /* a handle that nothing has */

/* ---- Owners of a source ---------------------------------------------------------------------- */

#define UNOWNED   D3DKMT_VIDPNSOURCEOWNER_UNOWNED
#define SHARED    D3DKMT_VIDPNSOURCEOWNER_SHARED
#define EXCLUSIVE D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE
#define EMULATED  D3DKMT_VIDPNSOURCEOWNER_EMULATED
#define IN_USE    STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE
#define OCCLUDED  STATUS_GRAPHICS_PRESENT_OCCLUDED

static NTSTATUS own(D3DKMT_HANDLE device, int type)
{
    const D3DKMT_VIDPNSOURCEOWNER_TYPE types[1] = {(D3DKMT_VIDPNSOURCEOWNER_TYPE)type};
    const D3DDDI_VIDEO_PRESENT_SOURCE_ID sources[1] = {0};

    return D3DKMTSetVidPnSourceOwner(&(D3DKMT_SETVIDPNSOURCEOWNER){device, types, sources, 1});
}

static NTSTATUS own_nothing(D3DKMT_HANDLE device)
{
    return D3DKMTSetVidPnSourceOwner(&(D3DKMT_SETVIDPNSOURCEOWNER){.hDevice = device});
}

static NTSTATUS exclusive(D3DKMT_HANDLE adapter)
{
    return D3DKMTCheckVidPnExclusiveOwnership(&(D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP){adapter, 0});
}

/* One device after itself, and after another. Records were made with a desktop that owns the source
 * as a shared owner does; here nobody does, so that shared owners have their own rows. */
static const struct {
    int first, second;
    NTSTATUS own, other;             /* of the second */
    NTSTATUS own_after, other_after; /* is the source exclusive then? */
} changes[] = {
    {UNOWNED, EXCLUSIVE, STATUS_SUCCESS, STATUS_SUCCESS, OCCLUDED, OCCLUDED},
    {UNOWNED, EMULATED, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS},
    {UNOWNED, UNOWNED, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS},
    {SHARED, UNOWNED, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS},
    {SHARED, SHARED, STATUS_SUCCESS, IN_USE, STATUS_SUCCESS, STATUS_SUCCESS},
    {SHARED, EXCLUSIVE, STATUS_SUCCESS, STATUS_SUCCESS, OCCLUDED, OCCLUDED},
    {SHARED, EMULATED, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS},
    {EXCLUSIVE, UNOWNED, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS, OCCLUDED},
    {EXCLUSIVE, SHARED, STATUS_INVALID_PARAMETER, IN_USE, OCCLUDED, OCCLUDED},
    {EXCLUSIVE, EXCLUSIVE, STATUS_SUCCESS, IN_USE, OCCLUDED, OCCLUDED},
    {EXCLUSIVE, EMULATED, STATUS_INVALID_PARAMETER, IN_USE, OCCLUDED, OCCLUDED},
    {EMULATED, UNOWNED, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS},
    {EMULATED, SHARED, STATUS_SUCCESS, IN_USE, STATUS_SUCCESS, STATUS_SUCCESS},
    {EMULATED, EXCLUSIVE, STATUS_INVALID_PARAMETER, IN_USE, STATUS_SUCCESS, STATUS_SUCCESS},
    {EMULATED, EMULATED, STATUS_SUCCESS, IN_USE, STATUS_SUCCESS, STATUS_SUCCESS},
};

static void check_owners(const struct hostile *one, const struct hostile *two)
{
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++) {
        EXPECT(STATUS_SUCCESS, own(one->device, changes[i].first));
        EXPECT(changes[i].own, own(one->device, changes[i].second));
        EXPECT(changes[i].own_after, exclusive(one->adapter));
        EXPECT(STATUS_SUCCESS, own_nothing(one->device));
        EXPECT(STATUS_SUCCESS, exclusive(one->adapter));
        EXPECT(STATUS_SUCCESS, own(one->device, changes[i].first));
        EXPECT(changes[i].other, own(two->device, changes[i].second));
        EXPECT(changes[i].other_after, exclusive(one->adapter));
        EXPECT(STATUS_SUCCESS, own_nothing(one->device));
        EXPECT(STATUS_SUCCESS, own_nothing(two->device));
    }
    EXPECT(STATUS_INVALID_PARAMETER, own(one->device, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVEGDI));
    EXPECT(STATUS_INVALID_PARAMETER, own(one->device, EMULATED + 1));
    EXPECT(STATUS_SUCCESS, own(one->device, EXCLUSIVE));
    EXPECT(STATUS_SUCCESS, own_nothing(two->device)); /* of no effect */
    EXPECT(OCCLUDED, exclusive(one->adapter));
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void check_memory(const struct hostile *one)
{
    D3DDDI_ALLOCATIONINFO info = {0};
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = one->device, .hResource = NOBODY, .NumAllocations = 1, .pAllocationInfo = &info};
    D3DKMT_DESTROYALLOCATION destroy = {.hDevice = one->device};

    EXPECT(STATUS_INVALID_HANDLE, D3DKMTCreateAllocation(&create));
    create.Flags.CreateResource = 1;
    EXPECT(STATUS_INVALID_HANDLE, D3DKMTCreateAllocation(&create));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation(&destroy)); /* of nothing */
    destroy.AllocationCount = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyAllocation(&destroy));
    destroy.AllocationCount = 0;
    destroy.hResource = NOBODY;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyAllocation(&destroy));
}

/* A device may open what it made itself: it gets a resource and allocations more, each with handles
 * of their own, which end on their own. */
struct reopened {
    D3DKMT_HANDLE resource, allocation;
};

static struct reopened reopen(const struct hostile *one, D3DKMT_HANDLE share)
{
    D3DKMT_QUERYRESOURCEINFO info = {.hDevice = one->device, .hGlobalShare = share};
    D3DDDI_OPENALLOCATIONINFO allocation = {0};
    uint8_t bytes[2][4096];
    D3DKMT_OPENRESOURCE open = {
        .hDevice = one->device,
        .hGlobalShare = share,
        .NumAllocations = 1,
        .pOpenAllocationInfo = &allocation,
        .pTotalPrivateDriverDataBuffer = bytes[0],
        .TotalPrivateDriverDataBufferSize = sizeof bytes[0],
        .pResourcePrivateDriverData = bytes[1],
    };

    EXPECT(STATUS_SUCCESS, D3DKMTQueryResourceInfo(&info));
    open.ResourcePrivateDriverDataSize = info.ResourcePrivateDriverDataSize;
    EXPECT(STATUS_SUCCESS, D3DKMTOpenResource(&open));
    EXPECT(share, (NTSTATUS)open.hGlobalShare);
    EXPECT(0, (NTSTATUS)(open.hResource & 63));
    return (struct reopened){open.hResource, allocation.hAllocation};
}

static NTSTATUS destroy_resource(const struct hostile *one, D3DKMT_HANDLE resource)
{
    return D3DKMTDestroyAllocation(
        &(D3DKMT_DESTROYALLOCATION){.hDevice = one->device, .hResource = resource});
}

/* What lies in an allocation, through one of its handles; `value` comes to stand there. */
static uint32_t exchange(const struct hostile *one, D3DKMT_HANDLE allocation, uint32_t value)
{
    D3DKMT_LOCK lock = {.hDevice = one->device, .hAllocation = allocation};

    EXPECT(STATUS_SUCCESS, D3DKMTLock(&lock));
    uint32_t found = *(volatile uint32_t *)lock.pData;
    *(volatile uint32_t *)lock.pData = value;
    EXPECT(STATUS_SUCCESS,
           D3DKMTUnlock(&(D3DKMT_UNLOCK){one->device, 1, &(D3DKMT_HANDLE){allocation}}));
    return found;
}

static void check_reopening(const struct hostile *one)
{
    struct drydock_standard_allocation made = hostile_surface(one->device);
    struct reopened first, second;
    D3DKMT_QUERYRESOURCEINFO info = {.hDevice = one->device};

    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&made));
    info.hGlobalShare = made.hGlobalShare;
    first = reopen(one, made.hGlobalShare);
    second = reopen(one, made.hGlobalShare);
    EXPECT(1, made.hResource != first.resource && first.resource != second.resource);
    EXPECT(1, made.hAllocation != first.allocation && first.allocation != second.allocation);
    exchange(one, made.hAllocation, 0x11111111);
    EXPECT(0x11111111, (NTSTATUS)exchange(one, first.allocation, 0x22222222));
    EXPECT(STATUS_SUCCESS, destroy_resource(one, made.hResource));
    EXPECT(STATUS_INVALID_PARAMETER, destroy_resource(one, made.hResource));
    EXPECT(STATUS_SUCCESS, destroy_resource(one, first.resource));
    EXPECT(0x22222222, (NTSTATUS)exchange(one, second.allocation, 0));
    EXPECT(
        STATUS_SUCCESS,
        D3DKMTDestroyAllocation(&(D3DKMT_DESTROYALLOCATION){
            .hDevice = one->device, .phAllocationList = &second.allocation, .AllocationCount = 1}));
    EXPECT(STATUS_SUCCESS, destroy_resource(one, second.resource)); /* it outlived its all */
    EXPECT(STATUS_INVALID_PARAMETER, destroy_resource(one, second.resource));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryResourceInfo(&info));
}

/* ---- Synchronisation objects ----------------------------------------------------------------- */

static NTSTATUS make_sync(const struct hostile *one, D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = one->device, .Info = info};
    NTSTATUS status = D3DKMTCreateSynchronizationObject2(&create);
    const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy = {create.hSyncObject};

    if (NT_SUCCESS(status)) {
        EXPECT(STATUS_SUCCESS, D3DKMTDestroySynchronizationObject(&destroy));
        EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroySynchronizationObject(&destroy));
    }
    return status;
}

static void check_sync(const struct hostile *one)
{
    D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info = {.Type = D3DDDI_SEMAPHORE};

    EXPECT(STATUS_SUCCESS, make_sync(one, info)); /* both of its counts are 0 */
    info.Semaphore.InitialCount = 1;
    EXPECT(STATUS_INVALID_PARAMETER, make_sync(one, info));
    info = (D3DDDI_SYNCHRONIZATIONOBJECTINFO2){.Type = D3DDDI_CPU_NOTIFICATION};
    EXPECT(STATUS_INVALID_HANDLE, make_sync(one, info)); /* no event */
    info = (D3DDDI_SYNCHRONIZATIONOBJECTINFO2){.Type = D3DDDI_SYNCHRONIZATION_MUTEX};
    info.Flags.NtSecuritySharing = 1; /* without Shared */
    EXPECT(STATUS_INVALID_PARAMETER, make_sync(one, info));
}

/* ---- Adapters -------------------------------------------------------------------------------- */

static void check_adapters(void)
{
    D3DKMT_ADAPTERINFO list[64];
    D3DKMT_ENUMADAPTERS2 adapters = {0};

    EXPECT(STATUS_SUCCESS, D3DKMTEnumAdapters2(&adapters));
    EXPECT(34, (NTSTATUS)adapters.NumAdapters); /* room for all there could be */
    adapters.pAdapters = list;
    EXPECT(STATUS_SUCCESS, D3DKMTEnumAdapters2(&adapters));
    EXPECT(1, (NTSTATUS)adapters.NumAdapters);
    EXPECT(STATUS_SUCCESS, D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){list[0].hAdapter}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){list[0].hAdapter}));
    adapters.NumAdapters = 0;
    EXPECT(STATUS_BUFFER_TOO_SMALL, D3DKMTEnumAdapters2(&adapters));
}

static void run_recorded(const struct drydock_workload_host *given)
{
    hostile_host = given;
    struct hostile one = hostile_open(), two = hostile_open();

    check_owners(&one, &two);
    check_memory(&one);
    check_reopening(&one);
    check_sync(&one);
    check_adapters();
    recorded_check_shared(&one);
    hostile_close(&one); /* and with it, its ownership */
    EXPECT(STATUS_SUCCESS, own(two.device, EXCLUSIVE));
    hostile_close(&two);
}

const struct drydock_workload recorded = {.abi = DRYDOCK_WORKLOAD_ABI,
                                          .name = "recorded",
                                          .description = "what Windows is recorded to answer",
                                          .run = run_recorded};
