/* queue_present.h: pictures copied by hardware queues. */
#ifndef WORKLOADS_QUEUE_PRESENT_H
#define WORKLOADS_QUEUE_PRESENT_H

#include <stdbool.h>

#include <drydock/workload.h>

/* On each node that has hardware queues, where the driver takes presents there; compared with
 * pixman's. No commands are needed. False: a failure, and the host was told. */
bool present_in_queues(const struct drydock_workload_host *host);

#endif
