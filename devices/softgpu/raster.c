/* raster.c: what each operation means, in plain C, and the choice of a faster form. */
#include "raster.h"

#include "memory_copy.h"
#include "raster_kernels.h"
#include "softgpu_regs.h"

#include <string.h>

static uint32_t load32(const uint8_t *place)
{
    uint32_t value;
    memcpy(&value, place, sizeof(value));
    return value;
}

static void store32(uint8_t *place, uint32_t value)
{
    memcpy(place, &value, sizeof(value));
}

/* ---- Plain C forms ---- */

static void scalar_copy_keyed(const struct raster_block *block, uint32_t key, uint32_t key_mask,
                              uint32_t or_mask)
{
    for (uint32_t y = 0; y < block->height; y++) {
        uint8_t *to = block->to + y * block->to_pitch;
        const uint8_t *from = block->from + y * block->from_pitch;
        for (uint32_t x = 0; x < block->width; x++) {
            uint32_t pixel = load32(from + x * 4);
            if ((pixel & key_mask) != key)
                store32(to + x * 4, pixel | or_mask);
        }
    }
}

/* Two channels at once, in the low bytes of the halves: value * factor / 255, rounded. */
static uint32_t scale_two(uint32_t two, uint32_t factor)
{
    uint32_t product = two * factor + 0x800080u;
    return ((product + (product >> 8 & 0xFF00FFu)) >> 8) & 0xFF00FFu;
}

static uint32_t add_two(uint32_t a, uint32_t b)
{
    uint32_t sum = a + b;
    sum |= 0x1000100u - (sum >> 8 & 0xFF00FFu); /* a carry fills its channel */
    return sum & 0xFF00FFu;
}

static uint32_t over_pixel(uint32_t source, uint32_t destination, uint32_t opacity)
{
    uint32_t low = source & 0xFF00FFu, high = source >> 8 & 0xFF00FFu;
    if (opacity != 255) {
        low = scale_two(low, opacity);
        high = scale_two(high, opacity);
    }
    uint32_t rest = 255 - (high >> 16);
    low = add_two(low, scale_two(destination & 0xFF00FFu, rest));
    high = add_two(high, scale_two(destination >> 8 & 0xFF00FFu, rest));
    return low | high << 8;
}

static void scalar_over(const struct raster_block *block, uint32_t opacity, uint32_t or_mask)
{
    for (uint32_t y = 0; y < block->height; y++) {
        uint8_t *to = block->to + y * block->to_pitch;
        const uint8_t *from = block->from + y * block->from_pitch;
        for (uint32_t x = 0; x < block->width; x++)
            store32(to + x * 4,
                    over_pixel(load32(from + x * 4), load32(to + x * 4), opacity) | or_mask);
    }
}

void raster_nearest_from(uint32_t begin, const struct raster_rows *to, const uint32_t *from,
                         const struct raster_positions *at, uint32_t or_mask)
{
    uint32_t *row = raster_row(to, 0);
    for (uint32_t i = begin; i < at->count; i++)
        row[i] = from[raster_place(at, i)] | or_mask;
    for (uint32_t k = 1; k < to->count; k++)
        memory_copy(raster_row(to, k) + begin, row + begin, (size_t)(at->count - begin) * 4);
}

static void scalar_nearest_rows(const struct raster_rows *to, const uint32_t *from,
                                const struct raster_positions *at, uint32_t or_mask)
{
    raster_nearest_from(0, to, from, at, or_mask);
}

void raster_blend_columns_from(uint32_t begin, int16_t *to, const uint8_t *from,
                               const struct raster_positions *at)
{
    for (uint32_t i = begin; i < at->count; i++) {
        const uint8_t *first = from + (size_t)raster_place(at, i) * 4;
        int rest = (int)(at->weights[i] & 0xFF), weight = (int)(at->weights[i] >> 8 & 0xFF);
        const uint8_t *second = weight ? first + 4 : first; /* there may be none */
        for (unsigned channel = 0; channel < 4; channel++)
            to[i * 4 + channel] =
                (int16_t)(first[channel] * rest + second[channel] * weight - RASTER_BLEND_BIAS);
    }
}

