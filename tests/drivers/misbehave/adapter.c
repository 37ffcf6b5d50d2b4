/* adapter.c: wrong caps, and a wrong start. */
#include "misbehave.h"

static NTSTATUS caps(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query,
                     DXGK_DRIVERCAPS **out)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    *out = query->Type == DXGKQAITYPE_DRIVERCAPS ? query->pOutputData : NULL;
    return status;
}

/* Preemption without contexts. */
static NTSTATUS NTAPI preemption_without_contexts(const HANDLE adapter,
                                                  const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS *out;
    NTSTATUS status = caps(adapter, query, &out);

    if (out != NULL) {
        out->SchedulingCaps.MultiEngineAware = 0;
    }
    return status;
}

static NTSTATUS NTAPI reaches_too_little(const HANDLE adapter,
                                         const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS *out;
    NTSTATUS status = caps(adapter, query, &out);

    if (out != NULL) {
        out->HighestAcceptableAddress.QuadPart = 0xFFFFFF;
    }
    return status;
}

static NTSTATUS NTAPI newer_than_registered(const HANDLE adapter,
                                            const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS *out;
    NTSTATUS status = caps(adapter, query, &out);

    if (out != NULL) {
        out->WDDMVersion = (DXGK_WDDMVERSION)0x2000;
    }
    return status;
}

static NTSTATUS NTAPI reserved_cap(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS *out;
    NTSTATUS status = caps(adapter, query, &out);

    if (out != NULL) {
        out->FlipCaps.Reserved = 1;
    }
    return status;
}

/* Each for itself: what WDDM 1.2 and 1.3 have every driver say. */
#define CAPS_WITHOUT(function, change)                                                          \
    static NTSTATUS NTAPI function(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query) \
    {                                                                                           \
        DXGK_DRIVERCAPS *out;                                                                   \
        NTSTATUS status = caps(adapter, query, &out);                                           \
                                                                                                \
        if (out != NULL) {                                                                      \
            change;                                                                             \
        }                                                                                       \
        return status;                                                                          \
    }

CAPS_WITHOUT(no_vga_is_left, out->SupportNonVGA = FALSE)
CAPS_WITHOUT(turns_by_modes, out->SupportSmoothRotation = FALSE)
CAPS_WITHOUT(never_says_how_it_preempts,
             RtlZeroMemory(&out->PreemptionCaps, sizeof(out->PreemptionCaps)))
CAPS_WITHOUT(no_direct_flips, out->SupportDirectFlip = FALSE)
CAPS_WITHOUT(no_independent_flips, out->FlipCaps.FlipIndependent = 0)
CAPS_WITHOUT(computes_alone, out->MiscCaps.ComputeOnly = 1)

static DXGK_QUERYSEGMENTOUT3 *segments(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query,
                                       NTSTATUS *status)
{
    *status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);
    return query->Type == DXGKQAITYPE_QUERYSEGMENT3 ? query->pOutputData : NULL;
}

static NTSTATUS NTAPI reserved_segment_flag(const HANDLE adapter,
                                            const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status;
    DXGK_QUERYSEGMENTOUT3 *out = segments(adapter, query, &status);

    if (out != NULL && out->pSegmentDescriptor != NULL) {
        out->pSegmentDescriptor[0].Flags.Reserved = 2;
    }
    return status;
}

/* Never called: the DDI is left out. */
static NTSTATUS NTAPI no_metadata(const HANDLE adapter, UINT node,
                                  DXGKARG_GETNODEMETADATA *metadata)
{
    return misbehave_driver.DxgkDdiGetNodeMetadata(adapter, node, metadata);
}

static NTSTATUS NTAPI node_type_left_alone(const HANDLE adapter, UINT node,
                                           DXGKARG_GETNODEMETADATA *metadata)
{
    DXGKARG_GETNODEMETADATA whole = *metadata;
    NTSTATUS status = misbehave_driver.DxgkDdiGetNodeMetadata(adapter, node, &whole);

    RtlCopyMemory(metadata->FriendlyName, whole.FriendlyName, sizeof(metadata->FriendlyName));
    return status;
}

