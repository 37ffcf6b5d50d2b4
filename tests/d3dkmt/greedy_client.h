/* greedy_client.h: clients that make objects without end, and threads that end one device. */
#ifndef TESTS_D3DKMT_GREEDY_CLIENT_H
#define TESTS_D3DKMT_GREEDY_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload greedy_workers, greedy_objects, greedy_waits, greedy_contexts,
    greedy_events, greedy_addresses, closers;

#endif
