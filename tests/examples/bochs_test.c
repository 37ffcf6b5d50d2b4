/* The model of Bochs' display, driven as a driver does it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <drydock/device.h>

extern const struct device_model drydock_device;

#define MEMORY_BYTES (4u << 20)

enum { ID, WIDTH, HEIGHT, DEPTH, ENABLE, BANK, VIRTUAL_WIDTH, VIRTUAL_HEIGHT, X, Y, MEMORY };

static uint8_t memory[MEMORY_BYTES];
static char said[100];
static struct device *device;

static bool describe(struct device_bus *bus, const struct device_description *description)
{
    (void)bus;
    return description->bars[0].size == MEMORY_BYTES;
}

static void say(struct device_bus *bus, const char *text)
{
    (void)bus;
    strncpy(said, text, sizeof said - 1);
}

static void *bar_memory(struct device_bus *bus, unsigned bar)
{
    (void)bus;
    return bar == 0 ? memory : NULL;
}

static const struct device_bus_operations operations = {
    .size_bytes = sizeof operations,
    .describe = describe,
    .give_up = say,
    .log = say,
    .bar_memory = bar_memory,
};

static struct device_bus bus = {&operations};

static int plug_in(void **state)
{
    const struct drydock_value values[] = {
        {.number = MEMORY_BYTES >> 20}, {.number = 800}, {.number = 600}, {.number = 1}};

    (void)state;
    device = drydock_device.create(&bus, values);
    return device ? 0 : -1;
}

static int pull_out(void **state)
{
    (void)state;
    device->operations->destroy(device);
    return 0;
}

static unsigned get(unsigned index)
{
    return (unsigned)device->operations->mmio_read(device, 2, 0x500 + index * 2, 2);
}

static void set(unsigned index, unsigned value)
{
    device->operations->mmio_write(device, 2, 0x500 + index * 2, 2, value);
}

static void set_mode(unsigned width, unsigned height, unsigned depth, unsigned enable)
{
    set(ENABLE, 0);
    set(WIDTH, width);
    set(HEIGHT, height);
    set(DEPTH, depth);
    set(ENABLE, enable);
}

struct screen {
    const void *pixels;
    unsigned width, height, stride;
};

static bool look(struct screen *screen)
{
    return device->operations->scanout(device, 0, &screen->pixels, &screen->width, &screen->height,
                                       &screen->stride);
}

static void it_says_what_it_is(void **state)
{
    uint8_t sum = 0;

    (void)state;
    assert_int_equal(get(ID), 0xB0C5);
    assert_int_equal(get(MEMORY), MEMORY_BYTES >> 16);
    set(ENABLE, 2);
    assert_true(get(WIDTH) > 8000 && get(HEIGHT) > 4000 && get(DEPTH) == 32);
    set(ENABLE, 0);
    assert_int_equal(get(WIDTH), 0);
    for (unsigned i = 0; i < 128; i++) {
        sum = (uint8_t)(sum + device->operations->mmio_read(device, 2, i, 1));
    }
    assert_int_equal(sum, 0);
    assert_int_equal(device->operations->mmio_read(device, 2, 0, 8), 0x00FFFFFFFFFFFF00);
}

static void a_mode_is_shown_while_it_is_on(void **state)
{
    struct screen screen;

    (void)state;
    assert_false(look(&screen));
    memset(memory, 7, MEMORY_BYTES);
    set_mode(640, 480, 32, 0x41);
    assert_true(look(&screen));
    assert_true(screen.pixels == memory && screen.width == 640 && screen.height == 480);
    assert_int_equal(screen.stride, 640 * 4);
    assert_true(memory[0] == 0 && memory[640 * 480 * 4 - 1] == 0 && memory[640 * 480 * 4] == 7);
    set(WIDTH, 320); /* of no use while it is on */
    assert_int_equal(get(WIDTH), 640);
    set(VIRTUAL_WIDTH, 1024);
    set(X, 8);
    set(Y, 4);
    assert_int_equal(get(VIRTUAL_HEIGHT), MEMORY_BYTES / 4096);
    assert_true(look(&screen));
    assert_true(screen.pixels == memory + 4 * 4096 + 32 && screen.stride == 4096);
    set(ENABLE, 0);
    assert_false(look(&screen));
    memset(memory, 7, MEMORY_BYTES);
    set_mode(640, 480, 32, 0xC1);
    assert_int_equal(memory[0], 7);
}

static void a_mode_that_cannot_be_is_dark(void **state)
{
    struct screen screen;

    (void)state;
    set_mode(640, 480, 16, 0x41);
    assert_false(look(&screen));
    assert_non_null(strstr(said, "none of 32 bits that fits"));
    set_mode(2048, 2048, 32, 0x41);
    assert_false(look(&screen));
    set_mode(640, 480, 32, 0x41);
    set(X, 1); /* out of the virtual picture */
    assert_false(look(&screen));
    device->operations->reset(device);
    assert_true(get(ENABLE) == 0 && get(X) == 0 && get(ID) == 0xB0C5);
}

static void firmware_leaves_a_picture(void **state)
{
    struct device_firmware_picture picture = {.stride_bytes = 64};
    struct screen screen;

    (void)state;
    assert_true(device->operations->light_up(device, &picture));
    assert_true(picture.bar == 0 && picture.width == 800 && picture.height == 600);
    assert_int_equal(picture.stride_bytes, 800 * 4 + 64);
    assert_true(look(&screen));
    assert_int_equal(screen.stride, picture.stride_bytes);
    picture.stride_bytes = 1 << 20; /* no room for that */
    assert_true(device->operations->light_up(device, &picture));
    assert_int_equal(picture.stride_bytes, 800 * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_says_what_it_is, plug_in, pull_out),
        cmocka_unit_test_setup_teardown(a_mode_is_shown_while_it_is_on, plug_in, pull_out),
        cmocka_unit_test_setup_teardown(a_mode_that_cannot_be_is_dark, plug_in, pull_out),
        cmocka_unit_test_setup_teardown(firmware_leaves_a_picture, plug_in, pull_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
