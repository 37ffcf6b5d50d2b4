/* Status codes have the names that the header gives them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/status.h"

static void known_codes_have_names(void **state)
{
    assert_string_equal(status_name(STATUS_SUCCESS), "STATUS_SUCCESS");
    assert_string_equal(status_name(STATUS_INVALID_PARAMETER), "STATUS_INVALID_PARAMETER");
    assert_string_equal(status_name(STATUS_NO_MEMORY), "STATUS_NO_MEMORY");
    assert_string_equal(status_name(STATUS_TIMEOUT), "STATUS_TIMEOUT");
}

static void unknown_codes_are_shown_as_numbers(void **state)
{
    assert_string_equal(status_name((NTSTATUS)0xC0FFEE01), "0xC0FFEE01");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_codes_have_names),
        cmocka_unit_test(unknown_codes_are_shown_as_numbers),
    };
    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
