/* Each variation shows a mistake that a calm run does not, and none of them makes a good driver
 * look bad.
 *
 *   variations_test CARELESS.so SOFTGPU.so
 *
 * VARY_SEEDS=N tries the good driver with so many seeds. */
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

#include "../contract/row_filter.h"
#include "../contract/seen.h"
#include "../determinism/work.h"
#include "base/record.h"
#include "host/host.h"
#include "softgpu/softgpu.h"
#include "vary_work.h"
#include "workloads.h"

/* A row of careless.c, by the name of its function, and what is said of it. */
static const struct expectation {
    const char *row;
    enum variation variation;
    const char *finding; /* rule, or the name of a finding that is no rule */
    const char *clue;    /* in its sentence; NULL: whatever it says */
    bool is_advice;      /* the verdict stays clean */
    bool sleeps;         /* it shows when the computer sleeps as well */
    bool dims;           /* ... when its monitors do */
    bool by_address;     /* it shows in clients' work by GPU virtual addresses */
    bool stops;          /* it shows when work is asked to stop as well */
    bool sets_modes;     /* it shows in clients' work that sets modes */
    bool plugs;          /* it shows when a monitor is pulled out as well */
    bool on_screen;      /* it shows in pictures that are compared */
    bool twice;          /* it shows when work goes on behind it, or behind another start */
    bool queues;         /* the same by hardware queues */
    bool doorbells;      /* ... that their clients submit to by themselves */
    bool planes;         /* it shows in planes */
    bool renders;        /* it shows in much work of commands */
    bool empties;        /* it shows in work of no commands on each node */
    bool evicts;         /* by_address, in memory that its client does without for a while */
    bool copies;         /* it shows where commands write page tables by their addresses */
    bool learned;        /* it shows where comparisons are stepped */
    bool calm_too;       /* work without commands comes in a calm run, of who writes private data */
} expectations[] = {
    {"compares_ids_as_numbers", VARY_FENCE_WRAP, "SUBMIT-003"},
    {"counts_ids", VARY_FENCE_GAPS, "SUBMIT-003"},
    {"preempts_nothing", VARY_IDLE_PREEMPT, "PREEMPT-004"},
    {"validates_in_its_process", VARY_VALIDATED_ELSEWHERE, "WORKLOAD", "D3DKMTSubmitCommand"},
    {"preempts_nothing", VARY_ODD_PREEMPT, "PREEMPT-004"},
    {"present_wants_zeros", VARY_OLD_PRIVATE_DATA, "WORKLOAD"},
    {"present_wants_places", VARY_UNKNOWN_PLACES, "WORKLOAD"},
    {"patch_trusts_places", VARY_MOVED_PLACES, "WORKLOAD", "[PATCH-004"},
    {"patch_puts_the_difference", VARY_MOVED_PLACES, "ENGINE", "[PATCH-004"},
    {"builds_without_looking", VARY_PAGING_RESTS, "PAGE-"},
    {"submit_refuses_nothing", VARY_EMPTY_PAGING, "SUBMIT-003", .calm_too = true},
    {"submit_refuses_nothing", VARY_EMPTY_WORK, "SUBMIT-003", .calm_too = true},
    {"patch_wants_lists", VARY_PATCHED_PAGING, "FAULT", .calm_too = true},
    {"fills_with_zeros", VARY_FILL_PATTERN, "FILL-"},
    {"maps_from_the_start", VARY_SPLIT_MAPPINGS, "MAPAP-007", "; its commands are bytes 0x"},
    {"maps_from_the_start", VARY_TRIED_MAPPINGS, "MAPAP-007", "MdlOffset is "},
    {"transfers_from_the_start", VARY_SPLIT_TRANSFERS, "XFER-"},
    {"adds_the_offset", VARY_SPLIT_VIRTUAL, "VXFER-003", .sleeps = true, .by_address = true},
    {"unmaps_for_nobody", VARY_OTHER_SETTINGS, "PAGE-009"},
    {"unmaps_for_nobody", VARY_GPU_ADDRESSES, "TLB-002"},
    {"start_forgets", VARY_FAILED_STARTS, "LEAK", "in DxgkDdiStartDevice, in which the request"},
    {"start_reads_the_bus", VARY_FAILED_STARTS, "LEAK", "in which the request for 64 bytes at "},
    {"start_finds_a_picture", VARY_FAILED_STARTS, "MISUSE", "maps 0 bytes"},
    {"failure_frees_again", VARY_FAILED_STARTS, "MISUSE", "it is free already"},
    {"unload_gives_back", VARY_FAILED_STARTS, "LEAK",
     "in DriverEntry, in which DxgkInitialize failed"},
    {"start_remembers", VARY_SECOND_START, "POOL"},
    {"stop_frees_all", VARY_SECOND_START, "MISUSE", "it is free already"},
    {"stop_knows_its_job", VARY_SECOND_START, "MISUSE", "it is free already", .twice = true},
    {"knows_its_resources", VARY_SECOND_START, "MISUSE", "is no resource of the adapter",
     .twice = true},
    {"stop_unmaps_before_it_waits", VARY_HOT_PLUG, "MISUSE", "which was unmapped"},
    {"lights_nothing_new", VARY_MONITOR_SLEEP, "SHOW-007", "with PathPowerTransition"},
    {"lights_what_is_off", VARY_MONITOR_SLEEP, "VIDPN-017", "PathPoweredOff alone",
     .is_advice = true},
    {"is_not_switched_off", VARY_SHUT_DOWN, "DEVICE", "was to be switched off"},
    {"power_waits_too_early", VARY_SLEEP, "PNP-030", "in the DpcRoutine that was queued by then",
     .is_advice = true},
    {"reset_is_a_stub", VARY_IDLE_RESET, "TDR-"},
    {"fence_is_not_said", VARY_ODD_QUESTIONS, "QFENCE-"},
    {"counts_in_32_bits", VARY_LONG_UP, "CLOCK-001"},
    {"formats_by_bytes", VARY_ODD_QUESTIONS, "GEN-009", "pFormattedBuffer", .empties = true},
    {"formats_nothing", VARY_ODD_QUESTIONS, "HIST-001", "PrecisionBits 0", .is_advice = true,
     .empties = true},
    {"is_looked_after_under_a_lock", VARY_SLEEP, "PNP-030", "as by DxgkCbSynchronizeExecution: "},
    {"counts_the_stopped", VARY_ODD_QUESTIONS, "INT-008", "asked since, QueryCurrentFence told",
     .stops = true},
    {"knows_who_asks", VARY_ODD_QUESTIONS, "GEN-009"},
    {"fault_is_no_end", VARY_ODD_QUESTIONS, "INT-015", "behind DMA_PAGE_FAULTED",
     .by_address = true},
    {"claims_everything", VARY_SHARED_LINE, "INT-021"},
    {"takes_at_start", VARY_SHARED_LINE, "FAULT"},
    {"counts_interrupts", VARY_LATE_INTERRUPTS, "BUGCHECK"},
    {"asks_the_interrupt_routine", VARY_LOST_INTERRUPTS, "QFENCE-003"},
    {"counts_dpcs", VARY_LATE_DPCS, "BUGCHECK"},
    {"notes_the_last_cause", VARY_LATE_DPCS, "CHILD-006", "was called for another one",
     .plugs = true},
    {"knows_what_was_noted", VARY_PROMPT_DEVICE, "BUGCHECK"},
    {"creation_forgets", VARY_SHORT_MEMORY, "LEAK",
     "in DxgkDdiCreateAllocation, in which the request"},
    {"process_forgets", VARY_SHORT_MEMORY, "LEAK", "in DxgkDdiCreateProcess, in which the request",
     .by_address = true},
    {"describes_what_is_gone", VARY_HOT_PLUG, "CHILD-005"},
    {"start_reads_what_it_freed", VARY_SPECIAL_POOL, "POOL"},
    {"knows_jobs_by_address", VARY_REUSED_MEMORY, "SUBMIT-003"},
    {"patches_from_zero", VARY_SPLIT_WORK, "WORKLOAD", "[PATCH-004"},
    {"refuses_the_end", VARY_FROM_END, "PAGE-002"},
    {"maps_what_prefers_it", VARY_OTHER_SEGMENT, "MAPAP-001"},
    {"submit_looks_back", VARY_SHUT_BUFFERS, "FAULT"},
    {"present_knows_the_size", VARY_LARGER_BUFFERS, "WORKLOAD"},
    {"fills_without_looking", VARY_FULL_PAGING, "PAGE-014"},
    {"knows_what_it_takes", VARY_FULL_PAGING, "PAGE-002"},
    {"context_keeps_its_place", VARY_SHORT_MEMORY, "CTX-002", "is left taken"},
    {"commit_forgets_the_other", VARY_SECOND_MONITOR, "VIDPN-011", "of its mode anew"},
    {"power_of_children_fails", VARY_SLEEP, "PNP-007"},
    {"power_is_a_stub", VARY_SLEEP, "DEVICE"},
    {"power_forgets_to_start", VARY_SLEEP, "HARDWARE",
     "submitted 5 times, nor anything since DxgkDdiSetPowerState to D0", .stops = true,
     .twice = true},
    {"lights_once", VARY_SLEEP, "SHOW-001", "target 0 is dark, and not lit by the surface",
     .on_screen = true},
    {"has_that_shape", VARY_SLEEP, "SHOW-002", ", behind DxgkDdiSetPowerState to D0",
     .on_screen = true},
    {"sets_shapes_once", VARY_SLEEP, "SHOW-002",
     "; since SetPowerState to D0 nobody wrote BAR 2 + 0x2C (32 bits)", .on_screen = true},
    {"sets_once", VARY_SLEEP, "PNP-031", " + 0x2C (32 bits) had 0x600D, and 0x0 at power-on",
     .is_advice = true},
    {"wakes_after_a_sleep", VARY_SLEEP, "HARDWARE", "DxgkDdiSetPowerState to D0"},
    {"is_looked_after_in_its_sleep", VARY_SLEEP, "PNP-030", "as in a DPC or timer: careless.so+"},
    {"waits_for_no_dpc", VARY_SLEEP, "PNP-030", "in the DpcRoutine that was queued by then",
     .is_advice = true},
    {"counts_the_stopped", VARY_MID_PREEMPT, "INT-008"},
    {"creation_forgets", VARY_BAD_PRIVATE_DATA, "LEAK"},
    {"queue_forgets", VARY_BAD_PRIVATE_DATA, "LEAK", .by_address = true, .queues = true},
    {"hardware_context_forgets", VARY_BAD_PRIVATE_DATA, "LEAK", .by_address = true, .queues = true},
    {"render_fails_in_general", VARY_BAD_COMMANDS, "RENDER-004"},
    {"render_reads_one_more", VARY_BAD_COMMANDS, "FAULT"},
    {"render_trusts_its_count", VARY_BAD_COMMANDS, "FAULT", "read past its end", .on_screen = true,
     .learned = true},
    {"context_trusts_its_index", VARY_BAD_PRIVATE_DATA, "FAULT", "read", .learned = true},
    {"escape_trusts_its_index", VARY_ODD_QUESTIONS, "FAULT", "read", .learned = true},
    {"render_trusts_its_list", VARY_BAD_COMMANDS, "FAULT", "of pAllocationList has no allocation"},
    {"tells_of_plugging_in", VARY_HOT_PLUG, "CHILD-006"},
    {"wakes_with_memory", VARY_SHORT_MEMORY, "PNP-007", .sleeps = true},
    {"reads_the_other_level", VARY_HOT_PLUG, "CHILD-007"},
    {"knows_one_child", VARY_SECOND_MONITOR, "CHILD-002"},
    {"vsync_names_the_source", VARY_SECOND_MONITOR, "WORKLOAD"},
    {"points_where_it_was", VARY_SECOND_MONITOR, "SHOW-002", "was seen at the same place",
     .on_screen = true, .is_advice = true},
    {"shows_on_its_own_number", VARY_SECOND_MONITOR, "WORKLOAD"},
    {"submit_knows_the_source", VARY_STALE_MEMBERS, "SUBMIT-003"},
    {"releases_another_place", VARY_RELEASE_DISPLAY, "SHOW-006"},
    {"writes_without_stride", VARY_STOP_SCREEN, "SHOW-005"},
    {"render_reads_twice", VARY_BAD_COMMANDS, "RENDER-002"},
    {"reset_names_nothing", VARY_STILL_DEVICE, "ENGRST-005"},
    {"dismisses_at_the_end", VARY_SLOW_BUS, "INTERRUPT"},
    {"power_is_the_adapters", VARY_MONITOR_SLEEP, "HARDWARE", "monitors to rest"},
    {"removal_is_a_stub", VARY_PULLED_OUT, "PNP-008"},
    {"enumeration_returns_early", VARY_SCARCE_MODES, "VIDPN-005"},
    {"hands_events_on", VARY_LAPTOP, "ACPI-001"},
    {"render_forgets", VARY_SHORT_MEMORY, "LEAK",
     "in DxgkDdiRender, in which the request for 64 bytes"},
    {"present_does_not_look", VARY_SHORT_MEMORY, "FAULT", "the request for 64 bytes"},
    {"paging_wants_memory", VARY_SHORT_MEMORY, "PAGE-002", "before, the request for 64 bytes"},
    {"knows_near_pages", VARY_HIGH_MEMORY, "XFER-020"},
    {"last_component_is_refused", VARY_RESTING_PARTS, "POWER-001"},
    {"says_so_too_early", VARY_RESTING_PARTS, "WORKLOAD", .renders = true},
    {"takes_it_again", VARY_ODD_QUESTIONS, "VALID-020", .by_address = true, .queues = true,
     .is_advice = true},
    {"panel_never_rests", VARY_RESTING_PARTS, "POWER-001", "of component 2", .dims = true},
    {"forgets_its_queue", VARY_STARVED_THREADS, "PREEMPT-009", .twice = true},
    {"tells_from_a_thread", VARY_LATE_THREADS, "MISUSE", "queues a work item that is queued",
     .plugs = true},
    {"stop_waits_a_moment", VARY_LATE_THREADS, "LEAK", "in DxgkDdiStopDevice"},
    {"commit_forgets", VARY_SHORT_MEMORY, "LEAK", "in DxgkDdiCommitVidPn, in which the request"},
    {"counts_from_anything", VARY_OLD_MEMORY, "SUBMIT-003"},
    {"knows_half_the_time", VARY_LONG_UP, "SUBMIT-003"},
    {"submit_wants_a_context", VARY_NO_CONTEXT, "SUBMIT-003"},
    {"render_forgets_a_pass", VARY_BAD_COMMANDS, "RENDER-019"},
    {"says_all_of_the_aperture", VARY_AGP_APERTURE, "CAPS-012"},
    {"knows_one_removal", VARY_PULLED_OUT, "PNP-008"},
    {"power_of_what_is_gone", VARY_PULLED_OUT, "PNP-007"},
    {"stop_waits_for_engines", VARY_PULLED_OUT, "HANG", "DxgkDdiStopDevice"},
    {"power_waits_for_engines", VARY_PULLED_OUT, "HANG", "DxgkDdiSetPowerState"},
    {"flips_first_output", VARY_CLONED, "FLIP-012"},
    {"scales_as_the_first", VARY_CLONED, "SHOW-013", "and to target 0 with D3DKMDT_VPPS_",
     .sets_modes = true},
    {"vsync_of_the_last_alone", VARY_CLONED, "SHOW-001", "target 0 does not show its surface"},
    {"shows_rows_without_gaps", VARY_ODD_MONITOR, "WORKLOAD", .on_screen = true},
    {"last_path_decides", VARY_SECOND_MONITOR, "VIDPN-001"},
    {"engine_stays_down", VARY_STILL_DEVICE, "ENGRST-003", .twice = true},
    {"fills_at_once", VARY_PAGING_OVERLAPS, "XFER-020"},
    {"copies_what_is_there", VARY_PAGING_OVERLAPS, "CPTE-003", .by_address = true, .copies = true},
    {"pages_by_one_context", VARY_COMPANION_CONTEXTS, "SUBMIT-045", .by_address = true,
     .copies = true},
    {"engine_is_always_fine", VARY_STILL_DEVICE, "ENGRST-011", "Responsive is 1",
     .is_advice = true},
    {"counts_notices_too", VARY_INTERRUPT_WITHIN, "BUGCHECK"},
    {"counts_notices_too", VARY_INTERRUPT_WITHIN, "INT-022", "the interrupt routine writes at",
     .is_advice = true},
    {"takes_off_the_list", VARY_INTERRUPT_WITHIN, "BUGCHECK"},
    {"forgets_what_ended", VARY_INTERRUPT_WITHIN, "FAULT",
     " of DxgkDdiSubmitCommand was interrupted after "},
    {"knows_what_was_noted", VARY_INTERRUPT_WITHIN, "BUGCHECK"},
    {"leaves_it_to_a_thread", VARY_INTERRUPT_WITHIN, "BUGCHECK",
     " of a system thread was interrupted after "},
    {"leaves_it_to_a_dpc", VARY_INTERRUPT_WITHIN, "BUGCHECK",
     " of a DPC routine was interrupted after "},
    {"leaves_it_to_a_work_item", VARY_INTERRUPT_WITHIN, "BUGCHECK",
     " of a work item was interrupted after "},
    {"renders_in_one_place", VARY_CLIENTS_WITHIN, "GEN-001", "reads back what it wrote, at ",
     .is_advice = true},
    {"renders_in_a_list", VARY_CLIENTS_WITHIN, "GEN-001", "reads back what it wrote, at "},
    {"lists_renders", VARY_CLIENTS_WITHIN, "GEN-001", "writes memory that it has read, at "},
    {"keeps_the_latest", VARY_CLIENTS_WITHIN, "GEN-001", "has freed it in between",
     .calm_too = true}, /* it leaks the last one */
    {"counts_renders", VARY_CLIENTS_WITHIN, "GEN-001", "writes memory that it has read, at ",
     .is_advice = true},
    {"restarts_without_interrupts", VARY_IDLE_RESET, "HARDWARE",
     "claimed no interrupt at all since DxgkDdiRestartFromTimeout", .twice = true},
    {"knows_no_phase", VARY_SLOW_MODES, "INT-024", "DISABLE_KEEP_PHASE"},
    {"commit_ends_vsyncs", VARY_SLOW_MODES, "SHOW-007", "CommitVidPn set a mode", .twice = true},
    {"knows_its_first_root", VARY_MOVED_TABLES, "WORKLOAD", .by_address = true},
    {"pages_out_less", VARY_EVICTED_AT_ONCE, "XFER-020", .by_address = true, .evicts = true},
    {"tells_an_old_fence", VARY_SUSPENDED_CONTEXTS, "HWQ-014", "SUSPEND_CONTEXT_COMPLETED told of",
     .by_address = true, .queues = true},
    {"doorbell_forgets", VARY_BAD_PRIVATE_DATA, "LEAK", .by_address = true, .doorbells = true},
    {"restart_forgets_a_ring", VARY_IDLE_RESET, "ENGINE",
     "; nothing of node 2 was completed since DxgkDdiRestartFromTimeout", .empties = true},
    {"tells_half_an_id", VARY_FENCE_GAPS, "MPO-008", .planes = true},
    {"suspends_at_once", VARY_SUSPENDED_CONTEXTS, "HWQ-014", .by_address = true, .queues = true,
     .is_advice = true},
};

