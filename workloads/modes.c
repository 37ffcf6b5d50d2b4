/* modes: a client changes the mode of its screen, turns it, and goes back.
 *
 *   the smallest other mode ─ a picture, a flip ─ turned by 180, 90 and 270 degrees: a Present with
 *   Rotate and one without ─ the same size in stereo and with a palette
 *   (stereo.h, palette.h) ─ in the mode of before, scaled in each way that the path supports, and
 *   turned there; a larger one, if there is one ─ the mode of before, and formats of the driver's
 *   own
 *
 * It needs no knowledge of a driver's commands; of the software GPU's driver it has a flip to a
 * surface of another pitch, too. After each step the monitor is looked at, where the device can
 * tell what it shows. */
#include <stdio.h>

#include "canvas.h"
#include "gpu.h"
#include "modes.h"
#include "palette.h"
#include "softgpu_client.h"
#include "stereo.h"
#include "workloads.h"

#define MODES_MAX      64
#define ROW_ALIGNMENT  256 /* bytes: what hardware likes */
#define LABEL_W        48
#define LABEL_H        32
#define WIDER          640 /* bytes */
#define UNKNOWN_FORMAT 0xFFFF
#define DRAW_NS        UINT64_C(400000)

/* ---- Modes ----------------------------------------------------------------------------------- */

static bool is_usable(const D3DKMT_DISPLAYMODE *mode)
{
    return gpu_is_32_bit(mode->Format) && mode->Width >= 320 && mode->Height >= 240;
}

static bool query_home(struct modes_scene *scene)
{
    D3DKMT_DISPLAYMODE mode;

    if (!gpu_display_mode(scene->gpu.adapter, 0, &mode) || !is_usable(&mode)) {
        scene->gpu.host->note(scene->gpu.host, "left out: no mode of 32 bits on the first source");
        return false;
    }
    scene->home = mode;
    return true;
}

static bool is_smaller(const D3DKMT_DISPLAYMODE *mode, const D3DKMT_DISPLAYMODE *than)
{
    return (uint64_t)mode->Width * mode->Height < (uint64_t)than->Width * than->Height;
}

/* Rows that do not fill what hardware aligns them to: there Pitch is more than the width. */
static bool has_gaps(const D3DKMT_DISPLAYMODE *mode)
{
    return (uint64_t)mode->Width * 4 % ROW_ALIGNMENT != 0;
}

static bool is_better(const D3DKMT_DISPLAYMODE *mode, const D3DKMT_DISPLAYMODE *than)
{
    return has_gaps(mode) == has_gaps(than) ? is_smaller(mode, than) : has_gaps(mode);
}

static bool is_around(const D3DKMT_DISPLAYMODE *mode, const D3DKMT_DISPLAYMODE *what)
{
    return mode->Width >= what->Width && mode->Height >= what->Height && is_smaller(what, mode);
}

bool modes_has_large(const struct modes_scene *scene)
{
    return is_smaller(&scene->home, &scene->large);
}

/* The smallest below the one of now, of those with gaps behind their rows if there are any; the one
 * of now if there is no other. And the smallest of those that are larger both ways. */
static bool choose_sizes(struct modes_scene *scene)
{
    static D3DKMT_DISPLAYMODE modes[MODES_MAX];
    D3DKMT_GETDISPLAYMODELIST list = {
        .hAdapter = scene->gpu.adapter, .pModeList = modes, .ModeCount = MODES_MAX};

    if (!gpu_check(&scene->gpu, D3DKMTGetDisplayModeList(&list), "D3DKMTGetDisplayModeList")) {
        return false;
    }
    scene->small = scene->large = scene->home;
    bool any = false;
    for (unsigned i = 0; i < list.ModeCount; i++) {
        if (!is_usable(&modes[i]) || modes[i].Flags.Stereo ||
            modes[i].Format != scene->home.Format) {
            continue;
        }
        if (is_smaller(&modes[i], &scene->home) && (!any || is_better(&modes[i], &scene->small))) {
            scene->small = modes[i];
            any = true;
        }
        if (is_around(&modes[i], &scene->home) &&
            (!modes_has_large(scene) || is_smaller(&modes[i], &scene->large))) {
            scene->large = modes[i];
        }
    }
    return true;
}

