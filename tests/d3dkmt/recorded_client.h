/* recorded_client.h: a client that wants the answers that Windows is recorded to give. */
#ifndef TESTS_D3DKMT_RECORDED_CLIENT_H
#define TESTS_D3DKMT_RECORDED_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload recorded;

/* recorded_shared.c: memory of its own, and what others can open by handles and names. */
struct hostile;
void recorded_check_shared(const struct hostile *client);

#endif
