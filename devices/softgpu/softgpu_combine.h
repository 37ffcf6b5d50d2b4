/* softgpu_combine.h: COMBINE, the command of the software GPU that makes a pixel of two others, or of
 * one and a colour, as GDI draws: the part of softgpu_regs.h that drivers need for it. */
#ifndef SOFTGPU_COMBINE_H
#define SOFTGPU_COMBINE_H

#include "softgpu_regs.h"

/* destination = f(source, destination), pixel by pixel, 32 bits each, none of which is left out. A
 * pixel of `destination_rect` shows the source pixel that its centre falls into; one that lies
 * between two pixels the right, or lower, one. Within one surface rectangles of one size may
 * overlap, and nothing is read after it was written.
 *
 *     ROP     bit n of a ternary code, n = 4 * bit of `colour` + 2 * bit of the source + bit of the
 *             destination; operand: the code
 *     BLEND   source * opacity / 255 + destination * (1 - alpha), premultiplied; alpha is the
 *             opacity's or, with SOURCE_ALPHA, that of the product; operand: the opacity, to 255
 *     KEYED   the source, but for pixels that are `colour` under the mask; operand: the mask
 *     TEXT    the source says for each channel how much of `colour` there is over the destination;
 *             0 leaves it, 255 is `colour2`. With GAMMA 256 bytes at `table` lead to the space in
 *             which they are mixed, and 256 behind them back; without, channels that become
 *             brighter go by the source's red, others by its green */
struct softgpu_command_combine {
    softgpu_u32 header;
    softgpu_u32 flags; /* SOFTGPU_COMBINE_... */
    softgpu_u32 operand;
    softgpu_u32 colour, colour2;
    struct softgpu_surface destination;   /* BGRX8 or BGRA8 */
    struct softgpu_surface source;        /* likewise; not looked at with NO_SOURCE */
    struct softgpu_address table;         /* 0 but for GAMMA */
    struct softgpu_rect destination_rect; /* may leave the destination: clip decides */
    struct softgpu_rect source_rect;
    struct softgpu_rect clip;
};
#define SOFTGPU_COMBINE_ROP          0x0u
#define SOFTGPU_COMBINE_BLEND        0x1u
#define SOFTGPU_COMBINE_KEYED        0x2u
#define SOFTGPU_COMBINE_TEXT         0x3u
#define SOFTGPU_COMBINE_OPERATIONS   0x3u
#define SOFTGPU_COMBINE_NO_SOURCE    0x10u /* of ROP: a code that does not ask for it */
#define SOFTGPU_COMBINE_SOURCE_ALPHA 0x20u /* of BLEND */
#define SOFTGPU_COMBINE_GAMMA        0x40u /* of TEXT */
#define SOFTGPU_COMBINE_MIRROR_X     0x80u
#define SOFTGPU_COMBINE_MIRROR_Y     0x100u
#define SOFTGPU_COMBINE_TABLE_BYTES  512u

#endif
