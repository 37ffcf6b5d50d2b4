/* Pictures in the CPU's memory; see picture.h. */
#include "picture.h"

#include <stdlib.h>
#include <string.h>

#include <pixman.h>

/* Some pixels at once: what every processor has a register for. Of longer ones the compiler keeps
 * the parts in memory. */
typedef uint32_t pixels __attribute__((vector_size(16), aligned(4), may_alias));

#define PIXELS ((unsigned)(sizeof(pixels) / sizeof(uint32_t)))

struct box box_intersect(struct box a, struct box b)
{
    return (struct box){
        .left = a.left > b.left ? a.left : b.left,
        .top = a.top > b.top ? a.top : b.top,
        .right = a.right < b.right ? a.right : b.right,
        .bottom = a.bottom < b.bottom ? a.bottom : b.bottom,
    };
}

bool picture_create(unsigned width, unsigned height, struct picture *out)
{
    *out = (struct picture){width, height, calloc((size_t)width * height, sizeof(uint32_t))};
    return out->pixels != NULL;
}

void picture_destroy(struct picture *picture)
{
    free(picture->pixels);
    picture->pixels = NULL;
}

static pixman_image_t *image_of(const struct picture *picture)
{
    pixman_image_t *image =
        pixman_image_create_bits(PIXMAN_x8r8g8b8, (int)picture->width, (int)picture->height,
                                 picture->pixels, (int)(picture->width * sizeof(uint32_t)));

    if (!image) {
        abort(); /* no memory for a hundred bytes */
    }
    return image;
}

void picture_fill(struct picture *to, struct box box, uint32_t colour)
{
    const pixman_color_t wide = {
        .red = (uint16_t)((colour >> 16 & 0xFF) * 0x101),
        .green = (uint16_t)((colour >> 8 & 0xFF) * 0x101),
        .blue = (uint16_t)((colour & 0xFF) * 0x101),
        .alpha = 0xFFFF,
    };
    struct box inside = box_intersect(box, picture_box(to));

    if (!box_is_empty(inside)) {
        const pixman_box32_t area = {inside.left, inside.top, inside.right, inside.bottom};
        pixman_image_t *image = image_of(to);
        pixman_image_fill_boxes(PIXMAN_OP_SRC, image, &wide, 1, &area);
        pixman_image_unref(image);
    }
}

/* Cuts the source box to what both pictures have; false if nothing is left. */
static bool cut(const struct picture *to, int *x, int *y, const struct picture *from,
                struct box *box)
{
    int dx = *x - box->left, dy = *y - box->top;
    struct box target = picture_box(to);

    target = (struct box){target.left - dx, target.top - dy, target.right - dx, target.bottom - dy};
    *box = box_intersect(box_intersect(*box, picture_box(from)), target);
    *x = box->left + dx;
    *y = box->top + dy;
    return !box_is_empty(*box);
}

static void copy_within(struct picture *picture, int x, int y, struct box box)
{
    size_t bytes = (size_t)box_width(box) * sizeof(uint32_t);
    int height = box_height(box);

    for (int i = 0; i < height; i++) {
        int row = y > box.top ? height - 1 - i : i;
        memmove(picture_at(picture, x, y + row), picture_at(picture, box.left, box.top + row),
                bytes);
    }
}

void picture_copy(struct picture *to, int x, int y, const struct picture *from, struct box box)
{
    if (!cut(to, &x, &y, from, &box)) {
        return;
    }
    if (to->pixels == from->pixels) {
        copy_within(to, x, y, box);
        return;
    }
    for (int row = 0; row < box_height(box); row++) {
        memcpy(picture_at(to, x, y + row), picture_at(from, box.left, box.top + row),
               (size_t)box_width(box) * sizeof(uint32_t));
    }
}

/* What every processor has a register for. */
typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));
#define FOUR (sizeof(four) / sizeof(uint32_t))

static uint32_t blended(uint32_t pixel, uint32_t beneath)
{
    uint32_t through = 255 - (pixel >> 24), sum = 0;

    if (through == 0) {
        return pixel & 0xFFFFFF;
    }
    for (unsigned shift = 0; shift < 24; shift += 8) {
        sum |= ((pixel >> shift & 0xFF) + ((beneath >> shift & 0xFF) * through + 127) / 255)
               << shift;
    }
    return sum;
}

static void copy_colours(uint32_t *to, const uint32_t *from, size_t count)
{
    size_t i = 0;

    for (; i + FOUR <= count; i += FOUR) {
        *(four *)(void *)(to + i) = *(const four *)(const void *)(from + i) & 0xFFFFFF;
    }
    for (; i < count; i++) {
        to[i] = from[i] & 0xFFFFFF;
    }
}

void picture_put_line(struct picture *to, const int line[4], const uint32_t *from, int count,
                      bool blends)
{
    ptrdiff_t step = line[3] * (ptrdiff_t)to->width + line[2];

    if (count <= 0) {
        return;
    }
    uint32_t *at = picture_at(to, line[0], line[1]);
    if (step == 1 && !blends) {
        copy_colours(at, from, (size_t)count);
        return;
    }
    for (int i = 0; i < count; i++, at += step) {
        *at = (blends ? blended(from[i], *at) : from[i]) & 0xFFFFFF;
    }
}

