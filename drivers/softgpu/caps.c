/* caps.c: DxgkDdiQueryAdapterInfo and DxgkDdiGetNodeMetadata: what the adapter can do.
 *
 * Structures grow from version to version. dxgkrnl gives a buffer of the size that the registered
 * version has, so an answer is made in full and as much of it copied as fits. */
#include "softgpu.h"

#define VISTA_DRIVERCAPS_BYTES 336u

static void copy_answer(const DXGKARG_QUERYADAPTERINFO *query, const void *answer, SIZE_T bytes)
{
    RtlCopyMemory(query->pOutputData, answer,
                  query->OutputDataSize < bytes ? query->OutputDataSize : bytes);
}

/* ---- Driver caps ----------------------------------------------------------------------------- */

static void fill_in_scheduling(const struct softgpu_settings *settings, DXGK_DRIVERCAPS *caps)
{
    /* Each of the others needs MultiEngineAware (CAPS-001); the settings see to that. */
    caps->SchedulingCaps.MultiEngineAware = settings->multi_engine_aware != 0;
    caps->SchedulingCaps.VSyncPowerSaveAware = 1;
    caps->SchedulingCaps.PreemptionAware = settings->preemption_aware != 0;
    caps->SchedulingCaps.CancelCommandAware = settings->cancel_command_aware != 0;
    if (settings->wddm_version >= 0x2300) {
        caps->SchedulingCaps.HwQueuePacketCap = settings->hw_queue_depth & 0xF;
    }
    caps->SupportPerEngineTDR = settings->per_engine_tdr != 0;
    caps->SupportRuntimePowerManagement = settings->power_components != 0;

    switch (settings->preemption_granularity) {
    case 0:
        caps->PreemptionCaps.GraphicsPreemptionGranularity =
            D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
        caps->PreemptionCaps.ComputePreemptionGranularity =
            D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
        break;
    case 1:
        caps->PreemptionCaps.GraphicsPreemptionGranularity =
            D3DKMDT_GRAPHICS_PREEMPTION_PRIMITIVE_BOUNDARY;
        caps->PreemptionCaps.ComputePreemptionGranularity =
            D3DKMDT_COMPUTE_PREEMPTION_DISPATCH_BOUNDARY;
        break;
    default:
        caps->PreemptionCaps.GraphicsPreemptionGranularity =
            D3DKMDT_GRAPHICS_PREEMPTION_PIXEL_BOUNDARY;
        caps->PreemptionCaps.ComputePreemptionGranularity =
            D3DKMDT_COMPUTE_PREEMPTION_THREAD_GROUP_BOUNDARY;
        break;
    }
}

static void fill_in_display(const struct softgpu_settings *settings, DXGK_DRIVERCAPS *caps)
{
    caps->MaxPointerWidth = SOFTGPU_CURSOR_SIZE_MAX;
    caps->MaxPointerHeight = SOFTGPU_CURSOR_SIZE_MAX;
    caps->PointerCaps.Color = 1;

    caps->MaxOverlays = settings->overlays;
    caps->PresentationCaps.MaxTextureWidthShift = 3; /* 2048 << 3 pixels */
    caps->PresentationCaps.MaxTextureHeightShift = 3;
    if (settings->gdi) {
        caps->PresentationCaps.SupportKernelModeCommandBuffer = 1;
        caps->PresentationCaps.AlignmentShift = 4; /* of a pitch */
        caps->PresentationCaps.SupportAllBltRops = 1;
        caps->PresentationCaps.SupportMirrorStretchBlt = 1;
        caps->PresentationCaps.NoSameBitmapOverlappedAlphaBlend = 1;
        caps->PresentationCaps.NoSameBitmapOverlappedStretchBlt = 1;
        caps->PresentationCaps.NoTempSurfaceForClearTypeBlend = 1;
    }

    /* As SupportNonVGA and SupportSmoothRotation below (CAPS-014, CAPS-015). */
    caps->SupportDirectFlip = settings->wddm_version >= 0x1200;
    caps->FlipCaps.FlipIndependent = settings->wddm_version >= 0x1300;

    /* Immediate flips and the interval one are always there (CAPS-003); flips by register are
     * required since WDDM 1.2 (CAPS-002). */
    caps->FlipCaps.FlipOnVSyncWithNoWait = 1;
    caps->FlipCaps.FlipOnVSyncMmIo = settings->mmio_flip != 0;
    caps->FlipCaps.FlipImmediateMmIo = settings->flip_at_once != 0;
    caps->MaxQueuedFlipOnVSync = 1;
    caps->SupportNonVGA = 1;
    caps->SupportSmoothRotation = 1;
    if (settings->overlay_planes) {
        caps->SupportMultiPlaneOverlay = 1;
        caps->MaxOverlayPlanes = settings->overlay_planes;
        caps->SupportMultiPlaneOverlayImmediateFlip = settings->flip_at_once != 0;
        caps->MaxQueuedMultiPlaneOverlayFlipVSync = 1;
        caps->MaxHwQueuedFlips = settings->flip_queue;
    }
}

