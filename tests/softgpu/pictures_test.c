/* pictures_test.c: commands that draw, against pixman and plain references.
 *
 * Each is done with surfaces in video memory and in scattered pages. */
#include "scatter.h"

#include <pixman.h>
#include <stdlib.h>

#define WIDTH         640u
#define HEIGHT        480u
#define PITCH         (WIDTH * 4 + 64)
#define PICTURE_PAGES ((PITCH * HEIGHT + 4095) / 4096)

struct pictures {
    uint64_t to, from; /* GPU addresses */
    bool to_scattered, from_scattered;
    uint8_t *before, *source, *expected, *seen;
};

static void pictures_make(struct mock *mock, struct pictures *pictures, unsigned variant)
{
    size_t size = PICTURE_PAGES * 4096ull;
    pictures->before = malloc(size);
    pictures->source = malloc(size);
    pictures->expected = malloc(size);
    pictures->seen = malloc(size);
    pictures->to_scattered = variant & 1;
    pictures->from_scattered = variant & 2;
    pictures->to = pictures->to_scattered ? SOFTGPU_APERTURE_BASE : 0;
    pictures->from =
        pictures->from_scattered ? SOFTGPU_APERTURE_BASE + PICTURE_PAGES * 4096ull : 0x400000;
    scatter_randomise(pictures->before, size, variant + 1);
    scatter_randomise(pictures->source, size, variant + 100);
    scatter_map(mock, 0, 0, PICTURE_PAGES);
    scatter_map(mock, PICTURE_PAGES, 500, PICTURE_PAGES);
    scatter_write(mock, 0, pictures->before, PICTURE_PAGES);
    scatter_write(mock, 500, pictures->source, PICTURE_PAGES);
    memcpy(mock->vram, pictures->before, size);
    memcpy(mock->vram + 0x400000, pictures->source, size);
    memcpy(pictures->expected, pictures->before, size);
}

static void pictures_check(struct mock *mock, struct pictures *pictures)
{
    size_t size = PICTURE_PAGES * 4096ull;
    mock_execute(mock, SOFTGPU_ENGINE_3D, 0);
    if (pictures->to_scattered)
        scatter_read(mock, 0, pictures->seen, PICTURE_PAGES);
    else
        memcpy(pictures->seen, mock->vram, size);
    for (size_t i = 0; i < size; i++)
        if (pictures->seen[i] != pictures->expected[i])
            fail_msg("x %zu y %zu byte %zu: %02x, not %02x", i % PITCH / 4, i / PITCH, i % 4,
                     pictures->seen[i], pictures->expected[i]);
    free(pictures->before);
    free(pictures->source);
    free(pictures->expected);
    free(pictures->seen);
}

static uint32_t get(const uint8_t *picture, uint32_t x, uint32_t y)
{
    uint32_t value;
    memcpy(&value, picture + (size_t)y * PITCH + (size_t)x * 4, 4);
    return value;
}

static void set(uint8_t *picture, uint32_t x, uint32_t y, uint32_t value)
{
    memcpy(picture + (size_t)y * PITCH + (size_t)x * 4, &value, 4);
}

static struct softgpu_surface surface32(uint64_t address, uint32_t format)
{
    return gpu_surface(address, PITCH, format, WIDTH, HEIGHT);
}

static void fill_rect_fills_the_rectangle(void **state)
{
    for (unsigned variant = 0; variant < 2; variant++) {
        struct pictures pictures;
        pictures_make(*state, &pictures, variant);
        struct softgpu_command_fill_rect fill = {
            HEADER(SOFTGPU_OP_FILL_RECT, fill),
            0x00123456,
            surface32(pictures.to, SOFTGPU_FORMAT_BGRX8),
            {3, 5, 600, 470},
        };
        mock_command(*state, &fill, sizeof(fill));
        for (uint32_t y = 5; y < 470; y++)
            for (uint32_t x = 3; x < 600; x++)
                set(pictures.expected, x, y, 0xFF123456);
        pictures_check(*state, &pictures);
    }
}

