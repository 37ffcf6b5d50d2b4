/* The kernel's own duties: SubmitCommand, PreemptCommand, QueryCurrentFence and CancelCommand. */
#include "contract/internal.h"

#include "machine/machine.h"

static const DXGKARG_SUBMITCOMMAND *submit_of(const struct contract_call *call)
{
    return call->arguments;
}

static struct contract_node *node_of(const struct contract_call *call, UINT node)
{
    return &call->tracker->nodes[node < CONTRACT_NODES_MAX ? node : 0];
}

/* Where the Patch of the packet was noted; the context is looked up, since one that is mixed up
 * with another may have been patched on any node. */
static const struct contract_node *patched_node(const struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);

    contract_context_find(call->tracker, submit->hContext);
    return node_of(call, submit->NodeOrdinal);
}

/* Of a packet that has commands: not of a zero-length one. */
static bool has_buffer(const DXGKARG_SUBMITCOMMAND *submit)
{
    return submit->DmaBufferSize != 0;
}

/* ---- Which submissions ----------------------------------------------------------------------- */

static bool has_commands(const struct contract_call *call)
{
    return has_buffer(submit_of(call));
}

static bool is_not_paging(const struct contract_call *call)
{
    return !submit_of(call)->Flags.Paging;
}

/* Patch was called for the packet, or for another one that the driver takes for it. */
static bool is_patched(const struct contract_call *call)
{
    return patched_node(call)->patch_valid;
}

static bool is_patched_work(const struct contract_call *call)
{
    return is_not_paging(call) && is_patched(call);
}

static bool flips(const struct contract_call *call)
{
    return submit_of(call)->Flags.Flip || submit_of(call)->Flags.FlipWithNoWait;
}

/* Under stale-members anything may stand where nothing is flipped. */
static bool says_no_source(const struct contract_call *call)
{
    return !flips(call) && !vary_on(VARY_STALE_MEMBERS);
}

static bool has_no_interval(const struct contract_call *call)
{
    return !submit_of(call)->Flags.Flip;
}

/* One that says so, and has nobody to make them, has none. */
static bool has_contexts(const struct contract_call *call)
{
    return call->tracker->caps.SchedulingCaps.MultiEngineAware &&
           call->tracker->has[POINT_CreateContext];
}

/* Drivers without contexts are told the device. */
static bool names_a_device(const struct contract_call *call)
{
    return !has_contexts(call) && is_not_paging(call);
}

static bool names_a_context(const struct contract_call *call)
{
    return has_contexts(call) && submit_of(call)->hContext;
}

/* ---- SubmitCommand ------------------------------------------------------------------------- */

static bool after_patch(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);
    const struct contract_node *node = patched_node(call);
    const DXGKARG_PATCH *patch = &node->patch;

    if (!has_buffer(submit) || contract_is_wddm2(call->tracker) ||
        !call->tracker->has[POINT_Patch]) {
        return true; /* nobody patches for a driver that has no Patch */
    }
    return KERNEL_KEEPS(
        call, node->patch_valid && patch->SubmissionFenceId == submit->SubmissionFenceId,
        "Patch of the same packet before", "Patch had fence %u, this is %u",
        node->patch_valid ? patch->SubmissionFenceId : 0, submit->SubmissionFenceId);
}

static bool as_patched(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);
    const struct contract_node *node = patched_node(call);
    const DXGKARG_PATCH *patch = &node->patch;

    return KERNEL_KEEPS(
        call,
        patch->DmaBufferSubmissionStartOffset == submit->DmaBufferSubmissionStartOffset &&
            patch->DmaBufferSubmissionEndOffset == submit->DmaBufferSubmissionEndOffset,
        "the range given to Patch", "[%u, %u), Patch had [%u, %u)",
        submit->DmaBufferSubmissionStartOffset, submit->DmaBufferSubmissionEndOffset,
        patch->DmaBufferSubmissionStartOffset, patch->DmaBufferSubmissionEndOffset);
}

static bool same_place_as_patched(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);
    const struct contract_node *node = patched_node(call);
    const DXGKARG_PATCH *patch = &node->patch;

    return KERNEL_KEEPS(
        call,
        patch->DmaBufferSegmentId == submit->DmaBufferSegmentId &&
            patch->DmaBufferPhysicalAddress.QuadPart == submit->DmaBufferPhysicalAddress.QuadPart,
        "the address of byte 0 of the buffer, as Patch had it", "segment %u, 0x%llX",
        submit->DmaBufferSegmentId, (unsigned long long)submit->DmaBufferPhysicalAddress.QuadPart);
}

