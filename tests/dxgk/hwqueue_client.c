/* A client of hardware queues; see the header. */
#include "hwqueue_client.h"

#include <string.h>

#include <ntddk.h>

#include "addressed.h"

#define NODE        SOFTGPU_ENGINE_COMPUTE
#define QUEUES      2
#define SUBMISSIONS 8
#define COMMANDS    UINT64_C(0x10000) /* nobody runs them */

static const struct drydock_workload_host *host;

struct queue {
    D3DKMT_HANDLE queue, fence;
    const volatile uint64_t *value;
    uint64_t last;
};

static struct {
    struct addressed client;
    D3DKMT_HANDLE context;
    struct queue queues[QUEUES];
} stage;

static bool make_queue(struct queue *queue)
{
    D3DKMT_CREATEHWQUEUE create = {.hHwContext = stage.context};

    if (!NT_SUCCESS(D3DKMTCreateHwQueue(&create))) {
        return false;
    }
    *queue = (struct queue){create.hHwQueue, create.hHwQueueProgressFence,
                            create.HwQueueProgressFenceCPUVirtualAddress, 0};
    /* It is the client's to read: an answer that goes there is refused. */
    D3DKMT_OPENADAPTERFROMLUID open = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}};
    if (!NT_SUCCESS(D3DKMTOpenAdapterFromLuid(&open)) ||
        D3DKMTQueryAdapterInfo(&(D3DKMT_QUERYADAPTERINFO){
            open.hAdapter, KMTQAITYPE_ADAPTERTYPE, create.HwQueueProgressFenceCPUVirtualAddress,
            sizeof(D3DKMT_ADAPTERTYPE)}) != STATUS_ACCESS_VIOLATION) {
        host->fail(host, "a client may write a progress fence");
    }
    if (create.HwQueueProgressFenceGPUVirtualAddress == 0 || *queue->value != 0) {
        host->fail(host, "a progress fence without an address, or with the value %llu",
                   (unsigned long long)*queue->value);
    }
    return true;
}

static bool set_stage(void)
{
    bool there;

    memset(&stage, 0, sizeof stage);
    if (!addressed_open(&stage.client, host, NODE, &there) || !there) {
        return false;
    }
    D3DKMT_CREATEHWCONTEXT create = {.hDevice = stage.client.gpu.device, .NodeOrdinal = NODE};
    if (!NT_SUCCESS(D3DKMTCreateHwContext(&create))) {
        host->fail(host, "no hardware context on node %u", NODE);
        return false;
    }
    stage.context = create.hHwContext;
    for (unsigned i = 0; i < QUEUES; i++) {
        if (!make_queue(&stage.queues[i])) {
            host->count(host, "hwqueue.none", 1);
            return false;
        }
    }
    return true;
}

static NTSTATUS submit(struct queue *queue)
{
    uint32_t data[4] = {1, 2, 3, 4};
    D3DKMT_SUBMITCOMMANDTOHWQUEUE submit = {.hHwQueue = queue->queue,
                                            .HwQueueProgressFenceId = queue->last + 3,
                                            .CommandBuffer = COMMANDS,
                                            .CommandLength = 64,
                                            .PrivateDriverDataSize = sizeof data,
                                            .pPrivateDriverData = data};
    NTSTATUS status = D3DKMTSubmitCommandToHwQueue(&submit);

    if (NT_SUCCESS(status)) {
        queue->last += 3;
    }
    host->count(host, NT_SUCCESS(status) ? "hwqueue.submitted" : "hwqueue.refused", 1);
    return status;
}

static bool is_active(void)
{
    D3DKMT_GETDEVICESTATE state = {.hDevice = stage.client.gpu.device,
                                   .StateType = D3DKMT_DEVICESTATE_EXECUTION};

    return NT_SUCCESS(D3DKMTGetDeviceState(&state)) &&
           state.ExecutionState == D3DKMT_DEVICEEXECUTION_ACTIVE;
}

static void wait_for(const struct queue *queue, uint64_t value)
{
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {.hDevice = stage.client.gpu.device,
                                                       .ObjectCount = 1,
                                                       .ObjectHandleArray = &queue->fence,
                                                       .FenceValueArray = &value};

    NTSTATUS status = D3DKMTWaitForSynchronizationObjectFromCpu(&wait);
    if (is_active() && (!NT_SUCCESS(status) || *queue->value < value)) {
        host->fail(host, "the fence shows %llu instead of %llu (0x%X)",
                   (unsigned long long)*queue->value, (unsigned long long)value, status);
    }
}

