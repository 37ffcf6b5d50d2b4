/* nt/ke_wait.c: waiting for dispatcher objects.
 *
 * Who waits for what is kept here and not in the objects: an object lies in a driver's memory,
 * which may be overwritten or freed. There are as many *waiters* as blocked threads, so that
 * looking through all of them is cheap. A signal is handed on by the one who makes it: it decides
 * which waits are satisfied, in order of arrival, and takes the signal for them.
 *
 *      KeSetEvent ──> dispatcher_signalled ──> try_satisfy(each waiter) ──> done ──> task_wake
 */
#include "nt/internal.h"

#include <string.h>

struct waiter {
    struct list link;
    struct task *task;
    struct nt_thread *thread;
    DISPATCHER_HEADER *const *objects;
    unsigned count;
    bool all, done;
    bool endless; /* a client's, without a deadline */
    NTSTATUS status;
};

struct address_waiter {
    struct list link;
    const void *address;
    struct task *task;
    bool woken;
};

static struct list waiters, address_waiters;

void wait_start(void)
{
    list_init(&waiters);
    list_init(&address_waiters);
}

void wait_stop(void)
{
    /* After machine_halt() the entries lie on stacks that nobody resumes. */
    wait_start();
}

void dispatcher_init(DISPATCHER_HEADER *header, enum dispatcher_type type, size_t size,
                     LONG signal_state)
{
    memset(header, 0, sizeof(*header));
    header->Type = (UCHAR)type;
    header->Size = (UCHAR)(size / sizeof(LONG));
    header->SignalState = signal_state;
    InitializeListHead(&header->WaitListHead);
}

static bool signalled_for(const DISPATCHER_HEADER *header, const struct nt_thread *thread)
{
    if (header->Type == DISPATCHER_MUTANT &&
        (const void *)((const KMUTANT *)header)->OwnerThread == thread) {
        return true;
    }
    return header->SignalState > 0;
}

/* Takes the signal; true if a mutex came from a thread that ended without releasing it. */
static bool consume(DISPATCHER_HEADER *header, struct nt_thread *thread)
{
    KMUTANT *mutant = (KMUTANT *)header;
    bool abandoned;

    switch (header->Type) {
    case DISPATCHER_EVENT_SYNCHRONIZATION:
    case DISPATCHER_TIMER_SYNCHRONIZATION:
        header->SignalState = 0;
        return false;
    case DISPATCHER_SEMAPHORE:
        header->SignalState--;
        return false;
    case DISPATCHER_MUTANT:
        if (header->SignalState-- > 0) {
            mutant->OwnerThread = (struct _KTHREAD *)thread;
            thread->mutex_count++;
            thread->mutex_apc_depth += mutant->ApcDisable != 0;
        }
        abandoned = mutant->Abandoned;
        mutant->Abandoned = 0;
        return abandoned;
    default:
        return false;
    }
}

static bool try_satisfy_all(struct waiter *waiter)
{
    bool abandoned = false;

    for (unsigned i = 0; i < waiter->count; i++) {
        if (!signalled_for(waiter->objects[i], waiter->thread)) {
            return false;
        }
    }
    for (unsigned i = 0; i < waiter->count; i++) {
        abandoned |= consume(waiter->objects[i], waiter->thread);
    }
    waiter->status = abandoned ? STATUS_ABANDONED_WAIT_0 : STATUS_WAIT_0;
    return waiter->done = true;
}

static bool try_satisfy(struct waiter *waiter)
{
    if (waiter->all) {
        return try_satisfy_all(waiter);
    }
    for (unsigned i = 0; i < waiter->count; i++) {
        if (signalled_for(waiter->objects[i], waiter->thread)) {
            bool abandoned = consume(waiter->objects[i], waiter->thread);
            waiter->status = (abandoned ? STATUS_ABANDONED_WAIT_0 : STATUS_WAIT_0) + (NTSTATUS)i;
            return waiter->done = true;
        }
    }
    return false;
}

static bool waits_for(const struct waiter *waiter, const DISPATCHER_HEADER *header)
{
    for (unsigned i = 0; i < waiter->count; i++) {
        if (waiter->objects[i] == header) {
            return true;
        }
    }
    return false;
}

void dispatcher_signalled(DISPATCHER_HEADER *header)
{
    list_for_each_safe (link, &waiters) {
        struct waiter *waiter = container_of(link, struct waiter, link);
        if (header->SignalState <= 0) {
            return;
        }
        if (!waiter->done && waits_for(waiter, header) && try_satisfy(waiter)) {
            list_remove(&waiter->link);
            task_wake(waiter->task);
        }
    }
}

