/* objects.c: devices, contexts and allocations made wrongly. */
#include "misbehave.h"

/* ---- Devices and contexts ---------------------------------------------------------------------
 */

static NTSTATUS NTAPI device_without_handle(const HANDLE adapter, DXGKARG_CREATEDEVICE *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateDevice(adapter, create);

    if (NT_SUCCESS(status) && misbehave_at(2)) {
        (void)misbehave_driver.DxgkDdiDestroyDevice(create->hDevice);
        create->hDevice = NULL;
    }
    return status;
}

static NTSTATUS NTAPI device_in_memory_segment(const HANDLE adapter, DXGKARG_CREATEDEVICE *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateDevice(adapter, create);

    if (NT_SUCCESS(status) && misbehave_at(2)) {
        create->pInfo->DmaBufferSegmentSet = 1;
    }
    return status;
}

/* Promises one pass, with a patch list that is full after two commands: Render asks for more. */
static NTSTATUS NTAPI device_promises_one_pass(const HANDLE adapter, DXGKARG_CREATEDEVICE *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateDevice(adapter, create);

    if (NT_SUCCESS(status)) {
        create->pInfo->Flags.GuaranteedDmaBufferContract = 1;
        create->pInfo->PatchLocationListSize = 4;
    }
    return status;
}

static NTSTATUS NTAPI context_fails_oddly(const HANDLE device, DXGKARG_CREATECONTEXT *create)
{
    return misbehave_at(2) ? STATUS_UNSUCCESSFUL
                           : misbehave_driver.DxgkDdiCreateContext(device, create);
}

/* "Where are the numbers of my user-mode driver?" */
static NTSTATUS NTAPI context_wants_data(const HANDLE device, DXGKARG_CREATECONTEXT *create)
{
    return create->Flags.SystemContext ? misbehave_driver.DxgkDdiCreateContext(device, create)
                                       : STATUS_INVALID_PARAMETER;
}

static NTSTATUS NTAPI context_without_handle(const HANDLE device, DXGKARG_CREATECONTEXT *create)
{
    HANDLE given = create->hContext;
    NTSTATUS status = misbehave_driver.DxgkDdiCreateContext(device, create);

    if (NT_SUCCESS(status) && misbehave_at(2)) {
        (void)misbehave_driver.DxgkDdiDestroyContext(create->hContext);
        create->hContext = given;
    }
    return status;
}

static NTSTATUS NTAPI no_dma_buffer(const HANDLE device, DXGKARG_CREATECONTEXT *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateContext(device, create);

    if (misbehave_at(2)) {
        create->ContextInfo.DmaBufferSize = 0;
    }
    return status;
}

static NTSTATUS NTAPI context_in_memory_segment(const HANDLE device, DXGKARG_CREATECONTEXT *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateContext(device, create);

    if (misbehave_at(2)) {
        create->ContextInfo.DmaBufferSegmentSet = 1;
    }
    return status;
}

/* ---- One handle for all -----------------------------------------------------------------------
 */

/* The handle that was seen first is what all get from then on; their own are lost. */
static void hand_out_one(HANDLE *handle)
{
    static HANDLE only;

    if (only == NULL) {
        only = *handle;
    }
    *handle = only;
}

static NTSTATUS NTAPI devices_of_one_handle(const HANDLE adapter, DXGKARG_CREATEDEVICE *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateDevice(adapter, create);

    if (NT_SUCCESS(status)) {
        hand_out_one(&create->hDevice);
    }
    return status;
}

/* The system's own is one of them: paging comes from it. */
static NTSTATUS NTAPI openings_of_one_handle(const HANDLE device,
                                             const DXGKARG_OPENALLOCATION *open)
{
    NTSTATUS status = misbehave_driver.DxgkDdiOpenAllocation(device, open);

    if (NT_SUCCESS(status)) {
        hand_out_one(&open->pOpenAllocation[0].hDeviceSpecificAllocation);
    }
    return status;
}

/* ---- Allocations ------------------------------------------------------------------------------
 */

static NTSTATUS NTAPI allocation_fails_oddly(const HANDLE adapter, DXGKARG_CREATEALLOCATION *create)
{
    return misbehave_at(2) ? STATUS_UNSUCCESSFUL
                           : misbehave_driver.DxgkDdiCreateAllocation(adapter, create);
}

