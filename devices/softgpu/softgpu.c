/* softgpu.c: life of the device, its options, and the global registers.
 *
 * Accesses to BAR 2 are split into 32-bit ones here and handed to the block they belong to:
 *
 *   0x0000  global       here
 *   0x1000  engines      engine.c
 *   0x2000  outputs      display.c
 *   0x4000  spaces       mmu.c
 *   0x8000  hardware queues, contexts and bands: queues.c
 *   0xF000  test         interrupt.c, and per engine here */
#include "softgpu.h"

#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENGINE_BLOCK      0x1000u
#define ENGINE_BLOCK_SIZE 0x100u
#define OUTPUT_BLOCK      0x2000u
#define OUTPUT_BLOCK_SIZE 0x400u
#define SPACE_BLOCK       0x4000u
#define SPACE_BLOCK_SIZE  0x10u
#define QUEUE_BLOCK       0x8000u
#define QUEUE_BLOCK_END   0xE070u
#define TEST_BLOCK        0xF000u
#define DOORBELL_BLOCK    0x10000u
#define TEST_ENGINES      0xF100u
#define TEST_ENGINE_SIZE  0x40u

static struct softgpu *softgpu_of(struct device *device)
{
    return (void *)((char *)device - offsetof(struct softgpu, device));
}

uint64_t softgpu_now(const struct softgpu *gpu)
{
    return gpu->bus->operations->now_ns(gpu->bus);
}

void softgpu_call_at(struct softgpu *gpu, uint64_t time_ns, enum tick_kind kind, unsigned index,
                     uint64_t generation)
{
    uint64_t cookie =
        (uint64_t)kind << 56 | (uint64_t)index << 48 | (generation & TICK_GENERATION_MASK);
    gpu->bus->operations->call_at(gpu->bus, time_ns, cookie);
}

void softgpu_log(struct softgpu *gpu, const char *format, ...)
{
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    gpu->bus->operations->log(gpu->bus, text);
}

/* ---- Reset ---- */

static void reset_gpu(struct softgpu *gpu)
{
    for (unsigned i = 0; i < SOFTGPU_ENGINE_COUNT; i++)
        engine_reset(&gpu->engines[i]);
    for (unsigned i = 0; i < gpu->output_count; i++)
        display_reset(&gpu->outputs[i]);
    interrupt_reset(gpu);
    mmu_reset(gpu);
    hw_reset(gpu);
    host_reset(gpu);
    gpu->aperture_table = 0;
    gpu->aperture_dummy = 0;
    gpu->aperture_control = 0;
    gpu->agp_base = gpu->agp_size = 0;
    gpu->window_table = gpu->window_pages = 0;
    gpu->scratch = 0;
    memset(&gpu->counters, 0, sizeof(gpu->counters));
    if (gpu->vram_lost)
        memset(gpu->vram, 0, gpu->vram_size);
    test_after_reset(gpu);
}

/* ---- Registers ---- */

static uint32_t half(uint64_t value, uint32_t offset)
{
    return (uint32_t)(offset & 4 ? value >> 32 : value);
}

static void set_half(uint64_t *value, uint32_t offset, uint32_t bits)
{
    if (offset & 4)
        *value = (*value & 0xFFFFFFFFull) | (uint64_t)bits << 32;
    else
        *value = (*value & ~0xFFFFFFFFull) | bits;
}

static uint32_t counter_read(const struct softgpu *gpu, uint32_t offset)
{
    const struct counters *counters = &gpu->counters;
    const uint64_t values[] = {
        counters->bytes_read, counters->bytes_written, counters->pixels,
        counters->commands,   counters->packets,       counters->interrupts,
    };
    uint32_t index = (offset - SOFTGPU_REG_COUNT_BYTES_READ) / 8;
    return index < sizeof(values) / sizeof(values[0]) ? half(values[index], offset) : 0;
}

