/* Hardware queues, on a driver whose queues a timer completes (tests/drivers/queues): what is
 * submitted ends in order, whatever the driver does wrong, and nothing is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "contract/contract.h"
#include "hwqueue_client.h"
#include "run.h"

#define WDDM_2_6     0x2600
#define IDLE_UPDATES "\"PageTableIdleUpdates\"=dword:00000001\n"
#define WORK         (2 * 8 + 3 + 8 + 8) /* submissions of hwqueue_work */

enum {
    WELL,
    SILENT,
    HANGS,
    REFUSES,
    DOUBTS,
    POOR,
    TALKATIVE,
    HANGS_ALONE,
    NEVER_SUSPENDS,
    NEVER_RESUMES
};

static struct record *run(const struct drydock_workload *workload, unsigned way, uint64_t seed)
{
    char registry[160];
    const struct test_run options = {.workloads = {workload},
                                     .device_options = "vram_mb=16",
                                     .registry = registry,
                                     .wddm_version = WDDM_2_6,
                                     .seed = seed,
                                     .process_count = 1};

    snprintf(registry, sizeof registry, "\"GpuMmu\"=dword:00000001\n\"Queues\"=dword:%08x\n%s", way,
             seed % 2 == 0 || way == NEVER_SUSPENDS ? IDLE_UPDATES : "");
    return test_run(&options);
}

static void work_ends_in_order(void **state)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct record *record = run(&hwqueue_work, seed == 3 ? TALKATIVE : WELL, seed);
        test_run_assert_pass(record);
        assert_int_equal(test_run_counter(record, "hwqueue.submitted"), WORK);
        assert_int_equal(test_run_counter(record, "hwqueue.done"), 1);
        assert_int_equal(test_run_counter(record, "contexts.suspended") > 0, seed == 2);
        record_destroy(record);
    }
}

static void calls_without_sense_are_refused(void **state)
{
    struct record *record = run(&hwqueue_hostile, WELL, 1);

    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "hwqueue.calls"), 22);
    record_destroy(record);
}

static void a_signal_that_nobody_tells_is_found(void **state)
{
    struct record *record = run(&hwqueue_work, SILENT, 1);

    assert_int_equal(test_run_counter(record, "hwqueue.done"), 1);
    assert_true(test_run_counter(record, "interrupts.not_told") >= 2);
    record_destroy(record);
}

static void a_queue_that_hangs_loses_its_device(void **state)
{
    struct record *record = run(&hwqueue_work, HANGS, 1);

    assert_int_equal(test_run_counter(record, "hwqueue.lost"), 1);
    assert_int_equal(test_run_counter(record, "devices.lost"), 1);
    record_destroy(record);
}

static void an_engine_is_reset_alone(void **state)
{
    struct record *record = run(&hwqueue_work, HANGS_ALONE, 1);

    assert_int_equal(test_run_counter(record, "hwqueue.lost"), 1);
    assert_int_equal(test_run_counter(record, "devices.lost"), 1);
    assert_int_equal(test_run_counter(record, "resets.of_one_engine"), 1);
    record_destroy(record);
}

/* The adapter is reset instead, and the device that hung is lost once. */
static void an_engine_that_is_not_resumed_costs_the_adapter_a_reset(void **state)
{
    struct record *record = run(&hwqueue_work, NEVER_RESUMES, 1);

    assert_int_equal(test_run_counter(record, "hwqueue.lost"), 1);
    assert_int_equal(test_run_counter(record, "devices.lost"), 1);
    assert_int_equal(test_run_counter(record, "resets.of_one_engine"), 0);
    assert_true(record_header(record)->ddi[POINT_ResumeHwEngine].calls > 0);
    assert_true(record_header(record)->ddi[POINT_ResetFromTimeout].calls > 0);
    record_destroy(record);
}

/* Nobody has anything on the hardware when the engine is reset. */
static void a_suspension_without_answer_resets_the_engine(void **state)
{
    struct record *record = run(&hwqueue_work, NEVER_SUSPENDS, 1);

    assert_int_equal(test_run_counter(record, "hwqueue.done"), 1);
    assert_int_equal(test_run_counter(record, "devices.lost"), 0);
    assert_true(test_run_counter(record, "resets.of_one_engine") > 0);
    record_destroy(record);
}

static void a_refused_submission_loses_its_device(void **state)
{
    struct record *record = run(&hwqueue_work, REFUSES, 1);

    assert_int_equal(test_run_counter(record, "hwqueue.lost"), 1);
    assert_int_equal(test_run_counter(record, "devices.lost"), 1);
    record_destroy(record);
}

static void what_is_not_valid_harms_nothing(void **state)
{
    struct record *record = run(&hwqueue_work, DOUBTS, 1);

    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "hwqueue.refused"), 1);
    assert_int_equal(test_run_counter(record, "hwqueue.done"), 1);
    record_destroy(record);
}

static void without_a_queue_nothing_is_left(void **state)
{
    struct record *record = run(&hwqueue_work, POOR, 1);

    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "hwqueue.none"), 1);
    record_destroy(record);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_ends_in_order),
        cmocka_unit_test(calls_without_sense_are_refused),
        cmocka_unit_test(a_signal_that_nobody_tells_is_found),
        cmocka_unit_test(a_queue_that_hangs_loses_its_device),
        cmocka_unit_test(an_engine_is_reset_alone),
        cmocka_unit_test(an_engine_that_is_not_resumed_costs_the_adapter_a_reset),
        cmocka_unit_test(a_suspension_without_answer_resets_the_engine),
        cmocka_unit_test(a_refused_submission_loses_its_device),
        cmocka_unit_test(what_is_not_valid_harms_nothing),
        cmocka_unit_test(without_a_queue_nothing_is_left),
    };

    if (argc > 2) {
        cmocka_set_test_filter(argv[2]);
    }
    test_run_set_driver(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests_name("hwqueue", tests, NULL, NULL);
}
