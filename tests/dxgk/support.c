/* Visits at points that may switch; see support.h. */
#include "support.h"

#define VISIT_YIELDS 2000 /* then the visitor waits for the caller, or for time to pass */

static void fire(struct points *points)
{
    points->fired = true;
    if (points->visitor) {
        task_wake(points->visitor);
    }
}

static void at_point(void *context, bool blocks)
{
    struct points *points = context;

    if (task_self() != points->caller || points->visiting || points->fired) {
        return;
    }
    if (points->reached != points->wanted && !(blocks && points->at_block)) {
        points->reached++;
        return;
    }
    fire(points);
    points->visiting = true;
    for (unsigned i = 0; !blocks && !points->over && i < VISIT_YIELDS; i++) {
        machine_yield();
    }
    points->visiting = false;
}

void points_begin(struct points *points)
{
    points->caller = task_self();
    points->reached = 0;
    points->fired = points->visiting = points->over = false;
    machine_set_point_hook(at_point, points);
}

bool points_end(struct points *points)
{
    bool had = points->fired && points->reached == points->wanted;

    machine_set_point_hook(NULL, NULL);
    if (!points->fired) {
        fire(points);
    }
    return had;
}

void points_wait(struct points *points)
{
    points->visitor = task_self();
    while (!points->fired) {
        task_block(MACHINE_NEVER);
    }
}
