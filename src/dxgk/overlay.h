/* Overlays, as they have been since WDDM 1.0: a picture that a client puts over the primary of a
 * source, and that stays when the primary flips.
 *
 *     made ──CreateOverlay──> on ──UpdateOverlay, FlipOverlay──> on
 *                              │
 *                              └──DestroyOverlay──> off
 *
 * It goes off with its client's call, or with its device; with what it shows; before its source
 * shows another mode or nothing, before a sleep and the end of the adapter; and in a reset. Who has
 * one that went off without him is told so, and makes another.
 *
 * While it is on, the surface has a pin, and the driver a handle. Who calls the driver for it has
 * the change of its source in hand, but for a reset, during which nobody else is in the driver. */
#ifndef DXGK_OVERLAY_H
#define DXGK_OVERLAY_H

#include <stdbool.h>

#include <d3dkmddi.h>
#include <d3dkmthk.h>

struct dxgk_adapter;
struct dxgk_allocation;
struct dxgk_device;
struct dxgk_opening;
struct dxgk_overlay;
struct dxgk_source;

/* What a client wants to be shown; private data are memory of the kernel's. */
struct dxgk_overlay_request {
    struct dxgk_opening *opening;
    RECT to, from; /* on the screen, of the surface; a flip has none */
    void *private_data;
    UINT private_size;
};

/* Does the driver have any? */
bool dxgk_adapter_has_overlays(const struct dxgk_adapter *adapter);
/* Not visible, turned, or showing planes: STATUS_INVALID_PARAMETER. As many as the driver can have
 * are there: STATUS_INSUFFICIENT_RESOURCES. All may switch. */
NTSTATUS dxgk_overlay_create(struct dxgk_device *device, UINT source,
                             const struct dxgk_overlay_request *request, struct dxgk_overlay **out);
/* STATUS_INVALID_PARAMETER: it is off. */
NTSTATUS dxgk_overlay_update(struct dxgk_overlay *overlay,
                             const struct dxgk_overlay_request *request);
NTSTATUS dxgk_overlay_flip(struct dxgk_overlay *overlay,
                           const struct dxgk_overlay_request *request);
NTSTATUS dxgk_overlay_destroy(struct dxgk_overlay *overlay);
bool dxgk_overlay_is_on(const struct dxgk_overlay *overlay);
D3DKMT_HANDLE dxgk_overlay_handle(const struct dxgk_overlay *overlay);
struct dxgk_device *dxgk_overlay_device(const struct dxgk_overlay *overlay);

/* ---- For dxgk/ ------------------------------------------------------------------------------ */

/* All go off. The caller has the change of the source in hand. */
void dxgk_overlays_end(struct dxgk_source *source);
/* Those that show it do. */
void dxgk_overlays_forget(struct dxgk_allocation *allocation);
/* Those of the device end. */
void dxgk_overlays_close(struct dxgk_device *device);
/* The worker's, between the two calls of a reset: all go off. */
void dxgk_overlays_reset(struct dxgk_adapter *adapter);
/* Is there something over the primary, so that the picture is not the primary's alone? */
bool dxgk_overlays_lie_over(const struct dxgk_source *source);

#endif
