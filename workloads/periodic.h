/* periodic.h: fences that the kernel counts up in each frame of an output. */
#ifndef WORKLOADS_PERIODIC_H
#define WORKLOADS_PERIODIC_H

#include "gpu.h"

/* For some frames of the first output that shows something, by a client that has a picture there; a
 * driver without such notices, or a dark screen, is no failure. resets: half of the times the
 * adapter is reset meanwhile, by which devices with work may be lost. */
void follow_frames(const struct drydock_workload_host *host, bool resets);

#endif
