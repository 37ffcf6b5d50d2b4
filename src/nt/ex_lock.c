/* nt/ex_lock.c: fast and guarded mutexes, push locks, rundown protection.
 *
 * Their words lie in the driver's memory and have no room for a queue: who waits, waits by address
 * (ke_wait.c) and looks again when woken. */
#include "nt/internal.h"

#include <string.h>

/* ---- Fast mutexes; guarded mutexes are the same without the IRQL ----------------------------- */

/* Memory that nobody initialised holds neither, be it empty, fresh or freed. */
static bool mutex_is_valid(const FAST_MUTEX *mutex)
{
    return mutex->Count == (mutex->Owner ? 0 : 1);
}

static void mutex_acquire(FAST_MUTEX *mutex, const struct export_call *call)
{
    struct nt_thread *self = thread_current();

    if (!mutex_is_valid(mutex)) {
        misuse(NT_MISUSE_OBJECT, call, "the mutex is not initialised or overwritten");
        mutex->Owner = NULL;
        mutex->Count = 1;
    }
    if (mutex->Owner == self) {
        misuse(NT_MISUSE_LOCK_OWNER, call, "the thread already owns this mutex: it waits for ever");
        bugcheck_from(call->caller, MUTEX_ALREADY_OWNED, (uintptr_t)self, (uintptr_t)mutex, 0, 0);
    }
    lock_order_take(LOCK_MUTEX, mutex, true, call);
    while (mutex->Owner) {
        mutex->Contention++;
        address_wait(mutex, MACHINE_NEVER);
    }
    mutex->Owner = self;
    mutex->Count = 0;
}

static bool mutex_try(FAST_MUTEX *mutex, const struct export_call *call)
{
    if (!mutex_is_valid(mutex)) {
        misuse(NT_MISUSE_OBJECT, call, "the mutex is not initialised or overwritten");
        return false;
    }
    if (mutex->Owner) {
        return false;
    }
    mutex->Owner = thread_current();
    mutex->Count = 0;
    lock_order_take(LOCK_MUTEX, mutex, false, call);
    return true;
}

/* False if the thread does not own it. */
static bool mutex_release(FAST_MUTEX *mutex, const struct export_call *call)
{
    if (mutex->Owner != thread_current()) {
        misuse(NT_MISUSE_LOCK_OWNER, call, "the thread does not own the mutex");
        return false;
    }
    mutex->Owner = NULL;
    mutex->Count = 1;
    lock_order_drop(LOCK_MUTEX, mutex);
    address_wake_all(mutex);
    return true;
}

/* The routines called unsafe leave it to their caller to keep APCs away. */
static void require_apcs_disabled(bool disabled, const struct export_call *call)
{
    if (!disabled) {
        misuse(
            NT_MISUSE_APCS, call,
            "APCs are enabled: raise to APC_LEVEL or enter a critical or guarded region first, or "
            "use the routine that does it");
    }
}

VOID NTAPI ExAcquireFastMutex(PFAST_MUTEX FastMutex)
{
    struct export_call call = NT_EXPORT_CALL(ExAcquireFastMutex);
    uint8_t old;

    if (irql_current() > APC_LEVEL) {
        bugcheck_from(call.caller, IRQL_NOT_LESS_OR_EQUAL, (uintptr_t)FastMutex, irql_current(), 0,
                      0);
    }
    old = irql_raise(APC_LEVEL);
    mutex_acquire(FastMutex, &call);
    FastMutex->OldIrql = old;
}

VOID NTAPI ExReleaseFastMutex(PFAST_MUTEX FastMutex)
{
    struct export_call call = NT_EXPORT_CALL(ExReleaseFastMutex);
    KIRQL old = (KIRQL)FastMutex->OldIrql;

    export_irql_below(&call, APC_LEVEL);
    if (mutex_release(FastMutex, &call) && old <= irql_current()) {
        irql_lower(old);
    }
}

