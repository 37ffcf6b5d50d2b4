/* plugs.h: the display-only driver on an output that it knows: it hears of plugs by an interrupt of
 * the software GPU, and stands that the device is pulled out. */
#ifndef PLUGS_H
#define PLUGS_H

#include "../../../drivers/framebuffer/framebuffer.h"

#define PLUGS_RIGHT      40 /* the numbers of mistakes of such a driver; here: none */
#define PLUGS_UNTOLD     41 /* a monitor that comes is told, one that goes is not */
#define PLUGS_UNDRAWN    42 /* the first picture behind a plug is left out: "it is there already" */
#define PLUGS_TOUCH_GONE 43 /* the interrupt is shut by a register of a device that is gone */

/* Exchanges the DDIs. */
void plugs_register(PKMDDOD_INITIALIZATION_DATA table, ULONG mistake);

#endif
