/* nt/lock_order.c: locks of the driver that are taken in both orders.
 *
 *   a thread takes B while it holds A    noted: A before B, who did it and where
 *   another takes A while it holds B     told, if the two can run at the same time
 *
 * Driver Verifier's deadlock detection does the same. Nobody has to wait for it to be found. It is
 * no finding where something keeps the two apart: a third lock that both hold, a threading level,
 * one thread. Mutexes are counted for a thread, which takes them at APC_LEVEL or below; spin locks
 * for a CPU, at DISPATCH_LEVEL, where nothing else of that level comes between. */
#include "nt/internal.h"

#include <string.h>

#define HOLDERS_MAX 64
#define HELD_MAX    8
#define ORDERS_MAX  256
#define SEEN_MAX    4

/* Memory that was freed and is another lock now has another serial. */
struct lock {
    const void *address;
    uint64_t serial;
};

struct held {
    struct lock lock;
    struct nt_origin from;
};

struct holder {
    uintptr_t who; /* a thread, or a CPU; 0: the place is free */
    unsigned count;
    struct held held[HELD_MAX];
};

struct seen {
    struct nt_standing standing;
    struct nt_origin first, second; /* where the two were taken */
    struct lock others[HELD_MAX];   /* that were held besides */
    unsigned other_count;
};

struct order {
    struct lock first, second;
    unsigned seen_count;
    bool told;
    struct seen seen[SEEN_MAX];
};

static struct holder holders[HOLDERS_MAX];
static struct order orders[ORDERS_MAX];
static unsigned order_count;

void lock_order_stop(void)
{
    memset(holders, 0, sizeof holders);
    memset(orders, 0, sizeof orders);
    order_count = 0;
}

static bool same(struct lock a, struct lock b)
{
    return a.address == b.address && a.serial == b.serial;
}

static struct lock lock_at(const void *address)
{
    struct nt_pool_block block;

    return (struct lock){address, nt_pool_find(address, &block) ? block.serial : 0};
}

static uintptr_t who_holds(enum lock_kind kind)
{
    return kind == LOCK_SPIN ? cpu_current() + 1u : (uintptr_t)thread_current();
}

/* Higher up the lock belongs to interrupts, and what it excludes is not followed. */
static bool is_followed(enum lock_kind kind)
{
    return kind == LOCK_SPIN ? irql_current() == DISPATCH_LEVEL : irql_current() <= APC_LEVEL;
}

static struct holder *holder_of(uintptr_t who, bool make)
{
    struct holder *place = NULL;

    for (unsigned i = 0; i < HOLDERS_MAX; i++) {
        if (holders[i].who == who) {
            return &holders[i];
        }
        place = !place && holders[i].who == 0 ? &holders[i] : place;
    }
    if (make && place) {
        *place = (struct holder){.who = who};
    }
    return make ? place : NULL;
}

/* ---- Who can run beside whom ----------------------------------------------------------------- */

static struct nt_standing standing_now(enum lock_kind kind)
{
    struct nt_standing standing = {.called = false};

    if (nt_hooks.standing) {
        nt_hooks.standing(nt_hooks.ctx, &standing);
    }
    if (!standing.called && kind == LOCK_MUTEX) {
        standing.thread = thread_current()->id;
    }
    return standing;
}

static bool can_meet(const struct nt_standing *a, const struct nt_standing *b)
{
    if (a->alone || b->alone) {
        return false;
    }
    if (!a->called && !b->called) {
        return a->thread && b->thread && a->thread != b->thread;
    }
    return !(a->called && b->called) ||
           (!(a->level && a->level == b->level) && !(a->process && a->process == b->process));
}

static bool have_common(const struct seen *a, const struct seen *b)
{
    for (unsigned i = 0; i < a->other_count; i++) {
        for (unsigned j = 0; j < b->other_count; j++) {
            if (same(a->others[i], b->others[j])) {
                return true;
            }
        }
    }
    return false;
}

/* ---- Orders ---------------------------------------------------------------------------------- */

