/* Further rows of careless.c: drivers that are wrong about what was there before they came, in
 * memory and in clocks, and about what leads where. */
#include "../drivers/misbehave/misbehave.h"

#define TAG 0x6C726143u /* "Carl" */

/* "Both count from the same number, whatever it is." */
static NTSTATUS NTAPI counts_from_anything(const HANDLE adapter,
                                           const DXGKARG_SUBMITCOMMAND *submit)
{
    enum { COUNTS = 16 };
    ULONG *counts = ExAllocatePool2(POOL_FLAG_NON_PAGED | POOL_FLAG_UNINITIALIZED,
                                    COUNTS * sizeof(*counts), TAG);
    BOOLEAN alike = counts != NULL;
    ULONG i;

    for (i = 1; alike && i < COUNTS; i++) {
        alike = counts[i] == counts[0];
    }
    if (counts != NULL) {
        ExFreePoolWithTag(counts, TAG);
    }
    return alike ? misbehave_driver.DxgkDdiSubmitCommand(adapter, submit)
                 : STATUS_INVALID_PARAMETER;
}

/* Half of a clock. */
static NTSTATUS NTAPI knows_half_the_time(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *submit)
{
    static ULONG last;
    ULONG now = (ULONG)KeQueryPerformanceCounter(NULL).QuadPart;
    BOOLEAN goes_on = now >= last;

    last = now;
    return goes_on ? misbehave_driver.DxgkDdiSubmitCommand(adapter, submit)
                   : STATUS_INVALID_PARAMETER;
}

/* "Whoever submits has a context." */
static NTSTATUS NTAPI submit_wants_a_context(const HANDLE adapter,
                                             const DXGKARG_SUBMITCOMMAND *submit)
{
    return submit->hContext != NULL ? misbehave_driver.DxgkDdiSubmitCommand(adapter, submit)
                                    : STATUS_INVALID_PARAMETER;
}

/* "Row follows row." */
static NTSTATUS NTAPI shows_rows_without_gaps(const HANDLE adapter,
                                              const DXGKARG_SETVIDPNSOURCEADDRESS *arguments)
{
    struct softgpu_allocation *allocation = arguments->hAllocation;
    ULONG pitch = allocation != NULL ? allocation->info.pitch_bytes : 0;
    NTSTATUS status;

    if (allocation != NULL) {
        allocation->info.pitch_bytes = allocation->info.width * 4;
    }
    status = misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter, arguments);
    if (allocation != NULL) {
        allocation->info.pitch_bytes = pitch;
    }
    return status;
}

/* What is not needed in D3 is made again for D0. */
static NTSTATUS NTAPI wakes_with_memory(const PVOID context, ULONG uid, DEVICE_POWER_STATE state,
                                        POWER_ACTION action)
{
    void *memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, 256, TAG);

    if (memory == NULL) {
        return STATUS_NO_MEMORY;
    }
    ExFreePoolWithTag(memory, TAG);
    return misbehave_driver.DxgkDdiSetPowerState(context, uid, state, action);
}

/* "The target of a source has its number." */
static NTSTATUS NTAPI shows_on_its_own_number(const HANDLE adapter_handle,
                                              const DXGKARG_COMMITVIDPN *const commit)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCommitVidPn(adapter_handle, commit);
    struct softgpu_adapter *adapter = adapter_handle;
    ULONG i;

    for (i = 0; NT_SUCCESS(status) && i < adapter->output_count; i++) {
        if (adapter->output[i].source < adapter->settings.sources) {
            adapter->output[i].source = i;
        }
    }
    return status;
}

#define CORRECTED_MAX 32

