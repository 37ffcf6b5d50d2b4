/* What a Present means: see oracle.h. */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RED, GREEN, BLUE, ALPHA, CHANNELS };

/* ---- Formats --------------------------------------------------------------------------------- */

/* Where the channels stand in a pixel's little-endian number; 0 bits: there is none. */
static const struct layout {
    D3DDDIFORMAT format;
    unsigned bytes;
    struct {
        unsigned shift, bits;
    } channels[CHANNELS];
} layouts[] = {
    {D3DDDIFMT_X8R8G8B8, 4, {{16, 8}, {8, 8}, {0, 8}, {0, 0}}},
    {D3DDDIFMT_A8R8G8B8, 4, {{16, 8}, {8, 8}, {0, 8}, {24, 8}}},
    {D3DDDIFMT_X8B8G8R8, 4, {{0, 8}, {8, 8}, {16, 8}, {0, 0}}},
    {D3DDDIFMT_A8B8G8R8, 4, {{0, 8}, {8, 8}, {16, 8}, {24, 8}}},
    {D3DDDIFMT_R5G6B5, 2, {{11, 5}, {5, 6}, {0, 5}, {0, 0}}},
};

static const struct layout *layout_of(D3DDDIFORMAT format)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        if (layouts[i].format == format) {
            return &layouts[i];
        }
    }
    return NULL;
}

bool oracle_knows(D3DDDIFORMAT format)
{
    return layout_of(format) != NULL;
}

unsigned oracle_pixel_bytes(D3DDDIFORMAT format)
{
    return layout_of(format)->bytes;
}

struct pixel {
    unsigned code[CHANNELS];
};

static struct pixel unpack(const struct layout *layout, uint32_t number)
{
    struct pixel pixel = {{0}};

    for (unsigned i = 0; i < CHANNELS; i++) {
        unsigned bits = layout->channels[i].bits;
        pixel.code[i] = number >> layout->channels[i].shift & ((1u << bits) - 1);
    }
    return pixel;
}

static struct pixel pixel_at(const struct oracle_picture *picture, int x, int y)
{
    const struct layout *layout = layout_of(picture->format);
    const uint8_t *place = picture->bytes + (size_t)y * picture->pitch + (size_t)x * layout->bytes;
    uint32_t number = 0;

    for (unsigned i = 0; i < layout->bytes; i++) {
        number |= (uint32_t)place[i] << (8 * i);
    }
    return unpack(layout, number);
}

/* ---- From one format to the other ------------------------------------------------------------ */

struct span {
    unsigned low, high;
};

static struct span order(unsigned a, unsigned b)
{
    return a < b ? (struct span){a, b} : (struct span){b, a};
}

/* A code of so many bits in so many others: the nearest one, or by shifts. */
static struct span convert(unsigned code, unsigned from, unsigned to, bool strict)
{
    unsigned whole = (1u << from) - 1, other = (1u << to) - 1;
    unsigned nearest = (code * other * 2 + whole) / (2 * whole);
    unsigned shifted =
        from >= to ? code >> (from - to) : code << (to - from) | code >> (2 * from - to);

    return strict ? (struct span){shifted, shifted} : order(nearest, shifted);
}

/* Light, in codes of so many bits, as 255ths of sRGB. */
static unsigned curve(unsigned code, unsigned bits)
{
    double light = code / (double)((1u << bits) - 1);
    double shown = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055;

    return (unsigned)(shown * 255 + 0.5);
}

static struct span through_curve(unsigned code, unsigned from, unsigned to, bool strict)
{
    /* Of a narrow code by itself, or as 255ths. */
    struct span wide = convert(code, from, 8, false);
    struct span ends = order(curve(code, from), curve(wide.low, 8));
    struct span other = order(ends.high, curve(wide.high, 8));
    unsigned below = ends.low > 0 ? ends.low - 1 : 0;
    unsigned above = other.high < 255 ? other.high + 1 : 255;

