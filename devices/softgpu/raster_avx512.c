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

/* ---- Copies ---- */

struct keys {
    __m512i key, mask, or_mask;
};

AVX512 RASTER_INLINE void copy_sixteen(uint8_t *to, const uint8_t *from, const struct keys *keys,
                                       bool keyed)
{
    __m512i pixels = _mm512_loadu_si512(from);
    __m512i made = _mm512_or_si512(pixels, keys->or_mask);
    if (keyed) {
        __m512i compared = _mm512_and_si512(pixels, keys->mask);
        _mm512_mask_storeu_epi32(to, _mm512_cmpneq_epi32_mask(compared, keys->key), made);
    } else {
        _mm512_storeu_si512(to, made);
    }
}

/* The last pixels with some of those before them once more: a masked load that touches a page which
 * is not there costs hundreds of cycles, and rows of surfaces end at pages. */
AVX512 RASTER_INLINE void copy_rows(const struct raster_block *block, const struct keys *keys,
                                    bool keyed)
{
    size_t bytes = (size_t)block->width * 4;
    for (uint32_t y = 0; y < block->height; y++) {
        uint8_t *to = block->to + y * block->to_pitch;
        const uint8_t *from = block->from + y * block->from_pitch;
        for (size_t at = 0; at + 64 <= bytes; at += 64) {
            raster_fetch_to_write(to + at);
            copy_sixteen(to + at, from + at, keys, keyed);
        }
        if (bytes % 64)
            copy_sixteen(to + bytes - 64, from + bytes - 64, keys, keyed);
    }
}

AVX512 static void avx512_copy_keyed(const struct raster_block *block, uint32_t key,
                                     uint32_t key_mask, uint32_t or_mask)
{
    const struct keys keys = {_mm512_set1_epi32((int)key), _mm512_set1_epi32((int)key_mask),
                              _mm512_set1_epi32((int)or_mask)};
    if (block->width < 16)
        raster_scalar.copy_keyed(block, key, key_mask, or_mask);
    else if (key & ~key_mask)
        copy_rows(block, &keys, false); /* no pixel is the key */
    else
        copy_rows(block, &keys, true);
}

/* ---- OVER ----
 *
 * The bytes at even and at odd places are worked on as two vectors of 16-bit lanes, each byte in
 * the high half of its lane, so a factor is needed once in both lanes of a pixel. For a factor f it
 * is f * 65536 / 255, rounded: the product's high half is then byte * f * 256 / 255 so nearly that
 * 128 more rounds it like the exact quotient, whose fraction is never nearer to a half than
 * 1/510. */

/* 257 * f, which is f in both bytes of a lane, lacks f / 255: rounded, that is its highest bit. Of
 * 255 it would be 65536, and 65535 gives the same. */
AVX512 static inline __m512i widen_factor(__m512i both_bytes)
{
    return _mm512_adds_epu16(both_bytes, _mm512_srli_epi16(both_bytes, 15));
}

/* bytes * f / 255, rounded. */
AVX512 static inline __m512i scale_bytes(__m512i bytes, __m512i wide_factor)
{
    const __m512i half = _mm512_set1_epi16(128), high = _mm512_set1_epi16((short)0xFF00);
    const __m512i high_to_low =
        _mm512_set4_epi32((int)0x0F0F0D0D, (int)0x0B0B0909, (int)0x07070505, (int)0x03030101);
    __m512i odd = _mm512_mulhi_epu16(_mm512_and_si512(bytes, high), wide_factor);
    __m512i even = _mm512_mulhi_epu16(_mm512_slli_epi16(bytes, 8), wide_factor);
    odd = _mm512_add_epi16(odd, half);
    even = _mm512_add_epi16(even, half);
    return _mm512_mask_shuffle_epi8(odd, 0x5555555555555555, even, high_to_low);
}

/* What the source covers is taken away: that is what the rest, rounded, leaves. */
AVX512 static inline __m512i over_pixels(__m512i source, __m512i destination)
{
    const __m512i alpha_places =
        _mm512_set4_epi32((int)0x0F0F0F0F, (int)0x0B0B0B0B, (int)0x07070707, (int)0x03030303);
    __m512i alpha = widen_factor(_mm512_shuffle_epi8(source, alpha_places));
    __m512i rest = _mm512_sub_epi8(destination, scale_bytes(destination, alpha));
    return _mm512_adds_epu8(source, rest);
}

/* How the row is to be drawn; NULL: with full opacity, and without a mask. */
struct over_how {
    const __m512i *opacity, *or_mask;
};

