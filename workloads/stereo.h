/* stereo.h: a screen that shows an image to each eye, as a step of another workload. */
#ifndef WORKLOADS_STEREO_H
#define WORKLOADS_STEREO_H

#include "gpu.h"

/* Sets the driver's stereo mode of that size on the first source, shows and flips primaries there,
 * and leaves it. Where the driver has none, or its allocations are not known, nothing is done. */
bool stereo_show(struct gpu *gpu, const D3DKMT_DISPLAYMODE *size);

#endif
