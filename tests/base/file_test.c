/* Whole files: what is read, and what is refused in which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static char path[] = "/tmp/drydock-file-XXXXXX";
static char error[256];

static int make_file(void **state)
{
    static const char content[] = "seven b";
    int file = mkstemp(path);

    if (file < 0 || write(file, content, 7) != 7) {
        return 1;
    }
    return close(file);
}

static int remove_file(void **state)
{
    return unlink(path);
}

static void a_file_is_read_whole(void **state)
{
    void *bytes;
    size_t size = 0;

    assert_true(file_read(path, 7, &bytes, &size, error, sizeof error));
    assert_int_equal(size, 7);
    assert_memory_equal(bytes, "seven b", 7);
    free(bytes);
}

static void refused(const char *what, size_t limit, const char *reason)
{
    void *bytes;
    size_t size;

    error[0] = '\0';
    assert_false(file_read(what, limit, &bytes, &size, error, sizeof error));
    assert_memory_equal(error, what, strlen(what));
    assert_non_null(strstr(error, reason));
}

static void refusals_name_the_file_and_the_reason(void **state)
{
    refused(path, 6, "larger than");
    refused("/tmp", 1024, "not a file");
    refused("/dev/zero", 1024, "not a file");
    refused("/tmp/drydock/no/such/file", 1024, "No such file");
}

static void names_are_what_is_behind_the_last_slash(void **state)
{
    assert_string_equal(file_base_name("a/b/odd\\name.sys"), "odd\\name.sys");
    assert_string_equal(file_base_name("name.sys"), "name.sys");
    assert_string_equal(file_base_name("a/"), "");
    assert_string_equal(file_source_name("c:\\driver/src\\ddi.c"), "ddi.c");
    assert_string_equal(file_source_name("/driver/ddi.c"), "ddi.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_whole),
        cmocka_unit_test(refusals_name_the_file_and_the_reason),
        cmocka_unit_test(names_are_what_is_behind_the_last_slash),
    };
    return cmocka_run_group_tests_name("file", tests, make_file, remove_file);
}
