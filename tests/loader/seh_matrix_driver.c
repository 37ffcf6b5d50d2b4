/* Nested __try blocks of every kind, in one function and over frames: each exported function is one
 * case and answers with its trail, a digit for each thing that happened, in order. Built at three
 * levels of optimisation, as C and as C++; the test knows the trail that the language promises. */
#include "seh_matrix.h"

/* ---- One function ---------------------------------------------------------------------------- */

EXPORT u64 finally_under_except_fault(void)
{
    __try {
        __try {
            note(1);
            *bad = 1;
            note(9);
        } __finally {
            note(2);
        }
        note(9);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(3);
    }
    note(4);
    return told();
}

EXPORT u64 finally_under_except_raise(void)
{
    __try {
        __try {
            note(1);
            ExRaiseStatus(A);
        } __finally {
            note(AbnormalTermination() ? 2 : 8);
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note((u32)GetExceptionCode() == (u32)A ? 3 : 8);
    }
    return told();
}

EXPORT u64 finally_under_except_callee(void)
{
    __try {
        __try {
            fault();
        } __finally {
            note(1);
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(2);
    }
    return told();
}

/* A counter is all that the blocks do: nothing keeps the compiler from the shortest code. */
EXPORT u64 finally_counts(void)
{
    volatile i32 finallys = 0, handlers = 0;

    __try {
        __try {
            ExRaiseStatus(A);
        } __finally {
            finallys++;
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        handlers++;
    }
    return (u64)(finallys * 10 + handlers);
}

/* Nothing lies between the raise and the handler. */
EXPORT u64 finally_under_except_right_behind(void)
{
    __try {
        __try {
            RtlRaiseStatus(A);
        } __finally {
            note(1);
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(2);
    }
    return told();
}

EXPORT u64 finally_counts_right_behind(void)
{
    volatile i32 finallys = 0, handlers = 0;

    __try {
        __try {
            RtlRaiseStatus(A);
        } __finally {
            finallys++;
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        handlers++;
    }
    return (u64)(finallys * 10 + handlers);
}

EXPORT u64 finally_under_except_null(void)
{
    volatile i32 finallys = 0, handlers = 0;

    __try {
        __try {
            *(volatile i32 *)0 = 1;
        } __finally {
            finallys++;
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        handlers++;
    }
    return (u64)(finallys * 10 + handlers);
}

EXPORT u64 finally_under_except_quietly(void)
{
    __try {
        __try {
            note(1);
        } __finally {
            note(AbnormalTermination() ? 8 : 2);
        }
        note(3);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(9);
    }
    return told();
}

EXPORT u64 three_finallys_under_except(void)
{
    __try {
        __try {
            __try {
                __try {
                    *bad = 1;
                } __finally {
                    note(1);
                }
            } __finally {
                note(2);
            }
        } __finally {
            note(3);
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(4);
    }
    return told();
}

/* The first handler takes it; the __finally around both stays armed and runs once, at its end. */
EXPORT u64 except_within_finally(void)
{
    __try {
        __try {
            *bad = 1;
            note(9);
        } __except (EXCEPTION_EXECUTE_HANDLER) {
            note(1);
        }
        note(2);
    } __finally {
        note(AbnormalTermination() ? 8 : 3);
    }
    return told();
}

EXPORT u64 empty_except_within_finally(void)
{
    __try {
        __try {
            raise(A);
        } __except (EXCEPTION_EXECUTE_HANDLER) {
        }
    } __finally {
        note(1);
    }
    note(2);
    return told();
}

EXPORT u64 except_within_finally_within_except(void)
{
    __try {
        __try {
            __try {
                *bad = 1;
            } __except (is((u32)GetExceptionCode(), A)) {
                note(9);
            }
        } __finally {
            note(1);
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(2);
    }
    return told();
}

EXPORT u64 finally_within_two_excepts(void)
{
    __try {
        __try {
            __try {
                raise(B);
            } __finally {
                note(1);
            }
        } __except (is((u32)GetExceptionCode(), A)) {
            note(9);
        }
        note(9);
    } __except (is((u32)GetExceptionCode(), B)) {
        note(2);
    }
    return told();
}

EXPORT u64 finally_except_finally_except(void)
{
    __try {
        __try {
            __try {
                __try {
                    *bad = 1;
                } __finally {
                    note(1);
                }
            } __except (EXCEPTION_EXECUTE_HANDLER) {
                note(2);
                raise(B);
            }
        } __finally {
            note(3);
        }
    } __except (is((u32)GetExceptionCode(), B)) {
        note(4);
    }
    return told();
}

/* Filters are asked before any block runs. */
EXPORT u64 search_comes_before_unwind(void)
{
    __try {
        __try {
            __try {
                *bad = 1;
            } __finally {
                note(3);
            }
        } __except (note(1), EXCEPTION_CONTINUE_SEARCH) {
            note(9);
        }
    } __except (note(2), EXCEPTION_EXECUTE_HANDLER) {
        note(4);
    }
    return told();
}

EXPORT u64 one_after_the_other(void)
{
    __try {
        *bad = 1;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(1);
    }
    __try {
        __try {
            *bad = 2;
        } __finally {
            note(2);
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(3);
    }
    __try {
        raise(A);
    } __except (is((u32)GetExceptionCode(), A)) {
        note(4);
    }
    return told();
}

EXPORT u64 in_a_loop(void)
{
    for (u32 i = 0; i < 3; i++) {
        __try {
            __try {
                if (i == 1) {
                    continue;
                }
                *bad = (i32)i;
            } __finally {
                note(1);
            }
        } __except (EXCEPTION_EXECUTE_HANDLER) {
            note(2);
        }
    }
    return told();
}

EXPORT u64 leaves_from_inside(void)
{
    __try {
        __try {
            if (!zero) {
                __leave;
            }
            note(9);
        } __finally {
            note(1);
        }
        note(2);
        *bad = 1;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(3);
    }
    return told();
}

static NOINLINE u64 returning(void)
{
    __try {
        __try {
            note(1);
            return 5;
        } __finally {
            note(2);
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(9);
    }
    return 6;
}

EXPORT u64 returns_from_inside(void)
{
    u64 result = returning();

    note((u32)result);
    return told();
}

EXPORT u64 raises_in_except(void)
{
    __try {
        __try {
            *bad = 1;
        } __except (EXCEPTION_EXECUTE_HANDLER) {
            note(1);
            ExRaiseStatus(B);
        }
    } __except (is((u32)GetExceptionCode(), B)) {
        note(2);
    }
    return told();
}

EXPORT u64 tries_in_except(void)
{
    __try {
        *bad = 1;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note(1);
        __try {
            __try {
                *bad = 2;
            } __finally {
                note(2);
            }
        } __except (EXCEPTION_EXECUTE_HANDLER) {
            note(3);
        }
        note(4);
    }
    return told();
}

EXPORT u64 tries_in_finally(void)
{
    __try {
        __try {
            raise(A);
        } __finally {
            note(1);
            __try {
                *bad = 2;
            } __except (EXCEPTION_EXECUTE_HANDLER) {
                note(2);
            }
            note(3);
        }
    } __except (is((u32)GetExceptionCode(), A)) {
        note(4);
    }
    return told();
}

/* The second exception takes the first one's place. */
EXPORT u64 finally_raises_under_except(void)
{
    __try {
        __try {
            *bad = 1;
        } __finally {
            note(1);
            ExRaiseStatus(B);
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note((u32)GetExceptionCode() == (u32)B ? 2 : 8);
    }
    return told();
}

EXPORT u64 finally_faults_under_except(void)
{
    __try {
        __try {
            raise(A);
        } __finally {
            note(1);
            *bad = 1;
            note(9);
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note((u32)GetExceptionCode() == 0xC0000005u ? 2 : 8);
    }
    return told();
}

EXPORT u64 finally_raises_under_finally_under_except(void)
{
    __try {
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
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note((u32)GetExceptionCode() == (u32)B ? 3 : 8);
    }
    return told();
}

EXPORT u64 both_finallys_raise(void)
{
    __try {
        __try {
            __try {
                raise(A);
            } __finally {
                note(1);
                raise(B);
            }
        } __finally {
            note(2);
            raise(C);
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note((u32)GetExceptionCode() == (u32)C ? 3 : 8);
    }
    return told();
}

/* The exception of the block is for a handler that lies within the first one's. */
EXPORT u64 finally_raises_for_the_nearer_handler(void)
{
    __try {
        __try {
            __try {
                raise(A);
            } __finally {
                note(1);
                raise(B);
            }
        } __except (is((u32)GetExceptionCode(), B)) {
            note(2);
        }
        note(3);
    } __except (is((u32)GetExceptionCode(), A)) {
        note(9);
    }
    return told();
}

static volatile i32 filter_runs;

static NOINLINE i32 raising_filter(void)
{
    note(1);
    if (filter_runs++ == 0) {
        raise(B);
    }
    return EXCEPTION_CONTINUE_SEARCH;
}

EXPORT u64 except_ends_with_a_raise(void)
{
    __try {
        __try {
            __try {
                RtlRaiseStatus(A);
            } __except (EXCEPTION_EXECUTE_HANDLER) {
                note(1);
                RtlRaiseStatus(B);
            }
        } __finally {
            note(2);
        }
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        note((u32)GetExceptionCode() == (u32)B ? 3 : 8);
    }
    return told();
}

/* The same filter is asked of its own exception, too. */
EXPORT u64 filter_raises_under_finally(void)
{
    filter_runs = 0;
    __try {
        __try {
            __try {
                *bad = 1;
            } __except (raising_filter()) {
                note(9);
            }
        } __finally {
            note(2);
        }
    } __except (is((u32)GetExceptionCode(), B)) {
        note(3);
    }
    return told();
}

static NOINLINE i32 filter_with_finally(void)
{
    __try {
        __try {
            raise(B);
        } __finally {
            note(1);
        }
    } __except (is((u32)GetExceptionCode(), B)) {
        note(2);
    }
    return EXCEPTION_EXECUTE_HANDLER;
}

EXPORT u64 filter_unwinds_for_itself(void)
{
    __try {
        __try {
            raise(A);
        } __finally {
            note(3);
        }
    } __except (filter_with_finally()) {
        note((u32)GetExceptionCode() == (u32)A ? 4 : 8);
    }
    return told();
}

static NOINLINE i32 looks(struct pointers *pointers)
{
    note(pointers->record->parameter_count);
    return pointers->record->code == (u32)C ? EXCEPTION_CONTINUE_EXECUTION
                                            : EXCEPTION_EXECUTE_HANDLER;
}

/* The filter sends it back: no block runs for that. */
EXPORT u64 continues_under_finally(void)
{
    struct record record = {0, 0, 0, 0, 3, {0}};

    record.code = (u32)C;
    __try {
        __try {
            RtlRaiseException(&record);
            note(4);
        } __finally {
            note(AbnormalTermination() ? 8 : 5);
        }
    } __except (looks(GetExceptionInformation())) {
        note(9);
    }
    return told();
}

EXPORT u64 locals_are_seen(void)
{
    volatile u32 a = 1, b = 1;

    __try {
        a = 2;
        __try {
            b = 3;
            *bad = 1;
            b = 9;
        } __finally {
            b = b + 1;
            a = a + b;
        }
    } __except (a == 2 && b == 3 ? EXCEPTION_EXECUTE_HANDLER : EXCEPTION_CONTINUE_SEARCH) {
        note(a);
        note(b);
    }
    return told();
}
