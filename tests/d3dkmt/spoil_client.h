/* spoil_client.h: a client whose last submission is sent once more, spoiled, and another one that
 * comes meanwhile. */
#ifndef TESTS_D3DKMT_SPOIL_CLIENT_H
#define TESTS_D3DKMT_SPOIL_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload spoil_client;

#endif