const char *wait_object_in(const void *memory, size_t size)
{
    const char *low = memory;

    list_for_each (link, &waiters) {
        const struct waiter *waiter = container_of(link, struct waiter, link);
        for (unsigned i = 0; i < waiter->count; i++) {
            const char *object = (const char *)waiter->objects[i];
            if (object >= low && object < low + size) {
                return task_name(waiter->task);
            }
        }
    }
    return NULL;
}

uint64_t deadline_of(const LARGE_INTEGER *timeout)
{
    uint64_t ticks, ns, deadline;

    if (!timeout) {
        return MACHINE_NEVER;
    }
    if (timeout->QuadPart <= 0) {
        ticks = 0 - (uint64_t)timeout->QuadPart;
    } else if ((uint64_t)timeout->QuadPart <= time_system_100ns()) {
        ticks = 0;
    } else {
        ticks = (uint64_t)timeout->QuadPart - time_system_100ns();
    }
    if (mul_overflows_u64(ticks, 100, &ns) || add_overflows_u64(ns, machine_now_ns(), &deadline)) {
        return MACHINE_NEVER;
    }
    return deadline;
}

void advise_of_the_past(const LARGE_INTEGER *time, const struct export_call *call)
{
    if (time && time->QuadPart > 0 && (uint64_t)time->QuadPart < time_system_100ns() / 2) {
        advise(call, "waits until a moment that is long past: a time above 0 counts from the year "
                     "1601, one below 0 from now");
    }
}

/* ---- The two waits --------------------------------------------------------------------------- */

/* A wait that may block needs a thread below DISPATCH_LEVEL. */
static void require_blockable(const struct export_call *call)
{
    if (irql_current() > APC_LEVEL) {
        misuse(NT_MISUSE_WAIT_IRQL, call, "a wait with a time-out that is not zero at IRQL %u",
               irql_current());
    } else if (!task_may_block()) {
        misuse(NT_MISUSE_WAIT_IRQL, call,
               "a wait in a DPC, or an interrupt, that has lowered the IRQL to %u", irql_current());
    } else {
        return;
    }
    bugcheck_from(call->caller, ATTEMPTED_SWITCH_FROM_DPC, (uintptr_t)thread_current(), 0, 0, 0);
}

static bool is_dispatcher_object(const DISPATCHER_HEADER *header)
{
    if (!header || !header->WaitListHead.Flink) {
        return false;
    }
    switch (header->Type) {
    case DISPATCHER_EVENT_NOTIFICATION:
    case DISPATCHER_EVENT_SYNCHRONIZATION:
    case DISPATCHER_MUTANT:
    case DISPATCHER_SEMAPHORE:
    case DISPATCHER_PROCESS:
    case DISPATCHER_THREAD:
    case DISPATCHER_TIMER_NOTIFICATION:
    case DISPATCHER_TIMER_SYNCHRONIZATION:
        return true;
    default:
        return false;
    }
}

static void block(struct waiter *waiter, uint64_t deadline_ns)
{
    list_push_back(&waiters, &waiter->link);
    while (!waiter->done) {
        if (task_block(deadline_ns) == WAIT_TIMED_OUT && !waiter->done) {
            waiter->status = STATUS_TIMEOUT;
            break;
        }
    }
    list_remove(&waiter->link);
}

/* A thread of the driver's own goes on. */
static bool is_stepped_on(void)
{
    thread_comes_late();
    return nt_hooks.routine && nt_hooks.routine(nt_hooks.ctx, NT_SYSTEM_THREAD, true);
}

/* *is_stepped: is the caller stepped behind the wait? */
static NTSTATUS wait_for(DISPATCHER_HEADER *const *objects, unsigned count, bool all,
                         const LARGE_INTEGER *timeout, const struct export_call *call,
                         bool *is_stepped)
{
    struct waiter waiter = {
        .thread = thread_current(), .objects = objects, .count = count, .all = all};

    list_init(&waiter.link);
    advise_of_the_past(timeout, call);
    for (unsigned i = 0; i < count; i++) {
        if (!is_dispatcher_object(objects[i])) {
            misuse(NT_MISUSE_OBJECT, call, "object %u is not an initialised dispatcher object", i);
            if (!objects[i]) { /* the dispatcher raises the IRQL before it looks at the object */
                bugcheck_from(call->caller, IRQL_NOT_LESS_OR_EQUAL, 0, DISPATCH_LEVEL, 0,
                              (uintptr_t)call->caller);
            }
            return STATUS_INVALID_PARAMETER;
        }
    }
    if (timeout && timeout->QuadPart == 0) {
        return try_satisfy(&waiter) ? waiter.status : STATUS_TIMEOUT;
    }
    require_blockable(call);
    if (try_satisfy(&waiter)) {
        return waiter.status;
    }
    waiter.task = task_self();
    block(&waiter, deadline_of(timeout));
    if (waiter.thread->system && is_stepped_on()) {
        *is_stepped = true;
    }
    return waiter.status;
}

