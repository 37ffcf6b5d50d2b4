/* Hardware contexts and hardware queues. */
#include "contract/internal.h"
#include "contract/tracker.h"

/* ---- Contexts -------------------------------------------------------------------------------- */

void track_create_hw_context(struct contract_call *call)
{
    const DXGKARG_CREATEHWCONTEXT *arguments = call->arguments, *before = call->before;
    struct contract_object *context =
        contract_object_add(call->tracker, TRACKED_HW_CONTEXT, arguments->hHwContext, call->first);

    context->node = before->NodeOrdinal;
    context->virtual_addresses = true;
    context->has_root = false;
}

void track_destroy_hw_context(struct contract_call *call)
{
    contract_object_drop(call->tracker, TRACKED_HW_CONTEXT, call->first);
}

struct contract_object *contract_rooted_find(struct contract_tracker *tracker, HANDLE handle)
{
    struct contract_object *context = contract_object_find(tracker, TRACKED_CONTEXT, handle);
    struct contract_object *other = contract_object_find(tracker, TRACKED_HW_CONTEXT, handle);

    return context && other ? NULL : context ? context : other;
}

/* ---- Queues ---------------------------------------------------------------------------------- */

static void count_queue(struct contract_tracker *tracker, HANDLE context, int step)
{
    struct contract_object *object = contract_object_find(tracker, TRACKED_HW_CONTEXT, context);

    if (object && (step > 0 || object->child_count > 0)) {
        object->child_count += (unsigned)step;
    }
}

void track_create_hw_queue(struct contract_call *call)
{
    const DXGKARG_CREATEHWQUEUE *arguments = call->arguments, *before = call->before;
    struct contract_object *queue =
        contract_object_add(call->tracker, TRACKED_HW_QUEUE, arguments->hHwQueue, NULL);

    queue->target = call->first;
    queue->fence_cpu = before->HwQueueProgressFenceCPUVirtualAddress;
    queue->fence_gpu = before->HwQueueProgressFenceGPUVirtualAddress;
    queue->last_progress = 0;
    count_queue(call->tracker, call->first, 1);
}

void track_destroy_hw_queue(struct contract_call *call)
{
    const struct contract_object *queue =
        contract_object_find(call->tracker, TRACKED_HW_QUEUE, call->first);

    if (queue) {
        count_queue(call->tracker, queue->target, -1);
        contract_object_drop(call->tracker, TRACKED_HW_QUEUE, call->first);
    }
}

/* Before a reset nobody can say; after it what was under way is over, and its device is lost. */
bool contract_queues_rest(struct contract_tracker *tracker, HANDLE context)
{
    struct contract_object *object, *next;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        bool of_context = object->key.kind == TRACKED_HW_QUEUE && object->target == context;
        if (of_context && object->last_progress > 0 &&
            __atomic_load_n((const UINT64 *)object->fence_cpu, __ATOMIC_ACQUIRE) <
                object->last_progress) {
            return false;
        }
    }
    return true;
}

/* ---- Submissions ----------------------------------------------------------------------------- */

static struct contract_object *queue_of(const struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMANDTOHWQUEUE *submit = call->before ? call->before : call->arguments;

    return contract_object_find(call->tracker, TRACKED_HW_QUEUE, submit->hHwQueue);
}

void track_submit_to_queue(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMANDTOHWQUEUE *submit = call->arguments;
    struct contract_object *queue = queue_of(call);

    if (!queue) {
        return; /* the rows say so */
    }
    queue->submitting++;
    queue->last_progress = submit->HwQueueProgressFenceId;
    contract_validated_forget(
        queue,
        &(struct contract_validated){.commands = submit->DmaBufferVirtualAddress,
                                     .length = submit->DmaBufferSize,
                                     .client_bytes = submit->DmaBufferPrivateDataSize,
                                     .data_bytes = submit->DmaBufferPrivateDataSize,
                                     .progress = submit->HwQueueProgressFenceId},
        submit->pDmaBufferPrivateData);
}

void track_end_submit_to_queue(struct contract_call *call)
{
    struct contract_object *queue = queue_of(call);

    if (queue && queue->submitting > 0) {
        queue->submitting--;
    }
}
