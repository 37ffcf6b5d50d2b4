/* events.c: what the system tells and asks besides. */
#include "misbehave.h"

/* ---- Container ids -------------------------------------------------------------------------- */

/* Says that it set the id, and only looked at it. */
static NTSTATUS NTAPI container_is_empty(PVOID context, ULONG child,
                                         PDXGK_CHILD_CONTAINER_ID container)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(child);
    RtlZeroMemory(&container->ContainerId, sizeof(container->ContainerId));
    return STATUS_SUCCESS;
}

/* A new one whenever somebody asks. */
static NTSTATUS NTAPI container_of_the_day(PVOID context, ULONG child,
                                           PDXGK_CHILD_CONTAINER_ID container)
{
    static ULONG count;

    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(child);
    container->ContainerId.Data1 = ++count;
    return STATUS_SUCCESS;
}

/* The adapter's id, for every monitor. */
static NTSTATUS NTAPI container_of_all(PVOID context, ULONG child,
                                       PDXGK_CHILD_CONTAINER_ID container)
{
    static const GUID id = {0x12345678, 0x1234, 0x1234, {1, 2, 3, 4, 5, 6, 7, 8}};

    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(child);
    container->ContainerId = id;
    return STATUS_SUCCESS;
}

/* Fills in an id, and accepts the default. */
static NTSTATUS NTAPI container_set_and_default(PVOID context, ULONG child,
                                                PDXGK_CHILD_CONTAINER_ID container)
{
    container->ContainerId.Data2 ^= 0x5A;
    return misbehave_driver.DxgkDdiGetChildContainerId(context, child, container);
}

/* The default, said to be the driver's own. */
static NTSTATUS NTAPI container_is_the_default(PVOID context, ULONG child,
                                               PDXGK_CHILD_CONTAINER_ID container)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(child);
    UNREFERENCED_PARAMETER(container);
    return STATUS_SUCCESS;
}

/* ---- Events of the computer ------------------------------------------------------------------ */

/* The number of the event is not what is to be done. */
static NTSTATUS NTAPI event_is_returned(const PVOID context, DXGK_EVENT_TYPE type, ULONG event,
                                        PVOID argument, PULONG flags)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(type);
    UNREFERENCED_PARAMETER(argument);
    *flags = event;
    return STATUS_SUCCESS;
}

/* "Not handled" is for events that came by way of another adapter. */
static NTSTATUS NTAPI event_is_not_handled(const PVOID context, DXGK_EVENT_TYPE type, ULONG event,
                                           PVOID argument, PULONG flags)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(type);
    UNREFERENCED_PARAMETER(event);
    UNREFERENCED_PARAMETER(argument);
    *flags = DXGK_ACPI_CHAIN_NOT_HANDLED;
    return STATUS_SUCCESS;
}

/* Early return. */
static NTSTATUS NTAPI event_leaves_some_flags(const PVOID context, DXGK_EVENT_TYPE type,
                                              ULONG event, PVOID argument, PULONG flags)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(event);
    UNREFERENCED_PARAMETER(argument);
    if (type != DxgkPowerStateEvent) {
        *flags = 0;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI event_leaves_flags(const PVOID context, DXGK_EVENT_TYPE type, ULONG event,
                                         PVOID argument, PULONG flags)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(type);
    UNREFERENCED_PARAMETER(event);
    UNREFERENCED_PARAMETER(argument);
    UNREFERENCED_PARAMETER(flags);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI recommends_nothing(const HANDLE adapter,
                                         const DXGKARG_RECOMMENDFUNCTIONALVIDPN *const arguments)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(arguments);
    return STATUS_SUCCESS;
}