static NTSTATUS NTAPI overlapping_segments(const HANDLE adapter,
                                           const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status;
    DXGK_QUERYSEGMENTOUT3 *out = segments(adapter, query, &status);

    if (out != NULL && out->pSegmentDescriptor != NULL) {
        out->pSegmentDescriptor[1].BaseAddress.QuadPart =
            out->pSegmentDescriptor[0].BaseAddress.QuadPart + PAGE_SIZE;
    }
    return status;
}

static NTSTATUS NTAPI paging_buffer_in_memory_segment(const HANDLE adapter,
                                                      const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status;
    DXGK_QUERYSEGMENTOUT3 *out = segments(adapter, query, &status);

    if (out != NULL) {
        out->PagingBufferSegmentId = 1;
    }
    return status;
}

static NTSTATUS NTAPI commit_limit_below_size(const HANDLE adapter,
                                              const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status;
    DXGK_QUERYSEGMENTOUT3 *out = segments(adapter, query, &status);

    if (out != NULL && out->pSegmentDescriptor != NULL) {
        out->pSegmentDescriptor[0].CommitLimit -= PAGE_SIZE;
    }
    return status;
}

/* "The limit is the kernel's affair." */
static NTSTATUS NTAPI aperture_without_a_limit(const HANDLE adapter,
                                               const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status;
    DXGK_QUERYSEGMENTOUT3 *out = segments(adapter, query, &status);

    if (out != NULL && out->pSegmentDescriptor != NULL) {
        out->pSegmentDescriptor[1].CommitLimit = 0;
    }
    return status;
}

static NTSTATUS NTAPI quarter_of_the_aperture(const HANDLE adapter,
                                              const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS *out;
    NTSTATUS status = caps(adapter, query, &out);

    if (out != NULL) {
        out->ApertureSegmentCommitLimit /= 4;
    }
    return status;
}

static NTSTATUS NTAPI limit_in_pages(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS *out;
    NTSTATUS status = caps(adapter, query, &out);

    if (out != NULL) {
        out->ApertureSegmentCommitLimit >>= PAGE_SHIFT;
    }
    return status;
}

static NTSTATUS NTAPI aperture_in_pages(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status;
    DXGK_QUERYSEGMENTOUT3 *out = segments(adapter, query, &status);

    if (out != NULL && out->pSegmentDescriptor != NULL) {
        out->pSegmentDescriptor[1].Size >>= PAGE_SHIFT;
    }
    return status;
}

CAPS_WITHOUT(limit_in_kib, out->ApertureSegmentCommitLimit >>= 10)

static NTSTATUS NTAPI aperture_in_kib(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status;
    DXGK_QUERYSEGMENTOUT3 *out = segments(adapter, query, &status);

    if (out != NULL && out->pSegmentDescriptor != NULL) {
        out->pSegmentDescriptor[1].Size >>= 10;
    }
    return status;
}

static NTSTATUS NTAPI flips_by_command(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS *out;
    NTSTATUS status = caps(adapter, query, &out);

    if (out != NULL) {
        out->FlipCaps.FlipOnVSyncMmIo = 0;
    }
    return status;
}

static NTSTATUS NTAPI never_flips(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS *out;
    NTSTATUS status = caps(adapter, query, &out);

    if (out != NULL) {
        out->FlipCaps.Value = 0;
    }
    return status;
}

static NTSTATUS NTAPI virtual_without_mmu(const HANDLE adapter,
                                          const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS *out;
    NTSTATUS status = caps(adapter, query, &out);

    if (out != NULL) {
        out->MemoryManagementCaps.VirtualAddressingSupported = 1;
    }
    return status;
}

