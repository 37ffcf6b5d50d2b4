/* How every call begins and ends, and what it copies of its client's memory. */
#include "d3dkmt/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/record.h"

#define GRAPHICS_FACILITY 0x1Eu /* of statuses */

static const char *const names[] = {
#define X(name) "D3DKMT" #name,
    D3DKMT_CALLS(X)
#undef X
};

const char *d3dkmt_call_name(unsigned call)
{
    return call < D3DKMT_CALL_COUNT ? names[call] : "?";
}

/* ---- The client's memory ------------------------------------------------------------------- */

/* The only place where the mark of a client's pointer is taken off. */
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnoderef"
#endif
static void *address_of(const void CLIENT *pointer)
{
    return (void *)pointer;
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

NTSTATUS client_read(void *to, const void CLIENT *from, size_t size)
{
    return machine_copy(to, address_of(from), size) ? STATUS_SUCCESS : STATUS_ACCESS_VIOLATION;
}

NTSTATUS client_write(void CLIENT *to, const void *from, size_t size)
{
    return machine_copy(address_of(to), from, size) ? STATUS_SUCCESS : STATUS_ACCESS_VIOLATION;
}

NTSTATUS client_probe_write(void CLIENT *to, size_t size)
{
    return machine_is_writable(address_of(to), size) ? STATUS_SUCCESS : STATUS_ACCESS_VIOLATION;
}

/* Copies of one call, the newest first. */
struct capture {
    struct capture *next;
    void *bytes; /* a block of its own, so that a driver that leaves its bounds is seen */
};

/* Takes over the bytes, which may be NULL. */
static NTSTATUS keep_room(struct client_call *call, void *bytes)
{
    struct capture *capture = bytes ? nt_memory_alloc(sizeof *capture, 0) : NULL;

    if (!capture) {
        nt_memory_free(bytes);
        return STATUS_NO_MEMORY;
    }
    *capture = (struct capture){.next = call->captures, .bytes = bytes};
    call->captures = capture;
    return STATUS_SUCCESS;
}

NTSTATUS client_room(struct client_call *call, size_t size, void **room)
{
    *room = nt_memory_alloc(size, 0);
    return keep_room(call, *room);
}

static void drop_captures(struct client_call *call)
{
    while (call->captures) {
        struct capture *capture = call->captures;

        call->captures = capture->next;
        nt_memory_free(capture->bytes);
        nt_memory_free(capture);
    }
}

NTSTATUS client_capture(struct client_call *call, const void CLIENT *from, size_t count,
                        size_t element_size, void **copy)
{
    size_t size;

    *copy = NULL;
    if (__builtin_mul_overflow(count, element_size, &size) || (size > 0 && !from)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (size == 0) {
        return STATUS_SUCCESS;
    }
    NTSTATUS status = client_room(call, size, copy);
    if (NT_SUCCESS(status)) {
        status = client_read(*copy, from, size);
    }
    return status;
}

NTSTATUS client_capture_private(struct client_call *call, const void CLIENT *from, UINT size,
                                void **copy)
{
    *copy = NULL;
    if (size > PRIVATE_BYTES_MAX || (size > 0 && !from)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (size == 0) {
        return STATUS_SUCCESS;
    }
    *copy = nt_memory_hand(size, "a client's private data");
    NTSTATUS status = keep_room(call, *copy);
    return NT_SUCCESS(status) ? client_read(*copy, from, size) : status;
}

/* ---- Handles ------------------------------------------------------------------------------- */

/* Most calls name a few objects, some thousands. */
static bool grow_held(struct client_call *call)
{
    unsigned max = call->held_max ? call->held_max * 2 : CLIENT_HELD_MIN;
    void *room = call->first_held;

    if (call->held_max && !NT_SUCCESS(client_room(call, max * sizeof *call->held, &room))) {
        return false;
    }
    if (call->held_count > 0) {
        memcpy(room, call->held, call->held_count * sizeof *call->held);
    }
    call->held = room;
    call->held_max = max;
    return true;
}

bool client_hold(struct client_call *call, struct dxgk_life *life)
{
    if (call->held_count == call->held_max && !grow_held(call)) {
        dxgk_life_put(life);
        return false;
    }
    call->held[call->held_count++] = life;
    return true;
}

static void drop_held(struct client_call *call)
{
    while (call->held_count > 0) {
        dxgk_life_put(call->held[--call->held_count]);
    }
}

void *client_object(struct client_call *call, D3DKMT_HANDLE handle, enum dxgk_handle_kind kind,
                    const struct dxgk_process *owner)
{
    struct dxgk_life *life = dxgk_handle_get(handle, kind, owner);

    return life && client_hold(call, life) ? dxgk_life_object(life) : NULL;
}

struct dxgk_context *context_of(struct client_call *call, D3DKMT_HANDLE handle)
{
    struct dxgk_device *device = device_of(call, handle);
    struct dxgk_context *context = device ? dxgk_device_first_context(device) : NULL;

    if (!device) {
        return exact_context_of(call, handle);
    }
    return context && client_hold(call, dxgk_context_get(context)) ? context : NULL;
}

/* ---- A call -------------------------------------------------------------------------------- */

NTSTATUS client_enter(struct client_call *call, const struct client_arguments *arguments)
{
    call->process = dxgk_process_current();
    if (!call->process) {
        return STATUS_ACCESS_DENIED;
    }
    task_serve(call);
    dxgk_refusal_here()->inside = d3dkmt_call_name(call->number);
    dxgk_refusal_here()->inside_since_ns = machine_now_ns();
    dxgk_wait_awake();
    call->driver_calls = dxgk_driver_calls();
    call->own_driver_calls = dxgk_driver_task_calls();
    if (!arguments->theirs) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_read(arguments->ours, arguments->theirs, arguments->size);
    if (NT_SUCCESS(status) && arguments->answered) {
        status = client_probe_write(arguments->theirs, arguments->size);
    }
    return status;
}

/* What a refused call left in its arguments goes back, too: sizes that would have been enough. */
static NTSTATUS answer(const struct client_call *call, const struct client_arguments *arguments,
                       NTSTATUS status)
{
    bool wanted = arguments->answered && (NT_SUCCESS(status) || call->answers_refusal ||
                                          status == STATUS_BUFFER_TOO_SMALL);
    NTSTATUS written =
        wanted ? client_write(arguments->theirs, arguments->ours, arguments->size) : STATUS_SUCCESS;

    return NT_SUCCESS(written) ? status : written;
}

/* Is it an answer that comes of the driver though the call did not ask it? Its device is lost, or
 * what it has to show is not there. Those of an owner, or of a wrong name, are the client's. */
static bool rests_on_driver(NTSTATUS status)
{
    return status == STATUS_DEVICE_REMOVED ||
           (((uint32_t)status >> 16 & 0xFFF) == GRAPHICS_FACILITY &&
            status != STATUS_GRAPHICS_PRESENT_OCCLUDED &&
            status != STATUS_GRAPHICS_ALLOCATION_BUSY &&
            status != STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE &&
            status != STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE &&
            status != STATUS_GRAPHICS_INVALID_DISPLAY_ADAPTER);
}

/* A client whose call failed ends what it has, or looks whether its device lives, and says then
 * that it failed. */
static bool comes_behind_failures(enum d3dkmt_call number)
{
    switch (number) {
    case D3DKMT_CALL_CloseAdapter:
    case D3DKMT_CALL_CloseHandle:
    case D3DKMT_CALL_DestroyAllocation:
    case D3DKMT_CALL_DestroyAllocation2:
    case D3DKMT_CALL_DestroyContext:
    case D3DKMT_CALL_DestroyDevice:
    case D3DKMT_CALL_DestroyDoorbell:
    case D3DKMT_CALL_DestroyHwContext:
    case D3DKMT_CALL_DestroyHwQueue:
    case D3DKMT_CALL_DestroyKeyedMutex:
    case D3DKMT_CALL_DestroyOverlay:
    case D3DKMT_CALL_DestroyPagingQueue:
    case D3DKMT_CALL_DestroySynchronizationObject:
    case D3DKMT_CALL_FreeGpuVirtualAddress:
    case D3DKMT_CALL_FreeMemory:
    case D3DKMT_CALL_GetDeviceState:
    case D3DKMT_CALL_Unlock:
    case D3DKMT_CALL_Unlock2:
        return true;
    default:
        return false;
    }
}

/* It was told that something happened to its device: that comes before what it did wrong itself, or
 * asked for in vain. */
static bool tells_of_loss(const struct client_call *call, const struct client_arguments *arguments,
                          NTSTATUS status)
{
    const D3DKMT_GETDEVICESTATE *told = arguments->ours;

    return call->number == D3DKMT_CALL_GetDeviceState && NT_SUCCESS(status) &&
           told->StateType == D3DKMT_DEVICESTATE_EXECUTION &&
           told->ExecutionState != D3DKMT_DEVICEEXECUTION_ACTIVE;
}

/* A device that was in order until its client marked it. */
static bool names_marked(const struct client_call *call)
{
    for (unsigned i = 0; i < call->held_count; i++) {
        if (dxgk_life_is_marked(call->held[i])) {
            return true;
        }
    }
    return false;
}

/* What failed before such a call is not forgotten, unless the call fails itself for more than its
 * client's mistake. */
static void remember_refusal(const struct client_call *call,
                             const struct client_arguments *arguments, NTSTATUS status, bool marked)
{
    struct dxgk_refusal *last = dxgk_refusal_here();
    bool asked = call->own_driver_calls != dxgk_driver_task_calls();
    bool own = call->in_vain || (!NT_SUCCESS(status) && !asked && !rests_on_driver(status));
    bool outdone =
        (last->call || last->lacking) && !marked && tells_of_loss(call, arguments, status);

    if (!outdone && comes_behind_failures(call->number) && (NT_SUCCESS(status) || own) &&
        last->task == task_object(task_self()) &&
        (!NT_SUCCESS(last->status) || last->call || last->marked)) {
        last->inside = NULL;
        return;
    }
    *last = (struct dxgk_refusal){
        .call = own ? d3dkmt_call_name(call->number) : NULL,
        .ddi = dxgk_driver_refusal(call->driver_calls, status),
        .marked = marked,
        .status = status,
        .task = task_object(task_self()),
    };
}

NTSTATUS client_leave(struct client_call *call, const struct client_arguments *arguments,
                      NTSTATUS status)
{
    bool marked = names_marked(call);

    status = answer(call, arguments, status);
    drop_held(call);
    drop_captures(call);
    if (task_self()) {
        record_event(EVENT_CLIENT_CALL, task_object(task_self()), call->number, (uint32_t)status);
        record_count("client.calls", 1);
        if (!NT_SUCCESS(status)) {
            record_count("client.failures", 1);
        }
        if (call->process) {
            remember_refusal(call, arguments, status, marked);
        }
        machine_yield();
        task_serve(NULL);
    }
    return status;
}

/* ---- What is not there ----------------------------------------------------------------------- */

NTSTATUS d3dkmt_lacks(const char *name)
{
    struct dxgk_process *process = dxgk_process_current();
    char text[160];

    if (!process) {
        return STATUS_ACCESS_DENIED;
    }
    task_serve(text);
    snprintf(text, sizeof text,
             "a client called %s, which Drydock does not have: STATUS_NOT_SUPPORTED", name);
    record_note(text);
    record_count("client.lacking", 1);
    *dxgk_refusal_here() = (struct dxgk_refusal){
        .lacking = name, .status = STATUS_NOT_SUPPORTED, .task = task_object(task_self())};
    machine_yield();
    task_serve(NULL);
    return STATUS_NOT_SUPPORTED;
}
