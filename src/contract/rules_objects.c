/* Rules of devices, contexts and allocations: what the driver answers. */
#include "base/check.h"
#include "contract/internal.h"

#define MAXIMUM(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Devices and contexts -------------------------------------------------------------------- */

/* Drivers without contexts answer CreateDevice with a DXGK_DEVICEINFO. */
static bool has_device_info(const struct contract_call *call)
{
    const DXGKARG_CREATEDEVICE *create = call->before;

    return has_succeeded(call) && call->tracker->have_caps &&
           !call->tracker->caps.SchedulingCaps.MultiEngineAware && create->pInfo;
}

static bool has_device_and_data(const struct contract_call *call)
{
    return has_device(call) &&
           ((const DXGKARG_CREATECONTEXT *)call->before)->PrivateDriverDataSize > 0;
}

static bool is_the_kernels_own(const struct contract_call *call)
{
    const DXGKARG_CREATECONTEXT *create = call->before;

    return has_device(call) && !has_device_and_data(call) &&
           (create->Flags.SystemContext || create->Flags.GdiContext);
}

static bool is_for_gdi(const struct contract_call *call)
{
    const DXGKARG_CREATECONTEXT *create = call->before;

    return has_succeeded(call) && create->Flags.GdiContext && !create->Flags.VirtualAddressing;
}

/* A client that is not the driver's own user-mode half sends none where that has some to say. */
static bool says_that_data_are_missing(const struct contract_call *call)
{
    return call->status == STATUS_INVALID_PARAMETER || call->status == STATUS_INVALID_USER_BUFFER;
}

static bool is_a_clients_without_data(const struct contract_call *call)
{
    return has_device(call) && !has_device_and_data(call) && !is_the_kernels_own(call);
}

static bool lacks_data(const struct contract_call *call)
{
    return is_a_clients_without_data(call) && says_that_data_are_missing(call);
}

static bool has_all_it_needs(const struct contract_call *call)
{
    return is_the_kernels_own(call) ||
           (is_a_clients_without_data(call) && !says_that_data_are_missing(call));
}

static bool device_info_makes_sense(struct contract_call *call)
{
    const DXGKARG_CREATEDEVICE *create = call->before;

    return (create->pInfo->DmaBufferSize > 0 &&
            contract_are_apertures(call->tracker, create->pInfo->DmaBufferSegmentSet)) ||
           contract_say(call, "a DMA buffer size, and a segment set of apertures",
                        "DmaBufferSize %u, DmaBufferSegmentSet 0x%X", create->pInfo->DmaBufferSize,
                        create->pInfo->DmaBufferSegmentSet);
}

/* The kernel's handle came back: so it was meant, or hContext was forgotten. Contexts may share
 * one. */
static bool handle_is_its_own(struct contract_call *call)
{
    const DXGKARG_CREATECONTEXT *given = call->before, *answered = call->arguments;

    return answered->hContext != given->hContext ||
           contract_say(call, "the driver's own handle in hContext",
                        "hContext is still the kernel's handle");
}

#define COMPANION_NODE_LIKELY 64u /* more stands there by chance */

static bool has_made_one_with_addresses(const struct contract_call *call)
{
    const DXGKARG_CREATECONTEXT *create = call->arguments;

    return has_succeeded(call) && create->Flags.VirtualAddressing;
}

/* Also where nothing of it is made. One that nobody wrote is told as such [GEN-010]. */
static bool companion_has_a_node(struct contract_call *call)
{
    const DXGKARG_CREATECONTEXT *create = call->arguments;
    UINT node = create->ContextInfo.PagingCompanionNodeId;
    UINT nodes = call->tracker->caps.GpuEngineTopology.NbAsymetricProcessingNodes;

    return nodes == 0 || node < nodes || node > COMPANION_NODE_LIKELY ||
           contract_say(call, "a node in ContextInfo.PagingCompanionNodeId, counted from 0",
                        "node %u of %u", node, nodes);
}

/* Of a client's context, whose buffers the driver gets by address. */
static bool is_for_commands(const struct contract_call *call)
{
    const DXGKARG_CREATECONTEXT *create = call->arguments;

    return has_succeeded(call) && !create->Flags.SystemContext;
}

/* ---- Allocations ----------------------------------------------------------------------------- */