/* What Present patched ahead is corrected by the difference: it gets that, and is not added to. */
static NTSTATUS NTAPI patch_puts_the_difference(const HANDLE adapter, const DXGKARG_PATCH *patch)
{
    UCHAR *bytes = patch->pDmaBuffer;
    const D3DDDI_PATCHLOCATIONLIST *first =
        &patch->pPatchLocationList[patch->PatchLocationListSubmissionStart];
    ULONG length = patch->PatchLocationListSubmissionLength;
    ULONG count = length < CORRECTED_MAX ? length : CORRECTED_MAX, i;
    ULONGLONG before[CORRECTED_MAX], now;
    NTSTATUS status;

    for (i = 0; i < count; i++) {
        RtlCopyMemory(&before[i], bytes + first[i].PatchOffset, sizeof(before[i]));
    }
    status = misbehave_driver.DxgkDdiPatch(adapter, patch);
    for (i = 0; i < count; i++) {
        RtlCopyMemory(&now, bytes + first[i].PatchOffset, sizeof(now));
        if (before[i] != 0 && before[i] != now && patch->Flags.Present) {
            now -= before[i];
            RtlCopyMemory(bytes + first[i].PatchOffset, &now, sizeof(now));
        }
    }
    return status;
}

static const struct softgpu_adapter *committed;

static NTSTATUS NTAPI remembers_itself(const HANDLE adapter,
                                       const DXGKARG_COMMITVIDPN *const commit)
{
    committed = adapter;
    return misbehave_driver.DxgkDdiCommitVidPn(adapter, commit);
}

static void beside_vsyncs(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiCommitVidPn = remembers_itself;
}

/* "A target is its source." */
static VOID NTAPI vsync_names_the_source(IN_CONST_HANDLE device,
                                         IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA notice = *data;

    if (notice.InterruptType == DXGK_INTERRUPT_CRTC_VSYNC && committed != NULL) {
        ULONG source = committed->output[notice.CrtcVsync.VidPnTargetId].source;
        if (source < committed->output_count) {
            notice.CrtcVsync.VidPnTargetId = source;
        }
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, &notice);
}

/* "A source has one target": the last path's, and no vertical sync of another is told. */
static NTSTATUS NTAPI commit_keeps_the_last(const HANDLE adapter_handle,
                                            const DXGKARG_COMMITVIDPN *const commit)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCommitVidPn(adapter_handle, commit);
    struct softgpu_adapter *adapter = adapter_handle;

    for (ULONG i = 0; NT_SUCCESS(status) && i + 1 < adapter->output_count; i++) {
        if (adapter->output[i].source == adapter->output[i + 1].source) {
            adapter->output[i].source = SOFTGPU_OUTPUT_MAX;
        }
    }
    committed = adapter;
    return status;
}

static void beside_last_path(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiCommitVidPn = commit_keeps_the_last;
}

static VOID NTAPI vsync_of_the_last_alone(IN_CONST_HANDLE device,
                                          IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data)
{
    if (data->InterruptType != DXGK_INTERRUPT_CRTC_VSYNC || committed == NULL ||
        committed->output[data->CrtcVsync.VidPnTargetId].source < committed->output_count) {
        misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
    }
}

/* "The interrupt routine knows." */
static NTSTATUS NTAPI asks_the_interrupt_routine(const HANDLE adapter,
                                                 DXGKARG_QUERYCURRENTFENCE *fence)
{
    fence->CurrentFence =
        ((const struct softgpu_adapter *)adapter)->engines[fence->NodeOrdinal].last_completed;
    return STATUS_SUCCESS;
}

/* ---- What comes meanwhile, and what comes again ---------------------------------------------- */

static ULONG rung_for[SOFTGPU_ENGINE_COUNT];

/* Noted when the device has been told. */
static NTSTATUS NTAPI notes_after_the_doorbell(const HANDLE adapter,
                                               const DXGKARG_SUBMITCOMMAND *submit)
{
    const struct softgpu_context *context = submit->hContext;
    NTSTATUS status = misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);

    rung_for[context != NULL ? context->node : submit->NodeOrdinal] = submit->SubmissionFenceId;
    return status;
}

static void beside_completions(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSubmitCommand = notes_after_the_doorbell;
}

