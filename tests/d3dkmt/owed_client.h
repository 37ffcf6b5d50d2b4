/* owed_client.h: a process whose page tables made way for another's memory, with none left. */
#ifndef TESTS_D3DKMT_OWED_CLIENT_H
#define TESTS_D3DKMT_OWED_CLIENT_H

#include "drydock/workload.h"

/* The other gives it back after a while; never, before the first has lost its device; wants it for
 * what the driver has for a context. */
extern const struct drydock_workload owed_and_returned, owed_for_ever, owed_to_context;

#endif
