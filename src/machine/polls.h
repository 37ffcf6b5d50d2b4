/* polls.h: calls of the driver that read a register for ever. */
#ifndef MACHINE_POLLS_H
#define MACHINE_POLLS_H

/* This task is in a call that has to return, until it says that it does: who reads the same few
 * registers a million times in it, which stay as they are, and hardly writes any, waits for what
 * does not come, and time goes faster for him. */
void mmio_call_begins(void);
void mmio_call_ends(void);

#endif