static const char *careless, *good;

/* What the clients of the next run do, and whether commands write page tables by address in it. */
static const struct drydock_workload *clients_work = &steady_workload;
static bool entries_are_copied, queues_are_there, doorbells_are_there, planes_are_there;
static bool paging_has_none; /* clients have GPU virtual addresses, paging by places */
static bool work_goes_on;    /* they do it twice */

struct result {
    enum run_outcome outcome;
    char message[1024];
    char findings[512];  /* rules, with spaces */
    char said[1024];     /* what happened, of all findings */
    uint64_t happenings; /* of all variations together */
};

#define PLANES "\"WddmVersion\"=dword:2600\n\"OverlayPlanes\"=dword:2\n"

static _Noreturn void run_child(struct host_options *options, const char *row,
                                struct record *record)
{
    char registry[512];

    snprintf(registry, sizeof registry,
             "[\\Registry\\Machine\\System\\CurrentControlSet\\Services\\driver]\n"
             "\"Misbehave\"=\"%s\"\n"
             "\"PerEngineTdr\"=dword:%08x\n\"PowerComponents\"=dword:%08x\n"
             "\"ApertureQueued\"=dword:%08x\n%s",
             row, options->variations.on[VARY_STILL_DEVICE],
             options->variations.on[VARY_RESTING_PARTS],
             options->variations.on[VARY_SPLIT_MAPPINGS], planes_are_there ? PLANES : "");
    options->registry = (struct host_file){"registry", registry, strlen(registry)};
    record_attach(record);
    host_run(options, record);
    _exit(0);
}

