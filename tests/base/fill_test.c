/* Fill bytes, known again in numbers and in sentences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/fill.h"

static const char *explained(const char *sentence)
{
    static char text[160];

    snprintf(text, sizeof text, "%s", sentence);
    fill_explain(text, sizeof text);
    return text;
}

static void numbers_of_fill_bytes_have_a_name(void **state)
{
    assert_string_equal(fill_name(0xA5A5, 2), "memory that nobody initialised");
    assert_string_equal(fill_name(UINT64_C(0xA5A5A5A5A5A5A5A5), 8),
                        "memory that nobody initialised");
    assert_string_equal(fill_name(0xDDDDDDDD, 4), "memory that was freed");
    assert_null(fill_name(0xA5, 1));
    assert_null(fill_name(0xA5A5, 4));
    assert_null(fill_name(0xA5A5A5A5A5, 4));
    assert_null(fill_name(0x11111111, 4));
    assert_null(fill_name(0, 8));
}

static void a_sentence_says_what_such_a_number_is(void **state)
{
    assert_string_equal(
        explained("segment 1 has size 0xA5A5A5A5A5A5A5A5"),
        "segment 1 has size 0xA5A5A5A5A5A5A5A5 (0xA5A5A5A5A5A5A5A5 is memory that nobody "
        "initialised)");
    assert_string_equal(explained("fence 2779096485, 1 expected"),
                        "fence 2779096485, 1 expected (2779096485 is memory that nobody "
                        "initialised)");
    assert_string_equal(explained("x is -1515870811"),
                        "x is -1515870811 (-1515870811 is memory that nobody initialised)");
    assert_string_equal(explained("Flags is 0xdddddddd."),
                        "Flags is 0xdddddddd. (0xdddddddd is memory that was freed)");
}

static void other_sentences_stay_as_they_are(void **state)
{
    static const char *const sentences[] = {
        "",
        "-",
        "size 42405 at 0xA5",
        "drv.sys+0xdddd",
        "packet 3 of 0xA5A5A5A6, drv.sys+0x1a5a5a5a5",
        "xA5A5A5A5 0xA5A5A5A5z 0x",
        "0xA5A5A5A5 (memory that nobody initialised)",
        "99999999999999999999999999",
    };

    for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++) {
        assert_string_equal(explained(sentences[i]), sentences[i]);
    }
}

static void what_has_no_room_is_cut_off(void **state)
{
    char text[16] = "is 0xA5A5A5A5";

    fill_explain(text, sizeof text);
    assert_string_equal(text, "is 0xA5A5A5A5 (");
}

/* Each size up to beyond where the way changes, each place of the odd byte, and none; behind the
 * bytes others follow that do not count. */
static void the_first_other_byte_is_found(void **state)
{
    enum { BYTES = 300 };
    uint8_t bytes[BYTES + 1];

    (void)state;
    for (size_t size = 0; size <= BYTES; size++) {
        memset(bytes, 0xFB, size);
        bytes[size] = 1;
        assert_int_equal(fill_first_other(bytes, 0xFB, size), size);
        for (size_t odd = 0; odd < size; odd += 1 + odd % 7) {
            bytes[odd] ^= 0x80;
            assert_int_equal(fill_first_other(bytes, 0xFB, size), odd);
            bytes[odd] ^= 0x80;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_other_byte_is_found),
        cmocka_unit_test(numbers_of_fill_bytes_have_a_name),
        cmocka_unit_test(a_sentence_says_what_such_a_number_is),
        cmocka_unit_test(other_sentences_stay_as_they_are),
        cmocka_unit_test(what_has_no_room_is_cut_off),
    };
    return cmocka_run_group_tests_name("fill", tests, NULL, NULL);
}
