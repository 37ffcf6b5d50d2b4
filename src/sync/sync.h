/* sync: what work waits for. Fences, semaphores, mutexes, notifications; waits of CPUs and queues.
 *
 * Terms. An *object* is signalled and waited for. A *wait* is one party that waits for one or
 * several objects, for all of them in turn or for any of them; each of its *items* names an object
 * and the value it needs. When the wait ends, its done() runs on whoever signalled: a scheduler's
 * queue goes on, a client's event is set, a blocked task wakes.
 *
 *      sync_wait_begin ──> satisfied at once (true: done() is not called)
 *            │
 *            └──> pending ── sync_signal, sync_object_lose ──> done(STATUS_SUCCESS)
 *                    │  └── sync_object_fini ──────────────> done(status given there)
 *                    └── sync_wait_cancel ──> withdrawn, done() is not called
 *
 *      kind          signal(value)               an item is satisfied when         and then
 *      FENCE         value becomes `value`       value >= item's value             stays
 *      MUTEX         released                    nobody owns it                    owned
 *      SEMAPHORE     count + 1, up to the limit  count > 0                         count - 1
 *      NOTIFICATION  calls notify(); not waited for
 *
 * Signalling cannot fail. Waiters of a fence stand in a tree by value, those of the other kinds in
 * order of arrival: a signal touches only the waits that it ends. A wait for all takes its items in
 * their order and keeps what it has; a fence that was satisfied once counts, wherever it goes
 * later.
 *
 * A fence's value may live in memory that a GPU writes (sync_fence_attach). Nobody tells then;
 * sync_fence_poll() looks, and is called whenever work that may have written it has completed.
 *
 * Ownership: objects, waits and items are the caller's memory; items and wait stay until the wait
 * has ended. Locking: one lock for a domain (rank SYNC). done() and notify() run without it, so
 * they may signal and begin waits. They may run at DISPATCH_LEVEL, on the signaller's stack: hold
 * no lock that they take. */
#ifndef SYNC_SYNC_H
#define SYNC_SYNC_H

#include <bsd/sys/tree.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/status.h"
#include "machine/machine.h"

/* The value of a fence whose signaller is lost: every wait for it is over. */
#define SYNC_VALUE_LOST UINT64_MAX

struct sync_wait;
struct sync_object;

/* The lock that a family of objects shares, so that a wait may span them. */
struct sync_domain {
    struct mutex lock;
    struct list changed GUARDED_BY(lock); /* watched fences, since they were told last */
    uint64_t sequence GUARDED_BY(lock);   /* of items, for order of arrival */
};

enum sync_kind { SYNC_FENCE, SYNC_MUTEX, SYNC_SEMAPHORE, SYNC_NOTIFICATION };

/* One object that a wait needs. The caller sets object and value. */
struct sync_item {
    struct sync_object *object;
    uint64_t value; /* FENCE: satisfied at this value; others: ignored */

    struct sync_wait *wait;    /* the rest is sync's */
    RB_ENTRY(sync_item) entry; /* in a fence's tree */
    struct list link;          /* in the other kinds' queue */
    uint64_t sequence;
    bool parked;
};
RB_HEAD(sync_item_tree, sync_item);

/* One party that waits. Zeroed by its owner before the first use; may be used again after it ended.
 */
struct sync_wait {
    struct sync_item *items;
    unsigned item_count;
    bool any; /* one item is enough */
    /* Once for each wait that began and was not satisfied at once or cancelled. No lock is held;
     * the wait may be freed or begun again inside. */
    void (*done)(struct sync_wait *wait, NTSTATUS status);

    unsigned item_index; /* WAIT ANY: which item ended it. Otherwise the item that is awaited */
    struct sync_domain *domain; /* the rest is sync's */
    struct list link;           /* in the list of ended waits, until done() is called */
    NTSTATUS status;
    bool pending;
};

struct sync_object {
    struct sync_domain *domain; /* fixed at init */
    enum sync_kind kind;
    uint32_t number;                                            /* in the record */
    uint64_t limit;                                             /* SEMAPHORE: highest count */
    void (*notify)(struct sync_object *object, uint64_t value); /* NOTIFICATION */

