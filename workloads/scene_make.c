/* Scenes at random, and smaller ones: see scenes.h. */
#include "scenes.h"

#include <string.h>

/* ---- Numbers --------------------------------------------------------------------------------- */

struct dice {
    uint64_t state;
};

static uint64_t roll(struct dice *dice)
{
    uint64_t z = dice->state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static int below(struct dice *dice, int limit)
{
    return (int)(roll(dice) % (uint64_t)limit);
}

static bool percent(struct dice *dice, int share)
{
    return below(dice, 100) < share;
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

/* Somewhere on a surface, and now and then over its edge. */
static struct box place(struct dice *dice, const struct surface *on, int width, int height)
{
    int over = percent(dice, 30) ? 20 : 0;
    int x = below(dice, (int)on->width + 1 + over) - over / 2;
    int y = below(dice, (int)on->height + 1 + over) - over / 2;

    /* One draw a statement, here and below: in what order arguments are drawn is the compiler's. */
    x -= percent(dice, 50) ? width / 2 : 0;
    y -= percent(dice, 50) ? height / 2 : 0;
    return box_at(x, y, width, height);
}

static struct box inside(struct dice *dice, const struct surface *on)
{
    int width = 1 + below(dice, (int)on->width), height = 1 + below(dice, (int)on->height);

    int x = below(dice, (int)on->width - width + 1);
    int y = below(dice, (int)on->height - height + 1);

    return box_at(x, y, width, height);
}

/* Lines that cut a length in pieces; returns how many there are, with both ends. */
static unsigned cut(struct dice *dice, int first, int last, int most, int lines[])
{
    unsigned count = 0;

    lines[count++] = first;
    while (lines[count - 1] < last) {
        int next = lines[count - 1] + 1 + below(dice, most);
        lines[count++] = next < last ? next : last;
    }
    return count;
}

static void shuffle(struct dice *dice, struct scene *scene)
{
    for (unsigned i = scene->count; i > 1; i--) {
        unsigned other = (unsigned)below(dice, (int)i);
        struct box kept = scene->boxes[i - 1];
        scene->boxes[i - 1] = scene->boxes[other];
        scene->boxes[other] = kept;
    }
}

/* Pieces of a board that do not overlap, as what is left of a window has them. */
static void make_list(struct dice *dice, struct scene *scene)
{
    struct box area = scene->from == SCENE_NO_SOURCE ? scene->to_box : scene->from_box;
    int most = percent(dice, 10) ? 2 : 30, columns[512], rows[512];

    area.left -= below(dice, 8);
    area.bottom += below(dice, 8);
    if (box_width(area) > 500 || box_height(area) > 500) {
        return;
    }
    unsigned across = cut(dice, area.left, area.right, most, columns);
    unsigned down = cut(dice, area.top, area.bottom, most, rows);
    int share = 20 + below(dice, 70);
    for (unsigned i = 0; i < (across - 1) * (down - 1); i++) {
        unsigned x = i % (across - 1), y = i / (across - 1);
        if (scene->count < SCENE_BOXES_MAX && percent(dice, share)) {
            scene->boxes[scene->count++] =
                (struct box){columns[x], rows[y], columns[x + 1], rows[y + 1]};
        }
    }
    shuffle(dice, scene);
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

static void make_fill(struct dice *dice, const struct scene_pool *pool, struct scene *scene)
{
    const struct surface *to = &pool->surfaces[scene->to].surface;
    int width = 1 + below(dice, (int)to->width + 10);
    int height = 1 + below(dice, (int)to->height + 10);

    scene->from = SCENE_NO_SOURCE;
    scene->to_box = place(dice, to, width, height);
    scene->color = percent(dice, 50) ? scene_colour((unsigned)below(dice, 4))
                                     : 0xFF000000u | (uint32_t)roll(dice);
}

static void make_copy(struct dice *dice, const struct scene_pool *pool, struct scene *scene)
{
    const struct surface *from = &pool->surfaces[scene->from].surface;
    const struct surface *to = &pool->surfaces[scene->to].surface;
    int width = 1 + below(dice, (int)from->width + 10),
        height = 1 + below(dice, (int)from->height + 10);

    scene->from_box = place(dice, from, width, height);
    scene->to_box = place(dice, to, width, height);
    if (scene->from == scene->to &&
        percent(dice, 70)) { /* scrolled: what is read is written, too */
        int x = scene->from_box.left + below(dice, 25) - 12;
        int y = scene->from_box.top + below(dice, 25) - 12;
        scene->to_box = box_at(x, y, width, height);
    }
    if (percent(dice, 35)) {
        bool of_source = percent(dice, 50);
        scene->source_key = of_source;
        scene->destination_key = !of_source;
        scene->content = SCENE_FEW_COLOURS;
        scene->color = scene_colour((unsigned)below(dice, 4));
    }
    /* Only who promised it is asked for it, and nobody knows here who did. */
    scene->linear_to_srgb = pool->is_ours && percent(dice, 15);
}

/* The corners of the source lie inside of it; those of the target anywhere. */
static void make_stretch(struct dice *dice, const struct scene_pool *pool, struct scene *scene)
{
    const struct surface *to = &pool->surfaces[scene->to].surface;

    scene->from_box = inside(dice, &pool->surfaces[scene->from].surface);
    int width = 1 + below(dice, (int)to->width * 2);
    int height = 1 + below(dice, (int)to->height * 2);
    scene->to_box = place(dice, to, width, height);
    scene->bilinear = percent(dice, 50) && pool->has_words;
    scene->content = percent(dice, 30) ? SCENE_FEW_COLOURS : SCENE_NOISE;
    /* Who cannot do both says so; what has another colour stays, whatever the filter. */
    if (percent(dice, 15)) {
        scene->destination_key = true;
        scene->content = SCENE_FEW_COLOURS;
        scene->color = scene_colour((unsigned)below(dice, 4));
    }
}

/* Of other drivers no page says which formats they convert, nor that they take a list for a move
 * within a surface in any order. */
static void choose_surfaces(struct dice *dice, const struct scene_pool *pool, struct scene *scene)
{
    scene->to = (unsigned)below(dice, (int)pool->count);
    scene->from = (unsigned)below(dice, (int)pool->count);
    if (!pool->is_ours || percent(dice, 50)) {
        while (pool->surfaces[scene->from].format != pool->surfaces[scene->to].format) {
            scene->from = (scene->from + 1) % pool->count;
        }
    }
    if (percent(dice, 25)) {
        scene->from = scene->to;
    }
}

void scene_make(const struct scene_pool *pool, uint64_t random, struct scene *out)
{
    struct dice dice = {random};

    out->count = 0;
    out->source_key = out->destination_key = out->linear_to_srgb = out->bilinear = false;
    out->content = SCENE_NOISE;
    out->color = 0;
    choose_surfaces(&dice, pool, out);
    int kind = below(&dice, 100);
    if (kind < 20) {
        make_fill(&dice, pool, out);
    } else if (kind < 45 && out->from != out->to) {
        make_stretch(&dice, pool, out);
    } else {
        make_copy(&dice, pool, out);
    }
    out->seed = (uint32_t)roll(&dice);
    out->evicted = percent(&dice, 10);
    if (percent(&dice, 60) && (pool->is_ours || out->from != out->to)) {
        make_list(&dice, out);
    }
}

/* ---- Smaller --------------------------------------------------------------------------------- */

static void keep(struct scene *scene, unsigned first, unsigned count)
{
    memmove(scene->boxes, scene->boxes + first, count * sizeof *scene->boxes);
    scene->count = count;
}

/* Both boxes lose a half: of an unstretched copy the same one. */
static bool halve(struct scene *scene, unsigned side)
{
    bool across = side < 2, second = side & 1;
    struct box *boxes[] = {&scene->to_box, &scene->from_box};

    for (unsigned i = 0; i < (scene->from == SCENE_NO_SOURCE ? 1 : 2); i++) {
        struct box *box = boxes[i];
        int size = across ? box_width(*box) : box_height(*box);
        int *edge =
            across ? (second ? &box->left : &box->right) : (second ? &box->top : &box->bottom);
        if (size < 2) {
            return false;
        }
        *edge += second ? size / 2 : -(size / 2);
    }
    return true;
}

enum { WITHOUT_LIST, FIRST_HALF, SECOND_HALF, HALVES, FLAGS = HALVES + 4, PIECES = FLAGS + 5 };

static bool clear(bool *flag)
{
    bool was = *flag;

    *flag = false;
    return was;
}

static bool simpler(struct scene *scene, unsigned n)
{
    switch (n) {
    case 0:
        return clear(&scene->linear_to_srgb);
    case 1:
        return clear(&scene->bilinear);
    case 2:
        return clear(&scene->evicted);
    case 3:
        return clear(&scene->source_key) || clear(&scene->destination_key);
    default:
        scene->content = SCENE_FLAT;
        return true;
    }
}

bool scene_smaller(const struct scene *scene, unsigned n, struct scene *out)
{
    unsigned half = scene->count / 2;

    *out = *scene;
    if (n >= PIECES) {
        if (n - PIECES >= scene->count || scene->count > 16) {
            return false;
        }
        unsigned piece = n - PIECES;
        memmove(out->boxes + piece, out->boxes + piece + 1,
                (scene->count - piece - 1) * sizeof *out->boxes);
        out->count -= scene->count > 1;
    } else if (n >= FLAGS) {
        (void)simpler(out, n - FLAGS);
    } else if (n >= HALVES) {
        if (!halve(out, n - HALVES)) {
            *out = *scene;
        }
    } else if (n == WITHOUT_LIST) {
        out->count = 0;
    } else if (scene->count > 1) {
        keep(out, n == FIRST_HALF ? 0 : half, n == FIRST_HALF ? half : scene->count - half);
    }
    return true;
}