static NTSTATUS query_driver_caps(const struct softgpu_adapter *adapter,
                                  const DXGKARG_QUERYADAPTERINFO *query)
{
    const struct softgpu_settings *settings = &adapter->settings;
    DXGK_DRIVERCAPS caps;

    if (query->OutputDataSize < VISTA_DRIVERCAPS_BYTES) {
        return STATUS_INVALID_PARAMETER;
    }
    RtlZeroMemory(&caps, sizeof(caps));
    caps.HighestAcceptableAddress.QuadPart = (LONGLONG)(SOFTGPU_SYSTEM_SIZE - 1);
    caps.MaxAllocationListSlotId = SOFTGPU_SLOT_COUNT;
    caps.ApertureSegmentCommitLimit = (SIZE_T)adapter->aperture_pages << SOFTGPU_PAGE_SHIFT;
    caps.NumberOfSwizzlingRanges = settings->ranges;
    caps.InterruptMessageNumber = 0;
    fill_in_display(settings, &caps);
    fill_in_scheduling(settings, &caps);
    caps.SchedulingCaps.NativeGpuFence = adapter->native_fences;
    caps.SchedulingCaps.LowIrqlPreemptCommand = settings->low_preempt != 0;
    caps.MemoryManagementCaps.PagingNode = settings->paging_node;
    caps.GpuEngineTopology.NbAsymetricProcessingNodes = softgpu_node_count(adapter);
    caps.WDDMVersion = (DXGK_WDDMVERSION)settings->wddm_version;
    caps.SupportSurpriseRemovalInHibernation = 1;
    caps.SupportSurpriseRemoval = 1;
    caps.MemoryManagementCaps.CrossAdapterResource = settings->wddm_version >= 0x1300;
    caps.MemoryManagementCaps.MapAperture2Supported = settings->map_aperture2 != 0;
    if (settings->gpu_mmu) {
        caps.MemoryManagementCaps.VirtualAddressingSupported = 1;
        caps.MemoryManagementCaps.GpuMmuSupported = 1;
    }
    if (settings->io_mmu) {
        caps.MemoryManagementCaps.VirtualAddressingSupported = 1;
        caps.MemoryManagementCaps.IoMmuSupported = 1;
    }
    copy_answer(query, &caps, sizeof(caps));
    return STATUS_SUCCESS;
}

/* ---- Segments -------------------------------------------------------------------------------- */

/* Segments 1 ... n are video memory, n + 1 is the aperture, n + 2 the chipset's if it has one;
 * described once, for three versions of the structure. The base of a segment is its GPU address, so
 * whatever address dxgkrnl computes goes into commands as it is. */
struct segment {
    DXGK_SEGMENTFLAGS flags;
    PHYSICAL_ADDRESS base, cpu_address;
    ULONG host_pages; /* of a CPU host aperture, which is at cpu_address then; 0: there is none */
    SIZE_T size;
};

static void describe_segment(const struct softgpu_adapter *adapter, ULONG id,
                             struct segment *segment)
{
    ULONGLONG base, size;

    RtlZeroMemory(segment, sizeof(*segment));
    if (id == softgpu_aperture_segment(adapter)) {
        segment->flags.Aperture = 1;
        segment->flags.CacheCoherent = 1; /* the device snoops */
        segment->base.QuadPart = (LONGLONG)SOFTGPU_APERTURE_BASE;
        segment->size = (SIZE_T)adapter->aperture_pages << SOFTGPU_PAGE_SHIFT;
        return;
    }
    if (id == softgpu_agp_segment(adapter)) {
        segment->flags.Agp = 1; /* and nothing else: VidMm knows where it is, and how large */
        return;
    }
    softgpu_vram_segment(adapter, id, &base, &size);
    segment->flags.CpuVisible = 1;
    segment->base.QuadPart = (LONGLONG)base;
    segment->cpu_address.QuadPart = adapter->vram_physical.QuadPart + (LONGLONG)base;
    segment->size = (SIZE_T)size;
    if (adapter->settings.host_aperture) {
        segment->flags.CpuVisible = 0; /* not with the other (CHA-004) */
        segment->flags.SupportsCpuHostAperture = 1;
        base = softgpu_host_aperture_of(adapter, id, &segment->host_pages);
        segment->cpu_address.QuadPart = adapter->vram_physical.QuadPart + (LONGLONG)base;
    }
}

