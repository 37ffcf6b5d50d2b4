/* scaler.c: the picture of an output in a window of its mode: see softgpu_scaler.h.
 *
 *   surface, planes, overlays, cursor ──frame──> scaler ──sent──> monitor
 *
 * Each pixel is a mean of the four nearest ones by their distance; in a window of the picture's
 * size it is the pixel itself. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#define ONE 256 /* fractions of a pixel */

/* Of the nearest pixel and the one behind it, and how much of that. */
struct place {
    uint32_t first, second, part;
};

bool scaler_on(const struct output *output)
{
    return output->source_size != 0;
}

uint32_t scaler_width(const struct output *output)
{
    return scaler_on(output) ? output->source_size & 0xFFFF : output->width;
}

uint32_t scaler_height(const struct output *output)
{
    return scaler_on(output) ? output->source_size >> 16 : output->height;
}

void scaler_write(struct output *output, uint32_t reg, uint32_t value)
{
    uint32_t width = value & 0xFFFF, height = value >> 16;

    if (reg == SOFTGPU_OUTPUT_WINDOW_POSITION)
        output->window_position = value;
    else if (width > SOFTGPU_OUTPUT_WIDTH_MAX || height > SOFTGPU_OUTPUT_HEIGHT_MAX)
        return;
    else if (reg == SOFTGPU_OUTPUT_WINDOW_SIZE)
        output->window_size = value;
    else
        output->source_size = width && height ? value : 0;
}

uint32_t scaler_read(const struct output *output, uint32_t reg)
{
    return reg == SOFTGPU_OUTPUT_WINDOW_POSITION ? output->window_position
           : reg == SOFTGPU_OUTPUT_WINDOW_SIZE   ? output->window_size
                                                 : output->source_size;
}

/* Middles of pixels lie on middles, and beyond the last one there is none. */
static struct place place_of(uint32_t n, uint32_t from, uint32_t to)
{
    int64_t at = ((2 * (int64_t)n + 1) * from * ONE / to - ONE) / 2;
    uint32_t first = at < 0 ? 0 : (uint32_t)(at / ONE);
    struct place place = {first, first + 1, at < 0 ? 0 : (uint32_t)(at % ONE)};

    if (place.second >= from) {
        place.first = place.second = from - 1;
        place.part = 0;
    }
    return place;
}

#define CHANNELS UINT64_C(0x00FF00FF00FF00FF)
#define HALVES   UINT64_C(0x0080008000800080)

/* A channel in each sixteen bits: a mean needs no more. */
static uint64_t spread(uint32_t pixel)
{
    return (pixel | (uint64_t)pixel << 24) & CHANNELS;
}

/* `part` of ONE is of the other; of nothing the pixel itself. */
static uint32_t mix(uint32_t pixel, uint32_t other, uint32_t part)
{
    uint64_t sum = spread(pixel) * (ONE - part) + spread(other) * part + HALVES;

    sum = sum >> 8 & CHANNELS;
    return (uint32_t)(sum | sum >> 24);
}

/* Four pixels, two of whose channels stand in either half of the lanes' bits. */
typedef uint16_t lanes __attribute__((vector_size(16), aligned(4), may_alias));
#define LANES ((uint32_t)(sizeof(lanes) / sizeof(uint32_t)))

static void mix_rows(uint32_t *to, const uint32_t *upper, const uint32_t *lower, uint32_t part,
                     uint32_t width)
{
    const uint16_t of_lower = (uint16_t)part, of_upper = (uint16_t)(ONE - part);
    uint32_t x = 0;

    for (; x + LANES <= width; x += LANES) {
        const lanes a = *(const lanes *)(const void *)(upper + x);
        const lanes b = *(const lanes *)(const void *)(lower + x);
        lanes low = (a & 0xFF) * of_upper + (b & 0xFF) * of_lower + ONE / 2;
        lanes high = (a >> 8) * of_upper + (b >> 8) * of_lower + ONE / 2;
        *(lanes *)(void *)(to + x) = low >> 8 | (high & 0xFF00);
    }
    for (; x < width; x++)
        to[x] = mix(upper[x], lower[x], part);
}

/* Between which pixels each column of the window lies, that one and the next, and how much it has
 * of either: each part twice, for the two channels of half a pixel. */
struct columns {
    uint32_t *first, *of_first, *of_second;
    uint32_t *pairs; /* both, of the row that is widened */
};
#define COLUMN_WORDS 5u

/* Rows of the picture, as wide as the window: most are wanted for several rows of it. */
struct widened {
    uint32_t *rows[2];
    uint32_t numbers[2]; /* NONE at first */
};
#define NONE UINT32_MAX

static void mix_pairs(uint32_t *to, const struct columns *columns, uint32_t width)
{
    typedef uint32_t pixels __attribute__((vector_size(16), aligned(4), may_alias));
    uint32_t x = 0;

    for (; x + LANES <= width; x += LANES) {
        const pixels left = *(const pixels *)(const void *)(columns->pairs + 2 * (size_t)x);
        const pixels right = *(const pixels *)(const void *)(columns->pairs + 2 * (size_t)x + 4);
        const lanes a = (lanes)(pixels){left[0], left[2], right[0], right[2]};
        const lanes b = (lanes)(pixels){left[1], left[3], right[1], right[3]};
        const lanes of_a = *(const lanes *)(const void *)(columns->of_first + x);
        const lanes of_b = *(const lanes *)(const void *)(columns->of_second + x);
        lanes low = (a & 0xFF) * of_a + (b & 0xFF) * of_b + ONE / 2;
        lanes high = (a >> 8) * of_a + (b >> 8) * of_b + ONE / 2;
        *(lanes *)(void *)(to + x) = low >> 8 | (high & 0xFF00);
    }
    for (; x < width; x++)
        to[x] = mix(columns->pairs[2 * (size_t)x], columns->pairs[2 * (size_t)x + 1],
                    columns->of_second[x] & 0xFFFF);
}

