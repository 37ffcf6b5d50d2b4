/* Rules of devices, contexts and allocations: what the driver answers. */
#include "contract/internal.h"

#define MAXIMUM(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Devices and contexts -------------------------------------------------------------------- */

static bool device_handle_is_new(struct contract_call *call)
{
    const DXGKARG_CREATEDEVICE *create = call->arguments;
    const DXGKARG_CREATEDEVICE *before = call->before;

    if (!has_succeeded(call)) {
        return true;
    }
    return (create->hDevice && create->hDevice != before->hDevice &&
            !contract_object_find(call->shadow, CONTRACT_OBJECT_DEVICE, create->hDevice)) ||
           contract_say(call, "a handle of the driver's own that no other device has",
                        create->hDevice ? "a handle that is not new" : "a null handle");
}

static bool context_status_is_allowed(struct contract_call *call)
{
    static const NTSTATUS allowed[] = {STATUS_SUCCESS, STATUS_NO_MEMORY,
                                       STATUS_GRAPHICS_DRIVER_MISMATCH};

    return contract_status_in(call, allowed, MAXIMUM(allowed),
                              "SUCCESS, NO_MEMORY or GRAPHICS_DRIVER_MISMATCH");
}

static bool context_handle_is_new(struct contract_call *call)
{
    const DXGKARG_CREATECONTEXT *create = call->arguments;
    const DXGKARG_CREATECONTEXT *before = call->before;

    if (!has_succeeded(call)) {
        return true;
    }
    return (create->hContext && create->hContext != before->hContext &&
            !contract_object_find(call->shadow, CONTRACT_OBJECT_CONTEXT, create->hContext)) ||
           contract_say(call, "a handle of the driver's own that no other context has",
                        create->hContext ? "a handle that is not new" : "a null handle");
}

static bool buffers_hold_a_command(struct contract_call *call)
{
    const DXGKARG_CREATECONTEXT *create = call->arguments;
    bool physical = call->shadow->interface_version < DXGKDDI_INTERFACE_VERSION_WDDM2_0;

    return !has_succeeded(call) || create->Flags.SystemContext || !physical ||
           (create->ContextInfo.DmaBufferSize > 0 && create->ContextInfo.AllocationListSize > 0) ||
           contract_say(call, "sizes that one command and one present rectangle fit in",
                        "DmaBufferSize %u, AllocationListSize %u",
                        create->ContextInfo.DmaBufferSize, create->ContextInfo.AllocationListSize);
}

/* Of a set of segments: bit n - 1 means segment n. */
static bool all_are_apertures(const struct contract_shadow *shadow, UINT set)
{
    for (UINT id = 1; id <= 32; id++) {
        if ((set >> (id - 1) & 1) &&
            (id > shadow->segment_count || !shadow->segments[id].flags.Aperture)) {
            return false;
        }
    }
    return true;
}

static bool context_buffers_in_apertures(struct contract_call *call)
{
    const DXGKARG_CREATECONTEXT *create = call->arguments;

    return !has_succeeded(call) ||
           all_are_apertures(call->shadow, create->ContextInfo.DmaBufferSegmentSet) ||
           contract_say(call, "a DmaBufferSegmentSet of aperture segments", "0x%X",
                        create->ContextInfo.DmaBufferSegmentSet);
}

/* Drivers without contexts answer CreateDevice with a DXGK_DEVICEINFO. */
static bool device_info_makes_sense(struct contract_call *call)
{
    const DXGKARG_CREATEDEVICE *create = call->arguments;

    if (!has_succeeded(call) || !call->shadow->have_caps ||
        call->shadow->caps.SchedulingCaps.MultiEngineAware || (uintptr_t)create->pInfo < 0x10000) {
        return true;
    }
    return (create->pInfo->DmaBufferSize > 0 &&
            all_are_apertures(call->shadow, create->pInfo->DmaBufferSegmentSet)) ||
           contract_say(call, "a DMA buffer size, and a segment set of apertures",
                        "DmaBufferSize %u, DmaBufferSegmentSet 0x%X", create->pInfo->DmaBufferSize,
                        create->pInfo->DmaBufferSegmentSet);
}

/* ---- Allocations ----------------------------------------------------------------------------- */

static bool create_status_is_allowed(struct contract_call *call)
{
    static const NTSTATUS allowed[] = {STATUS_SUCCESS, STATUS_INVALID_PARAMETER, STATUS_NO_MEMORY,
                                       STATUS_GRAPHICS_DRIVER_MISMATCH};

    return contract_status_in(call, allowed, MAXIMUM(allowed),
                              "SUCCESS, INVALID_PARAMETER, NO_MEMORY or GRAPHICS_DRIVER_MISMATCH");
}

typedef bool info_check_fn(struct contract_call *call, const DXGK_ALLOCATIONINFO *info);

/* The check of every allocation that was made. */
static bool each(struct contract_call *call, info_check_fn *check)
{
    const DXGKARG_CREATEALLOCATION *create = call->arguments;

    for (UINT i = 0; has_succeeded(call) && i < create->NumAllocations; i++) {
        if (!check(call, &create->pAllocationInfo[i])) {
            return false;
        }
    }
    return true;
}

