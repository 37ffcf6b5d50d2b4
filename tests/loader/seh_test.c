/* Exceptions across driver frames: runs each case of seh_driver.c, on the thread's stack and on a
 * coroutine's. The path of seh_driver.sys is the first argument. */
#include "loader/loader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cmocka.h>

#define MS LOADER_MS_ABI

enum {
    STACK_SIZE = 256 << 10,
};

static const char *driver_path;
static struct loader_image *driver;
static int *const bad = (int *)16;

/* What the host callbacks saw. */
static struct loader_fault last_fault;
static const enum loader_fault_kind no_fault = (enum loader_fault_kind)99;
static jmp_buf after_fault;
static bool fault_expected;
static char missing_name[64];
static char missing_caller[LOADER_TEXT_MAX];
static int unwound_count;
static bool filter_takes;
static int filter_count;
static struct {
    uintptr_t low, high;
} own_stack;

static uint32_t host_variable = 4711;

/* ---- The host's functions -------------------------------------------------------------------- */

__attribute__((noinline)) static double raise_deep(uint32_t status, int depth, double value)
{
    volatile double noise[4] = {value, value + 1, value + 2, value * 3};

    if (depth == 0 && status) {
        loader_raise(status);
    }
    if (depth == 0) {
        return value;
    }
    return raise_deep(status, depth - 1, noise[0] * noise[3] + noise[1]) + noise[2];
}

static MS uint32_t host_raises(uint32_t status)
{
    return (uint32_t)raise_deep(status, 3, 1.5);
}

static MS uint32_t host_raises_deep(uint32_t status, double a, uint64_t b, uint64_t c, uint64_t d,
                                    uint64_t e)
{
    return raise_deep(status, 7, a) > (double)(b + c + d + e);
}

static MS int host_calls_back(MS int (*routine)(void *), void *argument)
{
    return routine(argument) + 1;
}

__attribute__((noinline)) static uint32_t read_it(const volatile uint32_t *from)
{
    return *from;
}

static MS uint32_t host_reads(const uint32_t *from)
{
    return read_it(from) + 1;
}

static MS void host_unprotects(void *address)
{
    assert_int_equal(mprotect(address, 4096, PROT_READ | PROT_WRITE), 0);
}

static bool resolve(void *ctx, const char *dll, const char *name, struct loader_binding *out)
{
    static const struct {
        const char *name;
        const void *address;
    } functions[] = {
        {"HostRaises", (const void *)host_raises},
        {"HostRaisesDeep", (const void *)host_raises_deep},
        {"HostCallsBack", (const void *)host_calls_back},
        {"HostReads", (const void *)host_reads},
        {"HostUnprotects", (const void *)host_unprotects},
    };

    if (strcmp(name, "HostVariable") == 0) {
        *out = (struct loader_binding){.address = &host_variable, .is_data = true};
        return true;
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, name) == 0) {
            out->address = (void *)(uintptr_t)functions[i].address;
            return true;
        }
    }
    return false;
}

static void unresolved(void *ctx, const char *name, const void *caller)
{
    snprintf(missing_name, sizeof(missing_name), "%s", name);
    loader_location_text(caller, missing_caller, sizeof(missing_caller));
}

static void unhandled(void *ctx, const struct loader_fault *fault)
{
    if (!fault_expected) {
        fprintf(stderr, "unexpected: %s\n", fault->summary);
        for (unsigned i = 0; i < fault->backtrace_count; i++) {
            fprintf(stderr, "    %s\n", fault->backtrace[i]);
        }
        _Exit(1);
    }
    fault_expected = false;
    last_fault = *fault;
    longjmp(after_fault, 1);
}

static void unwound(void *ctx, const void *stack_pointer)
{
    unwound_count++;
}

static bool fault_filter(void *ctx, void *context, void *address)
{
    filter_count++;
    return filter_takes &&
           mprotect((void *)((uintptr_t)address & ~4095ull), 4096, PROT_READ | PROT_WRITE) == 0;
}

static bool stack_bounds(void *ctx, uintptr_t *low, uintptr_t *high)
{
    *low = own_stack.low;
    *high = own_stack.high;
    return own_stack.high != 0;
}

static bool cross_host_callbacks = true;

/* Before each call of the driver, for cmocka puts its own signal handlers there at each test's
 * start. */
static void arm(void)
{
    struct loader_host callbacks = {
        .resolve = resolve,
        .unresolved = unresolved,
        .fault_filter = fault_filter,
        .stack_bounds = stack_bounds,
        .unwound = unwound,
        .unhandled = unhandled,
        .cross_host_callbacks = cross_host_callbacks,
    };

    loader_init(&callbacks);
}

