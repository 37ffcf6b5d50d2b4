/* commands_mmu.c: page tables and what is known of them: WRITE_PTE, COPY_PTE, FLUSH_TLB.
 *
 * Tables are named by virtual addresses of the packet's space, or by GPU addresses. A slice is as
 * many entries as one of MAP_APERTURE; progress counts slices. */
#include "internal.h"

#include <string.h>

#define SLICE_PTES   4096u
#define BLOCK_PTES   512u
#define PTE_BYTES    8u
#define PAIR_BYTES   16u
#define FLUSH_NS     200u
#define WRITTEN_WITH SOFTGPU_COMMAND_WORDS_OF(struct softgpu_command_write_pte)

/* How the command may reach its tables. */
static struct access tables_of(const struct command *command, uint32_t flags)
{
    struct access access = command->access;
    if (flags & SOFTGPU_PTES_PHYSICAL) {
        access.space = 0;
        access.privileged = true;
    }
    return access;
}

static enum command_result give_up(struct command *command, const struct access *access)
{
    command->access.fault = access->fault;
    return COMMAND_FAULT;
}

/* Entries [*first, + *count) are this call's; false: all are done. */
static bool next_entries(const struct command *command, uint32_t total, uint32_t *first,
                         uint32_t *count)
{
    uint64_t done = (uint64_t)command->progress * SLICE_PTES;
    if (done >= total)
        return false;
    *first = (uint32_t)done;
    *count = total - *first < SLICE_PTES ? total - *first : SLICE_PTES;
    return true;
}

static enum command_result end_entries(struct command *command, uint32_t total, uint32_t first,
                                       uint32_t count)
{
    command->cost_ns += count;
    command->access.gpu->counters.bytes_written += (uint64_t)count * PTE_BYTES;
    if (total - first <= count)
        return COMMAND_DONE;
    command->progress++;
    return COMMAND_CONTINUE;
}

/* ---- WRITE_PTE ---- */

static bool write_entries(const struct command *command, struct access *access,
                          const struct softgpu_command_write_pte *write, uint32_t first,
                          uint32_t count)
{
    uint64_t address = address_of(write->address);
    bool repeat = write->flags & SOFTGPU_PTES_REPEAT;
    for (uint32_t i = first; i < first + count; i++) {
        const uint32_t *words = command->words + WRITTEN_WITH + (repeat ? 0 : (size_t)i * 2);
        if (!address_write(access, address + (uint64_t)i * write->stride_bytes, words, PTE_BYTES))
            return false;
    }
    return true;
}

enum command_result command_write_pte(struct command *command)
{
    struct softgpu_command_write_pte write;
    uint32_t first, count;
    memcpy(&write, command->words, sizeof(write));
    uint64_t address = address_of(write.address);
    bool repeat = write.flags & SOFTGPU_PTES_REPEAT;
    if ((write.flags & ~(SOFTGPU_PTES_PHYSICAL | SOFTGPU_PTES_REPEAT)) || address % PTE_BYTES ||
        (write.stride_bytes != PTE_BYTES && write.stride_bytes != PAIR_BYTES))
        return command_fault(command, SOFTGPU_FAULT_OPERAND, address);
    if (command->word_count != WRITTEN_WITH + (repeat ? 2 : (uint64_t)write.entry_count * 2))
        return command_fault(command, SOFTGPU_FAULT_LENGTH, 0);
    struct access access = tables_of(command, write.flags);
    if (!next_entries(command, write.entry_count, &first, &count))
        return COMMAND_DONE;
    uint64_t bytes = (uint64_t)(write.entry_count - 1) * write.stride_bytes + PTE_BYTES;
    if (!address_check(&access, address, bytes) ||
        !write_entries(command, &access, &write, first, count))
        return give_up(command, &access);
    return end_entries(command, write.entry_count, first, count);
}

/* ---- COPY_PTE ---- */

static bool copy_entries(struct access *access, uint64_t to, uint64_t from, uint32_t count)
{
    uint64_t entries[BLOCK_PTES];
    for (uint32_t done = 0; done < count;) {
        uint32_t block = count - done < BLOCK_PTES ? count - done : BLOCK_PTES;
        uint64_t offset = (uint64_t)done * PTE_BYTES, bytes = (uint64_t)block * PTE_BYTES;
        if (!address_read(access, from + offset, entries, bytes) ||
            !address_write(access, to + offset, entries, bytes))
            return false;
        done += block;
    }
    return true;
}

enum command_result command_copy_pte(struct command *command)
{
    struct softgpu_command_copy_pte copy;
    uint32_t first, count;
    memcpy(&copy, command->words, sizeof(copy));
    uint64_t to = address_of(copy.destination), from = address_of(copy.source);
    uint64_t bytes = (uint64_t)copy.entry_count * PTE_BYTES;
    if ((copy.flags & ~SOFTGPU_PTES_PHYSICAL) || to % PTE_BYTES || from % PTE_BYTES ||
        (to < from ? from - to : to - from) < bytes)
        return command_fault(command, SOFTGPU_FAULT_OPERAND, to);
    struct access access = tables_of(command, copy.flags);
    if (!address_check(&access, to, bytes) || !address_check(&access, from, bytes))
        return give_up(command, &access);
    if (!next_entries(command, copy.entry_count, &first, &count))
        return COMMAND_DONE;
    uint64_t offset = (uint64_t)first * PTE_BYTES;
    if (!copy_entries(&access, to + offset, from + offset, count))
        return give_up(command, &access);
    command->access.gpu->counters.bytes_read += (uint64_t)count * PTE_BYTES;
    return end_entries(command, copy.entry_count, first, count);
}

/* ---- FLUSH_TLB ---- */

enum command_result command_flush_tlb(struct command *command)
{
    struct softgpu *gpu = command->access.gpu;
    struct softgpu_command_flush_tlb flush;
    memcpy(&flush, command->words, sizeof(flush));
    uint64_t start = address_of(flush.start), end = address_of(flush.end);
    bool every = flush.flags & SOFTGPU_FLUSH_EVERY_TAG;
    if ((flush.flags & ~SOFTGPU_FLUSH_EVERY_TAG) || start > end ||
        (every && (flush.tag || start || end)))
        return command_fault(command, SOFTGPU_FAULT_OPERAND, start);
    if (every)
        mmu_flush_everything(gpu);
    else
        mmu_flush(gpu, flush.tag, start, end);
    command->cost_ns += FLUSH_NS;
    return COMMAND_DONE;
}