static uint32_t blt_reference(const struct softgpu_command_blt *blt, uint32_t source,
                              uint32_t destination)
{
    uint32_t from_format = blt->source.format, to_format = blt->destination.format;
    if ((blt->flags & SOFTGPU_BLT_SOURCE_KEY) && (source & 0xFFFFFF) == blt->key)
        return destination;
    if ((blt->flags & SOFTGPU_BLT_DESTINATION_KEY) && (destination & 0xFFFFFF) != blt->key)
        return destination;
    if (from_format == to_format)
        return source;
    if (from_format == SOFTGPU_FORMAT_RGBA8 || to_format == SOFTGPU_FORMAT_RGBA8)
        source = (source & 0xFF00FF00) | (source & 0xFF) << 16 | (source >> 16 & 0xFF);
    if (from_format == SOFTGPU_FORMAT_BGRX8 || to_format == SOFTGPU_FORMAT_BGRX8)
        source |= 0xFF000000;
    return source;
}

static void blt_copies_converts_and_keys(void **state)
{
    static const struct {
        uint32_t flags, to_format, from_format;
    } table[] = {
        {0, SOFTGPU_FORMAT_BGRX8, SOFTGPU_FORMAT_BGRX8},
        {0, SOFTGPU_FORMAT_BGRX8, SOFTGPU_FORMAT_BGRA8},
        {0, SOFTGPU_FORMAT_RGBA8, SOFTGPU_FORMAT_BGRX8},
        {SOFTGPU_BLT_SOURCE_KEY, SOFTGPU_FORMAT_BGRA8, SOFTGPU_FORMAT_BGRA8},
        {SOFTGPU_BLT_SOURCE_KEY, SOFTGPU_FORMAT_BGRX8, SOFTGPU_FORMAT_BGRA8},
        {SOFTGPU_BLT_DESTINATION_KEY, SOFTGPU_FORMAT_BGRX8, SOFTGPU_FORMAT_BGRX8},
    };
    for (unsigned i = 0; i < 4 * sizeof(table) / sizeof(table[0]); i++) {
        struct pictures pictures;
        pictures_make(*state, &pictures, i % 4);
        struct softgpu_command_blt blt = {
            HEADER(SOFTGPU_OP_BLT, blt),
            table[i / 4].flags,
            0x030201,
            surface32(pictures.to, table[i / 4].to_format),
            surface32(pictures.from, table[i / 4].from_format),
            17,
            1,
            {2, 9, 603, 480},
        };
        struct mock *mock = *state;
        for (uint32_t k = 0; k < 300; k++) { /* some pixels have the key */
            set(pictures.expected, k * 2, k, 0x77030201);
            set(pictures.source, k, k, 0x99030201);
        }
        size_t size = PICTURE_PAGES * 4096ull;
        scatter_write(mock, 0, pictures.expected, PICTURE_PAGES);
        scatter_write(mock, 500, pictures.source, PICTURE_PAGES);
        memcpy(mock->vram, pictures.expected, size);
        memcpy(mock->vram + 0x400000, pictures.source, size);
        mock_command(mock, &blt, sizeof(blt));
        for (uint32_t y = 0; y < 471; y++)
            for (uint32_t x = 0; x < 601; x++)
                set(pictures.expected, x + 17, y + 1,
                    blt_reference(&blt, get(pictures.source, x + 2, y + 9),
                                  get(pictures.expected, x + 17, y + 1)));
        pictures_check(mock, &pictures);
    }
}

static void blt_within_a_surface_may_overlap(void **state)
{
    static const int moves[][2] = {{1, 0},  {0, 1},  {-1, 0}, {0, -1},
                                   {7, -3}, {-7, 3}, {5, 5},  {-5, -5}};
    for (unsigned i = 0; i < 16; i++) {
        int dx = moves[i / 2][0], dy = moves[i / 2][1];
        struct pictures pictures;
        pictures_make(*state, &pictures, i % 2);
        struct softgpu_command_blt blt = {
            .header = HEADER(SOFTGPU_OP_BLT, blt),
            .destination = surface32(pictures.to, SOFTGPU_FORMAT_BGRA8),
            .source = surface32(pictures.to, SOFTGPU_FORMAT_BGRA8),
            .x = 10 + dx,
            .y = 10 + dy,
            .source_rect = {10, 10, 630, 470},
        };
        mock_command(*state, &blt, sizeof(blt));
        for (uint32_t y = 10; y < 470; y++)
            for (uint32_t x = 10; x < 630; x++)
                set(pictures.expected, x + (uint32_t)dx, y + (uint32_t)dy,
                    get(pictures.before, x, y));
        pictures_check(*state, &pictures);
    }
}

