/* Processes of a driver with an MMU get their page tables, whatever those look like. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "contract/contract.h"
#include "owed_client.h"
#include "residency_client.h"
#include "room_client.h"
#include "run.h"
#include "spoil_client.h"
#include "trim_client.h"
#include "virtual_client.h"
#include "workloads.h"

#define WDDM_2_6       0x2600
#define WDDM_2_7       0x2700
#define CONTEXTS       3 /* that a client makes */
#define GPU_MMU        "\"GpuMmu\"=dword:00000001\n"
#define PHYSICAL_PAGES "\"PagingVirtual\"=dword:00000000\n"
#define IDLE_UPDATES   "\"PageTableIdleUpdates\"=dword:00000001\n"
#define LEVELS(count)  "\"PageTableLevels\"=dword:0000000" #count "\n"
#define BY_CPU         "\"PageTableUpdateMode\"=dword:00000000\n"
#define BY_ADDRESS     "\"PageTableUpdateMode\"=dword:00000001\n"
#define IN_SYSTEM      "\"PageTableSegment\"=dword:00000000\n"
#define PAGES_64K      "\"VramPages64K\"=dword:00000001\n\"DualPte\"=dword:00000001\n"

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
    bool pages; /* by virtual address, too */
};

static const struct arrangement arrangements[] = {
    {"four levels in video memory", PHYSICAL_PAGES},
    {"two levels: the root grows", PHYSICAL_PAGES LEVELS(2), .root_grows = true},
    {"three levels", PHYSICAL_PAGES LEVELS(3)},
    {"five levels", PHYSICAL_PAGES LEVELS(5)},
    {"six levels", PHYSICAL_PAGES LEVELS(6)},
    {"tables in system memory", PHYSICAL_PAGES "\"PageTableSegment\"=dword:00000000\n"},
    {"pairs of entries", PHYSICAL_PAGES "\"DualPte\"=dword:00000001\n"},
    {"entries that end invalid", PHYSICAL_PAGES "\"PageTableInvalidation\"=dword:00000001\n"},
    {"tables that the CPU writes", PHYSICAL_PAGES BY_CPU},
    {"tables that change at rest", IDLE_UPDATES, .pages = true},
    {"tables that the CPU changes at rest", PHYSICAL_PAGES BY_CPU IDLE_UPDATES},
    {"paging by address", "", .pages = true},
    {"system memory that nothing maps", "\"SystemSegment\"=dword:00000001\n", .pages = true},
    {"system memory that nothing maps, paging by place",
     PHYSICAL_PAGES "\"SystemSegment\"=dword:00000001\n"},
    {"paging by address with two levels", LEVELS(2), .root_grows = true, .pages = true},
    {"paging by address with six levels and pairs", LEVELS(6) "\"DualPte\"=dword:00000001\n",
     .pages = true},
    {"paging by address with tables in system memory", "\"PageTableSegment\"=dword:00000000\n",
     .pages = true},
    {"paging by address with tables that the CPU writes", BY_CPU, .pages = true},
    {"tables under addresses", BY_ADDRESS, .pages = true},
    {"tables under addresses, with two levels", BY_ADDRESS LEVELS(2), .root_grows = true,
     .pages = true},
    {"paging by address in pages of 64 KiB", PAGES_64K, .pages = true},
};

static void contexts_get_their_root_table(void **state)
{
    const struct arrangement *arrangement = *state;
    char registry[256];

    snprintf(registry, sizeof registry, GPU_MMU "%s", arrangement->settings);
    struct record *record = run(&virtual_contexts, registry);
    test_run_assert_pass(record);
    uint64_t processes = calls(record, POINT_CreateProcess) - 1; /* without the system's */
    assert_true(processes >= 1);
    assert_int_equal(calls(record, POINT_DestroyProcess), processes + 1);
    assert_int_equal(calls(record, POINT_SetRootPageTable),
                     CONTEXTS * processes + arrangement->pages);
    assert_int_equal(calls(record, POINT_SubmitCommandVirtual) > 0, arrangement->pages);
    assert_true(test_run_counter(record, "paging_operations.UpdatePageTable") >= processes);
    assert_int_equal(calls(record, POINT_GetRootPageTableSize) > 0, arrangement->root_grows);
    record_destroy(record);
}

