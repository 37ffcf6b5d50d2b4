/* The kernel's own duties: doorbells, and the queues that they belong to. */
#include "contract/doorbells.h"
#include "contract/internal.h"

static bool queue_wants_one(struct contract_call *call)
{
    const DXGKARG_CREATEDOORBELL *create = call->arguments;
    const struct contract_object *queue =
        contract_object_find(call->tracker, TRACKED_HW_QUEUE, create->hHwQueue);

    return KERNEL_KEEPS(call, queue && queue->users && queue->child_count == 0,
                        "a hardware queue with UserModeSubmission that has no doorbell",
                        "%p, %s, with %u", create->hHwQueue,
                        !queue         ? "which is none"
                        : queue->users ? "which is one"
                                       : "without UserModeSubmission",
                        queue ? queue->child_count : 0);
}

static bool is_apart(struct contract_call *call)
{
    const DXGKARG_CONNECTDOORBELL *connect = call->arguments;
    const struct contract_object *doorbell =
        contract_object_find(call->tracker, TRACKED_DOORBELL, connect->hDoorbell);

    return KERNEL_KEEPS(call, doorbell && !doorbell->connected,
                        "a doorbell that lives and is not connected", "%p, which %s",
                        connect->hDoorbell, doorbell ? "is connected" : "is none");
}

static bool was_connected(struct contract_call *call)
{
    const DXGKARG_DISCONNECTDOORBELL *disconnect = call->arguments;
    const struct contract_object *doorbell =
        contract_object_find(call->tracker, TRACKED_DOORBELL, disconnect->hDoorbell);

    return KERNEL_KEEPS(call, doorbell && doorbell->ever_connected,
                        "a doorbell that lives and was connected before", "%p, which %s",
                        disconnect->hDoorbell, doorbell ? "never was" : "is none");
}

static bool no_doorbell_left(struct contract_call *call)
{
    const struct contract_object *queue =
        contract_object_find(call->tracker, TRACKED_HW_QUEUE, call->first);

    return KERNEL_KEEPS(call, !queue || queue->child_count == 0, "its doorbell destroyed before",
                        "%u left", queue->child_count);
}

static bool is_the_kernels(struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMANDTOHWQUEUE *submit = call->arguments;
    const struct contract_object *queue =
        contract_object_find(call->tracker, TRACKED_HW_QUEUE, submit->hHwQueue);

    return KERNEL_KEEPS(call, !queue || !queue->users,
                        "a hardware queue without UserModeSubmission",
                        "%p, which its client "
                        "submits to by itself",
                        submit->hHwQueue);
}

static bool queue_has_one(struct contract_call *call)
{
    const DXGKARG_NOTIFYWORKSUBMISSION *notify = call->arguments;
    const struct contract_object *queue =
        contract_object_find(call->tracker, TRACKED_HW_QUEUE, notify->hHwQueue);

    return KERNEL_KEEPS(call, queue && queue->child_count > 0,
                        "a hardware queue that has a doorbell", "%p, which %s", notify->hHwQueue,
                        queue ? "has none" : "is none");
}

static const struct contract_row rows[] = {
    KERNEL(DOORB_020, CreateDoorbell, queue_wants_one),
    KERNEL(DOORB_020, CreateDoorbell,
           FIELD_LIVES(DXGKARG_CREATEDOORBELL, hRingBuffer, TRACKED_ALLOCATION)),
    KERNEL(DOORB_020, CreateDoorbell,
           FIELD_LIVES_OR_NULL(DXGKARG_CREATEDOORBELL, hRingBufferControl, TRACKED_ALLOCATION)),
    KERNEL(DOORB_021, ConnectDoorbell, is_apart),
    KERNEL(DOORB_022, DisconnectDoorbell, was_connected),
    KERNEL(DOORB_023, DestroyHwQueue, no_doorbell_left),
    KERNEL(DOORB_024, SubmitCommandToHwQueue, is_the_kernels),
    KERNEL(DOORB_025, NotifyWorkSubmission, queue_has_one),
    KERNEL(DOORB_026, DestroyDoorbell,
           FIELD_LIVES(DXGKARG_DESTROYDOORBELL, hDoorbell, TRACKED_DOORBELL)),
};

const struct contract_family contract_family_kernel_doorbells = FAMILY_OF(rows);
