/* Shapes of the pointer of each kind; see pointer_kinds.h. */
#include "dxgk/pointer_kinds.h"

#include <string.h>

#include "dxgk/work.h"

#define COLOUR_MASK 0xFFFFFFu
#define OPAQUE      0xFF000000u

const char *dxgk_pointer_kind_name(enum dxgk_pointer_kind kind)
{
    static const char *const names[DXGK_POINTER_KINDS] = {"Color", "Monochrome", "MaskedColor"};

    return names[kind];
}

static bool has_kind(const DXGK_POINTERFLAGS *caps, enum dxgk_pointer_kind kind)
{
    return kind == DXGK_POINTER_COLOR        ? caps->Color
           : kind == DXGK_POINTER_MONOCHROME ? caps->Monochrome
                                             : caps->MaskedColor;
}

bool dxgk_pointer_can_be(const struct dxgk_source *source, enum dxgk_pointer_kind kind,
                         const struct dxgk_pointer_sketch *sketch)
{
    const struct dxgk_adapter *adapter = source->adapter;

    return source->rotation == D3DDDI_ROTATION_IDENTITY &&
           ddi_has(&adapter->ddi, POINT_SetPointerShape) &&
           ddi_has(&adapter->ddi, POINT_SetPointerPosition) &&
           adapter->caps.MaxPointerWidth >= sketch->width &&
           adapter->caps.MaxPointerHeight >= sketch->height &&
           has_kind(&adapter->caps.PointerCaps, kind);
}

uint32_t dxgk_pointer_makes(enum dxgk_pointer_kind kind, unsigned way, uint32_t colour,
                            uint32_t beneath)
{
    switch (kind) {
    case DXGK_POINTER_COLOR:
        return way & 1 ? colour : beneath;
    case DXGK_POINTER_MASKED_COLOR:
        return way & 1 ? colour : beneath ^ colour;
    default:
        return (way & 1 ? beneath : 0) ^ (way & 2 ? COLOUR_MASK : 0);
    }
}

/* ---- The driver ---------------------------------------------------------------------------- */

static void put_pixel(enum dxgk_pointer_kind kind, const struct dxgk_pointer_sketch *sketch,
                      unsigned at, uint8_t *shape)
{
    unsigned x = at % sketch->width, y = at / sketch->width, row = sketch->width / 8;
    unsigned way = sketch->way_of(x, y);
    uint32_t *pixel = (uint32_t *)(void *)shape + at, colour = sketch->colour_of(x, y);
    uint8_t bit = (uint8_t)(0x80u >> x % 8);

    switch (kind) {
    case DXGK_POINTER_COLOR:
        *pixel = way & 1 ? OPAQUE | colour : 0;
        break;
    case DXGK_POINTER_MASKED_COLOR:
        *pixel = (way & 1 ? 0 : OPAQUE) | colour;
        break;
    default:
        shape[y * row + x / 8] |= way & 1 ? bit : 0;
        shape[(sketch->height + y) * row + x / 8] |= way & 2 ? bit : 0;
    }
}

bool dxgk_pointer_give_sketch(struct dxgk_source *source, enum dxgk_pointer_kind kind,
                              const struct dxgk_pointer_sketch *sketch, void *pixels)
{
    unsigned count = sketch->width * sketch->height;
    struct dxgk_pointer_shape shape = {
        .width = sketch->width,
        .height = sketch->height,
        .pitch = kind == DXGK_POINTER_MONOCHROME ? sketch->width / 8 : sketch->width * 4,
        .pixels = pixels,
    };

    memset(pixels, 0, (size_t)count * 4);
    for (unsigned i = 0; i < count; i++) {
        put_pixel(kind, sketch, i, pixels);
    }
    shape.flags.Color = kind == DXGK_POINTER_COLOR;
    shape.flags.Monochrome = kind == DXGK_POINTER_MONOCHROME;
    shape.flags.MaskedColor = kind == DXGK_POINTER_MASKED_COLOR;
    return dxgk_pointer_give(source, &shape);
}

bool dxgk_pointer_set(const struct dxgk_source *source, LONG x, LONG y, bool visible)
{
    struct dxgk_adapter *adapter = source->adapter;
    const DXGKARG_SETPOINTERPOSITION position = {
        .VidPnSourceId = source->index, .X = x, .Y = y, .Flags.Visible = visible};

    return NT_SUCCESS(
        ddi_set_pointer_position(&adapter->ddi, adapter->ddi.miniport_context, &position, 0));
}
