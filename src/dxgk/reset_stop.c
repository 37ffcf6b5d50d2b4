/* Before a reset: everybody has to be out of the driver. */
#include "dxgk/work.h"

#include <stdio.h>

/* The call that was begun first of those that wait in the driver. "ResetFromTimeout is called
 * synchronously with any other function, except for" two: whoever is in one of these is not among
 * those that have to leave. */
struct stuck {
    enum contract_point point;
    uint64_t since_ns;
    bool excepted; /* somebody is in one of the two */
};

static void find_stuck(void *ctx, struct task *task, const void *from, const void *to)
{
    struct stuck *stuck = ctx;
    uint64_t since_ns;
    enum contract_point point = ddi_task_entry(task, &since_ns);

    if (point == POINT_SetPowerComponentFState || point == POINT_PowerRuntimeControlRequest) {
        stuck->excepted = true;
    } else if (point < POINT_COUNT && task != task_self() && since_ns < stuck->since_ns) {
        stuck->point = point;
        stuck->since_ns = since_ns;
    }
}

static struct stuck who_is_stuck(void)
{
    struct stuck stuck = {POINT_COUNT, MACHINE_NEVER, false};

    task_each_waiting(find_stuck, &stuck);
    task_each_busy(find_stuck, &stuck);
    return stuck;
}

/* The scheduler's steps are waited for first: they go through the door, and the reset waits for
 * them; however long it takes where all that keeps them is one of the two calls. */
bool dxgk_reset_stop(struct dxgk_adapter *adapter, uint64_t delay_ns)
{
    uint64_t deadline_ns = machine_now_ns() + delay_ns;
    bool stopped = vidsch_reset_begin(&adapter->vidsch, deadline_ns) == STATUS_SUCCESS;
    stopped = ddi_close(&adapter->ddi, deadline_ns) && stopped;
    struct stuck stuck = who_is_stuck();

    while (!stopped && adapter->presence == DXGK_THERE && stuck.excepted &&
           stuck.point == POINT_COUNT) {
        deadline_ns = machine_now_ns() + delay_ns;
        stopped = vidsch_reset_wait(&adapter->vidsch, deadline_ns) == STATUS_SUCCESS;
        stopped = ddi_wait_empty(&adapter->ddi, deadline_ns) && stopped;
        stuck = who_is_stuck();
    }
    return stopped;
}

void dxgk_reset_stuck(char *text, size_t size)
{
    struct stuck stuck = who_is_stuck();

    if (stuck.point == POINT_COUNT) {
        snprintf(text, size, "a thread is still in the driver after 5 s");
        return;
    }
    snprintf(text, size, "a thread is still in %s after 5 s, which was called %llu ms ago",
             contract_point_info(stuck.point)->name,
             (unsigned long long)((machine_now_ns() - stuck.since_ns) / NS_PER_MS));
}
