/* commands_triangles.c: TRIANGLES, with integer edge functions.
 *
 * A pixel belongs to a triangle if its centre is on the inner side of all three edges. On an edge
 * it belongs to it if the edge is a top or a left one, so two triangles that share an edge cover
 * each pixel once. Everything is integer arithmetic: the same pixels everywhere. For each row the
 * edges are solved for x, so a triangle costs what it covers. */
#include "internal.h"

#include "raster.h"

#include <string.h>

#define SUBPIXEL        16
#define COORDINATE_MAX  ((int)SOFTGPU_SURFACE_SIZE_MAX * SUBPIXEL)
#define FRACTION_BITS   24
#define SLICE_TRIANGLES 64u

/* a * x + b * y + c >= 0 inside; x and y in 1/16 pixels. */
struct edge {
    int64_t a, b, c;
};

/* Colour channel over the plane: value at the first vertex and change per 1/16 pixel. */
struct channel {
    int64_t value, per_x, per_y;
};

struct triangle {
    struct edge edges[3];
    struct channel channels[4];
    int x0, y0;                   /* first vertex */
    int left, top, right, bottom; /* in pixels, clipped; right and bottom outside */
};

static int64_t floor_divide(int64_t a, int64_t b)
{
    int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

static struct edge make_edge(const struct softgpu_vertex *from, const struct softgpu_vertex *to)
{
    int64_t dx = (int64_t)to->x - from->x, dy = (int64_t)to->y - from->y;
    struct edge edge = {.a = -dy, .b = dx, .c = dy * from->x - dx * from->y};
    /* Clockwise on the screen: a left edge goes up, a top edge goes right. */
    bool owns = dy < 0 || (dy == 0 && dx > 0);
    if (!owns)
        edge.c -= 1;
    return edge;
}

static void make_channels(struct triangle *triangle, const struct softgpu_vertex *v, int64_t area,
                          bool gouraud)
{
    int64_t dx1 = (int64_t)v[1].x - v[0].x, dy1 = (int64_t)v[1].y - v[0].y;
    int64_t dx2 = (int64_t)v[2].x - v[0].x, dy2 = (int64_t)v[2].y - v[0].y;
    for (unsigned i = 0; i < 4; i++) {
        int64_t c0 = v[0].colour >> (i * 8) & 0xFF;
        int64_t c1 = (int64_t)(v[1].colour >> (i * 8) & 0xFF) - c0;
        int64_t c2 = (int64_t)(v[2].colour >> (i * 8) & 0xFF) - c0;
        struct channel *channel = &triangle->channels[i];
        channel->value = (c0 << FRACTION_BITS) + (1 << (FRACTION_BITS - 1));
        channel->per_x = gouraud ? (c1 * dy2 - c2 * dy1) * (1 << FRACTION_BITS) / area : 0;
        channel->per_y = gouraud ? (c2 * dx1 - c1 * dx2) * (1 << FRACTION_BITS) / area : 0;
    }
}

/* False: nothing of it is to be drawn. */
static bool make_triangle(struct triangle *triangle, const struct softgpu_vertex vertices[3],
                          const struct softgpu_rect *clip, bool gouraud)
{
    struct softgpu_vertex v[3] = {vertices[0], vertices[1], vertices[2]};
    int64_t area = ((int64_t)v[1].x - v[0].x) * ((int64_t)v[2].y - v[0].y) -
                   ((int64_t)v[2].x - v[0].x) * ((int64_t)v[1].y - v[0].y);
    if (area == 0)
        return false;
    if (area < 0) { /* make it clockwise; the first vertex keeps its part */
        v[1] = vertices[2];
        v[2] = vertices[1];
        area = -area;
    }
    int left = v[0].x, right = v[0].x, top = v[0].y, bottom = v[0].y;
    for (unsigned i = 0; i < 3; i++) {
        triangle->edges[i] = make_edge(&v[i], &v[(i + 1) % 3]);
        left = v[i].x < left ? v[i].x : left;
        right = v[i].x > right ? v[i].x : right;
        top = v[i].y < top ? v[i].y : top;
        bottom = v[i].y > bottom ? v[i].y : bottom;
    }
    triangle->x0 = v[0].x;
    triangle->y0 = v[0].y;
    triangle->left = (int)floor_divide(left, SUBPIXEL);
    triangle->top = (int)floor_divide(top, SUBPIXEL);
    triangle->right = (int)floor_divide(right, SUBPIXEL) + 1;
    triangle->bottom = (int)floor_divide(bottom, SUBPIXEL) + 1;
    if (triangle->left < clip->left)
        triangle->left = clip->left;
    if (triangle->top < clip->top)
        triangle->top = clip->top;
    if (triangle->right > clip->right)
        triangle->right = clip->right;
    if (triangle->bottom > clip->bottom)
        triangle->bottom = clip->bottom;
    make_channels(triangle, v, area, gouraud);
    return triangle->left < triangle->right && triangle->top < triangle->bottom;
}

/* Narrows [*begin, *end) to the pixels of row y that are inside. */
static void find_span(const struct triangle *triangle, int y, int *begin, int *end)
{
    int64_t first = triangle->left, last = triangle->right - 1;
    int64_t centre_y = (int64_t)y * SUBPIXEL + SUBPIXEL / 2;
    for (unsigned i = 0; i < 3; i++) {
        const struct edge *edge = &triangle->edges[i];
        /* a * (16 x + 8) + rest >= 0 */
        int64_t step = edge->a * SUBPIXEL;
        int64_t rest = edge->a * (SUBPIXEL / 2) + edge->b * centre_y + edge->c;
        if (step > 0) {
            int64_t bound = -floor_divide(rest, step);
            first = bound > first ? bound : first;
        } else if (step < 0) {
            int64_t bound = floor_divide(rest, -step);
            last = bound < last ? bound : last;
        } else if (rest < 0) {
            last = first - 1;
        }
    }
    *begin = (int)first;
    *end = last < first ? (int)first : (int)last + 1;
}

static uint32_t channel_byte(int64_t value)
{
    int64_t byte = value >> FRACTION_BITS;
    return byte < 0 ? 0 : byte > 255 ? 255 : (uint32_t)byte;
}

static void shade_span(const struct triangle *triangle, int x, int y, uint32_t count, uint32_t *to)
{
    int64_t dx = (int64_t)x * SUBPIXEL + SUBPIXEL / 2 - triangle->x0;
    int64_t dy = (int64_t)y * SUBPIXEL + SUBPIXEL / 2 - triangle->y0;
    int64_t value[4];
    for (unsigned i = 0; i < 4; i++) {
        const struct channel *channel = &triangle->channels[i];
        value[i] = channel->value + channel->per_x * dx + channel->per_y * dy;
    }
    for (uint32_t i = 0; i < count; i++) {
        to[i] = channel_byte(value[0]) | channel_byte(value[1]) << 8 |
                channel_byte(value[2]) << 16 | channel_byte(value[3]) << 24;
        for (unsigned c = 0; c < 4; c++)
            value[c] += triangle->channels[c].per_x * SUBPIXEL;
    }
}

/* Colours go to a row of scratch memory first, from where they are copied or blended. */
static bool draw_triangle(struct command *command, const struct surface *to,
                          const struct triangle *triangle, bool blend, uint64_t *pixels)
{
    uint8_t *colours = command->engine->scratch, *gathered = colours + SCRATCH_ROW_BYTES;
    uint32_t or_mask = to->format == SOFTGPU_FORMAT_BGRX8 ? 0xFF000000u : 0;
    for (int y = triangle->top; y < triangle->bottom; y++) {
        int begin, end;
        find_span(triangle, y, &begin, &end);
        uint32_t count = (uint32_t)(end - begin);
        if (!count)
            continue;
        shade_span(triangle, begin, y, count, (void *)colours);
        uint8_t *row = surface_row(command, to, (uint32_t)begin, (uint32_t)y, count, gathered);
        if (!row)
            return false;
        struct raster_block block = {row, to->pitch, colours, 0, count, 1};
        if (blend)
            raster_over(&block, 255, or_mask);
        else
            raster_copy_or(&block, or_mask);
        if (!surface_row_put(command, to, (uint32_t)begin, (uint32_t)y, count, row))
            return false;
        *pixels += count;
    }
    return true;
}

static bool vertex_is_sane(const struct softgpu_vertex *vertex)
{
    return vertex->x >= -COORDINATE_MAX && vertex->x <= COORDINATE_MAX &&
           vertex->y >= -COORDINATE_MAX && vertex->y <= COORDINATE_MAX;
}

static void cut_clip(struct softgpu_rect *clip, const struct surface *to)
{
    clip->left = clip->left < 0 ? 0 : clip->left;
    clip->top = clip->top < 0 ? 0 : clip->top;
    clip->right = clip->right > (int)to->width ? (int)to->width : clip->right;
    clip->bottom = clip->bottom > (int)to->height ? (int)to->height : clip->bottom;
}

/* A slice is a number of triangles, fewer if they are large; progress counts triangles. */
enum command_result command_triangles(struct command *command)
{
    const uint32_t fixed_words = SOFTGPU_COMMAND_WORDS_OF(struct softgpu_command_triangles);
    const uint32_t words_each = 3 * SOFTGPU_COMMAND_WORDS_OF(struct softgpu_vertex);
    struct softgpu_command_triangles operand;
    struct surface to;
    memcpy(&operand, command->words, sizeof(operand));
    if (command->word_count != fixed_words + (uint64_t)operand.triangle_count * words_each)
        return command_fault(command, SOFTGPU_FAULT_LENGTH, 0);
    if (!surface_open(command, &operand.destination, ACCESS_WRITE, &to))
        return COMMAND_FAULT;
    if ((operand.flags & ~(SOFTGPU_TRIANGLES_GOURAUD | SOFTGPU_TRIANGLES_BLEND)) ||
        (to.format != SOFTGPU_FORMAT_BGRX8 && to.format != SOFTGPU_FORMAT_BGRA8))
        return command_fault(command, SOFTGPU_FAULT_OPERAND, to.address);
    cut_clip(&operand.clip, &to);

    uint64_t pixels = 0;
    uint32_t drawn = 0;
    while (command->progress < operand.triangle_count && drawn < SLICE_TRIANGLES &&
           pixels < SLICE_PIXELS) {
        struct softgpu_vertex vertices[3];
        struct triangle triangle;
        memcpy(vertices, command->words + fixed_words + command->progress * words_each,
               sizeof(vertices));
        for (unsigned i = 0; i < 3; i++)
            if (!vertex_is_sane(&vertices[i]))
                return command_fault(command, SOFTGPU_FAULT_OPERAND, 0);
        if (make_triangle(&triangle, vertices, &operand.clip,
                          operand.flags & SOFTGPU_TRIANGLES_GOURAUD) &&
            !draw_triangle(command, &to, &triangle, operand.flags & SOFTGPU_TRIANGLES_BLEND,
                           &pixels))
            return COMMAND_FAULT;
        command->progress++;
        drawn++;
    }
    command->cost_ns += pixels / RATE_PIXELS + drawn * 10;
    command->access.gpu->counters.pixels += pixels;
    return command->progress >= operand.triangle_count ? COMMAND_DONE : COMMAND_CONTINUE;
}
