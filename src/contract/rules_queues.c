/* The driver's duties: hardware contexts, hardware queues and what is submitted to them. */
#include "contract/internal.h"
#include "contract/tracker.h"

static bool context_is_its_own(struct contract_call *call)
{
    const DXGKARG_CREATEHWCONTEXT *given = call->before, *answered = call->arguments;

    return answered->hHwContext != given->hHwContext ||
           contract_say(call, "the driver's own handle in hHwContext",
                        "hHwContext is still the kernel's handle");
}

static bool queue_is_its_own(struct contract_call *call)
{
    const DXGKARG_CREATEHWQUEUE *given = call->before, *answered = call->arguments;

    return answered->hHwQueue != given->hHwQueue ||
           contract_say(call, "the driver's own handle in hHwQueue",
                        "hHwQueue is still the kernel's handle");
}

/* ---- Suspension ------------------------------------------------------------------------------ */

static const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notice_of(const struct contract_call *call)
{
    return call->arguments;
}

static bool tells_of_a_suspension(const struct contract_call *call)
{
    return notice_of(call)->InterruptType == DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED;
}

static bool was_asked_for(struct contract_call *call)
{
    UINT64 fence = notice_of(call)->SuspendContextCompleted.ContextSuspendFence;
    const struct contract_object *context =
        contract_hw_context_named(call->tracker, notice_of(call)->SuspendContextCompleted.hContext);

    if (!context) {
        return contract_no_case(call); /* it may have ended meanwhile */
    }
    return fence <= context->last_suspend_fence ||
           contract_say(call, "a ContextSuspendFence that SuspendContext was given",
                        "%llu; the last one of the context is %llu", (unsigned long long)fence,
                        (unsigned long long)context->last_suspend_fence);
}

static struct contract_object *suspended_context(const struct contract_call *call)
{
    const DXGKARG_SUSPENDCONTEXT *suspend = call->arguments;

    return contract_object_find(call->tracker, TRACKED_HW_CONTEXT, suspend->hContext);
}

/* What has nothing to do may as well be called suspended; and what waits for its turn can be taken
 * off the list of those that run within the call. */
static bool says_that_it_rests(const struct contract_call *call)
{
    const struct contract_object *context = suspended_context(call);

    return context && call->status == STATUS_SUCCESS &&
           (context->was_suspended || !contract_queues_rest(call->tracker, context->key.handle));
}

static bool it_rested_before(struct contract_call *call)
{
    return suspended_context(call)->was_suspended ||
           contract_say(call,
                        "STATUS_PENDING, and SUSPEND_CONTEXT_COMPLETED later; STATUS_SUCCESS for a "
                        "context that is suspended already",
                        "STATUS_SUCCESS for a context that was not suspended, and that has "
                        "submissions under way");
}

/* Nothing would tell of the end of one that is pending. */
static bool resume_is_over(struct contract_call *call)
{
    return call->status == STATUS_SUCCESS || !NT_SUCCESS(call->status) ||
           contract_say(call, "STATUS_SUCCESS, or an error code", "%s", status_name(call->status));
}

static bool is_resumed(const struct contract_call *call)
{
    const DXGKARG_RESUMECONTEXT *resume = call->arguments;
    const struct contract_object *context =
        contract_object_find(call->tracker, TRACKED_HW_CONTEXT, resume->hContext);

    return context && context->suspended && !call->tracker->nodes[context->node].stands;
}

/* With RingBufferFenceRelease the driver may write the fence when it has the time for it, which is
 * in a DPC behind the notice of the suspension [HWQ-008]. */
static bool has_late_fences(const struct contract_call *call)
{
    const DXGKARG_RESUMECONTEXT *resume = call->arguments;
    const struct contract_object *context =
        contract_object_find(call->tracker, TRACKED_HW_CONTEXT, resume->hContext);

    return context && context->node < 64 &&
           (call->tracker->late_fence_nodes >> context->node & 1) != 0;
}

static bool is_resumed_with_commands_fences(const struct contract_call *call)
{
    return is_resumed(call) && !has_late_fences(call);
}

