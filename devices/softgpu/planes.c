/* planes.c: overlay planes of an output, latched together and composed for the monitor.
 *
 *   registers ──PLANES_COMMIT──> waiting ──vsync──> layers ──planes_compose──> monitor
 *                     └────────immediate───────────────┘
 *
 * Of scaled planes each pixel is a mean of the four nearest ones, of others the pixel itself. */
#include "internal.h"

#include "raster.h"

#include <stdlib.h>
#include <string.h>

#define PLANE_BYTES (SOFTGPU_PLANE_REG(0, 1, 0) - SOFTGPU_PLANE_REG(0, 0, 0))
#define ALL_PLANES  ((1u << SOFTGPU_PLANE_MAX) - 1)

/* ---- Registers ---- */

static uint32_t low(uint64_t value)
{
    return (uint32_t)value;
}

static uint64_t with_low(uint64_t pair, uint32_t value)
{
    return (pair & ~0xFFFFFFFFull) | value;
}

static uint64_t with_high(uint64_t pair, uint32_t value)
{
    return low(pair) | (uint64_t)value << 32;
}

uint32_t layer_read(const struct layer *layer, uint32_t reg)
{
    switch (reg) {
    case SOFTGPU_PLANE_SURFACE:
        return low(layer->surface.address);
    case SOFTGPU_PLANE_SURFACE + 4:
        return (uint32_t)(layer->surface.address >> 32);
    case SOFTGPU_PLANE_PITCH:
        return layer->surface.pitch;
    case SOFTGPU_PLANE_FORMAT:
        return layer->surface.format;
    case SOFTGPU_PLANE_SOURCE_POSITION:
        return layer->source_position;
    case SOFTGPU_PLANE_SOURCE_SIZE:
        return layer->source_size;
    case SOFTGPU_PLANE_TARGET_POSITION:
        return layer->target_position;
    case SOFTGPU_PLANE_TARGET_SIZE:
        return layer->target_size;
    case SOFTGPU_PLANE_CLIP_POSITION:
        return layer->clip_position;
    case SOFTGPU_PLANE_CLIP_SIZE:
        return layer->clip_size;
    case SOFTGPU_PLANE_CONTROL:
        return layer->control;
    case SOFTGPU_PLANE_RIGHT_OFFSET:
        return layer->right_offset;
    case SOFTGPU_PLANE_TAG:
        return low(layer->tag);
    case SOFTGPU_PLANE_TAG + 4:
        return (uint32_t)(layer->tag >> 32);
    default:
        return 0;
    }
}

uint32_t planes_read(const struct output *output, uint32_t reg)
{
    unsigned plane = reg / PLANE_BYTES;

    switch (reg % PLANE_BYTES) {
    case SOFTGPU_PLANE_CURRENT_TAG:
        return low(output->layers[plane].tag);
    case SOFTGPU_PLANE_CURRENT_TAG + 4:
        return (uint32_t)(output->layers[plane].tag >> 32);
    default:
        return layer_read(&output->staged[plane], reg % PLANE_BYTES);
    }
}

void layer_write(struct layer *layer, uint32_t reg, uint32_t value)
{
    switch (reg) {
    case SOFTGPU_PLANE_SURFACE:
        layer->surface.address = with_low(layer->surface.address, value);
        break;
    case SOFTGPU_PLANE_SURFACE + 4:
        layer->surface.address = with_high(layer->surface.address, value);
        break;
    case SOFTGPU_PLANE_PITCH:
        layer->surface.pitch = value;
        break;
    case SOFTGPU_PLANE_FORMAT:
        layer->surface.format = value;
        break;
    case SOFTGPU_PLANE_SOURCE_POSITION:
        layer->source_position = value;
        break;
    case SOFTGPU_PLANE_SOURCE_SIZE:
        layer->source_size = value;
        break;
    case SOFTGPU_PLANE_TARGET_POSITION:
        layer->target_position = value;
        break;
    case SOFTGPU_PLANE_TARGET_SIZE:
        layer->target_size = value;
        break;
    case SOFTGPU_PLANE_CLIP_POSITION:
        layer->clip_position = value;
        break;
    case SOFTGPU_PLANE_CLIP_SIZE:
        layer->clip_size = value;
        break;
    case SOFTGPU_PLANE_CONTROL:
        layer->control = value & (SOFTGPU_PLANE_TURN(4) - 1);
        break;
    case SOFTGPU_PLANE_RIGHT_OFFSET:
        layer->right_offset = value;
        break;
    case SOFTGPU_PLANE_TAG:
        layer->tag = with_low(layer->tag, value);
        break;
    case SOFTGPU_PLANE_TAG + 4:
        layer->tag = with_high(layer->tag, value);
        break;
    default:
        break;
    }
}