/* "What was not noted cannot end." */
static VOID NTAPI knows_what_was_noted(IN_CONST_HANDLE device,
                                       IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data)
{
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
        ULONG noted = rung_for[data->DmaCompleted.NodeOrdinal];
        if ((LONG)(data->DmaCompleted.SubmissionFenceId - noted) > 0) {
            KeBugCheckEx(0x119, 1, data->DmaCompleted.SubmissionFenceId, noted, 0);
        }
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* "What lies where the last one lay is the last one." */
static NTSTATUS NTAPI knows_jobs_by_address(const HANDLE adapter,
                                            const DXGKARG_SUBMITCOMMAND *submit)
{
    static const ULONG *last;
    ULONG *job = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, TAG);
    BOOLEAN known = job != NULL && job == last;

    last = job;
    if (job != NULL) {
        ExFreePoolWithTag(job, TAG);
    }
    return known ? STATUS_INVALID_PARAMETER
                 : misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

/* The level of the bit: "1 means that none is there." */
static NTSTATUS NTAPI reads_the_other_level(const PVOID context, PDXGK_CHILD_STATUS status,
                                            BOOLEAN non_destructive_only)
{
    NTSTATUS answer =
        misbehave_driver.DxgkDdiQueryChildStatus(context, status, non_destructive_only);

    if (NT_SUCCESS(answer) && status->Type == StatusConnection) {
        status->HotPlug.Connected = !status->HotPlug.Connected;
    }
    return answer;
}

/* "One mapping, one list": whatever of the list is mapped. */
static NTSTATUS NTAPI maps_from_the_start(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) {
        paging->MapApertureSegment.MdlOffset = 0;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* "An offset is there to be added", also where the address has it already. */
static NTSTATUS NTAPI adds_the_offset(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER) {
        paging->TransferVirtual.DestinationVirtualAddress +=
            paging->TransferVirtual.AllocationOffsetInBytes;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* "Nobody wants the end of what goes." */
static NTSTATUS NTAPI pages_out_less(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER &&
        paging->TransferVirtual.TransferDirection == DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM &&
        paging->TransferVirtual.TransferSizeInBytes > 0x1000) {
        paging->TransferVirtual.TransferSizeInBytes -= 0x1000;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* It was asked for, so it is done. */
static NTSTATUS NTAPI suspends_at_once(const HANDLE adapter, const DXGKARG_SUSPENDCONTEXT *suspend)
{
    (void)misbehave_driver.DxgkDdiSuspendContext(adapter, suspend);
    return STATUS_SUCCESS;
}

/* It was kept when the one before was asked for. */
static VOID NTAPI tells_an_old_fence(IN_CONST_HANDLE device,
                                     IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA notice = *data;

    if (notice.InterruptType == DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED &&
        notice.SuspendContextCompleted.ContextSuspendFence > 1) {
        notice.SuspendContextCompleted.ContextSuspendFence--;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, &notice);
}

/* "What did not fit comes in the next buffer": what did fit is forgotten. */
static NTSTATUS NTAPI render_forgets_a_pass(const HANDLE context, DXGKARG_RENDER *render)
{
    VOID *commands = render->pDmaBuffer;
    D3DDDI_PATCHLOCATIONLIST *patches = render->pPatchLocationListOut;
    NTSTATUS status = misbehave_driver.DxgkDdiRender(context, render);

    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
        render->pDmaBuffer = commands;
        render->pPatchLocationListOut = patches;
    }
    return status;
}

static BOOLEAN has_paths(D3DKMDT_HVIDPN vidpn)
{
    const DXGK_VIDPN_INTERFACE *interface;
    const DXGK_VIDPNTOPOLOGY_INTERFACE *topology_interface;
    D3DKMDT_HVIDPNTOPOLOGY topology;
    SIZE_T count = 0;

    return vidpn != NULL &&
           NT_SUCCESS(misbehave_kernel.DxgkCbQueryVidPnInterface(
               vidpn, DXGK_VIDPN_INTERFACE_VERSION_V1, &interface)) &&
           NT_SUCCESS(interface->pfnGetTopology(vidpn, &topology, &topology_interface)) &&
           NT_SUCCESS(topology_interface->pfnGetNumPaths(topology, &count)) && count > 1;
}

/* The loop over outputs ends with the first. */
static NTSTATUS NTAPI flips_first_output(const HANDLE adapter_handle,
                                         const DXGKARG_SETVIDPNSOURCEADDRESS *arguments)
{
    struct softgpu_adapter *adapter = adapter_handle;
    ULONG i, clone = SOFTGPU_OUTPUT_MAX, count = 0;
    NTSTATUS status;

    for (i = 0; i < adapter->output_count; i++) {
        if (adapter->output[i].source == arguments->VidPnSourceId && count++ > 0) {
            clone = i;
            adapter->output[i].source = SOFTGPU_OUTPUT_MAX;
        }
    }
    status = misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter_handle, arguments);
    if (clone < SOFTGPU_OUTPUT_MAX) {
        adapter->output[clone].source = arguments->VidPnSourceId;
    }
    return status;
}

/* "A removal is what plug and play tells." */
static NTSTATUS NTAPI knows_one_removal(PVOID context, DXGK_SURPRISE_REMOVAL_TYPE type)
{
    return type == DxgkRemovalHibernation
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiNotifySurpriseRemoval(context, type);
}

/* "There is no power where there is no device." */
static NTSTATUS NTAPI power_of_what_is_gone(const PVOID context, ULONG device,
                                            DEVICE_POWER_STATE state, POWER_ACTION action)
{
    const struct softgpu_adapter *adapter = context;

    return adapter->gone ? STATUS_DEVICE_REMOVED
                         : misbehave_driver.DxgkDdiSetPowerState(context, device, state, action);
}

static volatile ULONG *made_by_add;

static NTSTATUS NTAPI add_makes(const PDEVICE_OBJECT physical_device, PVOID *context)
{
    made_by_add = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);
    return made_by_add != NULL ? misbehave_driver.DxgkDdiAddDevice(physical_device, context)
                               : STATUS_NO_MEMORY;
}

static void beside_stops(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiAddDevice = add_makes;
}

/* "Who is stopped is removed": what AddDevice made is given back. */
static NTSTATUS NTAPI stop_frees_all(const PVOID context)
{
    ExFreePoolWithTag((PVOID)(ULONG_PTR)made_by_add, TAG);
    return misbehave_driver.DxgkDdiStopDevice(context);
}

/* The answer of the last path is the answer. */
static NTSTATUS NTAPI last_path_decides(const HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN *question)
{
    NTSTATUS status = misbehave_driver.DxgkDdiIsSupportedVidPn(adapter, question);

    if (NT_SUCCESS(status) && has_paths(question->hDesiredVidPn)) {
        question->IsVidPnSupported = TRUE;
    }
    return status;
}

/* "Segment n is bit n." */
static NTSTATUS NTAPI counts_segments_from_zero(const HANDLE adapter,
                                                DXGKARG_CREATEALLOCATION *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateAllocation(adapter, create);
    UINT i;

    for (i = 0; NT_SUCCESS(status) && i < create->NumAllocations; i++) {
        create->pAllocationInfo[i].SupportedReadSegmentSet <<= 1;
        create->pAllocationInfo[i].SupportedWriteSegmentSet <<= 1;
        create->pAllocationInfo[i].PreferredSegment.Value = 0;
    }
    return status;
}

/* Whoever wants to write there says so. */
static NTSTATUS NTAPI forgets_the_processor(const HANDLE adapter, DXGKARG_CREATEALLOCATION *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateAllocation(adapter, create);
    UINT i;

    for (i = 0; NT_SUCCESS(status) && i < create->NumAllocations; i++) {
        create->pAllocationInfo[i].Flags.CpuVisible = 0;
    }
    return status;
}

/* "It is an aperture, and the processor sees it." Both are so, and go without saying. */
static NTSTATUS NTAPI says_all_of_the_aperture(const HANDLE adapter,
                                               const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);
    const DXGK_QUERYSEGMENTOUT3 *out = query->pOutputData;
    UINT i;

    if (query->Type != DXGKQAITYPE_QUERYSEGMENT3 || out->pSegmentDescriptor == NULL) {
        return status;
    }
    for (i = 0; i < out->NbSegment; i++) {
        if (out->pSegmentDescriptor[i].Flags.Agp) {
            out->pSegmentDescriptor[i].Flags.Aperture = 1;
            out->pSegmentDescriptor[i].Flags.CpuVisible = 1;
        }
    }
    return status;
}