/* Paging of drivers without contexts belongs to no device; others see their system context, but for
 * the eviction before the device loses its power, if the run is to have it without. */
static bool handle_of_paging(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);
    const struct contract_object *context;

    if (submit->hContext == NULL) {
        bool may_be = !has_contexts(call) || vary_on(VARY_NO_CONTEXT);
        return KERNEL_KEEPS(call, (submit->Flags.Paging && may_be) || submit->Flags.ContextSwitch,
                            "NULL for paging of drivers without contexts only",
                            "hContext NULL, flags 0x%X", submit->Flags.Value);
    }
    if (!submit->Flags.Paging) {
        return true;
    }
    context = contract_object_find(call->tracker, TRACKED_CONTEXT, submit->hContext);
    return KERNEL_KEEPS(call, context && context->system, "NULL, or the system context",
                        "paging packet of context %p", submit->hContext);
}

static bool segment_allowed(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);
    const struct contract_object *context = contract_context_find(call->tracker, submit->hContext);
    UINT segment = submit->DmaBufferSegmentId;
    UINT set = context && !submit->Flags.Paging ? context->info.DmaBufferSegmentSet : 0;

    if (submit->Flags.Paging) {
        return KERNEL_KEEPS(call, segment == call->tracker->paging_segment,
                            "the segment of paging buffers", "segment %u", segment);
    }
    return segment == 0 || KERNEL_KEEPS(call, segment <= 32 && (set >> (segment - 1) & 1) != 0,
                                        "a segment of the context's DmaBufferSegmentSet",
                                        "segment %u, set 0x%X", segment, set);
}

static bool segment_zero_allowed(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);
    const struct contract_object *context = contract_context_find(call->tracker, submit->hContext);

    if (submit->DmaBufferSegmentId != 0 || !has_buffer(submit) || !context) {
        return true;
    }
    return KERNEL_KEEPS(call, context->info.DmaBufferSegmentSet == 0,
                        "segment 0 only without a DmaBufferSegmentSet", "set 0x%X",
                        context->info.DmaBufferSegmentSet);
}

static bool flags_as_patched(struct contract_call *call)
{
    DXGK_SUBMITCOMMANDFLAGS submit = submit_of(call)->Flags;
    const struct contract_node *node = patched_node(call);
    DXGK_PATCHFLAGS patch = node->patch.Flags;

    return KERNEL_KEEPS(call,
                        patch.Paging == submit.Paging && patch.Present == submit.Present &&
                            patch.RedirectedPresent == submit.RedirectedPresent &&
                            patch.NullRendering == submit.NullRendering,
                        "the flags that Patch had", "flags 0x%X, Patch had 0x%X", submit.Value,
                        patch.Value);
}

static bool private_as_patched(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);
    const struct contract_node *node = patched_node(call);

    return KERNEL_KEEPS(call,
                        node->patch.pDmaBufferPrivateData == submit->pDmaBufferPrivateData &&
                            node->patch.DmaBufferPrivateDataSize ==
                                submit->DmaBufferPrivateDataSize,
                        "the private data that Patch had", "%p, %u bytes",
                        submit->pDmaBufferPrivateData, submit->DmaBufferPrivateDataSize);
}

static bool no_private_of_nothing(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);

    return KERNEL_KEEPS(call, submit->DmaBufferPrivateDataSize || !submit->pDmaBufferPrivateData,
                        "no private data where none was asked for", "%p",
                        submit->pDmaBufferPrivateData);
}

/* Most are new: no place of the ring has the id, whether it is in use or not. */
static bool may_be_recent(const struct contract_node *node, uint32_t fence)
{
    unsigned found = 0;

    for (unsigned i = 0; i < CONTRACT_RECENT_MAX; i++) {
        found |= node->recent_fence[i] == fence;
    }
    return found != 0;
}

/* Was the packet on the node before, as paging work? Then it may come back with its id. The newest
 * first: ids wrap. */
