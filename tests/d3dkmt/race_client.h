/* race_client.h: a client with a thread that destroys what another one is making. */
#ifndef TESTS_D3DKMT_RACE_CLIENT_H
#define TESTS_D3DKMT_RACE_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload races, old_races;

#endif
