/* combine_test.c: COMBINE, each operation against a formula for one pixel.
 *
 * Each is done with surfaces in video memory and in scattered pages; one is more than a slice. */
#include "scatter.h"

#include <stdlib.h>

#include "softgpu/softgpu_combine.h"

#define WIDTH         640
#define HEIGHT        480
#define PITCH         (WIDTH * 4u + 64u)
#define PICTURE_PAGES ((PITCH * HEIGHT + 4095) / 4096)
#define PICTURE_BYTES ((size_t)PICTURE_PAGES * 4096)
#define TABLE_PLACE   0xE00000ull

struct pictures {
    uint64_t to, from; /* GPU addresses */
    bool to_scattered;
    uint8_t *before, *source, *expected, *seen;
    uint8_t table[SOFTGPU_COMBINE_TABLE_BYTES];
};

static void pictures_make(struct mock *mock, struct pictures *pictures, unsigned variant)
{
    pictures->before = malloc(PICTURE_BYTES);
    pictures->source = malloc(PICTURE_BYTES);
    pictures->expected = malloc(PICTURE_BYTES);
    pictures->seen = malloc(PICTURE_BYTES);
    pictures->to_scattered = variant & 1;
    pictures->to = variant & 1 ? SOFTGPU_APERTURE_BASE : 0;
    pictures->from = variant & 2 ? SOFTGPU_APERTURE_BASE + PICTURE_PAGES * 4096ull : 0x400000;
    scatter_randomise(pictures->before, PICTURE_BYTES, variant + 1);
    scatter_randomise(pictures->source, PICTURE_BYTES, variant + 100);
    scatter_randomise(pictures->table, sizeof(pictures->table), variant + 200);
    for (size_t i = 0; i < PICTURE_BYTES; i += 4 * 7) { /* none and all, as text has it */
        memset(pictures->source + i, i % 8 ? 0xFF : 0, 4);
    }
    scatter_map(mock, 0, 0, PICTURE_PAGES);
    scatter_map(mock, PICTURE_PAGES, 500, PICTURE_PAGES);
    scatter_write(mock, 0, pictures->before, PICTURE_PAGES);
    scatter_write(mock, 500, pictures->source, PICTURE_PAGES);
    memcpy(mock->vram, pictures->before, PICTURE_BYTES);
    memcpy(mock->vram + 0x400000, pictures->source, PICTURE_BYTES);
    memcpy(mock->vram + TABLE_PLACE, pictures->table, sizeof(pictures->table));
    memcpy(pictures->expected, pictures->before, PICTURE_BYTES);
}

static void pictures_check(struct mock *mock, struct pictures *pictures)
{
    mock_execute(mock, SOFTGPU_ENGINE_3D, 0);
    if (pictures->to_scattered)
        scatter_read(mock, 0, pictures->seen, PICTURE_PAGES);
    else
        memcpy(pictures->seen, mock->vram, PICTURE_BYTES);
    for (size_t i = 0; i < PICTURE_BYTES; i++)
        if (pictures->seen[i] != pictures->expected[i])
            fail_msg("x %zu y %zu byte %zu: %02x, not %02x", i % PITCH / 4, i / PITCH, i % 4,
                     pictures->seen[i], pictures->expected[i]);
    free(pictures->before);
    free(pictures->source);
    free(pictures->expected);
    free(pictures->seen);
}

static uint32_t get(const uint8_t *picture, int x, int y)
{
    uint32_t value;
    memcpy(&value, picture + (size_t)y * PITCH + (size_t)x * 4, 4);
    return value;
}

static void set(uint8_t *picture, int x, int y, uint32_t value)
{
    memcpy(picture + (size_t)y * PITCH + (size_t)x * 4, &value, 4);
}

/* ---- One pixel, in plain words ---- */

static unsigned channel(uint32_t pixel, unsigned i)
{
    return pixel >> (8 * i) & 0xFF;
}

/* To the nearest. */
static unsigned of_255(double product)
{
    return (unsigned)(product / 255 + 0.5);
}

