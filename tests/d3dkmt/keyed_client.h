/* Keyed mutexes, in one process and between two. */
#ifndef TESTS_D3DKMT_KEYED_CLIENT_H
#define TESTS_D3DKMT_KEYED_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload keyed;

#endif
