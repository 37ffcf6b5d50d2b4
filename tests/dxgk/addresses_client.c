/* Clients of GPU virtual addresses that do wrong, or much at once; see addresses_client.h. */
#include "addresses_client.h"

#include <limits.h>
#include <string.h>

#include <ntddk.h>

#include "addressed.h"
#include "dxgk/dxgk.h"
#include "support.h"

#define POINTS_MAX  20000 /* of one call: more, and it never ends */
#define PAGE_BYTES  UINT64_C(4096)
#define BLOCK_BYTES (16 * PAGE_BYTES)
#define NODE        SOFTGPU_ENGINE_COMPUTE

enum addresses_victim addresses_victim;
static const struct drydock_workload_host *host;

static void expect(NTSTATUS wanted, NTSTATUS status, int line)
{
    host->count(host, "addresses.calls", 1);
    if (status != wanted) {
        host->fail(host, "addresses_client.c:%d: 0x%08X, not 0x%08X", line, (unsigned)status,
                   (unsigned)wanted);
    }
}
#define EXPECT(wanted, call) expect(wanted, call, __LINE__)

static bool open_client(struct addressed *client)
{
    bool there;
    bool open = addressed_open(client, host, NODE, &there);

    if (!there) {
        host->fail(host, "the driver has no GPU virtual addresses");
    }
    return open;
}

/* ---- Destroyed while in use ------------------------------------------------------------------ */

/* What the two threads share. Made anew for every point. */
static struct {
    struct addressed client;
    struct memory_block commands, block;
    uint64_t range; /* reserved */
    struct points points;
    NTSTATUS destroyed;
} stage;

static bool set_stage(void)
{
    struct command_writer writer;

    memset(&stage, 0, sizeof stage);
    bool good =
        open_client(&stage.client) &&
        addressed_block(&stage.client, PAGE_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &stage.commands) &&
        addressed_block(&stage.client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &stage.block);
    good = good && addressed_reserve(&stage.client, BLOCK_BYTES, &stage.range);
    if (good) {
        writer_begin(&writer, &stage.client, &stage.commands);
        writer_fill(&writer, stage.commands.address + PAGE_BYTES / 2, 64, 0x01020304);
        good = writer_end(&writer) && addressed_wait(&stage.client);
    }
    return good;
}

static void strike_stage(void)
{
    D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){stage.client.gpu.device});
    D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){stage.client.gpu.adapter});
}

static NTSTATUS destroy_victim(void)
{
    switch (addresses_victim) {
    case ADDRESSES_DEVICE:
        return D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){stage.client.gpu.device});
    case ADDRESSES_CONTEXT:
        return D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){stage.client.context});
    case ADDRESSES_ALLOCATION:
        return D3DKMTDestroyAllocation2(
            &(D3DKMT_DESTROYALLOCATION2){.hDevice = stage.client.gpu.device,
                                         .phAllocationList = &stage.block.allocation,
                                         .AllocationCount = 1});
    case ADDRESSES_QUEUE:
        return D3DKMTDestroyPagingQueue(&(D3DDDI_DESTROYPAGINGQUEUE){stage.client.queue});
    default:
        return D3DKMTDestroySynchronizationObject(
            &(D3DKMT_DESTROYSYNCHRONIZATIONOBJECT){stage.client.fence});
    }
}

static void destroyer(void *argument)
{
    points_wait(&stage.points);
    stage.destroyed = destroy_victim();
    stage.points.over = true;
}

/* ---- The calls ------------------------------------------------------------------------------- */

static NTSTATUS call_create_context(void)
{
    D3DKMT_CREATECONTEXTVIRTUAL create = {
        .hDevice = stage.client.gpu.device, .NodeOrdinal = NODE, .EngineAffinity = 1};

    return D3DKMTCreateContextVirtual(&create);
}

static NTSTATUS call_create_queue(void)
{
    D3DKMT_CREATEPAGINGQUEUE create = {.hDevice = stage.client.gpu.device, .Priority = 1};

    return D3DKMTCreatePagingQueue(&create);
}

static NTSTATUS call_destroy_queue(void)
{
    return D3DKMTDestroyPagingQueue(&(D3DDDI_DESTROYPAGINGQUEUE){stage.client.queue});
}

