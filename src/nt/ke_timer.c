/* nt/ke_timer.c: kernel timers, and the executive's timers on top of them.
 *
 * An armed KTIMER has an entry here that holds the machine's timer: a driver may free a KTIMER that
 * is armed, and that is noticed (timer_armed_in) instead of writing into freed memory. */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>

struct armed_timer {
    struct list link;
    struct machine_timer machine;
    KTIMER *timer;
    KDPC *dpc;
    uint64_t period_ns; /* 0: once */
    struct nt_origin from;
};

#define RESOLUTION_MIN_100NS 5000u

static struct list armed = {&armed, &armed};
static ULONG resolution = CLOCK_INTERRUPT_100NS;
static unsigned resolution_users;

static struct armed_timer *find(const KTIMER *timer)
{
    list_for_each (link, &armed) {
        struct armed_timer *entry = container_of(link, struct armed_timer, link);
        if (entry->timer == timer) {
            return entry;
        }
    }
    return NULL;
}

static void disarm(struct armed_timer *entry)
{
    machine_timer_cancel(&entry->machine);
    list_remove(&entry->link);
    free(entry);
}

const struct nt_origin *nt_touched;

/* In hardware context. */
static void expire(struct machine_timer *machine)
{
    struct armed_timer *entry = machine->context;
    KTIMER *timer = entry->timer;
    KDPC *dpc = entry->dpc;
    const struct nt_origin from = entry->from;

    if (entry->period_ns) {
        machine_timer_set(&entry->machine, machine_now_ns() + entry->period_ns);
    } else {
        disarm(entry);
    }
    nt_touched = &from;
    timer->Header.SignalState = 1;
    dispatcher_signalled(&timer->Header);
    if (dpc) {
        uint64_t now = time_system_100ns();
        dpc_insert(dpc, (void *)(uintptr_t)(uint32_t)now, (void *)(uintptr_t)(now >> 32), &from);
    }
    nt_touched = NULL;
}

static void timer_init(KTIMER *timer, TIMER_TYPE type, const struct export_call *call)
{
    struct armed_timer *entry = find(timer);

    if (entry) {
        misuse(NT_MISUSE_OBJECT, call, "initialises a timer that is armed");
        disarm(entry);
    }
    memset(timer, 0, sizeof(*timer));
    dispatcher_init(&timer->Header,
                    type == NotificationTimer ? DISPATCHER_TIMER_NOTIFICATION
                                              : DISPATCHER_TIMER_SYNCHRONIZATION,
                    sizeof(*timer), 0);
}

static bool is_timer(const KTIMER *timer, const struct export_call *call)
{
    if ((timer->Header.Type == DISPATCHER_TIMER_NOTIFICATION ||
         timer->Header.Type == DISPATCHER_TIMER_SYNCHRONIZATION) &&
        timer->Header.WaitListHead.Flink) {
        return true;
    }
    misuse(NT_MISUSE_OBJECT, call, "the timer is not initialised or overwritten");
    return false;
}

static bool timer_set(KTIMER *timer, LARGE_INTEGER due, uint64_t period_ns, KDPC *dpc,
                      const struct export_call *call)
{
    struct armed_timer *entry;
    bool was_armed;

    if (!is_timer(timer, call)) {
        return false;
    }
    advise_of_the_past(&due, call);
    entry = find(timer);
    was_armed = entry != NULL;
    if (!entry) {
        entry = calloc(1, sizeof(*entry));
        CHECK_THAT(entry != NULL);
        machine_timer_init(&entry->machine, expire, entry);
        list_push_back(&armed, &entry->link);
    }
    entry->timer = timer;
    entry->dpc = dpc;
    entry->period_ns = period_ns;
    entry->from = origin_of(call->caller);
    timer->Header.SignalState = 0;
    timer->Dpc = dpc;
    timer->Period = (ULONG)(period_ns / NS_PER_MS);
    timer->DueTime.QuadPart = (ULONGLONG)due.QuadPart;
    machine_timer_set(&entry->machine, deadline_of(&due));
    return was_armed;
}

static bool timer_cancel(KTIMER *timer)
{
    struct armed_timer *entry = find(timer);

    if (entry) {
        disarm(entry);
    }
    return entry != NULL;
}

const struct nt_origin *timer_armed_in(const void *memory, size_t size)
{
    const char *low = memory;

    list_for_each (link, &armed) {
        const struct armed_timer *entry = container_of(link, struct armed_timer, link);
        const char *timer = (const char *)entry->timer;
        if (timer >= low && timer < low + size) {
            return &entry->from;
        }
    }
    return NULL;
}

static bool has_dpc_in(const struct armed_timer *entry, const void *memory, size_t size)
{
    return entry->dpc && (uintptr_t)entry->dpc - (uintptr_t)memory < size;
}

const struct nt_origin *timer_dpc_in(const void *memory, size_t size)
{
    list_for_each (link, &armed) {
        const struct armed_timer *entry = container_of(link, struct armed_timer, link);
        if (has_dpc_in(entry, memory, size)) {
            return &entry->from;
        }
    }
    return NULL;
}

