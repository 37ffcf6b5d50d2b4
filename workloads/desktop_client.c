/* The client processes of the desktop: each owns windows and keeps their pictures moving. */
#include "desktop.h"

#include <string.h>

#define SITE_ART    100 /* plus the window */
#define SITE_LIMIT  120 /* plus the client */
#define LOOK_PIXELS 48
#define LIST_ROW    22
#define BARS_MAX    256

/* ---- Making -------------------------------------------------------------------------------- */

/* The user's picture, repeated where the surface is larger. */
static void tile(struct picture *to, const struct drydock_image *image)
{
    for (unsigned y = 0; y < to->height; y++) {
        for (unsigned x = 0; x < to->width; x++) {
            *picture_at(to, (int)x, (int)y) =
                image->pixels[(size_t)(y % image->height) * image->width + x % image->width];
        }
    }
}

static unsigned at_most(unsigned value, unsigned limit)
{
    return value < limit ? value : limit;
}

/* The picture behind a window's content: the user's if there is one. */
static bool make_source(struct gpu *gpu, struct window *window)
{
    const struct drydock_workload_host *host = gpu->host;
    uint32_t seed = (uint32_t)host->random(host, SITE_ART + window->index);
    struct picture picture;
    unsigned width = window->width * 3 / 2, height = window->height * 3 / 2;

    if (host->image_count > 0) {
        const struct drydock_image *image = &host->images[window->index % host->image_count];
        if (image->width > width) {
            width = at_most(image->width, 2048);
        }
        if (image->height > height) {
            height = at_most(image->height, 2048);
        }
        if (!picture_create(width, height, &picture)) {
            return false;
        }
        tile(&picture, image);
    } else {
        if (!picture_create(width, height, &picture)) {
            return false;
        }
        if (gpu->host->duration_ns < DESKTOP_PLAIN_NS) {
            art_pattern(&picture, seed);
        } else {
            art_photo(&picture, window->index + window->index / ART_PHOTO_COUNT, seed);
        }
    }
    return canvas_from_picture(gpu, &picture, &window->source);
}

static bool open_window(struct gpu *gpu, struct window *window)
{
    bool good = true;

    for (unsigned i = 0; i < 2 && good; i++) {
        good = canvas_create(gpu, window->width, window->height, true, &window->buffers[i]);
    }
    if (good && (window->content == CONTENT_PHOTO || window->content == CONTENT_LENS)) {
        good = make_source(gpu, window);
    }
    if (good && window->content == CONTENT_GAUGE) {
        good = picture_create(window->width, window->height, &window->dial);
        if (good) {
            art_dial(&window->dial, window->colour);
        }
    }
    return good;
}

static void close_window(struct gpu *gpu, struct window *window)
{
    canvas_destroy(gpu, &window->source);
    picture_destroy(&window->dial);
    for (unsigned i = 0; i < 2; i++) {
        canvas_destroy(gpu, &window->buffers[i]);
    }
}

/* ---- Drawing ------------------------------------------------------------------------------- */

/* Goes up and down between 0 and range. */
static int sway(unsigned step, unsigned period, int range)
{
    return (int)((art_sine((double)step / period) + 1) * 0.5 * range);
}

static bool draw_photo(struct gpu *gpu, struct window *window, struct canvas *to)
{
    const struct picture *picture = &window->source.picture;
    int x = sway(window->version, 190, (int)(picture->width - window->width));
    int y = sway(window->version + 60, 250, (int)(picture->height - window->height));

    return canvas_copy(gpu, to, 0, 0, &window->source,
                       box_at(x, y, (int)window->width, (int)window->height));
}

static bool draw_gauge(struct gpu *gpu, struct window *window, struct canvas *to)
{
    double turns = window->version / 120.0;

    picture_copy(&to->picture, 0, 0, &window->dial, picture_box(&window->dial));
    art_hands(&to->picture, turns, turns / 12 + 0.18);
    return gpu_upload(gpu, &to->surface, &to->picture);
}

/* What a row looks like: its ground, and two marks. */
struct row {
    struct box ground, accent, bar;
    uint32_t colours[3];
};

static struct row row_of(const struct window *window, unsigned index, int y)
{
    uint32_t mix = index * 2654435761u;
    int width = (int)window->width, bar = 30 + (int)(mix >> 9) % (width * 2 / 3);
    uint32_t back = index % 2 ? 0x182132 : 0x1D283B;
    uint32_t accent = art_mix(window->colour, 0xF2F5FA, (mix >> 20 & 7) / 10.0);

    return (struct row){box_at(0, y, width, LIST_ROW),
                        box_at(10, y + 6, 10, 10),
                        box_at(30, y + 8, bar, 6),
                        {back, accent, art_mix(accent, back, 0.45)}};
}

static bool draw_row(struct gpu *gpu, struct canvas *to, const struct row *row)
{
    return canvas_fill(gpu, to, row->ground, row->colours[0]) &&
           canvas_fill(gpu, to, row->accent, row->colours[1]) &&
           canvas_fill(gpu, to, row->bar, row->colours[2]);
}

