/* A client that goes by bytes; see the header. Handles are drawn from what earlier calls made, what
 * was destroyed among it, by two processes, so that one names what is the other's. A second thread
 * of the first destroys what is drawn, and what comes behind it in the table: objects that a call
 * is just making. */
#include "calls_client.h"

#include <string.h>

#include <ntddk.h>

#include "addressed.h"

enum { KEPT = 12, ARRAY = 4, PRIVATE_BYTES = 64, BLOCKS = 3, BLOCK_BYTES = 64 << 10 };

enum kind { DEVICE, CONTEXT, HW_CONTEXT, HW_QUEUE, SYNC, ALLOCATION, PAGING_QUEUE, KINDS };

static struct {
    const uint8_t *bytes;
    size_t size, at;
} choices;

/* Of the run; both processes use it, one at a time. */
static struct {
    const struct drydock_workload_host *host;
    D3DKMT_HANDLE made[KINDS][KEPT];
    unsigned count[KINDS];
    HANDLE event, shared[KEPT];
    unsigned shared_count;
    struct memory_block blocks[BLOCKS];
    uint64_t values[KEPT]; /* of fences, told so far */
} stage;

/* What pointers of the next call lead to. */
static D3DKMT_HANDLE handles[ARRAY], more_handles[ARRAY];
static UINT64 numbers[ARRAY];
static UINT priorities[ARRAY];
static BOOL answers[ARRAY];
static uint8_t private_data[PRIVATE_BYTES];

void (*calls_answered)(unsigned call, int32_t status);

void calls_choices(const uint8_t *bytes, size_t size)
{
    choices.bytes = bytes;
    choices.size = size;
    choices.at = 0;
}

/* ---- Choices --------------------------------------------------------------------------------- */

static bool choices_are_left(void)
{
    return choices.at < choices.size;
}

static unsigned byte(void)
{
    return choices_are_left() ? choices.bytes[choices.at++] : 0;
}

static unsigned below(unsigned bound)
{
    return byte() % bound;
}

static bool seldom(void)
{
    return byte() >= 0xF0;
}

static uint64_t any_number(void)
{
    static const uint64_t odd[] = {0,
                                   1,
                                   7,
                                   0xFFF,
                                   0x1000,
                                   0x7FFFFFFF,
                                   0x80000000,
                                   UINT32_MAX,
                                   UINT64_C(1) << 32,
                                   INT64_MAX,
                                   UINT64_C(1) << 63,
                                   UINT64_MAX - 0xFFF,
                                   UINT64_MAX};

    return odd[below(sizeof odd / sizeof odd[0])] + below(4);
}

static D3DKMT_HANDLE handle(enum kind kind)
{
    if (seldom()) {
        kind = (enum kind)below(KINDS);
    }
    if (seldom()) {
        return (D3DKMT_HANDLE)any_number();
    }
    unsigned known = stage.count[kind] < KEPT ? stage.count[kind] : KEPT;
    return known ? stage.made[kind][below(known)] : 0;
}

static void keep(enum kind kind, D3DKMT_HANDLE made)
{
    if (made) {
        stage.made[kind][stage.count[kind]++ % KEPT] = made;
    }
}

static unsigned count_of(unsigned most)
{
    return seldom() ? (unsigned)any_number() : below(most + 1);
}

static const void *or_odd(const void *pointer)
{
    static const uintptr_t odd[] = {0, 1, 0x1000, (uintptr_t)INT64_MAX, UINTPTR_MAX};

    return seldom() ? (const void *)odd[below(sizeof odd / sizeof odd[0])] : pointer;
}

static const D3DKMT_HANDLE *some_handles(D3DKMT_HANDLE *list, enum kind kind)
{
    for (unsigned i = 0; i < ARRAY; i++) {
        list[i] = handle(kind);
    }
    return or_odd(list);
}

/* A value for fences: mostly a little more than the last one. */
static UINT64 value(void)
{
    unsigned place = below(KEPT);

    return seldom() ? any_number() : (stage.values[place] += below(3));
}