/* ---- Surfaces -------------------------------------------------------------------------------- */

static uint32_t label_pixel(unsigned x, unsigned y)
{
    return (0x20 + x * 4) << 16 | (0x30 + y * 5) << 8 | ((x / 8 + y / 4) & 1 ? 0xC0u : 0x40u);
}

static bool make_label(struct modes_scene *scene)
{
    struct gpu *gpu = &scene->gpu;

    if (!picture_create(LABEL_W, LABEL_H, &scene->label_picture)) {
        return false;
    }
    for (unsigned i = 0; i < LABEL_W * LABEL_H; i++) {
        scene->label_picture.pixels[i] = label_pixel(i % LABEL_W, i / LABEL_W);
    }
    return gpu_surface_create(gpu, DRYDOCK_SURFACE_SHADOW, LABEL_W, LABEL_H, D3DDDIFMT_X8R8G8B8,
                              false, &scene->label) &&
           gpu_surface_create(gpu, DRYDOCK_SURFACE_SHADOW, LABEL_W, LABEL_H, D3DDDIFMT_A8R8G8B8,
                              false, &scene->other_label) &&
           gpu_upload(gpu, &scene->label, &scene->label_picture) &&
           gpu_upload(gpu, &scene->other_label, &scene->label_picture);
}

/* One colour, with marks that tell each corner from the others. */
bool modes_paint(struct modes_scene *scene, const struct surface *surface, uint32_t colour)
{
    struct gpu *gpu = &scene->gpu;
    int width = (int)surface->width, height = (int)surface->height;
    const struct box marks[] = {
        {0, 0, 64, 8}, {width - 8, 0, width, 40}, {0, height - 24, 24, height}};

    picture_fill(&scene->screen, picture_box(&scene->screen), colour);
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        picture_fill(&scene->screen, marks[i], MODES_MARK);
    }
    return gpu_fill(gpu, surface, picture_box(&scene->screen), colour) &&
           gpu_fill_boxes(gpu, surface, MODES_MARK, marks, sizeof marks / sizeof marks[0]) &&
           gpu_wait_idle(gpu);
}

bool modes_make_primaries(struct modes_scene *scene, const D3DKMT_DISPLAYMODE *mode, unsigned count)
{
    bool good = picture_create(mode->Width, mode->Height, &scene->screen);

    for (unsigned i = 0; i < count && good; i++) {
        good = gpu_surface_create(&scene->gpu, DRYDOCK_SURFACE_PRIMARY, mode->Width, mode->Height,
                                  mode->Format, false, &scene->primaries[i]);
    }
    return good;
}

/* ---- Looking --------------------------------------------------------------------------------- */

void modes_tell(const struct modes_scene *scene, const struct modes_step *step, const char *what)
{
    const struct drydock_workload_host *host = scene->gpu.host;

    host->frame(host, "modes-expected", scene->screen.pixels, scene->screen.width,
                scene->screen.height, scene->screen.width * 4);
    if (step->rule) {
        host->breaks(host, step->rule, "after %s %s", step->done, what);
    } else {
        host->fail(host, "after %s %s", step->done, what);
    }
}

static uint32_t pixel_of(const void *pixels, unsigned stride, struct box at)
{
    const uint32_t *row = (const void *)((const uint8_t *)pixels + (size_t)at.top * stride);

    return row[at.left] & 0xFFFFFF;
}

