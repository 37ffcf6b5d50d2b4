/* The virtio-gpu model, driven as a driver does it: registers, rings in memory, doorbells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "virtio_gpu_regs.h"

#include <drydock/device.h>

extern const struct device_model drydock_device;

/* ---- A computer with nothing but this device --------------------------------------------- */

#define RAM_BASE      0x100000u
#define RAM_BYTES     (1u << 20)
#define TABLE         (RAM_BASE + 0x0000) /* of queue 0 */
#define AVAILABLE     (RAM_BASE + 0x1000)
#define USED          (RAM_BASE + 0x2000)
#define REQUEST       (RAM_BASE + 0x3000)
#define ANSWER        (RAM_BASE + 0x4000)
#define PICTURE       (RAM_BASE + 0x10000)
#define QUEUE_SIZE    8u
#define REGISTER_BAR  4u
#define COMMON(field) offsetof(struct virtio_pci_common, field)
#define ISR_AT        0x1000u
#define CONFIG_AT     0x2000u
#define DOORBELLS_AT  0x3000u

static struct computer {
    struct device_bus bus;
    struct device *device;
    struct device_description description;
    uint8_t ram[RAM_BYTES];
    uint8_t vga[16u << 20];
    uint64_t tick;
    bool has_tick, line, messages;
    unsigned sent; /* messages, as bits */
    uint16_t available;
    char said[200];
} computer;

static bool describe(struct device_bus *bus, const struct device_description *description)
{
    (void)bus;
    computer.description = *description;
    return true;
}

static uint64_t now_ns(struct device_bus *bus)
{
    (void)bus;
    return 0;
}

static void call_at(struct device_bus *bus, uint64_t time_ns, uint64_t cookie)
{
    (void)bus;
    (void)time_ns;
    assert_false(computer.has_tick);
    computer.has_tick = true;
    computer.tick = cookie;
}

static void interrupt_set(struct device_bus *bus, unsigned message, bool asserted)
{
    (void)bus;
    assert_true(message < 3);
    computer.line = asserted;
    computer.sent |= (unsigned)asserted << message;
}

static void *at(uint64_t physical, size_t size)
{
    return physical >= RAM_BASE && size <= RAM_BYTES && physical - RAM_BASE <= RAM_BYTES - size
               ? computer.ram + (physical - RAM_BASE)
               : NULL;
}

static bool dma_read(struct device_bus *bus, uint64_t physical, void *bytes, size_t size)
{
    const void *from = at(physical, size);

    (void)bus;
    if (from) {
        memcpy(bytes, from, size);
    }
    return from != NULL;
}

static bool dma_write(struct device_bus *bus, uint64_t physical, const void *bytes, size_t size)
{
    void *to = at(physical, size);

    (void)bus;
    if (to) {
        memcpy(to, bytes, size);
    }
    return to != NULL;
}

static void *bar_memory(struct device_bus *bus, unsigned bar)
{
    (void)bus;
    return bar == 0 ? computer.vga : NULL;
}

static void trace(struct device_bus *bus, bool begin, unsigned engine, uint64_t tag)
{
    (void)bus;
    (void)begin;
    (void)engine;
    (void)tag;
}

static void say(struct device_bus *bus, const char *text)
{
    (void)bus;
    strncpy(computer.said, text, sizeof computer.said - 1);
}

static bool messages_on(struct device_bus *bus)
{
    (void)bus;
    return computer.messages;
}

static const struct device_bus_operations operations = {
    .size_bytes = sizeof operations,
    .describe = describe,
    .now_ns = now_ns,
    .call_at = call_at,
    .interrupt_set = interrupt_set,
    .dma_read = dma_read,
    .dma_write = dma_write,
    .bar_memory = bar_memory,
    .trace = trace,
    .log = say,
    .messages_on = messages_on,
};

static uint64_t reads(uint64_t offset, unsigned size)
{
    return computer.device->operations->mmio_read(computer.device, REGISTER_BAR, offset, size);
}

