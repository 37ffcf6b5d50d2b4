/* The driver-side runtime, as it lies in an image, against the C library. The path of
 * wdkrt_driver.sys is the first argument. */
#include "loader/loader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#define MS LOADER_MS_ABI

static const char *driver_path;
static struct loader_image *driver;

static int set_up(void **state)
{
    struct loader_error error;

    if (!loader_load_file(driver_path, &driver, &error)) {
        fprintf(stderr, "%s: %s\n", driver_path, error.text);
        return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    loader_unload(driver);
    return 0;
}

static void *runtime(const char *name)
{
    const struct {
        const char *name;
        void *function;
    } *functions = loader_export_find(driver, "functions");

    assert_non_null(functions);
    while (strcmp(functions->name, name) != 0) {
        functions++;
        assert_non_null(functions->name);
    }
    return functions->function;
}

#define CALL(result, name, types, ...) (((MS result(*) types)runtime(name))(__VA_ARGS__))

/* Every size and overlap around the places where the copy changes its way. */
static void copies_like_the_library(void **state)
{
    uint8_t ours[256], theirs[256];

    for (size_t size = 0; size < 80; size++) {
        for (int shift = -40; shift <= 40; shift += 3) {
            for (size_t i = 0; i < sizeof(ours); i++) {
                ours[i] = theirs[i] = (uint8_t)(i * 7 + 1);
            }
            assert_ptr_equal(CALL(void *, "memmove", (void *, const void *, size_t),
                                  ours + 80 + shift, ours + 80, size),
                             ours + 80 + shift);
            memmove(theirs + 80 + shift, theirs + 80, size);
            assert_memory_equal(ours, theirs, sizeof(ours));
        }
        CALL(void *, "memcpy", (void *, const void *, size_t), ours, theirs + 100, size);
        memcpy(theirs, theirs + 100, size);
        assert_memory_equal(ours, theirs, size);
        CALL(void *, "memset", (void *, int, size_t), ours + 3, 0x1a5, size);
        memset(theirs + 3, 0xa5, size);
        assert_memory_equal(ours, theirs, size + 4);
    }
}

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

static void compares_like_the_library(void **state)
{
    static const char *const texts[] = {"",  "a",   "A",    "ab",  "aB",
                                        "b", "abc", "\xff", "abd", "zebra"};
    enum { COUNT = sizeof(texts) / sizeof(texts[0]) };

    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < COUNT; k++) {
            const char *a = texts[i], *b = texts[k];

            assert_int_equal(sign(CALL(int, "strcmp", (const char *, const char *), a, b)),
                             sign(strcmp(a, b)));
            assert_int_equal(sign(CALL(int, "_stricmp", (const char *, const char *), a, b)),
                             sign(strcasecmp(a, b)));
            assert_int_equal(
                sign(CALL(int, "strncmp", (const char *, const char *, size_t), a, b, 2)),
                sign(strncmp(a, b, 2)));
            assert_ptr_equal(CALL(char *, "strstr", (const char *, const char *), a, b),
                             strstr(a, b));
        }
        assert_int_equal(CALL(size_t, "strlen", (const char *), texts[i]), strlen(texts[i]));
        assert_ptr_equal(CALL(char *, "strrchr", (const char *, int), texts[i], 'b'),
                         strrchr(texts[i], 'b'));
    }
    assert_int_equal(CALL(int, "memcmp", (const void *, const void *, size_t), "abc", "abd", 2), 0);
    assert_true(CALL(int, "memcmp", (const void *, const void *, size_t), "abc", "abd", 3) < 0);
    assert_int_equal(
        CALL(size_t, "RtlCompareMemory", (const void *, const void *, size_t), "abc", "abd", 3), 2);
}

static void bounded_copies_keep_their_bounds(void **state)
{
    char room[8];

    assert_int_equal(CALL(int, "strcpy_s", (char *, size_t, const char *), room, 8, "seven77"), 0);
    assert_string_equal(room, "seven77");
    assert_int_equal(CALL(int, "strcpy_s", (char *, size_t, const char *), room, 8, "eight888"),
                     34);
    assert_string_equal(room, "");
    memset(room, 'x', sizeof(room));
    CALL(char *, "strncpy", (char *, const char *, size_t), room, "ab", 4);
    assert_memory_equal(room, "ab\0\0xxxx", 8);
    CALL(char *, "strcat", (char *, const char *), room, "c");
    assert_string_equal(room, "abc");
}

static void wide_strings(void **state)
{
    static const uint16_t upper[] = {'A', 'b', 0x3b1, 0}, lower[] = {'a', 'B', 0x3b1, 0};

    assert_int_equal(CALL(size_t, "wcslen", (const uint16_t *), upper), 3);
    assert_int_equal(CALL(int, "_wcsicmp", (const uint16_t *, const uint16_t *), upper, lower), 0);
    assert_ptr_equal(CALL(const uint16_t *, "wcschr", (const uint16_t *, uint16_t), upper, 0x3b1),
                     upper + 2);
}

static void lists_are_last_in_first_out(void **state)
{
    struct {
        uint64_t next, pad;
    } __attribute__((aligned(16))) entries[3];
    uint64_t head[2] __attribute__((aligned(16))) = {~0ull, ~0ull};

    CALL(void, "InitializeSListHead", (void *), head);
    assert_null(CALL(void *, "Pop", (void *), head));
    assert_null(CALL(void *, "Push", (void *, void *), head, &entries[0]));
    assert_ptr_equal(CALL(void *, "Push", (void *, void *), head, &entries[1]), &entries[0]);
    CALL(void *, "Push", (void *, void *), head, &entries[2]);
    assert_int_equal(CALL(uint16_t, "Depth", (void *), head), 3);
    assert_ptr_equal(CALL(void *, "Pop", (void *), head), &entries[2]);
    assert_ptr_equal(CALL(void *, "Flush", (void *), head), &entries[1]);
    assert_int_equal(CALL(uint16_t, "Depth", (void *), head), 0);
    assert_null(CALL(void *, "Pop", (void *), head));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_like_the_library),
        cmocka_unit_test(compares_like_the_library),
        cmocka_unit_test(bounded_copies_keep_their_bounds),
        cmocka_unit_test(wide_strings),
        cmocka_unit_test(lists_are_last_in_first_out),
    };

    if (argc < 2) {
        fprintf(stderr, "usage: wdkrt_test wdkrt_driver.sys\n");
        return 2;
    }
    driver_path = argv[1];
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
