/* Pictures that a path scales to another size: what the monitor shows of them cannot be told to the
 * pixel, for no page names a filter or says how it rounds.
 *
 *   STRETCHED              all of the target's mode
 *   ASPECTRATIOCENTEREDMAX the largest part of its shape, in the middle; what is around is the
 *                          driver's
 *   CUSTOM                 only who asks knows where; else it is not dark, if the picture is not
 *
 * A pixel has to lie between the least and the greatest of the expected ones around its place, with
 * room for filters that overshoot: where these are of one colour, it is that colour. The edges of
 * the picture are left out: where it ends is rounded, too. */
#include <stdlib.h>
#include <string.h>

#include "dxgk/internal.h"

#define CHANNELS    4u /* the fourth is no colour: anything may be there */
#define COLOUR_MASK 0xFFFFFFu
#define REACH       4u /* source pixels of a filter to either side; more where it shrinks */
#define TOLERANCE   2  /* of a channel */
#define EDGE        1u /* target pixels at an edge of the picture: filters fade there */
#define FIT_EDGE    2u /* at one that the shape gives: the size in pixels is rounded either way */

/* The least and the greatest of each channel, of each pixel with so many to the right and below;
 * then what may be seen there. */
struct bounds {
    unsigned width, height;
    unsigned reach_x, reach_y; /* half of that */
    uint8_t *least, *greatest;
};

static void fit_shape(const struct dxgk_source *source, struct dxgk_fit *fit)
{
    uint64_t width = source->target_width, height = source->target_lines;
    uint64_t from_width = source->mode.width, from_height = source->mode.height;

    if (from_width * height > from_height * width) {
        fit->height = (unsigned)((width * from_height + from_width / 2) / from_width);
        fit->edge_y = FIT_EDGE;
    } else {
        fit->width = (unsigned)((height * from_width + from_height / 2) / from_height);
        fit->edge_x = FIT_EDGE;
    }
}

bool dxgk_screen_fit(const struct dxgk_source *source, struct dxgk_fit *out)
{
    *out = (struct dxgk_fit){0, 0, source->target_width, source->target_lines, EDGE, EDGE};
    switch (source->mode.scaling) {
    case D3DKMDT_VPPS_STRETCHED:
        return true;
    case D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX:
        fit_shape(source, out);
        break;
    case D3DKMDT_VPPS_CUSTOM:
        return false;
    default:
        if (source->mode.width > out->width || source->mode.height > out->height) {
            return false;
        }
        out->width = source->mode.width;
        out->height = source->mode.height;
        break;
    }
    out->left = (source->target_width - out->width) / 2;
    out->top = (source->target_lines - out->height) / 2;
    return true;
}

/* False: it does not lie in the target's mode. */
static bool fit_of(const struct dxgk_source *source, const RECT *window, struct dxgk_fit *out)
{
    if (!window) {
        return dxgk_screen_fit(source, out);
    }
    if (window->left < 0 || window->top < 0 || window->left >= window->right ||
        window->top >= window->bottom || window->right > (LONG)source->target_width ||
        window->bottom > (LONG)source->target_lines) {
        return false;
    }
    *out = (struct dxgk_fit){(unsigned)window->left,
                             (unsigned)window->top,
                             (unsigned)(window->right - window->left),
                             (unsigned)(window->bottom - window->top),
                             EDGE,
                             EDGE};
    return true;
}

static unsigned reach_of(unsigned from, unsigned to)
{
    unsigned shrink = to > 0 && from > to ? (from + to - 1) / to : 1;

    return (REACH + 1) * shrink + 1; /* the part may begin a pixel before or behind */
}

/* ---- Bounds -------------------------------------------------------------------------------- */

/* What every processor has a register for. What is read further on was not written yet. */
typedef uint8_t block __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint32_t wide __attribute__((vector_size(16)));

static block *block_at(uint8_t *bytes)
{
    return (void *)bytes;
}

static void narrow_to_least(uint8_t *bytes, size_t count, size_t shift)
{
    size_t i = 0;

    for (; i + shift + sizeof(block) <= count; i += sizeof(block)) {
        const block here = *block_at(bytes + i), there = *block_at(bytes + i + shift);
        const block is_less = (block)(there < here);
        *block_at(bytes + i) = (there & is_less) | (here & ~is_less);
    }
    for (; i + shift < count; i++) {
        bytes[i] = bytes[i + shift] < bytes[i] ? bytes[i + shift] : bytes[i];
    }
}

static void narrow_to_greatest(uint8_t *bytes, size_t count, size_t shift)
{
    size_t i = 0;

    for (; i + shift + sizeof(block) <= count; i += sizeof(block)) {
        const block here = *block_at(bytes + i), there = *block_at(bytes + i + shift);
        const block is_more = (block)(there > here);
        *block_at(bytes + i) = (there & is_more) | (here & ~is_more);
    }
    for (; i + shift < count; i++) {
        bytes[i] = bytes[i + shift] > bytes[i] ? bytes[i + shift] : bytes[i];
    }
}

