/* A file that includes initguid.h first has the identifiers themselves, in the order of their
 * bytes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <initguid.h>

#include <ntddk.h>

#include <dispmprt.h>

static void identifiers_are_defined(void **state)
{
    static const unsigned char brightness[16] = {0xa4, 0xbb, 0xe5, 0xfd, 0xf9, 0xb3, 0xfb, 0x46,
                                                 0xbd, 0xaa, 0x07, 0x28, 0xce, 0x31, 0x00, 0xb4};

    assert_memory_equal(&GUID_DEVINTERFACE_BRIGHTNESS, brightness, 16);
    assert_false(IsEqualGUID(&GUID_DEVINTERFACE_BRIGHTNESS, &GUID_DEVINTERFACE_BRIGHTNESS_2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(identifiers_are_defined)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
