/* desktop: windows of several processes, composed by Present and flipped at vertical sync.
 *
 * It needs no knowledge of a driver's commands: surfaces are standard allocations, and the work is
 * Present alone: Blt whole and by sub-rectangles, within a surface, with a colour key, stretched,
 * ColorFill, Flip. Each frame is composed a second time by pixman. What the primary holds, read
 * back through a shadow surface, must be the same in every pixel, and so must what the monitor
 * shows where the device can tell.
 *
 *     frame:  hold the windows' front surfaces ─ compose ─ read back ─ compare ─ flip ─ wait ─
 *             compare the scan-out ─ let the windows go */
#include "desktop.h"

#include <stdlib.h>
#include <string.h>

#include "periodic.h"
#include "results.h"
#include "second.h"
#include "workloads.h"
#include "wrong.h"

#define PRIMARIES    3
#define SHOTS        8 /* pictures that are kept */
#define TASKBAR      46
#define WALL_TILES   8 /* either way */
#define WINDOWS_MIN  5
#define FRAMES_MIN   4
#define SITE_LOOK    0
#define FIRST_COLOUR 0x2B5D8F /* of the surface that the mode change shows */
#define SITE_RAISE   1
#define SITE_WAY     2

struct compositor {
    struct gpu gpu;
    unsigned width, height;
    D3DDDIFORMAT format;
    struct surface primaries[PRIMARIES];
    struct surface readback;
    struct picture screen; /* what every primary must hold when it is composed */
    struct second second;
    struct canvas wallpaper, cursor, icons[ART_ICON_COUNT];
    struct canvas titles[DESKTOP_WINDOWS_MAX], shadows[DESKTOP_WINDOWS_MAX];
    struct canvas seen[DESKTOP_WINDOWS_MAX]
                      [2];               /* the windows' surfaces; their pictures are theirs */
    unsigned order[DESKTOP_WINDOWS_MAX]; /* of windows, the lowest first */
    double phases[DESKTOP_WINDOWS_MAX];
    uint64_t frame_count, wrong_pixels;
    bool no_keys; /* the driver refused colour keys */
};

/* ---- Start ----------------------------------------------------------------------------------- */

/* Asked by who composes: can the device scale what it sends? Nothing here has it do so. */
static void ask_for_scaling(struct gpu *gpu)
{
    D3DKMT_GET_POST_COMPOSITION_CAPS caps = {.hAdapter = gpu->adapter};

    gpu->host->count(gpu->host, "desktop.scaling_told",
                     NT_SUCCESS(D3DKMTGetPostCompositionCaps(&caps)));
}

static bool query_mode(struct compositor *compositor)
{
    struct gpu *gpu = &compositor->gpu;
    D3DKMT_DISPLAYMODE mode;

    if (!gpu_display_mode(gpu->adapter, 0, &mode)) {
        gpu->host->note(gpu->host, "left out: the adapter shows nothing on its first source");
        return false;
    }
    compositor->width = mode.Width;
    compositor->height = mode.Height;
    compositor->format = mode.Format;
    if (!gpu_is_32_bit(compositor->format) || compositor->width < 320 || compositor->height < 240) {
        gpu->host->note(gpu->host, "left out: a mode of %u x %u pixels in format %u",
                        compositor->width, compositor->height, (unsigned)compositor->format);
        return false;
    }
    ask_for_scaling(gpu);
    return true;
}

static bool make_picture_canvas(struct gpu *gpu, unsigned width, unsigned height,
                                void (*paint)(struct picture *), struct canvas *out)
{
    struct picture picture;

    if (!picture_create(width, height, &picture)) {
        return false;
    }
    paint(&picture);
    return canvas_from_picture(gpu, &picture, out);
}

static bool make_scenery(struct compositor *compositor)
{
    struct gpu *gpu = &compositor->gpu;
    uint32_t seed = (uint32_t)gpu->host->random(gpu->host, SITE_LOOK);
    struct picture picture;
    bool good = picture_create(compositor->width, compositor->height, &picture);

    if (good) {
        if (gpu->host->duration_ns < DESKTOP_PLAIN_NS) {
            art_pattern(&picture, seed);
        } else {
            art_wallpaper(&picture, seed);
        }
        good = canvas_from_picture(gpu, &picture, &compositor->wallpaper);
    }
    good = good && make_picture_canvas(gpu, ART_CURSOR_WIDTH, ART_CURSOR_HEIGHT, art_cursor,
                                       &compositor->cursor);
    for (unsigned i = 0; i < ART_ICON_COUNT && good; i++) {
        good = picture_create(ART_ICON_SIZE, ART_ICON_SIZE, &picture);
        if (good) {
            art_icon(&picture, i);
            good = canvas_from_picture(gpu, &picture, &compositor->icons[i]);
        }
    }
    return good;
}

