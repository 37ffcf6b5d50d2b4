/* Native fences, the views that processes have of them, and notifications of frames. */
#include "contract/internal.h"
#include "contract/tracker.h"

void track_create_fence(struct contract_call *call)
{
    const DXGKARG_CREATENATIVEFENCE *arguments = call->arguments, *before = call->before;
    struct contract_object *fence = contract_object_add(call->tracker, TRACKED_NATIVE_FENCE,
                                                        arguments->hGlobalNativeFence, NULL);

    fence->named = before->hGlobalNativeFence;
}

/* At its return: until then the interrupt routine may name it. */
void track_destroy_fence(struct contract_call *call)
{
    const DXGKARG_DESTROYNATIVEFENCE *before = call->before;

    contract_object_drop(call->tracker, TRACKED_NATIVE_FENCE, before->hGlobalNativeFence);
}

static void count_view(struct contract_tracker *tracker, HANDLE handle, int step)
{
    struct contract_object *fence = contract_object_find(tracker, TRACKED_NATIVE_FENCE, handle);

    if (fence && (step > 0 || fence->child_count > 0)) {
        fence->child_count += (unsigned)step;
    }
}

void track_open_fence(struct contract_call *call)
{
    const DXGKARG_OPENNATIVEFENCE *arguments = call->arguments, *before = call->before;
    struct contract_object *view =
        contract_object_add(call->tracker, TRACKED_LOCAL_FENCE, arguments->hLocalNativeFence, NULL);

    view->target = before->hGlobalNativeFence;
    count_view(call->tracker, view->target, 1);
}

void track_close_fence(struct contract_call *call)
{
    const DXGKARG_CLOSENATIVEFENCE *arguments = call->arguments;
    const struct contract_object *view =
        contract_object_find(call->tracker, TRACKED_LOCAL_FENCE, arguments->hLocalNativeFence);

    if (view) {
        count_view(call->tracker, view->target, -1);
        contract_object_drop(call->tracker, TRACKED_LOCAL_FENCE, arguments->hLocalNativeFence);
    }
}

struct contract_object *contract_fence_named(struct contract_tracker *tracker, HANDLE handle)
{
    struct contract_object *object = contract_object_find(tracker, TRACKED_NATIVE_FENCE, handle);
    struct contract_object *next;

    if (object) {
        return object;
    }
    HASH_ITER(hh, tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_NATIVE_FENCE && object->named == handle) {
            return object;
        }
    }
    return NULL;
}

/* ---- Notifications --------------------------------------------------------------------------- */

void track_create_notification(struct contract_call *call)
{
    const DXGKARG_CREATEPERIODICFRAMENOTIFICATION *arguments = call->arguments,
                                                  *before = call->before;

    contract_object_add(call->tracker, TRACKED_NOTIFICATION, arguments->hNotification, NULL)
        ->number = before->NotificationID;
}

void track_destroy_notification(struct contract_call *call)
{
    const DXGKARG_DESTROYPERIODICFRAMENOTIFICATION *arguments = call->arguments;

    contract_object_drop(call->tracker, TRACKED_NOTIFICATION, arguments->hNotification);
}