/* The second one that is made, or NULL. */
static DXGK_ALLOCATIONINFO *second(const HANDLE adapter, DXGKARG_CREATEALLOCATION *create,
                                   NTSTATUS *status)
{
    *status = misbehave_driver.DxgkDdiCreateAllocation(adapter, create);
    return NT_SUCCESS(*status) && misbehave_at(2) ? &create->pAllocationInfo[0] : NULL;
}

static NTSTATUS NTAPI allocation_without_handle(const HANDLE adapter,
                                                DXGKARG_CREATEALLOCATION *create)
{
    NTSTATUS status;
    DXGK_ALLOCATIONINFO *info = second(adapter, create, &status);
    DXGKARG_DESTROYALLOCATION destroy;

    if (info != NULL) {
        RtlZeroMemory(&destroy, sizeof(destroy));
        destroy.NumAllocations = 1;
        destroy.pAllocationList = &info->hAllocation;
        (void)misbehave_driver.DxgkDdiDestroyAllocation(adapter, &destroy);
        info->hAllocation = NULL;
    }
    return status;
}

/* Of the scene's small pictures the second is the shadow surface that the kernel asked for. */
/* "It comes as zeros." */
static NTSTATUS NTAPI flags_are_ored(const HANDLE adapter, DXGKARG_CREATEALLOCATION *create)
{
    ULONG before = create->pAllocationInfo[0].Flags.Value;
    NTSTATUS status = misbehave_driver.DxgkDdiCreateAllocation(adapter, create);

    create->pAllocationInfo[0].Flags.Value |= before;
    return status;
}

static NTSTATUS NTAPI surface_too_small(const HANDLE adapter, DXGKARG_CREATEALLOCATION *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateAllocation(adapter, create);
    DXGK_ALLOCATIONINFO *info = &create->pAllocationInfo[0];

    if (NT_SUCCESS(status) && info->Size <= 0x4000 && misbehave_at(2)) {
        info->Size = 0x1000;
    }
    return status;
}

#define SPOILS_SECOND(function, statement)                                                 \
    static NTSTATUS NTAPI function(const HANDLE adapter, DXGKARG_CREATEALLOCATION *create) \
    {                                                                                      \
        NTSTATUS status;                                                                   \
        DXGK_ALLOCATIONINFO *info = second(adapter, create, &status);                      \
                                                                                           \
        if (info != NULL) {                                                                \
            statement;                                                                     \
        }                                                                                  \
        return status;                                                                     \
    }

SPOILS_SECOND(allocation_without_size, info->Size = 0)
SPOILS_SECOND(odd_alignment, info->Alignment = 3)
SPOILS_SECOND(pitch_size_too_small, info->PitchAlignedSize = 1)
SPOILS_SECOND(prefers_another_segment, info->PreferredSegment.SegmentId0 = 2)
SPOILS_SECOND(supports_no_such_segment, info->SupportedWriteSegmentSet |= 0x100)
SPOILS_SECOND(evicts_to_memory, info->EvictionSegmentSet = 1)
SPOILS_SECOND(no_priority, info->AllocationPriority = 0)
SPOILS_SECOND(cached_without_cpu, (info->Flags.CpuVisible = 0, info->Flags.Cached = 1))
SPOILS_SECOND(two_kinds_of_memory,
              (info->Flags.ExistingSysMem = 1, info->Flags.PermanentSysMem = 1))
/* "The CPU sees it when it asks": that is enough for what else is only for what it sees. */
SPOILS_SECOND(cached_on_demand, (info->FlagsWddm2.CpuVisible = 0, info->FlagsWddm2.Cached = 1,
                                 info->FlagsWddm2.CpuVisibleOnDemand = 1))
/* Also of the primary, which is no texture. */
static NTSTATUS NTAPI cached_as_all_is_that_cpus_see(const HANDLE adapter,
                                                     DXGKARG_CREATEALLOCATION *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateAllocation(adapter, create);

    for (UINT i = 0; NT_SUCCESS(status) && i < create->NumAllocations; i++) {
        create->pAllocationInfo[i].Flags.Cached = create->pAllocationInfo[i].Flags.CpuVisible;
    }
    return status;
}

static BOOLEAN shared_primary_is_next;

static NTSTATUS NTAPI shared_primary_is_noted(const HANDLE adapter,
                                              DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *data)
{
    shared_primary_is_next =
        data->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
    return misbehave_driver.DxgkDdiGetStandardAllocationDriverData(adapter, data);
}

static void note_shared_primaries(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiGetStandardAllocationDriverData = shared_primary_is_noted;
}