static NTSTATUS call_create_fence(void)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = stage.client.gpu.device,
                                                  .Info.Type = D3DDDI_MONITORED_FENCE};

    return D3DKMTCreateSynchronizationObject2(&create);
}

static NTSTATUS call_map(void)
{
    D3DDDI_MAPGPUVIRTUALADDRESS map = {
        .hPagingQueue = stage.client.queue,
        .BaseAddress = stage.range + PAGE_BYTES,
        .hAllocation = stage.block.allocation,
        .OffsetInPages = 2,
        .SizeInPages = 5,
        .Protection = {.Write = 1},
    };

    return D3DKMTMapGpuVirtualAddress(&map);
}

static NTSTATUS call_update(void)
{
    D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION operations[2] = {
        {.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP,
         .Map = {stage.range, 2 * PAGE_BYTES, stage.block.allocation, PAGE_BYTES, 0}},
        {.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY,
         .Copy = {stage.range, PAGE_BYTES, stage.range + 4 * PAGE_BYTES}},
    };

    return D3DKMTUpdateGpuVirtualAddress(
        &(D3DKMT_UPDATEGPUVIRTUALADDRESS){.hDevice = stage.client.gpu.device,
                                          .hContext = stage.client.context,
                                          .hFenceObject = stage.client.fence,
                                          .NumOperations = 2,
                                          .Operations = operations,
                                          .FenceValue = 1});
}

static NTSTATUS call_reserve(void)
{
    D3DDDI_RESERVEGPUVIRTUALADDRESS reserve = {.hPagingQueue = stage.client.queue,
                                               .Size = UINT64_C(1) << 20};

    return D3DKMTReserveGpuVirtualAddress(&reserve);
}

static void APIENTRY hear(D3DKMT_TRIMNOTIFICATION *notice)
{
}

static NTSTATUS call_trims(void)
{
    D3DKMT_REGISTERTRIMNOTIFICATION trims = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high},
        .hDevice = stage.client.gpu.device,
        .Callback = hear,
    };
    NTSTATUS status = D3DKMTRegisterTrimNotification(&trims);

    return NT_SUCCESS(status) ? D3DKMTUnregisterTrimNotification(
                                    &(D3DKMT_UNREGISTERTRIMNOTIFICATION){trims.Handle, hear})
                              : status;
}

static NTSTATUS call_reside(void)
{
    D3DDDI_MAKERESIDENT make = {.hPagingQueue = stage.client.queue,
                                .NumAllocations = 1,
                                .AllocationList = &stage.block.allocation};

    return D3DKMTMakeResident(&make);
}

/* To system memory, or to video memory: it moves, and its device waits for it. */
static NTSTATUS call_move(void)
{
    D3DDDI_UPDATEALLOCPROPERTY update = {.hPagingQueue = stage.client.queue,
                                         .hAllocation = stage.block.allocation,
                                         .SupportedSegmentSet = 1,
                                         .SetSupportedSegmentSet = 1};
    NTSTATUS status = D3DKMTUpdateAllocationProperty(&update);

    update.SupportedSegmentSet = 2;
    return NT_SUCCESS(status) ? D3DKMTUpdateAllocationProperty(&update) : status;
}

static NTSTATUS call_evict(void)
{
    D3DKMT_EVICT evict = {.hDevice = stage.client.gpu.device,
                          .NumAllocations = 1,
                          .AllocationList = &stage.block.allocation};

    return D3DKMTEvict(&evict);
}

static NTSTATUS call_lock(void)
{
    D3DKMT_LOCK2 lock = {.hDevice = stage.client.gpu.device, .hAllocation = stage.block.allocation};

    return D3DKMTLock2(&lock);
}

static NTSTATUS call_destroy_allocation(void)
{
    return D3DKMTDestroyAllocation2(
        &(D3DKMT_DESTROYALLOCATION2){.hDevice = stage.client.gpu.device,
                                     .phAllocationList = &stage.block.allocation,
                                     .AllocationCount = 1,
                                     .Flags.SynchronousDestroy = 1});
}

static NTSTATUS call_submit(void)
{
    const D3DKMT_SUBMITCOMMAND submit = {
        .Commands = stage.commands.address,
        .CommandLength = sizeof(struct softgpu_command_fill),
        .BroadcastContextCount = 1,
        .BroadcastContext = {stage.client.context},
    };

    return D3DKMTSubmitCommand(&submit);
}