static bool handles_are_new(struct contract_call *call)
{
    const DXGKARG_CREATEALLOCATION *create = call->arguments;

    for (UINT i = 0; has_succeeded(call) && i < create->NumAllocations; i++) {
        HANDLE handle = create->pAllocationInfo[i].hAllocation;
        bool old = handle && contract_allocation_find(call->shadow, handle);
        for (UINT k = 0; k < i; k++) {
            old |= create->pAllocationInfo[k].hAllocation == handle;
        }
        if (!handle || old) {
            return contract_say(call, "a handle of its own for each allocation",
                                handle ? "a handle that another allocation has" : "a null handle");
        }
    }
    return true;
}

static bool has_size(struct contract_call *call, const DXGK_ALLOCATIONINFO *info)
{
    return info->Size > 0 || contract_say(call, "the allocation's size", "Size is 0");
}

static bool sizes_are_given(struct contract_call *call)
{
    return each(call, has_size);
}

static bool has_alignment(struct contract_call *call, const DXGK_ALLOCATIONINFO *info)
{
    UINT set = info->SupportedWriteSegmentSet;

    if (info->Alignment & (info->Alignment - 1)) {
        return contract_say(call, "an alignment that is a power of two", "0x%X", info->Alignment);
    }
    for (UINT id = 1; id <= call->shadow->segment_count; id++) {
        if ((set >> (id - 1) & 1) && call->shadow->segments[id].flags.Use64KBPages &&
            info->Alignment % 0x10000 != 0) {
            return contract_say(call, "a multiple of 64 KB in a segment of 64 KB pages", "0x%X",
                                info->Alignment);
        }
    }
    return true;
}

static bool alignments_make_sense(struct contract_call *call)
{
    return call->shadow->interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM3_2 ||
           each(call, has_alignment);
}

static bool has_pitch_size(struct contract_call *call, const DXGK_ALLOCATIONINFO *info)
{
    return info->PitchAlignedSize == 0 || info->PitchAlignedSize >= info->Size ||
           contract_say(call, "PitchAlignedSize 0 or at least Size", "0x%llX; Size is 0x%llX",
                        (unsigned long long)info->PitchAlignedSize, (unsigned long long)info->Size);
}

static bool pitch_sizes_make_sense(struct contract_call *call)
{
    return each(call, has_pitch_size);
}

static bool prefers_what_it_supports(struct contract_call *call, const DXGK_ALLOCATIONINFO *info)
{
    const UINT preferred[] = {info->PreferredSegment.SegmentId0, info->PreferredSegment.SegmentId1,
                              info->PreferredSegment.SegmentId2, info->PreferredSegment.SegmentId3,
                              info->PreferredSegment.SegmentId4};
    UINT existing =
        call->shadow->segment_count >= 32 ? ~0u : (1u << call->shadow->segment_count) - 1;
    UINT supported = info->SupportedWriteSegmentSet;

    if (call->shadow->interface_version < DXGKDDI_INTERFACE_VERSION_WDDM2_0) {
        supported |= info->SupportedReadSegmentSet;
    }
    if (supported & ~existing) {
        return contract_say(call, "sets of segments that exist", "0x%X of %u segments", supported,
                            call->shadow->segment_count);
    }
    for (unsigned i = 0; i < MAXIMUM(preferred); i++) {
        if (preferred[i] && !(supported >> (preferred[i] - 1) & 1)) {
            return contract_say(call, "a preferred segment out of the supported set",
                                "segment %u; the set is 0x%X", preferred[i], supported);
        }
    }
    return true;
}

static bool preferences_are_supported(struct contract_call *call)
{
    return each(call, prefers_what_it_supports);
}

static bool evicts_to_apertures(struct contract_call *call, const DXGK_ALLOCATIONINFO *info)
{
    return all_are_apertures(call->shadow, info->EvictionSegmentSet) ||
           contract_say(call, "an EvictionSegmentSet of aperture segments, or 0", "0x%X",
                        info->EvictionSegmentSet);
}

static bool evictions_go_to_apertures(struct contract_call *call)
{
    return each(call, evicts_to_apertures);
}

static bool has_priority(struct contract_call *call, const DXGK_ALLOCATIONINFO *info)
{
    return info->AllocationPriority != 0 ||
           contract_say(call, "a priority that is not 0", "AllocationPriority is 0");
}

static bool priorities_are_given(struct contract_call *call)
{
    return each(call, has_priority);
}

static bool flags_go_together(struct contract_call *call, const DXGK_ALLOCATIONINFO *info)
{
    DXGK_ALLOCATIONINFOFLAGS flags = info->Flags;
    unsigned kinds =
        flags.Protected + flags.ExistingSysMem + flags.ExistingKernelSysMem + flags.PermanentSysMem;

    if ((flags.PermanentSysMem || flags.Cached) && !flags.CpuVisible) {
        return contract_say(call, "CpuVisible with PermanentSysMem and Cached", "flags 0x%X",
                            flags.Value);
    }
    return kinds <= 1 || contract_say(call,
                                      "one of Protected, ExistingSysMem, ExistingKernelSysMem, "
                                      "PermanentSysMem",
                                      "flags 0x%X", flags.Value);
}

