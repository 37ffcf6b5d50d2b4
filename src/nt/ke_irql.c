/* nt/ke_irql.c: interrupt request levels and spin locks.
 *
 * A driver's KSPIN_LOCK is the machine's lock word. While a CPU holds one its IRQL may not drop
 * below DISPATCH_LEVEL; how many each CPU holds is counted here to see that. */
#include "nt/internal.h"

#include <string.h>

/* How a lock was last taken: on Windows the word of a queued one is a pointer to its queue, which
 * the plain routines take for a lock that is held. The word has no room to say so here, and a
 * driver may have any number of locks: a table by hash keeps the latest. */
#define KIND_SLOTS 256u

static struct spin_kind {
    PKSPIN_LOCK lock;
    uint64_t serial; /* of the pool block that it lies in: another one there is another lock */
    bool queued;
} kinds[KIND_SLOTS];

static unsigned spin_locks_held[MACHINE_CPU_COUNT_MAX];
/* The level to go back to, plus one, on a CPU that took a ...AtDpcLevel lock below it: the machine
 * insists on DISPATCH_LEVEL, and the mistake is to be reported once. */
static uint8_t forced_from[MACHINE_CPU_COUNT_MAX];

unsigned spin_locks_held_now(void)
{
    return spin_locks_held[cpu_current()];
}

void spin_locks_count(int change)
{
    spin_locks_held[cpu_current()] += (unsigned)change;
}

void spin_start(void)
{
    memset(kinds, 0, sizeof(kinds));
    for (unsigned i = 0; i < MACHINE_CPU_COUNT_MAX; i++) {
        spin_locks_held[i] = 0;
        forced_from[i] = 0;
    }
}

/* ---- IRQL ------------------------------------------------------------------------------------ */

KIRQL spin_raise(KIRQL level, const struct export_call *call)
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

void spin_lower(KIRQL level, const struct export_call *call)
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
    return spin_raise(NewIrql, &call);
}

VOID NTAPI KeLowerIrql(KIRQL NewIrql)
{
    struct export_call call = NT_EXPORT_CALL(KeLowerIrql);
    spin_lower(NewIrql, &call);
}

KIRQL NTAPI KeRaiseIrqlToDpcLevel(VOID)
{
    struct export_call call = NT_EXPORT_CALL(KeRaiseIrqlToDpcLevel);
    return spin_raise(DISPATCH_LEVEL, &call);
}

KIRQL NTAPI KeRaiseIrqlToSynchLevel(VOID)
{
    struct export_call call = NT_EXPORT_CALL(KeRaiseIrqlToSynchLevel);
    return spin_raise(MACHINE_IRQL_DEVICE_FIRST + 7, &call); /* 12 on x64 */
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

static struct spin_kind *kind_slot(PKSPIN_LOCK lock)
{
    return &kinds[((uintptr_t)lock >> 3 ^ (uintptr_t)lock >> 11) % KIND_SLOTS];
}

static uint64_t block_serial(const void *address)
{
    struct nt_pool_block block;

    return nt_pool_find(address, &block) ? block.serial : 0;
}

/* A lock on a stack is another one in every call. */
static bool on_own_stack(const void *address)
{
    const void *low = NULL, *high = NULL;

    task_stack_bounds(&low, &high);
    return address >= low && address < high;
}

static void check_kind(PKSPIN_LOCK lock, bool queued, const struct export_call *call)
{
    struct spin_kind *slot = kind_slot(lock);

    if (slot->lock == lock && slot->queued == queued) {
        return;
    }
    if (slot->lock == lock && slot->serial == block_serial(lock)) {
        misuse(NT_MISUSE_LOCK_KIND, call,
               "takes a spin lock as %s that is taken as %s elsewhere: use one kind for it",
               queued ? "a queued one" : "a plain one", queued ? "a plain one" : "a queued one");
    }
    if (!on_own_stack(lock)) {
        *slot = (struct spin_kind){lock, block_serial(lock), queued};
    }
}

static void acquire(PKSPIN_LOCK lock, const struct export_call *call)
{
    if (*lock > MACHINE_CPU_COUNT_MAX) {
        misuse(NT_MISUSE_ARGUMENT, call, "the spin lock was never initialised or is overwritten");
        *lock = 0;
    }
    if (!on_own_stack(lock)) {
        lock_order_take(LOCK_SPIN, lock, true, call);
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
    lock_order_drop(LOCK_SPIN, lock);
    spin_locks_held[cpu_current()]--;
}

void spin_require_dispatch(const struct export_call *call)
{
    export_irql_below(call, DISPATCH_LEVEL);
    if (irql_current() < DISPATCH_LEVEL) {
        uint8_t old = irql_raise(DISPATCH_LEVEL);
        forced_from[cpu_current()] = (uint8_t)(old + 1);
    }
}

void spin_undo_dispatch(void)
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
    if (kind_slot(SpinLock)->lock == SpinLock) {
        kind_slot(SpinLock)->lock = NULL;
    }
    lock_order_forget(SpinLock);
    *SpinLock = 0;
}

KIRQL NTAPI KeAcquireSpinLockRaiseToDpc(PKSPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(KeAcquireSpinLockRaiseToDpc);
    KIRQL old = spin_raise(DISPATCH_LEVEL, &call);

    check_kind(SpinLock, false, &call);
    acquire(SpinLock, &call);
    return old;
}

VOID NTAPI KeReleaseSpinLock(PKSPIN_LOCK SpinLock, KIRQL NewIrql)
{
    struct export_call call = NT_EXPORT_CALL(KeReleaseSpinLock);

    export_irql_below(&call, DISPATCH_LEVEL);
    release(SpinLock, &call);
    spin_lower(NewIrql, &call);
}

VOID NTAPI KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(KeAcquireSpinLockAtDpcLevel);

    spin_require_dispatch(&call);
    check_kind(SpinLock, false, &call);
    acquire(SpinLock, &call);
}

