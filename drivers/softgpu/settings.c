/* settings.c: values of the service's registry key.
 *
 * One driver image serves many set-ups: old and new WDDM versions, one segment or several, flips
 * by register or by command. A value that is missing or out of bounds has its default. */
#include "softgpu.h"

#define BY_VERSION 2 /* as a driver of its version has it */

struct value {
    const WCHAR *name;
    ULONG offset; /* in struct softgpu_settings */
    ULONG minimum, maximum, initial;
};

#define VALUE(name, field, minimum, maximum, initial)                                 \
    {                                                                                 \
        name, FIELD_OFFSET(struct softgpu_settings, field), minimum, maximum, initial \
    }

static const struct value values[] = {
    VALUE(L"WddmVersion", wddm_version, 0x1000, 0x3200, 0x1300),
    VALUE(L"VramSegments", vram_segments, 1, SOFTGPU_VRAM_SEGMENT_MAX, 1),
    VALUE(L"VideoSources", sources, 1, SOFTGPU_OUTPUT_MAX, SOFTGPU_OUTPUT_MAX),
    VALUE(L"MmioFlip", mmio_flip, 0, 1, BY_VERSION),
    VALUE(L"MultiEngineAware", multi_engine_aware, 0, 1, 1),
    VALUE(L"PreemptionAware", preemption_aware, 0, 1, 1),
    VALUE(L"PreemptionGranularity", preemption_granularity, 0, 2, 1),
    VALUE(L"CancelCommandAware", cancel_command_aware, 0, 1, 1),
    VALUE(L"DmaBufferSegment", dma_in_aperture, 0, 1, 0),
    VALUE(L"HwQueueDepth", hw_queue_depth, 0, 15, 0),
    VALUE(L"PerEngineTdr", per_engine_tdr, 0, 1, 0),
    VALUE(L"PagingNode", paging_node, 0, SOFTGPU_ENGINE_COUNT - 1, SOFTGPU_ENGINE_COPY),
    VALUE(L"ApertureQueued", aperture_queued, 0, 1, 0),
    VALUE(L"GdiAcceleration", gdi, 0, 1, 1),
    VALUE(L"DmaBufferSize", dma_buffer_bytes, 4096, 0x100000, 0x10000),
    VALUE(L"PagingBufferSize", paging_buffer_bytes, 4096, 0x100000, 0x10000),
};

/* Asked for in drivers that can have virtual addresses: of WDDM 2.x. */
static const struct value virtual_values[] = {
    VALUE(L"GpuMmu", gpu_mmu, 0, 1, 0),
    VALUE(L"PagingVirtual", paging_virtual, 0, 1, 1),
    VALUE(L"PageTableLevels", table_levels, SOFTGPU_LEVEL_MIN, SOFTGPU_LEVEL_MAX, 4),
    VALUE(L"PageTableUpdateMode", table_update_mode, DXGK_PAGETABLEUPDATE_CPU_VIRTUAL,
          DXGK_PAGETABLEUPDATE_GPU_PHYSICAL, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL),
    VALUE(L"PageTableSegment", table_in_vram, 0, 1, 1),
    VALUE(L"DualPte", dual_pte, 0, 1, 0),
    VALUE(L"VramPages64K", vram_64k, 0, 1, 0),
    VALUE(L"PageTableIdleUpdates", table_idle_updates, 0, 1, 0),
    VALUE(L"PageTableInvalidation", table_explicit, 0, 1, 0),
    VALUE(L"PageTablesInTransfer", tables_in_transfer, 0, 1, 0),
    VALUE(L"PagingSpaceSize", paging_space_mb, 0, 1024, 0),
    VALUE(L"CompanionNode", companion_node, 0, SOFTGPU_ENGINE_COUNT, 0),
    VALUE(L"Notices", notices, 0, 1, 0),
    VALUE(L"SystemSegment", system_segment, 0, 1, 0),
    VALUE(L"CpuHostAperture", host_aperture, 0, 1, 0),
    VALUE(L"DeviceMmus", device_mmus, 0, 1, 0),
    VALUE(L"IoMmu", io_mmu, 0, 2, 0),
    VALUE(L"ValidateSubmissions", validates, 0, 1, 1),
    VALUE(L"LowIrqlPreempt", low_preempt, 0, 1, 0),
    VALUE(L"HardwareScheduling", hw_scheduling, 0, 2, 0),
    VALUE(L"RingBufferFenceRelease", fence_release, 0, 1, 0),
    VALUE(L"SignalMonitoredFence", signal_fence, 0, 1, 1),
    VALUE(L"NativeFences", native_fences, 0, 2, 0),
    VALUE(L"UserModeSubmission", user_submission, SOFTGPU_USERS_NONE, SOFTGPU_USERS_TELL,
          SOFTGPU_USERS_RING),
};