static bool was_paging(const struct contract_node *node, uint32_t fence)
{
    unsigned count =
        node->recent_count < CONTRACT_RECENT_MAX ? node->recent_count : CONTRACT_RECENT_MAX;

    if (!may_be_recent(node, fence)) {
        return false;
    }
    for (unsigned i = 1; i <= count; i++) {
        unsigned at = (node->recent_count - i) % CONTRACT_RECENT_MAX;
        if (node->recent_fence[at] == fence) {
            return node->recent_paging[at];
        }
    }
    return false;
}

static bool fence_is_new(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);
    const struct contract_node *node = node_of(call, submit->NodeOrdinal);

    return KERNEL_KEEPS(call,
                        !node->any_id ||
                            contract_fence_difference(submit->SubmissionFenceId, node->last_id) > 0,
                        "an id later than all before it on the node", "fence %u after %u",
                        submit->SubmissionFenceId, node->last_id);
}

static bool fence_of_resubmission(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);
    const struct contract_node *node = node_of(call, submit->NodeOrdinal);

    if (!node->any_id || !submit->Flags.Paging ||
        contract_fence_difference(submit->SubmissionFenceId, node->last_id) > 0) {
        return true;
    }
    return KERNEL_KEEPS(call, was_paging(node, submit->SubmissionFenceId),
                        "an old id for a paging packet that had it", "fence %u after %u",
                        submit->SubmissionFenceId, node->last_id);
}

/* Ids differ by less than half of their range, whatever their values: else order is lost. */
static bool fence_compares(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);
    const struct contract_node *node = node_of(call, submit->NodeOrdinal);
    int32_t step = contract_fence_difference(submit->SubmissionFenceId, node->last_id);

    return KERNEL_KEEPS(call, !node->any_id || (step > -(1 << 30) && step < 1 << 30),
                        "ids that follow each other", "fence %u after %u",
                        submit->SubmissionFenceId, node->last_id);
}

/* Paging is said of what BuildPagingBuffer made, in the order it was made [PAGE-027, PAGE-029]. */
static bool paging_was_built(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);
    const struct contract_tracker *tracker = call->tracker;
    const struct contract_node *node = node_of(call, submit->NodeOrdinal);
    bool empty = submit->DmaBufferSubmissionStartOffset == submit->DmaBufferSubmissionEndOffset;

    /* An operation for which the driver wrote nothing may have an empty part. */
    if (!submit->Flags.Paging || tracker->paging.parts_lost || empty) {
        return true;
    }
    for (unsigned i = 0; i < tracker->paging.part_count; i++) {
        const struct contract_part *part =
            &tracker->paging.parts[(tracker->paging.part_first + i) % CONTRACT_PARTS_MAX];
        if (part->start == submit->DmaBufferSubmissionStartOffset &&
            part->end == submit->DmaBufferSubmissionEndOffset) {
            return true;
        }
        if (part->epoch == tracker->epoch) {
            break;
        }
    }
    if (was_paging(node, submit->SubmissionFenceId)) {
        return true;
    }
    return contract_say(call, "the oldest part of a paging buffer that was built",
                        "[%u, %u) of %u waiting", submit->DmaBufferSubmissionStartOffset,
                        submit->DmaBufferSubmissionEndOffset, tracker->paging.part_count);
}

/* As far as the driver moved its pointer in the calls that made it: not the size of the block. */
static bool private_of_its_calls(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);
    const struct contract_paging *paging = &call->tracker->paging;
    const struct contract_node *node = patched_node(call);
    UINT start = submit->DmaBufferPrivateDataSubmissionStartOffset;
    UINT end = submit->DmaBufferPrivateDataSubmissionEndOffset;

    if (!submit->Flags.Paging) {
        return KERNEL_KEEPS(
            call, !node->patch_valid || node->patch.DmaBufferPrivateDataSubmissionEndOffset == end,
            "the end that Patch was told", "private data [%u, %u)", start, end);
    }
    for (unsigned i = 0; i < paging->part_count; i++) {
        const struct contract_part *part =
            &paging->parts[(paging->part_first + i) % CONTRACT_PARTS_MAX];
        if (part->start == submit->DmaBufferSubmissionStartOffset &&
            part->end == submit->DmaBufferSubmissionEndOffset) {
            return KERNEL_KEEPS(call, part->private_start == start && part->private_end == end,
                                "as much private data as the driver moved its pointer by",
                                "[%u, %u), not [%u, %u)", start, end, part->private_start,
                                part->private_end);
        }
    }
    return contract_no_case(call);
}

