/* Copies of memory that somebody else vouched for: a bad address ends the copy, not the run.
 *
 * All accesses are made by one instruction, so that a fault in it can be told from every other: the
 * host's first look at a fault asks machine_copy_fault(), which sends the copy to its end. */
#include "machine/internal.h"

#include <ucontext.h>

/* Non-zero when it was cut short. Bytes in front of the bad address may have been copied. */
extern uint32_t copy_bytes(void *to, const void *from, size_t size);
extern const char copy_instruction[], copy_failed[];

__asm__(".text\n"
        ".p2align 4\n"
        ".globl copy_bytes\n"
        ".hidden copy_bytes, copy_instruction, copy_failed\n"
        ".type copy_bytes, @function\n"
        "copy_bytes:\n"
        "    movq %rdx, %rcx\n"
        ".globl copy_instruction\n"
        "copy_instruction:\n"
        "    rep movsb\n"
        "    xorl %eax, %eax\n"
        "    ret\n"
        ".globl copy_failed\n"
        "copy_failed:\n"
        "    movl $1, %eax\n"
        "    ret\n"
        ".size copy_bytes, . - copy_bytes\n");

bool machine_copy_fault(void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

    if (registers[REG_RIP] != (greg_t)(uintptr_t)copy_instruction) {
        return false;
    }
    registers[REG_RIP] = (greg_t)(uintptr_t)copy_failed;
    return true;
}

bool machine_copy(void *to, const void *from, size_t size)
{
    uintptr_t end;

    return !__builtin_add_overflow((uintptr_t)to, size, &end) &&
           !__builtin_add_overflow((uintptr_t)from, size, &end) && copy_bytes(to, from, size) == 0;
}

/* Control does not switch in here, so nobody sees a byte between reading and writing it back. */
bool machine_is_writable(void *address, size_t size)
{
    uintptr_t at = (uintptr_t)address, end;
    uint8_t byte;

    if (__builtin_add_overflow(at, size, &end)) {
        return false;
    }
    while (at < end) {
        if (!machine_copy(&byte, (const void *)at, 1) || !machine_copy((void *)at, &byte, 1)) {
            return false;
        }
        if (__builtin_add_overflow(align_down(at, MACHINE_PAGE_SIZE), MACHINE_PAGE_SIZE, &at)) {
            break;
        }
    }
    return true;
}
