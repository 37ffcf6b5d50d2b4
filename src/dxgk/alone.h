/* alone.h: the driver for one alone, with nothing to do: power.c. */
#ifndef DXGK_ALONE_H
#define DXGK_ALONE_H

#include "dxgk/internal.h"

/* No packet is there, no preemption waits for its answer, no fault for a reset: the device, which
 * runs, was given nothing that it did not say the end of. */
bool dxgk_has_done_all(struct dxgk_adapter *adapter);

/* A reset has the door for itself: one that is under way is waited for, another waits for us. The
 * door is closed, unless somebody stays in the driver; it is opened in either case. */
bool dxgk_close_door(struct dxgk_adapter *adapter, uint64_t deadline_ns);
void dxgk_open_door(struct dxgk_adapter *adapter);

#endif
