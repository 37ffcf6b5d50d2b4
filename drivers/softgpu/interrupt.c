/* interrupt.c: the interrupt routine, its DPC, and what they tell dxgkrnl.
 *
 *   device          writes the fence, sets a status bit, raises its interrupt
 *   interrupt routine (device IRQL)    dismisses it, DxgkCbNotifyInterrupt for each cause,
 *                                      DxgkCbQueueDpc
 *   DPC routine (DISPATCH_LEVEL)       DxgkCbNotifyDpc: now dxgkrnl acts on what it was told
 *
 * A fence is reported once, and never an older one after a newer (INT-005, QFENCE-002): the
 * engine remembers what it reported. State marked (isr) is touched here and in routines that run
 * through DxgkCbSynchronizeExecution, nowhere else (INT-022). */
#include "softgpu.h"

BOOLEAN softgpu_fence_newer(ULONG a, ULONG b)
{
    return (LONG)(a - b) > 0;
}

/* `interrupt_enable` mirrors the register: the device shows causes that are not enabled, too. */
void softgpu_set_interrupts(struct softgpu_adapter *adapter, ULONG set, ULONG clear)
{
    adapter->interrupt_enable = (adapter->interrupt_enable & ~clear) | set;
    softgpu_write(adapter, SOFTGPU_REG_INTERRUPT_ENABLE, adapter->interrupt_enable);
}

void softgpu_notify(struct softgpu_adapter *adapter, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    adapter->dxgk.DxgkCbNotifyInterrupt(adapter->dxgk.DeviceHandle, data);
    /* Without the DPC dxgkrnl would never look at it (INT-002). */
    (void)adapter->dxgk.DxgkCbQueueDpc(adapter->dxgk.DeviceHandle);
}

/* Reports the newest fence of a node if it was not reported yet. */
void softgpu_report_progress(struct softgpu_adapter *adapter, ULONG node)
{
    struct softgpu_engine *engine = &adapter->engines[node];
    ULONG fence = (ULONG)adapter->events->fence[node];
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;

    if (!engine->used) {
        return;
    }
    if (softgpu_fence_newer(fence, engine->last_completed)) {
        engine->last_completed = fence;
    }
    if (!softgpu_fence_newer(engine->last_completed, engine->last_reported)) {
        return;
    }
    engine->last_reported = engine->last_completed;

    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    data.DmaCompleted.SubmissionFenceId = engine->last_completed;
    data.DmaCompleted.NodeOrdinal = node;
    data.DmaCompleted.EngineOrdinal = 0;
    softgpu_notify(adapter, &data);
}

/* Tells that a preemption request was honoured (INT-008). Fences that came before it go first. */
void softgpu_report_preempted(struct softgpu_adapter *adapter, ULONG node, ULONG request)
{
    struct softgpu_engine *engine = &adapter->engines[node];
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;

    softgpu_report_progress(adapter, node);

    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
    data.DmaPreempted.PreemptionFenceId = request;
    data.DmaPreempted.LastCompletedFenceId = engine->last_completed;
    data.DmaPreempted.NodeOrdinal = node;
    data.DmaPreempted.EngineOrdinal = 0;
    softgpu_notify(adapter, &data);
}

/* If a packet was stopped in its middle, its private data keeps the place, so that the packet can
 * go on from there when it is submitted again (SUBMIT-045). */
static void remember_progress(struct softgpu_adapter *adapter, ULONG node)
{
    volatile struct softgpu_preempt_block *block = &adapter->events->preempt[node];
    struct softgpu_dma_private *private_data;

    if (block->state != SOFTGPU_PREEMPT_BROKEN) {
        return;
    }
    private_data = adapter->engines[node].slots[block->head % SOFTGPU_RING_PACKETS].private_data;
    if (private_data != NULL) {
        private_data->resume_offset = block->offset;
        private_data->resume_progress = block->progress;
        private_data->resume_valid = 1;
    }
}

BOOLEAN softgpu_is_address_fault(ULONG reason)
{
    return reason == SOFTGPU_FAULT_PAGE || reason == SOFTGPU_FAULT_READ_ONLY ||
           reason == SOFTGPU_FAULT_NO_EXECUTE || reason == SOFTGPU_FAULT_RANGE ||
           reason == SOFTGPU_FAULT_TABLE || reason == SOFTGPU_FAULT_BUS;
}

/* Of the packet that the engine stands at. One that enters a context has none of its own: it counts
 * as a part of the one behind it. */
static ULONG faulted_fence(const struct softgpu_adapter *adapter, ULONG node)
{
    const struct softgpu_engine *engine = &adapter->engines[node];
    ULONG base = SOFTGPU_ENGINE_REG(node, 0);
    ULONG head = softgpu_read(adapter, base + SOFTGPU_ENGINE_RING_HEAD) % SOFTGPU_RING_PACKETS;
    ULONG type = engine->ring[head].type_flags & SOFTGPU_PACKET_TYPE_MASK;

    return head != engine->tail && type == SOFTGPU_PACKET_CONTEXT
               ? engine->slots[head].fence
               : softgpu_read(adapter, base + SOFTGPU_ENGINE_FAULT_FENCE);
}

