/* What the two files about overlay planes share: planes.c, planes_old.c. */
#ifndef D3DKMT_PLANES_H
#define D3DKMT_PLANES_H

#include "d3dkmt/internal.h"

/* What a plane that is asked about would show: the first allocation of the resource. NULL: there is
 * no such. */
struct dxgk_opening *client_first_opening(struct client_call *call,
                                          const struct dxgk_device *device, D3DKMT_HANDLE resource);
/* Is the source another device's alone? */
bool client_planes_are_hidden(const struct dxgk_context *context, UINT source);
/* What goes to the driver is of the ranges that its enumerators, flags and rectangles have. */
bool client_attributes_are_known(const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *attributes);

#endif
