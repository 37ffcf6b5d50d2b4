/* overlays: pictures over the primary that stay when it flips, as they have been since WDDM 1.0.
 *
 *   one is made ─ moved ─ shows another part ─ is cut off by the screen's edges ─ another surface,
 *   and flips between the two ─ the primary flips beneath it ─ private data of nobody's ─
 *   stretched ─ keyed, where the data are known that say so ─ two, one of which changes, and ends ─
 *   as many as there can be ─ a mode set, which ends them ─ the end of a client that has one
 *
 * It needs no knowledge of a driver's private data: there are none. What a driver refuses is left
 * out. After each step the monitor is compared with a picture composed here: outside of the
 * overlays always; inside, of a driver of somebody else's, from the time on when it was right. */
#include <string.h>

#include "../drivers/softgpu/softgpu_umd.h"
#include "gpu.h"
#include "workloads.h"
#include "wrong.h"

#define OVERLAYS   2
#define MORE_MAX   16 /* that are made until there are no more */
#define SIDE       160
#define GROUND     0x30506Fu
#define KEY        0x0A0B0Cu
#define FLAT       0x90A040u
#define EDGE       8 /* pixels at the border of what is stretched, which filters may mix */
#define TRIES      8
#define SETTLED_NS 84000000u /* two frames of 24 Hz */

/* An overlay as it is asked for. */
struct view {
    bool on, keyed;
    unsigned surface;
    struct box from, to; /* of the surface, on the screen */
    int margin;          /* at its border inside, which is not looked at */
};

struct scene {
    struct gpu gpu;
    D3DKMT_DISPLAYMODE mode;
    struct surface surfaces[2], spare, staging;
    struct picture pictures[2]; /* what they hold */
    struct picture ground;      /* what the primary holds */
    struct picture screen;      /* what the monitor is to show */
    struct view views[OVERLAYS];
    D3DKMT_HANDLE overlays[OVERLAYS]; /* 0: none is made */
    NTSTATUS answer;                  /* to the last that was asked for */
    bool speaks;                      /* the driver's private data are known */
    bool right, blind;                /* one was seen as it should be; or not, and that is noted */
};

/* What was done last, and the rule that a wrong picture breaks. */
struct step {
    const char *done, *rule;
};

#define STEP(done, rule) (&(struct step){done, rule})

/* ---- Surfaces -------------------------------------------------------------------------------- */

static bool query_mode(struct scene *scene)
{
    return gpu_display_mode(scene->gpu.adapter, 0, &scene->mode) &&
           gpu_is_32_bit(scene->mode.Format) && scene->mode.Width >= 4 * SIDE &&
           scene->mode.Height >= 3 * SIDE &&
           scene->mode.DisplayOrientation == D3DDDI_ROTATION_IDENTITY;
}

/* No two places look alike. */
static uint32_t texel(unsigned surface, unsigned x, unsigned y)
{
    uint32_t red = (x * 3 + y) & 0xFF, green = (y * 5 + x / 4) & 0xFF, blue = (x ^ y) & 0xFF;

    return surface == 0 ? red << 16 | green << 8 | blue : blue << 16 | red << 8 | green;
}

static bool make_surface(struct scene *scene, unsigned index)
{
    struct gpu *gpu = &scene->gpu;
    struct picture *picture = &scene->pictures[index];
    unsigned width = scene->mode.Width, height = scene->mode.Height;

    if (!picture_create(width, height, picture)) {
        return false;
    }
    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++) {
            *picture_at(picture, (int)x, (int)y) = texel(index, x, y);
        }
    }
    return gpu_surface_create(gpu, DRYDOCK_SURFACE_PRIMARY, width, height, scene->mode.Format,
                              false, &scene->surfaces[index]) &&
           gpu_upload(gpu, &scene->staging, picture) &&
           gpu_blt(gpu, &scene->surfaces[index], 0, 0, &scene->staging, picture_box(picture)) &&
           gpu_wait_idle(gpu);
}

