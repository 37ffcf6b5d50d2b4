/* Rules of interrupts: NotifyInterrupt, NotifyDpc, the service routine and its DPC. */
#include "contract/internal.h"
#include "contract/old_fence.h"
#include "machine/machine.h"

#include <stdio.h>

static const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notice_of(const struct contract_call *call)
{
    return call->arguments;
}

/* ---- Any notice ------------------------------------------------------------------------------ */

static bool at_device_level(struct contract_call *call)
{
    if (call->irql < MACHINE_IRQL_DEVICE_FIRST) {
        return contract_say(call, "DxgkCbNotifyInterrupt at device IRQL",
                            "it was called at IRQL %u, outside of the interrupt routine and of "
                            "DxgkCbSynchronizeExecution, with InterruptType %d",
                            call->irql, (int)notice_of(call)->InterruptType);
    }
    return call->tracker->interrupt.notice_depth == 0 ||
           contract_say(call, "one notice at a time", "a notice inside another notice");
}

static bool type_exists(struct contract_call *call)
{
    DXGK_INTERRUPT_TYPE type = notice_of(call)->InterruptType;

    if (type == DXGK_INTERRUPT_DMA_FAULTED) {
        return contract_say(call, "an interrupt type for drivers",
                            "InterruptType 4, DXGK_INTERRUPT_DMA_FAULTED, of fence %u: reserved",
                            notice_of(call)->DmaFaulted.FaultedFenceId);
    }
    return abi_has_interrupt(type, call->tracker->features.version) ||
           contract_say(call, "an interrupt type of the registered version",
                        "InterruptType %u with interface version 0x%X", (unsigned)type,
                        call->tracker->interface_version);
}

/* Node and engine of a notice about an engine; false if it is about none. */
static bool engine_of(const struct contract_call *call, UINT *node, UINT *engine)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = notice_of(call);

    switch (data->InterruptType) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
        *node = data->DmaCompleted.NodeOrdinal;
        *engine = data->DmaCompleted.EngineOrdinal;
        return true;
    case DXGK_INTERRUPT_DMA_PREEMPTED:
        *node = data->DmaPreempted.NodeOrdinal;
        *engine = data->DmaPreempted.EngineOrdinal;
        return true;
    case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
        *node = data->DmaPageFaulted.NodeOrdinal;
        *engine = data->DmaPageFaulted.EngineOrdinal;
        return true;
    default:
        return false;
    }
}

/* Of those that tell of an engine. */
static const char *name_of(DXGK_INTERRUPT_TYPE type)
{
    return type == DXGK_INTERRUPT_DMA_COMPLETED   ? "DMA_COMPLETED"
           : type == DXGK_INTERRUPT_DMA_PREEMPTED ? "DMA_PREEMPTED"
                                                  : "DMA_PAGE_FAULTED";
}

static bool is_about_an_engine(const struct contract_call *call)
{
    UINT node, engine;

    return engine_of(call, &node, &engine);
}

static bool engine_exists(struct contract_call *call)
{
    UINT node = 0, engine = 0;

    engine_of(call, &node, &engine);
    return (node < call->tracker->node_count && engine == 0) ||
           contract_say(call, "NodeOrdinal of a node of the adapter, and EngineOrdinal 0",
                        "%s with NodeOrdinal %u of %u nodes and EngineOrdinal %u",
                        name_of(notice_of(call)->InterruptType), node, call->tracker->node_count,
                        engine);
}

/* The node of a notice of this type, or NULL if there is no such node [INT-009]. */
static struct contract_node *node_of(const struct contract_call *call, DXGK_INTERRUPT_TYPE type)
{
    UINT node, engine;

    return notice_of(call)->InterruptType == type && engine_of(call, &node, &engine) &&
                   node < call->tracker->node_count && node < CONTRACT_NODES_MAX
               ? &call->tracker->nodes[node]
               : NULL;
}

/* ---- Completion ------------------------------------------------------------------------------ */

static bool completes(const struct contract_call *call)
{
    return node_of(call, DXGK_INTERRUPT_DMA_COMPLETED) != NULL;
}

static bool is_in(const struct contract_packet *packets, unsigned count, uint32_t fence)
{
    for (unsigned i = 0; i < count; i++) {
        if (packets[i].fence == fence) {
            return true;
        }
    }
    return false;
}

