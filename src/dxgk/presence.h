/* presence.h: whether the device is there, and who knows that it is not. Beside the adapter's life
 * (internal.h), which comes to LOST when the kernel acts on it:
 *
 *     THERE ──pulled out (removal.c), or not there after a hibernation (power.c)──> MISSING
 *       nothing of the device is looked at any more
 *     MISSING ──NotifySurpriseRemoval returned, or it is not for this driver──> TOLD
 *     TOLD ──KNOWN: the worker is to act on it──> ANSWERED: what was under way has ended
 *
 * There is no way back but another start. */
#ifndef DXGK_PRESENCE_H
#define DXGK_PRESENCE_H

enum dxgk_presence {
    DXGK_THERE,
    DXGK_MISSING,
    DXGK_TOLD,
    DXGK_KNOWN,
    DXGK_ANSWERED,
};

/* removal.c: it leaves at that access of the driver's, unless it is gone before; 0: at none. */
struct dxgk_adapter;
void dxgk_leaves_at(struct dxgk_adapter *adapter, unsigned access);
void dxgk_is_gone(struct dxgk_adapter *adapter);

#endif
