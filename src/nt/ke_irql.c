/* nt/ke_irql.c: interrupt request levels, spin locks, and the small locks of KE and EX that spin.
 *
 * A driver's KSPIN_LOCK is the machine's lock word. While a CPU holds one its IRQL may not drop
 * below DISPATCH_LEVEL; how many each CPU holds is counted here to see that. */
#include "nt/internal.h"

/* Reader-writer spin lock: the top bit is the writer, the rest counts readers. */
#define RW_WRITER (1 << 30)

static unsigned spin_locks_held[MACHINE_CPU_COUNT_MAX];
/* The level to go back to, plus one, on a CPU that took a ...AtDpcLevel lock below it: the machine
 * insists on DISPATCH_LEVEL, and the mistake is to be reported once. */
static uint8_t forced_from[MACHINE_CPU_COUNT_MAX];

unsigned spin_locks_held_now(void)
{
    return spin_locks_held[cpu_current()];
}

void spin_start(void)
{
    for (unsigned i = 0; i < MACHINE_CPU_COUNT_MAX; i++) {
        spin_locks_held[i] = 0;
        forced_from[i] = 0;
    }
}

/* ---- IRQL ------------------------------------------------------------------------------------ */

static KIRQL raise_to(KIRQL level, const struct export_call *call)
{
    KIRQL now = irql_current();

    if (level < now) {
        misuse(NT_MISUSE_IRQL_ORDER, call, "raises the IRQL from %u to the lower %u", now, level);
        return now;
    }
    if (level > MACHINE_IRQL_HIGH) {
        misuse(NT_MISUSE_ARGUMENT, call, "there is no IRQL %u", level);
        return now;
    }
    return irql_raise(level);
}

static void lower_to(KIRQL level, const struct export_call *call)
{
    KIRQL now = irql_current();

    if (level > now) {
        misuse(NT_MISUSE_IRQL_ORDER, call, "lowers the IRQL from %u to the higher %u", now, level);
        return;
    }
    if (level < DISPATCH_LEVEL && spin_locks_held_now() > 0) {
        misuse(NT_MISUSE_IRQL_ORDER, call, "lowers the IRQL to %u while holding %u spin lock(s)",
               level, spin_locks_held_now());
    }
    irql_lower(level);
}

KIRQL NTAPI KeGetCurrentIrql(VOID)
{
    NT_EXPORT_ENTER(KeGetCurrentIrql);
    return irql_current();
}

KIRQL NTAPI KfRaiseIrql(KIRQL NewIrql)
{
    struct export_call call = NT_EXPORT_CALL(KfRaiseIrql);
    return raise_to(NewIrql, &call);
}

VOID NTAPI KeLowerIrql(KIRQL NewIrql)
{
    struct export_call call = NT_EXPORT_CALL(KeLowerIrql);
    lower_to(NewIrql, &call);
}

KIRQL NTAPI KeRaiseIrqlToDpcLevel(VOID)
{
    struct export_call call = NT_EXPORT_CALL(KeRaiseIrqlToDpcLevel);
    return raise_to(DISPATCH_LEVEL, &call);
}

KIRQL NTAPI KeRaiseIrqlToSynchLevel(VOID)
{
    struct export_call call = NT_EXPORT_CALL(KeRaiseIrqlToSynchLevel);
    return raise_to(MACHINE_IRQL_DEVICE_FIRST + 7, &call); /* 12 on x64 */
}

SIZE_T NTAPI KeGetEffectiveIrql(VOID)
{
    NT_EXPORT_ENTER(KeGetEffectiveIrql);
    return irql_current();
}

/* ---- Spin locks ------------------------------------------------------------------------------ */

static struct spin_lock *word_of(PKSPIN_LOCK lock)
{
    return (struct spin_lock *)lock;
}

static void acquire(PKSPIN_LOCK lock, const struct export_call *call)
{
    if (*lock > MACHINE_CPU_COUNT_MAX) {
        misuse(NT_MISUSE_ARGUMENT, call, "the spin lock was never initialised or is overwritten");
        *lock = 0;
    }
    if (spin_lock_acquire(word_of(lock)) == SPIN_SELF_DEADLOCK) {
        misuse(NT_MISUSE_SPIN_DEADLOCK, call, "CPU %u already holds this spin lock", cpu_current());
        bugcheck_from(call->caller, SPIN_LOCK_ALREADY_OWNED, (uintptr_t)lock, 0, 0, 0);
    }
    spin_locks_held[cpu_current()]++;
}

static void release(PKSPIN_LOCK lock, const struct export_call *call)
{
    if (!spin_lock_release(word_of(lock))) {
        misuse(NT_MISUSE_SPIN_OWNER, call, "CPU %u does not hold this spin lock", cpu_current());
        return;
    }
    spin_locks_held[cpu_current()]--;
}

/* For the functions that expect DISPATCH_LEVEL already. */
static void require_dispatch(const struct export_call *call)
{
    export_irql_below(call, DISPATCH_LEVEL);
    if (irql_current() < DISPATCH_LEVEL) {
        uint8_t old = irql_raise(DISPATCH_LEVEL);
        forced_from[cpu_current()] = (uint8_t)(old + 1);
    }
}

static void undo_forced(void)
{
    uint8_t old = forced_from[cpu_current()];

    if (old > 0 && spin_locks_held_now() == 0) {
        forced_from[cpu_current()] = 0;
        irql_lower((uint8_t)(old - 1));
    }
}

