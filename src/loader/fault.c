/* Processor faults become exceptions.
 *
 *      signal handler (its own stack):
 *          first look for the host ── dealt with ──> the instruction goes on
 *          state and record are written below the faulting stack pointer,
 *          the thread is sent to loader_fault_entry, the handler returns
 *      loader_fault_dispatch (the faulting stack, whichever coroutine's):
 *          exception or report
 *
 * So nothing but the copying happens in signal context, and an exception may leave the dispatcher
 * by going on elsewhere. After a stack overflow, the dispatcher runs on a spare stack and only
 * reports.
 */
#include "loader/internal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#ifndef WITH_ASAN
#define WITH_ASAN 0
#endif
#if WITH_ASAN
void __asan_unpoison_memory_region(void const volatile *address, size_t size);
#endif

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31) /* linux/signal.h, which does not go with signal.h */
#endif

#define RAW __attribute__((no_sanitize("address")))

enum {
    RED_ZONE = 128,
    SIGNAL_STACK_SIZE = 64 << 10,
    SPARE_STACK_SIZE = 256 << 10,
    DISPATCH_STACK_MIN = 16 << 10, /* below that, handling an exception would overflow the stack */
    OVERFLOW_DISTANCE = 128 << 10, /* a fault this far below the stack still is an overflow of it */
    FORGET_SIZE = 256 << 10,
    TRAP_FLAG = 0x100,
    TRAP_DEBUG = 1, /* the processor's numbers of exceptions */
    TRAP_BREAKPOINT = 3,
};

struct fault_frame {
    struct loader_context context;
    struct loader_exception record;
    enum loader_fault_kind kind; /* LOADER_FAULT_UNHANDLED: not known yet */
    int signal;
    bool is_stepped; /* no fault: loader_host.stepped() is wanted */
} __attribute__((aligned(64)));

void loader_fault_entry(void); /* context.S */
static bool is_admitted(const struct loader_exception *record)
{
    return loader_host_now.admit && record->code == LOADER_ACCESS_VIOLATION &&
           record->parameters[0] == 0 &&
           loader_host_now.admit(loader_host_now.ctx, record->parameters[1]);
}

_Noreturn void loader_fault_dispatch(struct fault_frame *frame);

struct loader_host loader_host_now;

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
enum { SIGNAL_COUNT = sizeof(signals) / sizeof(signals[0]) };
static struct sigaction former[SIGNAL_COUNT];
static bool installed;

static _Thread_local struct stack_range thread_stack;
static _Thread_local void *signal_stack;
/* For reports after a stack overflow: a run has one, and it ends the run. */
static uint8_t spare_stack[SPARE_STACK_SIZE] __attribute__((aligned(64)));

/* ---- Stacks ---------------------------------------------------------------------------------- */

static RAW bool bounds_now(struct stack_range *range)
{
    if (loader_host_now.stack_bounds &&
        loader_host_now.stack_bounds(loader_host_now.ctx, &range->low, &range->high)) {
        return true;
    }
    *range = thread_stack;
    return range->high != 0;
}

RAW struct stack_range stack_of(uintptr_t stack_pointer)
{
    struct stack_range range;

    if (bounds_now(&range) && stack_pointer >= range.low && stack_pointer < range.high) {
        return range;
    }
    if (stack_pointer >= thread_stack.low && stack_pointer < thread_stack.high) {
        return thread_stack;
    }
    /* A stack nobody told us of, or none: nothing of it is read. */
    return (struct stack_range){sizeof(uint64_t), sizeof(uint64_t)};
}

RAW void stack_forget(uintptr_t low, uintptr_t high)
{
#if WITH_ASAN
    low = high - low > (8u << 20) ? high - (8u << 20) : low;
    __asan_unpoison_memory_region((void *)low, high - low);
#else
    (void)low;
    (void)high;
#endif
}

static void measure_thread_stack(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;

    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
            thread_stack = (struct stack_range){(uintptr_t)low, (uintptr_t)low + size};
        }
        pthread_attr_destroy(&attributes);
    }
}

