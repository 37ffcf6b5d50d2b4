/* Present in contexts with GPU virtual addresses; present_virtual.c. */
#ifndef DXGK_PRESENT_VIRTUAL_H
#define DXGK_PRESENT_VIRTUAL_H

#include "dxgk/work.h"

extern const struct dxgk_road dxgk_road_present_virtual;
/* Of that road, or of the one for GDI, which has the same buffers. */
bool dxgk_presents_own(const struct dxgk_packet *packet);

/* What the context needs for it, made with its first Present, whose call has its lists. Where
 * addresses are the CPU's, and where the driver wants no buffer: NOT_SUPPORTED. */
NTSTATUS dxgk_presents_begin(struct dxgk_context *context);
/* Nothing of it is used. Accepts a context that never presented. May switch. */
void dxgk_presents_end(struct dxgk_context *context);

/* A buffer that the driver writes and the process's tables show. INSUFFICIENT_RESOURCES: all are
 * busy. May switch. */
NTSTATUS MUST_CHECK dxgk_presents_acquire(struct dxgk_context *context,
                                          struct vidmm_dma_buffer **out);
void dxgk_presents_release(struct vidmm_dma_buffer *buffer);

/* The context's present list as such drivers get it, made of context->allocation_openings. */
DXGK_PRESENTALLOCATIONINFO *dxgk_presents_list(struct dxgk_context *context);

/* The address at which the opening's process sees all of it; it has it until it is closed. May
 * switch. */
NTSTATUS MUST_CHECK dxgk_opening_need_address(struct dxgk_opening *opening);
void dxgk_opening_drop_address(struct dxgk_opening *opening);

/* What a call wrote, as a submission by virtual address; the packet has the buffer. */
void dxgk_presents_fill(struct dxgk_packet *packet);
/* What such a packet names: the buffer itself, source and destination. */
enum { DXGK_PRESENT_REFERENCES_MAX = 17 }; /* and 16 of GDI's lists */
size_t dxgk_presents_refer(const struct dxgk_packet *packet, struct vidmm_reference *references);

#endif
