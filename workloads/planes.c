/* planes: pictures in overlay planes, one over the other.
 *
 *   two planes side by side ─ the lower one alone is moved ─ it goes off and comes back ─ each by a
 *   call of its own before one vertical sync ─ cut off, mirrored, turned, blended, of a smaller
 *   surface, stretched ─ at once ─ a plain flip, and a mode set, which turn the planes off
 *
 * Calls of D3DKMT take turns in their three forms. It needs no knowledge of a driver's commands,
 * and asks what it supports. After each step the monitor is compared with a picture made here. */
#include <stdio.h>
#include <string.h>

#include "gpu.h"
#include "periodic.h"
#include "workloads.h"

#define PLANES  2
#define SIDE    160 /* of the lower plane's part, which is square */
#define SMALLER 200 /* the width of a surface, and of no mode */
#define GROUND  0x30506Fu
#define SECOND  0x6F3A50u
#define FLAT    0x90A040u
#define ALPHA   0x80u
#define EDGE    8 /* pixels at the border of what is stretched, which filters may mix */
#define ROUNDED 2 /* a blended colour is off by no more, however it is rounded */
#define TRIES   8 /* before a step is left alone */

struct scene {
    struct gpu gpu;
    D3DKMT_DISPLAYMODE mode;
    struct surface surfaces[PLANES], spare, staging;
    D3DDDIFORMAT format;
    struct picture pictures[PLANES]; /* what they hold */
    struct picture screen;           /* what the monitor is to show */
    uint64_t gone;                   /* how often planes went, when all were last presented */
    D3DKMT_HANDLE second_context;
    unsigned asked, presented; /* how often, for the form of the call */
    bool blended;              /* a plane of the screen is */
};

/* A plane as it is asked for; the boxes are of the source and of the screen. */
struct view {
    bool on, blend, mirror_x, mirror_y;
    unsigned turns; /* clockwise */
    struct box from, to;
    struct box clip; /* what of `to` is seen; empty: all of it */
};

/* ---- Surfaces -------------------------------------------------------------------------------- */

static bool query_mode(struct scene *scene)
{
    return gpu_display_mode(scene->gpu.adapter, 0, &scene->mode) &&
           gpu_is_32_bit(scene->mode.Format) && scene->mode.Width >= 4 * SIDE &&
           scene->mode.Height >= 2 * SIDE;
}

/* No two places look alike, nor does one when it is mirrored or turned; colours no greater than the
 * alpha that they are multiplied with. */
static uint32_t texel(unsigned plane, unsigned x, unsigned y)
{
    uint32_t red = (x * 3 + y) % 0x7F, green = (y * 5 + x / 4) % 0x7F, blue = (x ^ y) % 0x7F;

    return plane == 0 ? red << 16 | green << 8 | blue : blue << 16 | red << 8 | green;
}

/* Where the rows of a primary are is the driver's secret: pictures come by Blt. */
static bool upload(struct scene *scene, unsigned plane)
{
    struct gpu *gpu = &scene->gpu;

    return gpu_upload(gpu, &scene->staging, &scene->pictures[plane]) &&
           gpu_blt(gpu, &scene->surfaces[plane], 0, 0, &scene->staging,
                   picture_box(&scene->pictures[plane])) &&
           gpu_wait_idle(gpu);
}

static bool make_picture(unsigned plane, unsigned width, unsigned height, struct picture *picture)
{
    if (!picture_create(width, height, picture)) {
        return false;
    }
    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++) {
            *picture_at(picture, (int)x, (int)y) = ALPHA << 24 | texel(plane, x, y);
        }
    }
    return true;
}

static bool make_surface(struct scene *scene, unsigned plane)
{
    unsigned width = scene->mode.Width, height = scene->mode.Height;

    return make_picture(plane, width, height, &scene->pictures[plane]) &&
           gpu_surface_create(&scene->gpu, DRYDOCK_SURFACE_PRIMARY, width, height, scene->format,
                              false, &scene->surfaces[plane]) &&
           upload(scene, plane);
}

