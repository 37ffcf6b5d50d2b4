/* Pictures of another size than the monitor's mode has: a path that is scaled, in each way that it
 * supports, and turned, too. A step of modes.c. */
#include "modes.h"

#include <stdio.h>

#include "canvas.h"

#define TILES_X       10
#define TILES_Y       7
#define SCALED_NS     UINT64_C(50000000)
#define LEFT_ALONE_NS UINT64_C(60000000)

static const char *const ways[] = {
    [DRYDOCK_OUTPUT_STRETCHED] = "D3DKMDT_VPPS_STRETCHED",
    [DRYDOCK_OUTPUT_CENTERED] = "D3DKMDT_VPPS_CENTERED",
    [DRYDOCK_OUTPUT_ASPECT] = "D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX",
    [DRYDOCK_OUTPUT_CUSTOM] = "D3DKMDT_VPPS_CUSTOM",
};

static bool arrange(struct modes_scene *scene, UINT way)
{
    const struct drydock_screen_arrangement wanted = {
        .hAdapter = scene->gpu.adapter, .rotation = D3DDDI_ROTATION_IDENTITY, .fixed_output = way};

    return gpu_check(&scene->gpu, drydock_arrange_screen(&wanted), "drydock_arrange_screen");
}

/* One colour with a board of tiles in two others, so wide that no filter blurs all of one; and not
 * in the middle, nor as high as wide. */
static bool paint_tiles(struct modes_scene *scene, const struct surface *surface, uint32_t colour)
{
    struct box tiles[TILES_X * TILES_Y / 2];
    uint32_t colours[] = {MODES_MARK, colour ^ 0x606060};
    int width = (int)surface->width / TILES_X, height = (int)surface->height / TILES_Y;
    bool good = modes_paint(scene, surface, colour);

    for (int turn = 0; turn < 2 && good; turn++) {
        unsigned count = 0;
        for (int i = 0; i < TILES_X * TILES_Y; i++) {
            int x = i % TILES_X, y = i / TILES_X;
            if ((x + y) % 2 == 0 && (x + 2 * y) / 3 % 2 == turn && x + y > TILES_X / 3) {
                tiles[count++] = box_at(x * width + 9, y * height + 5, width - 14, height - 8);
                picture_fill(&scene->screen, tiles[count - 1], colours[turn]);
            }
        }
        good = gpu_fill_boxes(&scene->gpu, surface, colours[turn], tiles, count);
    }
    return good && gpu_wait_idle(&scene->gpu);
}

/* Where the software GPU's driver puts a picture that is scaled as it likes: see its README. */
static struct drydock_window window_of(const struct modes_scene *scene)
{
    uint64_t width = scene->screen.width, height = scene->screen.height;
    uint64_t room_x = scene->home.Width - 2 * (scene->home.Width / 16);
    uint64_t room_y = scene->home.Height - 2 * (scene->home.Height / 16);

    if (width * room_y > height * room_x) {
        room_y = room_x * height / width;
    } else {
        room_x = room_y * width / height;
    }
    int32_t left = (int32_t)((scene->home.Width - room_x) / 2);
    int32_t top = (int32_t)((scene->home.Height - room_y) / 2);
    return (struct drydock_window){left, top, left + (int32_t)room_x, top + (int32_t)room_y};
}

/* False: it is wrong, or the work is over. */
static bool look_scaled(struct modes_scene *scene, UINT way, const char *done)
{
    const struct drydock_workload_host *host = scene->gpu.host;
    bool known =
        way == DRYDOCK_OUTPUT_CUSTOM && (host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU) != 0;
    struct drydock_window window = window_of(scene);
    struct drydock_wrong_pixel wrong = {0};
    char what[256];

    if (host->failed(host)) {
        return false;
    }
    if (!host->compare(host, 0, scene->screen.pixels, known ? &window : NULL, &wrong)) {
        return true; /* the device cannot tell */
    }
    if (wrong.count) { /* hardware may take an address at the next vertical sync */
        host->sleep_until(host, host->now_ns(host) + SCALED_NS);
        if (!host->compare(host, 0, scene->screen.pixels, known ? &window : NULL, &wrong)) {
            return true;
        }
    }
    host->count(host, "present.scanouts_checked", 1);
    if (wrong.count && canvas_fills_nothing(&scene->gpu)) {
        return false;
    }
    if (wrong.count) {
        snprintf(what, sizeof what,
                 "(%s) %llu pixels of the scan-out can be no part of the picture of %u x %u; the "
                 "first where it has (%u, %u): 0x%06X, which is 0x%06X there",
                 ways[way], (unsigned long long)wrong.count, scene->screen.width,
                 scene->screen.height, wrong.x, wrong.y, wrong.seen,
                 *picture_at(&scene->screen, (int)wrong.x, (int)wrong.y) & 0xFFFFFF);
        host->count(host, "present.wrong_pixels", wrong.count);
        modes_tell(scene, &(struct modes_step){done, "SHOW-013"}, what);
    }
    return wrong.count == 0;
}

/* Of a client that sees the picture turned: the driver turns what is drawn, and the path is scaled
 * all the same. */
