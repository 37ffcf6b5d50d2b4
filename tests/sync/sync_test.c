/* Objects and waits, with callbacks alone: no executor runs. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "sync/sync.h"

struct waiter {
    struct sync_wait wait;
    struct sync_item items[4];
    unsigned number;
    unsigned done_count;
    NTSTATUS status;
};

static unsigned ended[64], ended_count;

static void waiter_done(struct sync_wait *wait, NTSTATUS status)
{
    struct waiter *waiter = container_of(wait, struct waiter, wait);

    waiter->done_count++;
    waiter->status = status;
    ended[ended_count++ % 64] = waiter->number;
}

static void waiter_init(struct waiter *waiter, unsigned number, unsigned item_count, bool any)
{
    *waiter = (struct waiter){.number = number};
    waiter->wait.items = waiter->items;
    waiter->wait.item_count = item_count;
    waiter->wait.any = any;
    waiter->wait.done = waiter_done;
}

static bool wait_one(struct waiter *waiter, unsigned number, struct sync_object *object,
                     uint64_t value)
{
    waiter_init(waiter, number, 1, false);
    waiter->items[0] = (struct sync_item){.object = object, .value = value};
    return sync_wait_begin(&waiter->wait);
}

static int setup(void **state)
{
    static struct sync_domain domain;

    sync_domain_init(&domain);
    ended_count = 0;
    *state = &domain;
    return 0;
}

static int teardown(void **state)
{
    sync_domain_fini(*state);
    return 0;
}

static void a_signal_ends_the_waits_it_satisfies_smallest_value_first(void **state)
{
    struct sync_object fence;
    struct waiter waiters[6];
    static const uint64_t values[6] = {5, 3, 9, 3, 1, 5};

    sync_fence_init(&fence, *state, 1);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(wait_one(&waiters[i], i, &fence, values[i]), values[i] <= 1);
    }
    sync_signal(&fence, 2);
    assert_int_equal(ended_count, 0);
    sync_signal(&fence, 5);
    assert_int_equal(ended_count, 4);
    assert_int_equal(ended[0], 1); /* equal values in order of arrival */
    assert_int_equal(ended[1], 3);
    assert_int_equal(ended[2], 0);
    assert_int_equal(ended[3], 5);
    assert_int_equal(sync_fence_value(&fence), 5);
    sync_signal(&fence, 2); /* a fence may be set back */
    assert_int_equal(sync_fence_value(&fence), 2);
    assert_false(sync_fence_reached(&fence, 3));
    sync_object_fini(&fence, STATUS_CANCELLED);
    assert_int_equal(ended_count, 5);
    assert_int_equal(waiters[2].status, STATUS_CANCELLED);
    assert_int_equal(waiters[4].done_count, 0);
}

/* [FENCE-004] */
static void a_lost_fence_satisfies_everybody_for_ever(void **state)
{
    struct sync_object fence;
    struct waiter first, second;

    sync_fence_init(&fence, *state, 0);
    assert_false(wait_one(&first, 0, &fence, UINT64_MAX));
    sync_object_lose(&fence);
    assert_int_equal(first.status, STATUS_SUCCESS);
    sync_signal(&fence, 1);
    assert_true(sync_fence_value(&fence) == SYNC_VALUE_LOST);
    assert_true(wait_one(&second, 1, &fence, 77));
    sync_object_fini(&fence, STATUS_CANCELLED);
}

/* [FENCE-002] */
static void a_value_written_by_a_gpu_counts_when_somebody_looks(void **state)
{
    struct sync_object fence;
    struct waiter waiter;
    uint64_t memory = 0;

    sync_fence_init(&fence, *state, 4);
    sync_fence_attach(&fence, &memory);
    assert_int_equal(memory, 4);
    assert_false(wait_one(&waiter, 0, &fence, 6));
    memory = 6;
    assert_int_equal(waiter.done_count, 0);
    sync_fence_poll(&fence);
    assert_int_equal(waiter.done_count, 1);
    sync_signal(&fence, 8);
    assert_int_equal(memory, 8);
    sync_fence_attach(&fence, NULL);
    memory = 0;
    assert_int_equal(sync_fence_value(&fence), 8);
    sync_object_fini(&fence, STATUS_CANCELLED);
}

