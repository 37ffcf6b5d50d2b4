/* What is asked about things of which there are none here, and what is answered then. */
#include "d3dkmt/internal.h"

/* Transitions of heaps are made when they are asked for: none is pending. */
static NTSTATUS flush_heaps(struct client_call *call, const D3DKMT_FLUSHHEAPTRANSITIONS *arguments)
{
    return adapter_of(call, arguments->hAdapter) ? STATUS_SUCCESS : NO_SUCH_OBJECT;
}
CLIENT_ENTRY(D3DKMTFlushHeapTransitions, FlushHeapTransitions, flush_heaps,
             D3DKMT_FLUSHHEAPTRANSITIONS, D3DKMT_FLUSHHEAPTRANSITIONS, false)

/* A source of a session that is somewhere else: no name is one's. */
static NTSTATUS find_remote_source(struct client_call *call,
                                   D3DKMT_QUERYREMOTEVIDPNSOURCEFROMGDIDISPLAYNAME *arguments)
{
    return STATUS_INVALID_PARAMETER;
}
CLIENT_CALL(QueryRemoteVidPnSourceFromGdiDisplayName, find_remote_source,
            D3DKMT_QUERYREMOTEVIDPNSOURCEFROMGDIDISPLAYNAME)

/* Virtual machines with a share of the GPU: none has the number. */
static NTSTATUS register_process(struct client_call *call, const GUID *machine)
{
    return STATUS_NOT_FOUND;
}
CLIENT_ENTRY(D3DKMTRegisterVailProcess, RegisterVailProcess, register_process, GUID, GUID, false)

/* ---- Tokens of redirected presents --------------------------------------------------------- */

/* The arguments of a function that has no structure of its own. */
struct queue_event {
    D3DKMT_HANDLE adapter;
    HANDLE CLIENT *event;
};

/* Set when there is a token to read; nobody presents so, and it never is. */
static NTSTATUS queue_event(struct client_call *call, const struct queue_event *arguments)
{
    uint64_t handle;

    if (!adapter_of(call, arguments->adapter) || !arguments->event) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = client_probe_write(arguments->event, sizeof(HANDLE));
    if (NT_SUCCESS(status)) {
        status = dxgk_event_create(call->process, true, &handle);
    }
    if (NT_SUCCESS(status)) {
        const HANDLE made = (HANDLE)(uintptr_t)handle;
        status = client_write(arguments->event, &made, sizeof made);
    }
    return status;
}

NTSTATUS APIENTRY D3DKMTGetPresentQueueEvent(D3DKMT_HANDLE adapter, HANDLE *event)
{
    struct client_call call = {.number = D3DKMT_CALL_GetPresentQueueEvent};
    struct queue_event given = {adapter, event}, copy;
    const struct client_arguments where = {
        .theirs = &given, .ours = &copy, .size = sizeof copy, .answered = false};
    NTSTATUS status = client_enter(&call, &where);

    if (NT_SUCCESS(status)) {
        status = queue_event(&call, &copy);
    }
    return client_leave(&call, &where, status);
}