/* Sums and copies by address, in two processes; the workload compares what comes of them. */
static void work_by_addresses_gives_right_results(void **state)
{
    const struct arrangement *arrangement = *state;
    char registry[256];

    snprintf(registry, sizeof registry, GPU_MMU PHYSICAL_PAGES "%s", arrangement->settings);
    struct record *record = run(&workload_virtual, registry);
    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "virtual.rounds") >= 12);
    assert_true(calls(record, POINT_SubmitCommandVirtual) >= 24);
    assert_true(test_run_counter(record, "virtual.reclaimed") > 0);
    assert_true(test_run_counter(record, "virtual.discarded") > 0);
    if (!strstr(arrangement->settings, PAGES_64K)) { /* mapped by pages of another size */
        assert_true(test_run_counter(record, "virtual.moved") > 0);
    }
    assert_true(test_run_counter(record, "paging_operations.FlushTlb") > 0);
    record_destroy(record);
}

static void memory_shows_at_addresses_without_a_command(void **state)
{
    static const char *const ways[] = {GPU_MMU, GPU_MMU PHYSICAL_PAGES, GPU_MMU LEVELS(2),
                                       GPU_MMU BY_ADDRESS};

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct record *record = run(&workload_mapped, ways[i]);
        test_run_assert_pass(record);
        assert_true(test_run_counter(record, "mapped.contexts") >= 2);
        assert_true(test_run_counter(record, "mapped.bytes_checked") > 0);
        assert_true(test_run_counter(record, "paging_operations.FlushTlb") > 0);
        record_destroy(record);
    }
}

static void more_memory_than_there_is_comes_and_goes(void **state)
{
    static const char *const ways[] = {GPU_MMU, GPU_MMU PHYSICAL_PAGES, GPU_MMU LEVELS(2),
                                       GPU_MMU PAGES_64K};

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct record *record = run(&workload_residency, ways[i]);
        test_run_assert_pass(record);
        assert_true(test_run_counter(record, "virtual.churned") >= 48);
        assert_true(test_run_counter(record, "virtual.evicted") > 0);
        assert_true(test_run_counter(record, "virtual.trims") > 0);
        assert_true(test_run_counter(record, "virtual.reclaimed") > 0);
        assert_true(test_run_counter(record, "virtual.discarded") > 0);
        assert_true(test_run_counter(record, "paging_operations.NotifyResidency") > 0);
        record_destroy(record);
    }
}

static void what_a_client_has_it_can_ask_offer_and_reserve(void **state)
{
    static const char *const ways[] = {GPU_MMU, GPU_MMU PHYSICAL_PAGES};

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct record *record = run(&residency_client, ways[i]);
        test_run_assert_pass(record);
        record_destroy(record);
    }
}

static void clients_are_told_to_trim(void **state)
{
    static const char *const ways[] = {GPU_MMU, GPU_MMU PHYSICAL_PAGES};

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct record *record = run(&trim_client, ways[i]);
        test_run_assert_pass(record);
        record_destroy(record);
    }
}

/* The tables of the one that rests leave for it, and are there again when it works. */
static void memory_is_had_to_the_last_page(void **state)
{
    static const char *const ways[] = {GPU_MMU, GPU_MMU PHYSICAL_PAGES, GPU_MMU LEVELS(2),
                                       GPU_MMU BY_ADDRESS};

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct record *record = run(&room_client, ways[i]);
        test_run_assert_pass(record);
        assert_true(test_run_counter(record, "room.taken") > 2);
        assert_true(test_run_counter(record, "memory.tables_evicted") > 0);
        record_destroy(record);
    }
}

/* What had been theirs another process has: work waits until that gives it back, and no longer than
 * it may take. */
static void work_waits_for_what_its_tables_had(void **state)
{
    static const char *const ways[] = {GPU_MMU IN_SYSTEM, GPU_MMU PHYSICAL_PAGES IN_SYSTEM,
                                       GPU_MMU PHYSICAL_PAGES BY_CPU};

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct record *record = run(&owed_and_returned, ways[i]);
        test_run_assert_pass(record);
        assert_int_equal(test_run_counter(record, "paging.tables_owed"), 1);
        record_destroy(record);
        record = run(&owed_for_ever, ways[i]);
        test_run_assert_pass(record);
        assert_int_equal(test_run_counter(record, "paging.tables_owed"), 1);
        record_destroy(record);
    }
}

static void memory_of_a_context_waits_for_tables(void **state)
{
    struct record *record =
        run(&owed_to_context, GPU_MMU IN_SYSTEM "\"ContextState\"=dword:00000002\n");

    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "owed.contexts"), 1);
    assert_true(test_run_counter(record, "memory.tables_evicted") > 0);
    record_destroy(record);
}

