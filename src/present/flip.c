/* The flip queue of a source. */
#include "present/present.h"

#include <limits.h>

#include "base/check.h"
#include "base/record.h"

static struct present_flip *flip_of(struct list *link)
{
    return container_of(link, struct present_flip, link);
}

void present_source_init(struct present_source *source, const struct present_backend *backend,
                         unsigned index, unsigned programmed_max)
{
    CHECK_THAT(backend->program);
    *source = (struct present_source){
        .backend = backend, .index = index, .programmed_max = programmed_max ? programmed_max : 1};
    mutex_init(&source->lock, LOCK_RANK_PRESENT);
    list_init(&source->waiting);
    list_init(&source->programmed);
    list_init(&source->cancelled);
    wait_queue_init(&source->changed);
}

void present_source_fini(struct present_source *source)
{
    if (source->backend) {
        present_source_cancel(source, STATUS_CANCELLED);
        while (source->busy) {
            wait_queue_wait(&source->changed, MACHINE_NEVER);
        }
        mutex_fini(&source->lock);
    }
}

/* When may the flip be programmed so that it latches `interval` syncs after the one before it? The
 * hardware latches at the next sync, so programming belongs into the period before. */
static uint64_t earliest(const struct present_source *source, const struct present_flip *flip)
{
    if (flip->interval <= 1) {
        return 0;
    }
    return source->latched_vsync + flip->interval - 1;
}

/* How many of those programmed the hardware must hold beside it. The source is locked. */
static unsigned count_before(const struct present_source *source, const struct present_flip *flip)
{
    unsigned count = 0;

    list_for_each (link, &source->programmed) {
        count += !source->backend->beside || !source->backend->beside(flip, flip_of(link));
    }
    return count;
}

/* The flip to program next, moved to the programmed ones; NULL if none may be. */
static struct present_flip *take_next(struct present_source *source)
{
    if (list_empty(&source->waiting)) {
        return NULL;
    }
    struct present_flip *flip = flip_of(source->waiting.next);
    if (count_before(source, flip) >= source->programmed_max) {
        return NULL;
    }
    /* An interval counts from the flip before: that one must be on screen first. */
    if (flip->interval > 1 && source->programmed_count > 0) {
        return NULL;
    }
    if (source->vsync_count < earliest(source, flip) ||
        (flip->retry && source->programmed_count > 0)) {
        return NULL;
    }
    if (source->backend->may_program && !source->backend->may_program(source, flip)) {
        return NULL;
    }
    list_remove(&flip->link);
    source->waiting_count--;
    list_push_back(&source->programmed, &flip->link);
    source->programmed_count++;
    flip->programmed_ns = machine_now_ns();
    flip->programmed_vsync = source->vsync_count;
    source->programming = flip;
    return flip;
}

static void finish(struct present_source *source, struct present_flip *flip, NTSTATUS status)
{
    flip->done(flip, status);
    wait_queue_wake(&source->changed, UINT_MAX);
}

/* Off the list; its end is said without the lock. */
static void leave_programmed_locked(struct present_source *source, struct present_flip *flip)
    HOLDS(source->lock)
{
    CHECK_THAT(source->programmed_count > 0);
    list_remove(&flip->link);
    source->programmed_count--;
}

/* What is being programmed cannot be let go yet: program() does that. */
static void decide_end(struct present_flip *flip, NTSTATUS status)
{
    if (!flip->ended) {
        flip->ended = true;
        flip->status = status;
    }
}

static void finish_cancelled(struct present_source *source, struct list *cancelled)
{
    for (struct list *link; (link = list_pop_front(cancelled)) != NULL;) {
        finish(source, flip_of(link), flip_of(link)->status);
    }
}