BOOLEAN NTAPI ExTryToAcquireFastMutex(PFAST_MUTEX FastMutex)
{
    struct export_call call = NT_EXPORT_CALL(ExTryToAcquireFastMutex);
    uint8_t old;

    if (irql_current() > APC_LEVEL || !mutex_try(FastMutex, &call)) {
        return FALSE;
    }
    old = irql_raise(APC_LEVEL);
    FastMutex->OldIrql = old;
    return TRUE;
}

VOID NTAPI ExAcquireFastMutexUnsafe(PFAST_MUTEX FastMutex)
{
    struct export_call call = NT_EXPORT_CALL(ExAcquireFastMutexUnsafe);

    require_apcs_disabled(thread_apcs_disabled(), &call);
    mutex_acquire(FastMutex, &call);
}

VOID NTAPI ExReleaseFastMutexUnsafe(PFAST_MUTEX FastMutex)
{
    struct export_call call = NT_EXPORT_CALL(ExReleaseFastMutexUnsafe);

    require_apcs_disabled(thread_apcs_disabled(), &call);
    mutex_release(FastMutex, &call);
}

VOID NTAPI KeInitializeGuardedMutex(PKGUARDED_MUTEX Mutex)
{
    NT_EXPORT_ENTER(KeInitializeGuardedMutex);
    memset(Mutex, 0, sizeof(*Mutex));
    Mutex->Count = 1;
    dispatcher_init(&Mutex->Event.Header, DISPATCHER_EVENT_SYNCHRONIZATION, sizeof(KEVENT), 0);
}

VOID NTAPI KeAcquireGuardedMutex(PKGUARDED_MUTEX Mutex)
{
    struct export_call call = NT_EXPORT_CALL(KeAcquireGuardedMutex);

    thread_current()->guarded_depth++;
    mutex_acquire(Mutex, &call);
}

VOID NTAPI KeReleaseGuardedMutex(PKGUARDED_MUTEX Mutex)
{
    struct export_call call = NT_EXPORT_CALL(KeReleaseGuardedMutex);

    if (mutex_release(Mutex, &call)) {
        (void)thread_leave_region(&thread_current()->guarded_depth,
                                  &thread_current()->guarded_told);
    }
}

BOOLEAN NTAPI KeTryToAcquireGuardedMutex(PKGUARDED_MUTEX Mutex)
{
    struct export_call call = NT_EXPORT_CALL(KeTryToAcquireGuardedMutex);

    if (!mutex_try(Mutex, &call)) {
        return FALSE;
    }
    thread_current()->guarded_depth++;
    return TRUE;
}

VOID NTAPI KeAcquireGuardedMutexUnsafe(PKGUARDED_MUTEX Mutex)
{
    struct export_call call = NT_EXPORT_CALL(KeAcquireGuardedMutexUnsafe);

    require_apcs_disabled(thread_all_apcs_disabled(), &call);
    mutex_acquire(Mutex, &call);
}

VOID NTAPI KeReleaseGuardedMutexUnsafe(PKGUARDED_MUTEX Mutex)
{
    struct export_call call = NT_EXPORT_CALL(KeReleaseGuardedMutexUnsafe);

    require_apcs_disabled(thread_all_apcs_disabled(), &call);
    mutex_release(Mutex, &call);
}

/* ---- Push locks ------------------------------------------------------------------------------ */

/* The word: bit 0 says exclusive, the rest counts shared holders in steps of 2. */
#define PUSH_EXCLUSIVE ((EX_PUSH_LOCK)1)
#define PUSH_SHARED    ((EX_PUSH_LOCK)2)

static void push_release(EX_PUSH_LOCK *lock, EX_PUSH_LOCK held, const struct export_call *call)
{
    if (*lock == 0 || (held == PUSH_EXCLUSIVE) != (*lock == PUSH_EXCLUSIVE)) {
        misuse(NT_MISUSE_LOCK_OWNER, call, "the push lock is not held that way");
        return;
    }
    *lock -= held;
    address_wake_all(lock);
}