/* Pairs are gathered for a whole row first: what is read in wide pieces right behind narrow stores
 * waits for these. */
static void widen_row(uint32_t *to, const uint32_t *from, uint32_t from_width,
                      const struct columns *columns, uint32_t width)
{
    const uint32_t *first = columns->first;
    uint32_t *pairs = columns->pairs;

    if (from_width < 2) {
        for (uint32_t x = 0; x < width; x++)
            to[x] = from[0];
        return;
    }
    for (size_t x = 0; x < width; x++)
        memcpy(pairs + 2 * x, from + first[x], 2 * sizeof(*pairs));
    mix_pairs(to, columns, width);
}

/* `other` is the second one that is wanted now. */
static const uint32_t *widen(const struct output *output, const struct columns *columns,
                             struct widened *widened, uint32_t number, uint32_t other)
{
    const uint32_t *from = output->frame + (size_t)number * scaler_width(output);
    uint32_t width = output->window_size & 0xFFFF;
    unsigned place = widened->numbers[0] == other;

    if (width == scaler_width(output))
        return from;
    for (unsigned i = 0; i < 2; i++)
        if (widened->numbers[i] == number)
            return widened->rows[i];
    widen_row(widened->rows[place], from, scaler_width(output), columns, width);
    widened->numbers[place] = number;
    return widened->rows[place];
}

static void fill_row(const struct output *output, uint32_t *to, uint32_t y,
                     const struct columns *columns, struct widened *widened)
{
    struct place row = place_of(y, scaler_height(output), output->window_size >> 16);
    uint32_t width = output->window_size & 0xFFFF;
    const uint32_t *upper = widen(output, columns, widened, row.first, row.second);

    if (row.part == 0)
        memcpy(to, upper, width * sizeof(*to));
    else
        mix_rows(to, upper, widen(output, columns, widened, row.second, row.first), row.part,
                 width);
}

static void fill_black(uint32_t *to, uint32_t count)
{
    const uint64_t two = UINT64_C(0xFF000000FF000000);
    uint32_t x = 0;

    for (; x + 2 <= count; x += 2)
        memcpy(to + x, &two, sizeof(two));
    if (x < count)
        to[x] = (uint32_t)two;
}

static bool make_room(struct output *output)
{
    size_t pixels = (size_t)output->width * output->height;

    if (output->sent_pixels >= pixels)
        return true;
    uint32_t *sent = realloc(output->sent, pixels * sizeof(*sent));
    if (!sent)
        return false;
    output->sent = sent;
    output->sent_pixels = pixels;
    return true;
}

/* Black is what is around the window. */
static void fill_around(const struct output *output, uint32_t y, bool has_window)
{
    uint32_t *row = output->sent + (size_t)y * output->width;
    uint32_t left = output->window_position & 0xFFFF, right = left + (output->window_size & 0xFFFF);

    if (!has_window) {
        fill_black(row, output->width);
        return;
    }
    fill_black(row, left);
    fill_black(row + right, output->width - right);
}

/* `words`: COLUMN_WORDS of the window's width. The last pixel has none behind it: it is all of the
 * second one of the last pair. */
static void find_columns(struct columns *columns, uint32_t *words, uint32_t from, uint32_t width)
{
    columns->first = words;
    columns->of_first = words + width;
    columns->of_second = words + 2 * (size_t)width;
    columns->pairs = words + 3 * (size_t)width;
    for (uint32_t x = 0; x < width; x++) {
        struct place place = place_of(x, from, width);
        bool is_last = place.first == place.second && from >= 2;
        uint32_t part = is_last ? ONE : place.part;
        columns->first[x] = is_last ? from - 2 : place.first;
        columns->of_first[x] = (ONE - part) * 0x10001u;
        columns->of_second[x] = part * 0x10001u;
    }
}

bool scaler_send(struct output *output)
{
    uint32_t left = output->window_position & 0xFFFF, top = output->window_position >> 16;
    uint32_t width = output->window_size & 0xFFFF, height = output->window_size >> 16;
    bool inside = left + width <= output->width && top + height <= output->height;
    uint32_t *rows = malloc((size_t)(width + 1) * (2 + COLUMN_WORDS) * sizeof(*rows));
    struct columns columns;
    struct widened widened = {{rows, rows ? rows + width : NULL}, {NONE, NONE}};
    bool room = make_room(output) && rows;

    if (room)
        find_columns(&columns, rows + 2 * (size_t)width, scaler_width(output), width);
    for (uint32_t y = 0; room && y < output->height; y++) {
        bool has_window = inside && y >= top && y - top < height;
        fill_around(output, y, has_window);
        if (has_window)
            fill_row(output, output->sent + (size_t)y * output->width + left, y - top, &columns,
                     &widened);
    }
    free(rows);
    return room;
}