/* A native fence: the driver writes what a CPU signals, and lets the GPU go, which goes on. */
static void what_a_gpu_signalled_since_is_not_set_back(void **state)
{
    struct sync_object fence;
    struct waiter waiters[2];
    uint64_t memory = 0;

    sync_fence_init(&fence, *state, 7);
    sync_fence_attach(&fence, &memory);
    assert_false(wait_one(&waiters[0], 0, &fence, 9));
    assert_false(wait_one(&waiters[1], 1, &fence, 12));
    memory = 10;
    sync_fence_signalled(&fence, 8);
    assert_int_equal(memory, 10);
    assert_int_equal(waiters[0].done_count, 1);
    assert_int_equal(waiters[1].done_count, 0);
    sync_fence_signalled(&fence, 12); /* the driver did not write it */
    assert_int_equal(memory, 12);
    assert_int_equal(waiters[1].done_count, 1);
    sync_fence_attach(&fence, NULL);
    sync_object_fini(&fence, STATUS_CANCELLED);
}

static void a_mutex_goes_from_hand_to_hand_in_order_of_arrival(void **state)
{
    struct sync_object mutex;
    struct waiter waiters[3];

    sync_mutex_init(&mutex, *state, false);
    assert_true(wait_one(&waiters[0], 0, &mutex, 0));
    assert_false(wait_one(&waiters[1], 1, &mutex, 0));
    assert_false(wait_one(&waiters[2], 2, &mutex, 0));
    sync_signal(&mutex, 0);
    assert_int_equal(ended_count, 1);
    assert_int_equal(ended[0], 1);
    sync_signal(&mutex, 0);
    assert_int_equal(ended[1], 2);
    sync_signal(&mutex, 0);
    sync_signal(&mutex, 0); /* released twice: still one owner at a time */
    assert_true(wait_one(&waiters[0], 0, &mutex, 0));
    assert_false(wait_one(&waiters[1], 1, &mutex, 0));
    sync_object_lose(&mutex);
    assert_int_equal(waiters[1].status, STATUS_SUCCESS);
    sync_object_fini(&mutex, STATUS_CANCELLED);
}

static void a_semaphore_counts_up_to_its_limit(void **state)
{
    struct sync_object semaphore;
    struct waiter waiters[4];

    sync_semaphore_init(&semaphore, *state, 9, 2);
    assert_true(wait_one(&waiters[0], 0, &semaphore, 0));
    assert_true(wait_one(&waiters[1], 1, &semaphore, 0));
    assert_false(wait_one(&waiters[2], 2, &semaphore, 0));
    sync_signal(&semaphore, 0);
    assert_int_equal(ended_count, 1);
    for (unsigned i = 0; i < 5; i++) {
        sync_signal(&semaphore, 0);
    }
    assert_true(wait_one(&waiters[0], 0, &semaphore, 0));
    assert_true(wait_one(&waiters[1], 1, &semaphore, 0));
    assert_false(wait_one(&waiters[2], 2, &semaphore, 0));
    assert_true(sync_wait_cancel(&waiters[2].wait));
    sync_object_fini(&semaphore, STATUS_CANCELLED);
    assert_int_equal(waiters[2].done_count, 0); /* withdrawn before the end of the object */
}