static bool make_frame(struct compositor *compositor, const struct window *window)
{
    const int margin = DESKTOP_SHADOW_MARGIN;
    struct gpu *gpu = &compositor->gpu;
    struct picture picture;

    if (!picture_create(window->width, DESKTOP_TITLE_HEIGHT, &picture)) {
        return false;
    }
    art_title_bar(&picture, window->colour);
    if (!canvas_from_picture(gpu, &picture, &compositor->titles[window->index]) ||
        !picture_create(window->width + 2u * margin,
                        window->height + DESKTOP_TITLE_HEIGHT + 2u * margin, &picture)) {
        return false;
    }
    art_shadow(&picture, margin);
    return canvas_from_picture(gpu, &picture, &compositor->shadows[window->index]);
}

static bool make_screen(struct compositor *compositor)
{
    struct gpu *gpu = &compositor->gpu;
    bool good =
        picture_create(compositor->width, compositor->height, &compositor->screen) &&
        gpu_surface_create(gpu, DRYDOCK_SURFACE_SHADOW, compositor->width, compositor->height,
                           D3DDDIFMT_X8R8G8B8, false, &compositor->readback);

    for (unsigned i = 0; i < PRIMARIES && good; i++) {
        good =
            gpu_surface_create(gpu, DRYDOCK_SURFACE_PRIMARY, compositor->width, compositor->height,
                               compositor->format, false, &compositor->primaries[i]);
    }
    return good;
}

/* Puts the first primary on the screen. */
static bool show(struct compositor *compositor)
{
    struct gpu *gpu = &compositor->gpu;
    const D3DKMT_VIDPNSOURCEOWNER_TYPE type = D3DKMT_VIDPNSOURCEOWNER_SHARED;
    const D3DDDI_VIDEO_PRESENT_SOURCE_ID source = 0;
    const D3DKMT_SETVIDPNSOURCEOWNER owner = {
        .hDevice = gpu->device,
        .pType = &type,
        .pVidPnSourceId = &source,
        .VidPnSourceCount = 1,
    };
    const D3DKMT_SETDISPLAYMODE mode = {
        .hDevice = gpu->device,
        .hPrimaryAllocation = compositor->primaries[0].allocation,
        .ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE,
        .DisplayOrientation = D3DDDI_ROTATION_IDENTITY,
    };

    picture_fill(&compositor->screen, picture_box(&compositor->screen), FIRST_COLOUR);
    return gpu_check(gpu, D3DKMTSetVidPnSourceOwner(&owner), "D3DKMTSetVidPnSourceOwner") &&
           gpu_fill(gpu, &compositor->primaries[0], picture_box(&compositor->screen),
                    FIRST_COLOUR) &&
           gpu_wait_idle(gpu) &&
           gpu_check_mode(gpu, D3DKMTSetDisplayMode(&mode), "D3DKMTSetDisplayMode");
}

static void take_down(struct compositor *compositor)
{
    struct gpu *gpu = &compositor->gpu;

    for (unsigned i = 0; i < DESKTOP_WINDOWS_MAX; i++) {
        for (unsigned b = 0; b < 2; b++) {
            gpu_surface_destroy(gpu, &compositor->seen[i][b].surface);
        }
        canvas_destroy(gpu, &compositor->titles[i]);
        canvas_destroy(gpu, &compositor->shadows[i]);
    }
    for (unsigned i = 0; i < ART_ICON_COUNT; i++) {
        canvas_destroy(gpu, &compositor->icons[i]);
    }
    canvas_destroy(gpu, &compositor->cursor);
    canvas_destroy(gpu, &compositor->wallpaper);
    for (unsigned i = 0; i < PRIMARIES; i++) {
        gpu_surface_destroy(gpu, &compositor->primaries[i]);
    }
    gpu_surface_destroy(gpu, &compositor->readback);
    picture_destroy(&compositor->screen);
    second_destroy(&compositor->second);
}