/* A path, and no modes for it. */
static NTSTATUS NTAPI recommends_a_path(const HANDLE adapter,
                                        const DXGKARG_RECOMMENDFUNCTIONALVIDPN *const arguments)
{
    const DXGK_VIDPNTOPOLOGY_INTERFACE *topology_interface;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_VIDPN_PRESENT_PATH *path;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    NTSTATUS status;

    UNREFERENCED_PARAMETER(adapter);
    status = misbehave_kernel.DxgkCbQueryVidPnInterface(
        arguments->hRecommendedFunctionalVidPn, DXGK_VIDPN_INTERFACE_VERSION_V1, &interface);
    if (NT_SUCCESS(status)) {
        status = interface->pfnGetTopology(arguments->hRecommendedFunctionalVidPn, &topology,
                                           &topology_interface);
    }
    if (NT_SUCCESS(status)) {
        status = topology_interface->pfnCreateNewPathInfo(topology, &path);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    path->VidPnSourceId = 0;
    path->VidPnTargetId = arguments->pVidPnTargetPrioritizationVector[0];
    path->ImportanceOrdinal = D3DKMDT_VPPI_PRIMARY;
    path->ContentTransformation.Scaling = D3DKMDT_VPPS_IDENTITY;
    path->ContentTransformation.Rotation = D3DKMDT_VPPR_IDENTITY;
    path->VidPnTargetColorBasis = D3DKMDT_CB_SRGB;
    path->Content = D3DKMDT_VPPC_GRAPHICS;
    return topology_interface->pfnAddPath(topology, path);
}

/* ---- Topologies ------------------------------------------------------------------------------ */

static NTSTATUS NTAPI topology_is_empty(const HANDLE adapter,
                                        const DXGKARG_RECOMMENDVIDPNTOPOLOGY *const arguments)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(arguments);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI topology_is_cancelled(const HANDLE adapter,
                                            const DXGKARG_RECOMMENDVIDPNTOPOLOGY *const arguments)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(arguments);
    return STATUS_GRAPHICS_CANCEL_VIDPN_TOPOLOGY_AUGMENTATION;
}

/* ---- Video requests -------------------------------------------------------------------------- */

/* Answered, without a word of how much. */
static NTSTATUS NTAPI request_without_size(const PVOID context, ULONG source,
                                           PVIDEO_REQUEST_PACKET packet)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(source);
    RtlZeroMemory(packet->OutputBuffer, packet->OutputBufferLength);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI request_fails_with_size(const PVOID context, ULONG source,
                                              PVIDEO_REQUEST_PACKET packet)
{
    packet->StatusBlock->Information = packet->OutputBufferLength;
    return misbehave_driver.DxgkDdiDispatchIoRequest(context, source, packet);
}

/* One structure for every request. */
static NTSTATUS NTAPI request_too_long(const PVOID context, ULONG source,
                                       PVIDEO_REQUEST_PACKET packet)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(source);
    ((UCHAR *)packet->OutputBuffer)[packet->OutputBufferLength] = 0;
    packet->StatusBlock->Information = packet->OutputBufferLength;
    return STATUS_SUCCESS;
}

/* "None of these is needed", with the wrong word for it. */
static NTSTATUS NTAPI request_finds_no_memory(const PVOID context, ULONG source,
                                              PVIDEO_REQUEST_PACKET packet)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(source);
    UNREFERENCED_PARAMETER(packet);
    return STATUS_NO_MEMORY;
}

/* As it may be, once. */
static NTSTATUS NTAPI request_finds_none_once(const PVOID context, ULONG source,
                                              PVIDEO_REQUEST_PACKET packet)
{
    return misbehave_once() ? STATUS_NO_MEMORY
                            : misbehave_driver.DxgkDdiDispatchIoRequest(context, source, packet);
}

/* ---- Interfaces ------------------------------------------------------------------------------ */

static NTSTATUS NTAPI every_interface_is_here(const PVOID context, PQUERY_INTERFACE query)
{
    UNREFERENCED_PARAMETER(context);
    query->Interface->Size = sizeof(*query->Interface);
    query->Interface->Version = query->Version;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI interface_is_wrong(const PVOID context, PQUERY_INTERFACE query)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(query);
    return STATUS_INVALID_PARAMETER;
}