static int set_up(void **state)
{
    struct loader_error error;

    arm();
    if (!loader_load_file(driver_path, &driver, &error)) {
        fprintf(stderr, "%s: %s\n", driver_path, error.text);
        return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    loader_unload(driver);
    loader_fini();
    return 0;
}

static const void *find(const char *name)
{
    const void *address = loader_export_find(driver, name);

    if (!address) {
        fail_msg("seh_driver.sys does not export %s", name);
    }
    arm();
    return address;
}

/* One macro a signature would say less: the cases differ in their arguments. */
#define CALL(result, name, types, ...) (((MS result(*) types)find(name))(__VA_ARGS__))

/* Runs the call, which must end in a report and not come back. */
#define expect_fault(call)              \
    do {                                \
        fault_expected = true;          \
        last_fault.kind = no_fault;     \
        if (setjmp(after_fault) == 0) { \
            call;                       \
            fault_expected = false;     \
        }                               \
    } while (0)

/* ---- Handled by the driver ------------------------------------------------------------------- */

static void handled_cases(void)
{
    int good = 42;
    uint64_t address = 0;

    assert_int_equal(CALL(int, "same_frame", (int *), &good), 42);
    assert_int_equal(CALL(int, "same_frame", (int *), bad), -1);
    assert_int_equal(CALL(int, "in_callee", (int *), bad), -2);
    for (uint64_t size = 1; size < 256; size += 17) {
        assert_int_equal(CALL(int, "in_copy", (void *, uint64_t), bad, size), -3);
    }
    assert_int_equal(CALL(int, "finally_runs", (int *), bad), -4);
    assert_int_equal((uint32_t)CALL(int, "host_raises", (void)), 0xC000009Au);
    assert_int_equal((uint32_t)CALL(int, "host_raises_through_c", (uint32_t), 0xC0000017u),
                     0xC0000017u);
    assert_int_equal(CALL(uint64_t, "nested_finallys", (int *), bad), 12345);
    assert_int_equal(CALL(uint64_t, "filter_handles_its_own", (int *), bad), 123);
    assert_int_equal(CALL(uint64_t, "filter_raises", (int *), bad), 112);
    assert_int_equal(CALL(int, "divides", (int, int), 12, 4), 3);
    assert_int_equal(CALL(int, "divides", (int, int), 12, 0), -94);
    assert_int_equal(CALL(int, "breakpoint", (void)), 3);
    assert_int_equal(CALL(uint64_t, "information", (int *, uint64_t *), bad, &address),
                     0xC0000005ull + (1ull << 32) + (2ull << 40));
    assert_int_equal(address, 16);
    assert_int_equal(CALL(uint64_t, "finally_raises", (int *), bad), 1234);
    assert_int_equal(CALL(uint64_t, "finally_handles_its_own", (int *), bad), 123);
    assert_int_equal(CALL(uint64_t, "through_callback", (int *), bad), 12);
    assert_int_equal(CALL(int, "inside_callback", (int *), bad), -1);
    assert_int_equal(CALL(uint64_t, "raise_and_continue", (uint32_t, uint32_t), 0xE0000001u, 0),
                     61);
    assert_int_equal(CALL(uint64_t, "raise_and_continue", (uint32_t, uint32_t), 0xE0000002u, 0),
                     62);
    assert_int_equal(CALL(int, "from_deep", (int, int *), 500, bad), -6);
    assert_int_equal(CALL(int, "dynamic_frame", (uint64_t, int *), 100, bad), 99);
    assert_int_equal(CALL(int, "dynamic_frame", (uint64_t, int *), 9000, bad), (char)(8999 & 0xff));
    assert_int_equal(CALL(int, "leaves", (int *), NULL), 100);
    assert_int_equal(CALL(uint64_t, "raises_again", (int *), bad), 12);
    assert_int_equal(CALL(int, "many", (int *, int), bad, 1000), 1000);
}

static void handles_what_the_driver_handles(void **state)
{
    handled_cases();
}

static void jump_cases(void)
{
    assert_int_equal(CALL(uint64_t, "jumps_out", (int), 7), 123007);
    assert_int_equal(CALL(uint64_t, "jumps_out", (int), 0), 123001);
    assert_int_equal(CALL(uint64_t, "jumps_within", (void)), 12356);
    assert_int_equal(CALL(uint64_t, "jumps_without_unwinding", (void)), 13);
    assert_int_equal(CALL(uint64_t, "unwinds", (uint64_t), 42), 142);
    for (int i = 0; i < 100; i++) {
        assert_true(CALL(double, "jump_keeps_registers", (double, double, uint64_t), 1.5, 2.5, 7) ==
                    3.75 + 21);
    }
}

static void jumps_run_what_they_leave(void **state)
{
    jump_cases();
    unwound_count = 0;
    assert_int_equal(CALL(uint64_t, "jumps_over_host", (void)), 124);
    assert_true(unwound_count >= 1);
    assert_int_equal(CALL(int, "same_frame", (int *), bad), -1);
}

static void reports_a_jump_to_nobody(void **state)
{
    expect_fault(CALL(int, "jumps_to_nobody", (void)));
    assert_int_equal(last_fault.kind, LOADER_FAULT_UNHANDLED);
    assert_int_equal(last_fault.code, LOADER_BAD_STACK);
    expect_fault(CALL(int, "unwinds_everything", (void)));
    assert_int_equal(last_fault.code, LOADER_BAD_STACK);
    assert_int_equal(CALL(uint64_t, "the_trail", (void)), 1);
}

static void kinds_of_instructions(void **state)
{
    assert_int_equal((uint32_t)CALL(int, "illegal", (int), 0), LOADER_ILLEGAL_INSTRUCTION);
    assert_int_equal((uint32_t)CALL(int, "illegal", (int), 1), LOADER_PRIVILEGED_INSTRUCTION);
    assert_int_equal((uint32_t)CALL(int, "illegal", (int), 2), LOADER_PRIVILEGED_INSTRUCTION);
    assert_int_equal((uint32_t)CALL(int, "illegal", (int), 3), LOADER_ASSERTION_FAILURE);
    assert_int_equal(CALL(int, "jump_to_nowhere", (void *), NULL), -7);
    assert_int_equal(CALL(int, "jump_to_nowhere", (void *), (void *)0x123456789000ull), -7);
    assert_int_equal(CALL(int, "writes_own_code", (void)), -1);
}

static void preserved_registers_survive_a_raise(void **state)
{
    /* 1.5*2.5 + 3*(1.5+2.5) = 15.75; 7*3 + 3*(7^0x55) = 267; last code 3. */
    double result = CALL(double, "registers_survive", (double, double, uint64_t), 1.5, 2.5, 7);

    assert_true(result == 15.75 + 267 + 3);
}

static void continues_after_the_filter_mended_it(void **state)
{
    int *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_int_equal(CALL(int, "continues", (int *, int), page, 77), 77);
    assert_int_equal(page[0], 77);
    munmap(page, 4096);
}

/* Of those that were handled only what comes over and over is told of. */
static void handled_exceptions_leave_no_place(void **state)
{
    int *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_int_equal(CALL(int, "continues", (int *, int), page, 77), 77);
    assert_null(loader_exception_place());
    assert_int_equal(CALL(int, "same_frame", (int *), bad), -1);
    assert_null(loader_exception_place());
    for (int i = 0; i < 100; i++) {
        assert_int_equal(CALL(int, "same_frame", (int *), bad), -1);
    }
    assert_non_null(loader_exception_place());
    munmap(page, 4096);
}

static void host_looks_at_a_fault_first(void **state)
{
    int *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    filter_takes = true;
    filter_count = 0;
    assert_int_equal(CALL(int, "same_frame", (int *), page), 0);
    filter_takes = false;
    assert_int_equal(filter_count, 1);
    munmap(page, 4096);
}

static void host_is_told_of_dropped_frames(void **state)
{
    unwound_count = 0;
    CALL(int, "host_raises", (void));
    assert_true(unwound_count >= 1);
}

/* ---- On a coroutine -------------------------------------------------------------------------- */

static ucontext_t main_context, coroutine_context;
static void (*coroutine_body)(void);

static void coroutine(void)
{
    coroutine_body();
    swapcontext(&coroutine_context, &main_context);
}

static void run_on_own_stack(void (*body)(void))
{
    uint8_t *stack = mmap(NULL, STACK_SIZE + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_int_equal(mprotect(stack + 4096, STACK_SIZE, PROT_READ | PROT_WRITE), 0);
    own_stack.low = (uintptr_t)stack + 4096;
    own_stack.high = own_stack.low + STACK_SIZE;
    getcontext(&coroutine_context);
    coroutine_context.uc_stack.ss_sp = stack + 4096;
    coroutine_context.uc_stack.ss_size = STACK_SIZE;
    coroutine_body = body;
    makecontext(&coroutine_context, coroutine, 0);
    swapcontext(&main_context, &coroutine_context);
    own_stack.low = own_stack.high = 0;
    munmap(stack, STACK_SIZE + 8192);
}

static void handles_on_a_coroutine(void **state)
{
    run_on_own_stack(handled_cases);
    run_on_own_stack(jump_cases);
}

static void overflow_here(void)
{
    /* Assertions belong on the main stack, so only the report is taken along. */
    expect_fault(CALL(int, "overflow", (void)));
}

static void reports_a_stack_overflow_on_a_coroutine(void **state)
{
    run_on_own_stack(overflow_here);
    assert_int_equal(last_fault.kind, LOADER_FAULT_STACK_OVERFLOW);
    assert_int_equal(last_fault.code, LOADER_STACK_OVERFLOW);
    assert_non_null(strstr(last_fault.where, "seh_driver.sys+0x"));
    assert_int_equal(last_fault.backtrace_count, LOADER_BACKTRACE_MAX);
}

static void reports_a_stack_overflow_on_the_thread(void **state)
{
    overflow_here();
    assert_int_equal(last_fault.kind, LOADER_FAULT_STACK_OVERFLOW);
}

/* ---- Handled by nobody ----------------------------------------------------------------------- */

static void reports_an_unhandled_fault(void **state)
{
    expect_fault(CALL(int, "unhandled", (int *), bad));
    assert_int_equal(last_fault.kind, LOADER_FAULT_UNHANDLED);
    assert_int_equal(last_fault.code, LOADER_ACCESS_VIOLATION);
    assert_int_equal(last_fault.access, LOADER_ACCESS_READ);
    assert_int_equal(last_fault.access_address, 16);
    assert_ptr_equal(last_fault.image, driver);
    assert_non_null(strstr(last_fault.summary, "access violation (0xc0000005) reading 0x10 at "
                                               "seh_driver.sys+0x"));
    assert_non_null(strstr(last_fault.backtrace[0], "seh_driver.sys+0x"));
    assert_non_null(strstr(last_fault.backtrace[1], "seh_driver.sys+0x"));
}

static void reports_an_unhandled_raise(void **state)
{
    expect_fault(CALL(void, "raise_unhandled", (uint32_t), 0xC0000123u));
    assert_int_equal(last_fault.kind, LOADER_FAULT_UNHANDLED);
    assert_int_equal(last_fault.code, 0xC0000123u);
    assert_non_null(strstr(last_fault.where, "seh_driver.sys+0x"));
}

static void reports_a_fast_fail(void **state)
{
    expect_fault(CALL(void, "fast_fail", (uint32_t), 3));
    assert_int_equal(last_fault.kind, LOADER_FAULT_FAST_FAIL);
    assert_int_equal(last_fault.parameters[0], 3);
}

static void reports_exceptions_without_end(void **state)
{
    expect_fault(CALL(int, "filter_faults_for_ever", (int *), bad));
    assert_int_equal(last_fault.kind, LOADER_FAULT_NESTED);
}

static void reports_continuing_what_cannot_continue(void **state)
{
    expect_fault(CALL(uint64_t, "raise_and_continue", (uint32_t, uint32_t), 0xE0000001u, 1));
    assert_int_equal(last_fault.code, LOADER_NONCONTINUABLE);
}

/* A __try does not help against a bad pointer given to the host: said of the driver, not of us. */
static void reports_a_bad_pointer_given_to_the_host(void **state)
{
    expect_fault(CALL(uint32_t, "bad_pointer_to_host", (const uint32_t *), (const uint32_t *)bad));
    assert_int_equal(last_fault.kind, LOADER_FAULT_HOST_CALL);
    assert_string_equal(last_fault.host_function, "HostReads");
    assert_non_null(strstr(last_fault.caller, "seh_driver.sys+0x"));
    assert_non_null(
        strstr(last_fault.summary, "reading 0x10 in HostReads, called from seh_driver"));
}

static void reports_our_own_fault(void **state)
{
    arm();
    expect_fault(read_it((const uint32_t *)bad));
    assert_int_equal(last_fault.kind, LOADER_FAULT_HOST);
    assert_null(last_fault.image);
}

/* A kernel that keeps state in its frames does not let exceptions through them. */
static void callbacks_are_a_border_if_the_host_says_so(void **state)
{
    cross_host_callbacks = false;
    assert_int_equal(CALL(int, "inside_callback", (int *), bad), -1);
    expect_fault(CALL(uint64_t, "through_callback", (int *), bad));
    assert_int_equal(last_fault.kind, LOADER_FAULT_UNHANDLED);
    cross_host_callbacks = true;
}

/* ---- Imports --------------------------------------------------------------------------------- */

static const struct loader_import *import(const char *name)
{
    for (size_t i = 0; i < driver->import_count; i++) {
        if (strcmp(driver->imports[i].name, name) == 0) {
            return &driver->imports[i];
        }
    }
    fail_msg("no import %s", name);
    return NULL;
}

static void binds_functions_variables_and_stubs(void **state)
{
    uint32_t before = *import("ExRaiseStatus")->calls;

    assert_int_equal(CALL(uint32_t, "reads_variable", (void)), 4711);
    assert_true(import("HostVariable")->is_data);
    assert_null(import("HostVariable")->calls);
    assert_true(import("HostReads")->found);
    assert_string_equal(import("HostReads")->dll, "ntoskrnl.exe");
    CALL(int, "host_raises", (void));
    assert_int_equal(*import("ExRaiseStatus")->calls, before + 1);
}

static void a_missing_import_names_itself_and_its_caller(void **state)
{
    const struct loader_import *missing = import("HostMissing");

    assert_false(missing->found);
    assert_int_equal(*missing->calls, 0);
    assert_int_equal(CALL(uint32_t, "calls_missing", (uint32_t), 5), 0xC0000002u);
    assert_int_equal(*missing->calls, 1);
    assert_string_equal(missing_name, "HostMissing");
    assert_non_null(strstr(missing_caller, "seh_driver.sys+0x"));
}

static void lies_where_it_always_lies(void **state)
{
    char text[LOADER_TEXT_MAX];

    assert_int_equal((uintptr_t)driver->base, LOADER_IMAGE_ADDRESS_FIRST);
    assert_ptr_equal(loader_image_at(driver->entry), driver);
    assert_null(loader_image_at(&host_variable));
    assert_null(loader_image_at(driver->base + driver->size));
    loader_location_text(driver->base + 0x123, text, sizeof(text));
    assert_string_equal(text, "seh_driver.sys+0x123");
}

static void loads_beside_itself_and_unloads(void **state)
{
    struct loader_image *second = NULL;
    struct loader_error error;
    void *base;

    assert_true(loader_load_file(driver_path, &second, &error));
    base = second->base;
    assert_true(second->base > driver->base + driver->size);
    assert_int_equal(((MS int (*)(void *, void *))second->entry)(NULL, NULL), 0);
    loader_unload(second);
    assert_null(loader_image_at(base));
    assert_true(loader_load_file(driver_path, &second, &error));
    assert_ptr_equal(second->base, base);
    loader_unload(second);
    assert_true(loader_inspect_file(driver_path, &second, &error));
    assert_int_equal(second->import_count, driver->import_count);
    assert_false(second->mapped);
    loader_unload(second);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lies_where_it_always_lies),
        cmocka_unit_test(binds_functions_variables_and_stubs),
        cmocka_unit_test(a_missing_import_names_itself_and_its_caller),
        cmocka_unit_test(handles_what_the_driver_handles),
        cmocka_unit_test(kinds_of_instructions),
        cmocka_unit_test(jumps_run_what_they_leave),
        cmocka_unit_test(reports_a_jump_to_nobody),
        cmocka_unit_test(preserved_registers_survive_a_raise),
        cmocka_unit_test(continues_after_the_filter_mended_it),
        cmocka_unit_test(handled_exceptions_leave_no_place),
        cmocka_unit_test(host_looks_at_a_fault_first),
        cmocka_unit_test(host_is_told_of_dropped_frames),
        cmocka_unit_test(handles_on_a_coroutine),
        cmocka_unit_test(reports_an_unhandled_fault),
        cmocka_unit_test(reports_an_unhandled_raise),
        cmocka_unit_test(reports_a_fast_fail),
        cmocka_unit_test(reports_exceptions_without_end),
        cmocka_unit_test(reports_continuing_what_cannot_continue),
        cmocka_unit_test(reports_a_bad_pointer_given_to_the_host),
        cmocka_unit_test(reports_our_own_fault),
        cmocka_unit_test(callbacks_are_a_border_if_the_host_says_so),
        cmocka_unit_test(reports_a_stack_overflow_on_a_coroutine),
        cmocka_unit_test(reports_a_stack_overflow_on_the_thread),
        cmocka_unit_test(loads_beside_itself_and_unloads),
    };

    if (argc < 2) {
        fprintf(stderr, "usage: seh_test seh_driver.sys\n");
        return 2;
    }
    driver_path = argv[1];
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
