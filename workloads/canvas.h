/* canvas.h: a surface of the GPU together with the picture that it must hold.
 *
 * Each operation is done twice, by the driver under test and by pixman, and afterwards the two can
 * be compared. */
#ifndef WORKLOADS_CANVAS_H
#define WORKLOADS_CANVAS_H

#include "gpu.h"

struct canvas {
    struct surface surface;
    struct picture picture;
    uint64_t version; /* who draws on it anew may count that, for others to see */
    bool unpainted;   /* the driver alone draws: the picture is not what the surface must hold */
};

/* A shadow surface and its picture, both black. */
bool canvas_create(struct gpu *gpu, unsigned width, unsigned height, bool shared,
                   struct canvas *out);
/* Takes the picture over. */
bool canvas_from_picture(struct gpu *gpu, struct picture *picture, struct canvas *out);
void canvas_destroy(struct gpu *gpu, struct canvas *canvas);

bool canvas_fill(struct gpu *gpu, struct canvas *to, struct box box, uint32_t colour);
bool canvas_copy(struct gpu *gpu, struct canvas *to, int x, int y, const struct canvas *from,
                 struct box box);
/* False only on failure. *refused: the driver cannot do it, and nothing changed. */
bool canvas_copy_keyed(struct gpu *gpu, struct canvas *to, int x, int y, const struct canvas *from,
                       struct box box, uint32_t key, bool *refused);
bool canvas_enlarge(struct gpu *gpu, struct canvas *to, int x, int y, const struct canvas *from,
                    struct box box, unsigned factor, bool *refused);
bool canvas_scroll(struct gpu *gpu, struct canvas *canvas, int dx, int dy, struct box box,
                   bool *refused);
bool canvas_copy_boxes(struct gpu *gpu, struct canvas *to, const struct canvas *from,
                       const struct box *boxes, unsigned count);
bool canvas_fill_boxes(struct gpu *gpu, struct canvas *to, uint32_t colour, const struct box *boxes,
                       unsigned count);
/* What differs; UINT64_MAX if the surface cannot be read. */
uint64_t canvas_compare(struct gpu *gpu, const struct canvas *canvas, struct box *first);

/* For a picture that is wrong: does the driver leave fills out altogether? That is advice
 * [PRES-034]; what was painted by them is no picture to judge by, which is noted then. */
bool canvas_fills_nothing(struct gpu *gpu);

/* A driver may say no to what its hardware cannot do. */
static inline bool is_refusal(NTSTATUS status)
{
    return status == STATUS_GRAPHICS_CANNOTCOLORCONVERT || status == STATUS_NOT_SUPPORTED;
}

#endif
