/* display_test.c: vsync, flips, scan-out, cursor, monitors. */
#include "mock.h"
#include "softgpu/softgpu_scaler.h"

#include <stdlib.h>

#define PERIOD 16666667u
#define WIDTH  64u
#define HEIGHT 48u

static int setup(void **state)
{
    struct mock *mock = calloc(1, sizeof(*mock));
    mock_init(mock, "vram_mb=4,outputs=2,aperture_mb=1");
    *state = mock;
    return 0;
}

static int teardown(void **state)
{
    mock_fini(*state);
    free(*state);
    return 0;
}

static uint32_t output_reg(uint32_t reg)
{
    return SOFTGPU_OUTPUT_REG(0, reg);
}

static void paint(struct mock *mock, uint64_t address, uint32_t colour)
{
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        memcpy(mock->vram + address + i * 4ull, &colour, 4);
}

static void flip(struct mock *mock, uint64_t address, uint32_t format, uint32_t when, uint32_t tag)
{
    mock_write64(mock, output_reg(SOFTGPU_OUTPUT_SURFACE), address);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_PITCH), WIDTH * 4);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_FORMAT), format);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_FLIP_TAG), tag);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_FLIP), when);
}

static void enable_output(struct mock *mock)
{
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_SIZE), WIDTH | HEIGHT << 16);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CONTROL), SOFTGPU_OUTPUT_ENABLE);
}

static const uint32_t *scanout(struct mock *mock)
{
    const void *pixels;
    unsigned width, height, stride;
    if (!mock->device->operations->scanout(mock->device, 0, &pixels, &width, &height, &stride))
        return NULL;
    assert_int_equal(width, WIDTH);
    assert_int_equal(height, HEIGHT);
    assert_int_equal(stride, WIDTH * 4);
    return pixels;
}

/* The first pixel that an eye sees; 0: the output is not in stereo. */
static uint32_t eye(struct mock *mock, bool right)
{
    const void *pixels;
    unsigned width, height, stride;
    return mock->device->operations->scanout_eye(mock->device, 0, right, &pixels, &width, &height,
                                                 &stride)
               ? *(const uint32_t *)pixels | 0xFF000000
               : 0;
}

static void flip_eyes(struct mock *mock, uint64_t left, uint64_t right, uint32_t when)
{
    mock_write64(mock, output_reg(SOFTGPU_OUTPUT_SURFACE_RIGHT), right);
    flip(mock, left, SOFTGPU_FORMAT_BGRX8, when, 0);
}

static uint32_t current(struct mock *mock)
{
    return mock_read(mock, output_reg(SOFTGPU_OUTPUT_CURRENT));
}

static void a_dark_output_shows_nothing_and_asks_for_no_time(void **state)
{
    struct mock *mock = *state;
    assert_null(scanout(mock));
    mock_write(mock, SOFTGPU_REG_INTERRUPT_ENABLE, ~0u);
    assert_int_equal(mock->tick_count, 0);
    mock_write(mock, SOFTGPU_REG_INTERRUPT_ENABLE, 0);
    enable_output(mock);
    assert_int_equal(mock->tick_count, 0); /* enabled, but nobody waits for a vsync */
    mock_run(mock, 10ull * PERIOD);
    assert_int_equal(mock_read(mock, output_reg(SOFTGPU_OUTPUT_VSYNC_COUNT)), 10);
    assert_int_equal(scanout(mock)[0], 0xFF000000);
}

static void vsync_interrupts_come_once_a_period(void **state)
{
    struct mock *mock = *state;
    unsigned seen = 0;
    mock_write(mock, SOFTGPU_REG_INTERRUPT_ENABLE, SOFTGPU_INTERRUPT_VSYNC(0));
    enable_output(mock);
    for (unsigned i = 0; i < 170; i++) {
        mock_run(mock, PERIOD / 10);
        if (mock->line[0]) {
            assert_int_equal(mock_read(mock, SOFTGPU_REG_INTERRUPT_STATUS),
                             SOFTGPU_INTERRUPT_VSYNC(0));
            mock_write(mock, SOFTGPU_REG_INTERRUPT_STATUS, SOFTGPU_INTERRUPT_VSYNC(0));
            seen++;
        }
    }
    assert_in_range(seen, 16, 17);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CONTROL), 0);
    mock_settle(mock);
    assert_false(mock->line[0]);
}

