/* raster_test.c: every form of a raster operation gives the same bits as the plain one.
 *
 * Buffers are exactly as large as they must be, so that a sanitizer sees a read beyond a row. */
#include "mock.h"

#include <stdlib.h>

#include "softgpu/memory_copy.h"
#include "softgpu/raster.h"

#define ROUNDS 800

static const enum raster_form forms[] = {RASTER_AVX2, RASTER_AVX512};

struct picture {
    uint8_t *bytes;
    size_t size, pitch;
};

static struct picture picture_make(uint32_t width, uint32_t height, uint32_t padding,
                                   uint64_t *seed)
{
    struct picture picture = {.pitch = (size_t)width * 4 + padding * 4};
    picture.size = picture.pitch * (height - 1) + (size_t)width * 4;
    picture.bytes = malloc(picture.size);
    for (size_t i = 0; i < picture.size; i++)
        picture.bytes[i] = (uint8_t)next_random(seed);
    for (size_t i = 0; i + 4 <= picture.size; i += 4) /* many pixels that are clear, opaque, key */
        if (next_random(seed) % 3 == 0)
            memset(picture.bytes + i, next_random(seed) % 2 ? 0xFF : 0, 4);
    return picture;
}

static struct picture picture_copy(const struct picture *from)
{
    struct picture picture = *from;
    picture.bytes = malloc(from->size);
    memcpy(picture.bytes, from->bytes, from->size);
    return picture;
}

enum operation { KEYED, COPY_OR, OVER, OVER_FADED, ROTATE_1, ROTATE_2, ROTATE_3, OPERATIONS };

static void operate(enum operation operation, const struct raster_block *block)
{
    switch (operation) {
    case KEYED:
        raster_copy_keyed(block, 0xFFFFFFFF, 0x00FFFFFF, block->width % 2 ? 0xFF000000 : 0);
        break;
    case COPY_OR:
        raster_copy_or(block, 0xFF000000);
        break;
    case OVER:
        raster_over(block, 255, 0);
        break;
    case OVER_FADED:
        raster_over(block, block->width % 256, 0xFF000000);
        break;
    default:
        raster_rotate(block, operation - ROTATE_1 + 1);
        break;
    }
}

static void forms_agree_on_blocks(void **state)
{
    uint64_t seed = 7;
    for (unsigned round = 0; round < ROUNDS; round++) {
        enum operation operation = round % OPERATIONS;
        uint32_t width = next_random(&seed) % 150 + 1, height = next_random(&seed) % 40 + 1;
        bool turned = operation == ROTATE_1 || operation == ROTATE_3;
        if (turned)
            height = next_random(&seed) % 150 + 1;
        struct picture from = picture_make(turned ? height : width, turned ? width : height,
                                           next_random(&seed) % 3, &seed);
        struct picture to = picture_make(width, height, next_random(&seed) % 3, &seed);
        struct picture plain = picture_copy(&to);
        struct raster_block block = {plain.bytes, plain.pitch, from.bytes,
                                     from.pitch,  width,       height};
        assert_true(raster_use(RASTER_SCALAR));
        operate(operation, &block);
        for (unsigned i = 0; i < 2; i++) {
            struct picture other = picture_copy(&to);
            block.to = other.bytes;
            if (raster_use(forms[i])) {
                operate(operation, &block);
                if (memcmp(other.bytes, plain.bytes, plain.size) != 0)
                    fail_msg("round %u operation %d form %d", round, operation, forms[i]);
            }
            free(other.bytes);
        }
        free(from.bytes);
        free(to.bytes);
        free(plain.bytes);
    }
    raster_use(RASTER_BEST);
}

