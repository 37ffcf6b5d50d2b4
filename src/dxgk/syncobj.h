/* Synchronisation objects of clients. */
#ifndef DXGK_SYNCOBJ_H
#define DXGK_SYNCOBJ_H

#include "dxgk/dxgk.h"
#include "dxgk/life.h"
#include "sync/sync.h"

/* Packets and blocked tasks that name it keep its memory; those who wait are let go at its end. */
struct dxgk_sync {
    struct dxgk_life life; /* linked in the device's syncs */
    struct sync_object object;
    struct dxgk_device *device;
    D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type;
    D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS flags;
    HANDLE event;     /* CPU notification */
    uint64_t *memory; /* monitored fence: its value, which clients read */
    bool kernels_own; /* of a paging queue: clients wait for it, and nothing else */
};

/* Its signaller is lost. */
void dxgk_sync_lose(struct dxgk_sync *sync);

#endif
