/* interrupt.c: status bits, the line and the messages, and the test registers of the device.
 *
 * A status bit that is enabled keeps its message asserted until it is acknowledged. For a line that
 * is a level; for MSI each rise is one message, and an acknowledgement that leaves other bits
 * pending sends one more, so that nothing is lost between reading and clearing. */
#include "internal.h"

#include <string.h>

#define ENGINE_BITS 0xFFFu
#define SPURIOUS_NS 1000

static unsigned message_count(const struct interrupts *interrupts)
{
    return interrupts->messages == SOFTGPU_MESSAGE_COUNT ? SOFTGPU_MESSAGE_COUNT : 1;
}

/* The status bits that belong to a message. */
static uint32_t message_mask(const struct interrupts *interrupts, unsigned message)
{
    if (message_count(interrupts) == 1)
        return ~0u;
    return message < SOFTGPU_ENGINE_COUNT ? 0xFu << (message * 4) : ~ENGINE_BITS;
}

/* Brings lines and messages in step with the status. `again` are bits that deserve an edge even
 * if their message is asserted already. */
static void update(struct softgpu *gpu, uint32_t again)
{
    struct interrupts *interrupts = &gpu->interrupts;
    struct device_bus *bus = gpu->bus;
    for (unsigned message = 0; message < SOFTGPU_MESSAGE_COUNT; message++) {
        uint32_t mask = message < message_count(interrupts) ? message_mask(interrupts, message) : 0;
        uint32_t pending = interrupts->status & interrupts->enable & mask;
        bool wanted = pending != 0 || (message == 0 && interrupts->test_stuck);
        if (wanted && (!interrupts->line[message] || (pending & again))) {
            gpu->counters.interrupts++;
            interrupts->line[message] = true;
            bus->operations->interrupt_set(bus, message, true);
        } else if (!wanted && interrupts->line[message]) {
            interrupts->line[message] = false;
            bus->operations->interrupt_set(bus, message, false);
        }
    }
}

/* Test registers: takes away what is to be lost, and puts off what is to be late. */
static uint32_t spoil(struct softgpu *gpu, uint32_t bits)
{
    struct interrupts *interrupts = &gpu->interrupts;
    for (unsigned i = 0; i < SOFTGPU_ENGINE_COUNT; i++) {
        uint32_t fence = SOFTGPU_INTERRUPT_FENCE(i);
        if ((bits & fence) && interrupts->test_lose) {
            interrupts->test_lose--;
            bits &= ~fence;
        }
    }
    if (bits && interrupts->test_delay_ns && !interrupts->delayed_bits) {
        interrupts->delayed_bits = bits;
        softgpu_call_at(gpu, softgpu_now(gpu) + interrupts->test_delay_ns, TICK_DELAYED_INTERRUPT,
                        0, ++interrupts->delay_generation);
        interrupts->test_delay_ns = 0;
        bits = 0;
    }
    return bits;
}

void interrupt_raise(struct softgpu *gpu, uint32_t bits)
{
    if (gpu->test_unlocked)
        bits = spoil(gpu, bits);
    gpu->interrupts.status |= bits;
    if (bits)
        update(gpu, bits);
}

void interrupt_acknowledge(struct softgpu *gpu, uint32_t bits)
{
    gpu->interrupts.status &= ~bits;
    update(gpu, ~0u);
}

void interrupt_forget(struct softgpu *gpu, uint32_t bits)
{
    gpu->interrupts.status &= ~bits;
    update(gpu, 0);
}

void interrupt_set_enable(struct softgpu *gpu, uint32_t enable)
{
    gpu->interrupts.enable = enable;
    update(gpu, 0);
    for (unsigned i = 0; i < gpu->output_count; i++)
        display_update(&gpu->outputs[i]);
}

void interrupt_set_messages(struct softgpu *gpu, uint32_t messages)
{
    gpu->interrupts.messages = messages;
    update(gpu, 0);
}

void interrupt_reset(struct softgpu *gpu)
{
    gpu->interrupts.status = 0;
    gpu->interrupts.enable = 0;
    gpu->interrupts.messages = 0;
    gpu->interrupts.delayed_bits = 0;
    update(gpu, 0);
}

void interrupt_delayed_tick(struct softgpu *gpu, uint64_t generation)
{
    struct interrupts *interrupts = &gpu->interrupts;
    uint32_t bits = 0;
    if (generation && generation == interrupts->delay_generation) {
        bits = interrupts->delayed_bits;
        interrupts->delayed_bits = 0;
    }
    interrupts->status |= bits;
    update(gpu, bits);
}

