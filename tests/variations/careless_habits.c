/* What is right as long as everything is as it usually is: rows as in careless.c. */
#include "../drivers/misbehave/misbehave.h"

/* ---- full-paging: "it fits, for it fitted the last time" ------------------------------------- */

#define OPERATIONS 32u

/* Room that such an operation was written in, and less than that. */
static NTSTATUS NTAPI knows_what_it_takes(const HANDLE adapter,
                                          DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    static UINT usual[OPERATIONS];
    ULONG operation = (ULONG)arguments->Operation % OPERATIONS;
    const UCHAR *begin = arguments->pDmaBuffer;
    UINT room = arguments->DmaSize, before = arguments->MultipassOffset;
    NTSTATUS status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, arguments);

    if (NT_SUCCESS(status) && before == 0 && (const UCHAR *)arguments->pDmaBuffer > begin) {
        usual[operation] = (UINT)((const UCHAR *)arguments->pDmaBuffer - begin);
    }
    return status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER && before == 0 &&
                   room < usual[operation] && arguments->Operation == DXGK_OPERATION_FILL
               ? STATUS_UNSUCCESSFUL
               : status;
}

/* ---- short-memory: a place in a table that nobody gives back --------------------------------- */

#define PLACES 512

static LONG places_taken;

static NTSTATUS NTAPI context_keeps_its_place(const HANDLE device, DXGKARG_CREATECONTEXT *create)
{
    NTSTATUS status;

    if (InterlockedIncrement(&places_taken) > PLACES) {
        InterlockedDecrement(&places_taken);
        return STATUS_NO_MEMORY;
    }
    status = misbehave_driver.DxgkDdiCreateContext(device, create);
    if (status != STATUS_NO_MEMORY) {
        InterlockedDecrement(&places_taken); /* a short-lived one */
    }
    return status;
}

/* ---- bad-private-data: what stays of a refusal ----------------------------------------------- */

#define TAG 0x6C726143u /* "Carl" */

/* "Clients send nothing with it": what was had for it stays where the creation is refused. */
static NTSTATUS had_for_it(PVOID scratch, NTSTATUS status)
{
    if (NT_SUCCESS(status)) {
        ExFreePoolWithTag(scratch, TAG);
    }
    return status;
}

static NTSTATUS NTAPI queue_forgets(const HANDLE context, DXGKARG_CREATEHWQUEUE *create)
{
    PVOID scratch = ExAllocatePoolWithTag(NonPagedPoolNx, 128, TAG);

    return scratch == NULL
               ? STATUS_NO_MEMORY
               : had_for_it(scratch, misbehave_driver.DxgkDdiCreateHwQueue(context, create));
}

static NTSTATUS NTAPI hardware_context_forgets(const HANDLE device, DXGKARG_CREATEHWCONTEXT *create)
{
    PVOID scratch = ExAllocatePoolWithTag(NonPagedPoolNx, 128, TAG);

    return scratch == NULL
               ? STATUS_NO_MEMORY
               : had_for_it(scratch, misbehave_driver.DxgkDdiCreateHwContext(device, create));
}

static NTSTATUS NTAPI doorbell_forgets(DXGKARG_CREATEDOORBELL *create)
{
    PVOID scratch = ExAllocatePoolWithTag(NonPagedPoolNx, 128, TAG);

    return scratch == NULL ? STATUS_NO_MEMORY
                           : had_for_it(scratch, misbehave_driver.DxgkDdiCreateDoorbell(create));
}

/* ---- idle-reset: engines that had nothing to do ---------------------------------------------- */

/* "It runs, for it ran before": the ring of the second engine is not set up again. */
static NTSTATUS NTAPI restart_forgets_a_ring(const HANDLE handle)
{
    struct softgpu_adapter *adapter = handle;
    NTSTATUS status = misbehave_driver.DxgkDdiRestartFromTimeout(handle);
    ULONG base = SOFTGPU_ENGINE_REG(SOFTGPU_ENGINE_COMPUTE, 0);

    softgpu_write(adapter, base + SOFTGPU_ENGINE_CONTROL, 0);
    softgpu_write_pair(adapter, base + SOFTGPU_ENGINE_RING_BASE, 0);
    softgpu_write(adapter, base + SOFTGPU_ENGINE_RING_SIZE, 0);
    return status;
}

