/* The display of Bochs, and of QEMU as `-vga std` or bochs-display: video memory in BAR 0, and in
 * BAR 2 the registers that set a mode. README.md says how it is built, and what it leaves out. */
#include <drydock/device.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_BAR   0u
#define REGISTER_BAR 2u

/* BAR 2: EDID, the registers of VGA's ports, those of the display, 16 bits each, and QEMU's. */
#define EDID_BYTES      128u
#define AT_DISPLAY      0x500u
#define AT_QEMU         0x600u
#define QEMU_BYTES      8u
#define QEMU_ENDIAN     4u
#define LITTLE_ENDIAN32 0x1E1E1E1Eu

enum display_register {
    REG_ID,
    REG_WIDTH,
    REG_HEIGHT,
    REG_DEPTH,
    REG_ENABLE,
    REG_BANK,
    REG_VIRTUAL_WIDTH,
    REG_VIRTUAL_HEIGHT,
    REG_X,
    REG_Y,
    REG_MEMORY_64K,
    REG_COUNT,
};

#define VERSION_5 0xB0C5u /* the first with REG_MEMORY_64K */

#define ENABLED    0x01u
#define GET_CAPS   0x02u /* the registers of the mode read as what is the most */
#define LINEAR     0x40u
#define NO_CLEAR   0x80u
#define WIDTH_MAX  16000u
#define HEIGHT_MAX 12000u
#define DEPTH_MAX  32u

struct bochs {
    struct device device; /* first: the computer's pointer is ours */
    struct device_bus *bus;
    uint8_t *memory;
    uint64_t memory_bytes;
    uint16_t registers[REG_COUNT];
    uint8_t edid[EDID_BYTES];
    unsigned width, height; /* of what firmware shows, and the monitor's own */
};

/* ---- The monitor ----------------------------------------------------------------------------- */

/* A detailed timing of 60 pictures a second: 160 and 45 of blanking, much like reduced blanking. */
static void put_timing(uint8_t *timing, unsigned width, unsigned height)
{
    unsigned clock = (width + 160) * (height + 45) * 60 / 10000;
    unsigned width_mm = width * 254 / 960, height_mm = height * 254 / 960;

    timing[0] = (uint8_t)clock;
    timing[1] = (uint8_t)(clock >> 8);
    timing[2] = (uint8_t)width;
    timing[3] = 160;
    timing[4] = (uint8_t)(width >> 8 << 4);
    timing[5] = (uint8_t)height;
    timing[6] = 45;
    timing[7] = (uint8_t)(height >> 8 << 4);
    timing[8] = 48;
    timing[9] = 32;
    timing[10] = 3 << 4 | 5;
    timing[12] = (uint8_t)width_mm;
    timing[13] = (uint8_t)height_mm;
    timing[14] = (uint8_t)(width_mm >> 8 << 4 | height_mm >> 8);
    timing[17] = 0x1E; /* digital, both syncs positive */
}

static void make_edid(struct bochs *bochs)
{
    static const uint8_t head[] = {0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x12, 0x4F, 1};
    static const uint8_t colours[] = {0xEE, 0x91, 0xA3, 0x54, 0x4C, 0x99, 0x26, 0x0F, 0x50, 0x54};
    static const uint8_t name[] = {0, 0, 0, 0xFC, 0, 'D', 'r', 'y', 'd', 'o', 'c', 'k', '\n'};
    uint8_t *edid = bochs->edid, sum = 0;

    memset(edid, 0, EDID_BYTES);
    memcpy(edid, head, sizeof head);
    edid[16] = 1;
    edid[17] = 2024 - 1990;
    edid[18] = 1;
    edid[19] = 4;
    edid[20] = 0xA0; /* digital, 8 bits a colour */
    edid[21] = (uint8_t)(bochs->width * 254 / 9600);
    edid[22] = (uint8_t)(bochs->height * 254 / 9600);
    edid[23] = 120;  /* gamma 2.2 */
    edid[24] = 0x06; /* sRGB; the first timing is the preferred one */
    memcpy(edid + 25, colours, sizeof colours);
    memset(edid + 38, 0x01, 16);
    put_timing(edid + 54, bochs->width, bochs->height);
    memcpy(edid + 72, name, sizeof name);
    memset(edid + 72 + sizeof name, ' ', 18 - sizeof name);
    edid[90 + 3] = 0x10; /* blocks of no use */
    edid[108 + 3] = 0x10;
    for (unsigned i = 0; i < EDID_BYTES - 1; i++) {
        sum = (uint8_t)(sum + edid[i]);
    }
    edid[EDID_BYTES - 1] = (uint8_t)-sum;
}

static bool set_monitor(struct device *device, unsigned output, bool connected)
{
    (void)device;
    (void)output;
    (void)connected;
    return false; /* it is a part of the machine, and no interrupt would tell of it */
}

