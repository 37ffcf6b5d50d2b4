/* Clients that make one kind of object after the other until they are refused, while another
 * process goes on; and threads that end one device at the same time. See greedy_client.h. */
#include "greedy_client.h"

#include <string.h>

#include "../../drivers/softgpu/softgpu_umd.h"
#include "hostile_support.h"

#define MORE_THAN_ENOUGH 80000u
#define MANY_CONTEXTS    5u /* each with waits of its own, more than a process may have */

/* ---- One after the other --------------------------------------------------------------------- */

struct greedy {
    struct hostile client;
    D3DKMT_HANDLE fence; /* that nobody signals */
    D3DKMT_HANDLE queue; /* of paging */
    HANDLE event;
    D3DGPU_VIRTUAL_ADDRESS address; /* the last that was reserved */
};

typedef NTSTATUS (*make_function)(struct greedy *greedy);

static NTSTATUS make_context(struct greedy *greedy)
{
    return D3DKMTCreateContext(
        &(D3DKMT_CREATECONTEXT){.hDevice = greedy->client.device, .EngineAffinity = 1});
}

static NTSTATUS make_device(struct greedy *greedy)
{
    return D3DKMTCreateDevice(&(D3DKMT_CREATEDEVICE){.hAdapter = greedy->client.adapter});
}

static NTSTATUS make_paging_queue(struct greedy *greedy)
{
    D3DKMT_CREATEPAGINGQUEUE create = {.hDevice = greedy->client.device};
    NTSTATUS status = D3DKMTCreatePagingQueue(&create);

    greedy->queue = create.hPagingQueue;
    return status;
}

static NTSTATUS make_fence(struct greedy *greedy)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = greedy->client.device,
                                                  .Info.Type = D3DDDI_MONITORED_FENCE};
    NTSTATUS status = D3DKMTCreateSynchronizationObject2(&create);

    greedy->fence = create.hSyncObject;
    return status;
}

static NTSTATUS make_semaphore(struct greedy *greedy)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = greedy->client.device,
                                                  .Info.Type = D3DDDI_SEMAPHORE,
                                                  .Info.Semaphore.MaxCount = 1};

    return D3DKMTCreateSynchronizationObject2(&create);
}

static NTSTATUS make_allocation(struct greedy *greedy)
{
    struct softgpu_umd_allocation data = {
        .magic = SOFTGPU_UMD_ALLOCATION_MAGIC, .version = SOFTGPU_UMD_VERSION, .size_bytes = 4096};
    D3DDDI_ALLOCATIONINFO2 info = {.pPrivateDriverData = &data,
                                   .PrivateDriverDataSize = sizeof data};

    return D3DKMTCreateAllocation2(&(D3DKMT_CREATEALLOCATION){
        .hDevice = greedy->client.device, .NumAllocations = 1, .pAllocationInfo2 = &info});
}

static NTSTATUS make_keyed_mutex(struct greedy *greedy)
{
    return D3DKMTCreateKeyedMutex2(&(D3DKMT_CREATEKEYEDMUTEX2){0});
}

static NTSTATUS open_adapter(struct greedy *greedy)
{
    return D3DKMTOpenAdapterFromLuid(&(D3DKMT_OPENADAPTERFROMLUID){
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}});
}

static NTSTATUS queue_wait(struct greedy *greedy)
{
    const UINT64 values[2] = {1, 1};
    const D3DKMT_HANDLE fences[2] = {greedy->fence, greedy->fence};

    return D3DKMTWaitForSynchronizationObjectFromGpu(
        &(D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU){.hContext = greedy->client.context,
                                                      .ObjectCount = 2,
                                                      .ObjectHandleArray = fences,
                                                      .MonitoredFenceValueArray = values});
}

static NTSTATUS queue_signal(struct greedy *greedy)
{
    const UINT64 value = 2;

    return D3DKMTSignalSynchronizationObjectFromGpu(
        &(D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU){.hContext = greedy->client.context,
                                                     .ObjectCount = 1,
                                                     .ObjectHandleArray = &greedy->fence,
                                                     .MonitoredFenceValueArray = &value});
}

static NTSTATUS wait_by_event(struct greedy *greedy)
{
    const UINT64 value = 1;

    return D3DKMTWaitForSynchronizationObjectFromCpu(
        &(D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU){.hDevice = greedy->client.device,
                                                      .ObjectCount = 1,
                                                      .ObjectHandleArray = &greedy->fence,
                                                      .FenceValueArray = &value,
                                                      .hAsyncEvent = greedy->event});
}

