/* Which pieces of memory a device has read: for whoever gave it something to read there.
 *
 *     dma_watch(owner, range) ──> the device reads of it, or maps it ──> dma_watch_end(owner)
 *
 * An owner has one range; there is room for a fixed number, and who found none is told so. */
#ifndef MACHINE_DMA_WATCH_H
#define MACHINE_DMA_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dma_watched { DMA_WATCHED_NOT, DMA_WATCHED_UNREAD, DMA_WATCHED_READ };

/* From now on [address, +size), which is of memory. What was read of the owner's range before stays
 * read: it is asked for together. */
void dma_watch(const void *owner, uint64_t address, size_t size);
/* NOT: the owner has no range, or there was no room. */
enum dma_watched dma_watch_end(const void *owner);
/* A machine begins: nothing is watched. */
void dma_watches_reset(void);
/* A device has read, or may have. */
void dma_watch_read(uint64_t address, size_t size);

#endif