static struct order *order_of(struct lock first, struct lock second, bool make)
{
    for (unsigned i = 0; i < order_count; i++) {
        if (same(orders[i].first, first) && same(orders[i].second, second)) {
            return &orders[i];
        }
    }
    if (!make || order_count == ORDERS_MAX) {
        return NULL;
    }
    orders[order_count] = (struct order){.first = first, .second = second};
    return &orders[order_count++];
}

void lock_order_forget(const void *address)
{
    for (unsigned i = order_count; i-- > 0;) {
        if (orders[i].first.address == address || orders[i].second.address == address) {
            orders[i] = orders[--order_count];
        }
    }
}

static bool stand_alike(const struct nt_standing *a, const struct nt_standing *b)
{
    return a->called == b->called && a->alone == b->alone && a->level == b->level &&
           a->process == b->process && a->thread == b->thread;
}

/* Each further lock of the one is held by the other, too. */
static bool holds_no_more(const struct seen *one, const struct seen *other)
{
    unsigned found = 0;

    for (unsigned i = 0; i < one->other_count; i++) {
        for (unsigned j = 0; j < other->other_count; j++) {
            found += same(one->others[i], other->others[j]);
        }
    }
    return found == one->other_count;
}

/* With as few further locks as it was ever seen. */
static void note(struct order *order, const struct seen *seen)
{
    for (unsigned i = 0; i < order->seen_count; i++) {
        struct seen *known = &order->seen[i];
        if (!stand_alike(&known->standing, &seen->standing)) {
            continue;
        }
        if (holds_no_more(known, seen)) {
            return;
        }
        if (holds_no_more(seen, known)) {
            *known = *seen;
            return;
        }
    }
    if (order->seen_count < SEEN_MAX) {
        order->seen[order->seen_count++] = *seen;
    }
}

static void tell(const struct seen *now, const struct seen *before, const struct export_call *call)
{
    char here[NT_ORIGIN_MAX], there[NT_ORIGIN_MAX];

    nt_origin_text(&now->first, here, sizeof here);
    nt_origin_text(&before->second, there, sizeof there);
    misuse(NT_MISUSE_LOCK_ORDER, call,
           "takes a lock while it holds the one taken at %s; the other way round at %s: two "
           "threads that meet there wait for ever",
           here, there);
}

static void look(struct order *order, const struct seen *now, const struct export_call *call)
{
    struct order *reverse = order_of(order->second, order->first, false);

    for (unsigned i = 0; reverse && !reverse->told && i < reverse->seen_count; i++) {
        const struct seen *before = &reverse->seen[i];
        if (can_meet(&before->standing, &now->standing) && !have_common(before, now)) {
            reverse->told = order->told = true;
            tell(now, before, call);
        }
    }
}

/* All that are held but one. */
static void add_others(struct seen *seen, const struct holder *holder, unsigned except)
{
    for (unsigned i = 0; i < holder->count; i++) {
        if (i != except) {
            seen->others[seen->other_count++] = holder->held[i].lock;
        }
    }
}

void lock_order_take(enum lock_kind kind, const void *address, bool waits,
                     const struct export_call *call)
{
    const struct nt_origin from = origin_of(call->caller);
    struct holder *holder = is_followed(kind) ? holder_of(who_holds(kind), true) : NULL;

    if (!holder || holder->count == HELD_MAX) {
        return;
    }
    const struct lock lock = lock_at(address);
    for (unsigned i = 0; waits && i < holder->count; i++) {
        struct order *order = order_of(holder->held[i].lock, lock, true);
        struct seen seen = {
            .standing = standing_now(kind), .first = holder->held[i].from, .second = from};
        add_others(&seen, holder, i);
        if (order) {
            look(order, &seen, call);
            note(order, &seen);
        }
    }
    holder->held[holder->count++] = (struct held){lock, from};
}

void lock_order_drop(enum lock_kind kind, const void *address)
{
    struct holder *holder = holder_of(who_holds(kind), false);

    for (unsigned i = holder ? holder->count : 0; i > 0; i--) {
        if (holder->held[i - 1].lock.address == address) {
            memmove(&holder->held[i - 1], &holder->held[i],
                    (holder->count - i) * sizeof holder->held[0]);
            holder->count--;
            break;
        }
    }
    if (holder && holder->count == 0) {
        holder->who = 0;
    }
}