/* ---- Where things are --------------------------------------------------------------------------
 */

static int wave(double turns, int range)
{
    return (int)(art_sine(turns) * range);
}

/* Where the window's frame is, title bar and all, in this frame. */
static struct box place(const struct compositor *compositor, const struct window *window)
{
    static const struct {
        double x, y;
    } anchors[DESKTOP_WINDOWS_MAX] = {{0.13, 0.08}, {0.72, 0.10}, {0.60, 0.46}, {0.14, 0.50},
                                      {0.42, 0.20}, {0.36, 0.58}, {0.48, 0.05}, {0.78, 0.58}};
    double time = compositor->frame_count / 240.0, phase = compositor->phases[window->index];
    int width = (int)window->width, height = (int)window->height;

    if (window->content == CONTENT_PHOTO || window->content == CONTENT_BARS) {
        width -= (wave(time * 1.3 + phase, width / 10) + width / 10);
        height -= (wave(time * 0.9 + phase * 2, height / 10) + height / 10);
    }
    int x = (int)(anchors[window->index].x * compositor->width) +
            wave(time + phase, (int)compositor->width / 22);
    int y = (int)(anchors[window->index].y * compositor->height) +
            wave(time * 0.7 + phase * 3, (int)compositor->height / 24);
    return box_at(x, y, width, height + DESKTOP_TITLE_HEIGHT);
}

/* Now and then one comes to the top. */
static void raise_one(struct compositor *compositor, unsigned window_count)
{
    const struct drydock_workload_host *host = compositor->gpu.host;
    unsigned place = (unsigned)(host->random(host, SITE_RAISE) % window_count);
    unsigned raised = compositor->order[place];

    memmove(&compositor->order[place], &compositor->order[place + 1],
            (window_count - 1 - place) * sizeof compositor->order[0]);
    compositor->order[window_count - 1] = raised;
}

/* ---- Composing ---------------------------------------------------------------------------------
 */

static bool copy_keyed(struct compositor *compositor, struct canvas *to, int x, int y,
                       const struct canvas *from, struct box box)
{
    bool refused = false;

    if (compositor->no_keys || box_is_empty(box)) {
        return true;
    }
    if (!canvas_copy_keyed(&compositor->gpu, to, x, y, from, box, ART_KEY, &refused)) {
        return false;
    }
    if (refused) {
        compositor->gpu.host->note(compositor->gpu.host, "the driver has no colour keys");
        compositor->no_keys = true;
    }
    return true;
}

static bool draw_wallpaper(struct compositor *compositor, struct canvas *to)
{
    struct box boxes[WALL_TILES * WALL_TILES];
    int width = (int)compositor->width, height = (int)compositor->height - TASKBAR;

    if (compositor->frame_count % 4 == 0) {
        return canvas_copy(&compositor->gpu, to, 0, 0, &compositor->wallpaper,
                           box_at(0, 0, width, height));
    }
    for (int i = 0; i < WALL_TILES * WALL_TILES; i++) {
        int column = i % WALL_TILES, row = i / WALL_TILES;
        boxes[i] = (struct box){width * column / WALL_TILES, height * row / WALL_TILES,
                                width * (column + 1) / WALL_TILES, height * (row + 1) / WALL_TILES};
    }
    return canvas_copy_boxes(&compositor->gpu, to, &compositor->wallpaper, boxes,
                             WALL_TILES * WALL_TILES);
}

static bool draw_icons(struct compositor *compositor, struct canvas *to)
{
    for (int i = 0; i < ART_ICON_COUNT; i++) {
        int y = 24 + i * (ART_ICON_SIZE + 22);
        if (y + ART_ICON_SIZE < (int)compositor->height - TASKBAR &&
            !copy_keyed(compositor, to, 24, y, &compositor->icons[i],
                        picture_box(&compositor->icons[i].picture))) {
            return false;
        }
    }
    return true;
}

