/* memory.c: allocations: create, open, describe, close, destroy; and the ones that dxgkrnl itself
 * makes ("standard allocations").
 *
 * CreateAllocation describes memory to VidMm: how large, where it may lie. The allocation belongs
 * to the adapter. OpenAllocation makes one device's view of it; its handle stands in the
 * allocation lists of Render and Present. The two need not come from the same process. */
#include "softgpu.h"

#define PITCH_ALIGNMENT 64u
#define SWIZZLED_PART   8           /* of a segment: the largest swizzled surface */
#define PRIORITY_NORMAL 0x78000000u /* D3DDDI_ALLOCATIONPRIORITY_NORMAL; 0 is not allowed */

/* ---- Formats --------------------------------------------------------------------------------- */

ULONG softgpu_format_bytes(ULONG format)
{
    switch (format) {
    case SOFTGPU_FORMAT_BGRX8:
    case SOFTGPU_FORMAT_BGRA8:
    case SOFTGPU_FORMAT_RGBA8:
        return 4;
    case SOFTGPU_FORMAT_RGB565:
        return 2;
    case SOFTGPU_FORMAT_P8:
        return 1;
    default:
        return 0;
    }
}

ULONG softgpu_format_from_d3d(D3DDDIFORMAT format)
{
    switch (format) {
    case D3DDDIFMT_X8R8G8B8:
        return SOFTGPU_FORMAT_BGRX8;
    case D3DDDIFMT_A8R8G8B8:
        return SOFTGPU_FORMAT_BGRA8;
    case D3DDDIFMT_R5G6B5:
        return SOFTGPU_FORMAT_RGB565;
    case D3DDDIFMT_A8B8G8R8:
        return SOFTGPU_FORMAT_RGBA8;
    case D3DDDIFMT_P8:
        return SOFTGPU_FORMAT_P8;
    default:
        return 0;
    }
}

D3DDDIFORMAT softgpu_format_to_d3d(ULONG format)
{
    switch (format) {
    case SOFTGPU_FORMAT_BGRX8:
        return D3DDDIFMT_X8R8G8B8;
    case SOFTGPU_FORMAT_BGRA8:
        return D3DDDIFMT_A8R8G8B8;
    case SOFTGPU_FORMAT_RGB565:
        return D3DDDIFMT_R5G6B5;
    case SOFTGPU_FORMAT_RGBA8:
        return D3DDDIFMT_A8B8G8R8;
    case SOFTGPU_FORMAT_P8:
        return D3DDDIFMT_P8;
    default:
        return D3DDDIFMT_UNKNOWN;
    }
}

/* ---- Private data ---------------------------------------------------------------------------- */

static BOOLEAN are_flags_valid(const struct softgpu_adapter *adapter,
                               const struct softgpu_umd_allocation *info)
{
    ULONG flags = info->flags;

    if (flags & ~SOFTGPU_UMD_ALLOCATION_FLAGS) {
        return FALSE;
    }
    if ((flags &
         (SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_NOTIFY_RESIDENCY | SOFTGPU_UMD_NOTIFY_EVICTION)) &&
        !softgpu_has_addresses(&adapter->settings)) {
        return FALSE;
    }
    if ((flags & SOFTGPU_UMD_VRAM_ONLY) &&
        (flags & (SOFTGPU_UMD_APERTURE_ONLY | SOFTGPU_UMD_PREFER_APERTURE))) {
        return FALSE;
    }
    if ((flags & (SOFTGPU_UMD_CACHED | SOFTGPU_UMD_EXISTING_SYSMEM)) &&
        !(flags & SOFTGPU_UMD_APERTURE_ONLY)) {
        return FALSE;
    }
    if ((flags & SOFTGPU_UMD_CACHED) && !(flags & SOFTGPU_UMD_CPU_VISIBLE)) {
        return FALSE; /* ALLOC-010 */
    }
    if ((flags & SOFTGPU_UMD_AGP) && !(flags & SOFTGPU_UMD_PREFER_APERTURE)) {
        return FALSE;
    }
    if ((flags & SOFTGPU_UMD_STEREO) &&
        (!(flags & SOFTGPU_UMD_PRIMARY) || !adapter->settings.stereo)) {
        return FALSE;
    }
    if ((flags & SOFTGPU_UMD_CAPTURE) &&
        (flags & (SOFTGPU_UMD_PRIMARY | SOFTGPU_UMD_VRAM_ONLY)) != SOFTGPU_UMD_VRAM_ONLY) {
        return FALSE;
    }
    if (flags & SOFTGPU_UMD_PRIMARY) {
        return info->format != 0 && info->source < adapter->settings.sources &&
               !(flags & SOFTGPU_UMD_VIRTUAL_ONLY) &&
               !(flags & (SOFTGPU_UMD_APERTURE_ONLY | SOFTGPU_UMD_PREFER_APERTURE));
    }
    return TRUE;
}

