/* GPU virtual addresses: given, shown and freed; and work that names them. */
#include "d3dkmt/internal.h"

/* ---- Addresses ----------------------------------------------------------------------------- */

static NTSTATUS map(struct client_call *call, D3DDDI_MAPGPUVIRTUALADDRESS *arguments)
{
    struct dxgk_paging_queue *queue = paging_queue_of(call, arguments->hPagingQueue);
    struct dxgk_map_request request = {
        .base = arguments->BaseAddress,
        .minimum = arguments->MinimumAddress,
        .maximum = arguments->MaximumAddress,
        .page_first = arguments->OffsetInPages,
        .page_count = arguments->SizeInPages,
        .protection = arguments->Protection,
        .driver_protection = arguments->DriverProtection,
    };

    if (!queue) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->hAllocation) {
        request.opening = opening_of(call, dxgk_paging_queue_device(queue), arguments->hAllocation);
        if (!request.opening) {
            return NO_SUCH_OBJECT;
        }
    }
    if (arguments->Reserved0 || arguments->Reserved1) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = dxgk_map_addresses(queue, &request);
    if (NT_SUCCESS(status)) {
        arguments->VirtualAddress = request.address;
        arguments->PagingFenceValue = request.fence_value;
    }
    return status;
}
CLIENT_CALL(MapGpuVirtualAddress, map, D3DDDI_MAPGPUVIRTUALADDRESS)

/* Older clients name the adapter where newer ones name a paging queue, and have no types. */
static NTSTATUS reserve(struct client_call *call, D3DDDI_RESERVEGPUVIRTUALADDRESS *arguments)
{
    struct dxgk_paging_queue *queue = paging_queue_of(call, arguments->hPagingQueue);
    struct dxgk_adapter *adapter = queue ? dxgk_device_adapter(dxgk_paging_queue_device(queue))
                                         : adapter_of(call, arguments->hAdapter);
    struct dxgk_reserve_request request = {
        .base = arguments->BaseAddress,
        .minimum = arguments->MinimumAddress,
        .maximum = arguments->MaximumAddress,
        .size_bytes = arguments->Size,
        .zero = queue && arguments->ReservationType == D3DDDIGPUVIRTUALADDRESS_RESERVE_ZERO,
        .driver_protection = queue ? arguments->DriverProtection : 0,
    };

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    if (queue ? (unsigned)arguments->ReservationType > D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT
              : arguments->Reserved0 || arguments->Reserved1) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = dxgk_reserve_addresses(call->process, adapter, queue, &request);
    if (NT_SUCCESS(status)) {
        arguments->VirtualAddress = request.address;
        arguments->PagingFenceValue = request.fence_value;
    }
    return status;
}
CLIENT_CALL(ReserveGpuVirtualAddress, reserve, D3DDDI_RESERVEGPUVIRTUALADDRESS)

static NTSTATUS free_addresses(struct client_call *call,
                               const D3DKMT_FREEGPUVIRTUALADDRESS *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);

    return adapter ? dxgk_free_addresses(call->process, adapter, arguments->BaseAddress,
                                         arguments->Size)
                   : NO_SUCH_OBJECT;
}
CLIENT_CALL_IN(FreeGpuVirtualAddress, free_addresses, D3DKMT_FREEGPUVIRTUALADDRESS)

/* ---- Work ---------------------------------------------------------------------------------- */

static NTSTATUS submit(struct client_call *call, const D3DKMT_SUBMITCOMMAND *arguments)
{
    struct dxgk_context *context;
    void *private_data;

    if (arguments->BroadcastContextCount == 0 ||
        arguments->BroadcastContextCount > D3DDDI_MAX_BROADCAST_CONTEXT ||
        arguments->Flags.Reserved || arguments->NumPrimaries > D3DDDI_MAX_WRITTEN_PRIMARIES) {
        return STATUS_INVALID_PARAMETER;
    }
    if (arguments->BroadcastContextCount > 1 || arguments->Flags.PresentRedirected ||
        arguments->NumPrimaries || arguments->NumHistoryBuffers) {
        return STATUS_NOT_SUPPORTED; /* linked adapters, a compositor, and what it wants to know */
    }
    context = exact_context_of(call, arguments->BroadcastContext[0]);
    if (!context) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = client_capture_private(call, arguments->pPrivateDriverData,
                                             arguments->PrivateDriverDataSize, &private_data);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    const struct dxgk_virtual_request request = {
        .commands = arguments->Commands,
        .size_bytes = arguments->CommandLength,
        .private_data = private_data,
        .private_size = arguments->PrivateDriverDataSize,
        .null_rendering = arguments->Flags.NullRendering,
    };
    return dxgk_submit_virtual(context, &request);
}
CLIENT_CALL_IN(SubmitCommand, submit, D3DKMT_SUBMITCOMMAND)
