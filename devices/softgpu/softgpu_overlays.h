/* softgpu_overlays.h: overlays of the software GPU: the part of softgpu_regs.h that only drivers
 * with overlays include. */
#ifndef SOFTGPU_OVERLAYS_H
#define SOFTGPU_OVERLAYS_H

#include "softgpu_regs.h"

/* Overlays of an output: SOFTGPU_OVERLAY_REG(output, overlay, ...), with SOFTGPU_PLANE_SURFACE to
 * SOFTGPU_PLANE_CONTROL, as a plane has them. What is written here is staged; COMMIT takes it over
 * at the next vsync or immediately. An overlay lies over whatever the output shows, the first over
 * the second, and a FLIP leaves it alone. With KEY it is seen where that has the colour of COLOUR,
 * and nowhere else. */
#define SOFTGPU_OVERLAY_MAX 2u
#define SOFTGPU_OVERLAY_REG(output, overlay, reg) \
    SOFTGPU_OUTPUT_REG(output, 0x380 + (overlay)*0x40 + (reg))

#define SOFTGPU_OVERLAY_COLOUR 0x30 /* RW: 0x00RRGGBB */
#define SOFTGPU_OVERLAY_COMMIT 0x38 /* WO: SOFTGPU_FLIP_... */

#define SOFTGPU_OVERLAY_KEY 0x40u /* in CONTROL */

#endif
