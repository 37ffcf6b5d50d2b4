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

/* ---- Updates ------------------------------------------------------------------------------- */

static NTSTATUS decode_map(struct client_call *call, struct dxgk_device *device,
                           const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION *operation,
                           struct dxgk_remap_step *step)
{
    bool protects = operation->OperationType == D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP_PROTECT;

    *step = (struct dxgk_remap_step){
        .kind = DXGK_REMAP_MAP,
        .address = operation->Map.BaseAddress,
        .size_bytes = operation->Map.SizeInBytes,
        .opening = opening_of(call, device, operation->Map.hAllocation),
        .offset = operation->Map.AllocationOffsetInBytes,
        .part_bytes = operation->Map.AllocationSizeInBytes,
        .protection = {.Write = 1, .Execute = 1},
    };
    if (protects) { /* the two forms begin alike */
        step->protection = operation->MapProtect.Protection;
        step->driver_protection = operation->MapProtect.DriverProtection;
    }
    if (!step->opening) {
        return NO_SUCH_OBJECT;
    }
    return step->protection.Value >> 2 ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}
_Static_assert(offsetof(D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION, Map.AllocationSizeInBytes) ==
                   offsetof(D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION,
                            MapProtect.AllocationSizeInBytes),
               "Map and MapProtect begin alike");

static NTSTATUS decode_step(struct client_call *call, struct dxgk_device *device,
                            const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION *operation,
                            struct dxgk_remap_step *step)
{
    switch (operation->OperationType) {
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP:
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP_PROTECT:
        return decode_map(call, device, operation, step);
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP:
        *step = (struct dxgk_remap_step){
            .kind = DXGK_REMAP_UNMAP,
            .address = operation->Unmap.BaseAddress,
            .size_bytes = operation->Unmap.SizeInBytes,
            .protection = operation->Unmap.Protection,
        };
        return step->protection.Value & ~UINT64_C(0xC) ||
                       (step->protection.Zero && step->protection.NoAccess)
                   ? STATUS_INVALID_PARAMETER
                   : STATUS_SUCCESS;
    case D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY:
        *step = (struct dxgk_remap_step){
            .kind = DXGK_REMAP_COPY,
            .address = operation->Copy.DestAddress,
            .size_bytes = operation->Copy.SizeInBytes,
            .source = operation->Copy.SourceAddress,
        };
        return STATUS_SUCCESS;
    default:
        return STATUS_INVALID_PARAMETER;
    }
}

static NTSTATUS update(struct client_call *call, const D3DKMT_UPDATEGPUVIRTUALADDRESS *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct dxgk_context *context = exact_context_of(call, arguments->hContext);
    struct dxgk_sync *fence = sync_of(call, arguments->hFenceObject);
    void *operations, *steps;

    if (!device || !context || !fence || dxgk_context_device(context) != device ||
        dxgk_sync_adapter(fence) != dxgk_device_adapter(device)) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->NumOperations == 0 || arguments->NumOperations > LIST_ENTRIES_MAX ||
        arguments->Reserved0 || arguments->Reserved1 || arguments->Flags.Reserved) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture(call, arguments->Operations, arguments->NumOperations,
                                     sizeof(D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION), &operations);
    if (NT_SUCCESS(status)) {
        status =
            client_room(call, arguments->NumOperations * sizeof(struct dxgk_remap_step), &steps);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    const struct dxgk_remap_request request = {
        .steps = steps,
        .count = arguments->NumOperations,
        .fence = fence,
        .value = arguments->FenceValue,
        .at_once = arguments->Flags.DoNotWait,
    };
    for (UINT i = 0; NT_SUCCESS(status) && i < request.count; i++) {
        status = decode_step(call, device,
                             &((const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION *)operations)[i],
                             &((struct dxgk_remap_step *)steps)[i]);
    }
    return NT_SUCCESS(status) ? dxgk_remap_addresses(context, &request) : status;
}
CLIENT_CALL_IN(UpdateGpuVirtualAddress, update, D3DKMT_UPDATEGPUVIRTUALADDRESS)

/* ---- Work ---------------------------------------------------------------------------------- */

static NTSTATUS submit(struct client_call *call, const D3DKMT_SUBMITCOMMAND *arguments)
{
    struct dxgk_context *contexts[D3DDDI_MAX_BROADCAST_CONTEXT];
    void *private_data;

    if (arguments->BroadcastContextCount == 0 ||
        arguments->BroadcastContextCount > D3DDDI_MAX_BROADCAST_CONTEXT ||
        arguments->Flags.Reserved) {
        return STATUS_INVALID_PARAMETER;
    }
    if (arguments->NumHistoryBuffers) {
        return STATUS_NOT_SUPPORTED; /* reserved */
    }
    for (UINT i = 0; i < arguments->BroadcastContextCount; i++) {
        contexts[i] = exact_context_of(call, arguments->BroadcastContext[i]);
        if (!contexts[i]) {
            return NO_SUCH_OBJECT;
        }
    }
    NTSTATUS status = client_check_written(call, dxgk_context_device(contexts[0]),
                                           arguments->WrittenPrimaries, arguments->NumPrimaries);
    if (NT_SUCCESS(status)) {
        status = client_capture_private(call, arguments->pPrivateDriverData,
                                        arguments->PrivateDriverDataSize, &private_data);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    const struct dxgk_virtual_request request = {
        .contexts = contexts,
        .context_count = arguments->BroadcastContextCount,
        .commands = arguments->Commands,
        .size_bytes = arguments->CommandLength,
        .private_data = private_data,
        .private_size = arguments->PrivateDriverDataSize,
        .null_rendering = arguments->Flags.NullRendering,
        .redirected = arguments->Flags.PresentRedirected,
    };
    return dxgk_submit_virtual(&request);
}
CLIENT_CALL_IN(SubmitCommand, submit, D3DKMT_SUBMITCOMMAND)
