/* planes_test.c: overlay planes of an output. */
#include "mock.h"

#include <stdlib.h>

#define PERIOD 16666667u
#define WIDTH  64u
#define HEIGHT 48u
#define SIDE   8u
#define UPPER  0x10000u /* where the surfaces are */
#define LOWER  0x20000u
#define BLACK  0xFF000000u

static int setup(void **state)
{
    struct mock *mock = calloc(1, sizeof(*mock));
    mock_init(mock, "vram_mb=4,outputs=2,aperture_mb=1");
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_SIZE), WIDTH | HEIGHT << 16);
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

/* A square whose pixels are all different, and opaque. */
static uint32_t texel(unsigned x, unsigned y)
{
    return BLACK | (x * 16) << 8 | y * 16;
}

static void paint(struct mock *mock, uint64_t address)
{
    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        uint32_t pixel = texel(i % SIDE, i / SIDE);
        memcpy(mock->vram + address + i * 4ull, &pixel, 4);
    }
}

static void fill(struct mock *mock, uint64_t address, uint32_t pixel)
{
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        memcpy(mock->vram + address + i * 4ull, &pixel, 4);
}

static void set(struct mock *mock, unsigned plane, uint32_t reg, uint32_t value)
{
    mock_write(mock, SOFTGPU_PLANE_REG(0, plane, reg), value);
}

/* The square at this place of the screen, as it is. */
static void stage(struct mock *mock, unsigned plane, uint64_t address, unsigned x, unsigned y)
{
    mock_write64(mock, SOFTGPU_PLANE_REG(0, plane, SOFTGPU_PLANE_SURFACE), address);
    mock_write64(mock, SOFTGPU_PLANE_REG(0, plane, SOFTGPU_PLANE_TAG), 100 + plane);
    set(mock, plane, SOFTGPU_PLANE_PITCH, SIDE * 4);
    set(mock, plane, SOFTGPU_PLANE_FORMAT, SOFTGPU_FORMAT_BGRA8);
    set(mock, plane, SOFTGPU_PLANE_SOURCE_POSITION, 0);
    set(mock, plane, SOFTGPU_PLANE_SOURCE_SIZE, SIDE | SIDE << 16);
    set(mock, plane, SOFTGPU_PLANE_TARGET_POSITION, x | y << 16);
    set(mock, plane, SOFTGPU_PLANE_TARGET_SIZE, SIDE | SIDE << 16);
    set(mock, plane, SOFTGPU_PLANE_CLIP_POSITION, 0);
    set(mock, plane, SOFTGPU_PLANE_CLIP_SIZE, WIDTH | HEIGHT << 16);
    set(mock, plane, SOFTGPU_PLANE_CONTROL, SOFTGPU_PLANE_ENABLE);
}

static void commit(struct mock *mock, uint32_t mask, uint32_t when)
{
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_PLANES_COMMIT),
               SOFTGPU_PLANES(mask, when));
}

static uint32_t seen(struct mock *mock, unsigned x, unsigned y)
{
    const void *pixels;
    unsigned width, height, stride;
    assert_true(
        mock->device->operations->scanout(mock->device, 0, &pixels, &width, &height, &stride));
    assert_int_equal(width, WIDTH);
    return ((const uint32_t *)pixels)[y * WIDTH + x] | 0xFF000000; /* X does not count */
}

static uint64_t current_tag(struct mock *mock, unsigned plane)
{
    uint32_t reg = SOFTGPU_PLANE_REG(0, plane, SOFTGPU_PLANE_CURRENT_TAG);
    return mock_read(mock, reg) | (uint64_t)mock_read(mock, reg + 4) << 32;
}