static size_t monitor_says(struct device *device, unsigned output, uint8_t *bytes, size_t size)
{
    const struct bochs *bochs = (struct bochs *)device;

    if (output != 0) {
        return 0;
    }
    memcpy(bytes, bochs->edid, size < EDID_BYTES ? size : EDID_BYTES);
    return EDID_BYTES;
}

/* ---- Registers of the display ---------------------------------------------------------------- */

/* Rows lie as far apart as the virtual width says, which is not less than the width. */
static uint32_t stride_of(const struct bochs *bochs)
{
    return bochs->registers[REG_VIRTUAL_WIDTH] * 4u;
}

static bool fits(const struct bochs *bochs)
{
    const uint16_t *registers = bochs->registers;
    uint64_t rows = (uint64_t)registers[REG_Y] + registers[REG_HEIGHT];

    return registers[REG_WIDTH] > 0 && registers[REG_HEIGHT] > 0 && registers[REG_DEPTH] == 32 &&
           registers[REG_X] + registers[REG_WIDTH] <= registers[REG_VIRTUAL_WIDTH] &&
           rows * stride_of(bochs) <= bochs->memory_bytes;
}

static bool is_showing(const struct bochs *bochs)
{
    return bochs->registers[REG_ENABLE] & ENABLED && fits(bochs);
}

/* What a width or height leaves of the memory decides how many rows the virtual picture has. */
static void enable(struct bochs *bochs, uint16_t value)
{
    uint16_t *registers = bochs->registers;
    bool was_on = registers[REG_ENABLE] & ENABLED;

    registers[REG_ENABLE] = value;
    if (!(value & ENABLED) || was_on) {
        return;
    }
    registers[REG_X] = registers[REG_Y] = 0;
    registers[REG_VIRTUAL_WIDTH] = registers[REG_WIDTH];
    if (!fits(bochs)) {
        bochs->bus->operations->log(bochs->bus, "bochs: the mode is none of 32 bits that fits");
        return;
    }
    if (!(value & NO_CLEAR)) {
        memset(bochs->memory, 0, (size_t)stride_of(bochs) * registers[REG_HEIGHT]);
    }
}

static void display_write(struct bochs *bochs, unsigned index, uint16_t value)
{
    uint16_t *registers = bochs->registers;
    bool on = registers[REG_ENABLE] & ENABLED;

    switch (index) {
    case REG_ID:
    case REG_VIRTUAL_HEIGHT:
    case REG_MEMORY_64K:
        break;
    case REG_ENABLE:
        enable(bochs, value);
        break;
    case REG_WIDTH:
    case REG_HEIGHT:
    case REG_DEPTH:
        if (!on) { /* the mode of a display that is on stays */
            registers[index] = value;
        }
        break;
    case REG_VIRTUAL_WIDTH:
        if (value >= registers[REG_WIDTH]) {
            registers[index] = value;
        }
        break;
    default:
        registers[index] = value;
    }
}

static uint16_t display_read(const struct bochs *bochs, unsigned index)
{
    const uint16_t *registers = bochs->registers;

    if (registers[REG_ENABLE] & GET_CAPS) {
        switch (index) {
        case REG_WIDTH:
            return WIDTH_MAX;
        case REG_HEIGHT:
            return HEIGHT_MAX;
        case REG_DEPTH:
            return DEPTH_MAX;
        default:
            break;
        }
    }
    if (index == REG_VIRTUAL_HEIGHT && stride_of(bochs) > 0) {
        uint64_t rows = bochs->memory_bytes / stride_of(bochs);
        return (uint16_t)(rows < UINT16_MAX ? rows : UINT16_MAX);
    }
    return registers[index];
}

static uint64_t mmio_read(struct device *device, unsigned bar, uint64_t offset, unsigned size)
{
    struct bochs *bochs = (struct bochs *)device;
    uint64_t value = 0;

    (void)bar;
    if (offset + size <= EDID_BYTES) {
        memcpy(&value, bochs->edid + offset, size);
        return value;
    }
    if (offset >= AT_DISPLAY && offset < AT_DISPLAY + REG_COUNT * 2 && size == 2 &&
        offset % 2 == 0) {
        return display_read(bochs, (unsigned)(offset - AT_DISPLAY) / 2);
    }
    if (offset == AT_QEMU && size == 4) {
        return QEMU_BYTES;
    }
    return offset == AT_QEMU + QEMU_ENDIAN && size == 4 ? LITTLE_ENDIAN32 : 0;
}

static void mmio_write(struct device *device, unsigned bar, uint64_t offset, unsigned size,
                       uint64_t value)
{
    struct bochs *bochs = (struct bochs *)device;

    (void)bar;
    if (offset >= AT_DISPLAY && offset < AT_DISPLAY + REG_COUNT * 2 && size == 2 &&
        offset % 2 == 0) {
        display_write(bochs, (unsigned)(offset - AT_DISPLAY) / 2, (uint16_t)value);
    }
}

