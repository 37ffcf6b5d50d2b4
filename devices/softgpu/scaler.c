/* scaler.c: the picture of an output in a window of its mode: see softgpu_scaler.h.
 *
 *   surface, planes, overlays, cursor ──frame──> scaler ──sent──> monitor
 *
 * Each pixel is a mean of the four nearest ones by their distance; in a window of the picture's
 * size it is the pixel itself. */
#include "internal.h"

#include <stdlib.h>

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

/* Two channels at a time; `part` of ONE is of the other. */
static uint32_t mix(uint32_t pixel, uint32_t other, uint32_t part)
{
    uint32_t low = (pixel & 0xFF00FF) * (ONE - part) + (other & 0xFF00FF) * part + 0x800080;
    uint32_t high =
        (pixel >> 8 & 0xFF00FF) * (ONE - part) + (other >> 8 & 0xFF00FF) * part + 0x800080;

    return (low >> 8 & 0xFF00FF) | (high & 0xFF00FF00);
}

static void fill_row(const struct output *output, uint32_t *to, uint32_t y,
                     const struct place *columns)
{
    uint32_t width = scaler_width(output), window_width = output->window_size & 0xFFFF;
    struct place row = place_of(y, scaler_height(output), output->window_size >> 16);
    const uint32_t *upper = output->frame + (size_t)row.first * width;
    const uint32_t *lower = output->frame + (size_t)row.second * width;

    for (uint32_t x = 0; x < window_width; x++) {
        const struct place *at = &columns[x];
        to[x] = mix(mix(upper[at->first], upper[at->second], at->part),
                    mix(lower[at->first], lower[at->second], at->part), row.part);
    }
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

bool scaler_send(struct output *output)
{
    uint32_t left = output->window_position & 0xFFFF, top = output->window_position >> 16;
    uint32_t width = output->window_size & 0xFFFF, height = output->window_size >> 16;
    struct place *columns = width ? malloc(width * sizeof(*columns)) : NULL;
    bool room = make_room(output) && (columns || !width);
    bool inside = left + width <= output->width && top + height <= output->height;

    for (size_t i = 0; room && i < (size_t)output->width * output->height; i++)
        output->sent[i] = 0xFF000000u;
    for (uint32_t x = 0; room && x < width; x++)
        columns[x] = place_of(x, scaler_width(output), width);
    for (uint32_t y = 0; room && inside && y < height; y++)
        fill_row(output, output->sent + (size_t)(top + y) * output->width + left, y, columns);
    free(columns);
    return room;
}
