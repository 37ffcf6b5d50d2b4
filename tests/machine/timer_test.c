/* Timers: order, cancelling, re-arming. */
#include "machine/support.h"

#define TIMERS 200

struct probe {
    struct machine_timer timer;
    unsigned index;
};

static struct probe probes[TIMERS];
static struct {
    unsigned index;
    uint64_t at;
} fired[TIMERS * 2];
static unsigned fired_count;

static void fire(struct machine_timer *timer)
{
    struct probe *probe = timer->context;

    assert_null(task_self());
    assert_int_equal(irql_current(), MACHINE_IRQL_HIGH);
    fired[fired_count].index = probe->index;
    fired[fired_count++].at = machine_now_ns();
}

static void wait_task(void *argument)
{
    task_block(10 * NS_PER_MS);
}

static void timers_fire_by_time_then_by_order(void **state)
{
    unsigned cancelled = 0;

    fired_count = 0;
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    for (unsigned i = 0; i < TIMERS; i++) {
        probes[i].index = i;
        machine_timer_init(&probes[i].timer, fire, &probes[i]);
        machine_timer_set(&probes[i].timer, 1000 * machine_random_below(RANDOM_SITE_WORKLOAD, 50));
    }
    for (unsigned i = 0; i < TIMERS; i += 3) {
        cancelled += machine_timer_cancel(&probes[i].timer);
        assert_false(machine_timer_cancel(&probes[i].timer));
    }
    spawn("wait", wait_task, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    assert_int_equal(fired_count, TIMERS - cancelled);
    for (unsigned i = 0; i < fired_count; i++) {
        assert_int_equal(fired[i].at, probes[fired[i].index].timer.due_ns);
        if (i > 0 && fired[i].at == fired[i - 1].at) {
            assert_true(fired[i].index > fired[i - 1].index);
        }
        assert_true(i == 0 || fired[i].at >= fired[i - 1].at);
    }
    machine_destroy();
}

static void setting_again_moves_a_timer(void **state)
{
    fired_count = 0;
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    machine_timer_init(&probes[0].timer, fire, &probes[0]);
    machine_timer_set(&probes[0].timer, 100);
    machine_timer_set(&probes[0].timer, 900);
    spawn("wait", wait_task, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    assert_int_equal(fired_count, 1);
    assert_int_equal(fired[0].at, 900);
    machine_destroy();
}

static void at_once(struct machine_timer *timer)
{
    machine_timer_set(timer, 0);
}

static void a_storm_of_timers_does_not_stop_time(void **state)
{
    struct machine_timer timer;

    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    machine_timer_init(&timer, at_once, NULL);
    machine_timer_set(&timer, 0);
    spawn("wait", wait_task, NULL);
    assert_int_equal(machine_run(100 * NS_PER_US), MACHINE_STOP_DEADLINE);
    machine_destroy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_fire_by_time_then_by_order),
        cmocka_unit_test(setting_again_moves_a_timer),
        cmocka_unit_test(a_storm_of_timers_does_not_stop_time),
    };
    return cmocka_run_group_tests_name("timer", tests, NULL, NULL);
}
