/* screen: a desktop drawn by the CPU, for drivers that have a display and nothing else.
 *
 * Each frame is the one before with some parts moved and some changed: a window that is dragged, a
 * list that scrolls within itself, a picture that is passed on from place to place, single pixels
 * in the corners, and now and then everything. The kernel hands it down with the lists of both and
 * compares what the monitor shows [DOD-002]. Then it is turned, shown in the smallest other mode,
 * in the middle of the screen, and stretched to it, both turned, too, where the driver offers that.
 * At last all sources are drawn on at once, by a thread each, as fast as the driver goes, now
 * and then with more rectangles than a small queue has room for; and now and then the smallest mode
 * is left in the middle of the screen. */
#include "art.h"
#include "gpu.h"
#include "workloads.h"

#include <stdlib.h>
#include <string.h>

#define MOVES_MAX    8
#define DIRTY_MAX    256
#define FRAMES_MIN   24
#define SHOTS        4
#define PERIOD_NS    UINT64_C(16666667)
#define SOURCES_MAX  16
#define WHOLE_EVERY  11
#define PASSED_EVERY 5
#define MOVED_EVERY  9 /* only moved: nothing is dirty */
#define LIST_STEP    6
#define TITLE_HEIGHT 16
#define SITE_LOOK    0
#define MODES_MAX    64
#define SIDE_MIN     400 /* pixels: what is laid out has room */
#define TOUR_FRAMES  6   /* at each stop: more than PASSED_EVERY */
#define SIDE_BY_SIDE 12  /* frames of each source at once with the others */
#define DUST         200 /* rectangles at a time */
#define DUST_EVERY   4

struct screen {
    const struct drydock_workload_host *host;
    D3DKMT_HANDLE adapter;
    unsigned source;
    uint32_t seed;
    D3DKMT_DISPLAYMODE home;
    struct picture wallpaper, now;
    struct box window, list, stamps[3];
    unsigned frame_count;
    struct drydock_move moves[MOVES_MAX];
    RECT dirty[DIRTY_MAX];
    unsigned move_count, dirty_count;
};

/* ---- What a frame consists of ---------------------------------------------------------------- */

static RECT rect_of(struct box box)
{
    return (RECT){box.left, box.top, box.right, box.bottom};
}

static void move(struct screen *screen, struct box from, int x, int y)
{
    picture_copy(&screen->now, x, y, &screen->now, from);
    screen->moves[screen->move_count++] = (struct drydock_move){
        from.left, from.top, rect_of(box_at(x, y, box_width(from), box_height(from)))};
}

static void touch(struct screen *screen, struct box box)
{
    screen->dirty[screen->dirty_count++] = rect_of(box);
}

static void fill(struct screen *screen, struct box box, uint32_t colour)
{
    if (!box_is_empty(box)) {
        picture_fill(&screen->now, box, colour);
        touch(screen, box);
    }
}

static void uncover(struct screen *screen, struct box box)
{
    if (!box_is_empty(box)) {
        picture_copy(&screen->now, box.left, box.top, &screen->wallpaper, box);
        touch(screen, box);
    }
}

/* ---- Parts of the desktop -------------------------------------------------------------------- */

static uint32_t colour_of(const struct screen *screen, unsigned site)
{
    return (screen->frame_count * 0x9E3779u + site * 0x45D9F3Bu + screen->seed) & 0xFFFFFFu;
}

/* Within its corner, there and back. */
static struct box window_at(const struct screen *screen, unsigned frame)
{
    int width = (int)screen->now.width / 3, height = (int)screen->now.height / 3;
    int step = (int)(frame % 40), way = step < 20 ? step : 40 - step;

    return box_at(8 + way * 5, 6 + way * 3, width, height);
}