static NTSTATUS call_signal(void)
{
    const UINT64 value = 9;
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 signal = {
        .ObjectCount = 1,
        .ObjectHandleArray = &stage.client.fence,
        .BroadcastContextCount = 1,
        .BroadcastContextArray = &stage.client.context,
        .MonitoredFenceValueArray = &value,
    };

    return D3DKMTSignalSynchronizationObjectFromGpu2(&signal);
}

static NTSTATUS call_wait_gpu(void)
{
    const UINT64 value = 1; /* it has been signalled */
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU wait = {.hContext = stage.client.context,
                                                             .ObjectCount = 1,
                                                             .ObjectHandleArray =
                                                                 &stage.client.fence,
                                                             .MonitoredFenceValueArray = &value};

    return D3DKMTWaitForSynchronizationObjectFromGpu(&wait);
}

/* For what nobody signals: the end of the object lets it go. */
static NTSTATUS call_wait_cpu(void)
{
    const UINT64 value = 1000;

    return D3DKMTWaitForSynchronizationObjectFromCpu(
        &(D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU){.hDevice = stage.client.gpu.device,
                                                      .ObjectCount = 1,
                                                      .ObjectHandleArray = &stage.client.fence,
                                                      .FenceValueArray = &value});
}

static NTSTATUS call_wait_queue(void)
{
    const UINT64 value = 1000;

    return D3DKMTWaitForSynchronizationObjectFromCpu(&(D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU){
        .hDevice = stage.client.gpu.device,
        .ObjectCount = 1,
        .ObjectHandleArray = &stage.client.queue_fence,
        .FenceValueArray = &value});
}

#define USES(victim) (1u << ADDRESSES_##victim)

static const struct call {
    const char *name;
    NTSTATUS (*make)(void);
    unsigned uses;
    bool destroys; /* so that the other may come too late */
    bool blocks;   /* until the victim is gone */
} calls[] = {
    {"CreateContextVirtual", call_create_context, USES(DEVICE)},
    {"CreatePagingQueue", call_create_queue, USES(DEVICE)},
    {"DestroyPagingQueue", call_destroy_queue, USES(DEVICE) | USES(QUEUE), .destroys = true},
    {"CreateSynchronizationObject2", call_create_fence, USES(DEVICE)},
    {"MapGpuVirtualAddress", call_map, USES(DEVICE) | USES(ALLOCATION) | USES(QUEUE)},
    {"UpdateGpuVirtualAddress", call_update,
     USES(DEVICE) | USES(CONTEXT) | USES(ALLOCATION) | USES(FENCE)},
    {"ReserveGpuVirtualAddress", call_reserve, USES(DEVICE) | USES(QUEUE)},
    {"MakeResident", call_reside, USES(DEVICE) | USES(ALLOCATION) | USES(QUEUE)},
    {"RegisterTrimNotification", call_trims, USES(DEVICE)},
    {"UpdateAllocationProperty", call_move, USES(DEVICE) | USES(ALLOCATION) | USES(QUEUE)},
    {"Evict", call_evict, USES(DEVICE) | USES(ALLOCATION)},
    {"Lock2", call_lock, USES(DEVICE) | USES(ALLOCATION)},
    {"DestroyAllocation2", call_destroy_allocation, USES(DEVICE) | USES(ALLOCATION),
     .destroys = true},
    {"SubmitCommand", call_submit, USES(DEVICE) | USES(CONTEXT) | USES(ALLOCATION)},
    {"Signal from the GPU", call_signal, USES(DEVICE) | USES(CONTEXT) | USES(FENCE)},
    {"Wait on the GPU", call_wait_gpu, USES(DEVICE) | USES(CONTEXT) | USES(FENCE)},
    {"Wait on the CPU", call_wait_cpu, USES(DEVICE) | USES(FENCE), .blocks = true},
    {"Wait for a paging queue", call_wait_queue, USES(DEVICE) | USES(QUEUE), .blocks = true},
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

    host->count(host, NT_SUCCESS(status) ? "addresses.done" : "addresses.refused", 1);
    if (!NT_SUCCESS(status) && !is_gone(status)) {
        host->fail(host, "%s gave 0x%08X at point %u", call->name, (unsigned)status, point);
    }
    if (!destroyed) {
        host->fail(host, "the end of the victim gave 0x%08X at point %u of %s",
                   (unsigned)stage.destroyed, point, call->name);
    }
    if (destroy_victim() != STATUS_INVALID_PARAMETER) {
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

    if (!set_stage()) {
        strike_stage();
        return false;
    }
    stage.points = (struct points){.wanted = point, .at_block = call->blocks};
    struct drydock_process *other = host->start_thread(host, "destroyer", destroyer, NULL);
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

static void run_lives(const struct drydock_workload_host *given)
{
    host = given;
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        unsigned point = 0;
        if (!(calls[i].uses & 1u << addresses_victim)) {
            continue;
        }
        while (!host->failed(host) && point < POINTS_MAX && at_point(&calls[i], point)) {
            point++;
        }
        host->count(host, "addresses.rows", 1);
        host->count(host, "addresses.points", point);
        if (point == 0 || point == POINTS_MAX) {
            host->fail(host, "%s has %u points", calls[i].name, point);
        }
    }
}

const struct drydock_workload addresses_lives = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                 .name = "addresses and lives",
                                                 .description = "destroyed while in use",
                                                 .run = run_lives};