static bool is_resumed_with_late_fences(const struct contract_call *call)
{
    return is_resumed(call) && has_late_fences(call);
}

static bool it_stood_still(struct contract_call *call)
{
    const DXGKARG_RESUMECONTEXT *resume = call->arguments;
    UINT64 fence;
    const struct contract_object *queue =
        contract_queue_went_on(call->tracker, resume->hContext, &fence);

    return !queue ||
           contract_say(call, "nothing of a context run from its suspension to ResumeContext",
                        "the progress fence of one of its queues went from %llu to %llu meanwhile",
                        (unsigned long long)queue->stood_at, (unsigned long long)fence);
}

/* ---- One engine ------------------------------------------------------------------------------ */

static bool is_of_a_reset_engine(const struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = notice_of(call);
    UINT node = CONTRACT_NODES_MAX;

    if (data->InterruptType == DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED) {
        node = data->MonitoredFenceSignaled.NodeOrdinal;
    } else if (data->InterruptType == DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED) {
        node = data->HwQueuePageFaulted.NodeOrdinal;
    }
    return node < CONTRACT_NODES_MAX && call->tracker->nodes[node].waits_for_resume;
}

static bool waits_for_resume(struct contract_call *call)
{
    return contract_say(call,
                        "no notice of an engine between ResetHwEngine's return and ResumeHwEngine",
                        "type %u", (unsigned)notice_of(call)->InterruptType);
}

static bool is_fault_of_a_queue(const struct contract_call *call)
{
    return notice_of(call)->InterruptType == DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED;
}

/* What it faulted at, where that tells what is wrong with the submission, and not with its id. */
static const char *faulted_at(const struct contract_object *queue, D3DGPU_VIRTUAL_ADDRESS address)
{
    uint64_t place = queue->fence_gpu, low = place & UINT32_MAX;

    return address == place ? ", which is where the progress fence is"
           : place != low && address == low
               ? ", which is the low half of where the progress fence is: "
                 "HwQueueProgressFenceGpuVa has 64 bits"
               : "";
}

/* One of the node's, and, if that is known, a submission that was given to it. */
static bool faulted_queue_is_known(struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = notice_of(call);
    UINT node = data->HwQueuePageFaulted.NodeOrdinal;
    UINT64 fence = data->HwQueuePageFaulted.FaultedFenceId;
    D3DGPU_VIRTUAL_ADDRESS address = data->HwQueuePageFaulted.FaultedVirtualAddress;
    bool knows =
        ((UINT)data->HwQueuePageFaulted.PageFaultFlags & DXGK_PAGE_FAULT_FENCE_INVALID) == 0;
    const struct contract_object *queue =
        contract_hw_queue_named(call->tracker, data->HwQueuePageFaulted.FaultedHwQueue);

    if (!knows) {
        return contract_no_case(call);
    }
    if (!queue || queue->node != node) {
        return contract_say(call,
                            "a hardware queue of the node in FaultedHwQueue, or "
                            "DXGK_PAGE_FAULT_FENCE_INVALID",
                            "HWQUEUE_PAGE_FAULTED of node %u with FaultedHwQueue %p, %s", node,
                            data->HwQueuePageFaulted.FaultedHwQueue,
                            queue ? "a queue of another node" : "no queue that lives");
    }
    if (contract_queue_fence(queue) == UINT64_MAX) {
        return contract_no_case(call); /* its device is lost: it shows no progress any more */
    }
    return (fence <= queue->last_progress && fence > contract_queue_fence(queue)) ||
           contract_say(call, "the progress fence id of a submission that is under way",
                        "HWQUEUE_PAGE_FAULTED with FaultedFenceId %llu, at virtual address "
                        "0x%llX%s; the queue was given %llu last, and its progress fence is at "
                        "%llu",
                        (unsigned long long)fence, (unsigned long long)address,
                        faulted_at(queue, address), (unsigned long long)queue->last_progress,
                        (unsigned long long)contract_queue_fence(queue));
}

