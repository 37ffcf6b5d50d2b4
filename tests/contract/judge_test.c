/* Rows that look back over many calls: what is said to the tracker in few words, and who is blamed.
 *
 * Calls of the driver are followed and not judged, unless a test is about one: what the kernel owes
 * them is no matter here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/record.h"
#include "contract/internal.h"
#include "machine/machine.h"

#define WDDM13 0x4002

static struct record *record;
static struct contract_tracker *tracker;
static bool has[POINT_COUNT];

static void start_of(unsigned version, const char *variations)
{
    struct machine_config config = {.seed = 1, .ram_bytes = 64u << 20, .cpu_count = 1};
    const char *wrong;
    size_t length;

    assert_true(vary_set_read(variations, &config.variations, &wrong, &length));
    record = record_create(1024, 4096);
    assert_non_null(record);
    record_attach(record);
    assert_int_equal(machine_create(&config), STATUS_SUCCESS);
    memset(has, true, sizeof has);
    tracker = contract_tracker_create(1, version, has);
    tracker->node_count = 1;
    tracker->state = CONTRACT_DEVICE_STARTED;
}

static void start(const char *variations)
{
    start_of(WDDM13, variations);
}

static int finish(void **state)
{
    contract_tracker_destroy(tracker);
    machine_destroy();
    record_destroy(record);
    return 0;
}

static void is_blamed_for(const char *rule)
{
    const struct record_breach *breach = record_breach_at(record, 0);

    assert_non_null(breach);
    assert_string_equal(breach->rule, rule);
}

static void is_not_blamed(void)
{
    const struct record_breach *breach = record_breach_at(record, 0);

    if (breach) {
        fail_msg("%s: %s", breach->rule, breach->actual);
    }
}

static void notify(DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    struct contract_call call = {.tracker = tracker,
                                 .point = POINT_CbNotifyInterrupt,
                                 .arguments = data,
                                 .irql_before = MACHINE_IRQL_DEVICE_FIRST,
                                 .irql = MACHINE_IRQL_DEVICE_FIRST,
                                 .irql_after = MACHINE_IRQL_DEVICE_FIRST};

    contract_before(&call);
    contract_after(&call);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static void more_nodes_than_there_can_be_are_not_looked_at(void **state)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED};

    start("none");
    tracker->node_count = 1u << 30;
    notify(&data);
    is_blamed_for("PREEMPT-003");
}

/* ---- DPCs ------------------------------------------------------------------------------------ */

static void goes_by(enum contract_point point, enum contract_moment moment)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED};
    struct contract_call call = {.tracker = tracker, .point = point, .arguments = &data};

    contract_follow(&call, moment);
}

/* A notice, and the DPC that it asks for. */
static void notice_goes_by(void)
{
    goes_by(POINT_CbNotifyInterrupt, MOMENT_BEFORE);
    goes_by(POINT_CbNotifyInterrupt, MOMENT_AFTER);
    goes_by(POINT_CbQueueDpc, MOMENT_BEFORE);
}

static void reset_begins(void)
{
    struct contract_call call = {.tracker = tracker, .point = POINT_ResetFromTimeout};

    tracker->state = CONTRACT_DEVICE_STARTED;

    contract_before(&call);
}

static void a_notice_whose_dpc_is_on_its_way_is_not_lost(void **state)
{
    start("none");
    notice_goes_by();
    reset_begins();
    is_not_blamed();
    goes_by(POINT_DpcRoutine, MOMENT_BEFORE);
    reset_begins();
    is_not_blamed();
}

static void a_notice_that_the_dpc_did_not_pass_on_is_lost(void **state)
{
    start("none");
    notice_goes_by();
    goes_by(POINT_DpcRoutine, MOMENT_BEFORE);
    goes_by(POINT_DpcRoutine, MOMENT_AFTER);
    reset_begins();
    is_blamed_for("INT-018");
}

