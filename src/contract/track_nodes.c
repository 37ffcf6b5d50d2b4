/* What every GPU node was given and what it answered: submissions, fences, preemption, resets. */
#include "contract/tracker.h"

#include <string.h>

#include "contract/internal.h"
#include "contract/old_fence.h"
#include "machine/machine.h"

/* ---- Packets --------------------------------------------------------------------------------- */

static void drop_packet(struct contract_packet *packets, unsigned *count, unsigned index)
{
    memmove(&packets[index], &packets[index + 1], (*count - index - 1) * sizeof *packets);
    --*count;
}

static void take_id(struct contract_node *node, uint32_t id)
{
    if (!node->any_id || contract_fence_difference(id, node->last_id) > 0) {
        node->last_position += node->any_id ? id - node->last_id : (UINT64_C(1) << 32) + id;
        node->last_id = id;
    }
    node->any_id = true;
}

/* Of an id that the node was given, at most 2^32 ids ago. */
static uint64_t position_of(const struct contract_node *node, uint32_t id)
{
    return node->last_position - (uint32_t)(node->last_id - id);
}

/* What SubmitCommand and SubmitCommandVirtual say alike. */
struct submission {
    HANDLE context;
    UINT node;
    uint32_t fence;
    bool paging, empty;
};

/* The packet is on the hardware from now on. */
static void put_on_hardware(struct contract_node *node, const struct submission *submission)
{
    uint32_t fence = submission->fence;

    node->submitted_any = true;
    node->rests = false;
    node->last_submitted = node->newest_submitted = fence;
    node->cancels = 0;
    for (unsigned i = 0; i < node->preempted_count; i++) {
        if (node->preempted[i].fence == fence) {
            drop_packet(node->preempted, &node->preempted_count, i);
            break;
        }
    }
    if (node->outstanding_count < CONTRACT_OUTSTANDING_MAX) {
        node->outstanding[node->outstanding_count++] =
            (struct contract_packet){.fence = fence, .paging = submission->paging};
    }
}

static void submitted(struct contract_tracker *tracker, const struct submission *submission)
{
    uint32_t fence = submission->fence;

    if (submission->node >= CONTRACT_NODES_MAX) {
        return;
    }
    struct contract_node *node = &tracker->nodes[submission->node];
    bool again = node->any_id && contract_fence_difference(fence, node->last_id) <= 0;
    node->patch_valid = false;
    take_id(node, fence);
    put_on_hardware(node, submission);
    if (!again) {
        unsigned at = node->recent_count++ % CONTRACT_RECENT_MAX;
        node->recent_fence[at] = fence;
        node->recent_paging[at] = submission->paging;
        if (submission->paging && !submission->empty) { /* nothing was built for an empty one */
            track_take_part(tracker);
        }
    }
    struct contract_object *context = contract_context_find(tracker, submission->context);
    if (context) {
        context->used_earlier = context->used_node;
        context->earlier_fence = context->last_fence;
        context->earlier_position = context->last_position;
        context->used_node = true;
        context->node = submission->node;
        context->last_fence = fence;
        context->last_position = position_of(node, fence);
    }
}

/* Where its commands flip to Patch was told: before the list of Present is final. */
static void take_flip_command(struct contract_tracker *tracker, const DXGKARG_SUBMITCOMMAND *submit)
{
    const struct contract_node *node =
        &tracker->nodes[submit->NodeOrdinal < CONTRACT_NODES_MAX ? submit->NodeOrdinal : 0];

    if (submit->VidPnSourceId < CONTRACT_SOURCES_MAX) {
        track_flip_command(&tracker->sources[submit->VidPnSourceId],
                           node->patch_valid ? &node->flip_address : NULL);
    }
}

void track_submit(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *arguments = call->arguments;

    if (arguments->Flags.Flip || arguments->Flags.FlipWithNoWait) {
        take_flip_command(call->tracker, arguments);
    }
    submitted(call->tracker,
              &(struct submission){arguments->hContext, arguments->NodeOrdinal,
                                   arguments->SubmissionFenceId, arguments->Flags.Paging,
                                   arguments->DmaBufferSubmissionStartOffset ==
                                       arguments->DmaBufferSubmissionEndOffset});
}

