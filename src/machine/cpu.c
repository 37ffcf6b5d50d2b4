/* Virtual CPUs: IRQL, what is served when it drops, spin locks. */
#include "machine/internal.h"

#define SPIN_NS       50u
#define SERVE_AT_ONCE 4u /* interrupts between two looks at what else there is */

unsigned cpu_current(void)
{
    if (machine.lent) {
        return machine.lent->index;
    }
    return in_task() ? machine.cpu->index : 0;
}

bool cpu_is_broadcasting(void)
{
    return machine.lent != NULL;
}

void cpu_broadcast(void (*routine)(void *context), void *context)
{
    unsigned self = cpu_current(), count = machine.config.cpu_count;

    CHECK_THAT(!cpu_is_broadcasting());
    machine_here.hardware++;
    for (unsigned i = 1; i <= count; i++) {
        machine.lent = &machine.cpus[(self + i) % count];
        routine(context);
    }
    machine.lent = NULL;
    machine_here.hardware--;
}

bool cpu_all_calm(void)
{
    for (unsigned i = 0; i < machine.config.cpu_count; i++) {
        const struct cpu *cpu = &machine.cpus[i];
        if (cpu->irql != MACHINE_IRQL_PASSIVE || cpu->pending_irql != 0 ||
            !list_empty(&cpu->dpcs) || !list_empty(&cpu->held_dpcs)) {
            return false;
        }
    }
    return true;
}

uint64_t irql_high_ns(void)
{
    const struct cpu *cpu = cpu_here();

    return cpu->irql < MACHINE_IRQL_DISPATCH ? 0 : machine_now_ns() - cpu->high_since_ns;
}

void cpu_set_irql(struct cpu *cpu, uint8_t level)
{
    if (cpu->irql < MACHINE_IRQL_DISPATCH && level >= MACHINE_IRQL_DISPATCH) {
        cpu->high_since_ns = machine_now_ns();
    }
    cpu->irql = level;
    irql_show(level);
}

uint8_t irql_raise(uint8_t level)
{
    struct cpu *cpu = cpu_here();
    uint8_t old = irql_current();

    if (!machine_here.hardware) {
        cpu_set_irql(cpu, level);
    }
    return old;
}

void irql_lower(uint8_t level)
{
    struct cpu *cpu = cpu_here();

    if (machine_here.hardware) {
        return;
    }
    cpu_set_irql(cpu, level);
    if (machine_here.self) {
        if (machine_here.self->affinity) {
            task_settle();
        }
        machine_yield();
    }
}

void cpu_serve(void)
{
    struct cpu *cpu = machine.cpu;

    if (!cpu_has_work(cpu)) {
        return;
    }
    /* What is served is not part of the time that was being spent. */
    cpu->busy_until = 0;
    for (unsigned i = 0; i < SERVE_AT_ONCE && cpu_has_work(cpu); i++) {
        if (cpu->pending_irql > cpu->irql) {
            interrupt_deliver(cpu);
        } else {
            dpc_drain(cpu);
        }
    }
}

struct cpu *cpu_for_hardware(void)
{
    if (machine.config.policy == MACHINE_POLICY_ROUND_ROBIN || machine.config.cpu_count <= 1) {
        return machine.cpu;
    }
    return &machine.cpus[machine_random_below(RANDOM_SITE_INTERRUPT_CPU, machine.config.cpu_count)];
}

/* ---- Spin locks -------------------------------------------------------------------------- */

static uintptr_t owner_mark(void)
{
    return (uintptr_t)cpu_current() + 1;
}

bool spin_lock_try(struct spin_lock *lock)
{
    if (lock->owner_cpu_plus_one) {
        return false;
    }
    lock->owner_cpu_plus_one = owner_mark();
    return true;
}

/* Follows owners that spin themselves: does the chain come back here, or end in no CPU at all? */
static bool spin_never_ends(const struct spin_lock *lock)
{
    for (unsigned step = 0; lock && step <= MACHINE_CPU_COUNT_MAX; step++) {
        uintptr_t owner = lock->owner_cpu_plus_one;
        if (owner == 0) {
            return false;
        }
        if (owner == owner_mark() || owner > machine.config.cpu_count) {
            return true;
        }
        lock = machine.cpus[owner - 1].spinning_on;
    }
    return false;
}

enum spin_status spin_lock_acquire(struct spin_lock *lock)
{
    struct cpu *cpu = cpu_here();
    const struct spin_lock *outer = cpu->spinning_on;

    while (!spin_lock_try(lock)) {
        /* Outside tasks nobody else can run and let it go. */
        if (spin_never_ends(lock) || !in_task()) {
            cpu->spinning_on = outer;
            return SPIN_SELF_DEADLOCK;
        }
        cpu->spinning_on = lock;
        clock_move(SPIN_NS);
        machine.progress++;
        cpu_serve();
        if (lock->owner_cpu_plus_one) {
            executor_let_others();
        }
    }
    cpu->spinning_on = outer;
    return SPIN_ACQUIRED;
}

bool spin_lock_release(struct spin_lock *lock)
{
    if (lock->owner_cpu_plus_one != owner_mark()) {
        return false;
    }
    lock->owner_cpu_plus_one = 0;
    return true;
}