static const UINT64 *some_values(void)
{
    for (unsigned i = 0; i < ARRAY; i++) {
        numbers[i] = value();
    }
    return or_odd(numbers);
}

static void *some_data(void)
{
    for (unsigned i = 0; i < 8; i++) {
        private_data[i] = (uint8_t)byte();
    }
    return (void *)or_odd(private_data);
}

static UINT data_size(void)
{
    return seldom() ? (UINT)any_number() : below(5) * 8;
}

static uint64_t address(void)
{
    if (seldom()) {
        return any_number();
    }
    return stage.blocks[below(BLOCKS)].address + below(16) * UINT64_C(0x1000);
}

static UINT flags(void)
{
    return seldom() ? (UINT)any_number() : below(4) ? 0 : 1u << below(12);
}

static UINT node(void)
{
    return seldom() ? (UINT)any_number() : below(3);
}

/* ---- Calls: what makes things ---------------------------------------------------------------- */

static NTSTATUS create_context(void)
{
    D3DKMT_CREATECONTEXTVIRTUAL call = {.hDevice = handle(DEVICE),
                                        .NodeOrdinal = node(),
                                        .EngineAffinity = flags(),
                                        .Flags.Value = flags(),
                                        .pPrivateDriverData = some_data(),
                                        .PrivateDriverDataSize = data_size()};
    NTSTATUS status = D3DKMTCreateContextVirtual(&call);

    keep(CONTEXT, NT_SUCCESS(status) ? call.hContext : 0);
    return status;
}

static NTSTATUS create_hw_context(void)
{
    D3DKMT_CREATEHWCONTEXT call = {.hDevice = handle(DEVICE),
                                   .NodeOrdinal = node(),
                                   .EngineAffinity = flags(),
                                   .Flags.Value = flags(),
                                   .PrivateDriverDataSize = data_size(),
                                   .pPrivateDriverData = some_data()};
    NTSTATUS status = D3DKMTCreateHwContext(&call);

    keep(HW_CONTEXT, NT_SUCCESS(status) ? call.hHwContext : 0);
    return status;
}

static NTSTATUS create_hw_queue(void)
{
    D3DKMT_CREATEHWQUEUE call = {.hHwContext = handle(HW_CONTEXT),
                                 .Flags.Value = flags(),
                                 .PrivateDriverDataSize = data_size(),
                                 .pPrivateDriverData = some_data()};
    NTSTATUS status = D3DKMTCreateHwQueue(&call);

    if (NT_SUCCESS(status)) {
        keep(HW_QUEUE, call.hHwQueue);
        keep(SYNC, call.hHwQueueProgressFence);
    }
    return status;
}

static NTSTATUS create_sync(void)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 call = {.hDevice = handle(DEVICE)};

    call.Info.Type = seldom() ? (D3DDDI_SYNCHRONIZATIONOBJECT_TYPE)any_number()
                              : (D3DDDI_SYNCHRONIZATIONOBJECT_TYPE)(1 + below(7));
    call.Info.Flags.Value = flags();
    if (call.Info.Type == D3DDDI_CPU_NOTIFICATION) {
        call.Info.CPUNotification.Event = (HANDLE)or_odd(stage.event);
    } else {
        call.Info.Reserved.Reserved[0] = value();
        call.Info.Reserved.Reserved[1] = seldom() ? any_number() : 0;
    }
    NTSTATUS status = D3DKMTCreateSynchronizationObject2(&call);
    keep(SYNC, NT_SUCCESS(status) ? call.hSyncObject : 0);
    return status;
}

static NTSTATUS create_native_fence(void)
{
    D3DKMT_CREATENATIVEFENCE call = {.hDevice = handle(DEVICE)};

    call.Info.InitialFenceValue = value();
    call.Info.Type = (D3DDDI_NATIVEFENCE_TYPE)below(3);
    call.Info.Flags.Value = flags();
    call.Info.EngineAffinity = flags();
    call.Flags.Value = flags();
    NTSTATUS status = D3DKMTCreateNativeFence(&call);
    keep(SYNC, NT_SUCCESS(status) ? call.hSyncObject : 0);
    return status;
}

