/* command.c: fetches commands from their buffer and checks them before they are done.
 *
 * A row of the table says where a command may run, who may use it and how long it is; what the
 * operands mean is checked by the command itself. A command is fetched and checked anew for every
 * slice of it, so whoever rewrites a buffer under the engine gains nothing. */
#include "internal.h"
#include "softgpu_combine.h"

#include <string.h>

#define ON_3D      (1u << SOFTGPU_ENGINE_3D)
#define ON_COPY    (1u << SOFTGPU_ENGINE_COPY)
#define ON_COMPUTE (1u << SOFTGPU_ENGINE_COMPUTE)
#define ON_2D      (ON_3D | ON_COMPUTE)
#define ON_ALL     (ON_3D | ON_COPY | ON_COMPUTE)

struct operation {
    command_fn *execute;
    uint32_t engines;
    uint32_t words;  /* with the header */
    bool more_words; /* a list may follow */
    bool privileged;
    bool exact_time; /* seen from outside: not before its time has come */
};

#define WORDS(type) SOFTGPU_COMMAND_WORDS_OF(struct softgpu_command_##type)

static const struct operation operations[] = {
    [SOFTGPU_OP_NOP] = {command_nop, ON_ALL, 1, .more_words = true},
    [SOFTGPU_OP_WRITE] = {command_write, ON_ALL, WORDS(write), .exact_time = true},
    [SOFTGPU_OP_WAIT] = {command_wait, ON_ALL, WORDS(wait), .exact_time = true},
    [SOFTGPU_OP_TIMESTAMP] = {command_timestamp, ON_ALL, WORDS(address), .exact_time = true},
    [SOFTGPU_OP_FENCE] = {command_fence, ON_ALL, WORDS(fence), .privileged = true,
                          .exact_time = true},
    [SOFTGPU_OP_INTERRUPT] = {command_interrupt, ON_ALL, 1, .privileged = true, .exact_time = true},
    [SOFTGPU_OP_FENCE64] = {command_fence64, ON_ALL, WORDS(fence64), .exact_time = true},
    [SOFTGPU_OP_SIGNAL] = {command_signal, ON_ALL, WORDS(signal), .exact_time = true},
    [SOFTGPU_OP_DELAY] = {command_delay, ON_ALL, WORDS(delay)},
    [SOFTGPU_OP_HANG] = {command_hang, ON_ALL, 1},
    [SOFTGPU_OP_FILL] = {command_fill, ON_ALL, WORDS(fill)},
    [SOFTGPU_OP_COPY] = {command_copy, ON_ALL, WORDS(copy)},
    [SOFTGPU_OP_COPY_PAGES] = {command_copy_pages, ON_ALL, WORDS(copy_pages), .more_words = true,
                               .privileged = true},
    [SOFTGPU_OP_MAP_APERTURE] = {command_map_aperture, ON_ALL, WORDS(map_aperture),
                                 .more_words = true, .privileged = true},
    [SOFTGPU_OP_WRITE_PTE] = {command_write_pte, ON_ALL, WORDS(write_pte), .more_words = true,
                              .privileged = true},
    [SOFTGPU_OP_COPY_PTE] = {command_copy_pte, ON_ALL, WORDS(copy_pte), .privileged = true},
    [SOFTGPU_OP_FLUSH_TLB] = {command_flush_tlb, ON_ALL, WORDS(flush_tlb), .privileged = true,
                              .exact_time = true},
    [SOFTGPU_OP_FILL_RECT] = {command_fill_rect, ON_2D, WORDS(fill_rect)},
    [SOFTGPU_OP_BLT] = {command_blt, ON_2D, WORDS(blt)},
    [SOFTGPU_OP_STRETCH] = {command_stretch, ON_2D, WORDS(stretch)},
    [SOFTGPU_OP_ROTATE] = {command_rotate, ON_2D, WORDS(rotate)},
    [SOFTGPU_OP_OVER] = {command_over, ON_3D, WORDS(over)},
    [SOFTGPU_OP_TRIANGLES] = {command_triangles, ON_3D, WORDS(triangles), .more_words = true},
    [SOFTGPU_OP_FLIP] = {command_flip, ON_3D, WORDS(flip), .privileged = true, .exact_time = true},
    [SOFTGPU_OP_COMBINE] = {command_combine, ON_2D, WORDS(combine)},
    [SOFTGPU_OP_COMPUTE] = {command_compute, ON_COMPUTE, WORDS(compute)},
};

