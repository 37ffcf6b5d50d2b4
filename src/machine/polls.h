/* polls.h: calls of the driver that read a register for ever, or come to no end otherwise. */
#ifndef MACHINE_POLLS_H
#define MACHINE_POLLS_H

#include <stdbool.h>

/* This task is in a call that has to return, until it says that it does: who reads the same few
 * registers a million times in it, which stay as they are, and hardly writes any, waits for what
 * does not come, and time goes faster for him. */
void mmio_call_begins(void);
void mmio_call_ends(void);

/* For the watchdog's hook: it has found such a call that passes points which may switch, and took
 * six times the processor time that is given to code which passes none, and 3 s at least. */
bool mmio_call_is_endless(void);
/* A period of a call has at least so many ms: 500, unless a test says otherwise. */
void machine_set_watchdog_call_ms(unsigned ms);

#endif