void track_submit_virtual(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMANDVIRTUAL *arguments = call->arguments;
    struct contract_object *context = contract_context_find(call->tracker, arguments->hContext);

    if (context && context->validated_count > 0 && !arguments->Flags.Resubmission) {
        contract_validated_forget(
            context,
            &(struct contract_validated){.commands = arguments->DmaBufferVirtualAddress,
                                         .length = arguments->DmaBufferSize,
                                         .client_bytes = arguments->DmaBufferUmdPrivateDataSize,
                                         .data_bytes = arguments->DmaBufferPrivateDataSize},
            arguments->pDmaBufferPrivateData);
    }
    submitted(call->tracker,
              &(struct submission){arguments->hContext, arguments->NodeOrdinal,
                                   arguments->SubmissionFenceId, arguments->Flags.Paging,
                                   arguments->DmaBufferSize == 0});
}

static void note_refusal(struct contract_node *node, uint32_t fence)
{
    unsigned count = node->outstanding_count;

    node->any_refused = true;
    node->refused = fence;
    node->changed_ns = machine_now_ns();
    if (count > 0 && node->outstanding[count - 1].fence == fence) {
        node->outstanding[count - 1].refused = true;
    }
}

#define COUNTED_NS NS_PER_MS

bool contract_refusal_is_due(const struct contract_node *node, uint64_t at_ns)
{
    for (unsigned i = 0; i < node->outstanding_count; i++) {
        if (!node->outstanding[i].refused) {
            return false;
        }
    }
    return node->any_refused && node->outstanding_count > 0 &&
           at_ns >= node->changed_ns + COUNTED_NS && !vary_on(VARY_STILL_DEVICE) &&
           !vary_on(VARY_STARVED_THREADS);
}

/* A submission that was refused is not on the hardware: it counts as complete as soon as those
 * before it are, and nobody need tell of it [SUBV-002]. Its context waits for those alone. */
void track_end_submit_virtual(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMANDVIRTUAL *arguments = call->arguments;
    struct contract_object *context = contract_context_find(call->tracker, arguments->hContext);

    if (!NT_SUCCESS(call->status) && context) {
        context->used_node = context->used_earlier;
        context->last_fence = context->earlier_fence;
        context->last_position = context->earlier_position;
        note_refusal(&call->tracker->nodes[context->node], arguments->SubmissionFenceId);
    }
}

void track_patch(struct contract_call *call)
{
    const DXGKARG_PATCH *arguments = call->arguments;
    struct contract_tracker *tracker = call->tracker;
    struct contract_object *context = contract_context_find(tracker, arguments->hContext);
    unsigned index = context ? context->node : tracker->paging_node;

    if (context && context->mixed_up) {
        return; /* which node it is for is not known */
    }
    if (index < CONTRACT_NODES_MAX) {
        tracker->nodes[index].patch_valid = true;
        tracker->nodes[index].patch = *arguments;
        if (arguments->Flags.Present && arguments->AllocationListSize > DXGK_PRESENT_SOURCE_INDEX) {
            tracker->nodes[index].flip_address =
                (uint64_t)arguments->pAllocationList[DXGK_PRESENT_SOURCE_INDEX]
                    .PhysicalAddress.QuadPart;
        }
    }
}