/* Of several it may not be known which one it was. */
static bool faulted_queue_is_named(struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = notice_of(call);
    UINT node = data->HwQueuePageFaulted.NodeOrdinal;
    bool knows =
        ((UINT)data->HwQueuePageFaulted.PageFaultFlags & DXGK_PAGE_FAULT_FENCE_INVALID) == 0;
    const struct contract_object *queue = contract_queue_alone(call->tracker, node);

    if (knows || !queue) {
        return contract_no_case(call);
    }
    return contract_say(call,
                        "the hardware queue in FaultedHwQueue, and its submission in "
                        "FaultedFenceId, where they can be known",
                        "HWQUEUE_PAGE_FAULTED of node %u with DXGK_PAGE_FAULT_FENCE_INVALID and "
                        "FaultedHwQueue %p, while one queue of the node alone has work: it was "
                        "given %llu last, and its progress fence is at %llu. No device is lost for "
                        "it, and its work faults again",
                        node, data->HwQueuePageFaulted.FaultedHwQueue,
                        (unsigned long long)queue->last_progress,
                        (unsigned long long)contract_queue_fence(queue));
}

/* Whatever ran there ran in a hardware queue. */
static bool is_fault_in_a_queue(const struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = notice_of(call);
    UINT node = data->DmaPageFaulted.NodeOrdinal;

    return data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED &&
           ((UINT)data->DmaPageFaulted.PageFaultFlags & DXGK_PAGE_FAULT_FENCE_INVALID) != 0 &&
           node < CONTRACT_NODES_MAX && call->tracker->nodes[node].outstanding_count == 0 &&
           contract_node_has_queued(call->tracker, node);
}

static bool is_told_of_the_queue(struct contract_call *call)
{
    return contract_say(
        call, "HWQUEUE_PAGE_FAULTED for what faults in a hardware queue",
        "DMA_PAGE_FAULTED of node %u, which has no packet, and hardware queues with "
        "submissions under way",
        notice_of(call)->DmaPageFaulted.NodeOrdinal);
}

/* By the value that CreateHwContext was given. */
static bool names_a_context(struct contract_call *call)
{
    const DXGKARGCB_INVALIDATEHWCONTEXT *request = call->arguments;
    const struct contract_object *context =
        contract_hw_context_named(call->tracker, request->hHwContext);

    return (context && context->named == request->hHwContext) ||
           contract_say(call, "in hHwContext the handle that CreateHwContext was given",
                        "hHwContext %p is %s", request->hHwContext,
                        context ? "the driver's own handle of the context"
                                : "of no hardware context that lives");
}

static const struct contract_node *node_of_reset(const struct contract_call *call)
{
    const DXGKARG_RESETHWENGINE *reset = call->before;

    return &call->tracker->nodes[reset->NodeOrdinal % CONTRACT_NODES_MAX];
}

static bool took_work_away(const struct contract_call *call)
{
    return has_succeeded(call) && node_of_reset(call)->hurt > 0;
}

static bool names_whom_it_hurt(struct contract_call *call)
{
    return node_of_reset(call)->named > 0 ||
           contract_say(call,
                        "DxgkCbInvalidateHwContext for the hardware context that hung, and for "
                        "others that the reset hurt with CollateralDamage",
                        "none was named; %u of the engine had work that was not complete",
                        node_of_reset(call)->hurt);
}

static bool fences_stay(struct contract_call *call)
{
    const struct contract_object *queue = contract_queue_went_back(call->tracker);

    return !queue || contract_say(call,
                                  "progress fences of hardware queues left alone: each keeps what "
                                  "the GPU wrote, also over a sleep and a reset",
                                  "that of queue %p went back from %llu to %llu in the call",
                                  queue->key.handle, (unsigned long long)queue->rested_at,
                                  (unsigned long long)contract_queue_fence(queue));
}

static bool has_queues(const struct contract_call *call)
{
    const struct contract_power *asked = call->extra;

    if (call->point == POINT_SetPowerState && asked->device != DISPLAY_ADAPTER_HW_ID) {
        return false; /* engines run on */
    }
    bool has = false;

    for (unsigned i = 0; i < CONTRACT_NODES_MAX && !has; i++) {
        has = contract_queue_of_node(call->tracker, i) != NULL;
    }
    return has;
}

