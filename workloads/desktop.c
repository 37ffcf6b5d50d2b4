/* desktop: windows of several processes, composed by Present and flipped at vertical sync.
 *
 * It needs no knowledge of a driver's commands: surfaces are standard allocations, and the work is
 * Present alone: Blt whole and by sub-rectangles, within a surface, with a colour key, stretched,
 * ColorFill, Flip. Each frame is composed a second time by pixman. What the monitor shows must be
 * the same in every pixel; where the device cannot tell, what the primary holds, read back through
 * a shadow surface. Of other frames a part is read back, too; where it is wrong, the whole.
 *
 * What is hidden is not drawn, but in some frames it is, so that Presents overlap and their order
 * shows.
 *
 *     frame:  hold the windows' front surfaces ─ compose ─ read back ─ compare ─ flip ─ wait ─
 *             compare the scan-out ─ let the windows go */
#include "desktop_compose.h"

#include <stdlib.h>
#include <string.h>

#include "periodic.h"
#include "results.h"
#include "workloads.h"
#include "wrong.h"

#define SHOTS        8 /* pictures that are kept */
#define WINDOWS_MIN  5
#define FRAMES_MIN   4
#define BANDS        16 /* of a screen, read back one at a time */
#define LEAD         3  /* frames before one that is compared, in which windows are painted */
#define MOVE_FRAMES  120
#define SITE_LOOK    0
#define FIRST_COLOUR 0x2B5D8F /* of the surface that the mode change shows */
#define SITE_RAISE   1
#define SITE_WAY     2
#define SITE_GAP     3
#define GAP_RANGE    12u /* frames after which primary and kind of flip come together again */