/* The node that has the packet, if one of the others has. */
static const char *whose_it_is(const struct contract_tracker *tracker, uint32_t fence, char *text,
                               size_t size)
{
    for (unsigned i = 0; i < tracker->node_count && i < CONTRACT_NODES_MAX; i++) {
        const struct contract_node *node = &tracker->nodes[i];
        if (is_in(node->outstanding, node->outstanding_count, fence)) {
            snprintf(text, size, "; the packet with it was given to node %u", i);
            return text;
        }
    }
    return "";
}

static bool fence_is_plausible(struct contract_call *call)
{
    const struct contract_node *node = node_of(call, DXGK_INTERRUPT_DMA_COMPLETED);
    uint32_t fence = notice_of(call)->DmaCompleted.SubmissionFenceId;
    char text[64];

    if (is_in(node->preempted, node->preempted_count, fence)) {
        return true;
    }
    if (!node->submitted_any) {
        return contract_say(call, "a fence that was submitted",
                            "DmaCompleted.SubmissionFenceId is %u, of node %u, which was given "
                            "nothing",
                            fence, notice_of(call)->DmaCompleted.NodeOrdinal);
    }
    if (contract_fence_difference(fence, node->last_submitted) > 0) {
        return contract_say(call, "a fence that was submitted",
                            "DmaCompleted.SubmissionFenceId is %u, of node %u; its newest "
                            "submission was %u%s",
                            fence, notice_of(call)->DmaCompleted.NodeOrdinal, node->last_submitted,
                            whose_it_is(call->tracker, fence, text, sizeof text));
    }
    if (!node->reported_any || contract_fence_difference(fence, node->last_reported) >= 0) {
        return true;
    }
    const char *whose = whose_it_is(call->tracker, fence, text, sizeof text);
    return contract_say(call, "a fence not older than the last report",
                        "DmaCompleted.SubmissionFenceId is %u, of node %u, which had reported %u%s",
                        fence, notice_of(call)->DmaCompleted.NodeOrdinal, node->last_reported,
                        *whose ? whose : contract_reset_text(node, fence));
}

/* An id between two that were given, but none of them. */
static bool fence_was_given(struct contract_call *call)
{
    const struct contract_node *node = node_of(call, DXGK_INTERRUPT_DMA_COMPLETED);
    uint32_t fence = notice_of(call)->DmaCompleted.SubmissionFenceId;

    return (node->reported_any && fence == node->last_reported) ||
           node->outstanding_count == CONTRACT_OUTSTANDING_MAX ||
           is_in(node->outstanding, node->outstanding_count, fence) ||
           is_in(node->preempted, node->preempted_count, fence) ||
           contract_say(
               call, "the id of a packet that is on the node",
               "fence %u, which no packet on the node has%s", fence,
               node->preempt_ns && fence == node->preempt_id
                   ? "; it is the PreemptionFenceId that PreemptCommand was given, which is "
                     "told by DMA_PREEMPTED alone"
                   : "");
}

static bool preempted_packets_rest(struct contract_call *call)
{
    const struct contract_node *node = node_of(call, DXGK_INTERRUPT_DMA_COMPLETED);
    uint32_t fence = notice_of(call)->DmaCompleted.SubmissionFenceId;

    if (node->preempted_count == 0) {
        return contract_no_case(call);
    }
    return !is_in(node->preempted, node->preempted_count, fence) ||
           contract_say(call, "no completion of a preempted packet before it is submitted again",
                        "fence %u was reported as preempted and is now complete", fence);
}

/* ---- Preemption ------------------------------------------------------------------------------ */

static bool preempts(const struct contract_call *call)
{
    return node_of(call, DXGK_INTERRUPT_DMA_PREEMPTED) != NULL;
}

static bool answers_a_request(const struct contract_call *call)
{
    const struct contract_node *node = node_of(call, DXGK_INTERRUPT_DMA_PREEMPTED);

    return node && node->preempt_pending;
}

/* The driver may have said that it has more. */
static unsigned nodes_followed(const struct contract_call *call)
{
    unsigned count = call->tracker->node_count;

    return count < CONTRACT_NODES_MAX ? count : CONTRACT_NODES_MAX;
}