/* The four quarters of a picture that was made for the largest size, closer together. */
static bool draw_quarters(struct compositor *compositor, struct canvas *to, struct box box,
                          const struct canvas *from)
{
    int width = (int)from->picture.width, height = (int)from->picture.height;
    int left = box_width(box) / 2, right = box_width(box) - left;
    int upper = box_height(box) / 2, lower = box_height(box) - upper;

    return copy_keyed(compositor, to, box.left, box.top, from, box_at(0, 0, left, upper)) &&
           copy_keyed(compositor, to, box.left + left, box.top, from,
                      box_at(width - right, 0, right, upper)) &&
           copy_keyed(compositor, to, box.left, box.top + upper, from,
                      box_at(0, height - lower, left, lower)) &&
           copy_keyed(compositor, to, box.left + left, box.top + upper, from,
                      box_at(width - right, height - lower, right, lower));
}

static bool draw_window(struct compositor *compositor, struct canvas *to,
                        const struct window *window)
{
    const int margin = DESKTOP_SHADOW_MARGIN;
    struct gpu *gpu = &compositor->gpu;
    struct box box = place(compositor, window);
    struct box shadow = {box.left - margin, box.top - margin / 3, box.right + margin,
                         box.bottom + margin * 5 / 3};
    struct canvas *content = &compositor->seen[window->index][window->held];
    struct canvas *title = &compositor->titles[window->index];
    int width = box_width(box), half = width / 2;
    struct box line = {box.left, box.top + DESKTOP_TITLE_HEIGHT - 1, box.right,
                       box.top + DESKTOP_TITLE_HEIGHT};

    content->picture = window->buffers[window->held].picture;
    return draw_quarters(compositor, to, shadow, &compositor->shadows[window->index]) &&
           copy_keyed(compositor, to, box.left, box.top, title,
                      box_at(0, 0, half, DESKTOP_TITLE_HEIGHT)) &&
           copy_keyed(compositor, to, box.left + half, box.top, title,
                      box_at((int)title->picture.width - width + half, 0, width - half,
                             DESKTOP_TITLE_HEIGHT)) &&
           canvas_copy(gpu, to, box.left, box.top + DESKTOP_TITLE_HEIGHT, content,
                       box_at(0, 0, width, box_height(box) - DESKTOP_TITLE_HEIGHT)) &&
           canvas_fill(gpu, to, line, art_mix(window->colour, 0x0A0E16, 0.55));
}

static bool draw_taskbar(struct compositor *compositor, struct canvas *to,
                         const struct desktop *desktop)
{
    struct gpu *gpu = &compositor->gpu;
    int width = (int)compositor->width, top = (int)compositor->height - TASKBAR;
    unsigned active = compositor->order[desktop->window_count - 1];
    bool good = canvas_fill(gpu, to, box_at(0, top, width, TASKBAR), 0x0E1522) &&
                canvas_fill(gpu, to, box_at(0, top, width, 1), 0x33415C);

    for (unsigned i = 0; i < desktop->window_count && good; i++) {
        int x = 24 + (int)i * 92;
        uint32_t colour = desktop->windows[i].colour;
        good = canvas_fill(gpu, to, box_at(x, top + 9, 80, 28),
                           art_mix(0x0E1522, colour, i == active ? 0.55 : 0.25)) &&
               canvas_fill(gpu, to, box_at(x + 10, top + 17, 12, 12), colour) &&
               canvas_fill(gpu, to, box_at(x + 30, top + 21, 38, 4), 0x9FB0CC) &&
               (i != active || canvas_fill(gpu, to, box_at(x, top + 37, 80, 3), colour));
    }
    for (int i = 0; i < 14 && good; i++) {
        int level = 3 + (int)((art_noise(i * 0.7, compositor->frame_count / 9.0, 9) + 1) * 11);
        good =
            canvas_fill(gpu, to, box_at(width - 120 + i * 7, top + 36 - level, 4, level), 0x6FB7E8);
    }
    return good;
}

static bool draw_cursor(struct compositor *compositor, struct canvas *to)
{
    double time = compositor->frame_count / 170.0;
    int x = (int)compositor->width / 2 + wave(time, (int)compositor->width / 3);
    int y = (int)compositor->height / 2 + wave(time * 1.6 + 0.2, (int)compositor->height / 3);

    return copy_keyed(compositor, to, x, y, &compositor->cursor,
                      picture_box(&compositor->cursor.picture));
}

