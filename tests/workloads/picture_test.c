/* Pictures: the reference of the desktop must itself be right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "art.h"
#include "workloads.h"

#include <stdlib.h>
#include <string.h>

static void fill_random(struct picture *picture, unsigned seed)
{
    for (unsigned i = 0; i < picture->width * picture->height; i++) {
        seed = seed * 1103515245u + 12345u;
        picture->pixels[i] = seed >> 4 & 0xFFFFFF;
    }
}

static uint32_t at(const struct picture *picture, int x, int y)
{
    return *picture_at(picture, x, y) & 0xFFFFFF;
}

static void fills_are_cut_to_the_picture(void **state)
{
    struct picture picture;

    assert_true(picture_create(8, 6, &picture));
    picture_fill(&picture, (struct box){-5, 2, 3, 100}, 0x00A1B2C3);
    for (int y = 0; y < 6; y++) {
        for (int x = 0; x < 8; x++) {
            assert_int_equal(at(&picture, x, y), x < 3 && y >= 2 ? 0xA1B2C3 : 0);
        }
    }
    picture_destroy(&picture);
}

static void colours_are_near_in_each_channel(void **state)
{
    assert_true(picture_is_near(0x102030, 0xFF102030, 0)); /* nobody looks at what is above */
    assert_true(picture_is_near(0x102030, 0x121E32, 2));
    assert_true(picture_is_near(0x0000FF, 0x0000FD, 2));
    assert_false(picture_is_near(0x102030, 0x132030, 2));
    assert_false(picture_is_near(0x102030, 0x101D30, 2));
    assert_false(picture_is_near(0x102030, 0x102033, 2));
}

/* Every shift within a picture, against a copy by way of another. */
static void copies_within_a_picture_may_overlap(void **state)
{
    struct picture picture, before;

    assert_true(picture_create(16, 12, &picture) && picture_create(16, 12, &before));
    for (int dy = -3; dy <= 3; dy++) {
        for (int dx = -3; dx <= 3; dx++) {
            fill_random(&picture, 7);
            memcpy(before.pixels, picture.pixels, 16 * 12 * 4);
            picture_copy(&picture, 4 + dx, 4 + dy, &picture, box_at(4, 4, 8, 5));
            for (int y = 0; y < 12; y++) {
                for (int x = 0; x < 16; x++) {
                    bool inside = x >= 4 + dx && x < 12 + dx && y >= 4 + dy && y < 9 + dy;
                    assert_int_equal(at(&picture, x, y),
                                     inside ? at(&before, x - dx, y - dy) : at(&before, x, y));
                }
            }
        }
    }
    picture_destroy(&picture);
    picture_destroy(&before);
}

static void keyed_copies_leave_the_key_out(void **state)
{
    struct picture from, to;

    assert_true(picture_create(9, 9, &from) && picture_create(9, 9, &to));
    fill_random(&from, 3);
    picture_fill(&from, box_at(2, 2, 3, 3), ART_KEY);
    picture_fill(&to, picture_box(&to), 0x123456);
    picture_copy_keyed(&to, -1, 0, &from, picture_box(&from), ART_KEY);
    for (int y = 0; y < 9; y++) {
        for (int x = 0; x < 8; x++) {
            uint32_t source = at(&from, x + 1, y);
            assert_int_equal(at(&to, x, y), source == ART_KEY ? 0x123456 : source);
        }
        assert_int_equal(at(&to, 8, y), 0x123456);
    }
    picture_destroy(&from);
    picture_destroy(&to);
}

static void enlarged_pixels_are_squares(void **state)
{
    struct picture from, to;

    assert_true(picture_create(40, 30, &from) && picture_create(70, 50, &to));
    fill_random(&from, 5);
    picture_enlarge(&to, 3, 5, &from, box_at(6, 8, 33, 22), 2);
    for (int y = 0; y < 44; y++) {
        for (int x = 0; x < 66; x++) {
            assert_int_equal(at(&to, 3 + x, 5 + y), at(&from, 6 + x / 2, 8 + y / 2));
        }
    }
    picture_destroy(&from);
    picture_destroy(&to);
}

