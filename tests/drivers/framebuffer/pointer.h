/* pointer.h: a pointer that the driver draws itself, of each kind, and keeps what was beneath. */
#ifndef POINTER_H
#define POINTER_H

#include "../../../drivers/framebuffer/framebuffer.h"

#define POINTER_RIGHT       18 /* the numbers of mistakes that have a pointer; here: none */
#define POINTER_ONE_MASK    19 /* the second mask of a monochrome shape is not looked at */
#define POINTER_NO_XOR      20 /* the mask of a MaskedColor shape is taken for transparency */
#define POINTER_STAYS_SEEN  21
#define POINTER_EDGE_UNEVEN 22 /* what is left of the screen spills into its first columns */
#define POINTER_PLACE_UNSCALED 29 /* X and Y are taken for pixels of a screen that is stretched */
#define POINTER_NO_XOR_SCALED  30 /* as POINTER_NO_XOR, of pictures that are scaled */
#define POINTER_SHAPE_SHOWS    59 /* a new shape is seen, wherever the pointer is, and if it is */

/* Adds the DDIs; the others of the driver have to let it be for now. */
void pointer_register(PKMDDOD_INITIALIZATION_DATA table, ULONG mistake);

#endif