static bool compose(struct compositor *compositor, const struct desktop *desktop,
                    const struct surface *primary)
{
    struct canvas to = {.surface = *primary, .picture = compositor->screen};

    if (!draw_wallpaper(compositor, &to) || !draw_icons(compositor, &to)) {
        return false;
    }
    for (unsigned i = 0; i < desktop->window_count; i++) {
        const struct window *window = &desktop->windows[compositor->order[i]];
        if (window->held >= 0 && !draw_window(compositor, &to, window)) {
            return false;
        }
    }
    return draw_taskbar(compositor, &to, desktop) && draw_cursor(compositor, &to);
}

/* ---- Comparing ---------------------------------------------------------------------------------
 */

/* `surface` is what was drawn on. */
static bool judge(struct compositor *compositor, const struct wrong_picture *seen,
                  const char *where)
{
    const struct drydock_workload_host *host = compositor->gpu.host;
    struct wrong_picture wrong = *seen;
    char drawn[WRONG_TEXT_MAX];

    uint64_t count =
        picture_compare(&compositor->screen, seen->pixels, seen->stride_bytes, &wrong.first);
    if (count && canvas_fills_nothing(&compositor->gpu)) {
        return false;
    }
    if (count) {
        const struct box first = wrong.first;
        const uint32_t *row =
            (const void *)((const uint8_t *)seen->pixels + (size_t)first.top * seen->stride_bytes);
        wrong.name = "desktop";
        wrong.expected = &compositor->screen;
        host->frame(host, "desktop", seen->pixels, compositor->width, compositor->height,
                    seen->stride_bytes);
        wrong_tell(&compositor->gpu, &wrong, drawn);
        compositor->wrong_pixels += count;
        host->count(host, "present.wrong_pixels", count);
        host->fail(host,
                   "frame %llu: %llu pixels of the %s are wrong; the first at (%d, %d): 0x%06X, "
                   "expected 0x%06X%s; the last two pictures are desktop-expected and "
                   "desktop-difference",
                   (unsigned long long)compositor->frame_count, (unsigned long long)count, where,
                   first.left, first.top, row[first.left] & 0xFFFFFF,
                   *picture_at(&compositor->screen, first.left, first.top) & 0xFFFFFF, drawn);
    }
    return count == 0;
}

static bool compare_primary(struct compositor *compositor, const struct surface *primary, bool keep)
{
    struct gpu *gpu = &compositor->gpu;
    const struct surface *readback = &compositor->readback;

    if (!gpu_blt(gpu, readback, 0, 0, primary, picture_box(&compositor->screen))) {
        return false;
    }
    const void *pixels = gpu_lock(gpu, readback, true);
    if (!pixels) {
        return false;
    }
    const struct wrong_picture seen = {
        .surface = primary->allocation, .pixels = pixels, .stride_bytes = readback->pitch};
    bool right = judge(compositor, &seen, "primary");
    if (keep && right) {
        gpu->host->frame(gpu->host, "desktop", pixels, readback->width, readback->height,
                         readback->pitch);
    }
    gpu_unlock(gpu, readback);
    return right;
}

static bool compare_scanout(struct compositor *compositor, const struct surface *shown)
{
    const struct drydock_workload_host *host = compositor->gpu.host;
    unsigned width, height, stride;
    const void *pixels;

    if (!host->scanout(host, 0, &pixels, &width, &height, &stride)) {
        return true; /* the device cannot tell */
    }
    if (width != compositor->width || height != compositor->height) {
        host->fail(host, "the monitor shows %u x %u pixels, the mode has %u x %u", width, height,
                   compositor->width, compositor->height);
        return false;
    }
    host->count(host, "present.scanouts_checked", 1);
    const struct wrong_picture seen = {
        .surface = shown->allocation, .pixels = pixels, .stride_bytes = stride};
    return judge(compositor, &seen, "scan-out");
}

/* ---- The frames --------------------------------------------------------------------------------
 */

static void hold_windows(struct desktop *desktop)
{
    for (unsigned i = 0; i < desktop->window_count; i++) {
        desktop->windows[i].held = desktop->windows[i].front;
    }
}