static bool is_new_and_has_private(const struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);

    return submit->pDmaBufferPrivateData && !call->tracker->paging.parts_lost &&
           !submit->Flags.Resubmission &&
           (!submit->Flags.Paging ||
            !was_paging(node_of(call, submit->NodeOrdinal), submit->SubmissionFenceId));
}

static bool rendering_was_rendered(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);
    const struct contract_node *node = patched_node(call);

    return KERNEL_KEEPS(call, contract_buffer_find(call->tracker, node->patch.pDmaBuffer) != NULL,
                        "Paging for all but what Render and Present made", "flags 0x%X",
                        submit->Flags.Value);
}

static bool present_was_presented(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);
    const struct contract_node *node = patched_node(call);
    /* A paging buffer may be where another buffer was once. */
    const struct contract_buffer *dma =
        node->patch_valid && !submit->Flags.Paging
            ? contract_buffer_find(call->tracker, node->patch.pDmaBuffer)
            : NULL;

    return KERNEL_KEEPS(call,
                        dma ? submit->Flags.Present == dma->present
                            : !submit->Flags.Paging || !submit->Flags.Present,
                        "Present for what DxgkDdiPresent made", "flags 0x%X", submit->Flags.Value);
}

static bool is_present(const struct contract_call *call)
{
    return submit_of(call)->Flags.Present && is_patched(call);
}

static bool flip_was_presented(struct contract_call *call)
{
    const struct contract_buffer *dma =
        contract_buffer_find(call->tracker, patched_node(call)->patch.pDmaBuffer);
    DXGK_SUBMITCOMMANDFLAGS flags = submit_of(call)->Flags;

    return KERNEL_KEEPS(call, !dma || (flags.Flip + flags.FlipWithNoWait == dma->flips),
                        "Flip or FlipWithNoWait for a buffer with a flip, and for no other",
                        "flags 0x%X", flags.Value);
}

static bool no_redirection(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);

    return KERNEL_KEEPS(call, !submit->Flags.RedirectedPresent || !submit->Flags.Present,
                        "RedirectedPresent for what Render made", "flags 0x%X",
                        submit->Flags.Value);
}

static bool context_switch_is_empty(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);

    return KERNEL_KEEPS(call,
                        !submit->Flags.ContextSwitch || submit->DmaBufferSubmissionStartOffset ==
                                                            submit->DmaBufferSubmissionEndOffset,
                        "no commands with ContextSwitch", "flags 0x%X", submit->Flags.Value);
}

static bool resubmission_flag(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);

    return KERNEL_KEEPS(call, contract_is_wddm2(call->tracker) || !submit->Flags.Resubmission,
                        "Resubmission 0 before WDDM 2.0", "flags 0x%X", submit->Flags.Value);
}

static bool no_virtual_machine(struct contract_call *call)
{
    return KERNEL_KEEPS(call, !submit_of(call)->Flags.VirtualMachineData,
                        "VirtualMachineData for paravirtualised adapters only", "flags 0x%X",
                        submit_of(call)->Flags.Value);
}

static bool no_reset_under_way(struct contract_call *call)
{
    return KERNEL_KEEPS(call, !call->tracker->in_reset,
                        "no GPU work between ResetFromTimeout and RestartFromTimeout",
                        "a packet in between");
}

static bool reserved_zero(struct contract_call *call)
{
    return KERNEL_KEEPS(call, submit_of(call)->Flags.Reserved == 0, "reserved bits 0", "flags 0x%X",
                        submit_of(call)->Flags.Value);
}

static bool node_of_context(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMAND *submit = submit_of(call);
    const struct contract_object *context =
        contract_object_find(call->tracker, TRACKED_CONTEXT, submit->hContext);
    UINT node = submit->NodeOrdinal;

    return KERNEL_KEEPS(call,
                        node < call->tracker->node_count && (!context || context->node == node),
                        "the context's node", "node %u of %u", node, call->tracker->node_count);
}

static bool no_preemption_under_way(struct contract_call *call)
{
    UINT node = submit_of(call)->NodeOrdinal;

    return KERNEL_KEEPS(call,
                        node >= CONTRACT_NODES_MAX || !call->tracker->nodes[node].preempt_pending,
                        "no packet before the node answered its preemption", "node %u", node);
}

