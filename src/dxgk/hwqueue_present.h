/* Present by hardware queues; hwqueue_present.c. */
#ifndef DXGK_HWQUEUE_PRESENT_H
#define DXGK_HWQUEUE_PRESENT_H

#include "dxgk/paging_queue.h"
#include "dxgk/work.h"

extern const struct dxgk_road dxgk_road_hwqueue_present;

static inline bool dxgk_is_hwqueue(const struct dxgk_context *context)
{
    return context->life.kind == DXGK_KIND_HW_QUEUE;
}

/* passes.c: the driver wrote a buffer; it gets an id and, unless the node does so by itself, the
 * driver ends it with a write of the fence. May switch; others with ids for the queue wait. */
NTSTATUS MUST_CHECK dxgk_hwqueue_present_end(const struct dxgk_passes *passes,
                                             struct dxgk_dma *dma);
/* The packet has the buffer. */
void dxgk_hwqueue_present_fill(struct dxgk_packet *packet);
/* The driver wrote its end by SignalMonitoredFence. */
bool dxgk_hwqueue_present_signals(const struct dxgk_packet *packet);

/* What a flip names as its context: of a hardware queue the hardware context. */
HANDLE dxgk_flips_as(const struct dxgk_context *context);

#endif