/* ---- Vertical syncs -------------------------------------------------------------------------- */

static void give_address(uint64_t address, bool mode_change)
{
    DXGKARG_SETVIDPNSOURCEADDRESS arguments = {.PrimaryAddress.QuadPart = (LONGLONG)address};
    DXGKARG_SETVIDPNSOURCEADDRESS before;
    struct contract_call call = {.tracker = tracker,
                                 .point = POINT_SetVidPnSourceAddress,
                                 .arguments = &arguments,
                                 .before = &before};

    arguments.Flags.ModeChange = mode_change;
    arguments.Flags.FlipOnNextVSync = !mode_change;
    before = arguments;
    contract_follow(&call, MOMENT_BEFORE);
    contract_follow(&call, MOMENT_AFTER);
}

static void tell_vsync(UINT target, uint64_t address)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC};

    data.CrtcVsync.VidPnTargetId = target;
    data.CrtcVsync.PhysicalAddress.QuadPart = (LONGLONG)address;
    notify(&data);
}

static void start_with_a_screen(unsigned targets)
{
    start("none");
    tracker->source_count = 1;
    tracker->child_count = targets;
    tracker->sources[0].committed = true;
    give_address(0x1000, true);
}

static void the_old_surface_may_be_told_while_flips_lead_away_and_back(void **state)
{
    start_with_a_screen(2);
    give_address(0x2000, false);
    give_address(0x1000, false);
    tell_vsync(0, 0x1000);                                  /* not taken yet */
    assert_int_equal(tracker->sources[0].pending_count, 0); /* as the flip queue has it */
    tell_vsync(0, 0x2000);
    tell_vsync(1, 0x2000);
    tell_vsync(0, 0x1000);
    tell_vsync(1, 0x1000);
    is_not_blamed();
}

static void an_address_of_long_ago_is_blamed(void **state)
{
    start_with_a_screen(1);
    give_address(0x2000, false);
    tell_vsync(0, 0x2000);
    give_address(0x3000, false);
    tell_vsync(0, 0x3000);
    tell_vsync(0, 0x1000);
    is_blamed_for("INT-010");
}

static void a_flip_to_what_is_shown_takes_one_vertical_sync(void **state)
{
    start_with_a_screen(1);
    give_address(0x1000, false);
    tell_vsync(0, 0x1000);
    assert_int_equal(tracker->sources[0].pending_count, 0);
    is_not_blamed();
}

static void a_long_queue_is_shown_from_its_first(void **state)
{
    start_with_a_screen(1);
    for (unsigned i = 1; i <= CONTRACT_ADDRESSES_MAX + 4; i++) {
        give_address(0x1000 + 0x1000 * i, false);
    }
    tell_vsync(0, 0x1000);
    for (unsigned i = 1; i <= CONTRACT_ADDRESSES_MAX + 4; i++) {
        tell_vsync(0, 0x1000 + 0x1000 * i);
    }
    is_not_blamed();
}

static void an_address_that_nobody_gave_is_blamed(void **state)
{
    start_with_a_screen(1);
    tell_vsync(0, 0x5000);
    is_blamed_for("FLIP-004");
}

/* One of two registers is not written, or not read back. */
static void half_of_an_address_is_told_as_that(void **state)
{
    start_with_a_screen(1);
    give_address(0x123450000, false);
    tell_vsync(0, 0x23450000);
    is_blamed_for("FLIP-004");
    assert_non_null(strstr(record_breach_at(record, 0)->actual,
                           ", and which is 0x123450000 without bits 32 and up"));
}

static void change_power(DEVICE_POWER_STATE state)
{
    const struct contract_power power = {.device = DISPLAY_ADAPTER_HW_ID, .state = state};
    struct contract_call call = {
        .tracker = tracker, .point = POINT_SetPowerState, .extra = (void *)&power};

    contract_follow(&call, MOMENT_BEFORE);
    contract_follow(&call, MOMENT_AFTER);
}