typedef bool info_check_fn(struct contract_call *call, const DXGK_ALLOCATIONINFO *info);

/* The check of every allocation; one that has something to look at is enough for a look. */
static bool each(struct contract_call *call, info_check_fn *check)
{
    const DXGKARG_CREATEALLOCATION *create = call->before;
    bool any = false;

    for (UINT i = 0; i < create->NumAllocations; i++) {
        call->no_case = false;
        if (!check(call, &create->pAllocationInfo[i])) {
            return false;
        }
        any |= !call->no_case;
    }
    call->no_case = !any;
    return true;
}

static bool fits_large_pages(struct contract_call *call, const DXGK_ALLOCATIONINFO *info)
{
    UINT set = info->SupportedWriteSegmentSet;
    bool any = false;

    for (UINT id = 1; id <= call->tracker->segment_count; id++) {
        any |= call->tracker->segments[id].flags.Use64KBPages;
        if ((set >> (id - 1) & 1) && call->tracker->segments[id].flags.Use64KBPages &&
            info->Alignment % 0x10000 != 0) {
            return contract_say(call, "a multiple of 64 KB in a segment of 64 KB pages",
                                "Alignment is 0x%X; segment %u has such pages", info->Alignment,
                                id);
        }
    }
    return any || contract_no_case(call);
}

static bool large_pages_are_aligned(struct contract_call *call)
{
    return each(call, fits_large_pages);
}

