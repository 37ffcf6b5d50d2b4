/* A client that asks for adapters by name, sets priorities, looks at screens and clocks, and marks
 * its device. */
#include "asked_client.h"

#include <string.h>

#include "hostile_support.h"

#define NOBODY 0x1EADBEEDu /* a handle that nothing has */

/* ---- Adapters -------------------------------------------------------------------------------- */

static NTSTATUS open_display(const WCHAR *name)
{
    D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME open = {.VidPnSourceId = 77};

    for (unsigned i = 0; i < 32; i++) {
        open.DeviceName[i] = name[i];
        if (name[i] == 0) {
            break;
        }
    }
    NTSTATUS status = D3DKMTOpenAdapterFromGdiDisplayName(&open);
    if (status >= 0) {
        EXPECT(0, (NTSTATUS)open.VidPnSourceId);
        EXPECT((NTSTATUS)host->adapter_luid_low, (NTSTATUS)open.AdapterLuid.LowPart);
        EXPECT(STATUS_SUCCESS, D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){open.hAdapter}));
    }
    return status;
}

static void ask_for_adapters(void)
{
    D3DKMT_ADAPTERINFO list[4];
    D3DKMT_ENUMADAPTERS3 adapters = {0};
    D3DKMT_OPENADAPTERFROMHDC context = {.hDc = NULL};

    EXPECT(STATUS_SUCCESS, open_display(L"\\\\.\\DISPLAY1"));
    EXPECT(STATUS_UNSUCCESSFUL, open_display(L"\\\\.\\DISPLAY9"));
    EXPECT(STATUS_UNSUCCESSFUL, open_display(L"\\\\.\\DISPLAY0"));
    EXPECT(STATUS_UNSUCCESSFUL, open_display(L"\\\\.\\DISPLAY"));
    EXPECT(STATUS_UNSUCCESSFUL, open_display(L"\\\\.\\DISPLAY1x"));
    EXPECT(STATUS_UNSUCCESSFUL, open_display(L"\\\\.\\DISPLAY1111111111111111111111"));
    EXPECT(STATUS_UNSUCCESSFUL, open_display(L""));
    EXPECT(STATUS_UNSUCCESSFUL, D3DKMTOpenAdapterFromGdiDisplayName(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenAdapterFromHdc(&context));
    EXPECT(STATUS_SUCCESS, D3DKMTEnumAdapters3(&adapters));
    EXPECT(34, (NTSTATUS)adapters.NumAdapters);
    adapters.pAdapters = list;
    EXPECT(STATUS_SUCCESS, D3DKMTEnumAdapters3(&adapters));
    EXPECT(1, (NTSTATUS)adapters.NumAdapters);
    EXPECT(STATUS_SUCCESS, D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){list[0].hAdapter}));
    adapters.NumAdapters = 0;
    EXPECT(STATUS_BUFFER_TOO_SMALL, D3DKMTEnumAdapters3(&adapters));
    adapters = (D3DKMT_ENUMADAPTERS3){.Filter.Value = 1u << 5};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTEnumAdapters3(&adapters));
}

/* ---- Priorities ------------------------------------------------------------------------------ */

