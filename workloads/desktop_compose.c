/* Composing the desktop: where things are in a frame, as layers, and what of them is drawn. */
#include "desktop_compose.h"

/* Of so many frames one is drawn with what is hidden. Prime to twelve: each primary and each kind
 * of flip gets its turn. */
#define OVERLAP_EACH  7
#define OVERLAP_FIRST 3

/* ---- Where things are ------------------------------------------------------------------------ */

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
    double time = compositor->ages[window->index] / 240.0;
    double phase = compositor->phases[window->index];
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

/* ---- Layers ---------------------------------------------------------------------------------- */

static void add_keyed(struct compositor *compositor, struct layers *layers, int x, int y,
                      const struct canvas *from, struct box box)
{
    if (!compositor->no_keys) {
        layers_copy_keyed(layers, x, y, from, box, ART_KEY);
    }
}

static void add_icons(struct compositor *compositor, struct layers *layers)
{
    for (int i = 0; i < ART_ICON_COUNT; i++) {
        int y = 24 + i * (ART_ICON_SIZE + 22);
        if (y + ART_ICON_SIZE < (int)compositor->height - DESKTOP_TASKBAR) {
            add_keyed(compositor, layers, 24, y, &compositor->icons[i],
                      picture_box(&compositor->icons[i].picture));
        }
    }
}

/* The four quarters of a picture that was made for the largest size, closer together. */
static void add_quarters(struct compositor *compositor, struct layers *layers, struct box box,
                         const struct canvas *from)
{
    int width = (int)from->picture.width, height = (int)from->picture.height;
    int left = box_width(box) / 2, right = box_width(box) - left;
    int upper = box_height(box) / 2, lower = box_height(box) - upper;

    if (width == box_width(box) && height == box_height(box)) {
        add_keyed(compositor, layers, box.left, box.top, from, picture_box(&from->picture));
        return;
    }
    add_keyed(compositor, layers, box.left, box.top, from, box_at(0, 0, left, upper));
    add_keyed(compositor, layers, box.left + left, box.top, from,
              box_at(width - right, 0, right, upper));
    add_keyed(compositor, layers, box.left, box.top + upper, from,
              box_at(0, height - lower, left, lower));
    add_keyed(compositor, layers, box.left + left, box.top + upper, from,
              box_at(width - right, height - lower, right, lower));
}

/* Its two halves, closer together. */
static void add_title(struct compositor *compositor, struct layers *layers, struct box box,
                      const struct canvas *title)
{
    int whole = (int)title->picture.width, width = box_width(box), half = width / 2;

    if (whole == width) {
        add_keyed(compositor, layers, box.left, box.top, title, picture_box(&title->picture));
        return;
    }
    add_keyed(compositor, layers, box.left, box.top, title,
              box_at(0, 0, half, DESKTOP_TITLE_HEIGHT));
    add_keyed(compositor, layers, box.left + half, box.top, title,
              box_at(whole - width + half, 0, width - half, DESKTOP_TITLE_HEIGHT));
}

static void add_window(struct compositor *compositor, struct layers *layers,
                       const struct window *window)
{
    const int margin = DESKTOP_SHADOW_MARGIN;
    struct box box = place(compositor, window);
    struct box shadow = {box.left - margin, box.top - margin / 3, box.right + margin,
                         box.bottom + margin * 5 / 3};
    struct canvas *content = &compositor->seen[window->index][window->held];
    struct box line = {box.left, box.top + DESKTOP_TITLE_HEIGHT - 1, box.right,
                       box.top + DESKTOP_TITLE_HEIGHT};

    content->picture = window->buffers[window->held].picture;
    content->version = window->version;
    add_quarters(compositor, layers, shadow, &compositor->shadows[window->index]);
    add_title(compositor, layers, box, &compositor->titles[window->index]);
    layers_copy(layers, box.left, box.top + DESKTOP_TITLE_HEIGHT, content,
                box_at(0, 0, box_width(box), box_height(box) - DESKTOP_TITLE_HEIGHT));
    layers_fill(layers, line, art_mix(window->colour, 0x0A0E16, 0.55));
}

static void add_taskbar(struct compositor *compositor, struct layers *layers,
                        const struct desktop *desktop)
{
    int width = (int)compositor->width, top = (int)compositor->height - DESKTOP_TASKBAR;
    unsigned active = compositor->order[desktop->window_count - 1];

    layers_fill(layers, box_at(0, top, width, DESKTOP_TASKBAR), 0x0E1522);
    layers_fill(layers, box_at(0, top, width, 1), 0x33415C);
    for (unsigned i = 0; i < desktop->window_count; i++) {
        int x = 24 + (int)i * 92;
        uint32_t colour = desktop->windows[i].colour;
        layers_fill(layers, box_at(x, top + 9, 80, 28),
                    art_mix(0x0E1522, colour, i == active ? 0.55 : 0.25));
        layers_fill(layers, box_at(x + 10, top + 17, 12, 12), colour);
        layers_fill(layers, box_at(x + 30, top + 21, 38, 4), 0x9FB0CC);
        if (i == active) {
            layers_fill(layers, box_at(x, top + 37, 80, 3), colour);
        }
    }
    for (int i = 0; i < 14; i++) {
        int level = 3 + (int)((art_noise(i * 0.7, compositor->frame_count / 9.0, 9) + 1) * 11);
        layers_fill(layers, box_at(width - 120 + i * 7, top + 36 - level, 4, level), 0x6FB7E8);
    }
}

