/* surface.c: rows of pixels at GPU addresses.
 *
 * A surface in video memory is one piece and worked on in place. One in the aperture may lie in
 * scattered pages, and one that is swizzled does: rows are gathered into scratch memory, and put
 * back when they were changed. */
#include "internal.h"

#include <string.h>

uint32_t surface_pixel_size(uint32_t format)
{
    switch (format) {
    case SOFTGPU_FORMAT_BGRX8:
    case SOFTGPU_FORMAT_BGRA8:
    case SOFTGPU_FORMAT_RGBA8:
        return 4;
    case SOFTGPU_FORMAT_RGB565:
        return 2;
    case SOFTGPU_FORMAT_P8:
        return 1;
    default:
        return 0;
    }
}

bool surface_has_colours(uint32_t format)
{
    return surface_pixel_size(format) > 1;
}

uint64_t surface_extent(const struct surface *surface)
{
    uint64_t rows = (uint64_t)(surface->height - 1) * surface->pitch +
                    (uint64_t)surface->width * surface->pixel_size;
    uint64_t banks = (uint64_t)surface->bank_pages * SOFTGPU_BANK_COUNT * SOFTGPU_PAGE_SIZE;
    if (!surface->bank_pages)
        return rows;
    return rows <= banks && surface->address % SOFTGPU_PAGE_SIZE == 0 ? banks : 0;
}

static bool is_sound(const struct surface *surface)
{
    return surface->pixel_size && surface->width > 0 &&
           surface->width <= SOFTGPU_SURFACE_SIZE_MAX && surface->height > 0 &&
           surface->height <= SOFTGPU_SURFACE_SIZE_MAX &&
           surface->address % surface->pixel_size == 0 &&
           surface->pitch % surface->pixel_size == 0 &&
           surface->pitch >= surface->width * surface->pixel_size && surface_extent(surface) > 0;
}

bool surface_open(struct command *command, const struct softgpu_surface *description,
                  enum access_kind kind, struct surface *surface)
{
    struct access *access = &command->access;
    uint32_t format = description->format & SOFTGPU_FORMAT_MASK;
    *surface = (struct surface){
        .address = address_of(description->address),
        .pitch = description->pitch_bytes,
        .format = format,
        .pixel_size = surface_pixel_size(format),
        .width = description->width,
        .height = description->height,
        .bank_pages = description->format >> SOFTGPU_FORMAT_BANK_SHIFT,
        .kind = kind,
    };
    if (!is_sound(surface)) {
        command_fault(command, SOFTGPU_FAULT_OPERAND, surface->address);
        return false;
    }
    uint64_t size = surface_extent(surface);
    if (!address_check(access, surface->address, size))
        return false;
    if (!surface->bank_pages)
        surface->base = address_map_whole(access, surface->address, size, kind);
    return true;
}

bool surface_contains(const struct surface *surface, const struct softgpu_rect *rect)
{
    return rect->left >= 0 && rect->top >= 0 && rect->left <= rect->right &&
           rect->top <= rect->bottom && (uint32_t)rect->right <= surface->width &&
           (uint32_t)rect->bottom <= surface->height;
}

static uint64_t offset_of(const struct surface *surface, uint32_t x, uint32_t y)
{
    return (uint64_t)y * surface->pitch + (uint64_t)x * surface->pixel_size;
}

/* Where the byte at an offset of the rows is, and how many of `size` follow it there. */
static uint64_t place_of(const struct surface *surface, uint64_t offset, uint64_t *size)
{
    uint64_t page = offset / SOFTGPU_PAGE_SIZE, in_page = offset % SOFTGPU_PAGE_SIZE;
    if (!surface->bank_pages)
        return surface->address + offset;
    if (*size > SOFTGPU_PAGE_SIZE - in_page)
        *size = SOFTGPU_PAGE_SIZE - in_page;
    return surface->address +
           SOFTGPU_BANK_PLACE(page, (uint64_t)surface->bank_pages) * SOFTGPU_PAGE_SIZE + in_page;
}

uint8_t *surface_row(struct command *command, const struct surface *surface, uint32_t x, uint32_t y,
                     uint32_t count, uint8_t *scratch)
{
    uint64_t offset = offset_of(surface, x, y), left = (uint64_t)count * surface->pixel_size;
    uint8_t *to = scratch;
    if (surface->base)
        return surface->base + offset;
    while (left) {
        uint64_t size = left, place = place_of(surface, offset, &size);
        if (!address_read(&command->access, place, to, size))
            return NULL;
        to += size;
        offset += size;
        left -= size;
    }
    return scratch;
}

/* The page that the row before ended in is the one that this row begins in. */
static uint8_t *map_piece(struct command *command, struct surface *surface, uint64_t place,
                          uint64_t size, uint64_t *mapped_size)
{
    uint64_t in_page = place % SOFTGPU_PAGE_SIZE, to_end = SOFTGPU_PAGE_SIZE - in_page;
    if (surface->page && place - in_page == surface->page_place) {
        *mapped_size = size < to_end ? size : to_end;
        return surface->page + in_page;
    }
    uint8_t *bytes = address_map(&command->access, place, size, surface->kind, mapped_size);
    if (bytes && !command->access.space) { /* without an address space a page is one anywhere */
        uint64_t last = in_page + *mapped_size - 1;
        surface->page_place = place - in_page + last - last % SOFTGPU_PAGE_SIZE;
        surface->page = bytes + (surface->page_place - (place - in_page)) - in_page;
    }
    return bytes;
}

unsigned surface_row_pieces(struct command *command, struct surface *surface, uint32_t x,
                            uint32_t y, uint32_t count, struct surface_piece pieces[])
{
    uint64_t offset = offset_of(surface, x, y), left = (uint64_t)count * surface->pixel_size;
    unsigned made = 0;
    if (surface->base) {
        pieces[0] = (struct surface_piece){surface->base + offset, count};
        return 1;
    }
    while (left) {
        uint64_t size = left, place = place_of(surface, offset, &size), mapped_size;
        uint8_t *bytes = map_piece(command, surface, place, size, &mapped_size);
        if (!bytes)
            return 0;
        pieces[made++] =
            (struct surface_piece){bytes, (uint32_t)(mapped_size / surface->pixel_size)};
        offset += mapped_size;
        left -= mapped_size;
    }
    return made;
}

bool surface_row_put(struct command *command, const struct surface *surface, uint32_t x, uint32_t y,
                     uint32_t count, const uint8_t *row)
{
    uint64_t offset = offset_of(surface, x, y), left = (uint64_t)count * surface->pixel_size;
    if (surface->base)
        return true;
    while (left) {
        uint64_t size = left, place = place_of(surface, offset, &size);
        if (!address_write(&command->access, place, row, size))
            return false;
        row += size;
        offset += size;
        left -= size;
    }
    return true;
}