bool modes_look(struct modes_scene *scene, const struct modes_step *step)
{
    const struct drydock_workload_host *host = scene->gpu.host;
    unsigned width, height, stride;
    const void *pixels;
    struct box first;
    char what[200];

    gpu_let_latch(&scene->gpu, 0, &scene->screen);
    if (host->failed(host) || !host->scanout(host, 0, &pixels, &width, &height, &stride)) {
        return !host->failed(host); /* the device cannot tell */
    }
    if (width != scene->screen.width || height != scene->screen.height) {
        snprintf(what, sizeof what, "the monitor shows %u x %u pixels, the mode has %u x %u", width,
                 height, scene->screen.width, scene->screen.height);
        modes_tell(scene, step, what);
        return false;
    }
    uint64_t wrong = picture_compare(&scene->screen, pixels, stride, &first);
    /* The device may show another picture as soon as it works. */
    uint32_t seen = wrong ? pixel_of(pixels, stride, first) : 0;
    host->count(host, "present.scanouts_checked", 1);
    if (wrong && canvas_fills_nothing(&scene->gpu)) {
        return false;
    }
    if (wrong) {
        snprintf(what, sizeof what,
                 "%llu pixels of the scan-out are wrong; the first at (%d, %d): 0x%06X, expected "
                 "0x%06X",
                 (unsigned long long)wrong, first.left, first.top, seen,
                 *picture_at(&scene->screen, first.left, first.top) & 0xFFFFFF);
        host->count(host, "present.wrong_pixels", wrong);
        modes_tell(scene, step, what);
    } else if (step->rule) {
        host->holds(host, step->rule);
    }
    return wrong == 0;
}

/* ---- Changing -------------------------------------------------------------------------------- */

NTSTATUS modes_set(struct modes_scene *scene, const struct surface *primary,
                   D3DDDI_ROTATION rotation)
{
    const D3DKMT_SETDISPLAYMODE mode = {
        .hDevice = scene->gpu.device,
        .hPrimaryAllocation = primary->allocation,
        .ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE,
        .DisplayOrientation = rotation,
    };

    return D3DKMTSetDisplayMode(&mode);
}

static bool change_to(struct modes_scene *scene, const D3DKMT_DISPLAYMODE *mode)
{
    char done[160];

    snprintf(done, sizeof done,
             "a change of the mode to %u x %u pixels (CommitVidPn, SetVidPnSourceAddress, "
             "SetVidPnSourceVisibility)",
             mode->Width, mode->Height);
    return modes_paint(scene, &scene->primaries[0], MODES_FIRST) &&
           gpu_check_mode(&scene->gpu,
                          modes_set(scene, &scene->primaries[0], D3DDDI_ROTATION_IDENTITY),
                          "D3DKMTSetDisplayMode") &&
           modes_look(scene, &(struct modes_step){done, NULL});
}

/* ---- Turning --------------------------------------------------------------------------------- */

/* Where a point of the client, which sees the picture turned, lies in the surface. */
static void turn_point(const struct picture *surface, D3DDDI_ROTATION rotation, int x, int y,
                       int to[2])
{
    int width = (int)surface->width, height = (int)surface->height;

    to[0] = rotation == D3DDDI_ROTATION_90    ? y
            : rotation == D3DDDI_ROTATION_180 ? width - 1 - x
            : rotation == D3DDDI_ROTATION_270 ? width - 1 - y
                                              : x;
    to[1] = rotation == D3DDDI_ROTATION_90    ? height - 1 - x
            : rotation == D3DDDI_ROTATION_180 ? height - 1 - y
            : rotation == D3DDDI_ROTATION_270 ? x
                                              : y;
}

#define PARTS 2

static const RECT parts[PARTS] = {{0, 0, 21, 11}, {30, 5, LABEL_W, LABEL_H - 3}};

static bool is_part(int x, int y)
{
    for (unsigned i = 0; i < PARTS; i++) {
        if (x >= parts[i].left && x < parts[i].right && y >= parts[i].top && y < parts[i].bottom) {
            return true;
        }
    }
    return false;
}

