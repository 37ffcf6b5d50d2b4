/* Events that clients make, set and wait for. */
#include "d3dkmt/internal.h"

#include "drydock/client.h"

static NTSTATUS create_event(struct client_call *call, struct drydock_client_event *arguments)
{
    uint64_t handle;
    NTSTATUS status = dxgk_event_create(call->process, arguments->automatic, &handle);

    if (NT_SUCCESS(status)) {
        arguments->hEvent = (HANDLE)(uintptr_t)handle;
    }
    return status;
}
CLIENT_ENTRY(drydock_create_event, CreateEvent, create_event, struct drydock_client_event,
             struct drydock_client_event, true)

static NTSTATUS set_event(struct client_call *call, const struct drydock_handle *arguments)
{
    struct _KEVENT *event;

    if (!dxgk_event_find(call->process, arguments->hNtHandle, &event)) {
        return STATUS_INVALID_HANDLE;
    }
    nt_event_signal(event);
    nt_object_put(event);
    return STATUS_SUCCESS;
}
CLIENT_ENTRY(drydock_set_event, SetEvent, set_event, struct drydock_handle,
             const struct drydock_handle, false)

static NTSTATUS wait_event(struct client_call *call, const struct drydock_event_wait *arguments)
{
    uint64_t end_ns = machine_now_ns() + arguments->timeout_ns;
    struct _KEVENT *event;

    if (end_ns < arguments->timeout_ns) {
        end_ns = MACHINE_NEVER;
    }
    if (!dxgk_event_find(call->process, arguments->hEvent, &event)) {
        return STATUS_INVALID_HANDLE;
    }
    bool taken = nt_event_wait(event, end_ns);
    nt_object_put(event);
    return taken ? STATUS_SUCCESS : STATUS_TIMEOUT;
}
CLIENT_ENTRY(drydock_wait_event, WaitEvent, wait_event, struct drydock_event_wait,
             const struct drydock_event_wait, false)