static void writes(uint64_t offset, unsigned size, uint64_t value)
{
    computer.device->operations->mmio_write(computer.device, REGISTER_BAR, offset, size, value);
}

/* ---- What a driver does ------------------------------------------------------------------ */

static void agree(uint64_t features)
{
    writes(COMMON(device_status), 1, 1);
    writes(COMMON(device_status), 1, 3);
    for (unsigned half = 0; half < 2; half++) {
        writes(COMMON(driver_feature_select), 4, half);
        writes(COMMON(driver_feature), 4, features >> 32 * half & 0xFFFFFFFF);
    }
    writes(COMMON(device_status), 1, 3 | VIRTIO_STATUS_AGREED);
}

static void start(uint64_t features)
{
    computer.available = 0;
    memset(computer.ram, 0, sizeof computer.ram);
    agree(features);
    assert_true(reads(COMMON(device_status), 1) & VIRTIO_STATUS_AGREED);
    writes(COMMON(config_vector), 2, 0);
    writes(COMMON(queue_select), 2, 0);
    writes(COMMON(queue_size), 2, QUEUE_SIZE);
    writes(COMMON(queue_vector), 2, 1);
    writes(COMMON(queue_desc), 4, TABLE);
    writes(COMMON(queue_driver), 4, AVAILABLE);
    writes(COMMON(queue_device), 4, USED);
    writes(COMMON(queue_enable), 2, 1);
    writes(COMMON(device_status), 1, 3 | VIRTIO_STATUS_AGREED | VIRTIO_STATUS_READY);
}

static void plug_in_with(const struct drydock_value *values)
{
    memset(&computer, 0, sizeof computer);
    computer.bus.operations = &operations;
    computer.device = drydock_device.create(&computer.bus, values);
    assert_non_null(computer.device);
}

static void plug_in_as(bool vga, bool virgl)
{
    const struct drydock_value values[] = {{vga}, {2}, {640},   {480},  {64},
                                           {20},  {1}, {virgl}, {false}};

    plug_in_with(values);
}

static void plug_in(bool vga)
{
    plug_in_as(vga, false);
}

static int unplug(void **state)
{
    (void)state;
    computer.device->operations->destroy(computer.device);
    return 0;
}

static int plug_in_2d(void **state)
{
    (void)state;
    plug_in(false);
    start(VIRTIO_F_VERSION_1 | VIRTIO_F_INDIRECT | VIRTIO_GPU_F_EDID);
    return 0;
}

static int plug_in_3d(void **state)
{
    (void)state;
    plug_in_as(false, true);
    start(VIRTIO_F_VERSION_1 | VIRTIO_F_INDIRECT | VIRTIO_GPU_F_VIRGL);
    return 0;
}

static void put_descriptor(unsigned index, struct virtq_descriptor descriptor)
{
    dma_write(NULL, TABLE + index * sizeof descriptor, &descriptor, sizeof descriptor);
}

static void ring(uint16_t head)
{
    dma_write(NULL, AVAILABLE + VIRTQ_RING + 2 * (computer.available % QUEUE_SIZE), &head, 2);
    computer.available++;
    dma_write(NULL, AVAILABLE + VIRTQ_INDEX, &computer.available, 2);
    writes(DOORBELLS_AT, 2, 0);
    while (computer.has_tick) {
        computer.has_tick = false;
        computer.device->operations->tick(computer.device, computer.tick);
    }
}