    volatile uint64_t *memory;             /* FENCE: where the value is; &own unless attached */
    uint64_t own GUARDED_BY(domain->lock); /* FENCE: value. MUTEX: 1 owned. SEMAPHORE: count */
    bool lost GUARDED_BY(domain->lock);
    struct sync_item_tree by_value GUARDED_BY(domain->lock); /* FENCE: parked items */
    struct list queue GUARDED_BY(domain->lock);              /* others: parked items */
    /* FENCE: sync_fence_watch(). */
    void (*watch)(struct sync_object *object, uint64_t monitored);
    uint64_t watched GUARDED_BY(domain->lock); /* told last */
    struct list watch_link GUARDED_BY(domain->lock);
};

void sync_domain_init(struct sync_domain *domain);
void sync_domain_fini(struct sync_domain *domain);

void sync_fence_init(struct sync_object *object, struct sync_domain *domain, uint64_t value);
void sync_mutex_init(struct sync_object *object, struct sync_domain *domain, bool owned);
/* The first count is cut to the limit. */
void sync_semaphore_init(struct sync_object *object, struct sync_domain *domain, uint64_t count,
                         uint64_t limit);
void sync_notification_init(struct sync_object *object, struct sync_domain *domain,
                            void (*notify)(struct sync_object *object, uint64_t value));
/* Ends every wait for the object with status, an error. Accepts a zeroed object. */
void sync_object_fini(struct sync_object *object, NTSTATUS status);

/* The fence's value lives at memory from now on, 8-byte aligned, and is stored there at once. NULL:
 * in the object again, with the value it had. */
void sync_fence_attach(struct sync_object *object, uint64_t *memory);
uint64_t sync_fence_value(struct sync_object *object);
bool sync_fence_reached(struct sync_object *object, uint64_t value);
/* The least value that somebody waits for, less one, is told whenever it changes (UINT64_MAX: none
 * is), by sync_watches_tell() and at the end of each call here that may run done(): without the
 * lock, wherever done() may run. NULL: not any more. */
void sync_fence_watch(struct sync_object *object,
                      void (*watch)(struct sync_object *object, uint64_t monitored));
/* It is to be told again, whatever it was told last. */
void sync_fence_watch_anew(struct sync_object *object);
/* What changed by sync_wait_begin() and sync_wait_cancel(), whose callers may hold locks. */
void sync_watches_tell(struct sync_domain *domain);
bool sync_watches_changed(struct sync_domain *domain); /* is there anything to tell? */
/* Is somebody waiting for a value that it has? Then nobody has looked since it was written. */
bool sync_fence_owes(struct sync_object *object);
/* Ends the waits that the value in memory satisfies by now. */
void sync_fence_poll(struct sync_object *object);

/* See the table above. A lost fence keeps SYNC_VALUE_LOST. */
void sync_signal(struct sync_object *object, uint64_t value);
/* The same of a fence whose value somebody else should have written by now: a larger one, which the
 * GPU wrote since, stays. */
void sync_fence_signalled(struct sync_object *object, uint64_t value);
/* Who should signal it never will: a fence gets the maximum value [FENCE-004], a mutex is free and
 * a semaphore grants every wait, now and later. */
void sync_object_lose(struct sync_object *object);

/* Begins to wait. True: satisfied already, done() is not called. Objects of one domain, not
 * NOTIFICATION; no items: satisfied. */
bool MUST_CHECK sync_wait_begin(struct sync_wait *wait);
/* True: withdrawn, done() will not be called. False: it has ended, or done() is about to be called.
 */
bool sync_wait_cancel(struct sync_wait *wait);

/* Blocks the running task until the items are satisfied (STATUS_SUCCESS), the deadline
 * (STATUS_TIMEOUT) or the end of an object. IRQL <= APC_LEVEL. *index: with any, which item; may be
 * NULL. */
NTSTATUS sync_wait_block(struct sync_item *items, unsigned item_count, bool any,
                         uint64_t deadline_ns, unsigned *index);

#endif
