/* Tasks: their life, blocking and waking, queues of waiters. */
#include "machine/internal.h"

#include <stdlib.h>
#include <string.h>

#define STACK_BYTES_DEFAULT (256u << 10)

/* ---- Life -------------------------------------------------------------------------------- */

static void task_main(void)
{
    struct task *self = machine_here.self;

    executor_arrived();
    cpu_serve();
    self->entry(self->argument);
    task_exit();
}

/* Serves what arrives on a CPU that runs no task, and gives the turn back. */
static void idle_main(void *argument)
{
    for (;;) {
        machine.progress++;
        cpu_serve();
        executor_dispatch();
    }
}

static void deadline_came(struct machine_timer *timer)
{
    task_unblock(timer->context, WAIT_TIMED_OUT);
}

/* The queue of ready tasks has room for every task, so that waking cannot fail. */
static bool reserve_ready_place(void)
{
    size_t tasks = 1;
    size_t capacity = machine.ready_capacity ? machine.ready_capacity * 2 : 64;
    struct task **grown;

    tasks += machine.task_count;
    if (tasks <= machine.ready_capacity) {
        return true;
    }
    grown = realloc(machine.ready, capacity * sizeof(*grown));
    if (!grown) {
        return false;
    }
    machine.ready = grown;
    machine.ready_capacity = capacity;
    return true;
}

static NTSTATUS task_make(const struct task_options *options, task_entry *entry, void *argument,
                          struct task **out)
{
    struct task *task;
    size_t stack_bytes = options->stack_bytes ? options->stack_bytes : STACK_BYTES_DEFAULT;

    if (!reserve_ready_place()) {
        return STATUS_NO_MEMORY;
    }
    task = calloc(1, sizeof(*task));
    if (!task) {
        return STATUS_NO_MEMORY;
    }
    if (!stack_alloc(stack_bytes, &task->stack)) {
        free(task);
        return STATUS_NO_MEMORY;
    }
    strncpy(task->name, options->name ? options->name : "task", sizeof(task->name) - 1);
    task->entry = entry;
    task->argument = argument;
    task->priority = options->priority;
    task->daemon = options->daemon;
    task->reference_count = 2; /* the creator's and the machine's */
    list_init(&task->ready_link);
    machine_timer_init(&task->deadline, deadline_came, task);
    context_init(&task->context, task->stack.low, task->stack.bytes, task_main);
    task->object = record_object_new(OBJECT_TASK, 0);
    record_event(EVENT_TASK_NEW, task->object, record_text(task->name), 0);
    list_push_back(&machine.all, &task->all_link);
    machine.task_count++;
    *out = task;
    return STATUS_SUCCESS;
}

NTSTATUS task_create(const struct task_options *options, task_entry *entry, void *argument,
                     struct task **out)
{
    NTSTATUS status;

    CHECK_THAT(machine.exists);
    status = task_make(options, entry, argument, out);
    if (NT_SUCCESS(status)) {
        machine.live_count += !(*out)->daemon;
        ready_add(*out);
    }
    return status;
}

NTSTATUS task_create_idle(struct cpu *cpu)
{
    char name[] = "idle 0";
    struct task_options options = {.name = name, .daemon = true};
    struct task *task;
    NTSTATUS status;

    name[5] = (char)('0' + cpu->index);
    status = task_make(&options, idle_main, NULL, &task);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    task_put(task);
    task->idle = true;
    task->state = TASK_RUNNING;
    task->cpu = cpu;
    cpu->idle = cpu->running = task;
    cpu->shown = task->object;
    return STATUS_SUCCESS;
}

void task_release_stack(struct task *task)
{
    context_fini(&task->context);
    stack_free(&task->stack);
}

void task_get(struct task *task)
{
    task->reference_count++;
}

void task_put(struct task *task)
{
    CHECK_THAT(task->reference_count > 0);
    if (--task->reference_count == 0) {
        free(task);
    }
}

void task_exit(void)
{
    struct task *self = machine_here.self;

    CHECK_THAT(in_task() && !self->idle && machine_ranks_held == 0);
    /* Whatever the task left the level at, the CPU is free again. */
    irql_lower(MACHINE_IRQL_PASSIVE);
    record_event(EVENT_TASK_END, self->object, 0, 0);
    self->state = TASK_ENDED;
    list_remove(&self->all_link);
    machine.task_count--;
    machine.cpu->running = machine.cpu->idle;
    executor_end_task();
}

/* ---- What is known of a task ------------------------------------------------------------- */

void task_each_waiting(task_teller *tell, void *ctx)
{
    list_for_each (link, &machine.all) {
        struct task *task = container_of(link, struct task, all_link);
        if (task->state == TASK_BLOCKED && !task->idle && task->context.resume) {
            tell(ctx, task, task->context.resume, task->stack.low + task->stack.bytes);
        }
    }
}

void task_each_busy(task_teller *tell, void *ctx)
{
    list_for_each (link, &machine.all) {
        struct task *task = container_of(link, struct task, all_link);
        bool busy = task->state == TASK_READY || task->state == TASK_RUNNING;
        if (busy && !task->idle && task->context.resume) {
            tell(ctx, task, task->context.resume, task->stack.low + task->stack.bytes);
        }
    }
}

