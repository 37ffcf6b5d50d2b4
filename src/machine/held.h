/* A DPC that runs late on purpose: the device interrupts again before it does, so that what the
 * interrupt routine noted for it is noted twice, or loses its power. Part of LATE_DPCS, SLEEP. */
#ifndef MACHINE_HELD_H
#define MACHINE_HELD_H

#include <stdbool.h>

/* The next DPC that is queued, and those behind it on its CPU, wait until so many interrupts were
 * claimed from now on, or for 20 ms. Nothing, if another one waits so. */
void dpc_hold_for_interrupts(unsigned count);
/* One that no DPC came for is not wanted any more. */
void dpc_hold_forget(void);
/* Since it was asked for last, one waited, and the interrupts came. */
bool dpc_hold_was_seen(void);
/* A driver's interrupt routine has returned, and said TRUE. */
void dpc_interrupt_claimed(void);

#endif
