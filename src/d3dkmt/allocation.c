/* Allocations and resources: making, opening, destroying, and the CPU's access to them. */
#include "d3dkmt/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "drydock/client.h"

/* ---- Creating ------------------------------------------------------------------------------ */

/* A client's call to make allocations, as it was when it came. */
struct creation {
    UINT count;
    D3DDDI_ALLOCATIONINFO2 *infos; /* of either form */
    struct dxgk_allocation_request *requests;
    void *private_data; /* of the resource */
    UINT private_size;
    void *runtime_data; /* likewise; what its clients' runtimes tell each other */
    UINT runtime_size;
};

/* Where the client finds the handle of element i: the two forms differ in length. */
static D3DKMT_HANDLE CLIENT *handle_at(const D3DKMT_CREATEALLOCATION *arguments, bool second,
                                       UINT i)
{
    return second ? &arguments->pAllocationInfo2[i].hAllocation
                  : &arguments->pAllocationInfo[i].hAllocation;
}

static D3DDDI_ALLOCATIONINFO2 widen(const D3DDDI_ALLOCATIONINFO *info)
{
    D3DDDI_ALLOCATIONINFO2 wide = {
        .pSystemMem = info->pSystemMem,
        .pPrivateDriverData = info->pPrivateDriverData,
        .PrivateDriverDataSize = info->PrivateDriverDataSize,
        .VidPnSourceId = info->VidPnSourceId,
    };

    wide.Flags.Primary = info->Flags.Primary;
    wide.Flags.Stereo = info->Flags.Stereo;
    return wide;
}

static NTSTATUS decode_infos(struct client_call *call, const D3DKMT_CREATEALLOCATION *arguments,
                             bool second, struct creation *creation)
{
    UINT count = arguments->NumAllocations;
    D3DDDI_ALLOCATIONINFO *narrow;
    void *infos;

    if (second) {
        NTSTATUS status = client_capture(call, arguments->pAllocationInfo2, count,
                                         sizeof *creation->infos, &infos);
        creation->infos = infos;
        return status;
    }
    NTSTATUS status =
        client_capture(call, arguments->pAllocationInfo, count, sizeof *narrow, &infos);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    narrow = infos;
    status = client_room(call, count * sizeof *creation->infos, &infos);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    creation->infos = infos;
    for (UINT i = 0; i < count; i++) {
        creation->infos[i] = widen(&narrow[i]);
    }
    return STATUS_SUCCESS;
}

