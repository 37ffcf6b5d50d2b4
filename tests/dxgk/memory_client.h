/* memory_client.h: a driver that destroys memory of a context in one thread while a callback of
 * another one is using it. */
#ifndef TESTS_DXGK_MEMORY_CLIENT_H
#define TESTS_DXGK_MEMORY_CLIENT_H

#include "drydock/workload.h"

/* For each callback that waits with such memory: at its i-th point that may switch it is destroyed,
 * or its context is; until the callback has no such point. Once as it is, and once kept out of its
 * place until then, so that the callback waits for that. */
extern const struct drydock_workload memory_client;

#endif