static struct box below_rows(const struct window *window)
{
    int bottom = (int)window->height / LIST_ROW * LIST_ROW;

    return (struct box){0, bottom, (int)window->width, (int)window->height};
}

/* The picture is made of all rows: it owes nothing to those before. */
static void paint_list(const struct window *window, struct picture *to)
{
    for (int i = 0; i < (int)window->height / LIST_ROW; i++) {
        struct row row = row_of(window, window->version + (unsigned)i, i * LIST_ROW);
        picture_fill(to, row.ground, row.colours[0]);
        picture_fill(to, row.accent, row.colours[1]);
        picture_fill(to, row.bar, row.colours[2]);
    }
    picture_fill(to, below_rows(window), 0x10161F);
}

/* Moves the rows of the last picture up and adds one below; without that each is drawn. */
static bool scroll_list(struct gpu *gpu, struct window *window, struct canvas *to,
                        const struct canvas *last)
{
    int height = (int)window->height, width = (int)window->width;
    int count = height / LIST_ROW, first = count - 1;
    bool refused = window->version == 0, good = true;

    if (!refused) {
        good = canvas_copy(gpu, to, 0, 0, last, picture_box(&last->picture)) &&
               canvas_scroll(gpu, to, 0, -LIST_ROW, box_at(0, LIST_ROW, width, height - LIST_ROW),
                             &refused);
    }
    for (int i = refused ? 0 : first; i < count && good; i++) {
        struct row row = row_of(window, window->version + (unsigned)i, i * LIST_ROW);
        good = draw_row(gpu, to, &row);
    }
    return good && canvas_fill(gpu, to, below_rows(window), 0x10161F);
}

static bool draw_list(struct gpu *gpu, struct window *window, struct canvas *to,
                      const struct canvas *last)
{
    bool unpainted = to->unpainted;

    to->unpainted = true;
    bool good = scroll_list(gpu, window, to, last);
    to->unpainted = unpainted;
    if (good && !unpainted) {
        paint_list(window, &to->picture);
    }
    return good;
}

static bool draw_bars(struct gpu *gpu, struct window *window, struct canvas *to)
{
    int width = (int)window->width, height = (int)window->height;
    int count = width / 18 < BARS_MAX ? width / 18 : BARS_MAX;
    struct box lines[4], tips[BARS_MAX];

    for (int i = 0; i < 4; i++) {
        lines[i] = box_at(0, height * (i + 1) / 5, width, 1);
    }
    bool good = canvas_fill(gpu, to, box_at(0, 0, width, height), 0x141B29) &&
                canvas_fill_boxes(gpu, to, 0x263249, lines, 4);
    for (int i = 0; i < count && good; i++) {
        double level = 0.5 + 0.45 * art_noise(i * 0.35, window->version / 14.0, window->index + 5);
        int top = height - 12 - (int)(level * (height - 30));
        uint32_t colour = art_mix(window->colour, 0xFFE08A, level * level);
        tips[i] = box_at(10 + i * 18, top - 4, 12, 2);
        good = canvas_fill(gpu, to, box_at(10 + i * 18, top, 12, height - 12 - top), colour);
    }
    return good && (count == 0 || canvas_fill_boxes(gpu, to, 0xF2F5FA, tips, (unsigned)count));
}

static bool draw_lens(struct gpu *gpu, struct window *window, struct canvas *to)
{
    const struct picture *picture = &window->source.picture;
    int half_width = (int)window->width / 2, half_height = (int)window->height / 2;
    int x = sway(window->version, 140, (int)picture->width - half_width);
    int y = sway(window->version + 30, 170, (int)picture->height - half_height);
    bool refused;

    if (!canvas_enlarge(gpu, to, 0, 0, &window->source, box_at(x, y, half_width, half_height), 2,
                        &refused)) {
        return false;
    }
    if (refused) { /* without a stretch it shows the picture as it is */
        return canvas_copy(gpu, to, 0, 0, &window->source,
                           box_at(x / 2, y / 2, (int)window->width, (int)window->height));
    }
    return true;
}

static bool draw(struct gpu *gpu, struct window *window, struct canvas *to,
                 const struct canvas *last)
{
    switch (window->content) {
    case CONTENT_PHOTO:
        return draw_photo(gpu, window, to);
    case CONTENT_GAUGE:
        return draw_gauge(gpu, window, to);
    case CONTENT_LIST:
        return draw_list(gpu, window, to, last);
    case CONTENT_BARS:
        return draw_bars(gpu, window, to);
    default:
        return draw_lens(gpu, window, to);
    }
}

/* ---- Living -------------------------------------------------------------------------------- */

static bool is_over(const struct desktop *desktop)
{
    return desktop->closing || desktop->host->failed(desktop->host);
}

