/* bands.h: hardware contexts that compete for a node, by bands, priorities and quanta; what came of
 * it the scheduling log tells the kernel. */
#ifndef WORKLOADS_BANDS_H
#define WORKLOADS_BANDS_H

#include <drydock/workload.h>

/* On a node of the software GPU that has hardware queues; else nothing. */
void compete_in_bands(const struct drydock_workload_host *host, unsigned node);

#endif
