/* What a process has of the memory of an adapter: budgets, reservations, commitment; caches. */
#include "d3dkmt/internal.h"

struct group_names {
    HANDLE process;
    D3DKMT_HANDLE adapter;
    D3DKMT_MEMORY_SEGMENT_GROUP group;
    UINT physical_adapter;
};

static NTSTATUS decode_group(struct client_call *call, const struct group_names *names,
                             struct dxgk_adapter **adapter)
{
    *adapter = adapter_of(call, names->adapter);
    if (!*adapter) {
        return NO_SUCH_OBJECT;
    }
    if ((unsigned)names->group > D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL ||
        names->physical_adapter != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    return client_names_caller(names->process) ? STATUS_SUCCESS : STATUS_INVALID_HANDLE;
}

static NTSTATUS query_memory(struct client_call *call, D3DKMT_QUERYVIDEOMEMORYINFO *arguments)
{
    const struct group_names names = {arguments->hProcess, arguments->hAdapter,
                                      arguments->MemorySegmentGroup,
                                      arguments->PhysicalAdapterIndex};
    struct dxgk_memory_info info;
    struct dxgk_adapter *adapter;
    NTSTATUS status = decode_group(call, &names, &adapter);

    if (NT_SUCCESS(status)) {
        status = dxgk_process_memory(call->process, adapter, (unsigned)names.group, &info);
    }
    if (NT_SUCCESS(status)) {
        arguments->Budget = info.budget_bytes;
        arguments->CurrentUsage = info.usage_bytes;
        arguments->CurrentReservation = info.reservation_bytes;
        arguments->AvailableForReservation = info.reservable_bytes;
    }
    return status;
}
CLIENT_CALL(QueryVideoMemoryInfo, query_memory, D3DKMT_QUERYVIDEOMEMORYINFO)

static NTSTATUS change_reservation(struct client_call *call,
                                   const D3DKMT_CHANGEVIDEOMEMORYRESERVATION *arguments)
{
    const struct group_names names = {arguments->hProcess, arguments->hAdapter,
                                      arguments->MemorySegmentGroup,
                                      arguments->PhysicalAdapterIndex};
    struct dxgk_adapter *adapter;
    NTSTATUS status = decode_group(call, &names, &adapter);

    return NT_SUCCESS(status) ? dxgk_process_reserve(call->process, adapter, (unsigned)names.group,
                                                     arguments->Reservation)
                              : status;
}
CLIENT_CALL_IN(ChangeVideoMemoryReservation, change_reservation,
               D3DKMT_CHANGEVIDEOMEMORYRESERVATION)

/* Lazy, or OnlyRepurposed: what has its place still may keep it. */
static NTSTATUS trim_commitment(struct client_call *call, D3DKMT_TRIMPROCESSCOMMITMENT *arguments)
{
    D3DKMT_TRIMPROCESSCOMMITMENT_FLAGS flags = arguments->Flags;

    if (arguments->cbSize != sizeof *arguments || flags.Reserved ||
        !client_names_caller(arguments->hProcess)) {
        return STATUS_INVALID_PARAMETER;
    }
    arguments->NumBytesDecommitted = dxgk_process_trim(call->process, arguments->DecommitRequested,
                                                       flags.Lazy || flags.OnlyRepurposed);
    return STATUS_SUCCESS;
}
CLIENT_CALL(TrimProcessCommitment, trim_commitment, D3DKMT_TRIMPROCESSCOMMITMENT)

/* The CPUs here see every byte at once: there is nothing to do. */
static NTSTATUS invalidate_cache(struct client_call *call, const D3DKMT_INVALIDATECACHE *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct dxgk_opening *opening = device ? opening_of(call, device, arguments->hAllocation) : NULL;

    if (!opening) {
        return NO_SUCH_OBJECT;
    }
    uint64_t size = dxgk_opening_size(opening);
    return arguments->Offset <= size && arguments->Length <= size - arguments->Offset
               ? STATUS_SUCCESS
               : STATUS_INVALID_PARAMETER;
}
CLIENT_CALL_IN(InvalidateCache, invalidate_cache, D3DKMT_INVALIDATECACHE)
