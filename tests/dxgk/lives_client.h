/* lives_client.h: a client one thread of which destroys what a call of the other is using. */
#ifndef TESTS_DXGK_LIVES_CLIENT_H
#define TESTS_DXGK_LIVES_CLIENT_H

#include "drydock/workload.h"

enum lives_victim {
    LIVES_DEVICE,
    LIVES_CONTEXT,
    LIVES_ALLOCATION,
    LIVES_RESOURCE,
    LIVES_SYNC,
    LIVES_ADAPTER, /* its handle */
    LIVES_PROCESS, /* another one, whose resource the call opens */
    LIVES_VICTIM_COUNT
};

/* Chosen before the run: who is destroyed, at every point of every call that uses it. */
extern enum lives_victim lives_victim;
extern const struct drydock_workload lives_client;

#endif