/* ---- Clocks ---------------------------------------------------------------------------------- */

static NTSTATUS NTAPI frequency_is_zero(const HANDLE adapter, UINT32 node, UINT32 engine,
                                        DXGKARG_CALIBRATEGPUCLOCK *clock)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCalibrateGpuClock(adapter, node, engine, clock);

    clock->GpuFrequency = 0;
    return status;
}

/* The halves of the counter are exchanged: it goes back and forth. */
static NTSTATUS NTAPI counter_goes_back(const HANDLE adapter, UINT32 node, UINT32 engine,
                                        DXGKARG_CALIBRATEGPUCLOCK *clock)
{
    static ULONGLONG next = 1000;
    NTSTATUS status = misbehave_driver.DxgkDdiCalibrateGpuClock(adapter, node, engine, clock);

    clock->GpuClockCounter = next--;
    return status;
}

/* The CPU's counter is what was left to go of a time-out. */
static NTSTATUS NTAPI cpu_counts_down(const HANDLE adapter, UINT32 node, UINT32 engine,
                                      DXGKARG_CALIBRATEGPUCLOCK *clock)
{
    static ULONGLONG next = 1000;
    NTSTATUS status = misbehave_driver.DxgkDdiCalibrateGpuClock(adapter, node, engine, clock);

    clock->CpuClockCounter = next--;
    return status;
}

/* The CPU's counter is a count of days. */
static NTSTATUS NTAPI cpu_hardly_counts(const HANDLE adapter, UINT32 node, UINT32 engine,
                                        DXGKARG_CALIBRATEGPUCLOCK *clock)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCalibrateGpuClock(adapter, node, engine, clock);

    clock->CpuClockCounter = 7;
    return status;
}

static NTSTATUS NTAPI frequency_in_megahertz(const HANDLE adapter, UINT32 node, UINT32 engine,
                                             DXGKARG_CALIBRATEGPUCLOCK *clock)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCalibrateGpuClock(adapter, node, engine, clock);

    clock->GpuFrequency /= 1000000;
    return status;
}

/* A stable clock is the slow one: what its counter tells then has an eighth of the frequency. */
static BOOLEAN clocks_are_held;

static void NTAPI clock_is_lowered(const HANDLE adapter, const DXGKARG_SETSTABLEPOWERSTATE *state)
{
    clocks_are_held = state->Enabled != 0;
    misbehave_driver.DxgkDdiSetStablePowerState(adapter, state);
}

static NTSTATUS NTAPI counter_is_of_that_clock(const HANDLE adapter, UINT32 node, UINT32 engine,
                                               DXGKARG_CALIBRATEGPUCLOCK *clock)
{
    static ULONGLONG counted, last;
    NTSTATUS status = misbehave_driver.DxgkDdiCalibrateGpuClock(adapter, node, engine, clock);
    ULONGLONG now = clock->GpuClockCounter;

    counted += (now - last) / (clocks_are_held ? 8 : 1);
    last = now;
    clock->GpuClockCounter = counted;
    return status;
}

static void count_slowly(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiCalibrateGpuClock = counter_is_of_that_clock;
}

/* ---- Monitors, the pointer ------------------------------------------------------------------ */

/* Behind its end there is none. */
static NTSTATUS NTAPI end_is_no_descriptor(const PVOID context, ULONG child,
                                           PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryDeviceDescriptor(context, child, descriptor);

    return NT_SUCCESS(status) ? status : STATUS_MONITOR_NO_DESCRIPTOR;
}

/* A panel that is built in, says the driver, and tells of it what its connector says. */
static NTSTATUS NTAPI children_are_fixed(const PVOID context, PDXGK_CHILD_DESCRIPTOR children,
                                         ULONG size_bytes)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryChildRelations(context, children, size_bytes);

    for (ULONG i = 0; i + 1 < size_bytes / sizeof(*children); i++) {
        children[i].ChildCapabilities.HpdAwareness = HpdAwarenessAlwaysConnected;
    }
    return status;
}

