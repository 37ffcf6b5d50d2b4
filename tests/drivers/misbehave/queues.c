/* queues.c: hardware contexts and queues, and the signals at the end of paging buffers, done wrong.
 */
#include "misbehave.h"

/* ---- The operation --------------------------------------------------------------------------- */

/* Ids are small numbers in its author's runs. */
static NTSTATUS NTAPI signal_is_half(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE) {
        paging->SignalMonitoredFence.MonitoredFenceValue &= 0xFFFFFFFFu;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* "The hardware does it." */
static NTSTATUS NTAPI signal_is_a_stub(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return paging->Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static NTSTATUS NTAPI signal_is_unknown(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return paging->Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE
               ? STATUS_NOT_SUPPORTED
               : misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* It wants a buffer of its own. */
static NTSTATUS NTAPI signal_wants_more_room(const HANDLE adapter,
                                             DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return paging->Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE
               ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER
               : misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* ---- The DDI --------------------------------------------------------------------------------- */

static NTSTATUS NTAPI fence_is_half(const HANDLE context, DXGKARG_SIGNALMONITOREDFENCE *signal)
{
    signal->MonitoredFenceValue &= 0xFFFFFFFFu;
    return misbehave_driver.DxgkDdiSignalMonitoredFence(context, signal);
}

/* By the CPU, at the time when the buffer is built. */
static NTSTATUS NTAPI fence_is_early(const HANDLE context, DXGKARG_SIGNALMONITOREDFENCE *signal)
{
    UNREFERENCED_PARAMETER(context);
    *(volatile UINT64 *)signal->MonitoredFenceCpuVa = signal->MonitoredFenceValue;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI fence_pointer_is_left(const HANDLE context,
                                            DXGKARG_SIGNALMONITOREDFENCE *signal)
{
    void *start = signal->pDmaBuffer;
    NTSTATUS status = misbehave_driver.DxgkDdiSignalMonitoredFence(context, signal);

    signal->pDmaBuffer = start;
    return status;
}

static NTSTATUS NTAPI fence_is_refused(const HANDLE context, DXGKARG_SIGNALMONITOREDFENCE *signal)
{
    return misbehave_once() ? STATUS_NOT_SUPPORTED
                            : misbehave_driver.DxgkDdiSignalMonitoredFence(context, signal);
}

static NTSTATUS NTAPI fence_is_behind(const HANDLE context, DXGKARG_SIGNALMONITOREDFENCE *signal)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSignalMonitoredFence(context, signal);

    signal->pDmaBuffer = (UCHAR *)signal->pDmaBuffer + signal->DmaSize + 64;
    return status;
}

/* ---- The scheduling log ---------------------------------------------------------------------- */

/* What a GPU writes of it later, the old log has, too. */
static NTSTATUS NTAPI log_is_written_behind(const HANDLE adapter,
                                            const DXGKARG_SETSCHEDULINGLOGBUFFER *log)
{
    static DXGK_SCHEDULING_LOG_BUFFER *before[SOFTGPU_ENGINE_COUNT], *previous;
    NTSTATUS status = misbehave_driver.DxgkDdiSetSchedulingLogBuffer(adapter, log);

    if (previous != NULL) {
        previous->Entries[0].GpuTimeStamp++; /* of the log before the last one of some node */
    }
    previous = before[log->NodeOrdinal];
    before[log->NodeOrdinal] = log->LogBufferCpuVa;
    return status;
}

/* "Optional." */
static NTSTATUS NTAPI log_is_taken_alone(const HANDLE adapter,
                                         const DXGKARG_SETSCHEDULINGLOGBUFFER *log)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(log);
    return STATUS_SUCCESS;
}

/* "Clients are what is looked at." */
static NTSTATUS NTAPI log_of_clients_alone(const HANDLE adapter,
                                           const DXGKARG_SETSCHEDULINGLOGBUFFER *log)
{
    return log->NodeOrdinal == SOFTGPU_ENGINE_COPY
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiSetSchedulingLogBuffer(adapter, log);
}

/* The device has none, and its author counts entries without an end. */
static NTSTATUS NTAPI log_index_runs_on(const HANDLE adapter,
                                        const DXGKARG_SETSCHEDULINGLOGBUFFER *log)
{
    UNREFERENCED_PARAMETER(adapter);
    log->LogBufferCpuVa->Header.FirstFreeEntryIndex = 0xFFFFFFF0u;
    return STATUS_SUCCESS;
}

/* A log of the driver's own, with far more than there is room for. */
static NTSTATUS NTAPI log_is_full_of_noise(const HANDLE adapter,
                                           const DXGKARG_SETSCHEDULINGLOGBUFFER *log)
{
    static DXGK_SCHEDULING_LOG_BUFFER *noisy;
    UINT i;

    UNREFERENCED_PARAMETER(adapter);
    noisy = log->LogBufferCpuVa;
    for (i = 0; i < log->NumberOfEntries; i++) {
        noisy->Entries[i].GpuTimeStamp = ~0ull - i;
        noisy->Entries[i].OperationType = i % 3;
        noisy->Entries[i].ContextStateChange.newContextState = i;
        noisy->Entries[i].ContextStateChange.hKmdContext = (HANDLE)(ULONG_PTR)(i * 16 + 1);
    }
    noisy->Header.WraparoundCount = 0x7FFFFFFF;
    noisy->Header.NumberOfEntries = ~0ull;
    return STATUS_SUCCESS;
}

/* ---- Suspended, and reset -------------------------------------------------------------------- */

/* "Only where it is idle." */
static NTSTATUS NTAPI suspend_is_refused(const HANDLE adapter,
                                         const DXGKARG_SUSPENDCONTEXT *suspend)
{
    return misbehave_once() ? STATUS_DEVICE_BUSY
                            : misbehave_driver.DxgkDdiSuspendContext(adapter, suspend);
}

/* Its author counts suspensions by himself. */
static VOID NTAPI suspension_of_the_future(const HANDLE device,
                                           DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA spoiled = *data;

    if (data->InterruptType == DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED) {
        spoiled.SuspendContextCompleted.ContextSuspendFence += 5;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, &spoiled);
}

/* "ResetHwEngine leaves the engine as it was after start": it goes on at once. */
static NTSTATUS NTAPI engine_runs_on(const HANDLE adapter, DXGKARG_RESETHWENGINE *reset)
{
    DXGKARG_RESUMEHWENGINE resume = {reset->NodeOrdinal, reset->EngineOrdinal};
    NTSTATUS status = misbehave_driver.DxgkDdiResetHwEngine(adapter, reset);

    if (NT_SUCCESS(status)) {
        status = misbehave_driver.DxgkDdiResumeHwEngine(adapter, &resume);
    }
    return status;
}

/* "The kernel knows what hung." */
static NTSTATUS NTAPI nobody_is_named(const DXGKARGCB_INVALIDATEHWCONTEXT *invalidate)
{
    UNREFERENCED_PARAMETER(invalidate);
    return STATUS_SUCCESS;
}

/* The hardware's number of the context. */
static NTSTATUS NTAPI named_by_number(const DXGKARGCB_INVALIDATEHWCONTEXT *invalidate)
{
    DXGKARGCB_INVALIDATEHWCONTEXT spoiled = *invalidate;

    spoiled.hHwContext = (HANDLE)(ULONG_PTR)1;
    return misbehave_kernel.DxgkCbInvalidateHwContext(&spoiled);
}

/* ---- Suspending and resetting ---------------------------------------------------------------- */

/* It is only asked for. */
static NTSTATUS NTAPI suspend_is_done_at_once(const HANDLE adapter,
                                              const DXGKARG_SUSPENDCONTEXT *suspend)
{
    (void)misbehave_driver.DxgkDdiSuspendContext(adapter, suspend);
    return STATUS_SUCCESS;
}

static BOOLEAN NTAPI tell_suspended(PVOID argument)
{
    const DXGKARG_SUSPENDCONTEXT *suspend = argument;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;

    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED;
    data.SuspendContextCompleted.hContext = suspend->hContext;
    data.SuspendContextCompleted.ContextSuspendFence = suspend->contextSuspendFence;
    misbehave_kernel.DxgkCbNotifyInterrupt(misbehave_kernel.DeviceHandle, &data);
    (void)misbehave_kernel.DxgkCbQueueDpc(misbehave_kernel.DeviceHandle);
    return TRUE;
}

/* The device was never told; its context goes on. */
static NTSTATUS NTAPI suspend_is_told_alone(const HANDLE adapter,
                                            const DXGKARG_SUSPENDCONTEXT *suspend)
{
    BOOLEAN result;

    UNREFERENCED_PARAMETER(adapter);
    (void)misbehave_kernel.DxgkCbSynchronizeExecution(misbehave_kernel.DeviceHandle, tell_suspended,
                                                      (PVOID)(ULONG_PTR)suspend, 0, &result);
    return STATUS_PENDING;
}

static HANDLE own_handle;

static NTSTATUS NTAPI handle_is_kept(const HANDLE device, DXGKARG_CREATEHWCONTEXT *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateHwContext(device, create);

    own_handle = create->hHwContext;
    return status;
}

static void keep_handles(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiCreateHwContext = handle_is_kept;
}

static NTSTATUS NTAPI invalidated_by_own_handle(const DXGKARGCB_INVALIDATEHWCONTEXT *request)
{
    DXGKARGCB_INVALIDATEHWCONTEXT own = *request;

    own.hHwContext = own_handle;
    return misbehave_kernel.DxgkCbInvalidateHwContext(&own);
}

/* "It was affected": said of everybody, also of the one that faulted. */
static NTSTATUS NTAPI all_are_collateral(const DXGKARGCB_INVALIDATEHWCONTEXT *request)
{
    DXGKARGCB_INVALIDATEHWCONTEXT spoiled = *request;

    spoiled.Flags.CollateralDamage = 1;
    return misbehave_kernel.DxgkCbInvalidateHwContext(&spoiled);
}

/* The node says that it writes the fences itself... */
static NTSTATUS NTAPI node_writes_fences(const HANDLE adapter, UINT node,
                                         DXGKARG_GETNODEMETADATA *metadata)
{
    NTSTATUS status = misbehave_driver.DxgkDdiGetNodeMetadata(adapter, node, metadata);

    if (metadata->Flags.ContextSchedulingSupported && node != 1) { /* which pages */
        metadata->Flags.RingBufferFenceRelease = 1;
    }
    return status;
}

static void write_fences(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiGetNodeMetadata = node_writes_fences;
}

/* ... and once it is another queue's value, which the device writes. */
static NTSTATUS NTAPI fence_is_of_another(const HANDLE adapter_handle,
                                          const DXGKARG_SUBMITCOMMANDTOHWQUEUE *submit)
{
    struct softgpu_adapter *adapter = adapter_handle;
    DXGKARG_SUBMITCOMMANDTOHWQUEUE other = *submit;
    NTSTATUS status;

    if (!submit->Flags.Paging && misbehave_once()) {
        other.HwQueueProgressFenceId += 7;
        adapter->settings.fence_release = 1;
    }
    status = misbehave_driver.DxgkDdiSubmitCommandToHwQueue(adapter, &other);
    adapter->settings.fence_release = 0;
    return status;
}

/* ---- Page faults ----------------------------------------------------------------------------- */

/* It knows packets alone. */
static VOID NTAPI queue_fault_of_a_packet(const HANDLE device,
                                          DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA fault;

    if (data->InterruptType == DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED) {
        RtlZeroMemory(&fault, sizeof(fault));
        fault.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
        fault.DmaPageFaulted.NodeOrdinal = data->HwQueuePageFaulted.NodeOrdinal;
        fault.DmaPageFaulted.PageFaultFlags =
            DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED | DXGK_PAGE_FAULT_FENCE_INVALID;
        *data = fault;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* By the context. */
static VOID NTAPI queue_fault_of_no_queue(const HANDLE device,
                                          DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (data->InterruptType == DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED) {
        data->HwQueuePageFaulted.FaultedHwQueue = own_handle;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* Its number is looked up in a table that ends before. */
static VOID NTAPI queue_fault_of_nobody(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (data->InterruptType == DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED) {
        data->HwQueuePageFaulted.FaultedHwQueue = NULL;
        data->HwQueuePageFaulted.FaultedFenceId = 0;
        data->HwQueuePageFaulted.PageFaultFlags |= DXGK_PAGE_FAULT_FENCE_INVALID;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

static VOID NTAPI queue_fault_of_the_last(const HANDLE device,
                                          DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (data->InterruptType == DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED) {
        data->HwQueuePageFaulted.FaultedFenceId--;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

static UINT64 newest;

static NTSTATUS NTAPI keeps_the_newest(const HANDLE queue,
                                       const DXGKARG_SUBMITCOMMANDTOHWQUEUE *submit)
{
    newest = submit->Flags.Paging ? newest : submit->HwQueueProgressFenceId;
    return misbehave_driver.DxgkDdiSubmitCommandToHwQueue(queue, submit);
}

static void keep_newest(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSubmitCommandToHwQueue = keeps_the_newest;
}

/* What was given last is what runs, to its author. */
static VOID NTAPI queue_fault_of_the_newest(const HANDLE device,
                                            DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (data->InterruptType == DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED) {
        data->HwQueuePageFaulted.FaultedFenceId = newest;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* ---- Statuses and names ---------------------------------------------------------------------- */

static NTSTATUS NTAPI resume_is_pending(const HANDLE adapter, const DXGKARG_RESUMECONTEXT *resume)
{
    (void)misbehave_driver.DxgkDdiResumeContext(adapter, resume);
    return STATUS_PENDING;
}

static HANDLE first_context;

static NTSTATUS NTAPI first_is_kept(const HANDLE device, DXGKARG_CREATEHWCONTEXT *create)
{
    first_context = first_context == NULL ? create->hHwContext : first_context;
    return misbehave_driver.DxgkDdiCreateHwContext(device, create);
}

/* Their places are given back with the device. */
static NTSTATUS NTAPI places_run_out(const HANDLE device, DXGKARG_CREATEHWCONTEXT *create)
{
    static ULONG taken;

    return taken++ < 256 ? misbehave_driver.DxgkDdiCreateHwContext(device, create)
                         : STATUS_NO_MEMORY;
}

static void keep_first(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiCreateHwContext = first_is_kept;
}

/* The system's, which pages. */
static NTSTATUS NTAPI first_is_invalidated(const DXGKARGCB_INVALIDATEHWCONTEXT *request)
{
    DXGKARGCB_INVALIDATEHWCONTEXT first = *request;

    first.hHwContext = first_context;
    return misbehave_kernel.DxgkCbInvalidateHwContext(&first);
}

static NTSTATUS NTAPI queue_is_paged(const HANDLE adapter,
                                     const DXGKARG_SUBMITCOMMANDTOHWQUEUE *submit)
{
    PVOID note = ExAllocatePool2(POOL_FLAG_PAGED, sizeof(*submit), SOFTGPU_TAG_QUEUE);

    if (note != NULL) {
        ExFreePoolWithTag(note, SOFTGPU_TAG_QUEUE);
    }
    return misbehave_driver.DxgkDdiSubmitCommandToHwQueue(adapter, submit);
}

/* ---- Presents -------------------------------------------------------------------------------- */

static NTSTATUS NTAPI queue_present_fails_oddly(const HANDLE queue, DXGKARG_PRESENT *present)
{
    NTSTATUS status = misbehave_driver.DxgkDdiPresentToHwQueue(queue, present);

    return misbehave_once() ? STATUS_UNSUCCESSFUL : status;
}

/* Half of a list is left out. */
static NTSTATUS NTAPI queue_present_forgets_half(const HANDLE queue, DXGKARG_PRESENT *present)
{
    UINT count = present->SubRectCnt;

    present->SubRectCnt = count > 1 ? count / 2 : count;
    NTSTATUS status = misbehave_driver.DxgkDdiPresentToHwQueue(queue, present);
    present->SubRectCnt = count;
    return status;
}

static NTSTATUS NTAPI queue_present_ends_too_far(const HANDLE queue, DXGKARG_PRESENT *present)
{
    UCHAR *end = (UCHAR *)present->pDmaBuffer + present->DmaSize;
    NTSTATUS status = misbehave_driver.DxgkDdiPresentToHwQueue(queue, present);

    if (NT_SUCCESS(status) && present->pDmaBuffer != NULL && misbehave_once()) {
        present->pDmaBuffer = end + 1;
    }
    return status;
}

/* The end of a Present is one of paging, of which there is none. */
static NTSTATUS NTAPI presents_are_not_signalled(const HANDLE context,
                                                 DXGKARG_SIGNALMONITOREDFENCE *signal)
{
    return signal->KernelSubmissionType == DXGK_KERNEL_SUBMISSION_BUILD_PAGING_BUFFER
               ? misbehave_driver.DxgkDdiSignalMonitoredFence(context, signal)
               : STATUS_SUCCESS;
}

/* ---- Quanta and bands ------------------------------------------------------------------------ */

/* The device counts in ns, the kernel in 100 ns. */
static NTSTATUS NTAPI quantum_in_its_units(const HANDLE adapter,
                                           const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES *set)
{
    DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES spoiled = *set;

    spoiled.quantum /= 100;
    return misbehave_driver.DxgkDdiSetContextSchedulingProperties(adapter, &spoiled);
}

/* "In us." */
static NTSTATUS NTAPI quantum_without_end(const HANDLE adapter,
                                          const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES *set)
{
    DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES spoiled = *set;

    spoiled.quantum *= 10;
    return misbehave_driver.DxgkDdiSetContextSchedulingProperties(adapter, &spoiled);
}

/* Its device has them the other way round. */
static NTSTATUS NTAPI bands_from_the_top(const HANDLE adapter,
                                         const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES *set)
{
    DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES spoiled = *set;

    spoiled.priorityBand = DXGK_SCHEDULING_PRIORITY_BAND_REALTIME - set->priorityBand;
    return misbehave_driver.DxgkDdiSetContextSchedulingProperties(adapter, &spoiled);
}

/* "All clients are the same." */
static NTSTATUS NTAPI one_band_for_all(const HANDLE adapter,
                                       const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES *set)
{
    DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES spoiled = *set;

    spoiled.priorityBand = DXGK_SCHEDULING_PRIORITY_BAND_NORMAL;
    return misbehave_driver.DxgkDdiSetContextSchedulingProperties(adapter, &spoiled);
}

static NTSTATUS NTAPI priority_upside_down(const HANDLE adapter,
                                           const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES *set)
{
    DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES spoiled = *set;

    spoiled.inProcessPriority = -set->inProcessPriority;
    return misbehave_driver.DxgkDdiSetContextSchedulingProperties(adapter, &spoiled);
}

static NTSTATUS NTAPI grace_in_its_units(const HANDLE adapter,
                                         const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES *set)
{
    DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES spoiled = *set;

    spoiled.gracePeriodLowerPriority /= 100;
    spoiled.gracePeriodSamePriority /= 100;
    return misbehave_driver.DxgkDdiSetContextSchedulingProperties(adapter, &spoiled);
}

static NTSTATUS NTAPI graces_of_bands_in_its_units(const HANDLE adapter,
                                                   const DXGKARG_SETUPPRIORITYBANDS *bands)
{
    DXGKARG_SETUPPRIORITYBANDS spoiled = *bands;
    UINT i;

    for (i = 0; i < DXGK_SCHEDULING_PRIORITY_BAND_COUNT; i++) {
        spoiled.gracePeriodForBand[i] /= 100;
    }
    return misbehave_driver.DxgkDdiSetupPriorityBands(adapter, &spoiled);
}

/* "Its own are good enough." */
static NTSTATUS NTAPI bands_are_refused(const HANDLE adapter,
                                        const DXGKARG_SETUPPRIORITYBANDS *bands)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(bands);
    return STATUS_NOT_SUPPORTED;
}

/* One for the other. */
static NTSTATUS NTAPI process_quanta_are_graces(const HANDLE adapter,
                                                const DXGKARG_SETUPPRIORITYBANDS *bands)
{
    DXGKARG_SETUPPRIORITYBANDS spoiled = *bands;
    UINT i;

    for (i = 0; i < DXGK_SCHEDULING_PRIORITY_BAND_COUNT; i++) {
        spoiled.processQuantumForBand[i] = bands->processGracePeriodForBand[i];
        spoiled.processGracePeriodForBand[i] = bands->processQuantumForBand[i];
    }
    spoiled.processGracePeriodForBand[DXGK_SCHEDULING_PRIORITY_BAND_NORMAL] = 0;
    return misbehave_driver.DxgkDdiSetupPriorityBands(adapter, &spoiled);
}

static NTSTATUS NTAPI share_is_left_out(const HANDLE adapter,
                                        const DXGKARG_SETUPPRIORITYBANDS *bands)
{
    DXGKARG_SETUPPRIORITYBANDS spoiled = *bands;

    spoiled.targetNormalBandPercentage = 0;
    return misbehave_driver.DxgkDdiSetupPriorityBands(adapter, &spoiled);
}

/* Queues are set up again from the begin, and so are their fences. */
static NTSTATUS NTAPI fences_begin_again(const HANDLE handle)
{
    const struct softgpu_adapter *adapter = handle;
    ULONG i;

    for (i = 0; i < SOFTGPU_HWQUEUE_COUNT; i++) {
        if (adapter->hw->queues[i] != NULL) {
            *(volatile ULONGLONG *)adapter->hw->queues[i]->progress = 0;
        }
    }
    return misbehave_driver.DxgkDdiRestartFromTimeout(handle);
}

/* "A status for my own log": the work is done all the same. */
static NTSTATUS NTAPI queue_answers_oddly(const HANDLE adapter,
                                          const DXGKARG_SUBMITCOMMANDTOHWQUEUE *submit)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSubmitCommandToHwQueue(adapter, submit);

    return NT_SUCCESS(status) && misbehave_once() ? STATUS_UNSUCCESSFUL : status;
}

/* "Whoever waits for a fence polls it." */
static VOID NTAPI signals_are_kept(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (data->InterruptType != DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED) {
        misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
    }
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(HWQ_008, IN_DDI(RestartFromTimeout), fences_begin_again,
                SCENE_QUEUES | SCENE_HANG | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_030, IN_DDI(SetContextSchedulingProperties), bands_from_the_top,
                SCENE_QUEUES | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_031, IN_DDI(SetContextSchedulingProperties), one_band_for_all,
                SCENE_QUEUES | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_035, IN_DDI(SetContextSchedulingProperties), priority_upside_down,
                SCENE_QUEUES | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_035, IN_DDI(SetContextSchedulingProperties), grace_in_its_units, SCENE_QUEUES),
    BREAKS_RULE(HWQ_031, IN_DDI(SetupPriorityBands), graces_of_bands_in_its_units, SCENE_QUEUES),
    BREAKS_RULE(HWQ_032, IN_DDI(SetContextSchedulingProperties), quantum_in_its_units,
                SCENE_QUEUES),
    BREAKS_RULE(HWQ_032, IN_DDI(SetContextSchedulingProperties), quantum_without_end,
                SCENE_QUEUES | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_033, IN_DDI(SetupPriorityBands), process_quanta_are_graces, SCENE_QUEUES),
    BREAKS_RULE(HWQ_036, IN_DDI(SetupPriorityBands), bands_are_refused,
                SCENE_QUEUES | SCENE_ADVICE | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_034, IN_DDI(SetupPriorityBands), share_is_left_out, SCENE_QUEUES),
    BREAKS_RULE(HWQ_014, IN_DDI(SuspendContext), suspend_is_refused, SCENE_SIGNALS),
    BREAKS_RULE(HWQ_015, IN_CALLBACK(NotifyInterrupt), suspension_of_the_future, SCENE_SIGNALS),
    BREAKS_RULE(HWQ_022, IN_DDI(ResetHwEngine), engine_runs_on, SCENE_QUEUES | SCENE_HANG),
    BREAKS_RULE(HWQ_022, IN_CALLBACK(InvalidateHwContext), nobody_is_named,
                SCENE_QUEUES | SCENE_HANG | SCENE_ADVICE),
    BREAKS_RULE(HWQ_022, IN_CALLBACK(InvalidateHwContext), named_by_number,
                SCENE_QUEUES | SCENE_HANG | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_017, IN_DDI(ResumeContext), resume_is_pending, SCENE_SIGNALS),
    BREAKS_RULE_BESIDE(HWQ_022, IN_CALLBACK(InvalidateHwContext), first_is_invalidated,
                       SCENE_QUEUES | SCENE_RESULTS, keep_first),
    IS_FOUND("WORKLOAD", IN_DDI(CreateHwContext), places_run_out, SCENE_QUEUES),
    IS_FOUND("IRQL", IN_DDI(SubmitCommandToHwQueue), queue_is_paged, SCENE_QUEUES),
    BREAKS_RULE(INT_014, IN_CALLBACK(NotifyInterrupt), queue_fault_of_a_packet,
                SCENE_QUEUES | SCENE_RESULTS),
    BREAKS_RULE_BESIDE(INT_014, IN_CALLBACK(NotifyInterrupt), queue_fault_of_no_queue,
                       SCENE_QUEUES | SCENE_RESULTS, keep_handles),
    BREAKS_RULE(INT_014, IN_CALLBACK(NotifyInterrupt), queue_fault_of_nobody,
                SCENE_QUEUES | SCENE_RESULTS | SCENE_ADVICE),
    BREAKS_RULE(INT_014, IN_CALLBACK(NotifyInterrupt), queue_fault_of_the_last,
                SCENE_QUEUES | SCENE_RESULTS),
    BREAKS_RULE_BESIDE(INT_014, IN_CALLBACK(NotifyInterrupt), queue_fault_of_the_newest,
                       SCENE_QUEUES | SCENE_RESULTS, keep_newest),
    BREAKS_RULE(HWQ_014, IN_DDI(SuspendContext), suspend_is_done_at_once,
                SCENE_SIGNALS | SCENE_ADVICE),
    BREAKS_RULE(HWQ_014, IN_DDI(SuspendContext), suspend_is_told_alone,
                SCENE_SIGNALS | SCENE_MORE_RULES),
    BREAKS_RULE_BESIDE(HWQ_022, IN_CALLBACK(InvalidateHwContext), invalidated_by_own_handle,
                       SCENE_SIGNALS | SCENE_HANG, keep_handles),
    BREAKS_RULE(HWQ_022, IN_CALLBACK(InvalidateHwContext), all_are_collateral,
                SCENE_QUEUES | SCENE_RESULTS | SCENE_MORE_RULES),
    BREAKS_RULE_BESIDE(HWQ_008, IN_DDI(SubmitCommandToHwQueue), fence_is_of_another,
                       SCENE_QUEUES | SCENE_MORE_RULES, write_fences),
    BREAKS_RULE(HWQ_020, IN_DDI(SetSchedulingLogBuffer), log_is_written_behind, SCENE_QUEUES),
    BREAKS_RULE(HWQ_024, IN_DDI(SetSchedulingLogBuffer), log_is_taken_alone, SCENE_QUEUES),
    BREAKS_RULE(HWQ_024, IN_DDI(SetSchedulingLogBuffer), log_of_clients_alone, SCENE_QUEUES),
    BREAKS_RULE(HWQ_024, IN_DDI(SetSchedulingLogBuffer), log_index_runs_on, SCENE_QUEUES),
    BREAKS_RULE(HWQ_024, IN_DDI(SetSchedulingLogBuffer), log_is_full_of_noise, SCENE_QUEUES),
    BREAKS_RULE(SMF_001, IN_DDI(BuildPagingBuffer), signal_is_half,
                SCENE_QUEUES | SCENE_MORE_RULES),
    BREAKS_RULE(SMF_001, IN_DDI(BuildPagingBuffer), signal_is_a_stub,
                SCENE_QUEUES | SCENE_MORE_RULES),
    BREAKS_RULE(PAGE_020, IN_DDI(BuildPagingBuffer), signal_is_unknown,
                SCENE_QUEUES | SCENE_MORE_RULES),
    BREAKS_RULE(SMF_001, IN_DDI(BuildPagingBuffer), signal_wants_more_room,
                SCENE_QUEUES | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_013, IN_DDI(SignalMonitoredFence), fence_is_half,
                SCENE_SIGNALS | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_013, IN_DDI(SignalMonitoredFence), fence_is_early,
                SCENE_SIGNALS | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_013, IN_DDI(SignalMonitoredFence), fence_pointer_is_left,
                SCENE_SIGNALS | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_013, IN_DDI(SignalMonitoredFence), fence_is_refused, SCENE_SIGNALS),
    BREAKS_RULE(HWQ_013, IN_DDI(SignalMonitoredFence), fence_is_behind,
                SCENE_SIGNALS | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_012, IN_DDI(PresentToHwQueue), queue_present_fails_oddly,
                SCENE_SIGNALS | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_012, IN_DDI(PresentToHwQueue), queue_present_forgets_half, SCENE_SIGNALS),
    BREAKS_RULE(PRES_009, IN_DDI(PresentToHwQueue), queue_present_ends_too_far, SCENE_SIGNALS),
    BREAKS_RULE(HWQ_013, IN_DDI(SignalMonitoredFence), presents_are_not_signalled,
                SCENE_SIGNALS | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_002, IN_DDI(SubmitCommandToHwQueue), queue_answers_oddly,
                SCENE_QUEUES | SCENE_ADVICE),
    BREAKS_RULE(INT_017, IN_CALLBACK(NotifyInterrupt), signals_are_kept,
                SCENE_QUEUES | SCENE_MORE_RULES),
};

MISBEHAVIOURS(queues);
