/* addresses_client.h: what a client of GPU virtual addresses can do wrong. */
#ifndef TESTS_DXGK_ADDRESSES_CLIENT_H
#define TESTS_DXGK_ADDRESSES_CLIENT_H

#include "drydock/workload.h"

enum addresses_victim {
    ADDRESSES_DEVICE,
    ADDRESSES_CONTEXT,
    ADDRESSES_ALLOCATION,
    ADDRESSES_QUEUE,
    ADDRESSES_FENCE,
};
extern enum addresses_victim addresses_victim;

/* For each call that uses the victim: at its i-th point that may switch another thread destroys the
 * victim; until the call has no such point. */
extern const struct drydock_workload addresses_lives;
/* Calls with arguments that make no sense; each is refused. */
extern const struct drydock_workload addresses_hostile;
/* Commands where nothing is mapped: the client loses its device, and another's work goes on. */
extern const struct drydock_workload addresses_fault, addresses_faults;
/* The same, and the other does not look whether its device was taken, too. */
extern const struct drydock_workload addresses_bystander;
/* Memory that is destroyed behind the work that uses it. */
extern const struct drydock_workload addresses_destroyed;

#endif
