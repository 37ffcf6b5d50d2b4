/* raster_avx2.c: inner loops for processors with AVX2. Tails of rows are left to the
 * plain forms. */
#include "raster_kernels.h"

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256i load(const uint8_t *place)
{
    return _mm256_loadu_si256((const void *)place);
}

AVX2 static inline void store(uint8_t *place, __m256i value)
{
    _mm256_storeu_si256((void *)place, value);
}

AVX2 static inline __m256i load_lanes(const int16_t *place)
{
    return _mm256_loadu_si256((const void *)place);
}

/* The columns that whole vectors do not reach. */
static struct raster_block rest_of(const struct raster_block *block, uint32_t done)
{
    struct raster_block rest = *block;
    rest.to += (size_t)done * 4;
    rest.from += (size_t)done * 4;
    rest.width -= done;
    return rest;
}

AVX2 static void avx2_copy_keyed(const struct raster_block *block, uint32_t key, uint32_t key_mask,
                                 uint32_t or_mask)
{
    const __m256i key_vector = _mm256_set1_epi32((int)key);
    const __m256i mask_vector = _mm256_set1_epi32((int)key_mask);
    const __m256i or_vector = _mm256_set1_epi32((int)or_mask);
    const __m256i ones = _mm256_set1_epi32(-1);
    uint32_t whole = block->width & ~7u;
    for (uint32_t y = 0; y < block->height; y++) {
        uint8_t *to = block->to + y * block->to_pitch;
        const uint8_t *from = block->from + y * block->from_pitch;
        for (uint32_t x = 0; x < whole; x += 8) {
            raster_fetch_to_write(to + (size_t)x * 4);
            __m256i pixels = load(from + (size_t)x * 4);
            __m256i equal = _mm256_cmpeq_epi32(_mm256_and_si256(pixels, mask_vector), key_vector);
            _mm256_maskstore_epi32((void *)(to + (size_t)x * 4), _mm256_xor_si256(equal, ones),
                                   _mm256_or_si256(pixels, or_vector));
        }
    }
    struct raster_block rest = rest_of(block, whole);
    raster_scalar.copy_keyed(&rest, key, key_mask, or_mask);
}

/* As in raster_avx512.c. */
AVX2 static inline __m256i scale_lanes(__m256i lanes, __m256i factor)
{
    __m256i product = _mm256_add_epi16(_mm256_mullo_epi16(lanes, factor), _mm256_set1_epi16(128));
    return _mm256_mulhi_epu16(product, _mm256_set1_epi16(257));
}

AVX2 static inline __m256i scale_bytes(__m256i bytes, __m256i factor)
{
    __m256i even = scale_lanes(_mm256_and_si256(bytes, _mm256_set1_epi16(0xFF)), factor);
    __m256i odd = scale_lanes(_mm256_srli_epi16(bytes, 8), factor);
    return _mm256_or_si256(even, _mm256_slli_epi16(odd, 8));
}

AVX2 static void avx2_over(const struct raster_block *block, uint32_t opacity, uint32_t or_mask)
{
    const __m256i or_vector = _mm256_set1_epi32((int)or_mask);
    const __m256i opacity_vector = _mm256_set1_epi16((short)opacity);
    const __m256i alpha_places =
        _mm256_set_epi32((int)0x800F800F, (int)0x800B800B, (int)0x80078007, (int)0x80038003,
                         (int)0x800F800F, (int)0x800B800B, (int)0x80078007, (int)0x80038003);
    uint32_t whole = block->width & ~7u;
    for (uint32_t y = 0; y < block->height; y++) {
        uint8_t *to = block->to + y * block->to_pitch;
        const uint8_t *from = block->from + y * block->from_pitch;
        for (uint32_t x = 0; x < whole; x += 8) {
            raster_fetch_to_write(to + (size_t)x * 4);
            __m256i source = load(from + (size_t)x * 4);
            if (opacity != 255)
                source = scale_bytes(source, opacity_vector);
            __m256i alpha = _mm256_shuffle_epi8(source, alpha_places);
            __m256i rest = _mm256_sub_epi16(_mm256_set1_epi16(255), alpha);
            __m256i scaled = scale_bytes(load(to + (size_t)x * 4), rest);
            store(to + (size_t)x * 4, _mm256_or_si256(_mm256_adds_epu8(source, scaled), or_vector));
        }
    }
    struct raster_block rest = rest_of(block, whole);
    raster_scalar.over(&rest, opacity, or_mask);
}

/* ---- Quarter turns ---- */

/* Four pixels of each of the rows 0 and 4 from `place` on. */
AVX2 RASTER_INLINE __m256i load_fours(const uint8_t *place, ptrdiff_t step)
{
    __m256i fours = _mm256_castsi128_si256(_mm_loadu_si128((const void *)place));
    return _mm256_inserti128_si256(fours, _mm_loadu_si128((const void *)(place + 4 * step)), 1);
}

AVX2 RASTER_INLINE void put_row(uint8_t *to, __m256i pixels, bool past)
{
    if (past)
        _mm256_stream_si256((void *)to, pixels);
    else
        store(to, pixels);
}

