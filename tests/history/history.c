/* history: the reference driver with one of the bugs that public display drivers really had. Each
 * row has the number of its bug in README.md and stands in front of one DDI or callback, as in
 * tests/drivers/misbehave; the value Misbehave of the service key ("H03") chooses it. What is told
 * here is the kind of the mistake, in as few lines as show it; the drivers that had it are others.
 */
#include "../drivers/misbehave/misbehave.h"

#define TAG 0x74736948u /* "Hist" */

/* ---- Unwind and release ---------------------------------------------------------------------- */

/* H02: a branch of the start that failed still says success. */
static NTSTATUS NTAPI start_says_success(const PVOID context, PDXGK_START_INFO info,
                                         PDXGKRNL_INTERFACE interface, PULONG sources,
                                         PULONG children)
{
    NTSTATUS status =
        misbehave_driver.DxgkDdiStartDevice(context, info, interface, sources, children);

    if (!NT_SUCCESS(status)) {
        *sources = *children = 1;
    }
    return STATUS_SUCCESS;
}

/* H03: the address of the variable, where the address in it was meant. */
static NTSTATUS NTAPI unmaps_the_variable(IN_CONST_HANDLE device, IN_PVOID address)
{
    return misbehave_kernel.DxgkCbUnmapMemory(device, (PVOID)&address);
}

/* H04: a range is reserved first, and given back only where the operation was built. */
static NTSTATUS NTAPI range_stays_reserved(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *build)
{
    PVOID range = ExAllocatePoolWithTag(NonPagedPool, 32, TAG);
    NTSTATUS status;

    if (range == NULL) {
        return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, build);
    }
    status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, build);
    if (NT_SUCCESS(status)) {
        ExFreePoolWithTag(range, TAG);
    }
    return status;
}

/* ---- Completion ------------------------------------------------------------------------------ */

static DXGKARGCB_NOTIFY_INTERRUPT_DATA kept_notice;
static volatile LONG notice_is_kept;

static void NTAPI dpc_notifies(const PVOID context)
{
    if (InterlockedExchange(&notice_is_kept, 0)) {
        misbehave_kernel.DxgkCbNotifyInterrupt(misbehave_kernel.DeviceHandle, &kept_notice);
    }
    misbehave_driver.DxgkDdiDpcRoutine(context);
}

static void beside_h05(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiDpcRoutine = dpc_notifies;
}

