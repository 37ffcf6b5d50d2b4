/* Outputs that are duplicated, events of vertical syncs, sync files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "contract/contract.h"
#include "duplication_client.h"
#include "run.h"

static void assert_run(const struct drydock_workload *workload, uint64_t seed, unsigned version,
                       unsigned calls_min)
{
    const struct test_run run = {.workloads = {workload},
                                 .device_options = "vram_mb=16",
                                 .wddm_version = version,
                                 .seed = seed,
                                 .process_count = 1};
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "test.calls") >= calls_min);
    record_destroy(record);
}

static void another_process_sees_what_is_composed(void **state)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        assert_run(&duplication, seed, seed % 2 ? 0x1300 : 0x2600, 150);
    }
}

#define OPENED_MAX 14 /* what three clients make, and two openings of one surface */

static void surfaces_are_opened_once_for_each_who_composes(void **state)
{
    const struct test_run run = {.workloads = {&duplication_in_turn},
                                 .device_options = "vram_mb=16",
                                 .wddm_version = 0x1300,
                                 .seed = 1,
                                 .process_count = 1};
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    assert_in_range(record_header(record)->ddi[POINT_OpenAllocation].calls, 1, OPENED_MAX);
    record_destroy(record);
}

static void an_event_is_set_by_each_vertical_sync(void **state)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        assert_run(&vertical_events, seed, seed % 2 ? 0x1300 : 0x2600, 40);
    }
}

static void a_context_waits_for_a_sync_file(void **state)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        assert_run(&sync_files, seed, seed % 2 ? 0x2000 : 0x2600, 40);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_process_sees_what_is_composed),
        cmocka_unit_test(surfaces_are_opened_once_for_each_who_composes),
        cmocka_unit_test(an_event_is_set_by_each_vertical_sync),
        cmocka_unit_test(a_context_waits_for_a_sync_file),
    };

    test_run_set_driver(argc > 1 ? argv[1] : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