/* What a client asks for to be shown is its own, and nobody else's. */
static NTSTATUS NTAPI clients_primary_is_protected(const HANDLE adapter,
                                                   DXGKARG_CREATEALLOCATION *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateAllocation(adapter, create);
    const struct softgpu_umd_allocation *said = create->pAllocationInfo[0].pPrivateDriverData;

    if (NT_SUCCESS(status) && said != NULL && !shared_primary_is_next &&
        create->pAllocationInfo[0].PrivateDriverDataSize >= sizeof(*said) &&
        said->magic == SOFTGPU_UMD_ALLOCATION_MAGIC && said->flags & SOFTGPU_UMD_PRIMARY) {
        create->pAllocationInfo[0].Flags.Protected = 1;
    }
    shared_primary_is_next = FALSE;
    return status;
}

SPOILS_SECOND(notified_without_cause, info->Flags.ExplicitResidencyNotification = 1)

/* ---- Opening, standard allocations ------------------------------------------------------------
 */

static NTSTATUS NTAPI opening_without_handle(const HANDLE device,
                                             const DXGKARG_OPENALLOCATION *open)
{
    NTSTATUS status = misbehave_driver.DxgkDdiOpenAllocation(device, open);
    DXGKARG_CLOSEALLOCATION close;

    if (NT_SUCCESS(status) && misbehave_at(2)) {
        RtlZeroMemory(&close, sizeof(close));
        close.NumAllocations = 1;
        close.pOpenHandleList = &open->pOpenAllocation[0].hDeviceSpecificAllocation;
        (void)misbehave_driver.DxgkDdiCloseAllocation(device, &close);
        open->pOpenAllocation[0].hDeviceSpecificAllocation = NULL;
    }
    return status;
}

static NTSTATUS NTAPI resource_data_changed(const HANDLE device, const DXGKARG_OPENALLOCATION *open)
{
    if (open->pPrivateDriverData != NULL && open->PrivateDriverSize > 0 && misbehave_once()) {
        *(UCHAR *)open->pPrivateDriverData ^= 1;
    }
    return misbehave_driver.DxgkDdiOpenAllocation(device, open);
}

static NTSTATUS NTAPI data_changed_when_shared(const HANDLE device,
                                               const DXGKARG_OPENALLOCATION *open)
{
    NTSTATUS status = misbehave_driver.DxgkDdiOpenAllocation(device, open);

    if (!open->Flags.Create && misbehave_once()) {
        ((UCHAR *)open->pOpenAllocation[0].pPrivateDriverData)[8] ^= 1;
    }
    return status;
}

/* As before Windows 7 there were no others. */
static NTSTATUS NTAPI gdi_without_pitch(const HANDLE adapter,
                                        DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *data)
{
    NTSTATUS status = misbehave_driver.DxgkDdiGetStandardAllocationDriverData(adapter, data);

    if (data->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_GDISURFACE &&
        data->pCreateGdiSurfaceData->Type == D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE) {
        data->pCreateGdiSurfaceData->Pitch = 0;
    }
    return status;
}

static NTSTATUS NTAPI shadow_pitch_in_pixels(const HANDLE adapter,
                                             DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *data)
{
    NTSTATUS status = misbehave_driver.DxgkDdiGetStandardAllocationDriverData(adapter, data);

    if (data->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE &&
        data->pAllocationPrivateDriverData != NULL && misbehave_once()) {
        data->pCreateShadowSurfaceData->Pitch = data->pCreateShadowSurfaceData->Width;
    }
    return status;
}

static BOOLEAN is_cross_adapter(const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *data)
{
    return data->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_GDISURFACE &&
           data->pCreateGdiSurfaceData->Type == D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER &&
           data->pAllocationPrivateDriverData != NULL;
}

/* The alignment of the device's own textures. */
static NTSTATUS NTAPI pitch_as_of_a_texture(const HANDLE adapter,
                                            DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *data)
{
    NTSTATUS status = misbehave_driver.DxgkDdiGetStandardAllocationDriverData(adapter, data);

    if (is_cross_adapter(data)) {
        struct softgpu_umd_allocation *info = data->pAllocationPrivateDriverData;
        info->pitch_bytes = data->pCreateGdiSurfaceData->Pitch =
            data->pCreateGdiSurfaceData->Width * 4;
    }
    return status;
}

