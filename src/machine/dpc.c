/* Deferred routines: a queue for each CPU, drained when its IRQL is below DISPATCH_LEVEL. */
#include "machine/held.h"
#include "machine/internal.h"

#define LATE_NS_MAX (500 * NS_PER_US)
#define HELD_NS_MAX (20 * NS_PER_MS) /* a vertical sync comes in this time */

void dpc_init(struct dpc *dpc, void (*routine)(struct dpc *dpc), void *context)
{
    *dpc = (struct dpc){.routine = routine, .context = context, .number = ++machine.dpc_count};
    list_init(&dpc->link);
}

/* ---- Those that run late ----------------------------------------------------------------- */

static void release_held(struct cpu *cpu)
{
    machine_timer_cancel(&cpu->held_timer);
    list_splice_back(&cpu->dpcs, &cpu->held_dpcs);
}

/* Whoever waited for interrupts waits no more: those that come now are of something else. */
static void held_came(struct machine_timer *timer)
{
    if (!machine.hold_is_due) {
        machine.held_interrupts = 0;
    }
    release_held(container_of(timer, struct cpu, held_timer));
}

/* All that are held on a CPU go on together, in their order. */
static bool is_held(struct dpc *dpc, struct cpu *cpu)
{
    if (list_empty(&cpu->held_dpcs)) {
        uint64_t ns = HELD_NS_MAX;
        if (!machine.hold_is_due) {
            if (!vary_happens(VARY_LATE_DPCS, 4)) {
                return false;
            }
            ns = 1 + vary_below(VARY_LATE_DPCS, LATE_NS_MAX);
        }
        machine.hold_is_due = false;
        machine_timer_cancel(&cpu->held_timer); /* those it was set for may have been removed */
        machine_timer_init(&cpu->held_timer, held_came, NULL);
        machine_timer_set(&cpu->held_timer, machine_now_ns() + ns);
    }
    list_push_back(&cpu->held_dpcs, &dpc->link);
    return true;
}

void dpc_hold_for_interrupts(unsigned count)
{
    machine.hold_is_due = machine.held_interrupts == 0;
    machine.held_interrupts = machine.hold_is_due ? count : machine.held_interrupts;
}

void dpc_hold_forget(void)
{
    if (machine.hold_is_due) {
        machine.hold_is_due = false;
        machine.held_interrupts = 0;
    }
}

bool dpc_hold_was_seen(void)
{
    bool seen = machine.hold_is_over;

    machine.hold_is_over = false;
    return seen;
}

void dpc_interrupt_claimed(void)
{
    if (machine.held_interrupts == 0 || --machine.held_interrupts > 0) {
        return;
    }
    machine.hold_is_over |= !machine.hold_is_due;
    machine.hold_is_due = false;
    for (unsigned i = 0; i < machine.config.cpu_count; i++) {
        release_held(&machine.cpus[i]);
    }
}

/* ---- Queues ------------------------------------------------------------------------------ */

static bool queue_on(struct dpc *dpc, struct cpu *cpu, bool first)
{
    if (dpc->queued) {
        return false;
    }
    dpc->queued = true;
    if (!first && is_held(dpc, cpu)) {
        return true;
    }
    if (first) {
        list_push_front(&cpu->dpcs, &dpc->link);
    } else {
        list_push_back(&cpu->dpcs, &dpc->link);
    }
    return true;
}

bool dpc_queue(struct dpc *dpc)
{
    return queue_on(dpc, in_task() ? machine.cpu : cpu_for_hardware(), false);
}

bool dpc_queue_on(struct dpc *dpc, unsigned cpu, bool first)
{
    if (cpu < machine.config.cpu_count) {
        return queue_on(dpc, &machine.cpus[cpu], first);
    }
    return queue_on(dpc, in_task() ? machine.cpu : cpu_for_hardware(), first);
}

bool dpc_remove(struct dpc *dpc)
{
    if (!dpc->queued) {
        return false;
    }
    list_remove(&dpc->link);
    dpc->queued = false;
    return true;
}

static void dpc_run(struct dpc *dpc)
{
    uint32_t number = dpc->number;

    dpc->queued = false;
    if (number) {
        record_event(EVENT_DPC, number, 0, 0);
    }
    /* The routine may free the DPC: nothing of it is read afterwards. */
    struct cpu *cpu = machine.cpu;
    cpu->dpcs_running++;
    dpc->routine(dpc);
    cpu->dpcs_running--;
    if (number) {
        record_event(EVENT_DPC_END, number, 0, 0);
    }
}

void dpc_drain(struct cpu *cpu)
{
    uint8_t old = cpu->irql;
    struct list *link;

    while ((link = list_pop_front(&cpu->dpcs))) {
        cpu_set_irql(cpu, old); /* each has time of its own */
        cpu_set_irql(cpu, MACHINE_IRQL_DISPATCH);
        dpc_run(container_of(link, struct dpc, link));
        cpu_set_irql(cpu, MACHINE_IRQL_DISPATCH);
        machine_yield();
    }
    cpu_set_irql(cpu, old);
}

/* ---- Flushing ---------------------------------------------------------------------------- */

struct flush {
    struct wait_queue waiting;
    unsigned left;
};

static void flush_mark_reached(struct dpc *dpc)
{
    struct flush *flush = dpc->context;

    if (--flush->left == 0) {
        wait_queue_wake(&flush->waiting, 1);
    }
}

void dpc_flush_all(void)
{
    struct dpc marks[MACHINE_CPU_COUNT_MAX];
    struct flush flush = {.left = machine.config.cpu_count};

    if (!in_task()) {
        return;
    }
    /* A mark at the end of each queue runs when all before it have. */
    wait_queue_init(&flush.waiting);
    for (unsigned i = 0; i < machine.config.cpu_count; i++) {
        marks[i] = (struct dpc){.routine = flush_mark_reached, .context = &flush, .queued = true};
        release_held(&machine.cpus[i]);
        list_push_back(&machine.cpus[i].dpcs, &marks[i].link);
    }
    while (flush.left) {
        wait_queue_wait(&flush.waiting, MACHINE_NEVER);
    }
}