static NTSTATUS NTAPI two_apertures(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);
    const DXGK_QUERYSEGMENTOUT4 *out = query->pOutputData;

    if (query->Type == DXGKQAITYPE_QUERYSEGMENT4 && out->pSegmentDescriptor != NULL) {
        ((DXGK_SEGMENTDESCRIPTOR4 *)(PVOID)out->pSegmentDescriptor)->Flags.Aperture = 1;
    }
    return status;
}

/* "An array of descriptors is an array." */
static NTSTATUS NTAPI descriptors_without_a_stride(const HANDLE adapter,
                                                   const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);
    const DXGK_QUERYSEGMENTOUT4 *out = query->pOutputData;

    if (query->Type == DXGKQAITYPE_QUERYSEGMENT4 && out->pSegmentDescriptor != NULL) {
        DXGK_SEGMENTDESCRIPTOR4 *array = (DXGK_SEGMENTDESCRIPTOR4 *)(PVOID)out->pSegmentDescriptor;
        RtlMoveMemory(array + 1, out->pSegmentDescriptor + out->SegmentDescriptorStride,
                      sizeof(*array));
    }
    return status;
}

static DXGK_SEGMENTDESCRIPTOR3 *descriptors(const DXGKARG_QUERYADAPTERINFO *query)
{
    const DXGK_QUERYSEGMENTOUT3 *out = query->pOutputData;

    return query->Type == DXGKQAITYPE_QUERYSEGMENT3 ? out->pSegmentDescriptor : NULL;
}

/* "The CPU can see it." */
static NTSTATUS NTAPI agp_with_more_flags(const HANDLE adapter,
                                          const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (descriptors(query) != NULL) {
        descriptors(query)[2].Flags.CpuVisible = 1;
    }
    return status;
}

/* "The computer maps it." */
static NTSTATUS NTAPI agp_where_there_is_none(const HANDLE adapter,
                                              const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (descriptors(query) != NULL) {
        descriptors(query)[1].Flags.Value = 0;
        descriptors(query)[1].Flags.Agp = 1;
    }
    return status;
}

static NTSTATUS NTAPI agp_twice(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (descriptors(query) != NULL) {
        descriptors(query)[1].Flags = descriptors(query)[2].Flags;
    }
    return status;
}

static NTSTATUS NTAPI node_unknown(const HANDLE adapter, UINT node, DXGKARG_GETNODEMETADATA *out)
{
    return node == 1 ? STATUS_INVALID_PARAMETER
                     : misbehave_driver.DxgkDdiGetNodeMetadata(adapter, node, out);
}

/* ---- Life -------------------------------------------------------------------------------------
 */

/* A block that nobody frees. */
static NTSTATUS NTAPI add_device_leaks(const PDEVICE_OBJECT device, PVOID *context)
{
    PVOID block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, SOFTGPU_TAG('L'));

    return block != NULL ? misbehave_driver.DxgkDdiAddDevice(device, context) : STATUS_NO_MEMORY;
}

static NTSTATUS NTAPI failed_with_a_context(const PDEVICE_OBJECT device, PVOID *context)
{
    NTSTATUS status = misbehave_driver.DxgkDdiAddDevice(device, context);

    if (NT_SUCCESS(status)) {
        (void)misbehave_driver.DxgkDdiRemoveDevice(*context);
    }
    return STATUS_NO_MEMORY;
}

static NTSTATUS NTAPI children_not_counted(const PVOID context, PDXGK_START_INFO start_info,
                                           PDXGKRNL_INTERFACE interface, PULONG source_count,
                                           PULONG child_count)
{
    ULONG own;

    UNREFERENCED_PARAMETER(child_count);
    return misbehave_driver.DxgkDdiStartDevice(context, start_info, interface, source_count, &own);
}

