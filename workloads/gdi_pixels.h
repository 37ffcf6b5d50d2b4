/* gdi_pixels.h: what one picture operation of GDI makes of each pixel, by the formulas of its page,
 * as far as they bind a driver: where they leave it a choice, each of the choices is right. */
#ifndef WORKLOADS_GDI_PIXELS_H
#define WORKLOADS_GDI_PIXELS_H

#include <drydock/client.h>

#include "picture.h"

#define GDI_TABLE_ROWS   16
#define GDI_TABLE_ROW    512 /* 256 gammas, then what undoes them */
#define GDI_TABLE_PIXELS (GDI_TABLE_ROWS * GDI_TABLE_ROW)

struct gdi_pictures {
    const struct picture *ground, *source; /* 0xAARRGGBB */
    const uint8_t *table;                  /* GDI_TABLE_PIXELS */
};

/* The first pixel of `result` that is wrong, as a driver may have drawn the command over the
 * ground; and how many are. *expected is one of the values that would have been right. */
uint64_t gdi_pixels_wrong(const struct gdi_pictures *pictures,
                          const struct drydock_gdi_command *command, const RECT *rects,
                          const uint32_t *result, struct box *first, uint32_t *expected);

#endif
