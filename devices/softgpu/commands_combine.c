/* commands_combine.c: COMBINE: pixels of two surfaces made into one, as GDI does it.
 *
 * A row at a time: the source's pixels are picked into scratch memory first, so that a rectangle
 * may overlap the one it is made from, and then worked into the destination's. `progress` counts
 * rows done. */
#include "internal.h"
#include "softgpu_combine.h"

#include <string.h>

#define STRETCH_LIMIT 32767
#define CHANNELS      4u
#define ALPHA_CHANNEL 3u

/* The part of the destination rectangle that is drawn, and what lies behind it. */
struct combine {
    struct softgpu_command_combine operand;
    struct surface to, from;
    uint32_t operation;
    bool has_source, upwards; /* from the last row to the first: within one surface */
    int left, top, right, bottom;
    uint8_t table[SOFTGPU_COMBINE_TABLE_BYTES];
};

static uint8_t *scratch_row(struct command *command, unsigned number)
{
    return command->engine->scratch + (size_t)number * SCRATCH_ROW_BYTES;
}

/* ---- One pixel ---- */

static uint32_t channel(uint32_t pixel, unsigned number)
{
    return pixel >> (number * 8) & 0xFF;
}

static uint32_t divided(uint32_t product)
{
    return (product + 127) / 255;
}

static uint32_t rop(uint32_t code, uint32_t pattern, uint32_t source, uint32_t destination)
{
    uint32_t result = 0;
    for (unsigned minterm = 0; minterm < 8; minterm++) {
        if (code >> minterm & 1)
            result |= (minterm & 4 ? pattern : ~pattern) & (minterm & 2 ? source : ~source) &
                      (minterm & 1 ? destination : ~destination);
    }
    return result;
}

static uint32_t blend(const struct combine *combine, uint32_t source, uint32_t destination)
{
    uint32_t opacity = combine->operand.operand, result = 0;
    bool own = combine->operand.flags & SOFTGPU_COMBINE_SOURCE_ALPHA;
    uint32_t alpha = own ? divided(channel(source, ALPHA_CHANNEL) * opacity) : opacity;
    for (unsigned i = 0; i < CHANNELS; i++) {
        uint32_t sum = divided(channel(source, i) * opacity) +
                       divided(channel(destination, i) * (255 - alpha));
        result |= (sum > 255 ? 255 : sum) << (i * 8);
    }
    return result;
}

/* How much of `to` there is over `from`, rounded. */
static uint32_t mixed(uint32_t from, uint32_t to, uint32_t share)
{
    return divided(from * (255 - share) + to * share);
}

static uint32_t text(const struct combine *combine, uint32_t source, uint32_t destination)
{
    bool gamma = combine->operand.flags & SOFTGPU_COMBINE_GAMMA;
    uint32_t result = destination & 0xFF000000u;
    for (unsigned i = 0; i < ALPHA_CHANNEL; i++) {
        uint32_t old = channel(destination, i), colour = channel(combine->operand.colour, i);
        uint32_t share = gamma ? channel(source, i) : channel(source, colour >= old ? 2 : 1);
        uint32_t made = share == 0     ? old
                        : share == 255 ? channel(combine->operand.colour2, i)
                        : gamma ? combine->table[256 + mixed(combine->table[old], colour, share)]
                                : mixed(old, colour, share);
        result |= made << (i * 8);
    }
    return result;
}

static uint32_t combined(const struct combine *combine, uint32_t source, uint32_t destination)
{
    const struct softgpu_command_combine *operand = &combine->operand;
    switch (combine->operation) {
    case SOFTGPU_COMBINE_BLEND:
        return blend(combine, source, destination);
    case SOFTGPU_COMBINE_KEYED:
        return (source & operand->operand) == operand->colour ? destination : source;
    case SOFTGPU_COMBINE_TEXT:
        return text(combine, source, destination);
    default:
        return rop(operand->operand, operand->colour, source, destination);
    }
}