/* The number of before it was cut down to what the device has. */
static NTSTATUS NTAPI one_source_too_many(const PVOID context, PDXGK_START_INFO start_info,
                                          PDXGKRNL_INTERFACE interface, PULONG source_count,
                                          PULONG child_count)
{
    NTSTATUS status = misbehave_driver.DxgkDdiStartDevice(context, start_info, interface,
                                                          source_count, child_count);

    *source_count += 1;
    return status;
}

/* The count of something else, which is 0. */
static NTSTATUS NTAPI no_source_for_its_outputs(const PVOID context, PDXGK_START_INFO start_info,
                                                PDXGKRNL_INTERFACE interface, PULONG source_count,
                                                PULONG child_count)
{
    NTSTATUS status = misbehave_driver.DxgkDdiStartDevice(context, start_info, interface,
                                                          source_count, child_count);

    *source_count = 0;
    return status;
}

/* Its hardware refreshes a screen before StartDevice is at its end. */
static BOOLEAN NTAPI tell_a_vsync(PVOID context)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {0};

    UNREFERENCED_PARAMETER(context);
    data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
    misbehave_kernel.DxgkCbNotifyInterrupt(misbehave_kernel.DeviceHandle, &data);
    return misbehave_kernel.DxgkCbQueueDpc(misbehave_kernel.DeviceHandle);
}

static NTSTATUS NTAPI vsync_while_it_starts(const PVOID context, PDXGK_START_INFO start_info,
                                            PDXGKRNL_INTERFACE interface, PULONG source_count,
                                            PULONG child_count)
{
    BOOLEAN queued;
    NTSTATUS status = misbehave_driver.DxgkDdiStartDevice(context, start_info, interface,
                                                          source_count, child_count);

    if (NT_SUCCESS(status)) {
        (void)misbehave_kernel.DxgkCbSynchronizeExecution(misbehave_kernel.DeviceHandle,
                                                          tell_a_vsync, NULL, 0, &queued);
    }
    return status;
}

/* One child more than StartDevice counted. */
static NTSTATUS NTAPI child_not_counted(const PVOID context, PDXGK_CHILD_DESCRIPTOR children,
                                        ULONG size)
{
    ULONG last = size / sizeof *children - 1;
    NTSTATUS status = misbehave_driver.DxgkDdiQueryChildRelations(context, children, size);

    children[last] = children[0];
    children[last].ChildUid += last;
    return status;
}

static NTSTATUS NTAPI removal_refused(PVOID context, DXGK_SURPRISE_REMOVAL_TYPE type)
{
    (void)misbehave_driver.DxgkDdiNotifySurpriseRemoval(context, type);
    return STATUS_UNSUCCESSFUL;
}

/* Puts the device to rest before it notes that it is gone. */
static NTSTATUS NTAPI removal_writes_a_register(const PVOID context,
                                                DXGK_SURPRISE_REMOVAL_TYPE type)
{
    const struct softgpu_adapter *softgpu = context;

    WRITE_REGISTER_ULONG((volatile ULONG *)(softgpu->registers + SOFTGPU_REG_INTERRUPT_ENABLE), 0);
    return misbehave_driver.DxgkDdiNotifySurpriseRemoval(context, type);
}

/* Looks whether the device is really gone. */
static NTSTATUS NTAPI stop_reads_a_register(const PVOID context)
{
    const struct softgpu_adapter *softgpu = context;

    if (softgpu->gone) {
        (void)READ_REGISTER_ULONG((volatile ULONG *)(softgpu->registers + SOFTGPU_REG_ID));
    }
    return misbehave_driver.DxgkDdiStopDevice(context);
}

/* A place of its own, beside dxgkrnl. */
static volatile ULONG *own_registers;

