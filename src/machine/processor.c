/* Instructions that only a kernel's code may run, performed for it: the interrupt level in cr8,
 * memory of the CPU at gs, memory that all share. Compilers for Windows put them where a driver's
 * source calls KeGetCurrentIrql, KeGetCurrentProcessorNumber or KeQuerySystemTime.
 *
 * The process has no gs of its own, so that an access by it faults at the offset itself. */
#include "machine/internal.h"

#include <string.h>

#define LEVEL_MAX 15u

static bool move_level(const struct processor *processor, const struct level_instruction *move,
                       uint64_t *gpr, const void *place)
{
    uint64_t *operand = &gpr[move->register_index];

    if (!move->writes) {
        *operand = irql_current();
        return true;
    }
    if (*operand > LEVEL_MAX) {
        return false;
    }
    processor->set_irql((uint8_t)*operand, place);
    return true;
}

bool processor_perform(const struct processor *processor, uint64_t *gpr, uint64_t *rip,
                       uint64_t *flags)
{
    const uint8_t *code = (const uint8_t *)(uintptr_t)*rip;
    struct level_instruction move;
    struct instruction access;
    uint64_t memory;

    if (level_instruction_decode(code, &move)) {
        bool done = move_level(processor, &move, gpr, code);
        *rip += done ? move.length : 0;
        return done;
    }
    if (!instruction_decode(code, *rip, gpr, &access) || access.kind == INSTRUCTION_STORE ||
        !(access.of_cpu ? processor->of_cpu : processor->shared)(access.address, access.size,
                                                                 &memory)) {
        return false;
    }
    /* What would write is a fault, as it stands. */
    uint64_t spared_flags = *flags, spared[16];
    memcpy(spared, gpr, sizeof spared);
    if (instruction_perform(&access, spared, &spared_flags, &memory)) {
        return false;
    }
    memcpy(gpr, spared, sizeof spared);
    *flags = spared_flags;
    *rip += access.length;
    return true;
}
