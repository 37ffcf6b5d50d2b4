/* commands_2d.c: rectangles of pixels: FILL_RECT, BLT, OVER, STRETCH, ROTATE, and FLIP.
 *
 * Each call does a slice of whole rows; `progress` counts rows done. If both surfaces are one piece
 * of memory the slice goes to the raster functions at once, else row by row through scratch. */
#include "internal.h"

#include "raster.h"

#include <string.h>

#define ALPHA 0xFF000000u

/* Destination rectangle of a command, and the rows of it that this call does. */
struct rows {
    uint32_t x, y, width, height;
    uint32_t begin, count;
};

/* False: there is nothing left to do. */
static bool next_rows(struct command *command, struct rows *rows)
{
    if (rows->width == 0 || command->progress >= rows->height)
        return false;
    uint32_t slice = SLICE_PIXELS / rows->width, left = rows->height - command->progress;
    rows->begin = command->progress;
    rows->count = left < slice ? left : slice;
    return true;
}

static enum command_result end_rows(struct command *command, const struct rows *rows, uint32_t rate)
{
    uint64_t pixels = (uint64_t)rows->width * rows->count;
    command->cost_ns += pixels / rate;
    command->access.gpu->counters.pixels += pixels;
    if (rows->begin + rows->count >= rows->height)
        return COMMAND_DONE;
    command->progress = rows->begin + rows->count;
    return COMMAND_CONTINUE;
}

static uint32_t or_mask_of(const struct surface *surface)
{
    return surface->format == SOFTGPU_FORMAT_BGRX8 ? ALPHA : 0;
}

static bool is_bgr32(const struct surface *surface)
{
    return surface->format == SOFTGPU_FORMAT_BGRX8 || surface->format == SOFTGPU_FORMAT_BGRA8;
}

static uint8_t *scratch_row(struct command *command, unsigned number)
{
    return command->engine->scratch + (size_t)number * SCRATCH_ROW_BYTES;
}

/* Rows of 0xAARRGGBB, for operations that know no other format. */
static void unpack_row(const struct surface *surface, const uint8_t *row, uint32_t count,
                       uint8_t *argb)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pixel = raster_unpack(surface->format, row + (size_t)i * surface->pixel_size);
        memcpy(argb + (size_t)i * 4, &pixel, sizeof(pixel));
    }
}

static void pack_row(const struct surface *surface, const uint8_t *argb, uint32_t count,
                     uint8_t *row)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pixel;
        memcpy(&pixel, argb + (size_t)i * 4, sizeof(pixel));
        raster_pack(surface->format, row + (size_t)i * surface->pixel_size, pixel);
    }
}

/* ---- FILL_RECT ---- */

enum command_result command_fill_rect(struct command *command)
{
    struct softgpu_command_fill_rect fill;
    struct surface to;
    memcpy(&fill, command->words, sizeof(fill));
    if (!surface_open(command, &fill.destination, ACCESS_WRITE, &to))
        return COMMAND_FAULT;
    if (!surface_contains(&to, &fill.rect))
        return command_fault(command, SOFTGPU_FAULT_OPERAND, to.address);
    struct rows rows = {(uint32_t)fill.rect.left,
                        (uint32_t)fill.rect.top,
                        (uint32_t)(fill.rect.right - fill.rect.left),
                        (uint32_t)(fill.rect.bottom - fill.rect.top),
                        0,
                        0};
    if (!next_rows(command, &rows))
        return COMMAND_DONE;
    uint32_t colour = fill.colour | or_mask_of(&to);
    struct raster_block block = {.to_pitch = to.pitch, .width = rows.width, .height = 1};
    if (to.base) {
        block.to = surface_row(command, &to, rows.x, rows.y + rows.begin, rows.width, NULL);
        block.height = rows.count;
        raster_fill(&block, to.pixel_size, colour);
        return end_rows(command, &rows, RATE_PIXELS * 2);
    }
    block.to = scratch_row(command, 0);
    raster_fill(&block, to.pixel_size, colour);
    for (uint32_t i = 0; i < rows.count; i++)
        if (!surface_row_put(command, &to, rows.x, rows.y + rows.begin + i, rows.width, block.to))
            return COMMAND_FAULT;
    return end_rows(command, &rows, RATE_PIXELS * 2);
}