/* With an alpha channel, if the driver makes primaries that have one. */
static bool make_surfaces(struct scene *scene)
{
    struct drydock_standard_allocation standard = {.kind = DRYDOCK_SURFACE_PRIMARY,
                                                   .width = scene->mode.Width,
                                                   .height = scene->mode.Height,
                                                   .format = D3DDDIFMT_A8R8G8B8};
    struct surface trial;
    bool good = gpu_surface_try_create(&scene->gpu, &standard, &trial) >= 0;

    if (good) {
        gpu_surface_destroy(&scene->gpu, &trial);
    }
    scene->format = good ? D3DDDIFMT_A8R8G8B8 : scene->mode.Format;
    return gpu_surface_create(&scene->gpu, DRYDOCK_SURFACE_SHADOW, scene->mode.Width,
                              scene->mode.Height, scene->format, false, &scene->staging) &&
           make_surface(scene, 0) && make_surface(scene, 1);
}

static bool set_spare(struct scene *scene)
{
    struct gpu *gpu = &scene->gpu;
    const D3DKMT_SETDISPLAYMODE mode = {
        .hDevice = gpu->device,
        .hPrimaryAllocation = scene->spare.allocation,
        .ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE,
        .DisplayOrientation = D3DDDI_ROTATION_IDENTITY,
    };
    return gpu_check_mode(gpu, D3DKMTSetDisplayMode(&mode), "D3DKMTSetDisplayMode");
}

static bool show_primary(struct scene *scene)
{
    struct gpu *gpu = &scene->gpu;

    return gpu_own(gpu) &&
           gpu_surface_create(gpu, DRYDOCK_SURFACE_PRIMARY, scene->mode.Width, scene->mode.Height,
                              scene->mode.Format, false, &scene->spare) &&
           gpu_fill(gpu, &scene->spare, picture_box(&scene->screen), GROUND) &&
           gpu_wait_idle(gpu) && set_spare(scene);
}

/* ---- What must be seen ----------------------------------------------------------------------- */

/* Where a pixel of the source rectangle comes to, in the target rectangle. */
static void place_pixel(const struct view *view, int u, int v, int to[2])
{
    int width = box_width(view->from), height = box_height(view->from);

    u = view->mirror_x ? width - 1 - u : u;
    v = view->mirror_y ? height - 1 - v : v;
    to[0] = view->turns == 0   ? u
            : view->turns == 1 ? height - 1 - v
            : view->turns == 2 ? width - 1 - u
                               : v;
    to[1] = view->turns == 0   ? v
            : view->turns == 1 ? u
            : view->turns == 2 ? height - 1 - v
                               : width - 1 - u;
}

static bool is_cut_off(const struct view *view, int x, int y)
{
    const struct box *clip = &view->clip;

    return !box_is_empty(*clip) &&
           (x < clip->left || x >= clip->right || y < clip->top || y >= clip->bottom);
}

/* Unstretched. */
static void compose(struct scene *scene, unsigned plane, const struct view *view)
{
    for (int v = 0; v < box_height(view->from); v++) {
        const uint32_t *row =
            picture_at(&scene->pictures[plane], view->from.left, view->from.top + v);
        int first[2], second[2]; /* the others lie in a line with these two */
        place_pixel(view, 0, v, first);
        place_pixel(view, 1, v, second);
        int right = second[0] - first[0], down = second[1] - first[1], count;
        int x = view->to.left + first[0], y = view->to.top + first[1];
        /* What a clip leaves of it is one piece. */
        for (count = box_width(view->from); count > 0 && is_cut_off(view, x, y); count--, row++) {
            x += right;
            y += down;
        }
        while (count > 0 && is_cut_off(view, x + (count - 1) * right, y + (count - 1) * down)) {
            count--;
        }
        picture_put_line(&scene->screen, (int[]){x, y, right, down}, row, count, view->blend);
    }
}

static void compose_all(struct scene *scene, const struct view views[PLANES])
{
    picture_fill(&scene->screen, picture_box(&scene->screen), 0);
    scene->blended = false;
    for (unsigned plane = PLANES; plane-- > 0;) { /* plane 0 is on top */
        if (views[plane].on) {
            scene->blended |= views[plane].blend;
            compose(scene, plane, &views[plane]);
        }
    }
}

