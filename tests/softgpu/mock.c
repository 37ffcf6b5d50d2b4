/* mock.c: a computer with nothing but a software GPU. */
#include "mock.h"

#include <stdlib.h>

#define RING_PLACE(engine)  (MOCK_RAM_BASE + 0x1000ull * (1 + (engine)))
#define FENCE_PLACE(engine) (MOCK_RAM_BASE + 8ull * (engine))
#define BUFFER_PLACE        (MOCK_RAM_BASE + 0x10000ull)
#define BUFFER_WORDS        (0xF0000u / 4)

static struct mock *mock_of(struct device_bus *bus)
{
    return (void *)((char *)bus - offsetof(struct mock, bus));
}

static bool describe(struct device_bus *bus, const struct device_description *description)
{
    struct mock *mock = mock_of(bus);
    mock->description = *description;
    free(mock->vram);
    mock->vram = calloc(1, description->bars[SOFTGPU_BAR_VRAM].size);
    return mock->vram != NULL;
}

static void give_up(struct device_bus *bus, const char *text)
{
    fail_msg("the device gave up: %s", text);
}

static uint64_t now_ns(struct device_bus *bus)
{
    return mock_of(bus)->now_ns;
}

static void call_at(struct device_bus *bus, uint64_t time_ns, uint64_t cookie)
{
    struct mock *mock = mock_of(bus);
    assert_true(mock->tick_count < MOCK_TICKS);
    mock->ticks[mock->tick_count++] = (struct mock_tick){time_ns, mock->tick_order++, cookie};
}

static void interrupt_set(struct device_bus *bus, unsigned message, bool asserted)
{
    struct mock *mock = mock_of(bus);
    assert_true(message < SOFTGPU_MESSAGE_COUNT);
    mock->rises[message] += asserted;
    mock->line[message] = asserted;
}

static void *dma_map(struct device_bus *bus, uint64_t physical, size_t size)
{
    struct mock *mock = mock_of(bus);
    if (physical < MOCK_RAM_BASE || physical - MOCK_RAM_BASE > MOCK_RAM_SIZE ||
        size > MOCK_RAM_SIZE - (physical - MOCK_RAM_BASE))
        return NULL;
    if (mock->scattered && physical % 4096 + size > 4096)
        return NULL;
    return mock->ram + (physical - MOCK_RAM_BASE);
}

static bool dma_read(struct device_bus *bus, uint64_t physical, void *bytes, size_t size)
{
    const void *from = dma_map(bus, physical, size);
    if (from)
        memcpy(bytes, from, size);
    return from != NULL;
}

static bool dma_write(struct device_bus *bus, uint64_t physical, const void *bytes, size_t size)
{
    void *to = dma_map(bus, physical, size);
    if (to)
        memcpy(to, bytes, size);
    return to != NULL;
}

static void *bar_memory(struct device_bus *bus, unsigned bar)
{
    return bar == SOFTGPU_BAR_VRAM ? mock_of(bus)->vram : NULL;
}

static uint64_t no_random(struct device_bus *bus, uint32_t site)
{
    return site;
}

static void trace(struct device_bus *bus, bool begin, unsigned engine, uint64_t tag)
{
    mock_of(bus)->trace_depth += begin ? 1 : -1;
}

static void no_log(struct device_bus *bus, const char *text)
{
}

static const struct device_bus_operations mock_operations = {
    .size_bytes = sizeof(mock_operations),
    .describe = describe,
    .give_up = give_up,
    .now_ns = now_ns,
    .call_at = call_at,
    .interrupt_set = interrupt_set,
    .dma_read = dma_read,
    .dma_write = dma_write,
    .dma_map = dma_map,
    .bar_memory = bar_memory,
    .random = no_random,
    .trace = trace,
    .log = no_log,
};

void mock_init(struct mock *mock, const char *options)
{
    memset(mock, 0, sizeof(*mock));
    mock->bus.operations = &mock_operations;
    char error[256];
    struct option_values values;
    assert_true(option_values_read(&values, softgpu_model.options, options, error, sizeof(error)));
    mock->device = softgpu_model.create(&mock->bus, values.values);
    assert_non_null(mock->device);
    mock->ram = calloc(1, MOCK_RAM_SIZE);
    assert_non_null(mock->ram);
    mock->commands = mock_ram(mock, BUFFER_PLACE);
}

void mock_fini(struct mock *mock)
{
    mock->device->operations->destroy(mock->device);
    free(mock->ram);
    free(mock->vram);
}

static bool run_next(struct mock *mock, uint64_t end_ns)
{
    struct mock_tick *next = NULL;
    for (unsigned i = 0; i < mock->tick_count; i++) {
        struct mock_tick *tick = &mock->ticks[i];
        if (!next || tick->time_ns < next->time_ns ||
            (tick->time_ns == next->time_ns && tick->order < next->order))
            next = tick;
    }
    if (!next || next->time_ns > end_ns)
        return false;
    struct mock_tick tick = *next;
    *next = mock->ticks[--mock->tick_count];
    if (tick.time_ns > mock->now_ns)
        mock->now_ns = tick.time_ns;
    mock->device->operations->tick(mock->device, tick.cookie);
    return true;
}