AVX512 RASTER_INLINE __m512i over_made(__m512i source, __m512i destination, struct over_how how)
{
    if (how.opacity)
        source = scale_bytes(source, *how.opacity);
    __m512i pixels = over_pixels(source, destination);
    return how.or_mask ? _mm512_or_si512(pixels, *how.or_mask) : pixels;
}

AVX512 RASTER_INLINE void over_row(uint8_t *to, const uint8_t *from, uint32_t width,
                                   struct over_how how)
{
    size_t whole = (size_t)(width & ~15u) * 4;
    for (size_t at = 0; at < whole; at += 64) {
        raster_fetch_to_write(to + at);
        __m512i pixels = over_made(_mm512_loadu_si512(from + at), _mm512_loadu_si512(to + at), how);
        _mm512_storeu_si512(to + at, pixels);
    }
    if (!(width & 15))
        return;
    /* Of a longer row the end of its last sixteen: no page behind it is touched, as in copies. */
    size_t at = whole ? (size_t)width * 4 - 64 : 0;
    __mmask16 mask = tail_mask(width & 15);
    if (whole)
        mask = (__mmask16)(mask << (16 - (width & 15)));
    __m512i pixels = over_made(_mm512_maskz_loadu_epi32(mask, from + at),
                               _mm512_maskz_loadu_epi32(mask, to + at), how);
    _mm512_mask_storeu_epi32(to + at, mask, pixels);
}

AVX512 RASTER_INLINE void over_rows(const struct raster_block *block, struct over_how how)
{
    for (uint32_t y = 0; y < block->height; y++)
        over_row(block->to + y * block->to_pitch, block->from + y * block->from_pitch, block->width,
                 how);
}

AVX512 static void avx512_over(const struct raster_block *block, uint32_t opacity, uint32_t or_mask)
{
    const __m512i or_vector = _mm512_set1_epi32((int)or_mask);
    const __m512i factor = widen_factor(_mm512_set1_epi8((char)opacity));
    if (opacity != 255)
        over_rows(block, (struct over_how){&factor, &or_vector});
    else if (or_mask)
        over_rows(block, (struct over_how){NULL, &or_vector});
    else
        over_rows(block, (struct over_how){NULL, NULL});
}

/* ---- Quarter turns ---- */

/* Four pixels of each of the rows 0, 4, 8 and 12 from `place` on. */
AVX512 RASTER_INLINE __m512i load_fours(const uint8_t *place, ptrdiff_t step)
{
    __m512i fours = _mm512_castsi128_si512(_mm_loadu_si128((const void *)place));
    fours = _mm512_mask_broadcast_i32x4(fours, 0x00F0,
                                        _mm_loadu_si128((const void *)(place + 4 * step)));
    fours = _mm512_mask_broadcast_i32x4(fours, 0x0F00,
                                        _mm_loadu_si128((const void *)(place + 8 * step)));
    return _mm512_mask_broadcast_i32x4(fours, 0xF000,
                                       _mm_loadu_si128((const void *)(place + 12 * step)));
}

AVX512 RASTER_INLINE void put_row(uint8_t *to, __m512i pixels, bool past)
{
    if (past)
        _mm512_stream_si512((void *)to, pixels);
    else
        _mm512_storeu_si512(to, pixels);
}

/* Columns [4n, 4n + 4). Loads put the rows where shuffles within a quarter of a register are all
 * that is left: one execution port has the shuffles, and they are what takes time. */
AVX512 RASTER_INLINE void turn_columns(const struct raster_square *square, ptrdiff_t n, bool past)
{
    ptrdiff_t step = square->from_step, to_step = square->to_step;
    const uint8_t *from = square->from + n * 16;
    uint8_t *to = square->to + 4 * n * to_step;
    __m512i row_0 = load_fours(from, step), row_1 = load_fours(from + step, step);
    __m512i row_2 = load_fours(from + 2 * step, step), row_3 = load_fours(from + 3 * step, step);
    __m512i low_0 = _mm512_unpacklo_epi32(row_0, row_1);
    __m512i high_0 = _mm512_unpackhi_epi32(row_0, row_1);
    __m512i low_2 = _mm512_unpacklo_epi32(row_2, row_3);
    __m512i high_2 = _mm512_unpackhi_epi32(row_2, row_3);
    put_row(to, _mm512_unpacklo_epi64(low_0, low_2), past);
    put_row(to + to_step, _mm512_unpackhi_epi64(low_0, low_2), past);
    put_row(to + 2 * to_step, _mm512_unpacklo_epi64(high_0, high_2), past);
    put_row(to + 3 * to_step, _mm512_unpackhi_epi64(high_0, high_2), past);
}

