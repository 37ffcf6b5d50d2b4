/* The kernel's own duties: hardware contexts, hardware queues and what is submitted to them. */
#include "contract/internal.h"
#include "contract/tracker.h"

#include "machine/machine.h"

/* ---- Making and ending ----------------------------------------------------------------------- */

static bool no_queue_left(struct contract_call *call)
{
    const struct contract_object *context =
        contract_object_find(call->tracker, TRACKED_HW_CONTEXT, call->first);

    return KERNEL_KEEPS(call, !context || context->child_count == 0,
                        "its hardware queues destroyed before", "%u are left",
                        context->child_count);
}

/* ---- Submissions ----------------------------------------------------------------------------- */

static const DXGKARG_SUBMITCOMMANDTOHWQUEUE *submit_of(const struct contract_call *call)
{
    return call->arguments;
}

static struct contract_object *queue_of(const struct contract_call *call)
{
    return contract_object_find(call->tracker, TRACKED_HW_QUEUE, submit_of(call)->hHwQueue);
}

static bool names_a_queue(const struct contract_call *call)
{
    return queue_of(call) != NULL;
}

static bool comes_alone(struct contract_call *call)
{
    return KERNEL_KEEPS(call,
                        queue_of(call)->submitting == 0 && call->irql <= MACHINE_IRQL_DISPATCH,
                        "one call for a hardware queue at a time, at DISPATCH_LEVEL or below",
                        "%u others, IRQL %u", queue_of(call)->submitting, call->irql);
}

static bool id_grows(struct contract_call *call)
{
    return KERNEL_KEEPS(call,
                        submit_of(call)->HwQueueProgressFenceId > queue_of(call)->last_progress,
                        "progress ids that grow along the queue", "%llu behind %llu",
                        (unsigned long long)submit_of(call)->HwQueueProgressFenceId,
                        (unsigned long long)queue_of(call)->last_progress);
}

static bool names_its_fence(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMANDTOHWQUEUE *submit = submit_of(call);
    const struct contract_object *queue = queue_of(call);

    return KERNEL_KEEPS(call,
                        submit->HwQueueProgressFenceGpuVa == queue->fence_gpu &&
                            submit->HwQueueProgressFenceCpuVa == queue->fence_cpu,
                        "the addresses that CreateHwQueue was given", "0x%llX and %p",
                        (unsigned long long)submit->HwQueueProgressFenceGpuVa,
                        submit->HwQueueProgressFenceCpuVa);
}

static bool has_root(struct contract_call *call)
{
    const struct contract_object *context =
        contract_object_find(call->tracker, TRACKED_HW_CONTEXT, queue_of(call)->target);

    return KERNEL_KEEPS(call, !context || context->has_root,
                        "SetRootPageTable before, of the hardware context", "none");
}

static bool has_properties(struct contract_call *call)
{
    const struct contract_object *context =
        contract_object_find(call->tracker, TRACKED_HW_CONTEXT, queue_of(call)->target);

    return KERNEL_KEEPS(call,
                        !context || context->has_properties ||
                            !call->tracker->has[POINT_SetContextSchedulingProperties],
                        "SetContextSchedulingProperties before the first work of a context",
                        "none");
}

static bool has_bands(struct contract_call *call)
{
    return KERNEL_KEEPS(call,
                        call->tracker->has_bands || !call->tracker->has[POINT_SetupPriorityBands],
                        "SetupPriorityBands before the first work of the GPU", "none");
}

/* ---- One engine ------------------------------------------------------------------------------ */

static bool was_reset(struct contract_call *call)
{
    const DXGKARG_RESUMEHWENGINE *resume = call->arguments;
    UINT node = resume->NodeOrdinal;

    return KERNEL_KEEPS(call, node < CONTRACT_NODES_MAX && call->tracker->nodes[node].stands,
                        "an engine that ResetHwEngine reset before", "node %u", node);
}

/* If it was not resumed, all of the adapter is reset first. */
static bool engine_goes_on(struct contract_call *call)
{
    UINT node = queue_of(call)->node;

    return KERNEL_KEEPS(call, !call->tracker->nodes[node % CONTRACT_NODES_MAX].stands,
                        "an engine that ResumeHwEngine resumed, or a reset of the adapter",
                        "node %u", node);
}

/* ---- Paging ---------------------------------------------------------------------------------- */

static bool is_paging(const struct contract_call *call)
{
    return submit_of(call)->Flags.Paging && !call->tracker->paging.parts_lost;
}

static bool part_was_built(struct contract_call *call)
{
    return contract_part_was_built(call, submit_of(call)->DmaBufferVirtualAddress,
                                   submit_of(call)->DmaBufferSize);
}

/* As PresentToHwQueue left it, and SignalMonitoredFence behind that. */
static const struct contract_buffer *presented(const struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMANDTOHWQUEUE *submit = submit_of(call);
    struct contract_buffer *buffer, *next;

    HASH_ITER(hh, call->tracker->buffers, buffer, next)
    {
        if (buffer->present && buffer->context == submit->hHwQueue &&
            buffer->virtual_address == submit->DmaBufferVirtualAddress) {
            return buffer;
        }
    }
    return NULL;
}

