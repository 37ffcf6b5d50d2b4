/* Synchronisation objects of clients. */
#ifndef DXGK_SYNCOBJ_H
#define DXGK_SYNCOBJ_H

#include "dxgk/dxgk.h"
#include "dxgk/life.h"
#include "dxgk/periodic.h"
#include "sync/sync.h"

/* What all who have a synchronisation object open know of it. It ends with the last of them, and
 * with the handles of the system that stand for it; those who wait are let go then. */
struct dxgk_sync_core {
    struct dxgk_life life; /* a kind without handles, or with one that every process can open */
    struct sync_object object;
    struct dxgk_adapter *adapter;
    unsigned open_count; /* openings that live, and handles of the system */
    D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type;
    D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags;
    struct _KEVENT *event;          /* CPU notification; referenced */
    uint64_t *memory;               /* monitored fence: its value, which clients read */
    struct dxgk_fence_memory *page; /* where that is; NULL: no GPU sees it */
    struct dxgk_native *native;     /* of a native fence: native.h */
    struct dxgk_periodic *periodic; /* of a periodic one: periodic.h */
};

/* An opening of one, which a handle names. Packets and blocked tasks that name it keep its memory.
 */
struct dxgk_sync {
    struct dxgk_life life; /* linked in the device's syncs, or in the process's */
    struct dxgk_sync_core *core;
    struct dxgk_device *device;               /* NULL: opened by a call that names none */
    D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags; /* what its opener may do */
    bool kernels_own;             /* of a paging queue: clients wait for it, and nothing else */
    struct dxgk_fence_view *view; /* where the GPU sees it, in its device's process; or NULL */
    /* Of a native fence. */
    struct dxgk_fence_view *monitored_view;
    HANDLE native_handle;
    bool native_opened; /* OpenNativeFence made it */
};

/* Of an adapter: native.h. */
struct dxgk_natives {
    struct list all;        /* struct dxgk_native */
    bool in_system_process; /* the paging process sees them, too */
    bool stale;             /* the driver could not be told of values */
    bool told, all_told;    /* a notice came that the DPC has not served; of all of them */
    bool others;            /* and monitored fences may have been signalled */
    uint64_t written_ns;    /* UpdateCurrentValuesFromCpu returned, the last time; 0: never */
};

/* Of a kind whose value is a word of memory? */
static inline bool dxgk_sync_is_monitored(const struct dxgk_sync_core *core)
{
    return core->type == D3DDDI_MONITORED_FENCE || core->type == D3DDDI_NATIVE_FENCE ||
           core->type == D3DDDI_PERIODIC_MONITORED_FENCE;
}

/* One more has it open; false: it has ended. */
bool dxgk_sync_core_open(struct dxgk_sync_core *core);
void dxgk_sync_core_close(struct dxgk_sync_core *core);

/* What its maker ruled out [FENCE-005]; of a paging queue's, the kernel. */
bool dxgk_sync_may_signal(const struct dxgk_sync *sync);
bool dxgk_sync_may_wait(const struct dxgk_sync *sync);

/* Events that were promised to the process are not signalled any more. */
void dxgk_event_waits_end(struct dxgk_process *process);

/* What a CPU of the process waits for in a call; NULL: nothing. */
const struct sync_item *dxgk_sync_cpu_wait_of(const struct dxgk_process *process);

/* Its signaller is lost. */
void dxgk_sync_lose(struct dxgk_sync *sync);

#endif
