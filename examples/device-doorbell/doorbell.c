/* A device model of one's own: the doorbell engine with mapped registers, DMA and a message.
 * README.md says how it is built; doorbell_regs.h is the data sheet. */
#include <drydock/engine.h>
#include <stdlib.h>

#include "doorbell_regs.h"

#define MEMORY_BAR 2u

struct doorbell {
    struct device device; /* first: the computer's pointer is ours */
    struct engine engine;
    uint32_t registers[DOORBELL_REGISTER_BYTES / 4];
    bool preempting;
};

#define REG(doorbell, offset) ((doorbell)->registers[(offset) / 4])

static bool move(struct engine *engine, uint64_t address, void *bytes, uint32_t size, bool write)
{
    return address & DOORBELL_SYSTEM
               ? engine_move_system(engine, address & ~DOORBELL_SYSTEM, bytes, size, write)
               : engine_move_own(engine, address, bytes, size, write);
}

static bool execute(struct engine *engine, const struct doorbell_command *command)
{
    uint32_t chunk[1024];

    for (unsigned i = 0; i < 1024; i++) {
        chunk[i] = command->pattern;
    }
    for (uint32_t done = 0; done < command->bytes; done += sizeof chunk) {
        uint32_t left = command->bytes - done;
        uint32_t size = left < sizeof chunk ? left : (uint32_t)sizeof chunk;
        if ((command->opcode == DOORBELL_COPY &&
             !move(engine, command->source + done, chunk, size, false)) ||
            !move(engine, command->destination + done, chunk, size, true)) {
            return false;
        }
    }
    return command->opcode == DOORBELL_FILL || command->opcode == DOORBELL_COPY;
}

static void tick(struct device *device, uint64_t cookie)
{
    struct doorbell *doorbell = (struct doorbell *)device;
    struct engine_work work = engine_running(&doorbell->engine);
    struct doorbell_command command;

    (void)cookie;
    for (uint32_t at = 0; at + sizeof command <= work.length; at += sizeof command) {
        if (!engine_move_system(&doorbell->engine, work.address + at, &command, sizeof command,
                                false) ||
            !execute(&doorbell->engine, &command)) {
            engine_raise(&doorbell->engine, DOORBELL_STATUS_ERROR);
            return;
        }
    }
    engine_completed(&doorbell->engine);
    REG(doorbell, DOORBELL_REG_COMPLETED) = work.fence;
    engine_raise(&doorbell->engine, DOORBELL_STATUS_DONE);
    if (doorbell->preempting && doorbell->engine.count == 0) {
        doorbell->preempting = false;
        engine_raise(&doorbell->engine, DOORBELL_STATUS_PREEMPTED);
    }
}

static uint64_t mmio_read(struct device *device, unsigned bar, uint64_t offset, unsigned size)
{
    struct doorbell *doorbell = (struct doorbell *)device;

    (void)bar;
    if (size != 4 || offset % 4 || offset >= DOORBELL_REGISTER_BYTES) {
        return UINT64_MAX;
    }
    return offset == DOORBELL_REG_STATUS ? doorbell->engine.status : REG(doorbell, offset);
}

static void mmio_write(struct device *device, unsigned bar, uint64_t offset, unsigned size,
                       uint64_t value)
{
    struct doorbell *doorbell = (struct doorbell *)device;
    struct engine *engine = &doorbell->engine;

    (void)bar;
    if (size != 4 || offset % 4 || offset >= DOORBELL_REGISTER_BYTES) {
        return;
    }
    if (offset == DOORBELL_REG_STATUS) {
        engine_clear(engine, (uint32_t)value);
    } else if (offset == DOORBELL_REG_DOORBELL) {
        struct engine_work work = {REG(doorbell, DOORBELL_REG_BUFFER_LOW) |
                                       (uint64_t)REG(doorbell, DOORBELL_REG_BUFFER_HIGH) << 32,
                                   REG(doorbell, DOORBELL_REG_LENGTH),
                                   REG(doorbell, DOORBELL_REG_FENCE)};
        if (!engine_submit(engine, work)) {
            engine_raise(engine, DOORBELL_STATUS_ERROR);
        }
    } else if (offset == DOORBELL_REG_PREEMPT) {
        doorbell->preempting = !engine_drop(engine); /* what runs ends first */
        if (!doorbell->preempting) {
            engine_raise(engine, DOORBELL_STATUS_PREEMPTED);
        }
    } else if (offset != DOORBELL_REG_MEMORY_BYTES && offset != DOORBELL_REG_COMPLETED) {
        REG(doorbell, offset) = (uint32_t)value;
    }
}

static void reset(struct device *device)
{
    struct doorbell *doorbell = (struct doorbell *)device;

    engine_reset(&doorbell->engine);
    memset(doorbell->registers, 0, sizeof doorbell->registers);
    REG(doorbell, DOORBELL_REG_MEMORY_BYTES) = (uint32_t)doorbell->engine.memory_bytes;
    doorbell->preempting = false;
}

static void destroy(struct device *device)
{
    free(device);
}

static const struct device_operations operations = {
    sizeof operations, mmio_read, mmio_write, .tick = tick, .reset = reset, .destroy = destroy};

enum { OPTION_MEMORY, OPTION_DELAY };

static const struct drydock_option options[] = {
    [OPTION_MEMORY] = {"memory_mb", "the engine's memory, a power of two", 4, 1, 64},
    [OPTION_DELAY] = {"delay_us", "what each buffer takes", 20, 1, 1000000},
    {0},
};

static struct device *create(struct device_bus *bus, const struct drydock_value *values)
{
    static const struct device_capability capabilities[] = {
        {.id = DEVICE_CAPABILITY_MSI, .message_count = 1}, {.id = DEVICE_CAPABILITY_POWER}};
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
    struct doorbell *doorbell = calloc(1, sizeof *doorbell);

    if (!doorbell || !bus->operations->describe(bus, &description)) {
        free(doorbell);
        return NULL;
    }
    doorbell->device.operations = &operations;
    engine_init(&doorbell->engine, bus, MEMORY_BAR, description.bars[MEMORY_BAR].size);
    doorbell->engine.delay_ns = values[OPTION_DELAY].number * 1000;
    reset(&doorbell->device);
    return &doorbell->device;
}

DRYDOCK_DEVICE_EXPORT const struct device_model drydock_device = {
    DRYDOCK_DEVICE_ABI,
    sizeof(struct device_model),
    "doorbell",
    "an engine that fills and copies when its doorbell rings",
    options,
    create,
};
