/* What follows from a driver's version and caps: the only place that compares versions. */
#include "abi/abi.h"

/* Of the WDDM version as DXGK_WDDMVERSION counts it. */
enum {
    WDDM_1_2 = 0x1200,
    WDDM_2_0 = 0x2000,
    WDDM_2_4 = 0x2400,
    WDDM_3_1 = 0x3100,
    WDDM_3_2 = 0x3200,
    WDDM_NEWEST = 0x3200
};

/* Drivers may be built against newer headers than the model they follow: what they say counts. The
 * page of the structure tells them to say nothing since Windows 7: then the interface counts, as it
 * does before, when the member did not exist. */
static void choose_model(struct abi_features *features, const DXGK_DRIVERCAPS *caps)
{
    unsigned of_interface = abi_version_info(features->version)->wddm_version;
    unsigned said = features->engine_topology ? (unsigned)caps->WDDMVersion : 0;

    features->wddm_version = said ? said : of_interface;
    /* Within the second model an older interface may carry a newer version. */
    features->wddm_version_max = of_interface >= WDDM_2_0 ? (unsigned)WDDM_NEWEST : of_interface;
}

static enum abi_segment_query segment_query(unsigned wddm_version)
{
    if (wddm_version >= WDDM_2_0) {
        return ABI_QUERY_SEGMENT4;
    }
    return wddm_version >= WDDM_1_2 ? ABI_QUERY_SEGMENT3 : ABI_QUERY_SEGMENT;
}

void abi_features_init(struct abi_features *features, enum abi_version version,
                       const DXGK_DRIVERCAPS *caps)
{
    *features = (struct abi_features){
        .version = version,
        .engine_topology = version >= ABI_WIN7,
        .node_metadata = version >= ABI_WDDM1_3,
        .power_components = version >= ABI_WIN8,
        .history_precision = version >= ABI_WDDM1_3,
        .engine_resets = version >= ABI_WIN8,
        .physical_contexts = version < ABI_WDDM2_0,
        .read_segment_sets = version < ABI_WDDM2_0,
        .residency_flags = version >= ABI_WDDM2_0,
        .loose_escapes = version >= ABI_WDDM2_0,
        .known_escapes = version >= ABI_WDDM2_5,
        .gdi_surfaces = version >= ABI_WIN7,
        .shaped_scalings = version >= ABI_WIN7,
        .cross_adapter = version >= ABI_WDDM1_3 && caps->MemoryManagementCaps.CrossAdapterResource,
        .plain_alignment = version < ABI_WDDM3_2,
        .paging_space_size = version >= ABI_WDDM3_2,
        .eviction_notices = version >= ABI_WDDM3_2,
        .device_mmus = version >= ABI_WDDM3_2,
        .iommu_addresses = version >= ABI_WDDM3_2,
    };
    choose_model(features, caps);
    features->wddm2 = features->wddm_version >= WDDM_2_0;
    features->segment_query = segment_query(features->wddm_version);
    features->flips_by_register = features->wddm_version >= WDDM_1_2;
    features->physical_adapter_caps = features->wddm2;
    features->virtual_addressing =
        features->wddm2 && caps->MemoryManagementCaps.VirtualAddressingSupported;
    features->address_lists = version >= ABI_WDDM2_9 && features->wddm2 &&
                              caps->MemoryManagementCaps.MapAperture2Supported;
    features->aperture_views = version >= ABI_WDDM2_9 && features->wddm2;
    features->hardware_queues = version >= ABI_WDDM2_4 && features->wddm_version >= WDDM_2_4 &&
                                features->virtual_addressing &&
                                caps->MemoryManagementCaps.GpuMmuSupported;
    features->in_flight_limit = features->hardware_queues && version >= ABI_WDDM2_5;
    features->user_submission =
        features->hardware_queues && version >= ABI_WDDM3_1 && features->wddm_version >= WDDM_3_1;
    features->native_fences = version >= ABI_WDDM3_2 && features->wddm_version >= WDDM_3_2 &&
                              features->virtual_addressing &&
                              caps->MemoryManagementCaps.GpuMmuSupported &&
                              caps->SchedulingCaps.NativeGpuFence;
    features->one_removal_cap = !features->wddm2;
}

bool abi_features_have(const struct abi_features *features, enum abi_version since)
{
    return since <= features->version && (since < ABI_WDDM2_0 || features->wddm2);
}

bool abi_features_have_slot(const struct abi_features *features, enum abi_version since)
{
    return since <= features->version;
}