static void add_cursor(struct compositor *compositor, struct layers *layers)
{
    double time = compositor->frame_count / 170.0;
    int x = (int)compositor->width / 2 + wave(time, (int)compositor->width / 3);
    int y = (int)compositor->height / 2 + wave(time * 1.6 + 0.2, (int)compositor->height / 3);

    add_keyed(compositor, layers, x, y, &compositor->cursor,
              picture_box(&compositor->cursor.picture));
}

static void lay(struct compositor *compositor, const struct desktop *desktop, struct layers *layers)
{
    int width = (int)compositor->width, height = (int)compositor->height;

    layers->count = 0;
    layers->hidden_too = compositor->frame_count % OVERLAP_EACH == OVERLAP_FIRST;
    layers->lists_alone = compositor->frame_count % (2 * OVERLAP_EACH) == OVERLAP_FIRST;
    layers_copy(layers, 0, 0, &compositor->wallpaper,
                box_at(0, 0, width, height - DESKTOP_TASKBAR));
    add_icons(compositor, layers);
    for (unsigned i = 0; i < desktop->window_count; i++) {
        const struct window *window = &desktop->windows[compositor->order[i]];
        if (window->held >= 0) {
            add_window(compositor, layers, window);
        }
    }
    add_taskbar(compositor, layers, desktop);
    add_cursor(compositor, layers);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static void all_is_stale(struct compositor *compositor)
{
    for (unsigned i = 0; i < DESKTOP_PRIMARIES; i++) {
        pixman_region32_union_rect(&compositor->primaries[i].stale, &compositor->primaries[i].stale,
                                   0, 0, compositor->width, compositor->height);
    }
    pixman_region32_union_rect(&compositor->screen_stale, &compositor->screen_stale, 0, 0,
                               compositor->width, compositor->height);
}

void compositor_start(struct compositor *compositor)
{
    for (unsigned i = 0; i < DESKTOP_PRIMARIES; i++) {
        pixman_region32_init(&compositor->primaries[i].stale);
    }
    pixman_region32_init(&compositor->screen_stale);
    all_is_stale(compositor);
}

void compositor_end(struct compositor *compositor)
{
    for (unsigned i = 0; i < DESKTOP_PRIMARIES; i++) {
        pixman_region32_fini(&compositor->primaries[i].stale);
    }
    pixman_region32_fini(&compositor->screen_stale);
}

static struct layers *layers_of(struct compositor *compositor, uint64_t frame)
{
    return &compositor->layers[frame % 2];
}

static void note_damage(struct compositor *compositor)
{
    pixman_region32_t damage;

    pixman_region32_init(&damage);
    layers_differ(layers_of(compositor, compositor->frame_count + 1),
                  layers_of(compositor, compositor->frame_count), &damage);
    for (unsigned i = 0; i < DESKTOP_PRIMARIES; i++) {
        pixman_region32_union(&compositor->primaries[i].stale, &compositor->primaries[i].stale,
                              &damage);
    }
    pixman_region32_union(&compositor->screen_stale, &compositor->screen_stale, &damage);
    pixman_region32_fini(&damage);
}

bool compositor_draw(struct compositor *compositor, const struct desktop *desktop,
                     struct drawn *primary)
{
    struct gpu *gpu = &compositor->gpu;
    struct layers *now = layers_of(compositor, compositor->frame_count);
    bool refused;

    lay(compositor, desktop, now);
    note_damage(compositor);
    bool good = layers_draw(gpu, now, &primary->surface, &primary->stale, &refused);
    if (good && refused) { /* once more, without those */
        gpu->host->note(gpu->host, "the driver has no colour keys");
        compositor->no_keys = true;
        all_is_stale(compositor);
        lay(compositor, desktop, now);
        good = layers_draw(gpu, now, &primary->surface, &primary->stale, &refused);
    }
    pixman_region32_clear(&primary->stale);
    return good;
}

void compositor_paint(struct compositor *compositor)
{
    layers_paint(layers_of(compositor, compositor->frame_count), &compositor->screen,
                 &compositor->screen_stale);
    pixman_region32_clear(&compositor->screen_stale);
}