/* Sends a command and gives the type of the answer, which lies at ANSWER. */
static uint32_t send_bytes(uint32_t type, const void *body, uint32_t size)
{
    struct virtio_gpu_header header = {.type = type, .flags = VIRTIO_GPU_FLAG_FENCE, .fence_id = 7};
    uint16_t used;

    dma_write(NULL, REQUEST, &header, sizeof header);
    dma_write(NULL, REQUEST + sizeof header, body, size);
    memset(at(ANSWER, 2048), 0, 2048);
    put_descriptor(0, (struct virtq_descriptor){REQUEST, sizeof header + size, VIRTQ_NEXT, 3});
    put_descriptor(3, (struct virtq_descriptor){ANSWER, 2048, VIRTQ_WRITE, 0});
    ring(0);
    dma_read(NULL, USED + VIRTQ_INDEX, &used, 2);
    assert_int_equal(used, computer.available);
    dma_read(NULL, ANSWER, &header, sizeof header);
    assert_int_equal(header.flags, VIRTIO_GPU_FLAG_FENCE);
    assert_int_equal(header.fence_id, 7);
    return header.type;
}

#define SEND(type, ...) send_bytes(type, &(__VA_ARGS__), sizeof(__VA_ARGS__))

static void make_picture(uint32_t id, uint32_t format)
{
    struct {
        struct virtio_gpu_attach attach;
        struct virtio_gpu_piece pieces[2];
    } backing = {{id, 2}, {{PICTURE, 100, 0}, {PICTURE + 0x1000, 1000, 0}}};

    assert_int_equal(
        SEND(VIRTIO_GPU_RESOURCE_CREATE_2D, (struct virtio_gpu_create_2d){id, format, 16, 8}),
        VIRTIO_GPU_OK_NODATA);
    assert_int_equal(send_bytes(VIRTIO_GPU_RESOURCE_ATTACH_BACKING, &backing, sizeof backing),
                     VIRTIO_GPU_OK_NODATA);
    for (uint32_t i = 0; i < 16 * 8; i++) {
        uint32_t pixel = 0x01020300 + i, offset = i * 4;
        dma_write(NULL, offset < 100 ? PICTURE + offset : PICTURE + 0x1000 + offset - 100, &pixel,
                  4);
    }
}

/* A pixel of the screen of output 0; all ones if it is dark. */
static uint32_t seen(unsigned x, unsigned y)
{
    const void *pixels;
    unsigned width, height, stride;

    return computer.device->operations->scanout(computer.device, 0, &pixels, &width, &height,
                                                &stride)
               ? ((const uint32_t *)pixels)[y * stride / 4 + x]
               : UINT32_MAX;
}

/* ---- Tests ------------------------------------------------------------------------------- */

static void pictures_go_from_memory_to_the_screen_when_they_are_flushed(void **state)
{
    const struct virtio_gpu_rectangle all = {0, 0, 16, 8}, part = {4, 2, 3, 2};

    (void)state;
    make_picture(5, VIRTIO_GPU_BGRX);
    assert_int_equal(seen(0, 0), UINT32_MAX);
    assert_int_equal(SEND(VIRTIO_GPU_SET_SCANOUT, (struct virtio_gpu_set_scanout){all, 0, 5}),
                     VIRTIO_GPU_OK_NODATA);
    assert_int_equal(seen(0, 0), 0xFF000000);
    assert_int_equal(SEND(VIRTIO_GPU_TRANSFER_TO_HOST_2D,
                          (struct virtio_gpu_transfer){part, (2 * 16 + 4) * 4, 5, 0}),
                     VIRTIO_GPU_OK_NODATA);
    assert_int_equal(seen(4, 2), 0xFF000000);
    assert_int_equal(SEND(VIRTIO_GPU_RESOURCE_FLUSH, (struct virtio_gpu_flush){part, 5, 0}),
                     VIRTIO_GPU_OK_NODATA);
    assert_int_equal(seen(4, 2), 0xFF020300 + 2 * 16 + 4);
    assert_int_equal(seen(6, 3), 0xFF020300 + 3 * 16 + 6);
    assert_int_equal(seen(7, 3), 0xFF000000);
    assert_int_equal(SEND(VIRTIO_GPU_RESOURCE_UNREF, (struct virtio_gpu_resource){5, 0}),
                     VIRTIO_GPU_OK_NODATA);
    assert_int_equal(seen(4, 2), UINT32_MAX);
}

