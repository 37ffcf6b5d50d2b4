/* Pageable memory: what may not be there above APC_LEVEL, and so is shut there.
 *
 *   pageable_guard(view)        IRQL <= APC_LEVEL: open        IRQL > APC_LEVEL: any touch faults
 *
 * A protection key of the processor does it: one register for all such memory, written where the
 * IRQL that counts changes. A processor without keys guards nothing, and pageable_is_guarded() says
 * so. Windows does the same where the Driver Verifier forces IRQL checking. */
#ifndef MACHINE_PAGEABLE_H
#define MACHINE_PAGEABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool pageable_is_guarded(void);
/* [address, +size) are whole pages of a view of frames. Ends when they are unmapped. */
void pageable_guard(void *address, size_t size);
/* They are locked in memory, and stay open at every IRQL. */
void pageable_release(void *address, size_t size);
/* All such memory lies in there: the address is a multiple of the size, which is a power of 2. */
void pageable_window(uint64_t *address, uint64_t *size);
/* The IRQL that counts from now on; machine's own. */
void pageable_level(uint8_t irql);
/* For a new machine. */
void pageable_reset(void);

#endif
