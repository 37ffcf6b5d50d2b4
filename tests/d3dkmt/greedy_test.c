/* Who makes objects without end is refused, with the status of a call without memory, and nobody
 * else is; of several who end one device one does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "greedy_client.h"
#include "run.h"

static struct record *run_with(const struct drydock_workload *client, uint64_t seed,
                               const char *registry)
{
    const struct test_run run = {.workloads = {client},
                                 .device_options = "vram_mb=16",
                                 .wddm_version = 0x2600,
                                 .seed = seed,
                                 .registry = registry,
                                 .process_count = 1};
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    return record;
}

static struct record *run_client(const struct drydock_workload *client, uint64_t seed)
{
    return run_with(client, seed, NULL);
}

static void a_process_has_so_many_contexts_and_devices(void **state)
{
    struct record *record = run_client(&greedy_workers, 1);

    assert_int_equal(test_run_counter(record, "test.refused"), 4);
    assert_in_range(test_run_counter(record, "test.made"), 500, 6000);
    assert_true(test_run_counter(record, "client.bounds") > 0);
    record_destroy(record);
    record = run_with(&greedy_workers, 1, "\"GpuMmu\"=dword:00000001\n");
    assert_int_equal(test_run_counter(record, "test.refused"), 6); /* paging queues, too */
    record_destroy(record);
}

static void a_process_has_so_many_objects(void **state)
{
    struct record *record = run_client(&greedy_objects, 1);

    assert_int_equal(test_run_counter(record, "test.refused"), 10);
    assert_true(test_run_counter(record, "client.bounds") > 0);
    record_destroy(record);
}

static void a_context_has_so_many_waits(void **state)
{
    struct record *record = run_client(&greedy_waits, 1);

    assert_int_equal(test_run_counter(record, "test.refused"), 4);
    assert_true(test_run_counter(record, "client.bounds") > 0);
    record_destroy(record);
}

static void a_process_has_so_many_waits_in_all_contexts(void **state)
{
    struct record *record = run_client(&greedy_contexts, 1);

    assert_int_equal(test_run_counter(record, "test.refused"), 10);
    assert_in_range(test_run_counter(record, "test.made"), 2 * 16384, 2 * 32768);
    record_destroy(record);
}

static void a_process_has_so_many_waits_with_events(void **state)
{
    struct record *record = run_client(&greedy_events, 1);

    assert_int_equal(test_run_counter(record, "test.refused"), 4);
    assert_int_equal(test_run_counter(record, "test.made"), 4 * 4096);
    assert_true(test_run_counter(record, "client.bounds") > 0);
    record_destroy(record);
}

static void a_process_has_so_many_areas(void **state)
{
    struct record *record = run_with(&greedy_addresses, 1, "\"GpuMmu\"=dword:00000001\n");

    assert_int_equal(test_run_counter(record, "test.refused"), 2);
    assert_in_range(test_run_counter(record, "test.made"), 2 * 65000, 2 * 65536);
    assert_true(test_run_counter(record, "client.bounds") > 0);
    record_destroy(record);
}

static void one_of_several_ends_a_device(void **state)
{
    uint64_t refused = 0;

    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct record *record = run_client(&closers, seed);
        refused += test_run_counter(record, "test.refused");
        record_destroy(record);
    }
    assert_true(refused > 100);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_has_so_many_contexts_and_devices),
        cmocka_unit_test(a_process_has_so_many_objects),
        cmocka_unit_test(a_context_has_so_many_waits),
        cmocka_unit_test(a_process_has_so_many_waits_in_all_contexts),
        cmocka_unit_test(a_process_has_so_many_waits_with_events),
        cmocka_unit_test(a_process_has_so_many_areas),
        cmocka_unit_test(one_of_several_ends_a_device),
    };

    test_run_set_driver(argc > 1 ? argv[1] : "");
    cmocka_set_test_filter(argc > 2 ? argv[2] : NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
