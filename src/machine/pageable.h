/* Pageable memory: what may not be there above APC_LEVEL, and so is shut there.
 *
 *   pageable_guard(view)        IRQL <= APC_LEVEL: open        IRQL > APC_LEVEL: any touch faults
 *
 * A protection key of the processor does it: one register for all such memory, written where the
 * IRQL that counts changes. Where the processor has none the pages of some of it are shut, at some
 * of these moments: the same ones in each run. Windows does the same where the Driver Verifier
 * forces IRQL checking. */
#ifndef MACHINE_PAGEABLE_H
#define MACHINE_PAGEABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* [address, +size) are whole pages of a view of frames that may be written. */
void pageable_guard(void *address, size_t size);
/* Ends it, right before they are unmapped. */
void pageable_unmapped(void *address);
/* They are locked in memory, and stay open at every IRQL. */
void pageable_release(void *address, size_t size);
/* All such memory lies in there: the address is a multiple of the size, which is a power of 2. */
void pageable_window(uint64_t *address, uint64_t *size);
/* The IRQL that counts from now on; machine's own. */
void pageable_level(uint8_t irql);
/* For a new machine. */
void pageable_reset(void);

#endif
