/* display_only.h: frames that the kernel composed, for a driver that has a display and nothing
 * else. See display_only.c. */
#ifndef DXGK_DISPLAY_ONLY_H
#define DXGK_DISPLAY_ONLY_H

#include "dxgk/internal.h"

NTSTATUS dxgk_composed_start(struct dxgk_source *source);
void dxgk_composed_stop(struct dxgk_source *source);
void dxgk_composed_light(struct dxgk_source *source); /* after a sleep; the change is in hand */
/* At device level, and in the DPC that follows. */
void dxgk_composed_notice(struct dxgk_adapter *adapter,
                          const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data);
void dxgk_composed_dpc(struct dxgk_adapter *adapter);

#endif
