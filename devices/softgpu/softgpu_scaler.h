/* softgpu_scaler.h: the scaler of an output of the software GPU: the part of softgpu_regs.h that
 * only drivers that scale include. */
#ifndef SOFTGPU_SCALER_H
#define SOFTGPU_SCALER_H

#include "softgpu_regs.h"

/* The scaler takes the whole picture of an output, with its planes, its overlays and its cursor,
 * and shows it in a window of the mode; what is around is black. While SOURCE_SIZE is 0 it is off,
 * and the picture has the size of the mode. The window lies within the mode, or nothing is shown.
 * What is written acts at once. */
#define SOFTGPU_OUTPUT_SOURCE_SIZE     0x88 /* RW: width | height << 16, of the picture */
#define SOFTGPU_OUTPUT_WINDOW_POSITION 0x8C /* RW: x | y << 16 */
#define SOFTGPU_OUTPUT_WINDOW_SIZE     0x90 /* RW: width | height << 16 */

#endif