/* ---- PreemptCommand ------------------------------------------------------------------------- */

static const DXGKARG_PREEMPTCOMMAND *preempt_of(const struct contract_call *call)
{
    return call->arguments;
}

static bool preempt_irql(struct contract_call *call)
{
    bool low = contract_is_wddm2(call->tracker) &&
               call->tracker->caps.SchedulingCaps.LowIrqlPreemptCommand;

    return KERNEL_KEEPS(
        call, low ? call->irql < MACHINE_IRQL_DISPATCH : call->irql == MACHINE_IRQL_DISPATCH,
        "DISPATCH_LEVEL, or below it with LowIrqlPreemptCommand", "IRQL %u", call->irql);
}

static bool preempt_id_is_new(struct contract_call *call)
{
    const DXGKARG_PREEMPTCOMMAND *preempt = preempt_of(call);
    const struct contract_node *node = node_of(call, preempt->NodeOrdinal);

    return KERNEL_KEEPS(
        call,
        !node->any_id || contract_fence_difference(preempt->PreemptionFenceId, node->last_id) > 0,
        "an id that neither a packet nor a request had", "id %u after %u",
        preempt->PreemptionFenceId, node->last_id);
}

static bool preempt_alone(struct contract_call *call)
{
    UINT node = preempt_of(call)->NodeOrdinal;

    return KERNEL_KEEPS(call,
                        node >= CONTRACT_NODES_MAX || !call->tracker->nodes[node].preempt_pending,
                        "one request at a time", "node %u did not answer the one before", node);
}

/* ---- QueryCurrentFence ---------------------------------------------------------------------- */

/* ---- CancelCommand -------------------------------------------------------------------------- */

static const DXGKARG_CANCELCOMMAND *cancel_of(const struct contract_call *call)
{
    return call->arguments;
}

static const struct contract_buffer *cancelled(const struct contract_call *call)
{
    return contract_buffer_find(call->tracker, cancel_of(call)->pDmaBuffer);
}

static bool cancel_aware(struct contract_call *call)
{
    return KERNEL_KEEPS(call, call->tracker->caps.SchedulingCaps.CancelCommandAware,
                        "a driver that is CancelCommandAware", "SchedulingCaps 0x%X",
                        call->tracker->caps.SchedulingCaps.Value);
}

/* Either is where the commands are: what the kernel maps, or an address of the process. */
static bool cancel_buffer(struct contract_call *call)
{
    const DXGKARG_CANCELCOMMAND *cancel = cancel_of(call);

    return KERNEL_KEEPS(call, cancel->pDmaBuffer || cancel->DmaBufferVirtualAddress,
                        "a mapped buffer, or a GPU virtual address", "neither, %u bytes",
                        cancel->DmaBufferSize);
}

static bool cancel_address(struct contract_call *call)
{
    const DXGKARG_CANCELCOMMAND *cancel = cancel_of(call);

    return KERNEL_KEEPS(call, !cancel->pDmaBuffer || !cancel->DmaBufferVirtualAddress,
                        "no GPU virtual address beside a mapped buffer", "0x%llX",
                        (unsigned long long)cancel->DmaBufferVirtualAddress);
}

static bool cancel_size(struct contract_call *call)
{
    const struct contract_buffer *dma = cancelled(call);

    return KERNEL_KEEPS(call, !dma || cancel_of(call)->DmaBufferSize == dma->size,
                        "the size of the whole buffer", "DmaBufferSize %u",
                        cancel_of(call)->DmaBufferSize);
}

static bool cancel_range(struct contract_call *call)
{
    const DXGKARG_CANCELCOMMAND *cancel = cancel_of(call);
    const struct contract_buffer *dma = cancelled(call);
    UINT end = dma ? dma->used : cancel->DmaBufferSize;

    return KERNEL_KEEPS(
        call,
        cancel->DmaBufferSubmissionStartOffset <= cancel->DmaBufferSubmissionEndOffset &&
            cancel->DmaBufferSubmissionEndOffset <= end,
        "a range of what was rendered", "[%u, %u) of %u", cancel->DmaBufferSubmissionStartOffset,
        cancel->DmaBufferSubmissionEndOffset, end);
}