void planes_write(struct output *output, uint32_t reg, uint32_t value)
{
    layer_write(&output->staged[reg / PLANE_BYTES], reg % PLANE_BYTES, value);
}

/* ---- Latching ---- */

void planes_hide(struct output *output)
{
    output->layered = false;
    memset(output->layers, 0, sizeof(output->layers));
}

void planes_forget(struct output *output)
{
    output->waiting_mask = 0;
    flips_empty(output);
}

bool planes_latch(struct output *output)
{
    if (!output->waiting_mask)
        return false;
    for (unsigned i = 0; i < SOFTGPU_PLANE_MAX; i++)
        if (output->waiting_mask & 1u << i)
            output->layers[i] = output->waiting[i];
    output->waiting_mask = 0;
    output->layered = output->has_picture = true;
    return true;
}

void planes_commit(struct output *output, uint32_t value)
{
    uint32_t mask = value & ALL_PLANES, when = value >> 8;

    if (!mask || (when != SOFTGPU_FLIP_VSYNC && when != SOFTGPU_FLIP_IMMEDIATE))
        return;
    flips_empty(output);
    for (unsigned i = 0; i < SOFTGPU_PLANE_MAX; i++)
        if (mask & 1u << i)
            output->waiting[i] = output->staged[i];
    output->waiting_mask |= mask;
    if ((when == SOFTGPU_FLIP_VSYNC || output->gpu->latch) &&
        (output->control & SOFTGPU_OUTPUT_ENABLE)) {
        display_update(output);
        return;
    }
    planes_latch(output); /* with it whatever waited */
    if (output->control & SOFTGPU_OUTPUT_ENABLE)
        interrupt_raise(output->gpu, SOFTGPU_INTERRUPT_FLIP(output->index));
}

/* ---- Composing ---- */

struct area {
    int left, top, width, height;
};

