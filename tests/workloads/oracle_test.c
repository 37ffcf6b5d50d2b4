/* The oracle of presents, by hand: what it calls right, and where it finds what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "oracle.h"

#define SIDE 4

struct field {
    uint32_t pixels[SIDE * SIDE];
};

static struct oracle_picture picture_of(const struct field *field, D3DDDIFORMAT format)
{
    return (struct oracle_picture){SIDE, SIDE, SIDE * 4, format, (const uint8_t *)field->pixels};
}

static struct field plain(uint32_t pixel)
{
    struct field field;

    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        field.pixels[i] = pixel;
    }
    return field;
}

static struct field numbered(uint32_t first)
{
    struct field field;

    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        field.pixels[i] = first + i * 0x010203u;
    }
    return field;
}

/* Of a destination of 32 bits without alpha. */
static struct oracle_verdict judge(const struct oracle_present *present, const struct field *before,
                                   const struct field *after)
{
    struct oracle_picture was = picture_of(before, D3DDDIFMT_X8R8G8B8);
    struct oracle_picture is = picture_of(after, D3DDDIFMT_X8R8G8B8);
    struct oracle_verdict verdict;

    assert_true(oracle_judge(present, &was, &is, &verdict));
    return verdict;
}

static void a_fill_is_its_list_and_no_more(void **state)
{
    const struct box boxes[] = {{1, 1, 2, 2}, {2, 3, 9, 9}};
    const struct oracle_present fill = {.from_box = {0, 0, SIDE, SIDE},
                                        .to_box = {0, 0, SIDE, SIDE},
                                        .boxes = boxes,
                                        .count = 2,
                                        .color = 0xFF102030};
    struct field before = plain(0x55), after = before;

    after.pixels[5] = after.pixels[14] = 0x00102030; /* X does not count */
    after.pixels[15] = 0xAA102030;
    assert_int_equal(judge(&fill, &before, &after).wrong, 0);

    after.pixels[6] = 0x00102030;
    struct oracle_verdict verdict = judge(&fill, &before, &after);
    assert_int_equal(verdict.wrong, 1);
    assert_int_equal(verdict.part, ORACLE_OUTSIDE);
    assert_int_equal(verdict.x, 2);
    assert_int_equal(verdict.y, 1);

    after = before;
    after.pixels[5] = after.pixels[14] = 0x00102030;
    verdict = judge(&fill, &before, &after);
    assert_int_equal(verdict.wrong, 1);
    assert_int_equal(verdict.part, ORACLE_WRITTEN);
    assert_true(verdict.as_before);
}

/* What of a copy lies outside of either surface is left out. */
static void a_copy_moves_by_its_corners(void **state)
{
    struct field source = numbered(0x112233), before = plain(0), after = before;
    struct oracle_picture from = picture_of(&source, D3DDDIFMT_X8R8G8B8);
    const struct oracle_present copy = {
        .from = &from, .from_box = {-1, 1, 3, 5}, .to_box = {1, 0, 5, 4}};

    for (int y = 0; y < 3; y++) {
        for (int x = 2; x < SIDE; x++) {
            after.pixels[y * SIDE + x] = source.pixels[(y + 1) * SIDE + x - 2];
        }
    }
    assert_int_equal(judge(&copy, &before, &after).wrong, 0);
    after.pixels[2] = source.pixels[5];
    assert_int_equal(judge(&copy, &before, &after).wrong, 1);
}

static void keys_are_colours_without_alpha(void **state)
{
    struct field source = plain(0x112233), before = plain(0xFF445566), after = before;
    struct oracle_picture from = picture_of(&source, D3DDDIFMT_X8R8G8B8);
    struct oracle_present copy = {.from = &from,
                                  .from_box = {0, 0, SIDE, SIDE},
                                  .to_box = {0, 0, SIDE, SIDE},
                                  .color = 0xFFABCDEF,
                                  .source_key = true};

    source.pixels[3] = 0x11ABCDEF;
    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        after.pixels[i] = i == 3 ? before.pixels[i] : source.pixels[i];
    }
    assert_int_equal(judge(&copy, &before, &after).wrong, 0);
    after.pixels[3] = source.pixels[3];
    assert_int_equal(judge(&copy, &before, &after).part, ORACLE_KEYED);

    copy.source_key = false;
    copy.destination_key = true;
    before.pixels[7] = 0x00ABCDEF;
    after = before;
    after.pixels[7] = source.pixels[7];
    assert_int_equal(judge(&copy, &before, &after).wrong, 0);
    after.pixels[8] = source.pixels[8];
    assert_int_equal(judge(&copy, &before, &after).part, ORACLE_KEYED);
}