/* Without contexts the paging buffers are where DMA buffers are. */
static ULONG paging_segment(const struct softgpu_adapter *adapter)
{
    return adapter->settings.dma_in_aperture ? softgpu_aperture_segment(adapter) : 0;
}

static NTSTATUS query_segments(const struct softgpu_adapter *adapter,
                               const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_QUERYSEGMENTOUT *out = query->pOutputData;
    struct segment segment;
    ULONG i;

    if (query->OutputDataSize < sizeof(*out)) {
        return STATUS_INVALID_PARAMETER;
    }
    /* The first call asks for the number only (CAPS-005). */
    out->NbSegment = softgpu_segment_count(adapter);
    if (out->pSegmentDescriptor == NULL) {
        return STATUS_SUCCESS;
    }
    for (i = 0; i < out->NbSegment; i++) {
        DXGK_SEGMENTDESCRIPTOR *descriptor = &out->pSegmentDescriptor[i];

        describe_segment(adapter, i + 1, &segment);
        RtlZeroMemory(descriptor, sizeof(*descriptor));
        descriptor->BaseAddress = segment.base;
        descriptor->CpuTranslatedAddress = segment.cpu_address;
        descriptor->Size = segment.size;
        descriptor->CommitLimit = segment.size;
        descriptor->Flags = segment.flags;
    }
    out->PagingBufferSegmentId = paging_segment(adapter);
    out->PagingBufferSize = adapter->settings.paging_buffer_bytes;
    out->PagingBufferPrivateDataSize = SOFTGPU_PAGING_PRIVATE_BYTES;
    return STATUS_SUCCESS;
}

static NTSTATUS query_segments3(const struct softgpu_adapter *adapter,
                                const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_QUERYSEGMENTOUT3 *out = query->pOutputData;
    struct segment segment;
    ULONG i;

    if (query->OutputDataSize < sizeof(*out)) {
        return STATUS_INVALID_PARAMETER;
    }
    out->NbSegment = softgpu_segment_count(adapter);
    if (out->pSegmentDescriptor == NULL) {
        return STATUS_SUCCESS;
    }
    for (i = 0; i < out->NbSegment; i++) {
        DXGK_SEGMENTDESCRIPTOR3 *descriptor = &out->pSegmentDescriptor[i];

        describe_segment(adapter, i + 1, &segment);
        RtlZeroMemory(descriptor, sizeof(*descriptor));
        descriptor->Flags = segment.flags;
        descriptor->BaseAddress = segment.base;
        descriptor->CpuTranslatedAddress = segment.cpu_address;
        descriptor->Size = segment.size;
        descriptor->CommitLimit = segment.size;
    }
    out->PagingBufferSegmentId = paging_segment(adapter);
    out->PagingBufferSize = adapter->settings.paging_buffer_bytes;
    out->PagingBufferPrivateDataSize = SOFTGPU_PAGING_PRIVATE_BYTES;
    return STATUS_SUCCESS;
}

/* What only an adapter with virtual addresses says of its segments. */
static void add_budget_flags(const struct softgpu_adapter *adapter, ULONG id,
                             DXGK_SEGMENTFLAGS *flags)
{
    if (!softgpu_has_addresses(&adapter->settings)) {
        return;
    }
    flags->ApplicationTarget = 1;
    if (id == softgpu_aperture_segment(adapter)) {
        flags->NonLocalBudgetGroup = 1;
    } else {
        flags->LocalBudgetGroup = 1;
        flags->Use64KBPages = adapter->settings.vram_64k != 0;
    }
}

