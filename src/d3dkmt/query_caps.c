/* What D3DKMTQueryAdapterInfo answers from an adapter's caps. What this kernel does not do is
 * answered as not there: hybrid adapters, Miracast, resources across adapters, protected content,
 * panel fitters. */
#include "d3dkmt/query.h"

#include "d3dkmt/duplication.h"

#include <string.h>

static NTSTATUS fill_segment_size(struct dxgk_adapter *adapter,
                                  const struct dxgk_adapter_info *info, void *bytes)
{
    D3DKMT_SEGMENTSIZEINFO *out = bytes;

    *out = (D3DKMT_SEGMENTSIZEINFO){0};
    for (unsigned i = 0; i < info->segment_count; i++) {
        if (info->segments[i].flags.Aperture || info->segments[i].flags.Agp) {
            out->SharedSystemMemorySize += info->segments[i].commit_limit
                                               ? info->segments[i].commit_limit
                                               : info->segments[i].size;
        } else if (info->segments[i].flags.PopulatedFromSystemMemory) {
            out->DedicatedSystemMemorySize += info->segments[i].size;
        } else {
            out->DedicatedVideoMemorySize += info->segments[i].size;
        }
    }
    return STATUS_SUCCESS;
}

/* Groups of budgets: what is the adapter's, and what is the computer's and it reaches. */
static NTSTATUS fill_group_size(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                                void *bytes)
{
    D3DKMT_SEGMENTGROUPSIZEINFO *out = bytes;

    if (out->PhysicalAdapterIndex != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = fill_segment_size(adapter, info, &out->LegacyInfo);
    out->LocalMemory =
        out->LegacyInfo.DedicatedVideoMemorySize + out->LegacyInfo.DedicatedSystemMemorySize;
    out->NonLocalMemory = out->LegacyInfo.SharedSystemMemorySize;
    out->NonBudgetMemory = 0;
    return status;
}

static NTSTATUS fill_driver_version(struct dxgk_adapter *adapter,
                                    const struct dxgk_adapter_info *info, void *bytes)
{
    D3DKMT_DRIVERVERSION *out = bytes;
    unsigned major = info->wddm_version >> 12, minor = info->wddm_version >> 8 & 0xF;

    *out = (D3DKMT_DRIVERVERSION)(major * 1000 + minor * 100);
    if (*out == 1100) {
        *out = KMT_DRIVERVERSION_WDDM_1_1;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS fill_adapter_type(struct dxgk_adapter *adapter,
                                  const struct dxgk_adapter_info *info, void *bytes)
{
    D3DKMT_ADAPTERTYPE *out = bytes;

    *out = (D3DKMT_ADAPTERTYPE){0};
    out->RenderSupported = info->node_count > 0;
    out->DisplaySupported = info->source_count > 0;
    return STATUS_SUCCESS;
}

static NTSTATUS fill_physical_count(struct dxgk_adapter *adapter,
                                    const struct dxgk_adapter_info *info, void *bytes)
{
    D3DKMT_PHYSICAL_ADAPTER_COUNT *out = bytes;

    out->Count = 1;
    return STATUS_SUCCESS;
}

/* ---- Caps by the version that brought them --------------------------------------------------- */

static NTSTATUS fill_1_2(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                         void *bytes)
{
    D3DKMT_WDDM_1_2_CAPS *out = bytes;
    const DXGK_DRIVERCAPS *caps = &info->caps;

    *out = (D3DKMT_WDDM_1_2_CAPS){.PreemptionCaps = caps->PreemptionCaps};
    out->SupportNonVGA = caps->SupportNonVGA;
    out->SupportSmoothRotation = caps->SupportSmoothRotation;
    out->SupportPerEngineTDR = caps->SupportPerEngineTDR;
    out->SupportKernelModeCommandBuffer = caps->PresentationCaps.SupportKernelModeCommandBuffer;
    out->SupportCCD = info->source_count > 0;
    out->SupportGammaRamp = caps->GammaRampCaps.Gamma_Rgb256x3x16;
    out->SupportHWCursor = caps->PointerCaps.Value != 0;
    out->SupportHWVSync = info->source_count > 0 && caps->FlipCaps.FlipInterval;
    out->SupportSurpriseRemovalInHibernation = caps->SupportSurpriseRemovalInHibernation;
    return STATUS_SUCCESS;
}

static NTSTATUS fill_1_3(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                         void *bytes)
{
    D3DKMT_WDDM_1_3_CAPS *out = bytes;

    *out = (D3DKMT_WDDM_1_3_CAPS){.Value = 0};
    out->SupportCrossAdapterResource = info->caps.MemoryManagementCaps.CrossAdapterResource;
    out->IsHybridDiscreteGPU = info->caps.HybridDiscrete;
    out->IsHybridIntegratedGPU = info->caps.HybridIntegrated;
    return STATUS_SUCCESS;
}

static NTSTATUS fill_2_0(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                         void *bytes)
{
    D3DKMT_WDDM_2_0_CAPS *out = bytes;

    *out = (D3DKMT_WDDM_2_0_CAPS){.Value = 0};
    out->GpuMmuSupported = info->caps.MemoryManagementCaps.GpuMmuSupported;
    out->IoMmuSupported = info->caps.MemoryManagementCaps.IoMmuSupported;
    out->SupportContextlessPresent = info->caps.MiscCaps.SupportContextlessPresent;
    out->SupportSurpriseRemoval = info->caps.SupportSurpriseRemoval;
    return STATUS_SUCCESS;
}

static NTSTATUS fill_2_7(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                         void *bytes)
{
    D3DKMT_WDDM_2_7_CAPS *out = bytes;

    *out = (D3DKMT_WDDM_2_7_CAPS){.Value = 0};
    out->HwSchSupported = out->HwSchEnabled = info->hardware_scheduling;
    out->HwSchEnabledByDefault = info->hardware_scheduling;
    out->IndependentVidPnVSyncControl = info->caps.MiscCaps.IndependentVidPnVSyncControl;
    return STATUS_SUCCESS;
}

static NTSTATUS fill_2_9(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                         void *bytes)
{
    D3DKMT_WDDM_2_9_CAPS *out = bytes;

    *out = (D3DKMT_WDDM_2_9_CAPS){.Value = 0};
    out->HwSchSupportState =
        info->hardware_scheduling ? DXGK_FEATURE_SUPPORT_STABLE : DXGK_FEATURE_SUPPORT_ALWAYS_OFF;
    out->HwSchEnabled = info->hardware_scheduling;
    return STATUS_SUCCESS;
}

static NTSTATUS fill_3_0(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                         void *bytes)
{
    D3DKMT_WDDM_3_0_CAPS *out = bytes;
    bool queued = info->flip_queue_length > 0;

    *out = (D3DKMT_WDDM_3_0_CAPS){.Value = 0};
    out->HwFlipQueueSupportState =
        queued ? DXGK_FEATURE_SUPPORT_STABLE : DXGK_FEATURE_SUPPORT_ALWAYS_OFF;
    out->HwFlipQueueEnabled = queued;
    out->DisplayableSupported = info->caps.MiscCaps.DisplayableSupport;
    return STATUS_SUCCESS;
}

static NTSTATUS fill_3_1(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                         void *bytes)
{
    D3DKMT_WDDM_3_1_CAPS *out = bytes;

    *out = (D3DKMT_WDDM_3_1_CAPS){.Value = 0};
    out->NativeGpuFenceSupported = info->native_fences;
    return STATUS_SUCCESS;
}

/* ---- Addresses ------------------------------------------------------------------------------- */

static NTSTATUS fill_virtual(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                             void *bytes)
{
    D3DKMT_VIRTUALADDRESSINFO *out = bytes;

    *out =
        (D3DKMT_VIRTUALADDRESSINFO){.VirtualAddressFlags.VirtualAddressSupported =
                                        info->caps.MemoryManagementCaps.VirtualAddressingSupported};
    return STATUS_SUCCESS;
}

static NTSTATUS fill_mmu(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                         void *bytes)
{
    D3DKMT_QUERY_GPUMMU_CAPS *out = bytes;

    if (out->PhysicalAdapterIndex != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!info->gpu_mmu.there) {
        return STATUS_NOT_SUPPORTED;
    }
    out->Caps = (D3DKMT_GPUMMU_CAPS){.VirtualAddressBitCount = info->gpu_mmu.address_bits};
    out->Caps.Flags.ReadOnlyMemorySupported = info->gpu_mmu.read_only;
    out->Caps.Flags.NoExecuteMemorySupported = info->gpu_mmu.no_execute;
    out->Caps.Flags.CacheCoherentMemorySupported = info->gpu_mmu.cache_coherent;
    return STATUS_SUCCESS;
}

/* ---- Yes or no ------------------------------------------------------------------------------- */

/* BOOL is the only member of most of these. */
static NTSTATUS fill_no(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                        void *bytes)
{
    BOOL *out = bytes;

    *out = FALSE;
    return STATUS_SUCCESS;
}

static NTSTATUS fill_no_byte(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                             void *bytes)
{
    BOOLEAN *out = bytes;

    *out = FALSE;
    return STATUS_SUCCESS;
}

static NTSTATUS fill_direct_flip(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                                 void *bytes)
{
    BOOL *out = bytes;

    *out = info->caps.SupportDirectFlip;
    return STATUS_SUCCESS;
}

static NTSTATUS fill_planes(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                            void *bytes)
{
    BOOL *out = bytes;

    *out = info->caps.SupportMultiPlaneOverlay;
    return STATUS_SUCCESS;
}

static NTSTATUS fill_duplications(struct dxgk_adapter *adapter,
                                  const struct dxgk_adapter_info *info, void *bytes)
{
    D3DKMT_OUTPUTDUPLCONTEXTSCOUNT *out = bytes;

    if (out->VidPnSourceId >= info->source_count ||
        out->VidPnSourceId >= D3DKMDT_MAX_VIDPN_SOURCES) {
        return STATUS_INVALID_PARAMETER;
    }
    out->OutputDuplicationCount = client_duplications(out->VidPnSourceId);
    return STATUS_SUCCESS;
}

static NTSTATUS fill_cross_adapter(struct dxgk_adapter *adapter,
                                   const struct dxgk_adapter_info *info, void *bytes)
{
    D3DKMT_CROSSADAPTERRESOURCE_SUPPORT *out = bytes;

    *out = (D3DKMT_CROSSADAPTERRESOURCE_SUPPORT){D3DKMT_CROSSADAPTERRESOURCE_SUPPORT_TIER_NONE};
    return STATUS_SUCCESS;
}

/* ---- Types ----------------------------------------------------------------------------------- */

/* The forms for the renderer of an adapter that is two are the same here. */
static const struct client_question rows[] = {
    {KMTQAITYPE_GETSEGMENTSIZE, sizeof(D3DKMT_SEGMENTSIZEINFO), fill_segment_size},
    {KMTQAITYPE_GETSEGMENTGROUPSIZE, sizeof(D3DKMT_SEGMENTGROUPSIZEINFO), fill_group_size},
    {KMTQAITYPE_CHECKDRIVERUPDATESTATUS, sizeof(BOOL), fill_no},
    {KMTQAITYPE_CHECKDRIVERUPDATESTATUS_RENDER, sizeof(BOOL), fill_no},
    {KMTQAITYPE_VIRTUALADDRESSINFO, sizeof(D3DKMT_VIRTUALADDRESSINFO), fill_virtual},
    {KMTQAITYPE_DRIVERVERSION, sizeof(D3DKMT_DRIVERVERSION), fill_driver_version},
    {KMTQAITYPE_DRIVERVERSION_RENDER, sizeof(D3DKMT_DRIVERVERSION), fill_driver_version},
    {KMTQAITYPE_ADAPTERTYPE, sizeof(D3DKMT_ADAPTERTYPE), fill_adapter_type},
    {KMTQAITYPE_ADAPTERTYPE_RENDER, sizeof(D3DKMT_ADAPTERTYPE), fill_adapter_type},
    {KMTQAITYPE_OUTPUTDUPLCONTEXTSCOUNT, sizeof(D3DKMT_OUTPUTDUPLCONTEXTSCOUNT), fill_duplications},
    {KMTQAITYPE_WDDM_1_2_CAPS, sizeof(D3DKMT_WDDM_1_2_CAPS), fill_1_2},
    {KMTQAITYPE_WDDM_1_2_CAPS_RENDER, sizeof(D3DKMT_WDDM_1_2_CAPS), fill_1_2},
    {KMTQAITYPE_WDDM_1_3_CAPS, sizeof(D3DKMT_WDDM_1_3_CAPS), fill_1_3},
    {KMTQAITYPE_WDDM_1_3_CAPS_RENDER, sizeof(D3DKMT_WDDM_1_3_CAPS), fill_1_3},
    {KMTQAITYPE_WDDM_2_0_CAPS, sizeof(D3DKMT_WDDM_2_0_CAPS), fill_2_0},
    {KMTQAITYPE_WDDM_2_7_CAPS, sizeof(D3DKMT_WDDM_2_7_CAPS), fill_2_7},
    {KMTQAITYPE_WDDM_2_9_CAPS, sizeof(D3DKMT_WDDM_2_9_CAPS), fill_2_9},
    {KMTQAITYPE_WDDM_3_0_CAPS, sizeof(D3DKMT_WDDM_3_0_CAPS), fill_3_0},
    {KMTQAITYPE_WDDM_3_1_CAPS, sizeof(D3DKMT_WDDM_3_1_CAPS), fill_3_1},
    {KMTQAITYPE_DIRECTFLIP_SUPPORT, sizeof(D3DKMT_DIRECTFLIP_SUPPORT), fill_direct_flip},
    {KMTQAITYPE_MULTIPLANEOVERLAY_SUPPORT, sizeof(D3DKMT_MULTIPLANEOVERLAY_SUPPORT), fill_planes},
    {KMTQAITYPE_MPOKERNELCAPS_SUPPORT, sizeof(D3DKMT_MPOKERNELCAPS_SUPPORT), fill_planes},
    {KMTQAITYPE_INDEPENDENTFLIP_SUPPORT, sizeof(D3DKMT_INDEPENDENTFLIP_SUPPORT), fill_direct_flip},
    {KMTQAITYPE_PHYSICALADAPTERCOUNT, sizeof(D3DKMT_PHYSICAL_ADAPTER_COUNT), fill_physical_count},
    {KMTQAITYPE_QUERY_GPUMMU_CAPS, sizeof(D3DKMT_QUERY_GPUMMU_CAPS), fill_mmu},
    {KMTQAITYPE_PANELFITTER_SUPPORT, sizeof(D3DKMT_PANELFITTER_SUPPORT), fill_no},
    {KMTQAITYPE_XBOX, sizeof(D3DKMT_XBOX), fill_no},
    {KMTQAITYPE_QUERY_ISBADDRIVERFORHWPROTECTIONDISABLED,
     sizeof(D3DKMT_ISBADDRIVERFORHWPROTECTIONDISABLED), fill_no},
    {KMTQAITYPE_HWDRM_SUPPORT, sizeof(D3DKMT_HWDRM_SUPPORT), fill_no_byte},
    {KMTQAITYPE_PARAVIRTUALIZATION_RENDER, sizeof(D3DKMT_PARAVIRTUALIZATION), fill_no_byte},
    {KMTQAITYPE_CROSSADAPTERRESOURCE_SUPPORT, sizeof(D3DKMT_CROSSADAPTERRESOURCE_SUPPORT),
     fill_cross_adapter},
};

const struct client_questions client_caps_questions = {rows, sizeof rows / sizeof *rows};
