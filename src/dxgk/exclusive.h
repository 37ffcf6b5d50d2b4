/* Another domain of the IOMMU for an adapter. */
#ifndef DXGK_EXCLUSIVE_H
#define DXGK_EXCLUSIVE_H

#include <stdbool.h>
#include <stdint.h>

struct dxgk_adapter;

/* As when the first secure virtual machine is made: between the two DDIs nothing is asked of the
 * driver, and the device is to leave system memory alone [PNP-010, PNP-011]. False: the driver has
 * no part in it, or the adapter did not come to rest in time. May switch. */
bool dxgk_adapter_exchange_domain(struct dxgk_adapter *adapter, uint64_t deadline_ns);

#endif
