/* The ranges that dma_watch.h speaks of. */
#include "machine/dma_watch.h"

#include "machine/dma_count.h"

#define WATCHES_MAX 64

static struct {
    const void *owner;
    uint64_t begin, end;
    bool read;
} watches[WATCHES_MAX];
static unsigned count; /* the first ones are in use */

void dma_watches_reset(void)
{
    count = 0;
}

static unsigned find(const void *owner)
{
    unsigned i = 0;

    while (i < count && watches[i].owner != owner) {
        i++;
    }
    return i;
}

void dma_watch(const void *owner, uint64_t address, size_t size)
{
    unsigned i = find(owner);

    if (i == WATCHES_MAX) {
        return;
    }
    if (i == count) {
        watches[count++].read = false;
    }
    watches[i].owner = owner;
    watches[i].begin = address;
    watches[i].end = address + size;
}

bool dma_watch_like(const void *owner, const void *other)
{
    unsigned i = find(other);

    if (i == count || count == WATCHES_MAX) {
        return false;
    }
    dma_watch(owner, watches[i].begin, (size_t)(watches[i].end - watches[i].begin));
    return true;
}

enum dma_watched dma_watch_end(const void *owner)
{
    unsigned i = find(owner);

    if (i == count) {
        return DMA_WATCHED_NOT;
    }
    bool read = watches[i].read;
    watches[i] = watches[--count];
    return read ? DMA_WATCHED_READ : DMA_WATCHED_UNREAD;
}

void dma_watch_read(uint64_t address, size_t size)
{
    for (unsigned i = 0; i < count; i++) {
        watches[i].read |= address < watches[i].end && address + size > watches[i].begin;
    }
}
