/* Names that the compiler and the linker ask for by themselves. */
#include "wdkrt.h"

enum {
    FAST_FAIL_STACK_COOKIE = 2,
    FAST_FAIL_PURE_CALL = 7, /* FAST_FAIL_FATAL_APP_EXIT */
    CONTINUE_SEARCH = 1,
};

int __C_specific_handler(void *record, void *frame, void *context, void *dispatcher);
int __GSHandlerCheck(void *record, void *frame, void *context, void *dispatcher);
int __GSHandlerCheck_SEH(void *record, void *frame, void *context, void *dispatcher);
int __CxxFrameHandler3(void *record, void *frame, void *context, void *dispatcher);
int __CxxFrameHandler4(void *record, void *frame, void *context, void *dispatcher);
void __security_check_cookie(u64 cookie);
__attribute__((noreturn)) void __report_gsfailure(u64 cookie);
int _purecall(void);
int atexit(void (*function)(void));

/* Says that the image uses floating point: its address is all that counts. */
int _fltused = 0x9875;

/* The loader puts its own value here: see _load_config_used. */
u64 __security_cookie = 0x00002b992ddfa232ull;
u64 __security_cookie_complement = ~0x00002b992ddfa232ull;

/* IMAGE_LOAD_CONFIG_DIRECTORY64, cut off after the member the loader needs. */
const struct {
    u32 size, rest[21];
    u64 *security_cookie;
    u64 handler_table, handler_count;
} _load_config_used = {
    .size = sizeof(_load_config_used),
    .security_cookie = &__security_cookie,
};

static __attribute__((noreturn)) void fast_fail(u32 code)
{
    __asm__ volatile("int $0x29" : : "c"(code));
    __builtin_unreachable();
}

void __report_gsfailure(u64 cookie)
{
    (void)cookie;
    fast_fail(FAST_FAIL_STACK_COOKIE);
}

void __security_check_cookie(u64 cookie)
{
    if (cookie != __security_cookie) {
        __report_gsfailure(cookie);
    }
}

/* Objects of other compilers name these. The frame's cookie is checked when the function returns;
 * that it is not checked on the way of an exception too only makes an overrun be seen later. */
int __GSHandlerCheck(void *record, void *frame, void *context, void *dispatcher)
{
    return CONTINUE_SEARCH;
}

int __GSHandlerCheck_SEH(void *record, void *frame, void *context, void *dispatcher)
{
    return __C_specific_handler(record, frame, context, dispatcher);
}

/* C++ exceptions do not exist in kernel code: such a frame handles nothing. */
int __CxxFrameHandler3(void *record, void *frame, void *context, void *dispatcher)
{
    return CONTINUE_SEARCH;
}

int __CxxFrameHandler4(void *record, void *frame, void *context, void *dispatcher)
{
    return CONTINUE_SEARCH;
}

int _purecall(void)
{
    fast_fail(FAST_FAIL_PURE_CALL);
}

/* Destructors of static objects: a driver's image goes away without running them. */
int atexit(void (*function)(void))
{
    return 0;
}
