/* What the files of d3dkmt/ share: how a call begins and ends, how handles become objects, and the
 * only way to a client's memory. */
#ifndef D3DKMT_INTERNAL_H
#define D3DKMT_INTERNAL_H

/* Before the headers of the WDK. clang refuses to follow a pointer so marked (-Wnoderef, an error
 * here); other compilers have no such thing. */
#ifdef __clang__
#define D3DKMT_CLIENT __attribute__((noderef))
#endif

#include <d3dkmddi.h>
#include <d3dkmthk.h>
#include <ntddk.h>

#include "d3dkmt/d3dkmt.h"
#include "dxgk/dxgk.h"
#include "machine/machine.h"
#include "nt/nt.h"

/* Marks the type that a pointer of the client points to. */
#define CLIENT D3DKMT_CLIENT

/* Bounds of what one call may carry; ours. */
#define PRIVATE_BYTES_MAX (1u << 20)
#define LIST_ENTRIES_MAX  4096u
#define SUB_RECTS_MAX     65536u

/* The answer to a handle that names nothing of its caller's, or an object of another kind. One that
 * another thread ends during the call gives STATUS_INVALID_HANDLE. */
#define NO_SUCH_OBJECT STATUS_INVALID_PARAMETER

/* ---- A call ------------------------------------------------------------------------------ */

#define CLIENT_HELD_MIN 16

struct capture;

/* One call of a client, on the stack of its exported function. */
struct client_call {
    struct dxgk_process *process;
    struct capture *captures; /* what was copied for it; freed with it */
    enum d3dkmt_call number;
    uint64_t driver_calls;     /* begun before it */
    uint64_t own_driver_calls; /* by its task */
    bool answers_refusal;      /* the arguments go back though the call fails */
    bool in_vain;              /* it waited for what the client itself keeps, or does not show */
    /* What its handles named; given back with it. */
    struct dxgk_life *first_held[CLIENT_HELD_MIN], **held;
    unsigned held_count, held_max;
};

/* Where the client has its arguments, and our copy of them. */
struct client_arguments {
    void CLIENT *theirs;
    void *ours;
    size_t size;
    bool answered; /* the copy goes back when the call ends */
};

/* Takes the process and copies the arguments; the function runs if this succeeds. */
NTSTATUS client_enter(struct client_call *call, const struct client_arguments *arguments);
/* Gives back the arguments and what the call had, records the call, lets others run. */
NTSTATUS client_leave(struct client_call *call, const struct client_arguments *arguments,
                      NTSTATUS status);

/* An exported function around one that gets the call and our copy of the arguments: it never sees
 * the client's own. `qualified` is the type as the header has it. */
