/* The workloads through the whole house, on the reference driver as a module, small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <dlfcn.h>

#include "contract/contract.h"
#include "run.h"
#include "workloads.h"

#define MS UINT64_C(1000000)

static const char *driver_path, *plugin_path, *stray_path;

static struct test_run run_of(const struct drydock_workload *workload)
{
    return (struct test_run){
        .workloads = {workload},
        .device_options = "vram_mb=32",
        .seed = 1,
        .duration_ns = 60 * MS,
        .process_count = 2,
    };
}

static void desktop_shows_what_pixman_composes(void **state)
{
    struct test_run run = run_of(&workload_desktop);
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "present.frames") >= 4);
    assert_int_equal(test_run_counter(record, "present.flips"),
                     test_run_counter(record, "present.frames"));
    /* And once more, before the first frame: what the mode change shows. */
    assert_int_equal(test_run_counter(record, "present.scanouts_checked"),
                     test_run_counter(record, "present.frames") + 1);
    assert_int_equal(test_run_counter(record, "present.wrong_pixels"), 0);
    assert_true(record_header(record)->blob_count >= 2);
    record_destroy(record);
}

/* Thousands at random, with small buffers and large ones, and in a driver with private data. */
static void presents_mean_what_documents_say(void **state)
{
    struct test_run run = run_of(&workload_scenes);

    for (run.seed = 1; run.seed <= 4; run.seed++) {
        run.duration_ns = 1250 * MS;
        run.wddm_version = run.seed % 2 ? 0x2000 : 0x1300;
        struct record *record = test_run(&run);
        test_run_assert_pass(record);
        assert_int_equal(test_run_counter(record, "scenes.presents"), 500);
        assert_int_equal(test_run_counter(record, "scenes.wrong"), 0);
        record_destroy(record);
    }
}

/* What is copied between two surfaces is drawn for drivers that copy nothing within one. */
static void presents_need_no_copy_within_a_surface(void **state)
{
    struct test_run run = run_of(&workload_scenes);

    run.workloads[1] = &workload_surfaces;
    run.registry = "\"Misbehave\"=\"copies_from_elsewhere\"";
    test_run_set_driver(stray_path);
    struct record *record = test_run(&run);
    test_run_set_driver(driver_path);
    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "scenes.presents") > 0);
    assert_true(test_run_counter(record, "surfaces.resets") > 0);
    record_destroy(record);
}

/* In memory as it is, and in an aperture, in pieces. */
static void commands_that_nobody_read_are_a_clue(void **state)
{
    static const char *const segments[] = {"\"DmaBufferSegment\"=dword:0\n",
                                           "\"DmaBufferSegment\"=dword:1\n"};
    char registry[128];

    test_run_set_driver(stray_path);
    for (unsigned i = 0; i < 2; i++) {
        struct test_run run = run_of(&workload_scenes);
        snprintf(registry, sizeof registry, "%s\"Misbehave\"=\"leaves_commands_out\"", segments[i]);
        run.registry = registry;
        run.duration_ns = 1250 * MS;
        struct record *record = test_run(&run);
        const struct record_breach *found = record_breach_at(record, 0);
        assert_non_null(found);
        assert_non_null(strstr(found->actual, "the device read nothing of fence"));
        record_destroy(record);
    }
    test_run_set_driver(driver_path);
}

/* Nobody is to draw there by then: of what is composed that is not damage. */
static void a_stray_pixel_is_seen(void **state)
{
    static const char *const strays[] = {"\"Misbehave\"=\"writes_what_is_shown\"",
                                         "\"Misbehave\"=\"writes_what_was_shown\""};

    test_run_set_driver(stray_path);
    for (unsigned i = 0; i < 2; i++) {
        struct test_run run = run_of(&workload_desktop);
        run.registry = strays[i];
        run.duration_ns = 400 * MS;
        struct record *record = test_run(&run);
        const struct record_breach *found = record_breach_at(record, 0);
        assert_int_equal(test_run_counter(record, "present.wrong_pixels"), 1);
        assert_non_null(found);
        assert_non_null(strstr(found->actual, "1 pixels of the primary are wrong"));
        assert_non_null(strstr(found->actual, "the first at (5, 5)"));
        record_destroy(record);
    }
    test_run_set_driver(driver_path);
}

