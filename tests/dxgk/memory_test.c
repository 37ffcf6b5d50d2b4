/* Memory that a driver made for contexts is destroyed at every point that may switch of every
 * callback that waits with it: the callbacks end, well or refused, and nothing is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "memory_client.h"
#include "run.h"

#define WDDM_2_6 0x2600

static void memory_of_a_context_may_be_destroyed_anywhere(void **state)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const struct test_run run = {
            .workloads = {&memory_client},
            .device_options = "vram_mb=16",
            .registry = "\"GpuMmu\"=dword:00000001\n\"ContextState\"=dword:00000001\n",
            .wddm_version = WDDM_2_6,
            .seed = seed,
            .process_count = 1};
        struct record *record = test_run(&run);
        test_run_assert_pass(record);
        assert_int_equal(test_run_counter(record, "memory.rows"), 6);
        assert_true(test_run_counter(record, "memory.points") >= 6);
        assert_true(test_run_counter(record, "memory.done") > 0);
        assert_true(test_run_counter(record, "memory.refused") > 0);
        record_destroy(record);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_a_context_may_be_destroyed_anywhere),
    };

    test_run_set_driver(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
