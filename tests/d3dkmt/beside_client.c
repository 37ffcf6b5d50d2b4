/* Events of vertical syncs and presents, sync files, and what there is none of. */
#include "asked_client.h"
#include "duplication_client.h"
#include "hostile_support.h"

#define NOWHERE 0x1EADBEEDu
#define FRAMES  5

static NTSTATUS wait_for_event(HANDLE event, uint64_t timeout_ns)
{
    return drydock_wait_event(&(struct drydock_event_wait){event, timeout_ns});
}

/* ---- Vertical syncs -------------------------------------------------------------------------- */

static void ask_wrongly(const struct hostile *client)
{
    D3DKMT_PTR_TYPE event = NULL;
    D3DKMT_GETVERTICALBLANKEVENT get = {.hAdapter = client->adapter, .phEvent = &event};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetDWMVerticalBlankEvent(NULL));
    get.hAdapter = NOWHERE;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetDWMVerticalBlankEvent(&get));
    get.hAdapter = client->adapter;
    get.hDevice = NOWHERE;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetDWMVerticalBlankEvent(&get));
    get.hDevice = client->device;
    get.VidPnSourceId = UINT32_MAX;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetDWMVerticalBlankEvent(&get));
    get.VidPnSourceId = 0;
    get.phEvent = NULL;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetDWMVerticalBlankEvent(&get));
    get.phEvent = (void *)16;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTGetDWMVerticalBlankEvent(&get));
    EXPECT(1, event == NULL);
}

static void count_syncs(const struct hostile *client)
{
    D3DKMT_PTR_TYPE event = NULL, again = NULL;
    D3DKMT_GETVERTICALBLANKEVENT get = {.hAdapter = client->adapter, .phEvent = &event};

    EXPECT(STATUS_SUCCESS, D3DKMTGetDWMVerticalBlankEvent(&get));
    get.phEvent = &again;
    EXPECT(STATUS_SUCCESS, D3DKMTGetDWMVerticalBlankEvent(&get));
    EXPECT(1, event != NULL && event == again);
    EXPECT(STATUS_SUCCESS, wait_for_event(event, UINT64_C(1000000000)));
    uint64_t begin_ns = host->now_ns(host);
    for (unsigned i = 0; i < FRAMES; i++) {
        EXPECT(STATUS_SUCCESS, wait_for_event(event, UINT64_C(1000000000)));
    }
    uint64_t taken_ns = host->now_ns(host) - begin_ns; /* of 60 Hz, or near it */
    EXPECT(1,
           taken_ns > (FRAMES - 1) * UINT64_C(10000000) && taken_ns < FRAMES * UINT64_C(25000000));
    EXPECT(STATUS_SUCCESS, drydock_close_handle(&(struct drydock_handle){event}));
    EXPECT(STATUS_INVALID_HANDLE, wait_for_event(event, 1000));
    EXPECT(STATUS_SUCCESS, D3DKMTGetDWMVerticalBlankEvent(&get)); /* left to the process's end */
    EXPECT(STATUS_SUCCESS, wait_for_event(again, UINT64_C(1000000000)));
}

/* ---- What there is none of ------------------------------------------------------------------- */

static void ask_for_nothing(const struct hostile *client)
{
    D3DKMT_FLUSHHEAPTRANSITIONS flush = {client->adapter};
    D3DKMT_QUERYREMOTEVIDPNSOURCEFROMGDIDISPLAYNAME name = {.DeviceName = L"\\\\.\\DISPLAY1"};
    GUID machine = {0};
    HANDLE event = NULL;

    EXPECT(STATUS_SUCCESS, D3DKMTFlushHeapTransitions(&flush));
    flush.hAdapter = NOWHERE;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTFlushHeapTransitions(&flush));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryRemoteVidPnSourceFromGdiDisplayName(&name));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryRemoteVidPnSourceFromGdiDisplayName(NULL));
    EXPECT(STATUS_NOT_FOUND, D3DKMTRegisterVailProcess(&machine));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTRegisterVailProcess(NULL));
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTRegisterVailProcess((void *)16));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetPresentQueueEvent(NOWHERE, &event));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetPresentQueueEvent(client->adapter, NULL));
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTGetPresentQueueEvent(client->adapter, (void *)16));
    EXPECT(STATUS_SUCCESS, D3DKMTGetPresentQueueEvent(client->adapter, &event));
    EXPECT(STATUS_TIMEOUT, wait_for_event(event, 50000000));
    EXPECT(STATUS_SUCCESS, drydock_close_handle(&(struct drydock_handle){event}));
}

/* It would wait for its own lock: it is not shown. */
static void show_locked(const struct hostile *client,
                        const struct drydock_standard_allocation *like)
{
    struct drydock_standard_allocation second = *like;

    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&second));
    D3DKMT_LOCK lock = {.hDevice = client->device, .hAllocation = second.hAllocation};
    const D3DKMT_SETDISPLAYMODE set = {.hDevice = client->device,
                                       .hPrimaryAllocation = second.hAllocation};
    EXPECT(STATUS_SUCCESS, D3DKMTLock(&lock));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSetDisplayMode(&set));
    EXPECT(STATUS_SUCCESS, D3DKMTUnlock(&(D3DKMT_UNLOCK){client->device, 1, &second.hAllocation}));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation(&(D3DKMT_DESTROYALLOCATION){
                               .hDevice = client->device, .hResource = second.hResource}));
}

static void run_events(const struct drydock_workload_host *the_host)
{
    hostile_host = the_host;
    struct hostile client = hostile_open();
    struct drydock_standard_allocation primary;

    ask_wrongly(&client);
    asked_show(&client, &primary);
    show_locked(&client, &primary);
    count_syncs(&client);
    ask_for_nothing(&client);
    hostile_close(&client);
}