/* H05: a vertical sync is told by the DPC. */
static VOID NTAPI vsync_waits_for_the_dpc(IN_CONST_HANDLE device,
                                          IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data)
{
    if (data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC) {
        kept_notice = *data;
        InterlockedExchange(&notice_is_kept, 1);
        return;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* H07: a buffer without commands gives no work, and so nobody completes it. */
static NTSTATUS NTAPI nothing_is_not_submitted(const HANDLE adapter,
                                               const DXGKARG_SUBMITCOMMAND *submit)
{
    return submit->DmaBufferSubmissionStartOffset == submit->DmaBufferSubmissionEndOffset
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

/* H08: one variable for the address that waits; a second one that comes before the vertical sync
 * takes its place, and the first is never told. */
static volatile LONG64 waiting_address;
static volatile LONG address_is_lost;

static NTSTATUS NTAPI one_address_waits(const HANDLE adapter,
                                        const DXGKARG_SETVIDPNSOURCEADDRESS *flip)
{
    if (InterlockedExchange64(&waiting_address, flip->PrimaryAddress.QuadPart) != 0) {
        InterlockedExchange(&address_is_lost, 1);
        return STATUS_SUCCESS;
    }
    return misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter, flip);
}

static void NTAPI dpc_forgets_address(const PVOID context)
{
    InterlockedExchange64(&waiting_address, 0);
    misbehave_driver.DxgkDdiDpcRoutine(context);
}

static void beside_h08(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiDpcRoutine = dpc_forgets_address;
}

/* ---- Asynchronous work against start, stop and power ----------------------------------------- */

struct queue {
    KDPC dpc;
    volatile LONG served;
};

static struct queue *queue;

static VOID NTAPI serve_queue(PKDPC dpc, PVOID context, PVOID first, PVOID second)
{
    struct queue *served = context;

    UNREFERENCED_PARAMETER(dpc);
    UNREFERENCED_PARAMETER(first);
    UNREFERENCED_PARAMETER(second);
    InterlockedIncrement(&served->served);
}

static BOOLEAN NTAPI isr_queues_own_dpc(const PVOID context, ULONG message)
{
    BOOLEAN ours = misbehave_driver.DxgkDdiInterruptRoutine(context, message);

    if (ours && queue != NULL) {
        (void)KeInsertQueueDpc(&queue->dpc, NULL, NULL);
    }
    return ours;
}

/* H09: the queues are freed at stop, under the lock that keeps their DPC out: one that an interrupt
 * queued meanwhile runs when it is released. */
static NTSTATUS NTAPI stop_frees_the_queue(const PVOID context)
{
    struct queue *gone = queue;
    KIRQL old;

    if (gone != NULL) {
        KeRaiseIrql(DISPATCH_LEVEL, &old);
        (void)KeInsertQueueDpc(&gone->dpc, NULL, NULL); /* the last interrupt's */
        queue = NULL;
        ExFreePoolWithTag(gone, TAG);
        KeLowerIrql(old);
    }
    return misbehave_driver.DxgkDdiStopDevice(context);
}

static NTSTATUS NTAPI start_makes_the_queue(const PVOID context, PDXGK_START_INFO info,
                                            PDXGKRNL_INTERFACE interface, PULONG sources,
                                            PULONG children)
{
    NTSTATUS status =
        misbehave_driver.DxgkDdiStartDevice(context, info, interface, sources, children);

    if (NT_SUCCESS(status)) {
        queue = ExAllocatePoolWithTag(NonPagedPool, sizeof(*queue), TAG);
        if (queue != NULL) {
            RtlZeroMemory(queue, sizeof(*queue));
            KeInitializeDpc(&queue->dpc, serve_queue, queue);
        }
    }
    return status;
}

static void beside_h09(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiStopDevice = stop_frees_the_queue;
    table->DxgkDdiInterruptRoutine = isr_queues_own_dpc;
}

static KTIMER vsync_timer;
static KDPC vsync_dpc;
static volatile LONG vsync_count;

static VOID NTAPI count_vsync(PKDPC dpc, PVOID context, PVOID first, PVOID second)
{
    UNREFERENCED_PARAMETER(dpc);
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(first);
    UNREFERENCED_PARAMETER(second);
    InterlockedIncrement(&vsync_count);
}

static NTSTATUS NTAPI release_cancels_timer(PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                            PDXGK_DISPLAY_INFORMATION display)
{
    (void)KeCancelTimer(&vsync_timer);
    return misbehave_driver.DxgkDdiStopDeviceAndReleasePostDisplayOwnership(context, target,
                                                                            display);
}

static void beside_h10(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiStopDeviceAndReleasePostDisplayOwnership = release_cancels_timer;
}

/* H10: the timer for vertical syncs is cancelled in a DDI that need not be called. */
static NTSTATUS NTAPI start_sets_a_timer(const PVOID context, PDXGK_START_INFO info,
                                         PDXGKRNL_INTERFACE interface, PULONG sources,
                                         PULONG children)
{
    LARGE_INTEGER due = {.QuadPart = -160000};
    NTSTATUS status =
        misbehave_driver.DxgkDdiStartDevice(context, info, interface, sources, children);

    if (NT_SUCCESS(status)) {
        KeInitializeTimer(&vsync_timer);
        KeInitializeDpc(&vsync_dpc, count_vsync, NULL);
        (void)KeSetTimerEx(&vsync_timer, due, 16, &vsync_dpc);
    }
    return status;
}

/* H11: the routine uses an object that the end of the start makes. */
static volatile LONG *hardware;
static volatile LONG hardware_looked_at;

static BOOLEAN NTAPI isr_needs_the_hardware(const PVOID context, ULONG message)
{
    InterlockedIncrement(hardware);
    return misbehave_driver.DxgkDdiInterruptRoutine(context, message);
}

static NTSTATUS NTAPI start_makes_the_hardware(const PVOID context, PDXGK_START_INFO info,
                                               PDXGKRNL_INTERFACE interface, PULONG sources,
                                               PULONG children)
{
    NTSTATUS status =
        misbehave_driver.DxgkDdiStartDevice(context, info, interface, sources, children);

    hardware = &hardware_looked_at;
    return status;
}

static void beside_h11(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiInterruptRoutine = isr_needs_the_hardware;
}

/* H12: who goes to sleep waits for a worker, whose last step needs the power lock. */
static KMUTEX power_lock;

static VOID NTAPI worker_drops_power(PVOID context)
{
    (void)KeWaitForSingleObject(&power_lock, Executive, KernelMode, FALSE, NULL);
    (void)KeReleaseMutex(&power_lock, FALSE);
    UNREFERENCED_PARAMETER(context);
    (void)PsTerminateSystemThread(STATUS_SUCCESS);
}

static void wait_for_worker(void)
{
    HANDLE handle;
    PVOID thread;

    if (!NT_SUCCESS(PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, NULL, NULL, NULL,
                                         worker_drops_power, NULL))) {
        return;
    }
    if (NT_SUCCESS(ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, NULL, KernelMode, &thread,
                                             NULL))) {
        (void)KeWaitForSingleObject(thread, Executive, KernelMode, FALSE, NULL);
        ObDereferenceObject(thread);
    }
    (void)ZwClose(handle);
}