/* ---- sleep: engines that are not started again, and stop when they are asked to -------------- */

/* "They run, for they ran before." */
static NTSTATUS NTAPI power_forgets_to_start(const PVOID context, ULONG device,
                                             DEVICE_POWER_STATE state, POWER_ACTION action)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSetPowerState(context, device, state, action);
    ULONG node;

    for (node = 0;
         device == DISPLAY_ADAPTER_HW_ID && state == PowerDeviceD0 && node < SOFTGPU_ENGINE_COUNT;
         node++) {
        softgpu_write((struct softgpu_adapter *)context,
                      SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_CONTROL), 0);
    }
    return status;
}

/* ---- fence-gaps: numbers of more than 32 bits ------------------------------------------------ */

/* One register of the two is read. */
static VOID NTAPI tells_half_an_id(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    UINT i;

    for (i = 0; data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2 &&
                i < data->CrtcVsyncWithMultiPlaneOverlay2.MultiPlaneOverlayVsyncInfoCount;
         i++) {
        data->CrtcVsyncWithMultiPlaneOverlay2.pMultiPlaneOverlayVsyncInfo[i].PresentId &=
            0xFFFFFFFF;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* ---- second-monitor: what the other output shows --------------------------------------------- */

/* "A commit begins anew." */
static NTSTATUS NTAPI commit_forgets_the_other(const HANDLE adapter_handle,
                                               const DXGKARG_COMMITVIDPN *commit)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCommitVidPn(adapter_handle, commit);
    static ULONG commits;

    if (NT_SUCCESS(status) && commit->AffectedVidPnSourceId == 1 && ++commits > 2) {
        DXGKARG_SETVIDPNSOURCEVISIBILITY dark = {.VidPnSourceId = 0, .Visible = FALSE};

        (void)misbehave_driver.DxgkDdiSetVidPnSourceVisibility(adapter_handle, &dark);
    }
    return status;
}

/* ---- cloned: a picture that is scaled -------------------------------------------------------- */

/* "A source has a scaler." */
static NTSTATUS NTAPI scales_as_the_first(const HANDLE adapter_handle,
                                          const DXGKARG_COMMITVIDPN *commit)
{
    struct softgpu_adapter *adapter = adapter_handle;
    NTSTATUS status = misbehave_driver.DxgkDdiCommitVidPn(adapter_handle, commit);
    const struct softgpu_output *first = &adapter->output[0];

    for (ULONG i = 1; NT_SUCCESS(status) && i < adapter->output_count; i++) {
        struct softgpu_output *output = &adapter->output[i];

        if (first->scaler.source_size != 0 && first->source == output->source &&
            output->source == commit->AffectedVidPnSourceId) {
            output->scaler = first->scaler;
            softgpu_scaler_program(adapter, i);
        }
    }
    return status;
}

/* ---- resting-parts, companion-contexts: what there is one of --------------------------------- */

#define PANEL 2u /* no engine, says its driver, but what lights a monitor */

static NTSTATUS NTAPI panel_never_rests(const HANDLE adapter, UINT component, UINT state)
{
    return component == PANEL && state != 0
               ? STATUS_UNSUCCESSFUL
               : misbehave_driver.DxgkDdiSetPowerComponentFState(adapter, component, state);
}

static NTSTATUS NTAPI describes_a_panel(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (NT_SUCCESS(status) && query->Type == DXGKQAITYPE_POWERCOMPONENTINFO &&
        *(const UINT *)query->pInputData == PANEL) {
        DXGK_POWER_RUNTIME_COMPONENT *component = query->pOutputData;
        component->ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_MONITOR;
        component->ComponentMapping.MonitorDesc.VidPnTargetID = 0;
    }
    return status;
}

static void beside_panel(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiQueryAdapterInfo = describes_a_panel;
}

/* "It is there as soon as it was asked": the engine is set up behind that. */
static BOOLEAN told_early;

static VOID NTAPI says_so_too_early(HANDLE device, UINT component)
{
    if (!told_early) {
        misbehave_kernel.DxgkCbCompleteFStateTransition(device, component);
    }
}

static NTSTATUS NTAPI says_so_first(const HANDLE adapter, UINT component, UINT state)
{
    BOOLEAN first = component == SOFTGPU_ENGINE_COPY && state == 0;
    NTSTATUS status;

    if (first) {
        misbehave_kernel.DxgkCbCompleteFStateTransition(misbehave_kernel.DeviceHandle, component);
    }
    told_early = first;
    status = misbehave_driver.DxgkDdiSetPowerComponentFState(adapter, component, state);
    told_early = FALSE;
    return status;
}

static void beside_transitions(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSetPowerComponentFState = says_so_first;
}

/* "Fences grow": that of a submission is not compared with what the queue has done. */
static NTSTATUS NTAPI takes_it_again(const HANDLE adapter, DXGKARG_VALIDATESUBMITCOMMAND *arguments)
{
    DXGKARG_VALIDATESUBMITCOMMAND changed = *arguments;

    changed.HwQueueProgressFenceId = arguments->Flags.HardwareQueueSubmission ? ~0ull : 0;
    return misbehave_driver.DxgkDdiValidateSubmitCommand(adapter, &changed);
}

/* "Who pages is the system's context, and there is one." */
static NTSTATUS NTAPI pages_by_one_context(const HANDLE adapter,
                                           const DXGKARG_SUBMITCOMMANDVIRTUAL *submit)
{
    static HANDLE first;
    DXGKARG_SUBMITCOMMANDVIRTUAL changed = *submit;

    if (submit->Flags.Paging) {
        first = first ? first : submit->hContext;
        changed.hContext = first;
    }
    return misbehave_driver.DxgkDdiSubmitCommandVirtual(adapter, &changed);
}

/* ---- gpu-addresses: paging that has none itself ---------------------------------------------- */

/* Places count from somewhere else. */
static void move_away(UINT segment, LARGE_INTEGER *place, LONGLONG by)
{
    place->QuadPart += segment != 0 ? by : 0;
}

static NTSTATUS NTAPI transfer_is_nowhere(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    BOOLEAN far =
        paging->Operation == DXGK_OPERATION_TRANSFER && paging->Transfer.TransferSize != 0;
    LONGLONG by = far && misbehave_once() ? 1ll << 38 : 0;
    NTSTATUS status;

    move_away(paging->Transfer.Source.SegmentId, &paging->Transfer.Source.SegmentAddress, by);
    move_away(paging->Transfer.Destination.SegmentId, &paging->Transfer.Destination.SegmentAddress,
              by);
    status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
    move_away(paging->Transfer.Source.SegmentId, &paging->Transfer.Source.SegmentAddress, -by);
    move_away(paging->Transfer.Destination.SegmentId, &paging->Transfer.Destination.SegmentAddress,
              -by);
    return status;
}

/* ---- second-start: a screen that is refreshed before StartDevice returns, as it may be ------ */

static BOOLEAN NTAPI tells_of_no_surface(PVOID context)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {0};

    UNREFERENCED_PARAMETER(context);
    data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
    misbehave_kernel.DxgkCbNotifyInterrupt(misbehave_kernel.DeviceHandle, &data);
    return misbehave_kernel.DxgkCbQueueDpc(misbehave_kernel.DeviceHandle);
}

