/* Two processes: one makes, shares and forgets, the other opens what is left. */
#include "share_client.h"

#include "hostile_support.h"
#include "softgpu_client.h"

#define MARK 0x5EA1ED00u

/* What the one process tells the other. */
struct passed {
    HANDLE resource, fence, both;
    D3DKMT_HANDLE mutex, by_number;
    NTSTATUS waited;
};

/* ---- Making and sharing ---------------------------------------------------------------------- */

static D3DKMT_CREATEALLOCATION make(const struct hostile *client, D3DDDI_ALLOCATIONINFO2 *info,
                                    D3DKMT_CREATEALLOCATIONFLAGS flags)
{
    struct softgpu_umd_allocation data = {
        .magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
        .version = SOFTGPU_UMD_VERSION,
        .flags = SOFTGPU_UMD_CPU_VISIBLE,
        .size_bytes = 8192,
    };
    *info =
        (D3DDDI_ALLOCATIONINFO2){.pPrivateDriverData = &data, .PrivateDriverDataSize = sizeof data};
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = client->device, .NumAllocations = 1, .pAllocationInfo2 = info, .Flags = flags};

    EXPECT(STATUS_SUCCESS, D3DKMTCreateAllocation2(&create));
    return create;
}

static const D3DKMT_CREATEALLOCATIONFLAGS by_handle = {
    .CreateResource = 1, .CreateShared = 1, .NtSecuritySharing = 1};

static uint32_t exchange(const struct hostile *client, D3DKMT_HANDLE allocation, uint32_t value)
{
    D3DKMT_LOCK2 lock = {.hDevice = client->device, .hAllocation = allocation};

    EXPECT(STATUS_SUCCESS, D3DKMTLock2(&lock));
    uint32_t found = lock.pData ? *(volatile uint32_t *)lock.pData : 0;
    if (lock.pData) {
        *(volatile uint32_t *)lock.pData = value;
    }
    EXPECT(STATUS_SUCCESS, D3DKMTUnlock2(&(D3DKMT_UNLOCK2){client->device, allocation}));
    return found;
}

static D3DKMT_CREATESYNCHRONIZATIONOBJECT2
make_sync(const struct hostile *client, D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type, bool nt_security)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = client->device, .Info.Type = type};

    create.Info.Flags.Shared = 1;
    create.Info.Flags.NtSecuritySharing = nt_security;
    EXPECT(STATUS_SUCCESS, D3DKMTCreateSynchronizationObject2(&create));
    EXPECT(nt_security, create.Info.SharedHandle == 0);
    return create;
}

static void destroy_sync(D3DKMT_HANDLE sync)
{
    EXPECT(STATUS_SUCCESS,
           D3DKMTDestroySynchronizationObject(&(D3DKMT_DESTROYSYNCHRONIZATIONOBJECT){sync}));
}

static NTSTATUS close_nt(HANDLE handle)
{
    return drydock_close_handle(&(struct drydock_handle){handle});
}

/* What is refused leaves no handle. */
static void share_wrongly(const struct hostile *client, D3DKMT_HANDLE resource, D3DKMT_HANDLE mutex)
{
    D3DKMT_HANDLE twice[2] = {resource, resource};
    UNICODE_STRING name = {.Length = 2, .MaximumLength = 2, .Buffer = (WCHAR[]){'x'}};
    UNICODE_STRING nowhere = {.Length = 8, .MaximumLength = 8, .Buffer = (WCHAR *)L"\\x\\y"};
    UNICODE_STRING odd = {.Length = 3, .MaximumLength = 4, .Buffer = (WCHAR *)L"\\x"};
    OBJECT_ATTRIBUTES named = {.Length = sizeof named, .ObjectName = &name};
    HANDLE handle = NULL;

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTShareObjects(0, &resource, NULL, 0, &handle));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTShareObjects(2, twice, NULL, 0, &handle));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTShareObjects(4, twice, NULL, 0, &handle));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTShareObjects(1, &resource, NULL, 0, NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTShareObjects(1, NULL, NULL, 0, &handle));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTShareObjects(1, &client->device, NULL, 0, &handle));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTShareObjects(1, &mutex, NULL, 0, &handle));
    EXPECT(STATUS_OBJECT_PATH_SYNTAX_BAD, D3DKMTShareObjects(1, &resource, &named, 0, &handle));
    named.ObjectName = &nowhere;
    EXPECT(STATUS_OBJECT_PATH_NOT_FOUND, D3DKMTShareObjects(1, &resource, &named, 0, &handle));
    named.ObjectName = &odd;
    EXPECT(STATUS_OBJECT_NAME_INVALID, D3DKMTShareObjects(1, &resource, &named, 0, &handle));
    named.RootDirectory = &name;
    EXPECT(STATUS_INVALID_HANDLE, D3DKMTShareObjects(1, &resource, &named, 0, &handle));
    named.Length = 8;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTShareObjects(1, &resource, &named, 0, &handle));
    EXPECT(1, handle == NULL);
    EXPECT(STATUS_INVALID_HANDLE, close_nt(NULL));
    EXPECT(STATUS_INVALID_HANDLE, close_nt((HANDLE)(uintptr_t)0xFFFFFFF4u));
}

