/* Spin locks: exclusion between CPUs, and the deadlocks that are found. */
#include "machine/support.h"

static struct spin_lock first, second;
static unsigned inside, rounds, deadlocks;

static void lock_task(void *argument)
{
    for (unsigned i = 0; i < 50; i++) {
        uint8_t old = irql_raise(MACHINE_IRQL_DISPATCH);
        assert_int_equal(spin_lock_acquire(&first), SPIN_ACQUIRED);
        assert_int_equal(inside++, 0);
        machine_spend(30);
        assert_int_equal(inside--, 1);
        assert_true(spin_lock_release(&first));
        rounds++;
        irql_lower(old);
    }
}

static void spin_locks_exclude(void **state)
{
    for (int policy = 0; policy < 2; policy++) {
        for (uint64_t seed = 1; seed < 8; seed++) {
            rounds = inside = 0;
            first = (struct spin_lock){0};
            machine_start(seed, (enum machine_policy)policy, 4);
            for (unsigned i = 0; i < 6; i++) {
                spawn("lock", lock_task, NULL);
            }
            assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
            assert_int_equal(rounds, 300);
            machine_destroy();
        }
    }
}

static void self_task(void *argument)
{
    irql_raise(MACHINE_IRQL_DISPATCH);
    assert_int_equal(spin_lock_acquire(&first), SPIN_ACQUIRED);
    assert_int_equal(spin_lock_acquire(&first), SPIN_SELF_DEADLOCK);
    assert_false(spin_lock_try(&first));
    assert_true(spin_lock_release(&first));
    assert_false(spin_lock_release(&first));
    first.owner_cpu_plus_one = (uintptr_t)0xDEADBEEFDEADBEEF;
    assert_int_equal(spin_lock_acquire(&first), SPIN_SELF_DEADLOCK);
    irql_lower(MACHINE_IRQL_PASSIVE);
}

static void taking_ones_own_lock_is_found(void **state)
{
    first = (struct spin_lock){0};
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    spawn("self", self_task, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    machine_destroy();
}

static void cross(struct spin_lock *a, struct spin_lock *b)
{
    irql_raise(MACHINE_IRQL_DISPATCH);
    assert_int_equal(spin_lock_acquire(a), SPIN_ACQUIRED);
    machine_spend(10 * NS_PER_US);
    if (spin_lock_acquire(b) == SPIN_SELF_DEADLOCK) {
        deadlocks++;
    } else {
        spin_lock_release(b);
    }
    spin_lock_release(a);
    irql_lower(MACHINE_IRQL_PASSIVE);
}

static void cross_forward(void *argument)
{
    cross(&first, &second);
}

static void cross_backward(void *argument)
{
    cross(&second, &first);
}

static void crossed_locks_of_two_cpus_are_found(void **state)
{
    deadlocks = 0;
    for (uint64_t seed = 1; seed < 10; seed++) {
        first = second = (struct spin_lock){0};
        machine_start(seed, MACHINE_POLICY_RANDOM, 2);
        spawn("forward", cross_forward, NULL);
        spawn("backward", cross_backward, NULL);
        assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
        machine_destroy();
    }
    assert_true(deadlocks > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spin_locks_exclude),
        cmocka_unit_test(taking_ones_own_lock_is_found),
        cmocka_unit_test(crossed_locks_of_two_cpus_are_found),
    };
    return cmocka_run_group_tests_name("spin_lock", tests, NULL, NULL);
}