/* ---- Arguments that make no sense ------------------------------------------------------------ */

static void try_maps(struct addressed *client, const struct memory_block *block)
{
    const D3DDDI_MAPGPUVIRTUALADDRESS good = {.hPagingQueue = client->queue,
                                              .hAllocation = block->allocation,
                                              .SizeInPages = 1,
                                              .Protection = {.Write = 1}};
    D3DDDI_MAPGPUVIRTUALADDRESS bad[] = {good, good, good, good, good, good,
                                         good, good, good, good, good, good};

    bad[0].hPagingQueue = client->gpu.device;
    bad[1].hAllocation = client->context;
    bad[2].SizeInPages = 0;
    bad[3].SizeInPages = BLOCK_BYTES / PAGE_BYTES + 1;
    bad[4].OffsetInPages = UINT64_MAX;
    bad[5].SizeInPages = UINT64_MAX;
    bad[6].BaseAddress = 1;
    bad[7].Protection.Zero = 1;
    bad[8].Protection.Value = UINT64_MAX;
    bad[9].hAllocation = 0;
    bad[10].MinimumAddress = UINT64_C(1) << 40;
    bad[10].MaximumAddress = UINT64_C(1) << 39;
    bad[11].Reserved1 = 1;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        EXPECT(STATUS_INVALID_PARAMETER, D3DKMTMapGpuVirtualAddress(&bad[i]));
    }
    bad[0] = good;
    bad[0].BaseAddress = UINT64_MAX & ~(PAGE_BYTES - 1);
    if (NT_SUCCESS(D3DKMTMapGpuVirtualAddress(&bad[0]))) {
        host->fail(host, "a mapping at the end of all addresses");
    }
    bad[0].BaseAddress = block->address; /* something is there */
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTMapGpuVirtualAddress(&bad[0]));
}

static void try_ranges(struct addressed *client)
{
    D3DDDI_RESERVEGPUVIRTUALADDRESS reserve = {.hPagingQueue = client->queue, .Size = 1};
    D3DKMT_FREEGPUVIRTUALADDRESS free_range = {.hAdapter = client->gpu.adapter};
    uint64_t range;

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTReserveGpuVirtualAddress(&reserve));
    reserve.Size = 0;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTReserveGpuVirtualAddress(&reserve));
    reserve.Size = UINT64_MAX & ~UINT64_C(0xFFFF);
    EXPECT(STATUS_NO_MEMORY, D3DKMTReserveGpuVirtualAddress(&reserve));
    reserve.Size = 1 << 16;
    reserve.ReservationType = (D3DDDIGPUVIRTUALADDRESS_RESERVATION_TYPE)77;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTReserveGpuVirtualAddress(&reserve));
    reserve = (D3DDDI_RESERVEGPUVIRTUALADDRESS){.hAdapter = client->context, .Size = 1 << 16};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTReserveGpuVirtualAddress(&reserve));
    reserve.hAdapter = client->gpu.adapter; /* as older clients do */
    EXPECT(STATUS_SUCCESS, D3DKMTReserveGpuVirtualAddress(&reserve));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTFreeGpuVirtualAddress(&free_range));
    free_range.BaseAddress = UINT64_MAX;
    free_range.Size = UINT64_MAX;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTFreeGpuVirtualAddress(&free_range));
    if (addressed_reserve(client, 2 << 16, &range)) {
        free_range.BaseAddress = range;
        free_range.Size = 1 << 16; /* half of it */
        EXPECT(STATUS_INVALID_PARAMETER, D3DKMTFreeGpuVirtualAddress(&free_range));
        free_range.Size = 2 << 16;
        EXPECT(STATUS_SUCCESS, D3DKMTFreeGpuVirtualAddress(&free_range));
        EXPECT(STATUS_INVALID_PARAMETER, D3DKMTFreeGpuVirtualAddress(&free_range));
    }
}

