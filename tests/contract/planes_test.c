/* Rules of overlay planes: a driver of a few lines behind the door, with no kernel before it. Each
 * case is one thing wrong, and names the rule; without it nobody is blamed. */
#include "machine/support.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract/internal.h"
#include "ddi/internal.h"
#include "mandatory.h"
#include "seen.h"

#define MEBIBYTE   1048576u
#define ADAPTER    ((HANDLE)(uintptr_t)0x1000)
#define DEVICE     ((HANDLE)(uintptr_t)0x2000)
#define CONTEXT    ((HANDLE)(uintptr_t)0x3000)
#define ALLOCATION ((HANDLE)(uintptr_t)0x4000)
#define OPENING    ((HANDLE)(uintptr_t)0x5000)
#define ANOTHER    ((HANDLE)(uintptr_t)0x6000) /* nobody's */
#define PLANES     2
#define SIZE       65536u
#define NOTICES    16 /* more than anybody waits for */

typedef DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 set_planes_arguments;

static struct record *record;
static struct ddi_driver driver;
static struct ddi_adapter adapter;

/* ---- A driver -------------------------------------------------------------------------------- */

static struct {
    DXGK_DRIVERCAPS caps;
    BOOL supported;
    NTSTATUS first, second; /* of the call at device level, and of that at PASSIVE_LEVEL */
    UINT output;            /* OutputFlags of the first */
    UINT plane_output;      /* of plane 0 */
    NTSTATUS of_post;
    NTSTATUS of_older; /* of the call in an older form */
    UINT64 cancelled[PLANES];
} says;

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT device, PVOID *context)
{
    *context = ADAPTER;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO info,
                                   PDXGKRNL_INTERFACE interface, PULONG sources, PULONG children)
{
    *sources = *children = 1;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI plain(const PVOID context)
{
    return STATUS_SUCCESS;
}

static VOID NTAPI unload(VOID)
{
}

static NTSTATUS NTAPI query(const HANDLE handle, const DXGKARG_QUERYADAPTERINFO *asked)
{
    DXGK_QUERYSEGMENTOUT4 *segments = asked->pOutputData;

    switch (asked->Type) {
    case DXGKQAITYPE_DRIVERCAPS:
        memcpy(asked->pOutputData, &says.caps, asked->OutputDataSize);
        return STATUS_SUCCESS;
    case DXGKQAITYPE_QUERYSEGMENT4:
        segments->NbSegment = 2;
        segments->PagingBufferSize = 4096;
        if (segments->pSegmentDescriptor) {
            DXGK_SEGMENTDESCRIPTOR4 *both = (void *)segments->pSegmentDescriptor;
            both[0].Size = both[0].CommitLimit = MEBIBYTE;
            both[1].BaseAddress.QuadPart = 16 * MEBIBYTE;
            both[1].Size = both[1].CommitLimit = MEBIBYTE;
            both[1].Flags.Aperture = 1;
        }
        return STATUS_SUCCESS;
    default:
        return STATUS_NOT_SUPPORTED;
    }
}

static NTSTATUS NTAPI create_device(const HANDLE handle, DXGKARG_CREATEDEVICE *arguments)
{
    arguments->hDevice = DEVICE;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI create_context(const HANDLE device, DXGKARG_CREATECONTEXT *arguments)
{
    arguments->hContext = CONTEXT;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI create_allocation(const HANDLE handle, DXGKARG_CREATEALLOCATION *arguments)
{
    arguments->pAllocationInfo[0].hAllocation = ALLOCATION;
    arguments->pAllocationInfo[0].Size = SIZE;
    arguments->pAllocationInfo[0].AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
    arguments->pAllocationInfo[0].SupportedReadSegmentSet = 1;
    arguments->pAllocationInfo[0].SupportedWriteSegmentSet = 1;
    arguments->pAllocationInfo[0].Flags.Value = 0;
    arguments->pAllocationInfo[0].PreferredSegment.Value = 0;
    arguments->pAllocationInfo[0].EvictionSegmentSet = 0;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI destroy_allocation(const HANDLE handle,
                                         const DXGKARG_DESTROYALLOCATION *arguments)
{
    return STATUS_SUCCESS;
}

/* Nobody calls these here, and no driver comes without them. */
static NTSTATUS NTAPI node_metadata(const HANDLE handle, UINT node,
                                    DXGKARG_GETNODEMETADATA *metadata)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI build(const HANDLE handle, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI submit(const HANDLE handle, const DXGKARG_SUBMITCOMMAND *arguments)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI present(const HANDLE handle, DXGKARG_PRESENT *arguments)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI check(const HANDLE handle, DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3 *arguments)
{
    arguments->Supported = says.supported;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI set_planes(const HANDLE handle, set_planes_arguments *arguments)
{
    bool again = arguments->InputFlags.RetryAtLowerIrql;

    arguments->OutputFlags.Value = again ? 0 : says.output;
    arguments->ppPlanes[0]->OutputFlags.Value = says.plane_output;
    return again ? says.second : says.first;
}

static NTSTATUS NTAPI check_first(const HANDLE handle,
                                  DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT *arguments)
{
    arguments->Supported = says.supported;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI set_first(const HANDLE handle,
                                const DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY *arguments)
{
    return says.of_older;
}

static NTSTATUS NTAPI check_second(const HANDLE handle,
                                   DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2 *arguments)
{
    arguments->Supported = says.supported;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI set_second(
    const HANDLE handle, const DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2 *arguments)
{
    return says.of_older;
}

static NTSTATUS NTAPI set_log(const HANDLE handle, const DXGKARG_SETFLIPQUEUELOGBUFFER *arguments)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI post(const HANDLE handle,
                           const DXGKARG_POSTMULTIPLANEOVERLAYPRESENT *arguments)
{
    return says.of_post;
}

static NTSTATUS NTAPI cancel(const HANDLE handle, DXGKARG_CANCELFLIPS *arguments)
{
    for (UINT i = 0; i < arguments->PlaneCount; i++) {
        arguments->ppPlanes[i]->PresentIdCancelled = says.cancelled[i];
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI entry(PDRIVER_OBJECT object, PUNICODE_STRING path)
{
    DRIVER_INITIALIZATION_DATA data = {
        .Version = says.caps.MaxHwQueuedFlips ? DXGKDDI_INTERFACE_VERSION_WDDM3_0
                                              : DXGKDDI_INTERFACE_VERSION_WDDM2_1,
        .DxgkDdiAddDevice = add_device,
        .DxgkDdiStartDevice = start_device,
        .DxgkDdiStopDevice = plain,
        .DxgkDdiRemoveDevice = plain,
        .DxgkDdiUnload = unload,
        .DxgkDdiResetFromTimeout = plain,
        .DxgkDdiRestartFromTimeout = plain,
        .DxgkDdiQueryAdapterInfo = query,
        .DxgkDdiCreateDevice = create_device,
        .DxgkDdiDestroyDevice = plain,
        .DxgkDdiCreateContext = create_context,
        .DxgkDdiDestroyContext = plain,
        .DxgkDdiCreateAllocation = create_allocation,
        .DxgkDdiDestroyAllocation = destroy_allocation,
        .DxgkDdiPresent = present,
        .DxgkDdiGetNodeMetadata = node_metadata,
        .DxgkDdiBuildPagingBuffer = build,
        .DxgkDdiSubmitCommand = submit,
        .DxgkDdiCheckMultiPlaneOverlaySupport = check_first,
        .DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay = set_first,
        .DxgkDdiCheckMultiPlaneOverlaySupport2 = check_second,
        .DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay2 = set_second,
        .DxgkDdiCheckMultiPlaneOverlaySupport3 = check,
        .DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3 = set_planes,
        .DxgkDdiPostMultiPlaneOverlayPresent = post,
        .DxgkDdiSetFlipQueueLogBuffer = set_log,
        .DxgkDdiCancelFlips = cancel,
    };
    NTSTATUS(NTAPI * initialize)(PDRIVER_OBJECT, PUNICODE_STRING, PDRIVER_INITIALIZATION_DATA);
    size_t count;

    initialize = (__typeof__(initialize))ddi_exports(&count)[0].address;
    return initialize(object, path, &data);
}

/* ---- A kernel, as far as it is needed -------------------------------------------------------- */

/* What it says, one after the other; cases spoil it. */
static struct {
    DXGK_MULTIPLANE_OVERLAY_PLANE3 planes[PLANES], *list[PLANES];
    DXGK_PRIMARYCONTEXTDATA contexts[PLANES], *context_list[PLANES];
    set_planes_arguments set;
    DXGK_PRESENTMULTIPLANEOVERLAYLIST presented[PLANES];
    DXGK_PRESENTMULTIPLANEOVERLAYINFO info;
    DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2 told[PLANES + 1];
    UINT told_count, notices;
    UINT64 posted;
    bool not_asked, at_passive, posts, unwanted_retry;
    UINT logs;     /* of planes from the top, given before the call */
    bool taken;    /* the logs, behind the flip */
    bool earlier, later; /* one more flip, for an earlier time; later: that one was taken back */
    UINT cancels;  /* planes from the top whose flip is to be taken back */
    unsigned form; /* of the calls: 1, 2, or 3 as above */
    DXGK_MULTIPLANE_OVERLAY_PLANE first[PLANES];
    DXGK_MULTIPLANE_OVERLAY_PLANE2 second[PLANES];
    DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY set_first;
    DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2 set_second;
    DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO told_first[PLANES + 1];
} asks;

static void ask(DXGK_QUERYADAPTERINFOTYPE type, const void *in, void *output, size_t size)
{
    static unsigned char room[4096];
    DXGKARG_QUERYADAPTERINFO asked = {.Type = type,
                                      .pInputData = (void *)in,
                                      .InputDataSize = 4,
                                      .pOutputData = room,
                                      .OutputDataSize = (UINT)size};

    assert_true(size + CONTRACT_CANARY_BYTES <= sizeof room);
    memcpy(room, output, size);
    memset(room + size, CONTRACT_CANARY, CONTRACT_CANARY_BYTES);
    assert_int_equal(ddi_query_adapter_info(&adapter, ADAPTER, &asked, 0), STATUS_SUCCESS);
}

static void start(void)
{
    DXGK_SEGMENTDESCRIPTOR4 descriptors[2];
    DXGK_QUERYSEGMENTOUT4 out = {.SegmentDescriptorStride = sizeof descriptors[0]};
    DXGK_DRIVERCAPS caps = {0};
    const UINT physical = 0;
    ULONG sources, children;

    memset(descriptors, 0, sizeof descriptors);
    assert_int_equal(ddi_driver_enter(&driver, entry, NULL, NULL), STATUS_SUCCESS);
    ddi_adapter_init(&adapter, &driver, NULL, 0);
    assert_int_equal(ddi_add_device(&adapter, NULL), STATUS_SUCCESS);
    assert_int_equal(ddi_start_device(&adapter, &sources, &children), STATUS_SUCCESS);
    ask(DXGKQAITYPE_DRIVERCAPS, NULL, &caps, abi_size(ABI_SIZE_OF_DXGK_DRIVERCAPS, driver.version));
    ask(DXGKQAITYPE_QUERYSEGMENT4, &physical, &out, sizeof out);
    out.pSegmentDescriptor = (BYTE *)descriptors;
    ask(DXGKQAITYPE_QUERYSEGMENT4, &physical, &out, sizeof out);
}

static void make_objects(void)
{
    DXGKARG_CREATEDEVICE device = {.hDevice = ANOTHER};
    DXGKARG_CREATECONTEXT context = {.hContext = ANOTHER, .EngineAffinity = 1};
    DXGK_ALLOCATIONINFO information = {0};
    DXGKARG_CREATEALLOCATION allocation = {.NumAllocations = 1, .pAllocationInfo = &information};

    ddi_create_device(&adapter, ADAPTER, &device, 0);
    ddi_create_context(&adapter, DEVICE, &context, 0);
    ddi_create_allocation(&adapter, ADAPTER, &allocation, 0);
}

static void tell_there(void)
{
    if (asks.form == 1) {
        ddi_set_vidpn_source_address_with_multi_plane_overlay(&adapter, ADAPTER, &asks.set_first,
                                                              0);
        return;
    }
    if (asks.form == 2) {
        ddi_set_vidpn_source_address_with_multi_plane_overlay2(&adapter, ADAPTER, &asks.set_second,
                                                               0);
        return;
    }
    ddi_set_vidpn_source_address_with_multi_plane_overlay3(&adapter, ADAPTER, &asks.set, 0);
}

/* At the level of an interrupt of a device. */
static void at_device_level(void (*function)(void))
{
    unsigned before = irql_raise(MACHINE_IRQL_DEVICE_FIRST);

    function();
    irql_lower(before);
}

static void notify(void)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {.InterruptType =
                                                DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2};

    if (asks.form < 3) {
        data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY;
        data.CrtcVsyncWithMultiPlaneOverlay.MultiPlaneOverlayVsyncInfoCount = asks.told_count;
        data.CrtcVsyncWithMultiPlaneOverlay.pMultiPlaneOverlayVsyncInfo = asks.told_first;
        adapter.interface.DxgkCbNotifyInterrupt(adapter.interface.DeviceHandle, &data);
        return;
    }
    data.CrtcVsyncWithMultiPlaneOverlay2.MultiPlaneOverlayVsyncInfoCount = asks.told_count;
    data.CrtcVsyncWithMultiPlaneOverlay2.pMultiPlaneOverlayVsyncInfo = asks.told;
    adapter.interface.DxgkCbNotifyInterrupt(adapter.interface.DeviceHandle, &data);
}

static void ask_for_planes(void)
{
    DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT first = {.PlaneCount = 0};
    DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2 second = {.PlaneCount = 0};
    DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3 third = {.PlaneCount = 0};

    if (asks.form == 1) {
        ddi_check_multi_plane_overlay_support(&adapter, ADAPTER, &first, 0);
    } else if (asks.form == 2) {
        ddi_check_multi_plane_overlay_support2(&adapter, ADAPTER, &second, 0);
    } else {
        ddi_check_multi_plane_overlay_support3(&adapter, ADAPTER, &third, 0);
    }
}

static DXGK_FLIPQUEUE_LOG_ENTRY log_of[PLANES][NOTICES];

static void give_logs(void)
{
    for (UINT i = 0; i < asks.logs; i++) {
        const DXGKARG_SETFLIPQUEUELOGBUFFER given = {
            .LayerIndex = i, .NumberOfEntries = NOTICES, .LogBufferAddress = log_of[i]};
        ddi_set_flip_queue_log_buffer(&adapter, ADAPTER, &given, 0);
    }
}

static void take_logs(void)
{
    for (UINT i = 0; asks.taken && i < asks.logs; i++) {
        const DXGKARG_SETFLIPQUEUELOGBUFFER none = {.LayerIndex = i};
        ddi_set_flip_queue_log_buffer(&adapter, ADAPTER, &none, 0);
    }
}

static void cancel_flips(void)
{
    DXGK_CANCELFLIPS_PLANE planes[PLANES], *list[PLANES];
    DXGKARG_CANCELFLIPS cancelled = {.PlaneCount = asks.cancels, .ppPlanes = list};

    for (UINT i = 0; i < PLANES; i++) {
        planes[i] = (DXGK_CANCELFLIPS_PLANE){.PresentIdCancelRequested = asks.planes[i].PresentId++,
                                             .LayerIndex = i};
        list[i] = &planes[i];
    }
    ddi_cancel_flips(&adapter, ADAPTER, &cancelled, 0);
}

/* Everything once, as a kernel does it. */
static void go(void *unused)
{
    const DXGKARG_POSTMULTIPLANEOVERLAYPRESENT posted = {.PhysicalAdapterMask = 1,
                                                         .PresentID = asks.posted};
    DXGKARG_PRESENT flip = {.pPresentMultiPlaneOverlayInfo = &asks.info,
                            .FlipInterval = D3DDDI_FLIPINTERVAL_ONE,
                            .Flags.FlipWithMultiPlaneOverlay = 1};

    start();
    make_objects();
    if (!asks.not_asked) {
        ask_for_planes();
    }
    ddi_present(&adapter, CONTEXT, &flip, 0);
    give_logs();
    if (asks.earlier) {
        at_device_level(tell_there);
        asks.set.TargetFlipTime--;
    }
    if (asks.at_passive) {
        tell_there();
    } else {
        at_device_level(tell_there);
    }
    if ((asks.form == 3 && says.first == STATUS_RETRY && says.output != 0) || asks.unwanted_retry) {
        asks.set.InputFlags.RetryAtLowerIrql = 1;
        tell_there();
    }
    for (UINT i = 0; i < asks.notices; i++) {
        at_device_level(notify);
    }
    if (asks.cancels > 0) {
        at_device_level(cancel_flips);
    }
    if (asks.later && asks.set.TargetFlipTime-- > 0) {
        at_device_level(tell_there);
    }
    take_logs();
    if (asks.posts && asks.form == 3) {
        ddi_post_multi_plane_overlay_present(&adapter, ADAPTER, &posted, 0);
    }
}

/* The same in the older forms. */
static void make_older(void)
{
    for (UINT i = 0; i < PLANES; i++) {
        asks.first[i] = (DXGK_MULTIPLANE_OVERLAY_PLANE){.LayerIndex = i,
                                                        .Enabled = TRUE,
                                                        .AllocationSegment = 1,
                                                        .AllocationAddress.QuadPart = 4096,
                                                        .hAllocation = ALLOCATION};
        asks.second[i] = (DXGK_MULTIPLANE_OVERLAY_PLANE2){.LayerIndex = i,
                                                          .Enabled = TRUE,
                                                          .AllocationSegment = 1,
                                                          .AllocationAddress.QuadPart = 4096,
                                                          .hAllocation = ALLOCATION};
        asks.told_first[i] = (DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO){
            .LayerIndex = i, .Enabled = TRUE, .PhysicalAddress.QuadPart = 4096};
    }
    asks.set_first.ContextCount = asks.set_second.ContextCount = 1;
    asks.set_first.Context[0] = asks.set_second.Context[0] = CONTEXT;
    asks.set_first.Flags.FlipOnNextVSync = asks.set_second.Flags.FlipOnNextVSync = 1;
    asks.set_first.PlaneCount = asks.set_second.PlaneCount = PLANES;
    asks.set_first.pPlanes = asks.first;
    asks.set_second.pPlanes = asks.second;
}

static void make_it_say_what_is_right(void)
{
    memset(&says, 0, sizeof says);
    says.caps.HighestAcceptableAddress.QuadPart = -1;
    says.caps.MaxAllocationListSlotId = 1;
    say_mandatory_caps(&says.caps);
    says.caps.SchedulingCaps.MultiEngineAware = 1;
    says.caps.GpuEngineTopology.NbAsymetricProcessingNodes = 1;
    says.caps.WDDMVersion = DXGKDDI_WDDMv2_1;
    says.caps.SupportMultiPlaneOverlay = 1;
    says.caps.MaxOverlayPlanes = PLANES;
    says.supported = TRUE;
    says.first = STATUS_RETRY;
    says.output = 1; /* PrePresentNeeded */

    memset(log_of, 0, sizeof log_of);
    memset(&asks, 0, sizeof asks);
    for (UINT i = 0; i < PLANES; i++) {
        asks.contexts[i] = (DXGK_PRIMARYCONTEXTDATA){.hContext = CONTEXT,
                                                     .hAllocation = ALLOCATION,
                                                     .SegmentId = 1,
                                                     .SegmentAddress.QuadPart = 4096};
        asks.context_list[i] = &asks.contexts[i];
        asks.planes[i] = (DXGK_MULTIPLANE_OVERLAY_PLANE3){.LayerIndex = i,
                                                          .PresentId = 7,
                                                          .InputFlags = {.FlipOnNextVSync = 1},
                                                          .MaxImmediateFlipLine = ~0u,
                                                          .ContextCount = 1,
                                                          .ppContextData = &asks.context_list[i]};
        asks.planes[i].InputFlags.Enabled = 1;
        asks.list[i] = &asks.planes[i];
        asks.presented[i] = (DXGK_PRESENTMULTIPLANEOVERLAYLIST){.LayerIndex = i};
        asks.told[i] = (DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2){.LayerIndex = i, .PresentId = 7};
    }
    asks.form = 3;
    make_older();
    asks.set.PlaneCount = PLANES;
    asks.set.ppPlanes = asks.list;
    asks.info.PlaneListCount = PLANES;
    asks.info.pPlaneList = asks.presented;
    asks.told_count = PLANES;
    asks.notices = NOTICES;
    asks.told[0].Flags.PostPresentNeeded = 1;
    asks.posts = true;
    asks.posted = 7;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

struct mistake {
    const char *name, *rule;
    void (*make)(void);
    enum contract_duty who;
};

static void refuses_what_it_agreed_to(void)
{
    says.first = STATUS_INVALID_PARAMETER;
}

static void wants_a_retry_without_a_reason(void)
{
    says.output = 0;
}

static void wants_another_retry(void)
{
    says.second = STATUS_RETRY;
}

/* What it says of the line is ignored then. */
static void calls_an_immediate_flip_converted(void)
{
    says.plane_output = 1; /* FlipConvertedToImmediate */
    asks.planes[0].InputFlags.FlipOnNextVSync = 0;
    asks.planes[0].InputFlags.FlipImmediate = 1;
}

static void converts_what_must_wait(void)
{
    says.plane_output = 1; /* FlipConvertedToImmediate */
}

static void wants_work_after_a_flip_that_waits(void)
{
    says.plane_output = 2; /* PostPresentNeeded */
}

static void fails_to_tidy_up(void)
{
    says.of_post = STATUS_UNSUCCESSFUL;
}

static void tells_an_id_of_its_own(void)
{
    asks.told[1].PresentId = 8;
}

/* Each plane has ids of its own; one that is smaller was not its, either. */
static void tells_the_id_of_another_plane(void)
{
    asks.planes[1].PresentId = 9;
    asks.notices = 1;
}

static void never_tells_of_plane_1(void)
{
    asks.told_count = 1;
}

static void gives_no_planes(void)
{
    asks.set.PlaneCount = 0;
    asks.notices = 0;
}

static void gives_them_the_other_way_round(void)
{
    asks.planes[0].LayerIndex = 1;
    asks.planes[1].LayerIndex = 0;
}

static void gives_a_place_outside(void)
{
    asks.contexts[1].SegmentAddress.QuadPart = MEBIBYTE;
}

static void gives_what_nobody_made(void)
{
    asks.contexts[0].hAllocation = ANOTHER;
}

static void calls_at_passive_level_at_once(void)
{
    asks.at_passive = true;
}

static void calls_again_unasked(void)
{
    says.first = STATUS_SUCCESS;
    says.output = 0;
    asks.unwanted_retry = true;
}

static void tidies_up_unasked(void)
{
    asks.told[0].Flags.PostPresentNeeded = 0;
}

static void tidies_up_behind_another_flip(void)
{
    asks.posted = 6;
}

static void presents_without_asking(void)
{
    asks.not_asked = true;
}

static void presents_what_was_refused(void)
{
    says.supported = FALSE;
}

static void presents_what_nobody_opened(void)
{
    asks.presented[0].Enabled = TRUE;
    asks.presented[0].hDeviceSpecificAllocation = ANOTHER;
}

#include "planes_older.h"
#include "planes_queued.h"

#define DRIVERS(function, id)                    \
    {                                            \
#function, id, function, CONTRACT_DRIVER \
    }
#define KERNELS(function, id)                    \
    {                                            \
#function, id, function, CONTRACT_KERNEL \
    }

static const struct mistake mistakes[] = {
    DRIVERS(refuses_what_it_agreed_to, "MPO-004"),
    DRIVERS(wants_a_retry_without_a_reason, "MPO-007"),
    DRIVERS(wants_another_retry, "MPO-007"),
    DRIVERS(converts_what_must_wait, "MPO-009"),
    DRIVERS(wants_work_after_a_flip_that_waits, "MPO-010"),
    DRIVERS(fails_to_tidy_up, "MPO-011"),
    DRIVERS(tells_of_too_many, "INT-013"),
    DRIVERS(tells_of_a_plane_that_is_not_there, "INT-013"),
    DRIVERS(tells_an_id_of_its_own, "MPO-008"),
    DRIVERS(tells_the_id_of_another_plane, "MPO-008"),
    DRIVERS(cancels_a_half, "MPO-014"),
    DRIVERS(never_tells_of_plane_1, "MPO-008"),
    DRIVERS(refuses_in_the_first_form, "MPO-004"),
    DRIVERS(refuses_in_the_second_form, "MPO-006"),
    DRIVERS(tells_an_address_of_its_own, "MPO-020"),
    DRIVERS(tells_plane_1_as_off, "MPO-020"),
    DRIVERS(never_tells_that_plane_1_is_off, "MPO-020"),
    DRIVERS(tells_planes_from_below, "INT-013"),
    DRIVERS(tells_no_such_plane_in_the_first_form, "INT-013"),
    KERNELS(gives_first_planes_the_other_way_round, "MPO-005"),
    KERNELS(gives_a_place_outside_in_the_second_form, "FLIP-007"),
    KERNELS(gives_no_planes, "MPO-005"),
    KERNELS(gives_them_the_other_way_round, "MPO-005"),
    KERNELS(gives_a_place_outside, "FLIP-007"),
    KERNELS(gives_what_nobody_made, "FLIP-007"),
    KERNELS(calls_at_passive_level_at_once, "MPO-007"),
    KERNELS(calls_again_unasked, "MPO-007"),
    KERNELS(tidies_up_unasked, "MPO-011"),
    KERNELS(tidies_up_behind_another_flip, "MPO-011"),
    KERNELS(takes_a_half_back, "MPO-030"),
    KERNELS(takes_two_flips_back_at_once, "MPO-030"),
    KERNELS(gives_a_log_to_the_top_alone, "MPO-015"),
    KERNELS(goes_back_in_time, "MPO-012"),
    KERNELS(takes_the_log_from_a_flip_that_waits, "MPO-028"),
    KERNELS(presents_without_asking, "PRES-045"),
    KERNELS(presents_what_was_refused, "PRES-045"),
    KERNELS(presents_what_nobody_opened, "PRES-045"),
};

static void take_notice(struct ddi_adapter *of, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
}

static void run_child(void)
{
    static const struct ddi_kernel_operations operations = {.notify_interrupt = take_notice};

    ddi_kernel = &operations; /* nothing else is asked of it */
    assert_non_null(freopen("/dev/null", "w", stderr));
    record_attach(record);
    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    assert_int_equal(nt_init(&(struct nt_hooks){0}), STATUS_SUCCESS);
    spawn("kernel", go, NULL);
    machine_run(MACHINE_NEVER);
    _exit(0);
}

/* In a process of its own: a breach of the kernel ends it. */
static void run(const struct mistake *mistake)
{
    int status = 0;

    make_it_say_what_is_right();
    mistake->make();
    record = record_create(1u << 10, 1u << 20);
    assert_non_null(record);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        run_child();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    if (aborted != (mistake->who == CONTRACT_KERNEL)) {
        fail_msg("status 0x%X: %s", status, record_header(record)->message);
    }
}

/* In each form. */
static void who_does_all_right_is_not_blamed(void **state)
{
    static void (*const forms[])(void) = {make_it_say_what_is_right,
                                          first_form,
                                          second_form,
                                          takes_the_log_from_a_flip_that_was_told,
                                          takes_the_log_from_a_flip_whose_time_has_come,
                                          calls_an_immediate_flip_converted,
                                          goes_on_before_what_was_taken_back};

    for (unsigned i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        run(&(struct mistake){.make = forms[i], .who = CONTRACT_DRIVER});
        const struct record_breach *breach = record_breach_at(record, 0);
        if (breach) {
            fail_msg("%s: %s", breach->rule, breach->actual);
        }
        record_destroy(record);
    }
}

static void is_named(void **state)
{
    const struct mistake *mistake = *state;
    char duty[40];

    run(mistake);
    snprintf(duty, sizeof duty, "kernel duty %s:", mistake->rule);
    if (mistake->who == CONTRACT_KERNEL) {
        if (!strstr(record_header(record)->message, duty)) {
            fail_msg("%s", record_header(record)->message);
        }
    } else {
        const struct record_breach *breach = record_breach_at(record, 0);
        assert_non_null(breach);
        assert_string_equal(breach->rule, mistake->rule);
    }
    seen_rule(mistake->rule, mistake->who);
    record_destroy(record);
}

static void one_behind_the_most_planes_stops(void **state)
{
    run(&(struct mistake){.make = tells_of_a_plane_that_is_not_there, .who = CONTRACT_DRIVER});
    assert_int_equal(record_breach_at(record, 0)->bugcheck, 0);
    record_destroy(record);
    run(&(struct mistake){.make = tells_of_one_behind_that, .who = CONTRACT_DRIVER});
    assert_int_equal(record_breach_at(record, 0)->bugcheck, 0x119);
    record_destroy(record);
}

int main(void)
{
    enum { MISTAKES = sizeof mistakes / sizeof mistakes[0] };
    static struct CMUnitTest tests[MISTAKES + 3];
    unsigned count = 0;

    tests[count++] = (struct CMUnitTest)cmocka_unit_test(who_does_all_right_is_not_blamed);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(one_behind_the_most_planes_stops);
    for (unsigned i = 0; i < MISTAKES; i++) {
        tests[count++] = (struct CMUnitTest){
            .name = mistakes[i].name, .test_func = is_named, .initial_state = (void *)&mistakes[i]};
    }
    tests[count++] = (struct CMUnitTest){.name = "what_was_seen_is_written",
                                         .test_func = seen_is_written,
                                         .initial_state = (void *)"planes"};
    return cmocka_run_group_tests_name("planes", tests, NULL, NULL);
}