/* Another node waits for this very request. */
static bool preempted_node_was_asked(struct contract_call *call)
{
    const struct contract_node *node = node_of(call, DXGK_INTERRUPT_DMA_PREEMPTED);
    uint32_t id = notice_of(call)->DmaPreempted.PreemptionFenceId;

    if (call->tracker->node_count == 1) {
        return contract_no_case(call);
    }
    for (unsigned i = 0; !node->preempt_pending && i < nodes_followed(call); i++) {
        if (call->tracker->nodes[i].preempt_pending && call->tracker->nodes[i].preempt_id == id) {
            return contract_say(call, "the acknowledgement of the node that was asked",
                                "request %u was for node %u; node %u acknowledged", id, i,
                                notice_of(call)->DmaPreempted.NodeOrdinal);
        }
    }
    return true;
}

static bool acknowledged_once(struct contract_call *call)
{
    const struct contract_node *node = node_of(call, DXGK_INTERRUPT_DMA_PREEMPTED);
    uint32_t id = notice_of(call)->DmaPreempted.PreemptionFenceId;

    for (unsigned i = 0; i < nodes_followed(call); i++) {
        if (call->tracker->nodes[i].preempt_pending && call->tracker->nodes[i].preempt_id == id) {
            return true; /* of another node [PREEMPT-006] */
        }
    }
    return node->preempt_pending ||
           contract_say(call, "one DMA_PREEMPTED for each request",
                        "an acknowledgement of request %u with no request pending", id);
}

static bool request_id_comes_back(struct contract_call *call)
{
    const struct contract_node *node = node_of(call, DXGK_INTERRUPT_DMA_PREEMPTED);
    uint32_t id = notice_of(call)->DmaPreempted.PreemptionFenceId;

    return node->preempt_id == id ||
           contract_say(call, "the PreemptionFenceId of the request",
                        "DmaPreempted.PreemptionFenceId is %u, of node "
                        "%u, which was asked to stop with %u",
                        id, notice_of(call)->DmaPreempted.NodeOrdinal, node->preempt_id);
}

/* After a reset of the adapter the last one that was submitted counts, also if it was preempted
 * before [TDR-004]; until another is reported. */
static bool is_of_a_reset(const struct contract_node *node, uint32_t fence)
{
    return node->any_aborted && contract_fence_difference(fence, node->last_reported) >= 0 &&
           contract_fence_difference(node->aborted, fence) >= 0;
}

/* Told without a DMA_COMPLETED: by an earlier DMA_PREEMPTED, or as what faulted [INT-015]. */
static bool was_told_otherwise(const struct contract_node *node, uint32_t fence)
{
    return (node->has_claimed && fence == node->claimed) ||
           (node->any_faulted && fence == node->faulted &&
            contract_fence_difference(fence, node->last_reported) > 0);
}

static bool last_completed_is_right(struct contract_call *call)
{
    const struct contract_node *node = node_of(call, DXGK_INTERRUPT_DMA_PREEMPTED);
    uint32_t last = notice_of(call)->DmaPreempted.LastCompletedFenceId;

    if (!node->reported_any || last == node->last_reported || is_of_a_reset(node, last) ||
        was_told_otherwise(node, last) || is_in(node->outstanding, node->outstanding_count, last)) {
        return true;
    }
    return contract_say(call, "the last fence that the node completed",
                        "LastCompletedFenceId %u; the last report was %u", last,
                        node->last_reported);
}

static bool refusal_is_due(const struct contract_call *call)
{
    if (!answers_a_request(call)) {
        return false;
    }
    const struct contract_node *node = node_of(call, DXGK_INTERRUPT_DMA_PREEMPTED);
    return node->reported_any && contract_refusal_is_due(node, node->preempt_ns);
}

static bool refusal_is_counted(struct contract_call *call)
{
    uint32_t refused = node_of(call, DXGK_INTERRUPT_DMA_PREEMPTED)->refused;
    uint32_t last = notice_of(call)->DmaPreempted.LastCompletedFenceId;

    return contract_fence_difference(last, refused) >= 0 ||
           contract_say(call,
                        "a submission that was refused counted as complete, as soon as those "
                        "before it are",
                        "LastCompletedFenceId %u; SubmitCommandVirtual refused the submission of "
                        "fence %u, and all before it is complete",
                        last, refused);
}

/* ---- An engine that was reset alone ---------------------------------------------------------- */