/* What firmware lit, for instance. */
static void behind_a_change_of_power_a_screen_shows_anything_until_it_has_an_address(void **state)
{
    start_with_a_screen(1);
    tell_vsync(0, 0x1000);
    change_power(PowerDeviceD3);
    change_power(PowerDeviceD0);
    tell_vsync(0, 0x5000);
    is_not_blamed();
    give_address(0x2000, true);
    tell_vsync(0, 0x5000);
    is_blamed_for("FLIP-004");
}

/* ---- Openings -------------------------------------------------------------------------------- */

/* The driver opens an allocation, for which it asks by the kernel's handle. */
static void open_one(HANDLE device, HANDLE allocation, HANDLE opening)
{
    DXGK_OPENALLOCATIONINFO info = {.hAllocation = 0x40};
    DXGKARG_OPENALLOCATION arguments = {.NumAllocations = 1, .pOpenAllocation = &info}, before;
    DXGKARGCB_GETHANDLEDATA asked = {.hObject = 0x40, .Type = DXGK_HANDLE_ALLOCATION};
    struct contract_call question = {.tracker = tracker,
                                     .point = POINT_CbGetHandleData,
                                     .arguments = &asked,
                                     .extra = &allocation};
    struct contract_call call = {.tracker = tracker,
                                 .point = POINT_OpenAllocation,
                                 .arguments = &arguments,
                                 .before = &before,
                                 .first = device};

    before = arguments;
    contract_follow(&call, MOMENT_BEFORE);
    contract_follow(&question, MOMENT_AFTER);
    info.hDeviceSpecificAllocation = opening;
    contract_after(&call);
}

#define HANDLE_OF(number) ((HANDLE)(uintptr_t)(number))

static void openings_of_one_allocation_may_share_a_handle(void **state)
{
    start("none");
    open_one(HANDLE_OF(1), HANDLE_OF(10), HANDLE_OF(100));
    open_one(HANDLE_OF(1), HANDLE_OF(10), HANDLE_OF(100));
    open_one(HANDLE_OF(2), HANDLE_OF(10), HANDLE_OF(100));
    is_not_blamed();
}

static void openings_of_two_allocations_may_not(void **state)
{
    start("none");
    open_one(HANDLE_OF(1), HANDLE_OF(10), HANDLE_OF(100));
    open_one(HANDLE_OF(1), HANDLE_OF(11), HANDLE_OF(100));
    is_blamed_for("ALLOC-017");
}

static void an_opening_has_a_handle(void **state)
{
    start("none");
    open_one(HANDLE_OF(1), HANDLE_OF(10), NULL);
    is_blamed_for("ALLOC-017");
}

/* ---- Fences ---------------------------------------------------------------------------------- */

/* `newer` is reported while the driver is on its way back. */
static void answer_query_late(UINT fence, UINT newer)
{
    DXGKARG_QUERYCURRENTFENCE query = {0}, before;
    struct contract_call call = {.tracker = tracker,
                                 .point = POINT_QueryCurrentFence,
                                 .arguments = &query,
                                 .before = &before,
                                 .size_bytes = sizeof query};

    tracker->nodes[0].submitted_any = tracker->nodes[0].reported_any = true;
    tracker->nodes[0].last_submitted = 9;
    tracker->nodes[0].last_reported = 7;
    contract_before(&call);
    query.CurrentFence = fence;
    tracker->nodes[0].last_reported = newer;
    contract_after(&call);
}

static void answer_query(UINT fence)
{
    answer_query_late(fence, 7);
}

static void who_answers_0_is_not_blamed_where_no_fence_is_missing(void **state)
{
    start("odd-questions");
    answer_query(0);
    is_not_blamed();
    answer_query(10);
    is_blamed_for("QFENCE-003");
}

