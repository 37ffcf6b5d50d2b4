/* scenes.h: one Present with everything that its outcome hangs on, as numbers: a scene can be drawn
 * at random, made again, and made smaller. */
#ifndef WORKLOADS_SCENES_H
#define WORKLOADS_SCENES_H

#include "gpu.h"
#include "oracle.h"

#define SCENE_BOXES_MAX 2048u
#define SCENE_SURFACES  10u
#define SCENE_NO_SOURCE SCENE_SURFACES
#define SCENE_RULES_MAX 12u

enum scene_content { SCENE_NOISE, SCENE_FEW_COLOURS, SCENE_FLAT };

struct scene {
    unsigned from, to; /* places in the pool; SCENE_NO_SOURCE: a fill */
    struct box from_box, to_box;
    unsigned count; /* 0: no list */
    uint32_t color, seed;
    enum scene_content content;
    bool source_key, destination_key, linear_to_srgb, bilinear;
    bool evicted;                      /* both surfaces leave their places before */
    struct box boxes[SCENE_BOXES_MAX]; /* of the source */
};

/* The surfaces that scenes are made on. */
struct scene_surface {
    struct surface surface;
    D3DDDIFORMAT format;
    uint8_t *before, *after; /* as the surface is, and as it is to become */
    size_t bytes;
};

struct scene_pool {
    struct gpu gpu;
    unsigned count;
    struct scene_surface surfaces[SCENE_SURFACES];
    bool is_ours;   /* the driver whose filter and rounding are known */
    bool has_words; /* its Present takes private data */
    /* A key was seen to keep pixels, between two surfaces of one format: of the source, of the
     * destination. */
    bool key_is_known[2];
    const char *told[SCENE_RULES_MAX];
    unsigned told_count;
};

static inline bool scene_is_stretched(const struct scene *scene)
{
    return scene->from != SCENE_NO_SOURCE &&
           (box_width(scene->from_box) != box_width(scene->to_box) ||
            box_height(scene->from_box) != box_height(scene->to_box));
}

/* One color for all that is keyed or has few of them. */
static inline uint32_t scene_colour(unsigned which)
{
    static const uint32_t colours[4] = {0xFFF800F8, 0xFF00FC00, 0xFF181818, 0xFFF8FC00};

    return colours[which % 4];
}

/* scene_make.c */
void scene_make(const struct scene_pool *pool, uint64_t random, struct scene *out);
/* The n-th way to make it smaller; false: there are no more. What comes of it may be no scene that
 * differs. */
bool scene_smaller(const struct scene *scene, unsigned n, struct scene *out);

#endif
