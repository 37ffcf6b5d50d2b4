/* hostile_client.h: clients that ask for what makes no sense. */
#ifndef TESTS_D3DKMT_HOSTILE_CLIENT_H
#define TESTS_D3DKMT_HOSTILE_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload hostile_null;      /* no arguments */
extern const struct drydock_workload hostile_handles;   /* dead, foreign and mixed-up handles */
extern const struct drydock_workload hostile_sizes;     /* counts, sizes and rectangles */
extern const struct drydock_workload hostile_threads;   /* one destroys what another uses */
extern const struct drydock_workload hostile_leaver;    /* ends and leaves everything open */
extern const struct drydock_workload hostile_arguments; /* random ones */
extern const struct drydock_workload hostile_pointers;  /* addresses where nothing is */
extern const struct drydock_workload hostile_changes;   /* memory changed during the call */

#endif