static void read_result(struct record *record, struct result *result)
{
    const struct record_header *header = record_header(record);
    const struct record_breach *breach;
    char counter[64];

    *result = (struct result){.outcome = (enum run_outcome)header->outcome};
    snprintf(result->message, sizeof result->message, "%s", header->message);
    for (uint32_t i = 0; (breach = record_breach_at(record, i)) != NULL; i++) {
        size_t used = strlen(result->findings);
        snprintf(result->findings + used, sizeof result->findings - used, "%s ", breach->rule);
        used = strlen(result->said);
        snprintf(result->said + used, sizeof result->said - used, "%s\n", breach->actual);
    }
    for (unsigned i = 0; i < VARY_COUNT; i++) {
        snprintf(counter, sizeof counter, "variations.%s", vary_info((enum variation)i)->name);
        result->happenings += record_counter(record, counter);
    }
}

/* Small pictures are quick. These show it while the driver has much to do, or choose a monitor. */
static bool wants_time(const struct vary_set *set)
{
    return set->on[VARY_STARVED_THREADS] || set->on[VARY_PULLED_OUT] ||
           set->on[VARY_INTERRUPT_WITHIN] || set->on[VARY_ODD_MONITOR];
}

static void run(const char *driver, const char *row, uint64_t seed,
                const struct vary_set *variations, struct result *result)
{
    static const struct host_setting queued = {"ApertureQueued", {1}, 1};
    static const struct host_setting addresses[] = {{"WddmVersion", {0x2600}, 1},
                                                    {"GpuMmu", {1}, 1},
                                                    {"PageTableUpdateMode", {1}, 1},
                                                    {"CompanionNode", {1}, 1}};
    static const struct host_setting places[] = {
        {"WddmVersion", {0x2600}, 1}, {"GpuMmu", {1}, 1}, {"PagingVirtual", {0}, 1}};
    static const struct host_setting queues[] = {
        {"WddmVersion", {0x2700}, 1}, {"GpuMmu", {1}, 1}, {"HardwareScheduling", {1}, 1}};
    static const struct host_setting doorbells[] = {
        {"WddmVersion", {0x3100}, 1}, {"GpuMmu", {1}, 1}, {"HardwareScheduling", {1}, 1}};
    struct record *record = record_create(1u << 14, 8u << 20);
    struct host_options options = {
        .settings = &queued,
        .setting_count = 1,
        .address_settings = paging_has_none       ? places
                            : doorbells_are_there ? doorbells
                            : queues_are_there    ? queues
                                                  : addresses,
        .address_setting_count = queues_are_there || paging_has_none ? 3
                                 : entries_are_copied                ? 4
                                                                     : 2,
        .driver_module = driver,
        .service_name = "driver",
        .device_model = &softgpu_model,
        .device_options = wants_time(variations) ? "vram_mb=32" : "vram_mb=16,monitor=2",
        .driver_speaks_softgpu = true,
        .shadow_content = true,
        .seed = seed,
        .duration_ns = clients_work == &workload_render ? UINT64_C(20000000) : 0,
        .workloads = {clients_work},
        .workload_count = 1,
        .workload_ends = {true},
        .variations = *variations,
    };
    int status = 0;

    if (work_goes_on) {
        options.workloads[options.workload_count] = clients_work;
        options.workload_ends[options.workload_count++] = true;
    }
    if (variations->on[VARY_VALIDATED_ELSEWHERE]) { /* there it is clients by virtual address */
        options.variations.on[VARY_GPU_ADDRESSES] = true;
        options.workloads[options.workload_count] = &workload_virtual;
        options.workload_ends[options.workload_count++] = true;
    }
    assert_non_null(record);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        run_child(&options, row, record);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    read_result(record, result);
    record_destroy(record);
}