static void a_fence_behind_a_sleep_is_not_laid_to_an_earlier_reset(void **state)
{
    start("none");
    tracker->nodes[0].any_aborted = true;
    tracker->nodes[0].aborted = 3;
    change_power(PowerDeviceD3);
    change_power(PowerDeviceD0);
    answer_query(2);
    is_blamed_for("QFENCE-003");
    assert_non_null(strstr(record_breach_at(record, 0)->actual, "SetPowerState"));
}

static void an_interrupt_behind_the_answer_does_not_make_it_wrong(void **state)
{
    start("none");
    answer_query_late(7, 8);
    is_not_blamed();
    answer_query_late(6, 8);
    is_blamed_for("QFENCE-003");
}

/* Ids jump; what ends while the driver is on its way may lie behind half of all numbers. */
static void fences_that_end_far_behind_the_last_report_are_new(void **state)
{
    DXGKARG_QUERYCURRENTFENCE query = {0}, before;
    struct contract_call call = {.tracker = NULL,
                                 .point = POINT_QueryCurrentFence,
                                 .arguments = &query,
                                 .before = &before,
                                 .size_bytes = sizeof query};

    start("none");
    call.tracker = tracker;
    tracker->nodes[0].submitted_any = tracker->nodes[0].reported_any = true;
    tracker->nodes[0].last_reported = 0x33333333;
    tracker->nodes[0].last_submitted = 0x66666666;
    contract_before(&call);
    query.CurrentFence = tracker->nodes[0].last_reported = 0xCCCCCCCC;
    tracker->nodes[0].last_submitted = 0xCCCCCCCC;
    contract_after(&call);
    is_not_blamed();
}

static void who_answers_0_is_blamed_if_a_fence_is_missing(void **state)
{
    start("none");
    answer_query(0);
    is_blamed_for("QFENCE-003");
}

static void a_fence_that_faulted_is_not_missing(void **state)
{
    start("none");
    tracker->nodes[0].any_faulted = true;
    tracker->nodes[0].faulted = 8;
    answer_query(8);
    is_not_blamed();
    tracker->nodes[0].any_faulted = false;
    answer_query(8);
    is_blamed_for("QFENCE-002");
}

/* ---- Engines --------------------------------------------------------------------------------- */

/* Packet 8 is on the node; the driver is asked to stop, and answers that the fence is complete. */
static void start_with_a_packet(void)
{
    struct contract_node *node;

    start_of(DXGKDDI_INTERFACE_VERSION_WDDM2_0, "none");
    node = &tracker->nodes[0];
    node->submitted_any = node->reported_any = node->any_id = true;
    node->last_submitted = node->newest_submitted = node->last_id = 8;
    node->last_reported = 7;
    node->outstanding[0].fence = 8;
    node->outstanding_count = 1;
}

static void stop_with(UINT request, UINT complete)
{
    DXGKARG_PREEMPTCOMMAND asked = {.PreemptionFenceId = request};
    struct contract_call call = {
        .tracker = tracker, .point = POINT_PreemptCommand, .arguments = &asked};
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED};

    data.DmaPreempted.PreemptionFenceId = request;
    data.DmaPreempted.LastCompletedFenceId = complete;
    contract_follow(&call, MOMENT_BEFORE);
    contract_follow(&call, MOMENT_AFTER);
    notify(&data);
}

static void tell_fault(UINT fence)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED};

    data.DmaPageFaulted.FaultedFenceId = fence;
    data.DmaPageFaulted.PageFaultFlags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
    notify(&data);
}

static void what_a_stop_told_as_complete_the_next_may_tell_again(void **state)
{
    start_with_a_packet();
    stop_with(9, 8);
    stop_with(10, 8);
    is_not_blamed();
}

static void what_faulted_counts_as_complete_for_every_stop(void **state)
{
    start_with_a_packet();
    tell_fault(8);
    stop_with(9, 8);
    assert_false(tracker->nodes[0].any_claimed); /* it was told before */
    stop_with(10, 8);
    is_not_blamed();
}

