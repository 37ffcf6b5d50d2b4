/* commands_sync.c: writing, waiting, fences, interrupts, time. */
#include "internal.h"

#include <string.h>

#define WAIT_FIRST_NS 200
#define WAIT_MAX_NS   100000

enum command_result command_nop(struct command *command)
{
    return COMMAND_DONE;
}

enum command_result command_write(struct command *command)
{
    struct softgpu_command_write write;
    memcpy(&write, command->words, sizeof(write));
    uint64_t address = address_of(write.address);
    uint64_t value = pair(write.value_low, write.value_high);
    uint32_t size = write.flags & SOFTGPU_WRITE_64 ? 8 : 4;
    if ((write.flags & ~SOFTGPU_WRITE_64) || address % size)
        return command_fault(command, SOFTGPU_FAULT_OPERAND, address);
    if (!address_write(&command->access, address, &value, size))
        return COMMAND_FAULT;
    return COMMAND_DONE;
}

static bool holds(uint32_t condition, uint64_t value, uint64_t reference)
{
    switch (condition & SOFTGPU_WAIT_CONDITIONS) {
    case SOFTGPU_WAIT_EQUAL:
        return value == reference;
    case SOFTGPU_WAIT_AT_LEAST:
        return value >= reference;
    default:
        return value != reference;
    }
}

/* Looks rarely when the wait is long: a wait for ever must not keep the machine from going on. */
enum command_result command_wait(struct command *command)
{
    struct engine *engine = command->engine;
    struct softgpu_command_wait wait;
    memcpy(&wait, command->words, sizeof(wait));
    uint64_t address = address_of(wait.address);
    uint64_t value = 0, reference = pair(wait.value_low, wait.value_high);
    bool wide = wait.condition & SOFTGPU_WAIT_64;
    if ((wait.condition & ~(SOFTGPU_WAIT_CONDITIONS | SOFTGPU_WAIT_64)) ||
        (wait.condition & SOFTGPU_WAIT_CONDITIONS) > SOFTGPU_WAIT_NOT_EQUAL ||
        address % (wide ? 8 : 4))
        return command_fault(command, SOFTGPU_FAULT_OPERAND, address);
    if (!address_read(&command->access, address, &value, wide ? 8 : 4))
        return COMMAND_FAULT;
    if (holds(wait.condition, value, wide ? reference : wait.value_low))
        return COMMAND_DONE;
    engine->backoff_ns = engine->backoff_ns ? engine->backoff_ns * 2 : WAIT_FIRST_NS;
    if (engine->backoff_ns > WAIT_MAX_NS)
        engine->backoff_ns = WAIT_MAX_NS;
    command->cost_ns = engine->backoff_ns;
    return COMMAND_WAIT;
}

enum command_result command_timestamp(struct command *command)
{
    struct softgpu_command_address operand;
    memcpy(&operand, command->words, sizeof(operand));
    uint64_t address = address_of(operand.address);
    uint64_t now = softgpu_now(command->access.gpu);
    if (address % 8)
        return command_fault(command, SOFTGPU_FAULT_OPERAND, address);
    if (!address_write(&command->access, address, &now, sizeof(now)))
        return COMMAND_FAULT;
    return COMMAND_DONE;
}

enum command_result command_fence(struct command *command)
{
    struct softgpu_command_fence fence;
    memcpy(&fence, command->words, sizeof(fence));
    if (fence.flags & ~SOFTGPU_FENCE_INTERRUPT)
        return command_fault(command, SOFTGPU_FAULT_OPERAND, 0);
    uint64_t value = pair(fence.fence_low, fence.fence_high);
    if (!engine_write_fence(command->engine, value, &command->access.fault))
        return COMMAND_FAULT;
    if (fence.flags & SOFTGPU_FENCE_INTERRUPT)
        interrupt_raise(command->access.gpu, SOFTGPU_INTERRUPT_FENCE(command->engine->index));
    return COMMAND_DONE;
}

enum command_result command_fence64(struct command *command)
{
    struct softgpu_command_fence64 fence;
    memcpy(&fence, command->words, sizeof(fence));
    uint64_t address = address_of(fence.address);
    uint64_t value = pair(fence.value_low, fence.value_high);
    if ((fence.flags & ~SOFTGPU_FENCE_INTERRUPT) || address % sizeof(value))
        return command_fault(command, SOFTGPU_FAULT_OPERAND, address);
    if (!address_write(&command->access, address, &value, sizeof(value)))
        return COMMAND_FAULT;
    if (fence.flags & SOFTGPU_FENCE_INTERRUPT)
        interrupt_raise(command->access.gpu, SOFTGPU_INTERRUPT_USER(command->engine->index));
    return COMMAND_DONE;
}

/* The value is there before anybody decides whether to tell of it. */
enum command_result command_signal(struct command *command)
{
    struct softgpu_command_signal signal;
    memcpy(&signal, command->words, sizeof(signal));
    uint64_t address = address_of(signal.address), watched = address_of(signal.monitored);
    uint64_t value = pair(signal.value_low, signal.value_high), monitored = 0;
    if (signal.flags || address % sizeof(value) || watched % sizeof(value))
        return command_fault(command, SOFTGPU_FAULT_OPERAND, address);
    if (!address_write(&command->access, address, &value, sizeof(value)) ||
        !address_read(&command->access, watched, &monitored, sizeof(monitored)))
        return COMMAND_FAULT;
    if (value > monitored)
        interrupt_raise(command->access.gpu, SOFTGPU_INTERRUPT_SIGNAL(command->engine->index));
    return COMMAND_DONE;
}

enum command_result command_interrupt(struct command *command)
{
    interrupt_raise(command->access.gpu, SOFTGPU_INTERRUPT_USER(command->engine->index));
    return COMMAND_DONE;
}

enum command_result command_delay(struct command *command)
{
    struct softgpu_command_delay delay;
    memcpy(&delay, command->words, sizeof(delay));
    /* In pieces, so that a preemption finds a place to stop. */
    uint64_t done = (uint64_t)command->progress * WAIT_MAX_NS;
    uint64_t left = done < delay.nanoseconds ? delay.nanoseconds - done : 0;
    command->cost_ns += left < WAIT_MAX_NS ? left : WAIT_MAX_NS;
    if (left <= WAIT_MAX_NS)
        return COMMAND_DONE;
    command->progress++;
    return COMMAND_CONTINUE;
}

enum command_result command_hang(struct command *command)
{
    return COMMAND_HANG;
}
