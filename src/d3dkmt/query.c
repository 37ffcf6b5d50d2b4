/* What an adapter says of itself: QueryAdapterInfo, modes. */
#include "d3dkmt/query.h"

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

static UINT fixed_output(D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling)
{
    return scaling == D3DKMDT_VPPS_CENTERED                 ? DRYDOCK_OUTPUT_CENTERED
           : scaling == D3DKMDT_VPPS_STRETCHED              ? DRYDOCK_OUTPUT_STRETCHED
           : scaling == D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX ? DRYDOCK_OUTPUT_ASPECT
           : scaling == D3DKMDT_VPPS_CUSTOM                 ? DRYDOCK_OUTPUT_CUSTOM
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

static NTSTATUS fill_current_mode(struct dxgk_adapter *adapter,
                                  const struct dxgk_adapter_info *info, void *bytes)
{
    D3DKMT_CURRENTDISPLAYMODE *out = bytes;
    struct dxgk_mode mode;

    if (!dxgk_source_mode(adapter, out->VidPnSourceId, &mode)) {
        return STATUS_INVALID_PARAMETER;
    }
    fill_mode(&mode, &out->DisplayMode);
    return STATUS_SUCCESS;
}

static NTSTATUS fill_node(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                          void *bytes)
{
    D3DKMT_NODEMETADATA *out = bytes;
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

static NTSTATUS fill_device_ids(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                                void *bytes)
{
    D3DKMT_QUERY_DEVICE_IDS *out = bytes;
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

static NTSTATUS fill_address(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                             void *bytes)
{
    D3DKMT_ADAPTERADDRESS *out = bytes;
    const struct pci_resources *place = pci_resources(dxgk_adapter_slot(adapter));

    *out = (D3DKMT_ADAPTERADDRESS){place->bus, place->slot_number, place->function};
    return STATUS_SUCCESS;
}

static NTSTATUS fill_flip_queue(struct dxgk_adapter *adapter, const struct dxgk_adapter_info *info,
                                void *bytes)
{
    D3DKMT_FLIPQUEUEINFO *out = bytes;

    *out = (D3DKMT_FLIPQUEUEINFO){
        .MaxHardwareFlipQueueLength =
            info->flip_queue_length ? info->flip_queue_length : info->caps.MaxQueuedFlipOnVSync,
        .FlipFlags.FlipInterval = info->caps.FlipCaps.FlipInterval,
    };
    return STATUS_SUCCESS;
}

static const struct client_question rows[] = {
    {KMTQAITYPE_FLIPQUEUEINFO, sizeof(D3DKMT_FLIPQUEUEINFO), fill_flip_queue},
    {KMTQAITYPE_ADAPTERADDRESS, sizeof(D3DKMT_ADAPTERADDRESS), fill_address},
    {KMTQAITYPE_ADAPTERADDRESS_RENDER, sizeof(D3DKMT_ADAPTERADDRESS), fill_address},
    {KMTQAITYPE_CURRENTDISPLAYMODE, sizeof(D3DKMT_CURRENTDISPLAYMODE), fill_current_mode},
    {KMTQAITYPE_NODEMETADATA, sizeof(D3DKMT_NODEMETADATA), fill_node},
    {KMTQAITYPE_PHYSICALADAPTERDEVICEIDS, sizeof(D3DKMT_QUERY_DEVICE_IDS), fill_device_ids},
};

static const struct client_question *question_in(const struct client_questions *questions,
                                                 KMTQUERYADAPTERINFOTYPE type)
{
    for (size_t i = 0; i < questions->count; i++) {
        if (questions->rows[i].type == type) {
            return &questions->rows[i];
        }
    }
    return NULL;
}

/* NULL: one that we do not know. */
static const struct client_question *question_of(KMTQUERYADAPTERINFOTYPE type)
{
    const struct client_questions own = {rows, sizeof rows / sizeof *rows};
    const struct client_questions *const all[] = {&own, &client_caps_questions,
                                                  &client_registry_questions};
    const struct client_question *found = NULL;

    for (size_t i = 0; !found && i < sizeof all / sizeof *all; i++) {
        found = question_in(all[i], type);
    }
    return found;
}

/* How many modes the source has; their list if there is room for all. */
static NTSTATUS answer_modes(struct dxgk_adapter *adapter, D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                             D3DKMT_DISPLAYMODE CLIENT *room, UINT *count)
{
    struct dxgk_mode modes[DXGK_MODES_MAX];
    D3DKMT_DISPLAYMODE answer[DXGK_MODES_MAX];
    struct dxgk_adapter_info info;
    UINT there = dxgk_source_modes(adapter, source, modes), offered = *count;

    if (there == 0) {
        dxgk_adapter_info(adapter, &info);
        return source < info.source_count ? STATUS_GRAPHICS_NO_AVAILABLE_VIDPN_TARGET
                                          : STATUS_INVALID_PARAMETER;
    }
    *count = there;
    if (!room) {
        return STATUS_SUCCESS;
    }
    if (offered < there) {
        return STATUS_BUFFER_TOO_SMALL; /* and what would have been enough */
    }
    for (UINT i = 0; i < there; i++) {
        fill_mode(&modes[i], &answer[i]);
    }
    return client_write(room, answer, there * sizeof answer[0]);
}

/* The list lies behind its head, which says how long it is: ModeCount 0 asks for that alone. */
static NTSTATUS query_modes(struct dxgk_adapter *adapter, void CLIENT *theirs, UINT size)
{
    D3DKMT_DISPLAYMODELIST CLIENT *list = theirs;
    D3DKMT_DISPLAYMODELIST head;

    if (!theirs || size < sizeof head) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_read(&head, theirs, sizeof head);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (head.ModeCount > (size - sizeof head) / sizeof(D3DKMT_DISPLAYMODE)) {
        return STATUS_INVALID_PARAMETER;
    }
    status = answer_modes(adapter, head.VidPnSourceId, head.ModeCount ? list->pModeList : NULL,
                          &head.ModeCount);
    NTSTATUS written = client_write(theirs, &head, sizeof head);
    return NT_SUCCESS(status) ? written : status;
}

static NTSTATUS answer(struct client_call *call, struct dxgk_adapter *adapter,
                       const struct client_question *question, void CLIENT *theirs)
{
    struct dxgk_adapter_info info;
    void *ours;
    NTSTATUS status = client_capture(call, theirs, 1, question->size, &ours);

    if (NT_SUCCESS(status)) {
        dxgk_adapter_info(adapter, &info);
        status = question->fill(adapter, &info, ours);
    }
    return NT_SUCCESS(status) ? client_write(theirs, ours, question->size) : status;
}

static NTSTATUS query(struct client_call *call, D3DKMT_QUERYADAPTERINFO *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    const struct client_question *question = question_of(arguments->Type);
    void CLIENT *theirs = arguments->pPrivateDriverData;
    UINT size = arguments->PrivateDriverDataSize;

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    switch (arguments->Type) { /* of any size */
    case KMTQAITYPE_UMDRIVERPRIVATE:
        return query_private(call, adapter, theirs, size);
    case KMTQAITYPE_MODELIST:
        return query_modes(adapter, theirs, size);
    case KMTQAITYPE_QUERYREGISTRY:
        return client_query_registry(adapter, theirs, size);
    default:
        break;
    }
    if (!question) {
        return STATUS_NOT_SUPPORTED;
    }
    return theirs && size >= question->size ? answer(call, adapter, question, theirs)
                                            : STATUS_INVALID_PARAMETER;
}
CLIENT_CALL_IN(QueryAdapterInfo, query, D3DKMT_QUERYADAPTERINFO)

static NTSTATUS list_modes(struct client_call *call, D3DKMT_GETDISPLAYMODELIST *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);

    return adapter ? answer_modes(adapter, arguments->VidPnSourceId, arguments->pModeList,
                                  &arguments->ModeCount)
                   : NO_SUCH_OBJECT;
}
CLIENT_CALL(GetDisplayModeList, list_modes, D3DKMT_GETDISPLAYMODELIST)