static bool is_present(const struct contract_call *call)
{
    return submit_of(call)->Flags.Present && presented(call);
}

static bool all_of_it(struct contract_call *call)
{
    const struct contract_buffer *buffer = presented(call);

    return KERNEL_KEEPS(call, submit_of(call)->DmaBufferSize >= buffer->used,
                        "what PresentToHwQueue wrote, and the signal behind it", "%u of %u bytes",
                        submit_of(call)->DmaBufferSize, buffer->used);
}

/* No bit but Paging, which all of the system's have and nobody else's, and Present. */
static bool flags_say_whose(struct contract_call *call)
{
    DXGK_SUBMITCOMMANDFLAGS wanted = {{{0}}};
    const struct contract_object *queue = queue_of(call);

    wanted.Present = presented(call) != NULL;
    wanted.Paging = queue && contract_hw_context_is_systems(call->tracker, queue->target);
    return KERNEL_KEEPS(
        call, submit_of(call)->Flags.Value == wanted.Value,
        "Paging for the system's queue, Present for what PresentToHwQueue wrote, and "
        "no flag for a client's",
        "0x%X", submit_of(call)->Flags.Value);
}

/* Of what the signal at the end of a part says. */
static bool signals_what_is_next(struct contract_call *call)
{
    const DXGKARG_BUILDPAGINGBUFFER *paging = call->arguments;

    return KERNEL_KEEPS(
        call,
        paging->SignalMonitoredFence.MonitoredFenceValue > call->tracker->signalled &&
            paging->SignalMonitoredFence.MonitoredFenceGpuVa != 0,
        "a value larger than the one before, and a place for it", "0x%llX at 0x%llX, behind 0x%llX",
        (unsigned long long)paging->SignalMonitoredFence.MonitoredFenceValue,
        (unsigned long long)paging->SignalMonitoredFence.MonitoredFenceGpuVa,
        (unsigned long long)call->tracker->signalled);
}

static bool suspend_fence_grows(struct contract_call *call)
{
    const DXGKARG_SUSPENDCONTEXT *suspend = call->arguments;
    const struct contract_object *context =
        contract_object_find(call->tracker, TRACKED_HW_CONTEXT, suspend->hContext);

    return KERNEL_KEEPS(call, context && suspend->contextSuspendFence > context->last_suspend_fence,
                        "a hardware context, and a fence larger than the last one", "%llu",
                        (unsigned long long)suspend->contextSuspendFence);
}

/* ---- As the driver took it ------------------------------------------------------------------- */

static bool was_to_be_validated(const struct contract_call *call)
{
    const struct contract_object *queue = queue_of(call);

    return !submit_of(call)->Flags.Paging && !presented(call) &&
           call->tracker->has[POINT_ValidateSubmitCommand] && queue && !queue->validated_lost &&
           submit_of(call)->DmaBufferPrivateDataSize > 0 && submit_of(call)->pDmaBufferPrivateData;
}

/* One of the queue's is like it in all but `aside`, whatever its id is if `any_id`. */
static bool is_known(const struct contract_call *call, unsigned aside, bool any_id)
{
    const struct contract_object *queue = queue_of(call);
    struct contract_validated wanted = {
        .commands = submit_of(call)->DmaBufferVirtualAddress,
        .length = submit_of(call)->DmaBufferSize,
        .client_bytes = submit_of(call)->DmaBufferPrivateDataSize,
        .data_bytes = submit_of(call)->DmaBufferPrivateDataSize,
        .progress = submit_of(call)->HwQueueProgressFenceId,
    };

    contract_validated_hash(&wanted, submit_of(call)->pDmaBufferPrivateData);
    if (!any_id) {
        return contract_validated_find(queue, &wanted, CONTRACT_ALIKE_ALL & ~aside) != NULL;
    }
    for (unsigned i = 0; i < queue->validated_count; i++) {
        wanted.progress = queue->validated[i].progress;
        if (contract_validated_find(queue, &wanted, CONTRACT_ALIKE_ALL & ~aside)) {
            return true;
        }
    }
    return false;
}

static bool begins_where_it_was_validated(struct contract_call *call)
{
    return KERNEL_KEEPS(call,
                        is_known(call, 0, false) || !is_known(call, CONTRACT_ALIKE_ADDRESS, false),
                        "Commands, as ValidateSubmitCommand was shown it", "0x%llX",
                        (unsigned long long)submit_of(call)->DmaBufferVirtualAddress);
}

static bool has_the_validated_id(struct contract_call *call)
{
    return KERNEL_KEEPS(call, is_known(call, 0, false) || !is_known(call, 0, true),
                        "HwQueueProgressFenceId, as ValidateSubmitCommand was shown it", "%llu",
                        (unsigned long long)submit_of(call)->HwQueueProgressFenceId);
}