/* The second output is enabled in the middle of a frame of the first. */
static unsigned statuses_with_both(const char *options)
{
    struct mock *mock = calloc(1, sizeof *mock);
    const uint32_t both = SOFTGPU_INTERRUPT_VSYNC(0) | SOFTGPU_INTERRUPT_VSYNC(1);
    unsigned seen = 0;

    mock_init(mock, options);
    mock_write(mock, SOFTGPU_REG_INTERRUPT_ENABLE, both);
    for (unsigned i = 0; i < 2; i++) {
        mock_write(mock, SOFTGPU_OUTPUT_REG(i, SOFTGPU_OUTPUT_SIZE), WIDTH | HEIGHT << 16);
        mock_write(mock, SOFTGPU_OUTPUT_REG(i, SOFTGPU_OUTPUT_CONTROL), SOFTGPU_OUTPUT_ENABLE);
        mock_run(mock, PERIOD / 3);
    }
    for (unsigned i = 0; i < 100; i++) {
        uint32_t status = mock_read(mock, SOFTGPU_REG_INTERRUPT_STATUS) & both;
        mock_write(mock, SOFTGPU_REG_INTERRUPT_STATUS, status);
        seen += status == both;
        mock_run(mock, PERIOD / 10);
    }
    mock_fini(mock);
    free(mock);
    return seen;
}

static void outputs_of_one_clock_have_their_vsyncs_together(void **state)
{
    assert_int_equal(statuses_with_both("vram_mb=4,outputs=2,aperture_mb=1"), 0);
    assert_in_range(statuses_with_both("vram_mb=4,outputs=2,aperture_mb=1,one_clock=1"), 9, 10);
}

static void a_flip_waits_for_vsync(void **state)
{
    struct mock *mock = *state;
    mock_write(mock, SOFTGPU_REG_INTERRUPT_ENABLE, SOFTGPU_INTERRUPT_FLIP(0));
    paint(mock, 0, 0x00112233);
    paint(mock, 0x10000, 0x00445566);
    enable_output(mock);
    flip(mock, 0, SOFTGPU_FORMAT_BGRX8, SOFTGPU_FLIP_IMMEDIATE, 1);
    assert_int_equal(scanout(mock)[5] & 0xFFFFFF, 0x112233);
    mock_write(mock, SOFTGPU_REG_INTERRUPT_STATUS, ~0u);
    mock_run(mock, PERIOD / 2);
    flip(mock, 0x10000, SOFTGPU_FORMAT_BGRX8, SOFTGPU_FLIP_VSYNC, 2);
    assert_true(mock_read(mock, output_reg(SOFTGPU_OUTPUT_STATUS)) & SOFTGPU_OUTPUT_FLIP_PENDING);
    assert_int_equal(current(mock), 0);
    assert_false(mock->line[0]);
    mock_run(mock, PERIOD / 2 + 1);
    assert_true(mock->line[0]);
    assert_int_equal(current(mock), 0x10000);
    assert_int_equal(mock_read(mock, output_reg(SOFTGPU_OUTPUT_CURRENT_TAG)), 2);
    assert_int_equal(scanout(mock)[5] & 0xFFFFFF, 0x445566);
    mock_settle(mock); /* and no tick is left */
}

static void eyes_flip_one_after_the_other(void **state)
{
    static const uint32_t colours[] = {0x101010, 0x202020, 0x303030, 0x404040};
    struct mock *mock = *state;
    for (unsigned i = 0; i < 4; i++)
        paint(mock, 0x10000 * i, colours[i]);
    enable_output(mock);
    flip_eyes(mock, 0, 0x10000, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(eye(mock, false), 0); /* one picture */
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CONTROL),
               SOFTGPU_OUTPUT_ENABLE | SOFTGPU_OUTPUT_STEREO);
    assert_int_equal(eye(mock, false), 0xFF000000 | colours[0]);
    assert_int_equal(eye(mock, true), 0xFF000000 | colours[1]);
    flip_eyes(mock, 0x20000, 0x30000, SOFTGPU_FLIP_VSYNC);
    mock_run(mock, PERIOD);
    assert_int_equal(eye(mock, false), 0xFF000000 | colours[2]);
    assert_int_equal(eye(mock, true), 0xFF000000 | colours[1]);
    mock_run(mock, PERIOD);
    assert_int_equal(eye(mock, true), 0xFF000000 | colours[3]);
    flip_eyes(mock, 0, 0x10000, SOFTGPU_FLIP_IMMEDIATE);
    assert_int_equal(eye(mock, false), 0xFF000000 | colours[0]);
    assert_int_equal(eye(mock, true), 0xFF000000 | colours[1]);
    mock_settle(mock);
}

