/* Whatever a client says, it gets a status; nothing crashes, and the driver is not blamed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <ntddk.h>

#include <d3dkmthk.h>

#include "hostile_client.h"
#include "run.h"

static struct record *run_client(const struct drydock_workload *client, uint64_t seed)
{
    const struct test_run run = {
        .workloads = {client}, .device_options = "vram_mb=16", .seed = seed, .process_count = 1};
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    return record;
}

static void outside_of_a_client_every_call_is_denied(void **state)
{
    D3DKMT_CLOSEADAPTER close = {1};
    D3DKMT_ENUMADAPTERS2 adapters = {0};

    assert_int_equal(D3DKMTCloseAdapter(&close), STATUS_ACCESS_DENIED);
    assert_int_equal(D3DKMTEnumAdapters2(&adapters), STATUS_ACCESS_DENIED);
    assert_int_equal(D3DKMTPresent(NULL), STATUS_ACCESS_DENIED);
}

static void missing_arguments_are_refused(void **state)
{
    struct record *record = run_client(&hostile_null, 1);

    assert_true(test_run_counter(record, "test.calls") >= 45);
    record_destroy(record);
}

static void handles_that_are_not_the_callers_are_refused(void **state)
{
    struct record *record = run_client(&hostile_handles, 1);

    assert_true(test_run_counter(record, "test.calls") > 300);
    record_destroy(record);
}

static void absurd_counts_sizes_and_rectangles_are_refused(void **state)
{
    struct record *record = run_client(&hostile_sizes, 1);

    assert_true(test_run_counter(record, "test.calls") > 60);
    record_destroy(record);
}

/* A thread that destroys waits for the calls that use the object; later ones find it gone. */
static void objects_can_be_destroyed_while_threads_use_them(void **state)
{
    uint64_t refusals = 0;

    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct record *record = run_client(&hostile_threads, seed);
        assert_true(test_run_counter(record, "test.presents") > 10);
        refusals += test_run_counter(record, "test.refusals");
        record_destroy(record);
    }
    assert_true(refusals > 0);
}

static void what_a_process_leaves_open_is_closed(void **state)
{
    record_destroy(run_client(&hostile_leaver, 1));
}

static void random_arguments_do_no_harm(void **state)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct record *record = run_client(&hostile_arguments, seed);
        assert_true(test_run_counter(record, "test.calls") >= 3000);
        record_destroy(record);
    }
}

static void bad_addresses_give_a_status(void **state)
{
    struct record *record = run_client(&hostile_pointers, 1);

    assert_true(test_run_counter(record, "test.calls") > 35);
    record_destroy(record);
}

static void a_call_reads_its_clients_memory_once(void **state)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct record *record = run_client(&hostile_changes, seed);
        assert_true(test_run_counter(record, "test.made") > 50);
        assert_true(test_run_counter(record, "test.refused") > 50);
        assert_true(test_run_counter(record, "test.changes") > 100);
        record_destroy(record);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outside_of_a_client_every_call_is_denied),
        cmocka_unit_test(missing_arguments_are_refused),
        cmocka_unit_test(handles_that_are_not_the_callers_are_refused),
        cmocka_unit_test(absurd_counts_sizes_and_rectangles_are_refused),
        cmocka_unit_test(objects_can_be_destroyed_while_threads_use_them),
        cmocka_unit_test(what_a_process_leaves_open_is_closed),
        cmocka_unit_test(random_arguments_do_no_harm),
        cmocka_unit_test(bad_addresses_give_a_status),
        cmocka_unit_test(a_call_reads_its_clients_memory_once),
    };

    test_run_set_driver(argc > 1 ? argv[1] : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
