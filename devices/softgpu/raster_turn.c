/* raster_turn.c: turns of a picture by quarters.
 *
 * A quarter turn makes rows of columns. Processors with vectors do it in squares that fit into
 * their registers; the rest, and all of it without vectors, goes pixel by pixel. */
#include "raster.h"

#include "memory_copy.h"
#include "raster_kernels.h"

#include <emmintrin.h>
#include <string.h>

/* Columns that are done from top to bottom before the next: the source rows of a stripe keep their
 * pages in the TLB, and lines of which a square does not use the whole stay in the cache. */
#define STRIPE 64u
#define LINE   64u

/* Part of a quarter turn: pixels [left, right) of rows [top, bottom) of the destination. */
struct part {
    uint32_t left, right, top, bottom;
};

static const uint8_t *source_of(const struct raster_block *block, bool clockwise, uint32_t x,
                                uint32_t y)
{
    uint32_t row = clockwise ? block->width - 1 - x : x;
    uint32_t column = clockwise ? y : block->height - 1 - y;
    return block->from + row * block->from_pitch + (size_t)column * 4;
}

/* In tiles, so that the columns walked through stay in the cache. */
static void turn_pixels(const struct raster_block *block, bool clockwise, struct part part)
{
    const uint32_t tile = 16;
    ptrdiff_t step = clockwise ? 4 : -4;
    for (uint32_t top = part.top; top < part.bottom; top += tile) {
        uint32_t bottom = top + tile < part.bottom ? top + tile : part.bottom;
        for (uint32_t x = part.left; x < part.right; x++) {
            const uint8_t *from = source_of(block, clockwise, x, top);
            for (uint32_t y = top; y < bottom; y++)
                memcpy(block->to + y * block->to_pitch + (size_t)x * 4,
                       from + (ptrdiff_t)(y - top) * step, 4);
        }
    }
}

/* Pictures that do not fit into a core's caches go past them, where whole lines can be written. */
static enum raster_way way_of(const struct raster_block *block)
{
    if ((size_t)block->width * block->height * 4 < MEMORY_STREAM_COPY_MIN)
        return RASTER_NEAR;
    return block->to_pitch % LINE || (uintptr_t)block->to % 4 ? RASTER_FAR : RASTER_PAST;
}

static void turn_squares(const struct raster_block *block, bool clockwise, struct part part,
                         enum raster_way way)
{
    const struct raster_kernels *kernels = raster_kernels();
    uint32_t side = kernels->turn_side;
    struct raster_square square = {
        .from_step = clockwise ? -(ptrdiff_t)block->from_pitch : (ptrdiff_t)block->from_pitch,
        .to_step = clockwise ? (ptrdiff_t)block->to_pitch : -(ptrdiff_t)block->to_pitch,
    };
    for (uint32_t stripe = part.left; stripe < part.right; stripe += STRIPE) {
        uint32_t end = stripe + STRIPE < part.right ? stripe + STRIPE : part.right;
        for (uint32_t y = part.top; y < part.bottom; y += side) {
            uint32_t first = clockwise ? y : y + side - 1; /* the row that column 0 becomes */
            for (uint32_t x = stripe; x < end; x += side) {
                square.from = source_of(block, clockwise, x, first);
                square.to = block->to + first * block->to_pitch + (size_t)x * 4;
                kernels->turn_square(&square, way);
            }
        }
    }
    if (way == RASTER_PAST)
        _mm_sfence();
}

static void turn_quarter(const struct raster_block *block, bool clockwise)
{
    uint32_t side = raster_kernels()->turn_side, width = block->width, height = block->height;
    enum raster_way way = way_of(block);
    uint32_t left = way == RASTER_PAST ? (uint32_t)(-(uintptr_t)block->to % LINE / 4) : 0;
    if (side == 0 || width < left + side || height < side) {
        turn_pixels(block, clockwise, (struct part){0, width, 0, height});
        return;
    }
    uint32_t right = width - (width - left) % side, bottom = height - height % side;
    turn_squares(block, clockwise, (struct part){left, right, 0, bottom}, way);
    turn_pixels(block, clockwise, (struct part){0, left, 0, bottom});
    turn_pixels(block, clockwise, (struct part){right, width, 0, bottom});
    turn_pixels(block, clockwise, (struct part){0, width, bottom, height});
}

/* Four pixels at a time, turned round in their vector. */
static void turn_half(const struct raster_block *block)
{
    for (uint32_t y = 0; y < block->height; y++) {
        uint8_t *to = block->to + y * block->to_pitch;
        const uint8_t *end = block->from + (size_t)(block->height - 1 - y) * block->from_pitch +
                             (size_t)block->width * 4;
        uint32_t x = 0;
        for (; x + 4 <= block->width; x += 4) {
            __m128i pixels = _mm_loadu_si128((const void *)(end - (size_t)x * 4 - 16));
            _mm_storeu_si128((void *)(to + (size_t)x * 4), _mm_shuffle_epi32(pixels, 0x1B));
        }
        for (; x < block->width; x++)
            memcpy(to + (size_t)x * 4, end - (size_t)x * 4 - 4, 4);
    }
}

void raster_rotate(const struct raster_block *block, unsigned quarter_turns)
{
    switch (quarter_turns % 4) {
    case 0:
        raster_copy(block, 4);
        break;
    case 2:
        turn_half(block);
        break;
    default:
        turn_quarter(block, quarter_turns % 4 == 1);
        break;
    }
}