static void release_windows(struct desktop *desktop)
{
    const struct drydock_workload_host *host = desktop->host;

    for (unsigned i = 0; i < desktop->window_count; i++) {
        desktop->windows[i].held = -1;
    }
    for (unsigned i = 0; i < desktop->process_count; i++) {
        host->event_signal(host, desktop->windows[i].wake);
    }
}

/* Every other one tears; of the others every other one goes to an engine that does not wait. */
static bool flip_to(struct compositor *compositor, const struct surface *primary)
{
    struct gpu *gpu = &compositor->gpu;

    if (compositor->frame_count % 4 == 2) {
        return gpu_flip_without_wait(gpu, primary, 0);
    }
    return gpu_flip(gpu, primary, 0,
                    compositor->frame_count % 2 ? D3DDDI_FLIPINTERVAL_IMMEDIATE
                                                : D3DDDI_FLIPINTERVAL_ONE);
}

/* Behind a flip that no engine waits for; then the second monitor's mode comes anew. */
static bool flip_second(struct compositor *compositor)
{
    bool is_turn = compositor->frame_count % 4 == 2;

    return (!is_turn || second_flip(&compositor->second)) && gpu_wait_idle(&compositor->gpu) &&
           (!is_turn || second_set_mode(&compositor->second));
}

static bool run_frame(struct compositor *compositor, struct desktop *desktop, bool keep)
{
    struct gpu *gpu = &compositor->gpu;
    const struct surface *primary =
        &compositor->primaries[(compositor->frame_count + 1) % PRIMARIES];

    if (compositor->frame_count % 40 == 39) {
        raise_one(compositor, desktop->window_count);
    }
    hold_windows(desktop);
    bool good = compose(compositor, desktop, primary) &&
                compare_primary(compositor, primary, keep) && flip_to(compositor, primary) &&
                flip_second(compositor) && compare_scanout(compositor, primary) &&
                (compositor->frame_count % 4 != 3 || second_compare(&compositor->second));
    release_windows(desktop);
    compositor->frame_count++;
    gpu->host->count(gpu->host, "present.frames", 1);
    return good;
}

static void run_frames(struct compositor *compositor, struct desktop *desktop)
{
    const struct drydock_workload_host *host = desktop->host;
    uint64_t start = host->now_ns(host), step = host->duration_ns / SHOTS, next_shot = start;

    for (;;) {
        uint64_t now = host->now_ns(host), elapsed = now - start;
        bool over = elapsed >= host->duration_ns;
        if ((over && compositor->frame_count >= FRAMES_MIN) || host->failed(host)) {
            break;
        }
        bool keep = now >= next_shot;
        next_shot += keep ? step : 0;
        host->progress(host, over ? host->duration_ns : elapsed, host->duration_ns);
        if (!run_frame(compositor, desktop, keep)) {
            break;
        }
    }
}

/* ---- The whole ---------------------------------------------------------------------------------
 */

static void lay_out(struct desktop *desktop, const struct compositor *compositor)
{
    static const uint32_t colours[DESKTOP_WINDOWS_MAX] = {0x3B6EA5, 0x2E8B7A, 0xA8583A, 0x6E4C9E,
                                                          0x4A6572, 0x8A6D2F, 0x3F7FBF, 0x9C4468};
    /* Of the screen, in hundredths. */
    static const struct {
        unsigned width, height;
    } sizes[CONTENT_COUNT] = {{36, 40}, {17, 29}, {24, 36}, {30, 30}, {26, 32}};
    const struct drydock_workload_host *host = desktop->host;

    desktop->process_count =
        host->process_count < DESKTOP_WINDOWS_MAX ? host->process_count : DESKTOP_WINDOWS_MAX;
    desktop->window_count =
        desktop->process_count < WINDOWS_MIN ? WINDOWS_MIN : desktop->process_count;
    for (unsigned i = 0; i < desktop->window_count; i++) {
        enum window_content content = i % CONTENT_COUNT;
        desktop->windows[i] = (struct window){
            .desktop = desktop,
            .index = i,
            .content = content,
            .width = (compositor->width * sizes[content].width / 100) & ~1u,
            .height = (compositor->height * sizes[content].height / 100) & ~1u,
            .colour = colours[i],
            .front = -1,
            .held = -1,
        };
    }
}

