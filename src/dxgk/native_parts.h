/* What native.c and native_values.c share. */
#ifndef DXGK_NATIVE_PARTS_H
#define DXGK_NATIVE_PARTS_H

#include "dxgk/fence_memory.h"
#include "dxgk/internal.h"
#include "dxgk/native.h"

#define NATIVE_WORDS      2  /* current value, monitored value */
#define NATIVE_OTHERS_MAX 3u /* of which one operation, or call, tells again */

struct dxgk_native {
    struct list link; /* the adapter's */
    struct dxgk_sync_core *core;
    HANDLE driver_handle;
    bool created;                        /* CreateNativeFence made it */
    struct dxgk_fence_memory *monitored; /* the current value is core->page */
    struct dxgk_fence_view *system_views[NATIVE_WORDS];
    struct vidmm_pin pins[NATIVE_WORDS];
    DXGK_FENCE_RESIDENCY_INFO *information; /* what BuildPagingBuffer is handed */
    struct dxgk_sync_core *others[NATIVE_OTHERS_MAX]; /* told of before it, held meanwhile */
    UINT other_count;
    bool placed;                            /* the driver was told its own */
    uint64_t wanted;                        /* that the driver is to hear as MonitoredValue */
    bool heard;             /* it was told some such value */
    bool telling;           /* somebody is telling it, and goes on until it is that */
    bool named;             /* by a notice that the DPC has not served */
    uint64_t owed_since_ns; /* somebody waits for a value that it has, and nobody told; 0: no */
};

HANDLE dxgk_native_handle(const struct dxgk_native *native); /* the kernel's */
bool dxgk_has_natives(const struct dxgk_adapter *adapter);
/* sync_fence_watch(): the least value that is waited for is another. */
void dxgk_native_monitor(struct sync_object *object, uint64_t monitored);

#endif
