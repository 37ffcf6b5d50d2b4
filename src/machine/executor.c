/* The executor: what runs next, switching, the clock, and the ways a run ends.
 *
 * A *candidate* is a CPU with something to do, or a ready task for which a CPU below DISPATCH_LEVEL
 * can be had. RANDOM takes any candidate by the seed; ROUND_ROBIN the oldest ready task or, in
 * turn, another busy CPU. A *slice* is the time between two looks at whether to switch.
 *
 * The CPUs work at the same time: one that spends time is no candidate until that has passed, and
 * the clock moves when no candidate is left, to the end of the shortest such time or to the next
 * timer. A CPU that spends time may still be interrupted, but its task keeps it.
 *
 * Time that stands still for many slices means that somebody polls without paying for it; then each
 * slice costs a microsecond, so that what he waits for can come. */
#include "machine/internal.h"

#include <signal.h>
#include <stdlib.h>

#define EXECUTOR_STACK_BYTES (UINT64_C(8) << 20)
#define LAST_STACK_BYTES     (UINT64_C(1) << 20)
#define RANDOM_SLICE_MAX     8u /* yields; the mean is half of it */
#define ROUND_ROBIN_SLICE    1024
#define RANDOM_PATIENCE      256u
#define ROUND_ROBIN_PATIENCE 1u
#define STILL_SLICE_NS       NS_PER_US
#define LONG_UP_NS           ((UINT64_C(1) << 32) * 100) /* 2^32 ticks of 100 ns, and of 1 ns */
#define LONG_UP_BEFORE_NS    (200 * NS_PER_MS)
#define TIMER_STORM          4096u

/* ---- Clock ------------------------------------------------------------------------------- */

uint64_t machine_now_ns(void)
{
    return machine.now_ns;
}

static uint64_t earlier_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Forward only: a timer may be late. */
static void clock_set(uint64_t now_ns)
{
    if (now_ns > machine.now_ns) {
        machine.now_ns = now_ns;
        record_context.now_ns = now_ns;
    }
}

void clock_begin(void)
{
    if (vary_happens(VARY_LONG_UP, 1)) {
        clock_set(LONG_UP_NS - vary_below(VARY_LONG_UP, LONG_UP_BEFORE_NS));
        record_context.begun_ns = machine.now_ns;
    }
}

void clock_move(uint64_t ns)
{
    if (add_overflows_u64(machine.now_ns, ns, &ns)) {
        ns = MACHINE_NEVER - 1;
    }
    clock_set(ns);
}

static bool clock_due(void)
{
    return machine.now_ns >= machine.stop_ns;
}

/* ---- Ready tasks ------------------------------------------------------------------------- */

void ready_add(struct task *task)
{
    task->state = TASK_READY;
    task->cpu = NULL;
    if (machine.config.policy == MACHINE_POLICY_ROUND_ROBIN) {
        struct list *place = &machine.ready_list;
        while (place->prev != &machine.ready_list &&
               container_of(place->prev, struct task, ready_link)->priority < task->priority) {
            place = place->prev;
        }
        list_insert_before(place, &task->ready_link);
        machine.ready_count++;
        return;
    }
    CHECK_THAT(machine.ready_count < machine.ready_capacity);
    task->ready_index = machine.ready_count;
    machine.ready[machine.ready_count++] = task;
}

static void ready_remove(struct task *task)
{
    machine.ready_count--;
    if (machine.config.policy == MACHINE_POLICY_ROUND_ROBIN) {
        list_remove(&task->ready_link);
        return;
    }
    machine.ready[task->ready_index] = machine.ready[machine.ready_count];
    machine.ready[task->ready_index]->ready_index = task->ready_index;
}

/* ---- Choosing ---------------------------------------------------------------------------- */

/* Interrupted idle tasks count as well: their CPU is in the middle of something. */
static bool cpu_busy(const struct cpu *cpu)
{
    return ((cpu->running != cpu->idle || cpu->irql != MACHINE_IRQL_PASSIVE) &&
            cpu->busy_until <= machine.now_ns) ||
           cpu_has_work(cpu);
}

static bool cpu_can_host(const struct cpu *cpu, const struct cpu *except)
{
    return cpu->irql < MACHINE_IRQL_DISPATCH && cpu != except && cpu->busy_until <= machine.now_ns;
}