/* ---- Pixel by pixel from one surface to another: BLT and OVER ---- */

struct transfer {
    struct surface to, from;
    struct rows rows;
    uint32_t from_x, from_y;
    bool overlap, backwards; /* the same memory: through scratch, and from which end */
    void (*operate)(const struct transfer *transfer, const struct raster_block *block);
    uint32_t flags, key, opacity;
};

static bool open_transfer(struct command *command, struct transfer *transfer,
                          const struct softgpu_surface *to, const struct softgpu_surface *from,
                          int x, int y, const struct softgpu_rect *rect)
{
    if (!surface_open(command, to, ACCESS_WRITE, &transfer->to) ||
        !surface_open(command, from, ACCESS_READ, &transfer->from))
        return false;
    int64_t right = (int64_t)x + rect->right - rect->left;
    int64_t bottom = (int64_t)y + rect->bottom - rect->top;
    if (!surface_contains(&transfer->from, rect) || x < 0 || y < 0 || right > transfer->to.width ||
        bottom > transfer->to.height) {
        command_fault(command, SOFTGPU_FAULT_OPERAND, transfer->to.address);
        return false;
    }
    transfer->from_x = (uint32_t)rect->left;
    transfer->from_y = (uint32_t)rect->top;
    transfer->rows = (struct rows){(uint32_t)x,
                                   (uint32_t)y,
                                   (uint32_t)(rect->right - rect->left),
                                   (uint32_t)(rect->bottom - rect->top),
                                   0,
                                   0};
    return true;
}

/* The addresses that the two rectangles span. */
static void find_overlap(struct transfer *transfer)
{
    const struct rows *rows = &transfer->rows;
    uint64_t to = transfer->to.address + (uint64_t)rows->y * transfer->to.pitch +
                  (uint64_t)rows->x * transfer->to.pixel_size;
    uint64_t from = transfer->from.address + (uint64_t)transfer->from_y * transfer->from.pitch +
                    (uint64_t)transfer->from_x * transfer->from.pixel_size;
    uint64_t to_size = (uint64_t)(rows->height - 1) * transfer->to.pitch +
                       (uint64_t)rows->width * transfer->to.pixel_size;
    uint64_t from_size = (uint64_t)(rows->height - 1) * transfer->from.pitch +
                         (uint64_t)rows->width * transfer->from.pixel_size;
    transfer->overlap = to < from + from_size && from < to + to_size;
    transfer->backwards = transfer->overlap && to > from;
}

static bool share_memory(const struct transfer *transfer, const struct surface_piece *to,
                         const struct surface_piece *from)
{
    const uint8_t *to_end = to->bytes + (size_t)to->pixels * transfer->to.pixel_size;
    const uint8_t *from_end = from->bytes + (size_t)from->pixels * transfer->from.pixel_size;
    return to->bytes < from_end && from->bytes < to_end;
}

struct row_pieces {
    struct surface_piece at[SURFACE_PIECES_MAX];
    unsigned count;
};

static bool any_shared(const struct transfer *transfer, const struct row_pieces *to,
                       const struct row_pieces *from)
{
    for (unsigned i = 0; i < to->count; i++)
        for (unsigned k = 0; k < from->count; k++)
            if (share_memory(transfer, &to->at[i], &from->at[k]))
                return true;
    return false;
}

/* As much at a time as lies in one piece on either side. */
static void operate_on_pieces(const struct transfer *transfer, struct row_pieces *to,
                              struct row_pieces *from)
{
    unsigned t = 0, f = 0;
    while (t < to->count && f < from->count) {
        struct surface_piece *target = &to->at[t], *source = &from->at[f];
        uint32_t count = target->pixels < source->pixels ? target->pixels : source->pixels;
        struct raster_block block = {
            target->bytes, transfer->to.pitch, source->bytes, transfer->from.pitch, count, 1};
        transfer->operate(transfer, &block);
        target->bytes += (size_t)count * transfer->to.pixel_size;
        source->bytes += (size_t)count * transfer->from.pixel_size;
        t += (target->pixels -= count) == 0;
        f += (source->pixels -= count) == 0;
    }
}

