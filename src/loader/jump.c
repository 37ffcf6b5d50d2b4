/* Jumps over driver frames: setjmp and longjmp, RtlUnwind. A jump is an unwind without a search:
 * the __finally blocks of the frames that it leaves run, then the driver goes on where it says.
 *
 *     _setjmp(buffer, frame) ── the state goes into the buffer ──> 0
 *     longjmp(buffer, value) ── exception_unwind to buffer.frame ──> _setjmp returns again
 *     RtlUnwind(frame, place, record, value) ── exception_unwind ──> goes on at the place
 */
#include "loader/internal.h"

enum {
    RBX = 3,
    RSP = 4,
    RBP = 5,
    RSI = 6,
    RDI = 7,
    R12 = 12,
};

_Static_assert(sizeof(struct jump_buffer) == 256, "the documented size");

void jump_apply(const struct jump_buffer *jump, struct loader_context *context)
{
    context->rip = jump->rip;
    context->gpr[RBX] = jump->rbx;
    context->gpr[RSP] = jump->rsp;
    context->gpr[RBP] = jump->rbp;
    context->gpr[RSI] = jump->rsi;
    context->gpr[RDI] = jump->rdi;
    memcpy(&context->gpr[R12], jump->r12_to_r15, sizeof(jump->r12_to_r15));
    context->fx.mxcsr = jump->mxcsr & 0xffff; /* the rest must be 0 */
    context->fx.control_word = jump->control_word;
    memcpy(context->fx.xmm[6], jump->xmm6_to_15, sizeof(jump->xmm6_to_15));
}

/* A jump goes outwards on the stack that it starts from, or nowhere. */
static bool goes_outwards(const struct jump_buffer *jump, const struct loader_context *origin)
{
    struct stack_range stack = stack_of(origin->gpr[RSP]);

    return jump->rsp >= origin->gpr[RSP] && jump->rsp < stack.high;
}

LOADER_MS_ABI _Noreturn void loader_long_jump(const struct jump_buffer *buffer, int value)
{
    struct jump_buffer jump = *buffer;
    struct loader_exception record = {
        .code = LOADER_LONG_JUMP, .parameter_count = 1, .parameters = {(uintptr_t)buffer}};
    struct loader_context origin;
    const struct unwind_target target = {
        .establisher = jump.frame,
        .ip = jump.rip,
        .value = value ? (uint32_t)value : 1,
        .jump = &jump,
        .origin = &origin,
    };

    if (!exception_origin(&origin) || !goes_outwards(&jump, &origin)) {
        exception_bad_stack(&target);
    }
    record.address = (const void *)(uintptr_t)origin.rip;
    if (jump.frame == 0) {
        exception_land(&target, &origin);
    }
    exception_unwind(&target, &record);
}

/* In a record of STATUS_LONGJUMP the first parameter is the buffer. Without a frame everything is
 * unwound, and then there is nowhere to go on. */
LOADER_MS_ABI void loader_unwind(uint64_t frame, uint64_t place,
                                 const struct loader_exception *given, uint64_t value)
{
    struct loader_exception record = {.code = LOADER_UNWIND};
    struct jump_buffer jump;
    struct loader_context origin;
    struct unwind_target target = {
        .establisher = frame ? frame : UINT64_MAX,
        .ip = place,
        .value = value,
        .origin = &origin,
    };

    if (given) {
        record = *given;
    }
    if (!exception_origin(&origin)) {
        exception_bad_stack(&target);
    }
    if (frame == 0) {
        record.flags |= EXCEPTION_EXIT_UNWIND;
    }
    if (record.code == LOADER_LONG_JUMP && record.parameter_count > 0) {
        memcpy(&jump, (const void *)(uintptr_t)record.parameters[0], sizeof(jump));
        if (!goes_outwards(&jump, &origin)) {
            exception_bad_stack(&target);
        }
        target.jump = &jump;
    }
    exception_unwind(&target, &record);
}

/* The context and the history are the unwinder's own scratch: no driver has a use for them. */
LOADER_MS_ABI void loader_unwind_ex(uint64_t frame, uint64_t place,
                                    const struct loader_exception *given, uint64_t value,
                                    void *context, void *history)
{
    (void)context;
    (void)history;
    loader_unwind(frame, place, given, value);
}