bool task_ended(const struct task *task)
{
    return task->state == TASK_ENDED;
}

bool task_is_daemon(const struct task *task)
{
    return task->daemon;
}

bool task_is_blocked(const struct task *task)
{
    return task->state == TASK_BLOCKED && !task->wake_pending;
}

uint32_t task_object(const struct task *task)
{
    return task->object;
}

const char *task_name(const struct task *task)
{
    return task->name;
}

void task_stack_bounds(const void **low, const void **high)
{
    const struct stack *stack =
        machine_here.self ? &machine_here.self->stack : &machine.executor_stack;

    *low = *high = NULL;
    if (machine.running) {
        *low = stack->low;
        *high = stack->low + stack->bytes;
    }
}

uintptr_t task_stack_mark(void)
{
    return in_task() ? machine_here.self->stack_mark : 0;
}

uintptr_t task_set_stack_mark(uintptr_t mark)
{
    uintptr_t before = task_stack_mark();

    if (!in_task()) {
        return before;
    }
    if (mark > task_driver_stack) {
        mark = task_driver_stack; /* it will run there */
        stack_shut(&machine_here.self->stack);
        stack_soil(&machine_here.self->stack);
    }
    machine_here.self->stack_mark = mark;
    record_driver_runs(mark != 0);
    return before;
}

void task_set_slot(struct task *task, enum task_slot slot, void *value)
{
    task->slots[slot] = value;
}

void task_serve(void *server)
{
    __asm__ volatile("cld"); /* a client's own may count down */
    task_set_slot(machine_here.self, TASK_SLOT_SERVED, server);
    task_show_client();
}

void *task_slot(const struct task *task, enum task_slot slot)
{
    return task->slots[slot];
}

/* ---- Blocking ---------------------------------------------------------------------------- */

void task_unblock(struct task *task, enum wait_status result)
{
    if (task->state != TASK_BLOCKED) {
        return;
    }
    machine_timer_cancel(&task->deadline);
    task->wait_result = result;
    ready_add(task);
}

void task_wake(struct task *task)
{
    if (task->state == TASK_BLOCKED) {
        task_unblock(task, WAIT_WOKEN);
    } else {
        task->wake_pending = true;
    }
}

static enum wait_status block(uint64_t deadline_ns)
{
    struct task *self = machine_here.self;
    struct cpu *cpu = machine.cpu;

    CHECK_THAT(in_task() && !self->idle);
    CHECK_THAT(cpu->irql <= MACHINE_IRQL_APC);
    CHECK_THAT(machine_ranks_held == 0);
    if (machine.point_hook) {
        machine.point_hook(machine.point_context, true);
    }
    machine.progress++;
    if (deadline_ns <= machine.now_ns) {
        machine_yield();
        return WAIT_TIMED_OUT;
    }
    if (deadline_ns != MACHINE_NEVER) {
        machine_timer_set(&self->deadline, deadline_ns);
    }
    self->state = TASK_BLOCKED;
    self->cpu = NULL;
    self->irql = cpu->irql;
    cpu->running = cpu->idle;
    cpu->irql = MACHINE_IRQL_PASSIVE;
    executor_dispatch();
    cpu_serve();
    return self->wait_result;
}

bool task_may_block(void)
{
    return in_task() && !machine_here.self->idle && machine.cpu->dpcs_running == 0;
}

enum wait_status task_block(uint64_t deadline_ns)
{
    CHECK_THAT(in_task());
    if (machine_here.self->wake_pending) {
        machine_here.self->wake_pending = false;
        return WAIT_WOKEN;
    }
    return block(deadline_ns);
}

/* ---- Waiters ----------------------------------------------------------------------------- */

enum wait_status waiter_wait(struct waiter *waiter, uint64_t deadline_ns)
{
    bool stray = false;
    enum wait_status status = WAIT_WOKEN;

    while (!waiter->woken && status == WAIT_WOKEN) {
        status = block(deadline_ns);
        /* A task_wake() meant for another wait of this task must not be lost here. */
        stray = stray || (status == WAIT_WOKEN && !waiter->woken);
    }
    if (stray) {
        waiter->task->wake_pending = true;
    }
    if (waiter->woken) {
        return WAIT_WOKEN;
    }
    list_remove(&waiter->link);
    return WAIT_TIMED_OUT;
}

void waiter_wake(struct waiter *waiter)
{
    list_remove(&waiter->link);
    waiter->woken = true;
    task_unblock(waiter->task, WAIT_WOKEN);
}

void wait_queue_init(struct wait_queue *queue)
{
    list_init(&queue->waiters);
}

enum wait_status wait_queue_wait(struct wait_queue *queue, uint64_t deadline_ns)
{
    struct waiter waiter = {.task = task_self()};

    list_push_back(&queue->waiters, &waiter.link);
    return waiter_wait(&waiter, deadline_ns);
}

unsigned wait_queue_wake(struct wait_queue *queue, unsigned count)
{
    unsigned woken = 0;

    while (woken < count && !list_empty(&queue->waiters)) {
        waiter_wake(container_of(queue->waiters.next, struct waiter, link));
        woken++;
    }
    return woken;
}