/* Fills in what the client left open and checks the rest. */
static BOOLEAN complete_picture(struct softgpu_umd_allocation *info)
{
    ULONG pixel = softgpu_format_bytes(info->format);
    ULONGLONG bytes;

    if (pixel == 0 || info->width == 0 || info->height == 0 ||
        info->width > SOFTGPU_SURFACE_SIZE_MAX || info->height > SOFTGPU_SURFACE_SIZE_MAX) {
        return FALSE;
    }
    if (info->pitch_bytes == 0) {
        info->pitch_bytes = (info->width * pixel + PITCH_ALIGNMENT - 1) & ~(PITCH_ALIGNMENT - 1);
    }
    if (info->pitch_bytes % pixel != 0 || info->pitch_bytes < info->width * pixel) {
        return FALSE;
    }
    bytes = (ULONGLONG)info->pitch_bytes * info->height;
    if (bytes > SOFTGPU_UMD_ALLOCATION_MAX) {
        return FALSE;
    }
    if (info->size_bytes == 0) {
        info->size_bytes = (ULONG)bytes;
    }
    return info->size_bytes >= bytes;
}

/* The image for the right eye is as large as the other. */
static BOOLEAN add_right_image(struct softgpu_umd_allocation *info)
{
    ULONGLONG bytes =
        (ULONGLONG)softgpu_umd_right_offset(info) + (ULONGLONG)info->pitch_bytes * info->height;

    if ((info->flags & SOFTGPU_UMD_STEREO) && info->size_bytes < bytes) {
        info->size_bytes = bytes > SOFTGPU_UMD_ALLOCATION_MAX ? 0 : (ULONG)bytes;
    }
    return info->size_bytes != 0;
}

static BOOLEAN read_private_data(const struct softgpu_adapter *adapter, const void *bytes,
                                 ULONG size_bytes, struct softgpu_umd_allocation *info)
{
    if (bytes == NULL || size_bytes != sizeof(*info)) {
        return FALSE;
    }
    RtlCopyMemory(info, bytes, sizeof(*info)); /* checked from here on, not what we were given */
    if (info->magic != SOFTGPU_UMD_ALLOCATION_MAGIC || info->version != SOFTGPU_UMD_VERSION ||
        info->reserved != 0 || info->size_bytes > SOFTGPU_UMD_ALLOCATION_MAX ||
        !are_flags_valid(adapter, info)) {
        return FALSE;
    }
    if (info->format != 0) {
        return complete_picture(info) && add_right_image(info);
    }
    return info->size_bytes != 0 && info->width == 0 && info->height == 0 && info->pitch_bytes == 0;
}

/* ---- Create and destroy ---------------------------------------------------------------------- */

static void prefer(DXGK_SEGMENTPREFERENCE *preference, ULONG *place, ULONG segment)
{
    preference->Value |= segment << (*place * 6); /* five bits of id, one of direction */
    *place += 1;
}

/* The device's aperture and the chipset's have a limit each: they are taken in turn. */
static ULONG take_agp_segment(struct softgpu_adapter *adapter, ULONG flags)
{
    ULONG agp = softgpu_agp_segment(adapter);

    if (agp == 0 || !(flags & SOFTGPU_UMD_AGP)) {
        return 0;
    }
    return InterlockedIncrement(&adapter->agp_turn) & 1 ? agp : 0;
}

