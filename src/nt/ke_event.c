/* nt/ke_event.c: events, mutexes and semaphores. */
#include "nt/internal.h"

/* Initialising an object that somebody waits for would lose the waiter. */
static void require_no_waiter(const void *object, size_t size, const struct export_call *call)
{
    const char *who = nt_exists() ? wait_object_in(object, size) : NULL;

    if (who) {
        misuse(NT_MISUSE_OBJECT, call, "initialises an object that the thread \"%s\" waits for",
               who);
    }
}

/* ---- Events ---------------------------------------------------------------------------------- */

VOID NTAPI KeInitializeEvent(PRKEVENT Event, EVENT_TYPE Type, BOOLEAN State)
{
    struct export_call call = NT_EXPORT_CALL(KeInitializeEvent);

    require_no_waiter(Event, sizeof(*Event), &call);
    dispatcher_init(&Event->Header,
                    Type == NotificationEvent ? DISPATCHER_EVENT_NOTIFICATION
                                              : DISPATCHER_EVENT_SYNCHRONIZATION,
                    sizeof(*Event), State != FALSE);
}

static bool is_event(const KEVENT *event, const struct export_call *call)
{
    if (event->Header.Type <= DISPATCHER_EVENT_SYNCHRONIZATION &&
        event->Header.WaitListHead.Flink) {
        return true;
    }
    misuse(NT_MISUSE_OBJECT, call, "the event is not initialised or overwritten");
    return false;
}

void nt_event_signal(struct _KEVENT *event)
{
    event->Header.SignalState = 1;
    dispatcher_signalled(&event->Header);
}

LONG NTAPI KeSetEvent(PRKEVENT Event, KPRIORITY Increment, BOOLEAN Wait)
{
    struct export_call call = NT_EXPORT_CALL(KeSetEvent);
    LONG before;

    if (Wait) { /* the caller promises to wait next */
        export_irql_above(&call, APC_LEVEL);
    }
    if (!is_event(Event, &call)) {
        return 0;
    }
    before = Event->Header.SignalState;
    nt_event_signal(Event);
    if (Wait) {
        export_promise_wait(&call);
    }
    return before;
}

LONG NTAPI KeResetEvent(PRKEVENT Event)
{
    struct export_call call = NT_EXPORT_CALL(KeResetEvent);
    LONG before;

    if (!is_event(Event, &call)) {
        return 0;
    }
    before = Event->Header.SignalState;
    Event->Header.SignalState = 0;
    return before;
}

VOID NTAPI KeClearEvent(PRKEVENT Event)
{
    struct export_call call = NT_EXPORT_CALL(KeClearEvent);

    if (is_event(Event, &call)) {
        Event->Header.SignalState = 0;
    }
}

LONG NTAPI KePulseEvent(PRKEVENT Event, KPRIORITY Increment, BOOLEAN Wait)
{
    struct export_call call = NT_EXPORT_CALL(KePulseEvent);
    LONG before;

    if (!is_event(Event, &call)) {
        return 0;
    }
    before = Event->Header.SignalState;
    nt_event_signal(Event);
    Event->Header.SignalState = 0;
    return before;
}

LONG NTAPI KeReadStateEvent(PRKEVENT Event)
{
    NT_EXPORT_ENTER(KeReadStateEvent);
    return Event->Header.SignalState;
}

/* ---- Mutexes --------------------------------------------------------------------------------- */

VOID NTAPI KeInitializeMutex(PRKMUTEX Mutex, ULONG Level)
{
    struct export_call call = NT_EXPORT_CALL(KeInitializeMutex);

    require_no_waiter(Mutex, sizeof(*Mutex), &call);
    dispatcher_init(&Mutex->Header, DISPATCHER_MUTANT, sizeof(*Mutex), 1);
    InitializeListHead(&Mutex->MutantListEntry);
    Mutex->OwnerThread = NULL;
    Mutex->MutantFlags = 0;
    Mutex->ApcDisable = 1;
}

LONG NTAPI KeReleaseMutex(PRKMUTEX Mutex, BOOLEAN Wait)
{
    struct nt_thread *thread = thread_current();
    struct export_call call = NT_EXPORT_CALL(KeReleaseMutex);
    LONG before;

    before = Mutex->Header.SignalState;
    /* The exception is the documented answer, and a driver may catch it. */
    if ((void *)Mutex->OwnerThread != thread) {
        raise_status(STATUS_MUTANT_NOT_OWNED);
    }
    if (++Mutex->Header.SignalState == 1) {
        Mutex->OwnerThread = NULL;
        thread->mutex_count -= thread->mutex_count > 0; /* one left behind counts no more */
        thread->mutex_apc_depth -= thread->mutex_apc_depth > 0 && Mutex->ApcDisable;
        dispatcher_signalled(&Mutex->Header);
    }
    if (Wait) {
        export_promise_wait(&call);
    }
    return before;
}

LONG NTAPI KeReadStateMutex(PRKMUTEX Mutex)
{
    NT_EXPORT_ENTER(KeReadStateMutex);
    return Mutex->Header.SignalState;
}

/* ---- Semaphores ------------------------------------------------------------------------------ */

VOID NTAPI KeInitializeSemaphore(PRKSEMAPHORE Semaphore, LONG Count, LONG Limit)
{
    struct export_call call = NT_EXPORT_CALL(KeInitializeSemaphore);

    require_no_waiter(Semaphore, sizeof(*Semaphore), &call);
    if (Count < 0 || Limit <= 0 || Count > Limit) {
        misuse(NT_MISUSE_ARGUMENT, &call, "count %d with limit %d", Count, Limit);
    }
    dispatcher_init(&Semaphore->Header, DISPATCHER_SEMAPHORE, sizeof(*Semaphore), Count);
    Semaphore->Limit = Limit;
}

LONG NTAPI KeReleaseSemaphore(PRKSEMAPHORE Semaphore, KPRIORITY Increment, LONG Adjustment,
                              BOOLEAN Wait)
{
    struct export_call call = NT_EXPORT_CALL(KeReleaseSemaphore);
    LONG before, after;

    before = Semaphore->Header.SignalState;
    /* The exception is the documented answer, and a driver may catch it. */
    if (Adjustment <= 0 || __builtin_add_overflow(before, Adjustment, &after) ||
        after > Semaphore->Limit) {
        raise_status(STATUS_SEMAPHORE_LIMIT_EXCEEDED);
    }
    Semaphore->Header.SignalState = after;
    dispatcher_signalled(&Semaphore->Header);
    if (Wait) {
        export_promise_wait(&call);
    }
    return before;
}

LONG NTAPI KeReadStateSemaphore(PRKSEMAPHORE Semaphore)
{
    NT_EXPORT_ENTER(KeReadStateSemaphore);
    return Semaphore->Header.SignalState;
}