static bool make_surfaces(struct scene *scene, unsigned count)
{
    bool good = gpu_surface_create(&scene->gpu, DRYDOCK_SURFACE_SHADOW, scene->mode.Width,
                                   scene->mode.Height, scene->mode.Format, false, &scene->staging);

    for (unsigned i = 0; i < count && good; i++) {
        good = make_surface(scene, i);
    }
    return good;
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

/* Both hold the same of the primary then. */
static bool fill_ground(struct scene *scene, struct box box, uint32_t colour)
{
    picture_fill(&scene->ground, box, colour);
    return gpu_fill(&scene->gpu, &scene->spare, box, colour) && gpu_wait_idle(&scene->gpu);
}

static bool show_primary(struct scene *scene)
{
    return gpu_own(&scene->gpu) &&
           picture_create(scene->mode.Width, scene->mode.Height, &scene->ground) &&
           picture_create(scene->mode.Width, scene->mode.Height, &scene->screen) &&
           gpu_surface_create(&scene->gpu, DRYDOCK_SURFACE_PRIMARY, scene->mode.Width,
                              scene->mode.Height, scene->mode.Format, false, &scene->spare) &&
           fill_ground(scene, picture_box(&scene->ground), GROUND) && set_spare(scene);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

enum outcome { DONE, REFUSED, FAILED };

static bool is_on(const struct scene *scene, unsigned index)
{
    D3DKMT_GETOVERLAYSTATE state = {.hDevice = scene->gpu.device,
                                    .hOverlay = scene->overlays[index]};

    return scene->overlays[index] && D3DKMTGetOverlayState(&state) >= 0 && state.OverlayEnabled;
}

/* None that should be there was ended by the system, as by a reset. */
static bool all_are_on(const struct scene *scene)
{
    bool all = true;

    for (unsigned i = 0; i < OVERLAYS; i++) {
        all &= !scene->views[i].on || is_on(scene, i);
    }
    return all;
}

static void destroy(struct scene *scene, unsigned index)
{
    const D3DKMT_DESTROYOVERLAY destroy = {.hDevice = scene->gpu.device,
                                           .hOverlay = scene->overlays[index]};

    if (scene->overlays[index]) {
        (void)D3DKMTDestroyOverlay(&destroy); /* a driver may say that it failed [OVL-005] */
    }
    scene->overlays[index] = 0;
    scene->views[index].on = false;
}

static D3DDDIRECT rect(struct box box)
{
    return (D3DDDIRECT){box.left, box.top, box.right, box.bottom};
}

static NTSTATUS ask(struct scene *scene, unsigned index)
{
    const struct view *view = &scene->views[index];
    struct softgpu_umd_overlay data = {.magic = SOFTGPU_UMD_OVERLAY_MAGIC,
                                       .version = SOFTGPU_UMD_VERSION,
                                       .flags = SOFTGPU_UMD_OVERLAY_KEYED,
                                       .colour = KEY};
    const D3DDDI_KERNELOVERLAYINFO info = {
        .hAllocation = scene->surfaces[view->surface].allocation,
        .DstRect = rect(view->to),
        .SrcRect = rect(view->from),
        .pPrivateDriverData = view->keyed ? &data : NULL,
        .PrivateDriverDataSize = view->keyed ? sizeof data : 0,
    };
    const D3DKMT_UPDATEOVERLAY update = {
        .hDevice = scene->gpu.device, .hOverlay = scene->overlays[index], .OverlayInfo = info};
    D3DKMT_CREATEOVERLAY create = {.hDevice = scene->gpu.device, .OverlayInfo = info};

    if (scene->overlays[index]) {
        return D3DKMTUpdateOverlay(&update);
    }
    NTSTATUS status = D3DKMTCreateOverlay(&create);
    scene->overlays[index] = status >= 0 ? create.hOverlay : 0;
    return status;
}

/* What the system ends meanwhile is made again. A device that is lost is told to the host. */
static enum outcome answer_of(struct scene *scene, NTSTATUS status, const char *what)
{
    struct gpu *gpu = &scene->gpu;

    if (status >= 0) {
        return DONE;
    }
    if (status == STATUS_DEVICE_REMOVED && gpu_state(gpu) != D3DKMT_DEVICEEXECUTION_ACTIVE) {
        return gpu_check(gpu, status, what) ? DONE : FAILED;
    }
    return REFUSED;
}

/* Makes the overlay, or changes it, as its view is now. */
static enum outcome put(struct scene *scene, unsigned index, const struct view *view)
{
    struct view before = scene->views[index];
    enum outcome outcome = REFUSED;

    for (unsigned tries = 0; tries < TRIES; tries++) {
        bool was_on = is_on(scene, index);
        if (scene->overlays[index] && !was_on) {
            destroy(scene, index);
        }
        scene->views[index] = *view;
        NTSTATUS status = scene->answer = ask(scene, index);
        outcome = answer_of(scene, status, "an overlay");
        bool ended = status == STATUS_DEVICE_REMOVED || (was_on && !is_on(scene, index));
        if (outcome != REFUSED || !ended) {
            break;
        }
    }
    if (outcome != DONE) {
        scene->views[index] = before;
        scene->views[index].on = is_on(scene, index);
    }
    scene->gpu.host->count(scene->gpu.host, "overlays.shown", outcome == DONE);
    return outcome;
}

static enum outcome flip_to(struct scene *scene, unsigned index, unsigned surface)
{
    const D3DKMT_FLIPOVERLAY flip = {.hDevice = scene->gpu.device,
                                     .hOverlay = scene->overlays[index],
                                     .hSource = scene->surfaces[surface].allocation};
    enum outcome outcome = answer_of(scene, D3DKMTFlipOverlay(&flip), "D3DKMTFlipOverlay");

    if (outcome == DONE) {
        scene->views[index].surface = surface;
    }
    return outcome;
}

/* ---- What must be seen ----------------------------------------------------------------------- */

static bool holds(struct box box, int x, int y)
{
    return x >= box.left && x < box.right && y >= box.top && y < box.bottom;
}

static bool is_stretched(const struct view *view)
{
    return box_width(view->from) != box_width(view->to) ||
           box_height(view->from) != box_height(view->to);
}

/* What is stretched has one colour. */
static uint32_t pixel_of(const struct scene *scene, const struct view *view, int x, int y)
{
    return is_stretched(view)
               ? FLAT
               : *picture_at(&scene->pictures[view->surface], view->from.left + x - view->to.left,
                             view->from.top + y - view->to.top);
}

static void compose(struct scene *scene)
{
    const struct box whole = picture_box(&scene->screen);

    picture_copy(&scene->screen, 0, 0, &scene->ground, whole);
    for (unsigned i = 0; i < OVERLAYS; i++) { /* never one over the other */
        const struct view *view = &scene->views[i];
        struct box seen = box_intersect(view->to, whole);
        for (int y = seen.top; view->on && y < seen.bottom; y++) {
            for (int x = seen.left; x < seen.right; x++) {
                uint32_t *on_screen = picture_at(&scene->screen, x, y);
                if (!view->keyed || (*on_screen & 0xFFFFFF) == KEY) {
                    *on_screen = pixel_of(scene, view, x, y);
                }
            }
        }
    }
}

enum place { OUTSIDE, INSIDE, AT_THE_BORDER };

static enum place place_of(const struct scene *scene, int x, int y)
{
    for (unsigned i = 0; i < OVERLAYS; i++) {
        const struct view *view = &scene->views[i];
        struct box box = view->to;
        if (view->on && holds(box, x, y)) {
            const struct box inner = {box.left + view->margin, box.top + view->margin,
                                      box.right - view->margin, box.bottom - view->margin};
            return holds(inner, x, y) ? INSIDE : AT_THE_BORDER;
        }
    }
    return OUTSIDE;
}

struct wrong {
    uint64_t count;
    int x, y; /* of the first */
    uint32_t seen;
};

/* What the monitor shows, against what it should: by place. False: the device cannot tell. */
static bool compare(const struct scene *scene, struct wrong wrong[AT_THE_BORDER + 1])
{
    const struct drydock_workload_host *host = scene->gpu.host;
    unsigned width, height, stride;
    const void *pixels;

    if (!host->scanout(host, 0, &pixels, &width, &height, &stride)) {
        return false;
    }
    int right = (int)(width < scene->screen.width ? width : scene->screen.width);

    for (int y = 0; y < (int)height && y < (int)scene->screen.height; y++) {
        const uint32_t *line = (const void *)((const char *)pixels + (size_t)y * stride);
        const uint32_t *wanted = picture_at(&scene->screen, 0, y);
        bool differs = picture_colours_differ(line, wanted, 0, right);
        for (int x = 0; differs && x < right; x++) {
            if (((line[x] ^ wanted[x]) & 0xFFFFFF) != 0) {
                struct wrong *there = &wrong[place_of(scene, x, y)];
                if (there->count++ == 0) {
                    there->x = x;
                    there->y = y;
                    there->seen = line[x] & 0xFFFFFF;
                }
            }
        }
    }
    return true;
}

static void tell(const struct scene *scene, const struct step *step, const struct wrong *wrong,
                 const char *where)
{
    const struct drydock_workload_host *host = scene->gpu.host;

    host->count(host, "present.wrong_pixels", wrong->count);
    host->frame(host, "overlays-expected", scene->screen.pixels, scene->screen.width,
                scene->screen.height, scene->screen.width * 4);
    host->breaks(host, step->rule,
                 "after %s %llu pixels %s are wrong; the first at (%d, %d): 0x%06X, expected "
                 "0x%06X",
                 step->done, (unsigned long long)wrong->count, where, wrong->x, wrong->y,
                 wrong->seen, *picture_at(&scene->screen, wrong->x, wrong->y) & 0xFFFFFF);
}

static bool any_is_on(const struct scene *scene)
{
    return scene->views[0].on || scene->views[1].on;
}

/* False: it was told that something is wrong. */
static bool look(struct scene *scene, const struct step *step)
{
    const struct drydock_workload_host *host = scene->gpu.host;
    struct wrong wrong[AT_THE_BORDER + 1] = {0};

    if (host->failed(host)) {
        return false;
    }
    host->sleep_until(host, host->now_ns(host) + SETTLED_NS);
    compose(scene);
    if (!compare(scene, wrong) || !all_are_on(scene)) {
        return true; /* nobody can tell; or it was ended, and is made again by the next step */
    }
    host->count(host, "present.scanouts_checked", 1);
    if (wrong[OUTSIDE].count) {
        tell(scene, step, &wrong[OUTSIDE],
             any_is_on(scene) ? "outside of all overlays" : "of the scan-out");
        return false;
    }
    if (wrong[INSIDE].count && !scene->blind && (scene->speaks || scene->right)) {
        tell(scene, step, &wrong[INSIDE], "of the overlay");
        return false;
    }
    if (wrong[INSIDE].count && !scene->blind) {
        host->note(host, "the driver made an overlay that was given no private data, and does not "
                         "show it as it is described: nothing is said of what overlays show");
        scene->blind = true;
    }
    if (!wrong[INSIDE].count) {
        host->holds(host, step->rule);
    }
    scene->right |= any_is_on(scene) && !wrong[INSIDE].count;
    return true;
}

/* A step that the driver may refuse; false: nothing more is to be done. */
static bool try(struct scene *scene, unsigned index, const struct view *view,
                const struct step *step)
{
    enum outcome outcome = put(scene, index, view);

    return outcome == REFUSED || (outcome == DONE && look(scene, step));
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static struct view plain_view(void)
{
    return (struct view){
        .on = true, .from = box_at(24, 40, SIDE, SIDE), .to = box_at(64, 48, SIDE, SIDE)};
}

/* False: there is nothing to do with this driver. */
static bool step_made(struct scene *scene)
{
    const struct drydock_workload_host *host = scene->gpu.host;
    const struct view view = plain_view();
    enum outcome outcome = put(scene, 0, &view);

    if (outcome == REFUSED && scene->speaks && !all_are_on(scene)) {
        host->note(host, "the driver's overlays were refused");
    } else if (outcome == REFUSED) {
        host->note(host, "left out: the driver makes no overlay without private data");
    }
    return outcome == DONE && look(scene, STEP("CreateOverlay", "OVL-011"));
}

static bool step_moved(struct scene *scene)
{
    int width = (int)scene->mode.Width, height = (int)scene->mode.Height;
    const struct {
        struct box from, to;
        const char *done;
    } moves[] = {
        {box_at(24, 40, SIDE, SIDE), box_at(96, 80, SIDE, SIDE),
         "UpdateOverlay with another DstRect"},
        {box_at(120, 8, SIDE, SIDE), box_at(96, 80, SIDE, SIDE),
         "UpdateOverlay with another SrcRect"},
        {box_at(0, 0, SIDE, SIDE / 2), box_at(30, 200, SIDE, SIDE / 2),
         "UpdateOverlay with another size"},
        {box_at(24, 40, SIDE, SIDE), box_at(-SIDE / 2, -SIDE / 4, SIDE, SIDE),
         "UpdateOverlay with a DstRect over the screen's left upper corner"},
        {box_at(24, 40, SIDE, SIDE), box_at(width - SIDE / 4, height - SIDE / 2, SIDE, SIDE),
         "UpdateOverlay with a DstRect over the screen's right lower corner"},
        {box_at(0, 0, width, height), box_at(0, 0, width, height),
         "UpdateOverlay with a DstRect that is the screen"},
    };
    struct view view = plain_view();
    bool good = true;

    for (size_t i = 0; i < sizeof moves / sizeof moves[0] && good; i++) {
        view.from = moves[i].from;
        view.to = moves[i].to;
        good = try(scene, 0, &view, STEP(moves[i].done, "OVL-012"));
    }
    return good;
}

static bool flip_and_look(struct scene *scene, unsigned surface, const char *done)
{
    enum outcome outcome = is_on(scene, 0) ? flip_to(scene, 0, surface) : REFUSED;

    return outcome == REFUSED || (outcome == DONE && look(scene, STEP(done, "OVL-013")));
}

static bool step_flipped(struct scene *scene)
{
    struct view view = plain_view();

    view.surface = 1;
    if (!try(scene, 0, &view, STEP("UpdateOverlay with another allocation", "OVL-012"))) {
        return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (!flip_and_look(scene, i % 2, i ? "FlipOverlay again" : "FlipOverlay")) {
            return false;
        }
    }
    return true;
}

/* The primary flips to the other surface, and back. */
static bool step_beneath(struct scene *scene)
{
    const struct box whole = picture_box(&scene->screen);
    struct gpu *gpu = &scene->gpu;
    const struct view view = plain_view();
    enum outcome outcome = put(scene, 0, &view);

    if (outcome != DONE) {
        return outcome == REFUSED;
    }
    if (!gpu_flip(gpu, &scene->surfaces[1], 0, D3DDDI_FLIPINTERVAL_ONE) || !gpu_wait_idle(gpu)) {
        return false;
    }
    picture_copy(&scene->ground, 0, 0, &scene->pictures[1], whole);
    bool good = look(scene, STEP("a flip of the primary beneath an overlay", "OVL-015"));
    picture_fill(&scene->ground, whole, GROUND);
    return good && gpu_flip(gpu, &scene->spare, 0, D3DDDI_FLIPINTERVAL_ONE) && gpu_wait_idle(gpu) &&
           look(scene, STEP("a flip of the primary beneath an overlay", "OVL-015"));
}

static uint8_t noise[4096];

/* Private data of nobody's, which the driver may refuse, but not follow [OVL-001]. */
static void ask_with_noise(struct scene *scene)
{
    static const UINT sizes[] = {1, 7, 16, 64, sizeof noise};
    D3DKMT_CREATEOVERLAY create = {.hDevice = scene->gpu.device};

    memset(noise, 0xA7, sizeof noise);
    create.OverlayInfo = (D3DDDI_KERNELOVERLAYINFO){
        .hAllocation = scene->surfaces[0].allocation,
        .DstRect = rect(plain_view().to),
        .SrcRect = rect(plain_view().from),
        .pPrivateDriverData = noise,
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        create.OverlayInfo.PrivateDriverDataSize = sizes[i];
        if (D3DKMTCreateOverlay(&create) >= 0) {
            scene->overlays[0] = create.hOverlay;
            destroy(scene, 0);
        }
    }
}

/* Whatever it answers. */
static void flip_with_noise(struct scene *scene)
{
    const D3DKMT_FLIPOVERLAY flip = {.hDevice = scene->gpu.device,
                                     .hOverlay = scene->overlays[0],
                                     .hSource = scene->surfaces[1].allocation,
                                     .pPrivateDriverData = noise,
                                     .PrivateDriverDataSize = 5};

    (void)D3DKMTFlipOverlay(&flip);
}

/* What was made at the beginning can be made again when nothing else is there. */
static bool step_noise(struct scene *scene)
{
    const struct drydock_workload_host *host = scene->gpu.host;
    const struct view view = plain_view();
    enum outcome outcome = REFUSED;

    destroy(scene, 0);
    ask_with_noise(scene);
    for (unsigned tries = 0; tries < TRIES && outcome == REFUSED; tries++) {
        host->sleep_until(host, host->now_ns(host) + SETTLED_NS);
        outcome = put(scene, 0, &view);
    }
    if (outcome == REFUSED && scene->answer == STATUS_INSUFFICIENT_RESOURCES) {
        host->breaks(host, "OVL-001",
                     "CreateOverlay made an overlay at first; when that was destroyed, and calls "
                     "with other private data had been answered, it refuses the same one with "
                     "STATUS_INSUFFICIENT_RESOURCES, and no overlay lives");
    }
    if (outcome == DONE) {
        flip_with_noise(scene);
        outcome = put(scene, 0, &view);
    }
    return outcome == DONE && look(scene, STEP("CreateOverlay behind others with private data "
                                               "that are not the driver's",
                                               "OVL-011"));
}

/* Of one colour: a filter leaves it as it is, but at the edge. */
static bool step_stretched(struct scene *scene)
{
    const struct box part = box_at(0, 0, SIDE / 2, SIDE / 2);
    struct view view = {.on = true, .from = part, .to = box_at(40, 40, SIDE, SIDE), .margin = EDGE};

    picture_fill(&scene->pictures[0], part, FLAT);
    return gpu_fill(&scene->gpu, &scene->surfaces[0], part, FLAT) && gpu_wait_idle(&scene->gpu) &&
           try(scene, 0, &view, STEP("UpdateOverlay with a DstRect of twice the size", "OVL-012"));
}

/* What says so are the driver's own private data. */
static bool step_keyed(struct scene *scene)
{
    struct view view = plain_view();

    if (!scene->speaks) {
        return true;
    }
    view.keyed = true;
    return fill_ground(scene, box_at(view.to.left + 20, view.to.top + 10, SIDE, SIDE / 2), KEY) &&
           try(scene, 0, &view, STEP("UpdateOverlay with a colour key", "OVL-012")) &&
           fill_ground(scene, picture_box(&scene->ground), GROUND) &&
           look(scene, STEP("a fill of what the colour key was seen through", "OVL-012"));
}

/* Beside the first. */
static bool step_two(struct scene *scene)
{
    const struct view first = plain_view();
    struct view view = first;

    if (!try(scene, 0, &first, STEP("UpdateOverlay without a colour key", "OVL-012"))) {
        return false;
    }
    view.surface = 1;
    view.to = box_at(first.to.right + 16, 64, SIDE, SIDE);
    enum outcome outcome = put(scene, 1, &view);
    if (outcome != DONE) {
        return outcome == REFUSED;
    }
    if (!look(scene, STEP("CreateOverlay of a second overlay", "OVL-011"))) {
        return false;
    }
    view.to = box_at(first.to.left, first.to.bottom + 16, SIDE, SIDE);
    if (!try(scene, 1, &view, STEP("UpdateOverlay of a second overlay", "OVL-012"))) {
        return false;
    }
    destroy(scene, 0);
    if (!look(scene, STEP("DestroyOverlay of one of two overlays", "OVL-014"))) {
        return false;
    }
    destroy(scene, 1);
    return look(scene, STEP("DestroyOverlay", "OVL-014"));
}

/* The system counts them: more than MaxOverlays the driver is never asked for [OVL-006]. */
static bool step_many(struct scene *scene)
{
    const struct view view = plain_view();
    D3DKMT_HANDLE made[MORE_MAX];
    unsigned count = 0;

    for (scene->views[0] = view; count < MORE_MAX; count++) {
        NTSTATUS status = ask(scene, 0);
        if (answer_of(scene, status, "D3DKMTCreateOverlay") != DONE) {
            break;
        }
        made[count] = scene->overlays[0];
        scene->overlays[0] = 0;
    }
    while (count > 0) {
        scene->overlays[0] = made[--count];
        destroy(scene, 0);
    }
    scene->views[0].on = false;
    return look(scene, STEP("DestroyOverlay of all overlays", "OVL-014"));
}

static bool step_mode(struct scene *scene)
{
    const struct drydock_workload_host *host = scene->gpu.host;
    const struct view view = plain_view();
    enum outcome outcome = put(scene, 0, &view);

    if (outcome != DONE) {
        return outcome == REFUSED;
    }
    if (!set_spare(scene)) {
        return false;
    }
    if (is_on(scene, 0)) {
        host->fail(host, "an overlay is said to be on behind D3DKMTSetDisplayMode");
    }
    destroy(scene, 0);
    return look(scene, STEP("a mode set, before which DestroyOverlay came", "OVL-014"));
}

/* ---- A client that ends ---------------------------------------------------------------------- */

/* It leaves all behind. */
static void leave_one(void *argument)
{
    const struct scene *parent = argument;
    struct scene scene = {.gpu.host = parent->gpu.host, .speaks = parent->speaks};
    const struct view view = plain_view();

    if (gpu_open(&scene.gpu, parent->gpu.host, 0) && query_mode(&scene) &&
        make_surfaces(&scene, 1)) {
        (void)put(&scene, 0, &view);
    }
    picture_destroy(&scene.pictures[0]);
    wrong_forget(&scene.gpu);
}

static void step_ended(struct scene *scene)
{
    const struct drydock_workload_host *host = scene->gpu.host;
    struct drydock_process *process = host->start_process(host, "overlay", leave_one, scene);

    if (process) {
        host->join(host, process);
        (void)look(scene, STEP("the end of a client with an overlay, before which DestroyOverlay "
                               "came",
                               "OVL-014"));
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void run(const struct drydock_workload_host *host)
{
    struct scene scene = {.gpu.host = host,
                          .speaks = (host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU) != 0};

    if (!(host->capabilities & DRYDOCK_DRIVER_HAS_OVERLAYS) || !gpu_open(&scene.gpu, host, 0)) {
        return;
    }
    if (query_mode(&scene) && show_primary(&scene) && make_surfaces(&scene, 2) &&
        look(&scene, STEP("a mode set", "SHOW-001")) && step_made(&scene) && step_moved(&scene) &&
        step_flipped(&scene) && step_beneath(&scene) && step_noise(&scene) &&
        step_stretched(&scene) && step_keyed(&scene) && step_two(&scene) && step_many(&scene) &&
        step_mode(&scene)) {
        step_ended(&scene);
    }
    for (unsigned i = 0; i < OVERLAYS; i++) {
        destroy(&scene, i);
        gpu_surface_destroy(&scene.gpu, &scene.surfaces[i]);
        picture_destroy(&scene.pictures[i]);
    }
    gpu_surface_destroy(&scene.gpu, &scene.spare);
    gpu_surface_destroy(&scene.gpu, &scene.staging);
    picture_destroy(&scene.ground);
    picture_destroy(&scene.screen);
    gpu_close(&scene.gpu);
}

const struct drydock_workload workload_overlays = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "overlays",
    .description = "pictures over the primary, which flips beneath them",
    .run = run,
};
