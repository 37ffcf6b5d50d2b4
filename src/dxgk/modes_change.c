/* Changes of the VidPN that is shown: monitors that come and go, other modes, other orientations.
 *
 *   a copy of the active VidPN ─ one path goes, comes or is open again ─> the driver agrees on it
 *   ─> CommitVidPn for the source of that path ─> it is the active one
 *
 * Where the driver refuses, the active VidPN stays. */
#include "dxgk/vidpn.h"

/* ---- Monitors that come and go ------------------------------------------------------------- */

static void replace_active(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn)
{
    vidpn_destroy(adapter->active_vidpn);
    adapter->active_vidpn = vidpn;
}

NTSTATUS dxgk_vidpn_drop_path(struct dxgk_adapter *adapter, UINT source, UINT target)
{
    struct dxgk_vidpn *rest = vidpn_copy(adapter->active_vidpn, target);

    if (!rest) {
        return STATUS_NO_MEMORY;
    }
    NTSTATUS status = dxgk_vidpn_supported(adapter, rest)
                          ? dxgk_vidpn_commit_source(adapter, rest, source, NULL)
                          : STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    if (NT_SUCCESS(status)) {
        replace_active(adapter, rest);
    } else {
        vidpn_destroy(rest);
    }
    return status;
}

/* ---- Another mode, another orientation ----------------------------------------------------- */

static D3DKMDT_VIDPN_PRESENT_PATH_ROTATION path_rotation(D3DDDI_ROTATION rotation)
{
    return rotation == D3DDDI_ROTATION_90    ? D3DKMDT_VPPR_ROTATE90
           : rotation == D3DDDI_ROTATION_180 ? D3DKMDT_VPPR_ROTATE180
           : rotation == D3DDDI_ROTATION_270 ? D3DKMDT_VPPR_ROTATE270
                                             : D3DKMDT_VPPR_IDENTITY;
}

static bool can_turn(const D3DKMDT_VIDPN_PRESENT_PATH *path, D3DDDI_ROTATION rotation)
{
    const D3DKMDT_VIDPN_PRESENT_PATH_ROTATION_SUPPORT *support =
        &path->ContentTransformation.RotationSupport;

    return rotation == D3DDDI_ROTATION_90    ? support->Rotate90
           : rotation == D3DDDI_ROTATION_180 ? support->Rotate180
           : rotation == D3DDDI_ROTATION_270 ? support->Rotate270
                                             : true;
}

static bool is_format(D3DDDIFORMAT a, D3DDDIFORMAT b)
{
    return a == b || (a == D3DDDIFMT_A8R8G8B8 && b == D3DDDIFMT_X8R8G8B8) ||
           (a == D3DDDIFMT_X8R8G8B8 && b == D3DDDIFMT_A8R8G8B8);
}

static struct mode_node *source_of_view(struct mode_set *set, const struct dxgk_view *view)
{
    list_for_each (link, &set->modes) {
        struct mode_node *node = container_of(link, struct mode_node, link);
        const D3DKMDT_GRAPHICS_RENDERING_FORMAT *format = &node->mode.source.Format.Graphics;
        if (dxgk_mode_is_graphics(&node->mode.source) &&
            (node->mode.source.Type != D3DKMDT_RMT_GRAPHICS) == view->stereo &&
            format->PrimSurfSize.cx == view->width && format->PrimSurfSize.cy == view->height &&
            is_format(format->PixelFormat, view->format)) {
            return node;
        }
    }
    return NULL;
}

/* Custom is what the driver makes of it, of equal sizes, too (scaling-the-desktop-image). */
static D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling_of(const struct vidpn_path *path,
                                                     const struct dxgk_view *view)
{
    D3DKMDT_2DREGION size = path->target_modes->pinned->mode.target.VideoSignalInfo.ActiveSize;
    bool same = size.cx == view->width && size.cy == view->height;

    return dxgk_is_scaled(view->scaling) && (!same || view->scaling == D3DKMDT_VPPS_CUSTOM)
               ? view->scaling
               : D3DKMDT_VPPS_IDENTITY;
}

