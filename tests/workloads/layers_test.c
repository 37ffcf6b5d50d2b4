/* Layers: what is drawn anew of a frame leaves the picture as if all of it had been. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "layers.h"

#define WIDTH  120
#define HEIGHT 90
#define KEY    0x123456u
#define FRAMES 400u

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static int below(uint32_t *state, unsigned bound)
{
    return (int)(next(state) % bound);
}

static void paint_source(struct canvas *canvas, uint32_t *state)
{
    for (unsigned i = 0; i < canvas->picture.width * canvas->picture.height; i++) {
        canvas->picture.pixels[i] = 0xFF000000 | (below(state, 3) ? next(state) : KEY);
    }
}

struct scene {
    struct canvas ground, sprites[3];
    struct layers layers[2];
    struct box at[8];
    uint32_t state;
};

static void lay(struct scene *scene, struct layers *layers)
{
    layers->count = 0;
    layers_copy(layers, 0, 0, &scene->ground, picture_box(&scene->ground.picture));
    for (unsigned i = 0; i < 8; i++) {
        const struct box *box = &scene->at[i];
        struct canvas *sprite = &scene->sprites[i % 3];
        struct box from = {below(&(uint32_t){i * 77}, 9), 2, 2 + box_width(*box),
                           2 + box_height(*box)};
        if (i % 3 == 0) {
            layers_fill(layers, *box, 0x010203u * i);
        } else if (i % 3 == 1) {
            layers_copy(layers, box->left, box->top, sprite, from);
        } else {
            layers_copy_keyed(layers, box->left, box->top, sprite, from, KEY);
        }
    }
}

/* Some things move, over the edges too; now and then two change places, or one has other pixels. */
static void change(struct scene *scene)
{
    unsigned first = (unsigned)below(&scene->state, 8), second = (unsigned)below(&scene->state, 8);

    for (int i = below(&scene->state, 4); i > 0; i--) {
        scene->at[below(&scene->state, 8)] =
            box_at(below(&scene->state, WIDTH + 20) - 20, below(&scene->state, HEIGHT + 20) - 20,
                   1 + below(&scene->state, 40), 1 + below(&scene->state, 30));
    }
    if (below(&scene->state, 5) == 0) {
        struct box box = scene->at[first];
        scene->at[first] = scene->at[second];
        scene->at[second] = box;
    }
    if (below(&scene->state, 4) == 0) {
        unsigned which = 1 + (unsigned)below(&scene->state, 2);
        paint_source(&scene->sprites[which], &scene->state);
        scene->sprites[which].version++;
    }
}

static void set_up(struct scene *scene)
{
    *scene = (struct scene){.state = 1};
    assert_true(picture_create(WIDTH, HEIGHT, &scene->ground.picture));
    paint_source(&scene->ground, &scene->state);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(picture_create(50, 40, &scene->sprites[i].picture));
        paint_source(&scene->sprites[i], &scene->state);
    }
    for (unsigned i = 0; i < 8; i++) {
        scene->at[i] = box_at(3 * (int)i, 5 * (int)i, 20, 15);
    }
}

static void take_down(struct scene *scene)
{
    picture_destroy(&scene->ground.picture);
    for (unsigned i = 0; i < 3; i++) {
        picture_destroy(&scene->sprites[i].picture);
    }
}

/* Every layer, whole, one over the other, by nothing of layers.c's. */
static void paint_all(const struct layers *layers, struct picture *to)
{
    for (unsigned i = 0; i < layers->count; i++) {
        const struct layer *layer = &layers->at[i];
        struct box from =
            box_at(layer->from_x, layer->from_y, box_width(layer->to), box_height(layer->to));
        if (layer->kind == LAYER_FILL) {
            picture_fill(to, layer->to, layer->colour);
        } else if (layer->kind == LAYER_COPY) {
            picture_copy(to, layer->to.left, layer->to.top, &layer->from->picture, from);
        } else {
            picture_copy_keyed(to, layer->to.left, layer->to.top, &layer->from->picture, from,
                               layer->colour);
        }
    }
}

/* `each`: how many frames go by from one that is painted to the next. */
static void check_frames(unsigned each)
{
    struct scene scene;
    struct picture by_damage, whole;
    pixman_region32_t damage;
    struct box first;
    uint64_t drawn = 0;

    set_up(&scene);
    assert_true(picture_create(WIDTH, HEIGHT, &by_damage));
    assert_true(picture_create(WIDTH, HEIGHT, &whole));
    pixman_region32_init(&damage);
    for (unsigned i = 0; i < FRAMES; i++) {
        struct layers *now = &scene.layers[i % 2];
        lay(&scene, now);
        layers_differ(&scene.layers[1 - i % 2], now, &damage);
        if (i % each == 0) {
            const pixman_box32_t *box = pixman_region32_extents(&damage);
            drawn += (uint64_t)((box->x2 - box->x1) * (box->y2 - box->y1));
            layers_paint(now, &by_damage, &damage);
            pixman_region32_clear(&damage);
            paint_all(now, &whole);
            assert_int_equal(picture_compare(&whole, by_damage.pixels, WIDTH * 4, &first), 0);
        }
        change(&scene);
    }
    assert_true(drawn < (uint64_t)WIDTH * HEIGHT * FRAMES);
    pixman_region32_fini(&damage);
    picture_destroy(&by_damage);
    picture_destroy(&whole);
    take_down(&scene);
}

static void what_changed_is_all_that_must_be_painted(void **state)
{
    check_frames(1);
}

static void damage_of_several_frames_adds_up(void **state)
{
    check_frames(3);
}

static void what_stays_is_no_damage(void **state)
{
    struct scene scene;
    pixman_region32_t damage;

    set_up(&scene);
    pixman_region32_init(&damage);
    lay(&scene, &scene.layers[0]);
    lay(&scene, &scene.layers[1]);
    layers_differ(&scene.layers[0], &scene.layers[1], &damage);
    assert_false(pixman_region32_not_empty(&damage));
    pixman_region32_fini(&damage);
    take_down(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_changed_is_all_that_must_be_painted),
        cmocka_unit_test(damage_of_several_frames_adds_up),
        cmocka_unit_test(what_stays_is_no_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
