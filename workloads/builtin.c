/* The workloads that come with Drydock. */
#include "workloads.h"

#include <string.h>

static const struct drydock_workload *const all[] = {
    &workload_desktop,   &workload_modes,    &workload_planes,  &workload_overlays,
    &workload_queued,    &workload_pressure, &workload_memory,  &workload_surfaces,
    &workload_gdi,       &workload_scenes,   &workload_placed,  &workload_empty,
    &workload_mapped,    &workload_render,   &workload_virtual, &workload_queues,
    &workload_doorbells, &workload_fences,   &workload_hang,    &workload_screen,
};

const struct drydock_workload *workload_builtin_at(unsigned index)
{
    return index < sizeof all / sizeof *all ? all[index] : NULL;
}

bool workload_ends(const struct drydock_workload *workload)
{
    bool builtin = false;

    for (unsigned i = 0; workload_builtin_at(i); i++) {
        builtin |= all[i] == workload;
    }
    return builtin && workload != &workload_hang;
}

const struct drydock_workload *workload_builtin(const char *name)
{
    for (unsigned i = 0; workload_builtin_at(i); i++) {
        if (strcmp(all[i]->name, name) == 0) {
            return all[i];
        }
    }
    return NULL;
}
