/* What wrong bytes are taken for, by vidmm_mismatch_look(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vidmm/vidmm.h"

enum { PAGES = 8, SIZE = PAGES * 4096 };

static uint8_t expected[SIZE], actual[SIZE];
static uint64_t before[PAGES];

/* Every page different, and different from what was there before. */
static int set_up(void **state)
{
    uint32_t value = 1;

    for (unsigned i = 0; i < SIZE; i++) {
        value = value * 1664525u + 1013904223u;
        expected[i] = (uint8_t)(value >> 24);
    }
    memcpy(actual, expected, SIZE);
    for (unsigned i = 0; i < PAGES; i++) {
        before[i] = 0x0101010101010101;
    }
    return 0;
}

static struct vidmm_wrong look(void)
{
    struct vidmm_mismatch mismatch = {.expected_bytes = expected,
                                      .actual_bytes = actual,
                                      .size_bytes = SIZE,
                                      .first = SIZE,
                                      .before = before};

    for (unsigned i = 0; i < SIZE; i++) {
        if (actual[i] != expected[i]) {
            mismatch.first = mismatch.wrong_bytes++ == 0 ? i : mismatch.first;
        }
    }
    assert_true(mismatch.wrong_bytes > 0);
    return vidmm_mismatch_look(&mismatch);
}

static void a_page_list_that_begins_again_is_seen(void **state)
{
    memcpy(actual + 5 * 4096, expected, 3 * 4096);
    struct vidmm_wrong wrong = look();
    assert_int_equal(wrong.kind, VIDMM_WRONG_SHIFTED);
    assert_int_equal(wrong.shift, -5 * 4096);
    assert_int_equal(wrong.bytes, 3 * 4096);
}

static void an_offset_that_was_forgotten_is_seen(void **state)
{
    memcpy(actual, expected + 768, SIZE - 768);
    struct vidmm_wrong wrong = look();
    assert_int_equal(wrong.kind, VIDMM_WRONG_SHIFTED);
    assert_int_equal(wrong.shift, 768);
    assert_int_equal(wrong.bytes, SIZE - 768);
}

static void a_part_that_nobody_wrote_is_seen(void **state)
{
    memset(actual + 6 * 4096, 1, 2 * 4096);
    struct vidmm_wrong wrong = look();
    assert_int_equal(wrong.kind, VIDMM_WRONG_UNTOUCHED);
    assert_int_equal(wrong.bytes, 2 * 4096);
}

static void a_flipped_bit_is_none_of_them(void **state)
{
    actual[4097] ^= 1;
    assert_int_equal(look().kind, VIDMM_WRONG_OTHERWISE);
}

static void bytes_that_repeat_themselves_tell_nothing(void **state)
{
    memset(expected, 7, SIZE / 2);
    memcpy(actual, expected, SIZE);
    memset(actual + SIZE / 2, 7, SIZE / 2);
    assert_int_equal(look().kind, VIDMM_WRONG_OTHERWISE);
}

static void some_bytes_by_accident_are_not_believed(void **state)
{
    memcpy(actual + 4096, expected, VIDMM_WINDOW_BYTES + 4);
    for (unsigned i = 4096 + VIDMM_WINDOW_BYTES + 4; i < 3 * 4096; i++) {
        actual[i] ^= 0x55;
    }
    assert_int_equal(look().kind, VIDMM_WRONG_OTHERWISE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_page_list_that_begins_again_is_seen, set_up),
        cmocka_unit_test_setup(an_offset_that_was_forgotten_is_seen, set_up),
        cmocka_unit_test_setup(a_part_that_nobody_wrote_is_seen, set_up),
        cmocka_unit_test_setup(a_flipped_bit_is_none_of_them, set_up),
        cmocka_unit_test_setup(bytes_that_repeat_themselves_tell_nothing, set_up),
        cmocka_unit_test_setup(some_bytes_by_accident_are_not_believed, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