/* What is refused for good comes first, then what is not there yet. */
static NTSTATUS check_creation(const D3DKMT_CREATEALLOCATION *arguments)
{
    D3DKMT_CREATEALLOCATIONFLAGS flags = arguments->Flags;

    if (arguments->NumAllocations == 0 ||
        arguments->NumAllocations > DXGK_ALLOCATIONS_PER_CALL_MAX || !arguments->pAllocationInfo ||
        (flags.CreateShared && !flags.CreateResource) ||
        (flags.NtSecuritySharing && !flags.CreateShared) ||
        (flags.CreateResource && arguments->hResource) ||
        (flags.ExistingSysMem && flags.ExistingSection)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (flags.CrossAdapter || flags.CreateProtected) {
        return STATUS_NOT_SUPPORTED;
    }
    return STATUS_SUCCESS;
}

/* What it is made of, if the client has memory for it already. */
static NTSTATUS decode_existing(struct client_call *call, const D3DDDI_ALLOCATIONINFO2 *info,
                                D3DKMT_CREATEALLOCATIONFLAGS flags,
                                struct client_existing *existing)
{
    *existing = (struct client_existing){0};
    if ((flags.ExistingSysMem || info->pSystemMem) && info->Flags.Primary) {
        return STATUS_INVALID_PARAMETER;
    }
    if (flags.ExistingSection) {
        return client_existing_section(call, info->hSection, existing);
    }
    if (!info->pSystemMem) {
        return flags.ExistingSysMem ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
    }
    return client_existing_memory(call, info->pSystemMem, existing);
}

static NTSTATUS decode_request(struct client_call *call, const D3DDDI_ALLOCATIONINFO2 *info,
                               D3DKMT_CREATEALLOCATIONFLAGS flags,
                               struct dxgk_allocation_request *request)
{
    struct client_existing existing;

    if (info->Flags.Stereo && !info->Flags.Primary) {
        return STATUS_INVALID_PARAMETER; /* only what is shown has an image for each eye */
    }
    NTSTATUS found = decode_existing(call, info, flags, &existing);
    if (!NT_SUCCESS(found)) {
        return found;
    }
    *request = (struct dxgk_allocation_request){
        .private_size = info->PrivateDriverDataSize,
        .source = info->VidPnSourceId,
        .primary = info->Flags.Primary,
        .stereo = info->Flags.Stereo,
        .section = existing.section,
        .section_page = existing.page,
    };
    NTSTATUS status = client_capture_private(call, info->pPrivateDriverData,
                                             info->PrivateDriverDataSize, &request->private_data);
    return NT_SUCCESS(status)
               ? client_probe_write(info->pPrivateDriverData, info->PrivateDriverDataSize)
               : status;
}

static NTSTATUS capture_runtime_data(struct client_call *call,
                                     const D3DKMT_CREATEALLOCATION *arguments,
                                     struct creation *creation)
{
    return creation->runtime_size > PRIVATE_BYTES_MAX
               ? STATUS_INVALID_PARAMETER
               : client_capture(call, arguments->pPrivateRuntimeData, creation->runtime_size, 1,
                                &creation->runtime_data);
}

static NTSTATUS decode_creation(struct client_call *call, const D3DKMT_CREATEALLOCATION *arguments,
                                bool second, struct creation *creation)
{
    void *requests = NULL;
    NTSTATUS status = check_creation(arguments);

    *creation = (struct creation){.count = arguments->NumAllocations,
                                  .private_size = arguments->PrivateDriverDataSize,
                                  .runtime_size = arguments->PrivateRuntimeDataSize};
    if (NT_SUCCESS(status)) {
        status = client_capture_private(call, arguments->pPrivateDriverData, creation->private_size,
                                        &creation->private_data);
    }
    if (NT_SUCCESS(status)) {
        status = capture_runtime_data(call, arguments, creation);
    }
    if (NT_SUCCESS(status)) {
        status = decode_infos(call, arguments, second, creation);
    }
    if (NT_SUCCESS(status)) {
        status = client_room(call, creation->count * sizeof *creation->requests, &requests);
    }
    creation->requests = requests;
    for (UINT i = 0; NT_SUCCESS(status) && i < creation->count; i++) {
        status =
            decode_request(call, &creation->infos[i], arguments->Flags, &creation->requests[i]);
        if (NT_SUCCESS(status)) {
            status = client_probe_write(handle_at(arguments, second, i), sizeof(D3DKMT_HANDLE));
        }
    }
    return status;
}

/* The driver may have written its choices into the private data. */
static NTSTATUS answer_creation(const D3DKMT_CREATEALLOCATION *arguments, bool second,
                                const struct creation *creation)
{
    NTSTATUS status = STATUS_SUCCESS;

    for (UINT i = 0; NT_SUCCESS(status) && i < creation->count; i++) {
        const D3DDDI_ALLOCATIONINFO2 *info = &creation->infos[i];
        D3DKMT_HANDLE handle = dxgk_opening_handle(creation->requests[i].opening);

        status = client_write(handle_at(arguments, second, i), &handle, sizeof handle);
        if (NT_SUCCESS(status)) {
            status = client_write(info->pPrivateDriverData, creation->requests[i].private_data,
                                  info->PrivateDriverDataSize);
        }
    }
    return status;
}

/* NULL: no resource has what was made. */
static void answer_holding(D3DKMT_CREATEALLOCATION *arguments, struct dxgk_holding *holding)
{
    bool by_number = arguments->Flags.CreateShared && !arguments->Flags.NtSecuritySharing;

    arguments->hResource = holding ? dxgk_holding_handle(holding) : 0;
    arguments->hGlobalShare = by_number ? dxgk_resource_share(dxgk_holding_resource(holding)) : 0;
}

/* Rows of a page: a GDI surface in existing memory, which drivers know. */
#define HEAP_ROW_PIXELS ((UINT)MACHINE_PAGE_SIZE / 4)
#define HEAP_ROWS_MAX   16384u

/* pStandardAllocation has the place of pPrivateDriverData; as Windows is recorded to do, the size
 * beside it is 0, and what the element says of private data is not read. */
static NTSTATUS decode_heap(struct client_call *call, const D3DKMT_CREATEALLOCATION *arguments,
                            UINT *rows)
{
    void *copy = NULL;

    if (arguments->NumAllocations != 1 || arguments->PrivateDriverDataSize != 0 ||
        !(arguments->Flags.ExistingSysMem || arguments->Flags.ExistingSection) ||
        !arguments->pStandardAllocation) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture(call, arguments->pStandardAllocation, 1,
                                     sizeof(D3DKMT_CREATESTANDARDALLOCATION), &copy);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    const D3DKMT_CREATESTANDARDALLOCATION *wanted = copy;
    uint64_t size = wanted->ExistingHeapData.Size;
    if (wanted->Type != D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP) {
        return wanted->Type == D3DKMT_STANDARDALLOCATIONTYPE_INTERNALBACKINGSTORE
                   ? STATUS_NOT_SUPPORTED
                   : STATUS_INVALID_PARAMETER;
    }
    if (wanted->Flags.Value || size == 0 || size % MACHINE_PAGE_SIZE ||
        size / MACHINE_PAGE_SIZE > HEAP_ROWS_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    *rows = (UINT)(size / MACHINE_PAGE_SIZE);
    return STATUS_SUCCESS;
}

/* The client says how large its memory is; the driver's data for it comes from the driver. */
static NTSTATUS create_heap(struct client_call *call, D3DKMT_CREATEALLOCATION *arguments,
                            bool second)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct creation creation = {.count = 1, .runtime_size = arguments->PrivateRuntimeDataSize};
    struct client_existing existing = {0};
    struct dxgk_opening *opening;
    UINT rows = 0;
    NTSTATUS status = check_creation(arguments);

    if (NT_SUCCESS(status)) {
        status = decode_heap(call, arguments, &rows);
    }
    if (NT_SUCCESS(status)) {
        status = capture_runtime_data(call, arguments, &creation);
    }
    if (NT_SUCCESS(status)) {
        status = decode_infos(call, arguments, second, &creation);
    }
    if (NT_SUCCESS(status)) {
        status = decode_existing(call, &creation.infos[0], arguments->Flags, &existing);
    }
    if (NT_SUCCESS(status)) {
        status = client_probe_write(handle_at(arguments, second, 0), sizeof(D3DKMT_HANDLE));
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    struct dxgk_standard_request request = {
        .type = D3DKMDT_STANDARDALLOCATION_GDISURFACE,
        .gdi_type = D3DKMDT_GDISURFACE_EXISTINGSYSMEM,
        .width = HEAP_ROW_PIXELS,
        .height = rows,
        .format = D3DDDIFMT_A8R8G8B8,
        .section = existing.section,
        .section_page = existing.page,
        .alone = !arguments->Flags.CreateResource,
        .runtime_data = creation.runtime_data,
        .runtime_size = creation.runtime_size,
        .nt_security = arguments->Flags.NtSecuritySharing,
    };
    status = dxgk_standard_create(device, &request, &opening);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    D3DKMT_HANDLE handle = dxgk_opening_handle(opening);
    answer_holding(arguments, dxgk_opening_holding(opening));
    return client_write(handle_at(arguments, second, 0), &handle, sizeof handle);
}

static NTSTATUS create(struct client_call *call, D3DKMT_CREATEALLOCATION *arguments, bool second)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct dxgk_holding *holding = NULL;
    struct creation creation;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    struct dxgk_holding *joined =
        arguments->hResource ? holding_of(call, device, arguments->hResource) : NULL;
    if (arguments->hResource && !joined) {
        return STATUS_INVALID_HANDLE; /* unlike every other handle, as Windows is recorded to do */
    }
    if (joined && arguments->Flags.StandardAllocation) {
        return STATUS_INVALID_PARAMETER;
    }
    if (arguments->Flags.StandardAllocation) {
        return create_heap(call, arguments, second);
    }
    NTSTATUS status = decode_creation(call, arguments, second, &creation);
    if (NT_SUCCESS(status)) {
        const struct dxgk_allocations_request request = {
            .private_data = creation.private_data,
            .private_size = creation.private_size,
            .runtime_data = creation.runtime_data,
            .runtime_size = creation.runtime_size,
            .make_resource = arguments->Flags.CreateResource,
            .nt_security = arguments->Flags.NtSecuritySharing,
            .holding = joined,
            .elements = creation.requests,
            .count = creation.count,
        };
        status = dxgk_allocations_create(device, &request, &holding);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    answer_holding(arguments, holding);
    return answer_creation(arguments, second, &creation);
}

static NTSTATUS create_first(struct client_call *call, D3DKMT_CREATEALLOCATION *arguments)
{
    return create(call, arguments, false);
}
CLIENT_CALL(CreateAllocation, create_first, D3DKMT_CREATEALLOCATION)

static NTSTATUS create_second(struct client_call *call, D3DKMT_CREATEALLOCATION *arguments)
{
    return create(call, arguments, true);
}
CLIENT_CALL(CreateAllocation2, create_second, D3DKMT_CREATEALLOCATION)

/* ---- Standard allocations ------------------------------------------------------------------ */

static NTSTATUS create_standard(struct client_call *call,
                                struct drydock_standard_allocation *arguments)
{
    static const D3DKMDT_STANDARDALLOCATION_TYPE types[] = {
        [DRYDOCK_SURFACE_PRIMARY] = D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE,
        [DRYDOCK_SURFACE_SHADOW] = D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE,
        [DRYDOCK_SURFACE_STAGING] = D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE,
        [DRYDOCK_SURFACE_GDI_TEXTURE] = D3DKMDT_STANDARDALLOCATION_GDISURFACE,
        [DRYDOCK_SURFACE_GDI_STAGING] = D3DKMDT_STANDARDALLOCATION_GDISURFACE,
        [DRYDOCK_SURFACE_GDI_TABLE] = D3DKMDT_STANDARDALLOCATION_GDISURFACE,
        [DRYDOCK_SURFACE_CROSS_ADAPTER] = D3DKMDT_STANDARDALLOCATION_GDISURFACE,
    };
    static const D3DKMDT_GDISURFACETYPE gdi_types[sizeof types / sizeof *types] = {
        [DRYDOCK_SURFACE_GDI_TEXTURE] = D3DKMDT_GDISURFACE_TEXTURE,
        [DRYDOCK_SURFACE_GDI_STAGING] = D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE,
        [DRYDOCK_SURFACE_GDI_TABLE] = D3DKMDT_GDISURFACE_LOOKUPTABLE,
        [DRYDOCK_SURFACE_CROSS_ADAPTER] = D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER,
    };
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct dxgk_opening *opening;

    if (!device) {
        return NO_SUCH_OBJECT;
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
        .gdi_type = gdi_types[arguments->kind],
    };
    NTSTATUS status = dxgk_standard_create(device, &request, &opening);
    if (NT_SUCCESS(status)) {
        struct dxgk_holding *holding = dxgk_opening_holding(opening);
        arguments->pitch = request.pitch;
        arguments->size_bytes = dxgk_opening_size(opening);
        arguments->hAllocation = dxgk_opening_handle(opening);
        arguments->hResource = dxgk_holding_handle(holding);
        arguments->hGlobalShare =
            arguments->shared ? dxgk_resource_share(dxgk_holding_resource(holding)) : 0;
    }
    return status;
}

CLIENT_ENTRY(drydock_create_standard_allocation, CreateStandardAllocation, create_standard,
             struct drydock_standard_allocation, struct drydock_standard_allocation, true)

static NTSTATUS query_size(struct client_call *call, struct drydock_allocation_size *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct dxgk_opening *opening = device ? opening_of(call, device, arguments->hAllocation) : NULL;

    if (!opening) {
        return NO_SUCH_OBJECT;
    }
    arguments->size_bytes =
        align_up(dxgk_opening_size(opening), MACHINE_PAGE_SIZE); /* [ALLOC-004] */
    return STATUS_SUCCESS;
}

CLIENT_ENTRY(drydock_query_allocation_size, QueryAllocationSize, query_size,
             struct drydock_allocation_size, struct drydock_allocation_size, true)

static NTSTATUS page_in(struct client_call *call, const struct drydock_page_in *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct dxgk_opening *opening = device ? opening_of(call, device, arguments->hAllocation) : NULL;

    return opening ? dxgk_page_in(opening) : NO_SUCH_OBJECT;
}

CLIENT_ENTRY(drydock_page_in, PageInAllocation, page_in, struct drydock_page_in,
             const struct drydock_page_in, false)

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

NTSTATUS client_openings(struct client_call *call, struct dxgk_device *device,
                         const D3DKMT_HANDLE CLIENT *theirs, UINT count, struct opening_list *list)
{
    void *handles, *openings;

    if (count == 0 || count > LIST_ENTRIES_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture(call, theirs, count, sizeof(D3DKMT_HANDLE), &handles);
    if (NT_SUCCESS(status)) {
        status = client_room(call, count * sizeof(struct dxgk_opening *), &openings);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    *list = (struct opening_list){count, openings};
    for (UINT i = 0; i < count; i++) {
        list->openings[i] = opening_of(call, device, ((const D3DKMT_HANDLE *)handles)[i]);
        if (!list->openings[i]) {
            return NO_SUCH_OBJECT;
        }
    }
    return STATUS_SUCCESS;
}

NTSTATUS client_check_written(struct client_call *call, struct dxgk_device *device,
                              const D3DKMT_HANDLE *handles, UINT count)
{
    if (count > D3DDDI_MAX_WRITTEN_PRIMARIES) {
        return STATUS_INVALID_PARAMETER;
    }
    for (UINT i = 0; i < count; i++) {
        if (!opening_of(call, device, handles[i])) {
            return NO_SUCH_OBJECT;
        }
    }
    return STATUS_SUCCESS;
}

/* ---- Destroying ---------------------------------------------------------------------------- */

/* Those that the resource does not take along. */
static void leave_out(struct opening_list *list, const struct dxgk_holding *holding)
{
    UINT kept = 0;

    for (UINT i = 0; holding && i < list->count; i++) {
        if (dxgk_opening_holding(list->openings[i]) != holding) {
            list->openings[kept++] = list->openings[i];
        }
    }
    list->count = holding ? kept : list->count;
}

/* A list beside a resource goes, too, as the page of the function has it; that of the structure
 * wants none there, so that a count without a list is no mistake. */
static NTSTATUS decode_destruction(struct client_call *call, struct dxgk_device *device,
                                   const D3DKMT_DESTROYALLOCATION2 *arguments,
                                   struct opening_list *list)
{
    *list = (struct opening_list){.count = 0};
    if (arguments->AllocationCount == 0 || (arguments->hResource && !arguments->phAllocationList)) {
        return STATUS_SUCCESS;
    }
    NTSTATUS status = client_openings(call, device, arguments->phAllocationList,
                                      arguments->AllocationCount, list);
    return NT_SUCCESS(status) && names_one_twice(list->openings, list->count)
               ? STATUS_INVALID_PARAMETER
               : status;
}

static NTSTATUS destroy(struct client_call *call, const D3DKMT_DESTROYALLOCATION2 *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct opening_list list;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->Flags.Reserved || arguments->Flags.SystemUseOnly ||
        (arguments->Flags.AssumeNotInUse && arguments->Flags.SynchronousDestroy)) {
        return STATUS_INVALID_PARAMETER;
    }
    struct dxgk_holding *holding =
        arguments->hResource ? holding_of(call, device, arguments->hResource) : NULL;
    if (arguments->hResource && !holding) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = decode_destruction(call, device, arguments, &list);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    leave_out(&list, holding);
    const struct dxgk_destruction how = {.holding = holding,
                                         .openings = list.openings,
                                         .count = list.count,
                                         .at_once = arguments->Flags.AssumeNotInUse,
                                         .waits = arguments->Flags.SynchronousDestroy};
    return list.count > 0 || holding ? dxgk_allocations_destroy(device, &how) : STATUS_SUCCESS;
}
CLIENT_CALL_IN(DestroyAllocation2, destroy, D3DKMT_DESTROYALLOCATION2)

static NTSTATUS destroy_first(struct client_call *call, const D3DKMT_DESTROYALLOCATION *arguments)
{
    const D3DKMT_DESTROYALLOCATION2 second = {
        .hDevice = arguments->hDevice,
        .hResource = arguments->hResource,
        .phAllocationList = arguments->phAllocationList,
        .AllocationCount = arguments->AllocationCount,
    };

    return destroy(call, &second);
}
CLIENT_CALL_IN(DestroyAllocation, destroy_first, D3DKMT_DESTROYALLOCATION)

/* ---- The CPU's access ---------------------------------------------------------------------- */

static NTSTATUS lock_allocation(struct client_call *call, D3DKMT_HANDLE device_handle,
                                D3DKMT_HANDLE handle, D3DDDICB_LOCKFLAGS flags, void CLIENT **data)
{
    struct dxgk_device *device = device_of(call, device_handle);
    struct dxgk_opening *opening = device ? opening_of(call, device, handle) : NULL;

    void *address;

    if (!opening) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = dxgk_lock(opening, flags, &address);
    if (NT_SUCCESS(status)) {
        *data = address;
    }
    return status;
}

static NTSTATUS lock_through(struct client_call *call, D3DKMT_LOCK *arguments)
{
    const struct dxgk_lock_request request = {arguments->Flags, arguments->PrivateDriverData};
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct dxgk_opening *opening = device ? opening_of(call, device, arguments->hAllocation) : NULL;
    void *address;

    if (!opening) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = dxgk_lock_through(opening, &request, &address);
    if (NT_SUCCESS(status)) {
        arguments->pData = address;
    }
    return status;
}

static NTSTATUS lock_first(struct client_call *call, D3DKMT_LOCK *arguments)
{
    D3DDDICB_LOCKFLAGS flags = arguments->Flags;

    if (flags.Reserved || (flags.ReadOnly && flags.WriteOnly) ||
        (flags.Discard && flags.ReadOnly) || (flags.UseAlternateVA && !flags.AcquireAperture) ||
        (flags.AcquireAperture && flags.IgnoreSync)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (flags.AcquireAperture) {
        arguments->GpuVirtualAddress = 0;
        return lock_through(call, arguments);
    }
    if (arguments->PrivateDriverData) {
        return STATUS_NOT_SUPPORTED; /* it is a range's */
    }
    arguments->GpuVirtualAddress = 0;
    return lock_allocation(call, arguments->hDevice, arguments->hAllocation, flags,
                           &arguments->pData);
}
CLIENT_CALL(Lock, lock_first, D3DKMT_LOCK)

/* Nothing is known of what the client will do. Unlike Windows, which leaves it to the client's
 * fences, this waits for the GPU as the first form does. */
static NTSTATUS lock_second(struct client_call *call, D3DKMT_LOCK2 *arguments)
{
    if (arguments->Flags.Value) {
        return STATUS_INVALID_PARAMETER;
    }
    return lock_allocation(call, arguments->hDevice, arguments->hAllocation,
                           (D3DDDICB_LOCKFLAGS){.Value = 0}, &arguments->pData);
}
CLIENT_CALL(Lock2, lock_second, D3DKMT_LOCK2)

static NTSTATUS unlock_first(struct client_call *call, const D3DKMT_UNLOCK *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct opening_list list;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status =
        client_openings(call, device, arguments->phAllocations, arguments->NumAllocations, &list);
    return NT_SUCCESS(status) ? dxgk_unlock_all(list.openings, list.count) : status;
}
CLIENT_CALL_IN(Unlock, unlock_first, D3DKMT_UNLOCK)

static NTSTATUS unlock_second(struct client_call *call, const D3DKMT_UNLOCK2 *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct dxgk_opening *opening = device ? opening_of(call, device, arguments->hAllocation) : NULL;

    return opening ? dxgk_unlock(opening) : NO_SUCH_OBJECT;
}
CLIENT_CALL_IN(Unlock2, unlock_second, D3DKMT_UNLOCK2)
