/* nt/ex_list.c: lists under a spin lock, sequenced lists, look-aside lists. */
#include "nt/internal.h"

/* ---- Lists under a spin lock ----------------------------------------------------------------- */

/* The lock is held for a few instructions without a point that may switch, so that it is enough to
 * look whether somebody else holds it. */
static void check_lock(const KSPIN_LOCK *lock, const struct export_call *call)
{
    if (*lock != 0 && *lock == (KSPIN_LOCK)cpu_current() + 1) {
        misuse(NT_MISUSE_SPIN_DEADLOCK, call, "CPU %u already holds the list's lock",
               cpu_current());
    }
}

/* Spins at HIGH_LEVEL, as these functions may be called from interrupts. */
static uint8_t take(PKSPIN_LOCK lock, const struct export_call *call)
{
    uint8_t old = irql_current();

    if (old < MACHINE_IRQL_HIGH) {
        irql_raise(MACHINE_IRQL_HIGH);
    }
    check_lock(lock, call);
    if (task_self()) {
        spin_lock_acquire((struct spin_lock *)lock);
    }
    return old;
}

static void drop(PKSPIN_LOCK lock, uint8_t old)
{
    if (task_self()) {
        spin_lock_release((struct spin_lock *)lock);
    }
    if (old < MACHINE_IRQL_HIGH) {
        irql_lower(old);
    }
}

static PLIST_ENTRY entry_or_null(const LIST_ENTRY *head, PLIST_ENTRY entry)
{
    return entry == head ? NULL : entry;
}

PLIST_ENTRY NTAPI ExInterlockedInsertHeadList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry,
                                              PKSPIN_LOCK Lock)
{
    struct export_call call = NT_EXPORT_CALL(ExInterlockedInsertHeadList);
    uint8_t old = take(Lock, &call);
    PLIST_ENTRY before = ListHead->Flink;

    InsertHeadList(ListHead, ListEntry);
    drop(Lock, old);
    return entry_or_null(ListHead, before);
}

PLIST_ENTRY NTAPI ExInterlockedInsertTailList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry,
                                              PKSPIN_LOCK Lock)
{
    struct export_call call = NT_EXPORT_CALL(ExInterlockedInsertTailList);
    uint8_t old = take(Lock, &call);
    PLIST_ENTRY before = ListHead->Blink;

    InsertTailList(ListHead, ListEntry);
    drop(Lock, old);
    return entry_or_null(ListHead, before);
}

PLIST_ENTRY NTAPI ExInterlockedRemoveHeadList(PLIST_ENTRY ListHead, PKSPIN_LOCK Lock)
{
    struct export_call call = NT_EXPORT_CALL(ExInterlockedRemoveHeadList);
    uint8_t old = take(Lock, &call);
    PLIST_ENTRY entry = IsListEmpty(ListHead) ? NULL : RemoveHeadList(ListHead);

    drop(Lock, old);
    return entry;
}

PSINGLE_LIST_ENTRY NTAPI ExInterlockedPushEntryList(PSINGLE_LIST_ENTRY ListHead,
                                                    PSINGLE_LIST_ENTRY ListEntry, PKSPIN_LOCK Lock)
{
    struct export_call call = NT_EXPORT_CALL(ExInterlockedPushEntryList);
    uint8_t old = take(Lock, &call);
    PSINGLE_LIST_ENTRY before = ListHead->Next;

    PushEntryList(ListHead, ListEntry);
    drop(Lock, old);
    return before;
}

PSINGLE_LIST_ENTRY NTAPI ExInterlockedPopEntryList(PSINGLE_LIST_ENTRY ListHead, PKSPIN_LOCK Lock)
{
    struct export_call call = NT_EXPORT_CALL(ExInterlockedPopEntryList);
    uint8_t old = take(Lock, &call);
    PSINGLE_LIST_ENTRY entry = PopEntryList(ListHead);

    drop(Lock, old);
    return entry;
}

LARGE_INTEGER NTAPI ExInterlockedAddLargeInteger(PLARGE_INTEGER Addend, LARGE_INTEGER Increment,
                                                 PKSPIN_LOCK Lock)
{
    LARGE_INTEGER before;

    NT_EXPORT_ENTER(ExInterlockedAddLargeInteger);
    before.QuadPart = __atomic_fetch_add(&Addend->QuadPart, Increment.QuadPart, __ATOMIC_SEQ_CST);
    return before;
}

ULONG NTAPI ExInterlockedAddUlong(PULONG Addend, ULONG Increment, PKSPIN_LOCK Lock)
{
    NT_EXPORT_ENTER(ExInterlockedAddUlong);
    return __atomic_fetch_add(Addend, Increment, __ATOMIC_SEQ_CST);
}

/* ---- Sequenced lists ------------------------------------------------------------------------- */

/* HeaderX64.NextEntry holds the entry's address divided by 16. */
static PSLIST_ENTRY slist_first(const SLIST_HEADER *head)
{
    return (PSLIST_ENTRY)(uintptr_t)(head->HeaderX64.NextEntry << 4);
}

static void slist_set(PSLIST_HEADER head, const void *first, int depth_change)
{
    head->HeaderX64.NextEntry = (uintptr_t)first >> 4;
    head->HeaderX64.Depth = (USHORT)(head->HeaderX64.Depth + depth_change);
    head->HeaderX64.Sequence++;
}

VOID NTAPI InitializeSListHead(PSLIST_HEADER SListHead)
{
    NT_EXPORT_ENTER(InitializeSListHead);
    SListHead->Alignment = SListHead->Region = 0;
}

PSLIST_ENTRY NTAPI ExpInterlockedPushEntrySList(PSLIST_HEADER ListHead, PSLIST_ENTRY ListEntry)
{
    struct export_call call = NT_EXPORT_CALL(ExpInterlockedPushEntrySList);
    PSLIST_ENTRY before = slist_first(ListHead);

    if ((uintptr_t)ListEntry % 16) {
        misuse(NT_MISUSE_ARGUMENT, &call, "an entry that is not aligned to 16 bytes");
        raise_status(STATUS_DATATYPE_MISALIGNMENT);
    }
    ListEntry->Next = before;
    slist_set(ListHead, ListEntry, 1);
    return before;
}

PSLIST_ENTRY NTAPI ExpInterlockedPopEntrySList(PSLIST_HEADER ListHead)
{
    PSLIST_ENTRY first;

    NT_EXPORT_ENTER(ExpInterlockedPopEntrySList);
    first = slist_first(ListHead);
    if (first) {
        slist_set(ListHead, first->Next, -1);
    }
    return first;
}

PSLIST_ENTRY NTAPI ExpInterlockedFlushSList(PSLIST_HEADER ListHead)
{
    PSLIST_ENTRY first;

    NT_EXPORT_ENTER(ExpInterlockedFlushSList);
    first = slist_first(ListHead);
    slist_set(ListHead, NULL, -(int)ListHead->HeaderX64.Depth);
    return first;
}

USHORT NTAPI ExQueryDepthSList(PSLIST_HEADER SListHead)
{
    NT_EXPORT_ENTER(ExQueryDepthSList);
    return (USHORT)SListHead->HeaderX64.Depth;
}
