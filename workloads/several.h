/* several.h: allocations that are made, opened, closed and destroyed several in one call. */
#ifndef WORKLOADS_SEVERAL_H
#define WORKLOADS_SEVERAL_H

#include <drydock/workload.h>

/* Without knowledge of a driver's private data. A driver may refuse them; what it makes holds the
 * bytes that were written there, each by itself. */
void several_at_once(const struct drydock_workload_host *host);

#endif