    return (struct span){convert(below, 8, to, strict).low, convert(above, 8, to, strict).high};
}

/* ---- Where a pixel comes from ---------------------------------------------------------------- */

struct judge {
    const struct oracle_present *present;
    const struct oracle_picture *before;
    const struct layout *to, *from;
    uint8_t *listed; /* one for each pixel of the destination */
    bool stretched;
};

static bool is_stretched(const struct oracle_present *present)
{
    return present->from && (box_width(present->from_box) != box_width(present->to_box) ||
                             box_height(present->from_box) != box_height(present->to_box));
}

static int scale(int64_t value, int64_t from, int64_t to, bool up)
{
    return (int)((value * to + (up ? from - 1 : 0)) / from);
}

/* The pixels of the destination that show any of a box of the source. */
static struct box come_to(const struct judge *judge, struct box box)
{
    struct box from = judge->present->from_box, to = judge->present->to_box;

    if (!judge->present->from) {
        return box;
    }
    if (!judge->stretched) {
        int dx = to.left - from.left, dy = to.top - from.top;
        return (struct box){box.left + dx, box.top + dy, box.right + dx, box.bottom + dy};
    }
    box = box_intersect(box, from);
    if (box_is_empty(box)) {
        return (struct box){0};
    }
    return (struct box){
        to.left + scale(box.left - from.left, box_width(from), box_width(to), false),
        to.top + scale(box.top - from.top, box_height(from), box_height(to), false),
        to.left + scale(box.right - from.left, box_width(from), box_width(to), true),
        to.top + scale(box.bottom - from.top, box_height(from), box_height(to), true),
    };
}

/* What may be written at all: inside of both surfaces, and of the target. */
static struct box writable(const struct judge *judge)
{
    const struct oracle_present *present = judge->present;
    struct box whole = {0, 0, (int)judge->before->width, (int)judge->before->height};
    struct box all = box_intersect(present->to_box, whole);

    if (present->from && !judge->stretched) {
        struct box source = {0, 0, (int)present->from->width, (int)present->from->height};
        all = box_intersect(all, come_to(judge, source));
    }
    return all;
}

static void mark(const struct judge *judge, struct box box)
{
    for (int y = box.top; y < box.bottom; y++) {
        for (int x = box.left; x < box.right; x++) {
            judge->listed[(size_t)y * judge->before->width + (size_t)x] = 1;
        }
    }
}

static bool open_judge(struct judge *judge, const struct oracle_present *present,
                       const struct oracle_picture *before)
{
    *judge = (struct judge){
        .present = present,
        .before = before,
        .to = layout_of(before->format),
        .from = layout_of(present->from ? present->from->format : D3DDDIFMT_A8R8G8B8),
        .listed = calloc(before->height, before->width),
        .stretched = is_stretched(present),
    };
    if (!judge->listed) {
        return false;
    }
    struct box all = writable(judge);
    for (unsigned i = 0; i < present->count; i++) {
        mark(judge, box_intersect(come_to(judge, present->boxes[i]), all));
    }
    if (present->count == 0) {
        mark(judge, all);
    }
    return true;
}

/* ---- What a pixel is to be ------------------------------------------------------------------- */

static void expect_exactly(const struct layout *layout, const struct pixel *pixel,
                           struct oracle_range *out)
{
    for (unsigned i = 0; i < CHANNELS; i++) {
        out->counts[i] = layout->channels[i].bits > 0;
        out->low[i] = out->high[i] = pixel->code[i];
    }
}

/* A pixel of the source's format in the destination's. */
static void expect_converted(const struct judge *judge, const struct pixel *pixel,
                             struct oracle_range *out)
{
    const struct oracle_present *present = judge->present;