/* A row where it is, page by page. */
struct row_in_place {
    struct row_pieces to, from;
    bool there; /* no page is missing, and no two addresses are one memory */
};

#define FETCHED_LINES     8u
#define FETCHED_BYTES_MAX 8192u
#define LINE_BYTES        64u

/* While the row before is worked on: all that is read, for its pages are strewn and a processor
 * looks ahead within a page only; of what is written the beginning. Stores that wait for it stop
 * all. */
static void fetch_row(const struct transfer *transfer, const struct row_in_place *row)
{
    uint32_t fetched = 0;
    for (unsigned p = 0; p < row->from.count && fetched < FETCHED_BYTES_MAX; p++) {
        uint32_t bytes = row->from.at[p].pixels * transfer->from.pixel_size;
        for (uint32_t at = 0; at < bytes; at += LINE_BYTES)
            __builtin_prefetch(row->from.at[p].bytes + at, 0, 3);
        fetched += bytes;
    }
    for (unsigned i = 0; i < FETCHED_LINES; i++)
        __builtin_prefetch(row->to.at[0].bytes + i * LINE_BYTES, 1, 3);
}

static uint32_t nth_row(const struct transfer *transfer, uint32_t i)
{
    uint32_t row = transfer->rows.begin + i;
    return transfer->backwards ? transfer->rows.height - 1 - row : row;
}

/* `asking`: who faults is found on the way over scratch memory. */
static void find_row(struct command *asking, struct transfer *transfer, uint32_t i,
                     struct row_in_place *out)
{
    const struct rows *rows = &transfer->rows;
    uint32_t row = nth_row(transfer, i);
    out->there = false;
    if (transfer->overlap || i >= rows->count)
        return;
    out->from.count = surface_row_pieces(asking, &transfer->from, transfer->from_x,
                                         transfer->from_y + row, rows->width, out->from.at);
    if (!out->from.count)
        return;
    out->to.count =
        surface_row_pieces(asking, &transfer->to, rows->x, rows->y + row, rows->width, out->to.at);
    out->there = out->to.count && !any_shared(transfer, &out->to, &out->from);
    if (out->there)
        fetch_row(transfer, out);
}

/* From a row of our own. False: pages of the destination are missing, and nothing is done. */
static bool operate_from_copy(struct command *asking, struct transfer *transfer, uint32_t row,
                              const uint8_t *from)
{
    const struct rows *rows = &transfer->rows;
    struct row_pieces to, copy = {{{(uint8_t *)from, rows->width}}, 1};
    to.count =
        surface_row_pieces(asking, &transfer->to, rows->x, rows->y + row, rows->width, to.at);
    if (to.count)
        operate_on_pieces(transfer, &to, &copy);
    return to.count > 0;
}

static bool transfer_by_row(struct command *command, struct transfer *transfer)
{
    const struct rows *rows = &transfer->rows;
    struct command asking = *command;
    struct row_in_place found[2];
    asking.access.only_asks = true;
    find_row(&asking, transfer, 0, &found[0]);
    for (uint32_t i = 0; i < rows->count; i++) {
        struct row_in_place *here = &found[i % 2];
        find_row(&asking, transfer, i + 1, &found[(i + 1) % 2]);
        if (here->there) {
            operate_on_pieces(transfer, &here->to, &here->from);
            continue;
        }
        uint32_t row = nth_row(transfer, i);
        uint32_t to_y = rows->y + row, from_y = transfer->from_y + row;
        const uint8_t *from = surface_row(command, &transfer->from, transfer->from_x, from_y,
                                          rows->width, scratch_row(command, 0));
        if (from && transfer->overlap && transfer->from.base) /* the row itself may overlap */
            from = memcpy(scratch_row(command, 2), from,
                          (size_t)rows->width * transfer->from.pixel_size);
        if (from && transfer->overlap && operate_from_copy(&asking, transfer, row, from))
            continue;
        uint8_t *to = from ? surface_row(command, &transfer->to, rows->x, to_y, rows->width,
                                         scratch_row(command, 1))
                           : NULL;
        if (!to)
            return false;
        struct raster_block block = {
            to, transfer->to.pitch, from, transfer->from.pitch, rows->width, 1};
        transfer->operate(transfer, &block);
        if (!surface_row_put(command, &transfer->to, rows->x, to_y, rows->width, to))
            return false;
    }
    return true;
}

