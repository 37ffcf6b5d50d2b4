/* raster_stretch.c: nearest and bilinear scaling, row by row.
 *
 * Where a row's pixels come from is worked out once for all rows. A bilinear row is made in two
 * passes: source rows are blended across to 16-bit channels, then two of those are blended down.
 * Both are exact, so their order does not show in the result; and a source row that several rows
 * are made of is blended across once. */
#include "raster.h"

#include "memory_copy.h"
#include "raster_kernels.h"

#include <string.h>

#define NO_ROW UINT32_MAX
#define GROUP  16u /* of struct raster_positions */
#define LINE   64  /* vectors that cross one cost twice */

/* A source row, blended across. */
struct blended {
    uint32_t row; /* NO_ROW: nothing */
    _Alignas(LINE) int16_t channels[RASTER_STRETCH_WIDTH_MAX * 4 + RASTER_ROW_PADDING / 2];
};

struct plan {
    /* What it was made for. */
    uint32_t from_width, to_width, clip_left, clip_width;
    bool bilinear;
    const struct raster_kernels *kernels;

    uint32_t first[(RASTER_STRETCH_WIDTH_MAX + GROUP - 1) / GROUP];
    _Alignas(LINE) uint32_t index[RASTER_STRETCH_WIDTH_MAX];
    _Alignas(LINE) uint64_t weights[RASTER_STRETCH_WIDTH_MAX + RASTER_ROW_PADDING / 8];
    struct raster_positions positions;
    uint32_t from_begin; /* the first source column that is looked at */

    struct blended rows[2];

    /* For twice the size: the last pixel of the first line, the rest, and one more. */
    _Alignas(LINE) int16_t mixed[LINE / 2 + RASTER_STRETCH_WIDTH_MAX * 2 + RASTER_ROW_PADDING];
};

/* Each thread has its own; too large for a stack. */
static _Thread_local struct plan plan;

static int64_t step_of(uint32_t from_size, uint32_t to_size)
{
    return ((int64_t)from_size << 16) / to_size;
}

/* The 16.16 source position of the centre of destination pixel i. */
static int64_t centre(int64_t step, uint32_t i)
{
    return (step + 1) / 2 + (int64_t)i * step;
}

static uint32_t clamp(int64_t value, uint32_t size)
{
    return value < 0 ? 0 : value >= size ? size - 1 : (uint32_t)value;
}

static uint32_t nearest(int64_t step, uint32_t from_size, uint32_t i)
{
    return clamp((centre(step, i) - 1) >> 16, from_size);
}

static void linear(int64_t step, uint32_t from_size, uint32_t i, uint32_t *first, uint32_t *second,
                   uint32_t *weight)
{
    int64_t position = centre(step, i) - 0x8000;
    *first = clamp(position >> 16, from_size);
    *second = clamp((position >> 16) + 1, from_size);
    *weight = (uint32_t)(position >> 9) & 0x7F;
    if (*first == *second)
        *weight = 0; /* at an edge both are the same pixel */
}

static bool is_planned(const struct raster_stretch *stretch)
{
    return plan.from_width == stretch->from_width && plan.to_width == stretch->to_width &&
           plan.clip_left == stretch->clip_left && plan.clip_width == stretch->clip_width &&
           plan.bilinear == stretch->bilinear && plan.kernels == raster_kernels();
}

/* Pixel i of the part comes from `column`, counted from the part's first. */
static void plan_pixel(uint32_t i, uint32_t column, uint32_t weight)
{
    uint32_t in_group = i % GROUP;
    const uint8_t *places = plan.kernels->places;
    if (in_group == 0)
        plan.first[i / GROUP] = column;
    plan.index[i] = column - plan.first[i / GROUP];
    if (plan.index[i] > plan.positions.reach)
        plan.positions.reach = plan.index[i];
    plan.weights[i - in_group + (places ? places[in_group] : in_group)] =
        ((128 - weight) | weight << 8) * 0x0001000100010001ull;
}

/* The columns that [clip_left, +clip_width) of a row takes its pixels from. A picture is stretched
 * slice by slice with the same columns, so the last plan is kept. */
static void make_plan(const struct raster_stretch *stretch)
{
    if (is_planned(stretch))
        return;
    plan.from_width = stretch->from_width;
    plan.to_width = stretch->to_width;
    plan.clip_left = stretch->clip_left;
    plan.clip_width = stretch->clip_width;
    plan.bilinear = stretch->bilinear;
    plan.kernels = raster_kernels();
    plan.positions = (struct raster_positions){
        .first = plan.first,
        .index = plan.index,
        .weights = plan.weights,
        .count = stretch->clip_width,
    };
    int64_t step = step_of(stretch->from_width, stretch->to_width);
    for (uint32_t i = 0; i < stretch->clip_width; i++) {
        uint32_t column = stretch->clip_left + i, first, second, weight = 0;
        if (stretch->bilinear)
            linear(step, stretch->from_width, column, &first, &second, &weight);
        else
            second = first = nearest(step, stretch->from_width, column);
        if (i == 0)
            plan.from_begin = first;
        plan_pixel(i, first - plan.from_begin, weight);
        plan.positions.source_count = second + 1 - plan.from_begin;
    }
}

void raster_stretch_rows(const struct raster_stretch *stretch, uint32_t row, uint32_t *first,
                         uint32_t *second, uint32_t *weight)
{
    int64_t step = step_of(stretch->from_height, stretch->to_height);
    if (stretch->bilinear) {
        linear(step, stretch->from_height, row, first, second, weight);
    } else {
        *first = *second = nearest(step, stretch->from_height, row);
        *weight = 0;
    }
}