static void try_residency(struct addressed *client, const struct memory_block *block)
{
    const D3DKMT_HANDLE both[2] = {block->allocation, block->allocation};
    const UINT priorities[2] = {0, 0};
    D3DDDI_MAKERESIDENT make = {
        .hPagingQueue = client->queue, .NumAllocations = 2, .AllocationList = both};
    D3DKMT_EVICT evict = {
        .hDevice = client->gpu.device, .NumAllocations = 2, .AllocationList = both};

    /* Once by addressed_block(): twice is too often, and nothing changes. */
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTEvict(&evict));
    EXPECT(STATUS_SUCCESS, D3DKMTMakeResident(&make)); /* in place already: three times now */
    EXPECT(STATUS_SUCCESS, D3DKMTEvict(&evict));
    make.PriorityList = priorities;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTMakeResident(&make));
    make.PriorityList = NULL;
    make.Flags.Reserved = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTMakeResident(&make));
    make.Flags.Value = 0;
    make.NumAllocations = UINT_MAX;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTMakeResident(&make));
    make.NumAllocations = 2;
    make.AllocationList = (const D3DKMT_HANDLE *)(uintptr_t)0x10;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTMakeResident(&make));
}

static void try_submissions(struct addressed *client, const struct memory_block *block)
{
    static uint8_t data[4096];
    const D3DKMT_SUBMITCOMMAND good = {.Commands = block->address,
                                       .CommandLength = 32,
                                       .BroadcastContextCount = 1,
                                       .BroadcastContext = {client->context}};
    D3DKMT_SUBMITCOMMAND bad[] = {good, good, good, good, good};

    bad[0].BroadcastContextCount = 0;
    bad[1].BroadcastContextCount = UINT_MAX;
    bad[2].BroadcastContext[0] = client->gpu.device;
    bad[3].CommandLength = 0;
    bad[4].pPrivateDriverData = data; /* more than the driver has room for */
    bad[4].PrivateDriverDataSize = sizeof data;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSubmitCommand(&bad[i]));
    }
}

static void try_updates(struct addressed *client, const struct memory_block *block)
{
    D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION operation = {
        .OperationType = (D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION_TYPE)9};
    const D3DKMT_UPDATEGPUVIRTUALADDRESS good = {.hDevice = client->gpu.device,
                                                 .hContext = client->context,
                                                 .hFenceObject = client->fence,
                                                 .NumOperations = 1,
                                                 .Operations = &operation};
    D3DKMT_UPDATEGPUVIRTUALADDRESS bad[] = {good, good, good, good, good};

    bad[1].hContext = client->queue;
    bad[2].hFenceObject = client->context;
    bad[3].NumOperations = UINT_MAX;
    bad[4].Flags.Reserved = 1;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        EXPECT(STATUS_INVALID_PARAMETER, D3DKMTUpdateGpuVirtualAddress(&bad[i]));
    }
    operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP;
    operation.Map.hAllocation = client->context;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTUpdateGpuVirtualAddress(&good));
    operation.Map.hAllocation = block->allocation;
    bad[0].hFenceObject = client->queue_fence;
    EXPECT(STATUS_ACCESS_DENIED, D3DKMTUpdateGpuVirtualAddress(&bad[0]));
}

/* The queue's fence is the kernel's. */
static void try_queue_fence(struct addressed *client)
{
    const UINT64 value = 1;

    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTDestroySynchronizationObject(
               &(D3DKMT_DESTROYSYNCHRONIZATIONOBJECT){client->queue_fence}));
    EXPECT(STATUS_ACCESS_DENIED,
           D3DKMTSignalSynchronizationObjectFromCpu(&(D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU){
               .hDevice = client->gpu.device,
               .ObjectCount = 1,
               .ObjectHandleArray = &client->queue_fence,
               .FenceValueArray = &value}));
}