enum command_result command_fault(struct command *command, uint32_t reason, uint64_t address)
{
    command->access.fault = (struct fault){.reason = reason, .address = address};
    return COMMAND_FAULT;
}

/* Points command->words at the whole command. The buffer itself is the driver's choice, so it may
 * lie in system memory whatever its content may do. */
static bool fetch(struct engine *engine, struct command *command)
{
    const struct softgpu_packet *packet = &engine->packet;
    struct access access = {.gpu = engine->gpu,
                            .privileged = true,
                            .executes = true,
                            .space = packet->type_flags >> SOFTGPU_PACKET_VMID_SHIFT,
                            .engine = engine};
    uint64_t address = pair(packet->address_low, packet->address_high) + engine->offset;
    uint64_t left = packet->size_bytes - engine->offset, mapped_size;
    uint8_t *bytes =
        address_map(&access, address, left < SOFTGPU_PAGE_SIZE ? left : SOFTGPU_PAGE_SIZE,
                    ACCESS_READ, &mapped_size);
    if (!bytes) {
        command->access.fault = access.fault;
        return false;
    }
    memcpy(engine->fetch_buffer, bytes, 4);
    command->words = engine->fetch_buffer;
    command->word_count = SOFTGPU_COMMAND_WORDS(engine->fetch_buffer[0]);
    uint64_t size = (uint64_t)command->word_count * 4;
    if (size == 0 || size > left) {
        command_fault(command, SOFTGPU_FAULT_LENGTH, address);
        return false;
    }
    if (size <= mapped_size) {
        memcpy(engine->fetch_buffer + 1, bytes + 4, size - 4);
    } else if (!address_read(&access, address + 4, engine->fetch_buffer + 1, size - 4)) {
        command->access.fault = access.fault;
        return false;
    }
    return true;
}

static const struct operation *check(struct engine *engine, struct command *command)
{
    uint32_t opcode = SOFTGPU_COMMAND_OPCODE(command->words[0]);
    bool known = opcode < sizeof(operations) / sizeof(operations[0]);
    const struct operation *operation = known ? &operations[opcode] : NULL;
    if (!operation || !(operation->engines & 1u << engine->index)) {
        command_fault(command, SOFTGPU_FAULT_OPCODE, 0);
        return NULL;
    }
    if (command->word_count < operation->words ||
        (command->word_count > operation->words && !operation->more_words)) {
        command_fault(command, SOFTGPU_FAULT_LENGTH, 0);
        return NULL;
    }
    if (operation->privileged && !command->access.privileged) {
        command_fault(command, SOFTGPU_FAULT_PRIVILEGE, 0);
        return NULL;
    }
    return operation;
}

/* Counts a test register down; true when it is this command's turn. */
static bool its_turn(uint32_t *after)
{
    return *after && --*after == 0;
}

enum command_result command_step(struct engine *engine, struct command *command, uint64_t spent_ns)
{
    *command = (struct command){
        .engine = engine,
        .access = {.gpu = engine->gpu,
                   .privileged = engine->packet.type_flags & SOFTGPU_PACKET_FLAG_PRIVILEGED,
                   .space = engine->packet.type_flags >> SOFTGPU_PACKET_VMID_SHIFT,
                   .engine = engine},
        .progress = engine->progress,
    };
    if (!fetch(engine, command))
        return COMMAND_FAULT;
    const struct operation *operation = check(engine, command);
    if (!operation)
        return COMMAND_FAULT;
    if (operation->exact_time && spent_ns)
        return COMMAND_WAIT;
    if (engine->gpu->test_unlocked && engine->progress == 0 && engine->backoff_ns == 0) {
        if (its_turn(&engine->test_hang_after))
            return COMMAND_HANG;
        if (its_turn(&engine->test_fault_after))
            return command_fault(command, SOFTGPU_FAULT_INJECTED, 0);
    }
    if (engine->progress == 0)
        command->cost_ns = COST_COMMAND_NS;
    return operation->execute(command);
}
