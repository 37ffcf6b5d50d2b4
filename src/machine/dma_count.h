/* How often a device went to system memory by itself so far: for whoever looks whether it is
 * silent. Asking for a view counts as an access. */
#ifndef MACHINE_DMA_COUNT_H
#define MACHINE_DMA_COUNT_H

#include <stdbool.h>
#include <stdint.h>

struct pci_slot;

uint64_t pci_dma_count(const struct pci_slot *slot);

/* From now on `owner` watches the range of `other`, of which nothing was read so far (dma_watch.h).
 * False: that one has no range, or there is no room. */
bool dma_watch_like(const void *owner, const void *other);

#endif