/* Draws the next picture of a window and puts it in front. */
static bool publish(struct gpu *gpu, struct window *window)
{
    int back = window->front == 0 ? 1 : 0;
    struct canvas *last = &window->buffers[1 - back];

    while (window->held == back && !is_over(window->desktop)) {
        gpu->host->event_wait(gpu->host, window->wake, DRYDOCK_NEVER);
    }
    if (is_over(window->desktop)) {
        return false;
    }
    window->buffers[back].unpainted = !window->desktop->due;
    /* The GPU must be done before another process may look: contexts are not ordered among each
     * other. */
    if (!draw(gpu, window, &window->buffers[back], last) || !gpu_wait_idle(gpu)) {
        return false;
    }
    window->front = back;
    window->version++;
    return true;
}

/* Who stands still has nothing new, unless somebody wants to know what it must look like. */
static bool has_news(const struct window *window)
{
    return window->version == 0 || !window->still ||
           (window->desktop->due && window->buffers[window->front].unpainted);
}

static bool serve(struct gpu *gpu, struct desktop *desktop, unsigned first)
{
    for (unsigned i = first; i < desktop->window_count; i += desktop->process_count) {
        struct window *window = &desktop->windows[i];
        if (!has_news(window)) {
            continue;
        }
        if (!publish(gpu, window)) {
            return false;
        }
        if (window->version == 1) {
            gpu->host->event_signal(gpu->host, desktop->ready);
        }
    }
    /* The next pictures when the next frame is done. */
    if (!is_over(desktop)) {
        gpu->host->event_wait(gpu->host, desktop->windows[first].wake, DRYDOCK_NEVER);
    }
    return !is_over(desktop);
}

/* As who draws anew only when the last picture is out. */
static bool bound_presents(struct gpu *gpu, unsigned index)
{
    unsigned choice = (unsigned)(gpu->host->random(gpu->host, SITE_LIMIT + index) % 6);
    const D3DKMT_SETQUEUEDLIMIT limit = {.hDevice = gpu->device,
                                         .Type = D3DKMT_SET_QUEUEDLIMIT_PRESENT,
                                         .QueuedPresentLimit = choice};

    return choice > 3 || gpu_check(gpu, D3DKMTSetQueuedLimit(&limit), "D3DKMTSetQueuedLimit");
}

/* As a program that takes pictures of the screen: a corner of what the compositor shows, whatever
 * that is by now. */
static bool look_at_screen(struct gpu *gpu)
{
    const struct box corner = {0, 0, LOOK_PIXELS, LOOK_PIXELS};
    D3DKMT_GETSHAREDPRIMARYHANDLE find = {.hAdapter = gpu->adapter};
    struct surface shared = {.width = LOOK_PIXELS, .height = LOOK_PIXELS}, screen, copy;

    if (!gpu_check(gpu, D3DKMTGetSharedPrimaryHandle(&find), "D3DKMTGetSharedPrimaryHandle")) {
        return false;
    }
    shared.share = find.hSharedPrimary;
    if (!shared.share) {
        return true; /* nothing is shown yet */
    }
    bool good = gpu_surface_open(gpu, &shared, &screen) &&
                gpu_surface_create(gpu, DRYDOCK_SURFACE_SHADOW, LOOK_PIXELS, LOOK_PIXELS,
                                   D3DDDIFMT_X8R8G8B8, false, &copy);
    if (good) {
        good = gpu_blt(gpu, &copy, 0, 0, &screen, corner) && gpu_wait_idle(gpu);
        gpu_surface_destroy(gpu, &copy);
        gpu_surface_destroy(gpu, &screen);
        gpu->host->count(gpu->host, "desktop.looks", good);
    }
    return good;
}

void desktop_client_run(void *argument)
{
    const struct desktop_client *client = argument;
    struct desktop *desktop = client->desktop;
    struct gpu gpu;
    bool good = gpu_open(&gpu, desktop->host, 0);
    gpu.redirected = true; /* its window's surface is the compositor's to show */

    if (good) {
        for (unsigned i = client->index; i < desktop->window_count && good;
             i += desktop->process_count) {
            good = open_window(&gpu, &desktop->windows[i]);
        }
        good = good && bound_presents(&gpu, client->index);
        if (good && serve(&gpu, desktop, client->index) && look_at_screen(&gpu)) {
            while (serve(&gpu, desktop, client->index)) {
            }
        }
        /* The compositor looks at our pictures until it says that it is closing. */
        desktop->host->event_signal(desktop->host, desktop->ready);
        while (!desktop->closing) {
            desktop->host->event_wait(desktop->host, desktop->windows[client->index].wake,
                                      DRYDOCK_NEVER);
        }
        for (unsigned i = client->index; i < desktop->window_count; i += desktop->process_count) {
            close_window(&gpu, &desktop->windows[i]);
        }
        gpu_close(&gpu);
    }
    desktop->host->event_signal(desktop->host, desktop->ready); /* never leave anybody waiting */
}