static bool is_about_a_resting_engine(const struct contract_call *call)
{
    UINT node, engine;

    return engine_of(call, &node, &engine) && node < call->tracker->node_count &&
           node < CONTRACT_NODES_MAX && call->tracker->nodes[node].rests;
}

/* That the aborted packet counts as complete may be told. */
static bool engine_rests(struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = notice_of(call);
    DXGK_INTERRUPT_TYPE type = data->InterruptType;
    UINT node = 0, engine = 0;

    engine_of(call, &node, &engine);
    if (type == DXGK_INTERRUPT_DMA_COMPLETED &&
        data->DmaCompleted.SubmissionFenceId == call->tracker->nodes[node].aborted) {
        return true;
    }
    return contract_say(call, "no notice of an engine that was reset and given nothing since",
                        "%s of node %u after ResetEngine, with fence %u", name_of(type), node,
                        type == DXGK_INTERRUPT_DMA_COMPLETED ? data->DmaCompleted.SubmissionFenceId
                        : type == DXGK_INTERRUPT_DMA_PREEMPTED
                            ? data->DmaPreempted.LastCompletedFenceId
                            : data->DmaPageFaulted.FaultedFenceId);
}

/* ---- Page faults ----------------------------------------------------------------------------- */

static bool is_unknown_fault(const struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = notice_of(call);

    return data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED &&
           ((UINT)data->DmaPageFaulted.PageFaultFlags & DXGK_PAGE_FAULT_FENCE_INVALID) != 0;
}

static bool fault_is_consistent(struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = notice_of(call);
    UINT flags = (UINT)data->DmaPageFaulted.PageFaultFlags;
    UINT fatal = DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED |
                 DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR;

    return (flags & fatal) ||
           contract_say(
               call, "a reset flag with FENCE_INVALID",
               "DmaPageFaulted.PageFaultFlags is 0x%X: DXGK_PAGE_FAULT_FENCE_INVALID, and none "
               "of those that ask for a reset",
               flags);
}

static bool is_known_fault(const struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = notice_of(call);

    return node_of(call, DXGK_INTERRUPT_DMA_PAGE_FAULTED) != NULL &&
           ((UINT)data->DmaPageFaulted.PageFaultFlags & DXGK_PAGE_FAULT_FENCE_INVALID) == 0;
}

/* It may have been stopped, or told to be complete, a moment ago. */
static bool faulted_fence_was_given(struct contract_call *call)
{
    const struct contract_node *node = node_of(call, DXGK_INTERRUPT_DMA_PAGE_FAULTED);
    uint32_t fence = notice_of(call)->DmaPageFaulted.FaultedFenceId;
    const char *ended = contract_reset_text(node, fence);

    return is_in(node->outstanding, node->outstanding_count, fence) ||
           is_in(node->preempted, node->preempted_count, fence) ||
           node->outstanding_count == CONTRACT_OUTSTANDING_MAX ||
           (node->reported_any && fence == node->last_reported && !*ended) ||
           contract_say(
               call, "the fence of a packet that is on the node, or DXGK_PAGE_FAULT_FENCE_INVALID",
               "DMA_PAGE_FAULTED of node %u with FaultedFenceId %u, which no packet on the "
               "node has%s%s",
               notice_of(call)->DmaPageFaulted.NodeOrdinal, fence, ended,
               contract_queue_of_node(call->tracker, notice_of(call)->DmaPageFaulted.NodeOrdinal)
                   ? "; what faults in a hardware queue is told by HWQUEUE_PAGE_FAULTED"
                   : "");
}

/* What is complete has run to its end. A driver that tells both of one packet means the fault. */
static bool faulted_fence_is_open(struct contract_call *call)
{
    const struct contract_node *node = node_of(call, DXGK_INTERRUPT_DMA_PAGE_FAULTED);
    uint32_t fence = notice_of(call)->DmaPageFaulted.FaultedFenceId;

    return !node->reported_any || fence != node->last_reported ||
           is_in(node->outstanding, node->outstanding_count, fence) ||
           is_in(node->preempted, node->preempted_count, fence) ||
           contract_say(call, "the fence of the packet that faulted, which is not complete",
                        "DMA_PAGE_FAULTED of node %u with FaultedFenceId %u, which was told as "
                        "complete before: the packet that the engine stands at comes behind it",
                        notice_of(call)->DmaPageFaulted.NodeOrdinal, fence);
}