/* A row is read before it is written, though no address tells that both are one memory. */
static void blt_between_addresses_of_one_memory_may_overlap(void **state)
{
    struct mock *mock = *state;
    for (int dx = -7; dx <= 7; dx += 14) {
        struct pictures pictures;
        pictures_make(mock, &pictures, 3);
        scatter_map(mock, PICTURE_PAGES, 0, PICTURE_PAGES);
        struct softgpu_command_blt blt = {
            .header = HEADER(SOFTGPU_OP_BLT, blt),
            .destination = surface32(pictures.to, SOFTGPU_FORMAT_BGRA8),
            .source = surface32(pictures.from, SOFTGPU_FORMAT_BGRA8),
            .x = 10 + dx,
            .y = 10,
            .source_rect = {10, 10, 630, 470},
        };
        mock_command(mock, &blt, sizeof(blt));
        for (uint32_t y = 10; y < 470; y++)
            for (uint32_t x = 10; x < 630; x++)
                set(pictures.expected, x + (uint32_t)dx, y, get(pictures.before, x, y));
        pictures_check(mock, &pictures);
    }
}

static void blt_converts_565_as_pixman_does(void **state)
{
    struct mock *mock = *state;
    scatter_randomise(mock->vram, 64 * 64 * 4, 5);
    uint32_t *expected = calloc(64 * 64, 4);
    struct softgpu_command_blt blt = {
        .header = HEADER(SOFTGPU_OP_BLT, blt),
        .destination = gpu_surface(0x100000, 64 * 2, SOFTGPU_FORMAT_RGB565, 64, 64),
        .source = gpu_surface(0, 64 * 4, SOFTGPU_FORMAT_BGRX8, 64, 64),
        .source_rect = {0, 0, 64, 64},
    };
    mock_command(mock, &blt, sizeof(blt));
    blt.source = blt.destination;
    blt.destination = gpu_surface(0x200000, 64 * 4, SOFTGPU_FORMAT_BGRA8, 64, 64);
    mock_command(mock, &blt, sizeof(blt));
    mock_execute(mock, 0, 0);

    pixman_image_t *source =
        pixman_image_create_bits(PIXMAN_x8r8g8b8, 64, 64, (void *)mock->vram, 256);
    pixman_image_t *narrow = pixman_image_create_bits(PIXMAN_r5g6b5, 64, 64, NULL, 128);
    pixman_image_t *wide = pixman_image_create_bits(PIXMAN_a8r8g8b8, 64, 64, expected, 256);
    pixman_image_composite32(PIXMAN_OP_SRC, source, NULL, narrow, 0, 0, 0, 0, 0, 0, 64, 64);
    pixman_image_composite32(PIXMAN_OP_SRC, narrow, NULL, wide, 0, 0, 0, 0, 0, 0, 64, 64);
    assert_memory_equal(mock->vram + 0x100000, pixman_image_get_data(narrow), 64 * 64 * 2);
    assert_memory_equal(mock->vram + 0x200000, expected, 64 * 64 * 4);
    pixman_image_unref(source);
    pixman_image_unref(narrow);
    pixman_image_unref(wide);
    free(expected);
}

static pixman_image_t *image_of(uint8_t *picture, pixman_format_code_t format)
{
    return pixman_image_create_bits(format, WIDTH, HEIGHT, (void *)picture, PITCH);
}

static void over_is_pixman_over(void **state)
{
    static const uint32_t opacities[] = {255, 200, 0};
    for (unsigned i = 0; i < 12; i++) {
        struct pictures pictures;
        pictures_make(*state, &pictures, i % 4);
        uint32_t opacity = opacities[i / 4];
        struct softgpu_command_over over = {
            .header = HEADER(SOFTGPU_OP_OVER, over),
            .opacity = opacity,
            .destination = surface32(pictures.to, SOFTGPU_FORMAT_BGRA8),
            .source = surface32(pictures.from, SOFTGPU_FORMAT_BGRA8),
            .x = 7,
            .y = 3,
            .source_rect = {11, 13, 611, 413},
        };
        mock_command(*state, &over, sizeof(over));
        pixman_color_t colour = {.alpha = (uint16_t)(opacity * 257)};
        pixman_image_t *mask = pixman_image_create_solid_fill(&colour);
        pixman_image_t *from = image_of(pictures.source, PIXMAN_a8r8g8b8);
        pixman_image_t *to = image_of(pictures.expected, PIXMAN_a8r8g8b8);
        pixman_image_composite32(PIXMAN_OP_OVER, from, mask, to, 11, 13, 0, 0, 7, 3, 600, 400);
        pixman_image_unref(mask);
        pixman_image_unref(from);
        pixman_image_unref(to);
        pictures_check(*state, &pictures);
    }
}

struct stretch_case {
    struct softgpu_rect source, destination, clip;
    uint32_t flags;
};

