/* What is left of a number that lost bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/part.h"

static const struct {
    uint64_t is, number;
    const char *text; /* NULL: it is none */
} cases[] = {
    {0x23450000, 0x123450000, "which is 0x123450000 without bits 32 and up"},
    {0x23450000, 0x2300000023450000, "which is 0x2300000023450000 without bits 32 and up"},
    {0x450000, 0x12450000, "which is 0x12450000 without bits 24 and up"},
    {0x12340000, 0x12345678, "which is 0x12345678 without bits below 16"},
    {0x12005678, 0x12345678, "which is 0x12345678 without bits 16 to 23"},
    {0x12345678, 0x12345678, NULL}, /* all of it */
    {0, 0x12345678, NULL},          /* nothing is no part */
    {0x100000, 0x300000, NULL},     /* of one byte some bits: another address */
    {0x100001, 0x12100000, NULL},   /* and something else */
    {0x8000000000000000, 0x8000000000000100, "which is 0x8000000000000100 without bits 8 to 15"},
};

static void it_is_said_which_bits_are_missing(void **state)
{
    char text[PART_TEXT_MAX];

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool any = part_of(cases[i].is, cases[i].number, text);
        assert_int_equal(any, cases[i].text != NULL);
        assert_string_equal(text, cases[i].text ? cases[i].text : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_said_which_bits_are_missing)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
