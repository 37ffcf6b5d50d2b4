/* The watchdog ends a run that is stuck in code which never comes back. */
#include <ucontext.h>

#include "machine/support.h"

static volatile unsigned long spins;
static uintptr_t stuck_at;

static __attribute__((noinline)) void spin(void *argument)
{
    for (;;) {
        spins++;
    }
}

static void note_place(void *context, void *ucontext)
{
    stuck_at = (uintptr_t)((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP];
    ++*(unsigned *)context;
}

static void an_endless_loop_is_found(void **state)
{
    unsigned notes = 0;

    skip_without_signals();
    machine_set_watchdog_ms(40);
    machine_set_watchdog_hook(note_place, &notes);
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    spawn("spin", spin, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_WATCHDOG);
    assert_int_equal(notes, 1);
    assert_in_range(stuck_at, (uintptr_t)spin, (uintptr_t)spin + 256);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_WATCHDOG);
    machine_destroy();
    machine_set_watchdog_hook(NULL, NULL);
}

static void yield_for_long(void *argument)
{
    uint64_t until = machine_now_ns() + 20 * NS_PER_MS;

    while (machine_now_ns() < until) {
        machine_yield();
    }
}

static void a_busy_run_is_left_alone(void **state)
{
    machine_set_watchdog_ms(4);
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    spawn("busy", yield_for_long, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    machine_destroy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_endless_loop_is_found),
        cmocka_unit_test(a_busy_run_is_left_alone),
    };
    return cmocka_run_group_tests_name("watchdog", tests, NULL, NULL);
}
