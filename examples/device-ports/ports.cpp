// The doorbell engine in C++, with I/O ports and a line in place of mapped registers and messages.
// Its data sheet is ../device-doorbell/doorbell_regs.h; README.md there says how it is built.
#include <drydock/engine.h>

#include <new>
#include <vector>

#include "../device-doorbell/doorbell_regs.h"

namespace
{

constexpr unsigned memory_bar = 2;

// `device` is the base: the computer's pointer is ours.
struct ports : device {
    struct engine engine;
    uint32_t registers[DOORBELL_REGISTER_BYTES / 4];
    bool preempting;

    bool move(uint64_t address, void *bytes, size_t size, bool write);
    bool execute(const doorbell_command &command);
    bool run(const engine_work &work);
    void preempt();
};

bool ports::move(uint64_t address, void *bytes, size_t size, bool write)
{
    return address & DOORBELL_SYSTEM
               ? engine_move_system(&engine, address & ~DOORBELL_SYSTEM, bytes, size, write)
               : engine_move_own(&engine, address, bytes, size, write);
}

bool ports::execute(const doorbell_command &command)
{
    if (command.bytes > engine.memory_bytes ||
        (command.opcode != DOORBELL_FILL && command.opcode != DOORBELL_COPY)) {
        return false;
    }
    std::vector<uint32_t> words(command.bytes / 4, command.pattern);
    return (command.opcode == DOORBELL_FILL ||
            move(command.source, words.data(), command.bytes, false)) &&
           move(command.destination, words.data(), command.bytes, true);
}

bool ports::run(const engine_work &work)
{
    doorbell_command command;
    uint32_t at = 0;

    while (at + sizeof command <= work.length &&
           engine_move_system(&engine, work.address + at, &command, sizeof command, false) &&
           execute(command)) {
        at += sizeof command;
    }
    return at + sizeof command > work.length;
}

// What runs ends first.
void ports::preempt()
{
    preempting = !engine_drop(&engine);
    if (!preempting) {
        engine_raise(&engine, DOORBELL_STATUS_PREEMPTED);
    }
}

uint64_t port_read(device *device, unsigned, uint64_t offset, unsigned size)
{
    ports *self = static_cast<ports *>(device);

    return size != 4 || offset % 4         ? UINT64_MAX
           : offset == DOORBELL_REG_STATUS ? self->engine.status
                                           : self->registers[offset / 4];
}

void port_write(device *device, unsigned, uint64_t offset, unsigned size, uint64_t value)
{
    ports *self = static_cast<ports *>(device);
    uint32_t *registers = self->registers;

    if (size != 4 || offset % 4) {
        return;
    }
    switch (offset) {
    case DOORBELL_REG_DOORBELL:
        if (!engine_submit(
                &self->engine,
                {registers[DOORBELL_REG_BUFFER_LOW / 4] |
                     static_cast<uint64_t>(registers[DOORBELL_REG_BUFFER_HIGH / 4]) << 32,
                 registers[DOORBELL_REG_LENGTH / 4], registers[DOORBELL_REG_FENCE / 4]})) {
            engine_raise(&self->engine, DOORBELL_STATUS_ERROR);
        }
        break;
    case DOORBELL_REG_PREEMPT:
        self->preempt();
        break;
    case DOORBELL_REG_STATUS:
        engine_clear(&self->engine, static_cast<uint32_t>(value));
        break;
    case DOORBELL_REG_MEMORY_BYTES:
    case DOORBELL_REG_COMPLETED:
        break; // read only
    default:
        registers[offset / 4] = static_cast<uint32_t>(value);
    }
}

void tick(device *device, uint64_t)
{
    ports *self = static_cast<ports *>(device);
    engine_work work = engine_running(&self->engine);

    if (!self->run(work)) {
        engine_raise(&self->engine, DOORBELL_STATUS_ERROR);
        return;
    }
    engine_completed(&self->engine);
    self->registers[DOORBELL_REG_COMPLETED / 4] = work.fence;
    engine_raise(&self->engine, DOORBELL_STATUS_DONE);
    if (self->preempting && self->engine.count == 0) {
        self->preempt();
    }
}

void reset(device *device)
{
    ports *self = static_cast<ports *>(device);

    engine_reset(&self->engine);
    memset(self->registers, 0, sizeof self->registers);
    self->registers[DOORBELL_REG_MEMORY_BYTES / 4] =
        static_cast<uint32_t>(self->engine.memory_bytes);
    self->preempting = false;
}

void destroy(device *device)
{
    delete static_cast<ports *>(device);
}

// By name: the structure grows at its end, and what is not set is not called.
device_operations operations_of_ports()
{
    device_operations operations{};

    operations.size_bytes = sizeof operations;
    operations.mmio_read = port_read;
    operations.mmio_write = port_write;
    operations.tick = tick;
    operations.reset = reset;
    operations.destroy = destroy;
    return operations;
}

const device_operations port_operations = operations_of_ports();

const drydock_option options[] = {
    {"memory_mb", "the engine's memory, a power of two", 4, 1, 64},
    {"delay_us", "what each buffer takes", 20, 1, 1000000},
    {},
};

device *create(device_bus *bus, const drydock_value *values)
{
    device_description description = {};

    description.size_bytes = sizeof description;
    description.vendor_id = DOORBELL_VENDOR_ID;
    description.device_id = DOORBELL_DEVICE_ID;
    description.class_code = 0x12;
    description.bars[0].kind = DEVICE_BAR_PORTS;
    description.bars[0].size = DOORBELL_REGISTER_BYTES;
    description.bars[memory_bar].kind = DEVICE_BAR_MEMORY;
    description.bars[memory_bar].size = values[0].number << 20;
    if (!bus->operations->describe(bus, &description)) {
        return nullptr;
    }
    ports *self = new (std::nothrow) ports{};
    if (self) {
        self->operations = &port_operations;
        engine_init(&self->engine, bus, memory_bar, description.bars[memory_bar].size);
        self->engine.delay_ns = values[1].number * 1000;
        reset(self);
    }
    return self;
}

} // namespace

DRYDOCK_DEVICE_EXPORT const device_model drydock_device = {
    DRYDOCK_DEVICE_ABI,
    sizeof(device_model),
    "ports",
    "the doorbell engine behind I/O ports, with a line",
    options,
    create,
};