static bool flags_make_sense(struct contract_call *call)
{
    return each(call, flags_go_together);
}

static bool notified_if_physical(struct contract_call *call, const DXGK_ALLOCATIONINFO *info)
{
    return !info->Flags.ExplicitResidencyNotification || info->Flags.AccessedPhysically ||
           contract_say(call, "ExplicitResidencyNotification only with AccessedPhysically",
                        "flags 0x%X", info->Flags.Value);
}

static bool notification_only_if_physical(struct contract_call *call)
{
    return call->shadow->interface_version < DXGKDDI_INTERFACE_VERSION_WDDM2_0 ||
           each(call, notified_if_physical);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static bool openings_have_handles(struct contract_call *call)
{
    const DXGKARG_OPENALLOCATION *open = call->arguments;

    for (UINT i = 0; has_succeeded(call) && i < open->NumAllocations; i++) {
        HANDLE handle = open->pOpenAllocation[i].hDeviceSpecificAllocation;
        if (!handle || contract_object_find(call->shadow, CONTRACT_OBJECT_OPENING, handle)) {
            return contract_say(call, "a device-specific handle for each allocation",
                                handle ? "a handle that is not new" : "a null handle");
        }
    }
    return true;
}

/* What must not be changed: private data of the resource, and of allocations that exist. */
static uint64_t private_data_of(const struct contract_call *call)
{
    const DXGKARG_OPENALLOCATION *open = call->before;
    UINT size = open->pPrivateDriverData ? open->PrivateDriverSize : 0;
    uint64_t hash = contract_hash(open->pPrivateDriverData, size);

    for (UINT i = 0; !open->Flags.Create && i < open->NumAllocations; i++) {
        const DXGK_OPENALLOCATIONINFO *info = &open->pOpenAllocation[i];
        if (info->pPrivateDriverData) {
            hash = hash * 31 + contract_hash(info->pPrivateDriverData, info->PrivateDriverDataSize);
        }
    }
    return hash;
}

static bool remember_private_data(struct contract_call *call)
{
    call->scratch = private_data_of(call);
    return true;
}

static bool private_data_is_kept(struct contract_call *call)
{
    return call->scratch == private_data_of(call) ||
           contract_say(call, "private data changed only when the allocation is created",
                        "the driver changed it in a later OpenAllocation, or the resource's");
}

/* ---- Standard allocations, descriptions ------------------------------------------------------ */

static bool sizes_come_first(struct contract_call *call)
{
    const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *before = call->before, *after = call->arguments;

    if (!has_succeeded(call) || before->pAllocationPrivateDriverData ||
        before->pResourcePrivateDriverData) {
        return true;
    }
    return after->AllocationPrivateDriverDataSize || after->ResourcePrivateDriverDataSize ||
           contract_say(call, "a size of private data at the call without buffers",
                        "both sizes are 0");
}

static bool description_is_given(struct contract_call *call)
{
    return has_succeeded(call) ||
           contract_say(call, "an answer for every allocation that can be presented", "%s",
                        status_name(call->status));
}

static const struct contract_row rows[] = {
    AFTER(CTX_018, CreateDevice, device_handle_is_new),
    AFTER(CTX_019, CreateDevice, device_info_makes_sense),
    AFTER(CTX_002, CreateContext, context_status_is_allowed),
    AFTER(CTX_003, CreateContext, context_handle_is_new),
    AFTER(CTX_011, CreateContext, buffers_hold_a_command),
    AFTER(CTX_012, CreateContext, context_buffers_in_apertures),

    AFTER(ALLOC_001, CreateAllocation, create_status_is_allowed),
    AFTER(ALLOC_003, CreateAllocation, handles_are_new),
    AFTER(ALLOC_004, CreateAllocation, sizes_are_given),
    AFTER(ALLOC_005, CreateAllocation, alignments_make_sense),
    AFTER(ALLOC_006, CreateAllocation, pitch_sizes_make_sense),
    AFTER(ALLOC_007, CreateAllocation, preferences_are_supported),
    AFTER(ALLOC_008, CreateAllocation, evictions_go_to_apertures),
    AFTER(ALLOC_009, CreateAllocation, priorities_are_given),
    AFTER(ALLOC_010, CreateAllocation, flags_make_sense),
    AFTER(ALLOC_011, CreateAllocation, notification_only_if_physical),

    BEFORE(ALLOC_018, OpenAllocation, remember_private_data),
    AFTER(ALLOC_017, OpenAllocation, openings_have_handles),
    AFTER(ALLOC_018, OpenAllocation, private_data_is_kept),
    AFTER(ALLOC_023, GetStandardAllocationDriverData, sizes_come_first),
    AFTER(ALLOC_024, DescribeAllocation, description_is_given),
};

const struct contract_family contract_family_objects = FAMILY_OF(rows);
