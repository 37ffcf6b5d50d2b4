/* Overlay planes: pictures that a source shows one over the other, since WDDM 1.3.
 *
 * Plane 0 is on top; it is what flips of the source show, too, and what is left when the planes go.
 * DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay, ...Overlay2, ...Overlay3 and their neighbours:
 * a driver is asked and told in the newest form that it offers. */
#ifndef DXGK_PLANES_H
#define DXGK_PLANES_H

#include <stdbool.h>
#include <stdint.h>

#include <d3dkmddi.h>

#include "dxgk/overlay.h"

#define DXGK_PLANES_MAX 8u

/* In which the driver is asked and told. */
enum dxgk_planes_form {
    DXGK_PLANES_NONE,
    DXGK_PLANES_FIRST,  /* WDDM 1.3 */
    DXGK_PLANES_SECOND, /* WDDM 2.0 */
    DXGK_PLANES_THIRD,  /* WDDM 2.1 */
};

struct dxgk_adapter;
struct dxgk_context;
struct dxgk_opening;

/* One plane as a client asks for it. */
struct dxgk_plane_request {
    UINT layer;
    bool enabled;
    struct dxgk_opening *opening; /* what it shows; NULL if it is not enabled */
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes;
    UINT immediate_line; /* MaxImmediateFlipLine */
};

struct dxgk_planes_request {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source;
    UINT count; /* layers ascend */
    D3DDDI_FLIPINTERVAL_TYPE interval;
    UINT duration;                           /* 100 ns; 0: as the mode has it */
    DXGK_SETVIDPNSOURCEADDRESS_FLAGS stereo; /* FlipStereo...: of a primary with two images */
    struct dxgk_plane_request planes[DXGK_PLANES_MAX];
};

struct dxgk_planes_answer {
    bool supported;
    DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO info;
};

/* The newest of which the driver has the DDIs, if its caps say that it has planes. */
enum dxgk_planes_form dxgk_adapter_planes_form(const struct dxgk_adapter *adapter);
bool dxgk_adapter_has_planes(const struct dxgk_adapter *adapter);
/* Do flips wait in the hardware? flip_queue.c. */
bool dxgk_adapter_queues_flips(const struct dxgk_adapter *adapter);
/* How often a source went from planes to its primary alone, whoever asked for that. */
uint64_t dxgk_planes_drops(const struct dxgk_adapter *adapter, unsigned source);
/* Could the driver show these planes alone? PASSIVE_LEVEL; may switch. STATUS_NOT_SUPPORTED: it has
 * no planes. */
NTSTATUS dxgk_planes_check(struct dxgk_adapter *adapter, const struct dxgk_planes_request *request,
                           struct dxgk_planes_answer *answer);
/* Queues them behind the context's earlier work; planes that are not named stay as they are. Those
 * that the driver would not show beside these are STATUS_NOT_SUPPORTED. */
NTSTATUS dxgk_planes_present(struct dxgk_context *context,
                             const struct dxgk_planes_request *request);
/* VidPnSourceId is filled in. */
NTSTATUS dxgk_planes_caps(struct dxgk_adapter *adapter, DXGKARG_GETMULTIPLANEOVERLAYCAPS *caps);
NTSTATUS dxgk_post_composition_caps(struct dxgk_adapter *adapter,
                                    DXGKARG_GETPOSTCOMPOSITIONCAPS *caps);

#endif