static bool task_accepts(const struct task *task, const struct cpu *cpu)
{
    return !task->affinity || task->affinity >> cpu->index & 1;
}

/* The CPU for a ready task: an idle one if possible, the current one if it is as good. */
static struct cpu *host_find(const struct task *task, const struct cpu *except)
{
    unsigned count = machine.config.cpu_count;
    unsigned start = machine.cpu->index;
    struct cpu *preempted = NULL;

    if (machine.config.policy == MACHINE_POLICY_RANDOM) {
        start = (unsigned)machine_random_below(RANDOM_SITE_PICK, count);
    }
    for (unsigned i = 0; i < count; i++) {
        struct cpu *cpu = &machine.cpus[(start + i) % count];
        if (cpu_can_host(cpu, except) && task_accepts(task, cpu)) {
            if (cpu->running == cpu->idle) {
                return cpu;
            }
            preempted = preempted ? preempted : cpu;
        }
    }
    return preempted;
}

/* Tasks are told apart by number: a new one may lie where an ended one did, or not, as the heap
 * pleases. */
static void show_running(struct cpu *cpu)
{
    if (cpu->shown != cpu->running->object) {
        cpu->shown = cpu->running->object;
        record_context.cpu = (uint8_t)cpu->index;
        record_context.irql = cpu->irql;
        record_event(EVENT_TASK_RUN, cpu->running->object, 0, 0);
    }
}

static void host(struct cpu *cpu, struct task *task)
{
    struct task *old = cpu->running;

    ready_remove(task);
    if (old != cpu->idle) {
        old->irql = cpu->irql;
        ready_add(old);
    }
    task->state = TASK_RUNNING;
    task->cpu = cpu;
    cpu->running = task;
    cpu->irql = task->irql;
    cpu->busy_until = 0;
    if (machine.config.policy == MACHINE_POLICY_ROUND_ROBIN) {
        machine.countdown = ROUND_ROBIN_SLICE;
    }
    show_running(cpu);
}

static bool any_host(const struct cpu *except)
{
    for (unsigned i = 0; i < machine.config.cpu_count; i++) {
        if (cpu_can_host(&machine.cpus[i], except)) {
            return true;
        }
    }
    return false;
}

static struct task *pick_random(const struct cpu *except)
{
    struct cpu *busy[MACHINE_CPU_COUNT_MAX];
    uint64_t busy_count = 0;
    uint64_t total, chosen;

    for (unsigned i = 0; i < machine.config.cpu_count; i++) {
        if (&machine.cpus[i] != except && cpu_busy(&machine.cpus[i])) {
            busy[busy_count++] = &machine.cpus[i];
        }
    }
    total = busy_count + (any_host(except) ? machine.ready_count : 0);
    if (total == 0) {
        return NULL;
    }
    chosen = total == 1 ? 0 : machine_random_below(RANDOM_SITE_PICK, total);
    /* A ready task whose CPUs are taken passes its turn to the next. */
    for (uint64_t step = 0; step < total; step++, chosen = (chosen + 1) % total) {
        if (chosen < busy_count) {
            return busy[chosen]->running;
        }
        struct task *task = machine.ready[chosen - busy_count];
        struct cpu *place = host_find(task, except);
        if (place) {
            host(place, task);
            return task;
        }
    }
    return NULL;
}

void task_settle(void)
{
    struct task *self = machine_here.self;
    struct cpu *cpu = machine.cpu;

    if (!in_task() || self->idle || cpu->irql >= MACHINE_IRQL_DISPATCH || task_accepts(self, cpu)) {
        return;
    }
    CHECK_THAT(machine_ranks_held == 0);
    machine.progress++;
    self->irql = cpu->irql;
    cpu->running = cpu->idle;
    cpu->irql = MACHINE_IRQL_PASSIVE;
    ready_add(self);
    executor_dispatch();
    cpu_serve();
}

void task_set_affinity(uint64_t cpus)
{
    CHECK_THAT(in_task());
    machine_here.self->affinity = cpus;
    task_settle();
}

uint64_t task_affinity(void)
{
    return machine_here.self ? machine_here.self->affinity : 0;
}

/* Another busy CPU and the oldest ready task take turns, so that neither starves. */
static struct task *pick_round_robin(const struct cpu *except)
{
    unsigned count = machine.config.cpu_count;
    struct task *task = NULL;
    struct cpu *place = NULL;