/* The engine stands still until it is reset. Its packet is known, so what came before has
 * completed, and so has, for the numbers, the packet itself (INT-014, INT-015). */
static void report_fault(struct softgpu_adapter *adapter, ULONG node)
{
    struct softgpu_engine *engine = &adapter->engines[node];
    ULONG base = SOFTGPU_ENGINE_REG(node, 0);
    ULONG access = softgpu_read(adapter, base + SOFTGPU_ENGINE_FAULT_ACCESS);
    ULONG reason = softgpu_read(adapter, base + SOFTGPU_ENGINE_FAULT_REASON);
    ULONG fence = faulted_fence(adapter, node);
    ULONG space = access >> 16;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;

    softgpu_report_progress(adapter, node);

    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
    data.DmaPageFaulted.NodeOrdinal = node;
    data.DmaPageFaulted.EngineOrdinal = 0;
    data.DmaPageFaulted.FaultedPrimitiveAPISequenceNumber =
        DXGK_PRIMITIVE_API_SEQUENCE_NUMBER_UNKNOWN;
    data.DmaPageFaulted.FaultedPipelineStage = DXGK_RENDER_PIPELINE_STAGE_UNKNOWN;
    data.DmaPageFaulted.FaultedBindTableEntry = DXGK_BIND_TABLE_ENTRY_UNKNOWN;
    data.DmaPageFaulted.PageFaultFlags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
    if (softgpu_fence_newer(fence, engine->last_completed)) {
        data.DmaPageFaulted.FaultedFenceId = fence;
        engine->last_completed = fence;
        engine->last_reported = fence;
        adapter->events->fence[node] = fence;
    } else { /* the ring itself was unreadable */
        data.DmaPageFaulted.PageFaultFlags |= DXGK_PAGE_FAULT_FENCE_INVALID;
    }
    if (space != 0 && softgpu_is_address_fault(reason)) {
        data.DmaPageFaulted.FaultedVirtualAddress =
            softgpu_read_pair(adapter, base + SOFTGPU_ENGINE_FAULT_ADDRESS);
        data.DmaPageFaulted.PageTableLevel = access >> 8 & 0xFF;
        data.DmaPageFaulted.FaultErrorCode.GeneralErrorCode = DXGK_GENERAL_ERROR_PAGE_FAULT;
    } else {
        data.DmaPageFaulted.FaultErrorCode.IsDeviceSpecificCode = 1;
        data.DmaPageFaulted.FaultErrorCode.DeviceSpecificCode = reason;
    }
    if ((access & SOFTGPU_ACCESS_KIND) == SOFTGPU_ACCESS_WRITE) {
        data.DmaPageFaulted.PageFaultFlags |= DXGK_PAGE_FAULT_WRITE;
    }
    if (space != 0 && space < SOFTGPU_SPACE_COUNT) {
        data.DmaPageFaulted.FaultedProcessHandle = adapter->spaces[space].process;
    }
    softgpu_notify(adapter, &data);
}

static void report_faults(struct softgpu_adapter *adapter, ULONG status)
{
    ULONG node;

    for (node = 0; node < SOFTGPU_ENGINE_COUNT; node++) {
        if (!(status & SOFTGPU_INTERRUPT_FAULT(node))) {
            continue;
        }
        if (softgpu_read(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_FAULT_QUEUE)) != 0) {
            softgpu_report_queue_fault(adapter, node);
        } else {
            report_fault(adapter, node);
        }
    }
}

static void report_vsync(struct softgpu_adapter *adapter, ULONG output)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;

    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
    data.CrtcVsync.VidPnTargetId = output;
    /* The address that is shown now; a GPU address is an address in a segment. */
    data.CrtcVsync.PhysicalAddress.QuadPart =
        (LONGLONG)softgpu_read_pair(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_CURRENT));
    if (adapter->output[output].tagged) { /* of a right image, that of its allocation */
        data.CrtcVsync.PhysicalAddress.QuadPart -=
            softgpu_read(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_CURRENT_TAG));
    }
    softgpu_notify(adapter, &data);
}

/* At device IRQL. FALSE, at once, for an interrupt that is not ours (INT-021): the line may be
 * shared. Of the callbacks only NotifyInterrupt and QueueDpc are allowed here. */
