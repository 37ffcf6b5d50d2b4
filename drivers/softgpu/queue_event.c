/* queue_event.c: what the GPU tells of hardware contexts and queues, in the interrupt routine.
 *
 *   USER        a buffer of some queue has ended       MONITORED_FENCE_SIGNALED
 *   SUSPENDED   some context has left the engine       SUSPEND_CONTEXT_COMPLETED
 *   LOG         the log has come to its entry          SCHEDULING_LOG_INTERRUPT
 *   FAULT       the engine stopped at a queue's entry  HWQUEUE_PAGE_FAULTED
 *
 * dxgkrnl's own handles stand in what it is told. */
#include "softgpu.h"

ULONG softgpu_queue_interrupts(const struct softgpu_adapter *adapter)
{
    ULONG node, bits = 0;

    for (node = 0; node < SOFTGPU_ENGINE_COUNT; node++) {
        if (softgpu_node_has_queues(adapter, node)) {
            bits |= SOFTGPU_INTERRUPT_USER(node) | SOFTGPU_INTERRUPT_SUSPENDED(node) |
                    SOFTGPU_INTERRUPT_LOG(node);
        }
    }
    return bits;
}

/* Which fence it was dxgkrnl sees for itself. */
static void report_signalled(struct softgpu_adapter *adapter, ULONG node)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;

    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED;
    data.MonitoredFenceSignaled.NodeOrdinal = node;
    data.MonitoredFenceSignaled.EngineOrdinal = 0;
    softgpu_notify(adapter, &data);
}

static void report_suspended(struct softgpu_adapter *adapter, struct softgpu_hw_context *context)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
    ULONGLONG fence = softgpu_read_pair(
        adapter, SOFTGPU_HWCONTEXT_REG(context->slot, SOFTGPU_HWCONTEXT_SUSPENDED));
    ULONG status =
        softgpu_read(adapter, SOFTGPU_HWCONTEXT_REG(context->slot, SOFTGPU_HWCONTEXT_STATUS));

    /* One that was resumed meanwhile has nothing to say; and each fence is told once (HWQ-015). */
    if (!(status & SOFTGPU_HWCONTEXT_IS_SUSPENDED) || fence == context->reported_fence) {
        return;
    }
    context->suspended = TRUE;
    context->reported_fence = fence;
    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED;
    data.SuspendContextCompleted.hContext = context->base.kernel_handle;
    data.SuspendContextCompleted.ContextSuspendFence = fence;
    softgpu_notify(adapter, &data);
}

static void report_suspensions(struct softgpu_adapter *adapter, ULONG node)
{
    ULONG i;

    for (i = 0; i < SOFTGPU_HWCONTEXT_COUNT; i++) {
        struct softgpu_hw_context *context = adapter->hw->contexts[i];

        if (context != NULL && context->base.node == node) {
            report_suspended(adapter, context);
        }
    }
}

static void report_log(struct softgpu_adapter *adapter, ULONG node)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;

    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_SCHEDULING_LOG_INTERRUPT;
    data.SchedulingLogInterrupt.NodeOrdinal = node;
    data.SchedulingLogInterrupt.EngineOrdinal = 0;
    softgpu_notify(adapter, &data);
}

void softgpu_report_queues(struct softgpu_adapter *adapter, ULONG status)
{
    ULONG node;

    if (adapter->hw == NULL) {
        return;
    }
    for (node = 0; node < SOFTGPU_ENGINE_COUNT; node++) {
        if (status & SOFTGPU_INTERRUPT_USER(node)) {
            report_signalled(adapter, node);
        }
        if (status & SOFTGPU_INTERRUPT_SUSPENDED(node)) {
            report_suspensions(adapter, node);
        }
        if (status & SOFTGPU_INTERRUPT_LOG(node)) {
            report_log(adapter, node);
        }
    }
}

/* The engine stands still until it is reset. The queue and its submission are known. */
void softgpu_report_queue_fault(struct softgpu_adapter *adapter, ULONG node)
{
    ULONG base = SOFTGPU_ENGINE_REG(node, 0);
    ULONG number = softgpu_read(adapter, base + SOFTGPU_ENGINE_FAULT_QUEUE);
    ULONG access = softgpu_read(adapter, base + SOFTGPU_ENGINE_FAULT_ACCESS);
    ULONG reason = softgpu_read(adapter, base + SOFTGPU_ENGINE_FAULT_REASON);
    const struct softgpu_hw_queue *queue = NULL;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;

    if (number != 0 && number <= SOFTGPU_HWQUEUE_COUNT) {
        queue = adapter->hw->queues[number - 1];
    }
    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED;
    data.HwQueuePageFaulted.NodeOrdinal = node;
    data.HwQueuePageFaulted.EngineOrdinal = 0;
    data.HwQueuePageFaulted.FaultedPrimitiveAPISequenceNumber =
        DXGK_PRIMITIVE_API_SEQUENCE_NUMBER_UNKNOWN;
    data.HwQueuePageFaulted.FaultedPipelineStage = DXGK_RENDER_PIPELINE_STAGE_UNKNOWN;
    data.HwQueuePageFaulted.FaultedBindTableEntry = DXGK_BIND_TABLE_ENTRY_UNKNOWN;
    data.HwQueuePageFaulted.PageFaultFlags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
    if (queue != NULL) {
        data.HwQueuePageFaulted.FaultedHwQueue = queue->kernel_handle;
        data.HwQueuePageFaulted.FaultedFenceId =
            softgpu_read_pair(adapter, base + SOFTGPU_ENGINE_FAULT_FENCE);
    } else {
        data.HwQueuePageFaulted.PageFaultFlags |= DXGK_PAGE_FAULT_FENCE_INVALID;
    }
    if (softgpu_is_address_fault(reason)) {
        data.HwQueuePageFaulted.FaultedVirtualAddress =
            softgpu_read_pair(adapter, base + SOFTGPU_ENGINE_FAULT_ADDRESS);
        data.HwQueuePageFaulted.PageTableLevel = access >> 8 & 0xFF;
        data.HwQueuePageFaulted.FaultErrorCode.GeneralErrorCode = DXGK_GENERAL_ERROR_PAGE_FAULT;
    } else {
        data.HwQueuePageFaulted.FaultErrorCode.IsDeviceSpecificCode = 1;
        data.HwQueuePageFaulted.FaultErrorCode.DeviceSpecificCode = reason;
    }
    if ((access & SOFTGPU_ACCESS_KIND) == SOFTGPU_ACCESS_WRITE) {
        data.HwQueuePageFaulted.PageFaultFlags |= DXGK_PAGE_FAULT_WRITE;
    }
    softgpu_notify(adapter, &data);
}