static void print(const struct result *result)
{
    printf("  outcome %d: %s\n  findings: %s\n  %s\n", (int)result->outcome, result->message,
           result->findings, result->said);
}

/* ---- The careless ---------------------------------------------------------------------------- */

static const struct drydock_workload *work_of(const struct expectation *expected)
{
    return expected->doorbells    ? &workload_doorbells
           : expected->queues     ? &workload_queues
           : expected->planes     ? &workload_planes
           : expected->renders    ? &workload_render
           : expected->empties    ? &workload_empty
           : expected->evicts     ? &evicting_workload
           : expected->by_address ? &workload_virtual
           : expected->on_screen  ? &workload_desktop
           : expected->sets_modes ? &workload_modes
                                  : &steady_workload;
}

static void choose_work(const struct expectation *expected)
{
    clients_work = work_of(expected);
    entries_are_copied = expected->copies;
    work_goes_on = expected->twice;
    queues_are_there = expected->queues || expected->doorbells;
    doorbells_are_there = expected->doorbells;
    planes_are_there = expected->planes;
}

static void a_calm_run_sees_nothing(void **state)
{
    const struct expectation *expected = *state;
    struct vary_set none = {0};
    struct result result;

    none.on[VARY_GPU_ADDRESSES] = expected->by_address;
    choose_work(expected);
    run(careless, expected->row, 1, &none, &result);
    if (result.outcome != RUN_OUTCOME_PASS || result.findings[0]) {
        print(&result);
        fail();
    }
    assert_true(expected->by_address || result.happenings == 0);
}