/* What the outputs can do besides a primary. */
static const struct value display_values[] = {
    VALUE(L"Stereo", stereo, 0, 2, 2),
    VALUE(L"Palette", palette, 0, 1, 1),
    VALUE(L"Scaling", scaling, 0, SOFTGPU_SCALING_MAX, SOFTGPU_SCALING_MAX),
    VALUE(L"OverlayPlanes", overlay_planes, 0, SOFTGPU_PLANE_MAX, 0),
    VALUE(L"Overlays", overlays, 0, SOFTGPU_OVERLAY_MAX, SOFTGPU_OVERLAY_MAX),
    VALUE(L"FlipQueue", flip_queue, 0, SOFTGPU_FLIP_QUEUE_MAX / 2, 0),
    VALUE(L"FlipCancel", flip_cancel, 0, SOFTGPU_CANCEL_COUNT - 1, SOFTGPU_CANCEL_FLIPS),
    VALUE(L"ContainerIds", container_ids, 0, 1, 0),
};

/* How its parts rest; since WDDM 1.2. */
static const struct value power_values[] = {
    VALUE(L"PowerComponents", power_components, 0, 2, 1),
};

/* What the computer may have. */
static const struct value computer_values[] = {
    VALUE(L"AgpSegment", agp_segment, 0, 1, 1),
};

/* Kinds of memory that few devices have. */
static const struct value memory_values[] = {
    VALUE(L"ContextState", context_state, 0, 2, 0),
    VALUE(L"SwizzlingRanges", ranges, 0, SOFTGPU_RANGE_MAX, 0),
    VALUE(L"SwizzledSurfaces", swizzled, 0, 1, 0),
    VALUE(L"MapAperture2", map_aperture2, 0, 1, 0),
    VALUE(L"PrivateData", private_data, 0, 1, 1),
};

/* A WDDM version and the interface version that a driver for it registers. */
static const struct {
    ULONG wddm, interface_version;
} versions[] = {
    {0x1000, DXGKDDI_INTERFACE_VERSION_VISTA_SP1}, {0x1100, DXGKDDI_INTERFACE_VERSION_WIN7},
    {0x1200, DXGKDDI_INTERFACE_VERSION_WIN8},      {0x1300, DXGKDDI_INTERFACE_VERSION_WDDM1_3},
    {0x2000, DXGKDDI_INTERFACE_VERSION_WDDM2_0},   {0x2100, DXGKDDI_INTERFACE_VERSION_WDDM2_1},
    {0x2200, DXGKDDI_INTERFACE_VERSION_WDDM2_2},   {0x2300, DXGKDDI_INTERFACE_VERSION_WDDM2_3},
    {0x2400, DXGKDDI_INTERFACE_VERSION_WDDM2_4},   {0x2500, DXGKDDI_INTERFACE_VERSION_WDDM2_5},
    {0x2600, DXGKDDI_INTERFACE_VERSION_WDDM2_6},   {0x2700, DXGKDDI_INTERFACE_VERSION_WDDM2_7},
    {0x2800, DXGKDDI_INTERFACE_VERSION_WDDM2_8},   {0x2900, DXGKDDI_INTERFACE_VERSION_WDDM2_9},
    {0x3000, DXGKDDI_INTERFACE_VERSION_WDDM3_0},   {0x3100, DXGKDDI_INTERFACE_VERSION_WDDM3_1},
    {0x3200, DXGKDDI_INTERFACE_VERSION_WDDM3_2},
};

