/* A device model of one's own: the doorbell engine with mapped registers, DMA and a message.
 * README.md says how it is built; doorbell_regs.h is the data sheet. */
#include <drydock/device.h>
#include <stdlib.h>
#include <string.h>

#include "doorbell_regs.h"

#define MEMORY_BAR 2u

struct work {
    uint64_t buffer;
    uint32_t length, fence;
};

struct doorbell {
    struct device device; /* first: the computer's pointer is ours */
    struct device_bus *bus;
    uint8_t *memory;
    uint32_t memory_bytes, delay_us;
    uint32_t registers[DOORBELL_REGISTER_BYTES / 4];
    struct work queue[DOORBELL_QUEUE_DEPTH];
    unsigned first, count; /* of the queue; the first one runs */
    bool preempting;
};

static uint32_t *reg(struct doorbell *engine, unsigned offset)
{
    return &engine->registers[offset / 4 % (DOORBELL_REGISTER_BYTES / 4)];
}

static void raise_status(struct doorbell *engine, uint32_t bits)
{
    *reg(engine, DOORBELL_REG_STATUS) |= bits;
    engine->bus->operations->interrupt_set(engine->bus, 0, true);
}

/* Moves bytes between the engine and either memory; false: nothing is there. */
static bool move(struct doorbell *engine, uint64_t address, void *bytes, uint32_t size, bool write)
{
    const struct device_bus_operations *bus = engine->bus->operations;

    if (address & DOORBELL_SYSTEM) {
        address &= ~DOORBELL_SYSTEM;
        return write ? bus->dma_write(engine->bus, address, bytes, size)
                     : bus->dma_read(engine->bus, address, bytes, size);
    }
    if (size > engine->memory_bytes || address > engine->memory_bytes - size) {
        return false;
    }
    memcpy(write ? engine->memory + address : bytes, write ? bytes : engine->memory + address,
           size);
    return true;
}

static bool execute(struct doorbell *engine, const struct doorbell_command *command)
{
    uint32_t chunk[1024];
    bool fill = command->opcode == DOORBELL_FILL;

    if (command->opcode != DOORBELL_FILL && command->opcode != DOORBELL_COPY) {
        return false;
    }
    for (unsigned i = 0; i < 1024; i++) {
        chunk[i] = command->pattern;
    }
    for (uint32_t done = 0; done < command->bytes; done += sizeof chunk) {
        uint32_t left = command->bytes - done;
        uint32_t size = left < sizeof chunk ? left : (uint32_t)sizeof chunk;
        if ((!fill && !move(engine, command->source + done, chunk, size, false)) ||
            !move(engine, command->destination + done, chunk, size, true)) {
            return false;
        }
    }
    return true;
}

static bool run(struct doorbell *engine, const struct work *work)
{
    struct doorbell_command command;

    for (uint32_t at = 0; at + sizeof command <= work->length; at += sizeof command) {
        if (!move(engine, (work->buffer + at) | DOORBELL_SYSTEM, &command, sizeof command, false) ||
            !execute(engine, &command)) {
            return false;
        }
    }
    return true;
}

/* Takes its time for whatever is first in the queue. */
static void begin(struct doorbell *engine)
{
    const struct device_bus_operations *bus = engine->bus->operations;

    if (engine->count) {
        bus->trace(engine->bus, true, 0, engine->queue[engine->first].fence);
        bus->call_at(engine->bus, bus->now_ns(engine->bus) + engine->delay_us * 1000ull, 0);
    } else if (engine->preempting) {
        engine->preempting = false;
        raise_status(engine, DOORBELL_STATUS_PREEMPTED);
    }
}

static void tick(struct device *device, uint64_t cookie)
{
    struct doorbell *engine = (struct doorbell *)device;
    struct work work = engine->queue[engine->first];

    (void)cookie;
    engine->bus->operations->trace(engine->bus, false, 0, work.fence);
    if (!run(engine, &work)) {
        raise_status(engine, DOORBELL_STATUS_ERROR);
        return;
    }
    engine->first = (engine->first + 1) % DOORBELL_QUEUE_DEPTH;
    engine->count--;
    *reg(engine, DOORBELL_REG_COMPLETED) = work.fence;
    raise_status(engine, DOORBELL_STATUS_DONE);
    begin(engine);
}