static bool open_windows(struct compositor *compositor, struct desktop *desktop)
{
    struct gpu *gpu = &compositor->gpu;

    for (unsigned i = 0; i < desktop->window_count; i++) {
        struct window *window = &desktop->windows[i];
        compositor->order[i] = i;
        compositor->phases[i] = (double)(gpu->host->random(gpu->host, SITE_LOOK) % 1000) / 1000;
        if (window->version == 0 || !make_frame(compositor, window)) {
            return false;
        }
        for (unsigned b = 0; b < 2; b++) {
            if (!gpu_surface_open(gpu, &window->buffers[b].surface,
                                  &compositor->seen[i][b].surface)) {
                return false;
            }
        }
    }
    return true;
}

/* Windows come up in their processes while the compositor makes its own things. */
static void run_with_clients(struct compositor *compositor, struct desktop *desktop)
{
    const struct drydock_workload_host *host = desktop->host;
    struct desktop_client clients[DESKTOP_WINDOWS_MAX];
    struct drydock_process *processes[DESKTOP_WINDOWS_MAX];
    unsigned started = 0;

    for (; started < desktop->process_count; started++) {
        clients[started] = (struct desktop_client){desktop, started};
        processes[started] =
            host->start_process(host, "desktop-client", desktop_client_run, &clients[started]);
        if (!processes[started]) {
            host->fail(host, "a client process cannot be started");
            break;
        }
    }
    bool good = make_scenery(compositor) && make_screen(compositor) && show(compositor) &&
                compare_scanout(compositor, &compositor->primaries[0]) &&
                second_show(&compositor->second, &compositor->gpu) &&
                second_turn(&compositor->second);
    for (unsigned i = 0; good && i < desktop->window_count && !host->failed(host); i++) {
        host->event_wait(host, desktop->ready, DRYDOCK_NEVER);
    }
    if (good && !host->failed(host) && open_windows(compositor, desktop)) {
        run_frames(compositor, desktop);
    }
    desktop->closing = true;
    release_windows(desktop);
    for (unsigned i = 0; i < started; i++) {
        host->join(host, processes[i]);
    }
}

static bool create_events(struct desktop *desktop)
{
    const struct drydock_workload_host *host = desktop->host;
    bool good = (desktop->ready = host->event_create(host)) != NULL;

    for (unsigned i = 0; i < desktop->process_count && good; i++) {
        good = (desktop->windows[i].wake = host->event_create(host)) != NULL;
    }
    for (unsigned i = desktop->process_count; i < desktop->window_count; i++) {
        desktop->windows[i].wake = desktop->windows[i % desktop->process_count].wake;
    }
    return good;
}

static void destroy_events(struct desktop *desktop)
{
    const struct drydock_workload_host *host = desktop->host;

    for (unsigned i = 0; i < desktop->process_count; i++) {
        if (desktop->windows[i].wake) {
            host->event_destroy(host, desktop->windows[i].wake);
        }
    }
    if (desktop->ready) {
        host->event_destroy(host, desktop->ready);
    }
}

/* Presents and flips go either way, where there are two. */
static bool choose_way(struct gpu *gpu)
{
    bool there;

    return gpu->host->random(gpu->host, SITE_WAY) % 2 || gpu_present_by_address(gpu, 0, &there);
}

static void run(const struct drydock_workload_host *host)
{
    struct compositor *compositor = calloc(1, sizeof *compositor);
    struct desktop *desktop = calloc(1, sizeof *desktop);

    if (!compositor || !desktop) {
        host->fail(host, "no memory");
    } else if (gpu_open(&compositor->gpu, host, 0)) {
        desktop->host = host;
        if (choose_way(&compositor->gpu) && query_mode(compositor)) {
            lay_out(desktop, compositor);
            follow_frames(&compositor->gpu, true); /* first: what happens to computers comes soon */
            if (result_of_pitch(&compositor->gpu) && result_of_sub_rects(&compositor->gpu) &&
                create_events(desktop)) {
                run_with_clients(compositor, desktop);
            }
            destroy_events(desktop);
            take_down(compositor);
            host->count(host, "present.wrong_pixels", 0); /* in the report, also when it is none */
        }
        gpu_close(&compositor->gpu);
    }
    free(desktop);
    free(compositor);
}

const struct drydock_workload workload_desktop = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "desktop",
    .description = "windows of several processes, composed by Present, flipped at vsync",
    .run = run,
};
