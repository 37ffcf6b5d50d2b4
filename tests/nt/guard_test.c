/* What a routine of the driver must give back as it was. */
#include "nt/support.h"

#include <xmmintrin.h>

static char what_seen[64], names_seen[NT_GUARD_NAMES_MAX];
static const void *routine_seen;
static unsigned findings;

static void on_registers(void *ctx, const char *what, const char *names, const void *routine)
{
    snprintf(what_seen, sizeof(what_seen), "%s", what ? what : "");
    snprintf(names_seen, sizeof(names_seen), "%s", names);
    routine_seen = routine;
    findings++;
}

typedef uint64_t NTAPI routine(uint64_t value);

/* Each comes back with twice its argument, and with one thing changed. */
#define ROUTINES(X)                                                                            \
    X(nothing, "nop", "")                                                                      \
    X(rbx, "xor %ebx, %ebx", "rbx")                                                            \
    X(rbp, "mov %rsp, %rbp", "rbp")                                                            \
    X(rsi, "inc %rsi", "rsi")                                                                  \
    X(rdi, "dec %rdi", "rdi")                                                                  \
    X(r12, "not %r12", "r12")                                                                  \
    X(r13, "mov %rcx, %r13", "r13")                                                            \
    X(r14, "xor %r14d, %r14d", "r14")                                                          \
    X(r15, "mov %rax, %r15", "r15")                                                            \
    X(exchange, "xchg %rsi, %rdi", "rsi, rdi")                                                 \
    X(xmm6, "xorps %xmm6, %xmm6", "xmm6")                                                      \
    X(xmm7, "pcmpeqd %xmm7, %xmm7", "xmm7")                                                    \
    X(xmm8, "movq %xmm8, %xmm8", "xmm8")                                                       \
    X(xmm9, "movhlps %xmm9, %xmm9", "xmm9")                                                    \
    X(xmm10, "movaps %xmm0, %xmm10; xorps %xmm10, %xmm10", "xmm10")                            \
    X(xmm11, "xorps %xmm11, %xmm11", "xmm11")                                                  \
    X(xmm12, "xorps %xmm12, %xmm12", "xmm12")                                                  \
    X(xmm13, "xorps %xmm13, %xmm13", "xmm13")                                                  \
    X(xmm14, "xorps %xmm14, %xmm14", "xmm14")                                                  \
    X(xmm15, "xorps %xmm15, %xmm15", "xmm15")                                                  \
    X(direction, "std", "the direction flag")                                                  \
    X(alignment, "pushfq; orl $0x40000, (%rsp); popfq", "the alignment check flag")            \
    X(rounding, "push $0x3f80; ldmxcsr (%rsp); pop %rdx", "the control bits of MXCSR")         \
    X(unmasked, "push $0x1f00; ldmxcsr (%rsp); pop %rdx", "the control bits of MXCSR")         \
    X(precision, "push $0x27f; fldcw (%rsp); pop %rdx", "the x87 control word")                \
    X(several, "xor %ebx, %ebx; xor %r15d, %r15d; xorps %xmm6, %xmm6; std",                    \
      "rbx, r15, xmm6, the direction flag")                                                    \
    X(own, "xor %r8d, %r8d; xor %r11d, %r11d; xorps %xmm5, %xmm5; cmp %rax, %rsp; fninit", "") \
    X(sticky, "stmxcsr 8(%rsp); xorl $0x3f, 8(%rsp); ldmxcsr 8(%rsp)", "")

#define DEFINE(name, text, names)                                        \
    routine changes_##name;                                              \
    __attribute__((naked)) uint64_t NTAPI changes_##name(uint64_t value) \
    {                                                                    \
        __asm__("lea (%rcx,%rcx), %rax; " text "; ret");                 \
    }
ROUTINES(DEFINE)

static const struct {
    const char *name;
    routine *routine;
    const char *names;
} cases[] = {
#define X(name, text, names) {#name, changes_##name, names},
    ROUTINES(X)
#undef X
};

struct surroundings {
    uint32_t mxcsr;
    uint16_t x87;
    uint64_t flags;
};

static struct surroundings surroundings_now(void)
{
    struct surroundings now = {.mxcsr = _mm_getcsr() & 0xFFC0u};