    for (unsigned i = 0; i < CHANNELS; i++) {
        unsigned from = judge->from->channels[i].bits, to = judge->to->channels[i].bits;
        bool is_alpha = i == ALPHA;
        out->counts[i] =
            to > 0 && from > 0 && (!is_alpha || present->strict || judge->to == judge->from);
        if (out->counts[i]) {
            struct span span = present->linear_to_srgb && !is_alpha
                                   ? through_curve(pixel->code[i], from, to, present->strict)
                                   : convert(pixel->code[i], from, to, present->strict);
            out->low[i] = span.low;
            out->high[i] = span.high;
        }
    }
}

/* Color, which has 8 bits a channel, as the keyed side has it; alpha is no part of a key. */
static bool is_key(const struct judge *judge, const struct layout *layout,
                   const struct pixel *pixel)
{
    const struct pixel color = unpack(layout_of(D3DDDIFMT_A8R8G8B8), judge->present->color);

    for (unsigned i = 0; i < ALPHA; i++) {
        if (convert(color.code[i], 8, layout->channels[i].bits, true).low != pixel->code[i]) {
            return false;
        }
    }
    return true;
}

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* One direction of a stretch. */
struct axis {
    int from, from_size; /* of the source rectangle */
    int size;            /* of the destination rectangle */
    int surface;         /* of the source */
};

static void axes_of(const struct oracle_present *present, struct axis *across, struct axis *down)
{
    *across = (struct axis){present->from_box.left, box_width(present->from_box),
                            box_width(present->to_box), (int)present->from->width};
    *down = (struct axis){present->from_box.top, box_height(present->from_box),
                          box_height(present->to_box), (int)present->from->height};
}

/* The centre of pixel i, in pixels of the source rectangle. */
static double centre(const struct axis *axis, int i)
{
    return (i + 0.5) * axis->from_size / axis->size;
}

static void widen(struct oracle_range *range, const struct oracle_range *by)
{
    for (unsigned i = 0; i < CHANNELS; i++) {
        range->counts[i] = by->counts[i];
        range->low[i] = by->low[i] < range->low[i] ? by->low[i] : range->low[i];
        range->high[i] = by->high[i] > range->high[i] ? by->high[i] : range->high[i];
    }
}

static struct oracle_range nothing(void)
{
    struct oracle_range range = {.low = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}};

    return range;
}

static void allow(const struct judge *judge, unsigned codes, struct oracle_range *range)
{
    for (unsigned i = 0; i < CHANNELS; i++) {
        unsigned top = (1u << judge->to->channels[i].bits) - 1;
        range->low[i] = range->low[i] > codes ? range->low[i] - codes : 0;
        range->high[i] = range->high[i] + codes < top ? range->high[i] + codes : top;
    }
}

/* All that a filter may look at: the pixels around the centre, one further than the rectangle. */
static void expect_any(const struct judge *judge, int x, int y, struct oracle_range *out)
{
    const struct oracle_present *present = judge->present;
    struct axis axes[2];
    struct span window[2];

    axes_of(present, &axes[0], &axes[1]);
    for (unsigned i = 0; i < 2; i++) {
        double ratio = axes[i].from_size / (double)axes[i].size;
        double at = axes[i].from + centre(&axes[i], i ? y : x), reach = (ratio > 1 ? ratio : 1) + 1;
        int first = clamp(axes[i].from - 1, 0, axes[i].surface - 1);
        int last = clamp(axes[i].from + axes[i].from_size, 0, axes[i].surface - 1);
        window[i] = (struct span){(unsigned)clamp((int)floor(at - reach), first, last),
                                  (unsigned)clamp((int)ceil(at + reach), first, last)};
    }
    *out = nothing();
    for (unsigned v = window[1].low; v <= window[1].high; v++) {
        for (unsigned u = window[0].low; u <= window[0].high; u++) {
            struct pixel pixel = pixel_at(present->from, (int)u, (int)v);
            struct oracle_range one = {{0}};
            expect_converted(judge, &pixel, &one);
            widen(out, &one);
        }
    }
    allow(judge, 2, out);
}