static NTSTATUS create_device(void)
{
    D3DKMT_CREATEDEVICE call = {.hAdapter = (D3DKMT_HANDLE)any_number()};
    D3DKMT_OPENADAPTERFROMLUID open = {
        .AdapterLuid = {stage.host->adapter_luid_low, stage.host->adapter_luid_high}};

    if (!seldom() && NT_SUCCESS(D3DKMTOpenAdapterFromLuid(&open))) {
        call.hAdapter = open.hAdapter;
    }
    NTSTATUS status = D3DKMTCreateDevice(&call);
    keep(DEVICE, NT_SUCCESS(status) ? call.hDevice : 0);
    return status;
}

static NTSTATUS create_paging_queue(void)
{
    D3DKMT_CREATEPAGINGQUEUE call = {.hDevice = handle(DEVICE),
                                     .Priority = (D3DDDI_PAGINGQUEUE_PRIORITY)below(3)};
    NTSTATUS status = D3DKMTCreatePagingQueue(&call);

    if (NT_SUCCESS(status)) {
        keep(PAGING_QUEUE, call.hPagingQueue);
        keep(SYNC, call.hSyncObject);
    }
    return status;
}

static NTSTATUS share(void)
{
    HANDLE made = NULL;

    some_handles(handles, below(4) ? SYNC : ALLOCATION);
    NTSTATUS status = D3DKMTShareObjects(1 + below(2), or_odd(handles), NULL, flags(), &made);
    if (NT_SUCCESS(status)) {
        stage.shared[stage.shared_count++ % KEPT] = made;
    }
    return status;
}

static NTSTATUS open_shared(void)
{
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 call = {.hNtHandle =
                                                   (HANDLE)or_odd(stage.shared[below(KEPT)]),
                                               .hDevice = handle(DEVICE),
                                               .Flags.Value = flags()};
    NTSTATUS status = D3DKMTOpenSyncObjectFromNtHandle2(&call);

    keep(SYNC, NT_SUCCESS(status) ? call.hSyncObject : 0);
    return status;
}

/* ---- Calls: what ends things ----------------------------------------------------------------- */

static NTSTATUS destroy_context(void)
{
    const D3DKMT_DESTROYCONTEXT call = {handle(CONTEXT)};

    return D3DKMTDestroyContext(&call);
}

static NTSTATUS destroy_hw_context(void)
{
    const D3DKMT_DESTROYHWCONTEXT call = {handle(HW_CONTEXT)};

    return D3DKMTDestroyHwContext(&call);
}

static NTSTATUS destroy_hw_queue(void)
{
    const D3DKMT_DESTROYHWQUEUE call = {handle(HW_QUEUE)};

    return D3DKMTDestroyHwQueue(&call);
}

static NTSTATUS destroy_sync(void)
{
    const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT call = {handle(SYNC)};

    return D3DKMTDestroySynchronizationObject(&call);
}

static NTSTATUS destroy_device(void)
{
    const D3DKMT_DESTROYDEVICE call = {handle(DEVICE)};

    return below(3) ? STATUS_SUCCESS : D3DKMTDestroyDevice(&call); /* little is left afterwards */
}

static NTSTATUS destroy_allocation(void)
{
    const D3DKMT_DESTROYALLOCATION2 call = {.hDevice = handle(DEVICE),
                                            .phAllocationList = some_handles(handles, ALLOCATION),
                                            .AllocationCount = count_of(ARRAY),
                                            .Flags.Value = flags()};

    return D3DKMTDestroyAllocation2(&call);
}

static NTSTATUS close_shared(void)
{
    const struct drydock_handle call = {(HANDLE)or_odd(stage.shared[below(KEPT)])};

    return drydock_close_handle(&call);
}

