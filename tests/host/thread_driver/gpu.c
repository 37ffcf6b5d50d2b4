/* The GPU: a thread that runs submissions in order, and how it is started, stopped and preempted.
 */
#include "thread_driver.h"

static KSTART_ROUTINE gpu_thread;
static KSYNCHRONIZE_ROUTINE notify;

/* ---- Reporting ----------------------------------------------------------------------------- */

/* At the interrupt's IRQL. */
static BOOLEAN NTAPI notify(PVOID context)
{
    struct thread_adapter *adapter = context;

    adapter->dxgk.DxgkCbNotifyInterrupt(adapter->dxgk.DeviceHandle, &adapter->notice);
    return adapter->dxgk.DxgkCbQueueDpc(adapter->dxgk.DeviceHandle);
}

static void report(struct thread_adapter *adapter)
{
    BOOLEAN queued;

    adapter->dxgk.DxgkCbSynchronizeExecution(adapter->dxgk.DeviceHandle, notify, adapter, 0,
                                             &queued);
}

static void report_completed(struct thread_adapter *adapter, UINT fence)
{
    RtlZeroMemory(&adapter->notice, sizeof(adapter->notice));
    adapter->notice.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    adapter->notice.DmaCompleted.SubmissionFenceId = fence;
    adapter->last_completed = fence;
    report(adapter);
}

static void drop_queue(struct thread_adapter *adapter)
{
    KIRQL old_irql;

    KeAcquireSpinLock(&adapter->lock, &old_irql);
    while (!IsListEmpty(&adapter->queue)) {
        InsertTailList(&adapter->free, RemoveHeadList(&adapter->queue));
    }
    KeReleaseSpinLock(&adapter->lock, old_irql);
}

/* What was not begun comes again. */
static void report_preempted(struct thread_adapter *adapter)
{
    drop_queue(adapter);
    RtlZeroMemory(&adapter->notice, sizeof(adapter->notice));
    adapter->notice.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
    adapter->notice.DmaPreempted.PreemptionFenceId = adapter->preemption.PreemptionFenceId;
    adapter->notice.DmaPreempted.LastCompletedFenceId = adapter->last_completed;
    adapter->notice.DmaPreempted.NodeOrdinal = adapter->preemption.NodeOrdinal;
    report(adapter);
}

/* ---- Running ------------------------------------------------------------------------------- */

static UCHAR *paging_side(struct thread_adapter *adapter,
                          const struct thread_paging_command *command, unsigned side, UCHAR *mapped)
{
    return command->segments[side] ? adapter->memory + command->addresses[side]
                                   : mapped + (SIZE_T)command->mdl_offset * PAGE_SIZE;
}

static void run_paging_command(struct thread_adapter *adapter,
                               const struct thread_paging_command *command)
{
    BOOLEAN was_mapped;
    UCHAR *mapped = NULL;
    SIZE_T i;

    if (command->fill) {
        for (i = 0; i < command->size; i += sizeof(ULONG)) {
            *(ULONG *)(void *)(adapter->memory + command->addresses[1] + i) = command->pattern;
        }
        return;
    }
    was_mapped = command->mdl && (command->mdl->MdlFlags & MDL_MAPPED_TO_SYSTEM_VA);
    if (command->mdl) {
        mapped = MmGetSystemAddressForMdlSafe(command->mdl, HighPagePriority);
        if (!mapped) {
            return;
        }
    }
    RtlCopyMemory(paging_side(adapter, command, 1, mapped),
                  paging_side(adapter, command, 0, mapped), command->size);
    if (command->mdl && !was_mapped) {
        MmUnmapLockedPages(mapped, command->mdl);
    }
}

/* False: a preemption came while it worked. */
static BOOLEAN run_command(struct thread_adapter *adapter, struct thread_dma *dma,
                           const struct thread_command *command)
{
    LARGE_INTEGER timeout, begin;

    if (command->opcode == THREAD_COPY) {
        RtlMoveMemory(adapter->memory + command->destination, adapter->memory + command->source,
                      command->amount);
        return TRUE;
    }
    if (dma->time_left == 0) {
        dma->time_left = command->amount * 10000ull;
    }
    begin.QuadPart = (LONGLONG)KeQueryInterruptTime();
    timeout.QuadPart = -(LONGLONG)dma->time_left;
    if (KeWaitForSingleObject(&adapter->preempt, Executive, KernelMode, FALSE, &timeout) ==
        STATUS_TIMEOUT) {
        dma->time_left = 0;
        return TRUE;
    }
    ULONGLONG worked = KeQueryInterruptTime() - (ULONGLONG)begin.QuadPart;
    dma->time_left = worked < dma->time_left ? dma->time_left - worked : 1;
    return FALSE;
}