static bool prefers_what_it_supports(struct contract_call *call, const DXGK_ALLOCATIONINFO *info)
{
    const UINT preferred[] = {info->PreferredSegment.SegmentId0, info->PreferredSegment.SegmentId1,
                              info->PreferredSegment.SegmentId2, info->PreferredSegment.SegmentId3,
                              info->PreferredSegment.SegmentId4};
    UINT supported = info->SupportedWriteSegmentSet;

    if (call->tracker->features.read_segment_sets) {
        supported |= info->SupportedReadSegmentSet;
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

static bool flags_go_together(struct contract_call *call, const DXGK_ALLOCATIONINFO *info)
{
    DXGK_ALLOCATIONINFOFLAGS flags = info->Flags;
    unsigned kinds =
        flags.Protected + flags.ExistingSysMem + flags.ExistingKernelSysMem + flags.PermanentSysMem;

    bool visible =
        flags.CpuVisible || (call->tracker->features.wddm2 && info->FlagsWddm2.CpuVisibleOnDemand);

    if ((flags.PermanentSysMem || flags.Cached) && !visible) {
        return contract_say(call, "CpuVisible with PermanentSysMem and Cached",
                            "pAllocationInfo->Flags is 0x%X:%s%s without CpuVisible", flags.Value,
                            flags.PermanentSysMem ? " PermanentSysMem" : "",
                            flags.Cached ? " Cached" : "");
    }
    return kinds <= 1 || contract_say(call,
                                      "one of Protected, ExistingSysMem, ExistingKernelSysMem, "
                                      "PermanentSysMem",
                                      "pAllocationInfo->Flags is 0x%X:%s%s%s%s", flags.Value,
                                      flags.Protected ? " Protected" : "",
                                      flags.ExistingSysMem ? " ExistingSysMem" : "",
                                      flags.ExistingKernelSysMem ? " ExistingKernelSysMem" : "",
                                      flags.PermanentSysMem ? " PermanentSysMem" : "");
}

static bool flags_make_sense(struct contract_call *call)
{
    return each(call, flags_go_together);
}

static bool notified_if_physical(struct contract_call *call, const DXGK_ALLOCATIONINFO *info)
{
    return !info->Flags.ExplicitResidencyNotification || info->Flags.AccessedPhysically ||
           contract_say(call, "ExplicitResidencyNotification only with AccessedPhysically",
                        "pAllocationInfo->Flags is 0x%X", info->Flags.Value);
}

static bool notification_only_if_physical(struct contract_call *call)
{
    return each(call, notified_if_physical);
}

static bool has_pitch_size(struct contract_call *call, const DXGK_ALLOCATIONINFO *info)
{
    if (info->PitchAlignedSize == 0) {
        return contract_no_case(call);
    }
    return info->PitchAlignedSize >= info->Size ||
           contract_say(call, "PitchAlignedSize 0 or at least Size", "0x%llX; Size is 0x%llX",
                        (unsigned long long)info->PitchAlignedSize, (unsigned long long)info->Size);
}

static bool pitch_sizes_make_sense(struct contract_call *call)
{
    return each(call, has_pitch_size);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Of one allocation a driver may count the openings and have one handle for them all; where it
 * stands for another allocation, too, nothing tells which of the two is meant. */
static bool openings_can_be_told_apart(struct contract_call *call)
{
    const DXGKARG_OPENALLOCATION *open = call->before;

    for (UINT i = 0; i < open->NumAllocations; i++) {
        const DXGK_OPENALLOCATIONINFO *info = &open->pOpenAllocation[i];
        HANDLE handle = info->hDeviceSpecificAllocation;
        HANDLE allocation = contract_asked_for(call->tracker, info->hAllocation);
        const struct contract_object *other =
            handle ? contract_object_find(call->tracker, TRACKED_OPENING, handle) : NULL;
        if (other && other->target && allocation && other->target != allocation) {
            return contract_say(call,
                                "hDeviceSpecificAllocation of its own, that no opening of another "
                                "allocation has",
                                "pOpenAllocation[%u] has that of another one", i);
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
    uint64_t places = contract_hash_private_places(open);

    if (call->kept.hashes.request && call->kept.hashes.request != places) {
        return ~hash; /* the driver changed where they lie: that is no place to look */
    }
    for (UINT i = 0; !open->Flags.Create && i < open->NumAllocations; i++) {
        const DXGK_OPENALLOCATIONINFO *info = &open->pOpenAllocation[i];
        if (info->pPrivateDriverData) {
            hash = hash * 31 + contract_hash(info->pPrivateDriverData, info->PrivateDriverDataSize);
        }
    }
    return hash;
}

/* Only then is there something that must not be changed. */
static bool has_private_data(const struct contract_call *call)
{
    const DXGKARG_OPENALLOCATION *open = call->before;

    if (open->pPrivateDriverData && open->PrivateDriverSize) {
        return true;
    }
    return !open->Flags.Create && open->NumAllocations > 0;
}

/* ---- Standard allocations, descriptions ------------------------------------------------------ */

/* The first of the two calls, of which the second has the sizes of what the driver is given. */
static bool gives_no_blocks(const struct contract_call *call)
{
    const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *before = call->before;

    return before && !before->pAllocationPrivateDriverData && !before->pResourcePrivateDriverData;
}

/* It asks how much private data there will be. */
static bool asks_for_sizes(const struct contract_call *call)
{
    return has_succeeded(call) && gives_no_blocks(call);
}

/* What it describes: the members of the union share a place. */
static uint64_t description_of(const struct contract_call *call)
{
    const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *asked = call->before;
    const void *description = asked->pCreateSharedPrimarySurfaceData;

    switch (asked->StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE:
        return contract_hash(description, sizeof(D3DKMDT_SHAREDPRIMARYSURFACEDATA));
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
        return contract_hash(description, sizeof(D3DKMDT_SHADOWSURFACEDATA));
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
        return contract_hash(description, sizeof(D3DKMDT_STAGINGSURFACEDATA));
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE:
        return contract_hash(description, sizeof(D3DKMDT_GDISURFACEDATA));
    default:
        return 0;
    }
}

static bool sizes_come_first(struct contract_call *call)
{
    const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *after = call->arguments;

    return after->AllocationPrivateDriverDataSize || after->ResourcePrivateDriverDataSize ||
           contract_say(call, "a size of private data at the call without buffers",
                        "both sizes are 0");
}

/* Want of memory says nothing of the allocation. */
static bool is_described(struct contract_call *call)
{
    return has_succeeded(call) || call->status == STATUS_NO_MEMORY ||
           call->status == STATUS_INSUFFICIENT_RESOURCES ||
           contract_say(call, "every allocation that can be presented is described", "%s",
                        status_name(call->status));
}

/* A surface that the CPU is to see, as the driver described it. */
struct seen_surface {
    UINT width, pitch;
    D3DDDIFORMAT format; /* UNKNOWN: the description names none */
};

/* False: the CPU does not see it, or its description has no pitch. */
static bool find_seen_surface(const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *asked,
                              struct seen_surface *out)
{
    const D3DKMDT_GDISURFACEDATA *gdi = asked->pCreateGdiSurfaceData;
    const D3DKMDT_SHADOWSURFACEDATA *shadow = asked->pCreateShadowSurfaceData;
    const D3DKMDT_STAGINGSURFACEDATA *staging = asked->pCreateStagingSurfaceData;

    switch (asked->StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
        *out = (struct seen_surface){shadow->Width, shadow->Pitch, shadow->Format};
        return true;
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
        *out = (struct seen_surface){staging->Width, staging->Pitch, D3DDDIFMT_UNKNOWN};
        return true;
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE:
        *out = (struct seen_surface){gdi->Width, gdi->Pitch, gdi->Format};
        return gdi->Type == D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE ||
               gdi->Type == D3DKMDT_GDISURFACE_EXISTINGSYSMEM ||
               gdi->Type == D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER;
    default:
        return false;
    }
}

static bool describes_seen_surface(const struct contract_call *call)
{
    const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *before = call->before;
    struct seen_surface surface;

    return has_succeeded(call) &&
           (before->pAllocationPrivateDriverData || before->pResourcePrivateDriverData) &&
           find_seen_surface(before, &surface);
}

static bool pitch_holds_a_row(struct contract_call *call)
{
    struct seen_surface surface;
    bool is_seen = find_seen_surface(call->before, &surface);

    CHECK_THAT(is_seen);
    bool large = surface.format == D3DDDIFMT_A8R8G8B8 || surface.format == D3DDDIFMT_X8R8G8B8 ||
                 surface.format == D3DDDIFMT_A8B8G8R8 || surface.format == D3DDDIFMT_X8B8G8R8;
    uint64_t row = (uint64_t)surface.width * (large ? 4 : 1);

    return surface.pitch >= row ||
           contract_say(call, "in Pitch the bytes from row to row of a surface that the CPU sees",
                        "Pitch is %u; a row of %u pixels has %s%llu bytes", surface.pitch,
                        surface.width, large ? "" : "at least ", (unsigned long long)row);
}

static bool describes_cross_adapter(const struct contract_call *call)
{
    const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *before = call->before;

    return describes_seen_surface(call) &&
           before->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_GDISURFACE &&
           before->pCreateGdiSurfaceData->Type == D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER;
}

static bool pitch_is_aligned(struct contract_call *call)
{
    const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *before = call->before;
    UINT pitch = before->pCreateGdiSurfaceData->Pitch;

    return pitch % D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT == 0 ||
           contract_say(call,
                        "in Pitch of a cross-adapter surface a multiple of 128 bytes "
                        "(D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT)",
                        "Pitch is %u, of a surface that is %u pixels wide", pitch,
                        before->pCreateGdiSurfaceData->Width);
}

#define EACH_ALLOCATION \
    EACH(DXGKARG_CREATEALLOCATION, pAllocationInfo, NumAllocations, DXGK_ALLOCATIONINFO)
#define EACH_OPENING \
    EACH(DXGKARG_OPENALLOCATION, pOpenAllocation, NumAllocations, DXGK_OPENALLOCATIONINFO)

/* Of flags and preferences none that is named, of sets a segment that nobody has. */
#define STRAY_BIT (UINT64_C(1) << 31)

static const struct contract_row rows[] = {
    AFTER(CTX_018, CreateDevice, FIELD_NEW_HANDLE(DXGKARG_CREATEDEVICE, hDevice, TRACKED_DEVICE),
          WHEN(has_succeeded)),
    AFTER(CTX_019, CreateDevice, device_info_makes_sense, WHEN(has_device_info)),
    AFTER(CTX_002, CreateContext,
          STATUS_IN(STATUS_SUCCESS, STATUS_NO_MEMORY, STATUS_INSUFFICIENT_RESOURCES,
                    STATUS_GRAPHICS_DRIVER_MISMATCH),
          WHEN(has_all_it_needs),
          LEAVES_OUT("limits on the number of contexts that live: nobody makes thousands of them")),
    AFTER(CTX_002, CreateContext,
          STATUS_NOT_IN(STATUS_INVALID_PARAMETER, STATUS_INVALID_USER_BUFFER), WHEN(lacks_data),
          SAYS("a context for a client without private data, or "
               "STATUS_GRAPHICS_DRIVER_MISMATCH"),
          ADVISES),
    AFTER(CTX_002, CreateContext,
          STATUS_IN(STATUS_SUCCESS, STATUS_NO_MEMORY, STATUS_INSUFFICIENT_RESOURCES,
                    STATUS_GRAPHICS_DRIVER_MISMATCH, STATUS_INVALID_PARAMETER,
                    STATUS_INVALID_USER_BUFFER),
          WHEN(has_device_and_data),
          LEAVES_OUT("limits on the number of contexts that live: nobody makes thousands of them")),
    AFTER(CTX_003, CreateContext, handle_is_its_own, WHEN(has_succeeded), ADVISES,
          LEAVES_OUT("that later calls get the driver's handle: the kernel's rules about handles "
                     "judge it")),
    AFTER(CTX_007, CreateContext,
          FIELD_IS(DXGKARG_CREATECONTEXT, ContextInfo.AllocationListSize,
                   DXGK_ALLOCATION_LIST_SIZE_GDICONTEXT),
          WHEN(is_for_gdi), SAYS("DXGK_ALLOCATION_LIST_SIZE_GDICONTEXT, 256, of a context for GDI"),
          LEAVES_OUT("contexts with GPU virtual addresses, of which no page says it")),
    AFTER(CTX_011, CreateContext, FIELD_NOT_ZERO(DXGKARG_CREATECONTEXT, ContextInfo.DmaBufferSize),
          WHEN(is_for_commands), FEATURE(physical_contexts), SAYS("one command fits in")),
    AFTER(CTX_011, CreateContext,
          FIELD_NOT_ZERO(DXGKARG_CREATECONTEXT, ContextInfo.AllocationListSize),
          WHEN(is_for_commands), FEATURE(physical_contexts), SAYS("one present rectangle fits in")),
    AFTER(CTX_012, CreateContext,
          FIELD_APERTURES(DXGKARG_CREATECONTEXT, ContextInfo.DmaBufferSegmentSet),
          WHEN(has_succeeded)),
    AFTER(GEN_010, CreateContext, FILLED(DXGKARG_CREATECONTEXT, ContextInfo.PagingCompanionNodeId),
          WHEN(has_made_one_with_addresses), ADVISES),
    AFTER(CTX_015, CreateContext, companion_has_a_node, WHEN(has_made_one_with_addresses), ADVISES),

    AFTER(ALLOC_001, CreateAllocation,
          STATUS_IN(STATUS_SUCCESS, STATUS_INVALID_PARAMETER, STATUS_NO_MEMORY,
                    STATUS_INSUFFICIENT_RESOURCES, STATUS_GRAPHICS_DRIVER_MISMATCH,
                    STATUS_GRAPHICS_NO_VIDEO_MEMORY),
          WHEN(has_device)),
    AFTER(ALLOC_003, CreateAllocation, EACH_ALLOCATION,
          FIELD_NOT_ZERO(DXGK_ALLOCATIONINFO, hAllocation), WHEN(has_succeeded)),
    AFTER(ALLOC_004, CreateAllocation, EACH_ALLOCATION, FIELD_NOT_ZERO(DXGK_ALLOCATIONINFO, Size),
          WHEN(has_succeeded)),
    AFTER(ALLOC_005, CreateAllocation, EACH_ALLOCATION,
          FIELD_POWER_OF_TWO(DXGK_ALLOCATIONINFO, Alignment), WHEN(has_succeeded),
          FEATURE(plain_alignment), ADVISES),
    AFTER(ALLOC_005, CreateAllocation, large_pages_are_aligned, WHEN(has_succeeded),
          FEATURE(plain_alignment)),
    AFTER(ALLOC_006, CreateAllocation, pitch_sizes_make_sense, WHEN(has_succeeded)),
    AFTER(ALLOC_007, CreateAllocation, preferences_are_supported, WHEN(has_succeeded)),
    AFTER(ALLOC_008, CreateAllocation, EACH_ALLOCATION,
          FIELD_APERTURES(DXGK_ALLOCATIONINFO, EvictionSegmentSet), WHEN(has_succeeded)),
    AFTER(ALLOC_009, CreateAllocation, EACH_ALLOCATION,
          FIELD_NOT_ZERO(DXGK_ALLOCATIONINFO, AllocationPriority), WHEN(has_succeeded)),
    AFTER(GEN_010, CreateAllocation, EACH_ALLOCATION,
          FILLED_OVER(DXGK_ALLOCATIONINFO, Flags, STRAY_BIT), WHEN(has_succeeded), ADVISES),
    AFTER(GEN_010, CreateAllocation, EACH_ALLOCATION,
          FILLED_OVER(DXGK_ALLOCATIONINFO, PreferredSegment, STRAY_BIT), WHEN(has_succeeded),
          ADVISES),
    AFTER(GEN_010, CreateAllocation, EACH_ALLOCATION,
          FILLED_OVER(DXGK_ALLOCATIONINFO, SupportedWriteSegmentSet, STRAY_BIT),
          WHEN(has_succeeded), ADVISES),
    AFTER(GEN_010, CreateAllocation, EACH_ALLOCATION,
          FILLED_OVER(DXGK_ALLOCATIONINFO, EvictionSegmentSet, STRAY_BIT), WHEN(has_succeeded),
          ADVISES),
    AFTER(ALLOC_010, CreateAllocation, flags_make_sense, WHEN(has_succeeded)),
    AFTER(ALLOC_011, CreateAllocation, notification_only_if_physical, WHEN(has_succeeded),
          FEATURE(residency_flags)),

    AFTER(ALLOC_026, OpenAllocation,
          STATUS_IN(STATUS_SUCCESS, STATUS_INVALID_PARAMETER, STATUS_NO_MEMORY,
                    STATUS_INSUFFICIENT_RESOURCES, STATUS_GRAPHICS_DRIVER_MISMATCH),
          WHEN(has_device)),
    AFTER(ALLOC_017, OpenAllocation, EACH_OPENING,
          FIELD_NOT_ZERO(DXGK_OPENALLOCATIONINFO, hDeviceSpecificAllocation), WHEN(has_succeeded)),
    AFTER(ALLOC_017, OpenAllocation, openings_can_be_told_apart, WHEN(has_succeeded)),
    AFTER(ALLOC_018, OpenAllocation,
          SAME_AFTER(private_data_of, "private data changed only when the allocation is created",
                     "the driver changed it in a later OpenAllocation, or the resource's"),
          WHEN(has_private_data)),
    AFTER(ALLOC_023, GetStandardAllocationDriverData, sizes_come_first, WHEN(asks_for_sizes)),
    AFTER(ALLOC_023, GetStandardAllocationDriverData,
          SAME_AFTER(description_of,
                     "the description left as it is by the call that asks for sizes",
                     "the driver changed it, though it was given no buffers"),
          WHEN(asks_for_sizes), ADVISES),
    AFTER(ALLOC_025, GetStandardAllocationDriverData, pitch_holds_a_row,
          WHEN(describes_seen_surface)),
    AFTER(ALLOC_027, GetStandardAllocationDriverData, pitch_is_aligned,
          WHEN(describes_cross_adapter)),
    AFTER(GEN_010, DescribeAllocation, FILLED(DXGKARG_DESCRIBEALLOCATION, Width),
          WHEN(has_succeeded)),
    AFTER(GEN_010, DescribeAllocation, FILLED(DXGKARG_DESCRIBEALLOCATION, Height),
          WHEN(has_succeeded)),
    AFTER(GEN_010, DescribeAllocation, FILLED(DXGKARG_DESCRIBEALLOCATION, Format),
          WHEN(has_succeeded)),
    /* Public drivers leave out what is 0 of theirs: samples, and one of the two sizes. */
    AFTER(GEN_010, DescribeAllocation,
          FILLED(DXGKARG_DESCRIBEALLOCATION, MultisampleMethod.NumSamples), WHEN(has_succeeded),
          ADVISES),
    AFTER(GEN_010, GetStandardAllocationDriverData,
          FILLED_WHERE(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA, AllocationPrivateDriverDataSize,
                       gives_no_blocks),
          WHEN(asks_for_sizes), ADVISES),
    AFTER(GEN_010, GetStandardAllocationDriverData,
          FILLED_WHERE(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA, ResourcePrivateDriverDataSize,
                       gives_no_blocks),
          WHEN(asks_for_sizes), ADVISES),
    AFTER(ALLOC_024, DescribeAllocation, is_described, WHEN(has_device)),
    AFTER(CAPTURE_001, StopCapture, SUCCEEDS, WHEN(has_device), ADVISES,
          SAYS("what is captured into is about to be destroyed")),
};

const struct contract_family contract_family_objects = FAMILY_OF(rows);