static bool cancel_private(struct contract_call *call)
{
    const DXGKARG_CANCELCOMMAND *cancel = cancel_of(call);
    const struct contract_buffer *dma = cancelled(call);

    return KERNEL_KEEPS(call,
                        !dma || (cancel->pDmaBufferPrivateData == dma->private_data &&
                                 cancel->DmaBufferPrivateDataSize == dma->private_size),
                        "the private data of Render or Present", "%p, %u bytes",
                        cancel->pDmaBufferPrivateData, cancel->DmaBufferPrivateDataSize);
}

static bool cancel_list(struct contract_call *call)
{
    const DXGKARG_CANCELCOMMAND *cancel = cancel_of(call);
    const struct contract_buffer *dma = cancelled(call);

    return KERNEL_KEEPS(
        call,
        !dma || (cancel->AllocationListSize == dma->allocation_count &&
                 contract_hash_handles(cancel->pAllocationList, cancel->AllocationListSize) ==
                     dma->handles_hash),
        "the complete allocation list", "%u elements", cancel->AllocationListSize);
}

static bool cancel_patches(struct contract_call *call)
{
    const DXGKARG_CANCELCOMMAND *cancel = cancel_of(call);
    const struct contract_buffer *dma = cancelled(call);

    return KERNEL_KEEPS(call, !dma || cancel->PatchLocationListSize == dma->patch_count,
                        "the complete patch list", "%u elements", cancel->PatchLocationListSize);
}

static bool cancel_window(struct contract_call *call)
{
    const DXGKARG_CANCELCOMMAND *cancel = cancel_of(call);

    return KERNEL_KEEPS(call,
                        (uint64_t)cancel->PatchLocationListSubmissionStart +
                                cancel->PatchLocationListSubmissionLength <=
                            cancel->PatchLocationListSize,
                        "start + length <= size", "%u + %u of %u",
                        cancel->PatchLocationListSubmissionStart,
                        cancel->PatchLocationListSubmissionLength, cancel->PatchLocationListSize);
}

/* All that were queued when the node could still be heard. */
static bool dpcs_have_run(struct contract_call *call)
{
    const struct contract_tracker *tracker = call->tracker;

    return KERNEL_KEEPS(call, tracker->interrupt.dpcs >= tracker->interrupt.dpcs_owed,
                        "no DPC that was queued before the engine was given up", "%llu of %llu",
                        (unsigned long long)tracker->interrupt.dpcs,
                        (unsigned long long)tracker->interrupt.dpcs_owed);
}