void mock_run(struct mock *mock, uint64_t ns)
{
    uint64_t end_ns = mock->now_ns + ns;
    while (run_next(mock, end_ns))
        continue;
    mock->now_ns = end_ns;
}

void mock_settle(struct mock *mock)
{
    uint64_t end_ns = mock->now_ns + 1000000000ull;
    while (run_next(mock, end_ns))
        continue;
    assert_int_equal(mock->tick_count, 0);
}

uint32_t mock_read(struct mock *mock, uint32_t reg)
{
    return (uint32_t)mock->device->operations->mmio_read(mock->device, SOFTGPU_BAR_REGISTERS, reg,
                                                         4);
}

void mock_write(struct mock *mock, uint32_t reg, uint32_t value)
{
    mock->device->operations->mmio_write(mock->device, SOFTGPU_BAR_REGISTERS, reg, 4, value);
}

void mock_write64(struct mock *mock, uint32_t reg, uint64_t value)
{
    mock_write(mock, reg, (uint32_t)value);
    mock_write(mock, reg + 4, (uint32_t)(value >> 32));
}

void *mock_ram(struct mock *mock, uint64_t physical)
{
    assert_true(physical >= MOCK_RAM_BASE && physical < MOCK_RAM_BASE + MOCK_RAM_SIZE);
    return mock->ram + (physical - MOCK_RAM_BASE);
}

void mock_start_engine(struct mock *mock, unsigned engine, uint32_t control)
{
    mock->tail[engine] = 0;
    mock_write64(mock, engine_reg(engine, SOFTGPU_ENGINE_RING_BASE),
                 SOFTGPU_SYSTEM_BASE + RING_PLACE(engine));
    mock_write(mock, engine_reg(engine, SOFTGPU_ENGINE_RING_SIZE), MOCK_RING_SIZE);
    mock_write64(mock, engine_reg(engine, SOFTGPU_ENGINE_FENCE_ADDRESS),
                 SOFTGPU_SYSTEM_BASE + FENCE_PLACE(engine));
    mock_write(mock, SOFTGPU_REG_INTERRUPT_ENABLE,
               mock_read(mock, SOFTGPU_REG_INTERRUPT_ENABLE) | 0xFu << (engine * 4));
    mock_write(mock, engine_reg(engine, SOFTGPU_ENGINE_CONTROL), control | SOFTGPU_CONTROL_ENABLE);
}

uint64_t mock_fence(struct mock *mock, unsigned engine)
{
    uint64_t value;
    memcpy(&value, mock_ram(mock, FENCE_PLACE(engine)), sizeof(value));
    return value;
}

void mock_command(struct mock *mock, const void *words, size_t bytes)
{
    assert_true(mock->command_words + bytes / 4 <= BUFFER_WORDS);
    memcpy(mock->commands + mock->command_words, words, bytes);
    mock->command_words += (uint32_t)(bytes / 4);
}

void mock_submit_packet(struct mock *mock, unsigned engine, const struct softgpu_packet *packet)
{
    uint8_t *ring = mock_ram(mock, RING_PLACE(engine));
    memcpy(ring + mock->tail[engine] * SOFTGPU_PACKET_SIZE, packet, sizeof(*packet));
    mock->tail[engine] = (mock->tail[engine] + 1) % MOCK_RING_SIZE;
    mock_write(mock, engine_reg(engine, SOFTGPU_ENGINE_RING_TAIL), mock->tail[engine]);
}

void mock_submit(struct mock *mock, unsigned engine, uint32_t flags, uint64_t fence)
{
    uint64_t address = SOFTGPU_SYSTEM_BASE + BUFFER_PLACE + mock->command_begin * 4ull;
    struct softgpu_packet packet = {
        .type_flags = SOFTGPU_PACKET_EXECUTE | SOFTGPU_PACKET_FLAG_FENCE |
                      SOFTGPU_PACKET_FLAG_INTERRUPT | flags,
        .address_low = (uint32_t)address,
        .address_high = (uint32_t)(address >> 32),
        .size_bytes = (mock->command_words - mock->command_begin) * 4,
        .fence_low = (uint32_t)fence,
        .fence_high = (uint32_t)(fence >> 32),
    };
    mock->command_begin = mock->command_words;
    mock_submit_packet(mock, engine, &packet);
}

void mock_execute(struct mock *mock, unsigned engine, uint32_t flags)
{
    uint64_t fence = mock_fence(mock, engine) + 1;
    mock_submit(mock, engine, flags, fence);
    mock_settle(mock);
    assert_int_equal(mock_read(mock, engine_reg(engine, SOFTGPU_ENGINE_FAULT_REASON)),
                     SOFTGPU_FAULT_NONE);
    assert_int_equal(mock_fence(mock, engine), fence);
    mock->command_words = mock->command_begin = 0;
}