static struct area area_of(uint32_t position, uint32_t size)
{
    return (struct area){.left = (int16_t)(position & 0xFFFF),
                         .top = (int16_t)(position >> 16),
                         .width = (int)(size & 0xFFFF),
                         .height = (int)(size >> 16)};
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static struct area common(struct area a, struct area b)
{
    struct area both = {.left = larger(a.left, b.left), .top = larger(a.top, b.top)};

    both.width = smaller(a.left + a.width, b.left + b.width) - both.left;
    both.height = smaller(a.top + a.height, b.top + b.height) - both.top;
    return both;
}

/* A picture of the source rectangle, as ARGB. */
struct image {
    uint32_t *pixels;
    int width, height;
};

/* But for what BGRX8 has in place of an alpha. */
static bool is_argb_itself(uint32_t format)
{
    return format == SOFTGPU_FORMAT_BGRA8 || format == SOFTGPU_FORMAT_BGRX8;
}

/* What every processor has a register for. */
typedef uint32_t quad __attribute__((vector_size(16), aligned(4), may_alias));
#define QUAD ((int)(sizeof(quad) / sizeof(uint32_t)))

static void make_opaque(uint32_t *pixels, int count)
{
    int i = 0;

    for (; i + QUAD <= count; i += QUAD)
        *(quad *)(void *)(pixels + i) |= 0xFF000000u;
    for (; i < count; i++)
        pixels[i] |= 0xFF000000u;
}

static bool read_image_row(const struct output *output, const struct layer *layer,
                           const struct area *source, int y, uint32_t *to)
{
    struct access access = {.gpu = output->gpu};
    uint32_t pixel_size = surface_pixel_size(layer->surface.format);
    uint64_t address = layer->surface.address + (uint64_t)(source->top + y) * layer->surface.pitch +
                       (uint64_t)source->left * pixel_size;
    uint8_t row[SOFTGPU_OUTPUT_WIDTH_MAX * 4];

    address += output->right_scanned ? layer->right_offset : 0;
    if (is_argb_itself(layer->surface.format)) {
        bool read = address_read(&access, address, to, (uint64_t)source->width * 4);
        if (read && layer->surface.format == SOFTGPU_FORMAT_BGRX8)
            make_opaque(to, source->width);
        return read;
    }
    if (!pixel_size || !address_read(&access, address, row, (uint64_t)source->width * pixel_size))
        return false;
    for (int x = 0; x < source->width; x++)
        to[x] = layer->surface.format == SOFTGPU_FORMAT_P8
                    ? 0xFF000000u | output->palette[row[x]]
                    : raster_unpack(layer->surface.format, row + (size_t)x * pixel_size);
    return true;
}

static bool read_image(const struct output *output, const struct layer *layer, struct image *image)
{
    struct area source = area_of(layer->source_position, layer->source_size);

    if (source.left < 0 || source.top < 0 || source.width <= 0 || source.height <= 0 ||
        source.width > (int)SOFTGPU_OUTPUT_WIDTH_MAX ||
        source.height > (int)SOFTGPU_OUTPUT_HEIGHT_MAX)
        return false;
    *image = (struct image){.width = source.width, .height = source.height};
    image->pixels = malloc((size_t)source.width * (size_t)source.height * 4);
    if (!image->pixels)
        return false;
    for (int y = 0; y < source.height; y++)
        if (!read_image_row(output, layer, &source, y,
                            image->pixels + (size_t)y * (size_t)source.width)) {
            free(image->pixels);
            return false;
        }
    return true;
}

/* The pixel of the image that is mirrored and turned; (x, y) is in that picture. */
static uint32_t pixel_at(const struct image *image, uint32_t control, int x, int y)
{
    unsigned turn = control >> 4 & 3;
    int width = turn & 1 ? image->height : image->width; /* of the turned picture */
    int height = turn & 1 ? image->width : image->height;
    int u, v;

    x = larger(0, smaller(x, width - 1));
    y = larger(0, smaller(y, height - 1));
    u = turn == 0 ? x : turn == 1 ? y : turn == 2 ? width - 1 - x : height - 1 - y;
    v = turn == 0 ? y : turn == 1 ? width - 1 - x : turn == 2 ? height - 1 - y : x;
    u = control & SOFTGPU_PLANE_MIRROR_X ? image->width - 1 - u : u;
    v = control & SOFTGPU_PLANE_MIRROR_Y ? image->height - 1 - v : v;
    return image->pixels[(size_t)v * (size_t)image->width + (size_t)u];
}

static unsigned channel(uint32_t pixel, unsigned shift)
{
    return pixel >> shift & 0xFF;
}

/* Of the four pixels around a place in 256ths of a pixel. */
static uint32_t mean_at(const struct image *image, uint32_t control, int64_t x256, int64_t y256)
{
    int x = (int)(x256 >> 8), y = (int)(y256 >> 8);
    unsigned right = (unsigned)(x256 & 0xFF), below = (unsigned)(y256 & 0xFF);
    uint32_t four[4] = {pixel_at(image, control, x, y), pixel_at(image, control, x + 1, y),
                        pixel_at(image, control, x, y + 1), pixel_at(image, control, x + 1, y + 1)};
    uint32_t mean = 0;

    for (unsigned shift = 0; shift < 32; shift += 8) {
        unsigned above = channel(four[0], shift) * (256 - right) + channel(four[1], shift) * right;
        unsigned under = channel(four[2], shift) * (256 - right) + channel(four[3], shift) * right;
        mean |= ((above * (256 - below) + under * below + 0x8000) >> 16) << shift;
    }
    return mean;
}

/* The middle of target pixel n, in 256ths of a source pixel, from the middle of the first. */
static int64_t place_of(int n, int source, int target)
{
    return ((2 * (int64_t)n + 1) * source * 256 / target - 256) / 2;
}

static uint32_t over(uint32_t pixel, uint32_t beneath)
{
    unsigned through = 255 - (pixel >> 24);
    uint32_t both = 0;

    if (through == 0)
        return pixel;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        unsigned sum = channel(pixel, shift) + (channel(beneath, shift) * through + 127) / 255;
        both |= (sum > 255 ? 255 : sum) << shift;
    }
    return both;
}

