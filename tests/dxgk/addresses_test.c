/* Clients of GPU virtual addresses that do wrong: calls end, well or refused; whoever faults loses
 * his device and nobody else his results; nothing is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "addresses_client.h"
#include "contract/contract.h"
#include "run.h"

#define WDDM_2_6 0x2600

static const char *const ways[] = {
    "\"GpuMmu\"=dword:00000001\n",
    "\"GpuMmu\"=dword:00000001\n\"PagingVirtual\"=dword:00000000\n",
    "\"GpuMmu\"=dword:00000001\n\"PageTableLevels\"=dword:00000002\n",
};
#define WAYS (sizeof ways / sizeof *ways)

static struct record *run(const struct drydock_workload *workload, size_t way, uint64_t seed)
{
    const struct test_run options = {.workloads = {workload},
                                     .device_options = "vram_mb=16",
                                     .registry = ways[way],
                                     .wddm_version = WDDM_2_6,
                                     .seed = seed,
                                     .process_count = 1};
    struct record *record = test_run(&options);

    test_run_assert_pass(record);
    return record;
}

static void victims_may_be_destroyed_anywhere(void **state)
{
    static const struct {
        unsigned calls, points; /* points: at least */
    } rows[] = {
        [ADDRESSES_DEVICE] = {18, 40},    [ADDRESSES_CONTEXT] = {4, 10},
        [ADDRESSES_ALLOCATION] = {8, 21}, [ADDRESSES_QUEUE] = {6, 6},
        [ADDRESSES_FENCE] = {4, 4},
    };

    addresses_victim = *(const enum addresses_victim *)*state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct record *record = run(&addresses_lives, seed % WAYS, seed);
        assert_int_equal(test_run_counter(record, "addresses.rows"), rows[addresses_victim].calls);
        assert_true(test_run_counter(record, "addresses.points") >= rows[addresses_victim].points);
        assert_true(test_run_counter(record, "addresses.done") > 0);
        record_destroy(record);
    }
}

static void arguments_without_sense_are_refused(void **state)
{
    for (size_t way = 0; way < WAYS; way++) {
        struct record *record = run(&addresses_hostile, way, 1);
        assert_true(test_run_counter(record, "addresses.calls") >= 35);
        record_destroy(record);
    }
}

static void a_fault_costs_one_client_his_device(void **state)
{
    for (size_t way = 0; way < WAYS; way++) {
        struct record *record = run(&addresses_fault, way, 1);
        assert_true(test_run_counter(record, "addresses.fills") >= 8);
        assert_true(test_run_counter(record, "devices.lost") >= 2);
        record_destroy(record);
    }
}

/* Any client can write an address that leads nowhere: resets for that are no hanging adapter. */
static void many_faults_of_clients_are_no_fault_of_the_driver(void **state)
{
    for (size_t way = 0; way < WAYS; way++) {
        struct record *record = run(&addresses_faults, way, 1);
        assert_int_equal(test_run_counter(record, "addresses.fills"), 4);
        assert_int_equal(test_run_counter(record, "devices.lost"), 8);
        record_destroy(record);
    }
}

/* What a reset for that took of others it took for no fault of the driver's. */
static void a_fault_that_hurts_others_is_no_fault_of_the_driver(void **state)
{
    uint64_t hurt = 0;

    for (size_t way = 0; way < WAYS; way++) {
        struct record *record = run(&addresses_bystander, way, 1);
        hurt += test_run_counter(record, "devices.lost") > 1;
        record_destroy(record);
    }
    assert_true(hurt > 0);
}

static void memory_is_destroyed_behind_the_work_that_uses_it(void **state)
{
    for (size_t way = 0; way < WAYS; way++) {
        struct record *record = run(&addresses_destroyed, way, 1);
        assert_int_equal(test_run_counter(record, "addresses.copies"), 1);
        record_destroy(record);
    }
}

int main(int argc, char **argv)
{
    static const enum addresses_victim victims[] = {ADDRESSES_DEVICE, ADDRESSES_CONTEXT,
                                                    ADDRESSES_ALLOCATION, ADDRESSES_QUEUE,
                                                    ADDRESSES_FENCE};
#define ROW(name, index)                                                              \
    {                                                                                 \
        name, victims_may_be_destroyed_anywhere, NULL, NULL, (void *)&victims[index], \
    }
    const struct CMUnitTest tests[] = {
        ROW("a device may be destroyed anywhere", 0),
        ROW("a context may be destroyed anywhere", 1),
        ROW("an allocation may be destroyed anywhere", 2),
        ROW("a paging queue may be destroyed anywhere", 3),
        ROW("a fence may be destroyed anywhere", 4),
        cmocka_unit_test(arguments_without_sense_are_refused),
        cmocka_unit_test(a_fault_costs_one_client_his_device),
        cmocka_unit_test(many_faults_of_clients_are_no_fault_of_the_driver),
        cmocka_unit_test(a_fault_that_hurts_others_is_no_fault_of_the_driver),
        cmocka_unit_test(memory_is_destroyed_behind_the_work_that_uses_it),
    };

    test_run_set_driver(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests_name("addresses", tests, NULL, NULL);
}