static const struct contract_row rows[] = {
    KERNEL(SUBMIT_001, SubmitCommand, IRQL_IS(MACHINE_IRQL_DISPATCH)),
    KERNEL(SUBMIT_008, SubmitCommand, after_patch, WHEN(is_not_paging)),
    KERNEL(SUBMIT_009, SubmitCommand, FIELD_LIVES(DXGKARG_SUBMITCOMMAND, hDevice, TRACKED_DEVICE),
           WHEN(names_a_device)),
    KERNEL(SUBMIT_010, SubmitCommand, handle_of_paging),
    KERNEL(SUBMIT_011, SubmitCommand, FIELD_LIVES(DXGKARG_SUBMITCOMMAND, hContext, TRACKED_CONTEXT),
           WHEN(names_a_context)),
    KERNEL(SUBMIT_014, SubmitCommand, segment_allowed),
    KERNEL(SUBMIT_015, SubmitCommand, segment_zero_allowed, WHEN(is_not_paging)),
    KERNEL(SUBMIT_016, SubmitCommand,
           FIELD_IN_SEGMENT(DXGKARG_SUBMITCOMMAND, DmaBufferPhysicalAddress.QuadPart,
                            DmaBufferSegmentId, DmaBufferSize),
           WHEN(has_commands)),
    KERNEL(SUBMIT_017, SubmitCommand, same_place_as_patched, WHEN(is_patched)),
    KERNEL(SUBMIT_018, SubmitCommand,
           FIELD_AT_MOST_OTHER(DXGKARG_SUBMITCOMMAND, DmaBufferSubmissionStartOffset,
                               DmaBufferSubmissionEndOffset)),
    KERNEL(SUBMIT_018, SubmitCommand,
           FIELD_AT_MOST_OTHER(DXGKARG_SUBMITCOMMAND, DmaBufferSubmissionEndOffset, DmaBufferSize)),
    KERNEL(SUBMIT_020, SubmitCommand, as_patched, WHEN(is_patched)),
    KERNEL(SUBMIT_022, SubmitCommand, private_as_patched, WHEN(is_patched)),
    KERNEL(SUBMIT_022, SubmitCommand, no_private_of_nothing),
    KERNEL(SUBMIT_025, SubmitCommand,
           FIELD_AT_MOST_OTHER(DXGKARG_SUBMITCOMMAND, DmaBufferPrivateDataSubmissionStartOffset,
                               DmaBufferPrivateDataSubmissionEndOffset)),
    KERNEL(SUBMIT_027, SubmitCommand,
           FIELD_ZERO(DXGKARG_SUBMITCOMMAND, DmaBufferPrivateDataSubmissionStartOffset),
           WHEN(is_not_paging)),
    KERNEL(SUBMIT_028, SubmitCommand,
           FIELD_AT_MOST_OTHER(DXGKARG_SUBMITCOMMAND, DmaBufferPrivateDataSubmissionEndOffset,
                               DmaBufferPrivateDataSize)),
    KERNEL(SUBMIT_028, SubmitCommand, private_of_its_calls, WHEN(is_new_and_has_private),
           LEAVES_OUT("of Render and Present that it is as far as the pointer was moved: Patch "
                      "judges that, PATCH-009")),
    KERNEL(SUBMIT_029, SubmitCommand, FIELD_NOT_ZERO(DXGKARG_SUBMITCOMMAND, SubmissionFenceId)),
    KERNEL(SUBMIT_029, SubmitCommand, fence_is_new, WHEN(is_not_paging)),
    KERNEL(SUBMIT_030, SubmitCommand, fence_of_resubmission),
    KERNEL(GEN_008, SubmitCommand, fence_compares),
    KERNEL(SUBMIT_033, SubmitCommand,
           FIELD_BELOW_TOLD(DXGKARG_SUBMITCOMMAND, VidPnSourceId, source_count), WHEN(flips)),
    KERNEL(SUBMIT_033, SubmitCommand, FIELD_ZERO(DXGKARG_SUBMITCOMMAND, VidPnSourceId),
           WHEN(says_no_source),
           LEAVES_OUT("that a driver ignores it without a flip: only its work shows that, under "
                      "stale-members")),
    KERNEL(SUBMIT_034, SubmitCommand, FIELD_ZERO(DXGKARG_SUBMITCOMMAND, FlipInterval),
           WHEN(has_no_interval), SAYS("an interval with Flip only")),
    KERNEL(SUBMIT_035, SubmitCommand, rendering_was_rendered, WHEN(is_patched_work)),
    KERNEL(PAGE_027, SubmitCommand, paging_was_built),
    KERNEL(SUBMIT_036, SubmitCommand, present_was_presented),
    KERNEL(PRES_055, SubmitCommand, flip_was_presented, WHEN(is_present)),
    KERNEL(SUBMIT_037, SubmitCommand, no_redirection),
    KERNEL(SUBMIT_041, SubmitCommand, context_switch_is_empty,
           LEAVES_OUT("that it comes before memory of the context moves, and to drivers alone "
                      "that made such memory")),
    KERNEL(SUBMIT_043, SubmitCommand, resubmission_flag),
    KERNEL(SUBMIT_046, SubmitCommand, no_virtual_machine),
    KERNEL(SUBMIT_047, SubmitCommand, FIELD_ZERO(DXGKARG_SUBMITCOMMAND, EngineOrdinal)),
    KERNEL(SUBMIT_047, SubmitCommand, reserved_zero),
    KERNEL(SUBMIT_048, SubmitCommand, FIELD_ZERO(DXGKARG_SUBMITCOMMAND, DmaBufferVirtualAddress)),
    KERNEL(SUBMIT_049, SubmitCommand, node_of_context),
    KERNEL(PATCH_013, SubmitCommand, flags_as_patched, WHEN(is_patched)),
    KERNEL(TDR_005, SubmitCommand, no_reset_under_way),
    KERNEL(PREEMPT_010, SubmitCommand, no_preemption_under_way),

    KERNEL(PREEMPT_001, PreemptCommand, preempt_irql),
    KERNEL(PREEMPT_005, PreemptCommand, preempt_id_is_new),
    KERNEL(PREEMPT_006, PreemptCommand,
           FIELD_BELOW_TOLD(DXGKARG_PREEMPTCOMMAND, NodeOrdinal, node_count)),
    KERNEL(PREEMPT_006, PreemptCommand, FIELD_ZERO(DXGKARG_PREEMPTCOMMAND, EngineOrdinal)),
    KERNEL(PREEMPT_007, PreemptCommand, FIELD_ZERO(DXGKARG_PREEMPTCOMMAND, Flags.Value)),
    KERNEL(PREEMPT_010, PreemptCommand, preempt_alone),

    KERNEL(QFENCE_001, QueryCurrentFence, IRQL_AT_MOST(MACHINE_IRQL_APC)),
    KERNEL(QFENCE_004, QueryCurrentFence,
           FIELD_BELOW_TOLD(DXGKARG_QUERYCURRENTFENCE, NodeOrdinal, node_count)),
    KERNEL(QFENCE_004, QueryCurrentFence, FIELD_ZERO(DXGKARG_QUERYCURRENTFENCE, EngineOrdinal)),

#define OF_AN_ENGINE(ddi, type)                                               \
    KERNEL(ENGRST_009, ddi, FIELD_BELOW_TOLD(type, NodeOrdinal, node_count)), \
        KERNEL(ENGRST_009, ddi, FIELD_ZERO(type, EngineOrdinal))
    OF_AN_ENGINE(ResetEngine, DXGKARG_RESETENGINE),
    OF_AN_ENGINE(QueryEngineStatus, DXGKARG_QUERYENGINESTATUS),
    OF_AN_ENGINE(QueryDependentEngineGroup, DXGKARG_QUERYDEPENDENTENGINEGROUP),
#undef OF_AN_ENGINE
    KERNEL(ENGRST_002, ResetEngine, dpcs_have_run,
           LEAVES_OUT("the snapshot, and DPCs that are queued between QueryDependentEngineGroup "
                      "and the moment from which on the node is not heard")),

    KERNEL(CANCEL_001, CancelCommand, cancel_aware),
    KERNEL(CANCEL_006, CancelCommand,
           FIELD_LIVES_OR_NULL(DXGKARG_CANCELCOMMAND, hContext, ANY_CONTEXT)),
    KERNEL(CANCEL_007, CancelCommand, cancel_buffer),
    KERNEL(CANCEL_007, CancelCommand,
           FIELD_MULTIPLE_OF(DXGKARG_CANCELCOMMAND, pDmaBuffer, MACHINE_PAGE_SIZE)),
    KERNEL(CANCEL_009, CancelCommand, cancel_size),
    KERNEL(CANCEL_010, CancelCommand, cancel_range),
    KERNEL(CANCEL_011, CancelCommand, cancel_private),
    KERNEL(CANCEL_012, CancelCommand,
           FIELD_AT_MOST_OTHER(DXGKARG_CANCELCOMMAND, DmaBufferPrivateDataSubmissionStartOffset,
                               DmaBufferPrivateDataSubmissionEndOffset)),
    KERNEL(CANCEL_012, CancelCommand,
           FIELD_AT_MOST_OTHER(DXGKARG_CANCELCOMMAND, DmaBufferPrivateDataSubmissionEndOffset,
                               DmaBufferPrivateDataSize)),
    KERNEL(CANCEL_013, CancelCommand,
           EACH(DXGKARG_CANCELCOMMAND, pAllocationList, AllocationListSize, DXGK_ALLOCATIONLIST),
           FIELD_LIVES_OR_NULL(DXGK_ALLOCATIONLIST, hDeviceSpecificAllocation, TRACKED_OPENING)),
    KERNEL(CANCEL_013, CancelCommand, cancel_list),
    KERNEL(CANCEL_014, CancelCommand, cancel_patches),
    KERNEL(CANCEL_015, CancelCommand, cancel_window),
    KERNEL(CANCEL_016, CancelCommand, cancel_address),
    KERNEL(CANCEL_017, CancelCommand,
           FIELD_AT_MOST_OTHER(DXGKARG_CANCELCOMMAND, DmaBufferUmdPrivateDataSize,
                               DmaBufferPrivateDataSize)),
};

const struct contract_family contract_family_kernel_submit = FAMILY_OF(rows);