/* A picture of another size leaves the monitor's mode as large as it can be. */
static struct mode_node *target_of_view(struct mode_set *set, const struct dxgk_view *view)
{
    const D3DKMDT_2DREGION size = {view->width, view->height};

    if (!dxgk_is_scaled(view->scaling)) {
        return dxgk_vidpn_target_of_size(set, size);
    }
    struct mode_node *liked = dxgk_vidpn_target_liked(set);
    return liked && (view->scaling != D3DKMDT_VPPS_CENTERED ||
                     dxgk_vidpn_has_middle(&liked->mode.target.VideoSignalInfo, size))
               ? liked
               : NULL;
}

/* The path is open, the others are pinned: target first, then source, as at the beginning. */
static NTSTATUS pin_view(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn,
                         struct vidpn_path *path, const struct dxgk_view *view)
{
    D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION *content = &path->info.ContentTransformation;
    NTSTATUS status = dxgk_vidpn_enumerate(adapter, vidpn, D3DKMDT_EPT_NOPIVOT, NULL);

    if (!NT_SUCCESS(status) || !path->target_modes || !path->source_modes) {
        return NT_SUCCESS(status) ? STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED : status;
    }
    path->target_modes->pinned = target_of_view(path->target_modes, view);
    if (!path->target_modes->pinned || !can_turn(&path->info, view->rotation)) {
        return STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED;
    }
    status = dxgk_vidpn_enumerate(adapter, vidpn, D3DKMDT_EPT_NOPIVOT, NULL);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    path->source_modes->pinned = source_of_view(path->source_modes, view);
    if (!path->source_modes->pinned || !dxgk_vidpn_can_scale(path, scaling_of(path, view))) {
        return STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED;
    }
    content->Scaling = scaling_of(path, view);
    content->Rotation = path_rotation(view->rotation);
    return dxgk_vidpn_supported(adapter, vidpn) ? STATUS_SUCCESS
                                                : STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED;
}

/* Of a clone that is not in the size of the source; IDENTITY: none that shows it. */
static D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling_of_clone(const struct vidpn_path *path,
                                                           D3DKMDT_2DREGION size)
{
    static const D3DKMDT_VIDPN_PRESENT_PATH_SCALING scalings[] = {
        D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX, D3DKMDT_VPPS_STRETCHED, D3DKMDT_VPPS_CENTERED};
    const D3DKMDT_VIDEO_SIGNAL_INFO *signal =
        &path->target_modes->pinned->mode.target.VideoSignalInfo;

    for (size_t i = 0; i < sizeof scalings / sizeof *scalings; i++) {
        if (dxgk_vidpn_can_scale(path, scalings[i]) &&
            (scalings[i] != D3DKMDT_VPPS_CENTERED || dxgk_vidpn_has_middle(signal, size))) {
            return scalings[i];
        }
    }
    return D3DKMDT_VPPS_IDENTITY;
}

static bool is_size(const struct mode_node *mode, D3DKMDT_2DREGION size)
{
    D3DKMDT_2DREGION active = mode->mode.target.VideoSignalInfo.ActiveSize;

    return active.cx == size.cx && active.cy == size.cy;
}

