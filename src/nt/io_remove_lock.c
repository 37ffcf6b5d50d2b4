/* nt/io_remove_lock.c: remove locks: a device goes when the last who uses it has let go.
 *
 * The count is in the driver's structure, as on Windows; who holds it under which tag is kept here,
 * so that a release that belongs to no acquisition is told. */
#include "nt/internal.h"

#include <stdlib.h>

struct held {
    struct list link;
    const IO_REMOVE_LOCK *lock;
    const void *tag;
    struct nt_origin from;
};

static struct list held_locks = {&held_locks, &held_locks};

/* The newest acquisition under that tag; NULL if there is none. */
static struct held *held_find(const IO_REMOVE_LOCK *lock, const void *tag)
{
    for (struct list *link = held_locks.prev; link != &held_locks; link = link->prev) {
        struct held *held = container_of(link, struct held, link);
        if (held->lock == lock && held->tag == tag) {
            return held;
        }
    }
    return NULL;
}

static void held_free(struct held *held)
{
    list_remove(&held->link);
    free(held);
}

static void forget(const IO_REMOVE_LOCK *lock)
{
    list_for_each_safe (link, &held_locks) {
        struct held *held = container_of(link, struct held, link);
        if (held->lock == lock) {
            held_free(held);
        }
    }
}

void remove_lock_stop(void)
{
    list_for_each_safe (link, &held_locks) {
        held_free(container_of(link, struct held, link));
    }
}

void remove_lock_leaks(struct leak_visitor *visitor)
{
    list_for_each (link, &held_locks) {
        const struct held *held = container_of(link, struct held, link);
        char where[NT_ORIGIN_MAX];
        nt_origin_text(&held->from, where, sizeof(where));
        leak(visitor, "remove lock", "still held, acquired at %s", where);
    }
}

static bool is_lock(const IO_REMOVE_LOCK *lock, ULONG size, const struct export_call *call)
{
    if (size < sizeof(*lock)) {
        misuse(NT_MISUSE_ARGUMENT, call, "a remove lock of %u bytes", size);
        return false;
    }
    if (!lock->Common.RemoveEvent.Header.WaitListHead.Flink) {
        misuse(NT_MISUSE_OBJECT, call, "the remove lock is not initialised or overwritten");
        return false;
    }
    return true;
}

VOID NTAPI IoInitializeRemoveLockEx(PIO_REMOVE_LOCK Lock, ULONG AllocateTag, ULONG MaxLockedMinutes,
                                    ULONG HighWatermark, ULONG RemlockSize)
{
    struct export_call call = NT_EXPORT_CALL(IoInitializeRemoveLockEx);

    if (RemlockSize < sizeof(*Lock)) {
        misuse(NT_MISUSE_ARGUMENT, &call, "a remove lock of %u bytes", RemlockSize);
        return;
    }
    forget(Lock);
    Lock->Common.Removed = FALSE;
    Lock->Common.IoCount = 1; /* until the device is removed */
    dispatcher_init(&Lock->Common.RemoveEvent.Header, DISPATCHER_EVENT_SYNCHRONIZATION,
                    sizeof(KEVENT), 0);
}

/* One use less; the last wakes who removes the device. */
static void let_go(IO_REMOVE_LOCK *lock)
{
    if (--lock->Common.IoCount == 0) {
        nt_event_signal(&lock->Common.RemoveEvent);
    }
}

NTSTATUS NTAPI IoAcquireRemoveLockEx(PIO_REMOVE_LOCK RemoveLock, PVOID Tag, PCSTR File, ULONG Line,
                                     ULONG RemlockSize)
{
    struct export_call call = NT_EXPORT_CALL(IoAcquireRemoveLockEx);
    struct held *held;

    if (!is_lock(RemoveLock, RemlockSize, &call)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (RemoveLock->Common.Removed) {
        return STATUS_DELETE_PENDING;
    }
    held = calloc(1, sizeof(*held));
    CHECK_THAT(held != NULL);
    held->lock = RemoveLock;
    held->tag = Tag;
    held->from = origin_of(call.caller);
    list_push_back(&held_locks, &held->link);
    RemoveLock->Common.IoCount++;
    return STATUS_SUCCESS;
}

static bool release(IO_REMOVE_LOCK *lock, const void *tag, const struct export_call *call)
{
    struct held *held = held_find(lock, tag);

    if (!held) {
        misuse(NT_MISUSE_LOCK_OWNER, call, "the remove lock is not held under the tag %p", tag);
        return false;
    }
    held_free(held);
    let_go(lock);
    return true;
}

VOID NTAPI IoReleaseRemoveLockEx(PIO_REMOVE_LOCK RemoveLock, PVOID Tag, ULONG RemlockSize)
{
    struct export_call call = NT_EXPORT_CALL(IoReleaseRemoveLockEx);

    if (is_lock(RemoveLock, RemlockSize, &call)) {
        release(RemoveLock, Tag, &call);
    }
}

/* The caller holds it once more; nobody else gets it from here on. */
VOID NTAPI IoReleaseRemoveLockAndWaitEx(PIO_REMOVE_LOCK RemoveLock, PVOID Tag, ULONG RemlockSize)
{
    struct export_call call = NT_EXPORT_CALL(IoReleaseRemoveLockAndWaitEx);

    if (!is_lock(RemoveLock, RemlockSize, &call)) {
        return;
    }
    if (RemoveLock->Common.Removed) {
        misuse(NT_MISUSE_LOCK_OWNER, &call, "the device is removed a second time");
        return;
    }
    RemoveLock->Common.Removed = TRUE;
    if (!release(RemoveLock, Tag, &call)) {
        return;
    }
    let_go(RemoveLock);
    if (RemoveLock->Common.IoCount > 0) {
        KeWaitForSingleObject(&RemoveLock->Common.RemoveEvent, Executive, KernelMode, FALSE, NULL);
    }
}
