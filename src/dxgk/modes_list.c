/* The modes that clients hear of: sizes that both ends of a path offer, and, of a driver with a
 * display and nothing else, smaller ones that it shows in the middle. */
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

/* In the mode that the monitor likes best. */
static const D3DKMDT_VIDEO_SIGNAL_INFO *around(const struct dxgk_adapter *adapter,
                                               const struct vidpn_path *path, D3DKMDT_2DREGION size)
{
    const struct mode_node *target = dxgk_vidpn_target_liked(path->target_modes);

    if (!adapter->display_only || !path->info.ContentTransformation.ScalingSupport.Centered ||
        !target) {
        return NULL;
    }
    const D3DKMDT_VIDEO_SIGNAL_INFO *signal = &target->mode.target.VideoSignalInfo;
    return dxgk_vidpn_has_middle(signal, size) ? signal : NULL;
}

static void list_mode(struct dxgk_source *source, const struct vidpn_path *path,
                      const D3DKMDT_VIDPN_SOURCE_MODE *mode)
{
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT *format = &mode->Format.Graphics;
    const D3DKMDT_VIDEO_SIGNAL_INFO *same = same_size(path, format->PrimSurfSize);
    const D3DKMDT_VIDEO_SIGNAL_INFO *signal =
        same ? same : around(source->adapter, path, format->PrimSurfSize);

    if (signal && source->mode_count < DXGK_MODES_MAX) {
        source->modes[source->mode_count++] = (struct dxgk_mode){
            .width = format->PrimSurfSize.cx,
            .height = format->PrimSurfSize.cy,
            .refresh_millihertz = dxgk_vidpn_millihertz(signal),
            .format = format->PixelFormat,
            .type = mode->Type,
            .palette = dxgk_format_has_palette(format),
            .centered = !same,
        };
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
