/* Display: who owns a source, what it shows, and its vertical syncs. */
#include "d3dkmt/internal.h"

#include "drydock/client.h"

#define VSYNC_WAIT_NS NS_PER_S

/* ---- Owners -------------------------------------------------------------------------------- */

/* An owner is remembered by its device's handle: when that is dead, so is the ownership. */
static struct {
    D3DKMT_HANDLE device;
    D3DKMT_VIDPNSOURCEOWNER_TYPE type;
} owners[D3DKMDT_MAX_VIDPN_SOURCES];

static D3DKMT_VIDPNSOURCEOWNER_TYPE owner_type(UINT source)
{
    return dxgk_handle_is(owners[source].device, DXGK_KIND_DEVICE)
               ? owners[source].type
               : D3DKMT_VIDPNSOURCEOWNER_UNOWNED;
}

/* Another device has the source for itself. */
static bool is_taken(UINT source, D3DKMT_HANDLE device)
{
    return owners[source].device != device &&
           owner_type(source) == D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE;
}

/* May the device become an owner of this type? A shared owner yields to the others; the others
 * yield to nobody, and do not change places with each other. As Windows is recorded to answer,
 * where the desktop is the shared owner. */
static NTSTATUS check_owner(UINT source, D3DKMT_HANDLE device, D3DKMT_VIDPNSOURCEOWNER_TYPE wanted)
{
    D3DKMT_VIDPNSOURCEOWNER_TYPE now = owner_type(source);
    bool strict =
        now == D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE || now == D3DKMT_VIDPNSOURCEOWNER_EMULATED;

    if (wanted == D3DKMT_VIDPNSOURCEOWNER_UNOWNED) {
        return STATUS_SUCCESS; /* of no effect on another's */
    }
    if (owners[source].device == device) {
        return strict && wanted != now &&
                       (now == D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE ||
                        wanted == D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE)
                   ? STATUS_INVALID_PARAMETER
                   : STATUS_SUCCESS;
    }
    return strict || (now == D3DKMT_VIDPNSOURCEOWNER_SHARED && wanted == now)
               ? STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE
               : STATUS_SUCCESS;
}

static void become_owner(UINT source, D3DKMT_HANDLE device, D3DKMT_VIDPNSOURCEOWNER_TYPE type)
{
    if (type != D3DKMT_VIDPNSOURCEOWNER_UNOWNED) {
        owners[source].device = device;
        owners[source].type = type;
    } else if (owners[source].device == device) {
        owners[source].device = 0;
    }
}

/* The client's two lists, one entry a source. */
struct owner_list {
    UINT count;
    const D3DKMT_VIDPNSOURCEOWNER_TYPE *types;
    const D3DDDI_VIDEO_PRESENT_SOURCE_ID *sources;
};

static NTSTATUS decode_owners(struct client_call *call, const D3DKMT_SETVIDPNSOURCEOWNER *arguments,
                              UINT source_count, struct owner_list *list)
{
    void *types, *sources = NULL;

    if (arguments->VidPnSourceCount > source_count) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture(call, arguments->pType, arguments->VidPnSourceCount,
                                     sizeof *list->types, &types);
    if (NT_SUCCESS(status)) {
        status = client_capture(call, arguments->pVidPnSourceId, arguments->VidPnSourceCount,
                                sizeof *list->sources, &sources);
    }
    *list = (struct owner_list){arguments->VidPnSourceCount, types, sources};
    return status;
}

static NTSTATUS check_owners(const struct owner_list *list, D3DKMT_HANDLE device, UINT source_count)
{
    NTSTATUS status = STATUS_SUCCESS;

    for (UINT i = 0; NT_SUCCESS(status) && i < list->count; i++) {
        if (list->sources[i] >= source_count ||
            (unsigned)list->types[i] > D3DKMT_VIDPNSOURCEOWNER_EMULATED ||
            list->types[i] == D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVEGDI) { /* of devices before WDDM */
            return STATUS_INVALID_PARAMETER;
        }
        status = check_owner(list->sources[i], device, list->types[i]);
    }
    return status;
}