#define FENCE_ALONE                                                                             \
    LEAVES_OUT("that the write is a buffer's last instruction, or comes when nothing uses it: " \
               "judged is that nobody writes less where no buffer runs")

static const struct contract_row rows[] = {
    AFTER(HWQ_013, SignalMonitoredFence,
          STATUS_IN(STATUS_SUCCESS, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER),
          SAYS("a write of the fence added to the buffer"),
          LEAVES_OUT("what the GPU writes and when: of paging the kernel looks at the fence")),
    AFTER(HWQ_013, SignalMonitoredFence,
          POINTER_WITHIN(DXGKARG_SIGNALMONITOREDFENCE, pDmaBuffer, DmaSize, 1)),
    AFTER(HWQ_013, SignalMonitoredFence,
          UNTOUCHED_BEHIND(DXGKARG_SIGNALMONITOREDFENCE, pDmaBuffer, DmaSize, 1)),
    AFTER(HWQ_011, CreateHwContext, context_is_its_own, WHEN(has_succeeded), ADVISES,
          LEAVES_OUT("that later calls get the driver's handle: the kernel's rules about handles "
                     "judge it")),
    AFTER(HWQ_010, CreateHwQueue, queue_is_its_own, WHEN(has_succeeded), ADVISES,
          LEAVES_OUT("native fences as progress fences, which Drydock has not got")),
    AFTER(HWQ_008, SetPowerState, fences_stay, WHEN(has_queues), FENCE_ALONE),
    AFTER(HWQ_008, RestartFromTimeout, fences_stay, WHEN(has_queues), FENCE_ALONE),
    AFTER(HWQ_014, SuspendContext, STATUS_IN(STATUS_SUCCESS, STATUS_PENDING),
          LEAVES_OUT("a request that is never answered while work of the context is on the "
                     "hardware: the node is late, and reset")),
    AFTER(HWQ_014, SuspendContext, it_rested_before, WHEN(says_that_it_rests), ADVISES),
    AFTER(HWQ_017, ResumeContext, resume_is_over,
          LEAVES_OUT("that its work runs then: it is late in time")),
    BEFORE(HWQ_014, ResumeContext, it_stood_still, WHEN(is_resumed_with_commands_fences)),
    BEFORE(HWQ_014, ResumeContext, it_stood_still, WHEN(is_resumed_with_late_fences), ADVISES),
    BEFORE(HWQ_015, CbNotifyInterrupt, was_asked_for, WHEN(tells_of_a_suspension),
           STOPS(0x119, 0x11)),
    BEFORE(HWQ_022, CbNotifyInterrupt, waits_for_resume, WHEN(is_of_a_reset_engine),
           LEAVES_OUT("whether every context that was hurt is named: it should be")),
    AFTER(HWQ_022, ResetHwEngine, names_whom_it_hurt, WHEN(took_work_away), ADVISES),
    BEFORE(INT_014, CbNotifyInterrupt, is_told_of_the_queue, WHEN(is_fault_in_a_queue)),
    BEFORE(INT_014, CbNotifyInterrupt, faulted_queue_is_known, WHEN(is_fault_of_a_queue)),
    BEFORE(INT_014, CbNotifyInterrupt, faulted_queue_is_named, WHEN(is_fault_of_a_queue), ADVISES),
    BEFORE(HWQ_022, CbInvalidateHwContext, names_a_context),
    AFTER(HWQ_002, SubmitCommandToHwQueue, STATUS_IN(STATUS_SUCCESS), ADVISES),
    AFTER(HWQ_036, SetupPriorityBands, STATUS_IN(STATUS_SUCCESS), ADVISES),
    AFTER(HWQ_036, SetContextSchedulingProperties, STATUS_IN(STATUS_SUCCESS), ADVISES),
};

const struct contract_family contract_family_queues = FAMILY_OF(rows);