/* What makes another picture of an image than its rows. */
#define WAYS_OF_IMAGES (SOFTGPU_PLANE_MIRROR_X | SOFTGPU_PLANE_MIRROR_Y | SOFTGPU_PLANE_TURN(3))

static void copy_row(const struct image *image, int x, int y, uint32_t *to, int count)
{
    const uint32_t *from = image->pixels + (size_t)y * (size_t)image->width + (size_t)x;

    raster_copy_or(
        &(struct raster_block){(uint8_t *)to, 0, (const uint8_t *)from, 0, (uint32_t)count, 1},
        0xFF000000u);
}

static void compose(struct output *output, const struct layer *layer, const struct image *image)
{
    struct area target = area_of(layer->target_position, layer->target_size);
    struct area screen = {0, 0, (int)scaler_width(output), (int)scaler_height(output)};
    struct area part =
        common(common(target, screen), area_of(layer->clip_position, layer->clip_size));
    bool turned = layer->control >> 4 & 1;
    int width = turned ? image->height : image->width;
    int height = turned ? image->width : image->height;
    bool scaled = width != target.width || height != target.height;
    bool keyed = layer->control & SOFTGPU_OVERLAY_KEY;
    bool as_it_is = !scaled && !keyed && !(layer->control & (WAYS_OF_IMAGES | SOFTGPU_PLANE_BLEND));

    for (int y = part.top; y < part.top + part.height; y++) {
        uint32_t *row = output->frame + (size_t)y * scaler_width(output);
        int from_top = y - target.top;
        if (as_it_is) {
            copy_row(image, part.left - target.left, from_top, row + part.left, part.width);
            continue;
        }
        int64_t from_top256 = scaled ? place_of(from_top, height, target.height) : 0;
        for (int x = part.left; x < part.left + part.width; x++) {
            int from_left = x - target.left;
            if (keyed && (row[x] & 0xFFFFFF) != layer->key)
                continue;
            uint32_t pixel = scaled ? mean_at(image, layer->control,
                                              place_of(from_left, width, target.width), from_top256)
                                    : pixel_at(image, layer->control, from_left, from_top);
            row[x] = layer->control & SOFTGPU_PLANE_BLEND ? over(pixel, row[x]) : pixel;
            row[x] |= 0xFF000000u;
        }
    }
}

bool layer_compose(struct output *output, const struct layer *layer)
{
    struct image image;

    if (!(layer->control & SOFTGPU_PLANE_ENABLE))
        return true;
    if (!read_image(output, layer, &image))
        return false;
    compose(output, layer, &image);
    free(image.pixels);
    return true;
}

bool planes_compose(struct output *output)
{
    bool all = true;

    for (unsigned i = SOFTGPU_PLANE_MAX; i-- > 0;) /* the last is at the bottom */
        all &= layer_compose(output, &output->layers[i]);
    return all;
}
