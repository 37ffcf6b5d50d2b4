/* What a driver does to a device that sleeps, and what it does not bring back: registers that it
 * set when it was started, and nobody wrote since. */
#ifndef DXGK_RESTORED_H
#define DXGK_RESTORED_H

#include "dxgk/internal.h"

/* All that belongs to D0 has been done: before the next sleep, or at the end. Told once. */
void dxgk_restored_judge(struct dxgk_adapter *adapter);
#define DXGK_LOST_MAX 160
/* One of those that nobody has written again so far, for whoever says that something went wrong
 * since; or "". */
const char *dxgk_lost_word(const struct dxgk_adapter *adapter, char text[DXGK_LOST_MAX]);
/* The device has been at rest: was it left alone? */
void dxgk_rest_judge(const struct pci_slot *slot);

#endif