/* ---- Calls: work ----------------------------------------------------------------------------- */

static NTSTATUS submit(void)
{
    D3DKMT_SUBMITCOMMAND call = {.Commands = address(),
                                 .CommandLength = seldom() ? (UINT)any_number() : below(17) * 8,
                                 .Flags.NullRendering = below(8) == 0,
                                 .BroadcastContextCount =
                                     seldom() ? (UINT)any_number() : 1 + below(2),
                                 .pPrivateDriverData = some_data(),
                                 .PrivateDriverDataSize = data_size(),
                                 .NumPrimaries = seldom() ? count_of(20) : 0};

    for (unsigned i = 0; i < ARRAY; i++) {
        call.BroadcastContext[i] = handle(CONTEXT);
        call.WrittenPrimaries[i] = handle(ALLOCATION);
    }
    return D3DKMTSubmitCommand(&call);
}

static NTSTATUS submit_to_queue(void)
{
    const D3DKMT_SUBMITCOMMANDTOHWQUEUE call = {
        .hHwQueue = handle(HW_QUEUE),
        .HwQueueProgressFenceId = value(),
        .CommandBuffer = address(),
        .CommandLength = seldom() ? (UINT)any_number() : below(17) * 8,
        .PrivateDriverDataSize = data_size(),
        .pPrivateDriverData = some_data(),
        .NumPrimaries = seldom() ? count_of(20) : 0,
        .WrittenPrimaries = some_handles(more_handles, ALLOCATION)};

    return D3DKMTSubmitCommandToHwQueue(&call);
}

/* What the next submission finds there: bits and pieces of commands. */
static NTSTATUS scribble(void)
{
    D3DKMT_LOCK2 lock = {.hDevice = handle(DEVICE),
                         .hAllocation = stage.blocks[below(BLOCKS)].allocation,
                         .Flags.Value = flags()};
    NTSTATUS status = D3DKMTLock2(&lock);

    if (NT_SUCCESS(status)) {
        uint32_t *words = (uint32_t *)lock.pData + below(8) * 8;
        for (unsigned i = 0; i < 8; i++) {
            words[i] = below(3) ? byte() : (uint32_t)any_number();
        }
        const D3DKMT_UNLOCK2 unlock = {lock.hDevice, lock.hAllocation};
        (void)D3DKMTUnlock2(&unlock);
    }
    return status;
}

static NTSTATUS wait_in_context(void)
{
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU call = {
        .hContext = handle(CONTEXT),
        .ObjectCount = count_of(ARRAY),
        .ObjectHandleArray = some_handles(handles, SYNC),
        .MonitoredFenceValueArray = some_values()};

    return D3DKMTWaitForSynchronizationObjectFromGpu(&call);
}

static NTSTATUS signal_in_context(void)
{
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 call = {
        .ObjectCount = count_of(ARRAY),
        .ObjectHandleArray = some_handles(handles, SYNC),
        .Flags.Value = flags(),
        .BroadcastContextCount = count_of(2),
        .BroadcastContextArray = some_handles(more_handles, CONTEXT),
        .MonitoredFenceValueArray = some_values()};

    if (call.Flags.EnqueueCpuEvent) {
        call.CpuEventHandle = (HANDLE)or_odd(stage.event);
    }
    return D3DKMTSignalSynchronizationObjectFromGpu2(&call);
}

static NTSTATUS wait_in_queue(void)
{
    const D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE call = {.hHwQueue = handle(HW_QUEUE),
                                                           .ObjectCount = count_of(ARRAY),
                                                           .ObjectHandleArray =
                                                               some_handles(handles, SYNC),
                                                           .FenceValueArray = some_values()};

    return D3DKMTSubmitWaitForSyncObjectsToHwQueue(&call);
}

