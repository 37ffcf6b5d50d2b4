/* Hardware contexts, hardware queues, and what is queued there. */
#include "d3dkmt/internal.h"

static struct dxgk_hwcontext *hwcontext_of(struct client_call *call, D3DKMT_HANDLE handle)
{
    return client_object(call, handle, DXGK_KIND_HW_CONTEXT, call->process);
}

/* The client's private data, which the driver may answer in. */
struct private_data {
    void CLIENT *theirs;
    UINT size;
    void *ours;
};

static NTSTATUS capture(struct client_call *call, struct private_data *data)
{
    NTSTATUS status = client_capture_private(call, data->theirs, data->size, &data->ours);

    return NT_SUCCESS(status) && data->size > 0 ? client_probe_write(data->theirs, data->size)
                                                : status;
}

static void give_back(const struct private_data *data)
{
    if (data->size > 0) {
        (void)client_write(data->theirs, data->ours, data->size);
    }
}

/* ---- Contexts ------------------------------------------------------------------------------ */

static NTSTATUS create_context(struct client_call *call, D3DKMT_CREATEHWCONTEXT *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct private_data data = {arguments->pPrivateDriverData, arguments->PrivateDriverDataSize,
                                NULL};
    struct dxgk_hwcontext *context;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->Flags.Value) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = capture(call, &data);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    const struct dxgk_hwcontext_request request = {
        .node = arguments->NodeOrdinal,
        .engine_affinity = arguments->EngineAffinity,
        .private_data = data.ours,
        .private_size = data.size,
    };
    status = dxgk_hwcontext_create(device, &request, &context);
    if (NT_SUCCESS(status)) {
        arguments->hHwContext = dxgk_hwcontext_handle(context);
        give_back(&data);
    }
    return status;
}
CLIENT_CALL(CreateHwContext, create_context, D3DKMT_CREATEHWCONTEXT)

static NTSTATUS destroy_context(struct client_call *call, const D3DKMT_DESTROYHWCONTEXT *arguments)
{
    struct dxgk_hwcontext *context = hwcontext_of(call, arguments->hHwContext);

    return context ? dxgk_hwcontext_destroy(context) : NO_SUCH_OBJECT;
}
CLIENT_CALL_IN(DestroyHwContext, destroy_context, D3DKMT_DESTROYHWCONTEXT)

/* ---- Queues -------------------------------------------------------------------------------- */

static NTSTATUS create_queue(struct client_call *call, D3DKMT_CREATEHWQUEUE *arguments)
{
    struct dxgk_hwcontext *context = hwcontext_of(call, arguments->hHwContext);
    struct private_data data = {arguments->pPrivateDriverData, arguments->PrivateDriverDataSize,
                                NULL};
    struct dxgk_hwqueue *queue;

    if (!context) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = capture(call, &data);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    const struct dxgk_hwqueue_request request = {
        .flags = arguments->Flags,
        .private_data = data.ours,
        .private_size = data.size,
    };
    status = dxgk_hwqueue_create(context, &request, &queue);
    if (NT_SUCCESS(status)) {
        struct dxgk_sync *fence = dxgk_hwqueue_fence(queue);
        arguments->hHwQueue = dxgk_hwqueue_handle(queue);
        arguments->hHwQueueProgressFence = dxgk_sync_handle(fence);
        arguments->HwQueueProgressFenceCPUVirtualAddress = (void CLIENT *)dxgk_sync_memory(fence);
        arguments->HwQueueProgressFenceGPUVirtualAddress = dxgk_hwqueue_fence_address(queue);
        give_back(&data);
    }
    return status;
}
CLIENT_CALL(CreateHwQueue, create_queue, D3DKMT_CREATEHWQUEUE)