static enum command_result do_transfer(struct command *command, struct transfer *transfer)
{
    struct rows *rows = &transfer->rows;
    if (!next_rows(command, rows))
        return COMMAND_DONE;
    find_overlap(transfer);
    if (transfer->to.base && transfer->from.base && !transfer->overlap) {
        struct raster_block block = {
            surface_row(command, &transfer->to, rows->x, rows->y + rows->begin, 0, NULL),
            transfer->to.pitch,
            surface_row(command, &transfer->from, transfer->from_x, transfer->from_y + rows->begin,
                        0, NULL),
            transfer->from.pitch,
            rows->width,
            rows->count,
        };
        /* Two GPU addresses may still be one piece of system memory. */
        const uint8_t *to_end = block.to + rows->count * block.to_pitch;
        const uint8_t *from_end = block.from + rows->count * block.from_pitch;
        if (block.to >= from_end || block.from >= to_end) {
            transfer->operate(transfer, &block);
            return end_rows(command, rows, RATE_PIXELS);
        }
        transfer->overlap = true;
    }
    if (!transfer_by_row(command, transfer))
        return COMMAND_FAULT;
    return end_rows(command, rows, RATE_PIXELS);
}

static uint32_t load_pixel(const struct surface *surface, const uint8_t *place)
{
    uint32_t value = 0;
    memcpy(&value, place, surface->pixel_size);
    return surface->pixel_size == 4 ? value & ~ALPHA : value;
}

/* Any formats, any key. */
static void blt_general(const struct transfer *transfer, const struct raster_block *block)
{
    const struct surface *to_surface = &transfer->to, *from_surface = &transfer->from;
    bool curve = transfer->flags & SOFTGPU_BLT_LINEAR_TO_SRGB;
    bool same = to_surface->format == from_surface->format && !curve;
    for (uint32_t y = 0; y < block->height; y++) {
        uint8_t *to = block->to + y * block->to_pitch;
        const uint8_t *from = block->from + y * block->from_pitch;
        for (uint32_t x = 0; x < block->width; x++) {
            bool wanted = true;
            if (transfer->flags & SOFTGPU_BLT_SOURCE_KEY)
                wanted = load_pixel(from_surface, from) != transfer->key;
            if (transfer->flags & SOFTGPU_BLT_DESTINATION_KEY)
                wanted = wanted && load_pixel(to_surface, to) == transfer->key;
            if (wanted && same)
                memcpy(to, from, to_surface->pixel_size);
            else if (wanted) {
                uint32_t argb = raster_unpack(from_surface->format, from);
                raster_pack(to_surface->format, to, curve ? raster_to_srgb(argb) : argb);
            }
            to += to_surface->pixel_size;
            from += from_surface->pixel_size;
        }
    }
}

static void blt_copy(const struct transfer *transfer, const struct raster_block *block)
{
    raster_copy(block, transfer->to.pixel_size);
}

static uint32_t blt_or_mask(const struct transfer *transfer)
{
    return transfer->to.format == transfer->from.format ? 0 : ALPHA;
}

static void blt_or(const struct transfer *transfer, const struct raster_block *block)
{
    raster_copy_or(block, blt_or_mask(transfer));
}

static void blt_keyed(const struct transfer *transfer, const struct raster_block *block)
{
    raster_copy_keyed(block, transfer->key, ~ALPHA, blt_or_mask(transfer));
}

