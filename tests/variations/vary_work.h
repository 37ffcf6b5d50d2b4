/* Work that vary_test.c gives to drivers. */
#ifndef VARIATIONS_VARY_WORK_H
#define VARIATIONS_VARY_WORK_H

#include <drydock/workload.h>

extern const struct drydock_workload evicting_workload;

#endif