static void what_never_was_on_the_node_is_not_complete_for_a_stop(void **state)
{
    start_with_a_packet();
    stop_with(9, 6);
    is_blamed_for("INT-008");
}

/* What a stop told is older than a report far beyond it, also where half of all ids lie between. */
static void a_report_ends_what_a_stop_told(void **state)
{
    struct contract_node *node;

    start_with_a_packet();
    stop_with(9, 8);
    node = &tracker->nodes[0];
    assert_true(node->any_claimed);
    node->outstanding[0].fence = node->last_submitted = node->last_id = 11;
    node->outstanding_count = 1;
    notify(&(DXGKARGCB_NOTIFY_INTERRUPT_DATA){.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED,
                                              .DmaCompleted.SubmissionFenceId = 11});
    assert_false(node->any_claimed || node->has_claimed);
    is_not_blamed();
}

static void answer_reset(UINT aborted)
{
    DXGKARG_RESETENGINE reset = {.LastAbortedFenceId = aborted}, before = {.NodeOrdinal = 0};
    struct contract_call call = {
        .tracker = tracker, .point = POINT_ResetEngine, .arguments = &reset, .before = &before};

    contract_before(&call);
    contract_after(&call);
}

/* Fence 8 was preempted, and the fault that it had met is told behind that. */
static void start_with_a_preempted_packet(void)
{
    struct contract_node *node;

    start("none");
    node = &tracker->nodes[0];
    node->submitted_any = node->reported_any = true;
    node->last_reported = 6;
    node->last_submitted = 7; /* as a preemption leaves it */
    node->newest_submitted = 8;
}

static void what_was_preempted_may_be_what_a_reset_aborts(void **state)
{
    start_with_a_preempted_packet();
    answer_reset(8);
    is_not_blamed();
}

/* Of 6, 7 and 8 the first was completed, as the answer to a preemption says that nobody hears. */
static void start_with_a_claim(void)
{
    struct contract_node *node;

    start("none");
    node = &tracker->nodes[0];
    node->submitted_any = node->reported_any = node->any_claimed = true;
    node->last_reported = 4;
    node->claimed = node->last_submitted = 6;
    node->newest_submitted = 8;
    node->preempted[node->preempted_count++] = (struct contract_packet){.fence = 7};
    node->preempted[node->preempted_count++] = (struct contract_packet){.fence = 8};
}

static void what_was_completed_last_is_advised_to_be_aborted(void **state)
{
    start_with_a_claim();
    answer_reset(6);
    is_not_blamed();
    tracker->nodes[0].last_reported = 4;
    answer_reset(5);
    is_blamed_for("ENGRST-005");
    assert_int_equal(record_breach_at(record, 0)->weight, RECORD_ADVICE);
}

static void what_was_never_submitted_is_not_aborted(void **state)
{
    start_with_a_preempted_packet();
    answer_reset(9);
    is_blamed_for("ENGRST-005");
}

static void what_registers_of_a_missing_device_told_is_nobodys(void **state)
{
    start_with_a_preempted_packet();
    contract_device_goes_missing(tracker);
    answer_reset(0xFFFFFFFF);
    is_not_blamed();
}

static void answer_group(UINT64 mask, NTSTATUS status)
{
    DXGKARG_QUERYDEPENDENTENGINEGROUP group = {0}, before = {0};
    struct contract_call call = {.tracker = tracker,
                                 .point = POINT_QueryDependentEngineGroup,
                                 .arguments = &group,
                                 .before = &before};

    contract_before(&call);
    group.DependentNodeOrdinalMask = mask;
    call.status = status;
    contract_after(&call);
}

static void a_group_without_its_node_stops_the_system(void **state)
{
    start("none");
    answer_group(0, STATUS_SUCCESS);
    is_blamed_for("ENGRST-012");
    assert_int_equal(record_breach_at(record, 0)->bugcheck, 0x119);
}