/* Each byte with the next `window` ones that are a stride apart: 2, 4, 8 ... of them, then all.
 * Five parameters: the last tells whether for the least or the greatest. */
static void spread(uint8_t *bytes, size_t count, size_t stride, unsigned window,
                   void (*narrow)(uint8_t *, size_t, size_t))
{
    unsigned done = 1;

    for (; done * 2 <= window; done *= 2) {
        narrow(bytes, count, done * stride);
    }
    narrow(bytes, count, (window - done) * stride);
}

static void spread_both_ways(const struct bounds *bounds, uint8_t *bytes,
                             void (*narrow)(uint8_t *, size_t, size_t))
{
    size_t row = (size_t)bounds->width * CHANNELS;

    for (unsigned y = 0; y < bounds->height; y++) {
        spread(bytes + y * row, row, CHANNELS, 2 * bounds->reach_x + 1, narrow);
    }
    spread(bytes, row * bounds->height, row, 2 * bounds->reach_y + 1, narrow);
}

static void take_pixels(const struct bounds *bounds, const uint32_t *pixels)
{
    size_t count = (size_t)bounds->width * bounds->height;

    memcpy(bounds->least, pixels, count * CHANNELS);
    memcpy(bounds->greatest, pixels, count * CHANNELS);
}

/* Filters that sharpen go beyond either by half of what lies between. Memory reaches to the end of
 * the last block. */
static void give_room(const struct bounds *bounds)
{
    size_t size = (size_t)bounds->width * bounds->height * CHANNELS;
    const block colours = (block)(wide){COLOUR_MASK, COLOUR_MASK, COLOUR_MASK, COLOUR_MASK};

    for (size_t i = 0; i < size; i += sizeof(block)) {
        const block least = *block_at(bounds->least + i), most = *block_at(bounds->greatest + i);
        const block room = (most - least) / 2 + TOLERANCE;
        *block_at(bounds->least + i) = (least - room) & (block)(least > room) & colours;
        *block_at(bounds->greatest + i) = (most + room) | (block)(most > 255 - room) | ~colours;
    }
}

static bool find_bounds(const struct dxgk_source *source, const uint32_t *pixels,
                        const struct dxgk_fit *fit, struct bounds *out)
{
    size_t size =
        align_up((size_t)source->mode.width * source->mode.height * CHANNELS, sizeof(block));

    *out = (struct bounds){source->mode.width,
                           source->mode.height,
                           reach_of(source->mode.width, fit->width),
                           reach_of(source->mode.height, fit->height),
                           malloc(size),
                           malloc(size)};
    if (!out->least || !out->greatest) {
        return false;
    }
    take_pixels(out, pixels);
    spread_both_ways(out, out->least, narrow_to_least);
    spread_both_ways(out, out->greatest, narrow_to_greatest);
    give_room(out);
    return true;
}

static void let_go(struct bounds *bounds)
{
    free(bounds->least);
    free(bounds->greatest);
}

/* ---- Comparing ----------------------------------------------------------------------------- */

/* The pixel of the picture in which the middle of a pixel of the target lies. */
static unsigned middle_of(unsigned at, unsigned from, unsigned to)
{
    return (unsigned)((2 * (uint64_t)at + 1) * from / (2 * to));
}

/* A row of the picture as it is seen: of each pixel the source's column, what may be seen, and
 * which row of the bounds that is of. */
struct expected_row {
    unsigned *middles;
    uint32_t *least, *greatest;
    size_t first;
};

static bool can_be(uint32_t seen, uint32_t least, uint32_t greatest)
{
    for (unsigned shift = 0; shift < 32; shift += 8) {
        if ((seen >> shift & 0xFF) < (least >> shift & 0xFF) ||
            (seen >> shift & 0xFF) > (greatest >> shift & 0xFF)) {
            return false;
        }
    }
    return true;
}

static bool all_can_be(const struct expected_row *row, const uint32_t *seen, unsigned begin,
                       unsigned end)
{
    const unsigned step = sizeof(block) / sizeof(*seen);
    block others = {0};
    unsigned x = begin;

    for (; x + step <= end; x += step) {
        const block here = *(const block *)(const void *)(seen + x);
        others |= (block)(here < *block_at((uint8_t *)(row->least + x)));
        others |= (block)(here > *block_at((uint8_t *)(row->greatest + x)));
    }
    const wide any = (wide)others;
    bool all = (any[0] | any[1] | any[2] | any[3]) == 0;

    for (; all && x < end; x++) {
        all = can_be(seen[x], row->least[x], row->greatest[x]);
    }
    return all;
}

/* Of each column and row the first pixel around. At the edges more than around the place: that lets
 * more be. */
static unsigned first_around(unsigned middle, unsigned reach)
{
    return middle > reach ? middle - reach : 0;
}