static NTSTATUS signal_in_queue(void)
{
    const D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE call = {
        .Flags.Value = flags(),
        .BroadcastHwQueueCount = count_of(2),
        .BroadcastHwQueueArray = some_handles(more_handles, HW_QUEUE),
        .ObjectCount = count_of(ARRAY),
        .ObjectHandleArray = some_handles(handles, SYNC),
        .FenceValueArray = some_values()};

    return D3DKMTSubmitSignalSyncObjectsToHwQueue(&call);
}

static NTSTATUS signal_by_cpu(void)
{
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU call = {.hDevice = handle(DEVICE),
                                                            .ObjectCount = count_of(ARRAY),
                                                            .ObjectHandleArray =
                                                                some_handles(handles, SYNC),
                                                            .FenceValueArray = some_values(),
                                                            .Flags.Value = flags()};

    return D3DKMTSignalSynchronizationObjectFromCpu(&call);
}

/* By an event: nobody may be left who would end a wait in the call. */
static NTSTATUS wait_by_cpu(void)
{
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU call = {.hDevice = handle(DEVICE),
                                                             .ObjectCount = count_of(ARRAY),
                                                             .ObjectHandleArray =
                                                                 some_handles(handles, SYNC),
                                                             .FenceValueArray = some_values(),
                                                             .hAsyncEvent = stage.event,
                                                             .Flags.Value = flags()};

    return D3DKMTWaitForSynchronizationObjectFromCpu(&call);
}

static NTSTATUS old_signal(void)
{
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 call = {.hContext = handle(CONTEXT),
                                                .ObjectCount = count_of(ARRAY),
                                                .Flags.Value = flags(),
                                                .BroadcastContextCount =
                                                    seldom() ? count_of(70) : 0,
                                                .Fence.FenceValue = value()};

    for (unsigned i = 0; i < ARRAY; i++) {
        call.ObjectHandleArray[i] = handle(SYNC);
        call.BroadcastContext[i] = handle(CONTEXT);
    }
    return D3DKMTSignalSynchronizationObject2(&call);
}

static NTSTATUS old_wait(void)
{
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 call = {
        .hContext = handle(CONTEXT), .ObjectCount = count_of(ARRAY), .Fence.FenceValue = value()};

    for (unsigned i = 0; i < ARRAY; i++) {
        call.ObjectHandleArray[i] = handle(SYNC);
    }
    return D3DKMTWaitForSynchronizationObject2(&call);
}

static NTSTATUS set_priority(void)
{
    const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY call = {
        handle(CONTEXT), seldom() ? (INT)any_number() : (INT)below(17) - 8};

    return D3DKMTSetContextSchedulingPriority(&call);
}

static NTSTATUS mark_as_error(void)
{
    D3DKMT_MARKDEVICEASERROR call = {handle(DEVICE), (D3DKMT_DEVICE_ERROR_REASON)below(4)};

    return below(8) ? STATUS_SUCCESS : D3DKMTMarkDeviceAsError(&call);
}

/* ---- Calls: memory --------------------------------------------------------------------------- */

static NTSTATUS make_resident(void)
{
    for (unsigned i = 0; i < ARRAY; i++) {
        priorities[i] = byte() << 24;
    }
    D3DDDI_MAKERESIDENT call = {.hPagingQueue = handle(PAGING_QUEUE),
                                .NumAllocations = count_of(ARRAY),
                                .AllocationList = some_handles(handles, ALLOCATION),
                                .PriorityList = or_odd(below(2) ? priorities : NULL),
                                .Flags.Value = flags()};

    return D3DKMTMakeResident(&call);
}

static NTSTATUS evict(void)
{
    D3DKMT_EVICT call = {.hDevice = handle(DEVICE),
                         .NumAllocations = count_of(ARRAY),
                         .AllocationList = some_handles(handles, ALLOCATION),
                         .Flags.Value = flags()};

    return D3DKMTEvict(&call);
}

