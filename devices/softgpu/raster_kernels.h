/* raster_kernels.h: the table through which raster.c reaches the forms of its inner loops. */
#ifndef SOFTGPU_RASTER_KERNELS_H
#define SOFTGPU_RASTER_KERNELS_H

#include "raster.h"

/* A part of a loop that is compiled for each of its constant arguments. */
#define RASTER_INLINE __attribute__((always_inline)) static inline

/* Where the pixels of a stretched row come from, in groups of sixteen: pixel i is source pixel
 * first[i / 16] + index[i]. Bilinear: and the next, which has no weight where there is none. */
struct raster_positions {
    const uint32_t *first, *index; /* both ascending; the index of a group's first is 0 */
    const uint64_t *weights; /* of 128, four times: low byte the first's, high byte the second's */
    uint32_t count;
    uint32_t source_count; /* pixels that may be read */
    uint32_t reach;        /* the largest index */
};

/* A line that stores will come to, some lines on: a core asks for it when it has one of them. */
RASTER_INLINE void raster_fetch_to_write(const void *to)
{
    __builtin_prefetch((const char *)((uintptr_t)to + 512), 1, 3);
}

struct raster_rows {
    uint8_t *place;
    size_t pitch;
    uint32_t count; /* at least one */
};

RASTER_INLINE uint32_t *raster_row(const struct raster_rows *rows, uint32_t i)
{
    return (void *)(rows->place + i * rows->pitch);
}

RASTER_INLINE uint32_t raster_place(const struct raster_positions *at, uint32_t i)
{
    return at->first[i / 16] + at->index[i];
}

/* What is done a first time and soon again is near; what is not in the caches, and does not fit, is
 * fetched ahead; and what is written there goes past them, if that is whole lines. */
enum raster_way { RASTER_NEAR, RASTER_FAR, RASTER_PAST };

/* A square of pixels whose columns become rows: the first column goes to `to`. */
struct raster_square {
    const uint8_t *from;
    ptrdiff_t from_step; /* from a row to the next */
    uint8_t *to;         /* RASTER_PAST: lies as a whole vector of pixels does */
    ptrdiff_t to_step;
};

#define RASTER_FETCH_AHEAD 128 /* bytes of a source row: two lines */

/* The squares below in the source, and what will be written beside this one. */
RASTER_INLINE void raster_fetch_square(const struct raster_square *square, ptrdiff_t side,
                                       enum raster_way way)
{
    ptrdiff_t ahead = square->to_step > 0 ? RASTER_FETCH_AHEAD : -RASTER_FETCH_AHEAD;
    for (ptrdiff_t i = 0; i < side; i++) {
        __builtin_prefetch(square->from + i * square->from_step + ahead, 0, 2);
        if (way == RASTER_FAR)
            __builtin_prefetch(square->to + i * square->to_step + 64, 1, 3);
    }
}

struct raster_kernels {
    void (*copy_keyed)(const struct raster_block *block, uint32_t key, uint32_t key_mask,
                       uint32_t or_mask);
    void (*over)(const struct raster_block *block, uint32_t opacity, uint32_t or_mask);
    uint32_t turn_side; /* of squares, in pixels; 0: there are none */
    void (*turn_square)(const struct raster_square *square, enum raster_way way);
    /* Some rows that are the same. */
    void (*nearest_rows)(const struct raster_rows *to, const uint32_t *from,
                         const struct raster_positions *at, uint32_t or_mask);
    /* Bilinear, across: a row of 16-bit channels, four a pixel, each the weighted sum less 16384
     * (so that it is signed). The row has room for RASTER_ROW_PADDING more bytes. In each group of
     * sixteen the form has the weights, and leaves the pixels, in an order of its own: pixel i
     * stands at places[i]; NULL: they are as they come. */
    const uint8_t *places;
    void (*blend_columns)(int16_t *to, const uint8_t *from, const struct raster_positions *at);
    /* Bilinear, down: two such rows, the second with `weight` of 128. */
    void (*blend_rows)(uint32_t *to, const int16_t *first, const int16_t *second, uint32_t weight,
                       uint32_t count, uint32_t or_mask);

    /* Bilinear to twice the size, where all weights are quarters, both or none. First down, to
     * 16-bit channels again: each is 16 * (first * (4 - quarters) + second * quarters), so that
     * after the second pass the high byte is the channel. The row has room for RASTER_ROW_PADDING
     * more bytes. */
    void (*mix_rows)(int16_t *to, const uint8_t *first, const uint8_t *second, uint32_t quarters,
                     uint32_t count);
    /* Then across: each pixel of such a row becomes two. There is a pixel before and one after; of
     * eight before and sixteen after there are bytes. */
    void (*spread_row)(uint32_t *to, const int16_t *mixed, uint32_t count, uint32_t or_mask);
};

#define RASTER_BLEND_BIAS 16384

/* Rows between the two passes are so many bytes longer than their pixels, for whole vectors. */
#define RASTER_ROW_PADDING 256

/* The weighted sum of two rows for processors that have the high half of a signed 16-bit product:
 * base + (to - from) * factor / 65536 is (first * (128 - weight) + second * weight) / 128, cut. The
 * row that weighs more is the base, so that the factor has room; a half is -32768. */
struct raster_slope {
    const int16_t *base, *from, *to;
    int16_t factor;
};

RASTER_INLINE struct raster_slope raster_slope(const int16_t *first, const int16_t *second,
                                               uint32_t weight)
{
    if (weight < 64)
        return (struct raster_slope){first, first, second, (int16_t)(weight * 512)};
    if (weight == 64)
        return (struct raster_slope){first, second, first, INT16_MIN};
    return (struct raster_slope){second, second, first, (int16_t)((128 - weight) * 512)};
}

/* The pixels of a row from `begin` on, in plain C. */
void raster_nearest_from(uint32_t begin, const struct raster_rows *to, const uint32_t *from,
                         const struct raster_positions *at, uint32_t or_mask);
void raster_blend_columns_from(uint32_t begin, int16_t *to, const uint8_t *from,
                               const struct raster_positions *at);

extern const struct raster_kernels raster_scalar, raster_avx2, raster_avx512;

/* The form in use. */
const struct raster_kernels *raster_kernels(void);

#endif