static uint32_t global_read(struct softgpu *gpu, uint32_t offset)
{
    switch (offset) {
    case SOFTGPU_REG_ID:
        return SOFTGPU_ID_VALUE;
    case SOFTGPU_REG_REVISION:
        return SOFTGPU_REVISION;
    case SOFTGPU_REG_VRAM_SIZE:
    case SOFTGPU_REG_VRAM_SIZE + 4:
        return half(gpu->vram_size, offset);
    case SOFTGPU_REG_APERTURE_SIZE:
    case SOFTGPU_REG_APERTURE_SIZE + 4:
        return half(gpu->aperture_size, offset);
    case SOFTGPU_REG_ENGINE_COUNT:
        return SOFTGPU_ENGINE_COUNT;
    case SOFTGPU_REG_OUTPUT_COUNT:
        return gpu->output_count;
    case SOFTGPU_REG_TIME: {
        uint64_t now = softgpu_now(gpu);
        gpu->time_high = (uint32_t)(now >> 32);
        return (uint32_t)now;
    }
    case SOFTGPU_REG_TIME + 4:
        return gpu->time_high;
    case SOFTGPU_REG_SCRATCH:
        return gpu->scratch;
    case SOFTGPU_REG_INTERRUPT_STATUS:
        return gpu->interrupts.status;
    case SOFTGPU_REG_INTERRUPT_ENABLE:
        return gpu->interrupts.enable;
    case SOFTGPU_REG_INTERRUPT_MESSAGES:
        return gpu->interrupts.messages;
    case SOFTGPU_REG_APERTURE_TABLE:
    case SOFTGPU_REG_APERTURE_TABLE + 4:
        return half(gpu->aperture_table, offset - SOFTGPU_REG_APERTURE_TABLE);
    case SOFTGPU_REG_APERTURE_DUMMY:
    case SOFTGPU_REG_APERTURE_DUMMY + 4:
        return half(gpu->aperture_dummy, offset - SOFTGPU_REG_APERTURE_DUMMY);
    case SOFTGPU_REG_APERTURE_CONTROL:
        return gpu->aperture_control;
    case SOFTGPU_REG_AGP_BASE:
    case SOFTGPU_REG_AGP_BASE + 4:
        return half(gpu->agp_base, offset - SOFTGPU_REG_AGP_BASE);
    case SOFTGPU_REG_AGP_SIZE:
    case SOFTGPU_REG_AGP_SIZE + 4:
        return half(gpu->agp_size, offset - SOFTGPU_REG_AGP_SIZE);
    case SOFTGPU_REG_WINDOW_TABLE:
    case SOFTGPU_REG_WINDOW_TABLE + 4:
        return half(gpu->window_table, offset - SOFTGPU_REG_WINDOW_TABLE);
    case SOFTGPU_REG_WINDOW_PAGES:
        return gpu->window_pages;
    case SOFTGPU_REG_FEATURES:
        return SOFTGPU_FEATURE_MMU | SOFTGPU_FEATURE_QUEUES | SOFTGPU_FEATURE_FLIPS |
               SOFTGPU_FEATURE_BELLS | (gpu->latch ? 0 : SOFTGPU_FEATURE_NOW) |
               (host_exists(gpu) ? SOFTGPU_FEATURE_HOST : 0) |
               (mmu_has_pasids(gpu) ? SOFTGPU_FEATURE_PASID : 0);
    case SOFTGPU_REG_MMU_CONTROL:
    case SOFTGPU_REG_MMU_INDEX_BITS:
    case SOFTGPU_REG_MMU_INDEX_BITS + 4:
        return mmu_read(gpu, offset);
    default:
        if (offset >= SOFTGPU_REG_HOST_BASE && offset <= SOFTGPU_REG_HOST_UPDATE)
            return host_read(gpu, offset);
        return offset >= SOFTGPU_REG_COUNT_BYTES_READ ? counter_read(gpu, offset) : 0;
    }
}