static void a_wait_for_all_takes_its_items_in_turn(void **state)
{
    struct sync_object fence, semaphore;
    struct waiter waiter;

    sync_fence_init(&fence, *state, 0);
    sync_semaphore_init(&semaphore, *state, 0, 1);
    waiter_init(&waiter, 0, 3, false);
    waiter.items[0] = (struct sync_item){.object = &fence, .value = 2};
    waiter.items[1] = (struct sync_item){.object = &semaphore};
    waiter.items[2] = (struct sync_item){.object = &fence, .value = 1};
    assert_false(sync_wait_begin(&waiter.wait));
    sync_signal(&semaphore, 0);
    assert_int_equal(waiter.done_count, 0);
    sync_signal(&fence, 2);
    assert_int_equal(waiter.done_count, 1);
    assert_int_equal(waiter.status, STATUS_SUCCESS);
    assert_false(sync_wait_cancel(&waiter.wait));
    sync_object_fini(&fence, STATUS_CANCELLED);
    sync_object_fini(&semaphore, STATUS_CANCELLED);
}

static void a_wait_for_any_ends_with_the_first_and_lets_go_of_the_rest(void **state)
{
    struct sync_object fences[3];
    struct waiter waiter;

    waiter_init(&waiter, 0, 3, true);
    for (unsigned i = 0; i < 3; i++) {
        sync_fence_init(&fences[i], *state, 0);
        waiter.items[i] = (struct sync_item){.object = &fences[i], .value = 1};
    }
    assert_false(sync_wait_begin(&waiter.wait));
    sync_signal(&fences[1], 1);
    assert_int_equal(waiter.done_count, 1);
    assert_int_equal(waiter.wait.item_index, 1);
    sync_signal(&fences[0], 1);
    sync_object_fini(&fences[2], STATUS_CANCELLED);
    assert_int_equal(waiter.done_count, 1);
    waiter.items[2].object = &fences[0];
    assert_true(sync_wait_begin(&waiter.wait)); /* may be used again */
    assert_int_equal(waiter.wait.item_index, 0);
    sync_object_fini(&fences[0], STATUS_CANCELLED);
    sync_object_fini(&fences[1], STATUS_CANCELLED);
}

static void an_empty_wait_is_over_at_once(void **state)
{
    struct sync_wait wait = {.done = waiter_done};

    assert_true(sync_wait_begin(&wait));
    assert_false(sync_wait_cancel(&wait));
}

static uint64_t notified;

static void note(struct sync_object *object, uint64_t value)
{
    (void)object;
    notified = value;
}

static void a_notification_tells_its_owner(void **state)
{
    struct sync_object notification;

    sync_notification_init(&notification, *state, note);
    sync_signal(&notification, 42);
    assert_int_equal(notified, 42);
    sync_object_fini(&notification, STATUS_CANCELLED);
}

/* A chain: the end of one wait signals the next fence. */
struct link_waiter {
    struct waiter base;
    struct sync_object *next;
};

static void pass_on(struct sync_wait *wait, NTSTATUS status)
{
    struct link_waiter *self = container_of(wait, struct link_waiter, base.wait);

    self->base.done_count++;
    if (self->next) {
        sync_signal(self->next, 1);
    }
}

static void done_may_signal_and_wait_again(void **state)
{
    struct sync_object fences[5];
    struct link_waiter waiters[5];

    for (unsigned i = 0; i < 5; i++) {
        sync_fence_init(&fences[i], *state, 0);
        assert_false(wait_one(&waiters[i].base, i, &fences[i], 1));
        waiters[i].base.wait.done = pass_on;
        waiters[i].next = i < 4 ? &fences[i + 1] : NULL;
    }
    sync_signal(&fences[0], 1);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(waiters[i].base.done_count, 1);
        sync_object_fini(&fences[i], STATUS_CANCELLED);
    }
}