#define CREATE_3D(id)                                                                              \
    SEND(VIRTIO_GPU_RESOURCE_CREATE_3D,                                                            \
         (struct virtio_gpu_create_3d){id, 2, VIRTIO_GPU_BGRX, 0, 16, 8, 1, 1, 0, 0, 0, 0})

/* Two commands; the first is none that the model knows, and is passed over. */
static uint32_t copy_region(struct virgl_copy_region copy, uint32_t length)
{
    const struct {
        struct virtio_gpu_submit_3d submit;
        uint32_t other[3], word;
        struct virgl_copy_region copy;
    } commands = {{sizeof commands - sizeof commands.submit, 0},
                  {2 << 16 | 7, 0, 0},
                  length << 16 | VIRGL_RESOURCE_COPY_REGION,
                  copy};

    return send_bytes(VIRTIO_GPU_SUBMIT_3D, &commands, sizeof commands);
}

static void contexts_copy_between_resources_and_move_them_both_ways(void **state)
{
    const struct virtio_gpu_rectangle all = {0, 0, 16, 8};
    struct {
        struct virtio_gpu_attach attach;
        struct virtio_gpu_piece piece;
    } backing = {{6, 1}, {PICTURE + 0x4000, 512, 0}};
    uint32_t pixel;

    (void)state;
    assert_int_equal(SEND(VIRTIO_GPU_CTX_CREATE, (uint32_t[18]){0}), VIRTIO_GPU_OK_NODATA);
    make_picture(5, VIRTIO_GPU_BGRX);
    assert_int_equal(CREATE_3D(6), VIRTIO_GPU_OK_NODATA);
    assert_int_equal(CREATE_3D(6), VIRTIO_GPU_ERR_RESOURCE);
    assert_int_equal(send_bytes(VIRTIO_GPU_RESOURCE_ATTACH_BACKING, &backing, sizeof backing),
                     VIRTIO_GPU_OK_NODATA);
    assert_int_equal(SEND(VIRTIO_GPU_SET_SCANOUT, (struct virtio_gpu_set_scanout){all, 0, 6}),
                     VIRTIO_GPU_OK_NODATA);
    /* The offset is that of the box's first pixel. */
    assert_int_equal(
        SEND(VIRTIO_GPU_TRANSFER_TO_HOST_3D,
             (struct virtio_gpu_transfer_3d){4, 2, 0, 3, 2, 1, (2 * 16 + 4) * 4, 5, 0, 0, 0}),
        VIRTIO_GPU_OK_NODATA);
    assert_int_equal(copy_region((struct virgl_copy_region){6, 0, 1, 1, 0, 5, 0, 4, 2, 0, 3, 2, 1},
                                 13),
                     VIRTIO_GPU_OK_NODATA);
    assert_int_equal(SEND(VIRTIO_GPU_RESOURCE_FLUSH, (struct virtio_gpu_flush){all, 6, 0}),
                     VIRTIO_GPU_OK_NODATA);
    assert_int_equal(seen(1, 1), 0xFF020300 + 2 * 16 + 4);
    assert_int_equal(seen(3, 2), 0xFF020300 + 3 * 16 + 6);
    assert_int_equal(seen(4, 2), 0xFF000000);
    assert_int_equal(SEND(VIRTIO_GPU_TRANSFER_FROM_HOST_3D,
                          (struct virtio_gpu_transfer_3d){1, 1, 0, 3, 2, 1, 8, 6, 0, 100, 0}),
                     VIRTIO_GPU_OK_NODATA);
    dma_read(NULL, PICTURE + 0x4000 + 8 + 100 + 8, &pixel, 4);
    assert_int_equal(pixel, 0x01020300 + 3 * 16 + 6);
    /* Outside of a resource, without one, and a command that is cut off. */
    assert_int_equal(copy_region((struct virgl_copy_region){6, 0, 14, 1, 0, 5, 0, 4, 2, 0, 3, 2, 1},
                                 13),
                     VIRTIO_GPU_ERR_PARAMETER);
    assert_int_equal(copy_region((struct virgl_copy_region){9, 0, 1, 1, 0, 5, 0, 4, 2, 0, 3, 2, 1},
                                 13),
                     VIRTIO_GPU_ERR_RESOURCE);
    assert_int_equal(copy_region((struct virgl_copy_region){6, 0, 1, 1, 0, 5, 0, 4, 2, 0, 3, 2, 1},
                                 14),
                     VIRTIO_GPU_ERR_PARAMETER);
}