static uint32_t rop_of(uint32_t code, uint32_t pattern, uint32_t source, uint32_t destination)
{
    uint32_t result = 0;
    for (unsigned bit = 0; bit < 32; bit++) {
        unsigned n = 4 * (pattern >> bit & 1) + 2 * (source >> bit & 1) + (destination >> bit & 1);
        result |= (code >> n & 1) << bit;
    }
    return result;
}

static uint32_t blend_of(const struct softgpu_command_combine *combine, uint32_t source,
                         uint32_t destination)
{
    unsigned opacity = combine->operand, alpha = opacity;
    uint32_t result = 0;
    if (combine->flags & SOFTGPU_COMBINE_SOURCE_ALPHA)
        alpha = of_255((double)channel(source, 3) * opacity);
    for (unsigned i = 0; i < 4; i++) {
        unsigned sum = of_255((double)channel(source, i) * opacity) +
                       of_255((double)channel(destination, i) * (255 - alpha));
        result |= (sum < 255 ? sum : 255) << (8 * i);
    }
    return result;
}

static unsigned mix(unsigned from, unsigned to, unsigned share)
{
    return of_255((double)from * (255 - share) + (double)to * share);
}

static uint32_t text_of(const struct softgpu_command_combine *combine, const uint8_t *table,
                        uint32_t source, uint32_t destination)
{
    bool gamma = combine->flags & SOFTGPU_COMBINE_GAMMA;
    uint32_t result = destination & 0xFF000000;
    for (unsigned i = 0; i < 3; i++) {
        unsigned old = channel(destination, i), colour = channel(combine->colour, i), made = old;
        unsigned share = channel(source, gamma ? i : colour >= old ? 2 : 1);
        if (share == 255)
            made = channel(combine->colour2, i);
        else if (share > 0 && gamma)
            made = table[256 + mix(table[old], colour, share)];
        else if (share > 0)
            made = mix(old, colour, share);
        result |= made << (8 * i);
    }
    return result;
}

static uint32_t pixel_of(const struct softgpu_command_combine *combine, const uint8_t *table,
                         uint32_t source, uint32_t destination)
{
    switch (combine->flags & SOFTGPU_COMBINE_OPERATIONS) {
    case SOFTGPU_COMBINE_BLEND:
        return blend_of(combine, source, destination);
    case SOFTGPU_COMBINE_KEYED:
        return (source & combine->operand) == combine->colour ? destination : source;
    case SOFTGPU_COMBINE_TEXT:
        return text_of(combine, table, source, destination);
    default:
        return rop_of(combine->operand, combine->colour, source, destination);
    }
}

/* The source's column or row that the middle of the destination's lies in. */
static int behind(int place, int to_size, int from_size, bool mirrored)
{
    int found = (int)((place + 0.5) * from_size / to_size);
    return mirrored ? from_size - 1 - found : found;
}

static bool is_drawn(const struct softgpu_command_combine *combine, int x, int y)
{
    const struct softgpu_rect *to = &combine->destination_rect, *clip = &combine->clip;
    return x >= to->left && x < to->right && y >= to->top && y < to->bottom && x >= clip->left &&
           x < clip->right && y >= clip->top && y < clip->bottom;
}

static void expect(struct pictures *pictures, const struct softgpu_command_combine *combine,
                   const uint8_t *source)
{
    const struct softgpu_rect *to = &combine->destination_rect, *from = &combine->source_rect;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            uint32_t pixel = 0;
            if (!is_drawn(combine, x, y))
                continue;
            if (!(combine->flags & SOFTGPU_COMBINE_NO_SOURCE))
                pixel = get(source,
                            from->left + behind(x - to->left, to->right - to->left,
                                                from->right - from->left,
                                                combine->flags & SOFTGPU_COMBINE_MIRROR_X),
                            from->top + behind(y - to->top, to->bottom - to->top,
                                               from->bottom - from->top,
                                               combine->flags & SOFTGPU_COMBINE_MIRROR_Y));
            set(pictures->expected, x, y,
                pixel_of(combine, pictures->table, pixel, get(pictures->before, x, y)));
        }
}

