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
    context->named = before->hHwContext;
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

struct contract_object *contract_hw_context_named(struct contract_tracker *tracker, HANDLE handle)
{
    struct contract_object *object = contract_object_find(tracker, TRACKED_HW_CONTEXT, handle);
    struct contract_object *next;

    if (object) {
        return object;
    }
    HASH_ITER(hh, tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_HW_CONTEXT && object->named == handle) {
            return object;
        }
    }
    return NULL;
}

void track_set_properties(struct contract_call *call)
{
    const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES *arguments = call->arguments;
    struct contract_object *context =
        contract_object_find(call->tracker, TRACKED_HW_CONTEXT, arguments->hContext);

    if (context) {
        context->has_properties = true;
    }
}

void track_bands(struct contract_call *call)
{
    call->tracker->has_bands = true;
}

/* ---- Suspension ------------------------------------------------------------------------------ */

void track_suspend(struct contract_call *call)
{
    const DXGKARG_SUSPENDCONTEXT *arguments = call->arguments;
    struct contract_object *context =
        contract_object_find(call->tracker, TRACKED_HW_CONTEXT, arguments->hContext);

    if (context) {
        context->last_suspend_fence = arguments->contextSuspendFence;
        context->was_suspended = context->suspended;
        context->asked_to_suspend = true;
        context->suspended = false;
    }
}

UINT64 contract_queue_fence(const struct contract_object *queue)
{
    return __atomic_load_n((const UINT64 *)queue->fence_cpu, __ATOMIC_ACQUIRE);
}

/* From now on none of its queues gets further. */
static void now_suspended(struct contract_tracker *tracker, struct contract_object *context)
{
    struct contract_object *object, *next;

    context->suspended = true;
    HASH_ITER(hh, tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_HW_QUEUE && object->target == context->key.handle) {
            object->stood_at = contract_queue_fence(object);
        }
    }
}

void track_end_suspend(struct contract_call *call)
{
    const DXGKARG_SUSPENDCONTEXT *arguments = call->arguments;
    struct contract_object *context =
        contract_object_find(call->tracker, TRACKED_HW_CONTEXT, arguments->hContext);

    if (context && call->status == STATUS_SUCCESS) {
        now_suspended(call->tracker, context);
    }
}

/* The driver's notice. One that was on its way when the context was resumed says nothing. */
void track_suspended(struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = call->arguments;
    struct contract_object *context =
        contract_hw_context_named(call->tracker, data->SuspendContextCompleted.hContext);

    if (context && context->asked_to_suspend &&
        context->last_suspend_fence == data->SuspendContextCompleted.ContextSuspendFence) {
        now_suspended(call->tracker, context);
    }
}

void track_resume(struct contract_call *call)
{
    const DXGKARG_RESUMECONTEXT *arguments = call->arguments;
    struct contract_object *context =
        contract_object_find(call->tracker, TRACKED_HW_CONTEXT, arguments->hContext);

    if (context) {
        context->suspended = context->asked_to_suspend = false;
    }
}

static HANDLE process_of(struct contract_tracker *tracker, const struct contract_object *context)
{
    const struct contract_object *device =
        contract_object_find(tracker, TRACKED_DEVICE, context->parent);

    return device ? device->process : NULL;
}

bool contract_hw_context_is_systems(struct contract_tracker *tracker, HANDLE context)
{
    const struct contract_object *object =
        contract_object_find(tracker, TRACKED_HW_CONTEXT, context);

    return object && tracker->system_process &&
           process_of(tracker, object) == tracker->system_process;
}

const struct contract_object *contract_hw_context_running(struct contract_tracker *tracker,
                                                          HANDLE process)
{
    struct contract_object *object, *next;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_HW_CONTEXT && !object->suspended &&
            process_of(tracker, object) == process &&
            !contract_queues_rest(tracker, object->key.handle)) {
            return object;
        }
    }
    return NULL;
}

/* ---- One engine ------------------------------------------------------------------------------ */

/* Whose work is on the engine, so far as their fences tell. */
void track_begin_reset_hw_engine(struct contract_call *call)
{
    const DXGKARG_RESETHWENGINE *arguments = call->arguments;
    struct contract_object *object, *next;
    unsigned node = arguments->NodeOrdinal, hurt = 0;

    if (node >= CONTRACT_NODES_MAX) {
        return;
    }
    HASH_ITER(hh, call->tracker->objects, object, next)
    {
        hurt += object->key.kind == TRACKED_HW_CONTEXT && object->node == node &&
                !object->suspended && !contract_queues_rest(call->tracker, object->key.handle);
    }
    call->tracker->nodes[node].hurt = hurt;
    call->tracker->nodes[node].named = 0;
}

void track_invalidate(struct contract_call *call)
{
    const DXGKARGCB_INVALIDATEHWCONTEXT *arguments = call->arguments;
    const struct contract_object *context =
        arguments ? contract_hw_context_named(call->tracker, arguments->hHwContext) : NULL;

    if (context && context->node < CONTRACT_NODES_MAX) {
        call->tracker->nodes[context->node].named++;
    }
}

void track_reset_hw_engine(struct contract_call *call)
{
    const DXGKARG_RESETHWENGINE *before = call->before;

    if (before->NodeOrdinal < CONTRACT_NODES_MAX) {
        call->tracker->nodes[before->NodeOrdinal].waits_for_resume = true;
        call->tracker->nodes[before->NodeOrdinal].stands = true;
        track_reset_queues(call->tracker, before->NodeOrdinal);
    }
}

void track_resume_hw_engine(struct contract_call *call)
{
    const DXGKARG_RESUMEHWENGINE *arguments = call->arguments;

    if (arguments->NodeOrdinal < CONTRACT_NODES_MAX) {
        call->tracker->nodes[arguments->NodeOrdinal].waits_for_resume = false;
    }
}

