/* The adapter is reset at every point that may switch of every road: nobody hangs, memory and work
 * are accounted for, a device is lost or its work is done right, and the next one works. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "reset_addresses.h"
#include "reset_client.h"
#include "run.h"

#define WDDM_2_6 0x2600

static void run_road(enum reset_road road, const char *registry)
{
    const struct test_run run = {.workloads = {&reset_client},
                                 .device_options = road == RESET_PAGING
                                                       ? "vram_mb=8,aperture_mb=8,outputs=1"
                                                       : "vram_mb=32,aperture_mb=8,outputs=1",
                                 .registry = registry,
                                 .seed = 1,
                                 .time_limit_ns = UINT64_C(1) << 60,
                                 .process_count = 1};

    reset_road = road;
    struct record *record = test_run(&run);
    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "reset.points") > 20);
    assert_true(test_run_counter(record, "reset.survived") > 0);
    assert_true(test_run_counter(record, "reset.lost") > 0);
    record_destroy(record);
}

static void rendering_survives_a_reset_anywhere(void **state)
{
    run_road(RESET_RENDER, NULL);
}

/* The buffers that were on their way are mapped into the aperture anew. */
static void rendering_from_the_aperture_survives_a_reset_anywhere(void **state)
{
    run_road(RESET_RENDER, "\"DmaBufferSegment\"=dword:00000001");
}

static void a_present_survives_a_reset_anywhere(void **state)
{
    run_road(RESET_PRESENT, NULL);
}

static void pictures_of_gdi_survive_a_reset_anywhere(void **state)
{
    run_road(RESET_GDI, NULL);
}

static void paging_survives_a_reset_anywhere(void **state)
{
    run_road(RESET_PAGING, NULL);
}

static void an_overlay_goes_off_with_a_reset_anywhere(void **state)
{
    run_road(RESET_OVERLAY, NULL);
}

static void a_flip_survives_a_reset_anywhere(void **state)
{
    run_road(RESET_FLIP, NULL);
}

static void a_mode_change_survives_a_reset_anywhere(void **state)
{
    run_road(RESET_SHOW, NULL);
}

static void signals_and_waits_survive_a_reset_anywhere(void **state)
{
    run_road(RESET_SYNC, NULL);
}

#define SETTINGS                                                   \
    "\"GpuMmu\"=dword:00000001\n\"ContextState\"=dword:00000001\n" \
    "\"PreemptionAware\"=dword:00000001\n"
#define QUEUES "\"HardwareScheduling\"=dword:00000001\n"

static void run_addressed(enum reset_addressed_road road)
{
    const struct test_run run = {.workloads = {&reset_addresses},
                                 .device_options = "vram_mb=32,aperture_mb=8,outputs=1",
                                 .registry = road == RESET_QUEUED ? SETTINGS QUEUES : SETTINGS,
                                 .wddm_version = WDDM_2_6,
                                 .seed = 1,
                                 .time_limit_ns = UINT64_C(1) << 60,
                                 .process_count = 1};

    reset_addressed_road = road;
    struct record *record = test_run(&run);
    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "reset.points") > 20);
    assert_true(test_run_counter(record, "reset.survived") > 0);
    assert_true(test_run_counter(record, "reset.lost") > 0);
    assert_true(road != RESET_SWITCH ||
                test_run_counter(record, "submissions.context_switches") > 0);
    record_destroy(record);
}

static void a_submission_by_address_survives_a_reset_anywhere(void **state)
{
    run_addressed(RESET_SUBMISSION);
}

static void an_update_of_addresses_survives_a_reset_anywhere(void **state)
{
    run_addressed(RESET_UPDATE);
}

static void a_present_by_a_hardware_queue_survives_a_reset_anywhere(void **state)
{
    run_addressed(RESET_QUEUED);
}

static void pictures_of_gdi_by_address_survive_a_reset_anywhere(void **state)
{
    run_addressed(RESET_DRAWN);
}

static void a_context_switch_survives_a_reset_anywhere(void **state)
{
    run_addressed(RESET_SWITCH);
}

/* He is told that his device is lost, however early he asks. */
static void a_client_hears_at_once_that_a_reset_took_his_memory(void **state)
{
    const struct test_run run = {.workloads = {&reset_client},
                                 .device_options = "vram_mb=32,aperture_mb=8,outputs=1,vram_lost=1",
                                 .seed = 1,
                                 .process_count = 1};

    reset_road = RESET_READ;
    struct record *record = test_run(&run);
    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "reset.read") > 0);
    record_destroy(record);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rendering_survives_a_reset_anywhere),
        cmocka_unit_test(rendering_from_the_aperture_survives_a_reset_anywhere),
        cmocka_unit_test(a_present_survives_a_reset_anywhere),
        cmocka_unit_test(pictures_of_gdi_survive_a_reset_anywhere),
        cmocka_unit_test(paging_survives_a_reset_anywhere),
        cmocka_unit_test(a_flip_survives_a_reset_anywhere),
        cmocka_unit_test(an_overlay_goes_off_with_a_reset_anywhere),
        cmocka_unit_test(a_mode_change_survives_a_reset_anywhere),
        cmocka_unit_test(signals_and_waits_survive_a_reset_anywhere),
        cmocka_unit_test(a_submission_by_address_survives_a_reset_anywhere),
        cmocka_unit_test(an_update_of_addresses_survives_a_reset_anywhere),
        cmocka_unit_test(a_present_by_a_hardware_queue_survives_a_reset_anywhere),
        cmocka_unit_test(pictures_of_gdi_by_address_survive_a_reset_anywhere),
        cmocka_unit_test(a_context_switch_survives_a_reset_anywhere),
        cmocka_unit_test(a_client_hears_at_once_that_a_reset_took_his_memory),
    };

    test_run_set_driver(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests_name("reset", tests, NULL, NULL);
}
