/* Display: what a source shows, and its vertical syncs. */
#include "d3dkmt/internal.h"

#include "drydock/client.h"

#define VSYNC_WAIT_NS NS_PER_S

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
    if ((unsigned)arguments->DisplayOrientation > D3DDDI_ROTATION_270 ||
        arguments->Flags.Reserved ||
        (unsigned)arguments->ScanLineOrdering > D3DDDI_VSSLO_INTERLACED_LOWERFIELDFIRST) {
        return STATUS_INVALID_PARAMETER;
    }
    if (arguments->ScanLineOrdering > D3DDDI_VSSLO_PROGRESSIVE) {
        return STATUS_NOT_SUPPORTED; /* no mode here has fields */
    }
    if (dxgk_device_state(device) != D3DKMT_DEVICEEXECUTION_ACTIVE) {
        return STATUS_DEVICE_REMOVED;
    }
    if (client_source_is_taken(source, arguments->hDevice)) {
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
    bool whole;
    void *pixels, *moves = NULL, *dirty = NULL;

    _Static_assert(sizeof(struct drydock_move) == sizeof(D3DKMT_MOVE_RECT), "one layout");
    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    /* Turned or not: dxgk knows. */
    whole = dxgk_source_mode(adapter, arguments->source, &mode) &&
            ((arguments->width == mode.width && arguments->height == mode.height) ||
             (arguments->width == mode.height && arguments->height == mode.width));
    if (!whole || arguments->stride_bytes / 4 < arguments->width ||
        arguments->move_count > DXGK_FRAME_RECTS_MAX ||
        arguments->dirty_count > DXGK_FRAME_RECTS_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture(call, arguments->pixels, arguments->height,
                                     arguments->stride_bytes, &pixels);
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
        .width = arguments->width,
        .height = arguments->height,
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

static D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling_of(UINT fixed_output)
{
    switch (fixed_output) {
    case 0:
        return D3DKMDT_VPPS_IDENTITY;
    case DRYDOCK_OUTPUT_STRETCHED:
        return D3DKMDT_VPPS_STRETCHED;
    case DRYDOCK_OUTPUT_CENTERED:
        return D3DKMDT_VPPS_CENTERED;
    case DRYDOCK_OUTPUT_ASPECT:
        return D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX;
    case DRYDOCK_OUTPUT_CUSTOM:
        return D3DKMDT_VPPS_CUSTOM;
    default:
        return D3DKMDT_VPPS_UNINITIALIZED;
    }
}

static NTSTATUS arrange_screen(struct client_call *call,
                               const struct drydock_screen_arrangement *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    const struct dxgk_arrangement wanted = {arguments->width, arguments->height,
                                            arguments->rotation,
                                            scaling_of(arguments->fixed_output)};

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    return client_source_is_others(call, arguments->source)
               ? STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE
               : dxgk_source_arrange(adapter, arguments->source, &wanted);
}
CLIENT_ENTRY(drydock_arrange_screen, ArrangeScreen, arrange_screen,
             struct drydock_screen_arrangement, const struct drydock_screen_arrangement, false)

static NTSTATUS set_palette(struct client_call *call, const struct drydock_palette *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    void *entries = NULL;

    _Static_assert(sizeof(struct drydock_colour) == sizeof(D3DKMDT_PALETTEDATA), "one layout");
    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->count == 0 || arguments->count > 256) {
        return STATUS_INVALID_PARAMETER;
    }
    if (client_source_is_others(call, arguments->source)) {
        return STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE;
    }
    NTSTATUS status = client_capture_private(
        call, arguments->entries, arguments->count * sizeof(D3DKMDT_PALETTEDATA), &entries);
    const struct dxgk_colours colours = {arguments->first, arguments->count, entries};
    return NT_SUCCESS(status) ? dxgk_source_set_palette(adapter, arguments->source, &colours)
                              : status;
}
CLIENT_ENTRY(drydock_set_palette, SetPalette, set_palette, struct drydock_palette,
             const struct drydock_palette, false)

/* ---- Time ---------------------------------------------------------------------------------- */

struct client_watch client_watch_begin(struct dxgk_adapter *adapter, UINT source)
{
    struct dxgk_totals totals;

    dxgk_adapter_totals(adapter, &totals);
    return (struct client_watch){dxgk_source_shows(adapter, source), totals.resets};
}

bool client_watched_nothing(struct dxgk_adapter *adapter, UINT source,
                            const struct client_watch *watch)
{
    struct client_watch now = client_watch_begin(adapter, source);

    return !watch->shows && !now.shows && now.resets == watch->resets;
}

static NTSTATUS wait_vsync(struct client_call *call,
                           const D3DKMT_WAITFORVERTICALBLANKEVENT *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);

    if (!adapter || (arguments->hDevice && !device_of(call, arguments->hDevice))) {
        return NO_SUCH_OBJECT;
    }
    const struct client_watch watch = client_watch_begin(adapter, arguments->VidPnSourceId);
    NTSTATUS status =
        dxgk_source_wait_vsync(adapter, arguments->VidPnSourceId, machine_now_ns() + VSYNC_WAIT_NS);
    call->in_vain = status == STATUS_TIMEOUT &&
                    client_watched_nothing(adapter, arguments->VidPnSourceId, &watch);
    return status;
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

/* The one event of its process, for all who ask; closed as other events are. */
static NTSTATUS vsync_event(struct client_call *call, const D3DKMT_GETVERTICALBLANKEVENT *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    uint64_t handle;

    if (!adapter || (arguments->hDevice && !device_of(call, arguments->hDevice)) ||
        !arguments->phEvent) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = client_probe_write(arguments->phEvent, sizeof(D3DKMT_PTR_TYPE));
    if (NT_SUCCESS(status)) {
        status = dxgk_vsync_event_open(call->process, adapter, arguments->VidPnSourceId, &handle);
    }
    if (NT_SUCCESS(status)) {
        const D3DKMT_PTR_TYPE made = (D3DKMT_PTR_TYPE)handle;
        status = client_write(arguments->phEvent, &made, sizeof made);
    }
    return status;
}
CLIENT_CALL_IN(GetDWMVerticalBlankEvent, vsync_event, D3DKMT_GETVERTICALBLANKEVENT)