/* A device that steps in 65536ths comes out a little before the place, the further the more. */
static double early(const struct axis *axis, int i)
{
    return centre(axis, i) - (i + 1) / 65536.0;
}

static void expect_nearest(const struct judge *judge, int x, int y, struct oracle_range *out)
{
    struct axis across, down;

    axes_of(judge->present, &across, &down);
    *out = nothing();
    for (unsigned i = 0; i < 4; i++) {
        double u = floor(i & 1 ? early(&across, x) : centre(&across, x));
        double v = floor(i & 2 ? early(&down, y) : centre(&down, y));
        struct pixel pixel =
            pixel_at(judge->present->from, across.from + clamp((int)u, 0, across.from_size - 1),
                     down.from + clamp((int)v, 0, down.from_size - 1));
        struct oracle_range one = {{0}};
        expect_converted(judge, &pixel, &one);
        widen(out, &one);
    }
}

/* Four pixels, in codes of 8 bits, by weights of 128ths, cut; the edges are repeated. */
static struct pixel blend(const struct judge *judge, double u, double v)
{
    const struct oracle_present *present = judge->present;
    struct axis across, down;
    struct pixel result = {{0}};

    axes_of(present, &across, &down);
    u -= 0.5;
    v -= 0.5;
    int wx = (int)((u - floor(u)) * 128), wy = (int)((v - floor(v)) * 128);
    for (unsigned i = 0; i < CHANNELS; i++) {
        unsigned bits = judge->from->channels[i].bits;
        int sum = 0;
        for (unsigned corner = 0; corner < 4; corner++) {
            int column = clamp((int)floor(u) + (int)(corner & 1), 0, across.from_size - 1);
            int row = clamp((int)floor(v) + (int)(corner >> 1), 0, down.from_size - 1);
            struct pixel pixel = pixel_at(present->from, across.from + column, down.from + row);
            int code = bits ? (int)convert(pixel.code[i], bits, 8, true).low : 0;
            sum += code * (corner & 1 ? wx : 128 - wx) * (corner >> 1 ? wy : 128 - wy);
        }
        result.code[i] = (unsigned)(sum / (128 * 128));
    }
    return result;
}

static void expect_blended(const struct judge *judge, int x, int y, struct oracle_range *out)
{
    struct judge wide = *judge;
    struct axis across, down;

    /* What was blended has 8 bits, and alpha if the source has. */
    wide.from =
        layout_of(judge->from->channels[ALPHA].bits ? D3DDDIFMT_A8R8G8B8 : D3DDDIFMT_X8R8G8B8);
    axes_of(judge->present, &across, &down);
    *out = nothing();
    for (unsigned i = 0; i < 4; i++) {
        struct pixel pixel = blend(judge, i & 1 ? early(&across, x) : centre(&across, x),
                                   i & 2 ? early(&down, y) : centre(&down, y));
        struct oracle_range one = {{0}};
        expect_converted(&wide, &pixel, &one);
        widen(out, &one);
    }
    allow(judge, 1, out);
}

static void expect_stretched(const struct judge *judge, int x, int y, struct oracle_range *out)
{
    int column = x - judge->present->to_box.left, row = y - judge->present->to_box.top;

    switch (judge->present->filter) {
    case ORACLE_NEAREST:
        expect_nearest(judge, column, row, out);
        break;
    case ORACLE_BILINEAR:
        expect_blended(judge, column, row, out);
        break;
    default:
        expect_any(judge, column, row, out);
        break;
    }
}

static void expect_fill(const struct judge *judge, struct oracle_range *out)
{
    struct pixel color = unpack(judge->from, judge->present->color);

    expect_converted(judge, &color, out);
    out->counts[ALPHA] = out->counts[ALPHA] && judge->present->strict;
}