static bool is_page_fault(const struct contract_call *call)
{
    return notice_of(call)->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED;
}

/* The kernel's handle of a process that lives, or NULL where the driver cannot tell. */
static bool fault_names_a_process(struct contract_call *call)
{
    HANDLE told = notice_of(call)->DmaPageFaulted.FaultedProcessHandle;
    const struct contract_object *object, *next;
    bool is_own = false;

    HASH_ITER(hh, call->tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_PROCESS && (object->mixed_up || object->named == told)) {
            return true;
        }
        is_own |= object->key.kind == TRACKED_PROCESS && object->key.handle == told;
    }
    return !told ||
           contract_say(call, "FaultedProcessHandle as hDxgkProcess of CreateProcess, or NULL",
                        "DmaPageFaulted.FaultedProcessHandle is %s",
                        is_own ? "hKmdProcess, the driver's own handle"
                               : "no handle of a process that lives");
}

static bool fault_is_of_a_stage(struct contract_call *call)
{
    int stage = (int)notice_of(call)->DmaPageFaulted.FaultedPipelineStage;

    return (stage >= DXGK_RENDER_PIPELINE_STAGE_UNKNOWN &&
            stage <= DXGK_RENDER_PIPELINE_STAGE_OUTPUT_MERGER) ||
           contract_say(call, "a stage of DXGK_RENDER_PIPELINE_STAGE",
                        "DmaPageFaulted.FaultedPipelineStage is %d", stage);
}

/* ---- The service routine and the DPC --------------------------------------------------------- */

static bool is_dma_notice_of_service(const struct contract_call *call)
{
    return call->tracker->interrupt.service_depth && is_about_an_engine(call);
}

static bool dma_notices_first(struct contract_call *call)
{
    return !call->tracker->interrupt.crtc_notified ||
           contract_say(call, "DMA notices before those of the display",
                        "a DMA notice after CRTC_VSYNC in the same service routine");
}

static bool has_notified(const struct contract_call *call)
{
    return call->tracker->interrupt.notified;
}

static bool says_whose_interrupt_it_was(struct contract_call *call)
{
    const struct contract_service *service = call->extra;

    return service->ours ||
           contract_say(call, "TRUE for an interrupt of its own",
                        "it answered FALSE, though DxgkCbNotifyInterrupt was called while it ran");
}

/* More than any device has causes: a driver may dismiss one in each call. */
#define CLAIMED_UP_MAX 64

static bool has_claimed(const struct contract_call *call)
{
    return ((const struct contract_service *)call->extra)->ours;
}

static bool line_is_dismissed(struct contract_call *call)
{
    const struct contract_service *service = call->extra;

    return service->claimed_up < CLAIMED_UP_MAX ||
           contract_say(call, "an interrupt of its own is dismissed before TRUE is returned",
                        "the line stayed up through %llu calls that returned TRUE",
                        (unsigned long long)service->claimed_up);
}

/* Messages leave nothing up. So many right behind each other, of which the driver has nothing to
 * tell, while no work moves, look like one cause that asks for ever. Firmware that goes through a
 * FIFO with an interrupt a word looks so as well, and ends: what goes on is one for certain. */
#define SILENT_MAX  2048
#define SILENT_EVER (64 * SILENT_MAX)

static bool is_silent_for(struct contract_call *call, unsigned count)
{
    const struct contract_service *service = call->extra;

    return service->silent_in_a_row != count ||
           contract_say(call, "an interrupt of its own is dismissed before TRUE is returned",
                        "%u calls right behind each other returned TRUE, and neither in them nor "
                        "between them was DxgkCbNotifyInterrupt called: the device asks again at "
                        "once, as for a cause that is never dismissed",
                        count);
}

static bool cause_seems_dismissed(struct contract_call *call)
{
    return is_silent_for(call, SILENT_MAX);
}

static bool cause_is_dismissed(struct contract_call *call)
{
    return is_silent_for(call, SILENT_EVER);
}

/* Whoever finds something to say may have found it before its device asked. */
static bool is_anothers(const struct contract_call *call)
{
    return ((const struct contract_service *)call->extra)->anothers && !has_notified(call);
}