/* Where the memory may lie. Segment n is bit n - 1 of a set (ALLOC-007). */
static void choose_segments(struct softgpu_adapter *adapter, ULONG flags, DXGK_ALLOCATIONINFO *out)
{
    ULONG aperture = softgpu_aperture_segment(adapter);
    ULONG aperture_set = 1u << (aperture - 1);
    ULONG vram_set = aperture_set > 1 ? aperture_set - 1 : aperture_set; /* all is one with IoMmu */
    /* Pages that page tables alone show need no aperture: system memory is the segment behind the
     * last one then (ALLOC-007). */
    ULONG system = adapter->settings.gpu_mmu && adapter->settings.system_segment &&
                           (flags & SOFTGPU_UMD_VIRTUAL_ONLY)
                       ? aperture + 1
                       : aperture;
    ULONG system_set = 1u << (system - 1);
    ULONG place = 0, segment;
    ULONG agp = take_agp_segment(adapter, flags);

    out->SupportedWriteSegmentSet = vram_set | system_set;
    if (flags & SOFTGPU_UMD_APERTURE_ONLY) {
        out->SupportedWriteSegmentSet = system_set;
    } else if (flags & (SOFTGPU_UMD_VRAM_ONLY | SOFTGPU_UMD_PRIMARY)) {
        out->SupportedWriteSegmentSet = vram_set;
    }
    if (agp != 0) {
        out->SupportedWriteSegmentSet |= 1u << (agp - 1);
    }
    out->SupportedReadSegmentSet = out->SupportedWriteSegmentSet;
    out->EvictionSegmentSet = flags & SOFTGPU_UMD_EVICT_BY_APERTURE ? aperture_set : 0;

    out->PreferredSegment.Value = 0;
    if (agp != 0) {
        prefer(&out->PreferredSegment, &place, agp);
    }
    if ((flags & SOFTGPU_UMD_PREFER_APERTURE) || (out->SupportedWriteSegmentSet & vram_set) == 0) {
        prefer(&out->PreferredSegment, &place, system);
    }
    for (segment = 1; segment < aperture; segment++) {
        if (out->SupportedWriteSegmentSet & 1u << (segment - 1)) {
            prefer(&out->PreferredSegment, &place, segment);
        }
    }
}

/* VidMm swizzles and unswizzles what may lie in video memory (XFER-012). What is shown, or never
 * leaves the aperture, stays linear, and so do plain bytes. What the CPU has written no aperture
 * can show before it was swizzled in video memory: large ones would be in each other's way. */
static ULONG choose_banks(const struct softgpu_adapter *adapter,
                          const struct softgpu_umd_allocation *info)
{
    const ULONG linear = SOFTGPU_UMD_PRIMARY | SOFTGPU_UMD_APERTURE_ONLY |
                         SOFTGPU_UMD_EVICT_BY_APERTURE | SOFTGPU_UMD_LINEAR;
    ULONG pages = (ULONG)(ROUND_TO_PAGES(info->size_bytes) >> PAGE_SHIFT);
    ULONGLONG base, size;

    if (!adapter->settings.swizzled || info->format == 0 || (info->flags & linear)) {
        return 0;
    }
    softgpu_vram_segment(adapter, 1, &base, &size);
    if (info->size_bytes > size / SWIZZLED_PART) {
        return 0;
    }
    return (pages + SOFTGPU_BANK_COUNT - 1) / SOFTGPU_BANK_COUNT;
}