static NTSTATUS reserve_address(struct greedy *greedy)
{
    D3DDDI_RESERVEGPUVIRTUALADDRESS reserve = {.hPagingQueue = greedy->queue, .Size = 65536};
    NTSTATUS status = D3DKMTReserveGpuVirtualAddress(&reserve);

    if (status == STATUS_SUCCESS) {
        greedy->address = reserve.VirtualAddress;
    }
    return status;
}

static NTSTATUS free_address(const struct greedy *greedy)
{
    return D3DKMTFreeGpuVirtualAddress(&(D3DKMT_FREEGPUVIRTUALADDRESS){
        .hAdapter = greedy->client.adapter, .BaseAddress = greedy->address, .Size = 65536});
}

/* The documented status of each of these calls, for want of memory. */
static void make_until_refused(struct greedy *greedy, make_function make, const char *what)
{
    NTSTATUS status = STATUS_SUCCESS;
    unsigned count = 0;

    while (count < MORE_THAN_ENOUGH && (status = make(greedy)) == STATUS_SUCCESS) {
        count++;
    }
    if (status != STATUS_NO_MEMORY || make(greedy) != STATUS_NO_MEMORY) {
        host->fail(host, "%s number %u gave 0x%08X", what, count + 1, (unsigned)status);
    }
    host->count(host, "test.made", count);
    host->count(host, "test.refused", 1);
}

/* ---- Beside one that works ------------------------------------------------------------------- */

static void work_a_little(const struct hostile *client)
{
    D3DKMT_PRESENT present = hostile_blt(client);
    const D3DKMT_WAITFORIDLE idle = {client->device};

    EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&idle));
    struct drydock_standard_allocation surface = hostile_surface(client->device);
    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&surface));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation(&(D3DKMT_DESTROYALLOCATION){
                               .hDevice = client->device, .hResource = surface.hResource}));
}

static bool is_over;

/* It leaves all of it to the end of its process. */
static void make_workers(void *argument)
{
    struct greedy greedy = {.client = hostile_open()};

    make_until_refused(&greedy, make_context, "context");
    make_until_refused(&greedy, make_device, "device");
    if (make_paging_queue(&greedy) != STATUS_NOT_SUPPORTED) { /* where nothing has addresses */
        make_until_refused(&greedy, make_paging_queue, "paging queue");
    }
    is_over = true;
}

static void make_objects(void *argument)
{
    struct greedy greedy = {.client = hostile_open()};

    make_until_refused(&greedy, make_allocation, "allocation");
    make_until_refused(&greedy, make_fence, "fence");
    make_until_refused(&greedy, make_semaphore, "semaphore");
    make_until_refused(&greedy, make_keyed_mutex, "keyed mutex");
    make_until_refused(&greedy, open_adapter, "adapter");
    is_over = true;
}

static void signal_fence(const struct greedy *greedy)
{
    const UINT64 value = 1;

    EXPECT(STATUS_SUCCESS,
           D3DKMTSignalSynchronizationObjectFromCpu(
               &(D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU){.hDevice = greedy->client.device,
                                                            .ObjectCount = 1,
                                                            .ObjectHandleArray = &greedy->fence,
                                                            .FenceValueArray = &value}));
}

static void make_waits(void *argument)
{
    struct greedy greedy = {.client = hostile_open()};

    EXPECT(STATUS_SUCCESS, make_fence(&greedy));
    make_until_refused(&greedy, queue_wait, "wait");
    make_until_refused(&greedy, queue_signal, "signal");
    signal_fence(&greedy);
    work_a_little(&greedy.client); /* behind all of them */
    EXPECT(STATUS_SUCCESS, queue_signal(&greedy));
    is_over = true;
}

/* What a context may have a process may not have in each of many. */
static void make_waits_in_many(void *argument)
{
    struct greedy greedy = {.client = hostile_open()};
    D3DKMT_HANDLE first = greedy.client.context;

    EXPECT(STATUS_SUCCESS, make_fence(&greedy));
    for (unsigned i = 0; i < MANY_CONTEXTS; i++) {
        D3DKMT_CREATECONTEXT create = {.hDevice = greedy.client.device, .EngineAffinity = 1};
        EXPECT(STATUS_SUCCESS, D3DKMTCreateContext(&create));
        greedy.client.context = create.hContext;
        make_until_refused(&greedy, queue_wait, "wait");
    }
    signal_fence(&greedy);
    greedy.client.context = first;
    work_a_little(&greedy.client);
    EXPECT(STATUS_SUCCESS, queue_wait(&greedy));
    is_over = true;
}

