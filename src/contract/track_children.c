/* The children of an adapter, and what their monitors' descriptors were read to be. */
#include "contract/tracker.h"

#include <string.h>

#include "contract/internal.h"

#define BLOCK_BYTES   128u
#define EXTENSIONS_AT 126u /* the number of blocks that follow the first */

struct contract_child *contract_child_find(struct contract_tracker *tracker, ULONG uid)
{
    for (unsigned i = 0; i < tracker->listed_children; i++) {
        if (tracker->children[i].uid == uid) {
            return &tracker->children[i];
        }
    }
    return NULL;
}

/* More than fit are not followed. */
void track_children(struct contract_call *call)
{
    const struct contract_children *children = call->extra;
    struct contract_tracker *tracker = call->tracker;
    ULONG count = (ULONG)(children->size_bytes / sizeof *children->first);

    tracker->listed_children = 0;
    for (ULONG i = 0; i + 1 < count && i < CONTRACT_CHILDREN_MAX; i++) {
        const DXGK_CHILD_DESCRIPTOR *from = &children->first[i];
        DXGK_CHILD_DEVICE_HPD_AWARENESS awareness = from->ChildCapabilities.HpdAwareness;
        tracker->children[tracker->listed_children++] = (struct contract_child){
            .uid = from->ChildUid,
            .is_output = contract_is_output(from->ChildDeviceType),
            .has_connector = from->ChildDeviceType == TypeVideoOutput,
            .always_connected = awareness == HpdAwarenessAlwaysConnected,
            .can_be_asked =
                awareness == HpdAwarenessPolled || awareness == HpdAwarenessInterruptible,
        };
    }
}

/* The whole first block tells how long the descriptor is. */
void track_descriptor(struct contract_call *call)
{
    const DXGK_DEVICE_DESCRIPTOR *asked = call->before;
    struct contract_child *child = contract_child_find(call->tracker, *(const ULONG *)call->extra);

    if (!child || !child->has_connector || asked->DescriptorLength != BLOCK_BYTES ||
        asked->DescriptorOffset != child->descriptor_known ||
        child->descriptor_known + BLOCK_BYTES > sizeof child->descriptor) {
        return;
    }
    memcpy(child->descriptor + child->descriptor_known, asked->DescriptorBuffer, BLOCK_BYTES);
    child->descriptor_known += BLOCK_BYTES;
    child->descriptor_bytes = (child->descriptor[EXTENSIONS_AT] + 1u) * BLOCK_BYTES;
}

/* Another monitor may have another descriptor. */
void track_child_status(struct contract_call *call)
{
    const DXGK_CHILD_STATUS *status = call->arguments;
    struct contract_child *child = contract_child_find(call->tracker, status->ChildUid);

    if (child && status->Type == StatusConnection) {
        child->descriptor_known = child->descriptor_bytes = 0;
    }
}

/* Who is asked tells of it as well: nobody indicates an output that is polled. */
void track_child_asked(struct contract_call *call)
{
    const DXGK_CHILD_STATUS *status = call->arguments;

    if (!status->HotPlug.Connected) {
        track_child_status(call);
    }
}

void contract_monitor_pulled_out(struct contract_tracker *tracker, ULONG uid, bool pulled_out)
{
    struct contract_child *child = contract_child_find(tracker, uid);

    if (child) {
        child->pulled_out = pulled_out;
    }
}

uint64_t contract_monitor_hash(const struct contract_child *child)
{
    return child->descriptor_known >= BLOCK_BYTES ? contract_hash(child->descriptor, BLOCK_BYTES)
                                                  : 0;
}

void track_container(struct contract_call *call)
{
    const DXGK_CHILD_CONTAINER_ID *answer = call->arguments;
    struct contract_child *child = contract_child_find(call->tracker, *(const ULONG *)call->extra);

    if (child && call->status == STATUS_SUCCESS) {
        child->contained_hash = contract_monitor_hash(child);
        child->container = answer->ContainerId;
    }
}
