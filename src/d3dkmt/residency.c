/* Residency: what clients want in place, what may go, and the paging queues that tell them when. */
#include "d3dkmt/internal.h"

/* ---- Paging queues ------------------------------------------------------------------------- */

static NTSTATUS create_queue(struct client_call *call, D3DKMT_CREATEPAGINGQUEUE *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct dxgk_paging_queue *queue;
    int priority = (int)arguments->Priority;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    if (priority < D3DDDI_PAGINGQUEUE_PRIORITY_BELOW_NORMAL ||
        priority > D3DDDI_PAGINGQUEUE_PRIORITY_ABOVE_NORMAL || arguments->PhysicalAdapterIndex) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = dxgk_paging_queue_create(device, priority, &queue);
    if (NT_SUCCESS(status)) {
        struct dxgk_sync *fence = dxgk_paging_queue_fence(queue);
        arguments->hPagingQueue = dxgk_paging_queue_handle(queue);
        arguments->hSyncObject = dxgk_sync_handle(fence);
        arguments->FenceValueCPUVirtualAddress = dxgk_sync_memory(fence);
    }
    return status;
}
CLIENT_CALL(CreatePagingQueue, create_queue, D3DKMT_CREATEPAGINGQUEUE)

static NTSTATUS destroy_queue(struct client_call *call, D3DDDI_DESTROYPAGINGQUEUE *arguments)
{
    struct dxgk_paging_queue *queue = paging_queue_of(call, arguments->hPagingQueue);

    return queue ? dxgk_paging_queue_destroy(queue) : NO_SUCH_OBJECT;
}
CLIENT_CALL(DestroyPagingQueue, destroy_queue, D3DDDI_DESTROYPAGINGQUEUE)

/* ---- Resident or not ----------------------------------------------------------------------- */

/* Priorities are hints for whom memory is short; one for each allocation, if any. */
static NTSTATUS decode_priorities(struct client_call *call, const UINT CLIENT *theirs,
                                  const struct opening_list *list)
{
    void *copy;

    if (!theirs) {
        return STATUS_SUCCESS;
    }
    NTSTATUS status = client_capture(call, theirs, list->count, sizeof(UINT), &copy);
    const UINT *priorities = copy;
    for (UINT i = 0; NT_SUCCESS(status) && i < list->count; i++) {
        if (priorities[i] == 0 || priorities[i] > D3DDDI_ALLOCATIONPRIORITY_MAXIMUM) {
            status = STATUS_INVALID_PARAMETER;
        }
    }
    for (UINT i = 0; NT_SUCCESS(status) && i < list->count; i++) {
        dxgk_opening_set_priority(list->openings[i], priorities[i]);
    }
    return status;
}

static NTSTATUS make_resident(struct client_call *call, D3DDDI_MAKERESIDENT *arguments)
{
    struct dxgk_paging_queue *queue = paging_queue_of(call, arguments->hPagingQueue);
    struct opening_list list;

    if (!queue) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->Flags.Reserved) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_openings(call, dxgk_paging_queue_device(queue),
                                      arguments->AllocationList, arguments->NumAllocations, &list);
    if (NT_SUCCESS(status)) {
        status = decode_priorities(call, arguments->PriorityList, &list);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    struct dxgk_residency_request request = {
        .openings = list.openings,
        .count = list.count,
        .cant_trim = arguments->Flags.CantTrimFurther,
        .must_succeed = arguments->Flags.MustSucceed,
    };
    status = dxgk_make_resident(queue, &request);
    arguments->PagingFenceValue = request.fence_value;
    arguments->NumBytesToTrim = request.trim_bytes;
    call->answers_refusal = status == STATUS_NO_MEMORY;
    return status;
}
CLIENT_CALL(MakeResident, make_resident, D3DDDI_MAKERESIDENT)

/* ---- Priorities ---------------------------------------------------------------------------- */

