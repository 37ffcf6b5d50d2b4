/* Allocations and resources: making, opening, destroying, and the CPU's access to them. */
#include "d3dkmt/internal.h"

#include <stdlib.h>
#include <string.h>

#include "drydock/client.h"

/* ---- Creating ------------------------------------------------------------------------------ */

/* The two forms of an element differ in length. */
struct element {
    D3DKMT_HANDLE *handle;
    const void *system_memory;
    void *private_data;
    UINT private_size;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID source;
    bool primary, stereo;
};

static struct element element_at(const D3DKMT_CREATEALLOCATION *arguments, bool second, UINT i)
{
    if (second) {
        D3DDDI_ALLOCATIONINFO2 *info = &arguments->pAllocationInfo2[i];
        return (struct element){
            .handle = &info->hAllocation,
            .system_memory = info->pSystemMem,
            .private_data = info->pPrivateDriverData,
            .private_size = info->PrivateDriverDataSize,
            .source = info->VidPnSourceId,
            .primary = info->Flags.Primary,
            .stereo = info->Flags.Stereo,
        };
    }
    D3DDDI_ALLOCATIONINFO *info = &arguments->pAllocationInfo[i];
    return (struct element){
        .handle = &info->hAllocation,
        .system_memory = info->pSystemMem,
        .private_data = info->pPrivateDriverData,
        .private_size = info->PrivateDriverDataSize,
        .source = info->VidPnSourceId,
        .primary = info->Flags.Primary,
        .stereo = info->Flags.Stereo,
    };
}