/* A driver that renders and has gamma ramps, in what it shows. */
static void a_gamma_ramp_is_looked_at(void **state)
{
    static const struct {
        const char *driver, *words;
    } cases[] = {
        {"\"Misbehave\"=\"ramps_as_told\"", NULL},
        {"\"Misbehave\"=\"ramps_from_blue_to_red\"", "through the ramp it is 0x"},
        {"\"Misbehave\"=\"ramps_for_good\"", "after D3DDDI_GAMMARAMP_DEFAULT"},
    };
    uint64_t asked = 0;

    test_run_set_driver(stray_path);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_run run = run_of(&workload_modes);
        run.registry = cases[i].driver;
        struct record *record = test_run(&run);
        const struct record_breach *found = record_breach_at(record, 0);
        uint64_t calls = record_header(record)->ddi[POINT_UpdateActiveVidPnPresentPath].calls;
        asked = i == 0 ? calls : asked;
        assert_true(calls > 0 && calls == asked); /* one that is wrong is taken back, too */
        if (cases[i].words) {
            assert_non_null(found);
            assert_string_equal(found->rule, "VIDPN-016");
            assert_non_null(strstr(found->actual, cases[i].words));
        } else {
            test_run_assert_pass(record);
        }
        record_destroy(record);
    }
    test_run_set_driver(driver_path);
}

/* The user's pictures stand in the windows: another digest of the frames. */
static void desktop_takes_the_users_pictures(void **state)
{
    static uint32_t pixels[40 * 30];
    const struct drydock_image image = {"small.png", 40, 30, pixels};
    struct test_run run = run_of(&workload_desktop);

    for (unsigned i = 0; i < 40 * 30; i++) {
        pixels[i] = 0xFF000000 | i * 2654435761u >> 8;
    }
    run.images = &image;
    run.image_count = 1;
    struct record *record = test_run(&run);
    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "present.wrong_pixels"), 0);
    record_destroy(record);
}

static void desktop_is_left_out_without_a_display(void **state)
{
    struct test_run run = run_of(&workload_desktop);

    run.device_options = "vram_mb=16,outputs=0";
    struct record *record = test_run(&run);
    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "present.frames"), 0);
    record_destroy(record);
}

static void pressure_keeps_every_byte(void **state)
{
    struct test_run run = run_of(&workload_pressure);
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "pressure.bytes_total") >= UINT64_C(90) << 20);
    assert_true(test_run_counter(record, "memory.evictions") > 0);
    assert_true(test_run_counter(record, "memory.paged_out") > 0);
    assert_int_equal(test_run_counter(record, "pressure.bytes_wrong"), 0);
    assert_int_equal(test_run_counter(record, "memory.lost"), 0);
    record_destroy(record);
}

/* A list of 2048 rectangles takes several passes, and the reset comes while a client works. */
static void surfaces_come_out_right(void **state)
{
    struct test_run run = run_of(&workload_surfaces);
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "surfaces.empty_taken") > 0);
    assert_int_equal(test_run_counter(record, "surfaces.resets"), 1);
    assert_int_equal(test_run_counter(record, "surfaces.captures_ended"), 1);
    assert_int_equal(test_run_counter(record, "fences.resets"), 1);
    assert_true(test_run_counter(record, "fences.preempted") > 0);
    record_destroy(record);
}

static void modes_change_and_turn(void **state)
{
    struct test_run run = run_of(&workload_modes);
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "modes.changed"), 1);
    assert_int_equal(test_run_counter(record, "modes.turned"), 3);
    assert_int_equal(test_run_counter(record, "present.scanouts_checked"), 60);
    assert_int_equal(test_run_counter(record, "modes.scaled_and_turned"), 1);
    assert_int_equal(test_run_counter(record, "modes.stereo_flips"), 4);
    assert_int_equal(test_run_counter(record, "modes.palettes"), 1);
    assert_int_equal(test_run_counter(record, "modes.waiting_flips"), 3);
    assert_int_equal(test_run_counter(record, "modes.flips_early"), 0);
    record_destroy(record);
    run.device_options = "vram_mb=16,outputs=0";
    record = test_run(&run);
    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "modes.changed"), 0);
    record_destroy(record);
}

static void surfaces_need_no_display(void **state)
{
    struct test_run run = run_of(&workload_surfaces);

    run.device_options = "vram_mb=16,outputs=0";
    struct record *record = test_run(&run);
    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "surfaces.resets"), 1);
    record_destroy(record);
}

