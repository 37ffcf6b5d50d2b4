/* Another mode, another orientation, of a driver that has a display and nothing else.
 *
 *   only turned, and smoothly: UpdateActiveVidPnPresentPath, while the picture is seen
 *   otherwise: the driver agrees on it, hidden, CommitVidPn; the next frame shows it again
 *
 * The mode stays as it is scanned out. A path that is turned by 90 degrees has pictures that are as
 * wide as the mode is high; turns go counter-clockwise, as those of Present. */
#include "dxgk/display_composed.h"
#include "dxgk/vidpn.h"

/* ---- Where things are ---------------------------------------------------------------------- */

static bool lies_on_its_side(const struct dxgk_source *source)
{
    return source->rotation == D3DDDI_ROTATION_90 || source->rotation == D3DDDI_ROTATION_270;
}

struct dxgk_size dxgk_upright_size(const struct dxgk_source *source)
{
    const struct dxgk_mode *mode = &source->mode;

    return lies_on_its_side(source) ? (struct dxgk_size){mode->height, mode->width}
                                    : (struct dxgk_size){mode->width, mode->height};
}

/* Of corners, which lie between pixels. */
static POINT turn_corner(const struct dxgk_source *source, POINT upright)
{
    LONG width = (LONG)source->mode.width, height = (LONG)source->mode.height;

    switch (source->rotation) {
    case D3DDDI_ROTATION_90:
        return (POINT){upright.y, height - upright.x};
    case D3DDDI_ROTATION_180:
        return (POINT){width - upright.x, height - upright.y};
    case D3DDDI_ROTATION_270:
        return (POINT){width - upright.y, upright.x};
    default:
        return upright;
    }
}

RECT dxgk_turn_rect(const struct dxgk_source *source, const RECT *upright)
{
    POINT one = turn_corner(source, (POINT){upright->left, upright->top});
    POINT other = turn_corner(source, (POINT){upright->right, upright->bottom});

    return (RECT){one.x < other.x ? one.x : other.x, one.y < other.y ? one.y : other.y,
                  one.x < other.x ? other.x : one.x, one.y < other.y ? other.y : one.y};
}

POINT dxgk_turn_point(const struct dxgk_source *source, POINT upright)
{
    const RECT pixel = {upright.x, upright.y, upright.x + 1, upright.y + 1};
    RECT turned = dxgk_turn_rect(source, &pixel);

    return (POINT){turned.left, turned.top};
}

D3DKMT_MOVE_RECT dxgk_turn_move(const struct dxgk_source *source, const D3DKMT_MOVE_RECT *upright)
{
    const RECT *to = &upright->DestRect;
    const RECT from = {upright->SourcePoint.x, upright->SourcePoint.y,
                       upright->SourcePoint.x + to->right - to->left,
                       upright->SourcePoint.y + to->bottom - to->top};
    RECT turned = dxgk_turn_rect(source, &from);

    return (D3DKMT_MOVE_RECT){.SourcePoint = {turned.left, turned.top},
                              .DestRect = dxgk_turn_rect(source, to)};
}

/* ---- Changing ------------------------------------------------------------------------------ */

static NTSTATUS commit(struct dxgk_source *source, const struct dxgk_view *view)
{
    struct dxgk_vidpn *vidpn;
    NTSTATUS status = dxgk_vidpn_open_change(source, view, &vidpn);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    dxgk_source_hide(source);
    status = dxgk_vidpn_commit_source(source->adapter, vidpn, source->index, NULL);
    if (!NT_SUCCESS(status)) {
        vidpn_destroy(vidpn); /* the next frame is seen in the mode of before */
        return status;
    }
    dxgk_vidpn_take(source, vidpn);
    bool was_lit = source->composed && source->composed->was_lit;
    dxgk_composed_stop(source);
    status = dxgk_composed_start(source);
    if (NT_SUCCESS(status)) {
        source->composed->was_lit = was_lit;
    }
    return status;
}

static NTSTATUS change(struct dxgk_source *source, const struct dxgk_view *view)
{
    struct dxgk_adapter *adapter = source->adapter;
    bool same_size = view->width == source->mode.width && view->height == source->mode.height &&
                     view->scaling == source->mode.scaling;

    if (!dxgk_adapter_has_hardware(adapter)) {
        return STATUS_DEVICE_REMOVED;
    }
    if (same_size && view->rotation == source->rotation) {
        return STATUS_SUCCESS;
    }
    dxgk_composed_forget(source);
    return same_size && source->visible && adapter->caps.SupportSmoothRotation
               ? dxgk_vidpn_turn(source, view->rotation)
               : commit(source, view);
}

NTSTATUS dxgk_source_arrange(struct dxgk_adapter *adapter, unsigned index,
                             const struct dxgk_arrangement *wanted)
{
    if (index >= adapter->source_count || wanted->scaling == D3DKMDT_VPPS_UNINITIALIZED ||
        wanted->rotation < D3DDDI_ROTATION_IDENTITY || wanted->rotation > D3DDDI_ROTATION_270) {
        return STATUS_INVALID_PARAMETER;
    }
    struct dxgk_source *source = &adapter->sources[index];
    if (!source->active) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!source->composed) {
        source->scaled.wanted =
            dxgk_is_scaled(wanted->scaling) ? wanted->scaling : D3DKMDT_VPPS_UNINITIALIZED;
        return STATUS_SUCCESS;
    }
    const struct dxgk_view view = {.width = wanted->width,
                                   .height = wanted->height,
                                   .format = source->mode.format,
                                   .rotation = wanted->rotation,
                                   .scaling = wanted->scaling};
    dxgk_wait_awake();
    dxgk_display_begin_changes(adapter);
    NTSTATUS status = change(source, &view);
    dxgk_display_end_changes(adapter);
    return status;
}