static LONG hot_x, hot_y;

static NTSTATUS NTAPI hot_spot_is_noted(const HANDLE adapter, const DXGKARG_SETPOINTERSHAPE *shape)
{
    hot_x = (LONG)shape->XHot;
    hot_y = (LONG)shape->YHot;
    return misbehave_driver.DxgkDdiSetPointerShape(adapter, shape);
}

static void note_hot_spots(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSetPointerShape = hot_spot_is_noted;
}

/* Takes the position for that of the hot spot, which is where the user points. */
static NTSTATUS NTAPI hot_spot_is_taken_off(const HANDLE adapter,
                                            const DXGKARG_SETPOINTERPOSITION *position)
{
    DXGKARG_SETPOINTERPOSITION changed = *position;

    changed.X -= hot_x;
    changed.Y -= hot_y;
    return misbehave_driver.DxgkDdiSetPointerPosition(adapter, &changed);
}

/* ---- What a VidPN lends ---------------------------------------------------------------------- */

/* The next path is asked for by one that is given back. */
static NTSTATUS NTAPI asks_on_from_what_is_released(const HANDLE adapter,
                                                    const DXGKARG_COMMITVIDPN *const commit)
{
    const DXGK_VIDPNTOPOLOGY_INTERFACE *topology_interface;
    const DXGK_VIDPN_INTERFACE *interface;
    const D3DKMDT_VIDPN_PRESENT_PATH *path, *next;
    D3DKMDT_HVIDPNTOPOLOGY topology;

    if (NT_SUCCESS(misbehave_kernel.DxgkCbQueryVidPnInterface(
            commit->hFunctionalVidPn, DXGK_VIDPN_INTERFACE_VERSION_V1, &interface)) &&
        NT_SUCCESS(
            interface->pfnGetTopology(commit->hFunctionalVidPn, &topology, &topology_interface)) &&
        topology_interface->pfnAcquireFirstPathInfo(topology, &path) == STATUS_SUCCESS) {
        (void)topology_interface->pfnReleasePathInfo(topology, path);
        if (topology_interface->pfnAcquireNextPathInfo(topology, path, &next) == STATUS_SUCCESS) {
            (void)topology_interface->pfnReleasePathInfo(topology, next);
        }
    }
    return misbehave_driver.DxgkDdiCommitVidPn(adapter, commit);
}

