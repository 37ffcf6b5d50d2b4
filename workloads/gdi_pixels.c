/* The pixels of GDI's operations; see gdi_pixels.h. */
#include "gdi_pixels.h"

#include <d3dkmddi.h>
#include <math.h>

#define COLOURS     0xFFFFFFu
#define CHANNELS    3u
#define ALPHA_SHIFT 24u
#define BLEND_NEAR  2.0 /* each product may be rounded, and their sum */
#define TEXT_NEAR   1.0
#define CHOICES_MAX 2u
#define PLACES_MAX  (CHOICES_MAX * CHOICES_MAX)
#define FULL        255.0

static unsigned channel(uint32_t pixel, unsigned index)
{
    return (pixel >> (8 * index)) & 0xFF;
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* Where the middle of a pixel falls in the source; on the border of two pixels either is right, for
 * the page has two formulas. */
static unsigned choices(int place, int to_size, int from_size, bool mirrored, int *out)
{
    int64_t wanted = mirrored ? to_size - 1 - place : place;
    int64_t place2 = (2 * wanted + 1) * from_size;
    unsigned count = 0;

    out[count++] = (int)(place2 / (2 * (int64_t)to_size));
    if (place2 % (2 * (int64_t)to_size) == 0 && out[0] > 0) {
        out[count] = out[0] - 1;
        count++;
    }
    return count;
}

static bool is_scaled(const struct drydock_gdi_command *command)
{
    return command->operation == DRYDOCK_GDI_STRETCHBLT ||
           command->operation == DRYDOCK_GDI_TRANSPARENTBLT ||
           command->operation == DRYDOCK_GDI_ALPHABLEND;
}

static uint32_t source_at(const struct gdi_pictures *pictures,
                          const struct drydock_gdi_command *command, int x, int y)
{
    const struct picture *from =
        command->hSource == command->hDestination ? pictures->ground : pictures->source;

    return x < 0 || y < 0 || x >= (int)from->width || y >= (int)from->height
               ? 0
               : *picture_at(from, x, y);
}

/* The source's pixels that one of the destination may be made of. */
static unsigned sources(const struct gdi_pictures *pictures,
                        const struct drydock_gdi_command *command, int x, int y, uint32_t *out)
{
    const RECT *to = &command->to, *from = &command->from;
    int xs[CHOICES_MAX], ys[CHOICES_MAX];
    unsigned count = 0;

    if (command->operation == DRYDOCK_GDI_COLORFILL) {
        out[0] = 0;
        return 1;
    }
    if (command->operation == DRYDOCK_GDI_CLEARTYPEBLEND) {
        out[0] = source_at(pictures, command, x + command->offset_x, y + command->offset_y);
        return 1;
    }
    if (!is_scaled(command)) {
        out[0] = source_at(pictures, command, x - to->left + from->left, y - to->top + from->top);
        return 1;
    }
    unsigned wide = choices(x - to->left, to->right - to->left, from->right - from->left,
                            command->mirror_x, xs);
    unsigned high =
        choices(y - to->top, to->bottom - to->top, from->bottom - from->top, command->mirror_y, ys);
    for (unsigned i = 0; i < wide * high; i++) {
        out[count++] =
            source_at(pictures, command, from->left + xs[i % wide], from->top + ys[i / wide]);
    }
    return count;
}

/* ---- Formulas -------------------------------------------------------------------------------- */

static unsigned code_of(const struct drydock_gdi_command *command)
{
    static const uint8_t of_blt[] = {[DXGK_GDIROP_SRCCOPY] = 0xCC,
                                     [DXGK_GDIROP_SRCINVERT] = 0x66,
                                     [DXGK_GDIROP_SRCAND] = 0x88,
                                     [DXGK_GDIROP_SRCOR] = 0xEE};
    static const uint8_t of_fill[] = {
        [DXGK_GDIROPCF_PATCOPY] = 0xF0, [DXGK_GDIROPCF_PATINVERT] = 0x5A,
        [DXGK_GDIROPCF_PDXN] = 0xA5,    [DXGK_GDIROPCF_DSTINVERT] = 0x55,
        [DXGK_GDIROPCF_PATAND] = 0xA0,  [DXGK_GDIROPCF_PATOR] = 0xFA};

    if (command->operation == DRYDOCK_GDI_BITBLT) {
        return command->rop == DXGK_GDIROP_ROP3 ? command->rop3 : of_blt[command->rop];
    }
    return command->rop == DXGK_GDIROPCF_ROP3 ? command->rop3 : of_fill[command->rop];
}

/* Bit n of the code is the result where pattern, source and destination make n. */
static uint32_t by_code(unsigned code, uint32_t pattern, uint32_t source, uint32_t destination)
{
    uint32_t result = 0;

    for (unsigned i = 0; i < 32; i++) {
        unsigned index = (pattern >> i & 1) << 2 | (source >> i & 1) << 1 | (destination >> i & 1);
        result |= (uint32_t)(code >> index & 1) << i;
    }
    return result;
}

/* What a channel of text becomes, from *least to *most. Between entries of a table all is right
 * that it has beside the place, for it is as steep as it likes. */
struct bounds {
    double least, wanted, most;
};

static struct bounds by_gamma(const uint8_t *gamma, unsigned old, unsigned colour, unsigned share)
{
    const uint8_t *undone = gamma + GDI_TABLE_ROW / 2;
    double from = gamma[old];
    int place = (int)lround(from + (colour - from) * share / FULL);

    return (struct bounds){undone[place > 0 ? place - 1 : 0], undone[place],
                           undone[place < (int)FULL ? place + 1 : (int)FULL]};
}

static struct bounds text_bounds(const struct gdi_pictures *pictures,
                                 const struct drydock_gdi_command *command, uint32_t source,
                                 uint32_t destination, unsigned i)
{
    unsigned old = channel(destination, i), colour = channel(command->color, i);
    bool gamma = command->gamma != DRYDOCK_GDI_NO_GAMMA;
    unsigned share = gamma ? channel(source, i) : channel(source, colour >= old ? 2 : 1);

    if (share == 0 || share == (unsigned)FULL) {
        double exact = share == 0 ? old : channel(command->color2, i);
        return (struct bounds){exact, exact, exact};
    }
    if (gamma) {
        return by_gamma(pictures->table + (size_t)command->gamma * GDI_TABLE_ROW, old, colour,
                        share);
    }
    double wanted = old + ((double)colour - old) * share / FULL;
    return (struct bounds){wanted - TEXT_NEAR, wanted, wanted + TEXT_NEAR};
}

static struct bounds blend_bounds(const struct drydock_gdi_command *command, uint32_t source,
                                  uint32_t destination, unsigned i)
{
    double constant = command->alpha / FULL;
    double alpha = command->has_alpha ? (source >> ALPHA_SHIFT) / FULL * constant : constant;
    double wanted = channel(source, i) * constant + channel(destination, i) * (1 - alpha);

    wanted = wanted > FULL ? FULL : wanted;
    return (struct bounds){wanted - BLEND_NEAR, wanted, wanted + BLEND_NEAR};
}

static bool is_bounded(const struct drydock_gdi_command *command)
{
    return command->operation == DRYDOCK_GDI_CLEARTYPEBLEND ||
           command->operation == DRYDOCK_GDI_ALPHABLEND;
}

static struct bounds bounds_of(const struct gdi_pictures *pictures,
                               const struct drydock_gdi_command *command, uint32_t source,
                               uint32_t destination, unsigned i)
{
    return command->operation == DRYDOCK_GDI_ALPHABLEND
               ? blend_bounds(command, source, destination, i)
               : text_bounds(pictures, command, source, destination, i);
}

static bool is_key(const struct drydock_gdi_command *command, uint32_t source)
{
    uint32_t counts = command->has_alpha ? UINT32_MAX : COLOURS;

    return (source & counts) == (command->color & counts);
}

static uint32_t bit_result(const struct drydock_gdi_command *command, uint32_t source,
                           uint32_t destination)
{
    switch (command->operation) {
    case DRYDOCK_GDI_STRETCHBLT:
        return source;
    case DRYDOCK_GDI_TRANSPARENTBLT:
        return is_key(command, source) ? destination : source;
    default:
        return by_code(code_of(command), command->color, source, destination);
    }
}

/* Alpha counts where a pixel is copied whole, or kept. */
static bool is_right(const struct gdi_pictures *pictures, const struct drydock_gdi_command *command,
                     uint32_t source, uint32_t destination, uint32_t actual)
{
    bool copy = command->operation == DRYDOCK_GDI_BITBLT && command->rop == DXGK_GDIROP_SRCCOPY;
    uint32_t counts = copy ? UINT32_MAX : COLOURS;
    bool right = command->operation != DRYDOCK_GDI_CLEARTYPEBLEND ||
                 actual >> ALPHA_SHIFT == destination >> ALPHA_SHIFT;

    if (!is_bounded(command)) {
        return ((bit_result(command, source, destination) ^ actual) & counts) == 0;
    }
    for (unsigned i = 0; i < CHANNELS && right; i++) {
        struct bounds bounds = bounds_of(pictures, command, source, destination, i);
        right = channel(actual, i) >= bounds.least && channel(actual, i) <= bounds.most;
    }
    return right;
}

/* One of the values that would be right. */
static uint32_t example(const struct gdi_pictures *pictures,
                        const struct drydock_gdi_command *command, uint32_t source,
                        uint32_t destination)
{
    uint32_t result = destination & ~COLOURS;

    if (!is_bounded(command)) {
        return bit_result(command, source, destination);
    }
    for (unsigned i = 0; i < CHANNELS; i++) {
        double wanted = bounds_of(pictures, command, source, destination, i).wanted;
        result |= (uint32_t)lround(wanted) << (8 * i);
    }
    return result;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool is_drawn(const struct drydock_gdi_command *command, const RECT *rects, int x, int y)
{
    const RECT *all = command->rect_count ? rects : &command->to;
    unsigned count = command->rect_count ? command->rect_count : 1;
    bool drawn = false;

    for (unsigned i = 0; i < count && !drawn; i++) {
        drawn = x >= all[i].left && x < all[i].right && y >= all[i].top && y < all[i].bottom;
    }
    return drawn && x >= command->to.left && x < command->to.right && y >= command->to.top &&
           y < command->to.bottom;
}

uint64_t gdi_pixels_wrong(const struct gdi_pictures *pictures,
                          const struct drydock_gdi_command *command, const RECT *rects,
                          const uint32_t *result, struct box *first, uint32_t *expected)
{
    const struct picture *ground = pictures->ground;
    uint64_t wrong = 0;

    for (size_t i = 0; i < (size_t)ground->width * ground->height; i++) {
        int x = (int)(i % ground->width), y = (int)(i / ground->width);
        uint32_t before = ground->pixels[i], places[PLACES_MAX] = {0};
        bool drawn = is_drawn(command, rects, x, y);
        unsigned count = drawn ? sources(pictures, command, x, y, places) : 0;
        bool right = !drawn && result[i] == before;
        for (unsigned k = 0; k < count && !right; k++) {
            right = is_right(pictures, command, places[k], before, result[i]);
        }
        if (!right && wrong++ == 0) {
            *first = box_at(x, y, 1, 1);
            *expected = drawn ? example(pictures, command, places[0], before) : before;
        }
    }
    return wrong;
}