static void ring(struct doorbell *engine)
{
    unsigned last = (engine->first + engine->count) % DOORBELL_QUEUE_DEPTH;

    if (engine->count == DOORBELL_QUEUE_DEPTH) {
        raise_status(engine, DOORBELL_STATUS_ERROR);
        return;
    }
    engine->queue[last] = (struct work){
        .buffer = *reg(engine, DOORBELL_REG_BUFFER_LOW) |
                  (uint64_t)*reg(engine, DOORBELL_REG_BUFFER_HIGH) << 32,
        .length = *reg(engine, DOORBELL_REG_LENGTH),
        .fence = *reg(engine, DOORBELL_REG_FENCE),
    };
    if (engine->count++ == 0) {
        begin(engine);
    }
}

static uint64_t mmio_read(struct device *device, unsigned bar, uint64_t offset, unsigned size)
{
    (void)bar;
    return size == 4 && offset < DOORBELL_REGISTER_BYTES
               ? *reg((struct doorbell *)device, (unsigned)offset)
               : UINT64_MAX;
}

static void mmio_write(struct device *device, unsigned bar, uint64_t offset, unsigned size,
                       uint64_t value)
{
    struct doorbell *engine = (struct doorbell *)device;

    (void)bar;
    if (size != 4 || offset >= DOORBELL_REGISTER_BYTES) {
        return;
    }
    switch (offset) {
    case DOORBELL_REG_DOORBELL:
        ring(engine);
        break;
    case DOORBELL_REG_PREEMPT:
        engine->preempting = true;
        if (engine->count) {
            engine->count = 1; /* what runs ends first */
        } else {
            begin(engine);
        }
        break;
    case DOORBELL_REG_STATUS:
        *reg(engine, DOORBELL_REG_STATUS) &= ~(uint32_t)value;
        if (*reg(engine, DOORBELL_REG_STATUS) == 0) {
            engine->bus->operations->interrupt_set(engine->bus, 0, false);
        }
        break;
    case DOORBELL_REG_MEMORY_BYTES:
    case DOORBELL_REG_COMPLETED:
        break; /* read only */
    default:
        *reg(engine, (unsigned)offset) = (uint32_t)value;
    }
}

static void reset(struct device *device)
{
    struct doorbell *engine = (struct doorbell *)device;

    memset(engine->registers, 0, sizeof engine->registers);
    *reg(engine, DOORBELL_REG_MEMORY_BYTES) = engine->memory_bytes;
    engine->first = engine->count = 0;
    engine->preempting = false;
}

static void destroy(struct device *device)
{
    free(device);
}

static const struct device_operations operations = {
    .size_bytes = sizeof operations,
    .mmio_read = mmio_read,
    .mmio_write = mmio_write,
    .tick = tick,
    .reset = reset,
    .destroy = destroy,
};

enum { OPTION_MEMORY, OPTION_DELAY };

static const struct drydock_option options[] = {
    [OPTION_MEMORY] = {"memory_mb", "the engine's memory, a power of two", 4, 1, 64},
    [OPTION_DELAY] = {"delay_us", "what each buffer takes", 20, 1, 1000000},
    {0},
};

static struct device *create(struct device_bus *bus, const struct drydock_value *values)
{
    static const struct device_capability capabilities[] = {
        {.id = DEVICE_CAPABILITY_MSI, .message_count = 1},
        {.id = DEVICE_CAPABILITY_POWER},
    };
    struct doorbell *engine = calloc(1, sizeof *engine);
    const struct device_description description = {
        .size_bytes = sizeof description,
        .vendor_id = DOORBELL_VENDOR_ID,
        .device_id = DOORBELL_DEVICE_ID,
        .class_code = 0x12, /* a processing accelerator */
        .bars = {[0] = {.kind = DEVICE_BAR_REGISTERS, .size = 4096},
                 [MEMORY_BAR] = {.kind = DEVICE_BAR_MEMORY,
                                 .size = values[OPTION_MEMORY].number << 20,
                                 .prefetchable = true,
                                 .is_64bit = true}},
        .capabilities = capabilities,
        .capability_count = 2,
    };

    if (!engine || !bus->operations->describe(bus, &description)) {
        free(engine);
        return NULL;
    }
    engine->device.operations = &operations;
    engine->bus = bus;
    engine->memory = bus->operations->bar_memory(bus, MEMORY_BAR);
    engine->memory_bytes = (uint32_t)description.bars[MEMORY_BAR].size;
    engine->delay_us = (uint32_t)values[OPTION_DELAY].number;
    reset(&engine->device);
    return &engine->device;
}

DRYDOCK_DEVICE_EXPORT const struct device_model drydock_device;
const struct device_model drydock_device = {
    .abi = DRYDOCK_DEVICE_ABI,
    .size_bytes = sizeof drydock_device,
    .name = "doorbell",
    .description = "an engine that fills and copies when its doorbell rings",
    .options = options,
    .create = create,
};