static void planes_of_a_commit_are_latched_together_at_vsync(void **state)
{
    struct mock *mock = *state;
    paint(mock, UPPER);
    fill(mock, LOWER, 0xFF123456);
    stage(mock, 0, UPPER, 4, 4);
    stage(mock, 1, LOWER, 20, 4);
    commit(mock, 3, SOFTGPU_FLIP_VSYNC);
    assert_int_equal(seen(mock, 4, 4), BLACK);
    assert_int_equal(current_tag(mock, 0), 0);
    mock_run(mock, PERIOD + 1);
    assert_int_equal(seen(mock, 5, 6), texel(1, 2));
    assert_int_equal(seen(mock, 20, 4), 0xFF123456);
    assert_int_equal(seen(mock, 28, 4), BLACK);
    assert_int_equal(current_tag(mock, 0), 100);
    assert_int_equal(current_tag(mock, 1), 101);
    mock_settle(mock);
}

static void planes_that_are_not_named_stay(void **state)
{
    struct mock *mock = *state;
    paint(mock, UPPER);
    stage(mock, 0, UPPER, 4, 4);
    stage(mock, 1, UPPER, 20, 4);
    commit(mock, 3, SOFTGPU_FLIP_IMMEDIATE);
    stage(mock, 0, UPPER, 40, 4);
    stage(mock, 1, UPPER, 50, 30); /* staged alone */
    commit(mock, 1, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 41, 4), texel(1, 0));
    assert_int_equal(seen(mock, 21, 4), texel(1, 0));
    assert_int_equal(seen(mock, 4, 4), BLACK);
    set(mock, 1, SOFTGPU_PLANE_CONTROL, 0);
    commit(mock, 2, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 21, 4), BLACK);
}

/* What is seen are the colours of the output's palette, and what is written to it is seen at once.
 */
static void plane_of_indices_has_colours(void **state)
{
    struct mock *mock = *state;
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        mock->vram[UPPER + i] = (uint8_t)(i % SIDE + 3);
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_PALETTE_INDEX), 3);
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_PALETTE_DATA), 0x112233);
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_PALETTE_DATA), 0x445566);
    stage(mock, 0, UPPER, 4, 4);
    set(mock, 0, SOFTGPU_PLANE_PITCH, SIDE);
    set(mock, 0, SOFTGPU_PLANE_FORMAT, SOFTGPU_FORMAT_P8);
    commit(mock, 1, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 4, 4), 0xFF112233);
    assert_int_equal(seen(mock, 5, 11), 0xFF445566);
    assert_int_equal(seen(mock, 6, 4), BLACK);
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_PALETTE_INDEX), 3);
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_PALETTE_DATA), 0x778899);
    assert_int_equal(seen(mock, 4, 4), 0xFF778899);
}

static uint32_t seen_by(struct mock *mock, bool right, unsigned x, unsigned y)
{
    const void *pixels;
    unsigned width, height, stride;
    assert_true(mock->device->operations->scanout_eye(mock->device, 0, right, &pixels, &width,
                                                      &height, &stride));
    return ((const uint32_t *)pixels)[y * WIDTH + x] | 0xFF000000;
}

static void right_eye_sees_what_lies_behind(void **state)
{
    struct mock *mock = *state;
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_CONTROL),
               SOFTGPU_OUTPUT_ENABLE | SOFTGPU_OUTPUT_STEREO);
    fill(mock, UPPER, 0xFF112233);
    fill(mock, LOWER, 0xFF445566);
    stage(mock, 0, UPPER, 4, 4);
    set(mock, 0, SOFTGPU_PLANE_RIGHT_OFFSET, LOWER - UPPER);
    stage(mock, 1, UPPER, 20, 4); /* one picture for both */
    commit(mock, 3, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen_by(mock, false, 4, 4), 0xFF112233);
    assert_int_equal(seen_by(mock, true, 4, 4), 0xFF445566);
    assert_int_equal(seen_by(mock, false, 20, 4), 0xFF112233);
    assert_int_equal(seen_by(mock, true, 20, 4), 0xFF112233);
    assert_int_equal(seen(mock, 4, 4), 0xFF112233);
}