static void a_group_that_is_not_told_stops_nothing(void **state)
{
    start("none");
    answer_group(0, STATUS_UNSUCCESSFUL);
    is_blamed_for("ENGRST-012");
    assert_int_equal(record_breach_at(record, 0)->bugcheck, 0);
    assert_int_equal(record_breach_at(record, 0)->weight, RECORD_COUNTS);
}

static void a_group_with_nodes_that_are_not_there_is_advice(void **state)
{
    start("none");
    answer_group(~UINT64_C(0), STATUS_SUCCESS);
    is_blamed_for("ENGRST-012");
    assert_int_equal(record_breach_at(record, 0)->weight, RECORD_ADVICE);
}

/* ---- Hardware contexts ----------------------------------------------------------------------- */

#define HW_CONTEXT ((HANDLE)(uintptr_t)0x7000)
#define HW_QUEUE   ((HANDLE)(uintptr_t)0x8000)

/* A fence that is written when the suspension has been told of. */
static void resume_behind_a_fence(bool late_fences)
{
    static UINT64 fence;
    DXGKARG_RESUMECONTEXT resume = {.hContext = HW_CONTEXT};
    struct contract_call call = {
        .tracker = tracker, .point = POINT_ResumeContext, .arguments = &resume, .before = &resume};

    tracker->late_fence_nodes = late_fences;
    struct contract_object *context =
        contract_object_add(tracker, TRACKED_HW_CONTEXT, HW_CONTEXT, NULL);
    struct contract_object *queue = contract_object_add(tracker, TRACKED_HW_QUEUE, HW_QUEUE, NULL);
    context->suspended = true;
    queue->target = HW_CONTEXT;
    queue->fence_cpu = &fence;
    queue->last_progress = 5;
    queue->stood_at = 4;
    fence = 5;
    contract_before(&call);
}

static void a_fence_that_the_driver_writes_may_come_behind_the_suspension(void **state)
{
    start("none");
    resume_behind_a_fence(true);
    is_blamed_for("HWQ-014");
    assert_int_equal(record_breach_at(record, 0)->weight, RECORD_ADVICE);
}

static void a_fence_that_commands_write_may_not(void **state)
{
    start("none");
    resume_behind_a_fence(false);
    is_blamed_for("HWQ-014");
    assert_int_equal(record_breach_at(record, 0)->weight, RECORD_COUNTS);
}

#include "judge_clocks.h"

/* ---- Power components ------------------------------------------------------------------------ */

static void becomes(enum contract_point point)
{
    struct contract_component_call said = {.component = 0};
    struct contract_call call = {.tracker = tracker, .point = point, .arguments = &said};

    contract_follow(&call, MOMENT_BEFORE);
    contract_follow(&call, MOMENT_AFTER);
}

static void device_is_removed(void)
{
    struct contract_call call = {.tracker = tracker, .point = POINT_RemoveDevice};

    tracker->state = CONTRACT_DEVICE_STOPPED;
    contract_before(&call);
    contract_after(&call);
}

static void what_is_held_over_a_second_start_is_seen(void **state)
{
    start("none");
    track_components_counted(tracker, 1);
    becomes(POINT_CbSetPowerComponentActive);
    track_components_counted(tracker, 1);
    device_is_removed();
    is_blamed_for("POWER-005");
}

static void who_was_not_told_that_it_stops_may_hold_some(void **state)
{
    start("none");
    track_components_counted(tracker, 1);
    tracker->components.told = CONTRACT_RUNTIME_STARTED;
    becomes(POINT_CbSetPowerComponentActive);
    device_is_removed();
    is_not_blamed();
}

static void what_was_let_go_before_a_second_start_is_not_held(void **state)
{
    start("none");
    track_components_counted(tracker, 2);
    becomes(POINT_CbSetPowerComponentActive);
    becomes(POINT_CbSetPowerComponentIdle);
    track_components_counted(tracker, 2);
    device_is_removed();
    is_not_blamed();
}