    for (struct list *link = machine.ready_list.next; link != &machine.ready_list && !place;
         link = link->next) {
        task = container_of(link, struct task, ready_link);
        place = host_find(task, except);
        if (!task->affinity) {
            break; /* no later one finds a place that this one did not */
        }
    }

    machine.turn ^= 1;
    for (unsigned i = 1; i <= count && (!place || machine.turn); i++) {
        struct cpu *cpu = &machine.cpus[(machine.cpu->index + i) % count];
        if (cpu != except && cpu_busy(cpu) && (cpu != machine.cpu || !place)) {
            return cpu->running;
        }
    }
    if (place) {
        host(place, task);
        return task;
    }
    return NULL;
}

void machine_stop_others(void)
{
    machine.alone = machine.cpu;
}

static struct task *pick(const struct cpu *except)
{
    if (machine.alone) {
        return machine.alone != except && cpu_busy(machine.alone) ? machine.alone->running : NULL;
    }
    return machine.config.policy == MACHINE_POLICY_ROUND_ROBIN ? pick_round_robin(except)
                                                               : pick_random(except);
}

/* ---- Switching --------------------------------------------------------------------------- */

static void reap(void)
{
    struct task *ended = machine.ended;

    if (ended) {
        machine.ended = NULL;
        task_release_stack(ended);
        task_put(ended);
    }
}

void executor_arrived(void)
{
    reap();
}

static void show_context(void)
{
    machine_here.level = &cpu_here()->irql;
    record_context.cpu = machine_here.self ? (uint8_t)machine.cpu->index : 0;
    irql_show(machine_here.self ? machine.cpu->irql : MACHINE_IRQL_HIGH);
    record_driver_runs(machine_here.self && machine_here.self->stack_mark);
    task_show_client();
}

/* Goes on in next, or in the executor. Comes back when somebody chooses this context again. */
static void go(struct task *next)
{
    struct context *from = machine.speaks_last ? &machine.last
                           : machine_here.self ? &machine_here.self->context
                                               : &machine.executor;

    machine_here.self = next;
    stack_show(next);
    if (next) {
        machine.cpu = next->cpu;
    }
    show_context();
    context_switch(from, next ? &next->context : &machine.executor);
    reap();
}

void executor_dispatch(void)
{
    struct task *next = clock_due() ? NULL : pick(NULL);

    if (next != machine_here.self) {
        go(next);
    } else {
        machine.cpu = next->cpu;
        show_context();
    }
}

void executor_let_others(void)
{
    struct task *next = clock_due() ? NULL : pick(machine.cpu);

    if (next) {
        go(next);
    } else if (clock_due()) {
        machine.resume = machine_here.self;
        go(NULL);
    }
    show_context();
}

void executor_end_task(void)
{
    struct task *self = machine_here.self;
    struct task *next;

    machine.ended = self;
    if (!self->daemon) {
        machine.live_count--;
    }
    next = clock_due() || machine.live_count == 0 ? NULL : pick(NULL);
    machine_here.self = next;
    stack_show(next);
    if (next) {
        machine.cpu = next->cpu;
    }
    show_context();
    context_leave(&self->context, next ? &next->context : &machine.executor);
}

/* The executor fires what is due; then this task goes on before any other. */
static void visit_executor(void)
{
    machine.resume = machine_here.self;
    go(NULL);
}

void executor_call(void (*routine)(void *argument), void *argument)
{
    unsigned depth = machine_here.hardware;

    if (!machine_here.self) {
        routine(argument);
        return;
    }
    machine.call = routine;
    machine.call_argument = argument;
    machine_here.hardware = 0;
    visit_executor();
    machine_here.hardware = depth;
}

/* ---- Points that may switch -------------------------------------------------------------- */

/* How many yields until the next look. */
static void slice_begin(void)
{
    if (machine.slice_ns == machine.now_ns) {
        if (++machine.still_slices > machine.slices_patience) {
            clock_move(STILL_SLICE_NS);
        }
    } else {
        machine.still_slices = 0;
    }
    machine.slice_ns = machine.now_ns;
    machine.countdown = ROUND_ROBIN_SLICE;
    if (machine.config.policy == MACHINE_POLICY_RANDOM) {
        machine.countdown = 1 + (int)machine_random_below(RANDOM_SITE_SWITCH, RANDOM_SLICE_MAX);
    }
}