static NTSTATUS decode_resource(struct client_call *call, struct dxgk_device *device,
                                D3DKMT_HANDLE handle, struct opening_list *list)
{
    struct dxgk_holding *holding = holding_of(call, device, handle);
    void *openings;

    if (!holding) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status =
        client_room(call, LIST_ENTRIES_MAX * sizeof(struct dxgk_opening *), &openings);
    if (NT_SUCCESS(status)) {
        list->openings = openings;
        list->count = dxgk_holding_openings(holding, list->openings, LIST_ENTRIES_MAX);
        status = list->count > 0 ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER; /* a left one */
    }
    for (UINT i = 0; NT_SUCCESS(status) && i < list->count; i++) {
        status = client_hold(call, dxgk_opening_get(list->openings[i])) ? status : STATUS_NO_MEMORY;
    }
    return status;
}

/* One priority for each allocation of a list; one for all of a resource's. */
static NTSTATUS set_priority(struct client_call *call,
                             const D3DKMT_SETALLOCATIONPRIORITY *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    bool whole = arguments->hResource != 0;
    struct opening_list list;
    void *copy;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = whole ? decode_resource(call, device, arguments->hResource, &list)
                            : client_openings(call, device, arguments->phAllocationList,
                                              arguments->AllocationCount, &list);
    if (NT_SUCCESS(status)) {
        status = client_capture(call, arguments->pPriorities, whole ? 1 : list.count, sizeof(UINT),
                                &copy);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    const UINT *priorities = copy;
    for (UINT i = 0; i < (whole ? 1 : list.count); i++) {
        if (priorities[i] == 0 || priorities[i] > D3DDDI_ALLOCATIONPRIORITY_MAXIMUM) {
            return STATUS_INVALID_PARAMETER;
        }
    }
    for (UINT i = 0; i < list.count; i++) {
        dxgk_opening_set_priority(list.openings[i], priorities[whole ? 0 : i]);
    }
    return STATUS_SUCCESS;
}
CLIENT_CALL_IN(SetAllocationPriority, set_priority, D3DKMT_SETALLOCATIONPRIORITY)

/* One priority for each allocation of a list, or of the resource. */
static NTSTATUS get_priority(struct client_call *call,
                             const D3DKMT_GETALLOCATIONPRIORITY *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct opening_list list;
    void *room;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = arguments->hResource
                          ? decode_resource(call, device, arguments->hResource, &list)
                          : client_openings(call, device, arguments->phAllocationList,
                                            arguments->AllocationCount, &list);
    if (NT_SUCCESS(status)) {
        status = client_room(call, list.count * sizeof(UINT), &room);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    UINT *priorities = room;
    for (UINT i = 0; i < list.count; i++) {
        priorities[i] = dxgk_opening_priority(list.openings[i]);
    }
    return client_write(arguments->pPriorities, priorities, list.count * sizeof(UINT));
}
CLIENT_CALL_IN(GetAllocationPriority, get_priority, D3DKMT_GETALLOCATIONPRIORITY)

static D3DKMT_ALLOCATIONRESIDENCYSTATUS residence_of(const struct dxgk_opening *opening)
{
    switch (dxgk_opening_residence(opening)) {
    case DXGK_IN_MEMORY:
        return D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY;
    case DXGK_IN_APERTURE:
        return D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINSHAREDMEMORY;
    default:
        return D3DKMT_ALLOCATIONRESIDENCYSTATUS_NOTRESIDENT;
    }
}

/* One answer for each allocation of a list; for a resource one: where the farthest of it is. */
static NTSTATUS query_residency(struct client_call *call,
                                const D3DKMT_QUERYALLOCATIONRESIDENCY *arguments)
{
    D3DKMT_ALLOCATIONRESIDENCYSTATUS farthest =
        D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY;
    D3DKMT_ALLOCATIONRESIDENCYSTATUS CLIENT *answers = arguments->pResidencyStatus;
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    bool whole = arguments->hResource != 0;
    struct opening_list list;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = whole ? decode_resource(call, device, arguments->hResource, &list)
                            : client_openings(call, device, arguments->phAllocationList,
                                              arguments->AllocationCount, &list);
    if (NT_SUCCESS(status)) {
        status = client_probe_write(answers, (whole ? 1 : list.count) * sizeof *answers);
    }
    for (UINT i = 0; NT_SUCCESS(status) && i < list.count; i++) {
        D3DKMT_ALLOCATIONRESIDENCYSTATUS one = residence_of(list.openings[i]);
        farthest = one > farthest ? one : farthest;
        status = whole ? status : client_write(&answers[i], &one, sizeof one);
    }
    return NT_SUCCESS(status) && whole ? client_write(answers, &farthest, sizeof farthest) : status;
}
CLIENT_CALL_IN(QueryAllocationResidency, query_residency, D3DKMT_QUERYALLOCATIONRESIDENCY)

/* A device that wants nothing, as before WDDM 2.0: it goes at once. So a client makes memory
 * move. */
static NTSTATUS evict_now(const struct opening_list *list)
{
    NTSTATUS status = STATUS_SUCCESS;

    for (UINT i = 0; NT_SUCCESS(status) && i < list->count; i++) {
        status = dxgk_evict(list->openings[i]);
    }
    return status;
}

static NTSTATUS evict(struct client_call *call, D3DKMT_EVICT *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct opening_list list;
    UINT64 trim_bytes = 0;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->Flags.Reserved) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status =
        client_openings(call, device, arguments->AllocationList, arguments->NumAllocations, &list);
    if (NT_SUCCESS(status)) {
        status = dxgk_evict_list(device, list.openings, list.count, &trim_bytes);
        if (status == STATUS_NOT_SUPPORTED) {
            status = evict_now(&list);
        }
    }
    arguments->NumBytesToTrim = trim_bytes;
    return status;
}
CLIENT_CALL(Evict, evict, D3DKMT_EVICT)

/* ---- Other properties ---------------------------------------------------------------------- */

/* What is unmoveable would be so for all others, too: nobody may ask for that. */
static NTSTATUS update_property(struct client_call *call, D3DDDI_UPDATEALLOCPROPERTY *arguments)
{
    struct dxgk_paging_queue *queue = paging_queue_of(call, arguments->hPagingQueue);
    struct dxgk_opening *opening =
        queue ? opening_of(call, dxgk_paging_queue_device(queue), arguments->hAllocation) : NULL;

    if (!opening) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->Reserved || arguments->PropertyMaskValue == 0 || arguments->Flags.Reserved ||
        arguments->PreferredSegment.Reserved) {
        return STATUS_INVALID_PARAMETER;
    }
    if (arguments->SetUnmoveable) {
        return STATUS_NOT_SUPPORTED;
    }
    struct dxgk_property_request request = {
        .opening = opening,
        .set_physical = arguments->SetAccessedPhysically,
        .set_segments = arguments->SetSupportedSegmentSet,
        .set_preference = arguments->SetPreferredSegment,
        .physical = arguments->Flags.AccessedPhysically,
        .segments = arguments->SupportedSegmentSet,
        .preference = arguments->PreferredSegment,
    };
    NTSTATUS status = dxgk_update_property(queue, &request);
    arguments->PagingFenceValue = request.fence_value;
    return status;
}
CLIENT_CALL(UpdateAllocationProperty, update_property, D3DDDI_UPDATEALLOCPROPERTY)

