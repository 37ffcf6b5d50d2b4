/* behind_client.h: a hardware queue that faults, and another client's that hangs behind it. */
#ifndef TESTS_DXGK_BEHIND_CLIENT_H
#define TESTS_DXGK_BEHIND_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload behind_a_fault;

#endif