static NTSTATUS destroy_queue(struct client_call *call, const D3DKMT_DESTROYHWQUEUE *arguments)
{
    struct dxgk_hwqueue *queue = hwqueue_of(call, arguments->hHwQueue);

    return queue ? dxgk_hwqueue_destroy(queue) : NO_SUCH_OBJECT;
}
CLIENT_CALL_IN(DestroyHwQueue, destroy_queue, D3DKMT_DESTROYHWQUEUE)

/* ---- Work ---------------------------------------------------------------------------------- */

static NTSTATUS submit(struct client_call *call, const D3DKMT_SUBMITCOMMANDTOHWQUEUE *arguments)
{
    struct dxgk_hwqueue *queue = hwqueue_of(call, arguments->hHwQueue);
    void *private_data, *written = NULL;

    if (!queue) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status =
        arguments->NumPrimaries > D3DDDI_MAX_WRITTEN_PRIMARIES
            ? STATUS_INVALID_PARAMETER
            : client_capture(call, arguments->WrittenPrimaries, arguments->NumPrimaries,
                             sizeof(D3DKMT_HANDLE), &written);
    if (NT_SUCCESS(status)) {
        status = client_check_written(call, dxgk_context_device(dxgk_hwqueue_stream(queue)),
                                      written, arguments->NumPrimaries);
    }
    if (NT_SUCCESS(status)) {
        status = client_capture_private(call, arguments->pPrivateDriverData,
                                        arguments->PrivateDriverDataSize, &private_data);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    const struct dxgk_hwqueue_submission submission = {
        .progress_id = arguments->HwQueueProgressFenceId,
        .commands = arguments->CommandBuffer,
        .size_bytes = arguments->CommandLength,
        .private_data = private_data,
        .private_size = arguments->PrivateDriverDataSize,
    };
    return dxgk_hwqueue_submit(queue, &submission);
}
CLIENT_CALL_IN(SubmitCommandToHwQueue, submit, D3DKMT_SUBMITCOMMANDTOHWQUEUE)

/* ---- Waits and signals --------------------------------------------------------------------- */

static NTSTATUS queue_fences(struct client_call *call, struct dxgk_hwqueue *queue,
                             const struct client_fences *fences)
{
    return dxgk_hwqueue_is_users(queue)
               ? STATUS_INVALID_PARAMETER /* its client waits and signals by commands */
               : client_queue_fences(call, dxgk_hwqueue_stream(queue), fences);
}

static NTSTATUS submit_wait(struct client_call *call,
                            const D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE *arguments)
{
    struct dxgk_hwqueue *queue = hwqueue_of(call, arguments->hHwQueue);
    const struct client_fences fences = {
        .handles = arguments->ObjectHandleArray,
        .values = arguments->FenceValueArray,
        .count = arguments->ObjectCount,
    };

    return queue ? queue_fences(call, queue, &fences) : NO_SUCH_OBJECT;
}
CLIENT_CALL_IN(SubmitWaitForSyncObjectsToHwQueue, submit_wait,
               D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE)

static NTSTATUS submit_signal(struct client_call *call,
                              const D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE *arguments)
{
    const struct client_fences fences = {
        .handles = arguments->ObjectHandleArray,
        .values = arguments->FenceValueArray,
        .count = arguments->ObjectCount,
        .signal = true,
    };
    void *queues;

    if (arguments->Flags.Value || arguments->BroadcastHwQueueCount > 1) {
        return STATUS_NOT_SUPPORTED; /* events, and linked adapters */
    }
    if (arguments->BroadcastHwQueueCount == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status =
        client_capture(call, arguments->BroadcastHwQueueArray, 1, sizeof(D3DKMT_HANDLE), &queues);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    struct dxgk_hwqueue *queue = hwqueue_of(call, *(const D3DKMT_HANDLE *)queues);
    return queue ? queue_fences(call, queue, &fences) : NO_SUCH_OBJECT;
}
CLIENT_CALL_IN(SubmitSignalSyncObjectsToHwQueue, submit_signal,
               D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE)
