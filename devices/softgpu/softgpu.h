/* softgpu.h: the software GPU, a PCI display device for drydock/device.h.
 *
 * What it can do is written in commands.md, how to talk to it in softgpu_regs.h. */
#ifndef SOFTGPU_SOFTGPU_H
#define SOFTGPU_SOFTGPU_H

#include <drydock/device.h>

/* Options: vram_mb, aperture_mb, outputs, vram_lost, one_clock, latch, monitor; see softgpu.c. */
extern const struct device_model softgpu_model;

#endif
