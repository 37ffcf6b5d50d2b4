/* The modes that clients hear of: sizes that both ends of a path offer, and, of a driver with a
 * display and nothing else, others that it centers or stretches. */
#include "dxgk/vidpn.h"

UINT dxgk_vidpn_millihertz(const D3DKMDT_VIDEO_SIGNAL_INFO *signal)
{
    D3DDDI_RATIONAL rate = signal->VSyncFreq;

    return rate.Denominator == 0 || rate.Numerator == D3DKMDT_FREQUENCY_NOTSPECIFIED
               ? 0
               : (UINT)((uint64_t)rate.Numerator * 1000 / rate.Denominator);
}

static const D3DKMDT_VIDEO_SIGNAL_INFO *same_size(const struct vidpn_path *path,
                                                  D3DKMDT_2DREGION size)
{
    const struct mode_node *target = dxgk_vidpn_target_of_size(path->target_modes, size);

    return target ? &target->mode.target.VideoSignalInfo : NULL;
}

bool dxgk_vidpn_has_middle(const D3DKMDT_VIDEO_SIGNAL_INFO *signal, D3DKMDT_2DREGION size)
{
    D3DKMDT_2DREGION whole = signal->ActiveSize;

    return size.cx <= whole.cx && size.cy <= whole.cy && (whole.cx - size.cx) % 2 == 0 &&
           (whole.cy - size.cy) % 2 == 0;
}

bool dxgk_is_stretched(D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling)
{
    return scaling == D3DKMDT_VPPS_STRETCHED || scaling == D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX ||
           scaling == D3DKMDT_VPPS_CUSTOM;
}

bool dxgk_is_scaled(D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling)
{
    return scaling == D3DKMDT_VPPS_CENTERED || dxgk_is_stretched(scaling);
}

bool dxgk_vidpn_can_scale(const struct vidpn_path *path, D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling)
{
    const D3DKMDT_VIDPN_PRESENT_PATH_SCALING_SUPPORT *support =
        &path->info.ContentTransformation.ScalingSupport;

    switch (scaling) {
    case D3DKMDT_VPPS_CENTERED:
        return support->Centered;
    case D3DKMDT_VPPS_STRETCHED:
        return support->Stretched;
    case D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX:
        return support->AspectRatioCenteredMax;
    case D3DKMDT_VPPS_CUSTOM:
        return support->Custom;
    default:
        return true;
    }
}

/* Identity is for equal sizes alone. */
D3DKMDT_VIDPN_PRESENT_PATH_SCALING dxgk_vidpn_scaling_between(const struct vidpn_path *path)
{
    static const D3DKMDT_VIDPN_PRESENT_PATH_SCALING scalings[] = {
        D3DKMDT_VPPS_CENTERED, D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX, D3DKMDT_VPPS_STRETCHED,
        D3DKMDT_VPPS_CUSTOM};

    if (!path->source_modes->pinned || !path->target_modes || !path->target_modes->pinned) {
        return D3DKMDT_VPPS_IDENTITY;
    }
    const D3DKMDT_VIDEO_SIGNAL_INFO *signal =
        &path->target_modes->pinned->mode.target.VideoSignalInfo;
    D3DKMDT_2DREGION size = path->source_modes->pinned->mode.source.Format.Graphics.PrimSurfSize;
    if (size.cx == signal->ActiveSize.cx && size.cy == signal->ActiveSize.cy) {
        return D3DKMDT_VPPS_IDENTITY;
    }
    for (size_t i = 0; i < sizeof scalings / sizeof scalings[0]; i++) {
        if (dxgk_vidpn_can_scale(path, scalings[i]) &&
            (scalings[i] != D3DKMDT_VPPS_CENTERED || dxgk_vidpn_has_middle(signal, size))) {
            return scalings[i];
        }
    }
    return D3DKMDT_VPPS_IDENTITY;
}

static void add_mode(struct dxgk_source *source, const D3DKMDT_VIDPN_SOURCE_MODE *mode,
                     const D3DKMDT_VIDEO_SIGNAL_INFO *signal,
                     D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling)
{
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT *format = &mode->Format.Graphics;

    if (source->mode_count < DXGK_MODES_MAX) {
        source->modes[source->mode_count++] = (struct dxgk_mode){
            .width = format->PrimSurfSize.cx,
            .height = format->PrimSurfSize.cy,
            .refresh_millihertz = dxgk_vidpn_millihertz(signal),
            .format = format->PixelFormat,
            .type = mode->Type,
            .palette = dxgk_format_has_palette(format),
            .scaling = scaling,
        };
    }
}

/* In the mode that the monitor likes best, in each way that the path supports. */
static void add_scaled(struct dxgk_source *source, const struct vidpn_path *path,
                       const D3DKMDT_VIDPN_SOURCE_MODE *mode)
{
    static const D3DKMDT_VIDPN_PRESENT_PATH_SCALING scalings[] = {
        D3DKMDT_VPPS_CENTERED, D3DKMDT_VPPS_STRETCHED, D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX,
        D3DKMDT_VPPS_CUSTOM};
    const struct mode_node *target = dxgk_vidpn_target_liked(path->target_modes);

    if (!source->adapter->display_only || !target) {
        return;
    }
    const D3DKMDT_VIDEO_SIGNAL_INFO *signal = &target->mode.target.VideoSignalInfo;
    for (size_t i = 0; i < sizeof scalings / sizeof scalings[0]; i++) {
        if (dxgk_vidpn_can_scale(path, scalings[i]) &&
            (scalings[i] != D3DKMDT_VPPS_CENTERED ||
             dxgk_vidpn_has_middle(signal, mode->Format.Graphics.PrimSurfSize))) {
            add_mode(source, mode, signal, scalings[i]);
        }
    }
}

static void list_mode(struct dxgk_source *source, const struct vidpn_path *path,
                      const D3DKMDT_VIDPN_SOURCE_MODE *mode)
{
    const D3DKMDT_VIDEO_SIGNAL_INFO *same = same_size(path, mode->Format.Graphics.PrimSurfSize);

    if (same) {
        add_mode(source, mode, same, D3DKMDT_VPPS_IDENTITY);
    } else {
        add_scaled(source, path, mode);
    }
}

static void list_of_path(struct dxgk_adapter *adapter, const struct vidpn_path *path)
{
    struct dxgk_source *source = &adapter->sources[path->info.VidPnSourceId];

    source->mode_count = 0;
    list_for_each (link, &path->source_modes->modes) {
        const struct mode_node *node = container_of(link, struct mode_node, link);
        if (dxgk_mode_is_graphics(&node->mode.source)) {
            list_mode(source, path, &node->mode.source);
        }
    }
}

void dxgk_modes_list(struct dxgk_adapter *adapter, const struct dxgk_vidpn *vidpn)
{
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        const struct vidpn_path *path = &vidpn->paths[i];
        if (path->info.VidPnSourceId < adapter->source_count && path->source_modes &&
            path->target_modes) {
            list_of_path(adapter, path);
        }
    }
}