/* The modes of the source's own path stay; the new target has one of the same size, or its best. */
static NTSTATUS pin_clone(struct dxgk_source *source, struct dxgk_vidpn *vidpn, UINT target,
                          bool scaled)
{
    const D3DKMDT_2DREGION size = {source->mode.width, source->mode.height};
    struct vidpn_path *path = vidpn_path_find(vidpn, source->index, target);
    D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION *content = &path->info.ContentTransformation;
    NTSTATUS status = dxgk_vidpn_enumerate(source->adapter, vidpn, D3DKMDT_EPT_NOPIVOT, NULL);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    struct mode_node *mode = !path->target_modes ? NULL
                             : scaled            ? dxgk_vidpn_target_liked(path->target_modes)
                                      : dxgk_vidpn_target_of_size(path->target_modes, size);
    if (!mode || is_size(mode, size) == scaled || !content->RotationSupport.Identity ||
        (!scaled && !content->ScalingSupport.Identity)) {
        return STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED;
    }
    path->target_modes->pinned = mode;
    status = dxgk_vidpn_enumerate(source->adapter, vidpn, D3DKMDT_EPT_NOPIVOT, NULL);
    content->Scaling = scaled ? scaling_of_clone(path, size) : D3DKMDT_VPPS_IDENTITY;
    content->Rotation = D3DKMDT_VPPR_IDENTITY;
    return !NT_SUCCESS(status) ? status
           : (content->Scaling != D3DKMDT_VPPS_IDENTITY) == scaled &&
                   dxgk_vidpn_supported(source->adapter, vidpn)
               ? STATUS_SUCCESS
               : STATUS_GRAPHICS_INVALID_VIDPN;
}

NTSTATUS dxgk_vidpn_add_clone(struct dxgk_source *source, UINT target, bool scaled)
{
    struct dxgk_adapter *adapter = source->adapter;
    struct dxgk_vidpn *both = vidpn_copy(adapter->active_vidpn, target);

    dxgk_vidpn_recommend_modes(adapter, target);
    if (!both || !vidpn_add_path(both, source->index, target)) {
        vidpn_destroy(both);
        return STATUS_NO_MEMORY;
    }
    NTSTATUS status = dxgk_vidpn_supported(adapter, both) ? pin_clone(source, both, target, scaled)
                                                          : STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    if (NT_SUCCESS(status)) {
        dxgk_source_hide(source);
        status = dxgk_vidpn_commit_source(adapter, both, source->index,
                                          source->shown ? source->shown->driver_handle : NULL);
        vidpn_judge_commit(both, status);
    }
    if (NT_SUCCESS(status)) {
        replace_active(adapter, both);
    } else {
        vidpn_destroy(both);
    }
    return status;
}

/* In the mode and orientation that the source has: the surface it shows is of that size. */
NTSTATUS dxgk_vidpn_restore_path(struct dxgk_source *source, struct dxgk_failure *failure)
{
    struct dxgk_adapter *adapter = source->adapter;
    UINT target = source->target;
    struct dxgk_vidpn *whole = vidpn_copy(adapter->active_vidpn, target);
    const struct dxgk_view view = {source->mode.width,
                                   source->mode.height,
                                   source->mode.format,
                                   source->rotation,
                                   source->mode.type != D3DKMDT_RMT_GRAPHICS,
                                   source->mode.scaling};

    dxgk_vidpn_recommend_modes(adapter, target);
    if (!whole || !vidpn_add_path(whole, source->index, target)) {
        vidpn_destroy(whole);
        return STATUS_NO_MEMORY;
    }
    struct vidpn_path *path = vidpn_path_find(whole, source->index, target);
    NTSTATUS status = dxgk_vidpn_supported(adapter, whole) ? pin_view(adapter, whole, path, &view)
                                                           : STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    if (!NT_SUCCESS(status)) {
        dxgk_vidpn_refuse(failure, "the driver no longer supports the mode that the source had",
                          status);
    } else {
        status = dxgk_vidpn_commit_source(adapter, whole, source->index,
                                          source->shown ? source->shown->driver_handle : NULL);
        if (!NT_SUCCESS(status)) {
            dxgk_vidpn_refuse(failure, "DxgkDdiCommitVidPn", status);
        }
    }
    if (NT_SUCCESS(status)) {
        replace_active(adapter, whole);
    } else {
        vidpn_destroy(whole);
    }
    return status;
}