/* ---- Opening --------------------------------------------------------------------------------- */

static D3DKMT_OPENRESOURCEFROMNTHANDLE open_resource(const struct hostile *client, HANDLE handle,
                                                     D3DDDI_OPENALLOCATIONINFO2 *info)
{
    static uint8_t bytes[256];
    D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query = {.hDevice = client->device, .hNtHandle = handle};
    D3DKMT_OPENRESOURCEFROMNTHANDLE open = {
        .hDevice = client->device,
        .hNtHandle = handle,
        .NumAllocations = 1,
        .pOpenAllocationInfo2 = info,
        .pTotalPrivateDriverDataBuffer = bytes,
        .TotalPrivateDriverDataBufferSize = sizeof bytes,
    };

    EXPECT(STATUS_SUCCESS, D3DKMTQueryResourceInfoFromNtHandle(&query));
    EXPECT(1, (NTSTATUS)query.NumAllocations);
    EXPECT((NTSTATUS)sizeof(struct softgpu_umd_allocation),
           (NTSTATUS)query.TotalPrivateDriverDataSize);
    EXPECT(STATUS_SUCCESS, D3DKMTOpenResourceFromNtHandle(&open));
    return open;
}

/* Its maker is gone with all that it had: the handle kept it. */
static void open_what_was_left(const struct hostile *client, const struct passed *passed)
{
    D3DDDI_OPENALLOCATIONINFO2 info = {0};
    D3DKMT_OPENRESOURCEFROMNTHANDLE open = open_resource(client, passed->resource, &info);
    D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query = {.hDevice = client->device,
                                                  .hNtHandle = passed->resource};

    EXPECT((NTSTATUS)MARK, (NTSTATUS)exchange(client, info.hAllocation, MARK + 1));
    EXPECT(STATUS_SUCCESS, close_nt(passed->resource));
    EXPECT(STATUS_INVALID_HANDLE, close_nt(passed->resource));
    EXPECT(STATUS_INVALID_HANDLE, D3DKMTQueryResourceInfoFromNtHandle(&query));
    EXPECT((NTSTATUS)(MARK + 1), (NTSTATUS)exchange(client, info.hAllocation, 0));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation2(&(D3DKMT_DESTROYALLOCATION2){
                               .hDevice = client->device, .hResource = open.hResource}));
}

/* One handle for a resource, a keyed mutex and a fence. */
static void open_both(const struct hostile *client, const struct passed *passed)
{
    D3DDDI_OPENALLOCATIONINFO2 info = {0};
    D3DKMT_OPENRESOURCEFROMNTHANDLE open = open_resource(client, passed->both, &info);
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE sync = {.hNtHandle = passed->both};

    EXPECT(1, open.hSyncObject != 0 && open.hKeyedMutex != 0);
    destroy_sync(open.hSyncObject);
    EXPECT(STATUS_SUCCESS, D3DKMTOpenSyncObjectFromNtHandle(&sync));
    destroy_sync(sync.hSyncObject);
}

static NTSTATUS wait_for(const struct hostile *client, D3DKMT_HANDLE fence, UINT64 value)
{
    return D3DKMTWaitForSynchronizationObjectFromCpu(
        &(D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU){.hDevice = client->device,
                                                      .ObjectCount = 1,
                                                      .ObjectHandleArray = &fence,
                                                      .FenceValueArray = &value});
}

static D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 open_fence(const struct hostile *client, HANDLE handle,
                                                     D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags)
{
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 open = {
        .hNtHandle = handle, .hDevice = client->device, .Flags = flags};

    EXPECT(STATUS_SUCCESS, D3DKMTOpenSyncObjectFromNtHandle2(&open));
    return open;
}