static void describe(struct softgpu_adapter *adapter, struct softgpu_allocation *allocation,
                     DXGK_ALLOCATIONINFO *out)
{
    const struct softgpu_umd_allocation *info = &allocation->info;

    /* Where video memory has pages of 64 KiB, nothing lies inside one (ALLOC-005). */
    out->Alignment = adapter->settings.gpu_mmu && adapter->settings.vram_64k ? 0x10000 : PAGE_SIZE;
    out->Size = info->size_bytes;
    out->PitchAlignedSize = 0;
    out->HintedBank.Value = 0;
    out->MaximumRenamingListLength = 0;
    out->pAllocationUsageHint = NULL;
    out->AllocationPriority = PRIORITY_NORMAL;
    out->Flags.Value = 0;
    out->Flags.CpuVisible = (info->flags & SOFTGPU_UMD_CPU_VISIBLE) != 0;
    out->Flags.Cached = (info->flags & SOFTGPU_UMD_CACHED) != 0;
    out->Flags.ExistingSysMem = (info->flags & SOFTGPU_UMD_EXISTING_SYSMEM) != 0;
    allocation->bank_pages = choose_banks(adapter, info);
    if (allocation->bank_pages != 0) {
        out->Size = (SIZE_T)allocation->bank_pages * SOFTGPU_BANK_COUNT << PAGE_SHIFT;
        out->Flags.Swizzled = 1;
        out->PitchAlignedSize = out->Size; /* banks lie in a row in any segment (ALLOC-006) */
    }
    out->Flags.Capture = (info->flags & SOFTGPU_UMD_CAPTURE) != 0;
    out->Flags.FromEndOfSegment = (info->flags & SOFTGPU_UMD_FROM_END) != 0;
    if (softgpu_has_addresses(&adapter->settings)) {
        /* Patched contexts, present and scan-out name it by physical address. */
        out->FlagsWddm2.AccessedPhysically = (info->flags & SOFTGPU_UMD_VIRTUAL_ONLY) == 0;
        out->FlagsWddm2.ExplicitResidencyNotification = /* ALLOC-011 */
            out->FlagsWddm2.AccessedPhysically &&
            (adapter->settings.notices || (info->flags & SOFTGPU_UMD_NOTIFY_RESIDENCY) != 0);
    }
    if (adapter->settings.gpu_mmu && adapter->settings.wddm_version >= 0x3200) {
        out->Flags2.NotifyEviction =
            adapter->settings.notices || (info->flags & SOFTGPU_UMD_NOTIFY_EVICTION) != 0;
    }
    if (adapter->settings.io_mmu == SOFTGPU_IOMMU_GPU_VA) {
        out->Flags2.NotifyIoMmuUnmap = 1; /* the engines' TLBs know it; nobody else ends that */
    }
    if (adapter->settings.map_aperture2) {
        out->FlagsWddm2.MapApertureCpuVisible = (info->flags & SOFTGPU_UMD_APERTURE_ONLY) != 0;
    }
    choose_segments(adapter, info->flags, out);
    if (adapter->mmus_asked) {
        softgpu_choose_mmus(info, out);
    }
}

/* All or nothing: on a failure no allocation of the call exists (ALLOC-002). */
NTSTATUS NTAPI softgpu_create_allocation(const HANDLE adapter_handle,
                                         DXGKARG_CREATEALLOCATION *create)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_allocation *allocation;
    NTSTATUS status = STATUS_SUCCESS;
    ULONG i;

    PAGED_CODE();

    for (i = 0; i < create->NumAllocations; i++) {
        DXGK_ALLOCATIONINFO *info = &create->pAllocationInfo[i];

        /* A flip looks at it at device IRQL: nonpaged. */
        allocation = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*allocation), SOFTGPU_TAG_MEMORY);
        if (allocation == NULL) {
            status = STATUS_NO_MEMORY;
            break;
        }
        if (!read_private_data(adapter, info->pPrivateDriverData, info->PrivateDriverDataSize,
                               &allocation->info)) {
            ExFreePoolWithTag(allocation, SOFTGPU_TAG_MEMORY);
            status = STATUS_INVALID_PARAMETER;
            break;
        }
        describe(adapter, allocation, info);
        info->hAllocation = allocation;
    }
    if (!NT_SUCCESS(status)) {
        while (i-- > 0) {
            ExFreePoolWithTag(create->pAllocationInfo[i].hAllocation, SOFTGPU_TAG_MEMORY);
            create->pAllocationInfo[i].hAllocation = NULL;
        }
    }
    return status; /* resources need nothing of us: hResource stays as it is */
}

