/* desktop_compose.h: who composes the desktop: what it draws with, and what of each surface is not
 * yet as it must be. */
#ifndef WORKLOADS_DESKTOP_COMPOSE_H
#define WORKLOADS_DESKTOP_COMPOSE_H

#include "desktop.h"
#include "layers.h"
#include "second.h"

#define DESKTOP_PRIMARIES 3
#define DESKTOP_TASKBAR   46

/* A surface that frames are drawn on in turn. */
struct drawn {
    struct surface surface;
    pixman_region32_t stale; /* what it holds of older frames */
};

struct compositor {
    struct gpu gpu;
    unsigned width, height;
    D3DDDIFORMAT format;
    struct drawn primaries[DESKTOP_PRIMARIES];
    struct surface readback;
    struct picture screen;          /* what the latest primary must hold */
    pixman_region32_t screen_stale; /* what it holds of older frames */
    struct second second;
    struct canvas wallpaper, cursor, icons[ART_ICON_COUNT];
    struct canvas titles[DESKTOP_WINDOWS_MAX], shadows[DESKTOP_WINDOWS_MAX];
    struct canvas seen[DESKTOP_WINDOWS_MAX]
                      [2];               /* the windows' surfaces; their pictures are theirs */
    unsigned order[DESKTOP_WINDOWS_MAX]; /* of windows, the lowest first */
    double phases[DESKTOP_WINDOWS_MAX];
    unsigned ages[DESKTOP_WINDOWS_MAX]; /* frames in which they moved */
    struct layers layers[2];            /* of the latest frame and of the one before, in turn */
    uint64_t frame_count, wrong_pixels;
    uint64_t compared_count;
    uint64_t frames_unseen, gap; /* since one was compared; from that one to the next */
    bool no_keys;           /* the driver refused colour keys */
};

/* Nothing that is to be drawn on holds any of it yet. */
void compositor_start(struct compositor *compositor);
/* Draws what of the primary is not yet as the windows that are held now want it. */
bool compositor_draw(struct compositor *compositor, const struct desktop *desktop,
                     struct drawn *primary);
/* The same of the picture, as of the frame that was drawn last. */
void compositor_paint(struct compositor *compositor);
void compositor_end(struct compositor *compositor); /* accepts a zeroed one */

#endif
