/* preempt.c: requests to stop an engine answered wrongly. */
#include "misbehave.h"

static NTSTATUS NTAPI preempt_fails(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *preempt)
{
    (void)misbehave_driver.DxgkDdiPreemptCommand(adapter, preempt);
    return STATUS_UNSUCCESSFUL;
}

/* With LowIrqlPreemptCommand it may. */
static NTSTATUS NTAPI preempt_waits(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *preempt)
{
    LARGE_INTEGER moment = {.QuadPart = -10};

    PAGED_CODE();
    (void)KeDelayExecutionThread(KernelMode, FALSE, &moment);
    return misbehave_driver.DxgkDdiPreemptCommand(adapter, preempt);
}

/* The engine runs on until it is idle, and nobody ever answers. */
static NTSTATUS NTAPI preempt_forgotten(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *preempt)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(preempt);
    return STATUS_SUCCESS;
}

/* Where the device stopped is not remembered: the packet begins anew. */
static NTSTATUS NTAPI resumes_at_the_start(const HANDLE adapter,
                                           const DXGKARG_SUBMITCOMMAND *submit)
{
    struct softgpu_dma_private *private_data = submit->pDmaBufferPrivateData;

    if (private_data != NULL && !submit->Flags.Paging) {
        private_data->resume_valid = 0;
    }
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

/* Nothing to do, so nothing is told. */
static NTSTATUS NTAPI null_context_forgotten(const HANDLE adapter,
                                             const DXGKARG_SUBMITCOMMAND *submit)
{
    return submit->Flags.ContextSwitch ? STATUS_SUCCESS
                                       : misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

static BOOLEAN is_acknowledgement(const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    return data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED;
}

static VOID NTAPI acknowledged_twice(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
    if (is_acknowledgement(data)) {
        misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
    }
}

static VOID NTAPI another_request(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (is_acknowledgement(data)) {
        data->DmaPreempted.PreemptionFenceId += 1000;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

static VOID NTAPI another_node(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (is_acknowledgement(data)) {
        data->DmaPreempted.NodeOrdinal = 2;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

static VOID NTAPI completed_too_much(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (is_acknowledgement(data)) {
        data->DmaPreempted.LastCompletedFenceId += 50;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* The packet that was broken off is reported as complete behind it. */
static VOID NTAPI preempted_and_complete(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA completed;

    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
    if (is_acknowledgement(data)) {
        RtlZeroMemory(&completed, sizeof(completed));
        completed.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
        completed.DmaCompleted.SubmissionFenceId = data->DmaPreempted.LastCompletedFenceId + 1;
        completed.DmaCompleted.NodeOrdinal = data->DmaPreempted.NodeOrdinal;
        misbehave_kernel.DxgkCbNotifyInterrupt(device, &completed);
    }
}

/* The id of the request is reported as if it were a packet's. */
static VOID NTAPI request_as_fence(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    static ULONG request;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA completed = *data;

    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED && request != 0 &&
        data->DmaCompleted.NodeOrdinal == 0 &&
        softgpu_fence_newer(data->DmaCompleted.SubmissionFenceId, request)) {
        completed.DmaCompleted.SubmissionFenceId = request;
        request = 0;
        misbehave_kernel.DxgkCbNotifyInterrupt(device, &completed);
    }
    if (is_acknowledgement(data)) {
        request = data->DmaPreempted.PreemptionFenceId;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(SUBMIT_045, IN_DDI(SubmitCommand), resumes_at_the_start, SCENE_RESULTS),
    BREAKS_RULE(SUBMIT_042, IN_DDI(SubmitCommand), null_context_forgotten,
                SCENE_STATES | SCENE_MORE_RULES),
    BREAKS_RULE(PREEMPT_002, IN_DDI(PreemptCommand), preempt_fails, SCENE_PREEMPT),
    BREAKS_NO_RULE(IN_DDI(PreemptCommand), preempt_waits, SCENE_PREEMPT | SCENE_VIRTUAL),
    BREAKS_RULE(PREEMPT_003, IN_CALLBACK(NotifyInterrupt), acknowledged_twice, SCENE_PREEMPT),
    BREAKS_RULE(PREEMPT_004, IN_DDI(PreemptCommand), preempt_forgotten, SCENE_PREEMPT),
    BREAKS_RULE(PREEMPT_004, IN_DDI(PreemptCommand), preempt_forgotten, SCENE_PREEMPT | SCENE_HANG),
    BREAKS_RULE(PREEMPT_005, IN_CALLBACK(NotifyInterrupt), another_request, SCENE_PREEMPT),
    BREAKS_RULE(PREEMPT_006, IN_CALLBACK(NotifyInterrupt), another_node, SCENE_PREEMPT),
    BREAKS_RULE(PREEMPT_009, IN_CALLBACK(NotifyInterrupt), preempted_and_complete, SCENE_PREEMPT),
    BREAKS_RULE(INT_008, IN_CALLBACK(NotifyInterrupt), completed_too_much, SCENE_PREEMPT),
    BREAKS_RULE(SUBMIT_031, IN_CALLBACK(NotifyInterrupt), request_as_fence, SCENE_PREEMPT),
};

MISBEHAVIOURS(preempt);
