/* scan.h: the display-only driver that is wrong in what is scanned out: another pitch, another
 * output, other colours. */
#ifndef SCAN_H
#define SCAN_H

#include "../../../drivers/framebuffer/framebuffer.h"

#define SCAN_DARK           50 /* the output is off from the ninth present on */
#define SCAN_PITCH          51 /* rows are sent from twice as far apart */
#define SCAN_RED_IS_BLUE    52
#define SCAN_DARKER         53 /* each channel through a ramp */
#define SCAN_BEGINS_FURTHER 54 /* the address is that of the picture's row 16 */
#define SCAN_SIZE           55 /* the mode of another size */
#define SCAN_RAMP_RIGHT     56 /* a ramp, which is right */
#define SCAN_RAMP_LOW_BYTE  57
#define SCAN_RAMP_KEPT      58 /* D3DDDI_GAMMARAMP_DEFAULT changes nothing */
#define SCAN_RAMP_REFUSED   60 /* the same, and it is said: no mistake */
#define SCAN_PART           61 /* the picture is elsewhere, and of its address a part is written */

/* Exchanges the DDIs. */
void scan_register(PKMDDOD_INITIALIZATION_DATA table, ULONG mistake);

#endif