static void indices_are_seen_in_the_colours_of_the_palette(void **state)
{
    struct mock *mock = *state;
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        mock->vram[i] = (uint8_t)i;
    enable_output(mock);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_PALETTE_INDEX), 2);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_PALETTE_DATA), 0x123456);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_PALETTE_DATA), 0xFF654321);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_PITCH), WIDTH);
    flip(mock, 0, SOFTGPU_FORMAT_P8, SOFTGPU_FLIP_IMMEDIATE, 0);
    assert_int_equal(scanout(mock)[1], 0xFF000000);
    assert_int_equal(scanout(mock)[2], 0xFF123456);
    assert_int_equal(scanout(mock)[3], 0xFF654321);
}

static void the_last_of_several_flips_is_latched(void **state)
{
    struct mock *mock = *state;
    enable_output(mock);
    flip(mock, 0x10000, SOFTGPU_FORMAT_BGRX8, SOFTGPU_FLIP_VSYNC, 1);
    flip(mock, 0x20000, SOFTGPU_FORMAT_BGRX8, SOFTGPU_FLIP_VSYNC, 2);
    mock_settle(mock);
    assert_int_equal(current(mock), 0x20000);
    assert_int_equal(mock_read(mock, output_reg(SOFTGPU_OUTPUT_VSYNC_COUNT)), 1);
}

static void disabling_shows_what_was_pending(void **state)
{
    struct mock *mock = *state;
    enable_output(mock);
    flip(mock, 0x10000, SOFTGPU_FORMAT_BGRX8, SOFTGPU_FLIP_VSYNC, 1);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CONTROL), 0);
    assert_int_equal(current(mock), 0x10000);
    mock_settle(mock);
}

static void queued_flips_hold_the_engine_back(void **state)
{
    struct mock *mock = *state;
    mock_start_engine(mock, 0, 0);
    enable_output(mock);
    for (uint32_t i = 1; i <= 3; i++) {
        struct softgpu_command_flip command = {
            HEADER(SOFTGPU_OP_FLIP, command),
            SOFTGPU_FLIP_VSYNC | SOFTGPU_FLIP_WAIT,
            0,
            gpu_address(0x10000 * i),
            WIDTH * 4,
            SOFTGPU_FORMAT_BGRX8,
            i,
        };
        mock_command(mock, &command, sizeof(command));
        mock_submit(mock, 0, SOFTGPU_PACKET_FLAG_PRIVILEGED, i);
    }
    for (uint32_t i = 0; i < 3; i++) {
        mock_run(mock, PERIOD / 2);
        assert_int_equal(mock_fence(mock, 0), i);
        mock_run(mock, PERIOD / 2 + 1000);
        assert_int_equal(mock_fence(mock, 0), i + 1);
        assert_int_equal(current(mock), 0x10000 * (i + 1));
    }
    mock_settle(mock);
}

/* Broken while it waits for its flip, the command does not flip again when it is resubmitted. */
static void a_waiting_flip_can_be_preempted(void **state)
{
    struct mock *mock = *state;
    struct softgpu_command_flip command = {
        HEADER(SOFTGPU_OP_FLIP, command),
        SOFTGPU_FLIP_VSYNC | SOFTGPU_FLIP_WAIT,
        0,
        gpu_address(0x10000),
        WIDTH * 4,
        SOFTGPU_FORMAT_BGRX8,
        1,
    };
    mock_start_engine(mock, 0, 0);
    enable_output(mock);
    mock_command(mock, &command, sizeof(command));
    mock_submit(mock, 0, SOFTGPU_PACKET_FLAG_PRIVILEGED, 1);
    mock_run(mock, PERIOD / 2);
    mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_PREEMPT), 9);
    mock_run(mock, 1000);
    assert_int_equal(mock_read(mock, engine_reg(0, SOFTGPU_ENGINE_PREEMPT_STATE)),
                     SOFTGPU_PREEMPT_BROKEN);
    assert_int_equal(mock_read(mock, engine_reg(0, SOFTGPU_ENGINE_PREEMPT_PROGRESS)), 1);
    mock_settle(mock);
    assert_int_equal(current(mock), 0x10000);
    struct softgpu_packet packet;
    memcpy(&packet, mock_ram(mock, MOCK_RAM_BASE + 0x1000), sizeof(packet));
    packet.progress = 1;
    mock_submit_packet(mock, 0, &packet);
    mock_run(mock, 1000);
    assert_int_equal(mock_fence(mock, 0), 1);
}

