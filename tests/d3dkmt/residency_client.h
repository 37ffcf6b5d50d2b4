/* residency_client.h: what a client may ask and change of what it has in memory. */
#ifndef TESTS_D3DKMT_RESIDENCY_CLIENT_H
#define TESTS_D3DKMT_RESIDENCY_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload residency_client;

#endif
