/* judge_compute.h: what the page of compute-only drivers wants [CAPS-016, CAPS-017]. A part of
 * judge_test.c, whose words it uses. */
#ifndef TESTS_CONTRACT_JUDGE_COMPUTE_H
#define TESTS_CONTRACT_JUDGE_COMPUTE_H

/* ---- Compute-only drivers -------------------------------------------------------------------- */

static DXGK_DRIVERCAPS caps_of_compute(void)
{
    DXGK_DRIVERCAPS caps = {.WDDMVersion = DXGKDDI_WDDMv2_6, .SupportPerEngineTDR = TRUE};

    caps.MiscCaps.ComputeOnly = 1;
    caps.SchedulingCaps.MultiEngineAware = caps.SchedulingCaps.PreemptionAware = 1;
    caps.SchedulingCaps.LowIrqlPreemptCommand = 1;
    caps.PreemptionCaps.GraphicsPreemptionGranularity =
        D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
    caps.PreemptionCaps.ComputePreemptionGranularity =
        D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
    caps.HighestAcceptableAddress.QuadPart = -1;
    return caps;
}

static void answer_caps(const DXGK_DRIVERCAPS *caps)
{
    struct {
        DXGK_DRIVERCAPS caps;
        unsigned char behind[CONTRACT_CANARY_BYTES];
    } answer = {.caps = *caps};
    DXGKARG_QUERYADAPTERINFO query = {.Type = DXGKQAITYPE_DRIVERCAPS,
                                      .pOutputData = &answer.caps,
                                      .OutputDataSize = sizeof answer.caps};
    DXGKARG_QUERYADAPTERINFO before = query;
    struct contract_call call = {.tracker = tracker,
                                 .point = POINT_QueryAdapterInfo,
                                 .arguments = &query,
                                 .before = &before};

    contract_canary_write(answer.behind);
    contract_after(&call);
}

#define HAS(name) has[POINT_##name] = true;

/* A driver as the page has it, so that what is taken from it, or added, is all that is told. */
static void start_with_compute(void)
{
    start_of(DXGKDDI_INTERFACE_VERSION_WDDM2_6, "none");
    memset(has, false, sizeof has);
    HAS(AddDevice)
    HAS(BuildPagingBuffer)
    HAS(CalibrateGpuClock)
    HAS(CloseAllocation)
    HAS(CollectDbgInfo)
    HAS(CreateAllocation)
    HAS(CreateContext)
    HAS(CreateDevice)
    HAS(DescribeAllocation)
    HAS(DestroyAllocation)
    HAS(DestroyContext)
    HAS(DestroyDevice)
    HAS(DpcRoutine)
    HAS(FormatHistoryBuffer)
    HAS(GetNodeMetadata)
    HAS(GetStandardAllocationDriverData)
    HAS(InterruptRoutine)
    HAS(OpenAllocation)
    HAS(PreemptCommand)
    HAS(QueryAdapterInfo)
    HAS(QueryDependentEngineGroup)
    HAS(QueryDeviceDescriptor)
    HAS(QueryEngineStatus)
    HAS(RemoveDevice)
    HAS(ResetDevice)
    HAS(ResetEngine)
    HAS(ResetFromTimeout)
    HAS(RestartFromTimeout)
    HAS(SetPowerState)
    HAS(SetStablePowerState)
    HAS(SetVirtualMachineData)
    HAS(StartDevice)
    HAS(StopDevice)
    HAS(Unload)
    HAS(QueryChildStatus)
    HAS(QueryChildRelations)
}

static void is_advised(const char *rule, const char *words)
{
    is_blamed_for(rule);
    assert_int_equal(record_breach_at(record, 0)->weight, RECORD_ADVICE);
    if (!strstr(record_breach_at(record, 0)->actual, words)) {
        fail_msg("%s: %s", rule, record_breach_at(record, 0)->actual);
    }
    assert_null(record_breach_at(record, 1));
}

static void a_compute_only_driver_of_the_page_is_not_advised(void **state)
{
    DXGK_DRIVERCAPS caps = caps_of_compute();

    start_with_compute();
    answer_caps(&caps);
    is_not_blamed();
}

static void a_compute_only_driver_with_display_caps_is_advised(void **state)
{
    DXGK_DRIVERCAPS caps = caps_of_compute();

    start_with_compute();
    caps.FlipCaps.FlipOnVSyncMmIo = 1;
    caps.MemoryManagementCaps.SectionBackedPrimary = 1;
    answer_caps(&caps);
    is_advised("CAPS-016", "with ComputeOnly: FlipCaps 2, MemoryManagementCaps.Section");
}

static void a_compute_only_driver_without_its_caps_is_advised(void **state)
{
    DXGK_DRIVERCAPS caps = caps_of_compute();

    start_with_compute();
    caps.SchedulingCaps.LowIrqlPreemptCommand = 0;
    answer_caps(&caps);
    is_advised("CAPS-016", "with ComputeOnly: SchedulingCaps.LowIrqlPreemptCommand 0");
}

static void a_compute_only_driver_is_of_2_6_at_least(void **state)
{
    DXGK_DRIVERCAPS caps = caps_of_compute();

    start_with_compute();
    caps.WDDMVersion = DXGKDDI_WDDMv2_5;
    answer_caps(&caps);
    is_advised("CAPS-016", "WDDMVersion is 0x2500");
}

static void a_compute_only_driver_without_its_functions_is_advised(void **state)
{
    DXGK_DRIVERCAPS caps = caps_of_compute();

    start_with_compute();
    has[POINT_CollectDbgInfo] = has[POINT_FormatHistoryBuffer] = false;
    answer_caps(&caps);
    is_advised("CAPS-017", "no DxgkDdiCollectDbgInfo, DxgkDdiFormatHistoryBuffer");
}

static void a_compute_only_driver_with_functions_of_displays_is_advised(void **state)
{
    DXGK_DRIVERCAPS caps = caps_of_compute();

    start_with_compute();
    has[POINT_QueryCurrentFence] = has[POINT_CommitVidPn] = has[POINT_RenderKm] = true;
    answer_caps(&caps);
    is_advised("CAPS-017", "has DxgkDdiCommitVidPn, DxgkDdiQueryCurrentFence, DxgkDdiRenderKm");
}

static void who_does_more_than_compute_is_not_asked(void **state)
{
    DXGK_DRIVERCAPS caps = caps_of_compute();

    start_with_compute();
    caps.MiscCaps.ComputeOnly = 0;
    caps.MaxPointerWidth = 64;
    has[POINT_QueryCurrentFence] = true;
    answer_caps(&caps);
    is_not_blamed();
}

#endif
