/* The screen of a system that stops. */
#ifndef DXGK_LAST_SCREEN_H
#define DXGK_LAST_SCREEN_H

#include <stdbool.h>

struct dxgk_adapter;

/* The system stops, as in a bug check: the driver is asked for a screen, something is written to
 * it, and the device is reset, all at the highest level, at which this returns: the caller halts
 * the machine. False: it has no outputs, or nothing for that. */
bool dxgk_adapter_stop_screen(struct dxgk_adapter *adapter);
/* The same of a system that a finding stopped, for the picture alone: outside of tasks, where
 * nobody runs any more. False: the device is gone, asleep or not running, or the driver draws
 * nothing. */
bool dxgk_adapter_draw_stop_screen(struct dxgk_adapter *adapter);

/* When it is stopped it may be asked to leave a frame buffer to the next driver. */
bool dxgk_adapter_may_release(const struct dxgk_adapter *adapter);

#endif
