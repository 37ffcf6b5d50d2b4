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
        .workloads = {&recorded},
        .device_options = "vram_mb=16",
        .registry = "\"Lanes\"=dword:00000004\n"
                    "[\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class\\"
                    "{4d36e968-e325-11ce-bfc1-08002be10318}\\0000]\n"
                    "\"UserModeDriverName\"=hex(7):61,00,39,00,00,00,62,00,00,00,00,00\n"
                    "\"HardwareInformation.ChipType\"=\"Ganymede\"\n",
        .seed = 1,
        .process_count = 1,
    };
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