NTSTATUS modes_draw_label(struct modes_scene *scene, struct modes_place at)
{
    D3DKMT_PRESENT present = {
        .hContext = scene->gpu.context,
        .hSource = at.other ? scene->other_label.allocation : scene->label.allocation,
        .hDestination = scene->primaries[0].allocation,
        .DstRect = {at.x, at.y, at.x + LABEL_W, at.y + LABEL_H},
        .SrcRect = {0, 0, LABEL_W, LABEL_H},
        .SubRectCnt = at.parts ? PARTS : 0,
        .pSrcSubRects = parts,
        .Flags = {.Blt = 1, .DstRectValid = 1, .SrcRectValid = 1, .Rotate = at.rotate},
    };

    return D3DKMTPresent(&present);
}

void modes_expect_label(struct modes_scene *scene, D3DDDI_ROTATION rotation, struct modes_place at)
{
    for (int i = 0; i < LABEL_W * LABEL_H; i++) {
        int to[2];
        if (at.parts && !is_part(i % LABEL_W, i / LABEL_W)) {
            continue;
        }
        turn_point(&scene->screen, at.rotate ? rotation : D3DDDI_ROTATION_IDENTITY,
                   at.x + i % LABEL_W, at.y + i / LABEL_W, to);
        *picture_at(&scene->screen, to[0], to[1]) = scene->label_picture.pixels[i];
    }
}

bool modes_is_refused(NTSTATUS status)
{
    return status == STATUS_GRAPHICS_CANNOTCOLORCONVERT || status == STATUS_NOT_SUPPORTED;
}

/* False: it failed, or the monitor shows it wrong. */
static bool present_label(struct modes_scene *scene, D3DDDI_ROTATION rotation,
                          struct modes_place at)
{
    NTSTATUS status = modes_draw_label(scene, at);
    char done[224];

    if ((at.rotate || at.other) && modes_is_refused(status)) {
        return true;
    }
    if (!gpu_check(&scene->gpu, status, "D3DKMTPresent (Blt)") || !gpu_wait_idle(&scene->gpu)) {
        return false;
    }
    modes_expect_label(scene, rotation, at);
    snprintf(done, sizeof done,
             "Present (Blt, %s Rotate%s%s) to a primary whose path was turned by %d degrees by "
             "CommitVidPn or UpdateActiveVidPnPresentPath",
             at.rotate ? "with" : "without", at.parts ? ", two sub-rectangles" : "",
             at.other ? ", of a picture in D3DDDIFMT_A8R8G8B8" : "",
             90 * (rotation - D3DDDI_ROTATION_IDENTITY));
    return modes_look(scene, &(struct modes_step){done, "PRES-041"});
}

/* That fills are turned as copies are, no page says. */
static bool fill_turned(struct modes_scene *scene, D3DDDI_ROTATION rotation)
{
    const RECT bars[] = {{40, 60, 90, 66}, {72, 66, 81, 100}};
    D3DKMT_PRESENT present = {
        .hContext = scene->gpu.context,
        .hDestination = scene->primaries[0].allocation,
        .Color = 0xFF000000 | MODES_MARK,
        .SubRectCnt = sizeof bars / sizeof *bars,
        .pSrcSubRects = bars,
        .Flags = {.ColorFill = 1, .Rotate = 1},
    };

    if (!(scene->gpu.host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU)) {
        return true;
    }
    if (!gpu_check(&scene->gpu, D3DKMTPresent(&present), "D3DKMTPresent (ColorFill, Rotate)") ||
        !gpu_wait_idle(&scene->gpu)) {
        return false;
    }
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
        for (int y = (int)bars[i].top; y < bars[i].bottom; y++) {
            for (int x = (int)bars[i].left; x < bars[i].right; x++) {
                int to[2];
                turn_point(&scene->screen, rotation, x, y, to);
                *picture_at(&scene->screen, to[0], to[1]) = MODES_MARK;
            }
        }
    }
    return modes_look(scene,
                      &(struct modes_step){"a ColorFill with Rotate to a turned primary", NULL});
}

/* Where a client draws that sees the picture turned: near its first corner, and at the end of each
 * side, one of which is longer than that side of the surface. */