AVX512 RASTER_INLINE void turn_square(const struct raster_square *square, bool past)
{
    turn_columns(square, 0, past);
    turn_columns(square, 1, past);
    turn_columns(square, 2, past);
    turn_columns(square, 3, past);
}

AVX512 static void avx512_turn_square(const struct raster_square *square, enum raster_way way)
{
    if (way != RASTER_NEAR)
        raster_fetch_square(square, 16, way);
    if (way == RASTER_PAST)
        turn_square(square, true);
    else
        turn_square(square, false);
}

/* ---- Stretching ---- */

/* The source pixels that a group is picked from. */
struct window {
    __m512i near, far; /* far: only of two vectors */
};

/* Of a group whose indices are no more than `reach`; 0: they are too far apart for two. */
static uint32_t vectors_for(uint32_t reach)
{
    return reach < 16 ? 1 : reach < 32 ? 2 : 0;
}

/* What comes half a page later is fetched: rows are read once, and end before a processor has seen
 * where they lead. */
AVX512 RASTER_INLINE struct window load_window(const uint32_t *from, uint32_t vectors)
{
    __m512i near = _mm512_loadu_si512(from);
    _mm_prefetch((const char *)((uintptr_t)from + 2048), _MM_HINT_T0);
    if (vectors == 2)
        _mm_prefetch((const char *)((uintptr_t)from + 2048 + 64), _MM_HINT_T0);
    return (struct window){near, vectors == 2 ? _mm512_loadu_si512(from + 16) : near};
}

/* At the end of a row: of `count` pixels. */
AVX512 static inline struct window load_last(const uint32_t *from, uint32_t count)
{
    __mmask16 near = tail_mask(count), far = count > 16 ? tail_mask(count - 16) : 0;
    return (struct window){_mm512_maskz_loadu_epi32(near, from),
                           _mm512_maskz_loadu_epi32(far, from + 16)};
}

AVX512 RASTER_INLINE __m512i pick(struct window window, __m512i index, uint32_t vectors)
{
    return vectors == 1 ? _mm512_permutexvar_epi32(index, window.near)
                        : _mm512_permutex2var_epi32(window.near, index, window.far);
}

AVX512 RASTER_INLINE void put_sixteen(const struct raster_rows *to, uint32_t i, __mmask16 mask,
                                      __m512i pixels)
{
    for (uint32_t k = 0; k < to->count; k++) {
        raster_fetch_to_write(raster_row(to, k) + i);
        _mm512_mask_storeu_epi32(raster_row(to, k) + i, mask, pixels);
    }
}

/* As far as whole vectors can be read and written; the number of pixels that are done. */
AVX512 RASTER_INLINE uint32_t nearest_whole(const struct raster_rows *to, const uint32_t *from,
                                            const struct raster_positions *at, __m512i or_vector,
                                            uint32_t vectors)
{
    uint32_t i = 0;
    for (; i + 16 <= at->count && at->first[i / 16] + 16 * vectors <= at->source_count; i += 16) {
        struct window window = load_window(from + at->first[i / 16], vectors);
        __m512i pixels = pick(window, _mm512_loadu_si512(at->index + i), vectors);
        put_sixteen(to, i, 0xFFFF, _mm512_or_si512(pixels, or_vector));
    }
    return i;
}

AVX512 static void avx512_nearest_rows(const struct raster_rows *to, const uint32_t *from,
                                       const struct raster_positions *at, uint32_t or_mask)
{
    const __m512i or_vector = _mm512_set1_epi32((int)or_mask);
    const struct raster_rows rows = *to;
    uint32_t vectors = vectors_for(at->reach), i;
    if (vectors == 0) {
        raster_nearest_from(0, to, from, at, or_mask);
        return;
    }
    if (vectors == 1)
        i = nearest_whole(&rows, from, at, or_vector, 1);
    else
        i = nearest_whole(&rows, from, at, or_vector, 2);
    for (; i < at->count; i += 16) {
        __mmask16 mask = tail_mask(at->count - i);
        uint32_t first = at->first[i / 16];
        struct window window = load_last(from + first, at->source_count - first);
        __m512i pixels = pick(window, _mm512_maskz_loadu_epi32(mask, at->index + i), 2);
        put_sixteen(&rows, i, mask, _mm512_or_si512(pixels, or_vector));
    }
}

/* Left and right neighbours of sixteen pixels. */
struct neighbours {
    __m512i left, right;
};