/* Seeded: many waits on few fences against a plain array. */
static void random_signals_agree_with_a_model(void **state)
{
    enum { WAITERS = 64, STEPS = 20000 };
    struct sync_object fence;
    static struct waiter waiters[WAITERS];
    uint64_t values[WAITERS] = {0}, value = 0, random = 88172645463325252u;
    bool waiting[WAITERS] = {false};

    sync_fence_init(&fence, *state, 0);
    for (unsigned step = 0; step < STEPS; step++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        unsigned i = (unsigned)(random >> 8) % WAITERS;
        if (random % 4 == 0) {
            value += random >> 32 & 7;
            sync_signal(&fence, value);
        } else if (!waiting[i]) {
            values[i] = value + (random >> 40 & 31);
            waiting[i] = !wait_one(&waiters[i], i, &fence, values[i]);
            assert_int_equal(waiting[i], values[i] > value);
        } else if (random % 8 == 1) {
            assert_true(sync_wait_cancel(&waiters[i].wait));
            waiting[i] = false;
        }
        for (unsigned n = 0; n < WAITERS; n++) {
            if (waiting[n]) {
                assert_int_equal(waiters[n].done_count, values[n] <= value);
                waiting[n] = values[n] > value;
            }
        }
    }
    sync_object_fini(&fence, STATUS_CANCELLED);
}

static uint64_t monitored;
static unsigned told;

static void note_monitored(struct sync_object *object, uint64_t value)
{
    monitored = value;
    told++;
}

/* Nobody is told of a value that did not change, and who begins under a lock tells later. */
static void a_watched_fence_says_what_is_waited_for(void **state)
{
    struct sync_object fence, other;
    struct waiter first, second, third;

    told = 0;
    sync_fence_init(&fence, *state, 1);
    sync_fence_init(&other, *state, 0);
    sync_fence_watch(&fence, note_monitored);
    assert_false(wait_one(&first, 0, &fence, 7));
    assert_true(sync_watches_changed(*state));
    assert_int_equal(told, 0);
    sync_watches_tell(*state);
    assert_int_equal(monitored, 6);
    assert_false(wait_one(&second, 1, &fence, 9));
    sync_watches_tell(*state);
    assert_int_equal(told, 1);
    /* One that ends by another fence lets go of this one, too. */
    waiter_init(&third, 2, 2, true);
    third.items[0] = (struct sync_item){.object = &fence, .value = 3};
    third.items[1] = (struct sync_item){.object = &other, .value = 1};
    assert_false(sync_wait_begin(&third.wait));
    sync_watches_tell(*state);
    assert_int_equal(monitored, 2);
    sync_signal(&other, 1);
    assert_int_equal(monitored, 6);
    sync_signal(&fence, 8);
    assert_int_equal(monitored, 8);
    assert_true(sync_wait_cancel(&second.wait));
    sync_watches_tell(*state);
    assert_true(monitored == UINT64_MAX);
    assert_int_equal(told, 5);
    sync_fence_watch_anew(&fence);
    sync_watches_tell(*state);
    assert_int_equal(told, 6);
    assert_false(sync_watches_changed(*state));
    sync_object_fini(&fence, STATUS_CANCELLED);
    sync_object_fini(&other, STATUS_CANCELLED);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_signal_ends_the_waits_it_satisfies_smallest_value_first),
        CASE(a_lost_fence_satisfies_everybody_for_ever),
        CASE(a_value_written_by_a_gpu_counts_when_somebody_looks),
        CASE(what_a_gpu_signalled_since_is_not_set_back),
        CASE(a_mutex_goes_from_hand_to_hand_in_order_of_arrival),
        CASE(a_semaphore_counts_up_to_its_limit),
        CASE(a_wait_for_all_takes_its_items_in_turn),
        CASE(a_wait_for_any_ends_with_the_first_and_lets_go_of_the_rest),
        CASE(an_empty_wait_is_over_at_once),
        CASE(a_notification_tells_its_owner),
        CASE(done_may_signal_and_wait_again),
        CASE(a_watched_fence_says_what_is_waited_for),
        CASE(random_signals_agree_with_a_model),
    };

    return cmocka_run_group_tests_name("sync", tests, NULL, NULL);
}