/* ---- Rows ---- */

/* The source's place for one of the destination's, both counted from their rectangles. */
static uint32_t place_behind(uint32_t place, uint32_t to_size, uint32_t from_size, bool mirrored)
{
    uint32_t found = (uint32_t)((2 * (uint64_t)place + 1) * from_size / (2 * (uint64_t)to_size));
    return mirrored ? from_size - 1 - found : found;
}

static bool pick_row(struct command *command, const struct combine *combine, int y, uint8_t *picked)
{
    const struct softgpu_rect *to = &combine->operand.destination_rect;
    const struct softgpu_rect *from = &combine->operand.source_rect;
    uint32_t flags = combine->operand.flags;
    uint32_t to_width = (uint32_t)(to->right - to->left);
    uint32_t from_width = (uint32_t)(from->right - from->left);
    uint32_t row =
        place_behind((uint32_t)(y - to->top), (uint32_t)(to->bottom - to->top),
                     (uint32_t)(from->bottom - from->top), flags & SOFTGPU_COMBINE_MIRROR_Y);
    const uint8_t *pixels =
        surface_row(command, &combine->from, (uint32_t)from->left, (uint32_t)from->top + row,
                    from_width, scratch_row(command, 0));
    if (!pixels)
        return false;
    for (int x = combine->left; x < combine->right; x++) {
        uint32_t place = place_behind((uint32_t)(x - to->left), to_width, from_width,
                                      flags & SOFTGPU_COMBINE_MIRROR_X);
        memcpy(picked + (size_t)(x - combine->left) * 4, pixels + (size_t)place * 4, 4);
    }
    return true;
}

static bool combine_row(struct command *command, const struct combine *combine, int y)
{
    uint32_t width = (uint32_t)(combine->right - combine->left);
    uint8_t *picked = scratch_row(command, 1);
    if (combine->has_source && !pick_row(command, combine, y, picked))
        return false;
    uint8_t *row = surface_row(command, &combine->to, (uint32_t)combine->left, (uint32_t)y, width,
                               scratch_row(command, 2));
    if (!row)
        return false;
    for (uint32_t x = 0; x < width; x++) {
        uint32_t source = 0, destination;
        if (combine->has_source)
            memcpy(&source, picked + (size_t)x * 4, 4);
        memcpy(&destination, row + (size_t)x * 4, 4);
        destination = combined(combine, source, destination);
        memcpy(row + (size_t)x * 4, &destination, 4);
    }
    return surface_row_put(command, &combine->to, (uint32_t)combine->left, (uint32_t)y, width, row);
}

/* ---- The command ---- */

static bool is_bgr32(const struct surface *surface)
{
    return surface->format == SOFTGPU_FORMAT_BGRX8 || surface->format == SOFTGPU_FORMAT_BGRA8;
}

static bool is_target(const struct softgpu_rect *rect)
{
    return rect->left >= -STRETCH_LIMIT && rect->top >= -STRETCH_LIMIT &&
           rect->right <= STRETCH_LIMIT && rect->bottom <= STRETCH_LIMIT &&
           rect->left < rect->right && rect->top < rect->bottom;
}

static bool are_flags_sound(const struct softgpu_command_combine *operand)
{
    uint32_t operation = operand->flags & SOFTGPU_COMBINE_OPERATIONS;
    uint32_t known =
        SOFTGPU_COMBINE_OPERATIONS | SOFTGPU_COMBINE_MIRROR_X | SOFTGPU_COMBINE_MIRROR_Y;
    known |= operation == SOFTGPU_COMBINE_ROP     ? SOFTGPU_COMBINE_NO_SOURCE
             : operation == SOFTGPU_COMBINE_BLEND ? SOFTGPU_COMBINE_SOURCE_ALPHA
             : operation == SOFTGPU_COMBINE_TEXT  ? SOFTGPU_COMBINE_GAMMA
                                                  : 0;
    return !(operand->flags & ~known) &&
           (operation == SOFTGPU_COMBINE_KEYED || operand->operand <= 255);
}