/* Bytes times bytes are added in pairs with one side signed: the pixels, less 128. The pixels stay
 * in the order that unpacking bytes leaves them in; packing them again undoes it. */
AVX512 RASTER_INLINE void blend_sixteen(int16_t *to, struct neighbours pixels,
                                        const uint64_t *weights)
{
    const __m512i sign = _mm512_set1_epi8((char)0x80);
    __m512i left = _mm512_xor_si512(pixels.left, sign);
    __m512i right = _mm512_xor_si512(pixels.right, sign);
    __m512i low =
        _mm512_maddubs_epi16(_mm512_loadu_si512(weights), _mm512_unpacklo_epi8(left, right));
    __m512i high =
        _mm512_maddubs_epi16(_mm512_loadu_si512(weights + 8), _mm512_unpackhi_epi8(left, right));
    _mm512_storeu_si512(to, low);
    _mm512_storeu_si512(to + 32, high);
}

static const uint8_t unpacked_places[16] = {0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15};

AVX512 RASTER_INLINE struct neighbours pick_neighbours(struct window window, __m512i index,
                                                       uint32_t vectors)
{
    __m512i next = _mm512_add_epi32(index, _mm512_set1_epi32(1));
    return (struct neighbours){pick(window, index, vectors), pick(window, next, vectors)};
}

AVX512 RASTER_INLINE uint32_t columns_whole(int16_t *to, const uint32_t *from,
                                            const struct raster_positions *at, uint32_t vectors)
{
    uint32_t i = 0;
    for (; i + 16 <= at->count && at->first[i / 16] + 16 * vectors <= at->source_count; i += 16) {
        struct window window = load_window(from + at->first[i / 16], vectors);
        __m512i index = _mm512_loadu_si512(at->index + i);
        blend_sixteen(to + (size_t)i * 4, pick_neighbours(window, index, vectors), at->weights + i);
    }
    return i;
}

/* Far apart. The last pixel of a row has no right neighbour: its weight is nothing. */
AVX512 static struct neighbours gather_neighbours(const uint32_t *from, __m512i index,
                                                  uint32_t count)
{
    const __m512i last = _mm512_set1_epi32((int)(count - 1));
    __m512i next = _mm512_min_epu32(_mm512_add_epi32(index, _mm512_set1_epi32(1)), last);
    return (struct neighbours){_mm512_i32gather_epi32(index, from, 4),
                               _mm512_i32gather_epi32(next, from, 4)};
}

AVX512 static void avx512_blend_columns(int16_t *to, const uint8_t *from,
                                        const struct raster_positions *at)
{
    uint32_t vectors = vectors_for(at->reach + 1), i = 0;
    if (vectors == 1)
        i = columns_whole(to, (const void *)from, at, 1);
    else if (vectors == 2)
        i = columns_whole(to, (const void *)from, at, 2);
    for (; i < at->count; i += 16) {
        __m512i index = _mm512_maskz_loadu_epi32(tail_mask(at->count - i), at->index + i);
        uint32_t left = at->source_count - at->first[i / 16];
        const uint32_t *pixels = (const uint32_t *)(const void *)from + at->first[i / 16];
        struct neighbours found = vectors ? pick_neighbours(load_last(pixels, left), index, 2)
                                          : gather_neighbours(pixels, index, left);
        blend_sixteen(to + (size_t)i * 4, found, at->weights + i);
    }
}

/* Eight pixels: their channels less 128, as 16-bit lanes. */
AVX512 RASTER_INLINE __m512i blend_eight(const struct raster_slope *slope, size_t at,
                                         __m512i factor)
{
    __m512i difference =
        _mm512_sub_epi16(_mm512_loadu_si512(slope->to + at), _mm512_loadu_si512(slope->from + at));
    __m512i sum = _mm512_add_epi16(_mm512_loadu_si512(slope->base + at),
                                   _mm512_mulhi_epi16(difference, factor));
    return _mm512_srai_epi16(sum, 7);
}

AVX512 RASTER_INLINE __m512i slope_pixels(const struct raster_slope *slope, uint32_t i,
                                          __m512i factor, __m512i or_vector)
{
    const __m512i sign = _mm512_set1_epi8((char)0x80);
    size_t at = (size_t)i * 4;
    __m512i pixels =
        _mm512_packs_epi16(blend_eight(slope, at, factor), blend_eight(slope, at + 32, factor));
    return _mm512_ternarylogic_epi32(pixels, sign, or_vector, 0xBE); /* (a ^ b) | c */
}