/* ---- Test registers ---- */

uint32_t test_read(struct softgpu *gpu, uint32_t reg)
{
    switch (reg) {
    case SOFTGPU_TEST_KEY:
        return gpu->test_unlocked ? SOFTGPU_TEST_KEY_VALUE : 0;
    case SOFTGPU_TEST_LOSE_INTERRUPTS:
        return gpu->interrupts.test_lose;
    case SOFTGPU_TEST_DELAY_INTERRUPT:
        return gpu->interrupts.test_delay_ns;
    case SOFTGPU_TEST_STUCK_LINE:
        return gpu->interrupts.test_stuck;
    case SOFTGPU_TEST_CONNECT: {
        uint32_t connected = 0;
        for (unsigned i = 0; i < gpu->output_count; i++)
            connected |= (uint32_t)gpu->outputs[i].connected << i;
        return connected;
    }
    case SOFTGPU_TEST_LATE_WRITE:
        return (uint32_t)gpu->test_late_write;
    case SOFTGPU_TEST_LATE_WRITE + 4:
        return (uint32_t)(gpu->test_late_write >> 32);
    case SOFTGPU_TEST_LATE_WRITE_DELAY:
        return gpu->test_late_write_delay;
    default:
        return 0;
    }
}

static void connect_outputs(struct softgpu *gpu, uint32_t mask)
{
    bool changed = false;
    for (unsigned i = 0; i < gpu->output_count; i++) {
        bool connected = mask >> i & 1;
        changed |= connected != gpu->outputs[i].connected;
        display_connect(&gpu->outputs[i], connected);
    }
    if (changed)
        interrupt_raise(gpu, SOFTGPU_INTERRUPT_HOTPLUG);
}

/* The line is up for a microsecond although no status bit asks for it. */
static void spurious(struct softgpu *gpu)
{
    struct device_bus *bus = gpu->bus;
    if (gpu->interrupts.line[0])
        return;
    gpu->interrupts.line[0] = true;
    bus->operations->interrupt_set(bus, 0, true);
    softgpu_call_at(gpu, softgpu_now(gpu) + SPURIOUS_NS, TICK_DELAYED_INTERRUPT, 0, 0);
}

void test_write(struct softgpu *gpu, uint32_t reg, uint32_t value)
{
    struct interrupts *interrupts = &gpu->interrupts;
    if (reg == SOFTGPU_TEST_KEY)
        gpu->test_unlocked = value == SOFTGPU_TEST_KEY_VALUE;
    if (!gpu->test_unlocked)
        return;
    switch (reg) {
    case SOFTGPU_TEST_LOSE_INTERRUPTS:
        interrupts->test_lose = value;
        break;
    case SOFTGPU_TEST_DELAY_INTERRUPT:
        interrupts->test_delay_ns = value;
        break;
    case SOFTGPU_TEST_SPURIOUS:
        spurious(gpu);
        break;
    case SOFTGPU_TEST_STUCK_LINE:
        interrupts->test_stuck = value & 1;
        update(gpu, 0);
        break;
    case SOFTGPU_TEST_CONNECT:
        connect_outputs(gpu, value);
        break;
    case SOFTGPU_TEST_LATE_WRITE:
        gpu->test_late_write = (gpu->test_late_write & ~0xFFFFFFFFull) | value;
        break;
    case SOFTGPU_TEST_LATE_WRITE + 4:
        gpu->test_late_write = (uint32_t)gpu->test_late_write | (uint64_t)value << 32;
        break;
    case SOFTGPU_TEST_LATE_WRITE_DELAY:
        gpu->test_late_write_delay = value;
        break;
    default:
        break;
    }
}

/* A GPU that writes to memory after its reset is the fault a driver must never meet. */
void test_after_reset(struct softgpu *gpu)
{
    gpu->test_late_write_generation++;
    if (gpu->test_unlocked && gpu->test_late_write)
        softgpu_call_at(gpu, softgpu_now(gpu) + gpu->test_late_write_delay, TICK_LATE_WRITE, 0,
                        gpu->test_late_write_generation);
}

void test_late_write_tick(struct softgpu *gpu, uint64_t generation)
{
    if (generation != gpu->test_late_write_generation || !gpu->test_late_write)
        return;
    struct access access = {.gpu = gpu, .privileged = true};
    uint64_t value = SOFTGPU_LATE_WRITE_VALUE;
    address_write(&access, gpu->test_late_write, &value, sizeof(value));
}