static void global_write(struct softgpu *gpu, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case SOFTGPU_REG_RESET:
        if (value == SOFTGPU_RESET_KEY)
            reset_gpu(gpu);
        break;
    case SOFTGPU_REG_SCRATCH:
        gpu->scratch = value;
        break;
    case SOFTGPU_REG_INTERRUPT_STATUS:
        interrupt_acknowledge(gpu, value);
        break;
    case SOFTGPU_REG_INTERRUPT_ENABLE:
        interrupt_set_enable(gpu, value);
        break;
    case SOFTGPU_REG_INTERRUPT_MESSAGES:
        interrupt_set_messages(gpu, value);
        break;
    case SOFTGPU_REG_APERTURE_TABLE:
    case SOFTGPU_REG_APERTURE_TABLE + 4:
        set_half(&gpu->aperture_table, offset - SOFTGPU_REG_APERTURE_TABLE, value);
        gpu->aperture_table &= ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
        break;
    case SOFTGPU_REG_APERTURE_DUMMY:
    case SOFTGPU_REG_APERTURE_DUMMY + 4:
        set_half(&gpu->aperture_dummy, offset - SOFTGPU_REG_APERTURE_DUMMY, value);
        gpu->aperture_dummy &= SOFTGPU_PTE_ADDRESS_MASK;
        break;
    case SOFTGPU_REG_APERTURE_CONTROL:
        gpu->aperture_control = value & SOFTGPU_APERTURE_ENABLE;
        break;
    case SOFTGPU_REG_AGP_BASE:
    case SOFTGPU_REG_AGP_BASE + 4:
        set_half(&gpu->agp_base, offset - SOFTGPU_REG_AGP_BASE, value);
        break;
    case SOFTGPU_REG_AGP_SIZE:
    case SOFTGPU_REG_AGP_SIZE + 4:
        set_half(&gpu->agp_size, offset - SOFTGPU_REG_AGP_SIZE, value);
        break;
    case SOFTGPU_REG_WINDOW_TABLE:
    case SOFTGPU_REG_WINDOW_TABLE + 4:
        set_half(&gpu->window_table, offset - SOFTGPU_REG_WINDOW_TABLE, value);
        gpu->window_table &= ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
        break;
    case SOFTGPU_REG_WINDOW_PAGES:
        gpu->window_pages = value <= SOFTGPU_WINDOW_PAGES_MAX ? value : 0;
        break;
    case SOFTGPU_REG_MMU_CONTROL:
    case SOFTGPU_REG_MMU_FLUSH:
    case SOFTGPU_REG_MMU_INDEX_BITS:
    case SOFTGPU_REG_MMU_INDEX_BITS + 4:
        mmu_write(gpu, offset, value);
        break;
    default:
        if (offset >= SOFTGPU_REG_HOST_BASE && offset <= SOFTGPU_REG_HOST_UPDATE)
            host_write(gpu, offset, value);
        break; /* read-only or reserved */
    }
}

static uint32_t *test_engine_register(struct softgpu *gpu, uint32_t offset)
{
    uint32_t index = (offset - TEST_ENGINES) / TEST_ENGINE_SIZE;
    if (offset < TEST_ENGINES || index >= SOFTGPU_ENGINE_COUNT)
        return NULL;
    struct engine *engine = &gpu->engines[index];
    switch (offset % TEST_ENGINE_SIZE) {
    case SOFTGPU_TEST_HANG_AFTER:
        return &engine->test_hang_after;
    case SOFTGPU_TEST_FAULT_AFTER:
        return &engine->test_fault_after;
    case SOFTGPU_TEST_FENCE_OFFSET:
        return &engine->test_fence_offset;
    case SOFTGPU_TEST_IGNORE_PREEMPT:
        return &engine->test_ignore_preempt;
    case SOFTGPU_TEST_SLOW_DOWN:
        return &engine->test_slow_down;
    default:
        return NULL;
    }
}

