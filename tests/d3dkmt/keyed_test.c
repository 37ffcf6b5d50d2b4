/* Keyed mutexes: statuses as recorded of Windows, and two processes that take turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "keyed_client.h"
#include "run.h"

static void assert_keyed(uint64_t seed, unsigned version)
{
    const struct test_run run = {.workloads = {&keyed},
                                 .device_options = "vram_mb=16",
                                 .wddm_version = version,
                                 .seed = seed,
                                 .process_count = 1};
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "test.calls") > 150);
    record_destroy(record);
}

/* They are no affair of the driver's version. */
static void processes_take_turns_by_keys(void **state)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        assert_keyed(seed, seed % 2 ? 0x2600 : 0x1300);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_take_turns_by_keys),
    };

    test_run_set_driver(argc > 1 ? argv[1] : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