static NTSTATUS map(void)
{
    D3DDDI_MAPGPUVIRTUALADDRESS call = {.hPagingQueue = handle(PAGING_QUEUE),
                                        .BaseAddress = below(2) ? address() : 0,
                                        .hAllocation = handle(ALLOCATION),
                                        .OffsetInPages = seldom() ? any_number() : below(4),
                                        .SizeInPages = seldom() ? any_number() : 1 + below(16),
                                        .DriverProtection = seldom() ? any_number() : 0};

    call.Protection.Value = flags();
    return D3DKMTMapGpuVirtualAddress(&call);
}

static NTSTATUS update(void)
{
    D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION operation = {
        .OperationType = (D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION_TYPE)below(5)};

    operation.Map.BaseAddress = address();
    operation.Map.SizeInBytes = seldom() ? any_number() : below(17) * UINT64_C(0x1000);
    operation.Map.hAllocation = handle(ALLOCATION);
    operation.Map.AllocationOffsetInBytes = seldom() ? any_number() : 0;
    operation.Map.AllocationSizeInBytes = operation.Map.SizeInBytes;
    const D3DKMT_UPDATEGPUVIRTUALADDRESS call = {.hDevice = handle(DEVICE),
                                                 .hContext = handle(CONTEXT),
                                                 .hFenceObject = handle(SYNC),
                                                 .NumOperations = count_of(1),
                                                 .Operations = (void *)or_odd(&operation),
                                                 .FenceValue = value(),
                                                 .Flags.Value = below(2)};

    return D3DKMTUpdateGpuVirtualAddress(&call);
}

static NTSTATUS offer(void)
{
    const D3DKMT_OFFERALLOCATIONS call = {.hDevice = handle(DEVICE),
                                          .HandleList = some_handles(handles, ALLOCATION),
                                          .NumAllocations = count_of(ARRAY),
                                          .Priority = (D3DKMT_OFFER_PRIORITY)below(5),
                                          .Flags.Value = flags()};

    return D3DKMTOfferAllocations(&call);
}

static NTSTATUS reclaim(void)
{
    D3DKMT_RECLAIMALLOCATIONS2 call = {.hPagingQueue = handle(PAGING_QUEUE),
                                       .NumAllocations = count_of(ARRAY),
                                       .HandleList = some_handles(handles, ALLOCATION),
                                       .pDiscarded = (BOOL *)or_odd(answers)};

    return D3DKMTReclaimAllocations2(&call);
}

static NTSTATUS let_time_pass(void)
{
    stage.host->sleep_until(stage.host, stage.host->now_ns(stage.host) + 1000 * (1 + byte() * 8));
    return STATUS_SUCCESS;
}

/* ---- The client ------------------------------------------------------------------------------ */

static NTSTATUS (*const calls[])(void) = {
    create_context,
    create_hw_context,
    create_hw_queue,
    create_sync,
    create_native_fence,
    create_device,
    create_paging_queue,
    share,
    open_shared,
    destroy_context,
    destroy_hw_context,
    destroy_hw_queue,
    destroy_sync,
    destroy_device,
    destroy_allocation,
    close_shared,
    submit,
    submit_to_queue,
    scribble,
    wait_in_context,
    signal_in_context,
    wait_in_queue,
    signal_in_queue,
    signal_by_cpu,
    wait_by_cpu,
    old_signal,
    old_wait,
    set_priority,
    mark_as_error,
    make_resident,
    evict,
    map,
    update,
    offer,
    reclaim,
    let_time_pass,
    submit,
    submit_to_queue,
    submit_to_queue,
};

static void call_what_is_chosen(void)
{
    unsigned call = below(sizeof calls / sizeof calls[0]);
    NTSTATUS status = calls[call]();

    stage.host->count(stage.host, "calls.made", 1);
    if (calls_answered) {
        calls_answered(call, status);
    }
}

/* What may be made next has the place behind, above bit 6. */
static D3DKMT_HANDLE next_handle(enum kind kind)
{
    D3DKMT_HANDLE newest = stage.count[kind] ? stage.made[kind][(stage.count[kind] - 1) % KEPT] : 0;

    return below(4) ? newest + ((1 + below(4)) << 6) : handle(kind);
}