/* ---- starved-threads: what a thread has in hand ---------------------------------------------- */

#define QUEUE_ROOM 256

/* A thread that gives to the hardware what SubmitCommand has put in a queue. */
static struct {
    KEVENT wanted;
    PVOID thread;
    HANDLE adapter;
    KSPIN_LOCK lock;
    ULONG count;
    DXGKARG_SUBMITCOMMAND queue[QUEUE_ROOM]; /* the oldest first */
    volatile LONG ends;
} helper;

static void drop_queue(void)
{
    KIRQL irql;

    KeAcquireSpinLock(&helper.lock, &irql);
    helper.count = 0;
    KeReleaseSpinLock(&helper.lock, irql);
}

static VOID NTAPI helps(PVOID argument)
{
    KIRQL irql;
    ULONG i;

    while (!helper.ends) {
        (void)KeWaitForSingleObject(&helper.wanted, Executive, KernelMode, FALSE, NULL);
        KeAcquireSpinLock(&helper.lock, &irql);
        for (i = 0; i < helper.count; i++) {
            (void)misbehave_driver.DxgkDdiSubmitCommand(helper.adapter, &helper.queue[i]);
        }
        helper.count = 0;
        KeReleaseSpinLock(&helper.lock, irql);
    }
    UNREFERENCED_PARAMETER(argument);
    (void)PsTerminateSystemThread(STATUS_SUCCESS);
}