/* "A monitor says the same all its life." */
static NTSTATUS NTAPI descriptor_of_before(const PVOID context, ULONG child,
                                           PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    static UCHAR kept[SOFTGPU_OUTPUT_MAX][SOFTGPU_EDID_SIZE];
    static BOOLEAN known[SOFTGPU_OUTPUT_MAX];
    NTSTATUS status = misbehave_driver.DxgkDdiQueryDeviceDescriptor(context, child, descriptor);

    if (NT_SUCCESS(status) && !known[child] && descriptor->DescriptorOffset == 0 &&
        descriptor->DescriptorLength == SOFTGPU_EDID_SIZE) {
        RtlCopyMemory(kept[child], descriptor->DescriptorBuffer, SOFTGPU_EDID_SIZE);
        known[child] = TRUE;
    }
    if (NT_SUCCESS(status) && known[child]) {
        RtlCopyMemory(descriptor->DescriptorBuffer, kept[child] + descriptor->DescriptorOffset,
                      descriptor->DescriptorLength);
    }
    return status;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(CHILD_004, IN_DDI(QueryDeviceDescriptor), descriptor_of_before, SCENE_REPLUG),
    BREAKS_RULE(VIDPN_015, IN_DDI(CommitVidPn), asks_on_from_what_is_released, SCENE_PLAIN),
    BREAKS_RULE(CHILD_008, IN_DDI(GetChildContainerId), container_is_empty, SCENE_PLAIN),
    BREAKS_RULE(CHILD_008, IN_DDI(GetChildContainerId), container_of_the_day, SCENE_PLAIN),
    BREAKS_RULE(CHILD_008, IN_DDI(GetChildContainerId), container_of_all, SCENE_REPLUG),
    BREAKS_RULE(CHILD_009, IN_DDI(GetChildContainerId), container_set_and_default, SCENE_ADVICE),
    BREAKS_NO_RULE(IN_DDI(GetChildContainerId), container_is_the_default, SCENE_REPLUG),
    BREAKS_RULE(ACPI_001, IN_DDI(NotifyAcpiEvent), event_is_returned, SCENE_PLAIN),
    BREAKS_RULE(ACPI_001, IN_DDI(NotifyAcpiEvent), event_is_not_handled, SCENE_PLAIN),
    BREAKS_RULE(ACPI_001, IN_DDI(NotifyAcpiEvent), event_leaves_some_flags, SCENE_PLAIN),
    BREAKS_NO_RULE(IN_DDI(NotifyAcpiEvent), event_leaves_flags, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_013, IN_DDI(RecommendFunctionalVidPn), recommends_nothing, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_013, IN_DDI(RecommendFunctionalVidPn), recommends_a_path, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_014, IN_DDI(RecommendVidPnTopology), topology_is_empty, SCENE_PLAIN),
    BREAKS_RULE(VIDPN_014, IN_DDI(RecommendVidPnTopology), topology_is_cancelled, SCENE_PLAIN),
    BREAKS_RULE(VIDEO_001, IN_DDI(DispatchIoRequest), request_without_size, SCENE_PLAIN),
    BREAKS_RULE(VIDEO_001, IN_DDI(DispatchIoRequest), request_fails_with_size, SCENE_PLAIN),
    BREAKS_RULE(VIDEO_001, IN_DDI(DispatchIoRequest), request_too_long, SCENE_PLAIN),
    BREAKS_RULE(GEN_013, IN_DDI(DispatchIoRequest), request_finds_no_memory, SCENE_PLAIN),
    BREAKS_NO_RULE(IN_DDI(DispatchIoRequest), request_finds_none_once, SCENE_PLAIN),
    BREAKS_RULE(QIF_001, IN_DDI(QueryInterface), every_interface_is_here, SCENE_PLAIN),
    BREAKS_RULE(QIF_001, IN_DDI(QueryInterface), interface_is_wrong, SCENE_ADVICE),
    BREAKS_RULE(CLOCK_001, IN_DDI(CalibrateGpuClock), frequency_is_zero, SCENE_PLAIN),
    BREAKS_RULE(CLOCK_001, IN_DDI(CalibrateGpuClock), counter_goes_back, SCENE_PLAIN),
    BREAKS_RULE(CLOCK_001, IN_DDI(CalibrateGpuClock), cpu_counts_down, SCENE_PLAIN),
    BREAKS_RULE(CLOCK_001, IN_DDI(CalibrateGpuClock), cpu_hardly_counts, SCENE_PLAIN),
    BREAKS_RULE(CLOCK_001, IN_DDI(CalibrateGpuClock), frequency_in_megahertz, SCENE_PLAIN),
    BREAKS_RULE_BESIDE(CLOCK_001, IN_DDI(SetStablePowerState), clock_is_lowered, SCENE_WDDM2,
                       count_slowly),
    BREAKS_RULE(CHILD_003, IN_DDI(QueryDeviceDescriptor), end_is_no_descriptor, SCENE_PLAIN),
    BREAKS_RULE(CHILD_011, IN_DDI(QueryChildRelations), children_are_fixed, SCENE_REPLUG),
    BREAKS_RULE_BESIDE(SHOW_002, IN_DDI(SetPointerPosition), hot_spot_is_taken_off, SCENE_PLAIN,
                       note_hot_spots),
};

MISBEHAVIOURS(events);