/* ---- Offers -------------------------------------------------------------------------------- */

/* Offers name allocations; lists of resources are not served. */
struct offer_names {
    D3DKMT_HANDLE device;
    const D3DKMT_HANDLE CLIENT *resources;
    const D3DKMT_HANDLE CLIENT *allocations;
    UINT count;
};

static NTSTATUS decode_names(struct client_call *call, struct dxgk_device *device,
                             const struct offer_names *names, struct opening_list *list)
{
    if (names->resources) {
        return names->allocations ? STATUS_INVALID_PARAMETER : STATUS_NOT_SUPPORTED;
    }
    return client_openings(call, device, names->allocations, names->count, list);
}

static NTSTATUS decode_offer(struct client_call *call, const struct offer_names *names,
                             struct opening_list *list)
{
    struct dxgk_device *device = device_of(call, names->device);

    return device ? decode_names(call, device, names, list) : NO_SUCH_OBJECT;
}

static NTSTATUS offer(struct client_call *call, const D3DKMT_OFFERALLOCATIONS *arguments)
{
    const struct offer_names names = {arguments->hDevice, arguments->pResources,
                                      arguments->HandleList, arguments->NumAllocations};
    struct opening_list list;

    if ((unsigned)arguments->Priority - D3DKMT_OFFER_PRIORITY_LOW >
            D3DKMT_OFFER_PRIORITY_AUTO - D3DKMT_OFFER_PRIORITY_LOW ||
        arguments->Flags.Reserved) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = decode_offer(call, &names, &list);
    for (UINT i = 0; NT_SUCCESS(status) && i < list.count; i++) {
        status = dxgk_may_offer(list.openings[i]);
    }
    for (UINT i = 0; NT_SUCCESS(status) && i < list.count; i++) {
        status = dxgk_offer(list.openings[i]);
    }
    return status;
}
CLIENT_CALL_IN(OfferAllocations, offer, D3DKMT_OFFERALLOCATIONS)