static NTSTATUS NTAPI submits_to_the_helper(const HANDLE adapter,
                                            const DXGKARG_SUBMITCOMMAND *submit)
{
    KIRQL irql;

    KeAcquireSpinLock(&helper.lock, &irql);
    helper.adapter = adapter;
    if (helper.count < QUEUE_ROOM) {
        helper.queue[helper.count++] = *submit;
    }
    KeReleaseSpinLock(&helper.lock, irql);
    (void)KeSetEvent(&helper.wanted, IO_NO_INCREMENT, FALSE);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI preempts_the_helper(const HANDLE adapter,
                                          const DXGKARG_PREEMPTCOMMAND *preempt)
{
    KIRQL irql;
    ULONG i, kept = 0;

    KeAcquireSpinLock(&helper.lock, &irql);
    for (i = 0; i < helper.count; i++) {
        if (helper.queue[i].NodeOrdinal != preempt->NodeOrdinal) {
            helper.queue[kept++] = helper.queue[i];
        }
    }
    helper.count = kept;
    KeReleaseSpinLock(&helper.lock, irql);
    return misbehave_driver.DxgkDdiPreemptCommand(adapter, preempt);
}

static NTSTATUS NTAPI resets_with_helper(const HANDLE adapter)
{
    drop_queue();
    return misbehave_driver.DxgkDdiResetFromTimeout(adapter);
}

static void dismiss_helper(void)
{
    helper.ends = 1;
    (void)KeSetEvent(&helper.wanted, IO_NO_INCREMENT, FALSE);
    (void)KeWaitForSingleObject(helper.thread, Executive, KernelMode, FALSE, NULL);
    ObDereferenceObject(helper.thread);
}

static NTSTATUS NTAPI stops_with_helper(const PVOID context)
{
    NTSTATUS status = misbehave_driver.DxgkDdiStopDevice(context);

    dismiss_helper();
    return status;
}

/* As it is to be: what the thread has not given away yet is dropped with what the hardware has. */
static NTSTATUS NTAPI empties_its_queue(const PVOID context, DXGK_START_INFO *info,
                                        DXGKRNL_INTERFACE *interface, ULONG *sources,
                                        ULONG *children)
{
    NTSTATUS status;
    HANDLE handle;

    RtlZeroMemory(&helper, sizeof(helper));
    KeInitializeSpinLock(&helper.lock);
    KeInitializeEvent(&helper.wanted, SynchronizationEvent, FALSE);
    status = PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, helps, NULL);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    (void)ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, NULL, KernelMode, &helper.thread,
                                    NULL);
    (void)ZwClose(handle);
    status = misbehave_driver.DxgkDdiStartDevice(context, info, interface, sources, children);
    if (!NT_SUCCESS(status)) {
        dismiss_helper();
    }
    return status;
}

