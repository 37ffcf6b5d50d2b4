/* The driver's side of the exception tests: each exported function is one case, its result says
 * what happened. Built as a .sys; declares by itself the little it needs. */
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;

#define EXPORT                       __declspec(dllexport)
#define IMPORT                       __declspec(dllimport)
#define NOINLINE                     __attribute__((noinline))
#define EXCEPTION_EXECUTE_HANDLER    1
#define EXCEPTION_CONTINUE_SEARCH    0
#define EXCEPTION_CONTINUE_EXECUTION (-1)

struct record {
    u32 code, flags;
    struct record *nested;
    void *address;
    u32 parameter_count;
    u64 parameters[15];
};

struct context {
    u64 home[6];
    u32 flags, mxcsr, segments[3], eflags;
    u64 dr[6], rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15, rip;
};

struct pointers {
    struct record *record;
    struct context *context;
};

unsigned long _exception_code(void);
void *_exception_info(void);
int _abnormal_termination(void);
#define GetExceptionCode        _exception_code
#define GetExceptionInformation (struct pointers *)_exception_info
#define AbnormalTermination     _abnormal_termination

IMPORT void ExRaiseStatus(u32 status);
IMPORT void RtlRaiseException(struct record *record);
IMPORT u32 HostRaises(u32 status);
IMPORT u32 HostRaisesDeep(u32 status, double a, u64 b, u64 c, u64 d, u64 e);
IMPORT i32 HostCallsBack(i32 (*routine)(void *), void *argument);
IMPORT u32 HostReads(const u32 *from);
IMPORT void HostUnprotects(void *address);
IMPORT u32 HostMissing(u32 value);
IMPORT u32 HostVariable;
struct jump {
    u64 at[32] __attribute__((aligned(16)));
};
IMPORT int __attribute__((returns_twice)) _setjmp(struct jump *jump, void *frame);
IMPORT void longjmp(struct jump *jump, int value);
IMPORT void RtlUnwind(void *frame, void *place, struct record *record, u64 value);
#define SETJMP(jump) _setjmp(jump, __builtin_frame_address(0))
IMPORT void *memcpy(void *to, const void *from, u64 size);
void *memset(void *to, int value, u64 size);
void *memmove(void *to, const void *from, u64 size);

static volatile u64 trail; /* a digit for each thing that happened, in order */

static void note(u32 digit)
{
    trail = trail * 10 + digit;
}

static NOINLINE i32 deref(volatile i32 *at)
{
    return *at;
}

static NOINLINE i32 divide(i32 a, i32 b)
{
    return a / b;
}

EXPORT i32 same_frame(volatile i32 *at)
{
    __try {
        return *at;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return -1;
    }
}

EXPORT i32 in_callee(volatile i32 *at)
{
    __try {
        return deref(at) + 1;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return -2;
    }
}

EXPORT i32 in_copy(void *from, u64 size)
{
    char to[256];

    __try {
        memmove(to, from, size);
        return to[0];
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return -3;
    }
}