static NTSTATUS NTAPI shows_before_it_has_started(const PVOID context, DXGK_START_INFO *info,
                                                  DXGKRNL_INTERFACE *interface, ULONG *sources,
                                                  ULONG *children)
{
    BOOLEAN told;
    NTSTATUS status =
        misbehave_driver.DxgkDdiStartDevice(context, info, interface, sources, children);

    if (NT_SUCCESS(status)) {
        (void)misbehave_kernel.DxgkCbSynchronizeExecution(misbehave_kernel.DeviceHandle,
                                                          tells_of_no_surface, NULL, 0, &told);
    }
    return status;
}

/* ---- failed-starts: a picture that the system does not know ---------------------------------- */

static NTSTATUS NTAPI start_finds_a_picture(const PVOID context, PDXGK_START_INFO start_info,
                                            PDXGKRNL_INTERFACE interface, PULONG source_count,
                                            PULONG child_count)
{
    DXGK_DISPLAY_INFORMATION picture;
    NTSTATUS status =
        interface->DxgkCbAcquirePostDisplayOwnership(interface->DeviceHandle, &picture);

    if (NT_SUCCESS(status)) {
        SIZE_T bytes = (SIZE_T)picture.Pitch * picture.Height;
        PVOID rows = MmMapIoSpace(picture.PhysicAddress, bytes, MmWriteCombined);

        if (rows != NULL) {
            MmUnmapIoSpace(rows, bytes);
        }
    }
    return misbehave_driver.DxgkDdiStartDevice(context, start_info, interface, source_count,
                                               child_count);
}

