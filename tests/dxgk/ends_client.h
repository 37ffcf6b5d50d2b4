/* ends_client.h: clients that end what still waits for them. */
#ifndef TESTS_DXGK_ENDS_CLIENT_H
#define TESTS_DXGK_ENDS_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload ends_allocation_client; /* locked, with work behind the lock */
extern const struct drydock_workload ends_context_client;    /* of that work */
extern const struct drydock_workload ends_evicting_client;   /* locked, and another evicts it */
extern const struct drydock_workload ends_own_lock_client;   /* locked, and it evicts it */
extern const struct drydock_workload ends_flip_client;       /* flips on a screen that is dark */

#endif