/* ---- What the fault is ----------------------------------------------------------------------- */

/* Of the last privileged instruction; what a driver raises has a parameter of its own. */
static _Thread_local const char *instruction_told;

const char *fault_instruction(uint64_t parameter)
{
    return instruction_told && parameter == (uintptr_t)instruction_told ? instruction_told : NULL;
}

/* The mnemonic of an instruction that kernel code may run and a process may not; NULL if it is
 * none. */
static RAW const char *privileged_name(const uint8_t *code)
{
    if (code[0] >= 0x40 && code[0] <= 0x4f) {
        code++; /* a REX prefix */
    }
    switch (code[0]) {
    case 0xfa:
        return "cli";
    case 0xfb:
        return "sti";
    case 0xf4:
        return "hlt";
    case 0xe4:
    case 0xe5:
    case 0xec:
    case 0xed:
        return "in (port input)";
    case 0xe6:
    case 0xe7:
    case 0xee:
    case 0xef:
        return "out (port output)";
    case 0x0f:
        break;
    default:
        return NULL;
    }
    switch (code[1]) {
    case 0x01:
        return "a descriptor table or virtualisation instruction";
    case 0x06:
        return "clts";
    case 0x08:
        return "invd";
    case 0x09:
        return "wbinvd";
    case 0x20:
        return "mov from a control register (cr8 is the IRQL)";
    case 0x22:
        return "mov to a control register (cr8 is the IRQL)";
    case 0x21:
    case 0x23:
        return "mov of a debug register";
    case 0x30:
        return "wrmsr";
    case 0x32:
        return "rdmsr";
    case 0x33:
        return "rdpmc";
    default:
        return NULL;
    }
}

/* A general protection fault in driver code: int 0x29, int 0x2c, a privileged instruction, or an
 * address that no page could have. */
static RAW void decode_protection_fault(struct fault_frame *frame)
{
    const uint8_t *code = (const uint8_t *)(uintptr_t)frame->context.rip;
    struct loader_exception *record = &frame->record;
    const char *name;

    record->code = LOADER_ACCESS_VIOLATION;
    record->parameter_count = 2;
    record->parameters[1] = UINT64_MAX; /* the processor does not tell the address */
    if (!loader_image_at(code) || !loader_image_at(code + 15)) {
        return;
    }
    name = privileged_name(code);
    if (code[0] == 0xcd && code[1] == 0x29) {
        frame->kind = LOADER_FAULT_FAST_FAIL;
        record->code = LOADER_STACK_BUFFER_OVERRUN;
        record->parameter_count = 1;
        record->parameters[0] = frame->context.gpr[1];
    } else if (code[0] == 0xcd && code[1] == 0x2c) {
        record->code = LOADER_ASSERTION_FAILURE;
        record->parameter_count = 0;
    } else if (name) {
        instruction_told = name;
        record->code = LOADER_PRIVILEGED_INSTRUCTION;
        record->parameter_count = 1;
        record->parameters[0] = (uintptr_t)name;
    }
}

static RAW uint32_t arithmetic_code(int si_code)
{
    switch (si_code) {
    case FPE_INTDIV:
        return LOADER_INTEGER_DIVIDE_BY_ZERO;
    case FPE_INTOVF:
        return LOADER_INTEGER_OVERFLOW;
    case FPE_FLTDIV:
        return LOADER_FLOAT_DIVIDE_BY_ZERO;
    default:
        return LOADER_FLOAT_FAULT;
    }
}

static RAW void decode_trap(struct fault_frame *frame, int si_code)
{
    const uint8_t *before = (const uint8_t *)(uintptr_t)(frame->context.rip - 1);

    frame->record.code = LOADER_SINGLE_STEP;
    /* Linux reports a breakpoint from behind it, Windows at it. */
    if (si_code != TRAP_TRACE && (!loader_image_at(before) || *before == 0xcc)) {
        frame->record.code = LOADER_BREAKPOINT;
        frame->context.rip--;
    }
}

