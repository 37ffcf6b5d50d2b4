/* nt/ps_thread.c: threads. A thread is a task of the machine with an object that drivers can hold.
 *
 * System threads are made by drivers. Any other task gets its thread when it first needs one.
 * Thread and process ids are small numbers in order of creation, as everything that a driver could
 * print. */
#include "nt/internal.h"

#include <stdio.h>
#include <string.h>

#define FIRST_ID       8 /* 4 is the System process */
#define ID_STEP        4
#define PRIORITY_START 8

/* How late a thread comes, and how often in a run: who waits for it each time comes to an end, and
 * no work takes so long that its device is reset. */
#define LATE_NS      (5 * NS_PER_MS)
#define VERY_LATE_NS (100 * NS_PER_MS)
#define LATE_MAX     200
#define VERY_LATE    10

static void thread_destroy(void *body);
struct object_type object_type_thread = {.name = "Thread", .destroy = thread_destroy};

static struct list threads = {&threads, &threads};
static struct nt_thread *no_thread; /* stands for hardware context and code outside tasks */
static uint64_t next_id = FIRST_ID;
static unsigned late_count, very_late_count;
static bool starved; /* no thread of a driver gets a processor */

uint64_t process_next_id(void)
{
    uint64_t id = next_id;

    next_id += ID_STEP;
    return id;
}

static struct nt_thread *thread_new(const char *name)
{
    struct nt_thread *thread = object_create(&object_type_thread, sizeof(*thread));

    if (!thread) {
        return NULL;
    }
    dispatcher_init(&thread->header, DISPATCHER_THREAD, sizeof(*thread), 0);
    thread->id = process_next_id();
    thread->priority = PRIORITY_START;
    thread->exit_status = STATUS_PENDING;
    snprintf(thread->name, sizeof(thread->name), "%s", name);
    list_push_back(&threads, &thread->link);
    return thread;
}

static void thread_destroy(void *body)
{
    struct nt_thread *thread = body;

    list_remove(&thread->link);
}

void thread_stop(void)
{
    /* The objects' memory goes with the pool. Tasks outlive the kernel and must not find us
     * again. */
    list_for_each (link, &threads) {
        struct nt_thread *thread = container_of(link, struct nt_thread, link);
        if (thread->task) {
            task_set_slot(thread->task, TASK_SLOT_NT_THREAD, NULL);
            task_put(thread->task);
        }
    }
    list_init(&threads);
    no_thread = NULL;
    next_id = FIRST_ID;
    late_count = very_late_count = 0;
    starved = false;
}

struct nt_thread *thread_current(void)
{
    struct task *task = task_self();
    struct nt_thread *thread;

    if (!task) {
        if (!no_thread) {
            no_thread = thread_new("idle");
            CHECK_THAT(no_thread != NULL);
        }
        return no_thread;
    }
    thread = task_slot(task, TASK_SLOT_NT_THREAD);
    if (!thread) {
        thread = thread_new(task_name(task));
        CHECK_THAT(thread != NULL);
        task_set_slot(task, TASK_SLOT_NT_THREAD, thread);
    }
    return thread;
}

/* ---- System threads -------------------------------------------------------------------------- */

uint64_t thread_ready_ns(void)
{
    if (late_count == LATE_MAX || !vary_happens(VARY_LATE_THREADS, 2)) {
        return machine_now_ns();
    }
    bool very = very_late_count < VERY_LATE && vary_below(VARY_LATE_THREADS, 4) == 0;
    late_count++;
    very_late_count += very;
    return machine_now_ns() + 1 + vary_below(VARY_LATE_THREADS, very ? VERY_LATE_NS : LATE_NS);
}

void thread_comes_late(void)
{
    uint64_t ready_ns = irql_current() == PASSIVE_LEVEL ? thread_ready_ns() : 0;

    while (ready_ns > machine_now_ns()) {
        task_block(ready_ns);
    }
    while (starved && irql_current() == PASSIVE_LEVEL) {
        address_wait(&starved, MACHINE_NEVER);
    }
}

bool thread_is_starved(void)
{
    return starved;
}

static bool is_any_alive(void)
{
    list_for_each (link, &threads) {
        const struct nt_thread *thread = container_of(link, struct nt_thread, link);
        if (thread->system && thread->task) {
            return true;
        }
    }
    return false;
}

bool nt_threads_starve(void)
{
    starved = is_any_alive() || work_is_any();
    return starved;
}

void nt_threads_feed(void)
{
    if (starved) {
        starved = false;
        address_wake_all(&starved);
        work_goes_on();
    }
}