/* What was behind it comes back; its title changes while it moves, and a line within. */
static void drag_window(struct screen *screen)
{
    struct box old = screen->window, new = window_at(screen, screen->frame_count);

    move(screen, old, new.left, new.top);
    uncover(screen, (struct box){old.left, old.top, old.right, new.top});
    uncover(screen, (struct box){old.left, new.bottom, old.right, old.bottom});
    uncover(screen, (struct box){old.left, old.top, new.left, old.bottom});
    uncover(screen, (struct box){new.right, old.top, old.right, old.bottom});
    fill(screen, box_at(new.left, new.top, box_width(new), TITLE_HEIGHT), colour_of(screen, 1));
    fill(screen, box_at(new.left + 7, new.bottom - 9, box_width(new) - 20, 3),
         colour_of(screen, 2));
    screen->window = new;
}

static void scroll_list(struct screen *screen)
{
    struct box list = screen->list;

    move(screen, (struct box){list.left, list.top + LIST_STEP, list.right, list.bottom}, list.left,
         list.top);
    fill(screen, (struct box){list.left, list.bottom - LIST_STEP, list.right, list.bottom},
         colour_of(screen, 3));
}

/* From the second to the third, from the first to the second, from that to a place of its own: who
 * does not end one move before the next shows it. */
static void pass_on(struct screen *screen)
{
    const struct box *stamps = screen->stamps;

    move(screen, stamps[1], stamps[2].left, stamps[2].top);
    move(screen, stamps[0], stamps[1].left, stamps[1].top);
    move(screen, stamps[1], stamps[1].left, stamps[1].bottom + 4);
    fill(screen, stamps[0], colour_of(screen, 4));
}

/* Copies of what stays where it is: nothing has to be drawn. */
static void copy_stamps(struct screen *screen)
{
    struct box to = screen->stamps[2];

    move(screen, screen->stamps[0], to.left, to.top);
    move(screen, screen->stamps[1], to.left + 3, to.top - 2);
}

static void touch_corners(struct screen *screen)
{
    int right = (int)screen->now.width - 1, bottom = (int)screen->now.height - 1;

    fill(screen, box_at(0, 0, 1, 1), colour_of(screen, 5));
    fill(screen, box_at(right, 0, 1, 1), colour_of(screen, 6));
    fill(screen, box_at(0, bottom, 1, 1), colour_of(screen, 7));
    fill(screen, box_at(right, bottom, 1, 1), colour_of(screen, 8));
}

static void draw_all(struct screen *screen)
{
    struct box whole = picture_box(&screen->now);

    picture_copy(&screen->now, 0, 0, &screen->wallpaper, whole);
    picture_fill(&screen->now, screen->window, 0x2B5D8F);
    picture_fill(&screen->now, screen->list, colour_of(screen, 9));
    for (unsigned i = 0; i < 3; i++) {
        picture_fill(&screen->now, screen->stamps[i], colour_of(screen, 10 + i));
    }
    touch(screen, whole);
}