void track_preempt(struct contract_call *call)
{
    const DXGKARG_PREEMPTCOMMAND *arguments = call->arguments;

    if (arguments->NodeOrdinal < CONTRACT_NODES_MAX) {
        struct contract_node *node = &call->tracker->nodes[arguments->NodeOrdinal];
        take_id(node, arguments->PreemptionFenceId);
        node->rests = false;
        node->preempt_pending = true;
        node->preempt_id = arguments->PreemptionFenceId;
        node->preempt_ns = machine_now_ns();
    }
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* Everything up to the fence is off the hardware. */
static void drop_through(struct contract_node *node, uint32_t fence)
{
    unsigned done = 0;

    while (done < node->outstanding_count &&
           contract_fence_difference(node->outstanding[done].fence, fence) <= 0) {
        done++;
    }
    node->outstanding_count -= done;
    memmove(node->outstanding, node->outstanding + done,
            node->outstanding_count * sizeof *node->outstanding);
}

/* Every id up to this one is answered for: complete, or off the hardware. */
static void retire(struct contract_node *node, uint32_t fence)
{
    if (!node->any_id || contract_fence_difference(fence, node->last_id) > 0) {
        return; /* a report of what was never submitted: the rules of the callback say so */
    }
    if (position_of(node, fence) > node->retired_position) {
        node->retired = fence;
        node->retired_position = position_of(node, fence);
    }
}

static void complete(struct contract_node *node, uint32_t fence)
{
    retire(node, fence);
    for (unsigned i = 0; i < node->preempted_count; i++) {
        if (node->preempted[i].fence == fence) {
            return; /* it cannot be [PREEMPT-009] */
        }
    }
    node->reported_any = true;
    node->slept = false;
    node->last_reported = fence;
    node->report_count++;
    node->changed_ns = machine_now_ns();
    if (node->has_claimed && contract_fence_difference(fence, node->claimed) >= 0) {
        node->has_claimed = node->any_claimed = false; /* also where ids wrap in between */
    }
    drop_through(node, fence);
}

/* What was not complete is off the hardware; paging packets come back with their ids, others with
 * new ones [SUBMIT-030]. */
static void preempted(struct contract_node *node, uint32_t last_completed)
{
    retire(node, node->last_id);
    node->preempt_pending = false;
    for (unsigned i = 0; i < node->outstanding_count; i++) {
        if (node->outstanding[i].fence == last_completed) {
            node->has_claimed = true;
            node->claimed = last_completed;
            /* One that faulted was told by its own notice, and counts as complete [INT-015]. */
            node->any_claimed = !(node->any_faulted && node->faulted == last_completed);
        }
    }
    drop_through(node, last_completed);
    for (unsigned i = 0; i < node->outstanding_count; i++) {
        if (node->outstanding[i].refused) {
            continue; /* it does not come again */
        }
        if (node->preempted_count == CONTRACT_OUTSTANDING_MAX) {
            drop_packet(node->preempted, &node->preempted_count, 0);
        }
        node->preempted[node->preempted_count++] = node->outstanding[i];
    }
    if (node->outstanding_count) {
        node->last_submitted = node->outstanding[0].fence - 1;
    }
    node->outstanding_count = 0;
}

static void faulted(struct contract_node *node, uint32_t fence)
{
    node->any_faulted = true;
    node->faulted = fence;
}

void track_notify_nodes(struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = call->arguments;
    struct contract_node *nodes = call->tracker->nodes;

    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
        data->DmaCompleted.NodeOrdinal < CONTRACT_NODES_MAX) {
        complete(&nodes[data->DmaCompleted.NodeOrdinal], data->DmaCompleted.SubmissionFenceId);
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED &&
               data->DmaPreempted.NodeOrdinal < CONTRACT_NODES_MAX) {
        preempted(&nodes[data->DmaPreempted.NodeOrdinal], data->DmaPreempted.LastCompletedFenceId);
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_FAULTED &&
               data->DmaFaulted.NodeOrdinal < CONTRACT_NODES_MAX) {
        faulted(&nodes[data->DmaFaulted.NodeOrdinal], data->DmaFaulted.FaultedFenceId);
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED &&
               data->DmaPageFaulted.NodeOrdinal < CONTRACT_NODES_MAX &&
               !((UINT)data->DmaPageFaulted.PageFaultFlags & DXGK_PAGE_FAULT_FENCE_INVALID)) {
        faulted(&nodes[data->DmaPageFaulted.NodeOrdinal], data->DmaPageFaulted.FaultedFenceId);
    }
}

/* What the driver says when it is asked is an answer, too, though an interrupt should have come
 * [QFENCE-002]. */
