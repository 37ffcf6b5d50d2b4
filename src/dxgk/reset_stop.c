/* Before a reset: everybody has to be out of the driver. */
#include "dxgk/work.h"

#include <stdio.h>

#define EXCEPTED_NS (60 * NS_PER_S) /* that a reset waits for them */

/* The call that was begun first of those that wait in the driver. "ResetFromTimeout is called
 * synchronously with any other function, except for" two: whoever is in one of these is not among
 * those that have to leave. */
struct stuck {
    const struct ddi_adapter *ddi;
    enum contract_point point;
    uint64_t since_ns;
    bool excepted; /* somebody is in one of the two */
};

static void find_stuck(void *ctx, struct task *task, const void *from, const void *to)
{
    struct stuck *stuck = ctx;
    uint64_t since_ns;
    enum contract_point point = ddi_task_entry(task, stuck->ddi, &since_ns);

    if (point == POINT_SetPowerComponentFState || point == POINT_PowerRuntimeControlRequest) {
        stuck->excepted = true;
    } else if (point < POINT_COUNT && task != task_self() && since_ns < stuck->since_ns) {
        stuck->point = point;
        stuck->since_ns = since_ns;
    }
}

static struct stuck who_is_stuck(const struct dxgk_adapter *adapter)
{
    struct stuck stuck = {&adapter->ddi, POINT_COUNT, MACHINE_NEVER, false};

    task_each_waiting(find_stuck, &stuck);
    task_each_busy(find_stuck, &stuck);
    return stuck;
}

/* Nobody says how long the two may take. Where such a call does not end nothing goes on any more,
 * and the run ends as one whose time is over: who is in which call is told then. */
static void look_at_the_clock(uint64_t end_ns)
{
    if (machine_now_ns() >= end_ns) {
        record_note("a reset waits for a power call that does not end");
        machine_end_by(end_ns);
    }
}

/* The scheduler's steps are waited for first: they go through the door, and the reset waits for
 * them; longer where all that keeps them is one of the two calls. */
bool dxgk_reset_stop(struct dxgk_adapter *adapter, uint64_t delay_ns)
{
    uint64_t begun_ns = machine_now_ns(), deadline_ns = begun_ns + delay_ns;
    bool stopped = vidsch_reset_begin(&adapter->vidsch, deadline_ns) == STATUS_SUCCESS;
    stopped = ddi_close(&adapter->ddi, deadline_ns) && stopped;
    struct stuck stuck = who_is_stuck(adapter);

    while (!stopped && adapter->presence == DXGK_THERE && stuck.excepted &&
           stuck.point == POINT_COUNT) {
        look_at_the_clock(begun_ns + EXCEPTED_NS);
        deadline_ns = machine_now_ns() + delay_ns;
        stopped = vidsch_reset_wait(&adapter->vidsch, deadline_ns) == STATUS_SUCCESS;
        stopped = ddi_wait_empty(&adapter->ddi, deadline_ns) && stopped;
        stuck = who_is_stuck(adapter);
    }
    return stopped;
}

void dxgk_reset_stuck(const struct dxgk_adapter *adapter, char *text, size_t size)
{
    struct stuck stuck = who_is_stuck(adapter);

    if (stuck.point == POINT_COUNT) {
        snprintf(text, size, "a thread is still in the driver after 5 s");
        return;
    }
    snprintf(text, size, "a thread is still in %s after 5 s, which was called %llu ms ago",
             contract_point_info(stuck.point)->name,
             (unsigned long long)((machine_now_ns() - stuck.since_ns) / NS_PER_MS));
}
