/* Rules of drivers that have a display and nothing else: the good one passes, and each mistake of
 * the careless one is named.
 *
 *   contract_display_only_test CARELESS.so */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/record.h"
#include "host/host.h"
#include "seen.h"
#include "softgpu/softgpu.h"
#include "workloads.h"

/* A number of careless.c, and what is said of it. */
static const struct mistake {
    unsigned number;
    const char *finding, *clue;
    bool wide;       /* it shows where rows are wider than the picture */
    bool at_the_end; /* ... or where `end` happens */
    enum variation end;
    uint64_t seed; /* 0: any */
} mistakes[] = {
    {1, "DOD-002", ", after the moves"},
    {2, "DOD-002", "in dirty rectangle"},
    {3, "DOD-002", "in move"},
    {4, "DOD-002", "outside of all"},
    {5, "DOD-001", "no notice came in 2 s"},
    {6, "DOD-001", "was not followed by DxgkCbNotifyDpc"},
    {9, "MISUSE", "DxgkDdiGetScanLine is not registered"},
    {7, "DOD-002", "in dirty rectangle", .wide = true},
    {7, "DOD-002", "in dirty rectangle"}, /* a picture of a turned screen has other rows */
    {8, "FAULT", "bytes of an MDL, mapped at ", .wide = true},
    {10, "DOD-002", "Flags.Rotate is 0: picture and rectangles are turned already"},
    {11, "DOD-002", "Flags.Rotate is 1: the driver turns picture and rectangles"},
    {12, "DOD-002", "it was read later"},
    {45, "DOD-002", "it was read later"},
    {25, "DOD-002", "the path is centered (D3DKMDT_VPPS_CENTERED): the picture of 640 x 400"},
    {26, "DOD-002", "the path is stretched (D3DKMDT_VPPS_STRETCHED): the picture of 640 x 400"},
    {27, "DOD-002", "the path is scaled (D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX)"},
    {44, "DOD-002",
     "Flags.Rotate is 1: the driver turns picture and rectangles; the path is scaled "
     "(D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX)"},
    {29, "SHOW-002", "on a path with D3DKMDT_VPPS_STRETCHED from 640 x 400"},
    {30, "SHOW-002", "with Flags.MaskedColor, on a path with D3DKMDT_VPPS_STRETCHED"},
    {31, "DOD-002", "the path is scaled (D3DKMDT_VPPS_CUSTOM)"},
    {28, "VIDPN-007", "is said to support Identity, and no source mode has the size of a"},
    {13, "SHOW-001", "still shows the last frame of source 0"},
    {14, "SHOW-009", "still has a picture", .at_the_end = true, .end = VARY_RELEASE_DISPLAY,
     .seed = 2},
    {15, "WORKLOAD", "moves and 0 dirty rectangles, could not be presented"},
    {16, "FAULT", "bytes of the device at 0x", .wide = true},
    {19, "SHOW-002", "Visible 1, of a shape with Flags.Monochrome, pixel ("},
    {20, "SHOW-002", "Visible 1, of a shape with Flags.MaskedColor, pixel ("},
    {21, "SHOW-002", "Visible 0, of a shape with Flags.Color, pixel ("},
    {22, "SHOW-002", "SetPointerPosition(-5, -3)"},
    {23, "VIDPN-004", "has a frequency, of a display-only driver without ControlInterrupt"},
    {24, "VIDPN-004", "VSyncFreq is D3DKMDT_FREQUENCY_NOTSPECIFIED"},
    {17, "SHOW-005", "after SystemDisplayWrite", .at_the_end = true, .end = VARY_STOP_SCREEN},
    {34, "SHOW-005", "after SystemDisplayWrite", .at_the_end = true, .end = VARY_STOP_SCREEN,
     .seed = 4},
    {32, "DOD-001", "no notice came in 2 s", .at_the_end = true, .end = VARY_SLOW_MODES},
    {33, "DOD-002", "Flags.Rotate is 1: the driver turns picture and rectangles"},
    {41, "CHILD-006", "pulled out", .at_the_end = true, .end = VARY_HOT_PLUG},
    {42, "DOD-002", "in dirty rectangle 0 of 1", .at_the_end = true, .end = VARY_HOT_PLUG},
    {50, "SHOW-001", "the monitor at target 0 is dark after SetVidPnSourceVisibility"},
    {51, "DOD-002", "; each row that is seen begins 2048 pixels of the picture behind"},
    {52, "DOD-002", "; red and blue are exchanged"},
    {53, "DOD-002", "each value of a colour is seen as another"},
    {54, "DOD-002", "; what is seen begins at (0, 16) of the picture"},
    {61, "DOD-002",
     "; what is seen lies in BAR 0 at 0x30000, which is 0x1030000 without bits 24 and up, and the "
     "picture at 0x1030000"},
    {55, "SHOW-001", "shows 600 x 400 pixels, and source 0 has 1024 x 768"},
    {59, "SHOW-002", "with Visible 0, and SetPointerShape behind it of a shape"},
    {57, "VIDPN-016", "with a ramp D3DDDI_GAMMARAMP_RGB256x3x16 pixel ("},
    {58, "VIDPN-016", "with D3DDDI_GAMMARAMP_DEFAULT behind another ramp target 0"},
    {43, "PNP-008", "since NotifySurpriseRemoval", .at_the_end = true, .end = VARY_PULLED_OUT},
};

