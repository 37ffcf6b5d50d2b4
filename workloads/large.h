/* large.h: one surface that has more pages than a paging buffer has room for. */
#ifndef WORKLOADS_LARGE_H
#define WORKLOADS_LARGE_H

#include "gpu.h"

/* In a mode that is shown; video memory has so many bytes. Nothing is done where that is little, or
 * where nobody makes such a surface. */
void large_moves(const struct drydock_workload_host *host, const D3DKMT_DISPLAYMODE *mode,
                 uint64_t memory_bytes);

#endif
