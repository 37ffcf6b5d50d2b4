/* Resources and synchronisation objects that two processes share, by number and by handle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "run.h"
#include "share_client.h"

static void assert_shares(uint64_t seed)
{
    const struct test_run run = {.workloads = {&sharing},
                                 .device_options = "vram_mb=16",
                                 .wddm_version = 0x2600,
                                 .seed = seed,
                                 .process_count = 1};
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "test.calls") > 60);
    record_destroy(record);
}

/* Whichever of the two comes first. */
static void processes_share_by_handle_and_by_number(void **state)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        assert_shares(seed);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_share_by_handle_and_by_number),
    };

    test_run_set_driver(argc > 1 ? argv[1] : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