static BOOLEAN read_value(HANDLE key, const WCHAR *name, ULONG *result)
{
    union {
        KEY_VALUE_PARTIAL_INFORMATION header;
        UCHAR bytes[sizeof(KEY_VALUE_PARTIAL_INFORMATION) + sizeof(ULONG)];
    } information;
    UNICODE_STRING value_name;
    ULONG length;
    NTSTATUS status;

    RtlInitUnicodeString(&value_name, name);
    status = ZwQueryValueKey(key, &value_name, KeyValuePartialInformation, &information,
                             sizeof(information), &length);
    if (!NT_SUCCESS(status) || information.header.Type != REG_DWORD ||
        information.header.DataLength != sizeof(ULONG)) {
        return FALSE;
    }
    RtlCopyMemory(result, information.header.Data, sizeof(ULONG));
    return TRUE;
}

/* The CPU's addresses lead to system memory alone. */
static void share_addresses(struct softgpu_settings *settings)
{
    if (settings->wddm_version < 0x2000 || !settings->multi_engine_aware) {
        settings->io_mmu = 0;
    }
    if (settings->io_mmu == SOFTGPU_IOMMU_GPU_VA && settings->wddm_version < 0x3200) {
        settings->io_mmu = SOFTGPU_IOMMU_SHARED;
    }
    if (settings->io_mmu) {
        settings->gpu_mmu = 0; /* one of the two */
        settings->vram_segments = 0;
        settings->host_aperture = 0;
        settings->context_state = 0;
        settings->system_segment = 0;
        settings->device_mmus = 0; /* they show video memory */
    }
}

/* Flips by register are required since WDDM 1.2; those by command need private data. */
static void decide_flips(struct softgpu_settings *settings)
{
    if (settings->mmio_flip == BY_VERSION) {
        settings->mmio_flip = settings->wddm_version >= 0x1100;
    }
    if (settings->wddm_version >= 0x1200) {
        settings->mmio_flip = 1;
    }
    settings->flip_at_once = settings->mmio_flip;
    if (!settings->mmio_flip) {
        settings->private_data = 1; /* what is shown has to be known */
    }
    if (!settings->private_data) {
        settings->preemption_granularity = 0; /* there is no place to say where a buffer stopped */
    }
}

/* What the contract asks of combinations (CAPS-001, CAPS-002). */
static void make_consistent(struct softgpu_settings *settings)
{
    ULONG i, best = 0;

    for (i = 0; i < RTL_NUMBER_OF(versions); i++) {
        if (versions[i].wddm <= settings->wddm_version) {
            best = i;
        }
    }
    settings->wddm_version = versions[best].wddm;
    settings->interface_version = versions[best].interface_version;

    if (settings->wddm_version < 0x1200) {
        settings->preemption_aware = 0;
        settings->cancel_command_aware = 0;
        settings->per_engine_tdr = 0;
        settings->power_components = 0;
    }
    if (settings->wddm_version < 0x1100) {
        settings->gdi = 0;
        settings->multi_engine_aware = 0;
        settings->scaling = settings->scaling ? SOFTGPU_SCALING_VISTA : SOFTGPU_SCALING_NONE;
    }
    if (!settings->multi_engine_aware) {
        settings->preemption_aware = 0;
        settings->cancel_command_aware = 0;
        settings->paging_node = SOFTGPU_ENGINE_3D;
    }
    if (settings->wddm_version < 0x1200) {
        settings->stereo = 0; /* its flips came with Windows 8 */
    }
    if (settings->wddm_version < 0x1200 || !settings->multi_engine_aware) {
        settings->context_state = 0; /* they came with Windows 8, for contexts */
    }
    decide_flips(settings);
    if (settings->wddm_version >= 0x2000) {
        settings->ranges = 0; /* they ended there, and swizzled allocations with them */
        settings->swizzled = 0;
        settings->agp_segment = 0;
    }
    if (settings->wddm_version < 0x1300 || !settings->mmio_flip) {
        settings->overlay_planes = 0; /* MaxOverlayPlanes came with Windows 8.1 */
    }
    if (settings->overlay_planes) {
        settings->overlays = 0; /* clients have one of the two */
    }
    if (settings->wddm_version < 0x2900) {
        settings->map_aperture2 = 0;
    }
    if (settings->wddm_version < 0x3200) {
        settings->device_mmus = 0;
    }
    /* Commands that map the buffer they stand in would come too late. */
    if (settings->dma_in_aperture) {
        settings->aperture_queued = 0;
    }
    if (settings->wddm_version < 0x2000 || !settings->multi_engine_aware) {
        settings->gpu_mmu = 0;
    }
    share_addresses(settings);
    if (settings->wddm_version < 0x2500 || !softgpu_has_addresses(settings)) {
        settings->validates = 0;
    }
    /* The CPU writes tables in video memory only for the paging process (PT-008). Without virtual
     * paging nobody has a virtual address for them. */
    if (settings->table_update_mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) {
        settings->table_in_vram = 0;
    } else if (!settings->paging_virtual) {
        settings->table_update_mode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
    }
}

