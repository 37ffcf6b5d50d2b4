/* overlays_test.c: overlays of an output, over what it shows. */
#include "mock.h"

#include "softgpu/softgpu_overlays.h"

#include <stdlib.h>

#define PERIOD 16666667u
#define WIDTH  64u
#define HEIGHT 48u
#define SIDE   8u
#define GROUND 0x10000u /* where the surfaces are */
#define OTHER  0x20000u
#define FIRST  0x30000u
#define SECOND 0x38000u
#define GREY   0xFF404040u
#define BLUE   0xFF0000F0u
#define RED    0xFFF00000u
#define GREEN  0xFF00F000u

static void fill(struct mock *mock, uint64_t address, unsigned pixels, uint32_t pixel)
{
    for (unsigned i = 0; i < pixels; i++)
        memcpy(mock->vram + address + i * 4ull, &pixel, 4);
}

static void flip(struct mock *mock, uint64_t address, uint32_t when)
{
    mock_write64(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_SURFACE), address);
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_PITCH), WIDTH * 4);
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_FORMAT), SOFTGPU_FORMAT_BGRX8);
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_FLIP), when);
}

static int setup(void **state)
{
    struct mock *mock = calloc(1, sizeof(*mock));
    mock_init(mock, "vram_mb=4,outputs=2,aperture_mb=1");
    fill(mock, GROUND, WIDTH * HEIGHT, GREY);
    fill(mock, OTHER, WIDTH * HEIGHT, BLUE);
    fill(mock, FIRST, SIDE * SIDE, RED);
    fill(mock, SECOND, SIDE * SIDE, GREEN);
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_SIZE), WIDTH | HEIGHT << 16);
    flip(mock, GROUND, SOFTGPU_FLIP_IMMEDIATE);
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_CONTROL), SOFTGPU_OUTPUT_ENABLE);
    *state = mock;
    return 0;
}

static int teardown(void **state)
{
    mock_fini(*state);
    free(*state);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void set(struct mock *mock, unsigned overlay, uint32_t reg, uint32_t value)
{
    mock_write(mock, SOFTGPU_OVERLAY_REG(0, overlay, reg), value);
}

static void show(struct mock *mock, unsigned overlay, uint64_t address, int x, int y, uint32_t when)
{
    mock_write64(mock, SOFTGPU_OVERLAY_REG(0, overlay, SOFTGPU_PLANE_SURFACE), address);
    set(mock, overlay, SOFTGPU_PLANE_PITCH, SIDE * 4);
    set(mock, overlay, SOFTGPU_PLANE_FORMAT, SOFTGPU_FORMAT_BGRX8);
    set(mock, overlay, SOFTGPU_PLANE_SOURCE_SIZE, SIDE | SIDE << 16);
    set(mock, overlay, SOFTGPU_PLANE_TARGET_POSITION, ((uint32_t)x & 0xFFFF) | (uint32_t)y << 16);
    set(mock, overlay, SOFTGPU_PLANE_TARGET_SIZE, SIDE | SIDE << 16);
    set(mock, overlay, SOFTGPU_PLANE_CLIP_SIZE, WIDTH | HEIGHT << 16);
    set(mock, overlay, SOFTGPU_PLANE_CONTROL, SOFTGPU_PLANE_ENABLE);
    set(mock, overlay, SOFTGPU_OVERLAY_COMMIT, when);
}

static uint32_t seen(struct mock *mock, unsigned x, unsigned y)
{
    const void *pixels;
    unsigned width, height, stride;
    assert_true(
        mock->device->operations->scanout(mock->device, 0, &pixels, &width, &height, &stride));
    return ((const uint32_t *)pixels)[y * WIDTH + x];
}

static void an_overlay_is_taken_over_at_vsync(void **state)
{
    struct mock *mock = *state;
    show(mock, 0, FIRST, 10, 10, SOFTGPU_FLIP_VSYNC);
    assert_int_equal(seen(mock, 10, 10), GREY);
    mock_run(mock, PERIOD + 1);
    assert_int_equal(seen(mock, 10, 10), RED);
    assert_int_equal(seen(mock, 17, 17), RED);
    assert_int_equal(seen(mock, 9, 10), GREY);
    assert_int_equal(seen(mock, 18, 10), GREY);
    set(mock, 0, SOFTGPU_PLANE_CONTROL, 0);
    assert_int_equal(seen(mock, 10, 10), RED); /* staged */
    set(mock, 0, SOFTGPU_OVERLAY_COMMIT, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 10, 10), GREY);
    mock_settle(mock);
}

