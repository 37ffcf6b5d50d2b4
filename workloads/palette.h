/* palette.h: a screen with 256 colours of a palette, as a step of another workload. */
#ifndef WORKLOADS_PALETTE_H
#define WORKLOADS_PALETTE_H

#include "gpu.h"

/* Sets the driver's mode of that size with D3DDDIFMT_P8 on the first source, draws there and
 * changes the colours. Where the driver has none, nothing is done. */
bool palette_show(struct gpu *gpu, const D3DKMT_DISPLAYMODE *size);

#endif