NTSTATUS NTAPI softgpu_destroy_allocation(const HANDLE adapter_handle,
                                          const DXGKARG_DESTROYALLOCATION *destroy)
{
    ULONG i;

    UNREFERENCED_PARAMETER(adapter_handle);
    PAGED_CODE();

    for (i = 0; i < destroy->NumAllocations; i++) {
        ExFreePoolWithTag(destroy->pAllocationList[i], SOFTGPU_TAG_MEMORY);
    }
    return STATUS_SUCCESS;
}

/* ---- Open and close -------------------------------------------------------------------------- */

static NTSTATUS open_one(struct softgpu_device *device, DXGK_OPENALLOCATIONINFO *info,
                         BOOLEAN creating)
{
    struct softgpu_open_allocation *open;
    struct softgpu_allocation *allocation;
    DXGKARGCB_GETHANDLEDATA query;

    /* hAllocation is dxgkrnl's number for it; our own handle is behind it (ALLOC-019). */
    RtlZeroMemory(&query, sizeof(query));
    query.hObject = info->hAllocation;
    query.Type = DXGK_HANDLE_ALLOCATION;
    allocation = device->adapter->dxgk.DxgkCbGetHandleData(&query);
    if (allocation == NULL) {
        return STATUS_INVALID_HANDLE; /* PNP-013 */
    }
    open = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*open), SOFTGPU_TAG_OPEN);
    if (open == NULL) {
        return STATUS_NO_MEMORY;
    }
    open->device = device;
    open->allocation = allocation;
    info->hDeviceSpecificAllocation = open;

    /* The client learns what pitch and size the driver chose. Only now, and only in private data
     * of the allocation, may it be changed (ALLOC-018). */
    if (creating && info->pPrivateDriverData != NULL &&
        info->PrivateDriverDataSize == sizeof(allocation->info)) {
        RtlCopyMemory(info->pPrivateDriverData, &allocation->info, sizeof(allocation->info));
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI softgpu_open_allocations(const HANDLE device_handle,
                                        const DXGKARG_OPENALLOCATION *open)
{
    struct softgpu_device *device = device_handle;
    NTSTATUS status = STATUS_SUCCESS;
    ULONG i;

    PAGED_CODE();

    for (i = 0; i < open->NumAllocations; i++) {
        status = open_one(device, &open->pOpenAllocation[i], open->Flags.Create);
        if (!NT_SUCCESS(status)) {
            break;
        }
    }
    if (!NT_SUCCESS(status)) {
        while (i-- > 0) {
            ExFreePoolWithTag(open->pOpenAllocation[i].hDeviceSpecificAllocation, SOFTGPU_TAG_OPEN);
            open->pOpenAllocation[i].hDeviceSpecificAllocation = NULL;
        }
    }
    return status;
}

NTSTATUS NTAPI softgpu_close_allocations(const HANDLE device_handle,
                                         const DXGKARG_CLOSEALLOCATION *close)
{
    ULONG i;

    UNREFERENCED_PARAMETER(device_handle);
    PAGED_CODE();

    for (i = 0; i < close->NumAllocations; i++) {
        ExFreePoolWithTag(close->pOpenHandleList[i], SOFTGPU_TAG_OPEN);
    }
    return STATUS_SUCCESS;
}

/* dxgkrnl asks this of primaries and of sources of a present (ALLOC-024). */
NTSTATUS NTAPI softgpu_describe_allocation(const HANDLE adapter_handle,
                                           DXGKARG_DESCRIBEALLOCATION *out)
{
    const struct softgpu_allocation *allocation = out->hAllocation;

    UNREFERENCED_PARAMETER(adapter_handle);
    PAGED_CODE();

    out->Width = allocation->info.width;
    out->Height = allocation->info.height;
    out->Format = softgpu_format_to_d3d(allocation->info.format);
    out->MultisampleMethod.NumSamples = 1;
    out->MultisampleMethod.NumQualityLevels = 0;
    out->RefreshRate.Numerator = allocation->info.refresh_numerator;
    out->RefreshRate.Denominator = allocation->info.refresh_denominator;
    out->PrivateDriverFormatAttribute = 0;
    return STATUS_SUCCESS;
}

/* A client wants it elsewhere, or named otherwise, from now on (WDDM 2.1): whatever could have been
 * answered when it was created. VidMm moves it; there is nothing to remember. */
NTSTATUS NTAPI softgpu_validate_update_property(const HANDLE adapter_handle,
                                                const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *update)
{
    struct softgpu_adapter *adapter = adapter_handle;
    const struct softgpu_allocation *allocation = update->hAllocation;
    ULONG flags = allocation->info.flags;
    ULONG aperture_set = 1u << (softgpu_aperture_segment(adapter) - 1);
    ULONG vram_set = aperture_set - 1, allowed = vram_set | aperture_set;
    BOOLEAN physical = (flags & SOFTGPU_UMD_VIRTUAL_ONLY) == 0;

    PAGED_CODE();

    if (update->SetAccessedPhysically && !update->Flags.AccessedPhysically && physical &&
        (adapter->settings.notices || (flags & SOFTGPU_UMD_NOTIFY_RESIDENCY))) {
        return STATUS_INVALID_PARAMETER; /* ALLOC-011: notices speak of physical addresses */
    }
    if (flags & SOFTGPU_UMD_PRIMARY) {
        allowed = vram_set;
    } else if (flags & (SOFTGPU_UMD_CACHED | SOFTGPU_UMD_EXISTING_SYSMEM)) {
        allowed = aperture_set;
    }
    if (update->SetSupportedSegmentSet && (update->SupportedSegmentSet & ~allowed)) {
        return STATUS_INVALID_PARAMETER;
    }
    return STATUS_SUCCESS;
}

/* ---- Standard allocations -------------------------------------------------------------------- */

struct standard {
    ULONG flags, width, height, source;
    BOOLEAN cross_adapter; /* rows and their number are aligned for other adapters */
    D3DDDIFORMAT format;
    D3DDDI_RATIONAL refresh;
    UINT *pitch; /* where the pitch is wanted, or NULL */
};

static NTSTATUS read_standard(const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *arguments,
                              struct standard *standard)
{
    RtlZeroMemory(standard, sizeof(*standard));
    switch (arguments->StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE:
        standard->flags = SOFTGPU_UMD_PRIMARY | SOFTGPU_UMD_CPU_VISIBLE;
        standard->width = arguments->pCreateSharedPrimarySurfaceData->Width;
        standard->height = arguments->pCreateSharedPrimarySurfaceData->Height;
        standard->format = arguments->pCreateSharedPrimarySurfaceData->Format;
        standard->refresh = arguments->pCreateSharedPrimarySurfaceData->RefreshRate;
        standard->source = arguments->pCreateSharedPrimarySurfaceData->VidPnSourceId;
        return STATUS_SUCCESS;
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
        standard->flags = SOFTGPU_UMD_CPU_VISIBLE | SOFTGPU_UMD_PREFER_APERTURE | SOFTGPU_UMD_AGP;
        standard->width = arguments->pCreateShadowSurfaceData->Width;
        standard->height = arguments->pCreateShadowSurfaceData->Height;
        standard->format = arguments->pCreateShadowSurfaceData->Format;
        standard->pitch = &arguments->pCreateShadowSurfaceData->Pitch;
        return STATUS_SUCCESS;
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
        /* No format is given: 32 bits a pixel, as GDI composes. */
        standard->flags = SOFTGPU_UMD_CPU_VISIBLE | SOFTGPU_UMD_PREFER_APERTURE | SOFTGPU_UMD_AGP;
        standard->width = arguments->pCreateStagingSurfaceData->Width;
        standard->height = arguments->pCreateStagingSurfaceData->Height;
        standard->format = D3DDDIFMT_A8R8G8B8;
        standard->pitch = &arguments->pCreateStagingSurfaceData->Pitch;
        return STATUS_SUCCESS;
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE:
        standard->width = arguments->pCreateGdiSurfaceData->Width;
        standard->height = arguments->pCreateGdiSurfaceData->Height;
        standard->format = arguments->pCreateGdiSurfaceData->Format;
        if (standard->format == D3DDDIFMT_A8) {
            standard->format = D3DDDIFMT_P8; /* bytes that are copied to their like alone */
        }
        standard->pitch = &arguments->pCreateGdiSurfaceData->Pitch;
        switch (arguments->pCreateGdiSurfaceData->Type) {
        case D3DKMDT_GDISURFACE_TEXTURE:
            return STATUS_SUCCESS;
        case D3DKMDT_GDISURFACE_TEXTURE_CPUVISIBLE:
            standard->flags = SOFTGPU_UMD_CPU_VISIBLE;
            return STATUS_SUCCESS;
        case D3DKMDT_GDISURFACE_STAGING:
        case D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE:
            standard->flags =
                SOFTGPU_UMD_CPU_VISIBLE | SOFTGPU_UMD_PREFER_APERTURE | SOFTGPU_UMD_AGP;
            return STATUS_SUCCESS;
        case D3DKMDT_GDISURFACE_LOOKUPTABLE:
            standard->flags = SOFTGPU_UMD_LINEAR; /* entries are read, and no pixels */
            return STATUS_SUCCESS;
        case D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER:
            standard->flags = SOFTGPU_UMD_CPU_VISIBLE | SOFTGPU_UMD_APERTURE_ONLY;
            standard->cross_adapter = TRUE;
            return STATUS_SUCCESS;
        case D3DKMDT_GDISURFACE_EXISTINGSYSMEM:
            standard->flags =
                SOFTGPU_UMD_CPU_VISIBLE | SOFTGPU_UMD_APERTURE_ONLY | SOFTGPU_UMD_EXISTING_SYSMEM;
            return STATUS_SUCCESS;
        default:
            return STATUS_NOT_SUPPORTED;
        }
    default:
        return STATUS_NOT_SUPPORTED;
    }
}

/* Sides that are too large complete_picture() refuses. */
static void align_for_others(struct softgpu_umd_allocation *info)
{
    if (info->width <= SOFTGPU_SURFACE_SIZE_MAX && info->height <= SOFTGPU_SURFACE_SIZE_MAX) {
        info->pitch_bytes = (ULONG)ALIGN_UP_BY(info->width * softgpu_format_bytes(info->format),
                                               D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT);
        info->size_bytes =
            info->pitch_bytes *
            (ULONG)ALIGN_UP_BY(info->height, D3DKMT_CROSS_ADAPTER_RESOURCE_HEIGHT_ALIGNMENT);
    }
}

/* The private data that a user-mode driver would have passed to CreateAllocation. First call: its
 * size, nothing else; second: its content (ALLOC-023). */
NTSTATUS NTAPI softgpu_get_standard_allocation_data(
    const HANDLE adapter_handle, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *arguments)
{
    const struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_umd_allocation info;
    struct standard standard;
    NTSTATUS status;

    PAGED_CODE();

    if (arguments->pAllocationPrivateDriverData == NULL) {
        arguments->AllocationPrivateDriverDataSize = sizeof(info);
        arguments->ResourcePrivateDriverDataSize = 0;
        return STATUS_SUCCESS;
    }
    if (arguments->AllocationPrivateDriverDataSize < sizeof(info)) {
        return STATUS_INVALID_PARAMETER;
    }
    status = read_standard(arguments, &standard);
    if (!NT_SUCCESS(status)) {
        return status;
    }

    RtlZeroMemory(&info, sizeof(info));
    info.magic = SOFTGPU_UMD_ALLOCATION_MAGIC;
    info.version = SOFTGPU_UMD_VERSION;
    info.flags = standard.flags;
    info.width = standard.width;
    info.height = standard.height;
    info.format = softgpu_format_from_d3d(standard.format);
    info.source = standard.source;
    info.refresh_numerator = standard.refresh.Numerator;
    info.refresh_denominator = standard.refresh.Denominator;
    if (standard.cross_adapter) {
        align_for_others(&info); /* ALLOC-027, ALLOC-028 */
    }
    if (info.format == 0 || !are_flags_valid(adapter, &info) || !complete_picture(&info)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (standard.pitch != NULL) {
        *standard.pitch = info.pitch_bytes;
    }
    RtlCopyMemory(arguments->pAllocationPrivateDriverData, &info, sizeof(info));
    return STATUS_SUCCESS;
}
