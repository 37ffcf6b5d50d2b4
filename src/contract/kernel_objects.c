/* The kernel's own duties: devices, contexts, allocations and their handles. */
#include "contract/internal.h"

#include "machine/machine.h"

/* ---- Devices and contexts ----------------------------------------------------------------------
 */

static bool nothing_left(struct contract_call *call)
{
    const struct contract_object *device =
        contract_object_find(call->tracker, TRACKED_DEVICE, call->first);

    return KERNEL_KEEPS(call, !device || device->child_count == 0,
                        "contexts destroyed and allocations closed before", "%u are left",
                        device->child_count);
}

static const DXGKARG_CREATECONTEXT *context_of(const struct contract_call *call)
{
    return call->arguments;
}

static bool context_call(struct contract_call *call)
{
    return KERNEL_KEEPS(call,
                        call->irql < MACHINE_IRQL_DISPATCH &&
                            call->tracker->caps.SchedulingCaps.MultiEngineAware,
                        "PASSIVE_LEVEL, a driver that is MultiEngineAware", "IRQL %u", call->irql);
}

static bool context_system(struct contract_call *call)
{
    const DXGKARG_CREATECONTEXT *context = context_of(call);

    return KERNEL_KEEPS(call,
                        !context->Flags.SystemContext ||
                            context->NodeOrdinal == call->tracker->paging_node ||
                            (call->tracker->companion_nodes >> (context->NodeOrdinal & 63) & 1),
                        "system contexts on the paging node, or on one that a context named for "
                        "its companion",
                        "node %u", context->NodeOrdinal);
}

static bool context_physical(struct contract_call *call)
{
    return KERNEL_KEEPS(call,
                        !context_of(call)->Flags.VirtualAddressing ||
                            call->tracker->caps.MemoryManagementCaps.VirtualAddressingSupported,
                        "VirtualAddressing where the adapter has it", "flags 0x%X",
                        context_of(call)->Flags.Value);
}

static bool context_newer_flags(struct contract_call *call)
{
    DXGK_CREATECONTEXTFLAGS flags = context_of(call)->Flags;

    return KERNEL_KEEPS(call, !flags.HwQueueSupported && !flags.SystemProtectedContext,
                        "no hardware queues, no protected system context", "flags 0x%X",
                        flags.Value);
}

static bool context_reserved(struct contract_call *call)
{
    return KERNEL_KEEPS(call, context_of(call)->Flags.Reserved == 0, "reserved bits 0",
                        "flags 0x%X", context_of(call)->Flags.Value);
}

static bool context_is_done(struct contract_call *call)
{
    struct contract_tracker *tracker = call->tracker;
    const struct contract_object *context =
        contract_object_find(tracker, TRACKED_CONTEXT, call->first);

    if (!context) {
        return contract_say(call, "a context that lives, once", "%p", call->first);
    }
    if (!context->used_node || call->tracker->removed || context->node >= CONTRACT_NODES_MAX) {
        return true;
    }
    const struct contract_node *node = &tracker->nodes[context->node];
    return KERNEL_KEEPS(call, context->last_position <= node->retired_position,
                        "no packet of it outstanding", "fence %u, the node completed %u",
                        context->last_fence, node->retired);
}

/* ---- Allocations ----------------------------------------------------------------------------- */

static bool resource_again(struct contract_call *call)
{
    const DXGKARG_CREATEALLOCATION *create = call->arguments;

    return KERNEL_KEEPS(
        call,
        !create->hResource ||
            (create->Flags.Resource &&
             contract_object_find(call->tracker, TRACKED_RESOURCE, create->hResource)),
        "NULL, or the driver's handle of the resource", "hResource %p", create->hResource);
}

static bool closes_what_is_open(struct contract_call *call)
{
    const DXGKARG_CLOSEALLOCATION *close = call->arguments;

    for (UINT i = 0; i < close->NumAllocations; i++) {
        const struct contract_object *opening =
            contract_object_find(call->tracker, TRACKED_OPENING, close->pOpenHandleList[i]);
        if (!opening || (opening->count == 1 && opening->parent != call->first)) {
            return contract_say(call, "handles that the device has open", "[%u] is %p", i,
                                close->pOpenHandleList[i]);
        }
    }
    return true;
}

static bool destroys_resource(struct contract_call *call)
{
    const DXGKARG_DESTROYALLOCATION *destroy = call->arguments;

    return KERNEL_KEEPS(
        call,
        destroy->Flags.DestroyResource
            ? contract_object_find(call->tracker, TRACKED_RESOURCE, destroy->hResource) != NULL
            : destroy->hResource == NULL,
        "hResource with DestroyResource, and of a resource that lives", "hResource %p, flags 0x%X",
        destroy->hResource, destroy->Flags.Value);
}

static bool destroy_reserved(struct contract_call *call)
{
    const DXGKARG_DESTROYALLOCATION *destroy = call->arguments;

    return KERNEL_KEEPS(call, destroy->Flags.Reserved == 0, "reserved bits 0", "flags 0x%X",
                        destroy->Flags.Value);
}

static bool is_captured_into(struct contract_call *call)
{
    const DXGKARG_STOPCAPTURE *stop = call->arguments;
    const struct contract_object *allocation =
        stop->hAllocation
            ? contract_object_find(call->tracker, TRACKED_ALLOCATION, stop->hAllocation)
            : NULL;

    return KERNEL_KEEPS(call, allocation && allocation->captures,
                        "an allocation that lives and was given Capture", "%p, %s",
                        stop->hAllocation, allocation ? "without Capture" : "of nobody");
}