void timer_forget_dpc_in(const void *memory, size_t size)
{
    list_for_each (link, &armed) {
        struct armed_timer *entry = container_of(link, struct armed_timer, link);
        if (has_dpc_in(entry, memory, size)) {
            entry->dpc = NULL;
        }
    }
}

void timer_forget_in(const void *memory, size_t size)
{
    const char *low = memory;

    list_for_each_safe (link, &armed) {
        struct armed_timer *entry = container_of(link, struct armed_timer, link);
        const char *timer = (const char *)entry->timer;
        if (timer >= low && timer < low + size) {
            disarm(entry);
        }
    }
}

void timer_leaks(struct leak_visitor *visitor)
{
    list_for_each (link, &armed) {
        const struct armed_timer *entry = container_of(link, struct armed_timer, link);
        char where[NT_ORIGIN_MAX];
        nt_origin_text(&entry->from, where, sizeof(where));
        leak(visitor, "timer", "a timer is still armed, set at %s", where);
    }
}

void timer_stop(void)
{
    resolution = CLOCK_INTERRUPT_100NS;
    resolution_users = 0;
    list_for_each_safe (link, &armed) {
        disarm(container_of(link, struct armed_timer, link));
    }
}

/* ---- KTIMER ---------------------------------------------------------------------------------- */

VOID NTAPI KeInitializeTimer(PKTIMER Timer)
{
    struct export_call call = NT_EXPORT_CALL(KeInitializeTimer);
    timer_init(Timer, NotificationTimer, &call);
}

VOID NTAPI KeInitializeTimerEx(PKTIMER Timer, TIMER_TYPE Type)
{
    struct export_call call = NT_EXPORT_CALL(KeInitializeTimerEx);
    timer_init(Timer, Type, &call);
}

BOOLEAN NTAPI KeSetTimer(PKTIMER Timer, LARGE_INTEGER DueTime, PKDPC Dpc)
{
    struct export_call call = NT_EXPORT_CALL(KeSetTimer);
    return timer_set(Timer, DueTime, 0, Dpc, &call);
}

BOOLEAN NTAPI KeSetTimerEx(PKTIMER Timer, LARGE_INTEGER DueTime, LONG Period, PKDPC Dpc)
{
    struct export_call call = NT_EXPORT_CALL(KeSetTimerEx);

    if (Period < 0) {
        misuse(NT_MISUSE_ARGUMENT, &call, "a period of %d ms", Period);
        Period = 0;
    }
    return timer_set(Timer, DueTime, (uint64_t)Period * NS_PER_MS, Dpc, &call);
}

/* The tolerable delay is not used: the timer is as exact as any other. */
BOOLEAN NTAPI KeSetCoalescableTimer(PKTIMER Timer, LARGE_INTEGER DueTime, ULONG Period,
                                    ULONG TolerableDelay, PKDPC Dpc)
{
    struct export_call call = NT_EXPORT_CALL(KeSetCoalescableTimer);
    return timer_set(Timer, DueTime, (uint64_t)Period * NS_PER_MS, Dpc, &call);
}

BOOLEAN NTAPI KeCancelTimer(PKTIMER Timer)
{
    struct export_call call = NT_EXPORT_CALL(KeCancelTimer);
    return is_timer(Timer, &call) && timer_cancel(Timer);
}

BOOLEAN NTAPI KeReadStateTimer(PKTIMER Timer)
{
    NT_EXPORT_ENTER(KeReadStateTimer);
    return Timer->Header.SignalState != 0;
}

/* ---- EX_TIMER -------------------------------------------------------------------------------- */

/* First a KTIMER, for a driver may wait for it. */
struct _EX_TIMER {
    KTIMER timer;
    KDPC dpc;
    PEXT_CALLBACK callback;
    PVOID context;
    bool running;
    bool deleted;    /* and here until nothing of it is pending */
    bool waited_for; /* by who deleted it, and ends it */
    PEXT_DELETE_CALLBACK delete_callback;
    PVOID delete_context;
    const void *deleted_from;
};

static bool is_pending(const struct _EX_TIMER *timer)
{
    return timer->running || find(&timer->timer) || dpc_queued_in(timer, sizeof(*timer));
}

/* What was deleted is pool that is free, once nothing is pending. */
static bool is_there(const struct _EX_TIMER *timer, const struct export_call *call)
{
    struct nt_pool_block block;

    if (nt_pool_find(timer, &block) && block.address == timer && block.size == sizeof(*timer)) {
        return true;
    }
    misuse(NT_MISUSE_OBJECT, call, "the timer is deleted, or was never allocated");
    return false;
}

/* The callback comes behind the object's end. */
static void ex_timer_end(struct _EX_TIMER *timer)
{
    const struct export_call call = {EXPORT_ID_ExDeleteTimer, timer->deleted_from};
    PEXT_DELETE_CALLBACK callback = timer->delete_callback;
    PVOID context = timer->delete_context;

    pool_free(timer, 0, &call);
    if (callback) {
        NT_CALL_DRIVER("a deletion callback", callback, (context));
    }
}

