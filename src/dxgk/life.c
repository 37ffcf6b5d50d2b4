/* Lives: references that keep an object's memory, uses that keep the object, and its end. The
 * states are drawn in internal.h. */
#include "dxgk/internal.h"

static uint64_t lives_begun;

void life_init(struct dxgk_life *life, enum dxgk_handle_kind kind,
               void (*free)(struct dxgk_life *life))
{
    CHECK_THAT(free);
    *life = (struct dxgk_life){
        .kind = kind, .number = ++lives_begun, .reference_count = 1, .free = free};
    list_init(&life->link);
    wait_queue_init(&life->unused);
}

void life_get(struct dxgk_life *life)
{
    CHECK_THAT(life->reference_count > 0);
    life->reference_count++;
}

void life_put(struct dxgk_life *life)
{
    CHECK_THAT(life->reference_count > 0);
    if (--life->reference_count == 0) {
        CHECK_THAT(life->use_count == 0 && list_empty(&life->link) && life->handle == 0);
        life->free(life);
    }
}

void life_begin(struct dxgk_life *life)
{
    CHECK_THAT(life->state == LIFE_MADE);
    life->state = LIFE_LIVING;
}

bool life_enter(struct dxgk_life *life)
{
    if (life->state != LIFE_LIVING) {
        return false;
    }
    life->use_count++;
    return true;
}

void life_use_more(struct dxgk_life *life)
{
    CHECK_THAT(life->use_count > 0);
    life->use_count++;
}

void life_leave(struct dxgk_life *life)
{
    CHECK_THAT(life->use_count > 0);
    if (--life->use_count == 0) {
        wait_queue_wake(&life->unused, UINT_MAX);
    }
}

bool life_end(struct dxgk_life *life)
{
    if (life->state != LIFE_LIVING) {
        return false;
    }
    life->state = LIFE_DYING;
    if (life->handle) {
        dxgk_handle_hide(life->handle);
    }
    return true;
}

void life_wait_unused(struct dxgk_life *life)
{
    CHECK_THAT(life->state == LIFE_DYING);
    while (life->use_count > 0) {
        wait_queue_wait(&life->unused, MACHINE_NEVER);
    }
}

void life_unlink(struct dxgk_life *life)
{
    list_remove(&life->link);
    if (life->handle) {
        dxgk_handle_free(life->handle);
        life->handle = 0;
    }
}

bool life_open(struct dxgk_life *life, unsigned *open_count)
{
    if (life->state != LIFE_LIVING) {
        return false;
    }
    life_get(life);
    (*open_count)++;
    return true;
}

bool life_close(struct dxgk_life *life, unsigned *open_count)
{
    CHECK_THAT(*open_count > 0);
    if (--*open_count > 0) {
        return false;
    }
    CHECK_THAT(life_end(life));
    life_unlink(life);
    return true;
}

void life_link(struct list *head, struct dxgk_life *life)
{
    struct list *place = head;

    while (place->prev != head &&
           container_of(place->prev, struct dxgk_life, link)->number > life->number) {
        place = place->prev;
    }
    list_insert_before(place, &life->link);
}

/* In order of making, which is that of the list. NULL: there is none behind the number. */
static struct dxgk_life *first_behind(const struct list *head, uint64_t number)
{
    list_for_each (link, head) {
        struct dxgk_life *life = container_of(link, struct dxgk_life, link);
        if (life->number > number) {
            return life;
        }
    }
    return NULL;
}

struct dxgk_life *life_next(const struct list *head, struct dxgk_life *before)
{
    struct dxgk_life *next;

    if (before && !list_empty(&before->link)) {
        struct list *link = before->link.next;
        next = link == head ? NULL : container_of(link, struct dxgk_life, link);
    } else {
        next = first_behind(head, before ? before->number : 0);
    }
    if (next) {
        life_get(next);
    }
    if (before) {
        life_put(before);
    }
    return next;
}

struct dxgk_life *life_living(const struct list *head)
{
    list_for_each (link, head) {
        struct dxgk_life *life = container_of(link, struct dxgk_life, link);
        if (life->state == LIFE_LIVING) {
            return life;
        }
    }
    return NULL;
}

void dxgk_life_put(struct dxgk_life *life)
{
    life_put(life);
}

void *dxgk_life_object(struct dxgk_life *life)
{
    return life; /* the first member of each; see the assertions in internal.h */
}
