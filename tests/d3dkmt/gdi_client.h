/* gdi_client.h: clients that have the GPU draw for GDI, rightly, wrongly and in two processes. */
#ifndef TESTS_D3DKMT_GDI_CLIENT_H
#define TESTS_D3DKMT_GDI_CLIENT_H

#include "drydock/workload.h"

/* All that is not GDI's to ask for, by lists, and by addresses where the driver has them. */
extern const struct drydock_workload gdi_refused;
/* What is, and pictures whose parts go away meanwhile. */
extern const struct drydock_workload gdi_drawn;
/* Where the driver draws nothing for GDI. */
extern const struct drydock_workload gdi_absent;

#endif