bool picture_is_near(uint32_t a, uint32_t b, int steps)
{
    bool near = true;

    for (unsigned shift = 0; shift < 24; shift += 8) {
        int off = (int)(a >> shift & 0xFF) - (int)(b >> shift & 0xFF);
        near &= off <= steps && off >= -steps;
    }
    return near;
}

bool picture_colours_differ(const uint32_t *a, const uint32_t *b, int begin, int end)
{
    four others = {0};
    uint32_t other = 0;
    int i = begin;

    for (; i + (int)FOUR <= end; i += (int)FOUR) {
        others |= *(const four *)(const void *)(a + i) ^ *(const four *)(const void *)(b + i);
    }
    for (; i < end; i++) {
        other |= a[i] ^ b[i];
    }
    return ((other | others[0] | others[1] | others[2] | others[3]) & 0xFFFFFF) != 0;
}

static void copy_row_keyed(uint32_t *to, const uint32_t *from, unsigned width, uint32_t key)
{
    unsigned x = 0;

    for (; x + PIXELS <= width; x += PIXELS) {
        const pixels source = *(const pixels *)(const void *)(from + x);
        pixels *target = (void *)(to + x);
        const pixels kept = (pixels)((source & 0xFFFFFF) != key);
        *target = (kept & (source | 0xFF000000)) | (~kept & *target);
    }
    for (; x < width; x++) {
        if ((from[x] & 0xFFFFFF) != key) {
            to[x] = from[x] | 0xFF000000;
        }
    }
}

void picture_copy_keyed(struct picture *to, int x, int y, const struct picture *from,
                        struct box box, uint32_t key)
{
    if (!cut(to, &x, &y, from, &box)) {
        return;
    }
    for (int row = 0; row < box_height(box); row++) {
        copy_row_keyed(picture_at(to, x, y + row), picture_at(from, box.left, box.top + row),
                       (unsigned)box_width(box), key & 0xFFFFFF);
    }
}

void picture_enlarge(struct picture *to, int x, int y, const struct picture *from, struct box box,
                     unsigned factor)
{
    pixman_image_t *source = image_of(from), *target = image_of(to);
    pixman_transform_t transform;

    pixman_transform_init_scale(&transform, pixman_fixed_1 / (int)factor,
                                pixman_fixed_1 / (int)factor);
    pixman_image_set_transform(source, &transform);
    pixman_image_set_filter(source, PIXMAN_FILTER_NEAREST, NULL, 0);
    pixman_image_composite32(PIXMAN_OP_SRC, source, NULL, target, box.left * (int)factor,
                             box.top * (int)factor, 0, 0, x, y, box_width(box) * (int)factor,
                             box_height(box) * (int)factor);
    pixman_image_unref(source);
    pixman_image_unref(target);
}

void picture_over(struct picture *to, int x, int y, const struct picture *from, unsigned opacity)
{
    const pixman_color_t solid = {.alpha = (uint16_t)(opacity * 0x101)};
    pixman_image_t *mask = pixman_image_create_solid_fill(&solid), *target = image_of(to);
    pixman_image_t *source =
        pixman_image_create_bits(PIXMAN_a8r8g8b8, (int)from->width, (int)from->height, from->pixels,
                                 (int)(from->width * sizeof(uint32_t)));

    if (!mask || !source) {
        abort();
    }
    pixman_image_composite32(PIXMAN_OP_OVER, source, opacity == 255 ? NULL : mask, target, 0, 0, 0,
                             0, x, y, (int)from->width, (int)from->height);
    pixman_image_unref(mask);
    pixman_image_unref(source);
    pixman_image_unref(target);
}

static const pixels *pixels_at(const uint32_t *place)
{
    return (const void *)place;
}

/* Bits in which some pixels of two rows differ. */
static uint32_t row_difference(const uint32_t *mine, const uint32_t *theirs, unsigned width)
{
    pixels even = {0}, odd = {0};
    unsigned x = 0;

    for (; x + 2 * PIXELS <= width; x += 2 * PIXELS) {
        even |= *pixels_at(mine + x) ^ *pixels_at(theirs + x);
        odd |= *pixels_at(mine + x + PIXELS) ^ *pixels_at(theirs + x + PIXELS);
    }
    even |= odd;
    uint32_t any = even[0] | even[1] | even[2] | even[3];
    for (; x < width; x++) {
        any |= mine[x] ^ theirs[x];
    }
    return any;
}

uint64_t picture_compare(const struct picture *picture, const void *other, size_t stride_bytes,
                         struct box *first)
{
    uint64_t wrong = 0;

    for (unsigned y = 0; y < picture->height; y++) {
        const uint32_t *mine = picture_at(picture, 0, (int)y);
        const uint32_t *theirs = (const void *)((const char *)other + y * stride_bytes);
        /* Most rows are the same in every bit. */
        if (memcmp(mine, theirs, picture->width * sizeof(*mine)) == 0 ||
            !(row_difference(mine, theirs, picture->width) & 0xFFFFFF)) {
            continue;
        }
        for (unsigned x = 0; x < picture->width; x++) {
            if ((mine[x] ^ theirs[x]) & 0xFFFFFF) {
                if (wrong++ == 0) {
                    *first = box_at((int)x, (int)y, 1, 1);
                }
            }
        }
    }
    return wrong;
}