    __asm__ volatile("fnstcw %0" : "=m"(now.x87));
    now.flags = __builtin_ia32_readeflags_u64() & 0x40400u;
    return now;
}

static void start(void)
{
    const struct machine_config config = {.seed = 1};
    const struct nt_hooks hooks = {.registers = on_registers};

    assert_int_equal(machine_create(&config), STATUS_SUCCESS);
    assert_int_equal(nt_init(&hooks), STATUS_SUCCESS);
    findings = 0;
}

static void end(void)
{
    nt_fini();
    machine_destroy();
}

static void each_changed_register_is_named_and_restored(void **state)
{
    start();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct surroundings before = surroundings_now();
        unsigned expected = cases[i].names[0] != '\0';

        findings = 0;
        names_seen[0] = '\0';
        uint64_t twice = NT_CALL_DRIVER("a test", cases[i].routine, (i + 21));
        struct surroundings after = surroundings_now();
        if (findings != expected || strcmp(names_seen, cases[i].names) != 0) {
            fail_msg("%s: %u findings, \"%s\"", cases[i].name, findings, names_seen);
        }
        assert_true(twice == 2 * (i + 21));
        assert_int_equal(after.mxcsr, before.mxcsr);
        assert_int_equal(after.x87, before.x87);
        assert_int_equal(after.flags, before.flags);
        if (expected) {
            assert_string_equal(what_seen, "a test");
            assert_ptr_equal(routine_seen, (const void *)cases[i].routine);
        }
    }
    end();
}

/* Everything that a caller may keep in a register over the call. */
static __attribute__((naked)) void NTAPI changes_all(void)
{
    __asm__("xor %ebx, %ebx; xor %ebp, %ebp; xor %esi, %esi; xor %edi, %edi;"
            "xor %r12d, %r12d; xor %r13d, %r13d; xor %r14d, %r14d; xor %r15d, %r15d;"
            "xorps %xmm6, %xmm6; xorps %xmm7, %xmm7; xorps %xmm8, %xmm8; xorps %xmm9, %xmm9;"
            "xorps %xmm10, %xmm10; xorps %xmm11, %xmm11; xorps %xmm12, %xmm12;"
            "xorps %xmm13, %xmm13; xorps %xmm14, %xmm14; xorps %xmm15, %xmm15; ret");
}

static void the_caller_has_its_own_values_after_everything_was_changed(void **state)
{
    volatile uint64_t source[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    uint64_t integers[12];
    double reals[12];

    start();
    for (unsigned i = 0; i < 12; i++) {
        integers[i] = source[i];
        reals[i] = (double)source[i] / 2;
    }
    NT_CALL_DRIVER("a test", &changes_all, ());
    assert_int_equal(findings, 1);
    for (unsigned i = 0; i < 12; i++) {
        assert_true(integers[i] == source[i]);
        assert_true(reals[i] == (double)source[i] / 2);
    }
    end();
}

static uint64_t NTAPI weigh(uint64_t a, uint32_t b, void *c, uint8_t d, uint64_t e, uint16_t f,
                            uint64_t g, int32_t h)
{
    return a + 10 * b + 100 * (uintptr_t)c + 1000 * d + 10000 * e + 100000 * f + 1000000 * g +
           (uint64_t)(10000000 * (int64_t)h);
}

static void eight_arguments_arrive(void **state)
{
    start();
    assert_true(NT_CALL_DRIVER("a test", &weigh, (1, 2, (void *)3, 4, 5, 6, 7, 8)) == 87654321);
    assert_int_equal(findings, 0);
    end();
}

static uint64_t NTAPI calls_another(uint64_t value)
{
    routine *inner = changes_r12;

    return NT_CALL_DRIVER("inside", inner, (value)) + 1;
}

static void a_call_inside_a_call_is_judged_alone(void **state)
{
    routine *outer = calls_another;

    start();
    assert_true(NT_CALL_DRIVER("outside", outer, (20)) == 41);
    assert_int_equal(findings, 1);
    assert_string_equal(what_seen, "inside");
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_changed_register_is_named_and_restored),
        cmocka_unit_test(the_caller_has_its_own_values_after_everything_was_changed),
        cmocka_unit_test(eight_arguments_arrive),
        cmocka_unit_test(a_call_inside_a_call_is_judged_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