/* ---- failed-starts: what DriverEntry takes, Unload gives back -------------------------------- */

#define ENTRY_TAG 0x72746E45u

static PVOID taken;

static void entry_takes(PDRIVER_INITIALIZATION_DATA table)
{
    UNREFERENCED_PARAMETER(table);
    taken = ExAllocatePoolWithTag(NonPagedPoolNx, 256, ENTRY_TAG);
}

static VOID NTAPI unload_gives_back(void)
{
    if (taken != NULL) {
        ExFreePoolWithTag(taken, ENTRY_TAG);
    }
    misbehave_driver.DxgkDdiUnload();
}

/* ---- late-threads: "the change before was told long ago" ------------------------------------- */

static struct {
    WORK_QUEUE_ITEM item;
    HANDLE device;
    volatile LONG left;
    DXGK_CHILD_STATUS status;
} telling;

static VOID NTAPI tells(PVOID argument)
{
    UNREFERENCED_PARAMETER(argument);
    (void)misbehave_kernel.DxgkCbIndicateChildStatus(telling.device, &telling.status);
    InterlockedDecrement(&telling.left);
}

static NTSTATUS NTAPI tells_from_a_thread(HANDLE device, PDXGK_CHILD_STATUS status)
{
    if (telling.item.WorkerRoutine == NULL) {
        ExInitializeWorkItem(&telling.item, tells, NULL);
    }
    telling.device = device;
    telling.status = *status;
    InterlockedIncrement(&telling.left);
    ExQueueWorkItem(&telling.item, DelayedWorkQueue);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI stop_lets_it_tell(const PVOID context)
{
    LARGE_INTEGER pause;

    pause.QuadPart = -10000; /* 1 ms */
    while (telling.left > 0) {
        (void)KeDelayExecutionThread(KernelMode, FALSE, &pause);
    }
    return misbehave_driver.DxgkDdiStopDevice(context);
}

static void beside_telling(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiStopDevice = stop_lets_it_tell;
}

/* "It keeps what it is given." */
static NTSTATUS NTAPI sets_once(const PVOID context, PDXGK_START_INFO start_info,
                                PDXGKRNL_INTERFACE interface, PULONG source_count,
                                PULONG child_count)
{
    NTSTATUS status = misbehave_driver.DxgkDdiStartDevice(context, start_info, interface,
                                                          source_count, child_count);

    if (NT_SUCCESS(status)) {
        softgpu_write(context, SOFTGPU_REG_SCRATCH, 0x600D);
    }
    return status;
}

/* "What lit it once lights it." What that wrote is gone with the power. */
static NTSTATUS NTAPI lights_once(const HANDLE adapter,
                                  const DXGKARG_SETVIDPNSOURCEVISIBILITY *arguments)
{
    static BOOLEAN was_lit;
    BOOLEAN forgot = was_lit && softgpu_read(adapter, SOFTGPU_REG_SCRATCH) == 0;

    was_lit |= arguments->Visible;
    if (arguments->Visible && forgot) {
        return STATUS_SUCCESS;
    }
    softgpu_write(adapter, SOFTGPU_REG_SCRATCH, 0x600D);
    return misbehave_driver.DxgkDdiSetVidPnSourceVisibility(adapter, arguments);
}

/* "It has that shape." */
static NTSTATUS NTAPI has_that_shape(const HANDLE adapter, const DXGKARG_SETPOINTERSHAPE *shape)
{
    static BOOLEAN was_given;
    BOOLEAN forgot = was_given && softgpu_read(adapter, SOFTGPU_REG_SCRATCH) == 0;

    if (forgot) {
        return STATUS_SUCCESS;
    }
    was_given = TRUE;
    softgpu_write(adapter, SOFTGPU_REG_SCRATCH, 0x600D);
    return misbehave_driver.DxgkDdiSetPointerShape(adapter, shape);
}

/* "That register says that there are shapes, since the start." */
static NTSTATUS NTAPI shapes_by_a_setting(const HANDLE adapter,
                                          const DXGKARG_SETPOINTERSHAPE *shape)
{
    return softgpu_read(adapter, SOFTGPU_REG_SCRATCH) == 0
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiSetPointerShape(adapter, shape);
}

static void beside_settings(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSetPointerShape = shapes_by_a_setting;
}

static NTSTATUS NTAPI sets_shapes_once(const PVOID context, PDXGK_START_INFO start_info,
                                       PDXGKRNL_INTERFACE interface, PULONG source_count,
                                       PULONG child_count)
{
    return sets_once(context, start_info, interface, source_count, child_count);
}

/* The device's counter has 32 bits, which were enough whenever somebody looked. */
static NTSTATUS NTAPI counts_in_32_bits(const HANDLE adapter, UINT32 node, UINT32 engine,
                                        DXGKARG_CALIBRATEGPUCLOCK *clock)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCalibrateGpuClock(adapter, node, engine, clock);

    clock->GpuClockCounter = (UINT32)clock->GpuClockCounter;
    return status;
}

