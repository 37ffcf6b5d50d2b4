/* Each kind of object is destroyed at every point that may switch of every call that uses it: the
 * calls end, well or refused, the driver is called on nothing that is dead (its rules would say
 * so), and nothing is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lives_client.h"
#include "run.h"

static const struct row {
    enum lives_victim victim;
    unsigned calls, points; /* at least */
    bool refused;           /* some calls came too late */
} rows[] = {
    {LIVES_DEVICE, 25, 194, true},    {LIVES_CONTEXT, 11, 104, true},
    {LIVES_ALLOCATION, 13, 78, true}, {LIVES_RESOURCE, 13, 78, true},
    {LIVES_SYNC, 3, 21, true},        {LIVES_ADAPTER, 6, 57, false},
    {LIVES_PROCESS, 1, 8, true},
};

static void run_seed(const struct row *row, uint64_t seed)
{
    const struct test_run run = {.workloads = {&lives_client},
                                 .device_options = "vram_mb=16",
                                 .seed = seed,
                                 .process_count = 1};

    struct record *record = test_run(&run);
    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "lives.calls") >= row->calls);
    assert_true(test_run_counter(record, "lives.points") >= row->points);
    assert_true(test_run_counter(record, "lives.done") > 0);
    assert_true(!row->refused || test_run_counter(record, "lives.refused") > 0);
    record_destroy(record);
}

/* What else runs between two points is the seed's choice. */
static void run_row(const struct row *row)
{
    lives_victim = row->victim;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        run_seed(row, seed);
    }
}

static void a_device_may_be_destroyed_anywhere(void **state)
{
    run_row(&rows[LIVES_DEVICE]);
}

static void a_context_may_be_destroyed_anywhere(void **state)
{
    run_row(&rows[LIVES_CONTEXT]);
}

static void an_allocation_may_be_destroyed_anywhere(void **state)
{
    run_row(&rows[LIVES_ALLOCATION]);
}

static void a_resource_may_be_destroyed_anywhere(void **state)
{
    run_row(&rows[LIVES_RESOURCE]);
}

static void a_sync_object_may_be_destroyed_anywhere(void **state)
{
    run_row(&rows[LIVES_SYNC]);
}

static void an_adapter_may_be_closed_anywhere(void **state)
{
    run_row(&rows[LIVES_ADAPTER]);
}

static void a_process_may_end_anywhere_in_a_call_of_another(void **state)
{
    run_row(&rows[LIVES_PROCESS]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_may_be_destroyed_anywhere),
        cmocka_unit_test(a_context_may_be_destroyed_anywhere),
        cmocka_unit_test(an_allocation_may_be_destroyed_anywhere),
        cmocka_unit_test(a_resource_may_be_destroyed_anywhere),
        cmocka_unit_test(a_sync_object_may_be_destroyed_anywhere),
        cmocka_unit_test(an_adapter_may_be_closed_anywhere),
        cmocka_unit_test(a_process_may_end_anywhere_in_a_call_of_another),
    };

    test_run_set_driver(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests_name("lives", tests, NULL, NULL);
}