/* What is refused for good comes first, then what is not there yet. */
static NTSTATUS check_creation(const D3DKMT_CREATEALLOCATION *arguments)
{
    D3DKMT_CREATEALLOCATIONFLAGS flags = arguments->Flags;

    if (arguments->NumAllocations == 0 ||
        arguments->NumAllocations > DXGK_ALLOCATIONS_PER_CALL_MAX || !arguments->pAllocationInfo ||
        (flags.CreateShared && !flags.CreateResource) ||
        (flags.CreateResource && arguments->hResource)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (arguments->hResource || flags.ExistingSysMem || flags.ExistingSection ||
        flags.StandardAllocation || flags.CrossAdapter || flags.NtSecuritySharing ||
        flags.CreateProtected) {
        return STATUS_NOT_SUPPORTED;
    }
    return STATUS_SUCCESS;
}

static void free_requests(struct dxgk_allocation_request *requests, UINT count)
{
    for (UINT i = 0; requests && i < count; i++) {
        nt_memory_free(requests[i].private_data);
    }
    free(requests);
}

static NTSTATUS decode_requests(const D3DKMT_CREATEALLOCATION *arguments, bool second,
                                struct dxgk_allocation_request **out)
{
    struct dxgk_allocation_request *requests = calloc(arguments->NumAllocations, sizeof *requests);
    NTSTATUS status = requests ? STATUS_SUCCESS : STATUS_NO_MEMORY;

    for (UINT i = 0; NT_SUCCESS(status) && i < arguments->NumAllocations; i++) {
        struct element element = element_at(arguments, second, i);
        if (element.system_memory || element.stereo) {
            status = STATUS_NOT_SUPPORTED;
            break;
        }
        requests[i].private_size = element.private_size;
        requests[i].source = element.source;
        requests[i].primary = element.primary;
        status = capture(element.private_data, element.private_size, &requests[i].private_data);
    }
    if (!NT_SUCCESS(status)) {
        free_requests(requests, arguments->NumAllocations);
        return status;
    }
    *out = requests;
    return STATUS_SUCCESS;
}

/* The driver may have written its choices into the private data. */
static void answer_creation(D3DKMT_CREATEALLOCATION *arguments, bool second,
                            const struct dxgk_allocation_request *requests)
{
    for (UINT i = 0; i < arguments->NumAllocations; i++) {
        struct element element = element_at(arguments, second, i);
        *element.handle = dxgk_opening_handle(requests[i].opening);
        if (element.private_size > 0) {
            memcpy(element.private_data, requests[i].private_data, element.private_size);
        }
    }
}

static NTSTATUS create(struct dxgk_process *process, D3DKMT_CREATEALLOCATION *arguments,
                       bool second)
{
    struct dxgk_device *device = device_of(process, arguments->hDevice);
    struct dxgk_allocation_request *requests;
    struct dxgk_resource *resource = NULL;
    void *private_data;

    if (!device) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = check_creation(arguments);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    status =
        capture(arguments->pPrivateDriverData, arguments->PrivateDriverDataSize, &private_data);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    status = decode_requests(arguments, second, &requests);
    if (NT_SUCCESS(status)) {
        status = dxgk_allocations_create(device, private_data, arguments->PrivateDriverDataSize,
                                         arguments->Flags.CreateResource, requests,
                                         arguments->NumAllocations, &resource);
        if (NT_SUCCESS(status)) {
            answer_creation(arguments, second, requests);
            arguments->hResource = resource ? dxgk_resource_handle(resource) : 0;
            arguments->hGlobalShare =
                arguments->Flags.CreateShared ? dxgk_resource_share(resource) : 0;
        }
        free_requests(requests, arguments->NumAllocations);
    }
    nt_memory_free(private_data);
    return status;
}

static NTSTATUS create_first(struct dxgk_process *process, D3DKMT_CREATEALLOCATION *arguments)
{
    return create(process, arguments, false);
}
CLIENT_CALL(CreateAllocation, HOLD_SHARED, create_first, D3DKMT_CREATEALLOCATION)

static NTSTATUS create_second(struct dxgk_process *process, D3DKMT_CREATEALLOCATION *arguments)
{
    return create(process, arguments, true);
}
CLIENT_CALL(CreateAllocation2, HOLD_SHARED, create_second, D3DKMT_CREATEALLOCATION)

/* ---- Standard allocations ------------------------------------------------------------------ */

static NTSTATUS create_standard(struct dxgk_process *process,
                                struct drydock_standard_allocation *arguments)
{
    static const D3DKMDT_STANDARDALLOCATION_TYPE types[] = {
        [DRYDOCK_SURFACE_PRIMARY] = D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE,
        [DRYDOCK_SURFACE_SHADOW] = D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE,
        [DRYDOCK_SURFACE_STAGING] = D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE,
    };
    struct dxgk_device *device = device_of(process, arguments->hDevice);
    struct dxgk_opening *opening;

    if (!device) {
        return STATUS_INVALID_HANDLE;
    }
    if ((unsigned)arguments->kind >= sizeof types / sizeof *types) {
        return STATUS_INVALID_PARAMETER;
    }
    struct dxgk_standard_request request = {
        .type = types[arguments->kind],
        .width = arguments->width,
        .height = arguments->height,
        .format = arguments->format,
        .source = arguments->kind == DRYDOCK_SURFACE_PRIMARY ? arguments->source : 0,
    };
    NTSTATUS status = dxgk_standard_create(device, &request, &opening);
    if (NT_SUCCESS(status)) {
        struct dxgk_resource *resource = dxgk_opening_resource(opening);
        arguments->pitch = request.pitch;
        arguments->size_bytes = dxgk_opening_size(opening);
        arguments->hAllocation = dxgk_opening_handle(opening);
        arguments->hResource = dxgk_resource_handle(resource);
        arguments->hGlobalShare = arguments->shared ? dxgk_resource_share(resource) : 0;
    }
    return status;
}

NTSTATUS drydock_create_standard_allocation(struct drydock_standard_allocation *arguments)
{
    NTSTATUS status;
    struct dxgk_process *process = client_enter(HOLD_SHARED, arguments, &status);

    if (process) {
        status = create_standard(process, arguments);
    }
    return client_leave(process, HOLD_SHARED, D3DKMT_CALL_CreateStandardAllocation, status);
}

/* ---- Lists of handles ---------------------------------------------------------------------- */

static int compare_openings(const void *a, const void *b)
{
    D3DKMT_HANDLE first = dxgk_opening_handle(*(struct dxgk_opening *const *)a);
    D3DKMT_HANDLE second = dxgk_opening_handle(*(struct dxgk_opening *const *)b);

    return first < second ? -1 : first > second;
}

static bool names_one_twice(struct dxgk_opening *const *openings, UINT count)
{
    struct dxgk_opening **sorted = malloc(count * sizeof(struct dxgk_opening *));
    bool twice = !sorted; /* without memory nothing is taken for granted */

    if (sorted) {
        memcpy(sorted, openings, count * sizeof(struct dxgk_opening *));
        qsort(sorted, count, sizeof(struct dxgk_opening *), compare_openings);
        for (UINT i = 1; i < count; i++) {
            twice |= sorted[i] == sorted[i - 1];
        }
    }
    free(sorted);
    return twice;
}

/* A malloc'ed list of the device's openings with these handles. */
static NTSTATUS decode_list(struct dxgk_process *process, struct dxgk_device *device,
                            const D3DKMT_HANDLE *handles, UINT count, struct dxgk_opening ***out)
{
    if (count == 0 || count > LIST_ENTRIES_MAX || !handles) {
        return STATUS_INVALID_PARAMETER;
    }
    struct dxgk_opening **openings = calloc(count, sizeof(struct dxgk_opening *));
    if (!openings) {
        return STATUS_NO_MEMORY;
    }
    for (UINT i = 0; i < count; i++) {
        openings[i] = opening_of(process, device, handles[i]);
        if (!openings[i]) {
            free(openings);
            return STATUS_INVALID_HANDLE;
        }
    }
    *out = openings;
    return STATUS_SUCCESS;
}

/* Either a resource or a list. */
static NTSTATUS decode_either(struct dxgk_process *process, struct dxgk_device *device,
                              D3DKMT_HANDLE resource_handle, const D3DKMT_HANDLE *handles,
                              UINT *count, struct dxgk_opening ***out)
{
    if (!resource_handle) {
        return decode_list(process, device, handles, *count, out);
    }
    struct dxgk_resource *resource = resource_of(device, resource_handle);
    if (!resource) {
        return STATUS_INVALID_HANDLE;
    }
    struct dxgk_opening **openings = calloc(LIST_ENTRIES_MAX, sizeof(struct dxgk_opening *));
    if (!openings) {
        return STATUS_NO_MEMORY;
    }
    *count = dxgk_resource_openings(resource, device, openings, LIST_ENTRIES_MAX);
    *out = openings;
    return STATUS_SUCCESS;
}

/* ---- Destroying ---------------------------------------------------------------------------- */

static NTSTATUS destroy(struct dxgk_process *process, const D3DKMT_DESTROYALLOCATION2 *arguments)
{
    struct dxgk_device *device = device_of(process, arguments->hDevice);
    struct dxgk_opening **openings;
    NTSTATUS status;

    if (!device) {
        return STATUS_INVALID_HANDLE;
    }
    if (arguments->hResource) {
        struct dxgk_resource *resource = resource_of(device, arguments->hResource);
        return resource ? dxgk_allocations_destroy(device, resource, NULL, 0)
                        : STATUS_INVALID_HANDLE;
    }
    status = decode_list(process, device, arguments->phAllocationList, arguments->AllocationCount,
                         &openings);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    status = names_one_twice(openings, arguments->AllocationCount)
                 ? STATUS_INVALID_PARAMETER
                 : dxgk_allocations_destroy(device, NULL, openings, arguments->AllocationCount);
    free(openings);
    return status;
}
CLIENT_CALL(DestroyAllocation2, HOLD_EXCLUSIVE, destroy, const D3DKMT_DESTROYALLOCATION2)

static NTSTATUS destroy_first(struct dxgk_process *process,
                              const D3DKMT_DESTROYALLOCATION *arguments)
{
    const D3DKMT_DESTROYALLOCATION2 second = {
        .hDevice = arguments->hDevice,
        .hResource = arguments->hResource,
        .phAllocationList = arguments->phAllocationList,
        .AllocationCount = arguments->AllocationCount,
    };

    return destroy(process, &second);
}
CLIENT_CALL(DestroyAllocation, HOLD_EXCLUSIVE, destroy_first, const D3DKMT_DESTROYALLOCATION)

/* ---- Opening what another process shares --------------------------------------------------- */

/* Runtime data is between the runtimes of two clients; none is kept here. */
static NTSTATUS query_resource(struct dxgk_process *process, D3DKMT_QUERYRESOURCEINFO *arguments)
{
    struct dxgk_resource *resource =
        dxgk_handle_get(arguments->hGlobalShare, DXGK_KIND_SHARED, NULL);
    struct dxgk_resource_info info;

    if (!device_of(process, arguments->hDevice) || !resource) {
        return STATUS_INVALID_HANDLE;
    }
    dxgk_resource_info(resource, &info);
    arguments->PrivateRuntimeDataSize = 0;
    arguments->TotalPrivateDriverDataSize = info.total_private_size;
    arguments->ResourcePrivateDriverDataSize = info.private_size;
    arguments->NumAllocations = info.allocation_count;
    return STATUS_SUCCESS;
}
CLIENT_CALL(QueryResourceInfo, HOLD_SHARED, query_resource, D3DKMT_QUERYRESOURCEINFO)

static void answer_opening(D3DKMT_OPENRESOURCE *arguments, bool second, UINT i,
                           struct dxgk_opening *opening, uint8_t **at)
{
    UINT size;
    const void *bytes = dxgk_opening_private(opening, &size);
    const void *copy = size ? *at : NULL;

    if (size) {
        memcpy(*at, bytes, size);
        *at += size;
    }
    if (second) {
        arguments->pOpenAllocationInfo2[i] = (D3DDDI_OPENALLOCATIONINFO2){
            .hAllocation = dxgk_opening_handle(opening),
            .pPrivateDriverData = copy,
            .PrivateDriverDataSize = size,
        };
    } else {
        arguments->pOpenAllocationInfo[i] = (D3DDDI_OPENALLOCATIONINFO){
            .hAllocation = dxgk_opening_handle(opening),
            .pPrivateDriverData = copy,
            .PrivateDriverDataSize = size,
        };
    }
}

static NTSTATUS open_resource(struct dxgk_process *process, D3DKMT_OPENRESOURCE *arguments,
                              bool second)
{
    struct dxgk_device *device = device_of(process, arguments->hDevice);
    struct dxgk_resource *resource =
        dxgk_handle_get(arguments->hGlobalShare, DXGK_KIND_SHARED, NULL);
    struct dxgk_opening *openings[DXGK_ALLOCATIONS_PER_CALL_MAX];
    struct dxgk_resource_info info;
    UINT count;

    if (!device || !resource) {
        return STATUS_INVALID_HANDLE;
    }
    dxgk_resource_info(resource, &info);
    count = info.allocation_count;
    if (arguments->NumAllocations != count || !arguments->pOpenAllocationInfo ||
        arguments->TotalPrivateDriverDataBufferSize < info.total_private_size ||
        (info.total_private_size && !arguments->pTotalPrivateDriverDataBuffer) ||
        arguments->ResourcePrivateDriverDataSize < info.private_size ||
        (info.private_size && !arguments->pResourcePrivateDriverData)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (dxgk_resource_openings(resource, device, openings, 1) > 0) {
        return STATUS_INVALID_PARAMETER; /* a device opens a resource once */
    }
    if (info.private_size) {
        memcpy(arguments->pResourcePrivateDriverData, info.private_data, info.private_size);
    }
    NTSTATUS status = dxgk_resource_open(device, resource, openings, &count);
    if (NT_SUCCESS(status)) {
        uint8_t *at = arguments->pTotalPrivateDriverDataBuffer;
        for (UINT i = 0; i < count; i++) {
            answer_opening(arguments, second, i, openings[i], &at);
        }
        arguments->ResourcePrivateDriverDataSize = info.private_size;
        arguments->TotalPrivateDriverDataBufferSize = info.total_private_size;
        arguments->hResource = dxgk_resource_handle(resource);
    }
    return status;
}

static NTSTATUS open_first(struct dxgk_process *process, D3DKMT_OPENRESOURCE *arguments)
{
    return open_resource(process, arguments, false);
}
CLIENT_CALL(OpenResource, HOLD_SHARED, open_first, D3DKMT_OPENRESOURCE)

static NTSTATUS open_second(struct dxgk_process *process, D3DKMT_OPENRESOURCE *arguments)
{
    return open_resource(process, arguments, true);
}
CLIENT_CALL(OpenResource2, HOLD_SHARED, open_second, D3DKMT_OPENRESOURCE)

/* ---- The CPU's access ---------------------------------------------------------------------- */

static NTSTATUS lock_allocation(struct dxgk_process *process, D3DKMT_HANDLE device_handle,
                                D3DKMT_HANDLE handle, D3DDDICB_LOCKFLAGS flags, void **data)
{
    struct dxgk_device *device = device_of(process, device_handle);
    struct dxgk_opening *opening = device ? opening_of(process, device, handle) : NULL;

    return opening ? dxgk_lock(opening, flags, data) : STATUS_INVALID_HANDLE;
}

static NTSTATUS lock_first(struct dxgk_process *process, D3DKMT_LOCK *arguments)
{
    D3DDDICB_LOCKFLAGS flags = arguments->Flags;

    if (flags.Reserved || (flags.ReadOnly && flags.WriteOnly) ||
        (flags.Discard && flags.ReadOnly) || flags.UseAlternateVA) {
        return STATUS_INVALID_PARAMETER;
    }
    if (flags.AcquireAperture || arguments->PrivateDriverData) {
        return STATUS_NOT_SUPPORTED; /* swizzling ranges */
    }
    arguments->GpuVirtualAddress = 0;
    return lock_allocation(process, arguments->hDevice, arguments->hAllocation, flags,
                           &arguments->pData);
}
CLIENT_CALL(Lock, HOLD_SHARED, lock_first, D3DKMT_LOCK)

/* Nothing is known of what the client will do. Unlike Windows, which leaves it to the client's
 * fences, this waits for the GPU as the first form does. */
static NTSTATUS lock_second(struct dxgk_process *process, D3DKMT_LOCK2 *arguments)
{
    if (arguments->Flags.Value) {
        return STATUS_INVALID_PARAMETER;
    }
    return lock_allocation(process, arguments->hDevice, arguments->hAllocation,
                           (D3DDDICB_LOCKFLAGS){.Value = 0}, &arguments->pData);
}
CLIENT_CALL(Lock2, HOLD_SHARED, lock_second, D3DKMT_LOCK2)

static NTSTATUS unlock_list(struct dxgk_process *process, D3DKMT_HANDLE device_handle,
                            const D3DKMT_HANDLE *handles, UINT count)
{
    struct dxgk_device *device = device_of(process, device_handle);
    struct dxgk_opening **openings;
    NTSTATUS status;

    if (!device) {
        return STATUS_INVALID_HANDLE;
    }
    status = decode_list(process, device, handles, count, &openings);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    for (UINT i = 0; i < count && NT_SUCCESS(status); i++) {
        status = dxgk_unlock(openings[i]);
    }
    free(openings);
    return status;
}

static NTSTATUS unlock_first(struct dxgk_process *process, const D3DKMT_UNLOCK *arguments)
{
    return unlock_list(process, arguments->hDevice, arguments->phAllocations,
                       arguments->NumAllocations);
}
CLIENT_CALL(Unlock, HOLD_SHARED, unlock_first, const D3DKMT_UNLOCK)

static NTSTATUS unlock_second(struct dxgk_process *process, const D3DKMT_UNLOCK2 *arguments)
{
    return unlock_list(process, arguments->hDevice, &arguments->hAllocation, 1);
}
CLIENT_CALL(Unlock2, HOLD_SHARED, unlock_second, const D3DKMT_UNLOCK2)

/* ---- Residency ----------------------------------------------------------------------------- */

static NTSTATUS set_priority(struct dxgk_process *process,
                             const D3DKMT_SETALLOCATIONPRIORITY *arguments)
{
    struct dxgk_device *device = device_of(process, arguments->hDevice);
    UINT count = arguments->AllocationCount;
    struct dxgk_opening **openings;
    NTSTATUS status;

    if (!device) {
        return STATUS_INVALID_HANDLE;
    }
    if (!arguments->pPriorities) {
        return STATUS_INVALID_PARAMETER;
    }
    status = decode_either(process, device, arguments->hResource, arguments->phAllocationList,
                           &count, &openings);
    for (UINT i = 0; NT_SUCCESS(status) && i < count; i++) {
        UINT priority = arguments->pPriorities[arguments->hResource ? 0 : i];
        if (priority == 0 || priority > D3DDDI_ALLOCATIONPRIORITY_MAXIMUM) {
            free(openings);
            return STATUS_INVALID_PARAMETER;
        }
    }
    for (UINT i = 0; NT_SUCCESS(status) && i < count; i++) {
        dxgk_opening_set_priority(openings[i],
                                  arguments->pPriorities[arguments->hResource ? 0 : i]);
    }
    if (NT_SUCCESS(status)) {
        free(openings);
    }
    return status;
}
CLIENT_CALL(SetAllocationPriority, HOLD_SHARED, set_priority, const D3DKMT_SETALLOCATIONPRIORITY)

/* On Windows a call of WDDM 2.0; here it is there for every driver, for it makes memory move. */
static NTSTATUS evict(struct dxgk_process *process, D3DKMT_EVICT *arguments)
{
    struct dxgk_device *device = device_of(process, arguments->hDevice);
    struct dxgk_opening **openings;
    NTSTATUS status;

    if (!device) {
        return STATUS_INVALID_HANDLE;
    }
    status = decode_list(process, device, arguments->AllocationList, arguments->NumAllocations,
                         &openings);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    for (UINT i = 0; i < arguments->NumAllocations && NT_SUCCESS(status); i++) {
        status = dxgk_evict(openings[i]);
    }
    free(openings);
    arguments->NumBytesToTrim = 0;
    return status;
}
CLIENT_CALL(Evict, HOLD_SHARED, evict, D3DKMT_EVICT)

/* Offers name allocations; lists of resources are not served. */
static NTSTATUS decode_offer(struct dxgk_process *process, D3DKMT_HANDLE device_handle,
                             const D3DKMT_HANDLE *resources, const D3DKMT_HANDLE *list, UINT count,
                             struct dxgk_opening ***openings)
{
    struct dxgk_device *device = device_of(process, device_handle);

    if (!device) {
        return STATUS_INVALID_HANDLE;
    }
    if (resources) {
        return list ? STATUS_INVALID_PARAMETER : STATUS_NOT_SUPPORTED;
    }
    return decode_list(process, device, list, count, openings);
}

static NTSTATUS offer(struct dxgk_process *process, const D3DKMT_OFFERALLOCATIONS *arguments)
{
    struct dxgk_opening **openings;
    NTSTATUS status = decode_offer(process, arguments->hDevice, arguments->pResources,
                                   arguments->HandleList, arguments->NumAllocations, &openings);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    for (UINT i = 0; i < arguments->NumAllocations && NT_SUCCESS(status); i++) {
        status = dxgk_offer(openings[i]);
    }
    free(openings);
    return status;
}
CLIENT_CALL(OfferAllocations, HOLD_SHARED, offer, const D3DKMT_OFFERALLOCATIONS)

static NTSTATUS reclaim(struct dxgk_process *process, const D3DKMT_RECLAIMALLOCATIONS *arguments)
{
    struct dxgk_opening **openings;
    NTSTATUS status = decode_offer(process, arguments->hDevice, arguments->pResources,
                                   arguments->HandleList, arguments->NumAllocations, &openings);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    for (UINT i = 0; i < arguments->NumAllocations; i++) {
        bool discarded = dxgk_reclaim(openings[i]);
        if (arguments->pDiscarded) {
            arguments->pDiscarded[i] = discarded;
        }
    }
    free(openings);
    return STATUS_SUCCESS;
}
CLIENT_CALL(ReclaimAllocations, HOLD_SHARED, reclaim, const D3DKMT_RECLAIMALLOCATIONS)