static void stretch_is_pixman_scaling(void **state)
{
    static const struct stretch_case table[] = {
        {{0, 0, 640, 480}, {0, 0, 640, 480}, {0, 0, 640, 480}, 0},
        {{10, 20, 110, 90}, {5, 6, 205, 146}, {0, 0, 640, 480}, 0},
        {{10, 20, 310, 290}, {5, 6, 215, 195}, {0, 0, 640, 480}, 0},
        {{3, 4, 50, 60}, {-100, -50, 700, 600}, {33, 44, 555, 666}, 0},
        {{0, 0, 1, 1}, {0, 0, 640, 480}, {10, 10, 20, 20}, 0},
        {{0, 0, 640, 480}, {0, 0, 1, 1}, {0, 0, 640, 480}, 0},
        {{10, 20, 110, 90}, {5, 6, 205, 146}, {0, 0, 640, 480}, 1},
        {{10, 20, 310, 290}, {5, 6, 215, 195}, {0, 0, 640, 480}, 1},
        {{3, 4, 50, 60}, {-100, -50, 700, 600}, {33, 44, 555, 666}, 1},
        {{0, 0, 640, 480}, {0, 0, 333, 77}, {0, 0, 640, 480}, 1},
        {{0, 0, 2, 2}, {0, 0, 640, 480}, {0, 0, 640, 480}, 1},
    };
    for (unsigned i = 0; i < 4 * sizeof(table) / sizeof(table[0]); i++) {
        const struct stretch_case *row = &table[i / 4];
        const struct softgpu_rect *s = &row->source, *d = &row->destination, *c = &row->clip;
        struct pictures pictures;
        pictures_make(*state, &pictures, i % 4);
        struct softgpu_command_stretch stretch = {
            HEADER(SOFTGPU_OP_STRETCH, stretch),
            row->flags,
            surface32(pictures.to, SOFTGPU_FORMAT_BGRA8),
            surface32(pictures.from, SOFTGPU_FORMAT_BGRA8),
            *d,
            *s,
            *c,
        };
        mock_command(*state, &stretch, sizeof(stretch));
        pixman_image_t *from = pixman_image_create_bits(
            PIXMAN_a8r8g8b8, s->right - s->left, s->bottom - s->top,
            (void *)(pictures.source + (size_t)s->top * PITCH + (size_t)s->left * 4), PITCH);
        pixman_image_t *to = image_of(pictures.expected, PIXMAN_a8r8g8b8);
        pixman_transform_t transform;
        pixman_transform_init_scale(
            &transform,
            (pixman_fixed_t)(((int64_t)(s->right - s->left) << 16) / (d->right - d->left)),
            (pixman_fixed_t)(((int64_t)(s->bottom - s->top) << 16) / (d->bottom - d->top)));
        pixman_image_set_transform(from, &transform);
        pixman_image_set_filter(from, row->flags ? PIXMAN_FILTER_BILINEAR : PIXMAN_FILTER_NEAREST,
                                NULL, 0);
        pixman_image_set_repeat(from, PIXMAN_REPEAT_PAD);
        pixman_region32_t region;
        pixman_region32_init_rect(&region, c->left, c->top, (unsigned)(c->right - c->left),
                                  (unsigned)(c->bottom - c->top));
        pixman_image_set_clip_region32(to, &region);
        pixman_image_composite32(PIXMAN_OP_SRC, from, NULL, to, 0, 0, 0, 0, d->left, d->top,
                                 d->right - d->left, d->bottom - d->top);
        pixman_region32_fini(&region);
        pixman_image_unref(from);
        pixman_image_unref(to);
        pictures_check(*state, &pictures);
    }
}

static uint32_t red_and_blue_exchanged(uint32_t pixel)
{
    return (pixel & 0xFF00FF00) | (pixel >> 16 & 0xFF) | (pixel & 0xFF) << 16;
}

