/* layers.h: what a screen is composed of, lowest first, and what of it has to be drawn anew.
 *
 * A frame is a list of layers. Where the lists of two frames differ is damage; the driver under
 * test draws that alone, and of each layer only what no opaque layer above it hides. The reference
 * is drawn from the same list, but by damage of its own: it knows nothing of what which surface
 * holds already.
 *
 *     list before ──┐                          ┌──> of each surface ──> layers_draw
 *                   ├── layers_differ ──> damage
 *     list of now ──┘                          └──> of the picture ──> layers_paint */
#ifndef WORKLOADS_LAYERS_H
#define WORKLOADS_LAYERS_H

#include <pixman.h>

#include "canvas.h"

#define LAYERS_MAX 160

enum layer_kind { LAYER_FILL, LAYER_COPY, LAYER_KEYED /* pixels of `colour` are left out */ };

struct layer {
    enum layer_kind kind;
    struct box to; /* may reach over the edges of the screen */
    uint32_t colour;
    const struct canvas *from;
    int from_x, from_y;
    uint64_t version; /* of `from`, when it was added */
};

struct layers {
    unsigned count;
    bool hidden_too;  /* layers_draw: each over those below it, so that their order shows */
    bool lists_alone; /* layers_draw: where it can be, sub-rectangles without a DstRect */
    struct layer at[LAYERS_MAX];
};

/* What lies outside of its canvas or the screen does not count. */
void layers_fill(struct layers *layers, struct box box, uint32_t colour);
void layers_copy(struct layers *layers, int x, int y, const struct canvas *from, struct box box);
void layers_copy_keyed(struct layers *layers, int x, int y, const struct canvas *from,
                       struct box box, uint32_t key);

/* Adds where the two differ. */
void layers_differ(const struct layers *before, const struct layers *now,
                   pixman_region32_t *damage);
/* By Presents to the surface. *refused: the driver has no colour keys, and part of it is drawn. */
bool layers_draw(struct gpu *gpu, const struct layers *layers, const struct surface *to,
                 pixman_region32_t *damage, bool *refused);
void layers_paint(const struct layers *layers, struct picture *to, pixman_region32_t *damage);

#endif