static void program(struct present_source *source, struct present_flip *flip)
{
    struct list cancelled;

    list_init(&cancelled);
    record_event(EVENT_FLIP, flip->object, source->index | flip->address << 8, flip->interval);
    flip->retry = false;
    NTSTATUS status = source->backend->program(source, flip);
    mutex_lock(&source->lock);
    CHECK_THAT(source->programming == flip && source->programmed.prev == &flip->link);
    source->programming = NULL;
    if (status == STATUS_RETRY && flip->retry && !flip->ended) {
        leave_programmed_locked(source, flip);
        list_push_front(&source->waiting, &flip->link);
        source->waiting_count++;
    } else if (!NT_SUCCESS(status) || status == STATUS_RETRY) {
        decide_end(flip, status);
    }
    bool ended = flip->ended;
    if (ended) {
        leave_programmed_locked(source, flip);
    }
    list_for_each (link, &source->cancelled) {
        source->waiting_count--;
    }
    list_splice_back(&cancelled, &source->cancelled);
    mutex_unlock(&source->lock);
    if (ended) {
        finish(source, flip, flip->status);
    }
    finish_cancelled(source, &cancelled);
}

/* Programs what may be programmed; one caller at a time, so that flips keep their order. */
void present_source_advance(struct present_source *source)
{
    mutex_lock(&source->lock);
    source->again = true;
    if (source->busy) {
        mutex_unlock(&source->lock);
        return;
    }
    source->busy = true;
    while (source->again) {
        struct present_flip *flip;
        source->again = false;
        while ((flip = take_next(source)) != NULL) {
            mutex_unlock(&source->lock);
            program(source, flip);
            mutex_lock(&source->lock);
        }
    }
    source->busy = false;
    mutex_unlock(&source->lock);
    wait_queue_wake(&source->changed, UINT_MAX);
}

void present_flip_push(struct present_source *source, struct present_flip *flip)
{
    CHECK_THAT(flip->done && flip->interval <= 4 && !flip->ended);
    mutex_lock(&source->lock);
    list_push_back(&source->waiting, &flip->link);
    source->waiting_count++;
    mutex_unlock(&source->lock);
    present_source_advance(source);
}

/* How many of the programmed flips the sync ends: those up to the first that has its address. The
 * address that was on screen already says nothing of a flip that leads back to it behind others, as
 * long as those before may still have syncs of their own; if so many came that they must have had
 * them, theirs were lost. */
static unsigned count_latched_locked(struct present_source *source, uint64_t address)
    HOLDS(source->lock)
{
    unsigned count = 0;

    list_for_each (link, &source->programmed) {
        count++;
        if (flip_of(link)->address == address && !flip_of(link)->ended) {
            bool leads_back = count > 1 && address == source->latched_address;
            return leads_back && ++source->stood <= count ? 0 : count;
        }
    }
    return 0;
}

void present_vsync(struct present_source *source, uint64_t address)
{
    struct list latched;

    list_init(&latched);
    mutex_lock(&source->lock);
    source->vsync_count++;
    source->vsync_ns = machine_now_ns();
    /* What comes behind the flip with this address still waits. */
    for (unsigned count = count_latched_locked(source, address); count > 0; count--) {
        struct present_flip *flip = flip_of(source->programmed.next);
        source->stood = 0;
        source->flip_count++;
        source->latched_vsync = source->vsync_count;
        if (flip == source->programming) {
            decide_end(flip, STATUS_SUCCESS);
        } else {
            leave_programmed_locked(source, flip);
            list_push_back(&latched, &flip->link);
        }
    }
    source->latched_address = address;
    mutex_unlock(&source->lock);
    record_event(EVENT_VSYNC, 0, source->index, address);
    for (struct list *link; (link = list_pop_front(&latched)) != NULL;) {
        finish(source, flip_of(link), STATUS_SUCCESS);
    }
    wait_queue_wake(&source->changed, UINT_MAX);
    if (source->backend->vsync) {
        source->backend->vsync(source);
    }
    present_source_advance(source);
}

void present_source_shown(struct present_source *source, uint64_t address)
{
    mutex_lock(&source->lock);
    source->stood = 0;
    source->latched_address = address;
    source->latched_vsync = source->vsync_count;
    mutex_unlock(&source->lock);
}

/* From here on the status is with each flip. */
static void decide_ends_locked(struct present_source *source, struct list *flips, NTSTATUS status)
    HOLDS(source->lock)
{
    list_for_each (link, flips) {
        decide_end(flip_of(link), status);
    }
}

