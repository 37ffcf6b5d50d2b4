/* The kernel's own duties: native fences and what paging says of them. */
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

static const struct contract_row rows[] = {
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