static void scalar_blend_columns(int16_t *to, const uint8_t *from,
                                 const struct raster_positions *at)
{
    raster_blend_columns_from(0, to, from, at);
}

static void scalar_blend_rows(uint32_t *to, const int16_t *first, const int16_t *second,
                              uint32_t weight, uint32_t count, uint32_t or_mask)
{
    int rest = 128 - (int)weight;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pixel = 0;
        for (unsigned channel = 0; channel < 4; channel++) {
            int sum = first[i * 4 + channel] * rest + second[i * 4 + channel] * (int)weight;
            pixel |= (uint32_t)((sum + RASTER_BLEND_BIAS * 128) >> 14) << (channel * 8);
        }
        to[i] = pixel | or_mask;
    }
}

const struct raster_kernels raster_scalar = {
    .copy_keyed = scalar_copy_keyed,
    .over = scalar_over,
    .nearest_rows = scalar_nearest_rows,
    .blend_columns = scalar_blend_columns,
    .blend_rows = scalar_blend_rows,
};

/* ---- Choice ---- */

static const struct raster_kernels *chosen; /* NULL until first used */

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}

bool raster_use(enum raster_form form)
{
    bool avx2 = __builtin_cpu_supports("avx2"), avx512 = has_avx512();
    if (form == RASTER_BEST)
        form = avx512 ? RASTER_AVX512 : avx2 ? RASTER_AVX2 : RASTER_SCALAR;
    if ((form == RASTER_AVX512 && !avx512) || (form == RASTER_AVX2 && !avx2))
        return false;
    chosen = form == RASTER_AVX512 ? &raster_avx512
             : form == RASTER_AVX2 ? &raster_avx2
                                   : &raster_scalar;
    return true;
}

const struct raster_kernels *raster_kernels(void)
{
    if (!chosen)
        raster_use(RASTER_BEST);
    return chosen;
}

/* ---- Operations ---- */

/* Rows without gaps between them are one long row. */
static bool is_one_row(const struct raster_block *block, uint32_t pixel_size, bool both)
{
    size_t row_bytes = (size_t)block->width * pixel_size;
    return block->to_pitch == row_bytes && (!both || block->from_pitch == row_bytes);
}

void raster_fill(const struct raster_block *block, uint32_t pixel_size, uint32_t colour)
{
    size_t row_bytes = (size_t)block->width * pixel_size;
    uint32_t pattern = pixel_size == 4   ? colour
                       : pixel_size == 2 ? (colour & 0xFFFF) * 0x10001u
                                         : (colour & 0xFF) * 0x1010101u;
    if (is_one_row(block, pixel_size, false)) {
        memory_fill(block->to, pattern, row_bytes * block->height);
        return;
    }
    for (uint32_t y = 0; y < block->height; y++)
        memory_fill(block->to + y * block->to_pitch, pattern, row_bytes);
}

void raster_copy(const struct raster_block *block, uint32_t pixel_size)
{
    size_t row_bytes = (size_t)block->width * pixel_size;
    if (is_one_row(block, pixel_size, true)) {
        memory_move(block->to, block->from, row_bytes * block->height);
        return;
    }
    for (uint32_t y = 0; y < block->height; y++)
        memory_move(block->to + y * block->to_pitch, block->from + y * block->from_pitch,
                    row_bytes);
}

void raster_copy_keyed(const struct raster_block *block, uint32_t key, uint32_t key_mask,
                       uint32_t or_mask)
{
    raster_kernels()->copy_keyed(block, key & key_mask, key_mask, or_mask);
}

void raster_copy_or(const struct raster_block *block, uint32_t or_mask)
{
    raster_kernels()->copy_keyed(block, 1, 0, or_mask); /* (pixel & 0) is never 1 */
}