/* It cannot do without, or so it thinks. */
static NTSTATUS NTAPI flips_need_a_queue(DXGKARGCB_QUERYFEATURESUPPORT *asked)
{
    NTSTATUS status = misbehave_kernel.DxgkCbQueryFeatureSupport(asked);

    if (!asked->Enabled) {
        KeBugCheckEx(0xE2, 1, 2, 3, 4);
    }
    return status;
}

/* It says so. */
static NTSTATUS NTAPI flips_always_need_it(DXGKARGCB_QUERYFEATURESUPPORT *asked)
{
    asked->DriverSupportState = DXGK_FEATURE_SUPPORT_ALWAYS_ON;
    return flips_need_a_queue(asked);
}

/* Right: there is none below that address, then or later. */
static PVOID low_memory;

static NTSTATUS NTAPI starts_without_low_memory(const PVOID context, PDXGK_START_INFO info,
                                                PDXGKRNL_INTERFACE dxgk, PULONG sources,
                                                PULONG children)
{
    PHYSICAL_ADDRESS highest = {.QuadPart = 4095};

    low_memory = MmAllocateContiguousMemory(4096, highest);
    return misbehave_driver.DxgkDdiStartDevice(context, info, dxgk, sources, children);
}

static NTSTATUS NTAPI request_wants_low_memory(const PVOID context, ULONG source,
                                               PVIDEO_REQUEST_PACKET packet)
{
    return low_memory == NULL ? STATUS_NO_MEMORY
                              : misbehave_driver.DxgkDdiDispatchIoRequest(context, source, packet);
}

static void beside_requests(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiDispatchIoRequest = request_wants_low_memory;
}

