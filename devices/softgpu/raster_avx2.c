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

AVX2 static inline void transpose_8(__m256i r[8])
{
    __m256i t[8];
    for (unsigned i = 0; i < 4; i++) {
        t[i * 2] = _mm256_unpacklo_epi32(r[i * 2], r[i * 2 + 1]);
        t[i * 2 + 1] = _mm256_unpackhi_epi32(r[i * 2], r[i * 2 + 1]);
    }
    for (unsigned i = 0; i < 2; i++) {
        r[i * 4] = _mm256_unpacklo_epi64(t[i * 4], t[i * 4 + 2]);
        r[i * 4 + 1] = _mm256_unpackhi_epi64(t[i * 4], t[i * 4 + 2]);
        r[i * 4 + 2] = _mm256_unpacklo_epi64(t[i * 4 + 1], t[i * 4 + 3]);
        r[i * 4 + 3] = _mm256_unpackhi_epi64(t[i * 4 + 1], t[i * 4 + 3]);
    }
    for (unsigned i = 0; i < 4; i++) {
        t[i] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x20);
        t[i + 4] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x31);
    }
    for (unsigned i = 0; i < 8; i++)
        r[i] = t[i];
}

AVX2 static inline void turn_tile(const struct raster_block *block, bool clockwise, uint32_t x,
                                  uint32_t y)
{
    __m256i r[8];
    uint32_t column = clockwise ? y : block->height - 8 - y;
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t row = clockwise ? block->width - 1 - x - i : x + i;
        r[i] = load(block->from + row * block->from_pitch + (size_t)column * 4);
    }
    transpose_8(r);
    for (uint32_t i = 0; i < 8; i++)
        store(block->to + (y + (clockwise ? i : 7 - i)) * block->to_pitch + (size_t)x * 4, r[i]);
}

static void turn_pixels(const struct raster_block *block, bool clockwise, uint32_t left,
                        uint32_t top)
{
    for (uint32_t y = 0; y < block->height; y++) {
        uint32_t *to = (void *)(block->to + y * block->to_pitch);
        uint32_t column = clockwise ? y : block->height - 1 - y;
        for (uint32_t x = y < top ? left : 0; x < block->width; x++) {
            uint32_t row = clockwise ? block->width - 1 - x : x;
            const uint32_t *from = (const void *)(block->from + row * block->from_pitch);
            to[x] = from[column];
        }
    }
}

AVX2 static void avx2_transpose(const struct raster_block *block, bool clockwise)
{
    uint32_t right = block->width & ~7u, bottom = block->height & ~7u;
    for (uint32_t stripe = 0; stripe < right; stripe += 64) {
        uint32_t end = stripe + 64 < right ? stripe + 64 : right;
        for (uint32_t y = 0; y < bottom; y += 8)
            for (uint32_t x = stripe; x < end; x += 8)
                turn_tile(block, clockwise, x, y);
    }
    turn_pixels(block, clockwise, right, bottom);
}

/* ---- Stretching ---- */

static struct raster_positions positions_from(const struct raster_positions *at, uint32_t done)
{
    struct raster_positions rest = *at;
    rest.index += done;
    rest.weights += done;
    rest.count -= done;
    return rest;
}

AVX2 static void avx2_nearest_row(uint32_t *to, const uint32_t *from,
                                  const struct raster_positions *at, uint32_t or_mask)
{
    const __m256i or_vector = _mm256_set1_epi32((int)or_mask);
    uint32_t whole = at->count & ~7u;
    for (uint32_t i = 0; i < whole; i += 8) {
        __m256i index = _mm256_loadu_si256((const void *)(at->index + i));
        __m256i pixels = _mm256_i32gather_epi32((const int *)from, index, 4);
        _mm256_storeu_si256((void *)(to + i), _mm256_or_si256(pixels, or_vector));
    }
    struct raster_positions rest = positions_from(at, whole);
    raster_scalar.nearest_row(to + whole, from, &rest, or_mask);
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
    for (; i + 4 <= at->count && at->index[i + 3] + 1 < at->source_count; i += 4) {
        __m256i pixels = _mm256_xor_si256(load_neighbours(from, at->index + i), sign);
        __m256i weights = _mm256_loadu_si256((const void *)(at->weights + i));
        _mm256_storeu_si256((void *)(to + (size_t)i * 4), _mm256_maddubs_epi16(weights, pixels));
    }
    struct raster_positions rest = positions_from(at, i);
    raster_scalar.blend_columns(to + (size_t)i * 4, from, &rest);
}

AVX2 static inline __m256i blend_four(const int16_t *first, const int16_t *second, __m256i weights)
{
    __m256i a = _mm256_loadu_si256((const void *)first);
    __m256i b = _mm256_loadu_si256((const void *)second);
    __m256i low = _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), weights);
    __m256i high = _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), weights);
    return _mm256_packs_epi32(_mm256_srai_epi32(low, 14), _mm256_srai_epi32(high, 14));
}

AVX2 static void avx2_blend_rows(uint32_t *to, const int16_t *first, const int16_t *second,
                                 uint32_t weight, uint32_t count, uint32_t or_mask)
{
    const __m256i weights = _mm256_set1_epi32((int)(weight << 16 | (128 - weight)));
    const __m256i order = _mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7);
    const __m256i sign = _mm256_set1_epi8((char)0x80);
    const __m256i or_vector = _mm256_set1_epi32((int)or_mask);
    uint32_t whole = count & ~7u;
    for (uint32_t i = 0; i < whole; i += 8) {
        size_t at = (size_t)i * 4;
        __m256i pixels = _mm256_packs_epi16(blend_four(first + at, second + at, weights),
                                            blend_four(first + at + 16, second + at + 16, weights));
        pixels = _mm256_xor_si256(_mm256_permutevar8x32_epi32(pixels, order), sign);
        _mm256_storeu_si256((void *)(to + i), _mm256_or_si256(pixels, or_vector));
    }
    raster_scalar.blend_rows(to + whole, first + (size_t)whole * 4, second + (size_t)whole * 4,
                             weight, count - whole, or_mask);
}

const struct raster_kernels raster_avx2 = {
    .copy_keyed = avx2_copy_keyed,
    .over = avx2_over,
    .transpose = avx2_transpose,
    .nearest_row = avx2_nearest_row,
    .blend_columns = avx2_blend_columns,
    .blend_rows = avx2_blend_rows,
};
