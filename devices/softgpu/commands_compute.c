/* commands_compute.c: the kernels of the compute engine, over arrays of 32-bit words.
 *
 * The element-wise kernels do a slice a call; progress counts slices. The reducing ones carry a
 * value from slice to slice, which lives in result[0] meanwhile, so that a preempted kernel goes on
 * from memory alone. */
#include "internal.h"

#include <string.h>

#define SLICE_ELEMENTS (SLICE_BYTES / 4 / 4)
#define BLOCK_ELEMENTS 1024u
#define HASH_BASIS     0x811C9DC5u
#define HASH_PRIME     0x01000193u

struct block {
    uint32_t a[BLOCK_ELEMENTS], b[BLOCK_ELEMENTS];
    uint32_t count;
};

static bool has_a(uint32_t kernel)
{
    return kernel != SOFTGPU_KERNEL_IOTA;
}

static bool has_b(uint32_t kernel)
{
    return kernel == SOFTGPU_KERNEL_ADD || kernel == SOFTGPU_KERNEL_MAD;
}

static bool reduces(uint32_t kernel)
{
    return kernel == SOFTGPU_KERNEL_SUM || kernel == SOFTGPU_KERNEL_HASH;
}

static void map_block(const struct softgpu_command_compute *compute, uint64_t first,
                      struct block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        switch (compute->kernel) {
        case SOFTGPU_KERNEL_ADD:
            block->a[i] += block->b[i];
            break;
        case SOFTGPU_KERNEL_MAD:
            block->a[i] = block->a[i] * compute->scalar + block->b[i];
            break;
        default:
            block->a[i] = compute->scalar + (uint32_t)(first + i);
            break;
        }
    }
}

static uint32_t reduce_block(uint32_t kernel, uint32_t value, const struct block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        if (kernel == SOFTGPU_KERNEL_SUM) {
            value += block->a[i];
            continue;
        }
        for (unsigned byte = 0; byte < 4; byte++)
            value = (value ^ (block->a[i] >> (byte * 8) & 0xFF)) * HASH_PRIME;
    }
    return value;
}

static bool check_operands(struct command *command, const struct softgpu_command_compute *compute)
{
    struct access *access = &command->access;
    uint64_t result = address_of(compute->result);
    uint64_t a = address_of(compute->source_a), b = address_of(compute->source_b);
    uint64_t size = (uint64_t)compute->count * 4;
    if (compute->kernel >= SOFTGPU_KERNEL_COUNT || result % 4 || a % 4 || b % 4) {
        command_fault(command, SOFTGPU_FAULT_OPERAND, result);
        return false;
    }
    return address_check(access, result, reduces(compute->kernel) ? 4 : size) &&
           (!has_a(compute->kernel) || address_check(access, a, size)) &&
           (!has_b(compute->kernel) || address_check(access, b, size));
}

/* Elements [first, +count). */
static bool run_slice(struct command *command, const struct softgpu_command_compute *compute,
                      uint64_t first, uint32_t count, uint32_t *carried)
{
    struct access *access = &command->access;
    struct block block;
    for (uint32_t done = 0; done < count; done += block.count) {
        uint64_t at = (first + done) * 4;
        block.count = count - done < BLOCK_ELEMENTS ? count - done : BLOCK_ELEMENTS;
        uint64_t size = (uint64_t)block.count * 4;
        if (has_a(compute->kernel) &&
            !address_read(access, address_of(compute->source_a) + at, block.a, size))
            return false;
        if (has_b(compute->kernel) &&
            !address_read(access, address_of(compute->source_b) + at, block.b, size))
            return false;
        if (reduces(compute->kernel)) {
            *carried = reduce_block(compute->kernel, *carried, &block);
            continue;
        }
        map_block(compute, first + done, &block);
        if (!address_write(access, address_of(compute->result) + at, block.a, size))
            return false;
    }
    return true;
}

static bool begin_reduction(struct command *command, const struct softgpu_command_compute *compute,
                            uint32_t *carried)
{
    if (command->progress)
        return address_read(&command->access, address_of(compute->result), carried, 4);
    *carried = compute->scalar;
    if (compute->kernel == SOFTGPU_KERNEL_HASH && !compute->scalar)
        *carried = HASH_BASIS;
    return true;
}

enum command_result command_compute(struct command *command)
{
    struct softgpu_command_compute compute;
    uint32_t carried = 0;
    memcpy(&compute, command->words, sizeof(compute));
    if (!check_operands(command, &compute))
        return COMMAND_FAULT;
    bool reducing = reduces(compute.kernel);
    uint64_t first = (uint64_t)command->progress * SLICE_ELEMENTS;
    uint64_t left = first < compute.count ? compute.count - first : 0;
    uint32_t count = left < SLICE_ELEMENTS ? (uint32_t)left : SLICE_ELEMENTS;
    if ((reducing && !begin_reduction(command, &compute, &carried)) ||
        !run_slice(command, &compute, first, count, &carried) ||
        (reducing && !address_write(&command->access, address_of(compute.result), &carried, 4)))
        return COMMAND_FAULT;
    command->cost_ns += count / RATE_COMPUTE;
    command->access.gpu->counters.bytes_read += (uint64_t)count * 4;
    if (left <= SLICE_ELEMENTS)
        return COMMAND_DONE;
    command->progress++;
    return COMMAND_CONTINUE;
}