/* ---- Placement ------------------------------------------------------------------------------- */

static bool aligned(struct contract_call *call, HANDLE handle, UINT segment, uint64_t address)
{
    const struct contract_object *allocation =
        handle ? contract_object_find(call->tracker, TRACKED_ALLOCATION, handle) : NULL;
    uint64_t alignment = allocation ? allocation->alignment : 0;

    if (alignment == 0 || segment == 0 || segment > call->tracker->segment_count) {
        return true;
    }
    uint64_t offset = address - call->tracker->segments[segment].base;
    return KERNEL_KEEPS(call, offset % alignment == 0, "the allocation's Alignment",
                        "offset 0x%llX in segment %u, alignment 0x%llX", (unsigned long long)offset,
                        segment, (unsigned long long)alignment);
}

static bool placement_aligned(struct contract_call *call)
{
    const DXGKARG_BUILDPAGINGBUFFER *paging = call->arguments;

    switch (paging->Operation) {
    case DXGK_OPERATION_TRANSFER:
        if (contract_is_aperture(
                &call->tracker->segments[paging->Transfer.Destination.SegmentId])) {
            return true; /* only on its way out */
        }
        return aligned(call, paging->Transfer.hAllocation, paging->Transfer.Destination.SegmentId,
                       (uint64_t)paging->Transfer.Destination.SegmentAddress.QuadPart);
    default:
        return true;
    }
}

#define EACH_ALLOCATION \
    EACH(DXGKARG_CREATEALLOCATION, pAllocationInfo, NumAllocations, DXGK_ALLOCATIONINFO)
#define EACH_OPENING \
    EACH(DXGKARG_OPENALLOCATION, pOpenAllocation, NumAllocations, DXGK_OPENALLOCATIONINFO)

static const struct contract_row rows[] = {
    KERNEL(CTX_018, CreateDevice, FIELD_NOT_ZERO(DXGKARG_CREATEDEVICE, hDevice)),
    KERNEL(GEN_005, DestroyDevice, HANDLE_LIVES(TRACKED_DEVICE)),
    KERNEL(CTX_020, DestroyDevice, nothing_left),
    KERNEL(CTX_001, CreateContext, context_call),
    KERNEL(CTX_003, CreateContext, FIELD_NOT_ZERO(DXGKARG_CREATECONTEXT, hContext)),
    KERNEL(CTX_004, CreateContext,
           FIELD_BELOW_TOLD(DXGKARG_CREATECONTEXT, NodeOrdinal, node_count)),
    KERNEL(CTX_004, CreateContext, FIELD_IS(DXGKARG_CREATECONTEXT, EngineAffinity, 1)),
    KERNEL(CTX_005, CreateContext, context_system),
    KERNEL(CTX_006, CreateContext, context_physical),
    KERNEL(CTX_008, CreateContext, context_newer_flags),
    KERNEL(GEN_006, CreateContext, context_reserved),
    KERNEL(GEN_005, CreateContext, HANDLE_LIVES(TRACKED_DEVICE)),
    KERNEL(CTX_016, DestroyContext, context_is_done),

    KERNEL(ALLOC_015, CreateAllocation, resource_again),
    KERNEL(GEN_006, CreateAllocation, EACH_ALLOCATION, FIELD_ZERO(DXGK_ALLOCATIONINFO, hAllocation),
           SAYS("it is for the driver to give"),
           LEAVES_OUT("that a driver ignores what is reserved: it is always 0; and structures that "
                      "no row of this rule names")),
    KERNEL(GEN_006, CreateAllocation, EACH_ALLOCATION,
           FIELD_ZERO(DXGK_ALLOCATIONINFO, Flags.Value)),
    KERNEL(ALLOC_019, OpenAllocation, EACH_OPENING,
           FIELD_NOT_ZERO(DXGK_OPENALLOCATIONINFO, hAllocation),
           LEAVES_OUT("what DxgkCbGetHandleData answers for it, and what a driver makes of NULL")),
    KERNEL(ALLOC_019, OpenAllocation, EACH_OPENING,
           FIELD_ZERO(DXGK_OPENALLOCATIONINFO, hDeviceSpecificAllocation),
           SAYS("it is for the driver to give")),
    KERNEL(GEN_005, OpenAllocation, HANDLE_LIVES(TRACKED_DEVICE)),
    KERNEL(ALLOC_021, CloseAllocation, closes_what_is_open),
    KERNEL(GEN_005, CloseAllocation, HANDLE_LIVES(TRACKED_DEVICE)),
    KERNEL(ALLOC_022, DestroyAllocation,
           EACH(DXGKARG_DESTROYALLOCATION, pAllocationList, NumAllocations, HANDLE),
           ELEMENT_LIVES(TRACKED_ALLOCATION)),
    KERNEL(ALLOC_015, DestroyAllocation, destroys_resource),
    KERNEL(CAPTURE_002, StopCapture, is_captured_into),
    KERNEL(GEN_006, DestroyAllocation, destroy_reserved),
    KERNEL(ALLOC_005, BuildPagingBuffer, placement_aligned),
};

const struct contract_family contract_family_kernel_objects = FAMILY_OF(rows);
