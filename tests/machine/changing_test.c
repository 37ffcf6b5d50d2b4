/* Memory that changes while it is read: what two readings of one word see, and what becomes of the
 * trap flag when the instruction that reads meets a fault of its own. */
#include "machine/machine.h"

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>

#include "machine/support.h"

#define TRAP_FLAG 0x100

enum { WORD = 8, OLD = 0x11111111, NEW = 0x22222222 };

static sigjmp_buf out;
static bool flag_was_left; /* in what others would have kept of the instruction */

static void on_fault(int number, siginfo_t *info, void *context)
{
    ucontext_t *state = context;

    if (!ram_change_fault(context, info->si_addr)) {
        flag_was_left = (state->uc_mcontext.gregs[REG_EFL] & TRAP_FLAG) != 0;
        siglongjmp(out, number);
    }
}

struct place {
    uint64_t frame;
    uint8_t *view;
    struct sigaction before[3];
};

static const int signals[] = {SIGSEGV, SIGTRAP, SIGFPE};

static void begin(struct place *place)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    struct ram_request request = {.page_count = 1};
    const uint32_t old = OLD;

    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    assert_int_equal(ram_alloc_frames(&request, &place->frame), STATUS_SUCCESS);
    place->view = ram_map_frames(&place->frame, 1, true);
    assert_non_null(place->view);
    memset(place->view, 0, 4096);
    memcpy(place->view + WORD, &old, sizeof old);
    for (unsigned i = 0; i < 3; i++) {
        sigaction(signals[i], &action, &place->before[i]);
    }
    assert_true(ram_view_change(place->view, 4096, WORD, NEW));
}

static void end(struct place *place)
{
    for (unsigned i = 0; i < 3; i++) {
        sigaction(signals[i], &place->before[i], NULL);
    }
    ram_unmap_frames(place->view, 1);
    ram_free_frames(&place->frame, 1);
    machine_destroy();
}

/* One instruction each, far from each other. */
static __attribute__((noinline)) uint32_t load(const void *from)
{
    uint32_t value;

    __asm__ volatile("movl (%1), %0" : "=r"(value) : "r"(from) : "memory");
    return value;
}

static __attribute__((noinline)) uint32_t load_later(const void *from)
{
    uint32_t value;

    __asm__ volatile(".skip 64, 0x90\n\tmovl (%1), %0" : "=r"(value) : "r"(from) : "memory");
    return value;
}

static void the_second_reading_sees_the_new_word(void **state)
{
    struct place place;

    begin(&place);
    uint32_t before = load(place.view), first = load(place.view + WORD);
    uint32_t second = load_later(place.view + WORD), third = load(place.view + WORD);
    bool changed = ram_view_change_end();
    end(&place);
    assert_int_equal(before, 0);
    assert_int_equal(first, OLD);
    assert_int_equal(second, NEW);
    assert_int_equal(third, NEW);
    assert_true(changed);
}

static void what_is_read_once_never_changes(void **state)
{
    struct place place;

    begin(&place);
    uint32_t first = load(place.view + WORD);
    bool changed = ram_view_change_end();
    end(&place);
    assert_int_equal(first, OLD);
    assert_false(changed);
}

/* The register must be free of our flag: who catches the fault resumes with it. */
static void expect_no_flag(int number)
{
    assert_int_equal(number, SIGSEGV);
    assert_false(flag_was_left);
}

static void an_instruction_that_faults_elsewhere_keeps_no_trap_flag(void **state)
{
    struct place place;
    int number;

    flag_was_left = true;
    begin(&place);
    number = sigsetjmp(out, 1);
    if (number == 0) {
        const void *from = place.view + WORD;
        void *to = (void *)16;
        __asm__ volatile("movsl" : "+S"(from), "+D"(to) : : "memory");
    }
    uint32_t after = load_later(place.view + WORD);
    bool changed = ram_view_change_end();
    end(&place);
    expect_no_flag(number);
    assert_int_equal(after, OLD); /* it was given up, and stays as it is */
    assert_false(changed);
}

static void an_instruction_that_divides_by_it_keeps_no_trap_flag(void **state)
{
    struct place place;
    int number;

    flag_was_left = true;
    begin(&place);
    number = sigsetjmp(out, 1);
    if (number == 0) {
        __asm__ volatile("xorl %%edx, %%edx\n\tdivl (%0)"
                         :
                         : "r"(place.view)
                         : "eax", "edx", "memory");
    }
    (void)ram_view_change_end();
    end(&place);
    assert_int_equal(number, SIGFPE);
    assert_false(flag_was_left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_reading_sees_the_new_word),
        cmocka_unit_test(what_is_read_once_never_changes),
        cmocka_unit_test(an_instruction_that_faults_elsewhere_keeps_no_trap_flag),
        cmocka_unit_test(an_instruction_that_divides_by_it_keeps_no_trap_flag),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