static const struct softgpu_rect whole = {0, 0, WIDTH, HEIGHT};

static struct softgpu_command_combine combine_of(const struct pictures *pictures, uint32_t flags,
                                                 uint32_t operand)
{
    return (struct softgpu_command_combine){
        .header = HEADER(SOFTGPU_OP_COMBINE, struct softgpu_command_combine),
        .flags = flags,
        .operand = operand,
        .colour = 0x80402010,
        .colour2 = 0xFF306090,
        .destination = gpu_surface(pictures->to, PITCH, SOFTGPU_FORMAT_BGRA8, WIDTH, HEIGHT),
        .source = gpu_surface(pictures->from, PITCH, SOFTGPU_FORMAT_BGRX8, WIDTH, HEIGHT),
        .table =
            flags & SOFTGPU_COMBINE_GAMMA ? gpu_address(TABLE_PLACE) : (struct softgpu_address){0},
        .destination_rect = whole,
        .source_rect = whole,
        .clip = whole,
    };
}

static void draw_and_check(struct mock *mock, struct pictures *pictures,
                           const struct softgpu_command_combine *combine)
{
    mock_command(mock, combine, sizeof(*combine));
    expect(pictures, combine, pictures->source);
    pictures_check(mock, pictures);
}

/* ---- Operations ---- */

static void each_operation_makes_what_its_formula_says(void **state)
{
    static const struct {
        uint32_t flags, operand;
    } table[] = {
        {SOFTGPU_COMBINE_ROP, 0x00},
        {SOFTGPU_COMBINE_ROP, 0xCC},
        {SOFTGPU_COMBINE_ROP, 0x88},
        {SOFTGPU_COMBINE_ROP, 0x66},
        {SOFTGPU_COMBINE_ROP, 0xB8},
        {SOFTGPU_COMBINE_ROP | SOFTGPU_COMBINE_NO_SOURCE, 0x5A},
        {SOFTGPU_COMBINE_BLEND, 0},
        {SOFTGPU_COMBINE_BLEND, 100},
        {SOFTGPU_COMBINE_BLEND, 255},
        {SOFTGPU_COMBINE_BLEND | SOFTGPU_COMBINE_SOURCE_ALPHA, 1},
        {SOFTGPU_COMBINE_BLEND | SOFTGPU_COMBINE_SOURCE_ALPHA, 200},
        {SOFTGPU_COMBINE_BLEND | SOFTGPU_COMBINE_SOURCE_ALPHA, 255},
        {SOFTGPU_COMBINE_KEYED, 0xFFFFFFFF},
        {SOFTGPU_COMBINE_KEYED, 0x00FFFFFF},
        {SOFTGPU_COMBINE_TEXT, 0},
        {SOFTGPU_COMBINE_TEXT | SOFTGPU_COMBINE_GAMMA, 0},
    };
    for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct pictures pictures;
        pictures_make(*state, &pictures, i % 4);
        struct softgpu_command_combine combine =
            combine_of(&pictures, table[i].flags, table[i].operand);
        if ((table[i].flags & SOFTGPU_COMBINE_OPERATIONS) == SOFTGPU_COMBINE_KEYED)
            combine.colour = get(pictures.source, 0, 0) & table[i].operand;
        draw_and_check(*state, &pictures, &combine);
    }
}

/* All codes, in small squares. */
static void a_ternary_code_is_one_of_256(void **state)
{
    struct pictures pictures;
    pictures_make(*state, &pictures, 0);
    for (int code = 0; code < 256; code++) {
        struct softgpu_command_combine combine =
            combine_of(&pictures, SOFTGPU_COMBINE_ROP, (uint32_t)code);
        int x = code % 16 * 40, y = code / 16 * 30;
        combine.destination_rect = (struct softgpu_rect){x, y, x + 33, y + 7};
        combine.source_rect = (struct softgpu_rect){x / 2, y + 1, x / 2 + 33, y + 8};
        mock_command(*state, &combine, sizeof(combine));
        expect(&pictures, &combine, pictures.source);
        if (code % 16 == 15)
            mock_execute(*state, SOFTGPU_ENGINE_3D, 0);
    }
    pictures_check(*state, &pictures);
}