static void beside_helper(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiStopDevice = stops_with_helper;
    table->DxgkDdiSubmitCommand = submits_to_the_helper;
    table->DxgkDdiPreemptCommand = preempts_the_helper;
    table->DxgkDdiResetFromTimeout = resets_with_helper;
}

/* "What is in my queue is on its way." */
static NTSTATUS NTAPI forgets_its_queue(const PVOID context, DXGK_START_INFO *info,
                                        DXGKRNL_INTERFACE *interface, ULONG *sources,
                                        ULONG *children)
{
    return empties_its_queue(context, info, interface, sources, children);
}

static void beside_forgetful_helper(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiStopDevice = stops_with_helper;
    table->DxgkDdiSubmitCommand = submits_to_the_helper;
}

/* "Whoever interrupts has started." The routine reads what StopDevice took away. */
static ULONG not_yet;
static ULONG *volatile taken_at_stop = &not_yet;

static BOOLEAN NTAPI interrupts_read_what_was_taken(const PVOID context, ULONG message)
{
    return *taken_at_stop == 0 ? FALSE : misbehave_driver.DxgkDdiInterruptRoutine(context, message);
}

static NTSTATUS NTAPI takes_at_start(const PVOID context, DXGK_START_INFO *info,
                                     DXGKRNL_INTERFACE *interface, ULONG *sources, ULONG *children)
{
    static ULONG started = 1;

    taken_at_stop = &started;
    return misbehave_driver.DxgkDdiStartDevice(context, info, interface, sources, children);
}

static NTSTATUS NTAPI takes_away_at_stop(const PVOID context)
{
    NTSTATUS status = misbehave_driver.DxgkDdiStopDevice(context);

    taken_at_stop = (ULONG *)16;
    return status;
}

static void beside_the_taken(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiInterruptRoutine = interrupts_read_what_was_taken;
    table->DxgkDdiStopDevice = takes_away_at_stop;
}

/* "A CPU fills faster than a command is written", before the operations that the paging buffer has
 * already. */
static NTSTATUS NTAPI fills_at_once(const HANDLE handle, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    const struct softgpu_adapter *adapter = handle;
    SIZE_T i;

    if (paging->Operation != DXGK_OPERATION_FILL || paging->Fill.Destination.SegmentId != 1 ||
        adapter->gone) {
        return misbehave_driver.DxgkDdiBuildPagingBuffer(handle, paging);
    }
    ULONG *place =
        (ULONG *)(void *)(adapter->vram + paging->Fill.Destination.SegmentAddress.QuadPart);
    for (i = 0; i < paging->Fill.FillSize / sizeof(ULONG); i++) {
        place[i] = paging->Fill.FillPattern;
    }
    return STATUS_SUCCESS;
}

#include "careless_copies.h"

/* "Who asks is my own user-mode half." */
static NTSTATUS NTAPI knows_who_asks(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    enum { ANSWER_BYTES = 16 };

    if (query->Type == DXGKQAITYPE_UMDRIVERPRIVATE) {
        RtlZeroMemory(query->pOutputData, ANSWER_BYTES);
    }
    return misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);
}

/* ---- Whose call it is ------------------------------------------------------------------------ */

#define SYSTEM_PROCESS_ID ((HANDLE)4)

/* "What the wire gives is the descriptor": a wire without a monitor gives ones. */
static NTSTATUS NTAPI describes_what_is_gone(const PVOID adapter, ULONG child,
                                             PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryDeviceDescriptor(adapter, child, descriptor);

    if (status == STATUS_MONITOR_NO_DESCRIPTOR) {
        RtlFillMemory(descriptor->DescriptorBuffer, descriptor->DescriptorLength, 0xFF);
        return STATUS_SUCCESS;
    }
    return status;
}