/* What patch lists and copies name has a physical address. */
static void try_as_patched(struct addressed *client, const struct memory_block *block)
{
    D3DKMT_CREATECONTEXT context = {.hDevice = client->gpu.device, .EngineAffinity = 1};

    EXPECT(STATUS_SUCCESS, D3DKMTCreateContext(&context));
    context.pAllocationList[0] = (D3DDDI_ALLOCATIONLIST){.hAllocation = block->allocation};
    D3DKMT_RENDER render = {.hContext = context.hContext, .AllocationCount = 1};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTRender(&render));
    render.hContext = client->context;
    render.AllocationCount = 0;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTRender(&render));
    D3DKMT_PRESENT present = {.hContext = client->context,
                              .hSource = block->allocation,
                              .hDestination = block->allocation,
                              .Flags.Blt = 1};
    if (NT_SUCCESS(D3DKMTPresent(&present))) {
        host->fail(host, "a present in a context of virtual addresses");
    }
}

static void run_hostile(const struct drydock_workload_host *given)
{
    struct addressed client;
    struct memory_block block;

    host = given;
    if (!open_client(&client)) {
        return;
    }
    if (addressed_block(&client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &block)) {
        try_maps(&client, &block);
        try_ranges(&client);
        try_residency(&client, &block);
        try_submissions(&client, &block);
        try_updates(&client, &block);
        try_queue_fence(&client);
        try_as_patched(&client, &block);
    }
    addressed_close(&client);
}

const struct drydock_workload addresses_hostile = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                   .name = "addresses, hostile",
                                                   .description = "arguments without sense",
                                                   .run = run_hostile};

/* ---- Faults ---------------------------------------------------------------------------------- */

/* Good work, before and after the other's fault. */
static void do_sums(struct addressed *client, const struct memory_block *commands,
                    const struct memory_block *block, unsigned rounds)
{
    for (uint32_t i = 0; i < rounds && !host->failed(host); i++) {
        struct command_writer writer;
        uint32_t pattern = 0x01010101u * (i + 1);
        writer_begin(&writer, client, commands);
        writer_fill(&writer, block->address, BLOCK_BYTES, pattern);
        if (!writer_end(&writer) || !addressed_wait(client)) {
            return;
        }
        const uint32_t *words = addressed_lock(client, block);
        if (words && (words[0] != pattern || words[BLOCK_BYTES / 4 - 1] != pattern)) {
            host->fail(host, "0x%08X where 0x%08X was filled in", words[0], pattern);
        }
        addressed_unlock(client, block);
        host->count(host, "addresses.fills", words != NULL);
    }
}

static bool make_both(struct addressed *client, struct memory_block *commands,
                      struct memory_block *block)
{
    return open_client(client) &&
           addressed_block(client, PAGE_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, commands) &&
           addressed_block(client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, block);
}

/* The engine runs onto an address where nothing is. */
static void culprit(void *argument)
{
    struct memory_block commands, block;
    struct addressed client;
    struct command_writer writer;

    if (!make_both(&client, &commands, &block)) {
        return;
    }
    client.gpu.may_be_lost = true;
    addressed_free(&client, block.address, BLOCK_BYTES);
    writer_begin(&writer, &client, &commands);
    writer_fill(&writer, block.address, 64, 0xDEADBEEF);
    if (writer_end(&writer)) {
        addressed_wait(&client); /* the loss of the device lets it go */
    }
    if (gpu_state(&client.gpu) == D3DKMT_DEVICEEXECUTION_ACTIVE) {
        host->fail(host, "a device that faulted goes on");
    }
    EXPECT(STATUS_DEVICE_REMOVED,
           D3DKMTSubmitCommand(&(D3DKMT_SUBMITCOMMAND){.Commands = commands.address,
                                                       .CommandLength = 32,
                                                       .BroadcastContextCount = 1,
                                                       .BroadcastContext = {client.context}}));
    addressed_close(&client);
}

/* More in a minute than an adapter may hang. */
static void run_faults(const struct drydock_workload_host *given)
{
    struct memory_block commands, block;
    struct addressed client;

    host = given;
    for (unsigned i = 0; i < 8 && !host->failed(host); i++) {
        host->join(host, host->start_process(host, "culprit", culprit, NULL));
    }
    if (make_both(&client, &commands, &block)) {
        do_sums(&client, &commands, &block, 4);
        addressed_close(&client);
    }
}

