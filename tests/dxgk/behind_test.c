/* An engine that goes on behind a fault meets another client's work that hangs: each is told what
 * it did, and who did nothing goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "behind_client.h"
#include "contract/contract.h"
#include "run.h"

static void a_hang_behind_a_fault_is_another_clients(void **state)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        const struct test_run run = {
            .workloads = {&behind_a_fault},
            .device_options = "vram_mb=16",
            .registry = "\"GpuMmu\"=dword:00000001\n\"HardwareScheduling\"=dword:00000002\n"
                        "\"PagingNode\"=dword:00000001\n",
            .wddm_version = 0x2600,
            .seed = seed,
            .process_count = 1,
            .vary = seed % 2 ? NULL : "odd-questions,interrupt-within,special-pool"};
        struct record *record = test_run(&run);

        test_run_assert_pass(record);
        assert_int_equal(test_run_counter(record, "behind.verdicts"), 3);
        assert_int_equal(test_run_counter(record, "behind.went_on"), 1);
        assert_int_equal(test_run_counter(record, "devices.lost"), 2);
        assert_int_equal(record_header(record)->ddi[POINT_ResumeHwEngine].calls, 2);
        record_destroy(record);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hang_behind_a_fault_is_another_clients),
    };

    test_run_set_driver(argc > 1 ? argv[1] : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
