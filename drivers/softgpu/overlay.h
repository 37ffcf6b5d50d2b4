/* overlay.h: overlays as they have been since WDDM 1.0: a picture over the primary, which flips
 * without it. planes.h opens this. */
#ifndef SOFTGPU_OVERLAY_H
#define SOFTGPU_OVERLAY_H

#include "../../devices/softgpu/softgpu_overlays.h"

struct softgpu_adapter;

/* The device has as many on each output; the same one is used wherever the source is shown. The
 * handle that dxgkrnl has is the address. One thread at a time is in the DDIs. */
struct softgpu_overlay {
    struct softgpu_adapter *adapter; /* NULL: it is free */
    ULONG source;
};

DXGKDDI_CREATEOVERLAY softgpu_create_overlay;
DXGKDDI_UPDATEOVERLAY softgpu_update_overlay;
DXGKDDI_FLIPOVERLAY softgpu_flip_overlay;
DXGKDDI_DESTROYOVERLAY softgpu_destroy_overlay;

#endif