void present_source_cancel(struct present_source *source, NTSTATUS status)
{
    struct list ended;

    list_init(&ended);
    mutex_lock(&source->lock);
    decide_ends_locked(source, &source->programmed, status);
    decide_ends_locked(source, &source->waiting, status);
    list_splice_back(&ended, &source->programmed);
    source->stood = 0;
    if (source->programming) {
        list_remove(&source->programming->link);
        list_push_back(&source->programmed, &source->programming->link);
        source->programmed_count = 1;
        list_splice_back(&source->cancelled, &source->waiting);
    } else {
        source->programmed_count = 0;
        list_splice_back(&ended, &source->waiting);
        source->waiting_count = 0;
    }
    mutex_unlock(&source->lock);
    finish_cancelled(source, &ended);
}

const struct present_flip *present_source_oldest(struct present_source *source)
{
    mutex_lock(&source->lock);
    const struct present_flip *oldest =
        list_empty(&source->programmed) ? NULL : flip_of(source->programmed.next);
    mutex_unlock(&source->lock);
    return oldest;
}

const struct present_flip *present_source_newest(struct present_source *source,
                                                 bool (*is_so)(const struct present_flip *flip))
{
    const struct present_flip *newest = NULL;

    mutex_lock(&source->lock);
    list_for_each (link, &source->programmed) {
        if (!is_so(flip_of(link))) {
            break;
        }
        newest = flip_of(link);
    }
    mutex_unlock(&source->lock);
    return newest;
}

const struct present_flip *present_source_last_of(struct present_source *source,
                                                  bool (*is_so)(const struct present_flip *flip,
                                                                const void *context),
                                                  const void *context)
{
    const struct present_flip *first = NULL;

    mutex_lock(&source->lock);
    list_for_each (link, &source->programmed) {
        bool so = is_so(flip_of(link), context);
        first = !so ? NULL : first ? first : flip_of(link);
    }
    mutex_unlock(&source->lock);
    return first;
}

unsigned present_source_end_those(struct present_source *source,
                                  bool (*is_so)(const struct present_flip *flip,
                                                const void *context),
                                  const void *context, NTSTATUS status)
{
    struct list ended;
    unsigned count = 0;

    list_init(&ended);
    mutex_lock(&source->lock);
    list_for_each_safe (link, &source->programmed) {
        struct present_flip *flip = flip_of(link);
        if (!is_so(flip, context)) {
            continue;
        }
        count++;
        decide_end(flip, status);
        if (flip != source->programming) {
            leave_programmed_locked(source, flip);
            list_push_back(&ended, &flip->link);
        }
    }
    mutex_unlock(&source->lock);
    finish_cancelled(source, &ended);
    return count;
}

static bool leads_to(const struct list *flips, uint64_t address)
{
    list_for_each (link, flips) {
        if (container_of(link, struct present_flip, link)->address == address) {
            return true;
        }
    }
    return false;
}

bool present_source_awaits(struct present_source *source, uint64_t address)
{
    mutex_lock(&source->lock);
    bool awaits = leads_to(&source->programmed, address) || leads_to(&source->waiting, address);
    mutex_unlock(&source->lock);
    return awaits;
}

unsigned present_source_pending(struct present_source *source)
{
    mutex_lock(&source->lock);
    unsigned count = source->waiting_count + source->programmed_count;
    mutex_unlock(&source->lock);
    return count;
}

unsigned present_source_waiting(struct present_source *source)
{
    mutex_lock(&source->lock);
    unsigned count = source->waiting_count;
    mutex_unlock(&source->lock);
    return count;
}

bool present_wait_vsync(struct present_source *source, uint64_t deadline_ns)
{
    uint64_t before = source->vsync_count;
    bool late = false;

    source->listeners++;
    if (source->backend->listen) {
        source->backend->listen(source);
    }
    while (source->vsync_count == before && !late) {
        late = wait_queue_wait(&source->changed, deadline_ns) == WAIT_TIMED_OUT;
    }
    source->listeners--;
    return source->vsync_count != before;
}

bool present_wait_flips(struct present_source *source, uint64_t deadline_ns)
{
    while (present_source_pending(source) > 0) {
        if (wait_queue_wait(&source->changed, deadline_ns) == WAIT_TIMED_OUT) {
            return present_source_pending(source) == 0;
        }
    }
    return true;
}
