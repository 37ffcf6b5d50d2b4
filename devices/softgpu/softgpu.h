/* softgpu.h: makes a software GPU, a PCI display device for drydock/device.h.
 *
 * What it can do is written in commands.md, how to talk to it in softgpu_regs.h. */
#ifndef SOFTGPU_SOFTGPU_H
#define SOFTGPU_SOFTGPU_H

#include <drydock/device.h>

/* options: NULL or "key=value,key=value" with
 *   vram_mb      video memory, rounded up to a power of two; 1 ... 4096, default 64
 *   aperture_mb  address range for system pages; 1 ... 4096, default 256
 *   outputs      video outputs, 0 ... 2, default 1
 *   vram_lost    1: a reset of the whole GPU clears video memory; default 0
 * NULL is returned for options that are not these, and for want of memory. */
struct device *softgpu_create(struct device_bus *bus, const char *options);

#endif
