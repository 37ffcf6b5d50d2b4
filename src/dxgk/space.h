/* What a driver knows of a process on its adapter. */
#ifndef DXGK_SPACE_H
#define DXGK_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include <d3dkmddi.h>

#include "base/status.h"

struct ddi_adapter;
struct dxgk_adapter;
struct dxgk_process;

/* One for each process that has a device, one for the system. */
struct dxgk_space {
    struct dxgk_adapter *adapter; /* NULL: none yet */
    bool created;                 /* by CreateProcess */
    HANDLE driver_handle;         /* NULL: the driver has no objects for processes */
    uint32_t object;              /* in the record: the process; of the system's the adapter */
};

/* Tells the driver; nothing, if it has no objects for processes. May switch. */
NTSTATUS dxgk_space_begin(struct dxgk_space *space, struct dxgk_adapter *adapter, uint32_t object);
/* Its devices are gone. Accepts a zeroed one. May switch. */
void dxgk_space_end(struct dxgk_space *space);

/* Before each device of the process; the first has the driver told. May switch. */
NTSTATUS dxgk_process_enter(struct dxgk_process *process, struct dxgk_adapter *adapter);

NTSTATUS dxgk_reserve_gpu_virtual_address_range(struct ddi_adapter *ddi,
                                                DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *range);

#endif
