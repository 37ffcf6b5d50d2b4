/* Keyed mutexes. They are of no adapter: any client process makes and opens them. */
#include "d3dkmt/internal.h"

#define NS_PER_100NS 100

/* ---- Making and opening -------------------------------------------------------------------- */

static NTSTATUS create(struct client_call *call, const void CLIENT *runtime_data,
                       struct dxgk_keyed_request *request, struct dxgk_keyed **out)
{
    void *copy;

    if (request->runtime_size > DXGK_KEYED_BYTES_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture(call, runtime_data, request->runtime_size, 1, &copy);
    request->runtime_data = copy;
    return NT_SUCCESS(status) ? dxgk_keyed_create(call->process, request, out) : status;
}

static NTSTATUS create_first(struct client_call *call, D3DKMT_CREATEKEYEDMUTEX *arguments)
{
    struct dxgk_keyed_request request = {.key = arguments->InitialValue};
    struct dxgk_keyed *keyed;
    NTSTATUS status = create(call, NULL, &request, &keyed);

    if (NT_SUCCESS(status)) {
        arguments->hKeyedMutex = dxgk_keyed_handle(keyed);
        arguments->hSharedHandle = dxgk_keyed_shared_handle(keyed);
    }
    return status;
}
CLIENT_CALL(CreateKeyedMutex, create_first, D3DKMT_CREATEKEYEDMUTEX)

static NTSTATUS create_second(struct client_call *call, D3DKMT_CREATEKEYEDMUTEX2 *arguments)
{
    struct dxgk_keyed_request request = {.key = arguments->InitialValue,
                                         .runtime_size = arguments->PrivateRuntimeDataSize,
                                         .nt_security = arguments->Flags.NtSecuritySharing};
    struct dxgk_keyed *keyed;

    if (arguments->Flags.Reserved ||
        (arguments->PrivateRuntimeDataSize > 0 && !arguments->pPrivateRuntimeData)) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = create(call, arguments->pPrivateRuntimeData, &request, &keyed);
    if (NT_SUCCESS(status)) {
        arguments->hKeyedMutex = dxgk_keyed_handle(keyed);
        arguments->hSharedHandle = dxgk_keyed_shared_handle(keyed);
    }
    return status;
}
CLIENT_CALL(CreateKeyedMutex2, create_second, D3DKMT_CREATEKEYEDMUTEX2)

/* None is asked for by size 0. What Windows is recorded to do: room that is large enough is left as
 * it is when a mutex is opened; the data come with it when it is acquired. */
NTSTATUS client_check_keyed_room(const struct dxgk_keyed_core *core, const void CLIENT *room,
                                 UINT size)
{
    UINT wanted = 0;

    if (core) {
        (void)dxgk_keyed_runtime_data(core, &wanted);
    }
    return size == 0 || (core && room && size >= wanted) ? STATUS_SUCCESS
                                                         : STATUS_INVALID_PARAMETER;
}

static NTSTATUS open_core(struct client_call *call, struct dxgk_keyed_core *core,
                          D3DKMT_HANDLE *handle)
{
    struct dxgk_keyed *keyed;
    NTSTATUS status = dxgk_keyed_open(call->process, core, &keyed);

    if (NT_SUCCESS(status)) {
        *handle = dxgk_keyed_handle(keyed);
    }
    return status;
}

static struct dxgk_keyed_core *shared_keyed_of(struct client_call *call, D3DKMT_HANDLE handle)
{
    return client_object(call, handle, DXGK_KIND_SHARED_KEYED, NULL);
}

static NTSTATUS open_first(struct client_call *call, D3DKMT_OPENKEYEDMUTEX *arguments)
{
    struct dxgk_keyed_core *core = shared_keyed_of(call, arguments->hSharedHandle);

    return core ? open_core(call, core, &arguments->hKeyedMutex) : NO_SUCH_OBJECT;
}
CLIENT_CALL(OpenKeyedMutex, open_first, D3DKMT_OPENKEYEDMUTEX)

static NTSTATUS open_second(struct client_call *call, D3DKMT_OPENKEYEDMUTEX2 *arguments)
{
    struct dxgk_keyed_core *core = shared_keyed_of(call, arguments->hSharedHandle);

    if (!core) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = client_check_keyed_room(core, arguments->pPrivateRuntimeData,
                                              arguments->PrivateRuntimeDataSize);
    return NT_SUCCESS(status) ? open_core(call, core, &arguments->hKeyedMutex) : status;
}
CLIENT_CALL(OpenKeyedMutex2, open_second, D3DKMT_OPENKEYEDMUTEX2)

static NTSTATUS open_by_handle(struct client_call *call,
                               D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE *arguments)
{
    struct dxgk_keyed_core *core = client_shared_keyed(call, arguments->hNtHandle);

    if (!core) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = client_check_keyed_room(core, arguments->pPrivateRuntimeData,
                                              arguments->PrivateRuntimeDataSize);
    return NT_SUCCESS(status) ? open_core(call, core, &arguments->hKeyedMutex) : status;
}
CLIENT_CALL(OpenKeyedMutexFromNtHandle, open_by_handle, D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE)

static NTSTATUS destroy(struct client_call *call, const D3DKMT_DESTROYKEYEDMUTEX *arguments)
{
    struct dxgk_keyed *keyed = keyed_of(call, arguments->hKeyedMutex);

    return keyed ? dxgk_keyed_destroy(keyed) : NO_SUCH_OBJECT;
}
CLIENT_CALL_IN(DestroyKeyedMutex, destroy, D3DKMT_DESTROYKEYEDMUTEX)

/* ---- Acquiring and releasing --------------------------------------------------------------- */

static uint64_t after_100ns(uint64_t hundreds)
{
    uint64_t now_ns = machine_now_ns();

    return hundreds > (MACHINE_NEVER - now_ns) / NS_PER_100NS ? MACHINE_NEVER
                                                              : now_ns + hundreds * NS_PER_100NS;
}

/* None: without an end. Below 0 it is from now on; 0 is at once; else it is a time. */
static NTSTATUS read_timeout(const LARGE_INTEGER CLIENT *theirs, uint64_t *deadline_ns)
{
    LARGE_INTEGER timeout;

    *deadline_ns = MACHINE_NEVER;
    if (!theirs) {
        return STATUS_SUCCESS;
    }
    NTSTATUS status = client_read(&timeout, theirs, sizeof timeout);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    uint64_t now = nt_system_time(), time = (uint64_t)timeout.QuadPart;
    if (timeout.QuadPart < 0) {
        *deadline_ns = after_100ns(0 - time);
    } else {
        *deadline_ns = after_100ns(time > now ? time - now : 0);
    }
    return STATUS_SUCCESS;
}

/* Where the client wants the runtime data; size 0: nowhere. */
struct room {
    void CLIENT *bytes;
    UINT size;
};

static NTSTATUS write_runtime_data(const struct dxgk_keyed *keyed, const struct room *room)
{
    UINT size;
    const void *bytes = dxgk_keyed_runtime_data(dxgk_keyed_shared(keyed), &size);

    return room->size > 0 ? client_write(room->bytes, bytes, size) : STATUS_SUCCESS;
}

static NTSTATUS acquire(struct client_call *call, D3DKMT_ACQUIREKEYEDMUTEX *arguments,
                        const struct room *room)
{
    struct dxgk_keyed *keyed = keyed_of(call, arguments->hKeyedMutex);
    uint64_t deadline_ns;

    if (!keyed) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = client_check_keyed_room(dxgk_keyed_shared(keyed), room->bytes, room->size);
    if (NT_SUCCESS(status)) {
        status = client_probe_write(room->bytes, room->size);
    }
    if (NT_SUCCESS(status)) {
        status = read_timeout((const LARGE_INTEGER CLIENT *)(uintptr_t)arguments->pTimeout,
                              &deadline_ns);
    }
    if (NT_SUCCESS(status)) {
        status = dxgk_keyed_acquire(keyed, arguments->Key, deadline_ns);
        call->in_vain = status == STATUS_TIMEOUT && dxgk_keyed_has(keyed);
    }
    if (status == STATUS_SUCCESS) {
        arguments->FenceValue = dxgk_keyed_fence_value(keyed);
        status = write_runtime_data(keyed, room);
        if (!NT_SUCCESS(status)) { /* the room went while it waited: it does not have the mutex */
            const struct dxgk_keyed_release back = {.key = arguments->Key,
                                                    .fence_value = arguments->FenceValue};
            NTSTATUS given_back = dxgk_keyed_release(keyed, &back);
            status = NT_SUCCESS(given_back) ? status : given_back;
        }
    }
    return status;
}

static NTSTATUS acquire_first(struct client_call *call, D3DKMT_ACQUIREKEYEDMUTEX *arguments)
{
    return acquire(call, arguments, &(struct room){0});
}
CLIENT_CALL(AcquireKeyedMutex, acquire_first, D3DKMT_ACQUIREKEYEDMUTEX)

static NTSTATUS acquire_second(struct client_call *call, D3DKMT_ACQUIREKEYEDMUTEX2 *arguments)
{
    D3DKMT_ACQUIREKEYEDMUTEX plain = {.hKeyedMutex = arguments->hKeyedMutex,
                                      .Key = arguments->Key,
                                      .pTimeout = arguments->pTimeout,
                                      .FenceValue = arguments->FenceValue};
    const struct room room = {arguments->pPrivateRuntimeData, arguments->PrivateRuntimeDataSize};
    NTSTATUS status = acquire(call, &plain, &room);

    arguments->FenceValue = plain.FenceValue;
    return status;
}
CLIENT_CALL(AcquireKeyedMutex2, acquire_second, D3DKMT_ACQUIREKEYEDMUTEX2)

static NTSTATUS release_first(struct client_call *call, D3DKMT_RELEASEKEYEDMUTEX *arguments)
{
    const struct dxgk_keyed_release release = {.key = arguments->Key,
                                               .fence_value = arguments->FenceValue};
    struct dxgk_keyed *keyed = keyed_of(call, arguments->hKeyedMutex);

    return keyed ? dxgk_keyed_release(keyed, &release) : NO_SUCH_OBJECT;
}
CLIENT_CALL(ReleaseKeyedMutex, release_first, D3DKMT_RELEASEKEYEDMUTEX)

static NTSTATUS release_second(struct client_call *call, D3DKMT_RELEASEKEYEDMUTEX2 *arguments)
{
    struct dxgk_keyed_release release = {.key = arguments->Key,
                                         .fence_value = arguments->FenceValue,
                                         .runtime_size = arguments->PrivateRuntimeDataSize};
    struct dxgk_keyed *keyed = keyed_of(call, arguments->hKeyedMutex);
    void *copy;

    if (!keyed) {
        return NO_SUCH_OBJECT;
    }
    if (release.runtime_size > DXGK_KEYED_BYTES_MAX ||
        (release.runtime_size > 0 && !arguments->pPrivateRuntimeData)) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status =
        client_capture(call, arguments->pPrivateRuntimeData, release.runtime_size, 1, &copy);
    release.runtime_data = copy;
    return NT_SUCCESS(status) ? dxgk_keyed_release(keyed, &release) : status;
}
CLIENT_CALL(ReleaseKeyedMutex2, release_second, D3DKMT_RELEASEKEYEDMUTEX2)
