/* Layers of a screen, and drawing what changed; see layers.h. */
#include "layers.h"

#include <stdlib.h>
#include <string.h>

/* ---- The list -------------------------------------------------------------------------------- */

static void add(struct layers *layers, const struct layer *layer)
{
    if (!box_is_empty(layer->to) && layers->count < LAYERS_MAX) {
        layers->at[layers->count++] = *layer;
    }
}

void layers_fill(struct layers *layers, struct box box, uint32_t colour)
{
    add(layers, &(struct layer){.kind = LAYER_FILL, .to = box, .colour = colour});
}

static void add_copy(struct layers *layers, struct layer layer, int x, int y, struct box box)
{
    struct box inside = box_intersect(box, picture_box(&layer.from->picture));

    layer.version = layer.from->version;
    layer.from_x = inside.left;
    layer.from_y = inside.top;
    layer.to = box_at(x + inside.left - box.left, y + inside.top - box.top, box_width(inside),
                      box_height(inside));
    add(layers, &layer);
}

void layers_copy(struct layers *layers, int x, int y, const struct canvas *from, struct box box)
{
    add_copy(layers, (struct layer){.kind = LAYER_COPY, .from = from}, x, y, box);
}

void layers_copy_keyed(struct layers *layers, int x, int y, const struct canvas *from,
                       struct box box, uint32_t key)
{
    add_copy(layers, (struct layer){.kind = LAYER_KEYED, .from = from, .colour = key}, x, y, box);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

static bool is_same(const struct layer *a, const struct layer *b)
{
    return a->kind == b->kind && memcmp(&a->to, &b->to, sizeof a->to) == 0 &&
           a->colour == b->colour && a->from == b->from && a->from_x == b->from_x &&
           a->from_y == b->from_y && a->version == b->version;
}

static void add_box(pixman_region32_t *region, struct box box)
{
    pixman_region32_union_rect(region, region, box.left, box.top, (unsigned)box_width(box),
                               (unsigned)box_height(box));
}

/* What is in neither of two layers of the same place looks the same: whatever else is there stands
 * in both lists, in the same order. */
void layers_differ(const struct layers *before, const struct layers *now, pixman_region32_t *damage)
{
    for (unsigned i = 0; i < before->count || i < now->count; i++) {
        bool had = i < before->count, has = i < now->count;
        if (had && has && is_same(&before->at[i], &now->at[i])) {
            continue;
        }
        if (had) {
            add_box(damage, before->at[i].to);
        }
        if (has) {
            add_box(damage, now->at[i].to);
        }
    }
}

/* What of each layer is to be drawn: the damage that no opaque layer above covers. */
static void find_parts(const struct layers *layers, struct box screen, pixman_region32_t *damage,
                       pixman_region32_t parts[LAYERS_MAX])
{
    pixman_region32_t left, box;

    pixman_region32_init_rect(&left, 0, 0, (unsigned)screen.right, (unsigned)screen.bottom);
    pixman_region32_intersect(&left, &left, damage);
    for (unsigned i = layers->count; i-- > 0;) {
        const struct layer *layer = &layers->at[i];
        pixman_region32_init_rect(&box, layer->to.left, layer->to.top,
                                  (unsigned)box_width(layer->to), (unsigned)box_height(layer->to));
        pixman_region32_init(&parts[i]);
        pixman_region32_intersect(&parts[i], &left, &box);
        if (layer->kind != LAYER_KEYED) {
            pixman_region32_subtract(&left, &left, &box);
        }
        pixman_region32_fini(&box);
    }
    pixman_region32_fini(&left);
}

/* The damage, whatever covers it. */
static void find_parts_and_hidden(const struct layers *layers, struct box screen,
                                  pixman_region32_t *damage, pixman_region32_t parts[LAYERS_MAX])
{
    for (unsigned i = 0; i < layers->count; i++) {
        struct box seen = box_intersect(layers->at[i].to, screen);
        pixman_region32_init(&parts[i]);
        if (!box_is_empty(seen)) {
            add_box(&parts[i], seen);
            pixman_region32_intersect(&parts[i], &parts[i], damage);
        }
    }
}

static void forget_parts(const struct layers *layers, pixman_region32_t parts[LAYERS_MAX])
{
    for (unsigned i = 0; i < layers->count; i++) {
        pixman_region32_fini(&parts[i]);
    }
}

static struct box box_of(const pixman_box32_t *box)
{
    return (struct box){box->x1, box->y1, box->x2, box->y2};
}

/* ---- By the driver --------------------------------------------------------------------------- */

/* What a Present takes: boxes, moved. */
struct boxes {
    struct box *at;
    unsigned count;
};

static bool add_boxes(struct boxes *boxes, pixman_region32_t *part, int dx, int dy)
{
    int count;
    const pixman_box32_t *from = pixman_region32_rectangles(part, &count);
    struct box *at = realloc(boxes->at, (boxes->count + (unsigned)count) * sizeof *at);

    if (!at) {
        return false;
    }
    boxes->at = at;
    for (int i = 0; i < count; i++) {
        struct box box = box_of(&from[i]);
        at[boxes->count++] = box_at(box.left + dx, box.top + dy, box_width(box), box_height(box));
    }
    return true;
}

struct target {
    const struct surface *surface;
    bool lists_alone;
};

/* Whole, a layer is copied as it is asked for, over the edges of the screen and all. */
static NTSTATUS copy(struct gpu *gpu, const struct layer *layer, const struct target *target,
                     pixman_region32_t *part)
{
    struct box screen = {0, 0, (int)target->surface->width, (int)target->surface->height};
    struct box seen = box_intersect(layer->to, screen);
    struct box first = box_of(pixman_region32_extents(part));
    int dx = layer->from_x - layer->to.left, dy = layer->from_y - layer->to.top;
    struct boxes boxes = {0};
    struct gpu_copy copy = {
        .to = target->surface,
        .to_box = layer->to,
        .from = &layer->from->surface,
        .from_box =
            box_at(layer->from_x, layer->from_y, box_width(layer->to), box_height(layer->to)),
        .source_key = layer->kind == LAYER_KEYED ? &layer->colour : NULL,
    };

    copy.list_alone = target->lists_alone && dx == 0 && dy == 0;
    if (copy.list_alone || pixman_region32_n_rects(part) > 1) {
        if (!add_boxes(&boxes, part, dx, dy)) {
            return STATUS_NO_MEMORY;
        }
        copy.boxes = boxes.at;
        copy.count = boxes.count;
    } else if (memcmp(&first, &seen, sizeof first) != 0) {
        copy.to_box = first;
        copy.from_box =
            box_at(first.left + dx, first.top + dy, box_width(first), box_height(first));
    }
    NTSTATUS status = gpu_try_copy(gpu, &copy);
    free(boxes.at);
    return status;
}

/* The layer, and those behind it that are filled with its colour, by one Present. */
static bool fill(struct gpu *gpu, const struct layers *layers, const struct surface *to,
                 pixman_region32_t *parts, unsigned *index)
{
    uint32_t colour = layers->at[*index].colour;
    struct boxes boxes = {0};
    bool good = true;

    for (unsigned i = *index; good && i < layers->count && layers->at[i].kind == LAYER_FILL &&
                              layers->at[i].colour == colour;
         i++) {
        good = add_boxes(&boxes, &parts[i], 0, 0);
        *index = i;
    }
    if (!good) {
        gpu->host->fail(gpu->host, "no memory");
    } else if (boxes.count == 1 && !layers->lists_alone) {
        good = gpu_fill(gpu, to, boxes.at[0], colour);
    } else if (boxes.count > 0) {
        good = gpu_fill_boxes(gpu, to, colour, boxes.at, boxes.count);
    }
    free(boxes.at);
    return good;
}

bool layers_draw(struct gpu *gpu, const struct layers *layers, const struct surface *to,
                 pixman_region32_t *damage, bool *refused)
{
    struct box screen = {0, 0, (int)to->width, (int)to->height};
    const struct target target = {to, layers->lists_alone};
    pixman_region32_t parts[LAYERS_MAX];
    bool good = true;

    *refused = false;
    (layers->hidden_too ? find_parts_and_hidden : find_parts)(layers, screen, damage, parts);
    for (unsigned i = 0; i < layers->count && good && !*refused; i++) {
        const struct layer *layer = &layers->at[i];
        if (!pixman_region32_not_empty(&parts[i])) {
            continue;
        }
        if (layer->kind == LAYER_FILL) {
            good = fill(gpu, layers, to, parts, &i);
            continue;
        }
        uint32_t key = layer->colour | 0xFF000000;
        struct layer opaque = *layer;
        opaque.colour = key;
        NTSTATUS status = copy(gpu, &opaque, &target, &parts[i]);
        *refused = layer->kind == LAYER_KEYED && is_refusal(status);
        good = *refused || gpu_check(gpu, status,
                                     layer->kind == LAYER_KEYED ? "D3DKMTPresent (Blt, SrcColorKey)"
                                                                : "D3DKMTPresent (Blt)");
    }
    forget_parts(layers, parts);
    return good;
}

/* ---- By pixman ------------------------------------------------------------------------------- */

static void paint(const struct layer *layer, struct picture *to, struct box box)
{
    struct box from =
        box_at(layer->from_x + box.left - layer->to.left, layer->from_y + box.top - layer->to.top,
               box_width(box), box_height(box));

    if (layer->kind == LAYER_FILL) {
        picture_fill(to, box, layer->colour);
    } else if (layer->kind == LAYER_COPY) {
        picture_copy(to, box.left, box.top, &layer->from->picture, from);
    } else {
        picture_copy_keyed(to, box.left, box.top, &layer->from->picture, from, layer->colour);
    }
}

void layers_paint(const struct layers *layers, struct picture *to, pixman_region32_t *damage)
{
    pixman_region32_t parts[LAYERS_MAX];

    find_parts(layers, picture_box(to), damage, parts);
    for (unsigned i = 0; i < layers->count; i++) {
        int count;
        const pixman_box32_t *boxes = pixman_region32_rectangles(&parts[i], &count);
        for (int b = 0; b < count; b++) {
            paint(&layers->at[i], to, box_of(&boxes[b]));
        }
    }
    forget_parts(layers, parts);
}
