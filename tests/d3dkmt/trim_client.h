/* trim_client.h: clients that are told to trim. */
#ifndef TESTS_D3DKMT_TRIM_CLIENT_H
#define TESTS_D3DKMT_TRIM_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload trim_client;

#endif