/* Without a notice: whoever gave one is asked whose interrupt it was. */
static bool has_dismissed(const struct contract_call *call)
{
    return ((const struct contract_service *)call->extra)->dismissed && !has_notified(call);
}

static bool claims_what_it_dismissed(struct contract_call *call)
{
    return ((const struct contract_service *)call->extra)->ours ||
           contract_say(call, "TRUE for an interrupt of its own",
                        "FALSE; its device held the line up before the call, and the routine "
                        "dismissed it");
}

static bool leaves_it_to_others(struct contract_call *call)
{
    const struct contract_service *service = call->extra;

    return !service->ours || contract_say(call, "FALSE for an interrupt of another device",
                                          "TRUE while its own device asked for nothing");
}

static bool had_no_device(const struct contract_call *call)
{
    return ((const struct contract_service *)call->extra)->gone;
}

/* An end of work may have been written to memory before; nothing of the display is. */
static bool shows_nothing_when_gone(struct contract_call *call)
{
    return !call->tracker->interrupt.crtc_notified ||
           contract_say(call, "FALSE for an interrupt of another device, also when its own is gone",
                        "a CRTC_VSYNC notice, while the device was pulled out of its slot before "
                        "the call: all its registers read as ones, which are no causes");
}

/* In the service routine only NotifyInterrupt, QueueDpc and event logging may be called. */
static bool not_in_the_service_routine(struct contract_call *call)
{
    /* Another CPU may be in it while this one is below device level. */
    if (call->irql <= MACHINE_IRQL_DISPATCH || !call->tracker->interrupt.service_depth ||
        call->tracker->interrupt.synchronised_depth) {
        return contract_no_case(call);
    }
    return contract_say(call, "only NotifyInterrupt and QueueDpc in the service routine",
                        "%s in it", contract_point_info(call->point)->name);
}

static bool message_is_of_the_device(struct contract_call *call)
{
    const struct contract_message *message = call->extra;

    if (message->number == 0 || message->number < message->count) {
        return true;
    }
    if (message->count == 0) {
        return contract_say(call, "MessageNumber 0 where the device interrupts by a line",
                            "MessageNumber %u: the routine is not run", message->number);
    }
    return contract_say(call, "MessageNumber of one of the device's messages",
                        "MessageNumber %u, where it has %u: the routine is not run",
                        message->number, message->count);
}

#define SILENCE_MAX_NS (2 * NS_PER_MS) /* a DPC of the driver's own may tell, and come late */

/* With the next notice: a DPC ended long ago, none is queued, and the notices before it are not
 * followed. */
static bool last_notices_reached_the_kernel(struct contract_call *call)
{
    const struct contract_tracker *tracker = call->tracker;
    uint64_t since_ns = tracker->interrupt.silent_since_ns, now_ns = machine_now_ns();

    if (since_ns == 0 || tracker->interrupt.dpc_is_queued || tracker->dpc_depth > 0) {
        return contract_no_case(call);
    }
    return now_ns - since_ns <= SILENCE_MAX_NS ||
           contract_say(call, "DxgkCbNotifyDpc after DxgkCbNotifyInterrupt, in the DPC",
                        "DxgkDdiDpcRoutine returned %llu us ago, and DxgkCbNotifyDpc was called "
                        "neither there nor since, for %llu notices",
                        (unsigned long long)((now_ns - since_ns) / 1000),
                        (unsigned long long)tracker->notices_without_dpc);
}

static bool notices_reached_the_kernel(struct contract_call *call)
{
    if (call->tracker->interrupt.dpc_is_queued || call->tracker->dpc_depth > 0) {
        return contract_no_case(call); /* the DPC that will tell is on its way */
    }
    return call->tracker->notices_without_dpc == 0 ||
           contract_say(call, "DxgkCbNotifyDpc after DxgkCbNotifyInterrupt",
                        "%llu notices were never followed by it%s",
                        (unsigned long long)call->tracker->notices_without_dpc,
                        call->tracker->interrupt.wants_dpc
                            ? ", and DxgkCbQueueDpc was not called after the last of them"
                            : "");
}