/* Here the descriptors may be longer than we know: dxgkrnl says how far apart they lie. */
static NTSTATUS query_segments4(const struct softgpu_adapter *adapter,
                                const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_QUERYSEGMENTOUT4 *out = query->pOutputData;
    DXGK_SEGMENTDESCRIPTOR4 descriptor;
    struct segment segment;
    ULONG i;

    if (query->OutputDataSize < sizeof(*out)) {
        return STATUS_INVALID_PARAMETER;
    }
    out->NbSegment = softgpu_segment_count(adapter);
    if (out->pSegmentDescriptor == NULL) {
        return STATUS_SUCCESS;
    }
    for (i = 0; i < out->NbSegment; i++) {
        describe_segment(adapter, i + 1, &segment);
        RtlZeroMemory(&descriptor, sizeof(descriptor));
        descriptor.Flags = segment.flags;
        add_budget_flags(adapter, i + 1, &descriptor.Flags);
        descriptor.BaseAddress = segment.base;
        if (segment.host_pages != 0) {
            descriptor.CpuHostAperture.PhysicalAddress = (UINT64)segment.cpu_address.QuadPart;
            descriptor.CpuHostAperture.SizeInPages = segment.host_pages;
        } else {
            descriptor.CpuTranslatedAddress = segment.cpu_address;
        }
        descriptor.Size = segment.size;
        descriptor.CommitLimit = segment.size;
        RtlCopyMemory(out->pSegmentDescriptor + i * out->SegmentDescriptorStride, &descriptor,
                      sizeof(descriptor) < out->SegmentDescriptorStride
                          ? sizeof(descriptor)
                          : out->SegmentDescriptorStride);
    }
    out->PagingBufferSegmentId = paging_segment(adapter);
    out->PagingBufferSize = adapter->settings.paging_buffer_bytes;
    out->PagingBufferPrivateDataSize = SOFTGPU_PAGING_PRIVATE_BYTES;
    return STATUS_SUCCESS;
}

/* ---- The smaller questions ------------------------------------------------------------------- */

static NTSTATUS query_user_mode(const struct softgpu_adapter *adapter,
                                const DXGKARG_QUERYADAPTERINFO *query)
{
    struct softgpu_umd_adapter answer;

    if (query->OutputDataSize < sizeof(answer)) {
        return STATUS_INVALID_PARAMETER;
    }
    RtlZeroMemory(&answer, sizeof(answer));
    answer.magic = SOFTGPU_UMD_ADAPTER_MAGIC;
    answer.version = SOFTGPU_UMD_VERSION;
    answer.wddm_version = adapter->settings.wddm_version;
    answer.engine_count = softgpu_node_count(adapter);
    answer.output_count = adapter->output_count;
    answer.vram_segment_count = adapter->settings.vram_segments;
    answer.vram_bytes = adapter->vram_bytes;
    answer.aperture_bytes = adapter->aperture_pages << SOFTGPU_PAGE_SHIFT;
    copy_answer(query, &answer, sizeof(answer));
    return STATUS_SUCCESS;
}

/* One entry for each node; as many as dxgkrnl has room for. Time stamps are 64 bits wide; those of
 * all engines but the first stand behind private data and are put together when they are wanted. */