/* Their entries name GPU virtual addresses. The caps are of WDDM 2.4, one of them of 2.5. */
static void make_queues_consistent(struct softgpu_settings *settings)
{
    if (settings->wddm_version < 0x2400 || !settings->gpu_mmu) {
        settings->hw_scheduling = 0;
    }
    if (settings->hw_scheduling == 2 && !settings->paging_virtual) {
        settings->hw_scheduling = 1;
    }
    if (settings->wddm_version < 0x2500 || !settings->hw_scheduling) {
        settings->fence_release = 0;
    }
    if (settings->wddm_version < 0x3100 || !settings->hw_scheduling) {
        settings->user_submission = SOFTGPU_USERS_NONE;
    }
    if (settings->wddm_version < 0x3200 || !settings->gpu_mmu) {
        settings->native_fences = 0;
    }
    /* Flips that wait in the device came with 3.0, for planes and where it schedules by itself. */
    if (settings->wddm_version < 0x3000 || !settings->hw_scheduling || !settings->overlay_planes ||
        settings->flip_queue < 2) {
        settings->flip_queue = 0;
    }
}

static void read_values(HANDLE key, const struct value *list, ULONG count,
                        struct softgpu_settings *settings)
{
    ULONG i, found;

    for (i = 0; i < count; i++) {
        ULONG *field = (ULONG *)(void *)((UCHAR *)settings + list[i].offset);

        *field = list[i].initial;
        if (key != NULL && read_value(key, list[i].name, &found) && found >= list[i].minimum &&
            found <= list[i].maximum) {
            *field = found;
        }
    }
}

void softgpu_settings_read(PUNICODE_STRING registry_path, struct softgpu_settings *settings)
{
    OBJECT_ATTRIBUTES attributes;
    HANDLE key = NULL;

    InitializeObjectAttributes(&attributes, registry_path, OBJ_KERNEL_HANDLE | OBJ_CASE_INSENSITIVE,
                               NULL, NULL);
    if (!NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &attributes))) {
        key = NULL;
    }

    read_values(key, values, RTL_NUMBER_OF(values), settings);
    read_values(key, memory_values, RTL_NUMBER_OF(memory_values), settings);
    read_values(key, display_values, RTL_NUMBER_OF(display_values), settings);
    read_values(key, computer_values, RTL_NUMBER_OF(computer_values), settings);
    read_values(key, power_values, RTL_NUMBER_OF(power_values), settings);
    if (settings->wddm_version >= 0x2000) {
        read_values(key, virtual_values, RTL_NUMBER_OF(virtual_values), settings);
    }

    if (key != NULL) {
        ZwClose(key);
    }
    make_consistent(settings);
    make_queues_consistent(settings);
}