/* The other process waits for value 1, which the first signals, and answers with 2. */
static void other_process(void *argument)
{
    struct passed *passed = argument;
    struct hostile client = hostile_open();
    D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS none = {.Value = 0}, deaf = {.NoSignal = 1};
    D3DKMT_OPENSYNCHRONIZATIONOBJECT mutex = {.hSharedHandle = passed->mutex};

    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 fence = open_fence(&client, passed->fence, none);
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 second = open_fence(&client, passed->fence, deaf);
    EXPECT(STATUS_ACCESS_DENIED, hostile_signal(&client, second.hSyncObject, 7));
    destroy_sync(second.hSyncObject);
    passed->waited = wait_for(&client, fence.hSyncObject, 1);
    EXPECT(STATUS_SUCCESS, hostile_signal(&client, fence.hSyncObject, 2));
    EXPECT(STATUS_SUCCESS, D3DKMTOpenSynchronizationObject(&mutex));
    EXPECT(1, mutex.hSyncObject != passed->mutex);
    open_both(&client, passed);
    hostile_close(&client); /* the mutex is the process's: its end takes it along */
}

static void share_and_meet(const struct hostile *one, struct passed *passed)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = make_sync(one, D3DDDI_MONITORED_FENCE, true);
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 mutex = make_sync(one, D3DDDI_SYNCHRONIZATION_MUTEX, false);
    D3DDDI_ALLOCATIONINFO2 info;
    D3DKMT_CREATEALLOCATION made = make(one, &info, by_handle);
    D3DKMT_CREATEKEYEDMUTEX2 keyed = {.Flags.NtSecuritySharing = 1};

    EXPECT(STATUS_SUCCESS, D3DKMTCreateKeyedMutex2(&keyed));
    const D3DKMT_HANDLE both[3] = {made.hResource, keyed.hKeyedMutex, fence.hSyncObject};

    EXPECT(0, (NTSTATUS)made.hGlobalShare);
    share_wrongly(one, made.hResource, mutex.hSyncObject);
    passed->mutex = mutex.Info.SharedHandle;
    EXPECT(STATUS_SUCCESS, D3DKMTShareObjects(1, &fence.hSyncObject, NULL, 0, &passed->fence));
    EXPECT(STATUS_SUCCESS, D3DKMTShareObjects(3, both, NULL, 0, &passed->both));
    struct drydock_process *other = host->start_process(host, "other", other_process, passed);
    EXPECT(STATUS_SUCCESS, hostile_signal(one, fence.hSyncObject, 1));
    EXPECT(STATUS_SUCCESS, wait_for(one, fence.hSyncObject, 2));
    host->join(host, other);
    EXPECT(STATUS_SUCCESS, passed->waited);
    destroy_sync(mutex.hSyncObject);
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTOpenSynchronizationObject(
               &(D3DKMT_OPENSYNCHRONIZATIONOBJECT){.hSharedHandle = passed->mutex}));
    EXPECT(STATUS_SUCCESS, close_nt(passed->fence));
    EXPECT(STATUS_SUCCESS, wait_for(one, fence.hSyncObject, 2)); /* the handle was not the fence */
    destroy_sync(fence.hSyncObject);
    /* The handle for both is left to the process's end. */
}

/* A device that ends; its handle does not. */
static void leave(struct passed *passed)
{
    struct hostile maker = hostile_open();
    D3DDDI_ALLOCATIONINFO2 info;
    D3DKMT_CREATEALLOCATION made = make(&maker, &info, by_handle);

    EXPECT(STATUS_SUCCESS, D3DKMTShareObjects(1, &made.hResource, NULL, 0, &passed->resource));
    exchange(&maker, info.hAllocation, MARK);
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation2(&(D3DKMT_DESTROYALLOCATION2){
                               .hDevice = maker.device, .hResource = made.hResource}));
    hostile_close(&maker);
}

static void run_sharing(const struct drydock_workload_host *given)
{
    struct passed passed = {.waited = STATUS_UNSUCCESSFUL};

    hostile_host = given;
    struct hostile one = hostile_open();
    share_and_meet(&one, &passed);
    leave(&passed);
    open_what_was_left(&one, &passed);
    leave(&passed); /* nobody opens it: the process's end closes the handle */
    hostile_close(&one);
}

const struct drydock_workload sharing = {.abi = DRYDOCK_WORKLOAD_ABI,
                                         .name = "sharing",
                                         .description = "what two processes share",
                                         .run = run_sharing};