static bool is_shown(const struct expectation *expected, const struct result *result)
{
    return (result->outcome == RUN_OUTCOME_PASS) == expected->is_advice &&
           result->outcome != RUN_OUTCOME_OWN_FAULT &&
           strstr(result->findings, expected->finding) &&
           (!expected->clue || strstr(result->said, expected->clue));
}

/* A driver with a sanitizer in it has many instructions beside its own. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

/* What happens seldom does so in one of several runs; between two instructions, in one of many. */
#define TRIES        4
#define TRIES_WITHIN (SANITIZED ? 16u : 100u)

static void its_variation_shows_it(void **state)
{
    const struct expectation *expected = *state;
    struct vary_set set = {0};
    struct result result;
    bool shown = false;

    set.on[expected->variation] = true;
    set.on[VARY_SLEEP] |= expected->sleeps;
    set.on[VARY_MONITOR_SLEEP] |= expected->dims;
    set.on[VARY_HOT_PLUG] |= expected->plugs;
    set.on[VARY_ODD_PREEMPT] |= expected->stops;
    set.on[VARY_GPU_ADDRESSES] |= expected->by_address;
    choose_work(expected);
    bool within = set.on[VARY_INTERRUPT_WITHIN] || set.on[VARY_CLIENTS_WITHIN];
    bool stepped = within || expected->learned;
    unsigned tries = within ? TRIES_WITHIN : TRIES;
    for (unsigned seed = 1; seed <= tries && !shown; seed++) {
        run(careless, expected->row, seed, &set, &result);
        shown = is_shown(expected, &result);
    }
    if (!shown && SANITIZED && stepped) {
        seen_cannot(expected->finding, CONTRACT_DRIVER);
        skip();
    }
    if (!shown) {
        print(&result);
        fail();
    }
    seen_rule(expected->finding, CONTRACT_DRIVER);
}