static NTSTATUS NTAPI registers_are_mapped_twice(const PVOID context,
                                                 PDXGK_CHILD_DESCRIPTOR children, ULONG size_bytes)
{
    DXGK_DEVICE_INFO device;

    if (NT_SUCCESS(
            misbehave_kernel.DxgkCbGetDeviceInformation(misbehave_kernel.DeviceHandle, &device))) {
        const CM_PARTIAL_RESOURCE_LIST *list =
            &device.TranslatedResourceList->List[0].PartialResourceList;
        for (ULONG i = 0; i < list->Count; i++) {
            const CM_PARTIAL_RESOURCE_DESCRIPTOR *resource = &list->PartialDescriptors[i];
            if (resource->Type == CmResourceTypeMemory &&
                resource->u.Memory.Length == SOFTGPU_REGISTERS_SIZE) {
                own_registers =
                    MmMapIoSpace(resource->u.Memory.Start, SOFTGPU_REGISTERS_SIZE, MmNonCached);
            }
        }
    }
    return misbehave_driver.DxgkDdiQueryChildRelations(context, children, size_bytes);
}

static void map_registers_twice(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiQueryChildRelations = registers_are_mapped_twice;
}

/* A last look. */
static NTSTATUS NTAPI remove_reads_a_register(const PVOID context)
{
    if (own_registers != NULL) {
        (void)READ_REGISTER_ULONG(own_registers + SOFTGPU_REG_ID / sizeof(ULONG));
        MmUnmapIoSpace((PVOID)own_registers, SOFTGPU_REGISTERS_SIZE);
        own_registers = NULL;
    }
    return misbehave_driver.DxgkDdiRemoveDevice(context);
}

/* It stops, and says that it could not. */
static NTSTATUS NTAPI stop_fails(const PVOID adapter)
{
    (void)misbehave_driver.DxgkDdiStopDevice(adapter);
    return STATUS_UNSUCCESSFUL;
}

/* ---- What is left behind ----------------------------------------------------------------------
 */

/* The registers, mapped once more. */
static volatile ULONG *map_registers(void)
{
    const CM_PARTIAL_RESOURCE_LIST *list;
    DXGK_DEVICE_INFO information;
    PVOID address = NULL;
    ULONG i;

    (void)misbehave_kernel.DxgkCbGetDeviceInformation(misbehave_kernel.DeviceHandle, &information);
    list = &information.TranslatedResourceList->List[0].PartialResourceList;
    for (i = 0; i < list->Count && address == NULL; i++) {
        const CM_PARTIAL_RESOURCE_DESCRIPTOR *resource = &list->PartialDescriptors[i];
        if (resource->Type == CmResourceTypeMemory &&
            resource->u.Memory.Length == SOFTGPU_REGISTERS_SIZE) {
            (void)misbehave_kernel.DxgkCbMapMemory(misbehave_kernel.DeviceHandle,
                                                   resource->u.Memory.Start, SOFTGPU_REGISTERS_SIZE,
                                                   FALSE, FALSE, MmNonCached, &address);
        }
    }
    return address;
}

static NTSTATUS NTAPI maps_and_forgets(const PVOID context)
{
    (void)map_registers();
    return misbehave_driver.DxgkDdiStopDevice(context);
}

/* The device is told of another one in StopDevice alone. */
static NTSTATUS NTAPI frees_the_ring_first(const PVOID context)
{
    struct softgpu_adapter *adapter = context;

    MmFreeContiguousMemory(adapter->engines[SOFTGPU_ENGINE_COPY].ring);
    adapter->engines[SOFTGPU_ENGINE_COPY].ring = NULL;
    return misbehave_driver.DxgkDdiStopDevice(context);
}

/* A dark output goes on, and says so at every vertical sync. */
static NTSTATUS NTAPI stops_and_goes_on(const PVOID context)
{
    NTSTATUS status = misbehave_driver.DxgkDdiStopDevice(context);
    volatile ULONG *registers = map_registers();

    registers[SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_SIZE) / 4] = 64 | 64 << 16;
    registers[SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_CONTROL) / 4] =
        SOFTGPU_OUTPUT_ENABLE | SOFTGPU_OUTPUT_BLANK;
    registers[SOFTGPU_REG_INTERRUPT_ENABLE / 4] = SOFTGPU_INTERRUPT_VSYNC(0);
    (void)misbehave_kernel.DxgkCbUnmapMemory(misbehave_kernel.DeviceHandle, (PVOID)registers);
    return status;
}

