/* Texts from anywhere: what a person may see, and what becomes a question mark. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const char *plain(const char *text)
{
    static char copy[64];

    strcpy(copy, text);
    text_make_plain(copy, strlen(copy));
    return copy;
}

static void characters_of_any_length_stay(void **state)
{
    static const char *const texts[] = {
        "", "a ~", "\xC3\xBC", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xC2\xA0", "one\n\ttwo"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_string_equal(plain(texts[i]), texts[i]);
    }
}

static void what_a_terminal_obeys_goes(void **state)
{
    assert_string_equal(plain("\033[2J\r\a\177"), "?[2J???");
    /* The second set of controls: 9B begins a sequence as ESC [ does. */
    assert_string_equal(plain("a\xC2\x9B"
                              "2Jb"),
                        "a??2Jb");
    assert_string_equal(plain("a\x9B"
                              "2Jb"),
                        "a?2Jb");
    assert_string_equal(plain("\xC2\x80\xC2\x9F"), "????");
    /* What turns a line round, and what begins another. */
    assert_string_equal(plain("a\xE2\x80\xAE"
                              "ssap"),
                        "a???ssap");
    assert_string_equal(plain("\xE2\x81\xA6\xE2\x81\xA9\xD8\x9C"), "????????");
    assert_string_equal(plain("a\xE2\x80\xA8pass\xE2\x80\xA9"), "a???pass???");
    assert_string_equal(plain("\xE2\x80\x94"), "\xE2\x80\x94"); /* a dash */
}

static void what_is_no_utf8_goes(void **state)
{
    assert_string_equal(plain("gr\xFCn"), "gr?n");
    assert_string_equal(plain("\xC3"), "?");                /* cut off */
    assert_string_equal(plain("\xE2\x82z"), "??z");         /* cut off inside */
    assert_string_equal(plain("\xC0\xAF"), "??");           /* longer than it needs to be */
    assert_string_equal(plain("\xE0\x80\xAF"), "???");      /* the same */
    assert_string_equal(plain("\xED\xA0\x80"), "???");      /* a surrogate */
    assert_string_equal(plain("\xF4\x90\x80\x80"), "????"); /* behind the last */
    assert_string_equal(plain("\xFF\xFE"), "??");
    assert_string_equal(plain("\xEF\xBF\xBE\xEF\xBF\xBF"), "??????"); /* no characters */
    assert_string_equal(plain("\xEF\xBF\xBD"), "\xEF\xBF\xBD");
}

static void nothing_behind_the_text_is_read(void **state)
{
    const char text[2] = {'\xC3', '\xBC'};

    assert_int_equal(text_character(text, 0), 0);
    assert_int_equal(text_character(text, 1), 0);
    assert_int_equal(text_character(text, 2), 2);
}

static const char *put(void (*writes)(FILE *to, const char *text), const char *text)
{
    static char written[128];
    FILE *to = fmemopen(written, sizeof written, "w");

    assert_non_null(to);
    writes(to, text);
    fputc('\0', to);
    fclose(to);
    return written;
}

static void a_line_is_written_as_one(void **state)
{
    assert_string_equal(put(text_put, "a\nb\t<\033[2J>\xFF\xC3\xBC\xC3"), "a b < [2J> \xC3\xBC ");
    assert_string_equal(put(text_put, ""), "");
}

static void xml_holds_what_it_may(void **state)
{
    assert_string_equal(put(text_put_xml, "]]> & <a b=\"c\">"),
                        "]]&gt; &amp; &lt;a b=&quot;c&quot;&gt;");
    assert_string_equal(put(text_put_xml, "\x01\x1F\x7F\n\xC2\x85|"), "      |");
    assert_string_equal(put(text_put_xml, "\xEF\xBF\xBE\xEF\xBF\xBF\xED\xA0\x80|"), "         |");
    assert_string_equal(put(text_put_xml, "\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_of_any_length_stay),
        cmocka_unit_test(what_a_terminal_obeys_goes),
        cmocka_unit_test(what_is_no_utf8_goes),
        cmocka_unit_test(nothing_behind_the_text_is_read),
        cmocka_unit_test(a_line_is_written_as_one),
        cmocka_unit_test(xml_holds_what_it_may),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
