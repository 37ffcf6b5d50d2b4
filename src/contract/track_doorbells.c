/* Doorbells of hardware queues that clients submit to by themselves. */
#include "contract/doorbells.h"
#include "contract/internal.h"

static struct contract_object *queue_of(struct contract_tracker *tracker, HANDLE handle)
{
    return contract_object_find(tracker, TRACKED_HW_QUEUE, handle);
}

void track_create_doorbell(struct contract_call *call)
{
    const DXGKARG_CREATEDOORBELL *arguments = call->arguments, *before = call->before;
    if (!arguments->hDoorbell) {
        return; /* there is nothing that the kernel could end */
    }
    struct contract_object *doorbell =
        contract_object_add(call->tracker, TRACKED_DOORBELL, arguments->hDoorbell, NULL);
    struct contract_object *queue = queue_of(call->tracker, before->hHwQueue);

    doorbell->target = before->hHwQueue;
    doorbell->named = before->hDoorbell;
    if (queue) {
        queue->child_count++;
    }
}

static void set_connected(struct contract_call *call, HANDLE handle, bool connected)
{
    struct contract_object *doorbell =
        contract_object_find(call->tracker, TRACKED_DOORBELL, handle);

    if (doorbell) {
        doorbell->connected = connected;
        doorbell->ever_connected |= connected;
    }
}

/* At entry: what the driver says of it in the call comes later. */
void track_connect_doorbell(struct contract_call *call)
{
    set_connected(call, ((const DXGKARG_CONNECTDOORBELL *)call->arguments)->hDoorbell, true);
}

void track_end_connect_doorbell(struct contract_call *call)
{
    if (!has_succeeded(call)) {
        set_connected(call, ((const DXGKARG_CONNECTDOORBELL *)call->before)->hDoorbell, false);
    }
}

void track_disconnect_doorbell(struct contract_call *call)
{
    set_connected(call, ((const DXGKARG_DISCONNECTDOORBELL *)call->before)->hDoorbell, false);
}

/* At its return: until then the driver may take it back for another queue. */
void track_destroy_doorbell(struct contract_call *call)
{
    const DXGKARG_DESTROYDOORBELL *arguments = call->before;
    const struct contract_object *doorbell =
        contract_object_find(call->tracker, TRACKED_DOORBELL, arguments->hDoorbell);
    struct contract_object *queue = doorbell ? queue_of(call->tracker, doorbell->target) : NULL;

    if (queue && queue->child_count > 0) {
        queue->child_count--;
    }
    contract_object_drop(call->tracker, TRACKED_DOORBELL, arguments->hDoorbell);
}

struct contract_object *contract_doorbell_of(struct contract_tracker *tracker, HANDLE queue_handle)
{
    const struct contract_object *queue = contract_hw_queue_named(tracker, queue_handle);
    struct contract_object *object, *next;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        if (queue && object->key.kind == TRACKED_DOORBELL && object->target == queue->key.handle) {
            return object;
        }
    }
    return NULL;
}

/* The driver's callback: from its return on. In ConnectDoorbell of the same it says nothing new. */
void track_doorbell_taken_back(struct contract_call *call)
{
    const DXGKARGCB_DISCONNECTDOORBELL *request = call->arguments;
    struct contract_object *doorbell =
        request ? contract_doorbell_of(call->tracker, request->hHwQueue) : NULL;

    if (doorbell) {
        doorbell->connected = false;
    }
}

void track_user_nodes(struct contract_tracker *tracker, const DXGKARG_GETNODEMETADATA *answer)
{
    tracker->user_submission |=
        tracker->features.user_submission && answer->Flags.UserModeSubmission;
}