static uint32_t register_read(struct softgpu *gpu, uint32_t offset)
{
    if (offset < ENGINE_BLOCK)
        return global_read(gpu, offset);
    uint32_t engine = (offset - ENGINE_BLOCK) / ENGINE_BLOCK_SIZE;
    if (engine < SOFTGPU_ENGINE_COUNT)
        return engine_read(&gpu->engines[engine], offset % ENGINE_BLOCK_SIZE);
    uint32_t output = (offset - OUTPUT_BLOCK) / OUTPUT_BLOCK_SIZE;
    if (offset >= OUTPUT_BLOCK && output < gpu->output_count)
        return display_read(&gpu->outputs[output], offset % OUTPUT_BLOCK_SIZE);
    uint32_t space = (offset - SPACE_BLOCK) / SPACE_BLOCK_SIZE;
    if (offset >= SPACE_BLOCK && space < SOFTGPU_SPACE_COUNT)
        return mmu_space_read(gpu, space, offset % SPACE_BLOCK_SIZE);
    if (offset >= QUEUE_BLOCK && offset < QUEUE_BLOCK_END)
        return hw_read(gpu, offset);
    if (offset >= TEST_BLOCK && offset < DOORBELL_BLOCK) {
        const uint32_t *place = test_engine_register(gpu, offset);
        return place ? *place : test_read(gpu, offset);
    }
    return 0;
}

static void register_write(struct softgpu *gpu, uint32_t offset, uint32_t value)
{
    if (offset < ENGINE_BLOCK) {
        global_write(gpu, offset, value);
        return;
    }
    uint32_t engine = (offset - ENGINE_BLOCK) / ENGINE_BLOCK_SIZE;
    uint32_t output = (offset - OUTPUT_BLOCK) / OUTPUT_BLOCK_SIZE;
    uint32_t space = (offset - SPACE_BLOCK) / SPACE_BLOCK_SIZE;
    if (engine < SOFTGPU_ENGINE_COUNT) {
        engine_write(&gpu->engines[engine], offset % ENGINE_BLOCK_SIZE, value);
    } else if (offset >= OUTPUT_BLOCK && output < gpu->output_count) {
        display_write(&gpu->outputs[output], offset % OUTPUT_BLOCK_SIZE, value);
    } else if (offset >= SPACE_BLOCK && space < SOFTGPU_SPACE_COUNT) {
        mmu_space_write(gpu, space, offset % SPACE_BLOCK_SIZE, value);
    } else if (offset >= QUEUE_BLOCK && offset < QUEUE_BLOCK_END) {
        hw_write(gpu, offset, value);
    } else if (offset >= DOORBELL_BLOCK) {
        hw_ring(gpu, offset - DOORBELL_BLOCK, value);
    } else if (offset >= TEST_BLOCK) {
        uint32_t *place = test_engine_register(gpu, offset);
        if (!place)
            test_write(gpu, offset, value);
        else if (gpu->test_unlocked)
            *place = value;
    }
}

static uint64_t softgpu_mmio_read(struct device *device, unsigned bar, uint64_t offset,
                                  unsigned size)
{
    struct softgpu *gpu = softgpu_of(device);
    if (bar != SOFTGPU_BAR_REGISTERS || offset >= SOFTGPU_REGISTERS_SIZE || size > 8 ||
        offset % 4 + size > (size == 8 ? 8u : 4u))
        return ~0ull;
    uint32_t aligned = (uint32_t)offset & ~3u;
    uint64_t value = register_read(gpu, aligned);
    if (size == 8)
        return value | (uint64_t)register_read(gpu, aligned + 4) << 32;
    value >>= offset % 4 * 8;
    return size == 4 ? value : value & ((1ull << size * 8) - 1);
}

/* Writes narrower than a register are dropped, as many devices do. */
static void softgpu_mmio_write(struct device *device, unsigned bar, uint64_t offset, unsigned size,
                               uint64_t value)
{
    struct softgpu *gpu = softgpu_of(device);
    if (bar != SOFTGPU_BAR_REGISTERS || offset >= SOFTGPU_REGISTERS_SIZE || offset % 4 != 0)
        return;
    if (size == 4 || size == 8)
        register_write(gpu, (uint32_t)offset, (uint32_t)value);
    if (size == 8 && offset + 4 < SOFTGPU_REGISTERS_SIZE)
        register_write(gpu, (uint32_t)offset + 4, (uint32_t)(value >> 32));
}