/* Also from one order of channels to the other. */
static void rotate_turns_clockwise(void **state)
{
    for (unsigned i = 0; i < 32; i++) {
        struct pictures pictures;
        unsigned turns = i / 4 % 4;
        bool exchanged = i >= 16;
        const uint32_t w = 301, h = 407;
        pictures_make(*state, &pictures, i % 4);
        struct softgpu_command_rotate rotate = {
            .header = HEADER(SOFTGPU_OP_ROTATE, rotate),
            .quarter_turns = turns,
            .destination =
                surface32(pictures.to, exchanged ? SOFTGPU_FORMAT_RGBA8 : SOFTGPU_FORMAT_BGRA8),
            .source = surface32(pictures.from, SOFTGPU_FORMAT_BGRA8),
            .x = 2,
            .y = 1,
            .source_rect = {5, 6, 5 + (int)w, 6 + (int)h},
        };
        mock_command(*state, &rotate, sizeof(rotate));
        for (uint32_t y = 0; y < h; y++) {
            for (uint32_t x = 0; x < w; x++) {
                uint32_t to_x = turns == 0   ? x
                                : turns == 1 ? h - 1 - y
                                : turns == 2 ? w - 1 - x
                                             : y;
                uint32_t to_y = turns == 0   ? y
                                : turns == 1 ? x
                                : turns == 2 ? h - 1 - y
                                             : w - 1 - x;
                uint32_t pixel = get(pictures.source, x + 5, y + 6);
                set(pictures.expected, to_x + 2, to_y + 1,
                    exchanged ? red_and_blue_exchanged(pixel) : pixel);
            }
        }
        pictures_check(*state, &pictures);
    }
}

/* ---- Triangles ---- */

static void put_triangles(struct mock *mock, uint64_t to, uint32_t flags,
                          const struct softgpu_vertex *vertices, uint32_t count)
{
    struct softgpu_command_triangles triangles = {
        .header = SOFTGPU_COMMAND(SOFTGPU_OP_TRIANGLES, sizeof(triangles) / 4 + count * 9),
        .flags = flags,
        .destination = surface32(to, SOFTGPU_FORMAT_BGRA8),
        .clip = {-5, -5, 1000, 1000},
        .triangle_count = count,
    };
    mock_command(mock, &triangles, sizeof(triangles));
    mock_command(mock, vertices, count * 3 * sizeof(*vertices));
}

/* Two triangles with a common edge cover every pixel of a rectangle once: blending shows it. */
static void triangles_that_share_an_edge_cover_once(void **state)
{
    for (unsigned variant = 0; variant < 2; variant++) {
        struct pictures pictures;
        pictures_make(*state, &pictures, variant);
        const uint32_t colour = 0x80402010;
        const struct softgpu_vertex v[6] = {
            {160, 160, colour}, {4000, 160, 0}, {4000, 3200, 0},
            {160, 160, colour}, {160, 3200, 0}, {4000, 3200, 0},
        };
        put_triangles(*state, pictures.to, SOFTGPU_TRIANGLES_BLEND, v, 2);
        pixman_color_t pixman_colour = {0x4040, 0x2020, 0x1010, 0x8080};
        pixman_image_t *solid = pixman_image_create_solid_fill(&pixman_colour);
        pixman_image_t *to = image_of(pictures.expected, PIXMAN_a8r8g8b8);
        pixman_image_composite32(PIXMAN_OP_OVER, solid, NULL, to, 0, 0, 0, 0, 10, 10, 240, 190);
        pixman_image_unref(solid);
        pixman_image_unref(to);
        pictures_check(*state, &pictures);
    }
}

static int64_t side(const struct softgpu_vertex *a, const struct softgpu_vertex *b, int64_t x,
                    int64_t y)
{
    return (int64_t)(b->x - a->x) * (y - a->y) - (int64_t)(b->y - a->y) * (x - a->x);
}

/* Every pixel whose centre is strictly inside is drawn, none whose centre is strictly outside. */
static void triangles_cover_their_inside(void **state)
{
    struct mock *mock = *state;
    uint64_t seed = 42;
    for (unsigned round = 0; round < 60; round++) {
        struct softgpu_vertex v[3];
        memset(mock->vram, 0, PITCH * HEIGHT);
        for (unsigned i = 0; i < 3; i++) {
            v[i].x = (int)(next_random(&seed) % (round < 30 ? 2000 : 14000)) - 700;
            v[i].y = (int)(next_random(&seed) % (round < 30 ? 2000 : 12000)) - 700;
            v[i].colour = 0xFF00FF00;
        }
        put_triangles(mock, 0, SOFTGPU_TRIANGLES_GOURAUD, v, 1);
        mock_execute(mock, 0, 0);
        int64_t area = side(&v[0], &v[1], v[2].x, v[2].y);
        for (uint32_t y = 0; y < HEIGHT; y++) {
            for (uint32_t x = 0; x < WIDTH; x++) {
                int inside = 0, outside = 0;
                for (unsigned i = 0; i < 3; i++) {
                    int64_t s = side(&v[i], &v[(i + 1) % 3], x * 16 + 8, y * 16 + 8);
                    s = area < 0 ? -s : s;
                    inside += s > 0;
                    outside += s < 0;
                }
                uint32_t pixel = get(mock->vram, x, y);
                if (inside == 3 && area)
                    assert_int_equal(pixel, 0xFF00FF00);
                else if (outside || !area)
                    assert_int_equal(pixel, 0);
            }
        }
    }
}