/* What a client's last submission brings about when it is sent once more, spoiled, hurts nobody who
 * comes meanwhile. */
static void a_spoiled_submission_hurts_nobody_else(void **state)
{
    const struct test_run options = {.workloads = {&spoil_client},
                                     .device_options = "vram_mb=16",
                                     .registry = GPU_MMU,
                                     .wddm_version = WDDM_2_6,
                                     .seed = 1,
                                     .vary = "bad-private-data"};
    struct record *record = test_run(&options);

    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "submissions.spoiled") > 0);
    assert_true(test_run_counter(record, "devices.lost") > 0);
    record_destroy(record);
}

static void a_driver_of_physical_addresses_has_no_such_contexts(void **state)
{
    struct record *record = run(&virtual_where_there_are_none, NULL);

    test_run_assert_pass(record);
    record_destroy(record);
}

static void assert_passes(const struct drydock_workload *workload)
{
    struct record *record = run(workload, GPU_MMU);

    test_run_assert_pass(record);
    assert_true(calls(record, POINT_SubmitCommandVirtual) > 0);
    record_destroy(record);
}

static void what_the_kernel_shows_for_itself_stays(void **state)
{
    assert_passes(&virtual_kept);
}

static void submissions_name_what_they_write(void **state)
{
    assert_passes(&virtual_written);
}

static void queues_name_what_they_write(void **state)
{
    const struct test_run options = {.workloads = {&virtual_queue_written},
                                     .device_options = "vram_mb=16",
                                     .registry = GPU_MMU "\"HardwareScheduling\"=dword:00000001\n",
                                     .wddm_version = WDDM_2_7,
                                     .seed = 1};
    struct record *record = test_run(&options);

    test_run_assert_pass(record);
    assert_true(calls(record, POINT_SubmitCommandToHwQueue) > 0);
    record_destroy(record);
}

/* Whoever translates for it: the IOMMU's tables are the process's before it has a context. */
static void addresses_come_before_contexts(void **state)
{
    static const char *const ways[] = {
        "\"GpuMmu\"=dword:00000001\n\"IoMmu\"=dword:00000002\n\"Notices\"=dword:00000001\n",
        "\"GpuMmu\"=dword:00000001\n\"Notices\"=dword:00000001\n"};

    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const struct test_run options = {.workloads = {&early_addresses},
                                         .device_options = "vram_mb=16",
                                         .registry = ways[i],
                                         .wddm_version = 0x3200,
                                         .seed = 1,
                                         .process_count = 1};
        struct record *record = test_run(&options);

        assert_int_equal(record_header(record)->counting_breaches, 0);
        assert_int_not_equal(record_header(record)->outcome, RUN_OUTCOME_OWN_FAULT);
        assert_true(test_run_counter(record, "test.calls") >= 5);
        record_destroy(record);
    }
}

int main(int argc, char **argv)
{
    enum { ARRANGEMENTS = sizeof arrangements / sizeof arrangements[0] };
    static struct CMUnitTest tests[2 * ARRANGEMENTS + 13];
    unsigned count = 0;

    for (; count < 2 * ARRANGEMENTS; count++) {
        const struct arrangement *arrangement = &arrangements[count / 2];
        tests[count] =
            (struct CMUnitTest){.name = arrangement->name,
                                .test_func = count % 2 ? work_by_addresses_gives_right_results
                                                       : contexts_get_their_root_table,
                                .initial_state = (void *)arrangement};
    }
    tests[count++] =
        (struct CMUnitTest)cmocka_unit_test(a_driver_of_physical_addresses_has_no_such_contexts);
    tests[count++] =
        (struct CMUnitTest)cmocka_unit_test(memory_shows_at_addresses_without_a_command);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(more_memory_than_there_is_comes_and_goes);
    tests[count++] =
        (struct CMUnitTest)cmocka_unit_test(what_a_client_has_it_can_ask_offer_and_reserve);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(clients_are_told_to_trim);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(memory_is_had_to_the_last_page);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(work_waits_for_what_its_tables_had);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(memory_of_a_context_waits_for_tables);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(a_spoiled_submission_hurts_nobody_else);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(what_the_kernel_shows_for_itself_stays);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(submissions_name_what_they_write);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(queues_name_what_they_write);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(addresses_come_before_contexts);
    assert_int_equal(count, sizeof tests / sizeof tests[0]);
    test_run_set_driver(argc > 1 ? argv[1] : "");
    return cmocka_run_group_tests_name("virtual", tests, NULL, NULL);
}