static void rectangles_are_scaled_mirrored_and_cut(void **state)
{
    static const struct softgpu_rect to[] = {
        {10, 5, 300, 400}, {-20, -30, 700, 500}, {3, 3, 4, 4}, {-32767, -1, 32767, 481}};
    static const struct softgpu_rect from[] = {{0, 0, 640, 480}, {7, 9, 8, 300}, {600, 1, 640, 2}};
    static const struct softgpu_rect clips[] = {
        {0, 0, 640, 480}, {-0x7FFFFFFF, 20, 0x7FFFFFFF, 333}, {600, 400, 9999, 9999}};
    for (unsigned i = 0; i < 4 * 3 * 4; i++) {
        struct pictures pictures;
        pictures_make(*state, &pictures, i % 4);
        struct softgpu_command_combine combine =
            combine_of(&pictures,
                       SOFTGPU_COMBINE_ROP | (i / 4 % 2 ? SOFTGPU_COMBINE_MIRROR_X : 0) |
                           (i / 8 % 2 ? SOFTGPU_COMBINE_MIRROR_Y : 0),
                       0x66);
        combine.destination_rect = to[i % 4];
        combine.source_rect = from[i / 4 % 3];
        combine.clip = clips[i / 12 % 3];
        draw_and_check(*state, &pictures, &combine);
    }
}

/* What lies outside of the clip or of the surface is no pixel. */
static void nothing_is_drawn_where_nothing_is_left(void **state)
{
    static const struct softgpu_rect clips[] = {
        {0, 0, 0, 480}, {640, 0, 900, 480}, {100, 100, 50, 50}, {-9, -9, 0, 0}};
    for (unsigned i = 0; i < sizeof(clips) / sizeof(clips[0]); i++) {
        struct pictures pictures;
        pictures_make(*state, &pictures, i % 4);
        struct softgpu_command_combine combine =
            combine_of(&pictures, SOFTGPU_COMBINE_ROP | SOFTGPU_COMBINE_NO_SOURCE, 0xFF);
        combine.clip = clips[i];
        draw_and_check(*state, &pictures, &combine);
    }
}

static void rectangles_of_one_surface_may_overlap(void **state)
{
    static const int moves[][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {7, -3}, {-7, 3}, {5, 5}};
    for (unsigned i = 0; i < 2 * sizeof(moves) / sizeof(moves[0]); i++) {
        int dx = moves[i / 2][0], dy = moves[i / 2][1];
        struct pictures pictures;
        pictures_make(*state, &pictures, i % 2);
        struct softgpu_command_combine combine = combine_of(&pictures, SOFTGPU_COMBINE_ROP, 0x66);
        combine.source = combine.destination;
        combine.source_rect = (struct softgpu_rect){10, 10, 630, 470};
        combine.destination_rect = (struct softgpu_rect){10 + dx, 10 + dy, 630 + dx, 470 + dy};
        mock_command(*state, &combine, sizeof(combine));
        expect(&pictures, &combine, pictures.before);
        pictures_check(*state, &pictures);
    }
}

/* ---- Operands ---- */

typedef void spoil_fn(struct softgpu_command_combine *combine);

#define SPOIL(name, change)                                   \
    static void name(struct softgpu_command_combine *combine) \
    {                                                         \
        change;                                               \
    }
