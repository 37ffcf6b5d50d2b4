/* Prints what yields and switches cost. Asserts only bounds that even a sanitizer keeps. */
#include <stdio.h>
#include <time.h>

#include "machine/support.h"

#define YIELDS   2000000u
#define SWITCHES 400000u

static struct task *partner[2];

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void yield_task(void *argument)
{
    double start = now();

    for (unsigned i = 0; i < YIELDS; i++) {
        machine_yield();
    }
    *(double *)argument = (now() - start) / YIELDS;
}

static void ping_task(void *argument)
{
    unsigned self = *(const unsigned *)argument;

    for (unsigned i = 0; i < SWITCHES / 2; i++) {
        task_wake(partner[!self]);
        task_block(MACHINE_NEVER);
    }
    task_wake(partner[!self]);
}

static double run_yields(enum machine_policy policy)
{
    double cost = 0;

    machine_start(1, policy, 4);
    spawn("yield", yield_task, &cost);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    machine_destroy();
    return cost;
}

static double run_ping(enum machine_policy policy)
{
    unsigned places[2] = {0, 1};
    double start;

    machine_start(1, policy, 4);
    partner[0] = spawn("ping", ping_task, &places[0]);
    partner[1] = spawn("pong", ping_task, &places[1]);
    task_get(partner[0]);
    task_get(partner[1]);
    start = now();
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    start = (now() - start) / SWITCHES;
    task_put(partner[0]);
    task_put(partner[1]);
    machine_destroy();
    return start;
}

static void costs(void **state)
{
    struct record *record = record_create(1 << 16, 4096);
    double start;

    print_message("yield, round robin: %6.1f ns\n", run_yields(MACHINE_POLICY_ROUND_ROBIN));
    print_message("yield, random:      %6.1f ns\n", run_yields(MACHINE_POLICY_RANDOM));
    print_message("wake and block, round robin: %6.1f ns\n", run_ping(MACHINE_POLICY_ROUND_ROBIN));
    print_message("wake and block, random:      %6.1f ns\n", run_ping(MACHINE_POLICY_RANDOM));
    record_attach(record);
    start = now();
    for (unsigned i = 0; i < YIELDS; i++) {
        record_event(EVENT_USER, i, i, i);
    }
    start = (now() - start) / YIELDS;
    print_message("record_event:       %6.1f ns\n", start);
    assert_true(start < 2000);
    record_destroy(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs),
    };
    return cmocka_run_group_tests_name("switch_cost", tests, NULL, NULL);
}