static NTSTATUS NTAPI sleep_waits_for_a_worker(const PVOID context, ULONG device,
                                               DEVICE_POWER_STATE state, POWER_ACTION action)
{
    if (device == DISPLAY_ADAPTER_HW_ID && state == PowerDeviceD3) {
        KeInitializeMutex(&power_lock, 0);
        (void)KeWaitForSingleObject(&power_lock, Executive, KernelMode, FALSE, NULL);
        wait_for_worker();
        (void)KeReleaseMutex(&power_lock, FALSE);
    }
    return misbehave_driver.DxgkDdiSetPowerState(context, device, state, action);
}

/* ---- Reset and preemption -------------------------------------------------------------------- */

static ULONG completed[SOFTGPU_ENGINE_COUNT];

/* H13: what was completed before a reset is still the last that was completed. */
static VOID NTAPI reset_forgets_fences(IN_CONST_HANDLE device,
                                       IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA notice = *data;

    if (notice.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
        completed[notice.DmaCompleted.NodeOrdinal] = notice.DmaCompleted.SubmissionFenceId;
    } else if (notice.InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) {
        notice.DmaPreempted.LastCompletedFenceId = completed[notice.DmaPreempted.NodeOrdinal];
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, &notice);
}

/* H14: each submission begins with fresh private data, also one that was stopped in its middle. */
static NTSTATUS NTAPI resubmission_begins_anew(const HANDLE adapter,
                                               const DXGKARG_SUBMITCOMMAND *submit)
{
    struct softgpu_dma_private *private = submit->pDmaBufferPrivateData;

    if (private != NULL && !submit->Flags.Paging) {
        private->resume_valid = FALSE;
    }
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

/* H15: stubs that say success. */
static NTSTATUS NTAPI preemption_is_a_stub(const HANDLE adapter,
                                           const DXGKARG_PREEMPTCOMMAND *preempt)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(preempt);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI question_is_a_stub(const HANDLE adapter, DXGKARG_QUERYCURRENTFENCE *question)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(question);
    return STATUS_SUCCESS;
}

static void beside_h15(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiQueryCurrentFence = question_is_a_stub;
}

/* ---- Levels ---------------------------------------------------------------------------------- */

/* H17: the screen of a bug check is made as any other, with locks and pool. */
static NTSTATUS NTAPI stop_screen_takes_a_lock(const PVOID context,
                                               D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                               PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS flags,
                                               UINT *width, UINT *height, D3DDDIFORMAT *format)
{
    static FAST_MUTEX lock;

    ExInitializeFastMutex(&lock);
    ExAcquireFastMutex(&lock);
    ExReleaseFastMutex(&lock);
    return misbehave_driver.DxgkDdiSystemDisplayEnable(context, target, flags, width, height,
                                                       format);
}

/* H18: code that submits lies in a section that may be paged out. */
__attribute__((section("PAGE"), noinline)) static NTSTATUS NTAPI
submits_from_paged_code(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *submit)
{
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

/* ---- Extents, offsets, small buffers --------------------------------------------------------- */

/* H21: "too small" without a word of how far it came: nobody can go on. */
static NTSTATUS NTAPI present_knows_one_pass(const HANDLE context, DXGKARG_PRESENT *present)
{
    UINT before = present->MultipassOffset;
    NTSTATUS status = misbehave_driver.DxgkDdiPresent(context, present);

    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
        present->MultipassOffset = before;
    }
    return status;
}