static void without_virgl_there_are_no_contexts(void **state)
{
    (void)state;
    assert_int_equal(SEND(VIRTIO_GPU_CTX_CREATE, (uint32_t[18]){0}), VIRTIO_GPU_ERR_UNSPECIFIED);
    assert_int_equal(CREATE_3D(6), VIRTIO_GPU_ERR_UNSPECIFIED);
}

static void a_format_says_where_the_colours_are(void **state)
{
    const struct virtio_gpu_rectangle all = {0, 0, 16, 8};
    static const struct {
        uint32_t format, pixel; /* of the memory's bytes 05 03 02 01 */
    } rows[] = {{VIRTIO_GPU_BGRA, 0x01020305}, {VIRTIO_GPU_XRGB, 0xFF030201},
                {VIRTIO_GPU_RGBX, 0xFF050302}, {VIRTIO_GPU_ABGR, 0x05010203},
                {VIRTIO_GPU_XBGR, 0xFF010203}, {VIRTIO_GPU_RGBA, 0x01050302},
                {VIRTIO_GPU_ARGB, 0x05030201}};

    (void)state;
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_picture(i + 1, rows[i].format);
        SEND(VIRTIO_GPU_TRANSFER_TO_HOST_2D, (struct virtio_gpu_transfer){all, 0, i + 1, 0});
        assert_int_equal(
            SEND(VIRTIO_GPU_SET_SCANOUT, (struct virtio_gpu_set_scanout){all, 0, i + 1}),
            VIRTIO_GPU_OK_NODATA);
        assert_int_equal(seen(5, 0), rows[i].pixel);
    }
}

static void what_cannot_be_is_answered_by_an_error(void **state)
{
    const struct virtio_gpu_rectangle all = {0, 0, 16, 8}, wide = {1, 0, 16, 8};
    const struct virtio_gpu_rectangle around = {0xFFFFFFFF, 0, 2, 1};

    (void)state;
    make_picture(5, VIRTIO_GPU_BGRX);
    assert_int_equal(SEND(VIRTIO_GPU_RESOURCE_CREATE_2D,
                          (struct virtio_gpu_create_2d){5, VIRTIO_GPU_BGRX, 1, 1}),
                     VIRTIO_GPU_ERR_RESOURCE);
    assert_int_equal(
        SEND(VIRTIO_GPU_RESOURCE_CREATE_2D, (struct virtio_gpu_create_2d){6, 99, 1, 1}),
        VIRTIO_GPU_ERR_PARAMETER);
    assert_int_equal(SEND(VIRTIO_GPU_RESOURCE_CREATE_2D,
                          (struct virtio_gpu_create_2d){6, VIRTIO_GPU_BGRX, 16384, 16384}),
                     VIRTIO_GPU_ERR_MEMORY);
    assert_int_equal(SEND(VIRTIO_GPU_SET_SCANOUT, (struct virtio_gpu_set_scanout){wide, 0, 5}),
                     VIRTIO_GPU_ERR_PARAMETER);
    assert_int_equal(SEND(VIRTIO_GPU_SET_SCANOUT, (struct virtio_gpu_set_scanout){all, 2, 5}),
                     VIRTIO_GPU_ERR_SCANOUT);
    assert_int_equal(SEND(VIRTIO_GPU_RESOURCE_FLUSH, (struct virtio_gpu_flush){around, 5, 0}),
                     VIRTIO_GPU_ERR_PARAMETER);
    assert_int_equal(
        SEND(VIRTIO_GPU_TRANSFER_TO_HOST_2D, (struct virtio_gpu_transfer){all, 1000, 5, 0}),
        VIRTIO_GPU_ERR_UNSPECIFIED);
    assert_int_equal(
        SEND(VIRTIO_GPU_TRANSFER_TO_HOST_2D, (struct virtio_gpu_transfer){all, UINT64_MAX, 5, 0}),
        VIRTIO_GPU_ERR_UNSPECIFIED);
    assert_int_equal(SEND(VIRTIO_GPU_RESOURCE_DETACH_BACKING, (struct virtio_gpu_resource){9, 0}),
                     VIRTIO_GPU_ERR_RESOURCE);
    assert_string_equal(computer.said, "virtio-gpu: command 0x0107 was answered by error 0x1203");
    assert_int_equal(SEND(0x999, (uint32_t){0}), VIRTIO_GPU_ERR_UNSPECIFIED);
}

