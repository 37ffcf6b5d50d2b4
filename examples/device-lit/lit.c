/* A frame buffer that firmware lit, and blocks of registers that do nothing but remember: enough
 * for drivers that draw there and ask little of their hardware. README.md says how it is built. */
#include <drydock/device.h>
#include <stdlib.h>

#define PICTURE_BAR 0u
#define BLOCKS_MAX  (DEVICE_BAR_COUNT - 1u)

struct lit {
    struct device device; /* first: the computer's pointer is ours */
    struct device_bus *bus;
    uint64_t bytes;
    struct device_firmware_picture picture; /* width 0: not lit */
    unsigned width, height;
};

static bool light_up(struct device *device, struct device_firmware_picture *picture)
{
    struct lit *lit = (struct lit *)device;
    unsigned stride = lit->width * 4 + picture->stride_bytes;

    if ((uint64_t)stride * lit->height > lit->bytes) {
        stride = lit->width * 4; /* the gap leaves no room */
    }
    lit->picture = (struct device_firmware_picture){
        .bar = PICTURE_BAR, .width = lit->width, .height = lit->height, .stride_bytes = stride};
    *picture = lit->picture;
    return true;
}

static bool scanout(struct device *device, unsigned output, const void **pixels, unsigned *width,
                    unsigned *height, unsigned *stride_bytes)
{
    struct lit *lit = (struct lit *)device;

    *pixels = lit->bus->operations->bar_memory(lit->bus, PICTURE_BAR);
    *width = lit->picture.width;
    *height = lit->picture.height;
    *stride_bytes = lit->picture.stride_bytes;
    return output == 0 && lit->picture.width > 0;
}

/* Without power the output is dark until firmware comes again. */
static void reset(struct device *device)
{
    ((struct lit *)device)->picture = (struct device_firmware_picture){0};
}

static void destroy(struct device *device)
{
    free(device);
}

static const struct device_operations operations = {
    sizeof operations, .reset = reset, .destroy = destroy, .scanout = scanout, .light_up = light_up,
};

enum { OPTION_MEMORY, OPTION_WIDTH, OPTION_HEIGHT, OPTION_BLOCKS, OPTION_BLOCK };

static const struct drydock_option options[] = {
    [OPTION_MEMORY] = {"memory_mb", "video memory, a power of two", 16, 4, 256},
    [OPTION_WIDTH] = {"width", "of the picture that firmware leaves", 1024, 640, 2560},
    [OPTION_HEIGHT] = {"height", "of the same", 768, 480, 1600},
    [OPTION_BLOCKS] = {"blocks", "how many blocks of registers there are, each a BAR", 0, 0,
                       BLOCKS_MAX},
    [OPTION_BLOCK] = {"block_mb", "what each block has, a power of two", 1, 1, 16},
    {0},
};

static struct device *create(struct device_bus *bus, const struct drydock_value *values)
{
    struct lit *lit = calloc(1, sizeof *lit);
    struct device_description description = {
        .size_bytes = sizeof description,
        .vendor_id = 0x1234,
        .device_id = 0x4C49,
        .class_code = 0x03,
        .bars = {[PICTURE_BAR] = {.kind = DEVICE_BAR_MEMORY,
                                  .size = values[OPTION_MEMORY].number << 20,
                                  .prefetchable = true}},
    };

    if (!lit) {
        return NULL;
    }
    for (uint64_t i = 0; i < values[OPTION_BLOCKS].number; i++) {
        description.bars[1 + i] = (struct device_bar){.kind = DEVICE_BAR_MEMORY,
                                                      .size = values[OPTION_BLOCK].number << 20};
    }
    lit->device.operations = &operations;
    lit->bus = bus;
    lit->bytes = description.bars[PICTURE_BAR].size;
    lit->width = (unsigned)values[OPTION_WIDTH].number;
    lit->height = (unsigned)values[OPTION_HEIGHT].number;
    if ((uint64_t)lit->width * lit->height * 4 > lit->bytes) {
        bus->operations->give_up(bus, "firmware's picture does not fit into memory_mb");
    } else if (bus->operations->describe(bus, &description)) {
        return &lit->device;
    }
    free(lit);
    return NULL;
}

DRYDOCK_DEVICE_EXPORT const struct device_model drydock_device = {
    DRYDOCK_DEVICE_ABI,
    sizeof(struct device_model),
    "lit",
    "a frame buffer that firmware lit, and registers that remember",
    options,
    create,
};