static __attribute__((noinline)) void yield_slow(void)
{
    if (clock_due()) {
        visit_executor();
    }
    cpu_serve();
    if (machine.countdown <= 0) {
        slice_begin();
        if (clock_due()) {
            visit_executor();
        }
        executor_dispatch();
        cpu_serve();
    }
}

void machine_set_point_hook(machine_point_hook *hook, void *context)
{
    machine.point_hook = hook;
    machine.point_context = context;
}

void machine_yield(void)
{
    if (!in_task()) {
        return;
    }
    CHECK_THAT(machine_ranks_held == 0);
    if (__builtin_expect(machine.point_hook != NULL, 0)) {
        machine.point_hook(machine.point_context, false);
    }
    machine.progress++;
    if (--machine.countdown <= 0 || clock_due() || cpu_has_work(machine.cpu)) {
        yield_slow();
    }
}

/* The next moment at which anything can change by time alone; the run's deadline changes nothing.
 */
static uint64_t next_moment(void)
{
    uint64_t next = machine.due_ns;

    for (unsigned i = 0; i < machine.config.cpu_count; i++) {
        uint64_t until = machine.cpus[i].busy_until;
        if (until > machine.now_ns && until < next) {
            next = until;
        }
    }
    return next;
}

static bool any_candidate(void)
{
    for (unsigned i = 0; i < machine.config.cpu_count; i++) {
        if (cpu_busy(&machine.cpus[i])) {
            return true;
        }
    }
    return machine.ready_count > 0 && any_host(NULL);
}

void machine_spend(uint64_t ns)
{
    uint64_t until;

    if (!in_task()) {
        clock_move(ns);
        return;
    }
    if (add_overflows_u64(machine.now_ns, ns, &until)) {
        until = MACHINE_NEVER - 1;
    }
    CHECK_THAT(machine_ranks_held == 0);
    machine.progress++;
    while (machine.now_ns < until) {
        /* Each time anew: the task may have changed its CPU, or been interrupted. */
        machine.cpu->busy_until = until;
        if (any_candidate()) {
            executor_dispatch();
        } else {
            clock_set(earlier_of(next_moment(), machine.deadline_ns));
        }
        if (clock_due()) {
            visit_executor();
        }
        cpu_serve();
    }
    machine.cpu->busy_until = 0;
    machine_yield();
}

/* ---- The executor itself ----------------------------------------------------------------- */

static void fire_timers(void)
{
    struct machine_timer *timer;
    unsigned fired = 0;

    machine_here.hardware++;
    while (machine.now_ns < machine.deadline_ns && (timer = timers_take_due(machine.now_ns))) {
        executor_clock_changed();
        timer->routine(timer);
        /* A routine that always asks for "at once" must not keep time from moving. */
        if (++fired % TIMER_STORM == 0) {
            clock_move(NS_PER_US);
        }
    }
    machine_here.hardware--;
    executor_clock_changed();
}

static void stop(enum machine_stop reason)
{
    machine.stop = reason;
    context_switch(&machine.executor, &machine.thread);
}

/* Nothing can run: time goes on to the next timer or to the deadline. */
static void idle_until_due(void)
{
    uint64_t next = next_moment();

    if (next == MACHINE_NEVER) {
        stop(MACHINE_STOP_DEADLOCK);
        return;
    }
    for (unsigned i = 0; i < machine.config.cpu_count; i++) {
        show_running(&machine.cpus[i]);
    }
    show_context();
    clock_set(earlier_of(next, machine.deadline_ns));
}

static struct task *take_resume(void)
{
    struct task *task = machine.resume;

    machine.resume = NULL;
    return task;
}

static void executor_main(void)
{
    for (;;) {
        struct task *next;

        reap();
        machine.progress++;
        fire_timers();
        if (machine.call) {
            machine.call(machine.call_argument);
            machine.call = NULL;
        }
        if (machine.live_count == 0) {
            stop(MACHINE_STOP_DONE);
            continue;
        }
        if (machine.now_ns >= machine.deadline_ns) {
            stop(MACHINE_STOP_DEADLINE);
            continue;
        }
        next = take_resume();
        next = next ? next : pick(NULL);
        if (next) {
            go(next);
        } else {
            idle_until_due();
        }
    }
}