/* More than the device has. */
static NTSTATUS NTAPI segment_too_large(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status;
    DXGK_QUERYSEGMENTOUT3 *out = segments(adapter, query, &status);

    if (out != NULL && out->pSegmentDescriptor != NULL) {
        out->pSegmentDescriptor[0].Size += 16u << 20;
        out->pSegmentDescriptor[0].CommitLimit += 16u << 20;
    }
    return status;
}

/* Caps as the newest version has them. */
static NTSTATUS NTAPI answers_too_much(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (query->Type == DXGKQAITYPE_DRIVERCAPS) {
        RtlZeroMemory((UCHAR *)query->pOutputData + query->OutputDataSize, 8);
    }
    return status;
}

/* A hybrid discrete adapter shares nothing, and shows something all the same. */
static NTSTATUS NTAPI hybrid_by_itself(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (query->Type == DXGKQAITYPE_DRIVERCAPS) {
        DXGK_DRIVERCAPS *caps = query->pOutputData;
        caps->HybridDiscrete = TRUE;
        caps->MemoryManagementCaps.CrossAdapterResource = 0;
    }
    return status;
}

/* The highest tier alone; the bits are those of WDDM 2.9. */
static NTSTATUS NTAPI scanout_of_no_texture(const HANDLE adapter,
                                            const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (query->Type == DXGKQAITYPE_DRIVERCAPS) {
        DXGK_DRIVERCAPS *caps = query->pOutputData;
        caps->MemoryManagementCaps.CrossAdapterResource = 1;
        caps->MemoryManagementCaps.CrossAdapterResourceScanout = 1;
    }
    return status;
}

static NTSTATUS NTAPI hybrid_with_outputs(const HANDLE adapter,
                                          const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (query->Type == DXGKQAITYPE_DRIVERCAPS) {
        ((DXGK_DRIVERCAPS *)query->pOutputData)->HybridDiscrete = TRUE;
    }
    return status;
}

/* Those that clients use. */
static NTSTATUS NTAPI one_node_less(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (NT_SUCCESS(status) && query->Type == DXGKQAITYPE_PHYSICALADAPTERCAPS) {
        ((DXGK_PHYSICALADAPTERCAPS *)query->pOutputData)->NumExecutionNodes--;
    }
    return status;
}

/* "Paging is done by the first one." */
static NTSTATUS NTAPI pages_elsewhere(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (NT_SUCCESS(status) && query->Type == DXGKQAITYPE_PHYSICALADAPTERCAPS) {
        ((DXGK_PHYSICALADAPTERCAPS *)query->pOutputData)->PagingNodeIndex = 0;
    }
    return status;
}

/* The switch has no default. */
static NTSTATUS NTAPI answers_everything(const HANDLE adapter,
                                         const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    return query->Type > DXGKQAITYPE_PAGINGPROCESSGPUVASIZE ? STATUS_SUCCESS : status;
}