NTSTATUS NTAPI KeWaitForSingleObject(PVOID Object, KWAIT_REASON WaitReason,
                                     KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
                                     PLARGE_INTEGER Timeout)
{
    struct export_call call = NT_EXPORT_CALL(KeWaitForSingleObject);
    DISPATCHER_HEADER *object = Object;

    return wait_for(&object, 1, false, Timeout, &call, &export_is_stepped);
}

NTSTATUS NTAPI KeWaitForMultipleObjects(ULONG Count, PVOID Object[], WAIT_TYPE WaitType,
                                        KWAIT_REASON WaitReason, KPROCESSOR_MODE WaitMode,
                                        BOOLEAN Alertable, PLARGE_INTEGER Timeout,
                                        PKWAIT_BLOCK WaitBlockArray)
{
    struct export_call call = NT_EXPORT_CALL(KeWaitForMultipleObjects);
    DISPATCHER_HEADER *objects[MAXIMUM_WAIT_OBJECTS];

    if (Count == 0 || Count > MAXIMUM_WAIT_OBJECTS ||
        (Count > THREAD_WAIT_OBJECTS && !WaitBlockArray)) {
        misuse(NT_MISUSE_ARGUMENT, &call, "%u objects %s wait blocks", Count,
               WaitBlockArray ? "with" : "without");
        bugcheck_from(call.caller, MAXIMUM_WAIT_OBJECTS_EXCEEDED, 0, 0, 0, 0);
    }
    for (ULONG i = 0; i < Count; i++) {
        objects[i] = Object[i];
    }
    return wait_for(objects, Count, WaitType == WaitAll, Timeout, &call, &export_is_stepped);
}

bool nt_event_wait(struct _KEVENT *event, uint64_t deadline_ns)
{
    DISPATCHER_HEADER *object = &event->Header;
    struct waiter waiter = {.task = task_self(),
                            .thread = thread_current(),
                            .objects = &object,
                            .count = 1,
                            .endless = deadline_ns == MACHINE_NEVER};

    list_init(&waiter.link);
    if (!try_satisfy(&waiter) && machine_now_ns() < deadline_ns) {
        block(&waiter, deadline_ns);
    }
    return waiter.done;
}

static const struct waiter *endless_wait_of(const struct task *task)
{
    list_for_each (link, &waiters) {
        const struct waiter *waiter = container_of(link, struct waiter, link);
        if (waiter->task == task) {
            return waiter->endless && task_is_blocked(task) ? waiter : NULL;
        }
    }
    return NULL;
}

bool nt_event_task_waits(const struct task *task)
{
    const struct waiter *waiter = endless_wait_of(task);

    return waiter && !object_is_given(waiter->objects[0]);
}

bool nt_event_task_waits_for_driver(const struct task *task)
{
    const struct waiter *waiter = endless_wait_of(task);

    return waiter && object_is_given(waiter->objects[0]);
}

NTSTATUS NTAPI KeDelayExecutionThread(KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
                                      PLARGE_INTEGER Interval)
{
    struct export_call call = NT_EXPORT_CALL(KeDelayExecutionThread);
    uint64_t deadline;

    require_blockable(&call);
    advise_of_the_past(Interval, &call);
    deadline = deadline_of(Interval);
    while (task_block(deadline) != WAIT_TIMED_OUT) {
        /* A wake that was meant for an earlier wait. */
    }
    if (thread_current()->system) {
        thread_comes_late();
    }
    return STATUS_SUCCESS;
}

/* ---- Waits by address ------------------------------------------------------------------------ */

enum wait_status address_wait(const void *address, uint64_t deadline_ns)
{
    struct address_waiter waiter = {.address = address, .task = task_self()};
    enum wait_status status = WAIT_WOKEN;

    if (!task_may_block()) {
        nt_misuse(NT_MISUSE_WAIT_IRQL, "a lock", NULL,
                  "waited for in a DPC, or an interrupt, that has lowered the IRQL");
        bugcheck_from(NULL, ATTEMPTED_SWITCH_FROM_DPC, (uintptr_t)thread_current(), 0, 0, 0);
    }
    list_push_back(&address_waiters, &waiter.link);
    while (!waiter.woken && status == WAIT_WOKEN) {
        status = task_block(deadline_ns);
    }
    list_remove(&waiter.link);
    return waiter.woken ? WAIT_WOKEN : WAIT_TIMED_OUT;
}

void address_wake_all(const void *address)
{
    list_for_each (link, &address_waiters) {
        struct address_waiter *waiter = container_of(link, struct address_waiter, link);
        if (waiter->address == address && !waiter->woken) {
            waiter->woken = true;
            task_wake(waiter->task);
        }
    }
}