/* ---- Asking and showing ---------------------------------------------------------------------- */

static RECT rect(struct box box)
{
    return (RECT){box.left, box.top, box.right, box.bottom};
}

static D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes_of(const struct scene *scene,
                                                           const struct view *view)
{
    return (D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3){
        .Flags = (view->mirror_y ? 1u : 0) | (view->mirror_x ? 2u : 0),
        .SrcRect = rect(view->from),
        .DstRect = rect(view->to),
        .ClipRect = box_is_empty(view->clip)
                        ? (RECT){0, 0, (LONG)scene->mode.Width, (LONG)scene->mode.Height}
                        : rect(view->clip),
        .Rotation = (D3DDDI_ROTATION)(D3DDDI_ROTATION_IDENTITY + view->turns),
        .Blend = view->blend ? D3DKMT_MULTIPLANE_OVERLAY_BLEND_ALPHABLEND
                             : D3DKMT_MULTIPLANE_OVERLAY_BLEND_OPAQUE,
        .StretchQuality = DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY_BILINEAR,
    };
}

/* Members that older forms have, too; the rest is as for a plain picture. */
#define OLDER_ATTRIBUTES(type, from)                                                     \
    (type)                                                                               \
    {                                                                                    \
        .Flags = (from).Flags, .SrcRect = (from).SrcRect, .DstRect = (from).DstRect,     \
        .ClipRect = (from).ClipRect, .Rotation = (from).Rotation, .Blend = (from).Blend, \
        .StretchQuality = (from).StretchQuality                                          \
    }

static NTSTATUS ask_first(struct scene *scene, const struct view views[PLANES], BOOL *supported)
{
    D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE planes[PLANES];
    D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT check = {.hDevice = scene->gpu.device,
                                                  .pOverlayPlanes = planes};

    for (unsigned i = 0; i < PLANES && views[i].on; i++) {
        planes[check.PlaneCount++] = (D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE){
            .hResource = scene->surfaces[i].resource,
            .PlaneAttributes = OLDER_ATTRIBUTES(D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES,
                                                attributes_of(scene, &views[i])),
        };
    }
    NTSTATUS status = D3DKMTCheckMultiPlaneOverlaySupport(&check);
    *supported = check.Supported;
    return status;
}

static NTSTATUS ask_second(struct scene *scene, const struct view views[PLANES], BOOL *supported)
{
    D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE2 planes[PLANES];
    D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT2 check = {
        .hAdapter = scene->gpu.adapter, .hDevice = scene->gpu.device, .pOverlayPlanes = planes};

    for (unsigned i = 0; i < PLANES; i++) {
        if (views[i].on) {
            planes[check.PlaneCount++] = (D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE2){
                .LayerIndex = i,
                .hResource = scene->surfaces[i].resource,
                .PlaneAttributes = OLDER_ATTRIBUTES(D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES2,
                                                    attributes_of(scene, &views[i])),
            };
        }
    }
    NTSTATUS status = D3DKMTCheckMultiPlaneOverlaySupport2(&check);
    *supported = check.Supported;
    return status;
}

static NTSTATUS ask_third(struct scene *scene, const struct view views[PLANES], BOOL *supported)
{
    D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes[PLANES];
    D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3 planes[PLANES], *list[PLANES];
    D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3 check = {
        .hAdapter = scene->gpu.adapter, .hDevice = scene->gpu.device, .ppOverlayPlanes = list};

    for (unsigned i = 0; i < PLANES; i++) {
        if (!views[i].on) {
            continue;
        }
        attributes[i] = attributes_of(scene, &views[i]);
        planes[i] = (D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3){
            .LayerIndex = i,
            .hResource = scene->surfaces[i].resource,
            .pPlaneAttributes = &attributes[i],
        };
        list[check.PlaneCount++] = &planes[i];
    }
    NTSTATUS status = D3DKMTCheckMultiPlaneOverlaySupport3(&check);
    *supported = check.Supported;
    return status;
}

/* Does the driver say that it can show them? Of its answer, what is seen may not change
 * [MPO-017]: the caller looks. */