static const char *careless;

struct how {
    unsigned mistake;
    const char *device;
    bool wide;
    bool at_the_end;
    enum variation end;
    uint64_t seed;
};

static _Noreturn void run_child(const struct how *how, struct record *record)
{
    char registry[256];

    snprintf(registry, sizeof registry,
             "[\\Registry\\Machine\\System\\CurrentControlSet\\Services\\driver]\n"
             "\"Mistake\"=dword:%08x\n",
             how->mistake);
    struct host_options options = {
        .driver_module = careless,
        .service_name = "driver",
        .registry = {"registry", registry, strlen(registry)},
        .device_model = &softgpu_model,
        .device_options = how->device,
        .seed = how->seed ? how->seed : 1,
        .work_expected = true,
        .workloads = {&workload_screen},
        .workload_count = 1,
        .duration_ns = 100 * 1000 * 1000,
        .variations.on[VARY_WIDE_ROWS] = how->wide,
    };
    if (how->at_the_end) {
        options.variations.on[how->end] = true;
    }
    record_attach(record);
    host_run(&options, record);
    _exit(0);
}

static struct record *run(const struct how *how)
{
    struct record *record = record_create(1u << 14, 8u << 20);
    int status = 0;

    assert_non_null(record);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        run_child(how, record);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return record;
}

#define RAMP_STAYS   60 /* the good one, whose ramp is not taken back */
#define WITH_RAMPS   56 /* the good one, and a ramp that is right */
#define TELLS_OF_ALL 46 /* the good one, and notices that nobody waits for */
#define WITH_POINTER 18 /* the good one, and a pointer that is right */

static void passes_on(const char *device, unsigned which, bool wide)
{
    struct record *record = run(&(struct how){which, device, wide});

    if (record_header(record)->outcome != RUN_OUTCOME_PASS) {
        fail_msg("%s", record_header(record)->message);
    }
    assert_true(record_counter(record, "present.frames") >= 24);
    assert_true(record_counter(record, "present.scanouts_checked") >=
                record_counter(record, "present.frames"));
    assert_int_equal(record_counter(record, "present.wrong_pixels"), 0);
    assert_true(record_counter(record, "screen.turned_and_scaled") > 0);
    record_destroy(record);
}

static void passes(unsigned which, bool wide)
{
    passes_on("vram_mb=32", which, wide);
}

static void the_good_one_passes(void **state)
{
    passes(0, false);
    passes(0, true);
    passes(WITH_POINTER, false);
    passes(WITH_POINTER, true);
    passes(WITH_RAMPS, false);
    passes(TELLS_OF_ALL, false);
}

/* Nobody compares what is seen through a ramp that somebody set: until the next mode. */
static void what_is_seen_through_a_ramp_is_not_compared(void **state)
{
    struct record *record = run(&(struct how){RAMP_STAYS, "vram_mb=32"});

    assert_int_equal(record_header(record)->outcome, RUN_OUTCOME_PASS);
    assert_int_equal(record_counter(record, "present.wrong_pixels"), 0);
    assert_true(record_counter(record, "present.scanouts_checked") > 0);
    assert_true(record_counter(record, "present.scanouts_checked") <
                record_counter(record, "present.frames"));
    record_destroy(record);
}

