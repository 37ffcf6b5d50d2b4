/* existing_client.h: allocations that are made of memory which a client has. */
#ifndef TESTS_D3DKMT_EXISTING_CLIENT_H
#define TESTS_D3DKMT_EXISTING_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload existing_client;

#endif