/* ---- Sync files ------------------------------------------------------------------------------ */

static D3DKMT_CREATESYNCHRONIZATIONOBJECT2 make_fence(const struct hostile *client, bool shared,
                                                      D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = client->device, .Info.Type = type};

    create.Info.Flags.Shared = create.Info.Flags.NtSecuritySharing = shared;
    EXPECT(STATUS_SUCCESS, D3DKMTCreateSynchronizationObject2(&create));
    return create;
}

static NTSTATUS destroy_it(D3DKMT_HANDLE fence)
{
    return D3DKMTDestroySynchronizationObject(&(D3DKMT_DESTROYSYNCHRONIZATIONOBJECT){fence});
}

static void make_wrongly(const struct hostile *client)
{
    D3DKMT_HANDLE alone = make_fence(client, false, D3DDDI_MONITORED_FENCE).hSyncObject;
    D3DKMT_HANDLE old = make_fence(client, true, D3DDDI_FENCE).hSyncObject;
    D3DKMT_HANDLE fence = make_fence(client, true, D3DDDI_MONITORED_FENCE).hSyncObject;
    HANDLE handle = NULL;
    D3DKMT_CREATESYNCFILE create = {.hDevice = client->device, .hMonitoredFence = alone};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateSyncFile(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateSyncFile(&create));
    create.hMonitoredFence = old;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateSyncFile(&create));
    create.hMonitoredFence = fence;
    create.hDevice = NOWHERE;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateSyncFile(&create));
    /* A handle of the fence is no sync file, and a sync file none of those. */
    EXPECT(STATUS_SUCCESS, D3DKMTShareObjects(1, &fence, NULL, 0, &handle));
    D3DKMT_WAITSYNCFILE wait = {.hSyncFile = (uintptr_t)handle, .hContext = client->context};
    EXPECT(STATUS_INVALID_HANDLE, D3DKMTWaitSyncFile(&wait));
    create.hDevice = client->device;
    EXPECT(STATUS_SUCCESS, D3DKMTCreateSyncFile(&create));
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE open = {.hNtHandle = (HANDLE)(uintptr_t)create.hSyncFile};
    EXPECT(STATUS_INVALID_HANDLE, D3DKMTOpenSyncObjectFromNtHandle(&open));
    wait.hSyncFile = create.hSyncFile;
    wait.hContext = NOWHERE;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTWaitSyncFile(&wait));
    wait.hContext = client->context;
    wait.Reserved = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTWaitSyncFile(&wait));
    EXPECT(STATUS_SUCCESS, destroy_it(alone));
    EXPECT(STATUS_SUCCESS, destroy_it(old));
    EXPECT(STATUS_SUCCESS, destroy_it(fence));
}

static UINT64 passed_file;

/* It has only the file: its context waits for the value, as it does itself. */
static void other_process(void *argument)
{
    struct hostile client = hostile_open();
    D3DKMT_OPENSYNCOBJECTFROMSYNCFILE open = {.hSyncFile = passed_file, .hDevice = client.device};
    D3DKMT_WAITSYNCFILE wait = {.hSyncFile = passed_file, .hContext = client.context};

    EXPECT(STATUS_SUCCESS, D3DKMTWaitSyncFile(&wait));
    EXPECT(STATUS_SUCCESS, D3DKMTOpenSyncObjectFromSyncFile(&open));
    EXPECT(5, (NTSTATUS)open.FenceValue);
    EXPECT(4, open.FenceValueCPUVirtualAddress
                  ? (NTSTATUS) * (volatile UINT64 *)open.FenceValueCPUVirtualAddress
                  : -1);
    EXPECT(STATUS_SUCCESS,
           drydock_close_handle(&(struct drydock_handle){(HANDLE)(uintptr_t)passed_file}));
    EXPECT(STATUS_INVALID_HANDLE, D3DKMTWaitSyncFile(&wait));
    EXPECT(STATUS_INVALID_HANDLE, D3DKMTOpenSyncObjectFromSyncFile(&open));
    host->event_signal(host, argument);
    uint64_t begin_ns = host->now_ns(host);
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){client.device}));
    EXPECT(1, host->now_ns(host) - begin_ns >= 1000000);
    EXPECT(5, (NTSTATUS) * (volatile UINT64 *)open.FenceValueCPUVirtualAddress);
    hostile_close(&client);
}

static void run_files(const struct drydock_workload_host *the_host)
{
    hostile_host = the_host;
    struct hostile client = hostile_open();
    struct drydock_event *waits = host->event_create(host);
    D3DKMT_HANDLE fence = make_fence(&client, true, D3DDDI_MONITORED_FENCE).hSyncObject;
    D3DKMT_CREATESYNCFILE create = {
        .hDevice = client.device, .hMonitoredFence = fence, .FenceValue = 5};

    make_wrongly(&client);
    EXPECT(STATUS_SUCCESS, D3DKMTCreateSyncFile(&create));
    passed_file = create.hSyncFile;
    EXPECT(STATUS_SUCCESS, hostile_signal(&client, fence, 4));
    struct drydock_process *other = host->start_process(host, "other", other_process, waits);
    host->event_wait(host, waits, DRYDOCK_NEVER);
    host->sleep_until(host, host->now_ns(host) + 2000000);
    EXPECT(STATUS_SUCCESS, hostile_signal(&client, fence, 5));
    host->join(host, other);
    host->event_destroy(host, waits);
    hostile_close(&client);
}

const struct drydock_workload vertical_events = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                 .name = "events",
                                                 .description = "events of vertical syncs",
                                                 .run = run_events};
const struct drydock_workload sync_files = {.abi = DRYDOCK_WORKLOAD_ABI,
                                            .name = "files",
                                            .description = "sync files of two processes",
                                            .run = run_files};