static void softgpu_tick(struct device *device, uint64_t cookie)
{
    struct softgpu *gpu = softgpu_of(device);
    unsigned index = (unsigned)(cookie >> 48) & 0xFF;
    uint64_t generation = cookie & TICK_GENERATION_MASK;
    switch ((enum tick_kind)(cookie >> 56)) {
    case TICK_ENGINE:
        if (index < SOFTGPU_ENGINE_COUNT)
            engine_tick(&gpu->engines[index], generation);
        break;
    case TICK_VSYNC:
        if (index < gpu->output_count)
            display_tick(&gpu->outputs[index], generation);
        break;
    case TICK_DELAYED_INTERRUPT:
        interrupt_delayed_tick(gpu, generation);
        break;
    case TICK_NOTICE:
        if (index < gpu->output_count)
            notices_tick(&gpu->outputs[index], generation);
        break;
    case TICK_FLIPS:
        if (index < gpu->output_count)
            flips_tick(&gpu->outputs[index], generation);
        break;
    case TICK_LATE_WRITE:
        test_late_write_tick(gpu, generation);
        break;
    }
}

static void softgpu_reset(struct device *device)
{
    struct softgpu *gpu = softgpu_of(device);
    gpu->test_unlocked = false;
    gpu->test_late_write = 0;
    gpu->interrupts.test_lose = 0;
    gpu->interrupts.test_delay_ns = 0;
    gpu->interrupts.test_stuck = 0;
    for (unsigned i = 0; i < SOFTGPU_ENGINE_COUNT; i++) {
        struct engine *engine = &gpu->engines[i];
        engine->test_hang_after = engine->test_fault_after = engine->test_fence_offset = 0;
        engine->test_ignore_preempt = engine->test_slow_down = 0;
    }
    reset_gpu(gpu); /* the bus emptied the memory */
}

static bool softgpu_scanout(struct device *device, unsigned output, const void **pixels,
                            unsigned *width, unsigned *height, unsigned *stride_bytes)
{
    struct softgpu *gpu = softgpu_of(device);
    return output < gpu->output_count &&
           display_scanout(&gpu->outputs[output],
                           &(struct scanned){pixels, width, height, stride_bytes});
}

static bool softgpu_scanout_eye(struct device *device, unsigned output, bool right,
                                const void **pixels, unsigned *width, unsigned *height,
                                unsigned *stride_bytes)
{
    struct softgpu *gpu = softgpu_of(device);
    return output < gpu->output_count &&
           display_scanout_eye(&gpu->outputs[output], right,
                               &(struct scanned){pixels, width, height, stride_bytes});
}

static bool softgpu_look_up(struct device *device, uint64_t address, uint64_t *physical_address)
{
    return address_look_up(softgpu_of(device), address, physical_address);
}

static bool softgpu_goes_to(struct device *device, uint64_t physical_address, uint64_t size,
                            char *text, size_t text_size)
{
    struct softgpu *gpu = softgpu_of(device);
    for (unsigned i = 0; i < SOFTGPU_ENGINE_COUNT; i++) {
        if (engine_goes_to(&gpu->engines[i], physical_address, size, text, text_size))
            return true;
    }
    return hw_goes_to(gpu, physical_address, size, text, text_size);
}

static bool softgpu_released(struct device *device, uint64_t physical_address, uint64_t value)
{
    const struct softgpu *gpu = softgpu_of(device);
    return hw_released(
        gpu, gpu->bus->operations->dma_map(gpu->bus, physical_address, sizeof(value)), value);
}

static bool softgpu_address_space(struct device *device, unsigned *space,
                                  struct device_address_space *found)
{
    return mmu_next_space(softgpu_of(device), space, found);
}

static void softgpu_translate(struct device *device, unsigned space, uint64_t address,
                              struct device_translation *translation)
{
    if (space < SOFTGPU_SPACE_COUNT)
        mmu_look_up(softgpu_of(device), space, address, translation);
}

static bool softgpu_remembered(struct device *device, unsigned space, uint64_t *cursor,
                               struct device_remembered *found)
{
    return mmu_next_remembered(softgpu_of(device), space, cursor, found);
}

static bool softgpu_set_monitor(struct device *device, unsigned output, bool connected)
{
    struct softgpu *gpu = softgpu_of(device);
    if (output >= gpu->output_count)
        return false;
    if (connected != gpu->outputs[output].connected) {
        display_connect(&gpu->outputs[output], connected);
        interrupt_raise(gpu, SOFTGPU_INTERRUPT_HOTPLUG);
    }
    return true;
}

