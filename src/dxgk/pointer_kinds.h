/* pointer_kinds.h: shapes of the pointer for looking at what a driver makes of them, of each kind
 * that PointerCaps has. A shape consists of parts, and a part's pixels do one of four things:
 *
 *   Color        opaque or transparent: by the alpha of its pixels, of which both ends are used
 *   Monochrome   (screen AND first mask) XOR second mask
 *   MaskedColor  alpha 0: the pixel instead of the screen's; 0xFF: XOR with it */
#ifndef DXGK_POINTER_KINDS_H
#define DXGK_POINTER_KINDS_H

#include "dxgk/screens.h"

enum dxgk_pointer_kind {
    DXGK_POINTER_COLOR,
    DXGK_POINTER_MONOCHROME,
    DXGK_POINTER_MASKED_COLOR,
    DXGK_POINTER_KINDS,
};

/* How a shape is made. A pixel of it: which of the four it does, and its colour. */
struct dxgk_pointer_sketch {
    unsigned width, height; /* width: a multiple of 8 */
    unsigned (*way_of)(unsigned x, unsigned y);
    uint32_t (*colour_of)(unsigned x, unsigned y);
};

/* "MaskedColor", as in DXGK_POINTERFLAGS. */
const char *dxgk_pointer_kind_name(enum dxgk_pointer_kind kind);
/* The driver's caps have it, and there is room for the sketch. */
bool dxgk_pointer_can_be(const struct dxgk_source *source, enum dxgk_pointer_kind kind,
                         const struct dxgk_pointer_sketch *sketch);
/* What a pixel of such a part makes of the screen's. */
uint32_t dxgk_pointer_makes(enum dxgk_pointer_kind kind, unsigned way, uint32_t colour,
                            uint32_t beneath);
/* The driver is given the shape. `pixels`: 4 bytes for each, of the kernel's memory. */
bool dxgk_pointer_give_sketch(struct dxgk_source *source, enum dxgk_pointer_kind kind,
                              const struct dxgk_pointer_sketch *sketch, void *pixels);
/* Before a sleep: who is looked at behind it has by then, hidden, the shape that comes first
 * there. The caller has no change in hand; may switch. */
void dxgk_pointers_before_sleep(struct dxgk_adapter *adapter);
/* A shape for each, when no part rests any more. */
bool dxgk_pointers_at_last(struct dxgk_adapter *adapter);
/* SetPointerPosition. False: it was refused. */
bool dxgk_pointer_set(const struct dxgk_source *source, LONG x, LONG y, bool visible);

#endif