static void ask_for_priorities(const struct hostile *client)
{
    D3DKMT_GETCONTEXTINPROCESSSCHEDULINGPRIORITY inside = {.hContext = client->context};
    D3DKMT_GETCONTEXTSCHEDULINGPRIORITY among = {.hContext = client->context};
    D3DKMT_SCHEDULINGPRIORITYCLASS class = D3DKMT_SCHEDULINGPRIORITYCLASS_IDLE;
    D3DKMT_PRESENT present = hostile_blt(client);

    EXPECT(STATUS_SUCCESS, D3DKMTSetContextInProcessSchedulingPriority(&(
                               D3DKMT_SETCONTEXTINPROCESSSCHEDULINGPRIORITY){client->context, 1}));
    EXPECT(STATUS_SUCCESS, D3DKMTGetContextInProcessSchedulingPriority(&inside));
    EXPECT(1, inside.Priority);
    EXPECT(STATUS_SUCCESS, D3DKMTGetContextSchedulingPriority(&among));
    EXPECT(0, among.Priority);
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTSetContextInProcessSchedulingPriority(
               &(D3DKMT_SETCONTEXTINPROCESSSCHEDULINGPRIORITY){client->context, 8}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSetContextInProcessSchedulingPriority(&(
                                         D3DKMT_SETCONTEXTINPROCESSSCHEDULINGPRIORITY){NOBODY, 1}));
    EXPECT(STATUS_SUCCESS, D3DKMTGetProcessSchedulingPriorityClass(NULL, &class));
    EXPECT(D3DKMT_SCHEDULINGPRIORITYCLASS_NORMAL, (NTSTATUS) class);
    for (int i = D3DKMT_SCHEDULINGPRIORITYCLASS_IDLE; i <= D3DKMT_SCHEDULINGPRIORITYCLASS_REALTIME;
         i++) {
        EXPECT(STATUS_SUCCESS, D3DKMTSetProcessSchedulingPriorityClass(
                                   NtCurrentProcess(), (D3DKMT_SCHEDULINGPRIORITYCLASS)i));
        EXPECT(STATUS_SUCCESS, D3DKMTGetProcessSchedulingPriorityClass(NtCurrentProcess(), &class));
        EXPECT(i, (NTSTATUS) class);
        EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
        EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){client->device}));
    }
    EXPECT(STATUS_SUCCESS,
           D3DKMTSetProcessSchedulingPriorityClass(NULL, D3DKMT_SCHEDULINGPRIORITYCLASS_NORMAL));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTSetProcessSchedulingPriorityClass(NULL, (D3DKMT_SCHEDULINGPRIORITYCLASS)6));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetProcessSchedulingPriorityClass(NULL, NULL));
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTGetProcessSchedulingPriorityClass(NULL, (void *)8));
}

/* ---- Owners ---------------------------------------------------------------------------------- */

static NTSTATUS own1(D3DKMT_HANDLE device, D3DKMT_VIDPNSOURCEOWNER_TYPE type, UINT source,
                     UINT flags)
{
    const D3DKMT_SETVIDPNSOURCEOWNER1 set = {
        .Version0 = {device, &type, &source, 1},
        .Flags.Value = flags,
    };

    return D3DKMTSetVidPnSourceOwner1(&set);
}

static NTSTATUS own2(D3DKMT_HANDLE device, D3DKMT_VIDPNSOURCEOWNER_TYPE type, UINT flags)
{
    const UINT source = 0;
    const D3DKMT_PTR_TYPE handles[1] = {0};
    const D3DKMT_SETVIDPNSOURCEOWNER2 set = {
        .Version1 = {.Version0 = {device, &type, &source, 1}, .Flags.Value = flags},
        .pVidPnSourceNtHandles = handles,
    };

    return D3DKMTSetVidPnSourceOwner2(&set);
}

static void ask_for_owners(const struct hostile *client)
{
    D3DKMT_QUERYVIDPNEXCLUSIVEOWNERSHIP query = {.hWindow = (HWND)1};
    const D3DKMT_VIDPNSOURCEOWNER_FLAGS by_handle = {.UseNtHandles = 1},
                                        copies = {.AllowOutputDuplication = 1};
    const D3DKMT_CHECKOCCLUSION window = {(HWND)0x10}, none = {NULL};

    EXPECT(STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE,
           own1(client->device, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE, 9, 0));
    EXPECT(STATUS_INVALID_PARAMETER,
           own1(client->device, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE, 0, by_handle.Value));
    EXPECT(STATUS_INVALID_PARAMETER,
           own1(client->device, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE, 0, 0x80000000u));
    EXPECT(STATUS_SUCCESS, D3DKMTQueryVidPnExclusiveOwnership(&query));
    EXPECT(D3DKMT_VIDPNSOURCEOWNER_UNOWNED, (NTSTATUS)query.OwnerType);
    EXPECT(0, D3DKMTCheckExclusiveOwnership());
    EXPECT(STATUS_SUCCESS, D3DKMTCheckOcclusion(&window));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCheckOcclusion(&none));
    EXPECT(STATUS_SUCCESS,
           own1(client->device, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE, 0, copies.Value));
    EXPECT(1, D3DKMTCheckExclusiveOwnership());
    EXPECT(STATUS_GRAPHICS_PRESENT_OCCLUDED, D3DKMTCheckOcclusion(&window));
    EXPECT(STATUS_SUCCESS, D3DKMTQueryVidPnExclusiveOwnership(&query));
    EXPECT(D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE, (NTSTATUS)query.OwnerType);
    EXPECT((NTSTATUS)host->adapter_luid_low, (NTSTATUS)query.AdapterLuid.LowPart);
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTReleaseProcessVidPnSourceOwners((HANDLE)0x1234));
    EXPECT(STATUS_SUCCESS, D3DKMTReleaseProcessVidPnSourceOwners(NtCurrentProcess()));
    EXPECT(0, D3DKMTCheckExclusiveOwnership());
    EXPECT(STATUS_SUCCESS, own2(client->device, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE, 0));
    EXPECT(STATUS_SUCCESS, own2(client->device, D3DKMT_VIDPNSOURCEOWNER_UNOWNED, 0));
    EXPECT(STATUS_INVALID_HANDLE,
           own2(client->device, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE, by_handle.Value));
    EXPECT(0, D3DKMTCheckExclusiveOwnership());
}

