/* What monitors show: the part of a resource that a scan-out names, as it was when it was last
 * flushed, with the cursor in it; before a driver set a scan-out, what firmware shows of BAR 0. */
#include <stdlib.h>
#include <string.h>

#include "virtio_gpu.h"

#define PIXELS(r) ((size_t)(r).width * (r).height)

/* Where in a pixel the bytes are; NO_ALPHA: it has none. */
#define NO_ALPHA 4
static const struct order {
    uint32_t format;
    uint8_t blue, green, red, alpha;
} orders[] = {
    {VIRTIO_GPU_BGRA, 0, 1, 2, 3}, {VIRTIO_GPU_BGRX, 0, 1, 2, NO_ALPHA},
    {VIRTIO_GPU_ARGB, 3, 2, 1, 0}, {VIRTIO_GPU_XRGB, 3, 2, 1, NO_ALPHA},
    {VIRTIO_GPU_RGBA, 2, 1, 0, 3}, {VIRTIO_GPU_XBGR, 1, 2, 3, NO_ALPHA},
    {VIRTIO_GPU_ABGR, 1, 2, 3, 0}, {VIRTIO_GPU_RGBX, 2, 1, 0, NO_ALPHA},
};

static const struct order *order_of(uint32_t format)
{
    const struct order *order = orders;

    while (order->format != format) {
        order++; /* a resource has one of these */
    }
    return order;
}

static uint32_t byte_of(uint32_t pixel, unsigned index)
{
    return index == NO_ALPHA ? 0xFF : pixel >> 8 * index & 0xFF;
}

/* A pixel as the bytes B, G, R, A. */
static uint32_t to_bgra(const struct order *order, uint32_t pixel)
{
    return byte_of(pixel, order->blue) | byte_of(pixel, order->green) << 8 |
           byte_of(pixel, order->red) << 16 | byte_of(pixel, order->alpha) << 24;
}

/* ---- Scan-outs --------------------------------------------------------------------------- */