/* ---- The picture ----------------------------------------------------------------------------- */

static bool scanout(struct device *device, unsigned output, const void **pixels, unsigned *width,
                    unsigned *height, unsigned *stride_bytes)
{
    struct bochs *bochs = (struct bochs *)device;
    const uint16_t *registers = bochs->registers;

    if (output != 0 || !is_showing(bochs)) {
        return false;
    }
    *pixels = bochs->memory + (size_t)registers[REG_Y] * stride_of(bochs) + registers[REG_X] * 4u;
    *width = registers[REG_WIDTH];
    *height = registers[REG_HEIGHT];
    *stride_bytes = stride_of(bochs);
    return true;
}

static bool light_up(struct device *device, struct device_firmware_picture *picture)
{
    struct bochs *bochs = (struct bochs *)device;

    display_write(bochs, REG_ENABLE, 0);
    display_write(bochs, REG_WIDTH, (uint16_t)bochs->width);
    display_write(bochs, REG_HEIGHT, (uint16_t)bochs->height);
    display_write(bochs, REG_DEPTH, 32);
    display_write(bochs, REG_ENABLE, ENABLED | LINEAR);
    display_write(bochs, REG_VIRTUAL_WIDTH, (uint16_t)(bochs->width + picture->stride_bytes / 4));
    if (!is_showing(bochs)) { /* the gap leaves no room */
        display_write(bochs, REG_VIRTUAL_WIDTH, (uint16_t)bochs->width);
    }
    *picture = (struct device_firmware_picture){
        .bar = MEMORY_BAR,
        .width = bochs->width,
        .height = bochs->height,
        .stride_bytes = stride_of(bochs),
    };
    return true;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void reset(struct device *device)
{
    struct bochs *bochs = (struct bochs *)device;

    memset(bochs->registers, 0, sizeof bochs->registers);
    bochs->registers[REG_ID] = VERSION_5;
    bochs->registers[REG_MEMORY_64K] = (uint16_t)(bochs->memory_bytes >> 16);
}

static void destroy(struct device *device)
{
    free(device);
}

static const struct device_operations operations = {
    sizeof operations,
    mmio_read,
    mmio_write,
    .reset = reset,
    .destroy = destroy,
    .scanout = scanout,
    .set_monitor = set_monitor,
    .light_up = light_up,
    .monitor_says = monitor_says,
};

enum { OPTION_MEMORY, OPTION_WIDTH, OPTION_HEIGHT, OPTION_VGA };

static const struct drydock_option options[] = {
    [OPTION_MEMORY] = {"memory_mb", "video memory, a power of two", 16, 4, 256},
    [OPTION_WIDTH] = {"width", "of the picture that firmware leaves", 1024, 640, 2560},
    [OPTION_HEIGHT] = {"height", "of the same", 768, 480, 1600},
    [OPTION_VGA] = {"vga", "1: PCI class VGA, as -vga std has it; 0: another display", 1, 0, 1},
    {0},
};

static struct device *create(struct device_bus *bus, const struct drydock_value *values)
{
    struct bochs *bochs = calloc(1, sizeof *bochs);
    const struct device_description description = {
        .size_bytes = sizeof description,
        .vendor_id = 0x1234,
        .device_id = 0x1111,
        .subsystem_vendor_id = 0x1AF4,
        .subsystem_id = 0x1100,
        .revision_id = 2,
        .class_code = 0x03,
        .subclass = values[OPTION_VGA].number ? 0x00 : 0x80,
        .bars = {[MEMORY_BAR] = {.kind = DEVICE_BAR_MEMORY,
                                 .size = values[OPTION_MEMORY].number << 20,
                                 .prefetchable = true},
                 [REGISTER_BAR] = {.kind = DEVICE_BAR_REGISTERS, .size = 4096}},
    };

    if (!bochs) {
        return NULL;
    }
    bochs->width = (unsigned)values[OPTION_WIDTH].number & ~7u;
    bochs->height = (unsigned)values[OPTION_HEIGHT].number & ~7u;
    bochs->memory_bytes = description.bars[MEMORY_BAR].size;
    if ((uint64_t)bochs->width * bochs->height * 4 > bochs->memory_bytes) {
        bus->operations->give_up(bus, "firmware's picture does not fit into memory_mb");
    } else if (bus->operations->describe(bus, &description)) {
        bochs->device.operations = &operations;
        bochs->bus = bus;
        bochs->memory = bus->operations->bar_memory(bus, MEMORY_BAR);
        make_edid(bochs);
        reset(&bochs->device);
        return &bochs->device;
    }
    free(bochs);
    return NULL;
}

DRYDOCK_DEVICE_EXPORT const struct device_model drydock_device = {
    DRYDOCK_DEVICE_ABI,
    sizeof(struct device_model),
    "bochs",
    "the display of Bochs, and of QEMU as -vga std",
    options,
    create,
};