/* ---- Screens --------------------------------------------------------------------------------- */

static NTSTATUS set_gamma(const struct hostile *client, D3DDDI_GAMMARAMP_TYPE type, UINT size)
{
    static D3DDDI_GAMMA_RAMP_RGB256x3x16 ramp;

    return D3DKMTSetGammaRamp(&(D3DKMT_SETGAMMARAMP){
        .hDevice = client->device, .Type = type, .pGammaRampRgb256x3x16 = &ramp, .Size = size});
}

static void ask_for_screens(const struct hostile *client)
{
    D3DKMT_GETMULTISAMPLEMETHODLIST methods = {.hAdapter = client->adapter,
                                               .Width = 64,
                                               .Height = 64,
                                               .Format = D3DDDIFMT_X8R8G8B8,
                                               .MethodCount = 5};
    D3DKMT_GETPRESENTHISTORY history = {.hAdapter = client->adapter, .NumTokens = 5};
    D3DKMT_ADJUSTFULLSCREENGAMMA adjust = {.hAdapter = client->adapter,
                                           .Scale = {1, 1, __builtin_inff()}};
    D3DKMT_POLLDISPLAYCHILDREN poll = {.hAdapter = client->adapter, .NonDestructiveOnly = 1};

    EXPECT(STATUS_SUCCESS, D3DKMTCheckMonitorPowerState(
                               &(D3DKMT_CHECKMONITORPOWERSTATE){.hAdapter = client->adapter}));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCheckMonitorPowerState(&(D3DKMT_CHECKMONITORPOWERSTATE){
                                         client->adapter, UINT32_MAX}));
    EXPECT(STATUS_SUCCESS, D3DKMTPollDisplayChildren(&poll));
    poll.PollInterruptible = poll.SynchronousPolling = poll.DisableModeReset = 1;
    EXPECT(STATUS_SUCCESS, D3DKMTPollDisplayChildren(&poll));
    poll.SynchronousPolling = 0;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTPollDisplayChildren(&poll));
    EXPECT(STATUS_NOT_SUPPORTED, D3DKMTInvalidateActiveVidPn(
                                     &(D3DKMT_INVALIDATEACTIVEVIDPN){.hAdapter = client->adapter}));
    EXPECT(STATUS_GRAPHICS_INVALID_DISPLAY_ADAPTER,
           D3DKMTInvalidateActiveVidPn(&(D3DKMT_INVALIDATEACTIVEVIDPN){.hAdapter = NOBODY}));
    EXPECT(STATUS_SUCCESS, set_gamma(client, D3DDDI_GAMMARAMP_DEFAULT, 0));
    EXPECT(STATUS_NOT_SUPPORTED,
           set_gamma(client, D3DDDI_GAMMARAMP_RGB256x3x16, sizeof(D3DDDI_GAMMA_RAMP_RGB256x3x16)));
    EXPECT(STATUS_INVALID_PARAMETER, set_gamma(client, D3DDDI_GAMMARAMP_RGB256x3x16, 5));
    EXPECT(STATUS_INVALID_PARAMETER, set_gamma(client, D3DDDI_GAMMARAMP_UNINITIALIZED, 0));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTAdjustFullscreenGamma(&adjust));
    EXPECT(STATUS_SUCCESS, D3DKMTGetMultisampleMethodList(&methods));
    EXPECT(0, (NTSTATUS)methods.MethodCount);
    EXPECT(STATUS_SUCCESS, D3DKMTGetPresentHistory(&history));
    EXPECT(0, (NTSTATUS)history.NumTokens);
}