static bool is_supported(struct scene *scene, const struct view views[PLANES])
{
    /* The first form has planes from the top down, none left out. */
    unsigned form = scene->asked++ % 3;
    BOOL supported = FALSE;
    NTSTATUS status = form == 0                   ? ask_third(scene, views, &supported)
                      : form == 1 || !views[0].on ? ask_second(scene, views, &supported)
                                                  : ask_first(scene, views, &supported);

    return gpu_check(&scene->gpu, status, "D3DKMTCheckMultiPlaneOverlaySupport") && supported;
}

/* Planes of one call. */
struct showing {
    const struct view *views;
    unsigned mask;
    D3DDDI_FLIPINTERVAL_TYPE interval;
    D3DKMT_HANDLE context;
};

#define IS_SHOWN(showing, i) ((showing)->mask & 1u << (i))

static NTSTATUS present_first(struct scene *scene, const struct showing *showing)
{
    D3DKMT_MULTIPLANE_OVERLAY planes[PLANES];
    D3DKMT_PRESENT_MULTIPLANE_OVERLAY present = {.hContext = showing->context,
                                                 .FlipInterval = showing->interval,
                                                 .Flags.Flip = 1,
                                                 .pPresentPlanes = planes};

    for (unsigned i = 0; i < PLANES; i++) {
        if (IS_SHOWN(showing, i)) {
            planes[present.PresentPlaneCount++] = (D3DKMT_MULTIPLANE_OVERLAY){
                .LayerIndex = i,
                .Enabled = showing->views[i].on,
                .hAllocation = scene->surfaces[i].allocation,
                .PlaneAttributes = OLDER_ATTRIBUTES(D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES,
                                                    attributes_of(scene, &showing->views[i])),
            };
        }
    }
    return D3DKMTPresentMultiPlaneOverlay(&present);
}

static NTSTATUS present_second(struct scene *scene, const struct showing *showing)
{
    D3DKMT_MULTIPLANE_OVERLAY2 planes[PLANES];
    D3DKMT_PRESENT_MULTIPLANE_OVERLAY2 present = {.hAdapter = scene->gpu.adapter,
                                                  .hContext = showing->context,
                                                  .FlipInterval = showing->interval,
                                                  .Flags.Flip = 1,
                                                  .pPresentPlanes = planes};

    for (unsigned i = 0; i < PLANES; i++) {
        if (IS_SHOWN(showing, i)) {
            planes[present.PresentPlaneCount++] = (D3DKMT_MULTIPLANE_OVERLAY2){
                .LayerIndex = i,
                .Enabled = showing->views[i].on,
                .hAllocation = scene->surfaces[i].allocation,
                .PlaneAttributes = OLDER_ATTRIBUTES(D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES2,
                                                    attributes_of(scene, &showing->views[i])),
            };
        }
    }
    return D3DKMTPresentMultiPlaneOverlay2(&present);
}

static NTSTATUS present_third(struct scene *scene, const struct showing *showing)
{
    D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes[PLANES];
    D3DKMT_MULTIPLANE_OVERLAY3 planes[PLANES], *list[PLANES];
    D3DKMT_HANDLE context = showing->context;
    D3DKMT_PRESENT_MULTIPLANE_OVERLAY3 present = {.hAdapter = scene->gpu.adapter,
                                                  .ContextCount = 1,
                                                  .pContextList = &context,
                                                  .ppPresentPlanes = list};

    for (unsigned i = 0; i < PLANES; i++) {
        if (!IS_SHOWN(showing, i)) {
            continue;
        }
        attributes[i] = attributes_of(scene, &showing->views[i]);
        planes[i] = (D3DKMT_MULTIPLANE_OVERLAY3){
            .LayerIndex = i,
            .InputFlags.Enabled = showing->views[i].on,
            .FlipInterval = showing->interval,
            .MaxImmediateFlipLine = ~0u,
            .AllocationCount = showing->views[i].on,
            .pAllocationList = &scene->surfaces[i].allocation,
            .pPlaneAttributes = &attributes[i],
        };
        list[present.PresentPlaneCount++] = &planes[i];
    }
    return D3DKMTPresentMultiPlaneOverlay3(&present);
}

