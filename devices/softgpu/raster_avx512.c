/* raster_avx512.c: inner loops for processors with AVX-512 (F, BW, VL).
 *
 * Tails of rows are done with masks, so nothing outside of a row is read or written. */
#include "raster_kernels.h"

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

AVX512 static inline __mmask16 tail_mask(uint32_t left)
{
    return left >= 16 ? (__mmask16)0xFFFF : (__mmask16)((1u << left) - 1);
}

/* ---- Keyed copy ---- */

AVX512 static void avx512_copy_keyed(const struct raster_block *block, uint32_t key,
                                     uint32_t key_mask, uint32_t or_mask)
{
    const __m512i key_vector = _mm512_set1_epi32((int)key);
    const __m512i mask_vector = _mm512_set1_epi32((int)key_mask);
    const __m512i or_vector = _mm512_set1_epi32((int)or_mask);
    for (uint32_t y = 0; y < block->height; y++) {
        uint8_t *to = block->to + y * block->to_pitch;
        const uint8_t *from = block->from + y * block->from_pitch;
        for (uint32_t x = 0; x < block->width; x += 16) {
            __mmask16 wanted = tail_mask(block->width - x);
            __m512i pixels = _mm512_maskz_loadu_epi32(wanted, from + (size_t)x * 4);
            wanted = _mm512_mask_cmpneq_epi32_mask(wanted, _mm512_and_si512(pixels, mask_vector),
                                                   key_vector);
            _mm512_mask_storeu_epi32(to + (size_t)x * 4, wanted,
                                     _mm512_or_si512(pixels, or_vector));
        }
    }
}

/* ---- OVER ----
 *
 * The bytes at even and at odd places are worked on as two vectors of 16-bit lanes, so a pixel's
 * alpha is needed once in both of its lanes: one shuffle. (t + 128) * 257 >> 16 is t / 255,
 * rounded, for every product t of two bytes. */

AVX512 static inline __m512i scale_lanes(__m512i lanes, __m512i factor)
{
    __m512i product = _mm512_add_epi16(_mm512_mullo_epi16(lanes, factor), _mm512_set1_epi16(128));
    return _mm512_mulhi_epu16(product, _mm512_set1_epi16(257));
}

AVX512 static inline __m512i scale_bytes(__m512i bytes, __m512i factor)
{
    __m512i even = scale_lanes(_mm512_and_si512(bytes, _mm512_set1_epi16(0xFF)), factor);
    __m512i odd = scale_lanes(_mm512_srli_epi16(bytes, 8), factor);
    return _mm512_or_si512(even, _mm512_slli_epi16(odd, 8));
}

AVX512 static inline __m512i over_pixels(__m512i source, __m512i destination)
{
    const __m512i alpha_places =
        _mm512_set4_epi32((int)0x800F800F, (int)0x800B800B, (int)0x80078007, (int)0x80038003);
    __m512i alpha = _mm512_shuffle_epi8(source, alpha_places);
    __m512i rest = _mm512_sub_epi16(_mm512_set1_epi16(255), alpha);
    return _mm512_adds_epu8(source, scale_bytes(destination, rest));
}

/* A desktop is mostly opaque, and where it is not, mostly clear. */
AVX512 static inline bool is_opaque(__m512i source)
{
    const __m512i opaque = _mm512_set1_epi32((int)0xFF000000);
    return _mm512_cmpge_epu32_mask(source, opaque) == 0xFFFF;
}

AVX512 static void avx512_over(const struct raster_block *block, uint32_t opacity, uint32_t or_mask)
{
    const __m512i or_vector = _mm512_set1_epi32((int)or_mask);
    const __m512i opacity_vector = _mm512_set1_epi16((short)opacity);
    for (uint32_t y = 0; y < block->height; y++) {
        uint8_t *to = block->to + y * block->to_pitch;
        const uint8_t *from = block->from + y * block->from_pitch;
        uint32_t x = 0;
        if (opacity == 255) {
            for (; x + 16 <= block->width; x += 16) {
                __m512i source = _mm512_loadu_si512(from + (size_t)x * 4), pixels = source;
                if (!is_opaque(source)) {
                    if (!or_mask && _mm512_test_epi32_mask(source, source) == 0)
                        continue;
                    pixels = over_pixels(source, _mm512_loadu_si512(to + (size_t)x * 4));
                }
                _mm512_storeu_si512(to + (size_t)x * 4, _mm512_or_si512(pixels, or_vector));
            }
        }
        for (; x < block->width; x += 16) {
            __mmask16 mask = tail_mask(block->width - x);
            __m512i source = _mm512_maskz_loadu_epi32(mask, from + (size_t)x * 4);
            __m512i destination = _mm512_maskz_loadu_epi32(mask, to + (size_t)x * 4);
            if (opacity != 255)
                source = scale_bytes(source, opacity_vector);
            __m512i pixels = over_pixels(source, destination);
            _mm512_mask_storeu_epi32(to + (size_t)x * 4, mask, _mm512_or_si512(pixels, or_vector));
        }
    }
}