VOID NTAPI KeInitializeSpinLock(PKSPIN_LOCK SpinLock)
{
    NT_EXPORT_ENTER(KeInitializeSpinLock);
    *SpinLock = 0;
}

KIRQL NTAPI KeAcquireSpinLockRaiseToDpc(PKSPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(KeAcquireSpinLockRaiseToDpc);
    KIRQL old = raise_to(DISPATCH_LEVEL, &call);

    acquire(SpinLock, &call);
    return old;
}

VOID NTAPI KeReleaseSpinLock(PKSPIN_LOCK SpinLock, KIRQL NewIrql)
{
    struct export_call call = NT_EXPORT_CALL(KeReleaseSpinLock);

    export_irql_below(&call, DISPATCH_LEVEL);
    release(SpinLock, &call);
    lower_to(NewIrql, &call);
}

VOID NTAPI KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(KeAcquireSpinLockAtDpcLevel);

    require_dispatch(&call);
    acquire(SpinLock, &call);
}

VOID NTAPI KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(KeReleaseSpinLockFromDpcLevel);

    export_irql_below(&call, DISPATCH_LEVEL);
    release(SpinLock, &call);
    undo_forced();
}

BOOLEAN NTAPI KeTryToAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(KeTryToAcquireSpinLockAtDpcLevel);

    export_irql_below(&call, DISPATCH_LEVEL);
    if (irql_current() < DISPATCH_LEVEL || !spin_lock_try(word_of(SpinLock))) {
        return FALSE;
    }
    spin_locks_held[cpu_current()]++;
    return TRUE;
}

BOOLEAN NTAPI KeTestSpinLock(PKSPIN_LOCK SpinLock)
{
    NT_EXPORT_ENTER(KeTestSpinLock);
    return *SpinLock == 0;
}

/* The queue of a queued lock is not modelled: the handle only remembers lock and IRQL. */
VOID NTAPI KeAcquireInStackQueuedSpinLock(PKSPIN_LOCK SpinLock, PKLOCK_QUEUE_HANDLE LockHandle)
{
    struct export_call call = NT_EXPORT_CALL(KeAcquireInStackQueuedSpinLock);

    LockHandle->LockQueue.Next = NULL;
    LockHandle->LockQueue.Lock = SpinLock;
    LockHandle->OldIrql = raise_to(DISPATCH_LEVEL, &call);
    acquire(SpinLock, &call);
}

VOID NTAPI KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE LockHandle)
{
    struct export_call call = NT_EXPORT_CALL(KeReleaseInStackQueuedSpinLock);

    export_irql_below(&call, DISPATCH_LEVEL);
    release(LockHandle->LockQueue.Lock, &call);
    lower_to(LockHandle->OldIrql, &call);
}

VOID NTAPI KeAcquireInStackQueuedSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock,
                                                    PKLOCK_QUEUE_HANDLE LockHandle)
{
    struct export_call call = NT_EXPORT_CALL(KeAcquireInStackQueuedSpinLockAtDpcLevel);

    require_dispatch(&call);
    LockHandle->LockQueue.Next = NULL;
    LockHandle->LockQueue.Lock = SpinLock;
    acquire(SpinLock, &call);
}

VOID NTAPI KeReleaseInStackQueuedSpinLockFromDpcLevel(PKLOCK_QUEUE_HANDLE LockHandle)
{
    struct export_call call = NT_EXPORT_CALL(KeReleaseInStackQueuedSpinLockFromDpcLevel);

    export_irql_below(&call, DISPATCH_LEVEL);
    release(LockHandle->LockQueue.Lock, &call);
    undo_forced();
}

/* ---- Reader-writer spin locks ---------------------------------------------------------------- */

/* How long one turn of a spinning CPU takes; only that time passes matters. */
#define SPIN_NS 100

KIRQL NTAPI ExAcquireSpinLockShared(PEX_SPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(ExAcquireSpinLockShared);
    KIRQL old = raise_to(DISPATCH_LEVEL, &call);

    while (*SpinLock & RW_WRITER) {
        machine_spend(SPIN_NS);
    }
    ++*SpinLock;
    spin_locks_held[cpu_current()]++;
    return old;
}

VOID NTAPI ExReleaseSpinLockShared(PEX_SPIN_LOCK SpinLock, KIRQL OldIrql)
{
    struct export_call call = NT_EXPORT_CALL(ExReleaseSpinLockShared);

    if ((*SpinLock & ~RW_WRITER) == 0) {
        misuse(NT_MISUSE_SPIN_OWNER, &call, "nobody holds this lock shared");
    } else {
        --*SpinLock;
        spin_locks_held[cpu_current()]--;
    }
    lower_to(OldIrql, &call);
}

KIRQL NTAPI ExAcquireSpinLockExclusive(PEX_SPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(ExAcquireSpinLockExclusive);
    KIRQL old = raise_to(DISPATCH_LEVEL, &call);

    while (*SpinLock != 0) {
        machine_spend(SPIN_NS);
    }
    *SpinLock = RW_WRITER;
    spin_locks_held[cpu_current()]++;
    return old;
}

VOID NTAPI ExReleaseSpinLockExclusive(PEX_SPIN_LOCK SpinLock, KIRQL OldIrql)
{
    struct export_call call = NT_EXPORT_CALL(ExReleaseSpinLockExclusive);

    if (*SpinLock != RW_WRITER) {
        misuse(NT_MISUSE_SPIN_OWNER, &call, "nobody holds this lock exclusive");
    } else {
        *SpinLock = 0;
        spin_locks_held[cpu_current()]--;
    }
    lower_to(OldIrql, &call);
}