static void the_device_says_what_monitors_there_are(void **state)
{
    const struct virtio_gpu_display_info *info = at(ANSWER + sizeof(struct virtio_gpu_header), 0);
    const struct virtio_gpu_edid *edid = (const void *)info;
    uint8_t sum = 0;

    (void)state;
    assert_int_equal(reads(CONFIG_AT + offsetof(struct virtio_gpu_config, num_scanouts), 4), 2);
    assert_true(computer.device->operations->set_monitor(computer.device, 1, false));
    assert_int_equal(SEND(VIRTIO_GPU_GET_DISPLAY_INFO, (uint32_t){0}), VIRTIO_GPU_OK_DISPLAY_INFO);
    assert_int_equal(info->scanouts[0].r.width, 640);
    assert_int_equal(info->scanouts[0].enabled, 1);
    assert_int_equal(info->scanouts[1].enabled, 0);
    assert_int_equal(SEND(VIRTIO_GPU_GET_EDID, (struct virtio_gpu_get_edid){0, 0}),
                     VIRTIO_GPU_OK_EDID);
    assert_int_equal(edid->size, 128);
    for (unsigned i = 0; i < 128; i++) {
        sum = (uint8_t)(sum + edid->bytes[i]);
    }
    assert_int_equal(sum, 0);
    assert_int_equal(SEND(VIRTIO_GPU_GET_EDID, (struct virtio_gpu_get_edid){1, 0}),
                     VIRTIO_GPU_OK_EDID);
    assert_int_equal(edid->size, 0);
}

static void a_monitor_that_leaves_is_told_by_line_and_by_message(void **state)
{
    const uint64_t events = CONFIG_AT + offsetof(struct virtio_gpu_config, events_read);

    (void)state;
    assert_true(computer.device->operations->set_monitor(computer.device, 0, false));
    assert_true(computer.line);
    assert_int_equal(reads(ISR_AT, 1), VIRTIO_ISR_CONFIG);
    assert_false(computer.line);
    assert_int_equal(reads(ISR_AT, 1), 0);
    assert_int_equal(reads(events, 4), VIRTIO_GPU_EVENT_DISPLAY);
    writes(CONFIG_AT + offsetof(struct virtio_gpu_config, events_clear), 4, 1);
    assert_int_equal(reads(events, 4), 0);

    computer.messages = true;
    computer.sent = 0;
    assert_true(computer.device->operations->set_monitor(computer.device, 0, true));
    assert_int_equal(computer.sent, 1u << 0);
    SEND(VIRTIO_GPU_GET_DISPLAY_INFO, (uint32_t){0});
    assert_int_equal(computer.sent, 1u << 0 | 1u << 1);
    assert_int_equal(reads(ISR_AT, 1), 0);
}

