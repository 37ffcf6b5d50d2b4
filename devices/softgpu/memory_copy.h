/* memory_copy.h: moving and filling bytes as fast as the host can.
 *
 * They know nothing of the GPU. Ranges do not overlap, unless said. */
#ifndef SOFTGPU_MEMORY_COPY_H
#define SOFTGPU_MEMORY_COPY_H

#include <stddef.h>
#include <stdint.h>

/* Chooses the way by size. */
void memory_copy(void *to, const void *from, size_t size);

/* As memmove. */
void memory_move(void *to, const void *from, size_t size);

/* Byte n becomes byte n % 4 of the pattern. */
void memory_fill(void *to, uint32_t pattern, size_t size);

/* One piece of a scattered copy. */
struct memory_piece {
    uint8_t *to;
    const uint8_t *from;
    size_t size;
};

/* Copies the pieces one after the other, fetching the next while it stores this one. */
void memory_copy_pieces(const struct memory_piece *pieces, size_t count);

#endif