/* A periodic timer that was deleted comes once more. The callback may delete it. */
static VOID NTAPI ex_timer_dpc(PKDPC dpc, PVOID context, PVOID argument1, PVOID argument2)
{
    struct _EX_TIMER *timer = context;

    if (timer->deleted) {
        timer_cancel(&timer->timer);
    }
    if (timer->callback) {
        timer->running = true;
        NT_CALL_DRIVER(NT_TIMERS_CALLBACK, timer->callback, (timer, timer->context));
        timer->running = false;
    }
    address_wake_all(timer);
    if (timer->deleted && !timer->waited_for && !is_pending(timer)) {
        ex_timer_end(timer);
    }
}

PEX_TIMER NTAPI ExAllocateTimer(PEXT_CALLBACK Callback, PVOID CallbackContext, ULONG Attributes)
{
    struct export_call call = NT_EXPORT_CALL(ExAllocateTimer);
    struct pool_request request = {.size = sizeof(struct _EX_TIMER),
                                   .tag = POOL_TAG('E', 'x', 'T', 'm'),
                                   .zeroed = true,
                                   .caller = call.caller};
    struct _EX_TIMER *timer = pool_allocate(&request);

    if (!timer) {
        return NULL;
    }
    timer->callback = Callback;
    timer->context = CallbackContext;
    timer_init(&timer->timer,
               Attributes & EX_TIMER_NOTIFICATION ? NotificationTimer : SynchronizationTimer,
               &call);
    timer->dpc.DeferredRoutine = ex_timer_dpc;
    timer->dpc.DeferredContext = timer;
    return timer;
}

BOOLEAN NTAPI ExSetTimer(PEX_TIMER Timer, LONGLONG DueTime, LONGLONG Period,
                         PEXT_SET_PARAMETERS Parameters)
{
    struct export_call call = NT_EXPORT_CALL(ExSetTimer);
    LARGE_INTEGER due = {.QuadPart = DueTime};

    if (!is_there(Timer, &call) || Timer->deleted) {
        return FALSE;
    }
    if (Period < 0 || Period > INT64_MAX / 100) {
        misuse(NT_MISUSE_ARGUMENT, &call, "a period that is negative or absurd");
        Period = 0;
    }
    return timer_set(&Timer->timer, due, (uint64_t)Period * 100,
                     Timer->callback ? &Timer->dpc : NULL, &call);
}

BOOLEAN NTAPI ExCancelTimer(PEX_TIMER Timer, PVOID Parameters)
{
    struct export_call call = NT_EXPORT_CALL(ExCancelTimer);

    return is_there(Timer, &call) && !Timer->deleted && timer_cancel(&Timer->timer);
}

/* What is pending, and not cancelled, comes yet: an armed one without a callback has no DPC, by
 * which its end would be seen. */
static void let_expire(struct _EX_TIMER *timer)
{
    struct armed_timer *entry = find(&timer->timer);

    if (entry) {
        entry->dpc = &timer->dpc;
    }
}

/* False: whoever may not wait leaves it to what is pending. */
static bool wait_until_over(struct _EX_TIMER *timer)
{
    timer->waited_for = true;
    while (irql_current() <= APC_LEVEL && task_self() && is_pending(timer)) {
        address_wait(timer, machine_now_ns() + NS_PER_MS);
    }
    timer->waited_for = false;
    return !is_pending(timer);
}

/* The timer's own callback may call it, which is still to return then. */
BOOLEAN NTAPI ExDeleteTimer(PEX_TIMER Timer, BOOLEAN Cancel, BOOLEAN Wait,
                            PEXT_DELETE_PARAMETERS Parameters)
{
    struct export_call call = NT_EXPORT_CALL(ExDeleteTimer);
    bool cancelled;

    if (Wait && !Cancel) {
        misuse(NT_MISUSE_ARGUMENT, &call, "Wait without Cancel");
        Cancel = TRUE;
    }
    if (!is_there(Timer, &call) || Timer->deleted) {
        return FALSE;
    }
    Timer->deleted = true;
    Timer->deleted_from = call.caller;
    if (Parameters) {
        Timer->delete_callback = Parameters->DeleteCallback;
        Timer->delete_context = Parameters->DeleteContext;
    }
    cancelled = Cancel && timer_cancel(&Timer->timer);
    if (Wait) {
        export_irql_above(&call, APC_LEVEL);
    }
    if (Wait ? !wait_until_over(Timer) : is_pending(Timer)) {
        let_expire(Timer);
        return cancelled;
    }
    ex_timer_end(Timer);
    return cancelled;
}

/* The finest that was asked for counts until all who asked have taken it back. Time-outs are exact
 * at any resolution. */
ULONG NTAPI ExSetTimerResolution(ULONG DesiredTime, BOOLEAN SetResolution)
{
    NT_EXPORT_ENTER(ExSetTimerResolution);
    if (SetResolution) {
        resolution_users++;
        DesiredTime = DesiredTime < RESOLUTION_MIN_100NS ? RESOLUTION_MIN_100NS : DesiredTime;
        resolution = DesiredTime < resolution ? DesiredTime : resolution;
    } else if (resolution_users > 0 && --resolution_users == 0) {
        resolution = CLOCK_INTERRUPT_100NS;
    }
    return resolution;
}