static bool present_turned(struct modes_scene *scene, D3DDDI_ROTATION rotation)
{
    bool sideways = rotation == D3DDDI_ROTATION_90 || rotation == D3DDDI_ROTATION_270;
    int width = (int)(sideways ? scene->screen.height : scene->screen.width);
    int height = (int)(sideways ? scene->screen.width : scene->screen.height);

    return present_label(scene, rotation, (struct modes_place){true, 24, 24, false, false}) &&
           present_label(scene, rotation,
                         (struct modes_place){true, width - LABEL_W, 8, false, false}) &&
           present_label(scene, rotation,
                         (struct modes_place){true, 8, height - LABEL_H, false, false}) &&
           present_label(scene, rotation, (struct modes_place){true, 120, 40, true, false}) &&
           present_label(scene, rotation, (struct modes_place){false, 96, 96, false, false}) &&
           present_label(scene, rotation, (struct modes_place){true, 180, 80, false, true}) &&
           present_label(scene, rotation, (struct modes_place){false, 180, 160, false, true}) &&
           fill_turned(scene, rotation);
}

static bool turn(struct modes_scene *scene, D3DDDI_ROTATION rotation)
{
    NTSTATUS status = modes_set(scene, &scene->primaries[0], rotation);

    if (status == STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED) {
        scene->gpu.host->note(scene->gpu.host, "the driver does not turn by %d degrees",
                              90 * (rotation - D3DDDI_ROTATION_IDENTITY));
        return true;
    }
    return gpu_check_mode(&scene->gpu, status, "D3DKMTSetDisplayMode of a turned screen") &&
           present_turned(scene, rotation) &&
           (scene->gpu.host->count(scene->gpu.host, "modes.turned", 1), true);
}

/* ---- Rows of another length ------------------------------------------------------------------ */

/* Standard primaries of one mode are alike. A user-mode driver makes its own, which are not. */
static bool flip_to_wide(struct modes_scene *scene)
{
    struct gpu *gpu = &scene->gpu;
    struct surface wide;

    if (!(gpu->host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU)) {
        return true;
    }
    bool good =
        softgpu_primary(gpu, &scene->small, scene->small.Width * 4 + WIDER, &wide) &&
        modes_paint(scene, &wide, MODES_FIRST) &&
        gpu_flip(gpu, &wide, 0, D3DDDI_FLIPINTERVAL_ONE) && gpu_wait_idle(gpu) &&
        modes_look(scene, &(struct modes_step){"a flip to a primary of another pitch", "FLIP-008"});
    good = good && modes_paint(scene, &scene->primaries[1], MODES_SECOND) &&
           gpu_flip(gpu, &scene->primaries[1], 0, D3DDDI_FLIPINTERVAL_ONE) && gpu_wait_idle(gpu) &&
           modes_look(scene, &(struct modes_step){"a flip back from a primary of another pitch",
                                                  "FLIP-008"});
    gpu_surface_destroy(gpu, &wide);
    return good;
}

/* ---- While others draw ----------------------------------------------------------------------- */

struct drawer {
    struct modes_scene *scene;
    bool over;
};

/* To the primary that is not seen, while the screen is turned [PRES-054]. */
static void draw_on(void *argument)
{
    struct drawer *drawer = argument;
    struct gpu *gpu = &drawer->scene->gpu;
    D3DKMT_PRESENT present = {
        .hContext = gpu->context,
        .hSource = drawer->scene->label.allocation,
        .hDestination = drawer->scene->primaries[1].allocation,
        .DstRect = {8, 8, 8 + LABEL_W, 8 + LABEL_H},
        .Flags = {.Blt = 1, .DstRectValid = 1, .Rotate = 1},
    };

    while (!drawer->over && !gpu->host->failed(gpu->host)) {
        NTSTATUS status = D3DKMTPresent(&present);
        present.Flags.Rotate &= status >= 0; /* it can be refused */
        if (status < 0 && !gpu_check(gpu, present.Flags.Rotate ? status : 0, "D3DKMTPresent")) {
            return;
        }
        gpu->host->sleep_until(gpu->host, gpu->host->now_ns(gpu->host) + DRAW_NS);
    }
}