static enum oracle_part expect(const struct judge *judge, int x, int y, struct oracle_range *out)
{
    const struct oracle_present *present = judge->present;
    struct pixel now = pixel_at(judge->before, x, y);

    *out = (struct oracle_range){{0}};
    expect_exactly(judge->to, &now, out);
    if (!judge->listed[(size_t)y * judge->before->width + (size_t)x]) {
        return ORACLE_OUTSIDE;
    }
    if (present->destination_key && !is_key(judge, judge->to, &now)) {
        return ORACLE_KEYED;
    }
    if (!present->from) {
        expect_fill(judge, out);
        return ORACLE_WRITTEN;
    }
    if (judge->stretched) {
        expect_stretched(judge, x, y, out);
        return ORACLE_WRITTEN;
    }
    struct pixel source = pixel_at(present->from, x - present->to_box.left + present->from_box.left,
                                   y - present->to_box.top + present->from_box.top);
    if (present->source_key && is_key(judge, judge->from, &source)) {
        return ORACLE_KEYED;
    }
    expect_converted(judge, &source, out);
    return ORACLE_WRITTEN;
}

static bool is_right(const struct oracle_range *range, const struct pixel *pixel)
{
    for (unsigned i = 0; i < CHANNELS; i++) {
        if (range->counts[i] &&
            (pixel->code[i] < range->low[i] || pixel->code[i] > range->high[i])) {
            return false;
        }
    }
    return true;
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

static bool is_same(const struct layout *layout, const struct pixel *a, const struct pixel *b)
{
    for (unsigned i = 0; i < CHANNELS; i++) {
        if (layout->channels[i].bits > 0 && a->code[i] != b->code[i]) {
            return false;
        }
    }
    return true;
}

bool oracle_judge(const struct oracle_present *present, const struct oracle_picture *before,
                  const struct oracle_picture *after, struct oracle_verdict *out)
{
    struct judge judge;

    *out = (struct oracle_verdict){0};
    if (!open_judge(&judge, present, before)) {
        return false;
    }
    for (int y = 0; y < (int)before->height; y++) {
        for (int x = 0; x < (int)before->width; x++) {
            struct pixel now = pixel_at(after, x, y);
            struct oracle_range range;
            enum oracle_part part = expect(&judge, x, y, &range);
            out->keyed += part == ORACLE_KEYED;
            if (is_right(&range, &now) || out->wrong++ > 0) {
                continue;
            }
            struct pixel was = pixel_at(before, x, y);
            out->x = x;
            out->y = y;
            out->part = part;
            out->as_before = is_same(judge.to, &was, &now);
            out->expected = range;
            memcpy(out->is, now.code, sizeof out->is);
        }
    }
    free(judge.listed);
    return true;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

#define WRONG_COLOUR 0xFF2020u

static uint32_t colour_of(const struct layout *layout, const unsigned code[CHANNELS])
{
    uint32_t colour = 0;

    for (unsigned i = 0; i < ALPHA; i++) {
        colour = colour << 8 | convert(code[i], layout->channels[i].bits, 8, true).low;
    }
    return colour;
}

bool oracle_paint(const struct oracle_present *present, const struct oracle_picture *before,
                  const struct oracle_picture *after, struct picture out[3])
{
    struct judge judge;

    if (!open_judge(&judge, present, before)) {
        return false;
    }
    for (int y = 0; y < (int)before->height; y++) {
        for (int x = 0; x < (int)before->width; x++) {
            struct pixel now = pixel_at(after, x, y);
            struct oracle_range range;
            expect(&judge, x, y, &range);
            uint32_t expected = colour_of(judge.to, range.low);
            *picture_at(&out[0], x, y) = expected;
            *picture_at(&out[1], x, y) = colour_of(judge.to, now.code);
            *picture_at(&out[2], x, y) =
                is_right(&range, &now) ? expected >> 2 & 0x3F3F3F : WRONG_COLOUR;
        }
    }
    free(judge.listed);
    return true;
}
