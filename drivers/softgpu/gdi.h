/* gdi.h: what GDI has the driver draw; see gdi.c. */
#ifndef SOFTGPU_GDI_H
#define SOFTGPU_GDI_H

#include "softgpu.h"

#define SOFTGPU_GAMMA_ROWS 16u /* of a table of gammas */

DXGKDDI_RENDERKM softgpu_render_km;
DXGKDDI_RENDERGDI softgpu_render_gdi;

#endif