/* 5 bits in 8 by repeating (0x08 -> 0x42) and to the nearest are the same here or one apart. */
static void formats_are_widened_either_way(void **state)
{
    struct field source = {{0}}, before = plain(0), after = before;
    struct oracle_picture from = picture_of(&source, D3DDDIFMT_R5G6B5);
    struct oracle_present copy = {.from = &from, .from_box = {0, 0, 1, 1}, .to_box = {0, 0, 1, 1}};
    const uint16_t pixel = 3u << 11 | 1u << 5 | 31u; /* 3/31: 24.7; 1/63: 4.05 */

    memcpy(source.pixels, &pixel, sizeof pixel);
    after.pixels[0] = 0x1804FF;
    assert_int_equal(judge(&copy, &before, &after).wrong, 0);
    after.pixels[0] = 0x1904FF;
    assert_int_equal(judge(&copy, &before, &after).wrong, 0);
    after.pixels[0] = 0x1A04FF;
    assert_int_equal(judge(&copy, &before, &after).wrong, 1);
    copy.strict = true;
    after.pixels[0] = 0x1904FF;
    assert_int_equal(judge(&copy, &before, &after).wrong, 1);
}

static void light_becomes_srgb(void **state)
{
    struct field source = plain(0x80FF00), before = plain(0), after = plain(0xBCFF00);
    struct oracle_picture from = picture_of(&source, D3DDDIFMT_X8R8G8B8);
    const struct oracle_present copy = {.from = &from,
                                        .from_box = {0, 0, SIDE, SIDE},
                                        .to_box = {0, 0, SIDE, SIDE},
                                        .linear_to_srgb = true};

    assert_int_equal(judge(&copy, &before, &after).wrong, 0);
    assert_int_equal(judge(&copy, &before, &source).wrong, SIDE * SIDE);
}

/* Two pixels on four: nearest, blended, and what nobody knows the filter of. */
static void a_stretch_is_near_its_source(void **state)
{
    struct field source = {{0x000000, 0xC8C8C8}}, before = plain(0x123456);
    struct field nearest = before, blended = before;
    struct oracle_picture from = picture_of(&source, D3DDDIFMT_X8R8G8B8);
    struct oracle_present stretch = {
        .from = &from, .from_box = {0, 0, 2, 1}, .to_box = {0, 0, 4, 1}, .filter = ORACLE_NEAREST};

    memcpy(nearest.pixels, (const uint32_t[]){0, 0, 0xC8C8C8, 0xC8C8C8}, 16);
    memcpy(blended.pixels, (const uint32_t[]){0, 0x323232, 0x969696, 0xC8C8C8}, 16);
    assert_int_equal(judge(&stretch, &before, &nearest).wrong, 0);
    assert_int_equal(judge(&stretch, &before, &blended).wrong, 2);
    stretch.filter = ORACLE_BILINEAR;
    assert_int_equal(judge(&stretch, &before, &blended).wrong, 0);
    assert_int_equal(judge(&stretch, &before, &nearest).wrong, 2);
    stretch.filter = ORACLE_ANY_FILTER;
    assert_int_equal(judge(&stretch, &before, &nearest).wrong, 0);
    assert_int_equal(judge(&stretch, &before, &blended).wrong, 0);
    blended.pixels[0] = 0xD8D8D8;
    assert_int_equal(judge(&stretch, &before, &blended).wrong, 1);
}

/* The pixels that show any of a rectangle of the source. */
static void a_list_is_stretched_outwards(void **state)
{
    const struct box middle = {1, 0, 2, 1};
    struct field source = plain(0x0000FF), before = plain(0), after = before;
    struct oracle_picture from = picture_of(&source, D3DDDIFMT_X8R8G8B8);
    const struct oracle_present stretch = {.from = &from,
                                           .from_box = {0, 0, 3, 1},
                                           .to_box = {0, 0, 4, 1},
                                           .boxes = &middle,
                                           .count = 1};

    after.pixels[1] = after.pixels[2] = 0x0000FF; /* 1.33 to 2.67 */
    assert_int_equal(judge(&stretch, &before, &after).wrong, 0);
    after.pixels[3] = 0x0000FF;
    assert_int_equal(judge(&stretch, &before, &after).part, ORACLE_OUTSIDE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fill_is_its_list_and_no_more),
        cmocka_unit_test(a_copy_moves_by_its_corners),
        cmocka_unit_test(keys_are_colours_without_alpha),
        cmocka_unit_test(formats_are_widened_either_way),
        cmocka_unit_test(light_becomes_srgb),
        cmocka_unit_test(a_stretch_is_near_its_source),
        cmocka_unit_test(a_list_is_stretched_outwards),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
