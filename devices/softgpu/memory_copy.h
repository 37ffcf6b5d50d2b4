/* memory_copy.h: moving and filling bytes as fast as the host can.
 *
 * They know nothing of the GPU. Ranges do not overlap, unless said. */
#ifndef SOFTGPU_MEMORY_COPY_H
#define SOFTGPU_MEMORY_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For memory that is in the caches, or will be used at once. */
void memory_copy(void *to, const void *from, size_t size);

/* As memory_copy for ranges that may overlap. */
void memory_move(void *to, const void *from, size_t size);

/* For a part of a large copy or fill, whose memory is not in the caches and would only drive out
 * what is: goes past them. */
void memory_copy_streaming(void *to, const void *from, size_t size);
void memory_fill_streaming(void *to, uint32_t pattern, size_t size);

/* Byte n becomes byte n % 4 of the pattern. */
void memory_fill(void *to, uint32_t pattern, size_t size);

/* From how many bytes in all a copy of neighbours streams. */
#define MEMORY_STREAM_COPY_MIN ((size_t)1 << 20)

/* Where fills, or copies of pages, were last, zeroed at first: memory that was filled a moment ago
 * is in the caches, and these take it faster. */
#define MEMORY_LATE_PLACES 4
struct memory_late {
    uint64_t address[MEMORY_LATE_PLACES], size[MEMORY_LATE_PLACES];
    unsigned next;
};

/* Does it pay to stream these bytes? */
bool memory_fill_streams(struct memory_late *late, uint64_t address, uint64_t size);
bool memory_pages_stream(struct memory_late *late, uint64_t address, uint64_t size);

/* One piece of a scattered copy. */
struct memory_piece {
    uint8_t *to;
    const uint8_t *from;
    size_t size;
};

/* Copies the pieces one after the other; if they stream, and are large enough together to gain by
 * it, fetching the next while it stores this one. */
void memory_copy_pieces(const struct memory_piece *pieces, size_t count, bool stream);

#endif