/* A texture is a texture. */
static NTSTATUS NTAPI shared_wherever_it_fits(const HANDLE adapter,
                                              DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *data)
{
    NTSTATUS status = misbehave_driver.DxgkDdiGetStandardAllocationDriverData(adapter, data);

    if (is_cross_adapter(data)) {
        ((struct softgpu_umd_allocation *)data->pAllocationPrivateDriverData)->flags &=
            ~SOFTGPU_UMD_APERTURE_ONLY;
    }
    return status;
}

static NTSTATUS NTAPI rows_as_they_are(const HANDLE adapter,
                                       DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *data)
{
    NTSTATUS status = misbehave_driver.DxgkDdiGetStandardAllocationDriverData(adapter, data);

    if (is_cross_adapter(data)) {
        struct softgpu_umd_allocation *info = data->pAllocationPrivateDriverData;
        info->size_bytes = info->pitch_bytes * info->height;
    }
    return status;
}

static NTSTATUS NTAPI standard_without_size(const HANDLE adapter,
                                            DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *data)
{
    NTSTATUS status = misbehave_driver.DxgkDdiGetStandardAllocationDriverData(adapter, data);

    if (data->pAllocationPrivateDriverData == NULL) {
        data->AllocationPrivateDriverDataSize = 0;
        data->ResourcePrivateDriverDataSize = 0;
    }
    return status;
}

/* "It is known from the beginning." */
static NTSTATUS NTAPI pitch_comes_with_the_sizes(const HANDLE adapter,
                                                 DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *data)
{
    NTSTATUS status = misbehave_driver.DxgkDdiGetStandardAllocationDriverData(adapter, data);

    if (data->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE &&
        data->pAllocationPrivateDriverData == NULL) {
        data->pCreateShadowSurfaceData->Pitch = data->pCreateShadowSurfaceData->Width * 4;
    }
    return status;
}

/* "Something went wrong." */
static NTSTATUS NTAPI opening_fails_anyhow(const HANDLE device, const DXGKARG_OPENALLOCATION *open)
{
    return misbehave_at(2) ? STATUS_UNSUCCESSFUL
                           : misbehave_driver.DxgkDdiOpenAllocation(device, open);
}

static NTSTATUS NTAPI description_fails(const HANDLE adapter, DXGKARG_DESCRIBEALLOCATION *describe)
{
    (void)misbehave_driver.DxgkDdiDescribeAllocation(adapter, describe);
    return STATUS_UNSUCCESSFUL;
}

/* Want of memory is no word about the allocation. */
static NTSTATUS NTAPI description_lacks_memory(const HANDLE adapter,
                                               DXGKARG_DESCRIBEALLOCATION *describe)
{
    NTSTATUS status = misbehave_driver.DxgkDdiDescribeAllocation(adapter, describe);

    return misbehave_once() ? STATUS_NO_MEMORY : status;
}

/* "So many seconds for a picture." */
static NTSTATUS NTAPI rate_upside_down(const HANDLE adapter, DXGKARG_DESCRIBEALLOCATION *describe)
{
    NTSTATUS status = misbehave_driver.DxgkDdiDescribeAllocation(adapter, describe);
    UINT numerator = describe->RefreshRate.Numerator;

    describe->RefreshRate.Numerator = describe->RefreshRate.Denominator;
    describe->RefreshRate.Denominator = numerator;
    return status;
}

/* As if the driver were one of WDDM 2.0. */
static NTSTATUS NTAPI newer_members_written(const HANDLE device, DXGKARG_CREATECONTEXT *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateContext(device, create);

    create->ContextInfo.Caps.Value = 0;
    create->ContextInfo.PagingCompanionNodeId = 0;
    return status;
}

/* "Nobody asks for it." */
static NTSTATUS NTAPI companion_is_nowhere(const HANDLE device, DXGKARG_CREATECONTEXT *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateContext(device, create);

    create->ContextInfo.PagingCompanionNodeId = 0xCCCCCCCC;
    return status;
}

/* Counted from 1, as in its settings. */
static NTSTATUS NTAPI companion_counted_from_one(const HANDLE device, DXGKARG_CREATECONTEXT *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateContext(device, create);

    create->ContextInfo.PagingCompanionNodeId = 3;
    return status;
}

/* "There is no multisampling here." */
static NTSTATUS NTAPI samples_left_alone(const HANDLE adapter, DXGKARG_DESCRIBEALLOCATION *describe)
{
    DXGKARG_DESCRIBEALLOCATION whole = *describe;
    NTSTATUS status = misbehave_driver.DxgkDdiDescribeAllocation(adapter, &whole);

    whole.MultisampleMethod = describe->MultisampleMethod;
    *describe = whole;
    return status;
}