static const struct misbehaviour rows[] = {
    IS_FOUND("MISUSE", IN_DDI(StopDevice), maps_and_forgets, SCENE_PLAIN),
    IS_FOUND("MISUSE", IN_DDI(StopDevice), frees_the_ring_first, SCENE_PLAIN),
    IS_FOUND("DEVICE", IN_DDI(StopDevice), stops_and_goes_on, SCENE_PLAIN),
    IS_FOUND("segment 1", IN_DDI(QueryAdapterInfo), segment_too_large, SCENE_PLAIN),
    BREAKS_RULE(CAPS_001, IN_DDI(QueryAdapterInfo), preemption_without_contexts, SCENE_REFUSED),
    BREAKS_RULE(CAPS_002, IN_DDI(QueryAdapterInfo), flips_by_command, SCENE_REFUSED),
    BREAKS_RULE(CAPS_002, IN_DDI(QueryAdapterInfo), never_flips, SCENE_ADVICE | SCENE_WIN8),
    BREAKS_RULE(CAPS_004, IN_DDI(QueryAdapterInfo), virtual_without_mmu, SCENE_WDDM2),
    BREAKS_RULE(CAPS_018, IN_DDI(QueryAdapterInfo), hybrid_by_itself, SCENE_PLAIN),
    BREAKS_RULE(CAPS_018, IN_DDI(QueryAdapterInfo), scanout_of_no_texture,
                SCENE_VIRTUAL | SCENE_REFUSED),
    BREAKS_RULE(CAPS_018, IN_DDI(QueryAdapterInfo), hybrid_with_outputs, SCENE_ADVICE),
    BREAKS_RULE(CAPS_005, IN_DDI(QueryAdapterInfo), overlapping_segments, SCENE_REFUSED),
    BREAKS_RULE(CAPS_005, IN_DDI(QueryAdapterInfo), descriptors_without_a_stride,
                SCENE_WDDM2 | SCENE_REFUSED),
    BREAKS_RULE(CAPS_006, IN_DDI(QueryAdapterInfo), paging_buffer_in_memory_segment, SCENE_REFUSED),
    BREAKS_RULE(CAPS_007, IN_DDI(QueryAdapterInfo), commit_limit_below_size, SCENE_ADVICE),
    BREAKS_RULE(CAPS_007, IN_DDI(QueryAdapterInfo), limit_in_pages, 0),
    BREAKS_RULE(CAPS_007, IN_DDI(QueryAdapterInfo), aperture_in_pages, 0),
    BREAKS_RULE(CAPS_007, IN_DDI(QueryAdapterInfo), limit_in_kib, 0),
    BREAKS_RULE(CAPS_007, IN_DDI(QueryAdapterInfo), aperture_in_kib, 0),
    BREAKS_RULE(CAPS_007, IN_DDI(QueryAdapterInfo), aperture_without_a_limit, SCENE_ADVICE),
    BREAKS_RULE(CAPS_007, IN_DDI(QueryAdapterInfo), quarter_of_the_aperture, SCENE_ADVICE),
    BREAKS_RULE(CAPS_008, IN_DDI(QueryAdapterInfo), two_apertures, SCENE_WDDM2 | SCENE_MORE_RULES),
    BREAKS_RULE(CAPS_012, IN_DDI(QueryAdapterInfo), agp_with_more_flags,
                SCENE_CHIPSET | SCENE_REFUSED),
    BREAKS_RULE(CAPS_012, IN_DDI(QueryAdapterInfo), agp_where_there_is_none, SCENE_REFUSED),
    BREAKS_RULE(CAPS_012, IN_DDI(QueryAdapterInfo), agp_twice, SCENE_CHIPSET | SCENE_REFUSED),
    BREAKS_RULE(CAPS_014, IN_DDI(QueryAdapterInfo), no_vga_is_left, SCENE_ADVICE),
    BREAKS_RULE(CAPS_014, IN_DDI(QueryAdapterInfo), turns_by_modes, SCENE_ADVICE),
    BREAKS_RULE(CAPS_014, IN_DDI(QueryAdapterInfo), never_says_how_it_preempts,
                SCENE_RENDER_ONLY | SCENE_ADVICE),
    BREAKS_RULE(CAPS_014, IN_DDI(QueryAdapterInfo), no_direct_flips, SCENE_WIN8 | SCENE_ADVICE),
    BREAKS_RULE(CAPS_015, IN_DDI(QueryAdapterInfo), no_independent_flips, SCENE_ADVICE),
    BREAKS_NO_RULE(IN_DDI(QueryAdapterInfo), no_independent_flips, SCENE_WIN8),
    BREAKS_RULE(CAPS_016, IN_DDI(QueryAdapterInfo), computes_alone,
                SCENE_VIRTUAL | SCENE_RENDER_ONLY | SCENE_ADVICE | SCENE_MORE_RULES),
    BREAKS_RULE(CAPS_017, IN_DDI(QueryAdapterInfo), computes_alone,
                SCENE_VIRTUAL | SCENE_RENDER_ONLY | SCENE_ADVICE | SCENE_MORE_RULES),
    BREAKS_RULE(CAPS_010, IN_DDI(GetNodeMetadata), node_unknown, SCENE_PLAIN),
    BREAKS_RULE(CAPS_010, IN_DDI(QueryAdapterInfo), one_node_less, SCENE_WDDM2 | SCENE_ADVICE),
    BREAKS_RULE(CAPS_010, IN_DDI(QueryAdapterInfo), pages_elsewhere,
                SCENE_WDDM2 | SCENE_ADVICE | SCENE_MORE_RULES),
    BREAKS_RULE(GEN_010, IN_DDI(GetNodeMetadata), node_type_left_alone, SCENE_PLAIN),
    BREAKS_RULE(CAPS_010, IN_DDI(GetNodeMetadata), no_metadata, SCENE_LEFT_OUT),
    BREAKS_RULE(GEN_006, IN_DDI(QueryAdapterInfo), reserved_cap, SCENE_PLAIN),
    BREAKS_RULE(GEN_006, IN_DDI(QueryAdapterInfo), reserved_segment_flag, SCENE_PLAIN),
    BREAKS_RULE(GEN_009, IN_DDI(QueryAdapterInfo), answers_too_much, SCENE_REFUSED),
    BREAKS_RULE(CAPS_009, IN_DDI(QueryAdapterInfo), reaches_too_little, SCENE_REFUSED),
    BREAKS_RULE(CAPS_011, IN_DDI(QueryAdapterInfo), newer_than_registered, SCENE_REFUSED),
    BREAKS_RULE(CAPS_013, IN_DDI(QueryAdapterInfo), answers_everything, SCENE_PLAIN),
    BREAKS_RULE(LEAK, IN_DDI(AddDevice), add_device_leaks, SCENE_PLAIN),
    BREAKS_RULE(PNP_001, IN_DDI(AddDevice), failed_with_a_context, SCENE_REFUSED),
    BREAKS_RULE(PNP_003, IN_DDI(StartDevice), children_not_counted, SCENE_REFUSED),
    BREAKS_RULE(PNP_003, IN_DDI(StartDevice), one_source_too_many, SCENE_PLAIN),
    BREAKS_RULE(PNP_003, IN_DDI(StartDevice), no_source_for_its_outputs, SCENE_ADVICE),
    BREAKS_RULE(PNP_003, IN_DDI(QueryChildRelations), child_not_counted, SCENE_PLAIN),
    BREAKS_RULE(PNP_008, IN_DDI(NotifySurpriseRemoval), removal_refused, SCENE_REMOVE),
    BREAKS_RULE(PNP_008, IN_DDI(NotifySurpriseRemoval), removal_writes_a_register, SCENE_REMOVE),
    BREAKS_RULE(PNP_008, IN_DDI(StopDevice), stop_reads_a_register, SCENE_REMOVE),
    BREAKS_RULE_BESIDE(PNP_008, IN_DDI(RemoveDevice), remove_reads_a_register, SCENE_REMOVE,
                       map_registers_twice),
    BREAKS_NO_RULE_BESIDE(IN_DDI(RemoveDevice), remove_reads_a_register, SCENE_PLAIN,
                          map_registers_twice),
    BREAKS_NO_RULE(IN_DDI(StopDevice), stop_fails, SCENE_PLAIN),
    BREAKS_NO_RULE(IN_DDI(StartDevice), vsync_while_it_starts, SCENE_PLAIN),
};

MISBEHAVIOURS(adapter);
