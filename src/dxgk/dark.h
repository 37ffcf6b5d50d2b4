/* dark.h: power states of an adapter that was pulled out. */
#ifndef DXGK_DARK_H
#define DXGK_DARK_H

#include "dxgk/internal.h"

/* Each of them is told D3, when nobody is in the driver. */
void dxgk_monitors_go_dark(struct dxgk_adapter *adapter);
/* The adapter itself is, likewise. */
void dxgk_power_removed(struct dxgk_adapter *adapter);

#endif