VOID NTAPI KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(KeReleaseSpinLockFromDpcLevel);

    export_irql_below(&call, DISPATCH_LEVEL);
    release(SpinLock, &call);
    spin_undo_dispatch();
}

BOOLEAN NTAPI KeTryToAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(KeTryToAcquireSpinLockAtDpcLevel);

    export_irql_below(&call, DISPATCH_LEVEL);
    if (irql_current() < DISPATCH_LEVEL || !spin_lock_try(word_of(SpinLock))) {
        return FALSE;
    }
    lock_order_take(LOCK_SPIN, SpinLock, false, &call);
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
    LockHandle->OldIrql = spin_raise(DISPATCH_LEVEL, &call);
    check_kind(SpinLock, true, &call);
    acquire(SpinLock, &call);
}

VOID NTAPI KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE LockHandle)
{
    struct export_call call = NT_EXPORT_CALL(KeReleaseInStackQueuedSpinLock);

    export_irql_below(&call, DISPATCH_LEVEL);
    release(LockHandle->LockQueue.Lock, &call);
    spin_lower(LockHandle->OldIrql, &call);
}

VOID NTAPI KeAcquireInStackQueuedSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock,
                                                    PKLOCK_QUEUE_HANDLE LockHandle)
{
    struct export_call call = NT_EXPORT_CALL(KeAcquireInStackQueuedSpinLockAtDpcLevel);

    spin_require_dispatch(&call);
    LockHandle->LockQueue.Next = NULL;
    LockHandle->LockQueue.Lock = SpinLock;
    check_kind(SpinLock, true, &call);
    acquire(SpinLock, &call);
}

VOID NTAPI KeReleaseInStackQueuedSpinLockFromDpcLevel(PKLOCK_QUEUE_HANDLE LockHandle)
{
    struct export_call call = NT_EXPORT_CALL(KeReleaseInStackQueuedSpinLockFromDpcLevel);

    export_irql_below(&call, DISPATCH_LEVEL);
    release(LockHandle->LockQueue.Lock, &call);
    spin_undo_dispatch();
}

/* ---- For deferred routines that may run at PASSIVE_LEVEL or at DISPATCH_LEVEL ---------------- */

KIRQL NTAPI KeAcquireSpinLockForDpc(PKSPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(KeAcquireSpinLockForDpc);
    KIRQL old = spin_raise(DISPATCH_LEVEL, &call);

    check_kind(SpinLock, false, &call);
    acquire(SpinLock, &call);
    return old;
}

VOID NTAPI KeReleaseSpinLockForDpc(PKSPIN_LOCK SpinLock, KIRQL OldIrql)
{
    struct export_call call = NT_EXPORT_CALL(KeReleaseSpinLockForDpc);

    export_irql_below(&call, DISPATCH_LEVEL);
    release(SpinLock, &call);
    spin_lower(OldIrql, &call);
}

VOID NTAPI KeAcquireInStackQueuedSpinLockForDpc(PKSPIN_LOCK SpinLock,
                                                PKLOCK_QUEUE_HANDLE LockHandle)
{
    struct export_call call = NT_EXPORT_CALL(KeAcquireInStackQueuedSpinLockForDpc);

    LockHandle->LockQueue.Next = NULL;
    LockHandle->LockQueue.Lock = SpinLock;
    LockHandle->OldIrql = spin_raise(DISPATCH_LEVEL, &call);
    check_kind(SpinLock, true, &call);
    acquire(SpinLock, &call);
}

VOID NTAPI KeReleaseInStackQueuedSpinLockForDpc(PKLOCK_QUEUE_HANDLE LockHandle)
{
    struct export_call call = NT_EXPORT_CALL(KeReleaseInStackQueuedSpinLockForDpc);

    export_irql_below(&call, DISPATCH_LEVEL);
    release(LockHandle->LockQueue.Lock, &call);
    spin_lower(LockHandle->OldIrql, &call);
}