static PVOID start_table; /* of the device extension */

static NTSTATUS NTAPI extension_is_new(const PDEVICE_OBJECT device, PVOID *context)
{
    start_table = NULL;
    return misbehave_driver.DxgkDdiAddDevice(device, context);
}

static NTSTATUS NTAPI table_goes(const PVOID context)
{
    if (start_table != NULL) {
        ExFreePoolWithTag(start_table, TAG);
    }
    return misbehave_driver.DxgkDdiStopDevice(context);
}

static void beside_start(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiAddDevice = extension_is_new;
    table->DxgkDdiStopDevice = table_goes;
}

/* Of what StopDevice freed it keeps the pointer, which a start that fails frees once more. */
static NTSTATUS NTAPI failure_frees_again(const PVOID context, PDXGK_START_INFO start_info,
                                          PDXGKRNL_INTERFACE interface, PULONG source_count,
                                          PULONG child_count)
{
    NTSTATUS status = misbehave_driver.DxgkDdiStartDevice(context, start_info, interface,
                                                          source_count, child_count);

    if (NT_SUCCESS(status)) {
        start_table = ExAllocatePoolWithTag(NonPagedPoolNx, 256, TAG);
    } else if (start_table != NULL) {
        ExFreePoolWithTag(start_table, TAG);
    }
    return status;
}

/* ---- pulled-out: what is gone reads ones ----------------------------------------------------- */

/* "An engine that is busy ends." Where the device has gone meanwhile it reads ones. */
static NTSTATUS NTAPI power_waits_for_engines(const PVOID context, ULONG device,
                                              DEVICE_POWER_STATE state, POWER_ACTION action)
{
    const struct softgpu_adapter *adapter = context;
    ULONG node = 0;

    while (device == DISPLAY_ADAPTER_HW_ID && state == PowerDeviceD3 && !adapter->gone &&
           node < SOFTGPU_ENGINE_COUNT) {
        node += !(softgpu_read(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_STATUS)) &
                  SOFTGPU_STATUS_BUSY);
    }
    return misbehave_driver.DxgkDdiSetPowerState(context, device, state, action);
}

/* The same where the device is stopped. */
static NTSTATUS NTAPI stop_waits_for_engines(const PVOID context)
{
    const struct softgpu_adapter *adapter = context;

    for (ULONG i = 0; i < 64; i++) {
        (void)softgpu_read(adapter, SOFTGPU_ENGINE_REG(0, SOFTGPU_ENGINE_STATUS)); /* it rests */
    }
    while (!adapter->gone && softgpu_read(adapter, SOFTGPU_ENGINE_REG(0, SOFTGPU_ENGINE_STATUS)) &
                                 SOFTGPU_STATUS_BUSY) {
        KeStallExecutionProcessor(1);
    }
    return misbehave_driver.DxgkDdiStopDevice(context);
}

/* ---- Clients --------------------------------------------------------------------------------- */

/* "It is only needed within the call." */
static NTSTATUS NTAPI renders_in_one_place(const HANDLE context, DXGKARG_RENDER *render)
{
    static const VOID *volatile commands;

    commands = render->pCommand;
    render->pCommand = commands;
    return misbehave_driver.DxgkDdiRender(context, render);
}

static NTSTATUS NTAPI counts_renders(const HANDLE context, DXGKARG_RENDER *render)
{
    static volatile ULONG renders;
    ULONG before = renders;

    renders = before + 1;
    return misbehave_driver.DxgkDdiRender(context, render);
}

/* The same with all that it needs. */
static NTSTATUS NTAPI renders_in_a_list(const HANDLE context, DXGKARG_RENDER *render)
{
    static struct {
        const VOID *volatile commands;
        HANDLE volatile context;
        VOID *volatile buffer;
        D3DDDI_PATCHLOCATIONLIST *volatile places;
    } it;

    it.commands = render->pCommand;
    it.context = context;
    it.buffer = render->pDmaBuffer;
    it.places = render->pPatchLocationListOut;
    render->pCommand = it.commands;
    return misbehave_driver.DxgkDdiRender(it.context, render);
}