SPOIL(code_too_large, combine->operand = 256)
SPOIL(unknown_flag, combine->flags |= 0x200)
SPOIL(no_source_of_a_blend, combine->flags = SOFTGPU_COMBINE_BLEND | SOFTGPU_COMBINE_NO_SOURCE)
SPOIL(alpha_of_a_code, combine->flags |= SOFTGPU_COMBINE_SOURCE_ALPHA)
SPOIL(gamma_of_a_code, combine->flags |= SOFTGPU_COMBINE_GAMMA)
SPOIL(destination_of_16_bits, combine->destination.format = SOFTGPU_FORMAT_RGB565)
SPOIL(source_of_16_bits, combine->source.format = SOFTGPU_FORMAT_RGB565)
SPOIL(destination_of_another_order, combine->destination.format = SOFTGPU_FORMAT_RGBA8)
SPOIL(empty_destination, combine->destination_rect.right = combine->destination_rect.left)
SPOIL(turned_destination, combine->destination_rect.bottom = -1)
SPOIL(far_destination, combine->destination_rect.right = 32768)
SPOIL(empty_source, combine->source_rect.bottom = combine->source_rect.top)
SPOIL(turned_source, combine->source_rect.right = -1)
SPOIL(source_outside, combine->source_rect.right = WIDTH + 1)
SPOIL(source_before, combine->source_rect.top = -1)
SPOIL(short_pitch, combine->destination.pitch_bytes = WIDTH * 4 - 4)
SPOIL(odd_address, combine->source.address.low += 2)

static uint32_t fault_of(struct mock *mock)
{
    return mock_read(mock, engine_reg(SOFTGPU_ENGINE_3D, SOFTGPU_ENGINE_FAULT_REASON));
}

static void bad_operands_are_faults(void **state)
{
    static spoil_fn *const spoils[] = {
        code_too_large,    unknown_flag,       no_source_of_a_blend,
        alpha_of_a_code,   gamma_of_a_code,    destination_of_16_bits,
        source_of_16_bits, empty_destination,  destination_of_another_order,
        far_destination,   turned_destination, empty_source,
        turned_source,     source_outside,     source_before,
        short_pitch,       odd_address};
    const struct pictures pictures = {.to = 0, .from = 0x400000};
    struct mock *mock = *state;
    for (unsigned i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
        struct softgpu_command_combine combine = combine_of(&pictures, SOFTGPU_COMBINE_ROP, 0xCC);
        spoils[i](&combine);
        mock_start_engine(mock, SOFTGPU_ENGINE_3D, 0);
        mock_command(mock, &combine, sizeof(combine));
        mock_submit(mock, SOFTGPU_ENGINE_3D, 0, i + 1);
        mock_settle(mock);
        if (fault_of(mock) != SOFTGPU_FAULT_OPERAND)
            print_message("spoil %u\n", i);
        assert_int_equal(fault_of(mock), SOFTGPU_FAULT_OPERAND);
        mock_write(mock, engine_reg(SOFTGPU_ENGINE_3D, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);
    }
}

/* Behind the memory: each of the places that it reads and writes. */
static void bad_places_are_faults(void **state)
{
    const struct pictures pictures = {.to = 0, .from = 0x400000};
    struct mock *mock = *state;
    for (unsigned i = 0; i < 3; i++) {
        struct softgpu_command_combine combine =
            combine_of(&pictures, SOFTGPU_COMBINE_TEXT | SOFTGPU_COMBINE_GAMMA, 0);
        struct softgpu_address *places[] = {&combine.destination.address, &combine.source.address,
                                            &combine.table};
        *places[i] = gpu_address(0x1000000 - 256);
        mock_start_engine(mock, SOFTGPU_ENGINE_3D, 0);
        mock_command(mock, &combine, sizeof(combine));
        mock_submit(mock, SOFTGPU_ENGINE_3D, 0, i + 1);
        mock_settle(mock);
        assert_int_equal(fault_of(mock), SOFTGPU_FAULT_ADDRESS);
        mock_write(mock, engine_reg(SOFTGPU_ENGINE_3D, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scatter_setup, scatter_teardown)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(each_operation_makes_what_its_formula_says),
        TEST(a_ternary_code_is_one_of_256),
        TEST(rectangles_are_scaled_mirrored_and_cut),
        TEST(nothing_is_drawn_where_nothing_is_left),
        TEST(rectangles_of_one_surface_may_overlap),
        TEST(bad_operands_are_faults),
        TEST(bad_places_are_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