VOID NTAPI ExInitializePushLock(PEX_PUSH_LOCK PushLock)
{
    NT_EXPORT_ENTER(ExInitializePushLock);
    *PushLock = 0;
}

VOID NTAPI ExAcquirePushLockExclusiveEx(PEX_PUSH_LOCK PushLock, ULONG Flags)
{
    NT_EXPORT_ENTER(ExAcquirePushLockExclusiveEx);
    while (*PushLock != 0) {
        address_wait(PushLock, MACHINE_NEVER);
    }
    *PushLock = PUSH_EXCLUSIVE;
}

VOID NTAPI ExAcquirePushLockSharedEx(PEX_PUSH_LOCK PushLock, ULONG Flags)
{
    NT_EXPORT_ENTER(ExAcquirePushLockSharedEx);
    while (*PushLock & PUSH_EXCLUSIVE) {
        address_wait(PushLock, MACHINE_NEVER);
    }
    *PushLock += PUSH_SHARED;
}

VOID NTAPI ExReleasePushLockExclusiveEx(PEX_PUSH_LOCK PushLock, ULONG Flags)
{
    struct export_call call = NT_EXPORT_CALL(ExReleasePushLockExclusiveEx);
    push_release(PushLock, PUSH_EXCLUSIVE, &call);
}

VOID NTAPI ExReleasePushLockSharedEx(PEX_PUSH_LOCK PushLock, ULONG Flags)
{
    struct export_call call = NT_EXPORT_CALL(ExReleasePushLockSharedEx);
    push_release(PushLock, PUSH_SHARED, &call);
}

/* ---- Rundown protection ---------------------------------------------------------------------- */

/* The word: bit 0 says that the rundown has begun, the rest counts protections in steps of 2. */
#define RUNDOWN_ACTIVE ((ULONG_PTR)1)
#define RUNDOWN_ONE    ((ULONG_PTR)2)

VOID NTAPI ExInitializeRundownProtection(PEX_RUNDOWN_REF RunRef)
{
    NT_EXPORT_ENTER(ExInitializeRundownProtection);
    RunRef->Count = 0;
}

BOOLEAN NTAPI ExAcquireRundownProtection(PEX_RUNDOWN_REF RunRef)
{
    NT_EXPORT_ENTER(ExAcquireRundownProtection);
    if (RunRef->Count & RUNDOWN_ACTIVE) {
        return FALSE;
    }
    RunRef->Count += RUNDOWN_ONE;
    return TRUE;
}

VOID NTAPI ExReleaseRundownProtection(PEX_RUNDOWN_REF RunRef)
{
    struct export_call call = NT_EXPORT_CALL(ExReleaseRundownProtection);

    if (RunRef->Count < RUNDOWN_ONE) {
        misuse(NT_MISUSE_LOCK_OWNER, &call, "releases a protection that nobody holds");
        return;
    }
    RunRef->Count -= RUNDOWN_ONE;
    if (RunRef->Count == RUNDOWN_ACTIVE) {
        address_wake_all(RunRef);
    }
}

VOID NTAPI ExWaitForRundownProtectionRelease(PEX_RUNDOWN_REF RunRef)
{
    NT_EXPORT_ENTER(ExWaitForRundownProtectionRelease);
    RunRef->Count |= RUNDOWN_ACTIVE;
    while (RunRef->Count != RUNDOWN_ACTIVE) {
        address_wait(RunRef, MACHINE_NEVER);
    }
}

VOID NTAPI ExReInitializeRundownProtection(PEX_RUNDOWN_REF RunRef)
{
    NT_EXPORT_ENTER(ExReInitializeRundownProtection);
    RunRef->Count = 0;
}

VOID NTAPI ExRundownCompleted(PEX_RUNDOWN_REF RunRef)
{
    NT_EXPORT_ENTER(ExRundownCompleted);
    RunRef->Count = RUNDOWN_ACTIVE;
}