#include "judge_compute.h"

int main(void)
{
#define JUDGE(name) cmocka_unit_test_teardown(name, finish)
    const struct CMUnitTest tests[] = {
        JUDGE(a_notice_whose_dpc_is_on_its_way_is_not_lost),
        JUDGE(a_notice_that_the_dpc_did_not_pass_on_is_lost),
        JUDGE(more_nodes_than_there_can_be_are_not_looked_at),
        JUDGE(the_old_surface_may_be_told_while_flips_lead_away_and_back),
        JUDGE(an_address_of_long_ago_is_blamed),
        JUDGE(a_flip_to_what_is_shown_takes_one_vertical_sync),
        JUDGE(a_long_queue_is_shown_from_its_first),
        JUDGE(an_address_that_nobody_gave_is_blamed),
        JUDGE(half_of_an_address_is_told_as_that),
        JUDGE(behind_a_change_of_power_a_screen_shows_anything_until_it_has_an_address),
        JUDGE(openings_of_one_allocation_may_share_a_handle),
        JUDGE(openings_of_two_allocations_may_not),
        JUDGE(an_opening_has_a_handle),
        JUDGE(who_answers_0_is_not_blamed_where_no_fence_is_missing),
        JUDGE(fences_that_end_far_behind_the_last_report_are_new),
        JUDGE(who_answers_0_is_blamed_if_a_fence_is_missing),
        JUDGE(a_fence_that_faulted_is_not_missing),
        JUDGE(what_a_stop_told_as_complete_the_next_may_tell_again),
        JUDGE(what_faulted_counts_as_complete_for_every_stop),
        JUDGE(what_never_was_on_the_node_is_not_complete_for_a_stop),
        JUDGE(a_report_ends_what_a_stop_told),
        JUDGE(what_was_preempted_may_be_what_a_reset_aborts),
        JUDGE(what_was_completed_last_is_advised_to_be_aborted),
        JUDGE(what_was_never_submitted_is_not_aborted),
        JUDGE(what_registers_of_a_missing_device_told_is_nobodys),
        JUDGE(a_group_without_its_node_stops_the_system),
        JUDGE(a_group_that_is_not_told_stops_nothing),
        JUDGE(a_group_with_nodes_that_are_not_there_is_advice),
        JUDGE(a_fence_that_the_driver_writes_may_come_behind_the_suspension),
        JUDGE(a_fence_that_commands_write_may_not),
        JUDGE(a_counter_of_another_unit_is_blamed),
        JUDGE(a_counter_of_the_cpu_that_stands_is_blamed),
        JUDGE(a_counter_that_stands_with_its_device_is_not_blamed),
        JUDGE(a_counter_that_is_not_the_devices_is_not_blamed),
        JUDGE(a_counter_that_rests_is_not_judged),
        JUDGE(a_counter_begins_anew_when_the_driver_completes),
        JUDGE(a_counter_is_judged_while_other_parts_rest),
        JUDGE(a_fence_behind_a_sleep_is_not_laid_to_an_earlier_reset),
        JUDGE(an_interrupt_behind_the_answer_does_not_make_it_wrong),
        JUDGE(what_is_held_over_a_second_start_is_seen),
        JUDGE(who_was_not_told_that_it_stops_may_hold_some),
        JUDGE(what_was_let_go_before_a_second_start_is_not_held),
        JUDGE(a_compute_only_driver_of_the_page_is_not_advised),
        JUDGE(a_compute_only_driver_with_display_caps_is_advised),
        JUDGE(a_compute_only_driver_without_its_caps_is_advised),
        JUDGE(a_compute_only_driver_is_of_2_6_at_least),
        JUDGE(a_compute_only_driver_without_its_functions_is_advised),
        JUDGE(a_compute_only_driver_with_functions_of_displays_is_advised),
        JUDGE(who_does_more_than_compute_is_not_asked),
    };
    return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