static void draw(struct screen *screen)
{
    screen->move_count = screen->dirty_count = 0;
    if (screen->frame_count % WHOLE_EVERY == 0) {
        draw_all(screen);
        return;
    }
    if (screen->frame_count % MOVED_EVERY == MOVED_EVERY / 2) {
        copy_stamps(screen);
        return;
    }
    drag_window(screen);
    scroll_list(screen);
    if (screen->frame_count % PASSED_EVERY == 0) {
        pass_on(screen);
    }
    touch_corners(screen);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static bool present(struct screen *screen)
{
    const struct drydock_host_frame frame = {
        .hAdapter = screen->adapter,
        .source = screen->source,
        .pixels = screen->now.pixels,
        .stride_bytes = screen->now.width * 4,
        .moves = screen->moves,
        .dirty = screen->dirty,
        .width = screen->now.width,
        .height = screen->now.height,
        .move_count = screen->move_count,
        .dirty_count = screen->dirty_count,
    };
    NTSTATUS status = drydock_present_frame(&frame);

    if (status < 0) {
        screen->host->fail(screen->host,
                           "frame %u, of %u moves and %u dirty rectangles, could not be presented "
                           "(DxgkDdiPresentDisplayOnly): %s",
                           screen->frame_count, screen->move_count, screen->dirty_count,
                           screen->host->status_name(screen->host, status));
    }
    return status >= 0;
}

static void keep(struct screen *screen)
{
    const struct drydock_workload_host *host = screen->host;
    unsigned width, height, stride;
    const void *pixels;

    if (host->scanout(host, screen->source, &pixels, &width, &height, &stride)) {
        host->frame(host, "screen", pixels, width, height, stride);
    } else {
        host->frame(host, "screen", screen->now.pixels, screen->now.width, screen->now.height,
                    screen->now.width * 4);
    }
}

static void run_frames(struct screen *screen)
{
    const struct drydock_workload_host *host = screen->host;
    uint64_t start = host->now_ns(host), step = host->duration_ns / SHOTS, next_shot = start;

    for (screen->frame_count = 0; !host->failed(host); screen->frame_count++) {
        uint64_t now = host->now_ns(host), elapsed = now - start;
        bool over = elapsed >= host->duration_ns;
        if (over && screen->frame_count >= FRAMES_MIN) {
            break;
        }
        host->progress(host, over ? host->duration_ns : elapsed, host->duration_ns);
        draw(screen);
        if (!present(screen)) {
            break;
        }
        host->count(host, "present.frames", 1);
        if (now >= next_shot) {
            next_shot += step;
            keep(screen);
        }
        host->sleep_until(host, now + PERIOD_NS);
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void lay_out(struct screen *screen)
{
    int width = (int)screen->now.width, height = (int)screen->now.height;

    screen->window = window_at(screen, 0);
    screen->list = box_at(width * 5 / 8, 16, width / 4, height / 3);
    for (int i = 0; i < 3; i++) {
        screen->stamps[i] = box_at(width / 8 + i * (width / 4), height * 3 / 4, 48, 32);
    }
}

static bool has_room(unsigned width, unsigned height)
{
    return width >= 640 && height >= SIDE_MIN && width <= 16384 && height <= 16384;
}

static void let_go(struct screen *screen)
{
    picture_destroy(&screen->now);
    picture_destroy(&screen->wallpaper);
}

static bool begin(struct screen *screen, unsigned width, unsigned height)
{
    if (!picture_create(width, height, &screen->now) ||
        !picture_create(width, height, &screen->wallpaper)) {
        let_go(screen);
        screen->host->fail(screen->host, "no memory");
        return false;
    }
    art_pattern(&screen->wallpaper, screen->seed);
    lay_out(screen);
    return true;
}

/* ---- Other modes, other orientations --------------------------------------------------------- */

static const char *way_of(const D3DKMT_DISPLAYMODE *mode)
{
    static const char *const ways[] = {"", ", stretched", ", centered", ", scaled with its shape",
                                       ", scaled as the driver likes"};

    return mode->DisplayFixedOutput < sizeof ways / sizeof *ways ? ways[mode->DisplayFixedOutput]
                                                                 : "";
}

/* False: the driver does not offer it, or something failed. */
static bool arrange(struct screen *screen, const D3DKMT_DISPLAYMODE *mode, D3DDDI_ROTATION rotation)
{
    const struct drydock_workload_host *host = screen->host;
    const struct drydock_screen_arrangement wanted = {
        .hAdapter = screen->adapter,
        .source = screen->source,
        .width = mode->Width,
        .height = mode->Height,
        .rotation = rotation,
        .fixed_output = mode->DisplayFixedOutput,
    };
    NTSTATUS status = drydock_arrange_screen(&wanted);

    if (status < 0 && status != STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED) {
        host->fail(host,
                   "a mode of %u x %u pixels%s, turned by %u degrees, which the driver offers, "
                   "could not be set: %s",
                   mode->Width, mode->Height, way_of(mode),
                   90u * (rotation - D3DDDI_ROTATION_IDENTITY), host->status_name(host, status));
    }
    return status >= 0;
}

/* Some pictures, the first of them whole. False: the driver does not offer it. */
static bool show_some(struct screen *screen, const D3DKMT_DISPLAYMODE *mode,
                      D3DDDI_ROTATION rotation, unsigned count)
{
    const struct drydock_workload_host *host = screen->host;
    bool lies = rotation == D3DDDI_ROTATION_90 || rotation == D3DDDI_ROTATION_270;

    if (host->failed(host) || !arrange(screen, mode, rotation) ||
        !begin(screen, lies ? mode->Height : mode->Width, lies ? mode->Width : mode->Height)) {
        return false;
    }
    if (mode->DisplayFixedOutput && mode->DisplayFixedOutput != DRYDOCK_OUTPUT_CENTERED) {
        art_tiles(&screen->wallpaper, screen->seed);
    }
    for (screen->frame_count = 0; screen->frame_count < count && !host->failed(host);
         screen->frame_count++) {
        draw(screen);
        if (!present(screen)) {
            break;
        }
        host->count(host, "present.frames", 1);
        if (screen->frame_count == count / 2) {
            keep(screen);
        }
        host->sleep_until(host, host->now_ns(host) + PERIOD_NS);
    }
    let_go(screen);
    return true;
}

/* A stop of the tour. */
static void stop_at(struct screen *screen, const D3DKMT_DISPLAYMODE *mode, D3DDDI_ROTATION rotation)
{
    (void)show_some(screen, mode, rotation, TOUR_FRAMES);
}

/* One scaling is shown turned, too, by a driver that does both at once. */
static void stop_scaled(struct screen *screen, const D3DKMT_DISPLAYMODE *mode)
{
    bool turned = mode->DisplayFixedOutput == DRYDOCK_OUTPUT_ASPECT &&
                  show_some(screen, mode, D3DDDI_ROTATION_90, TOUR_FRAMES / 2);

    screen->host->count(screen->host, "screen.turned_and_scaled", turned);
    (void)show_some(screen, mode, D3DDDI_ROTATION_IDENTITY, turned ? TOUR_FRAMES / 2 : TOUR_FRAMES);
}

/* The smallest of the driver's other modes in which there is room, of those with that fixed output;
 * the one of now: none. */
static D3DKMT_DISPLAYMODE smallest(const struct screen *screen, UINT fixed_output)
{
    static D3DKMT_DISPLAYMODE modes[MODES_MAX];
    D3DKMT_GETDISPLAYMODELIST list = {.hAdapter = screen->adapter,
                                      .VidPnSourceId = screen->source,
                                      .pModeList = modes,
                                      .ModeCount = MODES_MAX};
    D3DKMT_DISPLAYMODE best = screen->home;

    if (D3DKMTGetDisplayModeList(&list) < 0) {
        return best;
    }
    for (unsigned i = 0; i < list.ModeCount; i++) {
        if (modes[i].DisplayFixedOutput == fixed_output &&
            has_room(modes[i].Width, modes[i].Height) && modes[i].Format == best.Format &&
            (uint64_t)modes[i].Width * modes[i].Height < (uint64_t)best.Width * best.Height) {
            best = modes[i];
        }
    }
    return best;
}

static void tour(struct screen *screen)
{
    static const D3DDDI_ROTATION turns[] = {D3DDDI_ROTATION_180, D3DDDI_ROTATION_90,
                                            D3DDDI_ROTATION_270};
    D3DKMT_DISPLAYMODE small = smallest(screen, 0);

    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        stop_at(screen, &screen->home, turns[i]);
    }
    if (small.Width != screen->home.Width || small.Height != screen->home.Height) {
        stop_at(screen, &small, D3DDDI_ROTATION_IDENTITY);
        stop_at(screen, &small, D3DDDI_ROTATION_90);
    }
    for (UINT way = DRYDOCK_OUTPUT_STRETCHED; way <= DRYDOCK_OUTPUT_CUSTOM; way++) {
        D3DKMT_DISPLAYMODE scaled = smallest(screen, way);
        if (scaled.DisplayFixedOutput == way) {
            stop_scaled(screen, &scaled);
            if (way == DRYDOCK_OUTPUT_CENTERED) {
                stop_at(screen, &scaled, D3DDDI_ROTATION_180);
                stop_at(screen, &scaled, D3DDDI_ROTATION_90);
            }
        }
    }
    stop_at(screen, &screen->home, D3DDDI_ROTATION_IDENTITY);
}

static void run_source(struct screen *screen)
{
    const struct drydock_workload_host *host = screen->host;

    if (!gpu_display_mode(screen->adapter, screen->source, &screen->home)) {
        return; /* no monitor there */
    }
    if (!has_room(screen->home.Width, screen->home.Height)) {
        host->note(host, "source %u is left out: a mode of %u x %u pixels", screen->source,
                   screen->home.Width, screen->home.Height);
        return;
    }
    if (begin(screen, screen->home.Width, screen->home.Height)) {
        run_frames(screen);
        let_go(screen);
        tour(screen);
    }
}

/* ---- All at once ----------------------------------------------------------------------------- */

static void scatter(struct screen *screen)
{
    unsigned columns = screen->now.width / 32;

    for (unsigned i = 0; i < DUST; i++) {
        fill(screen, box_at((int)(i % columns * 32 + 3), (int)(i / columns * 16 + 5), 9, 4),
             colour_of(screen, 20 + i));
    }
}

static void run_beside(void *argument)
{
    struct screen *screen = argument;

    if (!begin(screen, screen->home.Width, screen->home.Height)) {
        return;
    }
    for (screen->frame_count = 0;
         screen->frame_count < SIDE_BY_SIDE && !screen->host->failed(screen->host);
         screen->frame_count++) {
        draw(screen);
        if (screen->frame_count % DUST_EVERY == DUST_EVERY / 2) {
            scatter(screen);
        }
        if (!present(screen)) {
            break;
        }
        screen->host->count(screen->host, "present.frames", 1);
    }
    let_go(screen);
}

static void run_side_by_side(const struct screen *any)
{
    const struct drydock_workload_host *host = any->host;
    struct screen *screens = calloc(SOURCES_MAX, sizeof *screens);
    struct drydock_process *threads[SOURCES_MAX] = {NULL};

    for (unsigned i = 0; screens && i < SOURCES_MAX && !host->failed(host); i++) {
        screens[i] = *any;
        screens[i].source = i;
        if (gpu_display_mode(any->adapter, i, &screens[i].home) &&
            has_room(screens[i].home.Width, screens[i].home.Height)) {
            threads[i] = host->start_thread(host, "screen", run_beside, &screens[i]);
        }
    }
    for (unsigned i = 0; i < SOURCES_MAX; i++) {
        if (threads[i]) {
            host->join(host, threads[i]);
        }
    }
    free(screens);
}

/* Whatever comes next, another driver or the screen of a system that stops, finds it in a mode that
 * is not its own: by chance, for else that would come never. */
static void leave_in_the_middle(struct screen *screen)
{
    screen->source = 0;
    if (screen->host->failed(screen->host) || screen->seed % 2 == 0 ||
        !gpu_display_mode(screen->adapter, 0, &screen->home) ||
        !has_room(screen->home.Width, screen->home.Height)) {
        return;
    }
    D3DKMT_DISPLAYMODE small = smallest(screen, DRYDOCK_OUTPUT_CENTERED);
    if (small.DisplayFixedOutput == DRYDOCK_OUTPUT_CENTERED) {
        stop_at(screen, &small, D3DDDI_ROTATION_IDENTITY);
    }
}

static void run(const struct drydock_workload_host *host)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}};
    struct screen screen = {.host = host};

    if (!(host->capabilities & DRYDOCK_DRIVER_IS_DISPLAY_ONLY)) {
        return; /* the others have work for it */
    }
    if (D3DKMTOpenAdapterFromLuid(&adapter) < 0) {
        host->fail(host, "D3DKMTOpenAdapterFromLuid failed");
        return;
    }
    screen.adapter = adapter.hAdapter;
    screen.seed = (uint32_t)host->random(host, SITE_LOOK);
    for (screen.source = 0; screen.source < SOURCES_MAX && !host->failed(host); screen.source++) {
        run_source(&screen);
    }
    run_side_by_side(&screen);
    leave_in_the_middle(&screen);
    const D3DKMT_CLOSEADAPTER close = {.hAdapter = screen.adapter};
    (void)D3DKMTCloseAdapter(&close);
    host->count(host, "present.wrong_pixels", 0); /* in the report, also when it is none */
}

const struct drydock_workload workload_screen = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "screen",
    .description = "a desktop drawn by the CPU, for drivers that have a display and nothing else",
    .run = run,
};