/* No sources at all: the device gives back all it has. */
static NTSTATUS set_owner(struct client_call *call, const D3DKMT_SETVIDPNSOURCEOWNER *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct dxgk_adapter_info info;
    struct owner_list list;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    dxgk_adapter_info(dxgk_device_adapter(device), &info);
    UINT count = info.source_count < D3DKMDT_MAX_VIDPN_SOURCES ? info.source_count
                                                               : D3DKMDT_MAX_VIDPN_SOURCES;
    NTSTATUS status = decode_owners(call, arguments, count, &list);
    if (NT_SUCCESS(status)) {
        status = check_owners(&list, arguments->hDevice, count);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    for (UINT i = 0; list.count == 0 && i < count; i++) {
        become_owner(i, arguments->hDevice, D3DKMT_VIDPNSOURCEOWNER_UNOWNED);
    }
    for (UINT i = 0; i < list.count; i++) {
        become_owner(list.sources[i], arguments->hDevice, list.types[i]);
    }
    return STATUS_SUCCESS;
}
CLIENT_CALL_IN(SetVidPnSourceOwner, set_owner, D3DKMT_SETVIDPNSOURCEOWNER)

static NTSTATUS check_exclusive(struct client_call *call,
                                const D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP *arguments)
{
    if (!adapter_of(call, arguments->hAdapter)) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->VidPnSourceId >= D3DKMDT_MAX_VIDPN_SOURCES) {
        return STATUS_INVALID_PARAMETER;
    }
    return is_taken(arguments->VidPnSourceId, 0) ? STATUS_GRAPHICS_PRESENT_OCCLUDED
                                                 : STATUS_SUCCESS;
}
CLIENT_CALL_IN(CheckVidPnExclusiveOwnership, check_exclusive, D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP)

/* ---- Showing ------------------------------------------------------------------------------- */

static NTSTATUS set_mode(struct client_call *call, const D3DKMT_SETDISPLAYMODE *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    struct dxgk_opening *primary =
        device ? opening_of(call, device, arguments->hPrimaryAllocation) : NULL;
    UINT source;

    if (!primary) {
        return NO_SUCH_OBJECT;
    }
    if (!dxgk_opening_source(primary, &source) || source >= D3DKMDT_MAX_VIDPN_SOURCES) {
        return STATUS_INVALID_PARAMETER;
    }
    if ((unsigned)arguments->DisplayOrientation > D3DDDI_ROTATION_270) {
        return STATUS_INVALID_PARAMETER;
    }
    if (is_taken(source, arguments->hDevice)) {
        return STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE;
    }
    return dxgk_source_show(dxgk_device_adapter(device), source, primary,
                            arguments->DisplayOrientation ? arguments->DisplayOrientation
                                                          : D3DDDI_ROTATION_IDENTITY);
}
CLIENT_CALL_IN(SetDisplayMode, set_mode, D3DKMT_SETDISPLAYMODE)

/* ---- Frames of the system ------------------------------------------------------------------ */

static NTSTATUS present_frame(struct client_call *call, const struct drydock_host_frame *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    struct dxgk_mode mode;
    void *pixels, *moves = NULL, *dirty = NULL;

    _Static_assert(sizeof(struct drydock_move) == sizeof(D3DKMT_MOVE_RECT), "one layout");
    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    if (!dxgk_source_mode(adapter, arguments->source, &mode) || arguments->width != mode.width ||
        arguments->height != mode.height || arguments->stride_bytes / 4 < mode.width ||
        arguments->move_count > DXGK_FRAME_RECTS_MAX ||
        arguments->dirty_count > DXGK_FRAME_RECTS_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status =
        client_capture(call, arguments->pixels, mode.height, arguments->stride_bytes, &pixels);
    if (NT_SUCCESS(status)) {
        status = client_capture(call, arguments->moves, arguments->move_count,
                                sizeof(D3DKMT_MOVE_RECT), &moves);
    }
    if (NT_SUCCESS(status)) {
        status =
            client_capture(call, arguments->dirty, arguments->dirty_count, sizeof(RECT), &dirty);
    }
    const struct dxgk_frame frame = {
        .pixels = pixels,
        .stride_bytes = arguments->stride_bytes,
        .moves = moves,
        .dirty = dirty,
        .move_count = arguments->move_count,
        .dirty_count = arguments->dirty_count,
    };
    return NT_SUCCESS(status) ? dxgk_source_compose(adapter, arguments->source, &frame) : status;
}
CLIENT_ENTRY(drydock_present_frame, PresentFrame, present_frame, struct drydock_host_frame,
             const struct drydock_host_frame, false)

/* ---- Time ---------------------------------------------------------------------------------- */

static NTSTATUS wait_vsync(struct client_call *call,
                           const D3DKMT_WAITFORVERTICALBLANKEVENT *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);

    if (!adapter || (arguments->hDevice && !device_of(call, arguments->hDevice))) {
        return NO_SUCH_OBJECT;
    }
    return dxgk_source_wait_vsync(adapter, arguments->VidPnSourceId,
                                  machine_now_ns() + VSYNC_WAIT_NS);
}
CLIENT_CALL_IN(WaitForVerticalBlankEvent, wait_vsync, D3DKMT_WAITFORVERTICALBLANKEVENT)

static NTSTATUS scan_line(struct client_call *call, D3DKMT_GETSCANLINE *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    bool in_blank;

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status =
        dxgk_source_scan_line(adapter, arguments->VidPnSourceId, &arguments->ScanLine, &in_blank);
    if (NT_SUCCESS(status)) {
        arguments->InVerticalBlank = in_blank;
    }
    return status;
}
CLIENT_CALL(GetScanLine, scan_line, D3DKMT_GETSCANLINE)
