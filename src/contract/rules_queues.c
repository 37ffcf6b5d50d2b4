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

/* NULL: none. */
static const struct contract_object *invalidated(const struct contract_call *call)
{
    const DXGKARGCB_INVALIDATEHWCONTEXT *request = call->arguments;

    return request ? contract_hw_context_named(call->tracker, request->hHwContext) : NULL;
}

static bool invalidates_a_context(struct contract_call *call)
{
    const DXGKARGCB_INVALIDATEHWCONTEXT *request = call->arguments;

    return !request || invalidated(call) ||
           contract_say(call,
                        "the hHwContext of a hardware context, as DxgkDdiCreateHwContext was given "
                        "it, in DxgkCbInvalidateHwContext",
                        "%p, which is none", request->hHwContext);
}

static bool is_named(const struct contract_call *call)
{
    return invalidated(call) != NULL;
}

static bool has_the_kernels_handle(struct contract_call *call)
{
    const DXGKARGCB_INVALIDATEHWCONTEXT *request = call->arguments;

    return request->hHwContext == invalidated(call)->named ||
           contract_say(call,
                        "the kernel's handle in DxgkCbInvalidateHwContext: hHwContext as "
                        "DxgkDdiCreateHwContext was given it",
                        "the driver's own handle of that hardware context");
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
    AFTER(HWQ_014, SuspendContext, STATUS_IN(STATUS_SUCCESS, STATUS_PENDING),
          LEAVES_OUT("a request that is never answered: the node is late, and reset")),
    BEFORE(HWQ_015, CbNotifyInterrupt, was_asked_for, WHEN(tells_of_a_suspension),
           STOPS(0x119, 0x11)),
    BEFORE(HWQ_022, CbNotifyInterrupt, waits_for_resume, WHEN(is_of_a_reset_engine),
           LEAVES_OUT("whether every context that was hurt is named: it should be")),
    AFTER(HWQ_022, ResetHwEngine, names_whom_it_hurt, WHEN(took_work_away), ADVISES),
    BEFORE(HWQ_022, CbInvalidateHwContext, invalidates_a_context),
    BEFORE(HWQ_022, CbInvalidateHwContext, has_the_kernels_handle, WHEN(is_named)),
    AFTER(HWQ_002, SubmitCommandToHwQueue, STATUS_IN(STATUS_SUCCESS), ADVISES),
};

const struct contract_family contract_family_queues = FAMILY_OF(rows);
