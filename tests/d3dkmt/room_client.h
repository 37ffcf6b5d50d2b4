/* room_client.h: video memory that one process wants to the last page, while the tables of another
 * lie there. */
#ifndef TESTS_D3DKMT_ROOM_CLIENT_H
#define TESTS_D3DKMT_ROOM_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload room_client;
/* Addresses of a process that has no context yet. */
extern const struct drydock_workload early_addresses;

#endif
