/* sync/sync.c: objects, the items parked on them, and the waits that end. */
#include "sync/sync.h"

#include "base/record.h"

/* ---- Where parked items stand -------------------------------------------------------------- */

static int compare_items(const struct sync_item *a, const struct sync_item *b)
{
    if (a->value != b->value) {
        return a->value < b->value ? -1 : 1;
    }
    return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

RB_GENERATE_INTERNAL(sync_item_tree, sync_item, entry, compare_items,
                     __attribute__((unused)) static)

static void note_change_locked(struct sync_domain *domain, struct sync_object *object)
    HOLDS(domain->lock)
{
    if (object->watch && list_empty(&object->watch_link)) {
        list_push_back(&domain->changed, &object->watch_link);
    }
}

static void park_locked(struct sync_domain *domain, struct sync_item *item) HOLDS(domain->lock)
{
    struct sync_object *object = item->object;

    item->sequence = domain->sequence++;
    item->parked = true;
    if (object->kind == SYNC_FENCE) {
        RB_INSERT(sync_item_tree, &object->by_value, item);
        note_change_locked(domain, object);
    } else {
        list_push_back(&object->queue, &item->link);
    }
    record_event(EVENT_FENCE_WAIT, object->number, item->value, 0);
}

static void unpark_locked(struct sync_domain *domain, struct sync_item *item) HOLDS(domain->lock)
{
    if (!item->parked) {
        return;
    }
    item->parked = false;
    if (item->object->kind == SYNC_FENCE) {
        RB_REMOVE(sync_item_tree, &item->object->by_value, item);
        note_change_locked(domain, item->object);
    } else {
        list_remove(&item->link);
    }
}

static struct sync_item *first_parked_locked(struct sync_domain *domain, struct sync_object *object)
    HOLDS(domain->lock)
{
    if (object->kind == SYNC_FENCE) {
        return RB_MIN(sync_item_tree, &object->by_value);
    }
    return list_empty(&object->queue) ? NULL
                                      : container_of(object->queue.next, struct sync_item, link);
}

/* ---- What satisfies an item ---------------------------------------------------------------- */

static uint64_t fence_value_locked(struct sync_domain *domain, const struct sync_object *object)
    HOLDS(domain->lock)
{
    return object->lost ? SYNC_VALUE_LOST : __atomic_load_n(object->memory, __ATOMIC_ACQUIRE);
}

/* True if an item with this value is satisfied now; it has what it needed then. */
static bool take_locked(struct sync_domain *domain, struct sync_object *object, uint64_t value)
    HOLDS(domain->lock)
{
    switch (object->kind) {
    case SYNC_FENCE:
        return fence_value_locked(domain, object) >= value;
    case SYNC_MUTEX:
        if (object->own && !object->lost) {
            return false;
        }
        object->own = 1;
        return true;
    case SYNC_SEMAPHORE:
        if (!object->own && !object->lost) {
            return false;
        }
        object->own -= object->own > 0;
        return true;
    case SYNC_NOTIFICATION:
        break;
    }
    CHECK_THAT(!"a notification is not waited for");
    return false;
}

/* ---- Waits --------------------------------------------------------------------------------- */

static void end_wait_locked(struct sync_domain *domain, struct sync_wait *wait, NTSTATUS status,
                            struct list *ended) HOLDS(domain->lock)
{
    for (unsigned i = 0; i < wait->item_count; i++) {
        unpark_locked(domain, &wait->items[i]);
    }
    wait->pending = false;
    wait->status = status;
    list_push_back(ended, &wait->link);
}

/* Takes the items from item_index on until one must be waited for. */
static bool advance_all_locked(struct sync_domain *domain, struct sync_wait *wait)
    HOLDS(domain->lock)
{
    for (; wait->item_index < wait->item_count; wait->item_index++) {
        struct sync_item *item = &wait->items[wait->item_index];

        if (!take_locked(domain, item->object, item->value)) {
            park_locked(domain, item);
            return false;
        }
    }
    return true;
}

static bool begin_any_locked(struct sync_domain *domain, struct sync_wait *wait) HOLDS(domain->lock)
{
    for (unsigned i = 0; i < wait->item_count; i++) {
        if (take_locked(domain, wait->items[i].object, wait->items[i].value)) {
            wait->item_index = i;
            return true;
        }
    }
    for (unsigned i = 0; i < wait->item_count; i++) {
        park_locked(domain, &wait->items[i]);
    }
    return false;
}

/* The parked item has got what it needs. */
static void satisfy_locked(struct sync_domain *domain, struct sync_item *item, struct list *ended)
    HOLDS(domain->lock)
{
    struct sync_wait *wait = item->wait;

    unpark_locked(domain, item);
    if (wait->any) {
        wait->item_index = (unsigned)(item - wait->items);
        end_wait_locked(domain, wait, STATUS_SUCCESS, ended);
        return;
    }
    wait->item_index++;
    if (advance_all_locked(domain, wait)) {
        end_wait_locked(domain, wait, STATUS_SUCCESS, ended);
    }
}

/* Ends what the object's present state satisfies: for a fence those with the smallest values. */
static void grant_locked(struct sync_domain *domain, struct sync_object *object, struct list *ended)
    HOLDS(domain->lock)
{
    struct sync_item *item;

    while ((item = first_parked_locked(domain, object)) &&
           take_locked(domain, object, item->value)) {
        satisfy_locked(domain, item, ended);
    }
}

/* ---- Who is told of the least value ---------------------------------------------------------
 */

void sync_watches_tell(struct sync_domain *domain)
{
    for (;;) {
        void (*watch)(struct sync_object * object, uint64_t monitored) = NULL;
        uint64_t monitored = UINT64_MAX;

        mutex_lock(&domain->lock);
        struct list *link = list_pop_front(&domain->changed);
        struct sync_object *object =
            link ? container_of(link, struct sync_object, watch_link) : NULL;
        const struct sync_item *least = object ? first_parked_locked(domain, object) : NULL;
        if (least) {
            monitored = least->value - (least->value > 0);
        }
        if (object && object->watched != monitored) {
            object->watched = monitored;
            watch = object->watch;
        }
        mutex_unlock(&domain->lock);
        if (!object) {
            return;
        }
        if (watch) {
            watch(object, monitored);
        }
    }
}

bool sync_watches_changed(struct sync_domain *domain)
{
    mutex_lock(&domain->lock);
    bool changed = !list_empty(&domain->changed);
    mutex_unlock(&domain->lock);
    return changed;
}

void sync_fence_watch(struct sync_object *object,
                      void (*watch)(struct sync_object *object, uint64_t monitored))
{
    CHECK_THAT(object->kind == SYNC_FENCE);
    mutex_lock(&object->domain->lock);
    object->watch = watch;
    object->watched = UINT64_MAX;
    list_remove(&object->watch_link);
    mutex_unlock(&object->domain->lock);
}

/* No value that is waited for, less one, is the largest but one. */
void sync_fence_watch_anew(struct sync_object *object)
{
    mutex_lock(&object->domain->lock);
    object->watched = UINT64_MAX - 1;
    note_change_locked(object->domain, object);
    mutex_unlock(&object->domain->lock);
}

/* No lock is held: done() may free its wait, signal, or begin to wait again. */
static void deliver(struct sync_domain *domain, struct list *ended)
{
    struct list *link;

    while ((link = list_pop_front(ended))) {
        struct sync_wait *wait = container_of(link, struct sync_wait, link);

        wait->done(wait, wait->status);
    }
    sync_watches_tell(domain);
}

bool sync_wait_begin(struct sync_wait *wait)
{
    bool satisfied;

    CHECK_THAT(!wait->pending);
    wait->item_index = 0;
    if (wait->item_count == 0) {
        return true;
    }
    wait->domain = wait->items[0].object->domain;
    for (unsigned i = 0; i < wait->item_count; i++) {
        CHECK_THAT(wait->items[i].object->domain == wait->domain);
        CHECK_THAT(wait->items[i].object->kind != SYNC_NOTIFICATION);
        wait->items[i].wait = wait;
        wait->items[i].parked = false;
    }

    mutex_lock(&wait->domain->lock);
    wait->pending = true;
    satisfied =
        wait->any ? begin_any_locked(wait->domain, wait) : advance_all_locked(wait->domain, wait);
    if (satisfied) {
        wait->pending = false;
        wait->status = STATUS_SUCCESS;
    }
    mutex_unlock(&wait->domain->lock);
    return satisfied;
}

bool sync_wait_cancel(struct sync_wait *wait)
{
    bool withdrawn;

    if (!wait->domain) {
        return false;
    }
    mutex_lock(&wait->domain->lock);
    withdrawn = wait->pending;
    for (unsigned i = 0; withdrawn && i < wait->item_count; i++) {
        unpark_locked(wait->domain, &wait->items[i]);
    }
    wait->pending = false;
    mutex_unlock(&wait->domain->lock);
    return withdrawn;
}

/* ---- Objects ------------------------------------------------------------------------------- */

void sync_domain_init(struct sync_domain *domain)
{
    *domain = (struct sync_domain){0};
    mutex_init(&domain->lock, LOCK_RANK_SYNC);
    list_init(&domain->changed);
}

void sync_domain_fini(struct sync_domain *domain)
{
    mutex_fini(&domain->lock);
}

static void object_init(struct sync_object *object, struct sync_domain *domain, enum sync_kind kind,
                        uint64_t own)
{
    *object = (struct sync_object){.domain = domain, .kind = kind, .own = own};
    object->memory = &object->own;
    object->number = record_object_new(OBJECT_FENCE, 0);
    RB_INIT(&object->by_value);
    list_init(&object->queue);
    list_init(&object->watch_link);
}

void sync_fence_init(struct sync_object *object, struct sync_domain *domain, uint64_t value)
{
    object_init(object, domain, SYNC_FENCE, value);
}

void sync_mutex_init(struct sync_object *object, struct sync_domain *domain, bool owned)
{
    object_init(object, domain, SYNC_MUTEX, owned);
}

void sync_semaphore_init(struct sync_object *object, struct sync_domain *domain, uint64_t count,
                         uint64_t limit)
{
    object_init(object, domain, SYNC_SEMAPHORE, count < limit ? count : limit);
    object->limit = limit;
}

void sync_notification_init(struct sync_object *object, struct sync_domain *domain,
                            void (*notify)(struct sync_object *object, uint64_t value))
{
    CHECK_THAT(notify);
    object_init(object, domain, SYNC_NOTIFICATION, 0);
    object->notify = notify;
}

void sync_object_fini(struct sync_object *object, NTSTATUS status)
{
    struct sync_domain *domain = object->domain;
    struct list ended;
    struct sync_item *item;

    if (!domain) {
        return;
    }
    list_init(&ended);
    mutex_lock(&domain->lock);
    object->watch = NULL;
    list_remove(&object->watch_link);
    while ((item = first_parked_locked(domain, object))) {
        end_wait_locked(domain, item->wait, status, &ended);
    }
    mutex_unlock(&domain->lock);
    record_object_dead(object->number, OBJECT_FENCE);
    object->domain = NULL;
    deliver(domain, &ended);
}

void sync_fence_attach(struct sync_object *object, uint64_t *memory)
{
    CHECK_THAT(object->kind == SYNC_FENCE);
    mutex_lock(&object->domain->lock);
    uint64_t value = fence_value_locked(object->domain, object);
    object->memory = memory ? memory : &object->own;
    __atomic_store_n(object->memory, value, __ATOMIC_RELEASE);
    mutex_unlock(&object->domain->lock);
}

uint64_t sync_fence_value(struct sync_object *object)
{
    CHECK_THAT(object->kind == SYNC_FENCE);
    mutex_lock(&object->domain->lock);
    uint64_t value = fence_value_locked(object->domain, object);
    mutex_unlock(&object->domain->lock);
    return value;
}

bool sync_fence_reached(struct sync_object *object, uint64_t value)
{
    return sync_fence_value(object) >= value;
}

bool sync_fence_owes(struct sync_object *object)
{
    CHECK_THAT(object->kind == SYNC_FENCE);
    mutex_lock(&object->domain->lock);
    const struct sync_item *item = first_parked_locked(object->domain, object);
    bool owes = item && fence_value_locked(object->domain, object) >= item->value;
    mutex_unlock(&object->domain->lock);
    return owes;
}

void sync_fence_poll(struct sync_object *object)
{
    struct sync_domain *domain = object->domain;
    struct list ended;

    CHECK_THAT(object->kind == SYNC_FENCE);
    list_init(&ended);
    mutex_lock(&domain->lock);
    grant_locked(domain, object, &ended);
    mutex_unlock(&domain->lock);
    deliver(domain, &ended);
}

static void set_signalled_locked(struct sync_domain *domain, struct sync_object *object,
                                 uint64_t value) HOLDS(domain->lock)
{
    if (object->kind == SYNC_FENCE) {
        if (!object->lost) {
            __atomic_store_n(object->memory, value, __ATOMIC_RELEASE);
        }
    } else if (object->kind == SYNC_MUTEX) {
        object->own = 0;
    } else if (object->kind == SYNC_SEMAPHORE && object->own < object->limit) {
        object->own++;
    }
}

void sync_signal(struct sync_object *object, uint64_t value)
{
    struct list ended;

    record_event(EVENT_FENCE_SIGNAL, object->number, value, 0);
    if (object->kind == SYNC_NOTIFICATION) {
        object->notify(object, value);
        return;
    }
    struct sync_domain *domain = object->domain;
    list_init(&ended);
    mutex_lock(&domain->lock);
    set_signalled_locked(domain, object, value);
    grant_locked(domain, object, &ended);
    mutex_unlock(&domain->lock);
    deliver(domain, &ended);
}

void sync_fence_signalled(struct sync_object *object, uint64_t value)
{
    CHECK_THAT(object->kind == SYNC_FENCE);
    if (__atomic_load_n(object->memory, __ATOMIC_ACQUIRE) < value) {
        sync_signal(object, value);
        return;
    }
    record_event(EVENT_FENCE_SIGNAL, object->number, value, 0);
    sync_fence_poll(object);
}

void sync_object_lose(struct sync_object *object)
{
    struct list ended;

    if (object->kind == SYNC_NOTIFICATION) {
        return;
    }
    record_event(EVENT_FENCE_SIGNAL, object->number, SYNC_VALUE_LOST, 1);
    struct sync_domain *domain = object->domain;
    list_init(&ended);
    mutex_lock(&domain->lock);
    object->lost = true;
    if (object->kind == SYNC_FENCE) {
        __atomic_store_n(object->memory, SYNC_VALUE_LOST, __ATOMIC_RELEASE);
    }
    grant_locked(domain, object, &ended);
    mutex_unlock(&domain->lock);
    deliver(domain, &ended);
}

/* ---- A task that blocks -------------------------------------------------------------------- */

struct blocked {
    struct sync_wait wait;
    struct task *task;
    bool ended;
    NTSTATUS status;
};

static void wake_blocked(struct sync_wait *wait, NTSTATUS status)
{
    struct blocked *blocked = container_of(wait, struct blocked, wait);
    struct task *task = blocked->task;

    blocked->status = status;
    blocked->ended = true; /* the struct is on the task's stack: not ours from here on */
    task_wake(task);
}

NTSTATUS sync_wait_block(struct sync_item *items, unsigned item_count, bool any,
                         uint64_t deadline_ns, unsigned *index)
{
    struct blocked blocked = {
        .wait = {.items = items, .item_count = item_count, .any = any, .done = wake_blocked},
        .task = task_self(),
    };

    if (!sync_wait_begin(&blocked.wait)) {
        sync_watches_tell(blocked.wait.domain);
        while (!blocked.ended) {
            if (task_block(deadline_ns) == WAIT_TIMED_OUT && !blocked.ended) {
                if (sync_wait_cancel(&blocked.wait)) {
                    sync_watches_tell(blocked.wait.domain);
                    return STATUS_TIMEOUT;
                }
                deadline_ns = MACHINE_NEVER; /* done() is on its way */
            }
        }
        if (!NT_SUCCESS(blocked.status)) {
            return blocked.status;
        }
    }
    if (index) {
        *index = blocked.wait.item_index;
    }
    return STATUS_SUCCESS;
}
