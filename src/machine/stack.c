/* Stacks of tasks, and on them what is a driver's.
 *
 *     high   the host's frames: of the task, of whoever calls the driver
 *            the driver's part: 24 KiB, what a thread of the kernel has on x64
 *            the line: pages that are shut while a driver runs
 *            room for what the driver calls, and for interrupts
 *     low    nothing (the guard)
 *
 * A driver is called at the top of its part; see nt/guard.S. Frames of the host below it may be
 * larger than those of Windows: who runs into the line and is not the driver, or is one that was
 * called from down there (a routine that runs for the driver's sake, an interrupt) and has not used
 * 24 KiB by himself, has it opened, until a driver is called from above again. */
#include "machine/internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define STACK_SLOT_BYTES (UINT64_C(1) << 20)
#define STACK_SLOT_COUNT ((unsigned)(ADDRESS_WINDOW / STACK_SLOT_BYTES))
#define LINE_BYTES       (32u << 10)
#define LINED_BYTES_MIN  (128u << 10) /* a smaller stack has no room for all parts */
#define SOIL_BYTES       4096u        /* as much as most routines use */
#define SOIL_OWN_BYTES   1024u        /* what is done about it runs on the same stack */

/* Sanitizers make frames of any size. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_LINES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_LINES 0
#endif
#endif
#ifndef HAS_LINES
#define HAS_LINES 1
#endif

uintptr_t task_driver_stack = UINTPTR_MAX;

/* A slot is a megabyte of addresses: the stack at its top, what is left below it the guard. A freed
 * stack stays mapped for the next one of its size. */
static struct {
    bool reserved;
    unsigned used;      /* slots ever given out */
    struct stack *free; /* last freed first */
    size_t free_count, free_capacity;
} stacks;

bool stacks_create(void)
{
    stacks.reserved = address_reserve(ADDRESS_STACKS, ADDRESS_WINDOW, "the stacks of tasks");
    return stacks.reserved;
}

void stacks_destroy(void)
{
    if (stacks.reserved) {
        munmap((void *)(uintptr_t)ADDRESS_STACKS, ADDRESS_WINDOW);
    }
    free(stacks.free);
    memset(&stacks, 0, sizeof(stacks));
}

bool stacks_hold(const void *address)
{
    return stacks.reserved &&
           (uintptr_t)address - ADDRESS_STACKS < (uint64_t)stacks.used * STACK_SLOT_BYTES;
}

static bool stack_reuse(size_t bytes, struct stack *out)
{
    for (size_t i = stacks.free_count; i-- > 0;) {
        if (stacks.free[i].bytes == bytes) {
            *out = stacks.free[i];
            memmove(&stacks.free[i], &stacks.free[i + 1],
                    (--stacks.free_count - i) * sizeof(stacks.free[0]));
            return true;
        }
    }
    return false;
}

/* There is a place on the free list for every stack ever made: freeing cannot fail. */
static bool stack_reserve_free_place(void)
{
    size_t capacity = stacks.free_capacity ? stacks.free_capacity * 2 : 64;
    struct stack *grown;

    if (stacks.used < stacks.free_capacity) {
        return true;
    }
    grown = realloc(stacks.free, capacity * sizeof(*grown));
    if (!grown) {
        return false;
    }
    stacks.free = grown;
    stacks.free_capacity = capacity;
    return true;
}

/* A quarter is the host's. */
static char *line_of(const char *low, size_t bytes)
{
    if (!HAS_LINES || bytes < LINED_BYTES_MIN) {
        return NULL;
    }
    return (char *)(uintptr_t)low + bytes - align_up(bytes / 4, MACHINE_PAGE_SIZE) -
           DRIVER_STACK_BYTES - LINE_BYTES;
}

