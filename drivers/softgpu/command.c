/* command.c: checks of one command of a client's command buffer.
 *
 * What passes here goes to the device, and the device must never fault on it: a fault stops the
 * engine for everybody. So everything that the device checks is checked here first, and what it
 * cannot check as well: that an address lies in an allocation which the client may use. */
#include "softgpu.h"

#define ON_3D      (1u << SOFTGPU_ENGINE_3D)
#define ON_COPY    (1u << SOFTGPU_ENGINE_COPY)
#define ON_COMPUTE (1u << SOFTGPU_ENGINE_COMPUTE)
#define ON_ALL     (ON_3D | ON_COPY | ON_COMPUTE)

#define VERTEX_LIMIT  (16384 * 16)
#define STRETCH_LIMIT 32767

struct check {
    const UCHAR *command;
    ULONG word_count;
    const DXGK_ALLOCATIONLIST *allocations;
    ULONG allocation_count;
    struct softgpu_reference *references;
    ULONG reference_count;
};

/* ---- References ------------------------------------------------------------------------------ */

/* Notes an address of the command, [address, +bytes), that is read or written. */
static NTSTATUS refer(struct check *check, const struct softgpu_address *address, ULONGLONG bytes,
                      ULONG alignment, BOOLEAN write, enum softgpu_slot slot)
{
    struct softgpu_reference *reference = &check->references[check->reference_count];
    const struct softgpu_open_allocation *open;
    ULONG index = address->high, offset = address->low;

    if (index >= check->allocation_count) {
        return STATUS_INVALID_HANDLE;
    }
    open = check->allocations[index].hDeviceSpecificAllocation;
    if (open == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    if (offset % alignment != 0 || offset > open->allocation->info.size_bytes ||
        bytes > open->allocation->info.size_bytes - offset) {
        return STATUS_INVALID_PARAMETER;
    }
    /* VidMm orders work by who writes what: a write that was not announced is refused. */
    if (write && !check->allocations[index].WriteOperation) {
        return STATUS_INVALID_PARAMETER;
    }
    reference->offset = (ULONG)((const UCHAR *)address - check->command);
    reference->allocation_index = index;
    reference->allocation_offset = offset;
    reference->slot = slot;
    reference->is_surface = FALSE;
    check->reference_count++;
    return STATUS_SUCCESS;
}

static NTSTATUS refer_rows(struct check *check, const struct softgpu_surface *surface,
                           BOOLEAN write, enum softgpu_slot slot)
{
    ULONG pixel = softgpu_format_bytes(surface->format);

    if (pixel == 0 || surface->width == 0 || surface->width > SOFTGPU_SURFACE_SIZE_MAX ||
        surface->height == 0 || surface->height > SOFTGPU_SURFACE_SIZE_MAX ||
        surface->pitch_bytes % pixel != 0 || surface->pitch_bytes < surface->width * pixel) {
        return STATUS_INVALID_PARAMETER;
    }
    return refer(check, &surface->address,
                 (ULONGLONG)(surface->height - 1) * surface->pitch_bytes +
                     (ULONGLONG)surface->width * pixel,
                 pixel, write, slot);
}

/* A part of a swizzled allocation is no surface: its rows stand nowhere in a row. */
static NTSTATUS refer_surface(struct check *check, const struct softgpu_surface *surface,
                              BOOLEAN write, enum softgpu_slot slot)
{
    struct softgpu_reference *reference = &check->references[check->reference_count];
    NTSTATUS status = refer_rows(check, surface, write, slot);
    const struct softgpu_open_allocation *open;

    if (NT_SUCCESS(status)) {
        open = check->allocations[surface->address.high].hDeviceSpecificAllocation;
        reference->is_surface = TRUE;
        if (open->allocation->bank_pages != 0 && surface->address.low != 0) {
            status = STATUS_INVALID_PARAMETER;
        }
    }
    return status;
}

static NTSTATUS refer_surfaces(struct check *check, const struct softgpu_surface *destination,
                               const struct softgpu_surface *source)
{
    NTSTATUS status = refer_surface(check, destination, TRUE, SOFTGPU_SLOT_DESTINATION);

    return NT_SUCCESS(status) ? refer_surface(check, source, FALSE, SOFTGPU_SLOT_SOURCE) : status;
}

static BOOLEAN contains(const struct softgpu_surface *surface, const struct softgpu_rect *rect)
{
    return rect->left >= 0 && rect->top >= 0 && rect->left <= rect->right &&
           rect->top <= rect->bottom && (ULONG)rect->right <= surface->width &&
           (ULONG)rect->bottom <= surface->height;
}

/* A rectangle of the size of `rect` with its corner at (x, y). */
static BOOLEAN contains_at(const struct softgpu_surface *surface, int x, int y, LONGLONG width,
                           LONGLONG height)
{
    return x >= 0 && y >= 0 && x + width <= (LONGLONG)surface->width &&
           y + height <= (LONGLONG)surface->height;
}

static BOOLEAN is_bgr32(const struct softgpu_surface *surface)
{
    return surface->format == SOFTGPU_FORMAT_BGRX8 || surface->format == SOFTGPU_FORMAT_BGRA8;
}

static ULONGLONG size_of(ULONG low, ULONG high)
{
    return low | (ULONGLONG)high << 32;
}

/* ---- The commands ---------------------------------------------------------------------------- */

static NTSTATUS check_nothing(struct check *check)
{
    UNREFERENCED_PARAMETER(check);
    return STATUS_SUCCESS;
}

static NTSTATUS check_write(struct check *check)
{
    const struct softgpu_command_write *write = (const void *)check->command;
    ULONG size = write->flags & SOFTGPU_WRITE_64 ? 8 : 4;

    if (write->flags & ~SOFTGPU_WRITE_64) {
        return STATUS_INVALID_PARAMETER;
    }
    return refer(check, &write->address, size, size, TRUE, SOFTGPU_SLOT_DESTINATION);
}

static NTSTATUS check_wait(struct check *check)
{
    const struct softgpu_command_wait *wait = (const void *)check->command;
    ULONG size = wait->condition & SOFTGPU_WAIT_64 ? 8 : 4;

    if ((wait->condition & ~SOFTGPU_WAIT_64) > SOFTGPU_WAIT_NOT_EQUAL) {
        return STATUS_INVALID_PARAMETER;
    }
    return refer(check, &wait->address, size, size, FALSE, SOFTGPU_SLOT_SOURCE);
}

static NTSTATUS check_timestamp(struct check *check)
{
    const struct softgpu_command_address *stamp = (const void *)check->command;

    return refer(check, &stamp->address, 8, 8, TRUE, SOFTGPU_SLOT_DESTINATION);
}

static NTSTATUS check_fill(struct check *check)
{
    const struct softgpu_command_fill *fill = (const void *)check->command;

    return refer(check, &fill->address, size_of(fill->size_low, fill->size_high), 1, TRUE,
                 SOFTGPU_SLOT_DESTINATION);
}

static NTSTATUS check_copy(struct check *check)
{
    const struct softgpu_command_copy *copy = (const void *)check->command;
    ULONGLONG bytes = size_of(copy->size_low, copy->size_high);
    NTSTATUS status;

    if (copy->flags != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    status = refer(check, &copy->destination, bytes, 1, TRUE, SOFTGPU_SLOT_DESTINATION);
    return NT_SUCCESS(status) ? refer(check, &copy->source, bytes, 1, FALSE, SOFTGPU_SLOT_SOURCE)
                              : status;
}

static NTSTATUS check_fill_rect(struct check *check)
{
    const struct softgpu_command_fill_rect *fill = (const void *)check->command;

    if (!contains(&fill->destination, &fill->rect)) {
        return STATUS_INVALID_PARAMETER;
    }
    return refer_surface(check, &fill->destination, TRUE, SOFTGPU_SLOT_DESTINATION);
}

static NTSTATUS check_blt(struct check *check)
{
    const struct softgpu_command_blt *blt = (const void *)check->command;
    const struct softgpu_rect *rect = &blt->source_rect;

    BOOLEAN indices =
        blt->source.format == SOFTGPU_FORMAT_P8 || blt->destination.format == SOFTGPU_FORMAT_P8;

    if ((blt->flags & ~(SOFTGPU_BLT_SOURCE_KEY | SOFTGPU_BLT_DESTINATION_KEY)) ||
        (indices && blt->source.format != blt->destination.format) ||
        !contains(&blt->source, rect) ||
        !contains_at(&blt->destination, blt->x, blt->y, rect->right - rect->left,
                     rect->bottom - rect->top)) {
        return STATUS_INVALID_PARAMETER;
    }
    return refer_surfaces(check, &blt->destination, &blt->source);
}

static NTSTATUS check_stretch(struct check *check)
{
    const struct softgpu_command_stretch *stretch = (const void *)check->command;
    const struct softgpu_rect *target = &stretch->destination_rect;
    const struct softgpu_rect *source = &stretch->source_rect;
    BOOLEAN both_bgr = is_bgr32(&stretch->destination) && is_bgr32(&stretch->source);
    BOOLEAN both_rgb = stretch->destination.format == SOFTGPU_FORMAT_RGBA8 &&
                       stretch->source.format == SOFTGPU_FORMAT_RGBA8;

    if ((stretch->flags & ~SOFTGPU_STRETCH_BILINEAR) || target->left < -STRETCH_LIMIT ||
        target->top < -STRETCH_LIMIT || target->right > STRETCH_LIMIT ||
        target->bottom > STRETCH_LIMIT || target->left >= target->right ||
        target->top >= target->bottom || !contains(&stretch->source, source) ||
        source->left == source->right || source->top == source->bottom ||
        (!both_bgr && !both_rgb)) {
        return STATUS_INVALID_PARAMETER;
    }
    return refer_surfaces(check, &stretch->destination, &stretch->source);
}

static NTSTATUS check_rotate(struct check *check)
{
    const struct softgpu_command_rotate *rotate = (const void *)check->command;
    const struct softgpu_rect *rect = &rotate->source_rect;
    BOOLEAN sideways = rotate->quarter_turns % 2 != 0;
    LONGLONG width = (LONGLONG)rect->right - rect->left;
    LONGLONG height = (LONGLONG)rect->bottom - rect->top;

    if (rotate->quarter_turns > 3 || softgpu_format_bytes(rotate->source.format) != 4 ||
        rotate->source.format != rotate->destination.format || !contains(&rotate->source, rect) ||
        !contains_at(&rotate->destination, rotate->x, rotate->y, sideways ? height : width,
                     sideways ? width : height)) {
        return STATUS_INVALID_PARAMETER;
    }
    return refer_surfaces(check, &rotate->destination, &rotate->source);
}

static NTSTATUS check_over(struct check *check)
{
    const struct softgpu_command_over *over = (const void *)check->command;
    const struct softgpu_rect *rect = &over->source_rect;

    if (over->opacity > 255 || over->source.format != SOFTGPU_FORMAT_BGRA8 ||
        !is_bgr32(&over->destination) || !contains(&over->source, rect) ||
        !contains_at(&over->destination, over->x, over->y, rect->right - rect->left,
                     rect->bottom - rect->top)) {
        return STATUS_INVALID_PARAMETER;
    }
    return refer_surfaces(check, &over->destination, &over->source);
}

static NTSTATUS check_triangles(struct check *check)
{
    const struct softgpu_command_triangles *triangles = (const void *)check->command;
    const struct softgpu_vertex *vertices = (const void *)(triangles + 1);
    ULONG fixed_words = SOFTGPU_COMMAND_WORDS_OF(*triangles);
    ULONGLONG vertex_count = (ULONGLONG)triangles->triangle_count * 3, i;

    if (fixed_words + vertex_count * SOFTGPU_COMMAND_WORDS_OF(*vertices) != check->word_count ||
        (triangles->flags & ~(SOFTGPU_TRIANGLES_GOURAUD | SOFTGPU_TRIANGLES_BLEND)) ||
        !is_bgr32(&triangles->destination)) {
        return STATUS_INVALID_PARAMETER;
    }
    for (i = 0; i < vertex_count; i++) {
        if (vertices[i].x < -VERTEX_LIMIT || vertices[i].x > VERTEX_LIMIT ||
            vertices[i].y < -VERTEX_LIMIT || vertices[i].y > VERTEX_LIMIT) {
            return STATUS_INVALID_PARAMETER;
        }
    }
    return refer_surface(check, &triangles->destination, TRUE, SOFTGPU_SLOT_DESTINATION);
}

static BOOLEAN is_zero(const struct softgpu_address *address)
{
    return address->low == 0 && address->high == 0;
}

static NTSTATUS check_compute(struct check *check)
{
    const struct softgpu_command_compute *compute = (const void *)check->command;
    ULONGLONG bytes = (ULONGLONG)compute->count * 4;
    BOOLEAN reduces, has_a, has_b;
    NTSTATUS status;

    if (compute->kernel >= SOFTGPU_KERNEL_COUNT) {
        return STATUS_INVALID_PARAMETER;
    }
    reduces = compute->kernel == SOFTGPU_KERNEL_SUM || compute->kernel == SOFTGPU_KERNEL_HASH;
    has_a = compute->kernel != SOFTGPU_KERNEL_IOTA;
    has_b = compute->kernel == SOFTGPU_KERNEL_ADD || compute->kernel == SOFTGPU_KERNEL_MAD;

    /* A source that the kernel does not have must not be named. */
    if ((!has_a && !is_zero(&compute->source_a)) || (!has_b && !is_zero(&compute->source_b))) {
        return STATUS_INVALID_PARAMETER;
    }
    status = refer(check, &compute->result, reduces ? 4 : bytes, 4, TRUE, SOFTGPU_SLOT_DESTINATION);
    if (NT_SUCCESS(status) && has_a) {
        status = refer(check, &compute->source_a, bytes, 4, FALSE, SOFTGPU_SLOT_SOURCE);
    }
    if (NT_SUCCESS(status) && has_b) {
        status = refer(check, &compute->source_b, bytes, 4, FALSE, SOFTGPU_SLOT_SOURCE_B);
    }
    return status;
}

/* ---- The table ------------------------------------------------------------------------------- */

struct operation {
    NTSTATUS (*check)(struct check *check); /* NULL: no such command */
    ULONG engines;
    ULONG words;
    BOOLEAN more_words;
};

#define WORDS(type) SOFTGPU_COMMAND_WORDS_OF(struct softgpu_command_##type)

static const struct operation operations[] = {
    [SOFTGPU_OP_NOP] = {check_nothing, ON_ALL, 1, TRUE},
    [SOFTGPU_OP_WRITE] = {check_write, ON_ALL, WORDS(write), FALSE},
    [SOFTGPU_OP_WAIT] = {check_wait, ON_ALL, WORDS(wait), FALSE},
    [SOFTGPU_OP_TIMESTAMP] = {check_timestamp, ON_ALL, WORDS(address), FALSE},
    [SOFTGPU_OP_DELAY] = {check_nothing, ON_ALL, WORDS(delay), FALSE},
    [SOFTGPU_OP_HANG] = {check_nothing, ON_ALL, 1, FALSE}, /* a shader may loop for ever, too */
    [SOFTGPU_OP_FILL] = {check_fill, ON_ALL, WORDS(fill), FALSE},
    [SOFTGPU_OP_COPY] = {check_copy, ON_ALL, WORDS(copy), FALSE},
    [SOFTGPU_OP_FILL_RECT] = {check_fill_rect, ON_3D, WORDS(fill_rect), FALSE},
    [SOFTGPU_OP_BLT] = {check_blt, ON_3D, WORDS(blt), FALSE},
    [SOFTGPU_OP_STRETCH] = {check_stretch, ON_3D, WORDS(stretch), FALSE},
    [SOFTGPU_OP_ROTATE] = {check_rotate, ON_3D, WORDS(rotate), FALSE},
    [SOFTGPU_OP_OVER] = {check_over, ON_3D, WORDS(over), FALSE},
    [SOFTGPU_OP_TRIANGLES] = {check_triangles, ON_3D, WORDS(triangles), TRUE},
    [SOFTGPU_OP_COMPUTE] = {check_compute, ON_COMPUTE, WORDS(compute), FALSE},
};

static BOOLEAN is_privileged(ULONG opcode)
{
    return opcode == SOFTGPU_OP_FENCE || opcode == SOFTGPU_OP_INTERRUPT ||
           opcode == SOFTGPU_OP_COPY_PAGES || opcode == SOFTGPU_OP_MAP_APERTURE ||
           opcode == SOFTGPU_OP_FLIP;
}

NTSTATUS softgpu_command_check(const void *command, ULONG word_count, ULONG node,
                               const DXGK_ALLOCATIONLIST *allocations, ULONG allocation_count,
                               struct softgpu_reference references[SOFTGPU_REFERENCE_MAX],
                               ULONG *reference_count)
{
    ULONG opcode = SOFTGPU_COMMAND_OPCODE(*(const ULONG *)command);
    const struct operation *operation;
    struct check check;
    NTSTATUS status;

    *reference_count = 0;
    if (is_privileged(opcode)) {
        return STATUS_PRIVILEGED_INSTRUCTION;
    }
    if (opcode >= RTL_NUMBER_OF(operations) || operations[opcode].check == NULL ||
        !(operations[opcode].engines & 1u << node)) {
        return STATUS_ILLEGAL_INSTRUCTION;
    }
    operation = &operations[opcode];
    if (word_count < operation->words ||
        (word_count > operation->words && !operation->more_words)) {
        return STATUS_INVALID_PARAMETER;
    }
    check.command = command;
    check.word_count = word_count;
    check.allocations = allocations;
    check.allocation_count = allocation_count;
    check.references = references;
    check.reference_count = 0;
    status = operation->check(&check);
    *reference_count = check.reference_count;
    return status;
}
