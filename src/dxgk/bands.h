/* What a node that schedules hardware contexts by itself is told to go by: how bands share the time
 * of its engines, and each context's place among them. The values are ours.
 *
 *   priority class of the process      band
 *   IDLE                               IDLE
 *   BELOW_NORMAL, NORMAL               NORMAL
 *   ABOVE_NORMAL, HIGH                 FOCUS
 *   REALTIME, and the system           REALTIME, by the context's priority */
#ifndef DXGK_BANDS_H
#define DXGK_BANDS_H

#include <stdbool.h>
#include <stdint.h>

#include <d3dkmddi.h>

#include "base/status.h"

struct dxgk_adapter;
struct dxgk_context;

/* What the driver took. */
struct dxgk_place {
    DXGK_SCHEDULING_PRIORITY_BAND band;
    int level, in_process; /* within REALTIME, and within the process */
    bool told;
};

/* In ns, of a context, and of a band. The periods are so far from each other that one in the place
 * of another shows. */
#define DXGK_QUANTUM_NS     UINT64_C(2000000)
#define DXGK_GRACE_SAME_NS  UINT64_C(100000)
#define DXGK_GRACE_LOWER_NS UINT64_C(300000)
struct dxgk_band {
    uint64_t grace_ns, process_quantum_ns, process_grace_ns;
};
extern const struct dxgk_band dxgk_bands[DXGK_SCHEDULING_PRIORITY_BAND_COUNT];
#define DXGK_NORMAL_PERCENT 20 /* that FOCUS leaves NORMAL */

/* Of a hardware context, before its first work [HWQ-018], and when its priorities have changed. May
 * switch. */
NTSTATUS dxgk_hwcontext_place(struct dxgk_context *context);
void dxgk_hwcontext_place_anew(struct dxgk_context *context);

#endif
