/* nt/ex_spin_lock.c: reader-writer spin locks.
 *
 * The lock is one word of the driver's, which counts holders and does not name them. Who holds what
 * is kept here for each CPU: a holder is above APC_LEVEL and does not change its CPU. */
#include "nt/internal.h"

#include <string.h>

#define RW_WRITER (1 << 30) /* the rest counts readers */
#define SPIN_NS   100       /* one turn of a spinning CPU; only that time passes matters */
#define HELD_MAX  16        /* of one CPU; what is beyond is not judged */

struct held {
    PEX_SPIN_LOCK lock;
    bool exclusive;
};

static struct holder {
    struct held held[HELD_MAX];
    unsigned count, untold; /* locks; those that found no room */
} holders[MACHINE_CPU_COUNT_MAX];

void ex_spin_start(void)
{
    memset(holders, 0, sizeof(holders));
}

static struct held *held_here(PEX_SPIN_LOCK lock)
{
    struct holder *self = &holders[cpu_current()];

    for (unsigned i = self->count; i > 0; i--) {
        if (self->held[i - 1].lock == lock) {
            return &self->held[i - 1];
        }
    }
    return NULL;
}

static void took(PEX_SPIN_LOCK lock, bool exclusive)
{
    struct holder *self = &holders[cpu_current()];

    spin_locks_count(1);
    if (self->count == HELD_MAX) {
        self->untold++;
        return;
    }
    self->held[self->count++] = (struct held){lock, exclusive};
}

/* False if this CPU does not hold it that way. */
static bool gave(PEX_SPIN_LOCK lock, bool exclusive)
{
    struct holder *self = &holders[cpu_current()];
    struct held *held = held_here(lock);

    if (held && held->exclusive == exclusive) {
        *held = self->held[--self->count];
    } else if (!held && self->untold > 0) {
        self->untold--;
    } else {
        return false;
    }
    spin_locks_count(-1);
    return true;
}

static _Noreturn void deadlock(PEX_SPIN_LOCK lock, const struct export_call *call)
{
    misuse(NT_MISUSE_SPIN_DEADLOCK, call, "CPU %u already holds this reader-writer spin lock",
           cpu_current());
    bugcheck_from(call->caller, SPIN_LOCK_ALREADY_OWNED, (uintptr_t)lock, 0, 0, 0);
}

static bool held_by_any(PEX_SPIN_LOCK lock)
{
    for (unsigned cpu = 0; cpu < MACHINE_CPU_COUNT_MAX; cpu++) {
        const struct holder *holder = &holders[cpu];
        for (unsigned i = 0; i < holder->count; i++) {
            if (holder->held[i].lock == lock) {
                return true;
            }
        }
        if (holder->untold > 0) {
            return true;
        }
    }
    return false;
}

static void acquire(PEX_SPIN_LOCK lock, bool exclusive, const struct export_call *call)
{
    const struct held *held = held_here(lock);
    LONG against = exclusive ? ~0 : RW_WRITER;

    if (*lock & against && !held_by_any(lock)) {
        misuse(NT_MISUSE_ARGUMENT, call, "the spin lock was never initialised or is overwritten");
        *lock = 0;
    }

    if (held && (exclusive || held->exclusive)) {
        deadlock(lock, call);
    }
    while (*lock & against) {
        machine_spend(SPIN_NS);
    }
    *lock = exclusive ? RW_WRITER : *lock + 1;
    took(lock, exclusive);
}

static void release(PEX_SPIN_LOCK lock, bool exclusive, const struct export_call *call)
{
    if (!gave(lock, exclusive)) {
        misuse(NT_MISUSE_SPIN_OWNER, call, "CPU %u does not hold this lock %s", cpu_current(),
               exclusive ? "exclusive" : "shared");
        return;
    }
    *lock = exclusive ? 0 : *lock - 1;
}

KIRQL NTAPI ExAcquireSpinLockShared(PEX_SPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(ExAcquireSpinLockShared);
    KIRQL old = spin_raise(DISPATCH_LEVEL, &call);

    acquire(SpinLock, false, &call);
    return old;
}

VOID NTAPI ExReleaseSpinLockShared(PEX_SPIN_LOCK SpinLock, KIRQL OldIrql)
{
    struct export_call call = NT_EXPORT_CALL(ExReleaseSpinLockShared);

    release(SpinLock, false, &call);
    spin_lower(OldIrql, &call);
}

KIRQL NTAPI ExAcquireSpinLockExclusive(PEX_SPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(ExAcquireSpinLockExclusive);
    KIRQL old = spin_raise(DISPATCH_LEVEL, &call);

    acquire(SpinLock, true, &call);
    return old;
}

VOID NTAPI ExReleaseSpinLockExclusive(PEX_SPIN_LOCK SpinLock, KIRQL OldIrql)
{
    struct export_call call = NT_EXPORT_CALL(ExReleaseSpinLockExclusive);

    release(SpinLock, true, &call);
    spin_lower(OldIrql, &call);
}

VOID NTAPI ExAcquireSpinLockSharedAtDpcLevel(PEX_SPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(ExAcquireSpinLockSharedAtDpcLevel);

    spin_require_dispatch(&call);
    acquire(SpinLock, false, &call);
}

VOID NTAPI ExReleaseSpinLockSharedFromDpcLevel(PEX_SPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(ExReleaseSpinLockSharedFromDpcLevel);

    export_irql_below(&call, DISPATCH_LEVEL);
    release(SpinLock, false, &call);
    spin_undo_dispatch();
}

VOID NTAPI ExAcquireSpinLockExclusiveAtDpcLevel(PEX_SPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(ExAcquireSpinLockExclusiveAtDpcLevel);

    spin_require_dispatch(&call);
    acquire(SpinLock, true, &call);
}

VOID NTAPI ExReleaseSpinLockExclusiveFromDpcLevel(PEX_SPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(ExReleaseSpinLockExclusiveFromDpcLevel);

    export_irql_below(&call, DISPATCH_LEVEL);
    release(SpinLock, true, &call);
    spin_undo_dispatch();
}

/* Nonzero if this CPU was the only reader and is the writer now. */
LOGICAL NTAPI ExTryConvertSharedSpinLockExclusive(PEX_SPIN_LOCK SpinLock)
{
    struct export_call call = NT_EXPORT_CALL(ExTryConvertSharedSpinLockExclusive);
    struct held *held = held_here(SpinLock);

    if (!held || held->exclusive) {
        misuse(NT_MISUSE_SPIN_OWNER, &call, "CPU %u does not hold this lock shared", cpu_current());
        return FALSE;
    }
    if (*SpinLock != 1) {
        return FALSE;
    }
    *SpinLock = RW_WRITER;
    held->exclusive = true;
    return TRUE;
}