static bool softgpu_exchange_monitor(struct device *device, unsigned output)
{
    struct softgpu *gpu = softgpu_of(device);
    if (output >= gpu->output_count || gpu->outputs[output].connected)
        return false;
    gpu->outputs[output].monitor.number++;
    return true;
}

static size_t softgpu_monitor_says(struct device *device, unsigned output, uint8_t *bytes,
                                   size_t size)
{
    struct softgpu *gpu = softgpu_of(device);
    uint8_t edid[SOFTGPU_EDID_SIZE];
    if (output >= gpu->output_count || !gpu->outputs[output].connected)
        return 0;
    edid_make(&gpu->outputs[output].monitor, edid);
    memcpy(bytes, edid, size < sizeof(edid) ? size : sizeof(edid));
    return sizeof(edid);
}

/* By the option. */
static const struct firmware_size {
    uint32_t width, height;
} firmware_sizes[] = {{1024, 768}, {1366, 768}, {1280, 800}};
#define FIRMWARE_SIZE_COUNT (sizeof firmware_sizes / sizeof firmware_sizes[0])

static bool softgpu_light_up(struct device *device, struct device_firmware_picture *picture)
{
    struct softgpu *gpu = softgpu_of(device);
    const struct firmware_size *size = &firmware_sizes[gpu->firmware];
    uint32_t pitch = size->width * 4 + picture->stride_bytes;
    *picture = (struct device_firmware_picture){.bar = SOFTGPU_BAR_VRAM,
                                                .width = size->width,
                                                .height = size->height,
                                                .stride_bytes = pitch};
    return gpu->output_count > 0 && display_light_up(&gpu->outputs[0], picture);
}

/* ---- Life ---- */

static void softgpu_destroy(struct device *device)
{
    struct softgpu *gpu = softgpu_of(device);
    for (unsigned i = 0; i < SOFTGPU_ENGINE_COUNT; i++)
        engine_fini(&gpu->engines[i]);
    for (unsigned i = 0; i < SOFTGPU_OUTPUT_MAX; i++)
        display_fini(&gpu->outputs[i]);
    free(gpu);
}

static uint64_t round_up_to_power_of_two(uint64_t value)
{
    uint64_t power = 1;
    while (power < value)
        power <<= 1;
    return power;
}

enum softgpu_option {
    OPTION_VRAM,
    OPTION_APERTURE,
    OPTION_OUTPUTS,
    OPTION_VRAM_LOST,
    OPTION_ONE_CLOCK,
    OPTION_LATCH,
    OPTION_MONITOR,
    OPTION_FIRMWARE
};

/* By the option. */
static const enum edid_kind first_monitors[] = {EDID_ONE, EDID_ODD, EDID_SMALL};
#define FIRST_MONITOR_COUNT (sizeof first_monitors / sizeof first_monitors[0])

const struct drydock_option softgpu_options[] = {
    [OPTION_VRAM] = {"vram_mb", "video memory, rounded up to a power of two", 64, 1, 4096},
    [OPTION_APERTURE] = {"aperture_mb", "address range for system pages", 256, 1, 4096},
    [OPTION_OUTPUTS] = {"outputs", "video outputs", 1, 0, SOFTGPU_OUTPUT_MAX},
    [OPTION_VRAM_LOST] = {"vram_lost", "a reset of the whole GPU clears video memory", 0, 0, 1},
    [OPTION_ONE_CLOCK] = {"one_clock", "outputs of one rate have their vsyncs together", 0, 0, 1},
    [OPTION_LATCH] = {"latch", "outputs that are on take every address at a vsync", 0, 0, 1},
    [OPTION_MONITOR] = {"monitor", "the first one: 1920x1080, 1366x768, 800x600", 0, 0,
                        FIRST_MONITOR_COUNT - 1},
    [OPTION_FIRMWARE] = {"firmware", "its picture at power-on: 1024x768, 1366x768, 1280x800", 0, 0,
                         FIRMWARE_SIZE_COUNT - 1},
    {0},
};

