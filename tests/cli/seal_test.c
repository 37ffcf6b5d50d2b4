/* The second filter of a driver's process, where code lies over a border of 4 GiB: addresses are
 * compared in halves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drydock/seal.h"

#define PAGE   4096u
#define BORDER (UINT64_C(0x2A) << 32)

/* mov $39, %eax (getpid); syscall; ret */
static const unsigned char asks_number[] = {0xB8, 39, 0, 0, 0, 0x0F, 0x05, 0xC3};

/* Two pages of code, one below the border; NULL: the kernel gives no such place. */
static unsigned char *map_code(void)
{
    int file = memfd_create("code", MFD_CLOEXEC);
    void *at = (void *)(uintptr_t)(BORDER - PAGE);

    assert_int_equal(ftruncate(file, 2 * PAGE), 0);
    assert_int_equal(pwrite(file, asks_number, sizeof asks_number, 0), sizeof asks_number);
    assert_int_equal(pwrite(file, asks_number, sizeof asks_number, PAGE), sizeof asks_number);
    void *code =
        mmap(at, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED_NOREPLACE, file, 0);
    close(file);
    return code == MAP_FAILED ? NULL : code;
}

enum { FINE, NO_FILTER, WRONG };

/* Shuts the lock and calls the code; ends as one of the words above. */
static _Noreturn void be_child(const unsigned char *code)
{
    int (*below)(void) = (int (*)(void))(uintptr_t)code;
    int (*above)(void) = (int (*)(void))(uintptr_t)(code + PAGE);
    struct seal seal;
    int number = getpid();

    if (!seal_prepare(&seal) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !seal_close(&seal)) {
        _exit(NO_FILTER);
    }
    _exit(below() == number && above() == number ? FINE : WRONG);
}

static void known_code_may_call_on_both_sides_of_a_border(void **state)
{
    unsigned char *code = map_code();
    int status;

    if (!code) {
        skip();
    }
    pid_t child = fork();
    if (child == 0) {
        be_child(code);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    munmap(code, 2 * PAGE);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_FILTER) {
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), FINE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_code_may_call_on_both_sides_of_a_border),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