static NTSTATUS reclaim(struct client_call *call, const D3DKMT_RECLAIMALLOCATIONS *arguments)
{
    const struct offer_names names = {arguments->hDevice, arguments->pResources,
                                      arguments->HandleList, arguments->NumAllocations};
    BOOL CLIENT *answers = arguments->pDiscarded;
    struct opening_list list;
    NTSTATUS status = decode_offer(call, &names, &list);

    if (NT_SUCCESS(status) && answers) {
        status = client_probe_write(answers, list.count * sizeof(BOOL));
    }
    for (UINT i = 0; NT_SUCCESS(status) && i < list.count; i++) {
        BOOL discarded = dxgk_reclaim(list.openings[i]);
        if (answers) {
            status = client_write(&answers[i], &discarded, sizeof discarded);
        }
    }
    return status;
}
CLIENT_CALL_IN(ReclaimAllocations, reclaim, D3DKMT_RECLAIMALLOCATIONS)

/* The results are BOOLs for older clients: 0 and 1 mean the same to both, and system memory is got
 * when it is needed, so that there is no third. */
static NTSTATUS answer_reclaim(const D3DKMT_RECLAIMALLOCATIONS2 *arguments, const bool *discarded,
                               UINT count)
{
    NTSTATUS status = STATUS_SUCCESS;

    for (UINT i = 0; NT_SUCCESS(status) && arguments->pResults && i < count; i++) {
        D3DDDI_RECLAIM_RESULT result =
            discarded[i] ? D3DDDI_RECLAIM_RESULT_DISCARDED : D3DDDI_RECLAIM_RESULT_OK;
        status = client_write(&arguments->pResults[i], &result, sizeof result);
    }
    return status;
}

static NTSTATUS reclaim_second(struct client_call *call, D3DKMT_RECLAIMALLOCATIONS2 *arguments)
{
    const struct offer_names names = {0, arguments->pResources, arguments->HandleList,
                                      arguments->NumAllocations};
    struct dxgk_paging_queue *queue = paging_queue_of(call, arguments->hPagingQueue);
    struct opening_list list;
    void *discarded;

    if (!queue) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = decode_names(call, dxgk_paging_queue_device(queue), &names, &list);
    if (NT_SUCCESS(status) && arguments->pResults) {
        status = client_probe_write(arguments->pResults, list.count * sizeof *arguments->pResults);
    }
    if (NT_SUCCESS(status)) {
        status = client_room(call, list.count * sizeof(bool), &discarded);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    struct dxgk_reclaim_request request = {
        .openings = list.openings, .count = list.count, .discarded = discarded};
    status = dxgk_reclaim_list(queue, &request);
    arguments->PagingFenceValue = request.fence_value;
    if (!NT_SUCCESS(status)) {
        return status;
    }
    NTSTATUS answered = answer_reclaim(arguments, discarded, list.count);
    return NT_SUCCESS(answered) ? status : answered;
}
CLIENT_CALL(ReclaimAllocations2, reclaim_second, D3DKMT_RECLAIMALLOCATIONS2)