static const struct device_operations softgpu_operations = {
    .size_bytes = sizeof(softgpu_operations),
    .mmio_read = softgpu_mmio_read,
    .mmio_write = softgpu_mmio_write,
    .tick = softgpu_tick,
    .reset = softgpu_reset,
    .destroy = softgpu_destroy,
    .scanout = softgpu_scanout,
    .look_up = softgpu_look_up,
    .set_monitor = softgpu_set_monitor,
    .exchange_monitor = softgpu_exchange_monitor,
    .monitor_says = softgpu_monitor_says,
    .light_up = softgpu_light_up,
    .address_space = softgpu_address_space,
    .translate = softgpu_translate,
    .remembered = softgpu_remembered,
    .scanout_eye = softgpu_scanout_eye,
    .goes_to = softgpu_goes_to,
    .released = softgpu_released,
};

static bool describe(struct softgpu *gpu)
{
    static const struct device_capability capabilities[] = {
        {.id = DEVICE_CAPABILITY_EXPRESS},
        {.id = DEVICE_CAPABILITY_MSI, .message_count = SOFTGPU_MESSAGE_COUNT},
        {.id = DEVICE_CAPABILITY_POWER},
    };
    const struct device_description description = {
        .size_bytes = sizeof(description),
        .vendor_id = SOFTGPU_VENDOR_ID,
        .device_id = SOFTGPU_DEVICE_ID,
        .subsystem_vendor_id = SOFTGPU_VENDOR_ID,
        .subsystem_id = SOFTGPU_SUBSYSTEM_ID,
        .revision_id = SOFTGPU_REVISION,
        .class_code = 0x03,
        .bars =
            {
                [SOFTGPU_BAR_VRAM] = {.kind = DEVICE_BAR_MEMORY,
                                      .size = gpu->vram_size,
                                      .prefetchable = true,
                                      .is_64bit = true},
                [SOFTGPU_BAR_REGISTERS] = {.kind = DEVICE_BAR_REGISTERS,
                                           .size = SOFTGPU_REGISTERS_SIZE},
            },
        .capabilities = capabilities,
        .capability_count = sizeof(capabilities) / sizeof(capabilities[0]),
    };
    return gpu->bus->operations->describe(gpu->bus, &description);
}

struct device *softgpu_create(struct device_bus *bus, const struct drydock_value *values)
{
    struct softgpu *gpu = calloc(1, sizeof(*gpu));
    if (!gpu) {
        bus->operations->give_up(bus, "there is no memory");
        return NULL;
    }
    gpu->device.operations = &softgpu_operations;
    gpu->bus = bus;
    gpu->vram_size = round_up_to_power_of_two(values[OPTION_VRAM].number << 20);
    gpu->aperture_size = values[OPTION_APERTURE].number << 20;
    gpu->output_count = (unsigned)values[OPTION_OUTPUTS].number;
    gpu->vram_lost = values[OPTION_VRAM_LOST].number != 0;
    gpu->first_monitor = first_monitors[values[OPTION_MONITOR].number];
    gpu->one_clock = values[OPTION_ONE_CLOCK].number != 0;
    gpu->latch = values[OPTION_LATCH].number != 0;
    gpu->firmware = (unsigned)values[OPTION_FIRMWARE].number;
    if (!describe(gpu)) {
        free(gpu);
        return NULL;
    }
    gpu->vram = bus->operations->bar_memory(bus, SOFTGPU_BAR_VRAM);
    for (unsigned i = 0; i < SOFTGPU_OUTPUT_MAX; i++)
        display_init(gpu, i);
    for (unsigned i = 0; i < SOFTGPU_ENGINE_COUNT; i++) {
        if (!engine_init(gpu, i)) {
            bus->operations->give_up(bus, "there is no memory");
            softgpu_destroy(&gpu->device);
            return NULL;
        }
    }
    return &gpu->device;
}

const struct device_model softgpu_model = {
    .abi = DRYDOCK_DEVICE_ABI,
    .size_bytes = sizeof(softgpu_model),
    .name = "softgpu",
    .description = "a software GPU with engines, preemption, aperture and displays",
    .options = softgpu_options,
    .create = softgpu_create,
};