static void plane_0_is_on_top(void **state)
{
    struct mock *mock = *state;
    fill(mock, UPPER, 0x80402000); /* half, premultiplied */
    fill(mock, LOWER, 0xFF00FF80);
    stage(mock, 0, UPPER, 4, 4);
    stage(mock, 1, LOWER, 4, 4);
    commit(mock, 3, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 4, 4), 0xFF402000); /* it hides */
    set(mock, 0, SOFTGPU_PLANE_CONTROL, SOFTGPU_PLANE_ENABLE | SOFTGPU_PLANE_BLEND);
    commit(mock, 1, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 4, 4), 0xFF409F40);
}

static void planes_are_mirrored_before_they_are_turned(void **state)
{
    struct mock *mock = *state;
    const uint32_t mirrored = SOFTGPU_PLANE_ENABLE | SOFTGPU_PLANE_MIRROR_X;
    paint(mock, UPPER);
    stage(mock, 0, UPPER, 0, 0);
    set(mock, 0, SOFTGPU_PLANE_CONTROL, SOFTGPU_PLANE_ENABLE | SOFTGPU_PLANE_TURN(1));
    commit(mock, 1, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 7, 0), texel(0, 0)); /* clockwise: the first corner goes right */
    assert_int_equal(seen(mock, 7, 3), texel(3, 0));
    set(mock, 0, SOFTGPU_PLANE_CONTROL, mirrored);
    commit(mock, 1, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 7, 1), texel(0, 1));
    set(mock, 0, SOFTGPU_PLANE_CONTROL, mirrored | SOFTGPU_PLANE_TURN(1));
    commit(mock, 1, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 7, 7), texel(0, 0));
    set(mock, 0, SOFTGPU_PLANE_CONTROL, SOFTGPU_PLANE_ENABLE | SOFTGPU_PLANE_TURN(2));
    commit(mock, 1, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 7, 7), texel(0, 0));
    set(mock, 0, SOFTGPU_PLANE_CONTROL, SOFTGPU_PLANE_ENABLE | SOFTGPU_PLANE_TURN(3));
    commit(mock, 1, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 0, 7), texel(0, 0));
}

static void planes_are_scaled_and_clipped(void **state)
{
    struct mock *mock = *state;
    fill(mock, UPPER, 0xFF55AA33);
    stage(mock, 0, UPPER, 0, 0);
    set(mock, 0, SOFTGPU_PLANE_TARGET_POSITION, (uint32_t)(uint16_t)-4);
    set(mock, 0, SOFTGPU_PLANE_TARGET_SIZE, 32 | 32 << 16);
    set(mock, 0, SOFTGPU_PLANE_CLIP_SIZE, 20 | 10 << 16);
    commit(mock, 1, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 0, 0), 0xFF55AA33);
    assert_int_equal(seen(mock, 19, 9), 0xFF55AA33);
    assert_int_equal(seen(mock, 20, 9), BLACK);
    assert_int_equal(seen(mock, 19, 10), BLACK);
}

static void a_scaled_plane_is_a_mean_of_its_pixels(void **state)
{
    struct mock *mock = *state;
    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        uint32_t pixel = BLACK | (i % SIDE >= SIDE / 2 ? 0xF0 : 0x10);
        memcpy(mock->vram + UPPER + i * 4ull, &pixel, 4);
    }
    stage(mock, 0, UPPER, 0, 0);
    set(mock, 0, SOFTGPU_PLANE_TARGET_SIZE, 2 * SIDE | 2 * SIDE << 16);
    commit(mock, 1, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 0, 0), BLACK | 0x10);
    assert_int_equal(seen(mock, 2 * SIDE - 1, 0), BLACK | 0xF0);
    assert_int_equal(seen(mock, SIDE - 1, 5), BLACK | (0x10 * 3 + 0xF0) / 4);
    assert_int_equal(seen(mock, SIDE, 5), BLACK | (0x10 + 0xF0 * 3) / 4);
}

static void flip_to_black(struct mock *mock)
{
    mock_write64(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_SURFACE), 0);
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_PITCH), WIDTH * 4);
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_FORMAT), SOFTGPU_FORMAT_BGRX8);
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_FLIP), SOFTGPU_FLIP_VSYNC);
}