void track_query_fence(struct contract_call *call)
{
    const DXGKARG_QUERYCURRENTFENCE *before = call->before, *after = call->arguments;

    if (before->NodeOrdinal < CONTRACT_NODES_MAX) {
        retire(&call->tracker->nodes[before->NodeOrdinal], after->CurrentFence);
        call->tracker->nodes[before->NodeOrdinal].answered = true;
    }
}

const char *contract_reset_text(const struct contract_node *node, uint32_t fence)
{
    if (node->slept && node->reported_any &&
        contract_fence_difference(fence, node->last_reported) < 0) {
        return "; it is the first since SetPowerState changed the adapter's power: a device that "
               "was in D3 has lost registers and memory, which the driver sets anew, and what "
               "either counts began anew there, or is of before";
    }
    if (fence == 0 && !(node->reported_any && node->last_reported == 0)) {
        return "; 0 is what stands where nobody wrote: in registers of an engine that was without "
               "power (SetPowerComponentFState) or reset and was not set up again, or in an entry "
               "of a ring that the device read before it was written";
    }
    if (fence == UINT32_MAX && !(node->reported_any && node->last_reported == UINT32_MAX)) {
        return "; 0xFFFFFFFF is what a register reads as where nothing answers: a device that is "
               "gone, or a part of it without power";
    }
    return node->any_aborted && contract_fence_difference(fence, node->aborted) <= 0
               ? "; the last reset ended it: its work runs again, or what the driver remembers, or "
                 "left in memory, is of before the reset"
               : "";
}

/* The node is heard until then: what comes later need not be flushed [ENGRST-002]. */
void track_engine_group(struct contract_call *call)
{
    struct contract_tracker *tracker = call->tracker;

    tracker->interrupt.dpcs_owed = tracker->interrupt.dpcs + tracker->interrupt.dpc_is_queued;
}

/* Up to the aborted packet all is answered for, the rest is off the hardware [ENGRST-005]. */
void track_reset_engine(struct contract_call *call)
{
    const DXGKARG_RESETENGINE *before = call->before, *after = call->arguments;

    if (before->NodeOrdinal >= CONTRACT_NODES_MAX) {
        return;
    }
    struct contract_node *node = &call->tracker->nodes[before->NodeOrdinal];
    track_forget_clocks(call->tracker);
    preempted(node, after->LastAbortedFenceId);
    node->slept = false; /* what explains more came since */
    if (node->submitted_any) {
        node->any_aborted = node->reported_any = true;
        node->aborted = node->last_reported = node->last_submitted = after->LastAbortedFenceId;
    }
    node->rests = true;
}

/* A reset and a sleep may begin a counter anew. */
void track_forget_clocks(struct contract_tracker *tracker)
{
    memset(tracker->clocks, 0, sizeof tracker->clocks);
}

void track_clock(struct contract_call *call)
{
    const DXGKARG_CALIBRATEGPUCLOCK *told = call->arguments;
    UINT ordinal = *(const UINT *)call->extra;

    call->tracker->clocks[ordinal] = (struct contract_clock){
        .known = !track_clock_rests(call->tracker, ordinal),
        .gpu = told->GpuClockCounter,
        .cpu = told->CpuClockCounter,
        .frequency = told->GpuFrequency,
        .began_ns = call->began_ns,
        .ended_ns = machine_now_ns(),
    };
}

/* After a reset every node stands at its last submitted fence [TDR-004]. */
void track_reset_nodes(struct contract_tracker *tracker)
{
    track_forget_clocks(tracker);
    tracker->interrupt.silent_since_ns = 0;
    for (unsigned i = 0; i < CONTRACT_NODES_MAX; i++) {
        struct contract_node *node = &tracker->nodes[i];
        retire(node, node->last_id);
        node->recent_count = 0;
        node->preempt_pending = node->rests = false;
        node->outstanding_count = node->preempted_count = 0;
        node->any_faulted = node->slept = false;
        node->has_claimed = node->any_claimed = false;
        if (node->submitted_any) {
            node->any_aborted = node->reported_any = true;
            node->aborted = node->newest_submitted;
            node->last_reported = node->last_submitted;
        }
    }
}
