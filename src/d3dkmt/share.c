/* What clients share: resources and synchronisation objects, by a number that every process can
 * name or by a handle of the system (NT handle). Such handles are of one table here, which all
 * client processes use: on Windows a process hands its own on by DuplicateHandle(). */
#include "d3dkmt/internal.h"

#include "drydock/client.h"

#define OBJECTS_MAX 3 /* of one handle: a resource, its keyed mutex, a synchronisation object */

/* ---- Handles of the system ----------------------------------------------------------------- */

/* What the handle stands for stays in memory until the call ends; false: it is no such handle. */
static bool behind(struct client_call *call, HANDLE handle, struct dxgk_shared *shared)
{
    if (!dxgk_shared_get((uint64_t)(uintptr_t)handle, shared)) {
        return false;
    }
    bool held = !shared->resource || client_hold(call, shared->resource);

    held &= !shared->keyed || client_hold(call, shared->keyed);
    held &= !shared->sync || client_hold(call, shared->sync);
    return held;
}

struct dxgk_resource *client_shared_resource(struct client_call *call, HANDLE handle)
{
    struct dxgk_shared shared;
    bool any = behind(call, handle, &shared) && shared.resource;

    return any ? dxgk_life_object(shared.resource) : NULL;
}

struct dxgk_sync_core *client_shared_sync(struct client_call *call, HANDLE handle)
{
    struct dxgk_shared shared;
    bool any = behind(call, handle, &shared) && shared.sync && !shared.sync_file;

    return any ? dxgk_life_object(shared.sync) : NULL;
}

struct dxgk_sync_core *client_sync_file(struct client_call *call, UINT64 handle, UINT64 *value)
{
    struct dxgk_shared shared;
    bool any = behind(call, (HANDLE)(uintptr_t)handle, &shared) && shared.sync_file;

    *value = any ? shared.value : 0;
    return any ? dxgk_life_object(shared.sync) : NULL;
}

struct dxgk_keyed_core *client_shared_keyed(struct client_call *call, HANDLE handle)
{
    struct dxgk_shared shared;
    bool any = behind(call, handle, &shared) && shared.keyed;

    return any ? dxgk_life_object(shared.keyed) : NULL;
}

/* The arguments of D3DKMTShareObjects, which has no structure of its own. */
struct share_objects {
    UINT count;
    const D3DKMT_HANDLE CLIENT *objects;
    const OBJECT_ATTRIBUTES CLIENT *attributes;
    HANDLE CLIENT *handle;
};

static NTSTATUS add_resource(struct client_call *call, D3DKMT_HANDLE handle,
                             struct dxgk_share_list *list)
{
    struct dxgk_holding *holding = client_object(call, handle, DXGK_KIND_HOLDING, call->process);

    if (!holding) {
        return NO_SUCH_OBJECT;
    }
    list->resource = dxgk_holding_resource(holding);
    return dxgk_resource_has_nt_security(list->resource) ? STATUS_SUCCESS
                                                         : STATUS_INVALID_PARAMETER;
}

static NTSTATUS add_keyed(struct client_call *call, D3DKMT_HANDLE handle,
                          struct dxgk_share_list *list)
{
    struct dxgk_keyed *keyed = keyed_of(call, handle);

    if (!keyed) {
        return NO_SUCH_OBJECT;
    }
    list->keyed = dxgk_keyed_shared(keyed);
    return dxgk_keyed_has_nt_security(keyed) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

static NTSTATUS add_sync(struct client_call *call, D3DKMT_HANDLE handle,
                         struct dxgk_share_list *list)
{
    struct dxgk_sync *sync = sync_of(call, handle);

