/* Sync files: one value of a shared monitored fence, behind a handle of the system. That is how the
 * D3DKMT of Linux (WSL) shows fences to other parts of a system; a file descriptor there is such a
 * handle here. */
#include "d3dkmt/internal.h"

static NTSTATUS create(struct client_call *call, D3DKMT_CREATESYNCFILE *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct dxgk_sync *fence = sync_of(call, arguments->hMonitoredFence);
    uint64_t handle;

    if (!device || !fence || !dxgk_sync_memory(fence) ||
        dxgk_sync_adapter(fence) != dxgk_device_adapter(device) ||
        !dxgk_sync_has_nt_security(fence)) {
        return NO_SUCH_OBJECT;
    }
    const struct dxgk_share_list list = {
        .sync = dxgk_sync_shared(fence), .sync_file = true, .value = arguments->FenceValue};
    NTSTATUS status = dxgk_share(call->process, &list, &handle);
    if (NT_SUCCESS(status)) {
        arguments->hSyncFile = handle;
    }
    return status;
}
CLIENT_CALL(CreateSyncFile, create, D3DKMT_CREATESYNCFILE)

/* The caller's process has the fence open for as long as it takes to queue the wait, which keeps
 * what it waits for. */
static NTSTATUS queue_wait(struct client_call *call, struct dxgk_context *context,
                           struct dxgk_sync_core *core, UINT64 value)
{
    const struct dxgk_sync_opening how = {.process = call->process};
    struct dxgk_sync *sync;
    NTSTATUS status = dxgk_sync_open(&how, core, &sync);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    bool ours = client_object(call, dxgk_sync_handle(sync), DXGK_KIND_SYNC, call->process);
    const struct dxgk_sync_batch batch = {.objects = &sync, .values = &value, .count = 1};
    status = ours ? dxgk_sync_queue_each(context, &batch) : STATUS_NO_MEMORY;
    (void)dxgk_sync_destroy(sync); /* another thread may have guessed its handle */
    return status;
}

static NTSTATUS wait(struct client_call *call, const D3DKMT_WAITSYNCFILE *arguments)
{
    struct dxgk_context *context = exact_context_of(call, arguments->hContext);
    UINT64 value;
    struct dxgk_sync_core *core = client_sync_file(call, arguments->hSyncFile, &value);

    if (!context || arguments->Reserved) {
        return NO_SUCH_OBJECT;
    }
    return core ? queue_wait(call, context, core, value) : STATUS_INVALID_HANDLE;
}
CLIENT_CALL_IN(WaitSyncFile, wait, D3DKMT_WAITSYNCFILE)

static NTSTATUS open(struct client_call *call, D3DKMT_OPENSYNCOBJECTFROMSYNCFILE *arguments)
{
    const struct dxgk_sync_opening how = {.device = device_of(call, arguments->hDevice)};
    struct dxgk_sync_core *core =
        client_sync_file(call, arguments->hSyncFile, &arguments->FenceValue);
    struct dxgk_sync *sync;

    if (!how.device) {
        return NO_SUCH_OBJECT;
    }
    if (!core) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = dxgk_fence_open(&how, core, &sync);
    if (NT_SUCCESS(status)) {
        arguments->hSyncObject = dxgk_sync_handle(sync);
        arguments->FenceValueCPUVirtualAddress = dxgk_sync_memory(sync);
        arguments->FenceValueGPUVirtualAddress = dxgk_fence_address(sync);
    }
    return status;
}
CLIENT_CALL(OpenSyncObjectFromSyncFile, open, D3DKMT_OPENSYNCOBJECTFROMSYNCFILE)