const struct drydock_workload addresses_faults = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                  .name = "addresses that fault",
                                                  .description = "many fault, another goes on",
                                                  .run = run_faults};

static void run_fault(const struct drydock_workload_host *given)
{
    struct memory_block commands, block;
    struct addressed client;

    host = given;
    struct drydock_process *other = host->start_process(host, "culprit", culprit, NULL);
    host->join(host, other);
    if (make_both(&client, &commands, &block)) {
        do_sums(&client, &commands, &block, 4); /* in tables that were written since */
        other = host->start_process(host, "culprit", culprit, NULL);
        host->join(host, other);
        /* What the adapter's reset took with it, it took from us as well. */
        if (gpu_state(&client.gpu) == D3DKMT_DEVICEEXECUTION_ACTIVE) {
            do_sums(&client, &commands, &block, 4);
        }
        addressed_close(&client);
    }
    if (make_both(&client, &commands, &block)) {
        do_sums(&client, &commands, &block, 4);
        addressed_close(&client);
    }
}

const struct drydock_workload addresses_fault = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                 .name = "addresses that fault",
                                                 .description = "one faults, others go on",
                                                 .run = run_fault};

static void run_bystander(const struct drydock_workload_host *given)
{
    struct memory_block commands, block;
    struct addressed client;

    host = given;
    if (make_both(&client, &commands, &block)) {
        do_sums(&client, &commands, &block, 1);
        host->join(host, host->start_process(host, "culprit", culprit, NULL));
        do_sums(&client, &commands, &block, 1);
        addressed_close(&client);
    }
}

const struct drydock_workload addresses_bystander = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                     .name = "addresses, bystander",
                                                     .description = "another one faults",
                                                     .run = run_bystander};

/* ---- Destroyed behind work ------------------------------------------------------------------- */

/* The fence that the work waits for is signalled when its memory has been destroyed: the handle is
 * dead, the memory is there until the work is done. */
static void run_destroyed(const struct drydock_workload_host *given)
{
    struct memory_block commands, block, copy;
    struct addressed client;
    struct command_writer writer;
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 gate = {.Info.Type = D3DDDI_MONITORED_FENCE};
    const UINT64 value = 1;

    host = given;
    if (!make_both(&client, &commands, &block) ||
        !addressed_block(&client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &copy)) {
        return;
    }
    gate.hDevice = client.gpu.device;
    EXPECT(STATUS_SUCCESS, D3DKMTCreateSynchronizationObject2(&gate));
    EXPECT(STATUS_SUCCESS,
           D3DKMTWaitForSynchronizationObjectFromGpu(
               &(D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU){.hContext = client.context,
                                                             .ObjectCount = 1,
                                                             .ObjectHandleArray = &gate.hSyncObject,
                                                             .MonitoredFenceValueArray = &value}));
    writer_begin(&writer, &client, &commands);
    writer_fill(&writer, block.address, BLOCK_BYTES, 0x11223344);
    writer_copy(&writer, copy.address, block.address, BLOCK_BYTES);
    if (writer_end(&writer)) {
        const D3DKMT_HANDLE gone = block.allocation;
        addressed_destroy(&client, &block);
        EXPECT(STATUS_INVALID_PARAMETER,
               D3DKMTLock2(&(D3DKMT_LOCK2){.hDevice = client.gpu.device, .hAllocation = gone}));
        EXPECT(STATUS_SUCCESS, D3DKMTSignalSynchronizationObjectFromCpu(
                                   &(D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU){
                                       .hDevice = client.gpu.device,
                                       .ObjectCount = 1,
                                       .ObjectHandleArray = &gate.hSyncObject,
                                       .FenceValueArray = &value}));
        if (addressed_wait(&client)) {
            const uint32_t *words = addressed_lock(&client, &copy);
            if (words && words[BLOCK_BYTES / 4 - 1] != 0x11223344) {
                host->fail(host, "memory was destroyed before the work that used it");
            }
            addressed_unlock(&client, &copy);
            host->count(host, "addresses.copies", words != NULL);
        }
    }
    addressed_close(&client);
}

const struct drydock_workload addresses_destroyed = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                     .name = "addresses, destroyed",
                                                     .description = "destroyed behind work",
                                                     .run = run_destroyed};