AVX512 static void avx512_blend_rows(uint32_t *to, const int16_t *first, const int16_t *second,
                                     uint32_t weight, uint32_t count, uint32_t or_mask)
{
    const struct raster_slope slope = raster_slope(first, second, weight);
    const __m512i factor = _mm512_set1_epi16(slope.factor);
    const __m512i or_vector = _mm512_set1_epi32((int)or_mask);
    uint32_t i = 0;
    for (; i + 16 <= count; i += 16) {
        raster_fetch_to_write(to + i);
        _mm512_storeu_si512(to + i, slope_pixels(&slope, i, factor, or_vector));
    }
    _mm512_mask_storeu_epi32(to + i, tail_mask(count - i),
                             slope_pixels(&slope, i, factor, or_vector));
}

/* ---- Twice the size ---- */

AVX512 RASTER_INLINE void mix_sixteen(int16_t *to, __m512i first, __m512i second, __m512i weights)
{
    const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7); /* what unpacking undoes */
    first = _mm512_permutexvar_epi64(order, first);
    second = _mm512_permutexvar_epi64(order, second);
    __m512i low = _mm512_maddubs_epi16(_mm512_unpacklo_epi8(first, second), weights);
    __m512i high = _mm512_maddubs_epi16(_mm512_unpackhi_epi8(first, second), weights);
    _mm512_storeu_si512(to, low);
    _mm512_storeu_si512(to + 32, high);
}

AVX512 static void avx512_mix_rows(int16_t *to, const uint8_t *first, const uint8_t *second,
                                   uint32_t quarters, uint32_t count)
{
    const __m512i weights = _mm512_set1_epi16((short)(quarters << 12 | (4 - quarters) << 4));
    size_t whole = count & ~15u;
    __mmask16 mask = tail_mask(count & 15);
    for (size_t at = 0; at < whole * 4; at += 64)
        mix_sixteen(to + at, _mm512_loadu_si512(first + at), _mm512_loadu_si512(second + at),
                    weights);
    mix_sixteen(to + whole * 4, _mm512_maskz_loadu_epi32(mask, first + whole * 4),
                _mm512_maskz_loadu_epi32(mask, second + whole * 4), weights);
}

/* Eight source pixels after others and before others: the high bytes of what each becomes on its
 * left and on its right. Loads that cross lines would take longer than shifts between registers. */
AVX512 RASTER_INLINE __m512i spread_eight(__m512i before, __m512i mixed, __m512i after,
                                          __m512i or_vector)
{
    const __m512i places =
        _mm512_set4_epi32(0x0F0D0B09, 0x0F0D0B09, 0x07050301, 0x07050301); /* left, right, ... */
    __m512i own = _mm512_mullo_epi16(mixed, _mm512_set1_epi16(3));
    __m512i left = _mm512_add_epi16(own, _mm512_alignr_epi64(mixed, before, 7));
    __m512i right = _mm512_add_epi16(own, _mm512_alignr_epi64(after, mixed, 1));
    __m512i pixels = _mm512_shuffle_epi8(left, places);
    pixels = _mm512_mask_shuffle_epi8(pixels, 0xF0F0F0F0F0F0F0F0, right, places);
    return _mm512_or_si512(pixels, or_vector);
}

AVX512 static void avx512_spread_row(uint32_t *to, const int16_t *mixed, uint32_t count,
                                     uint32_t or_mask)
{
    const __m512i or_vector = _mm512_set1_epi32((int)or_mask);
    __m512i before = _mm512_loadu_si512(mixed - 32), own = _mm512_loadu_si512(mixed);
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m512i after = _mm512_loadu_si512(mixed + i * 2 + 32);
        raster_fetch_to_write(to + i);
        _mm512_storeu_si512(to + i, spread_eight(before, own, after, or_vector));
        before = own;
        own = after;
    }
    __m512i after = _mm512_loadu_si512(mixed + i * 2 + 32);
    _mm512_mask_storeu_epi32(to + i, tail_mask(count - (uint32_t)i),
                             spread_eight(before, own, after, or_vector));
}

const struct raster_kernels raster_avx512 = {
    .copy_keyed = avx512_copy_keyed,
    .over = avx512_over,
    .turn_side = 16,
    .turn_square = avx512_turn_square,
    .nearest_rows = avx512_nearest_rows,
    .places = unpacked_places,
    .blend_columns = avx512_blend_columns,
    .blend_rows = avx512_blend_rows,
    .mix_rows = avx512_mix_rows,
    .spread_row = avx512_spread_row,
};