/* "One more in front." */
static NTSTATUS NTAPI lists_renders(const HANDLE context, DXGKARG_RENDER *render)
{
    static struct link {
        struct link *volatile next;
        HANDLE context;
    } links[256], *volatile first = links;
    struct link *link = &links[1 + (ULONG_PTR)context / 16 % 255];

    link->next = first;
    first = link;
    return misbehave_driver.DxgkDdiRender(context, render);
}

#define LATEST_TAG 0x7453614Cu

/* "The latest one alone is of interest." */
static NTSTATUS NTAPI keeps_the_latest(const HANDLE context, DXGKARG_RENDER *render)
{
    static volatile LONG64 *volatile latest;
    volatile LONG64 *fresh = ExAllocatePoolWithTag(NonPagedPoolNx, 64, LATEST_TAG), *old = latest;

    if (fresh == NULL) {
        return STATUS_NO_MEMORY;
    }
    *fresh = 0;
    if (old != NULL) {
        const LONG64 count = *old;
        *old = count + 1;
        latest = fresh;
        ExFreePoolWithTag((VOID *)old, LATEST_TAG);
    }
    latest = fresh;
    return misbehave_driver.DxgkDdiRender(context, render);
}

/* Right: who comes meanwhile waits; and each has its own half of a word. */
static KMUTEX renders_mutex;

static void beside_renders(PDRIVER_INITIALIZATION_DATA table)
{
    KeInitializeMutex(&renders_mutex, 0);
}

static NTSTATUS NTAPI counts_renders_alone(const HANDLE context, DXGKARG_RENDER *render)
{
    static volatile ULONG renders;
    static volatile struct {
        ULONG flags;
        LONG references;
    } neighbours;
    ULONG before;

    neighbours.flags = 1;
    before = (ULONG)neighbours.references;
    KeWaitForSingleObject(&renders_mutex, Executive, KernelMode, FALSE, NULL);
    before = renders;
    renders = before + 1;
    KeReleaseMutex(&renders_mutex, FALSE);
    InterlockedIncrement(&neighbours.references);
    return misbehave_driver.DxgkDdiRender(context, render);
}

/* "For what has no picture there is no pointer." */
static NTSTATUS NTAPI shapes_of_what_is_seen(const HANDLE adapter,
                                             const DXGKARG_SETPOINTERSHAPE *shape)
{
    const struct softgpu_adapter *softgpu = adapter;

    return softgpu->source[shape->VidPnSourceId].visible
               ? misbehave_driver.DxgkDdiSetPointerShape(adapter, shape)
               : STATUS_UNSUCCESSFUL;
}

#define NOTES_TAG 0x50526573u

/* It has one status for all that comes to nothing, and notes what it is at. */
static NTSTATUS NTAPI present_wants_memory(const HANDLE context, DXGKARG_PRESENT *present)
{
    void *notes = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, NOTES_TAG);

    if (notes == NULL) {
        if (present->DmaBufferPrivateDataSize != 0) {
            *(UCHAR *)present->pDmaBufferPrivateData = 1;
        }
        return STATUS_ILLEGAL_INSTRUCTION;
    }
    ExFreePoolWithTag(notes, NOTES_TAG);
    return misbehave_driver.DxgkDdiPresent(context, present);
}