static void the_driver_says_when_it_wants_no_interrupt(void **state)
{
    uint16_t word = VIRTQ_NO_INTERRUPT;

    (void)state;
    dma_write(NULL, AVAILABLE, &word, 2);
    SEND(VIRTIO_GPU_GET_DISPLAY_INFO, (uint32_t){0});
    assert_false(computer.line);

    writes(COMMON(device_status), 1, 0);
    start(VIRTIO_F_VERSION_1 | VIRTIO_F_EVENT_INDEX);
    word = 1; /* the second one */
    dma_write(NULL, AVAILABLE + VIRTQ_USED_EVENT(QUEUE_SIZE), &word, 2);
    SEND(VIRTIO_GPU_GET_DISPLAY_INFO, (uint32_t){0});
    assert_false(computer.line);
    SEND(VIRTIO_GPU_GET_DISPLAY_INFO, (uint32_t){0});
    assert_true(computer.line);
    dma_read(NULL, USED + VIRTQ_AVAIL_EVENT(QUEUE_SIZE), &word, 2);
    assert_int_equal(word, 2);
}

static void the_cursor_lies_over_the_picture(void **state)
{
    const struct virtio_gpu_rectangle all = {0, 0, 16, 8};

    (void)state;
    make_picture(5, VIRTIO_GPU_BGRX);
    make_picture(6, VIRTIO_GPU_XRGB); /* without alpha it is opaque */
    SEND(VIRTIO_GPU_TRANSFER_TO_HOST_2D, (struct virtio_gpu_transfer){all, 0, 6, 0});
    SEND(VIRTIO_GPU_SET_SCANOUT, (struct virtio_gpu_set_scanout){all, 0, 5});
    assert_int_equal(SEND(VIRTIO_GPU_UPDATE_CURSOR,
                          (struct virtio_gpu_cursor){.x = 3, .y = 1, .resource_id = 6}),
                     VIRTIO_GPU_OK_NODATA);
    assert_int_equal(seen(3, 1), 0xFF030201);
    assert_int_equal(seen(2, 1), 0xFF000000);
    SEND(VIRTIO_GPU_MOVE_CURSOR, (struct virtio_gpu_cursor){.x = (uint32_t)-2, .y = 0});
    assert_int_equal(seen(0, 0), 0xFF030201 | 2 << 24);
    SEND(VIRTIO_GPU_UPDATE_CURSOR, (struct virtio_gpu_cursor){.resource_id = 0});
    assert_int_equal(seen(0, 0), 0xFF000000);
}

/* A spoilt ring: the device says that it needs a reset, and does nothing until then. */
static void broken(const char *why)
{
    assert_true(reads(COMMON(device_status), 1) & VIRTIO_STATUS_BROKEN);
    assert_non_null(strstr(computer.said, why));
    ring(0);
    assert_false(computer.has_tick);
    writes(COMMON(device_status), 1, 0);
    assert_int_equal(reads(COMMON(device_status), 1), 0);
    start(VIRTIO_F_VERSION_1 | VIRTIO_F_INDIRECT);
}

static void rings_that_cannot_be_need_a_reset(void **state)
{
    (void)state;
    put_descriptor(0, (struct virtq_descriptor){REQUEST, 24, VIRTQ_NEXT, 0});
    ring(0);
    broken("has no end");
    put_descriptor(0, (struct virtq_descriptor){REQUEST, 24, VIRTQ_NEXT, QUEUE_SIZE});
    ring(0);
    broken("beyond its table");
    ring(QUEUE_SIZE);
    broken("beyond its table");
    put_descriptor(0, (struct virtq_descriptor){TABLE, 16, VIRTQ_INDIRECT, 0});
    ring(0);
    broken("an indirect descriptor");
    put_descriptor(0, (struct virtq_descriptor){0x10, 16, VIRTQ_INDIRECT, 0});
    ring(0);
    broken("not in memory");
    put_descriptor(0, (struct virtq_descriptor){ANSWER, 24, VIRTQ_NEXT | VIRTQ_WRITE, 1});
    put_descriptor(1, (struct virtq_descriptor){REQUEST, 24, 0, 0});
    ring(0);
    broken("behind one to write");
    computer.available += QUEUE_SIZE;
    ring(0);
    broken("went further");
    assert_int_equal(SEND(VIRTIO_GPU_GET_DISPLAY_INFO, (uint32_t){0}), VIRTIO_GPU_OK_DISPLAY_INFO);
}