enum command_result command_blt(struct command *command)
{
    struct softgpu_command_blt blt;
    struct transfer transfer;
    memcpy(&blt, command->words, sizeof(blt));
    if (blt.flags &
        ~(SOFTGPU_BLT_SOURCE_KEY | SOFTGPU_BLT_DESTINATION_KEY | SOFTGPU_BLT_LINEAR_TO_SRGB))
        return command_fault(command, SOFTGPU_FAULT_OPERAND, 0);
    if (!open_transfer(command, &transfer, &blt.destination, &blt.source, blt.x, blt.y,
                       &blt.source_rect))
        return COMMAND_FAULT;
    bool converts = transfer.to.format != transfer.from.format;
    if ((converts || (blt.flags & SOFTGPU_BLT_LINEAR_TO_SRGB)) &&
        (!surface_has_colours(transfer.to.format) || !surface_has_colours(transfer.from.format)))
        return command_fault(command, SOFTGPU_FAULT_OPERAND, transfer.to.address);
    bool both_bgr = is_bgr32(&transfer.to) && is_bgr32(&transfer.from);
    transfer.flags = blt.flags;
    transfer.key = both_bgr ? blt.key & ~ALPHA : blt.key;
    if (!blt.flags && transfer.to.format == transfer.from.format)
        transfer.operate = blt_copy;
    else if (!blt.flags && both_bgr)
        transfer.operate = blt_or;
    else if (blt.flags == SOFTGPU_BLT_SOURCE_KEY && both_bgr)
        transfer.operate = blt_keyed;
    else
        transfer.operate = blt_general;
    return do_transfer(command, &transfer);
}

static void over(const struct transfer *transfer, const struct raster_block *block)
{
    raster_over(block, transfer->opacity, or_mask_of(&transfer->to));
}

enum command_result command_over(struct command *command)
{
    struct softgpu_command_over operand;
    struct transfer transfer;
    memcpy(&operand, command->words, sizeof(operand));
    if (!open_transfer(command, &transfer, &operand.destination, &operand.source, operand.x,
                       operand.y, &operand.source_rect))
        return COMMAND_FAULT;
    if (operand.opacity > 255 || transfer.from.format != SOFTGPU_FORMAT_BGRA8 ||
        !is_bgr32(&transfer.to))
        return command_fault(command, SOFTGPU_FAULT_OPERAND, transfer.to.address);
    transfer.opacity = operand.opacity;
    transfer.operate = over;
    return do_transfer(command, &transfer);
}

/* ---- STRETCH ---- */

#define STRETCH_LIMIT 32767

struct stretch {
    struct surface to, from;
    struct rows rows; /* the part of the destination rectangle that clip leaves */
    struct raster_stretch raster;
    uint32_t from_x, from_y;
    bool converts; /* by way of 0xAARRGGBB */
};

