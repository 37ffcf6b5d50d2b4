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
 * alpha is needed once in both of its lanes: one shuffle. With t = product + 128, both
 * t * 257 >> 16 and (t + (t >> 8)) >> 8 are product / 255, rounded, for every product of two bytes;
 * the first leaves it in the low byte of a lane, the second in the high byte, where it belongs. */

AVX512 static inline __m512i scale_bytes(__m512i bytes, __m512i factor)
{
    const __m512i half = _mm512_set1_epi16(128), low_bytes = _mm512_set1_epi16(0xFF);
    __m512i even = _mm512_mullo_epi16(_mm512_and_si512(bytes, low_bytes), factor);
    __m512i odd = _mm512_mullo_epi16(_mm512_srli_epi16(bytes, 8), factor);
    even = _mm512_mulhi_epu16(_mm512_add_epi16(even, half), _mm512_set1_epi16(257));
    odd = _mm512_add_epi16(odd, half);
    odd = _mm512_add_epi16(odd, _mm512_srli_epi16(odd, 8));
    return _mm512_ternarylogic_epi32(low_bytes, even, odd, 0xCA); /* low_bytes ? even : odd */
}

AVX512 static inline __m512i over_pixels(__m512i source, __m512i destination)
{
    const __m512i alpha_places =
        _mm512_set4_epi32((int)0x800F800F, (int)0x800B800B, (int)0x80078007, (int)0x80038003);
    __m512i alpha = _mm512_shuffle_epi8(source, alpha_places);
    __m512i rest = _mm512_sub_epi16(_mm512_set1_epi16(255), alpha);
    return _mm512_adds_epu8(source, scale_bytes(destination, rest));
}

/* Sixteen pixels that are all opaque replace what was there. */
AVX512 static inline bool is_opaque(__m512i source)
{
    return _mm512_cmpge_epu32_mask(source, _mm512_set1_epi32((int)0xFF000000)) == 0xFFFF;
}

AVX512 static inline void over_row(uint8_t *to, const uint8_t *from, uint32_t width,
                                   const __m512i *opacity, __m512i or_vector)
{
    uint32_t x = 0;
    for (; x + 16 <= width; x += 16) {
        __m512i source = _mm512_loadu_si512(from + (size_t)x * 4), pixels = source;
        if (opacity)
            source = pixels = scale_bytes(source, *opacity);
        if (opacity || !is_opaque(source))
            pixels = over_pixels(source, _mm512_loadu_si512(to + (size_t)x * 4));
        _mm512_storeu_si512(to + (size_t)x * 4, _mm512_or_si512(pixels, or_vector));
    }
    __mmask16 mask = tail_mask(width - x);
    __m512i source = _mm512_maskz_loadu_epi32(mask, from + (size_t)x * 4);
    if (opacity)
        source = scale_bytes(source, *opacity);
    __m512i pixels = over_pixels(source, _mm512_maskz_loadu_epi32(mask, to + (size_t)x * 4));
    _mm512_mask_storeu_epi32(to + (size_t)x * 4, mask, _mm512_or_si512(pixels, or_vector));
}

