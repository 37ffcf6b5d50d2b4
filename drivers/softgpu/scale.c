/* scale.c: pictures in modes of another size. The device's scaler shows the picture in a window of
 * the mode (softgpu_scaler.h); here is where that lies.
 *
 *   CENTERED               as large as the picture, in the middle
 *   STRETCHED              all of the mode
 *   ASPECTRATIOCENTEREDMAX as much of it as the picture's shape allows, in the middle
 *   CUSTOM                 the same within borders, for monitors that cut off the edges */
#include "softgpu.h"

#define BORDER_PART 16 /* of the width and of the height, each */

static BOOLEAN is_same(struct softgpu_size one, struct softgpu_size other)
{
    return one.width == other.width && one.height == other.height;
}

static BOOLEAN is_open(struct softgpu_size size)
{
    return size.width == 0;
}

static BOOLEAN is_pinned(D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling)
{
    switch (scaling) {
    case D3DKMDT_VPPS_IDENTITY:
    case D3DKMDT_VPPS_CENTERED:
    case D3DKMDT_VPPS_STRETCHED:
    case D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX:
    case D3DKMDT_VPPS_CUSTOM:
        return TRUE;
    default:
        return FALSE;
    }
}

static BOOLEAN offers_scaling(const struct softgpu_settings *settings,
                              D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling)
{
    switch (scaling) {
    case D3DKMDT_VPPS_CENTERED:
    case D3DKMDT_VPPS_STRETCHED:
        return settings->scaling >= SOFTGPU_SCALING_VISTA;
    case D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX:
        return settings->scaling >= SOFTGPU_SCALING_ASPECT;
    case D3DKMDT_VPPS_CUSTOM:
        return settings->scaling >= SOFTGPU_SCALING_SMALLER;
    case D3DKMDT_VPPS_RESERVED1:
        return FALSE;
    default:
        return TRUE;
    }
}

static BOOLEAN has_room(const struct softgpu_scale *scale)
{
    return scale->source.width <= scale->target.width &&
           scale->source.height <= scale->target.height;
}

BOOLEAN softgpu_can_scale(const struct softgpu_settings *settings,
                          const struct softgpu_scale *scale)
{
    if (!offers_scaling(settings, scale->scaling)) {
        return FALSE;
    }
    if (is_open(scale->source) || is_open(scale->target) || is_same(scale->source, scale->target)) {
        return TRUE;
    }
    switch (scale->scaling) {
    case D3DKMDT_VPPS_IDENTITY:
        return FALSE;
    case D3DKMDT_VPPS_CENTERED:
        return has_room(scale);
    case D3DKMDT_VPPS_STRETCHED:
    case D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX:
    case D3DKMDT_VPPS_CUSTOM:
        return TRUE;
    default:
        return offers_scaling(settings, D3DKMDT_VPPS_STRETCHED);
    }
}

void softgpu_tell_scaling(const struct softgpu_settings *settings,
                          const struct softgpu_scale *scale,
                          D3DKMDT_VIDPN_PRESENT_PATH_SCALING_SUPPORT *support)
{
    BOOLEAN open = is_open(scale->source) || is_open(scale->target);

    RtlZeroMemory(support, sizeof(*support));
    support->Identity = open || is_same(scale->source, scale->target);
    if (settings->scaling >= SOFTGPU_SCALING_VISTA) {
        support->Centered = open || has_room(scale);
        support->Stretched = 1;
        support->AspectRatioCenteredMax = settings->scaling >= SOFTGPU_SCALING_ASPECT;
        support->Custom = settings->scaling >= SOFTGPU_SCALING_SMALLER;
    }
}

BOOLEAN softgpu_can_commit(const struct softgpu_settings *settings,
                           const struct softgpu_scale *scale)
{
    return softgpu_can_scale(settings, scale) &&
           (is_pinned(scale->scaling) || is_same(scale->source, scale->target));
}

/* The largest of the source's shape that has room. */
static struct softgpu_size fit(struct softgpu_size source, struct softgpu_size room)
{
    if ((ULONGLONG)source.width * room.height > (ULONGLONG)source.height * room.width) {
        room.height = (ULONG)((ULONGLONG)room.width * source.height / source.width);
    } else {
        room.width = (ULONG)((ULONGLONG)room.height * source.width / source.height);
    }
    return room;
}

void softgpu_place_window(const struct softgpu_scale *scale, struct softgpu_scaler *scaler)
{
    struct softgpu_size window = scale->target;

    RtlZeroMemory(scaler, sizeof(*scaler));
    switch (scale->scaling) {
    case D3DKMDT_VPPS_CENTERED:
        window = scale->source;
        break;
    case D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX:
        window = fit(scale->source, scale->target);
        break;
    case D3DKMDT_VPPS_CUSTOM:
        window.width -= 2 * (window.width / BORDER_PART);
        window.height -= 2 * (window.height / BORDER_PART);
        window = fit(scale->source, window);
        break;
    default:
        break;
    }
    if (is_same(scale->source, window) && is_same(window, scale->target)) {
        return;
    }
    scaler->source_size = scale->source.width | scale->source.height << 16;
    scaler->window_position =
        (scale->target.width - window.width) / 2 | (scale->target.height - window.height) / 2 << 16;
    scaler->window_size = window.width | window.height << 16;
}

/* ---- While it is shown ----------------------------------------------------------------------- */

struct rescale {
    struct softgpu_adapter *adapter;
    ULONG output;
    struct softgpu_scaler scaler;
};

static BOOLEAN NTAPI rescale(PVOID argument)
{
    const struct rescale *rescale = argument;

    rescale->adapter->output[rescale->output].scaler = rescale->scaler;
    softgpu_scaler_program(rescale->adapter, rescale->output);
    return TRUE;
}

NTSTATUS softgpu_rescale(struct softgpu_adapter *adapter, const D3DKMDT_VIDPN_PRESENT_PATH *path)
{
    const struct softgpu_source *source = &adapter->source[path->VidPnSourceId];
    const struct softgpu_output *output = &adapter->output[path->VidPnTargetId];
    const struct softgpu_scale scale = {path->ContentTransformation.Scaling,
                                        {source->width, source->height},
                                        {output->width, output->height}};
    struct rescale arguments = {adapter, path->VidPnTargetId, {0, 0, 0}};

    if (!offers_scaling(&adapter->settings, scale.scaling) ||
        (is_pinned(scale.scaling) && !softgpu_can_scale(&adapter->settings, &scale))) {
        return STATUS_GRAPHICS_PATH_CONTENT_GEOMETRY_TRANSFORMATION_NOT_SUPPORTED;
    }
    if (is_pinned(scale.scaling)) {
        softgpu_place_window(&scale, &arguments.scaler);
        softgpu_synchronize(adapter, rescale, &arguments);
    }
    return STATUS_SUCCESS;
}