enum { OPTION_EVERY, OPTION_MOVING };

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

    for (unsigned i = 0; i < DESKTOP_PRIMARIES && good; i++) {
        good =
            gpu_surface_create(gpu, DRYDOCK_SURFACE_PRIMARY, compositor->width, compositor->height,
                               compositor->format, false, &compositor->primaries[i].surface);
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
        .hPrimaryAllocation = compositor->primaries[0].surface.allocation,
        .ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE,
        .DisplayOrientation = D3DDDI_ROTATION_IDENTITY,
    };

    picture_fill(&compositor->screen, picture_box(&compositor->screen), FIRST_COLOUR);
    return gpu_check(gpu, D3DKMTSetVidPnSourceOwner(&owner), "D3DKMTSetVidPnSourceOwner") &&
           gpu_fill(gpu, &compositor->primaries[0].surface, picture_box(&compositor->screen),
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
    for (unsigned i = 0; i < DESKTOP_PRIMARIES; i++) {
        gpu_surface_destroy(gpu, &compositor->primaries[i].surface);
    }
    gpu_surface_destroy(gpu, &compositor->readback);
    picture_destroy(&compositor->screen);
    second_destroy(&compositor->second);
    compositor_end(compositor);
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

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Of a picture the rows from `top` on, and what was seen there. */
static uint64_t compare_rows(const struct compositor *compositor, struct wrong_picture *seen,
                             struct box rows)
{
    const struct picture *screen = &compositor->screen;
    const struct picture part = {screen->width, (unsigned)box_height(rows),
                                 picture_at(screen, 0, rows.top)};
    uint64_t count =
        picture_compare(&part, (const char *)seen->pixels + (size_t)rows.top * seen->stride_bytes,
                        seen->stride_bytes, &seen->first);

    seen->first.top += rows.top;
    seen->first.bottom += rows.top;
    return count;
}

/* `surface` is what was drawn on; the first wrong pixel is known. */
static void tell_wrong(struct compositor *compositor, struct wrong_picture *wrong, uint64_t count,
                       const char *where)
{
    const struct drydock_workload_host *host = compositor->gpu.host;
    const struct box first = wrong->first;
    const uint32_t *row =
        (const void *)((const uint8_t *)wrong->pixels + (size_t)first.top * wrong->stride_bytes);
    char drawn[WRONG_TEXT_MAX];

    wrong->name = "desktop";
    wrong->expected = &compositor->screen;
    host->frame(host, "desktop", wrong->pixels, compositor->width, compositor->height,
                wrong->stride_bytes);
    wrong_tell(&compositor->gpu, wrong, drawn);
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

static bool is_whole(const struct compositor *compositor, struct box rows)
{
    return box_height(rows) == (int)compositor->height;
}

/* Of a band alone nobody can tell what the picture looks like: other rows are of older ones. */
static bool compare_whole(struct compositor *compositor, const struct surface *primary,
                          uint64_t count, struct box first);

/* Reads those rows of the primary back. */
static bool compare_primary(struct compositor *compositor, const struct surface *primary,
                            struct box rows, bool keep)
{
    struct gpu *gpu = &compositor->gpu;
    const struct surface *readback = &compositor->readback;

    if (!gpu_blt(gpu, readback, rows.left, rows.top, primary, rows)) {
        return false;
    }
    const void *pixels = gpu_lock(gpu, readback, true);
    if (!pixels) {
        return false;
    }
    struct wrong_picture seen = {
        .surface = primary->allocation, .pixels = pixels, .stride_bytes = readback->pitch};
    uint64_t count = compare_rows(compositor, &seen, rows);
    if (count && !is_whole(compositor, rows)) {
        gpu_unlock(gpu, readback);
        return compare_whole(compositor, primary, count, seen.first);
    }
    if (count && !canvas_fills_nothing(gpu)) {
        tell_wrong(compositor, &seen, count, "primary");
    }
    if (keep && !count) {
        gpu->host->frame(gpu->host, "desktop", pixels, readback->width, readback->height,
                         readback->pitch);
    }
    gpu_unlock(gpu, readback);
    return !count;
}

static bool compare_whole(struct compositor *compositor, const struct surface *primary,
                          uint64_t count, struct box first)
{
    struct gpu *gpu = &compositor->gpu;

    if (compare_primary(compositor, primary, picture_box(&compositor->screen), false) &&
        !canvas_fills_nothing(gpu)) {
        compositor->wrong_pixels += count;
        gpu->host->count(gpu->host, "present.wrong_pixels", count);
        gpu->host->fail(gpu->host,
                        "frame %llu: %llu pixels of the primary were wrong when a part of it was "
                        "read back, the first at (%d, %d), and none when all of it was",
                        (unsigned long long)compositor->frame_count, (unsigned long long)count,
                        first.left, first.top);
    }
    return false;
}

/* Does the surface itself hold it, or is something else sent? What was seen is kept meanwhile. */
static bool tell_scanout(struct compositor *compositor, const struct wrong_picture *seen,
                         const struct surface *shown, uint64_t count)
{
    size_t bytes = (size_t)seen->stride_bytes * (compositor->height - 1) + compositor->width * 4u;
    void *kept = malloc(bytes);
    struct wrong_picture wrong = *seen;

    if (!kept) {
        compositor->gpu.host->fail(compositor->gpu.host, "no memory");
        return false;
    }
    memcpy(kept, seen->pixels, bytes);
    wrong.pixels = kept;
    if (compare_primary(compositor, shown, picture_box(&compositor->screen), false) &&
        !canvas_fills_nothing(&compositor->gpu)) {
        tell_wrong(compositor, &wrong, count, "scan-out");
    }
    free(kept);
    return false;
}

/* *told: by the device, which knows what is sent. */
static bool compare_scanout(struct compositor *compositor, const struct surface *shown, bool *told)
{
    const struct drydock_workload_host *host = compositor->gpu.host;
    unsigned width, height, stride;
    const void *pixels;

    if (compositor->compared_count == 0) { /* its mode may have been set a moment ago */
        gpu_let_latch(&compositor->gpu, 0, &compositor->screen);
    }
    *told = host->scanout(host, 0, &pixels, &width, &height, &stride);
    if (!*told) {
        return true;
    }
    if (width != compositor->width || height != compositor->height) {
        host->fail(host, "the monitor shows %u x %u pixels, the mode has %u x %u", width, height,
                   compositor->width, compositor->height);
        return false;
    }
    host->count(host, "present.scanouts_checked", 1);
    struct wrong_picture seen = {
        .surface = shown->allocation, .pixels = pixels, .stride_bytes = stride};
    uint64_t count = compare_rows(compositor, &seen, picture_box(&compositor->screen));
    return !count || tell_scanout(compositor, &seen, shown, count);
}

/* ---- The frames ------------------------------------------------------------------------------ */

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

/* What is read back before it is shown: the whole at first, later a band, another one each time.
 * The whole is looked at when it is shown. */
static struct box rows_of(const struct compositor *compositor, bool keep)
{
    int height = (int)compositor->height, band = (int)(compositor->compared_count % BANDS);
    struct box rows = picture_box(&compositor->screen);

    if (compositor->compared_count >= FRAMES_MIN && !keep) {
        rows.top = height * band / BANDS;
        rows.bottom = height * (band + 1) / BANDS;
    }
    return rows;
}

static bool show_frame(struct compositor *compositor, const struct surface *primary)
{
    return flip_to(compositor, primary) && flip_second(compositor);
}

/* All windows were painted as they are drawn: what was published before the frame was due may not
 * have been. */
static bool can_compare(const struct desktop *desktop)
{
    bool painted = desktop->due;

    for (unsigned i = 0; i < desktop->window_count; i++) {
        const struct window *window = &desktop->windows[i];
        painted = painted && window->held >= 0 && !window->buffers[window->held].unpainted;
    }
    return painted;
}

/* Each pixel is compared where it is seen, or else where it lies. */
static bool compare_frame(struct compositor *compositor, const struct surface *primary, bool keep)
{
    const struct box whole = picture_box(&compositor->screen);
    struct box rows = rows_of(compositor, keep);
    bool told;

    compositor_paint(compositor);
    return compare_primary(compositor, primary, rows, keep) && show_frame(compositor, primary) &&
           compare_scanout(compositor, primary, &told) &&
           (told || is_whole(compositor, rows) ||
            compare_primary(compositor, primary, whole, false)) &&
           (compositor->compared_count % 4 != 3 || second_compare(&compositor->second));
}

/* In turn some windows move and the others stand still. */
static void let_move(const struct compositor *compositor, struct desktop *desktop)
{
    unsigned count = desktop->window_count;
    unsigned moving = (unsigned)compositor->gpu.host->values[OPTION_MOVING].number;
    unsigned first = (unsigned)(compositor->frame_count / MOVE_FRAMES % count);

    for (unsigned i = 0; i < count; i++) {
        desktop->windows[i].still = (i + count - first) % count >= moving;
    }
}

/* After one that was compared: not always as many, or it would always be the same primary and the
 * same kind of flip that is looked at. */
static void choose_gap(struct compositor *compositor)
{
    const struct drydock_workload_host *host = compositor->gpu.host;
    uint64_t every = host->values[OPTION_EVERY].number;
    uint64_t range = every < GAP_RANGE ? every : GAP_RANGE;

    compositor->gap = every + (range > 1 ? host->random(host, SITE_GAP) % range : 0);
    compositor->frames_unseen = 0;
}

/* *keep: a picture of it, if it is compared. */
static bool run_frame(struct compositor *compositor, struct desktop *desktop, bool *keep)
{
    const struct drydock_workload_host *host = compositor->gpu.host;
    struct drawn *primary =
        &compositor->primaries[(compositor->frame_count + 1) % DESKTOP_PRIMARIES];

    if (compositor->frame_count % 40 == 39) {
        raise_one(compositor, desktop->window_count);
    }
    hold_windows(desktop);
    bool compared = compositor->frames_unseen + 1 >= compositor->gap && can_compare(desktop);
    bool good = compositor_draw(compositor, desktop, primary) &&
                (compared ? compare_frame(compositor, &primary->surface, *keep)
                          : show_frame(compositor, &primary->surface));
    compositor->frames_unseen++;
    if (compared) {
        choose_gap(compositor);
    }
    desktop->due = compositor->frames_unseen + LEAD >= compositor->gap;
    *keep = *keep && !compared;
    for (unsigned i = 0; i < desktop->window_count; i++) {
        compositor->ages[i] += !desktop->windows[i].still;
    }
    compositor->frame_count++;
    compositor->compared_count += compared;
    let_move(compositor, desktop);
    release_windows(desktop);
    host->count(host, "present.frames", 1);
    host->count(host, "desktop.frames_compared", compared);
    return good;
}

static void run_frames(struct compositor *compositor, struct desktop *desktop)
{
    const struct drydock_workload_host *host = desktop->host;
    uint64_t start = host->now_ns(host), step = host->duration_ns / SHOTS, next_shot = start;
    bool keep = false;

    compositor->gap = 1; /* so the first is compared */
    for (;;) {
        uint64_t now = host->now_ns(host), elapsed = now - start;
        bool over = elapsed >= host->duration_ns;
        if ((over && compositor->frame_count >= FRAMES_MIN) || host->failed(host)) {
            break;
        }
        if (now >= next_shot) {
            keep = true;
            next_shot += step;
        }
        host->progress(host, over ? host->duration_ns : elapsed, host->duration_ns);
        if (!run_frame(compositor, desktop, &keep)) {
            break;
        }
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void lay_out(struct desktop *desktop, const struct compositor *compositor)
{
    static const uint32_t colours[DESKTOP_WINDOWS_MAX] = {0x3B6EA5, 0x2E8B7A, 0xA8583A, 0x6E4C9E,
                                                          0x4A6572, 0x8A6D2F, 0x3F7FBF, 0x9C4468};
    /* Of the screen, in hundredths. */
    static const struct {
        unsigned width, height;
    } sizes[CONTENT_COUNT] = {{36, 40}, {17, 29}, {24, 36}, {30, 30}, {26, 32}};
    const struct drydock_workload_host *host = desktop->host;

    desktop->due = true; /* the first pictures, and what is seen first */
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
    bool told;
    bool good = make_scenery(compositor) && make_screen(compositor) && show(compositor) &&
                compare_scanout(compositor, &compositor->primaries[0].surface, &told) &&
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
            compositor_start(compositor);
            follow_frames(host, true); /* first: what happens to computers comes soon */
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

static const struct drydock_option options[] = {
    [OPTION_EVERY] = {"every", "one frame in so many, or some more, is compared", 1, 1, 1000000},
    [OPTION_MOVING] = {"moving", "so many windows move at a time, and the others stand still",
                       DESKTOP_WINDOWS_MAX, 0, DESKTOP_WINDOWS_MAX},
    {0},
};

const struct drydock_workload workload_desktop = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "desktop",
    .description = "windows of several processes, composed by Present, flipped at vsync",
    .run = run,
    .options = options,
};
