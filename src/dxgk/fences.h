/* For the client face, a room of dxgk.h, which includes it: fences that the GPU sees, native ones,
 * and waits of CPUs for synchronisation objects. */
#ifndef DXGK_FENCES_H
#define DXGK_FENCES_H

#include <d3dkmthk.h>
#include <ntddk.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "dxgk/periodic.h"

struct dxgk_adapter;
struct dxgk_context;
struct dxgk_device;
struct dxgk_process;
struct dxgk_sync;
struct dxgk_sync_core;
struct dxgk_sync_opening;

/* A monitored fence that the GPU sees, where it has virtual addresses: made, or opened in a device,
 * as dxgk_sync_open() does. On success it lives until the caller switches. May switch. */
NTSTATUS MUST_CHECK dxgk_fence_create(struct dxgk_device *device,
                                      const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info,
                                      struct dxgk_sync **out);
NTSTATUS MUST_CHECK dxgk_fence_open(const struct dxgk_sync_opening *how,
                                    struct dxgk_sync_core *core, struct dxgk_sync **out);
/* Where the GPU sees it in the process that has it open; 0: it does not. */
D3DGPU_VIRTUAL_ADDRESS dxgk_fence_address(const struct dxgk_sync *sync);

/* Native fences, which the driver makes. NOT_SUPPORTED: it has none. May switch. */
struct dxgk_native_request {
    UINT64 initial_value;
    D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags;
    void *private_data; /* D3DDDI_NATIVE_FENCE_PDD_SIZE bytes, the client's; the driver answers */
};
NTSTATUS MUST_CHECK dxgk_native_create(struct dxgk_device *device,
                                       const struct dxgk_native_request *request,
                                       struct dxgk_sync **out);
D3DGPU_VIRTUAL_ADDRESS dxgk_native_monitored_address(const struct dxgk_sync *sync);
/* When clients wait for each other: does one wait for a native fence that has its value? Then the
 * driver has not told, and is blamed, at once if nothing goes on by itself (`for_good`). */
bool dxgk_natives_judge(struct dxgk_adapter *adapter, bool for_good);

/* A CPU's wait for all of them, or for any. */
struct dxgk_sync_wait {
    struct dxgk_sync *const *objects;
    const UINT64 *values; /* as many */
    UINT count;           /* 1 to D3DDDI_MAX_OBJECT_WAITED_ON */
    bool any;
};
NTSTATUS dxgk_syncs_wait_cpu(const struct dxgk_sync_wait *wait);
/* For one, until then. */
NTSTATUS dxgk_sync_wait_cpu(struct dxgk_sync *sync, UINT64 value, uint64_t deadline_ns);
/* Returns at once; the event is signalled when it is over. Not if the process ends before. */
NTSTATUS dxgk_sync_wait_event(struct dxgk_process *process, const struct dxgk_sync_wait *wait,
                              HANDLE event);
/* On the context's time line, behind its earlier work: the event is signalled. */
NTSTATUS dxgk_event_signal_gpu(struct dxgk_context *context, HANDLE event);

#endif