static RAW void decode_access(struct fault_frame *frame, const siginfo_t *info, uint64_t error_code)
{
    struct loader_exception *record = &frame->record;

    record->code = frame->signal == SIGBUS ? LOADER_IN_PAGE_ERROR : LOADER_ACCESS_VIOLATION;
    record->parameter_count = 2;
    record->parameters[0] = error_code & 16 ? 8 : (error_code & 2) >> 1;
    record->parameters[1] = (uintptr_t)info->si_addr;
    if (frame->signal == SIGBUS && info->si_code == BUS_ADRALN) {
        record->code = LOADER_DATATYPE_MISALIGNMENT;
        record->parameter_count = 0;
    }
}

static RAW void decode(struct fault_frame *frame, const siginfo_t *info, uint64_t error_code)
{
    switch (frame->signal) {
    case SIGFPE:
        frame->record.code = arithmetic_code(info->si_code);
        break;
    case SIGILL:
        frame->record.code = LOADER_ILLEGAL_INSTRUCTION;
        break;
    case SIGTRAP:
        decode_trap(frame, info->si_code);
        break;
    default:
        if (info->si_code == SI_KERNEL) {
            decode_protection_fault(frame);
        } else {
            decode_access(frame, info, error_code);
        }
    }
    frame->record.address = (const void *)(uintptr_t)frame->context.rip;
}

/* ---- In the signal handler ------------------------------------------------------------------- */

/* Nothing that a sanitizer watches: the target is below a live stack pointer. */
static RAW void copy_raw(void *to, const void *from, size_t size)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static RAW void clear_raw(void *to, size_t size)
{
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(0) : "memory");
}

/* As instructions number them. */
static const int gpr_order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                  REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                  REG_R12, REG_R13, REG_R14, REG_R15};

RAW void context_of_signal(struct loader_context *context, const void *ucontext)
{
    const ucontext_t *from = ucontext;
    const greg_t *registers = from->uc_mcontext.gregs;

    for (int i = 0; i < 16; i++) {
        context->gpr[i] = (uint64_t)registers[gpr_order[i]];
    }
    context->rip = (uint64_t)registers[REG_RIP];
    context->eflags = (uint32_t)registers[REG_EFL];
    context->cs = (uint16_t)registers[REG_CSGSFS];
    if (from->uc_mcontext.fpregs) {
        copy_raw(&context->fx, from->uc_mcontext.fpregs, sizeof(context->fx));
        context->mxcsr = context->fx.mxcsr;
    }
}

/* Where on the faulting stack there is room; NULL if there is too little left. */
static RAW struct fault_frame *frame_place(uintptr_t stack_pointer, const struct stack_range *range)
{
    uintptr_t place = (stack_pointer - RED_ZONE - sizeof(struct fault_frame)) & ~(uintptr_t)63;

    if (stack_pointer < range->low || stack_pointer > range->high ||
        place - range->low < DISPATCH_STACK_MIN || place < range->low) {
        return NULL;
    }
    return (struct fault_frame *)place;
}

static RAW bool is_overflow(const siginfo_t *info, uintptr_t stack_pointer,
                            const struct stack_range *range)
{
    uintptr_t address = (uintptr_t)info->si_addr;

    if (info->si_signo != SIGSEGV || info->si_code == SI_KERNEL) {
        return false;
    }
    return address < range->low + PAGE_SIZE && address >= range->low - OVERFLOW_DISTANCE &&
           stack_pointer >= range->low - OVERFLOW_DISTANCE && stack_pointer < range->high;
}

/* What a process of 64 bits runs with; a driver can leave it for the mode of 32 bits. */
static RAW uint16_t own_code_selector(void)
{
    uint16_t selector;

    __asm__("mov %%cs, %0" : "=r"(selector));
    return selector;
}

