/* scale.h: pictures in modes of another size: the part of softgpu.h that is about the scaler. */
#ifndef SOFTGPU_SCALE_H
#define SOFTGPU_SCALE_H

#include "../../devices/softgpu/softgpu_scaler.h"

/* Scaling: what paths support besides identity; each with what is before it. */
#define SOFTGPU_SCALING_NONE    0u
#define SOFTGPU_SCALING_VISTA   1u /* Centered and Stretched */
#define SOFTGPU_SCALING_ASPECT  2u /* AspectRatioCenteredMax, of Windows 7 */
#define SOFTGPU_SCALING_SMALLER 3u /* Custom: with borders, for monitors that cut off the edges */
#define SOFTGPU_SCALING_MAX     SOFTGPU_SCALING_SMALLER

struct softgpu_adapter;
struct softgpu_settings;

/* As the device has it in its registers; zeros: the picture has the size of the mode. */
struct softgpu_scaler {
    ULONG source_size, window_position, window_size;
};

struct softgpu_size {
    ULONG width, height;
};

/* How a path gets from one size to the other. */
struct softgpu_scale {
    D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling;
    struct softgpu_size source, target;
};

/* Also where nothing is pinned: is there any scaling that does it? */
BOOLEAN softgpu_can_scale(const struct softgpu_settings *settings,
                          const struct softgpu_scale *scale);
/* What the path supports; sizes of 0 are open. */
void softgpu_tell_scaling(const struct softgpu_settings *settings,
                          const struct softgpu_scale *scale,
                          D3DKMDT_VIDPN_PRESENT_PATH_SCALING_SUPPORT *support);
/* It is decided how, and it can be done. */
BOOLEAN softgpu_can_commit(const struct softgpu_settings *settings,
                           const struct softgpu_scale *scale);
void softgpu_place_window(const struct softgpu_scale *scale, struct softgpu_scaler *scaler);
/* A path that is shown gets another scaling, at once; one that is not pinned stays. */
NTSTATUS softgpu_rescale(struct softgpu_adapter *adapter, const D3DKMDT_VIDPN_PRESENT_PATH *path);
void softgpu_scaler_program(struct softgpu_adapter *adapter, ULONG output); /* (isr) */

#endif
