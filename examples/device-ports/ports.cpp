// The doorbell engine in C++, with I/O ports and a line in place of mapped registers and messages.
// Its data sheet is ../device-doorbell/doorbell_regs.h; README.md there says how it is built.
#include <drydock/device.h>

#include <cstring>
#include <deque>
#include <new>
#include <vector>

#include "../device-doorbell/doorbell_regs.h"

namespace
{

constexpr unsigned memory_bar = 2;

struct work {
    uint64_t buffer;
    uint32_t length, fence;
};

// `device` is the base: the computer's pointer is ours.
class engine : public device
{
public:
    engine(device_bus *its_bus, uint32_t bytes, uint64_t delay);

    uint32_t read(uint64_t offset) const { return registers[offset / 4]; }
    void write(uint64_t offset, uint32_t value);
    void work_ended();
    void reset();

private:
    uint32_t &reg(unsigned offset) { return registers[offset / 4]; }
    void raise(uint32_t bits);
    bool move(uint64_t address, void *bytes, uint32_t size, bool write);
    bool execute(const doorbell_command &command);
    bool run(const work &work);
    void begin();

    device_bus *bus;
    uint8_t *memory;
    uint32_t memory_bytes;
    uint64_t delay_us;
    uint32_t registers[DOORBELL_REGISTER_BYTES / 4] = {};
    std::deque<work> queue; // the first one runs
    bool preempting = false;
};

void engine::raise(uint32_t bits)
{
    reg(DOORBELL_REG_STATUS) |= bits;
    bus->operations->interrupt_set(bus, 0, true);
}

bool engine::move(uint64_t address, void *bytes, uint32_t size, bool write)
{
    if (address & DOORBELL_SYSTEM) {
        address &= ~DOORBELL_SYSTEM;
        return write ? bus->operations->dma_write(bus, address, bytes, size)
                     : bus->operations->dma_read(bus, address, bytes, size);
    }
    if (size > memory_bytes || address > memory_bytes - size) {
        return false;
    }
    std::memcpy(write ? memory + address : bytes, write ? bytes : memory + address, size);
    return true;
}

bool engine::execute(const doorbell_command &command)
{
    std::vector<uint32_t> words(command.bytes / 4, command.pattern);

    if (command.opcode != DOORBELL_FILL && command.opcode != DOORBELL_COPY) {
        return false;
    }
    return (command.opcode == DOORBELL_FILL ||
            move(command.source, words.data(), command.bytes, false)) &&
           move(command.destination, words.data(), command.bytes, true);
}

bool engine::run(const work &work)
{
    doorbell_command command;

    for (uint32_t at = 0; at + sizeof command <= work.length; at += sizeof command) {
        if (!move((work.buffer + at) | DOORBELL_SYSTEM, &command, sizeof command, false) ||
            command.bytes > memory_bytes || !execute(command)) {
            return false;
        }
    }
    return true;
}

void engine::begin()
{
    if (!queue.empty()) {
        bus->operations->call_at(bus, bus->operations->now_ns(bus) + delay_us * 1000, 0);
    } else if (preempting) {
        preempting = false;
        raise(DOORBELL_STATUS_PREEMPTED);
    }
}

void engine::work_ended()
{
    work work = queue.front();

    if (!run(work)) {
        raise(DOORBELL_STATUS_ERROR);
        return;
    }
    queue.pop_front();
    reg(DOORBELL_REG_COMPLETED) = work.fence;
    raise(DOORBELL_STATUS_DONE);
    begin();
}

void engine::write(uint64_t offset, uint32_t value)
{
    switch (offset) {
    case DOORBELL_REG_DOORBELL:
        queue.push_back({reg(DOORBELL_REG_BUFFER_LOW) |
                             static_cast<uint64_t>(reg(DOORBELL_REG_BUFFER_HIGH)) << 32,
                         reg(DOORBELL_REG_LENGTH), reg(DOORBELL_REG_FENCE)});
        if (queue.size() == 1) {
            begin();
        }
        break;
    case DOORBELL_REG_PREEMPT:
        preempting = true;
        if (queue.empty()) {
            begin();
        } else {
            queue.resize(1); // what runs ends first
        }
        break;
    case DOORBELL_REG_STATUS:
        reg(DOORBELL_REG_STATUS) &= ~value;
        bus->operations->interrupt_set(bus, 0, reg(DOORBELL_REG_STATUS) != 0);
        break;
    case DOORBELL_REG_MEMORY_BYTES:
    case DOORBELL_REG_COMPLETED:
        break; // read only
    default:
        registers[offset / 4] = value;
    }
}

void engine::reset()
{
    std::memset(registers, 0, sizeof registers);
    reg(DOORBELL_REG_MEMORY_BYTES) = memory_bytes;
    queue.clear();
    preempting = false;
}

// ---- What the computer calls ----------------------------------------------------------------

uint64_t mmio_read(device *device, unsigned, uint64_t offset, unsigned size)
{
    return size == 4 && offset % 4 == 0 ? static_cast<engine *>(device)->read(offset) : UINT64_MAX;
}

void mmio_write(device *device, unsigned, uint64_t offset, unsigned size, uint64_t value)
{
    if (size == 4 && offset % 4 == 0) {
        static_cast<engine *>(device)->write(offset, static_cast<uint32_t>(value));
    }
}

void tick(device *device, uint64_t)
{
    static_cast<engine *>(device)->work_ended();
}

void reset(device *device)
{
    static_cast<engine *>(device)->reset();
}

void destroy(device *device)
{
    delete static_cast<engine *>(device);
}

// By name: the structure grows at its end, and what is not set is not called.
device_operations operations_of_engine()
{
    device_operations operations{};

    operations.size_bytes = sizeof operations;
    operations.mmio_read = mmio_read;
    operations.mmio_write = mmio_write;
    operations.tick = tick;
    operations.reset = reset;
    operations.destroy = destroy;
    return operations;
}

const device_operations engine_operations = operations_of_engine();

engine::engine(device_bus *its_bus, uint32_t bytes, uint64_t delay)
    : device{&engine_operations}, bus(its_bus), memory_bytes(bytes), delay_us(delay)
{
    memory = static_cast<uint8_t *>(bus->operations->bar_memory(bus, memory_bar));
    reset();
}

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
    return new (std::nothrow) engine(
        bus, static_cast<uint32_t>(description.bars[memory_bar].size), values[1].number);
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