NTSTATUS dxgk_vidpn_open_change(struct dxgk_source *source, const struct dxgk_view *view,
                                struct dxgk_vidpn **out)
{
    struct dxgk_adapter *adapter = source->adapter;
    struct dxgk_vidpn *vidpn = vidpn_copy(adapter->active_vidpn, D3DDDI_ID_UNINITIALIZED);
    struct vidpn_path *path = vidpn ? vidpn_path_find(vidpn, source->index, source->target) : NULL;

    if (!path || !path->source_modes || !path->target_modes) {
        vidpn_destroy(vidpn);
        return vidpn ? STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY : STATUS_NO_MEMORY;
    }
    path->source_modes->pinned = path->target_modes->pinned = NULL;
    path->info.ContentTransformation.Scaling = D3DKMDT_VPPS_UNPINNED;
    path->info.ContentTransformation.Rotation = D3DKMDT_VPPR_UNPINNED;
    NTSTATUS status = pin_view(adapter, vidpn, path, view);
    if (NT_SUCCESS(status)) {
        *out = vidpn;
    } else {
        vidpn_destroy(vidpn);
    }
    return status;
}

static D3DDDI_ROTATION rotation_of(const struct vidpn_path *path)
{
    switch (path->info.ContentTransformation.Rotation) {
    case D3DKMDT_VPPR_ROTATE90:
        return D3DDDI_ROTATION_90;
    case D3DKMDT_VPPR_ROTATE180:
        return D3DDDI_ROTATION_180;
    case D3DKMDT_VPPR_ROTATE270:
        return D3DDDI_ROTATION_270;
    default:
        return D3DDDI_ROTATION_IDENTITY;
    }
}

void dxgk_vidpn_take(struct dxgk_source *source, struct dxgk_vidpn *vidpn)
{
    const struct vidpn_path *path = vidpn_path_find(vidpn, source->index, source->target);

    replace_active(source->adapter, vidpn);
    dxgk_vidpn_keep_mode(source->adapter, path);
    source->rotation = rotation_of(path);
}

/* What is in the path afterwards is what the driver agreed to. */
static NTSTATUS update_active(struct dxgk_adapter *adapter, struct vidpn_path *path,
                              D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION content)
{
    DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH arguments = {.VidPnPresentPathInfo = path->info};

    arguments.VidPnPresentPathInfo.ContentTransformation = content;
    NTSTATUS status = ddi_update_active_vidpn_present_path(
        &adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
    if (NT_SUCCESS(status)) {
        path->info = arguments.VidPnPresentPathInfo;
    }
    return status;
}

NTSTATUS dxgk_vidpn_turn(struct dxgk_source *source, D3DDDI_ROTATION rotation)
{
    struct dxgk_adapter *adapter = source->adapter;
    struct vidpn_path *path = vidpn_path_find(adapter->active_vidpn, source->index, source->target);

    if (!path || !can_turn(&path->info, rotation)) {
        return STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED;
    }
    D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION content = path->info.ContentTransformation;
    content.Rotation = path_rotation(rotation);
    NTSTATUS status = update_active(adapter, path, content);
    if (NT_SUCCESS(status)) {
        source->rotation = rotation;
    }
    return status;
}

NTSTATUS dxgk_vidpn_rescale(struct dxgk_source *source, D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling)
{
    struct dxgk_adapter *adapter = source->adapter;
    struct vidpn_path *path = vidpn_path_find(adapter->active_vidpn, source->index, source->target);

    if (!path || !dxgk_vidpn_can_scale(path, scaling) ||
        !ddi_has(&adapter->ddi, POINT_UpdateActiveVidPnPresentPath)) {
        return STATUS_GRAPHICS_PATH_CONTENT_GEOMETRY_TRANSFORMATION_NOT_SUPPORTED;
    }
    D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION content = path->info.ContentTransformation;
    content.Scaling = scaling;
    NTSTATUS status = update_active(adapter, path, content);
    if (NT_SUCCESS(status)) {
        source->mode.scaling = scaling;
    }
    return status;
}