static void features_that_are_not_offered_are_refused(void **state)
{
    (void)state;
    writes(COMMON(device_status), 1, 0);
    agree(VIRTIO_F_VERSION_1 | 1);
    assert_false(reads(COMMON(device_status), 1) & VIRTIO_STATUS_AGREED);
    writes(COMMON(device_status), 1, 0);
    agree(VIRTIO_GPU_F_EDID);
    assert_false(reads(COMMON(device_status), 1) & VIRTIO_STATUS_AGREED);
}

static void features_that_are_not_offered_may_be_passed_over(void **state)
{
    const struct drydock_value values[] = {{false}, {2}, {640},   {480}, {64},
                                           {20},    {1}, {false}, {true}};

    (void)state;
    plug_in_with(values);
    agree(VIRTIO_F_VERSION_1 | UINT64_C(0x40));
    assert_true(reads(COMMON(device_status), 1) & VIRTIO_STATUS_AGREED);
    writes(COMMON(device_status), 1, 0);
    agree(UINT64_C(0x40));
    assert_false(reads(COMMON(device_status), 1) & VIRTIO_STATUS_AGREED);
}

static void a_reset_forgets_what_was_asked_for(void **state)
{
    uint16_t used = 0;

    (void)state;
    put_descriptor(0, (struct virtq_descriptor){REQUEST, 24, 0, 0});
    computer.available++;
    dma_write(NULL, AVAILABLE + VIRTQ_INDEX, &computer.available, 2);
    writes(DOORBELLS_AT, 2, 0);
    assert_true(computer.has_tick);
    writes(COMMON(device_status), 1, 0);
    start(VIRTIO_F_VERSION_1);
    computer.has_tick = false;
    computer.device->operations->tick(computer.device, computer.tick);
    dma_read(NULL, USED + VIRTQ_INDEX, &used, 2);
    assert_int_equal(used, 0);
}

static void firmware_lights_up_a_vga_device(void **state)
{
    struct device_firmware_picture picture = {.stride_bytes = 64};

    (void)state;
    plug_in(true);
    assert_int_equal(computer.description.subclass, 0);
    assert_true(computer.device->operations->light_up(computer.device, &picture));
    assert_int_equal(picture.stride_bytes, 1024 * 4 + 64);
    memset(computer.vga + picture.stride_bytes, 0x77, 4);
    assert_int_equal(seen(0, 1), 0x77777777);
    computer.device->operations->reset(computer.device);
    assert_int_equal(seen(0, 1), UINT32_MAX);
}

int main(void)
{
#define ON_2D(test) cmocka_unit_test_setup_teardown(test, plug_in_2d, unplug)
    const struct CMUnitTest tests[] = {
        ON_2D(pictures_go_from_memory_to_the_screen_when_they_are_flushed),
        cmocka_unit_test_setup_teardown(contexts_copy_between_resources_and_move_them_both_ways,
                                        plug_in_3d, unplug),
        ON_2D(without_virgl_there_are_no_contexts),
        ON_2D(a_format_says_where_the_colours_are),
        ON_2D(what_cannot_be_is_answered_by_an_error),
        ON_2D(the_device_says_what_monitors_there_are),
        ON_2D(a_monitor_that_leaves_is_told_by_line_and_by_message),
        ON_2D(the_driver_says_when_it_wants_no_interrupt),
        ON_2D(the_cursor_lies_over_the_picture),
        ON_2D(rings_that_cannot_be_need_a_reset),
        ON_2D(features_that_are_not_offered_are_refused),
        ON_2D(a_reset_forgets_what_was_asked_for),
        cmocka_unit_test_teardown(features_that_are_not_offered_may_be_passed_over, unplug),
        cmocka_unit_test_teardown(firmware_lights_up_a_vga_device, unplug),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