static void destroy_next(void)
{
    D3DKMT_HANDLE allocation = next_handle(ALLOCATION);

    (void)D3DKMTDestroySynchronizationObject(
        &(D3DKMT_DESTROYSYNCHRONIZATIONOBJECT){next_handle(SYNC)});
    (void)D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){next_handle(CONTEXT)});
    (void)D3DKMTDestroyHwQueue(&(D3DKMT_DESTROYHWQUEUE){next_handle(HW_QUEUE)});
    (void)D3DKMTDestroyAllocation2(&(D3DKMT_DESTROYALLOCATION2){
        .hDevice = handle(DEVICE), .phAllocationList = &allocation, .AllocationCount = 1});
}

static void destroying_thread(void *argument)
{
    (void)argument;
    while (choices_are_left() && !stage.host->failed(stage.host)) {
        destroy_next();
        stage.host->sleep_until(stage.host,
                                stage.host->now_ns(stage.host) + 500 * (UINT64)(1 + below(8)));
    }
}

static void other_process(void *argument)
{
    (void)argument;
    create_device();
    while (choices_are_left() && !stage.host->failed(stage.host)) {
        call_what_is_chosen();
        stage.host->yield(stage.host);
    }
}

/* Commands that are right, at the begin of each block: a fill of the next one, and a store. */
static bool write_commands(struct addressed *client)
{
    for (unsigned i = 0; i < BLOCKS; i++) {
        struct command_writer writer;
        writer_begin(&writer, client, &stage.blocks[i]);
        writer_fill(&writer, stage.blocks[(i + 1) % BLOCKS].address + BLOCK_BYTES / 2, 256, i);
        writer_fence(&writer, stage.blocks[(i + 1) % BLOCKS].address + BLOCK_BYTES - 8, i);
        if (!writer_close(&writer)) {
            return false;
        }
    }
    return true;
}

static bool set_stage(struct addressed *client)
{
    bool there;

    if (!addressed_open(client, stage.host, SOFTGPU_ENGINE_COMPUTE, &there) || !there) {
        return false;
    }
    keep(DEVICE, client->gpu.device);
    keep(CONTEXT, client->context);
    keep(PAGING_QUEUE, client->queue);
    keep(SYNC, client->fence);
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (!addressed_block(client, BLOCK_BYTES, SOFTGPU_UMD_CPU_VISIBLE, &stage.blocks[i])) {
            return false;
        }
        keep(ALLOCATION, stage.blocks[i].allocation);
    }
    return write_commands(client);
}

/* What the first process has open ends with it, whatever is going on then. */
static void first_process(void *argument)
{
    static struct addressed client;
    struct drydock_client_event event = {.automatic = TRUE};

    (void)argument;
    memset(&client, 0, sizeof client);
    if (!set_stage(&client) || !NT_SUCCESS(drydock_create_event(&event))) {
        return;
    }
    stage.event = event.hEvent;
    create_hw_context();
    create_hw_queue();
    struct drydock_process *other =
        stage.host->start_process(stage.host, "other", other_process, NULL);
    struct drydock_process *thread =
        below(2) ? stage.host->start_thread(stage.host, "destroyer", destroying_thread, NULL)
                 : NULL;
    while (choices_are_left()) {
        call_what_is_chosen();
        if (below(4) == 0) {
            stage.host->yield(stage.host);
        }
    }
    if (other) {
        stage.host->join(stage.host, other);
    }
    if (thread) {
        stage.host->join(stage.host, thread);
    }
}

static void run(const struct drydock_workload_host *host)
{
    memset(&stage, 0, sizeof stage);
    stage.host = host;
    struct drydock_process *process = host->start_process(host, "calls", first_process, NULL);
    if (process) {
        host->join(host, process);
    }
}

const struct drydock_workload calls_workload = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "calls",
    .description = "calls that bytes choose",
    .run = run,
};
