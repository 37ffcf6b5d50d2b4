/* seh_matrix.h: what both halves of the exception matrix share: the words of structured exceptions
 * without the WDK's headers, and the trail that a case leaves. */
#ifndef TESTS_LOADER_SEH_MATRIX_H
#define TESTS_LOADER_SEH_MATRIX_H

typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;

#ifdef __cplusplus
#define LINKAGE extern "C"
#else
#define LINKAGE
#endif
#define EXPORT                       LINKAGE __declspec(dllexport)
#define IMPORT                       LINKAGE __declspec(dllimport)
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

struct pointers {
    struct record *record;
    void *context;
};

LINKAGE unsigned long _exception_code(void);
LINKAGE void *_exception_info(void);
LINKAGE int _abnormal_termination(void);
#define GetExceptionCode        _exception_code
#define GetExceptionInformation (struct pointers *)_exception_info
#define AbnormalTermination     _abnormal_termination

IMPORT void ExRaiseStatus(u32 status);
/* The WDK says of both that they do not come back; of one we keep that from the compiler. */
IMPORT __declspec(noreturn) void RtlRaiseStatus(u32 status);
IMPORT void RtlRaiseException(struct record *record);

enum {
    A = (i32)0xC00000AA,
    B = (i32)0xC00000BB,
    C = (i32)0xC00000CC,
};

static volatile u64 trail;
static volatile i32 zero;
static volatile i32 *volatile bad = (volatile i32 *)16;

static void note(u32 digit)
{
    trail = trail * 10 + digit;
}

static u64 told(void)
{
    u64 all = trail;

    trail = 0;
    return all;
}

static NOINLINE void fault(void)
{
    *bad = 1;
    note(9);
}

static NOINLINE void raise(u32 code)
{
    ExRaiseStatus(code);
    note(9);
}

static NOINLINE i32 is(u32 code, u32 wanted)
{
    return code == wanted ? EXCEPTION_EXECUTE_HANDLER : EXCEPTION_CONTINUE_SEARCH;
}

#endif