void track_end_resume_hw_engine(struct contract_call *call)
{
    const DXGKARG_RESUMEHWENGINE *before = call->before;

    if (before->NodeOrdinal < CONTRACT_NODES_MAX && NT_SUCCESS(call->status)) {
        call->tracker->nodes[before->NodeOrdinal].stands = false;
    }
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
    queue->named = before->hHwQueue;
    queue->users = before->Flags.UserModeSubmission;
    queue->fence_cpu = before->HwQueueProgressFenceCPUVirtualAddress;
    queue->fence_gpu = before->HwQueueProgressFenceGPUVirtualAddress;
    const struct contract_object *context =
        contract_object_find(call->tracker, TRACKED_HW_CONTEXT, call->first);
    queue->node = context ? context->node : 0;
    queue->last_progress = queue->owed_progress = 0;
    count_queue(call->tracker, call->first, 1);
}

/* Another one may get its handle, and another buffer, or a client's, the address. */
void track_forget_presents(struct contract_tracker *tracker, HANDLE presenter)
{
    struct contract_buffer *buffer, *next;

    HASH_ITER(hh, tracker->buffers, buffer, next)
    {
        if (buffer->present && buffer->context == presenter) {
            buffer->present = false;
        }
    }
}

void track_destroy_hw_queue(struct contract_call *call)
{
    const struct contract_object *queue =
        contract_object_find(call->tracker, TRACKED_HW_QUEUE, call->first);

    if (queue) {
        count_queue(call->tracker, queue->target, -1);
        track_forget_presents(call->tracker, call->first);
        contract_object_drop(call->tracker, TRACKED_HW_QUEUE, call->first);
    }
}

/* No engine runs: what becomes of the fences until the call returns is the driver's doing. */
void track_queues_at_rest(struct contract_call *call)
{
    struct contract_object *object, *next;

    HASH_ITER(hh, call->tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_HW_QUEUE) {
            object->rested_at = contract_queue_fence(object);
        }
    }
}

/* How far a queue is whose fence went back, nobody can say any more. */
void track_queues_woken(struct contract_call *call)
{
    struct contract_object *object, *next;

    HASH_ITER(hh, call->tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_HW_QUEUE &&
            contract_queue_fence(object) < object->rested_at) {
            object->owed_progress = 0;
        }
    }
}

const struct contract_object *contract_queue_went_back(struct contract_tracker *tracker)
{
    struct contract_object *object, *next;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_HW_QUEUE &&
            contract_queue_fence(object) < object->rested_at) {
            return object;
        }
    }
    return NULL;
}

bool contract_queues_rest(struct contract_tracker *tracker, HANDLE context)
{
    struct contract_object *object, *next;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        bool of_context = object->key.kind == TRACKED_HW_QUEUE && object->target == context;
        if (of_context && object->owed_progress > 0 &&
            contract_queue_fence(object) < object->owed_progress) {
            return false;
        }
    }
    return true;
}

const struct contract_object *contract_hw_queue_named(struct contract_tracker *tracker,
                                                      HANDLE handle)
{
    struct contract_object *object = contract_object_find(tracker, TRACKED_HW_QUEUE, handle);
    struct contract_object *next;

    if (object) {
        return object;
    }
    HASH_ITER(hh, tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_HW_QUEUE && object->named == handle) {
            return object;
        }
    }
    return NULL;
}

const struct contract_object *contract_queue_of_node(struct contract_tracker *tracker,
                                                     unsigned node)
{
    struct contract_object *object, *next;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_HW_QUEUE && object->node == node) {
            return object;
        }
    }
    return NULL;
}

bool contract_node_has_queued(struct contract_tracker *tracker, unsigned node)
{
    struct contract_object *object, *next;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_HW_QUEUE && object->node == node &&
            contract_queue_fence(object) < object->owed_progress) {
            return true;
        }
    }
    return false;
}

const struct contract_object *contract_queue_alone(struct contract_tracker *tracker, unsigned node)
{
    const struct contract_object *found = NULL;
    struct contract_object *object, *next;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_HW_QUEUE && object->node == node &&
            contract_queue_fence(object) < object->owed_progress) {
            if (found) {
                return NULL;
            }
            found = object;
        }
    }
    return found;
}

const struct contract_object *contract_queue_went_on(struct contract_tracker *tracker,
                                                     HANDLE context, UINT64 *fence)
{
    struct contract_object *object, *next;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        if (object->key.kind != TRACKED_HW_QUEUE || object->target != context) {
            continue;
        }
        *fence = contract_queue_fence(object);
        /* The largest value is that of a fence that was lost. */
        if (*fence > object->stood_at && *fence <= object->last_progress) {
            return object;
        }
    }
    return NULL;
}

void track_reset_queues(struct contract_tracker *tracker, unsigned node)
{
    struct contract_object *object, *next;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_HW_QUEUE &&
            (node == CONTRACT_NODES_MAX || object->node == node)) {
            object->owed_progress = 0;
        }
    }
    for (unsigned i = 0; node == CONTRACT_NODES_MAX && i < CONTRACT_NODES_MAX; i++) {
        tracker->nodes[i].stands = tracker->nodes[i].waits_for_resume = false;
    }
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
    queue->last_progress = queue->owed_progress = submit->HwQueueProgressFenceId;
    if (submit->Flags.Paging) {
        track_take_part(call->tracker);
        return; /* nobody validates it */
    }
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
    if (queue && call->status != STATUS_SUCCESS) {
        queue->owed_progress = 0; /* what was before it is under way, and nobody knows how far */
    }
}
