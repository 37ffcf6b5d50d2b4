/* surface.c: rows of pixels at GPU addresses.
 *
 * A surface in video memory is one piece and worked on in place. One in the aperture may lie in
 * scattered pages: its rows are gathered into scratch memory, and put back when they were
 * changed. */
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
    default:
        return 0;
    }
}

bool surface_open(struct command *command, const struct softgpu_surface *description,
                  enum access_kind kind, struct surface *surface)
{
    struct access *access = &command->access;
    uint32_t pixel_size = surface_pixel_size(description->format);
    *surface = (struct surface){
        .address = address_of(description->address),
        .pitch = description->pitch_bytes,
        .format = description->format,
        .pixel_size = pixel_size,
        .width = description->width,
        .height = description->height,
        .kind = kind,
    };
    if (!pixel_size || surface->width == 0 || surface->width > SOFTGPU_SURFACE_SIZE_MAX ||
        surface->height == 0 || surface->height > SOFTGPU_SURFACE_SIZE_MAX ||
        surface->address % pixel_size || surface->pitch % pixel_size ||
        surface->pitch < surface->width * pixel_size) {
        command_fault(command, SOFTGPU_FAULT_OPERAND, surface->address);
        return false;
    }
    uint64_t size =
        (uint64_t)(surface->height - 1) * surface->pitch + (uint64_t)surface->width * pixel_size;
    if (!address_check(access, surface->address, size))
        return false;
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

uint8_t *surface_row(struct command *command, const struct surface *surface, uint32_t x, uint32_t y,
                     uint32_t count, uint8_t *scratch)
{
    uint64_t offset = offset_of(surface, x, y);
    if (surface->base)
        return surface->base + offset;
    return address_read(&command->access, surface->address + offset, scratch,
                        (uint64_t)count * surface->pixel_size)
               ? scratch
               : NULL;
}

bool surface_row_put(struct command *command, const struct surface *surface, uint32_t x, uint32_t y,
                     uint32_t count, const uint8_t *row)
{
    if (surface->base)
        return true;
    return address_write(&command->access, surface->address + offset_of(surface, x, y), row,
                         (uint64_t)count * surface->pixel_size);
}