/* Of drivers that have a display and nothing else: tests/contract/display_only_test.c. */
static bool is_of_others(enum variation variation)
{
    return variation == VARY_WIDE_ROWS;
}

static void every_variation_has_its_careless_driver(void **state)
{
    bool shown[VARY_COUNT] = {0};

    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
        shown[expectations[i].variation] = true;
    }
    for (unsigned i = 0; i < VARY_COUNT; i++) {
        if (!shown[i] && !is_of_others((enum variation)i)) {
            fail_msg("%s has none", vary_info((enum variation)i)->name);
        }
    }
}

/* ---- The good -------------------------------------------------------------------------------- */

/* What the reference driver has not, threads and a screen that is refreshed before it starts: for
 * them stand rows that do right what others do wrong. */
static const char *row_of_the_right(const struct vary_set *set)
{
    if (set->on[VARY_LATE_DPCS]) {
        return NULL; /* all are on */
    }
    if (set->on[VARY_STARVED_THREADS]) {
        return "empties_its_queue";
    }
    if (set->on[VARY_SECOND_START]) {
        return "shows_before_it_has_started";
    }
    if (set->on[VARY_CLIENTS_WITHIN]) {
        return "counts_renders_alone";
    }
    return set->on[VARY_LATE_THREADS] ? "stop_waits_for_the_end" : NULL;
}