static void forms_agree_on_stretching(void **state)
{
    uint64_t seed = 11;
    for (unsigned round = 0; round < ROUNDS; round++) {
        static const uint32_t sizes[] = {3, 30, 100, 300, 1000};
        uint32_t from_width = next_random(&seed) % sizes[next_random(&seed) % 5] + 1;
        uint32_t from_height = next_random(&seed) % 20 + 1;
        uint32_t to_width = next_random(&seed) % sizes[next_random(&seed) % 5] + 1;
        uint32_t to_height = next_random(&seed) % 40 + 1;
        if (round % 4 > 1) { /* whole factors, most often twice */
            uint32_t factor = round % 16 < 12 ? 2 : next_random(&seed) % 3 + 1;
            to_width = from_width * factor;
            to_height = from_height * factor;
        }
        struct picture from = picture_make(from_width, from_height, next_random(&seed) % 3, &seed);
        struct raster_stretch stretch = {
            .from = from.bytes,
            .from_pitch = from.pitch,
            .from_width = from_width,
            .from_height = from_height,
            .to_width = to_width,
            .to_height = to_height,
            .clip_left = next_random(&seed) % to_width,
            .clip_top = next_random(&seed) % to_height,
            .or_mask = round % 4 == 0 ? 0xFF000000 : 0,
            .bilinear = round % 2,
        };
        stretch.clip_width = next_random(&seed) % (to_width - stretch.clip_left) + 1;
        stretch.clip_height = next_random(&seed) % (to_height - stretch.clip_top) + 1;
        struct picture plain = picture_make(stretch.clip_width, stretch.clip_height, 1, &seed);
        struct picture other = picture_copy(&plain);
        stretch.to = plain.bytes;
        stretch.to_pitch = plain.pitch;
        raster_use(RASTER_SCALAR);
        raster_stretch(&stretch);
        stretch.to = other.bytes;
        for (unsigned i = 0; i < 2; i++) {
            if (!raster_use(forms[i]))
                continue;
            raster_stretch(&stretch);
            if (memcmp(other.bytes, plain.bytes, plain.size) != 0)
                fail_msg("round %u form %d: %u to %u", round, forms[i], from_width, to_width);
        }
        free(from.bytes);
        free(plain.bytes);
        free(other.bytes);
    }
    raster_use(RASTER_BEST);
}

static uint8_t *bytes_on_a_line(size_t size)
{
    void *bytes = NULL;
    assert_int_equal(posix_memalign(&bytes, 64, size), 0);
    return bytes;
}

/* Pictures that do not fit into the caches take other ways, by how their rows lie. */
static void forms_agree_on_turning_large_pictures(void **state)
{
    static const struct {
        uint32_t width, height, left, pitch; /* in pixels; left: before the first */
    } pictures[] = {{512, 512, 0, 512},   {520, 560, 3, 544}, {533, 541, 16, 560},
                    {531, 509, 0, 533},   {16, 20000, 1, 32}, {20000, 17, 15, 20032},
                    {1000, 1001, 7, 1008}};
    uint64_t seed = 17;
    for (unsigned i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++) {
        uint32_t width = pictures[i].width, height = pictures[i].height;
        size_t size = (size_t)pictures[i].pitch * height * 4;
        struct picture from = picture_make(height, width, i % 3, &seed);
        uint8_t *plain = bytes_on_a_line(size), *other = bytes_on_a_line(size);
        for (unsigned turns = 1; turns < 4; turns += 2) {
            struct raster_block block = {.to_pitch = pictures[i].pitch * 4ull,
                                         .from = from.bytes,
                                         .from_pitch = from.pitch,
                                         .width = width - pictures[i].left,
                                         .height = height};
            for (unsigned form = RASTER_SCALAR; form <= RASTER_AVX512; form++) {
                uint8_t *to = form == RASTER_SCALAR ? plain : other;
                if (!raster_use((enum raster_form)form))
                    continue;
                memset(to, 0xEE, size);
                block.to = to + pictures[i].left * 4ull;
                raster_rotate(&block, turns);
                if (memcmp(to, plain, size) != 0)
                    fail_msg("picture %u turns %u form %u", i, turns, form);
            }
        }
        free(from.bytes);
        free(plain);
        free(other);
    }
    raster_use(RASTER_BEST);
}

/* Every source byte, destination byte and opacity there is. */
static void forms_agree_on_every_product(void **state)
{
    static const enum raster_form all[] = {RASTER_SCALAR, RASTER_AVX2, RASTER_AVX512};
    uint32_t from[1024], to[1024], seen[3][1024];
    for (uint32_t opacity = 0; opacity < 256; opacity++) {
        for (uint32_t i = 0; i < 1024; i++) {
            from[i] = (i * 0x01010101u) ^ (i >> 8) * 0x00FF3355u;
            to[i] = ((i + opacity) % 256 * 0x01010101u) ^ (i >> 8) * 0xAA00CC77u;
        }
        for (unsigned i = 0; i < 3; i++) {
            struct raster_block block = {(uint8_t *)seen[i], 4096, (uint8_t *)from, 4096, 1024, 1};
            memcpy(seen[i], to, sizeof(to));
            if (!raster_use(all[i]))
                continue;
            raster_over(&block, opacity, 0);
            assert_memory_equal(seen[i], seen[0], sizeof(to));
        }
    }
    raster_use(RASTER_BEST);
}

/* Every source and destination byte and alpha there is, against the rounded quotient. */
static void over_rounds_every_product_exactly(void **state)
{
    uint32_t from[256], to[256], seen[256];
    for (uint32_t alpha = 0; alpha < 256; alpha++) {
        for (uint32_t i = 0; i < 256; i++) {
            from[i] = alpha << 24;
            to[i] = i * 0x01010101u;
        }
        for (unsigned form = RASTER_SCALAR; form <= RASTER_AVX512; form++) {
            if (!raster_use((enum raster_form)form))
                continue;
            struct raster_block block = {(uint8_t *)seen, 1024, (uint8_t *)from, 1024, 256, 1};
            memcpy(seen, to, sizeof(seen));
            raster_over(&block, 255, 0);
            for (uint32_t i = 0; i < 256; i++)
                assert_int_equal(seen[i] & 0xFF, (i * (255 - alpha) * 2 + 255) / 510);
        }
    }
    raster_use(RASTER_BEST);
}