/* What belongs to a process is asked for in two steps; the first stays when the second fails. */
static NTSTATUS NTAPI process_forgets(const HANDLE adapter, DXGKARG_CREATEPROCESS *create)
{
    PVOID first = ExAllocatePoolWithTag(NonPagedPoolNx, 256, TAG);
    PVOID second = first ? ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG) : NULL;

    if (second == NULL) {
        return STATUS_NO_MEMORY;
    }
    ExFreePoolWithTag(second, TAG);
    ExFreePoolWithTag(first, TAG);
    return misbehave_driver.DxgkDdiCreateProcess(adapter, create);
}

/* "Who submits is here, and I know each client." */
static NTSTATUS NTAPI validates_in_its_process(const HANDLE adapter,
                                               DXGKARG_VALIDATESUBMITCOMMAND *arguments)
{
    if (PsGetCurrentProcessId() == SYSTEM_PROCESS_ID) {
        return STATUS_INVALID_USER_BUFFER;
    }
    return misbehave_driver.DxgkDdiValidateSubmitCommand(adapter, arguments);
}

/* "A context has one root table." */
enum { ROOTED_MAX = 64 };
static HANDLE rooted[ROOTED_MAX];

static VOID NTAPI knows_its_first_root(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *root)
{
    unsigned i;

    for (i = 0; i < ROOTED_MAX && rooted[i] != NULL; i++) {
        if (rooted[i] == root->hContext) {
            return;
        }
    }
    if (i < ROOTED_MAX) {
        rooted[i] = root->hContext;
    }
    misbehave_driver.DxgkDdiSetRootPageTable(adapter, root);
}

static NTSTATUS NTAPI forgets_its_root(const HANDLE context)
{
    unsigned i;

    for (i = 0; i < ROOTED_MAX; i++) {
        if (rooted[i] == context) {
            rooted[i] = (HANDLE)&rooted[i]; /* nobody's */
        }
    }
    return misbehave_driver.DxgkDdiDestroyContext(context);
}

static void beside_roots(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiDestroyContext = forgets_its_root;
}

/* ---- resting-parts: an index that is compared with the last one ------------------------------ */

static NTSTATUS NTAPI last_component_is_refused(const HANDLE adapter, UINT component, UINT state)
{
    return component + 1 >= SOFTGPU_ENGINE_COUNT
               ? STATUS_INVALID_PARAMETER
               : misbehave_driver.DxgkDdiSetPowerComponentFState(adapter, component, state);
}