void asked_show(const struct hostile *client, struct drydock_standard_allocation *primary)
{
    D3DKMT_CURRENTDISPLAYMODE mode = {.VidPnSourceId = 0};
    D3DKMT_QUERYADAPTERINFO query = {client->adapter, KMTQAITYPE_CURRENTDISPLAYMODE, &mode,
                                     sizeof mode};

    EXPECT(STATUS_SUCCESS, D3DKMTQueryAdapterInfo(&query));
    *primary = hostile_surface(client->device);
    primary->kind = DRYDOCK_SURFACE_PRIMARY;
    primary->width = mode.DisplayMode.Width;
    primary->height = mode.DisplayMode.Height;
    primary->format = mode.DisplayMode.Format;
    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(primary));
    EXPECT(STATUS_SUCCESS,
           D3DKMTSetDisplayMode(&(D3DKMT_SETDISPLAYMODE){
               .hDevice = client->device, .hPrimaryAllocation = primary->hAllocation}));
}

static void ask_for_syncs(const struct hostile *client)
{
    struct drydock_client_event first = {0}, second = {.automatic = TRUE};
    struct drydock_standard_allocation primary;
    D3DKMT_WAITFORVERTICALBLANKEVENT2 wait = {.hAdapter = client->adapter, .NumObjects = 2};

    asked_show(client, &primary);
    EXPECT(STATUS_SUCCESS, drydock_create_event(&first));
    EXPECT(STATUS_SUCCESS, drydock_create_event(&second));
    wait.ObjectHandleArray[0] = (D3DKMT_PTR_TYPE)first.hEvent;
    wait.ObjectHandleArray[1] = (D3DKMT_PTR_TYPE)second.hEvent;
    EXPECT(STATUS_WAIT_0, D3DKMTWaitForVerticalBlankEvent2(&wait));
    EXPECT(STATUS_SUCCESS, drydock_set_event(&(struct drydock_handle){second.hEvent}));
    EXPECT(STATUS_WAIT_2, D3DKMTWaitForVerticalBlankEvent2(&wait));
    EXPECT(STATUS_WAIT_0, D3DKMTWaitForVerticalBlankEvent2(&wait)); /* it let one pass */
    EXPECT(STATUS_SUCCESS, drydock_set_event(&(struct drydock_handle){first.hEvent}));
    EXPECT(STATUS_WAIT_1, D3DKMTWaitForVerticalBlankEvent2(&wait));
    EXPECT(STATUS_WAIT_1, D3DKMTWaitForVerticalBlankEvent2(&wait)); /* it stays */
    wait.NumObjects = 9;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTWaitForVerticalBlankEvent2(&wait));
    wait.NumObjects = 2;
    EXPECT(STATUS_SUCCESS, drydock_close_handle(&(struct drydock_handle){second.hEvent}));
    EXPECT(STATUS_INVALID_HANDLE, drydock_close_handle(&(struct drydock_handle){second.hEvent}));
    EXPECT(STATUS_INVALID_HANDLE, D3DKMTWaitForVerticalBlankEvent2(&wait));
    wait.NumObjects = 0;
    EXPECT(STATUS_WAIT_0, D3DKMTWaitForVerticalBlankEvent2(&wait));
    EXPECT(STATUS_TIMEOUT, drydock_wait_event(&(struct drydock_event_wait){
                               (drydock_create_event(&second), second.hEvent), 5000}));
    /* Both are left to the process's end. */
}

/* ---- Clocks, errors -------------------------------------------------------------------------- */

static void ask_for_clocks(const struct hostile *client)
{
    D3DKMT_QUERYCLOCKCALIBRATION first = {.hAdapter = client->adapter}, second = first;

    EXPECT(STATUS_SUCCESS, D3DKMTQueryClockCalibration(&first));
    host->sleep_until(host, host->now_ns(host) + 1000000);
    EXPECT(STATUS_SUCCESS, D3DKMTQueryClockCalibration(&second));
    EXPECT(1, first.ClockData.GpuFrequency != 0 &&
                  second.ClockData.GpuClockCounter > first.ClockData.GpuClockCounter &&
                  second.ClockData.CpuClockCounter > first.ClockData.CpuClockCounter);
    first.NodeOrdinal = 77;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryClockCalibration(&first));
    second.PhysicalAdapterIndex = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryClockCalibration(&second));
}