static bool turn_while_drawn(struct modes_scene *scene)
{
    static const D3DDDI_ROTATION turns[] = {D3DDDI_ROTATION_180, D3DDDI_ROTATION_IDENTITY};
    const struct drydock_workload_host *host = scene->gpu.host;
    struct drawer drawer = {.scene = scene};
    struct drydock_process *thread = host->start_thread(host, "modes-drawer", draw_on, &drawer);
    NTSTATUS status = 0;

    if (!thread) {
        host->fail(host, "no thread");
        return false;
    }
    for (size_t i = 0; status >= 0 && i < sizeof turns / sizeof *turns; i++) {
        status = modes_set(scene, &scene->primaries[0], turns[i]);
    }
    drawer.over = true;
    host->join(host, thread);
    return status == STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED ||
           gpu_check_mode(&scene->gpu, status, "D3DKMTSetDisplayMode while others draw");
}

/* ---- Flips that wait ------------------------------------------------------------------------- */

/* A flip of interval n is seen n vertical syncs after the one before it, unless the screen is dark
 * meanwhile: what was sooner is counted. */
static bool flip_at_intervals(struct modes_scene *scene)
{
    const struct drydock_workload_host *host = scene->gpu.host;
    const D3DDDI_RATIONAL rate = scene->small.RefreshRate;
    uint64_t period = rate.Numerator ? UINT64_C(1000000000) * rate.Denominator / rate.Numerator : 0;

    for (int n = D3DDDI_FLIPINTERVAL_TWO; n <= D3DDDI_FLIPINTERVAL_FOUR; n++) {
        if (!gpu_flip(&scene->gpu, &scene->primaries[0], 0, D3DDDI_FLIPINTERVAL_ONE) ||
            !gpu_wait_idle(&scene->gpu)) {
            return false;
        }
        uint64_t begin = host->now_ns(host);
        if (!gpu_flip(&scene->gpu, &scene->primaries[1], 0, (D3DDDI_FLIPINTERVAL_TYPE)n) ||
            !gpu_wait_idle(&scene->gpu)) {
            return false;
        }
        uint64_t taken = host->now_ns(host) - begin;
        host->count(host, "modes.waiting_flips", 1);
        host->count(host, "modes.flips_early", taken < (uint64_t)(n - 1) * period * 9 / 10);
    }
    return true;
}

/* ---- Formats of the driver's own ------------------------------------------------------------- */

static NTSTATUS own(struct modes_scene *scene, D3DKMT_VIDPNSOURCEOWNER_TYPE type)
{
    const D3DDDI_VIDEO_PRESENT_SOURCE_ID source = 0;
    const D3DKMT_SETVIDPNSOURCEOWNER owner = {scene->gpu.device, &type, &source, 1};

    return D3DKMTSetVidPnSourceOwner(&owner);
}

/* The one that the primary has, and one that nobody has: what is seen stays. Which numbers mean
 * what a driver's own client knows. */