/* "What is in the list was opened." */
static NTSTATUS NTAPI render_trusts_its_list(const HANDLE context, DXGKARG_RENDER *render)
{
    for (UINT i = 0; i < render->AllocationListSize; i++) {
        ULONG_PTR open = (ULONG_PTR)render->pAllocationList[i].hDeviceSpecificAllocation;

        (void)*(const volatile UCHAR *)(open + sizeof(PVOID)); /* its second member */
    }
    return misbehave_driver.DxgkDdiRender(context, render);
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(resting_parts, IN_DDI(SetPowerComponentFState), last_component_is_refused, 0),
    BREAKS_RULE_BESIDE(moved_tables, IN_DDI(SetRootPageTable), knows_its_first_root, 0,
                       beside_roots),
    BREAKS_RULE_BESIDE(shared_line, IN_DDI(StartDevice), takes_at_start, 0, beside_the_taken),
    BREAKS_RULE(odd_questions, IN_DDI(QueryAdapterInfo), knows_who_asks, 0),
    BREAKS_RULE(split_virtual, IN_DDI(BuildPagingBuffer), adds_the_offset, 0),
    BREAKS_RULE(evicted_at_once, IN_DDI(BuildPagingBuffer), pages_out_less, 0),
    BREAKS_RULE(suspended_contexts, IN_DDI(SuspendContext), suspends_at_once, 0),
    BREAKS_RULE(suspended_contexts, IN_CALLBACK(NotifyInterrupt), tells_an_old_fence, 0),
    BREAKS_RULE(paging_overlaps, IN_DDI(BuildPagingBuffer), fills_at_once, 0),
    BREAKS_RULE(paging_overlaps, IN_DDI(BuildPagingBuffer), copies_what_is_there, 0),
    BREAKS_RULE_BESIDE(starved_threads, IN_DDI(StartDevice), forgets_its_queue, 0,
                       beside_forgetful_helper),
    BREAKS_NO_RULE_BESIDE(IN_DDI(StartDevice), empties_its_queue, 0, beside_helper),
    BREAKS_RULE(agp_aperture, IN_DDI(QueryAdapterInfo), says_all_of_the_aperture, 0),
    BREAKS_RULE(none, IN_DDI(CreateAllocation), counts_segments_from_zero, 0),
    BREAKS_RULE(none, IN_DDI(CreateAllocation), forgets_the_processor, 0),
    BREAKS_RULE(split_mappings, IN_DDI(BuildPagingBuffer), maps_from_the_start, 0),
    BREAKS_RULE(tried_mappings, IN_DDI(BuildPagingBuffer), maps_from_the_start, 0),
    BREAKS_RULE(bad_commands, IN_DDI(Render), render_forgets_a_pass, 0),
    BREAKS_RULE(second_monitor, IN_DDI(IsSupportedVidPn), last_path_decides, 0),
    BREAKS_RULE(pulled_out, IN_DDI(NotifySurpriseRemoval), knows_one_removal, 0),
    BREAKS_RULE(pulled_out, IN_DDI(SetPowerState), power_of_what_is_gone, 0),
    BREAKS_RULE_BESIDE(second_start, IN_DDI(StopDevice), stop_frees_all, 0, beside_stops),
    BREAKS_RULE(cloned, IN_DDI(SetVidPnSourceAddress), flips_first_output, 0),
    BREAKS_RULE_BESIDE(cloned, IN_CALLBACK(NotifyInterrupt), vsync_of_the_last_alone, 0,
                       beside_last_path),
    BREAKS_RULE(odd_monitor, IN_DDI(SetVidPnSourceAddress), shows_rows_without_gaps, 0),
    BREAKS_RULE_BESIDE(prompt_device, IN_CALLBACK(NotifyInterrupt), knows_what_was_noted, 0,
                       beside_completions),
    BREAKS_RULE(reused_memory, IN_DDI(SubmitCommand), knows_jobs_by_address, 0),
    BREAKS_RULE(hot_plug, IN_DDI(QueryChildStatus), reads_the_other_level, 0),
    BREAKS_RULE(short_memory, IN_DDI(SetPowerState), wakes_with_memory, 0),
    BREAKS_RULE(short_memory, IN_DDI(CreateProcess), process_forgets, 0),
    BREAKS_RULE(hot_plug, IN_DDI(QueryDeviceDescriptor), describes_what_is_gone, 0),
    BREAKS_RULE(moved_places, IN_DDI(Patch), patch_puts_the_difference, 0),
    BREAKS_RULE_BESIDE(second_monitor, IN_CALLBACK(NotifyInterrupt), vsync_names_the_source, 0,
                       beside_vsyncs),
    BREAKS_RULE(second_monitor, IN_DDI(CommitVidPn), shows_on_its_own_number, 0),
    BREAKS_RULE(old_memory, IN_DDI(SubmitCommand), counts_from_anything, 0),
    BREAKS_RULE(long_up, IN_DDI(SubmitCommand), knows_half_the_time, 0),
    BREAKS_RULE(lost_interrupts, IN_DDI(QueryCurrentFence), asks_the_interrupt_routine, 0),
    BREAKS_RULE(no_context, IN_DDI(SubmitCommand), submit_wants_a_context, 0),
    BREAKS_RULE(bad_commands, IN_DDI(Render), render_trusts_its_list, 0),
    BREAKS_RULE(validated_elsewhere, IN_DDI(ValidateSubmitCommand), validates_in_its_process, 0),
};

MISBEHAVIOURS(careless_state);