static void scanline_runs_from_the_blank_through_the_picture(void **state)
{
    struct mock *mock = *state;
    enable_output(mock);
    assert_true(mock_read(mock, output_reg(SOFTGPU_OUTPUT_STATUS)) & SOFTGPU_OUTPUT_IN_VBLANK);
    uint32_t last = 0;
    mock_run(mock, PERIOD / 10);
    for (unsigned i = 0; i < 8; i++) {
        uint32_t line = mock_read(mock, output_reg(SOFTGPU_OUTPUT_SCANLINE));
        assert_true(line < HEIGHT);
        assert_true(i == 0 || line > last);
        last = line;
        mock_run(mock, PERIOD / 10);
    }
    assert_in_range(last, HEIGHT / 2, HEIGHT - 1);
}

static void formats_and_cursor_are_composed(void **state)
{
    struct mock *mock = *state;
    enable_output(mock);
    for (uint32_t i = 0; i < WIDTH * 2 * HEIGHT; i++) {
        const uint16_t red = 0xF800;
        memcpy(mock->vram + i * 2ull, &red, 2);
    }
    flip(mock, 0, SOFTGPU_FORMAT_RGB565, SOFTGPU_FLIP_IMMEDIATE, 0);
    assert_int_equal(scanout(mock)[WIDTH * HEIGHT - 1], 0xFFFF0000);

    const uint32_t shape[4] = {0xFF00FF00, 0, 0x80000080, 0xFF0000FF};
    memcpy(mock->vram + 0x100000, shape, sizeof(shape));
    mock_write64(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_ADDRESS), 0x100000);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_SIZE), 2 | 2 << 16);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_PITCH), 8);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_POSITION), 10 | 20 << 16);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_CONTROL), SOFTGPU_CURSOR_ENABLE);
    const uint32_t *pixels = scanout(mock);
    assert_int_equal(pixels[20 * WIDTH + 10], 0xFF00FF00);
    assert_int_equal(pixels[20 * WIDTH + 11], 0xFFFF0000);
    assert_int_equal(pixels[21 * WIDTH + 10], 0xFF7F0080);
    assert_int_equal(pixels[21 * WIDTH + 11], 0xFF0000FF);

    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_POSITION), 0xFFFF | 0xFFFFu << 16);
    assert_int_equal(scanout(mock)[0], 0xFF0000FF);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_POSITION), (WIDTH - 1) | (HEIGHT - 1) << 16);
    assert_int_equal(scanout(mock)[WIDTH * HEIGHT - 1], 0xFF00FF00);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_POSITION), 0x7FFF | 0x7FFF << 16);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_POSITION), 0x8000 | 0x8000u << 16);
    assert_non_null(scanout(mock));
}

/* Nobody copies a surface that is sent as it is; what lies over it is composed. */
static void a_surface_is_sent_as_it_lies(void **state)
{
    struct mock *mock = *state;
    enable_output(mock);
    paint(mock, 0x10000, 0x112233);
    flip(mock, 0x10000, SOFTGPU_FORMAT_BGRX8, SOFTGPU_FLIP_IMMEDIATE, 0);
    assert_ptr_equal(scanout(mock), mock->vram + 0x10000);
    mock_write64(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_ADDRESS), 0x100000);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_CONTROL), SOFTGPU_CURSOR_ENABLE);
    assert_ptr_not_equal(scanout(mock), mock->vram + 0x10000);
    assert_int_equal(scanout(mock)[5], 0xFF112233);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_CONTROL), 0);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CONTROL),
               SOFTGPU_OUTPUT_ENABLE | SOFTGPU_OUTPUT_BLANK);
    assert_int_equal(scanout(mock)[5], 0xFF000000);
    assert_int_equal(*(uint32_t *)(void *)(mock->vram + 0x10000), 0x112233);
}