static void a_flip_turns_planes_off(void **state)
{
    struct mock *mock = *state;
    paint(mock, UPPER);
    stage(mock, 0, UPPER, 0, 0);
    commit(mock, 1, SOFTGPU_FLIP_IMMEDIATE);
    flip_to_black(mock);
    assert_int_equal(seen(mock, 1, 1), texel(1, 1));
    stage(mock, 0, UPPER, 0, 0);
    mock_run(mock, PERIOD + 1);
    assert_int_equal(seen(mock, 1, 1), BLACK);
    assert_int_equal(current_tag(mock, 0), 0);
    mock_settle(mock);
}

static void planes_that_come_behind_a_flip_are_shown(void **state)
{
    struct mock *mock = *state;
    paint(mock, UPPER);
    flip_to_black(mock);
    stage(mock, 0, UPPER, 0, 0);
    commit(mock, 1, SOFTGPU_FLIP_VSYNC);
    mock_run(mock, PERIOD + 1);
    assert_int_equal(seen(mock, 1, 1), texel(1, 1));
    assert_int_equal(current_tag(mock, 0), 100);
    mock_settle(mock);
}

static bool has_fault(struct mock *mock)
{
    (void)seen(mock, 0, 0);
    return mock_read(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_STATUS)) &
           SOFTGPU_OUTPUT_SCAN_FAULT;
}

static void what_cannot_be_read_is_left_out(void **state)
{
    struct mock *mock = *state;
    const uint32_t sizes[] = {0, 0xFFFFFFFF, SIDE, SIDE << 16, 0x7FFF7FFF};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        stage(mock, 0, UPPER, 0, 0);
        set(mock, 0, SOFTGPU_PLANE_SOURCE_SIZE, sizes[i]);
        commit(mock, 1, SOFTGPU_FLIP_IMMEDIATE);
        assert_true(has_fault(mock));
    }
    stage(mock, 0, 0xFFFFFFFFFFFFF000u, 0, 0);
    commit(mock, 1, SOFTGPU_FLIP_IMMEDIATE);
    assert_true(has_fault(mock));
    stage(mock, 0, UPPER, 0, 0);
    set(mock, 0, SOFTGPU_PLANE_SOURCE_POSITION, 0x8000);
    commit(mock, 1, SOFTGPU_FLIP_IMMEDIATE);
    assert_true(has_fault(mock));
    stage(mock, 0, UPPER, 0, 0);
    set(mock, 0, SOFTGPU_PLANE_TARGET_SIZE, 0);
    commit(mock, 1, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(seen(mock, 0, 0), BLACK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* ---- The queue ---- */

static uint64_t now(struct mock *mock)
{
    uint64_t low = mock_read(mock, SOFTGPU_REG_TIME);
    return low | (uint64_t)mock_read(mock, SOFTGPU_REG_TIME + 4) << 32;
}

static uint64_t queue_read(struct mock *mock, uint32_t reg)
{
    reg = SOFTGPU_OUTPUT_REG(0, reg);
    return mock_read(mock, reg) | (uint64_t)mock_read(mock, reg + 4) << 32;
}

/* A flip of plane 0 to one colour, not before a time. */
static void queue(struct mock *mock, uint64_t tag, uint64_t address, uint64_t time)
{
    fill(mock, address, 0xFF000000u | (uint32_t)tag);
    stage(mock, 0, address, 0, 0);
    mock_write64(mock, SOFTGPU_PLANE_REG(0, 0, SOFTGPU_PLANE_TAG), tag);
    mock_write64(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_QUEUE_TIME), time);
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_QUEUE_COMMIT),
               SOFTGPU_PLANES(1, SOFTGPU_FLIP_VSYNC));
}

static void assert_line(struct mock *mock, uint64_t tag, bool shown)
{
    assert_int_not_equal(mock_read(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_QUEUE_LOG_COUNT)), 0);
    assert_int_equal(mock_read(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_QUEUE_LOG_PLANE)), 0);
    assert_int_equal(queue_read(mock, SOFTGPU_OUTPUT_QUEUE_LOG_TAG), tag);
    assert_int_equal(queue_read(mock, SOFTGPU_OUTPUT_QUEUE_LOG_TIME) != 0, shown);
    mock_write(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_QUEUE_LOG_COUNT), 1);
}

