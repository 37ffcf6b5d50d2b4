/* Coroutine contexts: the one place that knows Boost.Context, and tells the sanitizers. */
#ifndef MACHINE_CONTEXT_H
#define MACHINE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stack and where its run was left. */
struct context {
    void (*entry)(void); /* NULL: the thread itself */
    void *resume;        /* as the library gives it; NULL while it runs */
    void *stack_low;
    size_t stack_bytes;
    void *fake_stack; /* AddressSanitizer's */
    void *fiber;      /* ThreadSanitizer's */
    unsigned valgrind_id;
};

/* entry runs on the stack [stack_low, +stack_bytes) at the first switch; it must not return. */
void context_init(struct context *context, void *stack_low, size_t stack_bytes,
                  void (*entry)(void));
/* The context of the thread itself, with no stack of its own to be made. */
void context_init_thread(struct context *context);
void context_fini(struct context *context);

/* Leaves from, which must be the running one, and goes on in to. */
void context_switch(struct context *from, struct context *to);
/* As context_switch, and from is never resumed. */
_Noreturn void context_leave(struct context *from, struct context *to);

/* Does AddressSanitizer keep there what it knows of other memory? Code built with it writes there
 * at each entry and exit of a function. False in builds without it. */
bool context_is_sanitizers(uintptr_t address);

#endif
