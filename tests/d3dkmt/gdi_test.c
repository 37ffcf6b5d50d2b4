/* Pictures of GDI: what clients may ask for, and that no driver sees what they may not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "contract/contract.h"
#include "gdi_client.h"
#include "run.h"

static struct record *run_of(const struct drydock_workload *workload, unsigned version,
                             const char *registry, uint64_t seed)
{
    const struct test_run run = {.workloads = {workload},
                                 .device_options = "vram_mb=16",
                                 .wddm_version = version,
                                 .registry = registry,
                                 .seed = seed,
                                 .process_count = 1};
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    return record;
}

#define ADDRESSES "\"GpuMmu\"=dword:00000001\n"

static uint64_t looks_at_commands(struct record *record)
{
    const struct record_header *header = record_header(record);
    uint64_t looks = 0;

    for (unsigned i = 0; i < RECORD_JUDGED_COUNT; i++) {
        looks += header->rule_checks[i][RULE_GDI_007];
    }
    return looks;
}

static void what_is_refused_no_driver_sees(void **state)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct record *record = seed % 2 ? run_of(&gdi_refused, 0x1300, NULL, seed)
                                         : run_of(&gdi_refused, 0x2600, ADDRESSES, seed);
        assert_true(test_run_counter(record, "test.calls") > (seed % 2 ? 120 : 240));
        assert_int_equal(looks_at_commands(record), 0);
        record_destroy(record);
    }
}

static void what_is_drawn_may_go_meanwhile(void **state)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct record *record = seed % 2 ? run_of(&gdi_drawn, 0x1300, NULL, seed)
                                         : run_of(&gdi_drawn, 0x2600, ADDRESSES, seed);
        assert_true(looks_at_commands(record) > 20);
        assert_int_equal(test_run_counter(record, "test.copy_node"), seed % 2 ? 0 : 1);
        record_destroy(record);
    }
}

static void some_drivers_draw_nothing(void **state)
{
    record_destroy(run_of(&gdi_absent, 0x1300, "\"GdiAcceleration\"=dword:00000000\n", 1));
    record_destroy(run_of(&gdi_absent, 0x1000, NULL, 1));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_refused_no_driver_sees),
        cmocka_unit_test(what_is_drawn_may_go_meanwhile),
        cmocka_unit_test(some_drivers_draw_nothing),
    };

    test_run_set_driver(argc > 1 ? argv[1] : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
