/* raster_kernels.h: the table through which raster.c reaches the forms of its inner loops. */
#ifndef SOFTGPU_RASTER_KERNELS_H
#define SOFTGPU_RASTER_KERNELS_H

#include "raster.h"

/* Positions of a stretched row: source index and, for bilinear, the weight of its neighbour. */
struct raster_positions {
    const uint32_t *index;   /* of the left (or only) source pixel */
    const uint32_t *right;   /* of its right neighbour */
    const uint16_t *weight;  /* of the right one, of 128 */
    uint32_t count;
};

struct raster_kernels {
    void (*copy_keyed)(const struct raster_block *block, uint32_t key, uint32_t key_mask,
                       uint32_t or_mask);
    void (*over)(const struct raster_block *block, uint32_t opacity, uint32_t or_mask);
    /* A quarter turn. */
    void (*transpose)(const struct raster_block *block, bool clockwise);
    void (*nearest_row)(uint32_t *to, const uint32_t *from, const struct raster_positions *at,
                        uint32_t or_mask);
    /* Row of four 16-bit channels a pixel: first * (128 - weight) + second * weight. */
    void (*blend_rows)(uint16_t *to, const uint8_t *first, const uint8_t *second, uint32_t weight,
                       uint32_t pixels);
    void (*bilinear_row)(uint32_t *to, const uint16_t *from, const struct raster_positions *at,
                         uint32_t or_mask);
};

extern const struct raster_kernels raster_scalar, raster_avx2, raster_avx512;

/* The form in use. */
const struct raster_kernels *raster_kernels(void);

#endif
