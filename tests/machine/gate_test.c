/* Gates: shared and exclusive, in order of arrival; and the ranks of mutexes. */
#include "machine/support.h"

static struct gate gate;
static unsigned inside_shared, inside_exclusive, entries;

static void check_invariant(void)
{
    assert_true(inside_exclusive <= 1);
    assert_true(inside_exclusive == 0 || inside_shared == 0);
}

static void shared_task(void *argument)
{
    for (unsigned i = 0; i < 30; i++) {
        gate_enter_shared(&gate);
        inside_shared++;
        entries++;
        check_invariant();
        machine_spend(machine_random_below(RANDOM_SITE_WORKLOAD, 200));
        check_invariant();
        inside_shared--;
        gate_leave_shared(&gate);
        machine_yield();
    }
}

static void exclusive_task(void *argument)
{
    for (unsigned i = 0; i < 30; i++) {
        if (!gate_enter_exclusive(&gate, machine_now_ns() + 150)) {
            continue;
        }
        inside_exclusive++;
        entries++;
        check_invariant();
        machine_spend(machine_random_below(RANDOM_SITE_WORKLOAD, 200));
        check_invariant();
        inside_exclusive--;
        gate_leave_exclusive(&gate);
        machine_yield();
    }
}

static void exclusion_holds_under_any_seed(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        inside_shared = inside_exclusive = entries = 0;
        gate_init(&gate);
        machine_start(seed, MACHINE_POLICY_RANDOM, 4);
        for (unsigned i = 0; i < 3; i++) {
            spawn("shared", shared_task, NULL);
            spawn("exclusive", exclusive_task, NULL);
        }
        assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
        assert_true(entries > 90);
        assert_int_equal(gate.shared_count, 0);
        assert_null(gate.owner);
        assert_int_equal(gate.exclusive_waiting, 0);
        machine_destroy();
    }
}

static char order[8];
static unsigned order_count;

static void hold_task(void *argument)
{
    gate_enter_shared(&gate);
    machine_spend(1000);
    gate_leave_shared(&gate);
}

static void writer_task(void *argument)
{
    machine_spend(10);
    assert_true(gate_enter_exclusive(&gate, MACHINE_NEVER));
    order[order_count++] = 'w';
    gate_leave_exclusive(&gate);
}

static void reader_task(void *argument)
{
    machine_spend(20);
    gate_enter_shared(&gate);
    order[order_count++] = 'r';
    gate_leave_shared(&gate);
}

/* A reader that comes after a waiting writer does not overtake it. */
static void arrival_order_is_kept(void **state)
{
    order_count = 0;
    gate_init(&gate);
    machine_start(2, MACHINE_POLICY_RANDOM, 4);
    spawn("hold", hold_task, NULL);
    spawn("writer", writer_task, NULL);
    spawn("reader", reader_task, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    order[order_count] = '\0';
    assert_string_equal(order, "wr");
    machine_destroy();
}

static void mutexes_nest_by_rank(void **state)
{
    struct mutex outer, inner;

    mutex_init(&outer, LOCK_RANK_VIDMM);
    mutex_init(&inner, LOCK_RANK_NT);
    mutex_lock(&outer);
    mutex_lock(&inner);
    mutex_unlock(&outer); /* any order */
    mutex_unlock(&inner);
    mutex_lock(&inner);
    mutex_unlock(&inner);
    mutex_fini(&outer);
    mutex_fini(&inner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exclusion_holds_under_any_seed),
        cmocka_unit_test(arrival_order_is_kept),
        cmocka_unit_test(mutexes_nest_by_rank),
    };
    return cmocka_run_group_tests_name("gate", tests, NULL, NULL);
}
