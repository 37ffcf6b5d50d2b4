/* What clients ask of an adapter besides work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "asked_client.h"
#include "run.h"

static void what_clients_ask_is_answered(void **state)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const struct test_run run = {.workloads = {&asked},
                                     .device_options = "vram_mb=16",
                                     .seed = seed,
                                     .process_count = 1};
        struct record *record = test_run(&run);

        test_run_assert_pass(record);
        assert_true(test_run_counter(record, "test.calls") > 120);
        record_destroy(record);
    }
}

static void a_periodic_fence_counts_frames(void **state)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const struct test_run run = {.workloads = {&asked_frames},
                                     .device_options = "vram_mb=16",
                                     .wddm_version = 0x2200,
                                     .seed = seed,
                                     .process_count = 1};
        struct record *record = test_run(&run);

        test_run_assert_pass(record);
        assert_true(test_run_counter(record, "fences.periodic_ticks") >= 9);
        record_destroy(record);
    }
}

/* Another process would see the same: a handle of it is no secret. */
static void a_primary_and_what_is_said_of_it_are_shared(void **state)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const struct test_run run = {.workloads = {&asked_primary},
                                     .device_options = "vram_mb=16",
                                     .seed = seed,
                                     .process_count = 1};
        struct record *record = test_run(&run);

        test_run_assert_pass(record);
        assert_true(test_run_counter(record, "present.held_back") > 0);
        assert_true(test_run_counter(record, "test.calls") > 130);
        record_destroy(record);
    }
}

static void run_overlays(const char *registry, uint64_t seed, unsigned calls)
{
    const struct test_run run = {.workloads = {&asked_overlays},
                                 .device_options = "vram_mb=32,outputs=2",
                                 .registry = registry,
                                 .seed = seed,
                                 .process_count = 1};
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "test.calls") > calls);
    record_destroy(record);
}

static void overlays_are_made_changed_and_lost(void **state)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        run_overlays(NULL, seed, 60);
    }
    run_overlays("\"Overlays\"=dword:00000000", 1, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_clients_ask_is_answered),
        cmocka_unit_test(a_periodic_fence_counts_frames),
        cmocka_unit_test(a_primary_and_what_is_said_of_it_are_shared),
        cmocka_unit_test(overlays_are_made_changed_and_lost),
    };

    test_run_set_driver(argc > 1 ? argv[1] : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