    if (!sync) {
        return NO_SUCH_OBJECT;
    }
    list->sync = dxgk_sync_shared(sync);
    return dxgk_sync_has_nt_security(sync) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

/* A resource or a synchronisation object alone, or a resource, a keyed mutex and a synchronisation
 * object, in that order: so it is recorded of Windows. */
static NTSTATUS list_objects(struct client_call *call, const D3DKMT_HANDLE *handles, UINT count,
                             struct dxgk_share_list *list)
{
    if (count == 1) {
        return sync_of(call, handles[0]) ? add_sync(call, handles[0], list)
                                         : add_resource(call, handles[0], list);
    }
    if (count != OBJECTS_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = add_resource(call, handles[0], list);
    if (NT_SUCCESS(status)) {
        status = add_keyed(call, handles[1], list);
    }
    return NT_SUCCESS(status) ? add_sync(call, handles[2], list) : status;
}

static NTSTATUS share_objects(struct client_call *call, const struct share_objects *arguments)
{
    struct dxgk_share_list list = {0};
    UNICODE_STRING name = {0};
    uint64_t handle = 0;
    void *handles;

    if (arguments->count == 0 || arguments->count > OBJECTS_MAX || !arguments->handle) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status =
        client_capture(call, arguments->objects, arguments->count, sizeof(D3DKMT_HANDLE), &handles);
    if (NT_SUCCESS(status)) {
        status = client_capture_name(call, arguments->attributes, &name);
        list.name = name.Buffer ? &name : NULL;
    }
    if (NT_SUCCESS(status)) {
        status = client_probe_write(arguments->handle, sizeof(HANDLE));
    }
    if (NT_SUCCESS(status)) {
        status = list_objects(call, handles, arguments->count, &list);
    }
    if (NT_SUCCESS(status)) {
        status = dxgk_share(call->process, &list, &handle);
    }
    if (NT_SUCCESS(status)) {
        const HANDLE made = (HANDLE)(uintptr_t)handle;
        status = client_write(arguments->handle, &made, sizeof made);
        if (!NT_SUCCESS(status)) {
            (void)dxgk_share_close(handle); /* nobody knows it */
        }
    }
    return status;
}

/* The access that is asked for is granted: there are no other users here. */
NTSTATUS APIENTRY D3DKMTShareObjects(UINT count, const D3DKMT_HANDLE *objects,
                                     POBJECT_ATTRIBUTES attributes, DWORD access, HANDLE *handle)
{
    struct client_call call = {.number = D3DKMT_CALL_ShareObjects};
    struct share_objects given = {count, objects, attributes, handle}, copy;
    const struct client_arguments where = {
        .theirs = &given, .ours = &copy, .size = sizeof copy, .answered = false};
    NTSTATUS status = client_enter(&call, &where);

    if (NT_SUCCESS(status)) {
        status = share_objects(&call, &copy);
    }
    return client_leave(&call, &where, status);
}

static NTSTATUS close_handle(struct client_call *call, const struct drydock_handle *arguments)
{
    uint64_t handle = (uint64_t)(uintptr_t)arguments->hNtHandle;
    NTSTATUS status = dxgk_share_close(handle);

    return status == STATUS_INVALID_HANDLE ? dxgk_event_close(call->process, handle) : status;
}

CLIENT_ENTRY(drydock_close_handle, CloseHandle, close_handle, struct drydock_handle,
             const struct drydock_handle, false)

/* ---- Resources ----------------------------------------------------------------------------- */

/* What the runtimes of two clients tell each other. */
static NTSTATUS answer_runtime_data(const struct dxgk_resource_info *info, void CLIENT *room,
                                    UINT *size)
{
    UINT room_size = *size;

    *size = info->runtime_size;
    if (!room) {
        return STATUS_SUCCESS;
    }
    return room_size < info->runtime_size
               ? STATUS_BUFFER_TOO_SMALL
               : client_write(room, info->runtime_data, info->runtime_size);
}

static NTSTATUS answer_query(struct client_call *call, struct dxgk_resource *resource,
                             D3DKMT_QUERYRESOURCEINFO *arguments)
{
    struct dxgk_resource_info info;

    if (!device_of(call, arguments->hDevice) || !resource) {
        return NO_SUCH_OBJECT;
    }
    dxgk_resource_info(resource, &info);
    arguments->TotalPrivateDriverDataSize = info.total_private_size;
    arguments->ResourcePrivateDriverDataSize = info.private_size;
    arguments->NumAllocations = info.allocation_count;
    /* Windows is recorded to leave the buffer alone, however large it is: opening fills it. */
    arguments->PrivateRuntimeDataSize = info.runtime_size;
    return STATUS_SUCCESS;
}

static NTSTATUS query_resource(struct client_call *call, D3DKMT_QUERYRESOURCEINFO *arguments)
{
    return answer_query(call, shared_of(call, arguments->hGlobalShare), arguments);
}
CLIENT_CALL(QueryResourceInfo, query_resource, D3DKMT_QUERYRESOURCEINFO)

static NTSTATUS query_by_handle(struct client_call *call,
                                D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE *arguments)
{
    struct dxgk_resource *resource = client_shared_resource(call, arguments->hNtHandle);
    D3DKMT_QUERYRESOURCEINFO query = {.hDevice = arguments->hDevice,
                                      .pPrivateRuntimeData = arguments->pPrivateRuntimeData,
                                      .PrivateRuntimeDataSize = arguments->PrivateRuntimeDataSize};

    if (!resource) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = answer_query(call, resource, &query);
    arguments->PrivateRuntimeDataSize = query.PrivateRuntimeDataSize;
    arguments->TotalPrivateDriverDataSize = query.TotalPrivateDriverDataSize;
    arguments->ResourcePrivateDriverDataSize = query.ResourcePrivateDriverDataSize;
    arguments->NumAllocations = query.NumAllocations;
    return status;
}
CLIENT_CALL(QueryResourceInfoFromNtHandle, query_by_handle, D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE)

/* Whoever knows the number of what is shared by one may open it, as may the maker himself; a handle
 * of the system is for those who have it. */
static NTSTATUS check_access(struct client_call *call,
                             const D3DKMT_CHECKSHAREDRESOURCEACCESS *arguments)
{
    struct dxgk_holding *holding =
        client_object(call, arguments->hResource, DXGK_KIND_HOLDING, call->process);
    bool anybody = shared_of(call, arguments->hResource) ||
                   (holding && dxgk_resource_is_shared(dxgk_holding_resource(holding)));

    if ((!anybody && !holding) || !nt_process_is(arguments->ClientPid)) {
        return NO_SUCH_OBJECT;
    }
    return anybody || arguments->ClientPid == nt_process_id(nt_process_current())
               ? STATUS_SUCCESS
               : STATUS_ACCESS_DENIED;
}
CLIENT_CALL_IN(CheckSharedResourceAccess, check_access, D3DKMT_CHECKSHAREDRESOURCEACCESS)

static NTSTATUS query_runtime_data(struct client_call *call, D3DKMT_GETRUNTIMEDATA *arguments)
{
    struct dxgk_resource *resource = shared_of(call, arguments->hGlobalShare);
    struct dxgk_resource_info info;

    if (!adapter_of(call, arguments->hAdapter) || !resource) {
        return NO_SUCH_OBJECT;
    }
    dxgk_resource_info(resource, &info);
    return answer_runtime_data(&info, arguments->pRuntimeData, &arguments->RuntimeDataSize);
}
CLIENT_CALL_FILLING(GetRuntimeData, query_runtime_data, D3DKMT_GETRUNTIMEDATA)

/* Where the client finds element i: the two forms differ in length. */
static void CLIENT *open_info_at(const D3DKMT_OPENRESOURCE *arguments, bool second, UINT i)
{
    return second ? (void CLIENT *)&arguments->pOpenAllocationInfo2[i]
                  : (void CLIENT *)&arguments->pOpenAllocationInfo[i];
}

static size_t open_info_size(bool second)
{
    return second ? sizeof(D3DDDI_OPENALLOCATIONINFO2) : sizeof(D3DDDI_OPENALLOCATIONINFO);
}

/* The opening's private data goes to `at`; its element tells the client so. */
static NTSTATUS answer_opening(const D3DKMT_OPENRESOURCE *arguments, bool second, UINT i,
                               struct dxgk_opening *opening, uint8_t CLIENT **at)
{
    UINT size;
    const void *bytes = dxgk_opening_private(opening, &size);
    const D3DDDI_OPENALLOCATIONINFO first_form = {
        .hAllocation = dxgk_opening_handle(opening),
        .pPrivateDriverData = size ? *at : NULL,
        .PrivateDriverDataSize = size,
    };
    const D3DDDI_OPENALLOCATIONINFO2 second_form = {
        .hAllocation = first_form.hAllocation,
        .pPrivateDriverData = first_form.pPrivateDriverData,
        .PrivateDriverDataSize = size,
    };
    NTSTATUS status = client_write(*at, bytes, size);

