/* The watchdog ends a run that is stuck in code which never comes back. */
#include <time.h>
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

static void note_endless(void *endless, void *ucontext)
{
    *(bool *)endless = mmio_call_is_endless();
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

/* A call that passes points for ever; where there is none, others may go on so, for four times as
 * long as a call may. */
static void yield_for_ever(void *in_call)
{
    if (in_call) {
        mmio_call_begins();
    }
    for (clock_t began = clock(); in_call || clock() - began < CLOCKS_PER_SEC / 2;) {
        machine_yield();
    }
}

static void a_call_without_end_is_found(void **state)
{
    bool endless = false;

    skip_without_signals();
    for (int in_call = 0; in_call < 2; in_call++) {
        machine_set_watchdog_ms(20);
        machine_set_watchdog_call_ms(20);
        machine_set_watchdog_hook(note_endless, &endless);
        machine_start(1, MACHINE_POLICY_RANDOM, 2);
        spawn("busy", yield_for_ever, in_call ? &endless : NULL);
        assert_int_equal(machine_run(MACHINE_NEVER),
                         in_call ? MACHINE_STOP_WATCHDOG : MACHINE_STOP_DONE);
        assert_int_equal(endless, in_call);
        machine_destroy();
    }
    machine_set_watchdog_hook(NULL, NULL);
}

static void halt(void *argument)
{
    irql_raise(MACHINE_IRQL_HIGH);
    machine_halt();
}

static void note(void *argument)
{
    irql_raise(MACHINE_IRQL_HIGH);
    machine_yield(); /* nobody else runs */
    machine_spend(NS_PER_S);
    *(bool *)argument = true;
}

/* Time goes on and points are passed where one may switch, and yet it never ends. */
static void poll(void *argument)
{
    for (;;) {
        machine_yield();
        machine_spend(1);
    }
}

static void dead_machine(void *others_run)
{
    machine_set_watchdog_ms(40);
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    spawn("halt", halt, NULL);
    spawn("other", note, others_run);
    while (machine_run(MACHINE_NEVER) != MACHINE_STOP_HALTED) {
    }
    *(bool *)others_run = false;
}

static void last_words_are_said_alone(void **state)
{
    bool other, said = false;

    dead_machine(&other);
    assert_true(machine_speak_last(note, &said));
    assert_true(said && !other);
    assert_int_equal(irql_current(), MACHINE_IRQL_PASSIVE);
    machine_destroy();
}

static void last_words_end_where_they_halt_or_hang(void **state)
{
    static void (*const ends[])(void *) = {halt, spin, poll};
    bool other;

    skip_without_signals();
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        dead_machine(&other);
        assert_false(machine_speak_last(ends[i], NULL));
        assert_false(other);
        machine_destroy();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_endless_loop_is_found),
        cmocka_unit_test(a_busy_run_is_left_alone),
        cmocka_unit_test(a_call_without_end_is_found),
        cmocka_unit_test(last_words_are_said_alone),
        cmocka_unit_test(last_words_end_where_they_halt_or_hang),
    };
    return cmocka_run_group_tests_name("watchdog", tests, NULL, NULL);
}
