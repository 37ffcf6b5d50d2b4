/* Periodic monitored fences: the driver has the device interrupt once in each frame of a target, so
 * long before the vertical sync, and the kernel counts the fence up.
 *
 *   CreatePeriodicFrameNotification(target, time, id) ─> PERIODIC_MONITORED_FENCE_SIGNALED(target,
 *   id) in each frame ─> the fence is one more ─> who waits for it is let go ─> ... ─>
 *   DestroyPeriodicFrameNotification */
#ifndef DXGK_PERIODIC_H
#define DXGK_PERIODIC_H

#include <stdbool.h>
#include <stdint.h>

#include <d3dkmddi.h>
#include <d3dkmthk.h>

#include "base/list.h"
#include "base/status.h"

struct dxgk_adapter;
struct dxgk_device;
struct dxgk_sync;
struct dxgk_sync_core;

/* Of an adapter. */
struct dxgk_periodics {
    struct list all; /* struct dxgk_periodic */
    UINT last_id;
    bool told; /* the DPC has something to do */
};

void dxgk_periodics_init(struct dxgk_adapter *adapter);
/* For the client face: info->PeriodicMonitoredFence says which. INVALID_PARAMETER: no such target,
 * or a time longer than a frame; NOT_SUPPORTED: the driver has no such notices. May switch. */
NTSTATUS MUST_CHECK dxgk_periodic_create(struct dxgk_device *device,
                                         const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info,
                                         struct dxgk_sync **out);
/* Its fence ends, or there was none. May switch. */
void dxgk_periodic_end(struct dxgk_sync_core *core);
/* At device level, and in the DPC. */
void dxgk_periodic_notice(struct dxgk_adapter *adapter,
                          const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data);
void dxgk_periodic_dpc(struct dxgk_adapter *adapter);
/* The device, or what it shows, was set anew by `call`: there have to be notices from now on. */
void dxgk_periodics_begin_anew(struct dxgk_adapter *adapter, const char *call);
/* A vertical sync of the target was told, at device level. */
void dxgk_periodic_vsync(struct dxgk_adapter *adapter, UINT target);

#endif