static NTSTATUS query_history_precision(const struct softgpu_adapter *adapter,
                                        const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGKARG_HISTORYBUFFERPRECISION *out = query->pOutputData;
    ULONG i, count = query->OutputDataSize / sizeof(*out);

    if (count == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    for (i = 0; i < count && i < softgpu_node_count(adapter); i++) {
        out[i].PrecisionBits = i == 0 ? 64 : 0;
    }
    return STATUS_SUCCESS;
}

/* DxgkPhysicalAdapterHandle is dxgkrnl's; it stays as it is. */
static NTSTATUS query_physical_adapter(const struct softgpu_adapter *adapter,
                                       const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_PHYSICALADAPTERCAPS *out = query->pOutputData;

    if (query->OutputDataSize <
        FIELD_OFFSET(DXGK_PHYSICALADAPTERCAPS, Flags) + sizeof(out->Flags)) {
        return STATUS_INVALID_PARAMETER;
    }
    out->NumExecutionNodes = (WORD)softgpu_node_count(adapter);
    out->PagingNodeIndex = (WORD)adapter->settings.paging_node;
    out->Flags.Value = 0;
    out->Flags.GpuMmuSupported = adapter->settings.gpu_mmu; /* or addresses are physical */
    out->Flags.IoMmuSupported = adapter->settings.io_mmu != 0;
    out->Flags.GpuVaIommuRequired = adapter->settings.io_mmu == SOFTGPU_IOMMU_GPU_VA;
    return STATUS_SUCCESS;
}

/* In megabytes; 0 leaves it to dxgkrnl. Asked since WDDM 3.2. */
static NTSTATUS query_paging_space(const struct softgpu_adapter *adapter,
                                   const DXGKARG_QUERYADAPTERINFO *query)
{
    if (!adapter->settings.gpu_mmu || query->OutputDataSize < sizeof(UINT)) {
        return STATUS_INVALID_PARAMETER;
    }
    *(UINT *)query->pOutputData = adapter->settings.paging_space_mb;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI softgpu_query_adapter_info(const HANDLE adapter_handle,
                                          const DXGKARG_QUERYADAPTERINFO *query)
{
    const struct softgpu_adapter *adapter = adapter_handle;

    PAGED_CODE();

    if (query->pOutputData == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    switch (query->Type) {
    case DXGKQAITYPE_UMDRIVERPRIVATE:
        return query_user_mode(adapter, query);
    case DXGKQAITYPE_DRIVERCAPS:
        return query_driver_caps(adapter, query);
    case DXGKQAITYPE_QUERYSEGMENT:
        return query_segments(adapter, query);
    case DXGKQAITYPE_QUERYSEGMENT3:
        return query_segments3(adapter, query);
    case DXGKQAITYPE_QUERYSEGMENT4:
        return query_segments4(adapter, query);
    case DXGKQAITYPE_NUMPOWERCOMPONENTS:
        return softgpu_query_power_components(adapter, query);
    case DXGKQAITYPE_POWERCOMPONENTINFO:
        return softgpu_query_power_component(adapter, query);
    case DXGKQAITYPE_HISTORYBUFFERPRECISION:
        return query_history_precision(adapter, query);
    case DXGKQAITYPE_PHYSICALADAPTERCAPS:
        return query_physical_adapter(adapter, query);
    case DXGKQAITYPE_GPUMMUCAPS:
        return softgpu_query_mmu_caps(adapter, query);
    case DXGKQAITYPE_PAGETABLELEVELDESC:
        return softgpu_query_table_level(adapter, query);
    case DXGKQAITYPE_PAGINGPROCESSGPUVASIZE:
        return query_paging_space(adapter, query);
    case DXGKQAITYPE_USERMODESUBMISSION_CAPS:
        return softgpu_query_doorbell_caps(adapter, query);
    case DXGKQAITYPE_NATIVE_FENCE_CAPS:
        return softgpu_query_fence_caps(adapter, query);
    case DXGKQAITYPE_QUERYMMUCOUNT:
        return softgpu_query_mmu_count(adapter, query);
    case DXGKQAITYPE_QUERYMMUS:
        return softgpu_query_mmus(adapter_handle, query);
    default:
        return STATUS_INVALID_PARAMETER;
    }
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static BOOLEAN is_virtual_node(const struct softgpu_adapter *adapter, ULONG node)
{
    return adapter->settings.gpu_mmu &&
           (node != adapter->settings.paging_node || adapter->settings.paging_virtual);
}

/* Every node answers (CAPS-010). The upper half of the number is the adapter of a link, always 0
 * here. */
NTSTATUS NTAPI softgpu_get_node_metadata(const HANDLE adapter_handle, UINT node_and_adapter,
                                         DXGKARG_GETNODEMETADATA *metadata)
{
    static const struct {
        DXGK_ENGINE_TYPE type;
        WCHAR name[DXGK_MAX_METADATA_NAME_LENGTH];
    } nodes[SOFTGPU_ENGINE_COUNT] = {
        [SOFTGPU_ENGINE_3D] = {DXGK_ENGINE_TYPE_3D, L"3D"},
        [SOFTGPU_ENGINE_COPY] = {DXGK_ENGINE_TYPE_COPY, L"Copy"},
        [SOFTGPU_ENGINE_COMPUTE] = {DXGK_ENGINE_TYPE_OTHER, L"Compute"},
    };
    const struct softgpu_adapter *adapter = adapter_handle;
    ULONG node = node_and_adapter & 0xFFFF;

    PAGED_CODE();

    if (node >= softgpu_node_count(adapter) || node_and_adapter >> 16 != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    metadata->EngineType = nodes[node].type;
    RtlCopyMemory(metadata->FriendlyName, nodes[node].name, sizeof(metadata->FriendlyName));
    metadata->Flags.Value = 0;
    if (adapter->settings.wddm_version >= 0x2000) {
        metadata->GpuMmuSupported = is_virtual_node(adapter, node); /* shorter before */
        metadata->IoMmuSupported = adapter->settings.io_mmu != 0;
    }
    if (softgpu_node_has_queues(adapter, node)) {
        metadata->Flags.ContextSchedulingSupported = 1;
        metadata->Flags.UserModeSubmission = adapter->settings.user_submission != 0;
        if (adapter->settings.wddm_version >= 0x2500) {
            metadata->Flags.RingBufferFenceRelease = adapter->settings.fence_release;
            metadata->Flags.MaxInFlightHwQueueBuffers = SOFTGPU_QUEUE_ENTRIES - 1;
        }
    }
    return STATUS_SUCCESS;
}
