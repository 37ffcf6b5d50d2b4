/* careless: what a call and the interrupt routine share, and no lock keeps whole. Between two calls
 * of the kernel nothing comes in a calm run; an interrupt between two instructions does. */
#include "../drivers/misbehave/misbehave.h"

#define JOBS_MAX 64

static BOOLEAN ends(IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data)
{
    return data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED;
}

/* ---- A counter ------------------------------------------------------------------------------- */

static volatile ULONG events, submissions, notices;

static NTSTATUS NTAPI counts_submissions(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *submit)
{
    ULONG before = events;

    events = before + 1;
    submissions = submissions + 1;
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

static void beside_notices(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSubmitCommand = counts_submissions;
}

/* "One is one, whoever adds it." What a call has counted and not written down yet is more. */
static VOID NTAPI counts_notices_too(IN_CONST_HANDLE device,
                                     IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data)
{
    if (events < submissions + notices) {
        KeBugCheckEx(0x119, 2, events, submissions, notices);
    }
    events = events + 1;
    notices = notices + 1;
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* ---- A fault --------------------------------------------------------------------------------- */

/* "What was broken off did not complete": the answer is the last one that did. */
static ULONG ended[SOFTGPU_ENGINE_COUNT], faulted[SOFTGPU_ENGINE_COUNT];

static NTSTATUS NTAPI forgets_the_fault(const HANDLE adapter, DXGKARG_QUERYCURRENTFENCE *fence)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryCurrentFence(adapter, fence);

    if (faulted[fence->NodeOrdinal] != 0 && fence->CurrentFence == faulted[fence->NodeOrdinal]) {
        fence->CurrentFence = ended[fence->NodeOrdinal];
    }
    return status;
}

static NTSTATUS NTAPI reset_ends_the_fault(const HANDLE adapter)
{
    RtlZeroMemory(faulted, sizeof(faulted));
    return misbehave_driver.DxgkDdiResetFromTimeout(adapter);
}

static void beside_the_fault(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiQueryCurrentFence = forgets_the_fault;
    table->DxgkDdiResetFromTimeout = reset_ends_the_fault;
}

static VOID NTAPI fault_is_no_end(IN_CONST_HANDLE device,
                                  IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data)
{
    if (ends(data)) {
        ended[data->DmaCompleted.NodeOrdinal] = data->DmaCompleted.SubmissionFenceId;
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
        faulted[data->DmaPageFaulted.NodeOrdinal] = data->DmaPageFaulted.FaultedFenceId;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* ---- A list ---------------------------------------------------------------------------------- */

static struct job {
    LIST_ENTRY link;
    ULONG fence;
    BOOLEAN used;
} jobs[SOFTGPU_ENGINE_COUNT][JOBS_MAX];
static LIST_ENTRY open_jobs[SOFTGPU_ENGINE_COUNT];
static ULONG newest_job[SOFTGPU_ENGINE_COUNT];

static void add_job(ULONG node, ULONG fence)
{
    ULONG i;

    if (open_jobs[node].Flink == NULL) {
        InitializeListHead(&open_jobs[node]);
    }
    for (i = 0; i < JOBS_MAX; i++) {
        struct job *job = &jobs[node][i];
        if (!job->used) {
            job->used = TRUE;
            job->fence = fence;
            InsertTailList(&open_jobs[node], &job->link);
            newest_job[node] = fence;
            return;
        }
    }
}

static NTSTATUS NTAPI lists_without_a_lock(const HANDLE adapter,
                                           const DXGKARG_SUBMITCOMMAND *submit)
{
    const struct softgpu_context *context = submit->hContext;

    add_job(context != NULL ? context->node : submit->NodeOrdinal, submit->SubmissionFenceId);
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

static void beside_ends(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSubmitCommand = lists_without_a_lock;
}

/* "What ends is in the list." Once: a fence that ends again is none of its. */
static VOID NTAPI takes_off_the_list(IN_CONST_HANDLE device,
                                     IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data)
{
    ULONG node = ends(data) ? data->DmaCompleted.NodeOrdinal : 0;
    LIST_ENTRY *head = &open_jobs[node];
    BOOLEAN found = FALSE;
    ULONG count = 0;

    while (ends(data) && head->Flink != NULL && !IsListEmpty(head)) {
        struct job *job = CONTAINING_RECORD(head->Flink, struct job, link);
        if ((LONG)(job->fence - data->DmaCompleted.SubmissionFenceId) > 0) {
            break;
        }
        if (++count > JOBS_MAX) {
            KeBugCheckEx(0x119, 4, count, node, 0);
        }
        found = found || job->fence == data->DmaCompleted.SubmissionFenceId;
        RemoveEntryList(&job->link);
        job->used = FALSE;
    }
    if (ends(data) && !found && newest_job[node] == data->DmaCompleted.SubmissionFenceId) {
        KeBugCheckEx(0x119, 3, data->DmaCompleted.SubmissionFenceId, node, 0);
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* ---- A pointer ------------------------------------------------------------------------------- */

static struct note {
    ULONG node, fence, followed;
} notes[SOFTGPU_ENGINE_COUNT];
static struct note *volatile newest;

/* Asked for once, used twice. */
static __attribute__((no_sanitize("undefined"))) NTSTATUS NTAPI
asks_before_it_looks(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *submit)
{
    const struct softgpu_context *context = submit->hContext;
    ULONG node = context != NULL ? context->node : submit->NodeOrdinal;

    if (newest != NULL) {
        newest->followed++;
    }
    notes[node].node = node;
    notes[node].fence = submit->SubmissionFenceId;
    newest = &notes[node];
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

static void beside_the_newest(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSubmitCommand = asks_before_it_looks;
}

static VOID NTAPI forgets_what_ended(IN_CONST_HANDLE device,
                                     IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data)
{
    if (ends(data) && newest != NULL && newest->node == data->DmaCompleted.NodeOrdinal) {
        newest = NULL;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* ---- What is put off ------------------------------------------------------------------------- */

static struct {
    volatile ULONG pending, tallied, all;
    volatile ULONG ends;
    KEVENT wanted;
    KDPC dpc;
    PVOID thread;
    BOOLEAN by_dpc;
} tally;

/* Added first, taken away later: what comes between the two is in neither. */
static void add_up(void)
{
    tally.tallied = tally.tallied + tally.pending;
    tally.pending = 0;
}

static KDEFERRED_ROUTINE adds_up_later;
static VOID NTAPI adds_up_later(PKDPC dpc, PVOID context, PVOID unused1, PVOID unused2)
{
    UNREFERENCED_PARAMETER(dpc);
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(unused1);
    UNREFERENCED_PARAMETER(unused2);
    add_up();
}

static VOID NTAPI adds_up_for_ever(PVOID argument)
{
    while (!tally.ends) {
        (void)KeWaitForSingleObject(&tally.wanted, Executive, KernelMode, FALSE, NULL);
        add_up();
    }
    UNREFERENCED_PARAMETER(argument);
    (void)PsTerminateSystemThread(STATUS_SUCCESS);
}

static VOID NTAPI wakes_who_adds_up(const PVOID context)
{
    misbehave_driver.DxgkDdiDpcRoutine(context);
    (void)KeSetEvent(&tally.wanted, IO_NO_INCREMENT, FALSE);
}

static void end_tally(void)
{
    tally.ends = 1;
    (void)KeSetEvent(&tally.wanted, IO_NO_INCREMENT, FALSE);
    (void)KeWaitForSingleObject(tally.thread, Executive, KernelMode, FALSE, NULL);
    ObDereferenceObject(tally.thread);
}

static NTSTATUS NTAPI leaves_it_to_a_thread(const PVOID context, DXGK_START_INFO *info,
                                            DXGKRNL_INTERFACE *interface, ULONG *sources,
                                            ULONG *children)
{
    NTSTATUS status;
    HANDLE handle;

    RtlZeroMemory(&tally, sizeof(tally));
    KeInitializeEvent(&tally.wanted, SynchronizationEvent, FALSE);
    status =
        PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, adds_up_for_ever, NULL);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    (void)ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, NULL, KernelMode, &tally.thread,
                                    NULL);
    (void)ZwClose(handle);
    status = misbehave_driver.DxgkDdiStartDevice(context, info, interface, sources, children);
    if (!NT_SUCCESS(status)) {
        end_tally();
    }
    return status;
}

static NTSTATUS NTAPI stops_the_tally(const PVOID context)
{
    NTSTATUS status = misbehave_driver.DxgkDdiStopDevice(context);

    end_tally();
    return status;
}

/* "Each is counted, now or later." */
static void count_one(void)
{
    if (tally.tallied + tally.pending < tally.all) {
        KeBugCheckEx(0x119, 5, tally.tallied, tally.pending, tally.all);
    }
    tally.pending = tally.pending + 1;
    tally.all = tally.all + 1;
}

static BOOLEAN NTAPI counts_interrupts(const PVOID context, ULONG message)
{
    BOOLEAN claimed = misbehave_driver.DxgkDdiInterruptRoutine(context, message);

    if (claimed) {
        count_one();
    }
    return claimed;
}

static void beside_a_thread(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiStopDevice = stops_the_tally;
    table->DxgkDdiInterruptRoutine = counts_interrupts;
    table->DxgkDdiDpcRoutine = wakes_who_adds_up;
}

static VOID NTAPI leaves_it_to_a_dpc(IN_CONST_HANDLE device,
                                     IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data)
{
    count_one();
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
    if (!tally.by_dpc) {
        tally.by_dpc = TRUE;
        KeInitializeDpc(&tally.dpc, adds_up_later, NULL);
    }
    (void)KeInsertQueueDpc(&tally.dpc, NULL, NULL);
}

static WORK_QUEUE_ITEM tally_item;
static volatile LONG tally_queued;

static VOID NTAPI adds_up_at_work(PVOID argument)
{
    UNREFERENCED_PARAMETER(argument);
    add_up();
    InterlockedExchange(&tally_queued, 0);
}

static VOID NTAPI queues_who_adds_up(const PVOID context)
{
    misbehave_driver.DxgkDdiDpcRoutine(context);
    if (InterlockedExchange(&tally_queued, 1) == 0) {
        ExQueueWorkItem(&tally_item, DelayedWorkQueue);
    }
}

static void beside_a_work_item(PDRIVER_INITIALIZATION_DATA table)
{
    ExInitializeWorkItem(&tally_item, adds_up_at_work, NULL);
    table->DxgkDdiInterruptRoutine = counts_interrupts;
    table->DxgkDdiDpcRoutine = queues_who_adds_up;
}

static NTSTATUS NTAPI leaves_it_to_a_work_item(const PVOID context)
{
    NTSTATUS status = misbehave_driver.DxgkDdiStopDevice(context);
    LARGE_INTEGER pause;

    pause.QuadPart = -10000; /* 1 ms */
    while (tally_queued) {
        (void)KeDelayExecutionThread(KernelMode, FALSE, &pause);
    }
    return status;
}

/* ---- Nothing wrong --------------------------------------------------------------------------- */

static NTSTATUS NTAPI counts_at_once(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *submit)
{
    InterlockedIncrement((volatile LONG *)&events);
    submissions = submissions + 1;
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

static void beside_counting(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSubmitCommand = counts_at_once;
}

static VOID NTAPI counts_notices_as_well(IN_CONST_HANDLE device,
                                         IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data)
{
    counts_notices_too(device, data);
}

/* ---- A timer --------------------------------------------------------------------------------- */

static struct {
    KTIMER timer;
    KDPC dpc;
    const struct softgpu_adapter *adapter;
    volatile ULONG seen;
} health;

static KDEFERRED_ROUTINE look_at_health;
static VOID NTAPI look_at_health(PKDPC dpc, PVOID context, PVOID unused1, PVOID unused2)
{
    UNREFERENCED_PARAMETER(dpc);
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(unused1);
    UNREFERENCED_PARAMETER(unused2);
    health.seen += softgpu_read(health.adapter, SOFTGPU_REG_ID) == SOFTGPU_ID_VALUE;
}

static BOOLEAN NTAPI read_health(PVOID context)
{
    look_at_health(NULL, context, NULL, NULL);
    return TRUE;
}

static const DXGKRNL_INTERFACE *health_kernel;

static KDEFERRED_ROUTINE look_under_its_lock;
static VOID NTAPI look_under_its_lock(PKDPC dpc, PVOID context, PVOID unused1, PVOID unused2)
{
    BOOLEAN result;

    (void)health_kernel->DxgkCbSynchronizeExecution(health_kernel->DeviceHandle, read_health,
                                                    context, 0, &result);
    UNREFERENCED_PARAMETER(dpc);
    UNREFERENCED_PARAMETER(unused1);
    UNREFERENCED_PARAMETER(unused2);
}

static KDEFERRED_ROUTINE *health_routine;

/* "Somebody has to look after the device", and it is not told that the device sleeps. */
static NTSTATUS NTAPI is_looked_after_in_its_sleep(const PVOID context, ULONG device,
                                                   DEVICE_POWER_STATE state, POWER_ACTION action)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSetPowerState(context, device, state, action);
    LARGE_INTEGER due;

    if (device != DISPLAY_ADAPTER_HW_ID) {
        return status;
    }
    if (state == PowerDeviceD0) {
        KeCancelTimer(&health.timer);
        KeFlushQueuedDpcs();
        return status;
    }
    health.adapter = context;
    KeInitializeTimer(&health.timer);
    KeInitializeDpc(&health.dpc, health_routine ? health_routine : look_at_health, NULL);
    due.QuadPart = -50000; /* 5 ms */
    KeSetTimerEx(&health.timer, due, 5, &health.dpc);
    return status;
}

static NTSTATUS NTAPI is_looked_after_under_a_lock(const PVOID context, ULONG device,
                                                   DEVICE_POWER_STATE state, POWER_ACTION action)
{
    health_kernel = &((const struct softgpu_adapter *)context)->dxgk;
    health_routine = look_under_its_lock;
    return is_looked_after_in_its_sleep(context, device, state, action);
}

/* "Where there are no interrupts there is no DPC." */
static NTSTATUS NTAPI waits_for_no_dpc(const PVOID context, ULONG device, DEVICE_POWER_STATE state,
                                       POWER_ACTION action)
{
    struct softgpu_adapter *adapter = context;

    if (device != DISPLAY_ADAPTER_HW_ID || state == PowerDeviceD0 || !adapter->started) {
        return misbehave_driver.DxgkDdiSetPowerState(context, device, state, action);
    }
    softgpu_hardware_quiet(adapter);
    return STATUS_SUCCESS;
}

/* "An interrupt says what the DPC has to do." */
static BOOLEAN NTAPI notes_the_last_cause(const PVOID context, ULONG message)
{
    struct softgpu_adapter *adapter = context;
    LONG noted = InterlockedExchange(&adapter->hotplug, 0);
    BOOLEAN ours = misbehave_driver.DxgkDdiInterruptRoutine(context, message);

    if (!ours) {
        InterlockedExchange(&adapter->hotplug, noted);
    }
    return ours;
}

/* "First what is under way ends, then the device": what interrupts in between has a DPC, too. */
static NTSTATUS NTAPI power_waits_too_early(const PVOID context, ULONG device,
                                            DEVICE_POWER_STATE state, POWER_ACTION action)
{
    if (device != DISPLAY_ADAPTER_HW_ID || state == PowerDeviceD0) {
        return misbehave_driver.DxgkDdiSetPowerState(context, device, state, action);
    }
    KeFlushQueuedDpcs();
    softgpu_hardware_quiet(context);
    return STATUS_SUCCESS;
}

/* ---- What a life leaves to the next ---------------------------------------------------------- */

#define JOB_TAG 0x626F4A20u

static volatile UCHAR *job;

static NTSTATUS NTAPI submit_makes_a_job(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *submit)
{
    if (job == NULL) {
        job = ExAllocatePoolWithTag(NonPagedPoolNx, 256, JOB_TAG);
    }
    if (job != NULL) {
        job[0]++;
    }
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

static void beside_jobs(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSubmitCommand = submit_makes_a_job;
}

/* "Who is stopped works no more": what the first submission made is freed, and still known. */
static NTSTATUS NTAPI stop_knows_its_job(const PVOID context)
{
    if (job != NULL) {
        ExFreePoolWithTag((PVOID)(ULONG_PTR)job, JOB_TAG);
    }
    return misbehave_driver.DxgkDdiStopDevice(context);
}

/* "Where it was once it is always." The list of resources, as the first start found it. */
static NTSTATUS NTAPI knows_its_resources(IN_CONST_HANDLE device, PDXGK_DEVICE_INFO info)
{
    static UCHAR kept[1024];
    CM_RESOURCE_LIST *list = (CM_RESOURCE_LIST *)kept;
    NTSTATUS status = misbehave_kernel.DxgkCbGetDeviceInformation(device, info);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (list->Count == 0) {
        const CM_PARTIAL_RESOURCE_LIST *partial =
            &info->TranslatedResourceList->List[0].PartialResourceList;
        RtlCopyMemory(kept, info->TranslatedResourceList,
                      FIELD_OFFSET(CM_RESOURCE_LIST, List[0].PartialResourceList) +
                          FIELD_OFFSET(CM_PARTIAL_RESOURCE_LIST, PartialDescriptors) +
                          partial->Count * sizeof(partial->PartialDescriptors[0]));
    }
    info->TranslatedResourceList = list;
    return status;
}

/* ---- A last DPC ------------------------------------------------------------------------------ */

static volatile ULONG *look_here;

static VOID NTAPI dpc_looks_at_the_device(const PVOID context)
{
    const struct softgpu_adapter *adapter = context;

    if (look_here == NULL) {
        look_here = (volatile ULONG *)(adapter->registers + SOFTGPU_REG_ID);
    }
    (void)READ_REGISTER_ULONG(look_here);
    misbehave_driver.DxgkDdiDpcRoutine(context);
}

static void beside_the_last_dpc(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiDpcRoutine = dpc_looks_at_the_device;
}

/* "When nothing is mapped any more, nothing can be under way." */
static NTSTATUS NTAPI stop_unmaps_before_it_waits(const PVOID context)
{
    struct softgpu_adapter *adapter = context;

    if (!adapter->started) {
        return STATUS_SUCCESS;
    }
    adapter->started = FALSE;
    softgpu_hardware_stop(adapter, FALSE);
    (void)adapter->dxgk.DxgkCbUnmapMemory(adapter->dxgk.DeviceHandle, (PVOID)adapter->registers);
    KeFlushQueuedDpcs();
    look_here = NULL;
    adapter->registers = NULL;
    (void)adapter->dxgk.DxgkCbUnmapMemory(adapter->dxgk.DeviceHandle, adapter->vram);
    adapter->vram = NULL;
    return STATUS_SUCCESS;
}

/* "Who switches it off takes its power." */
static NTSTATUS NTAPI is_not_switched_off(const PVOID context, ULONG device,
                                          DEVICE_POWER_STATE state, POWER_ACTION action)
{
    if (state != PowerDeviceD0 && action != PowerActionSleep && action != PowerActionHibernate) {
        return STATUS_SUCCESS;
    }
    return misbehave_driver.DxgkDdiSetPowerState(context, device, state, action);
}

/* "Monitors that are lit again have the mode of before": it was given up when they went off. */
static NTSTATUS NTAPI lights_nothing_new(const HANDLE adapter,
                                         const DXGKARG_COMMITVIDPN *const arguments)
{
    return arguments->Flags.PathPowerTransition && !arguments->Flags.PathPoweredOff
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiCommitVidPn(adapter, arguments);
}

/* "Off is a way to go off": a mode that is set meanwhile is one that is shown. */
static NTSTATUS NTAPI lights_what_is_off(const HANDLE adapter,
                                         const DXGKARG_COMMITVIDPN *const arguments)
{
    DXGKARG_COMMITVIDPN shown = *arguments;

    shown.Flags.PathPoweredOff &= shown.Flags.PathPowerTransition;
    return misbehave_driver.DxgkDdiCommitVidPn(adapter, &shown);
}

/* "Whoever sets a mode says anew what he wants to hear of." */
static NTSTATUS NTAPI commit_ends_vsyncs(const HANDLE adapter,
                                         const DXGKARG_COMMITVIDPN *const arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCommitVidPn(adapter, arguments);

    (void)misbehave_driver.DxgkDdiControlInterrupt(adapter, DXGK_INTERRUPT_CRTC_VSYNC, FALSE);
    return status;
}

/* "Off is off": as of the first form, and it has the second alone. */
static NTSTATUS NTAPI knows_no_phase(const HANDLE adapter, const DXGKARG_CONTROLINTERRUPT2 control)
{
    return control.InterruptType == DXGK_INTERRUPT_CRTC_VSYNC &&
                   control.CrtcVsyncState == DXGK_VSYNC_DISABLE_KEEP_PHASE
               ? STATUS_NOT_IMPLEMENTED
               : misbehave_driver.DxgkDdiControlInterrupt(
                     adapter, control.InterruptType, control.CrtcVsyncState == DXGK_VSYNC_ENABLE);
}

/* ---- A restart ------------------------------------------------------------------------------- */

/* "What was enabled stays so." */
static BOOLEAN restarted;

static NTSTATUS NTAPI vsyncs_are_enabled(const HANDLE adapter, const DXGK_INTERRUPT_TYPE type,
                                         BOOLEAN enable)
{
    return restarted ? STATUS_SUCCESS
                     : misbehave_driver.DxgkDdiControlInterrupt(adapter, type, enable);
}

static void beside_the_restart(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiControlInterrupt = vsyncs_are_enabled;
}

static NTSTATUS NTAPI restarts_without_interrupts(const HANDLE handle)
{
    struct softgpu_adapter *adapter = handle;
    NTSTATUS status = misbehave_driver.DxgkDdiRestartFromTimeout(handle);

    adapter->interrupt_enable = 0;
    softgpu_write(adapter, SOFTGPU_REG_INTERRUPT_ENABLE, 0);
    restarted = TRUE;
    return status;
}

/* Patch writes there; and one Present fails for nothing. */
static NTSTATUS NTAPI present_leaves_addresses(const HANDLE context, DXGKARG_PRESENT *present)
{
    static ULONG calls;
    const D3DDDI_PATCHLOCATIONLIST *place = present->pPatchLocationListOut;
    UCHAR *buffer = present->pDmaBuffer;
    NTSTATUS status = misbehave_driver.DxgkDdiPresent(context, present);

    for (; buffer != NULL && place < present->pPatchLocationListOut; place++) {
        const LONGLONG begin =
            present->pAllocationList[place->AllocationIndex].PhysicalAddress.QuadPart;
        const LONGLONG address = begin + (place->AllocationOffset == 0 ? 64 : 0);
        RtlCopyMemory(buffer + place->PatchOffset, &address, sizeof(address));
    }
    return ++calls == 24 ? STATUS_INVALID_HANDLE : status;
}

/* "It is there already." There are two of them. */
static NTSTATUS NTAPI points_where_it_was(const HANDLE adapter,
                                          const DXGKARG_SETPOINTERPOSITION *position)
{
    static INT x, y;
    static UINT visible;
    BOOLEAN same = position->X == x && position->Y == y && position->Flags.Visible == visible;

    x = position->X;
    y = position->Y;
    visible = position->Flags.Visible;
    return same ? STATUS_SUCCESS : misbehave_driver.DxgkDdiSetPointerPosition(adapter, position);
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE_BESIDE(idle_reset, IN_DDI(RestartFromTimeout), restarts_without_interrupts, 0,
                       beside_the_restart),
    BREAKS_RULE(none, IN_DDI(Present), present_leaves_addresses, 0),
    BREAKS_RULE_BESIDE(odd_questions, IN_CALLBACK(NotifyInterrupt), fault_is_no_end, 0,
                       beside_the_fault),
    BREAKS_RULE(slow_modes, IN_DDI(CommitVidPn), commit_ends_vsyncs, 0),
    BREAKS_RULE(slow_modes, IN_DDI(ControlInterrupt2), knows_no_phase, 0),
    BREAKS_RULE(second_monitor, IN_DDI(SetPointerPosition), points_where_it_was, 0),
    BREAKS_RULE(sleep, IN_DDI(SetPowerState), power_waits_too_early, 0),
    BREAKS_RULE_BESIDE(second_start, IN_DDI(StopDevice), stop_knows_its_job, 0, beside_jobs),
    BREAKS_RULE(second_start, IN_CALLBACK(GetDeviceInformation), knows_its_resources, 0),
    BREAKS_RULE_BESIDE(hot_plug, IN_DDI(StopDevice), stop_unmaps_before_it_waits, 0,
                       beside_the_last_dpc),
    BREAKS_RULE(shut_down, IN_DDI(SetPowerState), is_not_switched_off, 0),
    BREAKS_RULE(monitor_sleep, IN_DDI(CommitVidPn), lights_nothing_new, 0),
    BREAKS_RULE(monitor_sleep, IN_DDI(CommitVidPn), lights_what_is_off, 0),
    BREAKS_RULE(late_dpcs, IN_DDI(InterruptRoutine), notes_the_last_cause, 0),
    BREAKS_RULE(sleep, IN_DDI(SetPowerState), waits_for_no_dpc, 0),
    BREAKS_RULE(sleep, IN_DDI(SetPowerState), is_looked_after_in_its_sleep, 0),
    BREAKS_RULE(sleep, IN_DDI(SetPowerState), is_looked_after_under_a_lock, 0),
    BREAKS_RULE_BESIDE(interrupt_within, IN_CALLBACK(NotifyInterrupt), counts_notices_too, 0,
                       beside_notices),
    BREAKS_RULE_BESIDE(interrupt_within, IN_CALLBACK(NotifyInterrupt), takes_off_the_list, 0,
                       beside_ends),
    BREAKS_RULE_BESIDE(interrupt_within, IN_CALLBACK(NotifyInterrupt), forgets_what_ended, 0,
                       beside_the_newest),
    BREAKS_RULE_BESIDE(interrupt_within, IN_DDI(StartDevice), leaves_it_to_a_thread, 0,
                       beside_a_thread),
    BREAKS_RULE(interrupt_within, IN_CALLBACK(NotifyInterrupt), leaves_it_to_a_dpc, 0),
    BREAKS_RULE_BESIDE(interrupt_within, IN_DDI(StopDevice), leaves_it_to_a_work_item, 0,
                       beside_a_work_item),
    BREAKS_NO_RULE_BESIDE(IN_CALLBACK(NotifyInterrupt), counts_notices_as_well, 0, beside_counting),
};

MISBEHAVIOURS(careless_races);