/* Its work ends, and so does what it would begin; others go on. */
static void mark(const struct hostile *client, const struct hostile *other)
{
    D3DKMT_MARKDEVICEASERROR mark = {client->device, D3DKMT_DEVICE_ERROR_REASON_DRIVER_ERROR};
    D3DKMT_GETDEVICESTATE state = {.hDevice = client->device,
                                   .StateType = D3DKMT_DEVICESTATE_EXECUTION};
    D3DKMT_PRESENT present = hostile_blt(client), others = hostile_blt(other);

    for (unsigned i = 0; i < 20; i++) {
        EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
    }
    EXPECT(STATUS_SUCCESS, D3DKMTMarkDeviceAsError(&mark));
    EXPECT(STATUS_SUCCESS, D3DKMTGetDeviceState(&state));
    EXPECT(D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT, (NTSTATUS)state.ExecutionState);
    host->sleep_until(host, host->now_ns(host) + 1000000);
    EXPECT(STATUS_DEVICE_REMOVED, D3DKMTPresent(&present));
    EXPECT(STATUS_SUCCESS, D3DKMTPresent(&others));
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){other->device}));
    mark.Reason = 5;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTMarkDeviceAsError(&mark));
    mark.hDevice = NOBODY;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTMarkDeviceAsError(&mark));
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static NTSTATUS query(D3DKMT_QUERYSTATISTICS_TYPE type, ULONG number, D3DKMT_QUERYSTATISTICS *out)
{
    *out = (D3DKMT_QUERYSTATISTICS){.Type = type,
                                    .AdapterLuid.LowPart = host->adapter_luid_low,
                                    .AdapterLuid.HighPart = host->adapter_luid_high};
    out->QueryNode.NodeId = number;
    return D3DKMTQueryStatistics(out);
}

static void ask_for_numbers(const struct hostile *client)
{
    D3DKMT_QUERYSTATISTICS numbers;
    D3DKMT_PRESENT present = hostile_blt(client);

    EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){client->device}));
    EXPECT(STATUS_SUCCESS, query(D3DKMT_QUERYSTATISTICS_ADAPTER, 0, &numbers));
    ULONG nodes = numbers.QueryResult.AdapterInformation.NodeCount;
    ULONG segments = numbers.QueryResult.AdapterInformation.NbSegments;
    EXPECT(1, nodes > 0 && segments > 0);
    EXPECT(0, (NTSTATUS)numbers.QueryResult.AdapterInformation.TdrDetectedCount);
    EXPECT(STATUS_SUCCESS, query(D3DKMT_QUERYSTATISTICS_SEGMENT, 0, &numbers));
    EXPECT(1, numbers.QueryResult.SegmentInformation.BytesResident > 0 &&
                  numbers.QueryResult.SegmentInformation.BytesResident <=
                      numbers.QueryResult.SegmentInformation.CommitLimit);
    EXPECT(STATUS_SUCCESS, query(D3DKMT_QUERYSTATISTICS_NODE, 0, &numbers));
    EXPECT(1, numbers.QueryResult.NodeInformation.GlobalInformation.RunningTime.QuadPart > 0);
    EXPECT(STATUS_INVALID_PARAMETER, query(D3DKMT_QUERYSTATISTICS_NODE, nodes, &numbers));
    EXPECT(STATUS_INVALID_PARAMETER, query(D3DKMT_QUERYSTATISTICS_SEGMENT, segments, &numbers));
    EXPECT(STATUS_INVALID_PARAMETER, query(D3DKMT_QUERYSTATISTICS_SEGMENT, UINT32_MAX, &numbers));
    EXPECT(STATUS_SUCCESS, query(D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP, 0, &numbers));
    EXPECT(STATUS_INVALID_PARAMETER,
           query(D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP, 7, &numbers));
    EXPECT(STATUS_NOT_SUPPORTED, query(D3DKMT_QUERYSTATISTICS_PROCESS_NODE, 0, &numbers));
    numbers.AdapterLuid.LowPart++;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTQueryStatistics(&numbers));
}

/* ---- Names, features and frames -------------------------------------------------------------- */