static NTSTATUS NTAPI resource_size_left_alone(const HANDLE adapter,
                                               DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *data)
{
    DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA whole = *data;
    NTSTATUS status = misbehave_driver.DxgkDdiGetStandardAllocationDriverData(adapter, &whole);

    whole.ResourcePrivateDriverDataSize = data->ResourcePrivateDriverDataSize;
    *data = whole;
    return status;
}

/* Who has no private data of resources is not pointed to any. */
static NTSTATUS NTAPI data_are_cleared(const HANDLE adapter,
                                       DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *data)
{
    NTSTATUS status;

    if (data->pResourcePrivateDriverData != NULL) {
        RtlZeroMemory(data->pResourcePrivateDriverData, 64);
    }
    status = misbehave_driver.DxgkDdiGetStandardAllocationDriverData(adapter, data);
    data->ResourcePrivateDriverDataSize = 0;
    return status;
}

/* As samples do: what the blocks hold is to be as large as it said itself. */
static UINT size_told;

static NTSTATUS NTAPI sizes_come_with_blocks(const HANDLE adapter,
                                             DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *data)
{
    if (data->pAllocationPrivateDriverData != NULL &&
        data->AllocationPrivateDriverDataSize != size_told) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = misbehave_driver.DxgkDdiGetStandardAllocationDriverData(adapter, data);

    if (data->pAllocationPrivateDriverData == NULL) {
        size_told = data->AllocationPrivateDriverDataSize;
    }
    return status;
}

/* ---- Captures -------------------------------------------------------------------------------- */