static RAW void redirect(ucontext_t *context, struct fault_frame *frame)
{
    greg_t *registers = context->uc_mcontext.gregs;

    registers[REG_RDI] = (greg_t)(uintptr_t)frame;
    registers[REG_RSP] = (greg_t)(uintptr_t)frame;
    registers[REG_RIP] = (greg_t)(uintptr_t)loader_fault_entry;
    registers[REG_CSGSFS] = (registers[REG_CSGSFS] & ~(greg_t)0xFFFF) | own_code_selector();
    registers[REG_EFL] &= ~(greg_t)0x40500; /* no alignment check, direction or trap flag */
}

/* Signals that were sent, not caused, take their former course. */
static RAW void pass_on(int signal, siginfo_t *info, void *context)
{
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        if (signals[i] != signal) {
            continue;
        }
        if (former[i].sa_flags & SA_SIGINFO) {
            former[i].sa_sigaction(signal, info, context);
        } else if (former[i].sa_handler != SIG_DFL && former[i].sa_handler != SIG_IGN) {
            former[i].sa_handler(signal);
        } else if (former[i].sa_handler == SIG_DFL) {
            sigaction(signal, &former[i], NULL);
            raise(signal);
        }
    }
}

static bool is_stepped; /* the last trap was the host's, and he wants the next one */

/* For the host who steps: what to do before the instruction that is next. */
static RAW enum loader_step step_to(const ucontext_t *state)
{
    enum loader_step step = LOADER_STEP_NONE;
    uint64_t gpr[16];

    if (loader_host_now.step) {
        for (int i = 0; i < 16; i++) {
            gpr[i] = (uint64_t)state->uc_mcontext.gregs[gpr_order[i]];
        }
        step = loader_host_now.step(
            loader_host_now.ctx, (const void *)(uintptr_t)state->uc_mcontext.gregs[REG_RIP], gpr);
    }
    is_stepped = step == LOADER_STEP_ON;
    return step;
}

static RAW struct fault_frame *frame_make(const ucontext_t *state, const struct stack_range *range)
{
    uintptr_t stack_pointer = (uintptr_t)state->uc_mcontext.gregs[REG_RSP];
    struct fault_frame *frame = frame_place(stack_pointer, range);

    if (frame) {
        stack_forget((uintptr_t)frame - range->low > FORGET_SIZE ? (uintptr_t)frame - FORGET_SIZE
                                                                 : range->low,
                     stack_pointer);
    }
    return frame;
}

static RAW void frame_fill(struct fault_frame *frame, int signal, const ucontext_t *state)
{
    clear_raw(frame, sizeof(*frame));
    frame->signal = signal;
    context_of_signal(&frame->context, state);
    if (!is_stepped) {
        frame->context.eflags &= ~(uint32_t)TRAP_FLAG;
    }
}

/* Does what the host wants; steps end where there is no room for it. */
static RAW void step_on(enum loader_step step, ucontext_t *state)
{
    struct stack_range range;
    struct fault_frame *frame = NULL;

    if (step == LOADER_STEP_CALL) {
        frame = bounds_now(&range) ? frame_make(state, &range) : NULL;
    }
    if (frame) {
        frame_fill(frame, SIGTRAP, state);
        frame->is_stepped = true;
        redirect(state, frame);
    } else if (step != LOADER_STEP_ON) {
        state->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    }
}

static RAW bool filter(const siginfo_t *info, ucontext_t *state)
{
    return loader_host_now.fault_filter &&
           loader_host_now.fault_filter(loader_host_now.ctx, state, info->si_addr);
}

/* The host's filter may have had an instruction trapped, too, and takes the flag back then. */
static RAW bool is_trap_dealt_with(const siginfo_t *info, ucontext_t *state)
{
    bool filtered = filter(info, state);
    enum loader_step step = step_to(state);

    if (step == LOADER_STEP_NONE) {
        return filtered;
    }
    if (filtered && step == LOADER_STEP_ON) {
        state->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    }
    step_on(step, state);
    return true;
}