void raster_over(const struct raster_block *block, uint32_t opacity, uint32_t or_mask)
{
    raster_kernels()->over(block, opacity, or_mask);
}

uint32_t raster_unpack(uint32_t format, const uint8_t *pixel)
{
    if (format == SOFTGPU_FORMAT_RGB565) {
        uint32_t value = pixel[0] | (uint32_t)pixel[1] << 8;
        uint32_t red = value >> 11, green = value >> 5 & 0x3F, blue = value & 0x1F;
        return 0xFF000000u | (red << 3 | red >> 2) << 16 | (green << 2 | green >> 4) << 8 |
               (blue << 3 | blue >> 2);
    }
    uint32_t value = load32(pixel);
    if (format == SOFTGPU_FORMAT_RGBA8)
        return (value & 0xFF00FF00u) | (value & 0xFF) << 16 | (value >> 16 & 0xFF);
    return format == SOFTGPU_FORMAT_BGRX8 ? value | 0xFF000000u : value;
}

void raster_pack(uint32_t format, uint8_t *pixel, uint32_t argb)
{
    if (format == SOFTGPU_FORMAT_RGB565) {
        uint32_t value = (argb >> 8 & 0xF800) | (argb >> 5 & 0x07E0) | (argb >> 3 & 0x001F);
        pixel[0] = (uint8_t)value;
        pixel[1] = (uint8_t)(value >> 8);
        return;
    }
    if (format == SOFTGPU_FORMAT_RGBA8)
        argb = (argb & 0xFF00FF00u) | (argb & 0xFF) << 16 | (argb >> 16 & 0xFF);
    store32(pixel, format == SOFTGPU_FORMAT_BGRX8 ? argb | 0xFF000000u : argb);
}

/* The curve of IEC 61966-2-1 in 255ths, rounded. */
static const uint8_t srgb_codes[256] = {
    0, 13, 22, 28, 34, 38, 42, 46, 50, 53, 56, 59, 61, 64, 66, 69,
    71, 73, 75, 77, 79, 81, 83, 85, 86, 88, 90, 92, 93, 95, 96, 98,
    99, 101, 102, 104, 105, 106, 108, 109, 110, 112, 113, 114, 115, 117, 118, 119,
    120, 121, 122, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136,
    137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 148, 149, 150, 151,
    152, 153, 154, 155, 155, 156, 157, 158, 159, 159, 160, 161, 162, 163, 163, 164,
    165, 166, 167, 167, 168, 169, 170, 170, 171, 172, 173, 173, 174, 175, 175, 176,
    177, 178, 178, 179, 180, 180, 181, 182, 182, 183, 184, 185, 185, 186, 187, 187,
    188, 189, 189, 190, 190, 191, 192, 192, 193, 194, 194, 195, 196, 196, 197, 197,
    198, 199, 199, 200, 200, 201, 202, 202, 203, 203, 204, 205, 205, 206, 206, 207,
    208, 208, 209, 209, 210, 210, 211, 212, 212, 213, 213, 214, 214, 215, 215, 216,
    216, 217, 218, 218, 219, 219, 220, 220, 221, 221, 222, 222, 223, 223, 224, 224,
    225, 226, 226, 227, 227, 228, 228, 229, 229, 230, 230, 231, 231, 232, 232, 233,
    233, 234, 234, 235, 235, 236, 236, 237, 237, 238, 238, 238, 239, 239, 240, 240,
    241, 241, 242, 242, 243, 243, 244, 244, 245, 245, 246, 246, 246, 247, 247, 248,
    248, 249, 249, 250, 250, 251, 251, 251, 252, 252, 253, 253, 254, 254, 255, 255,
};

uint32_t raster_to_srgb(uint32_t argb)
{
    return (argb & 0xFF000000u) | (uint32_t)srgb_codes[argb >> 16 & 0xFF] << 16 |
           (uint32_t)srgb_codes[argb >> 8 & 0xFF] << 8 | srgb_codes[argb & 0xFF];
}
