/* What the files of d3dkmt/ share: how a call begins and ends, and how handles become objects. */
#ifndef D3DKMT_INTERNAL_H
#define D3DKMT_INTERNAL_H

#include <d3dkmddi.h>
#include <d3dkmthk.h>
#include <ntddk.h>

#include "d3dkmt/d3dkmt.h"
#include "dxgk/dxgk.h"
#include "machine/machine.h"
#include "nt/nt.h"

/* Bounds of what one call may carry; ours. */
#define PRIVATE_BYTES_MAX (1u << 20)
#define LIST_ENTRIES_MAX  4096u
#define SUB_RECTS_MAX     65536u

enum hold { HOLD_NONE, HOLD_SHARED, HOLD_EXCLUSIVE };

/* NULL: the caller is no client, or gave no arguments; *status says which. */
struct dxgk_process *client_enter(enum hold hold, const void *arguments, NTSTATUS *status);
/* Records the call and lets others run. */
NTSTATUS client_leave(struct dxgk_process *process, enum hold hold, enum d3dkmt_call call,
                      NTSTATUS status);

/* The exported function, around one that gets the process and arguments that are not NULL. */
#define CLIENT_CALL(call, how, function, type)                                \
    NTSTATUS APIENTRY D3DKMT##call(type *arguments)                           \
    {                                                                         \
        NTSTATUS status;                                                      \
        struct dxgk_process *process = client_enter(how, arguments, &status); \
        if (process) {                                                        \
            status = function(process, arguments);                            \
        }                                                                     \
        return client_leave(process, how, D3DKMT_CALL_##call, status);        \
    }

static inline struct dxgk_adapter *adapter_of(const struct dxgk_process *process,
                                              D3DKMT_HANDLE handle)
{
    return dxgk_handle_get(handle, DXGK_KIND_ADAPTER, process);
}

static inline struct dxgk_device *device_of(const struct dxgk_process *process,
                                            D3DKMT_HANDLE handle)
{
    return dxgk_handle_get(handle, DXGK_KIND_DEVICE, process);
}

static inline struct dxgk_opening *opening_of(const struct dxgk_process *process,
                                              const struct dxgk_device *device,
                                              D3DKMT_HANDLE handle)
{
    struct dxgk_opening *opening = dxgk_handle_get(handle, DXGK_KIND_OPENING, process);

    return opening && dxgk_opening_device(opening) == device ? opening : NULL;
}

/* A resource's number is the same for all who have it open: the device must be one of them. */
struct dxgk_resource *resource_of(const struct dxgk_device *device, D3DKMT_HANDLE handle);

/* A context, or for calls of old clients a device that stands for its first one. */
struct dxgk_context *context_of(const struct dxgk_process *process, D3DKMT_HANDLE handle);

/* The client's bytes in kernel memory; *copy is NULL for none. Freed with nt_memory_free(). */
NTSTATUS capture(const void *bytes, UINT size, void **copy);

#endif