/* False: it was preempted and is to come again. */
static BOOLEAN run(struct thread_adapter *adapter, const struct thread_submission *submission)
{
    struct thread_dma *dma = submission->dma;
    const UCHAR *at = dma->bytes + submission->start;
    const UCHAR *end = dma->bytes + submission->end;

    if (dma->paging) {
        for (; at < end; at += sizeof(struct thread_paging_command)) {
            run_paging_command(adapter, (const void *)at);
        }
        return TRUE;
    }
    for (at += dma->command * sizeof(struct thread_command); at < end;
         at += sizeof(struct thread_command)) {
        if (!run_command(adapter, dma, (const void *)at)) {
            return FALSE;
        }
        dma->command++;
    }
    dma->command = 0;
    return TRUE;
}

static void run_queue(struct thread_adapter *adapter)
{
    PLIST_ENTRY link;

    while ((link = ExInterlockedRemoveHeadList(&adapter->queue, &adapter->lock)) != NULL) {
        struct thread_submission *submission =
            CONTAINING_RECORD(link, struct thread_submission, link);
        UINT fence = submission->fence;
        BOOLEAN done = run(adapter, submission);
        ExInterlockedInsertTailList(&adapter->free, &submission->link, &adapter->lock);
        if (!done) {
            report_preempted(adapter);
            return;
        }
        report_completed(adapter, fence);
    }
}

static void NTAPI gpu_thread(PVOID context)
{
    struct thread_adapter *adapter = context;
    PVOID events[] = {&adapter->work, &adapter->preempt};

    for (;;) {
        NTSTATUS status =
            KeWaitForMultipleObjects(2, events, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
        if (status == STATUS_WAIT_1) {
            report_preempted(adapter);
        } else if (adapter->stop) {
            PsTerminateSystemThread(STATUS_SUCCESS);
        } else {
            run_queue(adapter);
        }
    }
}

/* ---- From the kernel ----------------------------------------------------------------------- */

NTSTATUS NTAPI thread_submit_command(const HANDLE handle, const DXGKARG_SUBMITCOMMAND *submit)
{
    struct thread_adapter *adapter = handle;
    struct thread_submission *submission;
    KIRQL old_irql;

    KeAcquireSpinLock(&adapter->lock, &old_irql);
    NT_ASSERT(!IsListEmpty(&adapter->free));
    submission = CONTAINING_RECORD(RemoveHeadList(&adapter->free), struct thread_submission, link);
    submission->dma = submit->pDmaBufferPrivateData;
    submission->start = submit->DmaBufferSubmissionStartOffset;
    submission->end = submit->DmaBufferSubmissionEndOffset;
    submission->fence = submit->SubmissionFenceId;
    InsertTailList(&adapter->queue, &submission->link);
    KeReleaseSpinLock(&adapter->lock, old_irql);
    KeSetEvent(&adapter->work, 0, FALSE);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI thread_preempt_command(const HANDLE handle, const DXGKARG_PREEMPTCOMMAND *preempt)
{
    struct thread_adapter *adapter = handle;

    adapter->preemption = *preempt;
    KeSetEvent(&adapter->preempt, 0, FALSE);
    return STATUS_SUCCESS;
}

NTSTATUS thread_gpu_start(struct thread_adapter *adapter)
{
    OBJECT_ATTRIBUTES attributes;
    HANDLE thread;
    NTSTATUS status;
    unsigned i;

    KeInitializeEvent(&adapter->work, SynchronizationEvent, FALSE);
    KeInitializeEvent(&adapter->preempt, SynchronizationEvent, FALSE);
    KeInitializeSpinLock(&adapter->lock);
    InitializeListHead(&adapter->queue);
    InitializeListHead(&adapter->free);
    for (i = 0; i < THREAD_QUEUE_SIZE; i++) {
        InsertTailList(&adapter->free, &adapter->submissions[i].link);
    }
    InitializeObjectAttributes(&attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
    status = PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, &attributes, NULL, NULL, gpu_thread,
                                  adapter);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    status = ObReferenceObjectByHandle(thread, THREAD_ALL_ACCESS, *PsThreadType, KernelMode,
                                       &adapter->thread, NULL);
    ZwClose(thread);
    return status;
}

void thread_gpu_stop(struct thread_adapter *adapter)
{
    adapter->stop = TRUE;
    KeSetEvent(&adapter->work, 0, FALSE);
    KeWaitForSingleObject(adapter->thread, Executive, KernelMode, FALSE, NULL);
    ObDereferenceObject(adapter->thread);
}
