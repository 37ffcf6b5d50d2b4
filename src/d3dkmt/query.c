/* What an adapter says of itself: QueryAdapterInfo, modes. */
#include "d3dkmt/internal.h"

#include "drydock/client.h"

#include <string.h>

/* ---- What an adapter says of itself -------------------------------------------------------- */

static NTSTATUS query_private(struct client_call *call, struct dxgk_adapter *adapter,
                              void CLIENT *bytes, UINT size)
{
    void *copy;
    NTSTATUS status = client_capture_private(call, bytes, size, &copy);

    if (NT_SUCCESS(status)) {
        status = client_probe_write(bytes, size);
    }
    if (NT_SUCCESS(status)) {
        status = dxgk_adapter_query_private(adapter, copy, size);
    }
    return NT_SUCCESS(status) ? client_write(bytes, copy, size) : status;
}

static NTSTATUS fill_segment_size(const struct dxgk_adapter_info *info, D3DKMT_SEGMENTSIZEINFO *out)
{
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

static UINT fixed_output(D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling)
{
    return scaling == D3DKMDT_VPPS_CENTERED                 ? DRYDOCK_OUTPUT_CENTERED
           : scaling == D3DKMDT_VPPS_STRETCHED              ? DRYDOCK_OUTPUT_STRETCHED
           : scaling == D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX ? DRYDOCK_OUTPUT_ASPECT
                                                            : 0;
}

static void fill_mode(const struct dxgk_mode *mode, D3DKMT_DISPLAYMODE *out)
{
    *out = (D3DKMT_DISPLAYMODE){
        .Width = mode->width,
        .Height = mode->height,
        .Format = mode->format,
        .IntegerRefreshRate = (mode->refresh_millihertz + 500) / 1000,
        .RefreshRate = {mode->refresh_millihertz, 1000},
        .ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE,
        .DisplayOrientation = D3DDDI_ROTATION_IDENTITY,
        .DisplayFixedOutput = fixed_output(mode->scaling),
        .Flags.Stereo = mode->type != D3DKMDT_RMT_GRAPHICS,
        .Flags.AdvancedScanCapable = mode->type == D3DKMDT_RMT_GRAPHICS_STEREO_ADVANCED_SCAN,
    };
}

static NTSTATUS fill_current_mode(struct dxgk_adapter *adapter, D3DKMT_CURRENTDISPLAYMODE *out)
{
    struct dxgk_mode mode;

    if (!dxgk_source_mode(adapter, out->VidPnSourceId, &mode)) {
        return STATUS_INVALID_PARAMETER;
    }
    fill_mode(&mode, &out->DisplayMode);
    return STATUS_SUCCESS;
}

static NTSTATUS fill_node(const struct dxgk_adapter_info *info, D3DKMT_NODEMETADATA *out)
{
    unsigned node = out->NodeOrdinalAndAdapterIndex & 0xFFFF;

    if (node >= info->node_count || out->NodeOrdinalAndAdapterIndex >> 16) {
        return STATUS_INVALID_PARAMETER;
    }
    memset(&out->NodeData, 0, sizeof out->NodeData);
    out->NodeData.EngineType = info->nodes[node].engine_type;
    for (unsigned i = 0; i < 31 && info->nodes[node].name[i]; i++) {
        out->NodeData.FriendlyName[i] = (unsigned char)info->nodes[node].name[i];
    }
    return STATUS_SUCCESS;
}

static NTSTATUS fill_device_ids(struct dxgk_adapter *adapter, D3DKMT_QUERY_DEVICE_IDS *out)
{
    struct pci_slot *slot = dxgk_adapter_slot(adapter);
    uint16_t ids[2], subsystem[2];
    uint8_t revision;

    if (out->PhysicalAdapterIndex != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    pci_config_read(slot, 0x00, ids, sizeof ids);
    pci_config_read(slot, 0x08, &revision, sizeof revision);
    pci_config_read(slot, 0x2C, subsystem, sizeof subsystem);
    out->DeviceIds = (D3DKMT_DEVICE_IDS){
        .VendorID = ids[0],
        .DeviceID = ids[1],
        .SubVendorID = subsystem[0],
        .SubSystemID = subsystem[1],
        .RevisionID = revision,
    };
    return STATUS_SUCCESS;
}

static NTSTATUS fill_driver_version(const struct dxgk_adapter_info *info, D3DKMT_DRIVERVERSION *out)
{
    unsigned major = info->wddm_version >> 12, minor = info->wddm_version >> 8 & 0xF;

    *out = (D3DKMT_DRIVERVERSION)(major * 1000 + minor * 100);
    if (*out == 1100) {
        *out = KMT_DRIVERVERSION_WDDM_1_1;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS fill_adapter_type(const struct dxgk_adapter_info *info, D3DKMT_ADAPTERTYPE *out)
{
    *out = (D3DKMT_ADAPTERTYPE){0};
    out->RenderSupported = info->node_count > 0;
    out->DisplaySupported = info->source_count > 0;
    return STATUS_SUCCESS;
}

static NTSTATUS fill_address(struct dxgk_adapter *adapter, D3DKMT_ADAPTERADDRESS *out)
{
    const struct pci_resources *place = pci_resources(dxgk_adapter_slot(adapter));

    *out = (D3DKMT_ADAPTERADDRESS){place->bus, place->slot_number, place->function};
    return STATUS_SUCCESS;
}

static NTSTATUS fill_flip_queue(const struct dxgk_adapter_info *info, D3DKMT_FLIPQUEUEINFO *out)
{
    *out = (D3DKMT_FLIPQUEUEINFO){
        .MaxHardwareFlipQueueLength =
            info->flip_queue_length ? info->flip_queue_length : info->caps.MaxQueuedFlipOnVSync,
        .FlipFlags.FlipInterval = info->caps.FlipCaps.FlipInterval,
    };
    return STATUS_SUCCESS;
}

/* The size that a query's answer has; 0: a query that we do not know. */
static UINT answer_size(KMTQUERYADAPTERINFOTYPE type)
{
    switch (type) {
    case KMTQAITYPE_GETSEGMENTSIZE:
        return sizeof(D3DKMT_SEGMENTSIZEINFO);
    case KMTQAITYPE_FLIPQUEUEINFO:
        return sizeof(D3DKMT_FLIPQUEUEINFO);
    case KMTQAITYPE_ADAPTERADDRESS:
        return sizeof(D3DKMT_ADAPTERADDRESS);
    case KMTQAITYPE_CURRENTDISPLAYMODE:
        return sizeof(D3DKMT_CURRENTDISPLAYMODE);
    case KMTQAITYPE_DRIVERVERSION:
        return sizeof(D3DKMT_DRIVERVERSION);
    case KMTQAITYPE_ADAPTERTYPE:
        return sizeof(D3DKMT_ADAPTERTYPE);
    case KMTQAITYPE_NODEMETADATA:
        return sizeof(D3DKMT_NODEMETADATA);
    case KMTQAITYPE_PHYSICALADAPTERCOUNT:
        return sizeof(D3DKMT_PHYSICAL_ADAPTER_COUNT);
    case KMTQAITYPE_PHYSICALADAPTERDEVICEIDS:
        return sizeof(D3DKMT_QUERY_DEVICE_IDS);
    default:
        return 0;
    }
}

static NTSTATUS answer(struct dxgk_adapter *adapter, KMTQUERYADAPTERINFOTYPE type, void *out)
{
    struct dxgk_adapter_info info;

    dxgk_adapter_info(adapter, &info);
    switch (type) {
    case KMTQAITYPE_GETSEGMENTSIZE:
        return fill_segment_size(&info, out);
    case KMTQAITYPE_FLIPQUEUEINFO:
        return fill_flip_queue(&info, out);
    case KMTQAITYPE_ADAPTERADDRESS:
        return fill_address(adapter, out);
    case KMTQAITYPE_CURRENTDISPLAYMODE:
        return fill_current_mode(adapter, out);
    case KMTQAITYPE_DRIVERVERSION:
        return fill_driver_version(&info, out);
    case KMTQAITYPE_ADAPTERTYPE:
        return fill_adapter_type(&info, out);
    case KMTQAITYPE_NODEMETADATA:
        return fill_node(&info, out);
    case KMTQAITYPE_PHYSICALADAPTERCOUNT:
        *(D3DKMT_PHYSICAL_ADAPTER_COUNT *)out = (D3DKMT_PHYSICAL_ADAPTER_COUNT){1};
        return STATUS_SUCCESS;
    default:
        return fill_device_ids(adapter, out);
    }
}

static NTSTATUS query(struct client_call *call, D3DKMT_QUERYADAPTERINFO *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    void CLIENT *theirs = arguments->pPrivateDriverData;
    UINT size = answer_size(arguments->Type);
    void *ours;

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->Type == KMTQAITYPE_UMDRIVERPRIVATE) {
        return query_private(call, adapter, theirs, arguments->PrivateDriverDataSize);
    }
    if (size == 0) {
        return STATUS_NOT_SUPPORTED;
    }
    if (!theirs || arguments->PrivateDriverDataSize < size) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture(call, theirs, 1, size, &ours);
    if (NT_SUCCESS(status)) {
        status = answer(adapter, arguments->Type, ours);
    }
    return NT_SUCCESS(status) ? client_write(theirs, ours, size) : status;
}
CLIENT_CALL_IN(QueryAdapterInfo, query, D3DKMT_QUERYADAPTERINFO)

static NTSTATUS list_modes(struct client_call *call, D3DKMT_GETDISPLAYMODELIST *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    struct dxgk_mode modes[DXGK_MODES_MAX];
    D3DKMT_DISPLAYMODE answer[DXGK_MODES_MAX];
    struct dxgk_adapter_info info;

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    UINT count = dxgk_source_modes(adapter, arguments->VidPnSourceId, modes);
    if (count == 0) {
        dxgk_adapter_info(adapter, &info);
        return arguments->VidPnSourceId < info.source_count
                   ? STATUS_GRAPHICS_NO_AVAILABLE_VIDPN_TARGET
                   : STATUS_INVALID_PARAMETER;
    }
    UINT room = arguments->ModeCount;
    arguments->ModeCount = count;
    if (!arguments->pModeList) {
        return STATUS_SUCCESS;
    }
    if (room < count) {
        return STATUS_BUFFER_TOO_SMALL; /* and what would have been enough */
    }
    for (UINT i = 0; i < count; i++) {
        fill_mode(&modes[i], &answer[i]);
    }
    return client_write(arguments->pModeList, answer, count * sizeof answer[0]);
}
CLIENT_CALL(GetDisplayModeList, list_modes, D3DKMT_GETDISPLAYMODELIST)
