/* recorded_client.h: a client that wants the answers that Windows is recorded to give. */
#ifndef TESTS_D3DKMT_RECORDED_CLIENT_H
#define TESTS_D3DKMT_RECORDED_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload recorded;

#endif
