/* Streams of a client; see queue_client.h. */
#include "queue_client.h"

#define QUEUES_OF_A_CONTEXT 3
#define TIMES_OVER          300 /* more than tables have places */
#define GIVEN_BACK_NS       (200 * 1000 * 1000)

static bool check(struct queue_stream *stream, NTSTATUS status, const char *what)
{
    return gpu_check(&stream->client->gpu, status, what);
}

/* ---- Making -------------------------------------------------------------------------------- */

static void take_queue(struct queue_stream *stream, const D3DKMT_CREATEHWQUEUE *made)
{
    stream->queue = made->hHwQueue;
    stream->fence = made->hHwQueueProgressFence;
    stream->fence_address = made->HwQueueProgressFenceGPUVirtualAddress;
}

static bool open_queue(struct queue_stream *stream)
{
    D3DKMT_CREATEHWQUEUE create = {.hHwContext = stream->context};

    if (!check(stream, D3DKMTCreateHwQueue(&create), "D3DKMTCreateHwQueue")) {
        return false;
    }
    take_queue(stream, &create);
    return true;
}

static bool open_context(struct queue_stream *stream)
{
    D3DKMT_CREATECONTEXTVIRTUAL create = {.hDevice = stream->client->gpu.device,
                                          .NodeOrdinal = stream->client->node,
                                          .EngineAffinity = 1};
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.hDevice = stream->client->gpu.device,
                                                 .Info.Type = D3DDDI_MONITORED_FENCE};

    if (!check(stream, D3DKMTCreateContextVirtual(&create), "D3DKMTCreateContextVirtual") ||
        !check(stream, D3DKMTCreateSynchronizationObject2(&fence),
               "D3DKMTCreateSynchronizationObject2 of a monitored fence")) {
        return false;
    }
    stream->context = create.hContext;
    stream->fence = fence.hSyncObject;
    return true;
}

bool stream_open(struct queue_stream *stream, struct addressed *client)
{
    D3DKMT_CREATEHWCONTEXT create = {
        .hDevice = client->gpu.device, .NodeOrdinal = client->node, .EngineAffinity = 1};
    NTSTATUS status = D3DKMTCreateHwContext(&create);

    *stream = (struct queue_stream){.client = client, .context = create.hHwContext};
    if (status == STATUS_NOT_SUPPORTED) {
        return open_context(stream);
    }
    return check(stream, status, "D3DKMTCreateHwContext") && open_queue(stream);
}

void stream_goes_over(struct queue_stream *stream)
{
    D3DKMT_CREATEHWQUEUE create = {.hHwContext = stream->context};

    if (stream->queue && D3DKMTCreateHwQueue(&create) >= 0) {
        take_queue(stream, &create);
    }
}

void stream_close(struct queue_stream *stream)
{
    if (stream->queue) {
        check(stream, D3DKMTDestroyHwQueue(&(D3DKMT_DESTROYHWQUEUE){stream->queue}),
              "D3DKMTDestroyHwQueue");
        check(stream, D3DKMTDestroyHwContext(&(D3DKMT_DESTROYHWCONTEXT){stream->context}),
              "D3DKMTDestroyHwContext");
    } else if (stream->context) {
        check(stream, D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){stream->context}),
              "D3DKMTDestroyContext");
    }
    *stream = (struct queue_stream){.client = stream->client};
}

/* Of one context several queues, of which the context takes one along. */
bool streams_come_and_go(struct addressed *client, unsigned node, bool *there)
{
    D3DKMT_CREATEHWCONTEXT create = {
        .hDevice = client->gpu.device, .NodeOrdinal = node, .EngineAffinity = 1};
    struct queue_stream stream = {.client = client};
    NTSTATUS status = D3DKMTCreateHwContext(&create);

    *there = NT_SUCCESS(status);
    if (!*there) {
        return true; /* there are none, or the driver wants data that nobody here knows */
    }
    for (unsigned i = 0; i < QUEUES_OF_A_CONTEXT; i++) {
        D3DKMT_CREATEHWQUEUE queue = {.hHwContext = create.hHwContext};
        status = D3DKMTCreateHwQueue(&queue);
        if (NT_SUCCESS(status) && i > 0 &&
            !check(&stream, D3DKMTDestroyHwQueue(&(D3DKMT_DESTROYHWQUEUE){queue.hHwQueue}),
                   "D3DKMTDestroyHwQueue")) {
            return false;
        }
    }
    return check(&stream, D3DKMTDestroyHwContext(&(D3DKMT_DESTROYHWCONTEXT){create.hHwContext}),
                 "D3DKMTDestroyHwContext");
}

/* One that is there, and is ended: its queue before it, or with it. *status: of what was not made.
 */
static bool come_and_go_once(struct addressed *client, unsigned node, bool together,
                             NTSTATUS *status)
{
    D3DKMT_CREATEHWCONTEXT create = {
        .hDevice = client->gpu.device, .NodeOrdinal = node, .EngineAffinity = 1};
    struct queue_stream stream = {.client = client};

    *status = D3DKMTCreateHwContext(&create);
    if (!NT_SUCCESS(*status)) {
        return true;
    }
    D3DKMT_CREATEHWQUEUE queue = {.hHwContext = create.hHwContext};
    *status = D3DKMTCreateHwQueue(&queue);
    if (NT_SUCCESS(*status) && !together &&
        !check(&stream, D3DKMTDestroyHwQueue(&(D3DKMT_DESTROYHWQUEUE){queue.hHwQueue}),
               "D3DKMTDestroyHwQueue")) {
        return false;
    }
    return check(&stream, D3DKMTDestroyHwContext(&(D3DKMT_DESTROYHWCONTEXT){create.hHwContext}),
                 "D3DKMTDestroyHwContext");
}