/* Who is not known under any id was never shown, or as a submission to contexts. */
static bool was_validated_for_a_queue(struct contract_call *call)
{
    bool known = is_known(call, 0, true);

    for (unsigned aside = 1; aside < CONTRACT_ALIKE_ALL; aside <<= 1) {
        known |= is_known(call, aside, false);
    }
    return KERNEL_KEEPS(
        call, known, "what ValidateSubmitCommand took before, with HardwareQueueSubmission",
        "0x%llX, %u bytes", (unsigned long long)submit_of(call)->DmaBufferVirtualAddress,
        submit_of(call)->DmaBufferSize);
}

static const struct contract_row rows[] = {
    KERNEL(GEN_005, CreateHwContext, HANDLE_LIVES(TRACKED_DEVICE)),
    KERNEL(HWQ_011, CreateHwContext, FIELD_NOT_ZERO(DXGKARG_CREATEHWCONTEXT, hHwContext)),
    KERNEL(HWQ_011, DestroyHwContext, HANDLE_LIVES(TRACKED_HW_CONTEXT)),
    KERNEL(GEN_005, DestroyHwContext, no_queue_left),
    KERNEL(GEN_005, CreateHwQueue, HANDLE_LIVES(TRACKED_HW_CONTEXT)),
    KERNEL(HWQ_011, SignalMonitoredFence, HANDLE_LIVES(TRACKED_HW_CONTEXT)),
    KERNEL(HWQ_010, CreateHwQueue, FIELD_NOT_ZERO(DXGKARG_CREATEHWQUEUE, hHwQueueProgressFence)),
    KERNEL(HWQ_010, CreateHwQueue,
           FIELD_NOT_ZERO(DXGKARG_CREATEHWQUEUE, HwQueueProgressFenceCPUVirtualAddress)),
    KERNEL(HWQ_010, CreateHwQueue,
           FIELD_NOT_ZERO(DXGKARG_CREATEHWQUEUE, HwQueueProgressFenceGPUVirtualAddress)),
    KERNEL(HWQ_010, DestroyHwQueue, HANDLE_LIVES(TRACKED_HW_QUEUE)),

    KERNEL(HWQ_003, SubmitCommandToHwQueue,
           FIELD_LIVES(DXGKARG_SUBMITCOMMANDTOHWQUEUE, hHwQueue, TRACKED_HW_QUEUE)),
    KERNEL(HWQ_001, SubmitCommandToHwQueue, comes_alone, WHEN(names_a_queue)),
    KERNEL(HWQ_004, SubmitCommandToHwQueue, id_grows, WHEN(names_a_queue)),
    KERNEL(HWQ_005, SubmitCommandToHwQueue,
           FIELD_NOT_ZERO(DXGKARG_SUBMITCOMMANDTOHWQUEUE, DmaBufferSize),
           LEAVES_OUT("whether all of it is mapped: a client may name what is not, and the GPU "
                      "faults")),
    KERNEL(HWQ_005, SubmitCommandToHwQueue, begins_where_it_was_validated,
           WHEN(was_to_be_validated)),
    KERNEL(HWQ_005, SubmitCommandToHwQueue, part_was_built, WHEN(is_paging)),
    KERNEL(HWQ_005, SubmitCommandToHwQueue, all_of_it, WHEN(is_present)),
    KERNEL(HWQ_007, SubmitCommandToHwQueue, flags_say_whose),
    KERNEL(SMF_002, BuildPagingBuffer, signals_what_is_next, OPERATION(SIGNAL_MONITORED_FENCE),
           LEAVES_OUT("that it is the id of the submission: the end of the packet shows it")),
    KERNEL(HWQ_008, SubmitCommandToHwQueue, names_its_fence, WHEN(names_a_queue),
           LEAVES_OUT("when the fence is written, which the GPU does")),
    KERNEL(HWQ_023, ResumeHwEngine, was_reset,
           LEAVES_OUT("that its interrupts are on again: the kernel hears them from then on")),
    KERNEL(HWQ_023, SubmitCommandToHwQueue, engine_goes_on, WHEN(names_a_queue)),
    KERNEL(HWQ_018, SubmitCommandToHwQueue, has_properties, WHEN(names_a_queue)),
    KERNEL(HWQ_019, SubmitCommandToHwQueue, has_bands),
    KERNEL(HWQ_018, SetContextSchedulingProperties,
           FIELD_LIVES(DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES, hContext, TRACKED_HW_CONTEXT)),
    KERNEL(HWQ_015, SuspendContext, suspend_fence_grows),
    KERNEL(HWQ_017, ResumeContext,
           FIELD_LIVES(DXGKARG_RESUMECONTEXT, hContext, TRACKED_HW_CONTEXT)),
    KERNEL(PT_001, SubmitCommandToHwQueue, has_root, WHEN(names_a_queue)),
    KERNEL(VALID_009, SubmitCommandToHwQueue, was_validated_for_a_queue, WHEN(was_to_be_validated)),
    KERNEL(VALID_019, SubmitCommandToHwQueue, has_the_validated_id, WHEN(was_to_be_validated)),
};

const struct contract_family contract_family_kernel_queues = FAMILY_OF(rows);