static void screen_off(struct gpu_output *output)
{
    free(output->screen);
    free(output->frame);
    output->screen = output->frame = NULL;
    output->resource_id = 0;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The part of the output's picture that lies in the resource's rectangle. */
static void show(struct gpu_output *output, const struct gpu_resource *resource,
                 const struct virtio_gpu_rectangle *r)
{
    const struct virtio_gpu_rectangle *source = &output->source;
    const struct order *order = order_of(resource->format);
    uint32_t left = larger(r->x, source->x), top = larger(r->y, source->y);
    uint32_t right = smaller(r->x + r->width, source->x + source->width);
    uint32_t bottom = smaller(r->y + r->height, source->y + source->height);

    for (uint32_t y = top; y < bottom; y++) {
        const uint32_t *from = resource->pixels + (size_t)y * resource->width;
        uint32_t *to = output->screen + (size_t)(y - source->y) * source->width;
        for (uint32_t x = left; x < right; x++) {
            to[x - source->x] = to_bgra(order, from[x]);
        }
    }
}

uint32_t screen_set(struct gpu *gpu, const struct virtio_gpu_set_scanout *set)
{
    const struct gpu_resource *resource = resource_find(gpu, set->resource_id);
    struct gpu_output *output;

    if (set->scanout_id >= gpu->output_count) {
        return VIRTIO_GPU_ERR_SCANOUT;
    }
    output = &gpu->outputs[set->scanout_id];
    if (set->resource_id == 0) {
        gpu->taken = true;
        screen_off(output);
        return VIRTIO_GPU_OK_NODATA;
    }
    if (!resource) {
        return VIRTIO_GPU_ERR_RESOURCE;
    }
    if (set->r.width == 0 || set->r.height == 0 ||
        !gpu_is_inside(&set->r, resource->width, resource->height)) {
        return VIRTIO_GPU_ERR_PARAMETER;
    }
    screen_off(output);
    output->screen = calloc(PIXELS(set->r), 4);
    output->frame = calloc(PIXELS(set->r), 4);
    if (!output->screen || !output->frame) {
        screen_off(output);
        return VIRTIO_GPU_ERR_MEMORY;
    }
    gpu->taken = true;
    output->resource_id = resource->id;
    output->source = set->r;
    show(output, resource, &set->r);
    return VIRTIO_GPU_OK_NODATA;
}

void screen_flush(struct gpu *gpu, const struct gpu_resource *resource,
                  const struct virtio_gpu_rectangle *r)
{
    for (unsigned i = 0; i < gpu->output_count; i++) {
        if (gpu->outputs[i].resource_id == resource->id) {
            show(&gpu->outputs[i], resource, r);
        }
    }
}

void screen_forget(struct gpu *gpu, uint32_t resource_id)
{
    for (unsigned i = 0; i < gpu->output_count; i++) {
        if (gpu->outputs[i].resource_id == resource_id) {
            screen_off(&gpu->outputs[i]);
        }
    }
}

/* ---- The cursor -------------------------------------------------------------------------- */

/* Its picture is that of the resource now: 64 by 64 pixels; a smaller one has the first of them. */
void screen_cursor(struct gpu *gpu, const struct virtio_gpu_cursor *cursor, bool update)
{
    struct gpu_output *output = &gpu->outputs[cursor->scanout_id];
    const struct gpu_resource *resource = resource_find(gpu, cursor->resource_id);

    output->cursor_x = cursor->x;
    output->cursor_y = cursor->y;
    if (!update) {
        return;
    }
    output->has_cursor = resource != NULL;
    memset(output->cursor, 0, sizeof output->cursor);
    for (uint32_t y = 0; resource && y < smaller(resource->height, VIRTIO_GPU_CURSOR_SIZE); y++) {
        for (uint32_t x = 0; x < smaller(resource->width, VIRTIO_GPU_CURSOR_SIZE); x++) {
            output->cursor[y * VIRTIO_GPU_CURSOR_SIZE + x] = to_bgra(
                order_of(resource->format), resource->pixels[(size_t)y * resource->width + x]);
        }
    }
}

/* A channel of the cursor over the screen's. */
static uint32_t over(uint32_t above, uint32_t below, unsigned shift)
{
    uint32_t alpha = above >> 24, a = above >> shift & 0xFF, b = below >> shift & 0xFF;

    return (a * alpha + b * (255 - alpha) + 127) / 255 << shift;
}

/* The position is where its upper left pixel is: the specification does not say whether it is that
 * or the hot spot, and drivers send either. What lies left of the screen or above it has a position
 * that is negative as a signed number. */
static void draw_cursor(struct gpu_output *output)
{
    int64_t left = (int32_t)output->cursor_x, top = (int32_t)output->cursor_y;

    for (int64_t i = 0; i < VIRTIO_GPU_CURSOR_SIZE * VIRTIO_GPU_CURSOR_SIZE; i++) {
        int64_t x = left + i % VIRTIO_GPU_CURSOR_SIZE, y = top + i / VIRTIO_GPU_CURSOR_SIZE;
        if (x >= 0 && x < output->source.width && y >= 0 && y < output->source.height) {
            uint32_t *pixel = &output->frame[y * output->source.width + x];
            uint32_t above = output->cursor[i];
            *pixel = over(above, *pixel, 0) | over(above, *pixel, 8) | over(above, *pixel, 16) |
                     0xFF000000u;
        }
    }
}

/* ---- For those who look ------------------------------------------------------------------ */

bool screen_scanout(struct device *device, unsigned index, const void **pixels, unsigned *width,
                    unsigned *height, unsigned *stride_bytes)
{
    struct gpu *gpu = (struct gpu *)device;
    struct gpu_output *output = &gpu->outputs[index];

    if (index >= gpu->output_count || !output->connected) {
        return false;
    }
    if (output->screen) {
        memcpy(output->frame, output->screen, PIXELS(output->source) * 4);
        if (output->has_cursor) {
            draw_cursor(output);
        }
        *pixels = output->frame;
        *width = output->source.width;
        *height = output->source.height;
        *stride_bytes = output->source.width * 4;
        return true;
    }
    if (index == 0 && gpu->lit && !gpu->taken) {
        *pixels = gpu->bus->operations->bar_memory(gpu->bus, 0);
        *width = gpu->lit_width;
        *height = gpu->lit_height;
        *stride_bytes = gpu->lit_stride;
        return true;
    }
    return false;
}

bool screen_light_up(struct device *device, struct device_firmware_picture *picture)
{
    struct gpu *gpu = (struct gpu *)device;

    if (!gpu->vga || !gpu->outputs[0].connected) {
        return false;
    }
    picture->bar = 0;
    picture->offset = 0;
    picture->width = gpu->lit_width = 1024;
    picture->height = gpu->lit_height = 768;
    gpu->lit_stride = picture->stride_bytes += 1024 * 4;
    gpu->lit = true;
    return true;
}

/* ---- Monitors ---------------------------------------------------------------------------- */

static void put_name(uint8_t *to, const char *name)
{
    size_t length = strlen(name);

    to[3] = 0xFC;
    memset(to + 5, ' ', 13);
    memcpy(to + 5, name, length);
    to[5 + length] = '\n';
}

/* EDID 1.4: one block with the preferred mode, reduced blanking at 60 Hz, and 640 x 480, 800 x 600
 * and 1024 x 768. */
void screen_edid(const struct gpu *gpu, unsigned index, uint8_t edid[128])
{
    static const uint8_t head[] = {0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0x12, 0x59};
    static const uint8_t colours[] = {0xEE, 0x91, 0xA3, 0x54, 0x4C, 0x99, 0x26, 0x0F, 0x50, 0x54};
    const unsigned blank = 160, vertical_blank = 40, width = gpu->width, height = gpu->height;
    const unsigned clock = (width + blank) * (height + vertical_blank) * 60u / 10000u;
    const unsigned width_mm = width / 4 % 4096, height_mm = height / 4 % 4096;
    uint8_t *timing = edid + 54, sum = 0;

    memset(edid, 0, 128);
    memcpy(edid, head, sizeof head);
    edid[10] = 1;
    edid[12] = (uint8_t)(index + 1);
    edid[13] = (uint8_t)gpu->outputs[index].monitor;
    edid[16] = 1;
    edid[17] = 2024 - 1990;
    edid[18] = 1;
    edid[19] = 4;
    edid[20] = 0xA0; /* digital, 8 bits a colour */
    edid[21] = (uint8_t)(width_mm / 10);
    edid[22] = (uint8_t)(height_mm / 10);
    edid[23] = 120;  /* gamma 2.2 */
    edid[24] = 0x06; /* sRGB; the first timing is the preferred one */
    memcpy(edid + 25, colours, sizeof colours);
    edid[35] = 0x21;
    edid[36] = 0x08;
    memset(edid + 38, 0x01, 16);
    timing[0] = (uint8_t)clock;
    timing[1] = (uint8_t)(clock >> 8);
    timing[2] = (uint8_t)width;
    timing[3] = (uint8_t)blank;
    timing[4] = (uint8_t)(width >> 8 << 4 | blank >> 8);
    timing[5] = (uint8_t)height;
    timing[6] = (uint8_t)vertical_blank;
    timing[7] = (uint8_t)(height >> 8 << 4 | vertical_blank >> 8);
    timing[8] = 48;
    timing[9] = 32;
    timing[10] = 3 << 4 | 5;
    timing[12] = (uint8_t)width_mm;
    timing[13] = (uint8_t)height_mm;
    timing[14] = (uint8_t)(width_mm >> 8 << 4 | height_mm >> 8);
    timing[17] = 0x1A; /* digital separate sync, horizontal positive */
    put_name(edid + 72, "Drydock virt");
    edid[90 + 3] = 0x10; /* a block of no use */
    edid[108 + 3] = 0x10;
    for (unsigned i = 0; i < 127; i++) {
        sum = (uint8_t)(sum + edid[i]);
    }
    edid[127] = (uint8_t)-sum;
}

static void tell_driver(struct gpu *gpu)
{
    gpu->events |= VIRTIO_GPU_EVENT_DISPLAY;
    gpu->generation++;
    if (gpu->status & VIRTIO_STATUS_READY) {
        gpu_interrupt(gpu, gpu->config_vector, VIRTIO_ISR_CONFIG);
    }
}

bool screen_set_monitor(struct device *device, unsigned index, bool connected)
{
    struct gpu *gpu = (struct gpu *)device;

    if (index >= gpu->output_count) {
        return false;
    }
    if (gpu->outputs[index].connected != connected) {
        gpu->outputs[index].connected = connected;
        tell_driver(gpu);
    }
    return true;
}

bool screen_exchange_monitor(struct device *device, unsigned index)
{
    struct gpu *gpu = (struct gpu *)device;

    if (index >= gpu->output_count || !gpu->has_edid) {
        return false;
    }
    gpu->outputs[index].monitor++;
    return true;
}

void screens_reset(struct gpu *gpu)
{
    for (unsigned i = 0; i < gpu->output_count; i++) {
        screen_off(&gpu->outputs[i]);
        gpu->outputs[i].has_cursor = false;
    }
    gpu->taken = false;
}
