/* modes.h: what modes.c, and modes_scaled.c and modes_gamma.c as parts of it, share. */
#ifndef WORKLOADS_MODES_H
#define WORKLOADS_MODES_H

#include "gpu.h"

/* Colours of the primaries, and of the marks on them. */
#define MODES_FIRST  0x2F4E6Eu
#define MODES_SECOND 0x5A3A66u
#define MODES_MARK   0xD8B040u

struct modes_scene {
    struct gpu gpu;
    D3DKMT_DISPLAYMODE home, small, large; /* the last as the first: there is none */
    struct surface primaries[2], others[2], label, other_label; /* without alpha, and with */
    struct picture label_picture, screen; /* what the primary that is shown must hold */
};

/* What was done last, and the rule that a wrong picture breaks; NULL: none by itself. */
struct modes_step {
    const char *done, *rule;
};

struct modes_place {
    bool rotate; /* it is in the space of the client, which sees the picture turned */
    int x, y;
    bool parts; /* of the label alone */
    bool other; /* the label in the other format */
};

bool modes_has_large(const struct modes_scene *scene);
/* One colour, with marks that tell each corner from the others. */
bool modes_paint(struct modes_scene *scene, const struct surface *surface, uint32_t colour);
bool modes_make_primaries(struct modes_scene *scene, const D3DKMT_DISPLAYMODE *mode,
                          unsigned count);
/* The picture is wrong, and so. */
void modes_tell(const struct modes_scene *scene, const struct modes_step *step, const char *what);
/* The mode of the primary, turned. */
NTSTATUS modes_set(struct modes_scene *scene, const struct surface *primary,
                   D3DDDI_ROTATION rotation);
/* A copy to the first primary, and where it is to be seen. */
NTSTATUS modes_draw_label(struct modes_scene *scene, struct modes_place at);
void modes_expect_label(struct modes_scene *scene, D3DDDI_ROTATION rotation, struct modes_place at);
bool modes_is_refused(NTSTATUS status); /* it could not be turned, or had other colours */

/* What is on the monitor is what the primary holds, or that is told. */
bool modes_look(struct modes_scene *scene, const struct modes_step *step);

/* modes_gamma.c: a ramp and its end, of a mode that is shown. */
bool modes_show_gamma(struct modes_scene *scene);

/* modes_scaled.c: from the mode of its own size, and to each other; to that of the home mode in the
 * end, or one that is larger. */
bool modes_run_scaled(struct modes_scene *scene);

#endif
