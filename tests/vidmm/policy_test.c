/* Policies alone: a memory of some places, items that are used in an order, and how many are
 * brought in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "vidmm/policy.h"

enum { ITEMS = 24, PLACES = 16, LAPS = 40 };

static unsigned loop(unsigned step)
{
    return step % ITEMS;
}

static unsigned there_and_back(unsigned step)
{
    unsigned at = step % (2 * ITEMS);

    return at < ITEMS ? at : 2 * ITEMS - 1 - at;
}

/* Two that are always used, and all others once in a while. */
static unsigned few_and_many(unsigned step)
{
    return step % 3 ? step % 3 - 1 : 2 + step / 3 * 7 % (ITEMS - 2);
}

struct memory {
    struct vidmm_history items[ITEMS];
    bool here[ITEMS];
    unsigned used, came_in;
};

static void make_room(struct memory *memory, const struct vidmm_policy *policy, uint64_t tick)
{
    unsigned victim = ITEMS;

    for (unsigned i = 0; i < ITEMS; i++) {
        if (memory->here[i] &&
            (victim == ITEMS || policy->value(&memory->items[i], tick) >
                                    policy->value(&memory->items[victim], tick))) {
            victim = i;
        }
    }
    memory->here[victim] = false;
    memory->used--;
}

static unsigned run(const struct vidmm_policy *policy, unsigned (*order)(unsigned step))
{
    struct memory memory = {.used = 0};

    for (unsigned step = 0; step < LAPS * ITEMS; step++) {
        unsigned item = order(step);
        uint64_t tick = step + 1;
        policy->used(&memory.items[item], tick);
        memory.items[item].last_tick = tick;
        if (!memory.here[item]) {
            if (memory.used == PLACES) {
                make_room(&memory, policy, tick);
            }
            memory.here[item] = true;
            memory.used++;
            memory.came_in++;
        }
    }
    return memory.came_in;
}

static void a_loop_keeps_what_it_can(void **state)
{
    (void)state;
    assert_int_equal(run(&vidmm_policy_lru, loop), LAPS * ITEMS);
    /* All but what has no place, and a first lap or two. */
    assert_true(run(&vidmm_policy_etr, loop) < LAPS * (ITEMS - PLACES + 2));
}

static void there_and_back_is_no_worse_than_the_oldest(void **state)
{
    (void)state;
    /* The oldest first brings in each lap what had no place, as nobody can do better. */
    assert_true(run(&vidmm_policy_lru, there_and_back) <= LAPS * (ITEMS - PLACES) + PLACES);
    assert_true(run(&vidmm_policy_etr, there_and_back) <=
                run(&vidmm_policy_lru, there_and_back) + ITEMS);
}

static void what_is_always_used_stays(void **state)
{
    (void)state;
    assert_true(run(&vidmm_policy_etr, few_and_many) < run(&vidmm_policy_lru, few_and_many));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_keeps_what_it_can),
        cmocka_unit_test(there_and_back_is_no_worse_than_the_oldest),
        cmocka_unit_test(what_is_always_used_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