/* ---- Quarter turns ---- */

/* Rows become columns: sixteen registers of sixteen pixels. */
AVX512 static inline void transpose_16(__m512i r[16])
{
    __m512i t[16];
    for (unsigned i = 0; i < 8; i++) {
        t[i * 2] = _mm512_unpacklo_epi32(r[i * 2], r[i * 2 + 1]);
        t[i * 2 + 1] = _mm512_unpackhi_epi32(r[i * 2], r[i * 2 + 1]);
    }
    for (unsigned i = 0; i < 4; i++) {
        r[i * 4] = _mm512_unpacklo_epi64(t[i * 4], t[i * 4 + 2]);
        r[i * 4 + 1] = _mm512_unpackhi_epi64(t[i * 4], t[i * 4 + 2]);
        r[i * 4 + 2] = _mm512_unpacklo_epi64(t[i * 4 + 1], t[i * 4 + 3]);
        r[i * 4 + 3] = _mm512_unpackhi_epi64(t[i * 4 + 1], t[i * 4 + 3]);
    }
    for (unsigned i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
        t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xDD);
        t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
        t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xDD);
    }
    for (unsigned i = 0; i < 8; i++) {
        r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
        r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xDD);
    }
}

/* Destination pixels [x, x + 16) of rows [y, y + 16). */
AVX512 static inline void turn_tile(const struct raster_block *block, bool clockwise, uint32_t x,
                                    uint32_t y)
{
    __m512i r[16];
    uint32_t column = clockwise ? y : block->height - 16 - y;
    uint32_t row = clockwise ? block->width - 1 - x : x;
    const uint8_t *from = block->from + row * block->from_pitch + (size_t)column * 4;
    ptrdiff_t step = clockwise ? -(ptrdiff_t)block->from_pitch : (ptrdiff_t)block->from_pitch;
    ptrdiff_t ahead = clockwise ? 128 : -128;
    for (int i = 0; i < 16; i++) {
        const uint8_t *place = from + i * step;
        _mm_prefetch((const char *)((uintptr_t)place + (uintptr_t)ahead), _MM_HINT_T0);
        r[i] = _mm512_loadu_si512(place);
    }
    transpose_16(r);
    uint8_t *to = block->to + y * block->to_pitch + (size_t)x * 4;
    for (unsigned i = 0; i < 16; i++)
        _mm512_storeu_si512(to + (clockwise ? i : 15 - i) * block->to_pitch, r[i]);
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

/* In stripes of 64 columns, so that the source rows of a stripe keep their pages in the TLB. */
AVX512 static void avx512_transpose(const struct raster_block *block, bool clockwise)
{
    uint32_t right = block->width & ~15u, bottom = block->height & ~15u;
    for (uint32_t stripe = 0; stripe < right; stripe += 64) {
        uint32_t end = stripe + 64 < right ? stripe + 64 : right;
        for (uint32_t y = 0; y < bottom; y += 16)
            for (uint32_t x = stripe; x < end; x += 16)
                turn_tile(block, clockwise, x, y);
    }
    turn_pixels(block, clockwise, right, bottom);
}

/* ---- Stretching ---- */

/* Source pixels [begin, begin + 16), as far as the row goes. */
AVX512 static inline __m512i load_pixels(const uint32_t *from, uint32_t begin, uint32_t count)
{
    if (begin + 16 <= count)
        return _mm512_loadu_si512(from + begin);
    if (begin >= count)
        return _mm512_setzero_si512();
    return _mm512_maskz_loadu_epi32(tail_mask(count - begin), from + begin);
}

AVX512 static void avx512_nearest_row(uint32_t *to, const uint32_t *from,
                                      const struct raster_positions *at, uint32_t or_mask)
{
    const __m512i or_vector = _mm512_set1_epi32((int)or_mask);
    for (uint32_t i = 0; i < at->count; i += 16) {
        uint32_t left = at->count - i, last = left < 16 ? left - 1 : 15;
        __mmask16 mask = tail_mask(left);
        uint32_t begin = at->index[i], reach = at->index[i + last] - begin;
        __m512i index = _mm512_sub_epi32(_mm512_maskz_loadu_epi32(mask, at->index + i),
                                         _mm512_set1_epi32((int)begin));
        __m512i pixels;
        if (reach < 16)
            pixels = _mm512_permutexvar_epi32(index, load_pixels(from, begin, at->source_count));
        else if (reach < 32)
            pixels = _mm512_permutex2var_epi32(load_pixels(from, begin, at->source_count), index,
                                               load_pixels(from, begin + 16, at->source_count));
        else
            pixels =
                _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), mask, index, from + begin, 4);
        _mm512_mask_storeu_epi32(to + i, mask, _mm512_or_si512(pixels, or_vector));
    }
}