static void passes(uint64_t seed, const struct vary_set *set)
{
    const char *row = row_of_the_right(set);
    char names[VARY_LIST_MAX];
    struct result result;

    run(row ? careless : good, row ? row : "", seed, set, &result);
    /* Few calls are looked at in a run. */
    for (unsigned i = 1; i < TRIES_WITHIN && set->on[VARY_CLIENTS_WITHIN] &&
                         result.outcome == RUN_OUTCOME_PASS && result.happenings == 0;
         i++) {
        run(row ? careless : good, row ? row : "", seed + i, set, &result);
    }
    bool passed = result.outcome == RUN_OUTCOME_PASS && !result.findings[0];
    if (passed && result.happenings == 0 && SANITIZED && set->on[VARY_CLIENTS_WITHIN]) {
        skip(); /* it does not come to pass with so many instructions */
    }
    if (!passed || result.happenings == 0) {
        vary_set_write(set, names, sizeof names);
        printf("  --vary %s --seed %llu: %llu happenings\n", names, (unsigned long long)seed,
               (unsigned long long)result.happenings);
        print(&result);
        fail();
    }
}

static unsigned seed_count(unsigned otherwise)
{
    const char *wanted = getenv("VARY_SEEDS");

    return wanted ? (unsigned)strtoul(wanted, NULL, 0) : otherwise;
}

static void a_good_driver_passes_under_it(void **state)
{
    const struct vary_info *info = *state;
    unsigned seeds = seed_count(1);

    doorbells_are_there = planes_are_there = false;
    for (unsigned i = 0; i < VARY_COUNT; i++) {
        struct vary_set set = {0};
        set.on[i] = vary_info((enum variation)i) == info;
        queues_are_there = set.on[VARY_SUSPENDED_CONTEXTS];
        bool by_address = set.on[VARY_MOVED_TABLES] || set.on[VARY_SPLIT_VIRTUAL] ||
                          set.on[VARY_PAGING_OVERLAPS] || set.on[VARY_EVICTED_AT_ONCE] ||
                          set.on[VARY_COMPANION_CONTEXTS] || queues_are_there;
        set.on[VARY_GPU_ADDRESSES] |= by_address;
        clients_work = queues_are_there ? &workload_queues
                       : by_address     ? &workload_virtual
                                        : &steady_workload;
        entries_are_copied = set.on[VARY_PAGING_OVERLAPS] || set.on[VARY_COMPANION_CONTEXTS];
        work_goes_on = set.on[VARY_SECOND_START];
        for (uint64_t seed = 1; set.on[i] && seed <= seeds; seed++) {
            passes(seed, &set);
        }
    }
}

static void a_good_driver_passes_under_all(void **state)
{
    struct vary_set all;
    unsigned seeds = seed_count(5);

    memset(all.on, true, sizeof all.on);
    clients_work = &steady_workload;
    entries_are_copied = queues_are_there = work_goes_on = false;
    doorbells_are_there = planes_are_there = false;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        passes(seed, &all);
    }
}