static bool label_turned(struct modes_scene *scene, D3DDDI_ROTATION rotation)
{
    const struct modes_place at = {true, 24, 24, false, false};
    NTSTATUS status =
        rotation == D3DDDI_ROTATION_IDENTITY ? STATUS_NOT_SUPPORTED : modes_draw_label(scene, at);

    if (modes_is_refused(status)) {
        return true;
    }
    modes_expect_label(scene, rotation, at);
    return gpu_check(&scene->gpu, status, "D3DKMTPresent (Blt, Rotate) on a scaled path") &&
           gpu_wait_idle(&scene->gpu);
}

static bool look_at_steps(struct modes_scene *scene, UINT way, D3DDDI_ROTATION rotation)
{
    struct gpu *gpu = &scene->gpu;
    const struct surface *first = &scene->primaries[0], *second = &scene->primaries[1];
    const char *set = rotation == D3DDDI_ROTATION_IDENTITY
                          ? "CommitVidPn or UpdateActiveVidPnPresentPath of a path of two sizes"
                          : "CommitVidPn of a path of two sizes that is turned, too";
    bool good = paint_tiles(scene, first, MODES_FIRST) && label_turned(scene, rotation) &&
                look_scaled(scene, way, set);

    if (!good || !second->allocation) { /* one of a large mode is enough */
        return good;
    }
    gpu->host->sleep_until(gpu->host, gpu->host->now_ns(gpu->host) + LEFT_ALONE_NS);
    return look_scaled(scene, way, "some time in which a scaled path was left alone") &&
           paint_tiles(scene, second, MODES_SECOND) &&
           gpu_flip(gpu, second, 0, D3DDDI_FLIPINTERVAL_ONE) && gpu_wait_idle(gpu) &&
           look_scaled(scene, way, "a flip on a path that is scaled") &&
           paint_tiles(scene, first, MODES_FIRST) &&
           gpu_flip(gpu, first, 0, D3DDDI_FLIPINTERVAL_ONE) && gpu_wait_idle(gpu);
}

/* In one way after the other: the first is set by CommitVidPn. Who does not turn and scale at once
 * scales. */
static bool show_scaled(struct modes_scene *scene, UINT way, D3DDDI_ROTATION rotation)
{
    struct gpu *gpu = &scene->gpu;

    if (!arrange(scene, way)) {
        return false;
    }
    NTSTATUS status = modes_set(scene, &scene->primaries[0], rotation);
    if (status == STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED &&
        rotation != D3DDDI_ROTATION_IDENTITY) {
        rotation = D3DDDI_ROTATION_IDENTITY;
        status = modes_set(scene, &scene->primaries[0], rotation);
    }
    if (status == STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED) {
        return true;
    }
    bool good = gpu_check_mode(gpu, status, "D3DKMTSetDisplayMode of a picture that is scaled") &&
                look_at_steps(scene, way, rotation);
    gpu->host->count(gpu->host, "modes.scaled", good);
    gpu->host->count(gpu->host, "modes.scaled_and_turned",
                     good && rotation != D3DDDI_ROTATION_IDENTITY);
    return good;
}

/* From a mode of another size: one commit changes source, target, scaling and rotation. */
static bool scale_from_home(struct modes_scene *scene, UINT way)
{
    struct gpu *gpu = &scene->gpu;
    struct surface home;
    bool good = arrange(scene, 0) &&
                gpu_surface_create(gpu, DRYDOCK_SURFACE_PRIMARY, scene->home.Width,
                                   scene->home.Height, scene->home.Format, false, &home);

    if (!good) {
        return false;
    }
    good = gpu_fill(gpu, &home, box_at(0, 0, (int)home.width, (int)home.height), MODES_SECOND) &&
           gpu_check_mode(gpu, modes_set(scene, &home, D3DDDI_ROTATION_IDENTITY),
                          "D3DKMTSetDisplayMode") &&
           show_scaled(scene, way, D3DDDI_ROTATION_90);
    gpu_surface_destroy(gpu, &home);
    return good;
}

/* The small surfaces stay until the home mode is shown. */
static bool take_large(struct modes_scene *scene)
{
    if (!modes_has_large(scene)) {
        return true;
    }
    picture_destroy(&scene->screen);
    for (unsigned i = 0; i < 2; i++) {
        scene->others[i] = scene->primaries[i];
        scene->primaries[i] = (struct surface){0};
    }
    return modes_make_primaries(scene, &scene->large, 1);
}

/* From the mode of its own size, and to each other; to that of the home mode in the end, or one
 * that is larger. */
bool modes_run_scaled(struct modes_scene *scene)
{
    static const UINT order[] = {DRYDOCK_OUTPUT_STRETCHED, DRYDOCK_OUTPUT_CENTERED,
                                 DRYDOCK_OUTPUT_ASPECT, DRYDOCK_OUTPUT_CUSTOM};
    bool good = true;

    if (scene->small.Width == scene->home.Width && scene->small.Height == scene->home.Height) {
        return true;
    }
    for (size_t i = 0; i < sizeof order / sizeof *order && good; i++) {
        good = show_scaled(scene, order[i], D3DDDI_ROTATION_IDENTITY);
    }
    good = good && take_large(scene) && scale_from_home(scene, DRYDOCK_OUTPUT_STRETCHED);
    return arrange(scene, 0) && good;
}