static void check_end(const struct nt_thread *thread)
{
    struct export_call call = {EXPORT_ID_PsTerminateSystemThread, (const void *)thread->start};
    char what[48];

    snprintf(what, sizeof(what), "the thread \"%s\"", thread->name);
    nt_thread_check_return(what, export_name(call.id), call.caller);
    if (irql_current() != PASSIVE_LEVEL) {
        misuse(NT_MISUSE_IRQL_ORDER, &call, "the thread \"%s\" ends at IRQL %u", thread->name,
               irql_current());
        irql_lower(PASSIVE_LEVEL);
    }
}

static void finish(struct nt_thread *thread, NTSTATUS status)
{
    struct task *task = thread->task;

    check_end(thread);
    nt_stack_check(thread->name);
    task_set_stack_mark(0);
    thread->exit_status = status;
    thread->task = NULL;
    thread->header.SignalState = 1;
    dispatcher_signalled(&thread->header);
    task_set_slot(task, TASK_SLOT_NT_THREAD, NULL);
    object_put(thread); /* the reference of the running thread */
    task_put(task);
}

static void thread_main(void *argument)
{
    struct nt_thread *thread = argument;

    task_set_slot(task_self(), TASK_SLOT_NT_THREAD, thread);
    task_set_stack_mark((uintptr_t)__builtin_frame_address(0));
    thread_comes_late();
    NT_CALL_DRIVER(NT_SYSTEM_THREAD, thread->start, (thread->context));
    finish(thread, STATUS_SUCCESS);
}

static NTSTATUS thread_start(struct nt_thread *thread)
{
    struct task_options options = {.name = thread->name};

    return task_create(&options, thread_main, thread, &thread->task);
}

NTSTATUS NTAPI PsCreateSystemThread(PHANDLE ThreadHandle, ULONG DesiredAccess,
                                    POBJECT_ATTRIBUTES ObjectAttributes, HANDLE ProcessHandle,
                                    PCLIENT_ID ClientId, PKSTART_ROUTINE StartRoutine,
                                    PVOID StartContext)
{
    struct export_call call = NT_EXPORT_CALL(PsCreateSystemThread);
    struct nt_thread *thread;
    NTSTATUS status;
    char name[sizeof(thread->name)];

    snprintf(name, sizeof(name), "system thread %llu", (unsigned long long)next_id);
    thread = thread_new(name);
    if (!thread) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    thread->system = true;
    thread->start = StartRoutine;
    thread->context = StartContext;
    thread->from = origin_of(call.caller);
    const struct handle_request request =
        handle_request_of(DesiredAccess, ObjectAttributes, call.caller);
    status = handle_open(thread, &request, ThreadHandle);
    if (!NT_SUCCESS(status)) {
        goto err_put_thread;
    }
    status = thread_start(thread);
    if (!NT_SUCCESS(status)) {
        goto err_close_handle;
    }
    if (ClientId) {
        ClientId->UniqueProcess = (HANDLE)(uintptr_t)nt_process_id(NULL);
        ClientId->UniqueThread = (HANDLE)(uintptr_t)thread->id;
    }
    return STATUS_SUCCESS;

err_close_handle:
    handle_close(*ThreadHandle);
err_put_thread:
    *ThreadHandle = NULL;
    object_put(thread);
    return status;
}

NTSTATUS NTAPI PsTerminateSystemThread(NTSTATUS ExitStatus)
{
    struct nt_thread *thread;

    struct export_call call = NT_EXPORT_CALL(PsTerminateSystemThread);
    thread = thread_current();
    if (!thread->system) {
        misuse(NT_MISUSE_ARGUMENT, &call, "the current thread is no system thread");
        return STATUS_INVALID_PARAMETER;
    }
    finish(thread, ExitStatus);
    task_exit();
}

void thread_leaks(struct leak_visitor *visitor)
{
    list_for_each (link, &threads) {
        const struct nt_thread *thread = container_of(link, struct nt_thread, link);
        char where[NT_ORIGIN_MAX];
        if (thread->system && thread->task) {
            nt_origin_text(&thread->from, where, sizeof(where));
            leak(visitor, "thread", "\"%s\" still runs, created at %s", thread->name, where);
        }
    }
}

/* ---- What a thread can ask about itself ------------------------------------------------------ */

PKTHREAD NTAPI KeGetCurrentThread(VOID)
{
    NT_EXPORT_ENTER(KeGetCurrentThread);
    return (PKTHREAD)thread_current();
}

PETHREAD NTAPI PsGetCurrentThread(VOID)
{
    NT_EXPORT_ENTER(PsGetCurrentThread);
    return (PETHREAD)thread_current();
}

HANDLE NTAPI PsGetCurrentThreadId(VOID)
{
    NT_EXPORT_ENTER(PsGetCurrentThreadId);
    return (HANDLE)(uintptr_t)thread_current()->id;
}