/* What it is told of places are places that its allocations may have. */
static void a_wide_alignment_is_kept_in_every_hint(void **state)
{
    struct vary_set set = {0};
    struct result result;

    set.on[VARY_MOVED_PLACES] = true;
    run(careless, "aligns_widely", 1, &set, &result);
    if (result.outcome != RUN_OUTCOME_PASS || result.findings[0] || result.happenings == 0) {
        print(&result);
        fail();
    }
}

/* The kernel refuses what the driver described; the workload that fails is told why. */
static void a_refusal_by_the_kernel_says_why(void **state)
{
    static const char *const drivers[][2] = {
        {"counts_segments_from_zero", "stands for segment n [ALLOC-007]"},
        {"forgets_the_processor", "CreateAllocation left CpuVisible 0 [ALLOC-010]"},
    };
    const struct vary_set none = {0};

    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
        struct result result;
        run(careless, drivers[i][0], 1, &none, &result);
        if (!strstr(result.findings, "WORKLOAD") || !strstr(result.said, drivers[i][1])) {
            print(&result);
            fail();
        }
    }
}

/* Its driver wrote what faulted, whoever was told of the fault. */
static void a_fault_of_paging_by_places_names_its_operation(void **state)
{
    struct vary_set set = {0};
    struct result result;

    set.on[VARY_GPU_ADDRESSES] = paging_has_none = true;
    clients_work = &workload_virtual;
    entries_are_copied = queues_are_there = doorbells_are_there = planes_are_there = false;
    run(careless, "transfer_is_nowhere", 1, &set, &result);
    paging_has_none = false;
    if (!strstr(result.findings, "ENGINE") || !strstr(result.said, "(paging: Transfer)")) {
        print(&result);
        fail();
    }
}

/* What stood there before Patch is no clue to why a workload failed. */
static void an_address_that_patch_wrote_over_explains_nothing(void **state)
{
    const struct vary_set none = {0};
    struct result result;

    clients_work = &steady_workload;
    run(careless, "present_leaves_addresses", 1, &none, &result);
    if (!strstr(result.findings, "WORKLOAD") || strstr(result.said, "at PatchOffset")) {
        print(&result);
        fail();
    }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

#define EXPECTATION_COUNT (sizeof expectations / sizeof expectations[0])
#define TEST_COUNT        (2 * EXPECTATION_COUNT + VARY_COUNT + 7)

static struct CMUnitTest tests[TEST_COUNT];
static char names[TEST_COUNT][80];
static size_t test_count;

static void add(const char *subject, const char *name, CMUnitTestFunction function,
                const void *state)
{
    char *text = names[test_count];

    snprintf(text, sizeof names[0], "%s%s%s", subject, subject[0] ? ": " : "", name);
    tests[test_count++] = (struct CMUnitTest){
        .name = text, .test_func = function, .initial_state = (void *)(uintptr_t)state};
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: variations_test CARELESS.so SOFTGPU.so [filter]\n");
        return 2;
    }
    careless = argv[1];
    good = argv[2];
    for (size_t i = 0; i < EXPECTATION_COUNT; i++) {
        const struct expectation *expected = &expectations[i];
        const char *subject = vary_info(expected->variation)->name;
        if (!expected->calm_too) {
            add(subject, "a calm run sees nothing", a_calm_run_sees_nothing, expected);
        }
        add(subject, "the variation shows it", its_variation_shows_it, expected);
    }
    for (unsigned i = 0; i < VARY_COUNT; i++) {
        const struct vary_info *info = vary_info((enum variation)i);
        if (is_of_others((enum variation)i)) {
            continue;
        }
        add(info->name, "a good driver passes", a_good_driver_passes_under_it, info);
    }
    add("", "a good driver passes under all", a_good_driver_passes_under_all, NULL);
    add("", "a wide alignment is kept in every hint", a_wide_alignment_is_kept_in_every_hint, NULL);
    add("", "a refusal by the kernel says why", a_refusal_by_the_kernel_says_why, NULL);
    add("", "a fault of paging by places names its operation",
        a_fault_of_paging_by_places_names_its_operation, NULL);
    add("", "an address that patch wrote over explains nothing",
        an_address_that_patch_wrote_over_explains_nothing, NULL);
    add("", "every variation has its careless driver", every_variation_has_its_careless_driver,
        NULL);
    add("", "what was seen is written", seen_is_written, "variations");
    if (argc > 3 && !row_filter(tests, test_count, argv[3])) {
        return 2;
    }
    return _cmocka_run_group_tests("variations", tests, test_count, NULL, NULL);
}