static void memory_is_for_drivers_that_show_nothing(void **state)
{
    struct test_run run = run_of(&workload_memory);
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "memory_work.allocations"), 0);
    record_destroy(record);
    run.device_options = "vram_mb=16,outputs=0";
    record = test_run(&run);
    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "memory_work.bytes_checked") >= UINT64_C(24) << 20);
    record_destroy(record);
}

static void empty_sends_no_command(void **state)
{
    struct test_run run = run_of(&workload_empty);

    run.device_options = "vram_mb=16,outputs=0";
    struct record *record = test_run(&run);
    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "empty.taken") > 100);
    assert_int_equal(test_run_counter(record, "empty.refused"), 0);
    record_destroy(record);
}

static void render_gets_right_results(void **state)
{
    struct test_run run = run_of(&workload_render);
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "render.parts") >= 5);
    assert_true(test_run_counter(record, "render.checks") > 40);
    assert_int_equal(test_run_counter(record, "render.wrong_results"), 0);
    record_destroy(record);
}

static void render_leaves_a_driver_alone_that_it_does_not_know(void **state)
{
    struct test_run run = run_of(&workload_render);

    run.other_commands = true;
    run.workloads[1] = &workload_hang;
    struct record *record = test_run(&run);
    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "render.checks"), 0);
    assert_int_equal(test_run_counter(record, "fences.resets"), 0);
    record_destroy(record);
}

/* One culprit on each of two engines; what lay behind the hangs is accounted for. */
static void hang_costs_only_the_culprit_its_work(void **state)
{
    struct test_run run = run_of(&workload_hang);

    run.process_count = 3;
    struct record *record = test_run(&run);
    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "fences.resets"), 2);
    assert_int_equal(test_run_counter(record, "hang.engines_hung"), 2);
    assert_true(test_run_counter(record, "fences.lost") >= 2);
    assert_true(test_run_counter(record, "fences.lost") +
                    test_run_counter(record, "fences.cancelled") >=
                2 * 5);
    assert_true(test_run_counter(record, "hang.neighbour_results") > 100);
    assert_int_equal(test_run_counter(record, "hang.wrong_results"), 0);
    record_destroy(record);
}

/* In a node with hardware queues, which is reset alone, or with its adapter where it pages, too. */
static void a_hung_hardware_queue_costs_only_its_process_its_work(void **state)
{
    struct test_run run = run_of(&workload_hang);
    char registry[160];

    run.wddm_version = 0x2600;
    run.registry = registry;
    for (unsigned pages = 0; pages < 2; pages++) {
        snprintf(registry, sizeof registry,
                 "\"GpuMmu\"=dword:1\n\"HardwareScheduling\"=dword:2\n\"PagingNode\"=dword:%u\n",
                 pages ? 2 : 1);
        struct record *record = test_run(&run);
        test_run_assert_pass(record);
        assert_int_equal(test_run_counter(record, "hang.queues_hung"), 1);
        assert_int_equal(test_run_counter(record, "hang.wrong_results"), 0);
        assert_int_equal(test_run_counter(record, "hang.queues_went_on"), pages ? 0 : 2);
        assert_int_equal(test_run_counter(record, "resets.of_one_engine"), pages ? 0 : 1);
        assert_int_equal(record_header(record)->ddi[POINT_ResumeHwEngine].calls, pages ? 0 : 1);
        record_destroy(record);
    }
}

/* As many submissions as the driver takes, twice, and more contexts, one after the other, than its
 * tables have places. */
static void hardware_queues_are_filled(void **state)
{
    struct test_run run = run_of(&workload_queues);

    run.wddm_version = 0x3100;
    run.registry = "\"GpuMmu\"=dword:1\n\"HardwareScheduling\"=dword:1\n";
    struct record *record = test_run(&run);
    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "queues.filled"), 2);
    assert_int_equal(test_run_counter(record, "queues.come_and_gone"), 300);
    record_destroy(record);
}

/* By doorbells of the device, of which there are fewer than queues; and by words in memory, of
 * which the driver is told. */