/* Those of the mask, in one call. */
static NTSTATUS present(struct scene *scene, const struct showing *showing)
{
    switch (scene->presented++ % 3) {
    case 1:
        return present_second(scene, showing);
    case 2:
        return present_first(scene, showing);
    default:
        return present_third(scene, showing);
    }
}

/* What was done last, and the rule that a wrong picture breaks. */
struct step {
    const char *done, *rule;
};

/* The system may have shown the primary alone meanwhile. */
static bool is_undisturbed(const struct scene *scene)
{
    return scene->gpu.host->planes_gone(scene->gpu.host, 0) == scene->gone;
}

static bool look_at(const struct scene *scene, const struct step *step, const struct box *part)
{
    const struct drydock_workload_host *host = scene->gpu.host;
    unsigned width, height, stride;
    const void *pixels;
    uint64_t wrong = 0;
    int x = 0, y = 0;
    uint32_t seen = 0;

    if (host->failed(host) || !host->scanout(host, 0, &pixels, &width, &height, &stride)) {
        return !host->failed(host); /* the device cannot tell */
    }
    if (!is_undisturbed(scene)) {
        return true; /* the picture waited for that */
    }
    int right = part->right < (int)width ? part->right : (int)width;
    for (int row = part->top; row < part->bottom && row < (int)height; row++) {
        const uint32_t *line = (const void *)((const char *)pixels + (size_t)row * stride);
        const uint32_t *wanted = picture_at(&scene->screen, 0, row);
        if (!picture_colours_differ(line, wanted, part->left, right)) {
            continue;
        }
        for (int column = part->left; column < right; column++) {
            if (!picture_is_near(line[column], wanted[column], scene->blended ? ROUNDED : 0) &&
                wrong++ == 0) {
                x = column;
                y = row;
                seen = line[column] & 0xFFFFFF;
            }
        }
    }
    host->count(host, "present.scanouts_checked", 1);
    if (wrong) {
        host->count(host, "present.wrong_pixels", wrong);
        host->frame(host, "planes-expected", scene->screen.pixels, scene->screen.width,
                    scene->screen.height, scene->screen.width * 4);
        host->breaks(host, step->rule,
                     "after %s %llu pixels of the scan-out are wrong; the first at (%d, %d): "
                     "0x%06X, expected 0x%06X",
                     step->done, (unsigned long long)wrong, x, y, seen,
                     *picture_at(&scene->screen, x, y) & 0xFFFFFF);
    } else {
        host->holds(host, step->rule);
    }
    return wrong == 0;
}

static bool look(const struct scene *scene, const struct step *step)
{
    const struct box whole = picture_box(&scene->screen);

    return look_at(scene, step, &whole);
}

static bool flip(struct scene *scene, const struct view views[PLANES], unsigned mask,
                 D3DDDI_FLIPINTERVAL_TYPE interval)
{
    const struct showing showing = {views, mask, interval, scene->gpu.context};

    return gpu_check(&scene->gpu, present(scene, &showing), "D3DKMTPresentMultiPlaneOverlay") &&
           gpu_wait_idle(&scene->gpu);
}

/* Planes that went are presented with the rest; false: it failed. */
static bool show_all(struct scene *scene, const struct view views[PLANES], unsigned mask,
                     D3DDDI_FLIPINTERVAL_TYPE interval)
{
    for (unsigned tries = 0; tries < TRIES; tries++) {
        uint64_t gone = scene->gpu.host->planes_gone(scene->gpu.host, 0);
        unsigned all = (1u << PLANES) - 1;
        bool again = gone != scene->gone;
        scene->gone = gone;
        if (!flip(scene, views, again ? all : mask, interval)) {
            return false;
        }
        if (is_undisturbed(scene)) {
            break;
        }
    }
    scene->gpu.host->count(scene->gpu.host, "planes.shown", 1);
    return true;
}