EXPORT i32 finally_runs(volatile i32 *at)
{
    volatile i32 done = 0;

    __try {
        __try {
            return deref(at);
        } __finally {
            done = 1;
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return done ? -4 : -40;
    }
}

EXPORT i32 host_raises(void)
{
    __try {
        ExRaiseStatus(0xC000009A);
        return 5;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return (i32)GetExceptionCode();
    }
}

static NOINLINE void three_finallys(volatile i32 *at)
{
    __try {
        __try {
            __try {
                note(1);
                deref(at);
                note(9);
            } __finally {
                note(AbnormalTermination() ? 2 : 8);
            }
        } __finally {
            note(3);
        }
    } __finally {
        note(4);
    }
}

/* 1 2 3 4 5: inside out, then the handler. */
EXPORT u64 nested_finallys(volatile i32 *at)
{
    trail = 0;
    __try {
        three_finallys(at);
        note(7);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(5);
    }
    return trail;
}

static NOINLINE i32 filter_with_try(volatile i32 *bad)
{
    __try {
        note(1);
        return deref(bad);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(2);
        return EXCEPTION_EXECUTE_HANDLER;
    }
}

/* A filter that has an exception of its own, and handles it. */
EXPORT u64 filter_handles_its_own(volatile i32 *bad)
{
    trail = 0;
    __try {
        deref(bad);
    } __except (filter_with_try(bad)) {
        note(3);
    }
    return trail;
}

static volatile i32 filter_runs;

static NOINLINE i32 filter_that_raises(void)
{
    note(1);
    if (filter_runs++ == 0) {
        ExRaiseStatus(0xC00000BB);
    }
    return EXCEPTION_CONTINUE_SEARCH;
}

/* The nested exception is asked of the same filter again, then goes to the outer handler. */
EXPORT u64 filter_raises(volatile i32 *bad)
{
    u32 code = 0;

    trail = 0;
    filter_runs = 0;
    __try {
        __try {
            deref(bad);
        } __except (filter_that_raises()) {
            note(9);
        }
    } __except (code = GetExceptionCode(), EXCEPTION_EXECUTE_HANDLER) {
        note(code == 0xC00000BB ? 2 : 8);
    }
    return trail;
}

static NOINLINE i32 endless_filter(volatile i32 *bad)
{
    deref(bad);
    return EXCEPTION_EXECUTE_HANDLER;
}

EXPORT i32 filter_faults_for_ever(volatile i32 *bad)
{
    __try {
        return deref(bad);
    } __except (endless_filter(bad)) {
        return -1;
    }
}

static NOINLINE i32 unprotect(struct pointers *pointers, void *page)
{
    if (pointers->record->code != 0xC0000005 || pointers->record->parameter_count != 2) {
        return EXCEPTION_EXECUTE_HANDLER;
    }
    HostUnprotects(page);
    return EXCEPTION_CONTINUE_EXECUTION;
}

/* The filter mends the page and the write is done again. */
EXPORT i32 continues(volatile i32 *page, i32 value)
{
    __try {
        *page = value;
        return *page;
    } __except (unprotect(GetExceptionInformation(), (void *)page)) {
        return -1;
    }
}

EXPORT i32 divides(i32 a, i32 b)
{
    __try {
        return divide(a, b);
    } __except (GetExceptionCode() == 0xC0000094) {
        return -94;
    }
}

static NOINLINE i32 step_over(struct pointers *pointers)
{
    if (pointers->record->code != 0x80000003) {
        return EXCEPTION_EXECUTE_HANDLER;
    }
    pointers->context->rip++;
    return EXCEPTION_CONTINUE_EXECUTION;
}

EXPORT i32 breakpoint(void)
{
    volatile i32 result = 1;

    __try {
        __debugbreak();
        result = 3;
    } __except (step_over(GetExceptionInformation())) {
        result = -1;
    }
    return result;
}

/* Information holds what the fault was: code, kind of access, address. */
EXPORT u64 information(volatile i32 *at, u64 *address)
{
    struct record seen = {0};

    __try {
        *at = 1;
    } __except (seen = *(GetExceptionInformation())->record, EXCEPTION_EXECUTE_HANDLER) {
        *address = seen.parameters[1];
        return seen.code + (seen.parameters[0] << 32) + ((u64)seen.parameter_count << 40);
    }
    return 0;
}

static NOINLINE void raise_in_finally(volatile i32 *bad)
{
    __try {
        __try {
            deref(bad);
        } __finally {
            note(1);
            ExRaiseStatus(0xC0000022);
        }
    } __finally {
        note(2);
    }
}

/* The second exception takes the first one's place; no block runs twice. */
EXPORT u64 finally_raises(volatile i32 *bad)
{
    u32 code = 0;

    trail = 0;
    __try {
        __try {
            raise_in_finally(bad);
        } __finally {
            note(3);
        }
    } __except (code = GetExceptionCode(), EXCEPTION_EXECUTE_HANDLER) {
        note(code == 0xC0000022 ? 4 : 5);
    }
    return trail;
}

/* An exception inside a __finally that stays there: the first one goes on. */
EXPORT u64 finally_handles_its_own(volatile i32 *bad)
{
    trail = 0;
    __try {
        __try {
            deref(bad);
        } __finally {
            note(1);
            same_frame(bad);
            note(2);
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(3);
    }
    return trail;
}

static i32 callback(void *argument)
{
    i32 result;

    __try {
        result = deref(argument);
    } __finally {
        note(1);
    }
    return result;
}

EXPORT u64 through_callback(void *argument)
{
    trail = 0;
    __try {
        HostCallsBack(callback, argument);
        note(8);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(2);
    }
    return trail;
}

static i32 handling_callback(void *argument)
{
    return in_callee(argument);
}

EXPORT i32 inside_callback(void *argument)
{
    return HostCallsBack(handling_callback, argument);
}

static NOINLINE i32 take_and_continue(struct pointers *pointers)
{
    note((u32)pointers->record->parameters[0]);
    return pointers->record->code == 0xE0000001 ? EXCEPTION_CONTINUE_EXECUTION
                                                : EXCEPTION_EXECUTE_HANDLER;
}

/* A software exception that is taken note of; then the driver goes on. */
EXPORT u64 raise_and_continue(u32 code, u32 flags)
{
    struct record record = {.code = code, .flags = flags, .parameter_count = 1, .parameters = {6}};

    trail = 0;
    __try {
        RtlRaiseException(&record);
        note(1);
    } __except (take_and_continue(GetExceptionInformation())) {
        note(2);
    }
    return trail;
}

/* Values that live in preserved registers across a raise from deep inside the host. */
EXPORT double registers_survive(double a, double b, u64 x)
{
    double c = a * b, d = a + b;
    u64 y = x * 3, z = x ^ 0x55;
    u32 code = 0;

    for (i32 i = 0; i < 3; i++) {
        __try {
            HostRaisesDeep(0xC0000001u + (u32)i, a, 2, 3, 4, 5);
        } __except (EXCEPTION_EXECUTE_HANDLER) {
            code = GetExceptionCode();
        }
        c += d;
        y += z;
    }
    return c + (double)(y & 0xffff) + (double)(code & 0xf);
}

static NOINLINE i32 recurse(i32 depth, volatile i32 *at)
{
    volatile char room[64];

    room[depth & 63] = (char)depth;
    return depth ? recurse(depth - 1, at) + room[depth & 63] : deref(at);
}

EXPORT i32 from_deep(i32 depth, volatile i32 *at)
{
    __try {
        return recurse(depth, at);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return -6;
    }
}

static NOINLINE i32 eat(volatile char *below)
{
    volatile char room[4096];

    room[0] = below ? below[0] : 1;
    return eat(room) + room[0];
}

EXPORT i32 overflow(void)
{
    __try {
        return eat(0);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return -1;
    }
}

/* A frame with a frame register. */
EXPORT i32 dynamic_frame(u64 size, volatile i32 *at)
{
    volatile char *room = __builtin_alloca(size);

    for (u64 i = 0; i < size; i++) {
        room[i] = (char)i;
    }
    __try {
        deref(at);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return room[size - 1];
    }
    return -1;
}

EXPORT i32 jump_to_nowhere(void *target)
{
    __try {
        return ((i32(*)(void))target)();
    } __except (GetExceptionCode() == 0xC0000005) {
        return -7;
    }
}

EXPORT i32 illegal(i32 which)
{
    u32 code = 0;

    __try {
        switch (which) {
        case 0:
            __asm__ volatile("ud2");
            break;
        case 1:
            __asm__ volatile("cli");
            break;
        case 2:
            __asm__ volatile("mov %%cr8, %%rax" : : : "rax");
            break;
        default:
            __asm__ volatile("int $0x2c");
        }
    } __except (code = GetExceptionCode(), EXCEPTION_EXECUTE_HANDLER) {
        return (i32)code;
    }
    return 0;
}

EXPORT i32 leaves(volatile i32 *at)
{
    volatile i32 result = 0;

    __try {
        if (!at) {
            __leave;
        }
        result = *at;
    } __finally {
        result += 100;
    }
    return result;
}

/* A handler that has a __try of its own and raises again. */
EXPORT u64 raises_again(volatile i32 *bad)
{
    trail = 0;
    __try {
        __try {
            deref(bad);
        } __except (EXCEPTION_EXECUTE_HANDLER) {
            note(1);
            __try {
                deref(bad);
            } __except (EXCEPTION_CONTINUE_SEARCH) {
                note(9);
            }
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(2);
    }
    return trail;
}

/* The same frame handles many exceptions, one after the other. */
EXPORT i32 many(volatile i32 *bad, i32 count)
{
    i32 handled = 0;

    for (i32 i = 0; i < count; i++) {
        __try {
            *bad = i;
        } __except (EXCEPTION_EXECUTE_HANDLER) {
            handled++;
        }
    }
    return handled;
}

/* ---- Nobody handles these ---- */

EXPORT i32 unhandled(volatile i32 *at)
{
    return deref(at) + 1;
}

/* Not a last call, which would be a jump and leave no frame. */
EXPORT void raise_unhandled(u32 status)
{
    ExRaiseStatus(status);
    note(1);
}

EXPORT void fast_fail(u32 code)
{
    __asm__ volatile("int $0x29" : : "c"(code));
}

EXPORT u32 bad_pointer_to_host(const u32 *from)
{
    __try {
        return HostReads(from);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return 1;
    }
}

/* ---- Imports ---- */

EXPORT u32 reads_variable(void)
{
    return HostVariable;
}

EXPORT u32 calls_missing(u32 value)
{
    u32 result = HostMissing(value);

    note(1);
    return result;
}

EXPORT i32 host_raises_through_c(u32 status)
{
    __try {
        return (i32)HostRaises(status);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return (i32)GetExceptionCode();
    }
}

EXPORT i32 writes_own_code(void)
{
    __try {
        *(volatile char *)writes_own_code = 0;
        return 0;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return -1;
    }
}

EXPORT i32 DriverEntry(void *driver, void *registry_path)
{
    return 0;
}

/* ---- Jumps ----------------------------------------------------------------------------------- */

static NOINLINE void jump_from_within(struct jump *to, int value)
{
    __try {
        __try {
            note(1);
            longjmp(to, value);
        } __except (note(9), EXCEPTION_EXECUTE_HANDLER) {
            note(8);
        }
    } __finally {
        note(AbnormalTermination() ? 2 : 7);
    }
}

/* Out of another function: 1, its __finally 2, back 3, and what setjmp says. */
EXPORT u64 jumps_out(int value)
{
    struct jump here;
    int came;

    trail = 0;
    came = SETJMP(&here);
    if (came == 0) {
        jump_from_within(&here, value);
        note(6);
    }
    note(3);
    return trail * 1000 + (u64)came;
}

/* Within one function: a __finally that the target lies behind runs, one around both does not. */
EXPORT u64 jumps_within(void)
{
    struct jump here;
    volatile u32 round = 0;

    trail = 0;
    __try {
        if (SETJMP(&here) == 0) {
            note(1);
            __try {
                note(2);
                round = 1;
                longjmp(&here, 5);
            } __finally {
                note(3);
            }
        }
        note(4 + round);
    } __finally {
        note(AbnormalTermination() ? 9 : 6);
    }
    return trail;
}

/* A buffer without a frame: nothing is unwound. */
EXPORT u64 jumps_without_unwinding(void)
{
    struct jump here;

    trail = 0;
    if (_setjmp(&here, 0) == 0) {
        jump_from_within(&here, 1);
    }
    note(3);
    return trail;
}

/* Registers that a function keeps for its caller are those of setjmp again. */
EXPORT double jump_keeps_registers(double a, double b, u64 c)
{
    struct jump here;
    double kept = a * b;
    u64 number = c * 3;

    if (SETJMP(&here) == 0) {
        HostRaisesDeep(0, a, 1, 2, 3, 4);
        jump_from_within(&here, 1);
    }
    return kept + (double)number;
}

static i32 jumps_in_callback(void *jump)
{
    jump_from_within(jump, 4);
    return 0;
}

/* Out of a callback, over the host's frames. */
EXPORT u64 jumps_over_host(void)
{
    struct jump here;
    int came;

    trail = 0;
    came = SETJMP(&here);
    if (came == 0) {
        HostCallsBack(jumps_in_callback, &here);
    }
    return trail * 10 + (u64)came;
}

static struct jump stale;

static NOINLINE i32 leave_buffer(volatile u32 depth)
{
    volatile char room[512];

    room[depth] = 1;
    return SETJMP(&stale) + room[depth];
}

/* To a function that has returned. */
EXPORT i32 jumps_to_nobody(void)
{
    i32 came = leave_buffer(3);

    longjmp(&stale, 1);
    return came;
}

static NOINLINE void unwind_to(void *frame, u64 value)
{
    struct record record = {.code = 0xE0000009};

    __try {
        RtlUnwind(frame, &&unreached, &record, value);
        note(8);
    } __finally {
        note(record.code == 0xE0000009 && AbnormalTermination() ? 1 : 9);
    }
unreached:
    return;
}

/* RtlUnwind to the place that setjmp stored: its value is what setjmp says. */
EXPORT u64 unwinds(u64 value)
{
    struct jump here;
    u64 came;

    trail = 0;
    came = (u64)SETJMP(&here);
    if (came == 0) {
        struct record record = {.code = 0x80000026, .parameter_count = 1};
        record.parameters[0] = (u64)&here;
        __try {
            RtlUnwind((void *)here.at[0], (void *)here.at[10], &record, value);
            note(8);
        } __finally {
            note(1);
        }
    }
    return trail * 100 + came;
}

/* Without a frame, every block runs, and then there is nowhere to go. */
EXPORT void unwinds_everything(void)
{
    trail = 0;
    unwind_to(0, 0);
}

EXPORT u64 the_trail(void)
{
    return trail;
}