static bool rect_is_sane(const struct softgpu_rect *rect)
{
    return rect->left >= -STRETCH_LIMIT && rect->top >= -STRETCH_LIMIT &&
           rect->right <= STRETCH_LIMIT && rect->bottom <= STRETCH_LIMIT &&
           rect->left < rect->right && rect->top < rect->bottom;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Channels are blended one by one: their order does not matter where it is one. */
static bool is_one_order(const struct surface *to, const struct surface *from)
{
    if (is_bgr32(to) && is_bgr32(from))
        return true;
    return to->format == SOFTGPU_FORMAT_RGBA8 && from->format == SOFTGPU_FORMAT_RGBA8;
}

static bool open_stretch(struct command *command, const struct softgpu_command_stretch *operand,
                         struct stretch *stretch)
{
    const struct softgpu_rect *target = &operand->destination_rect, *source = &operand->source_rect;
    if (!surface_open(command, &operand->destination, ACCESS_WRITE, &stretch->to) ||
        !surface_open(command, &operand->source, ACCESS_READ, &stretch->from))
        return false;
    if ((operand->flags & ~SOFTGPU_STRETCH_BILINEAR) || !rect_is_sane(target) ||
        !surface_has_colours(stretch->to.format) || !surface_has_colours(stretch->from.format) ||
        !surface_contains(&stretch->from, source) || source->left == source->right ||
        source->top == source->bottom) {
        command_fault(command, SOFTGPU_FAULT_OPERAND, stretch->to.address);
        return false;
    }
    int left = larger(larger(operand->clip.left, target->left), 0);
    int top = larger(larger(operand->clip.top, target->top), 0);
    int right = smaller(smaller(operand->clip.right, target->right), (int)stretch->to.width);
    int bottom = smaller(smaller(operand->clip.bottom, target->bottom), (int)stretch->to.height);
    bool empty = left >= right || top >= bottom;
    stretch->rows = (struct rows){(uint32_t)left,
                                  (uint32_t)top,
                                  empty ? 0 : (uint32_t)(right - left),
                                  empty ? 0 : (uint32_t)(bottom - top),
                                  0,
                                  0};
    bool opaque =
        stretch->to.format == SOFTGPU_FORMAT_BGRX8 || stretch->from.format == SOFTGPU_FORMAT_BGRX8;
    stretch->converts = !is_one_order(&stretch->to, &stretch->from);
    stretch->from_x = (uint32_t)source->left;
    stretch->from_y = (uint32_t)source->top;
    stretch->raster = (struct raster_stretch){
        .to_pitch = stretch->to.pitch,
        .from_pitch = stretch->from.pitch,
        .from_width = (uint32_t)(source->right - source->left),
        .from_height = (uint32_t)(source->bottom - source->top),
        .to_width = (uint32_t)(target->right - target->left),
        .to_height = (uint32_t)(target->bottom - target->top),
        .clip_left = empty ? 0 : (uint32_t)(left - target->left),
        .clip_top = empty ? 0 : (uint32_t)(top - target->top),
        .clip_width = stretch->rows.width,
        .or_mask = opaque ? ALPHA : 0,
        .bilinear = operand->flags & SOFTGPU_STRETCH_BILINEAR,
    };
    return true;
}

struct stretched_rows {
    const uint8_t *upper, *lower;
    uint32_t weight; /* of the second */
};

static void stretch_converted(struct command *command, const struct stretch *stretch,
                              const struct stretched_rows *rows, uint8_t *to)
{
    const struct raster_stretch *raster = &stretch->raster;
    uint8_t *upper = scratch_row(command, 4), *lower = scratch_row(command, 5);
    uint8_t *made = scratch_row(command, 6);
    unpack_row(&stretch->from, rows->upper, raster->from_width, upper);
    unpack_row(&stretch->from, rows->lower, raster->from_width, lower);
    raster_stretch_row(raster, upper, lower, rows->weight, made);
    pack_row(&stretch->to, made, raster->clip_width, to);
}

/* Rows of the source in scratch memory: most are wanted for several rows of the destination. */
struct gathered {
    const uint8_t *rows[2]; /* NULL: none */
    uint32_t numbers[2];
};

/* `other` is the second one that is wanted now. */
static const uint8_t *gather_row(struct command *command, const struct stretch *stretch,
                                 struct gathered *gathered, uint32_t number, uint32_t other)
{
    unsigned place = gathered->rows[0] && gathered->numbers[0] == other;
    for (unsigned i = 0; i < 2; i++)
        if (gathered->rows[i] && gathered->numbers[i] == number)
            return gathered->rows[i];
    gathered->numbers[place] = number;
    gathered->rows[place] =
        surface_row(command, &stretch->from, stretch->from_x, stretch->from_y + number,
                    stretch->raster.from_width, scratch_row(command, place));
    return gathered->rows[place];
}

/* May the two surfaces have memory in common? Outside of video memory addresses do not tell. */
static bool surfaces_meet(const struct surface *a, const struct surface *b)
{
    return (!a->base && !b->base) || (a->address < b->address + surface_extent(b) &&
                                      b->address < a->address + surface_extent(a));
}

static bool stretch_by_row(struct command *command, const struct stretch *stretch)
{
    const struct raster_stretch *raster = &stretch->raster;
    const struct rows *rows = &stretch->rows;
    bool meet = surfaces_meet(&stretch->to, &stretch->from);
    struct gathered gathered = {0};
    for (uint32_t i = 0; i < rows->count; i++) {
        uint32_t row = rows->begin + i, first, second, weight;
        raster_stretch_rows(raster, raster->clip_top + row, &first, &second, &weight);
        if (meet) /* what was written since may be it */
            gathered = (struct gathered){0};
        const uint8_t *upper = gather_row(command, stretch, &gathered, first, second);
        const uint8_t *lower = gather_row(command, stretch, &gathered, second, first);
        uint8_t *to = stretch->to.base
                          ? surface_row(command, &stretch->to, rows->x, rows->y + row, 0, NULL)
                          : scratch_row(command, 2);
        if (!upper || !lower)
            return false;
        if (stretch->converts)
            stretch_converted(command, stretch, &(struct stretched_rows){upper, lower, weight}, to);
        else
            raster_stretch_row(raster, upper, lower, weight, to);
        if (!surface_row_put(command, &stretch->to, rows->x, rows->y + row, rows->width, to))
            return false;
    }
    return true;
}

enum command_result command_stretch(struct command *command)
{
    struct softgpu_command_stretch operand;
    struct stretch stretch;
    memcpy(&operand, command->words, sizeof(operand));
    if (!open_stretch(command, &operand, &stretch))
        return COMMAND_FAULT;
    struct rows *rows = &stretch.rows;
    if (!next_rows(command, rows))
        return COMMAND_DONE;
    if (stretch.to.base && stretch.from.base && !stretch.converts) {
        struct raster_stretch part = stretch.raster;
        part.to = surface_row(command, &stretch.to, rows->x, rows->y + rows->begin, 0, NULL);
        part.from = surface_row(command, &stretch.from, stretch.from_x, stretch.from_y, 0, NULL);
        part.clip_top += rows->begin;
        part.clip_height = rows->count;
        raster_stretch(&part);
    } else if (!stretch_by_row(command, &stretch)) {
        return COMMAND_FAULT;
    }
    return end_rows(command, rows, RATE_PIXELS_SAMPLED);
}

/* ---- ROTATE ---- */

/* The part of the source that rows [begin, +count) of the destination come from, relative to the
 * source rectangle. */
static struct softgpu_rect rotated_part(const struct rows *rows, unsigned turns)
{
    int begin = (int)rows->begin, end = begin + (int)rows->count;
    int width = (int)rows->width, height = (int)rows->height;
    switch (turns) {
    case 1:
        return (struct softgpu_rect){begin, 0, end, width};
    case 2:
        return (struct softgpu_rect){0, height - end, width, height - begin};
    case 3:
        return (struct softgpu_rect){height - end, 0, height - begin, width};
    default:
        return (struct softgpu_rect){0, begin, width, end};
    }
}

/* Are the pixels turned as they are? */
static bool keeps_format(const struct transfer *transfer)
{
    return transfer->to.format == transfer->from.format && transfer->to.pixel_size == 4;
}

/* Gathers a part of the source that is not in one piece, or of another format; at most a slice of
 * pixels. */
static bool gather(struct command *command, const struct transfer *transfer,
                   const struct softgpu_rect *part, uint8_t *to)
{
    uint32_t width = (uint32_t)(part->right - part->left);
    uint32_t x = transfer->from_x + (uint32_t)part->left;
    for (int row = part->top; row < part->bottom; row++) {
        bool keeps = keeps_format(transfer);
        const uint8_t *from =
            surface_row(command, &transfer->from, x, transfer->from_y + (uint32_t)row, width,
                        keeps ? to : scratch_row(command, 0));
        if (!from)
            return false;
        if (!keeps)
            unpack_row(&transfer->from, from, width, to);
        to += (size_t)width * 4;
    }
    return true;
}

/* Puts what was made where the destination is not in one piece, or of another format. */
static bool spread(struct command *command, const struct transfer *transfer, const uint8_t *made)
{
    const struct rows *rows = &transfer->rows;
    for (uint32_t i = 0; i < rows->count; i++) {
        uint32_t y = rows->y + rows->begin + i;
        const uint8_t *row = made + (size_t)i * rows->width * 4;
        if (!keeps_format(transfer)) {
            uint8_t *to = transfer->to.base
                              ? surface_row(command, &transfer->to, rows->x, y, 0, NULL)
                              : scratch_row(command, 1);
            pack_row(&transfer->to, row, rows->width, to);
            row = to;
        }
        if (!surface_row_put(command, &transfer->to, rows->x, y, rows->width, row))
            return false;
    }
    return true;
}

static bool rotate_rows(struct command *command, const struct transfer *transfer, unsigned turns)
{
    const struct rows *rows = &transfer->rows;
    struct softgpu_rect part = rotated_part(rows, turns);
    uint8_t *gathered = scratch_row(command, 4), *made = gathered + (size_t)SLICE_PIXELS * 4;
    struct raster_block block = {.width = rows->width, .height = rows->count};
    if (transfer->from.base && keeps_format(transfer)) {
        block.from = surface_row(command, &transfer->from, transfer->from_x + (uint32_t)part.left,
                                 transfer->from_y + (uint32_t)part.top, 0, NULL);
        block.from_pitch = transfer->from.pitch;
    } else {
        if (!gather(command, transfer, &part, gathered))
            return false;
        block.from = gathered;
        block.from_pitch = (size_t)(part.right - part.left) * 4;
    }
    if (transfer->to.base && keeps_format(transfer)) {
        block.to = surface_row(command, &transfer->to, rows->x, rows->y + rows->begin, 0, NULL);
        block.to_pitch = transfer->to.pitch;
        raster_rotate(&block, turns);
        return true;
    }
    block.to = made;
    block.to_pitch = (size_t)rows->width * 4;
    raster_rotate(&block, turns);
    return spread(command, transfer, made);
}

enum command_result command_rotate(struct command *command)
{
    struct softgpu_command_rotate operand;
    struct transfer transfer;
    memcpy(&operand, command->words, sizeof(operand));
    unsigned turns = operand.quarter_turns;
    const struct softgpu_rect *rect = &operand.source_rect;
    if (!surface_open(command, &operand.destination, ACCESS_WRITE, &transfer.to) ||
        !surface_open(command, &operand.source, ACCESS_READ, &transfer.from))
        return COMMAND_FAULT;
    if (turns > 3 || !surface_contains(&transfer.from, rect) || operand.x < 0 || operand.y < 0)
        return command_fault(command, SOFTGPU_FAULT_OPERAND, transfer.to.address);
    uint32_t width = (uint32_t)(rect->right - rect->left);
    uint32_t height = (uint32_t)(rect->bottom - rect->top);
    if (turns % 2) {
        uint32_t exchanged = width;
        width = height;
        height = exchanged;
    }
    transfer.rows = (struct rows){(uint32_t)operand.x, (uint32_t)operand.y, width, height, 0, 0};
    transfer.from_x = (uint32_t)rect->left;
    transfer.from_y = (uint32_t)rect->top;
    if ((uint64_t)transfer.rows.x + width > transfer.to.width ||
        (uint64_t)transfer.rows.y + height > transfer.to.height)
        return command_fault(command, SOFTGPU_FAULT_OPERAND, transfer.to.address);
    if (!next_rows(command, &transfer.rows))
        return COMMAND_DONE;
    if (!rotate_rows(command, &transfer, turns))
        return COMMAND_FAULT;
    return end_rows(command, &transfer.rows, RATE_PIXELS_SAMPLED);
}

/* ---- FLIP ---- */

/* With SOFTGPU_FLIP_WAIT, progress 1 says that the flip is asked for. */
enum command_result command_flip(struct command *command)
{
    struct softgpu *gpu = command->access.gpu;
    struct softgpu_command_flip flip;
    memcpy(&flip, command->words, sizeof(flip));
    uint32_t when = flip.flags & ~SOFTGPU_FLIP_WAIT;
    if (flip.output >= gpu->output_count ||
        (when != SOFTGPU_FLIP_VSYNC && when != SOFTGPU_FLIP_IMMEDIATE) ||
        !surface_pixel_size(flip.format))
        return command_fault(command, SOFTGPU_FAULT_OPERAND, address_of(flip.address));
    struct output *output = &gpu->outputs[flip.output];
    if (command->progress == 0) {
        const struct plane plane = {.address = address_of(flip.address),
                                    .right = address_of(flip.address),
                                    .pitch = flip.pitch_bytes,
                                    .format = flip.format,
                                    .tag = flip.tag};
        display_flip(output, &plane, when);
        command->progress = 1;
    }
    if (!(flip.flags & SOFTGPU_FLIP_WAIT) || !output->flip_pending)
        return COMMAND_DONE;
    command->engine->wait_output = (int)flip.output;
    return COMMAND_WAIT_FLIP;
}
