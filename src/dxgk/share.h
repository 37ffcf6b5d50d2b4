/* For the client face, a room of dxgk.h, which includes it: what clients share. Resources and
 * synchronisation objects, by a number that every process can name (dxgk_resource_share(),
 * dxgk_sync_shared_handle()) or by a handle of the system. IRQL PASSIVE_LEVEL. */
#ifndef DXGK_SHARE_H
#define DXGK_SHARE_H

#include <d3dkmthk.h>
#include <ntddk.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct dxgk_adapter;
struct dxgk_device;
struct dxgk_keyed_core;
struct dxgk_life;
struct dxgk_process;
struct dxgk_resource;
struct dxgk_sync;
struct dxgk_sync_core;

/* ---- Handles of the system ------------------------------------------------------------ */

/* A handle that stands for a resource, a synchronisation object, or a resource and both kinds that
 * order its use; any may be NULL. What it stands for stays, whoever else closes it, until the
 * handle is closed; the process's end closes those that it made. With a name (Length in bytes,
 * even), others open it by that as long as a handle with it is open; OBJECT_NAME_COLLISION: another
 * has it. */
struct dxgk_share_list {
    struct dxgk_resource *resource;
    struct dxgk_keyed_core *keyed;
    struct dxgk_sync_core *sync;
    const UNICODE_STRING *name; /* or NULL */
    bool sync_file;             /* it stands for one value of the synchronisation object */
    uint64_t value;
};
NTSTATUS MUST_CHECK dxgk_share(struct dxgk_process *process, const struct dxgk_share_list *list,
                               uint64_t *handle);
/* A handle more to what has the name. OBJECT_NAME_NOT_FOUND; OBJECT_TYPE_MISMATCH: it is a resource
 * and no synchronisation object alone, or the other way round. */
NTSTATUS MUST_CHECK dxgk_share_open_name(struct dxgk_process *process, const UNICODE_STRING *name,
                                         bool wants_sync, uint64_t *handle);
/* With a reference to each; false if the handle is none of these. */
struct dxgk_shared {
    struct dxgk_life *resource, *keyed, *sync; /* or NULL */
    bool sync_file;
    uint64_t value; /* of a sync file */
};
bool dxgk_shared_get(uint64_t handle, struct dxgk_shared *out);
/* Which of all that ever were, in this run and others; 0: it is none of these. */
uint64_t dxgk_share_number(uint64_t handle);
/* May switch. INVALID_HANDLE: it is none of these. */
NTSTATUS dxgk_share_close(uint64_t handle);
/* The handle by which every process can open the resource; made at the first call, 0 if there is
 * no room, or allocations are being added to it. It dies with the resource. */
D3DKMT_HANDLE dxgk_resource_share(struct dxgk_resource *resource);
bool dxgk_resource_is_shared(const struct dxgk_resource *resource); /* so */
bool dxgk_resource_has_nt_security(const struct dxgk_resource *resource);

/* ---- Events --------------------------------------------------------------------------- */

/* Of the process, until it closes them or ends. */
NTSTATUS MUST_CHECK dxgk_event_create(struct dxgk_process *process, bool automatic,
                                      uint64_t *handle);
/* Another process's, and the driver's own, are none. The caller puts what it gets. */
bool dxgk_event_find(const struct dxgk_process *process, HANDLE handle, struct _KEVENT **event);
NTSTATUS dxgk_event_close(struct dxgk_process *process, uint64_t handle);
/* One more, or the one that there is, which every vertical sync of the source sets. */
NTSTATUS MUST_CHECK dxgk_vsync_event_open(struct dxgk_process *process,
                                          struct dxgk_adapter *adapter, unsigned source,
                                          uint64_t *handle);

/* ---- Synchronisation objects ---------------------------------------------------------- */

/* Opens what another device, or process, has made. */
struct dxgk_sync_opening {
    struct dxgk_device *device;   /* or NULL: of the process alone */
    struct dxgk_process *process; /* without a device */
    D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags;
};
NTSTATUS MUST_CHECK dxgk_sync_open(const struct dxgk_sync_opening *how, struct dxgk_sync_core *core,
                                   struct dxgk_sync **out);
bool dxgk_sync_core_is_native(const struct dxgk_sync_core *core);
/* The same of a native fence; `private_data` as of dxgk_native_request. INVALID_PARAMETER: it is
 * none. */
NTSTATUS MUST_CHECK dxgk_native_open(const struct dxgk_sync_opening *how,
                                     struct dxgk_sync_core *core, void *private_data,
                                     struct dxgk_sync **out);
/* The handle by which every process can open it; 0: it is not shared so. */
D3DKMT_HANDLE dxgk_sync_shared_handle(const struct dxgk_sync *sync);
struct dxgk_sync_core *dxgk_sync_shared(const struct dxgk_sync *sync);
bool dxgk_sync_has_nt_security(const struct dxgk_sync *sync);

#endif