static void clients_submit_by_themselves(void **state)
{
    struct test_run run = run_of(&workload_doorbells);
    char registry[160];

    run.wddm_version = 0x3100;
    run.registry = registry;
    run.process_count = 3;
    for (unsigned way = 0; way <= 2; way++) {
        snprintf(registry, sizeof registry,
                 "\"GpuMmu\"=dword:1\n\"HardwareScheduling\"=dword:2\n"
                 "\"UserModeSubmission\"=dword:%u\n",
                 way);
        struct record *record = test_run(&run);
        test_run_assert_pass(record);
        unsigned queues = way ? 12 : 0;
        uint64_t taken = test_run_counter(record, "doorbells.taken_back");
        assert_int_equal(test_run_counter(record, "doorbells.queues"), queues);
        assert_int_equal(test_run_counter(record, "doorbells.rounds"), 4 * queues);
        assert_int_equal(record_header(record)->ddi[POINT_CreateDoorbell].calls, queues * 5 / 3);
        assert_int_equal(record_header(record)->ddi[POINT_DestroyDoorbell].calls, queues * 5 / 3);
        assert_true(way == 1 ? taken > 0 : taken == 0);
        assert_int_equal(record_header(record)->ddi[POINT_NotifyWorkSubmission].calls,
                         way == 2 ? test_run_counter(record, "doorbells.rings") : 0);
        record_destroy(record);
    }
}

/* And as much of its process that goes on by doorbells. */
static void a_hang_by_doorbell_costs_only_its_process_its_work(void **state)
{
    struct test_run run = run_of(&workload_hang);

    run.wddm_version = 0x3100;
    run.registry = "\"GpuMmu\"=dword:1\n\"HardwareScheduling\"=dword:1\n";
    struct record *record = test_run(&run);
    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "hang.doorbells_hung"), 1);
    assert_int_equal(test_run_counter(record, "resets.of_one_engine"), 2);
    assert_int_equal(test_run_counter(record, "doorbells.queues"), 6);
    record_destroy(record);
}

/* As its driver asks; what others have on other nodes and in memory stays [INT-015]. */
static void a_page_fault_resets_its_engine_alone(void **state)
{
    struct test_run run = run_of(&workload_mapped);
    char registry[160];

    run.wddm_version = 0x2600;
    run.registry = registry;
    for (unsigned alone = 0; alone < 2; alone++) {
        snprintf(registry, sizeof registry, "\"GpuMmu\"=dword:1\n\"PerEngineTdr\"=dword:%u\n",
                 alone);
        struct record *record = test_run(&run);
        test_run_assert_pass(record);
        assert_int_equal(test_run_counter(record, "mapped.strays"), 1);
        assert_int_equal(test_run_counter(record, "resets.of_one_engine"), alone);
        assert_int_equal(record_header(record)->ddi[POINT_ResetFromTimeout].calls, !alone);
        record_destroy(record);
    }
}

/* Where tables, and what they show, do not fit beside each other: work waits for room, and ends
 * where there is none for the kernel's own, which is nobody's mistake. */
static void little_memory_is_no_mistake(void **state)
{
    static const struct {
        const char *registry;
        bool starts;
    } cases[] = {
        {"\"PageTableLevels\"=dword:2\n", true},
        {"\"PageTableLevels\"=dword:2\n\"VramSegments\"=dword:4\n", true},
        {"\"PageTableLevels\"=dword:4\n\"VramPages64K\"=dword:1\n\"DualPte\"=dword:1\n", true},
        {"\"PageTableLevels\"=dword:4\n\"VramPages64K\"=dword:1\n\"DualPte\"=dword:1\n"
         "\"VramSegments\"=dword:2\n",
         true},
        {"\"PageTableLevels\"=dword:4\n\"VramPages64K\"=dword:1\n\"DualPte\"=dword:1\n"
         "\"VramSegments\"=dword:4\n",
         false},
    };
    char registry[160];

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_run run = run_of(&workload_virtual);
        snprintf(registry, sizeof registry, "\"GpuMmu\"=dword:1\n%s", cases[i].registry);
        run.workloads[1] = &workload_mapped;
        run.registry = registry;
        run.device_options = "vram_mb=2,aperture_mb=4,outputs=0";
        run.wddm_version = 0x2700;
        run.process_count = 4;
        struct record *record = test_run(&run);
        if (cases[i].starts) {
            test_run_assert_pass(record);
        } else {
            assert_int_equal(record_header(record)->outcome, RUN_OUTCOME_UNSUPPORTED);
        }
        record_destroy(record);
    }
}