/* Until the end, or until somebody ends it inside a signal handler, which then never returns. */
static void run_watched(struct context *context)
{
    sigset_t mask;
    stack_t signals;

    sigprocmask(SIG_SETMASK, NULL, &mask);
    sigaltstack(NULL, &signals);
    watchdog_start();
    context_switch(&machine.thread, context);
    watchdog_stop();
    sigaltstack(&signals, NULL);
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

enum machine_stop machine_run(uint64_t deadline_ns)
{

    CHECK_THAT(machine.exists && !machine.running);
    if (machine.dead) {
        return machine.stop;
    }
    machine.running = true;
    machine.deadline_ns = deadline_ns;
    executor_clock_changed();
    show_context();
    run_watched(&machine.executor);
    machine.running = false;
    machine_here = (struct machine_here){.level = &machine.outside.irql};
    stack_show(NULL);
    task_show_client();
    record_context.cpu = 0;
    irql_show(machine.outside.irql);
    return machine.stop;
}

void executor_abandon(enum machine_stop reason)
{
    struct context *from = machine_here.self ? &machine_here.self->context : &machine.executor;

    CHECK_THAT(machine.running);
    machine.stop = reason;
    machine.dead = true;
    mutexes_reset();
    context_leave(from, &machine.thread);
}

void machine_end_by(uint64_t deadline_ns)
{
    if (deadline_ns < machine.deadline_ns) {
        machine.deadline_ns = deadline_ns;
        executor_clock_changed();
    }
}

void machine_halt(void)
{
    executor_abandon(MACHINE_STOP_HALTED);
}

/* ---- After the end --------------------------------------------------------------------------- */

static struct {
    void (*function)(void *argument);
    void *argument;
    bool said;
} last_words;

static void last_main(void)
{
    executor_arrived();
    last_words.function(last_words.argument);
    last_words.said = true;
    context_leave(&machine.last, &machine.thread);
}

bool machine_speak_last(void (*function)(void *argument), void *argument)
{
    CHECK_THAT(machine.dead && !machine.running && !machine.last_stack.low);
    if (!stack_alloc(LAST_STACK_BYTES, &machine.last_stack)) {
        return false;
    }
    last_words.function = function;
    last_words.argument = argument;
    last_words.said = false;
    context_init(&machine.last, machine.last_stack.low, machine.last_stack.bytes, last_main);
    machine.running = machine.speaks_last = true;
    run_watched(&machine.last);
    machine.running = machine.speaks_last = false;
    machine.outside.irql = MACHINE_IRQL_PASSIVE; /* it may have ended higher */
    machine_here = (struct machine_here){.level = &machine.outside.irql};
    irql_show(machine.outside.irql);
    return last_words.said;
}

bool executor_create(void)
{
    list_init(&machine.all);
    list_init(&machine.ready_list);
    machine.deadline_ns = machine.stop_ns = MACHINE_NEVER;
    machine.countdown = 1;
    machine.slices_patience =
        machine.config.policy == MACHINE_POLICY_RANDOM ? RANDOM_PATIENCE : ROUND_ROBIN_PATIENCE;
    if (!stack_alloc(EXECUTOR_STACK_BYTES, &machine.executor_stack)) {
        return false;
    }
    context_init_thread(&machine.thread);
    context_init(&machine.executor, machine.executor_stack.low, machine.executor_stack.bytes,
                 executor_main);
    for (unsigned i = 0; i < machine.config.cpu_count; i++) {
        if (!NT_SUCCESS(task_create_idle(&machine.cpus[i]))) {
            return false;
        }
    }
    return true;
}

void executor_destroy(void)
{
    reap();
    list_for_each_safe (link, &machine.all) {
        struct task *task = container_of(link, struct task, all_link);
        list_remove(link);
        if (task->stack.low) {
            task_release_stack(task);
        }
        task_put(task);
    }
    free(machine.ready);
    machine.ready = NULL;
    if (machine.last_stack.low) {
        context_fini(&machine.last);
        stack_free(&machine.last_stack);
    }
    if (machine.executor_stack.low) {
        context_fini(&machine.executor);
        stack_free(&machine.executor_stack);
    }
}
