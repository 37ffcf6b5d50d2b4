/* Coroutine contexts over the C symbols of Boost.Context: a switch saves the callee-saved
 * registers, the control words of the floating point units and the stack pointer, nothing else. */
#include "machine/context.h"

#include <stdint.h>
#include <string.h>

#include "base/check.h"

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define WITH_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WITH_THREAD_SANITIZER 1
#endif
#endif
#ifndef WITH_ADDRESS_SANITIZER
#define WITH_ADDRESS_SANITIZER 0
#endif
#ifndef WITH_THREAD_SANITIZER
#define WITH_THREAD_SANITIZER 0
#endif

#if WITH_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if WITH_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif
#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#define WITH_VALGRIND 1
#endif
#endif
#ifndef WITH_VALGRIND
#define WITH_VALGRIND 0
#endif

/* What a jump hands over: where its origin goes on, and one word. */
struct transfer {
    void *resume;
    void *data;
};

struct transfer jump_fcontext(void *to, void *data);
void *make_fcontext(void *stack_top, size_t stack_bytes, void (*entry)(struct transfer));

/* Runs first on the side that was switched to: from is the context that was left. */
static void arrive(struct context *from, struct context *self, void *resume)
{
    from->resume = resume;
    self->resume = NULL;
#if WITH_ADDRESS_SANITIZER
    {
        const void *left_low;
        size_t left_bytes;
        __sanitizer_finish_switch_fiber(self->fake_stack, &left_low, &left_bytes);
        if (!from->stack_low) {
            from->stack_low = (void *)(uintptr_t)left_low;
            from->stack_bytes = left_bytes;
        }
    }
#endif
}

/* The pair of the switch that is under way. Not on the stack: a stack that is left for good may be
 * gone on arrival. */
static struct {
    struct context *from, *to;
} crossing;

static void start(struct transfer transfer)
{
    void (*entry)(void) = crossing.to->entry;

    arrive(crossing.from, crossing.to, transfer.resume);
    entry();
    CHECK_THAT(!"a context's entry must not return");
}

void context_init(struct context *context, void *stack_low, size_t stack_bytes, void (*entry)(void))
{
    memset(context, 0, sizeof(*context));
#if WITH_ADDRESS_SANITIZER
    /* Frames that were left for good on this stack never took their red zones away. */
    __asan_unpoison_memory_region(stack_low, stack_bytes);
#endif
    context->stack_low = stack_low;
    context->stack_bytes = stack_bytes;
    context->entry = entry;
    context->resume = make_fcontext((char *)stack_low + stack_bytes, stack_bytes, start);
#if WITH_THREAD_SANITIZER
    context->fiber = __tsan_create_fiber(0);
#endif
#if WITH_VALGRIND
    context->valgrind_id = VALGRIND_STACK_REGISTER(stack_low, (char *)stack_low + stack_bytes);
#endif
}

void context_init_thread(struct context *context)
{
    memset(context, 0, sizeof(*context));
#if WITH_THREAD_SANITIZER
    context->fiber = __tsan_get_current_fiber();
#endif
}

void context_fini(struct context *context)
{
#if WITH_THREAD_SANITIZER
    if (context->entry && context->fiber) {
        __tsan_destroy_fiber(context->fiber);
    }
#endif
#if WITH_VALGRIND
    if (context->entry) {
        VALGRIND_STACK_DEREGISTER(context->valgrind_id);
    }
#endif
    memset(context, 0, sizeof(*context));
}

static void cross(struct context *from, struct context *to, void **fake_stack)
{
    struct transfer transfer;

    crossing.from = from;
    crossing.to = to;
#if WITH_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(fake_stack, to->stack_low, to->stack_bytes);
#endif
#if WITH_THREAD_SANITIZER
    __tsan_switch_to_fiber(to->fiber, 0);
#endif
    transfer = jump_fcontext(to->resume, NULL);
    /* Back again, from wherever: the pair is now that of whoever left for us. */
    arrive(crossing.from, crossing.to, transfer.resume);
}

void context_switch(struct context *from, struct context *to)
{
    cross(from, to, &from->fake_stack);
}

void context_leave(struct context *from, struct context *to)
{
    cross(from, to, NULL);
    CHECK_THAT(!"a context that was left for good was resumed");
    __builtin_unreachable();
}

bool context_is_sanitizers(uintptr_t address)
{
#if WITH_ADDRESS_SANITIZER
    const uintptr_t addresses = UINT64_C(1) << 47; /* of a process */
    size_t scale, offset;

    __asan_get_shadow_mapping(&scale, &offset);
    return address - offset < addresses >> scale;
#else
    return false;
#endif
}