static void scattered_copies_copy_every_piece(void **state)
{
    uint64_t seed = 5;
    const size_t size = 1 << 20;
    uint8_t *from = malloc(size), *to = calloc(1, size), *expected = calloc(1, size);
    for (size_t i = 0; i < size; i++)
        from[i] = (uint8_t)next_random(&seed);
    for (unsigned round = 0; round < 50; round++) {
        struct memory_piece pieces[64];
        size_t count = next_random(&seed) % 64 + 1, place = 0;
        for (size_t i = 0; i < count; i++) {
            size_t length = next_random(&seed) % (round % 2 ? 16000 : 300);
            size_t source = next_random(&seed) % (size - length);
            pieces[i] = (struct memory_piece){to + place, from + source, length};
            memcpy(expected + place, from + source, length);
            place += length + next_random(&seed) % 100;
        }
        memory_copy_pieces(pieces, count, round % 4 < 2);
        assert_memory_equal(to, expected, size);
    }
    free(from);
    free(to);
    free(expected);
}

static void fills_repeat_their_pattern(void **state)
{
    uint64_t seed = 6;
    for (unsigned round = 0; round < 300; round++) {
        size_t size = next_random(&seed) % 5000 + (round % 50 == 0 ? 3 << 20 : 0);
        uint32_t pattern = round % 3 ? next_random(&seed) : 0x77777777;
        uint32_t shift = next_random(&seed) % 8;
        uint8_t *bytes = malloc(size + 16);
        memset(bytes, 0xEE, size + 16);
        memory_fill(bytes + shift, pattern, size);
        for (size_t i = 0; i < size; i++)
            if (bytes[shift + i] != (uint8_t)(pattern >> (i % 4 * 8)))
                fail_msg("byte %zu of %zu", i, size);
        for (size_t i = 0; i < shift; i++)
            assert_int_equal(bytes[i], 0xEE);
        for (size_t i = shift + size; i < size + 16; i++)
            assert_int_equal(bytes[i], 0xEE);
        free(bytes);
    }
}

static void streams_end_where_they_should(void **state)
{
    uint64_t seed = 23;
    for (unsigned round = 0; round < 100; round++) {
        size_t size = next_random(&seed) % (round % 2 ? 150000 : 300);
        uint32_t shift = next_random(&seed) % 100, pattern = next_random(&seed);
        uint8_t *from = malloc(size + 1), *to = malloc(size + 200);
        for (size_t i = 0; i < size; i++)
            from[i] = (uint8_t)next_random(&seed);
        memset(to, 0xEE, size + 200);
        memory_copy_streaming(to + shift, from, size);
        assert_memory_equal(to + shift, from, size);
        memory_fill_streaming(to + shift, pattern, size);
        for (size_t i = 0; i < size + 200; i++) {
            bool inside = i >= shift && i < shift + size;
            if (to[i] != (inside ? (uint8_t)(pattern >> ((i - shift) % 4 * 8)) : 0xEE))
                fail_msg("byte %zu of %zu", i, size);
        }
        free(from);
        free(to);
    }
}

static void what_was_filled_lately_does_not_stream(void **state)
{
    const uint64_t size = 256u << 10, large = 2u << 20;
    struct memory_late late = {0};
    assert_false(memory_fill_streams(&late, 0, 4096));
    assert_true(memory_fill_streams(&late, 0, size));
    assert_false(memory_fill_streams(&late, 0, size));
    for (uint64_t i = 1; i <= MEMORY_LATE_PLACES; i++)
        assert_true(memory_fill_streams(&late, i * size, size));
    assert_true(memory_fill_streams(&late, 0, size));
    assert_true(memory_fill_streams(&late, 0, large));
    assert_true(memory_fill_streams(&late, 0, large));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_agree_on_blocks),
        cmocka_unit_test(forms_agree_on_stretching),
        cmocka_unit_test(forms_agree_on_turning_large_pictures),
        cmocka_unit_test(forms_agree_on_every_product),
        cmocka_unit_test(over_rounds_every_product_exactly),
        cmocka_unit_test(scattered_copies_copy_every_piece),
        cmocka_unit_test(fills_repeat_their_pattern),
        cmocka_unit_test(streams_end_where_they_should),
        cmocka_unit_test(what_was_filled_lately_does_not_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
