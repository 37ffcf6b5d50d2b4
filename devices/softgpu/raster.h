/* raster.h: operations on blocks of pixels.
 *
 * They know nothing of the GPU: pointers, pitches and sizes that the caller has checked. Each
 * operation has one meaning, defined by the plain C of raster.c, and faster forms for processors
 * that have them (raster_avx2.c, raster_avx512.c); all forms give the same bits. Where pixman has
 * the operation, its result is the same too.
 *
 * 32-bit pixels are 0xAARRGGBB words. `or_mask` is OR-ed to every pixel written: 0xFF000000 for
 * surfaces without alpha, else 0. */
#ifndef SOFTGPU_RASTER_H
#define SOFTGPU_RASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raster_block {
    uint8_t *to;
    size_t to_pitch;
    const uint8_t *from; /* does not overlap `to` */
    size_t from_pitch;
    uint32_t width, height; /* of the destination, in pixels */
};

void raster_fill(const struct raster_block *block, uint32_t pixel_size, uint32_t colour);
void raster_copy(const struct raster_block *block, uint32_t pixel_size);
/* Copies 32-bit pixels whose (value & key_mask) differs from key. */
void raster_copy_keyed(const struct raster_block *block, uint32_t key, uint32_t key_mask,
                       uint32_t or_mask);
/* Copies 32-bit pixels with or_mask. */
void raster_copy_or(const struct raster_block *block, uint32_t or_mask);
/* to = from * opacity / 255 OVER to; premultiplied, rounding as pixman. */
void raster_over(const struct raster_block *block, uint32_t opacity, uint32_t or_mask);
/* Clockwise, 32-bit pixels. width and height are the destination's: with an odd number of turns
 * the source is height wide and width high. */
void raster_rotate(const struct raster_block *block, unsigned quarter_turns);

/* One pixel between formats of softgpu_regs.h. */
uint32_t raster_unpack(uint32_t format, const uint8_t *pixel); /* to 0xAARRGGBB */
void raster_pack(uint32_t format, uint8_t *pixel, uint32_t argb);
/* Channels that count light become codes of sRGB; alpha stays. */
uint32_t raster_to_srgb(uint32_t argb);

/* ---- Stretching ----
 *
 * Destination pixel i takes the source at (i + 1/2) * step in 16.16 fixed point, where step is
 * from_width * 65536 / to_width, cut: pixman's scaling with the source repeated at its edges.
 * Bilinear weights have 7 bits. */
struct raster_stretch {
    uint8_t *to; /* pixel (clip_left, clip_top) of the destination rectangle */
    size_t to_pitch;
    const uint8_t *from; /* top left of the source rectangle */
    size_t from_pitch;
    uint32_t from_width, from_height; /* 1 ... 16384 */
    uint32_t to_width, to_height;     /* the whole destination rectangle; 1 ... 65536 */
    uint32_t clip_left, clip_top, clip_width, clip_height; /* the part of it to be made */
    uint32_t or_mask;
    bool bilinear;
};

#define RASTER_STRETCH_WIDTH_MAX 16384u /* of the part made in one call */

void raster_stretch(const struct raster_stretch *stretch);

/* For sources that are not in one piece: which two rows make row `row` of the destination
 * rectangle, and the weight (of 128) of the second. Nearest: both the same, weight 0. */
void raster_stretch_rows(const struct raster_stretch *stretch, uint32_t row, uint32_t *first,
                         uint32_t *second, uint32_t *weight);
/* That row from these two source rows. */
void raster_stretch_row(const struct raster_stretch *stretch, const uint8_t *first,
                        const uint8_t *second, uint32_t weight, uint8_t *to);

/* ---- Which form is used ---- */

enum raster_form { RASTER_SCALAR, RASTER_AVX2, RASTER_AVX512, RASTER_BEST };

/* False if this processor does not have it. For tests and measurements; starts as RASTER_BEST. */
bool raster_use(enum raster_form form);

#endif