static NTSTATUS NTAPI capture_goes_on(const HANDLE adapter, const DXGKARG_STOPCAPTURE *stop)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(stop);
    return STATUS_UNSUCCESSFUL;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(CAPTURE_001, IN_DDI(StopCapture), capture_goes_on, SCENE_PLAIN | SCENE_ADVICE),
    BREAKS_RULE(GEN_009, IN_DDI(CreateContext), newer_members_written, SCENE_PLAIN),
    BREAKS_RULE(CTX_002, IN_DDI(CreateContext), context_fails_oddly, SCENE_PLAIN),
    BREAKS_RULE(CTX_002, IN_DDI(CreateContext), context_wants_data, SCENE_ADVICE | SCENE_LOST),
    BREAKS_RULE(CTX_015, IN_DDI(CreateContext), companion_is_nowhere, SCENE_COPIES),
    BREAKS_RULE(CTX_015, IN_DDI(CreateContext), companion_counted_from_one,
                SCENE_VIRTUAL | SCENE_ADVICE),
    BREAKS_RULE(CTX_003, IN_DDI(CreateContext), context_without_handle, SCENE_MORE_RULES),
    BREAKS_RULE(CTX_011, IN_DDI(CreateContext), no_dma_buffer, SCENE_PLAIN),
    BREAKS_RULE(CTX_012, IN_DDI(CreateContext), context_in_memory_segment, SCENE_PLAIN),
    BREAKS_RULE(CTX_018, IN_DDI(CreateDevice), device_without_handle, SCENE_PLAIN),
    BREAKS_RULE(CTX_018, IN_DDI(CreateDevice), devices_of_one_handle,
                SCENE_HANG | SCENE_MORE_RULES | SCENE_FREED),
    BREAKS_RULE(ALLOC_017, IN_DDI(OpenAllocation), openings_of_one_handle,
                SCENE_HANG | SCENE_MORE_RULES | SCENE_FREED),
    BREAKS_RULE(CTX_019, IN_DDI(CreateDevice), device_in_memory_segment, SCENE_VISTA),
    BREAKS_RULE(RENDER_006, IN_DDI(CreateDevice), device_promises_one_pass, SCENE_VISTA),
    BREAKS_RULE(ALLOC_001, IN_DDI(CreateAllocation), allocation_fails_oddly, SCENE_PLAIN),
    BREAKS_RULE(ALLOC_003, IN_DDI(CreateAllocation), allocation_without_handle, SCENE_PLAIN),
    BREAKS_RULE(ALLOC_004, IN_DDI(CreateAllocation), allocation_without_size, SCENE_PLAIN),
    BREAKS_RULE(ALLOC_004, IN_DDI(CreateAllocation), surface_too_small, SCENE_PLAIN),
    BREAKS_RULE(ALLOC_005, IN_DDI(CreateAllocation), odd_alignment, SCENE_ADVICE),
    BREAKS_RULE(ALLOC_006, IN_DDI(CreateAllocation), pitch_size_too_small, SCENE_PLAIN),
    BREAKS_RULE(ALLOC_007, IN_DDI(CreateAllocation), prefers_another_segment, SCENE_PLAIN),
    BREAKS_NO_RULE(IN_DDI(CreateAllocation), supports_no_such_segment, SCENE_LOST),
    BREAKS_RULE(ALLOC_008, IN_DDI(CreateAllocation), evicts_to_memory, SCENE_PLAIN),
    BREAKS_RULE(ALLOC_009, IN_DDI(CreateAllocation), no_priority, SCENE_PLAIN),
    BREAKS_RULE(ALLOC_010, IN_DDI(CreateAllocation), cached_without_cpu, SCENE_PLAIN),
    BREAKS_RULE(GEN_010, IN_DDI(CreateAllocation), flags_are_ored, SCENE_ADVICE),
    BREAKS_RULE(ALLOC_010, IN_DDI(CreateAllocation), two_kinds_of_memory, SCENE_PLAIN),
    BREAKS_RULE(ALLOC_010, IN_DDI(CreateAllocation), cached_as_all_is_that_cpus_see, SCENE_PLAIN),
    BREAKS_NO_RULE(IN_DDI(CreateAllocation), cached_on_demand, SCENE_WDDM2),
    BREAKS_RULE(ALLOC_011, IN_DDI(CreateAllocation), notified_without_cause, SCENE_WDDM2),
    BREAKS_RULE(ALLOC_017, IN_DDI(OpenAllocation), opening_without_handle, SCENE_PLAIN),
    BREAKS_RULE(ALLOC_018, IN_DDI(OpenAllocation), resource_data_changed, SCENE_PLAIN),
    BREAKS_RULE(ALLOC_018, IN_DDI(OpenAllocation), data_changed_when_shared, SCENE_PLAIN),
    BREAKS_RULE(ALLOC_023, IN_DDI(GetStandardAllocationDriverData), standard_without_size,
                SCENE_PLAIN),
    BREAKS_RULE(ALLOC_023, IN_DDI(GetStandardAllocationDriverData), pitch_comes_with_the_sizes,
                SCENE_ADVICE),
    BREAKS_RULE(ALLOC_026, IN_DDI(OpenAllocation), opening_fails_anyhow, SCENE_PLAIN),
    BREAKS_RULE_BESIDE(ALLOC_010, IN_DDI(CreateAllocation), clients_primary_is_protected,
                       SCENE_MODES | SCENE_ADVICE, note_shared_primaries),
    BREAKS_RULE(ALLOC_025, IN_DDI(GetStandardAllocationDriverData), gdi_without_pitch, SCENE_PLAIN),
    BREAKS_RULE(ALLOC_027, IN_DDI(GetStandardAllocationDriverData), pitch_as_of_a_texture,
                SCENE_PLAIN),
    BREAKS_RULE(ALLOC_028, IN_DDI(GetStandardAllocationDriverData), shared_wherever_it_fits,
                SCENE_PLAIN),
    BREAKS_RULE(ALLOC_028, IN_DDI(GetStandardAllocationDriverData), rows_as_they_are, SCENE_ADVICE),
    BREAKS_RULE(ALLOC_025, IN_DDI(GetStandardAllocationDriverData), shadow_pitch_in_pixels,
                SCENE_PLAIN),
    BREAKS_RULE(ALLOC_024, IN_DDI(DescribeAllocation), description_fails, SCENE_PLAIN),
    BREAKS_NO_RULE(IN_DDI(DescribeAllocation), description_lacks_memory, SCENE_LOST),
    BREAKS_NO_RULE(IN_DDI(GetStandardAllocationDriverData), data_are_cleared, SCENE_PLAIN),
    BREAKS_NO_RULE(IN_DDI(GetStandardAllocationDriverData), sizes_come_with_blocks, SCENE_PLAIN),
    BREAKS_RULE(GEN_010, IN_DDI(DescribeAllocation), samples_left_alone, SCENE_ADVICE),
    BREAKS_RULE(GEN_010, IN_DDI(GetStandardAllocationDriverData), resource_size_left_alone,
                SCENE_ADVICE),
    BREAKS_RULE(ALLOC_024, IN_DDI(DescribeAllocation), rate_upside_down, SCENE_PLAIN),
};

MISBEHAVIOURS(objects);