bool streams_leave_nothing(struct addressed *client, unsigned node)
{
    const struct drydock_workload_host *host = client->gpu.host;
    NTSTATUS status;

    for (unsigned i = 0; i < TIMES_OVER; i++) {
        if (!come_and_go_once(client, node, i % 2 == 0, &status)) {
            return false;
        }
        if (i > 0 && !NT_SUCCESS(status)) { /* a thread of the driver's may give places back */
            host->sleep_until(host, host->now_ns(host) + GIVEN_BACK_NS);
            if (!come_and_go_once(client, node, i % 2 == 0, &status)) {
                return false;
            }
        }
        if (NT_SUCCESS(status)) {
            continue;
        }
        if (i > 0 && gpu_state(&client->gpu) == D3DKMT_DEVICEEXECUTION_ACTIVE) {
            host->fail(host,
                       "a hardware context, or its queue, was refused with %s behind %u that had "
                       "been made and ended one after the other: DestroyHwContext or "
                       "DestroyHwQueue leaves something taken",
                       host->status_name(host, status), i);
        }
        return i == 0; /* there are none, or the driver wants data that nobody here knows */
    }
    host->count(host, "queues.come_and_gone", TIMES_OVER);
    return true;
}

/* ---- Work ---------------------------------------------------------------------------------- */

uint64_t stream_next(struct queue_stream *stream, uint64_t step)
{
    return stream->value += step;
}

bool stream_wait(struct queue_stream *stream, D3DKMT_HANDLE fence, uint64_t value)
{
    if (stream->queue) {
        const D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE wait = {.hHwQueue = stream->queue,
                                                               .ObjectCount = 1,
                                                               .ObjectHandleArray = &fence,
                                                               .FenceValueArray = &value};
        return check(stream, D3DKMTSubmitWaitForSyncObjectsToHwQueue(&wait),
                     "D3DKMTSubmitWaitForSyncObjectsToHwQueue");
    }
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU wait = {.hContext = stream->context,
                                                             .ObjectCount = 1,
                                                             .ObjectHandleArray = &fence,
                                                             .MonitoredFenceValueArray = &value};
    return check(stream, D3DKMTWaitForSynchronizationObjectFromGpu(&wait),
                 "D3DKMTWaitForSynchronizationObjectFromGpu");
}

bool stream_signal(struct queue_stream *stream, D3DKMT_HANDLE fence, uint64_t value)
{
    if (stream->queue) {
        const D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE signal = {.BroadcastHwQueueCount = 1,
                                                                .BroadcastHwQueueArray =
                                                                    &stream->queue,
                                                                .ObjectCount = 1,
                                                                .ObjectHandleArray = &fence,
                                                                .FenceValueArray = &value};
        return check(stream, D3DKMTSubmitSignalSyncObjectsToHwQueue(&signal),
                     "D3DKMTSubmitSignalSyncObjectsToHwQueue");
    }
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU signal = {.hContext = stream->context,
                                                              .ObjectCount = 1,
                                                              .ObjectHandleArray = &fence,
                                                              .MonitoredFenceValueArray = &value};
    return check(stream, D3DKMTSignalSynchronizationObjectFromGpu(&signal),
                 "D3DKMTSignalSynchronizationObjectFromGpu");
}

static struct softgpu_umd_submit driver_data = {.magic = SOFTGPU_UMD_SUBMIT_MAGIC,
                                                .version = SOFTGPU_UMD_VERSION};

NTSTATUS stream_try_submit(const struct queue_stream *stream, uint64_t commands,
                           unsigned size_bytes)
{
    const D3DKMT_SUBMITCOMMANDTOHWQUEUE submit = {.hHwQueue = stream->queue,
                                                  .HwQueueProgressFenceId = stream->value,
                                                  .CommandBuffer = commands,
                                                  .CommandLength = size_bytes,
                                                  .PrivateDriverDataSize = sizeof driver_data,
                                                  .pPrivateDriverData = &driver_data};

    return D3DKMTSubmitCommandToHwQueue(&submit);
}

bool stream_submit(struct queue_stream *stream, uint64_t commands, unsigned size_bytes)
{
    if (stream->queue) {
        return check(stream, stream_try_submit(stream, commands, size_bytes),
                     "D3DKMTSubmitCommandToHwQueue");
    }
    const D3DKMT_SUBMITCOMMAND submit = {
        .Commands = commands,
        .CommandLength = size_bytes,
        .BroadcastContextCount = 1,
        .BroadcastContext = {stream->context},
        .pPrivateDriverData = &driver_data,
        .PrivateDriverDataSize = sizeof driver_data,
    };
    return check(stream, D3DKMTSubmitCommand(&submit), "D3DKMTSubmitCommand") &&
           stream_signal(stream, stream->fence, stream->value);
}

bool stream_refuses(struct queue_stream *stream, uint64_t commands, unsigned size_bytes)
{
    const struct drydock_workload_host *host = stream->client->gpu.host;
    NTSTATUS status =
        stream->queue ? stream_try_submit(stream, commands, size_bytes) : STATUS_INVALID_PARAMETER;

    if (NT_SUCCESS(status)) {
        host->fail(host, "a hardware queue was given the progress fence value %llu a second time",
                   (unsigned long long)stream->value);
    }
    return !NT_SUCCESS(status);
}