static void gouraud_colours_run_from_corner_to_corner(void **state)
{
    struct mock *mock = *state;
    const struct softgpu_vertex v[3] = {
        {0, 0, 0xFF000000}, {4096, 0, 0xFF0000FF}, {0, 4096, 0xFFFF0000}};
    put_triangles(mock, 0, SOFTGPU_TRIANGLES_GOURAUD, v, 1);
    mock_execute(mock, 0, 0);
    for (uint32_t x = 0; x < 255; x++) {
        uint32_t pixel = get(mock->vram, x, 0);
        assert_in_range(pixel & 0xFF, x ? x - 1 : 0, x + 1);
        assert_int_equal(pixel >> 24, 0xFF);
        pixel = get(mock->vram, 0, x);
        assert_in_range(pixel >> 16 & 0xFF, x ? x - 1 : 0, x + 1);
    }
}

/* ---- Swizzled surfaces ---- */

#define BANK_PAGES (PICTURE_PAGES / SOFTGPU_BANK_COUNT)

/* A surface's pages in the order of its rows, to the places of its layout, and the way back. */
static void swizzle(uint8_t *memory, uint8_t *picture, bool into_memory)
{
    for (uint32_t page = 0; page < PICTURE_PAGES; page++) {
        uint32_t bank = 3 - page % 4;
        uint8_t *place = memory + (bank * BANK_PAGES + page / 4) * 4096ull;
        if (into_memory)
            memcpy(place, picture + page * 4096ull, 4096);
        else
            memcpy(picture + page * 4096ull, place, 4096);
    }
}

static void blt_reads_and_writes_either_layout(void **state)
{
    static uint8_t before[PICTURE_PAGES * 4096], source[PICTURE_PAGES * 4096];
    struct mock *mock = *state;
    assert_int_equal(PICTURE_PAGES % SOFTGPU_BANK_COUNT, 0);
    for (unsigned variant = 0; variant < 4; variant++) {
        uint32_t swizzled = BANK_PAGES << SOFTGPU_FORMAT_BANK_SHIFT | SOFTGPU_FORMAT_BGRA8;
        uint32_t to = variant & 1 ? swizzled : SOFTGPU_FORMAT_BGRA8;
        uint32_t from = variant & 2 ? swizzled : SOFTGPU_FORMAT_BGRA8;
        scatter_randomise(before, sizeof(before), variant);
        scatter_randomise(source, sizeof(source), variant + 50);
        memcpy(mock->vram, before, sizeof(before));
        memcpy(mock->vram + 0x400000, source, sizeof(source));
        if (to == swizzled)
            swizzle(mock->vram, before, true);
        if (from == swizzled)
            swizzle(mock->vram + 0x400000, source, true);
        struct softgpu_command_blt blt = {HEADER(SOFTGPU_OP_BLT, blt), 0,  0, surface32(0, to),
                                          surface32(0x400000, from),   17, 1, {2, 9, 603, 480}};
        mock_command(mock, &blt, sizeof(blt));
        mock_execute(mock, SOFTGPU_ENGINE_3D, 0);
        for (uint32_t y = 9; y < 480; y++)
            memcpy(before + (y - 8) * PITCH + 17 * 4ull, source + y * PITCH + 2 * 4ull, 601 * 4);
        memcpy(source, mock->vram, sizeof(source));
        if (to == swizzled)
            swizzle(mock->vram, source, false);
        assert_memory_equal(source, before, sizeof(before));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scatter_setup, scatter_teardown)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(fill_rect_fills_the_rectangle),
        TEST(blt_copies_converts_and_keys),
        TEST(blt_within_a_surface_may_overlap),
        TEST(blt_between_addresses_of_one_memory_may_overlap),
        TEST(blt_converts_565_as_pixman_does),
        TEST(over_is_pixman_over),
        TEST(stretch_is_pixman_scaling),
        TEST(rotate_turns_clockwise),
        TEST(triangles_that_share_an_edge_cover_once),
        TEST(triangles_cover_their_inside),
        TEST(gouraud_colours_run_from_corner_to_corner),
        TEST(blt_reads_and_writes_either_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
