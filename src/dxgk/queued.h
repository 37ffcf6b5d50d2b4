/* How many Presents of a device wait or run: D3DKMTSetQueuedLimit.
 *
 *     begin ── there are as many as the client allows: waits until one is done
 *       enter ── packets that the context makes from here on are of this call ── leave
 *     end ── from here on it counts as long as one of its packets is left
 *
 * Who never asked for a limit is not held back: docs/choices.md. */
#ifndef DXGK_QUEUED_H
#define DXGK_QUEUED_H

#include <d3dkmddi.h>

#include <stdint.h>

struct dxgk_context;
struct dxgk_device;

struct dxgk_present_limit {
    UINT limit;    /* 0: never asked for */
    UINT calls;    /* that go on, with or without packets yet */
    uint64_t last; /* number that was given out */
};

/* May switch. */
void dxgk_queued_begin(struct dxgk_device *device);
void dxgk_queued_end(struct dxgk_device *device);
/* The call has the context for itself. */
void dxgk_queued_enter(struct dxgk_context *context);
void dxgk_queued_leave(struct dxgk_context *context);

#endif
