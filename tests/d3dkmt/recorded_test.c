/* Clients get the answers that Windows is recorded to give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "recorded_client.h"
#include "run.h"

static void answers_are_those_that_windows_is_recorded_to_give(void **state)
{
    const struct test_run run = {
        .workloads = {&recorded}, .device_options = "vram_mb=16", .seed = 1, .process_count = 1};
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "test.calls") > 150);
    record_destroy(record);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_that_windows_is_recorded_to_give),
    };

    test_run_set_driver(argc > 1 ? argv[1] : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