bool stack_alloc(size_t bytes, struct stack *out)
{
    uint64_t slots;
    char *top;

    if (bytes > ADDRESS_WINDOW / 2) {
        return false;
    }
    bytes = align_up(bytes < 16384 ? 16384 : bytes, MACHINE_PAGE_SIZE);
    if (stack_reuse(bytes, out)) {
        return true;
    }
    slots = (bytes + MACHINE_PAGE_SIZE + STACK_SLOT_BYTES - 1) / STACK_SLOT_BYTES;
    if (slots > STACK_SLOT_COUNT - stacks.used || !stack_reserve_free_place()) {
        return false;
    }
    top = (char *)(uintptr_t)(ADDRESS_STACKS + (stacks.used + slots) * STACK_SLOT_BYTES);
    if (mprotect(top - bytes, bytes, PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    *out = (struct stack){.low = top - bytes, .bytes = bytes, .line = line_of(top - bytes, bytes)};
    stacks.used += (unsigned)slots;
    return true;
}

void stack_free(struct stack *stack)
{
    CHECK_THAT(stacks.free_count < stacks.free_capacity);
    stacks.free[stacks.free_count++] = *stack;
    stack->low = NULL;
}

/* ---- The driver's part ------------------------------------------------------------------- */

void stack_show(const struct task *task)
{
    task_driver_stack = task && task->stack.line
                            ? (uintptr_t)task->stack.line + LINE_BYTES + DRIVER_STACK_BYTES
                            : UINTPTR_MAX;
}

void stack_shut(struct stack *stack)
{
    /* Short of memory, nothing is shut. */
    if (stack->shut_bytes != LINE_BYTES && mprotect(stack->line, LINE_BYTES, PROT_NONE) == 0) {
        stack->shut_bytes = LINE_BYTES;
    }
}

void stack_soil(const struct stack *stack)
{
    uintptr_t top = task_driver_stack,
              self = (uintptr_t)__builtin_frame_address(0) - SOIL_OWN_BYTES;

    top = top < self ? top : self;
    if (top - (uintptr_t)stack->line >= LINE_BYTES + SOIL_BYTES) {
        old_stack_bytes((void *)(top - SOIL_BYTES), SOIL_BYTES);
    }
}

bool task_stack_has_line(void)
{
    return HAS_LINES;
}

bool task_in_driver_stack(uintptr_t stack_pointer)
{
    const struct task *self = machine_here.self;

    return self && self->stack_mark && stack_pointer < self->stack_mark &&
           self->stack_mark <= task_driver_stack && stack_pointer >= (uintptr_t)self->stack.low;
}

static struct stack *stack_shut_at(const void *address)
{
    struct stack *stack = machine_here.self ? &machine_here.self->stack : NULL;

    return stack && (uintptr_t)address - (uintptr_t)stack->line < stack->shut_bytes ? stack : NULL;
}

bool task_stack_is_shut(const void *address)
{
    return stack_shut_at(address) != NULL;
}

bool task_stack_spent(const void *address)
{
    uintptr_t mark = task_stack_mark();

    return stack_shut_at(address) && mark > (uintptr_t)address &&
           mark - (uintptr_t)address > DRIVER_STACK_BYTES;
}

bool task_stack_open(const void *address, bool for_driver)
{
    struct stack *stack = stack_shut_at(address);
    uintptr_t limit = task_stack_mark() - DRIVER_STACK_BYTES;
    size_t shut_bytes = 0;

    if (!stack) {
        return false;
    }
    /* A routine called from further down has 24 KiB, too. */
    if (for_driver && (uintptr_t)address >= limit && limit > (uintptr_t)stack->line) {
        shut_bytes = (limit - (uintptr_t)stack->line) & ~(size_t)(MACHINE_PAGE_SIZE - 1);
    }
    int status =
        mprotect(stack->line + shut_bytes, stack->shut_bytes - shut_bytes, PROT_READ | PROT_WRITE);
    CHECK_THAT(status == 0);
    stack->shut_bytes = shut_bytes;
    return true;
}
