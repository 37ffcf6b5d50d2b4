/* duplication_client.h: a compositor whose pictures other processes look at, and what comes beside
 * that: events of vertical syncs, sync files, and things of which there are none. */
#ifndef TESTS_D3DKMT_DUPLICATION_CLIENT_H
#define TESTS_D3DKMT_DUPLICATION_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload duplication;
extern const struct drydock_workload duplication_in_turn;
extern const struct drydock_workload vertical_events; /* beside_client.c */
extern const struct drydock_workload sync_files;      /* beside_client.c; WDDM 2.0 */

#endif
