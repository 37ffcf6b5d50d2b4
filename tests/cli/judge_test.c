/* The verdict on a child that died without a word: whose code ran, and who may have had a part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>

#include "drydock/supervise.h"

static const char *no_point(unsigned point)
{
    (void)point;
    return "a point";
}

const struct observe_names record_names = {.point = no_point};

/* Dead of the signal, while `which` of the workloads ran, two of which are plugged in. */
static struct record *judged(int signal_number, uint32_t which, bool plugged)
{
    static struct host_options host;
    const struct child_end end = {.reason = END_CHILD, .status = signal_number, .host = &host};
    struct record *record = record_create(1024, 1 << 16);

    host = (struct host_options){.workload_count = 3};
    if (plugged) {
        host.workload_paths[1] = "./one.so";
        host.workload_paths[2] = "./two.so";
    }
    assert_non_null(record);
    record_attach(record);
    record_plugged_runs(RECORD_PLUGGED_CLIENT, which);
    judge_end(record, &end);
    return record;
}

static void expect(struct record *record, enum run_outcome outcome, const char *words)
{
    assert_int_equal(record_header(record)->outcome, outcome);
    assert_non_null(strstr(record_header(record)->message, words));
    record_attach(NULL);
    record_destroy(record);
}

static void the_workload_that_ran_is_told(void **state)
{
    (void)state;
    expect(judged(SIGSEGV, 2, true), RUN_OUTCOME_WORKLOAD_FAULT, "workload ./one.so: ");
    expect(judged(SIGSEGV, 3, true), RUN_OUTCOME_WORKLOAD_FAULT, "workload ./two.so: ");
}

/* What is built in is nobody's, nor is a number that a driver may have written. */
static void no_other_workload_is_told(void **state)
{
    (void)state;
    expect(judged(SIGSEGV, 1, true), RUN_OUTCOME_OWN_FAULT, "outside the driver");
    expect(judged(SIGSEGV, 4, true), RUN_OUTCOME_OWN_FAULT, "outside the driver");
    expect(judged(SIGSEGV, UINT32_MAX, true), RUN_OUTCOME_OWN_FAULT, "outside the driver");
}

static void a_forbidden_call_is_the_drivers_where_nothing_is_plugged_in(void **state)
{
    (void)state;
    expect(judged(SIGSYS, 0, false), RUN_OUTCOME_FAULT, "a routine of the driver's own");
    expect(judged(SIGSYS, 0, true), RUN_OUTCOME_INCONCLUSIVE, "a forbidden system call");
    expect(judged(SIGSYS, 2, true), RUN_OUTCOME_WORKLOAD_FAULT, "workload ./one.so: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_workload_that_ran_is_told),
        cmocka_unit_test(no_other_workload_is_told),
        cmocka_unit_test(a_forbidden_call_is_the_drivers_where_nothing_is_plugged_in),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
