/* Operations that documents leave open: MAP_MMU, UNMAP_MMU, NOTIFY_RESIDENCY2. Only their names and
 * layouts are known, so all of this is a guess (docs/choices.md), and nothing of it happens unless
 * the user asks for it (--undocumented-paging). */
#ifndef DXGK_DEVICE_MMU_H
#define DXGK_DEVICE_MMU_H

#include "dxgk/work.h"

/* Asks for the MMUs of the device; a driver that does not know the question has none. */
void dxgk_device_mmus_ask(struct dxgk_adapter *adapter);
/* Those that show the allocation while it has a place: a set. */
uint32_t dxgk_device_mmu_set(const struct dxgk_adapter *adapter, const DXGK_ALLOCATIONINFO *info);
/* The lists that the arguments will point to. False: no memory. */
bool dxgk_device_mmu_describe(struct paging_operation *operation);
/* False: it is another operation. */
bool dxgk_device_mmu_fill(const struct paging_operation *operation,
                          DXGKARG_BUILDPAGINGBUFFER *arguments);

#endif