BOOLEAN NTAPI softgpu_interrupt_routine(const PVOID miniport_device_context, ULONG message_number)
{
    struct softgpu_adapter *adapter = miniport_device_context;
    ULONG status, i;

    UNREFERENCED_PARAMETER(message_number);

    if (!adapter->started && adapter->interrupt_enable == 0) {
        return FALSE;
    }
    status = softgpu_read(adapter, SOFTGPU_REG_INTERRUPT_STATUS);
    if (status == ~0u) {
        return FALSE; /* pulled out, and nobody told us yet: all registers read so */
    }
    status &= adapter->interrupt_enable;
    if (status == 0) {
        return FALSE;
    }
    /* Dismissed before the fences are read: what comes in between interrupts again. */
    softgpu_write(adapter, SOFTGPU_REG_INTERRUPT_STATUS, status);

    if (softgpu_has_addresses(&adapter->settings)) {
        report_faults(adapter, status);
    }
    /* DMA notices before those of the display (INT-003). */
    for (i = 0; i < SOFTGPU_ENGINE_COUNT; i++) {
        if (status & SOFTGPU_INTERRUPT_FENCE(i)) {
            softgpu_report_progress(adapter, i);
        }
        if (status & SOFTGPU_INTERRUPT_PREEMPTED(i)) {
            remember_progress(adapter, i);
            softgpu_report_preempted(adapter, i, adapter->events->preempt[i].done);
        }
        /* A fault has no notice of its own in WDDM 1.x: the engine stands still, and dxgkrnl's
         * timeout finds it. */
    }
    softgpu_report_queues(adapter, status);
    softgpu_report_fences(adapter, status);
    softgpu_report_notices(adapter, status);
    for (i = 0; i < adapter->output_count; i++) {
        if (status & SOFTGPU_INTERRUPT_VSYNC(i)) {
            if (softgpu_report_planes(adapter, i)) {
                continue;
            }
            report_vsync(adapter, i);
        }
    }
    if (status & SOFTGPU_INTERRUPT_HOTPLUG) {
        adapter->hotplug = 1;
        (void)adapter->dxgk.DxgkCbQueueDpc(adapter->dxgk.DeviceHandle);
    }
    return TRUE;
}

static void indicate_children(struct softgpu_adapter *adapter)
{
    DXGK_CHILD_STATUS status;
    ULONG i;

    for (i = 0; i < adapter->output_count; i++) {
        RtlZeroMemory(&status, sizeof(status));
        status.Type = StatusConnection;
        status.ChildUid = i;
        status.HotPlug.Connected =
            (softgpu_read(adapter, SOFTGPU_OUTPUT_REG(i, SOFTGPU_OUTPUT_STATUS)) &
             SOFTGPU_OUTPUT_CONNECTED) != 0;
        (void)adapter->dxgk.DxgkCbIndicateChildStatus(adapter->dxgk.DeviceHandle, &status);
    }
}

/* At DISPATCH_LEVEL, one at a time for an adapter. */
void NTAPI softgpu_dpc_routine(const PVOID miniport_device_context)
{
    struct softgpu_adapter *adapter = miniport_device_context;

    if (InterlockedExchange(&adapter->hotplug, 0) != 0) {
        indicate_children(adapter);
    }
    adapter->dxgk.DxgkCbNotifyDpc(adapter->dxgk.DeviceHandle);
}

struct control {
    struct softgpu_adapter *adapter;
    ULONG set, clear;
};

static BOOLEAN NTAPI apply_control(PVOID argument)
{
    struct control *control = argument;

    control->adapter->vsync_wanted = control->set != 0;
    softgpu_set_interrupts(control->adapter, control->set, control->clear);
    return TRUE;
}

/* Switches vsync notices; every other type has this one answer (INT-024). */
NTSTATUS NTAPI softgpu_control_interrupt(const HANDLE adapter_handle,
                                         const DXGK_INTERRUPT_TYPE type, BOOLEAN enable)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct control control = {adapter, 0, 0};
    ULONG i, bits = 0;

    PAGED_CODE();

    if (type != DXGK_INTERRUPT_CRTC_VSYNC) {
        return STATUS_NOT_IMPLEMENTED;
    }
    for (i = 0; i < adapter->output_count; i++) {
        bits |= SOFTGPU_INTERRUPT_VSYNC(i);
    }
    if (enable) {
        /* A vsync of the time before is not reported late. */
        softgpu_write(adapter, SOFTGPU_REG_INTERRUPT_STATUS, bits);
        control.set = bits;
    } else {
        control.clear = bits;
    }
    softgpu_synchronize(adapter, apply_control, &control);
    return STATUS_SUCCESS;
}

struct fence_query {
    struct softgpu_adapter *adapter;
    ULONG node;
    ULONG fence;
};

static BOOLEAN NTAPI query_fence(PVOID argument)
{
    struct fence_query *query = argument;

    softgpu_report_progress(query->adapter, query->node);
    query->fence = query->adapter->engines[query->node].last_completed;
    return TRUE;
}

/* dxgkrnl asks when it has heard nothing for long: an interrupt may have been lost. A fence that
 * was not reported is reported before this returns; one that was is not repeated (QFENCE-002). */
NTSTATUS NTAPI softgpu_query_current_fence(const HANDLE adapter_handle,
                                           DXGKARG_QUERYCURRENTFENCE *query)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct fence_query arguments = {adapter, query->NodeOrdinal, 0};

    PAGED_CODE();

    if (query->NodeOrdinal >= softgpu_node_count(adapter)) {
        return STATUS_INVALID_PARAMETER;
    }
    softgpu_synchronize(adapter, query_fence, &arguments);
    query->CurrentFence = arguments.fence;
    return STATUS_SUCCESS;
}