static bool show(struct scene *scene, const struct view views[PLANES], unsigned mask,
                 const struct step *step)
{
    compose_all(scene, views);
    return show_all(scene, views, mask, D3DDDI_FLIPINTERVAL_ONE) && look(scene, step);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Plane 0 has the left half, and plane 1 the whole: what is seen of it is the right half. */
static void side_by_side(const struct scene *scene, struct view views[PLANES])
{
    int width = (int)scene->mode.Width, height = (int)scene->mode.Height;

    views[0] = (struct view){
        .on = true, .from = box_at(0, 0, width / 2, height), .to = box_at(0, 0, width / 2, height)};
    views[1] = (struct view){
        .on = true, .from = box_at(0, 0, width, height), .to = box_at(0, 0, width, height)};
}

/* A part of plane 1, right of plane 0. */
static struct view part_of(const struct scene *scene)
{
    int left = (int)scene->mode.Width / 2;

    return (struct view){
        .on = true, .from = box_at(24, 40, SIDE, SIDE), .to = box_at(left + 16, 48, SIDE, SIDE)};
}

static bool step_apart(struct scene *scene, struct view views[PLANES])
{
    if (!show(scene, views, 3, &(struct step){"two planes in one call", "MPO-003"})) {
        return false;
    }
    views[1] = part_of(scene);
    if (!is_supported(scene, views)) {
        return true;
    }
    if (!look(scene, &(struct step){"CheckMultiPlaneOverlaySupport3", "MPO-017"})) {
        return true; /* it was said: nothing that follows is looked at */
    }
    if (!show(scene, views, 2, &(struct step){"a call for plane 1 alone", "MPO-001"})) {
        return false;
    }
    views[1].on = false;
    if (!show(scene, views, 2, &(struct step){"a call with Enabled 0 for plane 1", "MPO-001"})) {
        return false;
    }
    views[1].on = true;
    return show(scene, views, 3, &(struct step){"a call that puts plane 1 on again", "MPO-001"});
}

/* Each of two planes by a call of its own, of two contexts: that of the one does not wait for the
 * other's vertical sync. */
static bool step_two_calls(struct scene *scene, struct view views[PLANES])
{
    struct gpu *gpu = &scene->gpu;
    struct view half[PLANES];

    side_by_side(scene, views);
    if (!is_supported(scene, views) ||
        !show(scene, views, 3, &(struct step){"two planes in one call", "MPO-003"})) {
        return true;
    }
    memcpy(half, views, sizeof half);
    half[0].from = box_at(8, 0, (int)scene->mode.Width / 2, (int)scene->mode.Height);
    views[0] = half[0];
    views[1] = part_of(scene);
    if (!is_supported(scene, half) || !is_supported(scene, views) || !is_undisturbed(scene)) {
        return true;
    }
    const struct showing first = {views, 1, D3DDDI_FLIPINTERVAL_ONE, gpu->context};
    const struct showing second = {views, 2, D3DDDI_FLIPINTERVAL_ONE, scene->second_context};
    compose_all(scene, views);
    if (!gpu_check(gpu, present(scene, &first), "D3DKMTPresentMultiPlaneOverlay") ||
        !gpu_check(gpu, present(scene, &second), "D3DKMTPresentMultiPlaneOverlay") ||
        !gpu_wait_idle(gpu)) {
        return false;
    }
    gpu->host->count(gpu->host, "planes.shown", 1);
    return look(scene, &(struct step){"two calls, one for plane 0 and one for plane 1, before one "
                                      "vertical sync",
                                      "MPO-002"});
}

/* Plane 0, whose corner is the screen's: there it is the same whether ClipRect counts from that of
 * DstRect or from the screen's. What is cut off shows plane 1. */
static bool step_cut(struct scene *scene, struct view views[PLANES])
{
    side_by_side(scene, views);
    views[0].clip = (struct box){SIDE / 4, SIDE / 8, views[0].to.right - SIDE / 8,
                                 views[0].to.bottom - SIDE / 4};
    return !is_supported(scene, views) ||
           show(scene, views, 3,
                &(struct step){"ClipRect of plane 0 within its DstRect", "MPO-003"});
}

/* The variants that the driver supports, of plane 1 beside plane 0, and of plane 0 above it. */
static bool step_transformed(struct scene *scene, struct view views[PLANES])
{
    static const struct {
        bool mirror_x, mirror_y;
        unsigned turns;
        const char *done;
    } variants[] = {
        {true, false, 0, "HorizontalFlip of plane 1"},
        {false, true, 0, "VerticalFlip of plane 1"},
        {false, false, 1, "Rotation by 90 of plane 1"},
        {false, false, 2, "Rotation by 180 of plane 1"},
        {true, false, 3, "Rotation by 270 and HorizontalFlip of plane 1"},
    };

    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        views[1] = part_of(scene);
        views[1].mirror_x = variants[i].mirror_x;
        views[1].mirror_y = variants[i].mirror_y;
        views[1].turns = variants[i].turns;
        if (is_supported(scene, views) &&
            !show(scene, views, 2, &(struct step){variants[i].done, "MPO-003"})) {
            return false;
        }
    }
    side_by_side(scene, views);
    views[0].blend = scene->format == D3DDDIFMT_A8R8G8B8;
    return !is_supported(scene, views) ||
           show(scene, views, 3, &(struct step){"Blend.AlphaBlend of plane 0", "MPO-003"});
}

