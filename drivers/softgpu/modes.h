/* modes.h: the modes of an output and its monitor: the part of softgpu.h that is about modes.c. */
#ifndef SOFTGPU_MODES_H
#define SOFTGPU_MODES_H

struct softgpu_adapter;

struct softgpu_mode {
    ULONG width, height, total_width, total_height, refresh_hz;
};

extern const struct softgpu_mode softgpu_modes[];
extern const ULONG softgpu_mode_count;

/* By the EDID of the monitor at the output. */
BOOLEAN softgpu_is_native(const struct softgpu_adapter *adapter, ULONG target,
                          const struct softgpu_mode *mode);
BOOLEAN softgpu_monitor_has_stereo(const struct softgpu_adapter *adapter, ULONG target);

#endif