/* All memory is behind an aperture that no surface fits into. */
static void a_small_aperture_is_no_mistake(void **state)
{
    struct test_run run = run_of(&workload_memory);

    run.registry = "\"IoMmu\"=dword:1\n";
    run.device_options = "vram_mb=32,aperture_mb=1,outputs=0";
    run.wddm_version = 0x2400;
    struct record *record = test_run(&run);
    test_run_assert_pass(record);
    record_destroy(record);
}

/* Old drivers have one engine and no contexts, and so may new ones. */
static void old_drivers_do_the_same_work(void **state)
{
    static const unsigned versions[] = {0x1000, 0x2000, 0x3200};

    for (unsigned i = 0; i < sizeof versions / sizeof *versions; i++) {
        const struct test_run run = {
            .workloads = {&workload_desktop, &workload_pressure, &workload_render, &workload_hang},
            .device_options = "vram_mb=32",
            .registry = "\"MultiEngineAware\"=dword:0",
            .wddm_version = versions[i],
            .seed = 5,
            .duration_ns = 20 * MS,
            .process_count = 2,
        };
        struct record *record = test_run(&run);

        test_run_assert_pass(record);
        assert_int_equal(test_run_counter(record, "present.wrong_pixels"), 0);
        assert_int_equal(test_run_counter(record, "hang.engines_hung"), 1);
        record_destroy(record);
    }
}

static void same_seed_same_digest_another_seed_another(void **state)
{
    struct test_run run = run_of(&workload_desktop);
    uint64_t digests[3];

    run.workloads[1] = &workload_render;
    run.duration_ns = 20 * MS;
    for (unsigned i = 0; i < 3; i++) {
        run.seed = i == 2 ? 9 : 8;
        struct record *record = test_run(&run);
        test_run_assert_pass(record);
        digests[i] = record_header(record)->digest;
        record_destroy(record);
    }
    assert_int_equal(digests[0], digests[1]);
    assert_int_not_equal(digests[0], digests[2]);
}

static void plugins_run(void **state)
{
    void *library = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);

    assert_non_null(library);
    const struct drydock_workload *workload = dlsym(library, DRYDOCK_WORKLOAD_SYMBOL);
    assert_non_null(workload);
    assert_int_equal(workload->abi, DRYDOCK_WORKLOAD_ABI);
    struct test_run run = run_of(workload);
    struct record *record = test_run(&run);
    test_run_assert_pass(record);
    assert_int_equal(test_run_counter(record, "fill.pixels_checked"), 256 * 128);
    record_destroy(record);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(desktop_shows_what_pixman_composes),
        cmocka_unit_test(desktop_takes_the_users_pictures),
        cmocka_unit_test(a_gamma_ramp_is_looked_at),
        cmocka_unit_test(a_stray_pixel_is_seen),
        cmocka_unit_test(presents_mean_what_documents_say),
        cmocka_unit_test(presents_need_no_copy_within_a_surface),
        cmocka_unit_test(commands_that_nobody_read_are_a_clue),
        cmocka_unit_test(desktop_is_left_out_without_a_display),
        cmocka_unit_test(pressure_keeps_every_byte),
        cmocka_unit_test(memory_is_for_drivers_that_show_nothing),
        cmocka_unit_test(empty_sends_no_command),
        cmocka_unit_test(surfaces_come_out_right),
        cmocka_unit_test(modes_change_and_turn),
        cmocka_unit_test(surfaces_need_no_display),
        cmocka_unit_test(render_gets_right_results),
        cmocka_unit_test(render_leaves_a_driver_alone_that_it_does_not_know),
        cmocka_unit_test(hang_costs_only_the_culprit_its_work),
        cmocka_unit_test(a_page_fault_resets_its_engine_alone),
        cmocka_unit_test(a_hung_hardware_queue_costs_only_its_process_its_work),
        cmocka_unit_test(hardware_queues_are_filled),
        cmocka_unit_test(clients_submit_by_themselves),
        cmocka_unit_test(a_hang_by_doorbell_costs_only_its_process_its_work),
        cmocka_unit_test(little_memory_is_no_mistake),
        cmocka_unit_test(a_small_aperture_is_no_mistake),
        cmocka_unit_test(old_drivers_do_the_same_work),
        cmocka_unit_test(same_seed_same_digest_another_seed_another),
        cmocka_unit_test(plugins_run),
    };

    driver_path = argc > 1 ? argv[1] : "";
    plugin_path = argc > 2 ? argv[2] : "";
    stray_path = argc > 3 ? argv[3] : "";
    test_run_set_driver(driver_path);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