/* A square of one colour, to 2 * SIDE: a filter leaves it as it is, but at the edge. */
static bool step_stretched(struct scene *scene, struct view views[PLANES], int side, int edge,
                           const char *done)
{
    int left = (int)scene->mode.Width / 2;
    struct box inner = {left + edge, edge, left + 2 * SIDE - edge, 2 * SIDE - edge};

    side_by_side(scene, views);
    views[1].from = box_at(0, 0, side, side);
    views[1].to = box_at(left, 0, 2 * SIDE, 2 * SIDE);
    if (!is_supported(scene, views)) {
        return true;
    }
    picture_fill(&scene->pictures[1], box_at(0, 0, SIDE, SIDE), 0xFF000000u | FLAT);
    picture_fill(&scene->screen, inner, FLAT);
    return upload(scene, 1) && flip(scene, views, 3, D3DDDI_FLIPINTERVAL_ONE) &&
           look_at(scene, &(struct step){done, "MPO-003"}, &inner);
}

static bool show_small(struct scene *scene, struct view views[PLANES])
{
    side_by_side(scene, views);
    views[1] = part_of(scene);
    views[1].from = box_at(SMALLER - SIDE, 0, SIDE, SIDE);
    return !is_supported(scene, views) ||
           (upload(scene, 1) &&
            show(scene, views, 3,
                 &(struct step){"plane 1 of a surface that is smaller than the mode", "MPO-003"}));
}

/* As a window's: its rows are not those of the mode. A driver may make no primary of that size. */
static bool step_small(struct scene *scene, struct view views[PLANES])
{
    struct drydock_standard_allocation standard = {
        .kind = DRYDOCK_SURFACE_PRIMARY, .width = SMALLER, .height = SIDE, .format = scene->format};
    const struct surface surface = scene->surfaces[1];
    const struct picture picture = scene->pictures[1];
    struct surface small;

    if (gpu_surface_try_create(&scene->gpu, &standard, &small) < 0) {
        return true;
    }
    scene->surfaces[1] = small;
    bool good = make_picture(1, SMALLER, SIDE, &scene->pictures[1]) && show_small(scene, views);
    picture_destroy(&scene->pictures[1]);
    scene->surfaces[1] = surface;
    scene->pictures[1] = picture;
    side_by_side(scene, views);
    good = good &&
           show(scene, views, 3, &(struct step){"plane 1 of another surface again", "MPO-003"});
    gpu_surface_destroy(&scene->gpu, &small);
    return good;
}

static bool step_at_once(struct scene *scene, struct view views[PLANES])
{
    side_by_side(scene, views);
    compose_all(scene, views);
    return !is_supported(scene, views) ||
           (show_all(scene, views, 3, D3DDDI_FLIPINTERVAL_IMMEDIATE) &&
            look(scene, &(struct step){"an immediate flip of two planes", "MPO-003"}));
}

