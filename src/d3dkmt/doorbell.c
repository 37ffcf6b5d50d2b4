/* Doorbells of hardware queues that clients submit to by themselves.
 *
 * The pages name a hardware queue where the headers have the doorbell's handle; the headers count.
 */
#include "d3dkmt/internal.h"

static struct dxgk_doorbell *doorbell_of(struct client_call *call, D3DKMT_HANDLE handle)
{
    return client_object(call, handle, DXGK_KIND_DOORBELL, call->process);
}

static void answer(const struct dxgk_doorbell *doorbell, D3DKMT_CREATE_DOORBELL *arguments)
{
    struct dxgk_doorbell_words words = dxgk_doorbell_words(doorbell);

    arguments->hDoorbell = dxgk_doorbell_handle(doorbell);
    arguments->DoorbellCPUVirtualAddress = (void CLIENT *)words.bell;
    arguments->DoorbellSecondaryCPUVirtualAddress = (void CLIENT *)words.second;
    arguments->DoorbellStatusCPUVirtualAddress = (void CLIENT *)words.status;
    arguments->HwQueueProgressFenceLastQueuedValueCPUVirtualAddress =
        (void CLIENT *)words.last_queued;
}

/* As it may be passed in: of the one version that there is. */
static NTSTATUS capture(struct client_call *call, const D3DKMT_CREATE_DOORBELL *arguments,
                        void **data)
{
    if (arguments->PrivateDriverDataSize > D3DDDI_DOORBELL_PRIVATEDATA_MAX_BYTES_WDDM3_1) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture_private(call, arguments->PrivateDriverData,
                                             arguments->PrivateDriverDataSize, data);
    return NT_SUCCESS(status) && arguments->PrivateDriverDataSize > 0
               ? client_probe_write(arguments->PrivateDriverData, arguments->PrivateDriverDataSize)
               : status;
}

static NTSTATUS create(struct client_call *call, D3DKMT_CREATE_DOORBELL *arguments)
{
    struct dxgk_hwqueue *queue = hwqueue_of(call, arguments->hHwQueue);
    const struct dxgk_device *device =
        queue ? dxgk_context_device(dxgk_hwqueue_stream(queue)) : NULL;
    struct dxgk_doorbell_request request = {
        .ring = queue ? opening_of(call, device, arguments->hRingBuffer) : NULL,
        .second = arguments->Flags.RequireSecondaryCpuVA,
        .resizes = arguments->Flags.ResizeRingBufferOperation,
        .private_size = arguments->PrivateDriverDataSize,
    };
    struct dxgk_doorbell *doorbell;

    if (!request.ring) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->hRingBufferControl) {
        request.control = opening_of(call, device, arguments->hRingBufferControl);
        if (!request.control) {
            return NO_SUCH_OBJECT;
        }
    }
    if (arguments->Flags.Reserved) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = capture(call, arguments, &request.private_data);
    if (NT_SUCCESS(status)) {
        status = dxgk_doorbell_create(queue, &request, &doorbell);
    }
    if (NT_SUCCESS(status)) {
        answer(doorbell, arguments);
        if (request.private_size > 0) {
            (void)client_write(arguments->PrivateDriverData, request.private_data,
                               request.private_size);
        }
    }
    return status;
}
CLIENT_CALL(CreateDoorbell, create, D3DKMT_CREATE_DOORBELL)

static NTSTATUS connect(struct client_call *call, const D3DKMT_CONNECT_DOORBELL *arguments)
{
    struct dxgk_doorbell *doorbell = doorbell_of(call, arguments->hDoorbell);

    if (!doorbell) {
        return NO_SUCH_OBJECT;
    }
    return arguments->Flags.Value ? STATUS_INVALID_PARAMETER : dxgk_doorbell_connect(doorbell);
}
CLIENT_CALL(ConnectDoorbell, connect, D3DKMT_CONNECT_DOORBELL)

static NTSTATUS destroy(struct client_call *call, const D3DKMT_DESTROY_DOORBELL *arguments)
{
    struct dxgk_doorbell *doorbell = doorbell_of(call, arguments->hDoorbell);

    return doorbell ? dxgk_doorbell_destroy(doorbell) : NO_SUCH_OBJECT;
}
CLIENT_CALL(DestroyDoorbell, destroy, D3DKMT_DESTROY_DOORBELL)

static NTSTATUS notify(struct client_call *call, const D3DKMT_NOTIFY_WORK_SUBMISSION *arguments)
{
    struct dxgk_doorbell *doorbell = doorbell_of(call, arguments->hDoorbell);

    if (!doorbell) {
        return NO_SUCH_OBJECT;
    }
    return arguments->Flags.Value ? STATUS_INVALID_PARAMETER : dxgk_doorbell_notify(doorbell);
}
CLIENT_CALL(NotifyWorkSubmission, notify, D3DKMT_NOTIFY_WORK_SUBMISSION)