static void a_flip_beneath_leaves_it_alone(void **state)
{
    struct mock *mock = *state;
    show(mock, 0, FIRST, 10, 10, SOFTGPU_FLIP_IMMEDIATE);
    flip(mock, OTHER, SOFTGPU_FLIP_VSYNC);
    mock_run(mock, PERIOD + 1);
    assert_int_equal(seen(mock, 0, 0), BLUE);
    assert_int_equal(seen(mock, 10, 10), RED);
    mock_settle(mock);
}

static void the_first_is_on_top_and_the_screen_cuts_off(void **state)
{
    struct mock *mock = *state;
    show(mock, 1, SECOND, 14, 10, SOFTGPU_FLIP_IMMEDIATE);
    show(mock, 0, FIRST, 10, 10, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 15, 12), RED);
    assert_int_equal(seen(mock, 20, 12), GREEN);
    show(mock, 0, FIRST, -4, 44, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 15, 12), GREEN);
    assert_int_equal(seen(mock, 0, 47), RED);
    assert_int_equal(seen(mock, 4, 47), GREY);
    mock_settle(mock);
}

static void a_key_shows_it_where_the_colour_is(void **state)
{
    struct mock *mock = *state;
    uint32_t key = 0x00123456;
    memcpy(mock->vram + GROUND + (12 * WIDTH + 11) * 4ull, &key, 4);
    set(mock, 0, SOFTGPU_OVERLAY_COLOUR, key);
    assert_int_equal(mock_read(mock, SOFTGPU_OVERLAY_REG(0, 0, SOFTGPU_OVERLAY_COLOUR)), key);
    show(mock, 0, FIRST, 10, 10, SOFTGPU_FLIP_IMMEDIATE);
    set(mock, 0, SOFTGPU_PLANE_CONTROL, SOFTGPU_PLANE_ENABLE | SOFTGPU_OVERLAY_KEY);
    set(mock, 0, SOFTGPU_OVERLAY_COMMIT, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 11, 12), RED);
    assert_int_equal(seen(mock, 10, 12), GREY);
    mock_settle(mock);
}

/* Also what cannot be read; and a dark screen stays dark. */
static void what_cannot_be_seen_is_left_out(void **state)
{
    struct mock *mock = *state;
    uint32_t control = SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_CONTROL);
    show(mock, 0, UINT64_C(1) << 40, 10, 10, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 10, 10), GREY);
    assert_true(mock_read(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_STATUS)) &
                SOFTGPU_OUTPUT_SCAN_FAULT);
    show(mock, 0, FIRST, 10, 10, SOFTGPU_FLIP_IMMEDIATE);
    mock_write(mock, control, SOFTGPU_OUTPUT_ENABLE | SOFTGPU_OUTPUT_BLANK);
    assert_int_equal(seen(mock, 10, 10), 0xFF000000u);
    mock_write(mock, control, SOFTGPU_OUTPUT_ENABLE);
    assert_int_equal(seen(mock, 10, 10), RED);
    mock_settle(mock);
}

static void one_that_waits_is_shown_when_the_output_goes_off(void **state)
{
    struct mock *mock = *state;
    uint32_t control = SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_CONTROL);
    show(mock, 0, FIRST, 10, 10, SOFTGPU_FLIP_VSYNC);
    mock_write(mock, control, 0);
    mock_write(mock, control, SOFTGPU_OUTPUT_ENABLE);
    assert_int_equal(seen(mock, 10, 10), RED);
    mock_settle(mock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_overlay_is_taken_over_at_vsync),
        TEST(a_flip_beneath_leaves_it_alone),
        TEST(the_first_is_on_top_and_the_screen_cuts_off),
        TEST(a_key_shows_it_where_the_colour_is),
        TEST(what_cannot_be_seen_is_left_out),
        TEST(one_that_waits_is_shown_when_the_output_goes_off),
    };

    return cmocka_run_group_tests_name("overlays", tests, NULL, NULL);
}