/* The second queue goes on when the first has come so far. */
static void chain(struct queue *first, struct queue *second)
{
    const D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE wait = {.hHwQueue = second->queue,
                                                           .ObjectCount = 1,
                                                           .ObjectHandleArray = &first->fence,
                                                           .FenceValueArray = &first->last};
    uint64_t before = second->last;

    submit(first);
    if (!NT_SUCCESS(D3DKMTSubmitWaitForSyncObjectsToHwQueue(&wait)) && is_active()) {
        host->fail(host, "a queue cannot wait for another one");
    }
    submit(second);
    wait_for(second, second->last);
    if (is_active() && second->last > before && *first->value < first->last - 3) {
        host->fail(host, "the second queue did not wait");
    }
}

/* A fence of the client's own is signalled behind the work. */
static void signal_behind(struct queue *queue)
{
    uint64_t value = stage.client.last_value + 1;
    const D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE signal = {.BroadcastHwQueueCount = 1,
                                                            .BroadcastHwQueueArray = &queue->queue,
                                                            .ObjectCount = 1,
                                                            .ObjectHandleArray =
                                                                &stage.client.fence,
                                                            .FenceValueArray = &value};
    const struct queue of_client = {0, stage.client.fence, stage.client.fence_value, value};

    submit(queue);
    if (NT_SUCCESS(D3DKMTSubmitSignalSyncObjectsToHwQueue(&signal))) {
        wait_for(&of_client, value);
        if (is_active() && *queue->value < queue->last) {
            host->fail(host, "the signal did not wait for the work");
        }
    } else if (is_active()) {
        host->fail(host, "a queue cannot signal");
    }
    stage.client.last_value = value;
}

/* Tables change while a queue has work: its context may have to rest. */
static void map_meanwhile(struct queue *queue)
{
    struct memory_block block;

    for (unsigned i = 0; i < SUBMISSIONS && is_active(); i++) {
        submit(queue);
        if (addressed_block(&stage.client, 0x4000, SOFTGPU_UMD_VIRTUAL_ONLY, &block)) {
            addressed_destroy(&stage.client, &block);
        }
    }
    wait_for(queue, queue->last);
}

static void work(const struct drydock_workload_host *given)
{
    host = given;
    if (set_stage()) {
        stage.client.gpu.may_be_lost = true;
        for (unsigned i = 0; i < SUBMISSIONS * QUEUES; i++) {
            submit(&stage.queues[i % QUEUES]);
        }
        for (unsigned i = 0; i < QUEUES; i++) {
            wait_for(&stage.queues[i], stage.queues[i].last);
        }
        chain(&stage.queues[0], &stage.queues[1]);
        signal_behind(&stage.queues[1]);
        map_meanwhile(&stage.queues[0]);
        for (unsigned i = 0; i < SUBMISSIONS; i++) {
            submit(&stage.queues[0]);
        }
        host->count(host, is_active() ? "hwqueue.done" : "hwqueue.lost", 1);
    }
    /* One queue by itself, the other with its context: both have work. */
    if (stage.queues[0].queue) {
        const D3DKMT_DESTROYHWQUEUE destroy = {stage.queues[0].queue};
        if (!NT_SUCCESS(D3DKMTDestroyHwQueue(&destroy))) {
            host->fail(host, "a queue cannot be destroyed");
        }
    }
    if (stage.context) {
        const D3DKMT_DESTROYHWCONTEXT destroy = {stage.context};
        if (!NT_SUCCESS(D3DKMTDestroyHwContext(&destroy))) {
            host->fail(host, "a context cannot be destroyed");
        }
    }
    addressed_close(&stage.client);
}

const struct drydock_workload hwqueue_work = {
    .abi = DRYDOCK_WORKLOAD_ABI, .name = "hwqueue", .description = "hardware queues", .run = work};

/* ---- What makes no sense --------------------------------------------------------------------- */

static void expect(NTSTATUS status, NTSTATUS wanted, const char *what)
{
    host->count(host, "hwqueue.calls", 1);
    if (status != wanted) {
        host->fail(host, "%s: 0x%X instead of 0x%X", what, status, wanted);
    }
}

static NTSTATUS submit_raw(D3DKMT_HANDLE queue, uint64_t id, unsigned length)
{
    const D3DKMT_SUBMITCOMMANDTOHWQUEUE submit = {.hHwQueue = queue,
                                                  .HwQueueProgressFenceId = id,
                                                  .CommandBuffer = COMMANDS,
                                                  .CommandLength = length};

    return D3DKMTSubmitCommandToHwQueue(&submit);
}