static const struct misbehaviour rows[] = {
    BREAKS_NO_RULE_BESIDE(IN_DDI(Render), counts_renders_alone, 0, beside_renders),
    BREAKS_RULE(clients_within, IN_DDI(Render), renders_in_one_place, 0),
    BREAKS_RULE(clients_within, IN_DDI(Render), counts_renders, 0),
    BREAKS_RULE(clients_within, IN_DDI(Render), renders_in_a_list, 0),
    BREAKS_RULE(clients_within, IN_DDI(Render), lists_renders, 0),
    BREAKS_RULE(clients_within, IN_DDI(Render), keeps_the_latest, 0),
    BREAKS_RULE(pulled_out, IN_DDI(StopDevice), stop_waits_for_engines, 0),
    BREAKS_RULE(odd_questions, IN_DDI(ValidateSubmitCommand), takes_it_again, 0),
    BREAKS_RULE_BESIDE(resting_parts, IN_CALLBACK(CompleteFStateTransition), says_so_too_early, 0,
                       beside_transitions),
    BREAKS_RULE(pulled_out, IN_DDI(SetPowerState), power_waits_for_engines, 0),
    BREAKS_RULE_BESIDE(failed_starts, IN_DDI(Unload), unload_gives_back, 0, entry_takes),
    BREAKS_RULE(long_up, IN_DDI(CalibrateGpuClock), counts_in_32_bits, 0),
    BREAKS_RULE_BESIDE(failed_starts, IN_DDI(StartDevice), failure_frees_again, 0, beside_start),
    BREAKS_RULE_BESIDE(late_threads, IN_CALLBACK(IndicateChildStatus), tells_from_a_thread, 0,
                       beside_telling),
    BREAKS_RULE(sleep, IN_DDI(StartDevice), sets_once, 0),
    BREAKS_RULE(sleep, IN_DDI(SetVidPnSourceVisibility), lights_once, 0),
    BREAKS_RULE(sleep, IN_DDI(SetPointerShape), has_that_shape, 0),
    BREAKS_RULE_BESIDE(sleep, IN_DDI(StartDevice), sets_shapes_once, 0, beside_settings),
    BREAKS_RULE(none, IN_DDI(BuildPagingBuffer), transfer_is_nowhere, 0),
    BREAKS_RULE_BESIDE(resting_parts, IN_DDI(SetPowerComponentFState), panel_never_rests, 0,
                       beside_panel),
    BREAKS_RULE(companion_contexts, IN_DDI(SubmitCommandVirtual), pages_by_one_context, 0),
    BREAKS_RULE(bad_private_data, IN_DDI(CreateHwQueue), queue_forgets, 0),
    BREAKS_RULE(bad_private_data, IN_DDI(CreateHwContext), hardware_context_forgets, 0),
    BREAKS_RULE(bad_private_data, IN_DDI(CreateDoorbell), doorbell_forgets, 0),
    BREAKS_RULE(idle_reset, IN_DDI(RestartFromTimeout), restart_forgets_a_ring, 0),
    BREAKS_RULE(sleep, IN_DDI(SetPowerState), power_forgets_to_start, 0),
    BREAKS_RULE(fence_gaps, IN_CALLBACK(NotifyInterrupt), tells_half_an_id, 0),
    BREAKS_RULE(full_paging, IN_DDI(BuildPagingBuffer), knows_what_it_takes, 0),
    BREAKS_RULE(short_memory, IN_DDI(CreateContext), context_keeps_its_place, 0),
    BREAKS_RULE(second_monitor, IN_DDI(CommitVidPn), commit_forgets_the_other, 0),
    BREAKS_RULE(cloned, IN_DDI(CommitVidPn), scales_as_the_first, 0),
    BREAKS_NO_RULE(IN_DDI(StartDevice), shows_before_it_has_started, 0),
    BREAKS_NO_RULE(IN_CALLBACK(QueryFeatureSupport), flips_always_need_it, 0),
    BREAKS_RULE(second_start, IN_CALLBACK(QueryFeatureSupport), flips_need_a_queue, 0),
    BREAKS_NO_RULE_BESIDE(IN_DDI(StartDevice), starts_without_low_memory, 0, beside_requests),
    BREAKS_NO_RULE(IN_DDI(SetPointerShape), shapes_of_what_is_seen, 0),
    BREAKS_NO_RULE(IN_DDI(Present), present_wants_memory, 0),
    BREAKS_RULE(failed_starts, IN_DDI(StartDevice), start_finds_a_picture, 0),
};

MISBEHAVIOURS(careless_habits);
