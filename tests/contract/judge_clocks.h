/* Counters that drivers tell of, as judge_test.c puts them to the contract. */
#ifndef CONTRACT_JUDGE_CLOCKS_H
#define CONTRACT_JUDGE_CLOCKS_H

#define CLOCK_HZ 1000000000u

static uint64_t cpu_counts = 4000;

/* 400 us after that of a clock that may be known. */
static void tell_clock(uint64_t counts, unsigned registers)
{
    DXGKARG_CALIBRATEGPUCLOCK clock = {0}, before;
    UINT node = 0;
    struct contract_call call = {.tracker = tracker,
                                 .point = POINT_CalibrateGpuClock,
                                 .arguments = &clock,
                                 .before = &before,
                                 .size_bytes = sizeof clock,
                                 .extra = &node};

    contract_before(&call);
    call.began_ns = 400 * NS_PER_US;
    call.register_accesses = registers;
    clock.GpuFrequency = CLOCK_HZ;
    clock.GpuClockCounter = counts;
    clock.CpuClockCounter = cpu_counts;
    contract_after(&call);
}

/* The same, behind a call that told of 0. */
static void answer_clock(uint64_t counts, unsigned registers)
{
    tracker->clocks[0] = (struct contract_clock){.known = true, .frequency = CLOCK_HZ};
    tell_clock(counts, registers);
}

static void a_counter_of_another_unit_is_blamed(void **state)
{
    start("none");
    answer_clock(400000, 2);
    is_not_blamed();
    answer_clock(400, 2);
    is_blamed_for("CLOCK-001");
}

static void a_counter_of_the_cpu_that_stands_is_blamed(void **state)
{
    start("none");
    cpu_counts = 0;
    answer_clock(400000, 2);
    cpu_counts = 4000;
    is_blamed_for("CLOCK-001");
}

static void a_counter_that_stands_with_its_device_is_not_blamed(void **state)
{
    start("still-device");
    answer_clock(400, 2);
    is_not_blamed();
}

static void a_counter_that_is_not_the_devices_is_not_blamed(void **state)
{
    start("none");
    answer_clock(400, 0);
    is_not_blamed();
}

/* ---- Of parts that rest ---------------------------------------------------------------------- */

static void a_component_is(UINT index, UINT type, UINT node, bool completes)
{
    DXGK_POWER_RUNTIME_COMPONENT answer = {.StateCount = 2};

    answer.ComponentMapping.ComponentType = (DXGK_POWER_COMPONENT_TYPE)type;
    answer.ComponentMapping.EngineDesc.NodeIndex = node;
    answer.Flags.DriverCompletesFStateTransition = completes;
    track_component_described(tracker, index, &answer);
}

static void component_is_set(UINT index, UINT state)
{
    struct contract_component_call said = {.component = index, .state = state};
    struct contract_call call = {
        .tracker = tracker, .point = POINT_SetPowerComponentFState, .arguments = &said};

    contract_follow(&call, MOMENT_BEFORE);
    contract_follow(&call, MOMENT_AFTER);
}

static void component_is_completed(UINT index)
{
    struct contract_component_call said = {.component = index};
    struct contract_call call = {
        .tracker = tracker, .point = POINT_CbCompleteFStateTransition, .arguments = &said};

    contract_follow(&call, MOMENT_BEFORE);
    contract_follow(&call, MOMENT_AFTER);
}

/* Two questions inside one rest: the counter stands. */
static void a_counter_that_rests_is_not_judged(void **state)
{
    start("none");
    track_components_counted(tracker, 1);
    a_component_is(0, DXGK_POWER_COMPONENT_ENGINE, 0, false);
    component_is_set(0, 1);
    tell_clock(400000, 2);
    assert_false(tracker->clocks[0].known);
    answer_clock(0, 2);
    is_not_blamed();
    component_is_set(0, 0);
    tell_clock(0, 2);
    is_not_blamed();
    assert_true(tracker->clocks[0].known);
    answer_clock(400, 2);
    is_blamed_for("CLOCK-001");
}

/* A question between the call and the real end of power, or of its absence. */
static void a_counter_begins_anew_when_the_driver_completes(void **state)
{
    start("none");
    track_components_counted(tracker, 1);
    a_component_is(0, DXGK_POWER_COMPONENT_OTHER, 0, true);
    for (UINT to = 1; to < 2; to--) {
        component_is_set(0, to);
        tell_clock(400000, 2);
        assert_false(tracker->clocks[0].known);
        tracker->clocks[0].known = true;
        component_is_completed(0);
        assert_false(tracker->clocks[0].known);
    }
    tell_clock(4, 2);
    is_not_blamed();
}

static void a_counter_is_judged_while_other_parts_rest(void **state)
{
    start("none");
    track_components_counted(tracker, 2);
    a_component_is(0, DXGK_POWER_COMPONENT_ENGINE, 1, false);
    a_component_is(1, DXGK_POWER_COMPONENT_MONITOR, 0, false);
    component_is_set(0, 1);
    component_is_set(1, 1);
    answer_clock(400, 2);
    is_blamed_for("CLOCK-001");
}

#endif
