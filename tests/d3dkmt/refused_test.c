/* What clients may not name is refused, and nothing of such a call is done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "refused_client.h"
#include "run.h"

static void assert_runs(const struct drydock_workload *workload, unsigned wddm_version,
                        const char *registry, unsigned calls, uint64_t seeds)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        const struct test_run run = {.workloads = {workload},
                                     .device_options = "vram_mb=64",
                                     .wddm_version = wddm_version,
                                     .registry = registry,
                                     .seed = seed,
                                     .process_count = 1};
        struct record *record = test_run(&run);

        test_run_assert_pass(record);
        assert_true(test_run_counter(record, "test.calls") > calls);
        record_destroy(record);
    }
}

static void assert_run(const struct drydock_workload *workload, unsigned wddm_version,
                       const char *registry, unsigned calls)
{
    assert_runs(workload, wddm_version, registry, calls, 3);
}

static void flags_lists_and_values_are_checked(void **state)
{
    assert_run(&refused_flags, 0x2600, NULL, 80);
}

static void updates_signal_what_may_be_signalled(void **state)
{
    assert_run(&refused_updates, 0x2600, "\"GpuMmu\"=dword:00000001\n", 2);
}

static void updates_have_so_many_pieces(void **state)
{
    assert_run(&refused_pieces, 0x2600, "\"GpuMmu\"=dword:00000001\n", 4);
}

static void a_process_has_so_many_mappings(void **state)
{
    assert_runs(&refused_mappings, 0x2600, "\"GpuMmu\"=dword:00000001\n", 12, 1); /* it is long */
}

static void sources_of_others_are_left_alone(void **state)
{
    assert_run(&refused_sources, 0, NULL, 50);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_lists_and_values_are_checked),
        cmocka_unit_test(updates_signal_what_may_be_signalled),
        cmocka_unit_test(updates_have_so_many_pieces),
        cmocka_unit_test(a_process_has_so_many_mappings),
        cmocka_unit_test(sources_of_others_are_left_alone),
    };

    test_run_set_driver(argc > 1 ? argv[1] : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