static const struct contract_row rows[] = {
    BEFORE(INT_001, CbNotifyInterrupt, at_device_level),
    BEFORE(INT_004, CbNotifyInterrupt, type_exists),
    BEFORE(INT_009, CbNotifyInterrupt, engine_exists, WHEN(is_about_an_engine)),
    BEFORE(ENGRST_010, CbNotifyInterrupt, engine_rests, WHEN(is_about_a_resting_engine),
           STOPS(0x119, 0x10)),
    BEFORE(INT_005, CbNotifyInterrupt, fence_is_plausible, WHEN(completes), STOPS(0x119, 1)),
    BEFORE(SUBMIT_031, CbNotifyInterrupt, fence_was_given, WHEN(completes)),
    BEFORE(PREEMPT_009, CbNotifyInterrupt, preempted_packets_rest, WHEN(completes)),
    BEFORE(PREEMPT_006, CbNotifyInterrupt, preempted_node_was_asked, WHEN(preempts)),
    BEFORE(PREEMPT_003, CbNotifyInterrupt, acknowledged_once, WHEN(preempts)),
    BEFORE(PREEMPT_005, CbNotifyInterrupt, request_id_comes_back, WHEN(answers_a_request)),
    BEFORE(INT_008, CbNotifyInterrupt, last_completed_is_right, WHEN(answers_a_request)),
    BEFORE(SUBV_003, CbNotifyInterrupt, refusal_is_counted, WHEN(refusal_is_due)),
    BEFORE(INT_014, CbNotifyInterrupt, fault_is_consistent, WHEN(is_unknown_fault),
           STOPS(0x119, 0xD),
           LEAVES_OUT("faults of a known fence, FATAL_HARDWARE_ERROR, and advice about a fence id "
                      "beside FENCE_INVALID")),
    BEFORE(INT_014, CbNotifyInterrupt, faulted_fence_was_given, WHEN(is_known_fault),
           STOPS(0x119, 0xD)),
    BEFORE(INT_014, CbNotifyInterrupt, faulted_fence_is_open, WHEN(is_known_fault), ADVISES),
    BEFORE(INT_016, CbNotifyInterrupt, fault_names_a_process, WHEN(is_page_fault)),
    BEFORE(INT_016, CbNotifyInterrupt, fault_is_of_a_stage, WHEN(is_page_fault),
           LEAVES_OUT("FaultedVirtualAddress, FaultErrorCode")),
    BEFORE(INT_003, CbNotifyInterrupt, dma_notices_first, WHEN(is_dma_notice_of_service)),

    AFTER(INT_021, InterruptRoutine, says_whose_interrupt_it_was, WHEN(has_notified)),
    AFTER(INT_021, InterruptRoutine, line_is_dismissed, WHEN(has_claimed)),
    AFTER(INT_021, InterruptRoutine, cause_seems_dismissed, WHEN(has_claimed), ADVISES),
    AFTER(INT_021, InterruptRoutine, cause_is_dismissed, WHEN(has_claimed)),
    AFTER(INT_021, InterruptRoutine, claims_what_it_dismissed, WHEN(has_dismissed)),
    AFTER(INT_021, InterruptRoutine, leaves_it_to_others, WHEN(is_anothers)),
    AFTER(INT_021, InterruptRoutine, shows_nothing_when_gone, WHEN(had_no_device)),
    BEFORE(INT_021, CbSynchronizeExecution, not_in_the_service_routine),
    AFTER(INT_025, CbSynchronizeExecution, message_is_of_the_device),
    BEFORE(INT_021, CbNotifyDpc, not_in_the_service_routine),
    BEFORE(INT_021, CbGetDeviceInformation, not_in_the_service_routine),
    BEFORE(INT_021, CbIndicateChildStatus, not_in_the_service_routine),
    BEFORE(INT_021, CbMapMemory, not_in_the_service_routine),
    BEFORE(INT_021, CbUnmapMemory, not_in_the_service_routine),
    BEFORE(INT_021, CbReadDeviceSpace, not_in_the_service_routine),
    BEFORE(INT_021, CbWriteDeviceSpace, not_in_the_service_routine),
    BEFORE(INT_018, CbNotifyDpc, IRQL_IS(MACHINE_IRQL_DISPATCH)),
    BEFORE(INT_018, ResetFromTimeout, notices_reached_the_kernel),
    BEFORE(INT_018, CbNotifyInterrupt, last_notices_reached_the_kernel),
};

const struct contract_family contract_family_interrupt = FAMILY_OF(rows);
