/* Page faults of several nodes before one reset of the adapter: whoever faulted hears of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "contract/contract.h"
#include "faults_client.h"
#include "run.h"

#define WDDM_2_6 0x2600
#define REGISTRY "\"GpuMmu\"=dword:1\n\"PerEngineTdr\"=dword:0\n\"PreemptionGranularity\"=dword:0\n"

static void all_that_faulted_before_one_reset_are_lost_for_it(void **state)
{
    const struct test_run run = {.workloads = {&faults_client},
                                 .device_options = "vram_mb=32,aperture_mb=8,outputs=1",
                                 .registry = REGISTRY,
                                 .wddm_version = WDDM_2_6,
                                 .seed = 1,
                                 .time_limit_ns = UINT64_C(1) << 60,
                                 .process_count = 1};
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "faults.rounds"), FAULTS_ROUNDS);
    assert_int_equal(record_header(record)->ddi[POINT_ResetFromTimeout].calls, FAULTS_ROUNDS);
    record_destroy(record);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_faulted_before_one_reset_are_lost_for_it),
    };

    test_run_set_driver(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
