/* Options of plug-ins: what is read, what is refused, and in which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/option.h"

static const struct drydock_option table[] = {
    {"lanes", "how many", 4, 1, 16},
    {"mode", "which", 0, 0, 0},
    {"seed", "where from", 0, 0, UINT64_MAX},
    {0},
};

static struct option_values values;
static char error[256];

static bool take(const struct drydock_option *rows, const char *text)
{
    return option_values_read(&values, rows, text, error, sizeof(error));
}

static void what_is_not_given_has_its_initial_value(void **state)
{
    assert_true(take(table, NULL));
    assert_int_equal(values.values[0].number, 4);
    assert_null(values.values[1].text);
    assert_true(take(table, ""));
    assert_true(take(NULL, NULL));
}

static void each_value_lands_in_its_row(void **state)
{
    assert_true(take(table, "mode=fast,seed=18446744073709551615,lanes=0x10"));
    assert_int_equal(values.values[0].number, 16);
    assert_string_equal(values.values[1].text, "fast");
    assert_true(values.values[2].number == UINT64_MAX);
    assert_true(take(table, "mode=")); /* an empty text is one */
    assert_string_equal(values.values[1].text, "");
}

static void what_makes_no_sense_is_refused_in_words(void **state)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"lanes", "\"lanes\" is not key=value"},
        {"lanes=2,", "\"\" is not key=value"},
        {"=2", "\"=2\" is not key=value"},
        {"lanes=17", "lanes=17: wanted is a number from 1 to 16"},
        {"lanes=0", "lanes=0: wanted is a number from 1 to 16"},
        {"lanes=-1", "lanes=-1: wanted is a number from 1 to 16"},
        {"lanes=2x", "lanes=2x: wanted is a number from 1 to 16"},
        {"lanes=", "lanes=: wanted is a number from 1 to 16"},
        {"seed=18446744073709551616",
         "seed=18446744073709551616: wanted is a number from 0 to 18446744073709551615"},
        {"wheels=1", "there is no option \"wheels\"; there are lanes, mode, seed"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_false(take(table, rows[i].text));
        assert_string_equal(error, rows[i].error);
    }
    assert_false(take(NULL, "lanes=1"));
    assert_string_equal(error, "there is no option \"lanes\"; there is none");
}

static void a_text_without_end_is_refused(void **state)
{
    char text[2 * OPTION_TEXT_MAX];

    memset(text, 'a', sizeof(text) - 1);
    memcpy(text, "mode=", 5);
    text[sizeof(text) - 1] = '\0';
    assert_false(take(table, text));
    assert_non_null(strstr(error, "characters of options"));
    text[OPTION_TEXT_MAX - 1] = '\0';
    assert_true(take(table, text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_given_has_its_initial_value),
        cmocka_unit_test(each_value_lands_in_its_row),
        cmocka_unit_test(what_makes_no_sense_is_refused_in_words),
        cmocka_unit_test(a_text_without_end_is_refused),
    };
    return cmocka_run_group_tests_name("option", tests, NULL, NULL);
}
