/* The exception matrix, second half: exceptions that pass from one function to another. */
#include "seh_matrix.h"

/* ---- Over frames ----------------------------------------------------------------------------- */

static NOINLINE void with_finally(u32 digit, void (*inner)(void))
{
    __try {
        inner();
    } __finally {
        note(digit);
    }
    note(9);
}

static NOINLINE void with_unwilling_except(void)
{
    __try {
        __try {
            fault();
        } __finally {
            note(2);
        }
    } __except (note(1), EXCEPTION_CONTINUE_SEARCH) {
        note(9);
    }
}

EXPORT u64 over_frames(void)
{
    __try {
        __try {
            with_finally(3, with_unwilling_except);
        } __finally {
            note(4);
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(5);
    }
    return told();
}

static NOINLINE void raises_b_in_finally(void)
{
    __try {
        __try {
            raise(A);
        } __finally {
            note(1);
            raise(B);
        }
    } __finally {
        note(2);
    }
}

static NOINLINE void takes_b(void)
{
    __try {
        __try {
            raises_b_in_finally();
        } __finally {
            note(3);
        }
    } __except (is((u32)GetExceptionCode(), B)) {
        note(4);
    }
    note(5);
}

/* The first exception was on its way to this frame; the second one is taken before it. */
EXPORT u64 collided_for_a_nearer_frame(void)
{
    __try {
        __try {
            takes_b();
            note(6);
        } __finally {
            note(AbnormalTermination() ? 8 : 7);
        }
    } __except (is((u32)GetExceptionCode(), A)) {
        note(9);
    }
    return told();
}

static NOINLINE void takes_a(void)
{
    __try {
        raises_b_in_finally();
    } __except (is((u32)GetExceptionCode(), A)) {
        note(9);
    }
    note(9);
}

/* … or taken behind the frame that the first one was on its way to. */
EXPORT u64 collided_for_a_farther_frame(void)
{
    __try {
        __try {
            takes_a();
        } __finally {
            note(3);
        }
    } __except (is((u32)GetExceptionCode(), B)) {
        note(4);
    }
    return told();
}

static NOINLINE void takes_its_callees(void)
{
    __try {
        raises_b_in_finally();
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note((u32)GetExceptionCode() == (u32)B ? 3 : 8);
    }
}

/* A __finally that starts, survives and forgets a whole unwind of its own. */
EXPORT u64 unwind_within_finally(void)
{
    __try {
        __try {
            raise(C);
        } __finally {
            takes_its_callees();
            note(4);
        }
    } __except (is((u32)GetExceptionCode(), C)) {
        note(5);
    }
    return told();
}

static NOINLINE u32 deep(u32 depth, u32 taker)
{
    u32 result = 0;

    __try {
        __try {
            if (depth == 0) {
                fault();
            }
            result = deep(depth - 1, taker) + 1;
        } __finally {
            note(depth);
        }
    } __except (depth == taker ? EXCEPTION_EXECUTE_HANDLER : EXCEPTION_CONTINUE_SEARCH) {
        note(7);
        result = 1;
    }
    return result;
}

/* Blocks 0 1 2 3, then the handler (7) in the frame of depth 3; 4 and 5 on the usual way back,
 * which counts three frames. */
EXPORT u64 the_right_frame_of_a_recursion(void)
{
    u32 result;

    note(1);
    result = deep(5, 3);
    note(result);
    return told();
}

static NOINLINE void third(void)
{
    __try {
        raise(A);
    } __finally {
        note(1);
        __try {
            raise(B);
        } __finally {
            note(2);
            __try {
                raise(C);
            } __except (is((u32)GetExceptionCode(), C)) {
                note(3);
            }
            note(4);
        }
    }
}

EXPORT u64 three_exceptions_in_one_another(void)
{
    __try {
        third();
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note((u32)GetExceptionCode() == (u32)B ? 5 : 8);
    }
    return told();
}

EXPORT i32 DriverEntry(void *driver, void *registry_path)
{
    (void)driver;
    (void)registry_path;
    return 0;
}