static void a_plane_outside_of_memory_is_black(void **state)
{
    struct mock *mock = *state;
    static const uint64_t places[] = {0x3FFFFC, SOFTGPU_APERTURE_BASE, SOFTGPU_SYSTEM_BASE,
                                      ~0ull - 3};
    enable_output(mock);
    for (unsigned i = 0; i < 4; i++) {
        flip(mock, places[i], SOFTGPU_FORMAT_BGRA8, SOFTGPU_FLIP_IMMEDIATE, 0);
        assert_int_equal(scanout(mock)[WIDTH * HEIGHT - 1], 0xFF000000);
        assert_true(mock_read(mock, output_reg(SOFTGPU_OUTPUT_STATUS)) & SOFTGPU_OUTPUT_SCAN_FAULT);
    }
    flip(mock, 0, 77, SOFTGPU_FLIP_IMMEDIATE, 0);
    assert_int_equal(scanout(mock)[0], 0xFF000000);
}

static void edid_is_valid(void **state)
{
    struct mock *mock = *state;
    for (unsigned output = 0; output < 2; output++) {
        uint8_t edid[SOFTGPU_EDID_SIZE], sum = 0;
        for (uint32_t i = 0; i < SOFTGPU_EDID_SIZE; i += 4) {
            uint32_t word = mock_read(mock, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_EDID) + i);
            memcpy(edid + i, &word, 4);
        }
        for (uint32_t i = 0; i < SOFTGPU_EDID_SIZE; i++)
            sum = (uint8_t)(sum + edid[i]);
        assert_int_equal(sum, 0);
        assert_memory_equal(edid, "\x00\xFF\xFF\xFF\xFF\xFF\xFF\x00", 8);
        uint32_t width = edid[56] | (edid[58] & 0xF0u) << 4;
        uint32_t height = edid[59] | (edid[61] & 0xF0u) << 4;
        assert_int_equal(width, output ? 1280 : 1920);
        assert_int_equal(height, output ? 1024 : 1080);
        uint32_t total = (width + edid[57] + (edid[58] & 0xFu) * 256) *
                         (height + edid[60] + (edid[61] & 0xFu) * 256);
        uint32_t clock = (edid[54] | (uint32_t)edid[55] << 8) * 10000;
        assert_in_range(clock / total, 59, 60);
    }
}

static void a_monitor_can_be_unplugged(void **state)
{
    struct mock *mock = *state;
    mock_write(mock, SOFTGPU_REG_INTERRUPT_ENABLE, SOFTGPU_INTERRUPT_HOTPLUG);
    mock_write(mock, SOFTGPU_TEST_KEY, SOFTGPU_TEST_KEY_VALUE);
    assert_int_equal(mock_read(mock, SOFTGPU_TEST_CONNECT), 3);
    mock_write(mock, SOFTGPU_TEST_CONNECT, 2);
    assert_true(mock->line[0]);
    assert_false(mock_read(mock, output_reg(SOFTGPU_OUTPUT_STATUS)) & SOFTGPU_OUTPUT_CONNECTED);
    assert_int_equal(mock_read(mock, output_reg(SOFTGPU_OUTPUT_EDID)), 0);
    enable_output(mock);
    assert_null(scanout(mock));
    mock_write(mock, SOFTGPU_REG_INTERRUPT_STATUS, SOFTGPU_INTERRUPT_HOTPLUG);
    mock_write(mock, SOFTGPU_TEST_CONNECT, 2);
    assert_false(mock->line[0]);
}

#define SMALL_W 16u
#define SMALL_H 12u

/* A picture of 16 x 12: its left half in one colour, its right half in another. */
static void show_halves(struct mock *mock)
{
    for (uint32_t i = 0; i < SMALL_W * SMALL_H; i++) {
        uint32_t colour = i % SMALL_W < SMALL_W / 2 ? 0xFF204080 : 0xFFC0A060;
        memcpy(mock->vram + i / SMALL_W * WIDTH * 4ull + i % SMALL_W * 4ull, &colour, 4);
    }
    enable_output(mock);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_SOURCE_SIZE), SMALL_W | SMALL_H << 16);
    flip(mock, SOFTGPU_VRAM_BASE, SOFTGPU_FORMAT_BGRX8, SOFTGPU_FLIP_IMMEDIATE, 0);
    mock_run(mock, 2ull * PERIOD);
}

static void set_window(struct mock *mock, const uint32_t at[2], const uint32_t size[2])
{
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_WINDOW_POSITION), at[0] | at[1] << 16);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_WINDOW_SIZE), size[0] | size[1] << 16);
}