/* As in raster_avx512.c: columns [4n, 4n + 4). */
AVX2 RASTER_INLINE void turn_columns(const struct raster_square *square, ptrdiff_t n, bool past)
{
    ptrdiff_t step = square->from_step, to_step = square->to_step;
    const uint8_t *from = square->from + n * 16;
    uint8_t *to = square->to + 4 * n * to_step;
    __m256i row_0 = load_fours(from, step), row_1 = load_fours(from + step, step);
    __m256i row_2 = load_fours(from + 2 * step, step), row_3 = load_fours(from + 3 * step, step);
    __m256i low_0 = _mm256_unpacklo_epi32(row_0, row_1);
    __m256i high_0 = _mm256_unpackhi_epi32(row_0, row_1);
    __m256i low_2 = _mm256_unpacklo_epi32(row_2, row_3);
    __m256i high_2 = _mm256_unpackhi_epi32(row_2, row_3);
    put_row(to, _mm256_unpacklo_epi64(low_0, low_2), past);
    put_row(to + to_step, _mm256_unpackhi_epi64(low_0, low_2), past);
    put_row(to + 2 * to_step, _mm256_unpacklo_epi64(high_0, high_2), past);
    put_row(to + 3 * to_step, _mm256_unpackhi_epi64(high_0, high_2), past);
}

AVX2 RASTER_INLINE void turn_square(const struct raster_square *square, bool past)
{
    turn_columns(square, 0, past);
    turn_columns(square, 1, past);
}

AVX2 static void avx2_turn_square(const struct raster_square *square, enum raster_way way)
{
    if (way != RASTER_NEAR)
        raster_fetch_square(square, 8, way);
    if (way == RASTER_PAST)
        turn_square(square, true);
    else
        turn_square(square, false);
}

/* ---- Stretching ---- */

/* As in raster_avx512.c, of eight pixels: picked out of one vector or two. */
AVX2 RASTER_INLINE __m256i pick(const uint32_t *from, __m256i index, uint32_t vectors)
{
    __m256i near = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const void *)from), index);
    if (vectors == 1)
        return near;
    __m256i far = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const void *)(from + 8)), index);
    return _mm256_blendv_epi8(near, far, _mm256_cmpgt_epi32(index, _mm256_set1_epi32(7)));
}

AVX2 RASTER_INLINE uint32_t nearest_whole(const struct raster_rows *to, const uint32_t *from,
                                          const struct raster_positions *at, __m256i or_vector,
                                          uint32_t vectors)
{
    uint32_t i = 0;
    for (; i + 8 <= at->count; i += 8) {
        uint32_t begin = raster_place(at, i), reach = at->index[i + 7] - at->index[i];
        if (reach >= 8 * vectors || begin + 8 * vectors > at->source_count)
            break;
        __m256i index = _mm256_sub_epi32(_mm256_loadu_si256((const void *)(at->index + i)),
                                         _mm256_set1_epi32((int)at->index[i]));
        __m256i pixels = pick(from + begin, index, vectors);
        pixels = _mm256_or_si256(pixels, or_vector);
        for (uint32_t k = 0; k < to->count; k++)
            _mm256_storeu_si256((void *)(raster_row(to, k) + i), pixels);
    }
    return i;
}

/* Where sixteen neighbours reach less than 15 pixels (31), eight reach less than 8 (16). */
AVX2 static void avx2_nearest_rows(const struct raster_rows *to, const uint32_t *from,
                                   const struct raster_positions *at, uint32_t or_mask)
{
    const __m256i or_vector = _mm256_set1_epi32((int)or_mask);
    const struct raster_rows rows = *to;
    uint32_t i = 0;
    if (at->reach < 15)
        i = nearest_whole(&rows, from, at, or_vector, 1);
    else if (at->reach < 31)
        i = nearest_whole(&rows, from, at, or_vector, 2);
    raster_nearest_from(i, to, from, at, or_mask);
}

/* Four pixels: both neighbours of one lie side by side, so one load has them. */
AVX2 static inline __m256i load_neighbours(const uint8_t *from, const uint32_t *index)
{
    const __m256i interleave = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15));
    uint64_t pair[4];
    for (unsigned i = 0; i < 4; i++)
        __builtin_memcpy(&pair[i], from + (size_t)index[i] * 4, 8);
    __m256i pixels = _mm256_set_epi64x((long long)pair[3], (long long)pair[2], (long long)pair[1],
                                       (long long)pair[0]);
    return _mm256_shuffle_epi8(pixels, interleave);
}

AVX2 static void avx2_blend_columns(int16_t *to, const uint8_t *from,
                                    const struct raster_positions *at)
{
    const __m256i sign = _mm256_set1_epi8((char)0x80);
    uint32_t i = 0;
    /* While there is a right neighbour to read. */
    for (; i + 4 <= at->count && raster_place(at, i + 3) + 1 < at->source_count; i += 4) {
        const uint8_t *begin = from + (size_t)at->first[i / 16] * 4;
        __m256i pixels = _mm256_xor_si256(load_neighbours(begin, at->index + i), sign);
        __m256i weights = _mm256_loadu_si256((const void *)(at->weights + i));
        _mm256_storeu_si256((void *)(to + (size_t)i * 4), _mm256_maddubs_epi16(weights, pixels));
    }
    raster_blend_columns_from(i, to, from, at);
}