static bool try_formats(struct modes_scene *scene)
{
    D3DKMT_SETDISPLAYPRIVATEDRIVERFORMAT format = {.hDevice = scene->gpu.device};
    struct gpu *gpu = &scene->gpu;

    if (!(gpu->host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU)) {
        return true;
    }
    if (!gpu_check(gpu, own(scene, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE),
                   "D3DKMTSetVidPnSourceOwner")) {
        return false;
    }
    bool good = gpu_check(gpu, D3DKMTSetDisplayPrivateDriverFormat(&format),
                          "D3DKMTSetDisplayPrivateDriverFormat") &&
                modes_look(scene, &(struct modes_step){"SetDisplayPrivateDriverFormat", NULL});
    format.PrivateDriverFormatAttribute = UNKNOWN_FORMAT;
    NTSTATUS status = good ? D3DKMTSetDisplayPrivateDriverFormat(&format) : STATUS_UNSUCCESSFUL;
    good =
        good &&
        gpu_check(gpu, status == STATUS_UNSUCCESSFUL ? 0 : status,
                  "D3DKMTSetDisplayPrivateDriverFormat of a format that nobody has") &&
        modes_look(scene, &(struct modes_step){"SetDisplayPrivateDriverFormat that failed", NULL});
    return gpu_check(gpu, own(scene, D3DKMT_VIDPNSOURCEOWNER_UNOWNED),
                     "D3DKMTSetVidPnSourceOwner") &&
           good;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool run_small(struct modes_scene *scene)
{
    struct gpu *gpu = &scene->gpu;

    return modes_make_primaries(scene, &scene->small, 2) && change_to(scene, &scene->small) &&
           modes_paint(scene, &scene->primaries[1], MODES_SECOND) &&
           gpu_flip(gpu, &scene->primaries[1], 0, D3DDDI_FLIPINTERVAL_ONE) && gpu_wait_idle(gpu) &&
           modes_look(scene, &(struct modes_step){"a flip in the new mode", NULL}) &&
           flip_to_wide(scene) && modes_paint(scene, &scene->primaries[0], MODES_FIRST) &&
           gpu_flip(gpu, &scene->primaries[0], 0, D3DDDI_FLIPINTERVAL_ONE) && gpu_wait_idle(gpu) &&
           flip_at_intervals(scene) && modes_paint(scene, &scene->primaries[0], MODES_FIRST) &&
           gpu_flip(gpu, &scene->primaries[0], 0, D3DDDI_FLIPINTERVAL_ONE) && gpu_wait_idle(gpu) &&
           turn(scene, D3DDDI_ROTATION_180) && turn(scene, D3DDDI_ROTATION_90) &&
           turn(scene, D3DDDI_ROTATION_270) && turn_while_drawn(scene);
}

/* The surfaces of other modes go when this one is shown. */
static bool run_home(struct modes_scene *scene)
{
    struct surface last[2] = {scene->primaries[0], scene->primaries[1]};

    picture_destroy(&scene->screen);
    scene->primaries[0] = scene->primaries[1] = (struct surface){0};
    bool good = modes_make_primaries(scene, &scene->home, 1) && change_to(scene, &scene->home) &&
                try_formats(scene) && modes_show_gamma(scene);
    gpu_surface_destroy(&scene->gpu, &last[0]);
    gpu_surface_destroy(&scene->gpu, &last[1]);
    return good;
}

static void run(const struct drydock_workload_host *host)
{
    struct modes_scene scene = {.gpu.host = host};

    if (host->capabilities & DRYDOCK_DRIVER_IS_DISPLAY_ONLY) {
        return; /* it has no surfaces to show */
    }
    if (!gpu_open(&scene.gpu, host, 0)) {
        return;
    }
    if (query_home(&scene) && choose_sizes(&scene) && gpu_own(&scene.gpu)) {
        bool good =
            make_label(&scene) && run_small(&scene) && stereo_show(&scene.gpu, &scene.small) &&
            palette_show(&scene.gpu, &scene.small) && modes_run_scaled(&scene) && run_home(&scene);
        host->count(host, "modes.changed", good);
        gpu_surface_destroy(&scene.gpu, &scene.label);
        gpu_surface_destroy(&scene.gpu, &scene.other_label);
        gpu_surface_destroy(&scene.gpu, &scene.primaries[0]);
        gpu_surface_destroy(&scene.gpu, &scene.primaries[1]);
        gpu_surface_destroy(&scene.gpu, &scene.others[0]);
        gpu_surface_destroy(&scene.gpu, &scene.others[1]);
    }
    picture_destroy(&scene.label_picture);
    picture_destroy(&scene.screen);
    gpu_close(&scene.gpu);
}

const struct drydock_workload workload_modes = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "modes",
    .description = "another mode of the screen, turned screens, flips and presents there",
    .run = run,
};
