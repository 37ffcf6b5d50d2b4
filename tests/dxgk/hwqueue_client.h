/* hwqueue_client.h: a client of hardware queues. */
#ifndef TESTS_DXGK_HWQUEUE_CLIENT_H
#define TESTS_DXGK_HWQUEUE_CLIENT_H

#include "drydock/workload.h"

/* Submits, waits, lets queues wait for each other, ends them while they work. Losing the device or
 * a submission is no failure; it counts "hwqueue.submitted", "hwqueue.refused", "hwqueue.done",
 * "hwqueue.lost". */
extern const struct drydock_workload hwqueue_work;
/* Calls that make no sense are refused. */
extern const struct drydock_workload hwqueue_hostile;

#endif