/* Of a driver that has no part in them. */
static void present_nothing(struct queue *queue)
{
    D3DKMT_SUBMITPRESENTBLTTOHWQUEUE copy = {
        .hHwQueue = stage.context, .HwQueueProgressFenceId = 8, .PrivatePresentData.Flags.Blt = 1};
    D3DKMT_SUBMITPRESENTTOHWQUEUE flip = {.PrivatePresentData.Flags.Flip = 1};
    D3DKMT_HANDLE none = stage.context;

    expect(D3DKMTSubmitPresentBltToHwQueue(&copy), STATUS_INVALID_PARAMETER, "no queue");
    copy.hHwQueue = queue->queue;
    expect(D3DKMTSubmitPresentBltToHwQueue(&copy), STATUS_INVALID_PARAMETER, "no surfaces");
    copy.HwQueueProgressFenceId = 0;
    expect(D3DKMTSubmitPresentBltToHwQueue(&copy), STATUS_INVALID_PARAMETER, "the id 0");
    expect(D3DKMTSubmitPresentToHwQueue(&flip), STATUS_INVALID_PARAMETER, "no list of queues");
    flip.hHwQueues = &none;
    expect(D3DKMTSubmitPresentToHwQueue(&flip), STATUS_INVALID_PARAMETER, "a list of no queue");
    flip.hHwQueues = (D3DKMT_HANDLE *)(uintptr_t)0x1000;
    expect(D3DKMTSubmitPresentToHwQueue(&flip), STATUS_ACCESS_VIOLATION, "a list nowhere");
}

static void hostile(const struct drydock_workload_host *given)
{
    uint64_t one = 1;

    host = given;
    if (!set_stage()) {
        return;
    }
    struct queue *queue = &stage.queues[0];
    D3DKMT_CREATEHWCONTEXT context = {.hDevice = stage.client.gpu.device, .NodeOrdinal = 99};
    expect(D3DKMTCreateHwContext(&context), STATUS_INVALID_PARAMETER, "no such node");
    context.NodeOrdinal = SOFTGPU_ENGINE_COPY;
    expect(D3DKMTCreateHwContext(&context), STATUS_NOT_SUPPORTED, "a node without queues");
    context.hDevice = stage.context;
    expect(D3DKMTCreateHwContext(&context), STATUS_INVALID_PARAMETER, "a context for a device");
    D3DKMT_CREATEHWQUEUE create = {.hHwContext = stage.context, .Flags.UserModeSubmission = 1};
    expect(D3DKMTCreateHwQueue(&create), STATUS_NOT_SUPPORTED, "submission by clients");
    create = (D3DKMT_CREATEHWQUEUE){.hHwContext = stage.client.context};
    expect(D3DKMTCreateHwQueue(&create), STATUS_INVALID_PARAMETER, "a queue of no hw context");
    expect(submit_raw(stage.context, 1, 64), STATUS_INVALID_PARAMETER, "no queue");
    expect(submit_raw(queue->queue, 0, 64), STATUS_INVALID_PARAMETER, "the id 0");
    expect(submit_raw(queue->queue, UINT64_MAX, 64), STATUS_INVALID_PARAMETER, "the largest id");
    expect(submit_raw(queue->queue, 1, 0), STATUS_INVALID_PARAMETER, "no commands");
    expect(submit_raw(queue->queue, 7, 64), STATUS_SUCCESS, "a good one");
    expect(submit_raw(queue->queue, 7, 64), STATUS_INVALID_PARAMETER, "the same id");
    expect(submit_raw(queue->queue, 6, 64), STATUS_INVALID_PARAMETER, "an older id");
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal = {.hDevice = stage.client.gpu.device,
                                                              .ObjectCount = 1,
                                                              .ObjectHandleArray = &queue->fence,
                                                              .FenceValueArray = &one};
    expect(D3DKMTSignalSynchronizationObjectFromCpu(&signal), STATUS_ACCESS_DENIED,
           "a progress fence is the GPU's");
    const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy = {queue->fence};
    expect(D3DKMTDestroySynchronizationObject(&destroy), STATUS_INVALID_PARAMETER,
           "it goes with its queue");
    const D3DKMT_DESTROYHWQUEUE wrong = {stage.context};
    expect(D3DKMTDestroyHwQueue(&wrong), STATUS_INVALID_PARAMETER, "no queue to destroy");
    const D3DKMT_DESTROYCONTEXT other = {stage.context};
    expect(D3DKMTDestroyContext(&other), STATUS_INVALID_PARAMETER, "a context of another kind");
    present_nothing(queue);
    wait_for(queue, 7);
    addressed_close(&stage.client); /* with all that is left */
}

const struct drydock_workload hwqueue_hostile = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                 .name = "hwqueue-hostile",
                                                 .description = "calls that make no sense",
                                                 .run = hostile};