/* Four pixels: their channels less 128, as 16-bit lanes. */
AVX2 RASTER_INLINE __m256i blend_four(const struct raster_slope *slope, size_t at, __m256i factor)
{
    __m256i difference = _mm256_sub_epi16(load_lanes(slope->to + at), load_lanes(slope->from + at));
    __m256i sum =
        _mm256_add_epi16(load_lanes(slope->base + at), _mm256_mulhi_epi16(difference, factor));
    return _mm256_srai_epi16(sum, 7);
}

AVX2 static void avx2_blend_rows(uint32_t *to, const int16_t *first, const int16_t *second,
                                 uint32_t weight, uint32_t count, uint32_t or_mask)
{
    const struct raster_slope slope = raster_slope(first, second, weight);
    const __m256i factor = _mm256_set1_epi16(slope.factor);
    const __m256i order = _mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7);
    const __m256i sign = _mm256_set1_epi8((char)0x80);
    const __m256i or_vector = _mm256_set1_epi32((int)or_mask);
    uint32_t whole = count & ~7u;
    for (uint32_t i = 0; i < whole; i += 8) {
        size_t at = (size_t)i * 4;
        __m256i pixels =
            _mm256_packs_epi16(blend_four(&slope, at, factor), blend_four(&slope, at + 16, factor));
        pixels = _mm256_xor_si256(_mm256_permutevar8x32_epi32(pixels, order), sign);
        _mm256_storeu_si256((void *)(to + i), _mm256_or_si256(pixels, or_vector));
    }
    raster_scalar.blend_rows(to + whole, first + (size_t)whole * 4, second + (size_t)whole * 4,
                             weight, count - whole, or_mask);
}

/* ---- Twice the size ---- */

static int16_t mixed_channel(const uint8_t *first, const uint8_t *second, uint32_t quarters)
{
    return (int16_t)((*first * (4 - quarters) + *second * quarters) * 16);
}

AVX2 static void avx2_mix_rows(int16_t *to, const uint8_t *first, const uint8_t *second,
                               uint32_t quarters, uint32_t count)
{
    const __m256i weights = _mm256_set1_epi16((short)(quarters << 12 | (4 - quarters) << 4));
    size_t channels = (size_t)count * 4, i = 0;
    for (; i + 32 <= channels; i += 32) {
        /* So that unpacking leaves them in their order. */
        __m256i a = _mm256_permute4x64_epi64(load(first + i), 0xD8);
        __m256i b = _mm256_permute4x64_epi64(load(second + i), 0xD8);
        __m256i low = _mm256_maddubs_epi16(_mm256_unpacklo_epi8(a, b), weights);
        __m256i high = _mm256_maddubs_epi16(_mm256_unpackhi_epi8(a, b), weights);
        _mm256_storeu_si256((void *)(to + i), low);
        _mm256_storeu_si256((void *)(to + i + 16), high);
    }
    for (; i < channels; i++)
        to[i] = mixed_channel(first + i, second + i, quarters);
}

/* As in raster_avx512.c, of four source pixels. */
AVX2 RASTER_INLINE __m256i spread_four(const int16_t *mixed)
{
    const __m256i left_places = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(1, 3, 5, 7, -1, -1, -1, -1, 9, 11, 13, 15, -1, -1, -1, -1));
    const __m256i right_places = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(-1, -1, -1, -1, 1, 3, 5, 7, -1, -1, -1, -1, 9, 11, 13, 15));
    __m256i own = _mm256_mullo_epi16(load_lanes(mixed), _mm256_set1_epi16(3));
    __m256i left = _mm256_add_epi16(own, load_lanes(mixed - 4));
    __m256i right = _mm256_add_epi16(own, load_lanes(mixed + 4));
    return _mm256_or_si256(_mm256_shuffle_epi8(left, left_places),
                           _mm256_shuffle_epi8(right, right_places));
}

AVX2 static void avx2_spread_row(uint32_t *to, const int16_t *mixed, uint32_t count,
                                 uint32_t or_mask)
{
    const __m256i or_vector = _mm256_set1_epi32((int)or_mask);
    const __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (uint32_t i = 0; i < count; i += 8) {
        raster_fetch_to_write(to + i);
        __m256i pixels = _mm256_or_si256(spread_four(mixed + (size_t)i / 2 * 4), or_vector);
        __m256i wanted = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(count - i)), places);
        _mm256_maskstore_epi32((void *)(to + i), wanted, pixels);
    }
}

const struct raster_kernels raster_avx2 = {
    .copy_keyed = avx2_copy_keyed,
    .over = avx2_over,
    .turn_side = 8,
    .turn_square = avx2_turn_square,
    .nearest_rows = avx2_nearest_rows,
    .blend_columns = avx2_blend_columns,
    .blend_rows = avx2_blend_rows,
    .mix_rows = avx2_mix_rows,
    .spread_row = avx2_spread_row,
};
