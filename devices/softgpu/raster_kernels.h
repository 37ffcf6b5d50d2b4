/* raster_kernels.h: the table through which raster.c reaches the forms of its inner loops. */
#ifndef SOFTGPU_RASTER_KERNELS_H
#define SOFTGPU_RASTER_KERNELS_H

#include "raster.h"

/* Where the pixels of a stretched row come from. Bilinear: pixel i is made of source pixels
 * index[i] and index[i] + 1, the second of which has no weight where there is none. */
struct raster_positions {
    const uint32_t *index;   /* ascending */
    const uint64_t *weights; /* of 128, four times: low byte the first's, high byte the second's */
    uint32_t count;
    uint32_t source_count; /* pixels that may be read */
};

struct raster_kernels {
    void (*copy_keyed)(const struct raster_block *block, uint32_t key, uint32_t key_mask,
                       uint32_t or_mask);
    void (*over)(const struct raster_block *block, uint32_t opacity, uint32_t or_mask);
    /* A quarter turn. */
    void (*transpose)(const struct raster_block *block, bool clockwise);
    void (*nearest_row)(uint32_t *to, const uint32_t *from, const struct raster_positions *at,
                        uint32_t or_mask);
    /* Bilinear, across: a row of 16-bit channels, four a pixel, each the weighted sum less 16384
     * (so that it is signed). The row has room for RASTER_ROW_PADDING more bytes. */
    void (*blend_columns)(int16_t *to, const uint8_t *from, const struct raster_positions *at);
    /* Bilinear, down: two such rows, the second with `weight` of 128. */
    void (*blend_rows)(uint32_t *to, const int16_t *first, const int16_t *second, uint32_t weight,
                       uint32_t count, uint32_t or_mask);
};

#define RASTER_BLEND_BIAS 16384

/* Rows between the two passes are so many bytes longer than their pixels, for whole vectors. */
#define RASTER_ROW_PADDING 256

extern const struct raster_kernels raster_scalar, raster_avx2, raster_avx512;

/* The form in use. */
const struct raster_kernels *raster_kernels(void);

#endif