/* True: nobody else needs to look at the signal. */
static RAW bool is_dealt_with(const siginfo_t *info, ucontext_t *state)
{
    greg_t place = state->uc_mcontext.gregs[REG_RIP];

    /* By the processor's number: under some hypervisors a step is told as another kind of trap. */
    if (state->uc_mcontext.gregs[REG_TRAPNO] == TRAP_DEBUG) {
        cover_reached((uintptr_t)place); /* whoever looks at the instruction sees it as it is */
        return is_trap_dealt_with(info, state);
    }
    if (state->uc_mcontext.gregs[REG_TRAPNO] == TRAP_BREAKPOINT &&
        cover_reached((uintptr_t)place - 1)) {
        state->uc_mcontext.gregs[REG_RIP] = place - 1;
        return true;
    }
    if (!filter(info, state)) {
        return false;
    }
    /* What was performed is an instruction as others are. */
    if (is_stepped && state->uc_mcontext.gregs[REG_EFL] & TRAP_FLAG &&
        state->uc_mcontext.gregs[REG_RIP] != place) {
        step_on(step_to(state), state);
    }
    return true;
}

static RAW void on_signal(int signal, siginfo_t *info, void *context)
{
    ucontext_t *state = context;
    uintptr_t stack_pointer = (uintptr_t)state->uc_mcontext.gregs[REG_RSP];
    struct fault_frame *frame;
    struct stack_range range;
    int saved_errno = errno;
    bool overflow;

    if (info->si_code <= 0) { /* a timer's, too */
        pass_on(signal, info, context);
        return;
    }
    if (is_dealt_with(info, state)) {
        errno = saved_errno;
        return;
    }
    if (!bounds_now(&range)) {
        range = (struct stack_range){0, UINTPTR_MAX};
    }
    overflow = is_overflow(info, stack_pointer, &range) ||
               (loader_host_now.stack_spent &&
                loader_host_now.stack_spent(loader_host_now.ctx, context, info->si_addr));
    frame = overflow ? NULL : frame_make(state, &range);
    if (!frame) {
        /* With a wild stack pointer or hardly any stack left nothing can be handled, only told. */
        frame = (struct fault_frame *)(void *)(spare_stack + SPARE_STACK_SIZE) - 1;
        overflow |= stack_pointer >= range.low && stack_pointer < range.high;
    }
    frame_fill(frame, signal, state);
    decode(frame, info, (uint64_t)state->uc_mcontext.gregs[REG_ERR]);
    if (overflow) {
        frame->kind = LOADER_FAULT_STACK_OVERFLOW;
        frame->record.code = LOADER_STACK_OVERFLOW;
    }
    redirect(state, frame);
    errno = saved_errno;
}

/* ---- On the faulting stack ------------------------------------------------------------------- */

static _Noreturn void take_former_course(const struct loader_context *context)
{
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        sigaction(signals[i], &former[i], NULL);
    }
    installed = false;
    loader_context_resume(context); /* to fault again */
}

static bool is_fatal(const struct loader_exception *record)
{
    return loader_host_now.is_fatal_access && record->code == LOADER_ACCESS_VIOLATION &&
           loader_host_now.is_fatal_access(loader_host_now.ctx, record->parameters[1]);
}

/* It was fetched, and what it wanted was to read, or what a process may not. */
static bool may_be_performed(const struct loader_exception *record,
                             const struct loader_context *context)
{
    return loader_host_now.perform && loader_image_at((const void *)(uintptr_t)context->rip) &&
           (record->code == LOADER_PRIVILEGED_INSTRUCTION ||
            (record->code == LOADER_ACCESS_VIOLATION && record->parameters[0] == 0));
}

static bool is_performed(const struct loader_exception *record, struct loader_context *context)
{
    uint64_t flags = context->eflags;

    if (!may_be_performed(record, context) ||
        !loader_host_now.perform(loader_host_now.ctx, context->gpr, &context->rip, &flags)) {
        return false;
    }
    context->eflags = (uint32_t)flags;
    return true;
}