AVX512 static void avx512_blend_rows(uint16_t *to, const uint8_t *first, const uint8_t *second,
                                     uint32_t weight, uint32_t pixels)
{
    const __m512i weight_vector = _mm512_set1_epi16((short)weight);
    const __m512i rest_vector = _mm512_set1_epi16((short)(128 - weight));
    for (uint32_t i = 0; i < pixels; i += 8) {
        __mmask8 mask = pixels - i >= 8 ? 0xFF : (__mmask8)((1u << (pixels - i)) - 1);
        __m256i a = _mm256_maskz_loadu_epi32(mask, first + (size_t)i * 4);
        __m256i b = _mm256_maskz_loadu_epi32(mask, second + (size_t)i * 4);
        __m512i blended =
            _mm512_add_epi16(_mm512_mullo_epi16(_mm512_cvtepu8_epi16(a), rest_vector),
                             _mm512_mullo_epi16(_mm512_cvtepu8_epi16(b), weight_vector));
        _mm512_storeu_si512(to + (size_t)i * 4, blended);
    }
}

/* Eight pixels from their left and right neighbours: four 16-bit channels each. */
AVX512 static inline __m256i blend_neighbours(__m512i left, __m512i right, __m256i weights)
{
    const __m512i even = _mm512_set_epi32(6, 6, 6, 6, 4, 4, 4, 4, 2, 2, 2, 2, 0, 0, 0, 0);
    const __m512i odd = _mm512_set_epi32(7, 7, 7, 7, 5, 5, 5, 5, 3, 3, 3, 3, 1, 1, 1, 1);
    __m512i wide = _mm512_castsi256_si512(weights);
    __m512i low =
        _mm512_madd_epi16(_mm512_unpacklo_epi16(left, right), _mm512_permutexvar_epi32(even, wide));
    __m512i high =
        _mm512_madd_epi16(_mm512_unpackhi_epi16(left, right), _mm512_permutexvar_epi32(odd, wide));
    __m512i both = _mm512_packus_epi32(_mm512_srli_epi32(low, 14), _mm512_srli_epi32(high, 14));
    return _mm512_cvtepi16_epi8(both);
}

AVX512 static void avx512_bilinear_row(uint32_t *to, const uint16_t *from,
                                       const struct raster_positions *at, uint32_t or_mask)
{
    const __m256i or_vector = _mm256_set1_epi32((int)or_mask);
    for (uint32_t i = 0; i < at->count; i += 8) {
        uint32_t left_over = at->count - i, last = left_over < 8 ? left_over - 1 : 7;
        __mmask8 mask = left_over >= 8 ? 0xFF : (__mmask8)((1u << left_over) - 1);
        uint32_t begin = at->index[i], reach = at->index[i + last] - begin;
        const uint16_t *window = from + (size_t)begin * 4;
        __m256i index = _mm256_sub_epi32(_mm256_maskz_loadu_epi32(mask, at->index + i),
                                         _mm256_maskz_set1_epi32(mask, (int)begin));
        __m512i left, right;
        if (reach < 8) {
            __m512i wide = _mm512_cvtepu32_epi64(index);
            left = _mm512_permutexvar_epi64(wide, _mm512_loadu_si512(window));
            right = _mm512_permutexvar_epi64(wide, _mm512_loadu_si512(window + 4));
        } else if (reach < 16) {
            __m512i wide = _mm512_cvtepu32_epi64(index);
            left = _mm512_permutex2var_epi64(_mm512_loadu_si512(window), wide,
                                             _mm512_loadu_si512(window + 32));
            right = _mm512_permutex2var_epi64(_mm512_loadu_si512(window + 4), wide,
                                              _mm512_loadu_si512(window + 36));
        } else {
            left = _mm512_i32gather_epi64(index, window, 8);
            right = _mm512_i32gather_epi64(index, window + 4, 8);
        }
        __m256i weights = _mm256_maskz_loadu_epi32(mask, at->weights + i);
        __m256i pixels = blend_neighbours(left, right, weights);
        _mm256_mask_storeu_epi32(to + i, mask, _mm256_or_si256(pixels, or_vector));
    }
}

const struct raster_kernels raster_avx512 = {
    .copy_keyed = avx512_copy_keyed,
    .over = avx512_over,
    .transpose = avx512_transpose,
    .nearest_row = avx512_nearest_row,
    .blend_rows = avx512_blend_rows,
    .bilinear_row = avx512_bilinear_row,
};