AVX512 static void avx512_over(const struct raster_block *block, uint32_t opacity, uint32_t or_mask)
{
    const __m512i or_vector = _mm512_set1_epi32((int)or_mask);
    const __m512i opacity_vector = _mm512_set1_epi16((short)opacity);
    for (uint32_t y = 0; y < block->height; y++) {
        uint8_t *to = block->to + y * block->to_pitch;
        const uint8_t *from = block->from + y * block->from_pitch;
        if (opacity == 255)
            over_row(to, from, block->width, NULL, or_vector);
        else
            over_row(to, from, block->width, &opacity_vector, or_vector);
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

/* Source pixels index[i] + begin of sixteen that lie within `reach` of begin. */
AVX512 static inline __m512i pick_pixels(const uint32_t *from, uint32_t begin, uint32_t reach,
                                         __m512i index, uint32_t count)
{
    __m512i near = load_pixels(from, begin, count);
    if (reach < 16)
        return _mm512_permutexvar_epi32(index, near);
    return _mm512_permutex2var_epi32(near, index, load_pixels(from, begin + 16, count));
}

/* Left and right neighbours of sixteen pixels. Their order is such that unpacking the low bytes
 * gives pixels 0 ... 7 and unpacking the high ones 8 ... 15. */
AVX512 static inline void pick_neighbours(const uint32_t *from, const struct raster_positions *at,
                                          uint32_t i, __m512i *left, __m512i *right)
{
    const __m512i order = _mm512_setr_epi32(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    uint32_t left_over = at->count - i, last = left_over < 16 ? left_over - 1 : 15;
    uint32_t begin = at->index[i], reach = at->index[i + last] - begin;
    __mmask16 mask = tail_mask(left_over);
    __m512i index = _mm512_maskz_loadu_epi32(mask, at->index + i);
    index = _mm512_maskz_sub_epi32(mask, index, _mm512_set1_epi32((int)begin));
    index = _mm512_permutexvar_epi32(order, index);
    if (reach < 32) {
        *left = pick_pixels(from, begin, reach, index, at->source_count);
        *right = pick_pixels(from, begin + 1, reach, index, at->source_count);
        return;
    }
    /* Far apart. The last pixel of a row has no right neighbour: its weight is nothing. */
    __m512i last_index = _mm512_set1_epi32((int)(at->source_count - 1 - begin));
    __m512i next = _mm512_min_epu32(_mm512_add_epi32(index, _mm512_set1_epi32(1)), last_index);
    *left = _mm512_i32gather_epi32(index, from + begin, 4);
    *right = _mm512_i32gather_epi32(next, from + begin, 4);
}

/* Bytes times bytes are added in pairs with one side signed: the pixels, less 128. */
AVX512 static void avx512_blend_columns(int16_t *to, const uint8_t *from,
                                        const struct raster_positions *at)
{
    const __m512i sign = _mm512_set1_epi8((char)0x80);
    for (uint32_t i = 0; i < at->count; i += 16) {
        __m512i left, right;
        pick_neighbours((const void *)from, at, i, &left, &right);
        left = _mm512_xor_si512(left, sign);
        right = _mm512_xor_si512(right, sign);
        __m512i low = _mm512_maddubs_epi16(_mm512_loadu_si512(at->weights + i),
                                           _mm512_unpacklo_epi8(left, right));
        __m512i high = _mm512_maddubs_epi16(_mm512_loadu_si512(at->weights + i + 8),
                                            _mm512_unpackhi_epi8(left, right));
        _mm512_storeu_si512(to + (size_t)i * 4, low);
        _mm512_storeu_si512(to + (size_t)i * 4 + 32, high);
    }
}

/* Eight pixels: their channels less 128, as 16-bit lanes. */
AVX512 static inline __m512i blend_eight(const int16_t *first, const int16_t *second,
                                         __m512i weights)
{
    __m512i a = _mm512_loadu_si512(first), b = _mm512_loadu_si512(second);
    __m512i low = _mm512_madd_epi16(_mm512_unpacklo_epi16(a, b), weights);
    __m512i high = _mm512_madd_epi16(_mm512_unpackhi_epi16(a, b), weights);
    return _mm512_packs_epi32(_mm512_srai_epi32(low, 14), _mm512_srai_epi32(high, 14));
}

AVX512 static void avx512_blend_rows(uint32_t *to, const int16_t *first, const int16_t *second,
                                     uint32_t weight, uint32_t count, uint32_t or_mask)
{
    const __m512i weights = _mm512_set1_epi32((int)(weight << 16 | (128 - weight)));
    const __m512i order = _mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    const __m512i sign = _mm512_set1_epi8((char)0x80);
    const __m512i or_vector = _mm512_set1_epi32((int)or_mask);
    for (uint32_t i = 0; i < count; i += 16) {
        size_t at = (size_t)i * 4;
        __m512i pixels =
            _mm512_packs_epi16(blend_eight(first + at, second + at, weights),
                               blend_eight(first + at + 32, second + at + 32, weights));
        pixels = _mm512_xor_si512(_mm512_permutexvar_epi32(order, pixels), sign);
        _mm512_mask_storeu_epi32(to + i, tail_mask(count - i), _mm512_or_si512(pixels, or_vector));
    }
}

const struct raster_kernels raster_avx512 = {
    .copy_keyed = avx512_copy_keyed,
    .over = avx512_over,
    .transpose = avx512_transpose,
    .nearest_row = avx512_nearest_row,
    .blend_columns = avx512_blend_columns,
    .blend_rows = avx512_blend_rows,
};
