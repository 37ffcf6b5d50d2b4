/* The kernel's own duties: native fences, what paging says of them, notifications of frames. */
#include "contract/paging_call.h"

static bool no_view_left(struct contract_call *call)
{
    const DXGKARG_DESTROYNATIVEFENCE *arguments = call->arguments;
    const struct contract_object *fence =
        contract_object_find(call->tracker, TRACKED_NATIVE_FENCE, arguments->hGlobalNativeFence);

    return KERNEL_KEEPS(call, fence && fence->child_count == 0,
                        "a fence that no process has open any more", "%p, with %u views",
                        arguments->hGlobalNativeFence, fence ? fence->child_count : 0);
}

static bool places_of_live_fences(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_NOTIFY_FENCE_RESIDENCY *notice =
        &paging_of(call)->NotifyFenceResidency;

    if (notice->NumFences == 0 || !notice->FenceResidencyInfo) {
        return contract_say(call, "fences", "%u, at %p", notice->NumFences,
                            (void *)notice->FenceResidencyInfo);
    }
    for (UINT i = 0; i < notice->NumFences; i++) {
        const DXGK_FENCE_RESIDENCY_INFO *info = &notice->FenceResidencyInfo[i];
        if (!contract_object_find(call->tracker, TRACKED_NATIVE_FENCE, info->hGlobalNativeFence) ||
            !info->CurrentValueKernelCpuVa || !info->MonitoredValueKernelCpuVa ||
            info->CurrentValuePhysicalAddress.SegmentOffset % sizeof(UINT64) != 0 ||
            info->MonitoredValuePhysicalAddress.SegmentOffset % sizeof(UINT64) != 0) {
            return contract_say(call, "a fence that lives, and the places of both values",
                                "element %u: fence %p, at %p and %p", i, info->hGlobalNativeFence,
                                info->CurrentValueKernelCpuVa, info->MonitoredValueKernelCpuVa);
        }
    }
    return true;
}

/* ---- Notifications --------------------------------------------------------------------------- */

#define SECOND_100_NS UINT64_C(10000000) /* no monitor shows a frame for longer */

static bool is_number_taken(const struct contract_call *call, UINT number)
{
    const struct contract_object *object, *next;

    HASH_ITER(hh, call->tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_NOTIFICATION && object->number == number) {
            return true;
        }
    }
    return false;
}

static bool frame_is_there(struct contract_call *call)
{
    const DXGKARG_CREATEPERIODICFRAMENOTIFICATION *create = call->arguments;
    const struct contract_child *child = contract_child_find(call->tracker, create->VidPnTargetId);
    bool listed = call->tracker->listed_children < CONTRACT_CHILDREN_MAX;

    if (listed && (!child || !child->is_output)) {
        return contract_say(call, "a target that exists", "VidPnTargetId %u",
                            create->VidPnTargetId);
    }
    if (is_number_taken(call, create->NotificationID)) {
        return contract_say(call, "an id of its own for each notification that is there",
                            "NotificationID %u", create->NotificationID);
    }
    return KERNEL_KEEPS(call, create->Time > 0 && create->Time <= SECOND_100_NS,
                        "an offset before the vertical sync, in 100 ns", "Time %llu",
                        (unsigned long long)create->Time);
}

static const struct contract_row rows[] = {
    KERNEL(FENCE_021, CreatePeriodicFrameNotification, frame_is_there,
           LEAVES_OUT("that Time is no longer than a frame of the target's mode, which the kernel "
                      "looks at where it asks")),
    KERNEL(
        FENCE_024, DestroyPeriodicFrameNotification,
        FIELD_LIVES(DXGKARG_DESTROYPERIODICFRAMENOTIFICATION, hNotification, TRACKED_NOTIFICATION)),
    KERNEL(FENCE_009, OpenNativeFence,
           FIELD_LIVES(DXGKARG_OPENNATIVEFENCE, hGlobalNativeFence, TRACKED_NATIVE_FENCE)),
    KERNEL(FENCE_009, CloseNativeFence,
           FIELD_LIVES(DXGKARG_CLOSENATIVEFENCE, hLocalNativeFence, TRACKED_LOCAL_FENCE)),
    KERNEL(FENCE_009, DestroyNativeFence, no_view_left),
    KERNEL(NFENCE_001, BuildPagingBuffer, places_of_live_fences, OPERATION(NOTIFY_FENCE_RESIDENCY)),
    KERNEL(NFENCE_002, BuildPagingBuffer,
           FIELD_ZERO(DXGKARG_BUILDPAGINGBUFFER, NotifyFenceResidency.Flags.Reserved),
           OPERATION(NOTIFY_FENCE_RESIDENCY)),
};

const struct contract_family contract_family_kernel_fences = FAMILY_OF(rows);