static bool step_alone(struct scene *scene)
{
    if (!gpu_fill(&scene->gpu, &scene->spare, picture_box(&scene->screen), SECOND) ||
        !gpu_flip(&scene->gpu, &scene->spare, 0, D3DDDI_FLIPINTERVAL_ONE) ||
        !gpu_wait_idle(&scene->gpu)) {
        return false;
    }
    const struct box whole = picture_box(&scene->screen);
    picture_fill(&scene->screen, whole, SECOND);
    scene->gone = scene->gpu.host->planes_gone(scene->gpu.host, 0); /* they went by the flip */
    return look_at(scene,
                   &(struct step){"a flip of the primary alone (SetVidPnSourceAddress), while "
                                  "planes were shown",
                                  "FLIP-013"},
                   &whole);
}

/* The kernel hides and shows them before it sets the mode: screen_exam.c of dxgk/. */
static bool step_mode(struct scene *scene, struct view *views)
{
    const struct box whole = picture_box(&scene->screen);

    side_by_side(scene, views);
    compose_all(scene, views);
    if (!show_all(scene, views, 3, D3DDDI_FLIPINTERVAL_ONE) ||
        !look(scene, &(struct step){"two planes behind a flip of the primary alone", "MPO-001"}) ||
        !set_spare(scene)) {
        return false;
    }
    picture_fill(&scene->screen, whole, SECOND);
    gpu_let_latch(&scene->gpu, 0, &scene->screen);
    scene->gone = scene->gpu.host->planes_gone(scene->gpu.host, 0);
    return look_at(
        scene,
        &(struct step){"a mode set (SetVidPnSourceAddress) while planes were shown", "FLIP-013"},
        &whole);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool has_planes(struct scene *scene)
{
    D3DKMT_GET_MULTIPLANE_OVERLAY_CAPS caps = {.hAdapter = scene->gpu.adapter};
    NTSTATUS status = D3DKMTGetMultiPlaneOverlayCaps(&caps);

    return status == STATUS_NOT_SUPPORTED /* that came with WDDM 2.2: ask for a picture */ ||
           (gpu_check(&scene->gpu, status, "D3DKMTGetMultiPlaneOverlayCaps") &&
            caps.MaxPlanes >= PLANES);
}

static void run_steps(struct scene *scene)
{
    struct view views[PLANES];

    side_by_side(scene, views);
    if (is_supported(scene, views) && show_primary(scene) && step_apart(scene, views) &&
        step_two_calls(scene, views) && step_cut(scene, views) && step_transformed(scene, views) &&
        step_small(scene, views) &&
        step_stretched(scene, views, SIDE, EDGE, "plane 1 of twice the size") &&
        /* more than hardware does: who says yes to it has to show it */
        step_stretched(scene, views, SIDE / 8, 2 * EDGE, "plane 1 of sixteen times the size") &&
        step_at_once(scene, views) && step_alone(scene)) {
        step_mode(scene, views);
    }
}

static void run(const struct drydock_workload_host *host)
{
    struct scene scene = {.gpu.host = host};

    if ((host->capabilities & DRYDOCK_DRIVER_IS_DISPLAY_ONLY) ||
        !(host->capabilities & DRYDOCK_DRIVER_HAS_PLANES) || !gpu_open(&scene.gpu, host, 0)) {
        return;
    }
    follow_frames(host, true); /* parts with addresses have no desktop that does */
    if (query_mode(&scene) && has_planes(&scene) &&
        picture_create(scene.mode.Width, scene.mode.Height, &scene.screen) &&
        make_surfaces(&scene) &&
        /* so that one flip need not wait for another of the same context */
        gpu_second_context(&scene.gpu, &scene.second_context)) {
        run_steps(&scene);
    }
    if (scene.second_context) {
        const D3DKMT_DESTROYCONTEXT context = {.hContext = scene.second_context};
        gpu_check(&scene.gpu, D3DKMTDestroyContext(&context), "D3DKMTDestroyContext");
    }
    for (unsigned i = 0; i < PLANES; i++) {
        gpu_surface_destroy(&scene.gpu, &scene.surfaces[i]);
        picture_destroy(&scene.pictures[i]);
    }
    gpu_surface_destroy(&scene.gpu, &scene.spare);
    gpu_surface_destroy(&scene.gpu, &scene.staging);
    picture_destroy(&scene.screen);
    gpu_close(&scene.gpu);
}

const struct drydock_workload workload_planes = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "planes",
    .description = "pictures in overlay planes, one over the other",
    .run = run,
};
