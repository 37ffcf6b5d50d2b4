/* Processes of a driver with an MMU get their page tables, whatever those look like. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "contract/contract.h"
#include "run.h"
#include "virtual_client.h"

#define WDDM_2_6       0x2600
#define CONTEXTS       3 /* that a client makes */
#define GPU_MMU        "\"GpuMmu\"=dword:00000001\n"
#define PHYSICAL_PAGES "\"PagingVirtual\"=dword:00000000\n"

static struct record *run(const struct drydock_workload *workload, const char *registry)
{
    const struct test_run options = {.workloads = {workload},
                                     .device_options = "vram_mb=16",
                                     .registry = registry,
                                     .wddm_version = WDDM_2_6,
                                     .seed = 1,
                                     .process_count = 2};

    return test_run(&options);
}

static uint64_t calls(struct record *record, enum contract_point point)
{
    return record_header(record)->ddi[point].calls;
}

struct arrangement {
    const char *name, *settings;
    bool root_grows;
};

static const struct arrangement arrangements[] = {
    {"four levels in video memory", ""},
    {"two levels: the root grows", "\"PageTableLevels\"=dword:00000002\n", .root_grows = true},
    {"three levels", "\"PageTableLevels\"=dword:00000003\n"},
    {"five levels", "\"PageTableLevels\"=dword:00000005\n"},
    {"six levels", "\"PageTableLevels\"=dword:00000006\n"},
    {"tables in system memory", "\"PageTableSegment\"=dword:00000000\n"},
    {"pairs of entries", "\"DualPte\"=dword:00000001\n"},
    {"entries that end invalid", "\"PageTableInvalidation\"=dword:00000001\n"},
};

static void contexts_get_their_root_table(void **state)
{
    const struct arrangement *arrangement = *state;
    char registry[256];

    snprintf(registry, sizeof registry, GPU_MMU PHYSICAL_PAGES "%s", arrangement->settings);
    struct record *record = run(&virtual_contexts, registry);
    test_run_assert_pass(record);
    uint64_t processes = calls(record, POINT_CreateProcess) - 1; /* without the system's */
    assert_true(processes >= 1);
    assert_int_equal(calls(record, POINT_DestroyProcess), processes + 1);
    assert_int_equal(calls(record, POINT_SetRootPageTable), CONTEXTS * processes);
    assert_true(test_run_counter(record, "paging_operations.UpdatePageTable") >= processes);
    assert_int_equal(calls(record, POINT_GetRootPageTableSize) > 0, arrangement->root_grows);
    record_destroy(record);
}

static void a_driver_of_physical_addresses_has_no_such_contexts(void **state)
{
    struct record *record = run(&virtual_where_there_are_none, NULL);

    test_run_assert_pass(record);
    record_destroy(record);
}

static void what_is_not_there_yet_is_told_and_no_fault_of_the_driver(void **state)
{
    static const struct {
        const char *registry, *says;
    } missing[] = {
        {GPU_MMU, "a paging node that works with GPU virtual addresses"},
        {GPU_MMU PHYSICAL_PAGES "\"PageTableIdleUpdates\"=dword:00000001\n",
         "PageTableUpdateRequireAddressSpaceIdle"},
        {GPU_MMU PHYSICAL_PAGES "\"PageTableUpdateMode\"=dword:00000000\n",
         "otherwise than by DXGK_PAGETABLEUPDATE_GPU_PHYSICAL"},
    };

    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        struct record *record = run(&virtual_contexts, missing[i].registry);
        assert_int_equal(record_header(record)->outcome, RUN_OUTCOME_UNSUPPORTED);
        assert_non_null(strstr(record_header(record)->message, missing[i].says));
        assert_int_equal(record_header(record)->breach_count, 0);
        record_destroy(record);
    }
}

int main(int argc, char **argv)
{
    enum { ARRANGEMENTS = sizeof arrangements / sizeof arrangements[0] };
    static struct CMUnitTest tests[ARRANGEMENTS + 2];
    unsigned count = 0;

    for (; count < ARRANGEMENTS; count++) {
        tests[count] = (struct CMUnitTest){.name = arrangements[count].name,
                                           .test_func = contexts_get_their_root_table,
                                           .initial_state = (void *)&arrangements[count]};
    }
    tests[count++] =
        (struct CMUnitTest)cmocka_unit_test(a_driver_of_physical_addresses_has_no_such_contexts);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(
        what_is_not_there_yet_is_told_and_no_fault_of_the_driver);
    assert_int_equal(count, sizeof tests / sizeof tests[0]);
    test_run_set_driver(argc > 1 ? argv[1] : "");
    return cmocka_run_group_tests_name("virtual", tests, NULL, NULL);
}
