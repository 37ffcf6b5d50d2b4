/* refused_client.h: a client whose calls name flags, sources, values and lists that are no client's
 * to name, or another's. */
#ifndef TESTS_D3DKMT_REFUSED_CLIENT_H
#define TESTS_D3DKMT_REFUSED_CLIENT_H

#include "drydock/workload.h"

/* Flags, lists, fences. */
extern const struct drydock_workload refused_flags;
/* With GPU virtual addresses. */
extern const struct drydock_workload refused_updates, refused_pieces, refused_mappings;
/* Sources, with one output. */
extern const struct drydock_workload refused_sources;

#endif
