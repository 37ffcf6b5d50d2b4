/* The work of the determinism tests: three clients at once that present and flip, render under
 * memory pressure, and hang an engine; so that scheduling, eviction, vertical syncs, time-outs and
 * resets all leave their traces in the record. */
#ifndef DETERMINISM_WORK_H
#define DETERMINISM_WORK_H

#include "drydock/workload.h"

extern const struct drydock_workload determinism_workload;
extern const struct drydock_workload steady_workload; /* the same without the hang at its end */

#endif
