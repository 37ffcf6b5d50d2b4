/* Blocking, waking, queues of waiters. */
#include <limits.h>

#include "machine/support.h"

static struct task *sleeper;
static enum wait_status result;
static uint64_t woken_at;

static void sleep_until_woken(void *argument)
{
    result = task_block(*(const uint64_t *)argument);
    woken_at = machine_now_ns();
}

static void wake_later(void *argument)
{
    machine_spend(NS_PER_MS);
    task_wake(sleeper);
}

static void run_sleep(uint64_t deadline, bool wake)
{
    machine_start(11, MACHINE_POLICY_RANDOM, 2);
    sleeper = spawn("sleeper", sleep_until_woken, &deadline);
    if (wake) {
        spawn("waker", wake_later, NULL);
    }
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    machine_destroy();
}

static void a_wake_ends_a_block(void **state)
{
    run_sleep(MACHINE_NEVER, true);
    assert_int_equal(result, WAIT_WOKEN);
    assert_int_equal(woken_at, NS_PER_MS);
}

static void a_deadline_ends_a_block(void **state)
{
    run_sleep(5 * NS_PER_US, false);
    assert_int_equal(result, WAIT_TIMED_OUT);
    assert_int_equal(woken_at, 5 * NS_PER_US);
}

static void a_wake_before_the_deadline_wins(void **state)
{
    run_sleep(2 * NS_PER_MS, true);
    assert_int_equal(result, WAIT_WOKEN);
    assert_int_equal(woken_at, NS_PER_MS);
}

static void remember_task(void *argument)
{
    task_wake(task_self());
    task_wake(task_self());
    assert_int_equal(task_block(MACHINE_NEVER), WAIT_WOKEN);
    assert_int_equal(task_block(machine_now_ns() + 10), WAIT_TIMED_OUT);
}

static void an_early_wake_is_remembered_once(void **state)
{
    machine_start(11, MACHINE_POLICY_RANDOM, 2);
    spawn("remember", remember_task, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    machine_destroy();
}

static struct wait_queue queue;
static char order[16];
static unsigned order_count;

static void queue_task(void *argument)
{
    assert_int_equal(wait_queue_wait(&queue, MACHINE_NEVER), WAIT_WOKEN);
    order[order_count++] = task_name(task_self())[0];
}

static void wake_two_then_all(void *argument)
{
    task_block(machine_now_ns() + 10);
    assert_int_equal(wait_queue_wake(&queue, 2), 2);
    task_block(machine_now_ns() + 10);
    assert_int_equal(order_count, 2);
    assert_int_equal(wait_queue_wake(&queue, UINT_MAX), 2);
    assert_int_equal(wait_queue_wake(&queue, 1), 0);
}

static void a_queue_wakes_in_order_of_arrival(void **state)
{
    order_count = 0;
    wait_queue_init(&queue);
    machine_start(1, MACHINE_POLICY_ROUND_ROBIN, 1);
    spawn("a", queue_task, NULL);
    spawn("b", queue_task, NULL);
    spawn("c", queue_task, NULL);
    spawn("d", queue_task, NULL);
    spawn("waker", wake_two_then_all, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    order[order_count] = '\0';
    assert_string_equal(order, "abcd");
    machine_destroy();
}

static void stray_task(void *argument)
{
    assert_int_equal(wait_queue_wait(&queue, MACHINE_NEVER), WAIT_WOKEN);
    /* The wake that was not the queue's is still there. */
    assert_int_equal(task_block(MACHINE_NEVER), WAIT_WOKEN);
}

static void stray_waker(void *argument)
{
    machine_spend(10);
    task_wake(sleeper);
    machine_spend(10);
    wait_queue_wake(&queue, 1);
}

static void a_queue_keeps_wakes_meant_for_others(void **state)
{
    wait_queue_init(&queue);
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    sleeper = spawn("stray", stray_task, NULL);
    spawn("waker", stray_waker, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    machine_destroy();
}

static void timeout_task(void *argument)
{
    assert_int_equal(wait_queue_wait(&queue, machine_now_ns() + 100), WAIT_TIMED_OUT);
    assert_int_equal(machine_now_ns(), 100);
    assert_int_equal(wait_queue_wake(&queue, 1), 0);
}

static void a_timed_out_waiter_leaves_the_queue(void **state)
{
    wait_queue_init(&queue);
    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    spawn("waiter", timeout_task, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    machine_destroy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wake_ends_a_block),
        cmocka_unit_test(a_deadline_ends_a_block),
        cmocka_unit_test(a_wake_before_the_deadline_wins),
        cmocka_unit_test(an_early_wake_is_remembered_once),
        cmocka_unit_test(a_queue_wakes_in_order_of_arrival),
        cmocka_unit_test(a_queue_keeps_wakes_meant_for_others),
        cmocka_unit_test(a_timed_out_waiter_leaves_the_queue),
    };
    return cmocka_run_group_tests_name("wait", tests, NULL, NULL);
}