static void queued_flips_are_shown_when_their_time_has_come(void **state)
{
    struct mock *mock = *state;
    uint64_t begin = now(mock);
    queue(mock, 1, UPPER, 0);
    queue(mock, 2, LOWER, begin + PERIOD + PERIOD / 2);
    mock_run(mock, PERIOD + 1);
    assert_int_equal(seen(mock, 1, 1), 0xFF000001);
    assert_line(mock, 1, true);
    assert_int_equal(mock_read(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_QUEUE_LENGTH)), 1);
    mock_run(mock, PERIOD);
    assert_int_equal(seen(mock, 1, 1), 0xFF000002);
    assert_int_equal(current_tag(mock, 0), 2);
    assert_line(mock, 2, true);
    assert_int_equal(mock_read(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_QUEUE_LOG_COUNT)), 0);
    mock_settle(mock);
}

static void a_queued_flip_behind_a_flip_is_shown(void **state)
{
    struct mock *mock = *state;
    queue(mock, 1, UPPER, 0);
    flip_to_black(mock); /* it takes back what was queued */
    queue(mock, 2, LOWER, 0);
    mock_run(mock, PERIOD + 1);
    assert_int_equal(seen(mock, 1, 1), 0xFF000002);
    assert_int_equal(current_tag(mock, 0), 2);
    mock_settle(mock);
}

static void of_flips_for_one_vsync_the_last_is_shown(void **state)
{
    struct mock *mock = *state;
    queue(mock, 1, UPPER, 0);
    queue(mock, 2, LOWER, 0);
    mock_run(mock, PERIOD + 1);
    assert_int_equal(seen(mock, 1, 1), 0xFF000002);
    assert_line(mock, 1, false);
    assert_line(mock, 2, true);
    mock_settle(mock);
}

static void cancelled_flips_are_never_shown(void **state)
{
    struct mock *mock = *state;
    uint64_t begin = now(mock);
    queue(mock, 1, UPPER, 0);
    queue(mock, 2, LOWER, begin + PERIOD + PERIOD / 2);
    queue(mock, 3, LOWER, begin + 2 * PERIOD + PERIOD / 2);
    mock_run(mock, PERIOD + 1);
    mock_write64(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_QUEUE_CANCEL), 2);
    assert_int_equal(queue_read(mock, SOFTGPU_OUTPUT_QUEUE_CANCELLED), 2);
    mock_run(mock, 4 * PERIOD);
    assert_int_equal(current_tag(mock, 0), 1);
    assert_line(mock, 1, true);
    assert_int_equal(mock_read(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_QUEUE_LOG_COUNT)), 0);
    mock_write64(mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_QUEUE_CANCEL), 1);
    assert_int_equal(queue_read(mock, SOFTGPU_OUTPUT_QUEUE_CANCELLED), 0); /* it is shown */
    mock_settle(mock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(planes_of_a_commit_are_latched_together_at_vsync),
        TEST(planes_that_are_not_named_stay),
        TEST(plane_of_indices_has_colours),
        TEST(right_eye_sees_what_lies_behind),
        TEST(plane_0_is_on_top),
        TEST(planes_are_mirrored_before_they_are_turned),
        TEST(planes_are_scaled_and_clipped),
        TEST(a_scaled_plane_is_a_mean_of_its_pixels),
        TEST(a_flip_turns_planes_off),
        TEST(planes_that_come_behind_a_flip_are_shown),
        TEST(what_cannot_be_read_is_left_out),
        TEST(queued_flips_are_shown_when_their_time_has_come),
        TEST(a_queued_flip_behind_a_flip_is_shown),
        TEST(of_flips_for_one_vsync_the_last_is_shown),
        TEST(cancelled_flips_are_never_shown),
    };

    return cmocka_run_group_tests_name("planes", tests, NULL, NULL);
}