/* What fits is rounded there, and a driver may round otherwise than who judges. */
static void the_good_one_passes_on_odd_screens(void **state)
{
    passes_on("vram_mb=32,firmware=1", 0, false);
    passes_on("vram_mb=32,firmware=2", 0, false);
}

#define WITH_PLUGS 40 /* the good one, and it hears of plugs and removals */

/* A present that is on its way when the device goes, and the picture behind it, are excused. */
static void plugs_and_removals_pass(void **state)
{
    static const enum variation ends[] = {VARY_HOT_PLUG, VARY_PULLED_OUT};

    for (uint64_t seed = 1; seed <= 6; seed++) {
        enum variation end = ends[seed % 2];
        struct record *record =
            run(&(struct how){WITH_PLUGS, "vram_mb=32", false, true, end, seed});
        if (record_header(record)->outcome != RUN_OUTCOME_PASS) {
            const struct record_breach *breach = record_breach_at(record, 0);
            fail_msg("seed %u: %s: %s", (unsigned)seed, record_header(record)->message,
                     breach ? breach->actual : "");
        }
        assert_true(record_counter(record, end == VARY_HOT_PLUG ? "variations.hot-plug"
                                                                : "variations.pulled-out") > 0);
        record_destroy(record);
    }
}

/* What hangs on the gap between rows does not show without one. */
static void mistakes_about_rows_need_wide_ones(void **state)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        if (mistakes[i].wide && mistakes[i].number != 7) {
            struct record *record = run(&(struct how){mistakes[i].number, "vram_mb=32", false});
            assert_null(record_breach_at(record, 0));
            record_destroy(record);
        }
    }
}

/* Firmware lit nothing: a driver that goes on in its picture cannot start, and is not to blame. */
static void without_a_picture_it_is_not_to_blame(void **state)
{
    struct record *record = run(&(struct how){0, "vram_mb=32,outputs=0", false});

    assert_int_equal(record_header(record)->outcome, RUN_OUTCOME_UNSUPPORTED);
    assert_non_null(strstr(record_header(record)->message, "DxgkCbAcquirePostDisplayOwnership"));
    record_destroy(record);
}

static void is_named(void **state)
{
    const struct mistake *mistake = *state;
    struct record *record = run(&(struct how){mistake->number, "vram_mb=32", mistake->wide,
                                              mistake->at_the_end, mistake->end, mistake->seed});
    const struct record_breach *breach;
    bool named = false;

    for (uint32_t i = 0; (breach = record_breach_at(record, i)) != NULL; i++) {
        named |=
            strcmp(breach->rule, mistake->finding) == 0 && strstr(breach->actual, mistake->clue);
        if (strcmp(breach->rule, mistake->finding) != 0) {
            fail_msg("%s: %s", breach->rule, breach->actual);
        }
        if (named) {
            seen_rule(breach->rule, CONTRACT_DRIVER);
        } else {
            printf("  %s: %s\n", breach->rule, breach->actual);
        }
    }
    assert_true(named);
    record_destroy(record);
}

int main(int argc, char **argv)
{
    static struct CMUnitTest tests[sizeof mistakes / sizeof mistakes[0] + 7];
    size_t count = 0;

    careless = argc > 1 ? argv[1] : "careless_framebuffer.so";
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(the_good_one_passes);
    tests[count++] =
        (struct CMUnitTest)cmocka_unit_test(what_is_seen_through_a_ramp_is_not_compared);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(the_good_one_passes_on_odd_screens);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(without_a_picture_it_is_not_to_blame);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(mistakes_about_rows_need_wide_ones);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(plugs_and_removals_pass);
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        tests[count++] = (struct CMUnitTest){mistakes[i].finding, is_named, NULL, NULL,
                                             (void *)(uintptr_t)&mistakes[i]};
    }
    tests[count++] = (struct CMUnitTest){"what_was_seen_is_written", seen_is_written, NULL, NULL,
                                         (void *)(uintptr_t) "display_only"};
    return _cmocka_run_group_tests("display_only", tests, count, NULL, NULL);
}