/* What is left of the destination rectangle. */
static void cut(struct combine *combine)
{
    const struct softgpu_rect *to = &combine->operand.destination_rect;
    const struct softgpu_rect *clip = &combine->operand.clip;
    combine->left = clip->left > to->left ? clip->left : to->left;
    combine->top = clip->top > to->top ? clip->top : to->top;
    combine->right = clip->right < to->right ? clip->right : to->right;
    combine->bottom = clip->bottom < to->bottom ? clip->bottom : to->bottom;
    combine->left = combine->left > 0 ? combine->left : 0;
    combine->top = combine->top > 0 ? combine->top : 0;
    if (combine->right > (int)combine->to.width)
        combine->right = (int)combine->to.width;
    if (combine->bottom > (int)combine->to.height)
        combine->bottom = (int)combine->to.height;
}

static bool open_source(struct command *command, struct combine *combine)
{
    const struct softgpu_command_combine *operand = &combine->operand;
    const struct softgpu_rect *from = &operand->source_rect;
    if (!surface_open(command, &operand->source, ACCESS_READ, &combine->from))
        return false;
    if (!is_bgr32(&combine->from) || !surface_contains(&combine->from, from) ||
        from->left == from->right || from->top == from->bottom) {
        command_fault(command, SOFTGPU_FAULT_OPERAND, combine->from.address);
        return false;
    }
    combine->upwards =
        combine->from.address == combine->to.address && from->top < operand->destination_rect.top;
    return !(operand->flags & SOFTGPU_COMBINE_GAMMA) ||
           address_read(&command->access, address_of(operand->table), combine->table,
                        sizeof(combine->table));
}

static bool open_combine(struct command *command, struct combine *combine)
{
    memcpy(&combine->operand, command->words, sizeof(combine->operand));
    combine->operation = combine->operand.flags & SOFTGPU_COMBINE_OPERATIONS;
    combine->has_source = !(combine->operand.flags & SOFTGPU_COMBINE_NO_SOURCE);
    if (!are_flags_sound(&combine->operand) || !is_target(&combine->operand.destination_rect)) {
        command_fault(command, SOFTGPU_FAULT_OPERAND,
                      address_of(combine->operand.destination.address));
        return false;
    }
    if (!surface_open(command, &combine->operand.destination, ACCESS_WRITE, &combine->to))
        return false;
    if (!is_bgr32(&combine->to)) {
        command_fault(command, SOFTGPU_FAULT_OPERAND, combine->to.address);
        return false;
    }
    cut(combine);
    return !combine->has_source || open_source(command, combine);
}

enum command_result command_combine(struct command *command)
{
    struct combine combine = {0};
    if (!open_combine(command, &combine))
        return COMMAND_FAULT;
    if (combine.left >= combine.right || combine.top >= combine.bottom)
        return COMMAND_DONE;
    uint32_t width = (uint32_t)(combine.right - combine.left);
    uint32_t height = (uint32_t)(combine.bottom - combine.top);
    uint32_t left = command->progress < height ? height - command->progress : 0;
    uint32_t slice = SLICE_PIXELS / width, count = left < slice ? left : slice;
    for (uint32_t i = 0; i < count; i++) {
        int row = (int)(command->progress + i);
        if (!combine_row(command, &combine,
                         combine.upwards ? combine.bottom - 1 - row : combine.top + row))
            return COMMAND_FAULT;
    }
    uint64_t pixels = (uint64_t)width * count;
    command->cost_ns += pixels / RATE_PIXELS_SAMPLED;
    command->access.gpu->counters.pixels += pixels;
    if (count == left)
        return COMMAND_DONE;
    command->progress += count;
    return COMMAND_CONTINUE;
}
