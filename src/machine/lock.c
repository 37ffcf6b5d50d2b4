/* Mutexes with ranks, and gates. */
#include "machine/internal.h"

/* ---- Mutexes ----------------------------------------------------------------------------- */

uint64_t machine_ranks_held;

void mutexes_reset(void)
{
    machine_ranks_held = 0;
}

void mutex_init(struct mutex *lock, enum lock_rank rank)
{
    CHECK_THAT(rank < 64);
    *lock = (struct mutex){.rank_bit = UINT64_C(1) << rank};
}

void mutex_fini(struct mutex *lock)
{
    CHECK_THAT(!lock->held);
}

/* ---- Gates ------------------------------------------------------------------------------- */

void gate_init(struct gate *gate)
{
    *gate = (struct gate){0};
    wait_queue_init(&gate->waiting);
}

/* Lets in whoever may come now, in order of arrival. */
static void gate_admit(struct gate *gate)
{
    while (!list_empty(&gate->waiting.waiters) && !gate->owner) {
        struct waiter *waiter = container_of(gate->waiting.waiters.next, struct waiter, link);
        if (waiter->exclusive && gate->shared_count > 0) {
            return;
        }
        if (waiter->exclusive) {
            gate->owner = waiter->task;
            gate->exclusive_waiting--;
        } else {
            gate->shared_count++;
        }
        waiter_wake(waiter);
    }
}

static bool gate_enter(struct gate *gate, bool exclusive, uint64_t deadline_ns)
{
    struct waiter waiter = {.task = task_self(), .exclusive = exclusive};

    CHECK_THAT(waiter.task);
    CHECK_THAT(gate->owner != waiter.task);
    machine_yield();
    if (list_empty(&gate->waiting.waiters) && !gate->owner &&
        !(exclusive && gate->shared_count > 0)) {
        gate->owner = exclusive ? waiter.task : NULL;
        gate->shared_count += !exclusive;
        return true;
    }
    list_push_back(&gate->waiting.waiters, &waiter.link);
    gate->exclusive_waiting += exclusive;
    gate_admit(gate);
    if (waiter.woken || waiter_wait(&waiter, deadline_ns) == WAIT_WOKEN) {
        return true;
    }
    gate->exclusive_waiting -= exclusive;
    /* Those behind may have waited for this one alone. */
    gate_admit(gate);
    return false;
}

void gate_enter_shared(struct gate *gate)
{
    (void)gate_enter(gate, false, MACHINE_NEVER);
}

void gate_leave_shared(struct gate *gate)
{
    CHECK_THAT(gate->shared_count > 0);
    gate->shared_count--;
    gate_admit(gate);
}

bool gate_enter_exclusive(struct gate *gate, uint64_t deadline_ns)
{
    return gate_enter(gate, true, deadline_ns);
}

void gate_leave_exclusive(struct gate *gate)
{
    CHECK_THAT(gate->owner && gate->owner == task_self());
    gate->owner = NULL;
    gate_admit(gate);
}
