/* Lives and handles, as the client face sees them; opened by dxgk.h. */
#ifndef DXGK_HANDLE_H
#define DXGK_HANDLE_H

#include <stdbool.h>
#include <stddef.h>

#include <d3dkmthk.h>

#include "base/check.h"

struct dxgk_adapter;
struct dxgk_context;
struct dxgk_opening;
struct dxgk_process;

/* What is made here lives until it is destroyed, or what it belongs to is. Its pointer is good as
 * long as that is sure, or the caller has a reference to its life, which keeps its memory: every
 * call on an object that is being destroyed, or was, gives STATUS_INVALID_HANDLE, and so does
 * destroying it again. */
struct dxgk_life;
void *dxgk_life_object(struct dxgk_life *life); /* the object of the kind that was asked for */
/* Is it of a device that its client marked as being in error, and that was in order before? */
bool dxgk_life_is_marked(const struct dxgk_life *life);
void dxgk_life_put(struct dxgk_life *life);
struct dxgk_life *dxgk_context_get(struct dxgk_context *context); /* one reference more */
struct dxgk_life *dxgk_opening_get(struct dxgk_opening *opening);

enum dxgk_handle_kind {
    DXGK_KIND_FREE,
    DXGK_KIND_ADAPTER,
    DXGK_KIND_DEVICE,
    DXGK_KIND_CONTEXT,
    DXGK_KIND_HW_CONTEXT,
    DXGK_KIND_HW_QUEUE,
    DXGK_KIND_OPENING,
    DXGK_KIND_HOLDING, /* what a device has of a resource */
    DXGK_KIND_SYNC,
    DXGK_KIND_SHARED, /* a resource that other processes may open */
    DXGK_KIND_PAGING_QUEUE,
    DXGK_KIND_TRIMMING, /* a client's wish to be told when it should trim */
    DXGK_KIND_SECTION,
    DXGK_KIND_SHARED_SYNC, /* a synchronisation object that other processes may open */
    DXGK_KIND_DOORBELL,
    DXGK_KIND_KEYED,        /* a keyed mutex */
    DXGK_KIND_SHARED_KEYED, /* one that other processes may open */
    DXGK_KIND_OVERLAY,
    /* Without handles: */
    DXGK_KIND_PROCESS,
    DXGK_KIND_ALLOCATION,
    DXGK_KIND_RESOURCE,
    DXGK_KIND_CONTEXT_MEMORY,
};

/* With a reference; NULL for a handle that is dead, of another kind, or of another process (owner
 * NULL: any, for what is shared). */
struct dxgk_life *dxgk_handle_get(D3DKMT_HANDLE handle, enum dxgk_handle_kind kind,
                                  const struct dxgk_process *owner);
/* Does a living object of this kind have the handle, whosoever it is? */
uint64_t dxgk_handle_life(D3DKMT_HANDLE handle, enum dxgk_handle_kind kind);
size_t dxgk_handle_count(void);
/* A further handle of an adapter for a process; closed with the process if the client forgets.
 * DEVICE_REMOVED: the adapter is lost; NO_MEMORY: the table is full. */
NTSTATUS MUST_CHECK dxgk_adapter_handle_new(struct dxgk_adapter *adapter,
                                            struct dxgk_process *process, D3DKMT_HANDLE *out);
NTSTATUS dxgk_adapter_handle_close(D3DKMT_HANDLE handle, const struct dxgk_process *process);

#endif