/* Black around it; a window of its size has its pixels. */
static void a_picture_lies_in_its_window(void **state)
{
    struct mock *mock = *state;
    show_halves(mock);
    set_window(mock, (uint32_t[]){24, 18}, (uint32_t[]){SMALL_W, SMALL_H});
    const uint32_t *seen = scanout(mock);
    for (uint32_t y = 0; y < HEIGHT; y++) {
        for (uint32_t x = 0; x < WIDTH; x++) {
            bool inside = x >= 24 && x < 24 + SMALL_W && y >= 18 && y < 18 + SMALL_H;
            uint32_t colour = x - 24 < SMALL_W / 2 ? 0xFF204080 : 0xFFC0A060;
            assert_int_equal(seen[y * WIDTH + x], inside ? colour : 0xFF000000);
        }
    }
}

/* Between two colours lie means of both, elsewhere are they. */
static void a_picture_fills_a_larger_window(void **state)
{
    struct mock *mock = *state;
    show_halves(mock);
    set_window(mock, (uint32_t[]){0, 0}, (uint32_t[]){WIDTH, HEIGHT});
    const uint32_t *seen = scanout(mock);
    for (uint32_t y = 0; y < HEIGHT; y++) {
        assert_int_equal(seen[y * WIDTH], 0xFF204080);
        assert_int_equal(seen[y * WIDTH + WIDTH / 2 - 3], 0xFF204080);
        assert_in_range(seen[y * WIDTH + WIDTH / 2] >> 16 & 0xFF, 0x21, 0xBF);
        assert_int_equal(seen[y * WIDTH + WIDTH / 2 + 2], 0xFFC0A060);
        assert_int_equal(seen[y * WIDTH + WIDTH - 1], 0xFFC0A060);
    }
    set_window(mock, (uint32_t[]){1, 0}, (uint32_t[]){WIDTH, HEIGHT}); /* not in the mode */
    assert_int_equal(scanout(mock)[WIDTH / 2], 0xFF000000);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_SOURCE_SIZE), 0);
    assert_int_equal(scanout(mock)[SMALL_W / 2], 0xFFC0A060);
}

/* The cursor is a part of what is scaled. */
static void a_cursor_is_scaled_with_the_picture(void **state)
{
    struct mock *mock = *state;
    const uint32_t white = 0xFFFFFFFF;
    show_halves(mock);
    set_window(mock, (uint32_t[]){0, 0}, (uint32_t[]){WIDTH, HEIGHT});
    for (unsigned i = 0; i < 16; i++)
        memcpy(mock->vram + 0x10000 + i * 4, &white, 4);
    mock_write64(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_ADDRESS), SOFTGPU_VRAM_BASE + 0x10000);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_SIZE), 4 | 4 << 16);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_PITCH), 16);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_POSITION), 2 | 3 << 16);
    mock_write(mock, output_reg(SOFTGPU_OUTPUT_CURSOR_CONTROL), SOFTGPU_CURSOR_ENABLE);
    assert_int_equal(scanout(mock)[20 * WIDTH + 16], 0xFFFFFFFF);
    assert_int_equal(scanout(mock)[20 * WIDTH + 4], 0xFF204080);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(a_dark_output_shows_nothing_and_asks_for_no_time),
        TEST(vsync_interrupts_come_once_a_period),
        TEST(a_flip_waits_for_vsync),
        cmocka_unit_test(outputs_of_one_clock_have_their_vsyncs_together),
        TEST(a_picture_lies_in_its_window),
        TEST(a_picture_fills_a_larger_window),
        TEST(a_cursor_is_scaled_with_the_picture),
        TEST(eyes_flip_one_after_the_other),
        TEST(indices_are_seen_in_the_colours_of_the_palette),
        TEST(the_last_of_several_flips_is_latched),
        TEST(disabling_shows_what_was_pending),
        TEST(queued_flips_hold_the_engine_back),
        TEST(a_waiting_flip_can_be_preempted),
        TEST(scanline_runs_from_the_blank_through_the_picture),
        TEST(formats_and_cursor_are_composed),
        TEST(a_surface_is_sent_as_it_lies),
        TEST(a_plane_outside_of_memory_is_black),
        TEST(edid_is_valid),
        TEST(a_monitor_can_be_unplugged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
