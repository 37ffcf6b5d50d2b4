/* raster_stretch.c: nearest and bilinear scaling, row by row.
 *
 * Where a row's pixels come from is worked out once for all rows. A bilinear row is made in two
 * passes: two source rows are blended to 16-bit channels, then neighbours in that row are. Both are
 * exact, so their order does not show in the result. */
#include "raster.h"

#include "memory_copy.h"
#include "raster_kernels.h"

#include <string.h>

struct plan {
    uint32_t index[RASTER_STRETCH_WIDTH_MAX], weights[RASTER_STRETCH_WIDTH_MAX];
    uint16_t blended[RASTER_STRETCH_WIDTH_MAX * 4 + RASTER_ROW_PADDING / 2];
    struct raster_positions positions;
    uint32_t from_begin, from_count; /* source columns that are looked at */
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

static uint32_t nearest(uint32_t from_size, uint32_t to_size, uint32_t i)
{
    return clamp((centre(step_of(from_size, to_size), i) - 1) >> 16, from_size);
}

static void linear(uint32_t from_size, uint32_t to_size, uint32_t i, uint32_t *first,
                   uint32_t *second, uint32_t *weight)
{
    int64_t position = centre(step_of(from_size, to_size), i) - 0x8000;
    *first = clamp(position >> 16, from_size);
    *second = clamp((position >> 16) + 1, from_size);
    *weight = (uint32_t)(position >> 9) & 0x7F;
}

/* The columns that [clip_left, +clip_width) of a row takes its pixels from. A picture is stretched
 * slice by slice with the same columns, so the last plan is kept. */
static void make_plan(const struct raster_stretch *stretch)
{
    static _Thread_local struct {
        uint32_t from_width, to_width, clip_left, clip_width;
        bool bilinear;
    } made;
    if (made.from_width == stretch->from_width && made.to_width == stretch->to_width &&
        made.clip_left == stretch->clip_left && made.clip_width == stretch->clip_width &&
        made.bilinear == stretch->bilinear)
        return;
    uint32_t end = 0;
    for (uint32_t i = 0; i < stretch->clip_width; i++) {
        uint32_t column = stretch->clip_left + i, second, weight = 0;
        if (stretch->bilinear)
            linear(stretch->from_width, stretch->to_width, column, &plan.index[i], &second,
                   &weight);
        else
            second = plan.index[i] = nearest(stretch->from_width, stretch->to_width, column);
        if (second == plan.index[i])
            weight = 0; /* at an edge both are the same pixel */
        plan.weights[i] = (128 - weight) | weight << 16;
        end = second + 1;
    }
    plan.from_begin = plan.index[0];
    plan.from_count = end - plan.from_begin;
    for (uint32_t i = 0; i < stretch->clip_width; i++)
        plan.index[i] -= plan.from_begin;
    plan.positions =
        (struct raster_positions){plan.index, plan.weights, stretch->clip_width, plan.from_count};
    made.from_width = stretch->from_width;
    made.to_width = stretch->to_width;
    made.clip_left = stretch->clip_left;
    made.clip_width = stretch->clip_width;
    made.bilinear = stretch->bilinear;
}

void raster_stretch_rows(const struct raster_stretch *stretch, uint32_t row, uint32_t *first,
                         uint32_t *second, uint32_t *weight)
{
    if (stretch->bilinear) {
        linear(stretch->from_height, stretch->to_height, row, first, second, weight);
    } else {
        *first = *second = nearest(stretch->from_height, stretch->to_height, row);
        *weight = 0;
    }
}

void raster_stretch_row(const struct raster_stretch *stretch, const uint8_t *first,
                        const uint8_t *second, uint32_t weight, uint8_t *to)
{
    const struct raster_kernels *kernels = raster_kernels();
    make_plan(stretch);
    size_t skip = (size_t)plan.from_begin * 4;
    if (stretch->bilinear) {
        kernels->blend_rows(plan.blended, first + skip, second + skip, weight, plan.from_count);
        kernels->bilinear_row((void *)to, plan.blended, &plan.positions, stretch->or_mask);
    } else {
        kernels->nearest_row((void *)to, (const void *)(first + skip), &plan.positions,
                             stretch->or_mask);
    }
}

void raster_stretch(const struct raster_stretch *stretch)
{
    uint32_t last_first = 0, last_second = 0, last_weight = 0;
    for (uint32_t y = 0; y < stretch->clip_height; y++) {
        uint32_t first, second, weight;
        uint8_t *to = stretch->to + y * stretch->to_pitch;
        raster_stretch_rows(stretch, stretch->clip_top + y, &first, &second, &weight);
        /* A row made from the same is the same. */
        if (y && first == last_first && second == last_second && weight == last_weight)
            memory_copy(to, to - stretch->to_pitch, (size_t)stretch->clip_width * 4);
        else
            raster_stretch_row(stretch, stretch->from + (size_t)first * stretch->from_pitch,
                               stretch->from + (size_t)second * stretch->from_pitch, weight, to);
        last_first = first;
        last_second = second;
        last_weight = weight;
    }
}