/* They come back when they are met, and when the process ends. */
static void make_event_waits(void *argument)
{
    struct greedy greedy = {.client = hostile_open()};
    struct drydock_client_event event = {.automatic = TRUE};

    EXPECT(STATUS_SUCCESS, make_fence(&greedy));
    EXPECT(STATUS_SUCCESS, drydock_create_event(&event));
    greedy.event = event.hEvent;
    make_until_refused(&greedy, wait_by_event, "wait with an event");
    signal_fence(&greedy);
    EXPECT(STATUS_SUCCESS, make_fence(&greedy));
    make_until_refused(&greedy, wait_by_event, "wait with an event");
    is_over = true;
}

static void make_reservations(void *argument)
{
    struct greedy greedy = {.client = hostile_open()};

    EXPECT(STATUS_SUCCESS, make_paging_queue(&greedy));
    make_until_refused(&greedy, reserve_address, "reservation");
    for (unsigned i = 0; i < 3; i++) { /* what is given back can be had, and no more */
        EXPECT(STATUS_SUCCESS, free_address(&greedy));
        EXPECT(STATUS_SUCCESS, reserve_address(&greedy));
        EXPECT(STATUS_NO_MEMORY, reserve_address(&greedy));
    }
    work_a_little(&greedy.client);
    is_over = true;
}

static void run_beside(const struct drydock_workload_host *given, void (*function)(void *))
{
    host = given;
    struct hostile client = hostile_open();

    for (unsigned i = 0; i < 2; i++) { /* what it had is there for the next one */
        is_over = false;
        struct drydock_process *greedy = host->start_process(host, "greedy", function, NULL);
        while (!is_over) {
            work_a_little(&client);
            host->sleep_until(host, host->now_ns(host) + 1000000);
        }
        host->join(host, greedy);
        work_a_little(&client);
    }
    hostile_close(&client);
}

/* A client beside one that makes things of a kind until it is refused. */
#define GREEDY(workload, what, make)                                              \
    static void run_##workload(const struct drydock_workload_host *given)         \
    {                                                                             \
        run_beside(given, make);                                                  \
    }                                                                             \
    const struct drydock_workload workload = {.abi = DRYDOCK_WORKLOAD_ABI,        \
                                              .name = "greedy for " what,         \
                                              .description = what " without end", \
                                              .run = run_##workload}

GREEDY(greedy_workers, "contexts", make_workers);
GREEDY(greedy_objects, "objects", make_objects);
GREEDY(greedy_waits, "waits", make_waits);
GREEDY(greedy_contexts, "waits in many contexts", make_waits_in_many);
GREEDY(greedy_events, "waits with events", make_event_waits);
GREEDY(greedy_addresses, "reservations", make_reservations);

/* ---- Two that end one device ----------------------------------------------------------------- */

#define CLOSERS 3

static struct {
    D3DKMT_HANDLE device, context;
    unsigned closed, refused;
} shared;

static void close_once(bool device)
{
    NTSTATUS status = device ? D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){shared.device})
                             : D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){shared.context});

    if (status == STATUS_SUCCESS) {
        shared.closed += device;
    } else if (status == STATUS_INVALID_HANDLE || status == STATUS_INVALID_PARAMETER) {
        shared.refused++;
    } else {
        host->fail(host, "the end of what another thread ends gave 0x%08X", (unsigned)status);
    }
}

static void close_context_first(void *argument)
{
    (void)argument;
    close_once(false);
    close_once(true);
}

static void close_device(void *argument)
{
    (void)argument;
    close_once(true);
}

/* With work under way, so that each of them waits in the midst of it. */
static void run_closers(const struct drydock_workload_host *given)
{
    host = given;
    for (unsigned round = 0; round < 20; round++) {
        struct drydock_process *threads[CLOSERS];
        struct hostile client = hostile_open();
        D3DKMT_PRESENT present = hostile_blt(&client);

        shared.device = client.device;
        shared.context = client.context;
        shared.closed = 0;
        EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
        for (unsigned i = 0; i < CLOSERS; i++) {
            threads[i] = host->start_thread(host, "closer",
                                            i == 1 ? close_context_first : close_device, NULL);
        }
        for (unsigned i = 0; i < CLOSERS; i++) {
            host->join(host, threads[i]);
        }
        if (shared.closed != 1) {
            host->fail(host, "a device was ended %u times", shared.closed);
        }
        EXPECT(STATUS_SUCCESS, D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){client.adapter}));
    }
    host->count(host, "test.refused", shared.refused);
}

const struct drydock_workload closers = {.abi = DRYDOCK_WORKLOAD_ABI,
                                         .name = "closers",
                                         .description = "one device, ended by all",
                                         .run = run_closers};
