/* Surfaces with the pictures that they must hold; see canvas.h. */
#include "canvas.h"

#include <string.h>

#define PROBE_SIDE   16
#define PROBE_BEFORE 0x507090u
#define PROBE_FILLED 0xA03010u

bool canvas_create(struct gpu *gpu, unsigned width, unsigned height, bool shared,
                   struct canvas *out)
{
    *out = (struct canvas){0};
    return picture_create(width, height, &out->picture) &&
           gpu_surface_create(gpu, DRYDOCK_SURFACE_SHADOW, width, height, D3DDDIFMT_X8R8G8B8,
                              shared, &out->surface) &&
           gpu_upload(gpu, &out->surface, &out->picture);
}

bool canvas_from_picture(struct gpu *gpu, struct picture *picture, struct canvas *out)
{
    *out = (struct canvas){.picture = *picture};
    picture->pixels = NULL;
    return gpu_surface_create(gpu, DRYDOCK_SURFACE_SHADOW, out->picture.width, out->picture.height,
                              D3DDDIFMT_X8R8G8B8, false, &out->surface) &&
           gpu_upload(gpu, &out->surface, &out->picture);
}

void canvas_destroy(struct gpu *gpu, struct canvas *canvas)
{
    gpu_surface_destroy(gpu, &canvas->surface);
    picture_destroy(&canvas->picture);
}

bool canvas_fill(struct gpu *gpu, struct canvas *to, struct box box, uint32_t colour)
{
    if (box_is_empty(box_intersect(box, picture_box(&to->picture)))) {
        return true;
    }
    if (!gpu_fill(gpu, &to->surface, box, colour)) {
        return false;
    }
    if (!to->unpainted) {
        picture_fill(&to->picture, box, colour);
    }
    return true;
}

bool canvas_copy(struct gpu *gpu, struct canvas *to, int x, int y, const struct canvas *from,
                 struct box box)
{
    if (box_is_empty(box)) {
        return true;
    }
    if (!gpu_blt(gpu, &to->surface, x, y, &from->surface, box)) {
        return false;
    }
    if (!to->unpainted) {
        picture_copy(&to->picture, x, y, &from->picture, box);
    }
    return true;
}

/* Was the optional present done? */
static bool done(struct gpu *gpu, NTSTATUS status, const char *what, bool *refused)
{
    *refused = is_refusal(status);
    return !*refused && gpu_check(gpu, status, what);
}

bool canvas_copy_keyed(struct gpu *gpu, struct canvas *to, int x, int y, const struct canvas *from,
                       struct box box, uint32_t key, bool *refused)
{
    uint32_t whole_key = key | 0xFF000000;
    NTSTATUS status = gpu_try_blt(gpu, &to->surface, box_at(x, y, box_width(box), box_height(box)),
                                  &from->surface, box, &whole_key);

    if (done(gpu, status, "D3DKMTPresent (Blt, SrcColorKey)", refused) && !to->unpainted) {
        picture_copy_keyed(&to->picture, x, y, &from->picture, box, key);
    }
    return *refused || status >= 0;
}

bool canvas_enlarge(struct gpu *gpu, struct canvas *to, int x, int y, const struct canvas *from,
                    struct box box, unsigned factor, bool *refused)
{
    int scale = (int)factor;
    NTSTATUS status = gpu_try_blt(gpu, &to->surface,
                                  box_at(x, y, box_width(box) * scale, box_height(box) * scale),
                                  &from->surface, box, NULL);

    if (done(gpu, status, "D3DKMTPresent (Blt, stretched)", refused) && !to->unpainted) {
        picture_enlarge(&to->picture, x, y, &from->picture, box, factor);
    }
    return *refused || status >= 0;
}

bool canvas_scroll(struct gpu *gpu, struct canvas *canvas, int dx, int dy, struct box box,
                   bool *refused)
{
    struct box target = {box.left + dx, box.top + dy, box.right + dx, box.bottom + dy};
    NTSTATUS status = gpu_try_blt(gpu, &canvas->surface, target, &canvas->surface, box, NULL);

    if (done(gpu, status, "D3DKMTPresent (Blt within a surface)", refused) && !canvas->unpainted) {
        picture_copy(&canvas->picture, target.left, target.top, &canvas->picture, box);
    }
    return *refused || status >= 0;
}

bool canvas_copy_boxes(struct gpu *gpu, struct canvas *to, const struct canvas *from,
                       const struct box *boxes, unsigned count)
{
    if (!gpu_blt_boxes(gpu, &to->surface, &from->surface, boxes, count)) {
        return false;
    }
    for (unsigned i = 0; i < count && !to->unpainted; i++) {
        picture_copy(&to->picture, boxes[i].left, boxes[i].top, &from->picture, boxes[i]);
    }
    return true;
}

bool canvas_fill_boxes(struct gpu *gpu, struct canvas *to, uint32_t colour, const struct box *boxes,
                       unsigned count)
{
    if (!gpu_fill_boxes(gpu, &to->surface, colour, boxes, count)) {
        return false;
    }
    for (unsigned i = 0; i < count && !to->unpainted; i++) {
        picture_fill(&to->picture, boxes[i], colour);
    }
    return true;
}

uint64_t canvas_compare(struct gpu *gpu, const struct canvas *canvas, struct box *first)
{
    return gpu_compare(gpu, &canvas->surface, &canvas->picture, first);
}

bool canvas_fills_nothing(struct gpu *gpu)
{
    const struct drydock_workload_host *host = gpu->host;
    struct picture before;
    struct canvas probe = {0};
    struct box first;

    if (host->failed(host) || !picture_create(PROBE_SIDE, PROBE_SIDE, &before)) {
        return false;
    }
    picture_fill(&before, picture_box(&before), PROBE_BEFORE);
    bool nothing = canvas_from_picture(gpu, &before, &probe) &&
                   gpu_fill(gpu, &probe.surface, picture_box(&probe.picture), PROBE_FILLED) &&
                   gpu_wait_idle(gpu) && canvas_compare(gpu, &probe, &first) == 0;
    canvas_destroy(gpu, &probe);
    if (nothing) {
        host->note(host, "left out: the driver carries out no ColorFill [PRES-034], by which the "
                         "pictures here are painted");
    }
    return nothing;
}
