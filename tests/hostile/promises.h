/* promises.h: what a client must not do, by its name. */
#ifndef HOSTILE_PROMISES_H
#define HOSTILE_PROMISES_H

#include <drydock/workload.h>

/* False: there is none of that name. */
bool promise_break(const struct drydock_workload_host *host, const char *name);

#endif
