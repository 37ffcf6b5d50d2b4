/* Overlays of WDDM 1.x that live. */
#include "contract/internal.h"
#include "contract/tracker.h"

/* One without a handle cannot be ended [OVL-002]. */
void track_create_overlay(struct contract_call *call)
{
    const DXGKARG_CREATEOVERLAY *arguments = call->arguments;

    if (arguments->hOverlay) {
        (void)contract_object_add(call->tracker, TRACKED_OVERLAY, arguments->hOverlay, NULL);
    }
}

void track_destroy_overlay(struct contract_call *call)
{
    contract_object_drop(call->tracker, TRACKED_OVERLAY, call->first);
}

unsigned contract_overlay_count(const struct contract_tracker *tracker)
{
    struct contract_object *object, *next;
    unsigned count = 0;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        count += object->key.kind == TRACKED_OVERLAY ? object->count : 0;
    }
    return count;
}