static void long_rows_keep_their_keys_out(void **state)
{
    struct picture from, to;

    assert_true(picture_create(53, 3, &from) && picture_create(60, 3, &to));
    fill_random(&from, 3);
    for (unsigned i = 0; i < 53 * 3; i += 1 + i % 3) {
        from.pixels[i] = (from.pixels[i] & 0xFF000000) | ART_KEY;
    }
    picture_fill(&to, picture_box(&to), 0x123456);
    picture_copy_keyed(&to, 4, 0, &from, picture_box(&from), ART_KEY);
    for (int y = 0; y < 3; y++) {
        for (int x = 0; x < 60; x++) {
            uint32_t source = x < 4 || x >= 57 ? ART_KEY : at(&from, x - 4, y);
            assert_int_equal(at(&to, x, y), source == ART_KEY ? 0x123456 : source);
        }
    }
    picture_destroy(&from);
    picture_destroy(&to);
}

static void comparing_counts_and_finds_the_first(void **state)
{
    struct picture picture, other;
    struct box first;

    assert_true(picture_create(20, 10, &picture) && picture_create(20, 10, &other));
    fill_random(&picture, 1);
    memcpy(other.pixels, picture.pixels, 20 * 10 * 4);
    *picture_at(&other, 3, 3) ^= 0xFF000000; /* does not count */
    assert_int_equal(picture_compare(&picture, other.pixels, 80, &first), 0);
    *picture_at(&other, 11, 4) ^= 1;
    *picture_at(&other, 2, 7) ^= 0x800000;
    assert_int_equal(picture_compare(&picture, other.pixels, 80, &first), 2);
    assert_int_equal(first.left, 11);
    assert_int_equal(first.top, 4);
    picture_destroy(&picture);
    picture_destroy(&other);
}

static void comparing_finds_every_pixel(void **state)
{
    struct picture picture, other;
    struct box first;

    assert_true(picture_create(37, 2, &picture) && picture_create(37, 2, &other));
    fill_random(&picture, 2);
    for (unsigned i = 0; i < 37 * 2; i++) {
        other.pixels[i] = picture.pixels[i] ^ 0x5A000000; /* does not count */
    }
    for (unsigned i = 0; i < 37 * 2; i++) {
        other.pixels[i] ^= 1u << (i % 24);
        assert_int_equal(picture_compare(&picture, other.pixels, 37 * 4, &first), 1);
        assert_int_equal(first.top * 37 + first.left, i);
        other.pixels[i] ^= 1u << (i % 24);
    }
    assert_int_equal(picture_compare(&picture, other.pixels, 37 * 4, &first), 0);
    picture_destroy(&picture);
    picture_destroy(&other);
}

/* The picture is part of a run's digest: it must not depend on the build. */
static void art_is_the_same_in_every_build(void **state)
{
    struct picture picture;
    uint32_t hash = 2166136261u;

    assert_true(picture_create(160, 90, &picture));
    art_wallpaper(&picture, 7);
    for (unsigned i = 0; i < 160 * 90; i++) {
        hash = (hash ^ picture.pixels[i]) * 16777619u;
    }
    art_photo(&picture, 1, 7);
    for (unsigned i = 0; i < 160 * 90; i++) {
        hash = (hash ^ picture.pixels[i]) * 16777619u;
    }
    picture_destroy(&picture);
    assert_int_equal(hash, 0x6c5fe187); /* seen with gcc and clang, with and without -O2 */
}

static void built_in_workloads_are_found_by_name(void **state)
{
    unsigned count = 0;

    for (; workload_builtin_at(count); count++) {
        const struct drydock_workload *workload = workload_builtin_at(count);
        assert_ptr_equal(workload_builtin(workload->name), workload);
        assert_int_equal(workload->abi, DRYDOCK_WORKLOAD_ABI);
        assert_non_null(workload->description);
        assert_non_null(workload->run);
    }
    assert_int_equal(count, 20);
    assert_null(workload_builtin("nothing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_are_cut_to_the_picture),
        cmocka_unit_test(colours_are_near_in_each_channel),
        cmocka_unit_test(copies_within_a_picture_may_overlap),
        cmocka_unit_test(keyed_copies_leave_the_key_out),
        cmocka_unit_test(enlarged_pixels_are_squares),
        cmocka_unit_test(long_rows_keep_their_keys_out),
        cmocka_unit_test(comparing_counts_and_finds_the_first),
        cmocka_unit_test(comparing_finds_every_pixel),
        cmocka_unit_test(art_is_the_same_in_every_build),
        cmocka_unit_test(built_in_workloads_are_found_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