static void ask_for_the_rest(const struct hostile *client)
{
    D3DKMT_ISFEATUREENABLED feature = {.hAdapter = client->adapter,
                                       .FeatureId = DXGK_FEATURE_NATIVE_FENCE};
    D3DKMT_OPENNTHANDLEFROMNAME named = {0};
    D3DKMT_GETSHAREDRESOURCEADAPTERLUID shared = {.hGlobalShare = NOBODY};
    D3DKMT_GETPROCESSDEVICEREMOVALSUPPORT removal = {.AdapterLuid.LowPart = host->adapter_luid_low,
                                                     .AdapterLuid.HighPart =
                                                         host->adapter_luid_high};

    EXPECT(STATUS_SUCCESS, D3DKMTIsFeatureEnabled(&feature));
    EXPECT(1, feature.Result.KnownFeature);
    EXPECT(0, feature.Result.Enabled); /* in this version */
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenNtHandleFromName(&named));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetSharedResourceAdapterLuid(&shared));
    EXPECT(STATUS_SUCCESS, D3DKMTGetProcessDeviceRemovalSupport(&removal));
    EXPECT(STATUS_NOT_SUPPORTED,
           D3DKMTSetStablePowerState(&(D3DKMT_SETSTABLEPOWERSTATE){client->adapter, TRUE}));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTSetStablePowerState(&(D3DKMT_SETSTABLEPOWERSTATE){NOBODY, TRUE}));
}

static NTSTATUS follow(const struct hostile *client, UINT target, UINT64 time_100ns,
                       D3DKMT_CREATESYNCHRONIZATIONOBJECT2 *out)
{
    *out = (D3DKMT_CREATESYNCHRONIZATIONOBJECT2){.hDevice = client->device,
                                                 .Info.Type = D3DDDI_PERIODIC_MONITORED_FENCE};
    out->Info.PeriodicMonitoredFence.hAdapter = client->adapter;
    out->Info.PeriodicMonitoredFence.VidPnTargetId = target;
    out->Info.PeriodicMonitoredFence.Time = time_100ns;
    return D3DKMTCreateSynchronizationObject2(out);
}

/* A CPU is let go in each frame, the fence is nobody else's to signal, and it ends. */
static void follow_frames(const struct hostile *client)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence, other;
    UINT64 value = 1;
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {
        .hDevice = client->device, .ObjectCount = 1, .FenceValueArray = &value};
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal = {
        .hDevice = client->device, .ObjectCount = 1, .FenceValueArray = &value};
    uint64_t begin_ns = host->now_ns(host);

    EXPECT(STATUS_INVALID_PARAMETER, follow(client, 9, 20000, &fence));
    EXPECT(STATUS_INVALID_PARAMETER, follow(client, 0, 0, &fence));
    EXPECT(STATUS_INVALID_PARAMETER, follow(client, 0, 200000, &fence));
    EXPECT(STATUS_SUCCESS, follow(client, 0, 20000, &fence));
    EXPECT(STATUS_SUCCESS, follow(client, 0, 30000, &other));
    wait.ObjectHandleArray = signal.ObjectHandleArray = &fence.hSyncObject;
    EXPECT(STATUS_ACCESS_DENIED, D3DKMTSignalSynchronizationObjectFromCpu(&signal));
    for (value = 1; value <= 5; value++) {
        EXPECT(STATUS_SUCCESS, D3DKMTWaitForSynchronizationObjectFromCpu(&wait));
    }
    EXPECT(1, host->now_ns(host) - begin_ns > 4 * 16000000ull);
    EXPECT(1, host->now_ns(host) - begin_ns < 7 * 17000000ull);
    EXPECT(STATUS_SUCCESS, D3DKMTDestroySynchronizationObject(
                               &(D3DKMT_DESTROYSYNCHRONIZATIONOBJECT){fence.hSyncObject}));
    /* The other one goes with its device. */
}

static void run_frames(const struct drydock_workload_host *given)
{
    struct drydock_standard_allocation primary;

    hostile_host = given;
    struct hostile one = hostile_open();

    asked_show(&one, &primary);
    follow_frames(&one);
    hostile_close(&one);
}

const struct drydock_workload asked_frames = {.abi = DRYDOCK_WORKLOAD_ABI,
                                              .name = "frames",
                                              .description = "follows the frames of a screen",
                                              .run = run_frames};

static void run_asked(const struct drydock_workload_host *given)
{
    hostile_host = given;
    struct hostile one = hostile_open(), two = hostile_open();

    ask_for_adapters();
    ask_for_priorities(&one);
    ask_for_owners(&one);
    ask_for_screens(&one);
    ask_for_syncs(&one);
    ask_for_clocks(&one);
    ask_for_numbers(&one);
    ask_for_the_rest(&one);
    mark(&one, &two);
    hostile_close(&one);
    hostile_close(&two);
}

const struct drydock_workload asked = {.abi = DRYDOCK_WORKLOAD_ABI,
                                       .name = "asked",
                                       .description = "asks for all but work",
                                       .run = run_asked};