NTSTATUS NTAPI PsLookupThreadByThreadId(HANDLE ThreadId, PETHREAD *Thread)
{
    NT_EXPORT_ENTER(PsLookupThreadByThreadId);
    list_for_each (link, &threads) {
        struct nt_thread *thread = container_of(link, struct nt_thread, link);
        if (thread->id == (uintptr_t)ThreadId) {
            object_get(thread);
            object_give(thread, __builtin_return_address(0));
            *Thread = (PETHREAD)thread;
            return STATUS_SUCCESS;
        }
    }
    *Thread = NULL;
    return STATUS_INVALID_CID;
}

HANDLE NTAPI PsGetThreadId(PETHREAD Thread)
{
    NT_EXPORT_ENTER(PsGetThreadId);
    return (HANDLE)(uintptr_t)((struct nt_thread *)Thread)->id;
}

NTSTATUS NTAPI PsGetThreadExitStatus(PETHREAD Thread)
{
    NT_EXPORT_ENTER(PsGetThreadExitStatus);
    return ((struct nt_thread *)Thread)->exit_status;
}

BOOLEAN NTAPI PsIsSystemThread(PETHREAD Thread)
{
    NT_EXPORT_ENTER(PsIsSystemThread);
    /* A task without a process belongs to System. */
    return Thread == (PETHREAD)thread_current() ? !nt_process_current()
                                                : ((struct nt_thread *)Thread)->system;
}

/* Priorities are kept for the driver's own reading; the executor's order comes from the seed. */
KPRIORITY NTAPI KeSetPriorityThread(PKTHREAD Thread, KPRIORITY Priority)
{
    struct export_call call = NT_EXPORT_CALL(KeSetPriorityThread);
    struct nt_thread *thread = (struct nt_thread *)Thread;
    KPRIORITY before = thread->priority;

    if (Priority <= LOW_PRIORITY || Priority > HIGH_PRIORITY) {
        misuse(NT_MISUSE_ARGUMENT, &call, "there is no priority %d", Priority);
        return before;
    }
    thread->priority = Priority;
    return before;
}

LONG NTAPI KeSetBasePriorityThread(PKTHREAD Thread, LONG Increment)
{
    struct nt_thread *thread = (struct nt_thread *)Thread;
    LONG before = thread->priority - PRIORITY_START;

    NT_EXPORT_ENTER(KeSetBasePriorityThread);
    thread->priority = PRIORITY_START + Increment;
    return before;
}

KPRIORITY NTAPI KeQueryPriorityThread(PKTHREAD Thread)
{
    NT_EXPORT_ENTER(KeQueryPriorityThread);
    return ((struct nt_thread *)Thread)->priority;
}

/* Time is not accounted to threads. */
ULONG NTAPI KeQueryRuntimeThread(PKTHREAD Thread, PULONG UserTime)
{
    NT_EXPORT_ENTER(KeQueryRuntimeThread);
    *UserTime = 0;
    return 0;
}

/* ---- Regions without APCs: there are none to deliver, but entering and leaving must pair ----- */

bool thread_leave_region(unsigned *depth, unsigned *told)
{
    unsigned *from = *depth > 0 ? depth : told;
    bool entered = *from > 0;

    *from -= entered;
    return entered;
}

VOID NTAPI KeEnterCriticalRegion(VOID)
{
    NT_EXPORT_ENTER(KeEnterCriticalRegion);
    thread_current()->critical_depth++;
}

VOID NTAPI KeLeaveCriticalRegion(VOID)
{
    struct export_call call = NT_EXPORT_CALL(KeLeaveCriticalRegion);

    if (!thread_leave_region(&thread_current()->critical_depth, &thread_current()->critical_told)) {
        misuse(NT_MISUSE_LOCK_OWNER, &call, "leaves a critical region that was not entered");
    }
}

VOID NTAPI KeEnterGuardedRegion(VOID)
{
    NT_EXPORT_ENTER(KeEnterGuardedRegion);
    thread_current()->guarded_depth++;
}

VOID NTAPI KeLeaveGuardedRegion(VOID)
{
    struct export_call call = NT_EXPORT_CALL(KeLeaveGuardedRegion);

    if (!thread_leave_region(&thread_current()->guarded_depth, &thread_current()->guarded_told)) {
        misuse(NT_MISUSE_LOCK_OWNER, &call, "leaves a guarded region that was not entered");
    }
}

bool thread_all_apcs_disabled(void)
{
    return irql_current() >= APC_LEVEL || thread_current()->guarded_depth > 0;
}

bool thread_apcs_disabled(void)
{
    const struct nt_thread *thread = thread_current();

    return thread_all_apcs_disabled() || thread->critical_depth > 0 || thread->mutex_apc_depth > 0;
}

BOOLEAN NTAPI KeAreApcsDisabled(VOID)
{
    NT_EXPORT_ENTER(KeAreApcsDisabled);
    return thread_apcs_disabled();
}

BOOLEAN NTAPI KeAreAllApcsDisabled(VOID)
{
    NT_EXPORT_ENTER(KeAreAllApcsDisabled);
    return thread_all_apcs_disabled();
}