/* H22: each slice of a transfer begins where the allocation begins. */
static NTSTATUS NTAPI slices_begin_at_zero(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *build)
{
    UINT offset = build->Transfer.TransferOffset;
    NTSTATUS status;

    if (build->Operation != DXGK_OPERATION_TRANSFER) {
        return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, build);
    }
    build->Transfer.TransferOffset = 0;
    status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, build);
    build->Transfer.TransferOffset = offset;
    return status;
}

/* ---- Lifetime in flight ---------------------------------------------------------------------- */

struct request {
    BOOLEAN is_done;
};

static struct request *newest[SOFTGPU_ENGINE_COUNT];

/* H24: the pointer to a request stays where it was after the request was freed, and is followed
 * once more. */
static NTSTATUS NTAPI request_is_looked_at_again(const HANDLE adapter,
                                                 const DXGKARG_SUBMITCOMMAND *submit)
{
    struct request **slot = &newest[submit->NodeOrdinal];
    BOOLEAN was_done = *slot == NULL || (*slot)->is_done;

    *slot = ExAllocatePoolWithTag(NonPagedPool, sizeof(**slot), TAG);
    if (*slot == NULL) {
        return STATUS_NO_MEMORY;
    }
    (*slot)->is_done = was_done;
    ExFreePoolWithTag(*slot, TAG); /* a device that is done at once */
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

/* ---- Versions -------------------------------------------------------------------------------- */

/* H27: the table of callbacks is copied with the size that the driver was compiled with. */
static NTSTATUS NTAPI interface_is_as_compiled(const PVOID context, PDXGK_START_INFO info,
                                               PDXGKRNL_INTERFACE interface, PULONG sources,
                                               PULONG children)
{
    static volatile UCHAR copy[sizeof(DXGKRNL_INTERFACE) + 256];
    ULONG i;

    for (i = 0; i < sizeof(copy); i++) {
        copy[i] = ((const UCHAR *)interface)[i];
    }
    return misbehave_driver.DxgkDdiStartDevice(context, info, interface, sources, children);
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(H02, IN_DDI(StartDevice), start_says_success, 0),
    BREAKS_RULE(H03, IN_CALLBACK(UnmapMemory), unmaps_the_variable, 0),
    BREAKS_RULE(H04, IN_DDI(BuildPagingBuffer), range_stays_reserved, 0),
    BREAKS_RULE_BESIDE(H05, IN_CALLBACK(NotifyInterrupt), vsync_waits_for_the_dpc, 0, beside_h05),
    BREAKS_RULE(H07, IN_DDI(SubmitCommand), nothing_is_not_submitted, 0),
    BREAKS_RULE_BESIDE(H08, IN_DDI(SetVidPnSourceAddress), one_address_waits, 0, beside_h08),
    BREAKS_RULE_BESIDE(H09, IN_DDI(StartDevice), start_makes_the_queue, 0, beside_h09),
    BREAKS_RULE_BESIDE(H10, IN_DDI(StartDevice), start_sets_a_timer, 0, beside_h10),
    BREAKS_RULE_BESIDE(H11, IN_DDI(StartDevice), start_makes_the_hardware, 0, beside_h11),
    BREAKS_RULE(H12, IN_DDI(SetPowerState), sleep_waits_for_a_worker, 0),
    BREAKS_RULE(H13, IN_CALLBACK(NotifyInterrupt), reset_forgets_fences, 0),
    BREAKS_RULE(H14, IN_DDI(SubmitCommand), resubmission_begins_anew, 0),
    BREAKS_RULE_BESIDE(H15, IN_DDI(PreemptCommand), preemption_is_a_stub, 0, beside_h15),
    BREAKS_RULE(H17, IN_DDI(SystemDisplayEnable), stop_screen_takes_a_lock, 0),
    BREAKS_RULE(H18, IN_DDI(SubmitCommand), submits_from_paged_code, 0),
    BREAKS_RULE(H21, IN_DDI(Present), present_knows_one_pass, 0),
    BREAKS_RULE(H22, IN_DDI(BuildPagingBuffer), slices_begin_at_zero, 0),
    BREAKS_RULE(H24, IN_DDI(SubmitCommand), request_is_looked_at_again, 0),
    BREAKS_RULE(H27, IN_DDI(StartDevice), interface_is_as_compiled, 0),
};

MISBEHAVIOURS(history);