#define CLIENT_ENTRY(exported, call_number, function, type, qualified, goes_back)  \
    NTSTATUS APIENTRY exported(qualified *arguments)                               \
    {                                                                              \
        struct client_call call = {.number = D3DKMT_CALL_##call_number};           \
        type copy;                                                                 \
        const struct client_arguments where = {.theirs = (type CLIENT *)arguments, \
                                               .ours = &copy,                      \
                                               .size = sizeof copy,                \
                                               .answered = (goes_back)};           \
        NTSTATUS status = client_enter(&call, &where);                             \
        if (NT_SUCCESS(status)) {                                                  \
            status = function(&call, &copy);                                       \
        }                                                                          \
        return client_leave(&call, &where, status);                                \
    }

/* Arguments that go in and come back. */
#define CLIENT_CALL(name, function, type) \
    CLIENT_ENTRY(D3DKMT##name, name, function, type, type, true)
/* Arguments that only go in. */
#define CLIENT_CALL_IN(name, function, type) \
    CLIENT_ENTRY(D3DKMT##name, name, function, type, const type, false)
/* Arguments that the header has const and the function fills in nevertheless. */
#define CLIENT_CALL_FILLING(name, function, type) \
    CLIENT_ENTRY(D3DKMT##name, name, function, type, const type, true)

/* ---- The client's memory ----------------------------------------------------------------- */
/* Every byte is read once, into memory of ours, and judged there; a client that changes it
 * meanwhile changes nothing. A bad address is STATUS_ACCESS_VIOLATION. */

NTSTATUS MUST_CHECK client_read(void *to, const void CLIENT *from, size_t size);
NTSTATUS client_write(void CLIENT *to, const void *from, size_t size);
/* For memory that is written when the call can no longer fail. */
NTSTATUS MUST_CHECK client_probe_write(void CLIENT *to, size_t size);
/* Copies `count` elements into kernel memory that lives until the call ends; *copy is NULL for
 * none. The driver may be given it. */
NTSTATUS MUST_CHECK client_capture(struct client_call *call, const void CLIENT *from, size_t count,
                                   size_t element_size, void **copy);
/* The same for a driver's private data, at most PRIVATE_BYTES_MAX. */
NTSTATUS MUST_CHECK client_capture_private(struct client_call *call, const void CLIENT *from,
                                           UINT size, void **copy);
/* Zeroed memory of the same life. */
NTSTATUS MUST_CHECK client_room(struct client_call *call, size_t size, void **room);

/* The name in object attributes of a client (or NULL), in memory of the call; Buffer is NULL: none.
 * OBJECT_PATH_NOT_FOUND: no directory that clients make objects in; names.c. */
NTSTATUS MUST_CHECK client_capture_name(struct client_call *call,
                                        const OBJECT_ATTRIBUTES CLIENT *theirs,
                                        UNICODE_STRING *name);

/* ---- Handles ----------------------------------------------------------------------------- */

/* The object that the handle names to the call's process, or with `owner` NULL to everybody; NULL
 * if there is none. Its memory stays until the call ends, whatever others do to the object. */
void *client_object(struct client_call *call, D3DKMT_HANDLE handle, enum dxgk_handle_kind kind,
                    const struct dxgk_process *owner);
/* Takes over a reference until the call ends; false, and the reference is gone, without memory. */
bool client_hold(struct client_call *call, struct dxgk_life *life);

/* Monitored fences, each with its value, on the time line of a context or a queue.
 * Handles and rights are looked at before the first is queued. */
struct client_fences {
    const D3DKMT_HANDLE CLIENT *handles;
    const UINT64 CLIENT *values;
    UINT count;
    bool signal;
};
NTSTATUS client_queue_fences(struct client_call *call, struct dxgk_context *context,
                             const struct client_fences *fences);

static inline struct dxgk_adapter *adapter_of(struct client_call *call, D3DKMT_HANDLE handle)
{
    return client_object(call, handle, DXGK_KIND_ADAPTER, call->process);
}

static inline struct dxgk_device *device_of(struct client_call *call, D3DKMT_HANDLE handle)
{
    return client_object(call, handle, DXGK_KIND_DEVICE, call->process);
}

static inline struct dxgk_context *exact_context_of(struct client_call *call, D3DKMT_HANDLE handle)
{
    return client_object(call, handle, DXGK_KIND_CONTEXT, call->process);
}

static inline struct dxgk_hwqueue *hwqueue_of(struct client_call *call, D3DKMT_HANDLE handle)
{
    return client_object(call, handle, DXGK_KIND_HW_QUEUE, call->process);
}

static inline struct dxgk_sync *sync_of(struct client_call *call, D3DKMT_HANDLE handle)
{
    return client_object(call, handle, DXGK_KIND_SYNC, call->process);
}

static inline struct dxgk_keyed *keyed_of(struct client_call *call, D3DKMT_HANDLE handle)
{
    return client_object(call, handle, DXGK_KIND_KEYED, call->process);
}

/* What everybody may open. */
static inline struct dxgk_resource *shared_of(struct client_call *call, D3DKMT_HANDLE handle)
{
    return client_object(call, handle, DXGK_KIND_SHARED, NULL);
}

static inline struct dxgk_opening *
opening_of(struct client_call *call, const struct dxgk_device *device, D3DKMT_HANDLE handle)
{
    struct dxgk_opening *opening = client_object(call, handle, DXGK_KIND_OPENING, call->process);

    return opening && dxgk_opening_device(opening) == device ? opening : NULL;
}

static inline struct dxgk_paging_queue *paging_queue_of(struct client_call *call,
                                                        D3DKMT_HANDLE handle)
{
    return client_object(call, handle, DXGK_KIND_PAGING_QUEUE, call->process);
}

/* The device's openings that a call names; the list lives as long as the call. */
struct opening_list {
    UINT count;
    struct dxgk_opening **openings;
};
NTSTATUS MUST_CHECK client_openings(struct client_call *call, struct dxgk_device *device,
                                    const D3DKMT_HANDLE CLIENT *theirs, UINT count,
                                    struct opening_list *list);

/* Back buffers that a submission says that it writes, in a copy of its arguments: the device's.
 * What is shown waits for its own context and for fences alone, so that nothing else follows. */
NTSTATUS MUST_CHECK client_check_written(struct client_call *call, struct dxgk_device *device,
                                         const D3DKMT_HANDLE *handles, UINT count);

/* What a resource's handle names: the device's openings of it by one call. */
static inline struct dxgk_holding *
holding_of(struct client_call *call, const struct dxgk_device *device, D3DKMT_HANDLE handle)
{
    struct dxgk_holding *holding = client_object(call, handle, DXGK_KIND_HOLDING, call->process);

    return holding && dxgk_holding_device(holding) == device ? holding : NULL;
}

/* Memory of the client's that an allocation is to be made of: section.c. */
struct client_existing {
    struct dxgk_section *section;
    uint64_t page;
};
NTSTATUS MUST_CHECK client_existing_section(struct client_call *call, HANDLE handle,
                                            struct client_existing *existing);
NTSTATUS MUST_CHECK client_existing_memory(struct client_call *call, const void CLIENT *address,
                                           struct client_existing *existing);

/* share.c: what the handle of the system stands for stays for the call; NULL: no such object. */
struct dxgk_resource *client_shared_resource(struct client_call *call, HANDLE handle);
struct dxgk_sync_core *client_shared_sync(struct client_call *call, HANDLE handle);
struct dxgk_keyed_core *client_shared_keyed(struct client_call *call, HANDLE handle);
/* A sync file's, with the value that it stands for. */
struct dxgk_sync_core *client_sync_file(struct client_call *call, UINT64 handle, UINT64 *value);
/* keyed.c: does a client's room for runtime data do for the mutex? NULL: there is none. */
NTSTATUS MUST_CHECK client_check_keyed_room(const struct dxgk_keyed_core *core,
                                            const void CLIENT *room, UINT size);

/* owners.c: another device has the source for itself. Below D3DKMDT_MAX_VIDPN_SOURCES. */
bool client_source_is_taken(UINT source, D3DKMT_HANDLE device);
/* Is it some device's alone, and that is none of the caller's process? For calls that name none. */
bool client_source_is_others(struct client_call *call, UINT source);

/* A process names itself: no handle, or the one that stands for whoever calls. */
static inline bool client_names_caller(HANDLE process)
{
    return !process || process == NtCurrentProcess();
}

/* A context, or for calls of old clients a device that stands for its first one. */
struct dxgk_context *context_of(struct client_call *call, D3DKMT_HANDLE handle);

/* A wait for vertical syncs: who shows nothing there, before and behind, waits in vain; but what
 * was shown may be gone by a reset. */
struct client_watch {
    bool shows;
    uint64_t resets;
};
struct client_watch client_watch_begin(struct dxgk_adapter *adapter, UINT source);
bool client_watched_nothing(struct dxgk_adapter *adapter, UINT source,
                            const struct client_watch *watch);

#endif