static void nearest_rows(const struct raster_stretch *stretch, const uint8_t *from,
                         const struct raster_rows *to)
{
    from += (size_t)plan.from_begin * 4;
    raster_kernels()->nearest_rows(to, (const void *)from, &plan.positions, stretch->or_mask);
}

/* Row `row` of the source, blended across; not in the place of row `keep`. */
static const struct blended *blended_row(const uint8_t *from, uint32_t row, uint32_t keep)
{
    for (unsigned i = 0; i < 2; i++)
        if (plan.rows[i].row == row)
            return &plan.rows[i];
    struct blended *place = plan.rows[0].row == keep ? &plan.rows[1] : &plan.rows[0];
    raster_kernels()->blend_columns(place->channels, from + (size_t)plan.from_begin * 4,
                                    &plan.positions);
    place->row = row;
    return place;
}

static void forget_blended_rows(void)
{
    plan.rows[0].row = plan.rows[1].row = NO_ROW;
}

static void bilinear_row(const struct raster_stretch *stretch, const struct blended *first,
                         const struct blended *second, uint32_t weight, uint8_t *to)
{
    raster_kernels()->blend_rows((void *)to, first->channels, second->channels, weight,
                                 stretch->clip_width, stretch->or_mask);
}

/* ---- Twice the size ---- */

/* All weights are quarters then, and the columns of a pixel of the source stay together. */
static bool is_doubled(const struct raster_stretch *stretch)
{
    return stretch->bilinear && stretch->to_width == 2 * stretch->from_width &&
           stretch->to_height == 2 * stretch->from_height && stretch->clip_left % 2 == 0 &&
           raster_kernels()->mix_rows;
}

/* Beyond the edges of the source its last pixels go on. */
static void doubled_row(const struct raster_stretch *stretch, const uint8_t *first,
                        const uint8_t *second, uint32_t weight, uint8_t *to)
{
    uint32_t left = stretch->clip_left / 2, right = left + (stretch->clip_width + 1) / 2;
    uint32_t begin = left ? left - 1 : 0;
    uint32_t end = right < stretch->from_width ? right + 1 : stretch->from_width;
    size_t size = 4 * sizeof(*plan.mixed);
    int16_t *mixed = plan.mixed + LINE / 2; /* the pixel of column `left` */
    raster_kernels()->mix_rows(left ? mixed - 4 : mixed, first + (size_t)begin * 4,
                               second + (size_t)begin * 4, weight / 32, end - begin);
    if (!left)
        memcpy(mixed - 4, mixed, size);
    int16_t *after = mixed + (size_t)(right - left) * 4;
    if (right == stretch->from_width)
        memcpy(after, after - 4, size);
    raster_kernels()->spread_row((void *)to, mixed, stretch->clip_width, stretch->or_mask);
}

/* ---- Rows and pictures ---- */

void raster_stretch_row(const struct raster_stretch *stretch, const uint8_t *first,
                        const uint8_t *second, uint32_t weight, uint8_t *to)
{
    make_plan(stretch);
    if (!stretch->bilinear) {
        nearest_rows(stretch, first, &(struct raster_rows){.place = to, .count = 1});
        return;
    }
    if (is_doubled(stretch)) {
        doubled_row(stretch, first, second, weight, to);
        return;
    }
    forget_blended_rows();
    const struct blended *upper = blended_row(first, 0, NO_ROW);
    const struct blended *lower = blended_row(second, 1, 0);
    bilinear_row(stretch, upper, lower, weight, to);
}

static void stretch_nearest(const struct raster_stretch *stretch)
{
    int64_t step = step_of(stretch->from_height, stretch->to_height);
    for (uint32_t y = 0; y < stretch->clip_height;) {
        uint32_t row = nearest(step, stretch->from_height, stretch->clip_top + y);
        struct raster_rows to = {stretch->to + y * stretch->to_pitch, stretch->to_pitch, 0};
        do {
            to.count++;
            y++;
        } while (y < stretch->clip_height &&
                 nearest(step, stretch->from_height, stretch->clip_top + y) == row);
        nearest_rows(stretch, stretch->from + (size_t)row * stretch->from_pitch, &to);
    }
}

static void stretch_bilinear(const struct raster_stretch *stretch)
{
    int64_t step = step_of(stretch->from_height, stretch->to_height);
    uint32_t last_first = NO_ROW, last_weight = 0;
    bool doubled = is_doubled(stretch);
    forget_blended_rows();
    for (uint32_t y = 0; y < stretch->clip_height; y++) {
        uint32_t first, second, weight;
        uint8_t *to = stretch->to + y * stretch->to_pitch;
        linear(step, stretch->from_height, stretch->clip_top + y, &first, &second, &weight);
        const uint8_t *upper = stretch->from + (size_t)first * stretch->from_pitch;
        const uint8_t *lower = stretch->from + (size_t)second * stretch->from_pitch;
        if (first == last_first && weight == last_weight) /* a row made from the same is the same */
            memory_copy(to, to - stretch->to_pitch, (size_t)stretch->clip_width * 4);
        else if (doubled)
            doubled_row(stretch, upper, lower, weight, to);
        else
            bilinear_row(stretch, blended_row(upper, first, second),
                         blended_row(lower, second, first), weight, to);
        last_first = first;
        last_weight = weight;
    }
}

void raster_stretch(const struct raster_stretch *stretch)
{
    make_plan(stretch);
    if (stretch->bilinear)
        stretch_bilinear(stretch);
    else
        stretch_nearest(stretch);
}
