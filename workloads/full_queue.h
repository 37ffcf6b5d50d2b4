/* full_queue.h: a stream of work that is given more at once than its ring has room for. */
#ifndef WORKLOADS_FULL_QUEUE_H
#define WORKLOADS_FULL_QUEUE_H

#include <drydock/workload.h>

/* On a node of the software GPU that has GPU virtual addresses; else nothing. */
void fill_a_queue(const struct drydock_workload_host *host, unsigned node);

#endif