    *at += size;
    return NT_SUCCESS(status) ? client_write(open_info_at(arguments, second, i),
                                             second ? (const void *)&second_form : &first_form,
                                             open_info_size(second))
                              : status;
}

/* The buffers that the client offers are there, and as large as Windows is recorded to want them:
 * one for the driver's data of all allocations may be larger. */
static NTSTATUS check_open_buffers(const D3DKMT_OPENRESOURCE *arguments, bool second,
                                   const struct dxgk_resource_info *info)
{
    if (arguments->NumAllocations != info->allocation_count || !arguments->pOpenAllocationInfo ||
        (info->total_private_size && !arguments->pTotalPrivateDriverDataBuffer) ||
        arguments->ResourcePrivateDriverDataSize != info->private_size ||
        (arguments->PrivateRuntimeDataSize != 0 && /* it does not care */
         (arguments->PrivateRuntimeDataSize != info->runtime_size ||
          !arguments->pPrivateRuntimeData)) ||
        (info->private_size && !arguments->pResourcePrivateDriverData)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (arguments->TotalPrivateDriverDataBufferSize < info->total_private_size) {
        return STATUS_NO_MEMORY;
    }
    NTSTATUS status = client_probe_write(arguments->pResourcePrivateDriverData, info->private_size);
    if (NT_SUCCESS(status) && arguments->PrivateRuntimeDataSize) {
        status = client_probe_write(arguments->pPrivateRuntimeData, info->runtime_size);
    }
    if (NT_SUCCESS(status)) {
        status =
            client_probe_write(arguments->pTotalPrivateDriverDataBuffer, info->total_private_size);
    }
    return NT_SUCCESS(status) ? client_probe_write(open_info_at(arguments, second, 0),
                                                   info->allocation_count * open_info_size(second))
                              : status;
}

static NTSTATUS answer_open(D3DKMT_OPENRESOURCE *arguments, bool second,
                            struct dxgk_resource *resource, struct dxgk_opening *const *openings)
{
    uint8_t CLIENT *at = arguments->pTotalPrivateDriverDataBuffer;
    struct dxgk_resource_info info;

    dxgk_resource_info(resource, &info);
    NTSTATUS status =
        client_write(arguments->pResourcePrivateDriverData, info.private_data, info.private_size);
    if (NT_SUCCESS(status) && arguments->PrivateRuntimeDataSize) {
        status = client_write(arguments->pPrivateRuntimeData, info.runtime_data, info.runtime_size);
    }
    for (UINT i = 0; NT_SUCCESS(status) && i < info.allocation_count; i++) {
        status = answer_opening(arguments, second, i, openings[i], &at);
    }
    arguments->ResourcePrivateDriverDataSize = info.private_size;
    arguments->TotalPrivateDriverDataBufferSize = info.total_private_size;
    arguments->hResource = dxgk_holding_handle(dxgk_opening_holding(openings[0]));
    return status;
}

static NTSTATUS open_resource(struct client_call *call, D3DKMT_OPENRESOURCE *arguments, bool second,
                              struct dxgk_resource *resource)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct dxgk_opening *openings[DXGK_ALLOCATIONS_PER_CALL_MAX];
    struct dxgk_resource_info info;

    if (!device || !resource) {
        return NO_SUCH_OBJECT;
    }
    dxgk_resource_info(resource, &info);
    NTSTATUS status = check_open_buffers(arguments, second, &info);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    UINT count = info.allocation_count;
    status = dxgk_resource_open(device, resource, openings, &count);
    return NT_SUCCESS(status) ? answer_open(arguments, second, resource, openings) : status;
}

static NTSTATUS open_first(struct client_call *call, D3DKMT_OPENRESOURCE *arguments)
{
    return open_resource(call, arguments, false, shared_of(call, arguments->hGlobalShare));
}
CLIENT_CALL(OpenResource, open_first, D3DKMT_OPENRESOURCE)

static NTSTATUS open_second(struct client_call *call, D3DKMT_OPENRESOURCE *arguments)
{
    return open_resource(call, arguments, true, shared_of(call, arguments->hGlobalShare));
}
CLIENT_CALL(OpenResource2, open_second, D3DKMT_OPENRESOURCE)

/* What stands behind the handle besides the resource, for the caller's process. */
struct beside {
    struct dxgk_keyed *keyed;
    struct dxgk_sync *sync;
    D3DKMT_HANDLE keyed_handle, sync_handle; /* as they were when they were made */
};

static void close_beside(const struct beside *beside)
{
    if (beside->keyed) {
        (void)dxgk_keyed_destroy(beside->keyed);
    }
    if (beside->sync) {
        (void)dxgk_sync_destroy(beside->sync);
    }
}

/* What was made just now stays until the call ends, whoever destroys it. */
static NTSTATUS hold(struct client_call *call, D3DKMT_HANDLE handle, enum dxgk_handle_kind kind)
{
    return client_object(call, handle, kind, call->process) ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS open_beside(struct client_call *call,
                            const D3DKMT_OPENRESOURCEFROMNTHANDLE *arguments, struct beside *beside)
{
    const struct dxgk_sync_opening how = {.process = call->process};
    struct dxgk_keyed_core *keyed = client_shared_keyed(call, arguments->hNtHandle);
    struct dxgk_sync_core *sync = client_shared_sync(call, arguments->hNtHandle);
    NTSTATUS status = client_check_keyed_room(keyed, arguments->pKeyedMutexPrivateRuntimeData,
                                              arguments->KeyedMutexPrivateRuntimeDataSize);

    if (NT_SUCCESS(status) && keyed) {
        status = dxgk_keyed_open(call->process, keyed, &beside->keyed);
    }
    if (NT_SUCCESS(status) && keyed) {
        beside->keyed_handle = dxgk_keyed_handle(beside->keyed);
        status = hold(call, beside->keyed_handle, DXGK_KIND_KEYED);
    }
    if (NT_SUCCESS(status) && sync) {
        status = dxgk_sync_open(&how, sync, &beside->sync);
    }
    if (NT_SUCCESS(status) && sync) {
        beside->sync_handle = dxgk_sync_handle(beside->sync);
        status = hold(call, beside->sync_handle, DXGK_KIND_SYNC);
    }
    if (!NT_SUCCESS(status)) {
        close_beside(beside);
    }
    return status;
}

/* By its handle: what was made with NtSecuritySharing. */
static NTSTATUS open_by_handle(struct client_call *call, D3DKMT_OPENRESOURCEFROMNTHANDLE *arguments)
{
    struct dxgk_resource *resource = client_shared_resource(call, arguments->hNtHandle);
    D3DKMT_OPENRESOURCE open = {
        .hDevice = arguments->hDevice,
        .NumAllocations = arguments->NumAllocations,
        .pOpenAllocationInfo2 = arguments->pOpenAllocationInfo2,
        .pPrivateRuntimeData = arguments->pPrivateRuntimeData,
        .PrivateRuntimeDataSize = arguments->PrivateRuntimeDataSize,
        .pResourcePrivateDriverData = arguments->pResourcePrivateDriverData,
        .ResourcePrivateDriverDataSize = arguments->ResourcePrivateDriverDataSize,
        .pTotalPrivateDriverDataBuffer = arguments->pTotalPrivateDriverDataBuffer,
        .TotalPrivateDriverDataBufferSize = arguments->TotalPrivateDriverDataBufferSize,
    };
    struct beside beside = {0};

    if (!resource) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = open_beside(call, arguments, &beside);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    status = open_resource(call, &open, true, resource);
    if (!NT_SUCCESS(status)) {
        close_beside(&beside); /* it was for all of them */
        return status;
    }
    arguments->hResource = open.hResource;
    arguments->ResourcePrivateDriverDataSize = open.ResourcePrivateDriverDataSize;
    arguments->TotalPrivateDriverDataBufferSize = open.TotalPrivateDriverDataBufferSize;
    arguments->hKeyedMutex = beside.keyed_handle;
    arguments->hSyncObject = beside.sync_handle;
    return STATUS_SUCCESS;
}
CLIENT_CALL(OpenResourceFromNtHandle, open_by_handle, D3DKMT_OPENRESOURCEFROMNTHANDLE)

/* ---- Synchronisation objects --------------------------------------------------------------- */

/* For its process, by a call that names no device. */
static NTSTATUS open_for_process(struct client_call *call, struct dxgk_sync_core *core,
                                 D3DKMT_HANDLE *handle)
{
    const struct dxgk_sync_opening how = {.process = call->process};
    struct dxgk_sync *sync;
    NTSTATUS status = dxgk_sync_open(&how, core, &sync);

    if (NT_SUCCESS(status)) {
        *handle = dxgk_sync_handle(sync);
    }
    return status;
}

static NTSTATUS open_sync(struct client_call *call, D3DKMT_OPENSYNCHRONIZATIONOBJECT *arguments)
{
    struct dxgk_sync_core *core =
        client_object(call, arguments->hSharedHandle, DXGK_KIND_SHARED_SYNC, NULL);

    return core ? open_for_process(call, core, &arguments->hSyncObject) : NO_SUCH_OBJECT;
}
CLIENT_CALL(OpenSynchronizationObject, open_sync, D3DKMT_OPENSYNCHRONIZATIONOBJECT)

static NTSTATUS open_sync_by_handle(struct client_call *call,
                                    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE *arguments)
{
    struct dxgk_sync_core *core = client_shared_sync(call, arguments->hNtHandle);

    return core ? open_for_process(call, core, &arguments->hSyncObject) : STATUS_INVALID_HANDLE;
}
CLIENT_CALL(OpenSyncObjectFromNtHandle, open_sync_by_handle, D3DKMT_OPENSYNCOBJECTFROMNTHANDLE)

/* The form for monitored fences: of a device, with what the opener rules out for himself. */
static NTSTATUS open_fence_by_handle(struct client_call *call,
                                     D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 *arguments)
{
    const struct dxgk_sync_opening how = {.device = device_of(call, arguments->hDevice),
                                          .flags = arguments->Flags};
    struct dxgk_sync_core *core = client_shared_sync(call, arguments->hNtHandle);
    D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS known = {.Value = 0};
    struct dxgk_sync *sync;

    known.Shared = known.NtSecuritySharing = 1; /* it is */
    known.NoSignal = known.NoWait = known.NoSignalMaxValueOnTdr = known.NoGPUAccess = 1;
    if (!how.device) {
        return NO_SUCH_OBJECT;
    }
    if (!core) {
        return STATUS_INVALID_HANDLE;
    }
    if (arguments->Flags.Value & ~known.Value) {
        return STATUS_NOT_SUPPORTED;
    }
    if (dxgk_sync_core_is_native(core)) {
        return STATUS_INVALID_PARAMETER; /* that has a call of its own */
    }
    NTSTATUS status = dxgk_fence_open(&how, core, &sync);
    if (NT_SUCCESS(status)) {
        arguments->hSyncObject = dxgk_sync_handle(sync);
        arguments->MonitoredFence.FenceValueCPUVirtualAddress = dxgk_sync_memory(sync);
        arguments->MonitoredFence.FenceValueGPUVirtualAddress = dxgk_fence_address(sync);
    }
    return status;
}
CLIENT_CALL(OpenSyncObjectFromNtHandle2, open_fence_by_handle, D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2)