_Noreturn void loader_fault_dispatch(struct fault_frame *frame)
{
    struct loader_context *context = &frame->context;
    struct loader_exception *record = &frame->record;
    struct host_call call;

    if (record->code == LOADER_IN_PAGE_ERROR && loader_host_now.page_gone) {
        loader_host_now.page_gone(loader_host_now.ctx, record->parameters[1]);
    }
    if (frame->is_stepped) {
        loader_host_now.stepped(loader_host_now.ctx);
        loader_context_resume(context);
    }
    if (frame->kind != LOADER_FAULT_UNHANDLED) {
        report_unhandled(frame->kind, record, context, true);
    }
    /* Nobody but a driver leaves the mode of 64 bits, and no handler runs in another. */
    if (context->cs != own_code_selector()) {
        report_unhandled(LOADER_FAULT_UNHANDLED, record, context, true);
    }
    if (loader_host_now.is_foreign && loader_host_now.is_foreign(loader_host_now.ctx)) {
        report_host_fault(record, context);
        take_former_course(context);
    }
    bool is_spare = (uintptr_t)frame - (uintptr_t)spare_stack < sizeof(spare_stack);
    if (!is_spare && (is_admitted(record) || is_performed(record, context))) {
        loader_context_resume(context);
    }
    if (loader_image_at((const void *)(uintptr_t)context->rip) ||
        (!unwind_is_host_code(context->rip) && report_find_host_call(context, &call))) {
        /* On the spare stack nothing can be handled. */
        if (is_spare || is_fatal(record)) {
            report_unhandled(LOADER_FAULT_UNHANDLED, record, context, true);
        }
        exception_dispatch(record, context, true);
    }
    if (report_find_host_call(context, &call)) {
        report_unhandled(LOADER_FAULT_HOST_CALL, record, context, true);
    }
    report_host_fault(record, context);
    take_former_course(context);
}

/* ---- Setting up ------------------------------------------------------------------------------ */

/* While a handler is on it, it is nobody's: what a handler waits for runs on other stacks, and a
 * signal that comes then would begin at its top again. Valgrind does not know the flag. */
static bool arm(void *low)
{
    const stack_t taken = {
        .ss_sp = low, .ss_size = SIGNAL_STACK_SIZE, .ss_flags = (int)SS_AUTODISARM};
    const stack_t plain = {.ss_sp = low, .ss_size = SIGNAL_STACK_SIZE};

    return sigaltstack(&taken, NULL) == 0 || sigaltstack(&plain, NULL) == 0;
}

void loader_thread_init(void)
{
    void *low;

    measure_thread_stack();
    if (signal_stack) {
        return;
    }
    low = mmap(NULL, SIGNAL_STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (low == MAP_FAILED || !arm(low)) {
        fprintf(stderr, "drydock: no memory for a signal stack\n");
        abort();
    }
    signal_stack = low;
}

void loader_thread_fini(void)
{
    stack_t none = {.ss_flags = SS_DISABLE};

    if (signal_stack) {
        sigaltstack(&none, NULL);
        munmap(signal_stack, SIGNAL_STACK_SIZE);
        signal_stack = NULL;
    }
    thread_stack = (struct stack_range){0, 0};
}

void loader_init(const struct loader_host *host)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    loader_host_now = *host;
    loader_thread_init();
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        struct sigaction before;

        /* Somebody may have put handlers of his own over ours since: a test harness does. */
        sigaction(signals[i], &action, &before);
        if (!(before.sa_flags & SA_SIGINFO) || before.sa_sigaction != on_signal) {
            former[i] = before;
        }
    }
    installed = true;
}

void loader_init_again(void)
{
    const struct sigaction action = {.sa_sigaction = on_signal,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK};

    arm(signal_stack);
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        sigaction(signals[i], &action, NULL);
    }
}

void loader_fini(void)
{
    if (installed) {
        for (int i = 0; i < SIGNAL_COUNT; i++) {
            sigaction(signals[i], &former[i], NULL);
        }
        installed = false;
    }
    loader_thread_fini();
    memset(&loader_host_now, 0, sizeof(loader_host_now));
}