/* Most rows of a picture that is enlarged are seen several times. */
static void expect_row(struct expected_row *row, const struct bounds *bounds, unsigned v,
                       unsigned width)
{
    size_t first = (size_t)first_around(v, bounds->reach_y) * bounds->width;

    if (row->first == first) {
        return;
    }
    row->first = first;
    for (unsigned x = 0; x < width; x++) {
        size_t at = (first + first_around(row->middles[x], bounds->reach_x)) * CHANNELS;
        memcpy(&row->least[x], bounds->least + at, CHANNELS);
        memcpy(&row->greatest[x], bounds->greatest + at, CHANNELS);
    }
}

/* Five parameters: all of compare()'s, and where a row has its place. */
static void compare_rows(const struct pci_picture *picture, const struct dxgk_fit *fit,
                         const struct bounds *bounds, struct expected_row *row,
                         struct dxgk_screen_wrong *out)
{
    for (unsigned x = 0; x < fit->width; x++) {
        row->middles[x] = middle_of(x, bounds->width, fit->width);
    }
    unsigned begin = fit->edge_x, end = fit->width > fit->edge_x ? fit->width - fit->edge_x : 0;

    for (unsigned y = fit->edge_y; y + fit->edge_y < fit->height; y++) {
        unsigned v = middle_of(y, bounds->height, fit->height);
        const char *line = (const char *)picture->pixels + (fit->top + y) * picture->stride_bytes;
        const uint32_t *seen = (const uint32_t *)(const void *)line + fit->left;
        expect_row(row, bounds, v, fit->width);
        if (all_can_be(row, seen, begin, end)) {
            continue;
        }
        for (unsigned x = begin; x < end; x++) {
            if (!can_be(seen[x], row->least[x], row->greatest[x]) && out->count++ == 0) {
                *out = (struct dxgk_screen_wrong){
                    .count = 1, .x = row->middles[x], .y = v, .seen = seen[x] & COLOUR_MASK};
            }
        }
    }
}

/* False: no memory. */
static bool compare(const struct pci_picture *picture, const struct dxgk_fit *fit,
                    const struct bounds *bounds, struct dxgk_screen_wrong *out)
{
    size_t size = ((size_t)fit->width + 1) * sizeof(uint32_t);
    struct expected_row row = {malloc(size), malloc(size), malloc(size), SIZE_MAX};
    bool known = row.middles && row.least && row.greatest;

    if (known) {
        compare_rows(picture, fit, bounds, &row, out);
    }
    free(row.middles);
    free(row.least);
    free(row.greatest);
    return known;
}

/* Of a picture that is somewhere on the screen: who sees black sees nothing of it. */
static void compare_anywhere(const struct dxgk_source *source, const uint32_t *expected,
                             struct dxgk_screen_wrong *out)
{
    size_t count = (size_t)source->mode.width * source->mode.height, coloured = 0;

    for (size_t i = 0; i < count; i++) {
        coloured += (expected[i] & COLOUR_MASK) != 0;
    }
    if (coloured > count / 2 && dxgk_target_is_black(source->adapter, source->target)) {
        *out = (struct dxgk_screen_wrong){0, 0, 1, 0};
    }
}

bool dxgk_screen_compare_stretched(const struct dxgk_source *source, const uint32_t *expected,
                                   const RECT *window, struct dxgk_screen_wrong *out)
{
    unsigned output = dxgk_output_of(source->adapter, source->target);
    struct bounds bounds = {0};
    struct pci_picture picture;
    struct dxgk_fit fit;

    *out = (struct dxgk_screen_wrong){0};
    if (!pci_scanout(source->adapter->ddi.slot, output, &picture) ||
        picture.width != source->target_width || picture.height != source->target_lines) {
        return false;
    }
    if (source->mode.scaling == D3DKMDT_VPPS_CUSTOM && !window) {
        compare_anywhere(source, expected, out);
        return true;
    }
    bool known = fit_of(source, window, &fit) && find_bounds(source, expected, &fit, &bounds);
    known = known && compare(&picture, &fit, &bounds, out);
    let_go(&bounds);
    return known;
}

bool dxgk_source_compare(struct dxgk_adapter *adapter, unsigned source,
                         const struct dxgk_expected *expected, struct dxgk_screen_wrong *out)
{
    if (source >= adapter->source_count || !adapter->sources[source].active) {
        return false;
    }
    struct dxgk_source *shown = &adapter->sources[source];
    bool known = expected->window && dxgk_is_stretched(shown->mode.scaling)
                     ? dxgk_screen_compare_stretched(shown, expected->pixels, expected->window, out)
                     : dxgk_screen_compare(shown, expected->pixels, out);
    if (known && out->count == 0 && dxgk_is_scaled(shown->mode.scaling)) {
        dxgk_screen_exam_scaled(shown);
    }
    return known;
}
